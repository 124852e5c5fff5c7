/* finding_missing.c - the line that is missing, in the terms of the source. */
#include "explain/finding.h"
#include "explain/finding_cuda.h"

typedef struct missing_row {
    const char *pending, *ptx, *script;
} missing_row;

static const missing_row rows[TC_MISSING_COUNT] = {
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda)                \
    {pending, ptx, script},
#include "sim/findings.def"
};

const char *tc_missing_pending(tc_missing missing) {
    return rows[missing].pending;
}

const char *tc_missing_template(tc_missing missing, bool script) {
    const missing_row *r = &rows[missing];
    return script && r->script != NULL ? r->script : r->ptx;
}

/* --- the fields ------------------------------------------------------------*/

#define FIELD(name)                                                            \
    static void name(const tc_sentence *x, const tc_access *side, tc_buf *b)

FIELD(put_number) {
    (void)x;
    tc_buf_printf(b, "%d", tc_finding_line(side));
}

FIELD(put_line) {
    (void)x;
    tc_buf_printf(b, "line %d", tc_finding_line(side));
}

FIELD(put_n) {
    (void)side;
    tc_buf_printf(b, "%lld", (long long)x->finding->missing_n);
}

FIELD(put_plural) {
    (void)side;
    tc_buf_puts(b, tc_describe_plural((uint64_t)x->finding->missing_n));
}

static bool loads(const tc_ptx_op *op) {
    return op && tc_ptx_effect_of(op) == TC_PTX_EFFECT_LOAD;
}

tc_between tc_finding_between(const tc_ptx_module *m, const tc_finding *f,
                              uint32_t at, uint32_t cause, bool order,
                              bool *turned) {
    const tc_ptx_op *to = f->at.op, *from = f->cause.op;
    bool loops = tc_code_loops(m, to, from);
    bool unrolled = order && cause > at && from < to;
    *turned = false;
    if (order && cause == at) {
        bool one = to == from || (to && from && to->opcode == from->opcode);
        if (one) {
            return loops || to != from ? TC_BETWEEN_TURNS : TC_BETWEEN_NOWHERE;
        }
        bool next = loads(to) && loops && !f->reader_first;
        return next ? TC_BETWEEN_TURNS : TC_BETWEEN_WITHIN;
    }
    if (order ? cause < at : from < to) {
        return TC_BETWEEN_LINES;
    }
    if (!f->reader_first && (loops || unrolled)) {
        return TC_BETWEEN_ROUND;
    }
    *turned = true;
    return TC_BETWEEN_LINES;
}

FIELD(put_between) {
    int at = tc_finding_line(&x->finding->at);
    int cause = tc_finding_line(&x->finding->cause);
    bool turned;
    (void)side;
    switch (tc_finding_between(x->session->program.run->module, x->finding,
                               (uint32_t)at, (uint32_t)cause, true, &turned)) {
    case TC_BETWEEN_TURNS:
    case TC_BETWEEN_NOWHERE:
        tc_buf_printf(b, " between two turns of line %d", at);
        break;
    case TC_BETWEEN_WITHIN:
        tc_buf_printf(b, " between the read and the write of line %d", at);
        break;
    case TC_BETWEEN_ROUND:
        tc_buf_printf(b, " after line %d, before line %d comes round again",
                      cause, at);
        break;
    case TC_BETWEEN_LINES:
        tc_buf_printf(b, " between lines %d and %d", turned ? at : cause,
                      turned ? cause : at);
        break;
    }
}

FIELD(put_ld_or_st) {
    const tc_access *c = &x->finding->cause;
    (void)side;
    tc_buf_puts(b, c->valid && c->op != NULL &&
                           tc_ptx_effect_of(c->op) == TC_PTX_EFFECT_TMEM_STORE
                       ? "st"
                       : "ld");
}

FIELD(put_wgmma_wait) {
    static const char commit[] =
        "wgmma.commit_group after {cause}, and wgmma.wait_group 0";
    (void)side;
    tc_template_fill(
        x->finding->missing_n ? commit : "wgmma.wait_group 0 after {cause} and",
        tc_missing_fields(), x, b);
}

FIELD(put_again) {
    (void)side;
    tc_buf_puts(b, x->finding->cause.valid ? "again " : "");
}

FIELD(put_expect_tx) {
    long long n = (long long)x->finding->missing_n;
    (void)side;
    if (n >= 0) {
        tc_buf_printf(b, "an expect_tx of %lld bytes", n);
    } else {
        tc_buf_puts(b, "an expect_tx of all bytes that are copied");
    }
}

static const tc_field list[] = {{".number", put_number},
                                {".line", put_line},
                                {"n", put_n},
                                {"s", put_plural},
                                {"between", put_between},
                                {"ld.st", put_ld_or_st},
                                {"again", put_again},
                                {"wait.wgmma", put_wgmma_wait},
                                {"expect.tx", put_expect_tx}};

const tc_fields *tc_missing_fields(void) {
    static const tc_fields fields = {list, sizeof list / sizeof *list};
    return &fields;
}

void tc_finding_missing(tc_session *s, const tc_finding *f, tc_buf *b) {
    if (tc_finding_cuda(s) != NULL && tc_cuda_missing(s, f, b)) {
        return;
    }
    tc_sentence x = {.session = s, .finding = f};
    bool script = s->program.run->file == NULL;
    tc_template_fill(tc_missing_template(f->missing, script),
                     tc_missing_fields(), &x, b);
}
