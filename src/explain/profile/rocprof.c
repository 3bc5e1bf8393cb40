/* SPDX-License-Identifier: Apache-2.0 */
/* rocprof.c - the tables of rocprof and rocprofv3, which are read as the reports of nsys that say the same. */
#include "explain/profile/reports.h"

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
    while (has && mls_list_next(&columns, '|', &column)) {
        has = mls_str_contains(line, column);
    }
    return has;
}

/* Of a table of kernels one by one the columns come in any order, among any number of counters. */
bool mls_is_rocprof_heading(mls_str line)
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

mls_report_kind mls_rocprof_kind(mls_str name)
{
    if (mls_str_any(name, "KERNEL_|HIP_|HSA_|MEMORY_|MARKER_|SCRATCH_|RCCL_API|CopyHost|CopyDevice", mls_str_starts)) {
        return MLS_REPORT_IGNORED;
    }
    return mls_str_any(name, "hip|hsa_", mls_str_starts) && mls_cuda_call(name).len > 0 ? MLS_REPORT_CALLS
                                                                                        : MLS_REPORT_KERNELS;
}
