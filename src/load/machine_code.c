/* machine_code.c - the machine code of a kernel, for the clock. */
#include "load/load.h"
#include "sass/sass.h"
#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

static bool is_unwanted(void) {
    const char *said = getenv("TILECOPY_PTXAS");
    return said != NULL && strcmp(said, "none") == 0;
}

bool tc_load_has_machine_code(void) {
    const char *why, *hint;
    tc_arena *a = tc_arena_new();
    bool has = !is_unwanted() && tc_toolchain_find(a, &why, &hint) != NULL;
    tc_arena_free(a);
    return has;
}

const tc_sass *tc_load_machine_code(tc_arena *a, const tc_toolchain *t,
                                    const char *ptx, const char *arch,
                                    const char *only, const char *kernel,
                                    const tc_build_options *o) {
    const char *unread;
    char why[256];
    size_t bytes;
    if (t == NULL || is_unwanted()) {
        return NULL;
    }
    const void *cubin =
        tc_ptxas_cubin(a, t, ptx, arch, only, o, &bytes, why, sizeof why);
    tc_sass *code = TC_NEW(a, tc_sass);
    bool read =
        cubin != NULL && tc_sass_read(a, cubin, bytes, kernel, code, &unread);
    return read ? code : NULL;
}
