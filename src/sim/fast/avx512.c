/* avx512.c - the handlers of the fast path, compiled for avx512. */
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__FMA__)
#define TC_FAST_TABLE tc_fast_avx512
#define TC_FAST_NAME  "avx512"
#include "sim/fast/body.inc"
#else
#include "sim/fast/entry.h"
const tc_fast_table *tc_fast_avx512(void) {
    return NULL;
}
#endif
