/* findings.c - findings as text, with the lines of the source, and as JSON. */
#include "explain/explain.h"
#include "explain/finding.h"
#include "explain/finding_cuda.h"

#include <stdlib.h>
#include <string.h>

/* Where an access is: in the run's source, or for a .cu perhaps in another file
 * of the learner's. */
typedef struct place {
    const char *file; /* NULL: the run's source */
    int line, col;    /* 0: unknown */
    const char *text; /* of the line, or NULL */
    int len;
} place;

static place place_of(tc_session *s, const tc_access *a) {
    place p = {.line = tc_finding_line(a)};
    const tc_loaded *cuda = tc_finding_cuda(s);
    bool known = a->valid && a->op != NULL && s->program.run->file != NULL;
    const tc_ptx_loc *l =
        known && cuda != NULL ? tc_cuda_location(cuda, a->op) : NULL;
    if (l != NULL) {
        p.col = (int)l->col;
        p.text = tc_cuda_line(cuda, l, &p.len);
        p.file = a->op->file != 1 ? tc_cuda_file_name(cuda, l) : NULL;
    } else {
        p.col = known && cuda == NULL ? (int)a->op->ptx_col : 0;
        p.text = tc_session_source_line(s, p.line, &p.len);
    }
    return p;
}

static bool same_file(const place *a, const place *b) {
    return a->file == NULL || b->file == NULL ? a->file == b->file
                                              : strcmp(a->file, b->file) == 0;
}

/* The line, and a caret under it at a byte of it. */
static void put_line(const place *p, const char *mark, bool caret, tc_buf *b) {
    if (p->text == NULL) {
        return;
    }
    tc_buf_printf(b, "  %5d %s %.*s\n", p->line, mark, p->len, p->text);
    if (!caret || p->col < 1) {
        return;
    }
    tc_buf_fill(b, ' ', 10);
    for (int i = 0; i < p->col - 1 && i < p->len; i++) {
        tc_buf_putc(b, p->text[i] == '\t' ? '\t' : ' ');
    }
    tc_buf_puts(b, "^\n");
}

/* Both lines of a finding, in their order. */
static void put_lines(tc_session *s, const tc_finding *f, tc_buf *b) {
    place at = place_of(s, &f->at), cause = place_of(s, &f->cause);
    bool cuda = tc_finding_cuda(s) != NULL, same = same_file(&at, &cause);
    bool two = cause.line > 0 && (!same || cause.line != at.line);
    if (two && same && cause.line < at.line) {
        put_line(&cause, "|", cuda, b);
    }
    put_line(&at, ">", true, b);
    if (two && !same) {
        tc_buf_printf(b, "  in %s:\n",
                      cause.file ? cause.file : s->program.run->source->name);
    }
    if (two && (!same || cause.line > at.line)) {
        put_line(&cause, "|", cuda, b);
    }
}

/* Through which calls the code of an access came to be there. */
static void put_callers(tc_session *s, const tc_access *a, tc_buf *b) {
    tc_buf text = TC_BUF_INIT;
    tc_cuda_callers(s, a, &text);
    if (text.len > 0) {
        tc_buf line = TC_BUF_INIT;
        tc_cuda_line_text(s, a, &line);
        tc_buf_printf(&line, " is %s", tc_buf_text(&text));
        tc_buf_puts(b, "  ");
        tc_describe_wrapped(b, tc_buf_text(&line), 2, 2, s->options.width);
        tc_buf_free(&line);
    }
    tc_buf_free(&text);
}

/* The line of a .ptx file that an access is of came from another text. */
static void put_origin(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_last_run *run = s->program.run;
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
    place p = place_of(s, a);
    const char *name = p.file ? p.file : s->program.run->source->name;
    if (p.line == 0) {
        tc_buf_printf(b, "%s:", name);
    } else if (p.col == 0) {
        tc_buf_printf(b, "%s:%d:", name, p.line);
    } else {
        tc_buf_printf(b, "%s:%d:%d:", name, p.line, p.col);
    }
}

/* The message, which may end in a list: an entry a line, further in. */
static void put_message(tc_session *s, const char *text, tc_buf *b) {
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
    put_message(s, tc_buf_text(&text), out);
    put_lines(s, f, out);
    if (tc_finding_cuda(s) != NULL) {
        put_callers(s, &f->at, out);
        if (cause > 0 && cause != at) {
            put_callers(s, &f->cause, out);
        }
    } else {
        put_origin(s, &f->at, out);
        if (cause > 0 && cause != at) {
            put_origin(s, &f->cause, out);
        }
    }
    if (f->missing != TC_MISSING_NOTHING) {
        tc_buf_clear(&text);
        tc_finding_missing(s, f, &text);
        tc_buf_puts(out, "  missing: ");
        tc_describe_wrapped(out, tc_buf_text(&text), 11, 11, s->options.width);
    }
    tc_buf_free(&text);
}

/* --- JSON ------------------------------------------------------------------*/

static json_t *cause_json(tc_session *s, const tc_finding *f) {
    if (!f->cause.valid && f->missing == TC_MISSING_NOTHING) {
        return json_null();
    }
    tc_buf what = TC_BUF_INIT, missing = TC_BUF_INIT;
    if (f->cause.valid) {
        if (tc_finding_cuda(s) == NULL ||
            !tc_cuda_call_text(s, &f->cause, &what)) {
            tc_buf_puts(&what, tc_finding_op(&f->cause));
        }
        tc_buf_printf(&what, " issued at line %d by thread [%u,%u,%u]",
                      tc_finding_line(&f->cause), f->cause.cta, f->cause.warp,
                      f->cause.lane);
    }
    tc_finding_missing(s, f, &missing);
    json_t *j =
        json_pack("{s:s,s:i,s:s}", "what", tc_buf_text(&what), "line",
                  tc_finding_line(&f->cause), "missing", tc_buf_text(&missing));
    place at = place_of(s, &f->at), cause = place_of(s, &f->cause);
    if (f->cause.valid && !same_file(&at, &cause)) {
        json_object_set_new(j, "file",
                            json_string(cause.file
                                            ? cause.file
                                            : s->program.run->source->name));
    }
    tc_buf_free(&what);
    tc_buf_free(&missing);
    return j;
}

/* What only findings in a .ptx file have: a column, and where .loc points. */
static void add_origin(tc_session *s, const tc_finding *f, json_t *j) {
    const tc_last_run *run = s->program.run;
    const char *name, *text;
    int line;
    if (run->file == NULL) {
        return;
    }
    json_object_set_new(j, "column", json_integer(place_of(s, &f->at).col));
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
    place at = place_of(s, &f->at);
    tc_buf text = TC_BUF_INIT;
    tc_finding_message(s, f, &text);
    one_line(&text);
    json_t *j =
        json_pack("{s:s,s:s,s:s,s:i,s:I,s:[i,i,i],s:o,s:[i,i],s:o}", "kind",
                  tc_finding_kind_names[f->kind], "message", tc_buf_text(&text),
                  "file", at.file ? at.file : s->program.run->source->name,
                  "line", at.line, "cycle", (json_int_t)f->at.cycle, "thread",
                  (int)f->at.cta, (int)f->at.warp, (int)f->at.lane, "object",
                  object ? json_string(object) : json_null(), "bytes",
                  (int)f->from, (int)f->to, "cause", cause_json(s, f));
    if (f->waiters != NULL) {
        json_object_set_new(j, "waiters",
                            tc_waiters_json(f->waiters,
                                            tc_finding_cuda(s) != NULL,
                                            s->program.run->arena));
    }
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

/* --- what is kept back -----------------------------------------------------*/

void tc_suppressed_text(const uint64_t n[TC_SUPPRESSION_COUNT], bool option,
                        int width, tc_buf *b) {
    for (int i = 0; i < TC_SUPPRESSION_COUNT; i++) {
        if (n[i] == 0) {
            continue;
        }
        tc_buf line = TC_BUF_INIT;
        tc_describe_count(&line, n[i]);
        tc_buf_printf(&line, " report%s suppressed by %s: %s; `%s` shows %s",
                      n[i] == 1 ? "" : "s", tc_suppressions[i].name,
                      tc_suppressions[i].why,
                      option ? "exec --no-suppressions"
                             : "set suppressions off",
                      n[i] == 1 ? "it" : "them");
        tc_buf_puts(b, "  ");
        tc_describe_wrapped(b, tc_buf_text(&line), 2, 2, width);
        tc_buf_free(&line);
    }
}

json_t *tc_suppressed_json(const uint64_t n[TC_SUPPRESSION_COUNT]) {
    json_t *list = NULL;
    for (int i = 0; i < TC_SUPPRESSION_COUNT; i++) {
        if (n[i] > 0) {
            list = list != NULL ? list : json_array();
            json_array_append_new(
                list, json_pack("{s:s,s:I,s:s,s:s}", "name",
                                tc_suppressions[i].name, "reports",
                                (json_int_t)n[i], "why", tc_suppressions[i].why,
                                "source", tc_suppressions[i].source));
        }
    }
    return list;
}
