/* test_client.c - the parts of the REPL that need no terminal. Linked with
 * src/repl/ (without main.c), src/base/ and fake_session.c. */
#include "base/buf.h"
#include "repl/entry.h"
#include "repl/exec.h"
#include "repl/history.h"
#include "repl/options.h"
#include "repl/print.h"
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- diagnostics --- */

__attribute__((noinline)) static char *printed(const tc_diag *d, int width,
                                               bool color) {
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    tc_printer p = {.out = f, .color = color, .width = width};
    tc_print_diag(&p, d);
    fclose(f);
    return text;
}

static void check_diag(const tc_diag *d, int width, const char *want) {
    char *got = printed(d, width, false);
    assert_string_equal(got, want);
    free(got);
}

static tc_diag diag(const char *line, int col, int end_col) {
    return (tc_diag){.severity = TC_ERROR,
                     .file = "a.py",
                     .line = 3,
                     .col = col,
                     .end_col = end_col,
                     .source_line = line,
                     .message = "no"};
}

/* A line of megabytes is cut at characters, wherever the caret is. */
static void test_caret_of_a_long_line(void **state) {
    (void)state;
    tc_buf line = TC_BUF_INIT;
    for (int i = 0; i < 300; i++) {
        tc_buf_puts(&line, "\xc3\xa9\xe6\xbc\xa2"); /* 1 column, and 2 */
    }
    tc_buf_putc(&line, '$');
    for (int i = 0; i < 300; i++) {
        tc_buf_puts(&line, "ab");
    }
    tc_diag d = diag(tc_buf_text(&line), 601, 602);
    check_diag(&d, 26,
               "a.py:3:601: error: no\n"
               "    ...\xe6\xbc\xa2\xc3\xa9\xe6\xbc\xa2\xc3\xa9\xe6\xbc\xa2$"
               "abababa...\n"
               "               ^\n");
    tc_buf_free(&line);
}

static void test_caret(void **state) {
    (void)state;
    tc_diag d = diag("A = T.alok(3)", 5, 11);
    d.hint = "did you mean T.alloc?";
    check_diag(&d, 80,
               "a.py:3:5: error: no\n"
               "    A = T.alok(3)\n"
               "        ^~~~~~\n"
               "hint: did you mean T.alloc?\n");
    d = diag("x", 2, 2); /* the end of the line */
    check_diag(&d, 80, "a.py:3:2: error: no\n    x\n     ^\n");
    d = diag("abc", 2, 900); /* goes on in the next line */
    check_diag(&d, 80, "a.py:3:2: error: no\n    abc\n     ^~\n");
    d = diag("", 1, 1);
    check_diag(&d, 80, "a.py:3:1: error: no\n    \n    ^\n");
}

static void test_no_place(void **state) {
    (void)state;
    tc_diag d = {.severity = TC_WARNING, .message = "odd"};
    check_diag(&d, 80, "warning: odd\n");
    d.severity = TC_NOTE;
    d.hint = "it is";
    check_diag(&d, 80, "note: odd\nhint: it is\n");
}

static void test_widths(void **state) {
    (void)state;
    tc_diag d = diag("\tx\ty", 4, 5); /* tabs become blanks up to 4, 8 */
    check_diag(&d, 80,
               "a.py:3:4: error: no\n"
               "        x   y\n"
               "            ^\n");
    /* U+4E2D takes two columns, e + U+0301 one */
    d = diag("\xe4\xb8\xad = e\xcc\x81 + z", 10, 11);
    check_diag(&d, 80,
               "a.py:3:10: error: no\n"
               "    \xe4\xb8\xad = e\xcc\x81 + z\n"
               "             ^\n");
    d = diag("\xe4\xb8\xad", 1, 2);
    check_diag(&d, 80,
               "a.py:3:1: error: no\n"
               "    \xe4\xb8\xad\n"
               "    ^~\n");
}

/* What would steer the terminal is not sent to it. */
static void test_control_characters(void **state) {
    (void)state;
    tc_diag d = diag("a\033[2Jb\xff", 8, 9);
    d.message = "bad \033]0;x\007";
    check_diag(&d, 80,
               "a.py:3:8: error: bad ?]0;x?\n"
               "    a?[2Jb?\n"
               "           ^\n");
}

static void test_long_line(void **state) {
    (void)state;
    char line[301];
    memset(line, 'a', 300);
    line[300] = '\0';
    line[200] = 'X';
    tc_diag d = diag(line, 201, 202);
    char *got = printed(&d, 40, false);
    char *source = strchr(got, '\n') + 1, *caret = strchr(source, '\n') + 1;
    assert_true(strcspn(source, "\n") <= 40);
    assert_true(strcspn(caret, "\n") <= 40);
    assert_int_equal(source[strcspn(caret, "^")], 'X');
    assert_non_null(strstr(source, "..."));
    free(got);
}

static void test_color(void **state) {
    (void)state;
    tc_diag d = diag("x", 1, 2);
    char *got = printed(&d, 80, true);
    assert_non_null(strstr(got, "\033[1;31merror\033[0m: no"));
    free(got);
}

/* --- entries --- */

static void test_is_command(void **state) {
    (void)state;
    static const char *const commands[] = {
        "why",         "why ldgsts",   "partition 17,3",   "load /a/b.py",
        "load ./b.py", "ptx --source", "why tmem<->local", "set width 90",
        "  run",       "load ~/x.py",  "help why"};
    static const char *const script[] = {
        "x = 3",         "from a import b", "f(3)",        "T.x",
        "a - b",         "a / b",           "a[0]",        "a, b = 1",
        "a if b else c", "@T.prim_func",    "a and b",     "3",
        "(why)",         "a == b",          "for i in x:", "",
        "# why",         "a -= 1",          "a @ b"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!tc_entry_is_command(commands[i])) {
            fail_msg("not a command: %s", commands[i]);
        }
    }
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) {
        if (tc_entry_is_command(script[i])) {
            fail_msg("a command: %s", script[i]);
        }
    }
}

/* The parts of text, joined by '|'. */
static void check_parts(const char *text, const char *want) {
    tc_buf b = TC_BUF_INIT;
    size_t apart = TC_ENTRY_UNKNOWN;
    while (*text != '\0') {
        size_t n = tc_entry_part(NULL, text, &apart);
        assert_true(n > 0 && n <= strlen(text));
        if (b.len > 0) {
            tc_buf_putc(&b, '|');
        }
        tc_buf_write(&b, text, n);
        text += n;
    }
    assert_string_equal(tc_buf_text(&b), want);
    tc_buf_free(&b);
}

static void test_parts(void **state) {
    (void)state;
    check_parts("why", "why");
    check_parts("why\nrun\n", "why\n|run\n");
    check_parts("x = 1\ny = 2\n", "x = 1\ny = 2\n"); /* all TVMScript */
    check_parts("x = (1,\n2)\nwhy", "x = (1,\n2)\n|why");
    check_parts("@T.prim_func\ndef f():\n    a\n\n    b\nwhy\n",
                "@T.prim_func\ndef f():\n    a\n\n    b\n|why\n");
    check_parts("# first\n\nwhy\nx = 1", "# first\n\nwhy\n|x = 1");
    check_parts("\n\n", "\n\n");
}

static void test_goes_on(void **state) {
    (void)state;
    assert_true(tc_entry_goes_on(NULL, "x = (1,\n", false));
    assert_false(tc_entry_goes_on(NULL, "x = (1,\n2)\n", false));
    assert_false(tc_entry_goes_on(NULL, "load a(1.py\n", false));
    assert_true(tc_entry_goes_on(NULL, "def f():\n    a\n", false));
    assert_false(tc_entry_goes_on(NULL, "def f():\n    a\n\n", false));
    assert_false(tc_entry_goes_on(NULL, "def f():\n    a\n", true));
    assert_true(tc_entry_goes_on(NULL, "x = (1,\n2,\n", true));
    assert_true(tc_entry_goes_on(NULL, "$ sed 's/(/)/' a \\\n", false));
    assert_false(tc_entry_goes_on(NULL, "$ sed 's/(/)/' a \\\n  b\n", false));
    assert_false(tc_entry_goes_on(NULL, "$ sed 's/(/[/' a\n", false));
}

static void test_expand(void **state) {
    (void)state;
    setenv("HOME", "/home/me", 1);
    static const char *const cases[][2] = {
        {"load ~/a.py", "load /home/me/a.py"},
        {"load \"~/a b.py\"", "load \"/home/me/a b.py\""},
        {"load /x/~/a.py", "load /x/~/a.py"},
        {"x = ~y", "x = ~y"},
        {"why", "why"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = tc_entry_expand(cases[i][0]);
        assert_string_equal(got, cases[i][1]);
        free(got);
    }
}

/* --- any bytes --- */

static uint64_t next_random(uint64_t *x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Nothing here may crash, or fail to end, on what people paste. */
static void test_any_bytes(void **state) {
    (void)state;
    static const char likely[] =
        "\n\n\t  ~/()[]'\"#@def why:=,\\\xe4\xb8\xad\xff";
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 5000; round++) {
        char text[64];
        size_t len = next_random(&x) % (sizeof text - 1);
        for (size_t i = 0; i < len; i++) {
            uint64_t r = next_random(&x);
            text[i] = r % 8 ? likely[(r >> 8) % (sizeof likely - 1)]
                            : (char)((r >> 8) % 255 + 1);
        }
        text[len] = '\0';
        size_t apart = TC_ENTRY_UNKNOWN;
        for (const char *p = text; *p != '\0';) {
            size_t n = tc_entry_part(NULL, p, &apart);
            assert_true(n > 0 && n <= strlen(p));
            p += n;
        }
        free(tc_entry_expand(text));
        tc_entry_is_blank(text);
        tc_diag d = diag(text, (int)(next_random(&x) % 80),
                         (int)(next_random(&x) % 80) - 4);
        free(printed(&d, (int)(next_random(&x) % 100), round % 2 == 0));
    }
}

/* --- history --- */

static char *seen[4];
static int nseen;

static void see(const char *entry) {
    if (nseen < 4) {
        seen[nseen++] = strdup(entry);
    }
}

static void test_history(void **state) {
    (void)state;
    static const char *const entries[] = {"a\nb\n\n  c", "back\\slash \\n", "",
                                          "\xe4\xb8\xad"};
    char path[] = "/tmp/tilecopy-history-XXXXXX", below[sizeof path + 8];
    close(mkstemp(path));
    for (int i = 0; i < 4; i++) {
        assert_true(tc_history_append(path, entries[i]));
    }
    nseen = 0;
    tc_history_load(path, see);
    assert_int_equal(nseen, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(seen[i], entries[i]);
        free(seen[i]);
    }
    /* no folder, for root neither */
    snprintf(below, sizeof below, "%s/history", path);
    assert_false(tc_history_append(below, "x"));
    unlink(path);
    /* one that is missing is made; why it cannot be is the system's reason */
    assert_true(tc_history_append(below, "x"));
    assert_int_equal(unlink(below), 0);
    assert_int_equal(rmdir(path), 0);
    assert_false(tc_history_append("/proc/none/history", "x"));
    assert_int_not_equal(errno, 0);
}

/* --- the command line --- */

static bool parse(tc_cli *cli, const char *line, tc_status *status) {
    static char *argv[32];
    static char copy[256];
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *p = strtok(copy, " "); p != NULL; p = strtok(NULL, " ")) {
        argv[argc++] = p;
    }
    argv[argc] = NULL;
    extern int optind;
    optind = 0; /* glibc: start afresh */
    return tc_cli_parse(cli, argc, argv, status);
}

static void test_options(void **state) {
    (void)state;
    tc_cli cli;
    tc_status status;
    assert_true(parse(&cli,
                      "x --seed 0x10 a.py -e why --json -e run b.py --arch "
                      "sm_80 --backend both --timeout 1.5 --keep-going -- -c",
                      &status));
    assert_int_equal(cli.nfiles, 3);
    assert_string_equal(cli.files[2], "-c");
    assert_int_equal(cli.nevals, 2);
    assert_string_equal(cli.evals[1], "run");
    assert_int_equal(cli.session.seed, 16);
    assert_int_equal(cli.session.backend, TC_BACKEND_BOTH);
    assert_string_equal(cli.session.arch, "sm_80");
    assert_true(cli.session.json && cli.keep_going && cli.has_timeout);
    assert_true(cli.session.timeout_s == 1.5);
    tc_cli_free(&cli);
}

static void test_lesson(void **state) {
    (void)state;
    tc_cli cli;
    tc_status status;
    assert_true(parse(&cli, "x lesson", &status));
    assert_string_equal(cli.lesson, "lesson");
    tc_cli_free(&cli);
    assert_true(parse(&cli, "x --color never lesson 01-first", &status));
    assert_string_equal(cli.lesson, "lesson 01-first");
    tc_cli_free(&cli);
    assert_true(parse(&cli, "x ./lesson", &status)); /* a file */
    assert_int_equal(cli.nfiles, 1);
    tc_cli_free(&cli);
}

static void test_bad_usage(void **state) {
    (void)state;
    static const char *const lines[] = {"x --nothing",
                                        "x -x",
                                        "x -e",
                                        "x --arch",
                                        "x --arch sm_70",
                                        "x --seed -1",
                                        "x --seed 1.5",
                                        "x --seed 1e99",
                                        "x --timeout -1",
                                        "x --timeout z",
                                        "x --timeout nan",
                                        "x --color blue",
                                        "x --json=1",
                                        "x exec",
                                        "x exec a.cu 12",
                                        "x exec --json a.cu",
                                        "x --quiet a.cu",
                                        "x grade a",
                                        "x grade a b.cu c",
                                        "x lesson a b",
                                        "x --seed 18446744073709551616"};
    int saved = dup(STDERR_FILENO);
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tc_cli cli;
        tc_status status = TC_OK;
        bool go_on = parse(&cli, lines[i], &status);
        tc_cli_free(&cli);
        if (go_on || status != TC_USAGE) {
            fail_msg("accepted: %s", lines[i]);
        }
    }
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void test_color_choice(void **state) {
    (void)state;
    tc_cli cli = {.color = TC_COLOR_AUTO};
    int fd = fileno(stdin);
    setenv("TERM", "xterm", 1);
    setenv("FORCE_COLOR", "1", 1);
    unsetenv("NO_COLOR");
    assert_true(tc_cli_color(&cli, fd));
    setenv("NO_COLOR", "1", 1);
    assert_false(tc_cli_color(&cli, fd));
    cli.color = TC_COLOR_ALWAYS; /* the flag wins */
    assert_true(tc_cli_color(&cli, fd));
    cli.color = TC_COLOR_NEVER;
    unsetenv("NO_COLOR");
    assert_false(tc_cli_color(&cli, fd));
}

/* On a terminal a message is broken between words; a file's lines stay whole.
 */
static void words_stay_whole(void **state) {
    (void)state;
    tc_diag d = diag(NULL, 1, 2);
    d.message = "one two three four five six seven";
    d.hint = "a-word-that-is-longer-than-a-line and two\nnew line";
    check_diag(&d, 24,
               "a.py:3:1: error: one two three four five six seven\n"
               "hint: a-word-that-is-longer-than-a-line and two\n"
               "new line\n");
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    tc_printer p = {.out = f, .width = 24, .wrap = true};
    tc_print_diag(&p, &d);
    fclose(f);
    assert_string_equal(text, "a.py:3:1: error: one two\n"
                              "  three four five six\n"
                              "  seven\n"
                              "hint:\n"
                              "  a-word-that-is-longer-than-a-line\n"
                              "  and two\n"
                              "new line\n");
    free(text);
}

/* --- exec's arguments --- */

static void test_exec_words(void **state) {
    (void)state;
    char *argv[] = {"tilecopy-repl",
                    "--arch",
                    "sm_80",
                    "exec",
                    "--report",
                    "r.json",
                    "p.cu",
                    "--quiet",
                    "--timeout=3",
                    "--",
                    "-x",
                    "--quiet",
                    NULL};
    tc_cli cli;
    tc_status status;
    optind = 0;
    assert_true(tc_cli_parse(&cli, 12, argv, &status));
    assert_true(cli.exec.asked && cli.exec.quiet && !cli.exec.pedantic);
    assert_string_equal(cli.exec.program, "p.cu");
    assert_string_equal(cli.exec.report, "r.json");
    assert_string_equal(cli.session.arch, "sm_80");
    assert_string_equal(cli.exec.args[0], "-x");
    assert_string_equal(cli.exec.args[1], "--quiet");
    assert_null(cli.exec.args[2]);
    assert_true(cli.has_timeout && cli.session.timeout_s == 3.0);
    tc_cli_free(&cli);
}

/* The compiler's messages are not ours to break or to mark, but no more than
 * text gets to the terminal. */
static void test_verbatim(void **state) {
    (void)state;
    tc_diag d = {.severity = TC_VERBATIM,
                 .message = "a.cu(1): error: no\n\tint\033[31m x\n"};
    check_diag(&d, 10, "a.cu(1): error: no\n\tint?[31m x\n");
}

/* --- the offer to fetch a compiler --- */

/* `exec x.cu -- word` on a terminal where `answer` is typed: its exit status,
 * and what was on the screen. */
static int exec_on_terminal(const char *answer, char *screen, size_t size) {
    char *argv[] = {"tilecopy-repl", "exec", "x.cu", "--", "word", NULL};
    int fd, status;
    pid_t pid = forkpty(&fd, NULL, NULL, NULL);
    if (pid == 0) {
        tc_cli cli;
        tc_status parsed;
        setenv("NO_COLOR", "1", 1);
        optind = 0;
        bool ok = tc_cli_parse(&cli, 5, argv, &parsed);
        _exit(ok ? tc_exec_main(&cli) : 99);
    }
    size_t n = 0;
    ssize_t got = write(fd, answer, strlen(answer));
    while (n + 1 < size && (got = read(fd, screen + n, size - n - 1)) > 0) {
        n += (size_t)got;
    }
    screen[n] = '\0';
    close(fd);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_offer(void **state) {
    (void)state;
    char folder[] = "/tmp/tilecopy-offer-XXXXXX", screen[4096], back[4096];
    char clear[64];
    assert_non_null(getcwd(back, sizeof back));
    assert_non_null(mkdtemp(folder));
    snprintf(clear, sizeof clear, "rm -rf %s", folder);
    assert_int_equal(chdir(folder), 0);
    FILE *f = fopen("x.cu", "w");
    assert_non_null(f);
    fclose(f);
    setenv("FAKE_HOME", "deep/er/toolkit", 1);
    unsetenv("TILECOPY_NVCC");
    /* yes: it is fetched, and the program runs */
    assert_int_equal(exec_on_terminal("y\n", screen, sizeof screen), 7);
    assert_non_null(strstr(screen, "[y/N]"));
    assert_non_null(strstr(screen, "(fetched)"));
    assert_non_null(strstr(screen, "(executed with word)"));
    /* no: never asked again */
    assert_int_equal(exec_on_terminal("\n", screen, sizeof screen), 1);
    assert_non_null(strstr(screen, "[y/N]"));
    assert_non_null(strstr(screen, "there is no compiler"));
    assert_int_equal(exec_on_terminal("y\n", screen, sizeof screen), 1);
    assert_null(strstr(screen, "[y/N]"));
    assert_int_equal(access("deep/er/toolkit.declined", F_OK), 0);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(system(clear), 0);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stay_whole),
        cmocka_unit_test(test_caret),
        cmocka_unit_test(test_caret_of_a_long_line),
        cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_color),
        cmocka_unit_test(test_is_command),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_expand),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_lesson),
        cmocka_unit_test(test_exec_words),
        cmocka_unit_test(test_verbatim),
        cmocka_unit_test(test_offer),
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_color_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
