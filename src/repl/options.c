/* options.c - the command line's options. */
#include "repl/options.h"
#include "base/arch.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_BATCH = 256,
    OPT_KEEP_GOING,
    OPT_JSON,
    OPT_ARCH,
    OPT_BACKEND,
    OPT_SEED,
    OPT_TIMEOUT,
    OPT_COLOR,
    OPT_TOUR,
    OPT_REPORT,
    OPT_QUIET,
    OPT_PEDANTIC,
    OPT_NO_SUPPRESSIONS,
    OPT_TIMING,
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_ALL,
    OPT_SANDBOX,
    OPT_VERSION,
    OPT_HELP
};

static const struct option longs[] = {
    {"eval", required_argument, NULL, 'e'},
    {"batch", no_argument, NULL, OPT_BATCH},
    {"keep-going", no_argument, NULL, OPT_KEEP_GOING},
    {"json", no_argument, NULL, OPT_JSON},
    {"arch", required_argument, NULL, OPT_ARCH},
    {"backend", required_argument, NULL, OPT_BACKEND},
    {"seed", required_argument, NULL, OPT_SEED},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"color", required_argument, NULL, OPT_COLOR},
    {"tour", no_argument, NULL, OPT_TOUR},
    {"report", required_argument, NULL, OPT_REPORT},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"pedantic", no_argument, NULL, OPT_PEDANTIC},
    {"no-suppressions", no_argument, NULL, OPT_NO_SUPPRESSIONS},
    {"timing", no_argument, NULL, OPT_TIMING},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"all", required_argument, NULL, OPT_ALL},
    {"jobs", required_argument, NULL, 'j'},
    {"sandbox", required_argument, NULL, OPT_SANDBOX},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static const char help_text[] =
    "Usage: tilecopy-repl [OPTION]... [FILE]...\n"
    "       tilecopy-repl lesson [NAME]\n"
    "       tilecopy-repl exec [OPTION]... PROGRAM.cu [-- ARGUMENT...]\n"
    "       tilecopy-repl grade [OPTION]... EXERCISE SUBMISSION.cu\n"
    "Explains, lowers and executes copies of GPU tiles. Without a command to\n"
    "run it opens a prompt, with FILE loaded: .py is TVMScript, .cu CUDA C++,\n"
    ".ptx PTX.\n"
    "\n"
    "  -e, --eval COMMAND    run COMMAND after the files, then exit; may be\n"
    "                        given several times\n"
    "      --batch           read commands from standard input, one a line;\n"
    "                        stop at the first error\n"
    "      --keep-going      report an error and go on\n"
    "      --json            one JSON object per command, one line each\n"
    "      --arch ARCH       the simulated machine, the first if none is "
    "named:\n"
    "                       "
#define TC_ARCH(name, ...) " " name
#include "base/arch.def"
    "\n"
    "      --backend WHO     who executes: sim, gpu, or both, which compares\n"
    "                        byte by byte (default sim)\n"
    "      --seed N          the data that fills buffers (default 0)\n"
    "      --timeout SECONDS for each command; 0 is none (default: none at "
    "the\n"
    "                        prompt, 60 otherwise)\n"
    "      --color WHEN      auto, always or never (see also NO_COLOR)\n"
    "      --tour            why, partition, run and timeline of FILE in "
    "turn,\n"
    "                        when standard input is not a terminal\n"
    "      --version, --help\n"
    "\n"
    "  lesson [NAME]         list the lessons, or begin one; lesson check "
    "NAME\n"
    "                        holds its tasks to their own answers\n"
    "  explain [TERM]        what a term, a finding or a counter is\n"
    "  exec PROGRAM.cu       build a CUDA program and run it; see exec --help\n"
    "  grade EXERCISE FILE.cu  run a submission against an exercise's cases;\n"
    "                        --format "
    "text|json|junit|gradescope|classroom|csv,\n"
    "                        --output FILE, --sandbox auto|require|off\n"
    "  grade EXERCISE --all FOLDER [-j N]   every submission of a folder\n"
    "  exercise [NAME | new NAME | check NAME]   list, show, make, check\n"
    "\n"
    "Exit status: 0 all well; 1 a command failed, or a run had findings; 2 "
    "bad\n"
    "usage; 3 the input does not parse, or no variant accepts it; 110 there "
    "is\n"
    "no GPU, or it failed; 114 time limit.\n";

static const char exec_help[] =
    "Usage: tilecopy-repl exec [OPTION]... PROGRAM.cu [-- ARGUMENT...]\n"
    "Builds a whole CUDA program with nvcc and runs it in a process of its "
    "own;\n"
    "its kernels execute on the simulator, or on a GPU. Standard output is "
    "the\n"
    "program's alone. Mistakes that the execution shows are findings, said on\n"
    "standard error when the program has ended.\n"
    "\n"
    "      --report FILE     write exit, kernels, counters and findings as "
    "JSON\n"
    "      --quiet           say no findings: they go to the report only\n"
    "      --pedantic        memory that is never freed and launch errors "
    "that\n"
    "                        nobody looks at are findings too\n"
    "      --no-suppressions races in libraries that are believed right are "
    "too\n"
    "      --timing          times of events and clock64 are cycles of the "
    "machine;\n"
    "                        else guesses from instructions and bytes, 25 "
    "times\n"
    "                        faster\n"
    "      --backend WHO     who executes kernels: sim, gpu, or both, which\n"
    "                        compares all memory after each launch\n"
    "      --arch ARCH       the simulated machine, the first if none is "
    "named:\n"
    "                       "
#define TC_ARCH(name, ...) " " name
#include "base/arch.def"
    "\n"
    "      --timeout SECONDS until the prompt is back, nvcc's time included; 0 "
    "is\n"
    "                        none (default: 60 for the program's run)\n"
    "      --color WHEN      auto, always or never (see also NO_COLOR)\n"
    "\n"
    "Exit status: the program's own if it is not 0 (128 + N after signal N),\n"
    "else 1 if there are findings or differences, else 0; 3 nvcc refuses the\n"
    "program; 110 there is no GPU, or it failed; 114 time limit; 2 bad usage.\n"
    "\n"
    "  $ tilecopy-repl exec saxpy.cu -- 4096\n";

/* One line and a hint, on standard error. Always false. */
static bool bad_usage(const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static bool bad_usage(const char *hint, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("tilecopy-repl: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nhint: %s\n",
            hint ? hint : "`tilecopy-repl --help` lists the options");
    return false;
}

static bool bad_choice(const char *option, const char *word,
                       const char *const *choices, int n) {
    tc_buf hint = TC_BUF_INIT;
    const char *near = tc_diag_nearest(word, choices, n);
    if (near != NULL) {
        tc_buf_printf(&hint, "did you mean %s?", near);
    } else {
        tc_buf_puts(&hint, "one of:");
        for (int i = 0; i < n; i++) {
            tc_buf_printf(&hint, " %s", choices[i]);
        }
    }
    bad_usage(tc_buf_text(&hint), "--%s cannot be '%s'", option, word);
    tc_buf_free(&hint);
    return false;
}

/* The index of word among n choices, or -1 after saying so. */
static int choice(const char *option, const char *word,
                  const char *const *choices, int n) {
    for (int i = 0; i < n; i++) {
        if (strcmp(word, choices[i]) == 0) {
            return i;
        }
    }
    bad_choice(option, word, choices, n);
    return -1;
}

static bool set_arch(tc_cli *cli, const char *word) {
    int i = choice("arch", word, tc_arch_names, tc_narchs);
    if (i >= 0) {
        cli->session.arch = tc_arch_names[i];
    }
    return i >= 0;
}

static bool set_backend(tc_cli *cli, const char *word) {
    static const char *const names[] = {"sim", "gpu", "both"};
    int i = choice("backend", word, names, 3);
    if (i >= 0) {
        cli->session.backend = (tc_backend)i; /* in the enum's order */
    }
    return i >= 0;
}

static bool set_color(tc_cli *cli, const char *word) {
    static const char *const names[] = {"auto", "always", "never"};
    int i = choice("color", word, names, 3);
    if (i >= 0) {
        cli->color = (unsigned)i; /* in the enum's order */
    }
    return i >= 0;
}

static bool set_seed(tc_cli *cli, const char *word) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(word, &end, 0);
    if (!isdigit((unsigned char)word[0]) || *end != '\0' || errno != 0) {
        return bad_usage("an integer from 0 to 18446744073709551615",
                         "--seed cannot be '%s'", word);
    }
    cli->session.seed = n;
    cli->has_seed = true;
    return true;
}

static bool set_timeout(tc_cli *cli, const char *word) {
    char *end;
    double t = strtod(word, &end);
    if (end == word || *end != '\0' || !isfinite(t) || t < 0 || t > 1e8) {
        return bad_usage("a number of seconds, such as 5 or 0.5; 0 is no limit",
                         "--timeout cannot be '%s'", word);
    }
    cli->session.timeout_s = t;
    cli->has_timeout = true;
    return true;
}

/* Of exec's program, perhaps, and not ours. */
static const char *dashes(const tc_cli *cli, const char *word, char *hint,
                          size_t size) {
    if (!cli->exec.asked || cli->exec.program == NULL) {
        return NULL;
    }
    snprintf(hint, size, "arguments follow two dashes: exec %s -- %s",
             cli->exec.program, word);
    return hint;
}

/* getopt said '?' or ':' about the word at argv[at]. */
static bool bad_option(const tc_cli *cli, const char *word, int c) {
    char hint[512];
    if (c == ':') {
        return bad_usage(NULL, "%s needs a value", word);
    }
    if (strncmp(word, "--", 2) != 0) {
        return bad_usage(dashes(cli, word, hint, sizeof hint),
                         "there is no option '%s'", word);
    }
    const char *names[sizeof longs / sizeof *longs];
    int n = 0;
    for (; longs[n].name != NULL; n++) {
        names[n] = longs[n].name;
    }
    size_t len = strcspn(word + 2, "=");
    char *bare = tc_xstrdup(word + 2);
    bare[len] = '\0';
    const char *near = tc_diag_nearest(bare, names, n);
    snprintf(hint, sizeof hint, "did you mean --%s?", near ? near : "");
    bool known = false;
    for (int i = 0; i < n; i++) {
        known |= strcmp(names[i], bare) == 0;
    }
    bad_usage(near && !known ? hint
              : known        ? NULL
                             : dashes(cli, word, hint, sizeof hint),
              known ? "--%s takes no value" : "there is no option '--%s'",
              bare);
    free(bare);
    return false;
}

/* `explain [TERM]`, of several words perhaps; name NULL: the first. */
static bool set_term(tc_cli *cli, const char *word) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, cli->lesson != NULL ? cli->lesson : "explain");
    if (word != NULL) {
        tc_buf_printf(&b, " %s", word);
    }
    free(cli->lesson);
    cli->lesson = b.data;
    return true;
}

/* `lesson [NAME]` from argv[i] on; only options may follow. */
static bool set_lesson(tc_cli *cli, const char *name) {
    bool check = cli->lesson && strcmp(cli->lesson, "lesson check") == 0;
    if (check && name != NULL) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_printf(&b, "lesson check \"%s\"", name);
        free(cli->lesson);
        cli->lesson = b.data;
        return true;
    }
    if (cli->lesson != NULL && strcmp(cli->lesson, "lesson") != 0) {
        return bad_usage("tilecopy-repl lesson [NAME]",
                         "lesson takes one name; '%s' is one too many", name);
    }
    free(cli->lesson);
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, name ? "lesson %s" : "lesson", name);
    cli->lesson = b.data;
    return true;
}

/* The one word of `exec` before "--". */
static bool set_program(tc_cli *cli, const char *word) {
    if (cli->exec.program != NULL) {
        tc_buf hint = TC_BUF_INIT;
        tc_buf_printf(&hint, "arguments follow two dashes: exec %s -- %s",
                      cli->exec.program, word);
        bad_usage(tc_buf_text(&hint),
                  "exec takes one program; '%s' is one word too many", word);
        tc_buf_free(&hint);
        return false;
    }
    cli->exec.program = word;
    return true;
}

/* What only exec has, and what it has not. */
static bool check_exec(const tc_cli *cli) {
    bool other = cli->exec.report || cli->exec.quiet || cli->exec.pedantic ||
                 cli->exec.no_suppressions || cli->exec.timing;
    if (!cli->exec.asked) {
        return !other || bad_usage("tilecopy-repl exec --report FILE "
                                   "PROGRAM.cu",
                                   "--report, --quiet and --pedantic are "
                                   "options of exec");
    }
    if (cli->nevals > 0 || cli->batch || cli->tour || cli->keep_going ||
        cli->session.json) {
        return bad_usage("`tilecopy-repl exec --help` lists what it takes; "
                         "--report FILE writes JSON",
                         "exec has no commands: -e, --batch, --keep-going, "
                         "--json and --tour are for the prompt's");
    }
    return cli->exec.program != NULL ||
           bad_usage("tilecopy-repl exec PROGRAM.cu -- ARGUMENTS",
                     "exec needs a program");
}

/* The two words of `grade`. */
static bool set_graded(tc_cli *cli, const char *word) {
    if (cli->grade.exercise == NULL) {
        cli->grade.exercise = word;
    } else if (cli->grade.submission == NULL) {
        cli->grade.submission = word;
    } else {
        return bad_usage("tilecopy-repl grade EXERCISE SUBMISSION.cu",
                         "grade takes two words; '%s' is one too many", word);
    }
    return true;
}

static bool set_jobs(tc_cli *cli, const char *word) {
    char *end;
    long n = strtol(word, &end, 10);
    cli->grade.jobs = (int)n;
    return (*end == '\0' && end != word && n >= 1 && n <= 1024) ||
           bad_usage("-j 4", "'%s' is no number of submissions at once", word);
}

static bool set_sandbox(tc_cli *cli, const char *word) {
    static const char *const words[] = {"auto", "require", "off"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) == 0) {
            cli->grade.sandbox = (tc_grade_sandbox)i;
            return true;
        }
    }
    return bad_usage("--sandbox=auto, require or off",
                     "there is no sandbox '%s'", word);
}

/* The words of `exercise`. */
static bool set_exercise(tc_cli *cli, const char *word) {
    if (cli->exercise.word == NULL) {
        cli->exercise.word = word;
    } else if (cli->exercise.name == NULL) {
        cli->exercise.name = word;
    } else {
        return bad_usage("tilecopy-repl exercise check NAME",
                         "'%s' is one word too many", word);
    }
    return true;
}

static bool check_exercise(const tc_cli *cli) {
    const char *w = cli->exercise.word;
    bool verb = w && (strcmp(w, "new") == 0 || strcmp(w, "check") == 0);
    return !cli->exercise.asked || verb == (cli->exercise.name != NULL) ||
           bad_usage("tilecopy-repl exercise [NAME | new NAME | check NAME]",
                     verb ? "exercise %s needs a name"
                          : "exercise knows no '%s' with a name",
                     w);
}

static bool check_grade(const tc_cli *cli) {
    if (!cli->grade.asked) {
        return (!cli->grade.format && !cli->grade.output && !cli->grade.all) ||
               bad_usage("tilecopy-repl grade --format json EXERCISE "
                         "SUBMISSION.cu",
                         "--format, --output and --all are options of grade");
    }
    if (cli->grade.all && cli->grade.exercise && !cli->grade.submission) {
        return true;
    }
    return (cli->grade.submission != NULL && !cli->grade.all) ||
           bad_usage("tilecopy-repl grade EXERCISE SUBMISSION.cu",
                     "grade needs an exercise and a submission");
}

/* A word that is no option: a file, or at the start a subcommand. */
static bool set_word(tc_cli *cli, const char *word) {
    if (cli->lesson != NULL && strncmp(cli->lesson, "explain", 7) == 0) {
        return set_term(cli, word);
    }
    if (cli->lesson != NULL) {
        return set_lesson(cli, word);
    }
    if (cli->exec.asked) {
        return set_program(cli, word);
    }
    if (cli->grade.asked) {
        return set_graded(cli, word);
    }
    if (cli->exercise.asked) {
        return set_exercise(cli, word);
    }
    if (cli->nfiles == 0 && cli->nevals == 0) {
        if (strcmp(word, "lesson") == 0) {
            return set_lesson(cli, NULL);
        }
        if (strcmp(word, "explain") == 0) {
            return set_term(cli, NULL);
        }
        if (strcmp(word, "exec") == 0) {
            return cli->exec.asked = true;
        }
        if (strcmp(word, "grade") == 0) {
            return cli->grade.asked = true;
        }
        if (strcmp(word, "exercise") == 0) {
            return cli->exercise.asked = true;
        }
    }
    cli->files[cli->nfiles++] = word;
    return true;
}

static bool set_option(tc_cli *cli, int c, const char *word, bool *stop) {
    switch (c) {
    case 1:
        return set_word(cli, optarg);
    case 'e':
        cli->evals[cli->nevals++] = optarg;
        return true;
    case OPT_BATCH:
        return cli->batch = true;
    case OPT_KEEP_GOING:
        return cli->keep_going = true;
    case OPT_JSON:
        return cli->session.json = true;
    case OPT_TOUR:
        return cli->tour = true;
    case OPT_REPORT:
        cli->exec.report = optarg;
        return true;
    case OPT_QUIET:
        return cli->exec.quiet = true;
    case OPT_PEDANTIC:
        return cli->exec.pedantic = true;
    case OPT_NO_SUPPRESSIONS:
        return cli->exec.no_suppressions = true;
    case OPT_TIMING:
        return cli->exec.timing = true;
    case OPT_FORMAT:
        cli->grade.format = optarg;
        return true;
    case OPT_OUTPUT:
        cli->grade.output = optarg;
        return true;
    case OPT_ALL:
        cli->grade.all = optarg;
        return true;
    case 'j':
        return set_jobs(cli, optarg);
    case OPT_SANDBOX:
        return set_sandbox(cli, optarg);
    case OPT_ARCH:
        return set_arch(cli, optarg);
    case OPT_BACKEND:
        return set_backend(cli, optarg);
    case OPT_SEED:
        return set_seed(cli, optarg);
    case OPT_TIMEOUT:
        return set_timeout(cli, optarg);
    case OPT_COLOR:
        return set_color(cli, optarg);
    case OPT_VERSION:
        puts("tilecopy-repl " TC_VERSION);
        *stop = true;
        return true;
    case OPT_HELP:
        fputs(cli->exec.asked ? exec_help : help_text, stdout);
        *stop = true;
        return true;
    default:
        return bad_option(cli, word, c);
    }
}

bool tc_cli_parse(tc_cli *cli, int argc, char **argv, tc_status *status) {
    *cli = (tc_cli){.session = tc_options_default()};
    cli->files = tc_xcalloc((size_t)argc + 1, sizeof *cli->files);
    cli->evals = tc_xcalloc((size_t)argc + 1, sizeof *cli->evals);
    cli->exec.args = tc_xcalloc((size_t)argc + 1, sizeof *cli->exec.args);
    *status = TC_OK;
    bool stop = false;
    int c, at = 1;
    opterr = 0; /* the messages are ours; '-' returns words in order */
    while ((c = getopt_long(argc, argv, "-:e:j:", longs, NULL)) != -1) {
        char letter[] = {'-', (char)optopt, '\0'};
        bool cluster = argv[at][0] == '-' && argv[at][1] != '-';
        if (!set_option(cli, c, cluster ? letter : argv[at], &stop)) {
            *status = TC_USAGE;
            return false;
        }
        if (stop) {
            return false;
        }
        at = optind;
    }
    for (int i = 0; optind < argc; i++) { /* after "--" */
        if (cli->exec.asked) {
            cli->exec.args[i] = argv[optind++];
        } else {
            cli->files[cli->nfiles++] = argv[optind++];
        }
    }
    if (!check_exec(cli) || !check_grade(cli) || !check_exercise(cli)) {
        *status = TC_USAGE;
        return false;
    }
    if (cli->exercise.asked && !cli->exercise.name) {
        tc_buf b = TC_BUF_INIT;
        const char *word = cli->exercise.word;
        tc_buf_printf(&b, word ? "exercise %s" : "exercise", word);
        cli->lesson = b.data;
    }
    return true;
}

void tc_cli_free(tc_cli *cli) {
    free(cli->files);
    free(cli->evals);
    free(cli->exec.args);
    free(cli->lesson);
}

bool tc_cli_color(const tc_cli *cli, int fd) {
    if (cli->color != TC_COLOR_AUTO) {
        return cli->color == TC_COLOR_ALWAYS;
    }
    const char *no = getenv("NO_COLOR"), *force = getenv("FORCE_COLOR");
    const char *term = getenv("TERM");
    if (no != NULL && *no != '\0') {
        return false;
    }
    if (force != NULL && *force != '\0' && strcmp(force, "0") != 0) {
        return true;
    }
    return isatty(fd) && term != NULL && strcmp(term, "dumb") != 0;
}
