/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.c - paths → files with measurements → a window for each run. */
#include "explain/telemetry/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "explain/telemetry/files.h"

mls_telemetry_options mls_telemetry_defaults(void)
{
    const double none = (double)NAN;
    return (mls_telemetry_options){
        .gap_ms = none, .start_ms = none, .interval_ms = none, .from_ms = none, .until_ms = none};
}

static mls_status compile_pattern(const char *text, mls_pattern *pattern, mls_error *error)
{
    const mls_status status =
        text != NULL ? mls_pattern_compile(pattern, MLS_PATTERN_LINES, mls_str_from(text)) : MLS_OK;
    if (text == NULL) {
        return text == NULL ? MLS_OK : mls_error_memory(error);
    }
    if (status != MLS_OK || mls_pattern_groups(pattern) != 1) {
        mls_pattern_release(pattern);
        return mls_error_set(error, MLS_ERROR_SYNTAX, 0, 0,
                             "--host-pattern takes a regular expression with one group, not '%s'", text);
    }
    return MLS_OK;
}

/* By the pattern where there is one, else by its name.  False when memory runs out. */
static bool name_host(struct mls_telemetry_file *file, const mls_pattern *pattern)
{
    const mls_str path = mls_str_from(file->source.path);
    mls_str host = {NULL, 0};
    if (pattern->code == NULL) {
        host = mls_host_of(file->source.path);
    } else if (mls_pattern_find(pattern, path, 0, &host) == MLS_ERROR_MEMORY) {
        return false;
    } else if (host.ptr != NULL) {
        host = mls_pattern_group(pattern, path, NULL);
    }
    file->host = host.len > 0 ? mls_arena_copy(&file->arena, host) : (mls_str){NULL, 0};
    return host.len == 0 || file->host.ptr != NULL;
}

typedef struct files_reading {
    struct mls_telemetry_file *files;
    const mls_telemetry_options *options;
} files_reading;

static void read_measurements(void *state, size_t item)
{
    const files_reading *reading = state;
    if (reading->files[item].source.skip == NULL) {
        mls_telemetry_file_read(&reading->files[item], reading->options);
    }
}

/* Why a file that was read is of no use; NULL: it is one of the sources. */
static const char *useless_words(const struct mls_telemetry_file *files, size_t kept,
                                 const struct mls_telemetry_file *file)
{
    for (size_t i = 0; i < kept && file->status == MLS_OK && file->skip == NULL; i++) {
        if (files[i].inode == file->inode && files[i].volume == file->volume) {
            return "named twice";
        }
    }
    return file->status != MLS_OK ? file->error.message : file->skip;
}

/* Keeps the files with measurements, in order; the others go to the list of what was skipped. */
static void keep_files(mls_telemetry *telemetry, const mls_pattern *hosts)
{
    mls_sources *skipped = &telemetry->skipped;
    const size_t count = telemetry->source_count;
    telemetry->source_count = skipped->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct mls_telemetry_file file = telemetry->sources[i];
        const char *why =
            file.source.skip == NULL ? useless_words(telemetry->sources, telemetry->source_count, &file) : NULL;
        if (why != NULL) {
            file.source.failed = file.status != MLS_OK;
            telemetry->out_of_memory |= file.status == MLS_ERROR_MEMORY;
            file.source.skip = mls_strdup(why);
        }
        if (file.source.skip != NULL) {
            telemetry->failed += file.source.failed;
            skipped->items[skipped->count++] = file.source;
            mls_telemetry_file_release(&file);
            continue;
        }
        (void)name_host(&file, hosts);
        telemetry->sources[telemetry->source_count++] = file;
    }
}

mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options, mls_error *error)
{
    mls_sources *sources = &telemetry->skipped;
    mls_pattern hosts = {0};
    files_reading reading = {mls_calloc(sources->count + 1, sizeof *reading.files), options};
    const mls_relay relay = {.threads = options->threads > 0 ? options->threads : mls_processor_count(),
                             .slots = MLS_RELAY_SLOTS_MAX,
                             .count = sources->count,
                             .state = &reading,
                             .work = read_measurements};
    mls_status status = compile_pattern(options->host_pattern, &hosts, error);
    if (status != MLS_OK || reading.files == NULL) {
        free(reading.files);
        mls_pattern_release(&hosts);
        return status != MLS_OK ? status : mls_error_memory(error);
    }
    for (size_t i = 0; i < sources->count; i++) {
        mls_source *source = &sources->items[i];
        /* A file that is no log of a run by its name may be just what is wanted here. */
        if (source->skip != NULL && !source->failed &&
            mls_str_ends(mls_str_from(source->path), MLS_S("_telemetry.log"))) {
            free(source->skip);
            source->skip = NULL;
        }
        reading.files[i].source = *source;
    }
    telemetry->sources = reading.files;
    telemetry->source_count = sources->count;
    status = mls_relay_run(&relay);
    keep_files(telemetry, &hosts);
    mls_pattern_release(&hosts);
    const bool by_names = options->host_pattern == NULL;
    return status == MLS_OK && mls_hosts_name(telemetry->sources, telemetry->source_count, by_names)
               ? MLS_OK
               : mls_error_memory(error);
}

/* From the first to the last measurement. */
static mls_telemetry_run whole_run(const mls_telemetry *telemetry)
{
    mls_telemetry_run run = {.start_ms = (double)NAN, .stop_ms = (double)NAN};
    for (size_t i = 0; i < telemetry->source_count; i++) {
        for (size_t k = 0; k < telemetry->sources[i].count; k++) {
            const mls_log_device *device = &telemetry->sources[i].devices[k];
            run.start_ms = fmin(run.start_ms, device->timed ? device->rows[0].time_ms : (double)NAN);
            run.stop_ms = fmax(run.stop_ms, device->timed ? device->rows[device->count - 1].time_ms : (double)NAN);
        }
    }
    return run;
}

mls_status mls_telemetry_window_get(const mls_telemetry *telemetry, size_t number, mls_telemetry_window *window)
{
    mls_telemetry_reported *reported = telemetry->reported;
    mls_telemetry_window_make(telemetry->sources, telemetry->source_count, (mls_str){"", 0}, &telemetry->runs[number],
                              &telemetry->options, window);
    if (mls_findings_found(&window->findings, MLS_FINDING_NO_OVERLAP) > 0) {
        if (!reported->zone_sought) {
            mls_timezone_suggest(telemetry->sources, telemetry->source_count, telemetry->runs, telemetry->window_count,
                                 &telemetry->options, reported->zone);
            reported->zone_sought = true;
        }
        memcpy(window->suggested_timezone, reported->zone, sizeof reported->zone);
    }
    if (number == reported->windows) {
        mls_finding_counts_add(&reported->counts, &window->findings.counts);
        reported->windows++;
    }
    return MLS_OK;
}

mls_status mls_telemetry_read(const char *const *paths, size_t path_count, const mls_telemetry_run *runs,
                              size_t run_count, const mls_telemetry_options *options, mls_telemetry *telemetry,
                              mls_error *error)
{
    *telemetry = (mls_telemetry){.options = *options, .reported = mls_calloc(1, sizeof *telemetry->reported)};
    if (telemetry->reported == NULL) {
        return mls_error_memory(error);
    }
    mls_status status = mls_sources_find(paths, path_count, &telemetry->skipped, error);
    if (status == MLS_OK) {
        status = mls_telemetry_open(telemetry, options, error);
    }
    if (status == MLS_OK && telemetry->source_count > 0) {
        telemetry->reported->whole = whole_run(telemetry);
        telemetry->runs = run_count > 0 ? runs : &telemetry->reported->whole;
        telemetry->window_count = run_count > 0 ? run_count : 1;
    }
    return status;
}

void mls_telemetry_release(mls_telemetry *telemetry)
{
    for (size_t i = 0; i < telemetry->source_count; i++) {
        free(telemetry->sources[i].source.path);
        mls_telemetry_file_release(&telemetry->sources[i]);
    }
    free(telemetry->sources);
    mls_sources_release(&telemetry->skipped);
    free(telemetry->reported);
    *telemetry = (mls_telemetry){0};
}
