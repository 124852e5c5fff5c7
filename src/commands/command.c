/* command.c - the table of commands: look-up, help, set, quit. */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tc_command tc_commands[] = {
#define TC_COMMAND(name, form, fn, completes, summary, help)                   \
    {name, form, fn, completes, summary, help},
#define TC_COMMAND_PLANNED(name, form, summary)                                \
    {name, form, NULL, "", summary, "Not built yet.\n"},
#include "commands/commands.def"
};
const int tc_ncommands = sizeof tc_commands / sizeof *tc_commands;

const tc_command *tc_command_find(const char *word, size_t len, bool *exact,
                                  bool *several) {
    const tc_command *found = NULL;
    *exact = *several = false;
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        if (strncmp(c->name, word, len) != 0) {
            continue;
        }
        if (c->name[len] == '\0') {
            *exact = true;
            *several = false;
            return c;
        }
        *several = found != NULL;
        found = c;
    }
    return *several ? NULL : found;
}

/* --- help -------------------------------------------------------------------
 */

static void list_commands(tc_reply *r) {
    enum { NAMES = 22 }; /* columns of a name with its arguments */
    tc_buf_puts(&r->text, "Commands (a beginning that is clear is enough):\n");
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        if (c->run == NULL) {
            continue;
        }
        int n = (int)(strlen(c->name) + strlen(c->form)) + 1;
        tc_buf_printf(&r->text, "  %s %s", c->name, c->form);
        if (n > NAMES) { /* too long to have its summary beside it */
            tc_buf_putc(&r->text, '\n');
            n = -2;
        }
        tc_buf_fill(&r->text, ' ', NAMES - n);
        tc_buf_printf(&r->text, " %s\n", c->summary);
    }
    tc_buf_puts(&r->text, "Not built yet:");
    for (int i = 0; i < tc_ncommands; i++) {
        if (tc_commands[i].run == NULL) {
            tc_buf_printf(&r->text, " %s", tc_commands[i].name);
        }
    }
    tc_buf_puts(&r->text,
                ".\nAnything else is TVMScript: an import, an assignment, a "
                "@T.prim_func\n(it ends with a blank line), or an expression "
                "to print. `help why` says more.\n");
}

static json_t *commands_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:b}", "name", c->name,
                                        "form", c->form, "summary", c->summary,
                                        "built", c->run != NULL));
    }
    return list;
}

static tc_status no_topic(tc_session *s, const tc_args *args) {
    const char *names[64];
    int n = 0;
    for (int i = 0; i < tc_ncommands && n < 64; i++) {
        names[n++] = tc_commands[i].name;
    }
    const char *near = tc_nearest(args->words[0], names, n);
    char hint[64] = "`help` lists the commands";
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    }
    tc_error(&s->diags, args->spans[0], hint, "no command is called '%s'",
             args->words[0]);
    return TC_USAGE;
}

/* What stands on the command line, and is no command of the prompt. */
static bool help_subcommand(tc_session *s, const char *name, tc_reply *r) {
    static const char text[] =
        "exec runs a whole CUDA program, from the shell:\n\n"
        "  $ tilecopy-repl exec saxpy.cu -- 4096\n"
        "  $ tilecopy-repl exec --help\n\n"
        "Here, load it and run it; findings, timeline, state and ptx are then\n"
        "about it:\n\n"
        "  tilecopy> load saxpy.cu\n"
        "  tilecopy> run 4096\n";
    if (strcmp(name, "exec") != 0) {
        return false;
    }
    if (s->options.json) {
        r->json = json_pack("{s:s,s:s}", "name", name, "help", text);
    } else {
        tc_buf_puts(&r->text, text);
    }
    return true;
}

tc_status tc_cmd_help(tc_session *s, const tc_args *args, tc_reply *r) {
    if (args->n == 0) {
        if (s->options.json) {
            r->json = json_pack("{s:o}", "commands", commands_json());
        } else {
            list_commands(r);
        }
        return TC_OK;
    }
    bool exact, several;
    if (help_subcommand(s, args->words[0], r)) {
        return TC_OK;
    }
    const tc_command *c = tc_command_find(
        args->words[0], strlen(args->words[0]), &exact, &several);
    if (c == NULL) {
        return no_topic(s, args);
    }
    if (s->options.json) {
        r->json = json_pack("{s:s,s:s,s:s,s:s}", "name", c->name, "form",
                            c->form, "summary", c->summary, "help", c->help);
    } else {
        tc_buf_printf(&r->text, "%s %s: %s\n\n%s", c->name, c->form, c->summary,
                      c->help);
    }
    return TC_OK;
}

tc_status tc_cmd_quit(tc_session *s, const tc_args *args, tc_reply *r) {
    (void)args;
    (void)r;
    s->finished = true;
    return TC_OK;
}

/* --- set ---------------------------------------------------------------------
 */

static const char *const completions[] = {"timing", "early", "late", "random"};

static bool set_switch(tc_session *s, const tc_args *args, bool *value) {
    bool on = args->n == 2 && strcmp(args->words[1], "on") == 0;
    if (!on && (args->n != 2 || strcmp(args->words[1], "off") != 0)) {
        tc_error(&s->diags, args->span, "on or off", "set %s takes on or off",
                 args->words[0]);
        return false;
    }
    *value = on;
    return true;
}

/* A whole word as a number in [lo, hi]. */
static bool number(const char *word, long long lo, long long hi,
                   long long *out) {
    char *end;
    *out = strtoll(word, &end, 10);
    return end != word && *end == '\0' && *out >= lo && *out <= hi;
}

static bool set_completion(tc_session *s, const tc_args *args) {
    long long seed = 0;
    for (int i = 0; i < 4 && args->n >= 2; i++) {
        bool random = i == TC_COMPLETE_RANDOM;
        if (strcmp(args->words[1], completions[i]) != 0 ||
            args->n > 2 + random ||
            (args->n == 3 && !number(args->words[2], 0, INT64_MAX, &seed))) {
            continue;
        }
        s->completion = (tc_completion)i;
        s->completion_seed = (uint64_t)seed;
        return true;
    }
    tc_error(&s->diags, args->span, "timing, early, late, or random N",
             "that is no time for a copy to complete");
    return false;
}

static bool set_target(tc_session *s, const tc_args *args) {
    if (args->n == 2 && strcmp(args->words[1], "cuda") == 0) {
        s->target_cuda = true;
    } else if (args->n == 2 && strcmp(args->words[1], "none") == 0) {
        s->target_cuda = false;
    } else {
        tc_error(&s->diags, args->span, "cuda or none",
                 "set target takes cuda or none");
        return false;
    }
    tc_program_clear(&s->program);
    return true;
}

static bool set_width(tc_session *s, const tc_args *args) {
    long long n;
    if (args->n != 2 || !number(args->words[1], 20, 10000, &n)) {
        tc_error(&s->diags, args->span, "set width 100",
                 "set width takes a number of columns from 20 to 10000");
        return false;
    }
    s->options.width = (int)n;
    return true;
}

static const char *on_off(bool b) {
    return b ? "on" : "off";
}

static void show_settings(tc_session *s, tc_reply *r) {
    const char *completion = completions[s->completion];
    const char *target = s->target_cuda ? "cuda" : "none";
    if (s->options.json) {
        r->json = json_pack(
            "{s:b,s:b,s:b,s:s,s:I,s:b,s:s,s:i}", "timing", s->timing, "hazards",
            s->hazards, "suppressions", s->suppressions, "completion",
            completion, "completion_seed", (json_int_t)s->completion_seed,
            "trace", s->trace, "target", target, "width", s->options.width);
        return;
    }
    tc_buf_printf(&r->text, "timing %s\nhazards %s\nsuppressions %s\n",
                  on_off(s->timing), on_off(s->hazards),
                  on_off(s->suppressions));
    tc_buf_printf(&r->text, "completion %s", completion);
    if (s->completion == TC_COMPLETE_RANDOM) {
        tc_buf_printf(&r->text, " %llu",
                      (unsigned long long)s->completion_seed);
    }
    tc_buf_printf(&r->text, "\ntrace %s\ntarget %s\nwidth %d\n",
                  on_off(s->trace), target, s->options.width);
}

/* Timing off has no times to complete by: the latest legal moment then. */
static bool set_timing(tc_session *s, const tc_args *args) {
    if (!set_switch(s, args, &s->timing)) {
        return false;
    }
    if (!s->timing && s->completion == TC_COMPLETE_TIMING) {
        s->completion = TC_COMPLETE_LATE;
    }
    return true;
}

tc_status tc_cmd_set(tc_session *s, const tc_args *args, tc_reply *r) {
    if (args->n == 0) {
        show_settings(s, r);
        return TC_OK;
    }
    static const char *const names[] = {"timing",       "hazards", "completion",
                                        "suppressions", "trace",   "target",
                                        "width"};
    const char *name = args->words[0];
    bool ok;
    if (strcmp(name, "timing") == 0) {
        ok = set_timing(s, args);
    } else if (strcmp(name, "hazards") == 0) {
        ok = set_switch(s, args, &s->hazards);
    } else if (strcmp(name, "suppressions") == 0) {
        ok = set_switch(s, args, &s->suppressions);
    } else if (strcmp(name, "completion") == 0) {
        ok = set_completion(s, args);
    } else if (strcmp(name, "trace") == 0) {
        ok = set_switch(s, args, &s->trace);
    } else if (strcmp(name, "target") == 0) {
        ok = set_target(s, args);
    } else if (strcmp(name, "width") == 0) {
        ok = set_width(s, args);
    } else {
        const char *near = tc_nearest(name, names, 7);
        char hint[64];
        snprintf(hint, sizeof hint, "did you mean %s?", near ? near : "");
        tc_error(&s->diags, args->spans[0],
                 near ? hint : "`help set` lists the settings",
                 "there is no setting '%s'", name);
        return TC_USAGE;
    }
    if (ok && s->options.json) {
        show_settings(s, r);
    }
    return ok ? TC_OK : TC_USAGE;
}
