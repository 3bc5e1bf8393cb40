/* SPDX-License-Identifier: Apache-2.0 */
/* campaign.c - diagnosed jobs as a chain: what comes back on the same node, and the time that failing cost.
 *
 * Downtime is what NVIDIA's article on reliable training counts: checkpoints, and for each error its detection, the
 * shutdown, the work that is done again and the restart; cut so that no second counts twice. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "explain/diagnose/diagnose.h"

static unsigned class_of(const char *word)
{
    unsigned number = 1;
    while (!mls_str_equal(mls_failure_word(MLS_FAILURE_CLASSES, number), mls_str_from(word))) {
        number++;
    }
    return number;
}

/* The class that the end of a job stands for; 0: it did not fail.  A script that goes on when a step of it failed may
 * still end well. */
static unsigned class_of_end(const mls_slurm_job *row)
{
    const bool codes = row->exit_code > 0 || row->signal > 0 || row->derived_exit_code > 0 || row->derived_signal > 0;
    const mls_slurm_end said = mls_slurm_job_end(row);
    const mls_slurm_end end = said == MLS_SLURM_ENDED && codes ? MLS_SLURM_FAILED : said;
    static const char *const kinds[] = {[MLS_SLURM_ENDED] = NULL,
                                        [MLS_SLURM_LOST_NODE] = "node",
                                        [MLS_SLURM_OUT_OF_MEMORY] = "host-memory",
                                        [MLS_SLURM_PREEMPTED] = "preemption",
                                        [MLS_SLURM_REQUEUED] = "preemption",
                                        [MLS_SLURM_OUT_OF_TIME] = "scheduler",
                                        [MLS_SLURM_CANCELLED] = "scheduler",
                                        [MLS_SLURM_FAILED] = "unknown"};
    return kinds[end] != NULL ? class_of(kinds[end]) : 0;
}

/* The last number in the name of a path: of job_9007 it is 9007. */
static mls_str job_number(const char *path)
{
    mls_str whole = mls_str_from(path);
    const mls_str name = mls_path_cut(&whole);
    size_t end = name.len;
    while (end > 0 && !mls_is_digit(name.ptr[end - 1])) {
        end--;
    }
    size_t first = end;
    while (first > 0 && mls_is_digit(name.ptr[first - 1])) {
        first--;
    }
    return (mls_str){name.ptr + first, end - first};
}

/* The failure that ended a job; NULL: there was none. */
static const mls_failure *ending(const mls_campaign_job *job)
{
    const mls_diagnosis *diagnosis = job->diagnosis;
    return diagnosis->failure_count > 0 ? &diagnosis->failures[diagnosis->failure_count - 1] : NULL;
}

/* `sacct` may be NULL. */
static bool fill_job(mls_campaign_job *job, const mls_sacct *sacct, mls_arena *arena)
{
    const mls_diagnosis *diagnosis = job->diagnosis;
    const mls_failure *failure = ending(job);
    const mls_str number = job_number(diagnosis->path);
    const mls_slurm_job *row = sacct != NULL ? mls_sacct_job(sacct, number) : NULL;
    const unsigned kind = row != NULL ? class_of_end(row) : 0;
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
    return number.len == 0 || job->job != NULL;
}

/* By start; those without one last. */
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

/* The first and the last completed iteration of a job; where no line names one, its progress. */
static mls_iteration end_of(const mls_diagnosis *diagnosis, bool first)
{
    mls_iteration found = {(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < diagnosis->iteration_count; i++) {
        const mls_iteration *one = &diagnosis->iterations[first ? diagnosis->iteration_count - 1 - i : i];
        if (isfinite(one->iteration) || !isfinite(found.iteration)) {
            found = *one;
        }
    }
    return found;
}

/* When an iteration was completed in a job; NAN: it was not. */
static double completed_at(const mls_diagnosis *diagnosis, double iteration)
{
    const mls_iteration first = end_of(diagnosis, true);
    double time = NAN;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        const mls_checkpoint *checkpoint = &diagnosis->checkpoints[i];
        if (mls_compare_doubles(checkpoint->iteration, iteration) == 0) {
            return checkpoint->done_ms;
        }
    }
    for (size_t i = 0; i < diagnosis->iteration_count && iteration >= first.iteration; i++) {
        time = diagnosis->iterations[i].iteration <= iteration ? diagnosis->iterations[i].time_ms : time;
    }
    return time;
}

static double saved_iteration(const mls_diagnosis *diagnosis)
{
    double iteration = NAN;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        iteration = isfinite(diagnosis->checkpoints[i].end_ms) ? diagnosis->checkpoints[i].iteration : iteration;
    }
    return iteration;
}

/* The time of saving between two times; all of it counts as checkpoints. */
static double saving_time(const mls_diagnosis *diagnosis, double from, double to)
{
    double sum = 0;
    for (size_t i = 0; i < diagnosis->checkpoint_count; i++) {
        const mls_checkpoint *checkpoint = &diagnosis->checkpoints[i];
        if (checkpoint->start_ms >= from && checkpoint->end_ms <= to) {
            sum += span(checkpoint->start_ms, checkpoint->end_ms);
        }
    }
    return sum;
}

/* Sets the time that the failure of a job cost; `next`: the job that went on, NULL: none did. */
static void price(mls_campaign_job *job, const mls_campaign_job *next)
{
    const mls_failure *failure = ending(job);
    const mls_iteration first = end_of(job->diagnosis, true);
    const mls_iteration last = end_of(job->diagnosis, false);
    const double stood = isfinite(last.time_ms) ? last.time_ms : job->start_ms;
    const bool timed = failure != NULL && isfinite(failure->time_ms) && !failure->hang;
    double seen = timed ? failure->time_ms : job->end_ms;
    seen = seen < stood ? stood : seen;
    double loaded = next != NULL ? next->diagnosis->loaded_iteration : (double)NAN;
    loaded = isfinite(loaded) ? loaded : saved_iteration(job->diagnosis);
    double from = isfinite(loaded) ? completed_at(job->diagnosis, loaded) : (double)NAN;
    from = isfinite(from) ? from : first.time_ms;
    job->lost_ms[MLS_LOST_DETECTION] = span(stood, seen);
    job->lost_ms[MLS_LOST_SHUTDOWN] = span(seen, job->end_ms);
    job->lost_ms[MLS_LOST_WORK] = span(from, last.time_ms) - saving_time(job->diagnosis, from, last.time_ms);
    if (next != NULL) {
        /* A job that never got to an iteration is lost as a whole, and counts for its own failure. */
        job->lost_ms[MLS_LOST_RESTART] = span(next->start_ms, end_of(next->diagnosis, true).time_ms);
    }
}

static void count_time(mls_campaign *campaign)
{
    for (size_t i = 0; i < campaign->count; i++) {
        mls_campaign_job *job = &campaign->jobs[i];
        const mls_campaign_job *next = i + 1 < campaign->count ? job + 1 : NULL;
        campaign->checkpoint_ms += saving_time(job->diagnosis, -INFINITY, INFINITY);
        campaign->total_ms += span(job->start_ms, job->end_ms);
        campaign->wait_ms += next != NULL ? span(job->end_ms, next->start_ms) : 0;
        if (job->outcome != MLS_JOB_FAILED) {
            continue;
        }
        price(job, next);
        double *of_class = &campaign->by_class[job->kind];
        double lost = 0;
        for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
            lost += job->lost_ms[k];
            campaign->lost_ms[k] += job->lost_ms[k];
        }
        *of_class = isnan(*of_class) ? lost : *of_class + lost;
        campaign->errors++;
    }
    if (campaign->count > 0) {
        campaign->startup_ms = span(campaign->jobs[0].start_ms, end_of(campaign->jobs[0].diagnosis, true).time_ms);
    }
    campaign->downtime_ms = campaign->checkpoint_ms;
    for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
        campaign->downtime_ms += campaign->lost_ms[k];
    }
    campaign->percent = campaign->total_ms > 0 ? 100 * campaign->downtime_ms / campaign->total_ms : (double)NAN;
}

/* A failure of which the node is known. */
typedef struct sighting {
    const mls_failure *failure;
    const char *job;
} sighting;

/* Whether it may come back on its node; or, of the application, at its iteration. */
static bool may_recur(const mls_failure *failure, bool application)
{
    const mls_str kind = mls_failure_word(MLS_FAILURE_CLASSES, failure->signature->kind);
    const mls_str origin = mls_failure_word(MLS_FAILURE_ORIGINS, failure->signature->origin);
    return application ? mls_str_equal(kind, MLS_S("numerics")) && isfinite(failure->iteration)
                       : !mls_str_equal(origin, MLS_S("user"));
}

static bool same_failure(const mls_failure *a, const mls_failure *b, bool application)
{
    return a->signature == b->signature &&
           (application ? mls_compare_doubles(a->iteration, b->iteration) == 0 : strcmp(a->node, b->node) == 0);
}

/* One signature on one node in several jobs, or (of the application) at one iteration on several nodes. */
static bool add_recurrence(mls_campaign *campaign, size_t *capacity, const sighting *all, size_t count, size_t first,
                           bool application)
{
    const mls_failure *failure = all[first].failure;
    mls_recurrence found = {.signature = failure->signature->id,
                            .node = application ? NULL : failure->node,
                            .iteration = application ? failure->iteration : (double)NAN,
                            .names = mls_arena_array(campaign->arena, count, sizeof *found.names)};
    if (found.names == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!same_failure(failure, all[i].failure, application)) {
            continue;
        }
        if (i < first) {
            return true; /* it has been added */
        }
        const char *name = application ? all[i].failure->node : all[i].job;
        size_t k = 0;
        while (k < found.name_count && strcmp(found.names[k], name) != 0) {
            k++;
        }
        found.names[k] = name;
        found.name_count += k == found.name_count;
    }
    if (found.name_count < 2) {
        return true;
    }
    if (!mls_arena_grow(campaign->arena, (void **)&campaign->recurrences, campaign->recurrence_count, capacity,
                        sizeof found)) {
        return false;
    }
    campaign->recurrences[campaign->recurrence_count++] = found;
    return true;
}

static bool find_recurrences(mls_campaign *campaign)
{
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < campaign->count; i++) {
        count += campaign->jobs[i].diagnosis->failure_count;
    }
    sighting *all = mls_arena_array(campaign->arena, count, sizeof *all);
    bool ok = all != NULL;
    count = 0;
    for (size_t i = 0; i < campaign->count && ok; i++) {
        const mls_campaign_job *job = &campaign->jobs[i];
        for (size_t k = 0; k < job->diagnosis->failure_count; k++) {
            const mls_failure *failure = &job->diagnosis->failures[k];
            if (failure->node != NULL) {
                all[count++] = (sighting){failure, job->job != NULL ? job->job : job->diagnosis->path};
            }
        }
    }
    for (int application = 0; application < 2; application++) {
        for (size_t i = 0; i < count && ok; i++) {
            ok = !may_recur(all[i].failure, application) ||
                 add_recurrence(campaign, &capacity, all, count, i, application);
        }
    }
    return ok;
}

mls_status mls_campaign_make(const mls_diagnosis *diagnoses, size_t count, const mls_sacct *sacct,
                             mls_campaign *campaign, mls_error *error)
{
    *campaign = (mls_campaign){.arena = mls_calloc(1, sizeof(mls_arena))};
    if (campaign->arena == NULL) {
        return mls_error_memory(error);
    }
    campaign->jobs = mls_arena_zeroed(campaign->arena, count, sizeof *campaign->jobs);
    if (campaign->jobs == NULL) {
        return mls_error_memory(error);
    }
    for (size_t i = 0; i < sizeof campaign->by_class / sizeof *campaign->by_class; i++) {
        campaign->by_class[i] = NAN;
    }
    bool ok = true;
    for (; campaign->count < count && ok; campaign->count++) {
        mls_campaign_job *job = &campaign->jobs[campaign->count];
        job->diagnosis = &diagnoses[campaign->count];
        ok = fill_job(job, sacct, campaign->arena);
    }
    qsort(campaign->jobs, campaign->count, sizeof *campaign->jobs, compare_job_starts);
    count_time(campaign);
    return ok && find_recurrences(campaign) ? MLS_OK : mls_error_memory(error);
}

void mls_campaign_release(mls_campaign *campaign)
{
    mls_arena_free(campaign->arena);
    *campaign = (mls_campaign){0};
}
