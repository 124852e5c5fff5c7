// The same with events, which ask for times beforehand.
// @arch sm_90a
// @stdout 0 wrong
#define EVENTS
#include "clocks.cu"
