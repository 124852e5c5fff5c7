/* test_grade.c - the judge of exercises/maxpool15: what it says of a file that
 * a submission's process left. */
#include "grade/exercise.h"
#include "grade/grade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As exercises/maxpool15/main.cu writes it. */
enum { GUARD = 1024, UNWRITTEN = 0x7fc0dead, INFINITE = 0x7f800000 };
typedef struct result {
    int32_t there, step, error;
    char message[120];
} result;

typedef struct run {
    tc_arena *arena;
    tc_case c;
    int n;
    const float *in;
    uint8_t *left;    /* two calls: no guards, then guards */
    uint32_t *out[2]; /* out[0] of each */
    uint32_t *kept[2];
    result *r[2];
    size_t size;
    tc_buf why;
} run;

static uint32_t bits(float f) {
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

/* The largest of in[i - left] ... in[i + right], the slow way. */
static float most(const run *r, int i, int left, int right) {
    float m = 0;
    for (int j = 0; j < r->n; j++) {
        m = j >= i - left && j <= i + right && r->in[j] > m ? r->in[j] : m;
    }
    return m;
}

/* The file of a submission that looks so far to the left and to the right. */
static run left_by(int number, uint64_t seed, int left, int right) {
    run r = {.arena = tc_arena_new()};
    tc_exercise_maxpool15.make(number, seed, r.arena, &r.c);
    uint32_t header[7]; /* magic, n, guard, three patterns */
    memcpy(header, r.c.file, sizeof header);
    r.n = (int)header[2];
    assert_int_equal(header[3], GUARD);
    r.in = (const float *)(const void *)(r.c.file + sizeof header);
    assert_int_equal(r.c.size, sizeof header + (size_t)r.n * 4);
    r.size = r.c.most;
    r.left = tc_alloc(r.arena, r.size);
    memset(r.left, 0, r.size);
    uint8_t *p = r.left;
    for (int k = 0; k < 2; k++) {
        size_t guard = k ? GUARD : 0, all = (size_t)r.n + 2 * guard;
        r.r[k] = (result *)(void *)p;
        r.r[k]->there = 1;
        uint32_t *out = (uint32_t *)(void *)(p + sizeof(result));
        uint32_t *in = out + all;
        p += sizeof(result) + all * 8;
        for (size_t i = 0; i < all; i++) {
            out[i] = header[6];
            in[i] = header[5];
        }
        r.out[k] = out + guard;
        r.kept[k] = in + guard;
        for (int i = 0; i < r.n; i++) {
            r.out[k][i] = bits(most(&r, i, left, right));
            r.kept[k][i] = bits(r.in[i]);
        }
    }
    assert_true(p <= r.left + r.size);
    return r;
}

static tc_judged judge(run *r) {
    tc_buf_clear(&r->why);
    return tc_exercise_maxpool15.judge(&r->c, r->left, r->size, &r->why);
}

static void wrong(run *r, const char *says) {
    assert_int_equal(judge(r), TC_WRONG);
    if (strstr(tc_buf_text(&r->why), says) == NULL) {
        fail_msg("'%s' lacks '%s'", tc_buf_text(&r->why), says);
    }
}

static void end(run *r) {
    tc_buf_free(&r->why);
    tc_arena_free(r->arena);
}

static void right_answers_are_right(void **state) {
    (void)state;
    for (int i = 0; i < tc_exercise_maxpool15.ncases; i++) {
        run r = left_by(i, 42, 15, 15);
        assert_int_equal(judge(&r), TC_RIGHT);
        assert_string_equal(tc_buf_text(&r.why), "");
        end(&r);
    }
}

/* The chapter's sizes are all there; drawn ones do not tell theirs. */
static void cases(void **state) {
    (void)state;
    static const int asked[] = {1, 15, 16, 30, 31, 32, 127, 128, 129, 1000};
    bool seen[10] = {false};
    int hidden = 0;
    for (int i = 0; i < tc_exercise_maxpool15.ncases; i++) {
        run r = left_by(i, 7, 15, 15);
        for (int k = 0; k < 10; k++) {
            seen[k] |= r.n == asked[k];
        }
        hidden += r.c.hidden;
        assert_true(!r.c.hidden || strpbrk(r.c.name, "0123456789") == NULL);
        for (int j = 0; j < r.n; j++) {
            assert_true(r.in[j] > 0 && bits(r.in[j]) < INFINITE);
        }
        end(&r);
    }
    for (int k = 0; k < 10; k++) {
        assert_true(seen[k]);
    }
    assert_true(hidden >= 3);
}

static void seeds(void **state) {
    (void)state;
    enum { RANDOM = 12 /* 1000 elements */ };
    run a = left_by(RANDOM, 1, 15, 15), b = left_by(RANDOM, 1, 15, 15);
    run c = left_by(RANDOM, 2, 15, 15);
    assert_int_equal(a.c.size, b.c.size);
    assert_memory_equal(a.c.file, b.c.file, a.c.size);
    assert_int_equal(a.c.size, c.c.size);
    assert_memory_not_equal(a.c.file, c.c.file, a.c.size);
    end(&a);
    end(&b);
    end(&c);
}

static void another_window_is_named(void **state) {
    (void)state;
    enum { LONG = 11 /* 509 elements */ };
    static const int windows[][2] = {{15, 14}, {14, 15}, {16, 15}, {15, 0},
                                     {0, 15},  {7, 7},   {16, 16}, {0, 0}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        char says[96];
        run r = left_by(LONG, 5, windows[i][0], windows[i][1]);
        snprintf(says, sizeof says, "the window in[i - %d] ... in[i + %d].",
                 windows[i][0], windows[i][1]);
        wrong(&r, says);
        end(&r);
    }
}

static void guards(void **state) {
    (void)state;
    for (int number = 0; number < 2; number++) { /* n = 1, n = 15 */
        char says[64];
        run r = left_by(number, 9, 15, 15);
        r.out[1][-1] = 0;
        wrong(&r, "out[-1] was written");
        end(&r);
        r = left_by(number, 9, 15, 15);
        r.out[1][r.n + GUARD - 1] = 0;
        snprintf(says, sizeof says, "out[%d] was written", r.n + GUARD - 1);
        wrong(&r, says);
        end(&r);
        r = left_by(number, 9, 15, 15);
        r.kept[1][-GUARD] = 0;
        wrong(&r, "in[-1024] was written");
        end(&r);
        r = left_by(number, 9, 15, 15);
        r.kept[0][r.n - 1] ^= 1;
        snprintf(says, sizeof says, "in[%d] was changed", r.n - 1);
        wrong(&r, says);
        end(&r);
    }
}

static void elements(void **state) {
    (void)state;
    run r = left_by(0, 3, 15, 15); /* n = 1 */
    r.out[0][0] = UNWRITTEN;
    wrong(&r, "out[0] was never written");
    r.out[0][0] = INFINITE;
    wrong(&r, "out[0] is infinite: it came from outside of in[0] ... in[0]");
    r.out[0][0] = bits(r.in[0]) ^ 1; /* the last bit counts */
    wrong(&r, "out[0] is ");
    wrong(&r, "The window of out[0] is in[0] ... in[0]");
    r.out[0][0] = bits(r.in[0]);
    r.out[1][0] = 0x7fc00001;
    wrong(&r, "out[0] is nan, expected ");
    end(&r);
    r = left_by(4, 3, 15, 15); /* n = 31, rising */
    r.out[1][15] = 0;
    r.out[1][30] = 0;
    wrong(&r, "out[15] is 0, expected ");
    wrong(&r, "The window of out[15] is in[0] ... in[30]; its largest element "
              "is in[30] = ");
    wrong(&r, "2 of 31 elements are wrong.");
    end(&r);
}

/* What the process left is its own: nothing in it is to be believed. */
static void files_of_all_sorts(void **state) {
    (void)state;
    run r = left_by(6, 3, 15, 15);
    size_t size = r.size;
    for (r.size = 0; r.size < size; r.size += 61) {
        assert_int_not_equal(judge(&r), TC_WRONG);
    }
    r.size = size;
    r.r[1]->there = 0;
    assert_int_equal(judge(&r), TC_NO_RESULT);
    r.r[1]->there = 1;
    memset(r.r[0]->message, 'x', sizeof r.r[0]->message);
    static const int32_t steps[] = {1, 2, 3, 4, 5, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        r.r[0]->step = steps[i];
        wrong(&r, "xxx");
        assert_true(r.why.len < 300);
    }
    memset(r.left, 0xff, r.size);
    assert_int_equal(judge(&r), TC_NO_RESULT);
    memset(r.left, 0, r.size);
    assert_int_equal(judge(&r), TC_NO_RESULT);
    end(&r);
}

static void list_of_exercises(void **state) {
    (void)state;
    assert_string_equal(tc_grade_exercises()[0], "maxpool15");
    assert_non_null(tc_grade_about("maxpool15"));
    assert_null(tc_grade_about("nothing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_answers_are_right),
        cmocka_unit_test(cases),
        cmocka_unit_test(seeds),
        cmocka_unit_test(another_window_is_named),
        cmocka_unit_test(guards),
        cmocka_unit_test(elements),
        cmocka_unit_test(files_of_all_sorts),
        cmocka_unit_test(list_of_exercises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
