/* ops.c - ops as the scoreboard sees them, and the registers a thread
 * is taken to need. */
#include "sim/timing/sm.h"
#include <stdlib.h>
#include <string.h>

#define X(name) #name,
const char *const tc_class_names[TC_CLASS_COUNT] = {TC_CLASSES(X)};
#undef X

static tc_class memory_class(const tc_ptx_op *op, bool store) {
    switch (op->space) {
    case TC_PS_SHARED:
    case TC_PS_CLUSTER:
        return store ? TC_CLASS_STS : TC_CLASS_LDS;
    case TC_PS_LOCAL:
        return store ? TC_CLASS_STL : TC_CLASS_LDL;
    case TC_PS_PARAM:
    case TC_PS_CONST:
        return TC_CLASS_LDC;
    default:
        return store ? TC_CLASS_STG : TC_CLASS_LDG;
    }
}

enum { /* ops.def's classes that depend on the op */
       TC_CLASS_UNIT = TC_CLASS_COUNT,
       TC_CLASS_LOAD,
       TC_CLASS_STORE
};

static tc_class class_of(const tc_ptx_op *op) {
    static const uint8_t classes[TC_PTX_OPCODE_COUNT] = {
#define TC_PTX_OP(id, name, section, units, class, ...)                        \
    [TC_PTX_##id] = TC_CLASS_##class,
#include "ptx/ops.def"
    };
    static const uint8_t units[TC_PU_COUNT] = {
#define TC_UNIT(unit, class, ...) [unit] = TC_CLASS_##class,
#include "sim/timing/units.def"
    };
    uint8_t c = classes[op->opcode];
    return c == TC_CLASS_UNIT   ? (tc_class)units[tc_ptx_unit_of(op)]
           : c < TC_CLASS_COUNT ? (tc_class)c
                                : memory_class(op, c == TC_CLASS_STORE);
}

tc_stall tc_timing_stall(tc_class c) {
    switch (c) {
    case TC_CLASS_LDG:
    case TC_CLASS_LDL:
    case TC_CLASS_LDC:
    case TC_CLASS_ATOM:
        return TC_STALL_LONG;
    case TC_CLASS_LDS:
    case TC_CLASS_LDSM:
    case TC_CLASS_MUFU:
    case TC_CLASS_SHFL:
        return TC_STALL_SHORT;
    case TC_CLASS_MBARRIER:
        return TC_STALL_MBARRIER;
    default:
        return TC_STALL_FIXED;
    }
}

/* ---- registers ---- */

typedef struct tc_list {
    const tc_ptx_func *f;
    const tc_ptx_module *m;
    uint32_t *regs;
    uint32_t n, cap;
} tc_list;

static void add(tc_list *l, uint32_t r) {
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 1024;
        l->regs = tc_xrealloc(l->regs, l->cap * sizeof *l->regs);
    }
    l->regs[l->n++] = r;
}

/* Registers that an operand names: numbered predicates, then the 32-bit file,
 * then the 64-bit file. */
static void names(tc_list *l, const tc_ptx_operand *o) {
    bool reg =
        o->kind == TC_PO_REG || (o->kind == TC_PO_ADDRESS && o->neg == 1);
    if (o->kind == TC_PO_VECTOR) {
        for (uint32_t i = 0; i < o->nvec; i++) {
            names(l, &l->m->vec[o->slot + i]);
        }
    } else if (o->kind == TC_PO_PRED || (reg && o->cls == TC_PF_PRED)) {
        add(l, TC_ENTRIES + o->slot);
    } else if (reg) {
        add(l, TC_ENTRIES + l->f->npred + o->slot +
                   (o->cls == TC_PF_64 ? l->f->n32 : 0));
    }
}

static uint8_t small(uint32_t n) {
    return n > 255 ? 255 : (uint8_t)n;
}

static void decode_op(tc_timing *t, tc_list *l, const tc_ptx_op *op,
                      tc_timing_op *out) {
    uint32_t begin = l->n;
    if (op->guard >= 0) {
        add(l, TC_ENTRIES + (uint32_t)op->guard);
    }
    for (int i = 0; i < op->noperands; i++) {
        if (!(op->dst >> i & 1)) {
            names(l, &op->a[i]);
        }
    }
    uint32_t nsrc = l->n - begin > 255 ? 255 : l->n - begin;
    l->n = begin + nsrc;
    for (int i = 0; i < op->noperands; i++) {
        if (op->dst >> i & 1) {
            names(l, &op->a[i]);
        }
    }
    tc_ptx_unit u = tc_ptx_unit_of(op);
    out->regs = begin;
    out->nsrc = (uint8_t)nsrc;
    out->ndst = small(l->n - begin - nsrc);
    uint32_t n = nsrc + out->ndst;
    for (uint32_t i = 0; i < TC_NAMED && i < n; i++) {
        out->named[i] = l->regs[begin + i]; /* the others: TC_ENTRY_NONE */
    }
    out->result = out->ndst ? l->regs[begin + nsrc] : TC_ENTRY_LOST;
    out->many = n > TC_NAMED || out->ndst > 1;
    out->unit = (uint8_t)u;
    out->class = (uint8_t)class_of(op);
    tc_unit_cost cost = tc_cost_of(t->p, op);
    out->latency = cost.latency;
    out->interval = cost.interval;
    out->busy = (uint16_t)((out->interval > 2 ? 1u : 0u) << u);
    out->stall = (uint8_t)tc_timing_stall((tc_class)out->class);
    out->lsu = out->class >= TC_CLASS_LDG && out->class <= TC_CLASS_LDGSTS;
    if (out->class == TC_CLASS_LDC) {
        out->latency = (uint16_t)t->p->shared_latency;
    } else if (out->class == TC_CLASS_MBARRIER) {
        out->latency = (uint16_t)t->p->mbarrier_latency;
    }
}

/* The function that holds op i: most often the one behind `last`, or NULL. */
static const tc_ptx_func *function_at(const tc_ptx_module *m, uint32_t i,
                                      const tc_ptx_func *last) {
    int first = last != NULL ? (int)(last - m->funcs) : 0;
    for (int k = 0; k < m->nfuncs; k++) {
        const tc_ptx_func *f = &m->funcs[(first + k) % m->nfuncs];
        if (i >= f->begin && i < f->end) {
            return f;
        }
    }
    return NULL;
}

void tc_timing_decode(tc_timing *t) {
    const tc_ptx_module *m = t->run->module;
    tc_list l = {.m = m};
    t->ops = tc_xcalloc(m->ncode + 1u, sizeof *t->ops);
    for (uint32_t i = 0; i < m->ncode; i++) {
        if (!l.f || i < l.f->begin || i >= l.f->end) {
            l.f = function_at(m, i, l.f);
        }
        if (l.f) {
            decode_op(t, &l, &m->code[i], &t->ops[i]);
        }
    }
    t->regs = l.regs;
    for (int k = 0; k < m->nfuncs; k++) {
        const tc_ptx_func *f = &m->funcs[k];
        uint32_t n = TC_ENTRIES + f->npred + f->n32 + f->n64;
        t->nready = n > t->nready ? n : t->nready;
    }
}

/* ---- who waits for others through global memory ---- */

/* Reads what another CTA may have written since. */
static bool asks(const tc_ptx_op *op) {
    bool far = op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
    bool atomic = op->opcode == TC_PTX_ATOM &&
                  (op->sub == TC_ATOM_CAS || op->sub == TC_ATOM_EXCH);
    bool load =
        op->opcode == TC_PTX_LD &&
        (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE)) != 0;
    return far && (atomic || load);
}

/* A loop that asks and does little else: ops from first to last. */
static bool polling(const tc_ptx_op *code, uint32_t first, uint32_t last) {
    enum { SHORT = 64 };
    for (uint32_t i = first; i <= last && last - first < SHORT; i++) {
        if (asks(&code[i])) {
            return true;
        }
    }
    return false;
}

bool tc_timing_polls(const tc_run *r) {
    const tc_ptx_op *code = r->module->code;
    bool calls = r->func->stack; /* any of the module's functions */
    uint32_t begin = calls ? 0 : r->func->begin;
    uint32_t end = calls ? (uint32_t)r->module->ncode : r->func->end;
    for (uint32_t i = begin; i < end; i++) {
        if (code[i].opcode == TC_PTX_BRA && code[i].target <= i &&
            polling(code, code[i].target, i)) {
            return true;
        }
    }
    return false;
}

/* ---- how many live at once ---- */

typedef struct tc_life {
    uint32_t first, last; /* ops; first UINT32_MAX: never */
} tc_life;

static void lives(const tc_ptx_module *m, const tc_ptx_func *f, tc_life *life) {
    tc_list l = {.m = m, .f = f};
    for (uint32_t i = f->begin; i < f->end; i++) {
        l.n = 0;
        for (int k = 0; k < m->code[i].noperands; k++) {
            names(&l, &m->code[i].a[k]);
        }
        for (uint32_t k = 0; k < l.n; k++) {
            tc_life *x = &life[l.regs[k] - TC_ENTRIES];
            x->first = x->first == UINT32_MAX ? i : x->first;
            x->last = i;
        }
    }
    free(l.regs);
    /* What lives into a loop and is used in it lives to the loop's end. */
    uint32_t n = f->npred + f->n32 + f->n64;
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        if (op->opcode != TC_PTX_BRA || op->target > i) {
            continue;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (life[k].first < op->target && life[k].last >= op->target &&
                life[k].last < i) {
                life[k].last = i;
            }
        }
    }
}

uint32_t tc_register_estimate(const tc_ptx_module *m, const tc_ptx_func *f) {
    uint32_t n = f->npred + f->n32 + f->n64, most = 0;
    int32_t now = 0;
    tc_life *life = tc_xmalloc((n + 1) * sizeof *life);
    int32_t *change = tc_xcalloc(f->end - f->begin + 2u, sizeof *change);
    memset(life, 0xff, (n + 1) * sizeof *life);
    lives(m, f, life);
    for (uint32_t k = f->npred; k < n; k++) {
        if (life[k].first != UINT32_MAX) {
            int32_t words = k >= f->npred + f->n32 ? 2 : 1;
            change[life[k].first - f->begin] += words;
            change[life[k].last - f->begin] -= words;
        }
    }
    for (uint32_t i = 0; i < f->end - f->begin; i++) {
        now += change[i];
        most = now > (int32_t)most ? (uint32_t)now : most;
    }
    free(life);
    free(change);
    most = (most + 4 + 7) / 8 * 8;
    return most < 16 ? 16 : most > 255 ? 255 : most;
}
