/* stamped.c - runs rewritten PTX on a device and reads its stamps. */
#include "commands/time/stamped.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 2, MOST_BUFFERS = 64 };

typedef struct launch {
    tc_arena *arena;
    const tc_last_run *run;
    const tc_stamped *stamped;
    const tc_device_vtable *v;
    const tc_device_options *o;
    tc_device *d;
    uint64_t next, buffers[MOST_BUFFERS], stamps;
    int nbuffers;
    uint8_t *params;
    tc_gpu_complaint why;
} launch;

static bool fail(launch *l, const char *what) {
    snprintf(l->why.why, l->why.size, "%s", what);
    return false;
}

/* --- memory ----------------------------------------------------------------*/

static uint64_t take(launch *l, uint64_t bytes) {
    tc_device_memory m = {.address = l->next,
                          .bytes = bytes,
                          .kind = TC_RT_DEVICE,
                          .name = "buffer"};
    if (l->nbuffers == MOST_BUFFERS || !l->v->alloc(l->d, &m)) {
        fail(l, "the device has no memory for the buffers");
        return 0;
    }
    l->next += (bytes / TC_DEVICE_PAGE + 2) * TC_DEVICE_PAGE;
    l->buffers[l->nbuffers++] = m.address;
    return m.address;
}

static bool fill(launch *l, int i) {
    const tc_run_buffer *b = &l->run->buffers[i];
    uint8_t *data = tc_xcalloc(b->bytes, 1);
    tc_run_fill(b, i, 0, data);
    bool ok = l->v->write(l->d, l->buffers[i], data, b->bytes);
    free(data);
    return ok || fail(l, "a buffer could not be filled");
}

static uint64_t stamps_bytes(void) {
    return sizeof(tc_stamp) * TC_STAMPS * TC_STAMP_WARPS;
}

static bool make_memory(launch *l) {
    for (int i = 0; i < l->run->nbuffers; i++) {
        if (take(l, l->run->buffers[i].bytes) == 0) {
            return false;
        }
    }
    l->stamps = take(l, stamps_bytes());
    return l->stamps != 0;
}

/* A tensor map of the device's own, of the buffer as it lies there. */
static bool put_map(launch *l, const tc_run_arg *p) {
    const tc_sim_tensor_map *m = p->map;
    tc_rt_tensor_map t = {.address = l->buffers[p->buffer],
                          .type = (int32_t)m->type,
                          .rank = (int32_t)m->rank,
                          .interleave = (int32_t)m->interleave,
                          .swizzle = (int32_t)m->swizzle,
                          .l2_promotion = (int32_t)m->l2_promotion,
                          .oob_fill = (int32_t)m->oob_fill};
    memcpy(t.dims, m->dims, sizeof t.dims);
    memcpy(t.strides, m->strides, sizeof t.strides);
    memcpy(t.box, m->box, sizeof t.box);
    memcpy(t.element_strides, m->element_strides, sizeof t.element_strides);
    return l->v->tensor_map(l->d, &t, l->params + p->offset) ||
           fail(l, "the device refuses one of the tensor maps");
}

static bool make_params(launch *l) {
    l->params = tc_alloc(l->arena, l->stamped->param + 8);
    memset(l->params, 0, l->stamped->param + 8);
    for (int i = 0; i < l->run->nargs; i++) {
        const tc_run_arg *p = &l->run->args[i];
        if (p->map != NULL) {
            if (!put_map(l, p)) {
                return false;
            }
            continue;
        }
        const void *from =
            p->buffer >= 0 ? (const void *)&l->buffers[p->buffer] : p->value;
        memcpy(l->params + p->offset, from, p->size);
    }
    memcpy(l->params + l->stamped->param, &l->stamps, sizeof l->stamps);
    return true;
}

/* --- launching -------------------------------------------------------------*/

static bool launch_once(launch *l) {
    const tc_last_run *run = l->run;
    tc_device_launched done;
    tc_sim_launch k = {.entry = run->entry,
                       .dynamic_shared = run->dynamic_shared,
                       .registers = run->registers,
                       .params = l->params,
                       .nparams = l->stamped->param + 8};
    memcpy(k.grid, run->grid, sizeof k.grid);
    memcpy(k.block, run->block, sizeof k.block);
    if (run->cluster[0] * run->cluster[1] * run->cluster[2] > 1) {
        memcpy(k.cluster, run->cluster, sizeof k.cluster);
    }
    for (int i = 0; i < run->nbuffers; i++) {
        if (!fill(l, i)) {
            return false;
        }
    }
    if (!l->v->set(l->d, l->stamps, 0, stamps_bytes())) {
        return fail(l, "the stamps could not be cleared");
    }
    l->v->launch(l->d, &k, &done);
    return done.error == 0 ||
           fail(l, done.why != NULL ? done.why : "the launch failed");
}

/* What the kernel left, against the run's own. */
static bool same_results(launch *l) {
    bool same = true;
    for (int i = 0; i < l->run->nbuffers; i++) {
        const tc_run_buffer *b = &l->run->buffers[i];
        uint8_t *data = tc_xcalloc(b->bytes, 1);
        same &= l->v->read(l->d, data, l->buffers[i], b->bytes) &&
                (b->after == NULL || memcmp(data, b->after, b->bytes) == 0);
        free(data);
    }
    return same;
}

/* --- from stamps to steps --------------------------------------------------*/

/* A wait that was asked for again: the first asking, the last answer. */
static bool goes_on(const tc_stamped_warp *w, const tc_stamp_place *place) {
    return w->n > 0 && place->waits && w->steps[w->n - 1].place == place &&
           strstr(tc_ptx_ops[place->op->opcode].name, "wait") != NULL &&
           tc_ptx_effect_of(place->op) == TC_PTX_EFFECT_MBARRIER;
}

static void add_stamp(tc_stamped_warp *w, const tc_stamped *stamped,
                      const tc_stamp *s, int64_t at) {
    uint64_t i = s->place / TC_STAMP_FIRST;
    if (i == 0 || i > (uint64_t)stamped->nplaces) {
        return;
    }
    const tc_stamp_place *place = &stamped->places[i];
    bool behind = s->place % TC_STAMP_FIRST == 1;
    if (behind && w->n > 0) {
        w->steps[w->n - 1].after = at;
    } else if (!goes_on(w, place)) {
        w->steps[w->n++] = (tc_stamped_step){place, at, at};
    }
}

static int64_t least(uint64_t a, uint64_t b) {
    return (int64_t)(a < b ? a : b);
}

static void read_warp(launch *l, const tc_stamp *s, int warp,
                      tc_stamped_run *out) {
    if (s[0].place != 1 || s[2].place != 3) {
        return; /* it was not chosen, or there is none */
    }
    tc_stamped_warp *w = &out->warps[out->n++];
    *w = (tc_stamped_warp){
        .warp = warp,
        .overhead = least(s[1].clock - s[0].clock, s[2].clock - s[1].clock)};
    w->steps = TC_NEWN(l->arena, tc_stamped_step, TC_STAMPS);
    int n = 3;
    while (n < TC_STAMPS && s[n].place != 0) {
        int64_t at = (int64_t)(s[n].clock - s[2].clock);
        add_stamp(w, l->stamped, &s[n], at - w->overhead * (n - 2));
        n++;
    }
    w->full = n >= TC_STAMPS - 1;
}

static bool read_stamps(launch *l, tc_stamped_run *out) {
    tc_stamp *all = tc_xcalloc(TC_STAMP_WARPS, TC_STAMPS * sizeof *all);
    bool ok = l->v->read(l->d, all, l->stamps, stamps_bytes());
    out->warps = TC_NEWN(l->arena, tc_stamped_warp, TC_STAMP_WARPS);
    for (int i = 0; ok && i < TC_STAMP_WARPS; i++) {
        read_warp(l, all + i * TC_STAMPS, i, out);
    }
    free(all);
    return ok || fail(l, "the stamps could not be read");
}

static bool measure(launch *l, tc_stamped_run *out) {
    uint64_t bytes = 0;
    l->next = l->v->range != NULL ? l->v->range(l->d, &bytes) : 0;
    if (bytes == 0) {
        l->next = TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
    }
    bool ok = make_memory(l) && make_params(l);
    for (int i = 0; ok && i < LAUNCHES; i++) {
        ok = launch_once(l);
    }
    out->same = ok && same_results(l);
    return ok && read_stamps(l, out);
}

bool tc_stamped_measure(tc_arena *a, const tc_last_run *run,
                        const tc_stamped *stamped, const tc_device_vtable *v,
                        const tc_device_options *o, tc_stamped_run *out,
                        tc_gpu_complaint why) {
    launch l = {
        .arena = a, .run = run, .stamped = stamped, .v = v, .o = o, .why = why};
    *out = (tc_stamped_run){0};
    l.d = v->open(o, why.why, why.size);
    if (l.d == NULL) {
        return false;
    }
    bool ok = measure(&l, out);
    v->close(l.d);
    return ok;
}

const tc_stamped_step *tc_stamped_find(const tc_stamped_warp *w,
                                       const tc_stamp_place *place, int n) {
    for (int i = 0; i < w->n; i++) {
        if (w->steps[i].place == place && n-- == 0) {
            return &w->steps[i];
        }
    }
    return NULL;
}
