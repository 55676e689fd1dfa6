/* SPDX-License-Identifier: MIT
 *
 * dl_iterate_phdr → a list of loaded objects that only grows → module records in the store. Entries
 * lie in chunks that never move and are published by the count, so that anybody reads them without
 * the lock; adding, marking and writing to the store happen under it. A signal handler that comes
 * upon the lock gives up: whoever holds it writes what is missing before he goes. */
#include "life/modules.h"

#include "base/arena.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/fmt.h"
#include "base/sys.h"
#include "life/start.h"
#include "record/recorder.h"
#include "self/elfimage.h"
#include "self/identity.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

enum { CHUNK_ENTRIES = 64, MOST_CHUNKS = 256 };

struct entry {
    uintptr_t low, high, bias;
    const char *path; /* absolute where it could be made so */
    uint32_t path_bytes;
    uint32_t build_id_bytes;
    uint8_t build_id[32];
    bool is_gone;         /* unloaded */
    bool has_search_path; /* RPATH or RUNPATH */
    bool is_seen;         /* by the scan that goes on */
    bool can_record;      /* imports the hooks or stint's API */
    store_ref record;     /* of the store that is used now */
};

static struct {
    struct entry *chunks[MOST_CHUNKS];
    uint32_t count; /* release, after the entry is whole */
    uint32_t lock;  /* tid of the holder */
    uint32_t is_changed;
    bool can_record;
    bool has_rpath; /* of an object other than the program: counts for what that loads, too */
    store_ref last_record; /* the newest of the store's list */
    uint64_t adds, subs;   /* the loader's counters at the newest scan */
    struct arena paths;
} list;

static struct entry *entry_at(uint32_t i)
{
    return &list.chunks[i / CHUNK_ENTRIES][i % CHUNK_ENTRIES];
}

static uint32_t count_now(void)
{
    /* Pairs with the release in append. */
    return __atomic_load_n(&list.count, __ATOMIC_ACQUIRE);
}

/* Waits at most a tenth of a second for another thread; never for oneself. */
static bool lock_list(void)
{
    const struct timespec pause = {0, 100000};
    uint32_t self = identity_tid();
    for (int i = 0; i < 1000; i++) {
        uint32_t holder = 0;
        if (__atomic_compare_exchange_n(&list.lock, &holder, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
        if (holder == self) return false;
        (void)sys_call2(SYS_nanosleep, &pause, NULL);
    }
    return false;
}

static void unlock_list(void) { __atomic_store_n(&list.lock, 0, __ATOMIC_RELEASE); }

static bool make_room(void)
{
    uint32_t chunk = list.count / CHUNK_ENTRIES;
    if (chunk >= MOST_CHUNKS) return false;
    if (list.chunks[chunk]) return true;
    list.chunks[chunk] = arena_alloc(&list.paths, CHUNK_ENTRIES * sizeof(struct entry));
    return list.chunks[chunk] != NULL;
}

/* The loader calls the program "" and knows others by the name they were asked for, which is
 * relative to where the program is now. */
static bool set_path(struct entry *entry, const char *name)
{
    static char path[8192]; /* under the lock */
    size_t length = 0;
    if (!*name) {
        length = identity_executable(path, sizeof path - 1);
    } else {
        struct fmt out = fmt_over(path, sizeof path);
        if (name[0] != '/' && sys_call2(SYS_getcwd, path, sizeof path / 2) > 0) {
            out.length = strlen(path);
            fmt_char(&out, '/');
        }
        fmt_text(&out, name);
        length = out.length;
    }
    entry->path = arena_copy(&list.paths, path, length);
    entry->path_bytes = (uint32_t)length;
    return entry->path != NULL;
}

static void append(const struct elfimage *image, const char *name)
{
    if (!make_room()) return;
    struct entry *entry = entry_at(list.count);
    *entry = (struct entry){.low = image->low, .high = image->high, .bias = image->bias};
    if (!set_path(entry, name)) return;
    entry->has_search_path = elfimage_has_search_path(image);
    if (*name && elfimage_has_rpath(image)) list.has_rpath = true;
    entry->build_id_bytes = elfimage_build_id(image, entry->build_id, sizeof entry->build_id);
    entry->is_seen = true;
    entry->can_record = elfimage_imports_stint(image);
    if (entry->can_record) list.can_record = true;
    /* Pairs with the acquire in count_now. */
    __atomic_store_n(&list.count, list.count + 1, __ATOMIC_RELEASE);
}

/* Another object may have come to the same place between two scans. */
static bool is_same(const struct entry *entry, const struct elfimage *image)
{
    uint8_t build_id[sizeof entry->build_id];
    uint32_t bytes = elfimage_build_id(image, build_id, sizeof build_id);
    return bytes == entry->build_id_bytes && memcmp(build_id, entry->build_id, bytes) == 0;
}

static struct entry *find_loaded(const struct elfimage *image)
{
    for (uint32_t i = list.count; i-- > 0;) {
        struct entry *entry = entry_at(i);
        if (!entry->is_gone && entry->low == image->low && entry->high == image->high)
            return is_same(entry, image) ? entry : NULL;
    }
    return NULL;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *is_first)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
        if (*(bool *)is_first && info->dlpi_adds == list.adds && info->dlpi_subs == list.subs)
            return 1; /* nothing came or went since the newest scan */
        *(bool *)is_first = false;
        list.adds = info->dlpi_adds;
        list.subs = info->dlpi_subs;
    }
    struct elfimage image;
    if (!elfimage_init(&image, info)) return 0;
    if (image.low <= getauxval(AT_SYSINFO_EHDR) && getauxval(AT_SYSINFO_EHDR) < image.high)
        return 0; /* the vdso is nobody's code */
    struct entry *known = find_loaded(&image);
    if (known)
        known->is_seen = true;
    else
        append(&image, info->dlpi_name);
    return 0;
}

static bool has_store(void)
{
    return __atomic_load_n(&process.state, __ATOMIC_ACQUIRE) >= PROCESS_RECORDING &&
           process.store.base;
}

static void write_entry(struct entry *entry)
{
    struct store *store = &process.store;
    store_ref ref = store_alloc(store, sizeof(struct store_module), 8);
    store_ref path = ref ? store_copy_text(store, entry->path, entry->path_bytes) : 0;
    if (!path) return;
    struct store_module *module = store_at(store, ref);
    module->low = entry->low;
    module->high = entry->high;
    module->bias = entry->bias;
    module->path = path;
    module->build_id_bytes = entry->build_id_bytes;
    memcpy(module->build_id, entry->build_id, sizeof module->build_id);
    store_ref *link = &store_head(store)->modules;
    if (list.last_record) {
        struct store_module *last = store_at(store, list.last_record);
        link = &last->next;
        module->id = last->id + 1;
    }
    if (has_store())
        module->loaded_ticks = start_ticks_now(); /* else it was there from the start */
    entry->record = list.last_record = ref;
    /* Pairs with the acquire in view.c. */
    __atomic_store_n(link, ref, __ATOMIC_RELEASE);
}

static void write_missing(void)
{
    for (uint32_t i = 0; i < list.count; i++) {
        struct entry *entry = entry_at(i);
        if (!entry->record && !entry->is_gone) write_entry(entry);
    }
}

static void mark_gone(struct entry *entry)
{
    entry->is_gone = true;
    if (!entry->record || !has_store()) return;
    struct store_module *module = store_at(&process.store, entry->record);
    __atomic_store_n(&module->unloaded_ticks, start_ticks_now(), __ATOMIC_RELEASE);
    recorder_forget_code(entry->low, entry->high);
}

static void mark_unseen(void)
{
    for (uint32_t i = 0; i < list.count; i++) {
        struct entry *entry = entry_at(i);
        if (!entry->is_gone && !entry->is_seen) mark_gone(entry);
    }
}

COLD void modules_rescan(void)
{
    struct file_guard guard;
    file_guard(&guard);
    if (lock_list()) {
        __atomic_store_n(&list.is_changed, 0, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < list.count; i++) entry_at(i)->is_seen = false;
        bool is_first = true;
        (void)dl_iterate_phdr(note_object, &is_first);
        if (!is_first) mark_unseen();
        if (has_store()) write_missing();
        unlock_list();
    }
    file_unguard(&guard);
}

bool modules_can_record(void) { return list.can_record; }

void modules_announce(void) { list.can_record = true; }

void modules_note_change(void) { __atomic_store_n(&list.is_changed, 1, __ATOMIC_RELAXED); }

void modules_catch_up(void)
{
    if (UNLIKELY(__atomic_load_n(&list.is_changed, __ATOMIC_RELAXED))) modules_rescan();
}

void modules_store(void)
{
    struct file_guard guard;
    file_guard(&guard);
    if (lock_list()) {
        write_missing();
        unlock_list();
    }
    file_unguard(&guard);
}

void modules_forget_store(void)
{
    list.lock = 0; /* its holder, if any, lives on in the parent alone */
    list.last_record = 0;
    for (uint32_t i = 0; i < count_now(); i++) entry_at(i)->record = 0;
}

bool modules_object(uint32_t i, struct modules_object *object)
{
    if (i >= count_now()) return false;
    const struct entry *entry = entry_at(i);
    *object = (struct modules_object){.path = entry->path,
                                      .build_id = entry->build_id,
                                      .bias = entry->bias,
                                      .build_id_bytes = entry->build_id_bytes,
                                      .is_gone = entry->is_gone,
                                      .can_record = entry->can_record};
    return true;
}

static const struct entry *holder_of(uintptr_t address)
{
    for (uint32_t i = count_now(); i-- > 0;) {
        const struct entry *entry = entry_at(i);
        if (!entry->is_gone && address >= entry->low && address < entry->high) return entry;
    }
    return NULL;
}

bool modules_caller_matters(const char *name, uintptr_t caller)
{
    if (!name) return false;
    if (strchr(name, '$')) return true;
    if (strchr(name, '/')) return false;
    const struct entry *entry = holder_of(caller);
    return !entry || entry->has_search_path || list.has_rpath;
}
