/* alu_corpus.h - the list of alu_cases.h, and what a GPU answered to it.
 *
 * tests/gpu/alu-h200.gz, little-endian: the letters TCALU1, the number of cases
 * and of rows (4 bytes each), for each case the number of its row (2 bytes),
 * then the rows, each the ALU_TUPLES results of 8 bytes: all lowest bytes,
 * then all second ones, and so on. Cases with equal results share a row. */
#ifndef TC_TESTS_ALU_CORPUS_H
#define TC_TESTS_ALU_CORPUS_H

#include "alu_cases.h"

#include <zlib.h>

#define ALU_MAGIC "TCALU1"
#define ALU_FORMS "tests/ptx/arith_forms.txt.gz"

enum { ALU_ROW = ALU_TUPLES * 8 };

typedef struct alu_corpus {
    uint32_t n, rows;
    uint16_t *row;  /* of each case */
    uint8_t *bytes; /* of all rows */
} alu_corpus;

/* All cases, of the forms in the file; how many, or -1. */
static inline int alu_list(const char *forms, alu_case **cases) {
    gzFile f = gzopen(forms, "rb");
    char line[512];
    int n = 0;
    if (f == NULL) {
        return -1;
    }
    for (long i = 0; gzgets(f, line, sizeof line) != NULL; i++) {
        line[strcspn(line, "\n")] = 0;
        if (line[1] == '1' && alu_wanted(line + 4, i)) {
            n = alu_add(cases, n, line + 4);
        }
    }
    gzclose(f);
    for (size_t i = 0; i < sizeof alu_extra / sizeof *alu_extra; i++) {
        n = alu_add(cases, n, alu_extra[i]);
    }
    return n;
}

static inline void alu_put_result(uint8_t *row, int t, uint64_t v) {
    for (int i = 0; i < 8; i++) {
        row[i * ALU_TUPLES + t] = (uint8_t)(v >> 8 * i);
    }
}

static inline uint64_t alu_get_result(const alu_corpus *c, int i, int t) {
    const uint8_t *row = c->bytes + (size_t)c->row[i] * ALU_ROW;
    uint64_t v = 0;
    for (int k = 0; k < 8; k++) {
        v |= (uint64_t)row[k * ALU_TUPLES + t] << 8 * k;
    }
    return v;
}

static inline bool alu_corpus_read(const char *path, alu_corpus *c) {
    gzFile f = gzopen(path, "rb");
    char magic[sizeof ALU_MAGIC - 1];
    if (f == NULL) {
        return false;
    }
    bool ok = gzread(f, magic, sizeof magic) == sizeof magic &&
              memcmp(magic, ALU_MAGIC, sizeof magic) == 0 &&
              gzread(f, &c->n, 4) == 4 && gzread(f, &c->rows, 4) == 4 &&
              c->n > 0 && c->n < 65536 && c->rows > 0 && c->rows <= c->n;
    if (ok) {
        unsigned size = c->rows * ALU_ROW;
        c->row = malloc(c->n * sizeof *c->row);
        c->bytes = malloc(size);
        ok = c->row != NULL && c->bytes != NULL &&
             gzread(f, c->row, c->n * 2) == (int)(c->n * 2) &&
             gzread(f, c->bytes, size) == (int)size;
        for (uint32_t i = 0; ok && i < c->n; i++) {
            ok = c->row[i] < c->rows;
        }
    }
    gzclose(f);
    return ok;
}

static inline void alu_corpus_free(alu_corpus *c) {
    free(c->row);
    free(c->bytes);
}

#endif
