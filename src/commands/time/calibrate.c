/* calibrate.c - measures the attached GPU part by part, and writes the profile
 * of it that `set profile` takes. */
#include "calibrate/calibrate.h"
#include "base/file.h"
#include "commands/commands.h"

#include <ctype.h>
#include <string.h>

/* "NVIDIA H200" becomes nvidia-h200.profile. */
static const char *usual_name(tc_arena *a, const char *device) {
    tc_buf b = TC_BUF_INIT;
    for (const char *p = device; *p != '\0'; p++) {
        bool word = isalnum((unsigned char)*p);
        tc_buf_putc(&b, word ? (char)tolower((unsigned char)*p) : '-');
    }
    tc_buf_puts(&b, ".profile");
    return tc_buf_finish(&b, a);
}

static bool write_file(tc_session *s, tc_span at, const char *path,
                       const tc_buf *text) {
    char why[TC_FILE_WHY];
    if (!tc_file_write(path, tc_buf_text(text), text->len, &s->cancel, why)) {
        tc_error(&s->diags, at, NULL, "cannot write '%s': %s", path, why);
        return false;
    }
    return true;
}

static bool stopped(void *user, int i, int n, const char *name) {
    tc_session *s = user;
    (void)i, (void)n, (void)name;
    return s->cancel != 0;
}

static bool measure(tc_session *s, tc_span at, tc_calibration *c) {
    char why[512] = "";
    tc_device_options o = {.sim = {.arch = tc_session_arch(s),
                                   .timing = true,
                                   .completion = TC_COMPLETE_TIMING,
                                   .cancel = &s->cancel},
                           .gpu = s->gpu};
    if (!tc_calibrate(&tc_device_gpu, &o, NULL, stopped, s, c,
                      (tc_gpu_complaint){why, sizeof why})) {
        tc_error(&s->diags, at,
                 "`set profile h200` takes what was measured on one", "%s",
                 why);
        return false;
    }
    return true;
}

static int known(const tc_calibration *c) {
    int n = 0;
    for (int i = 0; i < TC_MEASURE_COUNT; i++) {
        n += c->results[i].known;
    }
    return n;
}

static void answer(tc_session *s, const tc_calibration *c, const char *file,
                   tc_reply *r) {
    if (s->options.json) {
        r->json = json_pack("{s:s,s:i,s:s,s:i,s:i,s:s}", "device", c->device,
                            "sm", c->sm, "date", c->date, "measures", known(c),
                            "refused", c->refused, "file", file);
        return;
    }
    tc_buf_printf(&r->text,
                  "%s (sm_%d, %d SMs, %d MHz, driver %d.%d): %d measures; "
                  "its profile is in %s\n",
                  c->device, c->sm, c->sms, c->clock_mhz, c->driver / 1000,
                  c->driver % 1000 / 10, known(c), file);
    if (c->refused > 0) {
        tc_buf_printf(&r->text, "%d could not be made; the last: %s\n",
                      c->refused, c->why);
    }
}

tc_status tc_cmd_calibrate(tc_session *s, const tc_command_args *args,
                           tc_reply *r) {
    const tc_command_value *file = tc_value_of(args, "PROFILE");
    const tc_command_value *data = tc_value_of(args, "DATA");
    tc_calibration *c = tc_xcalloc(1, sizeof *c);
    tc_arena *a = tc_arena_new();
    tc_buf text = TC_BUF_INIT;
    tc_status status = TC_NO_GPU;
    if (measure(s, args->span, c)) {
        const char *path = file != NULL ? file->text : usual_name(a, c->device);
        tc_calibration_profile(c, &text);
        bool ok = s->cancel == 0 && write_file(s, args->span, path, &text);
        tc_buf_clear(&text);
        tc_calibration_data(c, &text);
        ok = ok &&
             (data == NULL || write_file(s, data->span, data->text, &text));
        status = ok ? TC_OK : TC_FAILED;
        if (ok) {
            answer(s, c, path, r);
        }
    }
    tc_buf_free(&text);
    tc_arena_free(a);
    free(c);
    return status;
}
