/* lesson.c - a page of Markdown into steps: what it shows, its tasks with their
 * solutions, its files. */
#include "course/lesson.h"

#include "course/library.h"
#include "course/markdown.h"
#include "course/task.h"
#include <stdlib.h>
#include <string.h>

typedef struct page_reader {
    tc_lesson *l;
    tc_diags *diags;
    tc_task *last;     /* a solution behind it is its own */
    cmark_node *quote; /* the block before, if it is a quotation */
} page_reader;

static const char *words_of(tc_arena *a, cmark_node *node) {
    tc_buf b = TC_BUF_INIT;
    tc_markdown_words(&b, node);
    return tc_buf_finish(&b, a);
}

static tc_lesson_step *add_step(tc_lesson *l, const char *title) {
    tc_lesson_step step = {.title = title};
    TC_PUSH(l->arena, l->steps, l->nsteps, l->steps_cap, step);
    return &l->steps[l->nsteps - 1];
}

static void add_item(tc_lesson *l, cmark_node *block, tc_task *task) {
    tc_lesson_step *step = &l->steps[l->nsteps - 1];
    tc_lesson_item item = {block, task};
    TC_PUSH(l->arena, step->items, step->nitems, step->cap, item);
}

/* "python NAME.py", "cuda NAME.cu", "ptx NAME.ptx" */
static void note_file(tc_lesson *l, cmark_node *block) {
    const char *info = cmark_node_get_fence_info(block);
    const char *blank = info ? strchr(info, ' ') : NULL;
    if (blank == NULL || blank[1] == '\0' || strchr(blank, '/') != NULL) {
        return;
    }
    tc_lesson_file f = {tc_strdup(l->arena, blank + 1),
                        tc_strdup(l->arena, cmark_node_get_literal(block))};
    TC_PUSH(l->arena, l->files, l->nfiles, l->files_cap, f);
}

/* --- tasks -----------------------------------------------------------------*/

static int count_choices(cmark_node *quote) {
    cmark_node *n = cmark_node_first_child(quote);
    for (; n != NULL; n = cmark_node_next(n)) {
        int items = 0;
        if (cmark_node_get_type(n) == CMARK_NODE_LIST &&
            cmark_node_get_list_type(n) == CMARK_ORDERED_LIST) {
            cmark_node *i = cmark_node_first_child(n);
            for (; i != NULL; i = cmark_node_next(i)) {
                items++;
            }
            return items;
        }
    }
    return 0;
}

/* A program of lessons/ becomes one of the page's files. */
static const char *shared_file(tc_lesson *l, const char *load) {
    const char *path = tc_library_program(
        l->arena, strncmp(load, "lessons/", 8) == 0
                      ? load
                      : tc_format(l->arena, "lessons/%s", load));
    const char *text = path ? tc_library_text(l->arena, path) : NULL;
    const char *slash = strrchr(load, '/');
    tc_lesson_file f = {slash != NULL ? slash + 1 : load, text};
    if (text != NULL) {
        TC_PUSH(l->arena, l->files, l->nfiles, l->files_cap, f);
    }
    return text != NULL ? f.name : NULL;
}

/* The program that a task is about, once all files of the page are known. */
static bool find_program(page_reader *r, tc_task *t) {
    const char *load = tc_task_value(t, "load");
    tc_lesson *l = r->l;
    if (load == NULL || strcmp(load, "none") == 0) {
        t->load = load == NULL && t->kind != TC_TASK_TYPE ? t->load : NULL;
    } else if (tc_lesson_file_of(l, load) != NULL) {
        t->load = load;
    } else {
        t->load = shared_file(l, load);
        if (t->load == NULL) {
            tc_error(r->diags, t->span, "```python NAME.py",
                     "no block of the page is the file '%s', and lessons/ has "
                     "none of that name",
                     load);
            return false;
        }
    }
    if (t->kind == TC_TASK_EDIT && t->load == NULL) {
        tc_error(r->diags, t->span, "load: NAME.py",
                 "a learner edits a file, and this task names none");
        return false;
    }
    return true;
}

/* What it asks is shown, and nothing is checked. */
static void drop_task(page_reader *r, tc_lesson_item *item) {
    item->task = NULL;
    r->l->ntasks--;
    r->l->nbroken++;
}

static void find_programs(page_reader *r) {
    for (int i = 0; i < r->l->nsteps; i++) {
        for (int k = 0; k < r->l->steps[i].nitems; k++) {
            tc_task *t = r->l->steps[i].items[k].task;
            if (t != NULL && !find_program(r, t)) {
                drop_task(r, &r->l->steps[i].items[k]);
            }
        }
    }
}

static void task(page_reader *r, cmark_node *block) {
    tc_lesson *l = r->l;
    tc_task *t =
        tc_task_read(l->arena, l->source, cmark_node_get_literal(block),
                     cmark_node_get_start_line(block), r->diags);
    tc_lesson_step *step = &l->steps[l->nsteps - 1];
    if (t == NULL) {
        l->nbroken++;
        return;
    }
    if (r->quote == NULL) {
        tc_error(r->diags, t->span, "> **Predict.** ...",
                 "a task's comment stands right behind its quotation");
        l->nbroken++;
        return;
    }
    t->load = l->nfiles > 0 ? l->files[l->nfiles - 1].name : NULL;
    t->nchoices = count_choices(r->quote);
    t->id = tc_format(l->arena, "%s#%d", step->title, ++step->ntasks);
    l->ntasks++;
    step->items[step->nitems - 1].task = t;
    r->last = t;
    if (t->kind == TC_TASK_CHOOSE && t->nchoices < 2) {
        tc_error(r->diags, t->span, "> 1. ...",
                 "the quotation before this has no numbered list to choose "
                 "from");
        drop_task(r, &step->items[step->nitems - 1]);
    }
}

/* --- blocks ----------------------------------------------------------------*/

static bool html_is(cmark_node *n, const char *tag) {
    return n != NULL && cmark_node_get_type(n) == CMARK_NODE_HTML_BLOCK &&
           strncmp(cmark_node_get_literal(n), tag, strlen(tag)) == 0;
}

/* "<details>" up to "</details>": the solution of the task before it. */
static cmark_node *details(page_reader *r, cmark_node *open) {
    cmark_node *n = cmark_node_next(open);
    if (r->last != NULL) {
        r->last->solution = n;
    }
    while (n != NULL && !html_is(n, "</details>")) {
        if (r->last == NULL) {
            add_item(r->l, n, NULL);
        }
        n = cmark_node_next(n);
    }
    if (r->last != NULL) {
        r->last->solution_end = n;
        r->last = NULL;
    }
    return n != NULL ? n : open;
}

/* Takes a block; returns the last one that it took. */
static cmark_node *take(page_reader *r, cmark_node *n) {
    tc_lesson *l = r->l;
    cmark_node *quote = NULL, *last = n;
    cmark_node_type type = cmark_node_get_type(n);
    int level =
        type == CMARK_NODE_HEADING ? cmark_node_get_heading_level(n) : 0;
    if (level == 1 && l->title[0] == '\0') {
        l->title = words_of(l->arena, n);
        l->steps[0].title = l->title;
    } else if (level == 2) {
        add_step(l, words_of(l->arena, n));
        r->last = NULL;
    } else if (html_is(n, "<details>")) {
        last = details(r, n);
    } else if (type == CMARK_NODE_HTML_BLOCK) {
        if (tc_task_is(cmark_node_get_literal(n))) {
            task(r, n);
        }
    } else {
        if (type == CMARK_NODE_CODE_BLOCK) {
            note_file(l, n);
        }
        quote = type == CMARK_NODE_BLOCK_QUOTE ? n : NULL;
        r->last = NULL;
        add_item(l, n, NULL);
    }
    r->quote = quote;
    return last;
}

tc_lesson *tc_lesson_read(const char *name, const char *path, const char *text,
                          tc_diags *diags) {
    tc_arena *a = tc_arena_new();
    tc_lesson *l = TC_NEW(a, tc_lesson);
    tc_source *src = TC_NEW(a, tc_source);
    src->name = tc_strdup(a, path);
    src->text = tc_strdup(a, text);
    src->len = strlen(text);
    src->first_line = 1;
    *l = (tc_lesson){
        .arena = a,
        .name = tc_strdup(a, name),
        .title = "",
        .source = src,
        .doc = cmark_parse_document(text, src->len, CMARK_OPT_DEFAULT)};
    add_step(l, "");
    page_reader r = {.l = l, .diags = diags};
    cmark_node *n = cmark_node_first_child(l->doc);
    for (; n != NULL; n = cmark_node_next(n)) {
        n = take(&r, n);
    }
    find_programs(&r);
    const char *arch = strstr(text, "\n<!-- arch ");
    if (arch != NULL) {
        arch += strlen("\n<!-- arch ");
        l->arch = tc_strndup(a, arch, strcspn(arch, " \n"));
    }
    return l;
}

void tc_lesson_free(tc_lesson *l) {
    if (l != NULL) {
        cmark_node_free(l->doc);
        tc_arena_free(l->arena);
    }
}

const tc_lesson_file *tc_lesson_file_of(const tc_lesson *l, const char *name) {
    for (int i = l->nfiles; i-- > 0;) { /* the last of that name, as on disk */
        if (strcmp(l->files[i].name, name) == 0) {
            return &l->files[i];
        }
    }
    return NULL;
}
