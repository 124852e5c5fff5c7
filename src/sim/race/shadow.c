/* shadow.c - pages of lines, the pool of cells, and the records that cells
 * name. Records that no cell names any more are collected when their number
 * has doubled. */
#include "sim/core/run.h"
#include "sim/race/first_pass.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = TC_RACE_PAGE,
    LINES = PAGE / TC_RACE_LINE,
    FIRST_COLLECTION = 1 << 18
};

/* The table is as long as the device's memory, and most of it is never touched:
 * a large one is of the system's zeroed pages, which cost nothing until then.
 */
enum { LARGE = 1 << 16 /* bytes */ };

static size_t table_bytes(uint64_t n) {
    return (size_t)(n + 1) * sizeof(tc_shadow_line *);
}

static tc_shadow_line **new_table(uint64_t n) {
    if (table_bytes(n) <= LARGE) {
        return tc_xcalloc(1, table_bytes(n));
    }
    void *p = mmap(NULL, table_bytes(n), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return tc_xhave(p == MAP_FAILED ? NULL : p);
}

static void free_table(tc_shadow_line **t, uint64_t n) {
    if (table_bytes(n) <= LARGE) {
        free(t);
    } else {
        munmap(t, table_bytes(n));
    }
}

/* No other CTA, and no transfer, comes to a CTA's shared memory. */
static bool is_alone(const tc_run *r) {
    const tc_ptx_module *m = r->module;
    for (uint32_t i = 0; i < m->ncode; i++) {
        tc_ptx_effect e = tc_ptx_effect_of(&m->code[i]);
        if (e >= TC_PTX_EFFECT_COPY && e <= TC_PTX_EFFECT_ASYNC_MMA &&
            m->code[i].opcode != TC_PTX_CP_ASYNC) {
            return false;
        }
    }
    return r->cluster[0] * r->cluster[1] * r->cluster[2] == 1;
}

tc_race *tc_race_new(tc_run *r) {
    tc_race *h = tc_xcalloc(1, sizeof *h);
    const tc_sim *s = r->sim;
    const uint32_t *b = r->launch->block;
    h->run = r;
    h->walks = s->options.walks;
    h->alone = is_alone(r);
    h->nthreads = (b[0] * b[1] * b[2] + TC_LANES - 1) / TC_LANES * TC_LANES;
    h->nrecords = h->npool = 1; /* 0 is none */
    h->collect_at = FIRST_COLLECTION;
    h->first_page = tc_xcalloc((size_t)s->nallocs + 1, sizeof(uint64_t));
    for (int i = 0; i < s->nallocs; i++) {
        h->first_page[i] = h->npages;
        h->npages += (s->allocs[i]->size + PAGE - 1) / PAGE;
    }
    h->pages = new_table(h->npages);
    return h;
}

static void free_copies(tc_race_copy *k) {
    while (k) {
        tc_race_copy *next = k->next;
        free(k);
        k = next;
    }
}

static void free_agents(tc_race_agent *g) {
    while (g) {
        tc_race_agent *next = g->next;
        while (g->pending) {
            tc_race_pending *p = g->pending;
            g->pending = p->next;
            free(p);
        }
        tc_vclock_unref(g->vclock);
        free(g);
        g = next;
    }
}

void tc_race_free(tc_race *h) {
    if (!h) {
        return;
    }
    tc_race_sync_free(h);
    tc_first_free(h->first);
    free_copies(h->dead);
    free_agents(h->agents);
    free_agents(h->ended);
    for (uint64_t i = 0; i < h->ntouched; i++) {
        free(h->pages[h->touched[i]]);
    }
    free_table(h->pages, h->npages);
    free(h->touched);
    free(h->live);
    free(h->first_page);
    tc_word_table_free(h);
    free(h->records);
    free(h->pool);
    free(h);
}

bool tc_race_live(const tc_race *h, uint32_t cta) {
    return cta / 64 < h->nlive && (h->live[cta / 64] >> cta % 64 & 1);
}

void tc_race_set_live(tc_race *h, uint32_t cta, bool live) {
    uint32_t n = h->nlive, word = cta / 64;
    if (word >= n) {
        h->nlive = word + 1 > 2 * n ? word + 1 : 2 * n;
        h->live = tc_xrealloc(h->live, h->nlive * sizeof *h->live);
        memset(&h->live[n], 0, (h->nlive - n) * sizeof *h->live);
    }
    uint64_t bit = UINT64_C(1) << cta % 64;
    h->live[word] = live ? h->live[word] | bit : h->live[word] & ~bit;
}

/* ---- cells ---- */

uint32_t tc_shadow_cell_new(tc_race *h, const tc_shadow_cell *m) {
    uint32_t i = h->free_cells;
    if (i) {
        h->free_cells = h->pool[i].next;
    } else {
        if (h->npool >= h->cpool) {
            h->cpool = h->cpool ? h->cpool + h->cpool / 2 : 1024;
            h->pool = tc_xrealloc(h->pool, h->cpool * sizeof *h->pool);
        }
        i = h->npool++;
    }
    h->pool[i] = *m;
    return i;
}

void tc_shadow_cell_free(tc_race *h, uint32_t i) {
    assert(i && i < h->npool); /* 0 is none */
    h->pool[i].record = 0;
    h->pool[i].next = h->free_cells;
    h->free_cells = i;
}

/* What must hold of a cell that names a record; dear, so that only a sanitized
 * build looks at every one. */
static void check_cell(const tc_race *h, const tc_shadow_cell *m) {
#ifdef TC_RACE_CHECK
    bool coarse = (m->shape & TC_RACE_SHAPE) == TC_RACE_COARSE;
    assert(m->next < h->npool);
    if (m->record) {
        assert(m->record < h->nrecords);
        assert(m->b0 < m->b1 && m->b1 <= TC_RACE_LINE);
        assert(coarse ? m->map && m->map < h->npool
                      : m->l0 <= m->l1 && m->l1 < TC_LANES);
    }
#else
    (void)h, (void)m;
#endif
}

static void clear_cells(tc_race *h, tc_shadow_cell *first) {
    tc_shadow_cell m = *first;
    memset(first, 0, sizeof *first);
    for (;;) {
        check_cell(h, &m);
        if (m.record && (m.shape & TC_RACE_SHAPE) == TC_RACE_COARSE) {
            tc_shadow_cell_free(h, m.map);
        }
        uint32_t i = m.next;
        if (!i) {
            return;
        }
        m = h->pool[i];
        tc_shadow_cell_free(h, i);
    }
}

void tc_shadow_clear(tc_race *h, tc_shadow_line *lines, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        tc_word_table_drop(h, &lines[i]);
        clear_cells(h, &lines[i].w);
        clear_cells(h, &lines[i].r);
        lines[i].epoch = 0;
        lines[i].written = 0;
    }
}

/* ---- lines ---- */

static void touch(tc_race *h, uint64_t page) {
    if (h->ntouched == h->ctouched) {
        h->ctouched = h->ctouched ? h->ctouched * 2 : 64;
        h->touched = tc_xrealloc(h->touched, h->ctouched * sizeof *h->touched);
    }
    h->touched[h->ntouched++] = page;
    h->pages[page] = tc_xalign(64, LINES * sizeof **h->pages);
    memset(h->pages[page], 0, LINES * sizeof **h->pages);
}

tc_shadow_line *tc_shadow_global(tc_race *h, uint64_t address) {
    const tc_sim *s = h->run->sim;
    const tc_sim_allocation *a = s->allocs[h->recent];
    if (address - a->address >= a->size) {
        int lo = 0, hi = s->nallocs - 1;
        while (lo < hi) {
            int mid = (lo + hi + 1) / 2;
            if (s->allocs[mid]->address <= address) {
                lo = mid;
            } else {
                hi = mid - 1;
            }
        }
        h->recent = lo;
        a = s->allocs[lo];
        if (address - a->address >= a->size) {
            return NULL;
        }
    }
    uint64_t at = address - a->address;
    uint64_t i = h->first_page[h->recent] + at / PAGE;
    h->near_address = a->address;
    h->near_size = a->size;
    h->near_pages = h->pages + h->first_page[h->recent];
    if (!h->pages[i]) {
        touch(h, i);
    }
    return h->pages[i] + at % PAGE / TC_RACE_LINE;
}

tc_shadow_line *tc_shadow_line_of(tc_race *h, tc_race_cta *z,
                                  tc_ptx_space space, uint64_t address) {
    uint64_t line = address / TC_RACE_LINE;
    if (space == TC_PS_GLOBAL || !z) {
        return h->run->sim->nallocs ? tc_shadow_global(h, address) : NULL;
    }
    if (space == TC_PS_TENSOR) {
        if (!z->tensor) {
            z->ntensor = 128 * 2048 / TC_RACE_LINE;
            z->tensor = tc_xcalloc(z->ntensor, sizeof *z->tensor);
        }
        return line < z->ntensor ? z->tensor + line : NULL;
    }
    z->touched = true;
    return line < z->nshared ? z->shared + line : NULL;
}

/* ---- records ---- */

typedef void each_fn(tc_race *h, uint32_t *record);

static void each_cell(tc_race *h, tc_shadow_cell *m, each_fn *fn) {
    while (m->record || m->next) {
        check_cell(h, m);
        if (m->record) {
            fn(h, &m->record);
        }
        if (!m->next) {
            return;
        }
        m = &h->pool[m->next];
    }
}

static void each_line(tc_race *h, tc_shadow_line *l, uint64_t n, each_fn *fn) {
    for (uint64_t i = 0; l && i < n; i++) {
        l[i].newest = UINT32_MAX; /* they are about to be numbered anew */
        l[i].mixed = true;
        l[i].latest = UINT32_MAX;
        tc_word_table_each(h, &l[i], fn);
        each_cell(h, &l[i].w, fn);
        each_cell(h, &l[i].r, fn);
    }
}

static void each_deferred(tc_race *h, tc_race_cta *z, each_fn *fn) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        for (uint32_t j = 0; j < z->deferred[i].n; j++) {
            if (z->deferred[i].m[j].next != TC_DEFERRED_CUT) {
                fn(h, &z->deferred[i].m[j].record);
            }
        }
    }
}

static void each_agent(tc_race *h, tc_race_agent *g, each_fn *fn) {
    for (; g; g = g->next) {
        if (!g->freed && g->reads) {
            fn(h, &g->reads);
        }
        if (!g->freed && g->writes) {
            fn(h, &g->writes);
        }
    }
}

static void each_record(tc_race *h, each_fn *fn) {
    for (uint64_t i = 0; i < h->ntouched; i++) {
        each_line(h, h->pages[h->touched[i]], LINES, fn);
    }
    for (tc_race_cta *z = h->ctas; z; z = z->next) {
        each_line(h, z->shared, z->nshared, fn);
        each_deferred(h, z, fn);
        each_line(h, z->tensor, z->ntensor, fn);
    }
    each_agent(h, h->agents, fn);
    each_agent(h, h->ended, fn);
}

static void mark_it(tc_race *h, uint32_t *record) {
    h->records[*record].mark = 1;
}

static void move_it(tc_race *h, uint32_t *record) {
    *record = h->records[*record].mark;
}

static void sweep_copies(tc_race *h, tc_race_copy **c) {
    while (*c) {
        tc_race_copy *k = *c;
        if (k->mark || k->pending || !(k->dead || k->done_all)) {
            k->mark = 0;
            c = &k->next;
        } else {
            *c = k->next;
            k->next = NULL;
            free_copies(k);
            h->nasync--;
        }
    }
}

static void sweep_agents(tc_race *h, tc_race_agent **a) {
    while (*a) {
        tc_race_agent *g = *a;
        if (g->mark || !g->freed || g->listed || g->pending) {
            g->mark = 0;
            a = &g->next;
        } else {
            *a = g->next;
            g->next = NULL;
            free_agents(g);
            h->nasync--;
        }
    }
}

static void sweep_async(tc_race *h) {
    sweep_copies(h, &h->dead);
    for (tc_race_cta *z = h->ctas; z; z = z->next) {
        sweep_copies(h, &z->copies);
    }
    sweep_agents(h, &h->agents);
    sweep_agents(h, &h->ended);
}

static void mark_async(tc_shadow_record *r) {
    if (r->flags & TC_RACE_COPY) {
        ((tc_race_copy *)r->async)->mark = 1;
    } else if (r->flags & TC_RACE_AGENT) {
        ((tc_race_agent *)r->async)->mark = 1;
    }
}

static void collect(tc_race *h) {
    uint32_t n = 1;
    for (uint32_t i = 1; i < h->nrecords; i++) {
        h->records[i].mark = 0;
    }
    each_record(h, mark_it);
    for (uint32_t i = 1; i < h->nrecords; i++) {
        h->records[i].mark = h->records[i].mark ? n++ : 0;
    }
    each_record(h, move_it);
    for (uint32_t i = 1; i < h->nrecords; i++) {
        if (h->records[i].mark) {
            mark_async(&h->records[i]);
            h->records[h->records[i].mark] = h->records[i];
        }
    }
    h->nrecords = n;
    sweep_async(h);
    for (tc_race_cta *z = h->ctas; z; z = z->next) {
        for (uint32_t i = 0; i < z->cta->nwarps; i++) {
            memset(z->warps[i].cache, 0, sizeof z->warps[i].cache);
        }
    }
    uint32_t at = (n + h->nasync * 8) * 2;
    h->collect_at = at > FIRST_COLLECTION ? at : FIRST_COLLECTION;
}

uint32_t tc_shadow_record_new(tc_warp *w, const tc_ptx_op *op, uint8_t flags,
                              void *async) {
    tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    if (h->nrecords + h->nasync * 8 >= h->collect_at) {
        collect(h);
    }
    if (h->nrecords >= h->crecords) {
        h->crecords = h->crecords ? h->crecords + h->crecords / 2 : 1024;
        h->records = tc_xrealloc(h->records, h->crecords * sizeof *h->records);
    }
    bool strong = (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE |
                                TC_PM_RELEASE)) != 0;
    h->records[h->nrecords] = (tc_shadow_record){
        .op = op,
        .async = async,
        .cycle = w->cta->run->cycle,
        .clock = tc_race_epoch(w),
        .cta = w->cta->index,
        .position = hw->position + 1,
        .warp = (uint16_t)w->index,
        .flags = (uint8_t)(flags | (strong ? TC_RACE_STRONG : 0)),
        .scope = tc_race_scope_of(op)};
    hw->position += !(flags & TC_RACE_AGENT);
    return h->nrecords++;
}

uint32_t tc_shadow_record_get(tc_warp *w, const tc_ptx_op *op, uint8_t flags) {
    tc_race_warp *hw = tc_race_warp_of(w);
    uint64_t clock = tc_race_epoch(w);
    size_t i = (size_t)(op - w->cta->run->module->code) %
               (sizeof hw->cache / sizeof hw->cache[0]);
    if (hw->cache[i].op != op || hw->cache[i].clock != clock) {
        uint32_t record = tc_shadow_record_new(w, op, flags, NULL);
        hw->cache[i].op = op;
        hw->cache[i].clock = clock;
        hw->cache[i].record = record;
    }
    return hw->cache[i].record;
}
