/* pty_exec.c PROGRAM - a CUDA program on a terminal: its standard input, Ctrl-C
 * while host code runs and while a kernel does, by `exec` and at the prompt.
 * PROGRAM is tilecopy-repl. */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "tilecopy> "
#define CTRL_C "\003"
#define CTRL_D "\004"

static char *program;
static int passed, failed;

/* A kernel that ends, but not today; each thread has work of its own. */
static const char text[] =
    "#include <cstdio>\n"
    "#include <cstring>\n"
    "__global__ void slow(unsigned *x) {\n"
    "    unsigned v = threadIdx.x;\n"
    "    for (long long i = 0; i < 1000000000000LL; i++) {\n"
    "        v = v * 1664525u + 1013904223u;\n"
    "    }\n"
    "    x[threadIdx.x] = v;\n"
    "}\n"
    "int main(int argc, char **argv) {\n"
    "    unsigned *d;\n"
    "    char name[64] = \"\";\n"
    "    if (argc > 1 && !strcmp(argv[1], \"host\")) {\n"
    "        puts(\"in a loop\");\n"
    "        fflush(stdout);\n"
    "        for (volatile int i = 0;; i = i + 1) {\n"
    "        }\n"
    "    }\n"
    "    if (argc > 1 && !strcmp(argv[1], \"kernel\")) {\n"
    "        puts(\"launching\");\n"
    "        fflush(stdout);\n"
    "        cudaMalloc(&d, 256);\n"
    "        slow<<<1, 64>>>(d);\n"
    "        cudaDeviceSynchronize();\n"
    "        puts(\"over\");\n"
    "    }\n"
    "    printf(\"who? \");\n"
    "    fflush(stdout);\n"
    "    if (scanf(\"%63s\", name) == 1) {\n"
    "        printf(\"hello %s\\n\", name);\n"
    "    }\n"
    "    return 3;\n"
    "}\n";

static void check_at(int line, const terminal *t, bool ok, const char *what) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("pty_exec.c:%d: failed: %s\n", line, what);
    if (t != NULL) {
        printf("--- the screen:\n%s\n---\n", tc_buf_text(&t->out));
    }
}

#define CHECK(t, condition) check_at(__LINE__, (t), (condition), #condition)

static terminal exec_with(char *argument) {
    char *argv[] = {program, "exec", "slow.cu", "--", argument, NULL};
    return terminal_start(argv);
}

/* Building may take longer than terminal_expect waits. */
static bool is_built(void) {
    char command[4096];
    snprintf(command, sizeof command,
             "'%s' exec slow.cu </dev/null >out 2>&1; test $? -eq 3", program);
    if (system(command) == 0) {
        return true;
    }
    bool none = system("grep -q 'there is no CUDA compiler' out") == 0;
    puts(none ? "SKIPPED: no nvcc found" : "slow.cu cannot be run");
    failed += !none;
    return false;
}

static void test_input(void) {
    terminal t = exec_with("input");
    CHECK(&t, terminal_expect(&t, "who? "));
    terminal_send(&t, "ada\n");
    CHECK(&t, terminal_expect(&t, "hello ada"));
    CHECK(NULL, terminal_finish(&t) == 3);
}

static void test_interrupt(char *where, const char *said) {
    terminal t = exec_with(where);
    CHECK(&t, terminal_expect(&t, said));
    terminal_settle(&t, 200);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "slow.cu was "));
    CHECK(NULL, terminal_finish(&t) == 130);
}

static void test_prompt(void) {
    char *argv[] = {program, "slow.cu", NULL};
    terminal t = terminal_start(argv);
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "run input\n");
    CHECK(&t, terminal_expect(&t, "who? "));
    terminal_send(&t, "grace\n");
    CHECK(&t, terminal_expect(&t, "hello grace"));
    CHECK(&t, terminal_expect(&t, "exit status 3"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "run kernel\n");
    CHECK(&t, terminal_expect(&t, "launching"));
    terminal_settle(&t, 200);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "run host\n");
    CHECK(&t, terminal_expect(&t, "in a loop"));
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, "6 * 7\n");
    CHECK(&t, terminal_expect(&t, "42"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    terminal_send(&t, CTRL_D);
    CHECK(NULL, terminal_finish(&t) == 0);
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/tilecopy-exec-XXXXXX";
    char clean[64];
    program = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (program == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        fputs("usage: pty_exec TILECOPY_REPL\n", stderr);
        return 2;
    }
    setenv("NO_COLOR", "1", 1);
    setenv("XDG_STATE_HOME", folder, 1); /* history */
    setenv("XDG_CONFIG_HOME", folder, 1);
    FILE *f = fopen("slow.cu", "w");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) {
        perror("slow.cu");
        return 2;
    }
    if (is_built()) {
        test_input();
        test_interrupt("host", "in a loop");
        test_interrupt("kernel", "launching");
        test_prompt();
    }
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(clean) != 0) {
        perror("pty_exec: cleaning up");
    }
    free(program);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
