/* SPDX-License-Identifier: MIT
 *
 * A program without hooks that does a little of everything: nothing is recorded, nothing may be
 * paid. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *thread(void *argument) { return argument; }

int main(void)
{
    pthread_t id;
    if (pthread_create(&id, NULL, thread, &id) || pthread_join(id, NULL)) return 1;
    pid_t child = fork();
    if (!child) _exit(3);
    int status;
    waitpid(child, &status, 0);
    signal(SIGTERM, SIG_IGN);
    int fd = open("/dev/null", O_RDONLY); /* the lowest free descriptor, as without stint */
    printf("%d %d\n", WEXITSTATUS(status), fd);
    return system("exit 5") >> 8;
}
