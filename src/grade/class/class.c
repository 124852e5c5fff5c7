/* class.c - grades every submission of a folder: each by a process of this
 * program's own, so that no bad one stops the others; what is done stays done
 * (FOLDER/.grades/EXERCISE), and another run goes on from there. */
#include "grade/class/class.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- what there is ---- */

/* What is larger is refused, and is not read here. */
static void read_source(tc_class_run *c, tc_submission *s) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    struct stat is;
    if (lstat(s->path, &is) == 0 && S_ISREG(is.st_mode) &&
        tc_file_read(&text, s->path, TC_GRADE_LARGEST, NULL, why)) {
        uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
        for (size_t i = 0; i < text.len; i++) {
            h = (h ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
        }
        s->hash = tc_format(c->a, "%016" PRIx64, h);
        s->prints =
            tc_similar_prints(c->a, tc_buf_text(&text), text.len, c->e->tirx);
    }
    tc_buf_free(&text);
}

static bool is_source(const tc_class_run *c, const char *name) {
    size_t n = strlen(name);
    const char *end = c->e->tirx ? ".py" : ".cu";
    return n > 3 && name[0] != '.' && strcmp(name + n - 3, end) == 0;
}

static void add(tc_class_run *c, const char *student, const char *path) {
    tc_submission s = {.student = student, .path = path};
    s.verdict = tc_format(c->a, "%s/%s.json", c->state, student);
    s.key = tc_format(c->a, "%s/%s.key", c->state, student);
    s.mine = c->o->shards == 0 || c->n % c->o->shards == c->o->shard - 1;
    read_source(c, &s);
    TC_PUSH(c->a, c->all, c->n, c->cap, s);
}

/* The file in a student's folder: as the exercise names it, else the only one
 * of its kind; else the first name again, which is not there. */
static const char *file_in(tc_class_run *c, const char *folder) {
    const char *own =
        tc_format(c->a, "%s/%s", folder, c->e->start ? c->e->start : "");
    const char *only = NULL;
    int sources = 0;
    struct stat s;
    DIR *d = lstat(own, &s) == 0 ? NULL : opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (is_source(c, e->d_name)) {
            only = tc_format(c->a, "%s/%s", folder, e->d_name);
            sources++;
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return sources == 1 ? only : own;
}

/* FOLDER/STUDENT.cu, and FOLDER/STUDENT/NAME.cu. Links and files that cannot
 * be read are submissions too: those that fail. */
static void add_entry(tc_class_run *c, const char *name) {
    const char *path = tc_format(c->a, "%s/%s", c->o->each.path, name);
    struct stat s;
    if (name[0] == '.' || lstat(path, &s) != 0) {
        return;
    }
    bool folder = S_ISDIR(s.st_mode), source = is_source(c, name);
    const char *student =
        source ? tc_strndup(c->a, name, strlen(name) - 3) : name;
    for (int i = 0; i < c->n && (folder || source); i++) {
        if (strcmp(c->all[i].student, student) == 0) {
            student =
                tc_format(c->a, "%s (%s)", student, folder ? "folder" : "file");
        }
    }
    if (folder || source) {
        add(c, tc_strdup(c->a, student), folder ? file_in(c, path) : path);
    }
}

static bool find_all(tc_class_run *c) {
    const char *folder = c->o->each.path;
    struct dirent **list;
    int n = scandir(folder, &list, NULL, alphasort);
    if (n < 0) {
        tc_error(&c->d, TC_NOWHERE, NULL, "cannot read the folder '%s': %s",
                 folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        add_entry(c, list[i]->d_name);
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

static const char *read_line(tc_class_run *c, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    tc_file_read(&text, path, 4096, NULL, why);
    return tc_buf_finish(&text, c->a);
}

/* Draws it, unless one is there: of two that do so at once, one is kept. */
static bool draw_seed(tc_class_run *c, const char *path) {
    const char *own = tc_format(c->a, "%s.%ld", path, (long)getpid());
    uint64_t seed = c->o->each.seed;
    char why[TC_FILE_WHY], text[32];
    if (!c->o->each.has_seed &&
        getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)time(NULL);
    }
    snprintf(text, sizeof text, "%" PRIu64, seed);
    c->seed = tc_strdup(c->a, text);
    if (c->o->each.has_seed) {
        own = path;
    }
    if (!tc_file_write(own, text, strlen(text), NULL, why)) {
        tc_error(&c->d, TC_NOWHERE, NULL, "cannot write '%s': %s", own, why);
        return false;
    }
    if (own != path) {
        c->seed = link(own, path) == 0 ? c->seed : read_line(c, path);
        unlink(own);
    }
    return true;
}

/* One seed for all of a class, and for all its runs. */
static bool keep_seed(tc_class_run *c) {
    const char *path = tc_format(c->a, "%s/seed", c->state);
    const char *had = read_line(c, path);
    c->seed = had;
    return (!c->o->each.has_seed && *had != '\0') || draw_seed(c, path);
}

static bool open_state(tc_class_run *c) {
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

static void take(tc_class_run *c, tc_submission *s) {
    s->result = json_load_file(s->verdict, 0, NULL);
    (void)c;
}

/* The same submission with the same data has been graded. */
static bool is_done(tc_class_run *c, tc_submission *s) {
    const char *key = s->hash ? tc_format(c->a, "%s %s", s->hash, c->seed) : "";
    if (s->hash == NULL || strcmp(read_line(c, s->key), key) != 0) {
        return false;
    }
    take(c, s);
    s->done = s->kept = s->result != NULL;
    return s->done;
}

/* ---- one ---- */

static void start(tc_class_run *c, tc_submission *s) {
    const tc_grade_options *o = &c->o->each;
    static const char *const boxes[] = {"auto", "require", "off"};
    static const char *const backends[] = {"sim", "gpu", "both"};
    const char *argv[28] = {c->o->program, "grade",    "--format", "json",
                            "--output",    s->verdict, "--seed",   c->seed};
    int n = 8;
    argv[n++] = "--sandbox";
    argv[n++] = boxes[o->sandbox];
    argv[n++] = "--backend";
    argv[n++] = backends[o->session.backend];
    if (o->session.runner != NULL) {
        argv[n++] = "--runner";
        argv[n++] = o->session.runner;
    }
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
        prctl(PR_SET_PDEATHSIG, SIGTERM);
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

static void finish(tc_class_run *c, tc_submission *s, int status) {
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

bool tc_class_stopped(const tc_class_run *c) {
    return c->o->each.outer && tc_session_interrupted(c->o->each.outer);
}

/* Waits for one; a moment where none ends. */
static int collect(tc_class_run *c, int under_way) {
    int status;
    for (int i = 0; i < c->n; i++) {
        tc_submission *s = &c->all[i];
        if (s->pid > 0 && waitpid(s->pid, &status, WNOHANG) == s->pid) {
            finish(c, s, status);
            under_way--;
        } else if (s->pid > 0 && tc_class_stopped(c)) {
            kill(s->pid, SIGTERM);
        }
    }
    nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
    return under_way;
}

static void run_all(tc_class_run *c) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = c->o->jobs ? c->o->jobs : processors > 0 ? (int)processors : 1;
    int next = 0, under_way = 0;
    while (under_way > 0 || (next < c->n && !tc_class_stopped(c))) {
        while (next < c->n && under_way < jobs && !tc_class_stopped(c)) {
            tc_submission *s = &c->all[next++];
            if (s->mine && !is_done(c, s)) {
                start(c, s);
                under_way += s->pid > 0;
            }
        }
        under_way = under_way > 0 ? collect(c, under_way) : 0;
    }
}

/* ---- those that are alike ---- */

static tc_prints read_given(tc_class_run *c, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    tc_file_read(&text, path, TC_GRADE_LARGEST, NULL, why);
    tc_prints p =
        tc_similar_prints(c->a, tc_buf_text(&text), text.len, c->e->tirx);
    tc_buf_free(&text);
    return p;
}

/* All were given what begins the exercise, and its text with its examples. */
static void find_similar(tc_class_run *c) {
    const char *start = c->e->start ? c->e->start : "";
    tc_prints given[] = {
        read_given(c, tc_format(c->a, "%s/%s", c->e->folder, start)),
        read_given(c, tc_format(c->a, "%s/README.md", c->e->folder))};
    tc_prints *all = TC_NEWN(c->a, tc_prints, c->n);
    for (int i = 0; i < c->n; i++) {
        all[i] = c->all[i].prints;
    }
    c->similar = tc_similar_find(c->a, all, c->n, given, 2, &c->nsimilar);
}

tc_status tc_grade_class(const tc_class_options *o, tc_diag_fn diag,
                         tc_output_fn output, void *user) {
    static const char *const known[] = {"text", "csv", "json"};
    tc_class_run c = {.o = o, .a = tc_arena_new(), .d = {diag, user, 0}};
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
            find_similar(&c);
            status = tc_class_put(&c, output, user);
        }
    }
    tc_arena_free(c.a);
    return status;
}
