/* SPDX-License-Identifier: MIT
 *
 * A JSON document written piece by piece: containers are opened and closed by hand, what stands in
 * them is one jansson value after another, each dumped and dropped. */
#pragma once

#include "base/arena.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_BUFFER_BYTES = 64 * 1024, STREAM_DEPTH = 8 };

struct stream {
    int fd;
    int error;            /* the first: −errno; nothing is written after it */
    struct arena *values; /* jansson's; released after each value */
    struct arena_mark empty;
    char *buffer; /* STREAM_BUFFER_BYTES */
    size_t used;
    int depth;
    uint8_t has_items[STREAM_DEPTH], is_line[STREAM_DEPTH];
};

/* Starts a document into fd. buffer: STREAM_BUFFER_BYTES that outlive the stream; values: jansson's
 * arena, of which everything allocated from now on is the stream's.
 * Context: any thread, signal-safe (so are all of this file). */
void stream_init(struct stream *stream, int fd, char *buffer, struct arena *values);

/* Opens or closes a container: '{' '[' '}' ']'. key: NULL inside an array. Keys are plain ASCII
 * that needs no escapes. What is opened by stream_open_line has all its items on one line. */
void stream_open(struct stream *stream, const char *key, char bracket);
void stream_open_line(struct stream *stream, const char *key, char bracket);
/* As stream_open_line, under a key that may need escapes. */
void stream_open_entry(struct stream *stream, const char *key, char bracket);
void stream_close(struct stream *stream, char bracket);

/* Writes a value and drops it with all that jansson allocated since the last one. NULL (no memory)
 * is noted as −ENOMEM. */
void stream_value(struct stream *stream, const char *key, json_t *value);
void stream_integer(struct stream *stream, const char *key, uint64_t value);

/* [a,b,c] as the next item. */
void stream_triple(struct stream *stream, uint64_t a, uint64_t b, uint64_t c);

/* The members of an object, without its braces, into the container that is open. */
void stream_members(struct stream *stream, json_t *object);

/* For values that are put together first: a member, and an address as "0x…". What has no memory is
 * left out, or NULL. */
void stream_set(json_t *object, const char *key, json_t *value);
json_t *stream_hex(uint64_t value);

/* Writes what is still in the buffer. 0 or the first error. */
int stream_finish(struct stream *stream);
