/* leftover.h - processes that a submission has left behind. */
#ifndef TC_GRADE_LEFTOVER_H
#define TC_GRADE_LEFTOVER_H

/* From here on what the processes that this one starts leave behind becomes its
 * own child (prctl(2), PR_SET_CHILD_SUBREAPER). Returns how it was before. */
int tc_leftover_adopt(void);
/* Ends every child of this process, and theirs; then as it was before. */
void tc_leftover_end(void);
void tc_leftover_restore(int before);

#endif
