/* SPDX-License-Identifier: MIT
 *
 * pthread_create and thrd_create: the new thread begins in a trampoline that notes where it comes
 * from, then runs what the program asked for. The birth travels in memory of our own, freed by the
 * trampoline's first act, or by the creator where no thread was made. The real result is handed on
 * as it is. */
#include "life/thread.h"
#include "base/compiler.h"
#include "interpose/birth.h"
#include "life/companion.h"
#include "life/lapnames.h"
#include "life/snapshot.h"
#include "life/start.h"
#include "real/real.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

static struct thread_birth arrive(void *slot, uintptr_t sp)
{
    struct thread_birth birth = thread_birth_take(slot);
    thread_born(&birth, sp);
    return birth;
}

static void leave(void)
{
    if (!thread_end_is_told()) thread_ends();
}

static void *trampoline(void *slot)
{
    struct thread_birth birth = arrive(slot, (uintptr_t)__builtin_frame_address(0));
    void *result = birth.routine(birth.argument);
    leave();
    return result;
}

static int c11_trampoline(void *slot)
{
    struct thread_birth birth = arrive(slot, (uintptr_t)__builtin_frame_address(0));
    thrd_start_t routine;
    memcpy(&routine, &birth.routine, sizeof routine);
    int result = routine(birth.argument);
    leave();
    return result;
}

/* A stack of the program's own is exact; of libc's we learn the size. No attributes are libc's
 * default ones. */
static void note_stack(struct thread_birth *birth, const pthread_attr_t *attributes)
{
    void *low = NULL;
    size_t bytes = 0;
    pthread_attr_t defaults;
    if (!attributes && pthread_attr_init(&defaults) == 0) {
        (void)pthread_attr_getstacksize(&defaults, &bytes);
        (void)pthread_attr_destroy(&defaults);
    } else if (attributes && pthread_attr_getstack(attributes, &low, &bytes) == 0) {
        /* Where none was set, glibc answers address 0 less the size. */
        if ((uintptr_t)low + bytes == 0) low = NULL;
        if (!low) (void)pthread_attr_getstacksize(attributes, &bytes);
    }
    birth->stack_low = (uintptr_t)low;
    birth->stack_bytes = bytes;
}

/* NULL: the thread is made without us. errno is kept. */
static struct thread_birth *conceive(const void *routine, void *argument,
                                     const pthread_attr_t *attributes)
{
    if (!start_process() || process.is_off || start_is_vfork_child()) return NULL;
    int saved = errno;
    companion_prepare();
    snapshot_prepare();
    lapnames_look();
    struct thread_birth birth = {.argument = argument, .parent = thread_recorder_number()};
    memcpy(&birth.routine, &routine, sizeof birth.routine);
    birth.start_routine = (uintptr_t)routine;
    note_stack(&birth, attributes);
    errno = saved;
    return thread_birth_new(&birth);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*routine)(void *), void *argument)
{
    struct thread_birth *birth = conceive((const void *)routine, argument, attributes);
    if (!birth) return real()->pthread_create(thread, attributes, routine, argument);
    int result = real()->pthread_create(thread, attributes, trampoline, birth);
    if (result) (void)thread_birth_take(birth);
    return result;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct thread_birth *birth = conceive((const void *)routine, argument, NULL);
    if (!birth) return real()->thrd_create(thread, routine, argument);
    int result = real()->thrd_create(thread, c11_trampoline, birth);
    if (result != thrd_success) (void)thread_birth_take(birth);
    return result;
}
