/* result.c - the failed checks of a verdict as a set. */
#include "suggest/search.h"

#include <string.h>

/* The bit of a name; numbers in it are left out, so that a decline keeps its
 * bit when only its numbers change. */
static uint64_t bit_of(tc_arena *a, tc_check_names *names, const char *text,
                       const char *check, bool lowering) {
    char name[96];
    size_t n = 0;
    for (const char *p = text; *p != '\0' && n < sizeof name - 1; p++) {
        if (*p < '0' || *p > '9') {
            name[n++] = *p;
        }
    }
    name[n] = '\0';
    for (int i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return UINT64_C(1) << i;
        }
    }
    if (names->n == TC_SEARCH_CHECKS) {
        return UINT64_C(1) << (TC_SEARCH_CHECKS - 1);
    }
    names->name[names->n] = tc_strdup(a, name);
    names->kinds[names->n] = tc_edit_kinds_for(check, lowering);
    return UINT64_C(1) << names->n++;
}

static uint64_t hash(uint64_t h, const char *s) { /* FNV-1a */
    for (; s != NULL && *s != '\0'; s++) {
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    }
    return h;
}

static bool predicate_failed(const tc_verdict *v, const char *name) {
    for (int i = 0; i < v->npredicates; i++) {
        if (strcmp(v->predicates[i].name, name) == 0) {
            return !v->predicates[i].ok;
        }
    }
    return false;
}

static void rejected(tc_arena *a, tc_check_names *names, const tc_verdict *v,
                     tc_result *out) {
    for (int i = 0; i < v->nchecks; i++) {
        const tc_check *c = &v->checks[i];
        if (c->ok == TC_NO && predicate_failed(v, c->predicate)) {
            const char *full = tc_format(a, "%s: %s", c->predicate, c->name);
            out->failed |= bit_of(a, names, full, c->name, false);
            out->signature = hash(out->signature, c->detail);
        }
    }
    for (int i = 0; i < v->npredicates && out->failed == 0; i++) {
        const tc_predicate_result *p = &v->predicates[i];
        if (!p->ok) {
            out->failed |= bit_of(a, names, p->name, p->name, true);
        }
    }
}

void tc_result_of(tc_arena *a, tc_check_names *names, const tc_trial *t,
                  tc_result *out) {
    *out = (tc_result){.read = t->func != NULL && t->d != NULL};
    if (!out->read) {
        return;
    }
    out->accepts = tc_trial_accepts(t);
    if (t->v == NULL) {
        out->failed = bit_of(a, names, "operation", "operation", false);
    } else if (t->v->outcome == TC_REJECT) {
        rejected(a, names, t->v, out);
    } else if (t->v->outcome == TC_DECLINE) {
        const char *why = t->v->why != NULL ? t->v->why : "declined";
        out->failed = bit_of(a, names, why, "", true);
        out->signature = hash(out->signature, why);
        for (int i = 0; i < t->v->nchecks; i++) {
            if (t->v->checks[i].ok == TC_NO) {
                out->signature = hash(out->signature, t->v->checks[i].detail);
            }
        }
    }
}
