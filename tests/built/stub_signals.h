/* stub_signals.h - the parts of stub_program.c that are about SIGSEGV: it uses
 * what stands above its inclusion. */
#ifndef STUB_SIGNALS_H
#define STUB_SIGNALS_H

#include <setjmp.h>
#include <signal.h>

/* A handler of the program's own, set after the first call: ours still sees
 * managed memory, and its own faults stay the program's. */
static sigjmp_buf back;
static void jump(int number) {
    siglongjmp(back, number);
}

static int handler(void) {
    int *m, *volatile null = NULL;
    OK(cudaMallocManaged((void **)&m, 64, 1));
    signal(SIGSEGV, jump);
    launch(m, 1, 32, NULL);
    EXPECT(m[0] == 0); /* a note */
    if (sigsetjmp(back, 1) == 0) {
        *null = 1;
        return 2;
    }
    int *d = some(4);
    if (sigsetjmp(back, 1) == 0) {
        d[1] = 1; /* a note, and then its own handler */
        return 2;
    }
    return 0;
}

/* SIGSEGV from somebody, not from an access. */
static int raises(void) {
    some(4);
    printf("before\n");
    fflush(stdout);
    raise(SIGSEGV);
    printf("still here\n");
    fflush(stdout);
    return 0;
}

static int raises_ignored(void) {
    some(4);
    signal(SIGSEGV, SIG_IGN);
    int *m;
    OK(cudaMallocManaged((void **)&m, 64, 1));
    launch(m, 1, 32, NULL); /* takes SIGSEGV again */
    raise(SIGSEGV);
    printf("still here\n");
    return 0;
}

/* Handlers that the program installs before a launch takes SIGSEGV again: each
 * way to ask for one. */
static volatile int handled;
static struct sigaction old;
static void count_signal(int number) {
    handled += number == SIGSEGV;
}
static void count_info(int number, siginfo_t *info, void *context) {
    (void)context;
    handled += number == SIGSEGV && info->si_code == SI_TKILL;
}
static void count_and_pass_on(int number, siginfo_t *info, void *context) {
    count_info(number, info, context);
    old.sa_sigaction(number, info, context);
}

static int own_handlers(void) {
    int *m;
    struct sigaction a = {.sa_sigaction = count_info, .sa_flags = SA_SIGINFO};
    OK(cudaMallocManaged((void **)&m, 64, 1));
    signal(SIGSEGV, count_signal);
    launch(m, 1, 32, NULL);
    raise(SIGSEGV);
    raise(SIGSEGV);
    EXPECT(handled == 2);
    sigaction(SIGSEGV, &a, NULL);
    launch(m, 1, 32, NULL);
    raise(SIGSEGV);
    EXPECT(handled == 3);
    EXPECT(m[0] >= 0); /* a note */
    return 0;
}

static int once_handler(void) {
    int *m;
    struct sigaction a = {.sa_handler = count_signal,
                          .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    OK(cudaMallocManaged((void **)&m, 64, 1));
    sigaction(SIGSEGV, &a, NULL);
    launch(m, 1, 32, NULL);
    raise(SIGSEGV);
    EXPECT(handled == 1);
    raise(SIGSEGV);
    return 0;
}

static int passes_on(void) {
    int *m;
    struct sigaction a = {.sa_sigaction = count_and_pass_on,
                          .sa_flags = SA_SIGINFO};
    OK(cudaMallocManaged((void **)&m, 64, 1));
    sigaction(SIGSEGV, &a, &old);
    launch(m, 1, 32, NULL);
    raise(SIGSEGV);
    return handled;
}

static int deref(void) {
    int *d = some(4);
    printf("before\n");
    fflush(stdout);
    d[2] = 1;
    return 0;
}

#endif
