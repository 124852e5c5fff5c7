/* bundle.h - files that travel inside the program: lessons, exercises, profiles and
 * terminals' descriptions, in the one that `make static` makes; others have none. */
#ifndef TC_BASE_BUNDLE_H
#define TC_BASE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

/* Fills path with the folder that has the files, tilecopy-repl/NAME of
 * $XDG_DATA_HOME or ~/.local/share, made on first use: NAME is that of what is
 * in it, so two versions do not meet. False where the program has none, or the
 * folder cannot be made. */
bool tc_bundle_folder(char *path, size_t size);

/* Where terminals have no descriptions of their own, those of the bundle are
 * found (terminfo(5)). Before a terminal is opened. */
void tc_bundle_terminals(void);

/* The files of a ustar archive (POSIX, pax(1)), made below the open folder.
 * False for one that is broken, names a place outside, or cannot be written. */
bool tc_bundle_unpack(int folder, const char *tar, size_t len);

#endif
