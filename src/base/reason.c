/* SPDX-License-Identifier: MIT
 *
 * The errors that writing a report can meet. Runs anywhere. */
#include "base/reason.h"

#include "base/compiler.h"

#include <errno.h>

static const struct {
    int error;
    const char *text; /* reason; remedy */
} reasons[] = {
    {EACCES, "permission denied; set STINT_OUT to a directory that this user may write"},
    {EPERM, "operation not permitted; set STINT_OUT to another directory"},
    {ENOENT, "no such directory; make it or set STINT_OUT"},
    {ENOTDIR, "a part of the path is not a directory; set STINT_OUT"},
    {EISDIR, "is a directory; set STINT_OUT to a file"},
    {EROFS, "read-only file system; set STINT_OUT to a writable directory"},
    {ENOSPC, "no space left on the device; free some or set STINT_OUT"},
    {EDQUOT, "disk quota exceeded; free some or set STINT_OUT"},
    {EFBIG, "file size limit exceeded; raise `ulimit -f`"},
    {EMFILE, "too many open files; raise `ulimit -n`"},
    {ENFILE, "too many open files in the system"},
    {ENOMEM, "out of memory; raise `ulimit -v` or free some"},
    {ENXIO, "nobody reads the FIFO or socket; start its reader first"},
    {EPIPE, "the reader of the FIFO has gone"},
    {EAGAIN, "the reader of the FIFO is too slow"},
    {ETIMEDOUT, "took too long; raise STINT_REPORT_TIMEOUT"},
    {ELOOP, "too many symbolic links; set STINT_OUT"},
    {ENAMETOOLONG, "name too long; set STINT_OUT to a shorter one"},
    {EIO, "input/output error; set STINT_OUT to another device"},
    {EBUSY, "the file changed its kind meanwhile; set STINT_OUT"},
    {ENODEV, "no such device; set STINT_OUT to a file"},
    {EFAULT, "the report code crashed; please report this as a bug of stint"},
};

void reason_add(struct fmt *out, int error)
{
    for (unsigned i = 0; i < COUNT_OF(reasons); i++) {
        if (reasons[i].error != -error) continue;
        fmt_text(out, reasons[i].text);
        return;
    }
    fmt_text(out, "error ");
    fmt_i64(out, -error);
}
