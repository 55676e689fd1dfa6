/* SPDX-License-Identifier: MIT
 *
 * A program without a single hook, which only says things of itself: in main, in threads, and in a
 * forked child. Its argument tells how it ends: "return", "crash" or "kill"; "early" says that a
 * report is wanted before. */
#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stint/stint.h>
#include <sys/wait.h>

enum { THREADS = 4, ROUNDS = 5000 };

static int works(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        STINT_SCOPE("Round");
        STINT_MEASURE("Step") stint_count("Steps", 1);
        stint_record("Waited", 10);
    }
    return rounds;
}

static void *of_thread(void *unused)
{
    works(ROUNDS);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    const char *end = arguments[1];
    works(ROUNDS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, of_thread, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    if (!strcmp(end, "early")) {
        errno = 77;
        int error = stint_save_report("early.json");
        if (error && error != -ENOSYS) printf("the report could not be written: %d\n", error);
        if (errno != 77) printf("errno %d\n", errno);
        if (!error && remove("early.json")) printf("early.json is not there\n");
        error = stint_save_report("/no/such/directory/early.json");
        if (error != -ENOENT && error != -ENOSYS) printf("written nowhere: %d\n", error);
        works(1);
    }
    fflush(stdout);
    if (!fork()) _exit(works(7) == 7 ? 0 : 1);
    wait(NULL);
    STINT_SCOPE("Open_At_The_End");
    if (!strcmp(end, "crash")) raise(SIGSEGV);
    if (!strcmp(end, "kill")) raise(SIGTERM);
    return 3;
}
