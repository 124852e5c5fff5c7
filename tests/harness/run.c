/* run.c - runs tests in parallel, each in a folder of its own.
 *
 *     run [-j JOBS] [-t SECONDS] [-o SECONDS_FILE] [-s SECONDS_FILE]... FOLDER
 *
 * Standard input has a test a line: its name, a tab, a command of the shell.
 * FOLDER/NAME becomes the test's folder; HOME and TMPDIR are in it, it has
 * nothing to read, no signal is ignored (a background job's SIGINT is, nohup's
 * SIGHUP), and its process group is ended with it, or after -t (600).
 *
 * The longest begin first: -s names files of "SECONDS NAME" lines (a later one
 * counts; a test that none names is taken for short), -o the one that is
 * written with what each took. Tests of the same length begin in their order.
 *
 * A line says how a test ended, after all of its output where it failed. Counts
 * are cmocka's, or those of a line "N passed, N failed[, N skipped]", or the
 * test is one. "SKIPPED: WHY" lines are shown; with no count they are one. The
 * last line has the sums; the status is 1 where something failed. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

typedef struct test {
    char *name, *command, *folder;
    double seconds; /* user and system time: recorded, then measured */
    pid_t pid;      /* 0: does not run */
    double begin;
    bool late; /* its time was up */
    int status;
    int passed, failed, skipped;
} test;

typedef struct tests {
    test *items;
    size_t n, cap;
} tests;

static const char *root, *record;
static int jobs, limit = 600;

/* --- small things --- */

static void die(const char *what) {
    fprintf(stderr, "run: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void *need(void *p) {
    if (p == NULL) {
        die("memory");
    }
    return p;
}

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...) {
    char *s = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    return need(n < 0 ? NULL : s);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void remove_tree(const char *path) {
    pid_t pid = fork();
    if (pid == 0) {
        execlp("rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

/* The whole of a file, ended by 0; "" for one that cannot be read. */
static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t n = 0, cap = 1 << 16;
    char *text = need(malloc(cap));
    while (f != NULL && (n += fread(text + n, 1, cap - n - 1, f)) + 1 == cap) {
        text = need(realloc(text, cap *= 2));
    }
    if (f != NULL) {
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

/* --- which tests, in what order --- */

static test *find(tests *all, const char *name) {
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->items[i].name, name) == 0) {
            return &all->items[i];
        }
    }
    return NULL;
}

static void add(tests *all, char *line) {
    char *tab = strchr(line, '\t');
    if (tab == NULL) {
        fprintf(stderr, "run: a line has no command: %s\n", line);
        exit(2);
    }
    *tab = '\0';
    if (find(all, line) != NULL) {
        fprintf(stderr, "run: two tests are called %s\n", line);
        exit(2);
    }
    if (all->n == all->cap) {
        all->cap = all->cap ? all->cap * 2 : 64;
        all->items = need(realloc(all->items, all->cap * sizeof *all->items));
    }
    char *folder = format("%s/%s", root, line);
    for (char *c = folder + strlen(root) + 1; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) || *c == '.' ? *c : '-';
    }
    all->items[all->n++] = (test){.name = need(strdup(line)),
                                  .command = need(strdup(tab + 1)),
                                  .folder = folder};
}

static void read_plan(tests *all) {
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        add(all, line);
    }
    free(line);
}

static void read_seconds(tests *all, const char *path) {
    FILE *f = fopen(path, "r");
    char name[512];
    double s;
    while (f != NULL && fscanf(f, "%lf %511[^\n]", &s, name) == 2) {
        test *t = find(all, name);
        if (t != NULL) {
            t->seconds = s;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
}

static void write_seconds(const tests *all) {
    FILE *f = record != NULL ? fopen(record, "w") : NULL;
    for (size_t i = 0; f != NULL && i < all->n; i++) {
        fprintf(f, "%.1f %s\n", all->items[i].seconds, all->items[i].name);
    }
    if (f != NULL) {
        fclose(f);
    }
}

/* The longest first; an insertion sort, which keeps the order of equals. */
static void sort(tests *all) {
    for (size_t i = 1; i < all->n; i++) {
        test t = all->items[i];
        size_t k = i;
        for (; k > 0 && all->items[k - 1].seconds < t.seconds; k--) {
            all->items[k] = all->items[k - 1];
        }
        all->items[k] = t;
    }
}

/* --- one test --- */

static void redirect(const char *path, int flags, int fd) {
    int from = open(path, flags, 0666);
    if (from < 0 || dup2(from, fd) < 0) {
        perror(path);
        _exit(126);
    }
    close(from);
}

static void become(const test *t, const char *log) {
    const char *const none[] = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                                "XDG_DATA_HOME",  "XDG_STATE_HOME",
                                "FORCE_COLOR",    "NO_COLOR"};
    sigset_t empty;
    sigemptyset(&empty);
    for (int sig = 1; sig < SIGRTMIN; sig++) {
        signal(sig, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &empty, NULL);
    setsid();
    redirect("/dev/null", O_RDONLY, 0);
    redirect(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 1);
    dup2(1, 2);
    setenv("HOME", format("%s/home", t->folder), 1);
    setenv("TMPDIR", format("%s/tmp", t->folder), 1);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        unsetenv(none[i]);
    }
    execl("/bin/sh", "sh", "-c", t->command, (char *)NULL);
    _exit(127);
}

static void start(test *t) {
    const char *const below[] = {"", "/home", "/tmp"};
    remove_tree(t->folder);
    for (int i = 0; i < 3; i++) {
        char *path = format("%s%s", t->folder, below[i]);
        if (mkdir(path, 0777) != 0) {
            die(path);
        }
        free(path);
    }
    char *log = format("%s/log", t->folder);
    t->begin = now();
    fflush(stdout);
    t->pid = fork();
    if (t->pid == 0) {
        become(t, log);
    } else if (t->pid < 0) {
        die("fork");
    }
    free(log);
}

/* Its processes; those that made a group of their own see their pipes end. */
static void end_group(const test *t) {
    kill(-t->pid, SIGKILL);
}

/* --- what it said --- */

static void count_line(test *t, const char *s) {
    int a = 0, b = 0, c = 0, to = 0;
    int n = sscanf(s, "%d passed, %d failed, %d skipped", &a, &b, &c);
    if (n >= 2) {
        t->passed += a;
        t->failed += b;
        t->skipped += n == 3 ? c : 0;
    } else if (sscanf(s, "[  PASSED  ] %d test", &a) == 1) {
        t->passed += a;
    } else if (sscanf(s, "[  SKIPPED ] %d test", &a) == 1) {
        t->skipped += a;
    } else if (sscanf(s, " %d FAILED TEST%n", &a, &to) == 1 && to > 0) {
        t->failed += a;
    }
}

static bool tells(const char *s) {
    size_t n = strcspn(s, "\n");
    return strncmp(s, "compared", 8) == 0 ||
           memmem(s, n, "SKIPPED: ", 9) != NULL;
}

/* Was the line said before? */
static bool again(const char *log, const char *line) {
    size_t n = strcspn(line, "\n") + 1;
    for (const char *s = log; s < line; s += strcspn(s, "\n") + 1) {
        if (strncmp(s, line, n) == 0) {
            return true;
        }
    }
    return false;
}

static const char *next(const char *s) {
    s += strcspn(s, "\n");
    return s + (*s == '\n');
}

static void count(test *t, const char *log) {
    bool skips = false;
    for (const char *s = log; *s != '\0'; s = next(s)) {
        count_line(t, s);
        skips |= tells(s) && strncmp(s, "compared", 8) != 0;
    }
    t->skipped += skips && t->skipped == 0;
    if ((t->status != 0 || t->late) && t->failed == 0) {
        t->failed = 1;
    } else if (t->passed + t->failed + t->skipped == 0) {
        t->passed = 1;
    }
}

static void say_how(const test *t) {
    if (t->late) {
        printf(" (ended after %d s)", limit);
    } else if (WIFSIGNALED(t->status)) {
        printf(" (signal %d)", WTERMSIG(t->status));
    } else {
        printf(" (status %d)", WEXITSTATUS(t->status));
    }
}

static void tell(const test *t, const char *log) {
    if (t->failed > 0) {
        fputs(log, stdout);
        printf("%sFAILED  %s", *log && log[strlen(log) - 1] != '\n' ? "\n" : "",
               t->name);
        say_how(t);
        printf(" %.1f s\n", t->seconds);
    } else {
        printf("ok      %s (%d) %.1f s\n", t->name, t->passed, t->seconds);
    }
    for (const char *s = log; *s != '\0' && t->failed == 0; s = next(s)) {
        if (tells(s) && !again(log, s)) {
            const char *text = s + strspn(s, " ");
            printf("        %.*s\n", (int)strcspn(text, "\n"), text);
        }
    }
    fflush(stdout);
}

static void ended(test *t, int status, const struct rusage *u) {
    end_group(t);
    t->pid = 0;
    t->status = status;
    t->seconds = (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
                 (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
    char *path = format("%s/log", t->folder), *log = read_all(path);
    count(t, log);
    tell(t, log);
    remove_tree(t->folder);
    free(log);
    free(path);
}

/* --- all of them --- */

/* Ends those whose time is up; returns how many run. */
static int look(tests *all) {
    int running = 0;
    for (size_t i = 0; i < all->n; i++) {
        test *t = &all->items[i];
        running += t->pid != 0;
        if (t->pid != 0 && now() - t->begin > limit) {
            t->late = true;
            end_group(t);
        }
    }
    return running;
}

static void reap(tests *all) {
    int status;
    struct rusage u;
    for (size_t i = 0; i < all->n; i++) {
        test *t = &all->items[i];
        if (t->pid != 0 && wait4(t->pid, &status, WNOHANG, &u) == t->pid) {
            ended(t, status, &u);
        }
    }
}

static void stop(tests *all, int signal) {
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i].pid != 0) {
            end_group(&all->items[i]);
        }
    }
    remove_tree(root);
    exit(128 + signal);
}

static void run_all(tests *all) {
    sigset_t set;
    struct timespec second = {.tv_sec = 1};
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (size_t i = 0; i < all->n || look(all) > 0;) {
        while (i < all->n && look(all) < jobs) {
            start(&all->items[i++]);
        }
        int s = sigtimedwait(&set, NULL, &second);
        if (s > 0 && s != SIGCHLD) {
            stop(all, s);
        }
        reap(all);
    }
}

static int sum_up(const tests *all) {
    int passed = 0, failed = 0, skipped = 0;
    for (size_t i = 0; i < all->n; i++) {
        const test *t = &all->items[i];
        passed += t->passed;
        failed += t->failed;
        skipped += t->skipped;
        if (t->failed > 0) {
            printf("failed: %s\n", t->name);
        }
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}

static int usage(void) {
    fputs("usage: run [-j JOBS] [-t SECONDS] [-o SECONDS_FILE] "
          "[-s SECONDS_FILE]... FOLDER\n",
          stderr);
    return 2;
}

int main(int argc, char **argv) {
    static tests all; /* to the end of the process */
    const char *recorded[8] = {0};
    int n = 0;
    jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int c; (c = getopt(argc, argv, "j:t:o:s:")) != -1;) {
        if (c == '?' || (c == 's' && n == 8)) {
            return usage();
        }
        jobs = c == 'j' ? atoi(optarg) : jobs;
        limit = c == 't' ? atoi(optarg) : limit;
        record = c == 'o' ? optarg : record;
        if (c == 's') {
            recorded[n++] = optarg;
        }
    }
    if (optind + 1 != argc || jobs < 1 || limit < 1) {
        return usage();
    }
    jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
    if (mkdir(argv[optind], 0777) != 0 && errno != EEXIST) {
        die(argv[optind]);
    }
    root = need(realpath(argv[optind], NULL));
    read_plan(&all);
    for (int i = 0; i < n; i++) {
        read_seconds(&all, recorded[i]);
    }
    sort(&all);
    run_all(&all);
    write_seconds(&all);
    return sum_up(&all);
}
