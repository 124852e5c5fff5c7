/* gpu.h - running PTX on an attached GPU.
 *
 * Two implementations stand behind one table: cuda.c, which has the device
 * process do it, and none.c, which says why there is no GPU. */
#ifndef TC_GPU_GPU_H
#define TC_GPU_GPU_H

#include "base/arena.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device process: the one that loads libcuda.so.1. After a kernel's fault
 * the driver does nothing more for a process, whatever context is made or reset
 * (measured: an H200, driver 580), and a kernel that never ends holds the
 * process that launched it. So that process is another one than this: it begins
 * with the first tc_gpu that is opened, stays for the next, and is replaced
 * after a fault. It serves one tc_gpu at a time. */
typedef struct tc_gpu_host tc_gpu_host;

tc_gpu_host *tc_gpu_host_new(void);
/* Ends its process. h may be NULL. */
void tc_gpu_host_free(tc_gpu_host *h);
int tc_gpu_host_process(const tc_gpu_host *h); /* its number; 0: none */
/* The GPU of another machine: a command that starts programs there, such as
 * "ssh box" or "srun --gres=gpu:1" (runner.h); NULL: this one's. Not while a
 * tc_gpu is open. */
void tc_gpu_host_runner(tc_gpu_host *h, const char *command);
const char *tc_gpu_host_runs_by(const tc_gpu_host *h); /* or NULL */
/* Who hears why an open waits; *cancel (may be NULL) ends that. */
void tc_gpu_host_listen(tc_gpu_host *h,
                        void (*waits)(void *user, const char *why), void *user,
                        const atomic_int *cancel);

/* First thing in main of a program that opens a GPU. True: this is the device
 * process, which has served to its end, and *status is its exit status. */
bool tc_gpu_process(int argc, char **argv, int *status);

/* Where a sentence about a failure goes. */
typedef struct tc_gpu_complaint {
    char *why;
    size_t size;
} tc_gpu_complaint;

typedef struct tc_gpu_device {
    char name[256];
    int sm;             /* 90 for compute capability 9.0 */
    int driver_version; /* cuDriverGetVersion: 13000 */
    int multiprocessors;
} tc_gpu_device;

enum { TC_GPU_MAP_BYTES = 128, TC_GPU_MAP_ALIGN = 64 }; /* CUtensorMap */

/* What cuTensorMapEncodeTiled takes, with the driver's own numbers; dimensions
 * run innermost first. */
typedef struct tc_gpu_map {
    int buffer; /* the argument whose memory it describes, from its start on */
    int type, rank;
    uint64_t dims[5], strides[4];
    uint32_t box[5], element_strides[5];
    int interleave, swizzle, l2_promotion, oob_fill;
} tc_gpu_map;

/* How a kernel is launched. */
typedef struct tc_gpu_shape {
    uint32_t grid[3], block[3], cluster[3]; /* cluster {0}: none */
    uint32_t dynamic_shared;
    bool cooperative; /* all CTAs at once: grid.sync() works */
    bool nonportable; /* clusters of more than 8 CTAs */
} tc_gpu_shape;

/* One kernel argument: a buffer (copied in before, out after), a scalar, or a
 * tensor map, which is made on the way. */
typedef struct tc_gpu_arg {
    void *data; /* host bytes; a buffer's are replaced by the device's */
    size_t bytes;
    bool buffer;
    const tc_gpu_map *map; /* or NULL */
} tc_gpu_arg;

typedef struct tc_gpu_launch {
    const char *ptx;    /* NUL-terminated module text */
    const char *entry;  /* kernel name */
    tc_gpu_shape shape; /* nonportable is found out here */
    tc_gpu_arg *args;
    int nargs;
    /* Gets what the kernel prints; NULL: standard output does. */
    void (*print)(void *user, const char *text, size_t n);
    void *print_user;
} tc_gpu_launch;

typedef struct tc_gpu_result {
    double kernel_ms;   /* by events around the launch */
    char jit_log[4096]; /* the driver's messages about the module */
} tc_gpu_result;

typedef struct tc_gpu tc_gpu; /* an open device */

typedef struct tc_gpu_vtable {
    const char *name; /* "cuda", "none" */
    /* Opens device 0, in h's process or (NULL) in one of its own. NULL, with
     * why (one line), when there is none. */
    tc_gpu *(*open)(tc_gpu_host *h, char *why, size_t why_size);
    void (*close)(tc_gpu *g);
    void (*describe)(const tc_gpu *g, tc_gpu_device *out);
    /* Loads, launches, waits, copies buffers back. False with why. Polls
     * *cancel (may be NULL) while it waits. */
    bool (*run)(tc_gpu *g, tc_gpu_launch *l, const atomic_int *cancel,
                tc_gpu_result *out, char *why, size_t why_size);
} tc_gpu_vtable;

extern const tc_gpu_vtable tc_gpu_cuda, tc_gpu_none;

#endif
