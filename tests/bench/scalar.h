/* scalar.h - the loops that the simulator's speed is set beside: compiled with
 * -O1 and without vectors. */
#ifndef SCALAR_H
#define SCALAR_H

void scalar_saxpy(int n, float a, const float *x, float *y);
void scalar_max_pool(int n, const float *x, float *y);

#endif
