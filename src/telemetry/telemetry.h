/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry.h - what the files of this room know of each other: formats, which are data; the rows that are kept of a
 * device; files that were read.
 */
#ifndef MLS_TELEMETRY_TELEMETRY_H
#define MLS_TELEMETRY_TELEMETRY_H

#include <math.h>

#include "base/map.h"
#include "log/window.h"
#include "mlscore/telemetry.h"

/* The quantity in a column.  The first of them have a value in every row. */
typedef enum mls_quantity {
    MLS_QUANTITY_METRIC = 0,
    MLS_QUANTITY_COUNTER = MLS_METRIC_COUNT,
    MLS_QUANTITY_REASONS = MLS_QUANTITY_COUNTER + MLS_COUNTER_COUNT, /* NVML's bits */
    MLS_QUANTITY_VALUES,
    MLS_QUANTITY_REASON = MLS_QUANTITY_VALUES, /* "Active" sets the bit */
    MLS_QUANTITY_PROCESS = MLS_QUANTITY_REASON + MLS_REASON_COUNT,
    MLS_QUANTITY_MOMENT, /* date and time; or each in a column of its own */
    MLS_QUANTITY_DATE,
    MLS_QUANTITY_CLOCK,
    MLS_QUANTITY_ENTITY, /* two words: "GPU 0" */
    MLS_QUANTITY_INDEX,  /* these three name the device, the first that there is */
    MLS_QUANTITY_UUID,
    MLS_QUANTITY_BUS,
    MLS_QUANTITY_NAME,
    MLS_QUANTITY_COUNT
} mls_quantity;

typedef enum mls_log_kind { MLS_LOG_DMON, MLS_LOG_DCGM, MLS_LOG_SMI, MLS_LOG_MLPERF, MLS_LOG_KINDS } mls_log_kind;

extern const struct mls_log_format {
    const char *source;
    char mark; /* begins headings and rows of units, and cells have blanks between them; '\0': nothing does, commas */
} mls_log_formats[MLS_LOG_KINDS];

typedef struct mls_log_column {
    unsigned char quantity;           /* an mls_quantity */
    short per;                        /* of a counter: its numbers are divided by this */
    const char *names[MLS_LOG_KINDS]; /* in each format; NULL: it has no such */
} mls_log_column;

/* A heading.  One of more columns is none. */
enum { MLS_HEADING_COLUMNS_MAX = 256 };

typedef struct mls_log_heading {
    mls_log_kind kind;
    bool read;   /* there is one */
    bool blanks; /* a blank follows every comma between cells */
    bool timed;
    bool processes;  /* its log is about processes, not devices */
    mls_str unknown; /* the first name that is no column's; empty: none */
    size_t count;
    signed char slots[MLS_QUANTITY_VALUES];                 /* place of each value in a row; -1: the format has none */
    const mls_log_column *columns[MLS_HEADING_COLUMNS_MAX]; /* NULL: it is not known, or another is better */
} mls_log_heading;

/* Whether a line is a heading.  With `listed` it is a list of --columns. */
bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed);

/* The next cell of a row, trimmed; false at its end. */
bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell);

/* Which place in a row each value has; -1: the format has no such. */
void mls_log_slots(mls_log_kind kind, signed char slots[MLS_QUANTITY_VALUES]);

/*
 * A row takes no more than 64 bytes: a value is a decimal number, a mantissa of 28 bits above an exponent of 4, so it
 * is what was printed to eight digits.  A format has at most so many values.
 */
enum { MLS_ROW_VALUES = 14 };
#define MLS_NO_VALUE INT32_MIN

typedef struct mls_log_row {
    double time_ms; /* NaN: not known */
    int32_t values[MLS_ROW_VALUES];
} mls_log_row;

/* Exponents from -8 to 7 stand as 0 to 15 below the mantissa. */
enum { MLS_EXPONENT_BITS = 4, MLS_EXPONENT_MIN = -8, MLS_EXPONENT_MAX = 7 };

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative);

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

/* A device of a file. */
typedef struct mls_log_device {
    mls_log_kind kind;
    mls_str name; /* its number, or what else it is called */
    mls_str uuid, model;
    signed char slots[MLS_QUANTITY_VALUES]; /* as in a heading */
    mls_log_row *rows;                      /* in the order of time once mls_device_finish() was called */
    size_t count, capacity;
    double first[MLS_COUNTER_COUNT]; /* counters are kept as their distance from here; NaN: none came */
    double power_scale;              /* what power is multiplied by */
    bool timed, local;               /* rows have times; that do not say their zone */
    bool disordered, lost, has_power, has_reasons;
    double interval_ms; /* median; NaN: fewer than two rows */
} mls_log_device;

/* An empty one, of a format. */
void mls_device_init(mls_log_device *device, mls_log_kind kind);

/* Sorts by time, of rows with the same time the last stays, and takes the median interval.  False: no memory. */
bool mls_device_finish(mls_log_device *device) MLS_MUST_USE;

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

/* More devices in a file are no devices. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    mls_source source;
    const char *skip; /* why it is of no use; NULL: it has measurements */
    mls_str host;
    mls_arena arena;                /* of the texts */
    mls_map numbers[MLS_LOG_KINDS]; /* name → place in devices, while it is read */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    mls_status status; /* MLS_ERROR_READ: it could not be read; MLS_ERROR_MEMORY ends everything */
    mls_error error;
    uint64_t volume, inode; /* the same file is read once */
};

/* Reads a file whole, or what it holds (which is released).  What went wrong stands in the file. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);

/* Releases what was read, not the source. */
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/*
 * Reads the files of telemetry->skipped; those with measurements become its sources, with their hosts, the others stay.
 * As mls_telemetry_read().
 */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* The name of a file without its ending; ptr NULL when it has none of those that logs of measurements have. */
mls_str mls_log_stem(const char *path);

/* The host that a file is named after; empty: none. */
mls_str mls_host_of(const char *path);

/*
 * Sums up what files measured during a run: of all, or (`folder` not empty) of those below a folder, without the '/' at
 * its end. MLS_OK or MLS_ERROR_MEMORY; to be released in any case.
 */
mls_status mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                                     const mls_telemetry_run *run, const mls_telemetry_options *options,
                                     mls_telemetry_window *window) MLS_MUST_USE;
void mls_telemetry_window_release(mls_telemetry_window *window);

/* Who stands out, with findings.  False when memory runs out. */
bool mls_telemetry_window_compare(mls_telemetry_window *window) MLS_MUST_USE;

/* The zone with which the files cover most of the runs, as "-08:00"; "" when they do so already, or none helps. */
mls_status mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                                size_t run_count, const mls_telemetry_options *options, char text[8]) MLS_MUST_USE;

/* "node02 device 1", for findings. */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);

#endif
