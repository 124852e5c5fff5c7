/* first_pieces.c - an access of the first pass, in pieces: lanes side by side, on
 * the same bytes, or each for itself. */
#include "sim/race/first_visit.h"

static inline bool is_many(const tc_first_visit *v, const uint64_t *u) {
    const uint64_t *many = v->h->first->many;
    return u >= many && u < many + TC_FIRST_LINE;
}

/* A line of global memory of whose units the same is known, that many have read
 * them, needs none. */
static void unite(const tc_first_visit *v, const uint64_t *u, uint64_t address,
                  bool store) {
    tc_first_pass *f = v->h->first;
    if (store || v->shared || *u != TC_FIRST_ALL_MANY || is_many(v, u)) {
        return;
    }
    uint64_t at = address - f->near_address;
    tc_first_page *p = f->near_pages[at / TC_RACE_PAGE];
    uint64_t i = at % TC_RACE_PAGE / TC_RACE_LINE;
    const uint64_t *line = p->unit + i * TC_FIRST_LINE;
    for (uint32_t j = 0; j < TC_FIRST_LINE; j++) {
        if (p->shift != 2 || line[j] != TC_FIRST_ALL_MANY) {
            return;
        }
    }
    p->line[i] = TC_FIRST_ALL_MANY;
    p->apart &= ~(UINT32_C(1) << i);
}

/* Lanes from l->lane on, n units in all. */
static void visit_units(tc_first_visit *v, tc_first_lanes l, uint64_t *u,
                        uint32_t n, uint32_t shift, bool store) {
    enum { TWO = 8 }; /* that are looked at together */
    uint32_t thread = v->w->index * TC_LANES + l.lane;
    if (v->shared && store) {
        tc_first_runs_written(tc_first_writer_of(v, u), n, thread, l.log);
    } else if (v->shared) {
        uint32_t own =
            tc_first_runs_own(tc_first_writer_of(v, u), n, thread, l.log);
        tc_first_count(v, own, n, shift);
    }
    const uint32_t first = l.lane;
    for (uint32_t i = 0; i < n;) {
        l.lane = first + (i >> l.log);
        uint32_t done = v->who  ? 0
                        : store ? tc_first_runs_write(u + i, n - i, &l)
                                : tc_first_runs_read(u + i, n - i, &l);
        i += done;
        for (uint32_t end = n - i < TWO ? n : i + TWO; i < end; i++) {
            uint32_t lane = first + (i >> l.log);
            if (!store) {
                tc_first_read_unit(v, u + i, lane);
            } else if (v->who) {
                tc_first_strong_unit(v, u + i, lane, false);
            } else {
                tc_first_write_unit(v, u + i, lane);
            }
        }
    }
}

/* The line of global memory of that address, if it has no units; else NULL. */
static inline uint64_t *line_at(tc_first_visit *v, uint64_t address,
                                bool write) {
    tc_first_pass *f = v->h->first;
    uint64_t at = address - f->near_address;
    tc_first_page *p =
        at < f->near_size ? f->near_pages[at / TC_RACE_PAGE] : NULL;
    if (!p || (write && !p->saved)) {
        p = tc_first_page_slow(v->h->run, address, write);
    }
    at = (address - f->near_address) % TC_RACE_PAGE / TC_RACE_LINE;
    return p && !(p->apart >> at & 1) ? &p->line[at] : NULL;
}

/* A whole line, by lanes from `lane` on, each on 1 << log words. False: it
 * needs units. */
static inline bool visit_line(tc_first_visit *v, uint64_t address,
                              uint32_t lane, uint32_t log, bool store) {
    uint64_t *at = line_at(v, address, store);
    uint32_t who = log == 0 ? 0 : log == 1 ? 1 + lane / 16 : 3 + lane / 8;
    if (!at) {
        return false;
    }
    uint32_t w = (uint32_t)*at, r = (uint32_t)(*at >> 32), me = v->mine | who;
    if (w && w != me && !tc_first_is_known(v, w)) {
        return false;
    }
    if (store) {
        *at = !r || r == me || tc_first_is_known(v, r) ? me : *at;
        return *at == me;
    }
    if (!r || tc_first_is_known(v, r)) {
        r = me;
    } else if (r != TC_FIRST_MANY && r != me) {
        if (!v->alone || (tc_first_of_my_cta(v, r) && !v->simple)) {
            return false;
        }
        r = tc_first_together(v, r, me);
    }
    *at = w | (uint64_t)r << 32;
    return true;
}

/* Lanes from l0 on, one after the other, each on `bytes` of its own. */
void tc_first_visit_run(tc_first_visit *v, int l0, int l1, uint64_t address,
                        uint32_t bytes, bool store) {
    uint32_t grain = tc_first_grain_of(address, bytes), shift = 0;
    uint64_t left = (uint64_t)(l1 - l0 + 1) * bytes, n;
    tc_first_lanes l = {.mine = v->mine,
                        .start = v->start,
                        .known = v->known,
                        .none = v->none,
                        .lane = (uint32_t)l0,
                        .shared = v->shared != NULL,
                        .alone = v->alone,
                        .simple = v->simple,
                        .solo = v->solo};
    while (left) {
        uint32_t log = (uint32_t)__builtin_ctz(bytes) - 2;
        if (!v->shared && left >= TC_RACE_LINE && bytes >= 4 && log <= 2 &&
            !v->who && address % TC_RACE_LINE == 0 &&
            (l.lane << log) % TC_FIRST_LINE == 0 &&
            visit_line(v, address, l.lane, log, store)) {
            l.lane += TC_FIRST_LINE >> log;
            address += TC_RACE_LINE;
            left -= TC_RACE_LINE;
            continue;
        }
        uint64_t *u = tc_first_units_at(v, address, grain, store, &shift, &n);
        if (!u) {
            return;
        }
        l.log = (uint32_t)__builtin_ctz(bytes) - shift;
        n = n < left >> shift ? n : left >> shift;
        if (!is_many(v, u)) {
            visit_units(v, l, u, (uint32_t)n, shift, store);
            unite(v, u, address, store);
        }
        l.lane += (uint32_t)n >> l.log;
        address += n << shift;
        left -= n << shift;
    }
}

/* Lanes [l0, l1] read one unit. */
static void read_together(tc_first_visit *v, int l0, int l1, uint64_t *u,
                          uint32_t shift) {
    uint32_t w = (uint32_t)*u, r = (uint32_t)(*u >> 32);
    uint32_t mine = v->mine | TC_FIRST_WARP | v->who;
    if (v->shared) {
        uint32_t who = *tc_first_writer_of(v, u) - v->w->index * TC_LANES;
        bool own = who >= (uint32_t)l0 && who <= (uint32_t)l1;
        tc_first_count(v, own, (uint32_t)(l1 - l0) + 1, shift);
    }
    if (w < v->none) {
        v->bad |= v->shared != NULL;
    } else if (!tc_first_is_known(v, w) && !(v->who && tc_first_is_strong(w))) {
        for (int i = l0; i <= l1; i++) {
            v->bad |= !tc_first_ordered(v, w, (uint32_t)i);
        }
    }
    if (r < v->none || tc_first_is_known(v, r)) {
        r = mine;
    } else if (r != mine && r != TC_FIRST_MANY) {
        r = tc_first_together(v, r, mine);
    }
    *u = w | (uint64_t)r << 32;
}

/* Lanes [l0, l1] store one value to one unit: each of them is looked at. */
static void write_together(tc_first_visit *v, int l0, int l1, uint64_t *u) {
    const uint64_t old = *u;
    for (int i = l0; i <= l1; i++) {
        *u = v->who ? *u : old;
        tc_first_write_at(v, u, (uint32_t)i);
    }
    if (!v->who) {
        *u = v->mine | TC_FIRST_WARP;
    }
}

/* Plain reads of a line of global memory that many have read, and nobody has
 * written, leave it as it is. */
static inline bool nothing_new(const tc_first_visit *v, uint64_t address,
                               uint64_t bytes) {
    const tc_first_pass *f = v->h->first;
    uint64_t at = address - f->near_address;
    const tc_first_page *p = !v->shared && at < f->near_size
                                 ? f->near_pages[at / TC_RACE_PAGE]
                                 : NULL;
    uint64_t line = at % TC_RACE_PAGE / TC_RACE_LINE;
    return p && at % TC_RACE_LINE + bytes <= TC_RACE_LINE && p->shift == 2 &&
           !(p->apart >> line & 1) && p->line[line] == TC_FIRST_ALL_MANY;
}

/* Lanes [l0, l1] on the same bytes. */
static void visit_same(tc_first_visit *v, int l0, int l1, uint64_t address,
                       uint32_t bytes, bool store) {
    uint32_t grain = tc_first_grain_of(address, bytes), shift = 0;
    for (uint32_t b = 0; b < bytes; b += UINT32_C(1) << shift) {
        uint64_t n;
        uint64_t *u =
            tc_first_units_at(v, address + b, grain, store, &shift, &n);
        if (!u) {
            return;
        }
        if (store) {
            write_together(v, l0, l1, u);
        } else {
            read_together(v, l0, l1, u, shift);
            unite(v, u, address + b, store);
        }
    }
}

static inline void visit_one(tc_first_visit *v, uint32_t lane, uint64_t address,
                             uint32_t bytes, bool store) {
    uint32_t grain = tc_first_grain_of(address, bytes), shift = 0;
    for (uint32_t b = 0; b < bytes; b += UINT32_C(1) << shift) {
        uint64_t n;
        uint64_t *u =
            tc_first_units_at(v, address + b, grain, store, &shift, &n);
        if (!u) {
            return;
        }
        if (store) {
            tc_first_write_at(v, u, lane);
        } else {
            tc_first_read_at(v, u, lane, shift);
        }
    }
}

/* ---- two lanes of one store ---- */

/* Their order does not matter. */
static bool agree(const tc_first_visit *v, int a, int b) {
    return v->op->opcode != TC_PTX_ST || v->who ||
           tc_race_same_value(v->w, v->op, a, b);
}

/* Lanes of mask store to one unit; another lane of this op has done so. */
static void store_again(tc_first_visit *v, uint64_t *u, uint32_t mask,
                        uint32_t lane, const uint64_t *addr) {
    for (uint32_t m = mask & ((UINT32_C(1) << lane) - 1); m; m &= m - 1) {
        int i = tc_first_bit(m);
        v->bad |= addr[i] == addr[lane] && !agree(v, i, (int)lane);
    }
    *u = v->mine | TC_FIRST_WARP;
}

/* All of them have been looked at, and none of the units was of my clock but by
 * the same lane. */
static inline void store_unit(tc_first_visit *v, uint64_t *u, uint32_t mask,
                              uint32_t lane, const uint64_t *addr) {
    uint32_t w = (uint32_t)*u;
    if ((w & ~TC_FIRST_WHO_MASK) == v->mine && w != (v->mine | lane)) {
        store_again(v, u, mask, lane, addr);
    } else {
        *u = v->mine | lane;
    }
    if (v->shared) {
        *tc_first_writer_of(v, u) = (uint16_t)(v->w->index * TC_LANES + lane);
    }
}

static inline void look(tc_first_visit *v, const uint64_t *u, uint32_t lane) {
    v->bad |= !tc_first_in_order(v, (uint32_t)*u, lane) ||
              !tc_first_in_order(v, (uint32_t)(*u >> 32), lane);
}

/* A store of lanes that may be on one place: all of them are looked at before
 * any is written. */
static void visit_store(tc_first_visit *v, uint32_t mask, const uint64_t *addr,
                        uint32_t bytes) {
    for (int write = 0; write < 2; write++) {
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)tc_first_bit(m), shift = 0;
            uint32_t grain = tc_first_grain_of(addr[i], bytes);
            for (uint32_t b = 0; b < bytes; b += UINT32_C(1) << shift) {
                uint64_t n;
                uint64_t *u =
                    tc_first_units_at(v, addr[i] + b, grain, true, &shift, &n);
                if (!u) {
                    return;
                }
                if (write) {
                    store_unit(v, u, mask, i, addr);
                } else {
                    look(v, u, i);
                }
            }
        }
    }
}

/* ---- lanes on a unit each, of 1 << log bytes ---- */

/* Where the lanes' units are. False: not all of them are of that size. */
static inline bool find_words(tc_first_visit *v, uint32_t mask,
                              const uint64_t *addr, uint32_t log, bool store,
                              uint64_t **at) {
    const tc_first_pass *f = v->h->first;
    if (v->shared && v->shared->page->shift == log) {
        uint64_t *unit = v->shared->page->unit;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            at[i] = unit + (addr[i] >> log);
        }
        return true;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t shift = log;
        uint64_t n, off = addr[i] - f->near_address;
        const tc_first_page *p = !v->shared && off < f->near_size
                                     ? f->near_pages[off / TC_RACE_PAGE]
                                     : NULL;
        off %= TC_RACE_PAGE;
        if (p && p->shift == log && (!store || p->saved) &&
            (p->apart >> off / TC_RACE_LINE & 1)) {
            at[i] = p->unit + (off >> log);
        } else {
            at[i] = tc_first_units_at(v, addr[i], log, store, &shift, &n);
        }
        if (!at[i] || shift != log) {
            return false;
        }
        __builtin_prefetch(at[i], 1);
    }
    return true;
}

/* v's members, in registers. */
static bool read_words(tc_first_visit *v, uint32_t mask, const uint64_t *addr,
                       uint32_t log) {
    uint64_t *at[TC_LANES];
    const tc_first_visit k = *v;
    if (!find_words(v, mask, addr, log, false, at)) {
        return false;
    }
    if (k.shared) {
        uint32_t own = 0, thread = k.w->index * TC_LANES;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)tc_first_bit(m);
            own += *tc_first_writer_of(&k, at[i]) == thread + i;
        }
        tc_first_count(v, own, tc_popc(mask), log);
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first_bit(m), mine = k.mine | i;
        uint32_t w = (uint32_t)*at[i], r = (uint32_t)(*at[i] >> 32);
        bool first = r < k.none || tc_first_is_known(&k, r) || r == mine;
        bool plain =
            w < k.none ? !k.shared : tc_first_is_known(&k, w) || w == mine;
        if (plain && first) {
            *at[i] = w | (uint64_t)mine << 32;
        } else if (!plain || r != TC_FIRST_MANY) {
            tc_first_read_unit(v, at[i], i);
        }
    }
    return true;
}

static bool write_words(tc_first_visit *v, uint32_t mask, const uint64_t *addr,
                        uint32_t log) {
    uint64_t *at[TC_LANES];
    if (!find_words(v, mask, addr, log, true, at)) {
        return false;
    }
    const tc_first_visit k = *v;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first_bit(m), mine = k.mine | i;
        uint32_t w = (uint32_t)*at[i], r = (uint32_t)(*at[i] >> 32);
        bool fine = (w < k.none || tc_first_is_known(&k, w) || w == mine) &&
                    (r < k.none || tc_first_is_known(&k, r) || r == mine);
        if (!fine) {
            look(v, at[i], i);
        }
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first_bit(m);
        store_unit(v, at[i], mask, i, addr);
    }
    return true;
}

static bool all_aligned(uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    uint64_t any = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        any |= addr[tc_first_bit(m)];
    }
    return any % bytes == 0;
}

/* ---- all of them ---- */

void tc_first_visit_lanes(tc_first_visit *v, uint32_t mask,
                          const uint64_t *addr, uint32_t bytes, bool store,
                          tc_lane_steps s) {
    bool same;
    int i = tc_first_bit(mask), last = tc_race_piece(&s, i, &same);
    bool one = !(mask >> last >> 1);
    enum { SEVERAL = 3 };
    uint32_t log = (uint32_t)__builtin_ctz(bytes);
    if (bytes <= 4 && !one && !v->who &&
        tc_popc(mask) - tc_popc(s.same | s.next) > SEVERAL &&
        all_aligned(mask, addr, bytes) &&
        (store ? write_words(v, mask, addr, log)
               : read_words(v, mask, addr, log))) {
        return;
    }
    if (store && !one && !v->who && !tc_race_ascending(addr, mask)) {
        visit_store(v, mask, addr, bytes);
        return;
    }
    for (;;) {
        uint32_t more = same ? 0 : (uint32_t)(last - i) * bytes;
        if (!store && nothing_new(v, addr[i], more + bytes)) {
            /* most often of tables */
        } else if (same) {
            for (int j = i + 1; store && j <= last; j++) {
                v->bad |= !agree(v, i, j);
            }
            visit_same(v, i, last, addr[i], bytes, store);
        } else if (i == last) {
            visit_one(v, (uint32_t)i, addr[i], bytes, store);
        } else {
            tc_first_visit_run(v, i, last, addr[i], bytes, store);
        }
        uint32_t rest = last == 31 ? 0 : mask >> (last + 1) << (last + 1);
        if (!rest) {
            return;
        }
        i = tc_first_bit(rest);
        last = tc_race_piece(&s, i, &same);
    }
}
