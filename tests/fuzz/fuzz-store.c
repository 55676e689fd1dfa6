/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a store: a report or a fault, in bounded time. What view_init compares is put right,
 * so that the fuzzer gets past it; the store ends where memory ends. */
#include "clock/clock.h"
#include "report/write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *room(void)
{
    static uint8_t *start;
    if (start) return start;
    start = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + ROOM, 4096, PROT_NONE)) abort();
    return start;
}

/* A head that passes, and a clock whose rate need not be measured anew for milliseconds. */
static void put_right(struct store_head *head)
{
    memcpy(head->magic, STORE_MAGIC, sizeof head->magic);
    head->version = STORE_VERSION;
    head->byte_order = STORE_BYTE_ORDER;
    head->head_bytes = sizeof(struct store_head);
    head->node_bytes = sizeof(struct store_node);
    head->function_bytes = sizeof(struct store_function);
    head->frame_bytes = sizeof(struct store_frame);
    head->recorder_bytes = sizeof(struct store_recorder);
    head->module_bytes = sizeof(struct store_module);
    struct clock_pair first = {head->first_raw_ns, head->first_ticks, head->first_error_ns};
    struct clock_pair last = {head->last_raw_ns, head->last_ticks, head->last_error_ns};
    enum clock_source source = (enum clock_source)head->clock_source;
    if (!(clock_rate(source, first, last).ticks_per_second > 0)) head->clock_source = CLOCK_NS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (size > ROOM) return 0;
    size &= ~(size_t)7;
    uint8_t *store = memcpy(room() + ROOM - size, data, size);
    if (size >= STORE_HEAD_BYTES) put_right((struct store_head *)store);
    struct report_input input = {.is_killed = 1, .thread_trees = 1};
    struct fault fault = {0};
    if (view_init(&input.view, store, size, &fault) == 0)
        (void)report_write_to(&input, fd, NULL, &fault); /* either is fine */
    return 0;
}
