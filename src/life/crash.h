/* SPDX-License-Identifier: MIT
 *
 * Fatal signals: reported, then delivered as they would have been. Handlers are installed by the
 * first recorded event, for each signal whose default ends the process and that the target leaves
 * at its default (sigview.h keeps that true later). */
#pragma once

/* Maps the handler's stacks and installs the handlers; a second call (a forked child) only repeats
 * what is missing. Context: start_recording, signal-safe. */
void crash_install(void);

/* Gives the calling thread an alternate signal stack if it has none, so that an overflow of its own
 * can be reported; crash_thread_stack_end takes it back. Context: owner thread, signal-safe. */
void crash_thread_stack(void);
void crash_thread_stack_end(void);
