/* device_both.c - a simulator and a GPU with the same memory at the same
 * addresses. Each launch runs on the simulator, whose findings say whether the
 * GPU's bytes can be trusted to repeat, then on the GPU; all memory is compared
 * afterwards. Where it differs the program sees the simulator's bytes, and the
 * GPU goes on with them too, so that a difference is told once. */
#include "ptx/mma.h"
#include "runtime/device_gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, UNKNOWN = 999 /* cudaErrorUnknown */ };

typedef struct both {
    tc_device *sim, *gpu;
    tc_device_options options; /* the simulator's */
    tc_device_difference *differences;
    int ndifferences, cdifferences;
    uint8_t *chunk[2]; /* the simulator's bytes, the GPU's */
    char why[1024];
} both;

static both *of(tc_device *d) {
    return (both *)d;
}

/* --- opening ---------------------------------------------------------------*/

/* The simulator's symbols lie where the GPU's driver has put them. */
static uint64_t symbol_address(void *user, const tc_ptx_symbol *y) {
    const both *b = user;
    uint64_t at = 0;
    return tc_device_gpu.symbol(b->gpu, y, &at) ? at : 0;
}

/* What a kernel prints on the GPU, it has printed on the simulator. */
static void print_nothing(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
}

static void both_close(tc_device *d) {
    both *b = of(d);
    if (b == NULL) {
        return;
    }
    if (b->sim != NULL) {
        tc_device_sim.close(b->sim);
    }
    if (b->gpu != NULL) {
        tc_device_gpu.close(b->gpu);
    }
    free(b->differences);
    free(b->chunk[0]);
    free(b->chunk[1]);
    free(b);
}

static tc_device *both_open(const tc_device_options *o, char *why,
                            size_t why_size) {
    both *b = tc_xcalloc(1, sizeof *b);
    tc_device_options gpu = *o;
    gpu.sim.print = print_nothing;
    b->options = *o;
    b->options.sim.symbol_address = symbol_address;
    b->options.sim.symbol_user = b;
    b->chunk[0] = tc_xmalloc(CHUNK);
    b->chunk[1] = tc_xmalloc(CHUNK);
    b->gpu = tc_device_gpu.open(&gpu, why, why_size);
    if (b->gpu != NULL) {
        b->sim = tc_device_sim.open(&b->options, why, why_size);
    }
    if (b->sim == NULL) {
        both_close((tc_device *)b);
        return NULL;
    }
    return (tc_device *)b;
}

/* --- facts -----------------------------------------------------------------*/

/* What holds on both. */
static void both_facts(tc_device *d, tc_rt_device *out) {
    tc_rt_device s;
    tc_device_sim.facts(of(d)->sim, &s);
    tc_device_gpu.facts(of(d)->gpu, out);
    char name[sizeof out->name];
    snprintf(name, sizeof name, "%.100s, beside the tilecopy simulator",
             out->name);
    memcpy(out->name, name, sizeof name);
#define LEAST(field) out->field = s.field < out->field ? s.field : out->field
    LEAST(sm);
    LEAST(multiprocessors);
    LEAST(threads_sm);
    LEAST(threads_cta);
    LEAST(ctas_sm);
    LEAST(registers_sm);
    LEAST(registers_cta);
    LEAST(memory);
    LEAST(memory_free);
    LEAST(shared_cta);
    LEAST(shared_sm);
    LEAST(shared_optin);
#undef LEAST
}

static uint64_t both_range(tc_device *d, uint64_t *bytes) {
    return tc_device_gpu.range(of(d)->gpu, bytes);
}

static void both_function(tc_device *d, const tc_ptx_func *f,
                          tc_rt_function *out) {
    tc_device_sim.function(of(d)->sim, f, out);
    tc_device_gpu.function(of(d)->gpu, f, out);
}

static bool both_symbol(tc_device *d, const tc_ptx_symbol *y,
                        uint64_t *address) {
    return tc_device_sim.symbol(of(d)->sim, y, address);
}

static uint32_t both_occupancy(tc_device *d, const tc_ptx_func *f,
                               uint32_t block, uint64_t dynamic_shared,
                               uint32_t cluster) {
    uint32_t s =
        tc_device_sim.occupancy(of(d)->sim, f, block, dynamic_shared, cluster);
    uint32_t g =
        tc_device_gpu.occupancy(of(d)->gpu, f, block, dynamic_shared, cluster);
    return s < g ? s : g;
}

/* The program gets the driver's bytes; the simulator knows them. */
static bool both_tensor_map(tc_device *d, const tc_rt_tensor_map *t,
                            void *out) {
    both *b = of(d);
    tc_sim_tensor_map m = tc_device_sim_map(t);
    if (!tc_device_gpu.tensor_map(b->gpu, t, out)) {
        return false;
    }
    tc_sim_add_tensormap(tc_device_sim.sim(b->sim), out, &m);
    return true;
}

static double both_time_ms(tc_device *d) {
    return tc_device_gpu.time_ms(of(d)->gpu);
}

static tc_trace *both_take_trace(tc_device *d) {
    return tc_device_sim.take_trace(of(d)->sim);
}

static tc_sim *both_sim(tc_device *d) {
    return tc_device_sim.sim(of(d)->sim);
}

/* --- memory ----------------------------------------------------------------*/

static bool both_alloc(tc_device *d, const tc_device_memory *m) {
    both *b = of(d);
    if (!tc_device_gpu.alloc(b->gpu, m)) {
        return false;
    }
    if (!tc_device_sim.alloc(b->sim, m)) {
        tc_device_gpu.free(b->gpu, m->address);
        return false;
    }
    return true;
}

static void both_free(tc_device *d, uint64_t address) {
    tc_device_sim.free(of(d)->sim, address);
    tc_device_gpu.free(of(d)->gpu, address);
}

static bool both_write(tc_device *d, uint64_t to, const void *from,
                       uint64_t bytes) {
    return tc_device_sim.write(of(d)->sim, to, from, bytes) &&
           tc_device_gpu.write(of(d)->gpu, to, from, bytes);
}

static bool both_read(tc_device *d, void *to, uint64_t from, uint64_t bytes) {
    return tc_device_sim.read(of(d)->sim, to, from, bytes);
}

/* Pages that the program shares are there once: the simulator has moved them
 * already. */
static bool both_move(tc_device *d, uint64_t to, uint64_t from,
                      uint64_t bytes) {
    both *b = of(d);
    const tc_gpu_memory *x = tc_gpu_side_find(tc_gpu_side_of(b->gpu), to);
    return tc_device_sim.move(b->sim, to, from, bytes) &&
           ((x != NULL && x->m.shared != NULL) ||
            tc_device_gpu.move(b->gpu, to, from, bytes));
}

static bool both_set(tc_device *d, uint64_t to, int value, uint64_t bytes) {
    return tc_device_sim.set(of(d)->sim, to, value, bytes) &&
           tc_device_gpu.set(of(d)->gpu, to, value, bytes);
}

/* --- comparing -------------------------------------------------------------*/

/* Addresses of functions are each machine's own. */
static bool has_functions(const both *b, const tc_gpu_memory *x) {
    const tc_ptx_module *m = b->options.module->ptx;
    for (int i = 0; x->symbol && i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        for (int k = 0; strcmp(y->name, x->m.name) == 0 && k < y->nrelocs;
             k++) {
            if (y->relocs[k].func) {
                return true;
            }
        }
    }
    return false;
}

/* tensormap.replace leaves each machine's own bytes of one record: those of the
 * simulator's are its kind, and the GPU keeps what it has. */
static uint64_t skip_map(both *b, uint64_t i, uint64_t n) {
    tc_sim_tensor_map unused;
    uint64_t from = i / TC_TENSOR_MAP_ALIGN * TC_TENSOR_MAP_ALIGN;
    for (int k = 0; k < 2; k++) {
        if (from + TC_TENSOR_MAP_BYTES <= n &&
            tc_tensor_map_decode(b->chunk[0] + from, &unused)) {
            memcpy(b->chunk[0] + from, b->chunk[1] + from, TC_TENSOR_MAP_BYTES);
            return from + TC_TENSOR_MAP_BYTES;
        }
        if (from < TC_TENSOR_MAP_ALIGN) {
            break;
        }
        from -= TC_TENSOR_MAP_ALIGN;
    }
    return i;
}

/* The two chunks, n bytes from offset on of a memory whose difference is x. */
static void count(both *b, tc_device_difference *x, uint64_t offset,
                  uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        if (b->chunk[0][i] == b->chunk[1][i]) {
            continue;
        }
        uint64_t next = skip_map(b, i, n);
        if (next > i) {
            i = next - 1;
            continue;
        }
        if (x->bytes++ == 0) {
            uint64_t m = n - i < sizeof x->sim ? n - i : sizeof x->sim;
            x->offset = offset + i;
            memcpy(x->sim, b->chunk[0] + i, m);
            memcpy(x->gpu, b->chunk[1] + i, m);
        }
    }
}

static void add_difference(both *b, const tc_device_difference *x) {
    if (b->ndifferences == b->cdifferences) {
        b->cdifferences = b->cdifferences ? b->cdifferences * 2 : 8;
        b->differences = tc_xrealloc(
            b->differences, (size_t)b->cdifferences * sizeof *b->differences);
    }
    b->differences[b->ndifferences++] = *x;
}

/* Finds where one memory differs, and gives the GPU the simulator's bytes. */
static bool compare_memory(both *b, const tc_gpu_memory *x) {
    tc_gpu_side *g = tc_gpu_side_of(b->gpu);
    tc_device_difference found = {.address = x->m.address};
    for (uint64_t at = 0; at < x->m.bytes; at += CHUNK) {
        uint64_t n = x->m.bytes - at < CHUNK ? x->m.bytes - at : CHUNK;
        if (!tc_device_sim.read(b->sim, b->chunk[0], x->m.address + at, n) ||
            !tc_gpu_peek(g, b->chunk[1], x->m.address + at, n)) {
            return false;
        }
        if (memcmp(b->chunk[0], b->chunk[1], n) == 0) {
            continue;
        }
        count(b, &found, at, n);
        if (!tc_gpu_poke(g, x->m.address + at, b->chunk[0], n)) {
            return false;
        }
    }
    if (found.bytes > 0) {
        add_difference(b, &found);
    }
    return true;
}

static bool compare(both *b) {
    const tc_gpu_side *g = tc_gpu_side_of(b->gpu);
    bool ok = true;
    for (int i = 0; ok && i < g->nmemory; i++) {
        ok =
            has_functions(b, &g->memory[i]) || compare_memory(b, &g->memory[i]);
    }
    return ok;
}

/* Of floats, without a rounding: a product and a sum that takes it may become
 * one fma (PTX ISA 9.7.3.3 and 9.7.3.5), and ptxas does so. */
static bool fusible(const tc_ptx_op *op) {
    static const uint8_t floats[] = {TC_PT_F16,  TC_PT_F16X2,  TC_PT_F32,
                                     TC_PT_BF16, TC_PT_BF16X2, TC_PT_F64};
    uint32_t rounded = TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP;
    return (op->flags & rounded) == 0 &&
           memchr(floats, (int)op->type, sizeof floats) != NULL;
}

/* Whose results' last bits another machine may have otherwise: of the kernel,
 * or, where it calls, of any function. */
static bool approximate(const tc_ptx_module *m, const char *entry) {
    const tc_ptx_func *f = tc_ptx_find_entry(m, entry);
    bool calls = false, elsewhere = false, product = false, sum = false;
    for (uint32_t i = 0; i < m->ncode; i++) {
        const tc_ptx_op *op = &m->code[i];
        bool own = f != NULL && i >= f->begin && i < f->end;
        if (own && tc_ptx_approximate(op)) {
            return true;
        }
        calls |= own && op->opcode == TC_PTX_CALL;
        product |= own && op->opcode == TC_PTX_MUL && fusible(op);
        sum |= own && fusible(op) &&
               (op->opcode == TC_PTX_ADD || op->opcode == TC_PTX_SUB);
        elsewhere |= tc_ptx_approximate(op);
    }
    return (product && sum) || (calls && elsewhere);
}

/* --- launching -------------------------------------------------------------*/

/* The simulator has a reason not to let the GPU run it. */
static void not_asked(both *b, tc_device_launched *out) {
    snprintf(b->why, sizeof b->why, "%s%sthe GPU was not asked to run it",
             out->why != NULL ? out->why : "", out->why != NULL ? "; " : "");
    out->why = b->why;
}

static void failed(both *b, tc_device_launched *out) {
    const tc_gpu_side *g = tc_gpu_side_of(b->gpu);
    snprintf(b->why, sizeof b->why,
             "the simulator ran the kernel, and the GPU did not: %s", g->why);
    out->error = g->error ? g->error : g->last ? g->last : UNKNOWN;
    out->fault = g->error != 0;
    out->why = b->why;
    compare(b); /* the GPU, if it lives, goes on with the simulator's bytes */
    b->ndifferences = 0;
}

static void both_launch(tc_device *d, const tc_sim_launch *l,
                        tc_device_launched *out) {
    both *b = of(d);
    tc_gpu_side *g = tc_gpu_side_of(b->gpu);
    tc_device_launched gpu = {0};
    b->ndifferences = 0;
    bool put = tc_gpu_put_shared(g);
    tc_device_sim.launch(b->sim, l, out);
    bool ended = out->simulated && (out->sim.status == TC_RUN_OK ||
                                    out->sim.status == TC_RUN_FINDINGS);
    if (out->error != 0 || !ended) {
        not_asked(b, out);
        return;
    }
    if (put) {
        tc_gpu_run(g, l, &gpu);
        out->gpu_ms = gpu.gpu_ms;
    }
    if (!put || gpu.error != 0 || !compare(b)) {
        failed(b, out);
        return;
    }
    out->differences = b->differences;
    out->ndifferences = b->ndifferences;
    out->approximate =
        b->ndifferences > 0 && approximate(b->options.module->ptx, l->entry);
}

const tc_device_vtable tc_device_both = {
    .name = "both",
    .open = both_open,
    .close = both_close,
    .facts = both_facts,
    .range = both_range,
    .function = both_function,
    .symbol = both_symbol,
    .alloc = both_alloc,
    .free = both_free,
    .write = both_write,
    .read = both_read,
    .move = both_move,
    .set = both_set,
    .launch = both_launch,
    .occupancy = both_occupancy,
    .tensor_map = both_tensor_map,
    .time_ms = both_time_ms,
    .take_trace = both_take_trace,
    .sim = both_sim,
};
