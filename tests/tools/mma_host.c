/* mma_host - runs every form of mma and wmma on the attached GPU:
 *
 *     mma_host OUT
 *     mma_host --wgmma
 *
 * OUT, compressed with gzip -9, is tests/gpu/mma-h200.gz (mma_corpus.h).
 * --wgmma runs the kernels of wgmma_cases.h, and compares with the product:
 * nothing is kept. Needs libc and the driver only. */
#include "gpu/gpu.h"
#include "mma_corpus.h"
#include "wgmma_cases.h"

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

static int run_wgmma(tc_gpu *g) {
    char why[512] = "";
    int good = 0;
    for (int i = 0; i < WGMMA_FORMS; i++) {
        const wgmma_form *f = &wgmma_forms[i];
        char *ptx = wgmma_text(f, "");
        wgmma_deal(f);
        tc_gpu_arg args[] = {
            {.data = wgmma_in, .bytes = sizeof wgmma_in, .buffer = true},
            {.data = wgmma_out, .bytes = sizeof wgmma_out, .buffer = true}};
        tc_gpu_launch l = {.ptx = ptx,
                           .entry = "k",
                           .shape = {.grid = {1, 1, 1}, .block = {128, 1, 1}},
                           .args = args,
                           .nargs = 2};
        tc_gpu_result result;
        if (!tc_gpu_cuda.run(g, &l, NULL, &result, why, sizeof why)) {
            printf("form %d: %s\n%s\n", i, why, result.jit_log);
        } else if (!wgmma_right(f, wgmma_out, why, sizeof why)) {
            printf("%s\n", why);
        } else {
            good++;
        }
        free(ptx);
    }
    printf("%d of %d forms of wgmma are right\n", good, (int)WGMMA_FORMS);
    return good != WGMMA_FORMS;
}

int main(int argc, char **argv) {
    static uint8_t a[MMA_CASES * MMA_BYTES], b[MMA_CASES * MMA_BYTES];
    char why[512] = "";
    int status;
    uint32_t failed = 0, n = MMA_ALL;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    bool wgmma = argc == 2 && strcmp(argv[1], "--wgmma") == 0;
    FILE *f = argc == 2 && !wgmma ? fopen(argv[1], "wb") : NULL;
    if (f == NULL && !wgmma) {
        fprintf(stderr, "usage: mma_host OUT | --wgmma\n");
        return 2;
    }
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (g == NULL) {
        fprintf(stderr, "mma_host: %s\n", why);
        return 1;
    }
    if (wgmma) {
        status = run_wgmma(g);
        tc_gpu_cuda.close(g);
        return status;
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
