/* SPDX-License-Identifier: MIT
 *
 * Small questions to /proc and the kernel. Raw calls, no state; stack use stays below 1 KiB, since
 * a thread's first event may come on a small stack. Runs anywhere. */
#include "self/identity.h"

#include "base/fmt.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

long identity_read_file(const char *path, void *data, size_t capacity)
{
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0) return fd;
    size_t length = 0;
    long n = 0;
    while (length < capacity) {
        n = sys_call3(SYS_read, fd, (char *)data + length, capacity - length);
        if (n == -EINTR) continue;
        if (n <= 0) break;
        length += (size_t)n;
    }
    (void)sys_call1(SYS_close, fd);
    return n < 0 ? n : (long)length;
}

uint32_t identity_pid(void) { return (uint32_t)sys_call0(SYS_getpid); }

uint32_t identity_tid(void) { return (uint32_t)sys_call0(SYS_gettid); }

static void path_of(char *path, size_t capacity, uint32_t pid, const char *file)
{
    struct fmt out = fmt_over(path, capacity);
    fmt_text(&out, "/proc/");
    fmt_u64(&out, pid);
    fmt_char(&out, '/');
    fmt_text(&out, file);
}

struct identity_stat identity_stat(uint32_t pid)
{
    struct identity_stat stat = {0};
    char text[512], path[48];
    path_of(path, sizeof path, pid, "stat");
    long length = identity_read_file(path, text, sizeof text - 1);
    if (length <= 0) return stat;
    text[length] = '\0';
    /* The second field is the name in parentheses and may hold anything; the third follows the last
     * parenthesis and one blank. */
    const char *at = strrchr(text, ')');
    for (int field = 3; at && field <= 22; field++) {
        at = strchr(at, ' ');
        if (!at) break;
        uint64_t value = 0;
        for (at++; *at >= '0' && *at <= '9'; at++) value = value * 10 + (uint64_t)(*at - '0');
        if (field == 4) stat.parent_pid = (uint32_t)value;
        if (field == 22) stat.start_time = value;
    }
    return stat;
}

static void copy_line(char *rest, size_t capacity, const char *from, const char *end)
{
    size_t n = 0;
    for (; from < end && *from && *from != '\n' && n + 1 < capacity; from++) rest[n++] = *from;
    rest[n] = '\0';
}

bool identity_file_mentions(uint32_t pid, const char *file, const char *text, char *rest,
                            size_t capacity)
{
    char data[512], path[48];
    size_t width = strlen(text), keep = width + capacity, held = 0;
    path_of(path, sizeof path, pid, file);
    if (keep >= sizeof data / 2) return false;
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    bool is_found = false;
    for (long n = 1; n > 0 && !is_found;) {
        n = sys_call3(SYS_read, fd, data + held, sizeof data - held);
        if (n > 0) held += (size_t)n;
        const char *at = memmem(data, held, text, width), *end = data + held;
        /* What follows must be there too, unless the file ends. */
        is_found = at && (n <= 0 || (size_t)(end - at) >= keep);
        if (is_found && rest) copy_line(rest, capacity, at + width, end);
        if (held > keep) {
            memmove(data, end - keep, keep);
            held = keep;
        }
    }
    (void)sys_call1(SYS_close, fd);
    return is_found;
}

size_t identity_host(char *host, size_t capacity)
{
    struct utsname name;
    host[0] = '\0';
    if (sys_call1(SYS_uname, &name)) return 0;
    size_t length = strnlen(name.nodename, sizeof name.nodename);
    if (length >= capacity) length = capacity - 1;
    memcpy(host, name.nodename, length);
    host[length] = '\0';
    return length;
}

size_t identity_executable(char *path, size_t capacity)
{
    long length = sys_call4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, capacity);
    return length > 0 ? (size_t)length : 0;
}
