/* What more a finding says, in PTX's terms: its detail, or the list of those
 * who wait. */
#ifndef DETAIL_TEXT_H
#define DETAIL_TEXT_H

#include "explain/finding.h"

#include <stdio.h>

/* "" for nothing. It stands until the fourth call after this one. */
const char *detail_text(const tc_finding *f);

#endif
