/* request.h - what a command asks of its client: to open an editor, to watch a
 * file, to evaluate a script, to list what was typed, to call a shell. */
#ifndef TC_REPL_REQUEST_H
#define TC_REPL_REQUEST_H

#include "repl/shell.h"

/* Does what the last command asked for, if anything. False when a batch has to
 * stop. */
bool tc_request_serve(tc_shell *sh);

#endif
