/* SPDX-License-Identifier: MIT
 *
 * Local unwinding alone. The signal frame's flag makes libunwind look up the interrupted address
 * itself, not the one before it, as for a call. The address is noted before anything is looked up,
 * so a jump to nowhere still shows where. Runs in a signal handler. */
#define UNW_LOCAL_ONLY
#include "companion/walk.h"

#include <libunwind.h>

size_t walk_stack(void *context, uint64_t *addresses, size_t capacity)
{
    unw_cursor_t cursor;
    unw_word_t address = 0;
    size_t count = 0;
    if (unw_init_local2(&cursor, (unw_context_t *)context, UNW_INIT_SIGNAL_FRAME)) return 0;
    while (count < capacity && !unw_get_reg(&cursor, UNW_REG_IP, &address)) {
        if (!address && count) break;
        addresses[count++] = address;
        if (unw_step(&cursor) <= 0) break;
    }
    return count;
}
