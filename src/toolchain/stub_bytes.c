/* The archive that is linked into every CUDA program, as bytes of ours. The
 * Makefile names it (TC_STUB_ARCHIVE) and builds it first; a build that has
 * none, as a fuzz target's, has no bytes. */
#include "toolchain/internal.h"

#ifdef TC_STUB_ARCHIVE
#define BYTES ".incbin \"" TC_STUB_ARCHIVE "\"\n"
#else
#define BYTES ""
#endif

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl tc_stub_archive\n"
        "tc_stub_archive:\n" BYTES ".globl tc_stub_archive_end\n"
        "tc_stub_archive_end:\n"
        ".byte 0\n"
        ".popsection\n");
