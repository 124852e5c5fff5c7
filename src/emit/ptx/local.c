/* local.c - what pointers to a thread's own array reach: words of it, in
 * memory or in the registers that the array is made of (registers.c). */
#include "emit/ptx/ptx.h"

/* --- arrays in registers ---------------------------------------------------*/

static int element_bytes(tc_val at) {
    return tc_dtype_bytes(at.array->type);
}

static tc_val *element_at(tc_pe e, tc_val at, int64_t byte) {
    return tc_pe_element(e, at.array, (at.i + byte) / element_bytes(at),
                         e->span);
}

/* Bits [shift, shift + 8 * size) of word into *r, extended as its type says. */
static void put_element(tc_pe e, tc_val *r, tc_val word, int shift, int size) {
    const char *to = tc_pe_text(e, *r), *from = tc_pe_text(e, word);
    if (size == 4) {
        tc_pe_ins(e, "mov.b32 \t%s, %s", to, from);
    } else if (r->rc == TC_RC_B16) {
        if (shift > 0) {
            tc_val high = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
            tc_pe_ins(e, "shr.u32 \t%s, %s, %d", tc_pe_text(e, high), from,
                      shift);
            from = tc_pe_text(e, high);
        }
        tc_pe_ins(e, "cvt.u16.u32 \t%s, %s", to, from);
    } else {
        tc_pe_ins(e, "bfe.%s \t%s, %s, %d, %d",
                  tc_type_is_signed(r->type) ? "s32" : "u32", to, from, shift,
                  8 * size);
    }
}

/* `bytes` of word to byte `at` of the array. */
static void put_bytes(tc_pe e, tc_val at, int64_t byte, tc_val word,
                      int bytes) {
    int size = element_bytes(at);
    tc_val *low = element_at(e, at, byte);
    if (size == 2 && bytes == 4 && low != NULL && low->rc == TC_RC_B16) {
        tc_val *high = element_at(e, at, byte + 2);
        if (high != NULL) {
            tc_pe_ins(e, "mov.b32 \t{%s, %s}, %s", tc_pe_text(e, *low),
                      tc_pe_text(e, *high), tc_pe_text(e, word));
        }
        return;
    }
    for (int i = 0; i < bytes; i += size) {
        tc_val *r = element_at(e, at, byte + i);
        if (r != NULL) {
            put_element(e, r, word, 8 * i, size);
        }
    }
}

/* An element's bits at the low end of a 32-bit register; what is above them
 * does not count. */
static tc_val bits_of(tc_pe e, const tc_val *r) {
    if (r == NULL || r->rc == TC_RC_B32) {
        return r != NULL ? *r : tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    }
    tc_val word = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    tc_pe_ins(e,
              r->rc == TC_RC_B16 ? "cvt.u32.u16 \t%s, %s" : "mov.b32 \t%s, %s",
              tc_pe_text(e, word), tc_pe_text(e, *r));
    return word;
}

/* The low bytes of a, then those of b: prmt selects by byte (9.7.9.7). */
static tc_val joined(tc_pe e, tc_val a, tc_val b, int bytes) {
    tc_val word = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    tc_pe_ins(e, "prmt.b32 \t%s, %s, %s, %d", tc_pe_text(e, word),
              tc_pe_text(e, a), tc_pe_text(e, b), bytes == 1 ? 0x40 : 0x5410);
    return word;
}

/* `bytes` from byte `at` on, in the low end of a 32-bit register. */
static tc_val get_bytes(tc_pe e, tc_val at, int64_t byte, int bytes) {
    int size = element_bytes(at);
    if (bytes == size) {
        return bits_of(e, element_at(e, at, byte));
    }
    if (size == 2) {
        tc_val *low = element_at(e, at, byte);
        tc_val *high = element_at(e, at, byte + 2);
        if (low != NULL && high != NULL && low->rc == TC_RC_B16) {
            tc_val word = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
            tc_pe_ins(e, "mov.b32 \t%s, {%s, %s}", tc_pe_text(e, word),
                      tc_pe_text(e, *low), tc_pe_text(e, *high));
            return word;
        }
    }
    tc_val low = get_bytes(e, at, byte, bytes / 2);
    tc_val high = get_bytes(e, at, byte + bytes / 2, bytes / 2);
    return joined(e, low, high, bytes / 2);
}

/* --- copies ----------------------------------------------------------------*/

/* The type of one transfer, and how many registers it fills. */
static const char *transfer(int64_t bytes, int *words, int *each) {
    *words = bytes > 4 ? (int)(bytes / 4) : 1;
    *each = bytes > 4 ? 4 : (int)bytes;
    return bytes == 16  ? "v4.b32"
           : bytes == 8 ? "v2.b32"
           : bytes == 4 ? "b32"
           : bytes == 2 ? "u16"
                        : "u8";
}

static const char *list_of(tc_pe e, const tc_val *words, int n) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, n > 1 ? "{" : "");
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? ", " : "", tc_pe_text(e, words[i]));
    }
    tc_buf_puts(&b, n > 1 ? "}" : "");
    return tc_buf_finish(&b, e->arena);
}

bool tc_pe_move(tc_pe e, tc_val dst, tc_val src, int64_t bytes) {
    tc_val words[4] = {{0}};
    int n, each;
    const char *type = transfer(bytes, &n, &each);
    if (dst.array == NULL && src.array == NULL) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        words[i] = src.array != NULL ? get_bytes(e, src, 4 * i, each)
                                     : tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    }
    for (int i = 0; i < n && src.array != NULL && dst.array != NULL; i++) {
        tc_val copy = tc_pe_reg(e, TC_UINT32, TC_RC_B32); /* may overlap */
        tc_pe_ins(e, "mov.b32 \t%s, %s", tc_pe_text(e, copy),
                  tc_pe_text(e, words[i]));
        words[i] = copy;
    }
    const char *list = list_of(e, words, n);
    if (src.array == NULL) {
        const char *from = tc_pe_address(e, src);
        tc_pe_ins(e, "ld%s.%s \t%s, %s", tc_pe_space(src), type, list, from);
    }
    if (dst.array == NULL) {
        const char *to = tc_pe_address(e, dst);
        tc_pe_ins(e, "st%s.%s \t%s, %s", tc_pe_space(dst), type, to, list);
        return true;
    }
    for (int i = 0; i < n; i++) {
        put_bytes(e, dst, 4 * i, words[i], each);
    }
    return true;
}

/* --- words -----------------------------------------------------------------*/

static tc_val pointer(tc_pe e, const tc_expr *ptr) {
    tc_val v = tc_pe_expr(e, ptr);
    if (v.type != TC_HANDLE) {
        tc_pe_fail(e, ptr->span, "T.address_of(A[i]) makes one",
                   "a pointer is needed here");
    }
    return v;
}

tc_val tc_pe_get_word(tc_pe e, const tc_expr *ptr) {
    tc_val v = pointer(e, ptr);
    if (v.array != NULL) {
        return get_bytes(e, v, 0, 4);
    }
    tc_val r = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
    const char *place = tc_pe_address(e, v);
    tc_pe_ins(e, "ld%s.b32 \t%s, %s", tc_pe_space(v), tc_pe_text(e, r), place);
    return r;
}

void tc_pe_put_word(tc_pe e, const tc_expr *ptr, tc_val word) {
    tc_val v = pointer(e, ptr);
    if (v.array != NULL) {
        put_bytes(e, v, 0, word, 4);
        return;
    }
    const char *place = tc_pe_address(e, v);
    tc_pe_ins(e, "st%s.b32 \t%s, %s", tc_pe_space(v), place,
              tc_pe_text(e, word));
}
