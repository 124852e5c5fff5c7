/* pane_state.c - what the chosen warp does, waits for and has in flight;
 * every barrier's fields; stops; registers on request. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SOME = 32 };

/* Where the page is written to. */
typedef struct page {
    tc_area a;
    int y;
} page;

static void put(page *p, const char *text, tc_style style) {
    int n = tc_put_wrapped(p->a, p->y, 4, text, style);
    p->y += n > 0 ? n : 1;
}

static void put_buf(page *p, tc_buf *b, tc_style style) {
    put(p, tc_buf_text(b), style);
    tc_buf_clear(b);
}

/* ---- the warp ---- */

static void put_warp(const tc_view *v, page *p, int32_t warp) {
    const tc_model *m = v->from->model;
    tc_warp_at at = tc_model_warp_at(m, warp, v->cycle);
    tc_buf b = TC_BUF_INIT;
    tc_model_row_text(&b, m, warp, v->cycle);
    if (at.stalled && at.in != NULL && at.in->end != TC_OPEN) {
        tc_buf_printf(&b, " (cycles %" PRIu64 " to %" PRIu64 ")", at.in->begin,
                      at.in->end);
    }
    put_buf(p, &b, TC_STYLE(PLAIN, TC_BOLD));
    tc_buf_free(&b);
}

static bool is_owned(const tc_model *m, size_t r, int32_t warp) {
    return m->rows[r].parent == warp && m->rows[r].kind != TC_ROW_WARP;
}

static void put_interval(const tc_model *m, page *p, const tc_row *row,
                         const tc_interval *i) {
    tc_buf b = TC_BUF_INIT;
    tc_interval_name(&b, m, row, i);
    tc_buf_printf(&b, ": %s", tc_interval_kind_names[i->kind]);
    if (i->bytes > 0) {
        tc_buf_printf(&b, ", %" PRIu64 " bytes", i->bytes);
    }
    if (i->end != TC_OPEN) {
        tc_buf_printf(&b, ", until cycle %" PRIu64, i->end);
    }
    if (i->line > 0) {
        tc_buf_printf(&b, " (line %" PRId32 ")", i->line);
    }
    tc_style style = i->kind == TC_INTERVAL_LANDED ? TC_STYLE(LANDED, 0)
                                                   : TC_STYLE(FLIGHT, 0);
    if (i->finding) {
        tc_buf_puts(&b, " ! finding");
        style = TC_STYLE(FINDING, 0);
    }
    put_buf(p, &b, style);
    tc_buf_free(&b);
}

/* Groups and copies of the warp that are pending, or landed and not waited
 * for. */
static void put_pending(const tc_view *v, page *p, int32_t warp) {
    const tc_model *m = v->from->model;
    int none = 0, any = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_interval *at[SOME];
        if (!is_owned(m, r, warp)) {
            continue;
        }
        size_t n = tc_model_at(m, (int32_t)r, v->cycle, at, SOME);
        for (size_t i = 0; i < n && i < SOME; i++, any++) {
            put_interval(m, p, &m->rows[r], at[i]);
        }
        none++;
    }
    if (any == 0 && none > 0) {
        put(p, "nothing pending", TC_PLAIN);
    }
}

/* ---- barriers ---- */

static void put_waiters(const tc_model *m, tc_buf *b, int32_t row,
                        uint64_t cycle) {
    int32_t who[SOME];
    size_t n = tc_model_waiters(m, row, cycle, who, SOME);
    if (n == 0) {
        tc_buf_putc(b, '-');
    }
    for (size_t i = 0; i < n && i < SOME; i++) {
        const tc_row *w = &m->rows[who[i]];
        tc_buf_printf(b, i == 0 ? "%" PRIu32 : ",%" PRIu32, w->warp);
    }
}

/* "2048/8192": the bytes of this phase that have landed, and were announced. */
static int bytes_text(const tc_mbarrier_at *at, char *out, size_t size) {
    return snprintf(out, size, "%" PRIu64 "/%" PRIu64, at->landed,
                    at->announced);
}

/* The columns of the table that depend on what it has. */
typedef struct widths {
    int name, bytes;
} widths;

static void put_mbarrier(const tc_view *v, page *p, int32_t r, widths w) {
    const tc_model *m = v->from->model;
    tc_mbarrier_at at = tc_model_mbarrier_at(m, r, v->cycle);
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%-*s", w.name, m->rows[r].name);
    if (!at.live) {
        tc_buf_puts(&b, " not initialised");
    } else {
        char bytes[48];
        /* Copies that will arrive count as pending beside those expected. */
        uint32_t all = at.pending > at.expected ? at.pending : at.expected;
        bytes_text(&at, bytes, sizeof bytes);
        tc_buf_printf(
            &b, " %5" PRIu32 " %6" PRIu32 "   %3" PRIu32 "/%-3" PRIu32 " %*s  ",
            at.phase, at.parity, all - at.pending, all, w.bytes, bytes);
        put_waiters(m, &b, r, v->cycle);
    }
    put_buf(p, &b, r == v->row ? TC_STYLE(PLAIN, TC_BOLD) : TC_PLAIN);
    tc_buf_free(&b);
}

static bool is_mbarrier_of(const tc_row *row, uint32_t cta) {
    return row->kind == TC_ROW_MBARRIER && row->cta == cta;
}

static void put_mbarriers(const tc_view *v, page *p, uint32_t cta) {
    const tc_model *m = v->from->model;
    widths w = {sizeof "mbarrier" - 1, sizeof "landed" - 1};
    int n = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        if (is_mbarrier_of(&m->rows[r], cta)) {
            char bytes[48];
            tc_mbarrier_at at = tc_model_mbarrier_at(m, (int32_t)r, v->cycle);
            int len = (int)strlen(m->rows[r].name);
            int wide = bytes_text(&at, bytes, sizeof bytes);
            w.name = len > w.name ? len : w.name;
            w.bytes = at.live && wide > w.bytes ? wide : w.bytes;
            n++;
        }
    }
    if (n == 0) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%-*s phase parity arrived %*s  waits", w.name,
                  "mbarrier", w.bytes, "landed");
    put_buf(p, &b, TC_STYLE(TITLE, 0));
    tc_buf_free(&b);
    for (size_t r = 0; r < m->nrows; r++) {
        if (is_mbarrier_of(&m->rows[r], cta)) {
            put_mbarrier(v, p, (int32_t)r, w);
        }
    }
}

/* Barriers at which somebody has come and not all. */
static void put_barriers(const tc_view *v, page *p) {
    const tc_model *m = v->from->model;
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_interval *in;
        bool barrier = m->rows[r].kind == TC_ROW_BARRIER ||
                       m->rows[r].kind == TC_ROW_CLUSTER;
        if (barrier && tc_model_at(m, (int32_t)r, v->cycle, &in, 1) > 0) {
            tc_buf b = TC_BUF_INIT;
            tc_model_row_text(&b, m, (int32_t)r, v->cycle);
            put_buf(p, &b, TC_PLAIN);
            tc_buf_free(&b);
        }
    }
}

/* ---- the rest ---- */

static void put_stops(const tc_view *v, page *p) {
    if (v->nstops == 0) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, "stops at ");
    for (int i = 0; i < v->nstops; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? "; " : "", v->stops[i].text);
    }
    put_buf(p, &b, TC_STYLE(COMMIT, 0));
    tc_buf_free(&b);
}

void tc_view_ask_machine(tc_view *v, int32_t warp, const char *name) {
    const tc_model *m = v->from->model;
    tc_buf b = TC_BUF_INIT;
    if (v->machine != NULL && v->machine_cycle == v->cycle &&
        v->machine_row == warp && strcmp(v->machine_name, name) == 0) {
        return;
    }
    free(v->machine);
    if (v->from->machine != NULL && warp >= 0) {
        /* At the cycle's end: what the machine has before the next one. */
        uint64_t next = v->cycle < m->cycles ? v->cycle + 1 : m->cycles;
        v->from->machine(v->from->user, next, m->rows[warp].cta,
                         m->rows[warp].warp, name, &b);
    } else {
        tc_buf_printf(&b, "no values here: %s",
                      v->from->no_machine != NULL
                          ? v->from->no_machine
                          : "there is no machine to ask");
    }
    v->machine = tc_xstrdup(tc_buf_text(&b));
    v->machine_cycle = v->cycle;
    v->machine_row = warp;
    snprintf(v->machine_name, sizeof v->machine_name, "%s", name);
    tc_buf_free(&b);
}

static void put_registers(tc_view *v, page *p, int32_t warp) {
    tc_view_ask_machine(v, warp, "");
    put(p, "registers", TC_STYLE(TITLE, 0));
    const char *at = v->machine;
    while (*at != '\0') {
        size_t n = strcspn(at, "\n");
        size_t blanks = strspn(at, " ");
        tc_put_text(p->a, p->y++, 0, p->a.cols, at + blanks,
                    n > blanks ? n - blanks : 0, TC_PLAIN);
        at += n + (at[n] == '\n');
    }
}

void tc_pane_state_registers(tc_view *v) {
    v->registers = !v->registers;
    tc_view_message(v, v->registers ? "with the registers of the warp"
                                    : "without registers");
}

void tc_pane_state_draw(tc_view *v, tc_area a) {
    enum { MOST = 600 };
    const tc_model *m = v->from->model;
    tc_cell_grid g = tc_grid_new(MOST, a.cols, a.grid->unicode);
    page p = {tc_area_all(&g), 0};
    int32_t warp = tc_view_warp(v);
    uint32_t cta = tc_view_row(v)->cta;
    if (warp >= 0) {
        put_warp(v, &p, warp);
        put_pending(v, &p, warp);
        cta = m->rows[warp].cta;
    }
    put_mbarriers(v, &p, cta);
    put_barriers(v, &p);
    put_stops(v, &p);
    if (v->registers) {
        put_registers(v, &p, warp);
    }
    if (v->state_top > p.y - a.lines) {
        v->state_top = p.y > a.lines ? p.y - a.lines : 0;
    }
    for (int y = 0; y < a.lines && v->state_top + y < p.y; y++) {
        for (int x = 0; x < a.cols; x++) {
            const tc_cell *c = tc_grid_at(&g, v->state_top + y, x);
            tc_put(a, y, x, c->c, c->style);
        }
    }
    tc_grid_free(&g);
}
