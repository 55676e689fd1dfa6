/* SPDX-License-Identifier: MIT
 *
 * Each kind of trouble told once a process, in one line, with the remedy. Nothing else in
 * libstint.so prints. */
#pragma once

#define WARN_KINDS_LIST(X)                                                                         \
    X(WARN_COMPANION, "cannot open ",                                                              \
      "; no report will be written here: keep libstint-report.so beside libstint.so, then use "    \
      "`stint recover`")                                                                           \
    X(WARN_NO_STORE, "no memory to record into (", "); this process is not recorded")              \
    X(WARN_STORE_DIRECTORY, "cannot keep the store in ",                                           \
      "; it is in memory alone and would be lost by SIGKILL: set STINT_STORE to a directory that " \
      "can be written")                                                                            \
    X(WARN_NAME_TOO_LONG,                                                                          \
      "the report's name is too long: ", "; nothing is recorded: set STINT_OUT to a shorter name") \
    X(WARN_REPORT, "cannot write the report ", "")                                                 \
    X(WARN_STORE_STAYS,                                                                            \
      "the report stands, but its store may not be removed by this process: rm ", "")              \
    X(WARN_NO_SNAPSHOTS, "cannot start the thread that writes snapshots (",                        \
      "); none will be written in this process")                                                   \
    X(WARN_FRAME_FUNCTION, "no instrumented function is called ",                                  \
      ": set STINT_FRAME_FUNCTION to names as the report has them")                                \
    X(WARN_NEWER_HEADER, "this libstint.so is older than the ",                                    \
      " that the program was built with, and records nothing that it says: use a newer stint")     \
    X(WARN_NO_COMPANION_YET, "ended before libstint-report.so could be opened", "")

enum warn_kind {
#define X(kind, before, after) kind,
    WARN_KINDS_LIST(X)
#undef X
        WARN_KINDS
};

/* Remembers which file is standard error. A program may close it and get its number for a file of
 * its own, which must not receive a word of ours. Context: start-up, once. */
void warn_init(void);

/* Says the kind's line around `detail`, the first time only, and not if descriptor 2 has become
 * another file. errno is kept. Context: any thread, signal-safe. */
void warn_once(enum warn_kind kind, const char *detail);
