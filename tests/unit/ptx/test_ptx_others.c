/* test_ptx_others.c - instructions beyond arithmetic: our parser takes and
 * refuses what ptxas 13.0 does, and what it takes the simulator executes.
 *
 * A line of tests/ptx/forms.txt.gz is six characters and an instruction: under
 * .version 9.0, for each target below, 1: ptxas takes it, 0: it does not, -: it
 * does, though the ISA has no such form (tests/ptx/forms_lax.txt says which),
 * and we do not. tests/tools/forms.sh makes it from the patterns in
 * tests/ptx/forms.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sample.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TARGETS = 6, A_90 = 2, A_100 = 4 };
static const char *const targets[TARGETS] = {"sm_80",  "sm_90",   "sm_90a",
                                             "sm_100", "sm_100a", "sm_120a"};

/* What issue 5 leaves out: the one thing that the parser may say of it. */
static const char *const unbuilt[] = {"im2col",
                                      "wgmma",
                                      "multimem",
                                      "tcgen05.mma",
                                      "tcgen05.shift",
                                      "b8x16",
                                      "clusterlaunchcontrol"};

static tc_diag_code code; /* of the first message */

static void note(void *user, const tc_diag *d) {
    char *out = user;
    if (out[0] == 0) {
        code = d->code;
        snprintf(out, 200, "%s", d->message);
    }
}

static const tc_ptx_module *parse(tc_arena *a, const char *target,
                                  const char *text, char *message) {
    static const char body[] =
        ".version 9.0\n.target %s\n.address_size 64\n"
        ".global .align 128 .b8 gv[256];\n.const .align 16 .b8 cv[64];\n"
        ".shared .align 128 .b8 sv[256];\n.func nothing() { ret; }\n"
        ".func (.reg .b32 %%o) one(.reg .b32 %%i) { mov.b32 %%o, %%i; ret; }\n"
        ".visible .entry k(.param .b64 kp)\n{\n"
        ".reg .b32 %%r<140>; .reg .b64 %%d<40>; .reg .b16 %%h<90>;\n"
        ".reg .b128 %%q<9>; .reg .pred %%p<9>; .local .align 16 .b8 lv[64];\n"
        "%s\nL: ret;\n}\n";
    tc_source *source = TC_NEW(a, tc_source);
    char *all = tc_alloc(a, sizeof body + strlen(text) + 16);
    snprintf(all, sizeof body + strlen(text) + 16, body, target, text);
    *source = (tc_source){"<form>", all, strlen(all), 1};
    message[0] = 0;
    code = TC_CODE_NONE;
    tc_diags diags = {note, message, 0};
    return tc_ptx_parse(a, source, &diags);
}

static bool is_unbuilt(const char *text) {
    bool named = false;
    for (size_t i = 0; i < sizeof unbuilt / sizeof *unbuilt; i++) {
        named |= strstr(text, unbuilt[i]) != NULL;
    }
    return named && code == TC_CODE_UNBUILT;
}

typedef struct tally {
    long n, wrong, unbuilt, executed;
} tally;

static void say(tally *t, const char *target, const char *text,
                const char *what, const char *message) {
    t->wrong++;
    if (t->wrong <= 40 || getenv("TC_TEST_FORMS") != NULL) {
        fprintf(stderr, "%s %s: %s [%s]\n", target, text, what, message);
    }
}

/* One warp runs it, with all registers zero: what the op does then is not
 * looked at, but it is decoded, and ends. */
static bool executes(const tc_ptx_module *m, const char *arch, bool observed) {
    char message[200] = "";
    tc_diags d = {note, message, 0};
    tc_sim_options o = {.arch = arch,
                        .hazards = observed,
                        .timing = observed,
                        .trace = observed};
    tc_sim *s = tc_sim_new(m, &o, &d);
    uint8_t params[8] = {0};
    tc_sim_launch l = {.entry = "k",
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .params = params,
                       .nparams = sizeof params};
    tc_sim_result r;
    bool ok = s != NULL && tc_sim_run(s, &l, &d, &r);
    tc_sim_free(s);
    return ok;
}

static void judge(tally *t, const char *digits, const char *text, bool all) {
    char message[200];
    for (int i = 0; i < TARGETS; i++) {
        tc_arena *a = tc_arena_new();
        const tc_ptx_module *m = parse(a, targets[i], text, message);
        t->n++;
        if (digits[i] == '1' && m == NULL && is_unbuilt(text)) {
            t->unbuilt++;
        } else if ((digits[i] == '1') != (m != NULL)) {
            say(t, targets[i], text,
                digits[i] == '1' ? "ptxas takes it, we do not"
                                 : "we take it, ptxas (or the ISA) does not",
                message);
        } else if (m != NULL && (i == A_100 || (i == A_90 && all))) {
            t->executed++;
            if (!executes(m, targets[i], t->executed % 2 == 0)) {
                say(t, targets[i], text, "it is not executed", message);
            }
        }
        tc_arena_free(a);
    }
}

static void forms(void **state) {
    (void)state;
    const char *path = getenv("TC_TEST_FORMS");
    gzFile f = gzopen(path ? path : "tests/ptx/forms.txt.gz", "rb");
    assert_non_null(f);
    char line[2048];
    tally t = {0};
    for (int i = 0; gzgets(f, line, sizeof line) != NULL; i++) {
        if (i % SAMPLE != 0) {
            continue;
        }
        line[strcspn(line, "\n")] = 0;
        bool only_90 = line[A_90] == '1' && line[A_100] != '1';
        judge(&t, line, line + TARGETS + 1, only_90);
    }
    gzclose(f);
    printf("%ld judged, %ld otherwise than ptxas does, %ld not built yet; %ld "
           "executed\n",
           t.n, t.wrong, t.unbuilt, t.executed);
    assert_true(t.executed > 5000 / SAMPLE);
    assert_int_equal(t.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
