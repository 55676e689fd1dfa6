/* SPDX-License-Identifier: MIT
 *
 * A report of this process, from its own hands. All here is for who holds the claim (finish.h),
 * with the companion open (else −ENOSYS) and signals blocked, between guard_begin and guard_end
 * where no other is said. Context: any thread, signal-safe. */
#pragma once

#include <stddef.h>

/* Under the process's final name. On success the store is removed, on failure a line says why and
 * what to do. 0 or −errno. */
int reporting_final(void);

/* Once more under that name, silently. 0 or −errno. */
int reporting_again(void);

/* As a report of a process that goes on: under `path`, `bytes` of it, as the caller means it at
 * this moment; NULL: under the process's own name, with the snapshot's number. 0 or −errno. */
int reporting_snapshot(const char *path, size_t bytes);

/* `<name>.<pid>.exec<N>.json` of the life that ends; the store is removed, or a line said.
 * reporting_take_back removes the report again. Both see to the guard themselves. */
void reporting_before_exec(void);
void reporting_take_back(void);

/* A forked child has made none. Context: the only thread of a child. */
void reporting_child(void);
