/* first_memory.c - the flat shadow of the first pass, what its pages were before
 * it, and whose its clocks are: first_pass.h. */
#include "sim/core/address.h"
#include "sim/core/run.h"
#include "sim/race/first_pass.h"
#include "sim/race/race.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = TC_RACE_PAGE,
    WORDS = PAGE / 4,
    LINES = WORDS / TC_FIRST_LINE,
    FIRST_OWNERS = 1 << 12,
    MOST_OWNERS = 1 << 20,
    BLOCK = 1 << 20,
    NEXT_BLOCK = 1 << 18
};
#define FINE          (UINT64_C(32) << 20)
#define LAST_OF_CLOCK (UINT64_C(1) << (32 - TC_FIRST_WHO))

uint8_t tc_first_zeros[PAGE];

/* ---- storage: zeroed, and freed all at once ---- */

typedef struct tc_first_block {
    struct tc_first_block *next;
    size_t size;
    max_align_t bytes[];
} tc_first_block;

static void *take(tc_first_pass *f, size_t n) {
    n = (n + 63) / 64 * 64;
    if (!f->blocks || f->used + n > f->blocks->size) {
        size_t usual = f->blocks ? NEXT_BLOCK : BLOCK;
        size_t size = n + 4096 > usual ? n + 4096 : usual;
        /* Who needs a second one will need all of it: no fault a page. */
        int all = f->blocks && size == usual ? MAP_POPULATE : 0;
        tc_first_block *b = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | all, -1, 0);
        b = tc_xhave(b == MAP_FAILED ? NULL : b);
        b->next = f->blocks;
        b->size = size;
        f->blocks = b;
        f->used = 64;
    }
    void *p = (uint8_t *)f->blocks + f->used;
    f->used += n;
    return p;
}

static void free_blocks(tc_first_pass *f) {
    while (f->blocks) {
        tc_first_block *b = f->blocks;
        f->blocks = b->next;
        munmap(b, b->size);
    }
}

static size_t table_bytes(const tc_first_pass *f) {
    return (size_t)(f->npages + 1) * sizeof(tc_first_page *);
}

tc_first_pass *tc_first_new(const tc_run *r) {
    tc_first_pass *f = tc_xcalloc(1, sizeof *f);
    f->npages = r->race->npages;
    f->pages = mmap(NULL, table_bytes(f), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    f->pages = tc_xhave(f->pages == MAP_FAILED ? NULL : f->pages);
    for (uint32_t i = 0; i < TC_FIRST_LINE; i++) {
        f->many[i] = TC_FIRST_ALL_MANY;
    }
    f->nowners = FIRST_OWNERS;
    f->owners = tc_xcalloc(f->nowners, sizeof *f->owners);
    return f;
}

void tc_first_free(tc_first_pass *f) {
    if (f) {
        free_blocks(f);
        munmap(f->pages, table_bytes(f));
        free(f->touched);
        free(f->owners);
        free(f);
    }
}

/* ---- pages ---- */

uint8_t *tc_first_bytes(const tc_run *r, uint64_t page, uint64_t *n) {
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
    const tc_sim_allocation *a = r->sim->allocs[lo];
    uint64_t at = (page - first[lo]) * PAGE;
    *n = a->size - at < PAGE ? a->size - at : PAGE;
    return a->bytes + at;
}

void tc_race_first_undo(tc_run *r) {
    tc_first_pass *f = r->race->first;
    for (uint64_t i = 0; i < f->ntouched; i++) {
        const tc_first_page *p = f->pages[f->touched[i]];
        uint64_t n;
        uint8_t *bytes = tc_first_bytes(r, f->touched[i], &n);
        if (p->saved) {
            memcpy(bytes, p->saved, n);
        }
    }
}

uint8_t *tc_first_copy(tc_first_pass *f, const uint8_t *bytes, uint64_t n) {
    uint8_t *saved = tc_first_zeros;
    if (memcmp(bytes, tc_first_zeros, n) != 0) {
        saved = take(f, PAGE);
        memcpy(saved, bytes, n);
    }
    return saved;
}

void tc_first_save(tc_first_pass *f, tc_first_page *p, uint64_t address) {
    uint64_t at = (address - f->near_address) / PAGE * PAGE;
    uint64_t n = f->near_size - at < PAGE ? f->near_size - at : PAGE;
    if (f->team) {
        uint64_t page = (uint64_t)(f->near_pages - f->pages) + at / PAGE;
        p->saved = tc_team_save(f, page, f->near_bytes + at, n);
    } else {
        p->saved = tc_first_copy(f, f->near_bytes + at, n);
    }
}

/* The units of a line that had none: of each half of its value. */
static uint32_t unit_of(uint32_t x, uint32_t i) {
    static const uint8_t log[] = {0, 1, 1, 2, 2, 2, 2};
    static const uint8_t lane[] = {0, 0, 16, 0, 8, 16, 24};
    uint32_t who = x & ((1 << TC_FIRST_WHO) - 1);
    return x && who < sizeof log ? x - who + lane[who] + (i >> log[who]) : x;
}

void tc_first_divide(tc_first_pass *f, tc_first_page *p, uint64_t address) {
    uint64_t i = (address - f->near_address) % PAGE / TC_RACE_LINE;
    if (!p->unit) {
        p->unit = take(f, WORDS * sizeof *p->unit);
    }
    uint64_t *u = p->unit + i * TC_FIRST_LINE;
    for (uint32_t j = 0; p->line[i] && j < TC_FIRST_LINE; j++) {
        u[j] = unit_of((uint32_t)p->line[i], j) |
               (uint64_t)unit_of((uint32_t)(p->line[i] >> 32), j) << 32;
    }
    p->apart |= UINT32_C(1) << i;
}

static void touch(tc_first_pass *f, uint64_t page) {
    if (f->ntouched == f->ctouched) {
        f->ctouched = f->ctouched ? f->ctouched * 2 : 64;
        f->touched = tc_xrealloc(f->touched, f->ctouched * sizeof *f->touched);
    }
    f->touched[f->ntouched++] = page;
    f->pages[page] = take(f, sizeof(tc_first_page) + LINES * sizeof(uint64_t));
    f->pages[page]->shift = 2;
}

static void go_near(tc_first_pass *f, const tc_sim_allocation *a,
                    tc_first_page **pages) {
    f->near_address = a->address;
    f->near_size = a->size;
    f->near_pages = pages;
    f->near_bytes = a->bytes;
    f->near = a;
}

/* The allocation of an address, which becomes the near one: most kernels go
 * back and forth between a few. False: nobody's. */
static bool find_near(tc_run *r, uint64_t address) {
    tc_first_pass *f = r->race->first;
    enum { RECENT = sizeof f->recent / sizeof f->recent[0] };
    for (int i = 0; i < RECENT && f->recent[i]; i++) {
        const tc_sim_allocation *a = f->recent[i];
        if (address - a->address < a->size) {
            go_near(f, a, f->recent_pages[i]);
            return true;
        }
    }
    const tc_sim_allocation *a = tc_allocation_find(r, address);
    int i = a ? 0 : r->sim->nallocs;
    while (i < r->sim->nallocs && r->sim->allocs[i] != a) {
        i++;
    }
    if (i == r->sim->nallocs) {
        return false;
    }
    uint32_t at = f->nrecent++ % RECENT;
    f->recent[at] = a;
    f->recent_pages[at] = f->pages + r->race->first_page[i];
    go_near(f, a, f->recent_pages[at]);
    return true;
}

tc_first_page *tc_first_page_slow(tc_run *r, uint64_t address, bool write) {
    tc_first_pass *f = r->race->first;
    if (address - f->near_address >= f->near_size && !find_near(r, address)) {
        return NULL;
    }
    uint64_t i = (address - f->near_address) / PAGE;
    if (!f->near_pages[i]) {
        touch(f, (uint64_t)(f->near_pages - f->pages) + i);
    }
    tc_first_page *p = f->near_pages[i];
    if (write && !p->saved) {
        tc_first_save(f, p, address);
    }
    return p;
}

static void spread(uint64_t *to, const uint64_t *from, uint64_t n,
                   uint32_t by) {
    for (uint64_t i = 0; i < n << by; i++) {
        to[i] = from[i >> by];
    }
}

tc_first_page *tc_first_refine(tc_first_pass *f, uint64_t address,
                               uint32_t shift) {
    tc_first_page *p = f->near_pages[(address - f->near_address) / PAGE];
    uint64_t page = address - (address - f->near_address) % PAGE;
    uint64_t n = PAGE >> p->shift, bytes = (PAGE >> shift) * sizeof(uint64_t);
    if (f->fine + bytes > FINE) {
        return NULL;
    }
    for (uint32_t i = 0; i < LINES; i++) {
        if (!(p->apart >> i & 1)) {
            tc_first_divide(f, p, page + i * TC_RACE_LINE);
        }
    }
    uint64_t *unit = take(f, bytes);
    f->fine += bytes;
    spread(unit, p->unit, n, p->shift - shift);
    p->unit = unit;
    p->shift = shift;
    return p;
}

/* ---- shared memory ---- */

static void make_shared(tc_first_shared *s, uint64_t bytes, uint32_t shift) {
    uint64_t n = (bytes >> shift) + 32;
    s->page = tc_xcalloc(1, sizeof *s->page);
    s->page->unit = tc_xcalloc(n, sizeof *s->page->unit);
    s->writer = tc_xcalloc(n, sizeof *s->writer);
    s->page->shift = shift;
}

bool tc_first_refine_shared(tc_cta *c, uint32_t shift) {
    tc_first_shared *s = &c->race->first, old = *s;
    uint32_t by = old.page->shift - shift;
    uint64_t n = (c->shared_bytes >> old.page->shift) + 1;
    make_shared(s, c->shared_bytes, shift);
    spread(s->page->unit, old.page->unit, n, by);
    for (uint64_t i = 0; i < n << by; i++) {
        s->writer[i] = old.writer[i >> by];
    }
    free(old.page->unit);
    free(old.page);
    free(old.writer);
    return true;
}

void tc_first_cta_start(tc_cta *c) {
    tc_race_cta *z = c->race;
    if (!z->first.page) {
        make_shared(&z->first, c->shared_bytes, 2);
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        z->warps[i].clock = tc_first_clock(&c->warps[i]);
    }
    z->first.start = (uint32_t)(z->warps[0].clock << TC_FIRST_WHO);
    z->first.solo = c->run->race->ctas == NULL;
    for (tc_race_cta *o = c->run->race->ctas; o; o = o->next) {
        o->first.solo = false;
    }
}

void tc_first_cta_free(tc_race_cta *z) {
    if (z->first.page) {
        free(z->first.page->unit);
    }
    free(z->first.page);
    free(z->first.writer);
}

/* ---- clocks ---- */

static void more_owners(tc_race *h) {
    tc_first_pass *f = h->first;
    uint64_t n = f->nowners * 2;
    tc_first_owner *o = tc_xcalloc(n, sizeof *o);
    uint64_t oldest = h->stamp > f->nowners ? h->stamp - f->nowners : 0;
    for (uint64_t i = oldest + 1; i <= h->stamp; i++) {
        o[i & (n - 1)] = f->owners[i & (f->nowners - 1)];
    }
    free(f->owners);
    f->owners = o;
    f->nowners = n;
}

uint64_t tc_first_clock(tc_warp *w) {
    tc_race *h = w->cta->run->race;
    tc_first_pass *f = h->first;
    if (h->stamp + 1 >= f->nowners && f->nowners < MOST_OWNERS) {
        more_owners(h);
    }
    uint64_t clock = ++h->stamp;
    f->owners[clock & (f->nowners - 1)] =
        (tc_first_owner){.cta = w->cta->index, .warp = w->index};
    if (clock + 1 >= LAST_OF_CLOCK) {
        tc_first_doubt(w->cta->run);
    }
    return clock;
}
