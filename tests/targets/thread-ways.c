/* SPDX-License-Identifier: MIT
 *
 * The other ways a thread begins and ends: thrd_create, cancellation (deferred and asynchronous), a
 * creation that fails, tryjoin and timedjoin, values of a key destroyed late. */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>
#include <threads.h>

static pthread_barrier_t meet;
static pthread_key_t key;

NOINLINE static void in_destructor(void)
{
    CALLED(in_destructor);
    __asm__ volatile("");
}

static void destroys(void *value)
{
    CALLED(destroys);
    long rounds = (long)value;
    for (int i = 0; i < 10; i++) in_destructor();
    if (rounds > 1) pthread_setspecific(key, (void *)(rounds - 1));
}

static int by_thrd(void *argument)
{
    CALLED(by_thrd);
    return (int)(long)argument + 1;
}

static void *deferred(void *argument)
{
    CALLED(deferred);
    pthread_barrier_wait(&meet);
    for (;;) pause();
    return argument;
}

static void *asynchronous(void *argument)
{
    CALLED(asynchronous);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_barrier_wait(&meet);
    for (;;) {
    }
    return argument;
}

static void *keyed(void *argument)
{
    CALLED(keyed);
    pthread_setspecific(key, argument);
    return argument;
}

NOINLINE static void cancels(void *(*routine)(void *))
{
    CALLED(cancels);
    pthread_t id;
    void *result;
    if (pthread_create(&id, NULL, routine, NULL)) exit(2);
    pthread_barrier_wait(&meet);
    pthread_cancel(id);
    if (pthread_join(id, &result) || result != PTHREAD_CANCELED) exit(3);
}

NOINLINE static void fails(void)
{
    CALLED(fails);
    pthread_t id = (pthread_t)0x1234;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, (size_t)1 << 46)) exit(4);
    printf("too large a stack: %d\n", pthread_create(&id, &attr, keyed, NULL));
}

NOINLINE static void joins(void)
{
    CALLED(joins);
    pthread_t id;
    void *result = NULL;
    struct timespec until = {0, 0};
    if (pthread_create(&id, NULL, deferred, NULL)) exit(5);
    pthread_barrier_wait(&meet);
    printf("tryjoin %d\n", pthread_tryjoin_np(id, &result));
    printf("timedjoin %d\n", pthread_timedjoin_np(id, &result, &until));
    pthread_cancel(id);
    pthread_join(id, &result);
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    thrd_t thread;
    int result;
    pthread_barrier_init(&meet, NULL, 2);
    pthread_key_create(&key, destroys);
    if (thrd_create(&thread, by_thrd, (void *)41L) || thrd_join(thread, &result)) return 1;
    printf("thrd %d\n", result);
    cancels(deferred);
    cancels(asynchronous);
    if (pthread_create(&id, NULL, keyed, (void *)3L) || pthread_join(id, NULL)) return 6;
    fails();
    joins();
    fflush(stdout);
    truth_tell();
    return 0;
}
