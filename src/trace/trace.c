/* trace.c - the records of one launch. */
#include "trace/trace.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

#define X(id, name) name,
const char *const tc_trace_kind_names[TC_TRACE_KIND_COUNT] = {
    TC_TRACE_KINDS(X)};
const char *const tc_stall_names[TC_STALL_COUNT] = {TC_STALLS(X)};
#undef X

const char *const tc_trace_unit_names[TC_UNIT_COUNT] = {
    [TC_UNIT_ISSUE] = "issue", [TC_UNIT_LSU] = "lsu",
    [TC_UNIT_ASYNC] = "async", [TC_UNIT_BARRIER] = "barrier",
    [TC_UNIT_TMA] = "tma",     [TC_UNIT_TENSOR] = "tensor",
};

const char *const tc_trace_space_names[TC_TRACE_SPACE_COUNT] = {
    [TC_TRACE_SPACE_NONE] = "none",
    [TC_TRACE_SPACE_SHARED] = "shared",
    [TC_TRACE_SPACE_GLOBAL] = "global",
    [TC_TRACE_SPACE_TENSOR] = "tensor",
};

const char *const tc_trace_object_names[TC_OBJECT_COUNT] = {
    [TC_OBJECT_NONE] = "none",
    [TC_OBJECT_GROUP] = "group",
    [TC_OBJECT_BULK_GROUP] = "bulk group",
    [TC_OBJECT_MBARRIER] = "mbarrier",
    [TC_OBJECT_BARRIER] = "barrier",
    [TC_OBJECT_CLUSTER] = "cluster barrier",
    [TC_OBJECT_TMEM_LOAD] = "tmem-load",
    [TC_OBJECT_TMEM_STORE] = "tmem-store",
    [TC_OBJECT_MMA_GROUP] = "mma group",
};

bool tc_trace_is_issue(int kind) {
    return kind == TC_TRACE_ISSUE || kind == TC_TRACE_BULK ||
           kind == TC_TRACE_TENSOR || kind == TC_TRACE_TMEM_LOAD ||
           kind == TC_TRACE_TMEM_STORE || kind == TC_TRACE_MMA;
}

bool tc_trace_is_plain(int kind) {
    return kind == TC_TRACE_LOAD || kind == TC_TRACE_STORE;
}

tc_trace *tc_trace_new(void) {
    return tc_xcalloc(1, sizeof(tc_trace));
}

static void free_names(tc_trace *t) {
    for (size_t i = 0; i < t->nbuffers; i++) {
        free(t->buffers[i].name);
        free(t->buffers[i].type);
    }
    for (size_t i = 0; i < t->nnames; i++) {
        free(t->names[i].name);
    }
    for (size_t i = 0; i < t->nfindings; i++) {
        free(t->findings[i].kind);
        free(t->findings[i].message);
        free(t->findings[i].object);
    }
    for (size_t i = 0; i < t->ntexts; i++) {
        free(t->texts[i].name);
        free(t->texts[i].text);
        free(t->texts[i].origins);
    }
    free(t->clock);
}

void tc_trace_free(tc_trace *t) {
    if (t) {
        free_names(t);
        free(t->events);
        free(t->addresses);
        free(t->stretches);
        free(t->fields);
        free(t->buffers);
        free(t->names);
        free(t->findings);
        free(t->texts);
        free(t);
    }
}

/* ---- recording ---- */

/* Room for one more of `size` bytes. */
static void *grow(void *old, size_t n, size_t *cap, size_t size) {
    if (n < *cap) {
        return old;
    }
    *cap = *cap ? *cap * 2 : 256;
    return tc_xrealloc(old, *cap * size);
}

/* The oldest half of a full ring goes at once: an entry costs the same on
 * average. Returns how many stay. */
static size_t drop_half(void *entries, size_t n, size_t size) {
    size_t half = n / 2;
    memmove(entries, (char *)entries + half * size, (n - half) * size);
    return n - half;
}

/* The addresses of events that are gone go with them. */
static void drop_addresses(tc_trace *t) {
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->events[i].where > 0) {
            size_t from = (size_t)t->events[i].where - 1;
            memmove(t->addresses[kept], t->addresses[from],
                    sizeof *t->addresses);
            t->events[i].where = (uint32_t)++kept;
        }
    }
    t->naddresses = kept;
}

static void drop_oldest(tc_trace *t) {
    size_t kept = drop_half(t->events, t->n, sizeof *t->events);
    t->dropped += t->n - kept;
    t->n = kept;
    t->truncated = true;
    drop_addresses(t);
}

int32_t tc_trace_add(tc_trace *t, const tc_trace_event *e) {
    if (t->dropped + t->n >= INT32_MAX) {
        t->truncated = true;
        return -1;
    }
    if (t->n == TC_TRACE_LIMIT) {
        drop_oldest(t);
    }
    t->events = grow(t->events, t->n, &t->cap, sizeof *t->events);
    t->events[t->n] = *e;
    return (int32_t)(t->dropped + t->n++);
}

tc_trace_event *tc_trace_at(tc_trace *t, int32_t number) {
    uint64_t n = (uint64_t)number;
    bool kept = number >= 0 && n >= t->dropped && n - t->dropped < t->n;
    return kept ? &t->events[n - t->dropped] : NULL;
}

void tc_trace_add_stretch(tc_trace *t, const tc_trace_stretch *s) {
    if (t->nstretches == TC_TRACE_LIMIT) {
        t->nstretches =
            drop_half(t->stretches, t->nstretches, sizeof *t->stretches);
        t->truncated = true;
    }
    t->stretches =
        grow(t->stretches, t->nstretches, &t->cstretches, sizeof *t->stretches);
    t->stretches[t->nstretches++] = *s;
}

void tc_trace_add_fields(tc_trace *t, const tc_trace_fields *f) {
    if (t->nfields == TC_TRACE_LIMIT) {
        t->nfields = drop_half(t->fields, t->nfields, sizeof *t->fields);
        t->truncated = true;
    }
    t->fields = grow(t->fields, t->nfields, &t->cfields, sizeof *t->fields);
    t->fields[t->nfields++] = *f;
}

static int32_t shifted(int32_t number, uint64_t dropped) {
    int64_t at = (int64_t)number - (int64_t)dropped;
    return at < 0 ? -1 : (int32_t)at;
}

void tc_trace_finish(tc_trace *t) {
    for (size_t i = 0; t->dropped && i < t->n; i++) {
        t->events[i].cause = shifted(t->events[i].cause, t->dropped);
    }
    for (size_t i = 0; t->dropped && i < t->nfields; i++) {
        t->fields[i].after = shifted(t->fields[i].after, t->dropped);
    }
}

/* ---- addresses of lanes ---- */

static int next_lane(uint32_t *lanes) {
    int i = __builtin_ctz(*lanes);
    *lanes &= *lanes - 1;
    return i;
}

/* Do the active lanes' addresses rise by e->stride? */
static bool has_stride(tc_trace_event *e, const uint64_t *address) {
    uint32_t m = e->lanes;
    uint64_t last = address[next_lane(&m)];
    bool first = true;
    e->stride = 0;
    while (m) {
        uint64_t at = address[next_lane(&m)];
        int64_t by = (int64_t)(at - last);
        if (by != (int32_t)by || (!first && by != e->stride)) {
            return false;
        }
        e->stride = (int32_t)by;
        first = false;
        last = at;
    }
    return true;
}

void tc_trace_lanes(tc_trace *t, tc_trace_event *e, const uint64_t *address) {
    e->where = 0;
    if (e->lanes == 0) {
        return;
    }
    uint64_t base = e->address = address[__builtin_ctz(e->lanes)];
    if (has_stride(e, address)) {
        return;
    }
    e->stride = 0;
    t->addresses =
        grow(t->addresses, t->naddresses, &t->caddresses, sizeof *t->addresses);
    for (int i = 0; i < 32; i++) {
        t->addresses[t->naddresses][i] =
            e->lanes >> i & 1 ? (uint32_t)(address[i] - base) : 0;
    }
    e->where = (uint32_t)++t->naddresses;
}

uint64_t tc_trace_lane(const tc_trace *t, const tc_trace_event *e, int lane) {
    if (e->where > 0) {
        return e->address +
               (uint64_t)(int64_t)(int32_t)t->addresses[e->where - 1][lane];
    }
    uint32_t below = e->lanes & ((UINT32_C(1) << lane) - 1);
    return e->address +
           (uint64_t)((int64_t)e->stride * __builtin_popcount(below));
}

/* ---- names ---- */

static char *copy(const char *text) {
    size_t n = strlen(text != NULL ? text : "") + 1;
    return memcpy(tc_xmalloc(n), text != NULL ? text : "", n);
}

void tc_trace_add_buffer(tc_trace *t, const tc_trace_buffer *b) {
    t->buffers =
        tc_xrealloc(t->buffers, (t->nbuffers + 1) * sizeof *t->buffers);
    tc_trace_buffer *to = &t->buffers[t->nbuffers++];
    *to = *b;
    to->name = copy(b->name);
    to->type = copy(b->type);
}

void tc_trace_add_name(tc_trace *t, uint64_t address, const char *name) {
    t->names = tc_xrealloc(t->names, (t->nnames + 1) * sizeof *t->names);
    t->names[t->nnames++] = (tc_trace_name){copy(name), address};
}

void tc_trace_add_finding(tc_trace *t, const tc_trace_finding *f) {
    t->findings =
        tc_xrealloc(t->findings, (t->nfindings + 1) * sizeof *t->findings);
    tc_trace_finding *to = &t->findings[t->nfindings++];
    *to = *f;
    to->kind = copy(f->kind);
    to->message = copy(f->message);
    to->object = copy(f->object);
}

void tc_trace_add_text(tc_trace *t, const tc_trace_text *x) {
    if (strlen(x->text) >= TC_TRACE_TEXT ||
        (x->origins != NULL && strlen(x->origins) >= TC_TRACE_TEXT)) {
        return;
    }
    t->texts = tc_xrealloc(t->texts, (t->ntexts + 1) * sizeof *t->texts);
    tc_trace_text *to = &t->texts[t->ntexts++];
    *to = *x;
    to->name = copy(x->name);
    to->text = copy(x->text);
    to->origins = copy(x->origins);
}

void tc_trace_set_clock(tc_trace *t, const char *clock) {
    free(t->clock);
    t->clock = copy(clock);
}

const char *tc_trace_clock_words(const tc_trace *t) {
    static const char *const words[][2] = {
        {"sass", ", by its machine code"},
        {"ptx", ", by its PTX"},
        {"none", ", one an instruction: timing is off"},
    };
    for (size_t i = 0; t->clock != NULL && i < sizeof words / sizeof *words;
         i++) {
        if (strcmp(words[i][0], t->clock) == 0) {
            return words[i][1];
        }
    }
    return "";
}

const tc_trace_text *tc_trace_text_of(const tc_trace *t, tc_trace_lines lines) {
    for (size_t i = 0; i < t->ntexts; i++) {
        if (t->texts[i].lines == lines) {
            return &t->texts[i];
        }
    }
    return NULL;
}

const char *tc_trace_name_of(const tc_trace *t, uint64_t address) {
    for (size_t i = 0; i < t->nnames; i++) {
        if (t->names[i].address == address) {
            return t->names[i].name;
        }
    }
    return NULL;
}

void tc_trace_put_lanes(tc_buf *b, uint32_t lanes) {
    const char *comma = "";
    for (int i = 0; i < 32; i++) {
        if ((lanes >> i & 1) == 0) {
            continue;
        }
        int j = i;
        while (j < 31 && (lanes >> (j + 1) & 1) != 0) {
            j++;
        }
        tc_buf_printf(b, j > i ? "%s%d-%d" : "%s%d", comma, i, j);
        comma = ",";
        i = j;
    }
}
