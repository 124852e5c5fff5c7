/* tcgen05_machine.h - pieces of kernels that use tensor memory, for tests.
 * r20: address of column 0, r21: where it is in shared memory, r22: warp, rd5:
 * the thread's word of B (tid % 32). Include after async_run.h. */
#ifndef TCGEN05_MACHINE_H
#define TCGEN05_MACHINE_H

/* Warp 0 allocates; all know the address. */
static inline void machine_alloc(tc_buf *b, uint32_t columns) {
    tc_buf_printf(
        b,
        "shr.u32 %%r22, %%r1, 5;\nand.b32 %%r23, %%r1, 31;\n"
        "mul.wide.u32 %%rd5, %%r23, 4;\nadd.u64 %%rd5, %%rd2, %%rd5;\n"
        "add.u32 %%r21, %%r3, 56;\nsetp.ne.u32 %%p2, %%r22, 0;\n"
        "@%%p2 bra ALLOCATED;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%r21], "
        "%u;\nALLOCATED:\nbar.sync 0;\nld.shared.u32 %%r20, [%%r21];\n",
        columns);
}

/* At DONE: all meet, and warp 0 gives it back. */
static inline void machine_dealloc(tc_buf *b, uint32_t columns) {
    tc_buf_printf(b,
                  "DONE:\nbar.sync 0;\n@%%p2 bra END;\n"
                  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r20, %u;\n"
                  "END:\n",
                  columns);
}

/* "%v3, %v4, ..." */
static inline void machine_list(tc_buf *b, uint32_t first, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tc_buf_printf(b, "%s%%v%u", i > 0 ? ", " : "", first + i);
    }
}

/* Every cell of columns [from, to) becomes that register. */
static inline void machine_set(tc_buf *b, uint32_t from, uint32_t to,
                               const char *value) {
    tc_buf_printf(b,
                  "add.u32 %%r24, %%r20, %u;\nadd.u32 %%r25, %%r20, %u;\n"
                  "SET:\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%%r24], {%s};\n"
                  "add.u32 %%r24, %%r24, 1;\nsetp.lt.u32 %%p4, %%r24, %%r25;\n"
                  "@%%p4 bra SET;\ntcgen05.wait::st.sync.aligned;\n",
                  from, to, value);
}

/* Every cell of columns [from, to) becomes its lane << 16 | column. */
static inline void machine_fill(tc_buf *b, uint32_t from, uint32_t to) {
    tc_buf_printf(b,
                  "add.u32 %%r24, %%r20, %u;\nadd.u32 %%r25, %%r20, %u;\n"
                  "shl.b32 %%r26, %%r1, 16;\nadd.u32 %%r26, %%r26, %u;\n"
                  "FILL:\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%%r24], "
                  "{%%r26};\nadd.u32 %%r24, %%r24, 1;\n"
                  "add.u32 %%r26, %%r26, 1;\nsetp.lt.u32 %%p4, %%r24, %%r25;\n"
                  "@%%p4 bra FILL;\ntcgen05.wait::st.sync.aligned;\n",
                  from, to, from);
}

/* B gets columns [0, n) of a warp's lanes, column by column. */
static inline void machine_read(tc_buf *b, uint32_t warp, uint32_t n) {
    tc_buf_printf(b,
                  "setp.ne.u32 %%p3, %%r22, %u;\n@%%p3 bra DONE;\n"
                  "mov.u32 %%r24, %%r20;\nadd.u32 %%r25, %%r20, %u;\n"
                  "mov.u64 %%rd6, %%rd5;\nREAD:\n"
                  "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r26}, [%%r24];\n"
                  "tcgen05.wait::ld.sync.aligned;\n"
                  "st.global.u32 [%%rd6], %%r26;\nadd.u64 %%rd6, %%rd6, 128;\n"
                  "add.u32 %%r24, %%r24, 1;\nsetp.lt.u32 %%p4, %%r24, %%r25;\n"
                  "@%%p4 bra READ;\n",
                  warp, n);
}

static inline uint32_t machine_word(const uint8_t *p, uint32_t i) {
    uint32_t v;
    memcpy(&v, p + 4 * (size_t)i, sizeof v);
    return v;
}

#endif
