/* first_runs.c - units that lie side by side: first_visit.h. Compiled for AVX2
 * too, where the program can choose between them when it starts. */
#include "sim/race/first_visit.h"
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&         \
    !defined(__AVX2__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

enum { N = 4, TWICE = 2 * N };
typedef int64_t i64v __attribute__((vector_size(N * 8)));

#define ALL(x) ((i64v){(x), (x), (x), (x)})
#define MANY   (INT64_C(34) << 32)
#define WHO    INT64_C(63)
_Static_assert(TC_FIRST_WHO == 6, "as above");

/* mine and the lane of each of the units from i on. */
INLINE i64v mine_of(const tc_first_lanes *l, uint32_t i) {
    static const i64v lane[] = {{0, 1, 2, 3}, {0, 0, 1, 1}, {0, 0, 0, 0}};
    return lane[l->log] + (int64_t)(l->mine + l->lane + (i >> l->log));
}

INLINE bool all_of(const i64v *ok) {
    i64v both = ok[0] & ok[1];
    return (both[0] & both[1] & both[2] & both[3]) != 0;
}

INLINE i64v choose(i64v when, i64v a, i64v b) {
    return (when & a) | (~when & b);
}

INLINE i64v get(const uint64_t *u) {
    i64v v;
    memcpy(&v, u, sizeof v);
    return v;
}

/* f says of four units what they become, and whether that is all. */
#define RUNS(name, f)                                                          \
    CLONES uint32_t name(uint64_t *u, uint32_t n, const tc_first_lanes *l) {   \
        uint32_t i = 0;                                                        \
        for (; l->log <= 2 && i + TWICE <= n; i += TWICE) {                    \
            i64v ok[2], to[2];                                                 \
            for (uint32_t j = 0; j < 2; j++) {                                 \
                i64v me = mine_of(l, i + j * N);                               \
                to[j] = f(l, get(u + i + j * N), me, &ok[j]);                  \
            }                                                                  \
            if (!all_of(ok)) {                                                 \
                break;                                                         \
            }                                                                  \
            memcpy(u + i, to, sizeof to);                                      \
        }                                                                      \
        return i;                                                              \
    }

INLINE i64v known_of(const tc_first_lanes *l, i64v x) {
    return (x >= ALL((int64_t)l->start)) & (x < ALL((int64_t)l->known));
}

INLINE i64v nobody(const tc_first_lanes *l, i64v x) {
    return x < ALL((int64_t)l->none);
}

INLINE i64v flag(bool on) {
    return ALL(on ? INT64_C(-1) : 0);
}

INLINE i64v reads(const tc_first_lanes *l, i64v v, i64v me, i64v *ok) {
    i64v w = v & INT64_C(0xFFFFFFFF), r = (v >> 32) & INT64_C(0xFFFFFFFF);
    int64_t mine = l->mine;
    i64v who = r & WHO, fresh = nobody(l, r) | known_of(l, r);
    i64v foreign = ~fresh & (r < ALL((int64_t)l->start));
    i64v cta = who == TC_FIRST_CTA, same = (r >> 6) == (mine >> 6);
    i64v keep = (r == me) | cta;
    i64v in_epoch = choose(keep, r, ALL(mine | TC_FIRST_WARP));
    i64v later = choose(r > ALL(mine), r, ALL(mine));
    i64v several = (later & ~WHO) | (int64_t)TC_FIRST_CTA;
    i64v seen = choose(fresh, me, choose(same, in_epoch, several));
    i64v strong = (who & (TC_FIRST_WARP | TC_FIRST_STRONG)) ==
                  (TC_FIRST_WARP | TC_FIRST_STRONG);
    i64v written =
        choose(nobody(l, w), flag(!l->shared), known_of(l, w) | (w == me));
    i64v own = flag(l->solo) & (same | cta | flag(l->simple));
    seen = choose(foreign, ALL((int64_t)TC_FIRST_MANY), seen);
    *ok = written & ((r == me) | fresh |
                     (~strong & choose(foreign, flag(l->alone), own)));
    return w | seen << 32;
}

INLINE i64v writes(const tc_first_lanes *l, i64v v, i64v me, i64v *ok) {
    i64v w = v & INT64_C(0xFFFFFFFF), r = (v >> 32) & INT64_C(0xFFFFFFFF);
    *ok = (nobody(l, w) | known_of(l, w) | (w == me)) &
          (nobody(l, r) | known_of(l, r) | (r == me));
    return me;
}

RUNS(tc_first_runs_read, reads)
RUNS(tc_first_runs_write, writes)

typedef uint16_t u16v __attribute__((vector_size(16)));
static const u16v eight = {0, 1, 2, 3, 4, 5, 6, 7};

CLONES uint32_t tc_first_runs_own(const uint16_t *writer, uint32_t n,
                                  uint32_t thread, uint32_t log) {
    uint32_t own = 0, i = 0;
    u16v sum = {0};
    for (; i + 8 <= n; i += 8) {
        u16v w;
        memcpy(&w, writer + i, sizeof w);
        u16v t = ((eight + (uint16_t)i) >> (uint16_t)log) + (uint16_t)thread;
        sum -= (u16v)(w == t);
    }
    for (int j = 0; j < 8; j++) {
        own += sum[j];
    }
    for (; i < n; i++) {
        own += writer[i] == thread + (i >> log);
    }
    return own;
}

CLONES void tc_first_runs_written(uint16_t *writer, uint32_t n, uint32_t thread,
                                  uint32_t log) {
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        u16v t = ((eight + (uint16_t)i) >> (uint16_t)log) + (uint16_t)thread;
        memcpy(writer + i, &t, sizeof t);
    }
    for (; i < n; i++) {
        writer[i] = (uint16_t)(thread + (i >> log));
    }
}
