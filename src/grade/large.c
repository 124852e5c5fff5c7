/* large.c - buffers of gigabytes, for sizes at which 32 bits are too few. What a
 * call is given repeats the same 3 MiB, mapped again and again, so that it takes
 * no more memory than these; what it leaves is kept whole. */
#include "grade/case_data.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* 786,432 floats: where an index wraps at 2^30, 2^31 or 2^32, other values are. */
#define PERIOD (UINT64_C(3) << 20)

static void *reserve(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* The file's pages all over [p, p + bytes), which are whole pages. */
static bool repeat(uint8_t *p, uint64_t bytes, int file, int flags) {
    for (uint64_t at = 0; at < bytes; at += PERIOD) {
        size_t n = bytes - at < PERIOD ? (size_t)(bytes - at) : (size_t)PERIOD;
        if (mmap(p + at, n, PROT_READ | PROT_WRITE,
                 flags | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}

static uint64_t page_bytes(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A guard takes whole pages. What is left of the buffer behind its last whole
 * page lies, with the guard behind it, in pages of their own. */
static uint8_t *make(const tc_large *l, const tc_task_buffer *b, int file,
                     int flags) {
    uint64_t whole = b->bytes / page_bytes() * page_bytes();
    uint8_t *p = reserve(l->bytes);
    bool ok = p && b->guard % page_bytes() == 0 &&
              repeat(p + b->guard, whole, file, flags);
    if (p && !ok) {
        munmap(p, l->bytes);
    }
    return ok ? p : NULL;
}

static bool fits(const tc_large *l) {
    uint64_t here = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
    return l->bytes <= here / 2;
}

bool tc_large_make(tc_large *l, tc_task_buffer *b, bool output, bool sampled) {
    *l = (tc_large){
        .period = PERIOD, .bytes = b->bytes + 2 * b->guard, .sampled = sampled};
    int file = memfd_create("tilecopy-large", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)PERIOD) == 0 &&
        (sampled || !output || fits(l))) {
        l->before = make(l, b, file, MAP_SHARED);
        l->after = sampled  ? make(l, b, file, MAP_PRIVATE)
                   : output ? reserve(l->bytes)
                            : NULL;
    }
    if (file >= 0) {
        close(file);
    }
    b->before = l->before;
    b->after = l->after;
    b->given = sampled;
    b->period = l->period;
    return l->before && (l->after || (!output && !sampled));
}

void tc_large_finish(const tc_large *l, const tc_task_buffer *b) {
    uint64_t whole = b->bytes / page_bytes() * page_bytes();
    uint8_t *before = l->before, *at = before + b->guard;
    memcpy(at + whole, at + whole % l->period, b->bytes - whole);
    if (l->sampled) {
        uint64_t end = b->guard + whole;
        memcpy(l->after, before, b->guard);
        memcpy((uint8_t *)l->after + end, before + end, l->bytes - end);
    }
}

/* ---- what was written ---- */

/* What the kernel tells of a page (proc_pid_pagemap(5)): it is there, and no page
 * of a file, so that it is a copy that was made for a write. */
static bool is_copied(uint64_t entry) {
    return entry >> 63 && !(entry >> 61 & 1);
}

/* Entries of n pages from the first one on; false: the kernel does not tell them,
 * as to a user who is not root of a process that others may not look at. */
static bool look(uint64_t first, uint64_t n, uint64_t *entries) {
    int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    ssize_t got = map < 0 ? -1
                          : pread(map, entries, n * sizeof *entries,
                                  (off_t)(first * sizeof *entries));
    if (map >= 0) {
        close(map);
    }
    return got == (ssize_t)(n * sizeof *entries);
}

/* The same, as far as somebody sees it: what differs was written. */
static void compare(const tc_large *l, uint64_t i, uint64_t n,
                    uint64_t *entries) {
    uint64_t page = page_bytes();
    for (uint64_t k = 0; k < n; k++) {
        uint64_t at = (i + k) * page;
        uint64_t bytes = l->bytes - at < page ? l->bytes - at : page;
        bool same = memcmp((const uint8_t *)l->before + at,
                           (const uint8_t *)l->after + at, bytes) == 0;
        entries[k] = same ? 0 : UINT64_C(1) << 63;
    }
}

uint64_t tc_large_written(const tc_large *l, uint64_t from, uint64_t *end) {
    enum { MANY = 16384 };
    uint64_t page = page_bytes(), first = (uintptr_t)l->after / page;
    uint64_t npages = (l->bytes + page - 1) / page, found = npages;
    uint64_t *entries = tc_xmalloc(MANY * sizeof *entries);
    uint64_t i = from / page;
    for (uint64_t many = 16; i < npages && found == npages;) {
        uint64_t n = npages - i < many ? npages - i : many;
        if (!look(first + i, n, entries)) {
            compare(l, i, n, entries);
        }
        for (uint64_t k = 0; k < n && found == npages; k++) {
            found = is_copied(entries[k]) ? i + k : npages;
        }
        i += n;
        many = MANY; /* most calls find one near */
    }
    free(entries);
    *end = (found + 1) * page < l->bytes ? (found + 1) * page : l->bytes;
    uint64_t at = found * page > from ? found * page : from;
    return found == npages ? l->bytes : at;
}

void tc_large_free(tc_large *l) {
    if (l->before) {
        munmap(l->before, l->bytes);
    }
    if (l->after) {
        munmap(l->after, l->bytes);
    }
    *l = (tc_large){0};
}
