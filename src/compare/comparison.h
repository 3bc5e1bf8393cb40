/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.h - which of several sides is faster, whether the difference is significant, and where it comes from.
 *
 * A side is what is under some paths: logs, exports of `mlscore score` (JSON, NDJSON, CSV), or published results, as
 * "published:5.1,NVIDIA,theia_ngpu72".  mls_compare() reads the sides of a request into groups of runs, pairs each with
 * the baseline's group of the same benchmark, and compares the two; or it finds published results beside each group, or
 * how groups of several sizes scale.  All of a comparison is released together, by mls_comparison_release().
 *
 * overview.h chooses what to say first of it; plan/ predicts other sizes from the groups; published/ has the published
 * results and their search.  Times are minutes where the name says so, else milliseconds; NAN and NULL: not known. */
#pragma once

#include "compare/published/published.h"
#include "run/settings.h"
#include "score/collect.h"

/** An export of more bytes is not read, as all of it is held; more groups are not compared side by side, as each is
 * held against each; scaling and published results take any number. */
#define MLS_EXPORT_BYTES_MAX ((size_t)1 << 30)
#define MLS_COMPARED_GROUPS_MAX ((size_t)5000)

/** A value that a run was set up with.  A text that is a number counts as one; others are as CSV shows them. */
typedef enum mls_setting_kind { MLS_SETTING_NUMBER, MLS_SETTING_BOOL, MLS_SETTING_TEXT } mls_setting_kind;
typedef struct mls_setting {
    mls_str key;
    mls_setting_kind kind;
    double number; /**< of a boolean 1 or 0 */
    mls_str text;  /**< as it is shown: control characters are escaped */
} mls_setting;

typedef MLS_LIST_OF(mls_setting) mls_settings;

/** One run of a side. */
typedef struct mls_side_run {
    const char *file;
    const char *reason; /**< why it is not valid; NULL: it is, or nobody says */
    bool valid;
    mls_olympic_mark mark;
    double start_ms; /**< when run_start was logged, since 1970; 0 and NAN: not known */
    double minutes, init_minutes;
    double to_converge;
    const char *unit; /**< of it: "samples" or "epochs" */
    bool has_ms;      /**< the next is known: from run_start to run_stop */
    int64_t ms;
    bool has_init;
    int64_t init_ms;
    bool has_parts; /**< mls_parts in whole milliseconds, which add up to ms */
    bool evaluation_delimited;
    int64_t part_ms[MLS_PART_COUNT];
    size_t evaluations;
    mls_settings settings, environment;
    mls_settings printed; /**< known settings by their names in the table, others by those that were printed */
} mls_side_run;

/** A sum over kept runs, whose mean is exact. */
typedef struct mls_sum {
    bool known; /**< of every one of them */
    int64_t sum;
} mls_sum;
double mls_sum_mean(const mls_sum *sum, size_t count); /**< NAN: not known, or of nothing */

/** A name for what stands under some paths. */
typedef struct mls_side {
    const char *name;
    MLS_LIST_OF(const char *) paths;
    bool given;          /**< its name was, by the user */
    double accelerators; /**< that its groups have where nothing else says it; 0: nobody does */
} mls_side;

/** Sides in their order, in an arena. */
typedef MLS_LIST_OF(mls_side *) mls_side_list;

/** The side of that name, or NULL; and that, or a new one, with one more path.  */
mls_side *mls_side_find(const mls_side_list *sides, mls_str name);
mls_side *mls_side_add(mls_side_list *sides, struct mls_arena *arena, mls_str name, const char *path);

/** The runs that make one result, on one side. */
typedef struct mls_side_group {
    const mls_side *side;
    struct mls_side_group *met; /**< of another side, while two are paired; of the baseline when all are; NULL: none */
    const char *path, *benchmark, *config, *accelerator;
    const char *folder;                    /**< in which all its logs lie; NULL: there is none, or not of logs */
    const char *system_id;                 /**< the folder of results that it lies in; NULL: none */
    const mls_published_result *published; /**< that it is; without runs when its logs are not public; NULL: none */
    const mls_group *logged;               /**< as it was scored, in a collection of the comparison; NULL: of no logs */
    mls_usage usage;
    mls_division division;
    const char *edition;                    /**< "5.1.0"; "": not known */
    double global_batch_size, accelerators; /**< of weak scaling those of each model */
    bool official;
    bool refused; /**< in an export: its convergence or its seeds failed, so that the score does not count */
    bool weak;    /**< of weak scaling: many models side by side, and the score is the time that all of them took */
    size_t dropped;
    double score_minutes, scale, scaled_minutes;
    MLS_LIST_OF(mls_side_run) runs;
    /* Computed of these. */
    size_t valid, kept;
    double mean_minutes, stdev_minutes; /**< of the valid runs, by n - 1 */
    double to_converge;                 /**< mean over the kept runs, all of which have one, above 0, of one unit */
    const char *unit;
    mls_sum ms, init_ms, parts[MLS_PART_COUNT], evaluations; /**< over the kept runs; parts are known together */
} mls_side_group;

typedef enum mls_compare_verdict {
    MLS_COMPARE_FASTER, /**< the interval of the difference lies below 0 */
    MLS_COMPARE_SLOWER, /**< above 0 */
    MLS_COMPARE_NONE,   /**< no difference is shown */
    MLS_COMPARE_TOO_FEW,
    MLS_COMPARE_NO_SCORE,
    MLS_COMPARE_NOT_PUBLIC /**< the runs of a published result are not: only its scaled score is known */
} mls_compare_verdict;

/** NULL of NOT_PUBLIC. */
const char *mls_compare_verdict_name(mls_compare_verdict verdict);

/** The shares of a difference, in the order in which they are listed: `training` instead of the two before it, likewise
 *  `evaluation`; `run` is the whole where parts are not known.  Names as printed: "evaluation_time". */
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

/** A share in words that name its direction, as its sign alone misleads: "slower pace", "more samples" (`unit`: what
 * runs converge in); NULL for startup, between, tail and the whole run. */
const char *mls_share_direction(mls_share share, const char *unit, bool longer);

/** The mean of b minus that of a, split into shares of whole milliseconds that add up to it exactly: each is the
 * rounded sum of the shares up to it less that of those before it, halves away from zero.  Products of two factors are
 * split evenly between them (Shapley's value), so that a against b is b against a with the sign turned, but for
 * rounding. */
typedef struct mls_split {
    bool known;
    int64_t total_ms;
    bool has[MLS_SHARE_COUNT];
    int64_t ms[MLS_SHARE_COUNT];
} mls_split;
void mls_split_make(const mls_side_group *a, const mls_side_group *b, mls_split *split);

/** One side against the baseline. */
typedef struct mls_difference {
    const mls_side_group *a, *b;         /**< the baseline's, and the other */
    double minutes, ratio, scaled_ratio; /**< of the scores: b - a, b / a - 1 */
    bool has_interval;
    bool of_mean; /**< the interval is that of the means of all valid runs, not of the scores */
    double low_minutes, high_minutes, degrees, p;
    double mann_whitney_p, min_p; /**< and the smallest that so many runs can show */
    double detectable_ratio;      /**< the smallest difference that so many runs show four times in five */
    bool within_variance;         /**< the interval excludes 0, but MLCommons takes results to vary as much */
    mls_compare_verdict verdict;
    mls_split split;
    bool has_init;
    int64_t init_ms;
    size_t same_runs; /**< that are on both sides: run_start and length are the same, to the millisecond */
} mls_difference;

/** Whether the two sides hold the same runs, and no others but as many whose times are not known. */
bool mls_difference_all_same(const mls_difference *difference);

/** Compares b with a: Welch's interval of the trimmed means (Yuen) where both have two kept runs, else of the means of
 * the valid ones; Mann and Whitney's exact test of the valid ones. */
void mls_difference_make(const mls_side_group *a, const mls_side_group *b, mls_difference *difference);

/** Whose neighbours among published results are looked for, of a group. */
mls_published_query mls_query_of_side(const mls_side_group *group);

/** Reads the config that lies beside the logs of a group and has the name that they say, or, where they say none, the
 * only one that has a shape.  *script and *path, to be given to mls_shell_free() and free(), are NULL where there is
 * none, or it cannot be read. */
void mls_side_group_config(const mls_side_group *group, mls_shell **script, char **path);

/** Works out of its runs what of a group follows from them. */
void mls_side_group_measure(mls_side_group *group);

/** A value with how many runs of a side have it; `lacking`: they have none. */
typedef struct mls_setting_value {
    mls_setting setting;
    bool lacking;
    size_t runs;
} mls_setting_value;

/** A key in which runs of a block differ: per group of the block its values, the most frequent first. */
typedef struct mls_setting_values {
    const mls_side_group *group;
    mls_setting_value *items;
    size_t count, capacity; /**< more than one: it varies within the side */
    size_t upto;            /**< runs of the side up to the last that has the key */
} mls_setting_values;
typedef struct mls_differing {
    mls_str key;
    mls_setting_values *values; /**< one per group of the block */
    size_t value_count;
    bool differs;                   /**< false: every run has the same */
    const mls_known_setting *known; /**< of a printed setting whose effect is known; NULL: of any other */
    bool exported;                  /**< by the configs that lie beside the logs, and not printed */
} mls_differing;
typedef struct mls_differings {
    mls_differing *items;
    size_t count, capacity, differ;
} mls_differings;

/** A setting in which a group and another one differ: their most frequent values. */
typedef struct mls_why_setting {
    mls_str key;
    mls_setting_value yours, theirs;
    const mls_known_setting *known; /**< of a setting that both printed; NULL: a hyperparameter, or nothing is known */
} mls_why_setting;

/** The parts of the difference between a group and a published result: the split of their scores before scaling. */
typedef struct mls_published_why {
    mls_split split;
    double theirs_ms;   /**< the published score, before scaling */
    double scale_ratio; /**< the group's scale over its, less 1 */
    const char *unit;   /**< of what it took to converge */
    MLS_LIST_OF(mls_why_setting)
    settings; /**< printed ones by their groups, then hyperparameters by key; none where
                   they are not asked for */
} mls_published_why;

/** The largest parts, at most `limit`, of at least this much of the published score: "slower pace", 0.041: it costs
 * 4.1 %; those of which a line is made, and all that there may be. */
#define MLS_WHY_LEAST 0.003
enum { MLS_WHY_PARTS = 2, MLS_WHY_PARTS_MAX = 8 };
typedef struct mls_why_part {
    const char *name;
    double ratio;
} mls_why_part;
size_t mls_why_parts(const mls_published_why *why, double least, mls_why_part *parts, size_t limit);

/** A run that took far longer or shorter for a sample than the others of its group. */
typedef struct mls_outlier {
    const mls_side_group *group;
    const mls_side_run *run;
    double ratio; /**< milliseconds per sample, over their median, less 1 */
} mls_outlier;

/** Groups that meet: the first is the baseline's. */
typedef struct mls_block {
    mls_side_group **groups;
    mls_difference *differences; /**< of groups[i] against groups[0], for i from 1 */
    size_t group_count;
    mls_differings hyperparameters, environment; /**< all keys; or of the environment those that differ */
    mls_differings printed, printed_others;   /**< settings that both printed and that differ: known ones, by groups */
    mls_differings exported, exported_others; /**< likewise, of those that no log printed: what the configs export */
    MLS_LIST_OF(mls_outlier) outliers;
} mls_block;

/** What the difference between two groups that meet is made of: groups[1] of a block against groups[0]. */
const mls_published_why *mls_why_of_block(struct mls_arena *arena, const mls_block *block);

/** A group that met none, and why. */
typedef struct mls_unmatched {
    const mls_side_group *group;
    const char *reason;
} mls_unmatched;

/** A group among those of one benchmark and accelerator model. */
typedef struct mls_scaling_point {
    mls_side_group *group;
    double speedup, efficiency, algorithmic, system;
} mls_scaling_point;
typedef struct mls_scaling_series {
    mls_scaling_point *points; /**< by accelerators, then minutes; the first is what the others are measured by */
    size_t count;
} mls_scaling_series;

/** So many published results stand beside a group. */
#define MLS_BESIDE_MOST 5

/** A group, the published results nearest to it, and its neighbours in rank. */
typedef struct mls_beside {
    const mls_side_group *group;
    mls_published_near near[MLS_BESIDE_MOST];
    size_t count;
    mls_published_near *around; /**< see mls_published_around() */
    size_t around_count;
    mls_published_place place;
} mls_beside;

/** An export that could not be read; line 0: none. */
typedef struct mls_side_problem {
    const char *path;
    mls_error error;
} mls_side_problem;

/** MLS_COMPARE_NOTHING: the groups of the sides are read and measured, for whoever asks something else of them. */
typedef enum mls_compare_mode {
    MLS_COMPARE_SIDES,
    MLS_COMPARE_PUBLISHED,
    MLS_COMPARE_SCALING,
    MLS_COMPARE_NOTHING
} mls_compare_mode;

typedef struct mls_compare_request {
    mls_compare_mode mode;
    mls_side_list sides;
    const char *baseline;  /**< NULL: the first side */
    const char *submitter; /**< of the published results; NULL: any */
    size_t around;         /**< so many of them that are next to a group, faster and slower */
    bool placed;           /**< sides are compared, and published results are looked for beside their groups too */
    mls_collect_options collect;
} mls_compare_request;

/** Everything that is compared.  Owns all it points to, but for the sides of the request. */
typedef struct mls_comparison {
    mls_compare_mode mode;
    mls_side_list sides;
    const mls_side *baseline;             /**< NULL: there are no sides */
    MLS_LIST_OF(mls_side_group *) groups; /**< of all sides, in their order */
    MLS_LIST_OF(mls_block) blocks;
    MLS_LIST_OF(mls_unmatched) unmatched;
    MLS_LIST_OF(mls_scaling_series) series;
    MLS_LIST_OF(mls_beside) beside;
    MLS_LIST_OF(mls_side_problem) problems;
    MLS_LIST_OF(const char *) candidates; /**< sides that one which means several systems could be: its words */
    mls_known_settings known;
    mls_published opened;                            /**< of all usages, where a side is published */
    mls_published published[MLS_USAGE_COUNT];        /**< of the usages that are asked for */
    mls_side_group **opened_groups[MLS_USAGE_COUNT]; /**< of these results, once they are opened */
    mls_collection *collections;                     /**< of the logs of each side as it was named */
    size_t collection_count;
    struct mls_arena *arena;
} mls_comparison;

/** Reads the sides and compares them.  A published side that was given no name gets one.  A single side becomes one
 * side for each of its groups.  What cannot be read is listed: in `skipped` of the collections with `failed` set, and
 * in `problems`.  MLS_OK, MLS_ERROR_VALUE (a single side without two groups to compare; a baseline
 * nobody is called; words of a published side that mean no result, or several systems), MLS_ERROR_LIMIT or what
 * mls_collect() says; to be released in any case, before the editions of the options. */
mls_status mls_compare(const mls_compare_request *request, mls_comparison *comparison, mls_error *error) MLS_MUST_USE;

/** Whether in each block the score of some side can be compared with the baseline's and (slower_fails) none is slower.
 */
bool mls_comparison_passes(const mls_comparison *comparison, bool slower_fails);
void mls_comparison_release(mls_comparison *comparison);
