/* state_text.c - what the machine held, as text. */
#include "run/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- where warps are ---- */

static void lanes_text(tc_buf *b, uint32_t mask) {
    const char *sep = "";
    for (int i = 0; i < 32; i++) {
        int j = i;
        if (!(mask >> i & 1)) {
            continue;
        }
        while (j < 31 && (mask >> (j + 1) & 1)) {
            j++;
        }
        tc_buf_printf(b, i == j ? "%s%d" : "%s%d-%d", sep, i, j);
        sep = ",";
        i = j;
    }
}

/* The instruction's own text: its line of the PTX. */
static void op_text(const tc_last_run *run, const tc_ptx_op *op, tc_buf *b) {
    const tc_source *src = run->module->source;
    int len = 0;
    const char *line = tc_describe_line(src, (int)op->ptx_line, &len);
    while (len > 0 && strchr(" \t", *line) != NULL) {
        line++;
        len--;
    }
    for (int i = 0; i < len; i++) {
        tc_buf_putc(b, line[i] == '\t' ? ' ' : line[i]);
    }
}

static void warp_text(const tc_last_run *run, const tc_state_warp *w,
                      uint32_t i, tc_buf *b) {
    if (w->alive == 0) {
        tc_buf_printf(b, "    warp %u: ended\n", i);
    }
    for (int k = 0; k < w->nsplits; k++) {
        const tc_state_split *p = &w->splits[k];
        tc_buf_printf(b, "    warp %u, lanes ", i);
        lanes_text(b, p->mask);
        tc_buf_puts(b, p->waits ? ": wait at " : ": next is ");
        if (p->op->line > 0 && p->op->file <= 1) {
            tc_buf_printf(b, "line %u, ", p->op->line);
        }
        tc_buf_printf(b, "PTX line %u: ", p->op->ptx_line);
        op_text(run, p->op, b);
        tc_buf_putc(b, '\n');
    }
}

void tc_state_warps_text(const tc_state_view *l, tc_buf *b) {
    for (uint32_t i = 0; l->cta != NULL && i < l->cta->nwarps; i++) {
        if (l->q->warp < 0 || l->q->warp == (int64_t)i) {
            warp_text(l->run, &l->cta->warps[i], i, b);
        }
    }
}

static void barrier_text(const tc_state_barrier *x, tc_buf *b) {
    if (x->id < 16) {
        tc_buf_printf(b, "    barrier %u", x->id);
    } else {
        tc_buf_puts(b, "    barrier of the cluster");
    }
    if (x->op->line > 0 && x->op->file <= 1) {
        tc_buf_printf(b, " (line %u)", x->op->line);
    }
    tc_buf_printf(b, ": %u of %u threads have arrived\n", x->arrived,
                  x->wanted);
}

void tc_state_barriers_text(const tc_state_view *l, tc_buf *b) {
    for (int i = 0; l->cta != NULL && i < l->cta->nbarriers; i++) {
        barrier_text(&l->cta->barriers[i], b);
    }
    for (int i = 0; l->cta != NULL && i < l->cta->nmbarriers; i++) {
        const tc_state_mbarrier *m = &l->cta->mbarriers[i];
        tc_buf_printf(b,
                      "    mbarrier %s: phase %u; %u of %u arrivals to come; "
                      "%d bytes to come\n",
                      tc_address_name(l->s, TC_PS_SHARED, m->offset), m->phase,
                      m->pending, m->expected, m->tx);
    }
}

/* ---- registers ---- */

static void value_text(tc_buf *b, const tc_ptx_reg *r, uint64_t v) {
    float f;
    double d;
    uint32_t word = (uint32_t)v;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &v, sizeof d);
    switch (r->type) {
    case TC_PT_F32:
        tc_buf_printf(b, "%.9g", (double)f);
        break;
    case TC_PT_F64:
        tc_buf_printf(b, "%.17g", d);
        break;
    case TC_PT_B64:
    case TC_PT_U64:
    case TC_PT_S64:
        tc_buf_printf(b, "0x%llx", (unsigned long long)v);
        break;
    default:
        tc_buf_printf(b, "%d", (int)word);
        break;
    }
}

static bool is_wide(const tc_ptx_reg *r) {
    return r->type == TC_PT_B64 || r->type == TC_PT_U64 ||
           r->type == TC_PT_S64 || r->type == TC_PT_F64;
}

/* The lanes' addresses and indices mostly count on: first, and by how much. */
static bool counts(const tc_state_warp *w, const tc_ptx_reg *r, int64_t *by) {
    uint64_t last = tc_state_register(w, r, 0);
    uint64_t d = tc_state_register(w, r, 1) - last;
    uint64_t mask = is_wide(r) ? UINT64_MAX : UINT32_MAX;
    for (int i = 1; i < 32; i++) {
        uint64_t v = tc_state_register(w, r, i);
        if (((v - last - d) & mask) != 0) {
            return false;
        }
        last = v;
    }
    *by = is_wide(r) ? (int64_t)d : (int32_t)(uint32_t)d;
    return r->type != TC_PT_F32 && r->type != TC_PT_F64 && r->type != TC_PT_F16;
}

/* One value where all lanes have it, or how it grows; else as many a line as
 * fit. */
void tc_state_reg_text(const tc_state_view *l, const tc_ptx_reg *r, tc_buf *b) {
    const tc_state_warp *w = tc_state_the_warp(l);
    int64_t lane = l->q->lane;
    uint64_t first = tc_state_register(w, r, lane < 0 ? 0 : (int)lane);
    int64_t by = 0;
    bool same = true, on = lane < 0 && counts(w, r, &by);
    for (int i = 0; i < 32 && lane < 0; i++) {
        same &= tc_state_register(w, r, i) == first;
    }
    tc_buf_printf(b, "    %.*s = ", (int)r->len, r->name);
    for (int i = 0; i < (same || on ? 1 : 32); i++) {
        tc_buf_puts(b, i == 0                          ? ""
                       : i % (is_wide(r) ? 4 : 8) == 0 ? "\n      "
                                                       : " ");
        value_text(b, r, same ? first : tc_state_register(w, r, i));
    }
    if (on && !same) {
        tc_buf_printf(b, " in lane 0, %s%lld a lane\n", by < 0 ? "" : "+",
                      (long long)by);
        return;
    }
    tc_buf_puts(b, same && lane < 0 ? "  (all lanes)\n" : "\n");
}

/* ---- memory ---- */

/* Words, eight a line of at most 80 columns; lines that repeat the one above
 * are one with a star. */
static void words_text(const uint8_t *at, uint64_t from, uint64_t n,
                       tc_buf *b) {
    enum { LINE = 32 };
    bool starred = false;
    for (uint64_t k = 0; k < n; k += LINE) {
        uint64_t len = n - k < LINE ? n - k : LINE;
        if (k > 0 && len == LINE && memcmp(at + k, at + k - LINE, LINE) == 0) {
            tc_buf_puts(b, starred ? "" : "\n  *");
            starred = true;
            continue;
        }
        starred = false;
        tc_buf_printf(b, "\n  +%-4llu", (unsigned long long)(from + k));
        for (uint64_t i = 0; i < len; i++) {
            tc_buf_printf(b, i % 4 ? "%02x" : " %02x", at[k + i]);
        }
    }
}

void tc_state_memory_text(const char *name, const tc_state_memory *m,
                          tc_buf *b) {
    enum { MOST = 512 };
    const char *plus = strchr(name, '+');
    uint64_t n = m->n < MOST ? m->n : MOST;
    uint64_t from = plus != NULL ? strtoull(plus, NULL, 10) : 0;
    bool typed = tc_state_has_values(m->type) &&
                 from % ((uint64_t)tc_dtypes[m->type].bits / 8) == 0;
    tc_buf_printf(b, "    %.*s, ",
                  (int)(plus != NULL ? plus - name : (long)strlen(name)), name);
    if (typed) {
        tc_buf_printf(b, "%s, ", tc_dtypes[m->type].name);
    }
    tc_buf_printf(b, "%llu bytes", (unsigned long long)(from + m->n));
    if (typed) {
        tc_state_values_text(m->type, m->at, from, n, b);
    } else {
        words_text(m->at, from, n, b);
    }
    tc_buf_puts(b, n < m->n ? "\n  ...\n" : "\n");
}
