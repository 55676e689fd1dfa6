/* SPDX-License-Identifier: MIT
 *
 * One claim decides who reports: the first ending takes it and keeps it to the end of the process;
 * an exec gives it back when it fails. Reports are written on the companion's stack, with all
 * signals of this thread blocked; the target's other threads run on and may go on recording into
 * the store that is being read. Runs in any thread, also in a signal handler and after everything
 * else has ended. */
#include "life/finish.h"

#include "base/file.h"
#include "base/fmt.h"
#include "base/onstack.h"
#include "base/reason.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "control/control.h"
#include "life/companion.h"
#include "life/lapnames.h"
#include "life/modules.h"
#include "life/start.h"
#include "life/warn.h"
#include "record/recorder.h"
#include "self/identity.h"
#include "self/outname.h"
#include "self/run.h"
#include "signals/guard.h"
#include "store/rehome.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum finish_phase {
    FINISH_OPEN,
    FINISH_EXEC, /* reported, about to exec */
    FINISH_MADE,
};

/* Written by the claim's owner alone, but for `owner` itself. */
static struct {
    uint32_t owner; /* tid of who reports; 0 = nobody. acquire/release with itself */
    uint32_t phase; /* enum finish_phase */
    uint32_t quick_exit_status;
    char name[sizeof process.out];         /* of the report being made, or of the exec's */
    uint32_t is_new;                       /* what stands under that name stays */
    char store[sizeof process.store.path]; /* removed for the exec's report; empty = none */
} ending;

/* Past what a report may take at most, a waiter no longer waits: its owner hangs for good. */
enum { WAIT_STEP_NS = 1000000, WAIT_BEYOND_NS = 2000000000 };

/* In this order: a forked child in which another thread just begins afresh takes the parent's store
 * away before the page says whose it is, and its own is there before the state says so again. */
bool finish_is_ours(void)
{
    const struct control_process *page = control_process();
    if (!page || __atomic_load_n(&page->pid, __ATOMIC_ACQUIRE) != identity_pid()) return false;
    if (!__atomic_load_n(&process.store.base, __ATOMIC_ACQUIRE)) return false;
    return __atomic_load_n(&process.state, __ATOMIC_ACQUIRE) >= PROCESS_RECORDING;
}

bool finish_claim(void)
{
    uint32_t self = identity_tid(), nobody = 0;
    uint64_t waited_ns = 0;
    while (!__atomic_compare_exchange_n(&ending.owner, &nobody, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        struct timespec step = {.tv_nsec = WAIT_STEP_NS};
        if (nobody == self) return ending.phase == FINISH_EXEC;
        if (waited_ns > 2 * process.settings.report_timeout_ns + WAIT_BEYOND_NS) return false;
        (void)sys_call2(SYS_nanosleep, &step, 0); /* cut short by a signal: asks again */
        waited_ns += WAIT_STEP_NS;
        nobody = 0;
    }
    if (ending.phase != FINISH_MADE) return true;
    __atomic_store_n(&ending.owner, 0, __ATOMIC_RELEASE);
    return false;
}

void finish_release(bool is_made)
{
    ending.phase = is_made ? FINISH_MADE : FINISH_OPEN;
    __atomic_store_n(&ending.owner, 0, __ATOMIC_RELEASE);
}

void finish_set_ending(const struct store_ending *end)
{
    struct store_ending *stored = &store_head(&process.store)->ending;
    uint32_t kind = end->kind;
    struct store_ending copy = *end;
    copy.kind = STORE_ENDING_NONE;
    __atomic_store_n(&stored->kind, STORE_ENDING_NONE, __ATOMIC_RELAXED);
    SIGNAL_FENCE();
    *stored = copy;
    __atomic_store_n(&stored->kind, kind, __ATOMIC_RELEASE); /* pairs with the reader's acquire */
}

static uint64_t cpu_clock_ns(long clock)
{
    struct timespec time = {0};
    if (sys_call2(SYS_clock_gettime, clock, &time)) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The kernel's name of a thread now: programs name their threads late. */
static void read_thread_name(uint32_t tid, char name[16])
{
    char path[64];
    struct fmt text = fmt_over(path, sizeof path);
    fmt_text(&text, "/proc/self/task/");
    fmt_u64(&text, tid);
    fmt_text(&text, "/comm");
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return;
    char read[16];
    long bytes = sys_call3(SYS_read, fd, read, sizeof read);
    (void)sys_call1(SYS_close, fd);
    if (bytes < 1) return;
    if (read[bytes - 1] == '\n') bytes--;
    if (bytes > 15) bytes = 15;
    memcpy(name, read, (size_t)bytes);
    memset(name + bytes, 0, 16 - (size_t)bytes);
}

/* CPU time and name of the threads that live; those that ended have noted theirs. */
static void refresh_threads(void)
{
    const struct store_head *head = store_head(&process.store);
    store_ref at = __atomic_load_n(&head->recorders, __ATOMIC_ACQUIRE);
    while (at) {
        struct store_recorder *thread = store_at(&process.store, at);
        at = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) != STORE_THREAD_RUNNING) continue;
        /* The kernel's clock of another thread: MAKE_THREAD_CPUCLOCK in linux/posix-timers.h. */
        enum { THREAD_CPU = 6 };
        uint64_t cpu_ns = cpu_clock_ns((long)(int)(~thread->tid << 3 | THREAD_CPU));
        if (!cpu_ns || !thread->tid) continue;
        cpu_ns += thread->cpu_before_ns;
        __atomic_store_n(&thread->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
        read_thread_name(thread->tid, thread->name);
    }
}

static void refresh_head(void)
{
    struct store_head *head = store_head(&process.store);
    struct clock_pair pair = clock_read_pair((enum clock_source)head->clock_source);
    head->last_ticks = pair.ticks;
    head->last_raw_ns = pair.raw_ns;
    head->last_error_ns = pair.error_ns;
    head->cpu_ns = cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static long call_write(void *request) { return companion_table()->write(request); }

static long write_on_stack(void *request)
{
    struct onstack place;
    return onstack_call(&place, call_write, request, companion_stack_top());
}

/* Brings the head's clocks and the threads' rows up to date and has the companion write, guarded
 * (between guard_begin and guard_end). Signals are blocked. 0 or −errno. */
static int write_report(const char *path, bool is_snapshot)
{
    const struct store_head *head = store_head(&process.store);
    if (!companion_table()) return -ENOSYS;
    modules_store();
    refresh_threads();
    refresh_head();
    struct report_request request = {
        .store = process.store.base,
        .store_bytes = __atomic_load_n(&head->used_bytes, __ATOMIC_ACQUIRE),
        /* What a report takes is not the program's: its calls end with it. */
        .now_ticks = head->ending.kind && !is_snapshot ? head->ending.ticks : head->last_ticks,
        .path = path,
        .is_snapshot = is_snapshot,
        .is_new = (int)ending.is_new,
    };
    int result = (int)guard_run(write_on_stack, &request, process.settings.report_timeout_ns);
    /* No errors of the report's own: the guard left it in its middle. */
    if (result == -ETIMEDOUT || result == -EFAULT) companion_table()->abandon();
    return result;
}

/* Why there is no report, what to do, and what is kept. */
static void say_failed(const char *path, int error)
{
    const char *store = process.store.path;
    char line[1024];
    struct fmt text = fmt_over(line, sizeof line);
    if (error != -ENOSYS) {
        fmt_text(&text, path);
        fmt_text(&text, ": ");
        reason_add(&text, error);
    }
    fmt_text(&text, store[0] ? "; what was recorded is kept: stint recover -o FILE "
                             : "; what was recorded is lost, it was in memory alone");
    fmt_text(&text, store);
    warn_once(error == -ENOSYS ? WARN_NO_COMPANION_YET : WARN_REPORT, line);
}

/* Its report stands. A program that gave up its rights can't take it away. */
static void remove_store(void)
{
    if (store_unlink(&process.store)) warn_once(WARN_STORE_STAYS, process.store.path);
}

/* A pid comes again: in a long run, or in two namespaces at once. What this run reported under our
 * name is another process's, unless it is a snapshot of ours. */
static bool keeps_what_is_there(const char *name)
{
    struct stat status;
    if (process.is_root || store_head(&process.store)->snapshots) return false;
    if (sys_call4(SYS_newfstatat, AT_FDCWD, name, &status, AT_SYMLINK_NOFOLLOW)) return true;
    if (!S_ISREG(status.st_mode)) return false;
    uint64_t written_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return written_ns >= run_started_unix_ns(process.run);
}

/* `<name>`, `<name>.2`, … before the extension: the first that is free. */
static int write_named(void)
{
    enum { SAME_NAMES = 10000 };
    int result = -EEXIST;
    for (unsigned n = 1; n < SAME_NAMES && result == -EEXIST; n++) {
        char insert[16];
        struct fmt text = fmt_over(insert, sizeof insert);
        if (n > 1) {
            fmt_char(&text, '.');
            fmt_u64(&text, n);
        }
        if (!start_out_name(store_head(&process.store)->snapshots + 1, insert, ending.name,
                            sizeof ending.name)) {
            memcpy(ending.name, process.out, sizeof ending.name);
            return -ENAMETOOLONG;
        }
        ending.is_new = keeps_what_is_there(ending.name);
        if (n < SAME_NAMES - 1 && ending.is_new &&
            !sys_call4(SYS_faccessat, AT_FDCWD, ending.name, 0, 0))
            continue;
        result = write_report(ending.name, false);
        ending.is_new = 0;
    }
    return result;
}

int finish_write_final(void)
{
    char *name = ending.name;
    __atomic_store_n(&process.state, PROCESS_FINISHED, __ATOMIC_RELEASE);
    int result = write_named();
    if (result)
        say_failed(name, result);
    else
        remove_store();
    return result;
}

int finish_write_again(void) { return write_report(ending.name, false); }

/* `path` of `bytes`, as the caller means it at this moment, into the claim's name. */
static int name_absolute(const char *path, size_t bytes)
{
    struct fmt name = fmt_over(ending.name, sizeof ending.name);
    if (!bytes) return -ENOENT;
    if (path[0] != '/') {
        long length = sys_call2(SYS_getcwd, ending.name, sizeof ending.name);
        if (length <= 0) return length ? (int)length : -ENOENT;
        if (ending.name[0] != '/') return -ENOENT; /* the directory is out of reach */
        name.length = (size_t)length - 1;
        if (name.length > 1) fmt_char(&name, '/');
    }
    fmt_bytes(&name, path, bytes);
    return name.cut ? -ENAMETOOLONG : 0;
}

/* NULL: the process's own name, with the snapshot's number. */
static int write_snapshot(const char *path, size_t bytes)
{
    struct store_head *head = store_head(&process.store);
    bool fits = path || start_out_name(head->snapshots + 1, "", ending.name, sizeof ending.name);
    int result = !fits ? -ENAMETOOLONG : path ? name_absolute(path, bytes) : 0;
    if (!result) result = write_report(ending.name, true);
    if (result) return result;
    head->snapshots++;
    start_note_out();
    return 0;
}

int finish_write_snapshot(void) { return write_snapshot(NULL, 0); }

static struct store_ending ending_now(enum store_ending_kind kind, int status)
{
    const struct store_recorder *thread = recorder_of_thread();
    return (struct store_ending){
        .kind = kind,
        .status = status,
        .recorder = thread ? thread->id + 1 : 0,
        .ticks = start_ticks_now(),
    };
}

void finish_process(enum store_ending_kind kind, int status)
{
    struct file_guard guard;
    int error = errno;
    if (!finish_is_ours()) return;
    file_guard(&guard);
    if (finish_claim()) {
        struct store_ending end = ending_now(kind, status);
        finish_set_ending(&end);
        guard_begin(true);
        (void)finish_write_final(); /* has said why not */
        guard_end();
        finish_release(true);
    }
    file_unguard(&guard);
    errno = error;
}

int finish_snapshot(const char *path)
{
    struct file_guard guard;
    int result = -ESRCH, error = errno;
    /* First, while a fault is still the caller's own. */
    size_t bytes = path ? strnlen(path, sizeof ending.name) : 0;
    if (!finish_is_ours()) return -ESRCH;
    /* A handler that interrupted this thread's report, or came between its exec and the end. */
    if (__atomic_load_n(&ending.owner, __ATOMIC_RELAXED) == identity_tid()) return -EBUSY;
    file_guard(&guard);
    if (finish_claim()) {
        guard_begin(false);
        result = write_snapshot(path, bytes);
        guard_end();
        finish_release(false);
    }
    file_unguard(&guard);
    errno = error;
    return result;
}

/* True where the intended name tells this process from others by its pid already. */
static bool name_has_pid(void) { return !process.is_root || outname_has_pid(process.settings.out); }

/* `<name>.<pid>.exec<N>.json` with the first N whose file is not there yet. */
static bool name_exec_report(void)
{
    enum { LIVES = 10000 };
    for (unsigned life = 1; life < LIVES; life++) {
        char insert[64];
        struct fmt text = fmt_over(insert, sizeof insert);
        if (!name_has_pid()) {
            fmt_char(&text, '.');
            fmt_u64(&text, identity_pid());
        }
        fmt_text(&text, ".exec");
        fmt_u64(&text, life);
        if (!start_out_name(store_head(&process.store)->snapshots + 1, insert, ending.name,
                            sizeof ending.name))
            return false;
        if (process.is_to_device) return true;
        if (sys_call4(SYS_faccessat, AT_FDCWD, ending.name, 0, 0) == -ENOENT) return true;
    }
    return false;
}

void finish_before_exec(void)
{
    struct file_guard guard;
    int error = errno;
    if (!finish_is_ours()) return;
    file_guard(&guard);
    if (finish_claim()) {
        struct store_ending end = ending_now(STORE_ENDING_EXEC, 0);
        finish_set_ending(&end);
        guard_begin(false);
        int result = name_exec_report() ? write_report(ending.name, false) : -ENAMETOOLONG;
        guard_end();
        memcpy(ending.store, process.store.path, sizeof ending.store);
        if (result)
            say_failed(ending.name, result);
        else
            remove_store();
        if (result || process.is_to_device) ending.name[0] = '\0'; /* nothing to take away */
        ending.phase = FINISH_EXEC; /* the claim is kept: the kernel ends the other threads */
    }
    file_unguard(&guard);
    errno = error;
}

/* No other thread records; one whose end nobody saw counts as if it did. */
static bool is_alone(void)
{
    const struct store_head *head = store_head(&process.store);
    const struct store_recorder *own = recorder_of_thread();
    store_ref at = __atomic_load_n(&head->recorders, __ATOMIC_ACQUIRE);
    while (at) {
        const struct store_recorder *thread = store_at(&process.store, at);
        at = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
        if (thread == own) continue;
        if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == STORE_THREAD_RUNNING) return false;
    }
    return true;
}

void finish_exec_failed(void)
{
    static const struct store_ending none;
    if (!finish_is_ours()) return;
    if (__atomic_load_n(&ending.owner, __ATOMIC_RELAXED) != identity_tid()) return;
    if (ending.phase != FINISH_EXEC) return;
    finish_set_ending(&none);
    store_rehome(&process.store, ending.store, is_alone());
    if (ending.name[0]) (void)sys_call3(SYS_unlinkat, AT_FDCWD, ending.name, 0);
    finish_release(false);
}

void finish_note_quick_exit(int status)
{
    __atomic_store_n(&ending.quick_exit_status, (uint32_t)status, __ATOMIC_RELAXED);
}

static bool is_to_be_made(void)
{
    return finish_is_ours() && __atomic_load_n(&ending.phase, __ATOMIC_RELAXED) != FINISH_MADE;
}

/* A normal end may still ask the loader: what came late is in the report, and its writer is there.
 */
static void finish_normally(int status)
{
    int error = errno;
    if (finish_is_ours()) {
        companion_open();
        modules_catch_up();
        lapnames_look();
        lapnames_tell_missing();
        finish_process(STORE_ENDING_EXIT, status);
    }
    errno = error;
}

/* While this runs, another thread may call exit, and libc takes it past handlers that have begun,
 * straight to the end. So there is always one more for it to meet, which waits for the report. */
static void at_exit(int status, void *unused)
{
    if (is_to_be_made()) (void)on_exit(at_exit, NULL);
    finish_normally(status & 0xff);
}

static void at_quick_exit_end(void)
{
    if (is_to_be_made()) (void)at_quick_exit(at_quick_exit_end);
    finish_normally((int)__atomic_load_n(&ending.quick_exit_status, __ATOMIC_RELAXED) & 0xff);
}

void finish_register(void)
{
    /* More than one, for threads that call exit at the same moment: each begins by adding another.
     * Refused only without memory: then the process ends without a report, and its store is kept.
     */
    enum { AT_ONCE = 4 };
    for (int i = 0; i < AT_ONCE; i++) {
        (void)on_exit(at_exit, NULL);
        (void)at_quick_exit(at_quick_exit_end);
    }
}

void finish_child(void) { memset(&ending, 0, sizeof ending); }
