/* SPDX-License-Identifier: MIT
 *
 * The exec and spawn families: every call becomes one struct, gets the environment of handover.h,
 * and goes to the real function. An exec in place ends a life, which is reported first. In a child
 * of vfork the new environment lies on the stack: mappings would stay with its parent. system and
 * popen start their shell inside libc and hand it `environ`, which is never changed. */
#include "interpose/exec.h"

#include "base/compiler.h"
#include "base/sys.h"
#include "life/finish.h"
#include "life/start.h"
#include "real/real.h"
#include "self/handover.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* On the stack up to FEW bytes (some 900 variables); in a child of vfork up to MANY. */
enum { FEW = 8 * 1024, MANY = 64 * 1024 };

struct call {
    enum { EXECVE, EXECVPE, FEXECVE, EXECVEAT, SPAWN, SPAWNP } kind;
    int fd, flags;
    const char *path;
    char *const *arguments;
    char *const *environment;
    pid_t *pid;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
};

static int perform(const struct call *c, char *const *environment)
{
    switch (c->kind) {
    case EXECVE:
        return real()->execve(c->path, c->arguments, environment);
    case EXECVPE:
        return real()->execvpe(c->path, c->arguments, environment);
    case FEXECVE:
        return real()->fexecve(c->fd, c->arguments, environment);
    case EXECVEAT:
        return real()->execveat(c->fd, c->path, c->arguments, environment, c->flags);
    case SPAWN:
        return real()->posix_spawn(c->pid, c->path, c->actions, c->attributes, c->arguments,
                                   environment);
    case SPAWNP:
        return real()->posix_spawnp(c->pid, c->path, c->actions, c->attributes, c->arguments,
                                    environment);
    }
    return -1;
}

/* No file of that name: the life goes on, and was there a file a moment later, its store stays. */
static bool is_hopeless(const struct call *call)
{
    if (call->kind != EXECVE && !(call->kind == EXECVPE && call->path && strchr(call->path, '/')))
        return false;
    long found = sys_call4(SYS_faccessat, AT_FDCWD, call->path, F_OK, 0);
    return found == -ENOENT || found == -ENOTDIR;
}

/* Not reported where it can't end the life: spawned, or in a child of vfork (finish.h). */
static int perform_and_report(const struct call *call, char *const *environment)
{
    if (call->kind >= SPAWN || is_hopeless(call)) return perform(call, environment);
    finish_before_exec();
    int result = perform(call, environment);
    finish_exec_failed(); /* keeps errno */
    return result;
}

static int perform_on_stack(const struct call *call, const struct handover *plan)
{
    return perform_and_report(call, handover_build(plan, alloca(plan->bytes)));
}

static int perform_on_mapping(const struct call *call, const struct handover *plan)
{
    long at = sys_call6(SYS_mmap, 0, (long)plan->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096) return perform_and_report(call, call->environment);
    int result = perform_and_report(call, handover_build(plan, (void *)at));
    (void)sys_call2(SYS_munmap, at, plan->bytes);
    return result;
}

static int run(const struct call *call)
{
    struct handover plan;
    if (!start_process() || process.is_off) return perform(call, call->environment);
    const struct handover_self self = {.library = process.library,
                                       .directory = process.directory,
                                       .out = process.settings.out,
                                       .run = process.run};
    if (!handover_plan(&plan, &self, call->environment))
        return perform_and_report(call, call->environment);
    if (plan.bytes <= FEW) return perform_on_stack(call, &plan);
    if (!start_is_vfork_child()) return perform_on_mapping(call, &plan);
    if (plan.bytes <= MANY) return perform_on_stack(call, &plan);
    return perform(call, call->environment);
}

int exec_path(const char *path, char *const *arguments, char *const *environment)
{
    return run(&(struct call){
        .kind = EXECVE, .path = path, .arguments = arguments, .environment = environment});
}

int exec_file(const char *file, char *const *arguments, char *const *environment)
{
    return run(&(struct call){
        .kind = EXECVPE, .path = file, .arguments = arguments, .environment = environment});
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    return exec_path(path, arguments, environment);
}

EXPORT int execv(const char *path, char *const arguments[])
{
    return exec_path(path, arguments, environ);
}

EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    return exec_file(file, arguments, environment);
}

EXPORT int execvp(const char *file, char *const arguments[])
{
    return exec_file(file, arguments, environ);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    return run(&(struct call){
        .kind = FEXECVE, .fd = fd, .arguments = arguments, .environment = environment});
}

EXPORT int execveat(int fd, const char *path, char *const arguments[], char *const environment[],
                    int flags)
{
    return run(&(struct call){.kind = EXECVEAT,
                              .fd = fd,
                              .path = path,
                              .arguments = arguments,
                              .environment = environment,
                              .flags = flags});
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[],
                       char *const environment[])
{
    return run(&(struct call){.kind = SPAWN,
                              .pid = pid,
                              .path = path,
                              .actions = actions,
                              .attributes = attributes,
                              .arguments = arguments,
                              .environment = environment});
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const arguments[],
                        char *const environment[])
{
    return run(&(struct call){.kind = SPAWNP,
                              .pid = pid,
                              .path = file,
                              .actions = actions,
                              .attributes = attributes,
                              .arguments = arguments,
                              .environment = environment});
}
