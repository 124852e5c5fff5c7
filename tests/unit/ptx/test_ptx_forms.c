/* test_ptx_forms.c - our parser takes and refuses the same arithmetic
 * instructions as ptxas 13.0 does.
 *
 * A line of tests/ptx/arith_forms.txt.gz is three digits and an instruction:
 * whether ptxas takes it, under .version 9.0, for sm_80, sm_90a and sm_100a.
 * The instructions are products of opcodes, modifiers, types and operands, all
 * that ptxas takes in them and a sample of what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};

static const char *path(void) {
    const char *other = getenv("TC_TEST_FORMS");
    return other ? other : "tests/ptx/arith_forms.txt.gz";
}

static void note(void *user, const tc_diag *d) {
    char *out = user;
    if (out[0] == 0) {
        snprintf(out, 200, "%s", d->message);
    }
}

static bool takes(const char *target, const char *text, char *message) {
    static const char body[] =
        ".version 9.0\n.target %s\n.address_size 64\n"
        ".global .align 16 .b8 gv[64];\n.const .align 16 .b8 cv[64];\n"
        ".visible .entry k(.param .b64 kp)\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .b16 %%h<9>;\n"
        ".reg .b8 %%c<9>; .reg .b128 %%q<9>; .reg .pred %%p<9>;\n"
        ".shared .align 16 .b8 sv[64]; .local .align 16 .b8 lv[64];\n"
        "%s\nret;\n}\n";
    char all[1024];
    snprintf(all, sizeof all, body, target, text);
    tc_arena *a = tc_arena_new();
    tc_source source = {"<form>", all, strlen(all), 1};
    message[0] = 0;
    tc_diags diags = {note, message, 0};
    bool ok = tc_ptx_parse(a, &source, &diags) != NULL;
    tc_arena_free(a);
    return ok;
}

static void forms(void **state) {
    (void)state;
    gzFile f = gzopen(path(), "rb");
    assert_non_null(f);
    char line[256], message[200];
    long n = 0, wrong = 0;
    while (gzgets(f, line, sizeof line) != NULL) {
        line[strcspn(line, "\n")] = 0;
        for (int t = 0; t < 3; t++) {
            bool want = line[t] == '1';
            bool got = takes(targets[t], line + 4, message);
            n++;
            if (want != got) {
                wrong++;
                if (wrong <= 40 || getenv("TC_TEST_FORMS") != NULL) {
                    fprintf(stderr, "%s %s: ptxas %s it, we %s [%s]\n",
                            targets[t], line + 4, want ? "takes" : "refuses",
                            got ? "take it" : "do not", message);
                }
            }
        }
    }
    gzclose(f);
    printf("%ld forms, %ld judged otherwise than ptxas does\n", n, wrong);
    assert_true(n > 10000);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
