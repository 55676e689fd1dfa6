/* SPDX-License-Identifier: MIT
 *
 * `stint top`: pages against what the program says that it did, on a terminal and elsewhere, and
 * how it ends. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <utmp.h>

/* A program under stint that does what it is told, and waits. */
struct program {
    struct run run; /* its directory */
    pid_t pid;
    int to, from;
};

static void start_child(const struct program *program, int to, int from)
{
    char library[4200], runtime[128], out[128], path[4200];
    snprintf(library, sizeof library, "LD_PRELOAD=%s", run_setting("STINT_LIBRARY"));
    snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s/store", program->run.dir);
    snprintf(out, sizeof out, "STINT_OUT=%s/out/r.json", program->run.dir);
    snprintf(path, sizeof path, "%s/waits-command", run_setting("STINT_TEST_CLI_TARGETS"));
    dup2(to, 0);
    dup2(from, 1);
    char *argv[] = {path, NULL}, *env[] = {library, runtime, out, "PATH=/bin:/usr/bin", NULL};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    execve(path, argv, env);
    _exit(126);
}

static void program_start(struct program *program)
{
    int to[2], from[2];
    cli(&program->run, "true");
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    program->pid = fork();
    if (!program->pid) start_child(program, to[0], from[1]);
    assert_true(program->pid > 0);
    close(to[0]);
    close(from[1]);
    program->to = to[1];
    program->from = from[0];
}

/* Returns when it has done so. */
static void program_does(const struct program *program, const char *line)
{
    char answer[8] = "";
    assert_int_equal(write(program->to, line, strlen(line)), strlen(line));
    assert_int_equal(write(program->to, "\n", 1), 1);
    for (size_t got = 0; got < 5;) {
        long bytes = read(program->from, answer + got, 5 - got);
        if (bytes <= 0) fail_msg("no answer to %s", line);
        got += (size_t)bytes;
    }
    assert_string_equal(answer, "done\n");
}

static int program_end(struct program *program)
{
    int status;
    close(program->to);
    assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
    close(program->from);
    return status;
}

static void program_fini(struct program *program) { run_fini(&program->run); }

/* What a line of shell gave while the program goes on (cli waits for all of the test's children).
 */
struct page {
    int status;
    char *out, *err;
};

static void shell(struct page *page, const struct program *program, const char *line)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s/work; { %s; } >../page 2>../errors </dev/null",
             program->run.dir, line);
    setenv("STINT", run_setting("STINT_COMMAND"), 1);
    int status = system(command);
    assert_true(WIFEXITED(status));
    page->status = WEXITSTATUS(status);
    page->out = run_read(run_path(&program->run, "page"));
    page->err = run_read(run_path(&program->run, "errors"));
}

/* `stint top` with these words, %u being the program. */
static void top(struct page *page, const struct program *program, const char *words)
{
    char line[512] = "\"$STINT\" top ";
    snprintf(line + strlen(line), sizeof line - strlen(line), words, program->pid);
    shell(page, program, line);
}

static void page_fini(struct page *page)
{
    free(page->out);
    free(page->err);
}

/* The number in the column that begins at this title's end … of the function's line. */
static double cell(const char *page, const char *function, int column)
{
    char text[256], ending[64];
    const char *line = page;
    snprintf(ending, sizeof ending, "  %s\n", function);
    const char *at = strstr(page, ending);
    if (!at) fail_msg("no %s in:\n%s", function, page);
    for (const char *c = page; c < at; c++)
        if (*c == '\n') line = c + 1;
    snprintf(text, sizeof text, "%.*s", (int)(at - line), line);
    char *state = NULL, *word = strtok_r(text, " ", &state);
    for (; word && column > 0; column--) word = strtok_r(NULL, " ", &state);
    if (!word) fail_msg("too few columns for %s in:\n%s", function, page);
    return strtod(word, NULL);
}

enum { SELF = 0, CALLS = 4 }; /* "12.3 %  1.01 s  1234 …": words of a line */

static void a_page_tells_the_calls_made(void **state)
{
    struct program program;
    struct page page;
    program_start(&program);
    program_does(&program, "step 1234");
    top(&page, &program, "%u");
    assert_int_equal(page.status, 0);
    assert_int_equal((int)cell(page.out, "step", CALLS), 1234);
    assert_int_equal((int)cell(page.out, "main", CALLS), 1);
    assert_int_equal((int)cell(page.out, "act", CALLS), 1);
    cli_expect(page.out, "waits-command  pid ");
    cli_expect(page.out, "calls 1236 (");
    cli_expect(page.out, "threads 1 (1 running)");
    assert_string_equal(page.err, "");
    page_fini(&page);
    assert_int_equal(program_end(&program), 3 << 8);
    program_fini(&program);
}

static void the_store_can_be_named_and_rows_are_bounded(void **state)
{
    struct program program;
    struct page page;
    char words[256];
    program_start(&program);
    program_does(&program, "step 7");
    snprintf(words, sizeof words, "--once --rows 2 %s/store/stint.*.store", program.run.dir);
    top(&page, &program, words);
    assert_int_equal(page.status, 0);
    cli_expect(page.out, "… and 1 more\n");
    assert_int_equal((int)cell(page.out, "main", CALLS), 1);
    assert_int_equal(cli_lines(page.out, "…"), 1);
    page_fini(&page);
    program_end(&program);
    program_fini(&program);
}

/* Not a byte of the store is changed, and the program's report is what it would have been. */
static void the_program_is_left_alone(void **state)
{
    struct program program;
    struct page page;
    char line[512];
    program_start(&program);
    program_does(&program, "step 100");
    snprintf(line, sizeof line,
             "cp %s/store/* before; for i in 1 2 3; do \"$STINT\" top %u >page; done;"
             "cmp before %s/store/* && grep -c step page; grep -E 'State:|ctxt' /proc/%u/status",
             program.run.dir, program.pid, program.run.dir, program.pid);
    shell(&page, &program, line);
    cli_expect(page.out, "1\nState:\tS (sleeping)\n");
    page_fini(&page);
    assert_int_equal(program_end(&program), 3 << 8);
    char path[128];
    snprintf(path, sizeof path, "%s/out/r.json", program.run.dir);
    json_t *report = report_load_path(path, CHECK_ALL);
    assert_int_equal(report_calls(report, "step"), 100);
    json_decref(report);
    program_fini(&program);
}

/* One line on standard error, and status 3. */
static void check_refused(const char *line, const char *part)
{
    struct run run;
    cli(&run, line);
    assert_int_equal(cli_status(&run), 3);
    assert_string_equal(run.out, "");
    CLI_LINE(run.err, "stint: ", part);
    run_fini(&run);
}

static void what_is_no_live_store_is_refused(void **state)
{
    check_refused("\"$STINT\" top 2147483647", "no process has that id");
    check_refused("\"$STINT\" top 99999999999", "no process has that id");
    check_refused("sleep 100 & \"$STINT\" top $!; s=$?; kill $!; exit $s", "has no store");
    check_refused("\"$STINT\" top nowhere.store", "nowhere.store: can't be read");
    check_refused("\"$STINT\" top .", "not an ordinary file");
    check_refused("head -c 100000 /dev/zero >zeros; \"$STINT\" top zeros", "not a store");
    check_refused("mkfifo pipe; \"$STINT\" top pipe", "not an ordinary file");
    check_refused("LD_PRELOAD=\"$LIB\" \"$T/deaths\" >/dev/null 2>&1; \"$STINT\" top ../store/*",
                  "its program is gone");
    if (geteuid() == 0)
        check_refused("head -c 100000 /dev/zero >zeros; chown 65534 zeros; \"$STINT\" top zeros",
                      "another user's");
}

static void wrong_arguments_are_told(void **state)
{
    static const char *const lines[] = {"",           "1 2",          "--every 0 1",
                                        "--rows 0 1", "--every x 1",  "--rows -1 1",
                                        "--nope 1",   "--every 1e9 1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct run run;
        char line[128];
        snprintf(line, sizeof line, "\"$STINT\" top %s", lines[i]);
        cli(&run, line);
        if (cli_status(&run) != 2) fail_msg("%s gives %d", line, cli_status(&run));
        assert_string_equal(run.out, "");
        run_fini(&run);
    }
}

/* On a terminal. */

struct pty {
    pid_t pid;
    int master;
    struct termios before;
    char *text; /* all that was drawn */
    size_t bytes;
};

static void pty_start(struct pty *pty, const struct program *program, unsigned short rows)
{
    struct winsize size = {.ws_row = rows, .ws_col = 100};
    char pid[16];
    *pty = (struct pty){.text = calloc(1, 1)};
    snprintf(pid, sizeof pid, "%u", (unsigned)program->pid);
    int slave;
    assert_int_equal(openpty(&pty->master, &slave, NULL, NULL, &size), 0);
    assert_int_equal(tcgetattr(slave, &pty->before), 0);
    pty->pid = fork();
    if (!pty->pid) {
        close(pty->master);
        setenv("TERM", "xterm", 1);
        login_tty(slave);
        execl(run_setting("STINT_COMMAND"), "stint", "top", "--every", "100ms", pid, NULL);
        _exit(126);
    }
    close(slave);
}

/* Reads until the text is there; fails where the terminal is closed before. */
static void pty_await(struct pty *pty, const char *text)
{
    size_t from = pty->bytes > 4096 ? pty->bytes - 4096 : 0;
    while (!strstr(pty->text + from, text)) {
        char piece[4096];
        long got = read(pty->master, piece, sizeof piece);
        if (got <= 0) fail_msg("no \"%s\" in:\n%s", text, pty->text);
        pty->text = realloc(pty->text, pty->bytes + (size_t)got + 1);
        memcpy(pty->text + pty->bytes, piece, (size_t)got);
        pty->bytes += (size_t)got;
        pty->text[pty->bytes] = '\0';
    }
}

/* Its wait status; the terminal is then as it was before. */
static int pty_end(struct pty *pty)
{
    int status;
    pty_await(pty, "\033[?1049l");
    while (waitpid(pty->pid, &status, 0) < 0) assert_int_equal(errno, EINTR);
    return status;
}

static void pty_fini(struct pty *pty)
{
    close(pty->master);
    free(pty->text);
}

static void keys_end_it(const char *key)
{
    struct program program;
    struct pty pty;
    struct termios after;
    program_start(&program);
    program_does(&program, "step 55");
    pty_start(&pty, &program, 30);
    int watch = open(ptsname(pty.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    pty_await(&pty, "Function");
    pty_await(&pty, "step");
    assert_int_equal(write(pty.master, "x", 1), 1); /* no key of its own */
    program_does(&program, "step 945");
    pty_await(&pty, "  1000  "); /* a later page */
    assert_int_equal(write(pty.master, key, 1), 1);
    assert_int_equal(pty_end(&pty), 0);
    assert_int_equal(tcgetattr(watch, &after), 0);
    assert_int_equal(after.c_lflag, pty.before.c_lflag);
    assert_memory_equal(after.c_cc, pty.before.c_cc, sizeof after.c_cc);
    assert_non_null(strstr(pty.text, "\033[?1049h"));
    assert_non_null(strstr(pty.text, "\033[?25h"));
    close(watch);
    pty_fini(&pty);
    assert_int_equal(program_end(&program), 3 << 8);
    program_fini(&program);
}

static void q_ends_it_and_the_terminal_is_as_before(void **state) { keys_end_it("q"); }
static void control_c_ends_it_and_the_terminal_is_as_before(void **state) { keys_end_it("\003"); }

static void a_store_that_grows_is_followed(void **state)
{
    struct program program;
    struct pty pty;
    program_start(&program);
    program_does(&program, "step 1");
    pty_start(&pty, &program, 30);
    pty_await(&pty, "step");
    program_does(&program, "paths 30000"); /* 64 bytes each: many chunks */
    pty_await(&pty, " 30000 ");
    assert_int_equal(write(pty.master, "q", 1), 1);
    assert_int_equal(pty_end(&pty), 0);
    pty_fini(&pty);
    program_end(&program);
    program_fini(&program);
}

static void few_lines_show_few_functions(void **state)
{
    struct program program;
    struct pty pty;
    program_start(&program);
    program_does(&program, "step 1");
    pty_start(&pty, &program, 6);
    pty_await(&pty, "… and 1 more");
    assert_int_equal(write(pty.master, "q", 1), 1);
    assert_int_equal(pty_end(&pty), 0);
    pty_fini(&pty);
    program_end(&program);
    program_fini(&program);
}

/* What the last line says when the program ends in this way. */
static void check_last_line(const char *way, const char *line)
{
    struct program program;
    struct pty pty;
    program_start(&program);
    program_does(&program, "step 21");
    pty_start(&pty, &program, 30);
    pty_await(&pty, "step");
    if (!strcmp(way, "end"))
        assert_int_equal(program_end(&program), 3 << 8);
    else if (!strcmp(way, "kill"))
        kill(program.pid, SIGKILL);
    else
        assert_true(write(program.to, way, strlen(way)) > 0);
    assert_int_equal(pty_end(&pty), 0);
    pty_await(&pty, line);
    pty_fini(&pty);
    if (strcmp(way, "end")) program_end(&program);
    program_fini(&program);
}

static void the_programs_end_is_the_last_line(void **state)
{
    check_last_line("end", ") has ended with status 3; last seen after ");
    check_last_line("end", ", with 23 calls\r\n");
    check_last_line("kill", ") was killed; `stint recover` makes its report; ");
    check_last_line("abort\n", ") was ended by signal 6 (Aborted); ");
    check_last_line("exec\n", ") has become another program; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_tells_the_calls_made),
        cmocka_unit_test(the_store_can_be_named_and_rows_are_bounded),
        cmocka_unit_test(the_program_is_left_alone),
        cmocka_unit_test(what_is_no_live_store_is_refused),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(q_ends_it_and_the_terminal_is_as_before),
        cmocka_unit_test(control_c_ends_it_and_the_terminal_is_as_before),
        cmocka_unit_test(a_store_that_grows_is_followed),
        cmocka_unit_test(few_lines_show_few_functions),
        cmocka_unit_test(the_programs_end_is_the_last_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
