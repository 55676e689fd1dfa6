/* SPDX-License-Identifier: MIT
 *
 * What `stint check` finds out of a program; check.c fills it, the other two go on from there. */
#pragma once

#include "check/libraries.h"
#include "print/screen.h"

enum { ADVICE_MOST = 16 };

struct checked {
    const char *command;
    char path[4096];
    char script[4096]; /* what was asked for, where path is its interpreter; "" = no script */
    struct binary binary;
    struct libraries libraries;
    bool is_privileged, would_record;
    char advice[ADVICE_MOST][400];
    size_t advice_count;
};

/* Of what was read: would a run record anything. */
bool checked_would_record(const struct checked *checked);

/* Adds what to change, or where would_record is set, what to know. */
void checked_advise(struct checked *checked);

void checked_show(const struct screen *screen, const struct checked *checked);
json_t *checked_json(const struct checked *checked);
