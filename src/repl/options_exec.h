/* options_exec.h - the words of `exec` that are nvcc's. */
#ifndef TC_REPL_OPTIONS_EXEC_H
#define TC_REPL_OPTIONS_EXEC_H

#include "repl/options.h"
#include <getopt.h>

/* Takes nvcc's words behind `exec` out of argv, into cli->exec.nvcc: what is
 * left, in own (argc + 2 words of room), is read as ever, with the first .cu as
 * the program. The length of that; 0: there is nothing but one source, and argv
 * is to be read. longs: the options that are ours. */
int tc_cli_split_exec(tc_cli *cli, int argc, char **argv, char **own,
                      const struct option *longs);

#endif
