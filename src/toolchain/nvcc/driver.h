/* driver.h - what makes tilecopy-repl a compiler driver. */
#ifndef TC_TOOLCHAIN_NVCC_DRIVER_H
#define TC_TOOLCHAIN_NVCC_DRIVER_H

#include "toolchain/internal.h"
#include "toolchain/nvcc/command_line.h"

/* shadow.c: a folder that looks like the toolkit's, whose nvcc is this program
 * and whose cudart is our runtime: made once, kept beside the builds. NULL with
 * why. */
const char *tc_shadow_toolkit(tc_arena *a, const tc_toolchain *t,
                              const char **why);
/* The toolkit's own folder. */
const char *tc_shadow_top(tc_arena *a, const tc_toolchain *t);
/* A header in that folder. Each object that includes it wants our runtime by
 * name, and then has all of cudart from it: a shared cudart that a build system
 * found elsewhere and names before it gives nothing. */
#define TC_SHADOW_HEADER "tilecopy.h"
/* What a wrapper of ours begins with. */
#define TC_SHADOW_MARK "#!/bin/sh\n# nvcc by tilecopy-repl"

/* fatbin.c: the functions __cudaRegisterLinkedBinary_... that the bytes of an
 * object or archive name, each once. */
void tc_linked_names(tc_arena *a, const char *bytes, size_t len,
                     tc_words *names);

#endif
