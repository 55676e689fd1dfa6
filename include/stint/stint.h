/* SPDX-License-Identifier: MIT
 *
 * What a program can say for itself: scopes, durations, frames, counters and values, which stint
 * records beside the functions. Header only, C99 and C++11, nothing to link; stint(3) explains all
 * of it. Without libstint.so each call is a load and a branch that is not taken. Each loaded module
 * finds stint's table of functions when it is loaded; what it calls before that is not recorded.
 * errno is kept. */
#ifndef STINT_STINT_H
#define STINT_STINT_H

#include <stddef.h>
#include <stdint.h>

#define STINT_VERSION 1 /* of the table; a libstint.so without it is as none at all */

/* A name's handle. */
typedef struct stint_handle stint_handle;

/* What libstint.so gives. Functions are only ever appended. */
struct stint_table {
    uint32_t version, bytes;
    stint_handle *(*category)(const char *name);
    void (*scope_enter)(stint_handle *category);
    void (*scope_leave)(stint_handle *category);
    void (*record)(const char *name, uint64_t ns);
    void (*record_to)(stint_handle *category, uint64_t ns);
    void (*count)(const char *name, int64_t n);
    void (*count_to)(stint_handle *category, int64_t n);
    void (*value)(const char *name, const char *unit, double x);
    void (*value_to)(stint_handle *category, const char *unit, double x);
    void (*start_frame)(const char *name);
    void (*end_frame)(const char *name);
    int (*save_report)(const char *path);
    void (*pause)(void);
    void (*resume)(void);
    void (*pause_thread)(void);
    void (*resume_thread)(void);
    void (*thread_name)(const char *name);
    void (*fiber_enter)(const void *low, size_t bytes);
    void (*fiber_leave)(void);
};

#define STINT_HIDDEN_ __attribute__((weak, visibility("hidden")))
#define STINT_CALL_                                                                                \
    static inline __attribute__((always_inline, no_instrument_function)) /* is no call */
#define STINT_LIKELY_NOT_(x) __builtin_expect(!!(x), 0)
#define STINT_JOIN_(a, b) STINT_JOIN_2_(a, b)
#define STINT_JOIN_2_(a, b) a##b

#ifdef __cplusplus
#define STINT_NULL_ nullptr
extern "C" {
#else
#define STINT_NULL_ NULL
#endif

/* One of each in a module, whatever number of files includes this. */
extern const struct stint_table *stint_table_;
extern char stint_was_sought_;
STINT_HIDDEN_ const struct stint_table *stint_table_;
STINT_HIDDEN_ char stint_was_sought_;

#if defined(__linux__) && defined(__ELF__) && !defined(STINT_INSIDE_)
/* By weakref, the program's own uses of these names stay what they are. A static executable has
 * none of them, nor has glibc before 2.34 without -ldl: nothing is recorded there. */
static void *stint_dlsym_(void *scope, const char *name) __attribute__((weakref("dlsym")));
static char *stint_dlerror_(void) __attribute__((weakref("dlerror")));

/* Before all constructors of the module that do not ask to be earlier. */
__attribute__((constructor(101), no_instrument_function)) static void stint_seek_(void)
{
    union {
        void *symbol;
        const struct stint_table *(*bind)(uint32_t version, uint32_t bytes);
    } found;
    if (stint_was_sought_) return;
    stint_was_sought_ = 1;
    if (!stint_dlsym_) return;
    found.symbol = stint_dlsym_(STINT_NULL_, "stint_bind"); /* RTLD_DEFAULT */
    if (found.symbol)
        stint_table_ = found.bind(STINT_VERSION, sizeof(struct stint_table));
    else if (stint_dlerror_)
        (void)stint_dlerror_(); /* the program must not be told of our look-up */
}
#endif

/* stint's functions, NULL without stint. */
STINT_CALL_ const struct stint_table *stint_bound_(void)
{
    return __atomic_load_n(&stint_table_, __ATOMIC_RELAXED);
}

/* The rest of a function: where stint is, what is called of it. */
#define STINT_TELL_(call)                                                                          \
    do {                                                                                           \
        const struct stint_table *stint_ = stint_bound_();                                         \
        if (STINT_LIKELY_NOT_(stint_)) stint_->call;                                               \
    } while (0)

/* --- Names, durations, counters, values. Any thread, also in signal handlers. --- */

/* The handle of a name, for loops that are hot: found or made, the same for all modules, never
 * freed. NULL without stint or memory; every function below takes NULL and does nothing. */
STINT_CALL_ stint_handle *stint_category(const char *name)
{
    const struct stint_table *stint_ = stint_bound_();
    return STINT_LIKELY_NOT_(stint_) ? stint_->category(name) : STINT_NULL_;
}

/* A duration that the program measured itself. */
STINT_CALL_ void stint_record(const char *name, uint64_t ns) { STINT_TELL_(record(name, ns)); }
STINT_CALL_ void stint_record_to(stint_handle *category, uint64_t ns)
{
    STINT_TELL_(record_to(category, ns));
}

/* n more of something; n may be negative. */
STINT_CALL_ void stint_count(const char *name, int64_t n) { STINT_TELL_(count(name, n)); }
STINT_CALL_ void stint_count_to(stint_handle *category, int64_t n)
{
    STINT_TELL_(count_to(category, n));
}

/* A value that is no time. unit: a short text, or NULL; the first that comes stays. */
STINT_CALL_ void stint_value(const char *name, const char *unit, double x)
{
    STINT_TELL_(value(name, unit, x));
}
STINT_CALL_ void stint_value_to(stint_handle *category, const char *unit, double x)
{
    STINT_TELL_(value_to(category, unit, x));
}

/* --- Scopes by hand. Begin and end in the same function; the macros below do it by themselves. */
STINT_CALL_ void stint_scope_begin_of(stint_handle *category)
{
    STINT_TELL_(scope_enter(category));
}
STINT_CALL_ void stint_scope_end_of(stint_handle *category) { STINT_TELL_(scope_leave(category)); }
STINT_CALL_ void stint_scope_begin(const char *name)
{
    STINT_TELL_(scope_enter(stint_->category(name)));
}
STINT_CALL_ void stint_scope_end(const char *name)
{
    STINT_TELL_(scope_leave(stint_->category(name)));
}

/* --- Frames of the calling thread. Not in signal handlers. --- */
STINT_CALL_ void stint_start_frame(void) { STINT_TELL_(start_frame("Frame_Total")); }
STINT_CALL_ void stint_end_frame(void) { STINT_TELL_(end_frame("Frame_Total")); }
STINT_CALL_ void stint_start_frame_as(const char *kind) { STINT_TELL_(start_frame(kind)); }
STINT_CALL_ void stint_end_frame_as(const char *kind) { STINT_TELL_(end_frame(kind)); }

/* --- The recording itself --- */

/* A report now, while the program goes on. path NULL: under the name of the final one. 0 or −errno;
 * −ENOSYS (−38) without stint. Any thread, signal-safe. */
STINT_CALL_ int stint_save_report(const char *path)
{
    const struct stint_table *stint_ = stint_bound_();
    return STINT_LIKELY_NOT_(stint_) ? stint_->save_report(path) : -38;
}

/* Nothing is recorded until as many resumes as pauses were made, of all threads or of the calling
 * one. What is open goes on. Signal-safe. */
STINT_CALL_ void stint_pause(void) { STINT_TELL_(pause()); }
STINT_CALL_ void stint_resume(void) { STINT_TELL_(resume()); }
STINT_CALL_ void stint_pause_thread(void) { STINT_TELL_(pause_thread()); }
STINT_CALL_ void stint_resume_thread(void) { STINT_TELL_(resume_thread()); }

/* The calling thread's name in the report, at most 63 bytes; the kernel's stays what it is. */
STINT_CALL_ void stint_thread_name(const char *name) { STINT_TELL_(thread_name(name)); }

/* From now on the calling thread runs on the stack [low, low + bytes); on its own again. */
STINT_CALL_ void stint_fiber_enter(const void *low, size_t bytes)
{
    STINT_TELL_(fiber_enter(low, bytes));
}
STINT_CALL_ void stint_fiber_leave(void) { STINT_TELL_(fiber_leave()); }

/* --- What the macros are made of --- */
STINT_CALL_ stint_handle *stint_enter_(stint_handle *category)
{
    stint_scope_begin_of(category);
    return category;
}

/* site: where the place keeps its handle. */
STINT_CALL_ stint_handle *stint_enter_at_(stint_handle **site, const char *name)
{
    const struct stint_table *stint_ = stint_bound_();
    stint_handle *category;
    if (!STINT_LIKELY_NOT_(stint_)) return STINT_NULL_;
    category = __atomic_load_n(site, __ATOMIC_ACQUIRE);
    if (STINT_LIKELY_NOT_(!category)) {
        category = stint_->category(name);
        __atomic_store_n(site, category, __ATOMIC_RELEASE);
    }
    stint_->scope_enter(category);
    return category;
}

STINT_CALL_ void stint_leave_(stint_handle **category)
{
    if (STINT_LIKELY_NOT_(*category)) stint_scope_end_of(*category);
}

struct stint_measure_ {
    stint_handle *category;
    int rounds;
};

STINT_CALL_ struct stint_measure_ stint_measure_of_(stint_handle *category)
{
    struct stint_measure_ measure;
    measure.category = category;
    measure.rounds = 1;
    return measure;
}

STINT_CALL_ void stint_measured_(struct stint_measure_ *measure)
{
    stint_leave_(&measure->category);
}

#ifdef __cplusplus
} /* extern "C" */

/* In a hidden class: else gcc makes it one for all modules in an inline function, and what has it
 * is never unloaded. */
#define STINT_ENTER_(name)                                                                         \
    __extension__({                                                                                \
        struct __attribute__((visibility("hidden"))) stint_here_ {                                 \
            STINT_CALL_ stint_handle **site(void)                                                  \
            {                                                                                      \
                static stint_handle *stint_site_;                                                  \
                return &stint_site_;                                                               \
            }                                                                                      \
        };                                                                                         \
        stint_enter_at_(stint_here_::site(), name);                                                \
    })
#else
#define STINT_ENTER_(name)                                                                         \
    __extension__({                                                                                \
        static stint_handle *stint_site_;                                                          \
        stint_enter_at_(&stint_site_, name);                                                       \
    })
#endif
#define STINT_HOLD_(entered)                                                                       \
    __attribute__((cleanup(stint_leave_), unused)) stint_handle *STINT_JOIN_(                      \
        stint_scope_, __COUNTER__) = (entered)

/* From here to the end of the block, however it is left. The name is a literal. */
#define STINT_SCOPE(name) STINT_HOLD_(STINT_ENTER_("" name ""))
/* The same by a handle. */
#define STINT_SCOPE_OF(category) STINT_HOLD_(stint_enter_(category))
/* STINT_MEASURE("x") { … }: inside, break and continue leave the block, and it alone. */
#define STINT_MEASURE(name) STINT_MEASURE_(STINT_ENTER_("" name ""), __COUNTER__)
#define STINT_MEASURE_(entered, number)                                                            \
    for (struct stint_measure_ __attribute__((cleanup(stint_measured_)))                           \
         STINT_JOIN_(stint_measure_, number) = stint_measure_of_(entered);                         \
         STINT_JOIN_(stint_measure_, number).rounds;                                               \
         STINT_JOIN_(stint_measure_, number).rounds = 0)
/* At the top of a function: the whole of it, under its name (in C++ as the compiler writes it, with
 * class and parameters), or under another. */
#ifdef __cplusplus
#define STINT_FUNC() STINT_HOLD_(STINT_ENTER_(__PRETTY_FUNCTION__))
#else
#define STINT_FUNC() STINT_HOLD_(STINT_ENTER_(__func__))
#endif
#define STINT_FUNC_AS(name) STINT_SCOPE(name)

#ifdef __cplusplus
namespace stint
{
/* A scope as an object, for names that are not literals. */
class scope
{
  public:
    __attribute__((always_inline, no_instrument_function)) explicit scope(const char *name)
        : category_(stint_enter_(stint_category(name)))
    {
    }
    __attribute__((always_inline, no_instrument_function)) explicit scope(stint_handle *category)
        : category_(stint_enter_(category))
    {
    }
    __attribute__((always_inline, no_instrument_function)) ~scope() { stint_leave_(&category_); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    stint_handle *category_;
};
} // namespace stint
#endif

#endif
