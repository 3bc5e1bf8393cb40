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

double mls_profile_share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* A sum of numbers whose comma or point was none is a whole one again; beyond all times it is the longest of them. */
static double settle(double sum)
{
    return fmin(floor(sum + 0.5), (double)INT64_MAX);
}

static bool rows_begin(mls_gather *gather, mls_profile_rows *rows, size_t most, bool told)
{
    *rows = (mls_profile_rows){.items = mls_arena_array(gather->arena, most + 1, sizeof *rows->items), .told = told};
    return rows->items != NULL;
}

static mls_profile_row *rows_add(mls_profile_rows *rows, mls_str name, double count, double total)
{
    mls_profile_row *row = &rows->items[rows->count++];
    *row = (mls_profile_row){.name = name,
                             .count = (uint64_t)settle(count),
                             .total_ms = settle(total) / 1e6,
                             .min_us = (double)NAN,
                             .max_us = (double)NAN,
                             .megabytes = (double)NAN,
                             .share = (double)NAN};
    return row;
}

static void rows_end(mls_profile_rows *rows)
{
    qsort(rows->items, rows->count, sizeof *rows->items, compare_profile_rows);
}

/* The rows of a tally that anything was counted in. */
static bool list_tally(mls_gather *gather, mls_tally_kind kind, mls_profile_rows *rows)
{
    const mls_tally *tally = &gather->tallies[kind];
    if (!rows_begin(gather, rows, tally->count, tally->told)) {
        return false;
    }
    for (size_t i = kind == MLS_TALLY_KERNELS ? MLS_ROW_NAME : 0; i < tally->count; i++) {
        const mls_tally_row *from = &tally->rows[i];
        const mls_sums *sums = &from->in[gather->locale];
        if (sums->count > 0) {
            mls_profile_row *row = rows_add(rows, from->name, sums->count, sums->total);
            row->class_name = gather->classes->names[from->class_number];
            row->counter = from->counter;
            row->min_us = isnan(sums->least) ? row->min_us : settle(sums->least) / 1e3;
            row->max_us = isnan(sums->most) ? row->max_us : settle(sums->most) / 1e3;
            row->share =
                kind == MLS_TALLY_KERNELS ? mls_profile_share(row->total_ms, gather->profile->kernel_ms) : row->share;
        }
    }
    rows_end(rows);
    return true;
}

/* Copies, and among them of pageable memory. */
static bool list_copies(mls_gather *gather, mls_profile_rows *rows, double *pageable)
{
    const mls_tally_row *timed = &gather->tallies[MLS_TALLY_KERNELS].rows[MLS_ROW_COPY];
    if (!rows_begin(gather, rows, MLS_COPY_COUNT, true)) {
        return false;
    }
    for (mls_copy_operation i = 0; i < MLS_COPY_COUNT; i++) {
        const mls_sums *pinned = &timed[2 * i].in[gather->locale];
        const mls_sums *paged = &timed[2 * i + 1].in[gather->locale];
        const mls_sums *sized = &gather->sizes[i].in[gather->locale];
        const bool told = gather->copies_timed || !gather->copies_sized; /* else sizes say how many there are */
        const double count = told ? pinned->count + paged->count : sized->count;
        *pageable += paged->total;
        if (count > 0 || sized->count > 0) {
            mls_profile_row *row =
                rows_add(rows, mls_str_from(mls_copy_operation_name(i)), count, pinned->total + paged->total);
            row->megabytes = sized->count > 0 ? sized->total : row->megabytes;
        }
    }
    rows_end(rows);
    return true;
}

/* Sums by class, and of all; the rows of copies are of the class of copies. */
static bool list_classes(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    mls_profile_rows *rows = &profile->classes;
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const size_t classes = gather->classes->count;
    const size_t copy = gather->classes->copy;
    double counts[MLS_CLASSES_MAX] = {0};
    double *totals = gather->class_ns;
    double activity = 0;
    double copies = 0;
    double pageable = 0;
    if (!list_copies(gather, &profile->copies, &pageable) || !rows_begin(gather, rows, classes, true)) {
        return false;
    }
    for (size_t i = 0; i < kernels->count; i++) {
        const mls_sums *sums = &kernels->rows[i].in[gather->locale];
        const bool copied = i >= MLS_ROW_COPY && i < MLS_ROW_NAME;
        counts[kernels->rows[i].class_number] += copied ? 0 : sums->count;
        totals[kernels->rows[i].class_number] += sums->total;
        profile->kernels += copied ? 0 : (uint64_t)settle(sums->count);
        activity += sums->total;
        copies += copied ? sums->total : 0;
    }
    for (size_t i = 0; i < profile->copies.count; i++) {
        counts[copy] += (double)profile->copies.items[i].count;
    }
    profile->kernel_ms = settle(activity - copies) / 1e6;
    profile->activity_ms = settle(activity) / 1e6;
    profile->pageable_share = mls_profile_share(settle(pageable) / 1e6, profile->activity_ms);
    for (size_t i = 0; i < classes; i++) {
        if (counts[i] > 0) {
            const char *name = gather->classes->names[i];
            mls_profile_row *row = rows_add(rows, mls_str_from(name), counts[i], totals[i]);
            row->class_name = name;
            row->share = mls_profile_share(row->total_ms, profile->activity_ms);
        }
    }
    rows_end(rows);
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

mls_status mls_gather_finish(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const mls_marks marks = gather->marks;
    const mls_sums *steps = &gather->steps;
    gather->locale = marks.point == marks.comma ? MLS_LOCALE_UNTOLD : marks.point ? MLS_LOCALE_POINT : MLS_LOCALE_COMMA;
    profile->length_ms = (double)NAN;
    if (marks.point && marks.comma) {
        mls_findings_add(&profile->findings, MLS_FINDING_NUMBER_FORMAT, (mls_finding_place){0},
                         "some numbers have a decimal point and some a decimal comma: what 1,234 is cannot be told");
    }
    if ((gather->has_line && !mls_gather_line(gather)) ||
        (profile->kind == MLS_PROFILE_NCU && !mls_gather_counters(gather)) || !list_classes(gather) ||
        !list_tally(gather, MLS_TALLY_KERNELS, &profile->names) || !list_tally(gather, MLS_TALLY_API, &profile->api) ||
        !list_tally(gather, MLS_TALLY_RANGES, &profile->ranges) ||
        !list_tally(gather, MLS_TALLY_OSRT, &profile->osrt)) {
        return MLS_ERROR_MEMORY;
    }
    profile->start_ms = wall_clock_ms(gather);
    profile->steps.count = (uint64_t)steps->count;
    profile->steps.mean_ms = steps->total / 1e6 / steps->count;
    profile->steps.min_ms = steps->least / 1e6;
    profile->steps.max_ms = steps->most / 1e6;
    return mls_gather_judge(gather) && !profile->findings.out_of_memory ? MLS_OK : MLS_ERROR_MEMORY;
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

bool mls_window_fill(mls_window *window)
{
    char *block = window->room + MLS_WINDOW_KEPT;
    const size_t left = (size_t)(window->end - window->at);
    size_t len = 0;
    memmove(block - left, window->at, left);
    const bool ok = mls_input_fill(window->input, block, &len);
    window->at = block - left;
    window->end = block + len;
    memset(window->end, 0, MLS_SCAN_PADDING);
    return ok;
}

/* By the first thing in it that is no blank: JSON begins with a bracket, though so may a line before a table. */
static mls_status read_by_kind(mls_gather *gather, mls_window *window, mls_error *error)
{
    enum { LOOKED_AT = 4096 };
    const mls_input *input = window->input;
    char *begin = window->at;
    mls_str rest = {begin, (size_t)(window->end - begin)};
    const char *unread = unreadable_words((mls_str){begin, rest.len < LOOKED_AT ? rest.len : LOOKED_AT});
    if (input->unread != NULL || unread != NULL) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s%s", unread != NULL ? "" : "is ",
                             unread != NULL ? unread : input->unread);
    }
    const mls_str word = mls_str_word(&rest);
    if (word.len == 0 && input->ended) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "is empty");
    }
    if (word.len > 0 && (*word.ptr == '{' || *word.ptr == '[')) {
        bool json = true;
        const mls_status status = mls_trace_read(gather, window, &json, error);
        if (status != MLS_ERROR_UNKNOWN || json) {
            return status;
        }
        window->at = begin;
    }
    return mls_reports_read(gather, window, error);
}

static mls_status read_input(mls_input *input, const char *file, const mls_kernel_classes *classes,
                             mls_profile **profile, mls_error *error)
{
    mls_gather gather;
    mls_profile *made = calloc(1, sizeof *made);
    char *room = malloc(MLS_WINDOW_KEPT + MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
    mls_window window = {.input = input, .room = room, .at = room, .end = room};
    mls_status status = MLS_ERROR_MEMORY;
    if (made != NULL && room != NULL && (made->arena = calloc(1, sizeof *made->arena)) != NULL &&
        mls_window_fill(&window)) {
        made->file = file;
        status = mls_gather_init(&gather, classes, made) ? read_by_kind(&gather, &window, error) : MLS_ERROR_MEMORY;
        if (input->trouble.read_errno != 0) {
            status = mls_input_status(input, error);
        }
        status = status == MLS_OK ? mls_gather_finish(&gather) : status;
        mls_gather_release(&gather);
    }
    free(room);
    mls_input_release(input);
    if (status != MLS_OK) {
        mls_profile_free(made);
        made = NULL;
    }
    *profile = made;
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
        if (profile->arena != NULL) {
            mls_arena_release(profile->arena);
        }
        free(profile->arena);
        mls_findings_release(&profile->findings);
        free(profile);
    }
}
