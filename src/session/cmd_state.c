/* cmd_state.c - what the machine held at a cycle of the last run: where every
 * warp was, mbarriers, registers, shared memory. The run is made again up to
 * that cycle; it takes the same way. */
#include "session/finding_cuda.h"
#include "session/run.h"
#include "sim/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked for. */
typedef struct tc_state_query {
    uint64_t cycle;
    int64_t cta, warp, lane; /* -1: not said */
    const char **names;      /* registers and shared symbols */
    int nnames;
} tc_state_query;

/* ---- the question ---- */

static bool number(tc_session *s, const tc_args *a, int i, int64_t *out) {
    char *end;
    if (i >= a->n || a->words[i][0] < '0' || a->words[i][0] > '9') {
        tc_error(&s->diags, i < a->n ? a->spans[i] : a->span,
                 "state 812, state 812 warp 1 %r4", "a number is missing here");
        return false;
    }
    *out = strtoll(a->words[i], &end, 10);
    if (*end != '\0' || *out < 0) {
        tc_error(&s->diags, a->spans[i], NULL, "'%s' is no number",
                 a->words[i]);
        return false;
    }
    return true;
}

static bool read_query(tc_session *s, const tc_args *a, tc_state_query *q) {
    int64_t cycle;
    *q = (tc_state_query){.cta = -1, .warp = -1, .lane = -1};
    q->names = TC_NEWN(s->arena, const char *, (size_t)a->n + 1);
    if (!number(s, a, 0, &cycle)) {
        return false;
    }
    q->cycle = (uint64_t)cycle;
    for (int i = 1; i < a->n; i++) {
        int64_t *to = strcmp(a->words[i], "cta") == 0    ? &q->cta
                      : strcmp(a->words[i], "warp") == 0 ? &q->warp
                      : strcmp(a->words[i], "lane") == 0 ? &q->lane
                                                         : NULL;
        if (to == NULL) {
            q->names[q->nnames++] = a->words[i];
        } else if (!number(s, a, ++i, to)) {
            return false;
        }
    }
    return true;
}

/* ---- words ---- */

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
static void op_text(const tc_run *run, const tc_ptx_op *op, tc_buf *b) {
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

static void warp_text(const tc_run *run, const tc_state_warp *w, uint32_t i,
                      tc_buf *b) {
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

static void mbarrier_text(tc_session *s, const tc_state_mbarrier *m,
                          tc_buf *b) {
    tc_buf_printf(b,
                  "    mbarrier %s: phase %u; %u of %u arrivals to come; %d "
                  "bytes to come\n",
                  tc_address_name(s, TC_PS_SHARED, m->offset), m->phase,
                  m->pending, m->expected, m->tx);
}

static const tc_ptx_reg *find_reg(const tc_state_warp *w, const char *name) {
    for (int i = 0; i < w->func->nregs; i++) {
        const tc_ptx_reg *r = &w->func->regs[i];
        if (r->len == strlen(name) && memcmp(r->name, name, r->len) == 0) {
            return r;
        }
    }
    return NULL;
}

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
static void register_text(const tc_state_warp *w, const tc_ptx_reg *r,
                          int64_t lane, tc_buf *b) {
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

/* Words, eight a line of at most 80 columns; lines that repeat the one above
 * are one with a star. */
static void words_text(const uint8_t *at, uint64_t n, tc_buf *b) {
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
        tc_buf_printf(b, "\n  +%-4llu", (unsigned long long)k);
        for (uint64_t i = 0; i < len; i++) {
            tc_buf_printf(b, i % 4 ? "%02x" : " %02x", at[k + i]);
        }
    }
}

/* A symbol of shared memory: its words. */
static bool symbol_text(tc_session *s, const tc_state_cta *c, const char *name,
                        tc_buf *b) {
    enum { MOST = 512 };
    const tc_ptx_module *m = s->program.run->module;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if (y->space != TC_PS_SHARED || y->is_extern ||
            (strcmp(y->name, name) != 0 &&
             strcmp(tc_cuda_name(s->program.run->arena, y->name), name) != 0)) {
            continue;
        }
        uint64_t n = y->size < MOST ? y->size : MOST;
        tc_buf_printf(b, "    %s, %llu bytes", name,
                      (unsigned long long)y->size);
        n = y->offset >= c->nshared      ? 0
            : c->nshared - y->offset < n ? c->nshared - y->offset
                                         : n;
        words_text(&c->shared[y->offset], n, b);
        tc_buf_puts(b, n < y->size ? "\n  ...\n" : "\n");
        return true;
    }
    return false;
}

/* ---- the answer ---- */

static const tc_state_cta *find_cta(tc_session *s, const tc_args *a,
                                    const tc_sim_state *st, int64_t index) {
    for (uint32_t i = 0; i < st->nctas; i++) {
        if (index < 0 || st->ctas[i].index == index) {
            return &st->ctas[i];
        }
    }
    tc_error(&s->diags, a->span, NULL, "CTA %lld was not running at that cycle",
             (long long)index);
    return NULL;
}

static bool details_text(tc_session *s, const tc_args *a,
                         const tc_state_query *q, const tc_state_cta *c,
                         tc_buf *b) {
    const tc_state_warp *w = &c->warps[q->warp < 0 ? 0 : q->warp];
    for (int i = 0; i < q->nnames; i++) {
        const tc_ptx_reg *r = find_reg(w, q->names[i]);
        if (r != NULL) {
            register_text(w, r, q->lane, b);
        } else if (!symbol_text(s, c, q->names[i], b)) {
            tc_error(&s->diags, a->span, "`ptx` shows them",
                     "'%s' is no register of the kernel and no symbol of its "
                     "shared memory",
                     q->names[i]);
            return false;
        }
    }
    for (int i = 0; i < w->func->nregs && q->nnames == 0 && q->warp >= 0; i++) {
        register_text(w, &w->func->regs[i], q->lane, b);
    }
    return true;
}

static json_t *splits_json(const tc_state_warp *w) {
    json_t *list = json_array();
    for (int i = 0; i < w->nsplits; i++) {
        const tc_state_split *p = &w->splits[i];
        json_array_append_new(
            list, json_pack("{s:I,s:b,s:i,s:i}", "lanes", (json_int_t)p->mask,
                            "waits", p->waits, "line", (int)p->op->line,
                            "ptx_line", (int)p->op->ptx_line));
    }
    return list;
}

static json_t *registers_json(const tc_state_warp *w) {
    json_t *all = json_object();
    for (int i = 0; i < w->func->nregs; i++) {
        const tc_ptx_reg *r = &w->func->regs[i];
        json_t *lanes = json_array();
        for (int k = 0; k < 32; k++) {
            uint64_t v = tc_state_register(w, r, k);
            json_array_append_new(lanes, json_integer((json_int_t)v));
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)r->len, r->name);
        json_object_set_new(all, name, lanes);
    }
    return all;
}

/* The CTA asked for; registers as raw bits, of the warp asked for or all. */
static json_t *state_json(tc_session *s, const tc_state_query *q,
                          const tc_sim_state *st, const tc_state_cta *c) {
    json_t *warps = json_array(), *mbarriers = json_array();
    for (uint32_t i = 0; i < c->nwarps; i++) {
        if (q->warp < 0 || q->warp == (int64_t)i) {
            json_array_append_new(
                warps, json_pack("{s:i,s:o,s:o}", "warp", (int)i, "at",
                                 splits_json(&c->warps[i]), "registers",
                                 registers_json(&c->warps[i])));
        }
    }
    for (int i = 0; i < c->nmbarriers; i++) {
        const tc_state_mbarrier *m = &c->mbarriers[i];
        json_array_append_new(
            mbarriers,
            json_pack("{s:s,s:I,s:I,s:I,s:I}", "barrier",
                      tc_address_name(s, TC_PS_SHARED, m->offset), "phase",
                      (json_int_t)m->phase, "pending", (json_int_t)m->pending,
                      "expected", (json_int_t)m->expected, "tx",
                      (json_int_t)m->tx));
    }
    tc_buf hex = TC_BUF_INIT;
    for (uint32_t i = 0; i < c->nshared; i++) {
        tc_buf_printf(&hex, "%02x", c->shared[i]);
    }
    json_t *j =
        json_pack("{s:I,s:i,s:o,s:o,s:s}", "cycle", (json_int_t)st->cycle,
                  "cta", (int)c->index, "warps", warps, "mbarriers", mbarriers,
                  "shared", tc_buf_text(&hex));
    tc_buf_free(&hex);
    return j;
}

static bool answer(tc_session *s, const tc_args *a, const tc_state_query *q,
                   const tc_sim_state *st, tc_reply *r) {
    tc_buf *b = &r->text;
    const tc_state_cta *c = find_cta(s, a, st, q->cta);
    if (c == NULL) {
        return false;
    }
    if (q->warp >= (int64_t)c->nwarps || q->lane > 31) {
        tc_error(&s->diags, a->span, NULL,
                 "a CTA of this kernel has %u warps, and a warp 32 lanes",
                 c->nwarps);
        return false;
    }
    if (s->options.json) {
        r->json = state_json(s, q, st, c);
        return true;
    }
    tc_buf_printf(b, "at cycle %llu of %llu, CTA %u (%u running):\n",
                  (unsigned long long)st->cycle,
                  (unsigned long long)s->program.run->result.cycles, c->index,
                  st->nctas);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        if (q->warp < 0 || q->warp == (int64_t)i) {
            warp_text(s->program.run, &c->warps[i], i, b);
        }
    }
    for (int i = 0; i < c->nmbarriers && q->warp < 0; i++) {
        mbarrier_text(s, &c->mbarriers[i], b);
    }
    return details_text(s, a, q, c, b);
}

tc_status tc_cmd_state(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_state_query q;
    tc_status status;
    tc_sim_result result;
    if (!read_query(s, args, &q)) {
        return TC_USAGE;
    }
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    tc_run *run = s->program.run;
    if (run->no_state != NULL) {
        tc_error(&s->diags, args->span, NULL, "%s", run->no_state);
        return TC_FAILED;
    }
    bool simulated = run->sim != NULL || run->params != NULL;
    if (!simulated || q.cycle == 0 || q.cycle >= run->result.cycles) {
        tc_error(&s->diags, args->span, NULL,
                 !simulated ? "the last run was not the simulator's"
                            : "the last run has cycles 1 to %llu",
                 (unsigned long long)run->result.cycles - 1);
        return TC_FAILED;
    }
    tc_sim *again = tc_run_again(s, run, q.cycle, &result);
    bool ok = again != NULL && result.state != NULL &&
              answer(s, args, &q, result.state, r);
    if (!ok) {
        r->text.len = 0; /* an error says it all */
    }
    tc_sim_free(again);
    return ok ? TC_OK : TC_FAILED;
}
