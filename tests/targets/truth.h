/* SPDX-License-Identifier: MIT
 *
 * How a target tells the truth: each function says CALLED(its name) and truth_tell prints a sorted
 * "calls NAME N" for each. No hooks run in here, nothing is allocated, and a signal handler may
 * count. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

struct truth {
    const char *name;
    unsigned long calls;
    struct truth *next;
};
static struct truth *truth_list;

PLAIN static inline void truth_count(struct truth *truth)
{
    if (__atomic_fetch_add(&truth->calls, 1, __ATOMIC_RELAXED)) return;
    struct truth *first = __atomic_load_n(&truth_list, __ATOMIC_RELAXED);
    do truth->next = first;
    while (!__atomic_compare_exchange_n(&truth_list, &first, truth, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
}

#define CALLED_AS(text)                                                                            \
    do {                                                                                           \
        static struct truth truth_ = {text, 0, NULL};                                              \
        truth_count(&truth_);                                                                      \
    } while (0)
#define CALLED(function) CALLED_AS(#function)

PLAIN static inline void truth_line(int fd, const char *verb, const char *name, unsigned long n)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = '\n';
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    struct iovec parts[] = {
        {(void *)verb, strlen(verb)},
        {(void *)" ", 1},
        {(void *)name, strlen(name)},
        {(void *)" ", 1},
        {at, (size_t)(digits + sizeof digits - at)},
    };
    if (writev(fd, parts, 5) < 0) _exit(99);
}

/* Each call of child was made by parent itself. Both names without blanks. */
PLAIN static inline void truth_under(const char *child, const char *parent)
{
    dprintf(1, "under %s %s\n", child, parent);
}

/* All counts so far, by name; to a descriptor. */
PLAIN static inline void truth_tell_to(int fd)
{
    const char *last = "";
    for (;;) {
        struct truth *least = NULL;
        for (struct truth *t = truth_list; t; t = t->next)
            if (strcmp(t->name, last) > 0 && (!least || strcmp(t->name, least->name) < 0))
                least = t;
        if (!least) return;
        unsigned long sum = 0;
        for (struct truth *t = truth_list; t; t = t->next)
            if (!strcmp(t->name, least->name)) sum += t->calls;
        truth_line(fd, "calls", least->name, sum);
        last = least->name;
    }
}

PLAIN static inline void truth_tell(void) { truth_tell_to(1); }

/* A forked child starts from nothing. */
PLAIN static inline void truth_forget(void)
{
    for (struct truth *t = truth_list; t; t = t->next) t->calls = 0;
    truth_list = NULL;
}

/* Sleeps the whole time whatever signals come. */
PLAIN static inline void sleep_ms(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) && errno == EINTR) {
    }
}

PLAIN static inline unsigned long long now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

/* Burns processor time of this thread. */
PLAIN static inline void spin_ms(long ms)
{
    unsigned long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (unsigned long long)ms * 1000000u;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}
