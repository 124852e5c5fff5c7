/* test_stamps - kernels with time stamps in them: the text is still PTX (ptxas,
 * where there is one, takes it), the results are those without, and each warp's
 * stamps come in order. */
#include "base/buf.h"
#include "commands/time/stamped.h"
#include "run/stamps.h"
#include "session/session.h"
#include "sim/sim.h"
#include "trace/draw/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static tc_arena *arena;

static const tc_ptx_module *parse(const char *text) {
    tc_source *src = TC_NEW(arena, tc_source);
    tc_diags d = {NULL, NULL, 0};
    *src = (tc_source){"t.ptx", text, strlen(text), 1};
    const tc_ptx_module *m = tc_ptx_parse(arena, src, &d);
    assert_non_null(m);
    return m;
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    tc_buf b = TC_BUF_INIT;
    if (f == NULL) {
        fail_msg("cannot open %s", path);
    }
    tc_buf_read(&b, f);
    fclose(f);
    return tc_buf_finish(&b, arena);
}

enum { BYTES = 1 << 16 };

/* Runs a kernel whose parameters are buffers, then the stamps if it has some;
 * out gets the last buffer's bytes, stamps theirs. */
static void run(const char *text, const char *entry, uint32_t threads,
                int nbuffers, uint8_t *out, tc_stamp *stamps) {
    tc_diags d = {NULL, NULL, 0};
    tc_sim_options o = {
        .arch = "sm_90a", .timing = true, .completion = TC_COMPLETE_TIMING};
    tc_sim *s = tc_sim_new(parse(text), &o, &d);
    uint64_t params[8];
    tc_sim_allocation *last = NULL;
    for (int i = 0; i < nbuffers; i++) {
        last = tc_sim_alloc(s, BYTES, "b");
        params[i] = last->address;
        for (int k = 0; k < BYTES; k++) {
            last->bytes[k] = (uint8_t)(k * 7 + i);
        }
    }
    uint64_t bytes = sizeof(tc_stamp) * TC_STAMPS * TC_STAMP_WARPS;
    tc_sim_allocation *kept = tc_sim_alloc(s, bytes, "stamps");
    params[nbuffers] = kept->address;
    tc_sim_launch l = {.entry = entry,
                       .grid = {1, 1, 1},
                       .block = {threads, 1, 1},
                       .params = (uint8_t *)params,
                       .nparams = 8 * (uint32_t)(nbuffers + (stamps != NULL))};
    tc_sim_result r;
    assert_true(tc_sim_run(s, &l, &d, &r));
    assert_int_equal(r.status, TC_RUN_OK);
    memcpy(out, last->bytes, BYTES);
    if (stamps != NULL) {
        memcpy(stamps, kept->bytes, bytes);
    }
    tc_sim_free(s);
}

/* ptxas, if there is one, takes the text. */
static void assemble(const char *text) {
    char path[] = "/tmp/test_stamps.XXXXXX", command[256];
    int fd = mkstemp(path);
    if (system("command -v ptxas >/dev/null 2>&1") == 0) {
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        snprintf(command, sizeof command,
                 "ptxas -arch=sm_90a -o /dev/null %s 2>&1", path);
        assert_int_equal(system(command), 0);
    }
    close(fd);
    unlink(path);
}

static int check_warp(const tc_stamp *s, int nplaces) {
    int n = 3;
    assert_int_equal(s[0].place, 1);
    assert_int_equal(s[2].place, 3);
    for (; s[n].place != 0; n++) {
        assert_true(s[n].clock >= s[n - 1].clock);
        assert_true(s[n].place / TC_STAMP_FIRST <= (uint64_t)nplaces);
    }
    return n - 3;
}

static void check(const char *file, const char *entry, uint32_t threads,
                  int nbuffers) {
    char *text = read_file(file);
    const tc_ptx_module *m = parse(text);
    const char *why = "";
    tc_stamped made;
    static uint8_t before[BYTES], after[BYTES];
    tc_stamp *stamps = calloc(TC_STAMP_WARPS, TC_STAMPS * sizeof *stamps);
    if (!tc_stamps_add(arena, m, tc_ptx_find_entry(m, entry), text, -1, &made,
                       &why)) {
        fail_msg("%s: %s", file, why);
    }
    assert_true(made.nplaces > 0);
    assemble(made.ptx);
    run(text, entry, threads, nbuffers, before, NULL);
    run(made.ptx, entry, threads, nbuffers, after, stamps);
    assert_memory_equal(before, after, BYTES);
    for (uint32_t w = 0; w < threads / 32; w++) {
        assert_true(check_warp(stamps + w * TC_STAMPS, made.nplaces) > 0);
    }
    free(stamps);
}

static void test_pipelines(void **state) {
    (void)state;
    check("tests/mutants/cp_async_stages_ok.ptx", "cp_async_stages_ok", 64, 2);
    check("tests/mutants/bulk_load_ok.ptx", "bulk_load_ok", 64, 2);
    check("tests/mutants/pipeline_ok.ptx", "pipeline_ok", 64, 2);
}

/* One warp alone is stamped. */
static void test_one_warp(void **state) {
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p0)\n{\n"
        "  .reg .pred %p<2>; .reg .b64 %r<2>; .reg .b32 %a<2>;\n"
        "  ld.param.u64 %r0, [p0];\n  mov.u32 %a0, %tid.x;\n"
        "  setp.eq.u32 %p0, %a0, 0;\n"
        "  @%p0 st.global.u32 [%r0], %a0; bar.sync 0;\n  ret;\n}\n";
    const tc_ptx_module *m = parse(text);
    const char *why = "";
    tc_stamped made;
    static uint8_t out[BYTES];
    tc_stamp *stamps = calloc(TC_STAMP_WARPS, TC_STAMPS * sizeof *stamps);
    (void)state;
    assert_true(tc_stamps_add(arena, m, tc_ptx_find_entry(m, "k"), text, 1,
                              &made, &why));
    assert_int_equal(made.nplaces, 1);
    assert_true(made.places[1].waits);
    assemble(made.ptx);
    run(made.ptx, "k", 96, 1, out, stamps);
    assert_int_equal(stamps[0].place, 0);
    assert_int_equal(check_warp(stamps + TC_STAMPS, 1), 2);
    assert_int_equal(stamps[2 * TC_STAMPS].place, 0);
    free(stamps);
}

/* ---- a program's run, on the simulator as a device ---- */

static void no_output(void *user, const char *text, size_t len) {
    (void)user;
    (void)text;
    (void)len;
}

/* Tensor maps are made for the device's own buffers: what comes out is what the
 * run without stamps left. */
static void test_tensor_maps(void **state) {
    (void)state;
    const char *why = "";
    char failed[512] = "";
    tc_options o = tc_options_default();
    o.arch = "sm_90a";
    tc_session *s = tc_session_new(&o, NULL, no_output, NULL);
    assert_int_equal(tc_session_load(s, "lessons/tma.py"), TC_OK);
    assert_int_equal(tc_session_eval(s, "run"), TC_OK);
    const tc_last_run *run = s->program.run;
    const tc_ptx_func *f = tc_ptx_find_entry(run->module, run->entry);
    tc_stamped stamped;
    tc_stamped_run out;
    assert_true(
        tc_stamps_add(arena, run->module, f, run->ptx, -1, &stamped, &why));
    tc_device_module m = {.ptx = parse(stamped.ptx), .ptx_text = stamped.ptx};
    tc_device_options d = {.sim = {.arch = "sm_90a",
                                   .timing = true,
                                   .completion = TC_COMPLETE_TIMING},
                           .module = &m};
    if (!tc_stamped_measure(arena, run, &stamped, &tc_device_sim, &d, &out,
                            (tc_gpu_complaint){failed, sizeof failed})) {
        fail_msg("%s", failed);
    }
    assert_true(out.same);
    assert_int_equal(out.n, 4);
    assert_true(out.warps[0].n > 4);
    /* and as the timeline draws it, beside itself */
    tc_trace *t = tc_stamped_trace(&out);
    tc_model *x = tc_model_new(t);
    tc_print_style style = {100, 0, false};
    tc_buf text = TC_BUF_INIT;
    tc_print_pair(&text, x, "measured", x, "simulated", &style);
    const char *a = strstr(tc_buf_text(&text), "warp 0 measured  ");
    const char *b = strstr(tc_buf_text(&text), "warp 0 simulated ");
    assert_non_null(a);
    assert_non_null(b);
    assert_memory_equal(a + 17, b + 17, 40); /* one axis */
    assert_non_null(memchr(a, 'W', 90));
    assert_non_null(memchr(a, 't', 90));
    assert_non_null(strstr(tc_buf_text(&text), "warp 3 simulated"));
    tc_buf_free(&text);
    tc_model_free(x);
    tc_trace_free(t);
    tc_session_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipelines),
                                       cmocka_unit_test(test_one_warp),
                                       cmocka_unit_test(test_tensor_maps)};
    arena = tc_arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tc_arena_free(arena);
    return failed;
}
