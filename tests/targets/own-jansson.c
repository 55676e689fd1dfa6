/* SPDX-License-Identifier: MIT
 *
 * Threads of the program use jansson and libunwind, which stint's companion uses too, before,
 * during and after the report; each result is checked. The argument names the end: "exit", "segv"
 * or "wait" (with allocation functions of its own for jansson). */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "truth.h"

#include <jansson.h>
#include <libunwind.h>
#include <pthread.h>

static const char expected[] =
    "{\"list\": [0, 1, 2, 3, 4, 5, 6, 7], \"name\": \"value\", \"real\": 1.5}";
static pthread_barrier_t begun;
static char *volatile nowhere;
static unsigned long own_allocated;

PLAIN static void wrong(const char *what)
{
    dprintf(2, "wrong: %s\n", what);
    _exit(88);
}

PLAIN static void *own_malloc(size_t bytes)
{
    size_t *block = malloc(bytes + 16);
    block[0] = 0x600d; /* what our own free looks for */
    __atomic_fetch_add(&own_allocated, 1, __ATOMIC_RELAXED);
    return block + 2;
}

PLAIN static void own_free(void *given)
{
    size_t *block = (size_t *)given - 2;
    if (!given) return;
    if (block[0] != 0x600d) wrong("freed what was not allocated here");
    block[0] = 0;
    free(block);
}

PLAIN static void use_jansson(void)
{
    json_t *object = json_object(), *list = json_array();
    for (int i = 0; i < 8; i++) json_array_append_new(list, json_integer(i));
    json_object_set_new(object, "list", list);
    json_object_set_new(object, "name", json_string("value"));
    json_object_set_new(object, "real", json_real(1.5));
    char *text = json_dumps(object, JSON_SORT_KEYS);
    if (!text || strcmp(text, expected)) wrong("dumped text");
    json_t *again = json_loads(text, 0, NULL);
    if (!json_equal(object, again)) wrong("loaded text");
    json_decref(again);
    json_decref(object);
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    release(text);
}

PLAIN static void use_libunwind(void)
{
    unw_context_t context;
    unw_cursor_t cursor;
    int frames = 1;
    if (unw_getcontext(&context) || unw_init_local(&cursor, &context)) wrong("no cursor");
    while (unw_step(&cursor) > 0) frames++;
    if (frames < 3) wrong("frames");
}

static void *uses(void *argument)
{
    CALLED(uses);
    for (int i = 0;; i++) {
        use_jansson();
        use_libunwind();
        if (i == 10) pthread_barrier_wait(&begun);
    }
    return argument;
}

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    CALLED(main);
    pthread_t id;
    if (argc > 2) json_set_alloc_funcs(own_malloc, own_free);
    pthread_barrier_init(&begun, NULL, 4);
    for (int i = 0; i < 3; i++) pthread_create(&id, NULL, uses, NULL);
    pthread_barrier_wait(&begun);
    for (int i = 0; i < 2000; i++) step();
    truth_tell();
    if (!strcmp(argv[1], "segv")) *nowhere = 1;
    return 21;
}
