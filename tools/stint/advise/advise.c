/* SPDX-License-Identifier: MIT
 *
 * `stint advise`: what should not be instrumented, and how to tell the compiler. */
#include "advise/cheap.h"
#include "base/compiler.h"
#include "base/num.h"
#include "base/say.h"
#include "print/emit.h"
#include "print/screen.h"
#include "verb/exitcode.h"
#include "verb/memory.h"
#include "verb/verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG, COST, ROWS, ALL, JSON };

const struct opt advise_options[] = {
    {'f', "flag", NULL, "print nothing but gcc's option, for a build script"},
    {0, "cost", "NS", "what timing a call costs, instead of what the report measured"},
    {'n', "rows", "N", "at most N rows of the table; 0 = all (default 20); the option has all"},
    {'a', "all", NULL, "functions of less than 0.1 % of all calls too"},
    {0, "json", NULL, "functions, costs and the option as JSON"},
    {0},
};

struct advise_arguments {
    const char *path;
    double cost_ns;
    uint64_t most_rows;
    bool is_flag, is_all, is_json;
};

static bool read_cost(const char *text, double *cost_ns)
{
    char *end;
    *cost_ns = strtod(text, &end);
    return *text && !*end && *cost_ns > 0 && isfinite(*cost_ns);
}

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct advise_arguments *arguments)
{
    for (;;) {
        switch (opt_next(args)) {
        case FLAG:
            arguments->is_flag = true;
            break;
        case COST:
            if (!read_cost(args->value, &arguments->cost_ns))
                return opt_mistake(args->verb, "not a number of nanoseconds: ", args->value);
            break;
        case ROWS:
            if (num_parse_u64(args->value, &arguments->most_rows) != 0)
                return opt_mistake(args->verb,
                                   "not a number of rows, 0 (all) or more: ", args->value);
            break;
        case ALL:
            arguments->is_all = true;
            break;
        case JSON:
            arguments->is_json = true;
            break;
        case OPT_OPERAND:
            if (arguments->path) return opt_mistake(args->verb, "one report only: ", args->value);
            arguments->path = args->value;
            break;
        default:
            return args->status;
        }
    }
}

/* gcc's option, or NULL where the list would be empty; to be freed. */
static char *gcc_flag(const struct cheaps *cheaps)
{
    static const char option[] = "-finstrument-functions-exclude-function-list=";
    char *flag = NULL;
    size_t bytes = 0, listed = 0;
    FILE *out = open_memstream(&flag, &bytes);
    if (!out) return NULL;
    fputs(option, out);
    for (size_t i = 0; i < cheaps->cheap; i++) {
        const struct cheap *cheap = &cheaps->items[i];
        if (!cheap_is_listed(cheap) || cheap->is_covered) continue;
        if (listed++) putc(',', out);
        for (const char *c = cheap->pattern; *c; c++) fprintf(out, *c == ',' ? "\\%c" : "%c", *c);
    }
    fclose(out);
    if (listed) return flag;
    free(flag);
    return NULL;
}

static void put_name(const char *name)
{
    const struct screen screen = {.file = stdout};
    screen_text(&screen, name);
}

/* On a terminal what there is room for after `used` characters. */
static void put_name_after(size_t used, const char *name)
{
    enum { NAME_LEAST = 24 };
    const struct screen screen = screen_over(stdout, SCREEN_NEVER);
    screen_name(&screen, name, screen.width > used + NAME_LEAST ? screen.width - used : NAME_LEAST);
}

/* Defined, most likely, in a header of the C++ library. */
static bool is_library(const char *name)
{
    static const char *const spaces[] = {"std::", "__gnu_cxx::"};
    size_t own = strcspn(name, "(<");
    for (size_t i = 0; i < COUNT_OF(spaces); i++) {
        const char *found = strstr(name, spaces[i]);
        if (found && (found == name || found[-1] == ' ') && found < name + own) return true;
    }
    return false;
}

/* For a shell: in single quotes; patterns have none (gccname_make). */
static void put_flag(const char *flag)
{
    size_t option = strcspn(flag, "=") + 1;
    printf("%.*s'", (int)option, flag);
    put_name(flag + option);
    putchar('\'');
}

static double cost_ms(const struct cheaps *cheaps, double cost_ns)
{
    double calls = 0;
    for (size_t i = 0; i < cheaps->cheap; i++) calls += (double)cheaps->items[i].calls;
    return calls * cost_ns / 1e6;
}

static void print_table(const struct cheaps *cheaps, const struct advise_arguments *arguments)
{
    double cost_ns = arguments->cost_ns, all_ms = cheaps->overhead_calls * cost_ns / 1e6;
    printf(
        "Timing a call costs about %.3g ns here. These functions run shorter than that; costs are "
        "estimates:\n",
        cost_ns);
    printf("%12s %14s %10s %12s  %s\n", "Calls", "Self a call", "P50", "Cost", "Function");
    for (size_t i = 0; i < cheaps->cheap; i++) {
        const struct cheap *cheap = &cheaps->items[i];
        if (arguments->most_rows && i == arguments->most_rows) {
            printf("… and %zu more; -n 0 shows all\n", cheaps->cheap - i);
            break;
        }
        char p50[32] = "-";
        if (!isnan(cheap->p50_ns)) snprintf(p50, sizeof p50, "%.1f ns", cheap->p50_ns);
        printf("%12llu %11.1f ns %10s %9.3f ms  ", (unsigned long long)cheap->calls, cheap->self_ns,
               p50, (double)cheap->calls * cost_ns / 1e6);
        put_name_after(54, cheap->name);
        putchar('\n');
    }
    double part_ms = cost_ms(cheaps, cost_ns);
    printf("Together about %.3f ms of the %.3f ms that recording cost", part_ms, all_ms);
    if (all_ms > 0) printf(" (%.0f %%)", part_ms / all_ms * 100);
    puts(".");
}

static void print_unlisted(const struct cheaps *cheaps)
{
    bool has_head = false;
    for (size_t i = 0; i < cheaps->cheap; i++) {
        const struct cheap *cheap = &cheaps->items[i];
        if (cheap_is_listed(cheap) || is_library(cheap->name)) continue;
        if (!has_head)
            puts("\nNot in the list, which goes by parts of names; these take "
                 "__attribute__((no_instrument_function)):");
        has_head = true;
        fputs("  ", stdout);
        put_name_after(2, cheap->name);
        if (cheap->also) {
            printf(" (would also take %s", cheap->also > 1 ? "others, as " : "");
            put_name_after(30, cheap->also_one);
            putchar(')');
        }
        putchar('\n');
    }
}

static void print_library(const struct cheaps *cheaps)
{
    size_t count = 0;
    for (size_t i = 0; i < cheaps->cheap; i++) count += is_library(cheaps->items[i].name);
    if (count == 0) return;
    printf("\n%zu of them %s of the C++ library: gcc leaves out all that its headers define with\n"
           "  -finstrument-functions-exclude-file-list=/usr/include/c++\n",
           count, count > 1 ? "are" : "is");
}

static void print_advice(const struct cheaps *cheaps, const char *flag)
{
    print_library(cheaps);
    puts("\ngcc, beside -finstrument-functions:");
    if (flag) {
        fputs("  ", stdout);
        put_flag(flag);
        putchar('\n');
    } else {
        puts("  (its list can name none of them)");
    }
    print_unlisted(cheaps);
    puts(
        "\nclang has no such list. Either, for just these functions, in the source:\n"
        "  __attribute__((no_instrument_function)) before each, at its declaration or definition;\n"
        "  around several: #pragma clang attribute push(__attribute__((no_instrument_function)), "
        "apply_to = function)\n"
        "                  … #pragma clang attribute pop\n"
        "or, for every function that the optimizer inlines (these and others, from -O1 on):\n"
        "  -finstrument-functions-after-inlining instead of -finstrument-functions");
}

static void print_json(const struct cheaps *cheaps, double cost_ns, const char *flag)
{
    struct emit emit = {.file = stdout};
    emit_open(&emit, NULL, '{');
    emit_number(&emit, "per_call_ns", cost_ns);
    emit_number(&emit, "cost_ms_estimate", cost_ms(cheaps, cost_ns));
    emit_number(&emit, "overhead_ms_estimate", cheaps->overhead_calls * cost_ns / 1e6);
    emit_text(&emit, "gcc", flag);
    emit_open(&emit, "functions", '[');
    for (size_t i = 0; i < cheaps->cheap; i++) {
        const struct cheap *cheap = &cheaps->items[i];
        emit_line(&emit);
        emit_open(&emit, NULL, '{');
        emit_text(&emit, "name", cheap->name);
        emit_text(&emit, "raw_name", cheap->raw_name);
        emit_count(&emit, "Count", cheap->calls);
        emit_number(&emit, "self_per_call_ns", cheap->self_ns);
        emit_number(&emit, "P50_ns", cheap->p50_ns);
        emit_number(&emit, "cost_ms_estimate", (double)cheap->calls * cost_ns / 1e6);
        emit_text(&emit, "gcc_pattern", cheap_is_listed(cheap) ? cheap->pattern : NULL);
        emit_close(&emit, '}');
    }
    emit_close(&emit, ']');
    emit_close(&emit, '}');
}

static void print(const struct cheaps *cheaps, const struct advise_arguments *arguments)
{
    char *flag = gcc_flag(cheaps);
    if (arguments->is_json) {
        print_json(cheaps, arguments->cost_ns, flag);
    } else if (arguments->is_flag) {
        if (flag) put_flag(flag);
        if (flag) putchar('\n');
    } else if (cheaps->cheap == 0) {
        printf("No function costs more to time (about %.3g ns a call) than it runs.\n",
               arguments->cost_ns);
    } else {
        print_table(cheaps, arguments);
        print_advice(cheaps, flag);
    }
    free(flag);
}

static int advise(struct advise_arguments *arguments)
{
    struct cheaps cheaps = {.items = NULL};
    struct intake intake;
    const char *path = arguments->path ? arguments->path : "profiling_results.json";
    intake_init(&intake, &cheaps_takers, &cheaps);
    bool is_read = intake_file(&intake, path);
    intake_fini(&intake);
    int status = is_read ? EXITCODE_OK : EXITCODE_BAD_INPUT;
    if (arguments->cost_ns == 0) arguments->cost_ns = cheaps.per_call_ns;
    if (is_read && arguments->cost_ns == 0) {
        say_line(path, ": does not say what timing a call costs; give --cost=NS", (char *)0);
        status = EXITCODE_BAD_INPUT;
    }
    if (status == EXITCODE_OK) {
        cheaps_judge(&cheaps, arguments->cost_ns, arguments->is_all ? 0 : 0.001);
        print(&cheaps, arguments);
    }
    cheaps_fini(&cheaps);
    return status;
}

int advise_main(struct opt_args *args)
{
    struct advise_arguments arguments = {.path = NULL, .most_rows = 20};
    int status = read_arguments(args, &arguments);
    return status >= 0 ? status : advise(&arguments);
}
