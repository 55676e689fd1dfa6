/* SPDX-License-Identifier: MIT
 *
 * Numbers as people write them, read strictly: what is not wholly a number is none. Runs anywhere.
 */
#include "base/num.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Leading digits; *end is left behind them. */
static int leading_u64(const char *text, uint64_t *value, const char **end)
{
    if (!is_digit(*text)) return -EINVAL;
    uint64_t sum = 0;
    bool is_too_big = false;
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(sum, 10u, &sum)) is_too_big = true;
        if (__builtin_add_overflow(sum, (uint64_t)(*text - '0'), &sum)) is_too_big = true;
    }
    *end = text;
    *value = sum;
    return is_too_big ? -ERANGE : 0;
}

struct suffix {
    const char *text;
    uint64_t factor;
};

static uint64_t factor_of(const struct suffix *suffixes, const char *text)
{
    for (; suffixes->text; suffixes++)
        if (strcmp(suffixes->text, text) == 0) return suffixes->factor;
    return 0;
}

int num_parse_u64(const char *text, uint64_t *value)
{
    const char *end = text;
    uint64_t number = 0;
    int error = leading_u64(text, &number, &end);
    if (*end) return -EINVAL;
    if (error) return error;
    *value = number;
    return 0;
}

int num_parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct suffix suffixes[] = {
        {"", 1},           {"K", 1u << 10}, {"KiB", 1u << 10}, {"M", 1u << 20},
        {"MiB", 1u << 20}, {"G", 1u << 30}, {"GiB", 1u << 30}, {NULL, 0},
    };
    const char *end = text;
    uint64_t number = 0;
    int error = leading_u64(text, &number, &end);
    if (error == -EINVAL) return error;
    uint64_t factor = factor_of(suffixes, end);
    if (!factor) return -EINVAL;
    if (error || __builtin_mul_overflow(number, factor, &number)) return -ERANGE;
    *bytes = number;
    return 0;
}

/* The digits behind a decimal point, as a part of `factor`; beyond 9 they are below a nanosecond.
 */
static uint64_t fraction_of(const char **text, uint64_t factor)
{
    uint64_t billionths = 0, place = 100000000;
    for (; is_digit(**text); (*text)++, place /= 10) billionths += place * (uint64_t)(**text - '0');
    /* Every factor is a multiple or a divisor of a second. */
    if (factor >= 1000000000) return billionths * (factor / 1000000000);
    return billionths / (1000000000 / factor);
}

int num_parse_duration_ns(const char *text, uint64_t *ns)
{
    static const struct suffix suffixes[] = {
        {"", 1000000000u},   {"ms", 1000000u},      {"s", 1000000000u},
        {"m", 60000000000u}, {"h", 3600000000000u}, {NULL, 0},
    };
    const char *end = text;
    uint64_t number = 0;
    int error = leading_u64(text, &number, &end);
    if (error == -EINVAL) return error;
    const char *fraction = *end == '.' ? end + 1 : "";
    if (*end == '.') {
        if (!is_digit(*fraction)) return -EINVAL;
        for (end = fraction; is_digit(*end);) end++;
    }
    uint64_t factor = factor_of(suffixes, end);
    if (!factor) return -EINVAL;
    uint64_t part = fraction_of(&fraction, factor);
    if (error || __builtin_mul_overflow(number, factor, &number) ||
        __builtin_add_overflow(number, part, &number))
        return -ERANGE;
    *ns = number;
    return 0;
}
