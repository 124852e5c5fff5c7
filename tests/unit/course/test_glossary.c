/* test_glossary.c - what `explain` knows: every kind of finding and every
 * counter has an entry; each has a sentence, an example and a source; no two
 * have one name. (The pages' examples are run by tests/harness/page.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "course/glossary.h"
#include "sim/sim.h"
#include "tilecopy.h"
#include <jansson.h>

static int read_all(void **state) {
    setenv("TILECOPY_LESSONS", "lessons", 1);
    *state = tc_glossary_read();
    return 0;
}

static int free_all(void **state) {
    tc_glossary_free(*state);
    return 0;
}

static void need(const tc_glossary *g, const char *what, const char *name) {
    if (tc_glossary_find(g, name) == NULL) {
        fail_msg("lessons/glossary/ has no entry for the %s '%s'", what, name);
    }
}

/* A stall that is called as a thing is: "barrier (stall)". */
static void need_stall(const tc_glossary *g, const char *name) {
    char own[64];
    snprintf(own, sizeof own, "%s (stall)", name);
    if (tc_glossary_find(g, own) == NULL) {
        need(g, "stall", name);
    }
}

static void findings_have_entries(void **state) {
    for (int i = 0; i < TC_FINDING_KIND_COUNT; i++) {
        if (tc_finding_kind_names[i] != NULL) {
            need(*state, "finding", tc_finding_kind_names[i]);
        }
    }
#define TC_HOST_FINDING(id, name, counts) need(*state, "finding", name);
#include "runtime/host_findings.def"
}

static void take(void *user, const char *text, size_t len) {
    tc_buf_write(user, text, len);
}

static void counters_have_entries(void **state) {
    tc_buf out = TC_BUF_INIT;
    tc_options o = tc_options_default();
    o.json = true;
    tc_session *s = tc_session_new(&o, NULL, take, &out);
    assert_int_equal(tc_session_load(s, "lessons/ldgsts.py"), TC_OK);
    assert_int_equal(tc_session_eval(s, "run"), TC_OK);
    json_t *reply = json_loads(out.data, 0, NULL);
    json_t *kernel = json_array_get(json_object_get(reply, "kernels"), 0);
    json_t *counters = json_object_get(kernel, "counters");
    assert_true(json_object_size(counters) > 10);
    const char *name;
    json_t *value;
    json_object_foreach(counters, name, value) {
        if (json_is_integer(value)) {
            need(*state, "counter", name);
        }
    }
    for (int i = 0; i < TC_CLASS_COUNT; i++) {
        need(*state, "class", tc_class_names[i]);
    }
    for (int i = 0; i < TC_STALL_COUNT; i++) {
        need_stall(*state, tc_stall_names[i]);
    }
    json_decref(reply);
    tc_session_free(s);
    tc_buf_free(&out);
}

static void codes_have_entries(void **state) {
    need(*state, "diagnostic code", "unbuilt"); /* TC_CODE_UNBUILT */
}

static void entries_are_whole(void **state) {
    const tc_glossary *g = *state;
    assert_true(g->n >= 120);
    for (int i = 0; i < g->n; i++) {
        const tc_glossary_entry *e = &g->items[i];
        if (!e->example || e->source[0] == '\0' || e->first == NULL) {
            fail_msg("'%s' has no %s", e->term,
                     e->example ? "source" : "example");
        }
    }
}

/* Each is found by each of its names. */
static void names_are_its_own(void **state) {
    const tc_glossary *g = *state;
    for (int i = 0; i < g->n; i++) {
        char names[512];
        snprintf(names, sizeof names, "%s,%s", g->items[i].term,
                 g->items[i].also);
        for (char *p = strtok(names, ","); p != NULL; p = strtok(NULL, ",")) {
            const tc_glossary_entry *e =
                tc_glossary_find(g, p + strspn(p, " "));
            if (e != &g->items[i]) {
                fail_msg("'%s' of '%s' is '%s'", p, g->items[i].term,
                         e != NULL ? e->term : "nothing");
            }
        }
    }
}

int main(int argc, char **argv) {
    int status;
    if (tc_session_process(argc, argv, &status)) {
        return status;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_have_entries),
        cmocka_unit_test(counters_have_entries),
        cmocka_unit_test(codes_have_entries),
        cmocka_unit_test(entries_are_whole),
        cmocka_unit_test(names_are_its_own),
    };
    return cmocka_run_group_tests(tests, read_all, free_all);
}
