/* cancel.h - how long work ends early: whoever lets others ask for an end names
 * a flag for his thread, and each long loop below looks at it now and then.
 * What has been cancelled is of no use: who looks returns as for an error. */
#ifndef TC_BASE_CANCEL_H
#define TC_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

/* What the flag says. */
enum { TC_CANCEL_NOT, TC_CANCEL_INTERRUPT, TC_CANCEL_LIMIT };

/* From here on this thread looks at flag (NULL: at none), which outlives that.
 * Returns the one before, to be set again. */
const atomic_int *tc_cancel_by(const atomic_int *flag);

/* Is the work of this thread to end? Costs two loads. */
bool tc_cancelled(void);

/* The same, looked at each 256th call: for loops of a few instructions. */
static inline bool tc_cancelled_at(unsigned long long i) {
    return (i & 255) == 0 && tc_cancelled();
}

/* The words for it: "interrupted", or that the time limit has passed. */
const char *tc_cancel_why(void);

#endif
