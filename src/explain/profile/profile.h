/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - what a profiler wrote of a job: where the time of its GPUs went.
 *
 * Read are traces of the PyTorch profiler (Kineto), reports of `nsys stats --format csv`, of `ncu --csv` and of
 * rocprof, recognised by their content.  A file is read once, as a stream; an activity of the GPU takes 32 bytes until
 * its end, a call of CUDA 12. */
#pragma once

#include "base/base.h"

/** Classes of kernels ("gemm", "communication" …), and the rules by which names belong to them.  Threads may share
 * them.
 */
typedef struct mls_kernel_classes mls_kernel_classes;

/** Loads classes from a text of the form of src/data/kernels.json; ptr NULL: that file itself.  To be freed.
 * MLS_ERROR_SYNTAX or _VALUE with a message. */
mls_status mls_kernel_classes_new(mls_str json, mls_kernel_classes **classes, mls_error *error) MLS_MUST_USE;
void mls_kernel_classes_free(mls_kernel_classes *classes);

typedef enum mls_profile_kind {
    MLS_PROFILE_KINETO,        /**< a trace of the PyTorch profiler */
    MLS_PROFILE_NSYS_STATS,    /**< sums */
    MLS_PROFILE_NSYS_TRACE,    /**< cuda_gpu_trace, maybe with sums of other reports */
    MLS_PROFILE_NCU,           /**< counters */
    MLS_PROFILE_ROCPROF_STATS, /**< sums */
    MLS_PROFILE_ROCPROF_TRACE  /**< kernels one by one */
} mls_profile_kind;

/** By their kind: "kineto", "nsys-stats" …; "PyTorch trace", "nsys stats" … for people. */
extern const struct mls_profile_kind_names {
    const char *name, *words;
} mls_profile_kinds[];

/** Counts and times under one name: kernels, classes, copies, functions, ranges. */
typedef struct mls_profile_row {
    mls_str name;
    const char *class_name; /**< of a kernel */
    uint64_t count;
    double total_ms;
    double min_us, max_us; /**< NAN: not known */
    double megabytes;      /**< 10^6 bytes, of copies; NAN: not known */
    double share;          /**< of all activity or of all kernels, 0 to 1; NAN: these took no time */
    const struct mls_profile_counter *counter; /**< of a kernel; NULL: there are none */
} mls_profile_row;

/** The times of a kernel's launches, of nsys. */
typedef struct mls_profile_launches {
    mls_str name, api; /**< the kernel and the call */
    uint64_t count;
    double api_ms;    /**< in the calls; NAN: not known */
    double queue_ms;  /**< from the ends of the calls to the starts, where that was later */
    double kernel_ms; /**< of the kernels */
} mls_profile_launches;

/** Findings of a rule of nsys analyze on a call or device. */
typedef struct mls_profile_found {
    mls_str rule, name;
    uint64_t count;
    double total_ms, longest_ms;
} mls_profile_found;

/** Rows, the longest first, then by name; `known`: the input speaks of such things, even when there are none. */
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

/** The time line of a device: window = compute + exposed communication + exposed copy + idle, to the nanosecond. */
typedef struct mls_profile_device {
    mls_str device;
    uint64_t activities;
    double window_ms, busy_ms, idle_ms;
    double compute_ms, communication_ms, exposed_communication_ms, copy_ms, exposed_copy_ms;
    double overlap;         /**< of communication, hidden by computing; NAN: there is none */
    double idle_host_ms;    /**< of idle: what ended it was launched only when it had begun: the host was late */
    double idle_queue_ms;   /**< of idle: what ended it had been launched before */
    double idle_unknown_ms; /**< of idle: the launch of what ended it is not known */
    double graph_share;     /**< of the kernels' time: launched as CUDA graphs; NAN: no launch is known */
    double launch_delay_median_us, launch_delay_95_us; /**< from launch to start, by nearest rank; NAN: none is known */
    double kernel_median_us;                           /**< by nearest rank; NAN: there is no kernel */
    uint64_t without_launch;                           /**< kernels whose launch is not known */
    mls_profile_stream *streams;
    size_t stream_count;
} mls_profile_device;

/** By the thresholds of Nsight Compute's rule "SOLBottleneck". */
typedef enum mls_profile_bound {
    MLS_BOUND_COMPUTE,
    MLS_BOUND_MEMORY,
    MLS_BOUND_BALANCED,
    MLS_BOUND_LATENCY,
    MLS_BOUND_UNKNOWN, /**< not enough was measured to know */
    MLS_BOUND_COUNT
} mls_profile_bound;
extern const char *const mls_profile_bound_names[MLS_BOUND_COUNT];

/** Counters of the launches of one kernel: means, weighted by duration where all have one. */
typedef struct mls_profile_counter {
    mls_str name;
    const char *class_name;
    uint64_t launches;
    double duration_ms; /**< together; NAN: not known of all */
    double compute_percent, memory_percent;
    double dram_percent;  /**< NAN: not measured */
    bool memory_at_least; /**< the throughput of memory as a whole was not measured: it is that of its busiest part */
    double occupancy_percent, occupancy_most_percent; /**< achieved, and possible; NAN: not measured */
    double waves;                                     /**< of blocks on the device; NAN: not measured */
    double tail_share; /**< of the last wave's place that is empty, of that of all waves; NAN: likewise */
    mls_profile_bound bound;
    bool near_peak;
} mls_profile_counter;

/** The advice of a rule of Nsight Compute on a kernel. */
typedef struct mls_profile_advice {
    mls_str name; /**< of the kernel */
    mls_str rule;
    const char *words; /**< by what it would be faster, in our own words; "": nobody says.  The classes' */
    bool global;       /**< the speedup is of the whole kernel, else of a part of the device */
    uint64_t launches;
    double duration_ms;     /**< of these launches; NAN: not known */
    double speedup_percent; /**< how much less time they would take: the mean, weighted by duration */
    double gain_ms;         /**< of all of them; NAN: not of the whole kernel, or not known */
} mls_profile_advice;

/** The launches that a bound has. */
typedef struct mls_profile_bounded {
    mls_profile_bound bound;
    uint64_t launches;
    double share; /**< of the time, of the launches where time is not known */
} mls_profile_bounded;

/** A step of the training. */
typedef struct mls_profile_step {
    uint64_t number;
    double start_ms;  /**< after the first activity of the GPU; NAN: there is none */
    double length_ms; /**< on the host */
    double gpu_ms;    /**< of the activities that were launched in it; NAN: no launch is known */
} mls_profile_step;

/** An annotation of the host, and what was launched in it but in none inside of it. */
typedef struct mls_profile_annotation {
    mls_str name;   /**< empty: outside of all annotations */
    uint64_t count; /**< how often it was */
    double host_ms; /**< how long, together */
    uint64_t activities;
    double gpu_ms; /**< of them; NAN: no launch is known */
    double share;  /**< of all activity; NAN: it took no time */
} mls_profile_annotation;

/** The most memory that was allocated on a device. */
typedef struct mls_profile_memory {
    mls_str device;
    double allocated; /**< bytes */
    double reserved;  /**< bytes, then; NAN: not known */
    double at_ms;     /**< after the first activity of the GPU; NAN: there is none */
    double step;      /**< its number; NAN: in none */
} mls_profile_memory;

/** A sentence to be said of a profile, and its code, such as "idle". */
typedef struct mls_profile_verdict {
    const char *code;
    const char *message;
} mls_profile_verdict;

/** So many ranks a job may have; a number beyond is none. */
#define MLS_WORLD_MAX 1000000

typedef struct mls_profile {
    const char *file; /**< as it was named; the caller's */
    bool in_folder;   /**< found in a folder, not named; the caller's */
    mls_profile_kind kind;
    bool complete;
    double start_ms;    /**< of the first activity, since 1970; NAN: not known */
    double length_ms;   /**< from there to the end of the last one; NAN: not known */
    uint64_t kernels;   /**< launches */
    double kernel_ms;   /**< of them together */
    double activity_ms; /**< of kernels and copies */
    mls_profile_rows classes, names, copies, api, ranges, osrt;
    mls_profile_launches
        *launches; /**< the longest in the queue first, then in the call; NULL: the input does not say */
    size_t launch_count;
    mls_profile_found *analysis; /**< by rule, the longest first; NULL: likewise */
    size_t analysis_count;
    mls_profile_device *devices; /**< by number */
    size_t device_count;
    bool has_devices; /**< the input has a time line */
    struct {
        uint64_t count; /**< 0: no steps are marked */
        double mean_ms, min_ms, max_ms;
        mls_profile_step *each;
        double outside_ms; /**< of the activities that were launched outside of all steps; NAN: no launch is known */
        double unknown_ms; /**< of those whose launch is not known */
    } steps;
    mls_profile_annotation *annotations; /**< the longest on the GPU first */
    size_t annotation_count;
    mls_profile_memory *memory; /**< by device, as they came */
    size_t memory_count;
    mls_profile_counter *counters;
    size_t counter_count;
    bool has_counters;
    mls_profile_advice *advice; /**< what gains most first; what is of a part of the device last */
    size_t advice_count;
    mls_profile_bounded bounds[MLS_BOUND_COUNT]; /**< those that there are, in their order */
    size_t bound_count;
    bool bounds_by_time;
    double pageable_share; /**< of all activity: copies from or to pageable memory */
    mls_profile_verdict *verdicts;
    size_t verdict_count;
    struct {
        const char *file;      /**< NULL: it was not asked for */
        double offset_minutes; /**< from run_start to the first activity; NAN: not known */
        bool inside;           /**< all of the profile lies between run_start and run_stop */
        bool known;            /**< a run was found, and the profile says its time */
        double shared_ms;      /**< how much of the profile lies in the run; below 0: how far apart they are */
    } run;
    bool has_rank;                   /**< the trace says whose it is … */
    size_t rank;                     /**< … this rank's … */
    size_t world_size;               /**< … of so many; 0: not known */
    uint64_t nccl_without_arguments; /**< kernels of NCCL that do not say of which collective they are */
    struct mls_collectives *collectives;
    size_t top; /**< so many rows of a long list are shown, 0: all; the caller's */
    mls_findings findings;
    struct mls_arena *arena; /**< holds everything above but the findings */
} mls_profile;

/** Reads the profile in an open file, pipe or device, which stays the caller's.  `file` is its name in messages and
 * outlives the profile, as do the classes.  MLS_OK with *profile to be freed; MLS_ERROR_UNKNOWN: it is none, with the
 * reason and, if there is one, the command that makes a profile of it;
 * MLS_ERROR_READ. */
mls_status mls_profile_read(int fd, const char *file, const mls_kernel_classes *classes, mls_profile **profile,
                            mls_error *error) MLS_MUST_USE;

void mls_profile_free(mls_profile *profile);

/** A part of a whole; of nothing NAN. */
double mls_profile_share(double part, double whole);

/** How many rows are shown of a list. */
static inline size_t mls_profile_top(const mls_profile *profile, size_t count)
{
    return profile->top == 0 || count < profile->top ? count : profile->top;
}

/** How a class changed from one profile to the other: milliseconds a step where both mark steps, else shares. */
typedef struct mls_profile_change {
    mls_str name;
    double before, after;
} mls_profile_change;

typedef struct mls_profile_changes {
    mls_profile_change *items; /**< to be freed; the largest change first */
    size_t count;
    bool per_step;
} mls_profile_changes;

/** Compare the times of each class of kernels.  Free changes->items. */
void mls_profile_compare(const mls_profile *base, const mls_profile *profile, mls_profile_changes *changes);

/** Says where in a run, from start to stop (NAN: it has not ended), the profile lies.  Called for several runs, the one
 * that holds most of it counts, else the nearest. */
void mls_profile_place(mls_profile *profile, double start_ms, double stop_ms);
