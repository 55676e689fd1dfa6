/* SPDX-License-Identifier: MIT
 *
 * How a chunk comes to be and goes: read what was saved, raise the terrain, dig caves, let light
 * in, turn visible voxels into faces; and the test that throws chunks out of sight away. The shapes
 * differ from chunk to chunk, so the functions' times have different tails. */
#include "world.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stint/stint.h>
#include <string.h>
#include <time.h>

enum { SIDE = 16, HIGH = 64, COARSE = 4, ROWS = 32, COLUMNS = 32, BEHIND = 6, STALL_ONE_IN = 151 };

/* A border of air around the voxels spares the mesher its bounds checks. */
struct chunk {
    int x, z;
    int is_loaded;
    unsigned faces;
    unsigned char voxels[HIGH + 2][SIDE + 2][SIDE + 2];
    unsigned char light[HIGH][SIDE][SIDE];
};

struct world {
    struct chunk chunks[ROWS][COLUMNS]; /* a ring along x */
    atomic_ulong built, culled, faces, stalls;
};

/* A well-mixed number for a place; the world is the same in every run. */
static unsigned place_hash(int x, int z, unsigned salt)
{
    unsigned h = (unsigned)x * 0x9e3779b1u ^ (unsigned)z * 0x85ebca77u ^ salt * 0xc2b2ae3du;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return h ^ (h >> 15);
}

static float lattice(int x, int z) { return (float)(place_hash(x, z, 1) & 0xffff) / 65535.0f; }

static float noise(float x, float z)
{
    int ix = (int)floorf(x), iz = (int)floorf(z);
    float fx = x - (float)ix, fz = z - (float)iz;
    float low = lattice(ix, iz) + fx * (lattice(ix + 1, iz) - lattice(ix, iz));
    float high = lattice(ix, iz + 1) + fx * (lattice(ix + 1, iz + 1) - lattice(ix, iz + 1));
    return low + fz * (high - low);
}

static float terrain_height(int x, int z)
{
    float height = 0, weight = 0.5f, step = 1.0f / 64;
    for (int octave = 0; octave < 4; octave++) {
        height += weight * noise((float)x * step, (float)z * step);
        weight /= 2;
        step *= 2;
    }
    return 4 + height * (HIGH - 8);
}

/* A cold region: the disk takes its 20 ms. */
static void disk_read(struct world *world)
{
    struct timespec stall = {.tv_nsec = 20 * 1000 * 1000};
    stint_count("Disk_Stalls", 1);
    nanosleep(&stall, NULL);
    atomic_fetch_add(&world->stalls, 1);
}

static void region_read(struct world *world, struct chunk *chunk)
{
    memset(chunk->voxels, 0, sizeof chunk->voxels);
    if (place_hash(chunk->x, chunk->z, 2) % STALL_ONE_IN == 0) disk_read(world);
}

static void column_fill(struct chunk *chunk, int x, int z, float height)
{
    for (int y = 0; y < (int)height; y++) chunk->voxels[y + 1][z + 1][x + 1] = 1;
}

/* Heights are computed at every fourth column and interpolated between. */
static void chunk_raise(struct chunk *chunk)
{
    float coarse[SIDE / COARSE + 1][SIDE / COARSE + 1];
    for (int z = 0; z <= SIDE / COARSE; z++)
        for (int x = 0; x <= SIDE / COARSE; x++)
            coarse[z][x] =
                terrain_height(chunk->x * SIDE + x * COARSE, chunk->z * SIDE + z * COARSE);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) {
            const float *north = &coarse[z / COARSE][x / COARSE];
            const float *south = &coarse[z / COARSE + 1][x / COARSE];
            float fx = (float)(x % COARSE) / COARSE, fz = (float)(z % COARSE) / COARSE;
            float near = north[0] + fx * (north[1] - north[0]);
            float far = south[0] + fx * (south[1] - south[0]);
            column_fill(chunk, x, z, near + fz * (far - near));
        }
}

static void cave_dig(struct chunk *chunk, int x, int y, int z, int length)
{
    if (length == 0) return;
    for (int dy = -2; dy <= 2; dy++)
        for (int dz = -2; dz <= 2; dz++)
            for (int dx = -2; dx <= 2; dx++)
                chunk->voxels[(y + dy) & (HIGH - 1)][(z + dz) & (SIDE - 1)][(x + dx) & (SIDE - 1)] =
                    0;
    unsigned turn = place_hash(x + chunk->x * SIDE, z + chunk->z * SIDE, (unsigned)length);
    cave_dig(chunk, x + (int)(turn % 3) - 1, y + (int)(turn / 3 % 3) - 1,
             z + (int)(turn / 9 % 3) - 1, length - 1);
}

/* Most chunks have no cave, some a few, one in 64 a whole labyrinth. */
static void caves_dig(struct chunk *chunk)
{
    unsigned kind = place_hash(chunk->x, chunk->z, 3) % 64;
    int caves = kind == 0 ? 40 : kind < 8 ? 4 : 0;
    for (int cave = 0; cave < caves; cave++)
        cave_dig(chunk, cave * 5 % SIDE, 8 + cave % 24, cave * 3 % SIDE, 60);
}

static void column_light(struct chunk *chunk, int x, int z)
{
    int light = 15;
    for (int y = HIGH - 1; y >= 0; y--) {
        if (chunk->voxels[y + 1][z + 1][x + 1]) light = light > 4 ? light - 4 : 0;
        chunk->light[y][z][x] = (unsigned char)light;
    }
}

static void light_spread(struct chunk *chunk)
{
    for (int y = 0; y < HIGH; y++)
        for (int z = 1; z < SIDE - 1; z++)
            for (int x = 1; x < SIDE - 1; x++) {
                unsigned char *here = &chunk->light[y][z][x];
                unsigned char beside = chunk->light[y][z][x - 1];
                if (!chunk->voxels[y + 1][z + 1][x + 1] && *here + 1 < beside)
                    *here = (unsigned char)(beside - 1);
            }
}

static void chunk_light(struct chunk *chunk)
{
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) column_light(chunk, x, z);
    for (int round = 0; round < 8; round++) light_spread(chunk);
}

/* Faces of row (y, z) that touch air; 1-based, as the voxels lie inside their border. */
static unsigned row_mesh(const struct chunk *chunk, int y, int z)
{
    unsigned faces = 0;
    for (int x = 1; x <= SIDE; x++) {
        if (!chunk->voxels[y][z][x]) continue;
        faces += (unsigned)(!chunk->voxels[y][z][x - 1] + !chunk->voxels[y][z][x + 1] +
                            !chunk->voxels[y][z - 1][x] + !chunk->voxels[y][z + 1][x] +
                            !chunk->voxels[y - 1][z][x] + !chunk->voxels[y + 1][z][x]);
    }
    return faces;
}

static void chunk_mesh(struct chunk *chunk)
{
    chunk->faces = 0;
    for (int y = 1; y <= HIGH; y++)
        for (int z = 1; z <= SIDE; z++) chunk->faces += row_mesh(chunk, y, z);
}

static struct chunk *chunk_at(struct world *world, int x, int z)
{
    return &world->chunks[(unsigned)z % ROWS][(unsigned)x % COLUMNS];
}

void world_build(struct world *world, int x, int z)
{
    STINT_FUNC_AS("Chunk_Build");
    struct chunk *chunk = chunk_at(world, x, z);
    chunk->x = x;
    chunk->z = z;
    region_read(world, chunk);
    chunk_raise(chunk);
    caves_dig(chunk);
    chunk_light(chunk);
    STINT_MEASURE("Chunk_BuildMesh") chunk_mesh(chunk);
    stint_value("Chunk_Faces", "faces", chunk->faces);
    chunk->is_loaded = 1;
    atomic_fetch_add(&world->built, 1);
    atomic_fetch_add(&world->faces, chunk->faces);
}

static int is_behind(const struct chunk *chunk, int camera)
{
    return chunk->is_loaded && chunk->x < camera - BEHIND;
}

static void chunk_drop(struct world *world, struct chunk *chunk)
{
    memset(chunk->light, 0, sizeof chunk->light);
    chunk->is_loaded = 0;
    atomic_fetch_add(&world->culled, 1);
}

void world_cull(struct world *world, int x, int z)
{
    STINT_FUNC_AS("Frustum_Culling");
    for (int column = x - BEHIND - 2; column < x; column++) {
        struct chunk *chunk = chunk_at(world, column, z);
        if (is_behind(chunk, x)) chunk_drop(world, chunk);
    }
}

struct world *world_new(void) { return calloc(1, sizeof(struct world)); }

void world_free(struct world *world) { free(world); }

struct world_totals world_totals(const struct world *world)
{
    return (struct world_totals){.built = atomic_load(&world->built),
                                 .culled = atomic_load(&world->culled),
                                 .faces = atomic_load(&world->faces),
                                 .stalls = atomic_load(&world->stalls)};
}
