/* device_gpu_module.c - a program's PTX on the GPU: loading it, or what ptxas
 * made of it; kernels and symbols. */
#include "base/buf.h"
#include "base/target.h"
#include "runtime/device_gpu.h"

#include <stdio.h>
#include <string.h>

/* --- versions -------------------------------------------------------------*/

/* PTX ISA, release notes: which CUDA brought a version of PTX. */
static const struct {
    int major, minor;
    const char *cuda;
} releases[] = {
    {7, 0, "11.0"}, {7, 1, "11.1"}, {7, 2, "11.2"}, {7, 3, "11.3"},
    {7, 4, "11.4"}, {7, 5, "11.5"}, {7, 6, "11.6"}, {7, 7, "11.7"},
    {7, 8, "11.8"}, {8, 0, "12.0"}, {8, 1, "12.1"}, {8, 2, "12.2"},
    {8, 3, "12.3"}, {8, 4, "12.4"}, {8, 5, "12.5"}, {8, 6, "12.7"},
    {8, 7, "12.8"}, {8, 8, "12.9"}, {9, 0, "13.0"}, {9, 1, "13.1"},
};

/* "CUDA 13.0", or "a newer CUDA", for the text's .version line. */
static void cuda_of(const char *text, char *ptx, char *cuda, size_t size) {
    int major = 0, minor = 0;
    const char *line = strstr(text, ".version");
    if (line != NULL) {
        sscanf(line + strlen(".version"), "%d.%d", &major, &minor);
    }
    snprintf(ptx, size, "%d.%d", major, minor);
    snprintf(cuda, size, "a newer CUDA");
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        if (releases[i].major == major && releases[i].minor == minor) {
            snprintf(cuda, size, "CUDA %s", releases[i].cuda);
        }
    }
}

static void too_new(const tc_gpu_side *g, const char *assembler,
                    tc_gpu_complaint c) {
    char ptx[32], cuda[32];
    int v = tc_remote_device(g->gpu)->driver_version;
    cuda_of(g->options.module->ptx_text, ptx, cuda, sizeof ptx);
    snprintf(c.why, c.size,
             "the program's PTX is of version %s, which a driver of %s takes, "
             "and the NVIDIA driver here is of CUDA %d.%d%s%s",
             ptx, cuda, v / 1000, v % 1000 / 10,
             *assembler ? "; assembling it here failed: " : "", assembler);
}

/* The machine that the PTX is for must be the GPU, or older (PTX ISA, .target:
 * sm_90a is that machine alone, sm_100f its family). */
static bool fits(const tc_gpu_side *g, tc_gpu_complaint c) {
    const tc_ptx_module *m = g->options.module->ptx;
    const tc_gpu_device *gpu = tc_remote_device(g->gpu);
    int sm = gpu->sm;
    if (m == NULL || tc_target_runs(m->sm, m->sm_suffix, sm)) {
        return true;
    }
    const char suffix[2] = {m->sm_suffix, '\0'};
    snprintf(c.why, c.size,
             "the program is built for sm_%d%s, and the GPU (%s) is an sm_%d%s",
             m->sm, suffix, gpu->name, sm,
             m->sm < sm ? ", which does not take code for that machine alone"
                        : "");
    return false;
}

/* --- loading --------------------------------------------------------------*/

static bool load_assembled(tc_gpu_side *g, tc_gpu_complaint c) {
    const tc_device_module *m = g->options.module;
    char log[TC_GPU_LOG], why[400] = "";
    size_t bytes = 0;
    const void *cubin = NULL;
    if (m->assemble != NULL) {
        cubin = m->assemble(m->user, tc_remote_device(g->gpu)->sm, g->arena,
                            &bytes, why, sizeof why);
    }
    if (cubin == NULL) {
        too_new(g, why, c);
        return false;
    }
    if (tc_remote_load(g->gpu, cubin, bytes, log, c) != TC_CU_SUCCESS) {
        return false;
    }
    snprintf(c.why, c.size, "%s", ""); /* of the text */
    return true;
}

/* Does an instruction write memory, or call what may do so? */
static bool may_write(const tc_ptx_module *m) {
    for (uint32_t i = 0; m != NULL && i < m->ncode; i++) {
        switch (tc_ptx_effect_of(&m->code[i])) {
        case TC_PTX_EFFECT_STORE:
        case TC_PTX_EFFECT_ATOMIC:
        case TC_PTX_EFFECT_COPY:
        case TC_PTX_EFFECT_REDUCE:
        case TC_PTX_EFFECT_ST_ASYNC:
        case TC_PTX_EFFECT_RED_ASYNC:
        case TC_PTX_EFFECT_CALL:
            return true;
        default:
            break;
        }
    }
    return m == NULL;
}

static void find_symbols(tc_gpu_side *g) {
    const tc_ptx_module *m = g->options.module->ptx;
    for (int i = 0; m != NULL && i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        uint64_t at = 0, bytes = 0;
        bool stored = y->space == TC_PS_GLOBAL || y->space == TC_PS_CONST;
        if (!stored || !tc_remote_symbol(g->gpu, y->name, &at, &bytes)) {
            continue;
        }
        tc_device_memory x = {.address = at,
                              .bytes = bytes < y->size ? bytes : y->size,
                              .name = y->name};
        tc_gpu_side_add(g, &x, true);
    }
}

/* A __managed__ variable is the program's pages between launches, as all memory
 * is that the program shares: on the GPU it is a plain one (PTX ISA 5.4.8,
 * .attribute). Where the driver puts it, whatever alignment it has in the text,
 * is not the begin of a page. */
static const char *unmanaged(tc_arena *a, const char *text) {
    static const char mark[] = ".attribute(.managed)";
    const char *at = strstr(text, mark);
    tc_buf out = TC_BUF_INIT;
    if (at == NULL) {
        return text;
    }
    for (; at != NULL; at = strstr(text, mark)) {
        tc_buf_write(&out, text, (size_t)(at - text));
        text = at + strlen(mark);
    }
    tc_buf_puts(&out, text);
    return tc_buf_finish(&out, a);
}

bool tc_gpu_load_module(tc_gpu_side *g, tc_gpu_complaint c) {
    char log[TC_GPU_LOG];
    if (!fits(g, c)) {
        return false;
    }
    const char *text = unmanaged(g->arena, g->options.module->ptx_text);
    tc_cu_result r = tc_remote_load(g->gpu, text, strlen(text), log, c);
    if (r == TC_CU_UNSUPPORTED_PTX_VERSION) {
        if (!load_assembled(g, c)) {
            return false;
        }
    } else if (r != TC_CU_SUCCESS) {
        return false;
    }
    g->writes = may_write(g->options.module->ptx);
    find_symbols(g);
    return true;
}
