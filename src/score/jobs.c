/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.c - find the Slurm job of each run, why incomplete runs ended, and how the time of a job was spent. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/hosts.h"
#include "score/sacct.h"

/* --------------------------------------------------------- a run's job */

static bool is_job_number(mls_str job)
{
    size_t number;
    return mls_size_parse(job, &number);
}

void mls_run_note_name(mls_run *run)
{
    mls_str rest = mls_str_from(mls_path_name(run->file));
    mls_str job;
    mls_str number;
    if (!mls_str_after(rest, MLS_S("slurm-"), &rest) || rest.ptr != mls_path_name(run->file) + strlen("slurm-") ||
        !mls_str_ends(rest, MLS_S(".out")))
        return;
    job = (mls_str){rest.ptr, rest.len - strlen(".out")};
    mls_str task = job;
    const bool array = mls_str_cut(&task, '_', &number);
    if (!is_job_number(number) || (array && !is_job_number(task)))
        return;
    run->job.named = mls_strndup(job.ptr, job.len);
}

/* Add a finding if two job numbers differ.  An array task has two numbers, which cannot be matched without sacct data.
 */
static void compare_jobs(mls_run *run, const char *other, const char *whose)
{
    const char *job = run->job.job;
    if (job != NULL && other != NULL && strcmp(job, other) != 0 && is_job_number(mls_str_from(job)) &&
        is_job_number(mls_str_from(other))) {
        mls_findings_add(&run->findings, MLS_FINDING_JOB_DIFFERS, (mls_finding_place){0},
                         "it belongs to job %s, but %s names job %s", job, whose, other);
    }
}

void mls_run_find_job(mls_run *run)
{
    mls_job *job = &run->job;
    mls_buffer names = {0};
    const char *said = job->job != NULL ? job->job : job->named != NULL ? job->named : job->step;
    if (job->job == NULL && said != NULL)
        job->job = mls_strdup(said);
    compare_jobs(run, job->other, "another log of the same run");
    compare_jobs(run, job->named, "the name of the job's output");
    compare_jobs(run, job->step, "slurmstepd's line");
    (void)mls_hosts_expand(mls_str_from(job->node_list), &names, &run->findings, (mls_finding_place){0});
    mls_buffer_release(&names);
}

/* ------------------------------------------------------------ its end */

/* Tolerance for starting and stopping outside the time of the job, since clocks of hosts differ. */
#define JOB_CLOCK_MS 60000

/* Return the row of a requeued job during which a run started; otherwise the newest row. */
static const mls_slurm_job *row_around(const mls_slurm_job *newest, const mls_run *run)
{
    const double start = run->run_start.time_ms;
    for (const mls_slurm_job *row = newest; row != NULL; row = row->before)
        if (row->start_ms <= start && !(row->end_ms < start))
            return row;
    return newest;
}

/* Add a finding about how the job of an incomplete run ended; none if it succeeded or still runs, as far as Slurm
 * knows.  The median is that of the valid runs of its group. */
static void add_cause(mls_run *run, const mls_slurm_job *row, double median_minutes)
{
    const double ran_ms = row->end_ms - run->run_start.time_ms;
    const double left_ms = median_minutes * 60000 - ran_ms;
    const mls_slurm_end end = mls_slurm_job_end(row);
    mls_buffer line = {0};
    switch (end) {
    case MLS_SLURM_LOST_NODE:
        mls_buffer_append_text(&line, " lost a node");
        break;
    case MLS_SLURM_OUT_OF_MEMORY:
        mls_buffer_append_text(&line, " had too little memory");
        break;
    case MLS_SLURM_PREEMPTED:
        mls_buffer_append_text(&line, " was preempted");
        break;
    case MLS_SLURM_REQUEUED:
        mls_buffer_append_text(&line, " was requeued");
        break;
    case MLS_SLURM_OUT_OF_TIME:
        mls_buffer_append_text(&line, " ran into its time limit");
        if (isfinite(row->limit_seconds))
            mls_buffer_printf(&line, " of %s", mls_words_seconds(row->limit_seconds).text);
        if (ran_ms >= 0)
            mls_buffer_printf(&line, ", %s after run_start", mls_words_seconds(ran_ms / 1000).text);
        if (ran_ms >= 0 && left_ms > 0)
            mls_buffer_printf(&line, ": %s short of the median run", mls_words_seconds(left_ms / 1000).text);
        break;
    case MLS_SLURM_CANCELLED:
        mls_buffer_printf(&line, " was cancelled%s%s", row->cancelled_by != NULL ? " by " : "",
                          row->cancelled_by != NULL ? row->cancelled_by : "");
        break;
    case MLS_SLURM_FAILED:
    case MLS_SLURM_ENDED: /* the signal or the exit status of the job, or else of one of its steps */
        if (row->signal > 0)
            mls_buffer_printf(&line, " was ended by signal %.0f", row->signal);
        else if (row->derived_signal > 0)
            mls_buffer_printf(&line, " had a step that signal %.0f ended", row->derived_signal);
        else if (row->exit_code > 0)
            mls_buffer_printf(&line, " exited with %.0f", row->exit_code);
        else if (end == MLS_SLURM_FAILED)
            mls_buffer_append_text(&line, " failed");
        else if (row->derived_exit_code > 0)
            mls_buffer_printf(&line, " had a step that exited with %.0f, and went on", row->derived_exit_code);
        break;
    }
    if (line.len > 0) {
        mls_findings_add(&run->findings, MLS_FINDING_JOB_ENDED, (mls_finding_place){0}, "job %s%s%s%s%s", row->job,
                         line.ptr, row->state != NULL ? " (" : "", row->state != NULL ? row->state : "",
                         row->state != NULL ? ")" : "");
    }
    mls_buffer_release(&line);
}

/* --------------------------------------------------------- where time went */

/* A change of the number of runs of a job that initialise or train. */
typedef struct job_change {
    double ms;
    int init, training;
} job_change;

static int compare_job_changes(const void *left, const void *right)
{
    const job_change *a = left;
    const job_change *b = right;
    return mls_compare_doubles(a->ms, b->ms);
}

static void add_change(job_change *changes, size_t *count, double from, double to, bool training)
{
    if (to > from) {
        changes[(*count)++] = (job_change){from, !training, training};
        changes[(*count)++] = (job_change){to, -!training, -training};
    }
}

/* Add up how the time of a job was spent.  `first` is one of its runs, from 1, and `next` of each run is another one; 0
 * ends the list. */
static void sum_times(mls_slurm_job *job, const mls_collection *collection, size_t first, const size_t *next)
{
    const double start_ms = job->start_ms;
    const bool open = isnan(job->end_ms);
    const double end_ms = open ? start_ms + job->elapsed_seconds * 1000 : job->end_ms;
    /* The duration of a job that was suspended exceeds its elapsed time. */
    if (!(end_ms >= start_ms) || (!open && fabs(end_ms - start_ms - job->elapsed_seconds * 1000) > 1000))
        return;
    size_t runs = 0;
    size_t count = 0;
    for (size_t i = first; i > 0; i = next[i - 1])
        runs++;
    job_change *changes = mls_calloc(4 * runs + 1, sizeof *changes);
    for (size_t i = first; i > 0; i = next[i - 1]) {
        const mls_run *run = &collection->runs[i - 1];
        if (row_around(job, run) == job) {
            add_change(changes, &count, run->init_start.time_ms, run->run_start.time_ms, false);
            add_change(changes, &count, run->run_start.time_ms, run->run_stop.time_ms, true);
        }
    }
    qsort(changes, count, sizeof *changes, compare_job_changes);
    mls_job_times times = {0};
    double at = start_ms;
    int init = 0;
    int training = 0;
    for (size_t i = 0; i <= count && count > 0; i++) {
        const double until = i < count ? fmax(fmin(changes[i].ms, end_ms), start_ms) : end_ms;
        double *part = training > 0 ? &times.training
                       : init > 0   ? &times.init
                       : i == 0     ? &times.before
                       : i == count ? &times.after
                                    : &times.between;
        *part += until - at;
        at = until;
        if (i < count) {
            init += changes[i].init;
            training += changes[i].training;
        }
    }
    job->has_times = count > 0;
    job->times = (mls_job_times){times.before / 1000, times.init / 1000, times.training / 1000, times.between / 1000,
                                 times.after / 1000};
    free(changes);
}

/* -------------------------------------------------------------------- join */

/* Join a run with the job of an entry, whose number becomes that of the run's job. */
static void join_run(mls_sacct *sacct, double median_minutes, mls_run *run, const mls_sacct_entry *entry)
{
    mls_slurm_job *newest = entry->newest;
    const mls_slurm_job *row = row_around(newest, run);
    if (strcmp(run->job.job, newest->job) != 0) {
        free(run->job.job);
        run->job.job = mls_strdup(newest->job);
    }
    if (entry->first == 0) {
        newest->restarts = 0;
        for (const mls_slurm_job *before = newest->before; before != NULL; before = before->before)
            newest->restarts++;
        MLS_ARENA_ADD(&sacct->arena, &sacct->jobs, newest);
    }
    const double early = row->start_ms - run->run_start.time_ms;
    const double late = run->run_stop.time_ms - row->end_ms;
    if (early > JOB_CLOCK_MS || late > JOB_CLOCK_MS) {
        const bool before = early > JOB_CLOCK_MS;
        mls_findings_add(&run->findings, MLS_FINDING_JOB_TIME, (mls_finding_place){0}, "it %s %s %s job %s %s",
                         before ? "started" : "stopped", mls_words_seconds((before ? early : late) / 1000).text,
                         before ? "before" : "after", row->job, before ? "started" : "ended");
    }
    if (run->run_stop.line == 0 && mls_run_exists(run))
        add_cause(run, row, median_minutes);
}

const mls_slurm_job *mls_slurm_job_of(const mls_slurm_jobs *jobs, const mls_run *run)
{
    return jobs != NULL ? jobs->of_run[run - jobs->runs] : NULL;
}

void mls_jobs_join(mls_sacct *sacct, const char *here, mls_collection *collection)
{
    size_t *next =
        mls_calloc(collection->run_count + 1, sizeof *next); /* for each run another one of its job, from 1 */
    sacct->jobs.runs = collection->runs;
    sacct->jobs.of_run = mls_arena_zeroed(&sacct->arena, collection->run_count + 1, sizeof *sacct->jobs.of_run);
    for (size_t g = 0; g < collection->group_count; g++) {
        const mls_group *group = &collection->groups[g];
        double *minutes = mls_calloc(group->run_count, sizeof *minutes);
        size_t count = 0;
        for (size_t i = 0; i < group->run_count; i++) {
            minutes[count] = mls_run_minutes(group->runs[i]);
            count += group->runs[i]->valid && isfinite(minutes[count]);
        }
        mls_sort_doubles(minutes, count);
        const double median_minutes = count > 0 ? mls_median(minutes, count) : (double)NAN;
        free(minutes);
        for (size_t i = 0; i < group->run_count; i++) {
            const size_t place = (size_t)(group->runs[i] - collection->runs);
            mls_run *run = &collection->runs[place];
            mls_sacct_entry *entry = mls_sacct_find(sacct, mls_str_from(run->job.job));
            if (entry != NULL) {
                join_run(sacct, median_minutes, run, entry);
                sacct->jobs.of_run[place] = entry->newest;
                next[place] = entry->first;
                entry->first = place + 1;
            }
        }
    }
    for (size_t i = 0; i < sacct->jobs.count; i++) {
        mls_slurm_job *job = sacct->jobs.items[i];
        sum_times(job, collection, mls_sacct_find(sacct, mls_str_from(job->job))->first, next);
    }
    /* Add findings for jobs of runs that do not have a row in the saved files. */
    const mls_finding_place place = {.path = sacct->files == 1 ? sacct->file : NULL};
    mls_map missing = {.arena = &sacct->arena};
    bool named = false;
    for (size_t i = 0; i < collection->run_count && sacct->files > 0; i++) {
        const mls_str job = mls_str_from(collection->runs[i].job.job);
        bool added = false;
        named = named || job.len > 0;
        if (job.len > 0 && mls_sacct_find(sacct, job) == NULL)
            (void)mls_map_put(&missing, job, &added);
        if (added)
            mls_findings_add(&sacct->findings, MLS_FINDING_JOB_MISSING, place, "no row for job %.*s", MLS_CUT(job, 60));
    }
    if (!named && collection->run_count > 0 && sacct->files > 0)
        mls_findings_add(&sacct->findings, MLS_FINDING_JOB_MISSING, place, "no run names its job: no row is used");
    sacct->jobs.here = here;
    collection->jobs = &sacct->jobs;
    free(next);
}
