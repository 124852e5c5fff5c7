/* ptxas.c - what ptxas says of a kernel. */
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "90a", "sm_90a" -> sm_90a */
static const char *arch_of(tc_arena *a, const char *arch) {
    return strncmp(arch, "sm_", 3) == 0 ? arch : tc_format(a, "sm_%s", arch);
}

/* Name in the cache of what this ptxas makes of the text, or of one entry. */
static const char *name_of(tc_arena *a, const tc_toolchain *t, const char *text,
                           const char *arch, const char *entry,
                           const char *suffix) {
    tc_hash h = TC_HASH_START;
    tc_hash_stat(&h, t->ptxas);
    tc_hash_text(&h, arch);
    tc_hash_text(&h, entry);
    tc_hash_text(&h, text);
    return tc_format(a, "%s.%s", tc_hash_name(a, h), suffix);
}

/* Runs it; said gets its words, and why it could not be run to its end. */
static bool run(tc_arena *a, const char *const *argv, const char *work,
                const tc_build_options *o, tc_buf *said) {
    const char *env[] = {"LC_ALL=C", tc_format(a, "TMPDIR=%s", work), NULL};
    tc_buf why = TC_BUF_INIT;
    tc_process p = {.argv = argv,
                    .env = env,
                    .out = said,
                    .err = said,
                    .cancel = o->cancel,
                    .limits = o->limits ? o->limits : tc_limits_usual(),
                    .why = &why,
                    .own = work};
    int status = tc_run(&p);
    if (status == TC_RUN_NOT_STARTED) {
        tc_buf_printf(said, "%s: %s", argv[0], strerror(errno));
    } else if (status == TC_RUN_LIMITED) {
        tc_buf_printf(said, "it was stopped: %s", tc_buf_text(&why));
    } else if (status == TC_RUN_CANCELLED) {
        tc_buf_puts(said, "interrupted");
    }
    tc_buf_free(&why);
    return status == 0;
}

/* ptxas -v on the text, or on an entry of it and what that calls alone: what it
 * said, and the cubin's bytes if it takes it. */
static void *assemble(tc_arena *a, const tc_toolchain *t, const char *text,
                      const char *arch, const char *entry,
                      const tc_build_options *o, tc_buf *said, size_t *bytes) {
    const char *work = tc_temporary(a);
    if (work == NULL) {
        tc_buf_printf(said, "there is no folder for temporary files: %s",
                      strerror(errno));
        return NULL;
    }
    const char *ptx = tc_format(a, "%s/kernels.ptx", work);
    const char *cubin = tc_format(a, "%s/kernels.cubin", work);
    const char *argv[] = {t->ptxas,
                          "-v",
                          "-arch",
                          arch_of(a, arch),
                          "--generate-line-info",
                          "-o",
                          cubin,
                          ptx,
                          entry != NULL ? "-e" : NULL,
                          entry,
                          NULL};
    void *made = NULL;
    if (!tc_write_file(ptx, text, strlen(text), 0644)) {
        tc_buf_printf(said, "%s: %s", ptx, strerror(errno));
    } else if (run(a, argv, work, o, said)) {
        made = tc_read_file(a, cubin, bytes);
    }
    tc_remove_tree(work);
    return made;
}

/* "Compiling entry function 'name' for 'sm_90a'", and then, a line or more
 * later, "Used 18 registers, ...": 18, of the only entry. */
static uint32_t registers_in(tc_arena *a, const char *said) {
    bool own = false;
    for (const char *p = said; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        const char *line = tc_strndup(a, p, n);
        const char *used = strstr(line, "Used ");
        if (strstr(line, "Compiling ") != NULL) { /* or a function's */
            own = strstr(line, "Compiling entry function '") != NULL;
        } else if (own && used != NULL && atoi(used + 5) > 0) {
            return (uint32_t)atoi(used + 5);
        }
        p += n + (p[n] == '\n');
    }
    return 0;
}

/* Where it cannot be kept it is made again. */
static void keep(tc_arena *a, const char *cache, const char *name,
                 const char *what, const void *bytes, size_t len) {
    tc_part part = {what, 0600, bytes, len};
    if (cache != NULL && tc_cache_put(a, cache, name, &part, 1) != NULL) {
        tc_cache_trim(a, cache);
    }
}

uint32_t tc_ptxas_registers(tc_arena *a, const tc_toolchain *t,
                            const char *ptx_text, const char *arch,
                            const char *kernel, const tc_build_options *o) {
    if (t->ptxas == NULL) {
        return 0;
    }
    const char *name = name_of(a, t, ptx_text, arch, kernel, "registers");
    const char *note, *cache = tc_cache_folder(a, o->cache, &note);
    tc_part part = {.name = "registers", .mode = 0600};
    size_t bytes = 0;
    if (cache != NULL && tc_cache_find(a, cache, name, &part, 1) != NULL) {
        return (uint32_t)atoi(part.bytes);
    }
    uint32_t n = 0;
    tc_buf said = TC_BUF_INIT;
    if (assemble(a, t, ptx_text, arch, kernel, o, &said, &bytes) != NULL) {
        n = registers_in(a, tc_buf_text(&said));
        const char *text = tc_format(a, "%u\n", n);
        keep(a, cache, name, "registers", text, strlen(text));
    }
    tc_buf_free(&said);
    return n;
}

const void *tc_ptxas_cubin(tc_arena *a, const tc_toolchain *t,
                           const char *ptx_text, const char *arch,
                           const tc_build_options *o, size_t *bytes, char *why,
                           size_t why_size) {
    if (t->ptxas == NULL) {
        snprintf(why, why_size, "there is no ptxas beside %s", t->nvcc);
        return NULL;
    }
    const char *name = name_of(a, t, ptx_text, arch, NULL, "cubin"), *note;
    const char *cache = tc_cache_folder(a, o->cache, &note);
    tc_part part = {.name = "cubin", .mode = 0600};
    if (cache != NULL && tc_cache_find(a, cache, name, &part, 1) != NULL) {
        *bytes = part.len;
        return part.bytes;
    }
    tc_buf said = TC_BUF_INIT;
    void *made = assemble(a, t, ptx_text, arch, NULL, o, &said, bytes);
    if (made == NULL) {
        snprintf(why, why_size, "ptxas refused it: %s", tc_buf_text(&said));
    } else {
        keep(a, cache, name, "cubin", made, *bytes);
    }
    tc_buf_free(&said);
    return made;
}
