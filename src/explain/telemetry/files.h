/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - the devices and rows of measurement logs; private to telemetry.
 *
 * read.c reads files.  rounds.c orders rows, and assigns rows that do not name a device to devices.  telemetry.c finds
 * out which host a file is from.  window.c sums up the measurements of each device during a run. */
#pragma once

#include <math.h>

#include "base/map.h"
#include "explain/telemetry/telemetry.h"
#include "log/input.h"

/* The quantity in a column.  A row of measurements (mls_log_row) stores the quantities before MLS_QUANTITY_VALUES. */
typedef enum mls_quantity {
    MLS_QUANTITY_METRIC = 0,
    MLS_QUANTITY_COUNTER = MLS_METRIC_COUNT,
    MLS_QUANTITY_REASONS = MLS_QUANTITY_COUNTER + MLS_COUNTER_COUNT, /* bits as NVML defines them */
    MLS_QUANTITY_VALUES,
    MLS_QUANTITY_REASON = MLS_QUANTITY_VALUES, /* a column per reason; the cell "Active" sets its bit */
    MLS_QUANTITY_PROCESS = MLS_QUANTITY_REASON + MLS_REASON_COUNT,
    MLS_QUANTITY_MOMENT, /* date and time, which may also be two columns */
    MLS_QUANTITY_DATE,
    MLS_QUANTITY_CLOCK,
    MLS_QUANTITY_ENTITY, /* two words, such as "GPU 0" */
    MLS_QUANTITY_INDEX,  /* index, UUID or bus: the first that a row has is the name of the device */
    MLS_QUANTITY_UUID,
    MLS_QUANTITY_BUS,
    MLS_QUANTITY_NAME,
    MLS_QUANTITY_COUNT
} mls_quantity;

/* amd-smi metric and amd-smi monitor use different column names. */
typedef enum mls_log_kind {
    MLS_LOG_DMON,
    MLS_LOG_DCGM,
    MLS_LOG_SMI,
    MLS_LOG_AMD,
    MLS_LOG_AMD_MONITOR,
    MLS_LOG_ROCM,
    MLS_LOG_MLPERF,
    MLS_LOG_KINDS
} mls_log_kind;

/* A row takes at most 64 bytes.  Each value is packed into 32 bits: a decimal mantissa in the upper 28 bits and a
 * decimal exponent in the lower 4 (-8 to 7, stored as 0 to 15).  Numbers of up to eight digits are exact. */
enum { MLS_ROW_VALUES = 14, MLS_EXPONENT_BITS = 4, MLS_EXPONENT_MIN = -8, MLS_EXPONENT_MAX = 7 };
#define MLS_NO_VALUE INT32_MIN

typedef struct mls_log_row {
    double time_ms; /* milliseconds since 1970; NaN: unknown */
    int32_t values[MLS_ROW_VALUES];
} mls_log_row;

/* Return the number of a packed value, or NaN for MLS_NO_VALUE.  Inline because it is called for every value of every
 * row. */
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

/* Read a cell with a number, with or without a unit, and pack it.  Return MLS_NO_VALUE if it is not a number.  Set
 * *lost if the cell reports that the device no longer responds. */
int32_t mls_value_read(mls_str cell, bool *lost);

/* The number of names that a device may have in a row: index, UUID and bus. */
enum { MLS_ROW_NAMES = 3 };

typedef struct mls_log_device {
    mls_log_kind kind;
    const char *source; /* "nvidia-smi" */
    mls_str name;       /* the device's number, or another identifier */
    mls_str ids[MLS_ROW_NAMES], model;
    size_t alike; /* while reading: index plus 1 of another device of this name; 0: there is none */
    signed char slots[MLS_QUANTITY_VALUES]; /* position of each quantity in mls_log_row.values; -1: the format does not
                                               have it */
    mls_log_row *rows;                      /* in the order of time after mls_devices_arrange() */
    size_t count, capacity;
    double first[MLS_COUNTER_COUNT]; /* the first value of each counter; rows store differences from it; NaN: no value
                                        yet */
    double power_scale;              /* factor to multiply power values by */
    bool timed, local;               /* timed: rows have times; local: these lack a time zone */
    bool disordered, lost, has_power, has_reasons;
    bool instance;      /* a MIG instance: a part of another device of the log */
    bool models;        /* rows name several models, so they may be of several devices */
    bool unnamed;       /* no column names the device */
    bool part;          /* `rows` belongs to another device */
    size_t replaced;    /* rows dropped for a later row of the same time with other values */
    bool mixed;         /* rows name one device, but several rows have about the same time */
    size_t close;       /* number of rows that follow another row so closely that they may be of another device */
    size_t stray;       /* number of rows whose device is unknown */
    double last_ms;     /* time of the last row read that has one */
    double interval_ms; /* median time between rows; NaN: fewer than two rows */
} mls_log_device;

/* Initialize a device without rows. */
void mls_device_init(mls_log_device *device, mls_log_kind kind);

/* Return the value of a quantity in a row, or NaN if the row does not have it. */
static inline double mls_device_value(const mls_log_device *device, const mls_log_row *row, unsigned quantity)
{
    const double value =
        device->slots[quantity] >= 0 ? mls_value_unpack(row->values[device->slots[quantity]]) : (double)NAN;
    return quantity == MLS_METRIC_POWER_W ? value * device->power_scale : value;
}

/* Return power_w of a row, or power_instant_w if the row does not have power_w. */
static inline double mls_device_power(const mls_log_device *device, const mls_log_row *row)
{
    const double power = mls_device_value(device, row, MLS_METRIC_POWER_W);
    return isnan(power) ? mls_device_value(device, row, MLS_METRIC_POWER_INSTANT_W) : power;
}

/* Rounds of rows: each round has one row of every device, in the same order. */
typedef struct mls_rounds {
    size_t size;     /* number of devices; 1: no rounds were found */
    double apart_ms; /* a row this many milliseconds or more after the row before begins a new round */
    size_t close;    /* number of rows that follow another row far sooner than most rows do */
} mls_rounds;

/* Find the rounds in rows that are in the order of the log. */
void mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds);

/* The largest number of devices in a file.  A file with more is damaged: rows of further devices are dropped. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    mls_source source;
    const char *skip; /* why the file is not used; NULL: it has measurements */
    mls_str host;
    bool alone;                     /* the host is unknown, but differs from the hosts of other files */
    uint64_t columns;               /* hash of the quantities in the first header */
    mls_arena arena;                /* owns the texts */
    mls_map numbers[MLS_LOG_KINDS]; /* while reading: name to index plus 1 of the last device with it */
    mls_map ids[MLS_LOG_KINDS];     /* while reading: UUID or bus to index plus 1 of the last device with it */
    size_t turn;                    /* index of the device whose row is expected next */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    mls_status status; /* MLS_ERROR_READ: the file could not be read */
    mls_error error;
    uint64_t volume, inode; /* identify the file, so that it is read only once */
};

/* Read a file from an input, and release the input (mls_telemetry_input_read); or open and read a file
 * (mls_telemetry_file_read).  Errors are stored in file->status and file->error. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);

/* Release the measurements of a file, but not file->source. */
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/* Finish reading: assign rows that do not name a device to devices, sort rows by time, and sort devices by name. */
void mls_devices_arrange(struct mls_telemetry_file *file);

/* Read the files of telemetry->skipped.  Move files with measurements to telemetry->sources and find
 * their hosts.  Return values are those of mls_telemetry_read(). */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* Return the name of a file without its extensions; ptr is NULL if measurement logs do not have such an extension. */
mls_str mls_log_stem(const char *path);

/* Return the host in the name of a file, or an empty text if the name does not contain one. */
mls_str mls_host_of(const char *path);

/* Set the hosts of files whose names do not contain a host: from the names of their folders; or from the file names if
 * the files must be from several hosts.  `by_names`: hosts that are set already are from file names, and are dropped if
 * logs of several hosts share such a name. */
void mls_hosts_name(struct mls_telemetry_file *files, size_t count, bool by_names);

/* Sum up the measurements during a run in the files below a folder.  `folder` has no '/' at its end; an empty folder
 * selects all files. */
void mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                               const mls_telemetry_run *run, const mls_telemetry_options *options,
                               mls_telemetry_window *window);

/* Set `text` to the time zone ("-08:00") with which the measurements cover most of the runs' time, or to "" if no zone
 * is better than the given one. */
void mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                          size_t run_count, const mls_telemetry_options *options, char text[8]);

/* The name of a device in messages, such as "node02 device 1". */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);
