/* coalescer.c - what the lanes of one access ask of memory: sectors of global
 * memory, wavefronts of shared memory. */
#include "sim/core/types.h"
#include "sim/timing/memsys.h"

static bool consecutive(uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    uint64_t diff = 0, a = addr[0];
    if (mask != UINT32_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < TC_LANES; i++) {
        diff |= addr[i] ^ (a + (uint64_t)i * bytes);
    }
    return diff == 0;
}

/* Puts s in its place from the end: addresses mostly ascend. */
static uint32_t insert(uint64_t *out, uint32_t n, uint64_t s) {
    uint32_t at = n;
    while (at > 0 && out[at - 1] > s) {
        at--;
    }
    if ((at > 0 && out[at - 1] == s) || n == TC_MAX_SECTORS) {
        return n;
    }
    for (uint32_t i = n; i > at; i--) {
        out[i] = out[i - 1];
    }
    out[at] = s;
    return n + 1;
}

uint32_t tc_coalesce_sectors(uint32_t mask, const uint64_t *addr,
                             uint32_t bytes, uint64_t *out) {
    uint32_t n = 0;
    if (bytes <= 32 && consecutive(mask, addr, bytes)) {
        uint64_t last = (addr[0] + (uint64_t)TC_LANES * bytes - 1) / 32;
        for (uint64_t s = addr[0] / 32; s <= last && n < TC_MAX_SECTORS; s++) {
            out[n++] = s;
        }
        return n;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[tc_first_bit(m)];
        for (uint64_t s = a / 32; s <= (a + bytes - 1) / 32; s++) {
            n = insert(out, n, s);
        }
    }
    return n;
}

uint32_t tc_coalesce_distinct(uint32_t mask, const uint64_t *addr,
                              uint32_t *most) {
    uint64_t seen[TC_LANES];
    uint32_t times[TC_LANES], n = 0, longest = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[tc_first_bit(m)];
        uint32_t i = 0;
        while (i < n && seen[i] != a) {
            i++;
        }
        if (i == n) {
            seen[n] = a;
            times[n++] = 0;
        }
        times[i]++;
        longest = times[i] > longest ? times[i] : longest;
    }
    if (most) {
        *most = longest;
    }
    return n;
}

/* The longest queue of distinct words at one bank, and how many there are in
 * all. */
static uint32_t one_group(uint32_t mask, const uint64_t *addr, uint32_t words,
                          uint32_t *distinct) {
    enum { MOST = 4 * TC_LANES };
    uint32_t row[TC_LANES][MOST];
    uint8_t used[TC_LANES] = {0};
    uint32_t worst = 0;
    *distinct = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        for (uint32_t k = 0; k < words; k++) {
            uint32_t word = (uint32_t)(addr[tc_first_bit(m)] / 4) + k;
            uint32_t bank = word % TC_LANES, j = 0;
            while (j < used[bank] && row[bank][j] != word) {
                j++;
            }
            if (j == used[bank]) {
                row[bank][used[bank]++] = word;
                worst = used[bank] > worst ? used[bank] : worst;
                ++*distinct;
            }
        }
    }
    return worst;
}

/* Lane i has the address of lane i ^ k, for all: memsys.h. */
static bool same_by(uint32_t mask, const uint64_t *addr, uint32_t k) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first_bit(m);
        if ((mask >> (i ^ k) & 1) && addr[i] != addr[i ^ k]) {
            return false;
        }
    }
    return true;
}

uint32_t tc_coalesce_wavefronts(uint32_t mask, const uint64_t *addr,
                                uint32_t bytes, bool store, uint32_t *ideal) {
    uint32_t words = bytes < 4 ? 1 : bytes / 4, total = 0, distinct;
    words = words > 4 ? 4 : words;
    if (bytes >= 4 && consecutive(mask, addr, bytes) && addr[0] % 4 == 0) {
        *ideal = words;
        return words;
    }
    bool pairs = words > 1 && !store &&
                 (same_by(mask, addr, 1) || same_by(mask, addr, 2));
    uint32_t parts = pairs ? words / 2 : words, lanes = TC_LANES / parts;
    uint32_t part = lanes == TC_LANES ? UINT32_MAX : (1u << lanes) - 1;
    *ideal = 0;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t m = mask & part << i * lanes;
        total += m ? one_group(m, addr, words, &distinct) : 0;
        *ideal += m ? 1 : 0;
    }
    *ideal = *ideal ? *ideal : 1;
    return total ? total : 1;
}
