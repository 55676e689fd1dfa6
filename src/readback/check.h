/* SPDX-License-Identifier: MIT
 *
 * Is a JSON document a report that can be relied on. */
#pragma once

#include "base/fault.h"

#include <jansson.h>

/* 0 where read.h's promises hold of it, else −EBADMSG with the fault filled. Context: outside. */
int check_report(const json_t *report, struct fault *fault);
