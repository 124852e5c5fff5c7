/* npy.h - arrays in files of NumPy's format. */
#ifndef TC_RUN_NPY_H
#define TC_RUN_NPY_H

#include "base/file.h"
#include "ir/ir.h"

/* The elements of a file, in a: of that type (of one that NumPy lacks, any of
 * its size) and so many bytes, in C's order, of any shape. NULL with why. */
const void *tc_npy_read(tc_arena *a, const char *path, tc_dtype type,
                        uint64_t bytes, const char **why);
/* A file of them; bfloat16 and fp8 become unsigned numbers. False with why. */
bool tc_npy_write(const char *path, tc_dtype type, int rank,
                  const int64_t *shape, const void *data, uint64_t bytes,
                  char why[TC_FILE_WHY]);

#endif
