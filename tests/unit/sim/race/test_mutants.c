/* Every kernel of tests/mutants, launched at each moment of completion, and
 * without a clock. A file says in its first lines how to launch it and what
 * must be found:
 *     // launch: KERNEL GRID BLOCK ARG...
 *     // expect: none
 *     // expect: KIND at LINE or LINE | KIND at LINE
 * A finding of another kind or place, or a second kind, is a failure, unless
 * known.txt says why it is not right yet. MUTANT= the beginning of a name runs
 * those alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tilecopy.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const schedules[] = {
    "set completion timing",   "set completion early",    "set completion late",
    "set completion random 1", "set completion random 2", "set timing off"};
enum { NSCHEDULES = 6, LIMIT_S = 20 };

typedef struct mutant {
    char path[1024], name[256];
    char launch[256], expect[256];
} mutant;

static tc_session *running;

static void on_alarm(int sig) {
    (void)sig;
    tc_session_interrupt(running, true);
}

static void on_output(void *user, const char *text, size_t len) {
    tc_buf_write(user, text, len);
}

static bool header(FILE *f, const char *key, char *out, size_t size) {
    char line[1024];
    size_t n = strlen(key);
    if (fgets(line, sizeof line, f) == NULL || strncmp(line, key, n) != 0) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    snprintf(out, size, "%s", line + n);
    return true;
}

static bool read_mutant(const char *folder, const char *file, mutant *m) {
    snprintf(m->path, sizeof m->path, "%s/%s", folder, file);
    snprintf(m->name, sizeof m->name, "%.*s", (int)strcspn(file, "."), file);
    FILE *f = fopen(m->path, "r");
    bool ok = f != NULL &&
              header(f, "// launch: ", m->launch, sizeof m->launch) &&
              header(f, "// expect: ", m->expect, sizeof m->expect);
    if (f != NULL) {
        fclose(f);
    }
    return ok;
}

/* "12 or 15" names the line. */
static bool line_listed(const char *lines, long line) {
    char *end;
    while (strtol(lines, &end, 10) != line) {
        if (strncmp(end, " or ", 4) != 0) {
            return false;
        }
        lines = end + 4;
    }
    return end != lines;
}

/* One of the alternatives of "KIND at LINES | KIND at LINES" is this. */
static bool expected(const char *expect, const char *kind, long line) {
    for (const char *p = expect; p != NULL; p = strchr(p, '|')) {
        p += strspn(p, "| ");
        size_t n = strcspn(p, " ");
        if (strlen(kind) == n && strncmp(p, kind, n) == 0 &&
            strncmp(p + n, " at ", 4) == 0 && line_listed(p + n + 4, line)) {
            return true;
        }
    }
    return false;
}

static json_t *evaluate(tc_session *s, tc_buf *out, const char *command) {
    tc_buf_clear(out);
    tc_session_eval(s, command);
    return json_loads(tc_buf_text(out), 0, NULL);
}

/* The kinds and lines found, for a message. */
static void describe(const json_t *findings, tc_buf *b) {
    size_t i;
    json_t *f;
    json_array_foreach(findings, i, f) {
        tc_buf_printf(b, "%s%s at %d", i ? ", " : "",
                      json_string_value(json_object_get(f, "kind")),
                      (int)json_integer_value(json_object_get(f, "line")));
    }
}

/* The hashes of all buffers are those of the moment before (a twin's bytes
 * depend on no moment), which bytes then holds. */
static bool same_bytes(const json_t *reply, tc_buf *bytes) {
    char *now = json_dumps(json_object_get(reply, "buffers"), JSON_COMPACT);
    bool same = bytes->len == 0 || strcmp(now, tc_buf_text(bytes)) == 0;
    tc_buf_clear(bytes);
    tc_buf_puts(bytes, now);
    free(now);
    return same;
}

/* NULL, or what is wrong with a reply. */
static const char *judge(const mutant *m, const json_t *reply, tc_buf *bytes,
                         tc_buf *substring) {
    const json_t *findings = json_object_get(reply, "findings");
    const char *status = json_string_value(json_object_get(reply, "status"));
    tc_buf_clear(substring);
    if (status == NULL) {
        tc_buf_puts(substring,
                    json_string_value(json_object_get(
                        json_object_get(reply, "error"), "message")));
        return "did not run";
    }
    describe(findings, substring);
    bool none = strcmp(m->expect, "none") == 0;
    if (none) {
        return strcmp(status, "ok") != 0   ? "is correct, and gave"
               : !same_bytes(reply, bytes) ? "gave other bytes"
                                           : NULL;
    }
    size_t i;
    json_t *f;
    json_array_foreach(findings, i, f) {
        if (!expected(m->expect, json_string_value(json_object_get(f, "kind")),
                      (long)json_integer_value(json_object_get(f, "line")))) {
            return "gave another finding";
        }
    }
    return i > 0 ? NULL : "gave no finding";
}

/* Loads and launches in one schedule: 1 as expected, 0 not, -1 an
 * instruction is not built. */
static int try(const mutant *m, const char *schedule, tc_buf *bytes) {
    tc_options o = tc_options_default();
    tc_buf out = TC_BUF_INIT, substring = TC_BUF_INIT;
    char command[512];
    int ok = -1;
    o.json = true;
    running = tc_session_new(&o, NULL, on_output, &out);
    assert_non_null(running);
    if (tc_session_load(running, m->path) == TC_OK) {
        json_decref(evaluate(running, &out, schedule));
        snprintf(command, sizeof command, "launch %s", m->launch);
        alarm(LIMIT_S);
        json_t *reply = evaluate(running, &out, command);
        alarm(0);
        const char *wrong = judge(m, reply, bytes, &substring);
        ok = wrong == NULL;
        if (!ok) {
            printf("%s, %s: %s: %s (expected %s)\n", m->name, schedule, wrong,
                   tc_buf_text(&substring), m->expect);
        }
        json_decref(reply);
    } else if (strstr(tc_buf_text(&out), "not built yet") == NULL) {
        printf("%s: %s", m->name, tc_buf_text(&out));
        ok = 0;
    } else {
        json_t *reply = json_loads(tc_buf_text(&out), 0, NULL);
        printf("SKIPPED: %s: %s\n", m->name,
               json_string_value(json_object_get(
                   json_object_get(reply, "error"), "message")));
        json_decref(reply);
    }
    tc_session_free(running);
    tc_buf_free(&out);
    tc_buf_free(&substring);
    return ok;
}

typedef struct tally {
    int mutants, twins, skipped, known, failed;
} tally;

/* A line "NAME: WHY" of known.txt, beside the mutant. */
static bool is_known(const mutant *m) {
    char path[1100], line[512];
    snprintf(path, sizeof path, "%.*sknown.txt",
             (int)(strrchr(m->path, '/') + 1 - m->path), m->path);
    FILE *f = fopen(path, "r");
    size_t n = strlen(m->name);
    bool known = false;
    while (f != NULL && !known && fgets(line, sizeof line, f) != NULL) {
        known = strncmp(line, m->name, n) == 0 && line[n] == ':';
        if (known) {
            printf("SKIPPED: known: %s", line);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return known;
}

static void one(const mutant *m, tally *t) {
    int ok = 1;
    tc_buf bytes = TC_BUF_INIT;
    for (int i = 0; i < NSCHEDULES && ok == 1; i++) {
        ok = try(m, schedules[i], &bytes);
    }
    tc_buf_free(&bytes);
    if (ok == 0 && is_known(m)) {
        t->known++;
        return;
    }
    t->skipped += ok < 0;
    t->failed += ok == 0;
    t->twins += ok > 0 && strcmp(m->expect, "none") == 0;
    t->mutants += ok > 0 && strcmp(m->expect, "none") != 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void mutants(void **state) {
    (void)state;
    const char *folder = "tests/mutants";
    char *names[512];
    int n = 0;
    const char *only = getenv("MUTANT");
    tally t = {0};
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL && n < 512;) {
        if (strstr(e->d_name, ".ptx") != NULL &&
            (only == NULL || strncmp(e->d_name, only, strlen(only)) == 0)) {
            names[n++] = strdup(e->d_name);
        }
    }
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    signal(SIGALRM, on_alarm);
    for (int i = 0; i < n; i++) {
        mutant m;
        assert_true(read_mutant(folder, names[i], &m));
        one(&m, &t);
        free(names[i]);
    }
    printf("compared %d mutants and %d correct twins, in 6 schedules "
           "each; %d not as expected, %d known not to be, %d "
           "skipped\n",
           t.mutants, t.twins, t.failed, t.known, t.skipped);
    assert_int_equal(t.failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
