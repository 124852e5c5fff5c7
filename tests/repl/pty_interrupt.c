/* pty_interrupt.c PROGRAM [CASE] - Ctrl-C at the prompt in whatever is long:
 * the prompt is back after at most 100 ms of the processor (some times that is
 * allowed here, and more under a sanitizer), and the session goes on. With CASE
 * that one; prints what each took. */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROMPT "tilecopy> "
#define CTRL_C "\003"

#define NEEDS_NVCC (-1.0)
/* Milliseconds of the processor that are allowed. */
enum { ALLOWED_MS = 400, UNDER_SANITIZER = 10 };

static char folder[] = "/tmp/tilecopy-interrupt-XXXXXX";
static int passed, failed;

typedef struct long_work {
    const char *name;
    const char *before; /* commands, each with its \r */
    const char *command;
    double after_s; /* Ctrl-C after so much of the session's processor time;
                       NEEDS_NVCC: when a compiler is at work */
} long_work;

/* ---- what is long ---- */

static const char kernels[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry empty(){ret;}\n"
    ".visible .entry spin(.param .u64 p){\n"
    "    .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "L:  ld.volatile.global.u32 %r1, [%rd1];\n"
    "    add.u32 %r1, %r1, 1;\n"
    "    st.volatile.global.u32 [%rd1], %r1;\n"
    "    setp.ne.u32 %p, %r1, 0;\n"
    "    @%p bra L;\n"
    "    bra L;\n"
    "}\n"
    ".visible .entry races(.param .u64 p){\n"
    "    .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "L:  st.global.u32 [%rd1], %r1;\n"
    "    bra L;\n"
    "}\n"
    ".visible .entry counts(.param .u64 p, .param .u32 n){\n"
    "    .reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;\n"
    "L:  add.u32 %r1, %r1, 1;\n"
    "    st.global.u32 [%rd1], %r1;\n"
    "    setp.lt.u32 %p, %r1, %r2;\n"
    "    @%p bra L;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry bulk(.param .u64 in){\n"
    "    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;\n"
    "    .shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar;\n"
    "    ld.param.u64 %rd1, [in];\n"
    "    mov.u32 %r1, tile;\n"
    "    mov.u32 %r2, bar;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    setp.ne.u32 %p, %r3, 0;\n"
    "    @%p bra L;\n"
    "    mbarrier.init.shared::cta.b64 [%r2], 64;\n"
    "L:  bar.sync 0;\n"
    "    mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r2], 1024;\n"
    "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r1], [%rd1], 1024, [%r2];\n"
    "    ret;\n"
    "}\n";

#define SPIN "launch spin 1000 256 u32[64]\r"
#define BOTH(what, cmd)                                                        \
    {what ", timing off, hazards off",                                         \
     "load k.ptx\rset timing off\rset hazards off\r", cmd, 0.3},               \
        {what ", timing off, hazards on",                                      \
         "load k.ptx\rset timing off\rset hazards on\r", cmd, 0.3},            \
        {what ", timing on, hazards off",                                      \
         "load k.ptx\rset timing on\rset hazards off\r", cmd, 0.3},            \
    {                                                                          \
        what ", timing on, hazards on",                                        \
            "load k.ptx\rset timing on\rset hazards on\r", cmd, 0.3            \
    }

/* Some seconds of a trace. */
#define COUNTS "load k.ptx\rset hazards off\rlaunch counts 64 256 u32[4] 5000\r"

static const long_work works[] = {
    BOTH("spin", SPIN),
    BOTH("empty blocks", "launch empty 2147483647 1\r"),
    BOTH("races", "launch races 64 1024 u32[64]\r"),
    BOTH("bulk copies", "launch bulk 1000000 64 u8[1024]\r"),
    {"timeline, which runs it again", COUNTS, "timeline --text\r", 0.3},
    {"export chrome, its run", COUNTS, "export chrome t.json\r", 0.3},
    {"export html, its end", COUNTS, "export html t.html\r", 0.9},
    {"a long PTX file", "", "load long.ptx\r", 0.2},
    {"a long program", "", "load long.py\r", 0.2},
    {"a line of 4 MB that is wrong", "", "load wrong.py\r", 0.05},
    {"a line of 4 MB that is wrong, later", "", "load wrong.py\r", 0.15},
    {"a launch of 100,000 calls, timed", "load calls.ptx\rset timing on\r",
     "launch k 1 32\r", 0.05},
    {"a launch of a long kernel", "load half.ptx\rset timing on\r",
     "launch k 1 32\r", 0.05},
    {"nvcc", "", "load bomb.cu\r", NEEDS_NVCC},
    {"nvcc for a grade", "", "grade maxpool15 bomb.cu\r", NEEDS_NVCC},
};

static FILE *made(const char *name) {
    FILE *f = fopen(name, "w");
    if (f == NULL) {
        perror(name);
        exit(1);
    }
    return f;
}

static void repeat(FILE *f, const char *text, int n) {
    for (int i = 0; i < n; i++) {
        fputs(text, f);
    }
}

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static void make_files(void) {
    FILE *f = made("k.ptx");
    fputs(kernels, f);
    fclose(f);
    static const struct {
        const char *name;
        int n;
    } adds[] = {{"long.ptx", 380000}, {"half.ptx", 300000}};
    for (int i = 0; i < 2; i++) {
        f = made(adds[i].name);
        fputs(HEAD ".visible .entry k(){ .reg .b32 %r<9>;\n", f);
        repeat(f, "add.u32 %r1, %r2, 3;\n", adds[i].n);
        fputs("ret; }\n", f);
        fclose(f);
    }
    f = made("long.py");
    repeat(f, "x = (1 + 2) * 3\n", 480000);
    fclose(f);
    f = made("wrong.py");
    fputs("x = ", f);
    repeat(f, "1+", 2000000);
    fputs("$ 2\n", f);
    fclose(f);
    f = made("bomb.cu");
    fputs("template<int N,int M> struct T{ static const long "
          "v=T<N-1,M*2>::v+T<N-1,M*2+1>::v; };\n"
          "template<int M> struct T<0,M>{ static const long v=M; };\n"
          "long z=T<28,0>::v;\n__global__ void k(){}\n",
          f);
    fclose(f);
    f = made("calls.ptx");
    fputs(HEAD ".func f(){ret;}\n.visible .entry k(){\n", f);
    repeat(f, "call f;\n", 100000);
    fputs("ret; }\n", f);
    fclose(f);
}

/* ---- the measure ---- */

/* The prompt is a process of its own, the first child of the one started. */
static pid_t worker(pid_t of) {
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", of, of);
    FILE *f = fopen(path, "r");
    if (f == NULL || fscanf(f, "%d", &pid) != 1) {
        pid = of;
    }
    if (f != NULL) {
        fclose(f);
    }
    return pid;
}

/* cudafe++ or cicc, whom nvcc calls, is somewhere below. */
static bool has_compiler(pid_t of) {
    char path[64], name[32] = "";
    int child;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/comm", of);
    FILE *f = fopen(path, "r");
    if (f != NULL) {
        found =
            fgets(name, sizeof name, f) &&
            (strcmp(name, "cicc\n") == 0 || strcmp(name, "cudafe++\n") == 0);
        fclose(f);
    }
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", of, of);
    f = fopen(path, "r");
    while (f != NULL && !found && fscanf(f, "%d", &child) == 1) {
        found = has_compiler(child);
    }
    if (f != NULL) {
        fclose(f);
    }
    return found;
}

static double used_s(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t)) {
        return -1;
    }
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool at_prompt(const terminal *t) {
    const char *from = tc_buf_text(&t->out) + t->mark;
    return t->mark <= t->out.len && strstr(from, PROMPT) != NULL;
}

static bool commands(terminal *t, const char *keys) {
    char line[256];
    while (*keys != '\0') {
        size_t n = strcspn(keys, "\r") + 1;
        snprintf(line, sizeof line, "%.*s", (int)n, keys);
        terminal_send(t, line);
        if (!terminal_expect(t, PROMPT)) {
            return false;
        }
        keys += n;
    }
    return true;
}

static void verdict(const long_work *w, bool ok, const char *what,
                    const terminal *t) {
    if (ok) {
        passed++;
        return;
    }
    failed++;
    size_t from = t->out.len > 600 ? t->out.len - 600 : 0;
    printf("pty_interrupt: failed: %s: %s\n--- the screen's end:\n%s\n---\n",
           w->name, what, tc_buf_text(&t->out) + from);
}

static void interrupt(const long_work *w, terminal *t, double allowed_ms) {
    pid_t pid = worker(t->pid);
    double begin = used_s(pid), until = now_s() + 30;
    terminal_send(t, w->command);
    while (now_s() < until && !at_prompt(t) &&
           (w->after_s < 0 ? !has_compiler(pid)
                           : used_s(pid) - begin < w->after_s)) {
        terminal_settle(t, 1);
    }
    bool over = at_prompt(t);
    verdict(w, !over, "it was over before Ctrl-C", t);
    if (over) {
        return;
    }
    begin = used_s(pid);
    double clock = now_s();
    terminal_send(t, CTRL_C);
    verdict(w, terminal_expect(t, PROMPT), "no prompt", t);
    double ms = (used_s(pid) - begin) * 1e3;
    printf("%-42s %6.1f ms of the processor, %6.1f by the clock\n", w->name, ms,
           (now_s() - clock) * 1e3);
    verdict(w, ms >= 0 && ms <= allowed_ms, "it takes too long", t);
}

static bool has_nvcc(void) {
    return system("command -v \"${TILECOPY_NVCC:-nvcc}\" >/dev/null 2>&1 ||"
                  " [ -x /usr/local/cuda/bin/nvcc ]") == 0;
}

static void play(char *program, const long_work *w, double allowed_ms) {
    char *argv[] = {program, NULL};
    terminal t = terminal_start(argv);
    verdict(w, terminal_expect(&t, PROMPT), "no first prompt", &t);
    verdict(w, commands(&t, w->before), "what comes before", &t);
    interrupt(w, &t, allowed_ms);
    terminal_send(&t, "6*7\r"); /* nothing is lost */
    verdict(w, terminal_expect(&t, "\n42\n" PROMPT), "6*7 is not 42", &t);
    terminal_send(&t, "quit\r");
    verdict(w, terminal_finish(&t) == 0, "it does not quit", &t);
    fflush(stdout);
}

int main(int argc, char **argv) {
    char *program = argc > 1 ? realpath(argv[1], NULL) : NULL;
    if (program == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        fputs("usage: pty_interrupt PROGRAM [CASE]\n", stderr);
        return 2;
    }
    setenv("HOME", folder, 1);
    setenv("TERM", "xterm", 1);
    setenv("TILECOPY_PTXAS", "none", 1);
    unsetenv("XDG_STATE_HOME");
    make_files();
    double allowed = ALLOWED_MS;
#ifdef __SANITIZE_ADDRESS__
    allowed *= UNDER_SANITIZER;
#endif
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (argc > 2 && strstr(works[i].name, argv[2]) == NULL) {
            continue;
        }
        if (works[i].after_s < 0 && !has_nvcc()) {
            printf("SKIPPED: %s: no CUDA compiler here\n", works[i].name);
        } else {
            play(program, &works[i], allowed);
        }
    }
    tc_buf clear = TC_BUF_INIT;
    tc_buf_printf(&clear, "rm -rf '%s'", folder);
    if (chdir("/") != 0 || system(tc_buf_text(&clear)) != 0) {
        failed++;
    }
    tc_buf_free(&clear);
    free(program);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
