/* alu_gen - writes the kernels of the differential test (alu_cases.h):
 *
 *     alu_gen FORMS.txt.gz DIR
 *
 * DIR/m000.ptx and so on; alu_host runs them on a GPU. */
#include "alu_corpus.h"

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: alu_gen FORMS.txt.gz DIR\n");
        return 2;
    }
    alu_case *cases = NULL;
    int n = alu_list(argv[1], &cases);
    if (n < 0) {
        fprintf(stderr, "alu_gen: cannot open %s\n", argv[1]);
        return 1;
    }
    int modules = 0;
    for (int i = 0, m; i < n; i += m, modules++) {
        m = alu_batch(cases + i, n - i);
        tc_buf b = TC_BUF_INIT;
        char path[4096];
        snprintf(path, sizeof path, "%s/m%03d.ptx", argv[2], modules);
        alu_module(&b, cases + i, m);
        FILE *out = fopen(path, "wb");
        if (out == NULL || fwrite(b.data, 1, b.len, out) != b.len ||
            fclose(out) != 0) {
            fprintf(stderr, "alu_gen: cannot write %s\n", path);
            return 1;
        }
        tc_buf_free(&b);
    }
    free(cases);
    printf("%d cases in %d modules\n", n, modules);
    return 0;
}
