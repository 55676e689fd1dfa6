/* SPDX-License-Identifier: MIT
 *
 * `stint top`: the live run, read from its store (live.c), a page at a time; on a terminal drawn in
 * place until the user or the program has had enough. */
#include "base/num.h"
#include "base/say.h"
#include "print/screen.h"
#include "report/summary.h"
#include "top/live.h"
#include "top/terminal.h"
#include "top/watched.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVERY, ROWS, ONCE };

const struct opt top_options[] = {
    {'e', "every", "SECONDS", "time between pages (0.1 … 86400; ms, s, m, h); 2 where not given"},
    {'n', "rows", "N", "functions shown; as many as fit where not given, 20 on no terminal"},
    {'1', "once", NULL, "print one page and end, as where standard output is no terminal"},
    {0},
};

struct top {
    const char *word; /* what the user watches */
    uint64_t every_ns;
    uint64_t rows; /* 0 = as many as fit */
    bool is_once;
};

enum { NUMBERS = SCREEN_PERCENT + 5 * (2 + SCREEN_TIME) + 2 + SCREEN_COUNT + 2 };
enum { ROWS_ELSEWHERE = 20, LINES_AROUND = 4 };

static void put_totals(const struct screen *screen, const struct live *live)
{
    char elapsed[16], text[256];
    summary_time(live->elapsed_ms, elapsed);
    screen_style(screen, SCREEN_TITLE);
    screen_text(screen, live->program);
    screen_style(screen, SCREEN_PLAIN);
    snprintf(text, sizeof text,
             "  pid %u  elapsed %s  calls %llu (%.0f/s)  threads %u (%u running)\n\n", live->pid,
             elapsed, (unsigned long long)live->calls, live->calls_per_second, live->threads,
             live->running);
    fputs(text, screen->file);
}

static void put_titles(const struct screen *screen)
{
    static const char *const titles[] = {"Total", "Calls", "Calls/s", "Avg", "P99"};
    screen_style(screen, SCREEN_FAINT);
    screen_right(screen, "Self", SCREEN_PERCENT);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        fputs("  ", screen->file);
        screen_right(screen, titles[i], i == 1 || i == 2 ? SCREEN_COUNT : SCREEN_TIME);
    }
    fputs("  Function", screen->file);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

static void put_row(const struct screen *screen, const struct live *live,
                    const struct live_row *row)
{
    size_t left = screen->width > NUMBERS ? screen->width - NUMBERS : 8;
    screen_percent(screen, row->self_ms, live->self_ms);
    fputs("  ", screen->file);
    screen_time(screen, row->total_ms, SCREEN_TIME);
    fputs("  ", screen->file);
    screen_count(screen, row->calls, SCREEN_COUNT);
    fputs("  ", screen->file);
    screen_count(screen, (uint64_t)(row->calls_per_second + 0.5), SCREEN_COUNT);
    fputs("  ", screen->file);
    screen_time(screen, row->avg_ms, SCREEN_TIME);
    fputs("  ", screen->file);
    screen_time(screen, row->p99_ms, SCREEN_TIME);
    fputs("  ", screen->file);
    (void)screen_name(screen, row->name, left);
    fputc('\n', screen->file);
}

static void put_page(const struct screen *screen, const struct live *live)
{
    put_totals(screen, live);
    put_titles(screen);
    for (size_t i = 0; i < live->row_count; i++) put_row(screen, live, &live->rows[i]);
    if (live->functions > live->row_count)
        fprintf(screen->file, "… and %llu more\n",
                (unsigned long long)(live->functions - live->row_count));
}

static int tell_fault(const struct top *top, const struct fault *fault)
{
    say_line(top->word, ": ", fault->text, (char *)0);
    return EXITCODE_BAD_INPUT;
}

static int print_once(const struct top *top, struct live *live)
{
    struct fault fault = {0};
    struct screen screen = screen_over(stdout, SCREEN_AUTO);
    if (live_read(live, top->rows ? top->rows : ROWS_ELSEWHERE, &fault))
        return tell_fault(top, &fault);
    put_page(&screen, live);
    return EXITCODE_OK;
}

/* A page as one piece, so that none is seen half drawn. */
static void draw(const struct live *live)
{
    char *page = NULL;
    size_t bytes = 0;
    struct screen screen = screen_over(stdout, SCREEN_AUTO);
    FILE *memory = open_memstream(&page, &bytes);
    if (!memory) return;
    screen.file = memory;
    put_page(&screen, live);
    if (fclose(memory) == 0) terminal_draw(page, bytes);
    free(page);
}

static size_t rows_that_fit(const struct top *top)
{
    size_t lines = terminal_lines(), fit = lines > LINES_AROUND ? lines - LINES_AROUND : 1;
    return top->rows && top->rows < fit ? top->rows : fit;
}

static void tell_end(const struct live *live, const char *what)
{
    const struct screen screen = screen_over(stdout, SCREEN_NEVER);
    char elapsed[16];
    summary_time(live->elapsed_ms, elapsed);
    screen_text(&screen, live->program);
    printf(" (pid %u) %s; last seen after %s, with %llu calls\n", live->pid, what, elapsed,
           (unsigned long long)live->calls);
}

static int watch(const struct top *top, struct live *live)
{
    struct fault fault = {0};
    char what[256];
    enum live_state state;
    int error = 0;
    terminal_begin();
    do {
        error = live_read(live, rows_that_fit(top), &fault);
        state = live_state(live, what);
        if (!error && state == LIVE_RUNS) draw(live);
    } while (!error && state == LIVE_RUNS && terminal_wait(top->every_ns));
    terminal_end();
    if (error) return tell_fault(top, &fault);
    if (state != LIVE_RUNS) tell_end(live, what);
    return EXITCODE_OK;
}

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct top *top)
{
    const uint64_t least_ns = 100000000, most_ns = UINT64_C(86400000000000);
    for (int option; (option = opt_next(args)) != OPT_DONE;) {
        if (option == ONCE) top->is_once = true;
        if (option == EVERY && (num_parse_duration_ns(args->value, &top->every_ns) ||
                                top->every_ns < least_ns || top->every_ns > most_ns))
            return opt_mistake(args->verb, "--every takes 0.1 … 86400 seconds, not ", args->value);
        if (option == ROWS &&
            (num_parse_u64(args->value, &top->rows) || !top->rows || top->rows > 1000000))
            return opt_mistake(args->verb, "--rows takes 1 … 1000000, not ", args->value);
        if (option != OPT_OPERAND) continue;
        if (top->word)
            return opt_mistake(args->verb, "one process is watched, not also ", args->value);
        top->word = args->value;
    }
    if (args->status >= 0) return args->status;
    return top->word ? -1 : opt_mistake(args->verb, "a process id or a store is missing", "");
}

int top_main(struct opt_args *args)
{
    struct top top = {.every_ns = 2000000000};
    struct live live;
    struct fault fault = {0};
    char path[4096];
    int status = read_arguments(args, &top);
    if (status >= 0) return status;
    if (!watched_find(top.word, path)) return EXITCODE_BAD_INPUT;
    if (live_open(&live, path, &fault)) return tell_fault(&top, &fault);
    bool is_once = top.is_once || !isatty(STDOUT_FILENO);
    status = is_once ? print_once(&top, &live) : watch(&top, &live);
    live_fini(&live);
    return status;
}
