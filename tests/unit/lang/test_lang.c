/* test_lang.c - lexer and parser. Expected values follow the Python language
 * reference. */
#include "front_fixture.h"

static tc_node *parse_expr(tc_arena *a, const char *text) {
    tc_source *s = TC_NEW(a, tc_source);
    *s = (tc_source){"<test>", text, strlen(text), 1};
    tc_diags d = {0};
    tc_node_list l;
    if (!tc_parse(a, s, &d, &l) || l.n != 1) {
        return NULL;
    }
    return l.items[0]->kind == TC_N_EXPR ? l.items[0]->a : l.items[0];
}

/* A tree as text: (op a b). */
static void show(tc_buf *b, const tc_node *n) {
    switch (n->kind) {
    case TC_N_INT:
        tc_buf_printf(b, "%lld", (long long)n->i);
        break;
    case TC_N_NAME:
    case TC_N_STRING:
        tc_buf_puts(b, n->s);
        break;
    case TC_N_UNARY:
    case TC_N_BINARY:
        tc_buf_printf(b, "(%s ", tc_token_op_text(n->op));
        show(b, n->a);
        if (n->b != NULL) {
            tc_buf_putc(b, ' ');
            show(b, n->b);
        }
        tc_buf_putc(b, ')');
        break;
    case TC_N_IFEXP:
        tc_buf_puts(b, "(if ");
        show(b, n->a);
        tc_buf_putc(b, ' ');
        show(b, n->b);
        tc_buf_putc(b, ' ');
        show(b, n->c);
        tc_buf_putc(b, ')');
        break;
    case TC_N_ATTR:
        show(b, n->a);
        tc_buf_printf(b, ".%s", n->s);
        break;
    case TC_N_SLICE:
        for (int i = 0; i < 3; i++) {
            const tc_node *part = i == 0 ? n->a : i == 1 ? n->b : n->c;
            tc_buf_puts(b, i > 0 ? ":" : "");
            if (part != NULL) {
                show(b, part);
            }
        }
        break;
    default:
        if (n->a != NULL) {
            show(b, n->a);
        }
        tc_buf_puts(b, n->kind == TC_N_SUBSCRIPT ? "[" : "{");
        for (int i = 0; i < n->items.n; i++) {
            tc_buf_puts(b, i > 0 ? "," : "");
            show(b, n->items.items[i]);
        }
        tc_buf_puts(b, n->kind == TC_N_SUBSCRIPT ? "]" : "}");
    }
}

static void check_tree(const char *text, const char *expected) {
    tc_arena *a = tc_arena_new();
    tc_node *n = parse_expr(a, text);
    tc_buf b = TC_BUF_INIT;
    assert_non_null(n);
    show(&b, n);
    assert_string_equal(tc_buf_text(&b), expected);
    tc_buf_free(&b);
    tc_arena_free(a);
}

static void precedence(void **state) {
    (void)state;
    check_tree("1 + 2 * 3", "(+ 1 (* 2 3))");
    check_tree("(1 + 2) * 3", "(* (+ 1 2) 3)");
    check_tree("a - b - c", "(- (- a b) c)");
    check_tree("-a ** 2", "(- (** a 2))");
    check_tree("2 ** -a", "(** 2 (- a))");
    check_tree("2 ** 3 ** 4", "(** 2 (** 3 4))");
    check_tree("a or b and not c", "(or a (and b (not c)))");
    check_tree("a < b < c", "(and (< a b) (< b c))");
    check_tree("(a < b) < c", "(< (< a b) c)");
    check_tree("a | b ^ c & d << 1", "(| a (^ b (& c (<< d 1))))");
    check_tree("1 @ tx + 2", "(+ (@ 1 tx) 2)");
    check_tree("a if b else c if d else e", "(if b a (if d c e))");
    check_tree("a not in b", "(not in a b)");
    check_tree("a is not b", "(is not a b)");
    check_tree("a // b % c", "(% (// a b) c)");
}

static void subscripts(void **state) {
    (void)state;
    check_tree("S[(128, 8) : (1 @ tx, 1)]", "S[{128,8}:{(@ 1 tx),1}:]");
    check_tree("A[0:128, k]", "A[0:128:,k]");
    check_tree("A[:, ::2]", "A[::,::2]");
    check_tree("A[a,]", "A[{a}]");
    check_tree("x.y[1].z", "x.y[1].z");
}

static void literals(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    assert_int_equal(parse_expr(a, "0x1F")->i, 31);
    assert_int_equal(parse_expr(a, "0b1010")->i, 10);
    assert_int_equal(parse_expr(a, "0o17")->i, 15);
    assert_int_equal(parse_expr(a, "1_000_000")->i, 1000000);
    assert_true(parse_expr(a, "1.5e3")->f == 1500.0);
    assert_true(parse_expr(a, ".25")->f == 0.25);
    assert_true(parse_expr(a, "2.")->kind == TC_N_FLOAT);
    assert_string_equal(parse_expr(a, "'a' \"b\"")->s, "ab");
    assert_string_equal(parse_expr(a, "'\\n\\x41\\u00e9'")->s, "\nA\xc3\xa9");
    assert_string_equal(parse_expr(a, "r'\\n'")->s, "\\n");
    assert_string_equal(parse_expr(a, "'''a\nb'''")->s, "a\nb");
    tc_arena_free(a);
}

static int count(const char *text) {
    tc_arena *a = tc_arena_new();
    tc_source s = {"<test>", text, strlen(text), 1};
    tc_diags d = {0};
    tc_node_list l;
    int n = tc_parse(a, &s, &d, &l) ? l.n : -d.errors;
    tc_arena_free(a);
    return n;
}

static void statements(void **state) {
    (void)state;
    assert_int_equal(count("a = 1; b = 2; c = 3\n"), 3);
    assert_int_equal(count("a = 1;\n"), 1);
    assert_int_equal(count("\n# only a comment\n\n"), 0);
    assert_int_equal(count(""), 0);
    assert_int_equal(count("f(a,\n  b,\n)\n"), 1);
    assert_int_equal(count("a = 1 + \\\n  2\n"), 1);
    assert_int_equal(count("if a:\n\tb\n\tc\nelif d:\n\te\nelse:\n\tf\n"), 1);
    assert_int_equal(count("from a.b import (c, d as e,)\n"), 2);
    assert_int_equal(count("import a, b.c as d\n"), 2);
    assert_int_equal(count("@T.prim_func\ndef f(a: T.handle) -> None: pass\n"),
                     1);
    assert_int_equal(count("a = b = c\n"), 1);
    assert_int_equal(count("a, *b = c\n"), 1);
    assert_int_equal(count("\xef\xbb\xbf"
                           "a = 1\r\nb = 2\r\n"),
                     2);
}

static void more(void **state) {
    (void)state;
    assert_true(tc_parse_wants_more("f(1,"));
    assert_true(tc_parse_wants_more("a = [1,\n 2,"));
    assert_true(tc_parse_wants_more("x = '''abc"));
    assert_true(tc_parse_wants_more("x = 1 + \\"));
    assert_true(tc_parse_wants_more("@T.prim_func"));
    assert_true(tc_parse_wants_more("@T.prim_func\n\n"));
    assert_true(tc_parse_wants_more("@T.prim_func\ndef f():"));
    assert_true(tc_parse_wants_more("@T.prim_func\ndef f():\n    pass\n"));
    assert_false(tc_parse_wants_more("@T.prim_func\ndef f():\n    pass\n\n"));
    assert_true(tc_parse_wants_more("if a:\n    b\n"));
    assert_false(tc_parse_wants_more("if a:\n    b\n\n"));
    assert_false(tc_parse_wants_more("a = 1"));
    assert_false(tc_parse_wants_more("a = 1\n"));
    assert_false(tc_parse_wants_more("f(1, $"));
    assert_false(tc_parse_wants_more("x = 'abc"));
    assert_false(tc_parse_wants_more("f(1]"));
    assert_false(tc_parse_wants_more(""));
    assert_false(tc_parse_wants_more("if a:\n    b\n\nc = 1\n"));
}

static const struct {
    const char *text;
    int line, col;
    const char *substring;
} mistakes[] = {
    {"a = (1, 2\n", 1, 5, "never closed"},
    {"a = (1]\n", 1, 7, "does not close"},
    {"a = 1)\n", 1, 6, "never opened"},
    {"a = 'abc\nb = 1\n", 1, 5, "never closed"},
    {"a = 12ab\n", 1, 5, "is no number"},
    {"a = 0x\n", 1, 5, "is no number"},
    {"a = 1__0\n", 1, 5, "is no number"},
    {"a = 017\n", 1, 5, "cannot start with 0"},
    {"a = 99999999999999999999\n", 1, 5, "64 bits"},
    {"a = $b\n", 1, 5, "no meaning"},
    {"a = \xe2\x80\x9cx\xe2\x80\x9d\n", 1, 5, "no meaning"},
    {"a = !b\n", 1, 5, "no meaning"},
    {"if a:\n    b\n  c\n", 3, 1, "matches no block"},
    {"if a:\n        b\n\tc\n", 3, 1, "tabs and spaces"},
    {"  a = 1\n", 1, 1, "indented"},
    {"if a:\nb\n", 2, 1, "block of 'if' is missing"},
    {"else:\n    a\n", 1, 1, "without an 'if'"},
    {"if a = 1:\n    b\n", 1, 6, "'=' assigns"},
    {"1 = a\n", 1, 1, "cannot assign"},
    {"f() = a\n", 1, 1, "cannot assign"},
    {"a b\n", 1, 3, "should end before 'b'"},
    {"f(a b)\n", 1, 5, "expected"},
    {"f(x=1, x=2)\n", 1, 8, "given twice"},
    {"f(x=1, 2)\n", 1, 8, "positional"},
    {"a[]\n", 1, 2, "index is missing"},
    {"a.\n", 1, 3, "a name after '.'"},
    {"a = \n", 1, 5, "an expression"},
    {"class 3:\n    pass\n", 1, 7, "the class's name"},
    {"a = lambda x\n", 1, 13, "':' after the parameters"},
    {"a = [x for x y]\n", 1, 14, "'in' after the variable"},
    {"try:\n    a\nb = 1\n", 3, 1, "'except' or 'finally'"},
    {"except E:\n    a\n", 1, 1, "without a 'try'"},
    {"a = yield b\n", 1, 5, "'yield' is not part"},
    {"@T.prim_func\na = 1\n", 2, 1, "'def' after the decorator"},
    {"def f(a, a):\n    pass\n", 1, 10, "named twice"},
    {"def f(a, *a):\n    pass\n", 1, 11, "named twice"},
    {"for a b in c:\n    d\n", 1, 7, "'in' after the loop variable"},
    {"a = f'{x'\n", 1, 7, "never closed"},
    {"a = f'{}'\n", 1, 7, "an expression is missing"},
    {"a = f'{x y}'\n", 1, 10, "'}' after the expression"},
    {"a = f'{x + }'\n", 1, 12, "an expression"},
    {"a = b'x'\n", 1, 5, "bytes"},
    {"a = 1 \\ 2\n", 1, 7, "after a backslash"},
    {"a = (b := 1)\n", 1, 8, "':='"},
    {"a = '\\x4'\n", 1, 6, "2 hexadecimal"},
    {"from a import\n", 1, 14, "a name to import"},
    {"while a\n    b\n", 1, 8, "':' after the condition"},
};

static void errors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fixture f;
        fixture_run(&f, mistakes[i].text);
        if (f.line != mistakes[i].line || f.col != mistakes[i].col ||
            strstr(f.message, mistakes[i].substring) == NULL) {
            fail_msg("%s-> %d:%d %s", mistakes[i].text, f.line, f.col,
                     f.message);
        }
        fixture_free(&f);
    }
}

/* No depth of nesting may exhaust the stack. */
static void nesting(void **state) {
    (void)state;
    static const char *const units[] = {"(",  "[",   "-",   "not ",        "f(",
                                        "a[", "{1:", "2**", "a if b else "};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        tc_buf b = TC_BUF_INIT;
        for (int i = 0; i < 100000; i++) {
            tc_buf_puts(&b, units[u]);
        }
        assert_int_equal(count(tc_buf_text(&b)), -1);
        tc_buf_free(&b);
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, "a = 1");
    for (int i = 0; i < 100000; i++) {
        tc_buf_puts(&b, " + 1");
    }
    assert_int_equal(count(tc_buf_text(&b)), -1);
    tc_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence), cmocka_unit_test(subscripts),
        cmocka_unit_test(literals),   cmocka_unit_test(statements),
        cmocka_unit_test(more),       cmocka_unit_test(errors),
        cmocka_unit_test(nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
