/* screen.c - blocks are kept whole where a screen has room for them. */
#include "course/screen.h"

#include <stdlib.h>
#include <string.h>

/* What may stand below a task to type: that its program was loaded. */
enum { LOADED_LINES = 2 };

typedef struct cutter {
    tc_arena *arena;
    tc_lesson_screens *out;
    int room;  /* rows of text */
    int lines; /* used of the screen being filled */
    tc_buf text;
    tc_lesson_screen next; /* being filled */
    bool begun;
} cutter;

static int count_lines(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n;
}

/* Ends the screen being filled, if it has anything. */
static void cut(cutter *c) {
    if (!c->begun) {
        return;
    }
    while (c->text.len > 1 && c->text.data[c->text.len - 1] == '\n' &&
           c->text.data[c->text.len - 2] == '\n') {
        c->text.data[--c->text.len] = '\0';
    }
    c->next.text = tc_strdup(c->arena, tc_buf_text(&c->text));
    TC_PUSH(c->arena, c->out->items, c->out->n, c->out->cap, c->next);
    tc_buf_clear(&c->text);
    c->begun = false;
    c->lines = 0;
}

static void begin(cutter *c, int step, int item) {
    if (!c->begun) {
        c->next = (tc_lesson_screen){.step = step, .item = item};
        c->begun = true;
    }
}

/* As many lines of a block as there is room for, screen after screen. */
static void add_lines(cutter *c, const char *text, int step, int item) {
    while (*text != '\0') {
        bool full = c->room > 0 && c->lines >= c->room;
        if (*text == '\n' && (full || !c->begun)) {
            text++; /* no screen begins with a blank line */
            continue;
        }
        if (full) {
            cut(c);
        }
        begin(c, step, item);
        size_t n = strcspn(text, "\n");
        n += text[n] == '\n';
        tc_buf_write(&c->text, text, n);
        c->lines++;
        text += n;
    }
}

/* A block that would fit on a screen of its own is not cut. The blank line at
 * its end may be. So many lines below it stay free. */
static void add_block(cutter *c, const char *text, int step, int item,
                      int free_lines) {
    int n = count_lines(text) - 1 + free_lines;
    if (c->room > 0 && c->lines > 0 && c->lines + n > c->room &&
        (n <= c->room || c->lines * 2 > c->room)) {
        cut(c);
    }
    add_lines(c, text, step, item);
}

static void add_step(cutter *c, const tc_lesson_step *s, int step,
                     const tc_markdown_style *style) {
    for (int i = 0; i < s->nitems; i++) {
        tc_buf text = TC_BUF_INIT;
        const tc_task *task = s->items[i].task;
        tc_markdown_block(&text, s->items[i].block, style);
        add_block(c, tc_buf_text(&text), step, i,
                  task != NULL && task->kind == TC_TASK_TYPE ? LOADED_LINES
                                                             : 0);
        tc_buf_free(&text);
        if (s->items[i].task != NULL) {
            begin(c, step, i);
            c->next.task = s->items[i].task;
            cut(c);
        }
    }
    cut(c);
}

void tc_lesson_screens_make(tc_arena *a, const tc_lesson *l,
                            const tc_markdown_style *style, int rows,
                            tc_lesson_screens *out) {
    int room = rows - TC_SCREEN_FRAME;
    cutter c = {
        .arena = a, .out = out, .room = rows > 0 && room < 5 ? 5 : room};
    *out = (tc_lesson_screens){0};
    for (int i = 0; i < l->nsteps; i++) {
        add_step(&c, &l->steps[i], i, style);
    }
    if (out->n == 0) { /* a page without a word */
        begin(&c, 0, 0);
        cut(&c);
    }
    tc_buf_free(&c.text);
}

int tc_lesson_screens_find(const tc_lesson_screens *s, int step, int item) {
    int found = 0;
    for (int i = 0; i < s->n; i++) {
        const tc_lesson_screen *x = &s->items[i];
        if (x->step < step || (x->step == step && x->item <= item)) {
            bool same = i > 0 && x->step == s->items[found].step &&
                        x->item == s->items[found].item;
            found = same ? found : i; /* the first part of a cut block */
        }
    }
    return found;
}
