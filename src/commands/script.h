/* script.h - what was entered: recorded, saved, loaded, and abbreviated. */
#ifndef TC_COMMANDS_SCRIPT_H
#define TC_COMMANDS_SCRIPT_H

#include "session/session.h"

/* Notes an entry that succeeded; command is the name of what it is, or NULL for
 * TVMScript. Not those that only show or move something of the client's. */
void tc_script_record(tc_session *s, const char *command, const char *text,
                      size_t len, tc_status status);
/* The same of a file of the command line. */
void tc_script_record_load(tc_session *s, const char *path, tc_status status);

/* Asks the client to evaluate the entries of a session's script. */
tc_status tc_script_load(tc_session *s, const char *path, tc_span at);

/* The line with an alias at its beginning replaced, in a; or text itself. */
const char *tc_script_expand(tc_session *s, tc_arena *a, const char *text,
                             size_t *len);

#endif
