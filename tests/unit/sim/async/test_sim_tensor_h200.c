/* test_sim_tensor_h200.c - the copies of tensor_cases.h in the simulator,
 * against what an NVIDIA H200 answered (tests/gpu/tensor-h200.jsonl, recorded
 * by tests/gpu/tensor_host.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "sim/sim.h"
#include "tensor_cases.h"
#include <jansson.h>
#include <stdlib.h>

static void print_diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static bool simulate(const tensor_case *t, const char *text, uint8_t *b,
                     tc_run_status *status) {
    tc_diags d = {.fn = print_diag};
    tc_arena *arena = tc_arena_new();
    tc_source s = {"case.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, &s, &d);
    assert_non_null(m);
    tc_sim_options o = {.completion = TC_COMPLETE_LATE};
    tc_sim *sim = tc_sim_new(m, &o, &d);
    tc_sim_allocation *in = tc_sim_alloc(sim, CASE_BYTES, "A");
    tc_sim_allocation *out = tc_sim_alloc(sim, CASE_OUT, "B");
    tensor_case_data(in->bytes, out->bytes);
    _Alignas(64) uint8_t params[64 + TC_TENSOR_MAP_BYTES] = {0};
    uint64_t addresses[] = {in->address, out->address};
    memcpy(params, addresses, sizeof addresses);
    tc_sim_tensor_map map = t->map;
    char why[160];
    map.address = t->store ? out->address : in->address;
    bool ok = tc_tensor_map_encode(&map, params + 64, why, sizeof why);
    if (ok) {
        tc_sim_launch l = {.entry = "k",
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .params = params,
                           .nparams = sizeof params};
        tc_sim_result r;
        assert_true(tc_sim_run(sim, &l, &d, &r));
        *status = r.status;
        memcpy(b, out->bytes, CASE_OUT);
    }
    tc_sim_free(sim);
    tc_arena_free(arena);
    return ok;
}

/* What the recording says of a case, or NULL. */
static const json_t *recorded(const json_t *all, const char *name) {
    size_t i;
    json_t *line;
    json_array_foreach(all, i, line) {
        const char *x = json_string_value(json_object_get(line, "case"));
        if (x != NULL && strcmp(x, name) == 0) {
            return line;
        }
    }
    return NULL;
}

static json_t *read_all(void) {
    static const char *const paths[] = {"tests/gpu/tensor-h200.jsonl",
                                        "../tests/gpu/tensor-h200.jsonl"};
    FILE *f = NULL;
    for (int i = 0; i < 2 && f == NULL; i++) {
        f = fopen(paths[i], "r");
    }
    if (f == NULL) {
        return NULL;
    }
    char line[2048];
    json_t *all = json_array();
    while (fgets(line, sizeof line, f) != NULL) {
        json_t *j = json_loads(line, 0, NULL);
        assert_non_null(j);
        json_array_append_new(all, j);
    }
    fclose(f);
    return all;
}

static void test_cases(void **state) {
    (void)state;
    static tensor_cases cases;
    static uint8_t b[CASE_OUT];
    json_t *all = read_all();
    int agreed = 0;
    tensor_cases_make(&cases);
    assert_true(cases.n > 200 && cases.n < CASE_MOST - 1);
    for (int i = 0; i < cases.n; i++) {
        const tensor_case *t = &cases.all[i];
        tc_buf ptx = TC_BUF_INIT;
        tensor_case_ptx(t, &ptx);
        tc_run_status status = TC_RUN_OK;
        bool made = simulate(t, tc_buf_text(&ptx), b, &status);
        tc_buf_free(&ptx);
        uint32_t waited = 0;
        memcpy(&waited, b + CASE_BYTES, 4);
        assert_true(!made || status == TC_RUN_FAULT || t->store || waited == 1);
        const json_t *line = recorded(all, t->name);
        const char *hash = json_string_value(json_object_get(line, "fnv1a64"));
        if (!made || line == NULL) {
            continue; /* not built; or nothing recorded */
        }
        char mine[17] = "refused";
        if (status == TC_RUN_OK) {
            snprintf(mine, sizeof mine, "%016llx",
                     (unsigned long long)tensor_case_hash(b, CASE_BYTES));
        }
        if (strcmp(hash ? hash : "refused", mine) != 0) {
            fail_msg("%s: %s, and the H200 %s", t->name, mine,
                     hash ? hash : "refused");
        }
        agreed++;
    }
    print_message("%d of %d cases compared with the H200\n", agreed, cases.n);
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
