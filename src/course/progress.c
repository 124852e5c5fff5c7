/* progress.c - reads, changes and replaces the file of progress. */
#include "course/progress.h"

#include "base/buf.h"
#include "base/share.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_BYTES = 4 << 20,
    LOCK_TICKS = 100 /* of 20 ms: another has it for a write at most */
};

/* All of the file, or an empty object: there is none, or it is no JSON. */
static json_t *read_all(void) {
    char path[PATH_MAX], why[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    json_t *all = NULL;
    if (tc_state_file("progress.json", path, sizeof path) &&
        tc_file_read(&text, path, MOST_BYTES, NULL, why)) {
        all = json_loads(tc_buf_text(&text), 0, NULL);
    }
    tc_buf_free(&text);
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    return all;
}

/* The member of that name, made if it is no object. Borrowed. */
static json_t *member(json_t *of, const char *name) {
    json_t *j = json_object_get(of, name);
    if (!json_is_object(j)) {
        j = json_object();
        json_object_set_new(of, name, j);
    }
    return j;
}

json_t *tc_progress_of(const char *lesson) {
    json_t *all = read_all();
    json_t *of = json_incref(member(member(all, "lessons"), lesson));
    json_decref(all);
    return of;
}

bool tc_progress_done(const json_t *of, const char *task) {
    return json_object_get(json_object_get(of, "done"), task) != NULL;
}

int tc_progress_count(const json_t *of) {
    return (int)json_object_size(json_object_get(of, "done"));
}

/* --- changing it -----------------------------------------------------------*/

/* A descriptor that holds the lock, or -1 after saying why. */
static int take_lock(char why[TC_FILE_WHY]) {
    const struct timespec tick = {.tv_nsec = 20000000};
    char path[PATH_MAX];
    if (!tc_state_file("progress.lock", path, sizeof path)) {
        snprintf(why, TC_FILE_WHY, "neither XDG_STATE_HOME nor HOME is set");
        return -1;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    for (int i = 0; fd >= 0 && i < LOCK_TICKS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return fd;
        }
        nanosleep(&tick, NULL);
    }
    snprintf(why, TC_FILE_WHY, "its lock: %.100s", strerror(errno));
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool write_all(json_t *all, char why[TC_FILE_WHY]) {
    char path[PATH_MAX];
    if (!tc_state_file("progress.json", path, sizeof path)) {
        return false;
    }
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_SORT_KEYS);
    bool ok =
        text != NULL && tc_file_write(path, text, strlen(text), NULL, why);
    free(text);
    return ok;
}

/* Takes over `of`, which replaces members of the lesson's; NULL: forgets it. */
static bool change(const char *lesson, json_t *of, char why[TC_FILE_WHY]) {
    int lock = take_lock(why);
    if (lock < 0) {
        json_decref(of);
        return false;
    }
    json_t *all = read_all(), *lessons = member(all, "lessons");
    if (of != NULL) {
        json_object_update_recursive(member(lessons, lesson), of);
    } else {
        json_object_del(lessons, lesson);
    }
    bool ok = write_all(all, why);
    close(lock);
    json_decref(all);
    json_decref(of);
    return ok;
}

bool tc_progress_place(const char *lesson, int step, int item,
                       char why[TC_FILE_WHY]) {
    return change(lesson, json_pack("{s:i,s:i}", "step", step, "item", item),
                  why);
}

bool tc_progress_task(const char *lesson, const char *task,
                      char why[TC_FILE_WHY]) {
    json_t *done = json_object();
    json_object_set_new(done, task, json_true());
    return change(lesson, json_pack("{s:o}", "done", done), why);
}

bool tc_progress_reset(const char *lesson, char why[TC_FILE_WHY]) {
    return change(lesson, NULL, why);
}
