/* SPDX-License-Identifier: MIT
 *
 * stdio over base/file.h. Runs in `stint`. */
#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *const refused = "can't be written";

static int refuse(struct fault *fault, int error)
{
    return fault_set(fault, error ? error : -EIO, refused);
}

/* As file_replace_open wants it. */
static int absolute(const char *name, char path[4096])
{
    char directory[4096] = "";
    if (name[0] != '/' && !getcwd(directory, sizeof directory)) return -errno;
    int length = snprintf(path, 4096, "%s%s%s", directory, name[0] == '/' ? "" : "/", name);
    return length < 4096 ? 0 : -ENAMETOOLONG;
}

static int open_stream(struct output *output, const char *path)
{
    int error = file_replace_open(&output->file, path);
    if (error) return error;
    int fd = fcntl(output->file.fd, F_DUPFD_CLOEXEC, 0);
    output->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->stream) return 0;
    error = -errno;
    if (fd >= 0) (void)close(fd); /* nothing was written */
    file_replace_abort(&output->file);
    return error;
}

int output_open(struct output *output, const char *name, struct fault *fault)
{
    char path[4096];
    *output = (struct output){.file = FILE_REPLACE_INIT};
    int error = absolute(name, path);
    if (error) return refuse(fault, error);
    file_guard(&output->guard);
    error = open_stream(output, path);
    if (!error) return 0;
    file_unguard(&output->guard);
    return refuse(fault, error);
}

int output_flush(FILE *stream, struct fault *fault)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream)) return 0;
    return refuse(fault, -errno);
}

int output_close(struct output *output, int error, struct fault *fault)
{
    if (!error) error = output_flush(output->stream, fault);
    if (fclose(output->stream) != 0 && !error) error = refuse(fault, -errno);
    if (error)
        file_replace_abort(&output->file);
    else if ((error = file_replace_commit(&output->file)) != 0)
        error = refuse(fault, error);
    file_unguard(&output->guard);
    return error;
}
