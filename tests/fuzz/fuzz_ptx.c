/* fuzz_ptx.c - any bytes as a PTX module: must parse, or be refused as text.
 *     make fuzz, or: clang -fsanitize=fuzzer,address,undefined -Isrc
 *     -D_GNU_SOURCE tests/fuzz/fuzz_ptx.c and the .c files of src/ptx and
 * src/base */
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static void count(void *user, const tc_diag *d) {
    *(size_t *)user += strlen(d->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = tc_xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    size_t total = 0;
    tc_source source = {"<fuzz>", text, size, 1};
    tc_diags diags = {count, &total, 0};
    tc_arena *a = tc_arena_new();
    const tc_ptx_module *m = tc_ptx_parse(a, &source, &diags);
    if ((m == NULL) != (diags.errors > 0)) {
        abort();
    }
    for (uint32_t i = 0; m != NULL && i < m->ncode; i++) {
        if (m->code[i].opcode == TC_PTX_BRA && m->code[i].target >= m->ncode) {
            abort();
        }
    }
    tc_arena_free(a);
    free(text);
    return 0;
}
