/* stream_order.h - happens-before over streams, events and host calls.
 *
 * Everything is executed in the order in which it was called, whatever its
 * stream. Which of it a GPU could execute in another order is decided here: each
 * stream, and the host, has a vector clock of the operations that are known to
 * have ended before what it does next (CUDA C++ Programming Guide, Streams;
 * CUDA Runtime API, Stream synchronization behavior):
 *
 *   - an operation comes after what its stream was given before, and after all
 *     that the host had waited for when it was called;
 *   - one in the legacy default stream (0) comes after all of the streams that
 *     are not cudaStreamNonBlocking, and theirs come after it;
 *   - an event has its stream's clock; a stream or the host that waits for it
 *     has that too.
 *
 * All threads of the host count as one, and a call that finds a stream or an
 * event ready as one that waits: what this says is never more than is wrong.
 * Memory has a shadow (stream_shadow.h) of who accessed which byte last. Two
 * accesses, one of them a write and not both atomic, that no clock orders are a
 * race. */
#ifndef TC_RUNTIME_ORDER_STREAM_ORDER_H
#define TC_RUNTIME_ORDER_STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tc_stream_what { /* an operation */
                              TC_STREAM_KERNEL,
                              TC_STREAM_COPY,
                              TC_STREAM_FILL,
                              TC_STREAM_ALLOC, /* cudaMallocAsync, cudaFreeAsync */
                              TC_STREAM_FREE
} tc_stream_what;

/* How: bits of tc_sim_launch.touched's. */

typedef struct tc_stream_op {
    tc_stream_what what;
    uint32_t stream; /* as the program numbers it */
    uint64_t where;  /* the call */
} tc_stream_op;

/* op, and before an earlier one, of which nothing says that it has ended. */
typedef struct tc_stream_race {
    const tc_stream_op *op; /* NULL: the host */
    const tc_stream_op *before;
    uint64_t where;   /* op's, or the host's access */
    uint64_t address; /* the first byte of both */
    bool writes, wrote;
} tc_stream_race;

typedef struct tc_stream_order tc_stream_order;

/* found is called once for each two places in the program. */
tc_stream_order *
tc_stream_order_new(void (*found)(void *, const tc_stream_race *), void *user);
void tc_stream_order_free(tc_stream_order *o); /* NULL is allowed */

/* ---- streams and events: numbers of the program's ---- */

void tc_stream_made(tc_stream_order *o, uint32_t stream, bool blocking);
void tc_stream_gone(tc_stream_order *o, uint32_t stream);
void tc_stream_record(tc_stream_order *o, uint32_t stream, uint64_t event);
void tc_stream_after(tc_stream_order *o, uint32_t stream, uint64_t event);
void tc_stream_forget_event(tc_stream_order *o, uint64_t event);
/* The host has waited. Unknown streams and events: for nothing. */
void tc_stream_host_stream(tc_stream_order *o, uint32_t stream);
void tc_stream_host_event(tc_stream_order *o, uint64_t event);
void tc_stream_host_all(tc_stream_order *o);

/* ---- operations and their accesses ---- */

void tc_stream_begin(tc_stream_order *o, const tc_stream_op *op);
/* Of the last operation begun; how: TC_TOUCHED_*, of sim.h. host: memory that
 * the host reaches too. */
void tc_stream_touch(tc_stream_order *o, uint64_t address, uint64_t bytes,
                     uint32_t how, bool host);
/* The host reads or writes a byte. */
void tc_stream_host_touch(tc_stream_order *o, uint64_t address, bool write,
                          uint64_t where);
/* There is other memory from now on. */
void tc_stream_forget(tc_stream_order *o, uint64_t address, uint64_t bytes);

/* Host memory that operations may still use. */
typedef struct tc_stream_flight {
    uint64_t address, bytes;
    bool write;
    uint32_t slot; /* whose, */
    uint64_t at;   /* and when */
} tc_stream_flight;
const tc_stream_flight *tc_stream_flights(const tc_stream_order *o, int *n);

#endif
