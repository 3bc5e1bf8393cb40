/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - from a file to a profile: what it is by its first bytes, and rows out of what was gathered. */
#include <math.h>
#include <stdlib.h>

#include "log/json_check.h"
#include "profile/gather.h"

static const struct {
    const char *name, *words;
} kinds[] = {
    [MLS_PROFILE_KINETO] = {"kineto", "PyTorch trace"},
    [MLS_PROFILE_NSYS_STATS] = {"nsys-stats", "nsys stats"},
    [MLS_PROFILE_NSYS_TRACE] = {"nsys-trace", "nsys trace"},
    [MLS_PROFILE_NCU] = {"ncu", "Nsight Compute"},
};

const char *mls_profile_kind_name(mls_profile_kind kind)
{
    return kinds[kind].name;
}

const char *mls_profile_kind_words(mls_profile_kind kind)
{
    return kinds[kind].words;
}

/* -------------------------------------------------------------------- rows */

static int compare_profile_rows(const void *a, const void *b)
{
    const mls_profile_row *x = a;
    const mls_profile_row *y = b;
    return x->total_ms != y->total_ms ? (x->total_ms < y->total_ms ? 1 : -1) : mls_str_compare(x->name, y->name);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* The least or the most of what was settled and what was open. */
static double extreme_us(const mls_sum *sum, mls_marks marks, bool least)
{
    const mls_sum parts[] = {{sum->sure, 0, 0}, {0, sum->comma, 0}, {0, 0, sum->point}};
    const int64_t raw[] = {sum->sure, sum->comma, sum->point};
    int64_t extreme = -1;
    for (size_t i = 0; i < 3; i++) {
        const int64_t value = raw[i] >= 0 ? mls_sum_settle(&parts[i], marks, false) : -1;
        if (value >= 0 && (extreme < 0 || (least ? value < extreme : value > extreme))) {
            extreme = value;
        }
    }
    return extreme >= 0 ? (double)extreme / 1e3 : (double)NAN;
}

static mls_profile_row profile_row(const mls_tally_row *from, mls_str name, mls_marks marks)
{
    return (mls_profile_row){.name = name,
                             .count = (uint64_t)mls_sum_settle(&from->count, marks, false),
                             .total_ms = (double)mls_sum_settle(&from->total_ns, marks, false) / 1e6,
                             .min_us = extreme_us(&from->least_ns, marks, true),
                             .max_us = extreme_us(&from->most_ns, marks, false),
                             .megabytes = (double)NAN,
                             .share = (double)NAN};
}

static bool has_any(const mls_sum *count)
{
    return count->sure != 0 || count->comma != 0 || count->point != 0;
}

/* The rows of a tally that anything was counted in. */
static bool list_tally(mls_gather *gather, const mls_tally *tally, mls_profile_rows *rows)
{
    rows->told = tally->told;
    rows->items = mls_arena_array(&gather->arena, tally->count + 1, sizeof *rows->items);
    if (rows->items == NULL) {
        return false;
    }
    for (size_t i = 0; i < tally->count; i++) {
        if (has_any(&tally->rows[i].count)) {
            mls_profile_row *row = &rows->items[rows->count++];
            *row = profile_row(&tally->rows[i], tally->map.entries[i].key, gather->marks);
            row->class_name = mls_class_name(gather->classes, tally->rows[i].class_number);
        }
    }
    qsort(rows->items, rows->count, sizeof *rows->items, compare_profile_rows);
    return true;
}

static bool list_copies(mls_gather *gather, mls_profile_rows *rows)
{
    rows->told = true;
    rows->items = mls_arena_array(&gather->arena, MLS_COPY_COUNT, sizeof *rows->items);
    for (mls_copy_operation i = 0; i < MLS_COPY_COUNT && rows->items != NULL; i++) {
        const mls_copy_sum *copy = &gather->copies[i];
        const mls_sum *count = gather->copies_sized && !gather->copies_timed ? &copy->sized : &copy->count;
        const mls_marks marks = gather->marks;
        if (!has_any(count) && !has_any(&copy->sized)) {
            continue;
        }
        const mls_tally_row row = {.count = *count, .total_ns = copy->total_ns};
        rows->items[rows->count] = profile_row(&row, mls_str_from(mls_copy_operation_name(i)), marks);
        if (copy->has_megabytes) {
            rows->items[rows->count].megabytes =
                copy->megabytes + copy->comma_megabytes / (mls_marks_decimal(marks, ',', true) ? 1000 : 1) +
                copy->point_megabytes / (mls_marks_decimal(marks, '.', true) ? 1000 : 1);
        }
        rows->count++;
    }
    if (rows->items != NULL) {
        qsort(rows->items, rows->count, sizeof *rows->items, compare_profile_rows);
    }
    return rows->items != NULL;
}

/* Sums by class, and of all; the rows of copies are of the class of copies. */
static bool list_classes(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    mls_profile_rows *rows = &profile->classes;
    int64_t kernels = 0;
    int64_t copies = 0;
    int64_t totals[MLS_CLASSES_MAX] = {0};
    uint64_t counts[MLS_CLASSES_MAX] = {0};
    const size_t classes = mls_class_count(gather->classes);
    for (size_t i = 0; i < gather->kernels.count + classes; i++) {
        const mls_tally_row *row =
            i < gather->kernels.count ? &gather->kernels.rows[i] : &gather->unnamed[i - gather->kernels.count];
        const int64_t ns = mls_sum_settle(&row->total_ns, gather->marks, false);
        const uint64_t count = (uint64_t)mls_sum_settle(&row->count, gather->marks, false);
        totals[row->class_number] = mls_add_ns(totals[row->class_number], ns);
        counts[row->class_number] += count;
        kernels = mls_add_ns(kernels, ns);
        profile->kernels += count;
    }
    for (mls_copy_operation i = 0; i < MLS_COPY_COUNT; i++) {
        copies = mls_add_ns(copies, mls_sum_settle(&gather->copies[i].total_ns, gather->marks, false));
    }
    const size_t copy = mls_class_copy(gather->classes);
    totals[copy] = mls_add_ns(totals[copy], copies);
    for (size_t i = 0; i < profile->copies.count; i++) {
        counts[copy] += profile->copies.items[i].count;
    }
    profile->kernel_ms = (double)kernels / 1e6;
    profile->activity_ms = (double)mls_add_ns(kernels, copies) / 1e6;
    profile->pageable_share = share_of((double)gather->pageable_ns / 1e6, profile->activity_ms);
    rows->told = true;
    rows->items = mls_arena_array(&gather->arena, classes, sizeof *rows->items);
    for (size_t i = 0; i < classes && rows->items != NULL; i++) {
        if (counts[i] > 0) {
            rows->items[rows->count++] =
                (mls_profile_row){.name = mls_str_from(mls_class_name(gather->classes, i)),
                                  .class_name = mls_class_name(gather->classes, i),
                                  .count = counts[i],
                                  .total_ms = (double)totals[i] / 1e6,
                                  .min_us = (double)NAN,
                                  .max_us = (double)NAN,
                                  .megabytes = (double)NAN,
                                  .share = share_of((double)totals[i] / 1e6, profile->activity_ms)};
        }
    }
    if (rows->items == NULL) {
        return false;
    }
    qsort(rows->items, rows->count, sizeof *rows->items, compare_profile_rows);
    return true;
}

/* ------------------------------------------------------------------ finish */

/* Times are of the wall clock when the trace tells a base, or when they are after 2001-09-09. */
static double wall_clock_ms(const mls_gather *gather)
{
    const int64_t wall = 1000000000000000000;
    const int64_t base = gather->base_ns;
    int64_t start = gather->first_ns;
    if (gather->profile->kind != MLS_PROFILE_KINETO || gather->activities.count == 0 || (base < 0 && start < wall) ||
        __builtin_add_overflow(start, base > 0 ? base : 0, &start)) {
        return (double)NAN;
    }
    const int64_t whole = start / 1000000; /* a double of nanoseconds would lose the last of them */
    return (double)whole + (double)(start - whole * 1000000) / 1e6;
}

static void finish_steps(const mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    profile->steps.count = gather->steps.count;
    if (gather->steps.count > 0) {
        profile->steps.mean_ms = (double)gather->steps.total / 1e6 / (double)gather->steps.count;
        profile->steps.min_ms = (double)gather->steps.least / 1e6;
        profile->steps.max_ms = (double)gather->steps.most / 1e6;
    }
}

mls_status mls_gather_finish(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    profile->length_ms = (double)NAN;
    if (gather->marks.point && gather->marks.comma) {
        mls_findings_add(&profile->findings, MLS_FINDING_NUMBER_FORMAT, (mls_finding_place){0},
                         "some numbers have a decimal point and some a decimal comma: what 1,234 is cannot be told");
    }
    if ((gather->has_line && !mls_gather_line(gather)) ||
        (profile->kind == MLS_PROFILE_NCU && !mls_gather_counters(gather)) || !list_copies(gather, &profile->copies) ||
        !list_tally(gather, &gather->kernels, &profile->names) || !list_tally(gather, &gather->api, &profile->api) ||
        !list_tally(gather, &gather->ranges, &profile->ranges) || !list_tally(gather, &gather->osrt, &profile->osrt) ||
        !list_classes(gather)) {
        return MLS_ERROR_MEMORY;
    }
    profile->start_ms = wall_clock_ms(gather);
    finish_steps(gather);
    for (size_t i = 0; i < profile->names.count; i++) {
        profile->names.items[i].share = share_of(profile->names.items[i].total_ms, profile->kernel_ms);
    }
    return mls_profile_judge(profile, gather->classes, &gather->arena) && !profile->findings.out_of_memory
               ? MLS_OK
               : MLS_ERROR_MEMORY;
}

/* ------------------------------------------------------------------- files */

/* What a file is that cannot be read, and what makes something of it that can; NULL: it may be read. */
static const char *unreadable_words(mls_str head)
{
    static const struct {
        mls_str magic;
        const char *reason;
    } magics[] = {
        {MLS_STR("\x1f\x8b"), "is packed by gzip: zcat FILE | mlscore profile -"},
        {MLS_STR("SQLite format 3"), "is an SQLite file, as nsys exports: nsys stats --report cuda_gpu_trace --format "
                                     "csv FILE prints what is read"},
        {MLS_STR("NVR\0"), "is a report of ncu: ncu --import FILE --csv prints what is read"},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        if (mls_str_starts(head, magics[i].magic)) {
            return magics[i].reason;
        }
    }
    return head.len > 0 && memchr(head.ptr, '\0', head.len) != NULL
               ? "is binary: of an .nsys-rep, nsys stats --report cuda_gpu_trace --format csv FILE prints what is "
                 "read; "
                 "of an .ncu-rep, ncu --import FILE --csv"
               : NULL;
}

/* By the first thing in it that is no blank: JSON begins with a bracket, though so may a line before a table. */
static mls_status read_by_kind(mls_gather *gather, mls_blocks *blocks, mls_error *error)
{
    enum { LOOKED_AT = 4096 };
    const mls_str head = {blocks->block, blocks->len < LOOKED_AT ? blocks->len : LOOKED_AT};
    const char *unread = unreadable_words(head);
    mls_str rest = {blocks->block, blocks->len};
    if (blocks->input->unread != NULL || unread != NULL) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s%s", unread != NULL ? "" : "is ",
                             unread != NULL ? unread : blocks->input->unread);
    }
    const mls_str word = mls_str_word(&rest);
    if (word.len == 0 && blocks->input->ended) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "is empty");
    }
    if (word.len > 0 && (*word.ptr == '{' || *word.ptr == '[')) {
        bool json = true;
        const mls_status status = mls_trace_read(gather, blocks, &json, error);
        if (status != MLS_ERROR_UNKNOWN || json) {
            return status;
        }
    }
    return mls_reports_read(gather, blocks, error);
}

static mls_status read_input(mls_input *input, const char *file, const mls_kernel_classes *classes,
                             mls_profile **profile, mls_error *error)
{
    mls_gather gather;
    mls_profile *made = calloc(1, sizeof *made);
    mls_arena *arena = calloc(1, sizeof *arena);
    mls_blocks blocks = {.input = input, .block = malloc(MLS_BLOCK_SIZE + MLS_SCAN_PADDING)};
    mls_status status = MLS_ERROR_MEMORY;
    *profile = NULL;
    if (made != NULL && arena != NULL && blocks.block != NULL && mls_input_fill(input, blocks.block, &blocks.len)) {
        made->file = file;
        mls_gather_init(&gather, classes, made);
        status = read_by_kind(&gather, &blocks, error);
        if (input->trouble.read_errno != 0) {
            status = mls_input_status(input, error);
        }
        status = status == MLS_OK ? mls_gather_finish(&gather) : status;
        *arena = gather.arena;
        gather.arena = (mls_arena){0};
        mls_gather_release(&gather);
    }
    free(blocks.block);
    mls_input_release(input);
    if (status == MLS_OK) {
        made->arena = arena;
        *profile = made;
        return MLS_OK;
    }
    if (arena != NULL) {
        mls_arena_release(arena);
    }
    free(arena);
    if (made != NULL) {
        mls_findings_release(&made->findings);
    }
    free(made);
    return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
}

mls_status mls_profile_read(int fd, const char *file, const mls_kernel_classes *classes, mls_profile **profile,
                            mls_error *error)
{
    mls_input input = {.fd = fd, .text = true};
    return read_input(&input, file, classes, profile, error);
}

mls_status mls_profile_read_bytes(mls_str bytes, const char *file, const mls_kernel_classes *classes,
                                  mls_profile **profile, mls_error *error)
{
    mls_input input = {.in_memory = true, .bytes = bytes, .text = true};
    return read_input(&input, file, classes, profile, error);
}

void mls_profile_free(mls_profile *profile)
{
    if (profile != NULL) {
        mls_arena_release(profile->arena);
        free(profile->arena);
        mls_findings_release(&profile->findings);
        free(profile);
    }
}
