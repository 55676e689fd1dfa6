/* SPDX-License-Identifier: MIT
 *
 * What libc (or the next preloaded library) has behind the names that stint interposes. Resolved on
 * first use, without allocation of our own: other libraries' constructors may call before ours. */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <threads.h>
#include <ucontext.h>

#define REAL_LIST(X)                                                                               \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))       \
    X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                          \
    X(void *, dlopen, (const char *, int))                                                         \
    X(void *, dlmopen, (long, const char *, int))                                                  \
    X(int, dlclose, (void *))                                                                      \
    X(int, execve, (const char *, char *const *, char *const *))                                   \
    X(int, execvpe, (const char *, char *const *, char *const *))                                  \
    X(int, fexecve, (int, char *const *, char *const *))                                           \
    X(int, execveat, (int, const char *, char *const *, char *const *, int))                       \
    X(int, posix_spawn,                                                                            \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,       \
       char *const *, char *const *))                                                              \
    X(int, posix_spawnp,                                                                           \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,       \
       char *const *, char *const *))                                                              \
    X(void, makecontext, (ucontext_t *, void (*)(void), int, ...))                                 \
    X(void, longjmp, (struct __jmp_buf_tag *, int))                                                \
    X(void, _longjmp, (struct __jmp_buf_tag *, int))                                               \
    X(void, siglongjmp, (struct __jmp_buf_tag *, int))                                             \
    X(void, __longjmp_chk, (struct __jmp_buf_tag *, int))                                          \
    X(void, _exit, (int))                                                                          \
    X(void, _Exit, (int))                                                                          \
    X(void, quick_exit, (int))                                                                     \
    X(pid_t, fork, (void))                                                                         \
    X(pid_t, _Fork, (void))                                                                        \
    X(int, daemon, (int, int))                                                                     \
    X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                         \
    X(int, sigaltstack, (const stack_t *, stack_t *))                                              \
    X(int, sigwait, (const sigset_t *, int *))                                                     \
    X(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                                           \
    X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))

/* The table; a field has its function's name. NULL where libc has no such function; those that are
 * one system call (_exit, _Exit, execve, execveat, sigaltstack) are never NULL. */
struct real {
#define X(result, name, parameters) result(*name) parameters;
    REAL_LIST(X)
#undef X
};

/* The table, resolved. errno is kept. Context: any thread; signal-safe once the constructor has
 * run. */
const struct real *real(void);

/* dlsym, for what is not in the table: in a library that was opened, or, with NULL, in the global
 * scope. NULL where there is none; then dlerror has a text to be taken away. Context: where the
 * loader may be asked. */
void *real_symbol(void *library, const char *name);
