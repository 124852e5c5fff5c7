/* test_fuzz_corpus.c - every input that once was hard, through each fuzz
 * target. Passing is not crashing; ASan and UBSan watch in the sanitized build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The targets themselves, each under a name of its own. */
#define LLVMFuzzerTestOneInput fuzz_session
#define ignore_diag            session_ignore_diag
#include "../../fuzz/fuzz_session.c"
#undef LLVMFuzzerTestOneInput
#undef ignore_diag
#define LLVMFuzzerTestOneInput fuzz_front
#include "../../fuzz/fuzz_front.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_ptx
#include "../../fuzz/fuzz_ptx.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_run
#include "../../fuzz/fuzz_run.c"
#undef LLVMFuzzerTestOneInput

static int replay(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }
    static unsigned char data[1 << 20];
    size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    /* exactly as long as it is, so that reads beyond it are seen */
    unsigned char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, data, n);
    fuzz_session(copy, n);
    fuzz_front(copy, n);
    fuzz_ptx(copy, n);
    fuzz_run(copy, n);
    free(copy);
    return 1;
}

static int replay_folder(const char *folder) {
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[512];
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
            n += replay(path);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

static void hard_inputs_do_not_crash(void **state) {
    (void)state;
    int n = replay_folder("tests/fuzz/corpus/front") +
            replay_folder("tests/fuzz/corpus/ptx") +
            replay_folder("tests/fuzz/corpus/run") +
            replay_folder("tests/fuzz/corpus/session");
    assert_true(n > 0);
    printf("compared %d inputs\n", n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_inputs_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
