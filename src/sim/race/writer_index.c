/* writer_index.c - see writer_index.h. */
#include "sim/race/writer_index.h"
#include "sim/race/same_epoch.h"
#include <stdlib.h>
#include <string.h>

static void point(tc_writer_index *x, const tc_shadow_cell *e, uint32_t at) {
    for (uint32_t i = e->b0 / 4u; i < e->b1 / 4u; i++) {
        x->at[i] = at;
    }
}

static bool make(tc_race *h, const tc_shadow_line *line, tc_writer_index *x,
                 uint32_t cta) {
    const tc_shadow_cell *e = &line->w;
    memset(x->at, 0, sizeof x->at);
    for (uint32_t at = TC_INDEX_HEAD; e->record;) {
        if ((e->b0 | e->b1) % 4) {
            return false;
        }
        point(x, e, at);
        at = e->next;
        if (!at) {
            break;
        }
        e = &h->pool[at];
    }
    x->made = cta + 1;
    return true;
}

static tc_writer_index *index_of(tc_race_visit *v, tc_shadow_line *line) {
    tc_race_cta *z = v->z;
    if (line->w.shape & TC_RACE_WORD_TABLE) {
        return NULL;
    }
    if (!z->writers) {
        z->writers = tc_xcalloc(z->nshared, sizeof *z->writers);
    }
    tc_writer_index *x = &z->writers[line - z->shared];
    bool made = x->made == z->index + 1 || make(v->h, line, x, z->index);
    return made ? x : NULL;
}

const tc_writer_index *tc_writer_index_of(tc_race_visit *v,
                                          tc_shadow_line *line) {
    return index_of(v, line);
}

/* A cell of my record and lane beside the word, which takes it in. */
static bool mine(const tc_race_visit *v, tc_shadow_line *line, uint32_t at,
                 const tc_shadow_cell *m) {
    const tc_shadow_cell *e = tc_indexed_cell(v->h, line, at);
    return e && e->record == v->record &&
           tc_shadow_shape_of(e) == TC_RACE_SAME && e->l0 == m->l0 &&
           e->l1 == m->l1;
}

/* Takes the word out of e, which is longer. */
static void cut(tc_race *h, tc_shadow_line *line, tc_writer_index *x,
                uint32_t at, const tc_shadow_cell *m) {
    tc_shadow_cell e = *tc_indexed_cell(h, line, at), rest;
    tc_race_cut(&e, m->b0, m->b1, &rest);
    if (rest.b0 < rest.b1) {
        rest.next = e.next;
        e.next = tc_shadow_cell_new(h, &rest);
        point(x, &rest, e.next);
    }
    *tc_indexed_cell(h, line, at) = e;
}

static void put_first(tc_race_visit *v, tc_shadow_line *line,
                      tc_writer_index *x, const tc_shadow_cell *m) {
    uint32_t old = tc_shadow_put(v->h, &line->w, m, v->record);
    if (old) {
        point(x, &v->h->pool[old], old);
    }
    point(x, m, TC_INDEX_HEAD);
}

bool tc_indexed_write(tc_race_visit *v, tc_shadow_line *line,
                      const tc_shadow_cell *m) {
    uint32_t word = m->b0 / 4u;
    tc_race *h = v->h;
    if (m->shape != TC_RACE_SAME || m->l0 != m->l1 || m->b0 % 4 ||
        m->b1 != m->b0 + 4 || line->r.record) {
        return false;
    }
    tc_writer_index *x = index_of(v, line);
    if (!x) {
        return false;
    }
    tc_shadow_cell *e = tc_indexed_cell(h, line, x->at[word]);
    uint32_t left = word ? x->at[word - 1] : 0;
    uint32_t right = word + 1 < TC_RACE_WORDS ? x->at[word + 1] : 0;
    bool exact = e && e->b0 == m->b0 && e->b1 == m->b1;
    bool l = !exact && mine(v, line, left, m);
    bool r = !exact && mine(v, line, right, m);
    if ((l && r) || (e && !tc_writer_known(v, e, m->b0, m->l0, m->l1)) ||
        !tc_deferred_cut(v, line, m)) {
        return false;
    }
    v->unwritten = !e;
    v->z->touched = true;
    if (exact) {
        uint32_t next = e->next;
        *e = *m;
        e->record = v->record;
        e->next = next;
        return true;
    }
    if (e) {
        cut(h, line, x, x->at[word], m);
    }
    if (l || r) {
        uint32_t at = x->at[l ? word - 1 : word + 1];
        tc_shadow_cell *o = tc_indexed_cell(h, line, at);
        o->b0 = o->b0 < m->b0 ? o->b0 : m->b0;
        o->b1 = o->b1 > m->b1 ? o->b1 : m->b1;
        x->at[word] = at;
    } else {
        put_first(v, line, x, m);
    }
    return true;
}
