/* SPDX-License-Identifier: MIT
 *
 * Where an address lies, asked of /proc/self/maps with raw calls: for stacks of which nobody told.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct maps_range {
    uintptr_t low, high;
};

/* The mapping that holds the address. False where there is none or /proc is not there. Costs a read
 * of all mappings below it. Context: any thread, signal-safe; 1 KiB of stack. */
bool maps_find(uintptr_t address, struct maps_range *range);
