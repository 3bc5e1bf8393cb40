/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nsys.c - the reports of nsys stats: one or many in a file, told apart by the columns that they have.
 *
 * How a number is meant may only be known at the end of the file, so sums are kept in parts (mls_sum).
 */
#include <stdlib.h>
#include <strings.h>

#include "profile/reports.h"

/* What is asked of a column. */
typedef enum column_role {
    ROLE_TIME,
    ROLE_SIZE,
    ROLE_INSTANCES,
    ROLE_COUNT,
    ROLE_CALLS,
    ROLE_NAME,
    ROLE_OPERATION,
    ROLE_RANGE,
    ROLE_LEAST,
    ROLE_MOST,
    ROLE_START,
    ROLE_LENGTH,
    ROLE_DEVICE,
    ROLE_STREAM,
    ROLE_BYTES,
    ROLE_SOURCE,
    ROLE_DESTINATION,
    ROLE_THREAD,
    ROLES
} column_role;

static const char *const role_names[ROLES] = {
    [ROLE_TIME] = "Total Time",
    [ROLE_SIZE] = "Total",
    [ROLE_INSTANCES] = "Instances",
    [ROLE_COUNT] = "Count",
    [ROLE_CALLS] = "Num Calls",
    [ROLE_NAME] = "Name",
    [ROLE_OPERATION] = "Operation",
    [ROLE_RANGE] = "Range",
    [ROLE_LEAST] = "Min",
    [ROLE_MOST] = "Max",
    [ROLE_START] = "Start",
    [ROLE_LENGTH] = "Duration",
    [ROLE_DEVICE] = "Device",
    [ROLE_STREAM] = "Strm",
    [ROLE_BYTES] = "Bytes",
    [ROLE_SOURCE] = "SrcMemKd",
    [ROLE_DESTINATION] = "DstMemKd",
    [ROLE_THREAD] = "Tid",
};

typedef enum report_kind {
    REPORT_KERNELS,
    REPORT_COPY_TIMES,
    REPORT_COPY_SIZES,
    REPORT_CALLS,
    REPORT_RANGES,
    REPORT_TRACE,
    REPORT_IGNORED,
    REPORT_NONE
} report_kind;

/* The columns that a report must have, and what its name, where it stands before, must hold. */
static const struct {
    column_role needs[3];
    const char *named, *words;
} reports[REPORT_IGNORED] = {
    [REPORT_KERNELS] = {{ROLE_TIME, ROLE_INSTANCES, ROLE_NAME}, "kern", "sums of kernels"},
    [REPORT_COPY_TIMES] = {{ROLE_TIME, ROLE_COUNT, ROLE_OPERATION}, "mem", "times of copies"},
    [REPORT_COPY_SIZES] = {{ROLE_SIZE, ROLE_COUNT, ROLE_OPERATION}, "mem", "sizes of copies"},
    [REPORT_CALLS] = {{ROLE_TIME, ROLE_CALLS, ROLE_NAME}, "", "calls"},
    [REPORT_RANGES] = {{ROLE_TIME, ROLE_INSTANCES, ROLE_RANGE}, "nvtx", "ranges"},
    [REPORT_TRACE] = {{ROLE_START, ROLE_LENGTH, ROLE_NAME}, "gpu", "the time line"},
};

enum { NAME_KEPT = 64, COLUMNS_MAX = 64, ABSENT = COLUMNS_MAX };

struct mls_nsys {
    mls_gather *gather;
    report_kind kind; /* of the report that rows belong to */
    bool any;         /* a report has been found */
    bool seen[REPORT_IGNORED];
    size_t sums_line;     /* of the first sum of kernels or copies */
    char name[NAME_KEPT]; /* of the next report, "": it has none */
    size_t line;          /* of the heading */
    size_t columns, at[ROLES];
    int power[ROLES];         /* of ten: of a column's unit, to nanoseconds */
    double megabytes;         /* of a byte column's unit */
    uint64_t counts;          /* a bit for each column of numbers, which tell how they are written */
    mls_tally calls, *called; /* of functions; which of the tallies it belongs to is told by name, or at the end */
};

mls_nsys *mls_nsys_new(mls_gather *gather)
{
    mls_nsys *nsys = calloc(1, sizeof *nsys);
    if (nsys != NULL) {
        nsys->gather = gather;
        nsys->kind = REPORT_NONE;
        nsys->calls.map.arena = &gather->arena;
    }
    return nsys;
}

void mls_nsys_free(mls_nsys *nsys)
{
    if (nsys != NULL) {
        mls_tally_release(&nsys->calls);
        free(nsys);
    }
}

/* ------------------------------------------------------------------- lines */

/* The functions of CUDA are called cudaX and cuX. */
static bool is_cuda_function(mls_str name)
{
    const size_t prefix = mls_str_starts(name, MLS_S("cuda")) ? 4 : mls_str_starts(name, MLS_S("cu")) ? 2 : name.len;
    return prefix < name.len && name.ptr[prefix] >= 'A' && name.ptr[prefix] <= 'Z';
}

static void say_repeated(mls_nsys *nsys, size_t line, const char *what, const char *why)
{
    mls_findings_add(&nsys->gather->profile->findings, MLS_FINDING_REPORT_REPEATED, (mls_finding_place){.line = line},
                     "%s are ignored: %s", what, why);
}

/* A report has ended.  Calls whose report had no name are of CUDA when one of them looks like it. */
static void report_end(mls_nsys *nsys)
{
    mls_gather *gather = nsys->gather;
    if (nsys->kind == REPORT_CALLS) {
        for (size_t i = 0; i < nsys->calls.count && nsys->called == NULL; i++) {
            nsys->called = is_cuda_function(nsys->calls.map.entries[i].key) ? &gather->api : NULL;
        }
        mls_tally *to = nsys->called != NULL ? nsys->called : &gather->osrt;
        if (to->told) {
            say_repeated(nsys, nsys->line, to == &gather->api ? "API calls" : "calls of the OS runtime",
                         "they stand in the file already");
            mls_tally_release(&nsys->calls);
        } else {
            *to = nsys->calls;
            to->told = true;
            nsys->calls = (mls_tally){.map.arena = &gather->arena};
        }
    }
    nsys->kind = REPORT_NONE;
}

/* The name of a report: "… (cuda_api_sum):" or "… with [/…/cuda_api_sum.py]...". */
static void read_report_name(mls_nsys *nsys, mls_str line)
{
    size_t end = line.len;
    while (end > 0 && (line.ptr[end - 1] == ' ' || line.ptr[end - 1] == '.' || line.ptr[end - 1] == ':')) {
        end--;
    }
    const bool script = mls_str_ends((mls_str){line.ptr, end}, MLS_S(".py]"));
    const bool title = end > 0 && line.ptr[end - 1] == ')';
    end -= script ? 4 : title;
    size_t begin = end;
    while (begin > 0 && end - begin < NAME_KEPT - 1 && line.ptr[begin - 1] != '/' && line.ptr[begin - 1] != '[' &&
           line.ptr[begin - 1] != '(') {
        begin--;
    }
    const size_t length = script || title ? end - begin : 0;
    memcpy(nsys->name, line.ptr + begin, length);
    nsys->name[length] = '\0';
}

mls_report_line mls_nsys_line(mls_nsys *nsys, mls_str line, size_t number)
{
    static const char *const headings[] = {"Time (%)", "Time(%)", "Total (", "Start ("};
    static const char *const texts[] = {"Processing [", " ** ", "SKIPPED:", "\"ID\","};
    mls_str rest = line;
    if (mls_str_word(&rest).len == 0) {
        report_end(nsys);
        return MLS_LINE_TEXT;
    }
    const size_t quote = line.ptr[0] == '"';
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        if (mls_str_starts((mls_str){line.ptr + quote, line.len - quote}, mls_str_from(headings[i])) &&
            memchr(line.ptr, ',', line.len) != NULL) {
            report_end(nsys);
            return MLS_LINE_HEADING;
        }
    }
    if (nsys->any && mls_str_starts(line, MLS_S("\"ID\","))) {
        mls_findings_add(&nsys->gather->profile->findings, MLS_FINDING_REPORT_IGNORED,
                         (mls_finding_place){.line = number}, "counters of ncu are read from a file of their own");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts && nsys->kind != REPORT_NONE; i++) {
        if (mls_str_starts(line, mls_str_from(texts[i]))) {
            report_end(nsys);
        }
    }
    if (nsys->kind == REPORT_NONE) {
        read_report_name(nsys, line);
    }
    return nsys->kind == REPORT_NONE || nsys->kind == REPORT_IGNORED ? MLS_LINE_TEXT : MLS_LINE_ROW;
}

/* ---------------------------------------------------------------- headings */

/* Ten to which power a unit of time is nanoseconds. */
static int power_of(mls_str unit)
{
    return mls_str_equal(unit, MLS_S("us"))   ? 3
           : mls_str_equal(unit, MLS_S("ms")) ? 6
           : mls_str_equal(unit, MLS_S("s"))  ? 9
                                              : 0;
}

static double megabytes_of(mls_str unit)
{
    static const struct {
        mls_str unit;
        double megabytes;
    } units[] = {{MLS_STR("B"), 1e-6},       {MLS_STR("KB"), 1e-3},      {MLS_STR("GB"), 1e3},
                 {MLS_STR("KiB"), 1.024e-3}, {MLS_STR("MiB"), 1.048576}, {MLS_STR("GiB"), 1073.741824},
                 {MLS_STR("bytes"), 1e-6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (mls_str_equal(unit, units[i].unit)) {
            return units[i].megabytes;
        }
    }
    return 1;
}

/* A column: "Total Time (ns)" is "Total Time" in "ns". */
static void read_column(mls_nsys *nsys, mls_str heading, size_t column)
{
    mls_str unit = {NULL, 0};
    const char *open =
        heading.len > 0 && heading.ptr[heading.len - 1] == ')' ? memrchr(heading.ptr, '(', heading.len) : NULL;
    if (open != NULL) {
        unit = (mls_str){open + 1, heading.len - (size_t)(open - heading.ptr) - 2};
        heading.len = (size_t)(open - heading.ptr);
    }
    while (heading.len > 0 && heading.ptr[heading.len - 1] == ' ') {
        heading.len--;
    }
    for (column_role role = 0; role < ROLES; role++) {
        if (strlen(role_names[role]) == heading.len && strncasecmp(role_names[role], heading.ptr, heading.len) == 0 &&
            nsys->at[role] == ABSENT) {
            nsys->at[role] = column;
            nsys->power[role] = power_of(unit);
            if (role == ROLE_SIZE || role == ROLE_BYTES) {
                nsys->megabytes = megabytes_of(unit);
            }
            unit.len += role == ROLE_INSTANCES || role == ROLE_COUNT || role == ROLE_CALLS;
        }
    }
    nsys->counts |= (uint64_t)(unit.len > 0) << column;
}

static bool report_fits(const mls_nsys *nsys, report_kind kind)
{
    bool fits = kind != REPORT_TRACE || nsys->at[ROLE_THREAD] == ABSENT; /* as traces of calls have it */
    for (size_t i = 0; i < 3; i++) {
        fits = fits && nsys->at[reports[kind].needs[i]] != ABSENT;
    }
    const mls_str name = mls_str_from(nsys->name);
    if (kind == REPORT_CALLS && name.len > 0) {
        return fits && (mls_str_contains(name, MLS_S("osrt")) ||
                        (mls_str_contains(name, MLS_S("cuda")) && mls_str_contains(name, MLS_S("api"))));
    }
    return fits && (name.len == 0 || mls_str_contains(name, mls_str_from(reports[kind].named)));
}

/* Sums that came before the trace count no more. */
static void forget_sums(mls_gather *gather)
{
    for (size_t i = 0; i < gather->kernels.count; i++) {
        gather->kernels.rows[i] = (mls_tally_row){
            .class_number = gather->kernels.rows[i].class_number, .least_ns = {-1, -1, -1}, .most_ns = {-1, -1, -1}};
    }
    for (size_t i = 0; i < MLS_CLASSES_MAX; i++) {
        gather->unnamed[i] = (mls_tally_row){.class_number = i, .least_ns = {-1, -1, -1}, .most_ns = {-1, -1, -1}};
    }
    memset(gather->copies, 0, sizeof gather->copies);
    gather->copies_timed = gather->copies_sized = false;
}

/* Whether the report counts: it is the first of its kind, and no better one stands in the file. */
static bool report_counts(mls_nsys *nsys, report_kind kind)
{
    mls_gather *gather = nsys->gather;
    const bool sums = kind <= REPORT_COPY_SIZES;
    if (kind != REPORT_CALLS && nsys->seen[kind]) {
        say_repeated(nsys, nsys->line, reports[kind].words, "the file has had them already");
        return false;
    }
    nsys->seen[kind] = true;
    if (sums && gather->has_line) {
        say_repeated(nsys, nsys->line, reports[kind].words, "cuda_gpu_trace tells more");
        return false;
    }
    if (kind == REPORT_TRACE && nsys->sums_line > 0) {
        say_repeated(nsys, nsys->sums_line, "sums of kernels or copies", "cuda_gpu_trace tells more");
        forget_sums(gather);
    }
    nsys->sums_line = sums && nsys->sums_line == 0 ? nsys->line : nsys->sums_line;
    gather->has_line |= kind == REPORT_TRACE;
    gather->kernels.told |= kind == REPORT_KERNELS;
    gather->copies_timed |= kind == REPORT_COPY_TIMES;
    gather->copies_sized |= kind == REPORT_COPY_SIZES;
    gather->ranges.told |= kind == REPORT_RANGES;
    return true;
}

static void read_nsys_heading(mls_nsys *nsys, const mls_report_row *row)
{
    report_kind kind = 0;
    nsys->line = row->line;
    nsys->columns = row->count;
    nsys->counts = 0;
    for (column_role role = 0; role < ROLES; role++) {
        nsys->at[role] = ABSENT;
    }
    for (size_t i = 0; i < row->count && i < COLUMNS_MAX; i++) {
        read_column(nsys, mls_report_text(row, i), i);
    }
    while (kind < REPORT_IGNORED && !report_fits(nsys, kind)) {
        kind++;
    }
    if (kind == REPORT_IGNORED) {
        mls_findings_add(&nsys->gather->profile->findings, MLS_FINDING_REPORT_IGNORED,
                         (mls_finding_place){.line = row->line}, "%s%sis none of the reports that are read",
                         nsys->name[0] != '\0' ? nsys->name : "the table", " ");
    } else {
        nsys->any = true;
        kind = report_counts(nsys, kind) ? kind : REPORT_IGNORED;
    }
    const mls_str name = mls_str_from(nsys->name);
    nsys->called = name.len == 0                           ? NULL
                   : mls_str_contains(name, MLS_S("osrt")) ? &nsys->gather->osrt
                                                           : &nsys->gather->api;
    nsys->kind = kind;
    nsys->name[0] = '\0';
}

/* -------------------------------------------------------------------- rows */

/* What a row says, by role. */
typedef struct row_values {
    mls_decimal numbers[ROLES];
    bool there[ROLES];
} row_values;

/* Reads all numbers of a row, as each may tell how the file's numbers are written. */
static void read_numbers(mls_nsys *nsys, const mls_report_row *row, row_values *values)
{
    mls_decimal number;
    for (size_t i = 0; i < row->count && i < COLUMNS_MAX; i++) {
        if ((nsys->counts >> i & 1) == 0 || row->fields[i].len == 0 ||
            !mls_decimal_parse_local((mls_str){row->text + row->fields[i].begin, row->fields[i].len},
                                     &nsys->gather->marks, &number)) {
            continue;
        }
        for (column_role role = 0; role < ROLES; role++) {
            if (nsys->at[role] == i) {
                values->numbers[role] = number;
                values->there[role] = true;
            }
        }
    }
}

/* Keeps the least or the most of numbers that are settled, and of each kind that is open. */
static void keep_extreme(mls_sum *extreme, const mls_decimal *number, int power, bool least)
{
    int64_t *part = number->open == ',' ? &extreme->comma : number->open == '.' ? &extreme->point : &extreme->sure;
    int64_t value;
    if (mls_decimal_scale(number, power, &value) && (*part < 0 || (least ? value < *part : value > *part))) {
        *part = value;
    }
}

static bool add_counted(mls_nsys *nsys, mls_sum *count, mls_sum *total, const row_values *values, column_role counted)
{
    mls_sum check = {0, 0, 0};
    return values->there[ROLE_TIME] && values->there[counted] && mls_sum_add(&check, &values->numbers[counted], 0) &&
           mls_sum_add(total, &values->numbers[ROLE_TIME], nsys->power[ROLE_TIME]) &&
           mls_sum_add(count, &values->numbers[counted], 0);
}

static const char no_number[] = "a number of it is none";

/* A row of kernels, functions or ranges.  Returns why it is left out; NULL: it is not. */
static const char *add_named(mls_nsys *nsys, mls_str name, const row_values *values, bool *memory)
{
    mls_gather *gather = nsys->gather;
    mls_tally_row *row = NULL;
    uint32_t id;
    bool full = false;
    if (nsys->kind == REPORT_KERNELS) {
        *memory = !mls_gather_name(gather, name, &id);
        row = *memory ? NULL : mls_gather_row(gather, id);
    } else {
        row = mls_tally_put(nsys->kind == REPORT_CALLS ? &nsys->calls : &gather->ranges, &gather->arena, name, &full);
        *memory = row == NULL && !full;
    }
    if (row == NULL) {
        return full ? "there are more names than can be kept" : NULL;
    }
    if (!add_counted(nsys, &row->count, &row->total_ns, values,
                     nsys->kind == REPORT_CALLS ? ROLE_CALLS : ROLE_INSTANCES)) {
        return no_number;
    }
    if (values->there[ROLE_LEAST] && values->there[ROLE_MOST]) {
        keep_extreme(&row->least_ns, &values->numbers[ROLE_LEAST], nsys->power[ROLE_LEAST], true);
        keep_extreme(&row->most_ns, &values->numbers[ROLE_MOST], nsys->power[ROLE_MOST], false);
    }
    return NULL;
}

static void add_megabytes(mls_copy_sum *copy, const mls_decimal *number, double unit)
{
    const double value = mls_decimal_double(number) * unit;
    double *part = number->open == ','   ? &copy->comma_megabytes
                   : number->open == '.' ? &copy->point_megabytes
                                         : &copy->megabytes;
    *part += value;
    copy->has_megabytes = true;
}

static const char *add_copies(mls_nsys *nsys, mls_str operation, const row_values *values)
{
    mls_copy_sum *copy = &nsys->gather->copies[mls_copy_operation_of(operation)];
    if (nsys->kind == REPORT_COPY_TIMES) {
        return add_counted(nsys, &copy->count, &copy->total_ns, values, ROLE_COUNT) ? NULL : no_number;
    }
    if (!values->there[ROLE_SIZE] || values->numbers[ROLE_SIZE].negative || !values->there[ROLE_COUNT] ||
        !mls_sum_add(&copy->sized, &values->numbers[ROLE_COUNT], 0)) {
        return no_number;
    }
    add_megabytes(copy, &values->numbers[ROLE_SIZE], nsys->megabytes);
    return NULL;
}

/* The text of a column that may be absent. */
static mls_str optional_text(const mls_nsys *nsys, const mls_report_row *row, column_role role)
{
    return nsys->at[role] != ABSENT ? mls_report_text(row, nsys->at[role]) : (mls_str){"", 0};
}

/* "NVIDIA H200 (0)" is device 0. */
static mls_str device_number(mls_str device)
{
    const char *open =
        device.len > 0 && device.ptr[device.len - 1] == ')' ? memrchr(device.ptr, '(', device.len) : NULL;
    return open != NULL ? (mls_str){open + 1, device.len - (size_t)(open - device.ptr) - 2} : device;
}

static uint32_t open_bits(char start, char length)
{
    return (start == ','   ? MLS_START_COMMA
            : start == '.' ? MLS_START_POINT
                           : 0U) |
           (length == ','   ? MLS_LENGTH_COMMA
            : length == '.' ? MLS_LENGTH_POINT
                            : 0U);
}

static const char *add_traced(mls_nsys *nsys, const mls_report_row *row, const row_values *values, bool *memory)
{
    mls_gather *gather = nsys->gather;
    const mls_str name = mls_report_text(row, nsys->at[ROLE_NAME]);
    const mls_decimal *start = &values->numbers[ROLE_START];
    const mls_decimal *length = &values->numbers[ROLE_LENGTH];
    mls_activity activity = {0};
    if (!values->there[ROLE_START] || !values->there[ROLE_LENGTH] ||
        !mls_decimal_scale(start, nsys->power[ROLE_START], &activity.start) ||
        !mls_decimal_scale(length, nsys->power[ROLE_LENGTH], &activity.length) ||
        activity.length > INT64_MAX - activity.start) {
        return no_number;
    }
    if (!mls_gather_track(gather, device_number(optional_text(nsys, row, ROLE_DEVICE)),
                          optional_text(nsys, row, ROLE_STREAM), &activity.track)) {
        *memory = gather->tracks.count < MLS_TRACKS_MAX;
        mls_gather_too_much(gather, row->line, "streams");
        return NULL;
    }
    const bool marked = mls_str_starts(name, MLS_S("[CUDA mem"));
    *memory = !marked && !mls_gather_name(gather, name, &activity.id);
    if (*memory) {
        return NULL;
    }
    if (marked || mls_gather_class(gather, activity.id) == mls_class_copy(gather->classes)) {
        const mls_copy_operation operation = mls_copy_operation_of(name);
        const bool pageable = mls_str_equal(optional_text(nsys, row, ROLE_SOURCE), MLS_S("Pageable")) ||
                              mls_str_equal(optional_text(nsys, row, ROLE_DESTINATION), MLS_S("Pageable"));
        activity.id = MLS_ID_COPY + 2 * (uint32_t)operation + pageable;
        if (values->there[ROLE_BYTES] && !values->numbers[ROLE_BYTES].negative) {
            add_megabytes(&gather->copies[operation], &values->numbers[ROLE_BYTES], nsys->megabytes);
        }
    }
    activity.id |= open_bits(start->open, length->open);
    *memory = !mls_gather_activity(gather, activity);
    return NULL;
}

mls_status mls_nsys_row(mls_nsys *nsys, const mls_report_row *row, bool heading)
{
    row_values values = {0};
    const char *why = NULL;
    bool memory = false;
    if (heading) {
        read_nsys_heading(nsys, row);
        return MLS_OK;
    }
    const column_role named = nsys->kind == REPORT_RANGES                                          ? ROLE_RANGE
                              : nsys->kind == REPORT_COPY_TIMES || nsys->kind == REPORT_COPY_SIZES ? ROLE_OPERATION
                                                                                                   : ROLE_NAME;
    if (row->count != nsys->columns) {
        why =
            row->count < nsys->columns ? "it has fewer fields than the heading" : "it has more fields than the heading";
    } else if (row->fields[nsys->at[named]].len == 0) {
        why = "it has no name";
    } else {
        read_numbers(nsys, row, &values);
        why = nsys->kind == REPORT_TRACE ? add_traced(nsys, row, &values, &memory)
              : named == ROLE_OPERATION  ? add_copies(nsys, mls_report_text(row, nsys->at[named]), &values)
                                         : add_named(nsys, mls_report_text(row, nsys->at[named]), &values, &memory);
    }
    if (why != NULL) {
        mls_report_damaged(nsys->gather, row->line, why);
    }
    return memory ? MLS_ERROR_MEMORY : MLS_OK;
}

bool mls_nsys_finish(mls_nsys *nsys)
{
    mls_profile *profile = nsys->gather->profile;
    report_end(nsys);
    profile->kind = nsys->gather->has_line ? MLS_PROFILE_NSYS_TRACE : MLS_PROFILE_NSYS_STATS;
    profile->complete = true;
    return nsys->any;
}
