/* test_runtime_h200.c - our runtime against what CUDA answered on an NVIDIA
 * H200 (tests/gpu/runtime-h200.txt): the same programs through `exec`, line by
 * line. Needs nvcc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tool.h"

#include <libgen.h>
#include <limits.h>

/* Lines that may differ, by how they begin: what is the simulated machine's
 * own, not CUDA's. */
static const struct {
    const char *line, *why;
} own[] = {
    {"clusters of 8: 0 ", "the simulator's GPCs are not quite an H200's"},
    {"clusters of 16: 0 ", "the same"},
    {"alignment 0 0 distance ", "what lies beside memory is nobody's here, so "
                                "that an access past its end is found"},
    {"badsize: ", "a bulk copy of 24 bytes: an H200 makes something of it, PTX "
                  "calls it undefined, and the simulator stops there"},
};

static bool is_own(const char *line) {
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strncmp(line, own[i].line, strlen(own[i].line)) == 0) {
            return true;
        }
    }
    return false;
}

static char program[PATH_MAX]; /* tilecopy-repl, beside this test's folder */

/* "stub_codes.cu oob": starts it. */
static FILE *start(const char *run) {
    char command[PATH_MAX + 200], file[64] = "", args[64] = "";
    assert_int_not_equal(sscanf(run, "%63s %63[^\n]", file, args), 0);
    snprintf(command, sizeof command,
             "'%s' exec tests/tools/%s -- %s 2>/dev/null", program, file, args);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    return p;
}

static char *line_of(FILE *f, char line[512]) {
    char *got = fgets(line, 512, f);
    if (got != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    return got;
}

/* The lines of one run, up to the next "== "; how many differ. */
static int compare(FILE *truth, const char *run, char next[512]) {
    FILE *ours = start(run);
    char line[512];
    int wrong = 0, lines = 0;
    while (line_of(truth, next) != NULL && strncmp(next, "== ", 3) != 0) {
        bool more = line_of(ours, line) != NULL;
        lines++;
        if (!more || (strcmp(line, next) != 0 && !is_own(next))) {
            fprintf(stderr, "%s\n  an H200: %s\n  here:    %s\n", run, next,
                    more ? line : "(no line)");
            wrong++;
        }
    }
    while (line_of(ours, line) != NULL) {
        fprintf(stderr, "%s: a line too many: %s\n", run, line);
        wrong++;
    }
    pclose(ours);
    return wrong + (lines == 0);
}

static void test_all(void **state) {
    (void)state;
    FILE *truth = fopen("tests/gpu/runtime-h200.txt", "r");
    char run[512], next[512];
    int wrong = 0, runs = 0;
    assert_non_null(truth);
    if (!have_tool("nvcc")) {
        fclose(truth);
        return;
    }
    do {
        assert_non_null(line_of(truth, next));
    } while (*next == '#');
    while (!feof(truth)) {
        assert_int_equal(strncmp(next, "== ", 3), 0);
        snprintf(run, sizeof run, "%.500s", next + 3);
        wrong += compare(truth, run, next);
        runs++;
    }
    fclose(truth);
    assert_int_equal(runs, 10);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
    char self[PATH_MAX];
    (void)argc;
    snprintf(self, sizeof self, "%s", argv[0]);
    snprintf(program, sizeof program, "%.4000s/../tilecopy-repl",
             dirname(self));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
