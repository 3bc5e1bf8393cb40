/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.h - compare runs: which side is faster, whether the difference is significant, and where it comes from.
 *
 * A side is a set of paths: logs, exports of `mlscore score`, or published results
 * ("published:5.1,NVIDIA,theia_ngpu72"). mls_compare() reads the sides into groups of runs, matches each group with the
 * baseline's group of the same benchmark, and compares the two.  In other modes it finds published results next to each
 * group, or measures how they scale.
 *
 * Times are minutes if the name says so, else milliseconds.  Unknown values are NAN or NULL. */
#pragma once

#include "compare/published/published.h"
#include "run/settings.h"
#include "score/collect.h"

/** Limits: the size of an export in bytes (an export is read into memory as a whole), and the number of groups that are
 * compared with each other. */
#define MLS_EXPORT_BYTES_MAX ((size_t)1 << 30)
#define MLS_COMPARED_GROUPS_MAX ((size_t)5000)

/** A setting of a run.  A text that is a number is stored as a number; other values are stored as the texts that CSV
 * shows. */
typedef enum mls_setting_kind { MLS_SETTING_NUMBER, MLS_SETTING_BOOL, MLS_SETTING_TEXT } mls_setting_kind;
typedef struct mls_setting {
    mls_str key;
    mls_setting_kind kind;
    double number; /**< 1 or 0 for a boolean */
    mls_str text;  /**< the text with control characters escaped */
} mls_setting;

typedef MLS_LIST_OF(mls_setting) mls_settings;

typedef struct mls_side_run {
    const char *file;
    const char *reason; /**< why the run is not valid; NULL: the run is valid, or the reason is unknown */
    bool valid;
    mls_olympic_mark mark;
    double start_ms; /**< time of run_start since 1970; 0 or NAN: unknown */
    double minutes, init_minutes;
    double to_converge;
    const char *unit; /**< unit of to_converge: "samples" or "epochs" */
    bool has_ms;      /**< `ms` is known: the time from run_start to run_stop */
    int64_t ms;
    bool has_init;
    int64_t init_ms;
    bool has_parts; /**< part_ms is known: mls_parts in whole milliseconds, which add up to ms */
    bool evaluation_delimited;
    int64_t part_ms[MLS_PART_COUNT];
    size_t evaluations;
    mls_settings settings, environment;
    mls_settings printed; /**< known settings under their names in the table, others under the printed names */
} mls_side_run;

/** The exact sum of a value over the kept runs. */
typedef struct mls_sum {
    bool known; /**< every run has the value */
    int64_t sum;
} mls_sum;
double mls_sum_mean(const mls_sum *sum, size_t count); /**< NAN if the sum is unknown or count is 0 */

/** A named set of paths. */
typedef struct mls_side {
    const char *name;
    MLS_LIST_OF(const char *) paths;
    bool given;          /**< the user chose the name */
    double accelerators; /**< default accelerator count of the groups of this side; 0: unknown */
} mls_side;

typedef MLS_LIST_OF(mls_side *) mls_side_list;

/** Return the side with this name, or NULL if no side has the name. */
mls_side *mls_side_find(const mls_side_list *sides, mls_str name);

/** Find the side with this name, or create the side; then add a path to the side and return the side. */
mls_side *mls_side_add(mls_side_list *sides, struct mls_arena *arena, mls_str name, const char *path);

/** The runs of one result, on one side. */
typedef struct mls_side_group {
    const mls_side *side;
    struct mls_side_group *met; /**< the matching group of the baseline, or of another side; NULL: no group matches */
    const char *path, *benchmark, *config, *accelerator;
    const char *folder;    /**< folder that contains all logs; NULL: several folders, or no logs */
    const char *system_id; /**< name of the folder results/<system>; NULL: the logs are not in such a folder */
    const mls_published_result *published; /**< NULL: not published; a result whose logs are not public has no runs */
    const mls_group *logged; /**< the scored group, owned by a collection of the comparison; NULL: not from logs */
    mls_usage usage;
    mls_division division;
    const char *edition;                    /**< "5.1.0"; "": unknown */
    double global_batch_size, accelerators; /**< for weak scaling: values of each model */
    bool official;
    bool refused; /**< in an export: convergence or seeds failed, so the score is invalid */
    bool weak;    /**< weak scaling: many models in parallel, scored by the time until all are done */
    size_t dropped;
    double score_minutes, scale, scaled_minutes;
    MLS_LIST_OF(mls_side_run) runs;
    /* Computed by mls_side_group_measure(). */
    size_t valid, kept;
    double mean_minutes, stdev_minutes; /**< mean and sample standard deviation (n - 1) of the valid runs */
    double to_converge;                 /**< mean over the kept runs, if all have a positive value in one unit */
    const char *unit;
    mls_sum ms, init_ms, evaluations; /**< sums over the kept runs */
    mls_sum parts[MLS_PART_COUNT];    /**< sums over the kept runs; either all parts are known or all are unknown */
} mls_side_group;

typedef enum mls_compare_verdict {
    MLS_COMPARE_FASTER, /**< the confidence interval of the difference is below 0 */
    MLS_COMPARE_SLOWER, /**< the confidence interval of the difference is above 0 */
    MLS_COMPARE_NONE,   /**< no significant difference */
    MLS_COMPARE_TOO_FEW,
    MLS_COMPARE_NO_SCORE,
    MLS_COMPARE_NOT_PUBLIC /**< the runs of a published result are not public: only its scaled score is known */
} mls_compare_verdict;

const char *mls_compare_verdict_name(mls_compare_verdict verdict); /**< NULL for NOT_PUBLIC */

/** The shares of a difference, in the order in which they are listed.  If the two shares before `training` are
 * unknown, `training` replaces them; `evaluation` does so in the same way; if no parts are known, `run` replaces all.
 */
#define MLS_SHARE_LIST(S)                                                                                              \
    S(CONVERGENCE, convergence)                                                                                        \
    S(THROUGHPUT, throughput)                                                                                          \
    S(TRAINING, training)                                                                                              \
    S(EVALUATIONS, evaluations)                                                                                        \
    S(EVALUATION_TIME, evaluation_time)                                                                                \
    S(EVALUATION, evaluation)                                                                                          \
    S(STARTUP, startup)                                                                                                \
    S(BETWEEN, between)                                                                                                \
    S(TAIL, tail)                                                                                                      \
    S(RUN, run)
#define MLS_SHARE_ID(id, name) MLS_SHARE_##id,
typedef enum mls_share { MLS_SHARE_LIST(MLS_SHARE_ID) MLS_SHARE_COUNT } mls_share;
const char *mls_share_name(mls_share share);

/** Return a share in words with its direction, such as "slower pace" or "more samples".  `unit` is the unit of
 * convergence: "samples" or "epochs".
 * Return NULL for startup, between, tail and the whole run. */
const char *mls_share_direction(mls_share share, const char *unit, bool longer);

/** The mean time of b minus the mean time of a, split into shares of whole milliseconds whose sum is exactly total_ms.
 * Products of two factors are split evenly between them (Shapley value). */
typedef struct mls_split {
    bool known;
    int64_t total_ms;
    bool has[MLS_SHARE_COUNT];
    int64_t ms[MLS_SHARE_COUNT];
} mls_split;
void mls_split_make(const mls_side_group *a, const mls_side_group *b, mls_split *split);

typedef struct mls_difference {
    const mls_side_group *a, *b; /**< the group of the baseline, and the other group */
    /** Differences of the scores: b - a, b / a - 1; scaled_ratio of the scaled scores. */
    double minutes, ratio, scaled_ratio;
    bool has_interval;
    bool of_mean; /**< the interval is for the means of all valid runs instead of the scores */
    double low_minutes, high_minutes, degrees, p;
    double mann_whitney_p, min_p; /**< p value, and the smallest one possible with this number of runs */
    double detectable_ratio;      /**< smallest difference detected with 80 % power by this number of runs */
    bool within_variance;         /**< significant, but within the variance that MLCommons allows */
    mls_compare_verdict verdict;
    mls_split split;
    bool has_init;
    int64_t init_ms;
    size_t same_runs; /**< runs on both sides with the same run_start and length in milliseconds */
} mls_difference;

/** Return whether both sides contain the same runs, apart from an equal number of runs with unknown times. */
bool mls_difference_all_same(const mls_difference *difference);

/** Compare b with a: Welch's interval of the trimmed means (Yuen) if both have at least two kept runs, else of the
 * means of the valid runs, and the exact Mann-Whitney test of the valid runs. */
void mls_difference_make(const mls_side_group *a, const mls_side_group *b, mls_difference *difference);

mls_published_query mls_query_of_side(const mls_side_group *group);

/** Read the config next to the logs of a group: the config whose name the logs contain or, if the logs do not contain a
 * name, the only config whose name has a shape.  Free *script with mls_shell_free() and *path with free().  Both are
 * NULL if a readable config does not exist. */
void mls_side_group_config(const mls_side_group *group, mls_shell **script, char **path);

void mls_side_group_measure(mls_side_group *group);

/** A value of a key, and the number of runs of a side that have this value. */
typedef struct mls_setting_value {
    mls_setting setting;
    bool lacking; /**< these runs do not have the key */
    size_t runs;
} mls_setting_value;

/** The values of a key in one group of a block, the most frequent first. */
typedef struct mls_setting_values {
    const mls_side_group *group;
    mls_setting_value *items;
    size_t count, capacity; /**< more than 1: the value varies within the side */
    size_t upto;            /**< number of runs up to the last one that has the key */
} mls_setting_values;
typedef struct mls_differing {
    mls_str key;
    mls_setting_values *values; /**< one for each group of the block */
    size_t value_count;
    bool differs;                   /**< false: all runs have the same value */
    const mls_known_setting *known; /**< row of a printed setting with a known effect; NULL for others */
    bool exported;                  /**< exported by the configs next to the logs, and not printed */
} mls_differing;
typedef struct mls_differings {
    mls_differing *items;
    size_t count, capacity, differ;
} mls_differings;

/** A setting that differs between two groups, with the most frequent values. */
typedef struct mls_why_setting {
    mls_str key;
    mls_setting_value yours, theirs;
    const mls_known_setting *known; /**< row of a printed setting; NULL: a hyperparameter, or an unknown setting */
} mls_why_setting;

/** The parts of the difference between the scores of a group and a published result, before scaling. */
typedef struct mls_published_why {
    mls_split split;
    double theirs_ms;                      /**< the published score before scaling */
    double scale_ratio;                    /**< scale of the group over that of the result, minus 1 */
    const char *unit;                      /**< unit of convergence */
    MLS_LIST_OF(mls_why_setting) settings; /**< printed settings sorted by group, then hyperparameters sorted by key */
} mls_published_why;

#define MLS_WHY_LEAST 0.003
enum { MLS_WHY_PARTS = 2, MLS_WHY_PARTS_MAX = 8 }; /**< number of parts in a line, and of all parts */
typedef struct mls_why_part {
    const char *name;
    double ratio;
} mls_why_part;

/** Store the largest parts in `parts` and return their number, at most `limit`.  Parts smaller than `least` times the
 * published score are omitted.  Example of a part: "slower pace" with the ratio 0.041 costs 4.1 % of the score. */
size_t mls_why_parts(const mls_published_why *why, double least, mls_why_part *parts, size_t limit);

/** A run whose time per sample is far from the time per sample of the other runs of its group. */
typedef struct mls_outlier {
    const mls_side_group *group;
    const mls_side_run *run;
    double ratio; /**< milliseconds per sample of this run divided by the median of the group, minus 1 */
} mls_outlier;

/** Groups that were matched with each other; the first one is the group of the baseline. */
typedef struct mls_block {
    mls_side_group **groups;
    mls_difference *differences; /**< differences[i] compares groups[i] with groups[0], for i from 1 */
    size_t group_count;
    mls_differings hyperparameters, environment; /**< all keys; for the environment only those that differ */
    /** Differing settings that both printed: known ones by group, then the others. */
    mls_differings printed, printed_others;
    mls_differings exported, exported_others; /**< the same for settings that only the configs export */
    MLS_LIST_OF(mls_outlier) outliers;
} mls_block;

/** Return the parts of the difference between groups[1] and groups[0] of a block. */
const mls_published_why *mls_why_of_block(struct mls_arena *arena, const mls_block *block);

typedef struct mls_unmatched {
    const mls_side_group *group;
    const char *reason;
} mls_unmatched;

/** A series: groups of one benchmark and accelerator model. */
typedef struct mls_scaling_point {
    mls_side_group *group;
    double speedup, efficiency, algorithmic, system;
} mls_scaling_point;
typedef struct mls_scaling_series {
    mls_scaling_point *points; /**< sorted by accelerators, then minutes; the first one is the reference */
    size_t count;
} mls_scaling_series;

#define MLS_BESIDE_MOST 5 /**< number of published results shown next to a group */

/** A group, the published results nearest to it, and its neighbours in the ranking. */
typedef struct mls_published_match {
    const mls_side_group *group;
    mls_published_near near[MLS_BESIDE_MOST];
    size_t count;
    mls_published_near *around; /**< see mls_published_around() */
    size_t around_count;
    mls_published_place place;
} mls_published_match;

/** An export that could not be read.  If the line of the error is 0, the line is unknown. */
typedef struct mls_side_problem {
    const char *path;
    mls_error error;
} mls_side_problem;

typedef enum mls_compare_mode {
    MLS_COMPARE_SIDES,
    MLS_COMPARE_PUBLISHED,
    MLS_COMPARE_SCALING,
    MLS_COMPARE_NOTHING /**< only read and measure the groups */
} mls_compare_mode;

typedef struct mls_compare_request {
    mls_compare_mode mode;
    mls_side_list sides;
    const char *baseline;  /**< NULL: the first side */
    const char *submitter; /**< submitter of the published results; NULL: any submitter */
    size_t around;         /**< number of neighbours in the ranking on either side */
    bool placed;           /**< with MLS_COMPARE_SIDES: also find published results next to their groups */
    mls_collect_options collect;
} mls_compare_request;

/** A comparison.  It owns all data its members point to, except the sides of the request. */
typedef struct mls_comparison {
    mls_compare_mode mode;
    mls_side_list sides;
    const mls_side *baseline;             /**< NULL: there are no sides */
    MLS_LIST_OF(mls_side_group *) groups; /**< groups of all sides, in the order of the sides */
    MLS_LIST_OF(mls_block) blocks;
    MLS_LIST_OF(mls_unmatched) unmatched;
    MLS_LIST_OF(mls_scaling_series) series;
    MLS_LIST_OF(mls_published_match) beside;
    MLS_LIST_OF(mls_side_problem) problems;
    MLS_LIST_OF(const char *) candidates; /**< sides that an ambiguous published side could mean, in its words */
    mls_known_settings known;
    mls_published opened;                            /**< results of all usages, if a side is published */
    mls_published published[MLS_USAGE_COUNT];        /**< results of the requested usages */
    mls_side_group **opened_groups[MLS_USAGE_COUNT]; /**< groups of these results, once they are opened */
    mls_collection *collections;                     /**< logs of each named side */
    size_t collection_count;
    struct mls_arena *arena;
} mls_comparison;

/** Read the sides and compare them.  A single side is split into one side per group.  Unreadable files are listed in
 * `skipped` of the collections, with `failed` set, and in `problems`.  Return MLS_OK, MLS_ERROR_LIMIT, an error of
 * mls_collect(), or MLS_ERROR_VALUE (a single side with fewer than two groups, an unknown baseline, or a published side
 * that matches no result or several systems).  Release *comparison in any case, before the editions of the options. */
mls_status mls_compare(const mls_compare_request *request, mls_comparison *comparison, mls_error *error) MLS_MUST_USE;

/** Return whether every block has a score comparable with the baseline's and, if `slower_fails` is set, no group is
 * slower than the baseline's. */
bool mls_comparison_passes(const mls_comparison *comparison, bool slower_fails);
void mls_comparison_release(mls_comparison *comparison);
