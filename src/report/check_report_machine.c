/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_report_machine.c - judged logs as JSON, as annotations for GitHub
 * workflows, and as JUnit XML for CI systems.
 */
#include <stdlib.h>
#include <string.h>

#include "report/annotations.h"
#include "report/check_report.h"
#include "report/json.h"

void mls_check_log_json(mls_check_report *report, const mls_check_log *log)
{
    const mls_verdict *verdict = &log->verdict;
    mls_json json = {0};
    cJSON *object = mls_json_object(&json);
    cJSON *findings = mls_json_array(&json);
    mls_json_put_text(&json, object, "file", log->path);
    mls_json_put_number(&json, object, "line", (double)log->line);
    mls_json_put_text(&json, object, "usage", mls_usage_name(verdict->usage));
    mls_json_put_text(&json, object, "edition", verdict->edition);
    mls_json_put_text(&json, object, "benchmark", verdict->benchmark);
    mls_json_put_text(&json, object, "division", verdict->division);
    mls_json_put_bool(&json, object, "valid", log->valid);
    mls_json_put_number(&json, object, "records", (double)verdict->records);
    mls_json_put_number(&json, object, "malformed", (double)verdict->malformed);
    for (size_t i = 0; i < verdict->findings->count; i++) {
        const mls_finding *finding = &verdict->findings->items[i];
        cJSON *item = mls_json_object(&json);
        mls_json_put_text(&json, item, "severity", mls_severity_name(finding->severity));
        mls_json_put_text(&json, item, "code", mls_finding_info_get(finding->code)->name);
        mls_json_put_text(&json, item, "key", finding->key);
        if (finding->line > 0) {
            mls_json_put_number(&json, item, "line", (double)finding->line);
        } else {
            mls_json_put_null(&json, item, "line");
        }
        mls_json_put_text(&json, item, "message", finding->message);
        mls_json_append(&json, findings, item);
    }
    mls_json_put(&json, object, "findings", findings);
    if (report->format == MLS_CHECK_NDJSON) {
        mls_json_print(&json, object, false, report->output);
    } else {
        mls_json_write(&json, object, false, report->output);
    }
    report->failed |= json.failed;
}

void mls_check_log_github(mls_check_report *report, const mls_check_log *log)
{
    const mls_findings *findings = log->verdict.findings;
    for (size_t i = 0; i < findings->count; i++) {
        const mls_finding placed = mls_check_finding_place(report, log, &findings->items[i]);
        mls_buffer line = {0};
        mls_github_append_finding(&line, &placed, log->path);
        mls_output_write(report->output, mls_buffer_str(&line));
        report->failed |= line.failed;
        mls_buffer_release(&line);
    }
}

void mls_check_log_junit(mls_check_report *report, const mls_check_log *log)
{
    const mls_verdict *verdict = &log->verdict;
    mls_buffer *out = &report->held;
    mls_buffer_append_text(out, "    <testcase classname=\"");
    mls_xml_append(out, verdict->benchmark != NULL ? verdict->benchmark : "no benchmark");
    mls_buffer_append_text(out, "\" name=\"");
    mls_xml_append(out, log->path);
    mls_check_name_end(report, log, out);
    mls_buffer_append_text(out, "\">\n");
    if (!log->valid) {
        const mls_finding_counts *counts = &verdict->findings->counts;
        mls_buffer_append_text(out, "      <failure message=\"");
        if (counts->error > 0) {
            mls_buffer_printf(out, "%zu error%s", counts->error, counts->error == 1 ? "" : "s");
        } else {
            /* Only --strict makes these a failure. */
            mls_buffer_printf(out, "%zu warning%s, %zu advice", counts->warning, counts->warning == 1 ? "" : "s",
                              counts->advice);
        }
        mls_buffer_append_text(out, "\">");
    } else if (verdict->findings->count > 0) {
        mls_buffer_append_text(out, "      <system-out>");
    }
    for (size_t i = 0; i < verdict->findings->count; i++) {
        const mls_finding placed = mls_check_finding_place(report, log, &verdict->findings->items[i]);
        mls_xml_append_finding(out, &placed, log->path);
    }
    if (!log->valid) {
        mls_buffer_append_text(out, "</failure>\n");
    } else if (verdict->findings->count > 0) {
        mls_buffer_append_text(out, "</system-out>\n");
    }
    mls_buffer_append_text(out, "    </testcase>\n");
}

void mls_check_junit_end(mls_check_report *report)
{
    const size_t failures = report->logs - report->valid;
    mls_output_text(report->output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    mls_output_printf(report->output, "<testsuites tests=\"%zu\" failures=\"%zu\">\n", report->logs, failures);
    mls_output_printf(report->output, "  <testsuite name=\"mlscore check\" tests=\"%zu\" failures=\"%zu\">\n",
                      report->logs, failures);
    mls_output_write(report->output, mls_buffer_str(&report->held));
    mls_output_text(report->output, "  </testsuite>\n</testsuites>\n");
    report->failed |= report->held.failed;
}
