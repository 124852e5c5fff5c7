/* Every row of findings.def, in the words of each of the three sources: all of
 * its fields are known, and it says something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/finding.h"
#include "explain/finding_cuda.h"

#include <string.h>

enum { PTX, SCRIPT, CUDA, SOURCES };

static void check(const char *row, const char *text, const tc_fields *fields) {
    assert_non_null(text);
    const char *unknown = tc_template_unknown(text, fields);
    if (unknown != NULL) {
        fail_msg("%s: there is no field %s", row, unknown);
    }
}

static void kinds(void **state) {
    (void)state;
    static const int priorities[] = {
#define TC_FINDING(id, name, priority, object, message) priority,
#include "sim/findings.def"
    };
    for (int i = 0; i < TC_FINDING_KIND_COUNT; i++) {
        const char *name = tc_finding_kind_names[i];
        check(name, tc_message_template((tc_finding_kind)i),
              tc_message_fields());
        assert_true(*tc_message_template((tc_finding_kind)i) != '\0');
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, tc_finding_kind_names[j]);
            assert_int_not_equal(priorities[i], priorities[j]);
        }
    }
}

static const char *missing_of(tc_missing which, int source) {
    const char *cuda = tc_cuda_missing_template(which);
    return source == CUDA && cuda != NULL
               ? cuda
               : tc_missing_template(which, source == SCRIPT);
}

static void missing(void **state) {
    (void)state;
    static const char *const names[] = {
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda) #id,
#include "sim/findings.def"
    };
    for (int i = 0; i < TC_MISSING_COUNT; i++) {
        for (int source = 0; source < SOURCES; source++) {
            bool own = source == CUDA &&
                       tc_cuda_missing_template((tc_missing)i) != NULL;
            const char *text = missing_of((tc_missing)i, source);
            check(names[i], text,
                  own ? tc_cuda_missing_fields() : tc_missing_fields());
            assert_int_equal(*text == '\0', i == TC_MISSING_NOTHING);
        }
        const char *pending = tc_missing_pending((tc_missing)i);
        if (pending != NULL) {
            check(names[i], pending, tc_message_fields());
        }
    }
}

static void details(void **state) {
    (void)state;
    static const char *const names[] = {
#define TC_DETAIL(id, text, cuda) #id,
#include "sim/findings.def"
    };
    tc_arena *a = tc_arena_new();
    for (int i = 0; i < TC_DETAIL_COUNT; i++) {
        tc_finding f = {.detail = {.row = (tc_detail_id)i,
                                   .function = "f",
                                   .expression = "x",
                                   .file = "a.cu",
                                   .why = "w"}};
        check(names[i], tc_detail_template((tc_detail_id)i),
              tc_detail_fields());
        if (tc_detail_message((tc_detail_id)i) != NULL) {
            check(names[i], tc_detail_message((tc_detail_id)i),
                  tc_message_fields());
        }
        for (int cuda = 0; cuda < 2; cuda++) {
            tc_buf b = TC_BUF_INIT;
            tc_detail_text(&f, cuda, a, &b);
            assert_int_equal(b.len == 0, i == TC_DETAIL_NONE);
            assert_null(strchr(tc_buf_text(&b), '{'));
            assert_true(!cuda || strstr(tc_buf_text(&b), "CTA") == NULL);
            tc_buf_free(&b);
        }
    }
    tc_arena_free(a);
}

/* The test would see a field that nobody writes. */
static void unknown(void **state) {
    (void)state;
    assert_non_null(tc_template_unknown("{at.who} {nobody}", //
                                        tc_message_fields()));
    assert_non_null(tc_template_unknown("{at.nothing}", tc_message_fields()));
    assert_null(tc_template_unknown("{at} {cause.who}", tc_message_fields()));
}

static void suppressions(void **state) {
    (void)state;
    for (int i = 0; i < TC_SUPPRESSION_COUNT; i++) {
        const tc_suppression_row *s = &tc_suppressions[i];
        assert_true(*s->name != '\0' && *s->why != '\0' && *s->source != '\0');
        assert_non_null(s->library[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds), cmocka_unit_test(missing),
        cmocka_unit_test(details), cmocka_unit_test(unknown),
        cmocka_unit_test(suppressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
