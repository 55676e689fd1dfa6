/* SPDX-License-Identifier: MIT
 *
 * Formatting by hand, since snprintf takes the locale's lock and may allocate. Runs anywhere. */
#include "base/fmt.h"

struct fmt fmt_over(char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    return (struct fmt){.data = buffer, .capacity = capacity};
}

void fmt_char(struct fmt *out, char c)
{
    if (out->length + 1 >= out->capacity) {
        out->cut = 1;
        return;
    }
    out->data[out->length++] = c;
    out->data[out->length] = '\0';
}

void fmt_bytes(struct fmt *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) fmt_char(out, text[i]);
}

void fmt_text(struct fmt *out, const char *text)
{
    while (*text) fmt_char(out, *text++);
}

static void digits_of(struct fmt *out, uint64_t value, unsigned base, int least)
{
    char digits[64];
    int n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (n < least && n < (int)sizeof digits) digits[n++] = '0';
    while (n) fmt_char(out, digits[--n]);
}

void fmt_u64(struct fmt *out, uint64_t value) { digits_of(out, value, 10, 1); }

void fmt_i64(struct fmt *out, int64_t value)
{
    if (value < 0) fmt_char(out, '-');
    digits_of(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
}

void fmt_hex(struct fmt *out, uint64_t value, int digits) { digits_of(out, value, 16, digits); }
