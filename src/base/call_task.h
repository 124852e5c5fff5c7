/* call_task.h - calls that a program is to make, and what becomes of them: data that
 * clients choose and the process that has the device works on.
 *
 * The program asks for its next call (protocol.h: ENTER) and gets addresses of
 * device memory and numbers; when the call is over it says so (LEAVE). Input
 * never enters the program's process, nor is anything taken from it but
 * launches: the memory is made, read and judged on this side of the socket. */
#ifndef TC_BASE_CALL_TASK_H
#define TC_BASE_CALL_TASK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TC_TASK_VALUES = 16, /* arguments of a call */
    TC_TASK_READ = 64    /* bytes of memory of its own that the host may read
                            back in all: a flag, a counter, no data */
};

/* What a program's host side did that it may not. */
typedef enum tc_task_act {
    TC_TASK_READ_BUFFER,  /* read a buffer of the call's */
    TC_TASK_MOVED_BUFFER, /* had one copied within the device */
    TC_TASK_READ_MUCH,    /* read more than TC_TASK_READ bytes of others */
    TC_TASK_WROTE_BUFFER, /* wrote or copied into a buffer of the call's */
    TC_TASK_SHARED,       /* asked for memory that kernels and host share */
    TC_TASK_FREED,        /* freed a buffer of the call's, reset the device */
    TC_TASK_LAUNCHES,     /* launched more kernels than it may */
    TC_TASK_ACTS
} tc_task_act;

typedef struct tc_task_buffer {
    const char *name;
    uint64_t bytes, guard; /* guard: bytes more on both sides */
    const uint8_t *before; /* bytes + 2 * guard of them, before the call */
    uint8_t *after;        /* room for as many, after it; NULL: they should be
                              what they were, and are compared at once */
    bool result;           /* kernels are to fill it */
    bool changed;          /* they are not: */
    uint64_t changed_at;   /* the first byte of them that is another one */
    uint64_t period;  /* before repeats after so many bytes; 0: it does not */
    bool given;       /* after is the memory itself: simulated, and it holds
                              what before does; it is neither written nor read */
    uint64_t address; /* of the memory, guard included; 0: there is none */
} tc_task_buffer;

typedef struct tc_task_call {
    tc_task_buffer *buffers;
    int nbuffers;
    uint64_t values[TC_TASK_VALUES]; /* the arguments: a number's bits, */
    int pointer[TC_TASK_VALUES];     /* or a buffer's number; -1: none */
    int nvalues;
    /* What became of it. */
    bool entered, left;
    int error; /* cudaError_t, as this side knows it */
    uint64_t first_launch, launches;
    uint64_t acts[TC_TASK_ACTS], where[TC_TASK_ACTS]; /* times; the first one,
                                          as an address in the program's file */
    int buffer[TC_TASK_ACTS];                         /* of that; -1: none */
    bool lost; /* a buffer could not be read any more */
    /* Of what was simulated in part: a launch was ended by the budget; the least
     * part of a launch's clusters that were executed. */
    bool cut;
    double part;
} tc_task_call;

/* The device's copy, which the calls are compared with. */
typedef struct tc_task_copy {
    uint64_t bytes;  /* to read and to write, together; 0: none is wanted */
    double ms;       /* the middle one of a few; 0: no GPU did it */
    uint64_t cycles; /* simulated; 0: it was not */
} tc_task_copy;

typedef struct tc_given_task {
    tc_task_copy copy;
    tc_task_call *calls;
    int ncalls, next;
    uint64_t read, most_launches; /* bytes so far; in a call, 0: any number */
    uint32_t
        sample; /* of each launch so many clusters are simulated, and so many */
    uint64_t budget; /* warp instructions (tc_sim_launch); 0: all */
} tc_given_task;

#endif
