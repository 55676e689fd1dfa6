/* SPDX-License-Identifier: MIT
 *
 * The way from a hook to the recorder's slow side: attach the thread if need be, keep a handler
 * that interrupts us out, put errno back. Runs in any thread and in signal handlers, and on stacks
 * that are not aligned. */
#include "hook/slow.h"

#include "base/stack_hot.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "hook/overhead.h"
#include "life/thread.h"
#include "record/frames.h"
#include "record/lap.h"
#include "record/recorder.h"
#include "record/stacks.h"

#include <errno.h>

/* The slow path that set the flag is gone when a call comes from further out on the same stack, or
 * from the same place again: a handler that interrupted it left by longjmp. (A handler on the same
 * stack is strictly below.) It may have left us on the frames of its alternate stack, so all stacks
 * are asked. */
static void forget_abandoned(struct control *block, uintptr_t sp)
{
    if (!block->busy_sp || sp < block->busy_sp) return;
    if (stacks_share(block, sp, block->busy_sp)) control_end(block);
}

/* A child made by clone with CLONE_VM but a stack of its own, and without a thread pointer of its
 * own, finds its parent's block: two would write one recorder. A vfork child, on its parent's
 * stack, is welcome: the parent waits. */
static bool is_anothers(const struct control *block, uintptr_t sp)
{
    return !stacks_contains(block, sp) && (uint32_t)sys_call0(SYS_gettid) != block->tid;
}

/* The calling thread's block, busy for us, or NULL. */
static struct control *begin(uintptr_t sp)
{
    struct control *block = control;
    forget_abandoned(block, sp);
    return control_begin(block, sp) ? block : NULL;
}

/* May this thread record here? Attaches it where that was not tried before. */
static bool is_ready(uintptr_t sp)
{
    if (!control->in_use) {
        if (control == &control_refused) {
            recorder_count_lost(LOST_CALLS_NO_MEMORY, 1);
            return false;
        }
        if (!thread_attach()) return false;
        overhead_measure();
    }
    if (!is_anothers(control, sp)) return true;
    recorder_count_lost(LOST_CALLS_WHILE_BUSY, 1);
    return false;
}

static void enter(uint64_t address, uintptr_t sp)
{
    struct control *block = begin(sp);
    if (block) {
        frames_enter(block, address, sp);
        control_end(block);
        return;
    }
    /* The flag may have been set a moment ago, its limits not yet. */
    block = control;
    control_go_slow(block);
    block->busy_depth++;
    recorder_count_lost(LOST_CALLS_WHILE_BUSY, 1);
}

REALIGN void slow_enter(uint64_t address, uintptr_t sp)
{
    int saved = errno;
    if (is_ready(sp)) enter(address, sp);
    errno = saved;
}

REALIGN void slow_enter_scope(struct category *category, uintptr_t sp)
{
    int saved = errno;
    /* The address is one of the store that attaching may have made. */
    if (is_ready(sp)) enter(category_address(category, STORE_KIND_SCOPE), sp);
    errno = saved;
}

static void record(struct control *block, const struct slow_event *event)
{
    switch (event->kind) {
    case STORE_KIND_NS:
        category_add_ns(block, event->category, event->value);
        break;
    case STORE_KIND_COUNT:
        category_add_count(block, event->category, (int64_t)event->value);
        break;
    case STORE_KIND_VALUE:
        category_add_value(block, event->category, event->unit, event->value);
        break;
    case STORE_KIND_SCOPE:
        category_add_sample(block, event->category, event->value);
        break;
    case STORE_KINDS:
        break;
    }
}

REALIGN void slow_record(const struct slow_event *event, uintptr_t sp)
{
    int saved = errno;
    if (!control_is_paused() && is_ready(sp)) {
        struct control *block = begin(sp);
        if (block) {
            record(block, event);
            control_end(block);
        } else {
            bool is_counted = event->kind == STORE_KIND_SCOPE;
            recorder_count_lost(is_counted ? LOST_SAMPLES : LOST_CALLS_WHILE_BUSY, 1);
        }
    }
    errno = saved;
}

REALIGN void slow_lap_begin(struct category *category, uintptr_t sp)
{
    int saved = errno;
    if (!control_is_paused() && is_ready(sp)) {
        struct control *block = begin(sp);
        if (block) {
            frames_arrive(block, sp);
            lap_begin(block, category_address(category, STORE_KIND_SCOPE));
            control_end(block);
        } else {
            recorder_count_lost(LOST_LAPS, 1);
        }
    }
    errno = saved;
}

REALIGN void slow_lap_end(struct category *category, uintptr_t sp, uint64_t now)
{
    int saved = errno;
    /* Of a thread that is not attached none is open; one that is ends while paused, too. */
    if (control->in_use && !is_anothers(control, sp)) {
        struct control *block = begin(sp);
        enum clock_source source = (enum clock_source)recorder_settings()->clock_source;
        uint64_t end = source == CLOCK_NS ? clock_now(source) : now;
        if (block) {
            frames_arrive(block, sp);
            lap_end(block, category_address(category, STORE_KIND_SCOPE), end);
            control_end(block);
        } else {
            recorder_count_lost(LOST_LAPS, 1);
        }
    }
    errno = saved;
}

REALIGN void slow_exit(uint64_t address, uintptr_t sp, uint64_t now)
{
    if (!control->in_use) return; /* entered before this thread, or this child, began */
    if (is_anothers(control, sp)) return;
    int saved = errno;
    struct control *block = begin(sp);
    if (block) {
        enum clock_source source = (enum clock_source)recorder_settings()->clock_source;
        frames_exit(block, address, sp, source == CLOCK_NS ? clock_now(source) : now);
        control_end(block);
    } else if (control->busy_depth > 0) {
        control->busy_depth--;
    }
    errno = saved;
}

REALIGN void slow_jump(uintptr_t landing)
{
    uintptr_t sp = stack_address_anew();
    struct control *block = control;
    if (!block->in_use || is_anothers(block, sp)) return;
    int saved = errno;
    /* A slow path that a handler leaves by this jump is given up. */
    forget_abandoned(block, landing);
    if (control_begin(block, sp)) {
        /* A stack without calls has none to end: that of a report, whose demangler jumps, say. */
        if (stacks_knows(block, landing)) {
            frames_arrive(block, landing);
            block->busy_sp = landing; /* where the hooks will be, whose limits the end sets */
        }
        control_end(block);
    }
    errno = saved;
}
