/* memsys.c - caches as tags, pipes as bytes a stretch of time. */
#include "sim/timing/memsys.h"
#include "sim/core/slab.h"
#include <stdlib.h>
#include <string.h>

enum {
    WAYS = 8,
    STRETCH = 64,
    RING = 8192,
    LINE = 128,
    SECTOR = 32,
    LOOK_BACK = 128,
    ATOMICS = 96,    /* slices of L2 that do them; one has four lines, */
    SLICE_LINES = 4, /* one after the other: memory.def, atom_line_halves */
    SHORT_RING = 2 * LOOK_BACK,
    PAGES = 64,
    PAGE_LINES = (2 << 20) / LINE
};

typedef struct tc_line {
    uint64_t tag : 56;             /* line number + 1, 0: empty */
    uint64_t valid : 4, dirty : 4; /* a bit a sector */
    uint64_t ready;                /* when its newest sector arrives */
} tc_line;

typedef struct tc_cache {
    tc_line *lines; /* sets of WAYS, the one used last first */
    uint32_t nsets;
} tc_cache;

struct tc_l2 {
    tc_cache cache;
    tc_slab *tags;
    uint64_t *touched; /* sets, since the last tc_l2_copy: a bit each */
    uint64_t base;     /* a launch's cycle 0 among all launches': of .ready */
};

/* What each stretch of STRETCH cycles has carried: bytes; or, of a unit for
 * atomics, halves of a cycle. */
typedef struct tc_stretch {
    uint64_t number;
    uint32_t bytes;
} tc_stretch;

typedef struct tc_pipe {
    tc_stretch *ring;
    uint32_t size, capacity; /* of the ring; of a stretch */
    uint64_t free;           /* stretches before are taken for full */
} tc_pipe;

typedef struct tc_port { /* an SM's own */
    tc_cache l1;
    uint64_t pages[PAGES];      /* of 2 MiB, + 1: that it has asked for */
    uint64_t path, out, engine; /* when L2's path to it, its own to L2, its bulk
                                   engine, is free: in bytes */
} tc_port;

struct tc_memsys {
    const tc_profile *p;
    tc_sim_counters *counters;
    tc_l2 *l2;
    uint64_t last; /* arrival from L2 */
    tc_pipe l2_pipe, dram;
    uint32_t nsms;
    tc_pipe atomics[ATOMICS]; /* L2's units for them, by line */
    tc_stretch *stretches;    /* of all pipes */
    tc_slab *tags;            /* of all L1s: on large pages */
    tc_port port[];
};

static void make_cache(tc_slab *tags, tc_cache *c, uint64_t bytes) {
    c->nsets = (uint32_t)(bytes / LINE / WAYS);
    c->nsets = c->nsets ? c->nsets : 1;
    size_t size = (size_t)c->nsets * WAYS * sizeof *c->lines;
    c->lines = tc_slab_take(tags, size);
    memset(c->lines, 0, size);
}

/* Its ring begins there; returns its end. */
static tc_stretch *make_pipe(tc_pipe *p, tc_stretch *ring, uint32_t size,
                             uint32_t rate) {
    *p = (tc_pipe){.ring = ring, .size = size, .capacity = rate * STRETCH};
    return ring + size;
}

tc_memsys *tc_memsys_new(const tc_profile *p, uint32_t nsms, uint32_t carveout,
                         tc_sim_counters *counters, tc_slab *tags, tc_l2 *l2) {
    tc_memsys *m = tc_xcalloc(1, sizeof *m + nsms * sizeof m->port[0]);
    uint64_t l1 = (uint64_t)p->l1_shared_kib * 1024;
    m->p = p;
    m->counters = counters;
    m->nsms = nsms;
    l1 = l1 > carveout + UINT64_C(16384) ? l1 - carveout : 16384;
    m->tags = tags;
    m->l2 = l2;
    for (uint32_t i = 0; i < nsms; i++) {
        make_cache(tags, &m->port[i].l1, l1);
    }
    tc_stretch *at = m->stretches = tc_xcalloc(
        2 * RING + (size_t)ATOMICS * SHORT_RING, sizeof *m->stretches);
    at = make_pipe(&m->l2_pipe, at, RING, p->l2_bytes);
    at = make_pipe(&m->dram, at, RING, p->dram_bytes);
    for (uint32_t i = 0; i < ATOMICS; i++) {
        at = make_pipe(&m->atomics[i], at, SHORT_RING, 2);
    }
    return m;
}

void tc_memsys_free(tc_memsys *m) {
    if (!m) {
        return;
    }
    m->l2->base += m->last + 1;
    free(m->stretches);
    free(m);
}

/* ---- pipes ---- */

/* Sends bytes at now; the cycle when the last one is through. */
static uint64_t send(tc_pipe *p, uint64_t now, uint64_t bytes) {
    uint64_t n = now / STRETCH;
    n = n < p->free ? p->free : n;
    for (;;) {
        tc_stretch *s = &p->ring[n % p->size];
        if (s->number != n) {
            *s = (tc_stretch){.number = n};
        }
        uint64_t room = p->capacity - s->bytes;
        uint64_t take = bytes < room ? bytes : room;
        s->bytes += (uint32_t)take;
        bytes -= take;
        if (bytes == 0) {
            uint32_t share = s->bytes * STRETCH / p->capacity;
            uint64_t at = s->bytes == take ? now + share /* alone: no queue */
                                           : n * STRETCH + share;
            return at > now ? at : now;
        }
        /* SMs run a few stretches apart: look back that far, no further. */
        n++;
        p->free = n > p->free + LOOK_BACK ? n - LOOK_BACK : p->free;
    }
}

/* A path of one SM, whose requests come in the order of time. */
static uint64_t pass(uint64_t *path, uint64_t now, uint64_t bytes,
                     uint32_t rate) {
    uint64_t at = now * rate;
    *path = (*path > at ? *path : at) + bytes;
    return *path / rate;
}

/* ---- tags ---- */

static tc_line *set_of(const tc_cache *c, uint64_t line) {
    uint64_t h = line * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return &c->lines[(h * c->nsets >> 32) * WAYS];
}

/* The line, or the one whose place it takes: *hit says which. It comes to
 * stand first in its set. */
static inline tc_line *find(tc_cache *c, uint64_t line, bool *hit) {
    tc_line *set = set_of(c, line);
    tc_line it = set[0];
    for (uint32_t i = 1; i < WAYS && it.tag != line + 1 && it.tag != 0; i++) {
        tc_line next = set[i];
        set[i] = it;
        it = next;
    }
    set[0] = it;
    *hit = it.tag == line + 1;
    return set;
}

/* Of the four sectors of a line. */
static uint32_t bits(uint32_t x) {
    return (uint32_t)(UINT64_C(0x4332322132212110) >> 4 * (x & 15)) & 15;
}

/* ---- L2 between launches ---- */

static inline tc_line *find_l2(tc_l2 *l2, uint64_t line, bool *hit) {
    tc_line *set = find(&l2->cache, line, hit);
    size_t n = (size_t)(set - l2->cache.lines) / WAYS;
    l2->touched[n / 64] |= UINT64_C(1) << n % 64;
    return set;
}

tc_l2 *tc_l2_new(const tc_profile *p) {
    tc_l2 *l2 = tc_xcalloc(1, sizeof *l2);
    l2->tags = tc_slab_new();
    make_cache(l2->tags, &l2->cache, (uint64_t)p->l2_kib * 1024);
    l2->touched = tc_xcalloc(l2->cache.nsets / 64 + 1, sizeof *l2->touched);
    return l2;
}

void tc_l2_free(tc_l2 *l2) {
    if (l2) {
        tc_slab_free(l2->tags);
        free(l2->touched);
        free(l2);
    }
}

static tc_l2 *same_size(const tc_l2 *l2) {
    tc_l2 *c = tc_xcalloc(1, sizeof *c);
    c->tags = tc_slab_new();
    make_cache(c->tags, &c->cache, (uint64_t)l2->cache.nsets * WAYS * LINE);
    c->touched = tc_xcalloc(l2->cache.nsets / 64 + 1, sizeof *c->touched);
    return c;
}

void tc_l2_copy(tc_l2 *l2, tc_l2 **copy) {
    tc_l2 *c = *copy = *copy ? *copy : same_size(l2);
    c->base = l2->base;
    for (uint32_t i = 0; i <= l2->cache.nsets / 64; i++) {
        for (uint64_t m = l2->touched[i]; m; m &= m - 1) {
            size_t at = ((size_t)i * 64 + (size_t)__builtin_ctzll(m)) * WAYS;
            memcpy(&c->cache.lines[at], &l2->cache.lines[at],
                   WAYS * sizeof *c->cache.lines);
        }
        l2->touched[i] = 0;
    }
}

tc_l2 *tc_l2_clone(const tc_l2 *l2) {
    tc_l2 *c = same_size(l2);
    c->base = l2->base;
    memcpy(c->cache.lines, l2->cache.lines,
           (size_t)c->cache.nsets * WAYS * sizeof *c->cache.lines);
    return c;
}

/* Lines beyond the last that fit would push out the first. */
void tc_l2_written(tc_l2 *l2, uint64_t address, uint64_t bytes) {
    uint64_t first = address / LINE, end = (address + bytes + LINE - 1) / LINE;
    uint64_t most = (uint64_t)l2->cache.nsets * WAYS;
    first = end - first > most ? end - most : first;
    for (uint64_t line = first; line < end; line++) {
        bool hit;
        tc_line *l = find_l2(l2, line, &hit);
        *l = (tc_line){.tag = line + 1, .valid = 15, .dirty = 15};
    }
}

/* ---- a launch's way ---- */

/* Makes place for a line in L2: what is dirty goes to DRAM. */
static void replace(tc_memsys *m, tc_line *l, uint64_t line, uint64_t now) {
    if (l->dirty) {
        uint32_t n = bits((uint32_t)l->dirty);
        m->counters->dram_sectors_written += n;
        send(&m->dram, now, (uint64_t)n * SECTOR);
    }
    *l = (tc_line){.tag = line + 1};
}

/* Sectors of one line asked of L2; when they leave it. */
static uint64_t from_l2(tc_memsys *m, uint64_t line, uint8_t want, uint64_t now,
                        uint64_t far) {
    bool hit;
    tc_line *l = find_l2(m->l2, line, &hit);
    if (!hit) {
        replace(m, l, line, now);
    }
    uint8_t missing = want & (uint8_t) ~(uint32_t)l->valid;
    uint32_t n = bits(want), lack = bits(missing);
    uint64_t out = send(&m->l2_pipe, now, (uint64_t)n * SECTOR) - now;
    m->counters->l2_sectors_read += n;
    m->counters->l2_sectors_hit += n - lack;
    uint64_t at = now + m->p->l2_latency - m->p->l2_far + out + far;
    if (missing) { /* DRAM gives two sectors at a time: [H] memory.def */
        missing |= (missing & 5) << 1 | (missing & 10) >> 1;
        missing &= (uint8_t) ~(uint32_t)l->valid;
        lack = bits(missing);
        uint64_t wait = send(&m->dram, now, (uint64_t)lack * SECTOR) - now;
        m->counters->dram_sectors_read += lack;
        at = now + m->p->dram_latency + (wait > out ? wait : out);
        l->valid |= missing & 15u;
        l->ready = m->l2->base + at;
    }
    uint64_t ready = l->ready > m->l2->base ? l->ready - m->l2->base : 0;
    at = ready > at && (want & l->valid) ? ready : at;
    m->last = at > m->last ? at : m->last;
    return at;
}

/* What the way from an SM to a line takes beyond L2's least: the half of L2 that
 * it is in, a page's first use. The near half's is given as 0: l2_latency is the
 * mean of both. */
static uint64_t way(tc_memsys *m, tc_port *o, uint64_t line) {
    uint64_t page = line / PAGE_LINES, *known = &o->pages[page % PAGES];
    uint64_t h =
        (line * UINT64_C(0x9E3779B97F4A7C15) >> 60 ^ (uint64_t)(o - m->port)) &
        1;
    uint64_t first = *known == page + 1 ? 0 : m->p->page_first;
    *known = page + 1;
    return first + (h ? 2 * m->p->l2_far : 0);
}

static uint64_t load_line(tc_memsys *m, tc_port *o, uint64_t line, uint8_t want,
                          uint64_t now, bool l1) {
    bool hit = false;
    __builtin_prefetch(set_of(&m->l2->cache, line));
    tc_line *l = l1 ? find(&o->l1, line, &hit) : NULL;
    uint32_t n = bits(want);
    if (l && !hit) {
        *l = (tc_line){.tag = line + 1};
    }
    uint8_t missing = l ? want & (uint8_t) ~(uint32_t)l->valid : want;
    uint64_t at = now + m->p->l1_latency;
    if (l1) {
        m->counters->l1_sectors_hit += n - bits(missing);
    }
    if (missing) {
        uint64_t bytes = (uint64_t)bits(missing) * SECTOR;
        uint64_t path = pass(&o->path, now, bytes, m->p->l2_sm_bytes) - now;
        at = from_l2(m, line, missing, now, way(m, o, line));
        uint64_t least = path + now + m->p->l2_latency - m->p->l2_far;
        at = least > at ? least : at;
    }
    if (l) {
        l->valid |= missing & 15u;
        at = missing == 0 && l->ready > at ? l->ready : at;
        l->ready = at > l->ready ? at : l->ready;
    }
    return at;
}

/* The sectors of sectors[i]'s line, from i on; sets *i behind them. */
static uint8_t of_one_line(const uint64_t *sectors, uint32_t n, uint32_t *i) {
    uint64_t line = sectors[*i] / 4;
    uint8_t want = 0;
    while (*i < n && sectors[*i] / 4 == line) {
        want |= (uint8_t)(1u << sectors[(*i)++] % 4);
    }
    return want;
}

/* The host fetches the sets that will be searched: they lie far apart, each
 * over two of its lines. */
static void fetch_sets(const tc_cache *c, const uint64_t *sectors, uint32_t n) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t line = sectors[i] / 4;
        if (i == 0 || line != last) {
            const tc_line *set = set_of(c, line);
            __builtin_prefetch(set);
            __builtin_prefetch(&set[WAYS / 2]);
        }
        last = line;
    }
}

void tc_memsys_fetch(const tc_memsys *m, uint32_t sm, uint64_t address) {
    const tc_line *l1 = set_of(&m->port[sm].l1, address / LINE);
    const tc_line *l2 = set_of(&m->l2->cache, address / LINE);
    __builtin_prefetch(l1);
    __builtin_prefetch(&l1[WAYS / 2]);
    __builtin_prefetch(l2);
    __builtin_prefetch(&l2[WAYS / 2]);
}

uint64_t tc_memsys_load(tc_memsys *m, uint32_t sm, uint64_t now,
                        const uint64_t *sectors, uint32_t n, bool l1) {
    uint64_t last = now;
    fetch_sets(l1 ? &m->port[sm].l1 : &m->l2->cache, sectors, n);
    if (l1) {
        m->counters->l1_sectors += n;
    } else {
        m->counters->l1_bypass_bytes += (uint64_t)n * SECTOR;
    }
    for (uint32_t i = 0; i < n;) {
        uint64_t line = sectors[i] / 4;
        uint8_t want = of_one_line(sectors, n, &i);
        uint64_t at = load_line(m, &m->port[sm], line, want, now, l1);
        last = at > last ? at : last;
    }
    return last;
}

static void store_line(tc_memsys *m, uint64_t line, uint8_t want,
                       uint64_t now) {
    bool hit;
    tc_line *l = find_l2(m->l2, line, &hit);
    if (!hit) {
        replace(m, l, line, now);
    }
    l->valid |= want & 15u;
    l->dirty |= want & 15u;
    m->counters->l2_sectors_written += bits(want);
}

/* Sends them over the SM's path and into L2. */
static uint64_t send_stores(tc_memsys *m, uint32_t sm, uint64_t now,
                            uint64_t n) {
    uint64_t bytes = n * SECTOR;
    send(&m->l2_pipe, now, bytes * m->p->l2_bytes / m->p->l2_write_bytes);
    return pass(&m->port[sm].out, now, bytes, m->p->store_bytes);
}

uint64_t tc_memsys_sent(const tc_memsys *m, uint32_t sm) {
    return m->port[sm].out / m->p->store_bytes;
}

uint64_t tc_memsys_store(tc_memsys *m, uint32_t sm, uint64_t now,
                         const uint64_t *sectors, uint32_t n, uint32_t more) {
    fetch_sets(&m->l2->cache, sectors, n);
    for (uint32_t i = 0; i < n;) {
        uint64_t line = sectors[i] / 4;
        store_line(m, line, of_one_line(sectors, n, &i), now);
    }
    way(m, &m->port[sm], sectors[0] / 4);
    return send_stores(m, sm, now, n + more);
}

uint64_t tc_memsys_atomic(tc_memsys *m, uint32_t sm, uint64_t now,
                          const uint64_t *sectors, uint32_t n, uint32_t more,
                          uint64_t halves) {
    uint64_t done = tc_memsys_store(m, sm, now, sectors, n, more);
    for (uint32_t i = 0; i < n;) {
        uint64_t slice = sectors[i] / 4 / SLICE_LINES;
        uint32_t own = bits(of_one_line(sectors, n, &i));
        own = (own * m->p->atom_line_halves + 3) / 4;
        uint64_t at = send(&m->atomics[slice % ATOMICS], now,
                           own > halves ? own : halves);
        done = at > done ? at : done;
    }
    return done;
}

/* The sectors of a line among [first, last]. */
static uint8_t within(uint64_t line, uint64_t first, uint64_t last) {
    uint32_t from = line == first / 4 ? (uint32_t)(first % 4) : 0;
    uint32_t to = line == last / 4 ? (uint32_t)(last % 4) : 3;
    return (uint8_t)(0xFu << from & 0xFu >> (3 - to));
}

uint64_t tc_memsys_load_run(tc_memsys *m, uint32_t sm, uint64_t now,
                            uint64_t first, uint64_t end, bool l1) {
    uint64_t arrived = now;
    m->counters->l1_sectors += l1 ? end - first : 0;
    m->counters->l1_bypass_bytes += l1 ? 0 : (end - first) * SECTOR;
    for (uint64_t line = first / 4; line <= (end - 1) / 4; line++) {
        uint64_t at = load_line(m, &m->port[sm], line,
                                within(line, first, end - 1), now, l1);
        arrived = at > arrived ? at : arrived;
    }
    return arrived;
}

uint64_t tc_memsys_store_run(tc_memsys *m, uint32_t sm, uint64_t now,
                             uint64_t first, uint64_t end) {
    for (uint64_t line = first / 4; line <= (end - 1) / 4; line++) {
        store_line(m, line, within(line, first, end - 1), now);
    }
    way(m, &m->port[sm], first / 4);
    return send_stores(m, sm, now, end - first);
}

/* When the bytes of a piece are in L2's pipe; *lack: sectors that it has not. */
static uint64_t bulk_lines(tc_memsys *m, uint64_t address, uint64_t bytes,
                           uint64_t now, uint64_t *lack) {
    uint64_t first = address / SECTOR, last = (address + bytes - 1) / SECTOR;
    uint64_t ready = now;
    *lack = 0;
    for (uint64_t line = first / 4; line <= last / 4; line++) {
        bool hit;
        uint8_t want = within(line, first, last);
        tc_line *l = find_l2(m->l2, line, &hit);
        if (!hit) {
            replace(m, l, line, now);
        }
        *lack += bits(want & ~(uint32_t)l->valid);
        uint64_t at = l->ready > m->l2->base ? l->ready - m->l2->base : 0;
        ready = hit && at > ready ? at : ready;
        l->valid |= want & 15u;
    }
    return ready;
}

uint64_t tc_memsys_bulk(tc_memsys *m, uint32_t sm, uint64_t now,
                        uint64_t address, uint64_t bytes, bool store) {
    uint64_t n = (bytes + SECTOR - 1) / SECTOR, lack = n;
    uint64_t sent =
        pass(&m->port[sm].engine, now, n * SECTOR, m->p->bulk_bytes);
    uint64_t l2 = send(&m->l2_pipe, now, n * SECTOR);
    uint64_t ready =
        address && bytes ? bulk_lines(m, address, bytes, now, &lack) : now;
    m->counters->l1_bypass_bytes += n * SECTOR;
    if (store) {
        m->counters->l2_sectors_written += n;
        return sent > l2 ? sent : l2;
    }
    m->counters->l2_sectors_read += n;
    m->counters->l2_sectors_hit += n - lack;
    m->counters->dram_sectors_read += lack;
    uint64_t at = sent > l2 ? sent : l2;
    if (lack == 0) {
        at += m->p->l2_latency;
        return at > ready ? at : ready;
    }
    uint64_t dram = send(&m->dram, now, lack * SECTOR);
    return (dram > at ? dram : at) + m->p->dram_latency;
}
