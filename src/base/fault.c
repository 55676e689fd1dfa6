/* SPDX-License-Identifier: MIT
 *
 * Filling a struct fault: the first one stays. Runs anywhere. */
#include "base/fault.h"

#include <stddef.h>

int fault_set(struct fault *fault, int error, const char *text)
{
    if (!fault) return error;
    if (fault->error) return fault->error;
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof fault->text; i++) fault->text[i] = text[i];
    fault->text[i] = '\0';
    fault->error = error;
    return error;
}

int fault_set_at(struct fault *fault, int error, const char *text, uint64_t position)
{
    if (fault && !fault->error) {
        fault->position = position;
        fault->has_position = 1;
    }
    return fault_set(fault, error, text);
}
