/* page.c - runs the examples of a page of Markdown and compares what they print
 * with what the page shows. Lessons, README.md and tests/pages/ are such pages.
 *
 *     page TILECOPY_REPL LESSONS_FOLDER PAGE...
 *
 * Fenced blocks count; all else is prose.
 *     ```python NAME.py    the block becomes the file NAME.py; so does that
 *     ```ptx NAME.ptx      of a .ptx,
 *     ```cuda NAME.cu      and of a .cu. Where there is no CUDA compiler,
 *                          console commands that name a .cu are skipped, and
 *                          all of a page with a line "<!-- needs nvcc -->"
 *     ```console           "$ COMMAND" lines, each with its output; a command
 *                          that ends in a backslash goes on in the next line;
 *                          "[status N]" ends the output of one that fails
 *     ```tilecopy          "tilecopy> COMMAND" lines with their output, typed
 *                          into one session for the whole page; "      ... "
 *                          lines go on with what was begun
 * A line "<!-- arch sm_100a -->" names the machine of the page's session.
 * A line of "..." in expected output stands for any lines, also none; "..."
 * at the end of a line stands for the rest of it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct text {
    char *data;
    size_t len, cap;
} text;

static void add(text *t, const char *s, size_t n) {
    if (t->len + n + 1 > t->cap) {
        t->cap = (t->len + n + 1) * 2;
        t->data = realloc(t->data, t->cap);
        if (t->data == NULL) {
            abort();
        }
    }
    memcpy(t->data + t->len, s, n);
    t->len += n;
    t->data[t->len] = '\0';
}

static void add_line(text *t, const char *s, size_t n) {
    add(t, s, n);
    add(t, "\n", 1);
}

/* One command of the page, and what the page says it prints. */
typedef struct example {
    int line;
    int block;    /* of examples: the number of its first line */
    bool skipped; /* needs what is not here */
    bool session; /* typed into the page's session, not a shell command */
    text command, expected, actual;
    int status, actual_status;
} example;

typedef struct page {
    const char *path;
    bool cuda; /* it has a .cu */
    bool needs_nvcc;
    char arch[32]; /* of the session; "": the first */
    example *items;
    size_t n, cap;
} page;

typedef struct tally {
    int passed, failed, skipped;
} tally;

static example *new_example(page *p, int line, bool session) {
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 16;
        p->items = realloc(p->items, p->cap * sizeof *p->items);
        if (p->items == NULL) {
            abort();
        }
    }
    example *e = &p->items[p->n++];
    *e = (example){.line = line, .session = session};
    add(&e->command, "", 0);
    add(&e->expected, "", 0);
    add(&e->actual, "", 0);
    return e;
}

static text read_all(FILE *f) {
    text t = {0};
    char block[4096];
    size_t n;
    add(&t, "", 0);
    while ((n = fread(block, 1, sizeof block, f)) > 0) {
        add(&t, block, n);
    }
    return t;
}

static void write_file(const char *path, const char *data, size_t len) {
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
        fprintf(stderr, "page: cannot write %s: %s\n", path, strerror(errno));
        exit(2);
    }
}

/* --- reading a page --------------------------------------------------------*/

static bool begins(const char *line, size_t n, const char *with) {
    size_t m = strlen(with);
    return n >= m && memcmp(line, with, m) == 0;
}

/* The shell's command is to go on in the next line. */
static bool goes_on(const text *command) {
    return command->len > 1 && command->data[command->len - 2] == '\\';
}

static void block_line(page *p, const char *line, size_t n, int number,
                       int block, bool session) {
    const char *prompt = session ? "tilecopy>" : "$";
    size_t skip = strlen(prompt);
    example *last = p->n > 0 ? &p->items[p->n - 1] : NULL;
    if (begins(line, n, prompt) && (n == skip || line[skip] == ' ')) {
        example *e = new_example(p, number, session);
        e->block = block;
        skip += n > skip;
        add_line(&e->command, line + skip, n - skip);
    } else if (session && last && begins(line, n, "      ...")) {
        size_t s = n > 9 ? 10 : 9;
        add_line(&last->command, line + s, n - s);
    } else if (!session && last && last->expected.len == 0 &&
               goes_on(&last->command)) {
        add_line(&last->command, line, n);
    } else if (!session && last &&
               sscanf(line, "[status %d]", &last->status) == 1) {
        return;
    } else if (last != NULL) {
        add_line(&last->expected, line, n);
    }
}

static void read_page(page *p, const char *data) {
    enum { PROSE, OTHER, FILE_TEXT, CONSOLE, SESSION } in = PROSE;
    char name[256] = "";
    text file = {0};
    int number = 0, block = 0;
    for (const char *s = data; *s != '\0';) {
        size_t n = strcspn(s, "\n");
        number++;
        p->needs_nvcc |= in == PROSE && begins(s, n, "<!-- needs nvcc -->");
        if (in == PROSE && begins(s, n, "<!-- arch ")) {
            sscanf(s, "<!-- arch %31[a-z0-9_]", p->arch);
        }
        if (in == PROSE && begins(s, n, "```")) {
            in = begins(s, n, "```console")    ? CONSOLE
                 : begins(s, n, "```tilecopy") ? SESSION
                 : sscanf(s, "```python %255[^\n]", name) == 1 ||
                         sscanf(s, "```ptx %255[^\n]", name) == 1 ||
                         sscanf(s, "```cuda %255[^\n]", name) == 1
                     ? FILE_TEXT
                     : OTHER;
            file.len = 0;
            block = number;
        } else if (in != PROSE && begins(s, n, "```")) {
            if (in == FILE_TEXT) {
                write_file(name, file.data ? file.data : "", file.len);
                size_t m = strlen(name);
                if (m > 3 && strcmp(name + m - 3, ".cu") == 0) {
                    p->cuda = true;
                }
            }
            in = PROSE;
        } else if (in == FILE_TEXT) {
            add_line(&file, s, n);
        } else if (in == CONSOLE || in == SESSION) {
            block_line(p, s, n, number, block, in == SESSION);
        }
        s += n + (s[n] == '\n');
    }
    free(file.data);
}

/* --- running ---------------------------------------------------------------*/

static int exit_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_shell(example *e) {
    text command = {0};
    add(&command, "exec 2>&1 </dev/null; ", 22);
    add(&command, e->command.data, e->command.len);
    FILE *f = popen(command.data, "r");
    if (f == NULL) {
        perror("page: popen");
        exit(2);
    }
    free(e->actual.data);
    e->actual = read_all(f);
    e->actual_status = exit_status(pclose(f));
    free(command.data);
}

/* What is typed after each example so that its output can be told apart. */
static void marker(char *out, size_t size, size_t i) {
    snprintf(out, size, "'page-example-%zu-ends'", i);
}

static void run_session(page *p) {
    text input = {0};
    char mark[64];
    add(&input, "", 0);
    for (size_t i = 0; i < p->n; i++) {
        if (!p->items[i].session) {
            continue;
        }
        marker(mark, sizeof mark, i);
        add(&input, p->items[i].command.data, p->items[i].command.len);
        if (strchr(p->items[i].command.data, '\n') !=
            p->items[i].command.data + p->items[i].command.len - 1) {
            add(&input, "\n", 1); /* a blank line ends what was begun */
        }
        add(&input, mark, strlen(mark));
        add(&input, "\n", 1);
    }
    if (input.len == 0) {
        free(input.data);
        return;
    }
    write_file(".page-input", input.data, input.len);
    char command[128];
    snprintf(command, sizeof command,
             "tilecopy-repl%s%s --batch --keep-going 2>&1 <.page-input",
             p->arch[0] != '\0' ? " --arch " : "", p->arch);
    FILE *f = popen(command, "r");
    if (f == NULL) {
        perror("page: popen");
        exit(2);
    }
    text out = read_all(f);
    int status = exit_status(pclose(f));
    const char *at = out.data;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->items[i].session) {
            continue;
        }
        marker(mark, sizeof mark, i);
        strcat(mark, "\n");
        const char *end = strstr(at, mark);
        size_t n = end ? (size_t)(end - at) : strlen(at);
        add(&p->items[i].actual, at, n);
        at = end ? end + strlen(mark) : at + n;
        if (end == NULL) {
            p->items[i].actual_status = status ? status : -1;
        }
    }
    free(out.data);
    free(input.data);
}

/* --- comparing -------------------------------------------------------------*/

static size_t line_length(const char *s) {
    return strcspn(s, "\n");
}

static const char *next_line(const char *s) {
    s += line_length(s);
    return s + (*s == '\n');
}

static size_t trimmed(const char *s, size_t n) {
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) {
        n--;
    }
    return n;
}

static bool line_matches(const char *want, const char *got) {
    size_t w = trimmed(want, line_length(want));
    size_t g = trimmed(got, line_length(got));
    if (w > 3 && memcmp(want + w - 3, "...", 3) == 0 && w - 3 <= g) {
        return memcmp(want, got, w - 3) == 0;
    }
    return w == g && memcmp(want, got, w) == 0;
}

static bool matches(const char *want, const char *got) {
    while (*want != '\0') {
        if (line_length(want) == 3 && memcmp(want, "...", 3) == 0) {
            want = next_line(want);
            if (*want == '\0') {
                return true;
            }
            while (*got != '\0' && !matches(want, got)) {
                got = next_line(got);
            }
            return *got != '\0';
        }
        if (*got == '\0' || !line_matches(want, got)) {
            return false;
        }
        want = next_line(want);
        got = next_line(got);
    }
    return *got == '\0';
}

static void print_indented(const char *s) {
    for (; *s != '\0'; s = next_line(s)) {
        printf("    | %.*s\n", (int)line_length(s), s);
    }
}

static bool check(const page *p, const example *e) {
    if (e->status == e->actual_status &&
        matches(e->expected.data, e->actual.data)) {
        return true;
    }
    printf("%s:%d: FAILED: %s", p->path, e->line, e->command.data);
    printf("  expected (status %d):\n", e->status);
    print_indented(e->expected.data);
    printf("  got (status %d):\n", e->actual_status);
    print_indented(e->actual.data);
    return false;
}

/* The page has CUDA programs, and there is nothing to build them with. What is
 * tried is refused as soon as there is a compiler to refuse it. */
static bool lacks_compiler(const page *p) {
    if (!p->cuda && !p->needs_nvcc) {
        return false;
    }
    write_file(".page-asks.cu", "#error\n", 7);
    bool lacks = system("tilecopy-repl exec .page-asks.cu 2>&1 </dev/null |"
                        " grep -q -e 'there is no CUDA compiler'"
                        " -e 'TILECOPY_NVCC names'") == 0;
    unlink(".page-asks.cu");
    if (lacks) {
        puts("SKIPPED: no nvcc found");
    }
    return lacks;
}

/* One of the console's in the same block, up to this one, names a .cu. */
static bool is_of_cuda(const page *p, size_t i) {
    for (size_t k = i + 1; k-- > 0 && p->items[k].block == p->items[i].block;) {
        if (!p->items[k].session &&
            strstr(p->items[k].command.data, ".cu") != NULL) {
            return true;
        }
    }
    return false;
}

/* A new folder in TMPDIR. It has the page's name where that is free, up to the
 * first dot: the build of a CUDA program is found again only where the program's
 * path is the same, and a page's translation has the same programs. */
static void new_folder(const char *path, char *folder, size_t size) {
    const char *tmp = getenv("TMPDIR"), *base = strrchr(path, '/');
    tmp = tmp != NULL && *tmp != '\0' ? tmp : "/tmp";
    base = base != NULL ? base + 1 : path;
    snprintf(folder, size, "%s/page-%.*s", tmp, (int)strcspn(base, "."), base);
    if (mkdir(folder, 0700) == 0) {
        return;
    }
    snprintf(folder, size, "%s/tilecopy-page-XXXXXX", tmp);
    if (mkdtemp(folder) == NULL) {
        perror("page: temporary folder");
        exit(2);
    }
}

static void run_page(const char *path, tally *sum) {
    page p = {.path = path};
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("%s: FAILED: %s\n", path, strerror(errno));
        sum->failed++;
        return;
    }
    text data = read_all(f);
    fclose(f);
    char folder[512], clean[600];
    new_folder(path, folder, sizeof folder);
    if (chdir(folder) != 0 ||
        symlink(getenv("TILECOPY_LESSONS"), "lessons") != 0) {
        perror("page: temporary folder");
        exit(2);
    }
    read_page(&p, data.data);
    int before = sum->failed;
    bool lacks = lacks_compiler(&p);
    for (size_t i = 0; i < p.n && lacks; i++) {
        p.items[i].skipped = p.needs_nvcc || is_of_cuda(&p, i);
    }
    if (!lacks || !p.needs_nvcc) {
        run_session(&p);
    }
    for (size_t i = 0; i < p.n; i++) {
        bool skipped = p.items[i].skipped;
        if (!p.items[i].session && !skipped) {
            run_shell(&p.items[i]);
        }
        ++*(skipped                  ? &sum->skipped
            : check(&p, &p.items[i]) ? &sum->passed
                                     : &sum->failed);
        free(p.items[i].command.data);
        free(p.items[i].expected.data);
        free(p.items[i].actual.data);
    }
    printf("%s: %zu examples%s\n", path, p.n,
           sum->failed > before ? ", FAILED" : "");
    if (p.n == 0) { /* a page that shows nothing tests nothing */
        sum->failed++;
    }
    snprintf(clean, sizeof clean, "rm -rf '%s'", folder);
    if (chdir("/") != 0 || system(clean) != 0) {
        perror("page: cleaning up");
    }
    free(p.items);
    free(data.data);
}

/* The program's folder goes first in PATH, under the name that pages use. */
static void set_up(const char *program, const char *lessons) {
    char *exe = realpath(program, NULL), *folder = realpath(lessons, NULL);
    if (exe == NULL || folder == NULL) {
        fprintf(stderr, "page: no %s or no %s\n", program, lessons);
        exit(2);
    }
    *strrchr(exe, '/') = '\0';
    text path = {0};
    add(&path, exe, strlen(exe));
    add(&path, ":", 1);
    add(&path, getenv("PATH"), strlen(getenv("PATH")));
    setenv("PATH", path.data, 1);
    setenv("TILECOPY_LESSONS", folder, 1);
    setenv("NO_COLOR", "1", 1);
    unsetenv("COLUMNS");
    free(path.data);
    free(exe);
    free(folder);
}

int main(int argc, char **argv) {
    tally sum = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: page TILECOPY_REPL LESSONS PAGE...\n");
        return 2;
    }
    set_up(argv[1], argv[2]);
    for (int i = 3; i < argc; i++) {
        argv[i] = realpath(argv[i], NULL);
    }
    for (int i = 3; i < argc; i++) {
        run_page(argv[i] ? argv[i] : "?", &sum);
        free(argv[i]);
    }
    printf("%d passed, %d failed, %d skipped\n", sum.passed, sum.failed,
           sum.skipped);
    return sum.failed > 0;
}
