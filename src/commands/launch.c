/* launch.c - a kernel of a loaded .ptx file, launched by hand. */
#include "commands/commands.h"
#include "load/load.h"
#include "run/launch_arg.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "launch KERNEL GRID BLOCK [--smem BYTES] [--cluster X,Y,Z] ARG...";

/* What was typed, as it is read. */
typedef struct ask {
    tc_session *s;
    const tc_args *args;
    const tc_ptx_func *kernel;
    tc_run *run;
    int values[64]; /* words that are ARGs */
    int nvalues;
    tc_span geometry; /* GRID and BLOCK */
} ask;

/* --- words that are no ARG ---------------------------------------------------
 */

static bool refuse(ask *k, int word, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(ask *k, int word, const char *hint, const char *fmt, ...) {
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    tc_error(&k->s->diags,
             word < k->args->n ? k->args->spans[word] : k->args->span, hint,
             "%s", message);
    return false;
}

static bool no_such_kernel(ask *k, int word) {
    const char *name = k->args->words[word];
    if (k->s->nfiles == 0) {
        return refuse(k, word,
                      "load k.ptx or k.cu, or give it on the command line",
                      "there is no kernel to launch: no file is loaded");
    }
    tc_buf hint = TC_BUF_INIT;
    tc_loaded_hint(k->s, name, &hint);
    refuse(k, word, tc_buf_text(&hint), "there is no kernel '%s'", name);
    tc_buf_free(&hint);
    return false;
}

/* A whole number from 0 to 2^32 - 1. */
static bool read_bytes(const char *word, uint32_t *out) {
    char *end;
    errno = 0;
    unsigned long long n =
        isdigit((unsigned char)*word) ? strtoull(word, &end, 0) : 0;
    if (!isdigit((unsigned char)*word) || *end != '\0' || errno != 0 ||
        n > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

/* The value of an option at words[*i]: behind its "=", or the next word. */
static const char *option_value(ask *k, int *i, const char *name) {
    const char *word = k->args->words[*i];
    size_t n = strlen(name);
    if (word[n] == '=') {
        return word + n + 1;
    }
    if (*i + 1 >= k->args->n) {
        refuse(k, *i, usage, "%s needs a value", name);
        return NULL;
    }
    return k->args->words[++*i];
}

static bool is_option(const char *word, const char *name) {
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == '\0' || word[n] == '=');
}

static bool read_option(ask *k, int *i) {
    const char *word = k->args->words[*i], *value;
    if (is_option(word, "--smem")) {
        value = option_value(k, i, "--smem");
        return value != NULL &&
               (read_bytes(value, &k->run->dynamic_shared) ||
                refuse(k, *i, "--smem 65536",
                       "--smem takes a number of bytes, not '%s'", value));
    }
    if (is_option(word, "--cluster")) {
        value = option_value(k, i, "--cluster");
        return value != NULL &&
               (tc_arg_dims(value, 1024, k->run->cluster) ||
                refuse(k, *i, "--cluster 2, or --cluster 2,1,1",
                       "--cluster takes numbers of CTAs, not '%s'", value));
    }
    return refuse(k, *i, usage, "launch has no option '%s'", word);
}

static bool read_geometry(ask *k, int word, int at) {
    const char *text = k->args->words[word];
    uint32_t *out = at == 1 ? k->run->grid : k->run->block;
    if (!tc_arg_dims(text, INT32_MAX, out)) {
        return refuse(k, word, "N, X,Y or X,Y,Z: launch saxpy 16 256 ...",
                      "%s is how many %s: '%s' is no such number",
                      at == 1 ? "GRID" : "BLOCK",
                      at == 1 ? "CTAs there are" : "threads a CTA has", text);
    }
    k->geometry = tc_span_join(k->geometry, k->args->spans[word]);
    return true;
}

/* Sorts the words; KERNEL, GRID and BLOCK come first, options anywhere. */
static bool read_words(ask *k) {
    int place = 0;
    for (int i = 0; i < k->args->n; i++) {
        const char *word = k->args->words[i];
        if (word[0] == '-' && word[1] == '-') {
            if (!read_option(k, &i)) {
                return false;
            }
        } else if (place == 0) {
            k->kernel = tc_loaded_kernel(k->s, word, &k->run->file);
            if (k->kernel == NULL) {
                return no_such_kernel(k, i);
            }
            place++;
        } else if (place <= 2) {
            if (!read_geometry(k, i, place++)) {
                return false;
            }
        } else if (k->nvalues < 64) {
            k->values[k->nvalues++] = i;
        } else {
            return refuse(k, i, NULL, "these are more than 64 arguments");
        }
    }
    static const char *const missing[] = {"a kernel", "GRID", "BLOCK"};
    return place == 3 ||
           refuse(k, k->args->n, usage, "launch needs %s", missing[place]);
}

/* --- ARGs --------------------------------------------------------------------
 */

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
    tc_buf_printf(b, "launch %s", k->args->words[0]);
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
static bool mismatch(ask *k, int word, const char *what) {
    tc_buf hint = TC_BUF_INIT, params = TC_BUF_INIT;
    example(k, &hint);
    tc_loaded_params(k->kernel, &params);
    refuse(k, word, tc_buf_text(&hint), "%s: %s(%.300s)", what,
           k->args->words[0], tc_buf_text(&params));
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
    return mismatch(k, k->nvalues > n ? k->values[n] : k->args->n, what);
}

static bool make_buffer(ask *k, int word, const tc_arg_value *v,
                        tc_run_arg *p) {
    tc_run *run = k->run;
    tc_buffer *b = TC_NEW(run->arena, tc_buffer);
    int64_t elements = 1;
    b->name = tc_format(run->arena, "a%d", run->nbuffers);
    b->type = v->type;
    b->space = TC_SPACE_GLOBAL;
    b->rank = v->rank;
    b->shape = TC_NEWN(run->arena, int64_t, v->rank);
    b->span = k->args->spans[word];
    for (int i = 0; i < v->rank; i++) {
        b->shape[i] = v->shape[i];
        if (__builtin_mul_overflow(elements, v->shape[i], &elements) ||
            elements > INT32_MAX) {
            return refuse(k, word, "at most 1 GiB",
                          "the buffer has too many elements");
        }
    }
    p->buffer = run->nbuffers;
    return tc_run_add_buffer(k->s, run, b) != NULL;
}

static bool read_arg(ask *k, int i) {
    const tc_ptx_param *param = &k->kernel->params[i];
    tc_run_arg *p = &k->run->args[i];
    int word = k->values[i];
    tc_arg_value v;
    tc_arg_refusal why;
    *p = (tc_run_arg){
        .buffer = -1, .offset = param->offset, .size = param->size};
    if (!tc_arg_read(k->run->arena, k->args->words[word], &v, &why)) {
        return refuse(k, word, why.hint, "%s", why.message);
    }
    tc_arg_class c = class_of(param->type);
    if (param->size > 8 || param->size > tc_ptx_type_bytes[param->type]) {
        return mismatch(k, word,
                        "a structure cannot be given by hand: the parameter "
                        "is of several bytes");
    }
    if (v.kind == TC_ARG_BUFFER) {
        if (param->size != 8 || c == TC_TAKES_FLOAT) {
            return mismatch(k, word,
                            "a buffer is an address of 64 bits, and the "
                            "parameter is none");
        }
        return make_buffer(k, word, &v, p);
    }
    return tc_arg_bits(k->run->arena, &v, c, param->size, p->value, &why) ||
           mismatch(k, word, why.message);
}

static bool read_args(ask *k) {
    tc_run *run = k->run;
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

/* --- the command -------------------------------------------------------------
 */

static void fill_in(ask *k) {
    tc_run *run = k->run;
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
static void forget_words(tc_run *run) {
    run->span = TC_NOWHERE;
    for (int i = 0; i < run->nbuffers; i++) {
        ((tc_buffer *)run->buffers[i].buffer)->span = TC_NOWHERE;
    }
}

tc_status tc_cmd_launch(tc_session *s, const tc_args *args, tc_reply *r) {
    ask k = {.s = s, .args = args, .run = tc_run_new()};
    tc_backend backend = s->options.backend;
    if (!read_words(&k) || !read_args(&k)) {
        tc_run_free(k.run);
        return TC_USAGE;
    }
    fill_in(&k);
    bool simulated = backend != TC_BACKEND_GPU;
    if (simulated && (!tc_run_fits(s, k.run, args->spans[0]) ||
                      !tc_run_simulate(s, k.run))) {
        tc_run_free(k.run);
        return TC_FAILED;
    }
    forget_words(k.run);
    tc_run_keep(s, k.run);
    return backend == TC_BACKEND_SIM ? tc_run_answer(s, r)
                                     : tc_run_gpu(s, args->span, r);
}
