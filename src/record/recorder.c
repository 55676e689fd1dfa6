/* SPDX-License-Identifier: MIT
 *
 * Recorders and their threads. A recorder and its control block belong together for good; a thread
 * that comes when enough of them exist takes over the pair of a thread that is gone. Gone is what
 * the kernel says: destructors that run after the thread's retirement still record. */
#include "record/recorder.h"

#include "base/sys.h"
#include "clock/clock.h"
#include "record/category.h"
#include "record/fold.h"
#include "record/frames.h"
#include "record/func.h"
#include "record/lap.h"
#include "record/space.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"

#include <errno.h>
#include <string.h>

static struct recorder_options options;

void recorder_configure(const struct recorder_options *wanted)
{
    options = *wanted;
    category_forget_store();
}

const struct recorder_options *recorder_settings(void) { return &options; }

static uint64_t ticks_now(void) { return clock_now((enum clock_source)options.clock_source); }

static void describe(struct store_recorder *recorder, const struct recorder_thread *thread)
{
    recorder->tid = thread->tid;
    recorder->parent = thread->parent;
    __atomic_store_n(&recorder->start_routine, thread->start_routine, __ATOMIC_RELAXED);
    if (!recorder->started_ticks) recorder->started_ticks = thread->started_ticks;
    memcpy(recorder->name, thread->name, sizeof recorder->name);
    if (recorder->given_name) {
        struct store_text *given = store_at(options.store, recorder->given_name);
        given->bytes = 0; /* was another thread's */
    }
    recorder->generations++;
    __atomic_store_n(&recorder->state, STORE_THREAD_RUNNING, __ATOMIC_RELEASE);
}

/* Appends to the head's list, oldest first; ids follow the order. Several threads may attach at
 * once. */
static void publish(struct store *store, store_ref ref)
{
    struct store_recorder *recorder = store_at(store, ref);
    store_ref *link = &store_head(store)->recorders;
    for (uint32_t id = 0;; id++) {
        recorder->id = id;
        store_ref next = 0;
        /* Release pairs with the acquire in store/view.c. */
        if (__atomic_compare_exchange_n(link, &next, ref, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return;
        }
        link = &((struct store_recorder *)store_at(store, next))->next;
    }
}

static int fill_block(struct control *block, const struct recorder_thread *thread)
{
    struct store *store = options.store;
    block->base = store->base;
    __atomic_store_n(&block->tid, thread->tid, __ATOMIC_RELAXED);
    block->always_slow = options.clock_source == CLOCK_NS || options.function_samples > 0;
    store_ref ref = space_alloc(block, sizeof(struct store_recorder));
    if (!ref) return -ENOMEM;
    /* Release pairs with the acquire in recorder_of. */
    __atomic_store_n(&block->recorder, store_at(store, ref), __ATOMIC_RELEASE);
    int error = tree_init(block);
    if (!error) error = stacks_init(block, thread->stack_low, thread->stack_high);
    if (error) return error;
    describe(block->recorder, thread);
    publish(store, ref);
    return 0;
}

struct control *recorder_make(const struct recorder_thread *thread)
{
    struct control *block = control_take();
    if (!block) return NULL;
    if (fill_block(block, thread)) {
        /* The block stays taken: memory is gone anyway. */
        __atomic_store_n(&block->recorder, NULL, __ATOMIC_RELAXED);
        return NULL;
    }
    return block;
}

/* Another thread's, perhaps half made: its fields are zeros then. NULL: none yet. */
static struct store_recorder *recorder_of(const struct control *block)
{
    return __atomic_load_n(&block->recorder, __ATOMIC_ACQUIRE);
}

static bool is_gone(uint32_t tid, uint32_t pid, uint32_t own_tid)
{
    if (!tid) return false;
    if (tid == own_tid) return true; /* the number was given again, to us */
    return sys_call3(SYS_tgkill, pid, tid, 0) == -ESRCH;
}

/* A block whose thread is gone, now the caller's; NULL if there is none of this start routine (0 =
 * any). */
static struct control *claim_retired(const struct recorder_thread *thread, bool any)
{
    struct control_process *process = control_process();
    uint32_t used = __atomic_load_n(&process->blocks_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        struct control *block = control_block(i);
        const struct store_recorder *recorder = recorder_of(block);
        if (!recorder) continue;
        /* The kernel is asked of those alone that said they end. */
        uint32_t state = __atomic_load_n(&recorder->state, __ATOMIC_ACQUIRE);
        if (state != STORE_THREAD_EXITED) continue;
        uint64_t routine = __atomic_load_n(&recorder->start_routine, __ATOMIC_RELAXED);
        if (!any && routine != thread->start_routine) continue;
        /* "[other threads]" is nobody's: its tid is 0. */
        uint32_t tid = __atomic_load_n(&block->tid, __ATOMIC_ACQUIRE);
        if (!is_gone(tid, process->pid, thread->tid)) continue;
        /* Of two threads that want it, one changes the owner. */
        if (__atomic_compare_exchange_n(&block->tid, &tid, thread->tid, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return block;
        }
    }
    return NULL;
}

/* Ends what the former thread left behind: a busy flag, open calls. */
static void clean_up(struct control *block, const struct recorder_thread *thread)
{
    block->busy_sp = 0;
    block->too_deep = 0;
    stacks_reuse(block, thread->stack_low, thread->stack_high);
    lap_drop_all(block);
}

static struct control *take_over(const struct recorder_thread *thread)
{
    struct control *block = claim_retired(thread, false);
    if (!block) block = claim_retired(thread, true);
    if (!block) return NULL;
    clean_up(block, thread);
    /* Asked now that nobody else can take it. */
    if (block->recorder->start_routine != thread->start_routine) fold_into_others(block);
    block->recorder->cpu_before_ns = block->recorder->cpu_ns;
    describe(block->recorder, thread);
    if (block->recorder->ended_ticks) block->recorder->ended_ticks = 0;
    (void)__atomic_fetch_sub(&control_process()->retired, 1, __ATOMIC_RELAXED);
    return block;
}

int recorder_attach(const struct recorder_thread *thread)
{
    struct control *block = NULL;
    struct control_process *process = control_process();
    if (!process) return -ENOMEM;
    /* Without a retired one, thousands of living threads are not asked one by one. */
    uint32_t used = __atomic_load_n(&process->blocks_used, __ATOMIC_ACQUIRE);
    uint32_t retired = __atomic_load_n(&process->retired, __ATOMIC_RELAXED);
    if (used >= options.max_threads && (int32_t)retired > 0) block = take_over(thread);
    if (!block) block = recorder_make(thread);
    if (!block) {
        recorder_count_lost(LOST_CALLS_NO_MEMORY, 1);
        control = &control_refused;
        return -ENOMEM;
    }
    control_end(block);
    control = block;
    return 0;
}

static bool is_attached(void) { return control->in_use != 0; }

struct store_recorder *recorder_of_thread(void) { return is_attached() ? control->recorder : NULL; }

/* Room for the longest name, once a recorder. */
static struct store_text *given_name(struct control *block)
{
    store_ref ref = block->recorder->given_name;
    if (!ref) {
        ref = space_alloc(block, sizeof(struct store_text) + RECORDER_NAME_BYTES);
        /* Release pairs with the reader's acquire. */
        __atomic_store_n(&block->recorder->given_name, ref, __ATOMIC_RELEASE);
    }
    return ref ? store_at(options.store, ref) : NULL;
}

bool recorder_give_name(const char *name)
{
    struct control *block = control;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    if (!is_attached() || !control_begin(block, sp)) return false;
    size_t bytes = strnlen(name, RECORDER_NAME_BYTES);
    if (bytes == RECORDER_NAME_BYTES) { /* cut between characters of UTF-8 */
        do bytes--;
        while (bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80);
    }
    struct store_text *text = given_name(block);
    if (text) {
        memcpy(text->data, name, bytes);
        text->data[bytes] = '\0';
        __atomic_store_n(&text->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
    }
    control_end(block);
    return text != NULL;
}

void recorder_set_fiber(uintptr_t low, uintptr_t high)
{
    struct control *block = control;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    if (!is_attached() || !control_begin(block, sp)) return;
    if (stacks_set_fiber(block, low, high, sp)) recorder_count_lost(LOST_STACKS_DROPPED, 1);
    control_end(block);
}

void recorder_retire(uint64_t cpu_ns, const char name[16])
{
    if (!is_attached()) return;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    uint64_t now = ticks_now();
    struct control *block = control;
    if (control_begin(block, sp)) {
        /* pthread_exit and cancellation leave C frames without their exits. */
        stacks_close_all(block);
        control_end(block);
    }
    struct store_recorder *recorder = block->recorder;
    recorder->cpu_ns = recorder->cpu_before_ns + cpu_ns;
    memcpy(recorder->name, name, sizeof recorder->name);
    recorder->ended_ticks = now;
    if (recorder->state != STORE_THREAD_EXITED) {
        (void)__atomic_fetch_add(&control_process()->retired, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&recorder->state, STORE_THREAD_EXITED, __ATOMIC_RELEASE);
}

uint32_t recorder_open_calls(struct recorder_open_call *calls, uint32_t capacity)
{
    if (!is_attached()) return 0;
    const struct control *block = control;
    const struct store_frame *frames = stacks_frames(block);
    uint32_t open = 0;
    for (const struct store_frame *frame = frames + 1; frame <= block->top; frame++) {
        if (!frame->sp) continue;
        if (open < capacity) {
            uint64_t address = tree_node(block->base, frame->node)->address;
            if (frame->start_ticks & STORE_FRAME_MUTED) address = frame->start_ticks;
            calls[open] = (struct recorder_open_call){category_portable(address), frame->sp};
        }
        open++;
    }
    return open;
}

static bool inherit(struct control *block, const struct recorder_open_call *call, uint64_t now)
{
    uint64_t address = category_from_portable(call->address);
    bool is_muted = address & STORE_FRAME_MUTED;
    store_ref node = block->top->node;
    if (!is_muted) node = tree_child(block, node, address | STORE_MARK_INHERITED);
    if (!node) return false;
    struct store_frame *frame = block->top + 1;
    block->top = frame;
    *frame =
        (struct store_frame){.start_ticks = is_muted ? address : now, .sp = call->sp, .node = node};
    return true;
}

void recorder_inherit(const struct recorder_open_call *calls, uint32_t count)
{
    struct control *block = control;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    if (!is_attached() || !control_begin(block, sp)) return;
    uint64_t now = ticks_now();
    for (uint32_t i = 0; i < count; i++) {
        const struct store_frame *end = stacks_frames(block) + block->stack->capacity;
        if (block->top + 1 >= end && !stacks_grow(block)) break;
        if (!inherit(block, &calls[i], now)) break;
        block->inherited++;
    }
    control_end(block);
}

static void forget_nodes(const struct control *block, uint64_t low, uint64_t high)
{
    /* Pair with the releases in tree.c: the table is at least as large as the capacity. */
    uint32_t capacity = __atomic_load_n(&block->slots_capacity, __ATOMIC_ACQUIRE);
    const store_ref *slots = __atomic_load_n(&block->slots, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < capacity; i++) {
        if (!slots[i]) continue;
        struct store_node *node = tree_node(block->base, slots[i]);
        if (node->address & STORE_MARK_CATEGORY) continue;
        uint64_t address = node->address & STORE_ADDRESS_MASK;
        if (address >= low && address < high) tree_mark(node, STORE_MARK_UNLOADED);
    }
}

static void forget_all(struct control *block, uint64_t low, uint64_t high)
{
    forget_nodes(block, low, high);
    func_forget(block, low, high);
    stacks_forget(block, low, high);
}

static void mark_laps(struct control *block, uint64_t wanted, uint64_t beyond)
{
    /* Pair with the releases in tree.c, as in forget_nodes. */
    uint32_t capacity = __atomic_load_n(&block->slots_capacity, __ATOMIC_ACQUIRE);
    const store_ref *slots = __atomic_load_n(&block->slots, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < capacity; i++) {
        struct store_node *node = slots[i] ? tree_node(block->base, slots[i]) : NULL;
        if (node && node->address == wanted) tree_mark(node, STORE_MARK_LAP);
    }
    stacks_forget(block, wanted, beyond);
}

/* Does something to every recorder about the code in [low, high). */
static void each_recorder(void (*act)(struct control *, uint64_t, uint64_t), uint64_t low,
                          uint64_t high)
{
    struct control_process *process = control_process();
    if (!process) return;
    uint32_t used = __atomic_load_n(&process->blocks_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        struct control *block = control_block(i);
        if (recorder_of(block)) act(block, low, high);
    }
}

void recorder_forget_code(uint64_t low, uint64_t high) { each_recorder(forget_all, low, high); }

void recorder_mark_laps(uint64_t address) { each_recorder(mark_laps, address, address + 1); }

void recorder_count_lost(enum lost_kind kind, uint64_t n)
{
    if (is_attached()) {
        control->recorder->lost[kind] += n;
        return;
    }
    if (!options.store || !options.store->base) return;
    (void)__atomic_fetch_add(&store_head(options.store)->lost[kind], n, __ATOMIC_RELAXED);
}

void recorder_note_stack(uintptr_t low, uintptr_t high) { stacks_note(low, high); }
