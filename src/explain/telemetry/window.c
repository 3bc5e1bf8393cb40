/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - what devices did during a run: means, energy, gaps, reasons, counters, and what is to be said of them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/words.h"
#include "explain/telemetry/files.h"

/* The use above which a clock is compared. */
#define HALF_USED_PERCENT 50

/* Of one value: of a metric its sum, of a counter that of its rises from row to row; a fall is a reset. */
typedef struct running_value {
    double sum, min, max, before;
    size_t count;
} running_value;

static void running_add(running_value *to, double value, bool counter)
{
    if (isnan(value)) {
        return;
    }
    const double rise = to->count > 0 && value > to->before ? value - to->before : 0;
    to->sum += counter ? rise : value;
    to->min = to->count == 0 || value < to->min ? value : to->min;
    to->max = to->count == 0 || value > to->max ? value : to->max;
    to->before = value;
    to->count++;
}

static const running_value no_value = {(double)NAN, (double)NAN, (double)NAN, 0, 0};

static void sum_rows(const mls_log_device *device, size_t first, size_t end, mls_telemetry_device *to)
{
    running_value values[MLS_QUANTITY_REASONS] = {{0}};
    running_value busy = {0};
    for (size_t i = first; i < end; i++) {
        const mls_log_row *row = &device->rows[i];
        for (unsigned quantity = 0; quantity < MLS_QUANTITY_REASONS; quantity++) {
            if (device->slots[quantity] >= 0) {
                running_add(&values[quantity], mls_device_value(device, row, quantity),
                            quantity >= MLS_QUANTITY_COUNTER);
            }
        }
        if (!(mls_device_value(device, row, MLS_METRIC_UTILIZATION_GPU_PERCENT) < HALF_USED_PERCENT)) {
            running_add(&busy, mls_device_value(device, row, MLS_METRIC_SM_CLOCK_MHZ), false);
        }
    }
    for (unsigned quantity = 0; quantity < MLS_QUANTITY_REASONS; quantity++) {
        const running_value *of = values[quantity].count > 0 ? &values[quantity] : &no_value;
        if (quantity < MLS_QUANTITY_COUNTER) {
            to->metrics[quantity] = (mls_metric_summary){of->sum / (double)of->count, of->min, of->max};
        } else {
            to->counters[quantity - MLS_QUANTITY_COUNTER] = of->sum;
        }
    }
    to->busy_clock_mhz = busy.count > 0 ? busy.sum / (double)busy.count : (double)NAN;
    to->samples = end - first;
}

/* Neighbouring rows, from the one before the run to the one after it: energy, coverage, gaps and reasons. */
static void sum_time(const mls_log_device *device, size_t first, const mls_telemetry_run *run,
                     const mls_telemetry_options *options, mls_telemetry_device *to)
{
    const double limit = mls_device_gap_limit(device, options);
    double covered = 0;
    double energy = 0;
    to->gaps = 0;
    size_t i = first > 0 ? first - 1 : 0;
    double p0 = mls_device_power(device, &device->rows[i]);
    for (; i + 1 < device->count && device->rows[i].time_ms < run->stop_ms; i++) {
        const double t0 = device->rows[i].time_ms;
        const double t1 = device->rows[i + 1].time_ms;
        const double p1 = mls_device_power(device, &device->rows[i + 1]);
        const double from = t0 > run->start_ms ? t0 : run->start_ms;
        const double until = t1 < run->stop_ms ? t1 : run->stop_ms;
        if (t1 - t0 > limit && t1 > run->start_ms) {
            to->gaps++;
            to->longest_gap_ms = fmax(t1 - t0, to->longest_gap_ms);
        } else if (until > from && mls_device_measured(device, t1 - t0, limit, p0, p1)) {
            const double bits = mls_device_value(device, &device->rows[i], MLS_QUANTITY_REASONS);
            energy += mls_energy_between(from, until, t0, p0, t1, p1);
            covered += until - from;
            for (unsigned left = bits > 0 ? (unsigned)bits : 0; left != 0; left &= left - 1) {
                to->reasons[__builtin_ctz(left)] += until - from;
            }
        }
        p0 = p1;
    }
    for (unsigned reason = 0; reason < MLS_REASON_COUNT; reason++) {
        to->reasons[reason] /= covered > 0 ? covered : 1;
    }
    to->coverage = covered / (run->stop_ms - run->start_ms);
    to->has_reasons = device->has_reasons && covered > 0;
    to->energy_joules = device->has_power && covered > 0 ? energy : (double)NAN;
    to->mean_power_w = to->energy_joules * 1000 / covered;
    to->energy_estimate_joules = to->coverage >= MLS_COVERAGE_MIN ? to->energy_joules / to->coverage : (double)NAN;
    to->slowed =
        fmax(fmax(to->reasons[MLS_REASON_HW_SLOWDOWN], to->reasons[MLS_REASON_HW_THERMAL_SLOWDOWN]),
             fmax(to->reasons[MLS_REASON_HW_POWER_BRAKE_SLOWDOWN], to->reasons[MLS_REASON_SW_THERMAL_SLOWDOWN]));
}

static mls_telemetry_device sum_device(const struct mls_telemetry_file *file, const mls_log_device *device,
                                       const mls_telemetry_run *run, const mls_telemetry_options *options)
{
    const double none = (double)NAN;
    const bool joined = device->timed && run->stop_ms >= run->start_ms;
    const size_t first = joined ? mls_device_find(device, run->start_ms, false) : 0;
    const size_t end = joined ? mls_device_find(device, run->stop_ms, true) : device->timed ? 0 : device->count;
    mls_telemetry_device sums = {.file = file->source.path,
                                 .host = file->host.ptr,
                                 .device = device->name.ptr,
                                 .uuid = device->ids[1].ptr,
                                 .name = device->model.ptr,
                                 .instance = device->instance,
                                 .source = mls_log_formats[device->kind].source,
                                 .first_ms = device->timed ? device->rows[0].time_ms : none,
                                 .last_ms = device->timed ? device->rows[device->count - 1].time_ms : none,
                                 .interval_ms = device->interval_ms,
                                 .coverage = none,
                                 .gaps = none,
                                 .longest_gap_ms = none,
                                 .energy_joules = none,
                                 .mean_power_w = none,
                                 .energy_estimate_joules = none};
    sum_rows(device, first, end, &sums);
    if (joined && run->stop_ms > run->start_ms) {
        sum_time(device, first, run, options, &sums);
    }
    return sums;
}

/* The faults that devices of a file may have: the device of which it is worst stands for all. */
static const struct device_fault {
    mls_finding_code code;
    size_t at;           /* of a double in mls_telemetry_device, which has the fault between these bounds */
    double above, below; /* where the lower one is none, worse is less */
    const char *before, *after;
    double scale;
    int decimals;
} device_faults[] = {
#define AT(member) offsetof(mls_telemetry_device, member)
    {MLS_FINDING_NO_OVERLAP, AT(together), -1, DBL_MIN, "covers nothing of the run: it was measured", NULL, 0, 0},
    {MLS_FINDING_COVERAGE, AT(together), -1, MLS_COVERAGE_MIN, "was measured for only ", " % of the time", 100, 1},
    {MLS_FINDING_GAP, AT(longest_gap_ms), 0, INFINITY, "was not measured for ", " s on end", 0.001, 1},
    {MLS_FINDING_THROTTLED, AT(slowed), 0.01, INFINITY, "was slowed down for ", " % of the time", 100, 1},
    {MLS_FINDING_POWER_CAP, AT(reasons[MLS_REASON_SW_POWER_CAP]), 0.1, INFINITY, "ran at its power limit for ",
     " % of the time", 100, 1},
    {MLS_FINDING_ECC_UNCORRECTED, AT(counters[MLS_COUNTER_ECC_UNCORRECTED]), 0, INFINITY,
     "counted uncorrected memory errors: ", "", 1, 0},
    {MLS_FINDING_ECC_CORRECTED, AT(counters[MLS_COUNTER_ECC_CORRECTED]), 0, INFINITY,
     "counted corrected memory errors: ", "", 1, 0},
    {MLS_FINDING_UNUSED_DEVICE, AT(metrics[MLS_METRIC_UTILIZATION_GPU_PERCENT].mean), -INFINITY, 5, "was used for ",
     " % of the time", 1, 1},
#undef AT
};

/* How bad a fault of a device is; NaN: it has not got it.  Where no run was named, there is none to miss. */
static double fault_of(const mls_telemetry_device *device, const struct device_fault *fault, bool named)
{
    double value;
    memcpy(&value, (const char *)device + fault->at, sizeof value);
    const bool nothing = named && device->together <= 0;
    const bool other = fault->code == MLS_FINDING_NO_OVERLAP ? !named : fault->code == MLS_FINDING_COVERAGE && nothing;
    return !other && value > fault->above && value < fault->below ? value : (double)NAN;
}

/* " from 2026-11-21 08:24:52 to 2026-11-21 08:26:12 UTC", which helps to see which clock or day is wrong. */
static void say_when(const mls_telemetry_device *device, char text[80])
{
    const double ends[] = {device->first_ms, device->last_ms};
    size_t used = 0;
    for (size_t i = 0; i < 2; i++) {
        const time_t seconds = fabs(ends[i]) < 1e14 ? (time_t)(ends[i] / 1000) : 0;
        struct tm parts;
        if (gmtime_r(&seconds, &parts) != NULL) {
            used += strftime(text + used, 80 - used, i == 0 ? " from %F %T" : " to %F %T UTC", &parts);
        }
    }
}

/* Reports a fault of the devices of one file. */
static void report_fault(mls_telemetry_window *window, const struct device_fault *fault,
                         const mls_telemetry_device *devices, size_t count)
{
    const mls_telemetry_device *worst = NULL;
    double worst_value = 0;
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = fault_of(&devices[i], fault, window->run.file != NULL);
        others += !isnan(value) && worst != NULL;
        if (!isnan(value) && (worst == NULL || (fault->above < 0 ? value < worst_value : value > worst_value))) {
            worst = &devices[i];
            worst_value = value;
        }
    }
    if (worst == NULL) {
        return;
    }
    char alike[60] = "";
    char when[80] = "";
    if (others > 0) {
        (void)snprintf(alike, sizeof alike, " (and %zu other%s of the file alike)", others, others > 1 ? "s" : "");
    }
    if (fault->after == NULL) {
        say_when(worst, when);
    }
    mls_findings_add(&window->findings, fault->code, (mls_finding_place){.path = worst->file}, "%s %s%s%s%s%s",
                     mls_device_called(worst).text, fault->before,
                     fault->after != NULL ? mls_words_grouped(worst_value * fault->scale, fault->decimals).text : "",
                     fault->after != NULL ? fault->after : "", when, alike);
}

/* Everything is below an empty folder. */
static bool is_below(const char *path, mls_str folder)
{
    return folder.len == 0 || (mls_str_starts(mls_str_from(path), folder) && path[folder.len] == '/');
}

/* Sums up the devices of files, and what logs each is of. */
static void sum_devices(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                        const mls_telemetry_options *options, mls_telemetry_window *window, const mls_log_device **logs)
{
    for (size_t i = 0; i < count; i++) {
        const struct mls_telemetry_file *file = &files[i];
        for (size_t k = 0; k < file->count && is_below(file->source.path, folder); k++) {
            logs[window->device_count] = &file->devices[k];
            window->devices[window->device_count++] = sum_device(file, &file->devices[k], &window->run, options);
        }
    }
}

static void report_files(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                         mls_telemetry_window *window)
{
    const mls_telemetry_device *next = window->devices;
    for (size_t i = 0; i < count; i++) {
        if (is_below(files[i].source.path, folder)) {
            mls_findings_append(&window->findings, &files[i].findings);
            for (size_t k = 0; k < sizeof device_faults / sizeof *device_faults; k++) {
                report_fault(window, &device_faults[k], next, files[i].count);
            }
            next += files[i].count;
        }
    }
    const mls_telemetry_run *run = &window->run;
    if (run->file != NULL && !(run->stop_ms > run->start_ms)) {
        mls_findings_add_as(&window->findings, MLS_FINDING_MISSING_STEP, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.path = run->file, .line = run->line},
                            "the run has no run_start, or no run_stop behind it: nothing can be joined with it");
    }
}

mls_status mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                                     const mls_telemetry_run *run, const mls_telemetry_options *options,
                                     mls_telemetry_window *window)
{
    size_t max = 0;
    *window = (mls_telemetry_window){.run = *run};
    for (size_t i = 0; i < count; i++) {
        max += is_below(files[i].source.path, folder) ? files[i].count : 0;
    }
    const mls_log_device **logs = mls_calloc(max + 1, sizeof *logs);
    window->devices = mls_calloc(max + 1, sizeof *window->devices);
    bool ok = window->devices != NULL;
    if (ok) {
        sum_devices(files, count, folder, options, window, logs);
        ok = mls_telemetry_window_sum(window, logs, options);
    }
    free(logs);
    if (ok) {
        report_files(files, count, folder, window);
        ok = mls_telemetry_window_compare(window);
    }
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

void mls_telemetry_window_release(mls_telemetry_window *window)
{
    free(window->devices);
    free(window->outliers);
    mls_findings_release(&window->findings);
    *window = (mls_telemetry_window){0};
}
