/* pager.h - text that is longer than the terminal, for reading. */
#ifndef TC_REPL_PAGER_H
#define TC_REPL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Would a text scroll away on a terminal of so many rows and columns, with the
 * prompt below it? rows <= 0: no terminal, never. */
bool tc_pager_wants(const char *text, size_t len, int rows, int columns);

/* Shows a text by the user's pager, $PAGER as environ(7) has it, or `less` with
 * LESS=-FRX and a prompt, and returns when that ends. PAGER=cat, an empty one, and a pager
 * that cannot be started write it to standard output. */
void tc_pager_show(const char *text, size_t len);

#endif
