/* SPDX-License-Identifier: MIT
 *
 * Durations of several shapes, the same wherever they are made: a target records them, its test
 * asks numpy about them. */
#pragma once

#include <stdint.h>

#define SHAPE_KINDS 5
static const char *const shape_names[SHAPE_KINDS] = {"uniform", "lognormal", "bimodal", "constant",
                                                     "heavy tail"};

struct shape {
    uint64_t state;
    int kind;
};

__attribute__((no_instrument_function)) static inline double shape_part(struct shape *shape)
{
    shape->state ^= shape->state << 13; /* xorshift64, Marsaglia 2003 */
    shape->state ^= shape->state >> 7;
    shape->state ^= shape->state << 17;
    return (double)(shape->state >> 11) * 0x1p-53;
}

__attribute__((no_instrument_function)) static inline uint64_t shape_next(struct shape *shape)
{
    double x = 1000;
    switch (shape->kind) {
    case 0:
        return (uint64_t)(shape_part(shape) * 1e6);
    case 1: /* a product of many factors */
        for (int i = 0; i < 12; i++) x *= 0.4 + 1.5 * shape_part(shape);
        return (uint64_t)x;
    case 2:
        x = shape_part(shape) < 0.7 ? 200 : 90000;
        return (uint64_t)(x * (0.9 + 0.2 * shape_part(shape)));
    case 3:
        return 4242;
    default: /* Pareto's, of exponent 1: no mean */
        return (uint64_t)(100 / (1 - shape_part(shape)));
    }
}
