/* why.c - the decisions about each copy, as text and as JSON. */
#include "base/utf8.h"
#include "commands/copies.h"

#include <string.h>

static const char *outcome_name(tc_outcome o) {
    return o == TC_ACCEPT ? "accept" : o == TC_REJECT ? "reject" : "decline";
}

static const char *op_name(tc_copy_op op) {
    return op == TC_COPY ? "copy" : "copy_async";
}

typedef struct why_asked {
    tc_variant_id only; /* TC_VARIANT_COUNT: all variants */
    int copy;           /* -1: all copies */
    bool checks;        /* every check, not the deciding one alone */
} why_asked;

/* --- text ------------------------------------------------------------------*/

enum { CHECK_INDENT = 6 };

static void check_text(tc_session *s, const tc_check *c, tc_buf *b) {
    static const char *const marks[] = {"NO", "ok", "--"};
    tc_buf line = TC_BUF_INIT;
    tc_buf_puts(&line, c->name);
    tc_buf_puts(&line, ": ");
    tc_buf_puts(&line, c->detail);
    tc_buf_fill(b, ' ', CHECK_INDENT);
    tc_buf_puts(b, marks[c->ok]);
    tc_buf_puts(b, "  ");
    tc_describe_wrapped(b, tc_buf_text(&line), CHECK_INDENT + 4,
                        CHECK_INDENT + 4, s->options.width);
    tc_buf_free(&line);
}

static void checks_text(tc_session *s, const tc_verdict *v, tc_buf *b) {
    const char *last = "";
    for (int i = 0; i < v->nchecks; i++) {
        const tc_check *c = &v->checks[i];
        if (strcmp(c->predicate, last) != 0) {
            last = c->predicate;
            tc_buf_printf(b, "    %s\n",
                          strcmp(last, "lowering") ? last : "lowering:");
        }
        check_text(s, c, b);
    }
}

static void partition_line(const tc_verdict *v, tc_buf *b) {
    const tc_partition *p = v->partition;
    if (p != NULL && p->outer > 0) {
        tc_buf_printf(b,
                      "    partition [outer, threads, vec] = [%lld, %lld, "
                      "%lld], %d byte%s each\n",
                      (long long)p->outer, (long long)p->threads,
                      (long long)p->vec, p->vec_bytes,
                      p->vec_bytes == 1 ? "" : "s");
    }
    tc_describe_issues(b, v, "    issues ");
}

/* "ACCEPTED, chosen", "rejected", "declined: ..." */
static void verdict_name(const tc_decision *d, const tc_verdict *v, tc_buf *b) {
    if (v->outcome == TC_REJECT) {
        tc_buf_puts(b, "rejected");
    } else if (v->outcome == TC_DECLINE) {
        tc_buf_puts(b, "declined");
    } else {
        tc_buf_puts(b, v->lowering_built ? "accepted"
                                         : "accepted; lowering not built yet");
    }
    if (v == d->chosen) {
        tc_buf_puts(b, ", CHOSEN");
    } else if (v->outcome == TC_ACCEPT && d->chosen != NULL) {
        tc_buf_printf(b, ", but %s goes first",
                      tc_variants[d->chosen->variant->id].name);
    } else if (v->outcome == TC_ACCEPT && d->copy->forced != NULL) {
        tc_buf_printf(b, ", but dispatch=\"%s\" asks for another",
                      d->copy->forced);
    }
}

static void verdict_text(tc_session *s, const tc_decision *d,
                         const tc_verdict *v, tc_buf *b) {
    const tc_variant_row *row = &tc_variants[v->variant->id];
    tc_buf_printf(b, "\n  %s (priority %d): ", row->name, row->priority);
    verdict_name(d, v, b);
    tc_buf_putc(b, '\n');
    checks_text(s, v, b);
    if (v->outcome == TC_DECLINE && v->why != NULL) {
        tc_buf_puts(b, "    declines: ");
        tc_describe_wrapped(b, v->why, 14, 14, s->options.width);
    }
    if (v->outcome == TC_ACCEPT) {
        partition_line(v, b);
    }
}

static void scope_text(const tc_decision *d, tc_buf *b) {
    int64_t threads = 1;
    tc_buf_printf(b, "  scope %s", tc_scope_name(d->copy->scope));
    for (int i = 0; i < d->nintra; i++) {
        const tc_intra *x = &d->intra[i];
        threads *= x->extent;
        if (x->extent == 0) { /* fewer threads than a warp has */
            tc_buf_printf(b, "%s no whole warp", i ? "," : ":");
            continue;
        }
        tc_buf_printf(b, "%s %s %lld..%lld", i ? "," : ":", x->axis->name,
                      (long long)x->offset,
                      (long long)(x->offset + x->extent - 1));
    }
    tc_buf_printf(b, " (%lld thread%s)\n", (long long)threads,
                  threads == 1 ? "" : "s");
}

/* --- one line a variant ------------------------------------------------*/

/* The check that decided against a variant, and how many more say no. */
static const tc_check *deciding_check(const tc_verdict *v, int *more) {
    const tc_check *first = NULL;
    *more = -1;
    for (int i = 0; i < v->nchecks; i++) {
        if (v->checks[i].ok == TC_NO) {
            first = first == NULL ? &v->checks[i] : first;
            ++*more;
        }
    }
    return first;
}

static void refusal_line(const tc_verdict *v, tc_buf *b) {
    int more;
    const tc_check *c = deciding_check(v, &more);
    if (c != NULL) {
        bool named = strncmp(c->detail, c->name, strlen(c->name)) == 0;
        tc_buf_printf(b, "%s%s%s", named ? "" : c->name, named ? "" : ": ",
                      c->detail);
    } else if (v->why != NULL) {
        tc_buf_puts(b, v->why);
    }
    if (more > 0) {
        tc_buf_printf(b, " (and %d more)", more);
    }
}

static void acceptance_line(const tc_decision *d, const tc_verdict *v,
                            tc_buf *b) {
    const tc_partition *p = v->partition;
    if (v != d->chosen && d->chosen != NULL) {
        tc_buf_printf(b, "%s goes first",
                      tc_variants[d->chosen->variant->id].name);
    } else if (v != d->chosen && d->copy->forced != NULL) {
        tc_buf_printf(b, "dispatch=\"%s\" asks for another", d->copy->forced);
    } else if (p != NULL && p->outer > 0) {
        tc_buf_printf(
            b, "[outer, threads, vec] = [%lld, %lld, %lld], %d byte%s",
            (long long)p->outer, (long long)p->threads, (long long)p->vec,
            p->vec_bytes, p->vec_bytes == 1 ? "" : "s");
    } else if (!v->lowering_built) {
        tc_buf_puts(b, "its lowering is not built yet");
    }
}

/* "  dsmem         rejected  scope: scope cta: needs thread (and 1 more)" */
static void verdict_line(tc_session *s, const tc_decision *d,
                         const tc_verdict *v, tc_buf *b) {
    enum { DETAIL = 26 };
    tc_buf line = TC_BUF_INIT;
    if (v->outcome == TC_ACCEPT) {
        acceptance_line(d, v, &line);
    } else {
        refusal_line(v, &line);
    }
    tc_buf_printf(b, "  %-12s  %-8s%s", tc_variants[v->variant->id].name,
                  v == d->chosen             ? "CHOSEN"
                  : v->outcome == TC_ACCEPT  ? "accepts"
                  : v->outcome == TC_DECLINE ? "declines"
                                             : "rejects",
                  line.len > 0 ? "  " : "");
    if (line.len > 0) {
        tc_describe_wrapped(b, tc_buf_text(&line), DETAIL, DETAIL,
                            s->options.width);
    } else {
        tc_buf_putc(b, '\n');
    }
    tc_buf_free(&line);
}

/* --- a copy ------------------------------------------------------------*/

static void region_text(const tc_region *r, tc_buf *b) {
    tc_describe_region(b, r);
    tc_buf_printf(b, " %s %s", tc_space_name(r->buffer->space),
                  tc_dtypes[r->buffer->type].name);
}

/* In one line where both fit. */
static void regions_text(const tc_session *s, const tc_decision *d, tc_buf *b) {
    tc_buf dst = TC_BUF_INIT, src = TC_BUF_INIT;
    region_text(&d->copy->dst, &dst);
    region_text(&d->copy->src, &src);
    int n = tc_utf8_count(tc_buf_text(&dst), dst.len) +
            tc_utf8_count(tc_buf_text(&src), src.len);
    tc_buf_printf(b, "  %s%s<-  %s\n", tc_buf_text(&dst),
                  n + 8 > s->options.width ? "\n    " : "  ",
                  tc_buf_text(&src));
    tc_buf_free(&dst);
    tc_buf_free(&src);
}

static void outcome_text(const tc_decision *d, tc_buf *b) {
    tc_variant_id id;
    if (d->chosen != NULL) {
        tc_buf_printf(b, "  => %s\n", tc_variants[d->chosen->variant->id].name);
        return;
    }
    tc_buf_puts(b, "  => no variant: ");
    if (d->copy->forced != NULL) {
        tc_buf_printf(
            b, "dispatch=\"%s\" asks for that one alone%s.\n", d->copy->forced,
            tc_variant_find(d->copy->forced, &id) ? ""
                                                  : ", and none has that name");
    } else {
        tc_buf_printf(b, "none accepts this %s.\n", op_name(d->copy->op));
    }
}

static void copy_text(tc_session *s, int copy, const why_asked *q, tc_buf *b) {
    const tc_decision *d = &s->program.decisions.items[copy];
    tc_copies_head(s, copy, b);
    regions_text(s, d, b);
    scope_text(d, b);
    tc_buf_puts(b, q->checks ? "" : "\n");
    if (q->only != TC_VARIANT_COUNT && tc_variants[q->only].op != d->copy->op) {
        tc_buf_printf(b, "\n  %s is a variant of %s: it is not asked\n",
                      tc_variants[q->only].name,
                      op_name(tc_variants[q->only].op));
    }
    for (int k = 0; k < d->nverdicts; k++) {
        const tc_verdict *v = &d->verdicts[k];
        if (q->only != TC_VARIANT_COUNT && v->variant->id != q->only) {
            continue;
        }
        if (q->checks) {
            verdict_text(s, d, v, b);
        } else {
            verdict_line(s, d, v, b);
        }
    }
    tc_buf_puts(b, q->checks ? "\n" : "");
    outcome_text(d, b);
}

/* --- JSON ------------------------------------------------------------------*/

static json_t *optional(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *truth_json(tc_truth t) {
    return t == TC_UNASKED ? json_null() : json_boolean(t == TC_YES);
}

static json_t *partition_json(const tc_partition *p) {
    json_t *j =
        json_pack("{s:I,s:I,s:I,s:i,s:o,s:o}", "vec", (json_int_t)p->vec,
                  "threads", (json_int_t)p->threads, "elements",
                  (json_int_t)p->elements, "vec_bytes", p->vec_bytes, "g",
                  tc_layout_json(p->g), "s", tc_layout_json(p->s));
    if (p->outer > 0) {
        json_object_set_new(j, "outer", json_integer((json_int_t)p->outer));
    }
    return j;
}

static json_t *ints_json(const tc_issue *u) {
    json_t *list = json_array();
    for (int i = 0; i < u->nints; i++) {
        json_array_append_new(list, json_integer((json_int_t)u->ints[i]));
    }
    return list;
}

static json_t *issues_json(const tc_verdict *v) {
    json_t *list = json_array();
    for (int i = 0; i < v->nissues; i++) {
        const tc_issue *u = &v->issues[i];
        json_t *times =
            u->times < 0 ? json_null() : json_integer((json_int_t)u->times);
        tc_buf name = TC_BUF_INIT;
        tc_op_tirx(&name, u->op);
        json_t *j = json_pack("{s:s,s:I,s:o}", "op", tc_buf_text(&name),
                              "bytes", (json_int_t)u->bytes, "times", times);
        if (u->ints != NULL) {
            json_object_set_new(j, "ints", ints_json(u));
            json_object_set_new(j, "str",
                                json_string(u->str != NULL ? u->str : ""));
        }
        json_array_append_new(list, j);
        tc_buf_free(&name);
    }
    return list;
}

static json_t *verdict_json(const tc_verdict *v) {
    const tc_variant_row *row = &tc_variants[v->variant->id];
    json_t *predicates = json_array(), *checks = json_array();
    for (int i = 0; i < v->npredicates; i++) {
        const tc_predicate_result *p = &v->predicates[i];
        json_array_append_new(predicates, json_pack("[s,b,o]", p->name, p->ok,
                                                    optional(p->reason)));
    }
    for (int i = 0; i < v->nchecks; i++) {
        const tc_check *c = &v->checks[i];
        json_array_append_new(
            checks, json_pack("{s:s,s:s,s:o,s:s}", "name", c->name, "predicate",
                              c->predicate, "ok", truth_json(c->ok), "detail",
                              c->detail));
    }
    json_t *j = json_pack(
        "{s:s,s:i,s:s,s:b,s:o,s:o}", "variant", row->name, "priority",
        row->priority, "outcome", outcome_name(v->outcome), "lowering_built",
        v->lowering_built, "predicates", predicates, "checks", checks);
    if (v->why != NULL) {
        json_object_set_new(j, "why", json_string(v->why));
    }
    if (v->partition != NULL && v->outcome == TC_ACCEPT) {
        json_object_set_new(j, "partition", partition_json(v->partition));
    }
    if (v->outcome == TC_ACCEPT) {
        json_object_set_new(j, "issues", issues_json(v));
    }
    return j;
}

static json_t *copy_json(const tc_decision *d, tc_variant_id only) {
    json_t *variants = json_array(), *intra = json_object();
    for (int k = 0; k < d->nverdicts; k++) {
        if (only == TC_VARIANT_COUNT || d->verdicts[k].variant->id == only) {
            json_array_append_new(variants, verdict_json(&d->verdicts[k]));
        }
    }
    for (int i = 0; i < d->nintra; i++) {
        json_object_set_new(intra, d->intra[i].axis->name,
                            json_pack("[I,I]", (json_int_t)d->intra[i].extent,
                                      (json_int_t)d->intra[i].offset));
    }
    const char *chosen =
        d->chosen ? tc_variants[d->chosen->variant->id].name : NULL;
    return json_pack("{s:s,s:o,s:s,s:i,s:o,s:o,s:o}", "op",
                     op_name(d->copy->op), "forced", optional(d->copy->forced),
                     "scope", tc_scope_name(d->copy->scope), "line",
                     tc_span_line(d->span), "intra", intra, "chosen",
                     optional(chosen), "variants", variants);
}

/* --- the command -----------------------------------------------------------*/

/* What the arguments ask for; reports what they cannot mean. */
static tc_status read_question(tc_session *s, const tc_command_args *args,
                               why_asked *q) {
    tc_command_value at;
    const tc_command_value *line, *name = tc_copies_name(args, "VARIANT", &at);
    line = at.text != NULL ? &at : NULL;
    *q = (why_asked){.only = TC_VARIANT_COUNT, .copy = -1};
    if (name != NULL && !tc_copies_variant(s, name, &q->only)) {
        return TC_USAGE;
    }
    q->checks = name != NULL || tc_value_of(args, "--all") != NULL;
    tc_status status;
    if (!tc_need_decisions(s, args->span, &status)) {
        return status;
    }
    if (line != NULL) {
        q->copy = tc_copies_at(&s->program.decisions, line->number);
        return q->copy < 0 ? tc_copies_none(s, line) : TC_OK;
    }
    return TC_OK;
}

static bool is_asked(const why_asked *q, int copy) {
    return q->copy < 0 || q->copy == copy;
}

static json_t *answer_json(const tc_decisions *all, const why_asked *q) {
    json_t *copies = json_array();
    for (int i = 0; i < all->n; i++) {
        if (is_asked(q, i)) {
            json_array_append_new(copies, copy_json(&all->items[i], q->only));
        }
    }
    return json_pack("{s:o}", "copies", copies);
}

tc_status tc_cmd_why(tc_session *s, const tc_command_args *args, tc_reply *r) {
    why_asked q;
    tc_status status = read_question(s, args, &q);
    if (status != TC_OK) {
        return status;
    }
    const tc_decisions *all = &s->program.decisions;
    if (s->options.json) {
        r->json = answer_json(all, &q);
        return TC_OK;
    }
    if (all->n == 0) {
        tc_buf_printf(&r->text,
                      "%s copies nothing: it has no Tx.copy or "
                      "Tx.copy_async.\n",
                      s->program.func->name);
    }
    for (int i = 0; i < all->n; i++) {
        if (is_asked(&q, i)) {
            tc_buf_puts(&r->text, r->text.len > 0 ? "\n" : "");
            copy_text(s, i, &q, &r->text);
        }
    }
    if (!q.checks && all->n > 0) {
        tc_buf_puts(&r->text, "\nEvery check: `why VARIANT`, `why --all`.\n");
    }
    return TC_OK;
}
