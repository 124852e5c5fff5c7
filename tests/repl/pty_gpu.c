/* pty_gpu.c PROGRAM - the prompt with a GPU whose driver is a stand-in
 * (tests/unit/fake_cuda.c): a fault and a crash, after which the next command
 * works; Ctrl-C while a kernel runs that never ends; and what is left when the
 * program ends, or is killed. PROGRAM is tilecopy-repl. */
#include "terminal.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "tilecopy> "
#define CTRL_C "\003"
#define CTRL_D "\004"

static char *program;
static char folder[] = "/tmp/tilecopy-gpu-XXXXXX";
static int passed, failed;

/* What the stand-in does when it is given kernels of these names. */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .entry where(.param .u64 p) { ret; }\n"
                          ".visible .entry fault(.param .u64 p) { ret; }\n";

static const char cuda[] =
    "#include <cstdio>\n"
    "extern \"C\" __global__ void fault(int *p) { p[1 << 28] = 1; }\n"
    "extern \"C\" __global__ void where(int *p) { p[threadIdx.x] = 0x11111111; "
    "}\n"
    "int main(int argc, char **) {\n"
    "    int *d = nullptr, n = 0;\n"
    "    printf(\"%s\\n\", cudaGetErrorName(cudaMalloc(&d, 256)));\n"
    "    argc > 1 ? fault<<<1, 1>>>(d) : where<<<1, 64>>>(d);\n"
    "    for (int i = 0; i < 2; i++) {\n"
    "        cudaError_t e = cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost);\n"
    "        printf(\"%s %x\\n\", cudaGetErrorName(e), n);\n"
    "    }\n"
    "}\n";

static void check_at(int line, const terminal *t, bool ok, const char *what) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("pty_gpu.c:%d: failed: %s\n", line, what);
    if (t != NULL) {
        printf("--- the screen:\n%s\n---\n", tc_buf_text(&t->out));
    }
}

#define CHECK(t, condition) check_at(__LINE__, (t), (condition), #condition)

/* --- the stand-in ----------------------------------------------------------*/

static bool write_file(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    return f != NULL && fputs(text, f) >= 0 && fclose(f) == 0;
}

/* Tells it something, or (NULL) nothing any more. */
static void fake(const char *name, const char *value) {
    if (value != NULL) {
        write_file(name, value);
    } else {
        unlink(name);
    }
}

/* In the folder, where it looks for what it is told. */
static bool build_fake(void) {
    char source[PATH_MAX], command[2 * PATH_MAX];
    if (realpath("tests/unit/fake_cuda.c", source) == NULL ||
        mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return false;
    }
    snprintf(command, sizeof command, "cc -w -shared -fPIC -o libfake.so '%s'",
             source);
    setenv("FAKE_CUDA_FOLDER", folder, 1);
    snprintf(source, sizeof source, "%s/libfake.so", folder);
    setenv("TILECOPY_LIBCUDA", source, 1);
    setenv("XDG_STATE_HOME", folder, 1); /* history */
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("NO_COLOR", "1", 1);
    return system(command) == 0 && write_file("k.ptx", ptx) &&
           write_file("k.cu", cuda);
}

/* --- processes -------------------------------------------------------------*/

/* The number behind the parent's in /proc/PID/stat is that one's, or 0 for a
 * process that has ended. */
static int parent_of(int pid) {
    char path[64], text[512] = "", state = 'Z';
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    const char *name = n > 0 ? strrchr(text, ')') : NULL;
    bool known = name != NULL && sscanf(name, ") %c %d", &state, &parent) == 2;
    return known && state != 'Z' ? parent : 0;
}

/* The device process of a program on a terminal, or 0. */
static int device_process(int of) {
    int found = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        int pid = atoi(e->d_name);
        found = pid > 0 && parent_of(pid) == of ? pid : found;
    }
    if (d != NULL) {
        closedir(d);
    }
    return found;
}

static bool ends_soon(int pid) {
    for (int i = 0; i < 300 && parent_of(pid) != 0; i++) {
        usleep(10000);
    }
    return pid > 0 && parent_of(pid) == 0;
}

/* --- at the prompt ---------------------------------------------------------*/

static terminal start(const char *file) {
    char *argv[] = {program, "--backend", "gpu", (char *)(size_t)file, NULL};
    terminal t = terminal_start(argv);
    CHECK(&t, terminal_expect(&t, PROMPT));
    return t;
}

static bool answers(terminal *t, const char *command, const char *text) {
    terminal_send(t, command);
    terminal_send(t, "\n");
    return terminal_expect(t, text) && terminal_expect(t, PROMPT);
}

static const char launch_where[] = "launch where 1 32 u8[256]";
static const char launch_fault[] = "launch fault 1 32 u8[256]";
static const char good[] = "bytes changed";

static void test_fault(void) {
    terminal t = start("k.ptx");
    CHECK(&t, device_process(t.pid) == 0); /* not before it is needed */
    CHECK(&t, answers(&t, launch_where, good));
    int first = device_process(t.pid);
    CHECK(&t, answers(&t, launch_fault, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    CHECK(&t, answers(&t, launch_where, good));
    int second = device_process(t.pid);
    CHECK(&t, first != 0 && second != 0 && first != second);
    fake("CRASH", "cuEventQuery");
    CHECK(&t, answers(&t, launch_where, "the GPU's process ended by signal 9"));
    fake("CRASH", NULL);
    CHECK(&t, answers(&t, launch_where, good));
    second = device_process(t.pid);
    terminal_send(&t, CTRL_D);
    CHECK(NULL, terminal_finish(&t) == 0);
    CHECK(NULL, ends_soon(second));
}

/* Ctrl-C ends the kernel, and at an empty prompt nothing. */
static void test_interrupt(void) {
    terminal t = start("k.ptx");
    CHECK(&t, answers(&t, launch_where, good));
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, PROMPT));
    int idle = device_process(t.pid);
    fake("BUSY", "1000000");
    terminal_send(&t, launch_where);
    terminal_send(&t, "\n");
    terminal_settle(&t, 300);
    CHECK(&t, device_process(t.pid) == idle);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "the kernel was stopped while it was still "
                                  "running on the GPU"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, ends_soon(idle));
    fake("BUSY", NULL);
    CHECK(&t, answers(&t, launch_where, good));
    terminal_send(&t, CTRL_D);
    CHECK(NULL, terminal_finish(&t) == 0);
}

static void test_killed(bool busy) {
    terminal t = start("k.ptx");
    CHECK(&t, answers(&t, launch_where, good));
    fake("BUSY", busy ? "1000000" : NULL);
    if (busy) {
        terminal_send(&t, launch_where);
        terminal_send(&t, "\n");
        terminal_settle(&t, 300);
    }
    int process = device_process(t.pid);
    CHECK(&t, process != 0);
    kill(t.pid, SIGKILL);
    CHECK(NULL, terminal_finish(&t) == 128 + SIGKILL);
    CHECK(NULL, ends_soon(process));
    fake("BUSY", NULL);
}

/* A CUDA program's fault is its own until it ends. */
static void test_program(void) {
    char command[PATH_MAX + 64];
    snprintf(command, sizeof command,
             "'%s' exec k.cu </dev/null >out 2>&1 || test $? -eq 1", program);
    if (system(command) != 0 || system("grep -q cudaSuccess out") != 0) {
        bool none = system("grep -q 'there is no CUDA compiler' out") == 0;
        puts(none ? "SKIPPED: no nvcc found" : "k.cu cannot be run");
        failed += !none;
        return;
    }
    terminal t = start("k.cu");
    for (int i = 0; i < 2; i++) {
        terminal_send(&t, "run x\n");
        CHECK(&t, terminal_expect(&t, "cudaSuccess\n"
                                      "cudaErrorIllegalAddress 0\n"
                                      "cudaErrorIllegalAddress 0\n"));
        CHECK(&t, terminal_expect(&t, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        CHECK(&t, terminal_expect(&t, PROMPT));
        CHECK(&t, answers(&t, "run",
                          "cudaSuccess\n"
                          "cudaSuccess 11111111\n"
                          "cudaSuccess 11111111\n"));
    }
    fake("BUSY", "1000000");
    terminal_send(&t, "run\n");
    CHECK(&t, terminal_expect(&t, "cudaSuccess\n"));
    terminal_settle(&t, 200);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, PROMPT));
    fake("BUSY", NULL);
    CHECK(&t, answers(&t, "run", "cudaSuccess 11111111\n"));
    terminal_send(&t, CTRL_D);
    CHECK(NULL, terminal_finish(&t) == 0);
}

int main(int argc, char **argv) {
    char clean[64];
    program = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (program == NULL || !build_fake()) {
        fputs("usage: pty_gpu TILECOPY_REPL, where tests/unit is\n", stderr);
        return 2;
    }
    test_fault();
    test_interrupt();
    test_killed(false);
    test_killed(true);
    test_program();
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(clean) != 0) {
        perror("pty_gpu: cleaning up");
    }
    free(program);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
