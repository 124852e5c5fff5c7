/* mma_host - runs every form of mma and wmma on the attached GPU:
 *
 *     mma_host OUT
 *
 * OUT, compressed with gzip -9, is tests/gpu/mma-h200.gz (mma_corpus.h). Needs
 * libc and the driver only. */
#include "gpu/gpu.h"
#include "mma_corpus.h"

static bool run(tc_gpu *g, uint32_t number, uint8_t *a, uint8_t *b, char *why,
                size_t size) {
    char *ptx = mma_corpus_text(number);
    tc_gpu_arg args[] = {
        {.data = a, .bytes = MMA_CASES * MMA_BYTES, .buffer = true},
        {.data = b, .bytes = MMA_CASES * MMA_BYTES, .buffer = true}};
    tc_gpu_launch l = {
        .ptx = ptx,
        .entry = "k",
        .shape = {.grid = {MMA_CASES, 1, 1}, .block = {32, 1, 1}},
        .args = args,
        .nargs = 2};
    tc_gpu_result result;
    bool ok = tc_gpu_cuda.run(g, &l, NULL, &result, why, size);
    if (!ok) {
        fprintf(stderr, "form %u: %s\n%s\n%s\n", number, why, result.jit_log,
                ptx);
    }
    free(ptx);
    return ok;
}

int main(int argc, char **argv) {
    static uint8_t a[MMA_CASES * MMA_BYTES], b[MMA_CASES * MMA_BYTES];
    char why[512] = "";
    int status;
    uint32_t failed = 0, n = MMA_ALL;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: mma_host OUT\n");
        return 2;
    }
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (g == NULL) {
        fprintf(stderr, "mma_host: %s\n", why);
        return 1;
    }
    bool ok = fwrite(MMA_MAGIC, sizeof MMA_MAGIC - 1, 1, f) == 1 &&
              fwrite(&n, sizeof n, 1, f) == 1;
    for (uint32_t i = 0; ok && i < n; i++) {
        for (uint32_t k = 0; k < MMA_CASES; k++) {
            mma_corpus_fill(i, (mma_numbers)k, a + k * MMA_BYTES,
                            b + k * MMA_BYTES);
        }
        failed += !run(g, i, a, b, why, sizeof why);
        ok = fwrite(b, sizeof b, 1, f) == 1;
    }
    tc_gpu_cuda.close(g);
    printf("%u forms run, %u failed\n", n, failed);
    return fclose(f) != 0 || !ok || failed != 0;
}
