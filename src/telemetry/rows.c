/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - what is kept of a device: numbers as they were printed, rows in the order of time. */
#include "telemetry/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/statistics.h"

_Static_assert(sizeof(mls_log_row) <= 64, "a day of eight devices has to fit into memory");

/* ------------------------------------------------------------------ values */

/* Exponents from -8 to 7 stand as 0 to 15 below the mantissa. */
enum { EXPONENT_BITS = 4, EXPONENT_LEAST = -8, EXPONENT_MOST = 7 };
#define MANTISSA_MAX ((uint64_t)INT32_MAX >> EXPONENT_BITS)

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative)
{
    while (digits > MANTISSA_MAX || (exponent < EXPONENT_LEAST && digits > 0)) {
        digits = digits / 10 + (digits % 10 >= 5);
        exponent++;
    }
    while (exponent > EXPONENT_MOST && digits > 0 && digits <= MANTISSA_MAX / 10) {
        digits *= 10;
        exponent--;
    }
    if (digits == 0 || exponent > EXPONENT_MOST) {
        return digits == 0 ? -EXPONENT_LEAST : MLS_NO_VALUE;
    }
    const int32_t mantissa = negative ? -(int32_t)digits : (int32_t)digits;
    return mantissa * (1 << EXPONENT_BITS) + (exponent - EXPONENT_LEAST);
}

double mls_value_unpack(int32_t value)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    const int32_t low = value & ((1 << EXPONENT_BITS) - 1);
    const int exponent = low + EXPONENT_LEAST;
    const int32_t digits = (value - low) / (1 << EXPONENT_BITS); /* without a remainder */
    const double mantissa = digits;
    return value == MLS_NO_VALUE ? (double)NAN
           : exponent < 0        ? mantissa / powers[-exponent]
                                 : mantissa * powers[exponent];
}

bool mls_text_tells_lost(mls_str text)
{
    return mls_str_contains(text, MLS_S("is lost")) || mls_str_contains(text, MLS_S("Unknown Error")) ||
           mls_str_contains(text, MLS_S("fallen off the bus"));
}

/* A number with a comma, in which nvidia-smi groups nothing: it is the decimal mark of a locale. */
static int32_t read_local_value(mls_str cell)
{
    mls_decimal number;
    mls_marks marks = {false, false};
    size_t len = 0;
    while (len < cell.len && cell.ptr[len] != '\0' && strchr("+-0123456789.,'", cell.ptr[len]) != NULL) {
        len++;
    }
    if (!mls_decimal_parse_local((mls_str){cell.ptr, len}, &marks, &number)) {
        return MLS_NO_VALUE;
    }
    mls_decimal_settle(&number, (mls_marks){false, false}, true);
    return mls_value_pack(number.digits, number.exponent, number.negative);
}

int32_t mls_value_read(mls_str cell, bool *lost)
{
    enum { DIGITS_MOST = 18 };
    const char *at = cell.ptr;
    const char *end = cell.ptr + cell.len;
    uint64_t digits = 0;
    int count = 0;
    int exponent = 0;
    bool point = false;
    const bool negative = at < end && *at == '-';
    at += negative;
    for (; at < end && (mls_is_digit(*at) || (*at == '.' && !point)) && count < DIGITS_MOST; at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*at - '0');
        exponent -= point;
        count++;
    }
    if (count == 0) {
        *lost |= cell.len > 1 && mls_text_tells_lost(cell);
        return MLS_NO_VALUE;
    }
    if (at < end && (mls_is_digit(*at) || *at == ',' || *at == '.' || *at == '\'')) {
        return read_local_value(cell);
    }
    /* What follows a number is a unit, not more of a word. */
    return at == end || *at == ' ' || *at == '%' || end - at <= 3 ? mls_value_pack(digits, exponent, negative)
                                                                  : MLS_NO_VALUE;
}

/* ----------------------------------------------------------------- devices */

void mls_device_init(mls_log_device *device, const mls_log_format *format)
{
    signed char next = 0;
    *device = (mls_log_device){.format = format, .power_scale = 1, .interval_ms = (double)NAN};
    memset(device->slots, -1, sizeof device->slots);
    for (size_t i = 0; i < format->column_count; i++) {
        const unsigned tells =
            format->columns[i].tells >= MLS_TELLS_REASON && format->columns[i].tells < MLS_TELLS_PROCESS
                ? MLS_TELLS_REASONS
                : format->columns[i].tells;
        if (tells < MLS_TELLS_VALUES && device->slots[tells] < 0) {
            device->slots[tells] = next++;
        }
    }
    for (size_t i = 0; i < MLS_COUNTER_COUNT; i++) {
        device->first[i] = (double)NAN;
    }
}

static mls_log_row *row_place(const mls_log_device *device, size_t index, unsigned *chunk)
{
    *chunk = 63U - (unsigned)__builtin_clzll((unsigned long long)index / MLS_FIRST_CHUNK + 1);
    const size_t before = (((size_t)1 << *chunk) - 1) * MLS_FIRST_CHUNK;
    return device->chunks[*chunk] != NULL ? device->chunks[*chunk] + (index - before) : NULL;
}

mls_log_row *mls_device_row(const mls_log_device *device, size_t index)
{
    unsigned chunk;
    return row_place(device, device->order != NULL ? device->order[index] : index, &chunk);
}

double mls_device_value(const mls_log_device *device, const mls_log_row *row, unsigned tells)
{
    return device->slots[tells] >= 0 ? mls_value_unpack(row->values[device->slots[tells]]) : (double)NAN;
}

double mls_device_power(const mls_log_device *device, const mls_log_row *row)
{
    const double power = mls_device_value(device, row, MLS_METRIC_POWER_W);
    return (isnan(power) ? mls_device_value(device, row, MLS_METRIC_POWER_INSTANT_W) : power) * device->power_scale;
}

bool mls_device_add(mls_log_device *device, const mls_log_row *row)
{
    unsigned chunk;
    if (device->count > 0 && device->timed) {
        mls_log_row *newest = row_place(device, device->count - 1, &chunk);
        device->disordered |= row->time_ms < newest->time_ms;
        if (row->time_ms == newest->time_ms) {
            *newest = *row;
            return true;
        }
    }
    mls_log_row *place = row_place(device, device->count, &chunk);
    if (place == NULL) {
        device->chunks[chunk] = calloc((size_t)MLS_FIRST_CHUNK << chunk, sizeof *row);
        place = row_place(device, device->count, &chunk);
    }
    if (place == NULL || device->count == UINT32_MAX) {
        return false;
    }
    *place = *row;
    device->count++;
    return true;
}

static int compare_rows(const void *left, const void *right, void *of)
{
    unsigned chunk;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const int order = mls_compare_doubles(row_place(of, a, &chunk)->time_ms, row_place(of, b, &chunk)->time_ms);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Of rows with the same time the last stays. */
static bool sort_rows(mls_log_device *device)
{
    unsigned chunk;
    size_t kept = 0;
    uint32_t *order = calloc(device->count, sizeof *order);
    if (order == NULL) {
        return false;
    }
    for (size_t i = 0; i < device->count; i++) {
        order[i] = (uint32_t)i;
    }
    qsort_r(order, device->count, sizeof *order, compare_rows, device);
    for (size_t i = 0; i < device->count; i++) {
        const bool same = kept > 0 && row_place(device, order[kept - 1], &chunk)->time_ms ==
                                          row_place(device, order[i], &chunk)->time_ms;
        kept -= same;
        order[kept++] = order[i];
    }
    device->order = order;
    device->count = kept;
    return true;
}

bool mls_device_finish(mls_log_device *device)
{
    if (!device->timed || (device->disordered && !sort_rows(device)) || device->count < 2) {
        return !device->timed || !device->disordered || device->order != NULL;
    }
    const size_t count = device->count - 1;
    double *distances = calloc(count, sizeof *distances);
    if (distances == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        distances[i] = mls_device_row(device, i + 1)->time_ms - mls_device_row(device, i)->time_ms;
    }
    mls_sort_doubles(distances, count);
    device->interval_ms = mls_median(distances, count);
    free(distances);
    return true;
}

void mls_device_release(mls_log_device *device)
{
    for (size_t i = 0; i < MLS_ROW_CHUNKS; i++) {
        free(device->chunks[i]);
    }
    free(device->order);
}
