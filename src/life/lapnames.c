/* SPDX-License-Identifier: MIT
 *
 * modules → companion (symbols are its room) → one sorted list, which the recorder asks on its slow
 * path. A list that another replaces stays where it is: a thread may be searching it. Reading names
 * needs more stack than a thread may have, so it is done on one that is mapped for it. Runs in safe
 * places; a second thread that comes meanwhile leaves it to the first. */
#include "life/lapnames.h"

#include "base/arena.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/fmt.h"
#include "base/onstack.h"
#include "base/sys.h"
#include "life/companion.h"
#include "life/modules.h"
#include "life/start.h"
#include "life/warn.h"
#include "record/func.h"
#include "record/recorder.h"
#include "self/identity.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { FOUND_BYTES = 1 << 20 };

/* A function that is looked after, in the order in which they were found. */
struct target {
    struct target *next;
    struct func_lap lap;
    uint32_t object; /* number among the modules */
};

static struct {
    uint32_t busy;    /* pid of who looks; 0 = nobody. A child's parent may have been at it */
    uint32_t objects; /* looked at */
    uint32_t count;   /* of targets */
    struct target *targets;
    uint64_t fitting; /* a bit a pattern */
    struct arena arena;
} names;

static void *map(long bytes)
{
    long at = sys_call6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

static long call_search(void *search) { return (long)companion_table()->search(search); }

static size_t search_on_stack(struct report_search *search)
{
    struct onstack place;
    uint8_t *stack = map(COMPANION_STACK_BYTES);
    if (!stack) return 0;
    long bytes = onstack_call(&place, call_search, search, stack + COMPANION_STACK_BYTES);
    (void)sys_call2(SYS_munmap, stack, (long)COMPANION_STACK_BYTES);
    return (size_t)bytes;
}

static void add_target(const struct report_found *found, uint64_t bias, uint32_t object)
{
    struct target *target = arena_alloc(&names.arena, sizeof *target);
    const char *name = arena_copy(&names.arena, found->name, strlen(found->name));
    if (!target || !name) return;
    *target = (struct target){names.targets, {found->address + bias, name}, object};
    names.targets = target;
    names.count++;
}

static bool look_at(const struct modules_object *object, uint32_t number)
{
    uint64_t fitting = 0;
    char *out = map(FOUND_BYTES);
    if (!out) return false;
    struct report_search search = {.path = object->path,
                                   .build_id = object->build_id,
                                   .build_id_bytes = object->build_id_bytes,
                                   .patterns = process.settings.frame_function,
                                   .out = out,
                                   .capacity = FOUND_BYTES,
                                   .fitting = &fitting};
    size_t bytes = search_on_stack(&search);
    for (size_t at = 0; at < bytes;) {
        const struct report_found *found = (const struct report_found *)(void *)(out + at);
        add_target(found, object->bias, number);
        at += found->bytes;
    }
    names.fitting |= fitting;
    (void)sys_call2(SYS_munmap, out, FOUND_BYTES);
    return bytes > 0;
}

static bool drop_gone(void)
{
    bool has_changed = false;
    for (struct target **link = &names.targets; *link;) {
        struct modules_object object;
        if (modules_object((*link)->object, &object) && !object.is_gone) {
            link = &(*link)->next;
            continue;
        }
        *link = (*link)->next;
        names.count--;
        has_changed = true;
    }
    return has_changed;
}

static void sort(struct func_lap *items, uint32_t count)
{
    for (uint32_t gap = count / 2; gap; gap /= 2) { /* Shell's, 1959 */
        for (uint32_t i = gap; i < count; i++) {
            struct func_lap held = items[i];
            uint32_t at = i;
            for (; at >= gap && items[at - gap].address > held.address; at -= gap)
                items[at] = items[at - gap];
            items[at] = held;
        }
    }
}

static void publish(void)
{
    struct func_laps *list =
        arena_alloc(&names.arena, sizeof *list + names.count * sizeof list->items[0]);
    if (!list) return;
    for (const struct target *target = names.targets; target; target = target->next)
        list->items[list->count++] = target->lap;
    sort(list->items, list->count);
    func_watch(list);
    for (uint32_t i = 0; i < list->count; i++) recorder_mark_laps(list->items[i].address);
}

static void look(void)
{
    bool has_changed = drop_gone();
    struct modules_object object;
    for (; modules_object(names.objects, &object); names.objects++) {
        if (object.is_gone || !object.can_record) continue;
        has_changed |= look_at(&object, names.objects);
    }
    if (has_changed) publish();
}

/* True for one thread of this process. */
static bool claim(void)
{
    uint32_t self = identity_pid(), before = __atomic_load_n(&names.busy, __ATOMIC_RELAXED);
    return before != self && __atomic_compare_exchange_n(&names.busy, &before, self, false,
                                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

COLD void lapnames_look(void)
{
    if (LIKELY(!process.settings.frame_function[0])) return;
    if (!companion_table() || !claim()) return;
    int saved = errno;
    modules_catch_up();
    struct file_guard guard;
    file_guard(&guard);
    look();
    file_unguard(&guard);
    __atomic_store_n(&names.busy, 0, __ATOMIC_RELEASE);
    errno = saved;
}

COLD void lapnames_tell_missing(void)
{
    char missing[256];
    struct fmt out = fmt_over(missing, sizeof missing);
    const char *pattern = process.settings.frame_function;
    if (!*pattern || !names.objects) return;
    for (uint32_t i = 0; i < 64; i++) {
        size_t bytes = strcspn(pattern, ",");
        if (bytes && !(names.fitting >> i & 1)) {
            if (out.length) fmt_text(&out, ", ");
            fmt_bytes(&out, pattern, bytes);
        }
        if (!pattern[bytes]) break;
        pattern += bytes + 1;
    }
    if (out.length) warn_once(WARN_FRAME_FUNCTION, missing);
}
