/* SPDX-License-Identifier: MIT
 *
 * For tests that fork and rely on the kernel's wiping of pages: after cmocka's header. */
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Emulators say that they wipe, and don't. */
static inline void skip_unless_pages_are_wiped(void)
{
    int status = -1;
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
    bool is_told = madvise(page, 4096, MADV_WIPEONFORK) == 0;
    pid_t child = fork();
    if (child == 0) _exit(is_told && *page);
    waitpid(child, &status, 0);
    munmap(page, 4096);
    if (status) skip();
}
