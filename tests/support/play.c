/* play.c - cases of tests/tui, without tmux and without a terminal. */
#include "play.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void on_diag(void *user, const tc_diag *d) {
    (void)user;
    if (d->severity == TC_ERROR) {
        fprintf(stderr, "%s:%d: %s\n", d->file, d->line, d->message);
    }
}

static void on_output(void *user, const char *text, size_t len) {
    (void)user;
    (void)text;
    (void)len;
}

static tc_session *open_session(const char *arch) {
    tc_options o = tc_options_default();
    o.terminal = true;
    o.arch = arch;
    tc_session *s = tc_session_new(&o, on_diag, on_output, NULL);
    assert_non_null(s);
    return s;
}

tc_player tc_player_open(const char *path, const char *command) {
    tc_player p = {.session = open_session(NULL)};
    assert_int_equal(tc_session_load(p.session, path), TC_OK);
    assert_int_equal(tc_session_eval(p.session, command), TC_OK);
    assert_int_equal(tc_session_eval(p.session, "timeline"), TC_OK);
    p.from = tc_supply_of(p.session);
    return p;
}

void tc_player_close(tc_player *p) {
    tc_supply_free(&p->from);
    tc_session_free(p->session);
}

/* ---- a case ---- */

typedef struct game {
    const char *path;
    FILE *file;
    int line, lines, cols;
    char size[16], text[1024];
    tc_session *session;
    tc_view_supply from;
    tc_view view;
    bool open, unicode;
} game;

static bool next_line(game *g) {
    if (fgets(g->text, sizeof g->text, g->file) == NULL) {
        return false;
    }
    g->text[strcspn(g->text, "\n")] = '\0';
    g->line++;
    return true;
}

static char *take_screen(game *g) {
    tc_buf b = TC_BUF_INIT;
    tc_cell_grid grid = tc_grid_new(g->lines, g->cols, g->unicode);
    if (g->open) {
        tc_view_draw(&g->view, &grid);
    }
    tc_grid_text(&grid, &b);
    tc_grid_free(&grid);
    return b.data;
}

static void end_view(game *g) {
    if (g->open) {
        tc_view_end(&g->view);
        tc_supply_free(&g->from);
    }
    g->open = false;
}

static void fail_case(game *g, const char *what, const char *text) {
    char *now = take_screen(g);
    fprintf(stderr, "%s:%d (%s): %s %s; the screen was:\n%s", g->path, g->line,
            g->size, what, text, now);
    free(now);
    fail();
}

/* ---- keys ---- */

static tc_key key_named(const char *name) {
    static const struct {
        const char *name;
        tc_key key;
    } names[] = {{"PPage", TC_KEY_PAGE_UP},    {"NPage", TC_KEY_PAGE_DOWN},
                 {"BSpace", TC_KEY_BACKSPACE}, {"BTab", TC_KEY_BACK_TAB},
                 {"C-l", 'L' & 0x1F},          {"C-u", 'U' & 0x1F}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return names[i].key;
        }
    }
    return tc_key_named(name, strlen(name));
}

static void press(game *g, tc_key key) {
    if (g->open) {
        tc_view_press(&g->view, key);
        if (g->view.quit) {
            end_view(g);
        }
    }
}

/* What is no key's name is typed, as tmux does. */
static void press_all(game *g, char *names) {
    for (char *k = strtok(names, " "); k != NULL; k = strtok(NULL, " ")) {
        tc_key key = key_named(k);
        if (key != TC_KEY_NONE) {
            press(g, key);
            continue;
        }
        for (; *k != '\0'; k++) {
            press(g, (tc_key)(unsigned char)*k);
        }
    }
}

/* ---- directives ---- */

static void start(game *g, char *args) {
    const char *arch = NULL, *file = NULL;
    for (char *w = strtok(args, " "); w != NULL; w = strtok(NULL, " ")) {
        if (strcmp(w, "--arch") == 0) {
            arch = strtok(NULL, " ");
        } else {
            file = w;
        }
    }
    g->session = open_session(arch);
    if (file != NULL && tc_session_load(g->session, file) != TC_OK) {
        fail_case(g, "does not load:", file);
    }
}

static void type(game *g, const char *text) {
    if (g->open) {
        for (; *text != '\0'; text++) {
            press(g, (tc_key)(unsigned char)*text);
        }
        press(g, TC_KEY_ENTER);
        return;
    }
    tc_session_eval(g->session, text);
    if (tc_session_wants_timeline(g->session)) {
        const char *at = tc_session_timeline_at(g->session);
        g->from = tc_supply_of(g->session);
        g->view = tc_view_start(&g->from, g->lines, g->cols);
        g->open = true;
        if (at != NULL) {
            assert_true(tc_view_go_to(&g->view, at));
        }
    }
}

/* Is there a line that matches? What the prompt would show is not asked. */
static bool shows(game *g, const char *pattern) {
    regex_t re;
    bool found = false;
    char *now = take_screen(g);
    assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
    for (char *p = strtok(now, "\n"); p != NULL && !found;
         p = strtok(NULL, "\n")) {
        found = regexec(&re, p, 0, NULL, 0) == 0;
    }
    regfree(&re);
    free(now);
    return found;
}

static void compare(game *g, const char *size) {
    tc_buf want = TC_BUF_INIT;
    char *now = take_screen(g);
    int n = 0;
    while (next_line(g) && strcmp(g->text, "---") != 0) {
        tc_buf_puts(&want, g->text);
        tc_buf_putc(&want, '\n');
        n++;
    }
    tc_buf_fill(&want, '\n', g->lines - n);
    if ((*size == '\0' || strcmp(size, g->size) == 0) &&
        strcmp(tc_buf_text(&want), now) != 0) {
        fail_case(g, "expected\n", tc_buf_text(&want));
    }
    tc_buf_free(&want);
    free(now);
}

static void obey(game *g) {
    char *rest = strchr(g->text, ' ');
    if (rest != NULL) {
        *rest++ = '\0';
    } else {
        rest = g->text + strlen(g->text);
    }
    const char *word = g->text;
    if (strcmp(word, "start") == 0) {
        start(g, rest);
    } else if (strcmp(word, "type") == 0) {
        type(g, rest);
    } else if (strcmp(word, "keys") == 0) {
        press_all(g, rest);
    } else if (strcmp(word, "resize") == 0) {
        assert_int_equal(sscanf(rest, "%dx%d", &g->cols, &g->lines), 2);
        if (g->open) {
            tc_view_resize(&g->view, g->lines, g->cols);
        }
    } else if (strcmp(word, "env") == 0) {
        g->unicode &= strcmp(rest, "LC_ALL=C") != 0;
    } else if (strcmp(word, "see") == 0) {
        if (g->open && !shows(g, rest)) {
            fail_case(g, "expected", rest);
        }
    } else if (strcmp(word, "gone") == 0) {
        if (g->open && shows(g, rest)) {
            fail_case(g, "still there:", rest);
        }
    } else if (strcmp(word, "screen") == 0) {
        compare(g, rest);
    } else if (*word != '\0' && *word != '#' && strcmp(word, "sizes") != 0) {
        fail_case(g, "what is", word);
    }
}

/* The line that begins with a word, behind it; false: there is none. */
static bool find_line(const char *path, const char *word, char *out,
                      size_t size) {
    char line[256];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    bool found = false;
    while (!found && fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        found = strncmp(line, word, strlen(word)) == 0;
    }
    fclose(f);
    if (found) {
        snprintf(out, size, "%s", line + strlen(word));
    }
    return found;
}

static void play_once(const char *path, const char *size) {
    game g = {.path = path, .file = fopen(path, "r"), .unicode = true};
    snprintf(g.size, sizeof g.size, "%s", size);
    assert_int_equal(sscanf(size, "%dx%d", &g.cols, &g.lines), 2);
    while (next_line(&g)) {
        obey(&g);
    }
    fclose(g.file);
    end_view(&g);
    tc_session_free(g.session);
}

bool tc_play_case(const char *path) {
    char sizes[128], tmux[8], *rest = sizes;
    if (find_line(path, "only tmux", tmux, sizeof tmux)) {
        return false;
    }
    assert_true(find_line(path, "sizes ", sizes, sizeof sizes));
    for (char *size; (size = strsep(&rest, " ")) != NULL;) {
        play_once(path, size);
    }
    return true;
}
