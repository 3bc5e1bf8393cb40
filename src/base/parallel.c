/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.c - worker threads that take the next item, and the calling thread, which also delivers results in order. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include "base/temporary.h"

enum { THREADS_MAX = 256 };

typedef struct relay_run {
    const mls_relay *relay;
    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t changed;
    size_t taken, delivered;
    bool ended; /* whether no further item is to be taken */
    bool done[MLS_RELAY_SLOTS_MAX];
} relay_run;

/* Take the next item and work on it.  The caller holds the lock, which is released during the work.  Return false if no
 * slot is free or no items are left. */
static bool run_next(relay_run *run)
{
    const mls_relay *relay = run->relay;
    const size_t item = run->taken;
    if (run->ended || item - run->delivered == relay->slots)
        return false;
    run->ended = item == relay->count || (relay->take != NULL && !relay->take(relay->state, item));
    if (!run->ended) {
        run->taken++;
        run->done[item % relay->slots] = false;
        (void)pthread_mutex_unlock(&run->lock);
        relay->work(relay->state, item);
        (void)pthread_mutex_lock(&run->lock);
        run->done[item % relay->slots] = true;
    }
    (void)pthread_cond_broadcast(&run->changed);
    return true;
}

static void *run_on(void *argument)
{
    relay_run *run = argument;
    (void)pthread_mutex_lock(&run->lock);
    while (!run->ended)
        if (!run_next(run))
            (void)pthread_cond_wait(&run->changed, &run->lock);
    (void)pthread_mutex_unlock(&run->lock);
    return NULL;
}

mls_status mls_relay_run(const mls_relay *relay)
{
    pthread_t workers[THREADS_MAX];
    relay_run run = {.relay = relay};
    unsigned started = 0;
    (void)pthread_mutex_init(&run.lock, NULL);
    (void)pthread_cond_init(&run.changed, NULL);
    sigset_t before;
    mls_temporary_hold(&before);
    /* If a thread cannot be created, the other threads process all items. */
    while (started < THREADS_MAX && started + 1 < relay->threads && started + 1 < relay->count &&
           pthread_create(&workers[started], NULL, run_on, &run) == 0)
        started++;
    mls_temporary_let_go(&before);
    mls_status status = MLS_OK;
    (void)pthread_mutex_lock(&run.lock);
    while (status == MLS_OK && !(run.ended && run.delivered == run.taken)) {
        if (run.delivered < run.taken && run.done[run.delivered % relay->slots]) {
            (void)pthread_mutex_unlock(&run.lock);
            status = relay->deliver != NULL ? relay->deliver(relay->state, run.delivered) : MLS_OK;
            (void)pthread_mutex_lock(&run.lock);
            run.delivered++;
            (void)pthread_cond_broadcast(&run.changed);
        } else if (!run_next(&run)) {
            (void)pthread_cond_wait(&run.changed, &run.lock);
        }
    }
    run.ended = true;
    (void)pthread_cond_broadcast(&run.changed);
    (void)pthread_mutex_unlock(&run.lock);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(workers[i], NULL);
    (void)pthread_cond_destroy(&run.changed);
    (void)pthread_mutex_destroy(&run.lock);
    return status;
}

unsigned mls_processor_count(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}
