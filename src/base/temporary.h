/* temporary.h - folders for temporary files, until they are removed. */
#ifndef TC_BASE_TEMPORARY_H
#define TC_BASE_TEMPORARY_H

#include <stdbool.h>

/* Links are not followed. This and tc_temporaries_end take no memory and may be
 * called from a signal handler. */
void tc_remove_tree(const char *path);
/* A folder that this process has made; tc_remove_tree forgets it. */
void tc_temporary_note(const char *path);
/* Removes the folders that this process has noted and not removed; all: its
 * forks' too, where tc_temporaries_share was called before. */
void tc_temporaries_end(bool all);
/* Forks from here on have one list with us. */
void tc_temporaries_share(void);

#endif
