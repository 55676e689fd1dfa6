/* SPDX-License-Identifier: MIT
 *
 * What every file of cases needs, in the order cmocka wants. */
#pragma once

#include "check.h"
#include "run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Leaves the case, not run; the reason is in the log. */
static inline void skip_because(const char *reason)
{
    printf("# skipped: %s\n", reason);
    fflush(stdout);
    skip();
}

/* Runs a target that needs no look of its own: same behaviour, and the report has the truth. */
static inline void same_and_true(const char *target)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = target});
    both_fini(&both);
}
