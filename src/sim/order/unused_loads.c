/* unused_loads.c - loads of local memory that nobody wrote, and that are no mistake:
 * whose value nothing looks at.
 *
 *   - The compiler loads before it knows that it must, and a selp drops the value
 *     where it need not have.
 *   - Without optimisation (nvcc -G) an object is copied member by member, those
 *     that have no value yet, and what lies between them, too. Such a load stands
 *     beside others from the same base, one behind the other, and its value is
 *     stored elsewhere.
 *   - A member of some bits is set in a word whose other bits have no value: an and
 *     takes its own out, an or puts them in, and the word is stored where it was.
 *
 * Registers are followed through the whole function: nvcc's PTX writes each in one
 * place. What a selp or a copy makes of the value is not followed further: a value
 * that is used all the same is not told of then. */
#include "sim/race/race.h"
#include "sim/race/visit.h"

enum { MOST = 16 };

typedef struct value_regs { /* registers that hold the value */
    uint8_t cls[MOST];
    uint32_t slot[MOST];
    int n;
} value_regs;

static bool holds(const value_regs *v, const tc_ptx_operand *o) {
    bool reg =
        o->kind == TC_PO_REG || (o->kind == TC_PO_ADDRESS && o->neg == 1);
    for (int i = 0; reg && i < v->n; i++) {
        if (v->cls[i] == o->cls && v->slot[i] == o->slot) {
            return true;
        }
    }
    return false;
}

static bool add(value_regs *v, const tc_ptx_operand *o) {
    if (o->kind != TC_PO_REG || v->n == MOST) {
        return false;
    }
    v->cls[v->n] = (uint8_t)o->cls;
    v->slot[v->n++] = (uint32_t)o->slot;
    return true;
}

static bool holds_any(const tc_ptx_module *m, const value_regs *v,
                      const tc_ptx_operand *o) {
    bool any = holds(v, o);
    for (uint32_t i = 0; o->kind == TC_PO_VECTOR && i < o->nvec; i++) {
        any |= holds(v, &m->vec[o->slot + i]);
    }
    return any;
}

/* The operands of op that are the value, a bit each. */
static uint32_t reads(const tc_ptx_module *m, const value_regs *v,
                      const tc_ptx_op *op) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < op->noperands; i++) {
        bool source = (op->src >> i & 1) || op->a[i].kind == TC_PO_ADDRESS;
        found |= (uint32_t)(source && holds_any(m, v, &op->a[i])) << i;
    }
    return found;
}

/* Two loads of one size from one base, one behind the other. */
static bool beside(const tc_ptx_op *a, const tc_ptx_op *b) {
    const tc_ptx_operand *x = &a->a[1], *y = &b->a[1];
    int64_t apart = x->imm - y->imm, size = tc_ptx_type_bytes[a->type];
    return a->opcode == TC_PTX_LD && b->opcode == TC_PTX_LD &&
           a->type == b->type && x->kind == y->kind && x->neg == y->neg &&
           x->cls == y->cls && x->slot == y->slot &&
           (apart == size || apart == -size);
}

/* Is the load one of an object's members that are copied? */
static bool copies(const tc_ptx_func *f, const tc_ptx_module *m,
                   const tc_ptx_op *load) {
    const tc_ptx_op *first = &m->code[f->begin], *end = &m->code[f->end];
    return (load > first && beside(load, load - 1)) ||
           (load + 1 < end && beside(load, load + 1));
}

/* Is it stored where it was? */
static bool comes_back(const tc_ptx_op *store, const tc_ptx_op *load) {
    const tc_ptx_operand *x = &store->a[0], *y = &load->a[1];
    return x->kind == y->kind && x->neg == y->neg && x->cls == y->cls &&
           x->slot == y->slot && x->imm == y->imm;
}

/* An and with a mask, of the loaded value itself; an or of what came of that. */
static bool masks(const tc_ptx_op *op, const tc_ptx_op *load) {
    const tc_ptx_operand *x = &op->a[1], *y = &load->a[0];
    bool itself = x->cls == y->cls && x->slot == y->slot;
    return (op->opcode == TC_PTX_AND && op->a[2].kind == TC_PO_IMM) ||
           (op->opcode == TC_PTX_OR && !itself);
}

/* Follows the value into moves; false: something looks at it. */
static bool follow(const tc_ptx_module *m, const tc_ptx_func *f,
                   const tc_ptx_op *load, value_regs *v) {
    int before = v->n;
    bool copied = copies(f, m, load);
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        uint32_t as = reads(m, v, op);
        bool selected = op->opcode == TC_PTX_SELP && (as & ~6u) == 0;
        bool stored = op->opcode == TC_PTX_ST && as == 2 &&
                      (copied || comes_back(op, load));
        bool moved = as == 2 && (op->opcode == TC_PTX_MOV || masks(op, load));
        if (as && !selected && !stored && !moved) {
            return false;
        }
        if (moved && !holds(v, &op->a[0]) && !add(v, &op->a[0])) {
            return false;
        }
    }
    return v->n == before || follow(m, f, load, v);
}

static bool is_unused(const tc_ptx_module *m, const tc_ptx_op *load) {
    const tc_ptx_func *f = tc_code_function(m, load);
    value_regs v = {.n = 0};
    return f && load->opcode == TC_PTX_LD && add(&v, &load->a[0]) &&
           follow(m, f, load, &v);
}

bool tc_race_load_unused(const tc_run *r, const tc_ptx_op *load) {
    tc_race *h = r->race;
    if (h->unused_load != load) { /* it is asked again and again of one */
        h->unused_load = load;
        h->unused = is_unused(r->module, load);
    }
    return h->unused;
}
