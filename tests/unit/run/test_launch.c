/* Arguments of `launch`, its GPU path with the stand-in for the driver, and
 * what loading .ptx files does to a session. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "load/outline.h"
#include "run/launch_arg.h"
#include "tilecopy.h"
#include "tool.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- arguments -------------------------------------------------------------*/

typedef struct bits_case {
    const char *word;
    tc_arg_class takes;
    uint32_t size;
    uint64_t bits;
} bits_case;

/* IEEE 754 and bfloat16 by hand; the integers are their own bits. */
static const bits_case good[] = {
    {"7", TC_TAKES_INT, 4, 7},
    {"-1", TC_TAKES_INT, 2, 0xffff},
    {"-128", TC_TAKES_INT, 1, 0x80},
    {"255", TC_TAKES_INT, 1, 0xff},
    {"0xffffffffffffffff", TC_TAKES_INT, 8, UINT64_MAX},
    {"0x1f", TC_TAKES_BITS, 4, 0x1f},
    {"7u64", TC_TAKES_INT, 8, 7},
    {"7s32", TC_TAKES_INT, 4, 7},
    {"2.5", TC_TAKES_FLOAT, 4, 0x40200000},
    {"2.5f", TC_TAKES_BITS, 4, 0x40200000},
    {"2", TC_TAKES_FLOAT, 4, 0x40000000},
    {"-3", TC_TAKES_FLOAT, 8, 0xc008000000000000},
    {"7f", TC_TAKES_FLOAT, 4, 0x40e00000},
    {"0.1", TC_TAKES_FLOAT, 4, 0x3dcccccd},
    {"0.1", TC_TAKES_FLOAT, 8, 0x3fb999999999999a},
    {"1e3", TC_TAKES_FLOAT, 4, 0x447a0000},
    {"inf", TC_TAKES_FLOAT, 4, 0x7f800000},
    {"-inf", TC_TAKES_FLOAT, 2, 0xfc00},
    {"nan", TC_TAKES_FLOAT, 4, 0x7fc00000},
    {"-0.0", TC_TAKES_FLOAT, 4, 0x80000000},
    {"1.0", TC_TAKES_FLOAT, 2, 0x3c00},
    {"65504.0", TC_TAKES_FLOAT, 2, 0x7bff},
    {"65519.0", TC_TAKES_FLOAT, 2, 0x7bff},
    {"65520.0", TC_TAKES_FLOAT, 2, 0x7c00},
    {"5.9604644775390625e-08", TC_TAKES_FLOAT, 2, 1},  /* 2^-24 */
    {"2.98023223876953125e-08", TC_TAKES_FLOAT, 2, 0}, /* a tie: to even */
    {"8.94069671630859375e-08", TC_TAKES_FLOAT, 2, 2}, /* 1.5 x 2^-24 */
    {"0.00006103515625", TC_TAKES_FLOAT, 2, 0x0400},   /* 2^-14 */
    {"0.000060975551605224609375", TC_TAKES_FLOAT, 2, 0x3ff},
    {"1.0", TC_TAKES_BFLOAT, 2, 0x3f80},
    {"1.00390625", TC_TAKES_BFLOAT, 2, 0x3f80}, /* 1 + 2^-8: a tie */
    {"1.01171875", TC_TAKES_BFLOAT, 2, 0x3f82}, /* 1 + 3 x 2^-8: a tie */
    {"1bf16", TC_TAKES_BITS, 2, 0x3f80},
    {"1f16", TC_TAKES_BITS, 2, 0x3c00},
};

static const bits_case bad[] = {
    {"256", TC_TAKES_INT, 1, 0},     {"-129", TC_TAKES_INT, 1, 0},
    {"2.5", TC_TAKES_INT, 4, 0},     {"7u64", TC_TAKES_INT, 4, 0},
    {"7u32", TC_TAKES_FLOAT, 4, 0},  {"2.5f", TC_TAKES_FLOAT, 8, 0},
    {"1f16", TC_TAKES_BFLOAT, 2, 0}, {"1bf16", TC_TAKES_FLOAT, 2, 0},
    {"1.5", TC_TAKES_BITS, 1, 0},
};

static void numbers(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_arg_value v;
    tc_arg_refusal why;
    uint8_t out[8];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const bits_case *c = &good[i];
        uint64_t bits = 0;
        assert_true(tc_arg_read(a, c->word, &v, &why));
        assert_true(tc_arg_bits(a, &v, c->takes, c->size, out, &why));
        for (int k = 7; k >= 0; k--) {
            bits = bits << 8 | out[k];
        }
        if (bits != c->bits) {
            print_error("%s: %llx\n", c->word, (unsigned long long)bits);
        }
        assert_int_equal(bits, c->bits);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(tc_arg_read(a, bad[i].word, &v, &why));
        assert_false(tc_arg_bits(a, &v, bad[i].takes, bad[i].size, out, &why));
        assert_non_null(why.message);
    }
    tc_arena_free(a);
}

static void words(void **state) {
    (void)state;
    static const char *const refused[] = {
        "",        "x",       "f32[]",
        "f32[0]",  "f32[-1]", "f32[4",
        "f32[4]x", "f32[4,]", "f32[1,2,3,4,5,6,7,8,9]",
        "f31[4]",  "[4]",     "7x",
        "--7",     "1.5u32",  "0x",
        "1e",      "nope",    "f32[99999999999]",
        "7e4m3",   "+",       "in",
        "2.5.5"};
    tc_arena *a = tc_arena_new();
    tc_arg_value v;
    tc_arg_refusal why;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (tc_arg_read(a, refused[i], &v, &why)) {
            print_error("taken: %s\n", refused[i]);
            fail();
        }
    }
    assert_true(tc_arg_read(a, "bf16[64,32]", &v, &why));
    assert_int_equal(v.kind, TC_ARG_BUFFER);
    assert_int_equal(v.type, TC_BFLOAT16);
    assert_int_equal(v.rank, 2);
    assert_int_equal(v.shape[0] * 1000 + v.shape[1], 64032);
    uint32_t d[3];
    assert_true(tc_arg_dims("4,2", 100, d));
    assert_int_equal(d[0] * 100 + d[1] * 10 + d[2], 421);
    static const char *const dims[] = {"",  "0",   "4,", "1,2,3,4",
                                       "x", "101", "-1", "4x"};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        assert_false(tc_arg_dims(dims[i], 100, d));
    }
    tc_arena_free(a);
}

/* --- a session -------------------------------------------------------------*/

static char folder[] = "/tmp/tilecopy-test-launch-XXXXXX";
static char library[64], add_path[64];

/* The fake driver's kernel "add", in PTX. */
static const char add_text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 in, .param .u64 out, .param .u32 n,\n"
    "                    .param .u8 what)\n"
    "{\n"
    "    .reg .b64 %rd<8>;\n    .reg .b32 %r<8>;\n    .reg .b16 %h<3>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [in];\n    ld.param.u64 %rd2, [out];\n"
    "    ld.param.u32 %r1, [n];\n    ld.param.u8 %h1, [what];\n"
    "    mov.u32 %r2, %tid.x;\n    mov.u32 %r3, %ctaid.x;\n"
    "    mad.lo.u32 %r2, %r3, 128, %r2;\n    setp.ge.u32 %p, %r2, %r1;\n"
    "    @%p bra done;\n    cvt.u64.u32 %rd3, %r2;\n"
    "    add.u64 %rd1, %rd1, %rd3;\n    add.u64 %rd2, %rd2, %rd3;\n"
    "    ld.global.u8 %h2, [%rd1];\n    add.u16 %h2, %h2, %h1;\n"
    "    st.global.u8 [%rd2], %h2;\ndone:\n    ret;\n}\n";

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The stand-in is in another process (fake_cuda.c). */
static void tell_fake(const char *name, const char *value) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, value);
}

static int set_up(void **state) {
    (void)state;
    char cache[128], command[256];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(library, sizeof library, "%s/libfake.so", folder);
    snprintf(add_path, sizeof add_path, "%s/add.ptx", folder);
    write_file(add_path, add_text);
    snprintf(command, sizeof command,
             "cc -w -shared -fPIC -o %s "
             "tests/built/fake_cuda.c",
             library);
    setenv("TILECOPY_LIBCUDA", library, 1);
    setenv("FAKE_CUDA_FOLDER", folder, 1);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("TILECOPY_CACHE", cache, 1);
    return system(command);
}

static int tear_down(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void on_output(void *user, const char *text, size_t len) {
    tc_buf_write(user, text, len);
}

static tc_session *new_session(tc_backend backend, tc_buf *out) {
    tc_options o = tc_options_default();
    o.json = true;
    o.backend = backend;
    return tc_session_new(&o, NULL, on_output, out);
}

static json_t *ask(tc_session *s, tc_buf *out, const char *command,
                   tc_status status) {
    tc_buf_clear(out);
    assert_int_equal(tc_session_eval(s, command), status);
    json_t *j = json_loads(tc_buf_text(out), 0, NULL);
    assert_non_null(j);
    return j;
}

static const char *hash_of(const json_t *reply, size_t i) {
    return json_string_value(json_object_get(
        json_array_get(json_object_get(reply, "buffers"), i), "fnv1a64"));
}

static const char launch_add[] = "launch add 2 128 u8[256] u8[256] 200 7";

/* The stand-in computes what the simulator does: the same hashes on each
 * path, and the comparison says so. */
static void backends(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT;
    char hashes[3][2][20] = {{""}};
    static const tc_backend all_backends[] = {TC_BACKEND_SIM, TC_BACKEND_GPU,
                                              TC_BACKEND_BOTH};
    for (int i = 0; i < 3; i++) {
        tc_session *s = new_session(all_backends[i], &out);
        assert_int_equal(tc_session_load(s, add_path), TC_OK);
        json_t *j = ask(s, &out, launch_add, TC_OK);
        for (size_t k = 0; k < 2; k++) {
            snprintf(hashes[i][k], sizeof hashes[i][k], "%s", hash_of(j, k));
        }
        const json_t *kernel = json_array_get(json_object_get(j, "kernels"), 0);
        bool counted =
            json_is_integer(json_object_get(kernel, "thread_instructions"));
        assert_int_equal(counted, all_backends[i] != TC_BACKEND_GPU);
        assert_int_equal(json_is_true(json_object_get(j, "equal")),
                         all_backends[i] == TC_BACKEND_BOTH);
        json_decref(j);
        j = ask(s, &out, "gpu", TC_OK); /* the same launch again */
        assert_true(json_is_true(json_object_get(j, "equal")));
        assert_string_equal(hash_of(j, 1), hashes[i][1]);
        json_decref(j);
        assert_false(tc_session_had_findings(s));
        tc_session_free(s);
    }
    assert_string_equal(hashes[0][0], hashes[1][0]);
    assert_string_equal(hashes[0][1], hashes[1][1]);
    assert_string_equal(hashes[0][1], hashes[2][1]);
    tc_buf_free(&out);
}

/* The stand-in answers a cluster only through cuLaunchKernelEx, and refuses
 * any but 2. */
static void clusters_and_memory(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT;
    char command[128];
    tc_session *s = new_session(TC_BACKEND_GPU, &out);
    assert_int_equal(tc_session_load(s, add_path), TC_OK);
    snprintf(command, sizeof command, "%s --cluster 2,1", launch_add);
    json_decref(ask(s, &out, command, TC_OK));
    snprintf(command, sizeof command, "%s --cluster 1,2", launch_add);
    json_decref(ask(s, &out, command, TC_NO_GPU));
    snprintf(command, sizeof command, "%s --smem 65536", launch_add);
    json_decref(ask(s, &out, command, TC_OK));
    tell_fake("FAIL", "cuFuncSetAttribute");
    json_decref(ask(s, &out, command, TC_NO_GPU));
    json_decref(ask(s, &out, launch_add, TC_OK)); /* 0 bytes: not asked */
    tell_fake("FAIL", "");
    tc_session_free(s);
    tc_buf_free(&out);
}

/* tests/ptx/device.ptx, whose managed variable the stand-in refuses to place,
 * with a plain one. */
static void write_unmanaged(const char *path) {
    static const char mark[] = ".attribute(.managed)";
    static char text[1 << 17];
    FILE *f = fopen("tests/ptx/device.ptx", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    for (char *at; (at = strstr(text, mark)) != NULL;) {
        memset(at, ' ', sizeof mark - 1);
    }
    write_file(path, text);
}

/* grid.sync(): the stand-in takes the kernel only as a cooperative one. */
static void whole_grids(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/grids.ptx", folder);
    write_unmanaged(path);
    tc_buf out = TC_BUF_INIT;
    static const tc_backend all_backends[] = {TC_BACKEND_GPU, TC_BACKEND_BOTH};
    for (int i = 0; i < 2; i++) {
        tc_session *s = new_session(all_backends[i], &out);
        assert_int_equal(tc_session_load(s, path), TC_OK);
        json_t *j = ask(s, &out, "launch grid_sum 4 64 i32[1] i32[4]", TC_OK);
        assert_int_equal(json_is_true(json_object_get(j, "equal")), i == 1);
        json_decref(j);
        tc_session_free(s);
    }
    tc_buf_free(&out);
}

/* "Used 12 registers" of vadd, as ptxas says it; 0: there is no ptxas. */
static int ptxas_says(void) {
    char path[512], command[1024], line[512];
    int n = 0;
    if (!have_tool("ptxas") || !have_tool("nvcc")) {
        return 0;
    }
    snprintf(command, sizeof command,
             "%s -v -arch=sm_90a -e vadd -o /dev/null tests/ptx/device.ptx "
             "2>&1",
             tool_path("ptxas", path, sizeof path));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *used = strstr(line, "Used ");
        n = used != NULL ? atoi(used + strlen("Used ")) : n;
    }
    pclose(f);
    return n;
}

static int registers_of(const char *ptxas, const char *timing,
                        const char *from) {
    tc_buf out = TC_BUF_INIT;
    char command[32];
    tc_session *s = new_session(TC_BACKEND_SIM, &out);
    setenv("TILECOPY_PTXAS", ptxas, 1);
    snprintf(command, sizeof command, "set timing %s", timing);
    json_decref(ask(s, &out, command, TC_OK));
    assert_int_equal(tc_session_load(s, "tests/ptx/device.ptx"), TC_OK);
    json_t *j =
        ask(s, &out, "launch vadd 1 256 f32[64] f32[64] f32[64] 64", TC_OK);
    json_t *k = json_array_get(json_object_get(j, "kernels"), 0);
    assert_string_equal(json_string_value(json_object_get(k, "registers_from")),
                        from);
    json_t *counters = json_object_get(k, "counters");
    int n = (int)json_integer_value(json_object_get(counters, "registers"));
    json_decref(j);
    tc_session_free(s);
    tc_buf_free(&out);
    return n;
}

/* Registers of a thread are what ptxas says, where the clock wants to know. */
static void registers(void **state) {
    (void)state;
    const char *before = getenv("TILECOPY_PTXAS");
    int said = ptxas_says();
    assert_true(registers_of("none", "on", "estimate") > 0);
    assert_true(registers_of("", "off", "estimate") > 0);
    if (said > 0) {
        assert_int_equal(registers_of("", "on", "ptxas"), said);
    }
    setenv("TILECOPY_PTXAS", before != NULL ? before : "", 1);
}

static void loading_again(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT;
    tc_session *s = new_session(TC_BACKEND_SIM, &out);
    assert_int_equal(tc_session_load(s, add_path), TC_OK);
    json_decref(ask(s, &out, launch_add, TC_OK));
    json_decref(ask(s, &out, "timeline", TC_OK));
    write_file(add_path, "this is no PTX\n");
    assert_int_equal(tc_session_load(s, add_path), TC_REJECTED);
    json_decref(ask(s, &out, launch_add, TC_OK)); /* the old one is there */
    write_file(add_path, add_text);
    assert_int_equal(tc_session_load(s, add_path), TC_OK);
    json_decref(ask(s, &out, "findings", TC_FAILED)); /* its run is gone */
    json_decref(ask(s, &out, launch_add, TC_OK));
    /* A program of TVMScript beside it: both stay. */
    assert_int_equal(tc_session_eval(s, "n = 3"), TC_OK);
    json_decref(ask(s, &out, launch_add, TC_OK));
    tc_session_free(s);
    tc_buf_free(&out);
}

/* A text with an instruction that only the simulator lacks. */
static void only_on_a_gpu(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT, text = TC_BUF_INIT;
    const char *at = strstr(add_text, "done:");
    tc_buf_write(&text, add_text, (size_t)(at - add_text));
    tc_buf_puts(&text, "    tcgen05.shift.cta_group::1.down [%r1];\n");
    tc_buf_puts(&text, at);
    write_file(add_path, tc_buf_text(&text));
    tc_session *s = new_session(TC_BACKEND_SIM, &out);
    assert_int_equal(tc_session_load(s, add_path), TC_REJECTED);
    tc_session_free(s);
    s = new_session(TC_BACKEND_GPU, &out);
    assert_int_equal(tc_session_load(s, add_path), TC_OK);
    json_t *j = ask(s, &out, launch_add, TC_OK);
    assert_string_equal(hash_of(j, 0), "d9592a864cf6dc08");
    json_decref(j);
    json_decref(ask(s, &out, "gpu", TC_FAILED)); /* it would compare */
    tc_session_free(s);
    write_file(add_path, add_text);
    tc_buf_free(&text);
    tc_buf_free(&out);
}

/* The stand-in copies; in the simulator each word grows by 3, beside an
 * instruction that might explain it. */
static void approximate(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
    } ops[] = {{"", NULL},
               {"rcp.approx.ftz.f32 %f1, %f1;", "rcp.approx.ftz.f32"},
               {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f0, "
                "%f0, %f0}, {%r2, %r2}, {%r2}, {%f1, %f1, %f1, %f1};",
                "mma.m16n8k8.f32"},
               {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r2}, "
                "{%r2}, {%r2}, {%r2, %r2};",
                NULL}};
    tc_buf out = TC_BUF_INIT, text = TC_BUF_INIT;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        bool with = ops[i].name != NULL;
        tc_buf_clear(&text);
        tc_buf_printf(
            &text,
            ".version 7.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry add(.param .u64 in, .param .u64 out,\n"
            "                    .param .u32 n, .param .u8 what)\n{\n"
            "    .reg .b64 %%rd<4>;\n    .reg .b32 %%r<4>;\n"
            "    .reg .f32 %%f<2>;\n    .reg .pred %%p;\n"
            "    ld.param.u64 %%rd1, [in];\n    ld.param.u64 %%rd2, [out];\n"
            "    mov.u32 %%r1, %%tid.x;\n    mov.f32 %%f1, 0f40000000;\n"
            "    mov.u32 %%r2, %%ctaid.x;\n    or.b32 %%r2, %%r1, %%r2;\n"
            "    setp.gt.u32 %%p, %%r2, 63;\n    @%%p bra done;\n"
            "    mul.wide.u32 %%rd3, %%r1, 4;\n"
            "    add.u64 %%rd1, %%rd1, %%rd3;\n"
            "    add.u64 %%rd2, %%rd2, %%rd3;\n"
            "    ld.global.u32 %%r3, [%%rd1];\n    add.u32 %%r3, %%r3, 3;\n"
            "    %s\n    st.global.u32 [%%rd2], %%r3;\ndone:\n    ret;\n}\n",
            ops[i].text);
        write_file(add_path, tc_buf_text(&text));
        tc_session *s = new_session(TC_BACKEND_BOTH, &out);
        assert_int_equal(tc_session_load(s, add_path), TC_OK);
        json_t *j =
            ask(s, &out, "launch add 2 128 f32[64] f32[64] 256 0", TC_OK);
        assert_true(json_is_false(json_object_get(j, "equal")));
        const json_t *buffers = json_object_get(j, "buffers");
        const json_t *b = json_array_get(buffers, 1);
        const json_t *op = json_object_get(b, "approximate");
        assert_null(json_object_get(json_array_get(buffers, 0), "ulps"));
        assert_int_equal(with ? 3 : 0,
                         json_integer_value(json_object_get(b, "ulps")));
        assert_int_equal(with ? 24 : 0,
                         json_integer_value(json_object_get(op, "line")));
        if (with) {
            assert_string_equal(json_string_value(json_object_get(op, "op")),
                                ops[i].name);
        }
        json_decref(j);
        tc_session_free(s);
    }
    write_file(add_path, add_text);
    tc_buf_free(&text);
    tc_buf_free(&out);
}

static void outlines(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90a, debug\n// .entry no(.param .u64 x)\n"
        "/* .entry neither() */ .visible .entry k ( .param .u64 .ptr .global "
        ".align 4 in,\n .param .align 8 .b8 pair[24], .param .bf16 h , .param "
        ".f32 f)\n.reqnctapercluster 2, 1\n{ ret; }\n.entry last() {}\n"
        ".entry cut(.param .u8 a, .param";
    tc_arena *a = tc_arena_new();
    tc_source src = {"x", text, sizeof text - 1, 1};
    tc_ptx_module *m = tc_outline(a, &src);
    assert_int_equal(m->sm, 90);
    assert_int_equal(m->sm_suffix, 'a');
    assert_int_equal(m->nfuncs, 3);
    const tc_ptx_func *f = &m->funcs[0];
    assert_string_equal(f->name, "k");
    assert_int_equal(f->nparams, 4);
    assert_string_equal(f->params[0].name, "in");
    assert_int_equal(f->params[0].type, TC_PT_U64);
    assert_string_equal(f->params[1].name, "pair");
    assert_int_equal(f->params[1].size, 24);
    assert_int_equal(f->params[2].type, TC_PT_BF16);
    assert_int_equal(f->params[3].offset, 36);
    assert_int_equal(
        f->reqcluster[0] * 100 + f->reqcluster[1] * 10 + f->reqcluster[2], 211);
    assert_int_equal(m->funcs[1].nparams, 0);
    assert_int_equal(m->funcs[1].reqcluster[0], 0);
    assert_int_equal(m->funcs[2].nparams, 1);
    for (size_t n = 0; n < sizeof text; n++) { /* any beginning of it ends */
        tc_source part = {"x", tc_strndup(a, text, n), n, 1};
        assert_non_null(tc_outline(a, &part));
    }
    tc_arena_free(a);
}

static void completion(void **state) {
    (void)state;
    tc_buf out = TC_BUF_INIT;
    tc_session *s = new_session(TC_BACKEND_SIM, &out);
    assert_int_equal(tc_session_load(s, add_path), TC_OK);
    bool files;
    char **found = tc_session_complete(s, "launch a", 7, &files);
    assert_non_null(found);
    assert_string_equal(found[0], "add");
    assert_null(found[1]);
    free(found[0]);
    free(found);
    assert_null(tc_session_complete(s, "launch add a", 11, &files));
    tc_session_free(s);
    tc_buf_free(&out);
}

int main(int argc, char **argv) {
    int status;
    if (tc_session_process(argc, argv, &status)) {
        return status;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),       cmocka_unit_test(words),
        cmocka_unit_test(backends),      cmocka_unit_test(clusters_and_memory),
        cmocka_unit_test(loading_again), cmocka_unit_test(only_on_a_gpu),
        cmocka_unit_test(approximate),   cmocka_unit_test(outlines),
        cmocka_unit_test(completion),    cmocka_unit_test(whole_grids),
        cmocka_unit_test(registers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
