/* budget.h - what a program may take of the machine, and what it has taken.
 *
 * Its time is processor time: of all its processes, and of this one, which
 * executes its kernels. A machine that has more to do changes it little. Of
 * the time in which all of them only slept it may have as much, and a little
 * more; they slept from one look to the next where they did so at both, so that
 * who waits for a processor, or has just asked us for something, is not taken to
 * sleep. The wall clock goes on while they run alone: where this process was
 * stopped (SIGSTOP), or the machine slept, it stood still. */
#ifndef TC_RUNTIME_BUDGET_H
#define TC_RUNTIME_BUDGET_H

#include "base/limits.h"
#include "runtime/family.h"
#include <pthread.h>

typedef enum tc_budget_end {
    TC_BUDGET_LEFT,
    TC_BUDGET_TIME,     /* limits.cpu_s */
    TC_BUDGET_WALL,     /* limits.wall_s */
    TC_BUDGET_MEMORY,   /* limits.memory: the program's processes and us */
    TC_BUDGET_PROCESSES /* TC_BUDGET_MOST of them */
} tc_budget_end;

enum { TC_BUDGET_MOST = 256 };

typedef struct tc_budget {
    tc_limits limits; /* 0: none */
    tc_family family;
    pid_t pid;  /* the program; 0: not yet, or no more */
    int socket; /* on which it asks us; 0: there is none */
    pthread_mutex_t lock;
    uint64_t last, elapsed; /* ns: the last look, the wall clock */
    uint64_t looked;        /* elapsed at the last look at the family */
    bool waits;             /* since the last look we wait for the program */
    bool held;              /* the wall clock stands still */
    bool asleep;            /* at the last look at the family all of it slept,
                               and we waited for it */
    uint64_t waited;        /* ns of that, since the last look at the family */
    double own_s;           /* our processor time at the begin, and what
                               looking has taken since */
    double cpu_s, slept_s;  /* what it has taken */
    double ended_s;         /* of the program itself, when it was collected */
    tc_budget_end end;      /* the first one; it stays */
} tc_budget;

/* limits may be NULL. */
void tc_budget_begin(tc_budget *b, const tc_limits *limits);
/* From here to the next look this process waits for the program: if that sleeps
 * then, it is its own time. */
void tc_budget_waits(tc_budget *b);
/* Adds what was taken since the last time. busy: this process works for the
 * program just now. Cheap; any thread. */
tc_budget_end tc_budget_poll(tc_budget *b, bool busy);
/* Holds the wall clock, or lets it go on: what this process waits for meanwhile
 * is not the program's. */
void tc_budget_hold(tc_budget *b, bool held);
/* The program has been collected and had so much processor time. */
void tc_budget_collected(tc_budget *b, double cpu_s);
/* ms until wall_s is over; most: no more than that. */
int tc_budget_wait_ms(tc_budget *b, int most);
/* Ends all that is left of the program's processes. Returns its time, in
 * seconds; without a limit of it what was known last. */
double tc_budget_end_all(tc_budget *b);

/* Bytes that the machine can still give: MemAvailable, or what the control
 * group leaves. 0: unknown. */
uint64_t tc_memory_available(void);

#endif
