/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy.c - sums up the readings of a power file, or takes its estimate.
 */
#include "score/energy.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "mlscore/value.h"
#include "score/statistics.h"

#define MILLISECONDS_PER_SECOND 1000.0

void mls_power_log_init(mls_power_log *log)
{
    *log = (mls_power_log){.conversion_eff = NAN, .interconnect_power_est = NAN};
}

void mls_power_log_release(mls_power_log *log)
{
    free(log->items);
    mls_power_log_init(log);
}

static mls_status add_event(mls_power_log *log, const mls_record *record, mls_power_event_kind kind, double watts)
{
    if (log->count == MLS_POWER_EVENTS_MAX) {
        log->too_many = true;
        return MLS_OK;
    }
    if (!MLS_GROW(log, items)) {
        return MLS_ERROR_MEMORY;
    }
    log->items[log->count] = (mls_power_event){record->time_ms, watts, log->count, kind};
    log->count++;
    return MLS_OK;
}

/* The record's value as a finite number; NaN, and one more unreadable, when it is none. */
static double read_number(mls_power_log *log, const mls_record *record)
{
    double number;
    if (mls_json_number(record->value, &number) && isfinite(number)) {
        return number;
    }
    log->unreadable++;
    return NAN;
}

static mls_status take_record(void *state, const mls_record *record)
{
    mls_power_log *log = state;
    if (mls_str_equal(record->key, MLS_S("power_reading"))) {
        double watts = read_number(log, record);
        return isnan(watts) ? MLS_OK : add_event(log, record, MLS_POWER_READING, watts);
    }
    if (mls_str_equal(record->key, MLS_S("power_measurement_start"))) {
        return add_event(log, record, MLS_POWER_START, 0);
    }
    if (mls_str_equal(record->key, MLS_S("power_measurement_stop"))) {
        return add_event(log, record, MLS_POWER_STOP, 0);
    }
    if (mls_str_equal(record->key, MLS_S("conversion_eff"))) {
        log->conversion_eff = read_number(log, record);
    } else if (mls_str_equal(record->key, MLS_S("interconnect_power_est"))) {
        log->interconnect_power_est = read_number(log, record);
    }
    return MLS_OK;
}

static mls_status take_malformed(void *state, const mls_malformed *malformed)
{
    (void)malformed;
    ((mls_power_log *)state)->unreadable++;
    return MLS_OK;
}

mls_sink mls_power_log_sink(mls_power_log *log)
{
    return (mls_sink){.state = log, .record = take_record, .malformed = take_malformed};
}

static int compare_events(const void *left, const void *right)
{
    const mls_power_event *a = left;
    const mls_power_event *b = right;
    const int order = mls_compare_doubles(a->time_ms, b->time_ms);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

static void complain(mls_findings *findings, const char *path, const char *what)
{
    mls_findings_add(findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = path}, "%s", what);
}

/* What holds for nodes and switches alike; false when the file is of no use. */
static bool log_is_usable(const mls_power_log *log, double time_to_train_ms, const char *path, mls_findings *findings)
{
    if (log->unreadable > 0) {
        mls_findings_add(findings, MLS_FINDING_POWER_LOG, (mls_finding_place){.path = path},
                         "the power file holds lines or readings that cannot be read (%zu)", log->unreadable);
    }
    if (log->too_many) {
        complain(findings, path, "the power file holds too many readings");
    }
    if (isnan(log->conversion_eff)) {
        complain(findings, path, "the power file does not say conversion_eff");
    }
    if (!isfinite(time_to_train_ms)) {
        complain(findings, path, "the run has no time to train, so it has no energy");
    }
    return log->unreadable == 0 && !log->too_many && !isnan(log->conversion_eff) && isfinite(time_to_train_ms);
}

/* What was summed up between start and stop. */
typedef struct measurement {
    bool started;
    bool stopped;
    double start_ms;
    double end_ms; /* of the stop, or of the last reading so far */
    double watt_milliseconds;
} measurement;

static measurement measure(const mls_power_log *log)
{
    measurement sum = {false, false, NAN, NAN, 0};
    for (size_t i = 0; i < log->count && !sum.stopped; i++) {
        const mls_power_event *event = &log->items[i];
        if (event->kind == MLS_POWER_START && !sum.started) {
            sum.started = true;
            sum.start_ms = sum.end_ms = event->time_ms;
        } else if (event->kind == MLS_POWER_READING && sum.started) {
            sum.watt_milliseconds += event->watts * (event->time_ms - sum.end_ms);
            sum.end_ms = event->time_ms;
        } else if (event->kind == MLS_POWER_STOP && sum.started) {
            sum.stopped = true;
            sum.end_ms = event->time_ms;
        }
    }
    return sum;
}

double mls_energy_of_node(mls_power_log *log, double time_to_train_ms, const char *path, mls_findings *findings)
{
    if (!log_is_usable(log, time_to_train_ms, path, findings)) {
        return NAN;
    }
    if (log->count > 1) {
        qsort(log->items, log->count, sizeof *log->items, compare_events);
    }
    measurement sum = measure(log);
    if (!sum.started) {
        complain(findings, path, "the power file has no power_measurement_start");
        return NAN;
    }
    if (!(sum.end_ms > sum.start_ms)) {
        complain(findings, path, "the power file has no reading after power_measurement_start");
        return NAN;
    }
    if (!sum.stopped) {
        mls_findings_add(findings, MLS_FINDING_POWER_STOP, (mls_finding_place){.path = path},
                         "the power file has no power_measurement_stop; the last reading ends the measurement");
    }
    double mean_watts = sum.watt_milliseconds / (sum.end_ms - sum.start_ms);
    return log->conversion_eff * mean_watts * time_to_train_ms / MILLISECONDS_PER_SECOND;
}

double mls_energy_of_switch(const mls_power_log *log, double time_to_train_ms, const char *path, mls_findings *findings)
{
    if (!log_is_usable(log, time_to_train_ms, path, findings)) {
        return NAN;
    }
    if (isnan(log->interconnect_power_est) && log->count > 0) {
        complain(findings, path, "the file of a switch holds readings and no interconnect_power_est: it adds nothing");
        return 0;
    }
    if (isnan(log->interconnect_power_est)) {
        complain(findings, path, "the power file does not say interconnect_power_est");
        return NAN;
    }
    return log->conversion_eff * log->interconnect_power_est * time_to_train_ms / MILLISECONDS_PER_SECOND;
}

mls_status mls_energy_read(int fd, bool node, double time_to_train_ms, const char *path, mls_findings *findings,
                           double *joules, mls_error *error)
{
    mls_power_log log;
    mls_power_log_init(&log);
    const mls_sink sink = mls_power_log_sink(&log);
    const mls_status status = mls_log_scan_fd(fd, NULL, &sink, 1, NULL, error);
    (void)close(fd);
    *joules = (double)NAN;
    if (status == MLS_OK) {
        *joules = node ? mls_energy_of_node(&log, time_to_train_ms, path, findings)
                       : mls_energy_of_switch(&log, time_to_train_ms, path, findings);
    }
    mls_power_log_release(&log);
    return status;
}
