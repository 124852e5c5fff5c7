/* ptx_host - launches one kernel of a .ptx file on the attached GPU, with the
 * arguments and the data of `launch`:
 *
 *     ptx_host FILE.ptx KERNEL GRID BLOCK [--smem BYTES] [--cluster X,Y,Z]
 *              [--seed N] ARG...
 *
 * Prints a line for each buffer after it (name, bytes, fnv1a64), or the CUDA
 * error. Status: 0; 1 the GPU refused or failed; 2 usage. It is what runs under
 * compute-sanitizer (sanitizer_table.sh), and needs libc and the driver only.
 */
#include "gpu/gpu.h"
#include "load/outline.h"
#include "run/launch_arg.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 64 };

typedef struct host {
    tc_arena *arena;
    const char *ptx, *kernel;
    uint32_t grid[3], block[3], cluster[3], smem;
    uint64_t seed;
    const char *raw_args[MOST_ARGS];
    int nraw;
    const tc_ptx_func *func;
    tc_gpu_arg args[MOST_ARGS];
    int nbuffers;
} host;

static bool complain(const char *what, const char *which) {
    fprintf(stderr, "ptx_host: %s: %s\n", what, which);
    return false;
}

static const char *read_file(tc_arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    tc_buf text = TC_BUF_INIT;
    int c;
    if (f == NULL) {
        complain("cannot open", path);
        return NULL;
    }
    while ((c = getc(f)) != EOF) {
        tc_buf_putc(&text, (char)c);
    }
    fclose(f);
    return tc_buf_finish(&text, a);
}

/* --- the kernel's parameters -----------------------------------------------*/

/* An outline will do, since the parser may not know all the driver does. */
static bool read_params(host *h) {
    tc_source *src = TC_NEW(h->arena, tc_source);
    *src = (tc_source){"", h->ptx, strlen(h->ptx), 1};
    const tc_ptx_module *m = tc_outline(h->arena, src);
    for (int i = 0; i < m->nfuncs; i++) {
        if (strcmp(m->funcs[i].name, h->kernel) == 0) {
            h->func = &m->funcs[i];
            return true;
        }
    }
    return complain("the file has no kernel", h->kernel);
}

/* --- arguments -------------------------------------------------------------*/

static bool make_buffer(host *h, const tc_arg_value *v, tc_gpu_arg *out) {
    uint64_t bytes = (uint64_t)tc_dtype_bytes(v->type);
    for (int i = 0; i < v->rank; i++) {
        bytes *= (uint64_t)v->shape[i];
        if (bytes > (uint64_t)1 << 30) {
            return complain("too large", "a buffer");
        }
    }
    *out = (tc_gpu_arg){
        .data = tc_alloc(h->arena, bytes), .bytes = bytes, .buffer = true};
    tc_fill_buffer(out->data, bytes, v->type, h->nbuffers++, h->seed);
    return true;
}

static bool make_arg(host *h, int i) {
    const tc_ptx_param *p = &h->func->params[i];
    const char *type = tc_ptx_type_names[p->type];
    type += *type == '.';
    tc_arg_class c = strncmp(type, "bf", 2) == 0 ? TC_TAKES_BFLOAT
                     : type[0] == 'f'            ? TC_TAKES_FLOAT
                     : type[0] == 'b'            ? TC_TAKES_BITS
                                                 : TC_TAKES_INT;
    tc_arg_value v;
    tc_arg_refusal why;
    if (!tc_arg_read(h->arena, h->raw_args[i], &v, &why)) {
        return complain(h->raw_args[i], why.message);
    }
    if (v.kind == TC_ARG_BUFFER) {
        return p->size == 8 ? make_buffer(h, &v, &h->args[i])
                            : complain("not for a buffer", type);
    }
    uint8_t *value = tc_alloc(h->arena, 8);
    if (p->size > 8 || p->size != tc_ptx_type_bytes[p->type] ||
        !tc_arg_bits(h->arena, &v, c, p->size, value, &why)) {
        return complain(h->raw_args[i], "does not fit its parameter");
    }
    h->args[i] = (tc_gpu_arg){.data = value, .bytes = p->size};
    return true;
}

static bool read_args(host *h, int argc, char **argv) {
    bool ok = true;
    int place = 0;
    for (int i = 3; i < argc && ok; i++) {
        const char *w = argv[i], *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(w, "--smem") == 0) {
            h->smem = (uint32_t)strtoul(next, NULL, 0);
            i++;
        } else if (strcmp(w, "--cluster") == 0) {
            ok = tc_arg_dims(next, 1024, h->cluster);
            i++;
        } else if (strcmp(w, "--seed") == 0) {
            h->seed = strtoull(next, NULL, 0);
            i++;
        } else if (place < 2) {
            ok = tc_arg_dims(w, INT32_MAX, place++ ? h->block : h->grid);
        } else if (h->nraw < MOST_ARGS) {
            h->raw_args[h->nraw++] = w;
        }
        ok = ok || complain("bad argument", w);
    }
    return ok && (place == 2 || complain("usage", "FILE.ptx KERNEL GRID BLOCK "
                                                  "[OPTION]... ARG..."));
}

static bool make_args(host *h) {
    if (h->nraw != h->func->nparams) {
        fprintf(stderr, "ptx_host: %s takes %d arguments, not %d\n", h->kernel,
                h->func->nparams, h->nraw);
        return false;
    }
    for (int i = 0; i < h->nraw; i++) {
        if (!make_arg(h, i)) {
            return false;
        }
    }
    return true;
}

/* --- the launch ------------------------------------------------------------*/

static void print_buffers(const host *h) {
    int n = 0;
    for (int i = 0; i < h->nraw; i++) {
        const tc_gpu_arg *a = &h->args[i];
        if (a->buffer) {
            printf("a%d %zu %016llx\n", n++, a->bytes,
                   (unsigned long long)tc_fnv1a64(a->data, a->bytes));
        }
    }
}

static int launch(host *h) {
    char why[1024];
    tc_gpu *gpu = tc_gpu_cuda.open(NULL, why, sizeof why);
    if (gpu == NULL) {
        complain("error", why);
        return 1;
    }
    tc_gpu_launch l = {.ptx = h->ptx,
                       .entry = h->kernel,
                       .shape = {.dynamic_shared = h->smem},
                       .args = h->args,
                       .nargs = h->nraw};
    memcpy(l.shape.grid, h->grid, sizeof l.shape.grid);
    memcpy(l.shape.block, h->block, sizeof l.shape.block);
    memcpy(l.shape.cluster, h->cluster, sizeof l.shape.cluster);
    tc_gpu_result result;
    bool ok = tc_gpu_cuda.run(gpu, &l, NULL, &result, why, sizeof why);
    if (ok) {
        print_buffers(h);
    } else {
        complain("error", why);
    }
    tc_gpu_cuda.close(gpu);
    return ok ? 0 : 1;
}

int main(int argc, char **argv) {
    int status = 2;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    host h = {.arena = tc_arena_new()};
    if (argc < 5) {
        complain("usage", "FILE.ptx KERNEL GRID BLOCK [OPTION]... ARG...");
    } else if ((h.ptx = read_file(h.arena, argv[1])) != NULL) {
        h.kernel = argv[2];
        if (read_params(&h) && read_args(&h, argc, argv) && make_args(&h)) {
            status = launch(&h);
        }
    }
    tc_arena_free(h.arena);
    return status;
}
