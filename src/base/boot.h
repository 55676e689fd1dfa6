/* SPDX-License-Identifier: MIT
 *
 * Which boot of the machine this is: stores of one boot share their clock. */
#pragma once

#include <stdint.h>

/* A hash of the boot's id; 0 where /proc does not tell. Context: any thread, signal-safe. */
uint64_t boot_id(void);
