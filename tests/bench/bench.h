/* bench.h - the parts of `make bench` in files of their own. */
#ifndef BENCH_H
#define BENCH_H

/* suggest on the recorded sample, beside the exhaustive search. */
void bench_suggest(void);

/* parse + why on the first `most` programs of the corpus; 0: on all. */
void bench_corpus(int most);

/* Thread-instructions a second of the kernels in a folder's .ptx files. */
void bench_speed(const char *folder);

/* `exec` of the CUDA programs in a folder's whole/. */
void bench_whole(const char *repl, const char *folder);

/* The kernels of a first course, a folder's .cu files, in one table. */
void bench_course(const char *repl, const char *folder);

#endif
