/* event.h - what happens at a cycle: one queue drives time. */
#ifndef TC_SIM_CORE_EVENT_H
#define TC_SIM_CORE_EVENT_H

#include "sim/core/types.h"

/* Something that happens at a cycle. One queue of them drives time. */
typedef struct tc_event {
    uint64_t cycle, order;
    uint32_t *queued; /* of what lands: events that name it */
    tc_warp *warp;
    tc_batch *batch; /* these lanes of it land */
    uint32_t mask;
    struct tc_transfer *transfer; /* or this lands */
    size_t *at; /* where the queue has it, as long as it does; may be NULL */
} tc_event;

void tc_event_push(tc_run *r, tc_event e);
void tc_event_run(tc_run *r);                      /* all that are due */
uint64_t tc_event_next(const tc_run *r);           /* UINT64_MAX: none */
void tc_event_remove(tc_run *r, size_t at);        /* that one */
void tc_event_forget(tc_run *r, const tc_warp *w); /* of its cp.async */

#endif
