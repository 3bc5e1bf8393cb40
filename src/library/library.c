/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - the public functions, in the order of include/mlscore.  They check their arguments, call functions of
 * other modules and return their results. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/file.h"
#include "base/memory.h"
#include "mlscore/findings.h"
#include "mlscore/group.h"
#include "mlscore/read.h"
#include "mlscore/run.h"
#include "mlscore/submission.h"
#include "run/splitter.h"
#include "score/collect.h"
#include "submission/submission.h"
#include "json/value.h"

/* Define a public function that returns a property. */
#define GETTER(type, name, parameters, value)                                                                          \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return value;                                                                                                  \
    }

/* Define a public function that sets an option. */
#define SETTER(name, type, member)                                                                                     \
    void name(mls_rules *rules, type value)                                                                            \
    {                                                                                                                  \
        rules->member = value;                                                                                         \
    }

/* The options that logs are checked with. */
struct mls_rules {
    mls_rulesets *rulesets;
    mls_ruleset *own; /* the rules of a rule file; NULL: no rule file was set */
    /* `own`, or the rules of the edition that was set; NULL: guess the edition of each log. */
    const mls_ruleset *chosen;
    /* Edition of `chosen`; NULL: it is guessed, or the rule file does not extend an edition. */
    const mls_edition *edition;
    mls_usage usage;
    bool usage_given, window;
    bool rcp_bypass, seed_bypass, bert_train_samples;
    bool as_repo, strict; /* for submissions */
    unsigned threads;
};

/* ------------------------------------------------------------------------------------------------------ rules */

GETTER(const char *, mls_version, (void), MLS_VERSION)

/* Return MLS_ERROR_VALUE and set *error because an argument is NULL.  `what` describes the argument, such as "a
 * path". */
static mls_status missing_argument(const char *what, mls_error *error)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s is missing: NULL was given", what);
}

mls_status mls_rules_new(mls_rules **rules, mls_error *error)
{
    mls_rules *made = mls_calloc(1, sizeof *made);
    const mls_status status = mls_rulesets_new(&made->rulesets, error);
    if (status != MLS_OK) {
        mls_rules_free(made);
        made = NULL;
    }
    *rules = made;
    return status;
}

void mls_rules_free(mls_rules *rules)
{
    if (rules != NULL) {
        mls_ruleset_free(rules->own);
        mls_rulesets_free(rules->rulesets);
        free(rules);
    }
}

void mls_rules_set_usage(mls_rules *rules, mls_usage usage)
{
    if ((size_t)usage <= MLS_USAGE_HPC) {
        rules->usage = usage;
        rules->usage_given = true;
    }
}

/* Replace the rules that were set before. */
static void set_rules(mls_rules *rules, mls_ruleset *own, const mls_ruleset *chosen, const mls_edition *edition)
{
    mls_ruleset_free(rules->own);
    rules->own = own;
    rules->chosen = chosen;
    rules->edition = edition;
}

mls_status mls_rules_set_edition(mls_rules *rules, const char *name, mls_error *error)
{
    const mls_edition *edition;
    const mls_ruleset *chosen;
    if (name == NULL)
        return missing_argument("the name of an edition", error);
    mls_status status =
        mls_editions_find(mls_rulesets_editions(rules->rulesets), rules->usage, mls_str_from(name), &edition, error);
    status = status == MLS_OK ? mls_rulesets_get(rules->rulesets, edition, &chosen, error) : status;
    if (status == MLS_OK)
        set_rules(rules, NULL, chosen, edition);
    return status;
}

mls_status mls_rules_set_file(mls_rules *rules, const char *path, mls_error *error)
{
    mls_ruleset *own = NULL;
    const mls_status status =
        path != NULL ? mls_ruleset_load_file(path, &own, error) : missing_argument("the path of a rule file", error);
    if (status == MLS_OK) {
        set_rules(rules, own, own, mls_ruleset_base(own, mls_rulesets_editions(rules->rulesets)));
        mls_rules_set_usage(rules, mls_ruleset_usage(own));
    }
    return status;
}

SETTER(mls_rules_set_window, bool, window)
SETTER(mls_rules_set_rcp_bypass, bool, rcp_bypass)
SETTER(mls_rules_set_seed_bypass, bool, seed_bypass)
SETTER(mls_rules_set_bert_train_samples, bool, bert_train_samples)
SETTER(mls_rules_set_as_repo, bool, as_repo)
SETTER(mls_rules_set_strict, bool, strict)
SETTER(mls_rules_set_threads, unsigned, threads)

const char *mls_rules_edition(const mls_rules *rules, mls_usage usage, size_t index)
{
    const mls_edition *edition = mls_editions_get(mls_rulesets_editions(rules->rulesets), usage, index);
    return edition != NULL ? edition->name : NULL;
}

const char *mls_rules_benchmark(const mls_rules *rules, mls_usage usage, size_t edition, size_t index)
{
    const mls_edition *of = mls_editions_get(mls_rulesets_editions(rules->rulesets), usage, edition);
    return of != NULL && index < of->benchmark_count ? of->benchmarks[index]->name : NULL;
}

/* Return the options for collecting runs.  The pointers in the result belong to `rules`. */
static mls_collect_options collect_options(const mls_rules *rules)
{
    const bool any_usage = !rules->usage_given && rules->chosen == NULL;
    return (mls_collect_options){
        .usage = rules->usage,
        .any_usage = any_usage,
        .edition = rules->edition,
        .work = {.threads = rules->threads},
        .score = {.editions = mls_rulesets_editions(rules->rulesets),
                  .select_window = rules->window,
                  .bert_train_samples = rules->bert_train_samples,
                  .rcp_bypass = rules->rcp_bypass,
                  .seed_bypass = rules->seed_bypass},
        .checker = {.ruleset = rules->chosen,
                    .rulesets = rules->rulesets,
                    .usage = rules->usage,
                    .any_usage = any_usage},
    };
}

/* ------------------------------------------------------------------------------------------------------ records */

/* The user's callbacks for records. */
typedef struct callbacks {
    mls_record_taker *record;
    mls_malformed_taker *malformed;
    void *state;
} callbacks;

static mls_status call_record(void *state, const mls_record *record)
{
    const callbacks *user = state;
    return user->record != NULL ? user->record(user->state, record) : MLS_OK;
}

static mls_status call_malformed(void *state, const mls_malformed *malformed)
{
    const callbacks *user = state;
    return user->malformed != NULL ? user->malformed(user->state, malformed->line, malformed->column, malformed->reason)
                                   : MLS_OK;
}

/* If a file was not read as a log, return MLS_ERROR_VALUE with the reason; otherwise return `status`. */
static mls_status unread_error(mls_status status, const mls_log_totals *totals, mls_error *error)
{
    const char *reason = totals->old_format ? mls_reason_old_format : totals->unread;
    return status == MLS_OK && reason != NULL ? mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "%s", reason) : status;
}

mls_status mls_log_read_fd(int fd, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                           mls_error *error)
{
    callbacks user = {record, malformed, state};
    const mls_sink sink = {.state = &user, .record = call_record, .malformed = call_malformed};
    mls_log_totals totals = {0};
    mls_status status = mls_file_check(fd, error);
    status = status == MLS_OK ? mls_log_scan_fd(fd, NULL, &sink, 1, &totals, error) : status;
    return unread_error(status, &totals, error);
}

mls_status mls_log_read_bytes(mls_str log, mls_record_taker *record, mls_malformed_taker *malformed, void *state,
                              mls_error *error)
{
    callbacks user = {record, malformed, state};
    const mls_sink sink = {.state = &user, .record = call_record, .malformed = call_malformed};
    mls_log_totals totals;
    if (log.ptr == NULL && log.len > 0)
        return missing_argument("the log", error);
    return unread_error(mls_log_scan_bytes(log, &sink, 1, &totals, error), &totals, error);
}

GETTER(size_t, mls_record_line, (const mls_record *record), record->line)
GETTER(double, mls_record_time_ms, (const mls_record *record), record->time_ms)
GETTER(mls_str, mls_record_key, (const mls_record *record), record->key)
GETTER(mls_str, mls_record_value, (const mls_record *record), record->value)
GETTER(mls_str, mls_record_event, (const mls_record *record), record->event_type)

mls_str mls_record_metadata(const mls_record *record, const char *member)
{
    mls_str span;
    return member != NULL && mls_record_metadata_member(record, mls_str_from(member), &span) ? span
                                                                                             : (mls_str){NULL, 0};
}

/* ----------------------------------------------------------------------------------------- a log judged as one run */

static mls_status move_run(void *state, mls_run *run, void **notes)
{
    (void)notes;
    *(mls_run *)state = *run;
    mls_run_init(run);
    return MLS_OK;
}

/* Check a log as one run, and set *run to the new run.  The log is read from the open file `fd` or, if fd is -1, from
 * `bytes`. */
static mls_status judge_log(const mls_rules *rules, int fd, mls_str bytes, const char *name, mls_run **run,
                            mls_error *error)
{
    *run = NULL;
    if (name == NULL)
        return missing_argument("the name of a log", error);
    const mls_collect_options how = collect_options(rules);
    const mls_reading reading = {.rules = &how.checker};
    mls_run *made = mls_calloc(1, sizeof *made);
    mls_log_totals totals = {0};
    mls_run_init(made);
    mls_status status = MLS_OK;
    mls_checker *checker = mls_checker_new(&how.checker);
    mls_run_splitter splitter = {
        .reading = &reading, .whole = true, .always_run = true, .checker = checker, .run = move_run, .state = made};
    const mls_sink sink = mls_run_splitter_begin(&splitter);
    status = status == MLS_OK && fd >= 0 ? mls_file_check(fd, error) : status;
    if (status == MLS_OK) {
        status = fd >= 0 ? mls_log_scan_fd(fd, NULL, &sink, 1, &totals, error)
                         : mls_log_scan_bytes(bytes, &sink, 1, &totals, error);
    }
    mls_run_splitter_release(&splitter);
    mls_checker_free(checker);
    status = unread_error(status, &totals, error);
    if (status == MLS_OK) {
        made->file = mls_strdup(name);
        *run = made;
    } else {
        mls_run_free(made);
    }
    return status;
}

mls_status mls_run_judge_fd(const mls_rules *rules, int fd, const char *name, mls_run **run, mls_error *error)
{
    if (fd < 0) {
        *run = NULL;
        return name != NULL ? mls_file_check(fd, error) : missing_argument("the name of a log", error);
    }
    return judge_log(rules, fd, (mls_str){0}, name, run, error);
}

mls_status mls_run_judge_bytes(const mls_rules *rules, mls_str log, const char *name, mls_run **run, mls_error *error)
{
    *run = NULL;
    return log.ptr != NULL || log.len == 0 ? judge_log(rules, -1, log, name, run, error)
                                           : missing_argument("the log", error);
}

void mls_run_free(mls_run *run)
{
    if (run != NULL)
        mls_run_release(run);
    free(run);
}

GETTER(bool, mls_run_is_valid, (const mls_run *run), run->valid)
GETTER(const mls_findings *, mls_run_findings, (const mls_run *run), &run->findings)
GETTER(const char *, mls_run_file, (const mls_run *run), run->file)
GETTER(size_t, mls_run_first_line, (const mls_run *run), run->line)
GETTER(size_t, mls_run_last_line, (const mls_run *run), run->last_line)
GETTER(double, mls_run_start_ms, (const mls_run *run), run->run_start.time_ms)
GETTER(const char *, mls_run_stop_status, (const mls_run *run), mls_run_status_name(run->status))
GETTER(const char *, mls_run_benchmark, (const mls_run *run), run->benchmark)
GETTER(const char *, mls_run_division, (const mls_run *run), run->division)
GETTER(const char *, mls_run_organisation, (const mls_run *run), run->organisation)
GETTER(const char *, mls_run_platform, (const mls_run *run), run->platform)
GETTER(double, mls_run_global_batch_size, (const mls_run *run), run->global_batch_size)
GETTER(const char *, mls_run_edition, (const mls_run *run), run->edition)

double mls_run_converged_at(const mls_run *run, const char **unit)
{
    const mls_convergence at = mls_run_to_converge(run);
    if (unit != NULL)
        *unit = at.unit;
    return at.number;
}

bool mls_run_hyperparameter_at(const mls_run *run, size_t index, mls_str *key, const char **value)
{
    if (index >= run->hyperparameter_count)
        return false;
    if (key != NULL)
        *key = run->hyperparameters[index].key;
    if (value != NULL)
        *value = run->hyperparameters[index].value;
    return true;
}

/* ------------------------------------------------------------------------------------ collections and their groups */

mls_status mls_collection_new(const mls_rules *rules, const char *const *paths, size_t count,
                              mls_collection **collection, mls_error *error)
{
    *collection = NULL;
    for (size_t i = 0; i < count; i++)
        if (paths == NULL || paths[i] == NULL)
            return missing_argument("a path", error);
    const mls_collect_options how = collect_options(rules);
    mls_collection *made = mls_calloc(1, sizeof *made);
    const mls_status status = mls_collect(paths, count, &how, made, error);
    if (status != MLS_OK) {
        mls_collection_free(made);
        made = NULL;
    }
    *collection = made;
    return status;
}

void mls_collection_free(mls_collection *collection)
{
    if (collection != NULL)
        mls_collection_release(collection);
    free(collection);
}

GETTER(const mls_group *, mls_collection_group, (const mls_collection *collection, size_t index),
       index < collection->group_count ? &collection->groups[index] : NULL)
GETTER(const mls_run *, mls_collection_run, (const mls_collection *collection, size_t index),
       index < collection->run_count ? &collection->runs[index] : NULL)

bool mls_collection_left_out(const mls_collection *collection, size_t index, const char **path, const char **reason)
{
    size_t before = 0;
    for (size_t i = 0; i < collection->skipped.count; i++) {
        const mls_source *source = &collection->skipped.items[i];
        if (source->skip != NULL && before++ == index) {
            if (path != NULL)
                *path = source->path;
            if (reason != NULL)
                *reason = source->skip;
            return true;
        }
    }
    return false;
}

GETTER(size_t, mls_collection_unreadable, (const mls_collection *collection), collection->failed)
GETTER(const char *, mls_group_path, (const mls_group *group), group->path)
GETTER(const char *, mls_group_benchmark, (const mls_group *group), group->benchmark)
GETTER(const char *, mls_group_edition, (const mls_group *group), group->edition != NULL ? group->edition->name : NULL)
GETTER(const char *, mls_group_division, (const mls_group *group), mls_division_name(group->division))
GETTER(const char *, mls_group_config, (const mls_group *group), group->config)
GETTER(double, mls_group_global_batch_size, (const mls_group *group), group->global_batch_size)
GETTER(double, mls_group_accelerators, (const mls_group *group), group->accelerators)
GETTER(const char *, mls_group_accelerator, (const mls_group *group), group->accelerator)
GETTER(const mls_run *, mls_group_run, (const mls_group *group, size_t index),
       index < group->run_count ? group->runs[index] : NULL)
GETTER(const char *, mls_group_mark, (const mls_group *group, size_t index),
       index < group->run_count ? mls_olympic_mark_name(group->marks[index]) : NULL)
GETTER(size_t, mls_group_runs_needed, (const mls_group *group), group->rules->runs_needed)
GETTER(double, mls_group_minutes, (const mls_group *group), group->score.score_minutes)
GETTER(double, mls_group_scaled_minutes, (const mls_group *group), group->scaled_minutes)
GETTER(double, mls_group_scale, (const mls_group *group), group->scale)
GETTER(bool, mls_group_is_official, (const mls_group *group), group->score.official)

static const char *outcome_name(mls_check check)
{
    static const char *const names[] = {"", "pass", "fail", "bypassed"};
    return names[check];
}

GETTER(const char *, mls_group_convergence, (const mls_group *group), outcome_name(group->rcp.check))
GETTER(const char *, mls_group_seeds, (const mls_group *group), outcome_name(group->seeds.check))
GETTER(const mls_findings *, mls_group_findings, (const mls_group *group), &group->findings)

/* -------------------------------------------------------------------------------------------------------- findings */

GETTER(size_t, mls_findings_kept, (const mls_findings *findings), findings->count)
GETTER(const mls_finding *, mls_findings_at, (const mls_findings *findings, size_t index),
       index < findings->count ? &findings->items[index] : NULL)
GETTER(size_t, mls_findings_total, (const mls_findings *findings, mls_severity severity),
       mls_finding_counts_of(&findings->counts, severity))
GETTER(const char *, mls_finding_kind, (const mls_finding *finding), mls_finding_info_get(finding->code)->name)
GETTER(mls_severity, mls_finding_severity, (const mls_finding *finding), finding->severity)
GETTER(const char *, mls_finding_message, (const mls_finding *finding), finding->message)
GETTER(size_t, mls_finding_line, (const mls_finding *finding), finding->line)
GETTER(size_t, mls_finding_column, (const mls_finding *finding), finding->column)
GETTER(const char *, mls_finding_path, (const mls_finding *finding), finding->path)
GETTER(const char *, mls_finding_key, (const mls_finding *finding), finding->key)

/* ---------------------------------------------------------------------------------------------------- submissions */

mls_status mls_submission_new(const mls_rules *rules, const char *path, mls_submission **submission, mls_error *error)
{
    *submission = NULL;
    if (path == NULL)
        return missing_argument("the path of a submission", error);
    const mls_collect_options how = collect_options(rules);
    const mls_submission_options options = {.rulesets = rules->rulesets,
                                            .usage = how.usage,
                                            .any_usage = how.any_usage,
                                            .edition = how.edition,
                                            .work = how.work,
                                            .score = how.score,
                                            .as_repo = rules->as_repo,
                                            .strict = rules->strict};
    mls_submission *made = mls_calloc(1, sizeof *made);
    const mls_status status = mls_submission_verify(path, &options, made, error);
    if (status != MLS_OK) {
        mls_submission_free(made);
        made = NULL;
    }
    *submission = made;
    return status;
}

void mls_submission_free(mls_submission *submission)
{
    if (submission != NULL)
        mls_submission_release(submission);
    free(submission);
}

GETTER(bool, mls_submission_is_valid, (const mls_submission *submission), submission->valid)
GETTER(const char *, mls_submission_edition, (const mls_submission *submission),
       submission->edition != NULL ? submission->edition->name : NULL)
GETTER(size_t, mls_submission_total, (const mls_submission *submission, mls_severity severity),
       mls_finding_counts_of(&submission->counts, severity))

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
        if (index < submitter->result_count)
            return &submitter->results[index];
        index -= submitter->result_count;
    }
    return NULL;
}

GETTER(const char *, mls_submission_result_path, (const mls_submission_result *result), result->path)
GETTER(const char *, mls_submission_result_system, (const mls_submission_result *result), result->system)
GETTER(const char *, mls_submission_result_benchmark, (const mls_submission_result *result), result->benchmark)
GETTER(bool, mls_submission_result_is_valid, (const mls_submission_result *result), result->valid)
GETTER(const mls_group *, mls_submission_result_group, (const mls_submission_result *result),
       result->judged ? &result->group : NULL)
