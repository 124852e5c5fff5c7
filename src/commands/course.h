/* course.h - the lesson under way in a session, for the commands about it. */
#ifndef TC_COMMANDS_COURSE_H
#define TC_COMMANDS_COURSE_H

#include "commands/commands.h"
#include "course/judge.h"
#include "course/lesson.h"
#include "course/screen.h"

typedef struct tc_course {
    tc_lesson *lesson;
    tc_arena *drawn; /* of screens */
    tc_lesson_screens screens;
    int width, height; /* that they were made for */
    int at;            /* the screen that is shown */
    int hints;         /* of its task that were given */
    const char *wrong; /* the hint to the last wrong answer to it; or NULL */
    bool told;         /* that progress is not kept */
} tc_course;

/* --- lesson/lesson.c -------------------------------------------------------*/

/* The lesson under way, with screens for the terminal as it is; or NULL. */
tc_course *tc_course_of(tc_session *s);
/* What the screen that is shown asks; NULL: nothing, or no lesson. */
const tc_task *tc_course_task(tc_session *s);
/* The same, or NULL after saying that there is none. */
const tc_task *tc_course_need_task(tc_session *s, tc_span at);
/* Says, once, why progress is not kept. */
void tc_course_not_kept(tc_session *s, const char *why);
/* Begins a lesson, which the session then owns, where it was left; the one under
 * way is left. */
void tc_course_begin(tc_session *s, tc_lesson *l);
/* The lesson that an argument means, or NULL after reporting. A path that ends in
 * .md is one, too. */
tc_lesson *tc_course_open(tc_session *s, tc_arena *a,
                          const tc_command_value *name);
tc_markdown_style tc_course_style(const tc_session *s);

/* --- lesson/files.c: programs of lessons -----------------------------------*/

/* Puts the lesson's files into its folder of the user's state folder: those
 * that are not there, or all. */
void tc_course_files(const tc_lesson *l, bool all);
/* Where the learner's copy of a file is; in arena a. NULL: nowhere. */
char *tc_course_file(tc_arena *a, const tc_lesson *l, const char *name);
/* Where a copy that the learner does not change is; the same. */
char *tc_course_given(tc_arena *a, const tc_lesson *l, const char *name);
/* A reply names the files of the lesson under way as its pages do, without their
 * folder. */
void tc_course_short_paths(tc_session *s, tc_buf *text);
/* A line of a page that is the shell's, "$ sed ...": the client is asked to have
 * it obeyed, in the folder of the lesson's files, where lessons/ are too. False:
 * the line is no such, or no lesson is under way. */
bool tc_course_shell(tc_session *s, const char *line, size_t len);
/* What `load PATH` reads: a file of the lesson under way, a program of
 * lessons/ (the learner's copy, once it is edited), else the path itself. In arena
 * a. */
const char *tc_course_path(tc_session *s, tc_arena *a, const char *path);

/* --- lesson/ready.c: for who reads on without typing -----------------------*/

/* Gives the names, those that are not there, of all examples before the screen. */
void tc_course_give_names(tc_session *s, const tc_course *c);
/* Loads a task's program where another one, or none, is loaded, and says so; what
 * its `do` lines give. Was it loaded? */
bool tc_course_make_ready(tc_session *s, const tc_task *t, tc_buf *said);
/* What stands in the way of an edit before any hint helps: the file is as it was
 * given, or was changed and not loaded. In arena a; NULL: nothing. */
const char *tc_course_edit_state(tc_session *s, tc_arena *a, const tc_task *t);

/* --- lesson/ask.c ----------------------------------------------------------*/

/* The JSON answer of a command in this session, whose reply is not shown. A new
 * reference. Never NULL. */
json_t *tc_course_ask(tc_session *s, const char *command);
/* What a task asks of its program, in a session of its own: load, do, what is
 * typed, ask. program: its text, where it is not the file's; typed: a command;
 * each may be NULL. A new reference; NULL after reporting. {} for a task that
 * asks nothing. */
json_t *tc_course_ask_apart(tc_session *s, const tc_lesson *l, const tc_task *t,
                            const char *program, const char *typed);
/* A command as it was meant: its full name, its words with one blank between.
 * In arena a; the line itself if it is none. */
char *tc_course_meant(tc_session *s, tc_arena *a, const char *line);
/* "typed" and "solves" of a reply to a line. */
void tc_course_note_typed(tc_session *s, const tc_task *t, const char *line,
                          json_t *reply);

/* --- lesson/task.c: called by eval.c ---------------------------------------*/

/* Is a line the answer to the task that is shown: a number alone? */
bool tc_course_takes(tc_session *s, const char *line, size_t len);
/* A line has been evaluated: says, behind its reply, what it means for the task
 * that is shown. c: its command, or NULL: TVMScript. */
void tc_course_watch(tc_session *s, const tc_command *c, const char *line,
                     size_t len, tc_status status, tc_reply *r);

/* --- lesson/check.c --------------------------------------------------------*/

/* `lesson check`: holds a lesson's tasks to their own answers. */
tc_status tc_course_check(tc_session *s, const tc_command_value *name,
                          tc_reply *r);

#endif
