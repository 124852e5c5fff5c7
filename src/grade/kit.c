/* kit.c - makes the folders: scripts with the exercise's name put in, what
 * students may see of the exercise, and this program. */
#include "grade/kit.h"
#include "base/file.h"
#include "grade/grading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what our program carries ---- */

#ifdef TC_KIT_FOLDER
#define CARRY(symbol, file)                                                    \
    ".globl tc_kit_" symbol "\ntc_kit_" symbol ":\n"                           \
    ".incbin \"" TC_KIT_FOLDER "/" file "\"\n.byte 0\n"
#else /* a build that carries nothing, as a fuzz target's */
#define CARRY(symbol, file)                                                    \
    ".globl tc_kit_" symbol "\ntc_kit_" symbol ":\n.byte 0\n"
#endif
__asm__(".pushsection .rodata\n" CARRY("setup", "setup.sh")
            CARRY("autograder", "run_autograder")
                CARRY("classroom", "classroom.yml")
                    CARRY("sbatch", "grade.sbatch")
                        CARRY("toolkit", "../toolkit.sh") ".popsection\n");
extern const char tc_kit_setup[], tc_kit_autograder[], tc_kit_classroom[],
    tc_kit_sbatch[], tc_kit_toolkit[];

static const char gradescope_readme[] =
    "# @ on Gradescope\n"
    "\n"
    "    zip -r ../autograder.zip .\n"
    "\n"
    "in this folder, and upload autograder.zip as the assignment's autograder\n"
    "(programming assignment, Ubuntu, at least 1 CPU and 3 GB). `setup.sh`\n"
    "installs what is needed while the image is made; `run_autograder` grades\n"
    "a submission. To be handed in: `%`, alone.\n"
    "\n"
    "Hidden cases are shown after grades are published. The sandbox is as "
    "much\n"
    "as the container allows; the verdict is judged outside of the\n"
    "submission's process in any case. If the image is older than the system\n"
    "of `tilecopy-repl` here, add its sources as `source.tar.gz`.\n";

static const char classroom_readme[] =
    "# @ with GitHub Classroom\n"
    "\n"
    "Put `.github`, `.tilecopy` and `%` into the assignment's template\n"
    "repository, and protect `.github/**/*` and `.tilecopy/**/*` in the\n"
    "assignment's settings. Each push is graded; the reporter adds up the\n"
    "points. Students can read `.tilecopy/@/exercise.yml`; the data of hidden\n"
    "cases are drawn anew each time.\n";

/* Which file goes where; in texts and paths @ is the exercise, % its file. */
typedef struct kit_file {
    const char *kit, *path, *text;
    int mode;
} kit_file;

static const kit_file files[] = {
    {"gradescope", "setup.sh", tc_kit_setup, 0755},
    {"gradescope", "run_autograder", tc_kit_autograder, 0755},
    {"gradescope", "toolkit.sh", tc_kit_toolkit, 0755},
    {"gradescope", "README.md", gradescope_readme, 0644},
    {"classroom", ".github/workflows/classroom.yml", tc_kit_classroom, 0644},
    {"classroom", ".tilecopy/setup.sh", tc_kit_setup, 0755},
    {"classroom", ".tilecopy/toolkit.sh", tc_kit_toolkit, 0755},
    {"classroom", "README.md", classroom_readme, 0644},
    {"slurm", "grade.sbatch", tc_kit_sbatch, 0755}};

/* Where a kit keeps the exercise and our program, below its folder. */
static const struct {
    const char *kit, *below;
    bool carries; /* them */
    const char *then;
} kits[] = {
    {"gradescope", "", true, "zip what is in it, and upload that"},
    {"classroom", ".tilecopy/", true, "it belongs to the template repository"},
    {"slurm", "", false, "sbatch --array=1-8 grade.sbatch FOLDER"}};
enum { KITS = sizeof kits / sizeof *kits };

static int find(const char *word) {
    int i = 0;
    while (i < KITS && strcmp(kits[i].kit, word) != 0) {
        i++;
    }
    return i;
}

static const char *start_of(const tc_exercise *e) {
    return e->start ? e->start : "submission.cu";
}

bool tc_kit_is(const char *word) {
    return find(word) < KITS;
}

/* ---- files ---- */

typedef struct kit_job {
    const tc_exercise *e;
    const char *folder;
    tc_arena *a;
    tc_diags d;
} kit_job;

static bool fails(kit_job *j, const char *path) {
    tc_error(&j->d, TC_NOWHERE, NULL, "cannot write '%s': %s", path,
             strerror(errno));
    return false;
}

static void make_parents(const char *path) {
    char part[4096];
    for (const char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        mkdir(part, 0755);
    }
}

/* The scripts of Gradescope's toolkit have a % and @ of their own: only the
 * texts that are about the exercise are filled. */
static bool put_text(kit_job *j, const kit_file *f) {
    const char *path = tc_format(j->a, "%s/%s", j->folder, f->path);
    bool fill = f->text != tc_kit_toolkit && f->text != tc_kit_setup;
    tc_buf b = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    for (const char *p = f->text; *p; p++) {
        bool alone = p[1] == '\n' || p[1] == ' ' || p[1] == '`' ||
                     p[1] == '/' || p[1] == '}' || p[1] == '\0';
        if (fill && *p == '@' && (alone || p[1] == '-')) {
            tc_buf_puts(&b, j->e->name);
        } else if (fill && *p == '%' && alone) {
            tc_buf_puts(&b, start_of(j->e));
        } else {
            tc_buf_putc(&b, *p);
        }
    }
    make_parents(path);
    bool ok = tc_file_write(path, tc_buf_text(&b), b.len, NULL, why);
    tc_buf_free(&b);
    if (!ok) {
        tc_error(&j->d, TC_NOWHERE, NULL, "cannot write '%s': %s", path, why);
    }
    return ok && (chmod(path, (mode_t)f->mode) == 0 || fails(j, path));
}

static bool copy(kit_job *j, const char *from, const char *to, int mode) {
    const char *path = tc_format(j->a, "%s/%s", j->folder, to);
    struct stat s;
    make_parents(path);
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool ok = in >= 0 && out >= 0 && fstat(in, &s) == 0;
    for (off_t at = 0; ok && at < s.st_size;) {
        ok = sendfile(out, in, &at, (size_t)(s.st_size - at)) > 0;
    }
    ok = ok || fails(j, in >= 0 ? path : from);
    if (in >= 0) {
        close(in);
    }
    return (out < 0 || close(out) == 0) && ok;
}

/* What grades it: neither the reference nor the wrong answers. */
static bool put_exercise(kit_job *j, const char *below, bool start_too) {
    const char *const names[] = {"exercise.yml", "README.md", start_of(j->e)};
    bool ok = true;
    for (int i = 0; i < 3 && ok; i++) {
        const char *from = tc_format(j->a, "%s/%s", j->e->folder, names[i]);
        ok =
            access(from, R_OK) != 0 ||
            copy(j, from,
                 tc_format(j->a, "%s%s/%s", below, j->e->name, names[i]), 0644);
    }
    return ok &&
           (!start_too ||
            copy(j, tc_format(j->a, "%s/%s", j->e->folder, start_of(j->e)),
                 start_of(j->e), 0644)) &&
           copy(j, "/proc/self/exe", tc_format(j->a, "%stilecopy-repl", below),
                0755);
}

static bool put_all(kit_job *j, int kit) {
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++) {
        ok = strcmp(files[i].kit, kits[kit].kit) != 0 || put_text(j, &files[i]);
    }
    return ok && (!kits[kit].carries ||
                  put_exercise(j, kits[kit].below, *kits[kit].below != '\0'));
}

tc_status tc_kit_make(const char *word, const char *name, tc_diag_fn diag,
                      tc_output_fn output, void *user) {
    kit_job j = {.a = tc_arena_new(), .d = {diag, user, 0}};
    tc_status status;
    int kit = find(word);
    j.e = tc_grade_exercise(j.a, name, &j.d, &status);
    if (j.e != NULL) {
        j.folder = tc_format(j.a, "%s-%s", j.e->name, word);
        status = TC_FAILED;
        if (mkdir(j.folder, 0755) != 0) {
            tc_error(&j.d, TC_NOWHERE, "another folder, or without that one",
                     "cannot make the folder '%s': %s", j.folder,
                     strerror(errno));
        } else if (put_all(&j, kit)) {
            const char *said =
                tc_format(j.a, "%s: %s\n", j.folder, kits[kit].then);
            output(user, said, strlen(said));
            status = TC_OK;
        }
    }
    tc_arena_free(j.a);
    return status;
}
