/* SPDX-License-Identifier: MIT
 *
 * exit from where it is seldom called: a thread, an atexit handler, a handler of a signal that came
 * while main was in malloc; and from two threads at once. */
#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static const char *way;
static pthread_barrier_t both;
static volatile sig_atomic_t in_malloc;

NOINLINE static void leaves(int status)
{
    CALLED(leaves);
    truth_tell();
    exit(status);
}

static void *in_thread(void *argument)
{
    CALLED(in_thread);
    leaves(11);
    return argument;
}

static void at_exit(void)
{
    CALLED(at_exit);
    leaves(12);
}

static void handler(int number)
{
    if (!in_malloc) return;
    CALLED(handler);
    leaves(13);
}

PLAIN static void allocate_for_ever(void)
{
    struct itimerval soon = {{0, 1000}, {0, 1000}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;) {
        in_malloc = 1;
        void *volatile block = malloc(100000);
        free(block);
        in_malloc = 0;
    }
}

PLAIN static void *exits_too(void *argument)
{
    pthread_barrier_wait(&both);
    exit(14);
}

int main(int argc, char **argv)
{
    way = argv[1];
    pthread_t id;
    CALLED(main);
    if (!strcmp(way, "thread")) {
        pthread_create(&id, NULL, in_thread, NULL);
        for (;;) pause();
    }
    if (!strcmp(way, "atexit")) {
        atexit(at_exit);
        return 1;
    }
    if (!strcmp(way, "malloc")) allocate_for_ever();
    if (!strcmp(way, "twice")) {
        pthread_barrier_init(&both, NULL, 2);
        truth_tell();
        pthread_create(&id, NULL, exits_too, NULL);
        pthread_barrier_wait(&both);
        exit(14);
    }
    return 99;
}
