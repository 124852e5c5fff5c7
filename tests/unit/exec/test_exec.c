/* What becomes of a CUDA program's launches: one finding for one defect, lists
 * that end, differences, names of memory; and a few programs through nvcc. The
 * annotated programs (tests/harness/programs.c) and tests/pages/exec.md have
 * the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

static const char cu[] = "__global__ void bump(int *p) {\n"
                         "    p[0] = 1;\n"
                         "    p[1] = 2;\n"
                         "}\n";

/* What nvcc makes of it, cut short. */
static const char ptx[] = ".version 8.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".file 1 \"bump.cu\"\n"
                          ".visible .entry _Z4bumpPi(.param .u64 p)\n"
                          "{\n"
                          "    .reg .b64 %rd<3>;\n"
                          "    .reg .b32 %r<3>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    .loc 1 2 5\n"
                          "    mov.u32 %r1, 1;\n"
                          "    st.global.u32 [%rd1], %r1;\n"
                          "    .loc 1 3 5\n"
                          "    mov.u32 %r2, 2;\n"
                          "    st.global.u32 [%rd1+4], %r2;\n"
                          "    ret;\n"
                          "}\n";

/* A program whose launches a test makes up. */
typedef struct fixture {
    tc_session *s;
    tc_loaded *file;
    tc_exec *e;
    tc_cuda cuda;
    tc_toolchain none;
    tc_sim_launch launch;
    tc_device_launched result;
    tc_device_memory memory[2];
    tc_program_launch l;
} fixture;

static const tc_source *source(tc_arena *a, const char *name,
                               const char *text) {
    tc_source *src = TC_NEW(a, tc_source);
    *src = (tc_source){tc_strdup(a, name), text, strlen(text), 1};
    return src;
}

static void set_up(fixture *f) {
    tc_options o = tc_options_default();
    memset(f, 0, sizeof *f);
    f->s = tc_session_new(&o, NULL, NULL, NULL);
    tc_arena *a = tc_arena_new();
    f->file = tc_loaded_cuda(f->s, a, source(a, "bump.ptx", ptx),
                             source(a, "bump.cu", cu), NULL);
    assert_non_null(f->file);
    tc_loaded_retain(f->s, f->file);
    f->cuda.toolchain = &f->none;
    f->cuda.build.program = "none";
    f->e = tc_xcalloc(1, sizeof *f->e);
    f->e->session = f->s;
    f->e->arena = tc_arena_new();
    f->e->file = f->file;
    f->e->cuda = &f->cuda;
    f->e->source = "bump.cu";
    f->e->backend = "both";
    f->s->last_exec = (tc_last_exec){f->e, f->file, tc_exec_free};
    f->launch = (tc_sim_launch){
        .entry = "_Z4bumpPi", .grid = {2, 1, 1}, .block = {64, 1, 1}};
    f->memory[0] = (tc_device_memory){
        .address = 0x200000001000, .bytes = 4096, .name = "d_x"};
    f->memory[1] = (tc_device_memory){
        .address = 0x200000003000, .bytes = 100, .name = "d_y"};
    f->result.simulated = true;
    f->l = (tc_program_launch){.kernel = &f->file->module->funcs[0],
                               .launch = &f->launch,
                               .result = &f->result,
                               .memory = f->memory,
                               .nmemory = 2,
                               .backend = &tc_device_sim};
}

static void tear_down(fixture *f) {
    tc_session_free(f->s);
}

/* The nth store of the kernel. */
static const tc_ptx_op *store(const fixture *f, int nth) {
    const tc_ptx_module *m = f->file->module;
    for (uint32_t i = 0; i < m->ncode; i++) {
        if (m->code[i].opcode == TC_PTX_ST && nth-- == 0) {
            return &m->code[i];
        }
    }
    return NULL;
}

static tc_finding race_at(const tc_ptx_op *op) {
    tc_access who = {.valid = true, .op = op, .group = -2};
    return (tc_finding){.kind = TC_FINDING_DATA_RACE,
                        .space = TC_PS_GLOBAL,
                        .address = 0x200000001010,
                        .bytes = 4,
                        .to = 4,
                        .at = who,
                        .cause = who};
}

static void test_one_defect(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tc_finding found[2] = {race_at(store(&f, 0)), race_at(store(&f, 1))};
    f.result.sim.status = TC_RUN_FINDINGS;
    f.result.sim.findings = found;
    for (int i = 0; i < 3000; i++) { /* the second from launch 101 on */
        f.result.sim.nfindings = i < 100 ? 1 : 2;
        tc_exec_launched(f.e, &f.l);
    }
    assert_int_equal(f.e->nfindings, 2);
    assert_int_equal(f.e->findings[0].launches, 3000);
    assert_int_equal(f.e->findings[1].launches, 2900);
    assert_int_equal(f.e->findings[1].first, 101);
    assert_int_equal(f.e->launches, 3000);
    assert_int_equal(f.e->nkernels, TC_EXEC_KERNELS);
    tc_buf b = TC_BUF_INIT;
    tc_exec_findings_text(f.e, &b);
    assert_non_null(strstr(b.data, "bump.cu:2:5: finding: data-race\n"));
    assert_non_null(strstr(b.data, "in 3,000 launches of bump, first in "
                                   "number 1\n"));
    assert_non_null(strstr(b.data, "bump.cu:3:5: finding: data-race\n"));
    assert_non_null(strstr(b.data, "in 2,900 launches of bump, first in "
                                   "number 101\n"));
    tc_buf_free(&b);
    json_t *j = tc_exec_json(f.e);
    json_t *first = json_array_get(json_object_get(j, "findings"), 1);
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 3);
    assert_int_equal(json_integer_value(json_object_get(first, "times")), 2900);
    assert_int_equal(json_array_size(json_object_get(j, "kernels")), 1000);
    assert_int_equal(json_integer_value(json_object_get(j, "launches")), 3000);
    assert_string_equal(json_string_value(json_object_get(j, "status")),
                        "findings");
    json_decref(j);
    f.e->result = (tc_program_result){.end = TC_PROGRAM_EXITED};
    assert_int_equal(tc_exec_status(f.e), 1);
    f.e->result.status = 9;
    assert_int_equal(tc_exec_status(f.e), 9);
    tear_down(&f);
}

/* What the host does more than once is one finding too; what only the pedantic
 * want to know is none otherwise. */
static void test_host(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tc_host_finding twice = {
        .kind = TC_HOST_DOUBLE_FREE, .message = "freed again", .where = 0x1234};
    tc_host_finding leak = {
        .kind = TC_HOST_LEAK, .message = "never freed", .where = 0x99};
    tc_host_finding lacks = {.kind = TC_HOST_UNBUILT,
                             .message = "cudaGraphLaunch is not built"};
    for (int i = 0; i < 1000; i++) {
        tc_exec_misused(f.e, &twice);
        tc_exec_misused(f.e, &leak);
        tc_exec_misused(f.e, &lacks);
    }
    assert_int_equal(f.e->nfindings, 1);
    assert_int_equal(f.e->nnotes, 1);
    f.e->pedantic = true;
    tc_exec_misused(f.e, &leak);
    assert_int_equal(f.e->nfindings, 2);
    for (uint64_t i = 0; i < 1000; i++) { /* in a thousand places */
        leak.where = 0x1000 + i;
        tc_exec_misused(f.e, &leak);
    }
    assert_int_equal(f.e->nfindings, TC_EXEC_FINDINGS);
    assert_int_equal(f.e->findings_left_out, 1002 - TC_EXEC_FINDINGS);
    tc_buf b = TC_BUF_INIT;
    tc_exec_findings_text(f.e, &b);
    assert_non_null(strstr(b.data, "bump.cu: cudaGraphLaunch is not built\n"));
    assert_non_null(strstr(b.data, "bump.cu: finding: host-double-free\n"
                                   "  freed again\n"));
    assert_non_null(strstr(b.data, "(and 746 more findings)\n"));
    tc_buf_free(&b);
    tear_down(&f);
}

/* 1.0 and 2.0 where the fifth float of d_x is. */
static void test_differences(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tc_device_difference d[20] = {{.address = 0x200000001000,
                                   .offset = 16,
                                   .bytes = 3,
                                   .sim = {0, 0, 0x80, 0x3f},
                                   .gpu = {0, 0, 0, 0x40}}};
    for (int i = 1; i < 20; i++) {
        d[i] = d[0];
    }
    f.result.differences = d;
    f.result.ndifferences = 20;
    tc_exec_launched(f.e, &f.l);
    assert_int_equal(f.e->ndifferences, 20);
    assert_int_equal(tc_exec_status(f.e), 1);
    tc_buf b = TC_BUF_INIT;
    tc_exec_findings_text(f.e, &b);
    const char want[] =
        "bump.cu: difference: after launch 1 of the program, bump,\n"
        "  d_x+16 holds 0x3f800000 (1065353216, or 1) on the simulator\n"
        "  and 0x40000000 (1073741824, or 2) on the GPU; 3 bytes differ of "
        "4,096\n";
    assert_memory_equal(b.data, want, sizeof want - 1);
    assert_non_null(strstr(b.data, "(and 4 more differences)\n"));
    tc_buf_free(&b);
    json_t *j = tc_exec_json(f.e);
    json_t *first = json_array_get(json_object_get(j, "differences"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "buffer")),
                        "d_x");
    assert_memory_equal(json_string_value(json_object_get(first, "sim")),
                        "0000803f", 8);
    json_decref(j);
    tear_down(&f);
}

/* INTERFACE.md's statuses, and what is said of each. */
static void test_ends(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    static const struct {
        tc_program_end end;
        int status, want;
        const char *said;
    } ends[] = {
        {TC_PROGRAM_EXITED, 0, 0, NULL},
        {TC_PROGRAM_EXITED, 77, 77, NULL},
        {TC_PROGRAM_SIGNALLED, 6, 134, "was ended by signal 6: Aborted"},
        {TC_PROGRAM_STOPPED, 0, 1, "was stopped: a kernel could never end"},
        {TC_PROGRAM_TIMEOUT, 0, 114, "was stopped by the time limit"},
        {TC_PROGRAM_CANCELLED, 0, 130, "was stopped by Ctrl-C"},
        {TC_PROGRAM_NO_GPU, 0, 110, "the program could not be run"},
        {TC_PROGRAM_NOT_STARTED, 0, 1, "the program could not be run"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        tc_buf b = TC_BUF_INIT;
        const char *hint;
        f.e->result =
            (tc_program_result){.end = ends[i].end, .status = ends[i].status};
        assert_int_equal(tc_exec_status(f.e), ends[i].want);
        bool said = tc_exec_explain(f.e, &b, &hint);
        assert_int_equal(said, ends[i].said != NULL);
        assert_true(!said || strstr(b.data, ends[i].said) != NULL);
        tc_buf_free(&b);
    }
    tear_down(&f);
}

static void test_names_of_memory(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int nth;
        const char *name;
    } lines[] = {
        {"    cudaMalloc(&d_x, n * sizeof(float));", 0, "d_x"},
        {"CHECK(cudaMalloc((void **)&d_y, bytes));", 0, "d_y"},
        {"cudaMalloc(&a, 4); cudaMalloc(&b, 4);", 1, "b"},
        {"if (cudaMallocManaged(&in.data[k + 1], 8) != 0)", 0,
         "in.data[k + 1]"},
        {"cudaHostAlloc( reinterpret_cast<void**>(&h), 4, 0);", 0, "h"},
        {"cudaMalloc<float>(&node->next, 8);", 0, "node->next"},
        {"cudaMallocAsync(&q, 8, stream);", 0, "q"},
        {"cudaFree(d_x);", 0, NULL},
        {"cudaMalloc", 0, NULL},
        {"cudaMalloc(", 0, NULL},
        {"cudaMalloc((void", 0, NULL},
        {"cudaMalloc(&x[", 0, NULL},
        {"cudaMalloc(&d_x, 4);", 1, NULL},
    };
    tc_arena *a = tc_arena_new();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *name = tc_exec_allocated(
            a, lines[i].text, strlen(lines[i].text), lines[i].nth);
        if (lines[i].name == NULL) {
            assert_null(name);
        } else {
            assert_non_null(name);
            assert_string_equal(name, lines[i].name);
        }
    }
    tc_arena_free(a);
}

/* Itanium C++ ABI, 5.1. */
static void test_names_of_kernels(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"_Z5saxpyifPKfPf", "saxpy"},
        {"_Z5saxpyIfEviT_PKS0_PS0_", "saxpy"},
        {"_ZN4demo3runEPf", "run"},
        {"_ZN12_GLOBAL__N_14coreEv", "core"},
        {"_ZN4demo6kernelILi4EEEvPf", "kernel"},
        {"_ZL6hiddenPi", "hidden"},
        {"plain", "plain"},
        {"_Z", "_Z"},
        {"_Z9short", "_Z9short"},
        {"_ZN", "_ZN"},
        {"_Z99999999999999999999x", "_Z99999999999999999999x"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len;
        const char *name = tc_kernel_name(names[i][0], &len);
        assert_int_equal(len, strlen(names[i][1]));
        assert_memory_equal(name, names[i][1], len);
    }
}

/* One kernel's text: heading to brace, whatever comments have. */
static void test_kernel_text(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    tc_buf b = TC_BUF_INIT;
    tc_cuda_kernel_text(f.file, f.l.kernel, false, &b);
    assert_memory_equal(b.data, ".visible .entry _Z4bumpPi(", 26);
    assert_memory_equal(b.data + b.len - 11, "    ret;\n}\n", 11);
    tc_buf_free(&b);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_defect),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_names_of_memory),
        cmocka_unit_test(test_names_of_kernels),
        cmocka_unit_test(test_kernel_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
