/* SPDX-License-Identifier: MIT
 *
 * The independent counter: a preload that only counts enter events by function address, thread by
 * thread, and writes what it counted at the end. It shares no idea with stint: no stack, no clock,
 * no store, symbols left to others. Preloaded before libstint.so it hands every event on, so that
 * both count one and the same run. Output: COUNT_OUT.<pid>, lines "thread TID", "module+0xoffset
 * count".
 *
 * A life that ends by exec is written to COUNT_OUT.<pid>.exec<N> (execve, execv, execvp, execvpe:
 * not execl and kin). A forked child starts from nothing; a process that dies by a signal leaves
 * nothing. dlclose is refused, so that an address means one function for ever. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

struct slot {
    uintptr_t function;
    uint64_t count;
};

/* A thread's table, linked so that the end can find those of dead threads. Doubled when half full.
 */
struct table {
    struct table *next;
    pid_t tid;
    struct slot *slots;
    size_t capacity, used;
};

static struct table *tables;
static void (*next_enter)(void *, void *);
static void (*next_exit)(void *, void *);
static void (*next__exit)(int);
static __thread struct table *mine __attribute__((tls_model("initial-exec")));
static pid_t owner;
static int written;

static void *pages(size_t bytes)
{
    void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) abort();
    return got;
}

static struct slot *slot_of(struct slot *slots, size_t capacity, uintptr_t function)
{
    size_t at = (size_t)((function * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (capacity - 1);
    while (slots[at].function && slots[at].function != function) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static void grow(struct table *table)
{
    size_t capacity = table->capacity ? 2 * table->capacity : 1024;
    struct slot *slots = pages(capacity * sizeof *slots);
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].function)
            *slot_of(slots, capacity, table->slots[i].function) = table->slots[i];
    if (table->slots) munmap(table->slots, table->capacity * sizeof *slots);
    table->slots = slots;
    table->capacity = capacity;
}

static struct table *begin(void)
{
    struct table *table = pages(sizeof *table);
    grow(table);
    table->tid = (pid_t)syscall(SYS_gettid);
    mine = table;
    table->next = __atomic_load_n(&tables, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&tables, &table->next, table, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return table;
}

PUBLIC void __cyg_profile_func_enter(void *function, void *caller);
PUBLIC void __cyg_profile_func_enter(void *function, void *caller)
{
    struct table *table = mine ? mine : begin();
    struct slot *slot = slot_of(table->slots, table->capacity, (uintptr_t)function);
    if (!slot->function) {
        slot->function = (uintptr_t)function;
        if (2 * ++table->used > table->capacity) {
            grow(table);
            slot = slot_of(table->slots, table->capacity, (uintptr_t)function);
        }
    }
    slot->count++;
    /* a tail call: the next hook finds the stack as its caller left it */
    if (next_enter) next_enter(function, caller);
}

PUBLIC void __cyg_profile_func_exit(void *function, void *caller);
PUBLIC void __cyg_profile_func_exit(void *function, void *caller)
{
    if (next_exit) next_exit(function, caller);
}

/* the end */

static void write_slot(int fd, const struct slot *slot)
{
    Dl_info info;
    char line[4200];
    int bytes;
    struct link_map *map;
    if (dladdr1((void *)slot->function, &info, (void **)&map, RTLD_DL_LINKMAP) && map) {
        /* the program's own name there is argv[0], which programs overwrite */
        char *absolute = realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", NULL);
        bytes = snprintf(line, sizeof line, "%s+%#lx %lu\n", absolute ? absolute : map->l_name,
                         slot->function - map->l_addr, slot->count);
        free(absolute);
    } else {
        bytes = snprintf(line, sizeof line, "?+%#lx %lu\n", slot->function, slot->count);
    }
    if (write(fd, line, (size_t)bytes) != bytes) abort();
}

static char out_name[4096];

static void write_to(const char *name)
{
    if (__atomic_exchange_n(&written, 1, __ATOMIC_SEQ_CST) || !tables) return;
    char line[64];
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return;
    for (struct table *table = tables; table; table = table->next) {
        int bytes = snprintf(line, sizeof line, "thread %d\n", (int)table->tid);
        if (write(fd, line, (size_t)bytes) != bytes) abort();
        for (size_t i = 0; i < table->capacity; i++)
            if (table->slots[i].function) write_slot(fd, &table->slots[i]);
    }
    close(fd);
}

static void write_all(void)
{
    char name[4200];
    snprintf(name, sizeof name, "%s.%d", out_name, (int)getpid());
    write_to(name);
}

static void at_exit(int status, void *argument)
{
    (void)status, (void)argument;
    write_all();
}

static void in_child(void)
{
    tables = NULL;
    mine = NULL;
    written = 0;
    owner = getpid();
}

/* Constructors of others call the hooks before ours: what comes before this is not handed on, so
 * it would be seen as a difference. */
__attribute__((constructor(101))) static void start(void)
{
    next_enter = (void (*)(void *, void *))(uintptr_t)dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
    next_exit = (void (*)(void *, void *))(uintptr_t)dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
    next__exit = (void (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "_exit");
    const char *out = getenv("COUNT_OUT");
    snprintf(out_name, sizeof out_name, "%s", out ? out : "count");
    owner = getpid();
    pthread_atfork(NULL, NULL, in_child);
    on_exit(at_exit, NULL);
}

PUBLIC _Noreturn void _exit(int status)
{
    if (getpid() == owner || written == 0) write_all();
    if (next__exit) next__exit(status);
    for (;;) syscall(SYS_exit_group, status);
}

PUBLIC _Noreturn void _Exit(int status) { _exit(status); }

/* An exec that fails takes its file back. A child of vfork shares our tables and writes nothing. */
#define EXEC(name, parameters, ...)                                                                \
    PUBLIC int name parameters                                                                     \
    {                                                                                              \
        int(*next) parameters = (int(*) parameters)(uintptr_t)dlsym(RTLD_NEXT, #name);             \
        char out[4200];                                                                            \
        bool is_ours = getpid() == owner && tables;                                                \
        for (int life = 1; is_ours; life++) {                                                      \
            snprintf(out, sizeof out, "%s.%d.exec%d", out_name, (int)owner, life);                 \
            if (access(out, F_OK)) break;                                                          \
        }                                                                                          \
        if (is_ours) write_to(out);                                                                \
        int result = next(__VA_ARGS__), error = errno;                                             \
        if (is_ours) unlink(out);                                                                  \
        if (is_ours) written = 0;                                                                  \
        errno = error;                                                                             \
        return result;                                                                             \
    }
EXEC(execve, (const char *path, char *const argv[], char *const envp[]), path, argv, envp)
EXEC(execv, (const char *path, char *const argv[]), path, argv)
EXEC(execvp, (const char *file, char *const argv[]), file, argv)
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), file, argv, envp)

PUBLIC int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
