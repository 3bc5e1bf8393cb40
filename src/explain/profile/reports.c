/* SPDX-License-Identifier: Apache-2.0 */
/* reports.c - read the CSV tables of nsys stats, nsys analyze, rocprof and ncu as a stream.
 *
 * A file may contain several tables, which are recognized by their columns.  The text around them may be anything.
 * Inside a table, a quoted field may contain newlines, so a row may consist of several lines.  If the quotes of a row
 * are never closed, its first line is dropped and the other lines are read again, each as a row: no byte is read more
 * than twice.  The tables of rocprof are read like the reports of nsys with the same content. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "explain/profile/gather.h"

/* The largest number of fields of a row, and of bytes of a row.  A row with more is damaged and is not read. */
enum { FIELDS_MAX = 8192, ROW_MAX = MLS_WINDOW_KEPT };

typedef struct report_field {
    size_t begin, len; /* position in the row and length in bytes, without the quotes around the field */
    bool doubled;      /* quotes inside the field are still written as two quotes */
} report_field;

/* The roles of columns, each with the header of the column.  The roles from ID on are columns of ncu. */
/* clang-format off */
#define ROLE_LIST(F)                                                                                            \
    F(TIME, "Total Time") F(SIZE, "Total") F(INSTANCES, "Instances") F(COUNT, "Count") F(CALLS, "Num Calls")    \
    F(NAME, "Name") F(OPERATION, "Operation") F(RANGE, "Range") F(MIN, "Min") F(MAX, "Max") F(API_MEAN, "AAvg") \
    F(QUEUE_MEAN, "QAvg") F(KERNEL_MEAN, "KAvg") F(START, "Start") F(LENGTH, "Duration") F(DEVICE, "Device")    \
    F(STREAM, "Strm") F(BYTES, "Bytes") F(SOURCE, "SrcMemKd") F(DESTINATION, "DstMemKd") F(QUEUED, "QCount")    \
    F(API, "API Name") F(DEVICE_ID, "Device ID") F(THREAD, "Tid") F(ID, "ID") F(PROCESS, "Process ID")          \
    F(KERNEL, "Kernel Name") F(METRIC, "Metric Name") F(UNIT, "Metric Unit") F(VALUE, "Metric Value")           \
    F(RULE, "Rule Name") F(SCOPE, "Estimated Speedup Type") F(SPEEDUP, "Estimated Speedup")
/* clang-format on */

#define ROLE_CODE(role, header) ROLE_##role,
typedef enum column_role { ROLE_LIST(ROLE_CODE) ROLES } column_role;
#undef ROLE_CODE

/* The position of a missing column. */
enum { ABSENT = FIELDS_MAX };

typedef enum report_kind {
    REPORT_KERNELS,
    REPORT_COPY_TIMES,
    REPORT_GPU_SUMS, /* sums of kernels and copies in one table */
    REPORT_COPY_SIZES,
    REPORT_CALLS,
    REPORT_RANGES,
    REPORT_TRACE,
    REPORT_LAUNCHES,
    REPORT_RULE,
    REPORT_IGNORED,
    REPORT_NONE
} report_kind;

enum { REPORT_NAME_KEPT = 64 };

typedef enum mls_ncu_metric {
    MLS_NCU_COMPUTE,
    MLS_NCU_MEMORY,
    MLS_NCU_DRAM,
    MLS_NCU_CACHE, /* L1 or L2, whichever is busier */
    MLS_NCU_OCCUPANCY,
    MLS_NCU_OCCUPANCY_MOST,
    MLS_NCU_WAVES,
    MLS_NCU_DURATION,
    MLS_NCU_METRICS
} mls_ncu_metric;

/* A launch with counters. */
typedef struct mls_launch {
    uint32_t row;
    unsigned char rank[MLS_NCU_METRICS]; /* 0: not measured; else the rank of the metric that the value is from */
    double value[MLS_NCU_METRICS];       /* in percent, the duration in milliseconds */
} mls_launch;

/* The advice of an ncu rule on a launch. */
typedef struct mls_ncu_advice {
    uint32_t launch, rule; /* the rule's row in MLS_TALLY_RULES */
    uint32_t row;          /* the row of the launch's kernel */
    bool global;           /* the speedup is for the whole kernel, not for a part of the device */
    double speedup;        /* percent */
} mls_ncu_advice;

/* The metrics of ncu by name.  If several names of one mls_ncu_metric are measured, the name with the highest rank is
 * used. */
static const struct {
    const char *name;
    mls_ncu_metric metric;
    unsigned char rank;
} metrics[] = {
    {"Compute (SM) Throughput", MLS_NCU_COMPUTE, 2},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_COMPUTE, 1},
    {"Memory Throughput", MLS_NCU_MEMORY, 2},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_MEMORY, 1},
    {"DRAM Throughput", MLS_NCU_DRAM, 3},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_DRAM, 2},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_DRAM, 1},
    {"L1/TEX Cache Throughput", MLS_NCU_CACHE, 1},
    {"L2 Cache Throughput", MLS_NCU_CACHE, 1},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", MLS_NCU_CACHE, 1},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", MLS_NCU_CACHE, 1},
    {"Achieved Occupancy", MLS_NCU_OCCUPANCY, 2},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", MLS_NCU_OCCUPANCY, 1},
    {"Theoretical Occupancy", MLS_NCU_OCCUPANCY_MOST, 2},
    {"sm__maximum_warps_per_active_cycle_pct", MLS_NCU_OCCUPANCY_MOST, 1},
    {"Waves Per SM", MLS_NCU_WAVES, 2},
    {"launch__waves_per_multiprocessor", MLS_NCU_WAVES, 1},
    {"Duration", MLS_NCU_DURATION, 2},
    {"gpu__time_duration.sum", MLS_NCU_DURATION, 1},
};

/* Columns without a metric.  METRIC_OTHER: a column of numbers, read only to find out the decimal mark of the file.
 * METRIC_NONE: not a column of numbers. */
enum { NCU_NAMES = sizeof metrics / sizeof *metrics, METRIC_OTHER = NCU_NAMES, METRIC_NONE };

typedef struct reports {
    mls_gather *gather;
    mls_window *window;
    size_t line;  /* number of the first line of the row */
    size_t alone; /* each line up to this one is a row of its own */
    report_field fields[FIELDS_MAX];
    size_t count;
    size_t open_at; /* where the field with the open quotes begins */
    bool doubled;
    size_t columns, at[ROLES]; /* number of columns of the header (0: no header yet); position of each role */
    bool is_nsys, is_ncu;      /* the first header shows which tool wrote the file */
    bool is_rocprof;           /* the last header is one of rocprof */
    MLS_LIST_OF(mls_launch) launches;
    MLS_LIST_OF(mls_ncu_advice) advice;
    struct {
        report_kind kind; /* kind of the report that is being read */
        bool any;         /* a report was found */
        bool seen[REPORT_IGNORED];
        size_t sums_line;            /* line of the first table of sums of kernels or copies */
        char name[REPORT_NAME_KEPT]; /* name of the next report; "": not known */
        size_t line;                 /* line of the header */
        double megabytes;            /* factor from the unit of a column of bytes to megabytes */
        mls_tally *called;           /* MLS_TALLY_API or MLS_TALLY_OSRT; NULL: the report has no name that decides */
        /* These arrays are indexed by column or by role.  The last element of an array by role is for all other
         * columns. */
        unsigned char role_of[FIELDS_MAX];
        bool is_number[FIELDS_MAX]; /* the column shows how numbers are written */
        int power[ROLES + 1];       /* power of ten from the unit of the role to nanoseconds */
        mls_decimal numbers[ROLES + 1];
        bool there[ROLES + 1];     /* the row has this number */
        bool any_row;              /* the report has had a row */
        unsigned rule, rules_seen; /* index of the rule of nsys analyze that is being read; one bit for each rule that
                                      has been read */
    } nsys;
    struct {
        bool raw;                            /* page raw: a row for each launch; else a row for each metric */
        bool units_due;                      /* the next row of page raw contains the units */
        unsigned char metric_of[FIELDS_MAX]; /* metric of each column of page raw */
        double factor[NCU_NAMES];            /* factor from the unit of each metric; NAN: unknown unit */
        mls_map launches;                    /* ID and process of a launch to its index */
    } ncu;
} reports;

/* ------------------------------------------------------------------ fields */

/* Return the text of a field, or "" if the row does not have the field. */
static mls_str report_text(reports *r, size_t field)
{
    if (field >= r->count)
        return (mls_str){"", 0};
    report_field *of = &r->fields[field];
    char *text = r->window->at + of->begin;
    if (of->doubled) {
        size_t kept = 0;
        for (size_t i = 0; i < of->len; i++) {
            i += text[i] == '"' && i + 1 < of->len;
            text[kept++] = text[i];
        }
        of->len = kept;
        of->doubled = false;
    }
    return (mls_str){text, of->len};
}

typedef enum row_end { ROW_WHOLE, ROW_OPEN, ROW_BROKEN } row_end;

/* Split the first `len` bytes of a row into fields, from offset `at` on.  `inside`: the offset is inside a quoted
 * field. Return whether the row is complete, ends inside a quoted field, or is damaged. */
static row_end report_split(reports *r, size_t len, size_t at, bool inside)
{
    const char *text = r->window->at;
    for (;;) {
        if (!inside && at < len && text[at] == '"') {
            r->open_at = ++at;
            inside = true;
        }
        const char *stop = memchr(text + at, inside ? '"' : ',', len - at);
        size_t end = stop != NULL ? (size_t)(stop - text) : len;
        if (inside && stop == NULL)
            return ROW_OPEN;
        if (inside && end + 1 < len && text[end + 1] == '"') {
            r->doubled = true;
            at = end + 2;
            continue;
        }
        if ((inside && end + 1 < len && text[end + 1] != ',') || r->count == FIELDS_MAX)
            return ROW_BROKEN;
        const size_t begin = inside ? r->open_at : at;
        r->fields[r->count++] = (report_field){begin, end - begin, r->doubled};
        r->doubled = false;
        end += inside;
        if (end >= len)
            return ROW_WHOLE;
        inside = false;
        at = end + 1;
    }
}

/* Cut brackets off the end of a text such as "Total Time (ns)", and return their contents ("ns"), or "" if the text
 * does not end with brackets. */
static mls_str cut_brackets(mls_str *text)
{
    mls_str inside = {"", 0};
    const char *open = text->len > 0 && text->ptr[text->len - 1] == ')' ? memrchr(text->ptr, '(', text->len) : NULL;
    if (open != NULL) {
        inside = (mls_str){open + 1, text->len - (size_t)(open - text->ptr) - 2};
        text->len = (size_t)(open - text->ptr);
    }
    while (text->len > 0 && text->ptr[text->len - 1] == ' ')
        text->len--;
    return inside;
}

/* Return the power of ten from a unit of time to nanoseconds, or -1 if the text is not a unit of time. */
static int time_power(mls_str unit)
{
    static const char *const units[] = {"ns nsecond", "us usecond", "ms msecond", "s second"};
    for (int i = 0; i < 4 && unit.len > 0; i++)
        if (mls_str_among(unit, units[i]))
            return 3 * i;
    return -1;
}

/* Report that a row or a part of the file (`what`) is not read, and why. */
static void note_report(reports *r, mls_finding_code code, size_t line, const char *what, const char *why)
{
    mls_findings_add(&r->gather->profile->findings, code, (mls_finding_place){.line = line}, "%s %s", what, why);
}

/* -------------------------------------------------------------------- nsys */

/* Split the name of a row of MLS_TALLY_LAUNCHES or MLS_TALLY_ANALYSIS at its first blank. */
static void pair_split(mls_str name, mls_str *first, mls_str *second)
{
    const char *blank = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;
    const size_t len = blank != NULL ? (size_t)(blank - name.ptr) : name.len;
    *first = (mls_str){name.ptr, len};
    *second = blank != NULL ? (mls_str){blank + 1, name.len - len - 1} : (mls_str){"", 0};
}

/* Columns of rocprof and the columns of nsys with the same content. */
static const struct {
    const char *rocprof, *nsys;
} rocprof_columns[] = {
    {"Calls", "Instances"},
    {"TotalDurationNs", "Total Time (ns)"},
    {"MinNs", "Min (ns)"},
    {"MaxNs", "Max (ns)"},
    {"KernelName|Kernel_Name", "Name"},
    {"BeginNs|Start_Timestamp", "Start (ns)"},
    {"EndNs|End_Timestamp", "Duration (ns)"}, /* minus the start */
    {"gpu-id|GPU_ID|Agent_Id", "Device"},
    {"queue-id|Queue_ID|Queue_Id", "Strm"},
    {"tid|TID", ""},                  /* nsys only has the threads of calls */
    {"Function|Counter_Name", "Tid"}, /* a trace of calls; a row for each counter of a kernel */
};

/* Return whether a header has all columns of a list such as "a|b". */
static bool has_columns(mls_str line, const char *columns)
{
    mls_str column;
    bool has = true;
    while (has && mls_list_next(&columns, '|', &column))
        has = mls_str_contains(line, column);
    return has;
}

/* For each kind of report: the columns it must have, a part of its name, and a text for messages. */
static const struct {
    column_role needs[3]; /* for sums: the columns of the sum, the count and the name */
    const char *named, *words;
} report_kinds[REPORT_IGNORED] = {
    [REPORT_KERNELS] = {{ROLE_TIME, ROLE_INSTANCES, ROLE_NAME}, "kern", "sums of kernels"},
    [REPORT_COPY_TIMES] = {{ROLE_TIME, ROLE_COUNT, ROLE_OPERATION}, "mem", "times of copies"},
    [REPORT_GPU_SUMS] = {{ROLE_TIME, ROLE_INSTANCES, ROLE_OPERATION}, "gpu", "sums of the GPU"},
    [REPORT_COPY_SIZES] = {{ROLE_SIZE, ROLE_COUNT, ROLE_OPERATION}, "mem", "sizes of copies"},
    [REPORT_CALLS] = {{ROLE_TIME, ROLE_CALLS, ROLE_NAME}, "", "calls"},
    [REPORT_RANGES] = {{ROLE_TIME, ROLE_INSTANCES, ROLE_RANGE}, "nvtx", "ranges"},
    [REPORT_TRACE] = {{ROLE_START, ROLE_LENGTH, ROLE_NAME}, "gpu", "the timeline"},
    [REPORT_LAUNCHES] = {{ROLE_KERNEL_MEAN, ROLE_COUNT, ROLE_KERNEL}, "exec", "launches"},
    [REPORT_RULE] = {{ROLE_LENGTH, ROLE_START, ROLE_START}, "", "findings of a rule"},
};

/* Names of rules of nsys analyze.  The tables of different rules differ only in the name above them. */
static const char *const rule_names[] = {"cuda_memcpy_sync", "cuda_memcpy_async", "cuda_memset_sync",
                                         "cuda_api_sync",    "gpu_gaps",          "gpu_time_util"};

static bool is_rule(mls_str name, unsigned *rule)
{
    return MLS_NAME_FIND(rule_names, sizeof rule_names / sizeof *rule_names, name, rule);
}

/* End a report.  The calls of a report without a name are added to MLS_TALLY_API if one of them looks like a CUDA call
 * (cudaX or cuX), else to MLS_TALLY_OSRT. */
static void nsys_report_end(reports *r)
{
    mls_tally *calls = &r->gather->tallies[MLS_TALLY_CALLS];
    mls_tally *api = &r->gather->tallies[MLS_TALLY_API];
    mls_tally *to = r->nsys.called;
    const bool ended = r->nsys.kind == REPORT_CALLS;
    r->nsys.kind = REPORT_NONE;
    if (!ended)
        return;
    for (size_t i = 0; i < calls->count && to == NULL; i++) {
        const mls_str call = mls_cuda_call(calls->rows[i].name);
        to = call.len > 0 && *call.ptr >= 'A' && *call.ptr <= 'Z' ? api : NULL;
    }
    to = to != NULL ? to : &r->gather->tallies[MLS_TALLY_OSRT];
    if (to->known) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->nsys.line, to == api ? "API calls" : "calls of the OS runtime",
                    "are ignored: the file already contains them");
        free(calls->rows);
    } else {
        *to = *calls;
        to->known = true;
    }
    *calls = (mls_tally){.map.arena = r->gather->arena};
}

/* The kind of a line, judged by its text alone. */
typedef enum report_line {
    LINE_TEXT,  /* not part of a table */
    LINE_ROW,   /* a row of a table */
    LINE_HEADER /* the header of a table */
} report_line;

static report_line nsys_line(reports *r, mls_str line)
{
    mls_str rest = line;
    const mls_str begin = mls_str_rest(line, line.len > 0 && line.ptr[0] == '"');
    const bool nsys =
        mls_str_any(begin, "Time (%)|Time(%)|Total (|Start (|Duration (|Row#,|PID,TID,", mls_str_starts) &&
        memchr(line.ptr, ',', line.len) != NULL;
    if (r->is_ncu) {
        if (nsys)
            note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, "a report of nsys",
                        "is ignored: it must be in a file of its own");
        return LINE_TEXT;
    }
    /* In a table of single kernels, the columns may be in any order, and columns of counters may be between them. */
    const bool rocprof = (mls_str_starts(begin, MLS_S("Name")) && mls_str_contains(line, MLS_S("TotalDurationNs"))) ||
                         (mls_str_starts(begin, MLS_S("Kind")) && mls_str_contains(line, MLS_S("Start_Timestamp"))) ||
                         has_columns(line, "Kernel_Name|,|Start_Timestamp|End_Timestamp") ||
                         has_columns(line, "KernelName|,|BeginNs|EndNs");
    if (rocprof || nsys) {
        nsys_report_end(r);
        r->is_rocprof = rocprof;
        return LINE_HEADER;
    }
    if (mls_str_word(&rest).len == 0) {
        nsys_report_end(r);
        return LINE_TEXT;
    }
    if (r->nsys.any && mls_str_starts(line, MLS_S("\"ID\",")))
        note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, "counters of ncu",
                    "are ignored: they must be in a file of their own");
    if (mls_str_any(line, "Processing [| ** |SKIPPED:|\"ID\",", mls_str_starts))
        nsys_report_end(r);
    if (r->nsys.kind != REPORT_NONE)
        return r->nsys.kind == REPORT_IGNORED ? LINE_TEXT : LINE_ROW;

    /* The line may contain the name of the next report: "… (cuda_api_sum):" or "… with [/…/cuda_api_sum.py]...". */
    size_t end = line.len;
    while (end > 0 && (line.ptr[end - 1] == ' ' || line.ptr[end - 1] == '.' || line.ptr[end - 1] == ':'))
        end--;
    const bool script = mls_str_ends((mls_str){line.ptr, end}, MLS_S(".py]"));
    const bool title = end > 0 && line.ptr[end - 1] == ')';
    end -= script ? 4 : title;
    size_t from = end;
    while (from > 0 && end - from < REPORT_NAME_KEPT - 1 && line.ptr[from - 1] != '/' && line.ptr[from - 1] != '[' &&
           line.ptr[from - 1] != '(')
        from--;
    const size_t length = script || title ? end - from : 0;
    /* The table of a rule follows a text with the rule's name: keep the name while other text follows. */
    if (length > 0 || !is_rule(mls_str_from(r->nsys.name), &r->nsys.rule) ||
        mls_str_any(line, "SKIPPED:|There were no problems", mls_str_starts)) {
        memcpy(r->nsys.name, line.ptr + from, length);
        r->nsys.name[length] = '\0';
    }
    return LINE_TEXT;
}

/* Find the kind of report that a header begins.  Ignore the report if the file already has one of its kind or a better
 * one. */
static void nsys_header(reports *r)
{
    mls_gather *gather = r->gather;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const mls_str name = mls_str_from(r->nsys.name);
    const bool *seen = r->nsys.seen;
    const bool osrt = mls_str_contains(name, MLS_S("osrt"));
    const bool api = mls_str_contains(name, MLS_S("cuda")) && mls_str_contains(name, MLS_S("api"));
    report_kind kind = 0;
    const char *ignored = NULL;
    for (; kind < REPORT_IGNORED; kind++) {
        bool fits = kind == REPORT_RULE    ? is_rule(name, &r->nsys.rule)
                    : name.len == 0        ? true
                    : kind == REPORT_CALLS ? osrt || api
                                           : mls_str_contains(name, mls_str_from(report_kinds[kind].named));
        for (size_t i = 0; i < 3; i++)
            fits = fits && r->at[report_kinds[kind].needs[i]] != ABSENT;
        if (fits && (kind != REPORT_TRACE ||
                     r->at[ROLE_THREAD] == ABSENT)) /* a trace with a column of threads is one of calls */
            break;
    }
    const bool sums = kind <= REPORT_COPY_SIZES;
    if (kind == REPORT_IGNORED) {
        note_report(r, MLS_FINDING_REPORT_IGNORED, r->line, name.len > 0 ? name.ptr : "the table",
                    "is not a supported report");
    } else {
        bool again = kind != REPORT_CALLS && kind != REPORT_RULE && seen[kind];
        again |= kind == REPORT_GPU_SUMS && (seen[REPORT_KERNELS] || seen[REPORT_COPY_TIMES]);
        again |= (kind == REPORT_KERNELS || kind == REPORT_COPY_TIMES) && seen[REPORT_GPU_SUMS];
        if (kind == REPORT_RULE) {
            again = (r->nsys.rules_seen >> r->nsys.rule & 1) != 0;
            r->nsys.rules_seen |= 1U << r->nsys.rule;
        }
        r->nsys.any = true;
        r->nsys.seen[kind] |= !again;
        ignored = again                      ? "are ignored: the file already contains them"
                  : sums && gather->has_line ? "are ignored: cuda_gpu_trace is more detailed"
                                             : NULL;
    }
    if (ignored != NULL) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->line, report_kinds[kind].words, ignored);
        kind = REPORT_IGNORED;
    } else if (kind == REPORT_TRACE && r->nsys.sums_line > 0) {
        note_report(r, MLS_FINDING_REPORT_REPEATED, r->nsys.sums_line, "sums of kernels or copies",
                    "are ignored: cuda_gpu_trace is more detailed");
        for (size_t i = 0; i < kernels->count; i++)
            mls_row_clear(&kernels->rows[i]);
        memset(gather->sizes, 0, sizeof gather->sizes);
        gather->copies_timed = gather->copies_sized = false;
    }
    if (kind < REPORT_IGNORED && sums && r->nsys.sums_line == 0)
        r->nsys.sums_line = r->line;
    gather->has_line |= kind == REPORT_TRACE;
    gather->copies_timed |= kind == REPORT_COPY_TIMES || kind == REPORT_GPU_SUMS;
    gather->copies_sized |= kind == REPORT_COPY_SIZES;
    gather->tallies[MLS_TALLY_RANGES].known |= kind == REPORT_RANGES;
    gather->tallies[MLS_TALLY_LAUNCHES].known |= kind == REPORT_LAUNCHES;
    gather->tallies[MLS_TALLY_ANALYSIS].known |= kind == REPORT_RULE;
    r->nsys.called = name.len > 0 ? &gather->tallies[osrt ? MLS_TALLY_OSRT : MLS_TALLY_API] : NULL;
    memset(r->nsys.there, 0, sizeof r->nsys.there);
    r->nsys.kind = kind;
    r->nsys.line = r->line;
    r->nsys.name[0] = '\0';
    r->nsys.any_row = false;
}

static const char no_number[] = "it contains an invalid number";
static const char too_many_names[] = "there are too many names";

/* Return the number in the column of a role, in nanoseconds, megabytes or as a count, read with the decimal mark of the
 * file.  Return NAN if the row does not have the number. */
static double number_in(const reports *r, column_role role)
{
    const mls_decimal *number = &r->nsys.numbers[role];
    const bool size = role == ROLE_SIZE;
    const double divisor = mls_gather_divisor(r->gather, number->open, size);
    int64_t whole;
    if (!r->nsys.there[role] || (size && number->negative))
        return (double)NAN;
    if (size)
        return mls_decimal_double(number) * r->nsys.megabytes / divisor;
    return mls_decimal_scale(number, r->nsys.power[role], &whole) ? (double)whole / divisor : (double)NAN;
}

static const char *add_sums(reports *r, mls_str name)
{
    mls_gather *gather = r->gather;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    const column_role *needs = report_kinds[r->nsys.kind].needs;
    const double count = number_in(r, needs[1]);
    const double total = number_in(r, needs[0]);
    const report_kind kind = r->nsys.kind;
    mls_tally_row *row;
    if (isnan(count) || isnan(total))
        return no_number;
    if (kind == REPORT_COPY_TIMES || (kind == REPORT_GPU_SUMS && mls_str_starts(name, MLS_S("[CUDA mem")))) {
        row = &kernels->rows[MLS_ROW_COPY + 2 * mls_copy_operation_of(name)];
    } else if (kind == REPORT_COPY_SIZES) {
        row = &gather->sizes[mls_copy_operation_of(name)];
    } else if (kind == REPORT_GPU_SUMS || kind == REPORT_KERNELS) {
        const uint32_t number = mls_gather_name(gather, name);
        row = &kernels->rows[number];
    } else {
        row = mls_tally_put(&gather->tallies[kind == REPORT_CALLS ? MLS_TALLY_CALLS : MLS_TALLY_RANGES], name);
    }
    if (row == NULL)
        return too_many_names;
    const double min = number_in(r, ROLE_MIN);
    const double max = number_in(r, ROLE_MAX);
    mls_sums_add(&row->sums, count, total, isnan(max) ? max : min, isnan(min) ? min : max);
    return NULL;
}

/* Return the row whose name is the two texts, added if it is new; the first text has no blanks.  Return NULL if there
 * are too many names. */
static mls_tally_row *paired_row(reports *r, mls_tally_kind kind, mls_str first, mls_str second)
{
    mls_buffer key = {0};
    mls_buffer_append(&key, first);
    mls_buffer_append_text(&key, " ");
    mls_buffer_append(&key, second);
    mls_tally_row *row = mls_tally_put(&r->gather->tallies[kind], mls_buffer_str(&key));
    mls_buffer_release(&key);
    return row;
}

/* Return a mean in nanoseconds with its fraction, because it is multiplied by the number of launches. */
static double mean_in(const reports *r, column_role role)
{
    static const double nanoseconds[] = {1, 1e3, 1e6, 1e9};
    const mls_decimal *mean = &r->nsys.numbers[role];
    return r->nsys.there[role] && !mean->negative ? mls_decimal_double(mean) * nanoseconds[r->nsys.power[role] / 3] /
                                                        mls_gather_divisor(r->gather, mean->open, false)
                                                  : (double)NAN;
}

/* Add the launches of a kernel from a row of means.  Return NULL, or why the row is not read. */
static const char *add_launches(reports *r, mls_str kernel)
{
    const mls_str api = report_text(r, r->at[ROLE_API]);
    const double kernel_mean = mean_in(r, ROLE_KERNEL_MEAN);
    const double count = number_in(r, ROLE_COUNT);
    if (isnan(kernel_mean) || isnan(count) || memchr(api.ptr, ' ', api.len) != NULL)
        return no_number;
    mls_tally_row *row = paired_row(r, MLS_TALLY_LAUNCHES, api, kernel);
    if (row == NULL)
        return too_many_names;
    const double queue = mean_in(r, ROLE_QUEUE_MEAN) * number_in(r, ROLE_QUEUED);
    mls_sums_add(&row->sums, count, kernel_mean * count, (double)NAN, (double)NAN);
    row->api_ns += mean_in(r, ROLE_API_MEAN) * count;
    row->queue_ns += isnan(queue) ? 0 : queue; /* the cell is empty if no launch waited in the queue */
    return NULL;
}

/* Return a time in nanoseconds, divided by 1000 if its ambiguous mark `open` turned out to be a decimal mark. */
static int64_t decide_time(mls_gather *gather, int64_t time, char open)
{
    return mls_gather_divisor(gather, open, false) > 1 ? time / 1000 + (time % 1000 >= 500) : time;
}

static const char *add_traced(reports *r, mls_str name)
{
    mls_gather *gather = r->gather;
    const mls_decimal *start = &r->nsys.numbers[ROLE_START];
    const mls_decimal *length = &r->nsys.numbers[ROLE_LENGTH];
    const mls_decimal *bytes = &r->nsys.numbers[ROLE_BYTES];
    mls_activity activity = {.launch = -1};
    if (!r->nsys.there[ROLE_START] || !r->nsys.there[ROLE_LENGTH] ||
        !mls_decimal_scale(start, r->nsys.power[ROLE_START], &activity.start) ||
        !mls_decimal_scale(length, r->nsys.power[ROLE_LENGTH], &activity.length))
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
        const bool pageable = mls_str_equal(report_text(r, r->at[ROLE_SOURCE]), MLS_S("Pageable")) ||
                              mls_str_equal(report_text(r, r->at[ROLE_DESTINATION]), MLS_S("Pageable"));
        activity.row = MLS_ROW_COPY + 2 * (uint32_t)operation + pageable;
    }
    activity.start = decide_time(gather, activity.start, start->open);
    activity.length = decide_time(gather, activity.length, length->open);
    mls_str device = report_text(r, r->at[ROLE_DEVICE]);
    const mls_str number = cut_brackets(&device); /* "NVIDIA H200 (0)" is device 0 */
    const size_t agent = mls_str_starts(device, MLS_S("Agent ")) ? sizeof "Agent " - 1 : 0;
    device = mls_str_rest(device, agent);
    if (!mls_gather_activity(gather, number.len > 0 ? number : device, report_text(r, r->at[ROLE_STREAM]), activity)) {
        mls_gather_too_much(gather, r->line);
    } else if (copy && r->nsys.there[ROLE_BYTES] && !bytes->negative) {
        const double megabytes =
            mls_decimal_double(bytes) * r->nsys.megabytes / mls_gather_divisor(gather, bytes->open, true);
        mls_sums_add(&gather->sizes[operation].sums, 1, megabytes, (double)NAN, (double)NAN);
    }
    return NULL;
}

static const char *nsys_row(reports *r)
{
    const size_t named = r->at[report_kinds[r->nsys.kind].needs[2]];
    if (r->count != r->columns)
        return r->count < r->columns ? "it has fewer fields than the header" : "it has more fields than the header";
    if (r->fields[named].len == 0)
        return "it has no name";
    if (r->is_rocprof && r->nsys.kind == REPORT_KERNELS && !r->nsys.any_row) {
        /* The first name of a rocprof table shows whether its sums are of kernels, of calls, or of something else. */
        const mls_str name = report_text(r, named);
        r->nsys.any_row = true;
        if (mls_str_any(name, "KERNEL_|HIP_|HSA_|MEMORY_|MARKER_|SCRATCH_|RCCL_API|CopyHost|CopyDevice",
                        mls_str_starts)) {
            r->nsys.seen[REPORT_KERNELS] = false;
            r->nsys.kind = REPORT_IGNORED;
            note_report(r, MLS_FINDING_REPORT_IGNORED, r->nsys.line, "the table", "contains neither kernels nor calls");
            return NULL;
        }
        if (mls_str_any(name, "hip|hsa_", mls_str_starts) && mls_cuda_call(name).len > 0) {
            r->nsys.seen[REPORT_KERNELS] = false;
            r->nsys.kind = REPORT_CALLS;
            r->at[ROLE_CALLS] = r->at[ROLE_INSTANCES];
            r->nsys.role_of[r->at[ROLE_CALLS]] = ROLE_CALLS;
            r->nsys.called = &r->gather->tallies[MLS_TALLY_API];
        }
    }
    /* Read all numbers, because each may show the decimal mark of the file. */
    for (size_t i = 0; i < r->count; i++) {
        if (r->nsys.is_number[i]) {
            const mls_str text = {r->window->at + r->fields[i].begin, r->fields[i].len};
            const column_role role = r->nsys.role_of[i];
            r->nsys.there[role] = mls_decimal_parse_local(text, &r->gather->marks, &r->nsys.numbers[role]);
        }
    }
    if (r->nsys.kind == REPORT_RULE) {
        /* Add the result of a rule of nsys analyze for a call or a device. */
        enum { SHOWN = 40 };
        char device[SHOWN + sizeof "device "];
        const mls_str number = report_text(r, r->at[ROLE_DEVICE_ID]);
        const mls_str api = report_text(r, r->at[ROLE_API]);
        const double ns = number_in(r, ROLE_LENGTH);
        (void)snprintf(device, sizeof device, "device %.*s", (int)(number.len < SHOWN ? number.len : SHOWN),
                       number.ptr);
        if (isnan(ns))
            return no_number;
        mls_tally_row *row = paired_row(r, MLS_TALLY_ANALYSIS, mls_str_from(rule_names[r->nsys.rule]),
                                        api.len > 0 ? api : mls_str_from(device));
        if (row != NULL)
            mls_sums_add(&row->sums, 1, ns, ns, ns);
        return row != NULL ? NULL : too_many_names;
    }
    return (r->nsys.kind == REPORT_TRACE      ? add_traced
            : r->nsys.kind == REPORT_LAUNCHES ? add_launches
                                              : add_sums)(r, report_text(r, named));
}

/* --------------------------------------------------------------------- ncu */

static unsigned char find_metric(mls_str name)
{
    unsigned metric = NCU_NAMES;
    (void)MLS_NAME_FIND(metrics, NCU_NAMES, name, &metric);
    return (unsigned char)metric;
}

/* Return the factor from the unit of a metric to milliseconds, or 1 for percent and counts; NAN: unknown unit. */
static double factor_of(unsigned char metric, mls_str unit)
{
    static const double milliseconds[] = {1e-6, 1e-3, 1, 1e3};
    const int power = time_power(unit);
    if (metric >= NCU_NAMES || metrics[metric].metric != MLS_NCU_DURATION) {
        const bool counted = metric < NCU_NAMES && metrics[metric].metric == MLS_NCU_WAVES;
        return counted || mls_str_equal(unit, MLS_S("%")) ? 1 : (double)NAN;
    }
    return power >= 0 ? milliseconds[power / 3] : (double)NAN;
}

/* Store a measured number in the launch.  The number is read even if the metric is not needed, because it may show the
 * decimal mark of the file. */
static void take_metric(reports *r, mls_launch *launch, unsigned char metric, double factor, mls_str text)
{
    mls_decimal number;
    if (!mls_decimal_parse_local(text, &r->gather->marks, &number) || metric >= NCU_NAMES || !isfinite(factor) ||
        number.negative)
        return;
    const mls_ncu_metric kind = metrics[metric].metric;
    const double value =
        mls_decimal_double(&number) * factor / mls_gather_divisor(r->gather, number.open, kind != MLS_NCU_DURATION);
    const bool busier = kind == MLS_NCU_CACHE && value > launch->value[kind];
    if (launch->rank[kind] < metrics[metric].rank || busier) {
        launch->rank[kind] = metrics[metric].rank;
        launch->value[kind] = value;
    }
}

static const char *ncu_row(reports *r)
{
    enum { KEY_MAX = 100 };
    mls_gather *gather = r->gather;
    const mls_str id = report_text(r, r->at[ROLE_ID]);
    const size_t named = r->at[ROLE_KERNEL];
    const size_t last = r->ncu.raw ? r->columns - 1 : r->at[ROLE_VALUE];
    const bool units = r->ncu.units_due && r->count == r->columns && id.len == 0;
    r->ncu.units_due = false;
    for (size_t i = 0; i < r->count && units; i++) {
        const unsigned char metric = r->ncu.metric_of[i];
        if (metric < NCU_NAMES)
            r->ncu.factor[metric] = factor_of(metric, report_text(r, i));
    }
    if (units)
        return NULL;
    if (named == ABSENT || last == ABSENT)
        return "the header has no column of kernels or values";
    if (r->count <= last || r->count <= named || r->count > r->columns + 1)
        return r->count <= r->columns ? "it has fewer fields than the header" : "it has more fields than the header";

    /* Find the launch that the row describes. */
    const mls_str process = report_text(r, r->at[ROLE_PROCESS]);
    const mls_str kernel = report_text(r, named);
    char key[KEY_MAX];
    bool added;
    if (id.len == 0)
        return "it has no ID";
    if (id.len + process.len + 1 > KEY_MAX || kernel.len == 0)
        return "it has no kernel, or an invalid ID";
    memcpy(key, id.ptr, id.len);
    key[id.len] = ' ';
    memcpy(key + id.len + 1, process.ptr, process.len);
    const mls_map_entry *entry = mls_map_put(&r->ncu.launches, (mls_str){key, id.len + 1 + process.len}, &added);
    if (added) {
        MLS_GROW(&r->launches, items);
        r->launches.items[r->launches.count++] = (mls_launch){.row = mls_gather_name(gather, kernel)};
    }
    const size_t number = (size_t)(entry - r->ncu.launches.entries);
    mls_launch *launch = &r->launches.items[number];
    if (r->ncu.raw) {
        for (size_t i = 0; i < r->count && i < r->columns; i++) {
            const unsigned char metric = r->ncu.metric_of[i];
            if (metric != METRIC_NONE)
                take_metric(r, launch, metric, metric < NCU_NAMES ? r->ncu.factor[metric] : 1, report_text(r, i));
        }
        return NULL;
    }
    const unsigned char metric = find_metric(report_text(r, r->at[ROLE_METRIC]));
    const double factor = factor_of(metric, report_text(r, r->at[ROLE_UNIT]));
    take_metric(r, launch, metric, factor, report_text(r, r->at[ROLE_VALUE]));

    /* Keep a rule with an estimated speedup as advice. */
    mls_tally *rules = &gather->tallies[MLS_TALLY_RULES];
    mls_marks marks = gather->marks;
    mls_decimal speedup;
    const mls_str rule = report_text(r, r->at[ROLE_RULE]);
    if (rule.len == 0 || !mls_decimal_parse_local(report_text(r, r->at[ROLE_SPEEDUP]), &marks, &speedup) ||
        speedup.negative)
        return NULL;
    const mls_tally_row *row = mls_tally_put(rules, rule);
    if (row != NULL) {
        MLS_GROW(&r->advice, items);
        r->advice.items[r->advice.count++] =
            (mls_ncu_advice){.launch = (uint32_t)number,
                             .row = launch->row,
                             .rule = (uint32_t)(row - rules->rows),
                             .global = mls_str_equal(report_text(r, r->at[ROLE_SCOPE]), MLS_S("global")),
                             .speedup = mls_decimal_double(&speedup) / mls_gather_divisor(gather, speedup.open, true)};
    }
    return NULL;
}

/* ------------------------------------------------------------------- lines */

static void read_header(reports *r)
{
#define ROLE_NAME(role, header) header,
    static const char *const role_names[ROLES] = {ROLE_LIST(ROLE_NAME)};
#undef ROLE_NAME
    static const struct {
        const char *unit;
        double megabytes;
    } units[] = {{"MB", 1},         {"B", 1e-6},       {"KB", 1e-3},         {"GB", 1e3},
                 {"KiB", 1.024e-3}, {"MiB", 1.048576}, {"GiB", 1073.741824}, {"bytes", 1e-6}};
    /* Columns of ncu's page raw that are not metrics.  The compute capability has a point in every locale. */
    static const char identity[] = "Process Name|Host Name|Context|Stream|Block Size|Grid Size|Device|CC";
    r->columns = r->count;
    for (column_role role = 0; role < ROLES; role++)
        r->at[role] = ABSENT;
    for (size_t i = 0; i < r->count; i++) {
        mls_str header = report_text(r, i);
        for (size_t k = 0; k < sizeof rocprof_columns / sizeof *rocprof_columns && r->is_rocprof; k++)
            if (mls_str_any(header, rocprof_columns[k].rocprof, mls_str_equal)) {
                header = mls_str_from(rocprof_columns[k].nsys);
                break;
            }
        mls_str name = header;
        const mls_str unit = cut_brackets(&name);
        column_role role = 0; /* of several columns with the same name, the first is used */
        while (role < ROLES && (r->at[role] != ABSENT || !mls_str_alike(mls_str_from(role_names[role]), name)))
            role++;
        if (role < ROLES)
            r->at[role] = i;
        if (r->is_ncu) {
            const bool other = (role >= ROLE_ID && role < ROLES) || mls_str_any(header, identity, mls_str_equal);
            r->ncu.metric_of[i] = other ? METRIC_NONE : find_metric(header);
            continue;
        }
        /* A time or size in an unknown unit is not read. */
        const int power = time_power(unit);
        double megabytes = unit.len > 0 ? (double)NAN : 1;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            megabytes = mls_str_equal(unit, mls_str_from(units[k].unit)) ? units[k].megabytes : megabytes;
        const bool size = role == ROLE_SIZE || role == ROLE_BYTES;
        const bool time = role == ROLE_TIME || (role >= ROLE_MIN && role <= ROLE_LENGTH);
        if ((size && isnan(megabytes)) || (time && unit.len > 0 && power < 0)) {
            r->at[role] = ABSENT;
            role = ROLES;
        } else if (size) {
            r->nsys.megabytes = megabytes;
        }
        r->nsys.is_number[i] =
            unit.len > 0 || role == ROLE_INSTANCES || role == ROLE_COUNT || role == ROLE_CALLS || role == ROLE_QUEUED;
        r->nsys.role_of[i] = (unsigned char)role;
        r->nsys.power[role] = power > 0 ? power : 0;
    }
    if (!r->is_ncu) {
        nsys_header(r);
        return;
    }
    for (size_t i = 0; i < NCU_NAMES; i++)
        r->ncu.factor[i] = metrics[i].metric == MLS_NCU_DURATION ? (double)NAN : 1;
    r->ncu.raw = r->ncu.units_due = r->at[ROLE_METRIC] == ABSENT;
}

/* Find the end of the line that begins `from` bytes after the begin of the row.  Set *end to the offset of the end, and
 * *len to the same without a "\r".  Return NULL, or why the line is not read. */
static const char *find_end(mls_window *window, size_t from, size_t *end, size_t *len)
{
    mls_str line;
    while (!mls_window_line(window, from, &line) && !window->input->ended && from + line.len <= ROW_MAX)
        mls_window_fill(window);
    *end = from + line.len;
    *len = *end - mls_str_ends(line, MLS_S("\r"));
    return *end > ROW_MAX ? "it is longer than 1 MiB" : NULL;
}

/* Read one line, or a row that consists of several lines. */
static void read_line(reports *r)
{
    size_t end;
    size_t len;
    size_t lines = 1;
    const char *why = find_end(r->window, 0, &end, &len);
    const mls_str line = {r->window->at, len};
    r->line++;
    /* The first header decides whether the file is of nsys or of ncu. */
    report_line kind = nsys_line(r, line);
    r->is_nsys |= kind == LINE_HEADER;
    if (!r->is_nsys) {
        kind = mls_str_starts(line, MLS_S("\"ID\","))                 ? LINE_HEADER
               : r->columns > 0 && line.len > 0 && line.ptr[0] == '"' ? LINE_ROW
                                                                      : LINE_TEXT;
        r->is_ncu |= kind == LINE_HEADER;
    }
    const bool too_long = why != NULL;
    if (kind != LINE_TEXT && !too_long) {
        const size_t first = end;
        r->count = 0;
        r->doubled = false;
        row_end state = report_split(r, len, 0, false);
        while (state == ROW_OPEN && r->line > r->alone && r->window->at + end < r->window->end) {
            const size_t from = end + 1;
            why = find_end(r->window, from, &end, &len);
            state = why == NULL ? report_split(r, len, from, true) : ROW_BROKEN;
            lines++;
        }
        if (state == ROW_WHOLE && kind == LINE_HEADER) {
            read_header(r);
        } else if (state == ROW_WHOLE) {
            why = (r->is_ncu ? ncu_row : nsys_row)(r);
        } else {
            /* Drop the first line only, and read the others again. */
            r->alone = r->line + lines - 1 > r->alone ? r->line + lines - 1 : r->alone;
            end = first;
            lines = 1;
            why = "its quotes are not closed";
        }
    }
    if (kind != LINE_TEXT && why != NULL) {
        mls_findings_add_as(&r->gather->profile->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.line = r->line}, "the row was skipped: %s", why);
    }
    r->line += lines - 1;
    mls_str rest = {NULL, end};
    bool newline = r->window->at + end < r->window->end;
    while (too_long && !(newline = mls_window_line(r->window, 0, &rest)) && !r->window->input->ended) {
        r->window->at = r->window->end;
        mls_window_fill(r->window);
    }
    r->window->at += rest.len + newline;
}

/* ---------------------------------------------------- counters and launches */

/* Thresholds of the rule SOLBottleneck of Nsight Compute, in percent of the peak throughput. */
enum { LATENCY_BELOW = 60, NEAR_PEAK_FROM = 80, BALANCED_BELOW = 10 };

/* Sums of one metric over the launches of one kernel for which it was measured. */
typedef struct metric_sums {
    uint64_t launches, timed;
    double plain, weighted, duration;
} metric_sums;

/* The sums of all metrics of one kernel, over the launches for which both throughputs (compute, memory) were measured.
 */
typedef metric_sums kernel_sums[MLS_NCU_DURATION];

const char *const mls_profile_bound_names[MLS_BOUND_COUNT] = {"compute", "memory", "balanced", "latency", "unknown"};

/* Return the mean of a metric, weighted by duration if all durations are known.  Return NAN if it was not measured. */
static double metric_mean(const metric_sums *sums)
{
    return sums->timed == sums->launches && sums->launches > 1 && sums->duration > 0
               ? sums->weighted / sums->duration
               : sums->plain / (double)sums->launches;
}

static int compare_counters(const void *a, const void *b)
{
    const mls_profile_counter *x = a;
    const mls_profile_counter *y = b;
    const double left = isfinite(x->duration_ms) ? x->duration_ms : -1;
    const double right = isfinite(y->duration_ms) ? y->duration_ms : -1;
    return left != right ? (left < right ? 1 : -1) : mls_str_compare(x->name, y->name);
}

/* List the kernels with counters. */
static void list_counters(reports *r)
{
    mls_gather *gather = r->gather;
    mls_profile *profile = gather->profile;
    mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    kernel_sums *sums = mls_calloc(kernels->count, sizeof *sums);
    size_t missing = 0;
    for (size_t i = 0; i < r->launches.count; i++) {
        const mls_launch *launch = &r->launches.items[i];
        const bool timed = launch->rank[MLS_NCU_DURATION] > 0;
        const double duration = timed ? launch->value[MLS_NCU_DURATION] : 0;
        const double ns = timed && duration < 9e12 ? floor(duration * 1e6 + 0.5) : (double)NAN;
        mls_sums_add(&kernels->rows[launch->row].sums, 1, isnan(ns) ? 0 : ns, ns, ns);
        if (launch->rank[MLS_NCU_COMPUTE] == 0 ||
            (launch->rank[MLS_NCU_MEMORY] == 0 && launch->rank[MLS_NCU_DRAM] == 0 &&
             launch->rank[MLS_NCU_CACHE] == 0)) {
            missing++;
            continue;
        }
        for (size_t k = 0; k < MLS_NCU_DURATION; k++) {
            metric_sums *of = &sums[launch->row][k];
            if (launch->rank[k] > 0) {
                of->launches++;
                of->timed += timed;
                of->plain += launch->value[k];
                of->weighted += launch->value[k] * duration;
                of->duration += duration;
            }
        }
    }

    profile->has_counters = true;
    profile->counters = mls_arena_array(gather->arena, kernels->count, sizeof *profile->counters);
    for (size_t i = MLS_ROW_NAME; i < kernels->count; i++) {
        const metric_sums *both = &sums[i][MLS_NCU_COMPUTE];
        if (both->launches == 0)
            continue;
        const double compute = metric_mean(both);
        const double dram = metric_mean(&sums[i][MLS_NCU_DRAM]);
        const double whole = metric_mean(&sums[i][MLS_NCU_MEMORY]);
        const bool at_least = sums[i][MLS_NCU_MEMORY].launches < both->launches;
        const double memory = at_least ? fmax(fmax(dram, metric_mean(&sums[i][MLS_NCU_CACHE])), whole) : whole;
        const double waves = metric_mean(&sums[i][MLS_NCU_WAVES]);
        /* If only a lower bound of the memory throughput is known, the kernel is bound by memory only if this lower
         * bound shows it. */
        const bool by_memory = memory >= LATENCY_BELOW && memory - compute >= BALANCED_BELOW;
        profile->counters[profile->counter_count++] = (mls_profile_counter){
            .name = kernels->rows[i].name,
            .class_name = gather->classes->names[kernels->rows[i].class_number],
            .launches = both->launches,
            .duration_ms = both->timed == both->launches ? both->duration : (double)NAN,
            .compute_percent = compute,
            .memory_percent = memory,
            .dram_percent = dram,
            .memory_at_least = at_least,
            .occupancy_percent = metric_mean(&sums[i][MLS_NCU_OCCUPANCY]),
            .occupancy_most_percent = metric_mean(&sums[i][MLS_NCU_OCCUPANCY_MOST]),
            .waves = waves,
            .tail_share = waves > 0 ? 1 - waves / ceil(waves) : (double)NAN,
            .bound = at_least ? (by_memory ? MLS_BOUND_MEMORY : MLS_BOUND_UNKNOWN)
                     : compute < LATENCY_BELOW && memory < LATENCY_BELOW ? MLS_BOUND_LATENCY
                     : fabs(compute - memory) < BALANCED_BELOW           ? MLS_BOUND_BALANCED
                     : compute > memory                                  ? MLS_BOUND_COMPUTE
                                                                         : MLS_BOUND_MEMORY,
            .near_peak = fmax(compute, memory) >= NEAR_PEAK_FROM,
        };
    }
    qsort(profile->counters, profile->counter_count, sizeof *profile->counters, compare_counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_map_entry *entry = mls_map_find(&kernels->map, profile->counters[i].name);
        kernels->rows[entry->value.number].counter = &profile->counters[i];
    }
    free(sums);

    /* The share of each bound in the time, or in the number of launches if a duration is unknown. */
    mls_profile_bounded of[MLS_BOUND_COUNT] = {0};
    double total = 0;
    profile->bounds_by_time =
        profile->counter_count == 0 || isfinite(profile->counters[profile->counter_count - 1].duration_ms);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const mls_profile_counter *counter = &profile->counters[i];
        const double weight = profile->bounds_by_time ? counter->duration_ms : (double)counter->launches;
        of[counter->bound].launches += counter->launches;
        of[counter->bound].share += weight;
        total += weight;
    }
    for (mls_profile_bound i = 0; i < MLS_BOUND_COUNT; i++) {
        if (of[i].launches > 0) {
            profile->bounds[profile->bound_count++] =
                (mls_profile_bounded){i, of[i].launches, total > 0 ? of[i].share / total : (double)NAN};
        }
    }
    if (missing > 0) {
        mls_findings_add(&profile->findings, MLS_FINDING_COUNTERS_MISSING, (mls_finding_place){0},
                         "%zu of %zu launches have no throughput of compute or of memory", missing, r->launches.count);
    }
}

/* Order by kernel, then by rule.  Return 0 if both are advice of the same rule on the same kernel. */
static int compare_rules(const mls_ncu_advice *x, const mls_ncu_advice *y)
{
    const int64_t order = x->row != y->row     ? (int64_t)x->row - y->row
                          : x->rule != y->rule ? (int64_t)x->rule - y->rule
                                               : (int64_t)x->global - y->global;
    return (order > 0) - (order < 0);
}

static int compare_advice(const void *a, const void *b)
{
    const mls_ncu_advice *x = a;
    const mls_ncu_advice *y = b;
    const int order = compare_rules(x, y);
    return order != 0 ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

/* Order advice on whole kernels first: only its gains can be compared. */
static int compare_gains(const void *a, const void *b)
{
    const mls_profile_advice *x = a;
    const mls_profile_advice *y = b;
    const double left = x->global && isfinite(x->gain_ms) ? x->gain_ms : -1;
    const double right = y->global && isfinite(y->gain_ms) ? y->gain_ms : -1;
    const double most = y->speedup_percent - x->speedup_percent;
    return x->global != y->global ? (x->global ? -1 : 1)
           : left != right        ? (left < right ? 1 : -1)
           : most != 0            ? (most > 0 ? 1 : -1)
                                  : mls_str_compare(x->name, y->name);
}

static void list_advice(reports *r)
{
    mls_gather *gather = r->gather;
    const mls_tally *kernels = &gather->tallies[MLS_TALLY_KERNELS];
    mls_profile *profile = gather->profile;
    mls_ncu_advice *items = r->advice.items;
    const size_t count = r->advice.count;
    mls_profile_advice *to = mls_arena_array(gather->arena, count + 1, sizeof *to);
    profile->advice = to;
    if (count > 0)
        qsort(items, count, sizeof *items, compare_advice);
    for (size_t i = 0; i < count; i++) {
        const mls_launch *launch = &r->launches.items[items[i].launch];
        if (i == 0 || compare_rules(&items[i - 1], &items[i]) != 0) {
            const mls_kernel_classes *classes = gather->classes;
            const mls_str rule = gather->tallies[MLS_TALLY_RULES].rows[items[i].rule].name;
            unsigned k;
            const bool known = MLS_NAME_FIND(classes->ncu_rules, classes->ncu_rule_count, rule, &k);
            to = &profile->advice[profile->advice_count++];
            *to = (mls_profile_advice){.name = kernels->rows[items[i].row].name,
                                       .rule = rule,
                                       .words = known ? classes->ncu_rules[k].words : "",
                                       .global = items[i].global};
        }
        double most = items[i].speedup; /* a rule may report several speedups of a launch */
        while (i + 1 < count && compare_advice(&items[i], &items[i + 1]) == 0)
            most = fmax(most, items[++i].speedup);
        const double duration = launch->rank[MLS_NCU_DURATION] > 0 ? launch->value[MLS_NCU_DURATION] : (double)NAN;
        to->launches++;
        to->duration_ms += duration;
        to->gain_ms += duration * most / 100;
        to->speedup_percent += most;
    }
    for (size_t i = 0; i < profile->advice_count; i++) {
        to = &profile->advice[i];
        to->speedup_percent =
            to->duration_ms > 0 ? 100 * to->gain_ms / to->duration_ms : to->speedup_percent / (double)to->launches;
        to->gain_ms = to->global ? mls_number_round(to->gain_ms, 9) : (double)NAN;
    }
    qsort(profile->advice, profile->advice_count, sizeof *profile->advice, compare_gains);
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

mls_status mls_reports_read(mls_gather *gather, mls_window *window, mls_error *error)
{
    mls_profile *profile = gather->profile;
    const mls_tally *launches = &gather->tallies[MLS_TALLY_LAUNCHES];
    reports *r = mls_calloc(1, sizeof *r);
    mls_status status = MLS_OK;
    r->gather = gather;
    r->window = window;
    r->nsys.kind = REPORT_NONE;
    r->ncu.launches.arena = gather->arena;
    while (window->at < window->end || !window->input->ended)
        if (window->at < window->end)
            read_line(r);
        else
            mls_window_fill(window);
    nsys_report_end(r);
    if (!r->nsys.seen[REPORT_KERNELS] && !r->nsys.seen[REPORT_GPU_SUMS] && !gather->has_line) {
        /* The input has a table of launches but no sums of kernels: list the kernels of the launches. */
        for (size_t i = 0; i < launches->count; i++) {
            mls_str api;
            mls_str kernel;
            pair_split(launches->rows[i].name, &api, &kernel);
            const uint32_t number = mls_gather_name(gather, kernel);
            const mls_sums *sums = &launches->rows[i].sums;
            mls_sums_add(&gather->tallies[MLS_TALLY_KERNELS].rows[number].sums, sums->count, sums->total, sums->min,
                         sums->max);
        }
    }
    profile->complete = window->input->trouble.wrong == NULL;
    profile->kind = r->is_ncu          ? MLS_PROFILE_NCU
                    : r->is_rocprof    ? (gather->has_line ? MLS_PROFILE_ROCPROF_TRACE : MLS_PROFILE_ROCPROF_STATS)
                    : gather->has_line ? MLS_PROFILE_NSYS_TRACE
                                       : MLS_PROFILE_NSYS_STATS;
    if (r->is_ncu ? r->columns == 0 : !r->nsys.any) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                               r->is_rocprof ? "has no table of kernels: use rocprof --stats, or rocprofv3 "
                                               "--kernel-trace --stats --output-format csv"
                               : r->is_nsys  ? "has no supported report of nsys, such as cuda_gpu_kern_sum or "
                                               "cuda_gpu_trace (see mlscore-profile(1))"
                                            : "is not a PyTorch trace or CSV output of nsys stats, ncu or rocprof; for "
                                              "logs of nvidia-smi, dcgmi, amd-smi and rocm-smi, use mlscore telemetry");
    } else if (!profile->complete) {
        mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED, (mls_finding_place){.line = r->line},
                         "the reports could only be read up to here: %s", window->input->trouble.wrong);
    }
    if (r->is_ncu) {
        list_counters(r);
        list_advice(r);
    }
    if (launches->known) {
        mls_profile_launches *items = mls_arena_array(gather->arena, launches->count + 1, sizeof *items);
        for (size_t i = 0; i < launches->count; i++) {
            const mls_tally_row *row = &launches->rows[i];
            items[i] = (mls_profile_launches){.count = (uint64_t)row->sums.count,
                                              .api_ms = row->api_ns / 1e6,
                                              .queue_ms = row->queue_ns / 1e6,
                                              .kernel_ms = row->sums.total / 1e6};
            pair_split(row->name, &items[i].api, &items[i].name);
        }
        profile->launches = items;
        profile->launch_count = launches->count;
        qsort(items, launches->count, sizeof *items, compare_launches);
    }
    const mls_tally *analysis = &gather->tallies[MLS_TALLY_ANALYSIS];
    if (analysis->known) {
        mls_profile_found *items = mls_arena_array(gather->arena, analysis->count + 1, sizeof *items);
        for (size_t i = 0; i < analysis->count; i++) {
            const mls_sums *sums = &analysis->rows[i].sums;
            items[i] = (mls_profile_found){
                .count = (uint64_t)sums->count, .total_ms = sums->total / 1e6, .longest_ms = sums->max / 1e6};
            pair_split(analysis->rows[i].name, &items[i].rule, &items[i].name);
        }
        profile->analysis = items;
        profile->analysis_count = analysis->count;
        qsort(items, analysis->count, sizeof *items, compare_found);
    }
    free(r->launches.items);
    free(r->advice.items);
    free(r);
    return status;
}
