/* layout_cases.h - hand-made cases: the swizzle formula bit by bit, printed
 * text, refusals in plain terms, and random questions that must not crash. */
#ifndef LAYOUT_CASES_H
#define LAYOUT_CASES_H

#include "layout/algebra.h"
#include "layout/helpers.h"
#include "layout_json.h"

static const tc_axis *ax(const char *name) {
    const tc_axis *axis = tc_axis_find(name);
    assert_non_null(axis);
    return axis;
}

/* Row r of 64 halves: the 16-byte unit u of row r lies at u ^ (r % 8). */
static void swizzle_formula(void **state) {
    (void)state;
    tc_swizzle s = {3, 3, 3, true};
    for (int r = 0; r < 16; r++) {
        for (int u = 0; u < 8; u++) {
            int64_t want = r * 64 + (u ^ (r % 8)) * 8 + 5;
            assert_int_equal(tc_swizzle_apply(s, r * 64 + u * 8 + 5), want);
        }
    }
    tc_swizzle outer = {0, 2, 3, false};
    assert_int_equal(tc_swizzle_apply(outer, 1), 1 + 8);
    assert_int_equal(tc_swizzle_apply(outer, 3), 3 + 24);
    assert_int_equal(tc_swizzle_apply(outer, 8 + 1), 1);
    tc_swizzle none = {4, 0, 3, true};
    assert_int_equal(tc_swizzle_apply(none, 12345), 12345);
    /* -8 is unit -1, all ones: XOR with its bits 3..5 clears bits 0..2. */
    assert_int_equal(tc_swizzle_apply(s, -8), -8 * 8);
}

static void expect_print(const tc_layout *l, const char *want) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    assert_string_equal(tc_buf_text(&b), want);
    tc_buf_free(&b);
}

static void printed_text(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const tc_layout *l, *sw;
    expect_print(tc_layout_row_major(a, (int64_t[]){128, 32}, 2),
                 "TileLayout(S[(128, 32) : (32, 1)])");
    tc_iter d[] = {{128, 1, ax("tid_in_wg")}, {8, 1, ax("m")}};
    tc_iter r[] = {{4, 32, ax("TLane")}};
    tc_offset o[] = {{ax("m"), 2}, {tc_axis_get(a, "my \"axis\""), -3}};
    l = tc_layout_tile(a, d, 2, r, 1, o, 2);
    expect_print(l, "TileLayout(S[(128, 8) : (1@tid_in_wg, 1)] + "
                    "R[4 : 32@TLane] + 2@m + "
                    "-3@Axis.get(\"my \\\"axis\\\"\"))");
    expect_print(tc_layout_tile(a, NULL, 0, NULL, 0, NULL, 0),
                 "TileLayout(S[() : ()])");
    tc_swizzle s = {3, 3, 3, true};
    assert_int_equal(tc_layout_make_swizzle(&cx, s, &sw), TC_LAYOUT_OK);
    expect_print(sw, "SwizzleLayout(3, 3, 3)");
    l = tc_layout_row_major(a, (int64_t[]){8}, 1);
    assert_int_equal(tc_layout_compose(&cx, s, l, &l), TC_LAYOUT_OK);
    expect_print(l, "ComposeLayout(SwizzleLayout(3, 3, 3), "
                    "TileLayout(S[8 : 1]))");
    s.inner = false;
    assert_int_equal(tc_layout_make_swizzle(&cx, s, &sw), TC_LAYOUT_OK);
    expect_print(sw, "SwizzleLayout(3, 3, 3, swizzle_inner=False)");
    tc_arena_free(a);
}

/* The demo's Tile: rows 32..63, columns 8..15 of (128, 32) row-major start at
 * 32 * 32 + 8. */
static void slice_by_hand(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a, .target_cuda = true};
    const int64_t shape[] = {128, 32}, region[][2] = {{32, 64}, {8, 16}};
    const tc_layout *l = tc_layout_row_major(a, shape, 2);
    assert_int_equal(tc_layout_slice(&cx, l, shape, 2, region, 2, &l),
                     TC_LAYOUT_OK);
    expect_print(l, "TileLayout(S[(32, 8) : (32, 1)] + 1032@m)");
    tc_arena_free(a);
}

static void expect_tag(const tc_layout_ctx *cx, tc_layout_result r,
                       const char *tag) {
    assert_int_equal(r, TC_LAYOUT_FAILED);
    assert_string_equal(cx->tag, tag);
    assert_non_null(cx->message);
    assert_true(cx->message[0] != '\0');
}

/* TVM hangs for ever on this one (LAYOUT.md, "Surprises"). */
static void scope_cycle(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    tc_iter d[] = {{2, 1, ax("bx")}, {4, 1, ax("tx")}};
    const tc_layout *l = tc_layout_tile(a, d, 2, NULL, 0, NULL, 0), *out;
    tc_scope_level inner, outer;
    bool ok;
    expect_tag(&cx, tc_layout_get_scope(&cx, l, &inner, &outer), "scope_cycle");
    expect_tag(&cx, tc_layout_verify(&cx, l, &ok), "scope_cycle");
    expect_tag(&cx, tc_layout_canonicalize(&cx, l, &out), "scope_cycle");
    assert_non_null(strstr(cx.message, "circle"));
    tc_arena_free(a);
}

static void overflow_refused(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const int64_t huge = INT64_C(1) << 40, shape[] = {huge, huge, huge};
    const tc_layout *l = tc_layout_row_major(a, shape, 3), *out;
    int64_t n;
    int *seps;
    expect_tag(&cx, tc_layout_size(&cx, l, NULL, &n), "overflow");
    expect_tag(&cx, tc_layout_span(&cx, l, NULL, &n), "overflow");
    expect_tag(&cx, tc_layout_group(&cx, l, (int64_t[]){3}, 1, &out, &seps),
               "overflow");
    tc_swizzle s = {30, 20, 20, true};
    expect_tag(&cx, tc_layout_make_swizzle(&cx, s, &out), "overflow");
    s.swizzle_len = INT64_MIN;
    expect_tag(&cx, tc_layout_make_swizzle(&cx, s, &out), "not_well_formed");
    tc_iter zero[] = {{0, 1, ax("m")}, {4, 1, ax("m")}};
    l = tc_layout_tile(a, zero, 2, NULL, 0, NULL, 0);
    expect_tag(&cx, tc_layout_group(&cx, l, (int64_t[]){0}, 1, &out, &seps),
               "divide_by_zero");
    tc_arena_free(a);
}

/* PTX ISA, tcgen05 data path layout F: row 17 is lane 32 + 1. */
static void datapath_by_hand(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a};
    const tc_layout *l;
    const tc_offset *at;
    int n;
    assert_int_equal(tc_tmem_datapath_layout(&cx, "F", 64, 32, &l),
                     TC_LAYOUT_OK);
    assert_int_equal(tc_layout_apply(&cx, l, (int64_t[]){17, 5}, 2,
                                     (int64_t[]){64, 32}, 2, &at, &n),
                     TC_LAYOUT_OK);
    assert_int_equal(n, 2);
    assert_int_equal(at[0].value, 33);
    assert_int_equal(at[1].value, 5);
    tc_arena_free(a);
}

/* --- random questions ------------------------------------------------------*/

static uint64_t next_random(uint64_t *seed) {
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static int64_t odd_number(uint64_t *seed) {
    static const int64_t odd[] = {0,  1,  2,         3,         4,  8,
                                  16, 32, -1,        -4,        -8, 128,
                                  7,  12, INT64_MAX, INT64_MIN, 6,  INT32_MAX};
    return odd[next_random(seed) % (sizeof odd / sizeof *odd)];
}

static const tc_layout *odd_layout(tc_layout_ctx *cx, uint64_t *seed) {
    tc_iter it[5], rep[2];
    tc_offset off[2];
    int n = (int)(next_random(seed) % 6), nrep = (int)(next_random(seed) % 3);
    const char *const *names = tc_axis_names();
    for (int i = 0; i < 9; i++) {
        uint64_t k = next_random(seed) % 32;
        const tc_axis *axis = k == 31  ? tc_axis_get(cx->arena, "foo")
                              : k < 18 ? ax(names[k])
                                       : tc_axis_m;
        tc_iter one = {odd_number(seed), odd_number(seed), axis};
        if (i < 5) {
            it[i] = one;
        } else if (i < 7) {
            rep[i - 5] = one;
        } else {
            off[i - 7] = (tc_offset){axis, one.stride};
        }
    }
    int noff = off[0].axis == off[1].axis ? 1 : 2;
    const tc_layout *l = tc_layout_tile(cx->arena, it, n, rep, nrep, off, noff),
                    *c = l;
    if (next_random(seed) % 4 == 0) {
        tc_swizzle s = {(int64_t)(next_random(seed) % 6), 3, 3, true};
        tc_layout_compose(cx, s, l, &c);
    }
    return c;
}

static void ask_all(tc_layout_ctx *cx, uint64_t *seed) {
    const tc_layout *l = odd_layout(cx, seed), *m = odd_layout(cx, seed), *o;
    int64_t shape[4], other[4], region[4][2], n;
    const int64_t *each;
    const tc_offset *at;
    int count, *seps, rank = (int)(next_random(seed) % 5);
    bool b;
    for (int i = 0; i < 4; i++) {
        shape[i] = odd_number(seed);
        other[i] = odd_number(seed);
        region[i][0] = odd_number(seed);
        region[i][1] = odd_number(seed);
    }
    tc_layout_size(cx, l, NULL, &n);
    tc_layout_span(cx, l, tc_axis_m, &n);
    tc_layout_canonicalize(cx, l, &o);
    tc_layout_is_trivial(cx, l, &b);
    tc_layout_group(cx, l, shape, rank, &o, &seps);
    tc_layout_apply(cx, l, other, rank, shape, rank, &at, &count);
    tc_layout_apply(cx, l, other, 1, NULL, 0, &at, &count);
    tc_layout_slice(cx, l, shape, rank, (const int64_t(*)[2])region, rank, &o);
    tc_layout_tile_by(cx, l, m, shape, rank, other, rank, &o);
    tc_layout_tile_to(cx, l, shape, rank, other, rank, &o);
    tc_layout_direct_sum(cx, l, m, shape, rank, other, rank, &o);
    tc_layout_is_tile_inner(cx, l, m, shape, rank, other, rank, &o);
    tc_layout_is_tile_outer(cx, l, m, shape, rank, other, rank, &o);
    tc_layout_is_direct_sum_left(cx, l, m, shape, 4, other, 2, &o);
    tc_layout_is_direct_sum_right(cx, l, m, shape, 4, other, 2, &o);
    tc_layout_storage(cx, l, &o);
    tc_layout_pack(cx, l, shape[0], &o);
    tc_layout_unpack(cx, l, shape[0], &o);
    tc_layout_broadcast(cx, l, 2, shape[1], tc_axis_m, &o);
    tc_layout_to_psum(cx, l, &o);
    tc_layout_apply_to_shape(cx, l, other, rank, shape, rank, &each, &count);
}

/* Extents and strides of any size and sign, and ill-formed scopes: refused or
 * answered, never undefined (the sanitizer build watches). */
static void odd_numbers(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        tc_arena *a = tc_arena_new();
        tc_layout_ctx cx = {.arena = a, .target_cuda = i % 2};
        ask_all(&cx, &seed);
        tc_arena_free(a);
    }
}

#endif
