/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - sum up what devices did during a run (means, energy, gaps, throttling, counters), count each moment of a
 * device once even if several logs measured it, find devices that differ from their peers, suggest a time zone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/words.h"
#include "explain/telemetry/files.h"

/* The minimum share of a run that must be measured for an estimate of its energy. */
#define COVERAGE_MIN 0.9

/* ------------------------------------------------------------ one device */

/* Return the index of the first row at or after a time; if `after`, of the first row after it. */
static size_t find_row(const mls_log_device *device, double time_ms, bool after)
{
    size_t low = 0;
    for (size_t high = device->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const double at = device->rows[middle].time_ms;
        if (at < time_ms || (after && at == time_ms))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the milliseconds between two rows above which there is a gap. */
static double gap_limit(const mls_log_device *device, const mls_telemetry_options *options)
{
    enum { MIN_MS = 5000, INTERVALS = 5 };
    const double own = INTERVALS * device->interval_ms;
    return !isnan(options->gap_ms) ? options->gap_ms : own > MIN_MS ? own : MIN_MS;
}

/* Return whether the time between two rows counts as measured: it is not a gap, and both rows have power values (p0,
 * p1) if the device has any. */
static inline bool is_measured(const mls_log_device *device, double distance, double limit, double p0, double p1)
{
    return distance <= limit && (!device->has_power || !isnan(p0 + p1));
}

/* Return the energy in joules between two times.  Power is interpolated linearly between the rows (t0, p0) and (t1,
 * p1). */
static inline double energy_between(double from, double until, double t0, double p0, double t1, double p1)
{
    const double at_from = p0 + (p1 - p0) * ((from - t0) / (t1 - t0));
    const double at_until = p0 + (p1 - p0) * ((until - t0) / (t1 - t0));
    return (at_from + at_until) / 2 * (until - from) / 1000;
}

/* Statistics of a metric, or of a counter.  The `sum` of a counter adds up its rises from row to row; a fall is a
 * reset. */
typedef struct running_value {
    double sum, min, max, before;
    size_t count;
} running_value;

static void running_add(running_value *to, double value, bool counter)
{
    if (isnan(value))
        return;
    const double rise = to->count > 0 && value > to->before ? value - to->before : 0;
    to->sum += counter ? rise : value;
    to->min = to->count == 0 || value < to->min ? value : to->min;
    to->max = to->count == 0 || value > to->max ? value : to->max;
    to->before = value;
    to->count++;
}

static mls_telemetry_device sum_device(const struct mls_telemetry_file *file, const mls_log_device *device,
                                       const mls_telemetry_run *run, const mls_telemetry_options *options)
{
    enum { HALF_USED_PERCENT = 50 };
    const double none = (double)NAN;
    const bool joined = device->timed && run->stop_ms >= run->start_ms;
    const size_t first = joined ? find_row(device, run->start_ms, false) : 0;
    const size_t end = joined ? find_row(device, run->stop_ms, true) : device->timed ? 0 : device->count;
    mls_telemetry_device to = {.file = file->source.path,
                               .host = file->host.ptr,
                               .device = device->name.ptr,
                               .uuid = device->ids[1].ptr,
                               .name = device->model.ptr,
                               .instance = device->instance,
                               .source = device->source,
                               .first_ms = device->timed ? device->rows[0].time_ms : none,
                               .last_ms = device->timed ? device->rows[device->count - 1].time_ms : none,
                               .samples = end - first,
                               .interval_ms = device->interval_ms,
                               .coverage = none,
                               .gaps = none,
                               .longest_gap_ms = none,
                               .energy_joules = none,
                               .mean_power_w = none,
                               .energy_estimate_joules = none};

    /* Take the values of the rows in the run.  `busy` is for clocks of rows in which the device is in use. */
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
        if (!(mls_device_value(device, row, MLS_METRIC_UTILIZATION_GPU_PERCENT) < HALF_USED_PERCENT))
            running_add(&busy, mls_device_value(device, row, MLS_METRIC_SM_CLOCK_MHZ), false);
    }
    for (unsigned quantity = 0; quantity < MLS_QUANTITY_REASONS; quantity++) {
        const running_value *of = &values[quantity];
        if (quantity >= MLS_QUANTITY_COUNTER)
            to.counters[quantity - MLS_QUANTITY_COUNTER] = of->count > 0 ? of->sum : none;
        else if (of->count > 0)
            to.metrics[quantity] = (mls_metric_summary){of->sum / (double)of->count, of->min, of->max};
        else
            to.metrics[quantity] = (mls_metric_summary){none, none, none};
    }
    to.busy_clock_mhz = busy.count > 0 ? busy.sum / (double)busy.count : none;
    if (!joined || !(run->stop_ms > run->start_ms))
        return to;

    /* Add up the times between adjacent rows, from the last row before the run to the first row after it. */
    const double limit = gap_limit(device, options);
    double covered = 0;
    double energy = 0;
    to.gaps = 0;
    size_t i = first > 0 ? first - 1 : 0;
    double p0 = mls_device_power(device, &device->rows[i]);
    for (; i + 1 < device->count && device->rows[i].time_ms < run->stop_ms; i++) {
        const double t0 = device->rows[i].time_ms;
        const double t1 = device->rows[i + 1].time_ms;
        const double p1 = mls_device_power(device, &device->rows[i + 1]);
        const double from = t0 > run->start_ms ? t0 : run->start_ms;
        const double until = t1 < run->stop_ms ? t1 : run->stop_ms;
        if (t1 - t0 > limit && t1 > run->start_ms) {
            to.gaps++;
            to.longest_gap_ms = fmax(t1 - t0, to.longest_gap_ms);
        } else if (until > from && is_measured(device, t1 - t0, limit, p0, p1)) {
            const double bits = mls_device_value(device, &device->rows[i], MLS_QUANTITY_REASONS);
            energy += energy_between(from, until, t0, p0, t1, p1);
            covered += until - from;
            for (unsigned left = bits > 0 ? (unsigned)bits : 0; left != 0; left &= left - 1)
                to.reasons[__builtin_ctz(left)] += until - from;
        }
        p0 = p1;
    }
    for (unsigned reason = 0; reason < MLS_REASON_COUNT; reason++)
        to.reasons[reason] /= covered > 0 ? covered : 1;
    to.coverage = covered / (run->stop_ms - run->start_ms);
    to.has_reasons = device->has_reasons && covered > 0;
    to.energy_joules = device->has_power && covered > 0 ? energy : none;
    to.mean_power_w = to.energy_joules * 1000 / covered;
    to.energy_estimate_joules = to.coverage >= COVERAGE_MIN ? to.energy_joules / to.coverage : none;
    to.slowed = fmax(fmax(to.reasons[MLS_REASON_HW_SLOWDOWN], to.reasons[MLS_REASON_HW_THERMAL_SLOWDOWN]),
                     fmax(to.reasons[MLS_REASON_HW_POWER_BRAKE_SLOWDOWN], to.reasons[MLS_REASON_SW_THERMAL_SLOWDOWN]));
    return to;
}

/* ------------------------------------------- several logs of the same device */

/* A log of a device.  Logs of the same device have the same `number`. */
typedef struct device_log {
    mls_telemetry_device *device;
    const mls_log_device *log;
    size_t same;
} device_log;

/* Order larger values first and NaN last. */
static int compare_more(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a < b) - (a > b);
}

/* Order by device, and the logs of a device from the best to the worst.  The order does not depend on the order of
 * files. */
static int compare_device_logs(const void *left, const void *right)
{
    const mls_telemetry_device *a = ((const device_log *)left)->device;
    const mls_telemetry_device *b = ((const device_log *)right)->device;
    const size_t same_a = ((const device_log *)left)->same;
    const size_t same_b = ((const device_log *)right)->same;
    const int orders[] = {(same_a > same_b) - (same_a < same_b),
                          isnan(a->energy_joules) - isnan(b->energy_joules),
                          compare_more(a->coverage, b->coverage),
                          (a->samples < b->samples) - (a->samples > b->samples),
                          compare_more(b->interval_ms, a->interval_ms),
                          strcmp(a->file, b->file),
                          strcmp(a->device, b->device)};
    size_t i = 0;
    while (orders[i] == 0 && i + 1 < sizeof orders / sizeof *orders)
        i++;
    return orders[i];
}

typedef struct time_span {
    double from, until;
} time_span;

static int compare_spans(const void *left, const void *right)
{
    const time_span *a = left;
    const time_span *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* The times in which the logs of a device measured it, sorted and without overlaps. */
typedef MLS_LIST_OF(time_span) time_spans;

/* Sort spans, and merge those that touch. */
static void merge_spans(time_spans *spans)
{
    size_t kept = 0;
    if (spans->count == 0)
        return;
    qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    for (size_t i = 1; i < spans->count; i++)
        if (spans->items[i].from <= spans->items[kept].until)
            spans->items[kept].until = fmax(spans->items[kept].until, spans->items[i].until);
        else
            spans->items[++kept] = spans->items[i];
    spans->count = kept + 1;
}

/* Add a device to the sums of a window, from its logs.  The best log must come first. */
static void count_device(mls_telemetry_window *window, device_log *logs, size_t count,
                         const mls_telemetry_options *options, double *covered_ms)
{
    const mls_telemetry_run *run = &window->run;
    const double length = run->stop_ms - run->start_ms;
    const bool powered = !isnan(logs[0].device->energy_joules);
    time_spans spans = {0};
    double energy = 0;
    double measured = 0;
    for (size_t i = 0; i < count; i++) {
        mls_telemetry_device *device = logs[i].device;
        const mls_log_device *log = logs[i].log;
        const double own = device->coverage * length;
        device->counted_joules = powered ? 0 : (double)NAN;
        if (count == 1) {
            device->counted_joules = device->energy_joules;
            device->counted_ms = own;
        } else if (own > 0 && !(powered && isnan(device->energy_joules))) {
            /* Add the measurements of the log at times that are not in `spans`, and add these times to `spans`. */
            const double limit = gap_limit(log, options);
            const size_t before = spans.count;
            size_t next = 0;
            size_t at = find_row(log, run->start_ms, false);
            for (at -= at > 0; at + 1 < log->count && log->rows[at].time_ms < run->stop_ms; at++) {
                const mls_log_row *rows = &log->rows[at];
                const double p0 = mls_device_power(log, rows);
                const double p1 = mls_device_power(log, rows + 1);
                if (!is_measured(log, rows[1].time_ms - rows[0].time_ms, limit, p0, p1))
                    continue;
                double from = fmax(rows[0].time_ms, run->start_ms);
                const double until = fmin(rows[1].time_ms, run->stop_ms);
                while (next < before && spans.items[next].until <= from)
                    next++;
                for (size_t k = next; from < until; k++) {
                    const double end = k < before ? fmin(until, spans.items[k].from) : until;
                    if (end > from) {
                        const double joules = energy_between(from, end, rows[0].time_ms, p0, rows[1].time_ms, p1);
                        device->counted_joules += isnan(joules) ? 0 : joules;
                        device->counted_ms += end - from;
                        if (spans.count > 0 && spans.items[spans.count - 1].until == from) {
                            spans.items[spans.count - 1].until = end;
                        } else {
                            MLS_GROW(&spans, items);
                            spans.items[spans.count++] = (time_span){from, end};
                        }
                    }
                    from = k < before ? fmax(from, spans.items[k].until) : until;
                }
            }
            merge_spans(&spans);
        }
        device->repeated = i > 0 && !(device->counted_ms >= own / 2);
        energy += device->counted_joules;
        measured += device->counted_ms;
    }
    free(spans.items);
    for (size_t i = 0; i < count; i++)
        logs[i].device->together = measured / length;
    window->different++;
    if (powered) {
        window->powered++;
        window->energy_joules += energy;
        *covered_ms += measured;
        window->energy_estimate_joules +=
            measured / length >= COVERAGE_MIN ? energy / (measured / length) : (double)NAN;
    }
}

/* --------------------------------------------------------------- outliers */

/* A device is an outlier if its mean differs from the median of its peers by at least `far` (if `part`, by this share
 * of the median), and by more than the means of most peers do. */
static const struct outlier_limit {
    mls_metric metric;
    bool above; /* true: an outlier is above the median; false: below */
    bool part;  /* `far` is a share of the median */
    double far;
    const char *words, *unit, *look; /* look: advice; NULL: the other devices do not wait for such an outlier */
} limits[] = {
    {MLS_METRIC_SM_CLOCK_MHZ, false, true, 0.03, "ran at", "MHz",
     ": the other devices wait for it; check its cooling and power"},
    {MLS_METRIC_POWER_W, false, true, 0.15, NULL, NULL, NULL},
    {MLS_METRIC_TEMPERATURE_GPU_C, true, false, 10, NULL, NULL, NULL},
    {MLS_METRIC_UTILIZATION_GPU_PERCENT, false, false, 15, "had a utilization of", "%",
     ": the other devices wait for it; check its host"},
};

static double compared_value(const mls_telemetry_device *device, mls_metric metric)
{
    return metric == MLS_METRIC_SM_CLOCK_MHZ ? device->busy_clock_mhz : device->metrics[metric].mean;
}

/* Compare the models of devices.  Return 0 for peers: devices of the same model, or two devices with unknown models. */
static int compare_models(const mls_telemetry_device *a, const mls_telemetry_device *b)
{
    return a->name == NULL || b->name == NULL ? (a->name != NULL) - (b->name != NULL) : strcmp(a->name, b->name);
}

static int compare_peers(const void *left, const void *right)
{
    const mls_telemetry_device *a = *(const mls_telemetry_device *const *)left;
    const mls_telemetry_device *b = *(const mls_telemetry_device *const *)right;
    const int order = compare_models(a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

static int compare_outliers(const void *left, const void *right)
{
    const mls_telemetry_outlier *a = left;
    const mls_telemetry_outlier *b = right;
    return (a->device > b->device) - (a->device < b->device);
}

mls_device_words mls_device_called(const mls_telemetry_device *device)
{
    mls_device_words words;
    (void)snprintf(words.text, sizeof words.text, "%.60s%sdevice %.60s", device->host != NULL ? device->host : "",
                   device->host != NULL ? " " : "", device->device);
    return words;
}

/* Find the devices that differ from their peers, and report the devices that slow others down. */
static void compare_window(mls_telemetry_window *window)
{
    enum { PEERS_MIN = 3, TWO_APART_PERCENT = 25, DEVIATIONS = 3 };
    const mls_telemetry_device **peers = mls_calloc(window->device_count + 1, sizeof *peers);
    double *values = mls_calloc(2 * window->device_count + 1,
                                sizeof *values); /* the values, followed by their distances from the median */
    size_t count = 0;
    for (size_t i = 0; i < window->device_count; i++) {
        peers[count] = &window->devices[i];
        count += !window->devices[i].repeated && !window->devices[i].instance;
    }
    if (count > 0)
        qsort(peers, count, sizeof *peers, compare_peers);
    for (const struct outlier_limit *limit = limits; limit < limits + sizeof limits / sizeof *limits; limit++) {
        const size_t before = window->outlier_count;
        for (size_t first = 0, end = 0; first < count; first = end) {
            size_t known = 0;
            for (; end < count && compare_models(peers[first], peers[end]) == 0; end++) {
                values[known] = compared_value(peers[end], limit->metric);
                known += isnan(values[known]) ? 0 : 1;
            }
            mls_sort_doubles(values, known);
            const bool two = known == 2 && limit->metric == MLS_METRIC_UTILIZATION_GPU_PERCENT;
            const double median = two ? values[1] : mls_median(values, known);
            const double spread = mls_median_distance(values, known, median, values + known);
            const double far = two ? TWO_APART_PERCENT : limit->far * (limit->part ? median : 1);
            const double min = two ? 0 : DEVIATIONS * MLS_DISTANCE_TO_STDEV * spread;
            for (size_t i = first; i < end && (two || known >= PEERS_MIN); i++) {
                const double mean = compared_value(peers[i], limit->metric);
                const double distance = limit->above ? mean - median : median - mean;
                if (!(distance >= far && distance > min))
                    continue;
                mls_grow((void **)&window->outliers, window->outlier_count, &window->outlier_capacity,
                         sizeof *window->outliers);
                window->outliers[window->outlier_count++] =
                    (mls_telemetry_outlier){peers[i], limit->metric, mean, median, two, limit->words != NULL};
            }
        }
        if (window->outlier_count > before) {
            qsort(window->outliers + before, window->outlier_count - before, sizeof *window->outliers,
                  compare_outliers);
        }
        for (size_t i = before; i < window->outlier_count && limit->words != NULL; i++) {
            const mls_telemetry_outlier *outlier = &window->outliers[i];
            mls_findings_add(
                &window->findings, MLS_FINDING_STRAGGLER, (mls_finding_place){.path = outlier->device->file},
                "%s %s %s %s (%s %s %s)%s", mls_device_called(outlier->device).text, limit->words,
                mls_words_grouped(outlier->mean, 0).text, limit->unit, outlier->of_two ? "the other device" : "median",
                mls_words_grouped(outlier->median, 0).text, limit->unit,
                outlier->of_two ? ": the other device waits for it; check its host" : limit->look);
        }
    }
    free(peers);
    free(values);
}

/* ----------------------------------------------------------------- faults */

/* Faults of devices.  If several devices of a file have a fault, only the worst is named. */
static const struct device_fault {
    mls_finding_code code;
    size_t at;           /* offset of a double in mls_telemetry_device */
    double above, below; /* a value between these is a fault; if `above` is negative, a smaller value is worse */
    const char *before, *after;
    double scale;
    int decimals;
} device_faults[] = {
#define AT(member) offsetof(mls_telemetry_device, member)
    {MLS_FINDING_NO_OVERLAP, AT(together), -1, DBL_MIN, "was not measured during the run, but", NULL, 0, 0},
    {MLS_FINDING_COVERAGE, AT(together), -1, COVERAGE_MIN, "was measured for only ", " % of the time", 100, 1},
    {MLS_FINDING_GAP, AT(longest_gap_ms), 0, INFINITY, "was not measured for ", " s in a row", 0.001, 1},
    {MLS_FINDING_THROTTLED, AT(slowed), 0.01, INFINITY, "was throttled for ", " % of the time", 100, 1},
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

/* Report a fault if devices of one file have it. */
static void report_fault(mls_telemetry_window *window, const struct device_fault *fault,
                         const mls_telemetry_device *devices, size_t count)
{
    const bool named = window->run.file != NULL;
    const mls_telemetry_device *worst = NULL;
    double worst_value = 0;
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)&devices[i] + fault->at, sizeof value);
        /* A device without measurements during the run gets only the finding no-overlap; if no run was named, it never
         * does. */
        const bool ignored = fault->code == MLS_FINDING_NO_OVERLAP
                                 ? !named
                                 : fault->code == MLS_FINDING_COVERAGE && named && devices[i].together <= 0;
        if (ignored || !(value > fault->above && value < fault->below))
            continue;
        others += worst != NULL;
        if (worst == NULL || (fault->above < 0 ? value < worst_value : value > worst_value)) {
            worst = &devices[i];
            worst_value = value;
        }
    }
    if (worst == NULL)
        return;
    char alike[60] = "";
    char when[80] = "";
    if (others > 0)
        (void)snprintf(alike, sizeof alike, " (and %zu more device%s of the file)", others, others > 1 ? "s" : "");
    if (fault->after == NULL) {
        /* " from 2026-11-21 08:24:52 to 2026-11-21 08:26:12 UTC" shows which clock or day is wrong. */
        const double ends[] = {worst->first_ms, worst->last_ms};
        size_t used = 0;
        for (size_t i = 0; i < 2; i++) {
            const time_t seconds = fabs(ends[i]) < 1e14 ? (time_t)(ends[i] / 1000) : 0;
            struct tm parts;
            if (gmtime_r(&seconds, &parts) != NULL)
                used += strftime(when + used, sizeof when - used, i == 0 ? " from %F %T" : " to %F %T UTC", &parts);
        }
    }
    mls_findings_add(&window->findings, fault->code, (mls_finding_place){.path = worst->file}, "%s %s%s%s%s%s",
                     mls_device_called(worst).text, fault->before,
                     fault->after != NULL ? mls_words_grouped(worst_value * fault->scale, fault->decimals).text : "",
                     fault->after != NULL ? fault->after : "", when, alike);
}

/* ----------------------------------------------------------------- window */

/* Return whether a path is below a folder.  Every path is below an empty folder. */
static bool is_below(const char *path, mls_str folder)
{
    return folder.len == 0 || (mls_str_starts(mls_str_from(path), folder) && path[folder.len] == '/');
}

void mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                               const mls_telemetry_run *run, const mls_telemetry_options *options,
                               mls_telemetry_window *window)
{
    const double none = (double)NAN;
    size_t max = 0;
    *window = (mls_telemetry_window){.run = *run};
    for (size_t i = 0; i < count; i++)
        max += is_below(files[i].source.path, folder) ? files[i].count : 0;
    window->devices = mls_calloc(max + 1, sizeof *window->devices);
    device_log *logs = mls_calloc(max + 1, sizeof *logs);
    size_t log_count = 0; /* number of devices, without MIG instances */
    for (size_t i = 0; i < count; i++) {
        const struct mls_telemetry_file *file = &files[i];
        for (size_t k = 0; k < file->count && is_below(file->source.path, folder); k++) {
            mls_telemetry_device *device = &window->devices[window->device_count++];
            *device = sum_device(file, &file->devices[k], run, options);
            device->together = device->coverage;
            device->counted_joules = none;
            logs[log_count] = (device_log){device, &file->devices[k], 0};
            log_count += !device->instance;
        }
    }

    /* Sum up all devices.  A moment that several logs of a device measured is added once. */
    double covered_ms = 0;
    /* Give the logs of one device the same number.  A UUID identifies the device; without one, host and number do. */
    mls_arena arena = {0};
    mls_map named = {.arena =
                         &arena}; /* host and number to a log with a UUID, or to SIZE_MAX if there are several UUIDs */
    mls_map devices = {.arena = &arena}; /* UUID, or host and number, to the number of the device */
    mls_buffer key = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < log_count; i++) {
            const mls_telemetry_device *device = logs[i].device;
            const char *uuid = device->uuid;
            mls_buffer_clear(&key);
            mls_buffer_printf(&key, "%s\n%s", device->host != NULL ? device->host : "", device->device);
            if (pass == 0 && uuid != NULL) {
                bool added;
                mls_map_entry *entry = mls_map_put(&named, mls_buffer_str(&key), &added);
                if (added)
                    entry->value.number = i;
                else if (entry->value.number != SIZE_MAX && strcmp(logs[entry->value.number].device->uuid, uuid) != 0)
                    entry->value.number = SIZE_MAX;
            } else if (pass == 1) {
                const mls_map_entry *entry = mls_map_find(&named, mls_buffer_str(&key));
                if (uuid == NULL && entry != NULL && entry->value.number != SIZE_MAX)
                    uuid = logs[entry->value.number].device->uuid;
                const mls_str whole = uuid != NULL ? mls_str_from(uuid) : mls_buffer_str(&key);
                logs[i].same = (size_t)(mls_map_put(&devices, whole, NULL) - devices.entries);
            }
        }
    }
    mls_buffer_release(&key);
    mls_arena_release(&arena);
    if (log_count > 1)
        qsort(logs, log_count, sizeof *logs, compare_device_logs);
    for (size_t first = 0, end = 0; first < log_count; first = end) {
        while (end < log_count && logs[end].same == logs[first].same)
            end++;
        count_device(window, logs + first, end - first, options, &covered_ms);
    }
    free(logs);
    window->energy_joules = window->powered > 0 ? window->energy_joules : none;
    window->energy_estimate_joules = window->powered > 0 ? window->energy_estimate_joules : none;
    window->mean_power_w = window->energy_joules * 1000 / covered_ms * (double)window->powered;

    const mls_telemetry_device *next = window->devices;
    for (size_t i = 0; i < count; i++) {
        if (is_below(files[i].source.path, folder)) {
            mls_findings_append(&window->findings, &files[i].findings);
            for (size_t k = 0; k < sizeof device_faults / sizeof *device_faults; k++)
                report_fault(window, &device_faults[k], next, files[i].count);
            next += files[i].count;
        }
    }
    if (run->file != NULL && !(run->stop_ms > run->start_ms)) {
        mls_findings_add_as(&window->findings, MLS_FINDING_MISSING_STEP, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.path = run->file, .line = run->line},
                            "the run has no run_start, or no run_stop after it: no measurements can be assigned to it");
    }
    compare_window(window);
}

void mls_telemetry_window_release(mls_telemetry_window *window)
{
    free(window->devices);
    free(window->outliers);
    mls_findings_release(&window->findings);
    *window = (mls_telemetry_window){0};
}

/* ------------------------------------------------------------- time zones */

/* Return the milliseconds measured before a time.  before[i] are the milliseconds measured before row i. */
static double measured_until(const mls_log_device *device, const double *before, double time_ms)
{
    const size_t next = find_row(device, time_ms, true);
    return next == 0                         ? 0
           : next == device->count           ? before[next - 1]
           : before[next] > before[next - 1] ? before[next - 1] + (time_ms - device->rows[next - 1].time_ms)
                                             : before[next - 1];
}

void mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                          size_t run_count, const mls_telemetry_options *options, char text[8])
{
    /* Zones in quarters of an hour, from 12 hours west of Greenwich to 14 hours east. */
    enum { QUARTER_MS = 15 * 60 * 1000, WEST = -48, EAST = 56 };
    double covered[EAST - WEST + 1] = {0};
    const double given = options->timezone_minutes * 60000 / QUARTER_MS;
    int best = WEST;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < files[i].count; k++) {
            const mls_log_device *device = &files[i].devices[k];
            if (!device->timed || !device->local)
                continue;
            const double limit = gap_limit(device, options);
            double *before = mls_calloc(device->count, sizeof *before); /* milliseconds measured before each row */
            double p0 = mls_device_power(device, device->rows);
            for (size_t row = 1; row < device->count; row++) {
                const double distance = device->rows[row].time_ms - device->rows[row - 1].time_ms;
                const double p1 = mls_device_power(device, &device->rows[row]);
                before[row] = before[row - 1] + (is_measured(device, distance, limit, p0, p1) ? distance : 0);
                p0 = p1;
            }
            for (size_t run = 0; run < run_count; run++) {
                for (int zone = WEST; zone <= EAST; zone++) {
                    /* The same moment has a later local time further east, so with such a zone the run is later in the
                     * log. */
                    const double shift = (zone - given) * QUARTER_MS;
                    const double length = measured_until(device, before, runs[run].stop_ms + shift) -
                                          measured_until(device, before, runs[run].start_ms + shift);
                    covered[zone - WEST] += length > 0 ? length : 0;
                }
            }
            free(before);
        }
    }
    for (int zone = WEST; zone <= EAST; zone++) {
        const double more = covered[zone - WEST] - covered[best - WEST];
        if (more >= 1 || (more > -1 && fabs(zone - given) < fabs(best - given)))
            best = zone;
    }
    if (covered[best - WEST] > 0 && best != given) {
        const int minutes = abs(best) * 15;
        (void)snprintf(text, 8, best == 0 ? "UTC" : "%c%02d:%02d", best < 0 ? '-' : '+', minutes / 60 % 100,
                       minutes % 60);
    }
}
