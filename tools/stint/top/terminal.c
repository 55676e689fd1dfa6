/* SPDX-License-Identifier: MIT
 *
 * termios, and the sequences that every terminal since the VT220 takes. A signal's handler only
 * notes it and ends the wait. Runs in `stint`. */
#include "top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct termios before;
static bool has_keys; /* standard input is a terminal, and ours */
static sigset_t mask_before;
static volatile sig_atomic_t ended_by;

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void note(int signal)
{
    if (signal != SIGWINCH) ended_by = signal;
}

/* They come only while it waits (ppoll), so none is missed. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_before);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) sigaction(ends[i], &action, NULL);
    sigaction(SIGWINCH, &action, NULL);
}

static void print(const char *text)
{
    fputs(text, stdout);
    (void)fflush(stdout); /* told at the end by main */
}

void terminal_begin(void)
{
    take_signals();
    has_keys = tcgetattr(STDIN_FILENO, &before) == 0 && tcgetpgrp(STDIN_FILENO) == getpgrp();
    if (has_keys) {
        struct termios keys = before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VSUSP] = _POSIX_VDISABLE; /* stopped, it would leave the shell this terminal */
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    print("\033[?1049h\033[?25l\033[?7l\033[2J"); /* other screen, no cursor, lines are cut */
}

void terminal_end(void)
{
    print("\033[?7h\033[?25h\033[?1049l");
    if (has_keys) (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], SIG_DFL);
    if (ended_by && ended_by != SIGINT) raise(ended_by);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void terminal_draw(const char *page, size_t bytes)
{
    print("\033[H");
    for (size_t i = 0; i < bytes; i++) {
        if (page[i] == '\n') fputs("\033[K", stdout); /* what the last page had there */
        putchar(page[i]);
    }
    print("\033[J");
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A key, or the end of input (a terminal that is gone). */
static bool wants_end(void)
{
    char key = 0;
    long got = read(STDIN_FILENO, &key, 1);
    return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN) || key == 'q' || key == 'Q';
}

bool terminal_wait(uint64_t ns)
{
    uint64_t until = now_ns() + ns;
    for (uint64_t now = now_ns(); now < until; now = now_ns()) {
        struct timespec left = {.tv_sec = (time_t)((until - now) / 1000000000u),
                                .tv_nsec = (long)((until - now) % 1000000000u)};
        struct pollfd input = {.fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN};
        int ready = ppoll(&input, 1, &left, &mask_before);
        if (ended_by) return false;
        if (ready < 0) return true; /* another size */
        if (ready > 0 && wants_end()) return false;
    }
    return true;
}

size_t terminal_lines(void)
{
    struct winsize size;
    enum { USUAL = 24 };
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : USUAL;
}
