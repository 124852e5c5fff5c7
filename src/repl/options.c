/* options.c - the command line's options. */
#include "repl/options.h"
#include "base/arch.h"
#include "repl/options_exec.h"

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
    OPT_THREADS,
    OPT_COLOR,
    OPT_TOUR,
    OPT_REPORT,
    OPT_SARIF,
    OPT_LINES,
    OPT_QUIET,
    OPT_PEDANTIC,
    OPT_NO_SUPPRESSIONS,
    OPT_TIMING,
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_ALL,
    OPT_SHARD,
    OPT_SANDBOX,
    OPT_RUNNER,
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
    {"threads", required_argument, NULL, OPT_THREADS},
    {"color", required_argument, NULL, OPT_COLOR},
    {"tour", no_argument, NULL, OPT_TOUR},
    {"report", required_argument, NULL, OPT_REPORT},
    {"sarif", required_argument, NULL, OPT_SARIF},
    {"lines", no_argument, NULL, OPT_LINES},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"pedantic", no_argument, NULL, OPT_PEDANTIC},
    {"no-suppressions", no_argument, NULL, OPT_NO_SUPPRESSIONS},
    {"timing", no_argument, NULL, OPT_TIMING},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"all", required_argument, NULL, OPT_ALL},
    {"shard", required_argument, NULL, OPT_SHARD},
    {"jobs", required_argument, NULL, 'j'},
    {"sandbox", required_argument, NULL, OPT_SANDBOX},
    {"runner", required_argument, NULL, OPT_RUNNER},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

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

static bool set_threads(tc_cli *cli, const char *word) {
    char *end;
    long n = strtol(word, &end, 10);
    if (end == word || *end != '\0' || n < 1 || n > 64) {
        return bad_usage("a number from 1 to 64", "--threads cannot be '%s'",
                         word);
    }
    cli->session.threads = (int)n;
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

/* A word of `explain [TERM]` or `calibrate [FILE]`: the first is the command. */
static bool set_term(tc_cli *cli, const char *word) {
    tc_buf b = TC_BUF_INIT;
    if (cli->lesson != NULL) {
        tc_buf_printf(&b, "%s ", cli->lesson);
    }
    tc_buf_puts(&b, word);
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
    bool other = cli->exec.report || cli->exec.sarif || cli->exec.lines ||
                 cli->exec.quiet || cli->exec.pedantic ||
                 cli->exec.no_suppressions || cli->exec.timing;
    if (!cli->exec.asked) {
        return !other || bad_usage("tilecopy-repl exec --report FILE "
                                   "PROGRAM.cu",
                                   "--report, --sarif, --lines, --quiet and "
                                   "--pedantic are options of exec");
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

/* "2/8": of eight shards the second. */
static bool set_shard(tc_cli *cli, const char *word) {
    int end = 0, i = 0, n = 0;
    bool ok = sscanf(word, "%d/%d%n", &i, &n, &end) == 2 && word[end] == '\0';
    cli->grade.shard = i;
    cli->grade.shards = n;
    return (ok && 1 <= i && i <= n) ||
           bad_usage("--shard 2/8: of eight the second",
                     "--shard cannot be '%s'", word);
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
    static const char *const verbs[] = {"new", "check", "gradescope",
                                        "classroom", "slurm"};
    bool verb = false;
    for (size_t i = 0; w && i < sizeof verbs / sizeof *verbs; i++) {
        verb |= strcmp(w, verbs[i]) == 0;
    }
    return !cli->exercise.asked || verb == (cli->exercise.name != NULL) ||
           bad_usage("tilecopy-repl exercise [NAME | new NAME | check NAME | "
                     "gradescope NAME]",
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
    if (cli->grade.shards && !cli->grade.all) {
        return bad_usage("tilecopy-repl grade EXERCISE --all FOLDER --shard "
                         "2/8",
                         "--shard is for a folder of submissions");
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
    if (cli->lesson != NULL && strncmp(cli->lesson, "lesson", 6) != 0) {
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
        if (strcmp(word, "explain") == 0 || strcmp(word, "calibrate") == 0) {
            return set_term(cli, word);
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
    case OPT_SARIF:
        cli->exec.sarif = optarg;
        return true;
    case OPT_LINES:
        return cli->exec.lines = true;
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
    case OPT_SHARD:
        return set_shard(cli, optarg);
    case OPT_SANDBOX:
        return set_sandbox(cli, optarg);
    case OPT_RUNNER:
        cli->session.runner = optarg;
        return true;
    case OPT_ARCH:
        return set_arch(cli, optarg);
    case OPT_BACKEND:
        return set_backend(cli, optarg);
    case OPT_SEED:
        return set_seed(cli, optarg);
    case OPT_TIMEOUT:
        return set_timeout(cli, optarg);
    case OPT_THREADS:
        return set_threads(cli, optarg);
    case OPT_COLOR:
        return set_color(cli, optarg);
    case OPT_VERSION:
        puts("tilecopy-repl " TC_VERSION);
        *stop = true;
        return true;
    case OPT_HELP:
        fputs(cli->exec.asked ? tc_help_exec : tc_help, stdout);
        *stop = true;
        return true;
    default:
        return bad_option(cli, word, c);
    }
}

static bool parse(tc_cli *cli, int argc, char **argv, tc_status *status) {
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

bool tc_cli_parse(tc_cli *cli, int argc, char **argv, tc_status *status) {
    *cli = (tc_cli){.session = tc_options_default()};
    char **own = tc_xcalloc((size_t)argc + 2, sizeof *own);
    int n = tc_cli_split_exec(cli, argc, argv, own, longs);
    bool ok = parse(cli, n > 0 ? n : argc, n > 0 ? own : argv, status);
    free(own);
    return ok;
}

void tc_cli_free(tc_cli *cli) {
    free(cli->exec.nvcc);
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
