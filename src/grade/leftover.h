/* leftover.h - processes that a submission has left behind. */
#ifndef TC_GRADE_LEFTOVER_H
#define TC_GRADE_LEFTOVER_H

/* From here on what the processes that this one starts leave behind becomes its
 * own child (prctl(2), PR_SET_CHILD_SUBREAPER). Returns how it was before. */
int tc_leftover_adopt(void);
/* Ends every child of this process, and theirs, but for two that are no
 * submission's (0: none). */
void tc_leftover_end(const int spared[2]);
void tc_leftover_restore(int before);

#endif
