/* checksum.c - SHA-256 (FIPS 180-4), and what is hashed with it. */
#include "base/cancel.h"
#include "toolchain/internal.h"

#include <string.h>
#include <sys/stat.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

/* A step of 6.2.2, the kth of eight: a is at -k of the ring. A constant k costs
 * nothing. */
static inline void step(uint32_t v[8], unsigned k, uint32_t next) {
    uint32_t a = v[-k & 7], b = v[(1 - k) & 7], c = v[(2 - k) & 7];
    uint32_t e = v[(4 - k) & 7], f = v[(5 - k) & 7], g = v[(6 - k) & 7];
    uint32_t t1 = v[(7 - k) & 7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                  ((e & f) ^ (~e & g)) + next;
    uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                  ((a & b) ^ (a & c) ^ (b & c));
    v[(3 - k) & 7] += t1;
    v[(7 - k) & 7] = t1 + t2;
}

/* One block of 64 bytes (6.2.2). */
static void compress(uint32_t h[8], const uint8_t *block) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) {
        const uint8_t *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
               (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] +
               (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i += 8) { /* the eight trade places, as a ring */
        step(v, 0, K[i] + w[i]);
        step(v, 1, K[i + 1] + w[i + 1]);
        step(v, 2, K[i + 2] + w[i + 2]);
        step(v, 3, K[i + 3] + w[i + 3]);
        step(v, 4, K[i + 4] + w[i + 4]);
        step(v, 5, K[i + 5] + w[i + 5]);
        step(v, 6, K[i + 6] + w[i + 6]);
        step(v, 7, K[i + 7] + w[i + 7]);
    }
    for (int i = 0; i < 8; i++) {
        h[i] += v[i];
    }
}

void tc_hash_bytes(tc_hash *h, const void *bytes, size_t len) {
    const uint8_t *p = bytes;
    for (uint64_t i = 0; len > 0; i++) {
        if (tc_cancelled_at(i)) { /* it is nothing's, and is not used */
            return;
        }
        size_t have = h->len % 64, n = 64 - have < len ? 64 - have : len;
        memcpy(h->block + have, p, n);
        h->len += n;
        p += n;
        len -= n;
        if (h->len % 64 == 0) {
            compress(h->h, h->block);
        }
    }
}

const char *tc_hash_name(tc_arena *a, tc_hash h) {
    uint8_t end[72] = {0x80};
    uint64_t bits = h.len * 8;
    size_t pad = (h.len % 64 < 56 ? 56 : 120) - h.len % 64;
    for (int i = 0; i < 8; i++) {
        end[pad + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    tc_hash_bytes(&h, end, pad + 8);
    return tc_format(a, "%08x%08x%08x%08x%08x%08x%08x%08x", h.h[0], h.h[1],
                     h.h[2], h.h[3], h.h[4], h.h[5], h.h[6], h.h[7]);
}

void tc_hash_block(tc_hash *h, const void *bytes, size_t len) {
    uint64_t n = len;
    tc_hash_bytes(h, &n, sizeof n);
    tc_hash_bytes(h, bytes, len);
}

void tc_hash_text(tc_hash *h, const char *text) {
    tc_hash_block(h, text != NULL ? text : "\xff", text ? strlen(text) : 1);
}

bool tc_hash_stat(tc_hash *h, const char *path) {
    struct stat s;
    if (stat(path, &s) != 0) {
        tc_hash_text(h, NULL);
        return false;
    }
    int64_t is[] = {s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
                    (int64_t)s.st_ino};
    tc_hash_text(h, path);
    tc_hash_block(h, is, sizeof is);
    return true;
}
