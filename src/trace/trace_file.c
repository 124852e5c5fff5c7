/* trace_file.c - a trace as text: a head, then a line an event, its numbers in
 * the order of `fields`. Every number is checked when it is read back. */
#include "base/arena.h"
#include "trace/trace.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "tilecopy-trace 1\n";

void tc_trace_save(const tc_trace *t, tc_buf *out) {
    tc_buf_puts(out, magic);
    tc_buf_printf(out, "%" PRIu64 " %u %u %d %" PRIu64 " %zu\n", t->cycles,
                  t->ctas, t->warps, t->truncated, t->dropped, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        tc_buf_printf(out,
                      "%" PRIu64 " %" PRIu64 " %u %u %u %d %d %d %d %u %" PRIu64
                      " %u %u %d %" PRIu64 "\n",
                      e->cycle, e->end, e->lanes, e->cta, e->warp, e->group,
                      e->phase, e->bytes, e->line, e->ptx_line, e->barrier,
                      e->kind, e->unit, e->cause, e->address);
    }
}

typedef struct tc_reader {
    const tc_source *text;
    tc_diags *diags;
    const char *at, *end;
    bool failed;
} tc_reader;

static void fail(tc_reader *r, const char *what) {
    if (!r->failed) {
        uint32_t at = (uint32_t)(r->at - r->text->text);
        tc_error(r->diags, ((tc_span){r->text, at, at}),
                 "a trace is saved by `export trace FILE`", "%s", what);
    }
    r->failed = true;
}

/* A whole number of [least, most], then a blank or the line's end. */
static int64_t number(tc_reader *r, int64_t least, uint64_t most, char after) {
    bool negative = r->at < r->end && *r->at == '-';
    const char *p = r->at + negative;
    uint64_t v = 0;
    if (r->failed || p == r->end || *p < '0' || *p > '9') {
        fail(r, "a number was expected here");
        return 0;
    }
    for (; p < r->end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10) {
            fail(r, "this number is too large");
            return 0;
        }
        v = v * 10 + digit;
    }
    bool small = negative ? v > 1 || least >= 0 : v > most;
    if (small || p == r->end || *p != after) {
        fail(r, small ? "this number is out of its range"
                      : "the line is not one of a trace");
        return 0;
    }
    r->at = p + 1;
    return negative ? -(int64_t)v : (int64_t)v;
}

static uint32_t u32(tc_reader *r) {
    return (uint32_t)number(r, 0, UINT32_MAX, ' ');
}

static int32_t s32(tc_reader *r) { /* -1: none */
    return (int32_t)number(r, -1, INT32_MAX, ' ');
}

static uint64_t cycle(tc_reader *r) { /* sums of two do not overflow */
    return (uint64_t)number(r, 0, INT64_MAX / 2, ' ');
}

static uint64_t u64(tc_reader *r, char after) {
    return (uint64_t)number(r, 0, UINT64_MAX, after);
}

static tc_trace_event event(tc_reader *r, const tc_trace *t, size_t index) {
    tc_trace_event e = {0};
    e.cycle = cycle(r);
    e.end = cycle(r);
    e.lanes = u32(r);
    e.cta = u32(r);
    e.warp = u32(r);
    e.group = s32(r);
    e.phase = s32(r);
    e.bytes = s32(r);
    e.line = s32(r);
    e.ptx_line = u32(r);
    e.barrier = u64(r, ' ');
    e.kind = (uint8_t)number(r, 0, TC_TRACE_KIND_COUNT - 1, ' ');
    e.unit = (uint8_t)number(r, 0, TC_UNIT_COUNT - 1, ' ');
    e.cause = s32(r);
    if (!r->failed && e.cause >= 0 && (size_t)e.cause >= index) {
        fail(r, "an event's cause comes before it");
    }
    if (!r->failed && (e.cta >= t->ctas || e.warp >= t->warps)) {
        fail(r, "the trace has no such CTA or warp");
    }
    e.address = u64(r, '\n');
    return e;
}

static void head(tc_reader *r, tc_trace *t, uint64_t *n) {
    t->cycles = cycle(r);
    t->ctas = u32(r);
    t->warps = u32(r);
    t->truncated = number(r, 0, 1, ' ') != 0;
    t->dropped = u64(r, ' ');
    *n = u64(r, '\n');
}

tc_trace *tc_trace_load(const tc_source *text, tc_diags *diags) {
    tc_reader r = {text, diags, text->text, text->text + text->len, false};
    tc_trace *t = tc_trace_new();
    uint64_t n = 0;
    if (text->len < strlen(magic) ||
        memcmp(text->text, magic, strlen(magic)) != 0) {
        fail(&r, "this is not a trace of version 1");
    }
    r.at += r.failed ? 0 : strlen(magic);
    head(&r, t, &n);
    uint64_t dropped = t->dropped;
    t->dropped = 0;
    if (!r.failed && n > TC_TRACE_LIMIT) {
        fail(&r, "a trace has at most 262144 events");
    }
    for (uint64_t i = 0; i < n && !r.failed; i++) {
        tc_trace_event e = event(&r, t, (size_t)i);
        tc_trace_add(t, &e);
    }
    if (!r.failed && r.at != r.end) {
        fail(&r, "the trace ends here, the file does not");
    }
    t->dropped = dropped;
    if (r.failed) {
        tc_trace_free(t);
        return NULL;
    }
    return t;
}
