/* sentences.c - the timeline for who reads or hears it line by line. */
#include "trace/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_interval(const tc_model *m, const tc_row *row,
                         const tc_interval *i, tc_buf *out) {
    tc_buf_puts(out, "  ");
    tc_interval_name(out, m, row, i);
    if (row->kind != TC_ROW_WARP && i->kind != TC_INTERVAL_WAITED) {
        tc_buf_printf(out, " %s", tc_interval_kind_names[i->kind]);
    } else if (i->kind == TC_INTERVAL_STALL) {
        tc_buf_puts(out, " stall");
    }
    tc_buf_printf(out, ": cycles %" PRIu64 " to ", i->begin);
    if (i->end == TC_OPEN) {
        tc_buf_puts(out, "the end");
    } else {
        tc_buf_printf(out, "%" PRIu64, i->end);
    }
    if (i->bytes) {
        tc_buf_printf(out, ", %" PRIu64 " bytes", i->bytes);
    }
    if (i->line > 0) {
        tc_buf_printf(out, ", line %" PRId32, i->line);
    }
    if (i->kind == TC_INTERVAL_UNCOMMITTED && i->end == TC_OPEN) {
        tc_buf_puts(out, "; no commit takes them, no wait guarantees them");
    }
    tc_buf_puts(out, ".\n");
}

static void put_rows(const tc_model *m, tc_buf *out) {
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        tc_buf_printf(out, "%s:\n", row->name);
        for (size_t i = 0; i < row->nintervals; i++) {
            put_interval(m, row, &row->intervals[i], out);
        }
    }
}

/* A mark of some row: of an event that is on several, the first row's. */
typedef struct tc_told {
    uint32_t position, row, mark;
} tc_told;

static int by_position(const void *a, const void *b) {
    const tc_told *x = a, *y = b;
    if (x->position != y->position) {
        return x->position < y->position ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

static tc_told *find_steps(const tc_model *m, size_t *n) {
    size_t all = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        all += m->rows[r].nmarks;
    }
    tc_told *steps = tc_xmalloc((all + 1) * sizeof *steps);
    *n = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        for (size_t k = 0; k < m->rows[r].nmarks; k++) {
            const tc_row *row = &m->rows[r];
            steps[(*n)++] = (tc_told){row->events[row->marks[k].first],
                                      (uint32_t)r, (uint32_t)k};
        }
    }
    qsort(steps, *n, sizeof *steps, by_position);
    return steps;
}

static void put_step(const tc_model *m, const tc_told *s, tc_buf *out) {
    const tc_row *row = &m->rows[s->row];
    const tc_mark *k = &row->marks[s->mark];
    tc_buf_printf(out, "cycle %" PRIu64 ": ", k->cycle);
    tc_model_mark_text(out, m, row, k);
    if (k->line > 0) {
        tc_buf_printf(out, ", line %" PRId32, k->line);
    }
    tc_buf_puts(out, k->finding ? ". A finding is here.\n" : ".\n");
}

/* Steps at positions from `from` on, at most `most`. */
static void put_steps(const tc_model *m, size_t from, size_t most,
                      tc_buf *out) {
    size_t n, told = 0;
    tc_told *steps = find_steps(m, &n);
    for (size_t i = 0; i < n && told < most; i++) {
        bool again = i && steps[i].position == steps[i - 1].position;
        if (!again && steps[i].position >= from) {
            put_step(m, &steps[i], out);
            told++;
        }
    }
    free(steps);
}

static void put_findings(const tc_model *m, tc_buf *out) {
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        const tc_trace_finding *f = &m->trace->findings[i];
        tc_buf_printf(
            out, "finding %zu at cycle %" PRIu64 ", line %" PRId32 ": %s: %s\n",
            i + 1, f->cycle, f->line, f->kind, f->message);
    }
}

void tc_model_sentences(const tc_model *m, tc_buf *out) {
    tc_buf_printf(out, "The run took %" PRIu64 " cycles%s.\n", m->cycles,
                  tc_trace_clock_words(m->trace));
    if (m->first > 0) {
        tc_buf_printf(out,
                      "What happened before cycle %" PRIu64 " was not kept.\n",
                      m->first);
    }
    put_findings(m, out);
    put_rows(m, out);
    put_steps(m, 0, SIZE_MAX, out);
}

void tc_model_sentences_at(const tc_model *m, uint64_t cycle, tc_buf *out) {
    enum { NEXT = 5 };
    tc_buf_printf(out, "At cycle %" PRIu64 " of %" PRIu64 ":\n", cycle,
                  m->cycles);
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        if (m->trace->findings[i].cycle == cycle) {
            tc_buf_printf(out, "finding %zu: %s: %s\n", i + 1,
                          m->trace->findings[i].kind,
                          m->trace->findings[i].message);
        }
    }
    for (size_t r = 0; r < m->nrows; r++) {
        tc_model_row_text(out, m, (int32_t)r, cycle);
        tc_buf_puts(out, ".\n");
    }
    tc_buf_puts(out, "Then:\n");
    put_steps(m, tc_model_seek(m, cycle), NEXT, out);
}
