/* layout_helpers.h - the corpus' calls of TVM's layout constructors: reads the
 * call's text (strings, numbers, SwizzleMode names, keywords) and makes ours.
 */
#ifndef LAYOUT_HELPERS_H
#define LAYOUT_HELPERS_H

#include "layout/helpers.h"
#include "layout_ops.h"
#include <ctype.h>

typedef struct call {
    char name[32], str[2][32];
    int nstr, mode; /* SwizzleMode by its number, -1: none named */
    int64_t num[8];
    int nnum;
    int64_t reuse, depth, rows; /* keywords; 0: absent */
    bool psum;
} call;

static void read_word(call *c, const char *word, const char **p) {
    static const struct {
        const char *key;
        size_t at;
    } keys[] = {{"sf_reuse", offsetof(call, reuse)},
                {"pipe_depth", offsetof(call, depth)},
                {"rows", offsetof(call, rows)}};
    for (int m = 0; m <= TC_SWIZZLE_128B_ATOM; m++) {
        if (strcmp(word, tc_swizzle_mode_name((tc_swizzle_mode)m)) == 0) {
            c->mode = m;
        }
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(word, keys[i].key) == 0 && **p == '=') {
            *(int64_t *)((char *)c + keys[i].at) =
                strtoll(*p + 1, (char **)p, 10);
        }
    }
    c->psum |= strcmp(word, "is_psum") == 0;
}

static call read_call(const char *p) {
    call c = {.mode = -1};
    char word[64];
    size_t n = strcspn(p, "(");
    snprintf(c.name, sizeof c.name, "%.*s", (int)n, p);
    for (p += n; *p != '\0';) {
        if (*p == '"' && c.nstr < 2) {
            n = strcspn(++p, "\"");
            snprintf(c.str[c.nstr++], sizeof c.str[0], "%.*s", (int)n, p);
            p += n + 1;
        } else if (isdigit((unsigned char)*p) && c.nnum < 8) {
            c.num[c.nnum++] = strtoll(p, (char **)&p, 10);
        } else if (isalpha((unsigned char)*p)) {
            for (n = 0; isalnum((unsigned char)*p) || *p == '_'; p++) {
                if (n + 1 < sizeof word) {
                    word[n++] = *p;
                }
            }
            word[n] = '\0';
            read_word(&c, word, &p);
        } else {
            p++;
        }
    }
    return c;
}

static int bits_of(const char *dtype) {
    static const struct {
        const char *name;
        int bits;
    } known[] = {{"float32", 32},      {"float16", 16},      {"bfloat16", 16},
                 {"float8_e4m3fn", 8}, {"float8_e5m2", 8},   {"uint8", 8},
                 {"int8", 8},          {"float4_e2m1fn", 4}, {"int32", 32},
                 {"float64", 64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(dtype, known[i].name) == 0) {
            return known[i].bits;
        }
    }
    return 0;
}

static tc_layout_result do_helper(ask *q) {
    call c = read_call(q->text);
    const int64_t *depth = c.depth ? &c.depth : NULL;
    int64_t reuse = c.reuse ? c.reuse : 1, shape[2];
    tc_layout_ctx *cx = q->cx;
    const tc_layout *l = NULL;
    tc_layout_result r = TC_LAYOUT_FAILED;
    cx->tag = "unknown helper";
    int bits = bits_of(c.str[0]);
    if (strcmp(c.name, "wg_local_layout") == 0) {
        r = tc_wg_local_layout(cx, c.num[0], c.rows ? c.rows : 128, &l);
    } else if (strcmp(c.name, "tmem_datapath_layout") == 0) {
        r = tc_tmem_datapath_layout(cx, c.str[0], c.num[0], c.num[1], &l);
    } else if (strcmp(c.name, "tcgen05_atom_layout") == 0) {
        r = tc_tcgen05_atom_layout(cx, c.str[0], c.num[0], c.num[1],
                                   bits_of(c.str[1]), &l);
    } else if (strcmp(c.name, "mma_atom_layout") == 0) {
        r = tc_mma_atom_layout(cx, bits, (tc_swizzle_mode)c.mode, &l);
    } else if (strcmp(c.name, "mma_atom_shape") == 0) {
        r = tc_mma_atom_shape(cx, bits, (tc_swizzle_mode)c.mode, shape);
        if (r == TC_LAYOUT_OK) {
            q->answer =
                json_pack("[I, I]", (json_int_t)shape[0], (json_int_t)shape[1]);
        }
        return r;
    } else if (strcmp(c.name, "mma_shared_layout") == 0 ||
               strcmp(c.name, "tma_shared_layout") == 0) {
        r = tc_mma_shared_layout(cx, bits, (tc_swizzle_mode)c.mode, c.num,
                                 c.nnum, &l);
    } else if (strcmp(c.name, "sf_smem_layout") == 0) {
        r = tc_sf_smem_layout(cx, c.num[0], c.num[1], c.num[2], reuse, depth,
                              &l);
    } else if (strcmp(c.name, "sf_tmem_layout") == 0) {
        r = tc_sf_tmem_layout(cx, c.num[0], c.num[1], c.num[2], reuse, depth,
                              &l);
    } else if (strcmp(c.name, "TileLayout.trainium") == 0) {
        r = tc_trainium_layout(cx, c.str[0], c.num, c.nnum, c.psum, &l);
    }
    return give(q, r, l);
}

#endif
