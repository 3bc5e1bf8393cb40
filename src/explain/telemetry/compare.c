/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - which device differs from its peers, and which time zone logs were written in. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics.h"
#include "base/words.h"
#include "explain/telemetry/files.h"

/* How far from the median a mean is out: that far, or that part of it; and further than most are from it. */
static const struct stand_out {
    mls_metric metric;
    bool above; /* out is more, not less */
    bool part;
    double far;
    const char *words, *unit, *look; /* NULL: the others do not wait for it */
} outs[] = {
    {MLS_METRIC_SM_CLOCK_MHZ, false, true, 0.03, "ran at", "MHz",
     ": the others wait for it; look at its cooling and power"},
    {MLS_METRIC_POWER_W, false, true, 0.15, NULL, NULL, NULL},
    {MLS_METRIC_TEMPERATURE_GPU_C, true, false, 10, NULL, NULL, NULL},
    {MLS_METRIC_UTILIZATION_GPU_PERCENT, false, false, 15, "was used", "%",
     ": it keeps the others waiting; look at its host"},
};
enum { PEERS_MIN = 3, TWO_APART_PERCENT = 25, DEVIATIONS = 3 };

static double compared_value(const mls_telemetry_device *device, mls_metric metric)
{
    return metric == MLS_METRIC_SM_CLOCK_MHZ ? device->busy_clock_mhz : device->metrics[metric].mean;
}

/* Peers are of one name, or of none. */
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

/* Finds who stands out of `count` peers in one metric; `values` has room for twice as many.  False: no memory. */
static void find_different(mls_telemetry_window *window, const mls_telemetry_device *const *peers, size_t count,
                           const struct stand_out *out, double *values)
{
    const mls_metric metric = out->metric;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        values[known] = compared_value(peers[i], metric);
        known += isnan(values[known]) ? 0 : 1;
    }
    mls_sort_doubles(values, known);
    const bool two = known == 2 && metric == MLS_METRIC_UTILIZATION_GPU_PERCENT;
    const double median = two ? values[1] : mls_median(values, known);
    const double spread = mls_median_distance(values, known, median, values + known);
    const double far = two ? TWO_APART_PERCENT : out->far * (out->part ? median : 1);
    const double min = two ? 0 : DEVIATIONS * MLS_DISTANCE_TO_STDEV * spread;
    for (size_t i = 0; i < count && (two || known >= PEERS_MIN); i++) {
        const double mean = compared_value(peers[i], metric);
        const double distance = out->above ? mean - median : median - mean;
        if (!(distance >= far && distance > min)) {
            continue;
        }
        mls_grow((void **)&window->outliers, window->outlier_count, &window->outlier_capacity,
                 sizeof *window->outliers);
        window->outliers[window->outlier_count++] =
            (mls_telemetry_outlier){peers[i], metric, mean, median, two, out->words != NULL};
    }
}

mls_device_words mls_device_called(const mls_telemetry_device *device)
{
    mls_device_words words;
    (void)snprintf(words.text, sizeof words.text, "%.60s%sdevice %.60s", device->host != NULL ? device->host : "",
                   device->host != NULL ? " " : "", device->device);
    return words;
}

static void report_outlier(mls_telemetry_window *window, const mls_telemetry_outlier *outlier,
                           const struct stand_out *out)
{
    if (outlier->straggles) {
        mls_findings_add(&window->findings, MLS_FINDING_STRAGGLER, (mls_finding_place){.path = outlier->device->file},
                         "%s %s %s %s, %s %s %s%s", mls_device_called(outlier->device).text, out->words,
                         mls_words_grouped(outlier->mean, 0).text, out->unit,
                         outlier->of_two ? "its peer" : "the median is", mls_words_grouped(outlier->median, 0).text,
                         out->unit, outlier->of_two ? ": it keeps the other waiting; look at its host" : out->look);
    }
}

bool mls_telemetry_window_compare(mls_telemetry_window *window)
{
    const mls_telemetry_device **peers = mls_calloc(window->device_count + 1, sizeof *peers);
    double *values = mls_calloc(2 * window->device_count + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < window->device_count; i++) {
        peers[count] = &window->devices[i];
        count += !window->devices[i].repeated && !window->devices[i].instance;
    }
    if (count > 0) {
        qsort(peers, count, sizeof *peers, compare_peers);
    }
    for (const struct stand_out *out = outs; out < outs + sizeof outs / sizeof *outs; out++) {
        const size_t before = window->outlier_count;
        for (size_t first = 0, end = 0; first < count; first = end) {
            while (end < count && compare_models(peers[first], peers[end]) == 0) {
                end++;
            }
            find_different(window, peers + first, end - first, out, values);
        }
        if (window->outlier_count > before) {
            qsort(window->outliers + before, window->outlier_count - before, sizeof *window->outliers,
                  compare_outliers);
        }
        for (size_t i = before; i < window->outlier_count; i++) {
            report_outlier(window, &window->outliers[i], out);
        }
    }
    free(peers);
    free(values);
    return true;
}

/* Zones are tried in quarters of an hour, from 12 hours west of Greenwich to 14 hours east of it. */
enum { QUARTER_MS = 15 * 60 * 1000, WEST = -48, EAST = 56 };

/* How much was measured before each row; to be given to free(); NULL when memory runs out. */
static double *measured_before(const mls_log_device *device, const mls_telemetry_options *options)
{
    const double limit = mls_device_gap_limit(device, options);
    double *before = mls_calloc(device->count, sizeof *before);
    double p0 = mls_device_power(device, device->rows);
    for (size_t i = 1; i < device->count; i++) {
        const double distance = device->rows[i].time_ms - device->rows[i - 1].time_ms;
        const double p1 = mls_device_power(device, &device->rows[i]);
        before[i] = before[i - 1] + (mls_device_measured(device, distance, limit, p0, p1) ? distance : 0);
        p0 = p1;
    }
    return before;
}

/* How much was measured before a time. */
static double measured_until(const mls_log_device *device, const double *before, double time_ms)
{
    const size_t next = mls_device_find(device, time_ms, true);
    return next == 0                         ? 0
           : next == device->count           ? before[next - 1]
           : before[next] > before[next - 1] ? before[next - 1] + (time_ms - device->rows[next - 1].time_ms)
                                             : before[next - 1];
}

/* Adds for each zone how much of the runs a device has measured, had its times been of it. */
static bool try_zones(const mls_log_device *device, const mls_telemetry_run *runs, size_t run_count,
                      const mls_telemetry_options *options, double given, double covered[EAST - WEST + 1])
{
    double *before = measured_before(device, options);
    for (size_t run = 0; run < run_count && before != NULL; run++) {
        for (int zone = WEST; zone <= EAST; zone++) {
            /* A log in a zone further east has earlier times, so the run is looked for later in it. */
            const double shift = (zone - given) * QUARTER_MS;
            const double length = measured_until(device, before, runs[run].stop_ms + shift) -
                                  measured_until(device, before, runs[run].start_ms + shift);
            covered[zone - WEST] += length > 0 ? length : 0;
        }
    }
    free(before);
    return before != NULL;
}

mls_status mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                                size_t run_count, const mls_telemetry_options *options, char text[8])
{
    double covered[EAST - WEST + 1] = {0};
    const double given = options->timezone_minutes * 60000 / QUARTER_MS;
    int best = WEST;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < files[i].count; k++) {
            const mls_log_device *device = &files[i].devices[k];
            if (device->timed && device->local && !try_zones(device, runs, run_count, options, given, covered)) {
                return MLS_ERROR_MEMORY;
            }
        }
    }
    for (int zone = WEST; zone <= EAST; zone++) {
        const double more = covered[zone - WEST] - covered[best - WEST];
        if (more >= 1 || (more > -1 && fabs(zone - given) < fabs(best - given))) {
            best = zone;
        }
    }
    if (covered[best - WEST] > 0 && best != given) {
        const int minutes = abs(best) * 15;
        (void)snprintf(text, 8, best == 0 ? "UTC" : "%c%02d:%02d", best < 0 ? '-' : '+', minutes / 60 % 100,
                       minutes % 60);
    }
    return MLS_OK;
}
