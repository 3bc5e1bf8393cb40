/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - what devices did during a run: means, energy, gaps, reasons, counters, and what is to be said of them. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/number.h"
#include "telemetry/telemetry.h"

/* Gaps are longer than the larger of these; what must have been measured for an estimate; and what is worth a word. */
#define GAP_MS_MIN 5000
#define GAP_INTERVALS 5
#define COVERAGE_MIN 0.9
#define THROTTLED_MIN 0.01
#define POWER_CAP_MIN 0.10
#define USED_PERCENT_MIN 5
#define HALF_USED_PERCENT 50

double mls_gap_limit(const mls_log_device *device, const mls_telemetry_options *options)
{
    const double own = GAP_INTERVALS * device->interval_ms;
    return !isnan(options->gap_ms) ? options->gap_ms : own > GAP_MS_MIN ? own : GAP_MS_MIN;
}

/* The first row at or (`behind`) behind a time. */
static size_t first_row(const mls_log_device *device, double time_ms, bool behind)
{
    size_t low = 0;
    for (size_t high = device->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const double at = mls_device_row(device, middle)->time_ms;
        if (at < time_ms || (behind && at == time_ms)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ------------------------------------------------------------------- rows */

typedef struct running_mean {
    double sum, min, max;
    size_t count;
} running_mean;

static void mean_add(running_mean *mean, double value)
{
    if (!isnan(value)) {
        mean->min = mean->count == 0 || value < mean->min ? value : mean->min;
        mean->max = mean->count == 0 || value > mean->max ? value : mean->max;
        mean->sum += value;
        mean->count++;
    }
}

static double mean_of(const running_mean *mean)
{
    return mean->count > 0 ? mean->sum / (double)mean->count : (double)NAN;
}

static void sum_metrics(const mls_log_device *device, size_t first, size_t end, mls_telemetry_device *to)
{
    running_mean means[MLS_METRIC_COUNT] = {{0}};
    running_mean busy = {0};
    for (size_t i = first; i < end; i++) {
        const mls_log_row *row = mls_device_row(device, i);
        for (unsigned metric = 0; metric < MLS_METRIC_COUNT; metric++) {
            const bool power = metric == MLS_METRIC_POWER_W;
            mean_add(&means[metric], mls_device_value(device, row, metric) * (power ? device->power_scale : 1));
        }
        if (!(mls_device_value(device, row, MLS_METRIC_UTILIZATION_GPU_PERCENT) < HALF_USED_PERCENT)) {
            mean_add(&busy, mls_device_value(device, row, MLS_METRIC_SM_CLOCK_MHZ));
        }
    }
    for (unsigned metric = 0; metric < MLS_METRIC_COUNT; metric++) {
        const running_mean *mean = &means[metric];
        const bool any = mean->count > 0;
        to->metrics[metric] =
            (mls_metric_summary){mean_of(mean), any ? mean->min : (double)NAN, any ? mean->max : (double)NAN};
    }
    to->busy_clock_mhz = mean_of(&busy);
    to->samples = end - first;
}

/* How much counters rose from row to row; a fall is a reset. */
static void sum_counters(const mls_log_device *device, size_t first, size_t end, mls_telemetry_device *to)
{
    for (unsigned counter = 0; counter < MLS_COUNTER_COUNT; counter++) {
        double before = (double)NAN;
        to->counters[counter] = (double)NAN;
        for (size_t i = first; i < end; i++) {
            const double value = mls_device_value(device, mls_device_row(device, i), MLS_TELLS_COUNTER + counter);
            if (!isnan(value)) {
                const double rise = value > before ? value - before : 0;
                to->counters[counter] = isnan(before) ? 0 : to->counters[counter] + rise;
                before = value;
            }
        }
    }
}

/* Power at a time between two rows. */
static double power_at(double time_ms, double t0, double p0, double t1, double p1)
{
    return p0 + (p1 - p0) * ((time_ms - t0) / (t1 - t0));
}

/* The time between two rows, as much of it as lies in the run. */
static double sum_pair(const mls_log_device *device, const mls_log_row *one, const mls_log_row *two,
                       const mls_telemetry_run *run, mls_telemetry_device *to)
{
    const double t0 = one->time_ms;
    const double t1 = two->time_ms;
    const double from = t0 > run->start_ms ? t0 : run->start_ms;
    const double until = t1 < run->stop_ms ? t1 : run->stop_ms;
    const double p0 = mls_device_power(device, one);
    const double p1 = mls_device_power(device, two);
    const bool measured = !isnan(p0) && !isnan(p1);
    if (!(until > from) || (device->has_power && !measured)) {
        return 0;
    }
    if (measured) {
        to->energy_joules +=
            (power_at(from, t0, p0, t1, p1) + power_at(until, t0, p0, t1, p1)) / 2 * (until - from) / 1000;
    }
    const double bits = mls_device_value(device, one, MLS_TELLS_REASONS);
    for (unsigned reason = 0; reason < MLS_REASON_COUNT && !isnan(bits); reason++) {
        to->reasons[reason] += ((unsigned)bits >> reason & 1) != 0 ? until - from : 0;
    }
    return until - from;
}

/* Neighbouring rows, from the one before the run to the one behind it: energy, coverage, gaps and reasons. */
static void sum_time(const mls_log_device *device, size_t first, const mls_telemetry_run *run,
                     const mls_telemetry_options *options, mls_telemetry_device *to)
{
    const double limit = mls_gap_limit(device, options);
    double covered = 0;
    to->gaps = 0;
    for (size_t i = first > 0 ? first - 1 : 0; i + 1 < device->count; i++) {
        const mls_log_row *one = mls_device_row(device, i);
        const mls_log_row *two = mls_device_row(device, i + 1);
        const double distance = two->time_ms - one->time_ms;
        if (one->time_ms >= run->stop_ms) {
            break;
        }
        if (distance <= limit) {
            covered += sum_pair(device, one, two, run, to);
        } else if (two->time_ms > run->start_ms) {
            to->gaps++;
            to->longest_gap_ms =
                distance > to->longest_gap_ms || isnan(to->longest_gap_ms) ? distance : to->longest_gap_ms;
        }
    }
    for (unsigned reason = 0; reason < MLS_REASON_COUNT; reason++) {
        to->reasons[reason] /= covered > 0 ? covered : 1;
    }
    to->coverage = covered / (run->stop_ms - run->start_ms);
    to->has_reasons = device->has_reasons && covered > 0;
    to->energy_joules = device->has_power && covered > 0 ? to->energy_joules : (double)NAN;
    to->mean_power_w = to->energy_joules * 1000 / covered;
    to->energy_estimate_joules = to->coverage >= COVERAGE_MIN ? to->energy_joules / to->coverage : (double)NAN;
}

static void sum_device(const struct mls_telemetry_file *file, const mls_log_device *device,
                       const mls_telemetry_run *run, const mls_telemetry_options *options, mls_telemetry_device *to)
{
    const double none = (double)NAN;
    *to = (mls_telemetry_device){.file = file->path,
                                 .host = file->host.ptr,
                                 .device = device->name.ptr,
                                 .uuid = device->uuid.ptr,
                                 .name = device->model.ptr,
                                 .source = device->format->source,
                                 .interval_ms = device->interval_ms,
                                 .first_ms = none,
                                 .last_ms = none,
                                 .coverage = none,
                                 .gaps = none,
                                 .longest_gap_ms = none,
                                 .mean_power_w = none,
                                 .energy_estimate_joules = none};
    if (device->timed) {
        to->first_ms = mls_device_row(device, 0)->time_ms;
        to->last_ms = mls_device_row(device, device->count - 1)->time_ms;
    }
    const bool joined = device->timed && run->stop_ms >= run->start_ms;
    const size_t first = joined ? first_row(device, run->start_ms, false) : 0;
    const size_t end = joined ? first_row(device, run->stop_ms, true) : device->timed ? 0 : device->count;
    sum_metrics(device, first, end, to);
    sum_counters(device, first, end, to);
    if (joined && run->stop_ms > run->start_ms) {
        sum_time(device, first, run, options, to);
    } else {
        to->energy_joules = none;
    }
}

/* ---------------------------------------------------------------- findings */

mls_device_words mls_device_called(const mls_telemetry_device *device)
{
    mls_device_words words;
    (void)snprintf(words.text, sizeof words.text, "%.60s%sdevice %.60s", device->host != NULL ? device->host : "",
                   device->host != NULL ? " " : "", device->device);
    return words;
}

/* What may be wrong with devices of a file: the one of which it is worst stands for all. */
typedef struct device_fault {
    mls_finding_code code;
    bool below; /* worse is less */
    const char *before, *behind;
    double scale;
    int decimals;
} device_fault;

enum { NO_OVERLAP, LITTLE_COVERED, WITH_GAPS, THROTTLED, CAPPED, UNCORRECTED, CORRECTED, UNUSED, FAULTS };

static const device_fault device_faults[FAULTS] = {
    [NO_OVERLAP] = {MLS_FINDING_NO_OVERLAP, false, "covers nothing of the run: it was measured", NULL, 0, 0},
    [LITTLE_COVERED] = {MLS_FINDING_COVERAGE, true, "was measured for only ", " % of the time", 100, 1},
    [WITH_GAPS] = {MLS_FINDING_GAP, false, "was not measured for ", " s on end", 0.001, 1},
    [THROTTLED] = {MLS_FINDING_THROTTLED, false, "was slowed down for ", " % of the time", 100, 1},
    [CAPPED] = {MLS_FINDING_POWER_CAP, false, "ran at its power limit for ", " % of the time", 100, 1},
    [UNCORRECTED] = {MLS_FINDING_ECC_UNCORRECTED, false, "counted uncorrected memory errors: ", "", 1, 0},
    [CORRECTED] = {MLS_FINDING_ECC_CORRECTED, false, "counted corrected memory errors: ", "", 1, 0},
    [UNUSED] = {MLS_FINDING_UNUSED_DEVICE, true, "was used for ", " % of the time", 1, 1},
};

static double slowed(const mls_telemetry_device *device)
{
    static const mls_reason reasons[] = {MLS_REASON_HW_SLOWDOWN, MLS_REASON_HW_THERMAL_SLOWDOWN,
                                         MLS_REASON_HW_POWER_BRAKE_SLOWDOWN, MLS_REASON_SW_THERMAL_SLOWDOWN};
    double most = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const double share = device->reasons[reasons[i]];
        most = share > most ? share : most;
    }
    return most;
}

/* How bad a fault of a device is; NaN: it has not got it.  Where no run was named, there is none to miss. */
static double fault_of(const mls_telemetry_device *device, bool named, size_t fault)
{
    const double coverage = device->coverage;
    const double value[FAULTS] = {
        [NO_OVERLAP] = coverage,
        [LITTLE_COVERED] = coverage,
        [WITH_GAPS] = device->longest_gap_ms,
        [THROTTLED] = slowed(device),
        [CAPPED] = device->reasons[MLS_REASON_SW_POWER_CAP],
        [UNCORRECTED] = device->counters[MLS_COUNTER_ECC_UNCORRECTED],
        [CORRECTED] = device->counters[MLS_COUNTER_ECC_CORRECTED],
        [UNUSED] = device->metrics[MLS_METRIC_UTILIZATION_GPU_PERCENT].mean,
    };
    const bool has[FAULTS] = {
        [NO_OVERLAP] = named && coverage <= 0,
        [LITTLE_COVERED] = COVERAGE_MIN > coverage && (!named || coverage > 0),
        [WITH_GAPS] = device->gaps > 0,
        [THROTTLED] = value[THROTTLED] > THROTTLED_MIN,
        [CAPPED] = value[CAPPED] > POWER_CAP_MIN,
        [UNCORRECTED] = value[UNCORRECTED] > 0,
        [CORRECTED] = value[CORRECTED] > 0,
        [UNUSED] = value[UNUSED] < USED_PERCENT_MIN,
    };
    return has[fault] ? value[fault] : (double)NAN;
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

/* Tells a fault of the devices of one file, from `first` to `end` of the window's. */
static void tell_fault(mls_telemetry_window *window, size_t number, size_t first, size_t end)
{
    const device_fault *fault = &device_faults[number];
    const mls_telemetry_device *worst = NULL;
    double most = 0;
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        const double value = fault_of(&window->devices[i], window->run.file != NULL, number);
        if (!isnan(value)) {
            count++;
            if (worst == NULL || (fault->below ? value < most : value > most)) {
                worst = &window->devices[i];
                most = value;
            }
        }
    }
    if (worst != NULL) {
        char others[60] = "";
        char when[80] = "";
        if (number == NO_OVERLAP) {
            say_when(worst, when);
        }
        if (count > 1) {
            (void)snprintf(others, sizeof others, " (and %zu other%s of the file alike)", count - 1,
                           count > 2 ? "s" : "");
        }
        const mls_finding_place place = {.path = worst->file};
        mls_findings_add(&window->findings, fault->code, place, "%s %s%s%s%s%s", mls_device_called(worst).text,
                         fault->before,
                         fault->behind != NULL ? mls_words_grouped(most * fault->scale, fault->decimals).text : "",
                         fault->behind != NULL ? fault->behind : "", when, others);
    }
}

/* ----------------------------------------------------------------- windows */

/*
 * Marks devices that another log has measured at the same time: of the same number and host or, where names of logs
 * tell no host, in the same folder.  What logs that follow each other have measured is all different.
 */
static bool mark_repeated(mls_telemetry_window *window)
{
    mls_arena arena = {0};
    mls_map places = {.arena = &arena};
    mls_buffer key = {0};
    bool ok = true;
    for (size_t i = 0; i < window->device_count && ok; i++) {
        mls_telemetry_device *device = &window->devices[i];
        const mls_str folder = mls_path_folder(mls_str_from(device->file));
        mls_buffer_clear(&key);
        if (device->host != NULL) {
            mls_buffer_printf(&key, "%s\n%s", device->host, device->device);
        } else {
            mls_buffer_printf(&key, "\n%s\n%.*s", device->device, (int)folder.len, folder.ptr);
        }
        bool added;
        mls_map_entry *entry = key.failed ? NULL : mls_map_put(&places, mls_buffer_str(&key), &added);
        ok = entry != NULL;
        if (ok && !added) {
            mls_telemetry_device *other = &window->devices[entry->value.number];
            const bool both = !(device->coverage + other->coverage <= 1);
            const bool more = device->coverage > other->coverage ||
                              (!(device->coverage < other->coverage) && device->samples > other->samples);
            device->repeated = both && !more;
            other->repeated |= both && more;
            device->continued = !both;
            entry->value.number = more ? i : entry->value.number;
        } else if (ok) {
            entry->value.number = i;
        }
    }
    mls_arena_release(&arena);
    mls_buffer_release(&key);
    return ok;
}

static bool sum_window(mls_telemetry_window *window)
{
    const bool ok = mark_repeated(window);
    bool estimated = true;
    size_t powered = 0;
    double covered = 0;
    window->energy_joules = window->energy_estimate_joules = 0;
    for (size_t i = 0; i < window->device_count; i++) {
        const mls_telemetry_device *device = &window->devices[i];
        window->different += !device->repeated && !device->continued;
        if (!isnan(device->energy_joules) && !device->repeated) {
            powered += !device->continued;
            covered += device->coverage * (window->run.stop_ms - window->run.start_ms);
            estimated &= !isnan(device->energy_estimate_joules);
            window->energy_joules += device->energy_joules;
            window->energy_estimate_joules += device->energy_estimate_joules;
        }
    }
    const double none = (double)NAN;
    window->energy_joules = covered > 0 ? window->energy_joules : none;
    window->energy_estimate_joules = covered > 0 && estimated ? window->energy_estimate_joules : none;
    window->mean_power_w = window->energy_joules * 1000 / covered * (double)powered;
    return ok;
}

mls_status mls_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                           const mls_telemetry_run *run, const mls_telemetry_options *options,
                           mls_telemetry_window *window)
{
    size_t devices = 0;
    *window = (mls_telemetry_window){.run = *run};
    for (size_t i = 0; i < count; i++) {
        devices += mls_str_starts(mls_str_from(files[i].path), folder) ? files[i].count : 0;
    }
    window->devices = calloc(devices + 1, sizeof *window->devices);
    if (window->devices == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const struct mls_telemetry_file *file = &files[i];
        const size_t first = window->device_count;
        if (!mls_str_starts(mls_str_from(file->path), folder)) {
            continue;
        }
        for (size_t k = 0; k < file->count; k++) {
            sum_device(file, &file->devices[k], run, options, &window->devices[window->device_count++]);
        }
        mls_findings_append(&window->findings, &file->findings);
        for (size_t fault = 0; fault < FAULTS; fault++) {
            tell_fault(window, fault, first, window->device_count);
        }
    }
    if (run->file != NULL && !(run->stop_ms > run->start_ms)) {
        mls_findings_add_as(&window->findings, MLS_FINDING_MISSING_STEP, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.path = run->file, .line = run->line},
                            "the run has no run_start, or no run_stop behind it: nothing can be joined with it");
    }
    return sum_window(window) && mls_window_compare(window) && !window->findings.out_of_memory ? MLS_OK
                                                                                               : MLS_ERROR_MEMORY;
}

void mls_window_release(mls_telemetry_window *window)
{
    free(window->devices);
    free(window->outliers);
    mls_findings_release(&window->findings);
    *window = (mls_telemetry_window){0};
}
