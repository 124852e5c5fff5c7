/* exec.h - `tilecopy-repl exec`: a whole CUDA program, built and run. */
#ifndef TC_REPL_EXEC_H
#define TC_REPL_EXEC_H

#include "repl/options.h"

/* Does what the command line asks for; returns the exit status. */
int tc_exec_main(const tc_cli *cli);

#endif
