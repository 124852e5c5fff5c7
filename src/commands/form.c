/* form.c - reads a command's arguments by its form. */
#include "commands/form.h"
#include "commands/commands.h"
#include "run/launch_arg.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const tc_form_param params[] = {
#define TC_PARAM(command, name, kind, least, most, offers, meaning, example)   \
    {command, name,   TC_PARAM_##kind, least, most, TC_OFFERS_##offers,        \
     meaning, example},
#include "commands/params.def"
};

/* --- forms -----------------------------------------------------------------*/

static const tc_form_param *param_of(const char *command, const char *name) {
    const tc_form_param *any = NULL;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        if (strcmp(params[i].name, name) != 0) {
            continue;
        }
        if (strcmp(params[i].command, command) == 0) {
            return &params[i];
        }
        if (params[i].command[0] == '\0') {
            any = &params[i];
        }
    }
    return any;
}

/* The upper-case word at p, its length at most size - 1. */
static void read_name(const char *p, char *out, size_t size) {
    size_t n = 0;
    while (n + 1 < size && (isupper((unsigned char)p[n]) || p[n] == ',')) {
        out[n] = p[n];
        n++;
    }
    out[n] = '\0';
}

/* What stands between p and end: "KERNEL", "--smem BYTES". */
static void read_item(const char *command, const char *p, const char *end,
                      tc_form_item *item) {
    char name[sizeof item->name];
    item->option = *p == '-' || islower((unsigned char)*p);
    if (item->option) {
        size_t n = strcspn(p, " ]");
        snprintf(item->name, sizeof item->name, "%.*s", (int)n, p);
        p += n + strspn(p + n, " ");
    }
    read_name(p, name, sizeof name);
    if (!item->option) {
        snprintf(item->name, sizeof item->name, "%s", name);
    }
    item->unknown = !item->option && name[0] == '\0';
    if (p < end && name[0] != '\0') {
        item->param = param_of(command, name);
        item->unknown = item->param == NULL;
    }
}

bool tc_form_takes_rest(const tc_form_item *item) {
    return item->param != NULL && (item->param->kind == TC_PARAM_EXPR ||
                                   item->param->kind == TC_PARAM_COORDS);
}

/* Where the item that begins at p ends. */
static const char *item_end(const char *p) {
    int depth = 0;
    for (; *p != '\0' && (*p != ' ' || depth > 0); p++) {
        depth += (*p == '[') - (*p == ']');
    }
    return p;
}

void tc_form_of(const char *command, const char *form, tc_form *out) {
    bool options = false, raw = false;
    *out = (tc_form){.n = 0};
    for (const char *p = form; *p != '\0' && out->n < TC_FORM_ITEMS;) {
        tc_form_item *item = &out->items[out->n++];
        const char *end = item_end(p);
        const char *second = strchr(p, ' ');
        item->required = *p != '[';
        read_item(command, p + (*p == '['), end, item);
        item->repeated = end - p > 3 && (strncmp(end - 3, "...", 3) == 0 ||
                                         strncmp(end - 4, "...]", 4) == 0);
        options |= item->option;
        raw |= !item->option && (item->repeated || tc_form_takes_rest(item));
        if (*p == '[' && !item->option && second != NULL && second < end &&
            out->n < TC_FORM_ITEMS) { /* [NAME VALUE] */
            item = &out->items[out->n++];
            read_item(command, second + 1, end, item);
            raw |= tc_form_takes_rest(item);
        }
        p = end + strspn(end, " ");
    }
    out->dashes = options || !raw;
}

/* The option that a word names, also as --smem=BYTES. */
static const tc_form_item *option_of(const tc_form *f, const char *word) {
    for (int i = 0; i < f->n; i++) {
        const tc_form_item *o = &f->items[i];
        size_t n = strlen(o->name);
        if (o->option && strncmp(word, o->name, n) == 0 &&
            (word[n] == '\0' || (word[n] == '=' && word[0] == '-'))) {
            return o;
        }
    }
    return NULL;
}

static bool is_dashed(const tc_form *f, const char *word) {
    return f->dashes && word[0] == '-' && word[1] == '-';
}

/* The argument, of those that are no options, at an index; or NULL. */
static const tc_form_item *argument_at(const tc_form *f, int index) {
    for (int i = 0; i < f->n; i++) {
        const tc_form_item *item = &f->items[i];
        if (!item->option && (index-- == 0 || item->repeated)) {
            return item;
        }
    }
    return NULL;
}

const tc_form_item *tc_form_next(const tc_form *f, const char *const *tokens,
                                 int n) {
    int index = 0;
    for (int i = 0; i < n; i++) {
        const tc_form_item *o = option_of(f, tokens[i]);
        if (o != NULL && o->param != NULL && strchr(tokens[i], '=') == NULL) {
            if (++i == n) {
                return o;
            }
        } else if (o == NULL && !is_dashed(f, tokens[i])) {
            const tc_form_item *item = argument_at(f, index);
            bool more = item != NULL && tc_form_takes_rest(item);
            index += !more; /* an expression takes all that follow */
        }
    }
    return argument_at(f, index);
}

/* --- arguments -------------------------------------------------------------*/

typedef struct reader {
    tc_session *s;
    tc_arena *arena;
    const char *command;
    tc_form form;
    const char *usage;
    tc_command_args *args;
    int values_cap;
} reader;

/* Reads a whole number; false: it is none, or out of the range. */
static bool read_integer(const char *text, const tc_form_param *p,
                         int64_t *out) {
    char *end;
    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    errno = 0;
    long long n = strtoll(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    *out = n;
    return *end == '\0' && errno == 0 && n >= p->least && n <= p->most;
}

/* Whole numbers from the least on with any of the signs between them. */
static bool read_list(const char *text, const char *signs,
                      const tc_form_param *p, tc_command_value *v) {
    for (const char *at = text; *at != '\0';) {
        if (strchr(signs, *at) != NULL) {
            at++;
            continue;
        }
        char *end;
        errno = 0;
        long long n =
            isdigit((unsigned char)*at) ? strtoll(at, &end, 10) : p->least - 1;
        if (n < p->least || n > p->most || errno != 0 ||
            v->rank == TC_FORM_RANK) {
            return false;
        }
        v->extents[v->rank++] = n;
        at = end;
    }
    return v->rank > 0;
}

/* "64,32", "64x32": a sign between two numbers, none elsewhere. */
static bool read_shape(const char *text, const tc_form_param *p,
                       tc_command_value *v) {
    for (const char *at = text; *at != '\0'; at++) {
        if (!isdigit((unsigned char)*at) &&
            (at == text || !isdigit((unsigned char)at[-1]) ||
             !isdigit((unsigned char)at[1]))) {
            return false;
        }
    }
    return read_list(text, ",x", p, v);
}

static bool convert_to(const tc_form_param *p, tc_command_value *v) {
    switch (p->kind) {
    case TC_PARAM_INTEGER:
        return read_integer(v->text, p, &v->number);
    case TC_PARAM_DIMS:
        return tc_arg_dims(v->text, (uint32_t)p->most, v->dims);
    case TC_PARAM_COORDS:
        return read_list(v->text, ",[]() \t", p, v);
    case TC_PARAM_SHAPE:
        return read_shape(v->text, p, v);
    case TC_PARAM_TEXT:
    case TC_PARAM_EXPR:
        return true;
    }
    return false;
}

/* Has an example the item: an option by its name, an argument by its place? */
static bool shows(const reader *k, const tc_form_item *item, const char *line) {
    char padded[200], word[sizeof item->name + 2];
    int tokens = -1, place = 1;
    if (item->option) {
        snprintf(padded, sizeof padded, "%s ", line);
        snprintf(word, sizeof word, " %s ", item->name);
        return strstr(padded, word) != NULL;
    }
    for (const tc_form_item *i = k->form.items; i != item; i++) {
        place += !i->option;
    }
    for (const char *p = line; *p != '\0'; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        tokens += *p != '\0';
    }
    return tokens >= place;
}

/* The example of the command's help that shows the item; NULL: none does. */
static const char *example_of(const reader *k, const tc_form_item *item) {
    static const char prompt[] = "  tilecopy> ";
    bool exact, several;
    const tc_command *c =
        tc_command_find(k->command, strlen(k->command), &exact, &several);
    const char *p = c != NULL ? strstr(c->help, prompt) : NULL;
    for (; p != NULL; p = strstr(p, prompt)) {
        p += sizeof prompt - 1;
        const char *line = tc_strndup(k->arena, p, strcspn(p, "\n"));
        if (shows(k, item, line)) {
            return line;
        }
    }
    return NULL;
}

/* What to write instead: the parameter's own example, the command's, its form.
 */
static const char *hint_of(const reader *k, const tc_form_item *item) {
    const char *own = item->param->example;
    const char *help = own[0] == '\0' ? example_of(k, item) : own;
    return help != NULL ? help : k->usage;
}

static bool convert(reader *k, const tc_form_item *item, tc_command_value *v) {
    const tc_form_param *p = item->param;
    bool ok = convert_to(p, v);
    if (!ok) {
        tc_error(&k->s->diags, v->span, hint_of(k, item), "%s %s %s, not '%s'",
                 item->name, item->option ? "takes" : "is", p->meaning,
                 v->text);
    }
    return ok;
}

/* One more value, behind those of the same name. */
static bool put(reader *k, const tc_form_item *item, const char *text,
                tc_span span) {
    tc_command_args *a = k->args;
    tc_command_value v = {
        .name = tc_strdup(k->arena, item->name), .text = text, .span = span};
    if (item->param != NULL && !convert(k, item, &v)) {
        return false;
    }
    TC_PUSH(k->arena, a->values, a->nvalues, k->values_cap, v);
    int at = a->nvalues - 1;
    for (int i = at - 1; item->repeated && i >= 0; i--) {
        if (strcmp(a->values[i].name, v.name) == 0) {
            memmove(&a->values[i + 2], &a->values[i + 1],
                    sizeof v * (size_t)(at - i - 1));
            a->values[i + 1] = v;
            break;
        }
    }
    return true;
}

static bool unknown_option(reader *k, int word) {
    const char *names[TC_FORM_ITEMS];
    int n = 0;
    for (int i = 0; i < k->form.n; i++) {
        if (k->form.items[i].option) {
            names[n++] = k->form.items[i].name;
        }
    }
    const char *is = k->args->tokens[word];
    const char *near = tc_diag_nearest(is, names, n);
    bool help = strcmp(is, "--help") == 0;
    tc_error(&k->s->diags, k->args->spans[word],
             help            ? tc_format(k->arena, "help %s", k->command)
             : near != NULL  ? tc_format(k->arena, "did you mean %s?", near)
             : k->form.n > 0 ? k->usage
                             : NULL,
             "%s has no option '%s'", k->command, k->args->tokens[word]);
    return false;
}

/* The option at words[*i], and its value. */
static bool read_option(reader *k, const tc_form_item *o, int *i) {
    const char *word = k->args->tokens[*i];
    const char *equals = strchr(word, '=');
    if (o->param == NULL || (equals != NULL && word[0] == '-')) {
        return put(k, o, equals != NULL ? equals + 1 : word,
                   k->args->spans[*i]);
    }
    if (*i + 1 >= k->args->n) {
        tc_error(&k->s->diags, k->args->spans[*i], k->usage,
                 "%s needs a value: %s", o->name, o->param->meaning);
        return false;
    }
    ++*i;
    return put(k, o, k->args->tokens[*i], k->args->spans[*i]);
}

static bool too_many(reader *k, int word, int index) {
    if (index == 0) {
        tc_error(&k->s->diags, k->args->span, k->form.n > 0 ? k->usage : NULL,
                 "%s takes no arguments", k->command);
    } else {
        tc_error(&k->s->diags, k->args->spans[word], k->usage,
                 "%s takes no more than %d argument%s", k->command, index,
                 index == 1 ? "" : "s");
    }
    return false;
}

/* All words from *i on that are no options, as they were typed. */
static bool read_expr(reader *k, const tc_form_item *item, int *i) {
    tc_command_args *a = k->args;
    tc_span span = a->spans[*i];
    while (*i + 1 < a->n && !is_dashed(&k->form, a->tokens[*i + 1])) {
        span = tc_span_join(span, a->spans[++*i]);
    }
    const char *text = tc_strndup(k->arena, span.source->text + span.begin,
                                  span.end - span.begin);
    return put(k, item, text, span);
}

static bool read_all(reader *k, int *index) {
    for (int i = 0; i < k->args->n; i++) {
        const char *word = k->args->tokens[i];
        const tc_form_item *o = option_of(&k->form, word);
        const tc_form_item *item = argument_at(&k->form, *index);
        bool ok;
        if (o != NULL) {
            ok = read_option(k, o, &i);
        } else if (is_dashed(&k->form, word)) {
            ok = unknown_option(k, i);
        } else if (item == NULL) {
            ok = too_many(k, i, *index);
        } else {
            ++*index;
            ok = tc_form_takes_rest(item)
                     ? read_expr(k, item, &i)
                     : put(k, item, word, k->args->spans[i]);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* A word without a row is a mistake of commands.def's, not of the learner's. */
static bool check_form(reader *k) {
    for (int i = 0; i < k->form.n; i++) {
        if (k->form.items[i].unknown) {
            tc_error(&k->s->diags, k->args->span, NULL,
                     "internal error: params.def has no row for a word of the "
                     "form `%s`",
                     k->usage);
            return false;
        }
    }
    return true;
}

bool tc_form_read(tc_session *s, tc_arena *a, const char *command,
                  const char *form, tc_command_args *args) {
    int index = 0;
    reader k = {.s = s, .arena = a, .command = command, .args = args};
    tc_form_of(command, form, &k.form);
    k.usage = tc_format(a, "%s %s", command, form);
    if (!check_form(&k) || !read_all(&k, &index)) {
        return false;
    }
    const tc_form_item *next = argument_at(&k.form, index);
    if (next == NULL || !next->required || next->repeated) {
        return true;
    }
    tc_span behind = args->span; /* the arguments that are given */
    if (args->n > 0) {
        behind.begin = behind.end = args->spans[args->n - 1].end;
    }
    tc_error(&s->diags, behind, k.usage, "%s needs %s: %s", command, next->name,
             next->param->meaning);
    return false;
}

const tc_command_value *tc_value_of(const tc_command_args *args,
                                    const char *name) {
    for (int i = 0; i < args->nvalues; i++) {
        if (strcmp(args->values[i].name, name) == 0) {
            return &args->values[i];
        }
    }
    return NULL;
}

int tc_values_of(const tc_command_args *args, const char *name,
                 const tc_command_value **first) {
    int n = 0;
    *first = tc_value_of(args, name);
    for (int i = 0; i < args->nvalues; i++) {
        n += strcmp(args->values[i].name, name) == 0;
    }
    return n;
}
