/* SPDX-License-Identifier: MIT
 *
 * `stint recover`: what killed programs left behind, as a list or as reports. A report takes the
 * name that its program had for it, else that name with the pid in it, and never one that exists.
 */
#include "base/say.h"
#include "print/screen.h"
#include "stores/stores.h"
#include "verb/exitcode.h"
#include "verb/place.h"
#include "verb/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { OUT, ALL };

const struct opt recover_options[] = {
    {'o', "out", "FILE", "the report's name, where one STORE is given"},
    {'a', "all", NULL, "write the reports of all stores whose program is gone"},
    {0},
};

/* "3 s", "12 min", "5 h", "9 d" */
static void age_text(uint64_t started_unix_ns, char text[24])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)now.tv_sec - (int64_t)(started_unix_ns / 1000000000);
    if (age < 0) age = 0;
    if (age < 120)
        snprintf(text, 24, "%ld s", (long)age);
    else if (age < 7200)
        snprintf(text, 24, "%ld min", (long)(age / 60));
    else if (age < 2 * 86400)
        snprintf(text, 24, "%ld h", (long)(age / 3600));
    else
        snprintf(text, 24, "%ld d", (long)(age / 86400));
}

static void print_store(const struct store_found *store, void *context)
{
    const struct screen screen = {.file = stdout};
    int *count = context;
    char age[24] = "?";
    if ((*count)++ == 0)
        printf("%8s  %-6s  %-8s  %10s  %-20s  %s\n", "Pid", "State", "Age", "Size", "Program",
               "Store → report");
    if (!store->is_damaged) age_text(store->started_unix_ns, age);
    printf("%8u  %-6s  %-8s  %6llu KiB  ", store->pid, store->is_alive ? "alive" : "gone", age,
           (unsigned long long)(store->bytes / 1024));
    char program[21];
    snprintf(program, sizeof program, "%.20s", store->is_damaged ? "(unreadable)" : store->program);
    screen_text(&screen, program);
    printf("%*s", 22 - (int)strlen(program), "");
    screen_text(&screen, store->path);
    if (!store->is_damaged) fputs(" → ", stdout);
    if (!store->is_damaged) screen_text(&screen, store->out[0] ? store->out : "(-o FILE)");
    putchar('\n');
}

static int tell(const char *path, const struct fault *fault)
{
    int is_system = fault->error != -EBADMSG && fault->error != -EINVAL && fault->error != -EPERM;
    say_line(path, ": ", fault->text, is_system ? ": " : "",
             is_system ? strerror(-fault->error) : "", (char *)0);
    return EXITCODE_BAD_INPUT;
}

/* "dir/name.json" → "dir/name.4242.json". False where it does not fit. */
static bool name_with_pid(const char *name, uint32_t pid, char result[4096])
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    const char *last = slash ? slash + 1 : name;
    size_t stem = dot && dot > last ? (size_t)(dot - name) : strlen(name);
    return snprintf(result, 4096, "%.*s.%u%s", (int)stem, name, pid, name + stem) < 4096;
}

static int write_report(const struct store_found *store, const char *name, struct fault *fault)
{
    const struct stores_recovery recovery = {.path = name};
    int error = stores_recover(store, &recovery, fault);
    if (error == 0) say_line("recovered ", store->program, ": ", name, (char *)0);
    return error;
}

/* Why the name that the program had for its report can't be used, or NULL. */
static const char *name_fault(const char *name)
{
    const char *slash = strrchr(name, '/'), *fault = place_fault(name);
    if (!*name) return "is not known";
    return fault || !slash || slash[1] ? fault : "has nothing behind its directory";
}

/* out: the name the user gave, or NULL. */
static int recover_store(const struct store_found *store, const char *out)
{
    char second[4096];
    struct fault fault = {0};
    if (store->is_alive) {
        say_line(store->path, ": its program still runs; left alone", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    const char *unfit = out ? NULL : name_fault(store->out);
    if (unfit) {
        say_line(store->path, ": its report's name ", store->out, store->out[0] ? ": " : "", unfit,
                 "; name another with -o FILE", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    int error = write_report(store, out ? out : store->out, &fault);
    if (error == -EEXIST && !out && name_with_pid(store->out, store->pid, second)) {
        fault = (struct fault){0};
        error = write_report(store, second, &fault);
    }
    return error ? tell(out ? out : store->out, &fault) : EXITCODE_OK;
}

static int recover_path(const char *path, const char *out)
{
    struct store_found store;
    struct fault fault = {0};
    if (stores_describe(path, &store, &fault) < 0) return tell(path, &fault);
    return recover_store(&store, out);
}

struct all {
    int status, count;
};

static void recover_one_of_all(const struct store_found *store, void *context)
{
    struct all *all = context;
    if (store->is_alive) return;
    all->count++;
    int status = store->is_damaged ? recover_path(store->path, NULL) : recover_store(store, NULL);
    if (status) all->status = status;
}

/* The directory of the reports that a program started here would write, or NULL. */
static const char *report_directory(char space[4096])
{
    const char *out = getenv("STINT_OUT");
    const char *slash = out ? strrchr(out, '/') : NULL;
    if (!slash || memchr(out, '%', (size_t)(slash - out))) return NULL;
    snprintf(space, 4096, "%.*s", (int)(slash > out ? slash - out : 1), out);
    return space;
}

static int recover_all(void)
{
    char space[4096];
    struct all all = {EXITCODE_OK, 0};
    stores_visit(report_directory(space), recover_one_of_all, &all);
    if (all.count == 0) puts("no store of a program that is gone");
    return all.status;
}

static int list(void)
{
    char space[4096];
    int count = 0;
    stores_visit(report_directory(space), print_store, &count);
    if (count == 0) puts("no stores");
    return EXITCODE_OK;
}

int recover_main(struct opt_args *args)
{
    const char *out = NULL, *paths[256];
    size_t count = 0;
    bool is_all = false;
    for (int option; (option = opt_next(args)) != OPT_DONE;) {
        if (option == OUT) out = args->value;
        if (option == ALL) is_all = true;
        if (option != OPT_OPERAND) continue;
        if (count == sizeof paths / sizeof paths[0])
            return opt_mistake(args->verb, "too many stores", "");
        paths[count++] = args->value;
    }
    if (args->status >= 0) return args->status;
    if (is_all && count) return opt_mistake(args->verb, "--all takes no ", paths[0]);
    if (out && count != 1) return opt_mistake(args->verb, "--out needs one STORE", "");
    if (is_all) return recover_all();
    if (count == 0) return list();
    int status = EXITCODE_OK;
    for (size_t i = 0; i < count; i++) {
        int one = recover_path(paths[i], out);
        if (one) status = one;
    }
    return status;
}
