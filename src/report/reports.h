/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - the reports of the commands (formats.h), and the structs that the reports print.
 *
 * A report only prints results of other modules.  It does not judge, and computes only sums and ratios of the numbers
 * that it shows. */
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
#include "submission/review.h"
#include "submission/submission.h"

/* Print the fields and the columns of every report, for the documentation.  Each line contains the section of
 * mlscore-formats(5), the name and the type. */
void mls_reports_print_fields(mls_output *output);

/* The comment of each report names the struct to pass to mls_print_item().  If the report needs a state, the comment
 * also names the struct to pass to mls_print_begin() as the state. */
extern const mls_report mls_plan_report, /* an mls_plan */
    mls_score_report,                    /* an mls_collection; the state is an mls_score_beside, or NULL */
    mls_verify_report,                   /* an mls_submission */
    mls_review_report,                   /* an mls_review */
    mls_pack_report,                     /* an mls_pack */
    mls_score_wide_report,               /* an mls_wide; CSV has a row per run, with a column per setting */
    mls_summary_report,                  /* an mls_collection; CSV has a row per group */
    mls_summary_wide_report,             /* an mls_collection; CSV has a row per system, with a column per benchmark */
    mls_throughput_report,               /* an mls_throughputs; the state is an mls_telemetry_notes */
    mls_telemetry_report,                /* an mls_telemetry */
    mls_check_report,                    /* one mls_check_log after another; the state is an mls_check_names */
    mls_events_report,                   /* one mls_event after another */
    mls_config_report,                   /* an mls_config_list; CSV has a row per config */
    mls_config_exports_report,           /* an mls_config_list; CSV has a row per exported variable */
    mls_config_diff_report,              /* an mls_config_diff */
    mls_memory_report,                   /* an mls_memory_job */
    mls_oom_report,                      /* an mls_oom_list */
    mls_diagnose_report,                 /* an mls_diagnosis_list */
    mls_campaign_report,                 /* an mls_campaign */
    mls_rcp_report,                      /* an mls_rcp_listings; CSV has a row per reference point */
    mls_rcp_limit_report,                /* an mls_rcp_listings; CSV has a row per benchmark, its limit */
    /* These print an mls_comparison; the state is an mls_compare_beside. */
    mls_compare_report, /* the sides, compared with the baseline */
    mls_nearest_report, /* each group, compared with published results */
    mls_scaling_report, /* minutes by number of accelerators */
    /* These print an mls_published_list. */
    mls_published_report,                      /* the results */
    mls_published_trend_report,                /* how the fastest result changed */
    mls_published_settings_report,             /* the settings that differ; needs opened results */
    mls_published_runs_report,                 /* the runs of each result; needs opened results */
    mls_overview_report,                       /* an mls_overview */
    mls_page_report,                           /* an mls_overview of logs; the state is an mls_html_detail */
    mls_watch_report,                          /* one mls_watch_event after another */
    mls_editions_report, mls_checklist_report, /* an mls_rules_request */
    mls_rule_file_report;                      /* an mls_ruleset; only JSON, which can be loaded as a rule file */

/* Data shown next to the scores of groups.  A member that is NULL is not shown. */
typedef struct mls_score_beside {
    const mls_telemetry_notes *telemetry;
    const mls_published_near *published; /* an array with an element per group */
} mls_score_beside;

/* How logs are named in the report of check. */
typedef struct mls_check_names {
    const mls_sources *sources; /* the files and folders that are read */
    bool split;                 /* --split: every log is named file:line, since it may be part of a file */
    size_t width;               /* width of the longest path, for aligning; set by the report */
} mls_check_names;

typedef struct mls_check_log {
    const char *path;
    size_t line; /* number of the line of the file at which the log starts */
    bool part;   /* the log is part of a file, and is therefore named file:line */
    bool valid;  /* the log passes; with --strict, warnings and advice fail it, too */
    const mls_run *run;
} mls_check_log;

typedef struct mls_event {
    const char *path;
    const mls_record *record;
} mls_event;

typedef struct mls_config_entry {
    const char *file; /* path of the config; NULL: only a name was given */
    bool missing;     /* the file does not exist; only its name is decoded */
    mls_config_name name;
    mls_shell *script; /* the file as a shell script; NULL: it was not read */
    bool exports;      /* print the variables that the script exports: KEY=VALUE, or `# …` for unknown values */
    mls_config_summary summary;
    char *memory;               /* the estimated memory of a GPU, as a line; owned; NULL: unknown, or not requested */
    const mls_printed *printed; /* settings that a log printed before a run */
    size_t run_line;            /* line of the run_start of this run; 0: the log does not contain a run */
    const mls_known_settings *known;
    mls_findings findings;
} mls_config_entry;

typedef struct mls_config_list {
    mls_config_entry *items;
    size_t count, capacity;
    bool folders; /* configs were found in a folder: print a table with a row per config and the findings below it;
                   * otherwise print a few lines per config */
} mls_config_list;

typedef struct mls_memory_job {
    const char *file;       /* path of the config; NULL: no config was given */
    const char *printed_in; /* path of the log whose printed settings are used; NULL: no log was given */
    mls_memory_logged logged;
    mls_memory_ask ask;
    mls_memory_answer answer;
    mls_findings findings;
} mls_memory_job;

typedef struct mls_oom_list {
    const mls_memory_job *job; /* NULL: no model was given */
    const mls_oom *items;
    size_t count, dropped;
} mls_oom_list;

/* The tables of profiles that --by or --against selects.  Each has its own report, whose CSV has the same rows. */
typedef enum mls_profile_by {
    MLS_PROFILE_BY_CLASS,
    MLS_PROFILE_BY_NAME,
    MLS_PROFILE_BY_STREAM,
    MLS_PROFILE_BY_DEVICE,
    MLS_PROFILE_BY_ANNOTATION,
    MLS_PROFILE_BY_RANK, /* ranks of the job */
    MLS_PROFILE_BY_COLLECTIVE,
    MLS_PROFILE_BY_CHANGE, /* --against: the change of each class */
    MLS_PROFILE_BY_COUNT
} mls_profile_by;
extern const mls_report mls_profile_reports[MLS_PROFILE_BY_COUNT];

typedef struct mls_profiles {
    mls_profile **items;
    size_t count, capacity;
    mls_profile_by by;
    const mls_profile *base;            /* the profile with which the only item is compared; NULL: no comparison */
    const mls_profile_changes *changes; /* the result of this comparison; NULL: no comparison */
    const mls_ranks *job;               /* the job whose ranks are among the items; NULL: the items are not a job */
    bool each;                          /* also show the profile of each rank of a job */
} mls_profiles;

typedef struct mls_diagnosis_list {
    mls_diagnosis *items;
    size_t count;
} mls_diagnosis_list;

typedef struct mls_rcp_listing {
    const mls_edition *edition;
    const mls_benchmark *benchmark;
    mls_rcp_set *set;
    double batch_size; /* the requested batch size; NAN: not requested */
} mls_rcp_listing;

typedef struct mls_rcp_listings {
    mls_rcp_listing *items;
    size_t count;
} mls_rcp_listings;

typedef struct mls_published_list {
    const mls_published_hit *hits;
    size_t count;                       /* number of printed results */
    size_t total;                       /* number of found results */
    const mls_published_opened *opened; /* settings and runs of the hits; NULL: they were not read */
} mls_published_list;

/* How much a page contains of each group. */
typedef enum mls_html_detail { MLS_HTML_AUTO, MLS_HTML_ALL, MLS_HTML_BRIEF, MLS_HTML_NONE } mls_html_detail;

/* How to print a comparison. */
typedef struct mls_compare_beside {
    bool all;                        /* show equal settings, too */
    const mls_throughputs *measured; /* HTML: an array with the throughput of each side that is logs */
    size_t measured_count;
} mls_compare_beside;

typedef struct mls_rules_request {
    const mls_editions *editions;
    mls_usage usage;
    const mls_edition *edition; /* NULL: all editions, or the rules are in a file of the user */
    const mls_ruleset *ruleset; /* NULL: only editions are listed */
    const char *benchmark;      /* NULL: no benchmark was given */
} mls_rules_request;

/* ------------------------------------------- shared by files of this module */

/* Return the name of a path for people: "standard input" for "-", otherwise the path. */
const char *mls_path_shown(const char *path);

/* Return a path relative to the path of its group. */
const char *mls_group_name_below(const mls_group *group, const char *path);

/* Append which run or runs a cost is about, and why: "run 4 slow (startup)". */
void mls_cost_append_what(mls_buffer *line, const mls_throughput_group *timed, const mls_cost *cost);

/* Append the degrees of tensor, pipeline, context and expert parallelism, as in "   tp1 pp1 cp8".  Append nothing if
 * the shape does not contain degrees. */
void mls_shape_append_degrees(mls_buffer *line, const mls_config_name *shape);

/* Print the heading of a group. */
void mls_group_show_headline(mls_view *view, const mls_group *group);

/* Print the line about the telemetry of a group. */
void mls_group_show_note(mls_view *view, const mls_group *group, const mls_telemetry_notes *notes);

/* Print the files without runs.  Omit files that could not be read, since they are reported on standard error. */
void mls_collection_show_skipped(mls_view *view, const mls_collection *collection);

/* Return the Slurm job of a run; NULL if the job is unknown or an earlier run of the group has the same job. */
const struct mls_slurm_job *mls_group_new_job(const struct mls_slurm_jobs *jobs, const mls_group *group, size_t run);

/* Print an mls_collection as metrics. */
void mls_score_metrics(mls_printer *to, const void *what);

/* Append an mls_collection as one line. */
void mls_score_line(mls_buffer *line, const void *what);

/* Return the scaled minutes of a result, such as "9.812".  If only the announced minutes are known, return "~9.8".  If
 * only bounds of the unscaled minutes are known, return "9.8-10.4". */
mls_words mls_published_minutes_words(const mls_published_result *result);

/* Append `before` and the large parts of the difference from a published result, such as "samples/s +4.1 %".  Append
 * nothing if `why` is NULL (the parts are unknown) or all parts are small. */
void mls_published_append_why(mls_buffer *words, const char *before, const mls_published_why *why);

/* Write the page of an mls_submission. */
void mls_html_verify(mls_printer *to, const void *what);

/* Write the page of an mls_review. */
void mls_html_review(mls_printer *to, const void *what);

/* Write the page of an mls_comparison of sides. */
void mls_html_compare(mls_printer *to, const void *what);

/* Tables of fields that several reports share. */
extern const mls_fields mls_place_fields, /* an mls_published_place */
    mls_skipped_fields,                   /* an mls_source without the expected data, such as a file without runs */
    mls_group_fields,                     /* an mls_group */
    mls_published_match_fields,           /* an mls_published_match */
    mls_block_fields,                     /* an mls_block */
    mls_timed_group_fields,               /* an mls_throughput_group */
    mls_weak_fields;                      /* an mls_weak_outcome */

/* Return the row of a check; NULL if the check does not apply. */
#define MLS_IF_MADE(row, check) ((check) != MLS_CHECK_NA ? (row) : NULL)

/* Most fields of an RCP verdict. */
#define MLS_VERDICT_FIELDS(F)                                                                                          \
    F(verdict, message, TEXT, "", row->result.message)                                                                 \
    F(verdict, scale, NUMBER, "", row->result.scale)                                                                   \
    F(verdict, mean, NUMBER_OR_NULL, "", row->result.limit.bar.mean)                                                   \
    F(verdict, limit, NUMBER_OR_NULL, "", row->result.limit.bar.limit)                                                 \
    F(verdict, submission_mean, NUMBER_OR_NULL, "", row->result.submission_mean)

/* ---- words and numbers of comparisons that several reports print ---- */

/* Append the verdict, such as "b200 is slower". */
void mls_compare_append_verdict(mls_buffer *words, const mls_difference *difference);

/* If the measured and the scaled scores have different verdicts, append a sentence about both, such as "b200 is 1.3 %
 * faster as measured, but scores 2.1 % slower: it needed less training than the reference and is scaled by 1.035". */
void mls_compare_append_disagreement(mls_buffer *words, const mls_difference *difference);

/* Append the difference and its 95 % confidence interval in minutes, such as "+27.1 %   95 %: +0.047 … +0.864".  Omit
 * unknown numbers. */
void mls_compare_append_interval(mls_buffer *line, const mls_difference *difference);

/* Return the mean of a part over the kept runs, in milliseconds; NAN if it is unknown.  If the logs do not delimit
 * evaluations, evaluation time counts as training time. */
double mls_compare_part(const mls_side_group *group, mls_part part);

/* Return whether convergence of a group is measured in epochs rather than samples. */
bool mls_compare_epochs(const mls_side_group *group);

/* Return the label of a share: "samples to converge" for MLS_SHARE_CONVERGENCE, otherwise "samples/s in training"; for
 * groups that converge in epochs, "epochs to converge" and "epochs/h in training". */
mls_words mls_compare_label(const mls_side_group *group, mls_share share);

/* Return the rate of a group, in samples/s or epochs/h, if its training takes `ms` milliseconds. */
double mls_compare_rate(const mls_side_group *group, double ms);

/* Return the round of a group's edition, such as "5.1" for "5.1.0".  The group owns the bytes. */
mls_str mls_compare_round(const mls_side_group *group);

/* ---- texts of an overview ---- */

/* Append the precision that the first run of a group printed, such as "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group);

/* An answer of an overview: one line about a group. */
typedef struct mls_overview_answer {
    const char *label, *title; /* label in a terminal and CSS class in a page; label in a page */
    mls_style style;
    /* Append the answer, or nothing if the data for it is missing. */
    void (*append)(mls_buffer *line, const mls_overview_group *of);
} mls_overview_answer;
typedef enum mls_overview_question {
    MLS_OVERVIEW_FIRST,   /* the main finding */
    MLS_OVERVIEW_PLACE,   /* the rank among published results */
    MLS_OVERVIEW_AGAINST, /* the comparison with --against */
    MLS_OVERVIEW_WHY,     /* the causes of the difference */
    MLS_OVERVIEW_DIFFERS, /* the settings that differ */
    MLS_OVERVIEW_INSIDE,  /* the time breakdown */
    MLS_OVERVIEW_MACHINE,
    MLS_OVERVIEW_ANSWERS
} mls_overview_question;
extern const mls_overview_answer mls_overview_answers[MLS_OVERVIEW_ANSWERS];
