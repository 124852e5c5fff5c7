/* file_kind.h - what reading and writing of files have in common. */
#ifndef TC_BASE_FILE_KIND_H
#define TC_BASE_FILE_KIND_H

#include "base/file.h"

#include <stdatomic.h>
#include <sys/stat.h>

/* Why it is no ordinary file, or NULL: it is one. */
const char *tc_file_kind(mode_t mode);
/* The descriptor that /dev/stdin, /dev/stdout, /dev/stderr or /dev/fd/N names,
 * or -1. */
int tc_file_given(const char *path);
/* Waits for poll's events; false, and errno, when it fails or *cancel is not
 * 0 (EINTR). */
bool tc_file_wait(int fd, short events, const atomic_int *cancel);
/* Says why; false. */
bool tc_file_no(char why[TC_FILE_WHY], const char *text);

#endif
