/* serve.h - what the files of the device process share: what it has made on the
 * GPU, and how it answers. */
#ifndef TC_GPU_SERVE_H
#define TC_GPU_SERVE_H

#include "gpu/pages.h"
#include "gpu/queue.h"
#include "gpu/wire.h"

typedef struct tc_served {
    int socket;
    uint8_t *staging;
    tc_driver driver;
    tc_gpu_pages pages;
    tc_gpu_queue queue;
    tc_cu_module module;
    tc_cu_event from, to;
} tc_served;

/* Answers one call. bytes are what was behind it, and a NUL. */
typedef void tc_serve_call(tc_served *s, const tc_gpu_request *ask,
                           const char *bytes, tc_gpu_answer *out);
tc_serve_call tc_served_function, tc_served_map, tc_served_launch,
    tc_served_occupancy;

/* True on success; else the answer is r, with a sentence. */
bool tc_served_ok(tc_served *s, tc_gpu_answer *out, tc_cu_result r,
                  const char *api, const char *doing);
/* The answer is an error without one of the driver's functions. */
void tc_served_refuse(tc_gpu_answer *out, tc_cu_result r, const char *why);

double tc_served_now_ms(void);
/* Has who asks gone? */
bool tc_served_alone(const tc_served *s);

#endif
