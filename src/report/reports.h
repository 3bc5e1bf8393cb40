/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - the reports of the commands, one mls_report each, and the structs that they print.  A report only prints
 * results of other modules: it decides nothing and computes no more than sums and ratios of the numbers it shows. */
#pragma once

#include "compare/comparison.h"
#include "compare/config_diff.h"
#include "compare/overview.h"
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

extern const mls_report mls_plan_report, /* an mls_plan */
    mls_score_report,  /* an mls_collection, with an mls_score_beside (may be NULL) as the printer's state */
    mls_verify_report, /* an mls_submission */
    mls_pack_report,   /* an mls_pack */
    /* CSV for comparing: an mls_wide with a row per run; an mls_collection with a row per group, or per system. */
    mls_score_wide_report, mls_summary_report, mls_summary_wide_report,
    mls_throughput_report, /* an mls_throughputs, with an mls_telemetry_notes as the printer's state */
    mls_telemetry_report,  /* an mls_telemetry */
    mls_check_report,      /* one mls_check_log after another, with an mls_check_names as the printer's state */
    mls_events_report,     /* one mls_event after another */
    mls_config_report, mls_config_exports_report, /* an mls_config_list; CSV has a row per config, or per variable */
    mls_config_diff_report,                       /* an mls_config_diff */
    mls_memory_report,                            /* an mls_memory_job */
    mls_oom_report,                               /* an mls_oom_list */
    mls_diagnose_report,                          /* an mls_diagnosis_list */
    mls_campaign_report,                          /* an mls_campaign */
    mls_rcp_report, mls_rcp_limit_report, /* mls_rcp_listings; CSV has a row per point, or the limit of a benchmark */
    /* An mls_comparison of sides, with published results, or of sizes.  The state is an mls_compare_beside. */
    mls_compare_report, mls_nearest_report, mls_scaling_report,
    /* An mls_published_list: results, a trend, settings that differ, or runs; the last two need opened results. */
    mls_published_report, mls_published_trend_report, mls_published_settings_report, mls_published_runs_report,
    mls_overview_report,                       /* an mls_overview */
    mls_page_report,                           /* an mls_overview of logs, with an mls_html_detail as the state */
    mls_watch_report,                          /* one mls_watch_event after another */
    mls_editions_report, mls_checklist_report, /* an mls_rules_request */
    mls_rule_file_report;                      /* an mls_ruleset, only as JSON: a rule file that can be loaded */

/* Data shown next to the scores of groups; NULL: none. */
typedef struct mls_score_beside {
    const mls_telemetry_notes *telemetry;
    const mls_published_near *published; /* one per group, see mls_published_beside */
} mls_score_beside;

/* The names of logs. */
typedef struct mls_check_names {
    const mls_sources *sources; /* that are read */
    bool split;                 /* every log is part of a file */
    size_t width;               /* of the longest path, for aligning; set by the report */
} mls_check_names;

typedef struct mls_check_log {
    const char *path;
    size_t line; /* of the file at which the log starts */
    bool part;   /* it is part of a file, and so named file:line */
    bool valid;  /* it obeys the rules, or stricter ones */
    const mls_run *run;
} mls_check_log;

typedef struct mls_event {
    const char *path;
    const mls_record *record;
} mls_event;

typedef struct mls_config_entry {
    const char *file; /* NULL: there is only a name */
    bool missing;     /* the name of a file that does not exist */
    mls_config_name name;
    mls_shell *script; /* NULL: none was read */
    bool exports;      /* print what it exports: KEY=VALUE, or `# …` for unknown values */
    mls_config_summary summary;
    char *memory;               /* the estimated memory of a GPU, in a line; owned; NULL: unknown, or not requested */
    const mls_printed *printed; /* settings that a log printed before the run whose run_start is in `run_line` */
    size_t run_line;            /* 0: none */
    const mls_known_settings *known;
    mls_findings findings;
} mls_config_entry;

typedef struct mls_config_list {
    mls_config_entry *items;
    size_t count, capacity;
    bool folders; /* some are from a folder: print a row for each and the findings below, else a few lines for each */
} mls_config_list;

typedef struct mls_memory_job {
    const char *file;       /* the config; NULL: none */
    const char *printed_in; /* the log whose printed settings are used; NULL: none */
    mls_memory_ask ask;
    mls_memory_answer answer;
    mls_findings findings;
} mls_memory_job;

typedef struct mls_oom_list {
    const mls_memory_job *job; /* NULL: no model was given */
    const mls_oom *items;
    size_t count, dropped;
} mls_oom_list;

/* The table of profiles that --by or --against selects.  Each has a report, whose CSV has the rows of the table. */
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
    const mls_profile *base;            /* compared with the only item; NULL: none */
    const mls_profile_changes *changes; /* NULL: none */
    const mls_ranks *job;               /* to which traces among the items belong; NULL: none */
    bool each;                          /* show the profiles of a job by themselves, too */
} mls_profiles;

typedef struct mls_diagnosis_list {
    mls_diagnosis *items;
    size_t count;
} mls_diagnosis_list;

typedef struct mls_rcp_listing {
    const mls_edition *edition;
    const mls_benchmark *benchmark;
    mls_rcp_set *set;
    double batch_size; /* as requested; NAN: none */
} mls_rcp_listing;

typedef struct mls_rcp_listings {
    mls_rcp_listing *items;
    size_t count;
} mls_rcp_listings;

typedef struct mls_published_list {
    const mls_published_hit *hits;
    size_t count;                       /* number of printed results */
    size_t total;                       /* number of found results */
    const mls_published_opened *opened; /* NULL: not opened */
} mls_published_list;

/* How much a page contains of each group. */
typedef enum mls_html_detail { MLS_HTML_AUTO, MLS_HTML_ALL, MLS_HTML_BRIEF, MLS_HTML_NONE } mls_html_detail;

/* For a comparison: whether to show equal settings, too; and for the page the throughput of the sides that are logs. */
typedef struct mls_compare_beside {
    bool all;
    const mls_throughputs *measured;
    size_t measured_count;
} mls_compare_beside;

typedef struct mls_rules_request {
    const mls_editions *editions;
    mls_usage usage;
    const mls_edition *edition; /* NULL: all, or a user's rules */
    const mls_ruleset *ruleset; /* NULL: only the editions are listed */
    const char *benchmark;      /* NULL: none was given */
} mls_rules_request;

/* ------------------------------------------- shared by files of this module */

/* Return the name of a path for people ("standard input" of "-"); return a path relative to that of its group. */
const char *mls_path_shown(const char *path);
const char *mls_group_name_below(const mls_group *group, const char *path);

/* Append the degrees of tensor, pipeline, context and expert parallelism, "   tp1 pp1 cp8", if a shape has any. */
void mls_shape_append_degrees(mls_buffer *line, const mls_config_name *shape);

/* Print the heading of a group; print the line of its telemetry.  mls_collection_show_skipped() prints the files
 * without runs, except those that could not be read, which are reported on standard error. */
void mls_group_show_headline(mls_view *view, const mls_group *group);
void mls_group_show_note(mls_view *view, const mls_group *group, const mls_telemetry_notes *notes);
void mls_collection_show_skipped(mls_view *view, const mls_collection *collection);

/* Return the job of a run; NULL: an earlier run has the same job. */
const struct mls_slurm_job *mls_group_new_job(const struct mls_slurm_jobs *jobs, const mls_group *group, size_t run);

/* Print a collection as metrics; append it as a line. */
void mls_score_metrics(mls_printer *to, const void *what);
void mls_score_line(mls_buffer *line, const void *what);

/* Return the scaled minutes of a result as far as they are known: "9.812"; "~9.8" as announced; "9.8-10.4" for bounds
 * of the unscaled minutes. */
mls_words mls_published_minutes_words(const mls_published_result *result);

/* Append the large parts of the difference from a published result, "samples/s +4.1 %", after a text; nothing if the
 * parts are unknown (NULL) or none is large. */
void mls_published_append_why(mls_buffer *words, const char *before, const mls_published_why *why);

/* Write the page of an mls_submission, and of an mls_comparison of sides. */
void mls_html_verify(mls_printer *to, const void *what);
void mls_html_compare(mls_printer *to, const void *what);

/* Fields that several reports have: of an mls_published_place; of files without what was looked for; of groups; of an
 * mls_weak_outcome; and most fields of an RCP verdict.  A check that does not apply is null. */
extern const mls_fields mls_place_fields, mls_skipped_fields, mls_group_fields, mls_published_match_fields,
    mls_block_fields, mls_timed_group_fields, mls_weak_fields;
#define MLS_IF_MADE(row, check) ((check) != MLS_CHECK_NA ? (row) : NULL)
#define MLS_VERDICT_FIELDS(F)                                                                                          \
    F(verdict, message, TEXT, "", row->result.message)                                                                 \
    F(verdict, scale, NUMBER, "", row->result.scale)                                                                   \
    F(verdict, mean, NUMBER_OR_NULL, "", row->result.limit.bar.mean)                                                   \
    F(verdict, limit, NUMBER_OR_NULL, "", row->result.limit.bar.limit)                                                 \
    F(verdict, submission_mean, NUMBER_OR_NULL, "", row->result.submission_mean)

/* ---- words and numbers of comparisons that several reports print ---- */

/* Append "b200 is slower"; append "+27.1 %   95 %: +0.047 … +0.864" as far as it is known. */
void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference);
void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference);

/* Return the mean of a part over the kept runs; NAN: not known.  Evaluations that are not delimited count as training.
 */
double mls_compare_part(const mls_side_group *group, mls_part part);

/* Return whether a group converges in epochs. */
bool mls_compare_epochs(const mls_side_group *group);

/* Return "samples to converge" or "epochs/h in training"; return samples/s or epochs/h if training takes `ms`. */
mls_words mls_compare_label(const mls_side_group *group, mls_share share);
double mls_compare_rate(const mls_side_group *group, double ms);

/* Return the round of a group's edition: "5.1" of "5.1.0".  The bytes belong to the group. */
mls_str mls_compare_round(const mls_side_group *group);

/* ---- texts of an overview ---- */

/* Append the precision that the first run printed: "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group);

/* The answers of an overview, each with its label in a terminal, which is also its CSS class, and its label in a page.
 * Nothing is appended if there is no answer. */
typedef struct mls_overview_answer {
    const char *label, *title;
    mls_style style;
    void (*append)(mls_buffer *line, const mls_overview_group *of);
} mls_overview_answer;
typedef enum mls_overview_question {
    MLS_OVERVIEW_FIRST,   /* the main finding */
    MLS_OVERVIEW_PLACE,   /* among published results */
    MLS_OVERVIEW_AGAINST, /* the comparison with --against */
    MLS_OVERVIEW_WHY,     /* the causes of the difference */
    MLS_OVERVIEW_DIFFERS, /* settings */
    MLS_OVERVIEW_INSIDE,  /* the time breakdown */
    MLS_OVERVIEW_MACHINE,
    MLS_OVERVIEW_ANSWERS
} mls_overview_question;
extern const mls_overview_answer mls_overview_answers[MLS_OVERVIEW_ANSWERS];
