/* SPDX-License-Identifier: MIT
 *
 * Text → one token after the other, by RFC 8259. Numbers of at most 19 digits and a small exponent
 * become doubles without strtod, and exactly: both factors are exact then (Clinger, "How to read
 * floating point numbers accurately", PLDI 1990). Runs in `stint`. */
#include "intake/pull.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pull_fault(struct pull *pull, const char *text)
{
    (void)fault_set_at(&pull->fault, -EBADMSG, text, pull->at);
    return false;
}

bool span_is(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.data, text, span.length) == 0;
}

bool span_equal(struct span a, struct span b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool span_is_text(const char *text, struct span span)
{
    return text ? span.data && span_is(span, text) : !span.data;
}

struct span span_file_name(struct span path)
{
    for (size_t i = path.length; i > 0; i--)
        if (path.data[i - 1] == '/') return (struct span){path.data + i, path.length - i};
    return path;
}

void pull_place(const char *text, size_t position, unsigned long *line, unsigned long *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < position; i++) {
        *column = text[i] == '\n' ? 1 : *column + (((unsigned char)text[i] & 0xc0) != 0x80);
        *line += text[i] == '\n';
    }
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The next character that is no blank, without taking it; 0 at the end. */
static char next(struct pull *pull)
{
    while (pull->at < pull->bytes) {
        char c = pull->text[pull->at];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
        pull->at++;
    }
    return 0;
}

char pull_peek(struct pull *pull)
{
    char c = pull->fault.error ? 0 : next(pull);
    return is_digit(c) || c == '-' ? '0' : c;
}

static bool expect(struct pull *pull, char wanted, const char *fault)
{
    if (pull->fault.error) return false;
    if (next(pull) != wanted) return pull_fault(pull, fault);
    pull->at++;
    return true;
}

bool pull_enter(struct pull *pull, char bracket)
{
    const char *fault = bracket == '{' ? "an object is expected here" : "an array is expected here";
    pull->is_first = true;
    return expect(pull, bracket, fault);
}

/* Goes over the comma. False at the end of the container. */
static bool more(struct pull *pull, char end)
{
    if (pull->fault.error) return false;
    bool is_first = pull->is_first;
    pull->is_first = false;
    if (next(pull) == end) {
        pull->at++;
        return false;
    }
    if (is_first) return true;
    return expect(pull, ',',
                  end == '}' ? "a comma or } is expected here" : "a comma or ] is expected here");
}

bool pull_item(struct pull *pull) { return more(pull, ']'); }

bool pull_key(struct pull *pull, struct span *key)
{
    return more(pull, '}') && pull_text(pull, key) && expect(pull, ':', "a colon is expected here");
}

/* Texts. */

static bool hex4(const struct pull *pull, size_t at, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = at + i < pull->bytes ? pull->text[at + i] : 0;
        char lower = (char)(c | 0x20);
        if (is_digit(c))
            *value = *value << 4 | (uint32_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            *value = *value << 4 | (uint32_t)(lower - 'a' + 10);
        else
            return false;
    }
    return true;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* The reader stands behind \u. */
static bool unicode_escape(struct pull *pull, char **to)
{
    uint32_t c, low;
    if (!hex4(pull, pull->at, &c)) return pull_fault(pull, "four hexadecimal digits are missing");
    pull->at += 4;
    if (c >= 0xd800 && c < 0xdc00 && pull->at + 6 <= pull->bytes && pull->text[pull->at] == '\\' &&
        pull->text[pull->at + 1] == 'u' && hex4(pull, pull->at + 2, &low) && low >= 0xdc00 &&
        low < 0xe000) {
        pull->at += 6;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000)) return pull_fault(pull, "no character of a text");
    *to = put_utf8(*to, c);
    return true;
}

static bool escape(struct pull *pull, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = pull->at < pull->bytes ? pull->text[pull->at] : 0;
    const char *found = c ? strchr(letters, c) : NULL;
    if (c != 'u' && !found) return pull_fault(pull, "no such escape in a text");
    pull->at++;
    if (!found) return unicode_escape(pull, to);
    *(*to)++ = meanings[found - letters];
    return true;
}

/* The reader stands behind the opening quote; the text has escapes. No text grows by decoding. */
static bool decode(struct pull *pull, size_t end, struct span *value)
{
    char *data = arena_alloc(pull->strings, end - pull->at + 1), *to = data;
    if (!data) return pull_fault(pull, "no memory for this text");
    while (pull->at < end) {
        char c = pull->text[pull->at++];
        if (c != '\\')
            *to++ = c;
        else if (!escape(pull, &to))
            return false;
    }
    *value = (struct span){data, (size_t)(to - data)};
    return true;
}

static bool text_end(const struct pull *pull, size_t *end, bool *has_escapes, bool *is_ascii)
{
    size_t at = pull->at;
    *has_escapes = false;
    unsigned char all = 0;
    for (; at < pull->bytes && pull->text[at] != '"'; at++) {
        unsigned char c = (unsigned char)pull->text[at];
        if (c < ' ') return false;
        all |= c;
        if (c != '\\') continue;
        *has_escapes = true;
        at++;
    }
    *end = at;
    *is_ascii = all < 0x80;
    return at < pull->bytes;
}

bool pull_text(struct pull *pull, struct span *value)
{
    size_t end;
    bool has_escapes, is_ascii;
    if (!expect(pull, '"', "a text is expected here")) return false;
    if (!text_end(pull, &end, &has_escapes, &is_ascii))
        return pull_fault(pull, "a text without an end, or with a control character");
    if (!is_ascii && !utf8_is_valid(pull->text + pull->at, end - pull->at))
        return pull_fault(pull, "a text that is not UTF-8");
    if (!has_escapes)
        *value = (struct span){pull->text + pull->at, end - pull->at};
    else if (!decode(pull, end, value))
        return false;
    pull->at = end + 1;
    return true;
}

/* Numbers. */

struct number {
    bool is_negative, is_whole, is_cut; /* cut: more digits than fit */
    uint64_t digits;
    int exponent; /* digits × 10^exponent */
    size_t start;
};

static bool read_digits(struct pull *pull, struct number *number, int step)
{
    const char *start = pull->text + pull->at, *end = pull->text + pull->bytes, *c = start;
    uint64_t digits = number->digits;
    for (; c < end && is_digit(*c); c++) {
        if (digits > (UINT64_MAX - 9) / 10)
            number->is_cut = true;
        else
            digits = digits * 10 + (uint64_t)(*c - '0');
    }
    number->digits = digits;
    number->exponent += step * (int)(c - start);
    pull->at += (size_t)(c - start);
    return c > start || pull_fault(pull, "a digit is expected here");
}

static bool read_exponent(struct pull *pull, struct number *number)
{
    int sign = 1, exponent = 0;
    char c = pull->at < pull->bytes ? pull->text[pull->at] : 0;
    if (c == '+' || c == '-') pull->at++;
    if (c == '-') sign = -1;
    if (pull->at == pull->bytes || !is_digit(pull->text[pull->at]))
        return pull_fault(pull, "a digit is expected here");
    for (; pull->at < pull->bytes && is_digit(pull->text[pull->at]); pull->at++)
        if (exponent < 100000) exponent = exponent * 10 + (pull->text[pull->at] - '0');
    number->exponent += sign * exponent;
    return true;
}

static bool is_next(struct pull *pull, char c)
{
    if (pull->at == pull->bytes || pull->text[pull->at] != c) return false;
    pull->at++;
    return true;
}

static bool read_number(struct pull *pull, struct number *number)
{
    char c = pull->fault.error ? 0 : next(pull);
    if (c != '-' && !is_digit(c)) return pull_fault(pull, "a number is expected here");
    *number = (struct number){.is_whole = true, .start = pull->at};
    number->is_negative = is_next(pull, '-');
    bool has_zero = pull->at < pull->bytes && pull->text[pull->at] == '0';
    size_t first = pull->at;
    if (!read_digits(pull, number, 0)) return false;
    if (has_zero && pull->at > first + 1) return pull_fault(pull, "a number may not begin with 0");
    if (is_next(pull, '.')) {
        number->is_whole = false;
        if (!read_digits(pull, number, -1)) return false;
    }
    if (!is_next(pull, 'e') && !is_next(pull, 'E')) return true;
    number->is_whole = false;
    return read_exponent(pull, number);
}

static double slow_value(const struct pull *pull, const struct number *number)
{
    char copy[400];
    size_t length = pull->at - number->start;
    if (length >= sizeof copy) return (double)NAN; /* cut, it would be another number */
    memcpy(copy, pull->text + number->start, length);
    copy[length] = '\0';
    return strtod(copy, NULL);
}

bool pull_number(struct pull *pull, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct number number;
    if (!read_number(pull, &number)) return false;
    bool is_exact = !number.is_cut && number.digits <= UINT64_C(1) << 53 &&
                    number.exponent >= -22 && number.exponent <= 22;
    if (!is_exact) {
        *value = slow_value(pull, &number);
        if (*value - *value == 0) return true;
        return pull_fault(pull, "a number that is too large, or of too many digits");
    }
    double size = (double)number.digits;
    size = number.exponent < 0 ? size / powers[-number.exponent] : size * powers[number.exponent];
    *value = number.is_negative ? -size : size;
    return true;
}

bool pull_time(struct pull *pull, double *value)
{
    if (!pull_number(pull, value)) return false;
    return *value >= 0 || pull_fault(pull, "a negative time stands before this");
}

bool pull_integer(struct pull *pull, int64_t *value)
{
    struct number number;
    if (!read_number(pull, &number)) return false;
    uint64_t most = (uint64_t)INT64_MAX + number.is_negative;
    if (!number.is_whole || number.is_cut || number.digits > most)
        return pull_fault(pull, "a whole number is expected here");
    *value = (int64_t)(number.is_negative ? 0 - number.digits : number.digits);
    return true;
}

bool pull_count(struct pull *pull, uint64_t *value)
{
    int64_t number;
    if (!pull_integer(pull, &number)) return false;
    if (number < 0) return pull_fault(pull, "a whole number, 0 or more, is expected before this");
    *value = (uint64_t)number;
    return true;
}

static bool word(struct pull *pull, const char *wanted)
{
    size_t length = strlen(wanted);
    if (pull->bytes - pull->at < length || memcmp(pull->text + pull->at, wanted, length) != 0)
        return pull_fault(pull, "a value is expected here");
    pull->at += length;
    return true;
}

bool pull_true_or_false(struct pull *pull, bool *value)
{
    char c = pull_peek(pull);
    if (c != 't' && c != 'f') return pull_fault(pull, "true or false is expected here");
    *value = c == 't';
    return word(pull, c == 't' ? "true" : "false");
}

static bool skip(struct pull *pull, int depth)
{
    struct span text;
    struct number number;
    char c = pull_peek(pull);
    if (depth > PULL_DEPTH) return pull_fault(pull, "nested too deeply");
    switch (c) {
    case '{':
        for (pull_enter(pull, '{'); pull_key(pull, &text);) (void)skip(pull, depth + 1);
        return !pull->fault.error;
    case '[':
        for (pull_enter(pull, '['); pull_item(pull);) (void)skip(pull, depth + 1);
        return !pull->fault.error;
    case '"':
        return pull_text(pull, &text);
    case '0':
        return read_number(pull, &number);
    case 't':
    case 'f':
    case 'n':
        return word(pull, c == 't' ? "true" : c == 'f' ? "false" : "null");
    default:
        return pull_fault(pull, "a value is expected here");
    }
}

bool pull_skip(struct pull *pull) { return skip(pull, 0); }

bool pull_end(struct pull *pull)
{
    if (pull->fault.error) return false;
    return next(pull) == 0 && pull->at == pull->bytes ? true
                                                      : pull_fault(pull, "more than one document");
}
