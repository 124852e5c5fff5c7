/* progress.h - the line that tells a person what takes long. */
#ifndef TC_REPL_PROGRESS_H
#define TC_REPL_PROGRESS_H

#include <stdbool.h>

/* From here on a line on standard error, a terminal, says what base/progress.h
 * has, if that takes over half a second; hidden when all is done. Does nothing
 * where standard error is no terminal, or one that cannot erase a line. */
void tc_progress_line_begin(void);
void tc_progress_line_end(void);

/* Before something else is written. */
void tc_progress_line_hide(void);

#endif
