/* complete.c - what Tab offers: commands, variants, names, files, lessons. */
#include "commands/commands.h"
#include "commands/exercise.h"
#include "commands/lesson.h"
#include "load/load.h"

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

static const char *const settings[] = {"timing",       "hazards", "completion",
                                       "suppressions", "trace",   "target",
                                       "width"};
static const char *const setting_values[][5] = {
    {"on", "off"}, {"on", "off"}, {"timing", "early", "late", "random"},
    {"on", "off"}, {"on", "off"}, {"cuda", "none"},
    {NULL}};

/* Arguments of `set`: its names first, then the values of the one named. */
static void offer_settings(matches *m, const char *args, size_t len) {
    for (int i = 0; i < 7; i++) {
        size_t n = strlen(settings[i]);
        if (len > n && strncmp(args, settings[i], n) == 0 && args[n] == ' ') {
            for (int k = 0; k < 5 && setting_values[i][k] != NULL; k++) {
                offer(m, setting_values[i][k]);
            }
            return;
        }
    }
    for (int i = 0; i < 6; i++) {
        offer(m, settings[i]);
    }
}

static void offer_arguments(tc_session *s, const tc_command *c, matches *m,
                            const char *args, size_t len, bool *files) {
    if (strstr(c->completes, "variant") != NULL) {
        for (int i = 0; i < TC_VARIANT_COUNT; i++) {
            offer(m, tc_variants[i].name);
        }
    }
    if (strstr(c->completes, "name") != NULL) {
        tc_env_each(s->env, offer_defined, m);
    }
    const tc_func *f = s->program.func;
    for (int i = 0;
         f != NULL && i < f->nbuffers && strstr(c->completes, "buffer") != NULL;
         i++) {
        if (f->buffers[i]->name != NULL) {
            offer(m, f->buffers[i]->name);
        }
    }
    if (strstr(c->completes, "kernel") != NULL && strchr(args, ' ') == NULL) {
        tc_loaded_each(s, offer_name, m);
    }
    if (strstr(c->completes, "kernel") != NULL && m->prefix[0] == '-') {
        offer(m, "--smem");
        offer(m, "--cluster");
    }
    if (strstr(c->completes, "command") != NULL) {
        offer_commands(m, true);
    }
    if (strstr(c->completes, "lesson") != NULL) {
        tc_lesson_names(offer_name, m);
    }
    if (strstr(c->completes, "exercise") != NULL && strchr(args, ' ') == NULL) {
        tc_exercise_names(offer_name, m);
    }
    if (strstr(c->completes, "set") != NULL) {
        offer_settings(m, args, len);
    }
    *files = strstr(c->completes, "file") != NULL;
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
        offer_arguments(s, c, &m, line + args, strlen(line + args), files);
        return m.items;
    }
    if (first == start) {
        offer_commands(&m, false);
    }
    offer_script(s, &m, line, start);
    return m.items;
}
