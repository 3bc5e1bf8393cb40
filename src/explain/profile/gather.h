/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - what the readers of profiles have in common, whatever the format; private to the module.
 *
 * A reader (trace.c, reports.c) adds names, calls, activities and sums to an mls_gather; profile.c makes an mls_profile
 * of it.  Memory does not grow with names beyond MLS_NAMES_MAX, nor with streams beyond MLS_TRACKS_MAX; it grows by 32
 * bytes for each activity on a timeline, by 12 for each call that may have launched one, and by a few more for each
 * launch with counters. */
#pragma once

#include <pthread.h>

#include "base/decimal.h"
#include "base/interval.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "explain/profile/profile.h"
#include "log/input.h"

/* Limits of what a file defines. */
enum { MLS_CLASSES_MAX = 64, MLS_CLASS_RULES_MAX = 256 };

/* The roles of classes in verdicts and on the time line. */
enum {
    MLS_CLASS_COMMUNICATION = 1,
    MLS_CLASS_COPY = 2,
    MLS_CLASS_PRODUCT = 4,    /* gemm, convolution, to which fp32_pattern applies */
    MLS_CLASS_ARITHMETIC = 8, /* they, and attention */
    MLS_CLASS_BYTES = 16      /* moves bytes more than it computes */
};

/* By what a kernel gets faster where a rule of Nsight Compute says so. */
typedef struct mls_ncu_rule {
    const char *rule, *words;
} mls_ncu_rule;

struct mls_kernel_classes {
    mls_arena memory;
    const mls_ncu_rule *ncu_rules;
    size_t ncu_rule_count;
    pthread_mutex_t *lock; /* a pattern is matched by one thread at a time; NULL: not made yet */
    const char *names[MLS_CLASSES_MAX];
    unsigned roles[MLS_CLASSES_MAX];
    size_t count;
    size_t other, copy; /* the numbers of these */
    struct {
        size_t number; /* of the class */
        mls_pattern pattern;
    } rules[MLS_CLASS_RULES_MAX];
    size_t rule_count;
    mls_pattern fp32; /* without code: none */
};

/* Find the class of a name, and whether it is a product on FP32 cores. */
void mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32);

enum {
    MLS_NAMES_MAX = 65536, /* distinct names that are kept; of kernels beyond only the class is */
    MLS_NAME_BYTES_MAX = 16 << 20,
    MLS_TRACKS_MAX = 16384 /* streams */
};

/* Sums of what is counted under one name: whole numbers, below 2^53 without error. */
typedef struct mls_sums {
    double count, total;
    double min, max; /* NAN: not known */
} mls_sums;

typedef struct mls_tally_row {
    mls_str name; /* empty: of a kernel whose name is not kept, or of a copy */
    size_t class_number;
    bool fp32; /* it is a product on FP32 cores */
    bool nccl; /* it is a kernel of NCCL, by its name */
    const mls_profile_counter *counter;
    double megabytes; /* of a copy; NAN: not known */
    mls_sums sums;
} mls_tally_row;

/* Rows by name. */
typedef struct mls_tally {
    mls_map map; /* a name's entry has the number of its row */
    mls_tally_row *rows;
    size_t count, capacity;
    size_t bytes; /* of all names */
    bool known;   /* the input has such a table */
} mls_tally;

typedef enum mls_tally_kind {
    MLS_TALLY_KERNELS,
    MLS_TALLY_RANGES,
    MLS_TALLY_API,
    MLS_TALLY_OSRT,
    MLS_TALLY_CALLS, /* of either of these, known at the end of their table */
    MLS_TALLY_ANNOTATIONS,
    MLS_TALLY_RULES,
    MLS_TALLY_LAUNCHES, /* of nsys: the call and the kernel, a blank between them */
    MLS_TALLY_ANALYSIS, /* of nsys: the rule and what it is about, likewise */
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

/* An activity is of a row among the kernels.  The first ones are of classes, for kernels whose names are not
 * kept, then come two for each operation that copies, the second of pageable memory, then names. */
enum {
    MLS_ROW_COPY = MLS_CLASSES_MAX,
    MLS_ROW_NAME = MLS_ROW_COPY + 2 * MLS_COPY_COUNT,
    MLS_ROW_BITS = 20,
    MLS_ROW_MASK = (1 << MLS_ROW_BITS) - 1,
    MLS_ROW_GRAPH = 1 << (MLS_ROW_BITS + 4) /* a CUDA graph launched it */
};
_Static_assert(MLS_ROW_NAME + MLS_NAMES_MAX <= MLS_ROW_MASK, "every row has a number");

/* Whether a row is a kernel's, be it one that copies. */
static inline bool mls_row_is_kernel(size_t row)
{
    return row < MLS_ROW_COPY || row >= MLS_ROW_NAME;
}

/* Of an activity whose launch is not known. */
#define MLS_NO_LAUNCH INT64_MIN

typedef struct mls_activity {
    int64_t start, length; /* nanoseconds */
    int64_t launch;        /* when the call that launched it began; until mls_gather_launches() their correlation */
    uint32_t row;          /* above its bits MLS_ROW_GRAPH */
    uint32_t track;
} mls_activity;
_Static_assert(sizeof(mls_activity) == 32, "an activity takes 32 bytes");

/* A call of CUDA: what it launched has its correlation. */
typedef struct mls_cuda_launch {
    uint32_t correlation;
    uint32_t begin[2]; /* nanoseconds, high and low, twice as many and one more when it launched a graph */
} mls_cuda_launch;
_Static_assert(sizeof(mls_cuda_launch) == 12, "a call takes 12 bytes");

/* A step or an annotation of the host. */
typedef struct mls_host_span {
    int64_t start, end;
    uint32_t number; /* of the step, or of the row among the annotations */
    uint32_t around; /* the span that it lies in */
    double gpu_ns;   /* of what was launched in it, and in none inside of it */
    uint64_t activities;
} mls_host_span;

typedef MLS_LIST_OF(mls_host_span) mls_host_spans;

/* The most that was allocated on a device, and what is known of that moment. */
typedef struct mls_memory_peak {
    char device[24];
    double allocated, reserved; /* bytes; NAN: not known */
    int64_t at;
} mls_memory_peak;
enum { MLS_PEAKS_MAX = 64 };

/* A stream of a device. */
typedef struct mls_track {
    mls_str device, stream;
    size_t device_number; /* in the order of appearance */
    uint64_t activities;
    mls_cover busy;
} mls_track;

typedef enum mls_ncu_metric {
    MLS_NCU_COMPUTE,
    MLS_NCU_MEMORY,
    MLS_NCU_DRAM,
    MLS_NCU_CACHE, /* the busier one of L1 and L2 */
    MLS_NCU_OCCUPANCY,
    MLS_NCU_OCCUPANCY_MOST,
    MLS_NCU_WAVES,
    MLS_NCU_DURATION,
    MLS_NCU_METRICS
} mls_ncu_metric;

/* A launch with counters. */
typedef struct mls_launch {
    uint32_t row;
    unsigned char rank[MLS_NCU_METRICS]; /* 0: not measured; else how much its metric is preferred */
    double value[MLS_NCU_METRICS];       /* percent; milliseconds */
} mls_launch;

/* Advice of an ncu rule on a launch. */
typedef struct mls_ncu_advice {
    uint32_t launch, rule; /* the rule's row among the names of rules */
    uint32_t row;          /* of the launch's kernel, when all has been read */
    bool global;           /* of the whole kernel, not of a part of the device */
    double speedup;        /* percent */
} mls_ncu_advice;

/* Times of launching, beside the row of a launch. */
typedef struct mls_launch_sums {
    double api, queue; /* nanoseconds: in the call, and from its end to the start */
} mls_launch_sums;

typedef struct mls_gather {
    const mls_kernel_classes *classes;
    mls_profile *profile;   /* kind, completeness and findings are filled while reading */
    mls_arena *arena;       /* texts and lists: the profile's */
    mls_marks marks;        /* of the numbers so far (see base/decimal.h) */
    const mls_marks *whole; /* of the whole file, when it is read again; NULL: they are not known yet */
    unsigned wrong;         /* a bit for each way (neither, point, comma) in which a number was read wrongly */
    mls_tally tallies[MLS_TALLIES];
    mls_tally_row sizes[MLS_COPY_COUNT]; /* totals are megabytes */
    bool copies_timed, copies_sized;
    MLS_LIST_OF(mls_activity) activities;
    bool has_line; /* there is a time line, though it may be empty */
    MLS_LIST_OF(mls_cuda_launch) calls;
    MLS_LIST_OF(mls_track) tracks;
    mls_map track_map;
    mls_map device_map;
    MLS_LIST_OF(mls_launch) launches;
    MLS_LIST_OF(mls_ncu_advice) advice;
    MLS_LIST_OF(mls_launch_sums) launch_sums;
    mls_host_spans steps, annotations;
    double unknown_ns;                   /* of activities whose launch is not known */
    double outside_steps_ns, outside_ns; /* of those launched outside of all steps, of all annotations */
    uint64_t outside_activities;
    bool launches_known; /* of any activity */
    mls_memory_peak peaks[MLS_PEAKS_MAX];
    size_t peak_count;
    int64_t base_ns;                         /* of the wall clock; -1: not known */
    int64_t first_ns;                        /* the first start of the time line */
    mls_tally_row by_class[MLS_CLASSES_MAX]; /* sums of all, when all has been read */
    bool too_much;                           /* said so */
} mls_gather;

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile);
void mls_gather_release(mls_gather *gather);

/* Adds what was counted and timed; min and max may be NAN. */
void mls_sums_add(mls_sums *sums, double count, double total, double min, double max);

/* A row without anything counted in it. */
void mls_row_clear(mls_tally_row *row);

/* Return by how much an open mark makes a number smaller, 1000 or 1, by what is known of the file so far: most show it
 * in one of their first numbers.  If a later number shows that this was wrong, the file is read again. */
double mls_gather_divisor(mls_gather *gather, char open, bool comma_decimal);

/* Return the row of a kernel's name, which is classified when it is new. */
uint32_t mls_gather_name(mls_gather *gather, mls_str name);

/* Return the row of another name; NULL with *full set if there is no room for more names. */
mls_tally_row *mls_tally_put(mls_tally *tally, mls_str name, bool *full);

/* The operation that a copy is, by its name. */
mls_copy_operation mls_copy_operation_of(mls_str name);
const char *mls_copy_operation_name(mls_copy_operation operation);

/* The name of a function of CUDA or HIP without cuda, cu or hip; empty: it is none. */
mls_str mls_cuda_call(mls_str name);

/* Adds what a copy moved. */
void mls_gather_size(mls_gather *gather, mls_copy_operation operation, double megabytes);

/* Add an activity of a stream, by the texts of both.  Return false if there is no room for more streams. */
bool mls_gather_activity(mls_gather *gather, mls_str device, mls_str stream, mls_activity activity) MLS_MUST_USE;

/* Adds a call that may have launched something; one whose numbers are too large to be kept did not. */
void mls_gather_call(mls_gather *gather, int64_t correlation, int64_t begin, bool graph);

/* Finds for all activities when they were launched, and forgets the calls. */
void mls_gather_launches(mls_gather *gather);

/* Adds a step or an annotation of the host; gives what was launched in it to each; lists them. */
void mls_gather_annotation(mls_gather *gather, mls_str name, int64_t start, int64_t length);
void mls_gather_attribute(mls_gather *gather);
void mls_gather_list_annotations(mls_gather *gather);

/* Says once that there are more streams than are kept. */
void mls_gather_too_much(mls_gather *gather, size_t line);

/* Make a profile of what was gathered: timelines (line.c), counters and advice of ncu (ncu.c), launches (nsys.c),
 * verdicts (verdicts.c). */
void mls_gather_line(mls_gather *gather);
void mls_gather_counters(mls_gather *gather);
void mls_gather_list_advice(mls_gather *gather);
void mls_gather_list_launched(mls_gather *gather);
void mls_gather_judge(mls_gather *gather);

/* As mls_profile_read(), from an input, which it releases. */
mls_status mls_profile_input_read(mls_input *input, const char *file, const mls_kernel_classes *classes,
                                  mls_profile **profile, mls_error *error) MLS_MUST_USE;

/* MLS_ERROR_UNKNOWN: it is no profile, with the reason; *json false: nor is it JSON, and no more than the first block
 * was looked at, which is as it was. */
mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error);
mls_status mls_reports_read(mls_gather *gather, mls_window *window, mls_error *error);

/* A sentence of a verdict that an arena keeps, with the names in it made safe to show. */
const char *mls_sentence_keep(mls_arena *arena, const char *format, va_list args) MLS_PRINTF(2, 0);
