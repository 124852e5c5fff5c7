/* shadow.c - cells of the shadow memory, and the records that they name. */
#include "sim/shadow.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

tc_hazard *tc_hazard_new(tc_run *r) {
    tc_hazard *h = tc_xcalloc(1, sizeof *h);
    const tc_sim *s = r->sim;
    h->run = r;
    h->nrecords = h->nreaders = 1; /* 0 is none */
    h->first_page = tc_xcalloc((size_t)s->nallocs + 1, sizeof(uint64_t));
    for (int i = 0; i < s->nallocs; i++) {
        h->first_page[i] = h->npages;
        h->npages += (s->allocs[i]->size + PAGE - 1) / PAGE;
    }
    h->global = tc_xcalloc(h->npages + 1, sizeof *h->global);
    return h;
}

void tc_hazard_free(tc_hazard *h) {
    if (!h) {
        return;
    }
    for (uint32_t i = 1; i < h->nrecords; i++) {
        free(h->records[i].clocks);
    }
    for (uint64_t i = 0; i < h->npages; i++) {
        free(h->global[i].cells);
    }
    free(h->global);
    free(h->first_page);
    free(h->records);
    free(h->readers);
    free(h);
}

/* ---- records ---- */

uint32_t tc_hz_add_record(tc_hazard *h, const tc_warp *w, const tc_ptx_op *op,
                          uint32_t mask, tc_hz_copy *copy) {
    tc_hz_cta *z = w->cta->hz;
    const uint32_t *clock = z->clock + (size_t)w->index * TC_LANES;
    if (h->nrecords >= h->crecords) {
        h->crecords = h->crecords ? h->crecords * 2 : 1024;
        h->records = tc_xrealloc(h->records, h->crecords * sizeof *h->records);
    }
    tc_hz_record *r = &h->records[h->nrecords];
    memset(r, 0, sizeof *r);
    r->op = op;
    r->copy = copy;
    r->cycle = w->cta->run->cycle;
    r->cta = w->cta->index;
    r->warp = (uint16_t)w->index;
    r->position = ++z->position[w->index];
    r->strong = (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE |
                              TC_PM_RELEASE)) != 0;
    r->clock = clock[tc_first(mask)];
    for (uint32_t m = mask; m; m &= m - 1) {
        if (clock[tc_first(m)] != r->clock) {
            r->clocks = tc_xmalloc(sizeof(uint32_t) * TC_LANES);
            memcpy(r->clocks, clock, sizeof(uint32_t) * TC_LANES);
            break;
        }
    }
    return h->nrecords++;
}

/* ---- readers ---- */

static uint32_t add_readers(tc_hazard *h, uint32_t record, uint32_t mask,
                            uint32_t next) {
    uint32_t i = h->free_readers;
    if (i) {
        h->free_readers = h->readers[i].next;
    } else {
        if (h->nreaders >= h->creaders) {
            h->creaders = h->creaders ? h->creaders * 2 : 1024;
            h->readers =
                tc_xrealloc(h->readers, h->creaders * sizeof *h->readers);
        }
        i = h->nreaders++;
    }
    h->readers[i] = (tc_hz_readers){record, mask, next};
    return i;
}

void tc_hz_clear_readers(tc_hazard *h, tc_hz_cell *c) {
    while (c->more) {
        uint32_t i = c->more;
        c->more = h->readers[i].next;
        h->readers[i].next = h->free_readers;
        h->free_readers = i;
    }
    c->reader = c->rmask = 0;
}

static bool same_reader(const tc_hazard *h, uint32_t a, uint32_t b) {
    const tc_hz_record *x = &h->records[a], *y = &h->records[b];
    return x->cta == y->cta && x->warp == y->warp && !x->copy && !y->copy;
}

/* A later read by the same thread stands for its earlier ones: whoever is
 * ordered after it is ordered after them. While nobody has written the cell
 * the first read is the one to blame and stays. */
void tc_hz_add_reader(tc_hazard *h, tc_hz_cell *c, uint32_t record, int lane) {
    uint32_t bit = UINT32_C(1) << lane;
    if (c->reader == record || !c->rmask) {
        c->reader = record;
        c->rmask |= bit;
        return;
    }
    uint32_t *last = NULL, at = 0;
    bool first = c->writer == 0;
    if (same_reader(h, c->reader, record)) {
        if (first && (c->rmask & bit)) {
            return;
        }
        c->rmask &= ~bit;
    }
    for (uint32_t i = c->more; i; i = h->readers[i].next) {
        if (h->readers[i].record == record) {
            at = i;
        } else if (same_reader(h, h->readers[i].record, record)) {
            if (first && (h->readers[i].mask & bit)) {
                return;
            }
            h->readers[i].mask &= ~bit;
            if (!h->readers[i].mask) {
                last = &h->readers[i].record;
                h->readers[i].record = record;
                h->readers[i].mask = bit;
                at = i;
                break;
            }
        }
    }
    if (!c->rmask) {
        c->reader = record;
        c->rmask = bit;
    } else if (at) {
        h->readers[at].mask |= bit;
    } else {
        uint32_t more = add_readers(h, record, bit, c->more);
        c->more = more;
    }
    (void)last;
}

/* ---- cells ---- */

static void refine(tc_hazard *h, tc_hz_shadow *s, uint32_t shift) {
    uint64_t n = (s->bytes >> shift) + 1;
    tc_hz_cell *fine = tc_xcalloc(n, sizeof *fine);
    for (uint64_t i = 0; i < n; i++) {
        const tc_hz_cell *old = &s->cells[i >> (s->shift - shift)];
        fine[i] = *old;
        fine[i].more = 0;
        for (uint32_t k = old->more; k; k = h->readers[k].next) {
            tc_hz_readers e = h->readers[k];
            fine[i].more = add_readers(h, e.record, e.mask, fine[i].more);
        }
    }
    for (uint64_t i = 0; i <= s->bytes >> s->shift; i++) {
        tc_hz_clear_readers(h, &s->cells[i]);
    }
    free(s->cells);
    s->cells = fine;
    s->shift = shift;
}

static uint32_t grain(uint64_t offset, uint32_t bytes) {
    int z = __builtin_ctz((uint32_t)offset | bytes | 4u);
    return (uint32_t)(z > 2 ? 2 : z);
}

tc_hz_cell *tc_hz_cells(tc_hazard *h, tc_hz_shadow *s, uint64_t offset,
                        uint32_t bytes, uint32_t *n) {
    uint32_t g = grain(offset, bytes);
    if (!s->cells) {
        s->shift = g;
        s->cells = tc_xcalloc((s->bytes >> g) + 1, sizeof *s->cells);
    } else if (g < s->shift) {
        refine(h, s, g);
    }
    *n = ((bytes - 1) >> s->shift) + 1;
    return s->cells + (offset >> s->shift);
}

/* Accesses are aligned to their size, at most 64 bytes: one page holds them.
 * A copy's source of odd size stays within its 16 bytes, too. */
tc_hz_shadow *tc_hz_global(tc_hazard *h, uint64_t address, uint64_t *offset) {
    const tc_sim *s = h->run->sim;
    int lo = 0, hi = s->nallocs - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (s->allocs[mid]->address <= address) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    uint64_t at = address - s->allocs[lo]->address;
    tc_hz_shadow *page = &h->global[h->first_page[lo] + at / PAGE];
    page->bytes = PAGE;
    *offset = at % PAGE;
    return page;
}
