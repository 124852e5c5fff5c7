/* watch.h - a file that is loaded again whenever it is saved. */
#ifndef TC_REPL_WATCH_H
#define TC_REPL_WATCH_H

#include "repl/shell.h"

/* Loads the request's path and evaluates its commands, now and at each save,
 * until Enter, Ctrl-C or the end of standard input. A failure stops a round, not
 * the watching. False when the program is to end. */
bool tc_watch(tc_shell *sh, const tc_client_request *q);

#endif
