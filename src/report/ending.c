/* SPDX-License-Identifier: MIT
 *
 * Names of signals and their codes from tables, since libc's speak the locale's language. Runs
 * anywhere. */
#include "report/ending.h"

#include "base/compiler.h"
#include "base/fmt.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { FIRST_REALTIME = 34, LAST_REALTIME = 64, MAX_FRAMES = 1024 };

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTKFLT, "SIGSTKFLT"},
    {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},
    {SIGTTIN, "SIGTTIN"}, {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"},
    {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},       {SIGSYS, "SIGSYS"},
};

/* signal 0 = of any signal. Numbers without a macro in glibc's headers are the kernel's
 * (include/uapi/asm-generic/siginfo.h). */
static const struct {
    int signal, code;
    const char *name;
} codes[] = {
    {SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR"},
    {SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR"},
    {SIGSEGV, 3, "SEGV_BNDERR"},
    {SIGSEGV, 4, "SEGV_PKUERR"},
    {SIGSEGV, 8, "SEGV_MTEAERR"},
    {SIGSEGV, 9, "SEGV_MTESERR"},
    {SIGBUS, BUS_ADRALN, "BUS_ADRALN"},
    {SIGBUS, BUS_ADRERR, "BUS_ADRERR"},
    {SIGBUS, BUS_OBJERR, "BUS_OBJERR"},
    {SIGBUS, 4, "BUS_MCEERR_AR"},
    {SIGBUS, 5, "BUS_MCEERR_AO"},
    {SIGILL, ILL_ILLOPC, "ILL_ILLOPC"},
    {SIGILL, ILL_ILLOPN, "ILL_ILLOPN"},
    {SIGILL, ILL_ILLADR, "ILL_ILLADR"},
    {SIGILL, ILL_ILLTRP, "ILL_ILLTRP"},
    {SIGILL, ILL_PRVOPC, "ILL_PRVOPC"},
    {SIGILL, ILL_PRVREG, "ILL_PRVREG"},
    {SIGILL, ILL_COPROC, "ILL_COPROC"},
    {SIGILL, ILL_BADSTK, "ILL_BADSTK"},
    {SIGFPE, FPE_INTDIV, "FPE_INTDIV"},
    {SIGFPE, FPE_INTOVF, "FPE_INTOVF"},
    {SIGFPE, FPE_FLTDIV, "FPE_FLTDIV"},
    {SIGFPE, FPE_FLTOVF, "FPE_FLTOVF"},
    {SIGFPE, FPE_FLTUND, "FPE_FLTUND"},
    {SIGFPE, FPE_FLTRES, "FPE_FLTRES"},
    {SIGFPE, FPE_FLTINV, "FPE_FLTINV"},
    {SIGFPE, FPE_FLTSUB, "FPE_FLTSUB"},
    {SIGTRAP, TRAP_BRKPT, "TRAP_BRKPT"},
    {SIGTRAP, TRAP_TRACE, "TRAP_TRACE"},
    {SIGTRAP, 3, "TRAP_BRANCH"},
    {SIGTRAP, 4, "TRAP_HWBKPT"},
    {SIGSYS, 1, "SYS_SECCOMP"},
    {0, SI_USER, "SI_USER"},
    {0, SI_KERNEL, "SI_KERNEL"},
    {0, SI_QUEUE, "SI_QUEUE"},
    {0, SI_TIMER, "SI_TIMER"},
    {0, SI_MESGQ, "SI_MESGQ"},
    {0, SI_ASYNCIO, "SI_ASYNCIO"},
    {0, SI_SIGIO, "SI_SIGIO"},
    {0, SI_TKILL, "SI_TKILL"},
};

const char *ending_signal_name(int signal, char text[32])
{
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        if (signals[i].number == signal) return signals[i].name;
    }
    struct fmt out = fmt_over(text, 32);
    int is_realtime = signal >= FIRST_REALTIME && signal <= LAST_REALTIME;
    if (is_realtime) fmt_text(&out, "SIGRTMIN+");
    fmt_i64(&out, is_realtime ? signal - FIRST_REALTIME : signal);
    return text;
}

const char *ending_code_name(int signal, int code, char text[32])
{
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        if (codes[i].code == code && (!codes[i].signal || codes[i].signal == signal))
            return codes[i].name;
    }
    struct fmt out = fmt_over(text, 32);
    fmt_i64(&out, code);
    return text;
}

static int has_address(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP;
}

/* The thread's number in the report, or −1. */
static int64_t thread_of(const struct merged *merged, uint32_t recorder_plus_1)
{
    for (uint32_t i = 0; recorder_plus_1 && i < merged->thread_count; i++) {
        if (merged->threads[i].record->id == recorder_plus_1 - 1) return i;
    }
    return -1;
}

/* A return address lies after its call, which may be its function's last instruction; the first is
 * the interrupted instruction itself. */
static json_t *backtrace_entry(const struct process_facts *facts, uint64_t address, uint32_t at)
{
    struct names *names = &facts->merged->names;
    uint64_t within = at && address ? 1 : 0;
    struct names_place place = names_place_of(names, address - within, facts->head->ending.ticks);
    struct names_text text = names_of(names, place, true);
    char build_id[65];
    const char *module = names_module_path(names, place.module, build_id);
    json_t *entry = json_object();
    stream_set(entry, "name", json_string_nocheck(text.name));
    stream_set(entry, "module", module ? json_string_nocheck(module) : json_null());
    stream_set(entry, "offset", stream_hex(place.offset + within));
    return entry;
}

static void write_backtrace(const struct process_facts *facts)
{
    const struct store_ending *ending = &facts->head->ending;
    uint32_t frames = ending->frames < MAX_FRAMES ? ending->frames : MAX_FRAMES;
    /* pairs with the release with which the crash handler publishes it */
    store_ref ref = __atomic_load_n(&ending->backtrace, __ATOMIC_ACQUIRE);
    const uint64_t *addresses = view_at(&facts->input->view, ref, frames * sizeof *addresses);
    if (!addresses || !frames) return;
    stream_open(facts->stream, "backtrace", '[');
    for (uint32_t i = 0; i < frames; i++)
        stream_value(facts->stream, NULL, backtrace_entry(facts, addresses[i], i));
    stream_close(facts->stream, ']');
}

static void write_text(const struct process_facts *facts, const char *key, const char *text)
{
    stream_value(facts->stream, key, json_string_nocheck(text));
}

static void write_signal(const struct process_facts *facts)
{
    const struct store_ending *ending = &facts->head->ending;
    char text[32];
    write_text(facts, "signal", ending_signal_name(ending->signal, text));
    write_text(facts, "code", ending_code_name(ending->signal, ending->code, text));
    if (has_address(ending->signal) && ending->code > 0)
        stream_value(facts->stream, "address", stream_hex(ending->address));
    int64_t thread = thread_of(facts->merged, ending->recorder);
    if (thread >= 0) stream_value(facts->stream, "thread", json_integer(thread));
    write_backtrace(facts);
}

static void write_killed(const struct process_facts *facts)
{
    const struct killed_status *killed = facts->input->killed;
    char text[32];
    write_text(facts, "kind", "killed");
    if (killed && WIFEXITED(killed->wait_status))
        stream_value(facts->stream, "status", json_integer(WEXITSTATUS(killed->wait_status)));
    if (killed && WIFSIGNALED(killed->wait_status))
        write_text(facts, "signal", ending_signal_name(WTERMSIG(killed->wait_status), text));
}

void ending_write(const struct process_facts *facts)
{
    const struct store_ending *ending = &facts->head->ending;
    uint32_t kind = __atomic_load_n(&ending->kind, __ATOMIC_ACQUIRE); /* written last */
    stream_open(facts->stream, "ending", '{');
    if (facts->input->is_snapshot) {
        write_text(facts, "kind", "snapshot");
    } else if (kind == STORE_ENDING_EXIT) {
        write_text(facts, "kind", "exit");
        stream_value(facts->stream, "status", json_integer(ending->status));
    } else if (kind == STORE_ENDING_SIGNAL) {
        write_text(facts, "kind", "signal");
        write_signal(facts);
    } else if (kind == STORE_ENDING_EXEC) {
        write_text(facts, "kind", "exec");
    } else if (facts->input->is_killed) {
        write_killed(facts);
    } else {
        write_text(facts, "kind", "snapshot");
    }
    stream_close(facts->stream, '}');
}
