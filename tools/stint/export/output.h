/* SPDX-License-Identifier: MIT
 *
 * A stream into a file that appears under its name whole or not at all (base/file.h). Between
 * opening and closing all signals wait, so that none leaves the temporary behind. */
#pragma once

#include "base/fault.h"
#include "base/file.h"

#include <stdio.h>

struct output {
    FILE *stream;
    struct file_replace file;
    struct file_guard guard;
};

/* 0, or −errno with the fault filled and nothing left open. */
int output_open(struct output *output, const char *name, struct fault *fault);

/* Puts the file in place, or, where `error` is not 0 or the stream did not take everything, removes
 * it. 0 or −errno (`error` itself where it is one) with the fault filled. */
int output_close(struct output *output, int error, struct fault *fault);

/* Flushes a stream. 0 or −errno with the fault filled where it did not take everything. */
int output_flush(FILE *stream, struct fault *fault);
