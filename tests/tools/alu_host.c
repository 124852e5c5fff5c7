/* alu_host - runs the kernels that alu_gen wrote on the attached GPU:
 *
 *     alu_host DIR OUT
 *
 * OUT.0, OUT.1, ...: for each module ALU_BATCH * ALU_TUPLES results of 8 bytes,
 * ALU_FILE modules a file. Needs libc and the driver only. */
#include "alu_cases.h"
#include "gpu/gpu.h"

enum { ALU_FILE = 96, RESULTS = ALU_BATCH * ALU_TUPLES };

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    tc_buf b = TC_BUF_INIT;
    for (int c; (c = getc(f)) != EOF;) {
        tc_buf_putc(&b, (char)c);
    }
    fclose(f);
    return b.data;
}

static bool run(tc_gpu *g, const char *ptx, uint64_t *in, uint64_t *out,
                char *why, size_t size) {
    tc_gpu_arg args[] = {
        {.data = in,
         .bytes = sizeof *in * ALU_TUPLES * ALU_WORDS,
         .buffer = true},
        {.data = out, .bytes = sizeof *out * RESULTS, .buffer = true}};
    tc_gpu_launch l = {
        .ptx = ptx,
        .entry = "k",
        .shape = {.grid = {ALU_TUPLES / 128, 1, 1}, .block = {128, 1, 1}},
        .args = args,
        .nargs = 2};
    tc_gpu_result result;
    return tc_gpu_cuda.run(g, &l, NULL, &result, why, size) ||
           (fprintf(stderr, "%s\n%s\n", why, result.jit_log), false);
}

static void fill(uint64_t *in) {
    for (int t = 0; t < ALU_TUPLES; t++) {
        for (int k = 0; k < ALU_WORDS; k++) {
            in[t * ALU_WORDS + k] = alu_input_word(t, k);
        }
    }
}

int main(int argc, char **argv) {
    static uint64_t in[ALU_TUPLES * ALU_WORDS], out[RESULTS];
    char why[512] = "", path[4096];
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: alu_host DIR OUT\n");
        return 2;
    }
    tc_gpu *g = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (g == NULL) {
        fprintf(stderr, "alu_host: %s\n", why);
        return 1;
    }
    int modules = 0, failed = 0;
    FILE *f = NULL;
    for (;; modules++) {
        snprintf(path, sizeof path, "%s/m%03d.ptx", argv[1], modules);
        char *ptx = read_text(path);
        if (ptx == NULL) {
            break;
        }
        if (modules % ALU_FILE == 0) {
            if (f != NULL) {
                fclose(f);
            }
            snprintf(path, sizeof path, "%s.%d", argv[2], modules / ALU_FILE);
            f = fopen(path, "wb");
        }
        fill(in);
        memset(out, 0xee, sizeof out);
        if (!run(g, ptx, in, out, why, sizeof why)) {
            fprintf(stderr, "module %d\n", modules);
            failed++;
        }
        if (f == NULL || fwrite(out, sizeof out, 1, f) != 1) {
            fprintf(stderr, "alu_host: cannot write %s\n", argv[2]);
            return 1;
        }
        free(ptx);
    }
    if (f != NULL) {
        fclose(f);
    }
    tc_gpu_cuda.close(g);
    printf("%d modules run, %d failed\n", modules, failed);
    return failed != 0;
}
