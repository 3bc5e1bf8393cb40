/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - what is kept of a profile while it is read, whatever its format; private to the profile room.
 *
 * Memory does not grow with names beyond NAMES_MAX, nor with streams beyond TRACKS_MAX; it grows by 24 bytes for each
 * activity on a time line, and by a few more for each launch with counters.
 */
#ifndef MLS_PROFILE_GATHER_H
#define MLS_PROFILE_GATHER_H

#include "base/decimal.h"
#include "base/interval.h"
#include "base/map.h"
#include "log/input.h"
#include "profile/classes.h"

enum {
    MLS_NAMES_MAX = 65536, /* distinct names that are kept; of kernels beyond only the class is */
    MLS_NAME_BYTES_MAX = 16 << 20,
    MLS_TRACKS_MAX = 16384 /* streams */
};

/* Sums of numbers that are settled, and of those whose comma or point is open (see base/decimal.h). */
typedef struct mls_sum {
    int64_t sure, comma, point;
} mls_sum;

/* A name with what is counted under it. */
typedef struct mls_tally_row {
    size_t class_number;
    mls_sum count, total_ns;
    mls_sum least_ns, most_ns; /* -1: none of that kind */
} mls_tally_row;

/* Rows by name.  Zero-initialised but for the arena is empty. */
typedef struct mls_tally {
    mls_map map; /* a name's entry has the number of its row */
    mls_tally_row *rows;
    size_t count, capacity;
    size_t bytes; /* of all names */
    bool told;    /* the input has such a table */
} mls_tally;

typedef enum mls_copy_operation {
    MLS_COPY_HOST_TO_DEVICE,
    MLS_COPY_DEVICE_TO_HOST,
    MLS_COPY_DEVICE_TO_DEVICE,
    MLS_COPY_HOST_TO_HOST,
    MLS_COPY_PEER_TO_PEER,
    MLS_COPY_SET,
    MLS_COPY_OTHER,
    MLS_COPY_COUNT
} mls_copy_operation;

typedef struct mls_copy_sum {
    mls_sum count, total_ns;
    mls_sum sized; /* how many their sizes say, when nothing else does */
    double megabytes, comma_megabytes, point_megabytes;
    bool has_megabytes;
} mls_copy_sum;

/* What an activity is of: a kernel by name, one of a class whose name is not kept, or a copy. */
enum {
    MLS_ID_CLASS = MLS_NAMES_MAX,
    MLS_ID_COPY = MLS_ID_CLASS + MLS_CLASSES_MAX, /* two for each operation: the second of pageable memory */
    MLS_ID_BITS = 20,
    MLS_ID_MASK = (1 << MLS_ID_BITS) - 1
};

/* Open marks of start and length stand above the bits of the id. */
typedef enum mls_open_bits {
    MLS_START_COMMA = 1 << MLS_ID_BITS,
    MLS_START_POINT = 2 << MLS_ID_BITS,
    MLS_LENGTH_COMMA = 4 << MLS_ID_BITS,
    MLS_LENGTH_POINT = 8 << MLS_ID_BITS
} mls_open_bits;

typedef struct mls_activity {
    int64_t start, length; /* nanoseconds */
    uint32_t id;
    uint32_t track;
} mls_activity;
_Static_assert(sizeof(mls_activity) == 24, "an activity takes 24 bytes");

/* A stream of a device. */
typedef struct mls_track {
    mls_str device, stream;
    size_t device_number; /* in the order of appearance */
    uint64_t activities;
    mls_cover busy;
} mls_track;

typedef enum mls_counter_metric {
    MLS_METRIC_COMPUTE,
    MLS_METRIC_MEMORY,
    MLS_METRIC_DRAM,
    MLS_METRIC_DURATION,
    MLS_METRIC_COUNT
} mls_counter_metric;

/* A launch with counters. */
typedef struct mls_launch {
    uint32_t id;                          /* of its name, as of an activity */
    char open[MLS_METRIC_COUNT];          /* as of mls_decimal */
    unsigned char rank[MLS_METRIC_COUNT]; /* 0: not measured; else how much its metric is preferred */
    double value[MLS_METRIC_COUNT];       /* percent; milliseconds */
} mls_launch;

typedef struct mls_gather {
    const mls_kernel_classes *classes;
    mls_profile *profile; /* kind, completeness and findings are filled while reading */
    mls_arena arena;      /* texts, handed over to the profile at the end */
    mls_marks marks;
    mls_tally kernels, api, ranges, osrt;
    mls_copy_sum copies[MLS_COPY_COUNT];
    bool copies_timed, copies_sized;
    mls_tally_row unnamed[MLS_CLASSES_MAX]; /* kernels whose names are not kept */
    struct {
        mls_activity *items;
        size_t count, capacity;
    } activities;
    bool has_line; /* there is a time line, though it may be empty */
    struct {
        mls_track *items;
        size_t count, capacity;
    } tracks;
    mls_map track_map;
    mls_map device_map;
    struct {
        mls_launch *items;
        size_t count, capacity;
    } launches;
    struct {
        uint64_t count;
        int64_t total, least, most;
    } steps;
    int64_t base_ns;     /* of the wall clock; -1: not told */
    int64_t first_ns;    /* the first start of the time line */
    int64_t pageable_ns; /* of copies from or to pageable memory */
    bool too_much;       /* said so */
} mls_gather;

void mls_gather_init(mls_gather *gather, const mls_kernel_classes *classes, mls_profile *profile);
void mls_gather_release(mls_gather *gather);

/* The id of a kernel's name, which is classified when it is new; false: no memory. */
bool mls_gather_name(mls_gather *gather, mls_str name, uint32_t *id);

/* The row of a kernel's id; the number of its class. */
mls_tally_row *mls_gather_row(mls_gather *gather, uint32_t id);
size_t mls_gather_class(const mls_gather *gather, uint32_t id);

/* The row of another name; NULL with *full set where there is no room for more names, else: no memory. */
mls_tally_row *mls_tally_put(mls_tally *tally, mls_arena *arena, mls_str name, bool *full);
void mls_tally_release(mls_tally *tally);

/* What a copy's name says of it. */
mls_copy_operation mls_copy_operation_of(mls_str name);
const char *mls_copy_operation_name(mls_copy_operation operation);

/* The number of a stream, told apart by the texts of both; false: no memory, or (too_much) no room for more. */
bool mls_gather_track(mls_gather *gather, mls_str device, mls_str stream, uint32_t *track);

/* Adds an activity; false: no memory. */
bool mls_gather_activity(mls_gather *gather, mls_activity activity);

/* Says once that there is more of something than is kept. */
void mls_gather_too_much(mls_gather *gather, size_t line, const char *what);

/* Adds a number, a + b without overflow; scaled to whole units, where it is not negative.  False: it is no such number.
 */
int64_t mls_add_ns(int64_t a, int64_t b);
bool mls_sum_add(mls_sum *sum, const mls_decimal *number, int power);

/* A sum, now that the marks are known. */
int64_t mls_sum_settle(const mls_sum *sum, mls_marks marks, bool comma_decimal);

/* What was gathered as a profile: time lines (line.c), rows, counters (counters.c), verdicts (verdicts.c). */
mls_status mls_gather_finish(mls_gather *gather) MLS_MUST_USE;
bool mls_gather_line(mls_gather *gather);
bool mls_gather_counters(mls_gather *gather);
bool mls_profile_judge(mls_profile *profile, const mls_kernel_classes *classes, mls_arena *arena);

/* Readers.  Each takes the input's blocks from the first one on, which lies in `block` (MLS_BLOCK_SIZE, padded). */
typedef struct mls_blocks {
    mls_input *input;
    char *block;
    size_t len;
} mls_blocks;

/*
 * MLS_ERROR_UNKNOWN: it is no profile, with the reason; *json false: nor is it JSON, and no more than the first block
 * was looked at, which is as it was.
 */
mls_status mls_trace_read(mls_gather *gather, mls_blocks *blocks, bool *json, mls_error *error);
mls_status mls_reports_read(mls_gather *gather, mls_blocks *blocks, mls_error *error);

#endif
