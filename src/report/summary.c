/* SPDX-License-Identifier: MIT
 *
 * Numbers are formatted here, without locale. Runs outside of targets. */
#include "report/summary.h"

#include "base/compiler.h"
#include "base/fmt.h"

#include <stddef.h>
#include <stdint.h>

/* Three digits: 1.23, 12.3, 123. value is below 1000 or whole. */
static void three_digits(struct fmt *out, double value)
{
    uint64_t scale = value < 9.995 ? 100 : value < 99.95 ? 10 : 1;
    uint64_t rounded = (uint64_t)(value * (double)scale + 0.5);
    fmt_u64(out, rounded / scale);
    if (scale == 1) return;
    fmt_char(out, '.');
    if (scale == 100) fmt_char(out, (char)('0' + rounded % 100 / 10));
    fmt_char(out, (char)('0' + rounded % 10));
}

void summary_time(double ms, char text[16])
{
    static const char *const units[] = {" ns", " µs", " ms", " s"};
    struct fmt out = fmt_over(text, 16);
    double value = ms > 0 ? ms * 1e6 : 0;
    size_t unit = 0;
    for (; unit < COUNT_OF(units) - 1 && value >= 999.5; unit++) value /= 1000;
    if (value > 9e8) value = 9e8; /* of seconds: 28 years */
    if (unit == 0)
        fmt_u64(&out, (uint64_t)(value + 0.5));
    else
        three_digits(&out, value);
    fmt_text(&out, units[unit]);
}
