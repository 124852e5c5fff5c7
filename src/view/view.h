/* view.h - full-screen views, clients of tilecopy.h. */
#ifndef TC_VIEW_VIEW_H
#define TC_VIEW_VIEW_H

#include "tilecopy.h"

/* Shows the timeline of the session's last run, at the place that the command
 * asked for, until the user leaves; the terminal is then as it was. color: in
 * colours, if the terminal has them. Returns 0; or -1, after one line on
 * standard error, when there is no trace or no terminal that can show it. */
int tc_view_timeline(tc_session *s, bool color);

/* Puts the terminal right if a view has it. For what ends the program at once:
 * async-signal-safe. */
void tc_view_restore(void);

#endif
