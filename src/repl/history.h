/* history.h - the entries of earlier sessions.
 *
 * The file holds one entry a line, oldest first; a newline inside an entry is
 * written as \n and a backslash as \\, so that an entry of many lines is
 * recalled whole. Sessions that run at the same time append under a lock. */
#ifndef TC_REPL_HISTORY_H
#define TC_REPL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

enum { TC_HISTORY_MAX = 1000 };

/* $XDG_STATE_HOME/tilecopy-repl/history, its folders made (mode 0700) where
 * they are missing. Owned by the caller; NULL when there is no home. */
char *tc_history_path(void);

/* Appends entry; false, with errno set, when that cannot be done. */
bool tc_history_append(const char *path, const char *entry);

/* Calls fn with each entry of the newest TC_HISTORY_MAX and drops the others
 * from the file. A file that cannot be read has no entries. */
void tc_history_load(const char *path, void (*fn)(const char *entry));

#endif
