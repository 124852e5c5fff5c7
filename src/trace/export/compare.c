/* compare.c - two runs from their start, and the difference in cycles at
 * each point. */
#include "trace/export/export.h"

#include <inttypes.h>
#include <string.h>

/* A row of one of the runs. */
typedef struct tc_compared_row {
    const tc_model *m;
    const tc_row *row; /* NULL: that run has none */
} tc_compared_row;

static const tc_trace_event *event_of(tc_compared_row s, const tc_mark *k) {
    return s.m->order[s.row->events[k->first]];
}

/* Lanes that come to a barrier apart leave it together: that is one point. */
static bool is_repeated(const tc_row *row, size_t mark) {
    const tc_mark *k = &row->marks[mark];
    for (size_t i = mark; k->kind == TC_TRACE_BARRIER && i-- > 0;) {
        if (row->marks[i].kind == TC_TRACE_BARRIER) {
            return row->marks[i].end == k->end;
        }
    }
    return false;
}

/* What both runs can be compared at. Loads and stores are folded differently. */
static bool is_point(const tc_row *row, size_t mark) {
    uint8_t kind = row->marks[mark].kind;
    bool compared = kind == TC_TRACE_COMMIT || kind == TC_TRACE_WAIT ||
                    kind == TC_TRACE_BARRIER || kind == TC_TRACE_EXIT ||
                    kind == TC_TRACE_PHASE || tc_trace_is_issue(kind);
    return compared && !is_repeated(row, mark);
}

/* Are they the same thing, of the same group, of the same phase? An mbarrier may
 * lie elsewhere in the other run: its name counts. */
static bool is_alike(tc_compared_row a, const tc_mark *x, tc_compared_row b,
                     const tc_mark *y) {
    const tc_trace_event *e = event_of(a, x), *f = event_of(b, y);
    if (e->kind != f->kind || e->object != f->object || e->group != f->group ||
        e->phase != f->phase) {
        return false;
    }
    const char *p = tc_trace_name_of(a.m->trace, e->barrier);
    const char *q = tc_trace_name_of(b.m->trace, f->barrier);
    return e->object != TC_OBJECT_MBARRIER || p == NULL || q == NULL ||
           strcmp(p, q) == 0;
}

/* The mark of b that is to the others there what a's is to its own; NULL: there
 * is none. */
static const tc_mark *counterpart(tc_compared_row a, size_t mark,
                                  tc_compared_row b) {
    const tc_mark *k = &a.row->marks[mark];
    size_t n = 0;
    for (size_t i = 0; i < mark; i++) {
        n += is_point(a.row, i) && is_alike(a, &a.row->marks[i], a, k);
    }
    for (size_t i = 0; b.row != NULL && i < b.row->nmarks; i++) {
        if (is_point(b.row, i) && is_alike(b, &b.row->marks[i], a, k) &&
            n-- == 0) {
            return &b.row->marks[i];
        }
    }
    return NULL;
}

static size_t ordinal(const tc_row *row, size_t mark) {
    size_t n = 0;
    for (size_t i = 0; i < mark; i++) {
        n += row->marks[i].kind == row->marks[mark].kind && is_point(row, i);
    }
    return n;
}

static void put_point(const tc_mark *a, const tc_mark *b, size_t n,
                      tc_buf *out) {
    const tc_mark *any = a != NULL ? a : b;
    tc_buf line = TC_BUF_INIT;
    tc_buf_printf(&line, "  %s %zu", tc_trace_kind_names[any->kind], n);
    tc_buf_printf(out, "%-24s", tc_buf_text(&line));
    tc_buf_free(&line);
    if (a != NULL) {
        tc_buf_printf(out, " %12" PRIu64, a->end);
    } else {
        tc_buf_printf(out, " %12s", "-");
    }
    if (b != NULL) {
        tc_buf_printf(out, " %12" PRIu64, b->end);
    } else {
        tc_buf_printf(out, " %12s", "-");
    }
    if (a != NULL && b != NULL) {
        tc_buf_printf(out, " %+12" PRId64, (int64_t)(b->end - a->end));
    }
    tc_buf_putc(out, '\n');
}

static void put_row(tc_compared_row a, tc_compared_row b, tc_buf *out) {
    tc_buf_printf(out, "%s\n", a.row != NULL ? a.row->name : b.row->name);
    for (size_t i = 0; a.row != NULL && i < a.row->nmarks; i++) {
        if (is_point(a.row, i)) {
            put_point(&a.row->marks[i], counterpart(a, i, b), ordinal(a.row, i),
                      out);
        }
    }
    for (size_t i = 0; b.row != NULL && i < b.row->nmarks; i++) {
        if (is_point(b.row, i) &&
            (a.row == NULL || counterpart(b, i, a) == NULL)) {
            put_point(NULL, &b.row->marks[i], ordinal(b.row, i), out);
        }
    }
}

static const tc_row *same_row(const tc_model *m, const tc_row *of) {
    for (size_t i = 0; i < m->nrows; i++) {
        if (m->rows[i].kind == of->kind && m->rows[i].cta == of->cta &&
            strcmp(m->rows[i].name, of->name) == 0) {
            return &m->rows[i];
        }
    }
    return NULL;
}

static bool is_compared(const tc_row *row) {
    return row->kind == TC_ROW_WARP || row->kind == TC_ROW_MBARRIER;
}

void tc_model_compare(const tc_model *a, const char *name_a, const tc_model *b,
                      const char *name_b, tc_buf *out) {
    enum { MOST = 32 }; /* rows */
    size_t told = 0;
    tc_buf_printf(out, "%-24s %12.12s %12.12s %12s\n", "cycles at the end of",
                  name_a, name_b, "difference");
    tc_buf_printf(out, "%-24s %12" PRIu64 " %12" PRIu64 " %+12" PRId64 "\n",
                  "the run", a->cycles, b->cycles,
                  (int64_t)(b->cycles - a->cycles));
    for (size_t i = 0; i < a->nrows && told < MOST; i++) {
        if (is_compared(&a->rows[i])) {
            put_row((tc_compared_row){a, &a->rows[i]},
                    (tc_compared_row){b, same_row(b, &a->rows[i])}, out);
            told++;
        }
    }
    for (size_t i = 0; i < b->nrows && told < MOST; i++) {
        if (is_compared(&b->rows[i]) && same_row(a, &b->rows[i]) == NULL) {
            put_row((tc_compared_row){a, NULL},
                    (tc_compared_row){b, &b->rows[i]}, out);
            told++;
        }
    }
    if (told == MOST) {
        tc_buf_printf(out, "(the first %d warps and mbarriers)\n", MOST);
    }
}
