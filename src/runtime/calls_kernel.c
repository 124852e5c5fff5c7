/* calls_kernel.c - kernels: their facts, limits and launches; textures; cuBLAS. */
#include "ptx/link.h"
#include "runtime/blas/blas.h"
#include "runtime/blas/small.h"
#include "runtime/serve.h"
#include <string.h>

static const tc_ptx_module *module(const tc_server *s) {
    return s->o->device.module->ptx;
}

const char *tc_serve_name(const tc_server *s, const tc_exchange *x) {
    const tc_device_module *m = s->o->device.module;
    return tc_ptx_linked_name(m->renamed, m->nrenamed, x->call.stream,
                              (const char *)x->payload);
}

/* The kernel of an id; NULL: there is none. */
static const tc_ptx_func *kernel_of(const tc_server *s, uint32_t id) {
    const tc_ptx_module *m = module(s);
    return id < (uint32_t)m->nfuncs && m->funcs[id].entry ? &m->funcs[id]
                                                          : NULL;
}

static tc_rt_function facts_of(tc_server *s, const tc_ptx_func *f) {
    tc_rt_function out = {.id = (uint32_t)(f - module(s)->funcs),
                          .nparams = (uint32_t)f->nparams,
                          .param_bytes = f->param_bytes};
    s->v->function(s->device, f, &out);
    return out;
}

int tc_call_FUNCTION(tc_server *s, tc_exchange *x) {
    const tc_ptx_func *f = tc_ptx_find_entry(module(s), tc_serve_name(s, x));
    if (!f) {
        return TC_CUDA_INVALID_DEVICE_FUNCTION;
    }
    tc_rt_function out = facts_of(s, f);
    if (sizeof out + out.nparams * sizeof(tc_rt_param) > TC_SMALL) {
        return TC_CUDA_NOT_SUPPORTED;
    }
    memcpy(x->answer, &out, sizeof out);
    x->bytes = sizeof out;
    for (int i = 0; i < f->nparams; i++) {
        tc_rt_param p = {f->params[i].offset, f->params[i].size};
        memcpy(x->answer + x->bytes, &p, sizeof p);
        x->bytes += sizeof p;
    }
    return TC_CUDA_SUCCESS;
}

/* cudaFuncSetAttribute. */
int tc_call_LIMIT(tc_server *s, tc_exchange *x) {
    tc_rt_limit l;
    memcpy(&l, x->payload, sizeof l);
    const tc_ptx_func *f = kernel_of(s, l.function);
    if (!f) {
        return TC_CUDA_INVALID_DEVICE_FUNCTION;
    }
    tc_kernel_limits *k = &s->limits[l.function];
    switch (l.attribute) {
    case TC_RT_MAX_DYNAMIC_SHARED:
        if (l.value < 0 ||
            (uint64_t)l.value + f->shared_bytes > s->facts.shared_optin) {
            return TC_CUDA_INVALID_VALUE;
        }
        k->dynamic_shared = (uint32_t)l.value;
        k->set = true;
        return TC_CUDA_SUCCESS;
    case TC_RT_NON_PORTABLE_CLUSTER:
        k->nonportable = l.value != 0;
        return TC_CUDA_SUCCESS;
    case TC_RT_PREFERRED_CARVEOUT: /* a hint */
        return l.value >= -1 && l.value <= 100 ? TC_CUDA_SUCCESS
                                               : TC_CUDA_INVALID_VALUE;
    default:
        return TC_CUDA_INVALID_VALUE;
    }
}

int tc_call_OCCUPANCY(tc_server *s, tc_exchange *x) {
    tc_rt_occupancy o;
    memcpy(&o, x->payload, sizeof o);
    const tc_ptx_func *f = kernel_of(s, o.function);
    if (!f) {
        return TC_CUDA_INVALID_DEVICE_FUNCTION;
    }
    if (o.block == 0 || o.cluster > 16) {
        return TC_CUDA_INVALID_VALUE;
    }
    o.ctas = 0; /* of what no launch could have */
    if (o.block <= (uint32_t)s->facts.threads_cta &&
        o.dynamic_shared <= s->limits[o.function].dynamic_shared) {
        o.ctas =
            s->v->occupancy(s->device, f, o.block, o.dynamic_shared, o.cluster);
    }
    memcpy(x->answer, &o, sizeof o);
    x->bytes = sizeof o;
    return TC_CUDA_SUCCESS;
}

int tc_call_TENSOR_MAP(tc_server *s, tc_exchange *x) {
    tc_rt_tensor_map t;
    memcpy(&t, x->payload, sizeof t);
    if (!s->v->tensor_map(s->device, &t, x->answer)) {
        return TC_CUDA_INVALID_VALUE;
    }
    x->bytes = 128;
    return TC_CUDA_SUCCESS;
}

/* ---- textures ---- */

static bool is_texture(const tc_rt_texture *t) {
    const uint64_t most = UINT64_C(1) << 31;
    bool ok = t->shape <= TC_RT_TEXTURE_CUBE_LAYERED && t->format <= 2 &&
              (t->channels == 1 || t->channels == 2 || t->channels == 4) &&
              (t->bits == 8 || t->bits == 16 || t->bits == 32) &&
              t->nlevels >= 1 && t->nlevels <= TC_RT_TEXTURE_LEVELS &&
              t->width - 1 < most && t->height - 1 < most &&
              t->depth - 1 < most && t->layers - 1 < most;
    for (int i = 0; i < 3; i++) {
        ok = ok && t->mode[i] <= 3;
    }
    return ok;
}

int tc_call_TEXTURE(tc_server *s, tc_exchange *x) {
    tc_rt_texture t;
    memcpy(&t, x->payload, sizeof t);
    if (!s->v->texture) {
        return TC_CUDA_NOT_SUPPORTED;
    }
    if (!is_texture(&t)) {
        return TC_CUDA_INVALID_VALUE;
    }
    tc_rt_texture_handle h = {.handle = s->v->texture(s->device, &t),
                              .surface = t.surface};
    if (!h.handle) {
        return TC_CUDA_MEMORY_ALLOCATION;
    }
    memcpy(x->answer, &h, sizeof h);
    x->bytes = sizeof h;
    return TC_CUDA_SUCCESS;
}

int tc_call_DROP_TEXTURE(tc_server *s, tc_exchange *x) {
    tc_rt_texture_handle h;
    memcpy(&h, x->payload, sizeof h);
    return s->v->drop_texture && s->v->drop_texture(s->device, &h)
               ? TC_CUDA_SUCCESS
               : TC_CUDA_INVALID_VALUE;
}

/* ---- launches ---- */

static void tell(tc_server *s, void (*fn)(void *, const tc_program_launch *),
                 const tc_ptx_func *f, const tc_sim_launch *l,
                 const tc_device_launched *done, uint64_t where) {
    tc_program_launch p = {.kernel = f,
                           .launch = l,
                           .result = done,
                           .where = where,
                           .known = s->memory,
                           .backend = s->v,
                           .device = s->device};
    p.memory = tc_memory_list(s->memory, &p.nmemory);
    if (fn) {
        fn(s->o->user, &p);
    }
}

/* What a kernel's end means for the program. */
static void settle(tc_server *s, const tc_device_launched *done) {
    tc_run_status status = done->simulated ? done->sim.status : TC_RUN_OK;
    s->out->wall_ns += done->simulated ? done->sim.wall_ns : 0;
    if (done->fault) {
        s->sticky = done->error;
    }
    if (status == TC_RUN_DEADLOCK) {
        tc_serve_end(s, TC_PROGRAM_STOPPED,
                     "a kernel can never end: its threads wait for what nobody "
                     "will do");
    } else if (*tc_watch_flag(s->watch)) {
        tc_process_stop why = tc_process_check(&s->process, true);
        if (why == TC_PROCESS_LIMIT) {
            tc_serve_limited(s, "a kernel");
        } else if (why == TC_PROCESS_CANCELLED) {
            tc_serve_end(s, TC_PROGRAM_CANCELLED, "a kernel was interrupted");
        } else {
            s->over = true; /* the program has ended */
        }
    }
}

static int launch(tc_server *s, const tc_ptx_func *f, const tc_sim_launch *l,
                  const tc_exchange *x) {
    uint64_t where = x->call.where;
    tc_device_launched done = {0};
    tell(s, s->o->launching, f, l, NULL, where);
    tc_serve_begin(s, x, TC_STREAM_KERNEL);
    tc_watch_on(s->watch, true);
    s->v->launch(s->device, l, &done);
    tc_watch_on(s->watch, false);
    s->out->launches++;
    s->launched_at = where;
    tc_task_launched(s, &done);
    tell(s, s->o->launched, f, l, &done, where);
    settle(s, &done);
    return done.fault ? TC_CUDA_SUCCESS : done.error;
}

/* All CTAs of a cooperative launch are resident at once. */
static int cooperative_error(tc_server *s, const tc_ptx_func *f,
                             const tc_sim_launch *l) {
    uint64_t cluster = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t c = l->cluster[0] ? l->cluster[i] : f->reqcluster[i];
        cluster *= c ? c : 1;
    }
    uint64_t held =
        s->v->occupancy(s->device, f, l->block[0] * l->block[1] * l->block[2],
                        l->dynamic_shared, (uint32_t)cluster);
    uint64_t most =
        held * (cluster > 1 ? cluster : (uint64_t)s->facts.multiprocessors);
    uint64_t n = (uint64_t)l->grid[0] * l->grid[1];
    return n > most || n * l->grid[2] > most ? TC_CUDA_COOPERATIVE_TOO_LARGE
                                             : TC_CUDA_SUCCESS;
}

int tc_call_LAUNCH(tc_server *s, tc_exchange *x) {
    tc_rt_launch r;
    memcpy(&r, x->payload, sizeof r);
    const tc_ptx_func *f = kernel_of(s, r.function);
    if (!f) {
        return TC_CUDA_INVALID_DEVICE_FUNCTION;
    }
    if (r.nparams != x->call.bytes - sizeof r || r.nparams != f->param_bytes) {
        return TC_CUDA_INVALID_VALUE;
    }
    const tc_kernel_limits *k = &s->limits[r.function];
    tc_rt_function facts = facts_of(s, f);
    tc_sim_launch l = {.entry = f->name,
                       .dynamic_shared = r.dynamic_shared,
                       .dynamic_limit = k->set ? k->dynamic_shared : 0,
                       .nonportable_cluster = k->nonportable,
                       .registers = facts.registers,
                       .cooperative = (r.flags & TC_RT_COOPERATIVE) != 0,
                       .params = x->payload + sizeof r,
                       .nparams = r.nparams,
                       .touched = tc_serve_touched(s),
                       .touched_user = s};
    if (s->o->task) { /* who waits for the whole grid needs all of it */
        l.sample = l.cooperative ? 0 : s->o->task->sample;
        l.budget = s->o->task->budget;
    }
    tc_sim_range results[TC_TASK_VALUES];
    l.results = results;
    l.nresults = tc_task_results(s, results);
    memcpy(l.grid, r.grid, sizeof l.grid);
    memcpy(l.block, r.block, sizeof l.block);
    memcpy(l.cluster, r.cluster, sizeof l.cluster);
    char why[TC_REFUSAL] = "";
    int refused = tc_task_launches(s, x->call.where);
    if (refused) {
        return refused;
    }
    int error = tc_launch_error(&s->facts, f, &facts, &l, k, why);
    if (error) { /* who looks at it does so after the next, at the latest */
        s->refused_at[1] = s->refused_at[0];
        memcpy(s->refusal[1], s->refusal[0], TC_REFUSAL);
        s->refused_at[0] = x->call.where;
        memcpy(s->refusal[0], why, TC_REFUSAL);
    }
    if (!error && l.cooperative) {
        error = cooperative_error(s, f, &l);
    }
    return error ? error : launch(s, f, &l, x);
}

/* ---- cuBLAS ---- */

/* The operand's memory, all of it in one allocation; false: it is not. */
static bool operand_of(tc_server *s, tc_rt_blas *q, int i, uint8_t **memory) {
    const tc_rt_blas_operand *o = &q->x[i];
    uint64_t bytes, more;
    *memory = NULL;
    if (!tc_blas_extent(q, i, &bytes)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    uint64_t each = tc_small_bytes(o->type);
    bool ok = o->stride >= 0 && o->address % each == 0 &&
              !__builtin_mul_overflow((uint64_t)o->stride,
                                      (q->batch - 1) * each, &more) &&
              !__builtin_add_overflow(bytes, more, &bytes);
    if (!ok || !tc_memory_within(s->memory, o->address, bytes)) {
        return false;
    }
    *memory =
        s->v->bytes ? s->v->bytes(s->device, o->address, bytes, false) : NULL;
    tc_serve_touch(s, &(tc_serve_rows){o->address, bytes, bytes, bytes, 1, 1},
                   tc_blas_writes(q, i));
    return *memory != NULL;
}

static void compute(tc_server *s, tc_rt_blas *q, uint8_t *const memory[3]) {
    const atomic_int *halt = tc_watch_flag(s->watch);
    tc_watch_on(s->watch, true);
    for (uint32_t b = 0; b < q->batch && !*halt; b++) {
        uint8_t *at[3];
        for (int i = 0; i < 3; i++) {
            uint64_t step = (uint64_t)q->x[i].stride * b;
            at[i] = memory[i] ? memory[i] + step * tc_small_bytes(q->x[i].type)
                              : NULL;
        }
        tc_blas_run(q, at, halt);
    }
    tc_watch_on(s->watch, false);
    if (s->v->copied) { /* the time is that of moving the operands */
        uint64_t all = 0, one = 0;
        for (int i = 0; i < 3 && tc_blas_extent(q, i, &one); i++) {
            all += one * q->batch;
        }
        s->v->copied(s->device, TC_COPY_DEVICE, all);
    }
    settle(s, &(tc_device_launched){0});
}

int tc_call_BLAS(tc_server *s, tc_exchange *x) {
    tc_rt_blas q;
    uint8_t *memory[3];
    memcpy(&q, x->payload, sizeof q);
    if (!s->v->bytes || s->o->task || !tc_blas_there()) {
        return TC_CUDA_NOT_SUPPORTED;
    }
    if (q.what >= TC_RT_BLAS_COUNT || q.batch == 0) {
        return TC_CUDA_INVALID_VALUE;
    }
    tc_serve_begin(s, x, TC_STREAM_KERNEL);
    q.wrong = 0;
    for (int i = 0; i < 3; i++) {
        q.wrong |= operand_of(s, &q, i, &memory[i]) ? 0 : 1u << i;
    }
    if (!q.wrong) {
        compute(s, &q, memory);
    }
    memcpy(x->answer, &q, sizeof q);
    x->bytes = sizeof q;
    return TC_CUDA_SUCCESS;
}
