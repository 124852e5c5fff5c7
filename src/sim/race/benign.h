/* benign.h - races that are right all the same. */
#ifndef TC_SIM_BENIGN_H
#define TC_SIM_BENIGN_H

#include "sim/core/internal.h"

/* Of a data race: a read that is right though nothing orders it and the write.
 */
bool tc_is_benign(const tc_run *r, const tc_finding *f);

#endif
