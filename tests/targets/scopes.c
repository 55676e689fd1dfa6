/* SPDX-License-Identifier: MIT
 *
 * Scopes in C, left in every way that C has, among instrumented functions: in loops, by return,
 * break, continue, goto and longjmp; nested in themselves; by handle and by hand; in a signal
 * handler, in threads and in a forked child. */
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stint/stint.h>
#include <sys/wait.h>

/* The scope of this name begins. */
#define SCOPED(name)                                                                               \
    STINT_SCOPE(name);                                                                             \
    CALLED_AS("scope " name)

static jmp_buf out;
static stint_handle *handle;

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    SCOPED("In_Leaf");
    __asm__ volatile("");
}

static inline __attribute__((always_inline)) void inlined(void)
{
    CALLED(inlined);
    __asm__ volatile("");
}

NOINLINE static int leaves_by_return(int i)
{
    CALLED(leaves_by_return);
    STINT_FUNC_AS("By_Return");
    CALLED_AS("scope By_Return");
    inlined();
    if (i % 2) return i;
    leaf();
    return -i;
}

NOINLINE static void leaves_by_break(void)
{
    CALLED(leaves_by_break);
    for (int i = 0; i < 10; i++) {
        SCOPED("By_Break");
        inlined();
        if (i % 3 == 1) continue;
        if (i == 8) break;
        leaf();
    }
}

NOINLINE static void leaves_by_goto(void)
{
    CALLED(leaves_by_goto);
    int i = 0;
again : {
    SCOPED("By_Goto");
    leaf();
    if (++i < 5) goto again;
    SCOPED("By_Goto_Inner");
    if (i == 5) goto done;
    leaf();
}
done:
    leaf();
}

NOINLINE static void measures(void)
{
    CALLED(measures);
    for (int i = 0; i < 6; i++) {
        STINT_MEASURE("Measured")
        {
            CALLED_AS("scope Measured");
            if (i == 2) break; /* this block alone */
            if (i == 3) continue;
            leaf();
            if (i == 5) return;
        }
    }
}

NOINLINE static void deeper(int depth)
{
    STINT_FUNC();
    CALLED(deeper);
    CALLED_AS("scope deeper");
    if (depth) {
        deeper(depth - 1);
        return;
    }
    longjmp(out, 1);
}

NOINLINE static void jumped_out_of(void)
{
    CALLED(jumped_out_of);
    SCOPED("Around_A_Jump");
    if (!setjmp(out)) deeper(4);
    leaf();
}

NOINLINE static void nests(int depth)
{
    CALLED(nests);
    SCOPED("Nested");
    if (depth) nests(depth - 1);
}

NOINLINE static void by_handle(const char *name)
{
    CALLED(by_handle);
    STINT_SCOPE_OF(handle);
    CALLED_AS("scope By_Handle");
    stint_scope_begin(name);
    CALLED_AS("scope by hand");
    leaf();
    stint_scope_end(name);
}

static void on_signal(int number)
{
    int saved = errno;
    CALLED(on_signal);
    SCOPED("In_Handler");
    leaf();
    errno = saved;
}

NOINLINE static void is_interrupted(void)
{
    CALLED(is_interrupted);
    SCOPED("Interrupted");
    raise(SIGUSR1);
    leaf();
}

NOINLINE static void all_once(int i)
{
    CALLED(all_once);
    char name[] = "by hand"; /* another address each time is the same name */
    leaves_by_return(i);
    leaves_by_break();
    leaves_by_goto();
    measures();
    nests(i % 5);
    by_handle(name);
}

NOINLINE static void *of_thread(void *unused)
{
    CALLED(of_thread);
    SCOPED("Of_Thread");
    for (int i = 0; i < 100; i++) all_once(i);
    return NULL;
}

int main(void)
{
    CALLED(main);
    pthread_t threads[3];
    SCOPED("Of_Main");
    handle = stint_category("By_Handle");
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, of_thread, NULL);
    for (int i = 0; i < 50; i++) {
        all_once(i);
        jumped_out_of();
        is_interrupted();
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    errno = 77;
    leaf();
    stint_record("Recorded", 5);
    dprintf(1, "errno %d\n", errno);
    fflush(stdout);
    if (!fork()) {
        truth_forget();
        {
            SCOPED("In_Child");
            all_once(1);
        }
        int child = open("child.txt", O_CREAT | O_WRONLY, 0600);
        truth_tell_to(child);
        truth_line(child, "calls", "main", 0); /* inherited */
        _exit(0);
    }
    wait(NULL);
    truth_tell();
    truth_under("By_Return", "leaves_by_return");
    truth_under("In_Leaf", "leaf");
    truth_under("In_Handler", "on_signal");
    return 0;
}
