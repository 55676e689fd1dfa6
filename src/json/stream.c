/* SPDX-License-Identifier: MIT
 *
 * Commas and line ends between values; jansson writes the values themselves. One line for each
 * value keeps a report readable by line tools. Runs anywhere. */
#include "json/stream.h"

#include "base/file.h"
#include "base/fmt.h"

#include <errno.h>
#include <string.h>

enum { DUMP_FLAGS = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15) };
enum { DIGITS = 20 /* of 2^64 */ };

void stream_init(struct stream *stream, int fd, char *buffer, struct arena *values)
{
    *stream = (struct stream){.fd = fd, .values = values, .buffer = buffer};
    (void)arena_alloc(values, 1); /* so that the first block stays when the values are released */
    stream->empty = arena_mark(values);
}

static void flush(struct stream *stream)
{
    if (!stream->error) stream->error = file_write_all(stream->fd, stream->buffer, stream->used);
    stream->used = 0;
}

static void put(struct stream *stream, const char *text, size_t bytes)
{
    while (bytes > STREAM_BUFFER_BYTES - stream->used) {
        size_t fits = STREAM_BUFFER_BYTES - stream->used;
        memcpy(stream->buffer + stream->used, text, fits);
        stream->used += fits;
        text += fits;
        bytes -= fits;
        flush(stream);
    }
    memcpy(stream->buffer + stream->used, text, bytes);
    stream->used += bytes;
}

static void put_text(struct stream *stream, const char *text) { put(stream, text, strlen(text)); }

static int put_dumped(const char *text, size_t bytes, void *stream)
{
    put(stream, text, bytes);
    return 0;
}

static void dump(struct stream *stream, json_t *value, size_t flags)
{
    if (!value || json_dump_callback(value, put_dumped, stream, DUMP_FLAGS | flags)) {
        if (!stream->error) stream->error = -ENOMEM;
    }
}

static void drop_values(struct stream *stream) { arena_release(stream->values, stream->empty); }

/* The comma after what came before, and the place for what comes now. */
static void separate(struct stream *stream)
{
    if (!stream->depth) return;
    int at = stream->depth - 1;
    if (stream->has_items[at]) put(stream, ",", 1);
    if (!stream->is_line[at]) put(stream, "\n", 1);
    stream->has_items[at] = 1;
}

static void begin_item(struct stream *stream, const char *key)
{
    separate(stream);
    if (!key) return;
    put(stream, "\"", 1);
    put_text(stream, key);
    put(stream, "\":", 2);
}

static void open_container(struct stream *stream, char bracket, uint8_t is_line)
{
    put(stream, &bracket, 1);
    stream->is_line[stream->depth] = is_line;
    stream->has_items[stream->depth++] = 0;
}

void stream_open(struct stream *stream, const char *key, char bracket)
{
    begin_item(stream, key);
    open_container(stream, bracket, 0);
}

void stream_open_line(struct stream *stream, const char *key, char bracket)
{
    begin_item(stream, key);
    open_container(stream, bracket, 1);
}

void stream_open_entry(struct stream *stream, const char *key, char bracket)
{
    separate(stream);
    dump(stream, json_string_nocheck(key), 0);
    drop_values(stream);
    put(stream, ":", 1);
    open_container(stream, bracket, 1);
}

void stream_close(struct stream *stream, char bracket)
{
    stream->depth--;
    if (stream->has_items[stream->depth] && !stream->is_line[stream->depth]) put(stream, "\n", 1);
    put(stream, &bracket, 1);
    if (!stream->depth) put(stream, "\n", 1);
}

void stream_value(struct stream *stream, const char *key, json_t *value)
{
    begin_item(stream, key);
    dump(stream, value, 0);
    drop_values(stream);
}

/* The digits of value before `end`; returns where they begin. Histograms are most of a large
 * report, so this is by a constant and without checks. */
static char *digits_before(char *end, uint64_t value)
{
    do *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

void stream_integer(struct stream *stream, const char *key, uint64_t value)
{
    char text[DIGITS], *digits = digits_before(text + DIGITS, value);
    begin_item(stream, key);
    put(stream, digits, (size_t)(text + DIGITS - digits));
}

void stream_triple(struct stream *stream, uint64_t a, uint64_t b, uint64_t c)
{
    char text[3 * DIGITS + 4], *end = text + sizeof text, *at = end;
    *--at = ']';
    at = digits_before(at, c);
    *--at = ',';
    at = digits_before(at, b);
    *--at = ',';
    at = digits_before(at, a);
    *--at = '[';
    separate(stream);
    put(stream, at, (size_t)(end - at));
}

void stream_members(struct stream *stream, json_t *object)
{
    if (!object || json_object_size(object)) {
        separate(stream);
        dump(stream, object, JSON_EMBED);
    }
    drop_values(stream);
}

void stream_set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new_nocheck(object, key, value);
}

json_t *stream_hex(uint64_t value)
{
    char text[24];
    struct fmt out = fmt_over(text, sizeof text);
    fmt_text(&out, "0x");
    fmt_hex(&out, value, 1);
    return json_string_nocheck(text);
}

int stream_finish(struct stream *stream)
{
    flush(stream);
    return stream->error;
}
