/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.c - threads that take the next item until none is left. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS_MAX = 256 };

typedef struct parallel_job {
    void (*work)(void *state, size_t index);
    void *state;
    size_t count;
    atomic_size_t next;
} parallel_job;

static void *work_off(void *argument)
{
    parallel_job *job = argument;
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (index >= job->count) {
            return NULL;
        }
        job->work(job->state, index);
    }
}

void mls_parallel_for(unsigned threads, size_t count, void (*work)(void *state, size_t index), void *state)
{
    pthread_t workers[THREADS_MAX];
    parallel_job job = {.work = work, .state = state, .count = count};
    unsigned started = 0;
    if (threads > THREADS_MAX) {
        threads = THREADS_MAX;
    }
    /* A thread that cannot be had is no error: the others do its share. */
    while (started + 1 < threads && started + 1 < count &&
           pthread_create(&workers[started], NULL, work_off, &job) == 0) {
        started++;
    }
    (void)work_off(&job);
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(workers[i], NULL);
    }
}

unsigned mls_processor_count(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    const int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}
