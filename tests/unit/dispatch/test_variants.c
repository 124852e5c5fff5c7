/* test_variants.c - every row of variants.def has its variant, whole, and the
 * rows stand in TVM's order: priority descending, then name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch/variant.h"
#include <string.h>

static void rows_have_their_variant(void **state) {
    (void)state;
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        const tc_variant *v = tc_variants[i].variant;
        if ((int)v->id != i) {
            fail_msg("%s: its .id is that of %s", tc_variants[i].name,
                     tc_variants[v->id].name);
        }
        if (v->source == NULL || v->npredicates == 0 || v->lower == NULL) {
            fail_msg("%s: it lacks .source, .predicates or .lower",
                     tc_variants[i].name);
        }
        for (int k = 0; k < v->npredicates; k++) {
            assert_non_null(v->predicates[k].name);
            assert_true(v->predicates[k].fn != NULL);
        }
    }
}

static void rows_stand_in_order(void **state) {
    (void)state;
    for (int i = 1; i < TC_VARIANT_COUNT; i++) {
        const tc_variant_row *a = &tc_variants[i - 1], *b = &tc_variants[i];
        if (a->op != b->op) {
            continue;
        }
        if (a->priority < b->priority ||
            (a->priority == b->priority && strcmp(a->name, b->name) >= 0)) {
            fail_msg("%s stands before %s", a->name, b->name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_variant),
        cmocka_unit_test(rows_stand_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
