/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - how GPUs spent their time, from the output of a profiler.
 *
 * Reads traces of the PyTorch profiler (Kineto) and CSV reports of nsys stats, ncu and rocprof, recognized by their
 * contents.  A file is read as a stream and takes 32 bytes of memory for each GPU activity and 16 for each CUDA call.
 */
#pragma once

#include "base/base.h"

/** Classes of kernels ("gemm", "communication" …) with rules for their names.  Threads may share them. */
typedef struct mls_kernel_classes mls_kernel_classes;

/** Load classes from a text in the format of src/data/kernels.json; if json.ptr is NULL, from the embedded copy of that
 * file.  Return MLS_ERROR_SYNTAX or MLS_ERROR_VALUE with a message if the text is not valid. */
mls_status mls_kernel_classes_new(mls_str json, mls_kernel_classes **classes, mls_error *error) MLS_MUST_USE;
void mls_kernel_classes_free(mls_kernel_classes *classes);

typedef enum mls_profile_kind {
    MLS_PROFILE_KINETO,     /**< a trace of the PyTorch profiler */
    MLS_PROFILE_NSYS_STATS, /**< sums that nsys stats printed */
    MLS_PROFILE_NSYS_TRACE, /**< the report cuda_gpu_trace of nsys stats, possibly with other reports */
    MLS_PROFILE_NCU,        /**< counters of kernels, from ncu */
    MLS_PROFILE_ROCPROF_STATS,
    MLS_PROFILE_ROCPROF_TRACE
} mls_profile_kind;

/** For each mls_profile_kind, its name ("kineto", "nsys-stats" …) and its text for people ("PyTorch trace" …). */
extern const struct mls_profile_kind_names {
    const char *name, *words;
} mls_profile_kinds[];

/** Counts and times under one name: the name of a kernel, a class, a copy operation, a function or a range. */
typedef struct mls_profile_row {
    mls_str name;
    const char *class_name; /**< class of a kernel; NULL: the row is not for a kernel */
    uint64_t count;
    double total_ms;
    double min_us, max_us; /**< shortest and longest time; NAN: unknown */
    double megabytes;      /**< 10^6 bytes of copies; NAN: unknown */
    double share; /**< share of the time of all activities, for kernels of all kernels; NAN: these took no time */
    const struct mls_profile_counter *counter; /**< counters of a kernel; NULL: not measured */
} mls_profile_row;

/** The times of a kernel's launches (nsys). */
typedef struct mls_profile_launches {
    mls_str name, api; /**< name of the kernel; name of the call that launches it */
    uint64_t count;
    double api_ms;    /**< time in the calls; NAN: unknown */
    double queue_ms;  /**< time from the ends of the calls to the starts of the kernels, if these are later */
    double kernel_ms; /**< time in the kernels */
} mls_profile_launches;

/** The result of a rule of nsys analyze for a call or a device (`name`). */
typedef struct mls_profile_found {
    mls_str rule, name;
    uint64_t count;
    double total_ms, longest_ms;
} mls_profile_found;

/** Rows, the longest total time first, then by name.  `known`: the input has a table of these rows, even if it is
 * empty. */
typedef struct mls_profile_rows {
    mls_profile_row *items;
    size_t count;
    bool known;
} mls_profile_rows;

typedef struct mls_profile_stream {
    mls_str stream;
    uint64_t activities;
    double busy_ms;
} mls_profile_stream;

/** The timeline of a device: window = compute + exposed communication + exposed copy + idle, to the nanosecond. */
typedef struct mls_profile_device {
    mls_str device;
    uint64_t activities;
    double window_ms, busy_ms, idle_ms;
    double compute_ms, communication_ms, exposed_communication_ms, copy_ms, exposed_copy_ms;
    double overlap;         /**< share of communication overlapped with compute; NAN: no communication */
    double idle_host_ms;    /**< idle time because the next activity was launched late by the host */
    double idle_queue_ms;   /**< idle time although the next activity had been launched before */
    double idle_unknown_ms; /**< idle time before activities with unknown launch */
    double graph_share;     /**< share of the kernels' time launched as CUDA graphs; NAN: unknown */
    double launch_delay_median_us, launch_delay_95_us; /**< time from launch to start of a kernel; NAN: unknown */
    double kernel_median_us;                           /**< duration of a kernel; NAN: no kernels */
    uint64_t without_launch;                           /**< kernels whose launch is unknown */
    mls_profile_stream *streams;
    size_t stream_count;
} mls_profile_device;

/** The resource that limits the speed of a kernel, by the thresholds of Nsight Compute's rule SOLBottleneck. */
typedef enum mls_profile_bound {
    MLS_BOUND_COMPUTE,
    MLS_BOUND_MEMORY,
    MLS_BOUND_BALANCED,
    MLS_BOUND_LATENCY,
    MLS_BOUND_UNKNOWN, /**< the counters that decide were not measured */
    MLS_BOUND_COUNT
} mls_profile_bound;
extern const char *const mls_profile_bound_names[MLS_BOUND_COUNT];

/** Counters of a kernel: means over its launches, weighted by duration if all have one.  NAN: not measured. */
typedef struct mls_profile_counter {
    mls_str name;
    const char *class_name;
    uint64_t launches;
    double duration_ms; /**< total */
    double compute_percent, memory_percent, dram_percent;
    /** Memory_percent is a lower bound: the value of the busiest memory unit that was measured. */
    bool memory_at_least;
    double occupancy_percent, occupancy_most_percent; /**< achieved occupancy; highest possible occupancy */
    double waves;      /**< number of blocks of the grid, divided by the blocks that the device runs at a time */
    double tail_share; /**< unused part of the last wave as a share of all waves */
    mls_profile_bound bound;
    bool near_peak; /**< compute or memory throughput is at least 80 % of the peak */
} mls_profile_counter;

/** The advice of a rule of Nsight Compute on a kernel. */
typedef struct mls_profile_advice {
    mls_str name; /**< name of the kernel */
    mls_str rule;
    const char *words; /**< text on how to make the kernel faster; "": unknown */
    bool global;       /**< the speedup is for the whole kernel, not for a part of the device */
    uint64_t launches;
    double duration_ms;     /**< duration of the launches with this advice; NAN: unknown */
    double speedup_percent; /**< the mean share of time saved, weighted by duration */
    double gain_ms;         /**< time saved in all launches; NAN: not global, or unknown */
} mls_profile_advice;

/** The number of launches that one resource limits. */
typedef struct mls_profile_bounded {
    mls_profile_bound bound;
    uint64_t launches;
    double share; /**< share of the time, or of the launches if the time is unknown */
} mls_profile_bounded;

/** A step of the training. */
typedef struct mls_profile_step {
    uint64_t number;
    double start_ms;  /**< relative to the first activity of the GPU; NAN: there is no activity */
    double length_ms; /**< length on the host */
    double gpu_ms;    /**< time of the activities launched in the step; NAN: unknown */
} mls_profile_step;

/** An annotation of the host.  `activities` were launched in it, but not in an annotation inside it. */
typedef struct mls_profile_annotation {
    mls_str name; /**< empty: for activities launched outside of all annotations */
    uint64_t count;
    double host_ms; /**< total time on the host */
    uint64_t activities;
    double gpu_ms; /**< time of the activities; NAN: unknown */
    double share;  /**< share of the time of all activities; NAN: there are none */
} mls_profile_annotation;

/** The most memory that was allocated on a device. */
typedef struct mls_profile_memory {
    mls_str device;
    double allocated; /**< bytes, the peak */
    double reserved;  /**< bytes reserved at the time of the peak; NAN: unknown */
    double at_ms;     /**< time of the peak relative to the first activity of the GPU; NAN: there is no activity */
    double step;      /**< number of the step at that time; NAN: outside all steps */
} mls_profile_memory;

/** A sentence about a profile, with its code, such as "idle". */
typedef struct mls_profile_verdict {
    const char *code;
    const char *message;
} mls_profile_verdict;

/** The largest number of ranks of a job.  A larger number in a trace is not read as a rank or world size. */
#define MLS_WORLD_MAX 1000000

typedef struct mls_profile {
    const char *file; /**< name of the file; owned by the caller */
    bool in_folder;   /**< the file was found in a folder and not named by the user; set by the caller */
    mls_profile_kind kind;
    bool complete;
    double start_ms;    /**< start of the first activity, since 1970; NAN: unknown */
    double length_ms;   /**< time to the end of the last activity; NAN: unknown */
    uint64_t kernels;   /**< number of kernel launches */
    double kernel_ms;   /**< total time of kernels */
    double activity_ms; /**< total time of kernels and copies */
    mls_profile_rows classes, names, copies, api, ranges, osrt;
    /** Longest queue_ms first, then longest api_ms; NULL: the input has no table of launches. */
    mls_profile_launches *launches;
    size_t launch_count;
    mls_profile_found *analysis; /**< sorted by rule; NULL: the input has no results of nsys analyze */
    size_t analysis_count;
    mls_profile_device *devices; /**< in the order of their numbers */
    size_t device_count;
    bool has_devices; /**< the input has a timeline */
    struct {
        uint64_t count;
        double mean_ms, min_ms, max_ms;
        mls_profile_step *each;
        double outside_ms; /**< time of activities launched outside all steps; NAN: unknown */
        double unknown_ms; /**< time of activities whose launch is unknown */
    } steps;
    mls_profile_annotation *annotations; /**< the longest on the GPU first */
    size_t annotation_count;
    mls_profile_memory *memory; /**< one item per device */
    size_t memory_count;
    mls_profile_counter *counters;
    size_t counter_count;
    bool has_counters;
    mls_profile_advice *advice; /**< the largest gain first, advice that is not global last */
    size_t advice_count;
    mls_profile_bounded bounds[MLS_BOUND_COUNT]; /**< the bounds that occur, in the order of mls_profile_bound */
    size_t bound_count;
    bool bounds_by_time;
    double pageable_share; /**< share of copies from or to pageable memory in the time of all activities */
    mls_profile_verdict *verdicts;
    size_t verdict_count;
    struct {
        const char *file;      /**< log of the run; NULL: no run was given */
        double offset_minutes; /**< minutes from run_start to the first activity; NAN: unknown */
        bool inside;           /**< the profile lies between run_start and run_stop */
        bool known;            /**< a run was found, and the time of the profile is known */
        double shared_ms;      /**< overlap of profile and run; if negative, the distance between them */
    } run;
    bool has_rank; /**< the trace contains the number of its rank */
    size_t rank;
    size_t world_size;               /**< number of ranks of the job; 0: unknown */
    uint64_t nccl_without_arguments; /**< kernels of NCCL that do not name their collective */
    struct mls_collectives *collectives;
    size_t top; /**< number of rows shown of a long list; 0: all rows; set by the caller */
    mls_findings findings;
    struct mls_arena *arena; /**< owns everything above except the findings */
} mls_profile;

/** Read the profile in an open file, pipe or device, which remains open.  `file`, its name in messages, and the classes
 * must outlive the profile.  Return MLS_ERROR_UNKNOWN if it is not a profile, with the reason and, if possible, the
 * command that converts the file; MLS_ERROR_READ if it cannot be read. */
mls_status mls_profile_read(int fd, const char *file, const mls_kernel_classes *classes, mls_profile **profile,
                            mls_error *error) MLS_MUST_USE;

void mls_profile_free(mls_profile *profile);

/** Return part / whole, or NAN if the whole is 0. */
double mls_profile_share(double part, double whole);

/** Return how many of `count` rows to show. */
static inline size_t mls_profile_top(const mls_profile *profile, size_t count)
{
    return profile->top == 0 || count < profile->top ? count : profile->top;
}

/** The change of a class between two profiles: milliseconds per step if both mark steps, else shares. */
typedef struct mls_profile_change {
    mls_str name;
    double before, after;
} mls_profile_change;

typedef struct mls_profile_changes {
    mls_profile_change *items; /**< the largest change first; the caller frees them */
    size_t count;
    bool per_step;
} mls_profile_changes;

/** Compare the times of each class of kernels.  The caller frees changes->items. */
void mls_profile_compare(const mls_profile *base, const mls_profile *profile, mls_profile_changes *changes);

/** Compare the time of the profile with a run, and set profile->run.  Times are milliseconds since 1970; stop_ms is NAN
 * if the run has not ended.  After calls for several runs, profile->run describes the run with the longest overlap, or
 * the nearest one if no run overlaps. */
void mls_profile_place(mls_profile *profile, double start_ms, double stop_ms);
