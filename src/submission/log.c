/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - one log of a submission: read once, judged by the rules, and timed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "reading/file.h"
#include "submission/judge.h"

/* An idle checker, or a new one; NULL when memory runs out. */
static mls_checker *mls_checker_take(mls_log_reader *reader)
{
    mls_checker *checker = NULL;
    const mls_checker_options options = {reader->ruleset, reader->options->rulesets, reader->options->usage};
    (void)pthread_mutex_lock(&reader->lock);
    if (reader->checker_count > 0) {
        checker = reader->checkers[--reader->checker_count];
    }
    (void)pthread_mutex_unlock(&reader->lock);
    if (checker != NULL) {
        mls_checker_reset(checker, NULL);
    } else if (mls_checker_new(&options, &checker) != MLS_OK) {
        checker = NULL;
    }
    return checker;
}

static void mls_checker_give_back(mls_log_reader *reader, mls_checker *checker)
{
    (void)pthread_mutex_lock(&reader->lock);
    const bool kept = mls_grow((void **)&reader->checkers, reader->checker_count, &reader->checker_capacity,
                               sizeof *reader->checkers);
    if (kept) {
        reader->checkers[reader->checker_count++] = checker;
    }
    (void)pthread_mutex_unlock(&reader->lock);
    if (!kept) {
        mls_checker_free(checker);
    }
}

/* Thousands of runs are held at once here, and the series are for looking at one. */
static mls_status mls_log_take_run(void *state, mls_run *run, bool part)
{
    mls_log_reading *reading = state;
    (void)part;
    reading->run = *run;
    mls_run_init(run);
    mls_run_forget_series(&reading->run);
    return MLS_OK;
}

/* Feeds the rules and the summary of the run in one pass.  fd -1: the log cannot be read and so is empty. */
static mls_status mls_log_scan(mls_checker *checker, mls_log_reading *reading, int fd, mls_error *error)
{
    mls_log_totals totals = {0};
    mls_file file = {.whole = true, .asked_for = true, .checker = checker, .run = mls_log_take_run, .state = reading};
    mls_file_begin(&file);
    const mls_sink sink = mls_file_sink(&file);
    /* What a submission holds must be readable as it stands. */
    const mls_scan_options options = {.plain = true};
    mls_status status = fd >= 0 ? mls_log_scan_fd(fd, &options, &sink, 1, &totals, error) : MLS_OK;
    const char *unread = totals.unread;
    if (status == MLS_OK && (fd < 0 || unread != NULL)) {
        status = mls_log_scan_bytes((mls_str){NULL, 0}, &sink, 1, &totals, error);
    }
    if (status == MLS_OK && unread != NULL) {
        status = mls_error_set(error, MLS_ERROR_READ, 0, 0, "%s", unread);
    }
    reading->bytes = totals.bytes;
    mls_file_release(&file);
    return status;
}

static int mls_log_open(const mls_tree *tree, mls_log_reading *reading)
{
    const mls_finding_place place = {.path = reading->file->path};
    mls_error error = {0};
    if (!reading->file->readable) {
        mls_findings_add(&reading->findings, MLS_FINDING_NOT_A_FILE, place, "cannot be read as a file");
        return -1;
    }
    if (reading->file->size > MLS_LOG_BYTES_MAX) {
        mls_findings_add(&reading->trouble, MLS_FINDING_LOG_SIZE, place, "%.0f MiB: too large to be read as a log",
                         (double)reading->file->size / 1048576.0);
        return -1;
    }
    const int fd = mls_tree_open(tree, reading->file);
    if (fd < 0) {
        (void)mls_error_set_errno(&error, MLS_ERROR_READ, errno, "%s", "cannot be opened");
        mls_findings_add(&reading->trouble, MLS_FINDING_UNREADABLE, place, "%s", error.message);
    }
    return fd;
}

static mls_status mls_log_judge(mls_log_reader *reader, mls_checker *checker, mls_log_reading *reading)
{
    mls_error error = {0};
    const int fd = mls_log_open(reader->tree, reading);
    mls_status status = mls_log_scan(checker, reading, fd, &error);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (status == MLS_ERROR_READ) {
        mls_findings_add(&reading->trouble, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = reading->file->path},
                         "%s", error.message);
        status = MLS_OK;
    }
    if (status == MLS_OK) {
        if (fd >= 0) {
            mls_findings_append(&reading->findings, &reading->run.findings);
        }
        mls_findings_release(&reading->run.findings);
        reading->run.valid = reading->run.valid && fd >= 0 && reading->trouble.count == 0;
        reading->run.file = mls_copy_text(reading->file->path, strlen(reading->file->path));
        status = reading->run.file != NULL && !reading->findings.out_of_memory && !reading->run.out_of_memory
                     ? mls_power_judge(reader->tree, reading)
                     : MLS_ERROR_MEMORY;
    }
    return status;
}

void mls_log_read(mls_log_reader *reader, mls_log_reading *reading)
{
    mls_checker *checker = mls_checker_take(reader);
    mls_run_init(&reading->run);
    reading->joules = (double)NAN;
    reading->status = checker != NULL ? mls_log_judge(reader, checker, reading) : MLS_ERROR_MEMORY;
    if (checker != NULL) {
        mls_checker_give_back(reader, checker);
    }
    (void)pthread_mutex_lock(&reader->lock);
    reader->logs_done++;
    reader->bytes_done += reading->bytes;
    if (reader->options->progress != NULL) {
        reader->options->progress(reader->options->progress_state, reader->logs_done, reader->logs, reader->bytes_done);
    }
    (void)pthread_mutex_unlock(&reader->lock);
}

void mls_log_reading_release(mls_log_reading *reading)
{
    mls_run_release(&reading->run);
    mls_findings_release(&reading->findings);
    mls_findings_release(&reading->trouble);
}
