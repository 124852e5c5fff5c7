/* fuzz_front.c - libFuzzer target: arbitrary bytes through the lexer, the
 * parser and the front end, to IR. Nothing may crash, leak or hang. */
#include "front/front.h"
#include "lang/ast.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one(const char *text, size_t size) {
    tc_arena *a = tc_arena_new();
    tc_source source = {"<fuzz>", text, size, 1};
    tc_diags diags = {0};
    tc_node_list stmts;
    tc_front front = {a, &diags, true, NULL};
    tc_value last;
    tc_func *func;
    bool has_value;
    if (tc_parse(a, &source, &diags, &stmts) &&
        tc_front_run(&front, tc_env_new(a), &stmts, &last, &has_value, &func) &&
        has_value) {
        tc_buf text_of = TC_BUF_INIT;
        tc_value_print(&text_of, &last);
        tc_buf_free(&text_of);
    }
    tc_parse_wants_more(text);
    tc_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = tc_xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    one(text, size);
    free(text);
    return 0;
}
