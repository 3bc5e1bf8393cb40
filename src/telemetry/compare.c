/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - which device differs from its sisters, and which time zone logs were written in. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "telemetry/telemetry.h"

/* ------------------------------------------------------------ who stands out */

/* How far from the median a mean is out: that far, or that part of it; and further than most are from it. */
static const struct {
    mls_metric metric;
    bool above; /* out is more, not less */
    bool part;
    double far;
    bool straggles; /* the others wait for it */
    const char *words, *unit, *look;
} outs[] = {
    {MLS_METRIC_SM_CLOCK_MHZ, false, true, 0.03, true, "ran at", "MHz",
     ": the others wait for it; look at its cooling and power"},
    {MLS_METRIC_POWER_W, false, true, 0.15, false, "", "", ""},
    {MLS_METRIC_TEMPERATURE_GPU_C, true, false, 10, false, "", "", ""},
    {MLS_METRIC_UTILIZATION_GPU_PERCENT, false, false, 15, true, "was used", "%",
     ": it keeps the others waiting; look at its host"},
};
enum { OUTS = sizeof outs / sizeof *outs, SISTERS_MIN = 3, TWO_APART_PERCENT = 25 };

/* Of a normal distribution, what the median distance from the median is to be multiplied by for its deviation. */
#define DEVIATIONS 3
#define DEVIATION_OF_MAD 1.4826

bool mls_metric_straggles(mls_metric metric)
{
    size_t out = 0;
    while (out < OUTS && outs[out].metric != metric) {
        out++;
    }
    return out < OUTS && outs[out].straggles;
}

static double compared_value(const mls_telemetry_device *device, mls_metric metric)
{
    return metric == MLS_METRIC_SM_CLOCK_MHZ ? device->busy_clock_mhz : device->metrics[metric].mean;
}

/* Of those that several logs measured, the one that counts. */
static bool are_sisters(const mls_telemetry_device *a, const mls_telemetry_device *b)
{
    if (a->repeated || b->repeated) {
        return false;
    }
    return a->name == NULL || b->name == NULL ? a->name == b->name : strcmp(a->name, b->name) == 0;
}

static bool add_outlier(mls_telemetry_window *window, const mls_telemetry_device *device, size_t out, double mean,
                        double median, size_t sisters)
{
    if (!mls_grow((void **)&window->outliers, window->outlier_count, &window->outlier_capacity,
                  sizeof *window->outliers)) {
        return false;
    }
    window->outliers[window->outlier_count++] = (mls_telemetry_outlier){device, outs[out].metric, mean, median};
    if (outs[out].straggles) {
        const bool two = sisters == 2;
        mls_findings_add(&window->findings, MLS_FINDING_STRAGGLER, (mls_finding_place){.path = device->file},
                         "%s %s %s %s, %s %s %s%s", mls_device_called(device).text, outs[out].words,
                         mls_words_grouped(mean, 0).text, outs[out].unit, two ? "its peer" : "the median is",
                         mls_words_grouped(median, 0).text, outs[out].unit,
                         two ? ": it keeps the other waiting; look at its host" : outs[out].look);
    }
    return true;
}

/* Compares one metric of the devices that have a name; `values` has room for twice as many as there are devices. */
static bool compare_sisters(mls_telemetry_window *window, size_t out, const mls_telemetry_device *first, double *values)
{
    const mls_metric metric = outs[out].metric;
    double *distances = values + window->device_count;
    size_t count = 0;
    for (size_t i = 0; i < window->device_count; i++) {
        const double value = compared_value(&window->devices[i], metric);
        if (are_sisters(&window->devices[i], first) && !isnan(value)) {
            values[count++] = value;
        }
    }
    mls_sort_doubles(values, count);
    const double median = mls_median(values, count);
    for (size_t i = 0; i < count; i++) {
        distances[i] = fabs(values[i] - median);
    }
    mls_sort_doubles(distances, count);
    const double far = outs[out].far * (outs[out].part ? median : 1);
    const double spread = DEVIATIONS * DEVIATION_OF_MAD * mls_median(distances, count);
    bool ok = true;
    for (size_t i = 0; i < window->device_count && ok; i++) {
        const mls_telemetry_device *device = &window->devices[i];
        const double mean = compared_value(device, metric);
        const double distance = outs[out].above ? mean - median : median - mean;
        if (isnan(mean) || !are_sisters(device, first)) {
            continue;
        }
        if (count >= SISTERS_MIN && distance >= far && distance > spread) {
            ok = add_outlier(window, device, out, mean, median, count);
        } else if (count == 2 && metric == MLS_METRIC_UTILIZATION_GPU_PERCENT &&
                   values[1] - mean >= TWO_APART_PERCENT) {
            ok = add_outlier(window, device, out, mean, values[1], count);
        }
    }
    return ok;
}

static int compare_outliers(const void *left, const void *right)
{
    const mls_telemetry_outlier *a = left;
    const mls_telemetry_outlier *b = right;
    return (a->device > b->device) - (a->device < b->device);
}

/* Whether no device before this one is its sister. */
static bool is_first_sister(const mls_telemetry_window *window, size_t at)
{
    size_t i = 0;
    while (i < at && !are_sisters(&window->devices[i], &window->devices[at])) {
        i++;
    }
    return i == at;
}

bool mls_window_compare(mls_telemetry_window *window)
{
    double *values = calloc(2 * window->device_count + 1, sizeof *values);
    bool ok = values != NULL;
    for (size_t out = 0; out < OUTS && ok; out++) {
        const size_t before = window->outlier_count;
        for (size_t i = 0; i < window->device_count && ok; i++) {
            ok = !is_first_sister(window, i) || compare_sisters(window, out, &window->devices[i], values);
        }
        if (window->outlier_count - before > 1) {
            qsort(window->outliers + before, window->outlier_count - before, sizeof *window->outliers,
                  compare_outliers);
        }
    }
    free(values);
    return ok;
}

/* ------------------------------------------------------------- time zones */

/* Zones are tried in quarters of an hour, from 12 hours west of Greenwich to 14 hours east of it. */
enum { QUARTER_MS = 15 * 60 * 1000, WEST = -48, EAST = 56 };

/* Times that a device covers, without gaps; `before` is the length of all earlier ones. */
typedef struct covered_span {
    double from, until, before;
} covered_span;

typedef struct covered_spans {
    covered_span *items;
    size_t count, capacity;
} covered_spans;

static bool find_spans(const mls_log_device *device, const mls_telemetry_options *options, covered_spans *spans)
{
    const double limit = mls_gap_limit(device, options);
    spans->count = 0;
    for (size_t i = 0; i + 1 < device->count; i++) {
        const mls_log_row *one = mls_device_row(device, i);
        const mls_log_row *two = mls_device_row(device, i + 1);
        const bool measured = !isnan(mls_device_power(device, one) + mls_device_power(device, two));
        if (two->time_ms - one->time_ms > limit || (device->has_power && !measured)) {
            continue;
        }
        covered_span *last = spans->count > 0 ? &spans->items[spans->count - 1] : NULL;
        if (last != NULL && last->until == one->time_ms) {
            last->until = two->time_ms;
            continue;
        }
        const double before = last != NULL ? last->before + (last->until - last->from) : 0;
        if (!MLS_GROW(spans, items)) {
            return false;
        }
        spans->items[spans->count++] = (covered_span){one->time_ms, two->time_ms, before};
    }
    return true;
}

/* How much is covered up to a time. */
static double covered_until(const covered_spans *spans, double time_ms)
{
    size_t low = 0;
    for (size_t high = spans->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (spans->items[middle].from <= time_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return 0;
    }
    const covered_span *last = &spans->items[low - 1];
    return last->before + ((time_ms < last->until ? time_ms : last->until) - last->from);
}

static void append_zone(int quarters, char text[8])
{
    const int minutes = abs(quarters) * 15;
    (void)snprintf(text, 8, quarters == 0 ? "UTC" : "%c%02d:%02d", quarters < 0 ? '-' : '+', minutes / 60 % 100,
                   minutes % 60);
}

mls_status mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                                size_t run_count, const mls_telemetry_options *options, char text[8])
{
    double covered[EAST - WEST + 1] = {0};
    const double given = options->timezone_minutes * 60000 / QUARTER_MS;
    covered_spans spans = {0};
    mls_status status = MLS_OK;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < files[i].count && status == MLS_OK; k++) {
            const mls_log_device *device = &files[i].devices[k];
            if (!device->timed || !device->local) {
                continue;
            }
            status = find_spans(device, options, &spans) ? MLS_OK : MLS_ERROR_MEMORY;
            for (size_t run = 0; run < run_count && status == MLS_OK; run++) {
                for (int zone = WEST; zone <= EAST; zone++) {
                    /* A log in a zone further east has earlier times, so the run is looked for later in it. */
                    const double shift = (zone - given) * QUARTER_MS;
                    const double length = covered_until(&spans, runs[run].stop_ms + shift) -
                                          covered_until(&spans, runs[run].start_ms + shift);
                    covered[zone - WEST] += length > 0 ? length : 0;
                }
            }
        }
    }
    int best = WEST;
    for (int zone = WEST; zone <= EAST; zone++) {
        const double more = covered[zone - WEST] - covered[best - WEST];
        if (more >= 1 || (more > -1 && fabs(zone - given) < fabs(best - given))) {
            best = zone;
        }
    }
    if (covered[best - WEST] > 0 && best != given) {
        append_zone(best, text);
    }
    free(spans.items);
    return status;
}
