/* trace_file.c - a trace as text: a head, then each list with its length and a
 * line an entry, its numbers in the order of the lists below, names behind
 * them. Every number is checked when it is read back. */
#include "base/arena.h"
#include "trace/trace.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "tilecopy-trace 3\n";

/* What the lines have. CYCLE: sums of two do not overflow; ORDINAL: -1 is
 * none; BELOW: less than the enumeration's count. */
typedef enum tc_member_kind {
    CYCLE,
    U64,
    U32,
    U16,
    U8,
    BOOL,
    INT,
    ORDINAL,
    BELOW,
    TEXT
} tc_member_kind;

typedef struct tc_member {
    size_t offset;
    tc_member_kind kind;
    uint32_t most; /* BELOW */
} tc_member;

#define M(type, name, kind)                                                    \
    { offsetof(type, name), kind, 0 }
#define B(type, name, count)                                                   \
    { offsetof(type, name), BELOW, count }

#define E(name, kind) M(tc_trace_event, name, kind)
static const tc_member event_members[] = {
    E(cycle, CYCLE),
    E(end, CYCLE),
    E(lanes, U32),
    E(cta, U32),
    E(warp, U32),
    E(group, ORDINAL),
    E(phase, ORDINAL),
    E(bytes, ORDINAL),
    E(line, ORDINAL),
    E(ptx_line, U32),
    E(barrier, U64),
    B(tc_trace_event, kind, TC_TRACE_KIND_COUNT),
    B(tc_trace_event, unit, TC_UNIT_COUNT),
    B(tc_trace_event, object, TC_OBJECT_COUNT),
    B(tc_trace_event, space, TC_TRACE_SPACE_COUNT),
    E(cause, ORDINAL),
    E(address, U64),
    E(source, U64),
    E(owner, U32),
    E(each, U32),
    E(stride, INT),
    E(where, U32),
    E(count, U32),
    E(source_owner, U32),
    E(targets, U16),
    B(tc_trace_event, source_space, TC_TRACE_SPACE_COUNT),
};

#define S(name, kind) M(tc_trace_stretch, name, kind)
static const tc_member stretch_members[] = {
    S(begin, CYCLE),  S(end, CYCLE),
    S(cta, U32),      S(warp, U32),
    S(issued, U32),   S(line, ORDINAL),
    S(ptx_line, U32), B(tc_trace_stretch, cause, TC_STALL_COUNT),
};

#define F(name, kind) M(tc_trace_fields, name, kind)
static const tc_member field_members[] = {
    F(cycle, CYCLE), F(owner, U32),     F(offset, U32), F(phase, U32),
    F(pending, U32), F(expected, U32),  F(tx, INT),     F(announced, U32),
    F(landed, U32),  F(after, ORDINAL), F(live, BOOL),
};

#define N(name, kind) M(tc_trace_buffer, name, kind)
static const tc_member buffer_members[] = {
    N(address, U64),
    N(bytes, U64),
    B(tc_trace_buffer, space, TC_TRACE_SPACE_COUNT),
    N(name, TEXT),
    N(type, TEXT),
};

static const tc_member name_members[] = {
    M(tc_trace_name, address, U64),
    M(tc_trace_name, name, TEXT),
};

#define D(name, kind) M(tc_trace_finding, name, kind)
static const tc_member finding_members[] = {
    D(cycle, CYCLE),     D(cta, U32),      D(warp, U32),
    D(lane, U32),        D(line, ORDINAL), D(cause_line, ORDINAL),
    D(cause_cycle, U64), D(address, U64),  D(bytes, U64),
    D(kind, TEXT),       D(message, TEXT), D(object, TEXT),
};

#define T(name, kind) M(tc_trace_text, name, kind)
static const tc_member text_members[] = {
    T(first_line, ORDINAL), B(tc_trace_text, lines, TC_LINES_COUNT),
    T(name, TEXT),          T(text, TEXT),
    T(origins, TEXT),
};

typedef struct tc_trace_list {
    const char *name;
    const tc_member *members;
    size_t nmembers, size;
    size_t entries, n, cap; /* where a trace has them; cap 0: it keeps none */
} tc_trace_list;

#define LIST(name, what, at, count, capacity)                                  \
    {                                                                          \
        name, what##_members, sizeof what##_members / sizeof *what##_members,  \
            sizeof *((tc_trace *)0)->at, offsetof(tc_trace, at),               \
            offsetof(tc_trace, count), capacity                                \
    }
static const tc_trace_list lists[] = {
    LIST("events", event, events, n, offsetof(tc_trace, cap)),
    LIST("stretches", stretch, stretches, nstretches,
         offsetof(tc_trace, cstretches)),
    LIST("fields", field, fields, nfields, offsetof(tc_trace, cfields)),
    LIST("buffers", buffer, buffers, nbuffers, 0),
    LIST("names", name, names, nnames, 0),
    LIST("findings", finding, findings, nfindings, 0),
    LIST("texts", text, texts, ntexts, 0),
};
enum { LISTS = sizeof lists / sizeof *lists };

/* ---- writing ---- */

/* A text: its length, a colon, its bytes. */
static void put(tc_buf *out, const tc_member *m, const char *entry) {
    const void *p = entry + m->offset;
    switch (m->kind) {
    case CYCLE:
    case U64:
        tc_buf_printf(out, "%" PRIu64, *(const uint64_t *)p);
        break;
    case U32:
        tc_buf_printf(out, "%" PRIu32, *(const uint32_t *)p);
        break;
    case U16:
        tc_buf_printf(out, "%u", *(const uint16_t *)p);
        break;
    case U8:
    case BELOW:
        tc_buf_printf(out, "%u", *(const uint8_t *)p);
        break;
    case BOOL:
        tc_buf_printf(out, "%d", *(const bool *)p);
        break;
    case INT:
    case ORDINAL:
        tc_buf_printf(out, "%" PRId32, *(const int32_t *)p);
        break;
    case TEXT: {
        const char *text = *(char *const *)p;
        tc_buf_printf(out, "%zu:%s", strlen(text), text);
        break;
    }
    }
}

static void save_list(const tc_trace_list *l, const tc_trace *t, tc_buf *out) {
    const char *at = *(const char *const *)((const char *)t + l->entries);
    size_t n = *(const size_t *)((const char *)t + l->n);
    tc_buf_printf(out, "%s %zu\n", l->name, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < l->nmembers; k++) {
            put(out, &l->members[k], at + i * l->size);
            tc_buf_putc(out, k + 1 < l->nmembers ? ' ' : '\n');
        }
    }
}

void tc_trace_save(const tc_trace *t, tc_buf *out) {
    tc_buf_puts(out, magic);
    tc_buf_printf(out, "%" PRIu64 " %u %u %u %d %" PRIu64 " %zu\n", t->cycles,
                  t->ctas, t->warps, t->cluster, t->truncated, t->dropped,
                  t->naddresses);
    for (size_t i = 0; i < t->naddresses; i++) {
        for (int k = 0; k < 32; k++) {
            tc_buf_printf(out, "%" PRIu32 "%c", t->addresses[i][k],
                          k < 31 ? ' ' : '\n');
        }
    }
    for (int i = 0; i < LISTS; i++) {
        save_list(&lists[i], t, out);
    }
    const char *clock = t->clock != NULL ? t->clock : "";
    tc_buf_printf(out, "clock %zu:%s\n", strlen(clock), clock);
}

/* ---- reading ---- */

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

/* Between -2^31 and 2^31 - 1. */
static int32_t signed32(tc_reader *r, char after) {
    bool negative = !r->failed && r->at < r->end && *r->at == '-';
    r->at += negative;
    int64_t v = number(r, 0, (uint64_t)INT32_MAX + negative, after);
    return (int32_t)(negative ? -v : v);
}

static char *text(tc_reader *r, char after) {
    size_t n = (size_t)number(r, 0, 1 << 20, ':');
    if (!r->failed && ((size_t)(r->end - r->at) <= n || r->at[n] != after)) {
        fail(r, "the line is not one of a trace");
    }
    if (r->failed) {
        n = 0;
    }
    char *copy = tc_xmalloc(n + 1);
    memcpy(copy, r->at, n);
    copy[n] = 0;
    r->at += r->failed ? 0 : n + 1;
    return copy;
}

static void get(tc_reader *r, const tc_member *m, char *entry, char after) {
    void *p = entry + m->offset;
    switch (m->kind) {
    case CYCLE:
        *(uint64_t *)p = (uint64_t)number(r, 0, INT64_MAX / 2, after);
        break;
    case U64:
        *(uint64_t *)p = (uint64_t)number(r, 0, UINT64_MAX, after);
        break;
    case U32:
        *(uint32_t *)p = (uint32_t)number(r, 0, UINT32_MAX, after);
        break;
    case U16:
        *(uint16_t *)p = (uint16_t)number(r, 0, UINT16_MAX, after);
        break;
    case U8:
        *(uint8_t *)p = (uint8_t)number(r, 0, UINT8_MAX, after);
        break;
    case BELOW:
        *(uint8_t *)p = (uint8_t)number(r, 0, m->most - 1, after);
        break;
    case BOOL:
        *(bool *)p = number(r, 0, 1, after) != 0;
        break;
    case INT:
        *(int32_t *)p = signed32(r, after);
        break;
    case ORDINAL:
        *(int32_t *)p = (int32_t)number(r, -1, INT32_MAX, after);
        break;
    case TEXT:
        *(char **)p = text(r, after);
        break;
    }
}

static void expect(tc_reader *r, const char *word) {
    size_t n = strlen(word);
    if (!r->failed && ((size_t)(r->end - r->at) <= n ||
                       memcmp(r->at, word, n) != 0 || r->at[n] != ' ')) {
        fail(r, "the line is not one of a trace");
    }
    r->at += r->failed ? 0 : n + 1;
}

/* What no type says: an event's CTA and warp, its cause, its addresses. */
static void check_event(tc_reader *r, const tc_trace *t, size_t index) {
    const tc_trace_event *e = &t->events[index];
    if (r->failed) {
        return;
    }
    if (e->cause >= 0 && (size_t)e->cause >= index) {
        fail(r, "an event's cause comes before it");
    } else if (e->cta >= t->ctas || e->warp >= t->warps) {
        fail(r, "the trace has no such CTA or warp");
    } else if (e->where > t->naddresses) {
        fail(r, "the trace has no such addresses");
    }
}

static void load_list(tc_reader *r, const tc_trace_list *l, tc_trace *t) {
    char **at = (char **)(void *)((char *)t + l->entries);
    size_t *n = (size_t *)(void *)((char *)t + l->n);
    expect(r, l->name);
    size_t many = (size_t)number(r, 0, TC_TRACE_LIMIT, '\n');
    if (r->failed || (size_t)(r->end - r->at) < many) {
        fail(r, "the trace ends before its last line");
        return;
    }
    *at = tc_xcalloc(many + 1, l->size);
    if (l->cap) {
        *(size_t *)(void *)((char *)t + l->cap) = many + 1;
    }
    while (*n < many && !r->failed) {
        char *entry = *at + *n * l->size;
        ++*n; /* its texts are freed with it */
        for (size_t k = 0; k < l->nmembers; k++) {
            get(r, &l->members[k], entry, k + 1 < l->nmembers ? ' ' : '\n');
        }
        if (l->members == event_members) {
            check_event(r, t, *n - 1);
        }
    }
}

static void load_addresses(tc_reader *r, tc_trace *t, size_t many) {
    if (r->failed || (size_t)(r->end - r->at) / 64 < many) {
        fail(r, "the trace ends before its last line");
        return;
    }
    t->addresses = tc_xcalloc(many + 1, sizeof *t->addresses);
    t->naddresses = many;
    t->caddresses = many + 1;
    for (size_t i = 0; i < many && !r->failed; i++) {
        for (int k = 0; k < 32; k++) {
            t->addresses[i][k] =
                (uint32_t)number(r, 0, UINT32_MAX, k < 31 ? ' ' : '\n');
        }
    }
}

static void head(tc_reader *r, tc_trace *t) {
    t->cycles = (uint64_t)number(r, 0, INT64_MAX / 2, ' ');
    t->ctas = (uint32_t)number(r, 0, UINT32_MAX, ' ');
    t->warps = (uint32_t)number(r, 0, UINT32_MAX, ' ');
    t->cluster = (uint32_t)number(r, 0, UINT32_MAX, ' ');
    t->truncated = number(r, 0, 1, ' ') != 0;
    t->dropped = (uint64_t)number(r, 0, UINT64_MAX, ' ');
    load_addresses(r, t, (size_t)number(r, 0, TC_TRACE_LIMIT, '\n'));
}

tc_trace *tc_trace_load(const tc_source *source, tc_diags *diags) {
    tc_reader r = {source, diags, source->text, source->text + source->len,
                   false};
    tc_trace *t = tc_trace_new();
    if (source->len < strlen(magic) ||
        memcmp(source->text, magic, strlen(magic)) != 0) {
        fail(&r, "this is not a trace of version 3");
    }
    r.at += r.failed ? 0 : strlen(magic);
    head(&r, t);
    for (int i = 0; i < LISTS && !r.failed; i++) {
        load_list(&r, &lists[i], t);
    }
    expect(&r, "clock");
    t->clock = r.failed ? NULL : text(&r, '\n');
    if (!r.failed && r.at != r.end) {
        fail(&r, "the trace ends here, the file does not");
    }
    if (r.failed) {
        tc_trace_free(t);
        return NULL;
    }
    return t;
}
