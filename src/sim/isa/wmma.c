/* wmma.c - wmma.load and wmma.store: matrices between memory and registers (PTX
 * ISA 9.7.14.4.3 and .4). */
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/isa/mma.h"

/* One matrix in memory. */
typedef struct area {
    tc_matrix m;
    uint64_t address;
    uint32_t stride; /* elements between rows (columns, with .col) */
    bool col, store;
    /* The window that all of it lies in, aligned; NULL: each lane for itself. */
    uint8_t *bytes;
    tc_ptx_space space;
    uint64_t origin; /* what address is in that space */
} area;

static area area_of(const tc_ptx_op *op) {
    tc_mma_role role = op->opcode == TC_PTX_WMMA_LOAD_A   ? TC_MMA_A
                       : op->opcode == TC_PTX_WMMA_LOAD_B ? TC_MMA_B
                                                          : TC_MMA_C;
    area x = {.m = tc_mma_matrix(role, (tc_ptx_type)op->type, op->size)};
    x.col = op->sub == TC_MMA_COL;
    x.store = op->opcode == TC_PTX_WMMA_STORE_D;
    x.stride = x.col ? x.m.rows : x.m.cols;
    return x;
}

/* All threads give the same address and the same stride. */
static bool find_area(tc_warp *w, const tc_ptx_op *op, area *x) {
    uint64_t addr[TC_LANES];
    uint32_t tmp[TC_LANES];
    const tc_ptx_operand *by = &op->a[2];
    tc_operand_addresses(w, &op->a[x->store ? 0 : 1], addr);
    const uint32_t *stride =
        by->kind == TC_PO_NONE ? NULL : tc_src32(w, by, tmp);
    for (int i = 1; i < TC_LANES; i++) {
        if (addr[i] != addr[0] || (stride && stride[i] != stride[0])) {
            tc_finding_fault(w, op, i, TC_FINDING_TRAP, (tc_ptx_space)op->space,
                             addr[i], 4, TC_DETAIL_MATRIX_ADDRESSES);
            return false;
        }
    }
    x->address = addr[0];
    x->stride = stride ? stride[0] : x->stride;
    return true;
}

/* Elements that lie side by side in a register and in memory. */
static uint32_t chunk_of(const area *x) {
    bool down = x->m.role == TC_MMA_B; /* a register goes down the rows */
    return x->col == down ? x->m.per : 1;
}

static uint64_t address_of(const area *x, tc_mma_element p) {
    uint64_t major = x->col ? p.col : p.row, minor = x->col ? p.row : p.col;
    return x->address + (major * x->stride + minor) * x->m.bits / 8;
}

/* The bytes from the first element to the last. */
static uint64_t extent_of(const area *x) {
    uint64_t majors = x->col ? x->m.cols : x->m.rows;
    uint64_t minors = x->col ? x->m.rows : x->m.cols;
    return ((majors - 1) * x->stride + minors) * x->m.bits / 8;
}

/* Most matrices lie whole in an allocation or in shared memory. */
static void find_window(tc_warp *w, const tc_ptx_op *op, area *x) {
    uint32_t bytes = chunk_of(x) * x->m.bits / 8;
    uint64_t extent = extent_of(x), at = x->address;
    bool shared =
        op->space == TC_PS_SHARED ||
        (op->space == TC_PS_GENERIC && at - TC_WINDOW_SHARED < TC_WINDOW_BYTES);
    bool local =
        op->space == TC_PS_GENERIC && at - TC_WINDOW_LOCAL < TC_WINDOW_BYTES;
    if (at % bytes || x->stride * (uint64_t)x->m.bits / 8 % bytes || local) {
        return;
    }
    if (shared) {
        at -= op->space == TC_PS_GENERIC ? TC_WINDOW_SHARED : 0;
        if (at <= w->cta->shared_bytes && extent <= w->cta->shared_bytes - at) {
            x->bytes = w->cta->shared + at;
        }
    } else if (op->space == TC_PS_GENERIC || op->space == TC_PS_GLOBAL) {
        tc_sim_allocation *a = tc_allocation_find(w->cta->run, at);
        if (a && extent <= a->size - (at - a->address)) {
            x->bytes = a->bytes + (at - a->address);
        }
    }
    x->space = shared ? TC_PS_SHARED : TC_PS_GLOBAL;
    x->origin = at;
}

/* The bytes of each lane from the first element on: lanes are apart by
 * constants (mma_layout.c). */
static void offsets(const area *x, uint32_t r, uint32_t j, uint32_t *out) {
    uint64_t at = address_of(x, tc_mma_element_of(&x->m, 0, r, j));
    uint64_t next = address_of(x, tc_mma_element_of(&x->m, 1, r, j));
    uint64_t quad = address_of(x, tc_mma_element_of(&x->m, 4, r, j));
    uint32_t first = (uint32_t)(at - x->address);
    uint32_t step = (uint32_t)(next - at), down = (uint32_t)(quad - at);
    for (uint32_t i = 0; i < TC_LANES; i++) {
        out[i] = first + i % 4 * step + i / 4 * down;
    }
}

static void observe(tc_warp *w, const tc_ptx_op *op, const area *x,
                    tc_ptx_space space, const uint64_t *addr, uint32_t bytes) {
    const tc_run *run = w->cta->run;
    if (run->race || run->timing || run->trace) {
        tc_isa_observe(w, op, space, UINT32_MAX, addr, bytes, x->store);
    }
}

/* The same as below, in a window. */
static void find_in_window(tc_warp *w, const tc_ptx_op *op, const area *x,
                           uint32_t r, uint32_t j, uint32_t bytes,
                           uint8_t **at) {
    uint64_t addr[TC_LANES];
    uint32_t offset[TC_LANES];
    offsets(x, r, j, offset);
    for (int i = 0; i < TC_LANES; i++) {
        at[i] = x->bytes + offset[i];
        addr[i] = x->origin + offset[i];
    }
    observe(w, op, x, x->space, addr, bytes);
}

/* Where each lane's element j (and what follows it) of register r is. False
 * after a fault. */
static bool find_lanes(tc_warp *w, const tc_ptx_op *op, const area *x,
                       uint32_t r, uint32_t j, uint32_t bytes, uint8_t **out) {
    uint64_t addr[TC_LANES];
    tc_resolved at[TC_LANES];
    if (x->bytes) {
        find_in_window(w, op, x, r, j, bytes, out);
        return true;
    }
    for (int i = 0; i < TC_LANES; i++) {
        uint64_t a = address_of(x, tc_mma_element_of(&x->m, (uint32_t)i, r, j));
        if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, i, a, bytes, bytes,
                             &at[i])) {
            return false;
        }
        bool global = at[i].space == TC_PS_GLOBAL;
        bool own = at[i].space == TC_PS_SHARED && at[i].owner == w->cta;
        if ((!global && !own) || at[i].space != at[0].space) {
            tc_finding_fault(w, op, i, TC_FINDING_OUT_OF_BOUNDS, at[i].space,
                             at[i].address, bytes, TC_DETAIL_MATRIX_MEMORY);
            return false;
        }
        addr[i] = at[i].address;
        out[i] = at[i].bytes;
    }
    observe(w, op, x, at[0].space, addr, bytes);
    return true;
}

static const tc_ptx_operand *register_of(const tc_warp *w, const tc_ptx_op *op,
                                         const area *x, uint32_t r) {
    return &w->cta->run->module->vec[op->a[x->store ? 1 : 0].slot + r];
}

/* Register r, from memory or to it. False after a fault. */
static bool move_register(tc_warp *w, const tc_ptx_op *op, const area *x,
                          uint32_t r) {
    uint32_t chunk = chunk_of(x), bytes = chunk * x->m.bits / 8;
    uint64_t v[TC_LANES] = {0}, tmp[TC_LANES];
    uint32_t low[TC_LANES];
    const tc_ptx_operand *reg = register_of(w, op, x, r);
    if (x->store && x->m.bits == 64) {
        memcpy(v, tc_src64(w, reg, tmp), sizeof v);
    } else if (x->store) {
        const uint32_t *s = tc_src32(w, reg, low);
        for (int i = 0; i < TC_LANES; i++) {
            v[i] = s[i];
        }
    }
    for (uint32_t j = 0; j < x->m.per; j += chunk) {
        uint8_t *at[TC_LANES];
        if (!find_lanes(w, op, x, r, j, bytes, at)) {
            return false;
        }
        uint32_t shift = j * x->m.bits % 64;
        if (bytes == 4 && !x->store) {
            for (int i = 0; i < TC_LANES; i++) {
                uint32_t part;
                memcpy(&part, at[i], 4);
                v[i] |= (uint64_t)part << shift;
            }
            continue;
        }
        if (bytes == 2 && !x->store) {
            for (int i = 0; i < TC_LANES; i++) {
                uint16_t part;
                memcpy(&part, at[i], 2);
                v[i] |= (uint64_t)part << shift;
            }
            continue;
        }
        for (int i = 0; i < TC_LANES; i++) {
            uint64_t part = v[i] >> shift;
            if (x->store) {
                memcpy(at[i], &part, bytes);
                continue;
            }
            part = 0;
            memcpy(&part, at[i], bytes);
            v[i] |= part << shift;
        }
    }
    for (uint32_t k = r; !x->store && k < op->a[0].nvec; k += x->m.regs) {
        tc_put64(w, register_of(w, op, x, k), v, UINT32_MAX);
    }
    return true;
}

static void move(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    area x = area_of(op);
    if (!tc_mma_together(w, op, mask) || !find_area(w, op, &x)) {
        return;
    }
    find_window(w, op, &x);
    w->cta->run->progress += x.store;
    for (uint32_t r = 0; r < x.m.regs; r++) {
        if (!move_register(w, op, &x, r)) {
            return;
        }
    }
}

void tc_sim_op_WMMA_LOAD_A(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    move(w, op, mask);
}

void tc_sim_op_WMMA_LOAD_B(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    move(w, op, mask);
}

void tc_sim_op_WMMA_LOAD_C(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    move(w, op, mask);
}

void tc_sim_op_WMMA_STORE_D(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    move(w, op, mask);
}
