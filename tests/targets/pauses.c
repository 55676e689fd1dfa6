/* SPDX-License-Identifier: MIT
 *
 * Recording paused and resumed, of this thread and of all: what is called meanwhile is not
 * recorded, what is open goes on, and whatever is left in between stays in balance. The truth is
 * told of what is recorded alone. */
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stint/stint.h>
#include <sys/wait.h>

static volatile int is_paused; /* what this file believes */
#define RECORDED(function)                                                                         \
    do {                                                                                           \
        if (!is_paused) CALLED(function);                                                          \
    } while (0)

static jmp_buf out;

NOINLINE static void leaf(void)
{
    RECORDED(leaf);
    STINT_SCOPE("In_Leaf");
    stint_record("Recorded", 1);
    stint_count("Counted", 1);
    stint_value("Valued", NULL, 1);
    if (!is_paused) {
        CALLED_AS("scope In_Leaf");
        CALLED_AS("scope Recorded");
    }
}

NOINLINE static void recurses(int depth)
{
    RECORDED(recurses);
    if (depth) recurses(depth - 1);
    leaf();
}

NOINLINE static void pauses(void)
{
    RECORDED(pauses);
    stint_pause_thread();
    is_paused = 1;
    __asm__ volatile("");
}

NOINLINE static void resumes(void)
{
    RECORDED(resumes);
    stint_resume_thread();
    is_paused = 0;
    __asm__ volatile("");
}

NOINLINE static void below_muted(void)
{
    RECORDED(below_muted);
    leaf();
}

/* Entered while paused, left after: what it calls belongs to who called it. */
NOINLINE static void muted_resumes_below(int depth)
{
    RECORDED(muted_resumes_below);
    if (depth) {
        muted_resumes_below(depth - 1);
    } else {
        resumes();
        for (int i = 0; i < 10; i++) below_muted();
    }
    __asm__ volatile("");
}

NOINLINE static void calls_below_muted(void)
{
    RECORDED(calls_below_muted);
    pauses();
    muted_resumes_below(3);
}

/* Entered before, left while paused. */
NOINLINE static void open_at_the_pause(int depth)
{
    RECORDED(open_at_the_pause);
    if (depth)
        open_at_the_pause(depth - 1);
    else
        pauses();
    recurses(2);
}

NOINLINE static void jumps(int depth)
{
    RECORDED(jumps);
    if (depth) jumps(depth - 1);
    longjmp(out, 1);
}

NOINLINE static void survives_jumps(void)
{
    RECORDED(survives_jumps);
    pauses();
    if (!setjmp(out)) jumps(5);
    resumes();
    leaf();
}

static pthread_barrier_t meets;

NOINLINE static void *of_thread(void *unused)
{
    CALLED(of_thread);
    leaf();
    pthread_barrier_wait(&meets); /* paused between these */
    pthread_barrier_wait(&meets);
    recurses(3);
    pthread_barrier_wait(&meets); /* resumed between these */
    pthread_barrier_wait(&meets);
    leaf();
    return NULL;
}

NOINLINE static void pauses_all(void)
{
    RECORDED(pauses_all);
    pthread_t threads[3];
    pthread_barrier_init(&meets, NULL, 4);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, of_thread, NULL);
    pthread_barrier_wait(&meets);
    stint_pause(), stint_pause();
    is_paused = 1;
    pthread_barrier_wait(&meets);
    stint_resume(); /* as often as it was paused */
    recurses(3);
    pthread_barrier_wait(&meets);
    stint_resume(), stint_resume(); /* once too often does nothing */
    is_paused = 0;
    pthread_barrier_wait(&meets);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

/* What was paused is paused in the child; what it then says is its own. */
NOINLINE static void forks_while_paused(void)
{
    RECORDED(forks_while_paused);
    stint_pause();
    is_paused = 1;
    if (!fork()) {
        truth_forget();
        recurses(3);
        stint_resume();
        is_paused = 0;
        recurses(2);
        int file = open("child.txt", O_CREAT | O_WRONLY, 0600);
        truth_tell_to(file);
        truth_line(file, "calls", "main", 0), truth_line(file, "calls", "forks_while_paused", 0);
        _exit(0);
    }
    wait(NULL);
    recurses(2);
    stint_resume();
    is_paused = 0;
}

int main(int count, char **arguments)
{
    RECORDED(main);
    for (int i = 0; i < 20; i++) {
        leaf();
        pauses();
        recurses(i);
        resumes();
        recurses(i);
        calls_below_muted();
        open_at_the_pause(3);
        resumes();
        survives_jumps();
    }
    pauses_all();
    forks_while_paused();
    leaf();
    truth_tell();
    truth_under("below_muted", "calls_below_muted");
    return 0;
}
