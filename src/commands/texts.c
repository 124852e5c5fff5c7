/* texts.c - ir, cuda and ptx: the program's stages as text. */
#include "commands/commands.h"
#include "load/load.h"

#include <stdlib.h>
#include <string.h>

static tc_status answer_text(tc_session *s, tc_reply *r, tc_buf *text) {
    if (s->options.json) {
        r->json = json_pack("{s:s}", "text", tc_buf_text(text));
        tc_buf_free(text);
    } else {
        r->text = *text;
    }
    return TC_OK;
}

tc_status tc_cmd_ir(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_status status;
    if (!tc_need_lowered(s, args->span, &status)) {
        return status;
    }
    tc_buf text = TC_BUF_INIT;
    tc_ir_print(&text, s->program.lowered);
    return answer_text(s, r, &text);
}

tc_status tc_cmd_cuda(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_status status;
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

tc_status tc_cmd_ptx(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "KERNEL");
    const char *kernel = name != NULL ? name->text : NULL;
    bool source = tc_value_of(args, "--source") != NULL;
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
