/* SPDX-License-Identifier: Apache-2.0 */
/* idle.c - why a device had nothing to do.
 *
 * A gap ends with the activities that start at its end.  Were they launched after it had begun, the host was late;
 * before, they lay in a queue. */
#include "explain/profile/idle.h"

/* In the place of a length or a delay that does not count: behind all that do. */
enum { PERCENT = 100 };
#define NOT_RANKED INT64_MAX

static void end_gap(mls_idle *idle)
{
    int64_t *cause = idle->launch == MLS_NO_LAUNCH ? &idle->unknown
                     : idle->launch > idle->from   ? &idle->host
                                                   : &idle->queue;
    *cause += idle->to - idle->from;
    idle->from = idle->to;
}

void mls_idle_add(mls_idle *idle, mls_activity *activity, bool kernel, const mls_cover *before)
{
    const int64_t launch = activity->launch;
    const bool launched = launch != MLS_NO_LAUNCH;
    if (before->begun && activity->start > before->reach) {
        end_gap(idle);
        idle->from = before->reach;
        idle->to = activity->start;
        idle->launch = launch;
    } else if (activity->start == idle->to && launched && (launch < idle->launch || idle->launch == MLS_NO_LAUNCH)) {
        idle->launch = launch;
    }
    if (kernel) {
        idle->kernels++;
        idle->launched += launched;
        idle->kernel_time += (double)activity->length;
        idle->graph_time += (activity->row & MLS_ROW_GRAPH) != 0 ? (double)activity->length : 0;
    }
    /* Lengths and delays are all that is asked of it from now on. */
    activity->length = kernel ? activity->length : NOT_RANKED;
    activity->launch = kernel && launched ? activity->start - launch : NOT_RANKED;
}

static uint64_t length_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->length;
}

/* A clock that goes wrong makes it negative. */
static uint64_t delay_of(const void *item)
{
    return (uint64_t)((const mls_activity *)item)->launch ^ (uint64_t)1 << 63;
}

/* Moves the activity at a percentile of the first `ranked` of the order to its place, by nearest rank. */
static const mls_activity *at_percentile(mls_activity *activities, size_t count, uint64_t ranked, unsigned percent,
                                         mls_number_of *number)
{
    const size_t rank = (size_t)((ranked * percent + PERCENT - 1) / PERCENT) - 1;
    mls_select_in_place(activities, count, sizeof *activities, rank, number);
    return &activities[rank];
}

void mls_idle_end(mls_idle *idle, mls_activity *activities, size_t count)
{
    end_gap(idle);
    if (idle->kernels > 0) {
        idle->kernel_median = at_percentile(activities, count, idle->kernels, 50, length_of)->length;
    }
    if (idle->launched > 0) {
        idle->delay_median = at_percentile(activities, count, idle->launched, 50, delay_of)->launch;
        idle->delay_95 = at_percentile(activities, count, idle->launched, 95, delay_of)->launch;
    }
}
