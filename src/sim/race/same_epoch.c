/* same_epoch.c - a line that the next CTA comes to: same_epoch.h. */
#include "sim/race/same_epoch.h"

void tc_same_epoch_renew(tc_race *h, tc_shadow_line *line) {
    uint32_t at = line->r.next;
    if (!at) {
        return;
    }
    uint32_t next = h->pool[at].next;
    h->pool[at].next = 0;
    if (next && line->tail) { /* all of them at a stroke */
        h->pool[line->tail].next = h->free_cells;
        h->free_cells = next;
        next = 0;
    }
    line->tail = tc_shadow_shape_of(&line->r) == TC_RACE_COARSE ||
                         tc_shadow_shape_of(&h->pool[at]) == TC_RACE_COARSE
                     ? 0
                     : at;
    while (next) {
        const tc_shadow_cell e = h->pool[next];
        if (tc_shadow_shape_of(&e) == TC_RACE_COARSE) {
            tc_shadow_cell_free(h, e.map);
        }
        tc_shadow_cell_free(h, next);
        next = e.next;
    }
}
