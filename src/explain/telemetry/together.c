/* SPDX-License-Identifier: Apache-2.0 */
/* together.c - devices that several logs have measured: each moment of them counts once. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "explain/telemetry/files.h"

/* ------------------------------------------------------- the same device */

/* A log of a device, and the number of the device that it is of. */
typedef struct device_log {
    mls_telemetry_device *device;
    const mls_log_device *log;
    size_t same;
} device_log;

/* The number of a name, a new one when it is new; SIZE_MAX: no memory. */
static size_t device_number(mls_map *map, mls_buffer *key, size_t *count)
{
    bool added;
    mls_map_entry *entry = mls_map_put(map, mls_buffer_str(key), &added);
    if (added) {
        entry->value.number = (*count)++;
    }
    return entry->value.number;
}

static void name_device(mls_buffer *key, const mls_telemetry_device *device)
{
    mls_buffer_clear(key);
    mls_buffer_printf(key, "%s\n%s", device->host != NULL ? device->host : "", device->device);
}

/* The device of one number and host whose UUID is known, as a log without UUIDs may have measured it. */
enum { NONE = 0, SEVERAL = 1, KNOWN = 2 };

static bool number_by_uuid(device_log *logs, size_t count, mls_map *uuids, mls_map *names, size_t *numbers)
{
    mls_buffer key = {0};
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        if (logs[i].device->uuid == NULL) {
            continue;
        }
        mls_buffer_clear(&key);
        mls_buffer_append_text(&key, logs[i].device->uuid);
        logs[i].same = device_number(uuids, &key, numbers);
        name_device(&key, logs[i].device);
        mls_map_entry *named = mls_map_put(names, mls_buffer_str(&key), NULL);
        ok = logs[i].same != SIZE_MAX;
        if (ok) {
            const size_t known = logs[i].same + KNOWN;
            named->value.number = named->value.number == NONE || named->value.number == known ? known : SEVERAL;
        }
    }
    mls_buffer_release(&key);
    return ok;
}

static bool number_by_name(device_log *logs, size_t count, mls_map *others, const mls_map *names, size_t *numbers)
{
    mls_buffer key = {0};
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        if (logs[i].device->uuid == NULL) {
            name_device(&key, logs[i].device);
            const mls_map_entry *named = mls_map_find(names, mls_buffer_str(&key));
            logs[i].same = named != NULL && named->value.number >= KNOWN ? named->value.number - KNOWN
                                                                         : device_number(others, &key, numbers);
            ok = logs[i].same != SIZE_MAX;
        }
    }
    mls_buffer_release(&key);
    return ok;
}

/* A UUID says which device it is; where there is none, host and number do. */
static bool number_devices(device_log *logs, size_t count)
{
    mls_arena arena = {0};
    mls_map uuids = {.arena = &arena};
    mls_map names = {.arena = &arena};
    mls_map others = {.arena = &arena};
    size_t numbers = 0;
    const bool ok =
        number_by_uuid(logs, count, &uuids, &names, &numbers) && number_by_name(logs, count, &others, &names, &numbers);
    mls_arena_release(&arena);
    return ok;
}

/* More of what is wanted first; what is not known last. */
static int compare_more(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a < b) - (a > b);
}

/* The logs of one device after another, the best of each first, whatever order they were named in. */
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
    while (orders[i] == 0 && i + 1 < sizeof orders / sizeof *orders) {
        i++;
    }
    return orders[i];
}

/* ------------------------------------------------------------ what counts */

typedef struct time_span {
    double from, until;
} time_span;

/* Times that were measured, in order, none of them twice. */
typedef struct time_spans {
    time_span *items;
    size_t count, capacity;
} time_spans;

static void add_span(time_spans *spans, double from, double until)
{
    if (spans->count > 0 && spans->items[spans->count - 1].until == from) {
        spans->items[spans->count - 1].until = until;
        return;
    }
    MLS_GROW(spans, items);
    spans->items[spans->count++] = (time_span){from, until};
}

static int compare_spans(const void *left, const void *right)
{
    const time_span *a = left;
    const time_span *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* Puts spans that were added behind the first ones into order. */
static void order_spans(time_spans *spans)
{
    size_t kept = 0;
    if (spans->count > 1) {
        qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    }
    for (size_t i = 1; i < spans->count; i++) {
        if (spans->items[i].from <= spans->items[kept].until) {
            spans->items[kept].until = fmax(spans->items[kept].until, spans->items[i].until);
        } else {
            spans->items[++kept] = spans->items[i];
        }
    }
    spans->count = spans->count > 0 ? kept + 1 : 0;
}

/* Takes what a log has measured from `from` to `until` as far as it is not among the first `before` spans. */
static void count_pair(device_log *log, size_t row, double from, double until, time_spans *spans, size_t before,
                       size_t *at)
{
    while (*at < before && spans->items[*at].until <= from) {
        ++*at;
    }
    for (size_t i = *at; from < until; i++) {
        const double end = i < before ? fmin(until, spans->items[i].from) : until;
        if (end > from) {
            const mls_log_row *rows = log->log->rows;
            const double p0 = mls_device_power(log->log, &rows[row]);
            const double p1 = mls_device_power(log->log, &rows[row + 1]);
            const double joules = mls_energy_between(from, end, rows[row].time_ms, p0, rows[row + 1].time_ms, p1);
            log->device->counted_joules += isnan(joules) ? 0 : joules;
            log->device->counted_ms += end - from;
            add_span(spans, from, end);
        }
        from = i < before ? fmax(from, spans->items[i].until) : until;
    }
}

/* Takes what a log has measured of a run and no log before it. */
static void count_log(device_log *log, const mls_telemetry_run *run, const mls_telemetry_options *options,
                      time_spans *spans)
{
    const mls_log_device *device = log->log;
    const double limit = mls_device_gap_limit(device, options);
    const size_t first = mls_device_find(device, run->start_ms, false);
    const size_t before = spans->count;
    size_t at = 0;
    for (size_t i = first > 0 ? first - 1 : 0; i + 1 < device->count && device->rows[i].time_ms < run->stop_ms; i++) {
        const mls_log_row *rows = &device->rows[i];
        const double p0 = mls_device_power(device, rows);
        const double p1 = mls_device_power(device, rows + 1);
        if (mls_device_measured(device, rows[1].time_ms - rows[0].time_ms, limit, p0, p1)) {
            count_pair(log, i, fmax(rows[0].time_ms, run->start_ms), fmin(rows[1].time_ms, run->stop_ms), spans, before,
                       &at);
        }
    }
    order_spans(spans);
}

/* Adds a device to the sums, with all logs of it, the best first. */
static bool count_device(mls_telemetry_window *window, device_log *logs, size_t count,
                         const mls_telemetry_options *options, double *covered_ms)
{
    const double length = window->run.stop_ms - window->run.start_ms;
    const bool powered = !isnan(logs[0].device->energy_joules);
    time_spans spans = {0};
    double energy = 0;
    double measured = 0;
    for (size_t i = 0; i < count; i++) {
        mls_telemetry_device *device = logs[i].device;
        const double own = device->coverage * length;
        device->counted_joules = powered ? 0 : (double)NAN;
        if (count == 1) {
            device->counted_joules = device->energy_joules;
            device->counted_ms = own;
        } else if (own > 0 && !(powered && isnan(device->energy_joules))) {
            count_log(&logs[i], &window->run, options, &spans);
        }
        device->repeated = i > 0 && !(device->counted_ms >= own / 2);
        energy += device->counted_joules;
        measured += device->counted_ms;
    }
    free(spans.items);
    for (size_t i = 0; i < count; i++) {
        logs[i].device->together = measured / length;
    }
    window->different++;
    if (powered) {
        window->powered++;
        window->energy_joules += energy;
        *covered_ms += measured;
        window->energy_estimate_joules +=
            measured / length >= MLS_COVERAGE_MIN ? energy / (measured / length) : (double)NAN;
    }
    return true;
}

bool mls_telemetry_window_sum(mls_telemetry_window *window, const mls_log_device *const *devices,
                              const mls_telemetry_options *options)
{
    device_log *logs = mls_calloc(window->device_count + 1, sizeof *logs);
    double covered_ms = 0;
    size_t count = 0;
    bool ok = logs != NULL;
    for (size_t i = 0; i < window->device_count && ok; i++) {
        mls_telemetry_device *device = &window->devices[i];
        device->together = device->coverage;
        device->counted_joules = (double)NAN;
        logs[count] = (device_log){device, devices[i], 0};
        count += !device->instance;
    }
    ok = ok && number_devices(logs, count);
    if (ok && count > 1) {
        qsort(logs, count, sizeof *logs, compare_device_logs);
    }
    for (size_t first = 0, end = 0; first < count && ok; first = end) {
        while (end < count && logs[end].same == logs[first].same) {
            end++;
        }
        ok = count_device(window, logs + first, end - first, options, &covered_ms);
    }
    free(logs);
    const double none = (double)NAN;
    window->energy_joules = window->powered > 0 ? window->energy_joules : none;
    window->energy_estimate_joules = window->powered > 0 ? window->energy_estimate_joules : none;
    window->mean_power_w = window->energy_joules * 1000 / covered_ms * (double)window->powered;
    return ok;
}
