/* tirx.c - grades a program of TVMScript: by dispatch and by a run. */
#include "grade/grading.h"

void tc_grading_tirx(tc_grading *g) {
    tc_test *t = TC_NEW(g->verdict->arena, tc_test);
    g->verdict->tests = t;
    g->verdict->ntests = 1;
    tc_grading_stop(g, t, "exercises in TIRx are not built yet");
}
