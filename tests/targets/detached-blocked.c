/* SPDX-License-Identifier: MIT
 *
 * Forty detached threads that block in a condition while main returns. */
#include "truth.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_wait = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int waiting;

NOINLINE static void blocks(void)
{
    CALLED(blocks);
    pthread_mutex_lock(&lock);
    if (++waiting == 40) pthread_cond_signal(&all_wait);
    for (;;) pthread_cond_wait(&never, &lock);
}

static void *detached(void *argument)
{
    CALLED(detached);
    blocks();
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_t id;
    for (int i = 0; i < 40; i++)
        if (pthread_create(&id, &attr, detached, NULL)) return 1;
    pthread_mutex_lock(&lock);
    while (waiting < 40) pthread_cond_wait(&all_wait, &lock);
    pthread_mutex_unlock(&lock);
    sleep_ms(10);
    truth_tell();
    truth_line(1, "open", "blocks", 40);
    truth_line(1, "open", "detached", 40);
    truth_line(1, "slept", "blocks", 400);
    return 0;
}
