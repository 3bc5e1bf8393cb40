/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_report.c - what Slurm says about the jobs of a group, for people. */
#include <math.h>

#include "base/words.h"
#include "report/reports.h"
#include "score/jobs.h"

enum { JOBS_INDENT = 2, JOBS_HANG = 6, JOBS_SHOWN = 4, SACCT_ROWS_SHOWN = 10 };

static void show_times(mls_view *view, const mls_slurm_job *job)
{
    const mls_job_times *times = &job->times;
    const double all = times->before + times->init + times->training + times->between + times->after;
    if (job->has_times && all > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, JOBS_INDENT + 2, JOBS_HANG,
                        "training %s (%s) · before %s · init %s · between %s · after %s",
                        mls_words_seconds(times->training).text, mls_words_percent(times->training / all, 1).text,
                        mls_words_seconds(times->before).text, mls_words_seconds(times->init).text,
                        mls_words_seconds(times->between).text, mls_words_seconds(times->after).text);
    }
}

/* "job 117   COMPLETED   18 nodes   queued 0:41   ran 27:08 of 4:00:00", and where its time went. */
static void show_job(mls_view *view, const mls_slurm_job *job, const char *here)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "job %s", job->id);
    if (here != NULL && strcmp(here, job->job) == 0) {
        mls_buffer_append_text(&line, " (this one)");
    }
    if (job->state != NULL) {
        mls_buffer_printf(&line, "   %s", job->state);
    }
    if (job->cancelled_by != NULL) {
        mls_buffer_printf(&line, " by %s", job->cancelled_by);
    }
    if (isfinite(job->node_count)) {
        mls_buffer_printf(&line, "   %s", mls_words_plural((size_t)job->node_count, "node", "nodes").text);
    }
    if (mls_slurm_job_queued(job) >= 0) {
        mls_buffer_printf(&line, "   queued %s", mls_words_seconds(mls_slurm_job_queued(job)).text);
    }
    if (job->elapsed_seconds >= 0) {
        mls_buffer_printf(&line, isnan(job->end_ms) ? "   running for %s" : "   ran %s",
                          mls_words_seconds(job->elapsed_seconds).text);
    }
    if (job->limit_seconds >= 0) {
        mls_buffer_printf(&line, " of %s", mls_words_seconds(job->limit_seconds).text);
    }
    if (job->restarts > 0) {
        mls_buffer_printf(&line, "   %s", mls_words_plural(job->restarts, "restart", "restarts").text);
    }
    if (job->timezone != NULL) {
        mls_buffer_printf(&line, "   times in zone %s", job->timezone);
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, JOBS_INDENT, JOBS_HANG);
    show_times(view, job);
}

const mls_slurm_job *mls_group_new_job(const mls_slurm_jobs *jobs, const mls_group *group, size_t run)
{
    const mls_slurm_job *job = mls_slurm_job_of(jobs, group->runs[run]);
    size_t i = run;
    while (i > 0 && mls_slurm_job_of(jobs, group->runs[i - 1]) != job) {
        i--;
    }
    return i == 0 ? job : NULL;
}

void mls_group_show_jobs(mls_view *view, const mls_group *group, const mls_slurm_jobs *jobs)
{
    const size_t most = mls_view_limit(view, JOBS_SHOWN);
    size_t count = 0;
    for (size_t i = 0; i < group->run_count && jobs != NULL; i++) {
        const mls_slurm_job *job = mls_group_new_job(jobs, group, i);
        if (job != NULL && count++ < most) {
            show_job(view, job, jobs->here);
        }
    }
    if (count > most) {
        mls_view_more(view, MLS_STYLE_PLAIN, JOBS_INDENT, count - most, "job", mls_view_hint(view));
    }
}

void mls_jobs_show_findings(mls_view *view, const mls_slurm_jobs *jobs)
{
    const mls_found_look look = {.named = true, .limit = mls_view_limit(view, SACCT_ROWS_SHOWN)};
    mls_found found = {0};
    if (jobs != NULL && jobs->findings->count > 0) {
        mls_view_gap(view);
        mls_found_add(&found, jobs->findings, (mls_owner){0}, view);
        mls_found_show(view, &found, look);
    }
}
