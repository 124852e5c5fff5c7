/* pty_lesson.c PROGRAM LESSONS SAMPLES - a lesson as a person does it, on a
 * terminal of 80x24: every screen of every lesson of LESSONS fits on it, and the
 * program that a step asks to edit is opened in the editor, loaded and judged
 * (SAMPLES has that lesson). */
#include "terminal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 24 };
#define PROMPT "tilecopy> "

static char *program;
static char home[] = "/tmp/tilecopy-pty-lesson-XXXXXX";
static int passed, failed;

static void check_at(int line, const terminal *t, bool ok, const char *what) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("pty_lesson.c:%d: failed: %s\n", line, what);
    if (t != NULL) {
        size_t from = t->out.len > 2000 ? t->out.len - 2000 : 0;
        printf("--- the screen's end:\n%s\n---\n", tc_buf_text(&t->out) + from);
    }
}

#define CHECK(t, condition) check_at(__LINE__, (t), (condition), #condition)

static terminal begin(const char *lesson) {
    char name[] = "lesson", word[64];
    snprintf(word, sizeof word, "%s", lesson);
    char *argv[] = {program, name, word, NULL};
    return terminal_start(argv);
}

/* Types a line; the prompt comes behind the answer. The rows of the answer, or
 * -1. */
static int answer_rows(terminal *t, const char *line) {
    size_t from = t->mark;
    int rows = 1; /* the prompt's */
    terminal_send(t, line);
    terminal_send(t, "\r");
    if (!terminal_expect(t, line) || !terminal_expect(t, PROMPT)) {
        return -1;
    }
    const char *head =
        strstr(t->out.data + from, "Lesson "); /* behind the echo */
    if (head == NULL) {
        return 0;
    }
    for (const char *p = head; p < t->out.data + t->mark; p++) {
        rows += *p == '\n';
    }
    if (rows > ROWS) {
        printf("--- %d rows:\n%.*s\n---\n", rows, (int)(t->mark - from),
               t->out.data + from);
    }
    return rows;
}

static bool says(const terminal *t, const char *text) {
    return strstr(tc_buf_text(&t->out), text) != NULL;
}

/* Turns all screens of a lesson. */
static void turn(const char *lesson) {
    terminal t = begin(lesson);
    bool open = terminal_expect(&t, PROMPT);
    int most = 0, screens = 1;
    CHECK(&t, open);
    while (open && screens < 200 && !says(&t, "this is the lesson's last")) {
        int rows = answer_rows(&t, "next");
        open = rows >= 0;
        most = rows > most ? rows : most;
        screens++;
    }
    CHECK(&t, open && screens > 2 && screens < 200);
    CHECK(NULL, most <= ROWS);
    terminal_send(&t, "quit\r");
    CHECK(NULL, terminal_finish(&t) == 0);
}

static void each_lesson(const char *folder) {
    char command[PATH_MAX], name[64];
    setenv("TILECOPY_LESSONS", folder, 1);
    snprintf(command, sizeof command,
             "ls '%s' | sed -n 's/^\\([0-9][0-9]\\)[^.]*\\.md$/\\1/p'", folder);
    FILE *f = popen(command, "r");
    while (f != NULL && fscanf(f, "%63s", name) == 1) {
        turn(name);
    }
    if (f != NULL) {
        pclose(f);
    }
}

/* next to the last task, which is an edit; the editor is a script. */
static void edit(const char *samples) {
    setenv("TILECOPY_LESSONS", samples, 1);
    setenv("VISUAL",
           "sed -i 's/commit_group()/&; T.ptx.cp_async.wait_group(0)/'", 1);
    terminal t = begin("01");
    CHECK(&t, terminal_expect(&t, PROMPT));
    for (int i = 0; i < 10 && !says(&t, "`edit` opens the file"); i++) {
        if (answer_rows(&t, "next") < 0) {
            break;
        }
    }
    terminal_send(&t, "edit\r");
    CHECK(&t, terminal_expect(&t, "f32: 2 copies"));
    CHECK(&t, terminal_expect(&t, "Right."));
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "lesson\r");
    CHECK(&t, terminal_expect(&t, "Left lesson 01"));
    CHECK(&t, terminal_expect(&t, "1/4"));
    setenv("VISUAL", "false", 1);
    terminal_send(&t, "quit\r");
    CHECK(NULL, terminal_finish(&t) == 0);
}

/* A page's line for the shell is obeyed among the lesson's files, where this
 * program and its lessons are; without a lesson it means nothing. */
static void shell_line(const char *samples) {
    setenv("TILECOPY_LESSONS", samples, 1);
    terminal t = begin("01");
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "$ sed 's/f32(A/g32(A/' f32.py > made.py\r");
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(
        &t, "$ echo it chose $(tilecopy-repl -e why made.py | grep -c '=>')\r");
    CHECK(&t, terminal_expect(&t, "it chose 2"));
    terminal_send(&t, "$ tilecopy-repl made.py; echo and back\r");
    CHECK(&t, terminal_expect(&t, "\nand back"));
    terminal_send(&t, "$ ls lessons && false\r");
    CHECK(&t, terminal_expect(&t, "01-sample.md"));
    CHECK(&t, terminal_expect(&t, "[status 1]"));
    terminal_send(&t, "load made.py\r");
    CHECK(&t, terminal_expect(&t, "g32: 2 copies"));
    terminal_send(&t, "lesson\r");
    CHECK(&t, terminal_expect(&t, "Left lesson 01"));
    terminal_send(&t, "$ true\r");
    CHECK(&t, terminal_expect(&t, "has no meaning here"));
    terminal_send(&t, "quit\r");
    CHECK(NULL, terminal_finish(&t) == 0);
}

int main(int argc, char **argv) {
    if (argc != 4 || mkdtemp(home) == NULL) {
        fputs("usage: pty_lesson TILECOPY_REPL LESSONS SAMPLES\n", stderr);
        return 2;
    }
    program = argv[1];
    char *lessons = realpath(argv[2], NULL), *samples = realpath(argv[3], NULL);
    setenv("HOME", home, 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("COLUMNS");
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("INPUTRC", "/dev/null", 1);
    setenv("PAGER", "cat", 1);
    each_lesson(lessons);
    edit(samples);
    shell_line(samples);
    free(lessons);
    free(samples);
    tc_buf rm = TC_BUF_INIT;
    tc_buf_printf(&rm, "rm -rf '%s'", home);
    int rc = system(rm.data);
    tc_buf_free(&rm);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || rc != 0;
}
