/* SPDX-License-Identifier: Apache-2.0 */
/* submission.c - verify a submission: list the tree, select the wanted systems and results, read the logs in parallel,
 * then judge systems and results in order. */
#include "submission/submission.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "explain/diagnose/diagnose.h"
#include "run/reading.h"
#include "submission/judge.h"
#include "json/json_row.h"

static mls_status list_tree(const char *path, const mls_submission_options *options, mls_usage usage,
                            mls_submission *submission, mls_error *error);
static size_t count_known(const mls_submission *submission);
static mls_status choose(mls_submission *submission, mls_error *error);
static void guess_edition(mls_submission *submission);
static mls_status read_logs(mls_submission *submission, mls_error *error);
static void conclude(mls_submission *submission);

mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error)
{
    cJSON *rules = NULL;
    mls_status status = list_tree(path, options, options->usage, submission, error);
    /* If no benchmark in the tree has the requested usage, try the others, because each has its own folder layout. */
    for (int usage = 0; usage < MLS_USAGE_COUNT && status == MLS_OK && options->any_usage; usage++) {
        mls_submission other;
        if ((mls_usage)usage == submission->options.usage || count_known(submission) > 0)
            continue;
        status = list_tree(path, options, (mls_usage)usage, &other, error);
        if (status != MLS_OK || count_known(&other) > 0) {
            const mls_submission first = *submission;
            *submission = other;
            other = first;
        }
        mls_submission_release(&other);
    }
    status = status == MLS_OK ? choose(submission, error) : status;
    if (status == MLS_OK && options->edition == NULL)
        guess_edition(submission);
    status = status == MLS_OK ? read_logs(submission, error) : status;
    status = status == MLS_OK ? mls_json_data("systems.json", &rules, error) : status;
    for (size_t i = 0; i < submission->submitter_count && status == MLS_OK; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        mls_systems_judge(submission, submitter, rules);
        for (size_t k = 0; k < submitter->result_count; k++)
            mls_result_judge(submission, submitter, &submitter->results[k]);
        if (submitter->result_count == 0) {
            mls_findings_add(&submitter->findings, MLS_FINDING_NO_RESULTS,
                             (mls_finding_place){.path = *submitter->path != '\0' ? submitter->path : "."},
                             "the submission has no results");
        }
        status = mls_configs_judge(submission, submitter);
    }
    cJSON_Delete(rules);
    status = status == MLS_OK ? mls_odd_judge(submission) : status;
    status = status == MLS_OK ? mls_questions_ask(submission) : status;
    status = status == MLS_OK ? mls_secrets_judge(submission) : status;
    if (status == MLS_OK)
        conclude(submission);
    return status;
}

static void release_result(mls_submission_result *result)
{
    mls_group_release(&result->group);
    for (size_t i = 0; i < result->run_count; i++) {
        void *notes = result->runs[i].notes;
        mls_notes_release(&mls_run_notes_observer, &notes);
        free(result->runs[i].readings);
        mls_run_release(&result->runs[i].run);
    }
    mls_findings_release(&result->findings);
}

static void release_submitter(mls_submitter *submitter)
{
    for (size_t i = 0; i < submitter->result_count; i++)
        release_result(&submitter->results[i]);
    for (size_t i = 0; i < submitter->system_count; i++)
        mls_findings_release(&submitter->systems[i].findings);
    for (size_t i = 0; i < submitter->files.count; i++)
        if (submitter->files.items[i].secrets != NULL)
            mls_findings_release(submitter->files.items[i].secrets);
    mls_findings_release(&submitter->findings);
}

void mls_submission_release(mls_submission *submission)
{
    for (size_t i = 0; i < submission->submitter_count; i++)
        release_submitter(&submission->submitters[i]);
    mls_findings_release(&submission->findings);
    mls_questions_release(&submission->questions);
    free(submission->real);
    mls_arena_free(submission->arena);
    *submission = (mls_submission){0};
}

static mls_status list_tree(const char *path, const mls_submission_options *options, mls_usage usage,
                            mls_submission *submission, mls_error *error)
{
    *submission = (mls_submission){
        .options = *options, .edition = options->edition, .arena = mls_calloc(1, sizeof *submission->arena)};
    submission->options.usage = usage;
    submission->path = mls_arena_copy(submission->arena, mls_str_from(path)).ptr;
    return mls_tree_list(submission, error);
}

static size_t count_known(const mls_submission *submission)
{
    const mls_editions *editions = mls_rulesets_editions(submission->options.rulesets);
    size_t known = 0;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            const mls_str benchmark = mls_str_from(submitter->results[r].benchmark);
            known += mls_editions_newest_with(editions, submission->options.usage, benchmark) != NULL;
        }
    }
    return known;
}

/* Maximum length in bytes of the list of names in an error message. */
enum { LISTED_MAX = 120 };

static mls_status check_name(const mls_submission *submission, const char *wanted, bool system, mls_error *error)
{
    if (wanted == NULL)
        return MLS_OK;
    mls_map known = {.arena = submission->arena};
    mls_buffer list = {0};
    const char *more = ""; /* ", …" if the list is truncated */
    mls_suggestion nearest = mls_suggest_for(mls_str_from(wanted));
    mls_status status = MLS_OK;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t i = 0; i < (system ? submitter->system_count : submitter->result_count); i++) {
            const char *name = system ? submitter->systems[i].name : submitter->results[i].benchmark;
            bool added = false;
            mls_map_put(&known, mls_str_from(name), &added);
            if (!added)
                continue;
            mls_suggest_add(&nearest, mls_str_from(name));
            if (list.len + strlen(name) <= LISTED_MAX)
                mls_buffer_printf(&list, "%s%s", list.len > 0 ? ", " : "", name);
            else
                more = list.len > 0 ? ", …" : "…";
        }
    }
    if (!system && nearest.found.len == 0) {
        nearest = mls_editions_nearest_benchmark(mls_rulesets_editions(submission->options.rulesets),
                                                 submission->options.usage, mls_str_from(wanted));
    }
    if (known.count > 0 && mls_map_find(&known, mls_str_from(wanted)) == NULL) {
        const bool near = nearest.found.len > 0;
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "unknown %s '%.*s'%s%.*s%s; available: %s%s",
                               system ? "system" : "benchmark", MLS_CUT_TEXT(wanted, 60),
                               near ? " (did you mean '" : "", (int)nearest.found.len, nearest.found.ptr,
                               near ? "'?)" : "", list.len > 0 ? list.ptr : "", more);
    }
    mls_buffer_release(&list);
    return status;
}

/* Remove all systems and results that are not wanted, with their findings.  Remove submitters of which nothing remains.
 */
static mls_status choose(mls_submission *submission, mls_error *error)
{
    const mls_submission_options *options = &submission->options;
    size_t submitters = 0;
    if (options->system == NULL && options->benchmark == NULL)
        return MLS_OK;
    mls_status status = check_name(submission, options->system, true, error);
    status = status == MLS_OK ? check_name(submission, options->benchmark, false, error) : status;
    if (status != MLS_OK)
        return status;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        size_t results = 0;
        size_t systems = 0;
        for (size_t i = 0; i < submitter->result_count; i++) {
            mls_submission_result *result = &submitter->results[i];
            if (mls_is_wanted(options->system, result->system) && mls_is_wanted(options->benchmark, result->benchmark))
                submitter->results[results++] = *result;
            else
                release_result(result);
        }
        submitter->result_count = results;
        for (size_t i = 0; i < submitter->system_count; i++) {
            mls_system *system = &submitter->systems[i];
            if (mls_is_wanted(options->system, system->name) && (options->benchmark == NULL || system->has_results))
                submitter->systems[systems++] = *system;
            else
                mls_findings_release(&system->findings);
        }
        submitter->system_count = systems;
        mls_findings_release(&submitter->findings);
        if (results > 0 || systems > 0)
            submission->submitters[submitters++] = *submitter;
        else
            release_submitter(submitter);
    }
    submission->submitter_count = submitters;
    return MLS_OK;
}

static bool is_read(const mls_submission_file *file)
{
    return file->readable && file->size <= MLS_LOG_BYTES_MAX;
}

/* Guess the edition by which all logs are judged.  The time of the first record of each result's logs is a vote for an
 * edition.  The beginning of one log per result is read twice, because the edition must be known before logs are
 * judged. */
static void guess_edition(mls_submission *submission)
{
    const mls_editions *editions = mls_rulesets_editions(submission->options.rulesets);
    const mls_usage usage = submission->options.usage;
    mls_edition_poll poll = {0};
    mls_scan_room *room = NULL;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            const mls_submission_result *result = &submitter->results[r];
            double time_ms = (double)NAN;
            for (size_t i = 0; i < result->run_count && isnan(time_ms); i++) {
                const mls_submission_file *file = &result->runs[i].file;
                if (is_read(file))
                    time_ms = mls_log_date(mls_tree_open(submission, file->path), true, &room);
            }
            mls_edition_poll_add(&poll, editions, usage, time_ms, mls_str_from(result->benchmark));
        }
    }
    mls_scan_room_free(room);
    submission->edition_guessed = true;
    submission->edition = mls_edition_poll_winner(&poll, editions, usage, &submission->edition_by_date);
}

typedef struct log_list {
    mls_submission *submission;
    mls_submission_run **items;
    size_t count, capacity;
} log_list;

static int open_log(void *state, size_t index)
{
    const log_list *logs = state;
    return mls_tree_open(logs->submission, logs->items[index]->file.path);
}

/* What is found in the lines of a log while it is read. */
typedef struct heard_log {
    const char *path;
    mls_findings secrets;
    bool unsearched; /* the end of a long line was not searched for secrets */
    mls_log_damage damage;
} heard_log;

static mls_status hear_lines(void *state, const mls_lines *lines)
{
    heard_log *heard = state;
    heard->unsearched |= !mls_secrets_of_lines(heard->path, lines, &heard->secrets);
    mls_damage_of_lines(&heard->damage, lines);
    return MLS_OK;
}

static mls_status hear_malformed(void *state, const mls_malformed *malformed)
{
    mls_log_damage *damage = &((heard_log *)state)->damage;
    damage->malformed_last = malformed->line;
    damage->malformed_first = damage->malformed_first > 0 ? damage->malformed_first : malformed->line;
    return MLS_OK;
}

static mls_status hear_record(void *state, const mls_record *record)
{
    mls_log_damage *damage = &((heard_log *)state)->damage;
    double number;
    if (record->key_id == MLS_KEY_GLOBAL_BATCH_SIZE && damage->batch_line == 0 &&
        !mls_json_number(record->value, &number))
        damage->batch_line = record->line;
    return MLS_OK;
}

static mls_status listen_to_log(void *state, size_t index, mls_sink *sink)
{
    const log_list *logs = state;
    heard_log *heard = sink->state;
    heard->path = logs->items[index]->file.path;
    sink->lines = hear_lines;
    sink->malformed = hear_malformed;
    sink->record = hear_record;
    return MLS_OK;
}

static mls_status store_run(void *state, size_t index, mls_run *run, void **notes)
{
    const log_list *logs = state;
    logs->items[index]->run = *run;
    logs->items[index]->notes = *notes;
    *notes = NULL;
    mls_run_init(run);
    return MLS_OK;
}

static mls_status finish_log(void *state, const mls_read *read)
{
    const log_list *logs = state;
    mls_run *run = &logs->items[read->index]->run;
    heard_log *heard = read->listener_data;
    mls_submission_file *file = logs->items[read->index]->also;
    const bool unread = read->status != MLS_OK || read->totals.unread != NULL;
    if (heard != NULL && !unread) {
        mls_damage_end(&heard->damage, read->totals.bytes);
        logs->items[read->index]->damage = heard->damage;
    }
    if (file != NULL && heard != NULL && !heard->unsearched && !unread) {
        file->secrets = mls_arena_zeroed(logs->submission->arena, 1, sizeof *file->secrets);
        *file->secrets = heard->secrets;
    } else if (heard != NULL) {
        mls_findings_release(&heard->secrets);
    }
    if (read->status == MLS_ERROR_READ || read->totals.unread != NULL) {
        mls_findings all = {0};
        const char *why = read->totals.unread != NULL ? read->totals.unread : read->error.message;
        mls_findings_add(&all, MLS_FINDING_UNREADABLE, (mls_finding_place){0}, "%s", why);
        if (read->totals.bytes > 0 && mls_foreign_reason(why) == MLS_FOREIGN_REASONS)
            mls_findings_append(&all, &run->findings);
        mls_findings_release(&run->findings);
        run->findings = all;
        run->valid = false;
    }
    return MLS_OK;
}

/* Complete a run after its log has been read.  Called by any thread. */
static void finish_run(void *state, size_t index)
{
    const log_list *logs = state;
    mls_submission_run *run = logs->items[index];
    run->run.unread = !is_read(&run->file) || mls_findings_found(&run->run.findings, MLS_FINDING_UNREADABLE) > 0;
    mls_power_read(logs->submission, run);
    if (run->file.size > MLS_LOG_BYTES_MAX) {
        mls_findings_add(&run->run.findings, MLS_FINDING_LOG_SIZE, (mls_finding_place){0},
                         "%.0f MiB: too large to be read as a log", (double)run->file.size / 1048576.0);
    }
    if (run->run.file == NULL)
        run->run.file = mls_strdup(run->file.path);
}

/* Read the logs of all results whose benchmark is in the edition, and find the cause of failure of runs that did not
 * end. */
static mls_status read_logs(mls_submission *submission, mls_error *error)
{
    const mls_submission_options *options = &submission->options;
    log_list logs = {.submission = submission};
    MLS_LIST_OF(mls_source) sources = {0}; /* the runs own the paths */
    mls_checker_options rules = {.rulesets = options->rulesets, .usage = options->usage};
    const mls_reading reading = {.rules = &rules,
                                 .unread_runs = true,
                                 .plain = true,
                                 .cutting = MLS_CUT_NEVER,
                                 .work = options->work,
                                 .observer = &mls_run_notes_observer,
                                 .state = &logs,
                                 .open = open_log,
                                 .listen = listen_to_log,
                                 .listener_size = sizeof(heard_log),
                                 .run = store_run,
                                 .done = finish_log};
    mls_status status = mls_rulesets_get(options->rulesets, submission->edition, &rules.ruleset, error);
    for (size_t s = 0; s < submission->submitter_count && status == MLS_OK; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_submission_result *result = &submitter->results[r];
            result->judged = mls_edition_has_benchmark(submission->edition, mls_str_from(result->benchmark));
            for (size_t i = 0; i < result->run_count && result->judged; i++) {
                mls_submission_run *run = &result->runs[i];
                char *path = (char *)(uintptr_t)run->file.path;
                run->also = run->searched > 0 ? &submitter->files.items[run->searched - 1] : NULL;
                MLS_GROW(&logs, items);
                logs.items[logs.count++] = run;
                /* Skip unreadable files; tree.c has added a finding for each. */
                MLS_GROW(&sources, items);
                sources.items[sources.count++] = (mls_source){
                    .path = path, .skip = is_read(&run->file) ? NULL : path, .result = true, .size = run->file.size};
            }
        }
    }
    status = status == MLS_OK ? mls_read_sources(&reading, sources.items, sources.count, error) : status;
    free(sources.items);
    const mls_relay relay = {.threads = options->work.threads != 0 ? options->work.threads : mls_processor_count(),
                             .slots = MLS_RELAY_SLOTS_MAX,
                             .count = logs.count,
                             .state = &logs,
                             .work = finish_run};
    status = status == MLS_OK ? mls_relay_run(&relay) : status;
    mls_endings endings = {.options = {.work.threads = 1, .open = mls_tree_open, .open_state = submission}};
    /* Read the logs of failed runs a second time: this is faster than looking for causes in all logs. */
    for (size_t i = 0; i < logs.count && status == MLS_OK; i++)
        if (is_read(&logs.items[i]->file))
            status = mls_endings_find(&endings, &logs.items[i]->run, error);
    mls_endings_release(&endings);
    free(logs.items);
    return status;
}

/* Add the findings of one owner to those of the submitter.  Findings without a path are about `owner.path`. */
static void add_findings(mls_submission *submission, mls_submitter *submitter, const mls_findings *findings,
                         mls_placed_finding owner)
{
    mls_finding_counts_add(&submitter->counts, &findings->counts);
    submission->failed |= mls_findings_found(findings, MLS_FINDING_UNREADABLE) > 0;
    for (size_t code = 0; code < MLS_FINDING_COUNT; code++) {
        const size_t found = mls_findings_found(findings, (mls_finding_code)code);
        submitter->unkept[code] += found > MLS_FINDINGS_KEPT_PER_CODE ? found - MLS_FINDINGS_KEPT_PER_CODE : 0;
    }
    for (size_t i = 0; i < findings->count; i++) {
        owner.finding = &findings->items[i];
        mls_arena_grow(submission->arena, (void **)&submitter->placed, submitter->placed_count,
                       &submitter->placed_capacity, sizeof *submitter->placed);
        mls_placed_finding *placed = &submitter->placed[submitter->placed_count++];
        *placed = owner;
        placed->path = owner.finding->path != NULL ? owner.finding->path : owner.path;
    }
}

static int compare_placed(const void *left, const void *right)
{
    const mls_placed_finding *placed_a = left;
    const mls_placed_finding *placed_b = right;
    const mls_finding *a = placed_a->finding;
    const mls_finding *b = placed_b->finding;
    int order = (int)a->severity - (int)b->severity;
    if (order == 0)
        order = mls_str_compare_natural(mls_str_from(placed_a->path), mls_str_from(placed_b->path));
    order = order != 0 ? order : mls_compare_sizes(a->line, b->line);
    order = order != 0 ? order : mls_compare_sizes(a->column, b->column);
    order = order != 0 ? order : (int)a->code - (int)b->code;
    return order != 0 ? order : mls_str_compare(mls_str_from(a->message), mls_str_from(b->message));
}

/* Add all findings to their submitters, sort them, and determine which results, systems and submitters are valid. */
static void conclude(mls_submission *submission)
{
    const bool strict = submission->options.strict;
    if (submission->submitter_count == 0 && mls_findings_found(&submission->findings, MLS_FINDING_NO_RESULTS) == 0) {
        mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                         "no result has both this system and this benchmark");
    }
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        mls_placed_finding owner = {.path = *submitter->path != '\0' ? submitter->path : "."};
        add_findings(submission, submitter, &submitter->findings, owner);
        for (size_t i = 0; i < submitter->system_count; i++) {
            owner.system = &submitter->systems[i];
            add_findings(submission, submitter, &owner.system->findings, owner);
            submitter->systems[i].valid &= mls_findings_pass(&owner.system->findings.counts, strict);
        }
        owner.system = NULL;
        for (size_t i = 0; i < submitter->result_count; i++) {
            mls_submission_result *result = &submitter->results[i];
            owner.result = result;
            owner.path = result->path;
            result->counts = result->findings.counts;
            add_findings(submission, submitter, &result->findings, owner);
            for (size_t k = 0; k < result->run_count; k++) {
                owner.path = result->runs[k].file.path;
                mls_finding_counts_add(&result->counts, &result->runs[k].run.findings.counts);
                add_findings(submission, submitter, &result->runs[k].run.findings, owner);
            }
            result->valid = result->judged && mls_findings_pass(&result->counts, strict) &&
                            mls_submitter_system(submitter, result->system)->findings.counts.error == 0;
        }
        if (submitter->placed_count > 0)
            qsort(submitter->placed, submitter->placed_count, sizeof *submitter->placed, compare_placed);
        submitter->valid = mls_findings_pass(&submitter->counts, strict);
        mls_finding_counts_add(&submission->counts, &submitter->counts);
    }
    mls_finding_counts_add(&submission->counts, &submission->findings.counts);
    submission->failed |= mls_findings_found(&submission->findings, MLS_FINDING_UNREADABLE) > 0;
    submission->valid = mls_findings_pass(&submission->counts, strict);
}
