/* press.c - what a key does. */
#include "view/state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line that is typed ---- */

/* ":300", ":12 l"; the rest is a place to stop at, or a finding. */
static void command(tc_view *v, const char *text) {
    char *end;
    text += strspn(text, " ");
    uint64_t n = strtoull(text, &end, 10);
    end += strspn(end, " ");
    if (isdigit((unsigned char)*text) && *end == '\0') {
        tc_view_go_cycle(v, n);
    } else if (isdigit((unsigned char)*text) && strcmp(end, "l") == 0) {
        tc_view_go_line(v, (tc_view_line){(int32_t)n, false}, 1);
    } else if (strcmp(text, "q") == 0) {
        v->quit = true;
    } else if (!tc_view_go_to(v, text)) {
        tc_view_message(v, "no such place: 300, 12 l, finding:1");
    }
}

static void prompt_done(tc_view *v) {
    char kind = v->prompt.kind;
    v->prompt.text[v->prompt.len] = '\0';
    v->prompt.kind = 0;
    if (kind == 'b') {
        tc_view_toggle_stop(v, v->prompt.text);
    } else if (kind == ':') {
        if (v->prompt.len > 0) {
            command(v, v->prompt.text);
        }
    } else {
        if (v->prompt.len > 0) {
            memcpy(v->search, v->prompt.text, v->prompt.len + 1);
        }
        tc_view_search(v, 1);
    }
}

static void put_utf8(tc_prompt *p, tc_key c) {
    char text[4];
    size_t n = 0;
    if (c < 0x80) {
        text[n++] = (char)c;
    } else if (c < 0x800) {
        text[n++] = (char)(0xC0 | c >> 6);
        text[n++] = (char)(0x80 | (c & 0x3F));
    } else {
        text[n++] = (char)(0xE0 | c >> 12);
        text[n++] = (char)(0x80 | (c >> 6 & 0x3F));
        text[n++] = (char)(0x80 | (c & 0x3F));
    }
    if (c < 0x10000 && p->len + n < sizeof p->text) {
        memcpy(p->text + p->len, text, n);
        p->len += n;
    }
}

static void prompt_press(tc_view *v, tc_key key) {
    tc_prompt *p = &v->prompt;
    if (key == TC_KEY_ENTER) {
        prompt_done(v);
    } else if (key == TC_KEY_ESCAPE || (key == TC_KEY_BACKSPACE && !p->len)) {
        p->kind = 0;
    } else if (key == TC_KEY_BACKSPACE) {
        do {
            p->len--;
        } while (p->len > 0 && ((unsigned char)p->text[p->len] & 0xC0) == 0x80);
    } else if (key == ('U' & 0x1F)) {
        p->len = 0;
    } else if (key >= ' ' && key < TC_KEY_NONE && key != 127) {
        put_utf8(p, key);
    }
}

/* ---- panes ---- */

static bool is_shown(const tc_view *v, tc_pane p) {
    return tc_view_layout(v, NULL).shown[p];
}

static void choose_pane(tc_view *v, tc_pane p) {
    bool again = v->focus == p;
    v->focus = p;
    if (!is_shown(v, p)) {
        v->second = p;
    }
    if (!is_shown(v, p)) { /* a window of one pane */
        v->focus = TC_PANE_TIME;
        tc_view_message(v, "the window is too small for a second pane");
        return;
    }
    if (again && p == TC_PANE_SOURCE) {
        tc_pane_source_other(v);
    } else if (again && p == TC_PANE_MEMORY) {
        tc_pane_memory_other(v);
    } else if (again && p == TC_PANE_STATE) {
        tc_pane_state_registers(v);
    }
}

static void next_pane(tc_view *v, int way) {
    int p = v->focus;
    do {
        p = (p + way + TC_PANE_COUNT) % TC_PANE_COUNT;
    } while (!is_shown(v, (tc_pane)p));
    v->focus = (tc_pane)p;
}

/* j and k: rows, lines, findings. */
static void up_down(tc_view *v, int by) {
    switch (v->focus) {
    case TC_PANE_SOURCE:
        tc_pane_source_move(v, by);
        break;
    case TC_PANE_MEMORY:
        tc_pane_memory_move(v, by, 0);
        break;
    case TC_PANE_STATE:
        v->state_top = v->state_top + by < 0 ? 0 : v->state_top + by;
        break;
    case TC_PANE_FINDINGS:
        tc_pane_findings_move(v, by);
        break;
    default:
        tc_view_choose(v, v->row + by);
    }
}

static void zoom(tc_view *v, int way) {
    if (v->focus == TC_PANE_MEMORY) {
        tc_pane_memory_zoom(v, way);
    } else {
        tc_pane_time_zoom(v, way);
    }
}

static void open_or_go(tc_view *v) {
    if (v->focus == TC_PANE_FINDINGS) {
        tc_pane_findings_go(v, v->finding);
    } else if (v->focus == TC_PANE_SOURCE) {
        tc_view_go_line(v, tc_pane_source_line(v), 1);
    } else {
        tc_view_open(v);
    }
}

/* ---- actions ---- */

static int way_of(tc_action a) {
    switch (a) {
    case TC_ACT_STEP_BACK:
    case TC_ACT_CYCLE_BACK:
    case TC_ACT_TEN_BACK:
    case TC_ACT_UP:
    case TC_ACT_PANE_BACK:
    case TC_ACT_SEARCH_BACK:
    case TC_ACT_CONTINUE_BACK:
    case TC_ACT_PLAY_BACK:
    case TC_ACT_WRITER:
    case TC_ACT_ZOOM_OUT:
        return -1;
    default:
        return 1;
    }
}

/* h and l move the byte where the memory has the focus; the space bar and
 * Backspace step there too. */
static bool moves_byte(const tc_view *v, tc_key key) {
    return v->focus == TC_PANE_MEMORY &&
           (key == 'h' || key == 'l' || key == TC_KEY_LEFT ||
            key == TC_KEY_RIGHT);
}

static void step_cycle(tc_view *v, int way, unsigned n) {
    uint64_t to = way > 0 ? v->cycle + n : v->cycle < n ? 0 : v->cycle - n;
    tc_view_go_cycle(v, to);
}

static void ask(tc_view *v, char kind) {
    v->prompt = (tc_prompt){.kind = kind};
}

/* First and last, or to the cycle that was typed before. */
static void go_end(tc_view *v, bool last, unsigned count) {
    if (count > 0) {
        tc_view_go_cycle(v, count);
    } else if (last) {
        tc_view_go_cycle(v, v->from->model->cycles);
    } else {
        tc_view_go_cycle(v, 0);
    }
}

static void act_time(tc_view *v, tc_action a, tc_key key, unsigned count) {
    unsigned n = count > 0 ? count : 1;
    int way = way_of(a);
    switch (a) {
    case TC_ACT_STEP_ON:
    case TC_ACT_STEP_BACK:
        if (moves_byte(v, key)) {
            tc_pane_memory_move(v, 0, way * (int)n);
        } else {
            tc_view_step(v, way, n);
        }
        break;
    case TC_ACT_CYCLE_ON:
    case TC_ACT_CYCLE_BACK:
        step_cycle(v, way, n);
        break;
    case TC_ACT_TEN_ON:
    case TC_ACT_TEN_BACK:
        tc_view_step(v, way, 10 * n);
        break;
    case TC_ACT_FIRST:
    case TC_ACT_LAST:
        go_end(v, a == TC_ACT_LAST, count);
        break;
    case TC_ACT_ALL_ROWS:
        v->all = !v->all;
        tc_view_message(v, v->all ? "steps go through all rows"
                                  : "steps stay in the chosen row");
        break;
    case TC_ACT_PLAY:
    case TC_ACT_PLAY_BACK:
        v->playing = way;
        break;
    default:
        tc_view_next(v, a, n);
    }
}

static void act_pane(tc_view *v, tc_action a, unsigned count) {
    int n = count > 0 && count < 100000 ? (int)count : 1, way = way_of(a);
    switch (a) {
    case TC_ACT_DOWN:
    case TC_ACT_UP:
        up_down(v, way * n);
        break;
    case TC_ACT_OPEN:
        open_or_go(v);
        break;
    case TC_ACT_PANE_NEXT:
    case TC_ACT_PANE_BACK:
        next_pane(v, way);
        break;
    case TC_ACT_ZOOM_IN:
    case TC_ACT_ZOOM_OUT:
    case TC_ACT_ZOOM_FIT:
        zoom(v, a == TC_ACT_ZOOM_FIT ? 0 : way);
        break;
    default:
        choose_pane(v, (tc_pane)(a - TC_ACT_PANE_TIME));
    }
}

static void act(tc_view *v, tc_action a, tc_key key, unsigned count) {
    switch (a) {
    case TC_ACT_NONE:
    case TC_ACT_COUNT:
        break;
    case TC_ACT_SEARCH:
        ask(v, '/');
        break;
    case TC_ACT_COMMAND:
        ask(v, ':');
        break;
    case TC_ACT_BREAK:
        ask(v, 'b');
        break;
    case TC_ACT_SEARCH_ON:
    case TC_ACT_SEARCH_BACK:
        tc_view_search(v, way_of(a));
        break;
    case TC_ACT_CONTINUE:
    case TC_ACT_CONTINUE_BACK:
        tc_view_continue(v, way_of(a));
        break;
    case TC_ACT_WRITER:
    case TC_ACT_READER:
        tc_pane_memory_go(v, way_of(a));
        break;
    case TC_ACT_REDRAW:
        v->redraw = true;
        break;
    case TC_ACT_HELP:
        v->help = true;
        v->help_top = 0;
        break;
    case TC_ACT_QUIT:
        v->quit = true;
        break;
    default:
        if (a >= TC_ACT_DOWN && a <= TC_ACT_ZOOM_FIT) {
            act_pane(v, a, count);
        } else {
            act_time(v, a, key, count);
        }
    }
}

/* Any key but the scrolling ones leaves the list. */
static void help_press(tc_view *v, tc_key key) {
    int page = v->lines > 4 ? v->lines - 4 : 1;
    int by = key == 'j' || key == TC_KEY_DOWN        ? 1
             : key == 'k' || key == TC_KEY_UP        ? -1
             : key == ' ' || key == TC_KEY_PAGE_DOWN ? page
             : key == TC_KEY_PAGE_UP                 ? -page
                                                     : 0;
    v->help_top = v->help_top + by < 0 ? 0 : v->help_top + by;
    v->help = by != 0;
}

void tc_view_press(tc_view *v, tc_key key) {
    enum { MOST = 100000000 };
    bool wants;
    if (key == TC_KEY_TIMER) {
        if (v->playing != 0) {
            tc_view_step(v, v->playing, 1);
        }
        return;
    }
    v->message[0] = '\0';
    if (v->playing != 0) {
        v->playing = 0;
        return;
    }
    if (v->help) {
        help_press(v, key);
        return;
    }
    if (v->prompt.kind != 0) {
        prompt_press(v, key);
        return;
    }
    if (v->npending == 0 && key < 0x80 && isdigit((int)key) &&
        (key != '0' || v->count > 0)) {
        v->count = v->count < MOST ? v->count * 10 + (key - '0') : MOST;
        tc_view_message(v, "%u", v->count);
        return;
    }
    v->pending[v->npending++] = key;
    tc_action a = tc_action_of(v->pending, v->npending, &wants);
    if (a == TC_ACT_NONE && wants) {
        tc_view_message(v, "%c ...", (char)key);
        return;
    }
    unsigned count = v->count;
    v->npending = v->count = 0;
    act(v, a, key, count);
}

/* ---- the mouse ---- */

static bool within(tc_area a, int y, int x) {
    return y >= a.y && y < a.y + a.lines && x >= a.x && x < a.x + a.cols;
}

static void click(tc_view *v, tc_pane p, tc_area a, int y, int x) {
    switch (p) {
    case TC_PANE_SOURCE:
        tc_pane_source_click(v, a, y);
        break;
    case TC_PANE_MEMORY:
        tc_pane_memory_click(v, a, y, x);
        break;
    case TC_PANE_FINDINGS:
        tc_pane_findings_click(v, a, y);
        break;
    case TC_PANE_TIME:
        tc_pane_time_click(v, a, y, x);
        break;
    default:
        break;
    }
}

void tc_view_mouse(tc_view *v, int y, int x, int way) {
    tc_view_panes l = tc_view_layout(v, NULL);
    v->message[0] = '\0';
    v->playing = 0;
    if (v->help || v->prompt.kind != 0) {
        return;
    }
    for (int p = 0; p < TC_PANE_COUNT; p++) {
        if (l.shown[p] && (within(l.at[p], y, x) || within(l.title[p], y, x))) {
            v->focus = (tc_pane)p;
            if (way != 0) {
                up_down(v, way);
            } else if (within(l.at[p], y, x)) {
                click(v, (tc_pane)p, l.at[p], y - l.at[p].y, x - l.at[p].x);
            }
            return;
        }
    }
}
