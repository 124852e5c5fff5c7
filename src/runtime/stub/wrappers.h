/* wrappers.h - the functions of CUDA's own header that are compiled into the
 * program: cudaMalloc<T>() and its like, which call the runtime. A call's line
 * is that of who calls them. */
#ifndef TC_STUB_WRAPPERS_H
#define TC_STUB_WRAPPERS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
/* Is the address in the program's file in such a function? By the program's
 * symbols; false where it has none. */
bool tc_stub_in_wrapper(uint64_t address);
#pragma GCC visibility pop

#endif
