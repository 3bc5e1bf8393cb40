/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configs.c - what the configs of a submission say about themselves.
 *
 * The reference looks at no config, so all of it is advice, whatever
 * `mlscore config` calls it.  What only says that a value cannot be known is
 * left to that command: it is no fault of the submission.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "mlscore/config.h"
#include "submission/judge.h"

typedef struct judgement {
    const mls_submission *submission;
    mls_findings found; /* of all configs; a file that several of them source is in it once */
} judgement;

/* <submitter>/benchmarks/<benchmark>/implementations/… */
static bool is_wanted(const mls_submitter *submitter, const char *benchmark, const char *path)
{
    if (benchmark == NULL) {
        return true;
    }
    const size_t skipped = strlen(submitter->path);
    const mls_str within = mls_str_from(path + skipped + (skipped > 0) + strlen("benchmarks/"));
    const mls_str name = mls_str_from(benchmark);
    return mls_str_starts(within, name) && within.len > name.len && within.ptr[name.len] == '/';
}

/* A path relative to the tree from one that starts with the place of the tree. */
static const char *path_in_tree(const mls_submission *submission, const char *path)
{
    const mls_str root = mls_str_from(submission->real);
    if (!mls_str_starts(mls_str_from(path), root)) {
        return path;
    }
    path += root.len;
    return *path == '/' ? path + 1 : path;
}

static bool is_known(const mls_findings *list, mls_finding_code code, const char *path, size_t line,
                     const char *message)
{
    if (list->found[code] > MLS_FINDINGS_KEPT_PER_CODE) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const mls_finding *other = &list->items[i];
        if (other->code == code && other->line == line && strcmp(other->path, path) == 0 &&
            strcmp(other->message, message) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a finding in a sourced file is about the config that sources it, and not about the file alone. */
static bool is_about_shape(mls_finding_code code)
{
    return code == MLS_FINDING_CONFIG_DISAGREES || code == MLS_FINDING_CONFIG_PARALLEL ||
           code == MLS_FINDING_CONFIG_WALLTIME || code == MLS_FINDING_CONFIG_SEGMENT;
}

static void advise_one(judgement *judging, const mls_submission_file *file, const mls_finding *finding)
{
    mls_finding_place place = {file->path, finding->line, finding->column,
                               finding->key != NULL ? mls_str_from(finding->key) : (mls_str){0}};
    const char *sourced = finding->path != NULL ? path_in_tree(judging->submission, finding->path) : NULL;
    if (sourced != NULL && is_about_shape(finding->code)) {
        place.line = 0;
        place.column = 0;
        mls_findings_add_as(&judging->found, finding->code, MLS_SEVERITY_ADVICE, place, "%s (%s:%zu)", finding->message,
                            sourced, finding->line);
        return;
    }
    place.path = sourced != NULL ? sourced : file->path;
    if (!is_known(&judging->found, finding->code, place.path, finding->line, finding->message)) {
        mls_findings_add_as(&judging->found, finding->code, MLS_SEVERITY_ADVICE, place, "%s", finding->message);
    }
}

static void advise(judgement *judging, const mls_submission_file *file, const mls_findings *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const mls_finding_code code = from->items[i].code;
        if (code != MLS_FINDING_CONFIG_SOURCE && code != MLS_FINDING_CONFIG_UNKNOWN) {
            advise_one(judging, file, &from->items[i]);
        }
    }
}

/* A config that cannot be read at all. */
static void advise_unread(judgement *judging, const mls_submission_file *file, const mls_error *error)
{
    const mls_finding_code code = error->status == MLS_ERROR_SYNTAX  ? MLS_FINDING_CONFIG_SYNTAX
                                  : error->status == MLS_ERROR_LIMIT ? MLS_FINDING_CONFIG_LIMIT
                                                                     : MLS_FINDING_UNREADABLE;
    mls_findings_add_as(&judging->found, code, MLS_SEVERITY_ADVICE, (mls_finding_place){.path = file->path}, "%s",
                        error->message);
}

static mls_status judge_config(judgement *judging, const mls_submission_file *file)
{
    mls_error error = {0};
    const mls_config_name name = mls_config_name_decode(mls_str_from(file->path));
    mls_config_summary summary;
    mls_shell *script = NULL;
    mls_findings findings = {0};
    char *path = mls_path_join(judging->submission->real, file->path);
    mls_status status =
        path != NULL ? mls_shell_read_within(path, judging->submission->real, &script, &error) : MLS_ERROR_MEMORY;
    if (status == MLS_ERROR_MEMORY) {
        free(path);
        return status;
    }
    if (status != MLS_OK) {
        advise_unread(judging, file, &error);
    }
    mls_config_compare(&name, script, &summary, &findings);
    advise(judging, file, &findings);
    if (script != NULL) {
        advise(judging, file, mls_shell_findings(script));
    }
    status = findings.out_of_memory || judging->found.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
    mls_findings_release(&findings);
    mls_shell_free(script);
    free(path);
    return status;
}

mls_status mls_configs_judge(const mls_submission *submission, const mls_submission_options *options,
                             mls_submitter *submitter)
{
    judgement judging = {.submission = submission};
    const mls_submission_files *configs = &submitter->configs;
    if (configs->count == 0 || options->system != NULL) {
        return MLS_OK;
    }
    mls_status status = MLS_OK;
    for (size_t i = 0; i < configs->count && status == MLS_OK; i++) {
        if (is_wanted(submitter, options->benchmark, configs->items[i].path)) {
            status = judge_config(&judging, &configs->items[i]);
        }
    }
    mls_findings_append(&submitter->findings, &judging.found);
    mls_findings_release(&judging.found);
    return status;
}
