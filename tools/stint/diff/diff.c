/* SPDX-License-Identifier: MIT
 *
 * `stint diff`: reports before and after a change; with --fail-on a gate. */
#include "base/num.h"
#include "base/say.h"
#include "diff/show.h"
#include "verb/exitcode.h"
#include "verb/memory.h"
#include "verb/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FAIL_ON, EXIT_CODE, CHANGED, ROWS, ALPHA, LEAST, JSON };

const struct opt diff_options[] = {
    {'f', "fail-on", "LIMIT", "status 1 where a row is past it: 'P99_ms>+10%', 'name:Avg_ms>+2ms'"},
    {'e', "exit-code", NULL, "status 1 where anything but noise changed"},
    {'c', "changed", NULL, "leave out the rows that are the same but for noise"},
    {'n', "rows", "N", "at most N rows; 0 = all (default 40)"},
    {0, "alpha", "P", "how likely a false alarm may be (default 0.01); 1 = noise counts too"},
    {0, "least", "PERCENT", "smaller changes are no verdict (default 2)"},
    {0, "json", NULL, "all values and tests as JSON"},
    {0},
};

struct diff_arguments {
    const char **paths[SIDES];
    size_t used[SIDES], room[SIDES];
    struct judged *judged;
    size_t judged_used, judged_room;
    struct compare_wishes compare;
    struct show_wishes show;
    bool is_json, has_exit_code;
};

static void add_path(struct diff_arguments *arguments, int side, const char *path)
{
    arguments->paths[side] = memory_grow(arguments->paths[side], arguments->used[side],
                                         &arguments->room[side], sizeof(char *));
    arguments->paths[side][arguments->used[side]++] = path;
}

/* The mistake, the text, and a caret below the place. */
static int threshold_mistake(const char *text, const char *fault, size_t place)
{
    char caret[600];
    size_t column = 0;
    for (size_t i = 0; i < place; i++) column += ((unsigned char)text[i] & 0xc0) != 0x80;
    snprintf(caret, sizeof caret, "%*s^", column < 500 ? (int)column : 500, "");
    say_line("diff: --fail-on: ", fault, (char *)0);
    say_line("  ", text, (char *)0);
    say_line("  ", caret, (char *)0);
    return EXITCODE_USAGE;
}

static int add_threshold(struct diff_arguments *arguments, const char *text)
{
    size_t place;
    arguments->judged = memory_grow(arguments->judged, arguments->judged_used,
                                    &arguments->judged_room, sizeof *arguments->judged);
    struct judged *judged = &arguments->judged[arguments->judged_used++];
    *judged = (struct judged){.threshold = {.text = text}};
    const char *fault = threshold_read(&judged->threshold, text, &place);
    return fault ? threshold_mistake(text, fault, place) : -1;
}

static bool read_number(const char *text, double least, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && !*end && *value >= least && *value <= most;
}

/* An exit status, or −1 to go on. */
static int take(struct opt_args *args, int option, struct diff_arguments *arguments)
{
    uint64_t rows;
    double percent;
    switch (option) {
    case FAIL_ON:
        return add_threshold(arguments, args->value);
    case EXIT_CODE:
        arguments->has_exit_code = true;
        return -1;
    case CHANGED:
        arguments->show.only_changed = true;
        return -1;
    case ROWS:
        if (num_parse_u64(args->value, &rows) != 0)
            return opt_mistake(args->verb, "not a number of rows, 0 (all) or more: ", args->value);
        arguments->show.most_rows = rows;
        return -1;
    case ALPHA:
        if (!read_number(args->value, 0, 1, &arguments->compare.alpha))
            return opt_mistake(args->verb, "not a probability, 0 to 1: ", args->value);
        return -1;
    case LEAST:
        if (!read_number(args->value, 0, 1e6, &percent))
            return opt_mistake(args->verb, "not a percentage, 0 or more: ", args->value);
        arguments->compare.least_part = percent / 100;
        return -1;
    case JSON:
        arguments->is_json = true;
        return -1;
    default:
        add_path(arguments, args->only_operands ? SIDE_NEW : SIDE_OLD, args->value);
        return -1;
    }
}

/* Without -- there are two files, one a side. */
static int settle_sides(struct opt_args *args, struct diff_arguments *arguments)
{
    size_t *used = arguments->used;
    int from = used[SIDE_OLD] ? SIDE_OLD : SIDE_NEW;
    if (used[SIDE_OLD] && used[SIDE_NEW]) return -1;
    if (used[from] != 2)
        return opt_mistake(args->verb, "two reports are needed, or OLD... -- NEW...", "");
    const char *first = arguments->paths[from][0], *second = arguments->paths[from][1];
    used[SIDE_OLD] = used[SIDE_NEW] = 0;
    add_path(arguments, SIDE_OLD, first);
    add_path(arguments, SIDE_NEW, second);
    return -1;
}

static int read_arguments(struct opt_args *args, struct diff_arguments *arguments)
{
    for (;;) {
        int option = opt_next(args);
        if (option == OPT_DONE) break;
        int status = take(args, option, arguments);
        if (status >= 0) return status;
    }
    return args->status >= 0 ? args->status : settle_sides(args, arguments);
}

static bool read_sides(struct sides *sides, const struct diff_arguments *arguments)
{
    struct intake intake;
    bool is_good = true;
    intake_init(&intake, &sides_takers, sides);
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; is_good && i < arguments->used[side]; i++)
            is_good = sides_read(sides, &intake, side, arguments->paths[side][i]);
    intake_fini(&intake);
    sides_match(sides);
    return is_good;
}

/* 1 where a row is past a threshold, 2 where a threshold names none. */
static int judge(struct diff_arguments *arguments, const struct comparisons *comparisons)
{
    int status = EXITCODE_OK;
    for (size_t i = 0; i < arguments->judged_used; i++) {
        struct judged *judged = &arguments->judged[i];
        threshold_find(&judged->threshold, comparisons, arguments->compare.alpha,
                       &judged->offences);
        if (judged->offences.named == 0) {
            say_line("diff: --fail-on: no function or category is named ", judged->threshold.glob,
                     (char *)0);
            return EXITCODE_USAGE;
        }
        for (size_t j = 0; j < judged->offences.used; j++)
            if (!judged->offences.items[j].is_noise) status = EXITCODE_DIFFERENCE;
    }
    return status;
}

static bool any_change(const struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->used; i++)
        if (comparisons->items[i].verdict != VERDICT_SAME) return true;
    return false;
}

static int show(struct diff_arguments *arguments, const struct sides *sides)
{
    struct comparisons comparisons;
    arguments->show.alpha = arguments->compare.alpha;
    compare(sides, &arguments->compare, &comparisons);
    int status = judge(arguments, &comparisons);
    if (status != EXITCODE_USAGE) {
        if (arguments->is_json) {
            diff_show_json(&comparisons, arguments->judged, arguments->judged_used,
                           &arguments->show);
        } else {
            diff_show_table(&comparisons, &arguments->show);
            diff_show_offences(arguments->judged, arguments->judged_used, &arguments->show);
        }
        if (arguments->has_exit_code && any_change(&comparisons)) status = EXITCODE_DIFFERENCE;
    }
    free(comparisons.items);
    return status;
}

static void look_at_terminal(struct show_wishes *wishes)
{
    struct winsize size;
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
    wishes->width = size.ws_col;
    wishes->has_colours = !(no_colour && *no_colour) && !(term && strcmp(term, "dumb") == 0);
}

int diff_main(struct opt_args *args)
{
    struct diff_arguments arguments = {.compare = {.alpha = 0.01, .least_part = 0.02},
                                       .show = {.most_rows = 40}};
    struct sides sides;
    int status = read_arguments(args, &arguments);
    sides_init(&sides);
    if (status < 0) {
        look_at_terminal(&arguments.show);
        status = read_sides(&sides, &arguments) ? show(&arguments, &sides) : EXITCODE_BAD_INPUT;
    }
    sides_fini(&sides);
    for (int side = 0; side < SIDES; side++) free(arguments.paths[side]);
    for (size_t i = 0; i < arguments.judged_used; i++) free(arguments.judged[i].offences.items);
    free(arguments.judged);
    return status;
}
