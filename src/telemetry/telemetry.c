/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.c - paths → files with measurements → a window for each run. */
#include "mlscore/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "telemetry/telemetry.h"

mls_telemetry_options mls_telemetry_defaults(void)
{
    const double none = (double)NAN;
    return (mls_telemetry_options){
        .gap_ms = none, .start_ms = none, .interval_ms = none, .from_ms = none, .until_ms = none};
}

/* ------------------------------------------------------------------- hosts */

static mls_status compile_pattern(const char *text, mls_pattern *pattern, mls_error *error)
{
    const mls_status status = mls_pattern_compile(pattern, MLS_PATTERN_LINES, mls_str_from(text));
    if (status == MLS_ERROR_MEMORY) {
        return mls_error_memory(error);
    }
    if (status != MLS_OK || mls_pattern_groups(pattern) != 1) {
        mls_pattern_release(pattern);
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0,
                             "--host-pattern takes a regular expression with one group, not '%s'", text);
    }
    return MLS_OK;
}

static mls_status name_hosts(mls_telemetry *telemetry, const mls_pattern *pattern, mls_error *error)
{
    mls_status status = MLS_OK;
    for (size_t i = 0; i < telemetry->source_count && status == MLS_OK; i++) {
        struct mls_telemetry_file *file = &telemetry->sources[i];
        const mls_str path = mls_str_from(file->path);
        mls_str host = {NULL, 0};
        if (pattern->code == NULL) {
            host = mls_host_of(file->path);
        } else if (mls_pattern_find(pattern, path, 0, &host) == MLS_ERROR_MEMORY) {
            status = MLS_ERROR_MEMORY;
        } else if (host.ptr != NULL) {
            host = mls_pattern_group(pattern, path, NULL);
        }
        if (status == MLS_OK && host.len > 0) {
            file->host = mls_arena_copy(&file->arena, host);
            status = file->host.ptr != NULL ? MLS_OK : MLS_ERROR_MEMORY;
        }
    }
    return status == MLS_OK ? MLS_OK : mls_error_memory(error);
}

/* ------------------------------------------------------------------- files */

typedef struct files_reading {
    struct mls_telemetry_file *files;
    const mls_telemetry_options *options;
} files_reading;

static void read_measurements(void *state, size_t item)
{
    const files_reading *reading = state;
    if (reading->files[item].skip == NULL) {
        mls_telemetry_file_read(&reading->files[item], reading->options);
    }
}

/* Moves a file that is of no use from the sources to those that were skipped. */
static mls_status skip_file(mls_telemetry *telemetry, struct mls_telemetry_file *file, mls_source *source)
{
    const char *why = file->failed ? file->error.message : file->skip;
    source->failed = file->failed;
    source->skip = mls_copy_text(why, strlen(why));
    telemetry->failed += file->failed;
    return source->skip != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static bool was_read_before(const mls_telemetry *telemetry, const struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < telemetry->source_count; i++) {
        if (telemetry->sources[i].number == file->number && telemetry->sources[i].volume == file->volume) {
            return true;
        }
    }
    return false;
}

/* Keeps the files with measurements, in order; the others stay in the list of what was skipped. */
static mls_status keep_files(mls_telemetry *telemetry, struct mls_telemetry_file *files, mls_error *error)
{
    mls_sources *sources = &telemetry->skipped;
    mls_status status = MLS_OK;
    size_t skipped = 0;
    telemetry->sources = files;
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        struct mls_telemetry_file *file = &files[i];
        telemetry->failed += source->skip != NULL && source->failed;
        if (source->skip == NULL && status == MLS_OK) {
            file->skip = file->skip == NULL && was_read_before(telemetry, file) ? "named twice" : file->skip;
            status = file->status;
            status =
                status == MLS_OK && (file->failed || file->skip != NULL) ? skip_file(telemetry, file, source) : status;
        }
        struct mls_telemetry_file own = *file;
        if (source->skip == NULL && status == MLS_OK) {
            own.path = source->path; /* owned from here on, as the texts in its arena are */
            own.numbers.arena = NULL;
            telemetry->sources[telemetry->source_count++] = own;
            continue;
        }
        mls_telemetry_file_release(&own);
        sources->items[skipped++] = *source;
    }
    sources->count = skipped;
    telemetry->files = telemetry->source_count;
    return status == MLS_OK ? MLS_OK : mls_error_memory(error);
}

/* What a reading of logs leaves out for its name may be just what is wanted here. */
static void want_telemetry_logs(mls_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        if (source->skip != NULL && !source->failed &&
            mls_str_ends(mls_str_from(source->path), MLS_S("_telemetry.log"))) {
            free(source->skip);
            source->skip = NULL;
        }
    }
}

mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options, mls_error *error)
{
    const mls_sources *sources = &telemetry->skipped;
    mls_pattern hosts = {0};
    files_reading reading = {NULL, options};
    const mls_relay relay = {.threads = options->threads > 0 ? options->threads : mls_processor_count(),
                             .slots = MLS_RELAY_SLOTS_MAX,
                             .count = sources->count,
                             .state = &reading,
                             .work = read_measurements};
    mls_status status = options->host_pattern != NULL ? compile_pattern(options->host_pattern, &hosts, error) : MLS_OK;
    if (status != MLS_OK) {
        return status;
    }
    reading.files = calloc(sources->count + 1, sizeof *reading.files);
    for (size_t i = 0; i < sources->count && reading.files != NULL; i++) {
        reading.files[i].path = sources->items[i].path;
        reading.files[i].named = sources->items[i].named;
        reading.files[i].skip = sources->items[i].skip;
    }
    status = reading.files != NULL ? mls_relay_run(&relay) : MLS_ERROR_MEMORY;
    if (reading.files != NULL) {
        const mls_status kept = keep_files(telemetry, reading.files, error);
        status = status == MLS_OK ? kept : status;
    }
    status = status == MLS_OK ? name_hosts(telemetry, &hosts, error) : mls_error_memory(error);
    mls_pattern_release(&hosts);
    return status;
}

/* ----------------------------------------------------------------- windows */

/* From the first to the last measurement. */
static mls_telemetry_run whole_run(const mls_telemetry *telemetry)
{
    mls_telemetry_run run = {.start_ms = (double)NAN, .stop_ms = (double)NAN};
    for (size_t i = 0; i < telemetry->source_count; i++) {
        for (size_t k = 0; k < telemetry->sources[i].count; k++) {
            const mls_log_device *device = &telemetry->sources[i].devices[k];
            if (device->timed) {
                const double first = mls_device_row(device, 0)->time_ms;
                const double last = mls_device_row(device, device->count - 1)->time_ms;
                run.start_ms = first < run.start_ms || isnan(run.start_ms) ? first : run.start_ms;
                run.stop_ms = last > run.stop_ms || isnan(run.stop_ms) ? last : run.stop_ms;
            }
        }
    }
    return run;
}

static mls_status make_windows(mls_telemetry *telemetry, const mls_telemetry_run *runs, size_t run_count,
                               const mls_telemetry_options *options, mls_error *error)
{
    char zone[8] = "";
    bool asked = false;
    mls_status status = MLS_OK;
    telemetry->windows = calloc(run_count + 1, sizeof *telemetry->windows);
    if (telemetry->windows == NULL) {
        return mls_error_memory(error);
    }
    for (size_t i = 0; i < run_count && status == MLS_OK; i++) {
        mls_telemetry_window *window = &telemetry->windows[telemetry->window_count++];
        status =
            mls_window_make(telemetry->sources, telemetry->source_count, (mls_str){"", 0}, &runs[i], options, window);
        if (status == MLS_OK && window->findings.found[MLS_FINDING_NO_OVERLAP] > 0) {
            status = asked ? MLS_OK
                           : mls_timezone_suggest(telemetry->sources, telemetry->source_count, runs, run_count, options,
                                                  zone);
            asked = true;
            memcpy(window->suggested_timezone, zone, sizeof zone);
        }
    }
    return status == MLS_OK ? MLS_OK : mls_error_memory(error);
}

mls_status mls_telemetry_read(const char *const *paths, size_t path_count, const mls_telemetry_run *runs,
                              size_t run_count, const mls_telemetry_options *options, mls_telemetry *telemetry,
                              mls_error *error)
{
    *telemetry = (mls_telemetry){0};
    mls_status status = mls_sources_find(paths, path_count, &telemetry->skipped, error);
    if (status == MLS_OK) {
        want_telemetry_logs(&telemetry->skipped);
        status = mls_telemetry_open(telemetry, options, error);
    }
    if (status == MLS_OK && telemetry->source_count > 0) {
        const mls_telemetry_run whole = whole_run(telemetry);
        status = make_windows(telemetry, run_count > 0 ? runs : &whole, run_count > 0 ? run_count : 1, options, error);
    }
    return status;
}

void mls_telemetry_release(mls_telemetry *telemetry)
{
    for (size_t i = 0; i < telemetry->window_count; i++) {
        mls_window_release(&telemetry->windows[i]);
    }
    free(telemetry->windows);
    for (size_t i = 0; i < telemetry->source_count; i++) {
        free((void *)(uintptr_t)telemetry->sources[i].path);
        mls_telemetry_file_release(&telemetry->sources[i]);
    }
    free(telemetry->sources);
    mls_sources_release(&telemetry->skipped);
    *telemetry = (mls_telemetry){0};
}
