/* SPDX-License-Identifier: Apache-2.0 */
/* submission.c - a submission for outsiders: its results and its findings, each in one row. */
#include "mlscore/submission.h"
#include "base/memory.h"

#include <stdlib.h>

#include "library/library.h"
#include "submission/submission.h"

mls_status mls_submission_new(const mls_rules *rules, const char *path, mls_submission **submission, mls_error *error)
{
    *submission = NULL;
    if (path == NULL) {
        return mls_error_missing("the path of a submission", error);
    }
    const mls_collect_options how = mls_rules_collecting(rules);
    const mls_submission_options options = {.rulesets = rules->rulesets,
                                            .usage = how.usage,
                                            .any_usage = how.any_usage,
                                            .edition = how.edition,
                                            .work = how.work,
                                            .score = how.score,
                                            .as_repo = rules->as_repo,
                                            .strict = rules->strict};
    mls_submission *made = mls_calloc(1, sizeof *made);
    const mls_status status =
        made != NULL ? mls_submission_verify(path, &options, made, error) : mls_error_memory(error);
    if (status != MLS_OK) {
        mls_submission_free(made);
        made = NULL;
    }
    *submission = made;
    return status;
}

void mls_submission_free(mls_submission *submission)
{
    if (submission != NULL) {
        mls_submission_release(submission);
        free(submission);
    }
}

bool mls_submission_is_valid(const mls_submission *submission)
{
    return submission->valid;
}

const char *mls_submission_edition(const mls_submission *submission)
{
    return submission->edition != NULL ? submission->edition->name : NULL;
}

size_t mls_submission_total(const mls_submission *submission, mls_severity severity)
{
    return mls_finding_counts_of(&submission->counts, severity);
}

const mls_finding *mls_submission_finding(const mls_submission *submission, size_t index, const char **path)
{
    const char *ignored = NULL;
    path = path != NULL ? path : &ignored;
    *path = NULL;
    if (index < submission->findings.count) {
        const mls_finding *finding = &submission->findings.items[index];
        *path = finding->path != NULL ? finding->path : ".";
        return finding;
    }
    index -= submission->findings.count;
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        if (index < submitter->placed_count) {
            *path = submitter->placed[index].path;
            return submitter->placed[index].finding;
        }
        index -= submitter->placed_count;
    }
    return NULL;
}

const mls_submission_result *mls_submission_result_at(const mls_submission *submission, size_t index)
{
    for (size_t i = 0; i < submission->submitter_count; i++) {
        const mls_submitter *submitter = &submission->submitters[i];
        if (index < submitter->result_count) {
            return &submitter->results[index];
        }
        index -= submitter->result_count;
    }
    return NULL;
}

const char *mls_submission_result_path(const mls_submission_result *result)
{
    return result->path;
}

const char *mls_submission_result_system(const mls_submission_result *result)
{
    return result->system;
}

const char *mls_submission_result_benchmark(const mls_submission_result *result)
{
    return result->benchmark;
}

bool mls_submission_result_is_valid(const mls_submission_result *result)
{
    return result->valid;
}

const mls_group *mls_submission_result_group(const mls_submission_result *result)
{
    return result->judged ? &result->group : NULL;
}
