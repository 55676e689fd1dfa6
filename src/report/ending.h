/* SPDX-License-Identifier: MIT
 *
 * How a process ended, in the report's words. */
#pragma once

#include "report/process.h"

/* The member `ending` of the open object. Context: any thread, signal-safe (so are all of this
 * file). */
void ending_write(const struct process_facts *facts);

/* "SIGSEGV"; "SIGRTMIN+1"; a number's digits where there is no such signal. In text. */
const char *ending_signal_name(int signal, char text[32]);

/* "SEGV_MAPERR"; a number's digits where the code has no name. In text. */
const char *ending_code_name(int signal, int code, char text[32]);
