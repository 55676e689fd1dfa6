/* SPDX-License-Identifier: MIT
 *
 * Where the hooks go when the straight line does not serve: a thread without a recorder, a busy
 * recorder, and all that record/frames.h handles. errno survives. */
#pragma once

#include "base/compiler.h"

#include <stdint.h>

/* Context: any thread, also in a signal handler, before our constructor and after our end. */
void slow_enter(uint64_t address, uintptr_t sp) COLD;
void slow_exit(uint64_t address, uintptr_t sp, uint64_t now) COLD;
