/* findings.c - findings in the learner's words: which element, which thread,
 * which line, and what is missing. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

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

/* In the words of the source: TVMScript here. */
static void missing_text(const tc_finding *f, tc_buf *b) {
    int at = line_of(&f->at), cause = line_of(&f->cause);
    switch (f->missing) {
    case TC_MISSING_NOTHING:
        break;
    case TC_MISSING_COMMIT:
        tc_buf_printf(b,
                      "T.ptx.cp_async.commit_group() after line %d, before the "
                      "wait",
                      cause);
        break;
    case TC_MISSING_WAIT:
        tc_buf_printf(b, "T.ptx.cp_async.wait_group(%lld) before line %d",
                      (long long)f->missing_n, at);
        break;
    case TC_MISSING_WAIT_LESS:
        tc_buf_printf(b, "wait_group(%lld) or less at line %d",
                      (long long)f->missing_n, line_of(&f->other));
        break;
    case TC_MISSING_COMMIT_AND_WAIT:
        tc_buf_printf(b,
                      "T.ptx.cp_async.commit_group() after line %d, and "
                      "T.ptx.cp_async.wait_group(%lld) before line %d",
                      cause, (long long)f->missing_n, at);
        break;
    case TC_MISSING_BARRIER:
        if (cause == at) {
            tc_buf_printf(b, "T.cuda.cta_sync() between two turns of line %d",
                          at);
        } else if (cause > at) {
            tc_buf_printf(
                b,
                "T.cuda.cta_sync() after line %d, before line %d comes "
                "round again",
                cause, at);
        } else {
            tc_buf_printf(b, "T.cuda.cta_sync() between lines %d and %d", cause,
                          at);
        }
        break;
    case TC_MISSING_ALIGNMENT:
        tc_buf_printf(b, "an address that is a multiple of %lld bytes",
                      (long long)f->missing_n);
        break;
    }
}

static void put_source(tc_session *s, int line, const char *mark, tc_buf *b) {
    int len;
    const char *text = tc_session_source_line(s, line, &len);
    if (text != NULL) {
        tc_buf_printf(b, "  %5d %s %.*s\n", line, mark, len, text);
    }
}

void tc_finding_text(tc_session *s, const tc_finding *f, tc_buf *out) {
    const char *object =
        has_address(f) ? tc_address_name(s, f->space, f->address) : "";
    int at = line_of(&f->at), cause = line_of(&f->cause);
    tc_buf_printf(out, "%s:%d: finding: %s\n  ", s->program.func->source->name,
                  at, tc_finding_kind_names[f->kind]);
    tc_buf words = TC_BUF_INIT;
    message(s, f, object, &words);
    tc_describe_wrapped(out, tc_buf_text(&words), 2, 2, s->options.width);
    if (cause > 0 && cause < at) {
        put_source(s, cause, "|", out);
    }
    put_source(s, at, ">", out);
    if (cause > at) {
        put_source(s, cause, "|", out);
    }
    if (f->missing != TC_MISSING_NOTHING) {
        tc_buf_clear(&words);
        missing_text(f, &words);
        tc_buf_puts(out, "  missing: ");
        tc_describe_wrapped(out, tc_buf_text(&words), 11, 11, s->options.width);
    }
    tc_buf_free(&words);
}

/* --- JSON
 * ------------------------------------------------------------------------------
 */

static json_t *cause_json(const tc_finding *f) {
    if (!f->cause.valid && f->missing == TC_MISSING_NOTHING) {
        return json_null();
    }
    tc_buf what = TC_BUF_INIT, missing = TC_BUF_INIT;
    if (f->cause.valid) {
        tc_buf_printf(&what, "%s issued at line %d by thread [%u,%u,%u]",
                      op_of(&f->cause), line_of(&f->cause), f->cause.cta,
                      f->cause.warp, f->cause.lane);
    }
    missing_text(f, &missing);
    json_t *j = json_pack("{s:s,s:i,s:s}", "what", tc_buf_text(&what), "line",
                          line_of(&f->cause), "missing", tc_buf_text(&missing));
    tc_buf_free(&what);
    tc_buf_free(&missing);
    return j;
}

static json_t *finding_json(tc_session *s, const tc_finding *f) {
    const char *object =
        has_address(f) ? tc_address_name(s, f->space, f->address) : NULL;
    tc_buf text = TC_BUF_INIT;
    message(s, f, object ? object : "", &text);
    json_t *j = json_pack(
        "{s:s,s:s,s:s,s:i,s:I,s:[i,i,i],s:o,s:[i,i],s:o}", "kind",
        tc_finding_kind_names[f->kind], "message", tc_buf_text(&text), "file",
        s->program.func->source->name, "line", line_of(&f->at), "cycle",
        (json_int_t)f->at.cycle, "thread", (int)f->at.cta, (int)f->at.warp,
        (int)f->at.lane, "object", object ? json_string(object) : json_null(),
        "bytes", (int)f->from, (int)f->to, "cause", cause_json(f));
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
