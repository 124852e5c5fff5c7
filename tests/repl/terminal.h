/* terminal.h - a program on a pseudo terminal, typed at and read by a test. */
#ifndef TC_TESTS_REPL_TERMINAL_H
#define TC_TESTS_REPL_TERMINAL_H

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct terminal {
    int fd;      /* the master side */
    pid_t pid;   /* the program */
    tc_buf raw;  /* all it wrote */
    tc_buf out;  /* the same without escape sequences and \r */
    size_t mark; /* expect() searches out from here */
} terminal;

/* Starts argv with the caller's environment on a terminal of 80x24. */
terminal terminal_start(char *const argv[]);
terminal terminal_start_at(char *const argv[], int columns);

void terminal_send(terminal *t, const char *keys);

/* Waits until the program has written text after the mark, and moves the mark
 * behind it; false when ten seconds pass or the program ends. */
bool terminal_expect(terminal *t, const char *text);

/* Until the program reads key by key: a Ctrl-D before that is lost. False when
 * it has ended. */
bool terminal_reads_keys(terminal *t);
/* Reads for ms milliseconds. */
void terminal_settle(terminal *t, int ms);

void terminal_resize(terminal *t, int columns);

/* True when the terminal echoes and edits lines itself, as before a start. */
bool terminal_is_cooked(const terminal *t);

/* Waits for the end and frees t. The exit status, 128 + N for a signal, or -1
 * after killing a program that goes on for ten seconds. */
int terminal_finish(terminal *t);

#endif
