/* SPDX-License-Identifier: MIT
 *
 * Says what it does by include/stint/stint.h. usage:
 *   shapes N           N durations of each shape of shapes.h, under its name
 *   several N          N durations 1 … N of "few"
 *   threads T N        T threads at once: each N durations, counts, values and scopes, one set of
 *                      names for all
 *   successive T N     the same, one thread after the other
 *   fork               a child of a fork inside a scope, with the parent's handles */
#include "shapes.h"
#include "truth.h"

#include <pthread.h>
#include <stdint.h>
#include <stint/stint.h>
#include <sys/wait.h>

static stint_handle *durations, *scopes;
static long times;

PLAIN static void shapes(long n)
{
    for (int kind = 0; kind < SHAPE_KINDS; kind++) {
        struct shape shape = {88172645463325252u, kind};
        for (long i = 0; i < n; i++) stint_record(shape_names[kind], shape_next(&shape));
    }
}

NOINLINE static void step(long i)
{
    CALLED(step);
    STINT_SCOPE_OF(scopes);
    stint_record_to(durations, (uint64_t)i);
    stint_count("steps", i % 2 ? 3 : -1);
    stint_value("sizes", "bytes", (double)i / 4);
    STINT_SCOPE("inner");
}

static void *work(void *number)
{
    CALLED(work);
    for (long i = 1; i <= times; i++) step(i);
    return NULL;
}

PLAIN static void threads(long count, int at_once)
{
    pthread_t ids[64];
    for (long i = 0; i < count; i++) {
        pthread_create(&ids[i % 64], NULL, work, (void *)i);
        if (!at_once) pthread_join(ids[i % 64], NULL);
    }
    for (long i = 0; at_once && i < count; i++) pthread_join(ids[i], NULL);
}

static void in_child(void)
{
    for (int i = 0; i < 3; i++) {
        STINT_SCOPE_OF(scopes);
        stint_record_to(durations, 5);
    }
}

PLAIN static void forks(void)
{
    stint_scope_begin_of(scopes);
    stint_record_to(durations, 100);
    pid_t child = fork();
    if (!child) {
        in_child();
        stint_scope_end_of(scopes);
        stint_scope_begin_of(scopes);
        stint_scope_end_of(scopes);
        exit(0);
    }
    waitpid(child, NULL, 0);
    stint_scope_end_of(scopes);
}

PLAIN int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    times = argc > 3 ? atol(argv[3]) : 0;
    durations = stint_category("durations");
    scopes = stint_category("scopes");
    if (!strcmp(mode, "shapes")) shapes(n);
    for (long i = 1; !strcmp(mode, "several") && i <= n; i++) stint_record("few", (uint64_t)i);
    if (!strcmp(mode, "threads")) threads(n, 1);
    if (!strcmp(mode, "successive")) threads(n, 0);
    if (!strcmp(mode, "fork")) forks();
    if (strcmp(mode, "fork")) truth_tell();
    return 0;
}
