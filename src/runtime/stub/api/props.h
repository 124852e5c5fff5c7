/* props.h - facts of the device beyond what the parent tells. */
#ifndef TC_STUB_PROPS_H
#define TC_STUB_PROPS_H

#include "runtime/stub/stub.h"

/* Of the linked device. */
__attribute__((visibility("hidden"))) void
tc_stub_properties(struct cudaDeviceProp *out);

#endif
