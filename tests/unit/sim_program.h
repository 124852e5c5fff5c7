/* sim_program.h - PTX 9.0 programs around sim_harness.h: threads with their
 * number in %r1, their lane in %r7, their own 32 bytes of A and B at %rd4 and
 * %rd5, their own 16 bytes of sm at %r4. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "sim_harness.h"

/* The text of kernel k for target, ended by ret. decls: before the kernel. */
static inline char *program(const char *target, const char *decls,
                            const char *body) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(
        &b,
        ".version 9.0\n.target %s\n.address_size 64\n%s"
        ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
        ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n.reg .b16 %%h<20>;\n"
        ".reg .pred %%p<10>;\n.reg .f32 %%f<20>;\n.reg .f64 %%d<8>;\n"
        ".reg .b128 %%q<8>;\n"
        ".shared .align 128 .b8 sm[8192];\n"
        "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
        "mov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 5;\n"
        "cvt.u64.u32 %%rd3, %%r2;\nadd.u64 %%rd4, %%rd1, %%rd3;\n"
        "add.u64 %%rd5, %%rd2, %%rd3;\nmov.u32 %%r3, sm;\n"
        "shl.b32 %%r4, %%r1, 4;\nadd.u32 %%r4, %%r4, %%r3;\n"
        "mov.u32 %%r7, %%laneid;\nshr.u32 %%r8, %%r1, 5;\n%s",
        target, decls, body);
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

/* What NVIDIA's assembler says of it, where there is one. */
static inline void ptxas_takes(const char *target, const char *text) {
    if (access("/usr/local/cuda/bin/ptxas", X_OK) != 0) {
        return;
    }
    char path[] = "/tmp/tilecopy-test-XXXXXX", command[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    snprintf(command, sizeof command,
             "/usr/local/cuda/bin/ptxas -arch=%s -o /dev/null %s", target,
             path);
    int rc = system(command);
    unlink(path);
    if (rc != 0) {
        fprintf(stderr, "%s", text);
    }
    assert_int_equal(rc, 0);
}

static inline uint64_t dword(const uint8_t *p, uint32_t at) {
    uint64_t v;
    memcpy(&v, p + at, 8);
    return v;
}

#endif
