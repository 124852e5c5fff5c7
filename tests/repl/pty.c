/* pty.c PROGRAM DEMO.py - types at the prompt as a person does, and checks the
 * screen and the history file. PROGRAM is tilecopy-repl. */
#include "terminal.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *program, *demo;
static char home[] = "/tmp/tilecopy-pty-XXXXXX";
static int passed, failed;

#define PROMPT "tilecopy> "
#define MORE   "      ... "
#define CTRL_C "\003"
#define CTRL_D "\004"
#define CTRL_U "\025"
#define UP     "\033[A"
#define PASTE  "\033[200~"
#define PASTED "\033[201~"

/* A definition with a blank line in it, as people paste it. */
static const char spinner[] =
    "@T.prim_func\n"
    "def spinner(A_ptr: T.handle):\n"
    "    A = T.match_buffer(A_ptr, (128,), \"int32\")\n"
    "    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32])\n"
    "    tid = T.thread_id([128])\n"
    "\n"
    "    for i in range(1000000000):\n"
    "        A[tid] = A[tid] + 1\n";

static void check_at(int line, const terminal *t, bool ok, const char *what) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("pty.c:%d: failed: %s\n", line, what);
    if (t != NULL) {
        size_t from = t->out.len > 600 ? t->out.len - 600 : 0;
        printf("--- the screen's end:\n%s\n---\n", tc_buf_text(&t->out) + from);
    }
}

#define CHECK(t, condition) check_at(__LINE__, (t), (condition), #condition)

static terminal start(char *file) {
    char *argv[] = {program, file, NULL};
    return terminal_start(argv);
}

/* Types keys, and waits for text. */
static bool answers(terminal *t, const char *keys, const char *text) {
    terminal_send(t, keys);
    return terminal_expect(t, text);
}

static char *path_of(const char *name) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%s/%s", home, name);
    return b.data;
}

static char *history_text(void) {
    char *path = path_of(".local/state/tilecopy-repl/history");
    FILE *f = fopen(path, "r");
    tc_buf b = TC_BUF_INIT;
    int c;
    while (f != NULL && (c = getc(f)) != EOF) {
        tc_buf_putc(&b, (char)c);
    }
    if (f != NULL) {
        fclose(f);
    }
    free(path);
    return b.data ? b.data : tc_xstrdup("");
}

static int lines_of(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n;
}

static bool history_has(const char *text) {
    char *all = history_text();
    bool has = strstr(all, text) != NULL;
    free(all);
    return has;
}

static unsigned mode_of(const char *name) {
    char *path = path_of(name);
    struct stat st;
    unsigned mode = stat(path, &st) == 0 ? st.st_mode & 0777 : 0;
    free(path);
    return mode;
}

static void leave(terminal *t) {
    CHECK(t, terminal_reads_keys(t));
    terminal_send(t, CTRL_D);
    CHECK(t, terminal_expect(t, "\n"));
    CHECK(NULL, terminal_finish(t) == 0);
}

static void test_welcome(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    char *first = tc_xstrdup(tc_buf_text(&t.out));
    first[t.mark >= strlen(PROMPT) ? t.mark - strlen(PROMPT) : 0] = '\0';
    CHECK(&t, lines_of(first) == 3);
    CHECK(&t, strstr(first, "is loaded") != NULL);
    CHECK(&t, strstr(tc_buf_text(&t.raw), "\033[?2004h") !=
                  NULL); /* paste brackets */
    free(first);
    CHECK(&t, answers(&t, "21*2\r", "\n42\n" PROMPT));
    CHECK(&t, answers(&t, "quit\r", "quit\n"));
    CHECK(NULL, terminal_finish(&t) == 0);
}

static void test_completion(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "parti\t", "partition "));
    CHECK(&t, answers(&t, CTRL_U "why ldg\t", "ldgsts "));
    CHECK(&t, answers(&t, CTRL_U "why tmem\t", "tmem<->local "));
    CHECK(&t, answers(&t, CTRL_U "tile_size = 3\r", PROMPT));
    CHECK(&t, answers(&t, "tile_s\t", "tile_size"));
    char *file = path_of("a name.py");
    fclose(fopen(file, "w"));
    terminal_send(&t, CTRL_U "load ");
    terminal_send(&t, home);
    CHECK(&t, answers(&t, "/a\t", "a name.py\""));
    CHECK(&t, answers(&t, CTRL_U "load ~/\t\t", "name.py"));
    terminal_send(&t, CTRL_U);
    free(file);
    leave(&t);
}

static void test_interrupt_line(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "xyzzy", "xyzzy"));
    CHECK(&t, answers(&t, CTRL_C, "^C\n" PROMPT));
    CHECK(&t, answers(&t, "(7,\r", MORE));
    CHECK(&t, answers(&t, CTRL_C, "^C\n" PROMPT));
    CHECK(&t, answers(&t, "6*7\r", "\n42\n" PROMPT));
    leave(&t);
    CHECK(NULL, !history_has("xyzzy"));
    CHECK(NULL, history_has("6*7\n"));
}

static void test_continuation(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "(5,\r", MORE));
    CHECK(&t, answers(&t, "6)\r", PROMPT));
    CHECK(NULL, history_has("(5,\\n6)\n")); /* one entry */
    CHECK(&t, answers(&t, "@T.prim_func\r", MORE));
    CHECK(&t, answers(&t, "def h():\r", MORE));
    CHECK(&t, answers(&t, "\tpass", "    pass"));
    CHECK(&t, answers(&t, "\r", MORE));
    CHECK(&t, answers(&t, CTRL_D, PROMPT)); /* ends the block only */
    CHECK(NULL, history_has("@T.prim_func\\ndef h():\\n    pass\n"));
    CHECK(&t, answers(&t, "6*7\r", "\n42\n" PROMPT));
    leave(&t);
}

/* A trace that is opened is not nothing. */
static void test_trace(void) {
    char path[] = "tests/tui/traces/ldgsts.trace";
    terminal t = start(path);
    CHECK(&t, terminal_expect(&t, "ldgsts.trace is loaded"));
    CHECK(&t, answers(&t, "", PROMPT));
    CHECK(&t, strstr(t.out.data, "Nothing") == NULL);
    leave(&t);
}

static void test_paste(void) {
    terminal t = start(NULL);
    CHECK(&t, terminal_expect(&t, "Nothing is loaded"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, PASTE);
    terminal_send(&t, spinner);
    CHECK(&t, answers(&t, PASTED, "A[tid] + 1"));
    size_t before = t.out.len;
    CHECK(&t, answers(&t, "\r", PROMPT));
    CHECK(&t, strstr(t.out.data + before, "error") == NULL);
    CHECK(NULL, history_has("int32\\\")\\n") || history_has("\"int32\")\\n"));
    CHECK(&t, answers(&t, UP, "A[tid] + 1"));
    CHECK(&t, answers(&t, "\r", PROMPT)); /* whole, and evaluated again */
    CHECK(&t, answers(&t, PASTE "why\n6*7\n" PASTED "\r", "\n42\n" PROMPT));
    leave(&t);
    char *all = history_text();
    int count = 0;
    for (char *p = all; (p = strstr(p, "def spinner")) != NULL; p++) {
        count++;
    }
    CHECK(NULL, count == 1);
    free(all);
    t = start(demo); /* and in the next session */
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, UP UP, "A[tid] + 1"));
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "^C\n"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    leave(&t);
}

/* A terminal that does not bracket what is pasted: a blank line in the middle
 * of a definition is part of it, and what follows it is not. */
static void test_paste_without_brackets(void) {
    char *rc = path_of("inputrc");
    FILE *f = fopen(rc, "w");
    fputs("set enable-bracketed-paste off\n", f);
    fclose(f);
    setenv("INPUTRC", rc, 1);
    terminal t = start(NULL);
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "n = 6\n");
    terminal_send(&t, spinner);
    CHECK(&t, answers(&t, "\n\n7*n\n", "spinner: 0 copies"));
    CHECK(&t, terminal_expect(&t, "42\n" PROMPT));
    CHECK(&t, answers(&t, "spinner\r", "<prim_func spinner("));
    leave(&t);
    setenv("INPUTRC", "/dev/null", 1);
    unlink(rc);
    free(rc);
}

/* A file of tests: which of them makes the program is asked, and kept. */
static void test_choice(void) {
    char *path = path_of("test_two.py");
    FILE *f = fopen(path, "w");
    fputs("import pytest\n"
          "@pytest.mark.parametrize('n', [32, 64])\n"
          "def test_k(n):\n"
          "    @T.prim_func\n"
          "    def k(a: T.handle):\n"
          "        A = T.match_buffer(a, (n,))\n"
          "        T.device_entry(); T.cta_id([1]); t = T.thread_id([n])\n"
          "        A[t] = 1.0\n",
          f);
    fclose(f);
    terminal t = start(NULL);
    tc_buf load = TC_BUF_INIT;
    tc_buf_printf(&load, "load %s\r", path);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, load.data, "2  test_k[64]"));
    CHECK(&t, terminal_expect(&t, "which, 1 to 2 (Enter: 1)? "));
    CHECK(&t, answers(&t, "2\r", "k: 0 copies"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, load.data, PROMPT)); /* not asked again */
    CHECK(&t, answers(&t, "run\r", "block 64x1x1"));
    leave(&t);
    tc_buf_free(&load);
    unlink(path);
    free(path);
}

static void test_interrupt_run(void) {
    terminal t = start(NULL);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "kept = 14\r", PROMPT));
    terminal_send(&t, PASTE);
    terminal_send(&t, spinner);
    CHECK(&t, answers(&t, PASTED "\r", PROMPT));
    CHECK(&t, answers(&t, "run\r", "run\n"));
    CHECK(&t, terminal_expect(&t, "running spinner_kernel, "));
    terminal_settle(&t, 500);
    CHECK(&t, strstr(t.out.data + t.mark, PROMPT) == NULL); /* it runs */
    CHECK(&t, answers(&t, CTRL_C, PROMPT));
    const char *last = strstr(t.raw.data, "running spinner_kernel"), *next;
    while (last != NULL && (next = strstr(last + 1, "running ")) != NULL) {
        last = next;
    }
    CHECK(&t, last != NULL && strstr(last, "\r\033[K") != NULL); /* erased */
    CHECK(&t, answers(&t, "kept*3\r", "\n42\n" PROMPT)); /* nothing is lost */
    leave(&t);
}

static void test_resize(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "set\r", "width 80"));
    terminal_resize(&t, 101);
    bool noted = false; /* a signal takes its time on a busy machine */
    for (int i = 0; i < 5 && !noted; i++) {
        terminal_settle(&t, 200);
        noted = answers(&t, "set\r", "width 101");
    }
    CHECK(&t, noted);
    CHECK(&t, terminal_expect(&t, PROMPT));
    leave(&t);
}

/* Windows that are narrower than the prompt: from the start, and made so while
 * a line is edited and a definition goes on; on a terminal that wraps lines,
 * and on one that does not, where a column less is of use. */
static void test_narrow(const char *kind) {
    setenv("TERM", kind, 1);
    char *argv[] = {program, demo, NULL};
    for (int columns = 1; columns <= 12; columns++) {
        terminal t = terminal_start_at(argv, columns);
        CHECK(&t, terminal_reads_keys(&t));
        terminal_settle(&t, 50);
        terminal_send(&t, "20 * 21" UP UP "\t" CTRL_U "1000 + 337\r");
        CHECK(&t, terminal_expect(&t, "\n1337\n"));
        CHECK(&t, terminal_reads_keys(&t));
        terminal_send(&t, CTRL_D);
        CHECK(&t, terminal_finish(&t) == 0);
    }
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    for (int columns = 12; columns >= 1; columns--) {
        terminal_send(&t, "20 * 21 + (");
        terminal_resize(&t, columns);
        terminal_settle(&t, 50);
        terminal_send(&t, CTRL_U "6 * 7" CTRL_U);
        terminal_settle(&t, 50);
    }
    terminal_resize(&t, 80);
    terminal_settle(&t, 200);
    CHECK(&t, answers(&t, CTRL_U "1000 + 337\r", "\n1337\n"));
    leave(&t);
}

/* `timeline` opens the full-screen view; q comes back to the prompt. */
static void test_timeline(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "timeline\r", "timeline\n"));
    terminal_settle(&t, 500);
    terminal_send(&t, "q");
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_settle(&t, 200);
    CHECK(&t, answers(&t, CTRL_U "6*7\r", "\n42\n" PROMPT));
    leave(&t);
}

/* In an editor's shell window there is no view: the picture is printed. */
static void test_no_view(void) {
    setenv("TERM", "dumb", 1);
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "timeline\r", "group 0: 4 copies"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "6*7\r", "\n42\n" PROMPT));
    leave(&t);
    setenv("TERM", "xterm", 1);
}

/* What is longer than the window goes through $PAGER, and only that; one that
 * cannot be started, or is left early, loses nothing. */
static void test_pager(void) {
    setenv("PAGER", "sed -n 's/^.version/paged: &/p'", 1);
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "ptx\r", "\npaged: .version"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "ptx 11\r", "\tcp.async.commit_group;\n" PROMPT));
    leave(&t);
    setenv("PAGER", "/no/such/pager", 1);
    t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "ptx\r", "\n.version"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    leave(&t);
    setenv("PAGER", "head -n 1", 1);
    t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "ptx\r", PROMPT));
    CHECK(&t, answers(&t, "6*7\r", "\n42\n" PROMPT));
    leave(&t);
    setenv("PAGER", "cat", 1);
}

/* A definition is recalled whole, and Alt-Enter puts a line into it. */
static void test_recalled_definition(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t,
                      "@T.prim_func\rdef f(A_ptr: T.handle):\r"
                      "    A = T.match_buffer(A_ptr, (128,), \"float32\")\r"
                      "    T.device_entry(); T.cta_id([1]); "
                      "tid = T.thread_id([128])\r\r",
                      "f: 0 copies"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, UP "\033\r    A[tid] = 2.0\r", "f: 0 copies"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "show f\r", "thread_id([128])\n    A[tid] = 2.0\n"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "history 1\r", "  history 1\n"));
    leave(&t);
}

/* An editor that says what it got, and changes a line or fails. */
static void test_edit(void) {
    char *file = path_of("k.py");
    tc_buf editor = TC_BUF_INIT, command = TC_BUF_INIT;
    tc_buf_printf(&command, "cp '%s' '%s'", demo, file);
    CHECK(NULL, system(tc_buf_text(&command)) == 0);
    tc_buf_puts(&editor, "e() { echo \"<$*>\"; for f; do :; done; "
                         "sed -i 's/^    Tx.cta.copy(/    Tx.copy(/' \"$f\"; "
                         "test -e \"$f\"; }; e");
    setenv("VISUAL", tc_buf_text(&editor), 1);
    terminal t = start(file);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "edit 13\r", "<+13 "));
    CHECK(&t, terminal_expect(&t, "copy_async: 2 copies"));
    CHECK(&t, answers(&t, "why 14\r", "scope thread"));
    CHECK(&t, answers(&t, "edit none.py\r", "failed: none.py is not loaded\n"));
    CHECK(&t, answers(&t, "why 14\r", "scope thread")); /* as it was */
    leave(&t);
    setenv("VISUAL", "/no/such/editor", 1);
    t = start(file);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "edit\r", "no editor `/no/such/editor`: set VISUAL"));
    leave(&t);
    unsetenv("VISUAL");
    tc_buf_free(&editor);
    tc_buf_free(&command);
    free(file);
}

/* Readline's own: a search backwards, and vi's mode where .inputrc asks. */
static void test_habits(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "1000 + 337\r", "\n1337\n" PROMPT));
    CHECK(&t, answers(&t, "6*7\r", "\n42\n" PROMPT));
    CHECK(&t, answers(&t, "\0221000\r", "\n1337\n" PROMPT));
    leave(&t);
    char *rc = path_of(".inputrc");
    FILE *f = fopen(rc, "w");
    fputs("set editing-mode vi\n", f);
    fclose(f);
    setenv("INPUTRC", rc, 1);
    t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "6*77\033", "6*77"));
    terminal_settle(&t, 700); /* Escape is no Alt then */
    CHECK(&t, answers(&t, "x\r", "\n42\n" PROMPT));
    leave(&t);
    setenv("INPUTRC", "/dev/null", 1);
    free(rc);
}

static void test_terminal_is_restored(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, !terminal_is_cooked(&t));
    kill(t.pid, SIGTERM);
    terminal_settle(&t, 300);
    CHECK(&t, terminal_is_cooked(&t));
    CHECK(&t, strstr(tc_buf_text(&t.raw), "\033[?2004l") != NULL);
    CHECK(NULL, terminal_finish(&t) == 128 + SIGTERM);
}

static void ends_by(terminal *t, int number) {
    terminal_settle(t, 500);
    kill(t->pid, number);
    terminal_settle(t, 300);
    CHECK(t, terminal_is_cooked(t));
    CHECK(NULL, terminal_finish(t) == 128 + number);
}

/* In the view, and while something runs, a signal ends the session in order. */
static void test_ends_in_order(void) {
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "run\r", PROMPT));
    CHECK(&t, answers(&t, "timeline\r", "timeline\n"));
    ends_by(&t, SIGHUP);
    t = start(NULL);
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, PASTE);
    terminal_send(&t, spinner);
    CHECK(&t, answers(&t, PASTED "\r", PROMPT));
    CHECK(&t, answers(&t, "run # ended\r", "ended\n"));
    ends_by(&t, SIGTERM);
    CHECK(NULL, history_has("run # ended\n"));
}

static void test_two_sessions(void) {
    terminal a = start(demo), b = start(demo);
    CHECK(&a, terminal_expect(&a, PROMPT));
    CHECK(&b, terminal_expect(&b, PROMPT));
    CHECK(&a, answers(&a, "1001*1\r", "\n1001\n" PROMPT));
    CHECK(&b, answers(&b, "1002*1\r", "\n1002\n" PROMPT));
    CHECK(&a, answers(&a, "1003*1\r", "\n1003\n" PROMPT));
    leave(&a);
    leave(&b);
    CHECK(NULL, history_has("1001*1\n1002*1\n1003*1\n"));
    CHECK(NULL, mode_of(".local/state/tilecopy-repl") == 0700);
    CHECK(NULL, mode_of(".local/state/tilecopy-repl/history") == 0600);
}

static void test_history_limit(void) {
    char *path = path_of(".local/state/tilecopy-repl/history");
    FILE *f = fopen(path, "w");
    for (int i = 0; f != NULL && i < 1005; i++) {
        fprintf(f, "%d*1\n", i);
    }
    fclose(f);
    free(path);
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, PROMPT));
    char *all = history_text();
    CHECK(NULL, lines_of(all) == 1000 && strncmp(all, "5*1\n", 4) == 0);
    free(all);
    CHECK(&t, answers(&t, UP, "1004*1"));
    CHECK(&t, answers(&t, "\r", "\n1004\n" PROMPT)); /* the same as the last: */
    leave(&t);
    all = history_text();
    CHECK(NULL, lines_of(all) == 1000); /* not noted twice */
    free(all);
}

static void test_rc(void) {
    char *folder = path_of(".config"), *own = path_of(".config/tilecopy-repl");
    char *rc = path_of(".config/tilecopy-repl/rc");
    mkdir(folder, 0700);
    mkdir(own, 0700);
    FILE *f = fopen(rc, "w");
    fputs("# mine\n9*9\nset colour on\n", f);
    fclose(f);
    terminal t = start(demo);
    CHECK(&t, terminal_expect(&t, "81\n"));
    CHECK(&t, terminal_expect(&t, "rc:3:5: error: "));
    CHECK(&t, terminal_expect(&t, PROMPT));
    leave(&t);
    unlink(rc);
    free(folder);
    free(own);
    free(rc);
}

static void set_environment(void) {
    setenv("HOME", home, 1);
    setenv("TERM", "xterm", 1);
    setenv("INPUTRC", "/dev/null", 1);
    setenv("PAGER", "cat", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
}

int main(int argc, char **argv) {
    if (argc != 3 || mkdtemp(home) == NULL) {
        fprintf(stderr, "usage: pty PROGRAM DEMO.py\n");
        return 2;
    }
    program = argv[1];
    demo = argv[2];
    set_environment();
    test_welcome();
    test_completion();
    test_interrupt_line();
    test_continuation();
    test_trace();
    test_paste();
    test_paste_without_brackets();
    test_choice();
    test_interrupt_run();
    test_resize();
    test_narrow("dumb");
    test_narrow("xterm");
    test_timeline();
    test_pager();
    test_recalled_definition();
    test_edit();
    test_habits();
    test_no_view();
    test_terminal_is_restored();
    test_ends_in_order();
    test_two_sessions();
    test_history_limit();
    test_rc();
    printf("%d passed, %d failed\n", passed, failed);
    tc_buf rm = TC_BUF_INIT;
    tc_buf_printf(&rm, "rm -rf '%s'", home);
    int rc = system(rm.data);
    tc_buf_free(&rm);
    return failed > 0 || rc != 0;
}
