/* texts.c - ir, cuda and ptx: the program's stages as text. */
#include "commands/copies.h"
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

/* The lines of a text that are from one line of the program. The text's marks
 * begin `shift` bytes behind it. */
static tc_status answer_line(tc_session *s, tc_reply *r, const char *text,
                             const tc_lines *lines, size_t shift,
                             const tc_command_value *line) {
    tc_buf part = TC_BUF_INIT;
    if (tc_lines_pick(lines, text, shift, (int)line->number, &part) == 0) {
        tc_buf_free(&part);
        tc_error(&s->diags, line->span,
                 "`why` lists the copies and their lines",
                 "nothing comes from line %lld", (long long)line->number);
        return TC_FAILED;
    }
    return answer_text(s, r, &part);
}

tc_status tc_cmd_ir(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *line = tc_value_of(args, "LINE");
    tc_status status;
    if (!tc_need_lowered(s, args->span, &status)) {
        return status;
    }
    tc_lines lines = {.arena = s->program.arena};
    tc_buf text = TC_BUF_INIT;
    tc_ir_print(&text, s->program.lowered, line != NULL ? &lines : NULL);
    if (line == NULL) {
        return answer_text(s, r, &text);
    }
    status = answer_line(s, r, tc_buf_text(&text), &lines, 0, line);
    tc_buf_free(&text);
    return status;
}

tc_status tc_cmd_cuda(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *line = tc_value_of(args, "LINE");
    tc_status status;
    if (!tc_need_lowered(s, args->span, &status)) {
        return status;
    }
    tc_emitted cuda;
    if (!tc_emit_cuda(s->program.arena, s->program.lowered, &s->diags, &cuda)) {
        return TC_FAILED;
    }
    if (line != NULL) {
        return answer_line(s, r, cuda.text, &cuda.lines, cuda.body, line);
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_puts(&text, cuda.text);
    return answer_text(s, r, &text);
}

/* The line of the program that a line of PTX, ".loc 1 10 0", says that what
 * follows is from; 0: it says nothing. */
static int loc_line(const char *p) {
    const char *loc = p + strspn(p, " \t");
    if (strncmp(loc, ".loc", 4) != 0) {
        return 0;
    }
    strtol(loc + 4, (char **)&loc, 10);
    return (int)strtol(loc, NULL, 10);
}

static void mark_ptx(const char *ptx, tc_lines *lines) {
    for (const char *p = ptx; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        int line = loc_line(p);
        n += p[n] == '\n';
        if (line > 0) {
            tc_lines_mark(lines, (size_t)(p - ptx), line);
        } else if (*p == '}') {
            tc_lines_mark(lines, (size_t)(p - ptx), 0);
        }
        p += n;
    }
}

/* Copies the PTX and puts each source line, as a comment, above the first
 * instruction of a run of instructions that came from it. */
static void interleave(tc_session *s, const char *ptx, tc_buf *out) {
    int last = 0;
    for (const char *p = ptx; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        int line = loc_line(p), len = 0;
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

/* The PTX of the program, or what comes from one line of it. */
static tc_status program_ptx(tc_session *s, const tc_command_value *line,
                             bool source, tc_reply *r) {
    const char *ptx = s->program.ptx.text;
    tc_buf text = TC_BUF_INIT;
    if (source) {
        interleave(s, ptx, &text);
    } else {
        tc_buf_puts(&text, ptx);
    }
    if (line == NULL) {
        return answer_text(s, r, &text);
    }
    tc_arena *scratch = tc_arena_new();
    tc_lines lines = {.arena = scratch};
    mark_ptx(tc_buf_text(&text), &lines);
    tc_status status = answer_line(s, r, tc_buf_text(&text), &lines, 0, line);
    tc_arena_free(scratch);
    tc_buf_free(&text);
    return status;
}

tc_status tc_cmd_ptx(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_command_value at;
    const tc_command_value *name = tc_copies_name(args, "KERNEL", &at);
    const char *kernel = name != NULL ? name->text : NULL;
    bool source = tc_value_of(args, "--source") != NULL;
    tc_status status;
    tc_buf text = TC_BUF_INIT;
    if (at.text == NULL && file_text(s, kernel, source, &text)) {
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
    return program_ptx(s, at.text != NULL ? &at : NULL, source, r);
}
