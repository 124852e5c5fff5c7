/* tests.c - files of tests, as pytest has them: which test made the program. */
#include "commands/commands.h"
#include "commands/script.h"

#include <stdlib.h>
#include <string.h>

const char *tc_tests_wanted(tc_session *s, tc_arena *a, const char *path,
                            tc_tests *tests) {
    const char *at = strstr(path, ".py::");
    *tests = (tc_tests){.chosen = -1};
    if (at != NULL) {
        tests->wanted = at + 5;
        return tc_strndup(a, path, (size_t)(at + 3 - path));
    }
    if (s->test_name != NULL && strcmp(s->test_path, path) == 0) {
        tests->wanted = tc_strdup(a, s->test_name);
        tests->kept = true;
    }
    return path;
}

static int functions(const tc_tests *tests) {
    int n = 0;
    for (int i = 0; i < tests->n; i++) {
        n += tests->items[i].first;
    }
    return n;
}

/* All names: one a line. */
static void list(tc_session *s, const tc_tests *tests, tc_reply *r) {
    json_t *names = json_array();
    for (int i = 0; i < tests->n; i++) {
        json_array_append_new(names, json_string(tests->items[i].name));
        tc_buf_printf(&r->text, "%s\n", tests->items[i].name);
    }
    if (s->options.json) {
        r->json = r->json != NULL ? r->json : json_object();
        json_object_set_new(r->json, "tests", names);
    } else {
        json_decref(names);
    }
}

/* The client asks which: of few all, of many the first of each function. */
static void ask(tc_session *s, const char *path, const tc_tests *tests) {
    enum { FEW = 20 };
    const char **all = TC_NEWN(s->asked, const char *, tests->n);
    tc_client_request q = {.kind = TC_CLIENT_CHOOSE, .commands = all};
    for (int i = 0; i < tests->n; i++) {
        if (tests->n <= FEW || tests->items[i].first) {
            q.chosen = i <= tests->chosen ? q.n : q.chosen;
            all[q.n++] = tc_strdup(s->asked, tests->items[i].name);
        }
    }
    q.path = tc_strdup(s->asked, path);
    s->request = q;
}

static void keep(tc_session *s, const char *path, const char *name) {
    free(s->test_path);
    free(s->test_name);
    s->test_path = tc_xstrdup(path);
    s->test_name = tc_xstrdup(name);
}

void tc_tests_tell(tc_session *s, const tc_source *src, const tc_tests *tests,
                   tc_reply *r) {
    if (tests->wanted != NULL && tests->wanted[0] == '\0') {
        list(s, tests, r);
        return;
    }
    if (tests->chosen < 0) {
        if (tests->n > 0 && tests->wanted == NULL && s->program.func == NULL) {
            tc_diag_report(&s->diags, TC_NOTE, TC_NOWHERE, NULL,
                           "none of its %d tests makes a kernel", tests->n);
        }
        return;
    }
    const char *name = tests->items[tests->chosen].name;
    bool chosen = tests->wanted != NULL;
    if (!chosen && tests->n > 1) {
        int n = functions(tests);
        tc_diag_report(&s->diags, TC_NOTE, TC_NOWHERE, NULL,
                       "%d test%s, %d call%s; this is %s", n, n == 1 ? "" : "s",
                       tests->n, tests->n == 1 ? "" : "s", name);
        tc_diag_report(&s->diags, TC_NOTE, TC_NOWHERE, NULL,
                       "`load %s::NAME` takes another, `load %s::` lists them",
                       src->name, src->name);
        if (s->options.terminal && s->options.view) {
            ask(s, src->name, tests);
        }
    }
    keep(s, src->name, name);
    if (s->options.json) {
        r->json = r->json != NULL ? r->json : json_object();
        json_object_set_new(r->json, "test", json_string(name));
    }
}
