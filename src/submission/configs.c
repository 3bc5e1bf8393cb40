/* SPDX-License-Identifier: Apache-2.0 */
/* configs.c - what the configs of a submission say about themselves, and what they ask of their GPUs.
 *
 * The reference looks at no config, so all of it is advice, whatever `mlscore config` calls it.  What only says that a
 * value cannot be known is left to that command: it is not a fault of the submission. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "mlscore/config.h"
#include "mlscore/memory.h"
#include "submission/judge.h"

/* A path relative to the tree from one that starts with the place of the tree. */
static const char *path_in_tree(const mls_submission *submission, const char *path)
{
    const mls_str root = mls_str_from(submission->real);
    path += mls_str_starts(mls_str_from(path), root) ? root.len : 0;
    return path + (*path == '/');
}

static bool is_known(const mls_findings *list, const mls_finding *finding, const char *path)
{
    for (size_t i = 0; i < list->count; i++) {
        const mls_finding *other = &list->items[i];
        if (other->code == finding->code && other->line == finding->line && strcmp(other->path, path) == 0 &&
            strcmp(other->message, finding->message) == 0) {
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

/* Takes a finding about a config; one in a file that several configs source is taken once. */
static void advise(const mls_submission *submission, const char *config, const mls_finding *finding,
                   mls_findings *advice)
{
    const char *sourced = finding->path != NULL ? path_in_tree(submission, finding->path) : NULL;
    mls_finding_place place = {sourced != NULL ? sourced : config, finding->line, finding->column,
                               mls_str_from(finding->key)};
    if (finding->code == MLS_FINDING_CONFIG_SOURCE || finding->code == MLS_FINDING_CONFIG_UNKNOWN) {
        return;
    }
    if (sourced != NULL && is_about_shape(finding->code)) {
        place = (mls_finding_place){.path = config, .key = place.key};
        mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s (%s:%zu)", finding->message, sourced,
                            finding->line);
    } else if (!is_known(advice, finding, place.path)) {
        mls_findings_add_as(advice, finding->code, MLS_SEVERITY_ADVICE, place, "%s", finding->message);
    }
}

/* The tables that memory is estimated by. */
typedef struct memory_tables {
    mls_models *models;
    mls_accelerators *accelerators;
} memory_tables;

/* Whether a run of the benchmark of a config has ended well on as many GPUs as its name says: what it asks has fit. */
static bool has_run(const mls_submitter *submitter, const mls_config_name *name, const char *config)
{
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
        for (size_t k = 0; k < result->run_count && !other; k++) {
            if (mls_str_equal(benchmark, mls_str_from(result->benchmark)) &&
                result->runs[k].run.status == MLS_RUN_SUCCESS) {
                return true;
            }
        }
    }
    return false;
}

/* Advises where a config asks more of a GPU than it holds; what cannot be computed is not a fault of the submission.
 * A text that others source asks nothing by itself. */
static mls_status judge_memory(const memory_tables *tables, const mls_shell *script, const char *config,
                               mls_findings *found)
{
    mls_memory_ask ask;
    mls_memory_answer answer;
    mls_findings ignored = {0};
    mls_memory_ask_init(&ask, tables->models, tables->accelerators);
    const bool sized = mls_memory_config(&ask, script, config, &ignored);
    const mls_status status = ignored.out_of_memory ? MLS_ERROR_MEMORY
                              : sized               ? mls_memory_answer_make(&ask, &answer, NULL)
                                                    : MLS_ERROR_UNKNOWN;
    if (status == MLS_OK && answer.estimate.verdict == MLS_MEMORY_DOES_NOT_FIT) {
        mls_memory_judge(&ask, &answer, found);
    }
    mls_findings_release(&ignored);
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

static mls_status judge_config(const mls_submission *submission, const mls_submitter *submitter,
                               const memory_tables *tables, const char *config, mls_findings *advice)
{
    const mls_config_name name = mls_config_name_decode(mls_str_from(config));
    mls_error error = {0};
    mls_config_summary summary;
    mls_shell *script = NULL;
    mls_findings found = {0};
    char *path = mls_path_join(submission->real, config);
    mls_status status = path != NULL ? mls_shell_read(path, submission->real, &script, &error) : MLS_ERROR_MEMORY;
    free(path);
    if (status == MLS_ERROR_MEMORY) {
        return status;
    }
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
        if (name.kind != MLS_CONFIG_KIND_NONE && script->complete && !has_run(submitter, &name, config)) {
            status = judge_memory(tables, script, config, &found);
        }
    }
    for (size_t i = 0; i < found.count; i++) {
        advise(submission, config, &found.items[i], advice);
    }
    status = found.out_of_memory || advice->out_of_memory || status == MLS_ERROR_MEMORY ? MLS_ERROR_MEMORY : MLS_OK;
    mls_findings_release(&found);
    mls_shell_free(script);
    return status;
}

mls_status mls_configs_judge(const mls_submission *submission, mls_submitter *submitter)
{
    mls_findings advice = {0};
    memory_tables tables = {NULL, NULL};
    mls_status status = MLS_OK;
    if (submitter->configs.count > 0) {
        status = mls_models_load(&tables.models, NULL);
        status = status == MLS_OK ? mls_accelerators_load(&tables.accelerators, NULL) : status;
    }
    for (size_t i = 0; i < submitter->configs.count && status == MLS_OK; i++) {
        status = judge_config(submission, submitter, &tables, submitter->configs.items[i].path, &advice);
    }
    mls_findings_append(&submitter->findings, &advice);
    mls_findings_release(&advice);
    mls_accelerators_free(tables.accelerators);
    mls_models_free(tables.models);
    return status;
}
