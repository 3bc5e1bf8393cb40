/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - what is kept of a device: numbers as they were printed, rows in the order of time. */
#include "explain/telemetry/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/statistics.h"

_Static_assert(sizeof(mls_log_row) <= 64, "a day of eight devices has to fit into memory");

#define MANTISSA_MAX ((uint64_t)INT32_MAX >> MLS_EXPONENT_BITS)

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative)
{
    while (digits > MANTISSA_MAX || (exponent < MLS_EXPONENT_MIN && digits > 0)) {
        digits = digits / 10 + (digits % 10 >= 5);
        exponent++;
    }
    while (exponent > MLS_EXPONENT_MAX && digits > 0 && digits <= MANTISSA_MAX / 10) {
        digits *= 10;
        exponent--;
    }
    if (digits == 0 || exponent > MLS_EXPONENT_MAX) {
        return digits == 0 ? -MLS_EXPONENT_MIN : MLS_NO_VALUE;
    }
    const int32_t mantissa = negative ? -(int32_t)digits : (int32_t)digits;
    return mantissa * (1 << MLS_EXPONENT_BITS) + (exponent - MLS_EXPONENT_MIN);
}

bool mls_text_says_lost(mls_str text)
{
    return mls_str_any(text, "is lost|Unknown Error|fallen off the bus", mls_str_contains);
}

int32_t mls_value_of(double value)
{
    const double thousandths = round(value * 1000);
    return fabs(thousandths) < 1e18 ? mls_value_pack((uint64_t)fabs(thousandths), -3, thousandths < 0) : MLS_NO_VALUE;
}

/* Returns the factor from a unit to that of the metrics: W, MHz, MiB, as which MB are taken too. */
static double unit_factor(mls_str unit)
{
    static const struct {
        mls_str unit;
        double factor;
    } units[] = {{MLS_STR("kW"), 1e3},
                 {MLS_STR("mW"), 1e-3},
                 {MLS_STR("GHz"), 1e3},
                 {MLS_STR("kHz"), 1e-3},
                 {MLS_STR("Hz"), 1e-6},
                 {MLS_STR("TiB"), 1 << 20},
                 {MLS_STR("GiB"), 1 << 10},
                 {MLS_STR("GB"), 1 << 10},
                 {MLS_STR("KiB"), 1.0 / (1 << 10)},
                 {MLS_STR("KB"), 1.0 / (1 << 10)},
                 {MLS_STR("B"), 1.0 / (1 << 20)}};
    double factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        factor = mls_str_alike(unit, units[i].unit) && (unit.ptr[0] == 'm') == (units[i].unit.ptr[0] == 'm')
                     ? units[i].factor
                     : factor;
    }
    return factor;
}

int32_t mls_value_read(mls_str cell, bool *lost)
{
    mls_decimal number;
    mls_marks marks = {false, false};
    size_t len = cell.len > 0 && cell.ptr[0] == '-';
    while (len < cell.len &&
           (mls_is_digit(cell.ptr[len]) || cell.ptr[len] == '.' || cell.ptr[len] == ',' || cell.ptr[len] == '\'')) {
        len++;
    }
    const mls_str text = {cell.ptr, len};
    if (!mls_decimal_parse(text, &number)) {
        if (!mls_decimal_parse_local(text, &marks, &number)) {
            *lost |= mls_text_says_lost(cell);
            return MLS_NO_VALUE;
        }
        /* nvidia-smi groups nothing: a comma is the decimal mark of a locale. */
        mls_decimal_decide(&number, (mls_marks){false, false}, true);
    }
    /* A number is followed by a unit, not by more of a word. */
    const bool unit = len == cell.len || cell.ptr[len] == ' ' || cell.ptr[len] == '%' || cell.len - len <= 3;
    const int32_t value = unit ? mls_value_pack(number.digits, number.exponent, number.negative) : MLS_NO_VALUE;
    const mls_str rest = mls_str_trim(mls_str_rest(cell, len), mls_is_blank);
    /* Nearly all are of the units that are kept, which begin with another letter. */
    if (rest.len == 0 || value == MLS_NO_VALUE || strchr("WM%C", rest.ptr[0]) != NULL) {
        return value;
    }
    const double factor = unit_factor(rest);
    return factor == 1 ? value : mls_value_of(mls_value_unpack(value) * factor);
}

void mls_device_init(mls_log_device *device, mls_log_kind kind)
{
    *device = (mls_log_device){.kind = kind, .power_scale = 1, .interval_ms = (double)NAN};
    mls_log_slots(kind, device->slots);
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++) {
        device->first[i] = (double)NAN;
    }
}

double mls_device_power(const mls_log_device *device, const mls_log_row *row)
{
    const double power = mls_device_value(device, row, MLS_METRIC_POWER_W);
    return isnan(power) ? mls_device_value(device, row, MLS_METRIC_POWER_INSTANT_W) : power;
}

size_t mls_device_find(const mls_log_device *device, double time_ms, bool after)
{
    size_t low = 0;
    for (size_t high = device->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const double at = device->rows[middle].time_ms;
        if (at < time_ms || (after && at == time_ms)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

double mls_device_gap_limit(const mls_log_device *device, const mls_telemetry_options *options)
{
    enum { MIN_MS = 5000, INTERVALS = 5 };
    const double own = INTERVALS * device->interval_ms;
    return !isnan(options->gap_ms) ? options->gap_ms : own > MIN_MS ? own : MIN_MS;
}

static int compare_rows(const void *left, const void *right, void *of)
{
    const mls_log_row *rows = of;
    const size_t a = *(const size_t *)left;
    const size_t b = *(const size_t *)right;
    const int order = mls_compare_doubles(rows[a].time_ms, rows[b].time_ms);
    return order != 0 ? order : mls_compare_sizes(a, b);
}

void mls_rows_arrange(mls_log_row *rows, size_t *order, size_t count)
{
    for (size_t first = 0; first < count; first++) {
        const mls_log_row moved = rows[first];
        size_t to = first;
        for (size_t from = order[to]; from != first && from != to; from = order[to]) {
            rows[to] = rows[from];
            order[to] = to;
            to = from;
        }
        rows[to] = moved;
        order[to] = to;
    }
}

bool mls_device_sort(mls_log_device *device)
{
    size_t *order = mls_malloc(device->count * sizeof *order);
    for (size_t i = 0; i < device->count; i++) {
        order[i] = i;
    }
    qsort_r(order, device->count, sizeof *order, compare_rows, device->rows);
    mls_rows_arrange(device->rows, order, device->count);
    free(order);
    return true;
}

bool mls_device_finish(mls_log_device *device)
{
    size_t kept = 0;
    if (!device->timed) {
        return true;
    }
    double *distances = mls_malloc(device->count * sizeof *distances);
    if ((device->disordered && !mls_device_sort(device))) {
        free(distances);
        return false;
    }
    for (size_t i = 0; i < device->count; i++) {
        const mls_log_row *row = &device->rows[i];
        if (kept > 0 && row->time_ms == device->rows[kept - 1].time_ms) {
            kept--;
            device->replaced += memcmp(row->values, device->rows[kept].values, sizeof row->values) != 0;
        }
        device->rows[kept] = *row;
        if (kept > 0) {
            distances[kept - 1] = device->rows[kept].time_ms - device->rows[kept - 1].time_ms;
        }
        kept++;
    }
    device->count = kept;
    mls_sort_doubles(distances, kept - 1);
    device->interval_ms = mls_median(distances, kept - 1);
    device->dense = kept > 1 && distances[mls_rows_within(kept - 1)] < MLS_ROUND_MS;
    free(distances);
    return true;
}
