/* guard.h - a process that runs another one, and ends with all that this has
 * started: when it is told to, when that one ends, and when we do. */
#ifndef TC_TOOLCHAIN_GUARD_H
#define TC_TOOLCHAIN_GUARD_H

#include "base/limits.h"
#include <sys/types.h>

#include "toolchain/internal.h"

typedef struct tc_guarded {
    const char *const *argv;
    const char *const *env;  /* all of it */
    const char *folder;      /* to run in, or NULL */
    const char *own;         /* a folder that goes if we are killed, or NULL */
    const tc_limits *limits; /* or NULL */
    int out, err;            /* its standard output and error */
    int socket;              /* the guard's end of it: tc_guard_start's */
} tc_guarded;

typedef enum tc_guard_word {
    TC_GUARD_NOT_STARTED, /* value: errno */
    TC_GUARD_ENDED        /* value: as waitpid's; nothing of it is left */
} tc_guard_word;

/* What the guard says on the socket, a packet each. */
typedef struct tc_guard_report {
    tc_guard_word what;
    int value;
} tc_guard_report;

/* Starts the guard, a child of ours: its number, or -1 with errno. *socket is
 * the caller's to close; the guard and all below it end when that is done. */
pid_t tc_guard_start(tc_guarded *g, int *socket);
/* Asks it to end what it guards. */
void tc_guard_end(int socket);

#endif
