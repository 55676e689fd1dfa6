/* SPDX-License-Identifier: MIT
 *
 * The two sides of a comparison: runs read one after the other, their functions and categories
 * matched by name and module file name, so that other builds meet. */
#pragma once

#include "base/index.h"
#include "diff/significance.h"
#include "intake/intake.h"

enum column {
    COLUMN_CALLS,
    COLUMN_TOTAL,
    COLUMN_SELF,
    COLUMN_AVG,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_QUANTILES, /* five */
    COLUMNS = COLUMN_QUANTILES + QUANTILES,
};
extern const char *const column_keys[COLUMNS]; /* as in a report */

enum { SIDE_OLD, SIDE_NEW, SIDES };

/* One run's values; what is not there is NAN. */
struct run_values {
    double columns[COLUMNS];
    uint32_t run;    /* which, from 0 */
    uint32_t pieces; /* functions of one name in one report */
};

struct half {
    struct run_values *runs; /* of those that have it */
    size_t runs_used, runs_room;
    struct bins bins, newest; /* newest: of the run that is being read */
    double ended, ended_ms;   /* of that run */
};

struct row {
    const char *name, *raw_name, *module; /* module: file name or NULL; raw_name may be NULL */
    bool is_category, is_gone;            /* gone: joined to another row */
    bool has_self;
    struct half halves[SIDES];
};

struct sides {
    struct arena strings;
    struct index index;
    struct row *rows;
    size_t used, room;
    uint32_t runs[SIDES];
    int reading;
};

void sides_init(struct sides *sides);
void sides_fini(struct sides *sides);
/* Reads one run of a side. False: has been told. */
bool sides_read(struct sides *sides, struct intake *intake, int side, const char *path);
extern const struct intake_takers sides_takers;

/* After the last run: functions whose module has another file name on the other side meet where the
 * name is of one function alone on each. */
void sides_match(struct sides *sides);
