/* stamps.c - rewrites a kernel's text. */
#include "run/stamps.h"
#include "base/buf.h"

#include <ctype.h>
#include <string.h>

/* --- what is stamped -------------------------------------------------------*/

static bool is_asynchronous(const tc_ptx_op *op) {
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_COPY:
    case TC_PTX_EFFECT_REDUCE:
    case TC_PTX_EFFECT_ST_ASYNC:
    case TC_PTX_EFFECT_RED_ASYNC:
    case TC_PTX_EFFECT_TMEM_LOAD:
    case TC_PTX_EFFECT_TMEM_STORE:
    case TC_PTX_EFFECT_TMEM_COPY:
    case TC_PTX_EFFECT_ASYNC_MMA:
    case TC_PTX_EFFECT_GROUP:
    case TC_PTX_EFFECT_MBARRIER:
    case TC_PTX_EFFECT_BARRIER:
        return true;
    default:
        return false;
    }
}

/* It may take until others have done something. */
static bool waits(const tc_ptx_op *op) {
    const char *name = tc_ptx_ops[op->opcode].name;
    return strstr(name, "wait") != NULL ||
           (tc_ptx_effect_of(op) == TC_PTX_EFFECT_BARRIER &&
            strstr(name, "arrive") == NULL);
}

/* --- places in the text ----------------------------------------------------*/

typedef struct rewriter {
    tc_arena *arena;
    const tc_ptx_module *m;
    const tc_ptx_func *f;
    const char *text;
    const char **lines; /* where each begins */
    uint32_t nlines;
    tc_buf out;
    const char *copied; /* up to here */
} rewriter;

static void find_lines(rewriter *w) {
    uint32_t n = 2;
    for (const char *p = w->text; *p != '\0'; p++) {
        n += *p == '\n';
    }
    w->lines = TC_NEWN(w->arena, const char *, n);
    w->lines[w->nlines++] = w->text;
    for (const char *p = w->text; *p != '\0'; p++) {
        if (*p == '\n') {
            w->lines[w->nlines++] = p + 1;
        }
    }
}

/* Where an instruction begins, its guard before it. */
static const char *begin_of(const rewriter *w, const tc_ptx_op *op) {
    if (op->ptx_line == 0 || op->ptx_line > w->nlines) {
        return NULL;
    }
    const char *line = w->lines[op->ptx_line - 1];
    const char *at = line + (op->ptx_col > 0 ? op->ptx_col - 1 : 0);
    if (op->guard < 0 || *at == '@') {
        return at;
    }
    const char *p = at;
    while (p > w->text && *p != '@' && *p != ';' && *p != '{') {
        p--;
    }
    return *p == '@' ? p : NULL;
}

static void copy_to(rewriter *w, const char *to) {
    if (to > w->copied) {
        tc_buf_write(&w->out, w->copied, (size_t)(to - w->copied));
        w->copied = to;
    }
}

/* --- what is put there -----------------------------------------------------*/

static void put_stamp(rewriter *w, int place) {
    tc_buf_printf(&w->out,
                  "@%%tc_on mov.u64 %%tc_t, %%clock64;"
                  " @%%tc_on mov.u64 %%tc_id, %d;"
                  " @%%tc_on st.global.v2.u64 [%%tc_at], {%%tc_t, %%tc_id};"
                  " @%%tc_on add.s64 %%tc_at, %%tc_at, 16;"
                  " @%%tc_on setp.lt.u64 %%tc_on, %%tc_at, %%tc_end;\n\t",
                  place);
}

/* Which lanes keep stamps, and where; then three stamps in a row. */
static void put_prologue(rewriter *w, int warp) {
    tc_buf_puts(&w->out,
                ".reg .pred %tc_on, %tc_p; .reg .b32 %tc_a, %tc_b, %tc_c;"
                " .reg .b64 %tc_at, %tc_end, %tc_t, %tc_id;\n\t"
                "mov.u32 %tc_a, %ctaid.x; mov.u32 %tc_b, %ctaid.y;"
                " mov.u32 %tc_c, %ctaid.z; or.b32 %tc_a, %tc_a, %tc_b;"
                " or.b32 %tc_c, %tc_a, %tc_c;\n\t"
                "mov.u32 %tc_a, %tid.z; mov.u32 %tc_b, %ntid.y;"
                " mad.lo.u32 %tc_a, %tc_a, %tc_b, 0; mov.u32 %tc_b, %tid.y;"
                " add.u32 %tc_a, %tc_a, %tc_b; mov.u32 %tc_b, %ntid.x;"
                " mad.lo.u32 %tc_a, %tc_a, %tc_b, 0; mov.u32 %tc_b, %tid.x;"
                " add.u32 %tc_a, %tc_a, %tc_b;\n\t"
                "and.b32 %tc_b, %tc_a, 31; or.b32 %tc_c, %tc_c, %tc_b;"
                " shr.u32 %tc_a, %tc_a, 5; setp.eq.u32 %tc_on, %tc_c, 0;");
    if (warp >= 0) {
        tc_buf_printf(&w->out,
                      " setp.eq.u32 %%tc_p, %%tc_a, %d;"
                      " and.pred %%tc_on, %%tc_on, %%tc_p;",
                      warp);
    }
    tc_buf_printf(&w->out,
                  "\n\tld.param.u64 %%tc_at, [tc_stamps];"
                  " mad.wide.u32 %%tc_at, %%tc_a, %d, %%tc_at;"
                  " add.s64 %%tc_end, %%tc_at, %d;\n\t",
                  TC_STAMPS * (int)sizeof(tc_stamp),
                  (TC_STAMPS - 1) * (int)sizeof(tc_stamp));
    tc_buf_printf(&w->out,
                  "setp.lt.u32 %%tc_p, %%tc_a, %d;"
                  " and.pred %%tc_on, %%tc_on, %%tc_p;\n\t",
                  TC_STAMP_WARPS);
    put_stamp(w, 1);
    put_stamp(w, 2);
    put_stamp(w, 3);
}

/* ".entry NAME", then its list of parameters. */
static bool put_parameter(rewriter *w) {
    size_t n = strlen(w->f->name);
    const char *p = w->text;
    while ((p = strstr(p, ".entry")) != NULL) {
        p += strlen(".entry");
        p += strspn(p, " \t\r\n");
        if (strncmp(p, w->f->name, n) == 0 && !isalnum((unsigned char)p[n]) &&
            p[n] != '_' && p[n] != '$') {
            break;
        }
    }
    p = p != NULL ? p + n + strspn(p + n, " \t\r\n") : NULL;
    if (p == NULL || *p != '(') {
        return false;
    }
    const char *end = strchr(p, ')');
    if (end == NULL) {
        return false;
    }
    copy_to(w, end);
    tc_buf_printf(&w->out, "%s\n\t.param .u64 tc_stamps\n",
                  w->f->nparams > 0 ? "," : "");
    return true;
}

/* --- the kernel ------------------------------------------------------------*/

static bool put_place(rewriter *w, const tc_ptx_op *op, tc_stamped *out) {
    const char *begin = begin_of(w, op);
    const char *end = begin != NULL ? strchr(begin, ';') : NULL;
    if (end == NULL || begin < w->copied) {
        return false;
    }
    int place = ++out->nplaces;
    out->places[place] = (tc_stamp_place){op, waits(op)};
    copy_to(w, begin);
    put_stamp(w, TC_STAMP_FIRST * place);
    if (waits(op)) {
        copy_to(w, end + 1);
        tc_buf_puts(&w->out, "\n\t");
        put_stamp(w, TC_STAMP_FIRST * place + 1);
    }
    return true;
}

static bool rewrite(rewriter *w, int warp, tc_stamped *out, const char **why) {
    const tc_ptx_func *f = w->f;
    const char *first =
        f->begin < f->end ? begin_of(w, &w->m->code[f->begin]) : NULL;
    if (!put_parameter(w) || first == NULL || first < w->copied) {
        *why = "its list of parameters is not where it should be";
        return false;
    }
    copy_to(w, first);
    put_prologue(w, warp);
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &w->m->code[i];
        if (is_asynchronous(op) && !put_place(w, op, out)) {
            *why = "an instruction of it is not where its line says";
            return false;
        }
    }
    copy_to(w, w->text + strlen(w->text));
    return true;
}

bool tc_stamps_add(tc_arena *a, const tc_ptx_module *m, const tc_ptx_func *f,
                   const char *text, int warp, tc_stamped *out,
                   const char **why) {
    rewriter w = {.arena = a, .m = m, .f = f, .text = text, .copied = text};
    *out = (tc_stamped){.param = (f->param_bytes + 7) / 8 * 8};
    out->places = TC_NEWN(a, tc_stamp_place, f->end - f->begin + 2);
    find_lines(&w);
    bool ok = rewrite(&w, warp, out, why);
    if (ok) {
        out->ptx = tc_buf_finish(&w.out, a);
    }
    tc_buf_free(&w.out);
    return ok;
}
