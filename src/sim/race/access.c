/* access.c - accesses of warps, cut into pieces that one cell a line can say.
 */
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/race/first_pass.h"
#include "sim/race/race.h"
#include "sim/race/same_epoch.h"
#include "sim/race/writer_index.h"
#include <stdlib.h>
#include <string.h>

/* My clock, if nobody but my CTA is known to me, that only up to an earlier
 * clock, and the same to all of my lanes; and the record is a plain one. */
static uint64_t epoch_of(const tc_warp *w, const tc_race_warp *hw,
                         const tc_shadow_record *me) {
    const tc_vclock *k = hw->all;
    if (!k || k->floor || !k->n || (me->flags & ~TC_RACE_STORE)) {
        return 0;
    }
    const tc_vclock_block *b = &k->b[0];
    if (b->of != w->cta->index || b->barrier || b->at || b->count ||
        b->base >= me->clock) {
        return 0;
    }
    for (uint32_t i = 1; i < k->n; i++) {
        if (!k->b[i].barrier) {
            return 0;
        }
    }
    return me->clock;
}

tc_race_visit tc_race_visit_of(tc_warp *w, uint32_t record, tc_race_cta *z,
                               tc_ptx_space space, uint32_t bytes) {
    tc_race_warp *hw = tc_race_warp_of(w);
    tc_race *h = w->cta->run->race;
    bool global = space == TC_PS_GLOBAL;
    bool own = space == TC_PS_SHARED && z == w->cta->race && h->alone;
    uint64_t epoch = !h->walks && (global || own) && !hw->locked
                         ? epoch_of(w, hw, &h->records[record])
                         : 0;
    h->now = record;
    return (tc_race_visit){.h = h,
                           .w = w,
                           .z = z,
                           .record = record,
                           .vclock = hw->vclock,
                           .all = hw->all,
                           .locked = hw->locked,
                           .base = space == TC_PS_SHARED && !hw->locked
                                       ? tc_vclock_base(hw->all, w->cta->index)
                                       : 0,
                           .epoch = global ? epoch : 0,
                           .warp = w->index,
                           .indexed = own && epoch != 0,
                           .space = space,
                           .bytes = bytes};
}

static inline void visit_line(tc_race_visit *v, uint64_t address,
                              tc_shadow_cell m, bool store) {
    tc_shadow_line *line =
        v->epoch ? tc_shadow_near(v->h, address)
                 : tc_shadow_line_of(v->h, v->z, v->space, address);
    v->address = address & ~(uint64_t)(TC_RACE_LINE - 1);
    if (!line || (store ? tc_same_epoch_write(v, line, &m)
                        : tc_same_epoch_read(v, line, &m))) {
        return;
    }
    if (store) {
        if (!v->indexed || !tc_indexed_write(v, line, &m)) {
            tc_shadow_write(v, line, m);
        }
    } else if (!v->base || !tc_deferred_in_order(v, line, &m)) {
        tc_shadow_read(v, line, m);
    }
}

/* Lanes [l0, l1] on the same bytes. */
static inline void visit_same(tc_race_visit *v, int l0, int l1,
                              uint64_t address, uint64_t bytes, bool store) {
    while (bytes) {
        uint32_t at = (uint32_t)(address % TC_RACE_LINE);
        uint64_t n = TC_RACE_LINE - at < bytes ? TC_RACE_LINE - at : bytes;
        visit_line(v, address,
                   tc_shadow_same_cell(l0, l1, at, at + (uint32_t)n), store);
        address += n;
        bytes -= n;
    }
}

void tc_race_visit_bytes(tc_race_visit *v, int lane, uint64_t address,
                         uint64_t bytes, bool store) {
    visit_same(v, lane, lane, address, bytes, store);
}

/* Lanes [l0, l1] on consecutive elements, each of v->bytes, a power of two. */
static void visit_run(tc_race_visit *v, int l0, int l1, uint64_t address,
                      bool store) {
    uint32_t unit = (uint32_t)__builtin_ctz(v->bytes);
    uint64_t end = address + ((uint64_t)(l1 - l0) + 1) * v->bytes;
    uint64_t line = address & ~(uint64_t)(TC_RACE_LINE - 1);
    for (; line < end; line += TC_RACE_LINE) {
        tc_shadow_cell m =
            tc_shadow_run_cell(l0, l1, (int64_t)(address - line), unit);
        visit_line(v, line, m, store);
    }
}

/* ---- two lanes of one store on the same bytes ---- */

bool tc_race_same_value(tc_warp *w, const tc_ptx_op *op, int a, int b) {
    const tc_ptx_operand *s = &op->a[1];
    uint32_t n = s->kind == TC_PO_VECTOR ? op->nvec : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *o = s->kind == TC_PO_VECTOR
                                      ? &w->cta->run->module->vec[s->slot + i]
                                      : s;
        if (o->kind != TC_PO_REG) {
            continue; /* an immediate, a symbol: one value for all */
        }
        uint64_t t64[TC_LANES];
        uint32_t t32[TC_LANES];
        bool same = true;
        if (o->cls == TC_PF_64) {
            const uint64_t *v = tc_src64(w, o, t64);
            same = v[a] == v[b];
        } else if (o->cls == TC_PF_32) {
            const uint32_t *v = tc_src32(w, o, t32);
            same = v[a] == v[b];
        }
        if (!same) {
            return false;
        }
    }
    return true;
}

/* The bytes at that place now. */
static const uint8_t *bytes_at(const tc_race_visit *v, const tc_finding *f) {
    if (f->space == TC_PS_SHARED) {
        return v->z ? v->z->cta->shared + f->address : NULL;
    }
    const tc_sim_allocation *a = f->space == TC_PS_GLOBAL
                                     ? tc_allocation_find(v->h->run, f->address)
                                     : NULL;
    return a ? a->bytes + (f->address - a->address) : NULL;
}

bool tc_race_stores_again(const tc_race_visit *v, const tc_finding *place,
                          int lane) {
    const tc_ptx_op *op = tc_shadow_record_of(v->h, v->record)->op;
    const uint8_t *at = v->w ? bytes_at(v, place) : NULL;
    if (!at || op->opcode != TC_PTX_ST || place->bytes != v->bytes) {
        return false;
    }
    const tc_ptx_operand *s = &op->a[1];
    uint32_t n = s->kind == TC_PO_VECTOR ? op->nvec : 1, each = v->bytes / n;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *o =
            s->kind == TC_PO_VECTOR ? &v->w->cta->run->module->vec[s->slot + i]
                                    : s;
        uint64_t tmp[TC_LANES];
        const uint64_t *values = tc_src64(v->w, o, tmp);
        if (each > sizeof *values ||
            memcmp(at + (size_t)i * each, &values[lane], each) != 0) {
            return false;
        }
    }
    return true;
}

/* The same value by all is benign: whoever is last, the bytes are those. */
static void check_lanes(const tc_race_visit *v, tc_warp *w, const tc_ptx_op *op,
                        uint64_t address, int a, int b) {
    if (op->opcode != TC_PTX_ST ||
        (tc_shadow_record_of(v->h, v->record)->flags & TC_RACE_STRONG) ||
        tc_race_same_value(w, op, a, b)) {
        return;
    }
    tc_finding f = {.kind = TC_FINDING_DATA_RACE,
                    .space = v->space,
                    .address = address,
                    .bytes = v->bytes,
                    .to = v->bytes,
                    .at = tc_access_of(w, op, b),
                    .cause = tc_access_of(w, op, a),
                    .missing = TC_MISSING_ONE_WRITER};
    tc_race_find(w->cta->run, &f);
}

void tc_race_check_run(const tc_race_visit *v, tc_warp *w, const tc_ptx_op *op,
                       uint64_t address, int l0, int l1) {
    for (int i = l0 + 1; i <= l1; i++) {
        check_lanes(v, w, op, address, l0, i);
    }
}

bool tc_race_check_scattered(const tc_race_visit *v, tc_warp *w,
                             const tc_ptx_op *op, uint32_t mask,
                             const uint64_t *addr) {
    bool met = false;
    for (uint32_t m = mask; m; m &= m - 1) {
        int a = tc_first_bit(m);
        for (uint32_t n = m & (m - 1); n; n &= n - 1) {
            int b = tc_first_bit(n);
            if (addr[a] == addr[b]) {
                check_lanes(v, w, op, addr[a], a, b);
                met = true;
                break;
            }
        }
    }
    return met;
}

/* ---- the pieces ---- */

tc_lane_steps tc_race_steps_of(const uint64_t *addr, uint32_t mask,
                               uint32_t bytes) {
    tc_lane_steps s = {0};
    for (uint32_t m = mask & mask >> 1; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint64_t step = addr[i + 1] - addr[i];
        s.same |= (uint32_t)(step == 0) << i;
        s.next |= (uint32_t)(step == bytes) << i;
    }
    return s;
}

bool tc_race_ascending(const uint64_t *addr, uint32_t mask) {
    uint64_t last = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[tc_first_bit(m)] + 1;
        if (a <= last) {
            return false;
        }
        last = a;
    }
    return true;
}

/* One lane's read of one word, where nothing need be walked. */
static inline bool visit_word(tc_race_visit *v, uint32_t lane,
                              uint64_t address) {
    tc_shadow_line *line = tc_shadow_near(v->h, address);
    return line &&
           tc_same_epoch_read_word(v, line, lane, address % TC_RACE_LINE);
}

/* Lines that lanes apart from each other will come to. */
static void fetch_lines(const tc_race *h, uint32_t mask, const uint64_t *addr) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addr[tc_first_bit(m)] - h->near_address;
        const tc_shadow_line *page =
            at < h->near_size ? h->near_pages[at / TC_RACE_PAGE] : NULL;
        if (page) {
            __builtin_prefetch(page + at % TC_RACE_PAGE / TC_RACE_LINE, 1);
        }
    }
}

void tc_race_visit_lanes(tc_race_visit *v, tc_warp *w, const tc_ptx_op *op,
                         uint32_t mask, const uint64_t *addr, bool store,
                         tc_lane_steps s) {
    bool same, one = false;
    if (!store && v->base && v->bytes == 4 && !s.same &&
        s.next != UINT32_MAX >> 1 &&
        tc_deferred_scattered(v, mask, addr, tc_popc(mask) - tc_popc(s.next))) {
        return;
    }
    bool words = v->epoch && v->bytes == 4 && !store;
    if (v->epoch && tc_popc(mask & ~s.same & ~s.next) > 8) {
        fetch_lines(v->h, mask, addr);
    }
    int i = tc_first_bit(mask);
    int last = tc_race_piece(&s, i, &same);
    one = !(mask >> last >> 1);
    if (store && !one && !tc_race_ascending(addr, mask) &&
        tc_race_check_scattered(v, w, op, mask, addr) && !v->fresh) {
        const tc_shadow_record old = *tc_shadow_record_of(v->h, v->record);
        v->record = tc_shadow_record_new(w, op, old.flags, old.async);
        v->h->now = v->record;
        v->fresh = true;
    }
    for (;;) {
        if (same && store && one) {
            tc_race_check_run(v, w, op, addr[i], i, last);
        }
        if (words && i == last && visit_word(v, (uint32_t)i, addr[i])) {
            /* done */
        } else if (same || i == last) {
            visit_same(v, i, last, addr[i], v->bytes, store);
        } else {
            visit_run(v, i, last, addr[i], store);
        }
        uint32_t rest = last == 31 ? 0 : mask >> (last + 1) << (last + 1);
        if (!rest) {
            return;
        }
        i = tc_first_bit(rest);
        last = tc_race_piece(&s, i, &same);
    }
}

/* Local memory is a thread's own: only reads of what it never wrote. */
static void visit_local(tc_warp *w, const tc_ptx_op *op, int lane,
                        uint64_t address, uint32_t bytes, bool store) {
    tc_cta *c = w->cta;
    uint64_t t = (uint64_t)w->index * TC_LANES + (uint64_t)lane;
    uint8_t *b = c->race->local + t * c->local_bytes + address;
    if (store) {
        memset(b, 1, bytes);
        return;
    }
    const uint8_t *bad = memchr(b, 0, bytes);
    if (bad && !tc_race_load_unused(c->run, op)) {
        tc_finding f = {.kind = TC_FINDING_UNINITIALIZED_READ,
                        .space = TC_PS_LOCAL,
                        .address = address,
                        .bytes = bytes,
                        .from = (uint32_t)(bad - b),
                        .to = bytes,
                        .at = tc_access_of(w, op, lane)};
        tc_race_find(c->run, &f);
    }
}

uint8_t *tc_race_local(const tc_warp *w) {
    uint8_t *local = w->cta->race->local;
    return local ? local + (uint64_t)w->index * TC_LANES * w->cta->local_bytes
                 : NULL;
}

enum {
    STRONG = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE | TC_PM_RELEASE
};

static void access_memory(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                          uint32_t mask, const uint64_t *addr, uint32_t bytes,
                          bool store, tc_lane_steps steps) {
    const bool strong = (op->flags & STRONG) != 0;
    tc_race_cta *z = space == TC_PS_GLOBAL ? NULL : w->cta->race;
    if (strong && !store) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    } else if (strong) {
        tc_race_warp_of(w)->quiet = tc_race_warp_of(w)->tick;
    }
    uint32_t record = tc_shadow_record_get(w, op, store ? TC_RACE_STORE : 0);
    tc_race_visit v = tc_race_visit_of(w, record, z, space, bytes);
    tc_race_visit_lanes(&v, w, op, mask, addr, store, steps);
    if (!store && !z) {
        tc_race_unwritten_check(w, op, mask, addr, bytes);
    }
    if (strong && store) {
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_STORE);
    }
}

void tc_race_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes,
                    bool store) {
    if (space == TC_PS_LOCAL) {
        for (uint32_t m = mask; m; m &= m - 1) {
            visit_local(w, op, tc_first_bit(m), addr[tc_first_bit(m)], bytes,
                        store);
        }
        return;
    }
    tc_race_access_steps(w, op, space, mask, addr, bytes, store,
                         tc_race_steps_of(addr, mask, bytes));
}

void tc_race_access_steps(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                          uint32_t mask, const uint64_t *addr, uint32_t bytes,
                          bool store, tc_lane_steps steps) {
    if (w->cta->run->race->first) {
        tc_first_access(w, op, space, mask, addr, bytes, store, steps);
        return;
    }
    access_memory(w, op, space, mask, addr, bytes, store, steps);
}

void tc_race_access_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                        uint32_t mask, uint64_t base, uint32_t bytes,
                        bool store) {
    if ((op->flags & STRONG) || space == TC_PS_LOCAL ||
        (w->cta->run->race->first && mask != UINT32_MAX)) {
        uint64_t addr[TC_LANES];
        for (uint32_t i = 0; i < TC_LANES; i++) {
            addr[i] = base + (uint64_t)i * bytes;
        }
        tc_race_access(w, op, space, mask, addr, bytes, store);
        return;
    }
    if (w->cta->run->race->first && mask == UINT32_MAX) {
        tc_first_run(w, op, space, base, bytes, store);
        return;
    }
    if (!store && space == TC_PS_GLOBAL) {
        uint64_t addr[TC_LANES];
        for (uint32_t i = 0; i < TC_LANES; i++) {
            addr[i] = base + (uint64_t)i * bytes;
        }
        tc_race_unwritten_check(w, op, mask, addr, bytes);
    }
    uint32_t record = tc_shadow_record_get(w, op, store ? TC_RACE_STORE : 0);
    tc_race_visit v = tc_race_visit_of(
        w, record, space == TC_PS_GLOBAL ? NULL : w->cta->race, space, bytes);
    while (mask) {
        int l0 = tc_first_bit(mask);
        uint32_t gap = ~(mask >> l0);
        int n = gap ? tc_first_bit(gap) : TC_LANES;
        n = n > TC_LANES - l0 ? TC_LANES - l0 : n;
        uint64_t at = base + (uint64_t)l0 * bytes;
        if (n == 1) {
            visit_same(&v, l0, l0, at, bytes, store);
        } else {
            visit_run(&v, l0, l0 + n - 1, at, store);
        }
        mask = l0 + n == TC_LANES ? 0 : mask >> (l0 + n) << (l0 + n);
    }
}

/* One lane's atomic. */
static void visit_atomic(tc_race_visit *v, int lane, uint64_t address) {
    tc_shadow_line *line = tc_shadow_line_of(v->h, v->z, v->space, address);
    uint32_t at = (uint32_t)(address % TC_RACE_LINE);
    v->address = address - at;
    if (!line) {
        return;
    }
    line->written |= UINT32_C(1) << at / 4;
    tc_writer_index_drop(v, line);
    bool narrow =
        v->space == TC_PS_GLOBAL &&
        tc_shadow_record_of(v->h, v->record)->scope <= TC_PTX_SCOPE_CTA;
    if (v->bytes == 4 && !narrow && !v->h->narrow &&
        ((line->w.shape & TC_RACE_WORD_TABLE) ||
         (line->w.next && tc_word_table_make(v, line))) &&
        tc_word_table_atomic(v, line, lane, at)) {
        return;
    }
    v->h->narrow |= narrow;
    if (v->space == TC_PS_SHARED) {
        tc_shadow_touch(v, line,
                        tc_shadow_same_cell(lane, lane, at, at + v->bytes));
    }
    tc_race_visit_bytes(v, lane, address, v->bytes, true);
}

/* 9.7.13.5: reads and writes at once, and releases and acquires as it says. */
void tc_race_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    if (!w->cta->run->race || !mask || space == TC_PS_LOCAL) {
        return;
    }
    if (w->cta->run->race->first) {
        tc_first_atomic(w, op, space, mask, addr, bytes);
        return;
    }
    tc_race_cta *z = space == TC_PS_GLOBAL ? NULL : w->cta->race;
    tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    if (!z) {
        tc_race_unwritten_check(w, op, mask, addr, bytes);
    }
    uint32_t record =
        tc_shadow_record_get(w, op, TC_RACE_STORE | TC_RACE_STRONG);
    tc_race_visit v = tc_race_visit_of(w, record, z, space, bytes);
    for (uint32_t m = mask; m; m &= m - 1) {
        visit_atomic(&v, tc_first_bit(m), addr[tc_first_bit(m)]);
    }
    tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_ATOMIC);
    if ((op->flags & TC_PM_ACQUIRE) && (mask & (mask - 1))) {
        /* Lanes that were served after others of this op know of them. */
        tc_race_strong(w, op, z, mask, addr, TC_RACE_STRONG_LOAD);
    }
}

void tc_race_call(tc_warp *w, const tc_frame *f, uint32_t mask) {
    tc_race_cta *z = w->cta->race;
    uint64_t each = w->cta->local_bytes;
    const tc_ptx_module *m = w->cta->run->module;
    if (!z || !z->local || f->func->local_bytes == 0) {
        return;
    }
    for (uint32_t l = mask; l; l &= l - 1) {
        uint64_t t = (uint64_t)w->index * TC_LANES + (uint64_t)tc_first_bit(l);
        memset(z->local + t * each + f->base, 0, f->func->local_bytes);
        for (int i = 0; i < f->func->nformals; i++) {
            const tc_ptx_formal *p = &f->func->formals[i];
            if (!p->reg) {
                memset(z->local + t * each + f->base +
                           m->symbols[p->slot].offset,
                       1, p->size);
            }
        }
    }
}
