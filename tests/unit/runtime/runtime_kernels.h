/* runtime_kernels.h - kernels of the runtime's tests. Each takes an address. */
#ifndef TC_TEST_RUNTIME_KERNELS_H
#define TC_TEST_RUNTIME_KERNELS_H

#define KERNEL(name, body)                                                     \
    ".visible .entry " name "(.param .u64 p)\n{\n"                             \
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %q;\n"                      \
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"                \
    "mov.u32 %r1, %tid.x;\n" body "ret;\n}\n"

static const char runtime_ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".global .align 4 .u32 counter = 7;\n"
    ".const .align 4 .b8 factors[16];\n"
    ".global .attribute(.managed) .align 4 .u32 both = 5;\n"
    ".global .attribute(.managed) .align 4 .u32 beside = 6;\n"
    ".global .attribute(.managed) .align 4 .b8 wide[8192];\n"
    ".global .align 1 .b8 words[7] = {104, 105, 32, 37, 100, 10, 0};\n"
    ".extern .shared .align 16 .b8 pool[];\n"
    /* p[tid] += 1 */
    KERNEL("add1", "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                   "ld.global.u32 %r2, [%rd4];\nadd.u32 %r2, %r2, 1;\n"
                   "st.global.u32 [%rd4], %r2;\n")
    /* *p = 7 */
    KERNEL("put7", "st.global.u32 [%rd2], 7;\n") KERNEL("stop", "trap;\n")
    /* waits for *p, which nobody writes */
    KERNEL("wait", "L: ld.volatile.global.u32 %r2, [%rd2];\n"
                   "setp.eq.u32 %q, %r2, 0;\n@%q bra L;\n")
    /* counts for ever */
    KERNEL("count", "L: atom.global.add.u32 %r2, [%rd2], 1;\nbra L;\n")
    /* printf("hi %d\n", tid) */
    KERNEL("say", ".local .align 8 .b8 a[8];\n.reg .b64 %sp;\n"
                  "mov.u64 %rd3, a;\ncvta.local.u64 %rd4, %rd3;\n"
                  "st.local.u32 [%rd3], %r1;\n"
                  "mov.u64 %rd5, words;\ncvta.global.u64 %rd6, %rd5;\n"
                  "{ .param .b64 x; .param .b64 y; .param .b32 z;\n"
                  "st.param.b64 [x], %rd6; st.param.b64 [y], %rd4;\n"
                  "call.uni (z), vprintf, (x, y);\n"
                  "ld.param.b32 %r3, [z]; }\n")
    /* p[0] = counter, p[1] = factors[2], p[2] = both++ */
    KERNEL("symbols",
           "ld.global.u32 %r2, [counter];\nst.global.u32 [%rd2], %r2;\n"
           "ld.const.u32 %r3, [factors+8];\nst.global.u32 [%rd2+4], %r3;\n"
           "ld.global.u32 %r4, [both];\nst.global.u32 [%rd2+8], %r4;\n"
           "add.u32 %r4, %r4, 1;\nst.global.u32 [both], %r4;\n")
    /* beside = both, wide's last word = counter */
    KERNEL("neighbours",
           "ld.global.u32 %r2, [both];\nst.global.u32 [beside], %r2;\n"
           "ld.global.u32 %r3, [counter];\nst.global.u32 [wide+8188], %r3;\n")
    /* *p = a word of dynamic shared memory */
    KERNEL(
        "dynamic",
        "st.shared.u32 [pool], 3;\nld.shared.u32 %r2, [pool];\n"
        "st.global.u32 [%rd2], %r2;\n") ".visible .entry bounded(.param .u64 "
                                        "p) .maxntid 64\n{\nret;\n}\n"
                                        ".visible .entry pairs(.param .u64 p) "
                                        ".reqnctapercluster 2\n{\nret;\n}\n";

#endif
