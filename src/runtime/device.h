/* device.h - the device of a CUDA program: memory, one module, launches.
 *
 * Three implementations stand behind one table: device_sim.c, device_gpu.c
 * (over gpu/), and device_both.c, which has one of each at the same addresses
 * and compares all memory after each launch. They take valid arguments: limits
 * and addresses are checked by memory.c and server.c. */
#ifndef TC_RUNTIME_DEVICE_H
#define TC_RUNTIME_DEVICE_H

#include "base/arena.h"
#include "base/diag.h"
#include "gpu/gpu.h"
#include "runtime/protocol.h"
#include "sim/sim.h"
#include "sim/tensormap.h"

/* Fresh memory of kind TC_RT_DEVICE holds these bytes on every device, so that
 * nobody counts on zeros; managed and host memory is zero. */
enum { TC_DEVICE_FRESH = 0xCD };
/* The first so many bytes of protocol.h's range are the simulator's own: its
 * symbols (unless sim.symbol_address says where), the kernels' heap. */
#define TC_DEVICE_OWN (UINT64_C(1) << 34)
/* alloc's addresses: each allocation has pages of this size of its own, and at
 * least one such page of nothing behind it; small ones of kind TC_RT_DEVICE
 * share such a page (memory.h). */
#define TC_DEVICE_PAGE (UINT64_C(2) << 20)

/* A kernel module as all devices need it. Borrowed for the device's life. */
typedef struct tc_device_module {
    const tc_ptx_module *ptx;             /* parsed; its source has the text */
    const char *ptx_text;                 /* NUL-terminated */
    const struct tc_ptx_renamed *renamed; /* of several sources: ptx/link.h */
    int nrenamed;
    /* Registers a thread as ptxas counts them; 0 where unknown. May be NULL. */
    uint32_t (*registers)(void *user, const char *kernel);
    /* What ptxas makes of the kernel, for a clock; NULL where there is none. May
     * be NULL. */
    const struct tc_sass *(*machine_code)(void *user, const char *kernel);
    /* Assembles the text for a GPU whose driver does not take its version:
     * the cubin in arena a, or NULL with why. May be NULL. */
    const void *(*assemble)(void *user, int sm, tc_arena *a, size_t *bytes,
                            char *why, size_t why_size);
    void *user;
} tc_device_module;

/* A piece of device memory. */
typedef struct tc_device_memory {
    uint64_t address, bytes;
    tc_rt_memory kind;
    uint8_t *shared;  /* MANAGED, HOST: the pages that the program maps too
                         (borrowed until the free). DEVICE, simulated: the
                         storage, if it is the caller's; else NULL */
    const char *name; /* "d_x", "", or the symbol's. Borrowed */
    uint64_t where;   /* the call that made it, as tc_rt_call.where; 0 */
} tc_device_memory;

/* A place where simulator and GPU differ after a launch. */
typedef struct tc_device_difference {
    uint64_t address;         /* of the first byte of the memory that differs */
    uint64_t offset;          /* there */
    uint64_t bytes;           /* that differ in all */
    uint8_t sim[16], gpu[16]; /* from offset on, as many as there are */
} tc_device_difference;

typedef struct tc_device_launched {
    int error;      /* cudaError_t: 0, or why it cannot start (at once), or
                       what the kernel ended with (then: fault is true) */
    bool fault;     /* sticky */
    bool simulated; /* sim below holds; findings live as long as the
                       device, or until the next launch */
    tc_sim_result sim;
    double gpu_ms;   /* by events; 0 without a GPU */
    const char *why; /* a sentence for the error, or NULL. Until the next
                        call */
    tc_device_difference *differences; /* both; until the next launch */
    int ndifferences;
    bool approximate; /* differences: the kernel has instructions whose last
                         bits PTX leaves open (.approx, .full, mma, a mul and
                         an add without .rn) */
} tc_device_launched;

typedef struct tc_device tc_device;

typedef enum tc_device_copy { /* across PCIe, or within the device */
                              TC_COPY_HOST,
                              TC_COPY_DEVICE,
                              TC_COPY_FILL
} tc_device_copy;

typedef struct tc_device_options {
    tc_sim_options sim; /* arch, timing, hazards, completion, print, cancel */
    const tc_device_module *module;
    tc_gpu_host *gpu; /* gpu, both: whose process; NULL: one of their own */
} tc_device_options;

typedef struct tc_device_vtable {
    const char *name; /* "sim", "gpu", "both" */
    /* NULL with why: no GPU, no such arch, a module that does not load. */
    tc_device *(*open)(const tc_device_options *o, char *why, size_t why_size);
    void (*close)(tc_device *d);
    void (*facts)(tc_device *d, tc_rt_device *out);
    /* Where alloc's addresses may be chosen. NULL in the table, or of 0 bytes:
     * in protocol.h's range. A GPU may have to take another one. */
    uint64_t (*range)(tc_device *d, uint64_t *bytes);
    /* Facts of a kernel: registers, static shared, local. */
    void (*function)(tc_device *d, const tc_ptx_func *f, tc_rt_function *out);
    /* Where a symbol of the module lives; false: it has no storage. */
    bool (*symbol)(tc_device *d, const tc_ptx_symbol *y, uint64_t *address);
    /* TC_RT_DEVICE: filled with TC_DEVICE_FRESH. m->address says where: the
     * caller chooses addresses (range above). False: out of memory. With the
     * address of a symbol (that of a __managed__ variable, with shared pages):
     * no new memory, but from now on the program shares the symbol's. */
    bool (*alloc)(tc_device *d, const tc_device_memory *m);
    void (*free)(tc_device *d, uint64_t address);
    /* Bytes within one allocation or symbol. */
    bool (*write)(tc_device *d, uint64_t to, const void *from, uint64_t bytes);
    bool (*read)(tc_device *d, void *to, uint64_t from, uint64_t bytes);
    /* The bytes themselves, if they are this process's and nobody else has to
     * know of a change; else NULL. whole: all of them will be overwritten.
     * NULL in the table: never. */
    uint8_t *(*bytes)(tc_device *d, uint64_t address, uint64_t bytes,
                      bool whole);
    bool (*move)(tc_device *d, uint64_t to, uint64_t from, uint64_t bytes);
    bool (*set)(tc_device *d, uint64_t to, int value, uint64_t bytes);
    /* Runs to its end. l->params is the packed block. */
    void (*launch)(tc_device *d, const tc_sim_launch *l,
                   tc_device_launched *out);
    /* CTAs an SM holds at once; with a cluster of more than one: clusters that
     * the device holds. */
    uint32_t (*occupancy)(tc_device *d, const tc_ptx_func *f, uint32_t block,
                          uint64_t dynamic_shared, uint32_t cluster);
    /* 128 bytes; false: arguments that the device refuses. */
    bool (*tensor_map)(tc_device *d, const tc_rt_tensor_map *t, void *out);
    /* The handle of a texture or surface object; 0: no more of them. drop:
     * false where there is none. NULL in the table: the device has none. */
    uint64_t (*texture)(tc_device *d, const tc_rt_texture *t);
    bool (*drop_texture)(tc_device *d, const tc_rt_texture_handle *h);
    double (*time_ms)(tc_device *d); /* of device time since it was opened */
    /* Copies and fills take time too: bytes have been moved. NULL: time_ms knows
     * by itself. */
    void (*copied)(tc_device *d, tc_device_copy how, uint64_t bytes);
    /* The trace of the last launch, whose ownership passes; NULL without. */
    tc_trace *(*take_trace)(tc_device *d);
    /* The simulator inside, for `state`; NULL for gpu. */
    tc_sim *(*sim)(tc_device *d);
} tc_device_vtable;

extern const tc_device_vtable tc_device_sim, tc_device_gpu, tc_device_both;

/* device_sim.c: a map as the simulator has it. */
tc_sim_tensor_map tc_device_sim_map(const tc_rt_tensor_map *t);

/* cudaError of the fault which stopped a launch. Its finding may stand behind
 * another of the same defect: then the error that names no reason. */
int tc_fault_error(const tc_sim_result *r);

#endif
