/* tcgen05_program.h - what the tests of tensor memory have in common. Include
 * after cmocka.h. */
#ifndef TC_TESTS_TCGEN05_PROGRAM_H
#define TC_TESTS_TCGEN05_PROGRAM_H

#include "dispatch_program.h"
#include "emit_build.h"
#include "texts.h"

static const tc_verdict *verdict_of(const program *p, tc_variant_id id) {
    const tc_decision *d = &p->decisions.items[0];
    for (int i = 0; i < d->nverdicts; i++) {
        if (d->verdicts[i].variant->id == id) {
            return &d->verdicts[i];
        }
    }
    fail();
    return NULL;
}

static void read_or_fail(program *p, const char *text) {
    if (!program_read(p, text)) {
        fprintf(stderr, "%s\n%s\n", p->message, text);
        fail();
    }
}

static texts both_texts(program *p) {
    tc_lowered *l = tc_lower(p->a, p->func, &p->decisions, &p->diags);
    if (l == NULL) {
        fprintf(stderr, "%s\n", p->message);
        fail();
    }
    texts t = emit_both(p->a, l, 0);
    if (t.errors > 0) {
        fprintf(stderr, "%s\n", t.message);
    }
    assert_int_equal(t.errors, 0);
    return t;
}

static void same_issue(const tc_verdict *v, tc_op op, const char *shape,
                       int64_t times, const int64_t *ints, int n) {
    assert_int_equal(v->nissues, 1);
    assert_int_equal(v->issues[0].op, op);
    assert_string_equal(v->issues[0].str, shape);
    assert_int_equal(v->issues[0].times, times);
    assert_int_equal(v->issues[0].nints, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(v->issues[0].ints[i], ints[i]);
    }
}

#endif
