/* test_h200.c - the simulator against what an NVIDIA H200 answered.
 *
 * tests/gpu/h200.jsonl was recorded by tests/gpu/record.sh on that GPU: the
 * hashes of every buffer after each program of tests/gpu, for three seeds. The
 * simulator must leave the same bytes, however its copies complete.
 *
 * tests/gpu/h200-corpus.jsonl.gz holds the same for tests/gpu/corpus.jsonl.gz:
 * accepted copies of tests/corpus/dispatch.jsonl.gz between global, shared and
 * registers, made into whole programs; `run` with the backend gpu, seed 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tilecopy.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct sink {
    char text[1 << 16];
    size_t len;
} sink;

static void keep(void *user, const char *text, size_t len) {
    sink *s = user;
    if (s->len + len < sizeof s->text) {
        memcpy(s->text + s->len, text, len);
        s->len += len;
        s->text[s->len] = '\0';
    }
}

/* The buffers' hashes in a reply equal those recorded; how many there are. */
static size_t compare(const char *reply, const json_t *recorded,
                      const char *what) {
    json_t *j = json_loads(reply, 0, NULL);
    const json_t *want = json_object_get(recorded, "buffers");
    const json_t *got = json_object_get(j, "buffers");
    if (json_array_size(got) != json_array_size(want) ||
        json_array_size(want) == 0) {
        fail_msg("%s: %s", what, reply);
    }
    for (size_t i = 0; i < json_array_size(want); i++) {
        const json_t *a = json_array_get(want, i), *b = json_array_get(got, i);
        assert_string_equal(json_string_value(json_object_get(a, "fnv1a64")),
                            json_string_value(json_object_get(b, "fnv1a64")));
    }
    assert_string_equal(json_string_value(json_object_get(j, "status")), "ok");
    size_t n = json_array_size(want);
    json_decref(j);
    return n;
}

static size_t check_line(const json_t *line) {
    static const char *const settings[] = {
        "set completion timing", "set completion early", "set completion late",
        "set completion random 1", "set timing off"};
    static sink out;
    char path[256];
    const char *name = json_string_value(json_object_get(line, "program"));
    snprintf(path, sizeof path, "tests/gpu/%s", name);
    tc_options o = tc_options_default();
    o.json = true;
    o.seed = (uint64_t)json_integer_value(json_object_get(line, "seed"));
    tc_session *s = tc_session_new(&o, NULL, keep, &out);
    size_t n = 0;
    assert_int_equal(tc_session_load(s, path), TC_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(tc_session_eval(s, settings[i]), TC_OK);
        out.len = 0;
        assert_int_equal(tc_session_eval(s, "run"), TC_OK);
        n += compare(out.text, line, path);
    }
    tc_session_free(s);
    return n;
}

static void simulator_leaves_the_gpus_bytes(void **state) {
    (void)state;
    FILE *f = fopen("tests/gpu/h200.jsonl", "r");
    assert_non_null(f);
    char text[4096];
    size_t lines = 0, buffers = 0;
    while (fgets(text, sizeof text, f) != NULL) {
        json_t *line = json_loads(text, 0, NULL);
        assert_non_null(line);
        buffers += check_line(line);
        lines++;
        json_decref(line);
    }
    fclose(f);
    assert_true(lines > 0);
    printf("compared %zu runs of an H200, %zu buffers\n", lines, buffers);
}

/* --- the corpus ------------------------------------------------------------*/

/* The next line as JSON, which the caller owns; NULL at the end. */
static json_t *next(gzFile f) {
    static char text[1 << 16];
    return gzgets(f, text, sizeof text) != NULL ? json_loads(text, 0, NULL)
                                                : NULL;
}

static size_t check_program(const json_t *program, const json_t *recorded) {
    static sink out;
    const char *id = json_string_value(json_object_get(program, "id"));
    const char *text = json_string_value(json_object_get(program, "program"));
    assert_string_equal(id, json_string_value(json_object_get(recorded, "id")));
    tc_options o = tc_options_default();
    o.json = true;
    tc_session *s = tc_session_new(&o, NULL, keep, &out);
    assert_int_equal(tc_session_eval(s, text), TC_OK);
    out.len = 0;
    assert_int_equal(tc_session_eval(s, "run"), TC_OK);
    size_t n = compare(out.text, recorded, id);
    tc_session_free(s);
    return n;
}

static void corpus_leaves_the_gpus_bytes(void **state) {
    (void)state;
    gzFile programs = gzopen("tests/gpu/corpus.jsonl.gz", "rb");
    gzFile answers = gzopen("tests/gpu/h200-corpus.jsonl.gz", "rb");
    assert_non_null(programs);
    assert_non_null(answers);
    size_t n = 0, buffers = 0;
    for (json_t *p; (p = next(programs)) != NULL; n++) {
        json_t *answer = next(answers);
        assert_non_null(answer);
        buffers += check_program(p, answer);
        json_decref(p);
        json_decref(answer);
    }
    assert_null(next(answers));
    assert_true(gzeof(programs) && gzeof(answers));
    gzclose(programs);
    gzclose(answers);
    assert_true(n > 0);
    printf("compared %zu programs of the corpus that an H200 ran, %zu "
           "buffers\n",
           n, buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_leaves_the_gpus_bytes),
        cmocka_unit_test(simulator_leaves_the_gpus_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
