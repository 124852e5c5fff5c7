/* small.h - elements of matrices as doubles, and back. */
#ifndef TC_RUNTIME_BLAS_SMALL_H
#define TC_RUNTIME_BLAS_SMALL_H

#include <stdint.h>

uint32_t tc_small_bytes(uint32_t type); /* TC_RT_BLAS_* */
/* Elements [at, at + n) of memory to out[at, at + n). */
void tc_small_read(uint32_t type, const uint8_t *memory, int64_t at, int64_t n,
                   double *out);
/* The same back, rounded to nearest even; integers saturate. */
void tc_small_write(uint32_t type, uint8_t *memory, int64_t at, int64_t n,
                    const double *in);

#endif
