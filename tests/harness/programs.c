/* programs.c - executes CUDA programs and compares what comes of them with what
 * their own comments say.
 *
 *     programs [-v] [-j JOBS] TILECOPY_REPL FILE_OR_FOLDER...
 *
 * Comments of a program, from "// @" to the end of the line:
 *     @arch sm_80 sm_90a    machines to run it on (sm_90a)
 *     @args 1000 7          its arguments (none)
 *     @exit 0               its own exit status (0; any if it was stopped)
 *     @stdout TEXT          a line of its standard output
 *     @error TEXT           in its standard error, or what is said of it
 *     @pedantic             executed with --pedantic
 *     @finding KIND|KIND    a finding of one of these kinds in this line
 *     @cause                a finding's cause is in this line
 * A program without any @finding must have none. In exercises only files with
 * such a comment are programs. Prints one line a failure (-v: what the program
 * said, too), and last "N passed, N failed". With -j as many run at a time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NOTES = 64, MOST_TOKENS = 32, MOST_FILES = 1024, MOST_JOBS = 64 };

/* What is expected in a line (or, of the program, with line 0). */
typedef struct note {
    int line;
    char *text; /* kinds, words, a piece of output */
} note;

typedef struct notes {
    note items[MOST_NOTES];
    int n;
} notes;

typedef struct program {
    const char *path;
    char *text;
    notes findings, causes, out, error;
    char *args[MOST_TOKENS], *archs[MOST_TOKENS];
    int nargs, narchs;
    int exit;
    bool has_exit, pedantic, annotated;
} program;

/* One execution, and the files it leaves. */
typedef struct job {
    pid_t pid; /* 0: none */
    const program *p;
    const char *arch;
    char out[256], error[256], report[256];
    bool failed;
} job;

static const char *tilecopy;
static bool verbose, skipped;
static int passed, failed, jobs_at_once = 1;

/* --- small things ----------------------------------------------------------*/

static void *need(void *p) {
    if (p == NULL) {
        perror("programs");
        exit(2);
    }
    return p;
}

/* The whole of a file, ended by 0; "" for one that cannot be read. */
static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t n = 0, cap = 1 << 16;
    char *text = need(malloc(cap));
    while (f != NULL) {
        n += fread(text + n, 1, cap - n - 1, f);
        if (n + 1 < cap) {
            break;
        }
        text = need(realloc(text, cap *= 2));
    }
    if (f != NULL) {
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

/* The same with each run of blanks as one, so that line breaks don't count. */
static char *flat(const char *s) {
    char *out = need(malloc(strlen(s) + 1)), *to = out;
    for (; *s != '\0'; s++) {
        bool blank = strchr(" \t\r\n", *s) != NULL;
        if (!blank) {
            *to++ = *s;
        } else if (to > out && to[-1] != ' ') {
            *to++ = ' ';
        }
    }
    while (to > out && to[-1] == ' ') {
        to--;
    }
    *to = '\0';
    return out;
}

static void add(notes *l, int line, const char *text, size_t n) {
    if (l->n < MOST_NOTES) {
        l->items[l->n++] = (note){line, need(strndup(text, n))};
    }
}

static void complain(job *j, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(job *j, int line, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (line > 0) {
        printf("%s:%d (%s): ", j->p->path, line, j->arch);
    } else {
        printf("%s (%s): ", j->p->path, j->arch);
    }
    vprintf(fmt, ap);
    putchar('\n');
    va_end(ap);
    j->failed = true;
}

/* --- reading a program's comments ------------------------------------------*/

static bool is(const char *at, const char *word) {
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 &&
           (at[n] == '\0' || strchr(" \t\r\n", at[n]) != NULL);
}

static void add_tokens(const char *s, size_t n, char **tokens, int *count) {
    char *copy = need(strndup(s, n)), *save = NULL;
    for (char *w = strtok_r(copy, " \t\r", &save);
         w != NULL && *count < MOST_TOKENS - 1;
         w = strtok_r(NULL, " \t\r", &save)) {
        tokens[(*count)++] = need(strdup(w));
    }
    free(copy);
}

/* One directive at s, of n bytes to the end of the line. */
static void read_note(program *p, int line, const char *s, size_t n) {
    size_t word = strcspn(s, " \t\r\n"), from = word;
    from += strspn(s + from, " \t");
    from = from < n ? from : n;
    while (n > from && strchr(" \t\r", s[n - 1]) != NULL) {
        n--;
    }
    const char *rest = s + from;
    size_t len = n - from;
    p->annotated = true;
    if (is(s, "@arch")) {
        add_tokens(rest, len, p->archs, &p->narchs);
    } else if (is(s, "@args")) {
        add_tokens(rest, len, p->args, &p->nargs);
    } else if (is(s, "@exit")) {
        p->exit = atoi(rest);
        p->has_exit = true;
    } else if (is(s, "@stdout")) {
        add(&p->out, line, rest, len);
    } else if (is(s, "@error")) {
        add(&p->error, line, rest, len);
    } else if (is(s, "@pedantic")) {
        p->pedantic = true;
    } else if (is(s, "@finding")) {
        add(&p->findings, line, rest, strcspn(rest, " \t\r\n"));
    } else if (is(s, "@cause")) {
        add(&p->causes, line, "", 0);
    } else {
        printf("%s:%d: what is %.*s?\n", p->path, line, (int)word, s);
        failed++;
    }
}

static void read_line(program *p, int line, const char *s, size_t n) {
    const char *at = s;
    while ((at = strstr(at, "// @")) != NULL && at < s + n) {
        at += 3;
        bool text = is(at, "@stdout") || is(at, "@error") || is(at, "@args");
        const char *next = text ? NULL : strstr(at, "// @");
        size_t len = (size_t)(s + n - at);
        if (next != NULL && next < s + n) {
            len = (size_t)(next - at);
        }
        read_note(p, line, at, len);
        at += len;
    }
}

static program *read_program(const char *path) {
    program *p = need(calloc(1, sizeof *p));
    p->path = path;
    p->text = read_all(path);
    int line = 1;
    for (const char *s = p->text; *s != '\0'; line++) {
        size_t n = strcspn(s, "\n");
        read_line(p, line, s, n);
        s += n + (s[n] == '\n');
    }
    if (p->narchs == 0) {
        p->archs[p->narchs++] = need(strdup("sm_90a"));
    }
    return p;
}

static void free_notes(notes *l) {
    for (int i = 0; i < l->n; i++) {
        free(l->items[i].text);
    }
}

static void free_program(program *p) {
    free_notes(&p->findings);
    free_notes(&p->causes);
    free_notes(&p->out);
    free_notes(&p->error);
    for (int i = 0; i < MOST_TOKENS; i++) {
        free(p->args[i]);
        free(p->archs[i]);
    }
    free(p->text);
    free(p);
}

/* --- comparing -------------------------------------------------------------*/

/* Is kind one of "a|b"? */
static bool names(const char *kinds, const char *kind) {
    size_t n = strlen(kind);
    for (const char *k = kinds; *k != '\0';) {
        size_t len = strcspn(k, "|");
        if (len == n && strncmp(k, kind, n) == 0) {
            return true;
        }
        k += len + (k[len] == '|');
    }
    return false;
}

static int int_of(const json_t *o, const char *key) {
    return (int)json_integer_value(json_object_get(o, key));
}

static const char *string_of(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

static bool is_expected(const program *p, const json_t *f) {
    const char *file = string_of(f, "file"), *slash = strrchr(p->path, '/');
    const char *base = slash ? slash + 1 : p->path;
    size_t n = strlen(file), m = strlen(base);
    for (int i = 0; i < p->findings.n; i++) {
        const note *e = &p->findings.items[i];
        if (e->line == int_of(f, "line") &&
            names(e->text, string_of(f, "kind")) && n >= m &&
            strcmp(file + n - m, base) == 0) {
            return true;
        }
    }
    return false;
}

static void check_findings(job *j, const json_t *list) {
    const program *p = j->p;
    size_t i;
    json_t *f;
    json_array_foreach(list, i, f) {
        if (!is_expected(p, f)) {
            complain(j, int_of(f, "line"), "unexpected %s: %.200s",
                     string_of(f, "kind"), string_of(f, "message"));
        }
    }
    for (int k = 0; k < p->findings.n; k++) {
        const note *e = &p->findings.items[k];
        bool found = false;
        json_array_foreach(list, i, f) {
            found |= e->line == int_of(f, "line") &&
                     names(e->text, string_of(f, "kind"));
        }
        if (!found) {
            complain(j, e->line, "no finding %s", e->text);
        }
    }
    for (int k = 0; k < p->causes.n; k++) {
        int line = p->causes.items[k].line;
        bool found = false;
        json_array_foreach(list, i, f) {
            found |= line == int_of(json_object_get(f, "cause"), "line");
        }
        if (!found) {
            complain(j, line, "no finding has its cause here");
        }
    }
}

static bool has_line(const char *text, const char *line) {
    size_t n = strlen(line);
    for (const char *s = text; *s != '\0';) {
        size_t len = strcspn(s, "\n"), end = len;
        while (end > 0 && strchr(" \t\r", s[end - 1]) != NULL) {
            end--;
        }
        if (end == n && strncmp(s, line, n) == 0) {
            return true;
        }
        s += len + (s[len] == '\n');
    }
    return false;
}

static void check_said(job *j, const char *out, const char *error,
                       const char *report) {
    const program *p = j->p;
    for (int i = 0; i < p->out.n; i++) {
        const note *e = &p->out.items[i];
        if (!has_line(out, e->text)) {
            complain(j, e->line, "standard output has no line '%s'", e->text);
        }
    }
    char *all = flat(error), *json = flat(report);
    for (int i = 0; i < p->error.n; i++) {
        const note *e = &p->error.items[i];
        char *text = flat(e->text);
        if (strstr(all, text) == NULL && strstr(json, text) == NULL) {
            complain(j, e->line, "nothing says '%s'", e->text);
        }
        free(text);
    }
    free(all);
    free(json);
}

static void check_exit(job *j, const json_t *report, int status) {
    const program *p = j->p;
    const char *how = string_of(report, "status");
    bool stopped = strcmp(how, "deadlock") == 0;
    int own = int_of(report, "exit");
    size_t nfindings = json_array_size(json_object_get(report, "findings"));
    if ((p->has_exit || !stopped) && own != p->exit) {
        complain(j, 0, "it exited with %d, not %d", own, p->exit);
    }
    int want = own != 0 ? own : nfindings > 0 ? 1 : 0;
    if (status != want) {
        complain(j, 0, "exec's status is %d, not %d", status, want);
    }
}

static void check(job *j, int wait_status) {
    char *out = read_all(j->out), *error = read_all(j->error);
    char *text = read_all(j->report);
    int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    json_error_t why;
    json_t *report = json_loads(text, 0, &why);
    if (strstr(error, "there is no CUDA compiler") != NULL) {
        skipped = true;
    } else if (WIFSIGNALED(wait_status)) {
        complain(j, 0, "exec was ended by signal %d", WTERMSIG(wait_status));
    } else if (report == NULL) {
        char *said = flat(error);
        complain(j, 0, "status %d and no report: %.300s", status, said);
        free(said);
    } else if (status == 3) {
        char *said = flat(error);
        complain(j, 0, "it does not compile: %.300s", said);
        free(said);
    } else {
        check_exit(j, report, status);
        check_said(j, out, error, text);
        check_findings(j, json_object_get(report, "findings"));
    }
    if (j->failed && verbose) {
        printf("--- standard output\n%s--- standard error\n%s---\n", out,
               error);
    }
    fflush(stdout);
    json_decref(report);
    free(out);
    free(error);
    free(text);
}

/* --- executing -------------------------------------------------------------*/

static void new_file(char *path, size_t size) {
    const char *tmp = getenv("TMPDIR");
    tmp = tmp != NULL && *tmp != '\0' ? tmp : "/tmp";
    snprintf(path, size, "%s/tilecopy-program-XXXXXX", tmp);
    int fd = mkstemp(path);
    if (fd < 0) {
        perror("programs: mkstemp");
        exit(2);
    }
    close(fd);
}

static void redirect(const char *path, int fd, int flags) {
    int from = open(path, flags);
    if (from < 0 || dup2(from, fd) < 0) {
        perror(path);
        _exit(126);
    }
    close(from);
}

static void start(job *j, const program *p, const char *arch) {
    *j = (job){.p = p, .arch = arch};
    new_file(j->out, sizeof j->out);
    new_file(j->error, sizeof j->error);
    new_file(j->report, sizeof j->report);
    const char *argv[MOST_TOKENS + 16] = {tilecopy,    "exec",   "--report",
                                          j->report,   "--arch", arch,
                                          "--timeout", "120"};
    int n = 8;
    if (p->pedantic) {
        argv[n++] = "--pedantic";
    }
    argv[n++] = p->path;
    argv[n++] = "--";
    for (int i = 0; i < p->nargs; i++) {
        argv[n++] = p->args[i];
    }
    fflush(stdout);
    j->pid = fork();
    if (j->pid == 0) {
        redirect("/dev/null", 0, O_RDONLY);
        redirect(j->out, 1, O_WRONLY);
        redirect(j->error, 2, O_WRONLY);
        execv(tilecopy, (char *const *)argv);
        _exit(127);
    }
    if (j->pid < 0) {
        perror("programs: fork");
        exit(2);
    }
}

static void end(job *j, int status) {
    check(j, status);
    if (!skipped) {
        ++*(j->failed ? &failed : &passed);
    }
    unlink(j->out);
    unlink(j->error);
    unlink(j->report);
    j->pid = 0;
}

/* Waits until one of the jobs ends; false: there is none. */
static bool wait_one(job *jobs) {
    int status;
    pid_t pid = wait(&status);
    for (int i = 0; i < jobs_at_once; i++) {
        if (pid > 0 && jobs[i].pid == pid) {
            end(&jobs[i], status);
        }
    }
    return pid > 0;
}

static void run(job *jobs, const program *p, const char *arch) {
    job *slot = NULL;
    while (slot == NULL) {
        for (int i = 0; i < jobs_at_once; i++) {
            slot = jobs[i].pid == 0 ? &jobs[i] : slot;
        }
        if (slot == NULL) {
            wait_one(jobs);
        }
    }
    start(slot, p, arch);
}

/* --- which -----------------------------------------------------------------*/

typedef struct files {
    char *paths[MOST_FILES];
    int n;
} files;

static void gather(files *l, const char *path) {
    struct stat st;
    size_t n = strlen(path);
    if (stat(path, &st) != 0) {
        return; /* a folder that does not exist yet has no programs */
    }
    if (!S_ISDIR(st.st_mode)) {
        if (n > 3 && strcmp(path + n - 3, ".cu") == 0 && l->n < MOST_FILES) {
            l->paths[l->n++] = need(strdup(path));
        }
        return;
    }
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.') {
            char *below = need(malloc(n + strlen(e->d_name) + 2));
            sprintf(below, "%s/%s", path, e->d_name);
            gather(l, below);
            free(below);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_part_of_exercise(const program *p) {
    return !p->annotated && strstr(p->path, "exercises/") != NULL;
}

int main(int argc, char **argv) {
    static job jobs[MOST_JOBS];
    bool bad = false;
    static files all;
    static program *programs[MOST_FILES];
    for (int c; (c = getopt(argc, argv, "vj:")) != -1;) {
        verbose |= c == 'v';
        jobs_at_once = c == 'j' ? atoi(optarg) : jobs_at_once;
        bad |= c == '?' || jobs_at_once < 1 || jobs_at_once > MOST_JOBS;
    }
    int at = optind;
    if (bad || at + 1 >= argc) {
        fputs("usage: programs [-v] [-j JOBS] TILECOPY_REPL "
              "FILE_OR_FOLDER...\n",
              stderr);
        return 2;
    }
    tilecopy = argv[at++];
    for (; at < argc; at++) {
        gather(&all, argv[at]);
    }
    qsort(all.paths, (size_t)all.n, sizeof *all.paths, by_name);
    for (int i = 0; i < all.n && !skipped; i++) {
        program *p = programs[i] = read_program(all.paths[i]);
        for (int k = 0; k < p->narchs && !is_part_of_exercise(p); k++) {
            run(jobs, p, p->archs[k]);
        }
    }
    while (wait_one(jobs)) {
    }
    for (int i = 0; i < all.n; i++) {
        if (programs[i] != NULL) {
            free_program(programs[i]);
        }
        free(all.paths[i]);
    }
    if (skipped) {
        puts("SKIPPED: no nvcc found");
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
