/* script.c - save, alias, and what they know. A script holds entries as they
 * are typed: a command is one line, TVMScript ends at a blank one. */
#include "commands/script.h"
#include "base/file.h"
#include "base/near/near.h"
#include "commands/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "# tilecopy-repl: a session; tilecopy-repl FILE evaluates it again\n";

/* --- what was entered ------------------------------------------------------*/

/* Commands whose entry does nothing to the session. */
static bool leaves_no_trace(const char *command) {
    static const char *const names[] = {"save", "history", "help",
                                        "edit", "watch",   "quit"};
    bool none = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        none |= strcmp(command, names[i]) == 0;
    }
    return none;
}

void tc_script_record(tc_session *s, const char *command, const char *text,
                      size_t len, tc_status status) {
    if (!s->recording || s->asking || status != TC_OK ||
        s->request.kind != TC_CLIENT_NONE ||
        (command != NULL && leaves_no_trace(command))) {
        return;
    }
    s->entries++;
    tc_buf_write(&s->script, text, len);
    tc_buf_puts(&s->script, memchr(text, '\n', len) != NULL ? "\n\n" : "\n");
}

void tc_script_record_load(tc_session *s, const char *path, tc_status status) {
    if (s->recording && status == TC_OK && s->request.kind == TC_CLIENT_NONE) {
        s->entries++;
        tc_buf_printf(&s->script, "load \"%s\"\n", path);
    }
}

tc_status tc_script_load(tc_session *s, const char *path, tc_span at) {
    char why[TC_FILE_WHY];
    FILE *f = tc_file_stream(path, why);
    if (f == NULL) {
        tc_error(&s->diags, at, tc_file_near(s->asked, path),
                 "cannot read '%s': %s", path, why);
        return TC_FAILED;
    }
    fclose(f);
    s->request = (tc_client_request){.kind = TC_CLIENT_SCRIPT,
                                     .path = tc_strdup(s->asked, path)};
    return TC_OK;
}

/* --- save ------------------------------------------------------------------*/

/* Another file of that name is not written over. */
static bool is_script(const char *path) {
    char begin[sizeof header] = "", why[TC_FILE_WHY];
    FILE *f = tc_file_stream(path, why);
    if (f == NULL) {
        return access(path, F_OK) != 0;
    }
    size_t n = fread(begin, 1, sizeof header - 1, f);
    fclose(f);
    return n == 0 || memcmp(begin, header, n) == 0;
}

tc_status tc_cmd_save(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *file = tc_value_of(args, "FILE");
    char why[TC_FILE_WHY];
    if (!tc_ends_with(file->text, ".tcs")) {
        tc_error(&s->diags, file->span, "save lab1.tcs",
                 "a session's script is called NAME.tcs");
        return TC_USAGE;
    }
    if (!is_script(file->text)) {
        tc_error(&s->diags, file->span, "choose another name",
                 "'%s' is there and is no script of a session", file->text);
        return TC_FAILED;
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_puts(&text, header);
    tc_buf_puts(&text, tc_buf_text(&s->script));
    bool ok = tc_file_write(file->text, text.data, text.len, &s->cancel, why);
    tc_buf_free(&text);
    if (!ok) {
        tc_error(&s->diags, file->span, NULL, "cannot write '%s': %s",
                 file->text, why);
        return TC_FAILED;
    }
    int n = s->entries;
    if (s->options.json) {
        r->json = json_pack("{s:s,s:i}", "file", file->text, "entries", n);
    } else {
        tc_buf_printf(&r->text, "%d entr%s: `load %s` evaluates %s again.\n", n,
                      n == 1 ? "y" : "ies", file->text, n == 1 ? "it" : "them");
    }
    return TC_OK;
}

/* --- alias -----------------------------------------------------------------*/

typedef struct tc_alias {
    struct tc_alias *next;
    const char *name, *text; /* text NULL: no longer */
} tc_alias;

static const tc_alias *alias_of(const tc_session *s, const char *name,
                                size_t len) {
    for (const tc_alias *x = s->aliases; x != NULL; x = x->next) {
        if (strlen(x->name) == len && memcmp(x->name, name, len) == 0) {
            return x->text != NULL ? x : NULL;
        }
    }
    return NULL;
}

static size_t word_length(const char *text, size_t len) {
    size_t n = 0;
    while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_' ||
                       text[n] == '-')) {
        n++;
    }
    return n;
}

const char *tc_script_expand(tc_session *s, tc_arena *a, const char *text,
                             size_t *len) {
    size_t n = word_length(text, *len);
    bool alone = n == *len || text[n] == ' ' || text[n] == '\t';
    const tc_alias *x =
        s->aliases != NULL && alone && memchr(text, '\n', *len) == NULL
            ? alias_of(s, text, n)
            : NULL;
    if (x == NULL) {
        return text;
    }
    text = tc_format(a, "%s%.*s", x->text, (int)(*len - n), text + n);
    *len = strlen(text);
    return text;
}

static tc_status list_aliases(const tc_session *s, tc_reply *r) {
    r->json = json_pack("{s:{}}", "aliases");
    json_t *all = json_object_get(r->json, "aliases");
    for (const tc_alias *x = s->aliases; x != NULL; x = x->next) {
        if (alias_of(s, x->name, strlen(x->name)) == x) {
            tc_buf_printf(&r->text, "%s: %s\n", x->name, x->text);
            json_object_set_new(all, x->name, json_string(x->text));
        }
    }
    if (r->text.len == 0) {
        tc_buf_puts(&r->text, "There are none.\n");
    }
    return TC_OK;
}

/* A word that is a command's name stays that. */
static bool can_be_alias(tc_session *s, const tc_command_value *name) {
    bool exact = false, several = false;
    size_t len = strlen(name->text);
    const tc_command *c = tc_command_find(name->text, len, &exact, &several);
    if (word_length(name->text, len) != len) {
        tc_error(&s->diags, name->span, "letters, digits, _ and -",
                 "'%s' is not a word", name->text);
        return false;
    }
    if (c != NULL && exact) {
        tc_error(&s->diags, name->span, "choose another word",
                 "'%s' is a command", name->text);
        return false;
    }
    return true;
}

/* The newest entry of a name decides; one without text ends it. */
static bool is_alias(const tc_session *s, const char *name) {
    const tc_alias *x = s->aliases;
    while (x != NULL && strcmp(x->name, name) != 0) {
        x = x->next;
    }
    return x != NULL && x->text != NULL;
}

tc_status tc_cmd_alias(tc_session *s, const tc_command_args *args,
                       tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "NAME");
    const tc_command_value *text = tc_value_of(args, "TEXT");
    if (name == NULL) {
        return list_aliases(s, r);
    }
    if (!can_be_alias(s, name)) {
        return TC_USAGE;
    }
    if (text == NULL && !is_alias(s, name->text)) {
        tc_error(&s->diags, name->span, "alias l load lessons/ldgsts.py",
                 "there is no alias '%s'", name->text);
        return TC_USAGE;
    }
    tc_alias *x = TC_NEW(s->arena, tc_alias);
    x->next = s->aliases;
    x->name = tc_strdup(s->arena, name->text);
    if (text != NULL) { /* as it was typed, quotes too */
        const char *line = args->line + strcspn(args->line, " \t");
        x->text = tc_strdup(s->arena, line + strspn(line, " \t"));
    }
    s->aliases = x;
    return TC_OK;
}
