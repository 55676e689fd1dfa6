/* SPDX-License-Identifier: MIT
 *
 * 60 frames, of which each tenth (3, 13, …) is slow because `stutters` sleeps in it; the frames are
 * said by the header, and each is one call of `draws`. What else happens is told by the argument.
 */
#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stint/stint.h>
#include <sys/wait.h>

enum { FRAMES = 60, SLOW_MS = 25 };

static jmp_buf out;
static int jumps;

NOINLINE static void usual(void)
{
    CALLED(usual);
    __asm__ volatile("");
}

NOINLINE static void stutters(int frame)
{
    CALLED(stutters);
    if (frame % 10 == 3) sleep_ms(SLOW_MS);
}

/* A second activation below the first, which is no frame of its own. */
NOINLINE static void draws(int frame, int again)
{
    CALLED(draws);
    usual();
    if (again)
        draws(frame, again - 1);
    else
        stutters(frame);
    if (jumps && frame % 2) longjmp(out, 1);
    usual();
    __asm__ volatile("");
}

NOINLINE static void one_frame(int frame, int again)
{
    CALLED(one_frame);
    stint_start_frame();
    if (!setjmp(out)) draws(frame, again);
    stint_end_frame();
}

static void *ticks(void *number)
{
    CALLED(ticks);
    for (int i = 0; i < 100; i++) {
        stint_start_frame_as("Tick");
        usual();
        stint_end_frame_as("Tick");
    }
    return NULL;
}

NOINLINE static void in_threads(void)
{
    CALLED(in_threads);
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, ticks, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
}

static void on_signal(int number)
{
    CALLED(on_signal);
    usual();
}

NOINLINE static void child(void)
{
    CALLED(child);
    for (int i = 0; i < 7; i++) one_frame(0, 0);
    stint_end_frame_as("begun by the parent"); /* not here */
}

NOINLINE static void forks(void)
{
    CALLED(forks);
    stint_start_frame_as("begun by the parent");
    pid_t pid = fork();
    if (!pid) {
        truth_forget();
        child();
        exit(0);
    }
    waitpid(pid, NULL, 0);
    stint_end_frame_as("begun by the parent");
}

int main(int argc, char **argv)
{
    CALLED(main);
    const char *how = argc > 1 ? argv[1] : "";
    int again = !strcmp(how, "recursion") ? 2 : 0;
    jumps = !strcmp(how, "jumps");
    if (!strcmp(how, "signals")) signal(SIGPROF, on_signal);
    for (int i = 0; i < FRAMES; i++) {
        one_frame(i, again);
        if (!strcmp(how, "signals")) raise(SIGPROF);
    }
    if (!strcmp(how, "threads")) in_threads();
    if (!strcmp(how, "forks")) forks();
    truth_tell();
    stint_start_frame_as("never ended");
    if (!strcmp(how, "killed")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "unmatched")) stint_end_frame_as("never begun");
    return 0;
}
