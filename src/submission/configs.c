/* SPDX-License-Identifier: Apache-2.0 */
/* configs.c - check the configs of a submission for contradictions and for settings that exceed GPU memory.
 *
 * The reference checkers do not read configs, so every finding is advice, whatever its severity in `mlscore config`.
 * Findings that a value cannot be determined are not reported: they are not a fault of the submission. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "config/config.h"
#include "explain/memory/memory.h"
#include "submission/judge.h"

static bool is_known(const mls_findings *list, const mls_finding *finding, const char *path)
{
    for (size_t i = 0; i < list->count; i++) {
        const mls_finding *other = &list->items[i];
        if (other->code == finding->code && other->line == finding->line && strcmp(other->path, path) == 0 &&
            strcmp(other->message, finding->message) == 0)
            return true;
    }
    return false;
}

/* Add a finding about a config.  A finding in a file that several configs source is added once. */
static void advise(const mls_submission *submission, const char *config, const mls_finding *finding,
                   mls_findings *advice)
{
    const char *sourced = finding->path;
    if (sourced != NULL) { /* relative to the tree */
        const mls_str root = mls_str_from(submission->real);
        sourced += mls_str_starts(mls_str_from(sourced), root) ? root.len : 0;
        sourced += *sourced == '/';
    }
    mls_finding_place place = {sourced != NULL ? sourced : config, finding->line, finding->column,
                               mls_str_from(finding->key)};
    if (finding->code == MLS_FINDING_CONFIG_SOURCE || finding->code == MLS_FINDING_CONFIG_UNKNOWN)
        return;
    /* Report it for the config that sources the file, not for the file alone. */
    const bool of_shape = finding->code == MLS_FINDING_CONFIG_DISAGREES ||
                          finding->code == MLS_FINDING_CONFIG_PARALLEL ||
                          finding->code == MLS_FINDING_CONFIG_WALLTIME || finding->code == MLS_FINDING_CONFIG_SEGMENT;
    if (sourced != NULL && of_shape) {
        place = (mls_finding_place){.path = config, .key = place.key};
        mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s (%s:%zu)", finding->message, sourced,
                            finding->line);
    } else if (!is_known(advice, finding, place.path)) {
        mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s", finding->message);
    }
}

/* The tables used to estimate memory. */
typedef struct memory_tables {
    mls_models *models;
    mls_accelerators *accelerators;
} memory_tables;

/* The runs of a config: those of its benchmark with the GPU count of its name, or of a job that printed its name. */
typedef struct config_runs {
    bool ended_well;               /* a run succeeded, so the job fits in memory */
    const mls_submission_run *any; /* NULL if it has no runs */
} config_runs;

static config_runs runs_of_config(const mls_submitter *submitter, const mls_config_name *name, const char *config)
{
    config_runs runs = {0};
    mls_str below = mls_str_from(config + strlen(submitter->path) + (*submitter->path != '\0'));
    mls_str benchmark;
    (void)mls_str_cut(&below, '/', &benchmark); /* "benchmarks" */
    (void)mls_str_cut(&below, '/', &benchmark);
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        const mls_description *says = &mls_submitter_system(submitter, result->system)->says;
        const double nodes = mls_first_number(says->number_of_nodes);
        const double gpus = nodes * mls_first_number(says->accelerators_per_node);
        const bool other = name->gpus != 0 ? gpus != (double)name->gpus && !isnan(gpus) : nodes != (double)name->nodes;
        for (size_t k = 0; k < result->run_count && mls_str_equal(benchmark, mls_str_from(result->benchmark)); k++) {
            const mls_submission_run *run = &result->runs[k];
            if (!other || mls_str_equal(mls_str_from(mls_run_config(&run->run)), name->name)) {
                runs.ended_well |= run->run.status == MLS_RUN_SUCCESS;
                runs.any = runs.any != NULL ? runs.any : run;
            }
        }
    }
    return runs;
}

/* Add the settings that a run's job printed. */
static void ask_printed(const mls_submission_run *run, void *submission, mls_memory_ask *ask, uint64_t gpus)
{
    mls_known_settings known = {0};
    mls_printed_reader *reader = NULL;
    const int fd = mls_tree_open(submission, run->file.path);
    const mls_printed *printed = NULL;
    if (fd >= 0 && mls_printed_read_before(fd, run->run.run_start.line, NULL, &reader, NULL) == MLS_OK)
        printed = mls_printed_of_run(reader, run->run.run_start.line);
    if (printed != NULL && mls_known_settings_load(&known, NULL) == MLS_OK)
        (void)mls_memory_printed(ask, &known, printed, gpus);
    mls_known_settings_release(&known);
    mls_printed_reader_free(reader);
    if (fd >= 0)
        (void)close(fd);
}

/* Add advice if a config needs more memory than a GPU has, according to its text or to the settings printed by the job
 * of a run (NULL: no run).  Errors of the estimate are ignored.  A file that other configs source is not judged by
 * itself. */
static void judge_memory(mls_submission *submission, const memory_tables *tables, const mls_shell *script,
                         const char *config, const mls_submission_run *run, mls_findings *found)
{
    const uint64_t gpus = mls_config_name_decode(mls_str_from(config)).gpus;
    mls_memory_ask ask = {.models = NULL};
    mls_memory_answer answer = {.tried_count = 0};
    bool over = true;
    for (int by_job = 0; by_job < (run != NULL ? 2 : 1) && over; by_job++) {
        mls_findings ignored = {0};
        mls_memory_ask_init(&ask, tables->models, tables->accelerators);
        if (by_job)
            ask_printed(run, submission, &ask, gpus);
        over = mls_memory_config(&ask, script, config, &ignored) &&
               mls_memory_answer_make(&ask, &answer, NULL) == MLS_OK &&
               answer.estimate.verdict == MLS_MEMORY_DOES_NOT_FIT;
        mls_findings_release(&ignored);
    }
    if (over)
        mls_memory_judge(&ask, &answer, found);
}

static void judge_config(mls_submission *submission, const mls_submitter *submitter, const memory_tables *tables,
                         const char *config, mls_findings *advice)
{
    const mls_config_name name = mls_config_name_decode(mls_str_from(config));
    mls_error error = {0};
    mls_config_summary summary;
    mls_shell *script = NULL;
    mls_findings found = {0};
    char *path = mls_path_join(submission->real, config);
    const mls_status status = mls_shell_read(path, submission->real, &script, &error);
    free(path);
    if (status != MLS_OK) {
        mls_findings_add(&found,
                         status == MLS_ERROR_SYNTAX  ? MLS_FINDING_CONFIG_SYNTAX
                         : status == MLS_ERROR_LIMIT ? MLS_FINDING_CONFIG_LIMIT
                                                     : MLS_FINDING_UNREADABLE,
                         (mls_finding_place){0}, "%s", error.message);
    }
    mls_config_compare(&name, script, &summary, &found);
    if (script != NULL) {
        mls_findings_append(&found, &script->findings);
        const config_runs runs = runs_of_config(submitter, &name, config);
        if (name.kind != MLS_CONFIG_KIND_NONE && script->complete && !runs.ended_well)
            judge_memory(submission, tables, script, config, runs.any, &found);
    }
    for (size_t i = 0; i < found.count; i++)
        advise(submission, config, &found.items[i], advice);
    mls_findings_release(&found);
    mls_shell_free(script);
}

mls_status mls_configs_judge(mls_submission *submission, mls_submitter *submitter)
{
    mls_findings advice = {0};
    memory_tables tables = {NULL, NULL};
    mls_status status = MLS_OK;
    if (submitter->configs.count > 0) {
        status = mls_models_load(&tables.models, NULL);
        status = status == MLS_OK ? mls_accelerators_load(&tables.accelerators, NULL) : status;
    }
    for (size_t i = 0; i < submitter->configs.count && status == MLS_OK; i++)
        judge_config(submission, submitter, &tables, submitter->configs.items[i].path, &advice);
    mls_findings_append(&submitter->findings, &advice);
    mls_findings_release(&advice);
    mls_accelerators_free(tables.accelerators);
    mls_models_free(tables.models);
    return status;
}
