/* SPDX-License-Identifier: MIT
 *
 * A program with something to find: four workers build and cull the chunks of a voxel world while a
 * camera flies over it. The main thread queues a frame's jobs and waits for them. Now and then a
 * region is not in the page cache and its read stalls for 20 ms (it really sleeps). It says of
 * itself what a game would: its frames, what the work is called, how long jobs waited. */
#include "world.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stint/stint.h>
#include <time.h>

enum { WORKERS = 4, FRAMES = 480, RADIUS = 12, JOBS = 1024 };

struct job {
    void (*run)(struct world *world, int x, int z);
    int x, z;
    uint64_t queued_ns;
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

static uint64_t ns_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

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
    stint_thread_name("World worker");
    while (job_take(pool, &job)) {
        stint_record("Job_Queued", ns_now() - job.queued_ns);
        job.run(pool->world, job.x, job.z);
        job_done(pool);
    }
    return NULL;
}

static void frame_queue(struct pool *pool, int camera)
{
    STINT_FUNC_AS("World_Update");
    uint64_t now = ns_now();
    pthread_mutex_lock(&pool->lock);
    for (int z = -RADIUS; z <= RADIUS; z++) {
        /* what the camera nears is built, what it leaves is culled */
        pool->jobs[pool->last++ % JOBS] = (struct job){world_build, camera + RADIUS, z, now};
        pool->jobs[pool->last++ % JOBS] = (struct job){world_cull, camera, z, now};
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
        stint_start_frame();
        frame_queue(pool, camera);
        frame_wait(pool);
        stint_end_frame();
    }
}

static void pool_stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
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
    uint64_t start = ns_now();
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, worker_main, &pool) != 0) return EXIT_FAILURE;
    game_run(&pool);
    pool_stop(&pool);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    struct world_totals totals = world_totals(world);
    printf("demo: %lu chunks built (%lu read from a slow disk), %lu culled, %lu faces, %.2f s\n",
           totals.built, totals.stalls, totals.culled, totals.faces,
           (double)(ns_now() - start) / 1e9);
    world_free(world);
    return EXIT_SUCCESS;
}
