/* Files that travel in our program: the archive that is linked into every CUDA
 * program, and the script that fetches a compiler. The Makefile names them; a
 * build that does not, as a fuzz target's, has neither. */
#include "toolchain/internal.h"

#ifdef TC_STUB_ARCHIVE
#define STUB   ".incbin \"" TC_STUB_ARCHIVE "\"\n"
#define SCRIPT ".incbin \"" TC_TOOLKIT_SCRIPT "\"\n"
#else
#define STUB   ""
#define SCRIPT ""
#endif

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl tc_stub_archive\n"
        ".type tc_stub_archive, %object\n"
        "tc_stub_archive:\n" STUB ".size tc_stub_archive, . - tc_stub_archive\n"
        ".globl tc_stub_archive_end\n"
        ".type tc_stub_archive_end, %object\n"
        ".size tc_stub_archive_end, 1\n"
        "tc_stub_archive_end:\n"
        ".byte 0\n"
        ".globl tc_toolkit_script\n"
        "tc_toolkit_script:\n" SCRIPT ".byte 0\n"
        ".popsection\n");
