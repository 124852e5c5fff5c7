/* units.c - builds of several sources: their key, device linking, and the PTX of
 * all of them. */
#include "toolchain/build.h"
#include "toolchain/nvcc/driver.h"
#include "toolchain/nvcc/fatbin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the key ---------------------------------------------------------------*/

static void hash_words(tc_hash *h, const tc_words *l) {
    for (int i = 0; i < l->n; i++) {
        tc_hash_text(h, l->w[i]);
    }
    tc_hash_text(h, NULL);
}

/* Variables that the linker reads. */
static const char *const variables[] = {"LIBRARY_PATH", "LD_RUN_PATH",
                                        "LDEMULATION"};

void tc_build_hash_line(tc_job *j, tc_hash *h) {
    const tc_command_line *l = j->line;
    tc_hash_text(h, "line 1");
    hash_words(h, &l->compile);
    hash_words(h, &l->host);
    hash_words(h, &l->link);
    tc_hash_text(h, l->rdc ? "rdc" : "whole");
    tc_hash_text(h, l->debug ? "debug" : "lineinfo");
    for (int i = 0; i < l->libraries.n; i++) {
        size_t len = 0;
        const char *bytes = tc_read_file(j->a, l->libraries.w[i], &len);
        tc_hash_block(h, bytes != NULL ? bytes : "", len);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        tc_hash_text(h, getenv(variables[i]));
    }
}

/* --- device linking --------------------------------------------------------*/

/* Relocatable code registers itself through a function of its own that the
 * device linker would define (crt/link.stub): here all are one of our runtime,
 * and PTX is linked by us. Objects and archives alike have the names as text. */
static void link_names(tc_job *j, const char *path, tc_words *names) {
    size_t len = 0;
    const char *bytes = tc_read_file(j->a, path, &len);
    if (bytes != NULL) {
        tc_linked_names(j->a, bytes, len, names);
    }
}

void tc_build_device_link(tc_job *j, tc_words *options) {
    tc_words names = {0};
    for (int i = 0; j->line != NULL && i < j->n; i++) {
        link_names(j, j->units[i].object, &names);
    }
    for (int i = 0; j->line != NULL && i < j->line->libraries.n; i++) {
        link_names(j, j->line->libraries.w[i], &names);
    }
    for (int i = 0; i < names.n; i++) {
        const char *word = tc_format(
            j->a, "-Wl,--defsym=%s=tc_stub_register_linked", names.w[i]);
        TC_PUSH(j->a, options->w, options->n, options->cap, word);
    }
}

/* --- PTX -------------------------------------------------------------------*/

/* A text without device code. */
static const char *empty_text(tc_arena *a, const char *arch) {
    return tc_format(a, ".version 8.0\n.target %s\n.address_size 64\n", arch);
}

const char *tc_program_ptx(tc_arena *a, const void *bytes, size_t len,
                           const char *arch, size_t *n, const char **why) {
    tc_fatbin *all = NULL;
    const char *number = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
    int count = tc_fatbin_read(a, bytes, len, atoi(number), &all);
    tc_buf text = TC_BUF_INIT;
    for (int i = 0; i < count; i++) {
        if (all[i].ptx == NULL) {
            tc_buf_free(&text);
            *why = tc_format(
                a,
                "one of its objects has %s: build it with `tilecopy-repl nvcc`,"
                " or with nvcc's --no-compress and PTX for this machine "
                "(-gencode arch=compute_%s,code=compute_%s)",
                all[i].lacks, number, number);
            return NULL;
        }
        tc_buf_printf(&text, TC_UNIT_MARK "%08x %s\n", all[i].id,
                      all[i].relocatable ? "relocatable" : "whole");
        tc_buf_write(&text, all[i].ptx, all[i].len);
        tc_buf_putc(&text, '\n');
    }
    tc_buf_puts(&text, count > 0 ? "" : empty_text(a, arch));
    *n = text.len;
    const char *done = tc_buf_finish(&text, a);
    tc_buf_free(&text);
    return done;
}

tc_build_status tc_build_collect(tc_job *j, const char *program,
                                 const char **ptx) {
    size_t len = 0, n = 0;
    const char *why = "it cannot be read";
    const char *bytes = tc_read_file(j->a, program, &len);
    const char *text =
        bytes != NULL ? tc_program_ptx(j->a, bytes, len, j->o->arch, &n, &why)
                      : NULL;
    if (text == NULL) {
        return tc_build_fails(j, "%s", why);
    }
    *ptx = tc_format(j->a, "%s/units.ptx", j->work);
    return tc_write_file(*ptx, text, n, 0600)
               ? TC_BUILD_OK
               : tc_build_machine(j, "%s: %s", *ptx, strerror(errno));
}
