/* SPDX-License-Identifier: MIT
 *
 * `stint merge`: many reports into one. Each is read, added and forgotten; the sum is written at
 * the end, under its name whole or not at all. */
#include "base/file.h"
#include "base/say.h"
#include "merge/write.h"
#include "print/emit.h"
#include "verb/exitcode.h"
#include "verb/memory.h"
#include "verb/place.h"
#include "verb/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT, JSON };

const struct opt merge_options[] = {
    {'o', "out", "FILE", "where the merged report goes; needed"},
    {0, "json", NULL, "say what was merged as JSON instead of a line"},
    {0},
};

struct inputs {
    char **paths;
    size_t used, room;
};

static void add_path(struct inputs *inputs, const char *path, size_t length)
{
    inputs->paths = memory_grow(inputs->paths, inputs->used, &inputs->room, sizeof *inputs->paths);
    inputs->paths[inputs->used++] = memory_text(path, length);
}

static void inputs_fini(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->used; i++) free(inputs->paths[i]);
    free(inputs->paths);
}

/* @FILE: a name a line; blank lines are passed over. */
static bool add_list(struct inputs *inputs, const char *list)
{
    bool is_input = strcmp(list, "-") == 0;
    FILE *file = is_input ? stdin : fopen(list, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (!file) {
        say_line(list, ": can't be opened: ", strerror(errno), (char *)0);
        return false;
    }
    while ((length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n') length--;
        if (length) add_path(inputs, line, (size_t)length);
    }
    bool is_good = !ferror(file);
    if (!is_good) say_line(list, ": can't be read: ", strerror(errno), (char *)0);
    free(line);
    if (!is_input) (void)fclose(file); /* was only read */
    return is_good;
}

struct merge_arguments {
    struct inputs inputs;
    const char *out;
    bool is_json;
};

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct merge_arguments *arguments)
{
    for (;;) {
        switch (opt_next(args)) {
        case OUT:
            arguments->out = args->value;
            break;
        case JSON:
            arguments->is_json = true;
            break;
        case OPT_OPERAND:
            if (args->value[0] != '@')
                add_path(&arguments->inputs, args->value, strlen(args->value));
            else if (!add_list(&arguments->inputs, args->value + 1))
                return EXITCODE_BAD_INPUT;
            break;
        default:
            if (args->status >= 0) return args->status;
            if (!arguments->out) return opt_mistake(args->verb, "-o FILE is missing", "");
            if (arguments->inputs.used == 0)
                return opt_mistake(args->verb, "no reports to merge", "");
            return -1;
        }
    }
}

static bool is_out(const struct stat *input, const char *out)
{
    struct stat status;
    return S_ISREG(input->st_mode) && stat(out, &status) == 0 && status.st_dev == input->st_dev &&
           status.st_ino == input->st_ino;
}

/* An exit status. */
static int read_inputs(struct gather *gather, const struct merge_arguments *arguments)
{
    struct intake intake;
    int status = EXITCODE_OK;
    intake_init(&intake, &gather_takers, gather);
    for (size_t i = 0; i < arguments->inputs.used && status == EXITCODE_OK; i++) {
        const char *path = arguments->inputs.paths[i];
        gather_begin(gather);
        if (!intake_file(&intake, path)) {
            status = EXITCODE_BAD_INPUT;
        } else if (is_out(&intake.status, arguments->out)) {
            say_line("merge: ", path, " is also what would be written; give -o another name",
                     (char *)0);
            status = EXITCODE_USAGE;
        }
    }
    intake_fini(&intake);
    return status;
}

static int out_fault(const char *out, int error)
{
    say_line(out, ": can't be written: ", strerror(error), (char *)0);
    return EXITCODE_BAD_INPUT;
}

/* file_replace's names are absolute. */
static int absolute(const char *path, char name[4096])
{
    char directory[4096] = "";
    if (path[0] != '/' && !getcwd(directory, sizeof directory)) return errno;
    int length = snprintf(name, 4096, "%s%s%s", directory, path[0] == '/' ? "" : "/", path);
    return length < 4096 ? 0 : ENAMETOOLONG;
}

/* What has arrived where fd leads, or errno. */
static int write_to(struct gather *gather, int fd)
{
    int copy = dup(fd);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (!file) return errno;
    merge_write(gather, file);
    int error = fflush(file) != 0 || ferror(file) ? errno : 0;
    return fclose(file) != 0 && !error ? errno : error;
}

static int write_out(struct gather *gather, const char *out)
{
    struct file_replace file = FILE_REPLACE_INIT;
    char name[4096];
    if (strcmp(out, "-") == 0) out = "/dev/stdout";
    int error = absolute(out, name);
    if (!error) error = -file_replace_open(&file, name);
    if (error) return out_fault(out, error);
    error = write_to(gather, file.fd);
    if (error) {
        file_replace_abort(&file);
        return out_fault(out, error);
    }
    error = -file_replace_commit(&file);
    return error ? out_fault(out, error) : EXITCODE_OK;
}

static void tell(const struct gather *gather, const struct merge_arguments *arguments)
{
    if (strcmp(arguments->out, "-") == 0) return;
    if (!arguments->is_json) {
        printf("%u reports of %zu processes: %zu functions, %zu call paths, in %s\n",
               gather->reports, gather->processes_used, gather->functions.used, gather->trails.used,
               arguments->out);
        return;
    }
    struct emit emit = {.file = stdout};
    emit_open(&emit, NULL, '{');
    emit_text(&emit, "out", arguments->out);
    emit_count(&emit, "reports", gather->reports);
    emit_count(&emit, "processes", gather->processes_used);
    emit_count(&emit, "functions", gather->functions.used);
    emit_count(&emit, "categories", gather->categories.used);
    emit_count(&emit, "call_paths", gather->trails.used);
    emit_count(&emit, "threads_left_out", gather->threads_left_out);
    emit_close(&emit, '}');
}

static int merge(const struct merge_arguments *arguments)
{
    struct gather gather;
    const char *fault = strcmp(arguments->out, "-") == 0 ? NULL : place_fault(arguments->out);
    if (fault) {
        say_line(arguments->out, ": ", fault, (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    gather_init(&gather);
    int status = read_inputs(&gather, arguments);
    if (status == EXITCODE_OK) status = write_out(&gather, arguments->out);
    if (status == EXITCODE_OK) tell(&gather, arguments);
    gather_fini(&gather);
    return status;
}

int merge_main(struct opt_args *args)
{
    struct merge_arguments arguments = {.out = NULL};
    int status = read_arguments(args, &arguments);
    if (status < 0) status = merge(&arguments);
    inputs_fini(&arguments.inputs);
    return status;
}
