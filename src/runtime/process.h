/* process.h - the program's process and the socket to it. */
#ifndef TC_RUNTIME_PROCESS_H
#define TC_RUNTIME_PROCESS_H

#include "runtime/budget.h"
#include "runtime/server.h"
#include <stdatomic.h>
#include <sys/types.h>

/* Why it is not served any more. */
typedef enum tc_process_stop {
    TC_PROCESS_GOES_ON,
    TC_PROCESS_CLOSED, /* it has ended, or has closed its socket */
    TC_PROCESS_LIMIT,  /* one has been passed: budget.end */
    TC_PROCESS_CANCELLED
} tc_process_stop;

typedef struct tc_process {
    pid_t pid;
    int socket;
    int pidfd; /* readable when it has ended; -1: not known here */
    tc_budget budget;
    const atomic_int *cancel; /* may be NULL */
    bool reaped;
    int status; /* waitpid's, then */
} tc_process;

uint64_t tc_now_ns(void); /* CLOCK_MONOTONIC */

/* Starts o->path. It has standard streams and one end of the socket, nothing
 * else of ours, and dies with us. False, with why. */
bool tc_process_start(tc_process *p, const tc_program_options *o, char *why,
                      size_t why_size);

/* All of it, or why not. */
tc_process_stop tc_process_read(tc_process *p, void *to, size_t bytes);
/* descriptor: goes along with the first byte, or -1. */
tc_process_stop tc_process_write(tc_process *p, const void *from, size_t bytes,
                                 int descriptor);
/* Is there a reason to stop now? Never waits. busy: a kernel of its is
 * executed. */
tc_process_stop tc_process_check(tc_process *p, bool busy);
bool tc_process_ended(tc_process *p); /* and its status is there */

/* Waits until it has ended by itself. */
tc_process_stop tc_process_wait(tc_process *p);
/* Ends it, if it has not ended, first gently, and all that it has started;
 * collects its status and closes everything. Returns the time that it took, as
 * budget.h counts it; 0 without limits. */
double tc_process_end(tc_process *p);

/* While a kernel runs, a thread looks at what could stop it, and sets the flag
 * that the device polls. elsewhere: a GPU executes it, and what it takes is as
 * the program's sleep. */
typedef struct tc_watch tc_watch;
tc_watch *tc_watch_new(tc_process *p, bool elsewhere);
const atomic_int *tc_watch_flag(const tc_watch *w);
void tc_watch_on(tc_watch *w, bool on); /* off: nobody looks */
void tc_watch_free(tc_watch *w);        /* NULL is allowed */

#endif
