/* SPDX-License-Identifier: MIT
 *
 * What a thread's recorder takes: 100 functions called on 1000 paths, then the same again many
 * times. Prints the process's resident KiB before the first call, after each path was called once,
 * after three million calls and after thirty million. */
#include <stdio.h>
#include <string.h>

#define UNTIMED __attribute__((no_instrument_function))

typedef void call(unsigned path, int level);
static call *const functions[100];
static volatile unsigned sink;

/* Three levels: 10, 10 and 80 functions; the path's digits choose. */
UNTIMED static unsigned callee(unsigned path, int level)
{
    if (level == 0) return path % 10;
    if (level == 1) return 10 + path / 10 % 10;
    return 20 + path / 100 * 8 + path % 8;
}

#define ONE(n)                                                                                     \
    static void function_##n(unsigned path, int level)                                             \
    {                                                                                              \
        if (level < 2) functions[callee(path, level + 1)](path, level + 1);                        \
        sink += path;                                                                              \
    }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define NAME(n) function_##n,
#define HUNDRED(m)                                                                                 \
    TEN(m, 0)                                                                                      \
    TEN(m, 1) TEN(m, 2) TEN(m, 3) TEN(m, 4) TEN(m, 5) TEN(m, 6) TEN(m, 7) TEN(m, 8) TEN(m, 9)
HUNDRED(ONE)
static call *const functions[100] = {HUNDRED(NAME)};

UNTIMED static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %ld", &kib) == 1) break;
    }
    fclose(file);
    return kib;
}

UNTIMED static void call_all_paths(void)
{
    for (unsigned path = 0; path < 1000; path++) functions[callee(path, 0)](path, 0);
}

UNTIMED int main(void)
{
    long before = resident_kib();
    call_all_paths();
    long once = resident_kib();
    for (int i = 0; i < 1000; i++) call_all_paths();
    long often = resident_kib();
    for (int i = 0; i < 9000; i++) call_all_paths();
    printf("before %ld once %ld often %ld more %ld\n", before, once, often, resident_kib());
    return 0;
}
