/* eval.c - evaluates a line: a command, or statements of TVMScript; loads
 * files. */
#include "base/cancel.h"
#include "base/utf8.h"
#include "commands/commands.h"
#include "commands/course.h"
#include "commands/script.h"
#include "load/load.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- statements ------------------------------------------------------------*/

static void put(tc_session *s, const char *text, size_t len) {
    if (s->output != NULL && len > 0) {
        s->output(s->user, text, len);
    }
}

static void put_json(tc_session *s, const char *command, tc_status status,
                     json_t *reply) {
    json_t *o = json_object();
    json_object_set_new(o, "command", json_string(command));
    json_object_set_new(o, "ok", json_boolean(status == TC_OK));
    if (status != TC_OK) {
        if (s->first_error == NULL) {
            tc_diag d = {.message = "the command failed"};
            s->first_error = tc_error_json(&d);
        }
        json_object_set(o, "error", s->first_error);
    } else if (reply != NULL) {
        json_object_update(o, reply);
    }
    if (s->notes != NULL) {
        json_object_set(o, "notes", s->notes);
    }
    char *text = json_dumps(o, JSON_COMPACT);
    if (text != NULL) {
        put(s, text, strlen(text));
        put(s, "\n", 1);
        free(text);
    }
    json_decref(o);
}

/* Sends what a command answered, and forgets it. */
static void finish(tc_session *s, const char *command, tc_status status,
                   tc_reply *r) {
    if (s->options.json) {
        put_json(s, command, status, r->json);
    } else {
        put(s, tc_buf_text(&r->text), r->text.len);
    }
    tc_buf_free(&r->text);
    json_decref(r->json);
}

static void begin(tc_session *s) {
    json_decref(s->first_error);
    json_decref(s->notes);
    s->first_error = s->notes = NULL;
    s->diags.errors = 0;
    s->wants_timeline = false;
    s->request = (tc_client_request){.kind = TC_CLIENT_NONE};
    tc_arena_reset(s->asked);
    s->cancel = 0; /* one that came too late for the last evaluation */
}

static tc_source *make_source(tc_arena *a, const char *name, const char *text,
                              size_t len) {
    tc_source *src = TC_NEW(a, tc_source);
    src->name = tc_strdup(a, name);
    src->text = tc_strndup(a, text, len);
    src->len = len;
    src->first_line = 1;
    return src;
}

static void answer_value(tc_session *s, const tc_value *v, tc_reply *r) {
    if (s->options.json) {
        r->json = json_pack("{s:o}", "value", tc_value_json(v));
    } else {
        tc_value_print(&r->text, v);
        tc_buf_putc(&r->text, '\n');
    }
}

static void answer_func(tc_session *s, const tc_func *f, int copies,
                        tc_reply *r) {
    if (s->options.json) { /* beside the value of a last expression, if any */
        r->json = r->json ? r->json : json_object();
        json_object_set_new(r->json, "function", json_string(f->name));
        json_object_set_new(r->json, "copies", json_integer(copies));
    } else {
        tc_buf_printf(&r->text, "%s: %d cop%s; now try `why` or `run`.\n",
                      f->name, copies, copies == 1 ? "y" : "ies");
    }
}

static int count_copies(const tc_block *b) {
    int n = 0;
    for (const tc_stmt *st = b->first; st != NULL; st = st->next) {
        n += st->kind == TC_S_COPY;
        n += count_copies(&st->body) + count_copies(&st->orelse);
    }
    return n;
}

/* Everything after this point relies on text being UTF-8, as Python does. */
static bool check_utf8(tc_session *s, const tc_source *src) {
    size_t at = 0;
    while (at < src->len) {
        if ((unsigned char)src->text[at] < 0x80) {
            at++;
            continue;
        }
        size_t n = tc_utf8_next(src->text + at, src->len - at);
        if (n == 1) {
            tc_span span = {src, (uint32_t)at, (uint32_t)at + 1};
            tc_error(&s->diags, span, "save it as UTF-8",
                     "the text is not UTF-8: byte 0x%02x",
                     (unsigned)(unsigned char)src->text[at]);
            return false;
        }
        at += n;
    }
    return true;
}

/* Evaluates the statements of a source; all of them, or none. quiet: a file
 * from the command line, which has no reply of its own. */
static tc_status run_source(tc_session *s, tc_arena *a, const tc_source *src,
                            tc_tests *tests, tc_reply *r) {
    tc_node_list stmts;
    tc_env *env = tc_env_child(a, s->env);
    tc_front front = {a, &s->diags, s->target_cuda, tests};
    tc_value value = {0};
    tc_func *func = NULL;
    bool has_value = false;
    if (!check_utf8(s, src)) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    tc_arena *tree = tc_front_keeps_tree(src) ? a : s->tree;
    tc_env_forget_reads(s->env);
    bool ok = tc_parse_split(tree, a, src, &s->diags, &stmts) &&
              tc_front_run(&front, env, &stmts, &value, &has_value, &func);
    tc_arena_reset(s->tree);
    if (!ok) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    if (has_value) {
        answer_value(s, &value, r);
    }
    if (has_value && stmts.n == 1 &&
        func == NULL) { /* an expression defines nothing */
        tc_arena_free(a);
        return TC_OK;
    }
    if (tests != NULL) {
        tc_tests_tell(s, src, tests, r);
    }
    if (func != NULL) {
        answer_func(s, func, count_copies(&func->body), r);
        tc_program_set(s, func);
    }
    tc_session_retain(s, a, env, func != NULL);
    return TC_OK;
}

static tc_status load(tc_session *s, const char *path, tc_span at,
                      tc_reply *r) {
    if (tc_ends_with(path, ".tcs")) {
        return tc_script_load(s, path, at);
    }
    tc_arena *a = tc_arena_new();
    size_t len;
    tc_tests tests;
    path = tc_tests_wanted(s, a, path, &tests);
    path = tc_course_path(s, a, path);
    char *text = tc_read_source(s, a, path, at, &len);
    if (text == NULL) {
        tc_arena_free(a);
        return TC_FAILED;
    }
    const tc_source *src = make_source(a, path, text, len);
    if (tc_ends_with(path, ".cu")) {
        return tc_cuda_load(s, a, src, at, r);
    }
    bool trace = tc_ends_with(path, ".trace");
    if (!trace && !tc_ends_with(path, ".ptx")) {
        return run_source(s, a, src, &tests, r);
    }
    if (!check_utf8(s, src)) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    return trace ? tc_trace_read(s, a, src, r) : tc_loaded_read(s, a, src, r);
}

static tc_status status_of_cancel(tc_session *s, tc_status status) {
    if (s->cancel == 2) {
        status = TC_TIMEOUT;
    } else if (s->cancel == 1 && status == TC_OK) {
        status = TC_FAILED;
    }
    s->cancel = 0;
    return status;
}

static tc_status load_file(tc_session *s, const char *path) {
    begin(s);
    tc_reply r = {0};
    tc_status status = status_of_cancel(s, load(s, path, TC_NOWHERE, &r));
    tc_script_record_load(s, path, status);
    if (status == TC_OK) { /* nothing was asked, so nothing is answered */
        tc_buf_free(&r.text);
        json_decref(r.json);
    } else {
        finish(s, "load", status, &r);
    }
    return status;
}

tc_status tc_session_load(tc_session *s, const char *path) {
    const atomic_int *before = tc_cancel_by(&s->cancel);
    tc_status status = load_file(s, path);
    tc_cancel_by(before);
    return status;
}

tc_status tc_load_again(tc_session *s, const char *path, tc_span at) {
    tc_reply r = {0};
    char *name = tc_xstrdup(path); /* the file of that name goes */
    tc_status status = load(s, name, at, &r);
    tc_buf_free(&r.text);
    json_decref(r.json);
    free(name);
    return status;
}

tc_status tc_cmd_load(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *file = tc_value_of(args, "FILE");
    return load(s, file->text, file->span, r);
}

/* --- commands --------------------------------------------------------------*/

/* Splits the arguments at blanks; "..." keeps blanks. */
static void split(tc_arena *a, const tc_source *src, size_t begin,
                  tc_command_args *out) {
    int cap = 0, span_cap = 0, nspans = 0;
    size_t i = begin;
    while (true) {
        while (i < src->len && isspace((unsigned char)src->text[i])) {
            i++;
        }
        if (i >= src->len) {
            break;
        }
        bool quoted = src->text[i] == '"';
        size_t from = i + quoted;
        i = from;
        while (i < src->len &&
               (quoted ? src->text[i] != '"'
                       : !isspace((unsigned char)src->text[i]))) {
            i++;
        }
        tc_span span = {src, (uint32_t)from, (uint32_t)i};
        TC_PUSH(a, out->tokens, out->n, cap,
                tc_strndup(a, src->text + from, i - from));
        TC_PUSH(a, out->spans, nspans, span_cap, span);
        i += quoted && i < src->len;
    }
}

static tc_status run_command(tc_session *s, const tc_command *c, tc_arena *a,
                             const tc_source *src, size_t begin, tc_reply *r) {
    while (begin < src->len && isspace((unsigned char)src->text[begin])) {
        begin++;
    }
    tc_command_args args = {.line = src->text + begin,
                            .span = {src, (uint32_t)begin, (uint32_t)src->len}};
    if (begin >= src->len) { /* none: what is said of them points at the word */
        args.span = (tc_span){src, 0, (uint32_t)src->len};
    }
    split(a, src, begin, &args);
    if (!tc_form_read(s, a, c->name, c->form, &args)) {
        return TC_USAGE;
    }
    return c->run(s, &args, r);
}

/* The command that text begins with, or NULL if it is TVMScript. A name that
 * the learner has defined hides mere prefixes of commands. */
static const tc_command *command_of(tc_session *s, const char *text, size_t len,
                                    size_t *word_len) {
    size_t n = 0;
    while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_')) {
        n++;
    }
    *word_len = n;
    if (n == 0 || memchr(text, '\n', len) != NULL) {
        return NULL;
    }
    size_t next = n;
    while (next < len && (text[next] == ' ' || text[next] == '\t')) {
        next++;
    }
    if (next < len && next == n) {
        return NULL; /* run(...), T.x, a[0]: the word goes on */
    }
    if (next < len && strchr("=.([,;:+*/%@&|^<>!", text[next]) != NULL &&
        strchr("([./", text[next]) == NULL) {
        return NULL; /* why = 3, n * 2 */
    }
    bool exact, several;
    const tc_command *c = tc_command_find(text, n, &exact, &several);
    if (c != NULL && !exact) {
        char *name = tc_strndup(s->arena, text, n);
        if (tc_env_get(s->env, name) != NULL) {
            return NULL;
        }
    }
    return c;
}

/* "/tmp/x.cu", "./x.cu", "../x.cu", "~/x.cu": no operator stands so. */
static bool like_a_path(const char *p) {
    p += p[0] == '.' || p[0] == '~';
    p += p[0] == '.';
    return p[0] == '/' && p[1] != ' ' && p[1] != '/' && p[1] != '\0';
}

/* True, after an error, for a lone word that several commands begin with and
 * that is no name. */
static bool several_commands(tc_session *s, const tc_source *src, size_t word) {
    bool exact = false, several = false;
    if (word == 0 || src->text[word] != '\0' ||
        tc_command_find(src->text, word, &exact, &several) != NULL ||
        !several) {
        return false;
    }
    tc_arena *a = tc_arena_new();
    bool named = tc_env_get(s->env, tc_strndup(a, src->text, word)) != NULL;
    tc_arena_free(a);
    if (named) {
        return false;
    }
    tc_buf names = TC_BUF_INIT;
    for (int i = 0; i < tc_ncommands; i++) {
        if (strncmp(tc_commands[i].name, src->text, word) == 0) {
            tc_buf_printf(&names, "%s%s", names.len > 0 ? ", " : "",
                          tc_commands[i].name);
        }
    }
    tc_span at = {src, 0, (uint32_t)word};
    tc_error(&s->diags, at, tc_buf_text(&names),
             "several commands begin with '%.*s'", (int)word, src->text);
    tc_buf_free(&names);
    return true;
}

/* True, after an error, for a line that begins like a command ("patition 3,4",
 * "whyy") and with a word that is neither a command nor a name. */
static bool misspelt_command(tc_session *s, const tc_source *src, size_t word) {
    const char *names[64];
    int n = 0;
    const char *rest = src->text + word;
    bool like_a_command = word > 0 && !isdigit((unsigned char)src->text[0]) &&
                          (*rest == '\0' || *rest == ' ') &&
                          strchr(rest, '=') == NULL &&
                          strchr(rest, '\n') == NULL;
    rest += strspn(rest, " \t");
    if (!like_a_command ||
        (*rest != '\0' && strchr("+-*/%@<>&|^.([{,;:!", *rest) != NULL &&
         !like_a_path(rest))) {
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)word, src->text);
    static const char *const keywords[] = {
        "import", "from",   "def",  "if",   "for", "while", "with",
        "return", "assert", "pass", "else", "not", "class", "del"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strcmp(name, keywords[i]) == 0) {
            return false;
        }
    }
    if (tc_env_get(s->env, name) != NULL || word >= sizeof name) {
        return false;
    }
    for (int i = 0; i < tc_ncommands && n < 64; i++) {
        names[n++] = tc_commands[i].name;
    }
    bool exec = strcmp(name, "exec") == 0; /* the command line's */
    const char *near = exec ? "load" : tc_diag_nearest(name, names, n);
    if (near == NULL) {
        return false; /* let the parser say what is wrong */
    }
    char hint[96];
    snprintf(hint, sizeof hint,
             exec ? "here, `%s` a .cu and `run` it" : "did you mean `%s`?",
             near);
    tc_span at = {src, 0, (uint32_t)word};
    tc_error(&s->diags, at, hint, "no command or name is '%s'", name);
    return true;
}

static tc_status evaluate(tc_session *s, const char *text, size_t len) {
    size_t word;
    const tc_command *c = command_of(s, text, len, &word);
    tc_arena *a = tc_arena_new();
    tc_source *src = make_source(a, "<input>", text, len);
    tc_reply r = {0};
    tc_status status;
    if (c != NULL) {
        status = run_command(s, c, a, src, word, &r);
        if (strcmp(c->name, "edit") != 0) { /* which says where the file is */
            tc_course_short_paths(s, &r.text);
        }
        tc_course_watch(s, c, text, len, status, &r);
        status = status_of_cancel(s, status);
        tc_script_record(s, c->name, text, len, status);
        finish(s, c->name, status, &r);
        tc_arena_free(a);
        return status;
    }
    if (tc_habit_hint(s, src) || several_commands(s, src, word) ||
        misspelt_command(s, src, word)) {
        tc_arena_free(a);
        finish(s, "?", TC_REJECTED, &r);
        return TC_REJECTED;
    }
    status = run_source(s, a, src, NULL, &r);
    tc_course_watch(s, NULL, text, len, status, &r);
    status = status_of_cancel(s, status);
    tc_script_record(s, NULL, text, len, status);
    const char *name =
        r.json != NULL && json_object_get(r.json, "value") ? "eval" : "define";
    finish(s, name, status, &r);
    return status;
}

static tc_status evaluate_line(tc_session *s, const char *text) {
    begin(s);
    size_t len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1])) {
        len--;
    }
    size_t blank = 0; /* blanks before a command are nothing */
    while (blank < len && (text[blank] == ' ' || text[blank] == '\t')) {
        blank++;
    }
    if (blank == len || (text[blank] == '#' && !memchr(text, '\n', len))) {
        return TC_OK;
    }
    if (memchr(text, '\n', len) == NULL) {
        text += blank;
        len -= blank;
    }
    if (tc_course_shell(s, text, len)) {
        return TC_OK;
    }
    tc_arena *a = tc_arena_new();
    if (tc_course_takes(s, text, len)) {
        text = tc_format(a, "answer %.*s", (int)len, text);
        len = strlen(text);
    } else {
        text = tc_script_expand(s, a, text, &len);
        text = tc_habit_line(s, a, text, &len);
    }
    tc_status status = evaluate(s, text, len);
    tc_arena_free(a);
    return status;
}

tc_status tc_session_eval(tc_session *s, const char *text) {
    const atomic_int *before = tc_cancel_by(&s->cancel);
    tc_status status = evaluate_line(s, text);
    tc_cancel_by(before);
    return status;
}

tc_status tc_cmd_eval(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_arena *a = tc_arena_new();
    const tc_source *src =
        make_source(a, "<input>", args->line, strlen(args->line));
    return run_source(s, a, src, NULL, r);
}
