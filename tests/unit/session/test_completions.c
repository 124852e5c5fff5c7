/* test_completions.c - a correct program leaves the same bytes, and yields no
 * finding, whenever its copies land: every lesson and every program that the
 * GPU was asked about, under each completion setting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "tilecopy.h"
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sink {
    char text[1 << 16];
    size_t len;
} sink;

static void keep(void *user, const char *text, size_t len) {
    sink *s = user;
    if (s->len + len < sizeof s->text) {
        memcpy(s->text + s->len, text, len);
        s->len += len;
    }
    s->text[s->len] = '\0';
}

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    static char text[1 << 16];
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

/* The bytes that the program left, as the hashes of its buffers. */
static json_t *run(const char *path, const char *const *settings) {
    static sink out;
    tc_options o = tc_options_default();
    o.json = true;
    o.arch = strstr(path, "tcgen05") ? "sm_100a" : NULL;
    tc_session *s = tc_session_new(&o, NULL, keep, &out);
    assert_int_equal(tc_session_eval(s, read_text(path)), TC_OK);
    for (int i = 0; i < 2 && settings[i]; i++) {
        assert_int_equal(tc_session_eval(s, settings[i]), TC_OK);
    }
    out.len = 0;
    tc_session_eval(s, "run");
    tc_session_free(s);
    json_t *j = json_loads(out.text, 0, NULL);
    assert_non_null(j);
    const char *status = json_string_value(json_object_get(j, "status"));
    if (!status || strcmp(status, "ok") != 0) {
        fail_msg("%s, %s: %.300s", path, settings[0] ? settings[0] : "timing",
                 out.text);
    }
    json_t *hashes = json_array(), *b;
    size_t i;
    json_array_foreach(json_object_get(j, "buffers"), i, b) {
        json_array_append(hashes, json_object_get(b, "fnv1a64"));
    }
    json_decref(j);
    return hashes;
}

static void same_everywhere(const char *path) {
    static const char *const settings[][2] = {
        {NULL, NULL},
        {"set completion early", NULL},
        {"set completion late", NULL},
        {"set completion random 1", NULL},
        {"set completion random 2", NULL},
        {"set timing off", NULL},
        {"set timing off", "set completion early"},
        {"set timing off", "set completion random 3"},
    };
    json_t *first = run(path, settings[0]);
    for (size_t i = 1; i < sizeof settings / sizeof *settings; i++) {
        json_t *other = run(path, settings[i]);
        if (!json_equal(first, other)) {
            fail_msg("%s: other bytes under %s", path, settings[i][0]);
        }
        json_decref(other);
    }
    json_decref(first);
}

static void test_programs(void **state) {
    (void)state;
    static const char *const places[] = {"lessons/*.py", "tests/gpu/*.py"};
    size_t n = 0;
    for (int p = 0; p < 2; p++) {
        glob_t g = {0};
        assert_int_equal(glob(places[p], 0, NULL, &g), 0);
        for (size_t i = 0; i < g.gl_pathc; i++, n++) {
            same_everywhere(g.gl_pathv[i]);
        }
        globfree(&g);
    }
    assert_true(n >= 10);
    printf("%zu programs, the same bytes under 8 settings each\n", n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
