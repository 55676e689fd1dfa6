/* SPDX-License-Identifier: MIT
 *
 * Counted calls, then leaves the limits and rights it was told to before it ends: "fsize", "as",
 * "nofile", "chdir", "setuid", "chroot", "umask", "comma". */
#define _GNU_SOURCE
#include "truth.h"

#include <locale.h>
#include <sys/resource.h>
#include <sys/stat.h>

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

PLAIN static void limit(int which, rlim_t most)
{
    struct rlimit rlimit = {most, most};
    setrlimit((__rlimit_resource_t)which, &rlimit);
}

PLAIN static int change(const char *what)
{
    if (!strcmp(what, "fsize")) limit(RLIMIT_FSIZE, 100);
    if (!strcmp(what, "as")) limit(RLIMIT_AS, 1 << 20);
    if (!strcmp(what, "nofile")) limit(RLIMIT_NOFILE, 3);
    if (!strcmp(what, "nofile4")) limit(RLIMIT_NOFILE, 4);
    if (!strcmp(what, "chdir")) return chdir("/");
    if (!strcmp(what, "setuid")) return setuid(65534);
    if (!strcmp(what, "chroot")) return chroot("/proc");
    if (!strcmp(what, "umask")) umask(077);
    if (!strcmp(what, "comma")) {
        if (!setlocale(LC_NUMERIC, "comma")) return 1;
        printf("%.1f\n", 1.5);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    CALLED(main);
    if (argc > 2) change(argv[1]);
    step();
    if (argc > 1 && change(argv[1])) return 55;
    for (int i = 0; i < 40; i++) step();
    truth_tell();
    return 3;
}
