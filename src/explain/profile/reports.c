/* SPDX-License-Identifier: Apache-2.0 */
/* reports.c - lines and rows of the reports of nsys and ncu, as a stream.
 *
 * Around the tables stands anything, with quotes that are never closed.  Inside of a table a quoted field may hold line
 * endings, so a row can be several lines; one that does not end well is dropped with its first line, and the others
 * that it took are read again, each by itself: no byte is looked at more than twice. */
#include "explain/profile/reports.h"

#include <stdlib.h>

#include "base/memory.h"

mls_str mls_report_text(mls_reports *r, size_t field)
{
    if (field >= r->count)
        return (mls_str){"", 0};
    mls_report_field *of = &r->fields[field];
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

/* Splits the row's first `len` bytes from `at` on, which is inside of a quoted field when `inside`. */
static mls_row_end report_split(mls_reports *r, size_t len, size_t at, bool inside)
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
            return MLS_ROW_OPEN;
        if (inside && end + 1 < len && text[end + 1] == '"') {
            r->doubled = true;
            at = end + 2;
            continue;
        }
        if ((inside && end + 1 < len && text[end + 1] != ',') || r->count == MLS_FIELDS_MAX)
            return MLS_ROW_BROKEN;
        const size_t begin = inside ? r->open_at : at;
        r->fields[r->count++] = (mls_report_field){begin, end - begin, r->doubled};
        r->doubled = false;
        end += inside;
        if (end >= len)
            return MLS_ROW_WHOLE;
        inside = false;
        at = end + 1;
    }
}

mls_str mls_cut_brackets(mls_str *text)
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

int mls_time_power(mls_str unit)
{
    static const char *const units[] = {"ns nsecond", "us usecond", "ms msecond", "s second"};
    for (int i = 0; i < 4 && unit.len > 0; i++)
        if (mls_str_among(unit, units[i]))
            return 3 * i;
    return -1;
}

/* A longer row or line is damaged. */
enum { ROW_MAX = MLS_WINDOW_KEPT };

#define ROLE_NAME(role, heading) heading,
static const char *const role_names[MLS_ROLES] = {MLS_ROLE_LIST(ROLE_NAME)};

/* Says why a row is left out; NULL: it is not. */
static void say_damaged(mls_reports *r, const char *why)
{
    if (why != NULL) {
        mls_findings_add_as(&r->gather->profile->findings, MLS_FINDING_ROW_DAMAGED, MLS_SEVERITY_WARNING,
                            (mls_finding_place){.line = r->line}, "the row is left out: %s", why);
    }
}

/* Of columns of the same name the first one counts. */
static void take_heading(mls_reports *r)
{
    r->columns = r->count;
    for (mls_column_role role = 0; role < MLS_ROLES; role++)
        r->at[role] = MLS_ABSENT;
    for (size_t i = 0; i < r->count; i++) {
        const mls_str own = mls_report_text(r, i);
        const mls_str heading = r->is_rocprof ? mls_rocprof_column(own) : own;
        mls_str name = heading;
        const mls_str unit = mls_cut_brackets(&name);
        mls_column_role role = 0;
        while (role < MLS_ROLES && (r->at[role] != MLS_ABSENT || !mls_str_alike(mls_str_from(role_names[role]), name)))
            role++;
        if (role < MLS_ROLES)
            r->at[role] = i;
        if (r->is_ncu)
            mls_ncu_column(r, i, role, heading);
        else
            mls_nsys_column(r, i, role, unit);
    }
    (r->is_ncu ? mls_ncu_heading : mls_nsys_heading)(r);
}

/* The kind of a line; the first heading makes the file one of nsys or of ncu. */
static mls_report_line line_kind(mls_reports *r, mls_str line)
{
    mls_report_line kind = mls_nsys_line(r, line);
    r->is_nsys |= kind == MLS_LINE_HEADING;
    if (!r->is_nsys) {
        kind = mls_str_starts(line, MLS_S("\"ID\","))                 ? MLS_LINE_HEADING
               : r->columns > 0 && line.len > 0 && line.ptr[0] == '"' ? MLS_LINE_ROW
                                                                      : MLS_LINE_TEXT;
        r->is_ncu |= kind == MLS_LINE_HEADING;
    }
    return kind;
}

/* Find where the line ends that begins `from` bytes after the row, and where without its "\r".  Return NULL, or why it
 * is not read. */
static const char *find_end(mls_window *window, size_t from, size_t *end, size_t *len)
{
    mls_str line;
    while (!mls_window_line(window, from, &line) && !window->input->ended && from + line.len <= ROW_MAX)
        (void)mls_window_fill(window);
    *end = from + line.len;
    *len = *end - mls_str_ends(line, MLS_S("\r"));
    return *end > ROW_MAX ? "it is longer than 1 MiB" : NULL;
}

/* Moves past the line ending that comes next. */
static void skip_line(mls_window *window)
{
    mls_str line;
    bool whole;
    while (!(whole = mls_window_line(window, 0, &line)) && !window->input->ended) {
        window->at = window->end;
        (void)mls_window_fill(window);
    }
    window->at += line.len + whole;
}

/* A row that begins with a line of `len` bytes, which ends at `end`; how many lines it has. */
static void read_report_row(mls_reports *r, bool heading, size_t len, size_t *end, size_t *lines)
{
    const size_t first = *end;
    const char *why = NULL;
    r->count = 0;
    r->doubled = false;
    mls_row_end state = report_split(r, len, 0, false);
    while (state == MLS_ROW_OPEN && r->line > r->alone && r->window->at + *end < r->window->end) {
        const size_t from = *end + 1;
        why = find_end(r->window, from, end, &len);
        state = why == NULL ? report_split(r, len, from, true) : MLS_ROW_BROKEN;
        ++*lines;
    }
    if (state == MLS_ROW_WHOLE && heading) {
        take_heading(r);
    } else if (state == MLS_ROW_WHOLE) {
        why = (r->is_ncu ? mls_ncu_row : mls_nsys_row)(r);
    } else {
        r->alone = r->line + *lines - 1 > r->alone ? r->line + *lines - 1 : r->alone;
        *end = first;
        *lines = 1;
        why = "its quotes do not close";
    }
    say_damaged(r, why);
}

/* A line, or a row of several. */
static void read_report_line(mls_reports *r)
{
    size_t end;
    size_t len;
    size_t lines = 1;
    const char *why = find_end(r->window, 0, &end, &len);
    r->line++;
    const mls_report_line kind = line_kind(r, (mls_str){r->window->at, len});
    if (why != NULL) {
        skip_line(r->window);
        say_damaged(r, kind != MLS_LINE_TEXT ? why : NULL);
        return;
    }
    if (kind != MLS_LINE_TEXT)
        read_report_row(r, kind == MLS_LINE_HEADING, len, &end, &lines);
    r->line += lines - 1;
    r->window->at += end;
    r->window->at += r->window->at < r->window->end; /* its "\n" */
}

mls_status mls_reports_read(mls_gather *gather, mls_window *window, mls_error *error)
{
    mls_profile *profile = gather->profile;
    mls_reports *r = mls_calloc(1, sizeof *r);
    mls_status status = MLS_OK;
    r->gather = gather;
    r->window = window;
    r->nsys.kind = MLS_REPORT_NONE;
    r->ncu.launches.arena = gather->arena;
    while (window->at < window->end || !window->input->ended)
        if (window->at < window->end)
            read_report_line(r);
        else
            (void)mls_window_fill(window);
    mls_nsys_report_end(r);
    mls_nsys_end(r);
    profile->complete = window->input->trouble.wrong == NULL;
    profile->kind = r->is_ncu          ? MLS_PROFILE_NCU
                    : r->is_rocprof    ? (gather->has_line ? MLS_PROFILE_ROCPROF_TRACE : MLS_PROFILE_ROCPROF_STATS)
                    : gather->has_line ? MLS_PROFILE_NSYS_TRACE
                                       : MLS_PROFILE_NSYS_STATS;
    if (r->is_ncu ? r->columns == 0 : !r->nsys.any) {
        status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "%s",
                               r->is_rocprof ? "has no table of kernels: rocprof --stats, or rocprofv3 "
                                               "--kernel-trace --stats --output-format csv, prints what is read"
                               : r->is_nsys  ? "has none of the reports of nsys that are read: cuda_gpu_kern_sum, "
                                               "cuda_gpu_trace and others (see mlscore-profile(1))"
                                             : "is none of these: a PyTorch trace, nsys stats as CSV, ncu as CSV, "
                                               "rocprof as CSV; what nvidia-smi, dcgmi, amd-smi and rocm-smi "
                                               "measured is read by mlscore telemetry");
    } else if (!profile->complete) {
        mls_findings_add(&profile->findings, MLS_FINDING_TRACE_TRUNCATED, (mls_finding_place){.line = r->line},
                         "the reports are read up to here only: %s", window->input->trouble.wrong);
    }
    free(r);
    return status;
}
