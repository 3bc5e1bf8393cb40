/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.h - compare runs: which side is faster, whether the difference is significant, and where it comes from.
 *
 * A side is a set of paths: logs, exports of `mlscore score`, or a published result
 * ("published:5.1,NVIDIA,theia_ngpu72").  mls_compare() reads the runs of each side as groups, one group per result.
 * It matches each group with the group of the baseline side on the same benchmark, and compares the two.  In other
 * modes, it finds published results near each group, or computes how the groups scale.
 *
 * Times are in minutes if the member's name contains "minutes", otherwise in milliseconds.  Unknown numbers are NAN,
 * unknown texts NULL. */
#pragma once

#include "compare/published/published.h"
#include "run/settings.h"
#include "score/collect.h"

/** Limits: the maximum size of an export in bytes, because an export is read into memory as a whole, and the maximum
 * number of groups that are compared with each other. */
#define MLS_EXPORT_BYTES_MAX ((size_t)1 << 30)
#define MLS_COMPARED_GROUPS_MAX ((size_t)5000)

/** A setting of a run.  A text that contains a number is stored as a number, so that settings from JSON and CSV can be
 * compared. */
typedef enum mls_setting_kind { MLS_SETTING_NUMBER, MLS_SETTING_BOOL, MLS_SETTING_TEXT } mls_setting_kind;
typedef struct mls_setting {
    mls_str key;
    mls_setting_kind kind;
    double number; /**< the value of a number; 1 or 0 for a boolean */
    mls_str text;  /**< the value as text, with control characters escaped */
} mls_setting;

typedef MLS_LIST_OF(mls_setting) mls_settings;

typedef struct mls_side_run {
    const char *file;
    const char *reason; /**< why the run is not valid; NULL: the run is valid, or the reason is unknown */
    bool valid;
    mls_olympic_mark mark;
    double start_ms; /**< time of run_start in milliseconds since 1970; 0 or NAN: unknown */
    double minutes, init_minutes;
    double to_converge;
    const char *unit; /**< unit of to_converge: "samples" or "epochs" */
    bool has_ms;      /**< `ms`, the time from run_start to run_stop, is known */
    int64_t ms;
    bool has_init;
    int64_t init_ms;
    /** part_ms is known: the parts of the run as in mls_parts, in whole milliseconds, whose sum is `ms`. */
    bool has_parts;
    bool evaluation_delimited;
    int64_t part_ms[MLS_PART_COUNT];
    size_t evaluations;
    mls_settings settings, environment;
    /** Settings that the job printed; known settings have their name in the table (see run/settings.h), others their
     * printed name. */
    mls_settings printed;
} mls_side_run;

/** The exact sum of a value over the kept runs of a group. */
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
    double accelerators; /**< accelerator count of groups for which it is unknown; 0: not given */
} mls_side;

typedef MLS_LIST_OF(mls_side *) mls_side_list;

/** Return the side with a name; NULL if there is none. */
mls_side *mls_side_find(const mls_side_list *sides, mls_str name);

/** Add a path to the side with a name, which is created if necessary, and return the side. */
mls_side *mls_side_add(mls_side_list *sides, struct mls_arena *arena, mls_str name, const char *path);

/** The runs of one result, on one side. */
typedef struct mls_side_group {
    const mls_side *side;
    struct mls_side_group *met; /**< the group that this group is matched with; NULL: none */
    const char *path, *benchmark, *config, *accelerator;
    /** Folder that contains all logs of the group; NULL: several folders, or no logs. */
    const char *folder;
    /** Name of the system's folder in the results of a submission; NULL: the logs are not in such a folder. */
    const char *system_id;
    /** The published result from which the group was made, without runs if its logs are not public; NULL: another
     * source. */
    const mls_published_result *published;
    /** The scored group of logs, which belongs to a collection of the comparison; NULL: not from logs. */
    const mls_group *logged;
    mls_usage usage;
    mls_division division;
    const char *edition;                    /**< "5.1.0"; "": unknown */
    double global_batch_size, accelerators; /**< for weak scaling, the values of one model */
    bool official;
    bool refused; /**< according to an export, the check of convergence or seeds failed, so the score is not valid */
    /** The result is of weak scaling: many models are trained in parallel, and the score is the time until all are
     * done. */
    bool weak;
    size_t dropped;
    double score_minutes, scale, scaled_minutes;
    MLS_LIST_OF(mls_side_run) runs;
    /* Computed by mls_side_group_measure(). */
    size_t valid, kept;
    double mean_minutes, stdev_minutes; /**< over the valid runs; the sample standard deviation, with n - 1 */
    /** Mean over the kept runs; NAN unless all have a positive value in the same unit. */
    double to_converge;
    const char *unit;
    mls_sum ms, init_ms, evaluations; /**< over the kept runs */
    mls_sum parts[MLS_PART_COUNT];    /**< over the kept runs; all parts are known, or none */
} mls_side_group;

typedef enum mls_compare_verdict {
    MLS_COMPARE_FASTER, /**< the whole confidence interval of the difference is below 0 */
    MLS_COMPARE_SLOWER, /**< the whole confidence interval of the difference is above 0 */
    MLS_COMPARE_NONE,   /**< no significant difference */
    MLS_COMPARE_TOO_FEW,
    MLS_COMPARE_NO_SCORE,
    MLS_COMPARE_NOT_PUBLIC /**< the runs of a published result are not public: only its scaled score is known */
} mls_compare_verdict;

const char *mls_compare_verdict_name(mls_compare_verdict verdict); /**< NULL for NOT_PUBLIC */

/** The shares into which a difference is split, in the order in which they are listed.  If convergence is unknown,
 * `training` is used instead of `convergence` and `throughput`.  If the number of evaluations is unknown or 0,
 * `evaluation` is used instead of `evaluations` and `evaluation_time`.  If the parts of the runs are unknown, `run` is
 * the only share. */
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

/** Return a description of a share that makes the run longer or shorter, such as "slower pace" or "more samples".
 * `unit` is the unit of convergence: "samples" or "epochs".  Return NULL for the shares startup, between, tail and
 * run. */
const char *mls_share_direction(mls_share share, const char *unit, bool longer);

/** A split of the difference between two groups: the mean time of b minus the mean time of a.  The shares are whole
 * milliseconds, whose sum is exactly total_ms.  If two factors are multiplied, such as the number of evaluations and
 * the time of each, each factor gets its Shapley value. */
typedef struct mls_split {
    bool known;
    int64_t total_ms;
    bool has[MLS_SHARE_COUNT];
    int64_t ms[MLS_SHARE_COUNT];
} mls_split;
void mls_split_make(const mls_side_group *a, const mls_side_group *b, mls_split *split);

/** The ratio of the means of a number, b / a - 1, with its 95 % confidence interval.  It is computed from the
 * logarithms of the numbers of all valid runs. */
typedef struct mls_ratio_test {
    bool known;             /**< false: the other members are not set */
    double baseline, value; /**< means of the numbers of a and of b */
    double ratio;
    /** If the numbers of both sides do not vary, these are NAN. */
    double low_ratio, high_ratio, degrees, p;
    /** "faster" or "slower"; for samples, epochs or tokens to converge "more" or "fewer"; "none": no significant
     * difference. */
    const char *verdict;
} mls_ratio_test;

/** Tests of the difference part by part.  A part is unknown if a side has fewer than two valid runs, a valid run lacks
 * the number, or the units of the sides differ. */
typedef struct mls_significance {
    mls_ratio_test samples_per_second; /**< samples, epochs or tokens per second of training */
    mls_ratio_test seconds_per_evaluation;
    mls_ratio_test to_converge; /**< samples, epochs or tokens to converge */
} mls_significance;

/** A comparison of the minutes that the runs would have taken if all had needed the same amount of training and the
 * same number of evaluations: the means of both sides.  It is unknown if the batch sizes or units differ, because more
 * samples are then not a matter of chance. */
typedef struct mls_luck_free {
    mls_ratio_test minutes;
    double to_converge, evaluations; /**< the common numbers; evaluations are NAN if logs do not delimit them */
    const char *unit;                /**< unit of to_converge */
} mls_luck_free;

/** The difference of the scaled scores in minutes, with its 95 % confidence interval. */
typedef struct mls_scored_difference {
    double minutes, low_minutes, high_minutes, degrees, p;
    mls_compare_verdict verdict;
} mls_scored_difference;

typedef struct mls_difference {
    const mls_side_group *a, *b; /**< the group of the baseline, and the group that is compared with it */
    /** The difference of the scores in minutes, b - a; the ratios of the scores and of the scaled scores, b / a - 1. */
    double minutes, ratio, scaled_ratio;
    bool has_interval;
    /** The confidence interval is for the difference between the means of all valid runs instead of between the scores.
     */
    bool of_mean;
    double low_minutes, high_minutes, degrees, p;
    /** P value of the Mann-Whitney test, and the smallest p value that is possible with these numbers of runs. */
    double mann_whitney_p, min_p;
    /** Smallest relative difference that these numbers of runs detect with a probability of 80 %. */
    double detectable_ratio;
    /** The difference is significant, but not larger than the variance of results stated by MLCommons. */
    bool within_variance;
    mls_compare_verdict verdict; /**< of the measured scores */
    mls_scored_difference scored;
    mls_significance significance;
    mls_luck_free luck_free;
    mls_split split;
    bool has_init;
    int64_t init_ms;
    /** Number of runs that are in both groups: they have the same run_start and the same time, in whole milliseconds.
     */
    size_t same_runs;
} mls_difference;

/** Return whether both groups consist of the same runs, apart from an equal number of runs whose times are unknown. */
bool mls_difference_all_same(const mls_difference *difference);

/** Return whether the measured scores and the scaled scores have different verdicts, such as "faster" and "slower". */
bool mls_difference_disagrees(const mls_difference *difference);

/** Compute `significance` and `luck_free` of a difference whose groups are set. */
void mls_significance_make(mls_difference *difference);

/** Return whether a run is valid, has a time, and is in the selected window. */
bool mls_side_run_is_valid(const mls_side_run *run);

/** Compare group b with group a.  The confidence interval is Yuen's interval of the trimmed means if both groups have
 * at least two kept runs, otherwise Welch's interval of the means of the valid runs.  Also make an exact Mann-Whitney
 * test of the valid runs. */
void mls_difference_make(const mls_side_group *a, const mls_side_group *b, mls_difference *difference);

mls_published_query mls_query_of_side(const mls_side_group *group);

/** Read the config in the folder of a group's logs: the config that is named in the logs or, if none is named, the only
 * config whose name contains a shape (nodes and GPUs per node).  Free *script with mls_shell_free() and *path with
 * free().  Both are NULL if there is no such config or it cannot be read. */
void mls_side_group_config(const mls_side_group *group, mls_shell **script, char **path);

void mls_side_group_measure(mls_side_group *group);

/** A value of a setting, and the number of runs of a group with this value. */
typedef struct mls_setting_value {
    mls_setting setting;
    bool lacking; /**< `runs` is the number of runs that do not have the setting */
    size_t runs;
} mls_setting_value;

/** The values of a setting in one group, the most frequent first. */
typedef struct mls_setting_values {
    const mls_side_group *group;
    mls_setting_value *items;
    size_t count, capacity; /**< number of different values; more than 1 if the value varies within the group */
    size_t upto;            /**< used while values are collected: number of runs up to the last one with the setting */
} mls_setting_values;
typedef struct mls_differing {
    mls_str key;
    mls_setting_values *values; /**< one element for each group of the block */
    size_t value_count;
    bool differs; /**< the runs of the block have different values; false: all have the same value */
    /** The row of the table of known settings; NULL: a hyperparameter, or an unknown setting. */
    const mls_known_setting *known;
    /** The values were not printed, but are exported by the configs next to the logs. */
    bool exported;
} mls_differing;
typedef struct mls_differings {
    mls_differing *items;
    size_t count, capacity, differ;
} mls_differings;

/** A setting that differs between a group ("yours") and a published result ("theirs"), with the most frequent
 * values. */
typedef struct mls_why_setting {
    mls_str key;
    mls_setting_value yours, theirs;
    /** The row of the table of known settings; NULL: a hyperparameter, or an unknown setting. */
    const mls_known_setting *known;
} mls_why_setting;

/** The causes of the difference between a group and a published result, whose scores are compared before scaling. */
typedef struct mls_published_why {
    mls_split split;
    double theirs_ms;   /**< the published score before scaling */
    double scale_ratio; /**< the group's scale divided by the published result's scale, minus 1 */
    const char *unit;   /**< unit of convergence */
    /** Settings that differ: printed settings in the order of the table of known settings, then hyperparameters sorted
     * by key. */
    MLS_LIST_OF(mls_why_setting) settings;
} mls_published_why;

#define MLS_WHY_LEAST 0.003
/** Maximum number of parts shown in a line, and maximum number of all parts. */
enum { MLS_WHY_PARTS = 2, MLS_WHY_PARTS_MAX = 8 };
typedef struct mls_why_part {
    const char *name;
    double ratio;
} mls_why_part;

/** Store the largest parts of the difference in `parts`, and return their number, which is at most `limit`.  A part is,
 * for example, "slower pace" with the ratio 0.041, which costs 4.1 % of the published score.  Parts with a smaller
 * ratio than `least` are omitted. */
size_t mls_why_parts(const mls_published_why *why, double least, mls_why_part *parts, size_t limit);

/** A run whose time per sample is very different from those of the other runs in its group. */
typedef struct mls_outlier {
    const mls_side_group *group;
    const mls_side_run *run;
    double ratio; /**< time per sample of this run divided by the median of the group, minus 1 */
} mls_outlier;

/** A block of matched groups.  The first is the group of the baseline. */
typedef struct mls_block {
    mls_side_group **groups;
    mls_difference *differences; /**< differences[i] is between groups[i] and groups[0], for i from 1 */
    size_t group_count;
    /** All hyperparameters; of the environment, only the keys that differ. */
    mls_differings hyperparameters, environment;
    /** Settings that jobs printed and that differ: known settings in the order of their table; other settings. */
    mls_differings printed, printed_others;
    /** Settings that only configs export and that differ: known settings; other settings. */
    mls_differings exported, exported_others;
    MLS_LIST_OF(mls_outlier) outliers;
} mls_block;

/** Return the causes of the difference between groups[1] and groups[0] of a block. */
const mls_published_why *mls_why_of_block(struct mls_arena *arena, const mls_block *block);

typedef struct mls_unmatched {
    const mls_side_group *group;
    const char *reason;
} mls_unmatched;

/** A point of a series, which consists of groups with the same benchmark and accelerator model, but different
 * accelerator counts. */
typedef struct mls_scaling_point {
    mls_side_group *group;
    double speedup, efficiency, algorithmic, system;
} mls_scaling_point;
typedef struct mls_scaling_series {
    /** Sorted by accelerator count, then by minutes; all points are compared with the first one. */
    mls_scaling_point *points;
    size_t count;
} mls_scaling_series;

#define MLS_BESIDE_MOST 5 /**< maximum number of published results shown for a group */

/** A group, the nearest published results, and its neighbors in the ranking of published results. */
typedef struct mls_published_match {
    const mls_side_group *group;
    mls_published_near near[MLS_BESIDE_MOST];
    size_t count;
    mls_published_near *around; /**< the neighbors in the ranking; see mls_published_around() */
    size_t around_count;
    mls_published_place place;
} mls_published_match;

/** An export that could not be read, and the error.  If error.line is 0, the line is unknown. */
typedef struct mls_side_problem {
    const char *path;
    mls_error error;
} mls_side_problem;

typedef enum mls_compare_mode {
    MLS_COMPARE_SIDES,
    MLS_COMPARE_PUBLISHED,
    MLS_COMPARE_SCALING,
    MLS_COMPARE_NOTHING /**< only read the groups and compute their means */
} mls_compare_mode;

typedef struct mls_compare_request {
    mls_compare_mode mode;
    mls_side_list sides;
    const char *baseline;  /**< name of the baseline; NULL: the first side */
    const char *submitter; /**< consider only published results of this submitter; NULL: of all submitters */
    size_t around;         /**< number of faster and of slower neighbors in the ranking to find */
    bool placed;           /**< with MLS_COMPARE_SIDES, also find published results near the groups */
    mls_collect_options collect;
} mls_compare_request;

/** A comparison.  It owns all data to which its members point, except the sides of the request. */
typedef struct mls_comparison {
    mls_compare_mode mode;
    mls_side_list sides;
    const mls_side *baseline;             /**< the side with which the others are compared; NULL: there are no sides */
    MLS_LIST_OF(mls_side_group *) groups; /**< the groups of all sides, in the order of the sides */
    MLS_LIST_OF(mls_block) blocks;
    MLS_LIST_OF(mls_unmatched) unmatched;
    MLS_LIST_OF(mls_scaling_series) series;
    MLS_LIST_OF(mls_published_match) beside;
    MLS_LIST_OF(mls_side_problem) problems;
    /** If the words of a published side match several systems: more specific words for each of them. */
    MLS_LIST_OF(const char *) candidates;
    mls_known_settings known;
    mls_published opened;                     /**< if a side is published: the published results of all usages */
    mls_published published[MLS_USAGE_COUNT]; /**< published results of the usages that were needed */
    /** The groups made from these results; an element is NULL until it is needed. */
    mls_side_group **opened_groups[MLS_USAGE_COUNT];
    mls_collection *collections; /**< the logs of each side */
    size_t collection_count;
    struct mls_arena *arena;
} mls_comparison;

/** Read the sides and compare them.  If there is a single side, each of its groups becomes a side.  Logs that could not
 * be read are in the list `skipped` of a collection, with `failed` set; exports that could not be read are in the list
 * `problems`.  Return MLS_OK; MLS_ERROR_LIMIT; an error of mls_collect(); or MLS_ERROR_VALUE if a single side has fewer
 * than two groups, the baseline is unknown, or a published side matches no result or several systems.  Release
 * *comparison even after an error, and before the editions in the request. */
mls_status mls_compare(const mls_compare_request *request, mls_comparison *comparison, mls_error *error) MLS_MUST_USE;

/** The scores in which a group must not be significantly slower than the baseline's. */
typedef enum mls_compare_fail {
    MLS_FAIL_NEVER,
    MLS_FAIL_IF_SCORED_SLOWER,
    MLS_FAIL_IF_MEASURED_SLOWER
} mls_compare_fail;

/** Return whether every block has a group whose score can be compared with the baseline's, and no group is
 * significantly slower in the scores selected by `fail`. */
bool mls_comparison_passes(const mls_comparison *comparison, mls_compare_fail fail);
void mls_comparison_release(mls_comparison *comparison);
