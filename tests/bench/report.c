/* SPDX-License-Identifier: MIT
 *
 * How long a report takes and how much memory it maps: a store of one thread with 20 000 functions
 * and 60 000 nodes, laid out by hand, written to /dev/null. `report [functions [nodes [calls]]]`;
 * the report goes to REPORT_OUT where that is set. */
#include "builder.h"
#include "report/write.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, FUNCTION_BYTES = 32 };

static uint64_t random_state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003). */
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each function has a typical duration, from 64 ns to 1 ms, and calls spread over two octaves. */
static void lay_out(struct builder *store, uint32_t functions, uint32_t nodes, uint32_t calls)
{
    uint64_t end = 0x400000 + (uint64_t)functions * FUNCTION_BYTES;
    builder_module(store, "/proc/self/exe", 0x400000, end);
    struct store_recorder *recorder = builder_recorder(store, nodes, functions);
    store_ref *function = malloc(functions * sizeof *function);
    store_ref *node = malloc(nodes * sizeof *node);
    if (!function || !node) abort();
    for (uint32_t i = 0; i < functions; i++)
        function[i] = builder_function(store, recorder, 0x400000 + (uint64_t)i * FUNCTION_BYTES);
    for (uint32_t i = 0; i < nodes; i++) {
        store_ref parent = i ? node[next_random() % i] : recorder->root;
        uint32_t which = i < functions ? i : (uint32_t)(next_random() % functions);
        node[i] = builder_node(store, recorder, parent, function[which]);
        uint64_t typical = UINT64_C(64) << which % 15;
        for (uint32_t c = 0; c < calls; c++)
            builder_call(store, node[i], typical + next_random() % (3 * typical));
    }
    free(function);
    free(node);
}

int main(int argc, char **argv)
{
    uint32_t functions = argc > 1 ? (uint32_t)atoi(argv[1]) : 20000;
    uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[2]) : 60000;
    uint32_t calls = argc > 3 ? (uint32_t)atoi(argv[3]) : 20;
    const char *out = getenv("REPORT_OUT");
    struct builder store;
    builder_init(&store, UINT64_C(8) << 30);
    lay_out(&store, functions, nodes, calls);
    printf("%" PRIu32 " functions, %" PRIu32 " nodes, %" PRIu32 " calls a node; store %.1f MiB\n",
           functions, nodes, calls, (double)builder_used(&store) / (1 << 20));
    for (int round = 0; round < ROUNDS; round++) {
        struct report_input input = {.now_ticks = 1};
        uint64_t memory = 0;
        int fd = open(out ? out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (view_init(&input.view, store.base, builder_used(&store), NULL)) return 1;
        double before = seconds();
        int error = report_write_to(&input, fd, &memory, NULL);
        printf("%.3f s, %.1f MiB, %d\n", seconds() - before, (double)memory / (1 << 20), error);
    }
    builder_fini(&store);
    return 0;
}
