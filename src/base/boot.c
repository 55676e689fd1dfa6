/* SPDX-License-Identifier: MIT
 *
 * The kernel's random number of this boot, the whole file hashed. Raw calls; runs anywhere. */
#include "base/boot.h"

#include "base/hash.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>

uint64_t boot_id(void)
{
    char text[64];
    long length;
    long fd =
        sys_call4(SYS_openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    do length = sys_call3(SYS_read, fd, text, sizeof text);
    while (length == -EINTR);
    (void)sys_call1(SYS_close, fd); /* read only */
    return length > 0 ? hash_bytes(text, (size_t)length) : 0;
}
