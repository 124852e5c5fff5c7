/* report.h - findings for other programs: code scanning, editors. */
#ifndef TC_COMMANDS_REPORT_REPORT_H
#define TC_COMMANDS_REPORT_REPORT_H

#include "base/buf.h"
#include <jansson.h>
#include <stdbool.h>

/* The findings (INTERFACE.md's list, borrowed) as a log of SARIF 2.1.0 with one
 * run; each kind of finding is a rule, explained by the glossary. failed: why
 * the program could not be run to its end, or NULL. */
void tc_sarif(const json_t *findings, const char *failed, tc_buf *out);

/* A line each, as compilers write them: "FILE:LINE:COLUMN: warning: MESSAGE
 * [KIND]", and "...: note: ..." for what it collides with and what is missing.
 * The column of a finding that has none is 1. */
void tc_finding_lines(const json_t *findings, tc_buf *out);

/* How much a kind of finding counts: SARIF's "error", "warning" or "note". */
const char *tc_finding_level(const char *kind);

#endif
