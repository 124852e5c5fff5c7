/* program.c - loads a program that is built already: its PTX is in it. */
#include "base/near/near.h"
#include "load/load.h"
#include "toolchain/nvcc/fatbin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All of a file. NULL after reporting. */
static const char *read_all(tc_session *s, tc_arena *a, const char *path,
                            size_t *n) {
    FILE *f = fopen(path, "rb");
    tc_buf bytes = TC_BUF_INIT;
    if (f != NULL) {
        tc_buf_read(&bytes, f);
        fclose(f);
    } else {
        int e = errno;
        tc_error(&s->diags, TC_NOWHERE, tc_file_near(a, path),
                 "cannot open '%s': %s", path, strerror(e));
    }
    *n = bytes.len;
    const char *all = bytes.len > 0 ? tc_buf_finish(&bytes, a) : NULL;
    tc_buf_free(&bytes);
    return all;
}

/* What a build of it would have left. False after reporting. */
static bool fill(tc_session *s, tc_arena *a, tc_cuda *c, const char *path) {
    const char *why = "", *hint = NULL;
    size_t n = 0;
    c->toolchain = tc_toolchain_find(a, &why, &hint);
    if (c->toolchain == NULL) {
        s->fault = "machine";
        tc_error(&s->diags, TC_NOWHERE, hint, "'%s' cannot be run: %s", path,
                 why);
        return false;
    }
    c->build.program_bytes = read_all(s, a, path, &n);
    if (c->build.program_bytes == NULL) {
        return false;
    }
    char *real = realpath(path, NULL);
    c->build.program_len = n;
    c->build.program = tc_strdup(a, real != NULL ? real : path);
    c->build.said = "";
    c->build.cached = true;
    free(real);
    const char *made_for = tc_fatbin_machine(a, c->build.program_bytes, n);
    const char *machine = made_for != NULL && s->options.arch == NULL
                              ? tc_cuda_machine(a, made_for)
                              : NULL;
    c->arch = machine != NULL ? machine : tc_session_arch(s);
    c->options = (tc_build_options){
        .program = true, .cancel = &s->cancel, .arch = c->arch};
    return true;
}

tc_status tc_cuda_load_program(tc_session *s, const char *path) {
    tc_arena *a = tc_arena_new();
    tc_cuda *c = TC_NEW(a, tc_cuda);
    tc_source *ptx = TC_NEW(a, tc_source), *own = TC_NEW(a, tc_source);
    const char *why = "";
    *own = (tc_source){.name = tc_strdup(a, path), .text = "", .first_line = 1};
    if (!fill(s, a, c, path)) {
        tc_arena_free(a);
        return TC_FAILED;
    }
    *ptx = (tc_source){.name = own->name, .first_line = 1};
    ptx->text = tc_program_ptx(a, c->build.program_bytes, c->build.program_len,
                               c->arch, &ptx->len, &why);
    if (ptx->text == NULL) {
        tc_error(&s->diags, TC_NOWHERE, NULL, "'%s' cannot be run: %s", path,
                 why);
    }
    if (ptx->text == NULL || !tc_cuda_link(s, a, c, ptx)) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    tc_loaded *f = tc_loaded_cuda(s, a, ptx, own, c->toolchain->include);
    if (f == NULL) {
        return TC_FAILED;
    }
    f->cuda = c;
    tc_loaded_retain(s, f);
    return TC_OK;
}
