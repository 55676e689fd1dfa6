/* SPDX-License-Identifier: MIT
 *
 * The process object: settings, store and what was learnt at the start. Started by whichever comes
 * first, the constructor or the first event; recording (the store) by the first event alone. */
#pragma once

#include "settings/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* NEW → PREPARING → READY → STARTING → RECORDING → FINISHED. A start that fails goes back to READY
 * with is_off set; a forked child goes back to READY (start_child). */
enum process_state {
    PROCESS_NEW = 0,   /* start_process has not run */
    PROCESS_PREPARING, /* it runs now */
    PROCESS_READY,     /* nothing recorded yet */
    PROCESS_STARTING,  /* one thread makes the store */
    PROCESS_RECORDING,
    PROCESS_FINISHED, /* the final report is being made or stands; reporting.c sets it */
};

/* The one object. Written by start.c, newstore.c, fork.c and reporting.c alone. */
struct process {
    uint32_t state;    /* enum process_state; acquire/release */
    uint32_t starter;  /* tid of the thread that prepares or starts */
    bool is_off;       /* AT_SECURE, STINT_DISABLE, or not followed: stands aside for good */
    bool is_root;      /* the first process of its run */
    bool is_to_device; /* STINT_OUT names a device, which takes all reports: no number is put in */
    uint32_t pid;      /* as of the start, or of the fork; compare with a raw getpid */
    uint64_t start_time;  /* field 22 of /proc/self/stat */
    char run[48];         /* run id, "<pid>:<start time>" of the root */
    char out[4096];       /* the intended report, absolute, as a pattern of self/outname.h */
    char library[4096];   /* absolute path of libstint.so; empty if unknown */
    char directory[4096]; /* working directory at the start; empty if unknown */
    struct settings settings;
    struct store store; /* base NULL until the first event */
};
extern struct process process;

/* Copies settings and paths; opens the companion where a loaded object can record. Idempotent,
 * cheap, makes no file. False when that could not be done yet (before libc's own start) or goes on
 * in another thread. errno is kept. Context: any thread; constructor or first event. */
bool start_process(void);

/* A loaded object says that it may record: it has no import by which we could know. The companion
 * is opened, here or in our constructor. False where this process is not recorded. errno is kept.
 * Context: another object's constructor. */
bool start_announce(void);

/* Creates the store, unless it exists; the loser of a race waits for the winner, at most a second.
 * True when there is one. errno is kept. Context: slow path, any thread, signal-safe (a handler
 * that interrupted the winner gets false). */
bool start_recording(void);

/* The process object of a forked child made its own: pid, start time, intended report (with the
 * pid), not root, no store (the mapping is not touched: the caller abandons it first), state READY.
 * Sets is_off where STINT_FOLLOW=0. The caller is the child's only thread. Context: start-up of a
 * child, signal-safe. */
void start_child(void);

/* True when this process is not the one that `process` describes: a child of vfork, whose every
 * action must be the real one alone. Context: any thread, signal-safe. */
bool start_is_vfork_child(void);

/* The store's clock, where there is a store. Context: any thread, signal-safe. */
uint64_t start_ticks_now(void);

/* The report's name with %s filled by `snapshot` and `insert` put before the extension ("" =
 * nothing), into name[0 … capacity). False where it does not fit. Context: any thread, signal-safe.
 */
bool start_out_name(uint32_t snapshot, const char *insert, char *name, uint64_t capacity);
