/* SPDX-License-Identifier: MIT
 *
 * The end of a process, and reports before it: whoever comes first (exit, _exit, a fatal signal,
 * exec) makes the one final report. The ending and the clock's last pair go into the store's head,
 * the companion writes, and a store whose report stands is removed. A process that recorded nothing
 * has no ending here. */
#pragma once

#include "store/layout.h"

#include <stdbool.h>

/* Registers the handlers that see exit, return from main and quick_exit. To be called once and as
 * early as can be: they then run last. Context: constructor. */
void finish_register(void);

/* Makes the final report, unless one was made, is being made by this thread, or nothing was
 * recorded; waits for one that another thread makes. Needs the companion open (else the store is
 * kept and named). errno is kept. Context: any thread, signal-safe. */
void finish_process(enum store_ending_kind kind, int status);

/* The status that quick_exit was called with, for the handler that runs at its end.
 * Context: any thread. */
void finish_note_quick_exit(int status);

/* The process is about to become another program: a report `<name>.<pid>.exec<N>.json` of the life
 * that ends. If the exec fails, finish_exec_failed removes it and recording goes on (in a copy of
 * the store's file; where other threads record, in memory alone from then on). Both do nothing in a
 * child of vfork. errno is kept. Context: any thread, signal-safe. */
void finish_before_exec(void);
void finish_exec_failed(void);

/* A report while the process goes on, under `path`, taken as it is (relative to the working
 * directory of this moment; no placeholders), or under the process's own name where path is NULL.
 * Waits for one that another thread makes. The other threads are not stopped. 0 or −errno: −ESRCH
 * nothing is recorded in this process (yet, or a child of vfork), or the final report was made;
 * −EBUSY this thread is making one, or is about to exec; −ENOSYS the companion is not open;
 * −ETIMEDOUT it took longer than STINT_REPORT_TIMEOUT; −ENOENT, −ENAMETOOLONG, −EISDIR, −EACCES …
 * the path's. errno is kept. Context: any thread, signal-safe. */
int finish_snapshot(const char *path);

/* True where this process has a store of its own: false before the first event, in a forked child
 * that recorded nothing, and in a child of vfork. Context: any thread, signal-safe. */
bool finish_is_ours(void);

/* The parts, for crash.c. finish_claim: true = the calling thread makes the final report, and until
 * finish_release every other waits; false = it was made, or this thread is making it.
 * Context: any thread, signal-safe (so are all below). */
bool finish_claim(void);
/* is_made: it stands (or could not be made); else the process goes on and may end again. */
void finish_release(bool is_made);
/* Puts the ending into the head; kind last. */
void finish_set_ending(const struct store_ending *ending);

/* A forked child starts with nothing ended. Context: the only thread of a child. */
void finish_child(void);
