/* SPDX-License-Identifier: MIT
 *
 * Numbers and text into a caller's buffer, without locale, heap or stdio. The buffer is always
 * NUL-terminated; what does not fit is cut and `cut` is set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fmt {
    char *data;
    size_t capacity, length; /* length without the NUL; capacity at least 1 */
    int cut;
};

/* An empty text over buffer. Context: any thread, signal-safe (so are all of this file). */
struct fmt fmt_over(char *buffer, size_t capacity);
void fmt_text(struct fmt *out, const char *text);
void fmt_bytes(struct fmt *out, const char *text, size_t bytes);
void fmt_char(struct fmt *out, char c);
void fmt_u64(struct fmt *out, uint64_t value);
void fmt_i64(struct fmt *out, int64_t value);
/* Lower-case hexadecimal without prefix, at least `digits` wide (zero-filled). */
void fmt_hex(struct fmt *out, uint64_t value, int digits);
