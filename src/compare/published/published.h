/* SPDX-License-Identifier: Apache-2.0 */
/* published.h - the published results of all rounds of MLPerf training and hpc: search and rank them, and find those
 * near a group.
 *
 * The results are embedded in the library.  Their scores were computed from the published logs.  Unknown numbers are
 * NAN, unknown texts NULL.
 *
 * Known limitations: the scaling factor of two results by Google was set by the review committee; in training 4.0,
 * several systems of one submitter have the same name; results of weak scaling and power are missing; of training 6.0,
 * only the closed division is included, and only bounds of half of the scores are known. */
#pragma once

#include "score/group.h"

/** The digests of a system description, with which another description is compared: 24 bits for the whole description,
 * and 12 bits for each required field, in the order of the rules.  Different fields have the same digest in one of
 * 4,096 cases, different descriptions in one of 16.8 million. */
enum { MLS_DESCRIPTION_FIELDS = 33, MLS_FIELD_MISSING = -1 };
typedef struct mls_published_description {
    int whole;
    int16_t fields[MLS_DESCRIPTION_FIELDS];
} mls_published_description;

/** Compute the digests of a description.  `object` is its validated JSON object, and `required` is a list of the names
 * of the MLS_DESCRIPTION_FIELDS required fields, such as "required" in the first entry of systems.json. */
struct cJSON;
void mls_published_description_make(mls_str object, const struct cJSON *required,
                                    mls_published_description *description);

/** Parse the cell of a table that contains the digests of a description.  `earlier` contains the digests of the `count`
 * systems before it in the table; an element is NULL if they are unknown.  Return MLS_OK, or MLS_ERROR_VALUE if the
 * cell is invalid. */
mls_status mls_published_description_read(const mls_published_description *const *earlier, size_t count, mls_str cell,
                                          mls_published_description *description) MLS_MUST_USE;

/** A system of a round.  `accelerators` is nodes times accelerators_per_node; NAN for machines without accelerators. */
typedef struct mls_published_system {
    const char *submitter, *system_id, *system_name, *availability, *accelerator, *host_processor, *framework;
    const char *folder;                           /**< the submitter's folder in the published repository */
    const mls_published_description *description; /**< NULL: unknown */
    /** MLS_DIVISION_NONE if the system's description does not contain it. */
    mls_division division;
    double nodes, accelerators_per_node, accelerators;
    mls_accelerator_model model;
} mls_published_system;

/** How precisely the score of a result is known. */
typedef enum mls_published_known {
    MLS_PUBLISHED_EXACT,     /**< minutes are exact to four decimals */
    MLS_PUBLISHED_DERIVED,   /**< to less than 0.001 minutes, from step times and published bounds */
    MLS_PUBLISHED_ANNOUNCED, /**< minutes are rounded, from an announcement */
    MLS_PUBLISHED_BOUNDS     /**< minutes are unknown (NAN); only bounds of the score before scaling are known */
} mls_published_known;

const char *mls_published_known_name(mls_published_known known); /**< return the name, such as "exact" */

/** Return whether a score is precise enough to compare with: exact or derived. */
static inline bool mls_published_is_precise(mls_published_known known)
{
    return known <= MLS_PUBLISHED_DERIVED;
}

typedef struct mls_published_result {
    mls_usage usage;
    const char *round; /**< "5.1" */
    unsigned edition;  /**< number of the edition; see MLS_EDITION_NUMBER() */
    const mls_published_system *system;
    const char *benchmark;
    const char *precision;        /**< the lowest one in which linear layers were trained: "fp8"; NULL: unknown */
    const char *precision_source; /**< printed or config, as in mls_group_precision; NULL: unknown */
    size_t switch_step;           /**< step at which the config switches to more bits; 0: none is known */
    double runs, runs_ok;
    mls_published_known known;
    double minutes;                     /**< the scaled score in minutes, with four decimals */
    double unscaled_low, unscaled_high; /**< bounds of the score before scaling; NAN: unknown */
    double scale_factor, global_batch_size, to_converge;
    double accelerator_minutes; /**< NAN: a machine without accelerators */
    size_t rank;   /**< rank among the results of the same usage, edition, benchmark and division, from 1; 0: unknown */
    size_t ranked; /**< number of results among which it is ranked, whose minutes are known */
    size_t published; /**< number of all results of the same usage, edition, benchmark and division */
    size_t row;       /**< position in the tables, which determines the order of equal results */
} mls_published_result;

/** Results sorted by edition (newest first), benchmark, division (closed, open, unknown), minutes (results with bounds
 * last, by the lower bound) and row. */
typedef struct mls_published {
    struct mls_arena *arena;
    mls_published_result *results;
    size_t count;
} mls_published;

#define MLS_ANY_USAGE ((mls_usage)MLS_USAGE_COUNT)

/** Load the results of a usage (MLS_ANY_USAGE: of all usages) and an edition (0: of all editions).  Return MLS_OK, or
 * MLS_ERROR_VALUE if the embedded data are invalid.  Release *published, which owns the results, even after an
 * error. */
mls_status mls_published_load(mls_usage usage, unsigned edition, mls_published *published,
                              mls_error *error) MLS_MUST_USE;
void mls_published_release(mls_published *published);

/** The texts of a result that can be searched; case is ignored.  A benchmark matches if its name is equal, an
 * accelerator if its name contains all words of the searched text, and any other text if it contains the searched
 * text. */
typedef enum mls_published_text {
    MLS_PUBLISHED_BENCHMARK,
    MLS_PUBLISHED_SUBMITTER,
    MLS_PUBLISHED_SYSTEM,      /**< system_id or system_name */
    MLS_PUBLISHED_ACCELERATOR, /**< the accelerator in the system's description */
    /** The searched text is cloud, onprem, preview or research, which matches all spellings in descriptions. */
    MLS_PUBLISHED_AVAILABILITY,
    MLS_PUBLISHED_TEXTS
} mls_published_text;

const char *mls_published_text_name(mls_published_text which); /**< return the name, such as "submitter" */

/** The order of results.  Results with an unknown value are last; results with equal values are sorted by edition. */
typedef enum mls_published_order {
    MLS_PUBLISHED_BY_EDITION,
    MLS_PUBLISHED_BY_MINUTES,
    MLS_PUBLISHED_BY_ACCELERATORS,
    MLS_PUBLISHED_BY_ACCELERATOR_MINUTES,
    MLS_PUBLISHED_BY_SUBMITTER
} mls_published_order;

/** A filter for results.  A zero-initialized filter matches all results. */
typedef struct mls_published_filter {
    unsigned edition;                       /**< number of the edition; 0: any */
    mls_division division;                  /**< MLS_DIVISION_NONE: any */
    const char *texts[MLS_PUBLISHED_TEXTS]; /**< for each mls_published_text the text to match; NULL: any */
    /** texts[MLS_PUBLISHED_ACCELERATOR] must be equal to the accelerator's name, instead of a list of words in it. */
    bool whole_accelerator;
    const char *precision;                     /**< "fp8"; NULL: any */
    double min_accelerators, max_accelerators; /**< minimum and maximum accelerator count; 0: no limit */
    /** Keep only results with exact minutes that are the fastest of their edition, benchmark, division and accelerator
     * count. */
    bool best;
    /** Like `best`, but keep only accelerator counts that occur in several editions; `order` is ignored, and hits are
     * sorted by benchmark, division, accelerator count and edition (oldest first). */
    bool trend;
    mls_published_order order;
} mls_published_filter;

struct mls_published_runs;
typedef struct mls_published_hit {
    const mls_published_result *result;
    double ratio; /**< if `trend` is set: minutes relative to the previous edition, minus 1; otherwise NAN */
    /** The runs of the result, set by mls_published_open_all(); NULL: not requested. */
    const struct mls_published_runs *opened;
} mls_published_hit;

/** Return whether `name` consists of several words and is exactly the name of an accelerator in some result. */
bool mls_published_names_accelerator(const mls_published *published, const char *name);

/** Return whether a result passes a filter, ignoring `best` and `trend`. */
bool mls_published_passes(const mls_published_filter *filter, const mls_published_result *result);

/** Store the results that pass a filter in *hits, which the caller frees with free(). */
void mls_published_search(const mls_published *published, const mls_published_filter *filter, mls_published_hit **hits,
                          size_t *count);

/** Suggest a text that occurs in results and is similar to `text`, which does not match any.  `found` is empty if no
 * text is similar. */
mls_suggestion mls_published_nearest_text(const mls_published *published, mls_published_text which, const char *text);

/** A run of a published result.  Times are in milliseconds.  The time to train, `ms`, is the sum of the parts; if only
 * this sum is known, all parts are NAN.  If the run does not log the start of evaluations, part_ms[MLS_PART_EVALUATION]
 * is NAN, and evaluations count as training. */
typedef struct mls_published_run {
    bool valid;
    double to_converge; /**< in the unit mls_published_runs.unit */
    double ms, part_ms[MLS_PART_COUNT], evaluations, init_ms;
    double start_ms; /**< time of run_start in milliseconds since 1970 */
} mls_published_run;

/** A setting that has the same value in all runs of a result.  The value is JSON text.  Both texts live as long as the
 * process. */
typedef struct mls_published_setting {
    mls_str key, value;
    bool differs; /**< the values differ among the results that were opened together */
} mls_published_setting;

/** The contents of the logs of a published result: its runs, in the natural order of the files, and the settings with
 * the same value in all runs, including the batch size. */
typedef struct mls_published_runs {
    const char *unit; /**< unit of to_converge, such as "samples" or "epochs"; NULL: runs have different units */
    mls_parts_by by;
    MLS_LIST_OF(mls_published_run) runs;
    MLS_LIST_OF(mls_published_setting) settings;
} mls_published_runs;

/** Read the runs of a result.  If its logs are not public, there are no runs.  Return MLS_OK, or MLS_ERROR_VALUE if the
 * embedded data are invalid.  Release *runs even after an error. */
mls_status mls_published_open(const mls_published_result *result, mls_published_runs *runs,
                              mls_error *error) MLS_MUST_USE;
void mls_published_runs_release(mls_published_runs *runs);

/** An iterator over the start times of the runs of a published result.  The texts live as long as the process. */
typedef struct mls_published_starts {
    mls_str round, system_id, benchmark;
    double start_ms; /**< time of run_start of the current run, in whole milliseconds since 1970 */
    mls_str left;    /**< the encoded start times of the remaining runs */
} mls_published_starts;

/** Return an iterator over the start times of a result.  If its logs are not public, left.ptr is NULL. */
mls_published_starts mls_published_starts_of(const mls_published_result *result);

/** Call `take` for every result of a usage whose logs are public, beginning with the oldest round.  If `take` does not
 * return MLS_OK, stop and return its status.  Otherwise return MLS_OK, or MLS_ERROR_VALUE if the embedded data are
 * invalid. */
mls_status mls_published_each_starts(mls_usage usage, mls_status (*take)(void *state, mls_published_starts *starts),
                                     void *state) MLS_MUST_USE;

/** Advance to the next run whose start time is known, and set start_ms.  Return MLS_OK, MLS_STOPPED if there are no
 * more runs, or MLS_ERROR_VALUE if the embedded data are invalid. */
mls_status mls_published_next_start(mls_published_starts *starts) MLS_MUST_USE;

/** Return the value of a setting; ptr is NULL if the value is unknown or differs among the runs. */
mls_str mls_published_setting_of(const mls_published_runs *runs, mls_str key);

/** A setting that differs among results, and the number of results for which its value is known. */
typedef struct mls_published_key {
    mls_str name;
    size_t known;
} mls_published_key;

/** The runs of results that were opened together, and the settings that differ among these results.  The batch size is
 * first; other settings are sorted by the number of results for which they are known. */
typedef struct mls_published_opened {
    mls_published_runs *items;
    size_t count;
    MLS_LIST_OF(mls_published_key) keys;
} mls_published_opened;

/** Read the runs of all hits like mls_published_open(), and set the member `opened` of each hit.  Release *opened even
 * after an error, when the hits are no longer used. */
mls_status mls_published_open_all(mls_published_hit *hits, size_t count, mls_published_opened *opened,
                                  mls_error *error) MLS_MUST_USE;
void mls_published_opened_release(mls_published_opened *opened);

/** A group for which published results are searched. */
typedef struct mls_published_query {
    unsigned edition;
    mls_str benchmark;
    mls_division division; /**< MLS_DIVISION_NONE means closed */
    double accelerators;   /**< number of accelerators; NAN: unknown */
    const char *model;     /**< accelerator model (see mls_accelerator_model_of()); NULL: unknown */
    double minutes;        /**< the scaled score in minutes */
    const char *system_id; /**< name of the system's folder in the results of a submission; NULL: unknown */
    /** Find only results whose submitter contains this text, ignoring case; NULL: all submitters. */
    const char *submitter;
    /** The group; the start times of its runs show whether a result is the group itself; NULL: use `logged`. */
    const struct mls_side_group *side;
    const mls_group *logged; /**< the same group as scored from logs; NULL: not from logs */
} mls_published_query;

struct mls_published_why;

/** A published result near a group.  `ratio` is the group's minutes divided by the result's, minus 1. */
typedef struct mls_published_near {
    const mls_published_result *result;
    double ratio;
    /** The result is the group itself: it has most of the group's runs, or the same system_id and the same minutes to
     * four decimals. */
    bool self;
    size_t rank_alike, ranked_alike; /**< see mls_published_place; 0: not computed */
    /** Causes of the difference (see comparison.h); NULL: not requested, or the runs of the result are not public. */
    const struct mls_published_why *why;
} mls_published_near;

/** The rank that a group has, or would have, among the published results of its edition, benchmark and division.
 * `rank` is 1 plus the number of faster results; `ranked` is the number of results with known minutes, including the
 * group.  rank_alike and ranked_alike are the same numbers for results on the same number of the same accelerators; 0:
 * unknown. */
typedef struct mls_published_place {
    size_t rank, ranked, rank_alike, ranked_alike;
    size_t published; /**< number of all results, including those with bounds only, and the group */
    bool itself;      /**< the group is itself a published result */
} mls_published_place;

/** Find the results with exact minutes that are nearest to a group, from its benchmark, division and edition; if the
 * edition has none, from the newest edition that has.  The results are sorted by |ln(accelerators / the group's
 * accelerators)|, where unknown counts are last; then results on the group's accelerator model precede others; then by
 * minutes and row.  Store at most `count` results in `near`, and return their number. */
size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count);

/** Find the rank of a group, and its neighbors: results with exact minutes on the same number of the same accelerators.
 * Store in `around`, sorted by minutes: the fastest result, the `limit` next faster and the `limit` next slower
 * results, and the group itself if it is published.  `around` must have room for 2 * limit + 3 results.  If the query
 * has a submitter, only results of this submitter and the group itself are stored.  Return the number of results, which
 * is 0 if the group's model or count is unknown. */
size_t mls_published_around(const mls_published *published, const mls_published_query *query, size_t limit,
                            mls_published_near *around, mls_published_place *place);

typedef struct mls_published_edition {
    const mls_edition *edition;
    mls_published results;
} mls_published_edition;

/** The fastest published results for a list of groups.  Zero-initialize it, and release it after use. */
typedef struct mls_published_beside {
    MLS_LIST_OF(mls_published_edition) editions; /**< the results of each edition of the groups */
    /** For each group: the fastest result of its edition on the same number of the same accelerators; the member
     * `result` is NULL if there is none. */
    mls_published_near *near;
    struct mls_arena *arena;
} mls_published_beside;

mls_status mls_published_beside_find(mls_published_beside *beside, const mls_group *groups, size_t count,
                                     mls_error *error) MLS_MUST_USE;
void mls_published_beside_release(mls_published_beside *beside);
