/* SPDX-License-Identifier: MIT
 *
 * `stint run`: the environment made ready, the command run, then what it left is gathered: stores
 * of processes that are gone become reports, the first process's report is shown, others are named.
 */
#include "base/say.h"
#include "check/target.h"
#include "config.h"
#include "run/child.h"
#include "run/progress.h"
#include "run/reports.h"
#include "stores/stores.h"
#include "verb/exitcode.h"
#include "verb/place.h"
#include "verb/verbs.h"
#include "view/show.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OUT, QUIET, PROGRESS };
enum { ROWS_SHOWN = 20, NAMED_MOST = 10 };

const struct opt run_options[] = {
    {'o', "out", "FILE", "the report's name (default profiling_results.json)"},
    {'q', "quiet", NULL, "no table at the end"},
    {'p', "progress", NULL, "a line on a terminal while the command is silent"},
    {0},
};

struct run {
    struct child child;
    struct target target;
    time_t started;
    uint64_t started_ns; /* when it did; `started` is a minute before */
    bool is_quiet, with_progress;
    int recovered, troubles; /* stores made into reports; those that could not be */
};

/* libstint.so beside the installed command or in its build tree. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {STINT_LIBDIR_FROM_BINDIR, "../../src"};
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (!slash) return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char candidate[2 * PATH_MAX];
        bool is_absolute = places[i][0] == '/';
        snprintf(candidate, sizeof candidate, "%s%s%s/libstint.so", is_absolute ? "" : self,
                 is_absolute ? "" : "/", places[i]);
        if (realpath(candidate, path)) return true;
    }
    return false;
}

/* [the sanitizer's runtime :] libstint.so [: what was preloaded before] */
static int set_preload(const struct target *target)
{
    char library[PATH_MAX];
    if (!find_library(library)) {
        say_line("libstint.so is not where this command was installed with it", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    if (strpbrk(library, " :")) {
        say_line(library, ": a preloaded library's path may hold no blank and no colon", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    const char *before = getenv("LD_PRELOAD"), *first = target->sanitizer;
    char *value = NULL;
    if (before && strstr(before, library)) return -1;
    if (asprintf(&value, "%s%s%s%s%s", first, *first ? ":" : "", library,
                 before && *before ? ":" : "", before ? before : "") < 0)
        return EXITCODE_BAD_INPUT;
    if (*first) say_line(first, " goes before libstint.so, as the sanitizer demands", (char *)0);
    setenv("LD_PRELOAD", value, 1);
    free(value);
    return -1;
}

static const char *wished_out(void)
{
    const char *out = getenv("STINT_OUT");
    return out && *out ? out : "profiling_results.json";
}

static void recover(const struct store_found *store, void *context)
{
    struct run *run = context;
    struct fault fault = {0};
    if (store->is_damaged || store->is_alive || strcmp(store->run, run->child.run) != 0) return;
    struct killed_status killed = {run->child.wait_status};
    const struct stores_recovery recovery = {
        .path = store->out,
        .may_replace = true,
        .killed = store->pid == (uint32_t)run->child.pid ? &killed : NULL,
    };
    int error = store->out[0] ? stores_recover(store, &recovery, &fault)
                              : fault_set(&fault, -EBADMSG, "it does not say where");
    if (error == 0) {
        run->recovered++;
        return;
    }
    run->troubles++;
    say_line("no report of ", store->program, ": ", fault.text, ": ", strerror(-error),
             "; make it with: stint recover -o FILE ", store->path, (char *)0);
}

/* The reports' directory, where stores may lie too; NULL = the current one. */
static const char *reports_directory(char directory[4096])
{
    const char *out = wished_out(), *slash = strrchr(out, '/');
    if (!slash) return NULL;
    snprintf(directory, 4096, "%.*s", (int)(slash - out + 1), out);
    return strchr(directory, '%') ? NULL : directory;
}

static void recover_all(struct run *run)
{
    char directory[4096];
    stores_visit(reports_directory(directory), recover, run);
}

/* 0 or −errno. */
static int run_child(struct run *run, char **command)
{
    char directory[4096];
    struct progress progress = {.beside = reports_directory(directory)};
    const struct child_watch watch = progress_watch(&progress);
    bool is_watched = run->with_progress && progress_can_be_seen();
    int error = child_run(&run->child, command, is_watched ? &watch : NULL);
    progress_end(&progress);
    return error;
}

/* Of two reports of one process: the end says more than a snapshot, a late one more than an early
 * one. */
static bool is_later(const struct report_found *report, const struct report_found *than)
{
    if (report->is_snapshot != than->is_snapshot) return than->is_snapshot;
    return report->duration_ms > than->duration_ms;
}

/* The report of the command itself, after its snapshots; else the largest. NULL where there is
 * none. */
static const struct report_found *main_report(const struct reports *reports, pid_t pid)
{
    const struct report_found *own = NULL, *largest = NULL;
    for (size_t i = 0; i < reports->count; i++) {
        const struct report_found *report = &reports->items[i];
        bool is_own = report->pid == (uint32_t)pid && !report->is_exec;
        if (is_own && (!own || is_later(report, own))) own = report;
        if (!largest || report->bytes > largest->bytes) largest = report;
    }
    return own ? own : largest;
}

static void name_others(const struct reports *reports, const struct report_found *shown)
{
    size_t named = 0, others = reports->count - 1;
    char number[24];
    for (size_t i = 0; i < reports->count && named < NAMED_MOST; i++) {
        const struct report_found *report = &reports->items[i];
        if (report == shown) continue;
        snprintf(number, sizeof number, "%u", report->pid);
        say_line("also ", report->path, " (", report->command, *report->command ? ", " : "",
                 report->is_exec       ? "before an exec, "
                 : report->is_snapshot ? "snapshot, "
                                       : "",
                 "pid ", number, ")", (char *)0);
        named++;
    }
    if (named == others) return;
    snprintf(number, sizeof number, "%zu", others - named);
    say_line("and ", number, " more reports; stint merge makes one of many", (char *)0);
}

/* A device, FIFO or socket takes the report and keeps nothing to show. */
static bool went_elsewhere(const char *out)
{
    struct stat status;
    return stat(out, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static void tell_nothing(const struct run *run, const char *command)
{
    const char *disabled = getenv("STINT_DISABLE");
    if (run->troubles || went_elsewhere(wished_out())) return;
    if (disabled && strcmp(disabled, "0") != 0)
        say_line("nothing was recorded: STINT_DISABLE is set", (char *)0);
    else if (reports_is_taken(wished_out(), run->child.run, run->started_ns))
        say_line("no report of this run: another one wrote ", wished_out(),
                 " meanwhile; give each a name of its own, as with -o %n.%p.json", (char *)0);
    else
        say_line("nothing was recorded: ", command, " ", target_excuse(&run->target), (char *)0);
}

static void show(struct run *run, const char *command)
{
    struct reports reports;
    reports_find(&reports, wished_out(), run->child.run, run->started);
    reports_sort(&reports);
    const struct report_found *report = main_report(&reports, run->child.pid);
    if (!report) {
        tell_nothing(run, command);
    } else if (!run->is_quiet) {
        (void)show_report(report->path, ROWS_SHOWN, stderr); /* has told what is wrong */
        say_line("report: ", report->path, (char *)0);
        name_others(&reports, report);
    }
    reports_fini(&reports);
}

static int tell_exec_error(const char *command, int error, bool is_implied)
{
    const char *what = error != ENOENT ? strerror(error)
                       : is_implied && !strchr(command, '/')
                           ? "no verb of stint, and command not found"
                           : "command not found";
    say_line(command, ": ", what, (char *)0);
    return error == ENOENT ? EXITCODE_NOT_FOUND : EXITCODE_NOT_EXECUTABLE;
}

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct run *run)
{
    for (;;) {
        switch (opt_next(args)) {
        case OUT:
            setenv("STINT_OUT", args->value, 1);
            break;
        case QUIET:
            run->is_quiet = true;
            break;
        case PROGRESS:
            run->with_progress = true;
            break;
        case OPT_SETTING:
            setenv(args->setting->name, args->value, 1);
            break;
        default:
            if (args->status >= 0 || *args->argv) return args->status;
            return opt_mistake(args->verb, "a command is missing", "");
        }
    }
}

/* An exit status, or −1 to go on. Directories named by placeholders are known to the program alone.
 */
static int check_place(const struct opt_args *args)
{
    const char *out = wished_out(), *slash = strrchr(out, '/'), *disabled = getenv("STINT_DISABLE");
    if (disabled && strcmp(disabled, "0") != 0) return -1;
    if (slash && memchr(out, '%', (size_t)(slash - out))) return -1;
    const char *fault = place_fault(out);
    if (!fault) return -1;
    say_line(args->verb->name, ": no report can be written to ", out, ": ", fault,
             "; name another with -o FILE", (char *)0);
    return EXITCODE_USAGE;
}

static void set_started(struct run *run)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock of files */
    run->started = now.tv_sec - 60; /* the run's id decides; this spares reading old reports */
    run->started_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int run_main(struct opt_args *args)
{
    struct run run = {.is_quiet = false};
    int status = read_arguments(args, &run);
    if (status < 0) status = check_place(args);
    if (status >= 0) return status;
    char **command = args->argv;
    target_inspect(command[0], &run.target);
    status = set_preload(&run.target);
    if (status >= 0) return status;
    set_started(&run);
    int error = run_child(&run, command);
    if (error < 0) {
        say_line("no process can be made: ", strerror(-error), (char *)0);
        return EXITCODE_NOT_EXECUTABLE;
    }
    if (run.child.exec_error)
        return tell_exec_error(command[0], run.child.exec_error, args->is_implied);
    recover_all(&run);
    show(&run, command[0]);
    return child_pass_on(&run.child);
}
