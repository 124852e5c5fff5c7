/* pty_gpu.c PROGRAM [real] - the prompt with a GPU: faults, Ctrl-C while a
 * kernel runs that never ends, and the end of the device process, after each of
 * which the next command works; what is left when the program ends, or is
 * killed. PROGRAM is tilecopy-repl. The driver is a stand-in
 * (tests/built/fake_cuda.c), unless a real GPU is asked for
 * (tests/gpu/process.sh). */
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
static int begun_ms = 300; /* by then a kernel runs; a GPU's PTX is compiled */

/* Kernels that the stand-in knows by their names, and a GPU by what they do. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry where(.param .u64 p) {\n"
    "  .reg .b64 %a<3>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %a0, [p];\n"
    "  cvta.to.global.u64 %a1, %a0;\n"
    "  mov.u32 %r0, %tid.x;\n"
    "  mul.wide.u32 %a2, %r0, 4;\n"
    "  add.u64 %a1, %a1, %a2;\n"
    "  mov.u32 %r1, 0x11111111;\n"
    "  st.global.u32 [%a1], %r1;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry fault(.param .u64 p) {\n"
    "  .reg .b64 %a<1>; .reg .b32 %r<1>;\n"
    "  mov.u64 %a0, 16;\n"
    "  mov.u32 %r0, 1;\n"
    "  st.global.u32 [%a0], %r0;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry forever(.param .u64 p) {\n"
    "  .reg .b64 %a<1>; .reg .b32 %r<1>; .reg .pred %p<1>;\n"
    "  ld.param.u64 %a0, [p];\n"
    "AGAIN:\n"
    "  ld.volatile.u32 %r0, [%a0];\n"
    "  setp.ne.u32 %p0, %r0, 0x12345678;\n"
    "  @%p0 bra AGAIN;\n"
    "  ret;\n"
    "}\n";

static const char cuda[] =
    "#include <cstdio>\n"
    "extern \"C\" __global__ void where(int *p) {\n"
    "    p[threadIdx.x] = 0x11111111;\n"
    "}\n"
    "extern \"C\" __global__ void fault(int *p) { p[1 << 28] = 1; }\n"
    "extern \"C\" __global__ void forever(volatile int *p) {\n"
    "    while (*p != 42) {\n"
    "    }\n"
    "}\n"
    "int main(int argc, char **) {\n"
    "    int *d = nullptr, n = 0;\n"
    "    printf(\"%s\\n\", cudaGetErrorName(cudaMalloc(&d, 256)));\n"
    "    fflush(stdout);\n"
    "    argc > 2   ? forever<<<1, 1>>>(d)\n"
    "    : argc > 1 ? fault<<<1, 1>>>(d)\n"
    "               : where<<<1, 64>>>(d);\n"
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

static bool build_fake(void) {
    char source[PATH_MAX], command[2 * PATH_MAX];
    if (realpath("tests/built/fake_cuda.c", source) == NULL) {
        return false;
    }
    snprintf(command, sizeof command,
             "cc -w -shared -fPIC -o %s/libfake.so '%s'", folder, source);
    snprintf(source, sizeof source, "%s/libfake.so", folder);
    setenv("TILECOPY_LIBCUDA", source, 1);
    return system(command) == 0;
}

static bool enter_folder(void) {
    setenv("XDG_STATE_HOME", folder, 1); /* history */
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("PAGER", "cat", 1);
    setenv("NO_COLOR", "1", 1);
    return chdir(folder) == 0 && write_file("k.ptx", ptx) &&
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

/* A child, or 0. */
static int child_of(int of) {
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

/* The device process of a program on a terminal, or 0: the child of the one that
 * works, which is the child of the one that the shell started. */
static int device_process(int of) {
    int worker = child_of(of);
    return worker > 0 ? child_of(worker) : 0;
}

static bool ends_soon(int pid) {
    for (int i = 0; i < 900 && parent_of(pid) != 0; i++) {
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

static const char where[] = "launch where 1 64 u8[256]";
static const char fault[] = "launch fault 1 64 u8[256]";
static const char good[] = "256 bytes changed";

/* Begins a kernel that never ends; its process. */
static int begin_forever(terminal *t) {
    terminal_send(t, "launch forever 1 64 u8[256]\n");
    terminal_settle(t, begun_ms);
    return device_process(t->pid);
}

static void leave(terminal *t) {
    terminal_send(t, CTRL_D);
    CHECK(NULL, terminal_finish(t) == 0);
}

static void test_fault(void) {
    terminal t = start("k.ptx");
    CHECK(&t, device_process(t.pid) == 0); /* not before it is needed */
    CHECK(&t, answers(&t, where, good));
    int first = device_process(t.pid);
    CHECK(&t, answers(&t, fault, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    CHECK(&t, answers(&t, where, good));
    int second = device_process(t.pid);
    CHECK(&t, first != 0 && second != 0 && first != second);
    CHECK(&t, answers(&t, where, good));
    CHECK(&t, device_process(t.pid) == second); /* it stays */
    leave(&t);
    CHECK(NULL, ends_soon(second));
}

static void end(int pid) {
    CHECK(NULL, pid > 0);
    if (pid > 0) { /* 0 would be this group */
        kill(pid, SIGKILL);
    }
}

/* Somebody ends the device process: while it has nothing to do, nobody sees
 * it. */
static void test_crash(void) {
    terminal t = start("k.ptx");
    CHECK(&t, answers(&t, where, good));
    end(device_process(t.pid));
    CHECK(&t, answers(&t, where, good));
    end(begin_forever(&t));
    CHECK(&t, terminal_expect(&t, "the GPU's process ended by signal 9"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, where, good));
    leave(&t);
}

/* Ctrl-C ends the kernel, and at an empty prompt nothing. */
static void test_interrupt(void) {
    terminal t = start("k.ptx");
    CHECK(&t, answers(&t, where, good));
    CHECK(&t, terminal_reads_keys(&t));
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "^C\n"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    int idle = device_process(t.pid);
    CHECK(&t, begin_forever(&t) == idle && idle != 0);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "the kernel was stopped while it was still "
                                  "running on the GPU"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, ends_soon(idle));
    CHECK(&t, answers(&t, where, good));
    leave(&t);
}

static void test_killed(bool busy) {
    terminal t = start("k.ptx");
    CHECK(&t, answers(&t, where, good));
    int process = busy ? begin_forever(&t) : device_process(t.pid);
    CHECK(&t, process != 0);
    kill(t.pid, SIGKILL);
    CHECK(NULL, terminal_finish(&t) == 128 + SIGKILL);
    CHECK(NULL, ends_soon(process));
}

static bool is_built(void) {
    char command[PATH_MAX + 64];
    snprintf(command, sizeof command, "'%s' exec k.cu </dev/null >out 2>&1",
             program);
    if (system(command) == 0) {
        return true;
    }
    bool none = system("grep -q 'there is no CUDA compiler' out") == 0;
    puts(none ? "SKIPPED: no nvcc found" : "k.cu cannot be run");
    failed += !none;
    return false;
}

/* A CUDA program's fault is its own until it ends. */
static void test_program(void) {
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
    terminal_send(&t, "run x y\n");
    CHECK(&t, terminal_expect(&t, "cudaSuccess\n"));
    terminal_settle(&t, begun_ms);
    terminal_send(&t, CTRL_C);
    CHECK(&t, terminal_expect(&t, "^C\n"));
    CHECK(&t, terminal_expect(&t, PROMPT));
    CHECK(&t, answers(&t, "run", "cudaSuccess 11111111\n"));
    leave(&t);
}

/* Simulator and GPU, whose memory is compared. */
static void test_both(void) {
    char command[PATH_MAX + 128];
    snprintf(command, sizeof command,
             "'%s' exec --backend both k.cu </dev/null >out 2>&1 &&"
             " test \"$(grep -c 'cudaSuccess 11111111' out)\" = 2",
             program);
    CHECK(NULL, system(command) == 0);
}

int main(int argc, char **argv) {
    char clean[64];
    bool real = argc > 2 && strcmp(argv[2], "real") == 0;
    begun_ms = real ? 3000 : begun_ms;
    program = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (program == NULL || mkdtemp(folder) == NULL ||
        (!real && !build_fake()) || !enter_folder()) {
        fputs("usage: pty_gpu TILECOPY_REPL [real], where tests/built is\n",
              stderr);
        return 2;
    }
    test_fault();
    test_crash();
    test_interrupt();
    test_killed(false);
    test_killed(true);
    if (is_built()) {
        test_program();
        test_both();
    }
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(clean) != 0) {
        perror("pty_gpu: cleaning up");
    }
    free(program);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
