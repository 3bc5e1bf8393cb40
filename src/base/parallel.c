/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MLS_PARALLEL_THREADS_MAX = 256 };

typedef struct mls_parallel {
    void (*work)(void *state, size_t index);
    void *state;
    size_t count;
    atomic_size_t next;
} mls_parallel;

static void *mls_parallel_thread(void *argument)
{
    mls_parallel *job = argument;
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
    pthread_t workers[MLS_PARALLEL_THREADS_MAX];
    mls_parallel job = {.work = work, .state = state, .count = count};
    unsigned started = 0;
    if (threads > MLS_PARALLEL_THREADS_MAX) {
        threads = MLS_PARALLEL_THREADS_MAX;
    }
    /* A thread that cannot be had is no error: the others do its share. */
    while (started + 1 < threads && started + 1 < count &&
           pthread_create(&workers[started], NULL, mls_parallel_thread, &job) == 0) {
        started++;
    }
    (void)mls_parallel_thread(&job);
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
