/* command.c - the table of commands: look-up, help, quit. */
#include "commands/commands.h"
#include "commands/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tc_command tc_commands[] = {
#define TC_COMMAND(name, form, fn, summary, help)                              \
    {name, form, fn, summary, help},
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

/* --- help ------------------------------------------------------------------*/

static void list_commands(tc_reply *r) {
    enum { NAMES = 22 }; /* columns of a name with its arguments */
    tc_buf_puts(&r->text, "Commands (a beginning that is clear is enough):\n");
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        int n = (int)(strlen(c->name) + strlen(c->form)) + 1;
        tc_buf_printf(&r->text, "  %s %s", c->name, c->form);
        if (n > NAMES) { /* too long to have its summary beside it */
            tc_buf_putc(&r->text, '\n');
            n = -2;
        }
        tc_buf_fill(&r->text, ' ', NAMES - n);
        tc_buf_printf(&r->text, " %s\n", c->summary);
    }
    tc_buf_puts(&r->text,
                "Anything else is TVMScript: an import, an assignment, a "
                "@T.prim_func\n(it ends with a blank line), or an expression "
                "to print. `help why` says more.\n");
}

static json_t *commands_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:b}", "name", c->name, "form",
                            c->form, "summary", c->summary, "built", true));
    }
    return list;
}

static tc_status no_topic(tc_session *s, const tc_command_value *topic) {
    const char *names[64];
    int n = 0;
    for (int i = 0; i < tc_ncommands && n < 64; i++) {
        names[n++] = tc_commands[i].name;
    }
    const char *near = tc_diag_nearest(topic->text, names, n);
    char hint[64] = "`help` lists the commands";
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    }
    tc_error(&s->diags, topic->span, hint, "no command is called '%s'",
             topic->text);
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

/* The help of a command, in arena a; the settings' is that of their rows. */
static const char *help_of(tc_arena *a, const tc_command *c) {
    if (c->run != tc_cmd_set) {
        return c->help;
    }
    tc_buf b = TC_BUF_INIT;
    tc_settings_help(&b);
    tc_buf_puts(&b, c->help);
    return tc_buf_finish(&b, a);
}

static void answer_help(tc_session *s, const tc_command *c, tc_reply *r) {
    tc_arena *a = tc_arena_new();
    const char *help = help_of(a, c);
    if (s->options.json) {
        r->json = json_pack("{s:s,s:s,s:s,s:s}", "name", c->name, "form",
                            c->form, "summary", c->summary, "help", help);
        if (c->run == tc_cmd_set) {
            json_object_set_new(r->json, "settings", tc_settings_json());
        }
    } else {
        tc_buf_printf(&r->text, "%s%s%s: %s\n\n%s", c->name,
                      c->form[0] != '\0' ? " " : "", c->form, c->summary, help);
    }
    tc_arena_free(a);
}

tc_status tc_cmd_help(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *topic = tc_value_of(args, "TOPIC");
    bool exact, several;
    if (topic == NULL) {
        if (s->options.json) {
            r->json = json_pack("{s:o}", "commands", commands_json());
        } else {
            list_commands(r);
        }
        return TC_OK;
    }
    if (help_subcommand(s, topic->text, r)) {
        return TC_OK;
    }
    const tc_command *c =
        tc_command_find(topic->text, strlen(topic->text), &exact, &several);
    if (c == NULL && tc_explain_answer(s, topic->text, r)) {
        return TC_OK;
    }
    if (c == NULL) {
        return no_topic(s, topic);
    }
    answer_help(s, c, r);
    return TC_OK;
}

tc_status tc_cmd_quit(tc_session *s, const tc_command_args *args, tc_reply *r) {
    (void)args;
    (void)r;
    s->finished = true;
    return TC_OK;
}
