/* share.h - where what comes with the program lies. */
#ifndef TC_BASE_SHARE_H
#define TC_BASE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* Fills path with the folder called name ("lessons"): the one that the
 * environment's variable names; else beside the build folder of a checkout, or
 * under PREFIX/share once installed, or those that
 * travel inside the program (bundle.h). False where there is none. */
bool tc_share_folder(const char *name, const char *variable, char *path,
                     size_t size);

/* Fills path with the user's own file of that name ("progress.json", or
 * "lessons/01/a.py") and makes the folders above it: $XDG_STATE_HOME or
 * ~/.local/state, tilecopy-repl/NAME (XDG Base Directory Specification). False
 * where neither variable has an absolute path. */
bool tc_state_file(const char *name, char *path, size_t size);

#endif
