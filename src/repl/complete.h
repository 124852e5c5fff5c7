/* complete.h - Tab, through what the session knows. */
#ifndef TC_REPL_COMPLETE_H
#define TC_REPL_COMPLETE_H

#include "tilecopy.h"
#include <stdbool.h>

/* Makes readline complete from s. *continuing, which the caller keeps up to
 * date, tells whether a definition is being typed: Tab then indents at the
 * beginning of a line. Both must stay valid while readline is used. */
void tc_complete_install(tc_session *s, const bool *continuing);

#endif
