/* SPDX-License-Identifier: Apache-2.0 */
/* campaign.c - evaluate diagnosed jobs as a chain: recurring failures, and the time lost.
 *
 * Downtime is defined as in NVIDIA's article on reliable training: checkpoints, and for each error its detection, the
 * shutdown, the repeated work and the restart.  The intervals are cut so that no second counts twice. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "explain/diagnose/diagnose.h"

/* Return the last failure of a job, which ended it; NULL: the logs show no failure. */
static const mls_failure *ending(const mls_campaign_job *job)
{
    const mls_diagnosis *diagnosis = job->diagnosis;
    return diagnosis->failure_count > 0 ? &diagnosis->failures[diagnosis->failure_count - 1] : NULL;
}

/* Compare two jobs by their start times, unknown times last. */
static int compare_job_starts(const void *left, const void *right)
{
    const mls_campaign_job *a = left;
    const mls_campaign_job *b = right;
    const int order = mls_compare_doubles(a->start_ms, b->start_ms);
    return order != 0 ? order
                      : mls_str_compare_natural(mls_str_from(a->diagnosis->path), mls_str_from(b->diagnosis->path));
}

static double span(double from, double to)
{
    return to > from ? to - from : 0;
}

/* Return the first or last completed iteration of a job, or its other progress if iterations are not logged. */
static mls_iteration end_of(const mls_diagnosis *diagnosis, bool first)
{
    mls_iteration found = {(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < diagnosis->iteration_count; i++) {
        const mls_iteration *one = &diagnosis->iterations[first ? diagnosis->iteration_count - 1 - i : i];
        if (isfinite(one->iteration) || !isfinite(found.iteration))
            found = *one;
    }
    return found;
}

/* Return the milliseconds between two times that were spent saving, which count as checkpoint time. */
static double saving_time(const mls_diagnosis *diagnosis, double from, double to)
{
    double sum = 0;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        const mls_checkpoint *checkpoint = &diagnosis->checkpoints[i];
        if (checkpoint->start_ms >= from && checkpoint->end_ms <= to)
            sum += span(checkpoint->start_ms, checkpoint->end_ms);
    }
    return sum;
}

/* A failure on a known node, and the job's number, or its path if it has no number. */
typedef struct sighting {
    const mls_failure *failure;
    const char *job;
} sighting;

/* Find signatures that recur: on one node in several jobs, or, if `application` is set, at one iteration on several
 * nodes. */
static void find_recurrences(mls_campaign *campaign, const sighting *all, size_t count, bool application)
{
    for (size_t i = 0; i < count; i++) {
        const mls_failure *failure = all[i].failure;
        const bool may_recur = application
                                   ? failure->signature->kind == MLS_CLASS_NUMERICS && isfinite(failure->iteration)
                                   : failure->signature->origin != MLS_ORIGIN_USER;
        if (!may_recur)
            continue;
        bool listed = false; /* part of an earlier recurrence */
        mls_recurrence found = {.signature = failure->signature->id,
                                .node = application ? NULL : failure->node,
                                .iteration = application ? failure->iteration : (double)NAN,
                                .names = mls_arena_array(campaign->arena, count, sizeof *found.names)};
        for (size_t k = 0; k < count && !listed; k++) {
            const mls_failure *other = all[k].failure;
            if (failure->signature != other->signature ||
                (application ? mls_compare_doubles(failure->iteration, other->iteration) != 0
                             : strcmp(failure->node, other->node) != 0))
                continue;
            listed = k < i;
            const char *name = application ? other->node : all[k].job;
            size_t n = 0;
            while (n < found.name_count && strcmp(found.names[n], name) != 0)
                n++;
            found.names[n] = name;
            found.name_count += n == found.name_count;
        }
        if (!listed && found.name_count >= 2)
            campaign->recurrences[campaign->recurrence_count++] = found;
    }
}

void mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, const mls_sacct *sacct, mls_campaign *campaign)
{
    static const unsigned kinds[] = {[MLS_SLURM_ENDED] = 0,
                                     [MLS_SLURM_LOST_NODE] = MLS_CLASS_NODE,
                                     [MLS_SLURM_OUT_OF_MEMORY] = MLS_CLASS_HOST_MEMORY,
                                     [MLS_SLURM_PREEMPTED] = MLS_CLASS_PREEMPTION,
                                     [MLS_SLURM_REQUEUED] = MLS_CLASS_PREEMPTION,
                                     [MLS_SLURM_OUT_OF_TIME] = MLS_CLASS_SCHEDULER,
                                     [MLS_SLURM_CANCELLED] = MLS_CLASS_SCHEDULER,
                                     [MLS_SLURM_FAILED] = MLS_CLASS_UNKNOWN};
    mls_arena *arena = mls_calloc(1, sizeof *arena);
    *campaign =
        (mls_campaign){.jobs = mls_arena_zeroed(arena, count, sizeof *campaign->jobs), .count = count, .arena = arena};
    for (size_t i = 0; i < sizeof campaign->by_class / sizeof *campaign->by_class; i++)
        campaign->by_class[i] = NAN;
    size_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        const mls_diagnosis *diagnosis = &diagnoses[i];
        mls_campaign_job *job = &campaign->jobs[i];
        job->diagnosis = diagnosis;
        failures += diagnosis->failure_count;
        /* The job's number is the last one in its name: 9007 for job_9007. */
        mls_str path = mls_str_from(diagnosis->path);
        mls_str number = mls_path_cut(&path);
        while (number.len > 0 && !mls_is_digit(number.ptr[number.len - 1]))
            number.len--;
        const char *end = number.ptr + number.len;
        while (number.len > 0 && mls_is_digit(number.ptr[number.len - 1]))
            number.len--;
        number = (mls_str){number.ptr + number.len, (size_t)(end - number.ptr) - number.len};
        const mls_slurm_job *row = sacct != NULL ? mls_sacct_job(sacct, number) : NULL;
        /* Set `kind` to the class of the job's Slurm state; 0: not failed.  It counts only if the logs show neither
         * failure nor success, because a script may continue after a failed step. */
        const bool codes = row != NULL && (row->exit_code > 0 || row->signal > 0 || row->derived_exit_code > 0 ||
                                           row->derived_signal > 0);
        const mls_slurm_end state = row != NULL ? mls_slurm_job_end(row) : MLS_SLURM_ENDED;
        const unsigned kind = kinds[state == MLS_SLURM_ENDED && codes ? MLS_SLURM_FAILED : state];
        const mls_failure *failure = ending(job);
        job->job = number.len > 0 ? mls_arena_copy(arena, number).ptr : NULL;
        job->start_ms = row != NULL && isfinite(row->start_ms) ? row->start_ms : diagnosis->start_ms;
        job->end_ms = row != NULL && isfinite(row->end_ms) ? row->end_ms : diagnosis->end_ms;
        job->outcome = diagnosis->outcome;
        if (failure != NULL) {
            job->kind = failure->signature->kind;
            job->signature = failure->signature->id;
        } else if (kind != 0 && diagnosis->outcome == MLS_JOB_UNKNOWN) {
            job->kind = kind;
            job->outcome = MLS_JOB_FAILED;
        }
    }
    qsort(campaign->jobs, count, sizeof *campaign->jobs, compare_job_starts);
    for (size_t i = 0; i < count; i++) {
        mls_campaign_job *job = &campaign->jobs[i];
        const mls_campaign_job *next = i + 1 < count ? job + 1 : NULL;
        campaign->checkpoint_ms += saving_time(job->diagnosis, -INFINITY, INFINITY);
        campaign->total_ms += span(job->start_ms, job->end_ms);
        campaign->wait_ms += next != NULL ? span(job->end_ms, next->start_ms) : 0;
        if (job->outcome != MLS_JOB_FAILED)
            continue;
        /* Compute the time lost by this failure.  `next` is the job that continued the training; NULL: none. */
        const mls_diagnosis *diagnosis = job->diagnosis;
        const mls_failure *failure = ending(job);
        const mls_iteration first = end_of(diagnosis, true);
        const mls_iteration last = end_of(diagnosis, false);
        const double last_ms = isfinite(last.time_ms) ? last.time_ms : job->start_ms;
        const bool timed = failure != NULL && isfinite(failure->time_ms) && !failure->hang;
        const double seen = fmax(timed ? failure->time_ms : job->end_ms, last_ms);
        /* Find the iteration from which the next job continued, or otherwise the last saved iteration, and when this
         * job completed that iteration. */
        double loaded = next != NULL ? next->diagnosis->loaded_iteration : (double)NAN;
        const bool known = isfinite(loaded);
        double from = NAN;
        for (size_t j = 0; j < diagnosis->checkpoint_count && !known; j++)
            if (isfinite(diagnosis->checkpoints[j].end_ms))
                loaded = diagnosis->checkpoints[j].iteration;
        for (size_t j = 0; j < diagnosis->iteration_count && loaded >= first.iteration; j++)
            if (diagnosis->iterations[j].iteration <= loaded)
                from = diagnosis->iterations[j].time_ms;
        for (size_t j = diagnosis->checkpoint_count; j-- > 0 && isfinite(loaded);)
            if (mls_compare_doubles(diagnosis->checkpoints[j].iteration, loaded) == 0)
                from = diagnosis->checkpoints[j].done_ms;
        from = isfinite(from) ? from : first.time_ms;
        job->lost_ms[MLS_LOST_DETECTION] = span(last_ms, seen);
        job->lost_ms[MLS_LOST_SHUTDOWN] = span(seen, job->end_ms);
        job->lost_ms[MLS_LOST_WORK] = span(from, last.time_ms) - saving_time(diagnosis, from, last.time_ms);
        if (next != NULL) {
            /* If the next job has no iteration, its whole time is lost by its own failure. */
            job->lost_ms[MLS_LOST_RESTART] = span(next->start_ms, end_of(next->diagnosis, true).time_ms);
        }
        double *of_class = &campaign->by_class[job->kind];
        double lost = 0;
        for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
            lost += job->lost_ms[k];
            campaign->lost_ms[k] += job->lost_ms[k];
        }
        *of_class = isnan(*of_class) ? lost : *of_class + lost;
        campaign->errors++;
    }
    if (count > 0)
        campaign->startup_ms = span(campaign->jobs[0].start_ms, end_of(campaign->jobs[0].diagnosis, true).time_ms);
    campaign->downtime_ms = campaign->checkpoint_ms;
    for (size_t k = 0; k < MLS_LOST_COUNT; k++)
        campaign->downtime_ms += campaign->lost_ms[k];
    campaign->percent = campaign->total_ms > 0 ? 100 * campaign->downtime_ms / campaign->total_ms : (double)NAN;
    sighting *all = mls_arena_array(arena, failures, sizeof *all);
    size_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        const mls_campaign_job *job = &campaign->jobs[i];
        for (size_t k = 0; k < job->diagnosis->failure_count; k++) {
            const mls_failure *failure = &job->diagnosis->failures[k];
            if (failure->node != NULL)
                all[seen++] = (sighting){failure, job->job != NULL ? job->job : job->diagnosis->path};
        }
    }
    campaign->recurrences = mls_arena_array(arena, 2 * seen, sizeof *campaign->recurrences);
    find_recurrences(campaign, all, seen, false);
    find_recurrences(campaign, all, seen, true);
}

void mls_campaign_release(mls_campaign *campaign)
{
    mls_arena_free(campaign->arena);
    *campaign = (mls_campaign){0};
}
