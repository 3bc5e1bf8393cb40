/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission.c - from a folder to a verdict: walk, read the logs side by side,
 * then judge systems and results in order.
 */
#include "mlscore/submission.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "submission/judge.h"
#include "submission/system.h"

/* Everything that judging a submission takes. */
typedef struct mls_verifying {
    const mls_submission_options *options;
    mls_submission *submission;
    mls_tree tree;
    mls_log_reader reader;
    mls_log_reading *readings; /* of all results that are judged, in order */
    size_t reading_count;
} mls_verifying;

const char *mls_check_name(mls_check check)
{
    static const char *const names[] = {"none", "pass", "fail", "bypassed"};
    return (unsigned)check < sizeof names / sizeof *names ? names[check] : "";
}

/* --------------------------------------------------------------- choosing */

static bool mls_name_wanted(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

static bool mls_result_wanted(const mls_submission_options *options, const mls_tree_submitter *submitter,
                              const mls_tree_result *result)
{
    return mls_name_wanted(options->system, submitter->result_systems[result->system].name) &&
           mls_name_wanted(options->benchmark, result->benchmark);
}

/* ---------------------------------------------------------------- edition */

static mls_status mls_first_time_record(void *state, const mls_record *record)
{
    *(double *)state = record->time_ms;
    return MLS_STOPPED;
}

/* The time of a log's first record; NAN when it has none that can be read. */
static mls_status mls_log_first_time(const mls_tree *tree, const mls_tree_file *file, double *time_ms)
{
    mls_status status = MLS_OK;
    const mls_sink sink = {.state = time_ms, .record = mls_first_time_record};
    const int fd = file->readable && file->size <= MLS_LOG_BYTES_MAX ? mls_tree_open(tree, file) : -1;
    *time_ms = (double)NAN;
    if (fd >= 0) {
        status = mls_log_scan_fd(fd, NULL, &sink, 1, NULL, NULL);
        (void)close(fd);
    }
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

/* The first time in the logs of a submitter; NAN: none. */
static mls_status mls_submitter_first_time(const mls_tree *tree, const mls_tree_submitter *submitter, double *time_ms)
{
    mls_status status = MLS_OK;
    for (size_t r = 0; r < submitter->result_count; r++) {
        const mls_tree_files *logs = &submitter->results[r].logs;
        for (size_t i = 0; i < logs->count && status == MLS_OK && isnan(*time_ms); i++) {
            status = mls_log_first_time(tree, &logs->items[i], time_ms);
        }
    }
    return status;
}

/* All logs of a submission are judged by one edition: the first record of the first log decides. */
static mls_status mls_verifying_edition(mls_verifying *verifying)
{
    const mls_submission_options *options = verifying->options;
    mls_status status = MLS_OK;
    double time_ms = (double)NAN;
    if (options->edition != NULL) {
        verifying->submission->edition = options->edition;
        return MLS_OK;
    }
    for (size_t s = 0; s < verifying->tree.submitter_count && status == MLS_OK && isnan(time_ms); s++) {
        status = mls_submitter_first_time(&verifying->tree, &verifying->tree.submitters[s], &time_ms);
    }
    verifying->submission->edition =
        mls_editions_guess(mls_rulesets_editions(options->rulesets), options->usage, time_ms);
    verifying->submission->edition_guessed = true;
    return status;
}

/* ------------------------------------------------------------------- logs */

static void mls_verifying_read_one(void *state, size_t index)
{
    mls_verifying *verifying = state;
    mls_log_read(&verifying->reader, &verifying->readings[index]);
}

/* Whether the logs of a result are read: it is wanted, and a benchmark of the edition. */
static bool mls_result_read(const mls_verifying *verifying, const mls_tree_submitter *submitter,
                            const mls_tree_result *result)
{
    return mls_result_wanted(verifying->options, submitter, result) &&
           mls_edition_has_benchmark(verifying->submission->edition, mls_str_from(result->benchmark));
}

/* Lists the logs of every result that is read, in order; `fill` false: only counts them. */
static size_t mls_verifying_list(mls_verifying *verifying, bool fill)
{
    size_t count = 0;
    for (size_t s = 0; s < verifying->tree.submitter_count; s++) {
        mls_tree_submitter *submitter = &verifying->tree.submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_tree_result *result = &submitter->results[r];
            if (!mls_result_read(verifying, submitter, result)) {
                continue;
            }
            for (size_t i = 0; i < result->logs.count && fill; i++) {
                verifying->readings[count + i] = (mls_log_reading){.result = result, .file = &result->logs.items[i]};
            }
            count += result->logs.count;
        }
    }
    return count;
}

static mls_status mls_verifying_power(mls_verifying *verifying)
{
    mls_status status = MLS_OK;
    for (size_t s = 0; s < verifying->tree.submitter_count; s++) {
        mls_tree_submitter *submitter = &verifying->tree.submitters[s];
        for (size_t r = 0; r < submitter->result_count && status == MLS_OK; r++) {
            status = submitter->results[r].has_power ? mls_power_usual(&submitter->results[r]) : MLS_OK;
        }
    }
    return status;
}

static mls_status mls_verifying_read(mls_verifying *verifying, mls_error *error)
{
    mls_log_reader *reader = &verifying->reader;
    mls_submission *submission = verifying->submission;
    const unsigned threads = verifying->options->threads != 0 ? verifying->options->threads : mls_processor_count();
    mls_status status = mls_rulesets_get(verifying->options->rulesets, submission->edition, &reader->ruleset, error);
    if (status == MLS_OK) {
        status = mls_verifying_power(verifying);
    }
    if (status != MLS_OK) {
        return status;
    }
    const size_t count = mls_verifying_list(verifying, false);
    verifying->readings = calloc(count + 1, sizeof *verifying->readings);
    if (verifying->readings == NULL) {
        return MLS_ERROR_MEMORY;
    }
    verifying->reading_count = mls_verifying_list(verifying, true);
    reader->tree = &verifying->tree;
    reader->options = verifying->options;
    reader->logs = count;
    mls_parallel_for(threads, count, mls_verifying_read_one, verifying);
    for (size_t i = 0; i < count && status == MLS_OK; i++) {
        const mls_log_reading *reading = &verifying->readings[i];
        status = reading->status;
        submission->failed |= reading->trouble.found[MLS_FINDING_UNREADABLE] > 0;
    }
    submission->logs = count;
    submission->bytes = reader->bytes_done;
    return status;
}

/* ---------------------------------------------------------------- systems */

static mls_status mls_submitter_system(const mls_verifying *verifying, mls_submitter *submitter, mls_system *system,
                                       const mls_tree_file *file)
{
    const mls_edition *edition = verifying->submission->edition;
    mls_findings unjudged = {0};
    system->name = mls_copy_text(file->name, strlen(file->name) - (sizeof ".json" - 1));
    system->path = mls_copy_text(file->path, strlen(file->path));
    if (system->name == NULL || system->path == NULL) {
        return MLS_ERROR_MEMORY;
    }
    const bool judged = mls_system_judged(edition) && mls_name_wanted(verifying->options->system, system->name);
    const mls_status status =
        mls_system_read(system, &verifying->tree, file, edition, judged ? &submitter->findings : &unjudged);
    verifying->submission->failed |= submitter->findings.found[MLS_FINDING_UNREADABLE] > 0;
    mls_findings_release(&unjudged);
    return status;
}

static mls_status mls_submitter_systems(const mls_verifying *verifying, const mls_tree_submitter *tree,
                                        mls_submitter *submitter)
{
    mls_status status = MLS_OK;
    submitter->systems = calloc(tree->systems.count + 1, sizeof *submitter->systems);
    if (submitter->systems == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < tree->systems.count && status == MLS_OK; i++) {
        status = mls_submitter_system(verifying, submitter, &submitter->systems[submitter->system_count++],
                                      &tree->systems.items[i]);
    }
    return status;
}

static int mls_system_compare(const void *name, const void *system)
{
    return mls_str_compare_natural(mls_str_from(name), mls_str_from(((const mls_system *)system)->name));
}

/* Descriptions come in natural order of "<name>.json", which is not quite that of their names. */
static int mls_systems_order(const void *left, const void *right)
{
    return mls_system_compare(((const mls_system *)left)->name, right);
}

/* Finds the description of each results folder. */
static void mls_submitter_match(const mls_verifying *verifying, const mls_tree_submitter *tree,
                                mls_submitter *submitter)
{
    const bool needed = mls_system_judged(verifying->submission->edition);
    if (submitter->system_count > 1) {
        qsort(submitter->systems, submitter->system_count, sizeof *submitter->systems, mls_systems_order);
    }
    for (size_t i = 0; i < tree->result_system_count; i++) {
        const mls_tree_system *folder = &tree->result_systems[i];
        mls_system *system = bsearch(folder->name, submitter->systems, submitter->system_count,
                                     sizeof *submitter->systems, mls_system_compare);
        if (system != NULL) {
            system->has_results = true;
        } else if (needed) {
            mls_findings_add(&submitter->findings, MLS_FINDING_SYSTEM_MISSING,
                             (mls_finding_place){.path = folder->path},
                             "there is no system description systems/%s.json", folder->name);
        }
    }
    for (size_t i = 0; i < submitter->system_count; i++) {
        if (!submitter->systems[i].has_results) {
            mls_findings_add(&submitter->findings, MLS_FINDING_SYSTEM_UNUSED,
                             (mls_finding_place){.path = submitter->systems[i].path},
                             "the description has no results: there is no folder results/%s",
                             submitter->systems[i].name);
        }
    }
}

/* ----------------------------------------------------------------- results */

/* `next` is the first reading of the submitter and moves on to that of the following one. */
static mls_status mls_submitter_results(const mls_verifying *verifying, const mls_tree_submitter *tree,
                                        mls_submitter *submitter, size_t *next)
{
    mls_status status = MLS_OK;
    submitter->results = calloc(tree->result_count + 1, sizeof *submitter->results);
    if (submitter->results == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < tree->result_count && status == MLS_OK; i++) {
        const mls_tree_result *folder = &tree->results[i];
        if (!mls_result_wanted(verifying->options, tree, folder)) {
            continue;
        }
        const mls_result_context context = {.options = verifying->options,
                                            .edition = verifying->submission->edition,
                                            .tree = tree,
                                            .system = bsearch(tree->result_systems[folder->system].name,
                                                              submitter->systems, submitter->system_count,
                                                              sizeof *submitter->systems, mls_system_compare)};
        status = mls_result_judge(&context, folder, verifying->readings + *next,
                                  &submitter->results[submitter->result_count++], &submitter->findings);
        *next += mls_result_read(verifying, tree, folder) ? folder->logs.count : 0;
    }
    if (status == MLS_OK && submitter->result_count == 0) {
        mls_findings_add(&submitter->findings, MLS_FINDING_NO_RESULTS,
                         (mls_finding_place){.path = *tree->path != '\0' ? tree->path : "."}, "there are no results");
    }
    return status;
}

/* ---------------------------------------------------------------- findings */

/* Whether `path` is `folder` or something in it. */
static bool mls_path_within(const char *path, const char *folder)
{
    const size_t len = folder != NULL ? strlen(folder) : 0;
    return folder != NULL && strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Whether `path` stands beside the folders of benchmarks that `result` is one of. */
static bool mls_path_beside(const char *path, const char *result)
{
    const size_t len = (size_t)(strrchr(result, '/') - result);
    return strncmp(path, result, len) == 0 && path[len] == '/';
}

/* With --system or --benchmark only findings about what was asked for are of interest. */
static bool mls_finding_wanted(const mls_submitter *submitter, const mls_submission_options *options,
                               const mls_finding *finding)
{
    if (finding->path == NULL || finding->code == MLS_FINDING_NO_RESULTS) {
        return true;
    }
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        if (result->path == NULL || result->system == NULL) {
            continue;
        }
        const mls_system *system = bsearch(result->system, submitter->systems, submitter->system_count,
                                           sizeof *submitter->systems, mls_system_compare);
        if (mls_path_within(finding->path, result->path) || mls_path_within(result->path, finding->path) ||
            (options->benchmark == NULL && mls_path_beside(finding->path, result->path)) ||
            (system != NULL && mls_path_within(finding->path, system->path))) {
            return true;
        }
    }
    return false;
}

static void mls_findings_choose(const mls_submitter *submitter, const mls_submission_options *options,
                                mls_findings *findings)
{
    mls_findings wanted = {.out_of_memory = findings->out_of_memory};
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        if (mls_finding_wanted(submitter, options, finding)) {
            const mls_finding_place place = {finding->path, finding->line, finding->column, mls_str_from(finding->key)};
            mls_findings_add_as(&wanted, finding->code, finding->severity, place, "%s", finding->message);
        }
    }
    mls_findings_release(findings);
    *findings = wanted;
}

static int mls_sizes_order(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* The worst first, then by place. */
static int mls_findings_order(const void *left, const void *right)
{
    const mls_finding *a = left;
    const mls_finding *b = right;
    int order = (int)a->severity - (int)b->severity;
    if (order == 0) {
        order = mls_str_compare_natural(mls_str_from(a->path), mls_str_from(b->path));
    }
    order = order != 0 ? order : mls_sizes_order(a->line, b->line);
    order = order != 0 ? order : mls_sizes_order(a->column, b->column);
    order = order != 0 ? order : (int)a->code - (int)b->code;
    return order != 0 ? order : mls_str_compare(mls_str_from(a->message), mls_str_from(b->message));
}

static void mls_submitter_conclude(mls_submitter *submitter, const mls_submission_options *options)
{
    mls_findings *findings = &submitter->findings;
    if (findings->count > 1) {
        qsort(findings->items, findings->count, sizeof *findings->items, mls_findings_order);
    }
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding *finding = &findings->items[i];
        for (size_t k = 0; k < submitter->result_count && finding->severity == MLS_SEVERITY_ERROR; k++) {
            submitter->results[k].errors +=
                finding->path != NULL && mls_path_within(finding->path, submitter->results[k].path);
        }
    }
    submitter->valid = mls_findings_pass(&findings->counts, options->strict);
}

/* -------------------------------------------------------------- submission */

/* The findings of the walk move to the submitter, and those of judging follow. */
static mls_status mls_verifying_judge(mls_verifying *verifying)
{
    mls_submission *submission = verifying->submission;
    mls_status status = MLS_OK;
    size_t next = 0;
    submission->submitters = calloc(verifying->tree.submitter_count + 1, sizeof *submission->submitters);
    if (submission->submitters == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < verifying->tree.submitter_count && status == MLS_OK; i++) {
        mls_tree_submitter *tree = &verifying->tree.submitters[i];
        mls_submitter *submitter = &submission->submitters[submission->submitter_count++];
        *submitter = (mls_submitter){.name = tree->name, .path = tree->path, .findings = tree->findings};
        tree->findings = (mls_findings){0};
        tree->name = NULL;
        status = mls_submitter_systems(verifying, tree, submitter);
        if (status == MLS_OK) {
            mls_submitter_match(verifying, tree, submitter);
            status = mls_submitter_results(verifying, tree, submitter, &next);
        }
        if (status == MLS_OK && (verifying->options->system != NULL || verifying->options->benchmark != NULL)) {
            mls_findings_choose(submitter, verifying->options, &submitter->findings);
        }
        if (status == MLS_OK) {
            status = mls_configs_judge(&verifying->tree, tree, verifying->options, &submitter->findings);
        }
        tree->path = NULL;
        if (status == MLS_OK) {
            mls_submitter_conclude(submitter, verifying->options);
            status = submitter->findings.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
        }
    }
    return status;
}

static void mls_submission_conclude(mls_verifying *verifying)
{
    mls_submission *submission = verifying->submission;
    submission->findings = verifying->tree.findings;
    verifying->tree.findings = (mls_findings){0};
    submission->failed |= verifying->tree.failed;
    if (submission->submitter_count == 0) {
        mls_findings_add(&submission->findings, MLS_FINDING_NO_RESULTS, (mls_finding_place){.path = "."},
                         "there is neither a folder results nor a folder of a submitter that has one");
    }
    submission->valid = mls_findings_pass(&submission->findings.counts, verifying->options->strict);
    for (size_t i = 0; i < submission->submitter_count; i++) {
        submission->valid &= submission->submitters[i].valid;
    }
}

static void mls_verifying_release(mls_verifying *verifying)
{
    for (size_t i = 0; i < verifying->reading_count; i++) {
        mls_log_reading_release(&verifying->readings[i]);
    }
    free(verifying->readings);
    for (size_t i = 0; i < verifying->reader.checker_count; i++) {
        mls_checker_free(verifying->reader.checkers[i]);
    }
    free((void *)verifying->reader.checkers);
    (void)pthread_mutex_destroy(&verifying->reader.lock);
    mls_tree_release(&verifying->tree);
}

mls_status mls_submission_verify(const char *path, const mls_submission_options *options, mls_submission *submission,
                                 mls_error *error)
{
    mls_verifying verifying = {.options = options, .submission = submission};
    *submission = (mls_submission){.path = mls_copy_text(path, strlen(path)), .usage = options->usage};
    (void)pthread_mutex_init(&verifying.reader.lock, NULL);
    mls_status status = mls_tree_walk(path, options->usage, &verifying.tree, error);
    if (status == MLS_OK && submission->path == NULL) {
        status = MLS_ERROR_MEMORY;
    }
    if (status == MLS_OK) {
        status = mls_verifying_edition(&verifying);
    }
    if (status == MLS_OK) {
        status = mls_verifying_read(&verifying, error);
    }
    if (status == MLS_OK) {
        status = mls_verifying_judge(&verifying);
    }
    if (status == MLS_OK) {
        mls_submission_conclude(&verifying);
        status = submission->findings.out_of_memory ? MLS_ERROR_MEMORY : MLS_OK;
    }
    if (status == MLS_ERROR_MEMORY) {
        (void)mls_error_set(error, status, 0, 0, "out of memory");
    }
    mls_verifying_release(&verifying);
    return status;
}

static void mls_submitter_release(mls_submitter *submitter)
{
    for (size_t i = 0; i < submitter->system_count; i++) {
        mls_system_release(&submitter->systems[i]);
    }
    free(submitter->systems);
    for (size_t i = 0; i < submitter->result_count; i++) {
        mls_submission_result_release(&submitter->results[i]);
    }
    free(submitter->results);
    mls_findings_release(&submitter->findings);
    free(submitter->name);
    free(submitter->path);
}

void mls_submission_release(mls_submission *submission)
{
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_submitter_release(&submission->submitters[i]);
    }
    free(submission->submitters);
    mls_findings_release(&submission->findings);
    free(submission->path);
    *submission = (mls_submission){0};
}

size_t mls_submission_count(const mls_submission *submission, mls_severity severity)
{
    mls_finding_counts counts = submission->findings.counts;
    for (size_t i = 0; i < submission->submitter_count; i++) {
        mls_finding_counts_add(&counts, &submission->submitters[i].findings.counts);
    }
    return mls_finding_counts_of(&counts, severity);
}
