/* files.h - what a run of a submission reads and writes. */
#ifndef TC_GRADE_FILES_H
#define TC_GRADE_FILES_H

#include "base/buf.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    TC_GRADE_PRINTED = 64 << 10 /* bytes that are kept of what it prints */
};

/* Its standard input, where nothing is; the report, which it never sees; what
 * it prints, to both streams, which a thread of ours reads as it comes. */
typedef struct tc_grade_files {
    int in, report, out; /* out: for the submission's streams */
    int from;            /* the other end */
    pthread_t reader;
    bool reads;
    tc_buf printed; /* the first TC_GRADE_PRINTED bytes */
    uint64_t total; /* that there were */
} tc_grade_files;

/* False with errno: there is no room for them. Close them either way. */
bool tc_grade_files_open(tc_grade_files *f);
/* It has ended, and all that it had started: printed and total are whole. */
void tc_grade_files_ended(tc_grade_files *f);
void tc_grade_files_close(tc_grade_files *f);

/* All that a file holds, in arena a; *size its bytes. */
uint8_t *tc_grade_read(tc_arena *a, int fd, size_t *size);

/* A folder of one grading's own, in TMPDIR or /tmp; NULL with errno. */
char *tc_grade_folder(tc_arena *a);
void tc_grade_folder_remove(const char *path); /* NULL is allowed */

#endif
