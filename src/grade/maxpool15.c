/* maxpool15.c - cases and judge of exercises/maxpool15 (the course
 * chapter, 4.6: radius 15, windows clamped to [0, n), positive floats, exact
 * results). */
#include "grade/exercise.h"
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { RADIUS = 15, GUARD = 1024 };

/* As main.cu has them. */
typedef struct file_header {
    char magic[8];
    int32_t n, guard;
    uint32_t out_bits, in_guard, out_guard;
} file_header;

typedef enum pool_step { NOTHING, LAUNCH, RUN, READ_OUT, READ_IN } pool_step;

typedef struct result {
    int32_t there;       /* 1; 0: nothing was left */
    int32_t step, error; /* what failed; its cudaError_t */
    char message[120];
} result;

/* NaNs that no arithmetic makes: what out holds before, and around it. Around
 * in is infinity, which no maximum hides. */
enum { UNWRITTEN = 0x7fc0dead, AROUND = 0x7fc0beef, INFINITE = 0x7f800000 };

typedef enum input_pattern {
    ANY,
    RISING,
    FALLING,
    EQUAL,
    EXTREMES,
    SPIKES
} input_pattern;
static const char *const pattern_names[] = {"random", "rising",  "falling",
                                            "equal",  "extreme", "spiky"};

typedef struct input_plan {
    int n; /* 0: drawn, up to 5000 */
    input_pattern pattern;
} input_plan;

/* The chapter's sizes: around the window, a warp, a block; primes; a few
 * thousand. */
static const input_plan plans[] = {
    {1, ANY},        {15, RISING},   {16, FALLING},  {30, ANY},
    {31, RISING},    {31, FALLING},  {32, EXTREMES}, {127, ANY},
    {128, SPIKES},   {129, RISING},  {257, FALLING}, {509, ANY},
    {1000, ANY},     {1021, SPIKES}, {1024, EQUAL},  {2053, RISING},
    {4096, FALLING}, {4099, ANY},    {0, ANY},       {0, SPIKES},
    {0, EXTREMES},
};
enum { NPLANS = (int)(sizeof plans / sizeof *plans) };

typedef struct task {
    int n;
    const float *in;
} task;

static uint32_t bits_of(float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static float float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}

/* A positive finite number: any of them has the same chance. */
static float any_positive(tc_draw *d) {
    return float_of(1 + (uint32_t)tc_draw_below(d, INFINITE - 1));
}

static float value(input_pattern p, int i, int n, tc_draw *d) {
    uint64_t r = tc_draw_below(d, 1000);
    switch (p) {
    case RISING:
        return 1.0f + (float)i + (float)r / 2048.0f;
    case FALLING:
        return 1.0f + (float)(n - i) + (float)r / 2048.0f;
    case EQUAL:
        return 0.75f;
    case EXTREMES:
        return r < 300   ? float_of(1) /* the least of all */
               : r < 600 ? FLT_MIN
               : r < 605 ? FLT_MAX
                         : any_positive(d);
    case SPIKES:
        return r < 30 ? 1e6f + (float)i : 1e-3f * (float)(1 + r);
    default:
        return any_positive(d);
    }
}

static void make(int number, uint64_t seed, tc_arena *a, tc_case *out) {
    input_plan p = plans[number];
    tc_draw d = {seed ^ (0x9E3779B97F4A7C15u * (uint64_t)(number + 1))};
    int n = p.n ? p.n : 1 + (int)tc_draw_below(&d, 5000);
    file_header h = {"maxpool", n, GUARD, UNWRITTEN, INFINITE, AROUND};
    out->size = sizeof h + (size_t)n * 4;
    out->most = 2 * (sizeof(result) + ((size_t)n + 2 * GUARD) * 8);
    out->file = tc_alloc(a, out->size);
    float *in = TC_NEWN(a, float, n);
    for (int i = 0; i < n; i++) {
        in[i] = value(p.pattern, i, n, &d);
    }
    memcpy(out->file, &h, sizeof h);
    memcpy(out->file + sizeof h, in, (size_t)n * 4);
    task *t = TC_NEW(a, task);
    *t = (task){n, in};
    out->input = t;
    out->hidden = p.n == 0;
    out->name =
        out->hidden
            ? tc_format(a, "n drawn, %s values", pattern_names[p.pattern])
            : tc_format(a, "n = %d, %s values", n, pattern_names[p.pattern]);
}

/* ---- the judge ---- */

static int first_of(int i) {
    return i > RADIUS ? i - RADIUS : 0;
}

static int last_of(const task *t, int i) {
    return t->n - 1 - i < RADIUS ? t->n - 1 : i + RADIUS;
}

/* Where the maximum of an element's window is. */
static int place_of_most(const task *t, int i) {
    int at = first_of(i);
    for (int j = at + 1; j <= last_of(t, i); j++) {
        at = t->in[j] > t->in[at] ? j : at;
    }
    return at;
}

/* The maximum of in[i - left] ... in[i + right]. */
static uint32_t most_of(const task *t, int i, int left, int right) {
    int from = i > left ? i - left : 0;
    int to = t->n - 1 - i < right ? t->n - 1 : i + right;
    float most = 0;
    for (int j = from; j <= to; j++) {
        most = t->in[j] > most ? t->in[j] : most;
    }
    return bits_of(most);
}

static bool all_from(const task *t, const uint32_t *out, int first, int left,
                     int right) {
    bool all = out[first] == most_of(t, first, left, right);
    for (int i = 0; i < t->n && all; i++) {
        all = out[i] == most_of(t, i, left, right);
    }
    return all;
}

/* Another window that all values are those of, the one nearest to the right
 * one. */
static void other_window(const task *t, const uint32_t *out, int first,
                         tc_buf *why) {
    for (int far = 1; far <= 2 * RADIUS; far++) {
        for (int k = 0; k <= far; k++) {
            int l = k, r = far - k;
            for (int sign = 0; sign < 4; sign++) {
                int left = RADIUS + (sign & 1 ? l : -l);
                int right = RADIUS + (sign & 2 ? r : -r);
                if (left >= 0 && right >= 0 &&
                    all_from(t, out, first, left, right)) {
                    tc_buf_printf(why,
                                  "\nAll values are those of the window "
                                  "in[i - %d] ... in[i + %d].",
                                  left, right);
                    return;
                }
            }
        }
    }
}

static void wrong_element(const task *t, const uint32_t *out, int i, int wrong,
                          tc_buf *why) {
    uint32_t got = out[i];
    int from = first_of(i), to = last_of(t, i), most = place_of_most(t, i);
    if (got == UNWRITTEN) {
        tc_buf_printf(why, "out[%d] was never written", i);
    } else if (got == INFINITE) {
        tc_buf_printf(why,
                      "out[%d] is infinite: it came from outside of "
                      "in[0] ... in[%d]",
                      i, t->n - 1);
    } else {
        tc_buf_printf(why, "out[%d] is %.9g, expected %.9g", i,
                      (double)float_of(got), (double)t->in[most]);
    }
    tc_buf_printf(why,
                  "\nThe window of out[%d] is in[%d] ... in[%d]; its largest "
                  "element is in[%d] = %.9g.",
                  i, from, to, most, (double)t->in[most]);
    if (got != UNWRITTEN && got != INFINITE) {
        other_window(t, out, i, why);
    }
    if (wrong > 1) {
        tc_buf_printf(why, "\n%d of %d elements are wrong.", wrong, t->n);
    }
}

static bool elements(const task *t, const uint32_t *out, tc_buf *why) {
    int wrong = 0, first = -1;
    for (int i = 0; i < t->n; i++) {
        if (out[i] != bits_of(t->in[place_of_most(t, i)])) {
            first = first < 0 ? i : first;
            wrong++;
        }
    }
    if (wrong) {
        wrong_element(t, out, first, wrong, why);
    }
    return wrong == 0;
}

/* Guards before and behind n elements; the first that changed. */
static bool guards(const char *name, const uint32_t *at, int n, int guard,
                   uint32_t held, tc_buf *why) {
    for (int i = 0; i < n + 2 * guard; i++) {
        int index = i - guard;
        if ((index < 0 || index >= n) && at[i] != held) {
            tc_buf_printf(why,
                          "%s[%d] was written, and %s has only %s[0] ... "
                          "%s[%d]",
                          name, index, name, name, name, n - 1);
            return false;
        }
    }
    return true;
}

/* A call of CUDA's failed. */
static void failed(const result *r, tc_buf *why) {
    static const char *const message[] = {
        [LAUNCH] = "the launch failed",
        [RUN] = "the kernel failed",
        [READ_OUT] = "out cannot be read any more (was it freed?)",
        [READ_IN] = "in cannot be read any more (was it freed?)"};
    bool known = r->step > NOTHING && r->step <= READ_IN;
    tc_buf_printf(why, "%s: %.*s", known ? message[r->step] : "a call failed",
                  (int)strnlen(r->message, sizeof r->message), r->message);
}

static tc_judged one_call(const task *t, const uint8_t **left, size_t *size,
                          int guard, tc_buf *why) {
    size_t all = (size_t)t->n + 2 * (size_t)guard, bytes = sizeof(result);
    result r;
    if (*size < bytes + all * 8) {
        return TC_NO_RESULT;
    }
    memcpy(&r, *left, sizeof r);
    const uint32_t *out = (const void *)(*left + sizeof r);
    const uint32_t *in = out + all;
    *left += bytes + all * 8;
    *size -= bytes + all * 8;
    if (r.there != 1) {
        return TC_NO_RESULT;
    }
    if (r.step != NOTHING) {
        failed(&r, why);
        return TC_WRONG;
    }
    if (!guards("out", out, t->n, guard, AROUND, why) ||
        !guards("in", in, t->n, guard, INFINITE, why)) {
        return TC_WRONG;
    }
    for (int i = 0; i < t->n; i++) {
        if (in[guard + i] != bits_of(t->in[i])) {
            tc_buf_printf(
                why, "in[%d] was changed: the input must stay as it is", i);
            return TC_WRONG;
        }
    }
    return elements(t, out + guard, why) ? TC_RIGHT : TC_WRONG;
}

static tc_judged judge(const tc_case *c, const uint8_t *left, size_t size,
                       tc_buf *why) {
    const task *t = c->input;
    tc_judged j = one_call(t, &left, &size, 0, why);
    return j != TC_RIGHT ? j : one_call(t, &left, &size, GUARD, why);
}

const tc_exercise tc_exercise_maxpool15 = {
    .name = "maxpool15",
    .about = "1D max pooling with radius 15",
    .interface = "void maxpool15(float* out, const float* in, int n)",
    .ncases = NPLANS,
    .make = make,
    .judge = judge,
};
