/* memory.c - the device's addresses. */
#include "runtime/memory.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REMEMBERED = 4096 /* frees */ };

struct tc_memory {
    uint64_t first, end, next;
    uint64_t limit, used;
    uint64_t pinned;           /* of the host's memory */
    uint64_t small, small_end; /* of a page for small blocks: what is left */
    tc_memory_block *blocks;   /* by address */
    int n, cap;
    tc_freed freed[REMEMBERED]; /* a ring */
    uint64_t nfreed;
    tc_device_memory *list;
    int clist;
    bool listed; /* list is as blocks are */
};

tc_memory *tc_memory_new(uint64_t first, uint64_t bytes, uint64_t limit) {
    tc_memory *m = tc_xcalloc(1, sizeof *m);
    m->first = m->next = (first + TC_DEVICE_PAGE - 1) & ~(TC_DEVICE_PAGE - 1);
    m->end = first + bytes;
    m->limit = limit;
    return m;
}

void tc_block_drop(tc_memory_block *b) {
    if (b->pages) {
        munmap(b->pages, b->mapped);
    }
    if (b->fd >= 0) {
        close(b->fd);
    }
    b->pages = b->m.shared = NULL;
    b->fd = -1;
}

void tc_memory_free(tc_memory *m) {
    if (!m) {
        return;
    }
    for (int i = 0; i < m->n; i++) {
        tc_block_drop(&m->blocks[i]);
    }
    free(m->blocks);
    free(m->list);
    free(m);
}

/* ---- by address ---- */

/* The first block that ends behind the address. */
static int index_of(const tc_memory *m, uint64_t address) {
    int lo = 0, hi = m->n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        const tc_device_memory *b = &m->blocks[mid].m;
        if (b->address + b->bytes <= address) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

tc_memory_block *tc_memory_find(tc_memory *m, uint64_t address) {
    int i = index_of(m, address);
    return i < m->n && address >= m->blocks[i].m.address ? &m->blocks[i] : NULL;
}

bool tc_memory_within(tc_memory *m, uint64_t address, uint64_t bytes) {
    const tc_memory_block *b = tc_memory_find(m, address);
    return b && bytes <= b->m.bytes &&
           address - b->m.address <= b->m.bytes - bytes;
}

static uint64_t *account(tc_memory *m, const tc_memory_block *b) {
    return b->m.kind == TC_RT_HOST ? &m->pinned : &m->used;
}

bool tc_memory_add(tc_memory *m, const tc_memory_block *b) {
    int i = index_of(m, b->m.address);
    uint64_t end = b->m.address + b->m.bytes;
    if (end <= b->m.address || (i < m->n && m->blocks[i].m.address < end)) {
        return false;
    }
    if (m->n == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 64;
        m->blocks = tc_xrealloc(m->blocks, (size_t)m->cap * sizeof *m->blocks);
    }
    memmove(&m->blocks[i + 1], &m->blocks[i],
            (size_t)(m->n - i) * sizeof *m->blocks);
    m->blocks[i] = *b;
    m->n++;
    *account(m, b) += b->symbol ? 0 : b->m.bytes;
    m->listed = false;
    return true;
}

void tc_memory_remove(tc_memory *m, uint64_t address, uint64_t where) {
    int i = index_of(m, address);
    if (i == m->n || m->blocks[i].m.address != address) {
        return;
    }
    tc_memory_block *b = &m->blocks[i];
    m->freed[m->nfreed++ % REMEMBERED] = (tc_freed){.address = b->m.address,
                                                    .bytes = b->m.bytes,
                                                    .kind = b->m.kind,
                                                    .made = b->m.where,
                                                    .freed = where};
    *account(m, b) -= b->symbol ? 0 : b->m.bytes;
    tc_block_drop(b);
    m->n--;
    memmove(b, b + 1, (size_t)(m->n - i) * sizeof *b);
    m->listed = false;
}

const tc_freed *tc_memory_freed(const tc_memory *m, uint64_t address) {
    uint64_t n = m->nfreed < REMEMBERED ? m->nfreed : REMEMBERED;
    for (uint64_t k = 1; k <= n; k++) {
        const tc_freed *f = &m->freed[(m->nfreed - k) % REMEMBERED];
        if (address - f->address < f->bytes) {
            return f;
        }
    }
    return NULL;
}

const tc_device_memory *tc_memory_list(tc_memory *m, int *n) {
    if (m->clist < m->n) {
        m->clist = m->cap;
        m->list = tc_xrealloc(m->list, (size_t)m->clist * sizeof *m->list);
        m->listed = false;
    }
    for (int i = 0; i < m->n && !m->listed; i++) {
        m->list[i] = m->blocks[i].m;
    }
    m->listed = true;
    *n = m->n;
    return m->list;
}

/* ---- places ---- */

/* With the guard page. 0: too much for anybody. */
static uint64_t span_of(uint64_t bytes) {
    uint64_t most = UINT64_MAX - 2 * TC_DEVICE_PAGE;
    if (bytes == 0 || bytes > most) {
        return 0;
    }
    uint64_t pages = (bytes + TC_DEVICE_PAGE - 1) & ~(TC_DEVICE_PAGE - 1);
    return pages + TC_DEVICE_PAGE;
}

/* The lowest gap of so many bytes. */
static uint64_t gap(const tc_memory *m, uint64_t span) {
    uint64_t at = m->first;
    for (int i = index_of(m, at); i < m->n; i++) {
        const tc_device_memory *b = &m->blocks[i].m;
        if (b->address >= at && b->address - at >= span) {
            break;
        }
        uint64_t end = b->address + span_of(b->bytes);
        at = end > at ? end & ~(TC_DEVICE_PAGE - 1) : at;
    }
    return at <= m->end && m->end - at >= span ? at : 0;
}

uint64_t tc_memory_reserve(tc_memory *m, uint64_t bytes) {
    uint64_t span = span_of(bytes), at = m->next;
    if (span == 0 || span > m->end - m->first) {
        return 0;
    }
    int i = index_of(m, at);
    bool open = i == m->n || (m->blocks[i].m.address >= at &&
                              m->blocks[i].m.address - at >= span);
    if (!open || at > m->end || m->end - at < span) {
        at = gap(m, span);
    }
    if (at) {
        m->next = at + span;
    }
    return at;
}

uint64_t tc_memory_reserve_small(tc_memory *m) {
    const uint64_t slot = 2 * TC_SMALL_BLOCK;
    int i = index_of(m, m->small);
    bool taken = i < m->n && m->blocks[i].m.address < m->small + slot;
    if (m->small == m->small_end || taken) {
        m->small = tc_memory_reserve(m, TC_DEVICE_PAGE);
        m->small_end = m->small ? m->small + TC_DEVICE_PAGE : 0;
    }
    uint64_t at = m->small;
    m->small += at ? slot : 0;
    return at;
}

void tc_memory_widen(tc_memory *m, uint64_t bytes) {
    m->limit += bytes;
}

bool tc_memory_fits(const tc_memory *m, tc_rt_memory kind, uint64_t bytes) {
    uint64_t used = kind == TC_RT_HOST ? m->pinned : m->used;
    return used <= m->limit && bytes <= m->limit - used;
}

uint64_t tc_memory_used(const tc_memory *m) {
    return m->used + m->pinned;
}

/* ---- pages of two processes ---- */

int tc_pages_new(uint64_t bytes, uint8_t **pages, size_t *mapped) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size = (bytes + page - 1) / page * page;
    if (size < bytes || size == 0 || size > INT64_MAX) {
        return -1;
    }
    int fd = memfd_create("tilecopy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return -1;
    }
    /* Whoever gets it cannot take the pages away that we read. */
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    void *p = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (p == MAP_FAILED) {
        close(fd);
        return -1;
    }
    *pages = p;
    *mapped = size;
    return fd;
}
