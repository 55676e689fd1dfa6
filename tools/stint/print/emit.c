/* SPDX-License-Identifier: MIT
 *
 * printf with commas. Runs in `stint`. */
#include "print/emit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_text(struct emit *emit, const char *text)
{
    putc('"', emit->file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(emit->file, "\\%c", c);
        else if (c < ' ' || c == 127)
            fprintf(emit->file, "\\u%04x", c);
        else
            putc(c, emit->file);
    }
    putc('"', emit->file);
}

static void begin(struct emit *emit, const char *key)
{
    if (emit->has_items) putc(',', emit->file);
    if (emit->is_lined) putc('\n', emit->file);
    emit->is_lined = false;
    emit->has_items = true;
    if (!key) return;
    put_text(emit, key);
    putc(':', emit->file);
}

void emit_line(struct emit *emit) { emit->is_lined = true; }

void emit_open(struct emit *emit, const char *key, char bracket)
{
    begin(emit, key);
    putc(bracket, emit->file);
    emit->has_items = false;
    emit->depth++;
}

void emit_close(struct emit *emit, char bracket)
{
    putc(bracket, emit->file);
    emit->has_items = true;
    emit->is_lined = false;
    if (--emit->depth == 0) putc('\n', emit->file);
}

void emit_text(struct emit *emit, const char *key, const char *text)
{
    begin(emit, key);
    if (text)
        put_text(emit, text);
    else
        fputs("null", emit->file);
}

void emit_count(struct emit *emit, const char *key, uint64_t value)
{
    begin(emit, key);
    fprintf(emit->file, "%" PRIu64, value);
}

void emit_integer(struct emit *emit, const char *key, int64_t value)
{
    begin(emit, key);
    fprintf(emit->file, "%" PRId64, value);
}

void emit_number(struct emit *emit, const char *key, double value)
{
    const double largest = 1.79769313486231e308; /* that 15 digits can tell */
    if (!isfinite(value)) return;
    begin(emit, key);
    fprintf(emit->file, "%.15g", fmax(-largest, fmin(value, largest)));
}

void emit_bool(struct emit *emit, const char *key, bool value)
{
    begin(emit, key);
    fputs(value ? "true" : "false", emit->file);
}

void emit_null(struct emit *emit, const char *key)
{
    begin(emit, key);
    fputs("null", emit->file);
}
