/* SPDX-License-Identifier: MIT
 *
 * main ends by pthread_exit; the last thread ends the process. */
#include "truth.h"

#include <pthread.h>

static pthread_t first;

static void *last(void *argument)
{
    CALLED(last);
    pthread_join(first, NULL);
    truth_tell();
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    first = pthread_self();
    if (pthread_create(&id, NULL, last, NULL)) return 1;
    pthread_exit(NULL);
}
