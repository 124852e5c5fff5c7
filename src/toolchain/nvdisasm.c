/* nvdisasm.c - the text of a kernel's machine code, where nvdisasm is there. */
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

const char *tc_nvdisasm_find(tc_arena *a, const tc_toolchain *t) {
    const char *own = getenv("TILECOPY_NVDISASM");
    if (own != NULL && *own != '\0') {
        return tc_is_program(own) ? own : NULL;
    }
    if (t->ptxas != NULL) {
        char *beside = tc_format(a, "%s/nvdisasm", tc_folder_of(a, t->ptxas));
        if (tc_is_program(beside)) {
            return beside;
        }
    }
    return tc_in_path(a, "nvdisasm");
}

/* "@!P0", "BRA", "0x15e0" -> "@!P0 BRA 0x15e0" */
static const char *text_of(tc_arena *a, const json_t *op) {
    const char *guard = json_string_value(json_object_get(op, "predicate"));
    const char *name = json_string_value(json_object_get(op, "opcode"));
    const char *rest = json_string_value(json_object_get(op, "operands"));
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%s%s%s", guard ? guard : "", guard ? " " : "",
                  name ? name : "?");
    for (const char *p = rest ? rest : ""; *p != '\0'; p++) {
        tc_buf_puts(&b, p == rest ? " " : "");
        tc_buf_putc(&b, *p);
        tc_buf_puts(&b, *p == ',' && p[1] != ' ' ? " " : "");
    }
    return tc_buf_finish(&b, a);
}

static const char *const *texts_in(tc_arena *a, const json_t *root,
                                   const char *kernel, int *n) {
    const json_t *functions = json_array_get(root, 1), *f;
    size_t i;
    json_array_foreach(functions, i, f) {
        const char *name =
            json_string_value(json_object_get(f, "function-name"));
        const json_t *ops = json_object_get(f, "sass-instructions");
        if (name == NULL || strcmp(name, kernel) != 0) {
            continue;
        }
        *n = (int)json_array_size(ops);
        const char **texts = TC_NEWN(a, const char *, *n + 1);
        for (int k = 0; k < *n; k++) {
            texts[k] = text_of(a, json_array_get(ops, (size_t)k));
        }
        return texts;
    }
    return NULL;
}

const char *const *tc_nvdisasm(tc_arena *a, const char *nvdisasm,
                               const void *cubin, size_t bytes,
                               const char *kernel, const atomic_int *cancel,
                               int *n) {
    const char *work = tc_temporary(a);
    if (work == NULL) {
        return NULL;
    }
    const char *path = tc_format(a, "%s/kernels.cubin", work);
    const char *argv[] = {nvdisasm, "-json", path, NULL};
    const char *const *texts = NULL;
    tc_buf out = TC_BUF_INIT;
    tc_tool_process p = {.argv = argv,
                         .out = &out,
                         .cancel = cancel,
                         .limits = tc_limits_usual(),
                         .own = work};
    if (tc_write_file(path, cubin, bytes, 0600) && tc_tool_run(&p) == 0) {
        json_t *root = json_loads(tc_buf_text(&out), 0, NULL);
        texts = texts_in(a, root, kernel, n);
        json_decref(root);
    }
    tc_buf_free(&out);
    tc_remove_tree(work);
    return texts;
}
