/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - read a profile: recognize the format by its first bytes, collect with one of the readers, and fill in the
 * profile; compare a profile with another one and with its run. */
#include "explain/profile/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"
#include "json/json_check.h"

const struct mls_profile_kind_names mls_profile_kinds[] = {
    [MLS_PROFILE_KINETO] = {"kineto", "PyTorch trace"},
    [MLS_PROFILE_NSYS_STATS] = {"nsys-stats", "nsys stats"},
    [MLS_PROFILE_NSYS_TRACE] = {"nsys-trace", "nsys trace"},
    [MLS_PROFILE_NCU] = {"ncu", "Nsight Compute"},
    [MLS_PROFILE_ROCPROF_STATS] = {"rocprof-stats", "rocprof stats"},
    [MLS_PROFILE_ROCPROF_TRACE] = {"rocprof-trace", "rocprof trace"},
};

static int compare_profile_rows(const void *a, const void *b)
{
    const mls_profile_row *x = a;
    const mls_profile_row *y = b;
    return x->total_ms != y->total_ms ? (x->total_ms < y->total_ms ? 1 : -1) : mls_str_compare(x->name, y->name);
}

/* Round a sum to a whole number. */
static double round_sum(double sum)
{
    return isnan(sum) ? sum : fmin(floor(sum + 0.5), (double)INT64_MAX);
}

/* List the rows in which anything was counted, with their shares of a whole. */
static void list_profile_rows(mls_gather *gather, const mls_tally_row *from, size_t count, double whole_ms,
                              mls_profile_rows *rows)
{
    rows->items = mls_arena_array(gather->arena, count + 1, sizeof *rows->items);
    for (size_t i = 0; i < count; i++) {
        const mls_tally_row *row = &from[i];
        const mls_sums *sums = &row->sums;
        if (sums->count > 0 || !isnan(row->megabytes)) {
            rows->items[rows->count++] = (mls_profile_row){
                .name = row->name,
                .class_name = gather->classes->names[row->class_number],
                .count = (uint64_t)round_sum(sums->count),
                .total_ms = round_sum(sums->total) / 1e6,
                .min_us = round_sum(sums->min) / 1e3,
                .max_us = round_sum(sums->max) / 1e3,
                .megabytes = row->megabytes,
                .share = mls_profile_share(round_sum(sums->total) / 1e6, whole_ms),
                .counter = row->counter,
            };
        }
    }
    qsort(rows->items, rows->count, sizeof *rows->items, compare_profile_rows);
}

static void list_tally(mls_gather *gather, mls_tally_kind kind, mls_profile_rows *rows)
{
    const mls_tally *tally = &gather->tallies[kind];
    rows->known = tally->known;
    list_profile_rows(gather, tally->rows, tally->count, (double)NAN, rows);
}

/* List copies, classes and kernels in the profile, and set its sums. */
static void list_classes(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    mls_tally_row copies[MLS_COPY_COUNT];
    double pageable = 0;
    double copied = 0;
    double all = 0;
    for (mls_copy_operation i = 0; i < MLS_COPY_COUNT; i++) {
        const mls_sums *sums = &kernels->rows[MLS_ROW_COPY + 2 * i].sums;
        const mls_sums *paged = &kernels->rows[MLS_ROW_COPY + 2 * i + 1].sums;
        const mls_sums *sized = &gather->sizes[i].sums;
        const bool timed_all = gather->copies_timed ||
                               !gather->copies_sized; /* if no copy has a time, use the counts of the tables of sizes */
        copies[i] = (mls_tally_row){.name = mls_str_from(mls_copy_operation_name(i)),
                                    .class_number = gather->classes->copy,
                                    .megabytes = sized->count > 0 ? mls_number_round(sized->total, 9) : (double)NAN};
        mls_sums_add(&copies[i].sums, timed_all ? sums->count + paged->count : sized->count, sums->total + paged->total,
                     (double)NAN, (double)NAN);
        pageable += paged->total;
    }
    for (size_t i = 0; i < gather->classes->count; i++) {
        gather->by_class[i] = (mls_tally_row){.name = mls_str_from(gather->classes->names[i]), .class_number = i};
        mls_row_clear(&gather->by_class[i]);
    }
    for (size_t i = 0; i < kernels->count + MLS_COPY_COUNT; i++) {
        const bool copy = i >= kernels->count;
        const mls_tally_row *row = copy ? &copies[i - kernels->count] : &kernels->rows[i];
        const mls_sums *sums = &row->sums;
        if (mls_row_is_kernel(i)) {
            mls_sums_add(&gather->by_class[row->class_number].sums, sums->count, sums->total, sums->min, sums->max);
            all += sums->total;
            copied += copy ? sums->total : 0;
            profile->kernels += copy ? 0 : (uint64_t)round_sum(sums->count);
        }
    }
    profile->kernel_ms = round_sum(all - copied) / 1e6;
    profile->activity_ms = round_sum(all) / 1e6;
    profile->pageable_share = mls_profile_share(round_sum(pageable) / 1e6, profile->activity_ms);
    profile->copies.known = profile->classes.known = profile->names.known = true;
    list_profile_rows(gather, copies, MLS_COPY_COUNT, (double)NAN, &profile->copies);
    list_profile_rows(gather, gather->by_class, gather->classes->count, profile->activity_ms, &profile->classes);
    list_profile_rows(gather, kernels->rows + MLS_ROW_NAME, kernels->count - MLS_ROW_NAME, profile->kernel_ms,
                      &profile->names);
}

/* Fill in the profile from what was collected. */
static void gather_finish(mls_gather *gather)
{
    mls_profile *profile = gather->profile;
    const mls_marks marks = gather->marks;
    profile->length_ms = (double)NAN;
    if (marks.point && marks.comma) {
        mls_findings_add(&profile->findings, MLS_FINDING_NUMBER_FORMAT, (mls_finding_place){0},
                         "some numbers have a decimal point and some a decimal comma: the meaning of 1,234 is unclear");
    }
    if (gather->has_line)
        mls_gather_line(gather);
    list_classes(gather);
    mls_gather_list_annotations(gather);
    profile->memory = mls_arena_array(gather->arena, gather->peak_count + 1, sizeof *profile->memory);
    for (size_t i = 0; i < gather->peak_count; i++) {
        const mls_memory_peak *peak = &gather->peaks[i];
        mls_profile_memory *memory = &profile->memory[profile->memory_count++];
        *memory = (mls_profile_memory){
            .device = mls_arena_copy(gather->arena, mls_str_from(peak->device)),
            .allocated = peak->allocated,
            .reserved = peak->reserved,
            .at_ms = gather->activities.count > 0 ? (double)(peak->at - gather->first_ns) / 1e6 : (double)NAN,
            .step = (double)NAN};
        for (size_t k = 0; k < gather->steps.count; k++) {
            const mls_host_span *step = &gather->steps.items[k];
            memory->step = step->start <= peak->at && peak->at < step->end ? step->number : memory->step;
        }
    }
    list_tally(gather, MLS_TALLY_API, &profile->api);
    list_tally(gather, MLS_TALLY_RANGES, &profile->ranges);
    list_tally(gather, MLS_TALLY_OSRT, &profile->osrt);

    /* Times are of the wall clock if the trace contains their base, or if they are after 2001-09-09. */
    const int64_t wall = 1000000000000000000;
    const int64_t base = gather->base_ns;
    int64_t start = gather->first_ns;
    profile->start_ms = (double)NAN;
    if (profile->kind == MLS_PROFILE_KINETO && gather->activities.count > 0 && (base >= 0 || start >= wall) &&
        !__builtin_add_overflow(start, base > 0 ? base : 0, &start)) {
        const int64_t whole = start / 1000000; /* a double of nanoseconds would lose the last digits */
        profile->start_ms = (double)whole + (double)(start - whole * 1000000) / 1e6;
    }
    mls_collectives_sort(profile->collectives, gather->base_ns);
    mls_gather_judge(gather);
}

/* Choose the reader by the first character that is not blank.  A file that begins with a bracket is read as JSON, and
 * as a table if it is not JSON. */
static mls_status read_by_kind(mls_gather *gather, mls_window *window, FILE **copy, mls_error *error)
{
    enum { LOOKED_AT = 4096 };
    static const struct {
        mls_str magic;
        const char *reason;
    } magics[] = {
        {MLS_STR("\x1f\x8b"), "is compressed with gzip: use zcat FILE | mlscore profile -"},
        {MLS_STR("SQLite format 3"),
         "is an SQLite file of nsys: convert it with nsys stats --report cuda_gpu_trace --format csv FILE"},
        {MLS_STR("NVR\0"), "is a report of ncu: convert it with ncu --import FILE --csv"},
    };
    mls_input *input = window->input;
    char *begin = window->at;
    mls_str rest = {begin, (size_t)(window->end - begin)};
    const mls_str head = {begin, rest.len < LOOKED_AT ? rest.len : LOOKED_AT};
    const char *unread = NULL;
    for (size_t i = 0; i < sizeof magics / sizeof *magics && unread == NULL; i++)
        unread = mls_str_starts(head, magics[i].magic) ? magics[i].reason : NULL;
    if (unread == NULL && memchr(head.ptr, '\0', head.len) != NULL) {
        unread = "is binary: convert an .nsys-rep with nsys stats --report cuda_gpu_trace --format csv FILE, or an "
                 ".ncu-rep with ncu --import FILE --csv";
    }
    if (input->unread != NULL || unread != NULL) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s%s", unread != NULL ? "" : "is ",
                             unread != NULL ? unread : input->unread);
    }
    const mls_str word = mls_str_word(&rest);
    if (word.len == 0 && input->ended)
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "is empty");
    if (word.len > 0 && (*word.ptr == '{' || *word.ptr == '[')) {
        bool json = true;
        const mls_status status = mls_trace_read(gather, window, &json, error);
        if (status != MLS_ERROR_UNKNOWN || json)
            return status;
        window->at = begin;
    }
    if (!input->in_memory && gather->whole == NULL && lseek(input->fd, 0, SEEK_CUR) < 0) {
        /* Copy the rest of a pipe to a temporary file and read that file, since a pipe cannot be read twice. */
        char *block = mls_malloc(MLS_BLOCK_SIZE + MLS_SCAN_PADDING);
        size_t len = (size_t)(window->end - window->at);
        *copy = tmpfile();
        bool written = *copy != NULL && fwrite(window->at, 1, len, *copy) == len;
        while (written && !input->ended) {
            (void)mls_input_fill(input, block, &len);
            written = fwrite(block, 1, len, *copy) == len;
        }
        written = written && fflush(*copy) == 0;
        free(block);
        if (!written) {
            return mls_error_set(error, MLS_ERROR_READ, 0, 0, "cannot be copied to a temporary file: %s",
                                 strerror(errno));
        }
        const mls_read_trouble trouble = input->trouble;
        mls_input_release(input);
        rewind(*copy);
        *input = (mls_input){.fd = fileno(*copy), .text = true, .trouble = trouble};
        window->at = window->end;
        mls_window_fill(window);
    }
    return mls_reports_read(gather, window, error);
}

mls_status mls_profile_input_read(mls_input *input, const char *file, const mls_kernel_classes *classes,
                                  mls_profile **profile, mls_error *error)
{
    const mls_input begin = *input;
    const off_t at = begin.in_memory ? 0 : lseek(begin.fd, 0, SEEK_CUR);
    mls_gather gather = {0};
    mls_marks whole;
    FILE *copy = NULL;
    mls_status status;
    bool again = false;
    do {
        mls_profile *made = mls_calloc(1, sizeof *made);
        made->arena = mls_calloc(1, sizeof *made->arena);
        made->file = file;
        mls_gather_init(&gather, classes, made);
        gather.whole = again ? &whole : NULL;
        mls_window window;
        mls_window_init(&window, input);
        mls_window_fill(&window);
        status = read_by_kind(&gather, &window, &copy, error);
        if (input->trouble.read_errno != 0 || (status == MLS_ERROR_UNKNOWN && input->trouble.wrong != NULL))
            status = mls_input_status(input, error);
        mls_window_release(&window);
        mls_input_release(input);
        /* Read again if the locale that the whole file shows is not the one assumed for its first numbers. */
        whole = gather.marks;
        const unsigned locale = whole.point == whole.comma ? 0 : whole.point ? 1 : 2;
        again = status == MLS_OK && !again && (gather.wrong >> locale & 1) != 0;
        if (status == MLS_OK && !again)
            gather_finish(&gather);
        mls_gather_release(&gather);
        *profile = made;
        if (again || status != MLS_OK) {
            mls_profile_free(made);
            *profile = NULL;
        }
        if (again) {
            *input = copy != NULL ? (mls_input){.fd = fileno(copy), .text = true} : begin;
            again = begin.in_memory || lseek(input->fd, copy != NULL ? 0 : at, SEEK_SET) >= 0;
            status = again ? MLS_OK
                           : mls_error_set(error, MLS_ERROR_READ, 0, 0, "cannot be read again: %s", strerror(errno));
        }
    } while (again);
    if (copy != NULL)
        (void)fclose(copy);
    return status;
}

mls_status mls_profile_read(int fd, const char *file, const mls_kernel_classes *classes, mls_profile **profile,
                            mls_error *error)
{
    mls_input input = {.fd = fd, .text = true};
    return mls_profile_input_read(&input, file, classes, profile, error);
}

void mls_profile_free(mls_profile *profile)
{
    if (profile != NULL) {
        mls_arena_free(profile->arena);
        mls_findings_release(&profile->findings);
        mls_collectives_free(profile->collectives);
        free(profile);
    }
}

static const mls_profile_row *class_row(const mls_profile *profile, mls_str name)
{
    for (size_t i = 0; i < profile->classes.count; i++)
        if (mls_str_equal(profile->classes.items[i].name, name))
            return &profile->classes.items[i];
    return NULL;
}

/* Return the time of a class in milliseconds per step, or as a share of all activity; 0 if the class does not occur. */
static double measure_class(const mls_profile *profile, mls_str name, bool per_step)
{
    const mls_profile_row *row = class_row(profile, name);
    return row == NULL            ? 0
           : per_step             ? row->total_ms / (double)profile->steps.count
           : isfinite(row->share) ? row->share
                                  : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const mls_profile_change *x = a;
    const mls_profile_change *y = b;
    const double left = fabs(x->after - x->before);
    const double right = fabs(y->after - y->before);
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

void mls_profile_compare(const mls_profile *base, const mls_profile *profile, mls_profile_changes *changes)
{
    const size_t max = base->classes.count + profile->classes.count;
    *changes = (mls_profile_changes){.items = mls_calloc(max + 1, sizeof *changes->items),
                                     .per_step = base->steps.count > 0 && profile->steps.count > 0};
    for (size_t i = 0; i < max; i++) {
        const bool old = i < base->classes.count;
        const mls_str name = old ? base->classes.items[i].name : profile->classes.items[i - base->classes.count].name;
        if (old || class_row(base, name) == NULL) {
            changes->items[changes->count++] = (mls_profile_change){name, measure_class(base, name, changes->per_step),
                                                                    measure_class(profile, name, changes->per_step)};
        }
    }
    qsort(changes->items, changes->count, sizeof *changes->items, compare_changes);
}

void mls_profile_place(mls_profile *profile, double start_ms, double stop_ms)
{
    const double end = isfinite(stop_ms) ? stop_ms : (double)INFINITY;
    /* The length of the overlap in milliseconds.  If there is no overlap, it is negative: the distance. */
    const double shared = fmin(profile->start_ms + profile->length_ms, end) - fmax(profile->start_ms, start_ms);
    if (!isfinite(profile->start_ms) || !isfinite(start_ms) ||
        (profile->run.known && !(shared > profile->run.shared_ms)))
        return;
    profile->run.known = true;
    profile->run.shared_ms = shared;
    profile->run.offset_minutes = (profile->start_ms - start_ms) / 60000;
    profile->run.inside = profile->start_ms >= start_ms && profile->start_ms + profile->length_ms <= end;
}
