/* bench.c - one launch after another on a device, and the span of their
 * stamps. */
#include "calibrate/launches.h"
#include "run/launch_arg.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_BUFFERS = 16,
    MOST_SMS = 1024,
    WORDS = 3,
    FILLED = 64 << 20 /* bytes: larger buffers are zero */
};

struct tc_bench {
    const tc_device_vtable *v;
    const tc_device_options *o;
    tc_device *device;
    uint64_t first; /* address */
};

/* A launch that is being made. */
typedef struct made {
    tc_bench *b;
    const tc_launch_line *line;
    const tc_ptx_func *f;
    uint8_t *params;
    uint64_t buffers[MOST_BUFFERS], next, stamps, nwarps;
    int nbuffers, nfilled;
    tc_gpu_complaint why;
} made;

static bool fail(const made *m, const char *what, const char *which) {
    snprintf(m->why.why, m->why.size, "%s: %s%s%s", m->line->name, what,
             *which ? ": " : "", which);
    return false;
}

tc_bench *tc_bench_open(const tc_device_vtable *v, const tc_device_options *o,
                        tc_gpu_complaint why) {
    uint64_t bytes = 0;
    tc_device *d = v->open(o, why.why, why.size);
    if (d == NULL) {
        return NULL;
    }
    tc_bench *b = tc_xcalloc(1, sizeof *b);
    *b = (tc_bench){.v = v, .o = o, .device = d};
    b->first = v->range != NULL ? v->range(d, &bytes) : 0;
    if (bytes == 0) {
        b->first = TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
    }
    return b;
}

void tc_bench_close(tc_bench *b) {
    if (b != NULL) {
        b->v->close(b->device);
        free(b);
    }
}

void tc_bench_facts(tc_bench *b, tc_rt_device *out) {
    b->v->facts(b->device, out);
}

/* --- buffers and parameters ------------------------------------------------*/

static uint64_t take(made *m, uint64_t bytes) {
    tc_device_memory x = {.address = m->next,
                          .bytes = bytes,
                          .kind = TC_RT_DEVICE,
                          .name = "buffer"};
    if (m->nbuffers == MOST_BUFFERS || !m->b->v->alloc(m->b->device, &x)) {
        fail(m, "no memory for a buffer", "");
        return 0;
    }
    m->buffers[m->nbuffers++] = x.address;
    m->next += (bytes / TC_DEVICE_PAGE + 2) * TC_DEVICE_PAGE;
    return x.address;
}

static bool put_buffer(made *m, const tc_arg_value *v, uint8_t *param) {
    uint64_t bytes = (uint64_t)tc_dtype_bytes(v->type);
    for (int i = 0; i < v->rank; i++) {
        bytes *= (uint64_t)v->shape[i];
    }
    if (bytes == 0 || bytes > UINT64_C(1) << 34) {
        return fail(m, "a buffer of no bytes, or of too many", "");
    }
    uint64_t at = take(m, bytes);
    if (at == 0) {
        return false;
    }
    memcpy(param, &at, sizeof at);
    if (bytes > FILLED) {
        return m->b->v->set(m->b->device, at, 0, bytes) ||
               fail(m, "a buffer could not be cleared", "");
    }
    uint8_t *data = tc_xcalloc(bytes, 1);
    tc_fill_buffer(data, bytes, v->type, m->nfilled++, 0);
    bool ok = m->b->v->write(m->b->device, at, data, bytes);
    free(data);
    return ok || fail(m, "a buffer could not be filled", "");
}

static bool put_arg(made *m, tc_arena *a, int i) {
    const tc_ptx_param *p = &m->f->params[i];
    const char *type = tc_ptx_type_names[p->type], *word = m->line->args[i];
    uint8_t *param = m->params + p->offset;
    tc_arg_value v;
    tc_arg_refusal no;
    type += *type == '.';
    tc_arg_class c = type[0] == 'f'   ? TC_TAKES_FLOAT
                     : type[0] == 'b' ? TC_TAKES_BITS
                                      : TC_TAKES_INT;
    if (!tc_arg_read(a, word, &v, &no)) {
        return fail(m, no.message, word);
    }
    if (v.kind == TC_ARG_BUFFER) {
        return p->size == 8 ? put_buffer(m, &v, param)
                            : fail(m, "no parameter for a buffer", word);
    }
    uint8_t value[8];
    if (p->size > 8 || !tc_arg_bits(a, &v, c, (uint32_t)p->size, value, &no)) {
        return fail(m, "it does not fit its parameter", word);
    }
    memcpy(param, value, p->size);
    return true;
}

static uint64_t product(const uint32_t n[3]) {
    return (uint64_t)n[0] * n[1] * n[2];
}

static bool put_args(made *m, tc_arena *a) {
    const tc_launch_line *l = m->line;
    if (m->f->nparams != l->nargs + 1) {
        return fail(m, "the kernel takes another number of arguments", "");
    }
    for (int i = 0; i < l->nargs; i++) {
        if (!put_arg(m, a, i)) {
            return false;
        }
    }
    m->nwarps = product(l->grid) * ((product(l->block) + 31) / 32);
    m->stamps = take(m, m->nwarps * WORDS * sizeof(uint64_t));
    if (m->stamps == 0) {
        return false;
    }
    memcpy(m->params + m->f->params[l->nargs].offset, &m->stamps,
           sizeof m->stamps);
    return true;
}

static void give_back(made *m) {
    for (int i = 0; i < m->nbuffers; i++) {
        m->b->v->free(m->b->device, m->buffers[i]);
    }
}

/* --- launching -------------------------------------------------------------*/

static bool launch(made *m) {
    tc_device_launched done;
    tc_sim_launch l = {.entry = m->line->kernel,
                       .dynamic_shared = m->line->smem,
                       .params = m->params,
                       .nparams = m->f->param_bytes};
    memcpy(l.grid, m->line->grid, sizeof l.grid);
    memcpy(l.block, m->line->block, sizeof l.block);
    m->b->v->launch(m->b->device, &l, &done);
    return done.error == 0 ||
           fail(m, "the launch failed", done.why != NULL ? done.why : "");
}

/* Of each SM the last end less the first begin, of all SMs the most. */
static uint64_t longest(const uint64_t *stamps, uint64_t nwarps) {
    static const uint64_t none = UINT64_MAX;
    uint64_t most = 0, *begin = tc_xcalloc(MOST_SMS, 2 * sizeof *begin);
    uint64_t *end = begin + MOST_SMS;
    memset(begin, 0xff, MOST_SMS * sizeof *begin);
    for (uint64_t i = 0; i < nwarps; i++) {
        const uint64_t *s = stamps + WORDS * i;
        if (s[0] < MOST_SMS) {
            begin[s[0]] = s[1] < begin[s[0]] ? s[1] : begin[s[0]];
            end[s[0]] = s[2] > end[s[0]] ? s[2] : end[s[0]];
        }
    }
    for (int i = 0; i < MOST_SMS; i++) {
        if (begin[i] != none && end[i] - begin[i] > most) {
            most = end[i] - begin[i];
        }
    }
    free(begin);
    return most;
}

static bool read_stamps(made *m, uint64_t *cycles) {
    uint64_t bytes = m->nwarps * WORDS * sizeof(uint64_t);
    uint64_t *stamps = tc_xcalloc(bytes, 1);
    bool ok = m->b->v->read(m->b->device, stamps, m->stamps, bytes);
    *cycles = longest(stamps, m->nwarps);
    free(stamps);
    return ok || fail(m, "the stamps could not be read", "");
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool launch_all(made *m, int repeats, tc_measured *out) {
    double since = now_ms();
    *out = (tc_measured){0};
    while (out->n < repeats && out->n < TC_REPEATS) {
        if (!launch(m) || !read_stamps(m, &out->cycles[out->n])) {
            return false;
        }
        out->n++;
    }
    out->wall_ms = now_ms() - since;
    return true;
}

/* Makes what the launch needs. Frees nothing: give_back does. */
static bool prepare(made *m, tc_arena *a) {
    m->f = tc_ptx_find_entry(m->b->o->module->ptx, m->line->kernel);
    if (m->f == NULL) {
        return fail(m, "there is no kernel", m->line->kernel);
    }
    m->params = tc_alloc(a, m->f->param_bytes + 8);
    return put_args(m, a);
}

bool tc_bench_measure(tc_bench *b, const tc_launch_line *l, int repeats,
                      tc_measured *out, tc_gpu_complaint why) {
    tc_arena *a = tc_arena_new();
    made m = {.b = b, .line = l, .next = b->first, .why = why};
    bool ok = prepare(&m, a) && launch_all(&m, repeats, out);
    give_back(&m);
    tc_arena_free(a);
    return ok;
}

bool tc_bench_read(tc_bench *b, const tc_launch_line *l, uint64_t *out,
                   size_t words, tc_gpu_complaint why) {
    tc_arena *a = tc_arena_new();
    made m = {.b = b, .line = l, .next = b->first, .why = why};
    bool ok = prepare(&m, a) && launch(&m);
    size_t most = (size_t)m.nwarps * WORDS;
    ok = ok && b->v->read(b->device, out, m.stamps,
                          (words < most ? words : most) * sizeof *out);
    give_back(&m);
    tc_arena_free(a);
    return ok;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t tc_measured_warm(const tc_measured *m) {
    uint64_t v[TC_REPEATS];
    if (m->n < 2) {
        return m->cycles[0];
    }
    memcpy(v, m->cycles + 1, (size_t)(m->n - 1) * sizeof *v);
    qsort(v, (size_t)(m->n - 1), sizeof *v, by_size);
    return v[(m->n - 1) / 2];
}
