/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - the devices and rows of the logs that were read; private to the module.
 *
 * read.c reads files, rounds.c orders their rows and separates those that do not name their device, telemetry.c finds
 * out which host a file is of, window.c sums up what the devices did during a run. */
#pragma once

#include <math.h>

#include "base/map.h"
#include "explain/telemetry/telemetry.h"
#include "log/input.h"

/* The quantity in a column.  Those before MLS_QUANTITY_VALUES have a value in every row. */
typedef enum mls_quantity {
    MLS_QUANTITY_METRIC = 0,
    MLS_QUANTITY_COUNTER = MLS_METRIC_COUNT,
    MLS_QUANTITY_REASONS = MLS_QUANTITY_COUNTER + MLS_COUNTER_COUNT, /* NVML's bits */
    MLS_QUANTITY_VALUES,
    MLS_QUANTITY_REASON = MLS_QUANTITY_VALUES, /* "Active" sets the bit */
    MLS_QUANTITY_PROCESS = MLS_QUANTITY_REASON + MLS_REASON_COUNT,
    MLS_QUANTITY_MOMENT, /* date and time, which may also be two columns */
    MLS_QUANTITY_DATE,
    MLS_QUANTITY_CLOCK,
    MLS_QUANTITY_ENTITY, /* two words: "GPU 0" */
    MLS_QUANTITY_INDEX,  /* the first of these three in a row is the name of the device */
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

/* A row takes at most 64 bytes.  A value is a decimal number, a mantissa of 28 bits above an exponent of 4, so it is
 * exact to eight printed digits.  Exponents from -8 to 7 are stored as 0 to 15. */
enum { MLS_ROW_VALUES = 14, MLS_EXPONENT_BITS = 4, MLS_EXPONENT_MIN = -8, MLS_EXPONENT_MAX = 7 };
#define MLS_NO_VALUE INT32_MIN

typedef struct mls_log_row {
    double time_ms; /* NaN: unknown */
    int32_t values[MLS_ROW_VALUES];
} mls_log_row;

/* Return NaN for MLS_NO_VALUE.  Inline because it is called for every value of every row. */
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

/* Read a number with or without a unit.  Set *lost if the cell reports that the device does not respond any more. */
int32_t mls_value_read(mls_str cell, bool *lost);

/* The names of a device in a row: index, UUID, bus. */
enum { MLS_ROW_NAMES = 3 };

typedef struct mls_log_device {
    mls_log_kind kind;
    const char *source; /* "nvidia-smi" */
    mls_str name;       /* its number, or another identifier */
    mls_str ids[MLS_ROW_NAMES], model;
    size_t alike;                           /* while reading: position plus 1 of another device of this name; 0: none */
    signed char slots[MLS_QUANTITY_VALUES]; /* place of each value in a row; -1: the format does not have it */
    mls_log_row *rows;                      /* by time, after mls_devices_arrange() */
    size_t count, capacity;
    double first[MLS_COUNTER_COUNT]; /* counters are stored as differences from these; NaN: no value yet */
    double power_scale;              /* factor of the power */
    bool timed, local;               /* rows have times; these have no time zone */
    bool disordered, lost, has_power, has_reasons;
    bool instance;      /* a part of another device of the log */
    bool models;        /* rows name several models, so they may be of several devices */
    bool unnamed;       /* no column names the device */
    bool part;          /* `rows` belongs to another device */
    size_t replaced;    /* rows dropped for a later row of the same time with other values */
    bool mixed;         /* rows name one device, but several come at a time */
    size_t close;       /* rows directly after another one, though they are treated as one device */
    size_t stray;       /* rows whose device is unknown */
    double last_ms;     /* time of the last row read that has one */
    double interval_ms; /* median; NaN: fewer than two rows */
} mls_log_device;

/* Initialize a device without rows. */
void mls_device_init(mls_log_device *device, mls_log_kind kind);

/* Return a value of a row; NaN: none. */
static inline double mls_device_value(const mls_log_device *device, const mls_log_row *row, unsigned quantity)
{
    const double value =
        device->slots[quantity] >= 0 ? mls_value_unpack(row->values[device->slots[quantity]]) : (double)NAN;
    return quantity == MLS_METRIC_POWER_W ? value * device->power_scale : value;
}

/* Return power_w, or power_instant_w without it. */
static inline double mls_device_power(const mls_log_device *device, const mls_log_row *row)
{
    const double power = mls_device_value(device, row, MLS_METRIC_POWER_W);
    return isnan(power) ? mls_device_value(device, row, MLS_METRIC_POWER_INSTANT_W) : power;
}

/* Rounds of rows: each round has one row of every device, in the same order. */
typedef struct mls_rounds {
    size_t size;     /* devices; 1: no rounds were found */
    double apart_ms; /* a distance of this or more begins a new round */
    size_t close;    /* rows that follow another row far sooner than most do */
} mls_rounds;

/* Find the rounds of rows, which are in the order of the log. */
void mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds);

/* A file with more devices is damaged: rows of further devices are dropped. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    mls_source source;
    const char *skip; /* why the file is not used; NULL: it has measurements */
    mls_str host;
    bool alone;                     /* unknown host, but not that of another such file */
    uint64_t columns;               /* hash: equal if the first headers have the same quantities */
    mls_arena arena;                /* holds the texts */
    mls_map numbers[MLS_LOG_KINDS]; /* while reading: position plus 1 of the last device of a name */
    mls_map ids[MLS_LOG_KINDS];     /* while reading: position plus 1 of the last device with a UUID or bus */
    size_t turn;                    /* the device whose row is expected next */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    mls_status status; /* MLS_ERROR_READ: the file could not be read */
    mls_error error;
    uint64_t volume, inode; /* to read the same file only once */
};

/* Read a file, or an input (which is released).  Problems are stored in the file. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);

/* Release what was read, but not the source. */
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/* Finish reading: separate the rows of unnamed devices, sort rows by time, sort devices by name. */
void mls_devices_arrange(struct mls_telemetry_file *file);

/* Read the files of telemetry->skipped.  Those with measurements become its sources, with their hosts, the others stay.
 * Returns as mls_telemetry_read() does. */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* Return the name of a file without its extensions; ptr NULL: not one that measurement logs have. */
mls_str mls_log_stem(const char *path);

/* Return the host in the name of a file; empty: none. */
mls_str mls_host_of(const char *path);

/* Name the hosts of files whose names do not contain one: by their folders, or by the file if they must be of several
 * hosts.  `by_names`: known hosts are from file names, which do not count if logs of several hosts share one. */
void mls_hosts_name(struct mls_telemetry_file *files, size_t count, bool by_names);

/* Sum up what the files below a folder (without a '/' at its end; empty: all files) measured during a run. */
void mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                               const mls_telemetry_run *run, const mls_telemetry_options *options,
                               mls_telemetry_window *window);

/* Find the time zone with which the files cover most of the runs, as "-08:00"; "": the given one, or none helps. */
void mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                          size_t run_count, const mls_telemetry_options *options, char text[8]);

/* Return "node02 device 1". */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);
