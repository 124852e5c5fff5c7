/* options.h - the command line, as the README and --help describe it. */
#ifndef TC_REPL_OPTIONS_H
#define TC_REPL_OPTIONS_H

#include "grade/grade.h"
#include "tilecopy.h"

/* What the words of the command line ask for, before the terminal is looked
 * at. The strings are argv's own; the two arrays are owned. */
typedef struct tc_cli {
    tc_options session;
    struct {
        bool asked;          /* the subcommand was given */
        const char *program; /* the .cu; NULL: not given */
        const char **nvcc;   /* nvcc's words, program among them, ended by NULL;
                                owned. NULL: program alone */
        const char **args;   /* behind "--", ended by NULL; owned */
        const char *report;  /* a file, or NULL */
        const char *sarif;   /* the same */
        bool lines, quiet, pedantic, no_suppressions, timing;
    } exec;
    struct {
        bool asked; /* the subcommand was given */
        const char *exercise, *submission;
        const char *format, *output; /* a file; NULL: standard output */
        const char *all;             /* a folder of submissions, or NULL */
        int jobs;                    /* 0: one a processor */
        int shard, shards;           /* shards 0: all */
        tc_grade_sandbox sandbox;
    } grade;
    struct {
        bool asked;       /* the subcommand was given */
        const char *word; /* "new", "check", a kit or an exercise; NULL: all */
        const char *name; /* behind new, check and a kit, or NULL */
    } exercise;
    bool has_seed; /* --seed was given */
    const char **files;
    int nfiles;
    const char **evals; /* -e COMMAND, in order */
    int nevals;
    char *lesson; /* the command that `lesson [NAME]` stands for, owned */
    bool batch, keep_going, tour;
    bool has_timeout; /* --timeout was given */
    enum { TC_COLOR_AUTO, TC_COLOR_ALWAYS, TC_COLOR_NEVER } color;
} tc_cli;

extern const char tc_help[], tc_help_exec[];

/* True: go on. False: everything is said (help, version, or one line about bad
 * usage with a hint), and *status is the exit status. Free cli either way. */
bool tc_cli_parse(tc_cli *cli, int argc, char **argv, tc_status *status);
void tc_cli_free(tc_cli *cli);

/* Whether colours go to the open file fd: the flag, then NO_COLOR, then
 * FORCE_COLOR, then whether it is a terminal that can show them. */
bool tc_cli_color(const tc_cli *cli, int fd);

#endif
