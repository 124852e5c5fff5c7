/* machine_code.c - the machine code of a kernel, for the clock. */
#include "load/load.h"
#include "sass/sass.h"
#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

const tc_sass *tc_load_machine_code(tc_arena *a, const tc_toolchain *t,
                                    const char *ptx, const char *arch,
                                    const char *only, const char *kernel,
                                    const tc_build_options *o) {
    const char *said = getenv("TILECOPY_PTXAS"), *unread;
    char why[256];
    size_t bytes;
    if (t == NULL || (said != NULL && strcmp(said, "none") == 0)) {
        return NULL;
    }
    const void *cubin =
        tc_ptxas_cubin(a, t, ptx, arch, only, o, &bytes, why, sizeof why);
    tc_sass *code = TC_NEW(a, tc_sass);
    bool read =
        cubin != NULL && tc_sass_read(a, cubin, bytes, kernel, code, &unread);
    return read ? code : NULL;
}
