/* stop.c - where it is to stop: lines, phases, bytes. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

static bool all_digits(const char *s) {
    return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}

static bool skip_word(const char **s, const char *word) {
    size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0 || ((*s)[n] != ' ' && (*s)[n] != '\0')) {
        return false;
    }
    *s += n + strspn(*s + n, " ");
    return true;
}

/* The byte of an element, as the supply names it: the first of a buffer's
 * bytes that has the name. */
static bool find_element(const tc_view *v, const char *name,
                         const tc_trace_buffer *b, uint64_t *address) {
    tc_buf text = TC_BUF_INIT;
    bool found = false;
    for (uint64_t i = 0; i < b->bytes && !found && v->from->element; i++) {
        tc_buf_clear(&text);
        found = v->from->element(v->from->user, b->address + i, &text) &&
                strcmp(tc_buf_text(&text), name) == 0;
        *address = b->address + i;
    }
    tc_buf_free(&text);
    return found;
}

/* "A_smem", "A_smem+64", "A_smem[17,3]". */
static bool find_byte(const tc_view *v, const char *name, uint64_t *address) {
    const tc_trace *t = v->from->model->trace;
    size_t n = strcspn(name, "+[");
    for (size_t i = 0; i < t->nbuffers; i++) {
        const tc_trace_buffer *b = &t->buffers[i];
        if (b->space != TC_TRACE_SPACE_SHARED || strlen(b->name) != n ||
            memcmp(b->name, name, n) != 0) {
            continue;
        }
        if (name[n] == '[') {
            return find_element(v, name, b, address);
        }
        uint64_t plus = name[n] == '+' ? strtoull(name + n + 1, NULL, 0) : 0;
        *address = b->address + plus;
        return plus < b->bytes && (name[n] == '\0' || name[n + 1] != '\0');
    }
    return false;
}

static bool read_stop(tc_view *v, const char *text, tc_stop *s) {
    const char *p = text + strspn(text, " ");
    *s = (tc_stop){.row = -1, .cta = v->memory_cta};
    bool ptx = skip_word(&p, "ptx");
    if (*p == '\0' || ptx || skip_word(&p, "line") || all_digits(p)) {
        tc_view_line at = {(int32_t)atol(p), ptx};
        s->what = TC_STOP_LINE;
        s->line = *p == '\0' ? tc_pane_source_line(v) : at;
        snprintf(s->text, sizeof s->text, "%sline %" PRId32,
                 s->line.ptx ? "PTX " : "", s->line.number);
        return s->line.number > 0;
    }
    snprintf(s->text, sizeof s->text, "%s", p);
    if (skip_word(&p, "phase")) {
        s->what = TC_STOP_PHASE;
        s->row = *p == '\0' ? -1 : tc_model_named(v->from->model, p);
        return *p == '\0' || s->row >= 0;
    }
    s->what = TC_STOP_BYTE;
    return find_byte(v, p, &s->address);
}

void tc_view_toggle_stop(tc_view *v, const char *text) {
    tc_stop s;
    if (!read_stop(v, text, &s)) {
        tc_view_message(
            v, "no such place: line 12, ptx 87, phase mbar[0], A_smem+64");
        return;
    }
    for (int i = 0; i < v->nstops; i++) {
        if (strcmp(v->stops[i].text, s.text) == 0) {
            v->stops[i] = v->stops[--v->nstops];
            tc_view_message(v, "no stop at %s any more", s.text);
            return;
        }
    }
    if (v->nstops == TC_VIEW_STOPS) {
        tc_view_message(v, "there are %d stops already", TC_VIEW_STOPS);
        return;
    }
    v->stops[v->nstops++] = s;
    tc_view_message(v, "stops at %s: c goes on to it, C back", s.text);
}

/* ---- going there ---- */

/* A line is come to where the warp's event before is of another one. */
static bool comes_to_line(const tc_model *m, size_t position, bool ptx) {
    const tc_trace_event *e = m->order[position];
    int32_t r = tc_model_warp(m, e->cta, e->warp);
    size_t i =
        r < 0 ? TC_NO_POSITION : tc_view_event_before(&m->rows[r], position);
    if (i == TC_NO_POSITION || i == 0) {
        return true;
    }
    const tc_trace_event *before = m->order[m->rows[r].events[i - 1]];
    return ptx ? before->ptx_line != e->ptx_line : before->line != e->line;
}

static size_t find_line(const tc_view *v, size_t from, int way,
                        const tc_stop *s) {
    const tc_model *m = v->from->model;
    tc_seek what = {.what = TC_SEEK_LINE,
                    .line = s->line.number,
                    .ptx = s->line.ptx,
                    .row = v->all ? -1 : tc_view_warp(v)};
    do {
        from = tc_model_find(m, from, way, &what);
    } while (from != TC_NO_POSITION && !comes_to_line(m, from, s->line.ptx));
    return from;
}

static size_t nearer(size_t a, size_t b, int way) {
    return a == TC_NO_POSITION    ? b
           : b == TC_NO_POSITION  ? a
           : (a < b) == (way > 0) ? a
                                  : b;
}

static size_t find_stop(const tc_view *v, size_t from, int way,
                        const tc_stop *s) {
    const tc_model *m = v->from->model;
    tc_seek what = {
        .row = s->row, .cta = s->cta, .address = s->address, .line = 0};
    switch (s->what) {
    case TC_STOP_LINE:
        return find_line(v, from, way, s);
    case TC_STOP_PHASE:
        what.what = TC_SEEK_PHASE;
        return tc_model_find(m, from, way, &what);
    default:
        what.what = TC_SEEK_WRITE;
        size_t write = tc_model_find(m, from, way, &what);
        what.what = TC_SEEK_READ;
        return nearer(write, tc_model_find(m, from, way, &what), way);
    }
}

void tc_view_continue(tc_view *v, int way) {
    size_t best = TC_NO_POSITION;
    const tc_stop *at = NULL;
    if (v->nstops == 0) {
        tc_view_message(v, "no stops yet: b and a line, a phase or a byte");
        return;
    }
    if (way < 0 && (v->position == TC_NO_POSITION || v->position == 0)) {
        tc_view_message(v, "no stop before this");
        return;
    }
    for (int i = 0; i < v->nstops; i++) {
        size_t p = find_stop(v, v->position, way, &v->stops[i]);
        if (p != TC_NO_POSITION && nearer(best, p, way) == p) {
            best = p;
            at = &v->stops[i];
        }
    }
    if (at == NULL) {
        tc_view_message(v, "no stop %s cycle %" PRIu64,
                        way > 0 ? "after" : "before", v->cycle);
        return;
    }
    tc_view_go_position(v, best);
    tc_view_message(v, "stopped at %s", at->text);
}
