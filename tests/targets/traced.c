/* SPDX-License-Identifier: MIT
 *
 * Runs a command as a debugger would and tells of the last signal that reached it: its number, code
 * and address, and the instruction that it came at, as an offset into what is mapped there. Then
 * what waitid says. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

struct stop {
    siginfo_t info;
    char place[200], address[200];
};

/* "name+offset" of the mapping that holds the address. */
static void name_place(pid_t pid, unsigned long address, char name[200])
{
    char path[64], line[4400], file[4200];
    unsigned long low, high, offset;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    snprintf(name, 200, "%#lx", address);
    while (maps && fgets(line, sizeof line, maps)) {
        file[0] = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4199s", &low, &high, &offset, file) < 3)
            continue;
        if (address < low || address >= high) continue;
        const char *slash = strrchr(file, '/');
        snprintf(name, 200, "%.100s+%#lx", slash ? slash + 1 : file, address - low + offset);
    }
    if (maps) fclose(maps);
}

static void note(pid_t pid, struct stop *stop)
{
    struct user_regs_struct registers;
    ptrace(PTRACE_GETSIGINFO, pid, NULL, &stop->info);
    ptrace(PTRACE_GETREGS, pid, NULL, &registers);
    name_place(pid, registers.rip, stop->place);
    unsigned long address = stop->info.si_code > 0 ? (unsigned long)stop->info.si_addr : 0;
    name_place(pid, address, stop->address);
}

int main(int argc, char **argv)
{
    struct stop last = {0};
    int status = 0, is_running = 0;
    pid_t pid = fork();
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[1], argv + 1);
        _exit(96);
    }
    for (;;) {
        siginfo_t ended = {0};
        if (waitid(P_PID, pid, &ended, WEXITED | WSTOPPED | WNOWAIT)) return 97;
        if (ended.si_code != CLD_TRAPPED) {
            printf("waitid: code %d status %d\n", ended.si_code, ended.si_status);
            break;
        }
        waitpid(pid, &status, 0);
        int number = WSTOPSIG(status);
        if (is_running) note(pid, &last);
        if (!is_running) number = 0; /* the exec itself */
        is_running = 1;
        ptrace(PTRACE_CONT, pid, NULL, number);
    }
    printf("signal %d code %d sender %d address %s at %s\n", last.info.si_signo, last.info.si_code,
           last.info.si_code <= 0 ? last.info.si_pid == pid : -1, last.address, last.place);
    waitpid(pid, &status, 0);
    return 0;
}
