/* finding.h - a finding in sentences. */
#ifndef TC_EXPLAIN_FINDING_H
#define TC_EXPLAIN_FINDING_H

#include "explain/template.h"
#include "load/load.h"
#include "session/last_run.h"

/* --- finding_message.c -----------------------------------------------------*/

/* The line of an access in the run's source, 0 unknown; and its opcode. */
int tc_finding_line(const tc_access *a);
const char *tc_finding_op(const tc_access *a);

/* The .cu that the session's run is of, or NULL. */
const tc_loaded *tc_finding_cuda(const tc_session *s);
/* "thread 3 of CTA 0" or, in a grid of one CTA, "thread 3". */
void tc_finding_agent(tc_session *s, const tc_access *a, tc_buf *b);
/* What an access does to memory of a space: "reads", "writes", "updates". */
const char *tc_finding_does(const tc_access *a, tc_ptx_space space);

/* What an address of the finding is called, or NULL: it has none. */
const char *tc_finding_object(tc_session *s, const tc_finding *f);
/* What happened. Lists (of waiters) come one entry a line. */
void tc_finding_message(tc_session *s, const tc_finding *f, tc_buf *b);

/* The texts of a kind and of a detail in findings.def, and the fields that
 * these may have; for the test that goes over all rows. */
const char *tc_message_template(tc_finding_kind kind);
const tc_fields *tc_message_fields(void);

/* --- finding_detail.c ------------------------------------------------------*/

/* CUDA's whole message of a detail, or NULL: the kind's, then the detail. */
const char *tc_detail_message(tc_detail_id detail);
/* A detail; nothing for NONE. Its texts are made in arena a. */
void tc_detail_text(const tc_finding *f, bool cuda, tc_arena *a, tc_buf *b);
/* The first waiter; all of them and what they show, one a line. In CUDA's terms
 * the warps that wait alike have one line. */
void tc_waiter_text(const tc_wait_list *w, bool cuda, tc_arena *a, tc_buf *b);
void tc_waiters_text(const tc_wait_list *w, bool cuda, tc_arena *a, tc_buf *b);
/* Its waiters alone, a string each. */
json_t *tc_waiters_json(const tc_wait_list *w, bool cuda, tc_arena *a);

const char *tc_detail_template(tc_detail_id detail);
const tc_fields *tc_detail_fields(void);

/* --- finding_missing.c -----------------------------------------------------*/

/* What would have made it right, in the terms of the source; or nothing. */
void tc_finding_missing(tc_session *s, const tc_finding *f, tc_buf *b);
/* Why a copy was still in flight. */
const char *tc_missing_pending(tc_missing missing);

/* Where between its two sides a barrier is missing. */
typedef enum tc_between {
    TC_BETWEEN_LINES, /* the first line, then the second */
    TC_BETWEEN_ROUND, /* after the first, before the second comes round again */
    TC_BETWEEN_TURNS, /* of a loop round one line */
    TC_BETWEEN_WITHIN, /* one line, that reads and writes: between the two */
    TC_BETWEEN_NOWHERE /* one instruction, and no loop */
} tc_between;

/* The lines of `at` and `cause` as the text has them; order: which of them comes
 * first is known (they are of one file). *turned: cause is the second one. */
tc_between tc_finding_between(const tc_ptx_module *m, const tc_finding *f,
                              uint32_t at, uint32_t cause, bool order,
                              bool *turned);

/* A text in findings.def: of PTX, of TVMScript. */
const char *tc_missing_template(tc_missing missing, bool script);
const tc_fields *tc_missing_fields(void);

#endif
