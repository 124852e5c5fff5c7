/* avx2.c - the handlers of the fast path, compiled for avx2. */
#if defined(__AVX2__) && defined(__FMA__)
#define TC_FAST_TABLE tc_fast_avx2
#define TC_FAST_NAME  "avx2"
#include "sim/fast/body.inc"
#else
#include "sim/fast/entry.h"
const tc_fast_table *tc_fast_avx2(void) {
    return NULL;
}
#endif
