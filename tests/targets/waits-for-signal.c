/* SPDX-License-Identifier: MIT
 *
 * All signals blocked from the start and fetched by sigwait in a thread, as servers do. */
#include "truth.h"

#include <pthread.h>
#include <signal.h>

static sigset_t all;

static void *fetches(void *argument)
{
    CALLED(fetches);
    int number, sum = 0;
    do {
        sigwait(&all, &number);
        sum += number;
    } while (number != SIGTERM);
    return (void *)(long)sum;
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    void *sum;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    pthread_create(&id, NULL, fetches, NULL);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGTERM);
    pthread_join(id, &sum);
    truth_tell();
    return (int)(long)sum;
}
