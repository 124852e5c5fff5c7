/* sass.c - the command sass: what ptxas makes of a kernel. */
#include "explain/sass.h"
#include "base/arch.h"
#include "commands/commands.h"
#include "load/load.h"
#include "run/run.h"

#include <string.h>

/* The kernel's PTX and what it came from. All in a or borrowed. */
typedef struct subject {
    tc_sass_listing l;
    const char *ptx;
} subject;

static tc_status no_kernel(tc_session *s, tc_span at, const char *kernel,
                           const char *hint) {
    tc_error(&s->diags, at, hint, "there is no kernel '%s'", kernel);
    return TC_USAGE;
}

/* The only kernel of a file, or NULL. */
static const tc_ptx_func *only_kernel(const tc_ptx_module *m) {
    const tc_ptx_func *found = NULL;
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i].entry) {
            if (found != NULL) {
                return NULL;
            }
            found = &m->funcs[i];
        }
    }
    return found;
}

static tc_status of_file(tc_session *s, const tc_command_args *args,
                         const char *kernel, subject *out) {
    tc_loaded *f = s->files[s->nfiles - 1];
    const tc_ptx_func *k = kernel != NULL ? tc_loaded_kernel(s, kernel, &f)
                                          : only_kernel(f->module);
    if (k == NULL) {
        tc_buf hint = TC_BUF_INIT;
        tc_status status = TC_USAGE;
        tc_loaded_hint(s, kernel ? kernel : "", &hint);
        if (kernel != NULL) {
            status = no_kernel(s, args->span, kernel, tc_buf_text(&hint));
        } else {
            tc_error(&s->diags, args->span, tc_buf_text(&hint),
                     "the file has several kernels: say which");
        }
        tc_buf_free(&hint);
        return status;
    }
    out->ptx = f->text->text;
    out->l.kernel = k->name;
    out->l.entry = k;
    out->l.ptx = f->module;
    out->l.text = f->text;
    out->l.file = f;
    return TC_OK;
}

/* The program's own kernel: its text is parsed for its lines. */
static tc_status of_program(tc_session *s, const tc_command_args *args,
                            const char *kernel, tc_arena *a, subject *out) {
    tc_status status;
    if (!tc_need_ptx(s, args->span, &status)) {
        return status;
    }
    const tc_emitted *ptx = &s->program.ptx;
    if (kernel != NULL && strcmp(kernel, ptx->entry) != 0 &&
        strcmp(kernel, s->program.func->name) != 0) {
        return no_kernel(s, args->span, kernel, ptx->entry);
    }
    tc_source *text = TC_NEW(a, tc_source);
    *text = (tc_source){.name = "<ptx>",
                        .text = ptx->text,
                        .len = strlen(ptx->text),
                        .first_line = 1};
    out->ptx = ptx->text;
    out->l.text = text;
    out->l.ptx = tc_ptx_parse(a, text, &s->diags);
    out->l.kernel = ptx->entry;
    out->l.entry =
        out->l.ptx ? tc_ptx_find_entry(out->l.ptx, ptx->entry) : NULL;
    out->l.source = s->program.func->source;
    return out->l.entry != NULL ? TC_OK : TC_FAILED;
}

/* The machine to assemble for: the session's, where the text is for it or less;
 * else the least that the text is for. "sm_90a" */
static const char *machine(const tc_session *s, const tc_ptx_module *m) {
    const char *arch = tc_session_arch(s);
    const char *least = tc_arch_for(m->sm, m->sm_suffix);
    return tc_arch_runs(arch, m->sm, m->sm_suffix) || least == NULL ? arch
                                                                    : least;
}

static uint32_t registers(tc_arena *a, const tc_toolchain *t, const subject *x,
                          const tc_build_options *o) {
    const char *lines;
    char why[256];
    uint32_t n;
    tc_ptxas_registers(a, t, x->ptx, x->l.arch, x->l.kernel, o, &lines, why,
                       sizeof why);
    tc_registers_among(lines, x->l.kernel, &n);
    return n;
}

/* Assembles it, and reads what came of that. */
static bool assemble(tc_session *s, tc_span at, tc_arena *a, subject *x) {
    const char *why = "", *hint = NULL;
    const tc_toolchain *t = tc_toolchain_find(a, &why, &hint);
    tc_build_options o = {.cancel = &s->cancel};
    char refused[512] = "";
    size_t bytes = 0;
    const void *cubin = t != NULL
                            ? tc_ptxas_cubin(a, t, x->ptx, x->l.arch, NULL, &o,
                                             &bytes, refused, sizeof refused)
                            : NULL;
    if (cubin == NULL) {
        tc_error(&s->diags, at, hint, "there is no machine code to show: %s",
                 t != NULL ? refused : why);
        return false;
    }
    if (!tc_sass_read(a, cubin, bytes, x->l.kernel, &x->l.code, &why)) {
        tc_error(&s->diags, at, NULL, "%s", why);
        return false;
    }
    const char *tool = tc_nvdisasm_find(a, t);
    int n = 0;
    x->l.texts = tool != NULL ? tc_nvdisasm(a, tool, cubin, bytes, x->l.kernel,
                                            &s->cancel, &n)
                              : NULL;
    x->l.texts = n >= x->l.code.nops ? x->l.texts : NULL;
    x->l.registers = registers(a, t, x, &o);
    return true;
}

tc_status tc_cmd_sass(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "KERNEL");
    const char *kernel = name != NULL ? name->text : NULL;
    tc_arena *a = tc_arena_new();
    subject x = {0};
    bool file =
        s->nfiles > 0 &&
        (kernel != NULL ? tc_loaded_kernel(s, kernel, &(tc_loaded *){0}) != NULL
                        : s->file_is_newest);
    tc_status status = file || (s->nfiles > 0 && s->file_is_newest)
                           ? of_file(s, args, kernel, &x)
                           : of_program(s, args, kernel, a, &x);
    if (status == TC_OK) {
        x.l.arch = machine(s, x.l.ptx);
        status = assemble(s, args->span, a, &x) ? TC_OK : TC_FAILED;
    }
    if (status == TC_OK && s->options.json) {
        r->json = tc_explain_sass_json(&x.l, a);
    } else if (status == TC_OK) {
        tc_explain_sass_text(&x.l, a, &r->text);
    }
    tc_arena_free(a);
    return status;
}
