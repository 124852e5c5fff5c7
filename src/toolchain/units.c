/* units.c - builds of several sources: their key, device linking, and the PTX of
 * all of them. */
#include "toolchain/build.h"
#include "toolchain/nvcc/fatbin.h"

#include <ctype.h>
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

/* "sm_90a" -> "90a" */
static const char *number_of(const tc_job *j) {
    const char *arch = j->o->arch;
    return strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static bool has_word(const tc_words *w, const char *word) {
    for (int i = 0; i < w->n; i++) {
        if (strcmp(w->w[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* Relocatable code registers itself through a function of its own that the
 * device linker would define (crt/link.stub): here all are one of our runtime,
 * and PTX is linked by us. Objects and archives alike have the names as text. */
void tc_build_linked_names(tc_arena *a, const char *bytes, size_t len,
                           tc_words *options) {
    static const char begin[] = "__cudaRegisterLinkedBinary_";
    const size_t n = sizeof begin - 1;
    const char *p = bytes, *end = bytes + len;
    while ((p = memmem(p, (size_t)(end - p), begin, n)) != NULL) {
        const char *q = p + n;
        while (q < end && in_name(*q)) {
            q++;
        }
        if (p > bytes && !in_name(p[-1]) && q > p + n) {
            const char *word =
                tc_format(a, "-Wl,--defsym=%.*s=tc_stub_register_linked",
                          (int)(q - p), p);
            if (!has_word(options, word)) {
                TC_PUSH(a, options->w, options->n, options->cap, word);
            }
        }
        p = q;
    }
}

void tc_build_device_link(tc_job *j, tc_words *options) {
    for (int i = 0; j->line != NULL && i < j->n; i++) {
        size_t len = 0;
        const char *bytes = tc_read_file(j->a, j->units[i].object, &len);
        if (bytes != NULL) {
            tc_build_linked_names(j->a, bytes, len, options);
        }
    }
    for (int i = 0; j->line != NULL && i < j->line->libraries.n; i++) {
        size_t len = 0;
        const char *bytes = tc_read_file(j->a, j->line->libraries.w[i], &len);
        if (bytes != NULL) {
            tc_build_linked_names(j->a, bytes, len, options);
        }
    }
}

/* --- PTX -------------------------------------------------------------------*/

tc_build_status tc_build_collect(tc_job *j, const char *program,
                                 const char **ptx) {
    size_t len = 0;
    const char *bytes = tc_read_file(j->a, program, &len);
    tc_fatbin *all = NULL;
    int n = bytes != NULL
                ? tc_fatbin_read(j->a, bytes, len, atoi(number_of(j)), &all)
                : 0;
    tc_buf text = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        if (all[i].ptx == NULL) {
            tc_buf_free(&text);
            return tc_build_fails(
                j,
                "one of its objects has %s: build it with "
                "`tilecopy-repl nvcc`, or with nvcc's --no-compress and PTX "
                "for this machine (-gencode arch=compute_%s,code=compute_%s)",
                all[i].lacks, number_of(j), number_of(j));
        }
        tc_buf_printf(&text, TC_UNIT_MARK "%08x %s\n", all[i].id,
                      all[i].relocatable ? "relocatable" : "whole");
        tc_buf_write(&text, all[i].ptx, all[i].len);
        tc_buf_putc(&text, '\n');
    }
    *ptx = tc_format(j->a, "%s/units.ptx", j->work);
    bool ok = tc_write_file(*ptx, tc_buf_text(&text), text.len, 0600);
    tc_buf_free(&text);
    return ok ? TC_BUILD_OK
              : tc_build_machine(j, "%s: %s", *ptx, strerror(errno));
}
