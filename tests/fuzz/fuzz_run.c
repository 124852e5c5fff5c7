/* fuzz_run.c - executes mutated PTX: every entry of a module that parses, in
 * two blocks of 64 threads, on buffers of 4096 bytes. It ends by itself or by
 * its budget; findings are welcome, a crash or a wild access is not.
 *
 * What runs is chosen by the text's hash: timing, checker, trace, completion,
 * handlers. The mutator works on tokens, so that most texts still parse: it
 * puts one token in place of another, or drops, doubles and swaps lines. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUN_TEXT = 1 << 16, /* longest text */
    RUN_BYTES = 4096,   /* of a buffer */
    RUN_PARAMS = 4096,
    RUN_CYCLES = 20000 /* budget of a launch */
};

static uint32_t run_hash(const uint8_t *data, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ data[i]) * 16777619u;
    }
    return h ^ h >> 15;
}

static void run_ignore(void *user, const tc_diag *d) {
    *(size_t *)user += strlen(d->message);
}

/* Parameters of 8 bytes are buffers, others small numbers. */
static void run_params(tc_sim *s, const tc_ptx_func *f, uint8_t *block) {
    memset(block, 0, RUN_PARAMS);
    for (int i = 0; i < f->nparams && i < 8; i++) {
        const tc_ptx_param *p = &f->params[i];
        if (p->size == 8 && p->offset + 8 <= RUN_PARAMS) {
            tc_sim_allocation *a = tc_sim_alloc(s, RUN_BYTES, "buffer");
            uint64_t at = a != NULL ? a->address : 0;
            memcpy(block + p->offset, &at, sizeof at);
        } else if (p->size >= 4 && p->offset + 4 <= RUN_PARAMS) {
            uint32_t n = 64;
            memcpy(block + p->offset, &n, sizeof n);
        }
    }
}

static void run_entry(const tc_ptx_module *m, const tc_ptx_func *f,
                      uint32_t how) {
    static const char *const isas[] = {NULL, "plain", "none", NULL};
    size_t total = 0;
    uint8_t block[RUN_PARAMS];
    tc_diags d = {run_ignore, &total, 0};
    tc_sim_options o = {.arch = m->sm >= 100 ? "sm_100a" : NULL,
                        .timing = (how & 1) != 0,
                        .hazards = (how & 2) != 0,
                        .trace = (how & 4) != 0,
                        .completion = (tc_completion)(how >> 3 & 3),
                        .seed = how,
                        .isa = isas[how >> 5 & 3]};
    tc_sim *s = tc_sim_new(m, &o, &d);
    if (s == NULL || f->param_bytes > sizeof block) {
        tc_sim_free(s);
        return;
    }
    run_params(s, f, block);
    uint32_t cluster = (how & 128) != 0 ? 2 : 0, x = cluster ? 1 : 0;
    tc_sim_launch l = {.entry = f->name,
                       .grid = {2, 1, 1},
                       .block = {64, 1, 1},
                       .cluster = {cluster, x, x},
                       .dynamic_shared = (how & 256) != 0 ? 1024 : 0,
                       .stops = true,
                       .stop_at = RUN_CYCLES,
                       .params = block,
                       .nparams = f->param_bytes};
    for (int i = 0; i < 3; i++) {
        uint32_t n = f->reqntid[i];
        l.block[i] = n != 0 && n <= 128 ? n : l.block[i];
    }
    tc_sim_result r;
    tc_sim_run(s, &l, &d, &r);
    tc_trace_free(tc_sim_take_trace(s));
    tc_sim_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > RUN_TEXT) {
        return 0;
    }
    char *text = tc_xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    size_t total = 0;
    tc_source source = {"<fuzz>", text, size, 1};
    tc_diags diags = {run_ignore, &total, 0};
    tc_arena *a = tc_arena_new();
    const tc_ptx_module *m = tc_ptx_parse(a, &source, &diags);
    uint32_t how = run_hash(data, size);
    for (int i = 0, n = 0; m != NULL && i < m->nfuncs && n < 2; i++) {
        if (m->funcs[i].entry) {
            run_entry(m, &m->funcs[i], how);
            how = how * 747796405u + 1;
            n++;
        }
    }
    tc_arena_free(a);
    free(text);
    return 0;
}

/* ---- the mutator; libFuzzer's own where it is linked ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);
#ifdef TC_FUZZ

typedef struct piece {
    size_t at, len;
} piece;

static uint32_t run_next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static bool run_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '.';
}

/* The token (or, of lines, the line) that a place lies in, or the next one. */
static piece run_token(const uint8_t *d, size_t size, size_t at) {
    while (at < size && !run_word(d[at])) {
        at++;
    }
    while (at > 0 && d[at] != '.' && d[at] != '%' && run_word(d[at - 1])) {
        at--;
    }
    size_t end = at < size ? at + 1 : at;
    while (end < size && run_word(d[end]) && d[end] != '.' && d[end] != '%') {
        end++;
    }
    return (piece){at, end - at};
}

static piece run_line(const uint8_t *d, size_t size, size_t at) {
    while (at > 0 && d[at - 1] != '\n') {
        at--;
    }
    size_t end = at;
    while (end < size && d[end] != '\n') {
        end++;
    }
    return (piece){at, end < size ? end + 1 - at : end - at};
}

/* A token of the same kind as p from elsewhere: it starts with the same
 * letter class. */
static bool run_alike(uint8_t a, uint8_t b) {
    bool x = a >= '0' && a <= '9', y = b >= '0' && b <= '9';
    return (x && y) || (a == b && (a == '.' || a == '%')) ||
           (!x && !y && a != '.' && b != '.' && a != '%' && b != '%');
}

static size_t run_replace(uint8_t *d, size_t size, size_t most, piece p,
                          const uint8_t *with, size_t n) {
    if (size - p.len + n > most) {
        return size;
    }
    memmove(d + p.at + n, d + p.at + p.len, size - p.at - p.len);
    memcpy(d + p.at, with, n);
    return size - p.len + n;
}

static size_t run_number(uint8_t *d, size_t size, size_t most, piece p,
                         uint32_t *seed) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "7",
                                          "8",
                                          "15",
                                          "16",
                                          "31",
                                          "32",
                                          "33",
                                          "63",
                                          "64",
                                          "65",
                                          "96",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "1023",
                                          "4092",
                                          "4095",
                                          "4096",
                                          "65535",
                                          "2147483647",
                                          "4294967295",
                                          "0x8000000000000000",
                                          "18446744073709551615"};
    enum { N = sizeof numbers / sizeof *numbers };
    const char *with = numbers[run_next(seed) % N];
    return run_replace(d, size, most, p, (const uint8_t *)with, strlen(with));
}

static size_t run_tokens(uint8_t *d, size_t size, size_t most, uint32_t *seed) {
    uint8_t with[64];
    piece p = run_token(d, size, run_next(seed) % size);
    if (p.len == 0 || p.len > sizeof with) {
        return size;
    }
    if (d[p.at] >= '0' && d[p.at] <= '9' && run_next(seed) % 2 == 0) {
        return run_number(d, size, most, p, seed);
    }
    for (int i = 0; i < 16; i++) {
        piece q = run_token(d, size, run_next(seed) % size);
        if (q.len > 0 && q.len <= sizeof with && q.at != p.at &&
            run_alike(d[p.at], d[q.at])) {
            memcpy(with, d + q.at, q.len);
            return run_replace(d, size, most, p, with, q.len);
        }
    }
    return size;
}

static size_t run_lines(uint8_t *d, size_t size, size_t most, uint32_t *seed) {
    uint8_t with[256];
    piece p = run_line(d, size, run_next(seed) % size);
    piece q = run_line(d, size, run_next(seed) % size);
    if (q.len > sizeof with) {
        return size;
    }
    memcpy(with, d + q.at, q.len);
    switch (run_next(seed) % 3) {
    case 0: /* dropped */
        return run_replace(d, size, most, p, with, 0);
    case 1: /* another line before it */
        p.len = 0;
        return run_replace(d, size, most, p, with, q.len);
    default: /* another in its place */
        return run_replace(d, size, most, p, with, q.len);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
    uint32_t s = seed;
    if (size == 0 || run_next(&s) % 16 == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (uint32_t i = 0, n = 1 + run_next(&s) % 3; i < n && size > 0; i++) {
        size = run_next(&s) % 4 != 0 ? run_tokens(data, size, most, &s)
                                     : run_lines(data, size, most, &s);
    }
    return size;
}
#endif
