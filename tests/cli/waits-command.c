/* SPDX-License-Identifier: MIT
 *
 * Does what each line of its input says, answers "done", and waits for the next: "step N" calls
 * step N times, "paths N" makes N call paths. Ends with status 3 at the end of the input, or as
 * "exec" and "abort" say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long work;

__attribute__((noinline)) static void step(void) { work++; }

__attribute__((noinline)) static void deeper(long levels)
{
    work++;
    if (levels > 1) deeper(levels - 1);
    work++;
}

static void act(const char *word, long n)
{
    if (!strcmp(word, "step"))
        for (long i = 0; i < n; i++) step();
    if (!strcmp(word, "paths")) deeper(n);
    if (!strcmp(word, "abort")) abort();
    if (!strcmp(word, "exec")) execl("/bin/sleep", "sleep", "0.3", NULL);
}

int main(void)
{
    char line[64], word[16];
    long n = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %ld", word, &n) >= 1) act(word, n);
        puts("done");
    }
    return 3;
}
