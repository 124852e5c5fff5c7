/* fake_library.h - the stand-in for libcuda.so.1 (fake_cuda.c), built for one
 * test program: fixtures of its group. */
#ifndef TC_TEST_FAKE_LIBRARY_H
#define TC_TEST_FAKE_LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char folder[];
extern char library[64], counts[64];

int build_fake(void **state);

/* Tells it something (fake_cuda.c), or (NULL) nothing any more: it is in
 * another process. */
void fake(const char *name, const char *value);
void fake_forget(void);
int remove_fake(void **state);

#endif
