/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission.c - from a folder to a verdict: walk, choose what was asked for,
 * read the logs side by side, then judge systems and results in order.
 */
#include "mlscore/submission.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mlscore/reading.h"
#include "submission/judge.h"
#include "submission/system.h"

/* ---------------------------------------------------------------- releasing */

static void release_files(mls_submission_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
    }
    free(files->items);
}

static void release_result(mls_submission_result *result)
{
    mls_group_release(&result->group);
    for (size_t i = 0; i < result->run_count; i++) {
        free(result->runs[i].file.path);
        free(result->runs[i].reason);
        mls_run_release(&result->runs[i].run);
    }
    free(result->runs);
    for (size_t i = 0; i < result->power_count; i++) {
        release_files(&result->power[i].nodes);
        release_files(&result->power[i].switches);
        free(result->power[i].path);
    }
    free(result->power);
    mls_findings_release(&result->findings);
    free(result->path);
}

static void release_submitter(mls_submitter *submitter)
{
    for (size_t i = 0; i < submitter->result_count; i++) {
        release_result(&submitter->results[i]);
    }
    free(submitter->results);
    for (size_t i = 0; i < submitter->system_count; i++) {
        mls_system_release(&submitter->systems[i]);
    }
    free(submitter->systems);
    release_files(&submitter->implementations);
    release_files(&submitter->configs);
    mls_findings_release(&submitter->findings);
    free(submitter->name);
    free(submitter->path);
}

void mls_submission_release(mls_submission *submission)
{
    for (size_t i = 0; i < submission->submitter_count; i++) {
        release_submitter(&submission->submitters[i]);
    }
    free(submission->submitters);
    mls_findings_release(&submission->findings);
    free(submission->path);
    free(submission->real);
    *submission = (mls_submission){0};
}

/* ----------------------------------------------------------------- choosing */

static bool is_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* Whether there are results of a system. */
static bool has_result_of(const mls_submitter *submitter, const mls_system *system)
{
    for (size_t i = 0; i < submitter->result_count; i++) {
        if (submitter->results[i].system == system->name) {
            return true;
        }
    }
    return false;
}

/* Of one submitter leaves the systems and results that were asked for; with them goes what was found about them. */
static void choose_in_submitter(mls_submitter *submitter, const mls_submission_options *options)
{
    size_t results = 0;
    size_t systems = 0;
    for (size_t i = 0; i < submitter->result_count; i++) {
        mls_submission_result *result = &submitter->results[i];
        if (is_wanted(options->system, result->system) && is_wanted(options->benchmark, result->benchmark)) {
            submitter->results[results++] = *result;
        } else {
            release_result(result);
        }
    }
    submitter->result_count = results;
    for (size_t i = 0; i < submitter->system_count; i++) {
        mls_system *system = &submitter->systems[i];
        if (is_wanted(options->system, system->name) &&
            (options->benchmark == NULL || has_result_of(submitter, system))) {
            submitter->systems[systems++] = *system;
        } else {
            mls_system_release(system);
        }
    }
    submitter->system_count = systems;
    mls_findings_release(&submitter->findings);
}

/* The names that something of the tree has, each once, and the one that is wanted. */
typedef struct name_list {
    mls_str wanted;
    bool found;
    mls_arena arena;
    mls_map known;
    mls_buffer list;
    mls_nearest nearest;
} name_list;

static void offer_name(name_list *names, const char *name)
{
    const mls_str text = mls_str_from(name);
    bool added = false;
    names->found = names->found || mls_str_equal(names->wanted, text);
    names->list.failed |= mls_map_put(&names->known, text, &added) == NULL;
    if (added) {
        mls_buffer_printf(&names->list, "%s%s", names->list.len > 0 ? ", " : "", name);
        mls_nearest_offer(&names->nearest, text);
    }
}

/* A name that nothing of the tree has is a mistake: says which there are. */
static mls_status check_name(const mls_submission *submission, const char *wanted, bool system, mls_error *error)
{
    name_list names = {.wanted = mls_str_from(wanted), .nearest = mls_nearest_to(mls_str_from(wanted))};
    mls_status status = MLS_OK;
    names.known.arena = &names.arena;
    for (size_t s = 0; s < submission->submitter_count && wanted != NULL; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t i = 0; i < submitter->system_count && system; i++) {
            offer_name(&names, submitter->systems[i].name);
        }
        for (size_t i = 0; i < submitter->result_count && !system; i++) {
            offer_name(&names, submitter->results[i].benchmark);
        }
    }
    if (names.list.failed) {
        status = MLS_ERROR_MEMORY;
    } else if (!names.found && names.list.len > 0) {
        const mls_str nearest = names.nearest.found;
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "there is no %s '%s'%s%.*s%s; there are: %s",
                               system ? "system" : "benchmark", wanted, nearest.len > 0 ? " (did you mean '" : "",
                               (int)nearest.len, nearest.ptr, nearest.len > 0 ? "'?)" : "", names.list.ptr);
    }
    mls_arena_release(&names.arena);
    mls_buffer_release(&names.list);
    return status;
}

/* Leaves what was asked for; a submitter that has nothing of it goes. */
static mls_status choose(mls_submission *submission, const mls_submission_options *options, mls_error *error)
{
    size_t kept = 0;
    if (options->system == NULL && options->benchmark == NULL) {
        return MLS_OK;
    }
    mls_status status = check_name(submission, options->system, true, error);
    if (status == MLS_OK) {
        status = check_name(submission, options->benchmark, false, error);
    }
    for (size_t i = 0; i < submission->submitter_count && status == MLS_OK; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        choose_in_submitter(submitter, options);
        if (submitter->result_count > 0 || submitter->system_count > 0) {
            submission->submitters[kept++] = *submitter;
        } else {
            release_submitter(submitter);
        }
    }
    submission->submitter_count = status == MLS_OK ? kept : submission->submitter_count;
    return status;
}

/* ------------------------------------------------------------------ edition */

static mls_status first_record(void *state, const mls_record *record)
{
    *(double *)state = record->time_ms;
    return MLS_STOPPED;
}

/* The time of the first record of the first log that has one; NAN: there is none. */
static mls_status first_time(const mls_submission *submission, double *time_ms)
{
    mls_status status = MLS_OK;
    const mls_sink sink = {.state = time_ms, .record = first_record};
    for (size_t s = 0; s < submission->submitter_count; s++) {
        const mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            const mls_submission_result *result = &submitter->results[r];
            for (size_t i = 0; i < result->run_count && status != MLS_ERROR_MEMORY && isnan(*time_ms); i++) {
                const mls_submission_file *file = &result->runs[i].file;
                const int fd = file->readable && file->size <= MLS_LOG_BYTES_MAX ? mls_tree_open(submission, file) : -1;
                if (fd >= 0) {
                    status = mls_log_scan_fd(fd, &(mls_scan_options){.plain = true}, &sink, 1, NULL, NULL);
                    (void)close(fd);
                }
            }
        }
    }
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

/* All logs of a submission are judged by one edition. */
static mls_status find_edition(mls_submission *submission, const mls_submission_options *options)
{
    mls_status status = MLS_OK;
    double time_ms = (double)NAN;
    submission->edition = options->edition;
    if (options->edition == NULL) {
        status = first_time(submission, &time_ms);
        submission->edition =
            mls_editions_guess(mls_rulesets_editions(options->rulesets), options->usage, time_ms, MLS_S(""));
        submission->edition_guessed = true;
        submission->edition_by_date = mls_time_is_date(time_ms);
    }
    return status;
}

/* --------------------------------------------------------------------- logs */

/* A run of a result whose log is read. */
typedef struct log_place {
    mls_submission_result *result;
    size_t run;
} log_place;

/* All logs that are read: those of results that are a benchmark of the edition. */
typedef struct log_list {
    mls_submission *submission;
    mls_source *sources; /* their paths are the runs' */
    log_place *places;
    mls_status *power; /* of reading the power files of each */
    size_t count;
} log_list;

/* Fills the list; without arrays only counts the logs. */
static void list_logs(log_list *logs)
{
    logs->count = 0;
    for (size_t s = 0; s < logs->submission->submitter_count; s++) {
        mls_submitter *submitter = &logs->submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_submission_result *result = &submitter->results[r];
            result->judged = mls_edition_has_benchmark(logs->submission->edition, mls_str_from(result->benchmark));
            for (size_t i = 0; i < result->run_count && result->judged; i++, logs->count++) {
                const mls_submission_file *file = &result->runs[i].file;
                if (logs->sources != NULL) {
                    /* Those that are not read have nothing to say; their findings are made beside. */
                    const bool read = file->readable && file->size <= MLS_LOG_BYTES_MAX;
                    logs->sources[logs->count] = (mls_source){
                        .path = file->path, .skip = read ? NULL : file->path, .result = true, .size = file->size};
                    logs->places[logs->count] = (log_place){result, i};
                }
            }
        }
    }
}

static mls_submission_run *run_of(const log_list *logs, size_t index)
{
    return &logs->places[index].result->runs[logs->places[index].run];
}

static int open_log(void *state, size_t index)
{
    const log_list *logs = state;
    return mls_tree_open(logs->submission, &run_of(logs, index)->file);
}

static mls_status take_run(void *state, size_t index, mls_run *run, bool part)
{
    (void)part;
    run_of(state, index)->run = *run;
    mls_run_init(run);
    return MLS_OK;
}

static mls_status finish_log(void *state, const mls_read *read)
{
    log_list *logs = state;
    mls_run *run = &run_of(logs, read->index)->run;
    logs->submission->bytes += read->totals.bytes;
    if (read->status == MLS_ERROR_READ || read->unread != NULL) {
        mls_findings all = {0};
        mls_findings_add(&all, MLS_FINDING_UNREADABLE, (mls_finding_place){0}, "%s",
                         read->unread != NULL ? read->unread : read->error.message);
        if (read->totals.bytes > 0) {
            mls_findings_append(&all, &run->findings);
        }
        mls_findings_release(&run->findings);
        run->findings = all;
        run->valid = false;
    }
    return MLS_OK;
}

/* Energy is known run by run. */
static mls_status make_joules(mls_submission_result *result)
{
    if (!result->has_power || result->group.power.joules != NULL) {
        return MLS_OK;
    }
    result->group.power.joules = calloc(result->run_count, sizeof *result->group.power.joules);
    for (size_t i = 0; i < result->run_count && result->group.power.joules != NULL; i++) {
        result->group.power.joules[i] = (double)NAN;
    }
    return result->group.power.joules != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static void read_power(void *state, size_t index)
{
    log_list *logs = state;
    const log_place *place = &logs->places[index];
    logs->power[index] = mls_power_read(logs->submission, place->result, place->run);
}

static mls_status read_listed(log_list *logs, const mls_submission_options *options, mls_error *error)
{
    const unsigned threads = options->threads != 0 ? options->threads : mls_processor_count();
    mls_checker_options rules = {.rulesets = options->rulesets, .usage = options->usage};
    const mls_reading reading = {.rules = &rules,
                                 .unread_runs = true,
                                 .plain = true,
                                 .cutting = MLS_CUT_NEVER,
                                 .threads = options->threads,
                                 .state = logs,
                                 .open = open_log,
                                 .run = take_run,
                                 .done = finish_log,
                                 .progress = options->progress,
                                 .progress_state = options->progress_state};
    mls_status status = mls_rulesets_get(options->rulesets, logs->submission->edition, &rules.ruleset, error);
    if (status == MLS_OK) {
        status = mls_read_sources(&reading, logs->sources, logs->count, error);
    }
    for (size_t i = 0; i < logs->count && status == MLS_OK; i++) {
        status = make_joules(logs->places[i].result);
    }
    if (status == MLS_OK) {
        mls_parallel_for(threads, logs->count, read_power, logs);
    }
    for (size_t i = 0; i < logs->count && status == MLS_OK; i++) {
        mls_submission_run *run = run_of(logs, i);
        if (run->file.size > MLS_LOG_BYTES_MAX) {
            mls_findings_add(&run->run.findings, MLS_FINDING_LOG_SIZE, (mls_finding_place){0},
                             "%.0f MiB: too large to be read as a log", (double)run->file.size / 1048576.0);
        }
        if (run->run.file == NULL) {
            run->run.file = mls_copy_text(run->file.path, strlen(run->file.path));
        }
        status = run->run.file == NULL || run->run.out_of_memory ? MLS_ERROR_MEMORY : logs->power[i];
    }
    return status;
}

static mls_status read_logs(mls_submission *submission, const mls_submission_options *options, mls_error *error)
{
    log_list logs = {.submission = submission};
    list_logs(&logs);
    submission->logs = logs.count;
    logs.sources = calloc(logs.count + 1, sizeof *logs.sources);
    logs.places = calloc(logs.count + 1, sizeof *logs.places);
    logs.power = calloc(logs.count + 1, sizeof *logs.power);
    mls_status status = MLS_ERROR_MEMORY;
    if (logs.sources != NULL && logs.places != NULL && logs.power != NULL) {
        list_logs(&logs);
        status = read_listed(&logs, options, error);
    }
    free(logs.sources);
    free(logs.places);
    free(logs.power);
    return status;
}

/* ---------------------------------------------------------------- systems */

/* A system's folder and its description belong together. */
static void match_system(const mls_submitter *submitter, mls_system *system)
{
    if (system->folder == NULL) {
        mls_findings_add(&system->findings, MLS_FINDING_SYSTEM_UNUSED,
                         (mls_finding_place){.path = system->description.path},
                         "the description has no results: there is no folder results/%s", system->name);
    } else if (system->description.path == NULL && has_result_of(submitter, system)) {
        mls_findings_add(&system->findings, MLS_FINDING_SYSTEM_MISSING, (mls_finding_place){.path = system->folder},
                         "there is no system description systems/%s.json", system->name);
    } else if (system->description.path == NULL) {
        mls_findings_add_as(&system->findings, MLS_FINDING_SYSTEM_MISSING, MLS_SEVERITY_ADVICE,
                            (mls_finding_place){.path = system->folder},
                            "there is neither a benchmark in the folder nor a description systems/%s.json",
                            system->name);
    }
}

static mls_status judge_systems(const mls_submission *submission, mls_submitter *submitter, const cJSON *rules)
{
    const bool judged = mls_system_judged(rules, submission->edition);
    mls_status status = MLS_OK;
    for (size_t i = 0; i < submitter->system_count && status == MLS_OK; i++) {
        mls_system *system = &submitter->systems[i];
        mls_findings unjudged = {0};
        if (judged || system->folder == NULL) {
            match_system(submitter, system);
        }
        status = mls_system_read(system, rules, submission, judged ? &system->findings : &unjudged);
        mls_findings_release(&unjudged);
    }
    return status;
}

/* ----------------------------------------------------------------- verdicts */

static bool sum_findings(const mls_findings *findings, mls_finding_counts *counts, mls_submission *submission)
{
    mls_finding_counts_add(counts, &findings->counts);
    submission->failed |= findings->found[MLS_FINDING_UNREADABLE] > 0;
    return !findings->out_of_memory;
}

static bool conclude_submitter(mls_submission *submission, mls_submitter *submitter, bool strict)
{
    bool whole = sum_findings(&submitter->findings, &submitter->counts, submission);
    for (size_t i = 0; i < submitter->system_count; i++) {
        whole &= sum_findings(&submitter->systems[i].findings, &submitter->counts, submission);
    }
    for (size_t i = 0; i < submitter->result_count; i++) {
        mls_submission_result *result = &submitter->results[i];
        whole &= sum_findings(&result->findings, &result->counts, submission);
        for (size_t k = 0; k < result->run_count; k++) {
            whole &= sum_findings(&result->runs[k].run.findings, &result->counts, submission);
        }
        mls_finding_counts_add(&submitter->counts, &result->counts);
    }
    submitter->valid = mls_findings_pass(&submitter->counts, strict);
    mls_finding_counts_add(&submission->counts, &submitter->counts);
    return whole;
}

static mls_status conclude(mls_submission *submission, const mls_submission_options *options)
{
    bool whole = true;
    if (submission->submitter_count == 0 && submission->findings.found[MLS_FINDING_NO_RESULTS] == 0) {
        mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                         "nothing there is both of this system and of this benchmark");
    }
    for (size_t i = 0; i < submission->submitter_count; i++) {
        whole &= conclude_submitter(submission, &submission->submitters[i], options->strict);
    }
    whole &= sum_findings(&submission->findings, &submission->counts, submission);
    submission->valid = mls_findings_pass(&submission->counts, options->strict);
    return whole ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status judge(mls_submission *submission, const mls_submission_options *options, mls_error *error)
{
    cJSON *rules = NULL;
    mls_status status = mls_system_rules_load(&rules, error);
    for (size_t i = 0; i < submission->submitter_count && status == MLS_OK; i++) {
        mls_submitter *submitter = &submission->submitters[i];
        status = judge_systems(submission, submitter, rules);
        for (size_t k = 0; k < submitter->result_count && status == MLS_OK; k++) {
            status = mls_result_judge(submission, options, submitter, &submitter->results[k]);
        }
        if (submitter->result_count == 0) {
            mls_findings_add(&submitter->findings, MLS_FINDING_NO_RESULTS,
                             (mls_finding_place){.path = *submitter->path != '\0' ? submitter->path : "."},
                             "there are no results");
        }
        if (status == MLS_OK) {
            status = mls_configs_judge(submission, options, submitter);
        }
    }
    cJSON_Delete(rules);
    return status;
}

mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error)
{
    *submission = (mls_submission){.path = mls_copy_text(path, strlen(path)), .usage = options->usage};
    mls_status status = submission->path != NULL ? mls_tree_list(submission, options, error) : MLS_ERROR_MEMORY;
    if (status == MLS_OK) {
        status = choose(submission, options, error);
    }
    if (status == MLS_OK) {
        status = find_edition(submission, options);
    }
    if (status == MLS_OK) {
        status = read_logs(submission, options, error);
    }
    if (status == MLS_OK) {
        status = judge(submission, options, error);
    }
    if (status == MLS_OK) {
        status = conclude(submission, options);
    }
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}
