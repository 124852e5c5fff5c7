/* finding_words.h - a finding in words. */
#ifndef TC_EXPLAIN_FINDING_WORDS_H
#define TC_EXPLAIN_FINDING_WORDS_H

#include "load/load.h"
#include "session/last_run.h"

/* The line of an access in the run's source, 0 unknown; and its opcode. */
int tc_finding_line(const tc_access *a);
const char *tc_finding_op(const tc_access *a);

/* The .cu that the session's run is of, or NULL. */
const tc_loaded *tc_finding_cuda(const tc_session *s);
/* "thread 3 of CTA 0" or, in a grid of one CTA, "thread 3". */
void tc_finding_who(tc_session *s, const tc_access *a, tc_buf *b);
/* What an access does to memory of a space: "reads", "writes", "updates". */
const char *tc_finding_does(const tc_access *a, tc_ptx_space space);
/* "an expect_tx of 512 bytes": TC_MISSING_BYTES. */
void tc_finding_bytes(const tc_finding *f, tc_buf *b);

/* What an address of the finding is called, or NULL: it has none. */
const char *tc_finding_object(tc_session *s, const tc_finding *f);
/* What happened. Lists (of waiters) come one entry a line. */
void tc_finding_message(tc_session *s, const tc_finding *f, tc_buf *b);
/* What would have made it right, in the words of the source; or nothing. */
void tc_finding_missing(tc_session *s, const tc_finding *f, tc_buf *b);

#endif
