/* SPDX-License-Identifier: MIT
 *
 * A row a function: the total as it was and is, then each column's change; what is beyond noise
 * has a star. Runs in `stint`. */
#include "diff/show.h"

#include "print/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 24, FIXED_WIDTH = 82, NAME_LEAST = 20 };

static const char *const colours[VERDICTS] = {
    [VERDICT_SAME] = "\033[2m",   [VERDICT_FASTER] = "\033[32m", [VERDICT_SLOWER] = "\033[31m",
    [VERDICT_MIXED] = "\033[35m", [VERDICT_CALLS] = "\033[33m",  [VERDICT_NEW] = "\033[36m",
    [VERDICT_GONE] = "\033[36m",
};

/* "12.5 ms": three digits and a unit. */
static const char *time_text(double ms, char cell[CELL])
{
    if (ms == 0) return "0";
    static const struct {
        double ms;
        const char *name;
    } units[] = {{1e3, "s"}, {1, "ms"}, {1e-3, "µs"}, {0, "ns"}};
    if (isnan(ms)) return "-";
    size_t i = 0;
    while (units[i].ms > 0 && fabs(ms) < units[i].ms * 0.9995) i++;
    double value = ms / (units[i].ms > 0 ? units[i].ms : 1e-6);
    int digits = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    snprintf(cell, CELL, "%.*f %s", digits, value, units[i].name);
    return cell;
}

/* "+12.3%*": the star where it counts. */
static const char *change_text(const struct comparison *comparison, enum column column,
                               double alpha, char cell[CELL])
{
    const struct difference *difference = &comparison->columns[column];
    double part = (difference->new - difference->old) / difference->old;
    if (isnan(part)) return "-";
    if (comparison->verdict == VERDICT_NEW || comparison->verdict == VERDICT_GONE) return "-";
    bool counts = difference->new != difference->old &&compare_counts(
                                         comparison, column, difference->p_corrected, alpha);
    if (!isfinite(part) || fabs(part) >= 100)
        snprintf(cell, CELL, "x%.3g%s", difference->new / difference->old, counts ? "*" : " ");
    else if (difference->new == difference->old)
        snprintf(cell, CELL, "= ");
    else
        snprintf(cell, CELL, "%+.1f%%%s", part * 100, counts ? "*" : " ");
    return cell;
}

/* At most `width` characters on a terminal; 0 = all. */
static void put_name(const char *name, size_t width)
{
    const struct screen screen = {.file = stdout, .width = width};
    (void)screen_name(&screen, name, width);
}

static size_t name_width(const struct show_wishes *wishes)
{
    if (!wishes->width) return 0;
    return wishes->width > FIXED_WIDTH + NAME_LEAST ? wishes->width - FIXED_WIDTH : NAME_LEAST;
}

/* Nine columns, and a blank: the µ is two bytes. */
static void put_time(const char *text) { printf("%*s ", strchr(text, '\xb5') ? 10 : 9, text); }

static void put_row(const struct comparison *comparison, const struct show_wishes *wishes)
{
    static const enum column changes[] = {COLUMN_CALLS,     COLUMN_SELF,          COLUMN_AVG,
                                          COLUMN_QUANTILES, COLUMN_QUANTILES + 3, COLUMN_MAX};
    const struct difference *total = &comparison->columns[COLUMN_TOTAL];
    char old[CELL], new[CELL], cell[CELL];
    if (wishes->has_colours) fputs(colours[comparison->verdict], stdout);
    printf("%-6s ", verdict_names[comparison->verdict]);
    put_time(time_text(total->old, old));
    put_time(time_text(total->new, new));
    printf("%8s", change_text(comparison, COLUMN_TOTAL, wishes->alpha, cell));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        printf(" %7s", change_text(comparison, changes[i], wishes->alpha, cell));
    fputs("  ", stdout);
    put_name(comparison->row->name, name_width(wishes));
    if (!wishes->width && comparison->row->module) {
        fputs("  ", stdout);
        put_name(comparison->row->module, 0);
    }
    puts(wishes->has_colours ? "\033[0m" : "");
}

static void put_head(const struct comparisons *comparisons)
{
    bool is_by_runs = comparisons->runs[SIDE_OLD] >= 2 && comparisons->runs[SIDE_NEW] >= 2;
    printf("%u run%s against %u; * = more than noise, by %s\n", comparisons->runs[SIDE_OLD],
           comparisons->runs[SIDE_OLD] == 1 ? "" : "s", comparisons->runs[SIDE_NEW],
           is_by_runs ? "what the runs of a side differ by"
                      : "the calls of the runs; several runs a side tell more");
    printf("%-6s %9s %9s %8s %7s %7s %7s %7s %7s %7s  %s\n", "", "Old total", "New total", "Total ",
           "Calls ", "Self ", "Avg ", "P50 ", "P99 ", "Max ", "Function");
}

void diff_show_table(const struct comparisons *comparisons, const struct show_wishes *wishes)
{
    size_t counts[VERDICTS] = {0}, shown = 0, left_out = 0;
    put_head(comparisons);
    for (size_t i = 0; i < comparisons->used; i++) {
        const struct comparison *item = &comparisons->items[i];
        counts[item->verdict]++;
        if (wishes->only_changed && item->verdict == VERDICT_SAME) continue;
        if (wishes->most_rows && shown == wishes->most_rows) {
            left_out++;
            continue;
        }
        put_row(item, wishes);
        shown++;
    }
    if (left_out) printf("… and %zu more; -n 0 shows all\n", left_out);
    for (int i = 0; i < VERDICTS; i++)
        printf("%s%zu %s%s", i ? ", " : "", counts[i], verdict_names[i],
               i == VERDICT_SAME ? " (no more than noise)" : "");
    putchar('\n');
}

static void put_value(const struct threshold *threshold, double value)
{
    char cell[CELL];
    if (threshold->column == COLUMN_CALLS)
        printf("%.15g", value);
    else
        fputs(time_text(value, cell), stdout);
}

static void put_offence(const struct threshold *threshold, const struct offence *offence)
{
    const struct difference *difference = &offence->comparison->columns[threshold->column];
    printf("%s: ", threshold->text);
    put_name(offence->comparison->row->name, 0);
    fputs(": ", stdout);
    put_value(threshold, difference->old);
    fputs(" -> ", stdout);
    put_value(threshold, difference->new);
    if (difference->old > 0)
        printf(" (%+.1f%%)", (difference->new - difference->old) / difference->old * 100);
    if (!isnan(offence->p)) printf(", p = %.2g", offence->p);
    putchar('\n');
}

void diff_show_offences(const struct judged *judged, size_t count, const struct show_wishes *wishes)
{
    for (size_t i = 0; i < count; i++) {
        const struct offences *offences = &judged[i].offences;
        size_t noise = 0;
        for (size_t j = 0; j < offences->used; j++) {
            noise += offences->items[j].is_noise;
            if (offences->items[j].is_noise) continue;
            if (wishes->has_colours) fputs("\033[31m", stdout);
            fputs("failed: ", stdout);
            put_offence(&judged[i].threshold, &offences->items[j]);
            if (wishes->has_colours) fputs("\033[0m", stdout);
        }
        if (noise)
            printf("%s: %zu row%s past it within noise or untestable, not counted\n",
                   judged[i].threshold.text, noise, noise == 1 ? "" : "s");
    }
}
