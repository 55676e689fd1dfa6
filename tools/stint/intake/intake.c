/* SPDX-License-Identifier: MIT
 *
 * File → text → the report's members, each to its reader. The parts that speak of functions by
 * number wait until the functions are known. Runs in `stint`. */
#include "intake/intake.h"

#include "base/compiler.h"
#include "base/say.h"
#include "intake/parts.h"
#include "report/write.h"
#include "verb/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void intake_init(struct intake *intake, const struct intake_takers *takers, void *context)
{
    *intake = (struct intake){.takers = takers, .context = context, .strings = ARENA_INIT};
    intake->buckets = memory_new(HIST_NS_BUCKETS, sizeof *intake->buckets);
}

void intake_fini(struct intake *intake)
{
    arena_fini(&intake->strings);
    free(intake->buckets);
    free(intake->text);
}

typedef bool part_reader(struct intake *intake, struct pull *pull);

enum { FUNCTIONS = 6 }; /* their place below */
static const struct {
    const char *key;
    part_reader *read;
    bool waits, is_needed;
} parts[] = {
    {"process", intake_read_process, false, true},
    {"processes", intake_read_members, false, false},
    {"clock", intake_read_clock, false, true},
    {"overhead", intake_read_overhead, false, true},
    {"lost", intake_read_lost, false, true},
    {"categories", intake_read_categories, false, true},
    {"functions", intake_read_functions, false, true},
    {"threads", intake_read_threads, true, true},
    {"call_tree", intake_read_tree, true, true},
    {"counters", intake_read_counters, false, false},
    {"values", intake_read_values, false, false},
    {"frames", intake_read_frames, true, false},
};

struct seen {
    size_t places[COUNT_OF(parts)]; /* of what waits; 0 = not seen */
    bool are_there[COUNT_OF(parts)];
    bool has_schema, has_stint;
};

static bool read_schema(struct pull *pull, struct seen *seen)
{
    int64_t schema;
    char text[100];
    if (!pull_integer(pull, &schema)) return false;
    seen->has_schema = true;
    if (schema == SCHEMA_NUMBER) return true;
    snprintf(text, sizeof text, "a report of schema %lld; this stint reads schema %d",
             (long long)schema, SCHEMA_NUMBER);
    return pull_fault(pull, text);
}

static bool read_part(struct intake *intake, struct pull *pull, struct span key, struct seen *seen)
{
    if (span_is(key, "schema")) return read_schema(pull, seen);
    if (span_is(key, "stint")) seen->has_stint = true;
    size_t i = 0;
    while (i < COUNT_OF(parts) && !span_is(key, parts[i].key)) i++;
    if (i == COUNT_OF(parts)) return pull_skip(pull);
    if (seen->are_there[i]) return pull_fault(pull, "a member stands here a second time");
    seen->are_there[i] = true;
    if (!parts[i].waits || seen->are_there[FUNCTIONS]) return parts[i].read(intake, pull);
    seen->places[i] = pull->at;
    return pull_skip(pull);
}

static bool all_are_there(struct pull *pull, const struct seen *seen)
{
    char text[100];
    pull->at = 0;
    if (!seen->has_schema || !seen->has_stint)
        return pull_fault(pull, "JSON, but not a report of stint");
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (seen->are_there[i] || !parts[i].is_needed) continue;
        snprintf(text, sizeof text, "not a report: no %s", parts[i].key);
        return pull_fault(pull, text);
    }
    return true;
}

static bool read_text(struct intake *intake, struct pull *pull)
{
    struct span key;
    struct seen seen = {.has_schema = false};
    if (pull_peek(pull) == 0) return pull_fault(pull, "empty");
    if (pull->bytes && pull_peek(pull) != '{') return pull_fault(pull, "not a report of stint");
    for (pull_enter(pull, '{'); pull_key(pull, &key);) (void)read_part(intake, pull, key, &seen);
    if (!pull_end(pull) || !all_are_there(pull, &seen)) return false;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (!seen.places[i]) continue;
        pull->at = seen.places[i];
        if (!parts[i].read(intake, pull)) return false;
    }
    return true;
}

/* All that the descriptor gives. Bytes, or −1 with errno. */
static ssize_t read_all(struct intake *intake, int fd)
{
    size_t used = 0;
    if (fstat(fd, &intake->status) != 0) return -1;
    if (S_ISDIR(intake->status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    size_t wanted = S_ISREG(intake->status.st_mode) ? (size_t)intake->status.st_size + 1 : 0;
    for (;;) {
        if (used == intake->room || wanted > intake->room) {
            intake->room = wanted > intake->room ? wanted + wanted / 4 : intake->room * 2 + 65536;
            char *larger = realloc(intake->text, intake->room);
            if (!larger) return -1;
            intake->text = larger;
        }
        ssize_t got = read(fd, intake->text + used, intake->room - used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? got : (ssize_t)used;
        used += (size_t)got;
    }
}

static void tell(const char *path, const char *text, const struct fault *fault)
{
    unsigned long line, column;
    char place[60];
    pull_place(text, fault->position, &line, &column);
    snprintf(place, sizeof place, ":%lu:%lu: ", line, column);
    say_line(path, fault->position ? place : ": ", fault->text, (char *)0);
}

bool intake_file(struct intake *intake, const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t bytes = fd < 0 ? -1 : read_all(intake, fd);
    if (is_input) path = "standard input";
    if (bytes < 0)
        say_line(path, fd < 0 ? ": can't be opened: " : ": can't be read: ", strerror(errno),
                 (char *)0);
    if (fd >= 0 && !is_input) (void)close(fd); /* was only read */
    if (bytes < 0) return false;
    arena_fini(&intake->strings);
    struct pull pull = {.text = intake->text, .bytes = (size_t)bytes, .strings = &intake->strings};
    intake->functions = intake->nodes = intake->threads = 0;
    if (read_text(intake, &pull)) return true;
    tell(path, pull.text, &pull.fault);
    return false;
}
