/* step.c - from here to there: events, kinds, lines, matches of a search. */
#include "view/state.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- one event ---- */

/* Is the cursor behind its event, at a cycle of no event? */
static bool is_behind(const tc_view *v) {
    const tc_trace_event *e = tc_view_event(v);
    return e != NULL && v->cycle > e->cycle;
}

/* The row's next place for the cursor, an index in row->events: marks that are
 * folded are one. TC_NO_POSITION: there is none. */
static size_t next_in_row(const tc_view *v, const tc_row *row, int way) {
    size_t k, at;
    const tc_mark *mark = tc_view_mark(v, &k);
    if (mark == NULL) {
        return way > 0 && row->nevents > 0 ? 0 : TC_NO_POSITION;
    }
    at = tc_view_event_before(row, v->position);
    bool open = tc_view_is_open(v, v->row, k);
    if (way > 0) {
        size_t next = open ? at + 1 : (size_t)mark->first + mark->n;
        return next < row->nevents ? next : TC_NO_POSITION;
    }
    if (is_behind(v)) {
        return at;
    }
    if (at > mark->first) {
        return open ? at - 1 : mark->first;
    }
    if (k == 0) {
        return TC_NO_POSITION;
    }
    return tc_view_is_open(v, v->row, k - 1) ? at - 1 : row->marks[k - 1].first;
}

/* Is a position where the cursor stops when it goes through all rows? */
static bool is_stop(const tc_view *v, size_t position) {
    const tc_model *m = v->from->model;
    const tc_trace_event *e = m->order[position];
    int32_t r = tc_model_warp(m, e->cta, e->warp), other;
    const tc_row *row = r >= 0 ? &m->rows[r] : NULL;
    size_t i = row ? tc_view_event_before(row, position) : TC_NO_POSITION;
    if (i == TC_NO_POSITION || row->events[i] != position) { /* no warp's */
        return tc_model_rows_of(m, position, &other, 1) > 0;
    }
    size_t k = tc_view_mark_before(row, position);
    return row->marks[k].first == i || tc_view_is_open(v, r, k);
}

static size_t next_of_all(const tc_view *v, int way) {
    size_t n = v->from->model->n;
    size_t p = v->position;
    if (way > 0) {
        for (p = p == TC_NO_POSITION ? 0 : p + 1; p < n; p++) {
            if (is_stop(v, p)) {
                return p;
            }
        }
        return TC_NO_POSITION;
    }
    if (p == TC_NO_POSITION || is_behind(v)) {
        return p;
    }
    while (p-- > 0) {
        if (is_stop(v, p)) {
            return p;
        }
    }
    return TC_NO_POSITION;
}

void tc_view_step(tc_view *v, int way, unsigned count) {
    for (; count > 0; count--) {
        const tc_row *row = tc_view_row(v);
        size_t p = v->all ? next_of_all(v, way) : next_in_row(v, row, way);
        if (p == TC_NO_POSITION) {
            tc_view_message(v, "%s has no %s event",
                            v->all ? "the run" : row->name,
                            way > 0 ? "later" : "earlier");
            v->playing = 0;
            return;
        }
        tc_view_go_position(v, v->all ? p : row->events[p]);
    }
}

/* ---- the next of a kind ---- */

typedef struct wanted {
    tc_action on, back;
    const char *name;
    tc_seek what;
    bool anywhere; /* not only in the row */
} wanted;

static const wanted kinds[] = {
    {TC_ACT_NEXT_ISSUE, TC_ACT_BACK_ISSUE, "copy", {.what = TC_SEEK_ISSUE}, 0},
    {TC_ACT_NEXT_COMMIT,
     TC_ACT_BACK_COMMIT,
     "commit",
     {.what = TC_SEEK_COMMIT},
     0},
    {TC_ACT_NEXT_LANDED,
     TC_ACT_BACK_LANDED,
     "completed copy",
     {.what = TC_SEEK_KIND, .kind = TC_TRACE_COMPLETE},
     0},
    {TC_ACT_NEXT_WAIT, TC_ACT_BACK_WAIT, "wait", {.what = TC_SEEK_WAIT}, 0},
    {TC_ACT_NEXT_ARRIVE,
     TC_ACT_BACK_ARRIVE,
     "arrival",
     {.what = TC_SEEK_KIND, .kind = TC_TRACE_ARRIVE},
     0},
    {TC_ACT_NEXT_PHASE,
     TC_ACT_BACK_PHASE,
     "end of a phase",
     {.what = TC_SEEK_PHASE},
     1},
    {TC_ACT_NEXT_BARRIER,
     TC_ACT_BACK_BARRIER,
     "barrier",
     {.what = TC_SEEK_KIND, .kind = TC_TRACE_BARRIER},
     0},
    {TC_ACT_NEXT_FINDING,
     TC_ACT_BACK_FINDING,
     "finding",
     {.what = TC_SEEK_FINDING},
     1},
};

/* From where a search goes: backwards, an event that is behind the cursor is
 * before it. */
static size_t from_here(const tc_view *v, int way) {
    const tc_model *m = v->from->model;
    if (v->position == TC_NO_POSITION) {
        return way > 0 ? TC_NO_POSITION : 0;
    }
    if (!is_behind(v)) {
        return v->position;
    }
    size_t after = tc_model_seek(m, v->cycle + 1);
    return way < 0 ? after : after - 1;
}

static size_t find(const tc_view *v, int way, tc_seek what) {
    const tc_model *m = v->from->model;
    size_t from = from_here(v, way);
    if (way < 0 && from == 0) {
        return TC_NO_POSITION;
    }
    if (way < 0 && from >= m->n) {
        from = TC_NO_POSITION; /* from behind the last */
    }
    return tc_model_find(m, from, way, &what);
}

/* In the row, or in the row's mbarrier; everywhere if the row never has one. */
static void go_kind(tc_view *v, const wanted *w, int way) {
    const tc_model *m = v->from->model;
    tc_seek what = w->what;
    what.row = v->all || w->anywhere ? -1 : v->row;
    if (what.row >= 0 &&
        tc_model_find(m, TC_NO_POSITION, 1, &what) == TC_NO_POSITION) {
        what.row = -1;
    }
    size_t p = find(v, way, what);
    if (p == TC_NO_POSITION) {
        tc_view_message(v, "no %s %s cycle %" PRIu64 "%s%s", w->name,
                        way > 0 ? "after" : "before", v->cycle,
                        what.row >= 0 ? " in " : "",
                        what.row >= 0 ? tc_view_row(v)->name : "");
        return;
    }
    tc_view_go_position(v, p);
}

/* The next event of the warp that is of another line. */
static void go_line(tc_view *v, int way) {
    const tc_model *m = v->from->model;
    int32_t w = tc_view_warp(v);
    const tc_row *row = w >= 0 ? &m->rows[w] : tc_view_row(v);
    const tc_trace_event *e = tc_view_event(v);
    int32_t line = e != NULL ? e->line : 0;
    size_t i = v->position == TC_NO_POSITION
                   ? TC_NO_POSITION
                   : tc_view_event_before(row, v->position);
    for (i = way > 0 ? i + 1 : i - 1;
         i<row->nevents; i = way> 0 ? i + 1 : i - 1) {
        int32_t other = m->order[row->events[i]]->line;
        if (other != 0 && other != line) {
            tc_view_go_position(v, row->events[i]);
            return;
        }
    }
    tc_view_message(v, "no other line %s this", way > 0 ? "after" : "before");
}

void tc_view_next(tc_view *v, tc_action action, unsigned count) {
    for (; count > 0; count--) {
        if (action == TC_ACT_NEXT_LINE || action == TC_ACT_BACK_LINE) {
            go_line(v, action == TC_ACT_NEXT_LINE ? 1 : -1);
            continue;
        }
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            if (kinds[i].on == action || kinds[i].back == action) {
                go_kind(v, &kinds[i], kinds[i].on == action ? 1 : -1);
            }
        }
    }
}

void tc_view_go_line(tc_view *v, tc_view_line line, int way) {
    const tc_model *m = v->from->model;
    tc_seek what = {.what = TC_SEEK_LINE, .line = line.number, .ptx = line.ptx};
    if (line.number == 0) {
        tc_view_message(v, "this line was made from no line of the program");
        return;
    }
    what.row = v->all ? -1 : tc_view_warp(v);
    size_t p = find(v, way, what);
    if (p == TC_NO_POSITION) { /* from the start again, then in other warps */
        p = tc_model_find(m, TC_NO_POSITION, way, &what);
    }
    if (p == TC_NO_POSITION) {
        what.row = -1;
        p = find(v, way, what);
    }
    if (p == TC_NO_POSITION) {
        tc_view_message(v, "%sline %" PRId32 " has no event",
                        line.ptx ? "PTX " : "", line.number);
        return;
    }
    tc_view_go_position(v, p);
}

/* ---- search ---- */

/* A name with brackets is found as it stands, mbar[0]; what else is a regular
 * expression, as one. */
void tc_view_search(tc_view *v, int way) {
    const tc_model *m = v->from->model;
    regex_t re;
    if (v->search[0] == '\0') {
        tc_view_message(v, "nothing to search for yet: / and some text");
        return;
    }
    bool regular =
        regcomp(&re, v->search, REG_EXTENDED | REG_NOSUB | REG_ICASE) == 0;
    tc_buf text = TC_BUF_INIT;
    size_t p = from_here(v, way);
    bool found = false;
    for (p = way > 0 ? p + 1 : p - 1; p < m->n && !found;
         p = way > 0 ? p + 1 : p - 1) {
        tc_buf_clear(&text);
        tc_model_event_text(&text, m, p);
        if (strcasestr(tc_buf_text(&text), v->search) != NULL ||
            (regular && regexec(&re, tc_buf_text(&text), 0, NULL, 0) == 0)) {
            found = true;
            tc_view_go_position(v, p);
        }
    }
    if (!found) {
        tc_view_message(v, "no event %s this matches %s",
                        way > 0 ? "after" : "before", v->search);
    }
    tc_buf_free(&text);
    if (regular) {
        regfree(&re);
    }
}
