/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - judge one result: the logs of a system on a benchmark, and their power files.  The energy is computed
 * from the contents of power files; problems in these contents are only warnings or advice. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "score/score.h"
#include "submission/judge.h"
#include "json/json_check.h"
#include "json/value.h"

enum { SCALING_BYTES_MAX = 65536 };
#define SCALING_TOLERANCE 1e-6

static void check_logged_names(mls_submission_result *result, const mls_system *system);
static void check_power(mls_submission_result *result);
static void check_scaling(const mls_submission *submission, mls_submission_result *result);
static void judge_logs(const mls_submission *submission, mls_submission_result *result);
static void report_damage(mls_submission_result *result);
static void report_counting_seeds(mls_submission_result *result);
static void score(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result);
static bool is_numbered(const char *path, const char *prefix, size_t number, char expected[static 40]);

void mls_result_judge(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result)
{
    const mls_submission_options *options = &submission->options;
    const mls_system *system = mls_submitter_system(submitter, result->system);
    const mls_finding_place folder = {.path = result->path};
    const char *benchmark = result->benchmark;
    mls_findings *findings = &result->findings;
    result->division = system->says.division;
    result->group.rules = mls_benchmark_in(
        mls_benchmark_find(mls_rulesets_editions(options->rulesets), options->usage, mls_str_from(benchmark)),
        submission->edition->number);
    result->group.scale = 1;
    result->group.scaled_minutes = (double)NAN;
    result->group.score.score_minutes = (double)NAN;
    result->group.power.energy_joules = (double)NAN;
    if (!result->judged) {
        const mls_str nearest = mls_editions_nearest_benchmark(mls_rulesets_editions(options->rulesets), options->usage,
                                                               mls_str_from(benchmark))
                                    .found;
        const bool near = nearest.len > 0 && mls_edition_has_benchmark(submission->edition, nearest);
        mls_findings_add(findings, MLS_FINDING_BENCHMARK_SKIPPED, folder,
                         "%.*s is not a benchmark of %s %s; its contents were not checked%s%s%.*s%s",
                         MLS_CUT_TEXT(benchmark, 60), mls_usage_name(options->usage), submission->edition->name,
                         mls_str_among(mls_str_from(benchmark), "strong weak") ? " (try --usage hpc)" : "",
                         near ? "; did you mean '" : "", near ? (int)nearest.len : 0, near ? nearest.ptr : "",
                         near ? "'?" : "");
        return;
    }
    if (result->has_power)
        check_power(result);
    judge_logs(submission, result);
    if (result->run_count > 0)
        score(submission, submitter, result);
    report_damage(result);
    report_counting_seeds(result);

    if (result->scaling.path != NULL)
        check_scaling(submission, result);

    check_logged_names(result, system);

    /* Report the first log that breaks the sequence result_0.txt … result_<N-1>.txt. */
    char name[40];
    bool numbered = true;
    for (size_t i = 0; i < result->run_count && numbered; i++) {
        const mls_finding_place place = {.path = result->runs[i].file.path};
        numbered = is_numbered(place.path, "result", i, name);
        if (!numbered) {
            mls_findings_add(findings, MLS_FINDING_RESULT_NAME, place,
                             "expected %s: results are numbered from 0 without gaps", name);
        }
    }
    for (size_t i = 0; i < result->power_count; i++) {
        if (!result->power[i].of_run) {
            mls_findings_add(findings, MLS_FINDING_STRAY_FILE, (mls_finding_place){.path = result->power[i].path},
                             "power files of a missing run");
        }
    }
}

/* Compare the scaling factor in scaling.json with the factor computed from the logs.  Both may be rounded.  A missing
 * description or a failed convergence check is reported on its own; then the factor is unknown. */
static void check_scaling(const mls_submission *submission, mls_submission_result *result)
{
    mls_finding_place place = {.path = result->scaling.path, .key = MLS_S("scaling_factor")};
    mls_arena scratch = {0};
    mls_buffer text = {0};
    mls_error error = {0};
    mls_str json;
    mls_str span;
    size_t wrong = 0;
    double factor = (double)NAN;
    const char *reason = "it cannot be read";
    const char *damage = NULL;
    const mls_status status = mls_tree_read(submission, &result->scaling, SCALING_BYTES_MAX, &text, &error);
    if (status == MLS_OK && (reason = mls_json_validate(mls_buffer_str(&text), &scratch, &json, &wrong)) == NULL) {
        reason = !mls_json_member(json, place.key, &span) ? "it has no scaling_factor"
                 : mls_json_kind_of(span) != MLS_JSON_NUMBER || !mls_number_parse(span, &factor)
                     ? "its scaling_factor is not a number"
                     : NULL;
    } else if (status == MLS_OK && (damage = mls_damage_of_text(mls_buffer_str(&text), &place.line)) != NULL) {
        reason = damage;
    } else if (status == MLS_OK) {
        mls_text_position(mls_buffer_str(&text), wrong, &place.line, &place.column);
    }
    const bool known =
        isfinite(result->group.scaled_minutes) && result->division != NULL && result->group.rcp.check != MLS_CHECK_FAIL;
    mls_findings *findings = &result->findings;
    if (reason != NULL) {
        mls_findings_add(findings, MLS_FINDING_SCALING_DIFFERS, place, "%s%s%s", place.line > 0 ? "not JSON: " : "",
                         damage != NULL ? "it " : "", reason);
    } else if (!known) {
        mls_findings_add(findings, MLS_FINDING_SCALING_FILE, place,
                         "its factor %s was not checked, because the logs give no factor",
                         mls_words_exact(factor).text);
    } else if (!(fabs(factor - result->group.scale) <= SCALING_TOLERANCE * result->group.scale)) {
        mls_findings_add(findings, MLS_FINDING_SCALING_DIFFERS, place, "its factor is %s, the logs give %s",
                         mls_words_exact(factor).text, mls_words_exact(result->group.scale).text);
    }
    mls_buffer_release(&text);
    mls_arena_release(&scratch);
}

/* Report logs that contradict their folder or the system's description: one finding for each key. */
static void check_logged_names(mls_submission_result *result, const mls_system *system)
{
    const struct {
        const char *key, *source, *expected; /* expected: NULL: not checked */
        size_t member;
        mls_finding_code code;
    } facts[] = {
        {"submission_benchmark", "folder is named", result->benchmark, offsetof(mls_run, benchmark),
         MLS_FINDING_BENCHMARK_DIFFERS},
        {"submission_division", "system description has", result->division, offsetof(mls_run, division),
         MLS_FINDING_DIVISION_DIFFERS},
        {"submission_org", "system description has", system->says.submitter, offsetof(mls_run, organisation),
         MLS_FINDING_SUBMITTER_DIFFERS},
    };
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        const char *expected = facts[k].expected;
        const char *first = NULL; /* the first value that differs, and its log */
        const char *path = NULL;
        size_t count = 0;
        for (size_t i = 0; i < result->run_count && expected != NULL; i++) {
            const mls_run *run = &result->runs[i].run;
            const char *logged = *(char *const *)(const void *)((const char *)run + facts[k].member);
            if (logged == NULL || strcasecmp(logged, expected) == 0)
                continue;
            path = first == NULL ? result->runs[i].file.path : path;
            first = first == NULL ? logged : first;
            count++;
        }
        if (first == NULL)
            continue;
        const bool sample = mls_str_contains(mls_str_from(first), MLS_S("PLACEHOLDER"));
        mls_findings_add(
            &result->findings, facts[k].code, (mls_finding_place){.path = path, .key = mls_str_from(facts[k].key)},
            "%s is %s%.*s in %zu of %zu logs, but the %s %.*s", facts[k].key,
            sample           ? "still the placeholder "
            : *first == '\0' ? "empty"
                             : "",
            MLS_CUT_TEXT(first, 60), count, result->run_count, facts[k].source, MLS_CUT_TEXT(expected, 60));
    }
}

/* Return whether the package checker does not only reject a log with this finding, but ends with an error: at a record
 * without one of its members, a value that it cannot compare with the target, or rules that do not exist. */
static bool stops_checker(const mls_finding *finding)
{
    static const char lacks[] = "not a record: the record has no ";
    return finding->code == MLS_FINDING_UNKNOWN_SCOPE || finding->code == MLS_FINDING_EVALUATION ||
           (finding->code == MLS_FINDING_MALFORMED && strncmp(finding->message, lacks, sizeof lacks - 1) == 0);
}

/* Report logs that are damaged as a whole, and a batch size that is not a number, which both explain other errors. */
static void report_damage(mls_submission_result *result)
{
    mls_submission_run *first = NULL; /* the first log with a batch size that is not a number */
    size_t count = 0;
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        const mls_log_damage *damage = &run->damage;
        /* If a log without records is dropped, so is the finding about it. */
        const char *what = damage->what != NULL ? damage->what
                           : run->run.records + run->run.malformed > 0 || run->run.unread
                               ? NULL
                               : "contains no record (:::MLLOG)";
        if (what != NULL && (damage->what != NULL || mls_findings_found(&run->run.findings, MLS_FINDING_EMPTY) == 0)) {
            mls_findings_add(&run->run.findings, MLS_FINDING_FILE_DAMAGED, (mls_finding_place){.line = damage->line},
                             "the log %s", what);
        }
        first = first == NULL && damage->batch_line > 0 ? run : first;
        count += damage->batch_line > 0;
    }
    if (first != NULL) {
        const mls_finding_place place = {.line = first->damage.batch_line, .key = MLS_S("global_batch_size")};
        mls_findings_add(&first->run.findings, MLS_FINDING_BATCH_TEXT, place,
                         "global_batch_size is not a number in %zu of %zu logs: write it without quotes", count,
                         result->run_count);
    }
    /* A finding about malformed lines names the first one. */
    for (size_t k = 0; k < result->findings.count; k++) {
        mls_finding *finding = &result->findings.items[k];
        for (size_t i = 0; i < result->run_count && finding->code == MLS_FINDING_SEED_UNSURE && finding->line == 0; i++)
            if (finding->path != NULL && strcmp(finding->path, result->runs[i].file.path) == 0)
                finding->line = result->runs[i].damage.malformed_first;
    }
}

/* Report seeds that count up (or down) by the same number from log to log: random seeds hardly ever do.  The seeds of
 * weak scaling may come from the clock, because many runs are started at equal distances. */
static void report_counting_seeds(mls_submission_result *result)
{
    enum { RUNS_MIN = 3 };
    int64_t seeds[2] = {0}; /* of the log before and of the current log */
    uint64_t step = 0;
    if (result->run_count < RUNS_MIN || result->weak)
        return;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_run *run = &result->runs[i].run;
        seeds[0] = seeds[1];
        if (run->seed_count == 0 || !mls_integer_parse(run->seeds[0].value, &seeds[1]))
            return;
        const uint64_t next = (uint64_t)seeds[1] - (uint64_t)seeds[0];
        if (i > 0 && (next == 0 || (i > 1 && next != step)))
            return;
        step = next;
    }
    const mls_run *first = &result->runs[0].run;
    const mls_str from = first->seeds[0].value;
    mls_findings_add(&result->findings, MLS_FINDING_SEED_SEQUENCE,
                     (mls_finding_place){result->runs[0].file.path, first->seeds[0].line, 0, MLS_S("seed")},
                     "the seeds of the %zu logs count from %.*s to %jd in steps of %jd", result->run_count,
                     MLS_CUT(from, 40), (intmax_t)seeds[1], (intmax_t)(int64_t)step);
}

/* Judge all logs of a result together: set the reason of each invalid run, drop the invalid runs if the rules allow so
 * many to be dropped, and count the runs. */
static void judge_logs(const mls_submission *submission, mls_submission_result *result)
{
    const size_t needed = result->group.rules->runs_needed;
    const size_t allowed = result->group.rules->left_out;
    const mls_finding_place folder = {.path = result->path};
    const mls_submission_run *stop = NULL; /* the first log at which the package checker ends with an error */
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        const char *reason = run->file.readable ? "not valid" : "cannot be read as a file";
        bool has_reason = false;
        if (run->run.valid)
            continue;
        for (size_t k = 0; k < run->run.findings.count; k++) {
            const mls_finding *finding = &run->run.findings.items[k];
            if (finding->severity == MLS_SEVERITY_ERROR && !has_reason) {
                reason = finding->message;
                run->reason_line = finding->line;
                has_reason = true;
            }
            if (stops_checker(finding) && stop == NULL) {
                stop = run;
                reason = finding->message;
                run->reason_line = finding->line;
            }
        }
        run->reason = mls_arena_copy(submission->arena, mls_str_from(reason)).ptr;
        result->invalid++;
    }
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        mls_findings *findings = &run->run.findings;
        if (!run->run.valid && result->invalid <= allowed && run != stop) {
            /* Remove the findings of a dropped log, except the finding that the log could not be read. */
            mls_findings all = *findings;
            *findings = (mls_findings){0};
            for (size_t k = 0; k < all.count; k++) {
                const mls_finding *finding = &all.items[k];
                if (finding->code == MLS_FINDING_UNREADABLE || finding->code == MLS_FINDING_LOG_SIZE) {
                    mls_findings_add(findings, finding->code, (mls_finding_place){.path = finding->path}, "%s",
                                     finding->message);
                }
            }
            mls_findings_release(&all);
            if (run->run.converged) {
                mls_findings_add(findings, MLS_FINDING_FORGIVEN, (mls_finding_place){.line = run->reason_line},
                                 "the run converged, but the log is invalid and dropped: %s", run->reason);
            }
        } else if (run->run.valid && run->run.status != MLS_RUN_SUCCESS &&
                   mls_findings_found(findings, MLS_FINDING_STATUS) == 0) {
            const mls_finding_place place = {NULL, run->run.run_stop.line, 0, MLS_S("run_stop")};
            mls_findings_add_as(findings, MLS_FINDING_STATUS, MLS_SEVERITY_ADVICE, place,
                                "run_stop has no status, yet the log counts as valid");
        }
    }
    if (result->invalid > allowed) {
        mls_findings_add(&result->findings, MLS_FINDING_INVALID_LOGS, folder,
                         "%zu of %zu logs are not valid; %s may drop %zu", result->invalid, result->run_count,
                         result->benchmark, allowed);
    } else if (stop != NULL) {
        mls_findings_add(&result->findings, MLS_FINDING_INVALID_LOGS,
                         (mls_finding_place){.path = stop->file.path, .line = stop->reason_line},
                         "the package checker ends with an error at this log, so it cannot be dropped");
    }
    if (result->weak ? result->run_count < needed : result->run_count != needed) {
        mls_findings_add(&result->findings, MLS_FINDING_RESULT_COUNT, folder, "%zu result files, %s needs %s%zu",
                         result->run_count, result->benchmark, result->weak ? "at least " : "", needed);
    }
}

static void score(const mls_submission *submission, const mls_submitter *submitter, mls_submission_result *result)
{
    const mls_system *system = mls_submitter_system(submitter, result->system);
    const mls_bypasses *all = &submitter->bypasses;
    mls_group *group = &result->group;
    mls_score_options options = submission->options.score;
    options.editions = mls_rulesets_editions(submission->options.rulesets);
    options.division = mls_division_described(result->division);
    options.rcp_bypass |= all->rcp || result->bypasses.rcp || system->bypasses.rcp;
    options.seed_bypass |= all->seeds || result->bypasses.seeds || system->bypasses.seeds;
    options.bert_train_samples |= all->bert_train_samples;
    group->result_folder = true;
    group->usage = submission->options.usage;
    group->edition = submission->edition;
    group->path = mls_strdup(result->path);
    group->runs = (const mls_run **)mls_calloc(result->run_count + 1, sizeof *group->runs);
    group->power.joules = result->has_power ? mls_calloc(result->run_count + 1, sizeof *group->power.joules) : NULL;
    for (size_t i = 0; i < result->run_count; i++) {
        group->runs[group->run_count++] = &result->runs[i].run;
        group->power.wrong += result->runs[i].power_wrong;
        if (result->has_power)
            group->power.joules[i] = result->runs[i].joules;
    }
    if (mls_group_score(group, &options, NULL) != MLS_OK)
        return;
    mls_findings_append(&result->findings, &group->rcp.findings);
    mls_findings_append(&result->findings, &group->seeds.findings);
    /* Copy the findings of the group, except those that the result has already. */
    for (size_t i = 0; i < group->findings.count; i++) {
        const mls_finding *finding = &group->findings.items[i];
        const mls_str key = mls_str_from(finding->key);
        if (finding->code == MLS_FINDING_MIXED_GROUP &&
            !mls_str_among(key, "submission_benchmark submission_division")) {
            mls_findings_add(&result->findings, finding->code, (mls_finding_place){result->path, 0, 0, key}, "%s",
                             finding->message);
        }
    }
    /* Free the reference convergence points to save memory, because all results of a round are in memory at once.  The
     * unit in the verdict is a text of these points. */
    mls_rcp_set_free(group->rcp.set);
    group->rcp.set = NULL;
    group->rcp.result.limit.unit = "";
}

/* Return whether the file at this position of a list has the expected name, such as "result_0.txt", and write that name
 * to `expected`. */
static bool is_numbered(const char *path, const char *prefix, size_t number, char expected[static 40])
{
    (void)mls_text_printf(expected, 40, "%s_%zu.txt", prefix, number);
    return strcmp(mls_path_name(path), expected) == 0;
}

/* The two kinds of power files, as in mls_power_folder. */
enum { KINDS = 2 };
static const char *const prefixes[KINDS] = {"node", "sw"};
static const char *const words[KINDS] = {"node", "switch"};

/* Check the power files of each run like the package checker: a run is invalid if it lacks files that most runs have.
 */
static void check_power(mls_submission_result *result)
{
    /* For each kind, find the number of files that most folders have; if two numbers are equally frequent, the larger
     * one. */
    size_t usual[KINDS] = {0};
    double *counts = mls_calloc(result->power_count + 1, sizeof *counts);
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < result->power_count; i++)
            counts[i] = (double)result->power[i].files[kind].count;
        mls_sort_doubles(counts, result->power_count);
        for (size_t i = 0, alike = 0, most = 0; i < result->power_count; i++) {
            alike = i > 0 && counts[i] == counts[i - 1] ? alike + 1 : 1;
            most = alike >= most ? alike : most;
            usual[kind] = alike == most ? (size_t)counts[i] : usual[kind];
        }
    }
    free(counts);
    size_t with_folder = 0;
    for (size_t i = 0; i < result->run_count; i++)
        with_folder += result->runs[i].power != NULL;
    if (with_folder == 0) {
        mls_findings_add(&result->findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = result->path},
                         "no run has power files in the folder power: the package checker ends with an error");
    }
    for (size_t i = 0; i < result->power_count; i++) {
        const mls_power_folder *folder = &result->power[i];
        if (folder->of_run && folder->uncountable != NULL) {
            mls_findings_add(&result->findings, MLS_FINDING_POWER_FILES,
                             (mls_finding_place){.path = folder->uncountable},
                             "%s: the package checker ends with an error",
                             folder->uncountable == folder->path ? "expected a folder of power files"
                                                                 : "the name must end in '_', a number and a suffix");
        }
    }
    for (size_t i = 0; i < result->run_count; i++) {
        mls_submission_run *run = &result->runs[i];
        mls_findings *findings = &run->run.findings;
        const size_t found = mls_findings_found(findings, MLS_FINDING_POWER_FILES);
        const mls_finding_place place = {.path = run->power != NULL ? run->power->path : NULL};
        if (run->power == NULL) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, place,
                             "the run has no folder of power files; other runs have one");
        } else if (run->power->files[0].count == 0) {
            mls_findings_add(findings, MLS_FINDING_POWER_FILES, place, "node_0.txt is missing");
        }
        for (size_t kind = 0; kind < KINDS && run->power != NULL; kind++) {
            const mls_submission_files *files = &run->power->files[kind];
            char name[40];
            bool numbered = true;
            for (size_t k = 0; k < files->count && numbered; k++) {
                numbered = is_numbered(files->items[k].path, prefixes[kind], k, name);
                if (!numbered) {
                    mls_findings_add(findings, MLS_FINDING_POWER_FILES, place,
                                     "found %s, expected %s: files are numbered from 0 without gaps",
                                     mls_path_name(files->items[k].path), name);
                }
            }
            for (size_t k = 0; k < files->count; k++) {
                if (!files->items[k].readable) {
                    mls_findings_add(findings, MLS_FINDING_POWER_FILES,
                                     (mls_finding_place){.path = files->items[k].path},
                                     "cannot be read as a power file");
                }
            }
            if (files->count != usual[kind]) {
                mls_findings_add(findings, MLS_FINDING_POWER_FILES, place,
                                 "%zu %s file%s where the other runs have %zu", files->count, words[kind],
                                 files->count == 1 ? "" : "s", usual[kind]);
            }
        }
        run->power_wrong |= mls_findings_found(findings, MLS_FINDING_POWER_FILES) > found;
        run->run.valid &= !run->power_wrong;
    }
}

void mls_power_read(mls_submission *submission, mls_submission_run *run)
{
    const double minutes = mls_run_minutes(&run->run);
    mls_findings *findings = &run->run.findings;
    if (run->power == NULL || !isfinite(minutes))
        return;
    run->joules = 0; /* NAN after a failure */
    run->readings = mls_calloc(run->power->files[0].count + 1, sizeof *run->readings);
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < run->power->files[kind].count; i++) {
            const mls_submission_file *file = &run->power->files[kind].items[i];
            const bool large = file->size > MLS_LOG_BYTES_MAX;
            if (large) {
                mls_findings_add(findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = file->path},
                                 "%.0f MiB: too large to be read as a power file", (double)file->size / 1048576.0);
            }
            const bool empty = file->size == 0;
            if (empty && file->readable) {
                mls_findings_add(findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = file->path},
                                 "the power file is empty");
            }
            if (!file->readable || large || empty) {
                run->joules = (double)NAN;
            } else {
                mls_power_readings *readings = kind == 0 ? &run->readings[i] : NULL;
                if (readings != NULL) {
                    readings->start_ms = run->run.run_start.time_ms;
                    readings->stop_ms = run->run.run_stop.time_ms;
                }
                run->power_wrong |= mls_energy_read(mls_tree_open(submission, file->path), kind == 0, minutes * 60000,
                                                    file->path, findings, &run->joules, readings) == MLS_ERROR_READ;
            }
        }
    }
}
