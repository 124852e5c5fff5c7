/* findings.c - findings as text, with the lines of the source, and as JSON. */
#include "session/finding_words.h"

#include <stdlib.h>
#include <string.h>

<<<<<<< /tmp/hz/./src/session/findings.c
static int line_of(const tc_access *a) {
    return a->valid && a->op != NULL ? (int)a->op->line : 0;
}

static const char *op_of(const tc_access *a) {
    return a->valid && a->op != NULL ? tc_ptx_ops[a->op->opcode].name : "?";
}

static uint32_t thread_of(const tc_access *a) {
    return a->warp * 32 + a->lane;
}

/* "thread 3 of CTA 0" or, in a grid of one CTA, "thread 3". */
static void who(tc_session *s, const tc_access *a, tc_buf *b) {
    const uint32_t *g = s->program.run->grid;
    tc_buf_printf(b, "thread %u", thread_of(a));
    if ((uint64_t)g[0] * g[1] * g[2] > 1) {
        tc_buf_printf(b, " of CTA %u", a->cta);
    }
}

static bool is_write(const tc_access *a) {
    return a->valid && a->op != NULL &&
           (a->op->opcode == TC_PTX_ST || a->op->opcode == TC_PTX_CP_ASYNC);
}

static void copy_state(const tc_finding *f, tc_buf *b) {
    tc_buf_printf(b, "the copy (cp.async) issued at line %d",
                  line_of(&f->cause));
    if (f->cause.group >= 0) {
        tc_buf_printf(b, ", in commit group %d", f->cause.group);
    }
}

/* --- the message: what happened
 * ------------------------------------------------ */

static void message_async(tc_session *s, const tc_finding *f,
                          const char *object, tc_buf *b) {
    who(s, &f->at, b);
    tc_buf_printf(b, " reads %s while ", object);
    copy_state(f, b);
    if (f->kind == TC_FINDING_UNCOMMITTED_GROUP) {
        tc_buf_puts(b, ", is still in flight: it was never committed, so no "
                       "wait covers it");
    } else {
        tc_buf_puts(b, ", is still in flight: ");
        if (f->missing == TC_MISSING_WAIT_LESS) {
            tc_buf_printf(b, "the wait at line %d lets it stay pending",
                          line_of(&f->other));
        } else if (f->missing == TC_MISSING_COMMIT_AND_WAIT) {
            tc_buf_puts(b, "it was neither committed nor waited for");
        } else {
            tc_buf_puts(b, "nothing waited for it");
        }
    }
}

static void message_pair(tc_session *s, const tc_finding *f, const char *object,
                         tc_buf *b) {
    who(s, &f->at, b);
    tc_buf_printf(b, " %s %s", is_write(&f->at) ? "writes" : "reads", object);
    if (f->kind == TC_FINDING_OVERWRITE_IN_FLIGHT) {
        tc_buf_puts(b, " while ");
        copy_state(f, b);
        tc_buf_puts(b, ", has not completed");
        return;
    }
    tc_buf_printf(b, ", which ");
    who(s, &f->cause, b);
    tc_buf_printf(b, " %s at line %d (%s), with no barrier between them",
                  is_write(&f->cause) ? "wrote" : "read", line_of(&f->cause),
                  op_of(&f->cause));
}

static void message_simple(tc_session *s, const tc_finding *f,
                           const char *object, tc_buf *b) {
    who(s, &f->at, b);
    const char *verb = is_write(&f->at) ? "writes" : "reads";
    switch (f->kind) {
    case TC_FINDING_OUT_OF_BOUNDS:
        tc_buf_printf(b, " %s %u bytes at %s: nothing is there", verb, f->bytes,
                      object);
        break;
    case TC_FINDING_MISALIGNED:
        tc_buf_printf(b, " %s %u bytes at %s, which is not aligned to %lld",
                      verb, f->bytes, object,
                      (long long)(f->missing_n ? f->missing_n : f->bytes));
        break;
    case TC_FINDING_BARRIER_DIVERGENCE:
        tc_buf_puts(b, " comes to the barrier without the rest of its warp, or "
                       "of the threads that it waits for");
        break;
    case TC_FINDING_UNINITIALIZED_READ:
        tc_buf_printf(b, " reads %s, which nobody has written", object);
        break;
    default:
        tc_buf_printf(b, ": %s", tc_finding_kind_names[f->kind]);
        break;
    }
}

/* Several lanes, and threads, may fall to one defect. */
static void also(const tc_finding *f, tc_buf *b) {
    if (f->lanes > 1) {
        tc_buf_puts(b, " (the same in ");
        tc_describe_count(b, f->lanes - 1);
        tc_buf_printf(b, " more access%s)", f->lanes == 2 ? "" : "es");
    }
}

static bool has_address(const tc_finding *f) {
    switch (f->kind) {
    case TC_FINDING_TRAP:
    case TC_FINDING_BARRIER_DIVERGENCE:
    case TC_FINDING_DEADLOCK:
    case TC_FINDING_MBARRIER_DEADLOCK:
    case TC_FINDING_ILLEGAL_SIZE:
        return false;
    default:
        return true;
    }
}

static void message(tc_session *s, const tc_finding *f, const char *object,
                    tc_buf *b) {
    switch (f->kind) {
    case TC_FINDING_UNCOMMITTED_GROUP:
    case TC_FINDING_READ_BEFORE_COMPLETE:
        message_async(s, f, object, b);
        break;
    case TC_FINDING_READ_BEFORE_BARRIER:
    case TC_FINDING_OVERWRITE_IN_FLIGHT:
    case TC_FINDING_OVERWRITE_BEFORE_READ:
    case TC_FINDING_DATA_RACE:
        message_pair(s, f, object, b);
        break;
    case TC_FINDING_DEADLOCK:
    case TC_FINDING_MBARRIER_DEADLOCK:
        tc_buf_puts(b, "nobody can go on");
        break;
    default:
        message_simple(s, f, object, b);
        break;
    }
    if (f->detail != NULL) {
        tc_buf_printf(b, ": %s", f->detail);
    }
    also(f, b);
}

/* --- what is missing
 * -------------------------------------------------------------- */

/* What would be written, in the words of the source. */
typedef struct words {
    const char *commit, *wait, *wait_open, *wait_close, *barrier;
} words;

static const words script_words = {"T.ptx.cp_async.commit_group()",
                                   "T.ptx.cp_async.wait_group(", "wait_group(",
                                   ")", "T.cuda.cta_sync()"};
static const words ptx_words = {"cp.async.commit_group", "cp.async.wait_group ",
                                "wait_group ", "", "bar.sync 0"};

static void missing_barrier(const char *barrier, int cause, int at, tc_buf *b) {
    if (cause == at) {
        tc_buf_printf(b, "%s between two turns of line %d", barrier, at);
    } else if (cause > at) {
        tc_buf_printf(b,
                      "%s after line %d, before line %d comes "
                      "round again",
                      barrier, cause, at);
    } else {
        tc_buf_printf(b, "%s between lines %d and %d", barrier, cause, at);
    }
}

static void missing_text(tc_session *s, const tc_finding *f, tc_buf *b) {
    const words *w = s->program.run->file ? &ptx_words : &script_words;
    int at = line_of(&f->at), cause = line_of(&f->cause);
    long long n = (long long)f->missing_n;
    switch (f->missing) {
    case TC_MISSING_NOTHING:
        break;
    case TC_MISSING_COMMIT:
        tc_buf_printf(b, "%s after line %d, before the wait", w->commit, cause);
        break;
    case TC_MISSING_WAIT:
        tc_buf_printf(b, "%s%lld%s before line %d", w->wait, n, w->wait_close,
                      at);
        break;
    case TC_MISSING_WAIT_LESS:
        tc_buf_printf(b, "%s%lld%s or less at line %d", w->wait_open, n,
                      w->wait_close, line_of(&f->other));
        break;
    case TC_MISSING_COMMIT_AND_WAIT:
        tc_buf_printf(b, "%s after line %d, and %s%lld%s before line %d",
                      w->commit, cause, w->wait, n, w->wait_close, at);
        break;
    case TC_MISSING_BARRIER:
        missing_barrier(w->barrier, cause, at, b);
        break;
    case TC_MISSING_PHASE_WAIT:
        tc_buf_printf(b,
                      "before line %d, a wait for the phase of the mbarrier "
                      "that line %d completes",
                      at, cause);
        break;
    case TC_MISSING_BULK_COMMIT:
        tc_buf_printf(b,
                      "cp.async.bulk.commit_group after line %d, before the "
                      "wait",
                      cause);
        break;
    case TC_MISSING_BULK_COMMIT_AND_WAIT:
        tc_buf_printf(b,
                      "cp.async.bulk.commit_group after line %d, and "
                      "cp.async.bulk.wait_group 0 before line %d",
                      cause, at);
        break;
    case TC_MISSING_BULK_LESS:
        tc_buf_printf(b, "cp.async.bulk.wait_group %lld or less at line %d",
                      (long long)f->missing_n, line_of(&f->other));
        break;
    case TC_MISSING_BULK_WAIT:
        tc_buf_printf(b, "cp.async.bulk.wait_group 0 before line %d", at);
        break;
    case TC_MISSING_BULK_WAIT_READ:
        tc_buf_printf(b, "cp.async.bulk.wait_group.read 0 before line %d", at);
        break;
    case TC_MISSING_EMPTY_WAIT:
        tc_buf_printf(b,
                      "before line %d, a wait for an mbarrier at which the "
                      "readers arrive after line %d",
                      at, cause);
        break;
    case TC_MISSING_PROXY_FENCE:
        tc_buf_printf(b, "fence.proxy.async between lines %d and %d", cause,
                      at);
        break;
    case TC_MISSING_CLUSTER_BARRIER:
        tc_buf_printf(b, "a barrier of the cluster between lines %d and %d",
                      cause, at);
        break;
    case TC_MISSING_CLUSTER_START:
        tc_buf_printf(b, "a barrier of the cluster before line %d", at);
        break;
    case TC_MISSING_CLUSTER_END:
        tc_buf_printf(b,
                      "a barrier of the cluster after line %d, before the "
                      "other CTA ends",
                      at);
        break;
    case TC_MISSING_SCOPE:
        tc_buf_printf(b,
                      "a scope of .gpu at lines %d and %d: .cta does not "
                      "reach another CTA",
                      cause, at);
        break;
    case TC_MISSING_ONE_WRITER:
        tc_buf_printf(b, "one thread that writes it, or an atomic, at line %d",
                      at);
        break;
    case TC_MISSING_ALIGNMENT:
        tc_buf_printf(b, "an address that is a multiple of %lld bytes", n);
        break;
    }
}

=======
>>>>>>> ./src/session/findings.c
static void put_source(tc_session *s, int line, const char *mark, tc_buf *b) {
    int len;
    const char *text = tc_session_source_line(s, line, &len);
    if (text != NULL) {
        tc_buf_printf(b, "  %5d %s %.*s\n", line, mark, len, text);
    }
}

/* The column of the instruction in its line; only a .ptx file has one. */
static int column_of(tc_session *s, const tc_access *a) {
    bool known = s->program.run->file != NULL && a->valid && a->op != NULL;
    return known ? (int)a->op->ptx_col : 0;
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
    if (run->file != NULL && a->valid && a->op != NULL &&
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
    if (f->at.valid && f->at.op != NULL &&
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

static json_t *finding_json(tc_session *s, const tc_finding *f) {
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
        json_array_append_new(list, finding_json(s, &res->findings[i]));
    }
    return list;
}
