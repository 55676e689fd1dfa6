/* SPDX-License-Identifier: MIT
 *
 * The sum of many reports as one report. */
#pragma once

#include "merge/gather.h"

#include <stdio.h>

/* Writes it; whether it arrived is for the caller to ask of the stream. Sorts what it holds. */
void merge_write(struct gather *gather, FILE *file);
