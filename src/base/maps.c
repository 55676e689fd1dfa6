/* SPDX-License-Identifier: MIT
 *
 * A line of maps begins "low-high "; the rest is skipped. Read in small pieces, character by
 * character, with the state of one line between them. Runs anywhere. */
#include "base/maps.h"

#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>

struct line {
    uintptr_t numbers[2];
    unsigned field; /* 0 = low, 1 = high, 2 = the rest of the line */
};

static void take(struct line *line, char c)
{
    if (line->field > 1) return;
    if (c >= '0' && c <= '9')
        line->numbers[line->field] = line->numbers[line->field] << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
        line->numbers[line->field] = line->numbers[line->field] << 4 | (uintptr_t)(c - 'a' + 10);
    else
        line->field++;
}

/* Goes through data; true when the line with the address is complete in *range. */
static bool search(const char *data, long bytes, uintptr_t address, struct line *line,
                   struct maps_range *range)
{
    for (long i = 0; i < bytes; i++) {
        if (data[i] != '\n') {
            take(line, data[i]);
            continue;
        }
        range->low = line->numbers[0];
        range->high = line->numbers[1];
        if (address >= range->low && address < range->high) return true;
        *line = (struct line){.field = 0};
    }
    return false;
}

bool maps_find(uintptr_t address, struct maps_range *range)
{
    long fd = sys_call4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    char data[768];
    struct line line = {.field = 0};
    struct maps_range found = {.low = 0};
    bool is_found = false;
    for (;;) {
        long n = sys_call3(SYS_read, fd, data, sizeof data);
        if (n == -EINTR) continue;
        if (n <= 0) break;
        is_found = search(data, n, address, &line, &found);
        if (is_found) break;
    }
    (void)sys_call1(SYS_close, fd);
    if (is_found) *range = found;
    return is_found;
}
