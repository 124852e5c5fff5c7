/* program.c - the current program and the stages made from it on demand. */
#include "session/exec.h"

#include <stdlib.h>
#include <string.h>

void tc_run_free(tc_run *run) {
    if (run == NULL) {
        return;
    }
    tc_buf_free(&run->printed);
    tc_trace_free(run->trace);
    tc_sim_free(run->sim);
    tc_arena_free(run->arena);
    free(run);
}

void tc_program_clear(tc_program *p) {
    tc_run_free(p->run);
    tc_arena *arena = p->arena;
    if (arena != NULL) {
        tc_arena_reset(arena);
    }
    *p = (tc_program){.func = p->func, .arena = arena};
}

void tc_program_set(tc_session *s, tc_func *func) {
    tc_program_clear(&s->program);
    tc_exec_forget(s);
    s->program.func = func;
    s->file_is_newest = false;
}

bool tc_need_program(tc_session *s, tc_span at, tc_status *status) {
    if (s->program.func == NULL) {
        tc_error(&s->diags, at,
                 s->nfiles > 0 ? "`launch` runs a kernel of a .ptx file"
                               : "load a file, or type a @T.prim_func",
                 "there is no program yet");
        *status = TC_FAILED;
        return false;
    }
    if (s->program.arena == NULL) {
        s->program.arena = tc_arena_new();
    }
    return true;
}

bool tc_need_decisions(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_program(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (!p->dispatched) {
        tc_dispatch(p->arena, p->func, s->target_cuda, &p->decisions);
        p->dispatched = true;
    }
    return true;
}

/* A variant that accepts but cannot be lowered yet is our lack, not the
 * program's. */
static tc_status status_of_refusal(const tc_decisions *d) {
    for (int i = 0; i < d->n; i++) {
        if (d->items[i].chosen == NULL) {
            return TC_REJECTED;
        }
    }
    return TC_FAILED;
}

bool tc_need_lowered(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_decisions(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (p->lowered == NULL) {
        tc_lowered *l = tc_lower(p->arena, p->func, &p->decisions, &s->diags);
        if (l == NULL || !tc_ir_verify(l, &s->diags)) {
            *status = status_of_refusal(&p->decisions);
            return false;
        }
        p->lowered = l;
    }
    return true;
}

bool tc_need_ptx(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_lowered(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (!p->emitted) {
        int sm = s->options.arch ? atoi(s->options.arch + 3) : 0;
        bool a = s->options.arch && strchr(s->options.arch + 3, 'a') != NULL;
        if (!tc_emit_ptx(p->arena, p->lowered, sm, a, &s->diags, &p->ptx)) {
            *status = TC_FAILED;
            return false;
        }
        p->emitted = true;
    }
    return true;
}

/* --- the commands that print a stage
 * ------------------------------------------ */

static tc_status answer_text(tc_session *s, tc_reply *r, tc_buf *text) {
    if (s->options.json) {
        r->json = json_pack("{s:s}", "text", tc_buf_text(text));
        tc_buf_free(text);
    } else {
        r->text = *text;
    }
    return TC_OK;
}

static bool no_arguments(tc_session *s, const tc_args *args) {
    if (args->n == 0) {
        return true;
    }
    tc_error(&s->diags, args->span, NULL, "this command takes no arguments");
    return false;
}

tc_status tc_cmd_ir(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_status status;
    if (!no_arguments(s, args)) {
        return TC_USAGE;
    }
    if (!tc_need_lowered(s, args->span, &status)) {
        return status;
    }
    tc_buf text = TC_BUF_INIT;
    tc_ir_print(&text, s->program.lowered);
    return answer_text(s, r, &text);
}

tc_status tc_cmd_cuda(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_status status;
    if (!no_arguments(s, args)) {
        return TC_USAGE;
    }
    if (!tc_need_lowered(s, args->span, &status)) {
        return status;
    }
    tc_emitted cuda;
    if (!tc_emit_cuda(s->program.arena, s->program.lowered, &s->diags, &cuda)) {
        return TC_FAILED;
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_puts(&text, cuda.text);
    return answer_text(s, r, &text);
}

/* Copies the PTX and puts each source line, as a comment, above the first
 * instruction of a run of instructions that came from it. */
static void interleave(tc_session *s, const char *ptx, tc_buf *out) {
    int last = 0;
    for (const char *p = ptx; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        const char *loc = p + strspn(p, " \t");
        int line = 0, len = 0;
        if (strncmp(loc, ".loc", 4) == 0) {
            strtol(loc + 4, (char **)&loc, 10);
            line = (int)strtol(loc, NULL, 10);
        }
        const char *text =
            line && line != last
                ? tc_describe_line(s->program.func->source, line, &len)
                : NULL;
        if (text != NULL) {
            tc_buf_printf(out, "\n\t// %d: %.*s\n", line, len, text);
            last = line;
        }
        tc_buf_write(out, p, n);
        tc_buf_putc(out, '\n');
        p += n + (p[n] == '\n');
    }
}

/* The text of the .ptx file that a kernel is from, or of the newest. */
static bool file_text(tc_session *s, const char *kernel, bool source,
                      tc_buf *text) {
    tc_loaded *f = s->nfiles > 0 ? s->files[s->nfiles - 1] : NULL;
    const tc_ptx_func *k =
        kernel != NULL ? tc_loaded_kernel(s, kernel, &f) : NULL;
    if (kernel != NULL ? k == NULL : !s->file_is_newest) {
        return false;
    }
    if (k != NULL && f->cuda != NULL) {
        tc_cuda_kernel_text(f, k, source, text);
    } else if (source) {
        tc_loaded_interleave(f, text);
    } else {
        tc_buf_puts(text, f->text->text);
    }
    return true;
}

tc_status tc_cmd_ptx(tc_session *s, const tc_args *args, tc_reply *r) {
    bool source = false;
    const char *kernel = NULL;
    for (int i = 0; i < args->n; i++) {
        if (strcmp(args->words[i], "--source") == 0) {
            source = true;
        } else if (kernel == NULL && args->words[i][0] != '-') {
            kernel = args->words[i];
        } else {
            tc_error(&s->diags, args->spans[i], "ptx [KERNEL] [--source]",
                     "ptx does not know '%s'", args->words[i]);
            return TC_USAGE;
        }
    }
    tc_status status;
    tc_buf text = TC_BUF_INIT;
    if (file_text(s, kernel, source, &text)) {
        return answer_text(s, r, &text);
    }
    if (kernel != NULL && s->file_is_newest) {
        tc_loaded_hint(s, kernel, &text);
        tc_error(&s->diags, args->span, tc_buf_text(&text),
                 "there is no kernel '%s'", kernel);
        tc_buf_free(&text);
        return TC_USAGE;
    }
    if (!tc_need_ptx(s, args->span, &status)) {
        return status;
    }
    const tc_emitted *ptx = &s->program.ptx;
    if (kernel != NULL && strcmp(kernel, ptx->entry) != 0 &&
        strcmp(kernel, s->program.func->name) != 0) {
        tc_error(&s->diags, args->span, ptx->entry,
                 "the program has no kernel '%s'", kernel);
        return TC_USAGE;
    }
    if (source) {
        interleave(s, ptx->text, &text);
    } else {
        tc_buf_puts(&text, ptx->text);
    }
    return answer_text(s, r, &text);
}
