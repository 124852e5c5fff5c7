/* registry.c - the table of variants, from variants.def. */
#include "dispatch/variant.h"

#include <string.h>

#define TC_VARIANT(id, name, op, priority)                                     \
    extern const tc_variant tc_variant_##id;
#include "dispatch/variants.def"

const tc_variant_row tc_variants[TC_VARIANT_COUNT] = {
#define TC_VARIANT(id, name, op, priority)                                     \
    [TC_VARIANT_##id] = {name, op, priority, &tc_variant_##id},
#include "dispatch/variants.def"
};

bool tc_variant_find(const char *name, tc_variant_id *out) {
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        if (strcmp(tc_variants[i].name, name) == 0) {
            *out = (tc_variant_id)i;
            return true;
        }
    }
    return false;
}
