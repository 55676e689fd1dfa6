/* SPDX-License-Identifier: MIT
 *
 * Rows → tests → correction → verdicts. With two runs or more on each side a run is one sample;
 * else the calls are. Runs in `stint`. */
#include "diff/compare.h"

#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below it a dominance is negligible: Romano, Kromrey, Coraggio & Skowronek, "Appropriate
 * statistics for ordinal level data", 2006. */
static const double least_delta = 0.147;

const char *const verdict_names[VERDICTS] = {"same",  "faster", "slower", "mixed",
                                             "calls", "new",    "gone"};

/* The column's values over the runs. A run without the function has 0 of what is counted. Gives
 * how many. */
static size_t collect(const struct half *half, enum column column, uint32_t runs, double *values)
{
    size_t used = 0;
    for (size_t i = 0; i < half->runs_used; i++)
        if (!isnan(half->runs[i].columns[column])) values[used++] = half->runs[i].columns[column];
    for (; column <= COLUMN_SELF && used < runs; used++) values[used] = 0;
    return used;
}

/* A mean or, over the calls of `runs` runs, a sum for one of them: the value as the reports tell it
 * (ms), the error from the histogram's mean (ns). */
static struct estimate scaled(struct estimate mean, double value_ms, double times)
{
    double scale = times / 1e6;
    return (struct estimate){value_ms, mean.error2 * scale * scale, mean.n};
}

struct work {
    struct pairs pairs;
    double *values[SIDES];
    const struct sides *sides;
};

/* How many durations of one side lie beyond all of the other's, where `step` leads from the
 * extreme inwards. */
static double beyond(const struct pairs *pairs, bool is_most, bool of_new)
{
    const double *mine = of_new ? pairs->new_counts : pairs->old_counts;
    const double *other = of_new ? pairs->old_counts : pairs->new_counts;
    double count = 0;
    for (uint32_t i = 0; i < pairs->used; i++) {
        uint32_t at = is_most ? pairs->used - 1 - i : i;
        if (other[at] > 0) break;
        count += mine[at];
    }
    return count;
}

static double extreme_p(const struct pairs *pairs, bool is_most)
{
    double of_new = beyond(pairs, is_most, true), of_old = beyond(pairs, is_most, false);
    return of_new > 0 ? significance_exceedance(of_new, pairs->new_n, pairs->old_n)
                      : significance_exceedance(of_old, pairs->old_n, pairs->new_n);
}

static double mean_p(const struct work *work, const struct difference *difference, bool is_sum)
{
    struct estimate old = significance_mean(&work->pairs, false);
    struct estimate new = significance_mean(&work->pairs, true);
    old = scaled(old, difference->old, is_sum ? old.n / work->sides->runs[SIDE_OLD] : 1);
    new = scaled(new, difference->new, is_sum ? new.n / work->sides->runs[SIDE_NEW] : 1);
    return significance_welch(&old, &new);
}

/* The p of a column by the calls of the runs. */
static double within_p(const struct work *work, enum column column,
                       const struct difference *difference)
{
    if (column == COLUMN_CALLS) return NAN;
    if (column <= COLUMN_AVG) return mean_p(work, difference, column != COLUMN_AVG);
    if (column == COLUMN_MIN || column == COLUMN_MAX)
        return extreme_p(&work->pairs, column == COLUMN_MAX);
    double direction;
    double q = quantile_places[column - COLUMN_QUANTILES];
    double p = significance_quantile(&work->pairs, q, &direction);
    return (difference->new - difference->old) * direction < 0 ? 1 : p;
}

static void compare_column(struct work *work, struct comparison *comparison, enum column column)
{
    struct difference *difference = &comparison->columns[column];
    struct estimate estimates[SIDES];
    for (int side = 0; side < SIDES; side++) {
        size_t n = collect(&comparison->row->halves[side], column, work->sides->runs[side],
                           work->values[side]);
        estimates[side] = significance_runs(work->values[side], n);
    }
    bool is_absent = column == COLUMN_SELF && !comparison->row->has_self;
    *difference = (struct difference){is_absent ? NAN : estimates[SIDE_OLD].value,
                                      is_absent ? NAN : estimates[SIDE_NEW].value, NAN, NAN};
    if (isnan(difference->old) || isnan(difference->new)) return;
    difference->p = comparison->is_by_runs
                        ? significance_welch(&estimates[SIDE_OLD], &estimates[SIDE_NEW])
                        : within_p(work, column, difference);
    difference->p_corrected = difference->p;
}

static void compare_row(struct work *work, const struct row *row, struct comparison *comparison)
{
    *comparison = (struct comparison){.row = row};
    comparison->is_by_runs = work->sides->runs[SIDE_OLD] >= 2 && work->sides->runs[SIDE_NEW] >= 2;
    pairs_make(&work->pairs, &row->halves[SIDE_OLD].bins, &row->halves[SIDE_NEW].bins);
    comparison->ranks = significance_ranks(&work->pairs);
    comparison->ranks_corrected = comparison->ranks.p;
    for (int column = 0; column < COLUMNS; column++)
        compare_column(work, comparison, (enum column)column);
    if (row->halves[SIDE_OLD].runs_used == 0) comparison->verdict = VERDICT_NEW;
    if (row->halves[SIDE_NEW].runs_used == 0) comparison->verdict = VERDICT_GONE;
}

/* Each column is a family of its own. New and gone rows are no tests. */
static void correct(struct comparisons *comparisons)
{
    double *p = memory_new(comparisons->used, sizeof *p);
    for (int column = 0; column <= COLUMNS; column++) {
        for (size_t i = 0; i < comparisons->used; i++) {
            const struct comparison *item = &comparisons->items[i];
            double own = column < COLUMNS ? item->columns[column].p : item->ranks.p;
            p[i] = item->verdict == VERDICT_SAME ? own : NAN;
        }
        significance_correct(p, comparisons->used);
        for (size_t i = 0; i < comparisons->used; i++) {
            struct comparison *item = &comparisons->items[i];
            if (column < COLUMNS)
                item->columns[column].p_corrected = p[i];
            else
                item->ranks_corrected = p[i];
        }
    }
    free(p);
}

bool compare_counts(const struct comparison *comparison, enum column column, double p, double alpha)
{
    const struct difference *difference = &comparison->columns[column];
    if (alpha >= 1 || comparison->verdict == VERDICT_NEW || comparison->verdict == VERDICT_GONE)
        return true;
    if (isnan(p)) return column == COLUMN_CALLS && difference->old != difference->new;
    return p <= alpha;
}

static bool is_large(const struct difference *difference, double least_part)
{
    return fabs(difference->new - difference->old) > least_part * difference->old;
}

static void judge(struct comparison *comparison, const struct compare_wishes *wishes)
{
    static const enum column told[] = {COLUMN_AVG, COLUMN_QUANTILES, COLUMN_QUANTILES + 3};
    bool is_slower = false, is_faster = false;
    if (comparison->verdict != VERDICT_SAME) return;
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const struct difference *column = &comparison->columns[told[i]];
        if (!is_large(column, wishes->least_part) ||
            !compare_counts(comparison, told[i], column->p_corrected, wishes->alpha))
            continue;
        is_slower |= column->new > column->old;
        is_faster |= column->new < column->old;
    }
    if (!comparison->is_by_runs && comparison->ranks_corrected <= wishes->alpha) {
        is_slower |= comparison->ranks.delta >= least_delta;
        is_faster |= comparison->ranks.delta <= -least_delta;
    }
    const struct difference *calls = &comparison->columns[COLUMN_CALLS];
    if (is_slower || is_faster)
        comparison->verdict = is_slower && is_faster ? VERDICT_MIXED
                              : is_slower            ? VERDICT_SLOWER
                                                     : VERDICT_FASTER;
    else if (is_large(calls, wishes->least_part) &&
             compare_counts(comparison, COLUMN_CALLS, calls->p_corrected, wishes->alpha))
        comparison->verdict = VERDICT_CALLS;
}

static double change(const struct comparison *comparison)
{
    const struct difference *total = &comparison->columns[COLUMN_TOTAL];
    return fabs(total->new - total->old);
}

static int by_change(const void *a, const void *b)
{
    double x = change(a), y = change(b);
    if (x != y) return x < y ? 1 : -1;
    return strcmp(((const struct comparison *)a)->row->name,
                  ((const struct comparison *)b)->row->name);
}

void compare(const struct sides *sides, const struct compare_wishes *wishes,
             struct comparisons *comparisons)
{
    struct work *work = memory_new(1, sizeof *work);
    work->sides = sides;
    for (int side = 0; side < SIDES; side++)
        work->values[side] = memory_new(sides->runs[side], sizeof(double));
    *comparisons =
        (struct comparisons){.items = memory_new(sides->used, sizeof *comparisons->items),
                             .runs = {sides->runs[SIDE_OLD], sides->runs[SIDE_NEW]}};
    for (size_t i = 0; i < sides->used; i++)
        if (!sides->rows[i].is_gone)
            compare_row(work, &sides->rows[i], &comparisons->items[comparisons->used++]);
    correct(comparisons);
    for (size_t i = 0; i < comparisons->used; i++) judge(&comparisons->items[i], wishes);
    qsort(comparisons->items, comparisons->used, sizeof *comparisons->items, by_change);
    for (int side = 0; side < SIDES; side++) free(work->values[side]);
    free(work);
}
