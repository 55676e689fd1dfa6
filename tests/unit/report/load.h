/* SPDX-License-Identifier: MIT
 *
 * A laid-out store's report, read back by jansson. */
#pragma once

#include "builder.h"
#include "report/write.h"

#include <jansson.h>
#include <stdbool.h>

/* The report of the store with these options (view is filled in). Fails the test where there is
 * none. */
json_t *load_report(const struct builder *store, struct report_input options);

/* A member of an object by a path like "process.ending.kind" or "functions.0.Count"; fails the test
 * where it is missing. */
json_t *load_at(json_t *json, const char *path);
bool load_has(json_t *json, const char *path);
int64_t load_integer(json_t *json, const char *path);
double load_real(json_t *json, const char *path);
const char *load_text(json_t *json, const char *path);
/* Nanoseconds of a member in milliseconds, rounded to a thousandth. */
double load_ns(json_t *json, const char *path);

/* The element of an array whose member `key` is this text; fails the test where there is none. */
json_t *load_named(json_t *array, const char *key, const char *text);
