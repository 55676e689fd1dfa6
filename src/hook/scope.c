/* SPDX-License-Identifier: MIT
 *
 * As hook.c for the calls that a program writes itself. A scope's enter pushes nothing, as the
 * hooks': where the stack stands must mean the same in both. A name is looked up, then the function
 * for categories is jumped to. Runs everywhere. */
#include "hook/scope.h"

#include "base/compiler.h"
#include "hook/slow.h"
#include "record/scope_hot.h"

HOT struct category *scope_category(const char *name) { return scope_named(name); }

static HOT NOINLINE void enter_scope_probing(struct category *category)
{
    uintptr_t sp = stack_address_at_entry();
    uint64_t address = scope_address(category);
    if (UNLIKELY(!frames_try_enter_probing(control, address, sp))) slow_enter_scope(category, sp);
}

HOT NOINLINE void scope_enter(struct category *category)
{
    if (UNLIKELY(!category)) return;
    if (UNLIKELY(!scope_try_enter(control, category))) enter_scope_probing(category);
}

COLD static void record_slowly(struct category *category, enum store_kind kind, uint64_t value,
                               const char *unit)
{
    const struct slow_event event = {category, kind, value, unit};
    if (category) slow_record(&event, stack_address_anew());
}

/* Apart, so that short scopes need few registers. */
static HOT NOINLINE void exit_long_scope(struct category *category, uint64_t now)
{
    struct control *block = control;
    uint64_t ticks = 0;
    enum scope_exit done = scope_try_exit(block, block->top, category, now, false, &ticks);
    if (UNLIKELY(done == SCOPE_EXIT_SLOW))
        slow_exit(scope_address(category), stack_address_anew(), now);
    if (UNLIKELY(done == SCOPE_EXIT_UNKEPT)) record_slowly(category, STORE_KIND_SCOPE, ticks, NULL);
}

HOT NOINLINE void scope_exit(struct category *category)
{
    /* Before the clock, as in hook.c. */
    struct control *block = control;
    struct store_frame *frame = block->top;
    __asm__ volatile("" ::"r"(block), "r"(frame) : "memory");
    uint64_t now = clock_counter();
    if (UNLIKELY(!category)) return;
    uint64_t ticks = 0;
    enum scope_exit done = scope_try_exit(block, frame, category, now, true, &ticks);
    if (UNLIKELY(done == SCOPE_EXIT_SLOW)) exit_long_scope(category, now);
    if (UNLIKELY(done == SCOPE_EXIT_UNKEPT)) record_slowly(category, STORE_KIND_SCOPE, ticks, NULL);
}

HOT void scope_record(struct category *category, uint64_t ns)
{
    if (UNLIKELY(!category) || UNLIKELY(!scope_try_ns(control, category, ns)))
        record_slowly(category, STORE_KIND_NS, ns, NULL);
}

HOT void scope_record_named(const char *name, uint64_t ns) { scope_record(scope_named(name), ns); }

void scope_lap_begin_named(const char *name)
{
    struct category *category = scope_named(name);
    if (category) slow_lap_begin(category, stack_address_anew());
}

void scope_lap_end_named(const char *name)
{
    uint64_t now = clock_counter();
    struct category *category = scope_named(name);
    if (category) slow_lap_end(category, stack_address_anew(), now);
}

HOT void scope_count(struct category *category, int64_t n)
{
    if (UNLIKELY(!category) || UNLIKELY(!scope_try_count(control, category, n)))
        record_slowly(category, STORE_KIND_COUNT, (uint64_t)n, NULL);
}

HOT void scope_count_named(const char *name, int64_t n) { scope_count(scope_named(name), n); }

void scope_value(struct category *category, const char *unit, uint64_t bits)
{
    record_slowly(category, STORE_KIND_VALUE, bits, unit);
}

void scope_value_named(const char *name, const char *unit, uint64_t bits)
{
    scope_value(scope_named(name), unit, bits);
}
