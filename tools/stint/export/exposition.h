/* SPDX-License-Identifier: MIT
 *
 * Lines of a Prometheus exposition: a family is declared, then come its samples, each beginning
 * with the program's label. */
#pragma once

#include "export/export.h"

struct exposition {
    const struct export_job *job;
    FILE *out;
};

/* The unit may be "". */
void exposition_declare(const struct exposition *to, const char *name, const char *type,
                        const char *unit, const char *help);

/* A sample: `name{program="app"`, then as many labels as wanted, then its value, which is finite.
 */
void exposition_begin(const struct exposition *to, const char *name, const char *suffix);
void exposition_label(const struct exposition *to, const char *name, const char *value);
void exposition_end(const struct exposition *to, double value);

/* What a report may hold beside functions and categories: counters, values, frames, threads, and
 * what was lost. Families without samples are not declared. */
void measures_write(const struct exposition *to);
