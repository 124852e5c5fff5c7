/* findings.c - findings as text, with the lines of the source, and as JSON. */
#include "session/finding_cuda.h"
#include "session/finding_words.h"

#include <stdlib.h>
#include <string.h>

static void put_source(tc_session *s, int line, const char *mark, tc_buf *b) {
    int len;
    const char *text = tc_session_source_line(s, line, &len);
    if (text != NULL) {
        tc_buf_printf(b, "  %5d %s %.*s\n", line, mark, len, text);
    }
}

/* The column of the instruction in its line; 0: unknown. */
static int column_of(tc_session *s, const tc_access *a) {
    const tc_loaded *file = s->program.run->file;
    if (file == NULL || !a->valid || a->op == NULL) {
        return 0;
    }
    if (file->cu_files == NULL) {
        return (int)a->op->ptx_col;
    }
    const tc_ptx_loc *l = tc_cuda_place(file, a->op);
    return l != NULL ? (int)l->col : 0;
}

/* A caret under the line that put_source wrote, at a byte of it. */
static void put_caret(tc_session *s, int line, int col, tc_buf *b) {
    int len;
    const char *text = tc_session_source_line(s, line, &len);
    if (text == NULL || col < 1) {
        return;
    }
    tc_buf_fill(b, ' ', 10);
    for (int i = 0; i < col - 1 && i < len; i++) {
        tc_buf_putc(b, text[i] == '\t' ? '\t' : ' ');
    }
    tc_buf_puts(b, "^\n");
}

/* The line of a .ptx file that an access is of came from another text. */
static void put_origin(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_run *run = s->program.run;
    const char *name, *text;
    int line;
    if (run->file != NULL && run->file->cu_files == NULL && a->valid &&
        a->op != NULL &&
        tc_loaded_origin(run->file, a->op, run->arena, &name, &line, &text)) {
        tc_buf_printf(b, "  line %d is from %s:%d: %s\n", tc_finding_line(a),
                      name, line, text);
    }
}

static void put_place(tc_session *s, const tc_access *a, tc_buf *b) {
    const char *name = s->program.run->source->name;
    int line = tc_finding_line(a), col = column_of(s, a);
    if (line == 0) {
        tc_buf_printf(b, "%s:", name);
    } else if (col == 0) {
        tc_buf_printf(b, "%s:%d:", name, line);
    } else {
        tc_buf_printf(b, "%s:%d:%d:", name, line, col);
    }
}

/* The message, which may end in a list: an entry a line, further in. */
static void put_lines(tc_session *s, const char *text, tc_buf *b) {
    for (int indent = 2; *text != '\0'; indent = 4) {
        size_t n = strcspn(text, "\n");
        tc_buf line = TC_BUF_INIT;
        tc_buf_write(&line, text, n);
        tc_buf_fill(b, ' ', indent);
        tc_describe_wrapped(b, tc_buf_text(&line), indent, indent,
                            s->options.width);
        tc_buf_free(&line);
        text += n + (text[n] == '\n');
    }
}

void tc_finding_text(tc_session *s, const tc_finding *f, tc_buf *out) {
    int at = tc_finding_line(&f->at), cause = tc_finding_line(&f->cause);
    put_place(s, &f->at, out);
    tc_buf_printf(out, " finding: %s\n", tc_finding_kind_names[f->kind]);
    tc_buf text = TC_BUF_INIT;
    tc_finding_message(s, f, &text);
    put_lines(s, tc_buf_text(&text), out);
    if (cause > 0 && cause < at) {
        put_source(s, cause, "|", out);
    }
    put_source(s, at, ">", out);
    put_caret(s, at, column_of(s, &f->at), out);
    if (cause > at) {
        put_source(s, cause, "|", out);
    }
    put_origin(s, &f->at, out);
    if (cause > 0 && cause != at) {
        put_origin(s, &f->cause, out);
    }
    if (f->missing != TC_MISSING_NOTHING) {
        tc_buf_clear(&text);
        tc_finding_missing(s, f, &text);
        tc_buf_puts(out, "  missing: ");
        tc_describe_wrapped(out, tc_buf_text(&text), 11, 11, s->options.width);
    }
    tc_buf_free(&text);
}

/* --- JSON
 * ------------------------------------------------------------------------------
 */

static json_t *cause_json(tc_session *s, const tc_finding *f) {
    if (!f->cause.valid && f->missing == TC_MISSING_NOTHING) {
        return json_null();
    }
    tc_buf what = TC_BUF_INIT, missing = TC_BUF_INIT;
    if (f->cause.valid) {
        tc_buf_printf(&what, "%s issued at line %d by thread [%u,%u,%u]",
                      tc_finding_op(&f->cause), tc_finding_line(&f->cause),
                      f->cause.cta, f->cause.warp, f->cause.lane);
    }
    tc_finding_missing(s, f, &missing);
    json_t *j =
        json_pack("{s:s,s:i,s:s}", "what", tc_buf_text(&what), "line",
                  tc_finding_line(&f->cause), "missing", tc_buf_text(&missing));
    tc_buf_free(&what);
    tc_buf_free(&missing);
    return j;
}

/* What only findings in a .ptx file have: a column, and where .loc points. */
static void add_origin(tc_session *s, const tc_finding *f, json_t *j) {
    const tc_run *run = s->program.run;
    const char *name, *text;
    int line;
    if (run->file == NULL) {
        return;
    }
    json_object_set_new(j, "column", json_integer(column_of(s, &f->at)));
    if (run->file->cu_files == NULL && f->at.valid && f->at.op != NULL &&
        tc_loaded_origin(run->file, f->at.op, run->arena, &name, &line,
                         &text)) {
        json_object_set_new(j, "origin",
                            json_pack("{s:s,s:i}", "file", name, "line", line));
    }
}

/* A list's entries are parted by semicolons there. */
static void one_line(tc_buf *b) {
    tc_buf flat = TC_BUF_INIT;
    bool entries = false;
    for (const char *p = tc_buf_text(b); *p != '\0'; p++) {
        if (*p == '\n') {
            tc_buf_puts(&flat, entries ? "; " : " ");
            entries = true;
        } else {
            tc_buf_putc(&flat, *p);
        }
    }
    tc_buf_free(b);
    *b = flat;
}

json_t *tc_finding_json(tc_session *s, const tc_finding *f) {
    const char *object = tc_finding_object(s, f);
    tc_buf text = TC_BUF_INIT;
    tc_finding_message(s, f, &text);
    one_line(&text);
    json_t *j = json_pack(
        "{s:s,s:s,s:s,s:i,s:I,s:[i,i,i],s:o,s:[i,i],s:o}", "kind",
        tc_finding_kind_names[f->kind], "message", tc_buf_text(&text), "file",
        s->program.run->source->name, "line", tc_finding_line(&f->at), "cycle",
        (json_int_t)f->at.cycle, "thread", (int)f->at.cta, (int)f->at.warp,
        (int)f->at.lane, "object", object ? json_string(object) : json_null(),
        "bytes", (int)f->from, (int)f->to, "cause", cause_json(s, f));
    add_origin(s, f, j);
    tc_buf_free(&text);
    return j;
}

json_t *tc_findings_json(tc_session *s) {
    json_t *list = json_array();
    const tc_sim_result *res = &s->program.run->result;
    for (int i = 0; i < res->nfindings; i++) {
        json_array_append_new(list, tc_finding_json(s, &res->findings[i]));
    }
    return list;
}
