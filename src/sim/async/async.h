/* async.h - cp.async for the rooms above; mbarriers are in mbarrier.h,
 * transfers of the async proxy in transfer.h, tensor memory in tmem.h. */
#ifndef TC_SIM_ASYNC_H
#define TC_SIM_ASYNC_H

#include "sim/core/run.h"

/* The bytes of these lanes are in shared memory now. */
void tc_async_land(tc_warp *w, tc_batch *b, uint32_t lanes);
void tc_async_drop(tc_warp *w); /* at the CTA's end */

#endif
