/* SPDX-License-Identifier: MIT
 *
 * Names may hold colons and > themselves, so the text is read from its end: value, sign, operator,
 * column, and what is left is the glob. Runs in `stint`. */
#include "diff/threshold.h"

#include "verb/memory.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool find_column(const char *name, size_t length, enum column *column)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (strlen(column_keys[i]) != length || memcmp(column_keys[i], name, length) != 0) continue;
        *column = (enum column)i;
        return true;
    }
    return false;
}

/* The number that the unit stands for, in the column's own; 0 = no such unit. */
static double unit_of(const char *unit, bool is_count)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"", 1}, {"ms", 1}, {"us", 1e-3}, {"µs", 1e-3}, {"ns", 1e-6}, {"s", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) return is_count && *unit ? 0 : units[i].ms;
    return 0;
}

static const char *read_value(struct threshold *threshold, const char *value, const char **at)
{
    char *end;
    *at = value;
    threshold->is_change = *value == '+' || *value == '-';
    bool is_number = isdigit((unsigned char)value[threshold->is_change]);
    if (!is_number) return "a number is expected here, as in +10% or +3ms";
    threshold->limit = strtod(value, &end);
    *at = end;
    threshold->is_relative = strcmp(end, "%") == 0;
    if (threshold->is_relative) {
        *at = value;
        threshold->limit /= 100;
        return threshold->is_change ? NULL : "a percentage is of a change: + or - belongs here";
    }
    double unit = unit_of(end, threshold->column == COLUMN_CALLS);
    threshold->limit *= unit;
    if (unit > 0 && isfinite(threshold->limit)) return NULL;
    return threshold->column == COLUMN_CALLS ? "a count has no unit but %"
                                             : "no such unit; there are %, ns, us, ms and s";
}

static const char *read_name(struct threshold *threshold, const char *text, const char *name,
                             const char **at)
{
    size_t length = name > text ? (size_t)(name - text) - 1 : 0;
    *at = text;
    if (name == text) {
        strcpy(threshold->glob, "*");
        return NULL;
    }
    *at = name - 1;
    if (name[-1] != ':') return "a colon is expected between name and column";
    *at = text;
    if (length == 0) return "a name is missing before the colon";
    if (length >= THRESHOLD_GLOB) return "this name is too long";
    memcpy(threshold->glob, text, length);
    threshold->glob[length] = '\0';
    return NULL;
}

static const char *read_parts(struct threshold *threshold, const char *text, const char **at)
{
    const char *sign = text + strlen(text);
    while (sign > text && *sign != '<' && *sign != '>') sign--;
    *at = text + strlen(text);
    if (*sign != '<' && *sign != '>') return "> or < is missing, as in P99_ms>+10%";
    threshold->is_above = *sign == '>';
    threshold->is_or_equal = sign[1] == '=';
    const char *name = sign;
    while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
    *at = name;
    if (!find_column(name, (size_t)(sign - name), &threshold->column))
        return "no such column; there are Count, Total_ms, Self_ms, Avg_ms, Min_ms, Max_ms, "
               "P50_ms, "
               "P90_ms, P95_ms, P99_ms and P99_9_ms";
    const char *fault = read_name(threshold, text, name, at);
    return fault ? fault : read_value(threshold, sign + 1 + threshold->is_or_equal, at);
}

const char *threshold_read(struct threshold *threshold, const char *text, size_t *place)
{
    const char *at = text;
    *threshold = (struct threshold){.text = text};
    const char *fault = read_parts(threshold, text, &at);
    *place = (size_t)(at - text);
    return fault;
}

/* The name without the parameters: "World::update" of "World::update(float)". */
static bool matches_bare(const char *glob, const char *name)
{
    char bare[THRESHOLD_GLOB];
    size_t length = strcspn(name, "(");
    if (name[length] == '\0' || length == 0 || length >= sizeof bare) return false;
    memcpy(bare, name, length);
    bare[length] = '\0';
    return fnmatch(glob, bare, 0) == 0;
}

static bool is_named(const struct threshold *threshold, const struct row *row)
{
    return strcmp(threshold->glob, row->name) == 0 || fnmatch(threshold->glob, row->name, 0) == 0 ||
           matches_bare(threshold->glob, row->name) ||
           (row->raw_name && fnmatch(threshold->glob, row->raw_name, 0) == 0);
}

static bool is_past(const struct threshold *threshold, const struct difference *difference)
{
    double value = difference->new;
    if (threshold->is_change) value -= difference->old;
    if (threshold->is_relative) value /= difference->old; /* from 0: not a number, or infinite */
    if (!isfinite(value)) return false;
    if (threshold->is_or_equal && value == threshold->limit) return true;
    return threshold->is_above ? value > threshold->limit : value < threshold->limit;
}

void threshold_find(const struct threshold *threshold, const struct comparisons *comparisons,
                    double alpha, struct offences *offences)
{
    *offences = (struct offences){.items = memory_new(comparisons->used, sizeof(struct offence))};
    double *p = memory_new(comparisons->used, sizeof *p);
    for (size_t i = 0; i < comparisons->used; i++) {
        const struct comparison *item = &comparisons->items[i];
        if (is_named(threshold, item->row))
            offences->items[offences->named++] = (struct offence){.comparison = item};
    }
    for (size_t i = 0; i < offences->named; i++)
        p[i] = offences->items[i].comparison->columns[threshold->column].p;
    significance_correct(p, offences->named);
    for (size_t i = 0; i < offences->named; i++) {
        struct offence *offence = &offences->items[i];
        const struct comparison *item = offence->comparison;
        if (!is_past(threshold, &item->columns[threshold->column])) continue;
        bool counts = !threshold->is_change || compare_counts(item, threshold->column, p[i], alpha);
        offences->items[offences->used++] = (struct offence){item, p[i], !counts};
    }
    free(p);
}
