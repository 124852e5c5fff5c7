/* A GPU elsewhere (relay.c, worker.c: this program at both ends, a shell script
 * as the way between them) and one that several want (queue.c), over the
 * stand-in for the driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_library.h"
#include "gpu/host.h"
#include "gpu/queue.h"
#include "gpu/remote.h"
#include "gpu/stream.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char why[640];
static char program[512]; /* this one, called tilecopy-repl */
static char way[512];     /* the runner's script */
static char heard[4096];  /* why an open waited, a line each */
static pid_t holder;      /* to be killed when that is heard; 0: nobody */

static int set_up(void **state) {
    (void)state;
    fake_forget();
    *why = *heard = '\0';
    return setenv("TILECOPY_LIBCUDA", library, 1);
}

/* The way there: a script of sh, where $worker starts the far end. */
static tc_gpu_host *far_away(const char *script) {
    FILE *f = fopen(way, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nworker='%s --gpu-worker'\n%s\n", program, script);
    fclose(f);
    chmod(way, 0755);
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu_host_runner(h, way);
    return h;
}

enum { MOST = 1 << 20 }; /* that the stand-in gives */

static bool run(tc_gpu *g, const char *entry, size_t bytes,
                const atomic_int *cancel) {
    uint8_t *in = calloc(1, bytes), *out = calloc(1, bytes);
    int32_t n = (int32_t)bytes;
    uint8_t what = 5;
    tc_gpu_arg args[4] = {{in, bytes, true, NULL},
                          {out, bytes, true, NULL},
                          {&n, sizeof n, false, NULL},
                          {&what, sizeof what, false, NULL}};
    tc_gpu_launch l = {.ptx = ".version 7.0",
                       .entry = entry,
                       .shape = {.grid = {2, 1, 1}, .block = {128, 1, 1}},
                       .args = args,
                       .nargs = 4};
    tc_gpu_result r;
    for (size_t i = 0; i < bytes; i++) {
        in[i] = (uint8_t)(i * 7 + i / 256);
    }
    bool ok = tc_gpu_cuda.run(g, &l, cancel, &r, why, sizeof why);
    for (size_t i = 0; ok && i < bytes; i++) {
        assert_int_equal(out[i], (uint8_t)(i * 7 + i / 256 + 5));
    }
    free(in);
    free(out);
    return ok;
}

static void assert_works(tc_gpu_host *h) {
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    if (g == NULL) {
        print_error("%s\n", why);
    }
    assert_non_null(g);
    assert_string_equal(tc_remote_device(g)->name, "Fake GPU");
    assert_true(run(g, "add", 64, NULL));
    tc_gpu_cuda.close(g);
}

static void assert_refused(const char *script, const char *text) {
    tc_gpu_host *h = far_away(script);
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    if (g != NULL || strstr(why, text) == NULL) {
        print_error("wanted: %s\ngot: %s\n", text, why);
    }
    assert_null(g);
    assert_non_null(strstr(why, text));
    tc_gpu_host_free(h);
}

/* --- there and back --------------------------------------------------------*/

static void test_bytes(void **state) {
    (void)state;
    tc_gpu_host *h = far_away("exec $worker");
    assert_works(h);
    int pid = h->pid;
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_non_null(g);
    assert_int_equal(h->pid, pid); /* one connection */
    assert_true(run(g, "add", MOST, NULL));
    assert_true(run(g, "add", 1, NULL));
    uint64_t base = UINT64_C(0x200000000000), bytes = UINT64_C(1) << 37;
    tc_gpu_complaint c = {why, sizeof why};
    assert_true(tc_remote_range(g, &base, &bytes, c));
    enum { LARGE = 2 * TC_GPU_STAGING + 12345 }; /* pieces */
    uint8_t *a = calloc(1, LARGE), *b = calloc(1, LARGE);
    for (size_t i = 0; i < LARGE; i++) {
        a[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
    }
    assert_int_equal(tc_remote_use(g, base, LARGE, c), 0);
    assert_int_equal(tc_remote_put(g, base, a, LARGE, c), 0);
    assert_int_equal(tc_remote_get(g, b, base, LARGE, c), 0);
    assert_memory_equal(a, b, LARGE);
    free(a);
    free(b);
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
}

static void keep(void *user, const char *text, size_t n) {
    strncat(user, text, n);
}

static void test_printed(void **state) {
    (void)state;
    char all[256] = "";
    int32_t n = 7;
    tc_gpu_host *h = far_away("exec $worker");
    tc_gpu_arg arg = {&n, sizeof n, false, NULL};
    tc_gpu_launch l = {.ptx = ".version 7.0",
                       .entry = "hello",
                       .shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}},
                       .args = &arg,
                       .nargs = 1,
                       .print = keep,
                       .print_user = all};
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_non_null(g);
    tc_gpu_result r;
    for (int i = 0; i < 2; i++, n++) {
        assert_true(tc_gpu_cuda.run(g, &l, NULL, &r, why, sizeof why));
    }
    assert_string_equal(all, "hello 7 from block 0\nhello 8 from block 0\n");
    tc_gpu_cuda.close(g);
    tc_gpu_host_free(h);
}

/* What a shell's start files say is skipped, whatever it is. */
static void test_start_files(void **state) {
    (void)state;
    static const char *const says[] = {
        "echo welcome to box", "printf 'no newline'", "printf '\\n\\n\\n'",
        "printf 'a tilecopy-gpu-worker 9 \\n\\ntilecopy'",
        "head -c 5000 /dev/urandom"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        char script[256];
        snprintf(script, sizeof script, "%s\nexec $worker", says[i]);
        tc_gpu_host *h = far_away(script);
        assert_works(h);
        tc_gpu_host_free(h);
    }
}

/* --- what goes wrong -------------------------------------------------------*/

static void test_no_way(void **state) {
    (void)state;
    assert_refused("echo 'ssh: connect to host box port 22: Connection refused'"
                   " >&2; exit 255",
                   "ended with status 255: ssh: connect to host box port 22: "
                   "Connection refused");
    assert_refused("echo 'sh: tilecopy-repl: not found' >&2; exit 127",
                   "ended with status 127: sh: tilecopy-repl: not found");
    assert_refused("exit 0", "ended with status 0");
    assert_refused("printf '\\033[2Jred' >&2; exit 1", "status 1:  [2Jred");
    assert_refused("yes", "prints much, and no greeting");
    assert_refused("printf '\\ntilecopy-gpu-worker 0.0.1 format 0, 1 2 "
                   "little\\n'; sleep 100",
                   "the tilecopy-repl there is 0.0.1 format 0, 1 2 little, and "
                   "this one ");
    tc_gpu_host *h = tc_gpu_host_new();
    tc_gpu_host_runner(h, "/nonexistent/ssh box");
    assert_null(tc_gpu_cuda.open(h, why, sizeof why));
    assert_non_null(strstr(why, "No such file or directory"));
    tc_gpu_host_runner(h, NULL); /* here again */
    assert_works(h);
    tc_gpu_host_free(h);
}

/* There is no GPU there: it says what it would say here. */
static void test_no_gpu(void **state) {
    (void)state;
    fake("DEVICES", "0");
    assert_refused("exec $worker", "cuDeviceGetCount finds no device");
    assert_refused("TILECOPY_LIBCUDA=/none.so exec $worker",
                   "the NVIDIA driver's library /none.so cannot be loaded");
}

static void test_dies(void **state) {
    (void)state;
    static const struct {
        const char *script, *text;
    } rows[] = {
        {"rm -f $0.fifo; mkfifo $0.fifo; exec 4<&0; $worker <&4 >$0.fifo &\n"
         "exec dd bs=1 count=3000 status=none if=$0.fifo",
         "in the middle of the work, the runner"},
        {"rm -f $0.fifo; mkfifo $0.fifo; exec 4<&0; $worker <&4 >$0.fifo &\n"
         "exec <$0.fifo; dd bs=1 count=3000 status=none; echo reboot in five "
         "minutes; exec cat",
         "something else there writes to standard output"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_gpu_host *h = far_away(rows[i].script);
        tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
        assert_non_null(g);
        assert_false(run(g, "add", MOST, NULL));
        if (strstr(why, rows[i].text) == NULL) {
            print_error("%s\n", why);
        }
        assert_non_null(strstr(why, rows[i].text));
        assert_int_equal(tc_remote_lost(g), TC_CU_UNKNOWN);
        tc_gpu_cuda.close(g);
        tc_gpu_host_free(h);
    }
    fake("CRASH", "cuLaunchKernel");
    tc_gpu_host *h = far_away("exec $worker");
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_non_null(g);
    assert_false(run(g, "add", 64, NULL));
    assert_non_null(strstr(why, "the GPU's process there ended by signal 9"));
    tc_gpu_cuda.close(g);
    fake("CRASH", NULL);
    assert_works(h);
    g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_false(run(g, "fault", 64, NULL));
    assert_non_null(strstr(why, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    tc_gpu_cuda.close(g);
    assert_works(h);
    tc_gpu_host_free(h);
}

/* A kernel that never ends goes with what asked for it: nobody has the pipe
 * that all of the far end has. */
static void test_cancel(void **state) {
    (void)state;
    char script[600], byte;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(script, sizeof script, "echo $$ >%s.pid\nexec $worker", way);
    tc_gpu_host *h = far_away(script);
    tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
    assert_non_null(g);
    close(ends[1]);
    fake("BUSY", "1000000");
    atomic_int cancel = 1;
    assert_false(run(g, "add", 64, &cancel));
    assert_int_equal(tc_remote_lost(g), TC_CU_LAUNCH_TIMEOUT);
    tc_gpu_cuda.close(g);
    fake("BUSY", NULL);
    snprintf(script, sizeof script, "%s.pid", way);
    FILE *f = fopen(script, "r");
    int pid = 0;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    fclose(f);
    unlink(script);
    int ms = 0;
    while (ms < 30000 && kill(pid, 0) == 0) {
        nanosleep(&(struct timespec){0, 20 * 1000000}, NULL);
        ms += 20;
    }
    assert_true(ms < 30000);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    assert_works(h);
    tc_gpu_host_free(h);
}

/* --- the queue -------------------------------------------------------------*/

static void test_places(void **state) {
    (void)state;
    enum { N = 5 };
    tc_gpu_queue q[N];
    for (int i = 0; i < N; i++) {
        tc_gpu_queue_join(&q[i], "places");
        assert_true(q[i].fd >= 0);
        assert_int_equal(tc_gpu_queue_before(&q[i]), i);
    }
    tc_gpu_queue_leave(&q[2]); /* gone, from the middle */
    assert_int_equal(tc_gpu_queue_before(&q[4]), 3);
    tc_gpu_queue_leave(&q[0]);
    assert_int_equal(tc_gpu_queue_before(&q[1]), 0);
    tc_gpu_queue_join(&q[0], "places"); /* again, at the end */
    assert_int_equal(tc_gpu_queue_before(&q[0]), 3);
    for (int i = 0; i < N; i++) {
        tc_gpu_queue_leave(&q[i]);
    }
    tc_gpu_queue_join(&q[0], "places");
    assert_int_equal(tc_gpu_queue_before(&q[0]), 0);
    tc_gpu_queue_leave(&q[0]);
}

static void test_no_queue(void **state) {
    (void)state;
    char path[256];
    tc_gpu_queue q, other;
    snprintf(path, sizeof path, "%s/tilecopy-gpu-link.queue", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    tc_gpu_queue_join(&q, "link"); /* no link is followed */
    assert_true(q.fd < 0);
    assert_int_equal(tc_gpu_queue_before(&q), 0);
    unlink(path);
    setenv("TILECOPY_GPU_QUEUE", "off", 1);
    tc_gpu_queue_join(&q, "x");
    tc_gpu_queue_join(&other, "x");
    assert_int_equal(tc_gpu_queue_before(&other), 0);
    setenv("TILECOPY_GPU_QUEUE", folder, 1);
}

static void hear(void *user, const char *text) {
    (void)user;
    strncat(heard, text, sizeof heard - strlen(heard) - 2);
    strcat(heard, "\n");
    if (holder != 0) {
        kill(holder, SIGKILL);
        waitpid(holder, NULL, 0);
        holder = 0;
    }
}

/* A process that has the GPU until it is killed. */
static pid_t hold(tc_gpu_host *h) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        tc_gpu *g = tc_gpu_cuda.open(h, why, sizeof why);
        if (g != NULL && write(ends[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return pid;
}

/* Here, and where the GPU is elsewhere: one waits, says so, and goes on when
 * who had the GPU is gone. */
static void check_turn(tc_gpu_host *h, tc_gpu_host *other) {
    fake("BUS", "0000:01:00.0");
    holder = hold(other);
    tc_gpu_host_listen(h, hear, NULL, NULL);
    assert_works(h);
    assert_string_equal(heard, "the GPU is in use; waiting: 1 before you\n");
    assert_int_equal(holder, 0);
    *heard = '\0';
    assert_works(h); /* nobody is there */
    assert_string_equal(heard, "");
    tc_gpu_host_free(h);
    tc_gpu_host_free(other);
}

static void test_turn(void **state) {
    (void)state;
    check_turn(tc_gpu_host_new(), tc_gpu_host_new());
    check_turn(far_away("exec $worker"), tc_gpu_host_new());
    check_turn(tc_gpu_host_new(), far_away("exec $worker"));
}

static void test_stops_waiting(void **state) {
    (void)state;
    atomic_int cancel = 1;
    fake("BUS", "0000:01:00.0");
    tc_gpu_host *h = tc_gpu_host_new(), *other = tc_gpu_host_new();
    pid_t pid = hold(other);
    tc_gpu_host_listen(h, NULL, NULL, &cancel);
    assert_null(tc_gpu_cuda.open(h, why, sizeof why));
    assert_string_equal(why, "stopped while it was waiting for the GPU");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    cancel = 0;
    assert_works(h);
    tc_gpu_host_free(h);
    tc_gpu_host_free(other);
}

static int begin(void **state) {
    char exe[512] = "";
    int failed = build_fake(state);
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    snprintf(program, sizeof program, "%s/tilecopy-repl", folder);
    snprintf(way, sizeof way, "%s/way", folder);
    setenv("TILECOPY_GPU_QUEUE", folder, 1);
    return failed || n <= 0 || symlink(exe, program) != 0;
}

static int end(void **state) {
    char path[600];
    unlink(program);
    unlink(way);
    snprintf(path, sizeof path, "%s.fifo", way);
    unlink(path);
    snprintf(path, sizeof path, "%s.pid", way);
    unlink(path);
    static const char *const names[] = {"places", "0000:01:00.0"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/tilecopy-gpu-%s.queue", folder,
                 names[i]);
        unlink(path);
    }
    return remove_fake(state);
}

int main(int argc, char **argv) {
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
#define FAKE(test) cmocka_unit_test_setup(test, set_up)
    const struct CMUnitTest tests[] = {
        FAKE(test_bytes),  FAKE(test_printed),      FAKE(test_start_files),
        FAKE(test_no_way), FAKE(test_no_gpu),       FAKE(test_dies),
        FAKE(test_cancel), FAKE(test_places),       FAKE(test_no_queue),
        FAKE(test_turn),   FAKE(test_stops_waiting)};
    return cmocka_run_group_tests(tests, begin, end);
}
