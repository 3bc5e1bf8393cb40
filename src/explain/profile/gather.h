/* SPDX-License-Identifier: Apache-2.0 */
/* gather.h - what the readers of all formats collect while they read a profile; private to the module.
 *
 * A reader (trace.c, reports.c) adds names, calls, activities and sums to an mls_gather, and profile.c makes an
 * mls_profile of it.  Memory is bounded by MLS_NAMES_MAX names and MLS_TRACKS_MAX streams, except for 32 bytes for each
 * activity on a timeline, 16 for each call that may have launched one, 24 for each kernel of a collective, and some for
 * each launch with counters. */
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

/* Limits of what a file defines. */
enum { MLS_CLASSES_MAX = 64, MLS_CLASS_RULES_MAX = 256 };

/* The roles of classes in verdicts and on the timeline. */
enum {
    MLS_CLASS_COMMUNICATION = 1,
    MLS_CLASS_COPY = 2,
    MLS_CLASS_PRODUCT = 4,    /* gemm, convolution: fp32_pattern applies */
    MLS_CLASS_ARITHMETIC = 8, /* products and attention */
    MLS_CLASS_BYTES = 16      /* moves bytes more than it computes */
};

/* How to make a kernel faster if a rule of Nsight Compute reports it. */
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
    size_t other, copy; /* the numbers of these classes */
    struct {
        size_t number; /* of the class */
        mls_pattern pattern;
    } rules[MLS_CLASS_RULES_MAX];
    size_t rule_count;
    mls_pattern fp32; /* code NULL: none */
};

/* Find the class of a kernel by its name, and whether it is a product on FP32 cores. */
void mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32);

enum {
    MLS_NAMES_MAX = 65536, /* distinct names; further kernels are only counted by class */
    MLS_NAME_BYTES_MAX = 16 << 20,
    MLS_TRACKS_MAX = 16384 /* streams */
};

/* Sums of whole numbers under one name, exact below 2^53. */
typedef struct mls_sums {
    double count, total;
    double min, max; /* NAN: unknown */
} mls_sums;

typedef struct mls_tally_row {
    mls_str name; /* empty: a copy, or kernels of a class whose names are not kept */
    size_t class_number;
    bool fp32; /* a product on FP32 cores */
    bool nccl; /* a kernel of NCCL, by its name */
    const mls_profile_counter *counter;
    double megabytes; /* of a copy; NAN: unknown */
    mls_sums sums;
    double api_ns, queue_ns; /* of launches: in the call, and from its end to the start of the kernel */
} mls_tally_row;

/* Rows by name. */
typedef struct mls_tally {
    mls_map map; /* name to row number */
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
    MLS_TALLY_CALLS, /* of API or OSRT, decided at the end of the table */
    MLS_TALLY_ANNOTATIONS,
    MLS_TALLY_RULES,
    MLS_TALLY_LAUNCHES, /* of nsys: "call kernel" */
    MLS_TALLY_ANALYSIS, /* of nsys: "rule subject" */
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

/* Rows among the kernels: first one for each class, for kernels whose names are not kept, then two for each copy
 * operation (not pageable, pageable), then names. */
enum {
    MLS_ROW_COPY = MLS_CLASSES_MAX,
    MLS_ROW_NAME = MLS_ROW_COPY + 2 * MLS_COPY_COUNT,
    MLS_ROW_BITS = 20,
    MLS_ROW_MASK = (1 << MLS_ROW_BITS) - 1,
    MLS_ROW_GRAPH = 1 << (MLS_ROW_BITS + 4) /* a CUDA graph launched it */
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
    int64_t launch;        /* while reading: a correlation; then: when the call that launched it began */
    uint32_t row;          /* with MLS_ROW_GRAPH */
    uint32_t track;
} mls_activity;
_Static_assert(sizeof(mls_activity) == 32, "an activity takes 32 bytes");

/* A CUDA call.  Activities that it launched have its correlation. */
typedef struct mls_cuda_launch {
    int64_t begin; /* nanoseconds */
    uint32_t correlation;
    bool graph; /* it launched a CUDA graph */
} mls_cuda_launch;
_Static_assert(sizeof(mls_cuda_launch) == 16, "a call takes 16 bytes");

/* A step or an annotation of the host. */
typedef struct mls_host_span {
    int64_t start, end;
    uint32_t number; /* of the step, or of the row among the annotations */
    uint32_t around; /* the span that contains it */
    double gpu_ns;   /* activities launched in it, but not in a span inside it */
    uint64_t activities;
} mls_host_span;

typedef MLS_LIST_OF(mls_host_span) mls_host_spans;

/* The most memory allocated on a device. */
typedef struct mls_memory_peak {
    char device[24];
    double allocated, reserved; /* bytes; NAN: unknown */
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

/* ------------------------------------------------------------- collectives */

/* The arguments of a kernel that describe its collective. */
typedef enum mls_collective_part {
    MLS_COLLECTIVE_GROUP,   /* the name of the process group */
    MLS_COLLECTIVE_NAME,    /* "allreduce"; without it a kernel is not part of a collective */
    MLS_COLLECTIVE_IN,      /* number of input elements */
    MLS_COLLECTIVE_TYPE,    /* "BFloat16" */
    MLS_COLLECTIVE_MEMBERS, /* "[0, 1]": two groups may have the same name */
    MLS_COLLECTIVE_KEYED,   /* those before tell collectives apart */
    MLS_COLLECTIVE_OUT = MLS_COLLECTIVE_KEYED,
    MLS_COLLECTIVE_SIZE, /* ranks in the group */
    MLS_COLLECTIVE_PARTS
} mls_collective_part;

typedef struct mls_collective {
    int64_t start, length; /* nanoseconds */
    uint32_t key;
    uint32_t number; /* in the order of the file */
} mls_collective;
_Static_assert(sizeof(mls_collective) == 24, "a kernel of a collective takes 24 bytes");

/* Kernels with further keys, or more bytes of keys, are only counted in `dropped`. */
enum { MLS_COLLECTIVE_KEYS_MAX = 65536, MLS_COLLECTIVE_BYTES_MAX = 8 << 20 };

typedef struct mls_collective_key {
    mls_str whole; /* all texts */
    mls_str texts[MLS_COLLECTIVE_KEYED];
    double in, out, size; /* NAN: unknown */
    size_t first, count;  /* its kernels, after sorting */
} mls_collective_key;

struct mls_collectives {
    mls_map map; /* key to its number */
    MLS_LIST_OF(mls_collective) kernels;
    MLS_LIST_OF(mls_collective_key) keys;
    size_t bytes;
    uint64_t dropped;
    int64_t base_ns; /* of the starts; -1: unknown */
};

/* Add a kernel with these arguments (ptr NULL: missing), or count a kernel of NCCL without them. */
void mls_collective_add(mls_profile *profile, const mls_str texts[MLS_COLLECTIVE_PARTS], bool nccl, int64_t start,
                        int64_t length);

/* At the end, group the kernels by key, in the order of their starts. */
void mls_collectives_sort(struct mls_collectives *collectives, int64_t base_ns);
void mls_collectives_free(struct mls_collectives *collectives);

/* ------------------------------------------------------------------ gather */

typedef struct mls_gather {
    const mls_kernel_classes *classes;
    mls_profile *profile;   /* readers fill in kind, completeness and findings */
    mls_arena *arena;       /* of the profile; for texts and lists */
    mls_marks marks;        /* of the numbers so far (see base/decimal.h) */
    const mls_marks *whole; /* of the whole file, when it is read again; NULL: unknown */
    unsigned wrong;         /* a bit for each way (neither, point, comma) in which a number was misread */
    mls_tally tallies[MLS_TALLIES];
    mls_tally_row sizes[MLS_COPY_COUNT]; /* totals are megabytes */
    bool copies_timed, copies_sized;
    MLS_LIST_OF(mls_activity) activities;
    bool has_line; /* the input has a timeline, which may be empty */
    MLS_LIST_OF(mls_cuda_launch) calls;
    MLS_LIST_OF(mls_track) tracks;
    mls_map track_map;
    mls_map device_map;
    mls_host_spans steps, annotations;
    double unknown_ns;                   /* activities with unknown launch */
    double outside_steps_ns, outside_ns; /* activities launched outside all steps, all annotations */
    uint64_t outside_activities;
    bool launches_known; /* of any activity */
    mls_memory_peak peaks[MLS_PEAKS_MAX];
    size_t peak_count;
    int64_t base_ns;                         /* of the wall clock; -1: unknown */
    int64_t first_ns;                        /* the first start on the timeline */
    mls_tally_row by_class[MLS_CLASSES_MAX]; /* at the end: sums by class */
    bool too_much;                           /* too many streams have been reported */
} mls_gather;

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile);
void mls_gather_release(mls_gather *gather);

/* Add a count and a time.  min and max may be NAN. */
void mls_sums_add(mls_sums *sums, double count, double total, double min, double max);

/* Remove everything counted in a row. */
void mls_row_clear(mls_tally_row *row);

/* Return 1000 if an open mark (a lone point or comma that may group digits) is a decimal mark, else 1, by the numbers
 * read so far; most files show it early.  If a later number proves this wrong, the file is read again. */
double mls_gather_divisor(mls_gather *gather, char open, bool comma_decimal);

/* Return the row of a kernel's name.  A new name is classified. */
uint32_t mls_gather_name(mls_gather *gather, mls_str name);

/* Return the row of another name; NULL: there are too many names. */
mls_tally_row *mls_tally_put(mls_tally *tally, mls_str name);

/* Return the operation of a copy by its name. */
mls_copy_operation mls_copy_operation_of(mls_str name);
const char *mls_copy_operation_name(mls_copy_operation operation);

/* Return the name of a CUDA or HIP function without cuda, cu or hip; empty: not one of these. */
mls_str mls_cuda_call(mls_str name);

/* Add an activity of a stream.  Return false if there are too many streams. */
bool mls_gather_activity(mls_gather *gather, mls_str device, mls_str stream, mls_activity activity) MLS_MUST_USE;

/* Report once that there are too many streams. */
void mls_gather_too_much(mls_gather *gather, size_t line);

/* Add a call that may have launched something.  A correlation that is negative or too large is ignored. */
void mls_gather_call(mls_gather *gather, int64_t correlation, int64_t begin, bool graph);

/* Add a step or an annotation of the host. */
void mls_gather_annotation(mls_gather *gather, mls_str name, int64_t start, int64_t length);

/* Fill in the profile: timeline and annotations (gather.c), verdicts (verdicts.c). */
void mls_gather_line(mls_gather *gather);
void mls_gather_list_annotations(mls_gather *gather);
void mls_gather_judge(mls_gather *gather);

/* Like mls_profile_read(), but from an input, which is released. */
mls_status mls_profile_input_read(mls_input *input, const char *file, const mls_kernel_classes *classes,
                                  mls_profile **profile, mls_error *error) MLS_MUST_USE;

/* Return MLS_ERROR_UNKNOWN with the reason if it is not a profile.  *json false: it is not JSON either, and only the
 * first block has been read, which is unchanged. */
mls_status mls_trace_read(mls_gather *gather, mls_window *window, bool *json, mls_error *error);
mls_status mls_reports_read(mls_gather *gather, mls_window *window, mls_error *error);

/* Copy a sentence into an arena, with the names in it made safe to print.  Releases the buffer. */
const char *mls_sentence_keep(mls_arena *arena, mls_buffer *sentence);
