/* SPDX-License-Identifier: Apache-2.0 */
/* nsys.c - the reports of nsys stats, one or many in a file, recognised by their columns; the tables of rocprof and
 * rocprofv3, which are read as the reports of nsys that say the same; what nsys says of launches. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "explain/profile/gather.h"
#include "explain/profile/reports.h"

/* The two texts that a blank parts in the name of a row of MLS_TALLY_LAUNCHES or MLS_TALLY_ANALYSIS. */
static void pair_split(mls_str name, mls_str *first, mls_str *second)
{
    const char *blank = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;
    const size_t len = blank != NULL ? (size_t)(blank - name.ptr) : name.len;
    *first = (mls_str){name.ptr, len};
    *second = blank != NULL ? (mls_str){blank + 1, name.len - len - 1} : (mls_str){"", 0};
}

static const struct {
    const char *rocprof, *nsys;
} headings[] = {
    {"Calls", "Instances"},
    {"TotalDurationNs", "Total Time (ns)"},
    {"MinNs", "Min (ns)"},
    {"MaxNs", "Max (ns)"},
    {"KernelName", "Name"},
    {"Kernel_Name", "Name"},
    {"BeginNs", "Start (ns)"},
    {"Start_Timestamp", "Start (ns)"},
    {"EndNs", "Duration (ns)"}, /* less the start */
    {"End_Timestamp", "Duration (ns)"},
    {"gpu-id", "Device"},
    {"GPU_ID", "Device"},
    {"Agent_Id", "Device"},
    {"queue-id", "Strm"},
    {"Queue_ID", "Strm"},
    {"Queue_Id", "Strm"},
    {"tid", ""}, /* which nsys has of calls only */
    {"TID", ""},
    {"Function", "Tid"},     /* a trace of calls */
    {"Counter_Name", "Tid"}, /* a row for each counter of a kernel */
};

/* Whether a heading has all of these columns, "a|b". */
static bool has_columns(mls_str line, const char *columns)
{
    mls_str column;
    bool has = true;
    while (has && mls_list_next(&columns, '|', &column))
        has = mls_str_contains(line, column);
    return has;
}

/* Of a table of kernels one by one the columns come in any order, among any number of counters. */
static bool is_rocprof_heading(mls_str line)
{
    const size_t quote = line.len > 0 && line.ptr[0] == '"';
    const mls_str begin = mls_str_rest(line, quote);
    return (mls_str_starts(begin, MLS_S("Name")) && mls_str_contains(line, MLS_S("TotalDurationNs"))) ||
           (mls_str_starts(begin, MLS_S("Kind")) && mls_str_contains(line, MLS_S("Start_Timestamp"))) ||
           has_columns(line, "Kernel_Name|,|Start_Timestamp|End_Timestamp") ||
           has_columns(line, "KernelName|,|BeginNs|EndNs");
}

mls_str mls_rocprof_column(mls_str heading)
{
    unsigned i;
    return MLS_NAME_FIND(headings, sizeof headings / sizeof *headings, heading, &i) ? mls_str_from(headings[i].nsys)
                                                                                    : heading;
}

/* Returns the kind of rocprof's sums by their first name. */
static mls_report_kind rocprof_kind(mls_str name)
{
    if (mls_str_any(name, "KERNEL_|HIP_|HSA_|MEMORY_|MARKER_|SCRATCH_|RCCL_API|CopyHost|CopyDevice", mls_str_starts))
        return MLS_REPORT_IGNORED;
    return mls_str_any(name, "hip|hsa_", mls_str_starts) && mls_cuda_call(name).len > 0 ? MLS_REPORT_CALLS
                                                                                        : MLS_REPORT_KERNELS;
}

/* The columns that a report must have, and what its name, where it stands before, must hold. */
static const struct {
    mls_column_role needs[3]; /* of sums: what is added up, how often it was, of what */
    const char *named, *words;
} reports[MLS_REPORT_IGNORED] = {
    [MLS_REPORT_KERNELS] = {{MLS_ROLE_TIME, MLS_ROLE_INSTANCES, MLS_ROLE_NAME}, "kern", "sums of kernels"},
    [MLS_REPORT_COPY_TIMES] = {{MLS_ROLE_TIME, MLS_ROLE_COUNT, MLS_ROLE_OPERATION}, "mem", "times of copies"},
    [MLS_REPORT_GPU_SUMS] = {{MLS_ROLE_TIME, MLS_ROLE_INSTANCES, MLS_ROLE_OPERATION}, "gpu", "sums of the GPU"},
    [MLS_REPORT_COPY_SIZES] = {{MLS_ROLE_SIZE, MLS_ROLE_COUNT, MLS_ROLE_OPERATION}, "mem", "sizes of copies"},
    [MLS_REPORT_CALLS] = {{MLS_ROLE_TIME, MLS_ROLE_CALLS, MLS_ROLE_NAME}, "", "calls"},
    [MLS_REPORT_RANGES] = {{MLS_ROLE_TIME, MLS_ROLE_INSTANCES, MLS_ROLE_RANGE}, "nvtx", "ranges"},
    [MLS_REPORT_TRACE] = {{MLS_ROLE_START, MLS_ROLE_LENGTH, MLS_ROLE_NAME}, "gpu", "the time line"},
    [MLS_REPORT_LAUNCHES] = {{MLS_ROLE_KERNEL_MEAN, MLS_ROLE_COUNT, MLS_ROLE_KERNEL}, "exec", "launches"},
    [MLS_REPORT_RULE] = {{MLS_ROLE_LENGTH, MLS_ROLE_START, MLS_ROLE_START}, "", "findings of a rule"},
};

/* Rules of nsys analyze: their tables are told apart by their names alone. */
static const char *const rule_names[] = {"cuda_memcpy_sync", "cuda_memcpy_async", "cuda_memset_sync",
                                         "cuda_api_sync",    "gpu_gaps",          "gpu_time_util"};

static bool is_rule(mls_str name, unsigned *rule)
{
    return MLS_NAME_FIND(rule_names, sizeof rule_names / sizeof *rule_names, name, rule);
}

/* The functions of CUDA are called cudaX and cuX. */
static bool is_cuda_function(mls_str name)
{
    const mls_str call = mls_cuda_call(name);
    return call.len > 0 && *call.ptr >= 'A' && *call.ptr <= 'Z';
}

/* Says why a report, or a part of the file, is not read. */
static void note_report(mls_reports *r, mls_finding_code code, size_t line, const char *what, const char *why)
{
    mls_findings_add(&r->gather->profile->findings, code, (mls_finding_place){.line = line}, "%s %s", what, why);
}

/* A report has ended.  Calls whose report had no name are of CUDA when one of them looks like it. */
void mls_nsys_report_end(mls_reports *r)
{
    mls_tally *calls = &r->gather->tallies[MLS_TALLY_CALLS];
    mls_tally *api = &r->gather->tallies[MLS_TALLY_API];
    mls_tally *to = r->nsys.called;
    const bool ended = r->nsys.kind == MLS_REPORT_CALLS;
    r->nsys.kind = MLS_REPORT_NONE;
    for (size_t i = 0; i < calls->count && to == NULL; i++)
        to = is_cuda_function(calls->rows[i].name) ? api : NULL;
    to = to != NULL ? to : &r->gather->tallies[MLS_TALLY_OSRT];
    if (ended && to->known) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->nsys.line, to == api ? "API calls" : "calls of the OS runtime",
                    "are ignored: they stand in the file already");
        free(calls->rows);
    } else if (ended) {
        *to = *calls;
        to->known = true;
    }
    if (ended)
        *calls = (mls_tally){.map.arena = r->gather->arena};
}

/* The name of a report: "… (cuda_api_sum):" or "… with [/…/cuda_api_sum.py]...". */
static void read_report_name(mls_reports *r, mls_str line)
{
    size_t end = line.len;
    while (end > 0 && (line.ptr[end - 1] == ' ' || line.ptr[end - 1] == '.' || line.ptr[end - 1] == ':'))
        end--;
    const bool script = mls_str_ends((mls_str){line.ptr, end}, MLS_S(".py]"));
    const bool title = end > 0 && line.ptr[end - 1] == ')';
    end -= script ? 4 : title;
    size_t begin = end;
    while (begin > 0 && end - begin < MLS_REPORT_NAME_KEPT - 1 && line.ptr[begin - 1] != '/' &&
           line.ptr[begin - 1] != '[' && line.ptr[begin - 1] != '(')
        begin--;
    const size_t length = script || title ? end - begin : 0;
    unsigned rule;
    if (length == 0 && is_rule(mls_str_from(r->nsys.name), &rule) &&
        !mls_str_any(line, "SKIPPED:|There were no problems", mls_str_starts))
        return; /* it has a text above its table */
    memcpy(r->nsys.name, line.ptr + begin, length);
    r->nsys.name[length] = '\0';
}

static bool is_nsys_heading(mls_str line)
{
    const size_t quote = line.len > 0 && line.ptr[0] == '"';
    return mls_str_any(mls_str_rest(line, quote), "Time (%)|Time(%)|Total (|Start (|Duration (|Row#,|PID,TID,",
                       mls_str_starts) &&
           memchr(line.ptr, ',', line.len) != NULL;
}

mls_report_line mls_nsys_line(mls_reports *r, mls_str line)
{
    mls_str rest = line;
    if (r->is_ncu) {
        if (is_nsys_heading(line))
            note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, "a report of nsys", "is read from a file of its own");
        return MLS_LINE_TEXT;
    }
    const bool rocprof = is_rocprof_heading(line);
    if (rocprof || is_nsys_heading(line)) {
        mls_nsys_report_end(r);
        r->is_rocprof = rocprof;
        return MLS_LINE_HEADING;
    }
    if (mls_str_word(&rest).len == 0) {
        mls_nsys_report_end(r);
        return MLS_LINE_TEXT;
    }
    if (r->nsys.any && mls_str_starts(line, MLS_S("\"ID\",")))
        note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, "counters of ncu", "are read from a file of their own");
    if (mls_str_any(line, "Processing [| ** |SKIPPED:|\"ID\",", mls_str_starts))
        mls_nsys_report_end(r);
    if (r->nsys.kind == MLS_REPORT_NONE)
        read_report_name(r, line);
    return r->nsys.kind >= MLS_REPORT_IGNORED ? MLS_LINE_TEXT : MLS_LINE_ROW;
}

/* NAN: no unit of bytes. */
static double megabytes_of(mls_str unit)
{
    static const struct {
        mls_str unit;
        double megabytes;
    } units[] = {{MLS_STR("MB"), 1},
                 {MLS_STR("B"), 1e-6},
                 {MLS_STR("KB"), 1e-3},
                 {MLS_STR("GB"), 1e3},
                 {MLS_STR("KiB"), 1.024e-3},
                 {MLS_STR("MiB"), 1.048576},
                 {MLS_STR("GiB"), 1073.741824},
                 {MLS_STR("bytes"), 1e-6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (mls_str_equal(unit, units[i].unit))
            return units[i].megabytes;
    return (double)NAN;
}

/* A time or a size in a unit that nobody knows is none of the columns that are asked for. */
void mls_nsys_column(mls_reports *r, size_t column, mls_column_role role, mls_str unit)
{
    const int power = mls_time_power(unit);
    const double megabytes = unit.len > 0 ? megabytes_of(unit) : 1;
    const bool size = role == MLS_ROLE_SIZE || role == MLS_ROLE_BYTES;
    const bool time = role == MLS_ROLE_TIME || (role >= MLS_ROLE_MIN && role <= MLS_ROLE_LENGTH);
    if ((size && isnan(megabytes)) || (time && unit.len > 0 && power < 0)) {
        r->at[role] = MLS_ABSENT;
        role = MLS_ROLES;
    } else if (size) {
        r->nsys.megabytes = megabytes;
    }
    r->nsys.is_number[column] = unit.len > 0 || role == MLS_ROLE_INSTANCES || role == MLS_ROLE_COUNT ||
                                role == MLS_ROLE_CALLS || role == MLS_ROLE_QUEUED;
    r->nsys.role_of[column] = (unsigned char)role;
    r->nsys.power[role] = power > 0 ? power : 0;
}

static bool report_fits(const mls_reports *r, mls_report_kind kind)
{
    /* Traces of calls have the thread. */
    bool fits = kind != MLS_REPORT_TRACE || r->at[MLS_ROLE_THREAD] == MLS_ABSENT;
    for (size_t i = 0; i < 3; i++)
        fits = fits && r->at[reports[kind].needs[i]] != MLS_ABSENT;
    const mls_str name = mls_str_from(r->nsys.name);
    unsigned rule;
    if (kind == MLS_REPORT_RULE)
        return fits && is_rule(name, &rule);
    if (kind == MLS_REPORT_CALLS && name.len > 0) {
        return fits && (mls_str_contains(name, MLS_S("osrt")) ||
                        (mls_str_contains(name, MLS_S("cuda")) && mls_str_contains(name, MLS_S("api"))));
    }
    return fits && (name.len == 0 || mls_str_contains(name, mls_str_from(reports[kind].named)));
}

/* Whether the report counts: it is the first of its kind, and no better one stands in the file. */
static bool report_counts(mls_reports *r, mls_report_kind kind)
{
    mls_gather *gather = r->gather;
    const bool sums = kind <= MLS_REPORT_COPY_SIZES;
    bool again = kind != MLS_REPORT_CALLS && kind != MLS_REPORT_RULE && r->nsys.seen[kind];
    if (kind == MLS_REPORT_GPU_SUMS) {
        again = again || r->nsys.seen[MLS_REPORT_KERNELS] || r->nsys.seen[MLS_REPORT_COPY_TIMES];
    } else if (kind == MLS_REPORT_KERNELS || kind == MLS_REPORT_COPY_TIMES) {
        again = again || r->nsys.seen[MLS_REPORT_GPU_SUMS];
    } else if (kind == MLS_REPORT_RULE) {
        (void)is_rule(mls_str_from(r->nsys.name), &r->nsys.rule);
        again = (r->nsys.rules_seen >> r->nsys.rule & 1) != 0;
        r->nsys.rules_seen |= 1U << r->nsys.rule;
    }
    if (again) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->line, reports[kind].words,
                    "are ignored: the file has had them already");
        return false;
    }
    r->nsys.seen[kind] = true;
    if (sums && gather->has_line) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->line, reports[kind].words,
                    "are ignored: cuda_gpu_trace tells more");
        return false;
    }
    if (kind == MLS_REPORT_TRACE && r->nsys.sums_line > 0) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->nsys.sums_line, "sums of kernels or copies",
                    "are ignored: cuda_gpu_trace tells more");
        for (size_t i = 0; i < gather->tallies[MLS_TALLY_KERNELS].count; i++)
            mls_row_clear(&gather->tallies[MLS_TALLY_KERNELS].rows[i]);
        memset(gather->sizes, 0, sizeof gather->sizes);
        gather->copies_timed = gather->copies_sized = false;
    }
    r->nsys.sums_line = sums && r->nsys.sums_line == 0 ? r->line : r->nsys.sums_line;
    gather->has_line |= kind == MLS_REPORT_TRACE;
    gather->copies_timed |= kind == MLS_REPORT_COPY_TIMES || kind == MLS_REPORT_GPU_SUMS;
    gather->copies_sized |= kind == MLS_REPORT_COPY_SIZES;
    gather->tallies[MLS_TALLY_RANGES].known |= kind == MLS_REPORT_RANGES;
    gather->tallies[MLS_TALLY_LAUNCHES].known |= kind == MLS_REPORT_LAUNCHES;
    gather->tallies[MLS_TALLY_ANALYSIS].known |= kind == MLS_REPORT_RULE;
    return true;
}

void mls_nsys_heading(mls_reports *r)
{
    mls_report_kind kind = 0;
    const mls_str name = mls_str_from(r->nsys.name);
    while (kind < MLS_REPORT_IGNORED && !report_fits(r, kind))
        kind++;
    if (kind == MLS_REPORT_IGNORED) {
        note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, name.len > 0 ? name.ptr : "the table",
                    "is none of the reports that are read");
    } else {
        r->nsys.any = true;
        kind = report_counts(r, kind) ? kind : MLS_REPORT_IGNORED;
    }
    r->nsys.called = name.len == 0
                         ? NULL
                         : &r->gather->tallies[mls_str_contains(name, MLS_S("osrt")) ? MLS_TALLY_OSRT : MLS_TALLY_API];
    memset(r->nsys.there, 0, sizeof r->nsys.there);
    r->nsys.kind = kind;
    r->nsys.line = r->line;
    r->nsys.name[0] = '\0';
    r->nsys.any_row = false;
}

/* The sums of rocprof look alike: what they are of shows in the first one. */
static void find_sums(mls_reports *r, mls_str name)
{
    mls_report_kind kind = r->nsys.any_row ? r->nsys.kind : rocprof_kind(name);
    r->nsys.any_row = true;
    if (kind == r->nsys.kind)
        return;
    r->nsys.seen[MLS_REPORT_KERNELS] = false;
    r->nsys.kind = kind;
    if (kind == MLS_REPORT_CALLS) {
        r->at[MLS_ROLE_CALLS] = r->at[MLS_ROLE_INSTANCES];
        r->nsys.role_of[r->at[MLS_ROLE_CALLS]] = MLS_ROLE_CALLS;
        r->nsys.called = &r->gather->tallies[MLS_TALLY_API];
    } else {
        note_report(r, MLS_FINDING_REPORT_IGNORED, r->nsys.line, "the table", "is none of kernels or calls");
    }
}

static const char no_number[] = "a number of it is none";

/* Reads all numbers of a row, as each may show how the file's numbers are written. */
static void read_numbers(mls_reports *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->nsys.is_number[i]) {
            const mls_str text = {r->window->at + r->fields[i].begin, r->fields[i].len};
            const mls_column_role role = r->nsys.role_of[i];
            r->nsys.there[role] = mls_decimal_parse_local(text, &r->gather->marks, &r->nsys.numbers[role]);
        }
    }
}

/* A number as the locale means it, in nanoseconds, pieces or megabytes; NAN: it is none. */
static double number_in(const mls_reports *r, mls_column_role role)
{
    const mls_decimal *number = &r->nsys.numbers[role];
    const bool size = role == MLS_ROLE_SIZE;
    const double divisor = mls_gather_divisor(r->gather, number->open, size);
    int64_t whole;
    if (!r->nsys.there[role] || (size && number->negative))
        return (double)NAN;
    if (size)
        return mls_decimal_double(number) * r->nsys.megabytes / divisor;
    return mls_decimal_scale(number, r->nsys.power[role], &whole) ? (double)whole / divisor : (double)NAN;
}

/* The row that a report's row adds to; NULL with the reason why there is none. */
static mls_tally_row *summed_row(mls_reports *r, mls_str name, const char **why)
{
    mls_gather *gather = r->gather;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const mls_tally_kind kind = r->nsys.kind == MLS_REPORT_CALLS ? MLS_TALLY_CALLS : MLS_TALLY_RANGES;
    uint32_t number;
    bool full = false;
    mls_tally_row *row = NULL;
    const bool copies = r->nsys.kind == MLS_REPORT_GPU_SUMS && mls_str_starts(name, MLS_S("[CUDA mem"));
    switch (copies ? MLS_REPORT_COPY_TIMES : r->nsys.kind) {
    case MLS_REPORT_COPY_TIMES:
        return &kernels->rows[MLS_ROW_COPY + 2 * mls_copy_operation_of(name)];
    case MLS_REPORT_COPY_SIZES:
        return &gather->sizes[mls_copy_operation_of(name)];
    case MLS_REPORT_GPU_SUMS:
    case MLS_REPORT_KERNELS:
        number = mls_gather_name(gather, name);
        return &kernels->rows[number];
    default:
        row = mls_tally_put(&gather->tallies[kind], name, &full);
    }
    *why = row != NULL ? NULL : "there are more names than can be kept";
    return row;
}

static const char *add_sums(mls_reports *r, mls_str name)
{
    const mls_column_role *needs = reports[r->nsys.kind].needs;
    const char *why = NULL;
    if (isnan(number_in(r, needs[0])) || isnan(number_in(r, needs[1])))
        return no_number;
    mls_tally_row *row = summed_row(r, name, &why);
    if (row != NULL) {
        const double min = number_in(r, MLS_ROLE_MIN);
        const double max = number_in(r, MLS_ROLE_MAX);
        mls_sums_add(&row->sums, number_in(r, needs[1]), number_in(r, needs[0]), isnan(max) ? max : min,
                     isnan(min) ? min : max);
    }
    return why;
}

/* The row of two texts, the first without blanks. */
static mls_tally_row *paired_row(mls_reports *r, mls_tally_kind kind, mls_str first, mls_str second, const char **why)
{
    mls_buffer key = {0};
    bool full = false;
    mls_buffer_append(&key, first);
    mls_buffer_append_text(&key, " ");
    mls_buffer_append(&key, second);
    mls_tally_row *row = mls_tally_put(&r->gather->tallies[kind], mls_buffer_str(&key), &full);
    mls_buffer_release(&key);
    *why = row != NULL ? NULL : "there are more names than can be kept";
    return row;
}

/* Of a mean the fraction of a nanosecond counts, as many launches have it. */
static double mean_in(const mls_reports *r, mls_column_role role)
{
    static const double nanoseconds[] = {1, 1e3, 1e6, 1e9};
    const mls_decimal *mean = &r->nsys.numbers[role];
    return r->nsys.there[role] && !mean->negative ? mls_decimal_double(mean) * nanoseconds[r->nsys.power[role] / 3] /
                                                        mls_gather_divisor(r->gather, mean->open, false)
                                                  : (double)NAN;
}

/* Adds launches of a kernel from means. */
static const char *add_launches(mls_reports *r, mls_str kernel)
{
    mls_gather *gather = r->gather;
    const mls_str api = mls_report_text(r, r->at[MLS_ROLE_API]);
    const char *why;
    if (isnan(mean_in(r, MLS_ROLE_KERNEL_MEAN)) || isnan(number_in(r, MLS_ROLE_COUNT)) ||
        memchr(api.ptr, ' ', api.len) != NULL)
        return no_number;
    mls_tally_row *row = paired_row(r, MLS_TALLY_LAUNCHES, api, kernel, &why);
    const size_t number = row != NULL ? (size_t)(row - gather->tallies[MLS_TALLY_LAUNCHES].rows) : 0;
    if (row != NULL && number == gather->launch_sums.count) {
        MLS_GROW(&gather->launch_sums, items);
        gather->launch_sums.items[gather->launch_sums.count++] = (mls_launch_sums){0};
    }
    if (row != NULL) {
        mls_launch_sums *sums = &gather->launch_sums.items[number];
        const double count = number_in(r, MLS_ROLE_COUNT);
        const double queue = mean_in(r, MLS_ROLE_QUEUE_MEAN) * number_in(r, MLS_ROLE_QUEUED);
        mls_sums_add(&row->sums, count, mean_in(r, MLS_ROLE_KERNEL_MEAN) * count, (double)NAN, (double)NAN);
        sums->api += mean_in(r, MLS_ROLE_API_MEAN) * count;
        sums->queue += isnan(queue) ? 0 : queue; /* of what never waited there is no mean */
    }
    return why;
}

void mls_nsys_end(mls_reports *r)
{
    mls_gather *gather = r->gather;
    const mls_tally *launches = &gather->tallies[MLS_TALLY_LAUNCHES];
    if (r->nsys.seen[MLS_REPORT_KERNELS] || r->nsys.seen[MLS_REPORT_GPU_SUMS] || gather->has_line)
        return;
    for (size_t i = 0; i < launches->count; i++) {
        uint32_t number;
        mls_str api;
        mls_str kernel;
        pair_split(launches->rows[i].name, &api, &kernel);
        number = mls_gather_name(gather, kernel);
        const mls_sums *sums = &launches->rows[i].sums;
        mls_sums_add(&gather->tallies[MLS_TALLY_KERNELS].rows[number].sums, sums->count, sums->total, sums->min,
                     sums->max);
    }
}

/* Adds a rule's finds: of calls by name, of devices by number. */
static const char *add_found(mls_reports *r)
{
    enum { SHOWN = 40 };
    char device[SHOWN + sizeof "device "];
    const char *why;
    const mls_str number = mls_report_text(r, r->at[MLS_ROLE_DEVICE_ID]);
    const mls_str api = mls_report_text(r, r->at[MLS_ROLE_API]);
    if (isnan(number_in(r, MLS_ROLE_LENGTH)))
        return no_number;
    (void)snprintf(device, sizeof device, "device %.*s", (int)(number.len < SHOWN ? number.len : SHOWN), number.ptr);
    mls_tally_row *row = paired_row(r, MLS_TALLY_ANALYSIS, mls_str_from(rule_names[r->nsys.rule]),
                                    api.len > 0 ? api : mls_str_from(device), &why);
    if (row != NULL) {
        const double ns = number_in(r, MLS_ROLE_LENGTH);
        mls_sums_add(&row->sums, 1, ns, ns, ns);
    }
    return why;
}

/* Return a time whose open mark has been decided. */
static int64_t decide_time(mls_gather *gather, int64_t time, char open)
{
    return mls_gather_divisor(gather, open, false) > 1 ? time / 1000 + (time % 1000 >= 500) : time;
}

static const char *add_traced(mls_reports *r, mls_str name)
{
    mls_gather *gather = r->gather;
    const mls_decimal *start = &r->nsys.numbers[MLS_ROLE_START];
    const mls_decimal *length = &r->nsys.numbers[MLS_ROLE_LENGTH];
    const mls_decimal *bytes = &r->nsys.numbers[MLS_ROLE_BYTES];
    mls_activity activity = {.launch = -1};
    if (!r->nsys.there[MLS_ROLE_START] || !r->nsys.there[MLS_ROLE_LENGTH] ||
        !mls_decimal_scale(start, r->nsys.power[MLS_ROLE_START], &activity.start) ||
        !mls_decimal_scale(length, r->nsys.power[MLS_ROLE_LENGTH], &activity.length))
        return no_number;
    if (r->is_rocprof && (start->open != '\0' || length->open != '\0' || activity.length < activity.start))
        return "it ends before it begins";
    activity.length -= r->is_rocprof ? activity.start : 0;
    if (activity.length > INT64_MAX - activity.start)
        return no_number;
    const bool marked = mls_str_starts(name, MLS_S("[CUDA mem"));
    activity.row = marked ? 0 : mls_gather_name(gather, name);
    const size_t class_number = gather->tallies[MLS_TALLY_KERNELS].rows[activity.row].class_number;
    const bool copy = marked || class_number == gather->classes->copy;
    const mls_copy_operation operation = copy ? mls_copy_operation_of(name) : MLS_COPY_OTHER;
    if (copy) {
        const bool pageable = mls_str_equal(mls_report_text(r, r->at[MLS_ROLE_SOURCE]), MLS_S("Pageable")) ||
                              mls_str_equal(mls_report_text(r, r->at[MLS_ROLE_DESTINATION]), MLS_S("Pageable"));
        activity.row = MLS_ROW_COPY + 2 * (uint32_t)operation + pageable;
    }
    activity.start = decide_time(gather, activity.start, start->open);
    activity.length = decide_time(gather, activity.length, length->open);
    mls_str device = mls_report_text(r, r->at[MLS_ROLE_DEVICE]);
    const mls_str number = mls_cut_brackets(&device); /* "NVIDIA H200 (0)" is device 0 */
    const size_t agent = mls_str_starts(device, MLS_S("Agent ")) ? sizeof "Agent " - 1 : 0;
    device = mls_str_rest(device, agent);
    if (!mls_gather_activity(gather, number.len > 0 ? number : device, mls_report_text(r, r->at[MLS_ROLE_STREAM]),
                             activity)) {
        mls_gather_too_much(gather, r->line);
    } else if (copy && r->nsys.there[MLS_ROLE_BYTES] && !bytes->negative) {
        mls_gather_size(gather, operation,
                        mls_decimal_double(bytes) * r->nsys.megabytes / mls_gather_divisor(gather, bytes->open, true));
    }
    return NULL;
}

const char *mls_nsys_row(mls_reports *r)
{
    const size_t named = r->at[reports[r->nsys.kind].needs[2]];
    if (r->count != r->columns)
        return r->count < r->columns ? "it has fewer fields than the heading" : "it has more fields than the heading";
    if (r->fields[named].len == 0)
        return "it has no name";
    if (r->is_rocprof && r->nsys.kind == MLS_REPORT_KERNELS)
        find_sums(r, mls_report_text(r, named));
    if (r->nsys.kind == MLS_REPORT_IGNORED)
        return NULL;
    read_numbers(r);
    if (r->nsys.kind == MLS_REPORT_RULE)
        return add_found(r);
    return (r->nsys.kind == MLS_REPORT_TRACE      ? add_traced
            : r->nsys.kind == MLS_REPORT_LAUNCHES ? add_launches
                                                  : add_sums)(r, mls_report_text(r, named));
}

static int compare_launches(const void *a, const void *b)
{
    const mls_profile_launches *x = a;
    const mls_profile_launches *y = b;
    return x->queue_ms != y->queue_ms ? (x->queue_ms < y->queue_ms ? 1 : -1)
           : x->api_ms != y->api_ms   ? (x->api_ms < y->api_ms ? 1 : -1)
                                      : mls_str_compare(x->name, y->name);
}

static int compare_found(const void *a, const void *b)
{
    const mls_profile_found *x = a;
    const mls_profile_found *y = b;
    const int rule = mls_str_compare(x->rule, y->rule);
    return rule != 0                    ? rule
           : x->total_ms != y->total_ms ? (x->total_ms < y->total_ms ? 1 : -1)
                                        : mls_str_compare(x->name, y->name);
}

static void list_launches(mls_gather *gather)
{
    const mls_tally *tally = &gather->tallies[MLS_TALLY_LAUNCHES];
    mls_profile_launches *items = mls_arena_array(gather->arena, tally->count + 1, sizeof *items);
    gather->profile->launches = items;
    for (size_t i = 0; i < tally->count; i++) {
        const mls_sums *sums = &tally->rows[i].sums;
        const mls_launch_sums *beside = &gather->launch_sums.items[i];
        items[i] = (mls_profile_launches){.count = (uint64_t)sums->count,
                                          .api_ms = beside->api / 1e6,
                                          .queue_ms = beside->queue / 1e6,
                                          .kernel_ms = sums->total / 1e6};
        pair_split(tally->rows[i].name, &items[i].api, &items[i].name);
    }
    gather->profile->launch_count = tally->count;
    qsort(items, tally->count, sizeof *items, compare_launches);
}

static void list_found(mls_gather *gather)
{
    const mls_tally *tally = &gather->tallies[MLS_TALLY_ANALYSIS];
    mls_profile_found *items = mls_arena_array(gather->arena, tally->count + 1, sizeof *items);
    gather->profile->analysis = items;
    for (size_t i = 0; i < tally->count; i++) {
        const mls_sums *sums = &tally->rows[i].sums;
        items[i] = (mls_profile_found){
            .count = (uint64_t)sums->count, .total_ms = sums->total / 1e6, .longest_ms = sums->max / 1e6};
        pair_split(tally->rows[i].name, &items[i].rule, &items[i].name);
    }
    gather->profile->analysis_count = tally->count;
    qsort(items, tally->count, sizeof *items, compare_found);
}

void mls_gather_list_launched(mls_gather *gather)
{
    if (gather->tallies[MLS_TALLY_LAUNCHES].known)
        list_launches(gather);
    if (gather->tallies[MLS_TALLY_ANALYSIS].known)
        list_found(gather);
}
