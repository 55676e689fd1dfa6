/* SPDX-License-Identifier: MIT
 *
 * The process object: settings, store and what was learnt at the start. Started by whichever comes
 * first, the constructor or the first event; recording (the store) by the first event alone. */
#pragma once

#include "settings/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* The one object. Written by start.c, fork.c and finish.c alone. */
struct process {
    uint32_t state;      /* enum process_state; acquire/release */
    bool is_off;         /* AT_SECURE, STINT_DISABLE, or not followed: stands aside for good */
    bool is_root;        /* the first process of its run */
    char run[48];        /* run id, "<pid>:<start time>" of the root */
    char out[4096];      /* absolute intended report, placeholders filled, pid added for descendants */
    char library[4096];  /* absolute path of libstint.so */
    struct settings settings;
    struct store store;  /* base NULL until the first event */
};
extern struct process process;

/* Copies settings and paths; opens the companion where a loaded object can record. Idempotent, cheap,
 * makes no file. Context: any thread; constructor or first event. */
void start_process(void);

/* Creates the store, unless it exists; the loser of a race waits for the winner. True when there is one.
 * Context: slow path, any thread, signal-safe. */
bool start_recording(void);
