/* main.h - tilecopy-repl in the place of nvcc, for clients. */
#ifndef TC_TOOLCHAIN_NVCC_MAIN_H
#define TC_TOOLCHAIN_NVCC_MAIN_H

/* `tilecopy-repl nvcc WORD...`: argv[0] is the first word, ended by NULL. What
 * it compiles and links runs on the simulator. Says what is wrong on standard
 * error; returns the exit status. */
int tc_nvcc_main(int argc, char **argv);

#endif
