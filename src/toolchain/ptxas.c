/* ptxas.c - what ptxas says of a kernel. */
#include "base/progress/progress.h"
#include "base/temporary.h"
#include "toolchain/build.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "90a", "sm_90a" -> sm_90a */
static const char *arch_of(tc_arena *a, const char *arch) {
    return strncmp(arch, "sm_", 3) == 0 ? arch : tc_format(a, "sm_%s", arch);
}

/* What ptxas is asked: of one kernel of the text alone, or (NULL) of all. */
typedef struct ptxas_request {
    const tc_toolchain *t;
    const char *text, *arch, *kernel;
    const tc_build_options *o;
} ptxas_request;

/* Name in the cache of what this ptxas makes of the text. */
static const char *name_of(tc_arena *a, const ptxas_request *q,
                           const char *suffix) {
    tc_hash h = TC_HASH_START;
    tc_hash_stat(&h, q->t->ptxas);
    tc_hash_text(&h, q->arch);
    tc_hash_text(&h, q->kernel ? q->kernel : "");
    tc_hash_text(&h, q->text);
    return tc_format(a, "%s.%s", tc_hash_name(a, h), suffix);
}

/* Runs it; said gets its words, and why it could not be run to its end. */
static tc_build_status run(tc_arena *a, const tc_toolchain *t,
                           const char *const *argv, const char *work,
                           const tc_build_options *o, tc_buf *said) {
    const char *env[] = {"LC_ALL=C", tc_format(a, "TMPDIR=%s", work), NULL};
    tc_buf why = TC_BUF_INIT;
    tc_sandbox box;
    tc_tool_process p = {.argv = argv,
                         .env = env,
                         .sandbox = tc_build_sandbox(a, t, o, work, &box),
                         .out = said,
                         .err = said,
                         .cancel = o->cancel,
                         .limits = o->limits ? o->limits : tc_limits_usual(),
                         .why = &why,
                         .own = work};
    tc_build_status s = TC_BUILD_MACHINE;
    int status = tc_tool_run(&p);
    if (status == TC_RUN_NOT_STARTED) {
        tc_buf_printf(said, "%s cannot be run: %s", argv[0], strerror(errno));
    } else if (status == TC_RUN_LIMITED) {
        s = TC_BUILD_LIMITED;
        tc_buf_clear(said);
        tc_buf_printf(said, "ptxas was stopped: %s", tc_buf_text(&why));
    } else if (status == TC_RUN_CANCELLED) {
        s = TC_BUILD_CANCELLED;
        tc_buf_puts(said, "interrupted");
    } else if (status == 0) {
        s = TC_BUILD_OK;
    } else if (status == 128 + SIGKILL || status == 128 + SIGTERM) {
        tc_buf_clear(said);
        tc_buf_printf(said, "ptxas was ended by signal %d", status - 128);
    } else { /* errors in the text, or a crash over it, or no room for it */
        s = tc_build_lacks_room(tc_buf_text(said)) ? TC_BUILD_MACHINE
                                                   : TC_BUILD_REFUSED;
    }
    tc_buf_free(&why);
    return s;
}

/* ptxas -v: what it said, and the cubin's bytes if it takes the text. */
static tc_build_status assemble(tc_arena *a, const ptxas_request *q,
                                tc_buf *said, void **made, size_t *bytes) {
    const char *work = tc_temporary(a);
    if (work == NULL) {
        tc_buf_printf(said, "there is no folder for temporary files: %s",
                      strerror(errno));
        return TC_BUILD_MACHINE;
    }
    const char *ptx = tc_format(a, "%s/kernels.ptx", work);
    const char *cubin = tc_format(a, "%s/kernels.cubin", work);
    const char *argv[] = {q->t->ptxas,
                          "-v",
                          "-arch",
                          arch_of(a, q->arch),
                          "--generate-line-info",
                          "-o",
                          cubin,
                          ptx,
                          q->kernel ? "-e" : NULL,
                          q->kernel,
                          NULL};
    tc_build_status s = TC_BUILD_MACHINE;
    if (!tc_write_file(ptx, q->text, strlen(q->text), 0644)) {
        tc_buf_printf(said, "%s: %s", ptx, strerror(errno));
    } else {
        s = run(a, q->t, argv, work, q->o, said);
    }
    if (s == TC_BUILD_OK && (*made = tc_read_file(a, cubin, bytes)) == NULL) {
        tc_buf_printf(said, "%s: %s", cubin, strerror(errno));
        s = TC_BUILD_MACHINE;
    }
    tc_remove_tree(work);
    return s;
}

/* The same, told to whoever waits. */
static tc_build_status assemble_timed(tc_arena *a, const ptxas_request *q,
                                      const char *cache, tc_buf *said,
                                      void **made, size_t *bytes) {
    const char *name = q->kernel != NULL ? q->kernel : "";
    tc_progress p;
    tc_progress_begin("ptxas on %s", *name != '\0' ? name : "the kernels");
    tc_progress_expect(cache != NULL ? tc_took_before(a, cache, "ptxas", name)
                                     : 0);
    tc_build_status s = assemble(a, q, said, made, bytes);
    if (s == TC_BUILD_OK && cache != NULL && tc_progress_now(&p)) {
        tc_took(a, cache, "ptxas", name, p.seconds);
    }
    tc_progress_end();
    return s;
}

/* "Compiling entry function 'name' for 'sm_90a'", and then, a line or more
 * later, "Used 18 registers, ...": "name 18". */
static const char *registers_in(tc_arena *a, const char *said) {
    static const char *const entry = "Compiling entry function '";
    tc_buf out = TC_BUF_INIT;
    const char *name = NULL;
    size_t len = 0;
    for (const char *p = said; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        const char *line = tc_strndup(a, p, n);
        const char *at = strstr(line, entry), *used = strstr(line, "Used ");
        if (at != NULL) {
            name = at + strlen(entry);
            len = strcspn(name, "'");
        } else if (strstr(line, "Compiling ") != NULL) {
            name = NULL; /* a function that is called */
        } else if (name != NULL && used != NULL && atoi(used + 5) > 0) {
            tc_buf_printf(&out, "%.*s %d\n", (int)len, name, atoi(used + 5));
            name = NULL;
        }
        p += n + (p[n] == '\n');
    }
    tc_buf_puts(&out, "");
    return tc_buf_finish(&out, a);
}

bool tc_registers_among(const char *lines, const char *kernel, uint32_t *n) {
    size_t len = strlen(kernel);
    *n = 0;
    for (const char *p = lines ? lines : ""; *p != '\0';) {
        if (strncmp(p, kernel, len) == 0 && p[len] == ' ') {
            *n = (uint32_t)strtoul(p + len, NULL, 10);
            return true;
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return false;
}

/* Where it cannot be kept it is made again. */
static void keep(tc_arena *a, const char *cache, const char *name,
                 const char *what, const void *bytes, size_t len) {
    tc_part part = {what, 0600, bytes, len};
    const char *entry =
        cache != NULL ? tc_cache_put(a, cache, name, &part, 1) : NULL;
    if (entry != NULL) {
        tc_cache_grew(a, cache, entry);
    }
}

tc_build_status tc_ptxas_registers(tc_arena *a, const tc_toolchain *t,
                                   const char *ptx_text, const char *arch,
                                   const char *kernel,
                                   const tc_build_options *o,
                                   const char **lines, char *why,
                                   size_t why_size) {
    *lines = "";
    if (t->ptxas == NULL) {
        return TC_BUILD_OK;
    }
    ptxas_request q = {t, ptx_text, arch, kernel, o};
    const char *name = name_of(a, &q, "registers"), *note;
    const char *cache = tc_cache_folder(a, o->cache, &note);
    tc_part part = {.name = "registers", .mode = 0600};
    size_t bytes = 0;
    void *made = NULL;
    if (cache != NULL && tc_cache_find(a, cache, name, &part, 1) != NULL) {
        *lines = part.bytes;
        return TC_BUILD_OK;
    }
    tc_buf said = TC_BUF_INIT;
    tc_build_status s = assemble_timed(a, &q, cache, &said, &made, &bytes);
    if (s == TC_BUILD_OK) {
        *lines = registers_in(a, tc_buf_text(&said));
    }
    if (s == TC_BUILD_OK || s == TC_BUILD_REFUSED) { /* it would be again */
        keep(a, cache, name, "registers", *lines, strlen(*lines));
    }
    if (s == TC_BUILD_OK) { /* whoever asks for the one often wants the other */
        keep(a, cache, name_of(a, &q, "cubin"), "cubin", made, bytes);
    }
    snprintf(why, why_size, "%s", tc_buf_text(&said));
    tc_buf_free(&said);
    return s;
}

const void *tc_ptxas_cubin(tc_arena *a, const tc_toolchain *t,
                           const char *ptx_text, const char *arch,
                           const char *kernel, const tc_build_options *o,
                           size_t *bytes, char *why, size_t why_size) {
    if (t->ptxas == NULL) {
        snprintf(why, why_size, "there is no ptxas beside %s", t->nvcc);
        return NULL;
    }
    ptxas_request q = {t, ptx_text, arch, kernel, o};
    const char *name = name_of(a, &q, "cubin"), *note;
    const char *cache = tc_cache_folder(a, o->cache, &note);
    tc_part part = {.name = "cubin", .mode = 0600};
    if (cache != NULL && tc_cache_find(a, cache, name, &part, 1) != NULL) {
        *bytes = part.len;
        return part.bytes;
    }
    tc_buf said = TC_BUF_INIT;
    void *made = NULL;
    tc_build_status s = assemble_timed(a, &q, cache, &said, &made, bytes);
    if (s != TC_BUILD_OK) {
        snprintf(why, why_size, "%s%s",
                 s == TC_BUILD_REFUSED ? "ptxas refused it: " : "",
                 tc_buf_text(&said));
    } else {
        keep(a, cache, name, "cubin", made, *bytes);
    }
    tc_buf_free(&said);
    return made;
}
