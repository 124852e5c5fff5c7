/* cuda.c - loads a .cu: builds it, reads its PTX, knows its kernels. */

#include "base/arch.h"
#include "load/load.h"
#include "toolchain/nvcc/command_line.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the compiler ----------------------------------------------------------*/

bool tc_session_compiler(tc_session *s, const char **why, const char **hint) {
    return tc_toolchain_find(s->arena, why, hint) != NULL;
}

const char *tc_session_compiler_home(tc_session *s) {
    return tc_toolchain_home(s->arena);
}

typedef struct progress {
    tc_session *s;
} progress;

static void say_line(void *user, const char *line) {
    progress *p = user;
    if (p->s->output != NULL) {
        p->s->output(p->s->user, line, strlen(line));
        p->s->output(p->s->user, "\n", 1);
    }
}

tc_status tc_session_fetch_compiler(tc_session *s) {
    char why[512] = "";
    progress p = {s};
    s->cancel = 0;
    if (tc_toolchain_fetch(say_line, &p, &s->cancel, why, sizeof why)) {
        return TC_OK;
    }
    tc_error(&s->diags, TC_NOWHERE, NULL, "%s", why);
    return TC_FAILED;
}

/* --- building --------------------------------------------------------------*/

/* A line that stands while something takes its time, and then is gone. */
static void say_busy(tc_session *s, const char *path) {
    if (!s->options.terminal || s->options.json || s->output == NULL) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    if (path != NULL) {
        tc_buf_printf(&b, "nvcc is building %.*s ...",
                      s->options.width > 40 ? s->options.width - 30 : 10, path);
    } else {
        tc_buf_puts(&b, "\r\033[K"); /* ECMA-48: EL */
    }
    s->output(s->user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
}

/* The first "FILE(LINE): error: WHAT" (or "error #20: WHAT") of what nvcc
 * said; false if none. */
static bool first_error(const char *said, int *line, const char **what,
                        int *len) {
    const char *error = strstr(said, "): error");
    const char *begin = error;
    while (begin != NULL && begin > said && *begin != '(' && *begin != '\n') {
        begin--;
    }
    if (begin == NULL || *begin != '(') {
        return false;
    }
    const char *colon = strchr(error + 2, ':');
    *line = atoi(begin + 1);
    *what = colon != NULL ? colon + 1 + strspn(colon + 1, " ") : error + 3;
    *len = (int)strcspn(*what, "\n");
    return *line > 0;
}

/* Where a line of a text is. */
static tc_span line_span(const tc_source *src, int line) {
    int len;
    const char *text = tc_describe_line(src, line, &len);
    if (text == NULL) {
        return TC_NOWHERE;
    }
    uint32_t at = (uint32_t)(text - src->text);
    return (tc_span){src, at, at + (uint32_t)len};
}

/* The function of CUDA's that the linker did not find, if that is what it
 * says: "undefined reference to `cudaFoo'". */
static bool lacking(const char *said, char *name, size_t size) {
    static const char phrase[] = "undefined reference to `";
    for (const char *p = said; (p = strstr(p, phrase)) != NULL; p++) {
        const char *f = p + sizeof phrase - 1;
        size_t n = strcspn(f, "'(\n");
        bool cuda = strncmp(f, "cuda", 4) == 0 ||
                    strncmp(f, "__cuda", 6) == 0 ||
                    (strncmp(f, "cu", 2) == 0 && f[2] >= 'A' && f[2] <= 'Z');
        if (cuda && f[n] != '(') { /* they are C's: no parameters are named */
            snprintf(name, size, "%.*s", (int)n, f);
            return true;
        }
    }
    return false;
}

/* What the compiler or linker said, as it did; in JSON its first error. */
static void report_refused(tc_session *s, const tc_source *cu,
                           const char *said) {
    int line, len;
    const char *what;
    char name[128];
    if (said == NULL || *said == '\0') {
        tc_error(&s->diags, TC_NOWHERE, NULL,
                 "nvcc refuses '%s' without a word", cu->name);
        return;
    }
    tc_diag_report(&s->diags, TC_VERBATIM, TC_NOWHERE, NULL, "%s", said);
    if (lacking(said, name, sizeof name)) {
        tc_error(&s->diags, TC_NOWHERE, NULL,
                 "%s calls %s, which the runtime that programs get here does "
                 "not have",
                 cu->name, name);
    } else if (!s->options.json) {
        s->diags.errors++; /* all is said */
    } else if (first_error(said, &line, &what, &len)) {
        tc_error(&s->diags, line_span(cu, line), NULL, "%.*s", len, what);
    } else {
        tc_error(&s->diags, TC_NOWHERE, NULL, "nvcc refuses '%s'", cu->name);
    }
}

/* What is asked of this build; it outlives the one who asks. */
static void build_options(tc_session *s, tc_arena *a, tc_build_options *o) {
    const tc_exec_options *e = s->building;
    *o = (tc_build_options){
        .program = true, .cancel = &s->cancel, .line = o->line};
    if (e != NULL) {
        o->main = e->main;
        o->cache = e->cache != NULL ? tc_strdup(a, e->cache) : NULL;
        o->sandbox = e->sandbox;
    }
    if (e != NULL && e->limits != NULL) {
        tc_limits *limits = TC_NEW(a, tc_limits);
        *limits = *e->limits;
        o->limits = limits;
    }
}

/* Builds c; kernels alone, to be launched by hand, where there is no main. */
static tc_build_status try_build(tc_session *s, tc_arena *a, const char *path,
                                 tc_cuda *c, char *why, size_t why_size) {
    tc_build_options *o = &c->options;
    build_options(s, a, o);
    o->arch = c->arch;
    return tc_build_cu(a, c->toolchain, path, o, &c->build, why, why_size);
}

/* Says why it could not be built. */
static tc_status report_failed(tc_session *s, const tc_source *cu, tc_span at,
                               tc_build_status b, const char *said,
                               const char *why) {
    static const char *const faults[] = {
        [TC_BUILD_REFUSED] = "source",  [TC_BUILD_LIMITED] = "limit",
        [TC_BUILD_MACHINE] = "machine", [TC_BUILD_CANCELLED] = "interrupt",
        [TC_BUILD_FAILED] = "source",
    };
    bool late = b == TC_BUILD_CANCELLED && s->cancel == 2;
    s->fault = late ? "limit" : faults[b];
    if (b == TC_BUILD_REFUSED) {
        report_refused(s, cu, said);
        return TC_REJECTED;
    }
    tc_error(&s->diags, at, NULL, "'%s' cannot be built: %s", cu->name,
             b != TC_BUILD_CANCELLED ? why
             : late                  ? "the time limit has passed"
                                     : "interrupted");
    return late ? TC_TIMEOUT : b == TC_BUILD_LIMITED ? TC_REJECTED : TC_FAILED;
}

/* The simulated machine that an option of nvcc's means, "sm_80"; NULL: there is
 * none. Code for sm_100 runs on sm_100a. */
const char *tc_cuda_machine(tc_arena *a, const char *name) {
    const char *with_a = tc_format(a, "%sa", name);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < tc_narchs; i++) {
            if (strcmp(tc_arch_names[i], k == 0 ? name : with_a) == 0) {
                return tc_arch_names[i];
            }
        }
    }
    return NULL;
}

/* nvcc's words that came with the source, read into c: options, and -arch, which
 * is --arch where that is not given. False after reporting. */
static bool read_line(tc_session *s, tc_arena *a, tc_cuda *c) {
    const tc_exec_options *e = s->building;
    if (e == NULL || e->nvcc == NULL) {
        return true;
    }
    tc_command_line *l = TC_NEW(a, tc_command_line);
    if (!tc_command_line_read(a, e->nvcc, l)) {
        tc_error(&s->diags, TC_NOWHERE, l->hint, "%s", l->why);
        return false;
    }
    c->options.line = l;
    const char *own = l->arch != NULL && s->options.arch == NULL
                          ? tc_cuda_machine(a, l->arch)
                          : NULL;
    if (own != NULL) {
        c->arch = own;
    } else if (l->arch != NULL && s->options.arch == NULL) {
        tc_diag_report(&s->diags, TC_NOTE, TC_NOWHERE, NULL,
                       "there is no simulated %s: it is built for %s (--arch "
                       "names another)",
                       l->arch, c->arch);
    }
    return true;
}

/* The program in a, or NULL with the status. */
static tc_cuda *build(tc_session *s, tc_arena *a, const tc_source *cu,
                      tc_span at, tc_status *status) {
    const char *why = "", *hint = NULL;
    char failure[512] = "";
    tc_cuda *c = TC_NEW(a, tc_cuda);
    c->arch = tc_session_arch(s);
    c->toolchain = tc_toolchain_find(a, &why, &hint);
    *status = TC_FAILED;
    if (!read_line(s, a, c)) {
        *status = TC_USAGE;
        return NULL;
    }
    if (c->toolchain == NULL) {
        s->fault = "machine";
        tc_error(&s->diags, at, hint, "'%s' cannot be built: %s", cu->name,
                 why);
        return NULL;
    }
    say_busy(s, cu->name);
    tc_build_status b = try_build(s, a, cu->name, c, failure, sizeof failure);
    say_busy(s, NULL);
    if (b != TC_BUILD_OK) {
        *status = report_failed(s, cu, at, b, c->build.said, failure);
        return NULL;
    }
    if (c->build.note != NULL && !s->told_cache) {
        tc_diag_report(&s->diags, TC_WARNING, TC_NOWHERE, NULL, "%s",
                       c->build.note);
        s->told_cache = true;
    }
    if (!c->build.cached && c->build.said != NULL && *c->build.said != '\0') {
        tc_diag_report(&s->diags, TC_VERBATIM, TC_NOWHERE, NULL, "%s",
                       c->build.said); /* warnings */
    }
    return c;
}

/* The PTX that a build left, or NULL after reporting. */
static tc_source *read_ptx(tc_session *s, tc_arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    tc_buf text = TC_BUF_INIT;
    if (f != NULL) {
        tc_buf_read(&text, f);
    }
    if (f == NULL || ferror(f)) {
        s->fault = "machine"; /* it was made and kept a moment ago */
        tc_error(&s->diags, TC_NOWHERE, NULL, "cannot read '%s': %s", path,
                 strerror(errno));
        tc_buf_free(&text);
        if (f != NULL) {
            fclose(f);
        }
        return NULL;
    }
    fclose(f);
    tc_source *src = TC_NEW(a, tc_source);
    src->name = tc_strdup(a, path);
    src->len = text.len;
    src->text = text.len > 0 ? tc_buf_finish(&text, a) : "";
    src->first_line = 1;
    return src;
}

/* The units that a build of several sources has left in one text: each behind a
 * line TC_UNIT_MARK ID relocatable|whole. */
static int split_units(tc_arena *a, const tc_source *all,
                       tc_ptx_text_unit **out) {
    int n = 0, cap = 0;
    const char *end = all->text + all->len;
    for (const char *p = all->text; p != NULL && p < end;) {
        const char *body = strchr(p, '\n');
        body = body != NULL ? body + 1 : end;
        const char *next = strstr(body, TC_UNIT_MARK);
        const char *id = p + strlen(TC_UNIT_MARK);
        tc_ptx_text_unit u = {.text = body,
                              .len =
                                  (size_t)((next != NULL ? next : end) - body),
                              .id = (uint32_t)strtoul(id, NULL, 16),
                              .relocatable = strncmp(id + 9, "rel", 3) == 0};
        TC_PUSH(a, *out, n, cap, u);
        p = next;
    }
    return n;
}

/* Several units linked to one text. False after reporting. */
static bool link_units(tc_session *s, tc_arena *a, tc_cuda *c, tc_source *ptx) {
    if (strncmp(ptx->text, TC_UNIT_MARK, strlen(TC_UNIT_MARK)) != 0) {
        return true;
    }
    tc_ptx_text_unit *units = NULL;
    int n = split_units(a, ptx, &units);
    tc_ptx_linked l;
    if (n == 1) {
        ptx->text = units[0].text;
        ptx->len = units[0].len;
        return true;
    }
    if (!tc_ptx_link_texts(a, units, n, &s->diags, &l)) {
        s->fault = "source";
        return false;
    }
    ptx->text = l.text;
    ptx->len = l.len;
    c->renamed = l.renamed;
    c->nrenamed = l.nrenamed;
    return true;
}

bool tc_cuda_link(tc_session *s, tc_arena *a, tc_cuda *c, tc_source *ptx) {
    return link_units(s, a, c, ptx);
}

/* A kernel may be unrolled to more than anybody reads in time. */
static bool fits(tc_session *s, const tc_source *cu, const tc_source *ptx) {
    enum { MOST = 64 << 20 };
    if (ptx->len <= MOST) {
        return true;
    }
    s->fault = "limit";
    tc_error(&s->diags, TC_NOWHERE, NULL,
             "'%s' cannot be built: its kernels take %zu MiB of PTX, and %d "
             "are the limit",
             cu->name, ptx->len >> 20, MOST >> 20);
    return false;
}

/* --- the reply -------------------------------------------------------------*/

static json_t *kernel_json(const tc_ptx_func *f) {
    tc_buf params = TC_BUF_INIT;
    size_t len;
    const char *name = tc_kernel_name(f->name, &len);
    tc_loaded_params(f, &params);
    json_t *j = json_pack("{s:s%,s:s,s:s}", "name", name, len, "mangled",
                          f->name, "params", tc_buf_text(&params));
    tc_buf_free(&params);
    return j;
}

static void answer(tc_session *s, const tc_loaded *f, tc_reply *r) {
    json_t *kernels = json_array();
    tc_buf text = TC_BUF_INIT;
    for (int i = 0; i < f->module->nfuncs; i++) {
        const tc_ptx_func *k = &f->module->funcs[i];
        if (!k->entry) {
            continue;
        }
        tc_buf params = TC_BUF_INIT;
        json_array_append_new(kernels, kernel_json(k));
        if (!tc_kernel_declared(f, k, &params)) {
            tc_buf_free(&params);
            tc_loaded_params(k, &params);
        }
        tc_buf_printf(&text, "  %s(%s)\n", tc_kernel_full(f->arena, k->name),
                      tc_buf_text(&params));
        tc_buf_free(&params);
    }
    size_t n = json_array_size(kernels);
    if (s->options.json) {
        r->json = json_pack("{s:O,s:b}", "kernels", kernels, "cached",
                            f->cuda->build.cached);
    } else {
        tc_buf_printf(&r->text, "%s: %zu kernel%s; now try `%s`.\n%s",
                      f->source->name, n, n == 1 ? "" : "s",
                      f->cuda->build.program ? "run" : "launch",
                      tc_buf_text(&text));
    }
    tc_buf_free(&text);
    json_decref(kernels);
}

tc_status tc_cuda_load(tc_session *s, tc_arena *a, const tc_source *cu,
                       tc_span at, tc_reply *r) {
    tc_status status;
    tc_cuda *c = build(s, a, cu, at, &status);
    tc_source *ptx = c != NULL ? read_ptx(s, a, c->build.ptx) : NULL;
    if (ptx == NULL) {
        tc_arena_free(a);
        return status;
    }
    if (!link_units(s, a, c, ptx) || !fits(s, cu, ptx)) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    tc_loaded *f = tc_loaded_cuda(s, a, ptx, cu, c->toolchain->include);
    if (f == NULL && s->cancel != 0) {
        s->fault = s->cancel == 2 ? "limit" : "interrupt";
    }
    if (f == NULL) { /* else the compiler made what we cannot read */
        return s->cancel == 2 ? TC_TIMEOUT : TC_FAILED;
    }
    f->cuda = c;
    tc_loaded_retain(s, f);
    answer(s, f, r);
    return TC_OK;
}

bool tc_cuda_runs(tc_session *s, const tc_loaded *f, tc_span at) {
    if (f->cuda->build.program == NULL) {
        tc_error(&s->diags, at, "`launch` runs one of its kernels",
                 "'%s' has no main function", f->source->name);
        return false;
    }
    return true;
}

tc_loaded *tc_cuda_newest(const tc_session *s) {
    tc_loaded *f = s->nfiles > 0 ? s->files[s->nfiles - 1] : NULL;
    return f != NULL && s->file_is_newest && f->cuda != NULL ? f : NULL;
}
