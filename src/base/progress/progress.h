/* progress.h - what long work is at, for whoever shows it to a person.
 *
 * Whatever may take over half a second says what it does between begin and
 * end, and how far it is, if it knows. Work within work: the inner one is told.
 * One at a time in a process; nothing here waits or takes a lock, so that a
 * child of fork(2) may go on with it. */
#ifndef TC_BASE_PROGRESS_H
#define TC_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TC_PROGRESS_TEXT = 96 };

typedef struct tc_progress {
    char what[TC_PROGRESS_TEXT]; /* "compiling saxpy.cu" */
    uint64_t done, total;        /* total 0: nobody knows */
    double seconds;              /* since it began */
    double expected; /* in all, as it took before; 0: nobody knows */
    bool shared;     /* another program writes on the terminal */
} tc_progress;

void tc_progress_begin(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
/* Of the innermost work: so much of it is done. Cheap. */
void tc_progress_at(uint64_t done, uint64_t total);
void tc_progress_add(uint64_t done); /* more; from any thread */
/* Of work that cannot be counted: how long it took before, if it did. */
void tc_progress_expect(double seconds);
void tc_progress_end(void);
/* While another program runs on the same terminal. */
void tc_progress_share(bool yes);

/* False: nothing long is being done. From any thread. */
bool tc_progress_now(tc_progress *out);

/* "running k [####      ] 41 %, about 6 s left", or how long it has been. Its
 * length, as snprintf's. */
int tc_progress_text(const tc_progress *p, char *to, size_t size);

#endif
