/* SPDX-License-Identifier: MIT
 *
 * Cancellation and pthread_exit unwind C++ frames: destructors run, the thread's counts are kept.
 */
#include "truth.h"

#include <pthread.h>

static pthread_barrier_t ready;

struct Guard {
    NOINLINE ~Guard()
    {
        CALLED_AS("Guard::~Guard()");
        __asm__ volatile("");
    }
};

NOINLINE static void ends(bool by_exit)
{
    CALLED_AS("ends(bool)");
    Guard guard;
    if (by_exit) pthread_exit(nullptr);
    pthread_barrier_wait(&ready);
    for (;;) pause();
}

static void *thread(void *argument)
{
    CALLED_AS("thread(void*)");
    Guard guard;
    ends(argument != nullptr);
    return argument;
}

struct Late {
    ~Late();
};

NOINLINE Late::~Late()
{
    CALLED_AS("Late::~Late()");
    __asm__ volatile("");
}

static thread_local Late late;

static void *has_thread_local(void *argument)
{
    CALLED_AS("has_thread_local(void*)");
    *(Late *volatile *)&argument = &late;
    return nullptr;
}

int main()
{
    CALLED(main);
    pthread_t id;
    pthread_barrier_init(&ready, nullptr, 2);
    pthread_create(&id, nullptr, thread, nullptr);
    pthread_barrier_wait(&ready);
    pthread_cancel(id);
    pthread_join(id, nullptr);
    pthread_create(&id, nullptr, thread, &id);
    pthread_join(id, nullptr);
    pthread_create(&id, nullptr, has_thread_local, nullptr);
    pthread_join(id, nullptr);
    truth_tell();
    return 0;
}
