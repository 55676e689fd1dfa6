/* SPDX-License-Identifier: MIT
 *
 * Threads → lines: what of a thread's life was spent on a processor, and in recorded functions.
 * Runs in `stint`. */
#include "threads.h"

#include "report/summary.h"

#include <stdio.h>

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* What a terminal would act on is replaced. */
static void print_clean(const char *text)
{
    for (; text && *text; text++) putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
}

/* "µ" is two bytes and one character. */
static void print_time(double ms)
{
    char text[16];
    int width = 0;
    summary_time(ms, text);
    for (const char *c = text; *c; c++) width += ((unsigned char)*c & 0xc0) != 0x80;
    printf("  %*s%s", width < 8 ? 8 - width : 0, "", text);
}

static void print_thread(const json_t *thread)
{
    const json_t *functions = json_object_get(thread, "functions");
    long long generations = json_integer_value(json_object_get(thread, "generations")), calls = 0;
    double self_ms = 0;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const json_t *function = json_array_get(functions, i);
        calls += json_integer_value(json_object_get(function, "Count"));
        self_ms += number_of(function, "Self_ms");
    }
    printf("%8lld", (long long)json_integer_value(json_object_get(thread, "tid")));
    print_time(number_of(thread, "lifetime_ms"));
    print_time(number_of(thread, "cpu_ms"));
    print_time(self_ms);
    printf("  %11lld  ", calls);
    print_clean(json_string_value(json_object_get(thread, "name")));
    const char *start = json_string_value(json_object_get(thread, "start_routine"));
    if (start) printf(", ");
    print_clean(start);
    if (generations > 1) printf(" (the last of %lld)", generations);
    putchar('\n');
}

void threads_print(const json_t *report)
{
    const json_t *threads = json_object_get(report, "threads");
    printf("%8s  %8s  %8s  %8s  %11s  %s\n", "Tid", "Lifetime", "CPU", "Self", "Calls", "Thread");
    for (size_t i = 0; i < json_array_size(threads); i++) print_thread(json_array_get(threads, i));
}
