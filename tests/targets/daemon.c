/* SPDX-License-Identifier: MIT
 *
 * Becomes a daemon (argument "daemon") or stays, closes every descriptor and opens its own, goes to
 * the root directory; the descriptor numbers are its own to the end. */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <sys/syscall.h>

NOINLINE static void serve(int number)
{
    CALLED(serve);
    __asm__ volatile("" ::"r"(number));
}

int main(int argc, char **argv)
{
    CALLED(main);
    char cwd[4096];
    if (!getcwd(cwd, sizeof cwd)) return 1;
    serve(0);
    if (argc > 1 && !strcmp(argv[1], "daemon")) {
        truth_forget();
        if (daemon(0, 0)) return 2;
    }
    int directory = open(cwd, O_PATH);
    dup2(directory, 100);
    for (int fd = 0; fd < 100; fd++) close(fd);
    int first = open("/dev/null", O_RDWR),
        out = openat(100, "daemon-truth", O_WRONLY | O_CREAT, 0666);
    for (int i = 0; i < 50; i++) serve(i);
    if (first == 0 && out == 1) truth_line(1, "descriptors", "own", 1);
    truth_tell();
    if (chdir("/")) return 3;
    return 0;
}
