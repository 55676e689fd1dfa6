/* SPDX-License-Identifier: MIT
 *
 * What an error of the file system means and what to do about it, in words of our own: libc's come
 * by way of locales and the heap. */
#pragma once

#include "base/fmt.h"

/* Adds "no space left on the device; free some" for −ENOSPC, and so on; the number where there are
 * no words. Context: any thread, signal-safe. */
void reason_add(struct fmt *out, int error);
