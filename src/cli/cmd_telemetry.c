/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_telemetry.c - mlscore telemetry: align measurements of machines with runs by time. */
#include "base/memory.h"
#include "explain/telemetry/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/moment.h"
#include "cli/command.h"
#include "report/reports.h"

typedef struct telemetry_settings {
    mls_names runs;
    const char *timezone, *offset, *gap, *columns, *start, *interval, *host_pattern; /* as given */
} telemetry_settings;

#define AT(member) offsetof(telemetry_settings, member)

static const mls_option options[] = {
    MLS_ROW_OF(MLS_ADDS_TEXT, "run", "LOG", AT(runs),
               "align with the runs in LOG, a log or a folder (may be repeated)"),
    MLS_ROW_TEXT('\0', "timezone", "ZONE", AT(timezone),
                 "time zone of timestamps that do not name one: UTC or ±HH:MM (default: UTC)"),
    MLS_ROW_TEXT('\0', "offset", "SECONDS", AT(offset), "add SECONDS to every timestamp, to correct clocks"),
    MLS_ROW_TEXT('\0', "gap", "SECONDS", AT(gap),
                 "minimum length of a gap (default: the larger of 5 seconds and 5 sampling intervals)"),
    MLS_ROW_TEXT('\0', "columns", "LIST", AT(columns), "columns of nvidia-smi logs without a header"),
    MLS_ROW_TEXT('\0', "start", "TIME", AT(start), "start time of logs without timestamps"),
    MLS_ROW_TEXT('\0', "interval", "SECONDS", AT(interval), "sampling interval of logs without timestamps"),
    MLS_ROW_TEXT('\0', "host-pattern", "REGEX", AT(host_pattern),
                 "regular expression with one group, which matches the host name in the path of a log"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown"),
    MLS_ROWS_LOGS("show errors only, without skipped files", "list every device and every skipped file",
                  "treat every finding as an error"),
};

/* The maximum number of seconds in an option, about 3000 years.  A larger number is a typing error. */
#define SECONDS_MAX 1e11

/* Parse the argument of an option, a number of seconds, and convert it to milliseconds.  If the option is not given,
 * *milliseconds is unchanged.  Return false after printing an error. */
static bool read_seconds(mls_cli *cli, const char *name, const char *text, bool negative, double *milliseconds)
{
    double seconds;
    if (text == NULL)
        return true;
    if (!mls_number_parse(mls_str_from(text), &seconds) || !(fabs(seconds) <= SECONDS_MAX) ||
        (!negative && seconds <= 0)) {
        return mls_cli_usage_error(cli, "invalid --%s '%s': expected a number of seconds%s", name, text,
                                   negative ? "" : " above 0");
    }
    *milliseconds = seconds * 1000;
    return true;
}

/* Read the options.  Return false after printing an error. */
static bool read_settings(mls_cli *cli, mls_telemetry_options *wanted)
{
    const telemetry_settings *given = cli->settings;
    mls_str unknown = {0};
    *wanted = mls_telemetry_defaults();
    wanted->threads = cli->work.threads;
    wanted->columns = given->columns;
    wanted->host_pattern = given->host_pattern;
    if (given->timezone != NULL && !mls_timezone_parse(mls_str_from(given->timezone), &wanted->timezone_minutes))
        return mls_cli_usage_error(cli, "invalid --timezone '%s': expected UTC or ±HH:MM", given->timezone);
    if ((given->start != NULL) != (given->interval != NULL))
        return mls_cli_usage_error(cli, "--start and --interval must be given together");
    if (given->start != NULL &&
        !mls_moment_parse(mls_str_from(given->start), wanted->timezone_minutes, &wanted->start_ms)) {
        return mls_cli_usage_error(
            cli, "invalid --start '%s': expected a time such as '2026-11-21 16:24:40', or milliseconds since 1970",
            given->start);
    }
    if (!read_seconds(cli, "offset", given->offset, true, &wanted->offset_ms) ||
        !read_seconds(cli, "gap", given->gap, false, &wanted->gap_ms) ||
        !read_seconds(cli, "interval", given->interval, false, &wanted->interval_ms))
        return false;
    const bool any_known = given->columns == NULL || mls_telemetry_columns_known(given->columns, &unknown);
    if (unknown.len > 0) {
        mls_cli_error(cli, any_known ? MLS_EXIT_OK : MLS_WRONG_USAGE, NULL, "--columns: unknown column '%.*s'",
                      (int)unknown.len, unknown.ptr);
    } else if (!any_known) {
        mls_cli_usage_error(cli, "--columns does not contain a known column");
    }
    return any_known;
}

/* Find the runs in the logs given by --run.  Return false after printing an error. */
static bool find_runs(mls_cli *cli, const mls_names *logs, mls_collection *collection, mls_telemetry_run **runs)
{
    const mls_collect_options how = {.work.threads = cli->work.threads, .runs_only = true};
    if (!mls_cli_collect(cli, logs, &how, NULL, collection))
        return false;
    mls_cli_print_skipped(cli, &collection->skipped);
    if (collection->run_count == 0)
        return mls_cli_error(cli, MLS_EXIT_IO, logs->items[0], "no run found to align with");
    *runs = mls_calloc(collection->run_count, sizeof **runs);
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_run *run = &collection->runs[i];
        (*runs)[i] = (mls_telemetry_run){run->file, run->line, run->run_start.time_ms, run->run_stop.time_ms};
    }
    return true;
}

static void telemetry_run(mls_cli *cli)
{
    const telemetry_settings *given = cli->settings;
    mls_telemetry_options wanted;
    mls_telemetry_run *runs = NULL;
    mls_collection collection = {0};
    mls_telemetry telemetry;
    mls_error error = {0};
    if (read_settings(cli, &wanted) && (given->runs.count == 0 || find_runs(cli, &given->runs, &collection, &runs))) {
        if (mls_telemetry_read((const char *const *)cli->operands.items, cli->operands.count, runs,
                               collection.run_count, &wanted, &telemetry, &error) != MLS_OK) {
            mls_cli_print_error(cli, NULL, &error);
        } else {
            mls_cli_print(cli, &mls_telemetry_report, &telemetry);
            mls_cli_set_status(
                cli, mls_findings_pass(&telemetry.reported->counts, cli->view.strict) ? MLS_EXIT_OK : MLS_EXIT_INVALID);
            mls_cli_print_skipped(cli, &telemetry.skipped);
            for (size_t i = 0; i < telemetry.skipped.count; i++) {
                const mls_source *skipped = &telemetry.skipped.items[i];
                if (skipped->named && !skipped->failed)
                    mls_cli_note(cli, skipped->path, "skipped: %s", skipped->skip);
            }
            if (telemetry.source_count == 0)
                mls_cli_error(cli, MLS_EXIT_IO, NULL, "no measurements found");
        }
        mls_telemetry_release(&telemetry);
    }
    free(runs);
    mls_collection_release(&collection);
}

const mls_command mls_command_telemetry = {
    .name = "telemetry",
    .summary = "report power, energy, clocks and utilization during a run",
    .usage = "[OPTION]… FILE|DIR… [--run=LOG|DIR]…",
    .about = "Reads measurements and aligns them with runs by timestamp. Measurements are logs\n"
             "of nvidia-smi (CSV, dmon), dcgmi dmon, amd-smi and rocm-smi (CSV), and MLPerf\n"
             "power logs. Reports power, energy, clocks, temperature, utilization, memory,\n"
             "throttling and memory errors of each device, and which device is an outlier.",
    .options = options,
    .settings_size = sizeof(telemetry_settings),
    .paths = "no log of measurements given",
    .run = telemetry_run,
};
