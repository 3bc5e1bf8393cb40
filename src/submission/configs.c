/* SPDX-License-Identifier: Apache-2.0 */
/* configs.c - check the configs of a submission for contradictions and for settings that exceed GPU memory.
 *
 * The MLCommons checkers do not read configs, so every finding is only advice, even if it is an error in `mlscore
 * config`. If a value cannot be determined, nothing is reported, because this is not a fault of the submission. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "config/config.h"
#include "explain/memory/memory.h"
#include "submission/judge.h"

/* Add a finding about a config as advice.  If several configs source the same file, add a finding in that
 * file only once. */
static void advise(const mls_submission *submission, const char *config, const mls_finding *finding,
                   mls_findings *advice)
{
    const char *sourced = finding->path;
    if (sourced != NULL) { /* make the path relative to the tree */
        const mls_str root = mls_str_from(submission->real);
        sourced += mls_str_starts(mls_str_from(sourced), root) ? root.len : 0;
        sourced += *sourced == '/';
    }
    mls_finding_place place = {sourced != NULL ? sourced : config, finding->line, finding->column,
                               mls_str_from(finding->key)};
    if (finding->code == MLS_FINDING_CONFIG_SOURCE || finding->code == MLS_FINDING_CONFIG_UNKNOWN)
        return;
    /* Report a contradiction at the config that sources the file, not at the sourced file. */
    if (sourced != NULL &&
        (finding->code == MLS_FINDING_CONFIG_DISAGREES || finding->code == MLS_FINDING_CONFIG_PARALLEL ||
         finding->code == MLS_FINDING_CONFIG_WALLTIME || finding->code == MLS_FINDING_CONFIG_SEGMENT)) {
        place = (mls_finding_place){.path = config, .key = place.key};
        mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s (%s:%zu)", finding->message, sourced,
                            finding->line);
        return;
    }
    for (size_t i = 0; i < advice->count; i++) {
        const mls_finding *other = &advice->items[i];
        if (other->code == finding->code && other->line == finding->line && strcmp(other->path, place.path) == 0 &&
            strcmp(other->message, finding->message) == 0)
            return;
    }
    mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s", finding->message);
}

/* Return a run of a config, or NULL if the config has no runs.  A run belongs to a config if both have the same
 * benchmark, and the run's system has the number of GPUs (or nodes) in the config's name or the run's job printed that
 * name.  Set *ended_well to true if one of these runs succeeded. */
static const mls_submission_run *run_of_config(const mls_submitter *submitter, const mls_config_name *name,
                                               const char *config, bool *ended_well)
{
    const mls_submission_run *found = NULL;
    mls_str below = mls_str_from(config + strlen(submitter->path) + (*submitter->path != '\0'));
    mls_str benchmark;
    (void)mls_str_cut(&below, '/', &benchmark); /* "benchmarks" */
    (void)mls_str_cut(&below, '/', &benchmark);
    *ended_well = false;
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        const mls_description *says = &mls_submitter_system(submitter, result->system)->says;
        const double nodes = mls_first_number(says->number_of_nodes);
        const double gpus = nodes * mls_first_number(says->accelerators_per_node);
        const bool other = name->gpus != 0 ? gpus != (double)name->gpus && !isnan(gpus) : nodes != (double)name->nodes;
        for (size_t k = 0; k < result->run_count && mls_str_equal(benchmark, mls_str_from(result->benchmark)); k++) {
            const mls_submission_run *run = &result->runs[k];
            if (!other || mls_str_equal(mls_str_from(mls_run_config(&run->run)), name->name)) {
                *ended_well |= run->run.status == MLS_RUN_SUCCESS;
                found = found != NULL ? found : run;
            }
        }
    }
    return found;
}

/* Fill in the settings that a run's job printed.  Read the log a second time for this, because few configs need these
 * settings. */
static void ask_printed(const mls_submission_run *run, mls_submission *submission, mls_memory_ask *ask, uint64_t gpus)
{
    mls_known_settings known = {0};
    mls_printed_reader *reader = NULL;
    const int fd = mls_tree_open(submission, run->file.path);
    const mls_printed *printed = NULL;
    if (fd >= 0 && mls_printed_read_before(fd, run->run.run_start.line, NULL, &reader, NULL, NULL) == MLS_OK)
        printed = mls_printed_of_run(reader, run->run.run_start.line);
    if (printed != NULL && mls_known_settings_load(&known, NULL) == MLS_OK)
        (void)mls_memory_printed(ask, &known, printed, gpus);
    mls_known_settings_release(&known);
    mls_printed_reader_free(reader);
    if (fd >= 0)
        (void)close(fd);
}

mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter)
{
    mls_findings advice = {0};
    mls_models *models = NULL;
    mls_accelerators *accelerators = NULL;
    mls_status status = MLS_OK;
    if (submitter->configs.count > 0) {
        status = mls_models_load(&models, NULL);
        status = status == MLS_OK ? mls_accelerators_load(&accelerators, NULL) : status;
    }
    for (size_t i = 0; i < submitter->configs.count && status == MLS_OK; i++) {
        const char *config = submitter->configs.items[i].path;
        const mls_config_name name = mls_config_name_decode(mls_str_from(config));
        mls_error error = {0};
        mls_config_summary summary;
        mls_shell *script = NULL;
        mls_findings found = {0};
        char *path = mls_path_join(submission->real, config);
        const mls_status read = mls_shell_read(path, submission->real, &script, &error);
        free(path);
        if (read != MLS_OK) {
            const mls_finding_code code = read == MLS_ERROR_SYNTAX  ? MLS_FINDING_CONFIG_SYNTAX
                                          : read == MLS_ERROR_LIMIT ? MLS_FINDING_CONFIG_LIMIT
                                                                    : MLS_FINDING_UNREADABLE;
            mls_findings_add(&found, code, (mls_finding_place){0}, "%s", error.message);
        }
        mls_config_compare(&name, script, &summary, &found);
        if (script != NULL) {
            bool ended_well;
            const mls_submission_run *run = run_of_config(submitter, &name, config, &ended_well);
            mls_memory_ask ask = {.models = NULL};
            mls_memory_answer answer = {.tried_count = 0};
            mls_findings_append(&found, &script->findings);
            /* Check that the job fits in GPU memory, first with the settings of the config, then also with
             * those that its job printed.  If a run succeeded, the job fits.  Ignore errors of the estimate, and skip
             * files that only other configs source. */
            bool over = name.kind != MLS_CONFIG_KIND_NONE && script->complete && !ended_well;
            for (int by_job = 0; by_job < (run != NULL ? 2 : 1) && over; by_job++) {
                mls_findings ignored = {0};
                mls_memory_ask_init(&ask, models, accelerators);
                if (by_job)
                    ask_printed(run, submission, &ask, name.gpus);
                over = mls_memory_config(&ask, script, config, &ignored) &&
                       mls_memory_answer_make(&ask, &answer, NULL) == MLS_OK &&
                       answer.estimate.verdict == MLS_MEMORY_DOES_NOT_FIT;
                mls_findings_release(&ignored);
            }
            if (over)
                mls_memory_judge(&ask, &answer, &found);
        }
        for (size_t k = 0; k < found.count; k++)
            advise(submission, config, &found.items[k], &advice);
        mls_findings_release(&found);
        mls_shell_free(script);
    }
    mls_findings_append(&submitter->findings, &advice);
    mls_findings_release(&advice);
    mls_accelerators_free(accelerators);
    mls_models_free(models);
    return status;
}
