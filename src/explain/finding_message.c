/* finding_message.c - what happened, in a sentence: who did what to which
 * element, and what it collides with. */
#include "explain/finding.h"
#include "explain/finding_cuda.h"
#include "run/run.h"

int tc_finding_line(const tc_access *a) {
    return a->valid && a->op != NULL ? (int)a->op->line : 0;
}

const char *tc_finding_op(const tc_access *a) {
    return a->valid && a->op != NULL ? tc_ptx_ops[a->op->opcode].name : "?";
}

static bool has_opcode(const tc_access *a, tc_ptx_opcode opcode) {
    return a->valid && a->op != NULL && a->op->opcode == opcode;
}

const tc_loaded *tc_finding_cuda(const tc_session *s) {
    const tc_loaded *f = s != NULL ? s->program.run->file : NULL;
    return f != NULL && f->cu_files != NULL ? f : NULL;
}

static const char *block_word(const tc_session *s) {
    return tc_finding_cuda(s) != NULL ? "block" : "CTA";
}

/* As blockIdx and threadIdx give it; x counts fastest. */
static void put_index(uint32_t i, const uint32_t of[3], bool plain, tc_buf *b) {
    if (plain || of[0] == 0 || of[1] * of[2] <= 1) {
        tc_buf_printf(b, " %u", i);
    } else if (of[2] <= 1) {
        tc_buf_printf(b, " (%u,%u)", i % of[0], i / of[0]);
    } else {
        tc_buf_printf(b, " (%u,%u,%u)", i % of[0], i / of[0] % of[1],
                      i / of[0] / of[1]);
    }
}

void tc_finding_agent(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_last_run *run = s->program.run;
    const uint32_t *g = run->grid;
    bool plain = tc_finding_cuda(s) == NULL;
    if (a->some_lane) {
        tc_buf_printf(b, "a thread of warp %u", a->warp);
    } else {
        tc_buf_puts(b, "thread");
        put_index(a->warp * 32 + a->lane, run->block, plain, b);
    }
    if ((uint64_t)g[0] * g[1] * g[2] > 1) {
        tc_buf_printf(b, " of %s", block_word(s));
        put_index(a->cta, g, plain, b);
    }
}

/* --- what an access does ---------------------------------------------------*/

static bool is_shared(uint32_t space) {
    return space == TC_PS_SHARED || space == TC_PS_CLUSTER;
}

/* A copy names its destination's space first. */
static bool copy_writes(const tc_ptx_op *op, tc_ptx_space space) {
    return op->space == space || (is_shared(op->space) && is_shared(space));
}

typedef enum access_kind { READS, WRITES, UPDATES } access_kind;

/* What an access did to memory of a space, by its effect. */
static access_kind kind_of(const tc_access *a, tc_ptx_space space) {
    if (!a->valid || a->op == NULL) {
        return READS;
    }
    const tc_ptx_op *op = a->op;
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_STORE: /* tensormap.cp_fenceproxy's source is shared */
        return is_shared(op->space2) && is_shared(space) ? READS : WRITES;
    case TC_PTX_EFFECT_ST_ASYNC:
    case TC_PTX_EFFECT_TMEM_STORE:
        return WRITES;
    case TC_PTX_EFFECT_TMEM_COPY:
        return space == TC_PS_TENSOR ? WRITES : READS;
    case TC_PTX_EFFECT_ATOMIC:
    case TC_PTX_EFFECT_RED_ASYNC:
        return UPDATES;
    case TC_PTX_EFFECT_COPY:
        return copy_writes(op, space) ? WRITES : READS;
    case TC_PTX_EFFECT_REDUCE:
        return copy_writes(op, space) ? UPDATES : READS;
    case TC_PTX_EFFECT_NONE:
    case TC_PTX_EFFECT_LOAD:
    case TC_PTX_EFFECT_HINT:
    case TC_PTX_EFFECT_TMEM_LOAD:
    case TC_PTX_EFFECT_ASYNC_MMA:
    case TC_PTX_EFFECT_GROUP:
    case TC_PTX_EFFECT_MBARRIER:
    case TC_PTX_EFFECT_BARRIER:
    case TC_PTX_EFFECT_FENCE:
    case TC_PTX_EFFECT_CALL:
    case TC_PTX_EFFECT_COUNT:
        return READS;
    }
    return READS;
}

static const char *does(access_kind k) {
    return k == WRITES ? "writes" : k == UPDATES ? "updates" : "reads";
}

const char *tc_finding_does(const tc_access *a, tc_ptx_space space) {
    /* A register of tensor memory's load: whoever meets it was to use it. */
    return does(space == TC_PS_REG ? READS : kind_of(a, space));
}

static const char *did(access_kind k) {
    return k == WRITES ? "wrote" : k == UPDATES ? "updated" : "read";
}

/* --- fields: what the sides do ---------------------------------------------*/

#define FIELD(name)                                                            \
    static void name(const tc_sentence *x, const tc_access *side, tc_buf *b)

FIELD(put_who) {
    tc_finding_agent(x->session, side, b);
}

FIELD(put_does) {
    tc_buf_puts(b, tc_finding_does(side, x->finding->space));
}

/* What a side of a conflict did; the kind says it where the opcode leaves it
 * open (a copy within shared memory). */
static access_kind kind_of_side(const tc_finding *f, const tc_access *side) {
    access_kind k = kind_of(side, f->space);
    bool at = side == &f->at;
    if (f->kind == TC_FINDING_READ_BEFORE_BARRIER) {
        return at ? READS : WRITES;
    }
    if (f->kind == TC_FINDING_OVERWRITE_BEFORE_READ) {
        return !at ? READS : k == READS ? WRITES : k;
    }
    bool from_shared = f->kind == TC_FINDING_PROXY_FENCE && at &&
                       has_opcode(side, TC_PTX_CP_ASYNC_BULK) &&
                       is_shared(side->op->space2);
    return from_shared && k == WRITES ? READS : k;
}

FIELD(put_touches) {
    tc_buf_puts(b, does(kind_of_side(x->finding, side)));
}

FIELD(put_touched) {
    tc_buf_puts(b, did(kind_of_side(x->finding, side)));
}

/* What an instruction does to an mbarrier. */
static const char *signals(const tc_access *a) {
    if (!a->valid || a->op == NULL) {
        return "uses";
    }
    switch (a->op->opcode) {
    case TC_PTX_MBARRIER_INIT:
        return "initialises";
    case TC_PTX_MBARRIER_INVAL:
        return "invalidates";
    case TC_PTX_MBARRIER_ARRIVE:
    case TC_PTX_MBARRIER_ARRIVE_DROP:
    case TC_PTX_CP_ASYNC_MBARRIER_ARRIVE:
        return "arrives at";
    case TC_PTX_MBARRIER_EXPECT_TX:
        return "announces bytes at";
    case TC_PTX_MBARRIER_TEST_WAIT:
    case TC_PTX_MBARRIER_TRY_WAIT:
        return "waits at";
    default:
        return "signals";
    }
}

FIELD(put_signals) {
    (void)x;
    tc_buf_puts(b, signals(side));
}

/* --- fields: where ---------------------------------------------------------*/

FIELD(put_number) {
    (void)x;
    tc_buf_printf(b, "%d", tc_finding_line(side));
}

FIELD(put_line) {
    if (tc_finding_cuda(x->session) != NULL) {
        tc_cuda_line_text(x->session, side, b);
    } else {
        tc_buf_printf(b, "line %d", tc_finding_line(side));
    }
}

/* "line 8 (ld)" */
FIELD(put_place) {
    put_line(x, side, b);
    if (tc_finding_cuda(x->session) != NULL) {
        tc_cuda_by(x->session, side, b);
    } else {
        tc_buf_printf(b, " (%s)", tc_finding_op(side));
    }
}

FIELD(put_where) {
    if (tc_finding_cuda(x->session) != NULL) {
        tc_cuda_where(x->session, side, b);
    } else {
        put_line(x, side, b);
    }
}

/* " (`bar.wait(token)`)", " (`cuda::memcpy_async`)", in CUDA alone. */
FIELD(put_call) {
    tc_buf call = TC_BUF_INIT;
    if (tc_finding_cuda(x->session) != NULL &&
        tc_cuda_call_text(x->session, side, &call)) {
        tc_buf_printf(b, " (%s)", tc_buf_text(&call));
    }
    tc_buf_free(&call);
}

FIELD(put_by) {
    if (tc_finding_cuda(x->session) != NULL) {
        tc_cuda_by(x->session, side, b);
    }
}

/* --- fields: copies --------------------------------------------------------*/

/* "the copy (cp.async) issued at line 8, in commit group 0," */
FIELD(put_copy) {
    const tc_access *c = &x->finding->cause;
    (void)side;
    if (tc_finding_cuda(x->session) != NULL) {
        tc_cuda_copy(x->session, x->finding, b);
        return;
    }
    bool store = has_opcode(c, TC_PTX_ST_ASYNC) ||
                 has_opcode(c, TC_PTX_RED_ASYNC) ||
                 has_opcode(c, TC_PTX_TCGEN05_ST);
    bool load = has_opcode(c, TC_PTX_TCGEN05_LD);
    bool product = has_opcode(c, TC_PTX_WGMMA_MMA_ASYNC);
    tc_buf_printf(b, "the %s (%s) issued at line %d",
                  store     ? "store"
                  : load    ? "load"
                  : product ? "product"
                            : "copy",
                  tc_finding_op(c), tc_finding_line(c));
    if (c->group >= 0) {
        tc_buf_printf(b, ", in commit group %d,", c->group);
    }
}

FIELD(put_pending) {
    const char *text = tc_missing_pending(x->finding->missing);
    (void)side;
    tc_template_fill(text != NULL ? text : "nothing waited for it",
                     tc_message_fields(), x, b);
}

FIELD(put_unfinished) {
    const tc_finding *f = x->finding;
    (void)side;
    tc_buf_puts(b, kind_of(&f->cause, f->space) == READS ||
                           f->missing == TC_MISSING_BULK_WAIT_READ
                       ? "may still read it"
                       : "has not completed");
}

/* --- fields: the rest ------------------------------------------------------*/

FIELD(put_object) {
    (void)side;
    tc_buf_puts(b, x->object != NULL ? x->object : "");
}

FIELD(put_bytes) {
    (void)side;
    tc_buf_printf(b, "%u", x->finding->bytes);
}

FIELD(put_n) {
    (void)side;
    tc_buf_printf(b, "%lld", (long long)x->finding->missing_n);
}

FIELD(put_alignment) {
    const tc_finding *f = x->finding;
    (void)side;
    tc_buf_printf(b, "%lld",
                  (long long)(f->missing_n ? f->missing_n : f->bytes));
}

/* "only 768 are there" */
FIELD(put_beyond) {
    const tc_finding *f = x->finding;
    const tc_last_run *run = x->session->program.run;
    (void)side;
    if (f->detail.row == TC_DETAIL_CONSTANT) {
        tc_buf_puts(b, "it is constant memory");
        return;
    }
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *m = &run->buffers[i];
        if (f->space != TC_PS_SHARED && f->space != TC_PS_LOCAL &&
            f->address >= m->address && f->address - m->address < m->bytes) {
            tc_buf_printf(
                b, "only %llu are there",
                (unsigned long long)(m->bytes - (f->address - m->address)));
            return;
        }
    }
    if (tc_finding_cuda(x->session) == NULL ||
        !tc_cuda_behind(x->session, f, b)) {
        tc_buf_puts(b, "nothing is there");
    }
}

FIELD(put_stopped) {
    const tc_finding *f = x->finding;
    (void)side;
    tc_buf_puts(b, f->space == TC_PS_TENSOR &&
                           has_opcode(&f->at, TC_PTX_TCGEN05_ALLOC)
                       ? "allocates tensor memory"
                       : "stopped the kernel");
}

FIELD(put_unordered) {
    const tc_finding *f = x->finding;
    (void)side;
    tc_buf_puts(b, f->at.cta == f->cause.cta ? "with no barrier between them"
                                             : "and nothing orders the two");
}

/* "the barrier", or its call. */
FIELD(put_barrier) {
    (void)side;
    if (tc_finding_cuda(x->session) == NULL ||
        !tc_cuda_call_text(x->session, &x->finding->at, b)) {
        tc_buf_puts(b, "the barrier");
    }
}

FIELD(put_initialised) {
    static const char text[] = ", which {cause.who} initialised at {cause}, "
                               "with no barrier between them";
    const tc_finding *f = x->finding;
    (void)side;
    if (f->detail.row == TC_DETAIL_NONE && f->cause.valid) {
        tc_template_fill(text, tc_message_fields(), x, b);
    }
}

FIELD(put_invalidated) {
    (void)side;
    tc_template_fill(x->finding->cause.valid ? "{cause.where} invalidated"
                                             : "nobody has initialised yet",
                     tc_message_fields(), x, b);
}

/* What a wait left in flight: a batch of copies, or one. */
FIELD(put_batch) {
    (void)side;
    tc_buf_puts(b, tc_cuda_batched(x->session, x->finding) ? "batch" : "copy");
}

FIELD(put_block) {
    (void)side;
    tc_buf_puts(b, block_word(x->session));
}

static const tc_field list[] = {{".who", put_who},
                                {".does", put_does},
                                {".touches", put_touches},
                                {".touched", put_touched},
                                {".signals", put_signals},
                                {".number", put_number},
                                {".line", put_line},
                                {".place", put_place},
                                {".where", put_where},
                                {".call", put_call},
                                {".by", put_by},
                                {"copy", put_copy},
                                {"pending", put_pending},
                                {"unfinished", put_unfinished},
                                {"object", put_object},
                                {"bytes", put_bytes},
                                {"n", put_n},
                                {"alignment", put_alignment},
                                {"beyond", put_beyond},
                                {"stopped", put_stopped},
                                {"unordered", put_unordered},
                                {"barrier", put_barrier},
                                {"initialised", put_initialised},
                                {"invalidated", put_invalidated},
                                {"batch", put_batch},
                                {"CTA", put_block}};

const tc_fields *tc_message_fields(void) {
    static const tc_fields fields = {list, sizeof list / sizeof *list};
    return &fields;
}

/* --- the message -----------------------------------------------------------*/

typedef enum object_form { OBJECT_NONE, OBJECT_ADDRESS } object_form;

typedef struct kind_row {
    object_form object;
    const char *message;
} kind_row;

static const kind_row rows[TC_FINDING_KIND_COUNT] = {
#define TC_FINDING(id, name, priority, object, message)                        \
    {OBJECT_##object, message},
#include "sim/findings.def"
};

const char *tc_message_template(tc_finding_kind kind) {
    return rows[kind].message;
}

const char *tc_finding_object(tc_session *s, const tc_finding *f) {
    if (rows[f->kind].object == OBJECT_NONE) {
        return NULL;
    }
    return tc_finding_cuda(s) != NULL
               ? tc_cuda_object(s, f)
               : tc_address_name(s, f->space, f->address);
}

/* Where more than the kind decides what is said. */
static const char *message_of(tc_session *s, const tc_finding *f) {
    bool cuda = tc_finding_cuda(s) != NULL;
    bool copy = f->kind == TC_FINDING_UNCOMMITTED_GROUP ||
                f->kind == TC_FINDING_READ_BEFORE_COMPLETE;
    bool conflict = f->kind == TC_FINDING_READ_BEFORE_BARRIER ||
                    f->kind == TC_FINDING_OVERWRITE_BEFORE_READ ||
                    f->kind == TC_FINDING_DATA_RACE;
    if (copy && cuda && tc_cuda_waited_less(s, f)) {
        return "{other.where} leaves the {batch} of {cause} in flight; {at} "
               "{at.does} it: {at.who} {at.does} {object}";
    }
    if (conflict && f->missing == TC_MISSING_WGMMA_FENCE) {
        return "{at.who} multiplies with registers that no wgmma.fence has "
               "ordered after their last use";
    }
    const char *whole = cuda ? tc_detail_message(f->detail.row) : NULL;
    return whole != NULL ? whole : rows[f->kind].message;
}

/* Several lanes, and threads, may fall to one defect. */
static void put_also(const tc_finding *f, tc_buf *b) {
    if (f->lanes > 1) {
        tc_buf_puts(b, " (the same in ");
        tc_describe_count(b, f->lanes - 1);
        tc_buf_printf(b, " more access%s)", f->lanes == 2 ? "" : "es");
    }
}

/* The list stands for the others, which are not counted. */
static void put_waiters(tc_session *s, const tc_finding *f, tc_buf *b) {
    tc_buf text = TC_BUF_INIT;
    tc_waiters_text(f->waiters, tc_finding_cuda(s) != NULL,
                    s->program.run->arena, &text);
    tc_buf_puts(b, ":\n");
    tc_buf_write(b, tc_buf_text(&text), text.len > 0 ? text.len - 1 : 0);
    tc_buf_free(&text);
}

void tc_finding_message(tc_session *s, const tc_finding *f, tc_buf *b) {
    bool cuda = tc_finding_cuda(s) != NULL;
    tc_sentence x = {
        .session = s, .finding = f, .object = tc_finding_object(s, f)};
    tc_template_fill(message_of(s, f), tc_message_fields(), &x, b);
    if (f->waiters != NULL) {
        put_waiters(s, f, b);
        return;
    }
    bool said = cuda && tc_detail_message(f->detail.row) != NULL;
    if (f->detail.row != TC_DETAIL_NONE && !said) {
        tc_buf_puts(b, ": ");
        tc_detail_text(f, cuda, s->program.run->arena, b);
    }
    put_also(f, b);
}
