/* SPDX-License-Identifier: MIT
 *
 * The values go to Python in a file, its answer comes back through a pipe in 17 digits. */
#include "numpy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char script[] = "import sys, numpy\n"
                             "n = int(sys.argv[2])\n"
                             "v = numpy.fromfile(sys.argv[1], dtype=sys.argv[3], count=n)\n"
                             "v = v.astype(numpy.float64)\n"
                             "for q in sys.argv[4:]:\n"
                             "    print('%.17g' % numpy.quantile(v, float(q)))\n";

static bool ask(const char *path, const char *type, size_t n, const double *q, size_t k,
                double *out)
{
    char command[4096];
    int used = snprintf(command, sizeof command, "/usr/bin/python3 -c \"%s\" %s %zu %s", script,
                        path, n, type);
    for (size_t i = 0; i < k; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, " %.17g", q[i]);
    snprintf(command + used, sizeof command - (size_t)used, " 2>/dev/null");
    FILE *answer = popen(command, "r");
    size_t got = 0;
    while (answer && got < k && fscanf(answer, "%lf", &out[got]) == 1) got++;
    if (answer) pclose(answer);
    return got == k;
}

static bool quantiles(const void *values, const char *type, size_t n, const double *q, size_t k,
                      double *out)
{
    char path[] = "/tmp/stint-numpy-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return false;
    bool written = write(fd, values, n * 8) == (ssize_t)(n * 8);
    bool done = written && ask(path, type, n, q, k, out);
    close(fd);
    unlink(path);
    if (!done) puts("# not compared: no python3-numpy");
    return done;
}

bool numpy_quantiles(const uint64_t *values, size_t n, const double *q, size_t k, double *out)
{
    return quantiles(values, "uint64", n, q, k, out);
}

bool numpy_quantiles_of_doubles(const double *values, size_t n, const double *q, size_t k,
                                double *out)
{
    return quantiles(values, "float64", n, q, k, out);
}
