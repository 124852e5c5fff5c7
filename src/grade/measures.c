/* measures.c - what was executed, as numbers: of all kernels of a call. */
#include "grade/case.h"

#include <string.h>

enum { SECTOR = 32, LANES = 32 };

/* One row and, where it is no counter's sum, a function. */
const tc_measure tc_measures[] = {
    {"ctas", "CTAs", "of the largest launch", false},
    {"threads", "threads", "of the largest launch", false},
    {"writing_ctas", "CTAs",
     "would write the results, all as much as the one that writes most", true},
    {"writing_threads", "threads",
     "would write the results, all as much as the one that writes most", true},
    {"launches", "launches", "of kernels", false},
    {"async_copies", "copies", "cp.async that warps have issued", false},
    {"async_bytes", "bytes", "that cp.async has copied", false},
    {"bulk_bytes", "bytes", "that bulk copies have copied", false},
    {"bulk_copies", "copies", "that the async proxy has begun", false},
    {"async_read_bytes", "bytes",
     "of global memory that asynchronous copies have read", false},
    {"barriers", "barriers", "that CTAs have waited at", false},
    {"shared_reads_other", "bytes", "of shared memory, of other threads",
     false},
    {"warp_instructions", "instructions", "of warps", false},
    {"clusters", "CTAs", "of a cluster of the largest launch", false},
    {"dram_bytes", "bytes", "between the GPU and its memory", true},
    {"l2_bytes", "bytes", "between SMs and the L2 cache", true},
    {"loaded_bytes", "bytes",
     "of global memory that plain loads have read, not copies", true},
    {"read_bytes", "bytes",
     "of global memory that copies and loads have asked for", true},
    {"busy_sms", "SMs", "would do the same work, all alike busy", true},
    {"lanes", "percent", "of the lanes take part in what their warps execute",
     true},
    {"overlap", "percent",
     "of the instructions were executed while a copy was in flight on their SM",
     true},
    {"overlap_own", "percent",
     "of the instructions were executed while a copy of their own warp's was "
     "in flight",
     true},
    {"shared_memory", "bytes", "of a CTA", false},
    {"bank_conflicts", "wavefronts", "more than shared memory needs", true},
    {"shared_wavefronts", "wavefronts", "of shared memory", true},
    {"cycles", "cycles", "modelled", true},
    {"copy_wait", "percent", "of the warps' time spent waiting for copies",
     true}};
const int tc_nmeasures = (int)(sizeof tc_measures / sizeof *tc_measures);

static double number(const json_t *j, const char *key) {
    return json_number_value(json_object_get(j, key));
}

static double product(const json_t *kernel, const char *key) {
    const json_t *dims = json_object_get(kernel, key);
    double all = 1;
    for (size_t i = 0; i < json_array_size(dims); i++) {
        all *= json_number_value(json_array_get(dims, i));
    }
    return all;
}

static const json_t *counters(const json_t *kernel) {
    return json_object_get(kernel, "counters");
}

/* The kernels of the case's only call. */
typedef struct launched {
    const json_t *kernels;
    uint64_t first, n;
} launched;

static const json_t *kernel(const launched *l, uint64_t i) {
    return json_array_get(l->kernels, l->first + i);
}

/* A number of all kernels together: a counter, else the kernel's own. */
static double sum(const launched *l, const char *key) {
    double all = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        const json_t *k = kernel(l, i);
        const json_t *v = json_object_get(counters(k), key);
        all += v ? json_number_value(v) : number(k, key);
    }
    return all;
}

/* The largest of all kernels: of a product of dimensions, or of a counter. */
static double most(const launched *l, const char *dims, const char *also) {
    double all = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        const json_t *k = kernel(l, i);
        double v = json_object_get(k, dims) ? product(k, dims)
                                            : number(counters(k), dims);
        v *= also ? product(k, also) : 1;
        all = v > all ? v : all;
    }
    return all;
}

static double stalled(const launched *l, const char *only) {
    double all = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        const char *key;
        json_t *v;
        json_t *stalls = json_object_get(counters(kernel(l, i)), "stalls");
        json_object_foreach(stalls, key, v) {
            all += !only || strcmp(key, only) == 0 ? json_number_value(v) : 0;
        }
    }
    return all;
}

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static double of_ctas(const launched *l) {
    return most(l, "grid", NULL);
}

static double of_threads(const launched *l) {
    return most(l, "grid", "block");
}

static double of_clusters(const launched *l) {
    return most(l, "cluster", NULL);
}

static double of_shared_memory(const launched *l) {
    return most(l, "shared_bytes", NULL);
}

static double of_launches(const launched *l) {
    return (double)l->n;
}

static double of_dram_bytes(const launched *l) {
    return SECTOR *
           (sum(l, "dram_sectors_read") + sum(l, "dram_sectors_written"));
}

static double of_l2_bytes(const launched *l) {
    return SECTOR * (sum(l, "l2_sectors_read") + sum(l, "l2_sectors_written"));
}

static double of_loaded_bytes(const launched *l) {
    return sum(l, "global_read_bytes");
}

static double of_read_bytes(const launched *l) {
    return sum(l, "global_read_bytes") + sum(l, "async_read_bytes");
}

/* One launch goes on after the other: what their busiest ones write adds up. */
static double of_writing_ctas(const launched *l) {
    return ratio(sum(l, "result_bytes"), sum(l, "result_most_cta"));
}

static double of_writing_threads(const launched *l) {
    return ratio(sum(l, "result_bytes"), sum(l, "result_most_thread"));
}

/* SMs are not busy with the results for more CTAs than write some. */
static double of_busy_sms(const launched *l) {
    double busy = ratio(sum(l, "warp_instructions"), sum(l, "busiest_sm"));
    double write = of_writing_ctas(l);
    return write > 0 && write < busy ? write : busy;
}

static double of_lanes(const launched *l) {
    return 100 * ratio(sum(l, "thread_instructions"),
                       LANES * sum(l, "warp_instructions"));
}

static double of_overlap(const launched *l) {
    return 100 * ratio(sum(l, "overlapped"), sum(l, "warp_instructions"));
}

static double of_overlap_own(const launched *l) {
    return 100 * ratio(sum(l, "overlapped_own"), sum(l, "warp_instructions"));
}

static double of_copy_wait(const launched *l) {
    double lived = stalled(l, NULL) + sum(l, "warp_instructions");
    return 100 *
           ratio(stalled(l, "async_copy") + stalled(l, "mbarrier"), lived);
}

/* What is no counter's sum. */
static const struct {
    const char *name;
    double (*of)(const launched *l);
} derived[] = {{"ctas", of_ctas},
               {"threads", of_threads},
               {"clusters", of_clusters},
               {"writing_ctas", of_writing_ctas},
               {"writing_threads", of_writing_threads},
               {"shared_memory", of_shared_memory},
               {"launches", of_launches},
               {"dram_bytes", of_dram_bytes},
               {"l2_bytes", of_l2_bytes},
               {"loaded_bytes", of_loaded_bytes},
               {"read_bytes", of_read_bytes},
               {"busy_sms", of_busy_sms},
               {"lanes", of_lanes},
               {"overlap", of_overlap},
               {"overlap_own", of_overlap_own},
               {"copy_wait", of_copy_wait}};

double tc_measure_of(const tc_measure *m, const tc_case *c,
                     const json_t *report) {
    const tc_task_call *call = &c->task.calls[0];
    launched l = {json_object_get(report, "kernels"), call->first_launch,
                  call->launches};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        if (strcmp(derived[i].name, m->name) == 0) {
            return derived[i].of(&l);
        }
    }
    return sum(&l, m->name);
}
