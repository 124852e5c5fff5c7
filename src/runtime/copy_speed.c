/* copy_speed.c - how fast the device copies: what a call's speed is compared with
 * (call_task.h). A kernel of ours, on a device of its own, before the program
 * begins: nothing that the program does changes what it takes. */
#include "runtime/serve.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256, TIMES = 5 /* and one to warm up */ };

/* A float4 each thread: of params to, from, and how many. */
static const char text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry copy(.param .u64 to, .param .u64 from, .param .u64 n)\n"
    "{\n"
    "  .reg .pred %p;\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %d<8>;\n"
    "  .reg .f32 %f<4>;\n"
    "  mov.u32 %r0, %ctaid.x;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %d0, %r0, 256;\n"
    "  cvt.u64.u32 %d1, %r1;\n"
    "  add.u64 %d0, %d0, %d1;\n"
    "  ld.param.u64 %d2, [n];\n"
    "  setp.ge.u64 %p, %d0, %d2;\n"
    "  @%p bra DONE;\n"
    "  ld.param.u64 %d3, [from];\n"
    "  ld.param.u64 %d4, [to];\n"
    "  cvta.to.global.u64 %d3, %d3;\n"
    "  cvta.to.global.u64 %d4, %d4;\n"
    "  shl.b64 %d5, %d0, 4;\n"
    "  add.u64 %d6, %d3, %d5;\n"
    "  add.u64 %d7, %d4, %d5;\n"
    "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d6];\n"
    "  st.global.v4.f32 [%d7], {%f0, %f1, %f2, %f3};\n"
    "DONE:\n"
    "  ret;\n"
    "}\n";

/* A device with two pieces of memory, while it copies. */
typedef struct copying {
    const tc_device_vtable *v;
    tc_device *d;
    uint64_t address[2];
    tc_task_copy *c;
} copying;

static bool make(copying *x, uint64_t bytes) {
    uint64_t size = TC_RT_DEVICE_SIZE - TC_DEVICE_OWN;
    uint64_t at = TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
    if (x->v->range && size) {
        uint64_t n = 0, first = x->v->range(x->d, &n);
        at = n ? first : at;
    }
    uint64_t step = (bytes / TC_DEVICE_PAGE + 2) * TC_DEVICE_PAGE;
    for (int i = 0; i < 2; i++) {
        tc_device_memory m = {.address = at + (uint64_t)i * step,
                              .bytes = bytes,
                              .kind = TC_RT_DEVICE,
                              .name = "copy"};
        if (!x->v->alloc(x->d, &m)) {
            return false;
        }
        x->address[i] = m.address;
    }
    return true;
}

static bool once(copying *x, uint64_t bytes) {
    uint64_t n = bytes / 16, blocks = (n + THREADS - 1) / THREADS;
    uint64_t params[3] = {x->address[0], x->address[1], n};
    tc_sim_launch l = {.entry = "copy",
                       .grid = {(uint32_t)blocks, 1, 1},
                       .block = {THREADS, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_device_launched out;
    x->v->launch(x->d, &l, &out);
    x->c->cycles = out.simulated ? out.sim.cycles : 0;
    x->c->ms = out.gpu_ms;
    return out.error == 0;
}

/* A GPU does it several times: the middle one of those after the first. */
static bool several(copying *x, uint64_t bytes) {
    double ms[TIMES];
    bool ok = once(x, bytes);
    for (int n = 0; ok && x->c->ms > 0 && n < TIMES; n++) {
        ok = once(x, bytes);
        int at = n;
        for (; at > 0 && ms[at - 1] > x->c->ms; at--) {
            ms[at] = ms[at - 1];
        }
        ms[at] = x->c->ms;
        x->c->ms = n == TIMES - 1 ? ms[TIMES / 2] : x->c->ms;
    }
    return ok;
}

static void copy(copying *x, const char **why) {
    uint64_t bytes = (x->c->bytes / 2 + 15) / 16 * 16;
    bool there = make(x, bytes);
    *why = there ? NULL : "there is no memory to copy";
    if (there && !several(x, bytes)) {
        *why = "the copy has failed";
    }
    for (int i = 0; i < 2; i++) {
        if (x->address[i]) {
            x->v->free(x->d, x->address[i]);
        }
    }
}

bool tc_task_measure_copy(const tc_program_options *o, char *why, size_t size) {
    tc_arena *a = tc_arena_new();
    tc_source source = {"copy.ptx", text, sizeof text - 1, 1};
    tc_diags quiet = {0};
    tc_device_module m = {.ptx = tc_ptx_parse(a, &source, &quiet),
                          .ptx_text = text};
    tc_device_options d = o->device;
    d.module = &m;
    d.sim.hazards = d.sim.trace = false;
    copying x = {.v = o->backend, .c = &o->task->copy};
    const char *failed = "the copy's text";
    x.d = m.ptx ? x.v->open(&d, why, size) : NULL;
    if (x.d != NULL) {
        copy(&x, &failed);
        x.v->close(x.d);
        snprintf(why, size, "%s", failed ? failed : "");
    }
    tc_arena_free(a);
    return x.d != NULL && failed == NULL;
}
