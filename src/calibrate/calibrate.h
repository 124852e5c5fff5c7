/* calibrate.h - what a machine's parts cost, measured one by one: the kernels of
 * kernels/ launched as measures.def says, on a GPU or on the simulator, and the
 * profile that figures.def makes of it. */
#ifndef TC_CALIBRATE_CALIBRATE_H
#define TC_CALIBRATE_CALIBRATE_H

#include "base/buf.h"
#include "calibrate/launches.h"

typedef enum tc_measure_id {
#define TC_MEASURE(id, file, kernel, grid, block, smem, args, n1, n2, per)     \
    TC_MEASURE_##id,
#include "calibrate/measures.def"
    TC_MEASURE_COUNT
} tc_measure_id;

typedef struct tc_calibrate_measure {
    const char *name, *file, *kernel, *args;
    uint32_t grid, block, smem, n[2], per;
} tc_calibrate_measure;

extern const tc_calibrate_measure tc_calibrate_measures[TC_MEASURE_COUNT];

/* What a measure came to. */
typedef struct tc_measure_result {
    bool known;         /* it was measured; else the rest is 0 */
    uint64_t cycles[2]; /* of the launches with n[0] and n[1] */
    double value;       /* cycles a round and per */
} tc_measure_result;

typedef struct tc_calibration {
    char device[256], date[16];
    int sm, sms, driver;
    int clock_mhz; /* as measured */
    int l2_kib;    /* as the driver says */
    int refused;   /* measures that could not be made */
    char why[512]; /* the last of them */
    tc_measure_result results[TC_MEASURE_COUNT];
} tc_calibration;

/* PTX of kernels/NAME.ptx, or NULL. */
const char *tc_calibrate_ptx(const char *name);

/* Told before each: measure i of n. May be NULL. True: stop. */
typedef bool tc_calibrate_progress(void *user, int i, int n, const char *name);

/* Measures everything whose name begins with only (NULL: all). False with why:
 * no GPU. A measure that the device refuses is left unknown. o: whose module is
 * set here. */
bool tc_calibrate(const tc_device_vtable *v, const tc_device_options *o,
                  const char *only, tc_calibrate_progress *progress, void *user,
                  tc_calibration *out, tc_gpu_complaint why);

/* The data as JSON lines: the device, then each measure. */
void tc_calibration_data(const tc_calibration *c, tc_buf *out);
/* The same, read. False with why. */
bool tc_calibration_read(tc_calibration *c, const char *data,
                         tc_gpu_complaint why);

/* The file that `set profile` takes: each figure of the machine that the data
 * give; of the others a comment says so. */
void tc_calibration_profile(const tc_calibration *c, tc_buf *out);

/* A figure's value from the data; false: they do not have it. */
bool tc_calibration_figure(const tc_calibration *c, const char *name,
                           double *out);

#endif
