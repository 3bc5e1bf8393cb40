/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - a log of an outsider's judged as one run, and what is asked of a run. */
#include "mlscore/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "library/library.h"
#include "run/file.h"

/* Reads a log with its sink: an open file, or bytes. */
typedef mls_status log_reader(const void *log, const mls_sink *sink, mls_log_totals *totals, mls_error *error);

static mls_status scan_open(const void *log, const mls_sink *sink, mls_log_totals *totals, mls_error *error)
{
    const int fd = *(const int *)log;
    const mls_status status = mls_file_check(fd, error);
    return status == MLS_OK ? mls_log_scan_fd(fd, NULL, sink, 1, totals, error) : status;
}

static mls_status scan_bytes(const void *log, const mls_sink *sink, mls_log_totals *totals, mls_error *error)
{
    return mls_log_scan_bytes(*(const mls_str *)log, sink, 1, totals, error);
}

static mls_status take_whole_run(void *state, mls_run *run, void **notes)
{
    (void)notes;
    mls_run *taken = state;
    *taken = *run;
    mls_run_init(run);
    return MLS_OK;
}

/* Judges a log in a run that is empty. */
static mls_status judge_log(const mls_rules *rules, log_reader *reader, const void *log, mls_run *run, mls_error *error)
{
    const mls_collect_options how = mls_rules_collecting(rules);
    const mls_reading reading = {.rules = &how.checker};
    mls_log_totals totals = {0};
    mls_checker *checker;
    mls_status status = mls_checker_new(&how.checker, &checker);
    mls_file file = {
        .reading = &reading, .whole = true, .asked_for = true, .checker = checker, .run = take_whole_run, .state = run};
    const mls_sink sink = mls_file_begin(&file);
    status = status == MLS_OK ? reader(log, &sink, &totals, error) : status;
    mls_file_release(&file);
    mls_checker_free(checker);
    status = mls_log_was_read(status, &totals, error);
    return status == MLS_ERROR_MEMORY || run->out_of_memory || run->findings.out_of_memory ? mls_error_memory(error)
                                                                                           : status;
}

static mls_status judge_new(const mls_rules *rules, log_reader *reader, const void *log, const char *name,
                            mls_run **run, mls_error *error)
{
    *run = NULL;
    if (name == NULL) {
        return mls_error_missing("the name of a log", error);
    }
    mls_run *made = mls_calloc(1, sizeof *made);
    if (made == NULL) {
        return mls_error_memory(error);
    }
    mls_run_init(made);
    mls_status status = judge_log(rules, reader, log, made, error);
    if (status == MLS_OK) {
        made->file = mls_strdup(name);
        status = made->file != NULL ? MLS_OK : mls_error_memory(error);
    }
    if (status == MLS_OK) {
        *run = made;
    } else {
        mls_run_free(made);
    }
    return status;
}

mls_status mls_run_judge_fd(const mls_rules *rules, int fd, const char *name, mls_run **run, mls_error *error)
{
    return judge_new(rules, scan_open, &fd, name, run, error);
}

mls_status mls_run_judge_bytes(const mls_rules *rules, mls_str log, const char *name, mls_run **run, mls_error *error)
{
    *run = NULL;
    return log.ptr != NULL || log.len == 0 ? judge_new(rules, scan_bytes, &log, name, run, error)
                                           : mls_error_missing("the log", error);
}

void mls_run_free(mls_run *run)
{
    if (run != NULL) {
        mls_run_release(run);
        free(run);
    }
}

bool mls_run_is_valid(const mls_run *run)
{
    return run->valid;
}

const mls_findings *mls_run_findings(const mls_run *run)
{
    return &run->findings;
}

const char *mls_run_file(const mls_run *run)
{
    return run->file;
}

size_t mls_run_first_line(const mls_run *run)
{
    return run->line;
}

size_t mls_run_last_line(const mls_run *run)
{
    return run->last_line;
}

double mls_run_start_ms(const mls_run *run)
{
    return run->run_start.time_ms;
}

const char *mls_run_stop_status(const mls_run *run)
{
    return mls_run_status_name(run->status);
}

const char *mls_run_benchmark(const mls_run *run)
{
    return run->benchmark;
}

const char *mls_run_division(const mls_run *run)
{
    return run->division;
}

const char *mls_run_organisation(const mls_run *run)
{
    return run->organisation;
}

const char *mls_run_platform(const mls_run *run)
{
    return run->platform;
}

double mls_run_global_batch_size(const mls_run *run)
{
    return run->global_batch_size;
}

const char *mls_run_edition(const mls_run *run)
{
    return run->edition;
}

double mls_run_converged_at(const mls_run *run, const char **unit)
{
    const mls_convergence at = mls_run_to_converge(run);
    if (unit != NULL) {
        *unit = at.unit;
    }
    return at.number;
}

bool mls_run_hyperparameter_at(const mls_run *run, size_t index, mls_str *key, const char **value)
{
    if (index >= run->hyperparameter_count) {
        return false;
    }
    if (key != NULL) {
        *key = run->hyperparameters[index].key;
    }
    if (value != NULL) {
        *value = run->hyperparameters[index].value;
    }
    return true;
}
