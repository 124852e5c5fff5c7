/* touched.c - what a launch has touched of global memory, as its shadow has it at
 * the end: for who orders launches (sim.h, tc_sim_launch.touched). */
#include "sim/core/run.h"
#include "sim/race/first_pass.h"
#include "sim/race/race.h"
#include "sim/race/shadow_line.h"
#include <string.h>

enum { LINE = TC_RACE_LINE, LINES = TC_RACE_PAGE / LINE };

/* Bytes that follow each other and were touched alike. */
typedef struct stretch {
    const tc_sim_launch *to;
    uint64_t address, bytes;
    uint32_t how;
} stretch;

static void put(stretch *s, uint64_t address, uint64_t bytes, uint32_t how) {
    if (how == s->how && s->address + s->bytes == address) {
        s->bytes += bytes;
        return;
    }
    if (s->how && s->bytes) {
        s->to->touched(s->to->touched_user, s->address, s->bytes, s->how);
    }
    *s = (stretch){s->to, address, bytes, how};
}

static uint64_t address_of(const tc_run *r, uint64_t page) {
    const uint64_t *first = r->race->first_page;
    int lo = 0, hi = r->sim->nallocs - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (first[mid] <= page) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return r->sim->allocs[lo]->address + (page - first[lo]) * TC_RACE_PAGE;
}

/* ---- the first pass's ---- */

static bool is_strong(uint32_t x) {
    uint32_t strong = TC_FIRST_WARP | TC_FIRST_STRONG;
    return (x & strong) == strong;
}

static uint32_t how_of(uint64_t unit) {
    uint32_t w = (uint32_t)unit, r = (uint32_t)(unit >> 32);
    uint32_t how = !w ? 0 : is_strong(w) ? TC_SIM_WRITES_STRONG : TC_SIM_WRITES;
    return how | (uint32_t)(!r             ? 0
                            : is_strong(r) ? TC_SIM_READS_STRONG
                                           : TC_SIM_READS);
}

static void put_first(stretch *s, const tc_first_page *p, uint64_t address) {
    for (uint32_t i = 0; i < LINES; i++) {
        if (!(p->apart >> i & 1)) {
            put(s, address + i * LINE, LINE, how_of(p->line[i]));
            continue;
        }
        uint32_t n = LINE >> p->shift;
        for (uint32_t j = 0; j < n; j++) {
            put(s, address + i * LINE + ((uint64_t)j << p->shift),
                UINT64_C(1) << p->shift, how_of(p->unit[i * n + j]));
        }
    }
}

/* ---- the second pass's ---- */

static void mark_cell(tc_race *h, const tc_shadow_cell *m, bool reads,
                      uint8_t how[LINE]) {
    const tc_shadow_record *x = tc_shadow_record_of(h, m->record);
    bool strong = (x->flags & TC_RACE_STRONG) != 0;
    bool wrote = !reads || (m->shape & TC_RACE_WROTE);
    bool coarse = tc_shadow_shape_of(m) == TC_RACE_COARSE;
    int bit = wrote ? (strong ? TC_SIM_WRITES_STRONG : TC_SIM_WRITES)
                    : (strong ? TC_SIM_READS_STRONG : TC_SIM_READS);
    for (uint32_t b = m->b0; b < m->b1; b++) {
        if (!coarse || tc_shadow_bit(tc_shadow_map(h, m), b)) {
            how[b] = (uint8_t)(how[b] | bit);
        }
    }
}

static void mark(tc_race *h, const tc_shadow_cell *m, bool reads,
                 uint8_t how[LINE]) {
    for (;;) {
        if (m->record) {
            mark_cell(h, m, reads, how);
        }
        if (!m->next) {
            return;
        }
        m = &h->pool[m->next];
    }
}

static void put_second(stretch *s, tc_race *h, tc_shadow_line *lines,
                       uint64_t address) {
    for (uint32_t i = 0; i < LINES; i++) {
        uint8_t how[LINE] = {0};
        if (lines[i].w.shape & TC_RACE_WORD_TABLE) {
            tc_word_table_undo(h, &lines[i]);
        }
        mark(h, &lines[i].w, false, how);
        mark(h, &lines[i].r, true, how);
        for (uint32_t b = 0; b < LINE; b++) {
            put(s, address + i * LINE + b, 1, how[b]);
        }
    }
}

void tc_race_touched(const tc_run *r) {
    tc_race *h = r->race;
    if (!h || !r->launch->touched || !r->sim->nallocs) {
        return;
    }
    stretch s = {.to = r->launch};
    const tc_first_pass *f = h->first;
    for (uint64_t i = 0; f && i < f->ntouched; i++) {
        put_first(&s, f->pages[f->touched[i]], address_of(r, f->touched[i]));
    }
    for (uint64_t i = 0; !f && i < h->ntouched; i++) {
        put_second(&s, h, h->pages[h->touched[i]],
                   address_of(r, h->touched[i]));
    }
    put(&s, 0, 0, 0);
}
