/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_score.c - mlscore score: find runs, time them, and score each group. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/moment.h"
#include "cli/scoring.h"
#include "compare/published/published.h"
#include "run/tracked.h"
#include "score/collect.h"
#include "score/jobs.h"
#include "score/wide.h"

#define AT(member) offsetof(mls_score_settings, member)

static const mls_option options[] = {
    MLS_ROWS_ROUND,
    MLS_ROW_RULES_AS("use the rules in FILE"),
    MLS_ROW_FLAG(
        '\0', "window", AT(score.select_window),
        "if there are more runs than required, score those consecutive runs whose score is closest to the median "
        "of all such windows"),
    MLS_ROW_RCP(AT(score.rcp_path), "add reference points from FILE, see mlscore-rcp(1)"),
    MLS_ROW_BERT(AT(score.bert_train_samples)),
    MLS_ROW_FLAG('\0', "write-scaling", AT(write_scaling),
                 "write the scale factor of each result to scaling.json beside its logs, as the review committee does"),
    MLS_ROW_WORD("precision", "NAME", MLS_PRECISION_WORDS, AT(precision),
                 "report only groups in which the lowest precision of linear layers is NAME, such as fp8"),
    MLS_ROWS_SACCT,
    MLS_ROW_OF(MLS_SETS_COUNT, "timeout", "SECONDS", AT(timeout_seconds),
               "stop reading after SECONDS and leave out the rest (exit status 3)"),
    MLS_ROW_FORMAT("table|csv|json|ndjson|markdown|openmetrics|oneline"),
    MLS_ROWS_LABELS,
    MLS_ROWS_SHARD(AT(shards)),
    MLS_ROWS_LOGS("omit skipped files, published results and remarks", "list every finding and every skipped file",
                  MLS_HELP_STRICT),
};

static bool read_settings(mls_cli *cli, mls_collect_options *how, mls_buffer *points, mls_sacct **sacct);
static bool merged_options(mls_cli *cli, mls_collect_options *how);
static void score_collected(mls_cli *cli, const mls_collect_options *how, mls_sacct *sacct);
static void join_jobs(mls_cli *cli, mls_sacct *sacct, mls_collection *collection);
static void print_wide(mls_cli *cli, const mls_collection *collection);
static void write_scaling(mls_cli *cli, const mls_group *group);

static void score_run(mls_cli *cli)
{
    const mls_score_settings *settings = cli->settings;
    /* An option that cannot be applied to a part, but only when parts are merged. */
    const char *not_for_part = settings->timeout_seconds > 0      ? "timeout"
                               : settings->write_scaling          ? "write-scaling"
                               : settings->jobs                   ? "jobs"
                               : settings->sacct_files.count > 0  ? "sacct"
                               : settings->summary != NULL        ? "summary"
                               : settings->precision != NULL      ? "precision"
                               : settings->labels.added.count > 0 ? "label"
                               : cli->format_given                ? "format"
                                                                  : NULL;
    if (settings->timeout_seconds > 0)
        cli->work.deadline_ms = mls_clock_ms() + (double)settings->timeout_seconds * 1000;
    if (mls_cli_shard_is_right(cli, &settings->shards, settings->shards.partial ? not_for_part : NULL))
        mls_cli_score(cli);
}

void mls_cli_score(mls_cli *cli)
{
    const mls_score_settings *settings = cli->settings;
    mls_collect_options how = {0};
    mls_buffer points = {0};
    mls_sacct *sacct = NULL;
    const bool ok = read_settings(cli, &how, &points, &sacct);
    if (ok && settings->shards.partial) {
        mls_cli_write_part(cli,
                           &(mls_shard_job){.settings = &settings->shards,
                                            .how = &how,
                                            .groups = true,
                                            .options = {.bert_train_samples = how.score.bert_train_samples,
                                                        .window = how.score.select_window,
                                                        .wide = settings->wide,
                                                        .rcp = how.score.rcp_path != NULL ? points.ptr : NULL,
                                                        .rcp_path = how.score.rcp_path},
                                            .reading = {.rules = how.checker.rulesets != NULL ? &how.checker : NULL,
                                                        .unread_runs = true,
                                                        .steps = true,
                                                        .observer = how.observer}});
    } else if (ok) {
        score_collected(cli, &how, sacct);
    }
    mls_buffer_release(&points);
    mls_sacct_free(sacct);
    if (settings->no_fail && cli->status == MLS_EXIT_INVALID)
        cli->status = MLS_EXIT_OK;
}

/* Check the options, and load the files that they name.  Return false after printing an error. */
static bool read_settings(mls_cli *cli, mls_collect_options *how, mls_buffer *points, mls_sacct **sacct)
{
    mls_score_settings *settings = cli->settings;
    for (size_t i = 0; i < settings->labels.added.count; i++) {
        const char *wrong = mls_metrics_label_wrong(&settings->labels, i);
        if (wrong != NULL)
            return mls_cli_usage_error(cli, "invalid label '%s': %s", settings->labels.added.items[i], wrong);
    }
    if (!mls_cli_precision_is_right(cli, settings->precision))
        return false;
    if (settings->jobs || settings->sacct_files.count > 0)
        *sacct = mls_sacct_new();
    const char *csv_option = settings->wide ? "--wide" : settings->summary != NULL ? "--summary" : NULL;
    if (csv_option != NULL && cli->format_given && cli->view.format != MLS_FORMAT_CSV)
        return mls_cli_usage_error(cli, "%s prints CSV, not %s", csv_option, mls_format_name(cli->view.format));
    cli->view.format = csv_option != NULL ? MLS_FORMAT_CSV : cli->view.format;
    cli->view.labels = &settings->labels;
    if (cli->merge != NULL
            ? !merged_options(cli, how)
            : !mls_cli_judge_options(cli, how) || !mls_cli_read_file(cli, settings->score.rcp_path, points))
        return false;
    mls_sacct_zone zone = {(double)NAN, "local"};
    if (*sacct != NULL && settings->timezone != NULL) {
        zone.name = settings->timezone;
        if (!mls_timezone_parse(mls_str_from(zone.name), &zone.minutes))
            return mls_cli_usage_error(cli, "invalid --timezone '%s': expected UTC or ±HH:MM", zone.name);
    }
    for (size_t i = 0; i < settings->sacct_files.count; i++)
        if (!mls_cli_read_sacct(cli, settings->sacct_files.items[i], zone, *sacct))
            return false;
    how->observer = settings->wide ? &mls_tracked_observer : NULL;
    how->printed = settings->wide;
    how->facts = settings->wide ? MLS_FACTS_OF_RUNS : MLS_FACTS_OF_GROUPS;
    settings->score.editions = how->score.editions;
    settings->score.rcp_text = cli->merge != NULL ? mls_str_from(cli->merge->head.options.rcp) : mls_buffer_str(points);
    how->score = settings->score;
    return true;
}

/* Set the options for collecting runs to those with which the parts were written.  Return false after printing an
 * error. */
static bool merged_options(mls_cli *cli, mls_collect_options *how)
{
    mls_score_settings *settings = cli->settings;
    const mls_part_head *head = &cli->merge->head;
    mls_error error = {0};
    *how = (mls_collect_options){.work = cli->work, .merge = cli->merge, .any_usage = head->options.any_usage};
    how->score.editions = mls_cli_editions(cli);
    if (settings->wide && !head->options.wide)
        return mls_cli_error(cli, MLS_EXIT_USAGE, NULL, "--wide needs parts that were made with --wide");
    if (how->score.editions == NULL || !mls_usage_from_name(mls_str_from(head->usage), &how->usage) ||
        (head->edition != NULL && mls_editions_find(how->score.editions, how->usage, mls_str_from(head->edition),
                                                    &how->edition, &error) != MLS_OK))
        return mls_cli_error(cli, MLS_EXIT_IO, NULL, "%s", error.message);
    settings->score.select_window = head->options.window;
    settings->score.bert_train_samples = head->options.bert_train_samples;
    settings->score.rcp_path = head->options.rcp_path;
    return true;
}

static void score_collected(mls_cli *cli, const mls_collect_options *how, mls_sacct *sacct)
{
    const mls_score_settings *settings = cli->settings;
    const char *rcp_path = settings->score.rcp_path;
    const mls_format format = cli->view.format;
    mls_collection collection;
    mls_telemetry_notes notes = {0};
    mls_published_beside published = {0};
    mls_error error = {0};
    bool ok = mls_cli_collect(cli, &cli->operands, how, rcp_path, &collection);
    if (ok && settings->precision != NULL)
        mls_collection_keep_precision(&collection, settings->precision);
    if (ok)
        join_jobs(cli, sacct, &collection);
    ok = ok && mls_cli_note_endings(cli, &collection);
    ok = ok && mls_cli_note_telemetry(cli, &collection, &notes);
    if (!ok) {
        mls_collection_release(&collection);
        return;
    }
    if (settings->wide) {
        print_wide(cli, &collection);
    } else if (settings->summary != NULL) {
        mls_cli_print(cli, settings->summary[0] != '\0' ? &mls_summary_wide_report : &mls_summary_report, &collection);
    } else {
        if (mls_view_is_for_people(&cli->view) && !cli->view.quiet &&
            mls_published_beside_find(&published, collection.groups, collection.group_count, &error) != MLS_OK)
            mls_cli_print_error(cli, NULL, &error);
        mls_cli_print_beside(cli, &mls_score_report, &collection, &(mls_score_beside){&notes, published.near});
    }
    if (settings->wide || format == MLS_FORMAT_JSON || format == MLS_FORMAT_NDJSON)
        mls_cli_note_truncated(cli, &collection);
    size_t used = rcp_path == NULL;
    for (size_t i = 0; i < collection.group_count && used == 0; i++)
        used = collection.groups[i].rcp.set != NULL ? collection.groups[i].rcp.set->own : 0;
    if (used == 0) /* a benchmark or an edition in the user's table is probably misspelled */
        mls_cli_note(cli, NULL, "'%s': no row has the benchmark and round of a group whose convergence was checked",
                     rcp_path);
    for (size_t i = 0; i < collection.group_count; i++) {
        mls_cli_judge_group(cli, &collection.groups[i]);
        if (settings->write_scaling && mls_group_is_scaled(&collection.groups[i]))
            write_scaling(cli, &collection.groups[i]);
    }
    mls_cli_print_problems(cli, &collection);
    mls_published_beside_release(&published);
    mls_telemetry_notes_release(&notes);
    mls_collection_release(&collection);
}

/* Add job data from sacct to the runs, if --jobs or --sacct is given. */
static void join_jobs(mls_cli *cli, mls_sacct *sacct, mls_collection *collection)
{
    const mls_score_settings *settings = cli->settings;
    const char *program = getenv("MLSCORE_SACCT");
    mls_error error = {0};
    if (sacct == NULL)
        return;
    if (settings->jobs && mls_sacct_ask(sacct, collection, program != NULL ? program : "sacct", &error) != MLS_OK)
        mls_cli_note(cli, NULL, "%s: job data is incomplete", error.message);
    mls_jobs_join(sacct, getenv("SLURM_JOB_ID"), collection);
    mls_cli_judge_findings(cli, collection->jobs->findings);
}

/* Print CSV with hyperparameters and tracked metrics of the runs as additional columns, and report which of them do not
 * fit in. */
static void print_wide(mls_cli *cli, const mls_collection *collection)
{
    static const char *const kinds[MLS_WIDE_KINDS][2] = {{"hyperparameter has", "hyperparameters have"},
                                                         {"tracked name has", "tracked names have"},
                                                         {"printed setting has", "printed settings have"}};
    mls_wide wide;
    mls_error error = {0};
    if (mls_wide_find(collection, &wide, &error) != MLS_OK) {
        mls_cli_print_error(cli, NULL, &error);
        mls_wide_release(&wide);
        return;
    }
    mls_cli_print(cli, &mls_score_wide_report, &wide);
    for (size_t i = 0; i < collection->run_count; i++) {
        const mls_run *run = &collection->runs[i];
        const mls_tracked *tracked = mls_collection_notes(collection, run);
        if (tracked != NULL && tracked->too_many)
            mls_cli_note(cli, run->file, "only the first %d tracked names are reported", MLS_TRACKED_NAMES_MAX);
        if (tracked != NULL && tracked->long_line > 0) {
            mls_cli_note(cli, run->file, "line %zu: a tracked name of more than %d bytes is not reported",
                         tracked->long_line, MLS_TRACKED_NAME_LENGTH_MAX);
        }
    }
    for (int kind = 0; kind < MLS_WIDE_KINDS; kind++) {
        if (wide.names[kind].left_out > 0) {
            mls_cli_note(cli, NULL, "%s no column: only %d are printed",
                         mls_words_plural(wide.names[kind].left_out, kinds[kind][0], kinds[kind][1]).text,
                         MLS_WIDE_NAMES_MAX);
        }
    }
    mls_wide_release(&wide);
}

/* Write scaling.json next to the logs of a result, atomically.  If the score is not scaled, the file is only written to
 * replace an existing one. */
static void write_scaling(mls_cli *cli, const mls_group *group)
{
    mls_output output;
    mls_error error = {0};
    const mls_words factor = mls_words_exact(group->scale);
    char *path = mls_path_join(group->path, "scaling.json");
    if (group->scale > 1 || access(path, F_OK) == 0) {
        mls_status status = mls_output_open(&output, path, &error);
        if (status == MLS_OK) {
            mls_output_printf(&output, "{\"scaling_factor\": %s}\n", factor.text);
            status = mls_output_close(&output, false, &error);
        }
        if (status == MLS_OK)
            mls_cli_note(cli, NULL, "wrote the scale factor %s to %s", factor.text, path);
        else
            mls_cli_error(cli, MLS_EXIT_IO, path, "%s", error.message);
    }
    free(path);
}

const mls_command mls_command_score = {
    .name = "score",
    .summary = "find runs in log directories, time them and score them",
    .usage = "[OPTION]… PATH…",
    .about = "Finds the training runs below each PATH, checks and times them, and scores each\n"
             "group of runs with the olympic mean. PATH is a Slurm log directory, a benchmark\n"
             "folder of a submission, a log, a folder that contains these, or - for standard\n"
             "input.",
    .options = options,
    .settings_size = sizeof(mls_score_settings),
    .paths = "",
    .run = score_run,
};
