/* test_grade.c - exercises as their folders describe them: expressions, the
 * file, the data of a test, and the judge of what is left. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "grade/case.h"
#include "grade/case_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- expressions ---- */

static const char *const scalars[] = {"i", "n"};
static const char *const buffers[] = {"in"};
static const tc_expr_names names = {scalars, buffers, 2, 1};

static double value(const char *text, bool *bad) {
    static const float in[] = {3, 1, 4, 1, 5};
    const double at[] = {2, 5};
    tc_expr_buffer b = {TC_C_TYPE_FLOAT, in, 5};
    tc_expr_env env = {at, &b, false};
    char why[160];
    int column;
    tc_arena *a = tc_arena_new();
    const tc_formula *e = tc_expr_parse(a, text, &names, why, &column);
    assert_non_null(e);
    double v = tc_expr_value(e, &env);
    *bad = env.bad;
    tc_arena_free(a);
    return v;
}

static void test_values(void **state) {
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"1 + 2 * 3", 7},
                {"(1 + 2) * -3", -9},
                {"7 % 4 + div(7, 2) - 7 / 2", 2.5},
                {"-7 % 4", 1},
                {"i < n && n >= 5 ? in[i] : 0", 4},
                {"i == 2 || 1 / 0 > 3", 1},
                {"max(j = 0 .. n - 1: in[j])", 5},
                {"min(j = max(0, i - 1) .. i + 1: in[j])", 1},
                {"sum(j = 0..n - 1: in[j] * in[j])", 52},
                {"sum(r = 0 .. 1: sum(c = 0 .. r: 10 * r + c))", 21},
                {"max(1, 2, 3) + min(4, 5) + sum(1, 1)", 9},
                {"abs(0 - 3) + floor(2.75)", 5},
                {"max(j = 3 .. 2: in[j])", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool bad;
        double v = value(rows[k].text, &bad);
        if (bad || v < rows[k].value || v > rows[k].value) {
            fail_msg("%s is %g, not %g", rows[k].text, v, rows[k].value);
        }
    }
}

static void test_outside(void **state) {
    bool bad;
    (void)state;
    value("in[n]", &bad);
    assert_true(bad);
    value("in[0 - 1]", &bad);
    assert_true(bad);
}

static void test_refused(void **state) {
    static const struct {
        const char *text, *why;
        int column;
    } rows[] = {{"1 +", "an expression is missing here", 3},
                {"m", "there is no 'm' here", 0},
                {"in[2", "']' is missing here", 4},
                {"in", "'[' is missing here", 2},
                {"max(j = 0 ... n: j)", "an expression is missing here", 12},
                {"1 2", "the expression ends before this", 2},
                {"div(1)", "div takes two arguments", 6},
                {"i ? 1", "':' is missing here", 5}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char why[160];
        int column;
        tc_arena *a = tc_arena_new();
        assert_null(tc_expr_parse(a, rows[k].text, &names, why, &column));
        assert_string_equal(why, rows[k].why);
        assert_int_equal(column, rows[k].column);
        tc_arena_free(a);
    }
}

/* ---- the file ---- */

typedef struct loaded {
    tc_arena *arena;
    const tc_exercise *e;
    char said[1024];
} loaded;

static void hear(void *user, const tc_diag *d) {
    loaded *l = user;
    size_t n = strlen(l->said);
    snprintf(l->said + n, sizeof l->said - n, "%d:%d: %s\n", d->line, d->col,
             d->message);
}

static loaded load(const char *text) {
    char folder[] = "/tmp/test_grade-XXXXXX", path[64];
    loaded l = {.arena = tc_arena_new()};
    tc_diags d = {hear, &l, 0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/exercise.yml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    l.e = tc_exercise_load(l.arena, "pool", folder, &d);
    unlink(path);
    rmdir(folder);
    return l;
}

static const char good[] =
    "format: 1\n"
    "title: pooling\n"
    "interface: void pool(float* out, const float* in, int n, float a)\n"
    "buffers:\n"
    "  in: {count: n}\n"
    "  out: {count: n, result: \"a * in[i]\"}\n"
    "mistakes:\n"
    "  - {out: \"in[i]\", says: a is not used}\n"
    "tests:\n"
    "  - {n: 40, a: 2, in: whole}\n"
    "  - {n: 1..9, a: 2, hidden: true}\n"
    "structure:\n"
    "  test: {n: 100, a: 3}\n"
    "  rules: [{measure: ctas, least: n / 10, points: 4, says: spread}]\n"
    "speed:\n"
    "  test: {n: 1000, a: 3}\n"
    "  gpu: {n: 2147483647, a: 3}\n"
    "  bytes: 2 * 4 * n\n"
    "  points: [{least: 0.5, points: 2}, {least: 0.9, modelled: 0.7}]\n";

static void test_load(void **state) {
    loaded l = load(good);
    (void)state;
    assert_string_equal(l.said, "");
    assert_non_null(l.e);
    assert_string_equal(l.e->function, "pool");
    assert_int_equal(l.e->nargs, 4);
    assert_true(l.e->args[0].output && !l.e->args[1].output);
    assert_int_equal(l.e->ntests, 2);
    assert_true(l.e->tests[1].hidden);
    assert_int_equal(l.e->rules[0].points, 4);
    assert_int_equal(l.e->nstructures, 1);
    assert_int_equal(l.e->structures[0].nrules, 1);
    assert_false(l.e->structures[0].timed);
    assert_int_equal(l.e->speed.npoints, 2);
    assert_true(l.e->speed.points[0].modelled == 0.5);
    assert_true(l.e->speed.points[1].modelled == 0.7);
    tc_arena_free(l.arena);
}

/* good with one text for another. */
static void refused(const char *from, const char *to, const char *says) {
    char text[2048];
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to,
             at + strlen(from));
    loaded l = load(text);
    if (l.e != NULL || strstr(l.said, says) == NULL) {
        fail_msg("%s: %s", to, l.said);
    }
    tc_arena_free(l.arena);
}

static void test_refused_files(void **state) {
    (void)state;
    refused("title", "titel", "2:8: there is no key 'titel' here");
    refused("int n", "FILE *n", "'FILE *n' is no argument");
    refused("a * in[i]", "a * inn[i]", "6:32: there is no 'inn' here");
    refused("{count: n}", "{}", "in needs its count");
    refused("in: whole", "in: wholes", "there are no values 'wholes'");
    refused("n: 1..9", "n: 9..1", "each test gives n");
    refused("measure: ctas", "measure: cta", "there is no measure 'cta'");
    refused(", least: n / 10", "", "a rule has a bound");
    refused("  - {n: 40", "  - {n: 40]", "did not find expected");
    refused("structure:\n  test: {n: 100, a: 3}\n", "structure:\n",
            "13:3: structure needs a test that is counted");
    refused("structure:\n  test: {n: 100, a: 3}\n  rules: [",
            "structure:\n- test: {n: 100, a: 3}\n  rules: []\n- test: [",
            "13:3: structure has no rules");
    refused("  bytes: 2 * 4 * n\n", "", "16:3: speed needs the bytes");
    refused("bytes: 2 * 4 * n", "bytes: 2 * m", "18:14: there is no 'm' here");
    refused("{least: 0.5,", "{last: 0.5,", "there is no key 'last' here");
    refused("{least: 0.5,", "{", "a fraction of a copy's speed is wanted");
    refused("interface: void", "interface: int", "the interface of a function");
}

/* ---- a test's calls, and their judge ---- */

typedef struct judged {
    tc_case c;
    tc_reason reason;
    char why[1024];
} judged;

/* What a right kernel leaves, then changed by spoil. */
static judged judge(const loaded *l, void (*spoil)(tc_task_call *c)) {
    judged j;
    const char *why;
    tc_buf b = TC_BUF_INIT;
    assert_true(
        tc_case_make(l->e, TC_CASE_TEST, 0, false, 7, l->arena, &j.c, &why));
    assert_int_equal(j.c.task.ncalls, 2);
    for (int i = 0; i < 2; i++) {
        tc_task_call *c = &j.c.task.calls[i];
        for (int k = 0; k < c->nbuffers; k++) {
            tc_task_buffer *x = &c->buffers[k];
            memcpy(x->after, x->before, x->bytes + 2 * x->guard);
        }
        float *out =
            (float *)(void *)(c->buffers[0].after + c->buffers[0].guard);
        const float *in =
            (const void *)(c->buffers[1].before + c->buffers[1].guard);
        for (int k = 0; k < 40; k++) {
            out[k] = 2 * in[k];
        }
        c->entered = c->left = true;
        c->launches = 1;
        if (spoil) {
            spoil(c);
        }
    }
    j.reason = tc_case_judge(&j.c, l->arena, &b);
    snprintf(j.why, sizeof j.why, "%s", tc_buf_text(&b));
    tc_buf_free(&b);
    return j;
}

static float *out_of(tc_task_call *c) {
    return (float *)(void *)(c->buffers[0].after + c->buffers[0].guard);
}

static void one_wrong(tc_task_call *c) {
    out_of(c)[7] += 1;
}
static void unwritten(tc_task_call *c) {
    memcpy(c->buffers[0].after, c->buffers[0].before,
           c->buffers[0].bytes + 2 * c->buffers[0].guard);
}
static void plain(tc_task_call *c) {
    memcpy(out_of(c), c->buffers[1].before + c->buffers[1].guard, 160);
}
static void before(tc_task_call *c) {
    if (c->buffers[0].guard > 0) {
        out_of(c)[-1] = 0;
    }
}
static void changed(tc_task_call *c) {
    c->buffers[1].after[c->buffers[1].guard + 4] ^= 1;
}
static void no_kernel(tc_task_call *c) {
    c->launches = 0;
}
static void read_in(tc_task_call *c) {
    c->acts[TC_TASK_READ_BUFFER] = 1;
    c->buffer[TC_TASK_READ_BUFFER] = 1;
}
static void error(tc_task_call *c) {
    c->error = 700;
}
static void gone(tc_task_call *c) {
    c->left = false;
}

static void test_judge(void **state) {
    static const struct {
        void (*spoil)(tc_task_call *c);
        tc_reason reason;
        const char *says;
    } rows[] = {{NULL, TC_REASON_NONE, ""},
                {one_wrong, TC_REASON_WRONG_VALUE, "out[7] is "},
                {unwritten, TC_REASON_UNWRITTEN, "out[0] was never written"},
                {plain, TC_REASON_WRONG_VALUE, "a is not used"},
                {before, TC_REASON_OUTSIDE, "out[-1] was written"},
                {changed, TC_REASON_INPUT_CHANGED, "in[1] was changed"},
                {no_kernel, TC_REASON_NO_KERNEL, "no kernel was launched"},
                {read_in, TC_REASON_HOST_READ, "the host reads in:"},
                {error, TC_REASON_CUDA_ERROR, "cudaErrorIllegalAddress"},
                {gone, TC_REASON_ENDED, ""}};
    loaded l = load(good);
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        judged j = judge(&l, rows[k].spoil);
        if (j.reason != rows[k].reason || !strstr(j.why, rows[k].says)) {
            fail_msg("row %zu: %s: %s", k, tc_reason_names[j.reason], j.why);
        }
    }
    tc_arena_free(l.arena);
}

/* The same seed, the same data; another seed, or call, other data. */
static void test_seeds(void **state) {
    loaded l = load(good);
    tc_case a, b, c;
    const char *why;
    (void)state;
    assert_true(
        tc_case_make(l.e, TC_CASE_TEST, 0, false, 1, l.arena, &a, &why));
    assert_true(
        tc_case_make(l.e, TC_CASE_TEST, 0, false, 1, l.arena, &b, &why));
    assert_true(
        tc_case_make(l.e, TC_CASE_TEST, 0, false, 2, l.arena, &c, &why));
    const tc_task_buffer *x = &a.task.calls[0].buffers[1];
    assert_memory_equal(x->before, b.task.calls[0].buffers[1].before, 160);
    assert_memory_not_equal(x->before, c.task.calls[0].buffers[1].before, 160);
    assert_memory_not_equal(x->before,
                            a.task.calls[1].buffers[1].before + TC_GUARD, 160);
    /* What out holds before is a secret too. */
    assert_memory_not_equal(a.task.calls[0].buffers[0].before,
                            c.task.calls[0].buffers[0].before, 4);
    assert_string_equal(a.name, "n = 40, a = 2, whole values");
    assert_true(
        tc_case_make(l.e, TC_CASE_TEST, 1, false, 2, l.arena, &c, &why));
    assert_string_equal(c.name, "n drawn, a = 2, random values");
    tc_arena_free(l.arena);
}

/* Two buffers of 8 GiB, which take a few megabytes. */
static void test_large(void **state) {
    loaded l = load(good);
    tc_case c;
    const char *why = "";
    (void)state;
    if (!tc_case_make(l.e, TC_CASE_SPEED_GPU, 0, false, 5, l.arena, &c, &why)) {
        assert_non_null(strstr(why, "this machine has no room"));
    } else {
        const tc_task_buffer *in = &c.task.calls[0].buffers[1];
        const float *v = (const void *)in->before;
        const uint64_t n = UINT64_C(2147483647), period = 3 << 18;
        assert_int_equal(c.task.ncalls, 4);
        assert_int_equal(in->bytes, 4 * n);
        assert_true(c.task.copy.bytes == 8 * n);
        assert_memory_equal(v, v + 1000 * period, 4096);
        assert_memory_equal(&v[n - 1000], &v[(n - 1000) % period], 1000);
        assert_memory_equal(&v[n - 1], &v[(n - 1) % period], 4);
        for (int bit = 28; bit <= 30; bit++) {
            assert_memory_not_equal(v, &v[UINT64_C(1) << bit], 64);
        }
    }
    tc_case_end(&c);
    tc_arena_free(l.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_load),
        cmocka_unit_test(test_refused_files), cmocka_unit_test(test_judge),
        cmocka_unit_test(test_seeds),         cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
