/* measures.c - what was executed, as numbers: of all kernels of a call. */
#include "grade/case.h"

#include <string.h>

enum { SECTOR = 32 };

/* One row and, where it is no counter's sum, one line of value_of. */
const tc_measure tc_measures[] = {
    {"ctas", "CTAs", "of the largest launch", false},
    {"threads", "threads", "of the largest launch", false},
    {"launches", "launches", "of kernels", false},
    {"async_copies", "copies", "cp.async that warps have issued", false},
    {"async_bytes", "bytes", "that cp.async has copied", false},
    {"bulk_bytes", "bytes", "that bulk copies have copied", false},
    {"barriers", "barriers", "that CTAs have waited at", false},
    {"shared_reads_other", "bytes", "of shared memory, of other threads",
     false},
    {"warp_instructions", "instructions", "of warps", false},
    {"clusters", "CTAs", "of a cluster of the largest launch", false},
    {"dram_bytes", "bytes", "between the GPU and its memory", true},
    {"l2_bytes", "bytes", "between SMs and the L2 cache", true},
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

static double stalled(const json_t *counters, const char *only) {
    const char *key;
    json_t *v;
    double sum = only ? 0 : number(counters, "warp_instructions");
    json_t *all = json_object_get(counters, "stalls");
    json_object_foreach(all, key, v) {
        sum += !only || strcmp(key, only) == 0 ? json_number_value(v) : 0;
    }
    return sum;
}

static double value_of(const char *name, const json_t *k) {
    const json_t *c = json_object_get(k, "counters");
    if (strcmp(name, "ctas") == 0) {
        return product(k, "grid");
    }
    if (strcmp(name, "threads") == 0) {
        return product(k, "grid") * product(k, "block");
    }
    if (strcmp(name, "clusters") == 0) {
        return product(k, "cluster");
    }
    if (strcmp(name, "launches") == 0) {
        return 1;
    }
    if (strcmp(name, "cycles") == 0) {
        return number(k, "cycles");
    }
    if (strcmp(name, "dram_bytes") == 0) {
        return SECTOR * (number(c, "dram_sectors_read") +
                         number(c, "dram_sectors_written"));
    }
    if (strcmp(name, "l2_bytes") == 0) {
        return SECTOR *
               (number(c, "l2_sectors_read") + number(c, "l2_sectors_written"));
    }
    return number(c, name);
}

double tc_measure_of(const tc_measure *m, const tc_case *c,
                     const json_t *report) {
    const json_t *kernels = json_object_get(report, "kernels");
    const tc_task_call *call = &c->task.calls[0];
    bool largest = strcmp(m->name, "ctas") == 0 ||
                   strcmp(m->name, "threads") == 0 ||
                   strcmp(m->name, "clusters") == 0;
    double all = 0, waited = 0, lived = 0;
    for (uint64_t i = 0; i < call->launches; i++) {
        const json_t *k = json_array_get(kernels, call->first_launch + i);
        double v = value_of(m->name, k);
        all = largest ? (v > all ? v : all) : all + v;
        waited += stalled(json_object_get(k, "counters"), "async_copy") +
                  stalled(json_object_get(k, "counters"), "mbarrier");
        lived += stalled(json_object_get(k, "counters"), NULL);
    }
    if (strcmp(m->name, "copy_wait") == 0) {
        return lived > 0 ? 100 * waited / lived : 0;
    }
    return all;
}
