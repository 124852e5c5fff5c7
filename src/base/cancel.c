/* cancel.c - the flag that this thread's work looks at. */
#include "base/cancel.h"

#include <stddef.h>

static _Thread_local const atomic_int *watched;

const atomic_int *tc_cancel_by(const atomic_int *flag) {
    const atomic_int *before = watched;
    watched = flag;
    return before;
}

static int state(void) {
    return watched == NULL
               ? TC_CANCEL_NOT
               : atomic_load_explicit(watched, memory_order_relaxed);
}

bool tc_cancelled(void) {
    return state() != TC_CANCEL_NOT;
}

const char *tc_cancel_why(void) {
    return state() == TC_CANCEL_LIMIT ? "stopped by the time limit"
                                      : "interrupted";
}
