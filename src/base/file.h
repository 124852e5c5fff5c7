/* file.h - files that people name. Nothing here waits for somebody else, and
 * what was in a file is there until what replaces it is whole. */
#ifndef TC_BASE_FILE_H
#define TC_BASE_FILE_H

#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

/* What a failed call says: text behind "cannot read 'PATH': ". */
enum { TC_FILE_WHY = 160 };

/* An ordinary file, open for reading at its start, O_CLOEXEC. -1 after saying
 * why: a folder, FIFO, socket or device is none. */
int tc_file_open(const char *path, char why[TC_FILE_WHY]);
/* The same as a stream, or NULL. */
FILE *tc_file_stream(const char *path, char why[TC_FILE_WHY]);

/* Does the errno say that the machine has no room: no space, no descriptors, no
 * memory, no processes? */
bool tc_lacks_room(int e);

/* Appends all of a file of at most `most` bytes. Besides ordinary files, what
 * this process was given: /dev/stdin and /dev/fd/N, until their end or until
 * *cancel is not 0 (cancel may be NULL). False, text as it was, after saying
 * why; errno is the system's reason, or 0. */
bool tc_file_read(tc_buf *text, const char *path, size_t most,
                  const atomic_int *cancel, char why[TC_FILE_WHY]);

/* Puts len bytes in the place of a file: it has all of them, or, after false
 * and a reason, what it had before. A FIFO that somebody reads, a device of
 * characters, /dev/stdout and /dev/fd/N are written to, which *cancel ends. */
bool tc_file_write(const char *path, const char *bytes, size_t len,
                   const atomic_int *cancel, char why[TC_FILE_WHY]);
/* Is it an ordinary file that begins as an ELF file does? */
bool tc_file_is_elf(const char *path);
/* Whether that may succeed: to be asked before long work. Changes nothing. */
bool tc_file_writable(const char *path, char why[TC_FILE_WHY]);

#endif
