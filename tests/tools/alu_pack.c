/* alu_pack - makes tests/gpu/alu-h200.gz (alu_corpus.h) of what alu_host
 * wrote:
 *
 *     alu_pack FORMS.txt.gz OUT CORPUS.gz */
#include "alu_corpus.h"

enum { ALU_FILE = 96 }; /* modules a file, as alu_host writes them */

/* The results of module m, ALU_BATCH rows. */
static bool read_module(const char *out, int m, uint64_t *results) {
    char path[4096];
    size_t size = sizeof *results * ALU_BATCH * ALU_TUPLES;
    snprintf(path, sizeof path, "%s.%d", out, m / ALU_FILE);
    FILE *f = fopen(path, "rb");
    bool ok = f != NULL &&
              fseek(f, (long)size * (m % ALU_FILE), SEEK_SET) == 0 &&
              fread(results, size, 1, f) == 1;
    if (f != NULL) {
        fclose(f);
    }
    return ok;
}

/* The number of the row of these results, made if there is none. */
static uint16_t row_of(alu_corpus *c, const uint64_t *results) {
    uint8_t *row = c->bytes + (size_t)c->rows * ALU_ROW;
    for (int t = 0; t < ALU_TUPLES; t++) {
        alu_put_result(row, t, results[t]);
    }
    for (uint32_t r = 0; r < c->rows; r++) {
        if (memcmp(c->bytes + (size_t)r * ALU_ROW, row, ALU_ROW) == 0) {
            return (uint16_t)r;
        }
    }
    return (uint16_t)c->rows++;
}

static bool write_corpus(const alu_corpus *c, const char *path) {
    gzFile f = gzopen(path, "wb9");
    if (f == NULL) {
        return false;
    }
    unsigned size = c->rows * ALU_ROW;
    bool ok = gzwrite(f, ALU_MAGIC, sizeof ALU_MAGIC - 1) > 0 &&
              gzwrite(f, &c->n, 4) == 4 && gzwrite(f, &c->rows, 4) == 4 &&
              gzwrite(f, c->row, c->n * 2) == (int)(c->n * 2) &&
              gzwrite(f, c->bytes, size) == (int)size;
    return gzclose(f) == Z_OK && ok;
}

int main(int argc, char **argv) {
    static uint64_t results[ALU_BATCH * ALU_TUPLES];
    alu_case *cases = NULL;
    int n = argc == 4 ? alu_list(argv[1], &cases) : -1;
    if (n < 0) {
        fprintf(stderr, "usage: alu_pack FORMS.txt.gz OUT CORPUS.gz\n");
        return 2;
    }
    alu_corpus c = {.n = (uint32_t)n};
    c.row = calloc((size_t)n, sizeof *c.row);
    c.bytes = malloc((size_t)n * ALU_ROW);
    if (c.row == NULL || c.bytes == NULL) {
        abort();
    }
    for (int i = 0, m, module = 0; i < n; i += m, module++) {
        m = alu_batch(cases + i, n - i);
        if (!read_module(argv[2], module, results)) {
            fprintf(stderr, "alu_pack: cannot read module %d\n", module);
            return 1;
        }
        for (int k = 0; k < m; k++) {
            c.row[i + k] = row_of(&c, results + (size_t)k * ALU_TUPLES);
        }
    }
    bool ok = write_corpus(&c, argv[3]);
    printf("%u cases, %u different rows\n", c.n, c.rows);
    alu_corpus_free(&c);
    free(cases);
    return ok ? 0 : 1;
}
