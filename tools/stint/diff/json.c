/* SPDX-License-Identifier: MIT
 *
 * Comparisons as one JSON document. Runs in `stint`. */
#include "diff/show.h"

#include "print/emit.h"

#include <math.h>

static void put_column(struct emit *emit, const struct difference *difference, const char *key)
{
    if (isnan(difference->old) && isnan(difference->new)) return;
    emit_open(emit, key, '{');
    emit_number(emit, "old", difference->old);
    emit_number(emit, "new", difference->new);
    emit_number(emit, "change", difference->new - difference->old);
    if (difference->old > 0)
        emit_number(emit, "change_percent",
                    (difference->new - difference->old) / difference->old * 100);
    emit_number(emit, "p", difference->p);
    emit_number(emit, "p_corrected", difference->p_corrected);
    emit_close(emit, '}');
}

static void put_comparison(struct emit *emit, const struct comparison *comparison)
{
    const struct row *row = comparison->row;
    emit_line(emit);
    emit_open(emit, NULL, '{');
    emit_text(emit, row->is_category ? "category" : "name", row->name);
    if (row->raw_name) emit_text(emit, "raw_name", row->raw_name);
    if (row->module) emit_text(emit, "module", row->module);
    emit_text(emit, "verdict", verdict_names[comparison->verdict]);
    emit_text(emit, "test", comparison->is_by_runs ? "runs" : "calls");
    if (!isnan(comparison->ranks.p)) {
        emit_open(emit, "ranks", '{');
        emit_number(emit, "U", comparison->ranks.u);
        emit_number(emit, "delta", comparison->ranks.delta);
        emit_number(emit, "p", comparison->ranks.p);
        emit_number(emit, "p_corrected", comparison->ranks_corrected);
        emit_close(emit, '}');
    }
    for (int i = 0; i < COLUMNS; i++) put_column(emit, &comparison->columns[i], column_keys[i]);
    emit_close(emit, '}');
}

static void put_judged(struct emit *emit, const struct judged *judged)
{
    emit_open(emit, NULL, '{');
    emit_text(emit, "fail_on", judged->threshold.text);
    emit_count(emit, "named", judged->offences.named);
    emit_open(emit, "rows", '[');
    for (size_t i = 0; i < judged->offences.used; i++) {
        const struct offence *offence = &judged->offences.items[i];
        const struct row *row = offence->comparison->row;
        emit_open(emit, NULL, '{');
        emit_text(emit, row->is_category ? "category" : "name", row->name);
        put_column(emit, &offence->comparison->columns[judged->threshold.column],
                   column_keys[judged->threshold.column]);
        emit_number(emit, "p_corrected", offence->p);
        emit_bool(emit, "is_noise", offence->is_noise);
        emit_close(emit, '}');
    }
    emit_close(emit, ']');
    emit_close(emit, '}');
}

void diff_show_json(const struct comparisons *comparisons, const struct judged *judged,
                    size_t count, const struct show_wishes *wishes)
{
    struct emit emit = {.file = stdout};
    emit_open(&emit, NULL, '{');
    emit_open(&emit, "runs", '{');
    emit_count(&emit, "old", comparisons->runs[SIDE_OLD]);
    emit_count(&emit, "new", comparisons->runs[SIDE_NEW]);
    emit_close(&emit, '}');
    emit_number(&emit, "alpha", wishes->alpha);
    emit_open(&emit, "thresholds", '[');
    for (size_t i = 0; i < count; i++) put_judged(&emit, &judged[i]);
    emit_close(&emit, ']');
    emit_open(&emit, "rows", '[');
    for (size_t i = 0; i < comparisons->used; i++)
        if (!wishes->only_changed || comparisons->items[i].verdict != VERDICT_SAME)
            put_comparison(&emit, &comparisons->items[i]);
    emit_close(&emit, ']');
    emit_close(&emit, '}');
}
