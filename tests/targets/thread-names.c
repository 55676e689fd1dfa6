/* SPDX-License-Identifier: MIT
 *
 * Names that the program gives to its threads for the report: longer than the kernel's, which stay
 * what they were; before a thread's first event and after it, given again, and taken back. */
#include "truth.h"

#include <pthread.h>
#include <stint/stint.h>
#include <sys/prctl.h>

#define LONG "a name of more than sixty-three bytes, which is what the report holds of it"

NOINLINE static void works(void)
{
    CALLED(works);
    __asm__ volatile("");
}

PLAIN static void tell_kernel_name(void)
{
    char name[16];
    prctl(PR_GET_NAME, name);
    dprintf(1, "the kernel says %s\n", name);
}

PLAIN static void *named_first(void *unused)
{
    prctl(PR_SET_NAME, "kernel first");
    stint_thread_name("named before its first event");
    works();
    tell_kernel_name();
    return NULL;
}

PLAIN static void *named_twice(void *unused)
{
    works();
    stint_thread_name(LONG);
    works();
    stint_thread_name("Gebäude-Nr. 2, named twice");
    prctl(PR_SET_NAME, "kernel twice");
    tell_kernel_name();
    return NULL;
}

PLAIN static void *named_back(void *unused)
{
    prctl(PR_SET_NAME, "kernel back");
    works();
    stint_thread_name("taken back");
    stint_thread_name(NULL);
    tell_kernel_name();
    return NULL;
}

/* The 63rd byte is the first of a character of two. */
PLAIN static void *named_long(void *unused)
{
    stint_thread_name("sixty-two bytes are before the umlaut that would be cut apart: ü");
    works();
    return NULL;
}

PLAIN int main(void)
{
    void *(*const routines[])(void *) = {named_first, named_twice, named_back, named_long};
    works();
    stint_thread_name(LONG);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, routines[i], NULL);
        pthread_join(thread, NULL);
    }
    tell_kernel_name();
    truth_tell();
    return 0;
}
