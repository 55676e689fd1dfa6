/* SPDX-License-Identifier: MIT
 *
 * Runs a target. Output goes to files and not to pipes, so nothing can block; a child of ours dies
 * with us, so a test that is ended leaves nothing running. */
#include "run.h"

#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ENV_MOST = 256 };

const char *run_setting(const char *name)
{
    const char *value = getenv(name);
    if (!value) fail_msg("%s is not set: run by meson test", name);
    return value;
}

static char *path_buffer(void)
{
    static char buffers[4][4096];
    static unsigned next;
    return buffers[next++ % 4];
}

const char *run_path(const struct run *run, const char *below)
{
    char *path = path_buffer();
    snprintf(path, 4096, "%s/%s", run->dir, below);
    return path;
}

const char *run_target_path(const char *name)
{
    if (name[0] == '/') return name;
    char *path = path_buffer();
    snprintf(path, 4096, "%s/%s", run_setting("STINT_TEST_TARGETS"), name);
    return path;
}

char *run_read(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    char *text = NULL;
    size_t bytes = 0, capacity = 0;
    do {
        capacity = capacity ? 2 * capacity : 4096;
        text = realloc(text, capacity + 1);
        bytes += fread(text + bytes, 1, capacity - bytes, file);
    } while (bytes == capacity);
    text[bytes] = 0;
    fclose(file);
    return text;
}

static int is_listed(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char *run_list(const struct run *run, const char *below)
{
    struct dirent **entries;
    int count = scandir(run_path(run, below), &entries, is_listed, by_bytes);
    if (count < 0) fail_msg("%s/%s: %s", run->dir, below, strerror(errno));
    size_t bytes = count > 0 ? (size_t)count * 256 + 1 : 1;
    char *names = calloc(1, bytes);
    for (int i = 0; i < count; i++) {
        if (i) strcat(names, " ");
        strcat(names, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return names;
}

/* environment: ours without what would steer stint or the loader, then the run's, then the spec's
 */

struct environment {
    char *items[ENV_MOST];
    size_t count;
};

static void env_set(struct environment *env, const char *item)
{
    size_t name = strcspn(item, "=");
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->items[i], item, name) || env->items[i][name] != '=') continue;
        free(env->items[i]);
        env->items[i--] = env->items[--env->count];
    }
    if (item[name] != '=') return;
    assert_true(env->count + 1 < ENV_MOST);
    env->items[env->count++] = strdup(item);
}

static void env_format(struct environment *env, const char *format, ...)
{
    char item[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    env_set(env, item);
}

static void env_make(struct environment *env, const struct run *run, const struct run_spec *spec)
{
    for (char **item = environ; *item; item++)
        if (strncmp(*item, "STINT_", 6) && strncmp(*item, "LD_", 3)) env_set(env, *item);
    env_set(env, "LC_ALL=C.UTF-8");
    env_format(env, "XDG_RUNTIME_DIR=%s/store", run->dir);
    const char *own = run->under_stint && !spec->no_preload ? run_setting("STINT_LIBRARY") : "";
    if (*own || spec->before || spec->after)
        env_format(env, "LD_PRELOAD=%s%s%s%s%s", spec->before ? spec->before : "",
                   spec->before ? ":" : "", own, spec->after ? ":" : "",
                   spec->after ? spec->after : "");
    if (run->under_stint) env_format(env, "STINT_OUT=%s/out/profiling_results.json", run->dir);
    for (size_t i = 0; spec->env[i]; i++) env_set(env, spec->env[i]);
    for (size_t i = 0; run->under_stint && spec->stint_env[i]; i++)
        env_set(env, spec->stint_env[i]);
    env->items[env->count] = NULL;
}

static void redirect(const char *path, int flags, int fd)
{
    int opened = open(path, flags, 0666);
    if (opened < 0 || dup2(opened, fd) < 0) _exit(124);
    close(opened);
}

static void child_starts(const struct run *run, const struct run_spec *spec, char *const *env)
{
    char *argv[12] = {(char *)spec->target};
    struct rlimit core;
    for (size_t i = 0; spec->args[i]; i++) argv[i + 1] = (char *)spec->args[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &core);
    redirect(run_path(run, "stdin"), O_RDONLY, 0);
    redirect(run_path(run, "stdout"), O_WRONLY | O_CREAT | O_APPEND, 1);
    redirect(run_path(run, "stderr"), O_WRONLY | O_CREAT | O_APPEND, 2);
    const char *path = run_target_path(spec->target);
    if (chdir(run_path(run, "work"))) _exit(125);
    for (int i = 1; i < 32; i++) signal(i, SIG_DFL);
    if (spec->prepare) spec->prepare();
    execve(path, argv, env);
    _exit(126);
}

void run_scratch(char path[RUN_SCRATCH], const char *name)
{
    const char *place = getenv("TMPDIR");
    if (!place || strlen(place) + strlen(name) + strlen("/.XXXXXX") >= RUN_SCRATCH) place = "/tmp";
    snprintf(path, RUN_SCRATCH, "%s/%s.XXXXXX", place, name);
}

static void run_directories(struct run *run, const struct run_spec *spec)
{
    run_scratch(run->dir, "stint-e2e");
    if (!mkdtemp(run->dir)) fail_msg("%s: %s", run->dir, strerror(errno));
    static const char *const below[] = {"work", "out", "store"};
    for (size_t i = 0; i < 3; i++) assert_int_equal(mkdir(run_path(run, below[i]), 0755), 0);
    assert_int_equal(chmod(run_path(run, "store"), 0700), 0);
    FILE *input = fopen(run_path(run, "stdin"), "w");
    assert_non_null(input);
    if (spec->input) fputs(spec->input, input);
    fclose(input);
}

void run_target(struct run *run, const struct run_spec *spec, bool under_stint)
{
    *run = (struct run){.under_stint = under_stint};
    run_directories(run, spec);
    if (spec->arrange) spec->arrange(run->dir);
    struct environment env = {0};
    env_make(&env, run, spec);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) child_starts(run, spec, env.items);
    while (waitpid(pid, &run->status, 0) < 0) assert_int_equal(errno, EINTR);
    /* daemons that it left are ours now: wait for their end, too */
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
    }
    if (WIFEXITED(run->status) && WEXITSTATUS(run->status) >= 124)
        fail_msg("%s could not be started: %s", spec->target, run_read(run_path(run, "stderr")));
    run->out = run_read(run_path(run, "stdout"));
    run->err = run_read(run_path(run, "stderr"));
    for (size_t i = 0; i < env.count; i++) free(env.items[i]);
    assert_non_null(run->out);
    assert_non_null(run->err);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

void run_fini(struct run *run)
{
    free(run->out);
    free(run->err);
    nftw(run->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    *run = (struct run){0};
}
