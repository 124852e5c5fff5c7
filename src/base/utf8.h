/* utf8.h - counting what a terminal shows. */
#ifndef TC_BASE_UTF8_H
#define TC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the sequence at s (1 for an invalid byte), 0 at len 0. */
size_t tc_utf8_next(const char *s, size_t len);
/* Characters in the first len bytes; an invalid byte counts as one. */
int tc_utf8_count(const char *s, size_t len);
bool tc_utf8_valid(const char *s, size_t len);

#endif
