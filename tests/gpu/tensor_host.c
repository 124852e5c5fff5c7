/* tensor_host - asks the attached GPU what copies through tensor maps do:
 *
 *     tensor_host [FOLDER]
 *
 * Prints a JSON line for each case of tests/unit/sim/async/tensor_cases.h: its
 * name, and the fnv1a64 of the 16 KiB that it left, or why the driver or the
 * GPU refused. With FOLDER, the bytes themselves go there, a file a case
 * (NNN.bin). What an H200 said is in tests/gpu/tensor-h200.jsonl. Needs libc
 * and the driver only:
 *
 *     cc -O1 -Isrc -Itests/unit/sim/async -D_GNU_SOURCE -o tensor_host \
 *        tests/gpu/tensor_host.c src/gpu/?*.c src/sim/async/tensormap.c \
 *        src/base/?*.c -ldl -lm */
#include "gpu/gpu.h"
#include "tensor_cases.h"

#include <stdlib.h>

/* False if the GPU refused: its process may be of no use any more. */
static bool ask(tc_gpu *gpu, const tensor_case *t, const char *folder, int i) {
    static uint8_t a[CASE_BYTES], b[CASE_OUT];
    char why[512] = "";
    tc_buf ptx = TC_BUF_INIT;
    const tc_sim_tensor_map *m = &t->map;
    tc_gpu_map map = {.buffer = t->store ? 1 : 0,
                      .type = (int)m->type,
                      .rank = (int)m->rank,
                      .swizzle = (int)m->swizzle,
                      .oob_fill = (int)m->oob_fill};
    memcpy(map.dims, m->dims, sizeof map.dims);
    memcpy(map.strides, m->strides, sizeof map.strides);
    memcpy(map.box, m->box, sizeof map.box);
    memcpy(map.element_strides, m->element_strides, sizeof map.element_strides);
    memset(b, 0, sizeof b);
    tensor_case_data(a, b);
    tensor_case_ptx(t, &ptx);
    tc_gpu_arg args[] = {{a, sizeof a, true, NULL},
                         {b, sizeof b, true, NULL},
                         {NULL, 0, false, &map}};
    tc_gpu_launch l = {.ptx = tc_buf_text(&ptx),
                       .entry = "k",
                       .shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
                       .args = args,
                       .nargs = 3};
    tc_gpu_result r;
    if (!tc_gpu_cuda.run(gpu, &l, NULL, &r, why, sizeof why)) {
        printf("{\"case\":\"%s\",\"refused\":\"", t->name);
        for (const char *p = why; *p; p++) {
            putchar(*p == '"' || *p == '\\' || *p < ' ' ? '\'' : *p);
        }
        printf("\"}\n");
    } else {
        uint32_t waited;
        memcpy(&waited, b + CASE_BYTES, 4);
        printf("{\"case\":\"%s\",\"fnv1a64\":\"%016llx\",\"waited\":%u}\n",
               t->name, (unsigned long long)tensor_case_hash(b, CASE_BYTES),
               waited);
    }
    fflush(stdout);
    if (folder != NULL && why[0] == '\0') {
        char path[512];
        snprintf(path, sizeof path, "%s/%03d.bin", folder, i);
        FILE *f = fopen(path, "wb");
        if (f != NULL) {
            fwrite(b, 1, CASE_BYTES, f);
            fclose(f);
        }
    }
    tc_buf_free(&ptx);
    return why[0] == '\0';
}

/* Cases from *next on, until one leaves the process useless. */
static int ask_from(const tensor_cases *cases, int *next, const char *folder) {
    char why[512];
    tc_gpu *gpu = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (gpu == NULL) {
        fprintf(stderr, "tensor_host: %s\n", why);
        return 1;
    }
    bool goes_on = true;
    while (goes_on && *next < cases->n) {
        int i = (*next)++;
        goes_on = ask(gpu, &cases->all[i], folder, i);
    }
    tc_gpu_cuda.close(gpu);
    return 0;
}

int main(int argc, char **argv) {
    static tensor_cases cases;
    int next = 0, status = 0;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    tensor_cases_make(&cases);
    while (status == 0 && next < cases.n) {
        status = ask_from(&cases, &next, argc > 1 ? argv[1] : NULL);
    }
    return status;
}
