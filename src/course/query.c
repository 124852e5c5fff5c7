/* query.c - libjq, with values of jansson's on both sides. */
#include "course/query.h"

#include <jq.h>
#include <jv.h>
#include <stdlib.h>
#include <string.h>

/* What jq says of a program that does not compile, or of an error. */
static void on_error(void *user, jv message) {
    tc_buf *why = user;
    jv text = jq_format_error(message);
    if (jv_get_kind(text) == JV_KIND_STRING) {
        tc_buf_puts(why, why->len > 0 ? "; " : "");
        tc_buf_puts(why, jv_string_value(text));
    }
    jv_free(text);
}

static jv to_jq(const json_t *j) {
    char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
    jv v = text != NULL ? jv_parse(text) : jv_null();
    free(text);
    return v;
}

static json_t *from_jq(jv v) {
    jv text = jv_dump_string(v, 0);
    json_t *j = json_loads(jv_string_value(text), JSON_DECODE_ANY, NULL);
    jv_free(text);
    return j;
}

/* A value that is none has an error's message in it, or nothing. */
static json_t *first_of(jq_state *jq, tc_buf *why) {
    jv v = jq_next(jq);
    if (jv_is_valid(v)) {
        return from_jq(v);
    }
    if (jv_invalid_has_msg(jv_copy(v))) {
        on_error(why, jv_invalid_get_msg(v));
    } else {
        jv_free(v);
    }
    return NULL;
}

json_t *tc_query(const char *program, const json_t *input, tc_buf *why) {
    json_t *answer = NULL;
    jq_state *jq = jq_init();
    if (jq == NULL) {
        tc_buf_puts(why, "jq does not start");
        return NULL;
    }
    jq_set_error_cb(jq, on_error, why);
    if (jq_compile(jq, program)) {
        jq_start(jq, to_jq(input), 0);
        answer = first_of(jq, why);
    }
    jq_teardown(&jq);
    return answer;
}

bool tc_query_holds(const char *program, const json_t *input, bool *ok,
                    tc_buf *why) {
    size_t before = why->len;
    json_t *v = tc_query(program, input, why);
    bool holds = v != NULL && !json_is_false(v) && !json_is_null(v);
    *ok = why->len == before;
    json_decref(v);
    return holds;
}

bool tc_query_number(const char *program, const json_t *input, double *out,
                     tc_buf *why) {
    json_t *v = tc_query(program, input, why);
    bool is = json_is_number(v);
    *out = is ? json_number_value(v) : 0;
    if (!is && why->len == 0) {
        tc_buf_puts(why, "it is no number");
    }
    json_decref(v);
    return is;
}
