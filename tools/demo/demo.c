/* SPDX-License-Identifier: MIT
 *
 * A program with something to find: four workers build and cull the chunks of a voxel world while a
 * camera flies over it. The main thread queues a frame's jobs and waits for them. Now and then a
 * region is not in the page cache and its read stalls for 20 ms (it really sleeps). */
#include "world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORKERS = 4, FRAMES = 480, RADIUS = 12, JOBS = 1024 };

struct job {
    void (*run)(struct world *world, int x, int z);
    int x, z;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct job jobs[JOBS];
    unsigned next, last; /* jobs[next … last) wait, modulo JOBS */
    unsigned running;
    int stop;
    struct world *world;
};

static int job_take(struct pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->next == pool->last && !pool->stop) pthread_cond_wait(&pool->work, &pool->lock);
    int got = pool->next != pool->last;
    if (got) {
        *job = pool->jobs[pool->next++ % JOBS];
        pool->running++;
    }
    pthread_mutex_unlock(&pool->lock);
    return got;
}

static void job_done(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    if (--pool->running == 0 && pool->next == pool->last) pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->lock);
}

static void *worker_main(void *argument)
{
    struct pool *pool = argument;
    struct job job;
    while (job_take(pool, &job)) {
        job.run(pool->world, job.x, job.z);
        job_done(pool);
    }
    return NULL;
}

static void frame_queue(struct pool *pool, int camera)
{
    pthread_mutex_lock(&pool->lock);
    for (int z = -RADIUS; z <= RADIUS; z++) {
        /* what the camera nears is built, what it leaves is culled */
        pool->jobs[pool->last++ % JOBS] = (struct job){world_build, camera + RADIUS, z};
        pool->jobs[pool->last++ % JOBS] = (struct job){world_cull, camera, z};
    }
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static void frame_wait(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0 || pool->next != pool->last)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void game_run(struct pool *pool)
{
    for (int camera = 0; camera < FRAMES; camera++) {
        frame_queue(pool, camera);
        frame_wait(pool);
    }
}

static void pool_stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
    struct world *world = world_new();
    if (!world) return EXIT_FAILURE;
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .work = PTHREAD_COND_INITIALIZER,
                        .idle = PTHREAD_COND_INITIALIZER,
                        .world = world};
    pthread_t workers[WORKERS];
    double start = seconds_now();
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, worker_main, &pool) != 0) return EXIT_FAILURE;
    game_run(&pool);
    pool_stop(&pool);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    struct world_totals totals = world_totals(world);
    printf("demo: %lu chunks built (%lu read from a slow disk), %lu culled, %lu faces, %.2f s\n",
           totals.built, totals.stalls, totals.culled, totals.faces, seconds_now() - start);
    world_free(world);
    return EXIT_SUCCESS;
}
