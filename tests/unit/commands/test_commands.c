/* test_commands.c - every row of commands.def and settings.def: its form, its
 * help, what is said of wrong arguments, and what Tab offers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "session/settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct client {
    tc_session *s;
    char out[1 << 14];
    size_t len;
    int errors, col;
    char message[512], hint[512];
} client;

static void on_text(void *user, const char *text, size_t len) {
    client *c = user;
    if (c->len + len < sizeof c->out) {
        memcpy(c->out + c->len, text, len);
        c->len += len;
        c->out[c->len] = '\0';
    }
}

static void on_diag(void *user, const tc_diag *d) {
    client *c = user;
    c->errors += d->severity == TC_ERROR;
    c->col = d->col;
    snprintf(c->message, sizeof c->message, "%s", d->message);
    snprintf(c->hint, sizeof c->hint, "%s", d->hint ? d->hint : "");
}

static int setup(void **state) {
    client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    tc_options o = tc_options_default();
    c->s = tc_session_new(&o, on_diag, on_text, c);
    assert_non_null(c->s);
    *state = c;
    return 0;
}

static int teardown(void **state) {
    client *c = *state;
    tc_session_free(c->s);
    free(c);
    return 0;
}

static tc_status eval(client *c, const char *text) {
    c->len = 0;
    c->out[0] = c->message[0] = c->hint[0] = '\0';
    c->errors = 0;
    return tc_session_eval(c->s, text);
}

/* One error, which has the words in it; statuses as a usage error's. */
static void refused(client *c, const char *line, const char *tokens,
                    const char *hint) {
    if (eval(c, line) != TC_USAGE || c->errors != 1 ||
        strstr(c->message, tokens) == NULL || strstr(c->hint, hint) == NULL) {
        fail_msg("%s: %d errors, the last '%s' (%s)", line, c->errors,
                 c->message, c->hint);
    }
}

static bool offered(client *c, const char *line, const char *word,
                    bool *files) {
    size_t n = strlen(line), start = n;
    bool found = false, any = false;
    while (start > 0 && line[start - 1] != ' ') {
        start--;
    }
    char **all = tc_session_complete(c->s, line, start, &any);
    for (char **m = all; m != NULL && *m != NULL; m++) {
        found |= strcmp(*m, word) == 0;
        free(*m);
    }
    free(all);
    if (files != NULL) {
        *files = any;
    }
    return found;
}

static bool built(const tc_command *c) {
    return c->run != NULL;
}

/* --- forms -----------------------------------------------------------------*/

/* Each parameter has a row; what is required stands first. */
static void forms(void **state) {
    (void)state;
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *c = &tc_commands[i];
        tc_form f;
        bool optional = false;
        tc_form_of(c->name, c->form, &f);
        for (int k = 0; k < f.n; k++) {
            const tc_form_item *item = &f.items[k];
            if (item->unknown) {
                fail_msg("%s %s: no row of params.def for item %d", c->name,
                         c->form, k);
            }
            if (!item->option) {
                assert_false(optional && item->required && !item->repeated);
                optional |= !item->required;
            }
        }
    }
    tc_form f;
    tc_form_of("launch", "KERNEL GRID [--smem BYTES] ARG...", &f);
    assert_int_equal(f.n, 4);
    assert_true(f.items[0].required && !f.items[0].repeated);
    assert_true(f.items[2].option && !f.items[2].required);
    assert_string_equal(f.items[2].name, "--smem");
    assert_true(f.items[3].repeated && f.dashes);
    tc_form_of("state", "CYCLE [cta N] [NAME[+BYTE]]...", &f);
    assert_int_equal(f.n, 3);
    assert_true(f.items[1].option && f.items[2].repeated);
    assert_string_equal(f.items[2].name, "NAME");
    tc_form_of("run", "[ARG...]", &f);
    assert_true(f.items[0].repeated && !f.dashes);
}

/* What may be typed is shown once. */
static void has_example(const tc_command *c) {
    if (c->form[0] != '\0' && strstr(c->help, "  tilecopy> ") == NULL &&
        strstr(c->help, "  $ tilecopy-repl ") == NULL) {
        fail_msg("%s: its help has no example", c->name);
    }
    if (c->summary[0] == '\0') {
        fail_msg("%s: it has no summary", c->name);
    }
}

static void helps(void **state) {
    client *c = *state;
    char line[128];
    for (int i = 0; i < tc_ncommands; i++) {
        snprintf(line, sizeof line, "help %s", tc_commands[i].name);
        assert_int_equal(eval(c, line), TC_OK);
        assert_non_null(strstr(c->out, tc_commands[i].form));
        assert_non_null(strstr(c->out, tc_commands[i].summary));
        has_example(&tc_commands[i]);
    }
    eval(c, "help set");
    for (int i = 0; i < tc_nsettings; i++) {
        assert_non_null(strstr(c->out, tc_settings[i].help));
    }
}

/* --- wrong arguments -------------------------------------------------------*/

static void missing(void **state) {
    client *c = *state;
    char tokens[64];
    int n = 0;
    for (int i = 0; i < tc_ncommands; i++) {
        tc_form f;
        tc_form_of(tc_commands[i].name, tc_commands[i].form, &f);
        if (built(&tc_commands[i]) && f.n > 0 && f.items[0].required &&
            !f.items[0].option && !f.items[0].repeated) {
            snprintf(tokens, sizeof tokens,
                     "%s needs %s: ", tc_commands[i].name, f.items[0].name);
            refused(c, tc_commands[i].name, tokens, tc_commands[i].form);
            n++;
        }
    }
    assert_true(n >= 7);
    refused(c, "launch k 1", "launch needs BLOCK", "launch KERNEL");
    assert_int_equal(c->col, 11); /* behind what is given */
}

/* How many words a form takes, or -1: any number. */
static int most_words(const tc_form *f) {
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        const tc_form_item *item = &f->items[i];
        if (!item->option && (item->repeated || tc_form_takes_rest(item))) {
            return -1;
        }
        n += !item->option;
    }
    return n;
}

static void further(void **state) {
    client *c = *state;
    int tried = 0;
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *row = &tc_commands[i];
        tc_form f;
        tc_form_of(row->name, row->form, &f);
        int n = most_words(&f);
        if (!built(row) || n < 0) {
            continue;
        }
        char line[128];
        snprintf(line, sizeof line, "%s", row->name);
        for (int k = 0; k <= n; k++) {
            size_t len = strlen(line);
            snprintf(line + len, sizeof line - len, " 1");
        }
        refused(c, line, n == 0 ? "takes no arguments" : "takes no more than",
                "");
        tried++;
    }
    assert_true(tried >= 14);
    assert_false(tc_session_finished(c->s)); /* `quit 1` */
}

static void options(void **state) {
    client *c = *state;
    for (int i = 0; i < tc_ncommands; i++) {
        const tc_command *row = &tc_commands[i];
        tc_form f;
        char line[128];
        tc_form_of(row->name, row->form, &f);
        if (!built(row) || !f.dashes) {
            continue;
        }
        snprintf(line, sizeof line, "%s --nonesuch", row->name);
        refused(c, line, "has no option '--nonesuch'", "");
        for (int k = 0; k < f.n; k++) {
            if (f.items[k].option && f.items[k].param != NULL) {
                snprintf(line, sizeof line, "%s 1 %s", row->name,
                         f.items[k].name);
                refused(c, line, "needs a value", row->name);
            }
        }
    }
    refused(c, "launch k 1 1 --smen 3", "no option '--smen'",
            "did you mean --smem?");
    refused(c, "launch k 1 1 --smem=lots", "--smem takes a number of bytes",
            "--smem 65536");
    refused(c, "suggest ldgsts 0", "LINE is the number of a line, not '0'",
            "suggest tma 12");
    refused(c, "state 99999999999999999999", "CYCLE is", "state 300");
    refused(c, "state 3 warp x", "warp takes a number", "state 300 warp 1");
    refused(c, "state 3 lane x", "lane takes a number", "state CYCLE");
    refused(c, "partition 1,x", "I,J is an element's coordinates, not '1,x'",
            "partition 17,3");
    refused(c, "show 3 --shape 3,,2", "--shape takes a shape", "--shape 64,32");
    refused(c, "show 3 --shape 0,2", "--shape takes a shape", "--shape 64,32");
    refused(c, "export crome a", "no format 'crome'", "did you mean chrome?");
    refused(c, "export png a", "no format 'png'",
            "chrome, html, svg, json, trace or sarif");
}

/* An example of a row for all commands names none of them. */
static void examples(void **state) {
    (void)state;
    static const struct {
        const char *command, *example;
    } rows[] = {
#define TC_PARAM(command, name, kind, least, most, offers, meaning, example)   \
    {command, example},
#include "commands/params.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int k = 0; k < tc_ncommands && rows[i].command[0] == '\0'; k++) {
            size_t n = strlen(tc_commands[k].name);
            if (strncmp(rows[i].example, tc_commands[k].name, n) == 0 &&
                rows[i].example[n] == ' ') {
                fail_msg("params.def: '%s' is %s's", rows[i].example,
                         tc_commands[k].name);
            }
        }
    }
}

/* A form with a word that params.def lacks says so, and does not crash. */
static void no_row(void **state) {
    client *c = *state;
    static const char *const forms[] = {"BOGUS", "[BOGUS]", "BOGUS...",
                                        "[--flag BOGUS]", "[cta BOGUS]"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        tc_arena *a = tc_arena_new();
        const char *tokens[] = {"x"};
        tc_source src = {.name = "<input>", .text = "x", .len = 1};
        tc_span span = {&src, 0, 1};
        tc_command_args args = {
            .tokens = tokens, .n = 1, .span = span, .spans = &span};
        c->message[0] = '\0';
        assert_false(tc_form_read(c->s, a, "why", forms[i], &args));
        assert_non_null(strstr(c->message, "internal error: params.def"));
        assert_non_null(strstr(c->message, forms[i]));
        tc_arena_free(a);
    }
}

/* --- values ----------------------------------------------------------------*/

static tc_command_args read_args(client *c, tc_arena *a, const char *command,
                                 const char *form, const char *const *tokens,
                                 int n) {
    tc_source *src = TC_NEW(a, tc_source);
    tc_buf text = TC_BUF_INIT;
    tc_command_args args = {.tokens = TC_NEWN(a, const char *, n + 1), .n = n};
    args.spans = TC_NEWN(a, tc_span, n + 1);
    for (int i = 0; i < n; i++) {
        uint32_t at = (uint32_t)text.len;
        tc_buf_puts(&text, tokens[i]);
        args.tokens[i] = tokens[i];
        args.spans[i] = (tc_span){src, at, (uint32_t)text.len};
        tc_buf_putc(&text, ' ');
    }
    *src = (tc_source){.name = "<input>", .first_line = 1, .len = text.len};
    src->text = tc_buf_finish(&text, a);
    assert_true(tc_form_read(c->s, a, command, form, &args));
    return args;
}

static void values(void **state) {
    client *c = *state;
    tc_arena *a = tc_arena_new();
    static const char *const launch[] = {"f",           "2,3", "f32[4]",
                                         "--cluster=2", "256", "--smem",
                                         "0x20",        "7",   "-1"};
    const char *form = "KERNEL GRID [--smem BYTES] [--cluster X,Y,Z] ARG...";
    const tc_command_value *all;
    tc_command_args args = read_args(c, a, "launch", form, launch, 9);
    assert_string_equal(tc_value_of(&args, "KERNEL")->text, "f");
    assert_int_equal(tc_value_of(&args, "GRID")->dims[1], 3);
    assert_int_equal(tc_value_of(&args, "GRID")->dims[2], 1);
    assert_int_equal(tc_value_of(&args, "--cluster")->dims[0], 2);
    assert_int_equal(tc_value_of(&args, "--smem")->number, 32);
    assert_int_equal(tc_values_of(&args, "ARG", &all), 4);
    assert_string_equal(all[0].text, "f32[4]");
    assert_string_equal(all[1].text, "256");
    assert_string_equal(all[2].text, "7");
    assert_string_equal(all[3].text, "-1");
    assert_null(tc_value_of(&args, "--source"));

    static const char *const show[] = {"A[0:8,", ":]", "--svg", "x.svg"};
    args = read_args(c, a, "show", "[NAME] [--svg FILE]", show, 4);
    assert_string_equal(tc_value_of(&args, "NAME")->text, "A[0:8, :]");
    assert_string_equal(tc_value_of(&args, "--svg")->text, "x.svg");

    static const char *const at[] = {"[17,", "3]"};
    args = read_args(c, a, "partition", "[I,J...]", at, 2);
    assert_int_equal(tc_value_of(&args, "I,J")->rank, 2);
    assert_int_equal(tc_value_of(&args, "I,J")->extents[0], 17);
    assert_int_equal(tc_value_of(&args, "I,J")->extents[1], 3);
    static const char *const shape[] = {"--shape", "64x32"};
    args = read_args(c, a, "show", "[--shape M,N]", shape, 2);
    assert_int_equal(tc_value_of(&args, "--shape")->rank, 2);
    assert_int_equal(tc_value_of(&args, "--shape")->extents[1], 32);

    static const char *const run[] = {"--size", "4", "-v"};
    args = read_args(c, a, "run", "[ARG...]", run, 3);
    assert_int_equal(tc_values_of(&args, "ARG", &all), 3);
    assert_string_equal(all[0].text, "--size");
    tc_arena_free(a);
}

/* --- Tab -------------------------------------------------------------------*/

/* After "NAME -" every option of the row, and no other row's. */
static void tab_options(void **state) {
    client *c = *state;
    char line[64];
    for (int i = 0; i < tc_ncommands; i++) {
        tc_form f;
        bool smem = false;
        tc_form_of(tc_commands[i].name, tc_commands[i].form, &f);
        snprintf(line, sizeof line, "%s --", tc_commands[i].name);
        for (int k = 0; k < f.n; k++) {
            const char *name = f.items[k].name;
            smem |= strcmp(name, "--smem") == 0;
            if (f.items[k].option && name[0] == '-' &&
                !offered(c, line, name, NULL)) {
                fail_msg("'%s' does not offer %s", line, name);
            }
        }
        assert_true(offered(c, line, "--smem", NULL) == smem);
    }
    assert_true(offered(c, "state 3 w", "warp", NULL));
}

/* Every beginning of a command leads to it. */
static void tab_commands(void **state) {
    client *c = *state;
    char line[64];
    for (int i = 0; i < tc_ncommands; i++) {
        for (size_t n = 1; n <= strlen(tc_commands[i].name); n++) {
            snprintf(line, sizeof line, "%.*s", (int)n, tc_commands[i].name);
            if (built(&tc_commands[i]) &&
                !offered(c, line, tc_commands[i].name, NULL)) {
                fail_msg("'%s' does not offer %s", line, tc_commands[i].name);
            }
        }
    }
}

static void tab_arguments(void **state) {
    client *c = *state;
    bool files;
    assert_true(offered(c, "export ", "chrome", &files) && !files);
    assert_true(offered(c, "export t", "trace", &files) && !files);
    assert_false(offered(c, "export chrome ", "trace", &files));
    assert_true(files);
    assert_true(offered(c, "why ", "ldgsts", NULL));
    assert_false(offered(c, "why ldgsts ", "ldgsts", NULL));
    assert_true(offered(c, "help ex", "export", NULL));
    assert_false(offered(c, "ptx --", "--cluster", NULL));
    assert_true(offered(c, "show x --dtype fl", "float16", NULL));
    offered(c, "show x --svg ", "", &files);
    assert_true(files);
    offered(c, "load ", "", &files);
    assert_true(files);
    offered(c, "grade ", "", &files);
    assert_false(files);
    offered(c, "grade maxpool15 ", "", &files);
    assert_true(files);
    for (int i = 0; i < tc_nsettings; i++) {
        tc_setting_form f;
        char line[64];
        assert_true(offered(c, "set ", tc_settings[i].name, NULL));
        tc_setting_form_of(&tc_settings[i], &f);
        snprintf(line, sizeof line, "set %s ", tc_settings[i].name);
        for (int k = 0; k < f.n; k++) {
            assert_true(offered(c, line, f.choices[k], NULL));
        }
    }
}

/* --- settings --------------------------------------------------------------*/

static void check_value(client *c, const tc_setting *t, const char *text) {
    char line[128];
    tc_buf b = TC_BUF_INIT;
    snprintf(line, sizeof line, "set %s %s", t->name, text);
    assert_int_equal(eval(c, line), TC_OK);
    tc_setting_print(t, t->get(c->s), &b);
    assert_string_equal(tc_buf_text(&b), text);
    tc_buf_free(&b);
}

/* A new session has the standard ones. */
static void standard_settings(void **state) {
    client *c = *state;
    for (int i = 0; i < tc_nsettings; i++) {
        tc_buf b = TC_BUF_INIT;
        tc_setting_print(&tc_settings[i], tc_settings[i].get(c->s), &b);
        assert_string_equal(tc_buf_text(&b), tc_settings[i].standard);
        tc_buf_free(&b);
    }
}

static void settings(void **state) {
    client *c = *state;
    for (int i = 0; i < tc_nsettings; i++) {
        const tc_setting *t = &tc_settings[i];
        tc_setting_form f;
        char line[128], text[64];
        tc_setting_form_of(t, &f);
        for (int k = 0; k < f.n; k++) {
            if (strcmp(f.choices[k], "FILE") == 0) {
                continue; /* test_calibrate */
            }
            snprintf(text, sizeof text, "%s%s", f.choices[k],
                     k == f.numbered ? " 7" : "");
            check_value(c, t, text);
            snprintf(line, sizeof line, "set %s %s x", t->name, f.choices[k]);
            refused(c, line, f.choices[k], "");
        }
        bool takes_text = strcmp(t->values, "COMMAND") == 0; /* any */
        if (f.n == 0 && !takes_text) {
            snprintf(text, sizeof text, "%lld", (long long)f.least);
            check_value(c, t, text);
            snprintf(line, sizeof line, "set %s %lld", t->name,
                     (long long)f.most + 1);
            refused(c, line, "takes a number from", t->standard);
        }
        snprintf(line, sizeof line, "set %s", t->name);
        refused(c, line, "takes", t->name);
    }
    refused(c, "set hazards onn", "takes on or off, not 'onn'",
            "did you mean on?");
    refused(c, "set hazzards on", "no setting 'hazzards'",
            "did you mean hazards?");
}

int main(void) {
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(forms),        TEST(helps),         TEST(missing),
        TEST(further),      TEST(options),       TEST(examples),
        TEST(no_row),       TEST(values),        TEST(tab_options),
        TEST(tab_commands), TEST(tab_arguments), TEST(standard_settings),
        TEST(settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
