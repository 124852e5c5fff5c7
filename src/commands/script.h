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

/* The line as a command, where it is one in another's dress: run(), exit(),
 * why?; or text itself. */
const char *tc_habit_line(tc_session *s, tc_arena *a, const char *text,
                          size_t *len);
/* True, after an error with a hint, for a shell's or a debugger's command. */
bool tc_habit_hint(tc_session *s, const tc_source *src);

/* Cuts the test that is asked for off FILE::TEST, as pytest writes it; without
 * one it is the test that the file made its program of before. */
const char *tc_tests_wanted(tc_session *s, tc_arena *a, const char *path,
                            tc_tests *tests);
/* Says which of a file's tests made the program, and asks the client for the
 * user's choice if nothing chose it. */
void tc_tests_tell(tc_session *s, const tc_source *src, const tc_tests *tests,
                   tc_reply *r);

#endif
