/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry.h - what the files of this room know of each other: formats, which are data; the rows that are kept of a
 * device; files that were read.
 */
#ifndef MLS_TELEMETRY_TELEMETRY_H
#define MLS_TELEMETRY_TELEMETRY_H

#include "base/map.h"
#include "log/input.h"
#include "mlscore/telemetry.h"

/* What a column tells.  The first of them have a value in every row. */
typedef enum mls_tells {
    MLS_TELLS_METRIC = 0,
    MLS_TELLS_COUNTER = MLS_METRIC_COUNT,
    MLS_TELLS_REASONS = MLS_TELLS_COUNTER + MLS_COUNTER_COUNT, /* NVML's bits */
    MLS_TELLS_VALUES,
    MLS_TELLS_REASON = MLS_TELLS_VALUES, /* "Active" sets the bit */
    MLS_TELLS_PROCESS = MLS_TELLS_REASON + MLS_REASON_COUNT,
    MLS_TELLS_MOMENT, /* date and time; or each in a column of its own */
    MLS_TELLS_DATE,
    MLS_TELLS_CLOCK,
    MLS_TELLS_ENTITY, /* two words: "GPU 0" */
    MLS_TELLS_INDEX,  /* these three name the device, the first that there is */
    MLS_TELLS_UUID,
    MLS_TELLS_BUS,
    MLS_TELLS_NAME,
    MLS_TELLS_NOTHING
} mls_tells;

typedef struct mls_log_column {
    const char *name;
    unsigned char tells; /* of two columns that tell the same, the one that stands first in the table counts */
    short per;           /* of a counter: its numbers are divided by this */
} mls_log_column;

typedef struct mls_log_format {
    const char *source;
    bool words;          /* cells have blanks between them, else commas */
    char mark;           /* what headings begin with, and rows of units; '\0': nothing */
    const char *refused; /* why such a log is not read; NULL: it is */
    const mls_log_column *columns;
    size_t column_count;
} mls_log_format;

extern const mls_log_format mls_log_formats[], mls_power_log_format; /* the first ends with a source of NULL */

/* A heading: what its columns tell.  One of more columns is none. */
enum { MLS_HEADING_COLUMNS_MAX = 256 };

typedef struct mls_log_heading {
    const mls_log_format *format; /* NULL: none was read */
    bool blanks;                  /* a blank follows every comma between cells */
    bool timed;
    size_t count;
    unsigned char tells[MLS_HEADING_COLUMNS_MAX];
    short per[MLS_HEADING_COLUMNS_MAX];
} mls_log_heading;

/* Whether a line is a heading, and of what.  With `listed` it is a list of --columns. */
bool mls_heading_read(mls_str line, mls_log_heading *heading, bool listed);

/* The next cell of a row, trimmed; false at its end. */
bool mls_heading_cell(const mls_log_heading *heading, mls_str *rest, mls_str *cell);

/* What a column's name tells in a format, as its row of the table; NULL: nothing. */
const mls_log_column *mls_log_column_find(const mls_log_format *format, mls_str name);

/*
 * A row takes no more than 64 bytes: a value is a decimal number, a mantissa of 28 bits above an exponent of 4, so it
 * is what was printed to eight digits.  A format tells at most so many values.
 */
enum { MLS_ROW_VALUES = 14 };
#define MLS_NO_VALUE INT32_MIN

typedef struct mls_log_row {
    double time_ms; /* NaN: not told */
    int32_t values[MLS_ROW_VALUES];
} mls_log_row;

int32_t mls_value_pack(uint64_t digits, int exponent, bool negative);
double mls_value_unpack(int32_t value); /* NaN for none */

/* A cell with a number, a unit may follow; *lost becomes true when it says that the device is gone. */
int32_t mls_value_read(mls_str cell, bool *lost);

/* What a cell or a line says of a device that cannot be reached any more. */
bool mls_text_tells_lost(mls_str text);

/* A device of a file.  Chunk k has room for 32 × 2^k rows, so that nothing is copied when it grows. */
enum { MLS_ROW_CHUNKS = 40, MLS_FIRST_CHUNK = 32 };

typedef struct mls_log_device {
    const mls_log_format *format;
    mls_str name; /* its number, or what it is told by */
    mls_str uuid, model;
    signed char slots[MLS_TELLS_VALUES]; /* place of each value in a row; -1: the format has none */
    mls_log_row *chunks[MLS_ROW_CHUNKS];
    size_t count;
    uint32_t *order;                 /* by time, where rows do not stand so; else NULL */
    double first[MLS_COUNTER_COUNT]; /* counters are kept as their distance from here; NaN: none came */
    double power_scale;              /* what power is multiplied by */
    bool timed, local;               /* rows have times; that do not say their zone */
    bool disordered, lost, has_power, has_reasons;
    double interval_ms; /* median; NaN: fewer than two rows */
} mls_log_device;

/* Where a row stands; in the order of time once mls_device_finish() was called. */
mls_log_row *mls_device_row(const mls_log_device *device, size_t index);

/* A value of a row; NaN: none. */
double mls_device_value(const mls_log_device *device, const mls_log_row *row, unsigned tells);

/* power_w, else power_instant_w. */
double mls_device_power(const mls_log_device *device, const mls_log_row *row);

void mls_device_init(mls_log_device *device, const mls_log_format *format);

/* Adds a row; one with the time of the newest takes its place.  False when memory runs out. */
bool mls_device_add(mls_log_device *device, const mls_log_row *row) MLS_MUST_USE;

/* Sorts by time, of rows with the same time the last stays, and takes the median interval.  False: no memory. */
bool mls_device_finish(mls_log_device *device) MLS_MUST_USE;
void mls_device_release(mls_log_device *device);

/* More devices in a file are no devices. */
enum { MLS_DEVICES_MAX = 4096 };

struct mls_telemetry_file {
    const char *path;
    bool named; /* by the user */
    mls_str host;
    mls_arena arena; /* of the texts */
    mls_map numbers; /* name → place in devices */
    mls_log_device *devices;
    size_t count, capacity;
    mls_findings findings;
    const char *skip; /* why it is of no use; NULL: it has measurements */
    bool failed;      /* it could not be read */
    mls_error error;
    mls_status status;       /* MLS_ERROR_MEMORY ends everything */
    uint64_t volume, number; /* of the file system: the same file is read once */
};

/* Reads a file whole, or what it holds (which is released).  What went wrong stands in the file. */
void mls_telemetry_input_read(struct mls_telemetry_file *file, mls_input *input, const mls_telemetry_options *options);
void mls_telemetry_file_read(struct mls_telemetry_file *file, const mls_telemetry_options *options);
void mls_telemetry_file_release(struct mls_telemetry_file *file);

/*
 * Reads the files of telemetry->skipped; those with measurements become its sources, with their hosts, the others stay.
 * As mls_telemetry_read().
 */
mls_status mls_telemetry_open(mls_telemetry *telemetry, const mls_telemetry_options *options,
                              mls_error *error) MLS_MUST_USE;

/* The name of a file without its ending; ptr NULL when it has none of those that logs of measurements have. */
mls_str mls_log_stem(const char *path);

/* The host that a file's name tells; empty: none. */
mls_str mls_host_of(const char *path);

/* A time, and whether it says its zone; or the parts of one: milliseconds of the day, or of the date's begin. */
bool mls_moment_read(mls_str text, double *time_ms, bool *zoned);
bool mls_date_read(mls_str text, double *time_ms);
bool mls_clock_read(mls_str text, double *time_ms);

/* The distance of rows from which on there is a gap. */
double mls_gap_limit(const mls_log_device *device, const mls_telemetry_options *options);

/*
 * What files measured during a run: of all, or (`folder` not empty) of those below a folder.  MLS_OK or
 * MLS_ERROR_MEMORY; to be released in any case.
 */
mls_status mls_window_make(const struct mls_telemetry_file *files, size_t count, mls_str folder,
                           const mls_telemetry_run *run, const mls_telemetry_options *options,
                           mls_telemetry_window *window) MLS_MUST_USE;
void mls_window_release(mls_telemetry_window *window);

/* Whether the others wait for a device that stands out in a metric. */
bool mls_metric_straggles(mls_metric metric);

/* Who stands out, with findings.  False when memory runs out. */
bool mls_window_compare(mls_telemetry_window *window) MLS_MUST_USE;

/* The zone with which the files cover most of the runs, as "-08:00"; "" when they do so already, or none helps. */
mls_status mls_timezone_suggest(const struct mls_telemetry_file *files, size_t count, const mls_telemetry_run *runs,
                                size_t run_count, const mls_telemetry_options *options, char text[8]) MLS_MUST_USE;

/* "node02 device 1", for findings. */
typedef struct mls_device_words {
    char text[160];
} mls_device_words;
mls_device_words mls_device_called(const mls_telemetry_device *device);

#endif
