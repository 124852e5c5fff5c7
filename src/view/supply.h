/* supply.h - what the view is given by a session. */
#ifndef TC_VIEW_SUPPLY_H
#define TC_VIEW_SUPPLY_H

#include "tilecopy.h"
#include "view/state.h"

/* Of the session's last run, which must have events, and of another run to
 * compare it with (NULL: none). Everything is borrowed of the session, but for
 * the models: free with tc_supply_free(). */
tc_view_supply tc_supply_of(tc_session *s);
void tc_supply_free(tc_view_supply *from);

#endif
