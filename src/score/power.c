/* SPDX-License-Identifier: Apache-2.0 */
/* power.c - compute the energy of a run from the files in the folder `power` beside its log.  The files contain records
 * like those of a log.  The power of a node is the mean of its readings, and the power of a switch is an estimate.  The
 * energy is the power times the conversion efficiency and the time to train. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "score/score.h"
#include "json/value.h"

/* The maximum number of events in a node file: one per millisecond for more than an hour. */
#define POWER_EVENTS_MAX ((size_t)4 << 20)

typedef struct power_event {
    mls_placed when; /* time in milliseconds, and index of the event in the file */
    double watts;    /* power, if the event is a reading */
    mls_key kind;    /* key of a reading, start or stop */
} power_event;

/* The records read so far from the file of a node (node_<k>.txt) or of a switch (sw_<k>.txt). */
typedef struct power_log {
    const char *path;
    mls_findings *findings; /* borrowed from the caller */
    power_event *items;
    size_t count, capacity;
    double conversion_eff;         /* NAN: not logged */
    double interconnect_power_est; /* watts; NAN: not logged */
    size_t unreadable;             /* number of malformed lines, and of readings that are not finite numbers */
    bool too_many;                 /* more than POWER_EVENTS_MAX events */
} power_log;

static mls_status take_record(void *state, const mls_record *record)
{
    power_log *log = state;
    const mls_key kind = record->key_id;
    const bool edge = kind == MLS_KEY_POWER_MEASUREMENT_START || kind == MLS_KEY_POWER_MEASUREMENT_STOP;
    power_event event = {{record->time_ms, log->count}, NAN, kind};
    double *number = kind == MLS_KEY_CONVERSION_EFF           ? &log->conversion_eff
                     : kind == MLS_KEY_INTERCONNECT_POWER_EST ? &log->interconnect_power_est
                     : kind == MLS_KEY_POWER_READING          ? &event.watts
                                                              : NULL;
    if (number != NULL && !(mls_json_number(record->value, number) && isfinite(*number))) {
        log->unreadable++;
        *number = NAN;
    }
    if (!edge && number != &event.watts)
        return MLS_OK;
    log->too_many |= log->count == POWER_EVENTS_MAX;
    if (!log->too_many) {
        MLS_GROW(log, items);
        log->items[log->count++] = event;
    }
    return MLS_OK;
}

static mls_status take_malformed(void *state, const mls_malformed *malformed)
{
    (void)malformed;
    ((power_log *)state)->unreadable++;
    return MLS_OK;
}

/* Add a warning with the message `what`, and return NAN. */
static double warn_unknown(const power_log *log, const char *what)
{
    mls_findings_add(log->findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = log->path}, "%s", what);
    return NAN;
}

/* Return the mean power of a node while it was measured.  The readings are sorted by time.  Each reading
 * counts for the time since the previous reading, the first one for the time since the start.  The measurement ends
 * with the stop or, if there is no stop, with the last reading. */
static double watts_of_node(power_log *log)
{
    bool started = false;
    bool stopped = false;
    double start_ms = NAN;
    double end_ms = NAN; /* time of the stop, or of the last reading so far */
    double watt_milliseconds = 0;
    mls_sort_placed(log->items, log->count, sizeof *log->items);
    for (size_t i = 0; i < log->count && !stopped; i++) {
        const power_event *event = &log->items[i];
        if (!started) {
            started = event->kind == MLS_KEY_POWER_MEASUREMENT_START;
            start_ms = end_ms = event->when.value;
        } else if (event->kind != MLS_KEY_POWER_MEASUREMENT_START) {
            stopped = event->kind == MLS_KEY_POWER_MEASUREMENT_STOP;
            watt_milliseconds += stopped ? 0 : event->watts * (event->when.value - end_ms);
            end_ms = event->when.value;
        }
    }
    if (!started)
        return warn_unknown(log, "the power file has no power_measurement_start");
    if (!(end_ms > start_ms))
        return warn_unknown(log, "the power file has no reading after power_measurement_start");
    if (!stopped) {
        mls_findings_add(log->findings, MLS_FINDING_POWER_STOP, (mls_finding_place){.path = log->path},
                         "the power file has no power_measurement_stop; the last reading ends the measurement");
    }
    return watt_milliseconds / (end_ms - start_ms);
}

/* Summarize the readings of a node. */
static void summarize_readings(power_log *log, mls_power_readings *readings)
{
    double before = NAN; /* time of the previous reading in the run */
    double sum = 0;
    size_t inside = 0;
    mls_sort_placed(log->items, log->count, sizeof *log->items);
    readings->read = true;
    readings->first_ms = readings->last_ms = NAN;
    for (size_t i = 0; i < log->count; i++) {
        const double when = log->items[i].when.value;
        if (log->items[i].kind != MLS_KEY_POWER_READING || !isfinite(log->items[i].watts))
            continue;
        readings->first_ms = readings->count++ == 0 ? when : readings->first_ms;
        readings->last_ms = when;
        if (when >= readings->start_ms && when <= readings->stop_ms) {
            readings->gap_ms = fmax(readings->gap_ms, when - before); /* NAN is ignored */
            before = when;
            sum += log->items[i].watts;
            inside++;
        }
    }
    readings->watts = inside > 0 ? sum / (double)inside : (double)NAN;
}

mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules, mls_power_readings *readings)
{
    mls_error error = {0};
    power_log log = {.path = path, .findings = findings, .conversion_eff = NAN, .interconnect_power_est = NAN};
    const mls_sink sink = {.state = &log, .record = take_record, .malformed = take_malformed};
    const mls_status status = fd >= 0 ? mls_log_scan_fd(fd, NULL, &sink, 1, NULL, &error)
                                      : mls_error_set_errno(&error, MLS_ERROR_READ, errno, "cannot be opened");
    double watts = NAN;
    if (fd >= 0)
        (void)close(fd);
    if (status == MLS_ERROR_READ)
        mls_findings_add(findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = path}, "%s", error.message);
    if (status == MLS_OK && readings != NULL)
        summarize_readings(&log, readings);
    if (status == MLS_OK) {
        const size_t before = mls_findings_found(findings, MLS_FINDING_POWER_LOG);
        if (log.unreadable > 0) {
            mls_findings_add(findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = path},
                             "the power file has lines or readings that cannot be read (%zu)", log.unreadable);
        }
        if (log.too_many)
            warn_unknown(&log, "the power file has too many readings");
        if (isnan(log.conversion_eff))
            warn_unknown(&log, "the power file has no conversion_eff");
        if (!isfinite(time_to_train_ms))
            warn_unknown(&log, "the run has no time to train, so it has no energy");
        if (mls_findings_found(findings, MLS_FINDING_POWER_LOG) > before) {
            watts = NAN;
        } else if (node) {
            watts = watts_of_node(&log);
        } else if (!isnan(log.interconnect_power_est)) {
            watts = log.interconnect_power_est;
        } else if (log.count == 0) {
            warn_unknown(&log, "the power file has no interconnect_power_est");
        } else {
            warn_unknown(&log, "the power file of a switch has readings but no interconnect_power_est: it is not "
                               "counted");
            watts = 0;
        }
    }
    *joules += log.conversion_eff * watts * time_to_train_ms / 1000;
    free(log.items);
    return status;
}

/* ---------------------------------------------------- the files of a run */

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The files <folder>/power/result_<i>/node_<k>.txt and sw_<k>.txt belong to the run in <folder>/result_<i>.txt. */
void mls_run_extra_find_power(const mls_run *run, mls_run_extra *extra)
{
    const double time_ms = mls_run_minutes(run) * 60000;
    const mls_str folder = mls_path_folder(mls_str_from(run->file));
    const mls_str result = mls_str_from(mls_path_name(run->file));
    mls_findings *findings = &extra->power;
    mls_buffer path = {0};
    mls_sources files = {0};
    double joules = 0;
    size_t counted = 0;
    mls_buffer_append(&path, folder.len == 0 ? MLS_S("./") : folder);
    mls_buffer_append_text(&path, "power/");
    extra->joules = NAN;
    extra->has_power = run->result && is_folder(path.ptr);
    if (!extra->has_power || !isfinite(time_ms)) { /* a missing time is reported for the run itself */
        mls_buffer_release(&path);
        return;
    }
    mls_buffer_append(&path, (mls_str){result.ptr, result.len - strlen(".txt")});
    if (is_folder(path.ptr) && mls_sources_find((const char *const *)&path.ptr, 1, &files, NULL) != MLS_OK)
        joules = NAN;
    for (size_t i = 0; i < files.count; i++) {
        const mls_source *file = &files.items[i];
        const mls_str name = mls_str_from(mls_path_name(file->path));
        const bool node = mls_str_starts(name, MLS_S("node_"));
        if (!file->failed && !(mls_str_ends(name, MLS_S(".txt")) && (node || mls_str_starts(name, MLS_S("sw_")))))
            continue;
        counted++;
        if (file->skip != NULL) { /* without this file the sum would be too small */
            mls_findings_add(findings, MLS_FINDING_UNREADABLE, (mls_finding_place){.path = file->path}, "%s",
                             file->skip);
            joules = NAN;
        } else if (mls_energy_read(mls_source_open(file, true), node, time_ms, file->path, findings, &joules, NULL) !=
                   MLS_OK) {
            joules = NAN;
        }
    }
    if (counted == 0) {
        mls_findings_add(findings, MLS_FINDING_POWER_FILES, (mls_finding_place){.path = path.ptr},
                         "the run has no power files");
        joules = NAN;
    }
    extra->joules = joules;
    mls_sources_release(&files);
    mls_buffer_release(&path);
}

void mls_run_extra_release(mls_run_extra *extra)
{
    mls_findings_release(&extra->power);
    mls_findings_release(&extra->ending);
    *extra = (mls_run_extra){.joules = (double)NAN};
}
