/* prompt.h - the interactive prompt, on GNU Readline. */
#ifndef TC_REPL_PROMPT_H
#define TC_REPL_PROMPT_H

#include "repl/shell.h"

/* Runs the commands of $XDG_CONFIG_HOME/tilecopy-repl/rc, if there is one. */
void tc_prompt_rc(tc_shell *sh);

/* Welcome, then entries until Ctrl-D or `quit`. loaded is the last file that
 * was loaded without an error, or NULL. One at a time in a process. */
void tc_prompt(tc_shell *sh, const char *loaded);

/* At the prompt: one line, without history; NULL at its end or Ctrl-C. */
char *tc_prompt_ask(tc_shell *sh, const char *question);

#endif
