/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.h - power, energy, clocks and utilization during runs.  Logs of nvidia-smi, dmon, dcgmi, amd-smi, rocm-smi
 * and MLPerf's power measurement are joined with runs by time.
 *
 * Times are milliseconds since 1970, energy is joules, power watts.  Unknown values are NaN or NULL. */
#pragma once

#include "score/collect.h"

/** The metrics of a device with their units, in the order of output.  `with` is the first argument of each M(). */
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

/** The counters of a device, of which the increase is reported.  energy_joules is the energy counter of the device. */
#define MLS_COUNTER_LIST(C, with)                                                                                      \
    C(with, ECC_CORRECTED, ecc_corrected)                                                                              \
    C(with, ECC_UNCORRECTED, ecc_uncorrected)                                                                          \
    C(with, ENERGY_JOULES, energy_joules)

/** The reasons why clocks were not higher, in the order of NVML's bits, from bit 1. */
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

/** Options of reading logs and joining them with runs.  A number is NaN, and a text NULL, if the option is not given.
 */
typedef struct mls_telemetry_options {
    double timezone_minutes; /**< time zone of times that lack one, in minutes east of Greenwich; 0: UTC */
    double offset_ms;        /**< added to every measured time */
    double gap_ms;           /**< a longer time between two rows is a gap; NaN: the larger of 5 s and 5 intervals */
    double start_ms;         /**< for logs without times: row k of a device is at start_ms + k × interval_ms */
    double interval_ms;      /**< given if and only if start_ms is given */
    /** Keep only rows between these times, and the first row of each device; both or none are given. */
    double from_ms, until_ms;
    const char *columns;      /**< columns of nvidia-smi logs without a header: "timestamp,index,power.draw" */
    const char *host_pattern; /**< a regular expression for paths of files; its only group matches the host */
    unsigned threads;         /**< 0: one per processor */
} mls_telemetry_options;

/** Return options of which none is given. */
mls_telemetry_options mls_telemetry_defaults(void);

/** Return whether a list such as "timestamp,index" contains a known column.  *unknown is set to its first unknown
 * column, or to an empty text. */
bool mls_telemetry_columns_known(const char *columns, mls_str *unknown);

/** The log, first line and times of a run; file NULL: no run was named. */
typedef struct mls_telemetry_run {
    const char *file;
    size_t line;
    double start_ms, stop_ms;
} mls_telemetry_run;

typedef struct mls_metric_summary {
    double mean, min, max; /**< NaN: no sample has a value */
} mls_metric_summary;

/** A device during a run. */
typedef struct mls_telemetry_device {
    const char *file, *host, *device, *uuid, *name;
    const char *source;       /**< "nvidia-smi", "dmon", "dcgm", "amd-smi", "rocm-smi" or "mlperf" */
    double first_ms, last_ms; /**< times of the first and last row of the file; NaN: rows have no times */
    size_t samples;           /**< rows between start and stop */
    double interval_ms;       /**< median time between rows in the whole file */
    double coverage;          /**< measured share of the run */
    double gaps;              /**< number of gaps in the run */
    double longest_gap_ms;
    mls_metric_summary metrics[MLS_METRIC_COUNT];
    double busy_clock_mhz; /**< mean clock of rows with a utilization of at least 50 %, or an unknown one */
    double counters[MLS_COUNTER_COUNT];
    bool has_reasons;
    double reasons[MLS_REASON_COUNT]; /**< share of the measured time with each reason */
    double slowed; /**< the largest share of a reason that slows the device down, except the power limit */
    bool instance; /**< a MIG instance of another device in the log: not summed up, not compared */
    bool repeated; /**< another log, which is better, measured the device at most of the same times: not compared */
    /** Energy and time without the times that a better log of the device measured. */
    double counted_joules, counted_ms;
    double together;      /**< share of the run that the logs of the device measured together */
    double energy_joules; /**< energy in the measured time */
    double mean_power_w;
    double energy_estimate_joules; /**< estimate for the whole run; NaN: less than 90 % of the run was measured */
} mls_telemetry_device;

/** A device that differs from its peers. */
typedef struct mls_telemetry_outlier {
    const mls_telemetry_device *device;
    mls_metric metric;
    double mean, median;
    bool of_two;    /**< there is only one other device to compare with; `median` is its mean */
    bool straggles; /**< the other devices wait for this device */
} mls_telemetry_outlier;

/** The measurements during one run. */
typedef struct mls_telemetry_window {
    mls_telemetry_run run;
    mls_telemetry_device *devices; /**< sorted by file, then by number; one item per log of a device */
    size_t device_count;
    size_t different;                /**< number of distinct devices */
    size_t powered;                  /**< number of distinct devices with power values */
    mls_telemetry_outlier *outliers; /**< sorted by metric, then by device */
    size_t outlier_count, outlier_capacity;
    char suggested_timezone[8]; /**< a time zone with which the logs would match the run, such as "-08:00"; "": none */
    double energy_joules, energy_estimate_joules; /**< sums over all devices; the estimate is NaN if it is NaN for a
                                                     device with power values */
    double mean_power_w;                          /**< sum of the mean powers of all devices */
    mls_findings findings;
} mls_telemetry_window;

/** Summary of the windows that mls_telemetry_window_get() has made so far. */
typedef struct mls_telemetry_reported {
    mls_finding_counts counts;
    size_t windows;   /**< number of windows whose findings are counted; windows are counted in their order */
    bool zone_sought; /**< `zone` has been set to the suggested time zone, or "" */
    char zone[8];
    mls_telemetry_run whole; /**< the time of all measurements, which is the window if no run is named */
} mls_telemetry_reported;

/** All measurements.  The caller owns the runs, their files and the texts of the options. */
typedef struct mls_telemetry {
    const mls_telemetry_run *runs; /**< the run of each window */
    size_t window_count;
    mls_telemetry_options options;
    mls_sources skipped;                /**< files without measurements, each with the reason */
    size_t failed;                      /**< number of files and folders that could not be read */
    struct mls_telemetry_file *sources; /**< files with measurements */
    size_t source_count;
    mls_telemetry_reported *reported;
} mls_telemetry;

/** Read all measurement logs below `paths` ("-": standard input), recognized by their contents.  There is a window for
 * each run, or one window for all measurements if there are no runs.  Return MLS_OK, MLS_ERROR_LIMIT, or
 * MLS_ERROR_SYNTAX if the host pattern is not valid.  Release *telemetry in any case. */
mls_status mls_telemetry_read(const char *const *paths, size_t path_count, const mls_telemetry_run *runs,
                              size_t run_count, const mls_telemetry_options *options, mls_telemetry *telemetry,
                              mls_error *error) MLS_MUST_USE;

/** Make window number `number`.  Release it before making the next one, because each may take much memory. */
void mls_telemetry_window_get(const mls_telemetry *telemetry, size_t number, mls_telemetry_window *window);
void mls_telemetry_window_release(mls_telemetry_window *window);

void mls_telemetry_release(mls_telemetry *telemetry);

/** The measurements next to the logs of a group: `line` describes them (NULL: there are none), `machine` is the worst
 * finding about a device (NULL: there is none). */
typedef struct mls_telemetry_note {
    char *line, *machine;
} mls_telemetry_note;

/** The notes of the groups of a collection, in the order of groups.  A zero-initialized value has no notes. */
typedef struct mls_telemetry_notes {
    const mls_group *groups;
    mls_telemetry_note *items;
    size_t count;
} mls_telemetry_notes;

/** Make a note for each group of a Slurm directory from measurement logs among the files that the collection skipped.
 * Release the notes in any case. */
mls_status mls_telemetry_note_groups(const mls_collection *collection, unsigned threads, mls_telemetry_notes *notes);
void mls_telemetry_notes_release(mls_telemetry_notes *notes);

/** Return the note of a group, or an empty note if the group does not have one or notes is NULL. */
mls_telemetry_note mls_telemetry_note_of(const mls_telemetry_notes *notes, const mls_group *group);

/** Read a file and return whether it contains measurements. */
bool mls_telemetry_measures(const mls_source *source);
