/* SPDX-License-Identifier: MIT
 *
 * File → text → jansson → check.c. Runs outside of targets. */
#include "readback/read.h"

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sys.h"
#include "readback/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static const size_t most_bytes = (size_t)2 << 30;

static int content_fault(struct read_fault *fault, const char *text)
{
    return fault_set(&fault->fault, -EBADMSG, text);
}

/* jansson's words may quote the input: what a terminal would act on is replaced. */
static int json_fault(struct read_fault *fault, const json_error_t *error)
{
    char space[200];
    struct fmt out = fmt_over(space, sizeof space);
    fmt_text(&out, "not a report: ");
    for (const char *c = error->text; *c; c++)
        fmt_char(&out, (unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    fault->line = error->line > 0 ? error->line : 0;
    fault->column = error->column > 0 ? error->column : 0;
    return content_fault(fault, space);
}

int read_text(const char *text, size_t bytes, json_t **report, struct read_fault *fault)
{
    if (bytes == 0) return content_fault(fault, "empty");
    json_error_t problem = {0};
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &problem);
    if (!document) return json_fault(fault, &problem);
    int error = check_report(document, &fault->fault);
    if (error) {
        json_decref(document);
        return error;
    }
    *report = document;
    return 0;
}

/* A file's own size, and one to see that it is all; else a megabyte to begin with. */
static size_t first_capacity(int fd)
{
    struct stat status;
    size_t usual = (size_t)1 << 20;
    if (sys_call2(SYS_fstat, fd, &status) != 0 || !S_ISREG(status.st_mode)) return usual;
    return status.st_size >= 0 && (size_t)status.st_size < most_bytes ? (size_t)status.st_size + 1
                                                                      : usual;
}

/* All that the descriptor gives, in memory that doubles. Bytes, or −errno. */
static long read_all(int fd, struct arena *arena, char **text)
{
    size_t capacity = first_capacity(fd), used = 0;
    char *data = arena_alloc(arena, capacity);
    while (data) {
        long got = sys_call3(SYS_read, fd, data + used, capacity - used);
        if (got == -EINTR) continue;
        if (got < 0) return got;
        *text = data;
        used += (size_t)got;
        if (got == 0) return (long)used;
        if (used < capacity) continue;
        if (capacity >= most_bytes) return -EFBIG;
        char *larger = arena_alloc(arena, capacity * 2);
        if (larger) memcpy(larger, data, used);
        capacity *= 2;
        data = larger;
    }
    return -ENOMEM;
}

int read_bytes(const char *path, struct arena *arena, char **text, size_t *bytes,
               struct read_fault *fault)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0) return fault_set(&fault->fault, fd, "can't be opened");
    long got = read_all(fd, arena, text);
    (void)sys_call1(SYS_close, fd); /* was only read */
    if (got < 0) return fault_set(&fault->fault, (int)got, "can't be read");
    *bytes = (size_t)got;
    return 0;
}

int read_report(const char *path, json_t **report, struct read_fault *fault)
{
    struct arena arena = ARENA_INIT;
    char *text = NULL;
    size_t bytes = 0;
    int error = read_bytes(path, &arena, &text, &bytes, fault);
    if (!error) error = read_text(text, bytes, report, fault);
    arena_fini(&arena);
    return error;
}
