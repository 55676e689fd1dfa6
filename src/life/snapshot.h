/* SPDX-License-Identifier: MIT
 *
 * Reports while the program goes on: a thread of our own that writes one whenever a signal came or
 * a time is over. It is there only where a setting asks for it. */
#pragma once

/* Makes the thread and takes the signal, where a setting asks for it, the companion is open, and
 * this process has none yet. errno is kept. Context: constructor, pthread_create and dlopen
 * wrappers, child of fork(); never a hook or a signal handler. */
void snapshot_prepare(void);

/* The main thread ends by itself: the process lives on until its last thread ends, and ours must
 * not be that one. Waits for its end. Context: the main thread's last destructor; nothing in
 * others. */
void snapshot_thread_ends(void);
