/* SPDX-License-Identifier: MIT
 *
 * Well-formed sequences by the table of RFC 3629 §4: the lead byte says the length and narrows the
 * second byte, the others are 80 to BF. Runs anywhere. */
#include "base/utf8.h"

#include <string.h>

/* The length of the well-formed sequence at text, 0 if there is none or it is cut off. */
static size_t sequence_bytes(const unsigned char *text, size_t bytes)
{
    unsigned char lead = text[0], low = 0x80, high = 0xbf;
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0; /* continuation, overlong, or past U+10FFFF */
    if (lead == 0xe0) low = 0xa0;             /* below: overlong */
    if (lead == 0xed) high = 0x9f;            /* above: surrogates */
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
    size_t length = lead < 0xe0 ? 2 : (lead < 0xf0 ? 3 : 4);
    if (length > bytes || text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if (text[i] < 0x80 || text[i] > 0xbf) return 0;
    }
    return length;
}

bool utf8_is_valid(const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t length = sequence_bytes((const unsigned char *)text + at, bytes - at);
        if (length == 0 || text[at] == '\0') return false;
        at += length;
    }
    return true;
}

size_t utf8_make_valid(const char *text, size_t bytes, char *out, size_t capacity)
{
    static const char replacement[3] = {'\xef', '\xbf', '\xbd'};
    size_t written = 0;
    if (capacity == 0) return 0;
    for (size_t at = 0; at < bytes;) {
        size_t length = sequence_bytes((const unsigned char *)text + at, bytes - at);
        int bad = length == 0 || text[at] == '\0';
        const char *from = bad ? replacement : text + at;
        size_t add = bad ? sizeof replacement : length;
        if (add >= capacity - written) break;
        memcpy(out + written, from, add);
        written += add;
        at += length ? length : 1;
    }
    out[written] = '\0';
    return written;
}
