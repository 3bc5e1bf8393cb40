/* SPDX-License-Identifier: Apache-2.0 */
/* job_of_run.c - which job made a run: its own text's word, a repetition's, its file's name, slurmstepd's line. */
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "score/hosts.h"
#include "score/sacct.h"

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
        !mls_str_ends(rest, MLS_S(".out"))) {
        return;
    }
    job = (mls_str){rest.ptr, rest.len - strlen(".out")};
    mls_str task = job;
    const bool array = mls_str_cut(&task, '_', &number);
    if (!is_job_number(number) || (array && !is_job_number(task))) {
        return;
    }
    run->job.named = mls_strndup(job.ptr, job.len);
}

/* Of a task of an array and its number, which are two names of one job, nobody can tell without Slurm. */
static void compare_jobs(mls_run *run, const char *other, const char *whose)
{
    const char *job = run->job.job;
    if (job != NULL && other != NULL && strcmp(job, other) != 0 && is_job_number(mls_str_from(job)) &&
        is_job_number(mls_str_from(other))) {
        mls_findings_add(&run->findings, MLS_FINDING_JOB_DIFFERS, (mls_finding_place){0},
                         "it is of job %s, but %s says %s", job, whose, other);
    }
}

void mls_run_find_job(mls_run *run)
{
    mls_job *job = &run->job;
    mls_buffer names = {0};
    const char *said = job->job != NULL ? job->job : job->named != NULL ? job->named : job->step;
    if (job->job == NULL && said != NULL) {
        job->job = mls_strdup(said);
    }
    compare_jobs(run, job->other, "another log of the same run");
    compare_jobs(run, job->named, "the name of the job's output");
    compare_jobs(run, job->step, "slurmstepd's line");
    (void)mls_hosts_expand(mls_str_from(job->node_list), &names, &run->findings, (mls_finding_place){0});
    mls_buffer_release(&names);
}
