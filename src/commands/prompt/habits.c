/* habits.c - what people type who come from Python, IPython or a shell: run(),
 * quit(), why?, ls. */
#include "commands/commands.h"
#include "commands/script.h"

#include <ctype.h>
#include <string.h>

static bool is_known_name(tc_session *s, const char *name) {
    tc_arena *a = tc_arena_new();
    tc_node n = {.kind = TC_N_NAME, .s = name};
    tc_diags quiet = {0};
    tc_front front = {a, &quiet, s->target_cuda, NULL};
    tc_value v;
    bool known = tc_front_eval(&front, tc_env_child(a, s->env), &n, &v);
    tc_arena_free(a);
    return known;
}

static bool is_command(const char *text, size_t len) {
    bool exact = false, several;
    return tc_command_find(text, len, &exact, &several) != NULL && exact;
}

/* name(...), one bracket around all that follows; where it begins. */
static const char *called(const char *text, size_t len, size_t *word) {
    int open = 0;
    size_t n = 0;
    while (n < len && (isalpha((unsigned char)text[n]) || text[n] == '_')) {
        n++;
    }
    *word = n;
    if (n == 0 || n + 2 > len || text[n] != '(' || text[len - 1] != ')') {
        return NULL;
    }
    for (size_t i = n; i < len; i++) {
        open += (text[i] == '(') - (text[i] == ')');
        if (open == 0 && i + 1 < len) {
            return NULL;
        }
    }
    return text + n + 1;
}

const char *tc_habit_line(tc_session *s, tc_arena *a, const char *text,
                          size_t *len) {
    size_t word;
    const char *inside = called(text, *len, &word), *line = NULL;
    bool leaves = (*len == 4 || inside != NULL) && word == 4 &&
                  memcmp(text, "exit", 4) == 0;
    if (memchr(text, '\n', *len) != NULL) {
        return text;
    }
    if (leaves && !is_known_name(s, "exit")) {
        line = "quit";
    } else if (inside != NULL && is_command(text, word) &&
               !is_known_name(s, tc_strndup(a, text, word))) {
        size_t n = *len - word - 2;
        line = tc_format(a, n > 0 ? "%.*s %.*s" : "%.*s", (int)word, text,
                         (int)n, inside);
    } else if (*len == 1 && text[0] == '?') {
        line = "help";
    } else if (*len > 1 && text[0] == '?' && text[1] != '?') {
        line = tc_format(a, "help %.*s", (int)*len - 1, text + 1);
    } else if (*len > 1 && text[*len - 1] == '?' &&
               is_command(text, *len - 1)) {
        line = tc_format(a, "help %.*s", (int)*len - 1, text);
    }
    if (line == NULL) {
        return text;
    }
    *len = strlen(line);
    return line;
}

bool tc_habit_hint(tc_session *s, const tc_source *src) {
    static const struct {
        const char *word, *hint;
    } all[] = {
        {"ls", "Tab behind `load ` lists files; Ctrl-Z goes to the shell"},
        {"dir", "Tab behind `load ` lists files; Ctrl-Z goes to the shell"},
        {"cd", "names of files may have folders: load FOLDER/FILE"},
        {"pwd", "names of files may have folders: load FOLDER/FILE"},
        {"clear", "Ctrl-L clears the screen"},
        {"cls", "Ctrl-L clears the screen"},
        {"man", "help COMMAND, explain TERM"},
        {"info", "help COMMAND, explain TERM"},
        {"vi", "edit FILE"},
        {"vim", "edit FILE"},
        {"nano", "edit FILE"},
        {"emacs", "edit FILE"},
        {"cat", "edit FILE; ptx --source shows a program's lines"},
        {"nvcc", "load FILE.cu builds it"},
        {"python", "load FILE.py"},
        {"open", "load FILE"},
        {"start", "run, or lesson 01"},
        {"bt", "findings says where it stopped and why"},
        {"backtrace", "findings says where it stopped and why"},
        {"step", "timeline, then the arrow keys; or state CYCLE"},
        {"next", "timeline, then the arrow keys; or state CYCLE"},
        {"break", "timeline --at CYCLE, or --at finding:1"},
        {"p", "type the name alone; state CYCLE NAME has a run's memory"},
        {"print", "type the name alone; state CYCLE NAME has a run's memory"},
        {"x", "state CYCLE NAME has a run's memory"},
        {"disas", "sass, or ptx"},
        {"disassemble", "sass, or ptx"},
        {"whos", "show lists what is defined"},
        {"vars", "show lists what is defined"},
        {"exit", "quit"},
        {":q", "quit"},
        {"bye", "quit"},
        {"--help", "help"},
        {"-h", "help"},
        {"version", "tilecopy-repl --version, from the shell"},
        {"--version", "tilecopy-repl --version, from the shell"},
    };
    size_t n = strcspn(src->text, " \t\n");
    const char *rest = src->text + n + strspn(src->text + n, " \t");
    char name[16] = "";
    if (src->text[0] == '!' && src->text[1] != '\0' && src->text[1] != '=') {
        tc_error(&s->diags, ((tc_span){src, 0, 1}),
                 "Ctrl-Z goes to the shell, and fg comes back",
                 "commands of the shell are not run here");
        return true;
    }
    if (src->text[0] == '%' && isalpha((unsigned char)src->text[1])) {
        tc_error(&s->diags, ((tc_span){src, 0, (uint32_t)n}),
                 "help lists the commands; in a notebook there are %%cuda and "
                 "%%tirx",
                 "there are no magics here");
        return true;
    }
    if (n == 0 || (n == 1 && *rest == '\0') || n >= sizeof name ||
        *rest == '=' || *rest == '(') {
        return false;
    }
    memcpy(name, src->text, n);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i].word) == 0 && !is_known_name(s, name)) {
            tc_error(&s->diags, ((tc_span){src, 0, (uint32_t)n}), all[i].hint,
                     "there is no command '%s' here", name);
            return true;
        }
    }
    return false;
}
