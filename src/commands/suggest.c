/* suggest.c - suggest VARIANT [LINE]: the smallest edits of the program
 * that make a variant accept, as differences of lines and as JSON. */
#include "suggest/suggest.h"
#include "commands/copies.h"

#include <stdlib.h>
#include <string.h>

/* --- which copy ----------------------------------------------------------- */

static const tc_verdict *verdict_of(const tc_decision *d, tc_variant_id goal) {
    for (int i = 0; i < d->nverdicts; i++) {
        if (d->verdicts[i].variant->id == goal) {
            return &d->verdicts[i];
        }
    }
    return NULL;
}

/* How much a copy needs the answer: 3 its variant refuses, 2 it accepts and is
 * not chosen, 1 it is chosen, 0 it is a copy of the other operation. */
static int need(const tc_decision *d, tc_variant_id goal) {
    const tc_verdict *v = verdict_of(d, goal);
    if (v == NULL) {
        return 0;
    }
    return v->outcome != TC_ACCEPT ? 3 : d->chosen != v ? 2 : 1;
}

/* The copy that stands on a line, or the first that needs it most. */
static int pick(const tc_decisions *all, tc_variant_id goal, int line) {
    if (line > 0) {
        return tc_copies_at(all, line);
    }
    int best = all->n == 0 ? -1 : 0;
    for (int i = 0; i < all->n; i++) {
        if (need(&all->items[i], goal) > need(&all->items[best], goal)) {
            best = i;
        }
    }
    return best;
}

/* --- text ----------------------------------------------------------------- */

static void refusal_text(tc_session *s, tc_variant_id goal,
                         const tc_suggestions *g, const tc_verdict *v,
                         tc_buf *b) {
    tc_buf line = TC_BUF_INIT;
    tc_buf_printf(&line, "%s %s: %s", tc_variants[goal].name,
                  v == NULL                  ? "is not asked"
                  : v->outcome == TC_DECLINE ? "declines"
                                             : "rejects",
                  g->why);
    tc_buf_puts(b, "  ");
    tc_describe_wrapped(b, tc_buf_text(&line), 2, 4, s->options.width);
    tc_buf_free(&line);
}

static void change_text(const tc_change *c, tc_buf *b) {
    tc_buf_printf(b, "  %4d - %s\n", c->line, c->from);
    tc_buf_printf(b, "       + %s\n", c->to);
}

/* "ldgsts accepts and is chosen." and what else there is to know. */
static void outcome_text(tc_session *s, tc_variant_id goal,
                         const tc_decision *d, const tc_suggestion *g,
                         tc_buf *b) {
    const char *name = tc_variants[goal].name;
    tc_buf line = TC_BUF_INIT;
    tc_buf_printf(&line, "%s accepts", name);
    if (g->chosen != NULL && strcmp(g->chosen, name) == 0) {
        tc_buf_puts(&line, " and is chosen");
    } else if (d->copy->forced != NULL) {
        tc_buf_printf(&line, "; dispatch=\"%s\" still asks for another",
                      d->copy->forced);
    } else if (g->chosen != NULL) {
        tc_buf_printf(&line, "; %s goes first, unless you add dispatch=\"%s\"",
                      g->chosen, name);
    }
    tc_buf_putc(&line, '.');
    if (!g->built) {
        tc_buf_puts(&line, " Its lowering is not built yet: proved as far as "
                           "its predicates.");
    }
    if (g->shrinks) {
        tc_buf_puts(&line, " The copy then moves fewer elements: nothing else "
                           "was found to work.");
    }
    tc_buf_puts(b, "       => ");
    tc_describe_wrapped(b, tc_buf_text(&line), 10, 10, s->options.width);
    tc_buf_free(&line);
}

static void none_text(tc_session *s, tc_variant_id goal,
                      const tc_suggestions *g, tc_buf *b) {
    tc_buf line = TC_BUF_INIT;
    tc_buf_printf(&line,
                  "No edit that suggest knows makes %s accept this copy: %d "
                  "program%s tried. `why %s` shows every check.",
                  tc_variants[goal].name, g->tried,
                  tc_describe_plural((uint64_t)g->tried),
                  tc_variants[goal].name);
    tc_buf_putc(b, '\n');
    tc_describe_wrapped(b, tc_buf_text(&line), 0, 0, s->options.width);
    tc_buf_free(&line);
}

/* Other copies that the variant refuses too. */
static void others_text(const tc_decisions *all, tc_variant_id goal, int copy,
                        tc_buf *b) {
    for (int i = 0; i < all->n; i++) {
        const tc_decision *d = &all->items[i];
        if (i != copy && need(d, goal) == 3) {
            tc_buf_printf(b, "\nFor the copy in line %d: suggest %s %d\n",
                          tc_span_line(d->span), tc_variants[goal].name,
                          tc_span_line(d->span));
        }
    }
}

static void reply_text(tc_session *s, tc_variant_id goal, int copy,
                       const tc_suggestions *g, tc_buf *b) {
    const tc_decisions *all = &s->program.decisions;
    const tc_decision *d = &all->items[copy];
    tc_copies_head(s, copy, b);
    if (g->chosen) {
        tc_buf_printf(b,
                      "  %s accepts and is chosen: there is nothing to "
                      "change.\n",
                      tc_variants[goal].name);
    } else if (g->accepts) {
        tc_buf_printf(b, "  %s accepts, but is not chosen.\n",
                      tc_variants[goal].name);
    } else {
        refusal_text(s, goal, g, verdict_of(d, goal), b);
    }
    for (int i = 0; i < g->n; i++) {
        tc_buf_printf(b, "\n%d. ", i + 1);
        tc_describe_wrapped(b, g->items[i].summary, 3, 3, s->options.width);
        for (int k = 0; k < g->items[i].nchanges; k++) {
            change_text(&g->items[i].changes[k], b);
        }
        outcome_text(s, goal, d, &g->items[i], b);
    }
    if (g->n == 0 && !g->chosen) {
        none_text(s, goal, g, b);
    }
    others_text(all, goal, copy, b);
}

/* --- JSON ----------------------------------------------------------------- */

/* JSON strings are UTF-8; a learner's file may hold other bytes. */
static json_t *line_json(const char *text) {
    json_t *j = json_string(text);
    if (j == NULL) {
        char *safe = tc_xstrdup(text);
        for (char *p = safe; *p != '\0'; p++) {
            *p = (unsigned char)*p < 0x80 ? *p : '?';
        }
        j = json_string(safe);
        free(safe);
    }
    return j;
}

static json_t *suggestion_json(const tc_suggestion *g) {
    json_t *changes = json_array();
    for (int i = 0; i < g->nchanges; i++) {
        const tc_change *c = &g->changes[i];
        json_array_append_new(
            changes, json_pack("{s:i,s:o,s:o}", "line", c->line, "from",
                               line_json(c->from), "to", line_json(c->to)));
    }
    return json_pack("{s:o,s:o,s:s,s:i,s:b,s:b,s:o}", "edit",
                     line_json(g->summary), "changes", changes, "outcome",
                     "accept", "size", g->size, "shrinks", g->shrinks,
                     "lowering_built", g->built, "chosen",
                     g->chosen ? json_string(g->chosen) : json_null());
}

static json_t *reply_json(const tc_decision *d, const tc_suggestions *g) {
    json_t *list = json_array();
    for (int i = 0; i < g->n; i++) {
        json_array_append_new(list, suggestion_json(&g->items[i]));
    }
    return json_pack("{s:o,s:i,s:b,s:o,s:i}", "suggestions", list, "line",
                     tc_span_line(d->span), "accepts", g->accepts, "reason",
                     g->why != NULL ? line_json(g->why) : json_null(), "tried",
                     g->tried);
}

/* --- the command ---------------------------------------------------------- */

static tc_status search(tc_session *s, const tc_command_args *args,
                        tc_variant_id goal, int copy, tc_reply *r) {
    const tc_source *src = s->program.func->source;
    const tc_decision *d = &s->program.decisions.items[copy];
    tc_suggest_input in = {.env = s->env,
                           .text = src->text,
                           .len = src->len,
                           .first_line = src->first_line,
                           .target_cuda = s->target_cuda,
                           .test = s->test_path != NULL &&
                                           strcmp(s->test_path, src->name) == 0
                                       ? s->test_name
                                       : NULL,
                           .copy = copy,
                           .goal = goal,
                           .cancel = &s->cancel};
    tc_arena *a = tc_arena_new();
    tc_suggestions g;
    tc_status status = TC_OK;
    tc_suggest(a, &in, &g);
    const tc_verdict *v = verdict_of(d, goal);
    bool accepts = v != NULL && v->outcome == TC_ACCEPT;
    if (g.lost != NULL || g.accepts != accepts) {
        tc_error(&s->diags, args->span, "enter the program again",
                 "the program's text no longer means what it did%s%s",
                 g.lost != NULL ? ": " : ": names that it uses have changed",
                 g.lost != NULL ? g.lost : "");
        status = TC_FAILED;
    } else if (s->options.json) {
        r->json = reply_json(d, &g);
    } else {
        reply_text(s, goal, copy, &g, &r->text);
    }
    tc_arena_free(a);
    return status;
}

tc_status tc_cmd_suggest(tc_session *s, const tc_command_args *args,
                         tc_reply *r) {
    tc_variant_id goal;
    tc_status status;
    const tc_command_value *variant = tc_value_of(args, "VARIANT");
    const tc_command_value *line = tc_value_of(args, "LINE");
    if (!tc_copies_variant(s, variant, &goal)) {
        return TC_USAGE;
    }
    if (!tc_need_decisions(s, args->span, &status)) {
        return status;
    }
    int copy =
        pick(&s->program.decisions, goal, line != NULL ? (int)line->number : 0);
    if (copy < 0 && line != NULL) {
        return tc_copies_none(s, line);
    }
    if (copy < 0) {
        tc_error(&s->diags, args->span, NULL,
                 "%s copies nothing: it has no Tx.copy or Tx.copy_async",
                 s->program.func->name);
        return TC_FAILED;
    }
    return search(s, args, goal, copy, r);
}
