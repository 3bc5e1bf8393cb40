/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - the rows that are kept of a device, and what is asked of them. */
#pragma once

#include <math.h>

#include "explain/telemetry/columns.h"

/* A row takes no more than 64 bytes: a value is a decimal number, a mantissa of 28 bits above an exponent of 4, so it
 * is what was printed to eight digits.  A format has at most so many values. */
enum { MLS_ROW_VALUES = 14 };
#define MLS_NO_VALUE INT32_MIN

typedef struct mls_log_row {
    double time_ms; /* NaN: not known */
    int32_t values[MLS_ROW_VALUES];
} mls_log_row;

/* Exponents from -8 to 7 stand as 0 to 15 below the mantissa. */
enum { MLS_EXPONENT_BITS = 4, MLS_EXPONENT_MIN = -8, MLS_EXPONENT_MAX = 7 };

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative);

/* A number to its thousandths. */
int32_t mls_value_of(double value);

/* NaN for none.  In line, as what reads them asks for every value of every row. */
static inline double mls_value_unpack(int32_t value)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    const int32_t low = value & ((1 << MLS_EXPONENT_BITS) - 1);
    const int exponent = low + MLS_EXPONENT_MIN;
    const int32_t digits = (value - low) / (1 << MLS_EXPONENT_BITS); /* without a remainder */
    const double mantissa = digits;
    return value == MLS_NO_VALUE ? (double)NAN
           : exponent < 0        ? mantissa / powers[-exponent]
                                 : mantissa * powers[exponent];
}

/* A cell with a number, a unit may follow; *lost becomes true when it says that the device is gone. */
int32_t mls_value_read(mls_str cell, bool *lost);

/* Whether a cell or a line says that a device cannot be reached any more. */
bool mls_text_says_lost(mls_str text);

/* The names of a device in a row: index, UUID, bus. */
enum { MLS_ROW_NAMES = 3 };

/* A device of a file. */
typedef struct mls_log_device {
    mls_log_kind kind;
    mls_str name; /* its number, or what else it is called */
    mls_str ids[MLS_ROW_NAMES], model;
    size_t alike; /* another one of the name: its place, plus 1; 0: none.  While the file is read */
    signed char slots[MLS_QUANTITY_VALUES]; /* as in a heading */
    mls_log_row *rows;                      /* in the order of time once mls_device_finish() was called */
    size_t count, capacity;
    double first[MLS_COUNTER_COUNT]; /* counters are kept as their distance from here; NaN: none came */
    double power_scale;              /* what power is multiplied by */
    bool timed, local;               /* rows have times; that do not say their zone */
    bool disordered, lost, has_power, has_reasons;
    bool dense;         /* so many rows are near the one before that several may be of one time */
    bool instance;      /* a part of another device of the log */
    bool models;        /* its rows are of several models, so that it may be several devices */
    bool unnamed;       /* no column says which device a row is about */
    bool part;          /* of `rows`, which another device holds */
    size_t replaced;    /* rows for which others of the same time stand that say something else */
    bool mixed;         /* rows come several at a time, though they name one device */
    size_t close;       /* rows that come right after another one, though they are taken for one device's */
    size_t stray;       /* rows of which nobody knows whose they are */
    double last_ms;     /* time of the row that came last, of those that have one */
    double interval_ms; /* median; NaN: fewer than two rows */
} mls_log_device;

/* An empty one, of a format. */
void mls_device_init(mls_log_device *device, mls_log_kind kind);

/* Sorts by time; rows of the same time stay in the order of the file.  False: no memory. */
bool mls_device_sort(mls_log_device *device) MLS_MUST_USE;

/* Sorts by time, of rows with the same time the last stays, and takes the median interval.  False: no memory. */
bool mls_device_finish(mls_log_device *device) MLS_MUST_USE;

/* Moves the row that stands at order[i] to i, for each i; changes `order`. */
void mls_rows_arrange(mls_log_row *rows, size_t *order, size_t count);

/* Of several rows at a time most are less than this apart: so many of the distances, in ascending order, at least. */
enum { MLS_ROUND_MS = 100 };
static inline size_t mls_rows_within(size_t distances)
{
    return distances * 2 / 5;
}

/* Rows, in the order of the log, that come in rounds, of several devices one after the other. */
typedef struct mls_rounds {
    size_t size;     /* how many devices; 1: they do not come in rounds */
    double apart_ms; /* the distance from which on the next round begins */
    size_t close;    /* rows that come right after another one: far sooner than most */
} mls_rounds;

/* False: no memory. */
bool mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds);

/* A value of a row; its power is power_w, else power_instant_w.  NaN: it has none. */
static inline double mls_device_value(const mls_log_device *device, const mls_log_row *row, unsigned quantity)
{
    const double value =
        device->slots[quantity] >= 0 ? mls_value_unpack(row->values[device->slots[quantity]]) : (double)NAN;
    return quantity == MLS_METRIC_POWER_W ? value * device->power_scale : value;
}

double mls_device_power(const mls_log_device *device, const mls_log_row *row);

/* The first row at or (`after`) after a time. */
size_t mls_device_find(const mls_log_device *device, double time_ms, bool after);

/* The distance of rows from which on there is a gap. */
double mls_device_gap_limit(const mls_log_device *device, const mls_telemetry_options *options);

/* Whether the time between neighbours was measured: it is no gap, and both have power where the device has any. */
static inline bool mls_device_measured(const mls_log_device *device, double distance, double limit, double p0,
                                       double p1)
{
    return distance <= limit && (!device->has_power || !isnan(p0 + p1));
}

/* Joules: between two rows power is on the line from one to the other. */
static inline double mls_energy_between(double from, double until, double t0, double p0, double t1, double p1)
{
    const double at_from = p0 + (p1 - p0) * ((from - t0) / (t1 - t0));
    const double at_until = p0 + (p1 - p0) * ((until - t0) / (t1 - t0));
    return (at_from + at_until) / 2 * (until - from) / 1000;
}
