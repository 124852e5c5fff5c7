/* shell.h - the program's one session, and the ways commands reach it. */
#ifndef TC_REPL_SHELL_H
#define TC_REPL_SHELL_H

#include "base/buf.h"
#include "repl/options.h"
#include "repl/print.h"
#include "tilecopy.h"
#include <stdio.h>

typedef struct tc_shell {
    tc_session *session;
    const tc_cli *cli;
    tc_printer printer;
    bool interactive; /* a person types at a prompt */
    bool pages;       /* on a terminal that a pager can use */
    tc_buf unread;    /* for the pager, when the command has ended */
    tc_status status; /* of the first command that failed */
    tc_status last;   /* of the last command */
    const char *file; /* that entries are read from, or NULL */
    int line;         /* of it where the entry under way begins */
} tc_shell;

/* Opens the session; false after a diagnostic. Close in either case. */
bool tc_shell_open(tc_shell *sh, const tc_cli *cli, bool interactive);
void tc_shell_close(tc_shell *sh);

/* Each evaluates within the time limit, notes the first failure's status, and
 * returns false when a batch has to stop: after a failure without
 * --keep-going, or after `quit`. */
bool tc_shell_load(tc_shell *sh, const char *path);
bool tc_shell_entry(tc_shell *sh, const char *text);

/* Commands from a stream, one a line; a definition goes on to a blank line.
 * At a prompt (its rc file) a failure does not stop them. What is wrong is told
 * with the line of the file, whose path may be NULL. */
bool tc_shell_stream(tc_shell *sh, FILE *in, const char *path);

/* `lesson [NAME]` of the command line where nobody types: all of a lesson. */
void tc_shell_lesson(tc_shell *sh, const char *line);

/* why, partition, run and timeline, each under a heading. */
void tc_shell_tour(tc_shell *sh);

/* The terminal's columns, or 80; its rows, or 0. */
int tc_shell_width(void);
int tc_shell_height(void);

/* The exit status: findings make it 1 even where no command failed. */
tc_status tc_shell_status(const tc_shell *sh);

#endif
