/* signals.h - what may stop an evaluation: Ctrl-C and the time limit. */
#ifndef TC_REPL_SIGNALS_H
#define TC_REPL_SIGNALS_H

#include "tilecopy.h"

/* From here to tc_signals_end(), the time limit (seconds; 0 is none) and, with
 * ctrl_c, SIGINT interrupt the evaluation of s. An evaluation that does not
 * heed the time limit within seconds (a hung driver, say) ends the process
 * with status 114 instead. Not nested; one at a time in a process. */
void tc_signals_begin(tc_session *s, double limit, bool ctrl_c);
void tc_signals_end(void);

/* From here on SIGTERM and SIGHUP, and with ctrl_c SIGINT, interrupt the
 * evaluation under way, too, and a read that waits (EINTR): what runs is ended
 * and cleared away before this process is. Where that takes more than some
 * seconds, it dies without. */
void tc_signals_take_endings(bool ctrl_c);
/* Has SIGINT come since the last tc_signals_begin? */
bool tc_signals_interrupted(void);
/* The first signal of those that has come, or 0. */
int tc_signals_ended(void);
/* Dies of that one; returns where there is none. */
void tc_signals_die(void);

#endif
