/* test_calibrate - the measuring kit on the simulator, whose figures are known:
 * what is measured of them is what they are. TILECOPY_MEASURES=PREFIX prints
 * all measures that begin so. */
#include "calibrate/calibrate.h"
#include "sim/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tc_device_options options(const tc_profile *p) {
    return (tc_device_options){.sim = {.arch = "sm_90a",
                                       .timing = true,
                                       .completion = TC_COMPLETE_TIMING,
                                       .profile = p}};
}

static void measure(const tc_profile *p, const char *only, tc_calibration *c) {
    char why[512] = "";
    tc_device_options o = options(p);
    bool ok = tc_calibrate(&tc_device_sim, &o, only, NULL, NULL, c,
                           (tc_gpu_complaint){why, sizeof why});
    if (!ok || c->refused > 0) {
        fail_msg("%s%s", why, c->why);
    }
}

static tc_arena *arena;

/* A profile of these lines. */
static tc_profile *profile(const char *text) {
    tc_source src = {"test.profile", text, strlen(text), 1};
    tc_diags d = {NULL, NULL, 0};
    return tc_profile_read(arena, &src, "sm_90a", &d);
}

static double figure(const tc_calibration *c, const char *name) {
    double v = -1;
    assert_true(tc_calibration_figure(c, name, &v));
    return v;
}

/* The simulator is given a figure, and the kit finds it. */
static void test_found_again(void **state) {
    static const struct {
        const char *profile, *only, *figure;
        double value, within;
    } cases[] = {
        {"shared_latency 23\n", "shared_chase", "shared_latency", 23, 2},
        {"shared_latency 40\n", "shared_chase", "shared_latency", 40, 2},
        {"shared_least 3\n", "shared_loads_1", "shared_least", 3, 0.1},
        {"l1_latency 50\n", "l1", "l1_latency", 50, 1},
        {"FMA.latency 6\n", "latency_fma", "FMA.latency", 6, 0.5},
        {"SFU.interval 16\n", "rate_ex2", "SFU.interval", 16, 0.5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_calibration *c = calloc(1, sizeof *c);
        tc_profile *p = profile(cases[i].profile);
        assert_non_null(p);
        measure(p, cases[i].only, c);
        double v = figure(c, cases[i].figure);
        if (v < cases[i].value - cases[i].within ||
            v > cases[i].value + cases[i].within) {
            fail_msg("%s: %.2f, not %.2f", cases[i].figure, v, cases[i].value);
        }
        free(c);
    }
}

/* Data, written and read again, say the same; the profile of them is one. */
static void test_data(void **state) {
    tc_calibration *c = calloc(1, sizeof *c), *again = calloc(1, sizeof *c);
    char why[256];
    tc_buf data = TC_BUF_INIT, text = TC_BUF_INIT;
    (void)state;
    measure(NULL, "shared_chase", c);
    tc_calibration_data(c, &data);
    assert_true(tc_calibration_read(again, tc_buf_text(&data),
                                    (tc_gpu_complaint){why, sizeof why}));
    assert_true(figure(c, "shared_latency") - figure(again, "shared_latency") <
                0.01);
    tc_calibration_profile(again, &text);
    assert_non_null(strstr(tc_buf_text(&text), "\nshared_latency "));
    assert_non_null(strstr(tc_buf_text(&text), "\n#   l2_latency\n"));
    tc_profile *p = profile(tc_buf_text(&text));
    assert_non_null(p);
    tc_buf_free(&data);
    tc_buf_free(&text);
    free(c);
    free(again);
}

static void test_refused(void **state) {
    static const char *const wrong[] = {
        "l2_latence 3\n",   "l2_latency\n",        "l2_latency x\n",
        "FMA.interval 0\n", "FMA.latency 70000\n", "arch sm_80\n"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(profile(wrong[i]));
    }
    tc_profile *p =
        profile("# a comment\ndevice Some GPU\narch sm_90\nFMA.latency 5 # x");
    assert_non_null(p);
}

/* Every figure is one of the machine's. */
static void test_figures(void **state) {
    static const char *const names[] = {
#define TC_FIGURE(name, expression) #name,
#include "calibrate/figures.def"
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(tc_profile_takes(names[i], 1));
    }
}

static char *read_file(const char *path) {
    tc_buf b = TC_BUF_INIT;
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail_msg("cannot open %s", path);
    }
    tc_buf_read(&b, f);
    fclose(f);
    return tc_buf_finish(&b, arena);
}

/* The profile that comes with the program is what its data give. Made anew by
 * TILECOPY_PROFILE=src/calibrate/profiles/h200.profile build/tests/test_calibrate. */
static void test_h200(void **state) {
    static const char data[] = "tests/calibrate/h200-calibration.jsonl";
    tc_calibration *c = calloc(1, sizeof *c);
    const char *anew = getenv("TILECOPY_PROFILE");
    char why[256];
    tc_buf text = TC_BUF_INIT;
    (void)state;
    assert_true(tc_calibration_read(c, read_file(data),
                                    (tc_gpu_complaint){why, sizeof why}));
    tc_calibration_profile(c, &text);
    if (anew != NULL) {
        FILE *f = fopen(anew, "wb");
        assert_non_null(f);
        fputs(tc_buf_text(&text), f);
        fclose(f);
    }
    assert_string_equal(tc_buf_text(&text),
                        read_file("src/calibrate/profiles/h200.profile"));
    assert_non_null(profile(tc_buf_text(&text)));
    tc_buf_free(&text);
    free(c);
}

static void test_print(void **state) {
    const char *only = getenv("TILECOPY_MEASURES");
    tc_calibration *c = calloc(1, sizeof *c);
    (void)state;
    if (only != NULL) {
        tc_buf data = TC_BUF_INIT;
        measure(NULL, only, c);
        tc_calibration_data(c, &data);
        fputs(tc_buf_text(&data), stdout);
        tc_buf_free(&data);
    }
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again), cmocka_unit_test(test_data),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_figures),
        cmocka_unit_test(test_print),       cmocka_unit_test(test_h200),
    };
    arena = tc_arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tc_arena_free(arena);
    return failed;
}
