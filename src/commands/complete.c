/* complete.c - what Tab offers: commands, variants, names, files, lessons. */
#include "commands/commands.h"
#include "commands/exercise.h"
#include "commands/lesson.h"
#include "load/load.h"
#include "session/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct matches {
    char **items; /* malloc'd, NULL-terminated once finished */
    size_t n, cap;
    const char *prefix;
    size_t len;
    const char *before; /* put before each: "T.ptx." */
} matches;

static void offer(matches *m, const char *word) {
    if (strncmp(word, m->prefix, m->len) != 0) {
        return;
    }
    if (m->n + 2 > m->cap) {
        m->cap = m->cap ? m->cap * 2 : 16;
        m->items = tc_xrealloc(m->items, m->cap * sizeof *m->items);
    }
    size_t before = strlen(m->before), len = strlen(word);
    char *text = tc_xmalloc(before + len + 1);
    memcpy(text, m->before, before);
    memcpy(text + before, word, len + 1);
    m->items[m->n++] = text;
    m->items[m->n] = NULL;
}

static void offer_name(void *user, const char *name) {
    offer(user, name);
}

static void offer_defined(void *user, const char *name, const tc_value *v) {
    (void)v;
    offer(user, name);
}

static void offer_commands(matches *m, bool planned) {
    for (int i = 0; i < tc_ncommands; i++) {
        if (planned || tc_commands[i].run != NULL) {
            offer(m, tc_commands[i].name);
        }
    }
}

static void offer_settings(matches *m) {
    for (int i = 0; i < tc_nsettings; i++) {
        offer(m, tc_settings[i].name);
    }
}

static void offer_setting_values(matches *m, const char *setting) {
    tc_setting_form f;
    for (int i = 0; i < tc_nsettings; i++) {
        if (strcmp(tc_settings[i].name, setting) == 0) {
            tc_setting_form_of(&tc_settings[i], &f);
            for (int k = 0; k < f.n; k++) {
                offer(m, f.choices[k]);
            }
        }
    }
}

static void offer_buffers(const tc_session *s, matches *m) {
    const tc_func *f = s->program.func;
    for (int i = 0; f != NULL && i < f->nbuffers; i++) {
        if (f->buffers[i]->name != NULL) {
            offer(m, f->buffers[i]->name);
        }
    }
}

static void offer_variants(matches *m) {
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        offer(m, tc_variants[i].name);
    }
}

static void offer_dtypes(matches *m) {
    for (int i = 0; i < TC_DTYPE_COUNT; i++) {
        if (i != TC_VOID) {
            offer(m, tc_dtypes[i].name);
        }
    }
}

/* What may stand in the place of a parameter, behind other words. */
static void offer_param(tc_session *s, matches *m, tc_offers what,
                        const char *first, bool *files) {
    switch (what) {
    case TC_OFFERS_nothing:
        return;
    case TC_OFFERS_variants:
        offer_variants(m);
        return;
    case TC_OFFERS_kernels:
        tc_loaded_each(s, offer_name, m);
        return;
    case TC_OFFERS_formats:
        tc_export_names(offer_name, m);
        return;
    case TC_OFFERS_files:
        *files = true;
        return;
    case TC_OFFERS_buffers:
        offer_buffers(s, m);
        return;
    case TC_OFFERS_values:
        tc_env_each(s->env, offer_defined, m);
        offer_buffers(s, m);
        return;
    case TC_OFFERS_dtypes:
        offer_dtypes(m);
        return;
    case TC_OFFERS_lessons:
        tc_lesson_names(offer_name, m);
        return;
    case TC_OFFERS_exercises:
        tc_exercise_names(offer_name, m);
        return;
    case TC_OFFERS_settings:
        offer_settings(m);
        return;
    case TC_OFFERS_setting_values:
        offer_setting_values(m, first);
        return;
    case TC_OFFERS_topics:
        offer_commands(m, true);
        tc_explain_names(offer_name, m);
        return;
    case TC_OFFERS_terms:
        tc_explain_names(offer_name, m);
        return;
    }
}

/* The options of a form: with dashes where one was begun, else the others. */
static void offer_options(matches *m, const tc_form *f) {
    bool dashes = m->prefix[0] == '-';
    for (int i = 0; i < f->n; i++) {
        if (f->items[i].option && (f->items[i].name[0] == '-') == dashes) {
            offer(m, f->items[i].name);
        }
    }
}

/* The blank-separated words of args, in arena a. */
static int split_tokens(tc_arena *a, const char *args, size_t len,
                        const char ***out) {
    int n = 0, cap = 0;
    const char **tokens = NULL;
    for (size_t i = 0; i < len;) {
        size_t blank = strspn(args + i, " \t");
        size_t word = strcspn(args + i + blank, " \t");
        i += blank;
        word = word < len - i ? word : len - i;
        if (i < len && word > 0) {
            TC_PUSH(a, tokens, n, cap, tc_strndup(a, args + i, word));
        }
        i += word;
    }
    *out = tokens;
    return n;
}

/* args: all that stands between the command and the word under way. */
static void offer_arguments(tc_session *s, const tc_command *c, matches *m,
                            const char *args, size_t len, bool *files) {
    tc_arena *a = tc_arena_new();
    const char **tokens;
    int n = split_tokens(a, args, len, &tokens);
    tc_form f;
    tc_form_of(c->name, c->form, &f);
    const tc_form_item *item = tc_form_next(&f, tokens, n);
    bool value = item != NULL && item->option;
    if (!value && (m->prefix[0] == '-' || n > 0)) {
        offer_options(m, &f);
    }
    if (item != NULL && item->param != NULL && (value || m->prefix[0] != '-')) {
        offer_param(s, m, item->param->offers, n > 0 ? tokens[0] : "", files);
    }
    tc_arena_free(a);
}

/* Where the dotted name that ends the word begins: Tx.cta.co from A(Tx.cta.co.
 */
static size_t name_begin(const char *line, size_t start, size_t end) {
    size_t at = end;
    while (at > start && (isalnum((unsigned char)line[at - 1]) ||
                          line[at - 1] == '_' || line[at - 1] == '.')) {
        at--;
    }
    return at;
}

/* What a layout or an axis called `owner` can be asked. */
static void offer_members(tc_session *s, matches *m, const char *owner) {
    const tc_value *v = tc_env_get(s->env, owner);
    tc_value axis = {.kind = TC_V_AXIS, .axis = tc_axis_find(owner)};
    if (v == NULL && axis.axis != NULL) {
        v = &axis;
    }
    if (v != NULL && (v->kind == TC_V_LAYOUT || v->kind == TC_V_AXIS)) {
        tc_layout_members(v, offer_name, m);
    }
}

static void offer_script(tc_session *s, matches *m, const char *line,
                         size_t start) {
    size_t end = strlen(line), at = name_begin(line, start, end);
    size_t dot = end;
    while (dot > at && line[dot - 1] != '.') {
        dot--;
    }
    char *before = tc_xcalloc(dot - start + 1, 1);
    memcpy(before, line + start, dot - start);
    m->before = before;
    m->prefix = line + dot;
    m->len = end - dot;
    char *owner = tc_xcalloc(end - at + 1, 1);
    if (dot > at) {
        memcpy(owner, line + at, dot - at - 1);
    }
    tc_front_names(owner, offer_name, m);
    offer_members(s, m, owner);
    if (dot == at) {
        tc_env_each(s->env, offer_defined, m);
    }
    m->before = "";
    free(owner);
    free(before);
}

char **tc_session_complete(tc_session *s, const char *line, size_t start,
                           bool *files) {
    matches m = {
        .prefix = line + start, .len = strlen(line + start), .before = ""};
    *files = false;
    size_t first = strspn(line, " \t");
    size_t word = first;
    while (isalnum((unsigned char)line[word]) || line[word] == '_') {
        word++;
    }
    bool exact, several;
    const tc_command *c =
        word < start && line[word] == ' '
            ? tc_command_find(line + first, word - first, &exact, &several)
            : NULL;
    if (c != NULL) {
        size_t args = word + strspn(line + word, " ");
        offer_arguments(s, c, &m, line + args, start > args ? start - args : 0,
                        files);
        return m.items;
    }
    if (first == start) {
        offer_commands(&m, false);
    }
    offer_script(s, &m, line, start);
    return m.items;
}
