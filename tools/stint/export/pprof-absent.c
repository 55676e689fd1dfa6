/* SPDX-License-Identifier: MIT
 *
 * In place of pprof.c where stint is built without protobuf-c or zlib. */
#include "export/export.h"

#include <errno.h>

int export_pprof(const struct export_job *job, FILE *out, struct fault *fault)
{
    (void)job, (void)out;
    return fault_set(fault, -ENOTSUP,
                     "pprof is missing here: stint was built without protobuf-c or zlib "
                     "(libprotobuf-c-dev, protobuf-c-compiler, zlib1g-dev)");
}
