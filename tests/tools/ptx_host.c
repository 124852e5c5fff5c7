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
#include "session/launch_arg.h"
#include "session/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 64 };

typedef struct host {
    tc_arena *arena;
    const char *ptx, *kernel;
    uint32_t grid[3], block[3], cluster[3], smem;
    uint64_t seed;
    const char *words[MOST_ARGS];
    int nwords;
    char types[MOST_ARGS][8]; /* of the parameters: "u64" */
    int nparams;
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

/* --- the kernel's parameters, read off the text: the parser of the program may
 * not know all that the driver does ------------------------------------------
 */

/* The text with comments blanked out. */
static char *without_comments(tc_arena *a, const char *text) {
    char *t = tc_strdup(a, text);
    for (char *p = t; *p != '\0'; p++) {
        if (p[0] == '/' && p[1] == '/') {
            for (; *p != '\0' && *p != '\n'; p++) {
                *p = ' ';
            }
        } else if (p[0] == '/' && p[1] == '*') {
            char *end = strstr(p + 2, "*/");
            end = end != NULL ? end + 2 : p + strlen(p);
            memset(p, ' ', (size_t)(end - p));
        }
        if (*p == '\0') {
            break;
        }
    }
    return t;
}

/* Behind ".entry NAME", or NULL. */
static const char *find_entry(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, ".entry")) != NULL;) {
        p += strlen(".entry");
        p += strspn(p, " \t\r\n");
        size_t len = strcspn(p, " \t\r\n({");
        if (len == n && memcmp(p, name, n) == 0) {
            return p + n;
        }
    }
    return NULL;
}

/* The type in ".param .align 8 .u64 name" up to a comma or parenthesis. */
static void read_param(host *h, const char *p, size_t len) {
    char *out = h->types[h->nparams++];
    for (size_t i = 0; i + 1 < len; i++) {
        if (p[i] == '.' && strchr("usbf", p[i + 1]) != NULL &&
            isdigit((unsigned char)p[i + 2])) {
            snprintf(out, sizeof h->types[0], "%.*s",
                     (int)strcspn(p + i + 1, " \t\r\n"), p + i + 1);
        } else if (p[i] == '.' && strncmp(p + i, ".bf16", 5) == 0) {
            snprintf(out, sizeof h->types[0], "bf16");
        }
    }
}

static bool read_params(host *h) {
    const char *p = find_entry(without_comments(h->arena, h->ptx), h->kernel);
    if (p == NULL) {
        return complain("the file has no kernel", h->kernel);
    }
    p += strspn(p, " \t\r\n");
    bool more = *p++ == '(';
    while (more && h->nparams < MOST_ARGS) {
        size_t len = strcspn(p, ",)");
        if (memchr(p, '.', len) != NULL) {
            read_param(h, p, len);
        }
        more = p[len] == ',';
        p += len + (p[len] != '\0');
    }
    return true;
}

/* --- arguments ---------------------------------------------------------------
 */

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
    const char *type = h->types[i];
    bool brain = type[0] == 'b' && type[1] == 'f';
    uint32_t bits = (uint32_t)atoi(type + 1 + brain);
    tc_arg_class c = brain            ? TC_TAKES_BFLOAT
                     : type[0] == 'f' ? TC_TAKES_FLOAT
                     : type[0] == 'b' ? TC_TAKES_BITS
                                      : TC_TAKES_INT;
    tc_arg_value v;
    tc_arg_refusal why;
    if (!tc_arg_read(h->arena, h->words[i], &v, &why)) {
        return complain(h->words[i], why.message);
    }
    if (v.kind == TC_ARG_BUFFER) {
        return bits == 64 ? make_buffer(h, &v, &h->args[i])
                          : complain("not for a buffer", type);
    }
    uint8_t *value = tc_alloc(h->arena, 8);
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
        !tc_arg_bits(h->arena, &v, c, bits / 8, value, &why)) {
        return complain(h->words[i], "does not fit its parameter");
    }
    h->args[i] = (tc_gpu_arg){.data = value, .bytes = bits / 8};
    return true;
}

static bool read_words(host *h, int argc, char **argv) {
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
        } else if (h->nwords < MOST_ARGS) {
            h->words[h->nwords++] = w;
        }
        ok = ok || complain("bad argument", w);
    }
    return ok && (place == 2 || complain("usage", "FILE.ptx KERNEL GRID BLOCK "
                                                  "[OPTION]... ARG..."));
}

static bool make_args(host *h) {
    if (h->nwords != h->nparams) {
        fprintf(stderr, "ptx_host: %s takes %d arguments, not %d\n", h->kernel,
                h->nparams, h->nwords);
        return false;
    }
    for (int i = 0; i < h->nwords; i++) {
        if (!make_arg(h, i)) {
            return false;
        }
    }
    return true;
}

/* --- the launch --------------------------------------------------------------
 */

static void print_buffers(const host *h) {
    int n = 0;
    for (int i = 0; i < h->nwords; i++) {
        const tc_gpu_arg *a = &h->args[i];
        if (a->buffer) {
            printf("a%d %zu %016llx\n", n++, a->bytes,
                   (unsigned long long)tc_fnv1a64(a->data, a->bytes));
        }
    }
}

static int launch(host *h) {
    char why[1024];
    tc_gpu *gpu = tc_gpu_cuda.open(why, sizeof why);
    if (gpu == NULL) {
        complain("error", why);
        return 1;
    }
    tc_gpu_launch l = {.ptx = h->ptx,
                       .entry = h->kernel,
                       .dynamic_shared = h->smem,
                       .args = h->args,
                       .nargs = h->nwords};
    memcpy(l.grid, h->grid, sizeof l.grid);
    memcpy(l.block, h->block, sizeof l.block);
    memcpy(l.cluster, h->cluster, sizeof l.cluster);
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
    host h = {.arena = tc_arena_new()};
    int status = 2;
    if (argc < 5) {
        complain("usage", "FILE.ptx KERNEL GRID BLOCK [OPTION]... ARG...");
    } else if ((h.ptx = read_file(h.arena, argv[1])) != NULL) {
        h.kernel = argv[2];
        if (read_params(&h) && read_words(&h, argc, argv) && make_args(&h)) {
            status = launch(&h);
        }
    }
    tc_arena_free(h.arena);
    return status;
}
