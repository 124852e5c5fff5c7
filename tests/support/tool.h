/* tool.h - NVIDIA's compilers, where there are any, as judges of the texts in
 * tests. Where one is missing a line says so: the harness shows it once. */
#ifndef TC_TEST_TOOL_H
#define TC_TEST_TOOL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The tool's command, or NULL. */
const char *tool_path(const char *tool, char *out, size_t size);
bool have_tool(const char *tool);

/* Does the tool, which is there, take the text as a file of that suffix? What
 * it does not is shown. */
bool run_tool(const char *tool, const char *flags, const char *suffix,
              const char *text);

/* Does ptxas assemble the text for that arch? True where there is none. */
bool ptxas_takes(const char *arch, const char *text);

#endif
