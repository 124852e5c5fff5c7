/* address.c - one lane's address, resolved to host memory (PTX ISA 5.1, 6.4.1).
 */
#include "sim/core/address.h"
#include "sim/core/finding.h"

/* A shared::cluster address: the CTA that it names, and the offset there. */
static tc_cta *shared_owner(tc_cta *c, uint64_t addr, uint64_t *offset) {
    uint64_t rank = addr >> TC_CLUSTER_SHIFT;
    *offset = addr & ((UINT64_C(1) << TC_CLUSTER_SHIFT) - 1);
    if (rank == 0) {
        return c;
    }
    return c->peers && rank <= c->ncluster ? c->peers[rank - 1] : NULL;
}

static bool inside(uint64_t at, uint32_t bytes, uint64_t size) {
    return bytes <= size && at <= size - bytes;
}

/* own: an address in .shared, which names no other CTA. */
static bool find(tc_warp *w, int lane, uint32_t bytes, bool own,
                 tc_resolved *p) {
    tc_cta *c = w->cta;
    if (p->space == TC_PS_SHARED) {
        p->owner = own ? c : shared_owner(c, p->address, &p->address);
        if (!p->owner || !inside(p->address, bytes, p->owner->shared_bytes)) {
            return false;
        }
        p->bytes = p->owner->shared + p->address;
        return true;
    }
    if (p->space == TC_PS_LOCAL) {
        uint64_t t = (uint64_t)w->index * TC_LANES + (uint64_t)lane;
        if (!c->local || !inside(p->address, bytes, c->local_bytes)) {
            return false;
        }
        p->bytes = c->local + t * c->local_bytes + p->address;
        return true;
    }
    if (p->space == TC_PS_PARAM) {
        const tc_sim_launch *l = c->run->launch;
        if (!inside(p->address, bytes, l->nparams)) {
            return false;
        }
        p->bytes = (uint8_t *)(uintptr_t)l->params + p->address;
        return true;
    }
    tc_sim_allocation *a = tc_allocation_find(c->run, p->address);
    if (!a || !inside(p->address - a->address, bytes, a->size)) {
        return false;
    }
    p->bytes = a->bytes + (p->address - a->address);
    return true;
}

/* The window that a generic address lies in. */
static void leave_generic(tc_resolved *p) {
    if (p->address - TC_WINDOW_SHARED < TC_WINDOW_BYTES) {
        p->address -= TC_WINDOW_SHARED;
        p->space = TC_PS_SHARED;
    } else if (p->address - TC_WINDOW_LOCAL < TC_WINDOW_BYTES) {
        p->address -= TC_WINDOW_LOCAL;
        p->space = TC_PS_LOCAL;
    } else {
        p->space = TC_PS_GLOBAL;
    }
}

bool tc_resolve_lane(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     int lane, uint64_t addr, uint32_t bytes, uint32_t align,
                     tc_resolved *out) {
    *out = (tc_resolved){.space = space, .address = addr};
    if (space == TC_PS_GENERIC) {
        leave_generic(out);
    } else if (space == TC_PS_CLUSTER) {
        out->space = TC_PS_SHARED;
    } else if (space == TC_PS_CONST) {
        out->space = TC_PS_GLOBAL;
    }
    if (align > 1 && (addr & (align - 1)) != 0) {
        tc_finding_fault(w, op, lane, TC_FINDING_MISALIGNED, out->space,
                         out->address, align, TC_DETAIL_NONE);
        return false;
    }
    if (!find(w, lane, bytes, space == TC_PS_SHARED, out)) {
        tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, out->space,
                         out->address, bytes, TC_DETAIL_NONE);
        return false;
    }
    if (out->owner && out->owner != w->cta && out->owner->ended) {
        tc_finding_fault(w, op, lane, TC_FINDING_REMOTE_EXITED, TC_PS_SHARED,
                         out->address, bytes, TC_DETAIL_NONE);
        return false;
    }
    return true;
}

uint8_t *tc_resolve_bytes(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                          int lane, uint64_t addr, uint32_t bytes) {
    tc_resolved p;
    uint32_t align = bytes && (bytes & (bytes - 1)) == 0 ? bytes : 1;
    return tc_resolve_lane(w, op, space, lane, addr, bytes, align, &p) ? p.bytes
                                                                       : NULL;
}

tc_cta *tc_cluster_owner(tc_cta *c, uint64_t address, uint64_t *offset) {
    uint64_t rank = address >> TC_CLUSTER_SHIFT;
    *offset = address & TC_CLUSTER_OFFSET;
    if (rank == 0) {
        return c;
    }
    return c->peers && rank <= c->ncluster ? c->peers[rank - 1] : NULL;
}
