/* tma.c - tensor memory accelerator copies. The lowering comes later. */
#include "dispatch/predicates.h"

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"single_thread", tc_predicate_single_thread},
};

const tc_variant tc_variant_tma = {
    .id = TC_VARIANT_tma,
    .source = "copy_async/tma.py",
    .predicates = predicates,
    .npredicates = 2,
};
