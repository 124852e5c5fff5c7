/* class.c - grades every submission of a folder: each by a process of this
 * program's own, so that no bad one stops the others; what is done stays done
 * (FOLDER/.grades/EXERCISE), and another run goes on from there. */
#include "base/file.h"
#include "grade/grading.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct submission {
    const char *student, *path;
    const char *verdict, *key; /* files of what is done */
    const char *hash;          /* of what was submitted */
    pid_t pid;                 /* 0: not under way */
    bool done, kept;           /* kept: by an earlier run */
    json_t *result;            /* owned; NULL: none */
} submission;

typedef struct class_run {
    const tc_class_options *o;
    const tc_exercise *e;
    tc_arena *a;
    tc_diags d;
    const char *state; /* the folder of what is done */
    const char *seed;
    submission *all;
    int n, cap;
} class_run;

/* ---- what there is ---- */

static const char *hash_of(class_run *c, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    if (!tc_file_read(&text, path, 16 << 20, NULL, why)) {
        tc_buf_free(&text);
        return NULL;
    }
    for (size_t i = 0; i < text.len; i++) {
        h = (h ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    }
    tc_buf_free(&text);
    return tc_format(c->a, "%016" PRIx64, h);
}

static bool is_source(const class_run *c, const char *name) {
    size_t n = strlen(name);
    const char *end = c->e->tirx ? ".py" : ".cu";
    return n > 3 && name[0] != '.' && strcmp(name + n - 3, end) == 0;
}

static void add(class_run *c, const char *student, const char *path) {
    submission s = {.student = student, .path = path};
    s.verdict = tc_format(c->a, "%s/%s.json", c->state, student);
    s.key = tc_format(c->a, "%s/%s.key", c->state, student);
    s.hash = hash_of(c, path);
    TC_PUSH(c->a, c->all, c->n, c->cap, s);
}

/* FOLDER/STUDENT.cu, and FOLDER/STUDENT/NAME.cu as the exercise names it. */
static bool find_all(class_run *c) {
    const char *folder = c->o->each.path;
    struct dirent **list;
    int n = scandir(folder, &list, NULL, alphasort);
    if (n < 0) {
        tc_error(&c->d, TC_NOWHERE, NULL, "cannot read the folder '%s': %s",
                 folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        const char *path = tc_format(c->a, "%s/%s", folder, name);
        const char *own =
            tc_format(c->a, "%s/%s", path, c->e->start ? c->e->start : "");
        struct stat s;
        if (name[0] != '.' && lstat(path, &s) == 0 && S_ISREG(s.st_mode) &&
            is_source(c, name)) {
            add(c, tc_strndup(c->a, name, strlen(name) - 3), path);
        } else if (name[0] != '.' && lstat(own, &s) == 0 &&
                   S_ISREG(s.st_mode)) {
            add(c, tc_strdup(c->a, name), own);
        }
        free(list[i]);
    }
    free(list);
    if (c->n == 0) {
        tc_error(&c->d, TC_NOWHERE, "STUDENT.cu, or STUDENT/NAME.cu",
                 "there are no submissions in '%s'", folder);
    }
    return c->n > 0;
}

/* ---- what is done ---- */

static const char *read_line(class_run *c, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    tc_file_read(&text, path, 4096, NULL, why);
    return tc_buf_finish(&text, c->a);
}

/* One seed for all of a class, and for all its runs. */
static bool keep_seed(class_run *c) {
    const char *path = tc_format(c->a, "%s/seed", c->state);
    char why[TC_FILE_WHY], text[32];
    uint64_t seed = c->o->each.seed;
    const char *had = read_line(c, path);
    if (!c->o->each.has_seed && *had != '\0') {
        c->seed = had;
        return true;
    }
    if (!c->o->each.has_seed &&
        getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)time(NULL);
    }
    snprintf(text, sizeof text, "%" PRIu64, seed);
    c->seed = tc_strdup(c->a, text);
    if (!tc_file_write(path, text, strlen(text), NULL, why)) {
        tc_error(&c->d, TC_NOWHERE, NULL, "cannot write '%s': %s", path, why);
        return false;
    }
    return true;
}

static bool open_state(class_run *c) {
    const char *top = tc_format(c->a, "%s/.grades", c->o->each.path);
    c->state = tc_format(c->a, "%s/%s", top, c->e->name);
    if ((mkdir(top, 0700) != 0 && errno != EEXIST) ||
        (mkdir(c->state, 0700) != 0 && errno != EEXIST)) {
        tc_error(&c->d, TC_NOWHERE, NULL, "cannot make '%s': %s", c->state,
                 strerror(errno));
        return false;
    }
    return keep_seed(c);
}

static void take(class_run *c, submission *s) {
    s->result = json_load_file(s->verdict, 0, NULL);
    (void)c;
}

/* The same submission with the same data has been graded. */
static bool is_done(class_run *c, submission *s) {
    const char *key = s->hash ? tc_format(c->a, "%s %s", s->hash, c->seed) : "";
    if (s->hash == NULL || strcmp(read_line(c, s->key), key) != 0) {
        return false;
    }
    take(c, s);
    s->done = s->kept = s->result != NULL;
    return s->done;
}

/* ---- one ---- */

static void start(class_run *c, submission *s) {
    const tc_grade_options *o = &c->o->each;
    static const char *const boxes[] = {"auto", "require", "off"};
    static const char *const backends[] = {"sim", "gpu", "both"};
    const char *argv[24] = {c->o->program, "grade",    "--format", "json",
                            "--output",    s->verdict, "--seed",   c->seed};
    int n = 8;
    argv[n++] = "--sandbox";
    argv[n++] = boxes[o->sandbox];
    argv[n++] = "--backend";
    argv[n++] = backends[o->session.backend];
    if (o->session.arch != NULL) {
        argv[n++] = "--arch";
        argv[n++] = o->session.arch;
    }
    if (o->has_timeout) {
        argv[n++] = "--timeout";
        argv[n++] = tc_format(c->a, "%g", o->session.timeout_s);
    }
    argv[n++] = c->e->folder;
    argv[n++] = s->path;
    s->pid = fork();
    if (s->pid == 0) {
        if (freopen("/dev/null", "r", stdin) &&
            freopen("/dev/null", "w", stdout) &&
            freopen("/dev/null", "w", stderr)) {
            execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
        }
        _exit(TC_MACHINE);
    }
    if (s->pid < 0) {
        s->pid = 0;
        s->done = true;
    }
}

static void finish(class_run *c, submission *s, int status) {
    char why[TC_FILE_WHY];
    int exit = WIFEXITED(status) ? WEXITSTATUS(status) : TC_MACHINE;
    bool graded = exit == TC_OK || exit == TC_FAILED || exit == TC_REJECTED;
    s->pid = 0;
    s->done = true;
    take(c, s);
    if (graded && s->result && s->hash) {
        const char *key = tc_format(c->a, "%s %s", s->hash, c->seed);
        tc_file_write(s->key, key, strlen(key), NULL, why);
    }
}

/* ---- all ---- */

static bool stopped(const class_run *c) {
    return c->o->each.outer && tc_session_interrupted(c->o->each.outer);
}

/* Waits for one; a moment where none ends. */
static int collect(class_run *c, int under_way) {
    int status;
    for (int i = 0; i < c->n; i++) {
        submission *s = &c->all[i];
        if (s->pid > 0 && waitpid(s->pid, &status, WNOHANG) == s->pid) {
            finish(c, s, status);
            under_way--;
        } else if (s->pid > 0 && stopped(c)) {
            kill(s->pid, SIGTERM);
        }
    }
    nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
    return under_way;
}

static void run_all(class_run *c) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = c->o->jobs ? c->o->jobs : processors > 0 ? (int)processors : 1;
    int next = 0, under_way = 0;
    while (under_way > 0 || (next < c->n && !stopped(c))) {
        while (next < c->n && under_way < jobs && !stopped(c)) {
            submission *s = &c->all[next++];
            if (!is_done(c, s)) {
                start(c, s);
                under_way += s->pid > 0;
            }
        }
        under_way = under_way > 0 ? collect(c, under_way) : 0;
    }
}

/* ---- the list ---- */

static int score(const submission *s, const char *key) {
    return (int)json_integer_value(json_object_get(s->result, key));
}

/* Neither passed nor failed. */
static const char *error_of(const submission *s) {
    const json_t *refused = json_object_get(s->result, "refused");
    const char *error = json_string_value(json_object_get(s->result, "error"));
    return s->result == NULL       ? "no verdict"
           : json_is_true(refused) ? NULL
                                   : error;
}

static void put_row(const class_run *c, const submission *s, bool csv,
                    tc_buf *b) {
    const char *error = error_of(s);
    bool refused = json_is_true(json_object_get(s->result, "refused"));
    if (csv) {
        tc_format_csv_row(c->e->name, "", s->student,
                          error ? -1 : score(s, "score"), score(s, "max_score"),
                          b);
    } else if (error) {
        tc_buf_printf(b, "  %-24s error: %s\n", s->student, error);
    } else {
        tc_buf_printf(b, "  %-24s %3d of %3d%s%s\n", s->student,
                      score(s, "score"), score(s, "max_score"),
                      refused ? ", it does not compile" : "",
                      s->kept ? " (graded before)" : "");
    }
}

static tc_status put_all(class_run *c, tc_output_fn output, void *user) {
    bool csv = c->o->each.format && strcmp(c->o->each.format, "csv") == 0;
    bool json = c->o->each.format && strcmp(c->o->each.format, "json") == 0;
    int errors = 0;
    tc_buf b = TC_BUF_INIT;
    json_t *list = json_array();
    if (csv) {
        tc_format_csv_head(&b);
    } else if (!json) {
        tc_buf_printf(&b, "%s: %s\n", c->e->name, c->o->each.path);
    }
    for (int i = 0; i < c->n; i++) {
        submission *s = &c->all[i];
        errors += error_of(s) != NULL;
        if (json) {
            json_array_append_new(list, json_pack("{s:o,s:O*}", "student",
                                                  tc_verdict_text(s->student),
                                                  "verdict", s->result));
        } else {
            put_row(c, s, csv, &b);
        }
        json_decref(s->result);
    }
    if (json) {
        char *text = json_dumps(list, JSON_COMPACT);
        tc_buf_printf(&b, "%s\n", text ? text : "[]");
        free(text);
    }
    json_decref(list);
    output(user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return stopped(c) || errors > 0 ? TC_MACHINE : TC_OK;
}

tc_status tc_grade_class(const tc_class_options *o, tc_diag_fn diag,
                         tc_output_fn output, void *user) {
    static const char *const known[] = {"text", "csv", "json"};
    class_run c = {.o = o, .a = tc_arena_new(), .d = {diag, user, 0}};
    const char *f = o->each.format;
    tc_status status = TC_USAGE;
    if (f && strcmp(f, known[0]) != 0 && strcmp(f, known[1]) != 0 &&
        strcmp(f, known[2]) != 0) {
        tc_error(&c.d, TC_NOWHERE, "text, csv or json",
                 "a class has no format '%s'", f);
    } else {
        c.e = tc_grade_exercise(c.a, o->each.exercise, &c.d, &status);
    }
    if (c.e != NULL) {
        status = TC_MACHINE;
        if (open_state(&c) && find_all(&c)) {
            run_all(&c);
            status = put_all(&c, output, user);
        }
    }
    tc_arena_free(c.a);
    return status;
}
