/* test_checker_memory.c - what the checker takes: at most 64 MB and three times
 * the bytes touched (first_pass.h, shadow.h). Each kernel in a process of its
 * own, once bare and once checked; the peaks are compared. Sanitizers keep a
 * shadow themselves: nothing is measured under them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/arena.h"
#include "sim/sim.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEGABYTE (1 << 20)
enum { BYTES = 8 * MEGABYTE, BLOCK = 256 };

typedef struct kernel {
    const char *name;
    uint32_t each; /* bytes of A and of B that a thread touches */
    bool finds;    /* the second pass looks, and has findings */
    const char *body;
} kernel;

/* Of thread r1 of the grid: its bytes of A and B at rd1 and rd2. */
static const char head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %%rd<9>;\n.reg .b32 %%r<9>;\n.reg .pred %%p<2>;\n"
    "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
    "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\n"
    "mad.lo.u32 %%r1, %%r1, 256, %%r2;\nmul.wide.u32 %%rd3, %%r1, %u;\n"
    "add.u64 %%rd1, %%rd1, %%rd3;\nadd.u64 %%rd2, %%rd2, %%rd3;\n";

static const kernel kernels[] = {
    {"words in a row", 4, false,
     "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd2], %r3;\n"},
    {"16 bytes each", 16, false,
     "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1];\n"
     "st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6};\n"},
    {"words, two loads and stores", 8, false,
     "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd2+4], %r3;\n"
     "ld.global.u32 %r3, [%rd1+4];\nst.global.u32 [%rd2], %r3;\n"},
    {"bytes", 1, false,
     "ld.global.u8 %r3, [%rd1];\nst.global.u8 [%rd2], %r3;\n"},
    {"atomics", 4, false,
     "ld.global.u32 %r3, [%rd1];\nred.global.add.u32 [%rd2], %r3;\n"},
    {"with findings", 4, true,
     "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd2], %r3;\n"
     "setp.gt.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r4, [%rd2+-4];\n"},
};

static void say(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static int execute(const kernel *k, bool hazards) {
    tc_arena *arena = tc_arena_new();
    tc_diags d = {.fn = say};
    char *text = tc_format(arena, head, k->each); /* the only %u of it */
    text = tc_format(arena, "%s%sret;\n}\n", text, k->body);
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){"k.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    tc_sim_options o = {.hazards = hazards};
    tc_sim *sim = m ? tc_sim_new(m, &o, &d) : NULL;
    if (!sim) {
        return 2;
    }
    tc_sim_allocation *a = tc_sim_alloc(sim, BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(sim, BYTES, "B");
    memset(a->bytes, 1, BYTES);
    memset(b->bytes, 2, BYTES);
    uint64_t params[] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {BYTES / BLOCK / k->each, 1, 1},
                       .block = {BLOCK, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_sim_result r;
    bool ran = tc_sim_run(sim, &l, &d, &r);
    return ran && (r.nfindings > 0) == (hazards && k->finds) ? 0 : 1;
}

/* Peak in KiB. */
static long peak(const kernel *k, bool hazards) {
    struct rusage use = {0};
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(execute(k, hazards));
    }
    assert_true(pid > 0 && wait4(pid, &status, 0, &use) == pid);
    if (status != 0) {
        fail_msg("%s: hazards %d: status %d", k->name, hazards, status);
    }
    return use.ru_maxrss;
}

static bool sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

static void within_bounds(void **state) {
    (void)state;
    if (sanitized()) {
        skip();
    }
    const long most = 64 * 1024 + 3 * (2 * BYTES / 1024);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kernel *k = &kernels[i];
        long over = peak(k, true) - peak(k, false);
        print_message("%-30s %6.1f MB of %.0f\n", k->name, (double)over / 1024,
                      (double)most / 1024);
        if (over > most) {
            fail_msg("%s: the checker takes %ld KiB, at most %ld", k->name,
                     over, most);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
