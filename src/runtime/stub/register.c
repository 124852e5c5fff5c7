/* register.c - what the compiler's start-up code tells the runtime: kernels and
 * variables, by the addresses that the program has for them. The PTX itself is
 * the parent's. The entry points are those of crt/host_runtime.h. */
#include "runtime/stub/stub.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAGIC = 0x466243b1 }; /* fatbinary_section.h */

/* What the compiler gives. */
typedef struct wrapper {
    int magic, version; /* 2: of relocatable code, which shares its names */
    const uint8_t *data;
    void *others;
} wrapper;

/* The number of bytes at data: a header and what it says. */
static size_t length_of(const uint8_t *data) {
    uint16_t header;
    uint64_t bytes;
    memcpy(&header, data + 6, sizeof header);
    memcpy(&bytes, data + 8, sizeof bytes);
    return header + (size_t)bytes;
}

/* Which source it is, once for all that ask: tc_rt_call.stream. */
static uint32_t source_of(tc_stub_module *m) {
    const wrapper *w = m != NULL ? m->fatbin : NULL;
    if (m != NULL && m->id == 0 && w != NULL && w->magic == MAGIC &&
        w->version == 1) {
        uint32_t h = 2166136261u; /* FNV-1a */
        size_t n = length_of(w->data);
        for (size_t i = 0; i < n; i++) {
            h = (h ^ w->data[i]) * 16777619u;
        }
        m->id = h != 0 ? h : 1;
    }
    return m != NULL ? m->id : 0;
}

TC_API void **__cudaRegisterFatBinary(void *fatCubin) {
    static tc_stub_module none;
    tc_stub_module *m = calloc(1, sizeof *m);
    m = m != NULL ? m : &none;
    m->fatbin = fatCubin;
    return (void **)(void *)m;
}

/* What relocatable code registers itself with: the linker gives it to each
 * source under a name of its own (crt/link.stub, DEFINE_REGISTER_FUNC). */
void tc_stub_register_linked(void (*callback)(void **), void *fatbin, void *id,
                             void (*refer)(void *));
__attribute__((visibility("default"))) void
tc_stub_register_linked(void (*callback)(void **), void *fatbin, void *id,
                        void (*refer)(void *)) {
    static void *mark;
    (void)fatbin, (void)id;
    refer(&mark);
    callback(__cudaRegisterFatBinary(NULL));
}

TC_API void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

TC_API void __cudaUnregisterFatBinary(void **handle) {
    (void)handle;
}

TC_API void __cudaRegisterFunction(void **handle, const char *hostFun,
                                   char *deviceFun, const char *deviceName,
                                   int thread_limit, uint3 *tid, uint3 *bid,
                                   dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid;
    (void)bDim, (void)gDim, (void)wSize;
    tc_stub_function *f = calloc(1, sizeof *f);
    if (f != NULL) {
        f->host = hostFun;
        f->name = deviceName;
        f->module = (tc_stub_module *)(void *)handle;
        f->dynamic_shared = f->carveout = f->non_portable = -1;
        f->next = tc_stub.functions;
        tc_stub.functions = f;
    }
}

static void add_variable(void **handle, const void *host, const char *name,
                         size_t size, bool managed) {
    tc_stub_variable *v = calloc(1, sizeof *v);
    if (v != NULL) {
        v->host = host;
        v->name = name;
        v->module = (tc_stub_module *)(void *)handle;
        v->bytes = size;
        v->managed = managed;
        v->next = tc_stub.variables;
        tc_stub.variables = v;
    }
}

TC_API void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress,
                              const char *deviceName, int ext, size_t size,
                              int constant, int global) {
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    add_variable(handle, hostVar, deviceName, size, false);
}

TC_API void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress,
                                     char *deviceAddress,
                                     const char *deviceName, int ext,
                                     size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    add_variable(handle, hostVarPtrAddress, deviceName, size, true);
}

/* --- functions ----------------------------------------------------------- */

static cudaError_t ask_function(tc_stub_function *f) {
    enum { MOST = 4096 / 4 }; /* parameters: 4 KiB (32 KiB from sm_70 on) */
    tc_rt_param *params = calloc(MOST, sizeof *params);
    struct iovec out = {(void *)(uintptr_t)f->name, strlen(f->name) + 1};
    struct iovec in[2] = {{&f->facts, sizeof f->facts},
                          {params, MOST * sizeof *params}};
    tc_stub_talk t = {.name = TC_RT_FUNCTION,
                      .stream = source_of(f->module),
                      .out = &out,
                      .nout = 1,
                      .in = in,
                      .nin = 2};
    if (params == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t e = tc_stub_call(&t);
    if (e == cudaSuccess &&
        (f->facts.nparams > MOST ||
         t.got < sizeof f->facts + f->facts.nparams * sizeof *params)) {
        e = cudaErrorUnknown;
    }
    if (e != cudaSuccess) {
        free(params);
        return e;
    }
    f->params = params;
    return e;
}

tc_stub_function *tc_stub_function_of(const void *p, cudaError_t *why) {
    tc_stub_function *f = tc_stub.functions;
    while (f != NULL && f->host != p && (const void *)f != p) {
        f = f->next;
    }
    *why = f != NULL ? tc_stub_ready() : cudaErrorInvalidDeviceFunction;
    if (*why != cudaSuccess) {
        return NULL;
    }
    if (!f->asked) {
        f->error = ask_function(f);
        f->asked = f->error == cudaSuccess || tc_stub.sticky == cudaSuccess;
    }
    *why = f->error;
    return f->error == cudaSuccess ? f : NULL;
}

TC_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func) {
    tc_stub_function *f = tc_stub.functions;
    while (f != NULL && f->host != func) {
        f = f->next;
    }
    *kernel = (cudaKernel_t)(void *)f;
    return f != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
TC_ALSO(cudaGetKernel, __cudaGetKernel);

/* --- variables ----------------------------------------------------------- */

/* A managed variable has one address for host and device, which the driver of a
 * GPU has chosen. */
static cudaError_t no_place(const tc_stub_variable *v, uint64_t address) {
    char what[256];
    snprintf(what, sizeof what,
             "the __managed__ variable %.100s: the device has it at 0x%llx, "
             "and the program has something else there; take "
             "cudaMallocManaged()",
             v->name, (unsigned long long)address);
    return tc_stub_unbuilt(what);
}

static cudaError_t ask_variable(tc_stub_variable *v) {
    tc_rt_variable facts = {0};
    struct iovec out = {(void *)(uintptr_t)v->name, strlen(v->name) + 1};
    struct iovec in = {&facts, sizeof facts};
    tc_stub_talk t = {.name = TC_RT_VARIABLE,
                      .stream = source_of(v->module),
                      .out = &out,
                      .nout = 1,
                      .in = &in,
                      .nin = 1};
    cudaError_t e = tc_stub_call(&t);
    tc_stub_block b = {.address = facts.address,
                       .bytes = facts.bytes,
                       .kind = v->managed ? TC_RT_MANAGED : TC_RT_DEVICE,
                       .symbol = true};
    if (e == cudaSuccess && t.got < sizeof facts) {
        e = cudaErrorUnknown;
    }
    if (e == cudaSuccess && v->managed &&
        !tc_stub_map_variable(&b, &facts, t.descriptor)) {
        e = no_place(v, facts.address);
    }
    if (t.descriptor >= 0) {
        close(t.descriptor);
    }
    if (e == cudaSuccess && !tc_stub_block_add(&b)) {
        e = cudaErrorMemoryAllocation;
    }
    v->address = facts.address;
    return e;
}

static cudaError_t find_variable(tc_stub_variable *v) {
    if (!v->asked) {
        v->error = ask_variable(v);
        v->asked = v->error == cudaSuccess || tc_stub.sticky == cudaSuccess;
        if (v->error == cudaSuccess && v->managed) {
            *(void **)(uintptr_t)v->host = (void *)(uintptr_t)v->address;
        }
    }
    return v->error;
}

void tc_stub_forget(void) {
    for (tc_stub_function *f = tc_stub.functions; f != NULL; f = f->next) {
        free(f->params);
        f->params = NULL;
        f->asked = false;
        f->dynamic_shared = f->carveout = f->non_portable = -1;
    }
    for (tc_stub_variable *v = tc_stub.variables; v != NULL; v = v->next) {
        bool used = v->managed && v->asked;
        v->asked = false;
        if (used) { /* the program has its address, and asks no more */
            find_variable(v);
        }
    }
}

/* A managed variable is known by the pointer that the compiler made of it, and
 * by what that points to. */
tc_stub_variable *tc_stub_variable_of(const void *symbol, cudaError_t *why) {
    tc_stub_variable *v = tc_stub.variables;
    while (v != NULL && v->host != symbol &&
           !(v->managed && v->asked && v->error == cudaSuccess &&
             v->address == (uint64_t)(uintptr_t)symbol)) {
        v = v->next;
    }
    *why = v != NULL ? tc_stub_ready() : cudaErrorInvalidSymbol;
    if (*why == cudaSuccess) {
        *why = find_variable(v);
    }
    return *why == cudaSuccess ? v : NULL;
}

/* Called before the first use of a managed variable: gives each its address. */
TC_API char __cudaInitModule(void **handle) {
    TC_ENTER();
    (void)handle;
    cudaError_t e = tc_stub_ready();
    for (tc_stub_variable *v = tc_stub.variables; v != NULL && e == cudaSuccess;
         v = v->next) {
        if (v->managed) {
            e = find_variable(v);
        }
    }
    tc_stub_leave(e);
    return e == cudaSuccess;
}
