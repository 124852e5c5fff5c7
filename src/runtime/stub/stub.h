/* stub.h - the inside of the runtime that is linked into a CUDA program in
 * place of cudart.
 *
 * The program's device is in another process (runtime/protocol.h). What lives
 * here: CUDA's handles, the tables that its pointers are looked up in, and each
 * thread's last error. An API function is
 *
 *     TC_API cudaError_t cudaThing(...) {
 *         TC_ENTER();
 *         return tc_stub_leave(thing(...));
 *     }
 *
 * and API functions never call each other. Everything below is called between
 * the two, where the one mutex is held, unless it says otherwise.
 *
 * The stub is in a student's program: it needs nothing but the C library, and
 * names that it cannot keep to itself begin with tc_stub_. */
#ifndef TC_STUB_STUB_H
#define TC_STUB_STUB_H

#include "runtime/protocol.h"
#include "runtime/stub/api.h"
#include <stdbool.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/* The device code of one source, as the compiler registered it. */
typedef struct tc_stub_module {
    const void *fatbin;
    uint32_t id; /* 0: not asked for yet, or of relocatable code */
} tc_stub_module;

/* A kernel, as the compiler registered it; its handle (cudaKernel_t,
 * cudaFunction_t) is its address. */
typedef struct tc_stub_function {
    const void *host; /* what the program has for its address */
    const char *name; /* the device's name for it */
    tc_stub_module *module;
    bool asked;
    cudaError_t error; /* what the device said when asked */
    tc_rt_function facts;
    tc_rt_param *params;
    int dynamic_shared, carveout, non_portable; /* as set; -1: never */
    struct tc_stub_function *next;
} tc_stub_function;

/* A variable of the device: __device__, __constant__, __managed__. */
typedef struct tc_stub_variable {
    const void *host; /* managed: the address of the pointer */
    const char *name;
    tc_stub_module *module;
    uint64_t bytes;
    bool managed, asked;
    cudaError_t error;
    uint64_t address;
    struct tc_stub_variable *next;
} tc_stub_variable;

/* A range of addresses that the device knows. */
typedef struct tc_stub_block {
    uint64_t address, bytes;
    tc_rt_memory kind;
    bool symbol; /* a variable: no one frees it */
    bool mapped; /* MANAGED, HOST: it is there in the program */
    bool shut;   /* MANAGED: no access until a synchronizing call */
    uint64_t pages, pages_bytes; /* that it has mapped: a variable may lie on
                                    another's, and has none then */
    uint32_t flags;
    uint32_t stream; /* of the last launch that may touch it, */
    uint64_t launch; /* and its number */
} tc_stub_block;

typedef struct tc_stub_stream {
    uint32_t id; /* 0: the legacy default stream, 1: the thread's */
    unsigned int flags;
    int priority;
    uint64_t after;  /* launches of other streams that it waits for */
    uint64_t waited; /* launches that the host has waited for */
    struct tc_stub_capture *capture; /* that it is part of, or NULL; */
    struct tc_stub_front *front;     /* what its next node comes after */
    struct tc_stub_stream *next;
} tc_stub_stream;

typedef struct tc_stub_event {
    unsigned int flags;
    bool recorded;
    double ms; /* of device time, when it was recorded */
    uint32_t stream;
    uint64_t launch;                 /* the last one before the record */
    struct tc_stub_capture *capture; /* in which it was recorded, or NULL */
    struct tc_stub_front *front;
    struct tc_stub_event *next;
} tc_stub_event;

typedef enum tc_stub_link {
    TC_STUB_NEVER_ASKED,
    TC_STUB_LINKED,
    TC_STUB_BROKEN /* no parent, or a fork's child */
} tc_stub_link;

typedef struct tc_stub_state {
    tc_stub_link link;
    int fd;
    tc_rt_device device; /* once linked */
    cudaError_t sticky;  /* what a kernel's fault left */
    tc_stub_function *functions;
    tc_stub_variable *variables;
    tc_stub_block *blocks; /* by address */
    int nblocks, blocks_cap;
    uint64_t *freed; /* addresses that were freed and are not in use again */
    int nfreed, freed_cap;
    tc_stub_stream *streams;
    tc_stub_event *events;
    uint32_t nstreams; /* created so far */
    uint64_t waited;   /* launches of all streams that the host waited for */
    uint64_t launches; /* so far */
    uint64_t printed;  /* launches whose text has been asked for */
    bool ordered;      /* the parent follows the order of streams (order.c) */
    bool aside; /* what is done is nothing that the program has asked for */
    const void *unchecked_by; /* the thread whose launch failed unseen */
    cudaError_t unchecked;
    uint64_t unchecked_where;
} tc_stub_state;

extern tc_stub_state tc_stub;

/* <<<grid, block, shared, stream>>>, kept between push and pop. */
typedef struct tc_stub_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *caller;
} tc_stub_config;

enum { TC_STUB_CONFIGS = 16 };

typedef struct tc_stub_thread {
    bool holds; /* the mutex */
    bool stack; /* it has its alternate signal stack, or was refused one */
    cudaError_t last;
    const void *caller; /* return address of the API function under way */
    tc_stub_config configs[TC_STUB_CONFIGS];
    int nconfigs;
    const void *popped; /* <<<>>>'s return address; the launch is next */
    char reason[200];   /* why the call under way fails, or "" */
    bool told;          /* a finding of its own says so already */
} tc_stub_thread;

extern _Thread_local tc_stub_thread tc_stub_self;

/* --- state.c ------------------------------------------------------------- */

#define TC_ENTER() tc_stub_enter(__builtin_return_address(0))
void tc_stub_enter(const void *caller);
/* Makes e the thread's last error if it is one, and returns it. */
cudaError_t tc_stub_leave(cudaError_t e);
/* The same without touching the last error. */
cudaError_t tc_stub_leave_quietly(cudaError_t e);
/* The mutex alone, for callbacks and signal handlers. */
void tc_stub_lock(void);
bool tc_stub_try_lock(void); /* not by a thread that holds it */
void tc_stub_unlock(void);

/* --- wire.c -------------------------------------------------------------- */

/* Is there a device, without a fault so far? Says HELLO the first time. */
cudaError_t tc_stub_ready(void);
/* The same without a look at faults: what is asked of the device itself goes on
 * to be answered (as on an H200). */
cudaError_t tc_stub_there(void);

typedef struct tc_stub_talk {
    tc_rt_name name;
    uint32_t stream;
    const struct iovec *out; /* the payload */
    int nout;
    const struct iovec *in; /* where the answer's payload goes, as far as
                               there is room; the rest is dropped */
    int nin;
    uint64_t got;   /* out: bytes of the answer */
    int descriptor; /* out: that came with it (the caller closes it), or -1 */
} tc_stub_talk;

/* One call and its answer. cudaErrorDevicesUnavailable: the parent is gone. */
cudaError_t tc_stub_call(tc_stub_talk *t);
/* A question and an answer of fixed sizes; answers that are too short count as
 * cudaErrorUnknown. Either may be 0 long. */
cudaError_t tc_stub_request(tc_rt_name name, const void *q, size_t q_bytes,
                            void *a, size_t a_bytes);
/* SYNC: writes to stdout what kernels have printed. */
cudaError_t tc_stub_sync(void);
void tc_stub_note(tc_rt_misuse misuse, uint64_t where, const tc_rt_note *n,
                  const char *text);
/* A call, or an option of one, that this runtime lacks: says so once for each
 * place, and gives cudaErrorNotSupported. */
cudaError_t tc_stub_unbuilt(const char *what);

/* --- where.c ------------------------------------------------------------- */

/* The call under way as an address in the program's file: inside the call
 * instruction of the student's own line, not of CUDA's header. */
uint64_t tc_stub_where(void);
/* The same of a signal's pc and what lies above it. */
uint64_t tc_stub_where_fault(const void *pc);

/* The program's code at the return address of such a call, or NULL. */
const unsigned char *tc_stub_code_behind(uint64_t where);

/* --- failed.c ------------------------------------------------------------ */

/* Why the call under way fails, in words. */
void tc_stub_because(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
/* The call under way fails. */
void tc_stub_failed(cudaError_t e);
/* The thread has asked for its last error. */
void tc_stub_failures_seen(void);
/* At the end: those that nobody has seen. */
void tc_stub_failures_tell(void);

/* --- register.c ---------------------------------------------------------- */

/* By host address or by handle; its facts asked for. NULL with why not. */
tc_stub_function *tc_stub_function_of(const void *f, cudaError_t *why);
/* After cudaDeviceReset: all is asked for again. */
void tc_stub_forget(void);
/* By its host address; its address asked for. */
tc_stub_variable *tc_stub_variable_of(const void *symbol, cudaError_t *why);

/* --- function.c ---------------------------------------------------------- */

/* The most dynamic shared memory that the program has allowed it. */
int tc_stub_dynamic_limit(const tc_stub_function *f);

/* --- memory.c ------------------------------------------------------------ */

/* The block that has the address; the parent is not asked. */
tc_stub_block *tc_stub_block_at(uint64_t address);
/* The same for [address, address + bytes): NULL where it leaves the block, or
 * there is none, the parent asked. */
const tc_stub_block *tc_stub_block_of(uint64_t address, uint64_t bytes);
bool tc_stub_block_add(const tc_stub_block *b);
bool tc_stub_is_device(const void *p); /* is it the device's address? */
cudaError_t tc_stub_alloc(void **out, uint64_t bytes, tc_rt_memory kind,
                          uint32_t flags);
/* host: cudaFreeHost; waits: as all but cudaFreeAsync do. */
cudaError_t tc_stub_free(void *p, bool host, bool waits);

/* --- host.c -------------------------------------------------------------- */

/* Registered memory of the host whose device address is in use: to the
 * device's copy of it, or back. */
cudaError_t tc_stub_registered_copy(bool to_device);
/* Pointers to registered memory among a launch's parameters become pointers to
 * the device's copy. */
cudaError_t tc_stub_registered_params(char *params, size_t bytes);

/* --- managed.c ----------------------------------------------------------- */

/* Maps a block's pages from the descriptor: those around it, or those that the
 * variable's answer names. */
bool tc_stub_map(tc_stub_block *b, int descriptor);
bool tc_stub_map_variable(tc_stub_block *b, const tc_rt_variable *v,
                          int descriptor);
void tc_stub_unmap(tc_stub_block *b);
/* Shuts the managed memory that a launch may touch: whose address is among the
 * parameters, and all variables. */
void tc_stub_shut(const void *params, size_t bytes, uint32_t stream);
/* Opens what the stream's launches up to that number shut; 0: any stream's. */
void tc_stub_open(uint32_t stream, uint64_t launch);
/* Catches host accesses to the device's addresses; from the first time on. */
void tc_stub_catch(void);
void tc_stub_signal_stack(void); /* for this thread */

/* Once more, where the program has a handler of its own by now. */
void tc_stub_catch_again(void);

/* --- order.c -------------------------------------------------------------- */

/* From now on streams are followed. */
void tc_stub_order_begin(void);
/* Says so, if they are; page-locked memory is shut and opened. */
void tc_stub_order(tc_rt_ordering what, uint32_t stream, uint64_t id);
/* The stub itself, or the program, is going to touch it. */
void tc_stub_order_open(void);
bool tc_stub_order_shuts(uint64_t address);

/* --- copy.c -------------------------------------------------------------- */

/* A box from src to dst; pitches and slices as in tc_rt_copy. blocks: the host
 * waits, unless it is all within the device. */
cudaError_t tc_stub_copy(const tc_rt_copy *box, enum cudaMemcpyKind kind,
                         bool blocks, uint32_t stream);
cudaError_t tc_stub_copy_line(void *dst, const void *src, size_t count,
                              enum cudaMemcpyKind kind, bool blocks,
                              cudaStream_t s);
cudaError_t tc_stub_set(const tc_rt_copy *box, int value, cudaStream_t s);
/* cudaMemcpy3D's parameters as a box (box.c). */
cudaError_t tc_stub_box_of(const struct cudaMemcpy3DParms *p, tc_rt_copy *c);

/* --- array.c: CUDA arrays, and what shares them ----------------------------
 *
 * An array is device memory with its rows one after the other, which no program
 * can see: a cudaArray_t is the address of a tc_stub_array. */

typedef struct tc_stub_array {
    struct cudaChannelFormatDesc desc;
    uint64_t width, height, depth; /* as asked for: 0 where there is none */
    unsigned int flags;
    uint64_t address, pitch, slice; /* bytes from row to row, plane to plane */
    struct tc_stub_mipmap *of;      /* whose level it is, or NULL */
    struct tc_stub_array *next;
} tc_stub_array;

enum { TC_STUB_LEVELS = 17 };

typedef struct tc_stub_mipmap {
    tc_stub_array level[TC_STUB_LEVELS];
    unsigned int nlevels;
    struct tc_stub_mipmap *next;
} tc_stub_mipmap;

/* The array of a handle; NULL, with the reason said, where there is none. */
tc_stub_array *tc_stub_array_of(cudaArray_const_t handle);
tc_stub_mipmap *tc_stub_mipmap_of(cudaMipmappedArray_const_t handle);
/* Bytes of an element; 0: no descriptor that an array may have. */
uint32_t tc_stub_element_bytes(const struct cudaChannelFormatDesc *d);
/* The kind and channel size of a descriptor whose kind names a normalized
 * format, and whether it does. */
bool tc_stub_is_normalized(const struct cudaChannelFormatDesc *d);

/* array_copy.c: cudaMemcpy3D's parameters where one end is an array. */
cudaError_t tc_stub_array_box(const struct cudaMemcpy3DParms *p, tc_rt_copy *c);

/* --- stream.c, event.c --------------------------------------------------- */

/* The stream of a handle, NULL for the default ones; false: there is none. */
bool tc_stub_stream_of(cudaStream_t s, tc_stub_stream **out);
cudaError_t tc_stub_stream_id(cudaStream_t s, uint32_t *id);
/* The host has waited for the stream's launches up to that number (stream 0:
 * for all streams'): what they printed is written, and their managed memory
 * open. Gives a kernel's fault, if one is known by then. */
cudaError_t tc_stub_wait(uint32_t stream, uint64_t launch);
cudaError_t tc_stub_wait_all(void);
/* Has the host waited for these? */
bool tc_stub_waited(uint32_t stream, uint64_t launch);
tc_stub_event *tc_stub_event_of(cudaEvent_t e);
cudaError_t tc_stub_record(cudaEvent_t event, cudaStream_t s);

/* --- capture.c ----------------------------------------------------------- */

/* The stream, if it is being captured: what it is given becomes a node. */
tc_stub_stream *tc_stub_capturing(uint32_t stream);
/* A call that waits, or is the default stream's: not while a capture goes on
 * that forbids it, which is then broken. */
cudaError_t tc_stub_capture_forbids(uint32_t stream, cudaError_t why);
bool tc_stub_capture_record(tc_stub_event *e, tc_stub_stream *s);
/* False: the event is of no capture, and nor is the stream. */
bool tc_stub_capture_wait(tc_stub_stream *s, const tc_stub_event *e,
                          cudaError_t *why);
cudaError_t tc_stub_capture_copy(tc_stub_stream *s, const tc_rt_copy *box,
                                 enum cudaMemcpyKind kind);
cudaError_t tc_stub_capture_set(tc_stub_stream *s, const tc_rt_copy *box,
                                int value);
cudaError_t tc_stub_capture_host(tc_stub_stream *s, cudaHostFn_t fn,
                                 void *user);
/* The stream or the event goes. */
void tc_stub_capture_forget(tc_stub_stream *s, tc_stub_event *e);

/* Defined by the member that has cudaEventElapsedTime: times are asked for. */
extern const char tc_stub_wants_times __attribute__((weak));

/* --- start.c ------------------------------------------------------------- */

/* Before main, where there is no parent: a program of `tilecopy-repl nvcc` is
 * started again by tilecopy-repl, and this does not return. */
void tc_stub_start(int argc, char **argv);

/* --- task.c --------------------------------------------------------------- */

/* For the main of a graded program. The next call's arguments, 8 bytes each;
 * false: there is none. */
TC_API bool tc_task_enter(uint64_t values[TC_RT_VALUES]);
/* It is over: what was launched has ended, or why it has not. */
TC_API void tc_task_leave(void);

#pragma GCC visibility pop

#endif
