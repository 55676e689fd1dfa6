/* SPDX-License-Identifier: MIT
 *
 * `stint check`: what it says of targets built in known ways, and that `stint run` of the same
 * programs records something exactly where it said so. */
#include "cli.h"

#include <unistd.h>

static void expect(const char *target, int status, const char *const *words)
{
    struct run run;
    char line[600];
    snprintf(line, sizeof line, "\"$STINT\" check %s", target);
    cli(&run, line);
    if (cli_status(&run) != status)
        fail_msg("%s: status %d\n%s%s", target, cli_status(&run), run.out, run.err);
    for (; *words; words++) cli_expect(status == 3 ? run.err : run.out, *words);
    run_fini(&run);
}
#define EXPECT(target, status, ...) expect(target, status, (const char *const[]){__VA_ARGS__, NULL})

static void instrumented_programs_are_fine(void **state)
{
    EXPECT("\"$T/counts\"", 0, "instrumented  counts (of ", "linked dynamically (PIE)", "GCC: (",
           "symbols and debug information", "\nwould be recorded\n");
    EXPECT("\"$T/counts@no-pie\"", 0, "linked dynamically\n");
}

static void clangs_are_known_by_their_word(void **state)
{
    struct run run;
    cli(&run, "test -e \"$T/counts@after-inlining\"");
    bool is_there = cli_status(&run) == 0;
    run_fini(&run);
    if (!is_there) skip();
    EXPECT("\"$T/counts@clang\"", 0, "clang version", "counts@clang (of ");
    EXPECT("\"$T/counts@after-inlining\"", 0, "counts@after-inlining (of ");
}

static void an_instrumented_library_is_enough(void **state)
{
    EXPECT("\"$T/early\"", 0, "instrumented  early, libearly.so (of ");
    EXPECT("\"$T/plugin-one.so\"", 0, "shared library", "recorded in programs that load it");
}

static void what_calls_no_hooks_is_to_be_built_anew(void **state)
{
    EXPECT("\"$T/nothing\"", 1, "instrumented  nothing", "gcc -g -finstrument-functions",
           "\nwould record nothing\n");
}

static void static_programs_are_to_be_linked_anew(void **state)
{
    EXPECT("\"$T/counts@static\"", 1, "linked statically\n", "link it without -static\n");
    EXPECT("\"$T/counts@static-pie\"", 1, "(static-pie)", "link it without -static-pie\n");
}

static void other_word_sizes_are_told(void **state)
{
    struct run run;
    cli(&run, "head -c 5000 \"$T/counts\" >app; printf '\\001' | dd of=app bs=1 seek=4 "
              "conv=notrunc status=none; chmod +x app; \"$STINT\" check ./app");
    assert_int_equal(cli_status(&run), 1);
    cli_expect(run.out, "a 32-bit object");
    run_fini(&run);
    cli(&run, "cp \"$T/counts\" app; printf '\\363' | dd of=app bs=1 seek=18 conv=notrunc "
              "status=none; \"$STINT\" check ./app");
    assert_int_equal(cli_status(&run), 1);
    cli_expect(run.out, "another machine");
    run_fini(&run);
}

static void own_hooks_are_in_the_way(void **state)
{
    struct run run;
    EXPECT("\"$C/own-hooks\"", 1, "hooks of its own", "would record nothing");
    cli(&run, "\"$STINT\" run \"$C/own-hooks\"");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.err, "nothing was recorded");
    run_fini(&run);
}

static void sanitizers_and_stripping_are_noted(void **state)
{
    EXPECT("\"$C/counts-asan\"", 0, "sanitizer     libasan.so", "must come first");
    EXPECT("\"$T/threads@tsan\"", 0, "sanitizer     libtsan.so");
    EXPECT("\"$T/counts@stripped\"", 0, "names         stripped", "it is stripped: ");
}

static void setuid_programs_preload_nothing(void **state)
{
    struct run run;
    if (geteuid() != 0) skip();
    cli(&run, "cp \"$T/counts\" app; chown 1 app; chmod u+s app; \"$STINT\" check ./app; echo $?;"
              "chown 0 app; chmod u+s app; \"$STINT\" check ./app; echo $?");
    cli_expect(run.out, "run it as its owner");
    cli_expect(run.out, "would record nothing\n1\n");
    cli_expect(run.out, "run by others than its owner it preloads nothing");
    cli_expect(run.out, "would be recorded\n0\n");
    run_fini(&run);
}

static void of_a_script_the_interpreter_is_looked_at(void **state)
{
    struct run run;
    cli(&run,
        "printf '#!%s -x\\n' \"$T/counts\" >script; chmod +x script; \"$STINT\" check ./script;"
        "echo $?; printf '#!/usr/bin/env -S sh -e\\n' >script; \"$STINT\" check ./script; echo $?");
    cli_expect(run.out, "./script\n  script of     /");
    cli_expect(run.out, "would be recorded\n0\n");
    cli_expect(run.out, "of a script, the instrumented programs that it runs are recorded");
    cli_expect(run.out, "would record nothing\n1\n");
    run_fini(&run);
}

static void what_cannot_be_looked_at_has_status_3(void **state)
{
    EXPECT("nowhere", 3, "nowhere: no such command");
    EXPECT("nowhere; cp \"$T/counts\" app; \"$STINT\" check app", 0, "would be recorded");
    EXPECT("./nowhere", 3, "./nowhere: ");
    EXPECT("\"$REPORTS/known.json\"", 3, "neither an ELF object nor an executable script");
    EXPECT(".", 3, "");
    struct run run;
    cli(&run, "for n in 4 20 63 64 200 1000 8000; do head -c $n \"$T/counts\" >app; chmod +x app; "
              "\"$STINT\" check ./app >/dev/null 2>&1; echo $?; done | sort -u");
    if (strspn(run.out, "13\n") != strlen(run.out)) fail_msg("%s", run.out); /* and no crash */
    run_fini(&run);
    cli(&run, "\"$STINT\" check; echo $?; \"$STINT\" check a b; echo $?");
    assert_string_equal(run.out, "2\n2\n");
    run_fini(&run);
}

/* Whatever the file's name is, JSON is UTF-8. */
static void a_name_that_is_no_utf8_is_made_valid(void **state)
{
    struct run run;
    cli(&run, "cp \"$T/counts\" \"$(printf 'a\\377')\"; \"$STINT\" check --json ./a* | python3 -c "
              "\"import json, sys; print(json.load(sys.stdin)['path'] == './a\\ufffd')\"");
    assert_string_equal(run.out, "True\n");
    run_fini(&run);
}

static void missing_libraries_are_named(void **state)
{
    struct run run;
    cli(&run, "cp \"$T/early\" .; \"$STINT\" check ./early");
    cli_expect(run.out, "not found     libearly.so\n");
    run_fini(&run);
    cli(&run, "cp \"$T/early\" .; LD_LIBRARY_PATH=\"$T\" \"$STINT\" check ./early");
    cli_expect(run.out, "early, libearly.so (of ");
    run_fini(&run);
}

/* ldd is another reader of the same rules. */
static void libraries_are_those_of_ldd(void **state)
{
    struct run run;
    cli(&run, "for p in \"$T/early\" \"$C/counts-asan\" \"$STINT\"; do "
              "ldd \"$p\" | awk '$2 == \"=>\" { print $1 }' | sort >a;"
              "\"$STINT\" check --json \"$p\" | python3 -c \"import json, sys; "
              "[print(m['name']) for m in json.load(sys.stdin)['modules'][1:] "
              "if not m['name'].startswith('ld-linux')]\" | sort >b; test -s b && diff a b || exit "
              "9; done");
    if (cli_status(&run) != 0) fail_msg("%s%s", run.out, run.err);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instrumented_programs_are_fine),
        cmocka_unit_test(clangs_are_known_by_their_word),
        cmocka_unit_test(an_instrumented_library_is_enough),
        cmocka_unit_test(what_calls_no_hooks_is_to_be_built_anew),
        cmocka_unit_test(static_programs_are_to_be_linked_anew),
        cmocka_unit_test(other_word_sizes_are_told),
        cmocka_unit_test(own_hooks_are_in_the_way),
        cmocka_unit_test(sanitizers_and_stripping_are_noted),
        cmocka_unit_test(setuid_programs_preload_nothing),
        cmocka_unit_test(of_a_script_the_interpreter_is_looked_at),
        cmocka_unit_test(what_cannot_be_looked_at_has_status_3),
        cmocka_unit_test(a_name_that_is_no_utf8_is_made_valid),
        cmocka_unit_test(missing_libraries_are_named),
        cmocka_unit_test(libraries_are_those_of_ldd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
