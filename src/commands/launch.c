/* launch.c - a kernel of a loaded .ptx file, launched by hand. */
#include "commands/commands.h"
#include "load/load.h"
#include "run/launch_arg.h"
#include "run/npy.h"
#include "run/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What was typed, as it is read. */
typedef struct ask {
    tc_session *s;
    const tc_command_args *args;
    const tc_command_value *name;   /* of the kernel */
    const tc_command_value *values; /* the ARGs */
    int nvalues;
    const tc_ptx_func *kernel;
    tc_last_run *run;
    tc_span geometry; /* GRID and BLOCK */
} ask;

/* --- what is launched, and how ---------------------------------------------*/

static bool refuse(ask *k, tc_span at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(ask *k, tc_span at, const char *hint, const char *fmt, ...) {
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    tc_error(&k->s->diags, at, hint, "%s", message);
    return false;
}

static bool no_such_kernel(ask *k) {
    const char *name = k->name->text;
    if (k->s->nfiles == 0) {
        return refuse(k, k->name->span,
                      "load k.ptx or k.cu, or give it on the command line",
                      "there is no kernel to launch: no file is loaded");
    }
    tc_buf hint = TC_BUF_INIT;
    tc_loaded_hint(k->s, name, &hint);
    refuse(k, k->name->span, tc_buf_text(&hint), "there is no kernel '%s'",
           name);
    tc_buf_free(&hint);
    return false;
}

static bool read_shape(ask *k) {
    const tc_command_value *grid = tc_value_of(k->args, "GRID");
    const tc_command_value *block = tc_value_of(k->args, "BLOCK");
    const tc_command_value *cluster = tc_value_of(k->args, "--cluster");
    const tc_command_value *smem = tc_value_of(k->args, "--smem");
    k->name = tc_value_of(k->args, "KERNEL");
    k->nvalues = tc_values_of(k->args, "ARG", &k->values);
    k->geometry = tc_span_join(grid->span, block->span);
    memcpy(k->run->grid, grid->dims, sizeof grid->dims);
    memcpy(k->run->block, block->dims, sizeof block->dims);
    if (cluster != NULL) {
        memcpy(k->run->cluster, cluster->dims, sizeof cluster->dims);
    }
    k->run->dynamic_shared = smem != NULL ? (uint32_t)smem->number : 0;
    k->kernel = tc_loaded_kernel(k->s, k->name->text, &k->run->file);
    return k->kernel != NULL || no_such_kernel(k);
}

/* --- ARGs ------------------------------------------------------------------*/

static tc_arg_class class_of(tc_ptx_type t) {
    switch (t) {
    case TC_PT_F16:
    case TC_PT_F32:
    case TC_PT_F64:
        return TC_TAKES_FLOAT;
    case TC_PT_BF16:
        return TC_TAKES_BFLOAT;
    case TC_PT_B8:
    case TC_PT_B16:
    case TC_PT_B32:
    case TC_PT_B64:
    case TC_PT_F16X2:
    case TC_PT_BF16X2:
        return TC_TAKES_BITS;
    default:
        return TC_TAKES_INT;
    }
}

/* "launch saxpy 16 256 f32[4096] f32[4096] 2.5 4096": arguments that fit. */
static void example(ask *k, tc_buf *b) {
    tc_buf_printf(b, "launch %s", k->name->text);
    tc_buf_puts(b, " 16 256");
    for (int i = 0; i < k->kernel->nparams; i++) {
        const tc_ptx_param *p = &k->kernel->params[i];
        tc_arg_class c = class_of(p->type);
        bool number = c == TC_TAKES_FLOAT || c == TC_TAKES_BFLOAT;
        tc_buf_puts(b, number                   ? " 2.5"
                       : p->size == 8 && i < 64 ? " f32[4096]"
                                                : " 4096");
    }
}

/* The kernel's parameters, for a message, and arguments that fit, for a hint.
 */
static bool mismatch(ask *k, tc_span at, const char *what) {
    tc_buf hint = TC_BUF_INIT, params = TC_BUF_INIT;
    example(k, &hint);
    tc_loaded_params(k->kernel, &params);
    refuse(k, at, tc_buf_text(&hint), "%s: %s(%.300s)", what, k->name->text,
           tc_buf_text(&params));
    tc_buf_free(&hint);
    tc_buf_free(&params);
    return false;
}

static bool count_fits(ask *k) {
    int n = k->kernel->nparams;
    if (k->nvalues == n) {
        return true;
    }
    char what[96];
    snprintf(what, sizeof what, "the kernel takes %d argument%s, and %s%d %s",
             n, n == 1 ? "" : "s", k->nvalues < n && k->nvalues ? "only " : "",
             k->nvalues, k->nvalues == 1 ? "is given" : "are given");
    return mismatch(k, k->nvalues > n ? k->values[n].span : k->args->span,
                    what);
}

static bool make_buffer(ask *k, tc_span at, const tc_arg_value *v,
                        tc_run_arg *p) {
    tc_last_run *run = k->run;
    tc_buffer *b = TC_NEW(run->arena, tc_buffer);
    int64_t elements = 1;
    b->name = tc_format(run->arena, "a%d", run->nbuffers);
    b->type = v->type;
    b->space = TC_SPACE_GLOBAL;
    b->rank = v->rank;
    b->shape = TC_NEWN(run->arena, int64_t, v->rank);
    b->span = at;
    for (int i = 0; i < v->rank; i++) {
        b->shape[i] = v->shape[i];
        if (__builtin_mul_overflow(elements, v->shape[i], &elements) ||
            elements > INT32_MAX) {
            return refuse(k, at, "at most 1 GiB",
                          "the buffer has too many elements");
        }
    }
    p->buffer = run->nbuffers;
    return tc_run_add_buffer(k->s, run, b) != NULL;
}

static bool read_arg(ask *k, int i) {
    const tc_ptx_param *param = &k->kernel->params[i];
    tc_run_arg *p = &k->run->args[i];
    tc_span at = k->values[i].span;
    tc_arg_value v;
    tc_arg_refusal why;
    *p = (tc_run_arg){
        .buffer = -1, .offset = param->offset, .size = param->size};
    if (!tc_arg_read(k->run->arena, k->values[i].text, &v, &why)) {
        return refuse(k, at, why.hint, "%s", why.message);
    }
    tc_arg_class c = class_of(param->type);
    if (param->size > 8 || param->size > tc_ptx_type_bytes[param->type]) {
        return mismatch(k, at,
                        "a structure cannot be given by hand: the parameter "
                        "is of several bytes");
    }
    if (v.kind == TC_ARG_BUFFER) {
        if (param->size != 8 || c == TC_TAKES_FLOAT) {
            return mismatch(k, at,
                            "a buffer is an address of 64 bits, and the "
                            "parameter is none");
        }
        return make_buffer(k, at, &v, p);
    }
    return tc_arg_bits(k->run->arena, &v, c, param->size, p->value, &why) ||
           mismatch(k, at, why.message);
}

static bool read_args(ask *k) {
    tc_last_run *run = k->run;
    int n = k->kernel->nparams;
    if (!count_fits(k)) {
        return false;
    }
    run->buffers = TC_NEWN(run->arena, tc_run_buffer, n + 1);
    run->args = TC_NEWN(run->arena, tc_run_arg, n + 1);
    run->nargs = n;
    run->param_bytes = k->kernel->param_bytes;
    for (int i = 0; i < n; i++) {
        if (!read_arg(k, i)) {
            return false;
        }
    }
    return true;
}

/* --- files of arrays -------------------------------------------------------*/

/* The buffer of "a0=x.npy"; *path: the file. NULL after reporting. */
static tc_run_buffer *named(ask *k, const tc_command_value *v,
                            const char **path) {
    const char *equals = strchr(v->text, '=');
    size_t n = equals != NULL ? (size_t)(equals - v->text) : 0;
    *path = equals != NULL ? equals + 1 : "";
    for (int i = 0; i < k->run->nbuffers && n > 0; i++) {
        const char *name = k->run->buffers[i].buffer->name;
        if (strlen(name) == n && memcmp(name, v->text, n) == 0) {
            return &k->run->buffers[i];
        }
    }
    refuse(k, v->span, "buffers are a0, a1, ... in the order of the arguments",
           n > 0 ? "there is no buffer '%.*s'"
                 : "'%.*s' names no buffer and file: a0=x.npy",
           n > 0 ? (int)n : (int)strlen(v->text), v->text);
    return NULL;
}

/* --init of all buffers; --save's names are looked at too, before it runs. */
static bool read_files(ask *k) {
    const tc_command_value *v;
    const char *path, *why;
    int n = tc_values_of(k->args, "--init", &v);
    for (int i = 0; i < n; i++) {
        tc_run_buffer *b = named(k, &v[i], &path);
        if (b == NULL) {
            return false;
        }
        b->before =
            tc_npy_read(k->run->arena, path, b->buffer->type, b->bytes, &why);
        if (b->before == NULL) {
            return refuse(k, v[i].span, NULL, "%s cannot be read: %s", path,
                          why);
        }
    }
    n = tc_values_of(k->args, "--save", &v);
    for (int i = 0; i < n; i++) {
        if (named(k, &v[i], &path) == NULL) {
            return false;
        }
    }
    return true;
}

static bool save_files(ask *k) {
    const tc_command_value *v;
    const char *path;
    char why[TC_FILE_WHY];
    int n = tc_values_of(k->args, "--save", &v);
    for (int i = 0; i < n; i++) {
        const tc_run_buffer *b = named(k, &v[i], &path);
        const tc_buffer *of = b->buffer;
        if (b->after != NULL &&
            !tc_npy_write(path, of->type, of->rank, of->shape, b->after,
                          b->bytes, why)) {
            return refuse(k, v[i].span, NULL, "%s cannot be written: %s", path,
                          why);
        }
    }
    return true;
}

/* --- the command -----------------------------------------------------------*/

static void fill_in(ask *k) {
    tc_last_run *run = k->run;
    run->source = run->file->source;
    run->module = run->file->module;
    run->ptx = run->file->text->text;
    run->entry = k->kernel->name;
    run->span = k->geometry;
    for (int i = 0; i < 3; i++) {
        uint32_t asked = k->kernel->reqcluster[i];
        if (run->cluster[0] == 0 || run->cluster[i] == 0) {
            run->cluster[i] = asked > 0 ? asked : 1;
        }
    }
}

/* The words of the line go when the command ends; the run stays. */
static void forget_args(tc_last_run *run) {
    run->span = TC_NOWHERE;
    for (int i = 0; i < run->nbuffers; i++) {
        ((tc_buffer *)run->buffers[i].buffer)->span = TC_NOWHERE;
    }
}

tc_status tc_cmd_launch(tc_session *s, const tc_command_args *args,
                        tc_reply *r) {
    ask k = {.s = s, .args = args, .run = tc_run_new()};
    tc_backend backend = s->options.backend;
    if (!read_shape(&k) || !read_args(&k) || !read_files(&k)) {
        tc_run_free(k.run);
        return TC_USAGE;
    }
    fill_in(&k);
    bool simulated = backend != TC_BACKEND_GPU;
    if (simulated &&
        (!tc_run_fits(s, k.run, k.name->span) || !tc_run_simulate(s, k.run))) {
        tc_run_free(k.run);
        return TC_FAILED;
    }
    forget_args(k.run);
    tc_run_retain(s, k.run);
    tc_status status = backend == TC_BACKEND_SIM ? tc_run_answer(s, r)
                                                 : tc_run_gpu(s, args->span, r);
    return save_files(&k) ? status : TC_FAILED;
}
