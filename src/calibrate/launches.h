/* launches.h - a list of launches, as tests/calibrate keeps it, and how long
 * each takes on a device: the simulator or a GPU.
 *
 * A kernel's last parameter is u64 *stamps, three words a warp: the SM, its
 * %clock64 when the warp began and when it ended (stamps.cuh). A launch's cycles
 * are, of each SM, the last end less the first begin; of all SMs the most. */
#ifndef TC_CALIBRATE_LAUNCHES_H
#define TC_CALIBRATE_LAUNCHES_H

#include "base/arena.h"
#include "runtime/device.h"

/* One line: NAME FILE KERNEL GRID BLOCK [--smem BYTES] ARG... */
typedef struct tc_launch_line {
    const char *name, *file, *kernel;
    uint32_t grid[3], block[3], smem;
    const char **args; /* as `launch` takes them, without the stamps */
    int nargs, number; /* of the line, from 1 */
} tc_launch_line;

typedef struct tc_launch_list {
    tc_launch_line *lines;
    int n;
} tc_launch_list;

/* Reads a list; # begins a comment. False with why. Text lives in a. */
bool tc_launch_list_read(tc_arena *a, const char *text, tc_launch_list *out,
                         tc_gpu_complaint why);

enum { TC_REPEATS = 16 };

typedef struct tc_measured {
    uint64_t cycles[TC_REPEATS]; /* of each launch, one after the other on the
                                    same memory: the first finds L2 cold */
    int n;
    double wall_ms; /* of the machine that this ran on, all launches */
} tc_measured;

/* The middle one of all but the first, or the only one. */
uint64_t tc_measured_warm(const tc_measured *m);

/* A device with the kernels of one module. */
typedef struct tc_bench tc_bench;

/* NULL with why: no GPU, a module that does not load. Borrows o and what it
 * points to. */
tc_bench *tc_bench_open(const tc_device_vtable *v, const tc_device_options *o,
                        tc_gpu_complaint why);
void tc_bench_close(tc_bench *b); /* NULL is well */
void tc_bench_facts(tc_bench *b, tc_rt_device *out);

/* Launches one line's kernel repeats times (at most TC_REPEATS) on buffers
 * filled as `launch` fills them (of more than 64 MiB: zero), the stamps left out. False with why. */
bool tc_bench_measure(tc_bench *b, const tc_launch_line *l, int repeats,
                      tc_measured *out, tc_gpu_complaint why);
/* The same kernel once; the first words of its stamps buffer are copied to out.
 * For kernels that write something else there. */
bool tc_bench_read(tc_bench *b, const tc_launch_line *l, uint64_t *out,
                   size_t words, tc_gpu_complaint why);

#endif
