/* none.c - the GPU of a machine that has none: each call says why. */
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static tc_gpu *none_open(tc_gpu_host *h, char *why, size_t why_size) {
    (void)h;
    snprintf(why, why_size, "there is no GPU backend in this program");
    return NULL;
}

static void none_close(tc_gpu *g) {
    (void)g;
}

static void none_describe(const tc_gpu *g, tc_gpu_device *out) {
    (void)g;
    memset(out, 0, sizeof *out);
}

static bool none_run(tc_gpu *g, tc_gpu_launch *l, const atomic_int *cancel,
                     tc_gpu_result *out, char *why, size_t why_size) {
    (void)g;
    (void)l;
    (void)cancel;
    memset(out, 0, sizeof *out);
    none_open(NULL, why, why_size);
    return false;
}

const tc_gpu_vtable tc_gpu_none = {
    .name = "none",
    .open = none_open,
    .close = none_close,
    .describe = none_describe,
    .run = none_run,
};
