/* Pictures of layouts. What is expected was worked out by hand from the
 * definition of a layout: element -> digits -> sum of digit * stride. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout/algebra.h"
#include "layout/picture.h"
#include "tilecopy.h"
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a session whose answers are kept ------------------------------------- */

typedef struct prompt {
    tc_session *session;
    tc_buf answer;
    char error[256];
} prompt;

static void on_output(void *user, const char *text, size_t len) {
    tc_buf_write(&((prompt *)user)->answer, text, len);
}

static void on_diag(void *user, const tc_diag *d) {
    prompt *p = user;
    snprintf(p->error, sizeof p->error, "%s", d->message);
}

static void open_prompt(prompt *p, bool json) {
    tc_options o = tc_options_default();
    *p = (prompt){.session = NULL};
    o.json = json;
    p->session = tc_session_new(&o, on_diag, on_output, p);
    assert_non_null(p->session);
}

static void close_prompt(prompt *p) {
    tc_session_free(p->session);
    tc_buf_free(&p->answer);
}

static tc_status type(prompt *p, const char *line) {
    tc_buf_clear(&p->answer);
    p->error[0] = '\0';
    return tc_session_eval(p->session, line);
}

/* Every line of `want` stands in the answer, in this order, and nothing else
 * does below its first line (which is the layout's text). */
static void expect(prompt *p, const char *line, const char *want) {
    if (type(p, line) != TC_OK) {
        print_message("%s: %s\n", line, p->error);
        fail();
    }
    const char *got = strchr(tc_buf_text(&p->answer), '\n');
    assert_non_null(got);
    assert_string_equal(got + 1, want);
}

static void expect_line(prompt *p, const char *line, const char *want) {
    assert_int_equal(type(p, line), TC_OK);
    if (strstr(tc_buf_text(&p->answer), want) == NULL) {
        print_message("%s\nlacks: %s\n%s", line, want, tc_buf_text(&p->answer));
        fail();
    }
}

/* --- by hand -------------------------------------------------------------- */

/* Element (r, c) of S[(8, 8) : (8, 1)] lies at 8r + c. */
static void row_major(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    expect(&p, "show TileLayout(S[(8, 8) : (8, 1)])",
           "  8 x 8 elements; a cell is m: offset in memory\n"
           "       0  1  2  3  4  5  6  7\n"
           "    0  0  1  2  3  4  5  6  7\n"
           "    1  8  9 10 11 12 13 14 15\n"
           "    2 16 17 18 19 20 21 22 23\n"
           "    3 24 25 26 27 28 29 30 31\n"
           "    4 32 33 34 35 36 37 38 39\n"
           "    5 40 41 42 43 44 45 46 47\n"
           "    6 48 49 50 51 52 53 54 55\n"
           "    7 56 57 58 59 60 61 62 63\n");
    /* column-major, shifted: r + 4c + 100 */
    expect(&p, "show TileLayout(S[(4, 2) : (1, 4)] + 100)",
           "  4 x 2 elements; a cell is m: offset in memory\n"
           "        0   1\n"
           "    0 100 104\n"
           "    1 101 105\n"
           "    2 102 106\n"
           "    3 103 107\n");
    close_prompt(&p);
}

/* Unit u (8 elements) of row r lies where unit u XOR r lies otherwise: row 1
 * begins with unit 9, elements 72..79; row 3 (units 24..31) with unit 27. */
static void swizzle(void **state) {
    (void)state;
    static const char want[] =
        "    0     0-7    8-15   16-23   24-31   32-39   40-47   48-55   "
        "56-63\n"
        "    1   72-79   64-71   88-95   80-87 104-111  96-103 120-127 "
        "112-119\n"
        "    2 144-151 152-159 128-135 136-143 176-183 184-191 160-167 "
        "168-175\n"
        "    3 216-223 208-215 200-207 192-199 248-255 240-247 232-239 "
        "224-231\n"
        "    4 288-295 296-303 304-311 312-319 256-263 264-271 272-279 "
        "280-287\n"
        "    5 360-367 352-359 376-383 368-375 328-335 320-327 344-351 "
        "336-343\n"
        "    6 432-439 440-447 416-423 424-431 400-407 408-415 384-391 "
        "392-399\n"
        "    7 504-511 496-503 488-495 480-487 472-479 464-471 456-463 "
        "448-455\n";
    prompt p;
    open_prompt(&p, false);
    expect_line(&p,
                "show ComposeLayout(SwizzleLayout(3, 3, 3), "
                "TileLayout(S[8, 64]))",
                want);
    expect_line(&p, "show SwizzleLayout(3, 3, 3)",
                "   64   72-79   64-71   88-95   80-87 104-111  96-103 120-127 "
                "112-119\n");
    expect_line(&p, "show SwizzleLayout(3, 3, 3)",
                "swizzle: units of 8 elements; bits 3-5 of a unit's number are "
                "XORed into its\n    bits 0-2\n");
    /* outer: the low bit, 1 << 0, goes to bit 1 of the number */
    expect(&p, "show SwizzleLayout(0, 1, 1, swizzle_inner=False)",
           "  4 elements; a cell is m: offset in memory\n"
           "  swizzle: units of 1 element; bit 0 of a unit's number is XORed "
           "into its bit 1\n"
           "      0 1\n"
           "    0 0 3\n"
           "    2 2 1\n");
    close_prompt(&p);
}

/* The accumulator fragment of mma.m16n8: lane 4r + c/2 holds (r, c), register
 * c % 2. */
static void lanes(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    expect(&p,
           "show TileLayout(S[(4, 4, 2) : (4@laneid, 1@laneid, 1)]) --shape "
           "4,8",
           "  4 x 8 elements; a cell is laneid.m: lane of the warp, offset in "
           "its own memory\n"
           "         0    1    2    3    4    5    6    7\n"
           "    0  0.0  0.1  1.0  1.1  2.0  2.1  3.0  3.1\n"
           "    1  4.0  4.1  5.0  5.1  6.0  6.1  7.0  7.1\n"
           "    2  8.0  8.1  9.0  9.1 10.0 10.1 11.0 11.1\n"
           "    3 12.0 12.1 13.0 13.1 14.0 14.1 15.0 15.1\n");
    /* three dimensions: a slice for each of the first */
    expect(&p, "show TileLayout(S[(2, 2, 2) : (4@laneid, 1@laneid, 1)])",
           "  2 x 2 x 2 elements; a cell is laneid.m: lane of the warp, offset "
           "in its own\n    memory\n"
           "  [0, :, :]\n"
           "        0   1\n"
           "    0 0.0 0.1\n"
           "    1 1.0 1.1\n"
           "  [1, :, :]\n"
           "        0   1\n"
           "    0 4.0 4.1\n"
           "    1 5.0 5.1\n");
    /* one dimension, in rows of 16 */
    expect(&p, "show TileLayout(S[(4, 8) : (8@tx, 1@tx)]) --shape 32",
           "  32 elements; a cell is tx: thread of the CTA\n"
           "       0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n"
           "    0  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n"
           "   16 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31\n");
    close_prompt(&p);
}

static void replicas(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    expect(&p,
           "show TileLayout(S[(2, 2) : (1@TLane, 1@TCol)] + R[4 : "
           "32@TLane])",
           "  2 x 2 elements; a cell is TLane.TCol: lane of tensor memory, "
           "column of tensor\n    memory (in elements)\n"
           "  each element lives in 4 places (a|b on TLane)\n"
           "                 0            1\n"
           "    0 0|32|64|96.0 0|32|64|96.1\n"
           "    1 1|33|65|97.0 1|33|65|97.1\n");
    expect_line(&p, "show TileLayout(S[2] + R[(2, 2) : (1@warpid, 8@laneid)])",
                "  each element lives in 4 places: the one shown and those at "
                "laneid+8, warpid+1,\n    warpid+1 laneid+8\n");
    /* data path F: row r is lane (r / 16) * 32 + r % 16 */
    assert_int_equal(type(&p, "f = tmem_datapath_layout('F', 64, 8)"), TC_OK);
    expect_line(&p, "show f[16:18, :] --shape 64,8",
                "   16 32.0 32.1 32.2 32.3 32.4 32.5 32.6 32.7\n"
                "   17 33.0 33.1 33.2 33.3 33.4 33.5 33.6 33.7\n");
    close_prompt(&p);
}

/* Two halves fill a bank's 4 bytes; 32 banks are 64 halves. */
static void banks(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[(64, 40) : (40, 1)])"), TC_OK);
    expect_line(&p, "show s[1, 0:4] --dtype float16",
                "    1  40 b20  41 b20  42 b21  43 b21\n");
    expect_line(&p, "show s[63, 38:40] --dtype float64",
                "   63  2558 b28-29  2559 b30-31\n");
    expect_line(&p, "show s[2, 0:2] --dtype int8", "    2  80 b20  81 b20\n");
    close_prompt(&p);
}

/* 128 bytes a row: unit u of row r, 16 bytes, lies in the four banks from
 * 4 * (u XOR r). Cells with offsets would not fit 80 columns. */
static void banks_of_a_swizzle(void **state) {
    (void)state;
    static const char line[] =
        "show mma_shared_layout('float16', 3, (8, 64)) --shape 8,64 --dtype "
        "float16";
    tc_buf want = TC_BUF_INIT;
    prompt p;
    for (int r = 0; r < 8; r++) {
        tc_buf_printf(&want, "    %d", r);
        for (int u = 0; u < 8; u++) {
            char cell[16];
            int bank = 4 * (u ^ r);
            snprintf(cell, sizeof cell, "b%d-%d", bank, bank + 3);
            tc_buf_printf(&want, " %6s", cell);
        }
        tc_buf_putc(&want, '\n');
    }
    open_prompt(&p, false);
    expect_line(&p, line, tc_buf_text(&want));
    expect_line(&p, line, "a cell is b: bank of shared memory (first-last)\n");
    tc_buf_free(&want);
    close_prompt(&p);
}

/* --- the page ------------------------------------------------------------- */

static int longest_line(const char *text) {
    int longest = 0;
    while (*text != '\0') {
        int n = (int)strcspn(text, "\n");
        longest = n > longest ? n : longest;
        text += n + (text[n] == '\n');
    }
    return longest;
}

static void fits_the_width(void **state) {
    (void)state;
    static const char *const shown[] = {
        "show s",
        "show t",
        "show w",
    };
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[128, 256])"), TC_OK);
    assert_int_equal(type(&p, "t = TileLayout(S[(64, 96) : (1, 64)])"), TC_OK);
    assert_int_equal(type(&p, "w = TileLayout(S[4096 : 1@tx])"), TC_OK);
    for (int width = 30; width <= 200; width += 17) {
        char set[32];
        snprintf(set, sizeof set, "set width %d", width);
        assert_int_equal(type(&p, set), TC_OK);
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            assert_int_equal(type(&p, shown[i]), TC_OK);
            const char *picture = strchr(tc_buf_text(&p.answer), '\n') + 1;
            if (longest_line(picture) > width) {
                print_message("%s at %d:\n%s", shown[i], width, picture);
                fail();
            }
        }
    }
    close_prompt(&p);
}

/* What is left out is said, and the hint shows it. */
static void parts(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[128, 32])"), TC_OK);
    expect_line(&p, "show s",
                "  ...\n"
                "  127 4064-4071 4072-4079 4080-4087 4088-4095\n"
                "  111 of 128 rows are not shown\n"
                "  to see a part of the rest: show s[16:32, :]\n");
    expect(&p, "show s[126:128, 30:]",
           "  128 x 32 elements; a cell is m: offset in memory\n"
           "        30   31\n"
           "  126 4062 4063\n"
           "  127 4094 4095\n");
    assert_int_equal(type(&p, "t = TileLayout(S[(4, 96) : (1, 4)])"), TC_OK);
    expect_line(&p, "show t", " columns are not shown\n");
    expect_line(&p, "show t", "show t[:, ");
    close_prompt(&p);
}

static void refusals(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "show s[0:129, :]",
        "show s[5:5]",
        "show s[1, 2, 3]",
        "show s[a]",
        "show s[",
        "show s --shape 4",
        "show s --shape 0,1",
        "show s --shape",
        "show s --dtype floaty",
        "show s --svg /no/such/place.svg",
        "show s --colour red",
        "show n --svg x.svg",
        "show --svg x.svg",
        "show nosuch",
        "show TileLayout(S[8)",
        "show x = 3",
        "show TileLayout(S[0])",
        "show TileLayout(S[(-2, 4) : (1, 1)])",
        "show TileLayout(S[8 : 1@bx] + R[0 : 1])",
        "show TileLayout(S[1000000, 1000000, 1000000, 1000000])",
    };
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[128, 32])"), TC_OK);
    assert_int_equal(type(&p, "n = 3"), TC_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (type(&p, wrong[i]) == TC_OK || p.error[0] == '\0') {
            print_message("%s: was not refused\n", wrong[i]);
            fail();
        }
    }
    close_prompt(&p);
}

/* --- SVG ------------------------------------------------------------------ */

/* A little XML: elements nest and end, attributes are quoted, text has no bare
 * '<' or '&'. Counts the elements called `name`. */
static int check_xml(const char *p, const char *name) {
    char open[32][16];
    int depth = 0, count = 0;
    assert_int_equal(strncmp(p, "<?xml ", 6), 0);
    p = strstr(p, "?>") + 2;
    while (*p != '\0') {
        if (*p == '&') {
            size_t n = strcspn(p, ";");
            assert_true(n <= 5 && p[n] == ';');
        }
        if (*p++ != '<') {
            assert_true((unsigned char)p[-1] >= 0x20 || p[-1] == '\n');
            continue;
        }
        bool end = *p == '/';
        p += end;
        size_t n = 0;
        while (isalpha((unsigned char)p[n])) {
            n++;
        }
        assert_true(n > 0 && n < 16);
        if (end) {
            assert_true(depth > 0 && strncmp(open[depth - 1], p, n) == 0 &&
                        open[depth - 1][n] == '\0' && p[n] == '>');
            depth--;
            p += n + 1;
            continue;
        }
        count += strlen(name) == n && strncmp(p, name, n) == 0;
        assert_true(depth < 32);
        memcpy(open[depth], p, n);
        open[depth++][n] = '\0';
        p += n;
        while (*p == ' ') {
            p += strcspn(p, "=\"<>") + 1;
            assert_int_equal(*p, '"');
            p += 1 + strcspn(p + 1, "\"<");
            assert_int_equal(*p++, '"');
        }
        depth -= *p == '/';
        p += *p == '/';
        assert_int_equal(*p++, '>');
    }
    assert_int_equal(depth, 0);
    return count;
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    tc_buf b = TC_BUF_INIT;
    char block[4096];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0) {
        tc_buf_write(&b, block, n);
    }
    fclose(f);
    return b.data;
}

static size_t svg_bytes;
static int svg_cells; /* that runs of colour cover */

static int svg_rects(prompt *p, const char *subject, const char *must_hold) {
    char path[] = "/tmp/tilecopy-picture-XXXXXX", line[512];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(line, sizeof line, "show %s --svg %s", subject, path);
    if (type(p, line) != TC_OK) {
        print_message("%s: %s\n", line, p->error);
        fail();
    }
    char *svg = read_file(path);
    unlink(path);
    int rects = check_xml(svg, "rect");
    svg_bytes = strlen(svg);
    svg_cells = 0;
    for (const char *d = svg; (d = strstr(d, "<path stroke=\"#")) != NULL;) {
        bool rules = strncmp(d, "<path stroke=\"#fff\"", 19) == 0;
        for (d = strstr(d, " d=") + 4; *d != '"'; d++) {
            svg_cells += !rules && *d == 'h' ? atoi(d + 1) : 0;
        }
    }
    if (strstr(svg, must_hold) == NULL) {
        print_message("%s lacks %s\n", line, must_hold);
        fail();
    }
    free(svg);
    return rects;
}

/* Of many elements a colour is one path: the cells that its runs cover, all
 * colours together, are as many as there are elements. */
static void test_svg_many(void **state) {
    (void)state;
    static const char *const subjects[] = {
        "TileLayout(S[128, 32])",
        "TileLayout(S[(128, 32) : (32@laneid, 1)])",
        "A_smem",
    };
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "load lessons/ldgsts.py"), TC_OK);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        assert_int_equal(svg_rects(&p, subjects[i], "<path stroke=\"#cfe2ff\""),
                         1);
        assert_true(svg_bytes < 60000);
        assert_int_equal(svg_cells, 128 * 32);
    }
    close_prompt(&p);
}

/* A rectangle for each element, and one behind them all. */
static void svg(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(
        svg_rects(&p, "TileLayout(S[8, 8])", "<title>[7, 7]: m 63</title>"),
        65);
    assert_int_equal(
        svg_rects(&p,
                  "ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[8, "
                  "64]))",
                  "<title>[1, 0]: m 72</title>"),
        513);
    assert_int_equal(svg_rects(&p,
                               "TileLayout(S[(2, 4) : (4@laneid, 1@laneid)] + "
                               "R[2 : 16@laneid])",
                               "[1, 2]: laneid 6; also laneid 22<"),
                     9);
    assert_int_equal(
        svg_rects(&p, "TileLayout(S[(8,) : ((1, \"a<&b\"),)])", "a&lt;&amp;b"),
        9);
    assert_int_equal(svg_rects(&p, "TileLayout(S[4, 40]) --dtype float16",
                               "[1, 0]: m 40, bank 20<"),
                     161);
    assert_int_equal(type(&p, "load lessons/ldgsts.py"), TC_OK);
    assert_int_equal(svg_rects(&p, "A_smem[0:16, :]", "A_smem = TileLayout"),
                     513);
    close_prompt(&p);
}

static void as_json(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, true);
    assert_int_equal(type(&p, "load lessons/ldgsts.py"), TC_OK);
    assert_int_equal(type(&p, "show A_smem"), TC_OK);
    json_t *j = json_loads(tc_buf_text(&p.answer), 0, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "dtype")),
                        "float16");
    assert_string_equal(json_string_value(json_object_get(j, "space")),
                        "shared");
    assert_true(json_is_object(json_object_get(j, "value")));
    assert_non_null(
        strstr(json_string_value(json_object_get(j, "picture")), "0-7 b0-3"));
    json_decref(j);
    close_prompt(&p);
}

/* --- random layouts: drawn or refused, never worse ------------------------ */

static uint64_t next_random(uint64_t *seed) {
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static int64_t odd_number(uint64_t *seed) {
    static const int64_t odd[] = {1,  2, 3,  4,   8,         16,        32, 5,
                                  -1, 0, -8, 128, INT64_MAX, INT64_MIN, 1,  7};
    return odd[next_random(seed) % (next_random(seed) % 3 ? 8 : 16)];
}

static const tc_layout *odd_layout(tc_layout_ctx *cx, uint64_t *seed) {
    const char *const *names = tc_axis_names();
    tc_iter it[6];
    tc_offset off[1];
    for (int i = 0; i < 6; i++) {
        const tc_axis *a = tc_axis_find(names[next_random(seed) % 18]);
        it[i] = (tc_iter){odd_number(seed), odd_number(seed),
                          next_random(seed) % 2 ? tc_axis_m : a};
    }
    off[0] = (tc_offset){it[5].axis, it[5].stride};
    const tc_layout *l = tc_layout_tile(
        cx->arena, it, (int)(next_random(seed) % 5), it + 4,
        (int)(next_random(seed) % 2), off, (int)(next_random(seed) % 2));
    if (next_random(seed) % 4 == 0) {
        tc_swizzle s = {(int64_t)(next_random(seed) % 4), 2,
                        2 + (int64_t)(next_random(seed) % 3),
                        next_random(seed) % 2 == 0};
        tc_layout_compose(cx, s, l, &l);
    }
    return l;
}

static void odd_pictures(void **state) {
    (void)state;
    uint64_t seed = 7;
    int drawn = 0;
    for (int i = 0; i < 3000; i++) {
        tc_arena *a = tc_arena_new();
        tc_layout_ctx cx = {.arena = a, .target_cuda = true};
        tc_picture_options ask = {.max_rows = 2 + (int)(next_random(&seed) % 8),
                                  .max_cols = 40,
                                  .bits = 16,
                                  .shared = i % 2,
                                  .width = 20 + i % 100};
        const tc_layout *l = odd_layout(&cx, &seed);
        tc_picture *p;
        tc_buf b = TC_BUF_INIT;
        if (tc_picture_make(&cx, l, &ask, &p) == TC_LAYOUT_OK) {
            tc_picture_text(p, "x", 20 + i % 100, &b);
            tc_buf_clear(&b);
            tc_picture_svg(p, "<x>", &b);
            check_xml(tc_buf_text(&b), "rect");
            drawn++;
        } else {
            assert_non_null(cx.message);
        }
        tc_buf_free(&b);
        tc_arena_free(a);
    }
    print_message("%d of 3000 odd layouts have a picture\n", drawn);
    assert_true(drawn > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_major),      cmocka_unit_test(swizzle),
        cmocka_unit_test(lanes),          cmocka_unit_test(replicas),
        cmocka_unit_test(banks),          cmocka_unit_test(banks_of_a_swizzle),
        cmocka_unit_test(fits_the_width), cmocka_unit_test(parts),
        cmocka_unit_test(refusals),       cmocka_unit_test(svg),
        cmocka_unit_test(test_svg_many),  cmocka_unit_test(as_json),
        cmocka_unit_test(odd_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
