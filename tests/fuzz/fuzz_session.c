/* fuzz_session.c - the whole input path: any bytes, as if typed or loaded, and
 * then every command that works on a program. Nothing may crash, leak or hang.
 */
#include "gpu/wire.h"
#include "tilecopy.h"

#include <stdlib.h>
#include <string.h>

static void ignore_diag(void *user, const tc_diag *d) {
    (void)user;
    (void)d;
}

static void ignore_text(void *user, const char *text, size_t len) {
    (void)user;
    (void)text;
    (void)len;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const commands[] = {
        "why", "partition", "ir", "cuda", "ptx", "show", "partition 1,2"};
    if (size > 4096) {
        return 0;
    }
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    setenv(TC_GPU_ENV, "1", 1); /* no GPU: this main is not ours */
    tc_options o = tc_options_default();
    o.json = size % 2;
    tc_session *s = tc_session_new(&o, ignore_diag, ignore_text, NULL);
    tc_session_wants_more(s, text);
    tc_session_eval(s, text);
    if (tc_session_program(s) != NULL) {
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            tc_session_eval(s, commands[i]);
        }
    }
    tc_session_free(s);
    free(text);
    return 0;
}
