/* The device process over a stand-in for the driver that, as the real one, does
 * nothing more for a process that has had a fault: what ends it, what begins a
 * new one, and what it has of this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_library.h"
#include "gpu/host.h"
#include "gpu/remote.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

static char why[640];
static const tc_gpu_complaint complaint = {why, sizeof why};
static char program[4096]; /* this one */

static int set_up(void **state) {
    (void)state;
    fake_forget();
    fake("LIVE", counts);
    *why = '\0';
    return setenv("TILECOPY_LIBCUDA", library, 1);
}

/* --- kernels ---------------------------------------------------------------*/

static tc_gpu *open_gpu(tc_gpu_host *h) {
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_non_null(g);
    return g;
}

static bool run(tc_gpu *g, const char *entry, const atomic_int *cancel) {
    static uint8_t in[64], out[64];
    static int32_t n = 64;
    static uint8_t what = 5;
    tc_gpu_arg args[4] = {{in, sizeof in, true, NULL},
                          {out, sizeof out, true, NULL},
                          {&n, sizeof n, false, NULL},
                          {&what, sizeof what, false, NULL}};
    tc_gpu_launch l = {.ptx = ".version 7.0",
                       .entry = entry,
                       .shape = {.grid = {2, 1, 1}, .block = {128, 1, 1}},
                       .args = args,
                       .nargs = 4};
    tc_gpu_result r;
    in[63] = 9;
    out[63] = 0;
    bool ok = tc_gpu_cuda.run(g, &l, cancel, &r, why, sizeof why);
    if (ok && strcmp(entry, "add") == 0) {
        assert_int_equal(out[63], 14);
        assert_true(r.kernel_ms == 0.5);
    }
    return ok;
}

/* What another tc_gpu of h can do: all there is. */
static void assert_works(tc_gpu_host *h) {
    *why = '\0';
    tc_gpu *g = open_gpu(h);
    assert_true(run(g, "add", NULL));
    tc_gpu_cuda.close(g);
}

/* Neither there nor a zombie of ours. */
static void assert_gone(int pid) {
    assert_int_equal(kill(pid, 0), -1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- its life --------------------------------------------------------------*/

static void test_stays(void **state) {
    (void)state;
    tc_gpu_host *h = tc_gpu_host_new();
    assert_int_equal(h->pid, 0); /* not before it is needed */
    assert_works(h);
    int pid = h->pid;
    assert_int_not_equal(pid, 0);
    assert_works(h);
    assert_int_equal(h->pid, pid);
    tc_gpu *g = open_gpu(h);
    assert_null(tc_gpu_cuda.open(h, why, sizeof why)); /* one at a time */
    assert_non_null(strstr(why, "serves one at a time"));
    assert_true(run(g, "add", NULL));
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
    assert_gone(pid);
    tc_gpu_host_free(NULL);
}

static void test_fault(void **state) {
    (void)state;
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = open_gpu(h);
    int pid = h->pid;
    assert_false(run(g, "fault", NULL));
    assert_non_null(strstr(why, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    *why = '\0';
    assert_false(run(g, "add", NULL)); /* for its tc_gpu the fault stays */
    assert_non_null(strstr(why, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    assert_int_equal(tc_remote_lost(g), 700);
    tc_gpu_cuda.close(g);
    assert_gone(pid);
    assert_works(h);
    assert_int_not_equal(h->pid, pid);
    tc_gpu_host_free(h);
}

/* An error while a kernel runs, of whatever kind, is a fault. */
static void test_failed_wait(void **state) {
    (void)state;
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = open_gpu(h);
    fake("FAIL", "cuEventQuery");
    assert_false(run(g, "add", NULL));
    assert_non_null(strstr(why, "running the kernel on the GPU: cuEventQuery "
                                "failed with CUDA_ERROR_OUT_OF_MEMORY (2)"));
    fake("FAIL", NULL);
    assert_false(run(g, "add", NULL));
    tc_gpu_cuda.close(g);
    assert_works(h);
    tc_gpu_host_free(h);
}

static void test_crash(void **state) {
    (void)state;
    static const char *const apis[] = {"cuLaunchKernel", "cuMemAlloc_v2",
                                       "cuMemcpyDtoH_v2", "cuModuleUnload"};
    tc_gpu_host *h = tc_gpu_host_new();
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        tc_gpu *g = open_gpu(h);
        fake("CRASH", apis[i]);
        bool last = strcmp(apis[i], "cuModuleUnload") == 0; /* all is done */
        assert_int_equal(run(g, "add", NULL), last);
        assert_true(last || strcmp(why, "the GPU's process ended by signal 9 "
                                        "(Killed)") == 0);
        assert_int_equal(tc_remote_lost(g), TC_CU_UNKNOWN);
        fake("CRASH", NULL);
        tc_gpu_cuda.close(g);
        assert_works(h);
    }
    fake("CRASH", "cuInit");
    tc_gpu_host_free(h);
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "ended by signal 9"));
}

/* Between two tc_gpus, by a stranger; who may have collected it too. */
static void test_killed(void **state) {
    (void)state;
    tc_gpu_host *h = tc_gpu_host_new();
    for (int collected = 0; collected < 2; collected++) {
        assert_works(h);
        kill(h->pid, SIGKILL);
        while (collected && waitpid(h->pid, NULL, 0) != h->pid) {
        }
        assert_works(h);
    }
    tc_gpu_host_free(h);
}

static void test_cancel(void **state) {
    (void)state;
    atomic_int cancel = 1;
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = open_gpu(h);
    int pid = h->pid;
    double since = now();
    fake("BUSY", "1000000");
    assert_false(run(g, "add", &cancel));
    assert_string_equal(
        why, "the kernel was stopped while it was still running on the GPU");
    assert_int_equal(tc_remote_lost(g), TC_CU_LAUNCH_TIMEOUT);
    assert_true(now() - since < 5); /* of a thousand seconds */
    assert_gone(pid);
    tc_gpu_cuda.close(g);
    fake("BUSY", NULL);
    assert_works(h);
    tc_gpu_host_free(h);
}

/* --- with this process -----------------------------------------------------*/

/* Gone, or a zombie that somebody else will collect. */
static bool has_ended(int pid) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return true;
    }
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    const char *name = strrchr(text, ')');
    return n == 0 || (name != NULL && strncmp(name, ") Z", 3) == 0);
}

/* Whoever has a device process, idle or in a kernel, is killed. */
static void check_orphan(bool busy) {
    int ends[2], pid = 0;
    char first;
    assert_int_equal(pipe(ends), 0);
    fake("BUSY", busy ? "1000000" : NULL);
    pid_t owner = fork();
    if (owner == 0) {
        tc_gpu_host *h = tc_gpu_host_new();
        tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
        bool told = g != NULL && write(ends[1], &h->pid, sizeof h->pid) > 0;
        while (told && (!busy || run(g, "add", NULL))) {
            pause();
        }
        _exit(1);
    }
    assert_int_equal(read(ends[0], &pid, sizeof pid), sizeof pid);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    assert_false(has_ended(pid));
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    for (int i = 0; i < 3000 && !has_ended(pid); i++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_true(has_ended(pid));
    close(ends[1]);
    assert_int_equal(read(ends[0], &first, 1), 0); /* nobody has it open */
    close(ends[0]);
}

static void test_orphan(void **state) {
    (void)state;
    check_orphan(false);
    check_orphan(true);
}

/* What is open there: not what is open here. */
static void test_descriptors(void **state) {
    (void)state;
    char path[64], seen[64] = "";
    int others[8];
    for (int i = 0; i < 8; i++) {
        others[i] = open("/dev/null", O_RDONLY); /* without FD_CLOEXEC */
    }
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = open_gpu(h);
    snprintf(path, sizeof path, "/proc/%d/fd", h->pid);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        int fd = atoi(e->d_name);
        if (e->d_name[0] != '.' && fd < 60) {
            seen[fd] = 'x';
        }
    }
    closedir(d);
    assert_string_equal(seen, "xxxxx");
    tc_gpu_cuda.close(g);
    /* and what is here of it goes at exec */
    assert_true(fcntl(h->socket, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(h->printed, F_GETFD) & FD_CLOEXEC);
    tc_gpu_host_free(h);
    for (int i = 0; i < 8; i++) {
        close(others[i]);
    }
}

/* Ctrl-C at the terminal is for the foreground's group. */
static void test_group(void **state) {
    (void)state;
    tc_gpu_host *h = tc_gpu_host_new();
    assert_works(h);
    assert_int_equal(getpgid(h->pid), h->pid);
    tc_gpu_host_free(h);
}

static void test_descriptors_taken(void **state) {
    (void)state;
    int in = dup(0), out = dup(1);
    fflush(stdout);
    close(0); /* its sockets and files have low numbers here */
    close(1);
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    bool ok = g != NULL && run(g, "add", NULL);
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
    dup2(in, 0);
    dup2(out, 1);
    close(in);
    close(out);
    assert_true(ok);
}

/* A program whose main does not ask first. */
static void test_guard(void **state) {
    (void)state;
    setenv(TC_GPU_ENV, "1", 1);
    assert_null(tc_gpu_cuda.open(NULL, why, sizeof why));
    assert_non_null(strstr(why, "cannot have one of its own"));
    unsetenv(TC_GPU_ENV);
    char command[5000], *argv[] = {program, NULL};
    int status;
    assert_false(tc_gpu_process(1, argv, &status));
    /* and one that is told so, but has nobody to serve */
    snprintf(command, sizeof command, "'%s' %s 3</dev/null 4<&3 >/dev/null",
             program, TC_GPU_ARGUMENT);
    assert_int_not_equal(system(command), 0);
}

/* --- bytes -----------------------------------------------------------------*/

/* More than the pages that both have, and not a multiple. */
static void test_large(void **state) {
    (void)state;
    enum { WORDS = (9 << 20) / 4 + 3, BYTES = WORDS * 4 };
    uint32_t *a = malloc(BYTES), *b = calloc(WORDS, 4);
    uint64_t base = UINT64_C(0x200000000000), bytes = UINT64_C(1) << 37;
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu *g = open_gpu(h);
    for (uint32_t i = 0; i < WORDS; i++) {
        a[i] = i * 2654435761U;
    }
    assert_true(tc_remote_range(g, &base, &bytes, complaint));
    assert_int_equal(tc_remote_use(g, base + 256, BYTES, complaint), 0);
    assert_int_equal(tc_remote_put(g, base + 256, a, BYTES, complaint), 0);
    assert_true(tc_remote_ms(g) > 0);
    assert_int_equal(tc_remote_get(g, b, base + 256, BYTES, complaint), 0);
    assert_memory_equal(a, b, BYTES);
    assert_int_equal(tc_remote_fill(g, base + 260, 7, BYTES - 8, complaint), 0);
    assert_int_equal(tc_remote_get(g, b, base + 256, BYTES, complaint), 0);
    assert_true(b[0] == a[0] && b[WORDS - 1] == a[WORDS - 1]);
    assert_true(b[1] == 0x07070707 && b[WORDS - 2] == 0x07070707);
    assert_int_equal(tc_remote_move(g, base + 256, base + 260, 4, complaint),
                     0);
    assert_int_equal(tc_remote_get(g, b, base + 256, 4, complaint), 0);
    assert_true(b[0] == 0x07070707);
    assert_int_equal(tc_remote_put(g, base, a, 0, complaint), 0);
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
    free(a);
    free(b);
}

static void keep(void *user, const char *text, size_t n) {
    strncat(user, text, n);
}

static void test_printed(void **state) {
    (void)state;
    char all[256] = "";
    int32_t n = 7;
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu_arg arg = {&n, sizeof n, false, NULL};
    tc_gpu_launch l = {.ptx = ".version 7.0",
                       .entry = "hello",
                       .shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}},
                       .args = &arg,
                       .nargs = 1,
                       .print = keep,
                       .print_user = all};
    tc_gpu *g = open_gpu(h);
    tc_gpu_result r;
    for (int i = 0; i < 2; i++, n++) {
        assert_true(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    }
    assert_string_equal(all, "hello 7 from block 0\nhello 8 from block 0\n");
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
}

int main(int argc, char **argv) {
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
#define FAKE(test) cmocka_unit_test_setup(test, set_up)
    const struct CMUnitTest tests[] = {
        FAKE(test_stays),       FAKE(test_fault),
        FAKE(test_failed_wait), FAKE(test_crash),
        FAKE(test_killed),      FAKE(test_cancel),
        FAKE(test_orphan),      FAKE(test_descriptors),
        FAKE(test_group),       FAKE(test_descriptors_taken),
        FAKE(test_guard),       FAKE(test_large),
        FAKE(test_printed),
    };
    return cmocka_run_group_tests(tests, build_fake, remove_fake);
}
