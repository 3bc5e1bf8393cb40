/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - what the readers of all formats collect while they read a profile; private to the module.
 *
 * A reader (trace.c, reports.c) adds names, calls, activities and sums to an mls_gather, and profile.c makes an
 * mls_profile of it.  Memory is bounded by MLS_NAMES_MAX names and MLS_TRACKS_MAX streams, except for 32 bytes for each
 * activity on a timeline, 16 for each call that may have launched an activity, 24 for each kernel of a collective, and
 * the size of an mls_launch (reports.c) for each launch with counters. */
#pragma once

#include <pthread.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "explain/profile/profile.h"
#include "log/input.h"

/* The largest numbers of classes and of rules that src/data/kernels.json may define. */
enum { MLS_CLASSES_MAX = 64, MLS_CLASS_RULES_MAX = 256 };

/* The roles of classes in verdicts and on the timeline. */
enum {
    MLS_CLASS_COMMUNICATION = 1,
    MLS_CLASS_COPY = 2,
    MLS_CLASS_PRODUCT = 4,    /* gemm, convolution: fp32_pattern applies */
    MLS_CLASS_ARITHMETIC = 8, /* products and attention */
    MLS_CLASS_BYTES = 16      /* memory traffic takes longer than arithmetic */
};

/* A rule of Nsight Compute, and a text on how to make a kernel faster if the rule reports it. */
typedef struct mls_ncu_rule {
    const char *rule, *words;
} mls_ncu_rule;

struct mls_kernel_classes {
    mls_arena memory;
    const mls_ncu_rule *ncu_rules;
    size_t ncu_rule_count;
    pthread_mutex_t *lock; /* a pattern is matched by one thread at a time */
    const char *names[MLS_CLASSES_MAX];
    unsigned roles[MLS_CLASSES_MAX];
    size_t count;
    size_t other, copy; /* the numbers of the classes "other" and "copy" */
    struct {
        size_t number; /* the number of the class */
        mls_pattern pattern;
    } rules[MLS_CLASS_RULES_MAX];
    size_t rule_count;
    mls_pattern fp32; /* names of kernels on FP32 cores; code is NULL if there is no pattern */
};

/* Set *number to the class of the kernel with this name, and *fp32 to whether the kernel is a matrix product on FP32
 * cores. */
void mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32);

enum {
    MLS_NAMES_MAX = 65536,         /* distinct names; kernels with further names are only counted by class */
    MLS_NAME_BYTES_MAX = 16 << 20, /* bytes of all distinct names together */
    MLS_TRACKS_MAX = 16384         /* streams */
};

/* Sums of counts and times (nanoseconds) under one name.  Whole numbers are exact below 2^53. */
typedef struct mls_sums {
    double count, total;
    double min, max; /* NAN: unknown */
} mls_sums;

typedef struct mls_tally_row {
    mls_str name; /* empty: the row is for copies, or for kernels of a class whose names are not kept */
    size_t class_number;
    bool fp32; /* a matrix product on FP32 cores */
    bool nccl; /* the name shows a kernel of NCCL */
    const mls_profile_counter *counter;
    double megabytes; /* size of copies, 10^6 bytes; NAN: unknown, or not a copy */
    mls_sums sums;
    /* Nanoseconds in launch calls, and from the ends of the calls to the starts of the kernels. */
    double api_ns, queue_ns;
} mls_tally_row;

/* Rows by name. */
typedef struct mls_tally {
    mls_map map; /* name to row number */
    mls_tally_row *rows;
    size_t count, capacity;
    size_t bytes; /* bytes of all names together */
    bool known;   /* the input has such a table */
} mls_tally;

typedef enum mls_tally_kind {
    MLS_TALLY_KERNELS,
    MLS_TALLY_RANGES,
    MLS_TALLY_API,
    MLS_TALLY_OSRT,
    MLS_TALLY_CALLS, /* calls of a table without a name: moved to API or OSRT at the end of the table */
    MLS_TALLY_ANNOTATIONS,
    MLS_TALLY_RULES,
    MLS_TALLY_LAUNCHES, /* launches (nsys); a row's name is the call, a blank and the kernel */
    MLS_TALLY_ANALYSIS, /* results of nsys analyze; a row's name is the rule, a blank and the call or device */
    MLS_TALLIES
} mls_tally_kind;

typedef enum mls_copy_operation {
    MLS_COPY_SET,
    MLS_COPY_HOST_TO_DEVICE,
    MLS_COPY_DEVICE_TO_HOST,
    MLS_COPY_DEVICE_TO_DEVICE,
    MLS_COPY_HOST_TO_HOST,
    MLS_COPY_PEER_TO_PEER,
    MLS_COPY_OTHER,
    MLS_COPY_COUNT
} mls_copy_operation;

/* The row numbers of MLS_TALLY_KERNELS.  First there is one row per class for kernels whose names are not kept, then
 * two rows per copy operation (not pageable, pageable), then one row per kernel name. */
enum {
    MLS_ROW_COPY = MLS_CLASSES_MAX,
    MLS_ROW_NAME = MLS_ROW_COPY + 2 * MLS_COPY_COUNT,
    MLS_ROW_BITS = 20,
    MLS_ROW_MASK = (1 << MLS_ROW_BITS) - 1,
    MLS_ROW_GRAPH = 1 << (MLS_ROW_BITS + 4) /* flag in mls_activity.row: a CUDA graph launched the activity */
};
_Static_assert(MLS_ROW_NAME + MLS_NAMES_MAX <= MLS_ROW_MASK, "every row has a number");

static inline bool mls_row_is_kernel(size_t row)
{
    return row < MLS_ROW_COPY || row >= MLS_ROW_NAME;
}

/* The launch of an activity is unknown. */
#define MLS_NO_LAUNCH INT64_MIN

typedef struct mls_activity {
    int64_t start, length; /* nanoseconds */
    int64_t launch; /* while reading: the correlation; then: nanoseconds, the time at which the launching call began */
    uint32_t row;   /* row number, possibly with the flag MLS_ROW_GRAPH */
    uint32_t track; /* number of the stream */
} mls_activity;
_Static_assert(sizeof(mls_activity) == 32, "an activity takes 32 bytes");

/* A CUDA call.  The activities that the call launched have the same correlation. */
typedef struct mls_cuda_launch {
    int64_t begin; /* nanoseconds */
    uint32_t correlation;
    bool graph; /* the call launched a CUDA graph */
} mls_cuda_launch;
_Static_assert(sizeof(mls_cuda_launch) == 16, "a call takes 16 bytes");

/* A step or an annotation of the host. */
typedef struct mls_host_span {
    int64_t start, end; /* nanoseconds */
    uint32_t number;    /* number of the step, or row of the annotation in MLS_TALLY_ANNOTATIONS */
    uint32_t around;    /* index of the innermost span that contains this one */
    double gpu_ns;      /* nanoseconds of activities launched in this span, but not in a span inside it */
    uint64_t activities;
} mls_host_span;

typedef MLS_LIST_OF(mls_host_span) mls_host_spans;

/* The most memory allocated on a device. */
typedef struct mls_memory_peak {
    char device[24];
    double allocated, reserved; /* bytes; NAN: unknown */
    int64_t at;                 /* nanoseconds */
} mls_memory_peak;
enum { MLS_PEAKS_MAX = 64 };

/* A stream of a device. */
typedef struct mls_track {
    mls_str device, stream;
    size_t device_number; /* number of the device in the order of appearance */
    uint64_t activities;
    mls_cover busy;
} mls_track;

/* ------------------------------------------------------------- collectives */

/* The arguments of a kernel that describe its collective. */
typedef enum mls_collective_part {
    MLS_COLLECTIVE_GROUP,                      /* the name of the process group */
    MLS_COLLECTIVE_NAME,                       /* "allreduce"; without it a kernel is not part of a collective */
    MLS_COLLECTIVE_IN,                         /* number of input elements */
    MLS_COLLECTIVE_TYPE,                       /* "BFloat16" */
    MLS_COLLECTIVE_MEMBERS,                    /* "[0, 1]": two groups may have the same name */
    MLS_COLLECTIVE_KEYED,                      /* number of the arguments above, which identify a collective */
    MLS_COLLECTIVE_OUT = MLS_COLLECTIVE_KEYED, /* number of output elements */
    MLS_COLLECTIVE_SIZE,                       /* number of ranks in the group */
    MLS_COLLECTIVE_PARTS
} mls_collective_part;

typedef struct mls_collective {
    int64_t start, length; /* nanoseconds */
    uint32_t key;          /* index in mls_collectives.keys */
    uint32_t number;       /* number in the order of the file */
} mls_collective;
_Static_assert(sizeof(mls_collective) == 24, "a kernel of a collective takes 24 bytes");

/* The largest number of keys, and of bytes of all keys together.  Kernels with further keys are only counted in
 * mls_collectives.dropped. */
enum { MLS_COLLECTIVE_KEYS_MAX = 65536, MLS_COLLECTIVE_BYTES_MAX = 8 << 20 };

typedef struct mls_collective_key {
    mls_str whole; /* the lengths of all `texts`, then the texts */
    mls_str texts[MLS_COLLECTIVE_KEYED];
    double in, out, size; /* input elements, output elements, ranks in the group; NAN: unknown */
    size_t first, count;  /* its first kernel in mls_collectives.kernels after sorting; number of its kernels */
} mls_collective_key;

struct mls_collectives {
    mls_map map; /* key to its number */
    MLS_LIST_OF(mls_collective) kernels;
    MLS_LIST_OF(mls_collective_key) keys;
    size_t bytes;
    uint64_t dropped;
    int64_t base_ns; /* nanoseconds from 1970 to time 0 of the trace; -1: unknown */
};

/* Add a kernel whose trace event has these arguments (ptr NULL: the argument is missing).  If the name of the
 * collective is missing and `nccl` is set, only count the kernel in profile->nccl_without_arguments.  Times are
 * nanoseconds. */
void mls_collective_add(mls_profile *profile, const mls_str texts[MLS_COLLECTIVE_PARTS], bool nccl, int64_t start,
                        int64_t length);

/* Sort the kernels by key, then by start.  Call this after the whole trace has been read. */
void mls_collectives_sort(struct mls_collectives *collectives, int64_t base_ns);
void mls_collectives_free(struct mls_collectives *collectives);

/* ------------------------------------------------------------------ gather */

typedef struct mls_gather {
    const mls_kernel_classes *classes;
    mls_profile *profile;   /* readers fill in kind, completeness and findings */
    mls_arena *arena;       /* the profile's arena, for texts and lists */
    mls_marks marks;        /* decimal marks seen in the numbers read so far (see base/decimal.h) */
    const mls_marks *whole; /* decimal marks of the whole file, when the file is read again; NULL: unknown */
    unsigned wrong;         /* bit 0, 1 or 2: a number was misread if the decimal mark is unknown, a point or a comma */
    mls_tally tallies[MLS_TALLIES];
    mls_tally_row sizes[MLS_COPY_COUNT]; /* sums.total is megabytes */
    bool copies_timed, copies_sized;
    MLS_LIST_OF(mls_activity) activities;
    bool has_line; /* the input has a timeline, which may be empty */
    MLS_LIST_OF(mls_cuda_launch) calls;
    MLS_LIST_OF(mls_track) tracks;
    mls_map track_map;
    mls_map device_map;
    mls_host_spans steps, annotations;
    double unknown_ns; /* nanoseconds of activities with unknown launch */
    /* Nanoseconds of activities launched outside all steps; outside all annotations. */
    double outside_steps_ns, outside_ns;
    uint64_t outside_activities;
    bool launches_known; /* the launch of at least one activity is known */
    mls_memory_peak peaks[MLS_PEAKS_MAX];
    size_t peak_count;
    int64_t base_ns;                         /* nanoseconds from 1970 to time 0 of the trace; -1: unknown */
    int64_t first_ns;                        /* start of the first activity on the timeline */
    mls_tally_row by_class[MLS_CLASSES_MAX]; /* sums by class, set after reading */
    bool too_much;                           /* too many streams have been reported */
} mls_gather;

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile);
void mls_gather_release(mls_gather *gather);

/* Add a count and a time.  min and max may be NAN (unknown). */
void mls_sums_add(mls_sums *sums, double count, double total, double min, double max);

/* Remove everything counted in a row. */
void mls_row_clear(mls_tally_row *row);

/* Return the divisor of a number with one point or comma before three digits, which was read as if the mark `open`
 * grouped digits: 1000 if the mark is a decimal mark, else 1.  Decide by the numbers read so far.  If a later number
 * proves the decision wrong, the file is read again. */
double mls_gather_divisor(mls_gather *gather, char open, bool comma_decimal);

/* Return the row number of a kernel's name.  If the name is new, add a row and find its class. */
uint32_t mls_gather_name(mls_gather *gather, mls_str name);

/* Return the row with this name, added if the name is new.  Return NULL if there are too many names. */
mls_tally_row *mls_tally_put(mls_tally *tally, mls_str name);

/* Return the copy operation whose name is in `name`. */
mls_copy_operation mls_copy_operation_of(mls_str name);
const char *mls_copy_operation_name(mls_copy_operation operation);

/* Return the name of a CUDA or HIP function without the prefix cuda, cu or hip, or an empty text if it has no such
 * prefix. */
mls_str mls_cuda_call(mls_str name);

/* Add an activity of a stream.  Return false if there are too many streams. */
bool mls_gather_activity(mls_gather *gather, mls_str device, mls_str stream, mls_activity activity) MLS_MUST_USE;

/* Report once that there are too many streams. */
void mls_gather_too_much(mls_gather *gather, size_t line);

/* Add a call that may have launched activities.  `begin` is nanoseconds; `graph`: the call launches a CUDA graph.  A
 * call whose correlation is negative or too large is ignored. */
void mls_gather_call(mls_gather *gather, int64_t correlation, int64_t begin, bool graph);

/* Add a step or an annotation of the host.  Times are nanoseconds. */
void mls_gather_annotation(mls_gather *gather, mls_str name, int64_t start, int64_t length);

/* Fill in the profile: mls_gather_line() its timeline, mls_gather_list_annotations() its annotations,
 * mls_gather_judge() its verdicts. */
void mls_gather_line(mls_gather *gather);
void mls_gather_list_annotations(mls_gather *gather);
void mls_gather_judge(mls_gather *gather);

/* Do what mls_profile_read() does, but read from an input, and release the input. */
mls_status mls_profile_input_read(mls_input *input, const char *file, const mls_kernel_classes *classes,
                                  mls_profile **profile, mls_error *error) MLS_MUST_USE;

/* Read a trace (mls_trace_read) or the CSV tables of a profiler (mls_reports_read).  Return MLS_ERROR_UNKNOWN with the
 * reason if the file does not contain these.  mls_trace_read() sets *json to false if the file is not JSON; then only
 * the first block has been read, and the window can be read again. */
mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error);
mls_status mls_reports_read(mls_gather *gather, mls_window *window, mls_error *error);

/* Copy a sentence into an arena and replace characters that are not safe to print.  Release the buffer. */
const char *mls_sentence_keep(mls_arena *arena, mls_buffer *sentence);
