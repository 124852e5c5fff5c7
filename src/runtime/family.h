/* family.h - the processes of a program: itself and all that it starts, those
 * that it has left behind or put into another group or session too. */
#ifndef TC_RUNTIME_FAMILY_H
#define TC_RUNTIME_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TC_FAMILY_SPARED = 64 };

typedef struct tc_family {
    int before; /* was this process a reaper already? */
    pid_t spared[TC_FAMILY_SPARED];
    int nspared;
    uint64_t reaped; /* ticks of processor time of those that are no more */
} tc_family;

/* What a family is at a moment. */
typedef struct tc_family_state {
    int n;         /* processes, but for zombies */
    double cpu_s;  /* processor time of all that there have been */
    uint64_t rss;  /* bytes resident, of all together */
    bool sleeping; /* not one of them has or waits for a processor or a disk */
} tc_family_state;

/* From here on all that is started below this process is of the family, and
 * becomes its child where a parent ends (prctl(2), PR_SET_CHILD_SUBREAPER).
 * What it has started before is not. */
void tc_family_begin(tc_family *f);
/* One more child that is not of it (0: none). */
void tc_family_spare(tc_family *f, pid_t pid);
/* first: the program itself, whose end is not looked at here. */
tc_family_state tc_family_poll(tc_family *f, pid_t first);
/* Ends all of it; nothing is left when this returns. */
void tc_family_end(tc_family *f);

#endif
