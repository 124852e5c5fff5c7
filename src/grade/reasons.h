/* reasons.h - why a test was lost, as data. */
#ifndef TC_GRADE_REASONS_H
#define TC_GRADE_REASONS_H

/* TC_REASON(id, name): the name is what an exercise.yml and JSON say. */
#define TC_REASONS(X)                                                          \
    X(NONE, "none")                                                            \
    X(WRONG_VALUE, "wrong-value")                                              \
    X(UNWRITTEN, "unwritten")                                                  \
    X(OUTSIDE, "written-outside")                                              \
    X(INPUT_CHANGED, "input-changed")                                          \
    X(FINDING, "finding")                                                      \
    X(CUDA_ERROR, "cuda-error")                                                \
    X(ENDED, "ended-early")                                                    \
    X(TIME_LIMIT, "time-limit")                                                \
    X(LIMIT, "limit")                                                          \
    X(HOST_READ, "host-read")                                                  \
    X(HOST_WRITE, "host-write")                                                \
    X(HOST_SHARED, "host-shared")                                              \
    X(HOST_FREE, "host-free")                                                  \
    X(LAUNCHES, "launches")                                                    \
    X(NO_KERNEL, "no-kernel")                                                  \
    X(DIFFERS, "simulator-gpu-difference")                                     \
    X(RULE, "rule")                                                            \
    X(NOT_JUDGED, "not-judged")                                                \
    X(COMPILE, "compile")                                                      \
    X(VARIANT, "variant")                                                      \
    X(CHANGED, "changed")                                                      \
    X(MACHINE, "machine")
typedef enum tc_reason {
#define X(id, name) TC_REASON_##id,
    TC_REASONS(X)
#undef X
        TC_REASON_COUNT
} tc_reason;
extern const char *const tc_reason_names[];

#endif
