/* names.c - identifiers that both CUDA C++ and PTX take.
 *
 * The reserved words are the C++ keywords (C++17 [lex.key]), the names that
 * CUDA's headers define and generated text uses, and the words that PTX keeps
 * (PTX ISA, "Reserved Instruction Keywords" and "Predefined Identifiers"). */
#include "emit/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char *const reserved[] = {
    /* C++ */
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
    "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "linux",
    "unix", "main", "NULL", "std", "assert", "typeof",
    /* CUDA */
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half", "half2",
    "nv_bfloat16", "nv_bfloat162", "uint", "ushort", "uchar", "ulong", "int8_t",
    "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "size_t", "uint2", "uint4", "dim3", "min", "max", "fmin",
    "fmax", "floor", "floorf", "fminf", "fmaxf", "abs", "cuda",
    /* PTX */
    "add", "addc", "activemask", "alloca", "applypriority", "atom", "bar",
    "barrier", "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx",
    "call", "clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt",
    "cvta", "discard", "div", "dp2a", "dp4a", "elect", "ex2", "exit", "fence",
    "fma", "fns", "getctarank", "griddepcontrol", "isspacep", "istypep", "ld",
    "ldmatrix", "ldu", "lg2", "lop3", "mad", "mad24", "madc", "mapa", "match",
    "mbarrier", "membar", "mma", "mov", "movmatrix", "mul", "mul24", "multimem",
    "nanosleep", "neg", "pmevent", "popc", "prefetch", "prefetchu", "prmt",
    "rcp", "red", "redux", "rem", "ret", "rsqrt", "sad", "selp", "set",
    "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt",
    "st", "stackrestore", "stacksave", "stmatrix", "sub", "subc", "suld", "suq",
    "sured", "sust", "szext", "tanh", "tcgen05", "tensormap", "testp", "tex",
    "tld4", "trap", "txq", "vabsdiff", "vadd", "vmad", "vmax", "vmin", "vote",
    "vset", "vshl", "vshr", "vsub", "wgmma", "wmma", "WARP_SZ"};

static bool is_reserved(const char *s) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (strcmp(s, reserved[i]) == 0) {
            return true;
        }
    }
    return strncmp(s, "tvm_builtin_", 12) == 0;
}

/* Letters, digits and single underscores that do not lead with two. */
static char *spelled(tc_arena *a, const char *wanted) {
    size_t len = strlen(wanted), n = 0;
    char *out = tc_alloc(a, len + 3);
    if (len == 0 || isdigit((unsigned char)wanted[0])) {
        out[n++] = 'v';
        out[n++] = '_';
    }
    for (size_t i = 0; i < len && n < 200; i++) {
        unsigned char c = (unsigned char)wanted[i];
        char put = c < 128 && isalnum(c) ? (char)c : '_';
        bool doubled = put == '_' && n > 0 && out[n - 1] == '_';
        /* A leading underscore is the implementation's in C++, and alone
         * PTX's sink. */
        if (n == 0 && put == '_') {
            out[n++] = 'v';
        }
        if (!doubled) {
            out[n++] = put;
        }
    }
    out[n] = 0;
    return out;
}

static bool in_sight(const tc_emit_names *names, const char *text) {
    for (int i = 0; i < names->n; i++) {
        if (strcmp(names->items[i].text, text) == 0) {
            return true;
        }
    }
    return is_reserved(text);
}

const char *tc_name_add(tc_emit_names *names, const void *key,
                        const char *wanted) {
    const char *base = spelled(names->arena, wanted), *text = base;
    for (int i = 1; in_sight(names, text); i++) {
        text = tc_format(names->arena, "%s_%d", base, i);
    }
    struct tc_emit_name item = {key, text};
    TC_PUSH(names->arena, names->items, names->n, names->cap, item);
    return text;
}

const char *tc_name_of(const tc_emit_names *names, const void *key) {
    for (int i = names->n - 1; i >= 0; i--) {
        if (names->items[i].key == key) {
            return names->items[i].text;
        }
    }
    return NULL;
}
