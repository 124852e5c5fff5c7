/* set.c - set: changes a setting, or shows them all. */
#include "commands/commands.h"
#include "session/settings.h"

#include <string.h>

static const tc_setting *setting_of(const char *name) {
    for (int i = 0; i < tc_nsettings; i++) {
        if (strcmp(tc_settings[i].name, name) == 0) {
            return &tc_settings[i];
        }
    }
    return NULL;
}

/* --- all of them -----------------------------------------------------------*/

/* A switch is a boolean, another word a string; the number that a word of it
 * takes has a member of its own, NAME_seed. */
static void add_json(const tc_setting *t, tc_setting_value v, json_t *to) {
    char seed[32];
    tc_setting_form f;
    tc_setting_form_of(t, &f);
    json_t *value =
        f.text     ? (v.text ? json_string(v.text) : json_null())
        : f.n == 0 ? json_integer((json_int_t)v.number)
        : strcmp(t->values, "on|off") == 0
            ? json_boolean(v.word == 0)
            : json_string(v.file != NULL ? v.file : f.choices[v.word]);
    json_object_set_new(to, t->name, value);
    if (f.numbered >= 0) {
        snprintf(seed, sizeof seed, "%s_seed", t->name);
        json_object_set_new(to, seed, json_integer((json_int_t)v.number));
    }
}

static void show_settings(tc_session *s, tc_reply *r) {
    if (s->options.json) {
        r->json = json_object();
    }
    for (int i = 0; i < tc_nsettings; i++) {
        const tc_setting *t = &tc_settings[i];
        if (s->options.json) {
            add_json(t, t->get(s), r->json);
            continue;
        }
        tc_buf_printf(&r->text, "%s ", t->name);
        tc_setting_print(t, t->get(s), &r->text);
        tc_buf_putc(&r->text, '\n');
    }
}

/* "  timing on|off          count cycles, or one per instruction" */
void tc_settings_help(tc_buf *b) {
    enum { MEANING = 25 };
    for (int i = 0; i < tc_nsettings; i++) {
        const tc_setting *t = &tc_settings[i];
        tc_setting_form f;
        tc_setting_form_of(t, &f);
        const char *values = f.n == 0 && !f.text ? "N" : t->values;
        int n = (int)(strlen(t->name) + strlen(values)) + 3;
        tc_buf_printf(b, "  %s %s", t->name, values);
        if (n >= MEANING) {
            tc_buf_putc(b, '\n');
            n = 0;
        }
        tc_buf_fill(b, ' ', MEANING - n);
        tc_buf_printf(b, "%s\n", t->help);
    }
}

json_t *tc_settings_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < tc_nsettings; i++) {
        const tc_setting *t = &tc_settings[i];
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s}", "name", t->name,
                                        "values", t->values, "default",
                                        t->standard, "help", t->help));
    }
    return list;
}

/* --- one of them -----------------------------------------------------------*/

static tc_status no_setting(tc_session *s, const tc_command_value *name) {
    const char *names[32];
    int n = 0;
    for (int i = 0; i < tc_nsettings && n < 32; i++) {
        names[n++] = tc_settings[i].name;
    }
    const char *near = tc_diag_nearest(name->text, names, n);
    char hint[64];
    snprintf(hint, sizeof hint, "did you mean %s?", near ? near : "");
    tc_error(&s->diags, name->span,
             near ? hint : "`help set` lists the settings",
             "there is no setting '%s'", name->text);
    return TC_USAGE;
}

/* At the value, or at all of it where there is none. */
static tc_status no_value(tc_session *s, const tc_setting *t, tc_span at,
                          const char *text) {
    tc_setting_form f;
    const char *choices[TC_SETTING_VALUES], *near = NULL;
    tc_buf values = TC_BUF_INIT, hint = TC_BUF_INIT;
    tc_setting_form_of(t, &f);
    for (int i = 0; i < f.n; i++) {
        choices[i] = f.choices[i];
    }
    if (text != NULL) {
        near = tc_diag_nearest(text, choices, f.n);
    }
    tc_setting_describe(t, &values);
    tc_buf_printf(&hint, near != NULL ? "did you mean %s?" : "set %s %s",
                  near != NULL ? near : t->name, t->standard);
    tc_error(&s->diags, at, tc_buf_text(&hint), "set %s takes %s%s%s%s",
             t->name, tc_buf_text(&values), text != NULL ? ", not '" : "",
             text != NULL ? text : "", text != NULL ? "'" : "");
    tc_buf_free(&values);
    tc_buf_free(&hint);
    return TC_USAGE;
}

tc_status tc_cmd_set(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "NAME");
    const tc_command_value *value = tc_value_of(args, "VALUE");
    tc_setting_value v;
    if (name == NULL) {
        show_settings(s, r);
        return TC_OK;
    }
    const tc_setting *t = setting_of(name->text);
    if (t == NULL) {
        return no_setting(s, name);
    }
    if (value == NULL) {
        return no_value(s, t, args->span, NULL);
    }
    if (!tc_setting_read(t, value->text, &v)) {
        return no_value(s, t, value->span, value->text);
    }
    int errors = s->diags.errors;
    v.at = value->span;
    t->apply(s, v);
    if (s->diags.errors != errors) {
        return TC_FAILED;
    }
    if (s->options.json) {
        show_settings(s, r);
    }
    return TC_OK;
}
