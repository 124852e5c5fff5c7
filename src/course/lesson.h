/* lesson.h - a lesson: a page of Markdown as steps, each of which shows or asks.
 * lessons/WRITING.md says how it is written. */
#ifndef TC_COURSE_LESSON_H
#define TC_COURSE_LESSON_H

#include "base/arena.h"
#include "base/diag.h"
#include <cmark.h>
#include <stdbool.h>

typedef enum tc_task_kind {
    TC_TASK_TYPE,
    TC_TASK_PREDICT,
    TC_TASK_EDIT,
    TC_TASK_CHOOSE
} tc_task_kind;

extern const char *const tc_task_kind_names[];

/* "hint 4: That is vec.": key "hint", arg "4", value "That is vec." */
typedef struct tc_task_line {
    const char *key, *arg, *value; /* arg "": none */
    tc_span span;
} tc_task_line;

/* What a step asks. */
typedef struct tc_task {
    tc_task_kind kind;
    const char *id; /* of the lesson's tasks: what progress has of it */
    tc_span span;   /* its comment's first line */
    tc_task_line *lines;
    int nlines, cap;
    int nchoices;     /* items of the quotation's numbered list */
    const char *load; /* the program; NULL: none */
    cmark_node *solution, *solution_end; /* its words: the blocks from the first
                                            up to the other; or NULL */
} tc_task;

/* A block of a step; with a task: its quotation. */
typedef struct tc_lesson_item {
    cmark_node *block;
    tc_task *task; /* or NULL */
} tc_lesson_item;

typedef struct tc_lesson_step {
    const char *title;
    tc_lesson_item *items;
    int nitems, cap, ntasks;
} tc_lesson_step;

/* A block "```python NAME.py" and its like. */
typedef struct tc_lesson_file {
    const char *name, *text;
} tc_lesson_file;

typedef struct tc_lesson {
    tc_arena *arena;
    cmark_node *doc;
    const tc_source *source;
    const char *name, *title; /* "01-first-steps", "First steps" */
    tc_lesson_step *steps;    /* the first is the introduction */
    int nsteps, steps_cap;
    tc_lesson_file *files;
    int nfiles, files_cap;
    int ntasks, nbroken; /* broken: reported, and not among its tasks */
    const char *arch;    /* "<!-- arch sm_100a -->"; or NULL */
} tc_lesson;

/* Reads a lesson's text, which it copies; path is for messages. Reports what is
 * wrong with a task, which is then left out. Never NULL. */
tc_lesson *tc_lesson_read(const char *name, const char *path, const char *text,
                          tc_diags *diags);
void tc_lesson_free(tc_lesson *l); /* NULL is allowed */

/* The file of that name, or NULL. */
const tc_lesson_file *tc_lesson_file_of(const tc_lesson *l, const char *name);
/* The first line of that key from *at on, which then stands behind it; NULL:
 * there is none. */
const tc_task_line *tc_task_next(const tc_task *t, const char *key, int *at);
/* The value of the first line of that key; NULL: there is none. */
const char *tc_task_value(const tc_task *t, const char *key);

#endif
