/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - the reports of the commands, one mls_report each, and the structs that they print.  A report only prints
 * results of other modules: it decides nothing and computes no more than sums and ratios of the numbers it shows. */
#pragma once

#include "compare/comparison.h"
#include "compare/config_diff.h"
#include "compare/plan/plan.h"
#include "compare/published/published.h"
#include "config/config.h"
#include "explain/diagnose/diagnose.h"
#include "explain/memory/memory.h"
#include "explain/profile/profile.h"
#include "explain/profile/ranks.h"
#include "explain/telemetry/telemetry.h"
#include "explain/throughput/throughput.h"
#include "report/findings.h"
#include "run/settings.h"
#include "score/collect.h"
#include "submission/pack.h"
#include "submission/submission.h"

/* Print the fields and the columns of every report: section of mlscore-formats(5), name and type. */
void mls_reports_print_fields(mls_output *output);

/* ---- plan: an mls_plan */
extern const mls_report mls_plan_report;

/* The fields of an mls_published_place. */
extern const mls_fields mls_place_fields;

/* Data shown next to the scores of groups; NULL: none. */
typedef struct mls_score_beside {
    const mls_telemetry_notes *telemetry;
    const mls_published_near *published; /* one a group, see mls_published_beside */
} mls_score_beside;

/* ---- score: an mls_collection, and as the printer's state an mls_score_beside (NULL: nothing stands beside
 * groups); verify: an mls_submission */
extern const mls_report mls_score_report, mls_verify_report;

/* ---- pack: an mls_pack */
extern const mls_report mls_pack_report;

/* CSV for comparing: a row a run with all that is known of it, an mls_wide; a row a group, an mls_collection, and a row
 * a system with a column a benchmark, an mls_summary. */
extern const mls_report mls_score_wide_report, mls_summary_report, mls_summary_wide_report;

/* Return the name of a path for people ("standard input" of "-"); return a path relative to that of its group. */
const char *mls_path_shown(const char *path);
const char *mls_group_name_below(const mls_group *group, const char *path);

/* Append the degrees of tensor, pipeline, context and expert parallelism, "   tp1 pp1 cp8", if a shape has any. */
void mls_shape_append_degrees(mls_buffer *line, const mls_config_name *shape);

/* Print the heading of a group; print the line of its telemetry.  mls_collection_show_skipped() prints the files
 * without runs, except those that could not be read, which are reported on standard error. */
void mls_group_show_headline(mls_view *view, const mls_group *group);
void mls_group_show_note(mls_view *view, const mls_group *group, const mls_telemetry_notes *notes);

/* Print the lines of a group's jobs; print the problems in the output of sacct; return the job of a run. */
void mls_group_show_jobs(mls_view *view, const mls_group *group, const struct mls_slurm_jobs *jobs);
/* NULL: an earlier run has the same job */
const struct mls_slurm_job *mls_group_new_job(const struct mls_slurm_jobs *jobs, const mls_group *group, size_t run);
void mls_jobs_show_findings(mls_view *view, const struct mls_slurm_jobs *jobs);
void mls_collection_show_skipped(mls_view *view, const mls_collection *collection);

/* A collection as metrics, and as a line. */
void mls_score_metrics(mls_printer *to, const void *what);
void mls_score_line(mls_buffer *line, const void *what);

/* ---- throughput: an mls_throughputs, and as the printer's state an mls_telemetry_notes */
extern const mls_report mls_throughput_report;

/* ---- telemetry: an mls_telemetry */
extern const mls_report mls_telemetry_report;

/* Files without what was looked for. */
extern const mls_fields mls_skipped_fields;

/* ---- check: mls_check_log after mls_check_log, as they come; only JUnit is held back to the end. */
extern const mls_report mls_check_report;

/* The names of logs: the state of the printer. */
typedef struct mls_check_names {
    const mls_sources *sources; /* that are read */
    bool split;                 /* every log is a part of a file */
    size_t width;               /* of the longest path, for aligning */
} mls_check_names;

typedef struct mls_check_log {
    const char *path;
    size_t line; /* of the file that the log starts at */
    bool part;   /* of a file, and so named file:line */
    bool valid;  /* it obeys the rules, or stricter ones */
    const mls_run *run;
} mls_check_log;

/* ---- config: an mls_config_list; CSV has one row a config, or one a variable. */
extern const mls_report mls_config_report, mls_config_exports_report;

typedef struct mls_config_entry {
    const char *file; /* NULL: there is only a name */
    bool missing;     /* a name of a file that is not there */
    mls_config_name name;
    mls_shell *script; /* NULL: none was read */
    bool exports;      /* print what it exports: KEY=VALUE, `# …` for what cannot be known */
    mls_config_summary summary;
    char *memory; /* what it asks of a GPU, in a line; NULL: not known, or not asked for.  To be given to free(). */
    const mls_printed *printed; /* of a log, what it printed before the run whose run_start stands in that line */
    size_t run_line;            /* 0: it has none */
    const mls_known_settings *known;
    mls_findings findings;
} mls_config_entry;

typedef struct mls_config_list {
    mls_config_entry *items;
    size_t count, capacity;
    bool folders; /* some are of a folder: a row each, findings below; else a few lines each */
} mls_config_list;

/* ---- config --diff: an mls_config_diff. */
extern const mls_report mls_config_diff_report;

/* ---- memory: an mls_memory_job; with --oom an mls_oom_list. */
extern const mls_report mls_memory_report, mls_oom_report;

typedef struct mls_memory_job {
    const char *file;       /* the config; NULL: none */
    const char *printed_in; /* the log in which the job printed its settings, and they count; NULL: nowhere */
    mls_memory_ask ask;
    mls_memory_answer answer;
    mls_findings findings;
} mls_memory_job;

typedef struct mls_oom_list {
    const mls_memory_job *job; /* NULL: no model was named */
    const mls_oom *items;
    size_t count, dropped;
} mls_oom_list;

/* ---- profile: mls_profiles, one report for each table that --by and --against name; CSV has its rows. */
typedef enum mls_profile_by {
    MLS_PROFILE_BY_CLASS,
    MLS_PROFILE_BY_NAME,
    MLS_PROFILE_BY_STREAM,
    MLS_PROFILE_BY_DEVICE,
    MLS_PROFILE_BY_ANNOTATION,
    MLS_PROFILE_BY_RANK, /* of the job */
    MLS_PROFILE_BY_COLLECTIVE,
    MLS_PROFILE_BY_CHANGE, /* by class, of what changed */
    MLS_PROFILE_BY_COUNT
} mls_profile_by;
extern const mls_report mls_profile_reports[MLS_PROFILE_BY_COUNT];

typedef struct mls_profiles {
    mls_profile **items;
    size_t count, capacity;
    mls_profile_by by;
    const mls_profile *base;            /* what the only one is compared with; NULL: nothing */
    const mls_profile_changes *changes; /* NULL: likewise */
    const mls_ranks *job;               /* that traces among them are of; NULL: none */
    bool each;                          /* the profiles of a job are wanted for themselves too */
} mls_profiles;

/* ---- events: an mls_event after the other, a record and the file it is from */
extern const mls_report mls_events_report;

typedef struct mls_event {
    const char *path;
    const mls_record *record;
} mls_event;

/* ---- diagnose: an mls_diagnosis_list; with --campaign an mls_campaign; help signatures */
extern const mls_report mls_diagnose_report, mls_campaign_report;

typedef struct mls_diagnosis_list {
    mls_diagnosis *items;
    size_t count;
} mls_diagnosis_list;

/* ---- rcp: mls_rcp_listings; CSV has one row a point, or with a batch size one a benchmark, with the limit for it. */
extern const mls_report mls_rcp_report, mls_rcp_limit_report;

typedef struct mls_rcp_listing {
    const mls_edition *edition;
    const mls_benchmark *benchmark;
    mls_rcp_set *set;
    double batch_size; /* the one asked for; NaN: none */
} mls_rcp_listing;

typedef struct mls_rcp_listings {
    mls_rcp_listing *items;
    size_t count;
} mls_rcp_listings;

/* ---- compare: an mls_comparison, of sides, with published results, or of sizes; as the printer's state a bool for
 * people: settings that are the same too, and however many */
extern const mls_report mls_compare_report, mls_nearest_report, mls_scaling_report;

/* ---- published: an mls_published_list, of results, of a trend, of settings that differ or of runs; the last two
 * of results that are opened */
extern const mls_report mls_published_report, mls_published_trend_report, mls_published_settings_report,
    mls_published_runs_report;

typedef struct mls_published_list {
    const mls_published_hit *hits;
    size_t count;                       /* printed */
    size_t total;                       /* found */
    const mls_published_opened *opened; /* NULL: they are not */
} mls_published_list;

/* The scaled minutes of a result as far as they are known: "9.812"; "~9.8" as it was announced; "9.8-10.4" of bounds,
 * which are of what it was before scaling. */
mls_words mls_published_minutes_words(const mls_published_result *result);

/* Append the large parts of the difference from a published result, "samples/s +4.1 %", after a text; nothing if the
 * parts are not known (NULL) or none is large. */
void mls_published_append_why(mls_buffer *words, const char *before, const mls_published_why *why);

/* ---- the tool without a command: an mls_overview; and the fields of groups that it has from other reports */
extern const mls_fields mls_group_fields, mls_published_match_fields, mls_block_fields, mls_timed_group_fields;
extern const mls_report mls_overview_report;

/* ---- report: a page of an mls_overview of logs, which throughput measured with `series`; as the printer's state how
 * much there is of each group */
typedef enum mls_html_detail { MLS_HTML_AUTO, MLS_HTML_ALL, MLS_HTML_BRIEF, MLS_HTML_NONE } mls_html_detail;
extern const mls_report mls_page_report;

/* The printer's state for a comparison: whether to show all settings, also equal ones; and for the page the throughput
 * (with `series`) of the sides that are logs. */
typedef struct mls_compare_beside {
    bool all;
    const mls_throughputs *measured;
    size_t measured_count;
} mls_compare_beside;

/* Write the page of an mls_submission, and of an mls_comparison of sides. */
void mls_html_verify(mls_printer *to, const void *what);
void mls_html_compare(mls_printer *to, const void *what);

/* ---- watch: an mls_watch_event at a time */
extern const mls_report mls_watch_report;

/* ---- rules: an mls_rules_request: editions with their benchmarks, or what a benchmark must log in each division. */
extern const mls_report mls_editions_report, mls_checklist_report;

typedef struct mls_rules_request {
    const mls_editions *editions;
    mls_usage usage;
    const mls_edition *edition; /* NULL: all, or a user's rules */
    const mls_ruleset *ruleset; /* NULL: only the editions are listed */
    const char *benchmark;      /* NULL: none named */
} mls_rules_request;

/* ---- rules --json: an mls_ruleset written out in full, as a rule file that can be loaded; only as JSON */
extern const mls_report mls_rule_file_report;

/* ---- what score and verify share: a check that may not be made; weak scaling; most fields of an RCP verdict */
extern const mls_fields mls_weak_fields;
#define MLS_IF_MADE(row, check) ((check) != MLS_CHECK_NA ? (row) : NULL)
#define MLS_VERDICT_FIELDS(F)                                                                                          \
    F(verdict, message, TEXT, "", row->result.message)                                                                 \
    F(verdict, scale, NUMBER, "", row->result.scale)                                                                   \
    F(verdict, mean, NUMBER_OR_NULL, "", row->result.limit.bar.mean)                                                   \
    F(verdict, limit, NUMBER_OR_NULL, "", row->result.limit.bar.limit)                                                 \
    F(verdict, submission_mean, NUMBER_OR_NULL, "", row->result.submission_mean)
