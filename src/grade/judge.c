/* judge.c - compares what a call left with what is right. */
#include "grade/case.h"
#include "grade/case_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "cudaErrorInvalidValue (invalid argument)". */
static const char *words_of(tc_arena *a, int error) {
    static const struct {
        int number;
        const char *name, *text;
    } all[] = {
#define X(name, number, text) {number, #name, text},
#include "runtime/stub/errors.def"
#undef X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].number == error) {
            return tc_format(a, "%s (%s)", all[i].text, all[i].name);
        }
    }
    return tc_format(a, "CUDA error %d", error);
}

/* One call while it is judged. */
typedef struct judging {
    const tc_case *c;
    const tc_task_call *call;
    const tc_case_data *data;
    tc_expr_env env;
    tc_arena *arena;
    tc_buf *why;
} judging;

static const tc_argument *argument(const judging *j, int buffer) {
    return &j->c->exercise->args[j->data->argument[buffer]];
}

static double expected(judging *j, const tc_formula *x, uint64_t i) {
    *(double *)(uintptr_t)j->data->scalars = (double)i;
    return tc_expr_value(x, &j->env);
}

static const uint8_t *left(const tc_task_buffer *b) {
    return b->after + b->guard;
}

/* Floats in order as integers: neighbours differ by one. */
static int64_t order_of(double v) {
    float f = (float)v;
    int32_t b;
    memcpy(&b, &f, sizeof b);
    return b >= 0 ? b : (int64_t)INT32_MIN - b;
}

static bool right(const tc_argument *x, const void *at, uint64_t i,
                  double want) {
    uint64_t size = tc_c_type_bytes(x->type);
    uint8_t bytes[8];
    double got = tc_c_type_read(x->type, at, i);
    tc_c_type_write(x->type, bytes, 0, want);
    if (memcmp((const uint8_t *)at + i * size, bytes, size) == 0) {
        return true;
    }
    if (isnan(got) || isnan(want)) {
        return false;
    }
    return (x->absolute > 0 && fabs(got - want) <= x->absolute) ||
           (x->ulps > 0 &&
            llabs(order_of(got) - order_of(want)) <= (int64_t)x->ulps);
}

static bool is_before(const tc_task_buffer *b, uint64_t size, uint64_t i) {
    return memcmp(b->after + b->guard + i * size,
                  b->before + b->guard + i * size, size) == 0;
}

/* ---- what is around ---- */

/* Is element i as it was? i may be in a guard. */
static bool is_same(const tc_task_buffer *b, uint64_t size, int64_t i) {
    uint64_t at = b->guard + (uint64_t)i * size;
    return b->after ? memcmp(b->after + at, b->before + at, size) == 0
                    : !b->changed || at + size <= b->changed_at ||
                          b->changed_at + size <= at;
}

/* The first element outside that changed: "out[-1] was written". */
static bool guards(const judging *j, int k) {
    const tc_task_buffer *b = &j->call->buffers[k];
    uint64_t size = tc_c_type_bytes(argument(j, k)->type);
    int64_t n = (int64_t)(b->bytes / size), g = (int64_t)(b->guard / size);
    for (int64_t i = g ? -g : n; i < n + g; i = i == -1 ? n : i + 1) {
        if (!is_same(b, size, i)) {
            tc_buf_printf(j->why,
                          "%s[%" PRId64 "] was written, and %s has only "
                          "%s[0] ... %s[%" PRId64 "]",
                          b->name, i, b->name, b->name, b->name, n - 1);
            return false;
        }
    }
    return true;
}

/* The first element that changed; n: none. */
static uint64_t first_changed(const judging *j, int k, uint64_t n) {
    const tc_task_buffer *b = &j->call->buffers[k];
    const tc_large *l = &j->data->large[k];
    uint64_t size = tc_c_type_bytes(argument(j, k)->type), i = 0, end;
    if (b->after == NULL) {
        i = b->changed && b->changed_at >= b->guard
                ? (b->changed_at - b->guard) / size
                : n;
        return i < n ? i : n;
    }
    while (i < n && is_same(b, size, (int64_t)i)) {
        uint64_t at = b->guard + ++i * size;
        if (l->sampled && at % 4096 == 0) { /* to the next page that may have */
            i = (tc_large_written(l, at, &end) - b->guard) / size;
        }
    }
    return i < n ? i : n;
}

static bool unchanged(const judging *j, int k) {
    const tc_task_buffer *b = &j->call->buffers[k];
    uint64_t n = b->bytes / tc_c_type_bytes(argument(j, k)->type);
    uint64_t i = first_changed(j, k, n);
    if (i < n) {
        tc_buf_printf(j->why,
                      "%s[%" PRIu64 "] was changed: the input must stay "
                      "as it is",
                      b->name, i);
    }
    return i == n;
}

/* ---- values ---- */

static bool all_are(judging *j, int k, const tc_formula *x, uint64_t first) {
    const tc_task_buffer *b = &j->call->buffers[k];
    const tc_argument *arg = argument(j, k);
    uint64_t n = b->bytes / tc_c_type_bytes(arg->type);
    bool all = right(arg, left(b), first, expected(j, x, first));
    for (uint64_t i = 0; i < n && all; i++) {
        all = right(arg, left(b), i, expected(j, x, i));
    }
    return all;
}

/* A mistake that all values are those of. */
static void name_mistake(judging *j, int k, uint64_t first) {
    const tc_exercise *e = j->c->exercise;
    for (int i = 0; i < e->nmistakes; i++) {
        const tc_mistake *m = &e->mistakes[i];
        if (m->output == j->data->argument[k] &&
            all_are(j, k, m->result, first)) {
            tc_buf_printf(j->why, "\n%s", m->says);
            return;
        }
    }
}

static tc_reason wrong_element(judging *j, int k, uint64_t i, uint64_t wrong) {
    const tc_exercise *e = j->c->exercise;
    const tc_argument *x = argument(j, k);
    const tc_task_buffer *b = &j->call->buffers[k];
    uint64_t size = tc_c_type_bytes(x->type), n = b->bytes / size;
    double got = tc_c_type_read(x->type, left(b), i);
    double want = expected(j, x->result, i);
    bool same = is_before(b, size, i);
    if (same && !x->starts) {
        tc_buf_printf(j->why, "%s[%" PRIu64 "] was never written", b->name, i);
    } else if (isinf(got) && !isinf(want)) {
        tc_buf_printf(j->why,
                      "%s[%" PRIu64 "] is infinite: it came from outside of "
                      "the input",
                      b->name, i);
    } else {
        tc_buf_printf(j->why, "%s[%" PRIu64 "] is %.9g, expected %.9g", b->name,
                      i, got, want);
    }
    if (e->explain) {
        expected(j, x->result, i);
        tc_buf_printf(j->why, "\n%s",
                      tc_exercise_fill(j->arena, e, e->explain, &j->env));
    }
    if ((!same || x->starts) && !j->data->large[k].period) {
        name_mistake(j, k, i);
    }
    if (wrong > 1) {
        tc_buf_printf(j->why,
                      "\n%" PRIu64 " of %" PRIu64 " elements are wrong.", wrong,
                      n);
    }
    return same && !x->starts ? TC_REASON_UNWRITTEN : TC_REASON_WRONG_VALUE;
}

/* ---- gigabytes ---- */

/* Of the elements, as a sample of the CTAs tells: the last one may have less. */
#define COVERED 0.9

/* The elements of a large buffer whose values are looked at, in order: all at
 * both ends and around the numbers where 32 bits wrap, else a few that nobody
 * knows before. */
static uint64_t sampled(uint64_t i, uint64_t n, tc_draw *d) {
    enum { ENDS = 1 << 16, AROUND = 1 << 11, SKIP = 1 << 14 };
    uint64_t special = UINT64_C(1) << 28;
    uint64_t off = (i + AROUND) % special;
    bool dense = i < ENDS || i + ENDS >= n || off < 2 * AROUND;
    uint64_t next = dense ? i + 1 : i + 1 + tc_draw_below(d, SKIP);
    uint64_t border = (i / special + 1) * special - AROUND;
    next = !dense && i < border && next > border ? border : next;
    return !dense && next + ENDS > n && i + ENDS < n ? n - ENDS : next;
}

/* The first element that was never written; n: all were. */
static uint64_t first_unwritten(const tc_task_buffer *b, uint64_t size,
                                uint64_t n) {
    uint64_t i = 0;
    while (i < n && !is_before(b, size, i)) {
        i++;
    }
    return i;
}

static tc_reason large_elements(judging *j, int k) {
    const tc_task_buffer *b = &j->call->buffers[k];
    const tc_argument *x = argument(j, k);
    uint64_t size = tc_c_type_bytes(x->type), n = b->bytes / size;
    uint64_t wrong =
        j->data->large[k].poisoned ? first_unwritten(b, size, n) : n;
    tc_draw d = {(uint64_t)j->data->scalars[1] ^ b->address};
    for (uint64_t i = 0; i < wrong; i = sampled(i, n, &d)) {
        if (!right(x, left(b), i, expected(j, x->result, i))) {
            wrong = i;
        }
    }
    return wrong < n ? wrong_element(j, k, wrong, 1) : TC_REASON_NONE;
}

/* Would the whole grid write all n elements, of which its sample has written so
 * many? Where the sample was executed to its end it has the first CTAs and the
 * last. What cannot be told from what was there (poisoned) counts as written
 * where it is right. */
static tc_reason all_covered(judging *j, int k, uint64_t n, uint64_t found) {
    const tc_task_buffer *b = &j->call->buffers[k];
    uint64_t size = tc_c_type_bytes(argument(j, k)->type);
    bool poisoned = j->data->large[k].poisoned;
    double all = (double)found / (j->call->part > 0 ? j->call->part : 1);
    uint64_t last = n - 1;
    if (found > 0 && j->call->cut) {
        return TC_REASON_NONE;
    }
    if (poisoned && (is_before(b, size, last) || is_before(b, size, 0))) {
        return wrong_element(j, k, is_before(b, size, 0) ? 0 : last, 1);
    }
    if (all < COVERED * (double)n) {
        tc_buf_printf(j->why,
                      "%s has %" PRIu64 " elements, and the grid writes about "
                      "%.0f of them: it is too small",
                      b->name, n, all);
        return TC_REASON_UNWRITTEN;
    }
    return TC_REASON_NONE;
}

/* Of a test that was simulated in part: all that was written is right. */
static tc_reason sampled_elements(judging *j, int k) {
    const tc_task_buffer *b = &j->call->buffers[k];
    const tc_large *l = &j->data->large[k];
    const tc_argument *x = argument(j, k);
    uint64_t size = tc_c_type_bytes(x->type), n = b->bytes / size, end;
    uint64_t found = 0;
    for (uint64_t at = tc_large_written(l, b->guard, &end);
         at < b->guard + b->bytes; at = tc_large_written(l, end, &end)) {
        uint64_t last = (end - b->guard) / size;
        last = last < n ? last : n;
        for (uint64_t i = (at - b->guard) / size; i < last; i++) {
            bool written = !is_before(b, size, i);
            bool asked = written || !l->poisoned;
            bool is = asked && right(x, left(b), i, expected(j, x->result, i));
            if (written && !is) {
                return wrong_element(j, k, i, 1);
            }
            found += is;
        }
    }
    return all_covered(j, k, n, found);
}

static tc_reason elements(judging *j, int k) {
    const tc_task_buffer *b = &j->call->buffers[k];
    const tc_argument *x = argument(j, k);
    uint64_t n = b->bytes / tc_c_type_bytes(x->type), wrong = 0, first = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!right(x, left(b), i, expected(j, x->result, i))) {
            first = wrong == 0 ? i : first;
            wrong++;
        }
    }
    return wrong ? wrong_element(j, k, first, wrong) : TC_REASON_NONE;
}

/* ---- what the host did ---- */

static tc_reason host(const judging *j) {
    static const struct {
        tc_reason reason;
        const char *says;
    } rows[TC_TASK_ACTS] = {
        [TC_TASK_READ_BUFFER] = {TC_REASON_HOST_READ,
                                 "the host reads %s: a kernel has to compute "
                                 "the result"},
        [TC_TASK_MOVED_BUFFER] =
            {TC_REASON_HOST_READ,
             "the host copies %s elsewhere: kernels read it "
             "where it is, and what they move counts"},
        [TC_TASK_READ_MUCH] = {TC_REASON_HOST_READ,
                               "the host reads back device memory%s: a kernel "
                               "has to compute the result, and no more than "
                               "64 bytes may be read"},
        [TC_TASK_WROTE_BUFFER] = {TC_REASON_HOST_WRITE,
                                  "the host writes to %s: a kernel has to be "
                                  "the last that writes there"},
        [TC_TASK_SHARED] = {TC_REASON_HOST_SHARED,
                            "the host asks for memory that it shares with "
                            "kernels (managed, pinned)%s: device memory is "
                            "all that may be used here"},
        [TC_TASK_FREED] = {TC_REASON_HOST_FREE,
                           "the host frees %s or resets the device: the "
                           "memory is the caller's"},
        [TC_TASK_LAUNCHES] = {TC_REASON_LAUNCHES,
                              "there are more launches than this exercise "
                              "allows%s"}};
    for (int i = 0; i < TC_TASK_ACTS; i++) {
        int b = j->call->buffer[i];
        const char *name =
            i == TC_TASK_READ_BUFFER || i == TC_TASK_MOVED_BUFFER ||
                    i == TC_TASK_WROTE_BUFFER || i == TC_TASK_FREED
                ? (b >= 0 ? j->call->buffers[b].name : "device memory")
                : "";
        if (j->call->acts[i] > 0) {
            const char *at = strstr(rows[i].says, "%s");
            tc_buf_printf(j->why, "%.*s%s%s", (int)(at - rows[i].says),
                          rows[i].says, name, at + 2);
            return rows[i].reason;
        }
    }
    return TC_REASON_NONE;
}

/* ---- a call ---- */

static tc_reason buffers(judging *j) {
    for (int k = 0; k < j->call->nbuffers; k++) {
        if (!guards(j, k)) {
            return TC_REASON_OUTSIDE;
        }
    }
    for (int k = 0; k < j->call->nbuffers; k++) {
        if (!argument(j, k)->output && !unchanged(j, k)) {
            return TC_REASON_INPUT_CHANGED;
        }
    }
    for (int k = 0; k < j->call->nbuffers; k++) {
        const tc_large *l = &j->data->large[k];
        tc_reason r = !argument(j, k)->output ? TC_REASON_NONE
                      : l->sampled            ? sampled_elements(j, k)
                      : l->period             ? large_elements(j, k)
                                              : elements(j, k);
        if (r != TC_REASON_NONE) {
            return r;
        }
    }
    return TC_REASON_NONE;
}

static tc_reason one_call(judging *j) {
    tc_reason r = host(j);
    if (r != TC_REASON_NONE) {
        return r;
    }
    if (!j->call->left) {
        return TC_REASON_ENDED;
    }
    if (j->call->error != 0) {
        const char *words = words_of(j->arena, j->call->error);
        tc_buf_printf(j->why, "%s: %s",
                      j->call->launches > 0 ? "the kernel or its launch failed"
                                            : "a call of CUDA's failed",
                      words);
        return TC_REASON_CUDA_ERROR;
    }
    if (j->call->lost) {
        tc_buf_puts(j->why, "the buffers cannot be read any more");
        return TC_REASON_HOST_FREE;
    }
    r = buffers(j);
    if (r == TC_REASON_NONE && j->call->launches == 0) {
        tc_buf_puts(j->why, "no kernel was launched");
        r = TC_REASON_NO_KERNEL;
    }
    return r;
}

tc_reason tc_case_judge(const tc_case *c, tc_arena *a, tc_buf *why) {
    tc_reason r = TC_REASON_NONE;
    for (int i = 0; i < c->task.ncalls && r == TC_REASON_NONE; i++) {
        const tc_case_data *d = &c->data[i];
        judging j = {
            c, &c->task.calls[i], d, {d->scalars, d->buffers, false}, a, why};
        r = one_call(&j);
    }
    return r;
}
