/* SPDX-License-Identifier: MIT
 *
 * Looking into a report: members that must be there, functions and threads by name, and what the
 * target told of itself. Consistency is in consistent.c. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value) fail_msg("no %s in %.300s", key, json_dumps(object, JSON_ENCODE_ANY));
    return value;
}

double real_at(const json_t *object, const char *key)
{
    return json_number_value(member(object, key));
}

long long integer_at(const json_t *object, const char *key)
{
    const json_t *value = member(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

const char *string_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(member(object, key));
    return text ? text : "";
}

static bool has_name(const json_t *object, const char *name)
{
    const char *own = json_string_value(json_object_get(object, "name"));
    return own && !strcmp(own, name);
}

const json_t *report_function(const json_t *report, const char *name)
{
    const json_t *function, *found = NULL;
    size_t i;
    json_array_foreach(member(report, "functions"), i, function)
    {
        if (!has_name(function, name)) continue;
        if (found) fail_msg("two functions named %s", name);
        found = function;
    }
    return found;
}

static long long sum_of(const json_t *report, const char *name, const char *key)
{
    const json_t *function;
    size_t i;
    long long sum = 0;
    json_array_foreach(member(report, "functions"), i, function) if (has_name(function, name))
        sum += json_integer_value(json_object_get(function, key));
    return sum;
}

long long report_calls(const json_t *report, const char *name)
{
    return sum_of(report, name, "Count");
}

long long report_open(const json_t *report, const char *name)
{
    return sum_of(report, name, "Open");
}

size_t report_threads(const json_t *report, const char *name)
{
    const json_t *thread;
    size_t i, count = 0;
    json_array_foreach(member(report, "threads"), i, thread) count +=
        !name || has_name(thread, name);
    return count;
}

const json_t *report_thread(const json_t *report, const char *name)
{
    const json_t *thread;
    size_t i;
    json_array_foreach(member(report, "threads"), i,
                       thread) if (has_name(thread, name)) return thread;
    return NULL;
}

long long report_lost(const json_t *report, const char *name)
{
    return integer_at(member(report, "lost"), name);
}

const char *report_ending(const json_t *report, const char *key)
{
    const json_t *ending = member(member(report, "process"), "ending");
    const char *text = json_string_value(json_object_get(ending, key));
    return text ? text : "";
}

/* The function or what the compiler cut off it (name.cold, name.part.0). */
static bool is_part_of(const char *step, const char *name)
{
    size_t bytes = strlen(name);
    return !strncmp(step, name, bytes) && (!step[bytes] || step[bytes] == '.');
}

bool report_backtrace_has(const json_t *report, const char *name)
{
    const json_t *ending = member(member(report, "process"), "ending"), *step;
    size_t i;
    json_array_foreach(json_object_get(ending, "backtrace"), i,
                       step) if (is_part_of(string_at(step, "name"), name)) return true;
    return false;
}

/* truth */

static void check_calls(const json_t *report, const char *name, long long told)
{
    long long count = report_calls(report, name);
    if (count != told)
        fail_msg("%s: the target made %lld calls, the report has %lld", name, told, count);
}

static bool is_told(const char *text, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *line = strstr(text, "calls "); line; line = strstr(line + 1, "calls "))
        if (!strncmp(line + 6, name, bytes) && line[6 + bytes] == ' ') return true;
    return false;
}

/* What the compiler makes and instruments for thread_local and static objects. */
static bool is_compilers(const char *raw)
{
    return !strncmp(raw, "__tls_", 6) || !strncmp(raw, "_ZTW", 4) || !strncmp(raw, "_ZTH", 4) ||
           !strncmp(raw, "_GLOBAL__", 9);
}

static void check_nothing_more(const json_t *report, const char *text)
{
    const char *app = string_at(member(report, "process"), "executable");
    const json_t *function;
    size_t i;
    json_array_foreach(member(report, "functions"), i, function)
    {
        const char *name = string_at(function, "name");
        if (is_compilers(string_at(function, "raw_name"))) continue;
        if (!strcmp(string_at(function, "module"), app) && !is_told(text, name))
            fail_msg("the report has %s, which the target does not tell", name);
    }
}

static bool starts_with(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static const char *function_of(const json_t *report, const json_t *node)
{
    const json_t *functions = json_object_get(report, "functions"), *function;
    const json_t *id = json_object_get(node, "function");
    if (json_object_get(node, "category")) return string_at(node, "category");
    size_t i;
    json_array_foreach(functions, i, function) if (id && json_equal(json_object_get(function, "id"),
                                                                    id)) return string_at(function,
                                                                                          "name");
    return "no function";
}

/* Every node of the child lies directly below one of the parent. */
static void check_under(const json_t *report, const char *line)
{
    char child[200], parent[200];
    assert_int_equal(sscanf(line, "under %199s %199s", child, parent), 2);
    const json_t *tree = json_object_get(report, "call_tree"), *node;
    size_t i, found = 0;
    json_array_foreach(tree, i, node)
    {
        if (strcmp(function_of(report, node), child)) continue;
        const json_t *above = json_object_get(node, "parent");
        const char *name = "nothing";
        if (!json_is_null(above))
            name = function_of(report, json_array_get(tree, (size_t)json_integer_value(above)));
        if (strcmp(name, parent)) fail_msg("%s was called by %s, not by %s", child, name, parent);
        found++;
    }
    if (!found) fail_msg("%s is not in the tree", child);
}

/* "calls NAME N": the name may hold blanks. False when it is no such line. */
static bool parse_line(const char *line, const char *verb, char name[static 12000], double *value)
{
    size_t bytes = strlen(verb), end = strcspn(line, "\n");
    if (strncmp(line, verb, bytes) || line[bytes] != ' ') return false;
    size_t number = end;
    while (number > bytes + 1 && line[number - 1] != ' ') number--;
    *value = strtod(line + number, NULL);
    snprintf(name, 12000, "%.*s", (int)(number - bytes - 2), line + bytes + 1);
    return true;
}

static void check_scope(const json_t *report, const char *name, long long begun)
{
    const json_t *category = json_object_get(member(report, "categories"), name);
    if (!category) fail_msg("no category \"%s\"", name);
    if (integer_at(category, "Count") != begun)
        fail_msg("scope %s: Count %lld, begun %lld times", name, integer_at(category, "Count"),
                 begun);
}

void check_truth(const json_t *report, const char *text)
{
    int told = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[12000];
        double value;
        if (parse_line(line, "calls scope", name, &value)) {
            check_scope(report, name, (long long)value), told++;
        } else if (parse_line(line, "calls", name, &value)) {
            check_calls(report, name, (long long)value), told++;
        } else if (parse_line(line, "open", name, &value)) {
            assert_int_equal(report_open(report, name), (long long)value);
        } else if (starts_with(line, "under ")) {
            check_under(report, line);
        } else if (parse_line(line, "slept", name, &value)) {
            const json_t *function = report_function(report, name);
            if (!function || real_at(function, "Total_ms") < value)
                fail_msg("%s slept %g ms, the report has less", name, value);
        }
    }
    if (!told) fail_msg("the target told nothing: %.500s", text);
    check_nothing_more(report, text);
}

void check_truth_with_lost(const json_t *report, const char *text, const char *kind, double bound)
{
    long long told = 0, found = 0, lost = report_lost(report, kind);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[12000];
        double value;
        if (!parse_line(line, "calls", name, &value)) continue;
        long long calls = (long long)value, count = report_calls(report, name);
        if (count > calls || count + lost < calls)
            fail_msg("%s: %lld calls, Count %lld, %lld lost", name, calls, count, lost);
        told += calls, found += count;
    }
    assert_true(told > 0);
    assert_int_equal(found + lost, told);
    assert_true((double)lost <= bound * (double)told);
    check_nothing_more(report, text);
}

/* loading */

static void validate(const char *path)
{
    const char *python = run_setting("STINT_TEST_PYTHON");
    const char *script = run_setting("STINT_TEST_VALIDATE"),
               *schema = run_setting("STINT_TEST_SCHEMA");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        execl(python, python, script, schema, path, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status) fail_msg("%s is not valid (%#x)", path, (unsigned)status);
}

void check_consistent(const json_t *report, int leave);

json_t *report_load_path(const char *path, int leave)
{
    json_error_t error;
    json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!report) fail_msg("%s: %s (line %d)", path, error.text, error.line);
    validate(path);
    check_consistent(report, leave);
    return report;
}

json_t *report_load(const struct run *run, const char *name, int leave)
{
    char below[512];
    snprintf(below, sizeof below, "out/%s", name);
    if (access(run_path(run, below), F_OK))
        fail_msg("no report %s; there is \"%s\"; stderr: %.2000s", name, run_list(run, "out"),
                 run->err);
    char path[4096];
    snprintf(path, sizeof path, "%s", run_path(run, below));
    return report_load_path(path, leave);
}

json_t *report_recover(const struct run *run, int leave)
{
    char command[9000], *store = run_list(run, "store");
    if (strncmp(store, "stint.", 6) || strchr(store, ' ')) fail_msg("stores: \"%s\"", store);
    snprintf(command, sizeof command, "%s recover %s/store/%s -o %s/out/recovered.json >/dev/null",
             run_setting("STINT_COMMAND"), run->dir, store, run->dir);
    free(store);
    assert_int_equal(system(command), 0);
    return report_load(run, "recovered.json", leave);
}

/* Counts the names in out but the first process's, and copies the wanted one; names hold no blank.
 */
static size_t others(const struct run *run, size_t wanted, char found[static 512])
{
    char *names = run_list(run, "out"), *save = NULL;
    size_t count = 0;
    for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        if (!strcmp(name, "profiling_results.json")) continue;
        if (count++ == wanted) snprintf(found, 512, "%s", name);
    }
    free(names);
    return count;
}

size_t report_others(const struct run *run)
{
    char found[512];
    return others(run, SIZE_MAX, found);
}

json_t *report_load_other(const struct run *run, size_t i, int leave)
{
    char found[512] = "";
    others(run, i, found);
    return report_load(run, found, leave);
}
