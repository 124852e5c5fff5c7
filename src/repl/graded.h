/* graded.h - `tilecopy-repl grade`. */
#ifndef TC_REPL_GRADED_H
#define TC_REPL_GRADED_H

#include "repl/options.h"

/* Does what the command line asks for; returns the exit status. */
tc_status tc_graded_main(const tc_cli *cli);

#endif
