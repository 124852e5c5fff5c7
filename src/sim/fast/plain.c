/* plain.c - the handlers of the fast path, compiled for plain. */
#define TC_FAST_TABLE tc_fast_plain
#define TC_FAST_NAME  "plain"
#include "sim/fast/body.inc"
