/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - the formats of logs, their columns and rows, and the files that were read; private to the module.
 *
 * rows.c makes values of a line by the columns of its heading, read.c adds them to the devices of a file, window.c sums
 * up what the devices did during a run. */
#pragma once

#include <math.h>

#include "base/map.h"
#include "explain/telemetry/telemetry.h"
#include "log/input.h"

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

/* amd-smi has other names for what it measures than for what it monitors. */
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

extern const struct mls_log_format {
    const char *source;
    char mark;  /* begins headings and rows of units, and cells have blanks between them; '\0': nothing does, commas */
    bool lists; /* a cell may be a list, in quotes or brackets */
} mls_log_formats[MLS_LOG_KINDS];

typedef struct mls_log_column {
    unsigned char quantity;           /* an mls_quantity */
    int per;                          /* numbers are divided by this */
    const char *names[MLS_LOG_KINDS]; /* in each format; NULL: it has no such */
} mls_log_column;

/* A heading.  One of more columns is none. */
enum { MLS_HEADING_COLUMNS_MAX = 256 };

typedef struct mls_log_heading {
    mls_log_kind kind;
    bool read;   /* there is one */
    bool blanks; /* a blank follows every comma between cells */
    bool timed;
    bool named;          /* a column says which device a row is about */
    const char *skipped; /* why its log is not read; NULL: it is */
    mls_str unknown;     /* the first name that is no column's; empty: none */
    size_t count;
    signed char slots[MLS_QUANTITY_VALUES];                 /* place of each value in a row; -1: the format has none */
    const mls_log_column *columns[MLS_HEADING_COLUMNS_MAX]; /* NULL: it is not known, or another is better */
    bool second[MLS_HEADING_COLUMNS_MAX]; /* of a metric for which another column is better, where that has a value */
} mls_log_heading;

/* Whether a line is a heading.  With `listed` it is a list of --columns. */
bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed);

/* Returns which other format a line shows, and what to do instead; NULL: it shows none. */
const char *mls_log_foreign(mls_str line);

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

/* Sorts by time; rows of the same time stay in the order of the file. */
void mls_device_sort(mls_log_device *device);

/* Sorts by time, of rows with the same time the last stays, and takes the median interval. */
void mls_device_finish(mls_log_device *device);

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

/* Find the rounds of rows. */
void mls_rows_rounds(const mls_log_row *rows, size_t count, mls_rounds *rounds);

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

/* A row that has been read, and the device that it is about. */
typedef struct mls_parsed_row {
    mls_log_kind kind;
    mls_log_row packed; /* but for counters and reasons */
    double date_ms, clock_ms;
    double counters[MLS_COUNTER_COUNT];
    uint32_t reasons;
    mls_str names[MLS_ROW_NAMES];
    mls_str model;
    mls_str end;                          /* the last cell */
    mls_str entity;                       /* 'GPU' */
    bool zoned, lost, has_reasons, other; /* `other`: of no GPU, but of units or a link */
    bool instance;                        /* a part of a GPU */
    bool unnamed;                         /* no column says of which device it is */
} mls_parsed_row;

void mls_row_begin(mls_parsed_row *row, mls_log_kind kind);

/* NULL: a line is a row of the heading; else why not.  What it borrows is of the line. */
const char *mls_row_parse(const mls_log_heading *heading, mls_str line, mls_parsed_row *row);

/* Whether the last cell of a file that nothing ends was cut off, as far as that of the row before can tell: of a number
 * without a unit it cannot. */
bool mls_cell_is_cut(mls_str cell, mls_str before);

/* More devices in a file are no devices. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    mls_source source;
    const char *skip; /* why it is of no use; NULL: it has measurements */
    mls_str host;
    bool alone;                     /* nothing says its host, and it is not that of another such file */
    uint64_t columns;               /* the same for logs whose first headings have the same quantities */
    mls_arena arena;                /* of the texts */
    mls_map numbers[MLS_LOG_KINDS]; /* name → place in devices, plus 1, of the last one so called; while it is read */
    mls_map ids[MLS_LOG_KINDS];     /* UUID or bus → place in devices, plus 1, of the last one with it */
    size_t turn;                    /* the device of which a row comes next, mostly */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    mls_status status; /* MLS_ERROR_READ: it could not be read */
    mls_error error;
    uint64_t volume, inode; /* the same file is read once */
};

/* Reads a file whole, or what it holds (which is released).  What went wrong stands in the file. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);

/* Releases what was read, not the source. */
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/* Takes the rows that name no device apart, and says so. */
void mls_devices_split(struct mls_telemetry_file *file);

/* Reads the files of telemetry->skipped; those with measurements become its sources, with their hosts, the others stay.
 * As mls_telemetry_read(). */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* The name of a file without its ending, packed or not; ptr NULL when it has none of those that logs of measurements
 * have. */
mls_str mls_log_stem(const char *path);

/* The host that a file is named after; empty: none. */
mls_str mls_host_of(const char *path);

/* Names the hosts of files whose names say none: by their folders, or as hosts of their own where they must be of
 * several.  `by_names`: what hosts are called yet is from names, which say none where logs of several hosts have the
 * same. */
void mls_hosts_name(struct mls_telemetry_file *files, size_t count, bool by_names);

/* Sums up what files measured during a run: of all, or (`folder` not empty) of those below a folder, without the '/' at
 * its end.  The window is to be released. */
void mls_telemetry_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                               const mls_telemetry_run *run, const mls_telemetry_options *options,
                               mls_telemetry_window *window);

/* The share that must have been measured for an estimate. */
#define MLS_COVERAGE_MIN 0.9

/* The zone with which the files cover most of the runs, as "-08:00"; "" when they do so already, or none helps. */
void mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                          size_t run_count, const mls_telemetry_options *options, char text[8]);

/* "node02 device 1", for findings. */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);
