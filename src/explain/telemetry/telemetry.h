/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.h - what the machines measured while a run ran: logs of nvidia-smi, dmon, dcgmi and of the power
 * measurement of MLPerf, joined with runs by time.
 *
 * Times are milliseconds since 1970, energy is joules, power watts.  What is not known is NaN, or NULL of a text. */
#pragma once

#include "score/collect.h"

/** The metrics of a device with their units, in the order in which they are shown.  Here and below `with` is handed on.
 */
#define MLS_METRIC_LIST(M, with)                                                                                       \
    M(with, POWER_W, power_w, "W")                                                                                     \
    M(with, POWER_INSTANT_W, power_instant_w, "W")                                                                     \
    M(with, POWER_LIMIT_W, power_limit_w, "W")                                                                         \
    M(with, UTILIZATION_GPU_PERCENT, utilization_gpu_percent, "%")                                                     \
    M(with, UTILIZATION_MEMORY_PERCENT, utilization_memory_percent, "%")                                               \
    M(with, SM_CLOCK_MHZ, sm_clock_mhz, "MHz")                                                                         \
    M(with, MEMORY_CLOCK_MHZ, memory_clock_mhz, "MHz")                                                                 \
    M(with, TEMPERATURE_GPU_C, temperature_gpu_c, "degrees Celsius")                                                   \
    M(with, TEMPERATURE_MEMORY_C, temperature_memory_c, "degrees Celsius")                                             \
    M(with, MEMORY_USED_MIB, memory_used_mib, "MiB")                                                                   \
    M(with, MEMORY_TOTAL_MIB, memory_total_mib, "MiB")                                                                 \
    M(with, SM_ACTIVE, sm_active, "")                                                                                  \
    M(with, SM_OCCUPANCY, sm_occupancy, "")                                                                            \
    M(with, TENSOR_ACTIVE, tensor_active, "")                                                                          \
    M(with, DRAM_ACTIVE, dram_active, "")                                                                              \
    M(with, GRAPHICS_ACTIVE, graphics_active, "")

/** The counters of a device, of which the rise is reported.  energy_joules is what the device itself has summed up. */
#define MLS_COUNTER_LIST(C, with)                                                                                      \
    C(with, ECC_CORRECTED, ecc_corrected)                                                                              \
    C(with, ECC_UNCORRECTED, ecc_uncorrected)                                                                          \
    C(with, ENERGY_JOULES, energy_joules)

/** Why clocks were not higher, in the order of NVML's bits, the first being 1. */
#define MLS_REASON_LIST(R, with)                                                                                       \
    R(with, GPU_IDLE, gpu_idle)                                                                                        \
    R(with, APPLICATIONS_CLOCKS_SETTING, applications_clocks_setting)                                                  \
    R(with, SW_POWER_CAP, sw_power_cap)                                                                                \
    R(with, HW_SLOWDOWN, hw_slowdown)                                                                                  \
    R(with, SYNC_BOOST, sync_boost)                                                                                    \
    R(with, SW_THERMAL_SLOWDOWN, sw_thermal_slowdown)                                                                  \
    R(with, HW_THERMAL_SLOWDOWN, hw_thermal_slowdown)                                                                  \
    R(with, HW_POWER_BRAKE_SLOWDOWN, hw_power_brake_slowdown)                                                          \
    R(with, DISPLAY_CLOCK_SETTING, display_clock_setting)

typedef enum mls_metric {
#define MLS_METRIC_ID(prefix, id, name, unit) prefix##id,
    MLS_METRIC_LIST(MLS_METRIC_ID, MLS_METRIC_) MLS_METRIC_COUNT
#undef MLS_METRIC_ID
} mls_metric;

typedef enum mls_counter {
#define MLS_COUNTER_ID(prefix, id, name) prefix##id,
    MLS_COUNTER_LIST(MLS_COUNTER_ID, MLS_COUNTER_) MLS_COUNTER_COUNT
#undef MLS_COUNTER_ID
} mls_counter;

typedef enum mls_reason {
#define MLS_REASON_ID(prefix, id, name) prefix##id,
    MLS_REASON_LIST(MLS_REASON_ID, MLS_REASON_) MLS_REASON_COUNT
#undef MLS_REASON_ID
} mls_reason;

/** How to read and to join; NaN and NULL stand for what was not given. */
typedef struct mls_telemetry_options {
    double timezone_minutes;  /**< of times that do not say theirs, east of Greenwich; 0: UTC */
    double offset_ms;         /**< added to every measured time */
    double gap_ms;            /**< rows further apart are a gap; NaN: 5 s or 5 intervals, whichever is more */
    double start_ms;          /**< of logs without times: row k of a device was measured at start + k × interval */
    double interval_ms;       /**< both or none */
    double from_ms, until_ms; /**< rows of other times are not kept, but for the first of a device; both or none */
    const char *columns;      /**< what a log of nvidia-smi without a heading holds: "timestamp,index,power.draw" */
    const char *host_pattern; /**< a regular expression whose one group is the host in a file's path */
    unsigned threads;         /**< 0: one per processor */
} mls_telemetry_options;

/** Nothing given. */
mls_telemetry_options mls_telemetry_defaults(void);

/** Whether at least one column of a list is known, and which is not: *unknown is the first, empty when all are. */
bool mls_telemetry_columns_known(const char *columns, mls_str *unknown);

/** When a run ran; of which log, from which line on (file NULL: no run was named). */
typedef struct mls_telemetry_run {
    const char *file;
    size_t line;
    double start_ms, stop_ms;
} mls_telemetry_run;

typedef struct mls_metric_summary {
    double mean, min, max; /**< NaN: no sample has it */
} mls_metric_summary;

/** A device during a run. */
typedef struct mls_telemetry_device {
    const char *file, *host, *device, *uuid, *name;
    const char *source;       /**< "nvidia-smi", "dmon", "dcgm", "amd-smi", "rocm-smi" or "mlperf" */
    double first_ms, last_ms; /**< of all its rows; NaN: they have no times */
    size_t samples;           /**< rows between start and stop */
    double interval_ms;       /**< median distance of rows, of the whole file */
    double coverage;          /**< share of the run that was measured */
    double gaps;              /**< how many touch the run */
    double longest_gap_ms;
    mls_metric_summary metrics[MLS_METRIC_COUNT];
    double busy_clock_mhz; /**< mean clock over the samples that are used for half at least, or do not say */
    double counters[MLS_COUNTER_COUNT];
    bool has_reasons;
    double reasons[MLS_REASON_COUNT]; /**< shares of the measured time; 0: never */
    double slowed;                    /**< the largest of those that slow a device down, but for its power limit */
    bool instance; /**< a part of another device of the log, as MIG makes them: neither sums nor comparisons have it */
    bool repeated; /**< another log has measured the same device at most of these times, and better: comparisons do not
                      have it */
    double counted_joules, counted_ms; /**< what the sums have of it: what no better log of the device has measured */
    double together;                   /**< share of the run that all logs of the device together have measured */
    double energy_joules;              /**< of the measured time */
    double mean_power_w;
    double energy_estimate_joules; /**< of the whole run, when nine tenths of it were measured */
} mls_telemetry_device;

/** A device that differs from its peers. */
typedef struct mls_telemetry_outlier {
    const mls_telemetry_device *device;
    mls_metric metric;
    double mean, median;
    bool of_two;    /**< it was compared with one other, whose mean the median is */
    bool straggles; /**< the others wait for it */
} mls_telemetry_outlier;

/** The measurements during one run. */
typedef struct mls_telemetry_window {
    mls_telemetry_run run;
    mls_telemetry_device *devices; /**< in the order of the files, then by number */
    size_t device_count;
    size_t different;                /**< devices, however many logs each has */
    size_t powered;                  /**< of these, with power */
    mls_telemetry_outlier *outliers; /**< by metric, then by device */
    size_t outlier_count, outlier_capacity;
    char suggested_timezone[8];                   /**< "-08:00"; "": none */
    double energy_joules, energy_estimate_joules; /**< of all devices; the estimate is NaN if one with power has none */
    double mean_power_w; /**< of all devices together, as if each had been measured all the time */
    mls_findings findings;
} mls_telemetry_window;

/** The summary of the windows made. */
typedef struct mls_telemetry_reported {
    mls_finding_counts counts;
    size_t windows;   /**< how many were made, in their order, each counted once */
    bool zone_sought; /**< for one that nothing overlaps: `zone` is what to suggest, or "" */
    char zone[8];
    mls_telemetry_run whole; /**< from the first to the last measurement: the window where no run is named */
} mls_telemetry_reported;

/** Everything read.  Owns all it points to but runs, their files, and what options point to. */
typedef struct mls_telemetry {
    const mls_telemetry_run *runs; /**< of each window */
    size_t window_count;
    mls_telemetry_options options;
    mls_sources skipped;                /**< that hold no measurement, and why */
    size_t failed;                      /**< files and folders that could not be read */
    struct mls_telemetry_file *sources; /**< with measurements */
    size_t source_count;
    mls_telemetry_reported *reported;
} mls_telemetry;

/** Reads what stands under `paths` ("-": standard input; folders are walked).  There is a window for each run; without
 * any run one from the first to the last measurement.  Logs are recognised by what they hold.  MLS_OK,
 * MLS_ERROR_LIMIT or MLS_ERROR_SYNTAX (of the host pattern); *telemetry is to be released in any
 * case. */
mls_status mls_telemetry_read(const char *const *paths, size_t path_count, const mls_telemetry_run *runs,
                              size_t run_count, const mls_telemetry_options *options, mls_telemetry *telemetry,
                              mls_error *error) MLS_MUST_USE;

/** Make one window, to be released before the next one is made: there may be many, of many devices. */
void mls_telemetry_window_get(const mls_telemetry *telemetry, size_t number, mls_telemetry_window *window);
void mls_telemetry_window_release(mls_telemetry_window *window);

void mls_telemetry_release(mls_telemetry *telemetry);

/** What was measured beside the logs of a group: a line for people, and the worst that was found.  Both are owned and
 * NULL where nothing was measured, or nothing is wrong. */
typedef struct mls_telemetry_note {
    char *line, *machine;
} mls_telemetry_note;

/** The notes of the groups of a collection, in their order.  Zero-initialised it has none. */
typedef struct mls_telemetry_notes {
    const mls_group *groups;
    mls_telemetry_note *items;
    size_t count;
} mls_telemetry_notes;

/** Measures each group of a Slurm directory, beside whose logs such files lie; the files are those that the collection
 * has skipped.  The notes are to be released in any case. */
mls_status mls_telemetry_note_groups(const mls_collection *collection, unsigned threads, mls_telemetry_notes *notes);
void mls_telemetry_notes_release(mls_telemetry_notes *notes);

/** Returns the note of a group, an empty one where there is none (notes NULL: of no group). */
mls_telemetry_note mls_telemetry_note_of(const mls_telemetry_notes *notes, const mls_group *group);

/** Whether a file is one of those that hold measurements; it is read for that. */
bool mls_telemetry_measures(const mls_source *source);
