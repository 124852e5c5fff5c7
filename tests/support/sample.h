/* sample.h - how many of the cases of one kind a test takes: all of them, but
 * one of SAMPLE under a sanitizer, where each takes five times as long and the
 * same lines of the program run. */
#ifndef TC_TEST_SAMPLE_H
#define TC_TEST_SAMPLE_H

#if defined(__SANITIZE_ADDRESS__)
enum { SAMPLE = 8 };
#else
enum { SAMPLE = 1 };
#endif

#endif
