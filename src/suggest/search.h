/* search.h - what the search and its parts share. Private to suggest/. */
#ifndef TC_SUGGEST_SEARCH_H
#define TC_SUGGEST_SEARCH_H

#include "suggest/internal.h"

enum {
    TC_SEARCH_CHECKS = 64, /* distinct failed checks that are told apart */
    TC_SEARCH_DEPTH = 3,
    TC_SEARCH_PAIRS = 2500, /* programs tried at depth two, at most */
    TC_SEARCH_TRIPLES = 600,
    TC_SEARCH_BYTES = 32 << 20 /* of text that is tried, all together */
};

/* What a text leads to, seen from the goal. */
typedef struct tc_result {
    bool read, accepts;
    uint64_t failed;    /* bits of checks that say no */
    uint64_t signature; /* changes when any number of theirs does */
} tc_result;

/* The failed checks by name, each with a bit, and the kinds that mend it. */
typedef struct tc_check_names {
    const char *name[TC_SEARCH_CHECKS];
    unsigned kinds[TC_SEARCH_CHECKS];
    int n;
} tc_check_names;

void tc_result_of(tc_arena *a, tc_check_names *names, const tc_trial *t,
                  tc_result *out);

/* Up to three edits in the order they were made, and what they lead to. */
typedef struct tc_step {
    tc_edit edit[TC_SEARCH_DEPTH];
    int n;
    const char *text;
    size_t len;
    tc_result r;
} tc_step;

#endif
