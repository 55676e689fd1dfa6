/* SPDX-License-Identifier: MIT
 *
 * The demo's voxel world: chunks of 16 × 16 columns, 64 voxels high, that can be built and culled
 * from several threads at once. */
#pragma once

struct world;

/* How much was done since world_new. */
struct world_totals {
    unsigned long built, culled, faces, stalls;
};

/* NULL when there is no memory. */
struct world *world_new(void);
void world_free(struct world *world);

/* Reads, generates, lights and meshes the chunk at (x, z). Context: any thread; one a chunk. */
void world_build(struct world *world, int x, int z);

/* Decides which chunks of row z are out of the camera's sight at x, and empties them.
 * Context: any thread; one a row at a time. */
void world_cull(struct world *world, int x, int z);

struct world_totals world_totals(const struct world *world);
