/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry_report.c - the report of measurements during runs: for each run, a table of devices, and the outliers. */
#include <math.h>

#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

enum {
    INDENT = 2,
    HANG = 6,
    DEVICES_SHOWN = 64,
    FINDINGS_SHOWN = 12,
    MIB_PER_GIB = 1024,
    NAME_BYTES = 40 /* maximum length of the name of a device, enough for a UUID */
};

enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP, DETAIL = MLS_COLUMN_DETAIL };

/* The metrics of a device that are shown.  Few logs contain the activity of a GPU's units (DETAIL); such logs contain
 * few other metrics. */
static const struct shown_metric {
    const char *title;
    mls_metric metric;
    unsigned look;
    double scale;
    int decimals;
} shown_metrics[] = {
    {"power W", MLS_METRIC_POWER_W, DECIMAL | KEEP, 1, 1},
    {"use %", MLS_METRIC_UTILIZATION_GPU_PERCENT, DECIMAL | KEEP, 1, 1},
    {"graph %", MLS_METRIC_GRAPHICS_ACTIVE, DECIMAL | DETAIL, 100, 1},
    {"SM act %", MLS_METRIC_SM_ACTIVE, DECIMAL | DETAIL, 100, 1},
    {"SM occ %", MLS_METRIC_SM_OCCUPANCY, DECIMAL | DETAIL, 100, 1},
    {"tensor %", MLS_METRIC_TENSOR_ACTIVE, DECIMAL | DETAIL, 100, 1},
    {"DRAM %", MLS_METRIC_DRAM_ACTIVE, DECIMAL | DETAIL, 100, 1},
    {"SM MHz", MLS_METRIC_SM_CLOCK_MHZ, RIGHT, 1, 0},
    {"°C", MLS_METRIC_TEMPERATURE_GPU_C, DECIMAL, 1, 1},
    {"memory GiB", MLS_METRIC_MEMORY_USED_MIB, DECIMAL, 1.0 / MIB_PER_GIB, 1},
};
enum { SHOWN_METRICS = sizeof shown_metrics / sizeof *shown_metrics };

/* Return the mean to show: for power, the mean over the measured time if it is known; otherwise the mean over the rows.
 */
static double shown_value(const mls_telemetry_device *device, const struct shown_metric *shown)
{
    const double mean = device->metrics[shown->metric].mean;
    return shown->metric == MLS_METRIC_POWER_W && !isnan(device->mean_power_w) ? device->mean_power_w : mean;
}

/* Print the measurements during a run: a table of devices, and the findings.  If `one_log` is set, omit the name of the
 * log from the findings. */
static void show_window(mls_view *view, const mls_telemetry_window *window, bool one_log)
{
    static const char vendor[] = "NVIDIA ";
    mls_table table = {.indent = INDENT};
    bool chosen[SHOWN_METRICS] = {false};
    bool detailed = false;
    size_t hidden = 0;
    const mls_finding_list_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .sorted = true, .limit = mls_view_limit(view, FINDINGS_SHOWN)};
    mls_finding_list found = {0};
    mls_buffer title = {0};
    mls_buffer line = {0};
    const mls_telemetry_run *run = &window->run;
    const double ms = run->stop_ms - run->start_ms;
    mls_buffer_append_text(&title, run->file != NULL ? mls_path_shown(run->file) : "all measurements");
    if (run->line > 1)
        mls_buffer_printf(&title, ":%zu", run->line);
    if (!isnan(ms))
        mls_buffer_printf(&line, "   %s", mls_words_duration(ms).text);
    mls_buffer_printf(&line, "   %s", mls_words_plural(window->different, "device", "devices").text);
    if (!isnan(window->energy_joules)) {
        mls_buffer_printf(&line, "   %s%s   %s", mls_words_quantity(window->energy_joules, "J").text,
                          isnan(window->energy_estimate_joules) ? " (of what was measured)" : "",
                          mls_words_quantity(window->mean_power_w, "W").text);
    }
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "### " : "");
    mls_view_headline(view, mls_buffer_str(&title), &line, INDENT);
    mls_buffer_release(&title);
    mls_view_gap(view);
    /* A metric has a column if at least one device has a value.  If no device has a DETAIL metric, all other metrics
     * have a column. */
    for (size_t i = 0; i < SHOWN_METRICS; i++) {
        for (size_t k = 0; k < window->device_count && !chosen[i]; k++)
            chosen[i] = !isnan(shown_value(&window->devices[k], &shown_metrics[i]));
        detailed |= chosen[i] && (shown_metrics[i].look & DETAIL) != 0;
    }
    for (size_t i = 0; i < window->device_count; i++) {
        const mls_telemetry_device *device = &window->devices[i];
        const char *model = device->name != NULL ? device->name : "";
        model += strncmp(model, vendor, sizeof vendor - 1) == 0 ? sizeof vendor - 1 : 0;
        bool outlier = false;
        for (size_t k = 0; k < window->outlier_count; k++)
            outlier |= window->outliers[k].device == device;
        if (!outlier && i >= mls_view_limit(view, DEVICES_SHOWN)) {
            hidden++;
            continue;
        }
        mls_table_row(&table);
        table.style = outlier ? MLS_STYLE_WARN : MLS_STYLE_PLAIN;
        mls_table_text(&table, "host", KEEP | MLS_COLUMN_CUT, device->host != NULL ? device->host : "");
        mls_table_cell(&table, "device", KEEP, table.style, "%.*s%s%.*s", MLS_CUT_TEXT(device->device, NAME_BYTES),
                       *model != '\0' ? "  " : "", MLS_CUT_TEXT(model, NAME_BYTES));
        mls_table_words(&table, "samples", RIGHT, mls_words_count((double)device->samples));
        mls_table_words(&table, "cover", RIGHT, mls_words_percent(device->coverage, 0));
        for (size_t k = 0; k < SHOWN_METRICS; k++) {
            const struct shown_metric *shown = &shown_metrics[k];
            if (detailed ? chosen[k] : (shown->look & DETAIL) == 0) {
                const double value = shown_value(device, shown) * shown->scale;
                mls_table_number(&table, shown->title, shown->look, value, shown->decimals);
            }
        }
        mls_table_number(&table, "energy kJ", DECIMAL, device->energy_joules / 1000, 2);
        if (device->repeated)
            mls_table_note(&table, MLS_STYLE_DIM, "measured twice");
        else if (fabs(device->energy_joules - device->counted_joules) > fabs(device->energy_joules) / 100)
            mls_table_note(&table, MLS_STYLE_DIM, "in part measured twice");
    }
    mls_table_finish(&table, view);
    mls_view_gap(view);
    mls_view_more(view, MLS_STYLE_DIM, INDENT, hidden, "device", mls_view_hint(view));
    for (size_t i = 0; i < window->findings.count; i++) {
        mls_finding finding = window->findings.items[i];
        finding.path = one_log && finding.line == 0 ? NULL : finding.path;
        mls_finding_list_add_one(&found, &finding, (mls_owner){0}, view);
    }
    mls_finding_list_add_unkept(&found, &window->findings, view);
    mls_finding_list_show(view, &found, look);
    if (window->suggested_timezone[0] != '\0') {
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG,
                        "the logs would cover the runs in another time zone: try --timezone=%s",
                        window->suggested_timezone);
    }
}

static void show_telemetry(mls_printer *to, const void *what)
{
    const mls_telemetry *telemetry = what;
    for (size_t i = 0; i < telemetry->window_count; i++) {
        mls_telemetry_window window;
        mls_telemetry_window_get(telemetry, i, &window);
        mls_output_text(to->view->output, i > 0 ? "\n" : "");
        show_window(to->view, &window, telemetry->source_count == 1);
        mls_telemetry_window_release(&window);
    }
    const mls_collection skipped = {
        .skipped = telemetry->skipped, .failed = telemetry->failed, .group_count = telemetry->window_count};
    mls_collection_show_skipped(to->view, &skipped);
}

#define SUMMARY_FIELDS(F)                                                                                              \
    F(summary, mean, NUMBER, "", row->mean)                                                                            \
    F(summary, min, NUMBER, "", row->min)                                                                              \
    F(summary, max, NUMBER, "", row->max)
MLS_FIELDS(summary, mls_metric_summary, SUMMARY_FIELDS)

/* Metrics, counters and reasons without a value are omitted. */
#define METRIC_MEMBER(F, id, name, unit)                                                                               \
    F(metrics, name, OBJECT_OF(summary), unit,                                                                         \
      isnan(row->metrics[MLS_METRIC_##id].mean) ? NULL : &row->metrics[MLS_METRIC_##id])
#define METRIC_MEMBERS(F) MLS_METRIC_LIST(METRIC_MEMBER, F)
MLS_FIELDS(metrics, mls_telemetry_device, METRIC_MEMBERS)

#define COUNTER(id) row->counters[MLS_COUNTER_##id]
#define COUNTER_MEMBER(F, id, name) F(counters, name, ELSE_OUT(NUMBER, !isnan(COUNTER(id))), "", COUNTER(id))
#define COUNTER_MEMBERS(F) MLS_COUNTER_LIST(COUNTER_MEMBER, F)
MLS_FIELDS(counters, mls_telemetry_device, COUNTER_MEMBERS)

#define SHARE(id) row->reasons[MLS_REASON_##id]
#define REASON_MEMBER(F, id, name) F(reasons, name, ELSE_OUT(NUMBER, SHARE(id) > 0), "", SHARE(id))
#define REASON_MEMBERS(F) MLS_REASON_LIST(REASON_MEMBER, F)
MLS_FIELDS(reasons, mls_telemetry_device, REASON_MEMBERS)

#define DEVICE_FIELDS(F)                                                                                               \
    F(device, host, TEXT_OR_NULL, "", row->host)                                                                       \
    F(device, device, TEXT, "", row->device)                                                                           \
    F(device, uuid, TEXT_OR_NULL, "", row->uuid)                                                                       \
    F(device, name, TEXT_OR_NULL, "", row->name)                                                                       \
    F(device, source, TEXT, "", row->source)                                                                           \
    F(device, log, TEXT, "", row->file)                                                                                \
    F(device, samples, NUMBER, "", row->samples)                                                                       \
    F(device, interval_ms, NUMBER_OR_NULL, "ms", row->interval_ms)                                                     \
    F(device, coverage, NUMBER_OR_NULL, "", row->coverage)                                                             \
    F(device, gaps, NUMBER_OR_NULL, "", row->gaps)                                                                     \
    F(device, longest_gap_ms, NUMBER_OR_NULL, "ms", row->longest_gap_ms)                                               \
    F(device, metrics, MAP_OF(summary), "", mls_emit_members(to, &metrics_fields, row))                                \
    F(device, counters, MAP, "", mls_emit_members(to, &counters_fields, row))                                          \
    F(device, reasons, IF(MAP, row->has_reasons), "", mls_emit_members(to, &reasons_fields, row))                      \
    F(device, energy_joules, NUMBER_OR_NULL, "joules", row->energy_joules)                                             \
    F(device, repeated, BOOL, "", row->repeated)                                                                       \
    F(device, counted_joules, NUMBER_OR_NULL, "joules", row->counted_joules)                                           \
    F(device, mean_power_w, NUMBER_OR_NULL, "W", row->mean_power_w)                                                    \
    F(device, energy_estimate_joules, NUMBER_OR_NULL, "joules", row->energy_estimate_joules)
MLS_FIELDS(device, mls_telemetry_device, DEVICE_FIELDS)

/* In CSV, the value of a metric is its mean. */
#define METRIC_FIELD(F, id, name, unit) F(device_csv, name, NUMBER_OR_NULL, unit, row->metrics[MLS_METRIC_##id].mean)
#define DEVICE_CSV_FIELDS(F)                                                                                           \
    MLS_METRIC_LIST(METRIC_FIELD, F)                                                                                   \
    F(device_csv, ecc_corrected, NUMBER_OR_NULL, "", row->counters[MLS_COUNTER_ECC_CORRECTED])                         \
    F(device_csv, ecc_uncorrected, NUMBER_OR_NULL, "", row->counters[MLS_COUNTER_ECC_UNCORRECTED])
MLS_FIELDS_BESIDE(device_csv, device, DEVICE_CSV_FIELDS)

#define OUTLIER_FIELDS(F)                                                                                              \
    F(outlier, host, TEXT_OR_NULL, "", row->device->host)                                                              \
    F(outlier, device, TEXT, "", row->device->device)                                                                  \
    F(outlier, metric, TEXT, "", metrics_items[row->metric].name)                                                      \
    F(outlier, mean, NUMBER, "", row->mean)                                                                            \
    F(outlier, median, NUMBER, "", row->median)
MLS_FIELDS(outlier, mls_telemetry_outlier, OUTLIER_FIELDS)

#define SPAN_FIELDS(F)                                                                                                 \
    F(span, file, TEXT, "", row->file)                                                                                 \
    F(span, line, NUMBER, "", row->line)
MLS_FIELDS(span, mls_telemetry_run, SPAN_FIELDS)

#define TOTAL_FIELDS(F)                                                                                                \
    F(total, devices, NUMBER, "", row->different)                                                                      \
    F(total, energy_joules, NUMBER_OR_NULL, "joules", row->energy_joules)                                              \
    F(total, energy_estimate_joules, NUMBER_OR_NULL, "joules", row->energy_estimate_joules)
MLS_FIELDS(total, mls_telemetry_window, TOTAL_FIELDS)

#define MEASURED_FIELDS(F)                                                                                             \
    F(measured, run, OBJECT_OR_NULL(span), "", row->run.file != NULL ? &row->run : NULL)                               \
    F(measured, start_ms, NUMBER_OR_NULL, "ms", row->run.start_ms)                                                     \
    F(measured, stop_ms, NUMBER_OR_NULL, "ms", row->run.stop_ms)                                                       \
    F(measured, devices, LIST(device), "", MLS_ROWS(row->devices, row->device_count))                                  \
    F(measured, outliers, LIST(outlier), "", MLS_ROWS(row->outliers, row->outlier_count))                              \
    F(measured, suggested_timezone, FILLED_OR_NULL, "", row->suggested_timezone)                                       \
    F(measured, total, OBJECT_OF(total), "", row)                                                                      \
    F(measured, findings, FINDINGS, "", mls_finding_list_add(&found, &row->findings, (mls_owner){0}, NULL))
MLS_FIELDS(measured, mls_telemetry_window, MEASURED_FIELDS)

#define MEASURED_CSV_FIELDS(F)                                                                                         \
    F(measured_csv, file, TEXT_OR_NULL, "", row->run.file)                                                             \
    F(measured_csv, line, COUNT_OR_NULL, "", row->run.line)
MLS_FIELDS_BESIDE(measured_csv, measured, MEASURED_CSV_FIELDS)

/* Create each window only when it is written, since there may be many windows. */
static void emit_windows(mls_emitter *to, const mls_telemetry *telemetry)
{
    for (size_t i = 0; i < telemetry->window_count; i++) {
        mls_telemetry_window window;
        mls_telemetry_window_get(telemetry, i, &window);
        mls_emit_row(to, &window);
        mls_telemetry_window_release(&window);
    }
}

#define TELEMETRY_FIELDS(F)                                                                                            \
    F(telemetry, windows, LIST(measured), "", emit_windows(to, row))                                                   \
    F(telemetry, skipped, LIST(mls_skipped), "", MLS_ROWS(row->skipped.items, row->skipped.count))
MLS_FIELDS(telemetry, mls_telemetry, TELEMETRY_FIELDS)

#define METRIC_COLUMN(blank, id, name, unit) #name blank
#define METRIC_COLUMNS MLS_METRIC_LIST(METRIC_COLUMN, " ")
const mls_report mls_telemetry_report = {
    .section = "TELEMETRY JSON",
    .show = show_telemetry,
    .object = &telemetry_fields,
    .lines = "windows",
    .columns = {.section = "TELEMETRY CSV",
                .names =
                    "file line start_ms stop_ms host device uuid name source log samples interval_ms coverage "
                    "gaps longest_gap_ms energy_joules mean_power_w energy_estimate_joules repeated " METRIC_COLUMNS
                    "ecc_corrected ecc_uncorrected",
                .rows = "windows devices",
                .sources = {&measured_csv_fields, &device_csv_fields, &measured_fields, &device_fields}}};
