/* test_arch.c - the rows of arch.def and target.def: every machine is of a
 * target, has limits that go together, and runs the demo; the parser knows every
 * target in each of its forms, and takes an instruction that needs a feature
 * where the target has it, and nowhere else. What fails names the row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arch.h"
#include "ptx/ptx.h"
#include "sim/launch.h"
#include "tilecopy.h"

#include <stdio.h>
#include <string.h>

/* ---- machines ---- */

static const char *wrong_limit(const tc_machine *m) {
    return m->max_threads_cta == 0 || m->max_threads_cta % 32 != 0 ||
                   m->max_threads_cta > m->max_threads_sm ||
                   m->max_threads_sm % 32 != 0
               ? "threads"
           : m->sms == 0 ? "SMs"
           : m->max_ctas_sm == 0 || m->max_ctas_sm > m->max_threads_sm / 32
               ? "CTAs/SM"
           : m->shared_static > m->shared_cta || m->shared_cta >= m->shared_sm
               ? "shared memory"
           : m->registers_sm < 32 * m->max_threads_sm / 2 ? "registers/SM"
           : m->costs >= TC_COSTS_COLUMNS                 ? "costs"
                                                          : NULL;
}

static void test_machines(void **state) {
    (void)state;
    for (int i = 0; i < tc_narchs; i++) {
        const char *name = tc_arch_names[i];
        const tc_machine *m = tc_machine_find(name);
        assert_non_null(m);
        if (wrong_limit(m) != NULL) {
            fail_msg("%s: the limits of its row do not go together: %s", name,
                     wrong_limit(m));
        }
        char form = name[strlen(name) - 1];
        form = form == 'a' || form == 'f' ? form : 0;
        char full[16];
        snprintf(full, sizeof full, form ? "sm_%d%c" : "sm_%d", m->sm, form);
        if (strcmp(full, name) != 0) {
            fail_msg("%s: its number is %d", name, m->sm);
        }
        const tc_target *t = tc_target_find(m->sm);
        if (form == 'f' || (form == 'a' && t->version_a == 0)) {
            fail_msg("%s: no machine has such a name: target.def", name);
        }
        assert_true(tc_arch_runs(name, m->sm, form));
        assert_string_equal(tc_arch_for(m->sm, form), name);
    }
}

typedef struct client {
    char out[1 << 14], message[512];
    size_t len;
} client;

static void on_text(void *user, const char *text, size_t len) {
    client *c = user;
    if (c->len + len < sizeof c->out) {
        memcpy(c->out + c->len, text, len);
        c->len += len;
        c->out[c->len] = '\0';
    }
}

static void on_diag(void *user, const tc_diag *d) {
    client *c = user;
    if (d->severity == TC_ERROR) {
        snprintf(c->message, sizeof c->message, "%s", d->message);
    }
}

static void test_demo(void **state) {
    (void)state;
    for (int i = 0; i < tc_narchs; i++) {
        static client c;
        c = (client){.len = 0};
        tc_options o = tc_options_default();
        o.arch = tc_arch_names[i];
        tc_session *s = tc_session_new(&o, on_diag, on_text, &c);
        assert_non_null(s);
        if (tc_session_load(s, "lessons/ldgsts.py") != TC_OK ||
            tc_session_eval(s, "run") != TC_OK ||
            strstr(c.out, "B equals A, byte by byte") == NULL) {
            fail_msg("%s: does not run the demo: %s", o.arch, c.message);
        }
        tc_session_free(s);
    }
}

/* ---- targets ---- */

static bool parses(int version, int sm, char form, const char *instruction,
                   char *why, size_t size) {
    char text[400], suffix[2] = {form, '\0'};
    snprintf(text, sizeof text,
             ".version %d.%d\n.target sm_%d%s\n.address_size 64\n"
             ".visible .entry k() {\n%s\nret;\n}\n",
             version / 10, version % 10, sm, suffix, instruction);
    static client c;
    c = (client){.len = 0};
    tc_arena *a = tc_arena_new();
    tc_diags d = {.fn = on_diag, .user = &c};
    tc_source source = {"t.ptx", text, strlen(text), 1};
    bool ok = tc_ptx_parse(a, &source, &d) != NULL;
    snprintf(why, size, "%s", c.message);
    tc_arena_free(a);
    return ok;
}

static int version_of(const tc_target *t, char form) {
    int v = form == 'a'   ? t->version_a
            : form == 'f' ? t->version_f
                          : t->version;
    return v == 0 || v >= 60 ? v : 60; /* the parser reads none before 6.0 */
}

/* The parser takes each form that the row has, and no other. */
static void test_targets(void **state) {
    (void)state;
    static const char forms[] = {0, 'a', 'f'};
    for (int i = 0; i < TC_TARGETS; i++) {
        const tc_target *t = &tc_targets[i];
        assert_true(i == 0 || tc_targets[i - 1].sm < t->sm);
        assert_true(tc_target_find(t->sm) == t);
        for (int f = 0; f < 3; f++) {
            char why[512];
            int version = version_of(t, forms[f]);
            bool is = parses(version ? version : 90, t->sm, forms[f], "", why,
                             sizeof why);
            if (is != (version != 0)) {
                fail_msg("sm_%d%c: the parser says '%s'", t->sm, forms[f], why);
            }
        }
        if ((t->version_f != 0) != (t->family != 0)) {
            fail_msg("sm_%d: a family without a form 'f', or that without a "
                     "family",
                     t->sm);
        }
    }
}

/* An instruction that a target has if and only if it has the feature; of atoms
 * there is none (it is the tensor map that has them). */
static const struct {
    unsigned feature;
    bool suffix;
    const char *name, *instruction;
} needs[] = {
    {TC_TARGET_CLUSTERS, false, "clusters", "barrier.cluster.arrive;"},
    {TC_TARGET_CLUSTERS, false, "clusters",
     "{ .reg .b32 %a; mapa.shared::cluster.u32 %a, %a, 1; }"},
    {TC_TARGET_TMEM, true, "tensor memory",
     "tcgen05.fence::before_thread_sync;"},
    {TC_TARGET_TMEM, true, "tensor memory",
     "{ .reg .f32 %f; redux.sync.min.f32 %f, %f, -1; }"},
};

static void test_features(void **state) {
    (void)state;
    for (int i = 0; i < TC_TARGETS; i++) {
        const tc_target *t = &tc_targets[i];
        char form = t->version_a ? 'a' : 0;
        for (size_t k = 0; k < sizeof needs / sizeof *needs; k++) {
            char why[512];
            bool has = (t->features & needs[k].feature) != 0;
            if (parses(90, t->sm, form, needs[k].instruction, why,
                       sizeof why) != has) {
                fail_msg("sm_%d: its row %s %s, and of %s the parser says '%s'",
                         t->sm, has ? "has" : "has no", needs[k].name,
                         needs[k].instruction, why);
            }
            if (has && needs[k].suffix &&
                parses(90, t->sm, 0, needs[k].instruction, why, sizeof why)) {
                fail_msg("sm_%d without 'a' takes %s", t->sm,
                         needs[k].instruction);
            }
        }
    }
    assert_int_equal(tc_target_first(TC_TARGET_CLUSTERS), 90);
    assert_int_equal(tc_target_first(TC_TARGET_TMEM), 100);
    assert_true(
        tc_target_has(130, TC_TARGET_CLUSTERS)); /* newer than the table */
    assert_false(tc_target_has(20, TC_TARGET_CLUSTERS));
}

/* As ptxas 13.0 -arch sm_<on> takes and refuses modules. */
static void test_families(void **state) {
    (void)state;
    static const struct {
        int sm;
        char form;
        int on;
        bool runs;
    } rows[] = {
        {80, 0, 90, true},      {90, 0, 80, false},     {90, 'a', 90, true},
        {90, 'a', 100, false},  {100, 0, 120, true},    {100, 'f', 100, true},
        {100, 'f', 103, true},  {100, 'f', 110, false}, {100, 'f', 120, false},
        {103, 'f', 100, false}, {103, 'f', 103, true},  {101, 'f', 110, true},
        {101, 'f', 103, false}, {120, 'f', 121, true},  {121, 'f', 120, false},
        {120, 'a', 121, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (tc_target_runs(rows[i].sm, rows[i].form, rows[i].on) !=
            rows[i].runs) {
            fail_msg("sm_%d%c on sm_%d", rows[i].sm,
                     rows[i].form ? rows[i].form : ' ', rows[i].on);
        }
    }
    assert_string_equal(tc_arch_for(86, 0), "sm_90a");
    assert_string_equal(tc_arch_for(100, 0), "sm_100a");
    assert_null(tc_arch_for(103, 'a'));
    assert_false(tc_arch_runs("sm_90", 90, 'a'));
    assert_false(tc_arch_runs("sm_91", 80, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines), cmocka_unit_test(test_demo),
        cmocka_unit_test(test_targets),  cmocka_unit_test(test_features),
        cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
