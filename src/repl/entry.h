/* entry.h - what one entry of a learner is: a command, a definition of several
 * lines, or a paste of both. */
#ifndef TC_REPL_ENTRY_H
#define TC_REPL_ENTRY_H

#include "tilecopy.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry may have this many bytes and lines. */
enum { TC_ENTRY_BYTES = 1 << 20, TC_ENTRY_LINES = 10000 };

/* True when the line has the form of a command: a word, alone or followed by
 * blanks and something that cannot go on an expression. */
bool tc_entry_is_command(const char *line);

/* True when all lines of text are empty, or comments. */
bool tc_entry_is_blank(const char *text);

/* Whether text, lines with their newlines, is the beginning of an entry that
 * goes on in the next line. A command never does, whatever brackets and quotes
 * it has; a line of the shell's, "$ ...", does where it ends in a backslash.
 * With several, the last piece was of several lines at once (pasted or
 * recalled): then no blank line is needed to end a definition. */
bool tc_entry_goes_on(const tc_session *s, const char *text, bool several);

/* The length of the first part of text that can be evaluated by itself. The
 * whole of it when all is TVMScript; up to the end of a line when that line, or
 * one after it, is a command. *apart is TC_ENTRY_UNKNOWN before the first part
 * of a text, and kept for its others: up to there, all are evaluated apart. */
#define TC_ENTRY_UNKNOWN SIZE_MAX
size_t tc_entry_part(const tc_session *s, const char *text, size_t *apart);

/* text with ~/ and ~user/ at the beginning of a command's words replaced by
 * home folders. Owned by the caller. */
char *tc_entry_expand(const char *text);

#endif
