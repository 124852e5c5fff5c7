/* template.h - texts with fields in braces, as findings.def has them. */
#ifndef TC_EXPLAIN_TEMPLATE_H
#define TC_EXPLAIN_TEMPLATE_H

#include "base/buf.h"
#include "session/session.h"
#include "sim/finding.h"

/* What a text is filled for. */
typedef struct tc_sentence {
    tc_session *session;
    const tc_finding *finding;
    const char *object; /* what its address is called, or NULL */
    void *user;         /* of the fields' own */
} tc_sentence;

/* A field. {NAME} is the field NAME, with no side; {SIDE.NAME}, SIDE one of at,
 * cause and other, is the field .NAME with that access; {SIDE} is {SIDE.line}.
 */
typedef struct tc_field {
    const char *name; /* "bytes", ".who" */
    void (*write)(const tc_sentence *x, const tc_access *side, tc_buf *b);
} tc_field;

typedef struct tc_fields {
    const tc_field *list;
    int n;
} tc_fields;

/* Writes a text; NULL writes nothing. A field that is not among these is a
 * mistake of the text's: it stays as it is, and tc_template_unknown finds it.
 */
void tc_template_fill(const char *text, const tc_fields *fields,
                      const tc_sentence *x, tc_buf *b);

/* The first field, with its brace, that is not among these; NULL: all are. */
const char *tc_template_unknown(const char *text, const tc_fields *fields);

#endif
