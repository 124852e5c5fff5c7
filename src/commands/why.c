/* why.c - the decisions about each copy, as text and as JSON. */
#include "commands/commands.h"

#include <string.h>

static const char *outcome_name(tc_outcome o) {
    return o == TC_ACCEPT ? "accept" : o == TC_REJECT ? "reject" : "decline";
}

static const char *op_name(tc_copy_op op) {
    return op == TC_COPY ? "copy" : "copy_async";
}

/* --- text ------------------------------------------------------------------*/

enum { CHECK_INDENT = 6, DETAIL_INDENT = 12 };

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
        tc_buf_printf(b, "%s %s %lld..%lld", i ? "," : ":", x->axis->name,
                      (long long)x->offset,
                      (long long)(x->offset + x->extent - 1));
    }
    tc_buf_printf(b, " (%lld thread%s)\n", (long long)threads,
                  threads == 1 ? "" : "s");
}

static void copy_text(tc_session *s, const tc_decisions *all, int i,
                      tc_variant_id only, tc_buf *b) {
    const tc_decision *d = &all->items[i];
    tc_buf_printf(b, "%scopy %d of %d, line %d: ", i ? "\n" : "", i + 1, all->n,
                  tc_span_line(d->span));
    tc_describe_source(b, d->span, s->options.width - 24);
    tc_buf_puts(b, "\n  ");
    tc_describe_region(b, &d->copy->dst);
    tc_buf_printf(b, " %s %s  <-  ", tc_space_name(d->copy->dst.buffer->space),
                  tc_dtypes[d->copy->dst.buffer->type].name);
    tc_describe_region(b, &d->copy->src);
    tc_buf_printf(b, " %s %s\n", tc_space_name(d->copy->src.buffer->space),
                  tc_dtypes[d->copy->src.buffer->type].name);
    scope_text(d, b);
    for (int k = 0; k < d->nverdicts; k++) {
        if (only == TC_VARIANT_COUNT || d->verdicts[k].variant->id == only) {
            verdict_text(s, d, &d->verdicts[k], b);
        }
    }
    if (d->chosen == NULL) {
        tc_variant_id id;
        bool known = d->copy->forced && tc_variant_find(d->copy->forced, &id);
        tc_buf_puts(b, "\n  => no variant: ");
        if (d->copy->forced != NULL) {
            tc_buf_printf(b, "dispatch=\"%s\" asks for that one alone%s.\n",
                          d->copy->forced,
                          known ? "" : ", and none has that name");
        } else {
            tc_buf_printf(b, "none accepts this %s.\n", op_name(d->copy->op));
        }
    } else {
        tc_buf_printf(b, "\n  => %s\n",
                      tc_variants[d->chosen->variant->id].name);
    }
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

static tc_status unknown_variant(tc_session *s, const tc_command_value *name) {
    const char *names[TC_VARIANT_COUNT];
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        names[i] = tc_variants[i].name;
    }
    const char *near = tc_diag_nearest(name->text, names, TC_VARIANT_COUNT);
    tc_buf hint = TC_BUF_INIT;
    if (near != NULL) {
        tc_buf_printf(&hint, "did you mean %s?", near);
    } else {
        for (int i = 0; i < TC_VARIANT_COUNT; i++) {
            tc_buf_printf(&hint, "%s%s", i ? ", " : "one of ", names[i]);
        }
    }
    tc_error(&s->diags, name->span, tc_buf_text(&hint),
             "no variant is called '%s'", name->text);
    tc_buf_free(&hint);
    return TC_USAGE;
}

tc_status tc_cmd_why(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_variant_id only = TC_VARIANT_COUNT;
    const tc_command_value *name = tc_value_of(args, "VARIANT");
    if (name != NULL && !tc_variant_find(name->text, &only)) {
        return unknown_variant(s, name);
    }
    tc_status status;
    if (!tc_need_decisions(s, args->span, &status)) {
        return status;
    }
    const tc_decisions *all = &s->program.decisions;
    if (s->options.json) {
        json_t *copies = json_array();
        for (int i = 0; i < all->n; i++) {
            json_array_append_new(copies, copy_json(&all->items[i], only));
        }
        r->json = json_pack("{s:o}", "copies", copies);
        return TC_OK;
    }
    if (all->n == 0) {
        tc_buf_printf(&r->text,
                      "%s copies nothing: it has no Tx.copy or "
                      "Tx.copy_async.\n",
                      s->program.func->name);
    }
    for (int i = 0; i < all->n; i++) {
        copy_text(s, all, i, only, &r->text);
    }
    return TC_OK;
}
