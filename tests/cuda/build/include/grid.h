/* What main.cpp calls of the sources with kernels. */
#ifndef GRID_H
#define GRID_H
bool scaled(float *values, int n);
bool shifted(float *values, int n);
#endif
