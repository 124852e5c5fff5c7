/* compare.c - two runs from their start, and the difference in cycles at
 * each point. */
#include "trace/export/export.h"

#include <inttypes.h>
#include <string.h>

/* What both runs can be compared at. Loads and stores are folded differently. */
static bool is_point(const tc_mark *k) {
    return k->kind == TC_TRACE_COMMIT || k->kind == TC_TRACE_WAIT ||
           k->kind == TC_TRACE_BARRIER || k->kind == TC_TRACE_EXIT ||
           k->kind == TC_TRACE_PHASE || tc_trace_is_issue(k->kind);
}

/* The n-th mark of this kind in the row, or NULL. */
static const tc_mark *nth(const tc_row *row, uint8_t kind, size_t n) {
    for (size_t i = 0; row != NULL && i < row->nmarks; i++) {
        if (row->marks[i].kind == kind && n-- == 0) {
            return &row->marks[i];
        }
    }
    return NULL;
}

static size_t ordinal(const tc_row *row, size_t mark) {
    size_t n = 0;
    for (size_t i = 0; i < mark; i++) {
        n += row->marks[i].kind == row->marks[mark].kind;
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

static void put_row(const tc_row *a, const tc_row *b, tc_buf *out) {
    tc_buf_printf(out, "%s\n", a != NULL ? a->name : b->name);
    for (size_t i = 0; a != NULL && i < a->nmarks; i++) {
        if (is_point(&a->marks[i])) {
            size_t n = ordinal(a, i);
            put_point(&a->marks[i], nth(b, a->marks[i].kind, n), n, out);
        }
    }
    for (size_t i = 0; b != NULL && i < b->nmarks; i++) {
        size_t n = is_point(&b->marks[i]) ? ordinal(b, i) : 0;
        if (is_point(&b->marks[i]) && nth(a, b->marks[i].kind, n) == NULL) {
            put_point(NULL, &b->marks[i], n, out);
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
            put_row(&a->rows[i], same_row(b, &a->rows[i]), out);
            told++;
        }
    }
    for (size_t i = 0; i < b->nrows && told < MOST; i++) {
        if (is_compared(&b->rows[i]) && same_row(a, &b->rows[i]) == NULL) {
            put_row(NULL, &b->rows[i], out);
            told++;
        }
    }
    if (told == MOST) {
        tc_buf_printf(out, "(the first %d warps and mbarriers)\n", MOST);
    }
}
