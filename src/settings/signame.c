/* SPDX-License-Identifier: MIT
 *
 * A table of the signals that may be had; what is not in it is refused by name and by number. Runs
 * at the start of a target and in `stint`. */
#include "settings/signame.h"

#include "base/num.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

/* The kernel's 32 and 33 are libc's; its first free one moves with libc, so SIGRTMIN would be a
 * call. */
enum { FIRST_REAL_TIME = 34, LAST_REAL_TIME = 64 };

static const struct {
    const char *name;
    int number;
} free_signals[] = {
    {"HUP", SIGHUP},   {"USR1", SIGUSR1},     {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
    {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"IO", SIGIO},     {"POLL", SIGIO},
    {"PWR", SIGPWR},   {"WINCH", SIGWINCH},   {"URG", SIGURG},   {"STKFLT", SIGSTKFLT},
};
enum { FREE_SIGNALS = sizeof free_signals / sizeof free_signals[0] };

static bool is_free(uint64_t number)
{
    for (size_t i = 0; i < FREE_SIGNALS; i++)
        if ((uint64_t)free_signals[i].number == number) return true;
    return number >= FIRST_REAL_TIME && number <= LAST_REAL_TIME;
}

/* "RTMIN", "RTMIN+n", "RTMAX", "RTMAX-n" */
static bool parse_real_time(const char *text, uint64_t *number)
{
    bool is_from_top = strncmp(text, "RTMAX", 5) == 0;
    uint64_t steps = 0;
    if (!is_from_top && strncmp(text, "RTMIN", 5) != 0) return false;
    text += 5;
    if (*text && (*text != (is_from_top ? '-' : '+') || num_parse_u64(text + 1, &steps)))
        return false;
    if (steps > LAST_REAL_TIME - FIRST_REAL_TIME) return false;
    *number = is_from_top ? LAST_REAL_TIME - steps : FIRST_REAL_TIME + steps;
    return true;
}

bool signame_parse(const char *text, uint64_t *number)
{
    uint64_t parsed;
    if (strcmp(text, "none") == 0) {
        *number = 0;
        return true;
    }
    if (num_parse_u64(text, &parsed) == 0) {
        if (is_free(parsed)) *number = parsed;
        return is_free(parsed);
    }
    if (strncmp(text, "SIG", 3) == 0) text += 3;
    for (size_t i = 0; i < FREE_SIGNALS; i++)
        if (strcmp(text, free_signals[i].name) == 0) {
            *number = (uint64_t)free_signals[i].number;
            return true;
        }
    return parse_real_time(text, number);
}
