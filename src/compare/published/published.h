/* SPDX-License-Identifier: Apache-2.0 */
/* published.h - results of the public rounds of MLPerf training and hpc: search and rank them, and find those near a
 * group.
 *
 * The results are embedded in the library.  They were scored from the published logs.  Unknown numbers are NAN, unknown
 * texts NULL.
 *
 * Known limitations: two of Google's results have a factor set by the review committee; in training 4.0 systems of one
 * submitter share a name; weak scaling and power are missing; training 6.0 has only the closed division, and half of
 * its results have only bounds. */
#pragma once

#include "score/group.h"

/** The digests of a system description, to find out whether another description is equal: 24 bits for the whole text
 * and 12 for each required field, in the order of the rules.  Two different fields have the same digest once in 4,096
 * times, two different descriptions once in 16.8 million. */
enum { MLS_DESCRIPTION_FIELDS = 33, MLS_FIELD_MISSING = -1 };
typedef struct mls_published_description {
    int whole;
    int16_t fields[MLS_DESCRIPTION_FIELDS];
} mls_published_description;

/** Compute the digests of a description, a validated object, with the names of its required fields (a list of
 * MLS_DESCRIPTION_FIELDS strings, such as "required" in the first entry of systems.json). */
struct cJSON;
void mls_published_description_make(mls_str object, const struct cJSON *required,
                                    mls_published_description *description);

/** Read the cell of a table with the digests of a description.  `earlier` contains the descriptions of the `count`
 * systems before this one (NULL: unknown).  Return MLS_OK, or MLS_ERROR_VALUE for a broken cell. */
mls_status mls_published_description_read(const mls_published_description *const *earlier, size_t count, mls_str cell,
                                          mls_published_description *description) MLS_MUST_USE;

/** A system of one round.  `accelerators` is nodes times accelerators_per_node, or NAN for machines without
 * accelerators. */
typedef struct mls_published_system {
    const char *submitter, *system_id, *system_name, *availability, *accelerator, *host_processor, *framework;
    const char *folder;                           /**< the submitter's folder in the published repository */
    const mls_published_description *description; /**< NULL: unknown */
    mls_division division;                        /**< NONE: missing in the description */
    double nodes, accelerators_per_node, accelerators;
    mls_accelerator_model model;
} mls_published_system;

/** How precisely the score of a result is known. */
typedef enum mls_published_known {
    MLS_PUBLISHED_EXACT,     /**< to the four decimals of the tables */
    MLS_PUBLISHED_DERIVED,   /**< to less than 0.001 minutes, from step times and published bounds */
    MLS_PUBLISHED_ANNOUNCED, /**< rounded, from an announcement */
    MLS_PUBLISHED_BOUNDS     /**< only bounds of the unscaled score; minutes are NAN */
} mls_published_known;

const char *mls_published_known_name(mls_published_known known); /**< "exact" */

/** Return whether a score is precise enough to compare with: exact or derived. */
static inline bool mls_published_is_precise(mls_published_known known)
{
    return known <= MLS_PUBLISHED_DERIVED;
}

typedef struct mls_published_result {
    mls_usage usage;
    const char *round; /**< "5.1" */
    unsigned edition;  /**< as MLS_EDITION_NUMBER() */
    const mls_published_system *system;
    const char *benchmark;
    double runs, runs_ok;
    mls_published_known known;
    double minutes;                     /**< the scaled score, with four decimals */
    double unscaled_low, unscaled_high; /**< bounds of the score before scaling; NAN: unknown */
    double scale_factor, global_batch_size, to_converge;
    double accelerator_minutes; /**< NAN: a machine without accelerators */
    size_t rank; /**< 1 + the number of faster results of the same usage, edition, benchmark and division; 0: unknown */
    size_t ranked;    /**< number of results with known minutes, of the same usage, edition, benchmark and division */
    size_t published; /**< number of all results of the same usage, edition, benchmark and division */
    size_t row;       /**< order in the tables, which breaks ties */
} mls_published_result;

/** Results sorted by edition (newest first), benchmark, division (closed, open, unknown), minutes (bounds last, by the
 * lower bound) and row. */
typedef struct mls_published {
    struct mls_arena *arena;
    mls_published_result *results;
    size_t count;
} mls_published;

#define MLS_ANY_USAGE ((mls_usage)MLS_USAGE_COUNT)

/** Load the results of a usage (or MLS_ANY_USAGE) and an edition (0: all).  Return MLS_OK, or MLS_ERROR_VALUE for
 * broken data.  Release *published, which owns the results, in any case. */
mls_status mls_published_load(mls_usage usage, unsigned edition, mls_published *published,
                              mls_error *error) MLS_MUST_USE;
void mls_published_release(mls_published *published);

/** The searchable texts of a result.  Benchmarks match by name, accelerators by words that must all be in the name,
 * other texts by substring.  Case is ignored. */
typedef enum mls_published_text {
    MLS_PUBLISHED_BENCHMARK,
    MLS_PUBLISHED_SUBMITTER,
    MLS_PUBLISHED_SYSTEM,       /**< system_id or system_name */
    MLS_PUBLISHED_ACCELERATOR,  /**< accelerator model as in the description */
    MLS_PUBLISHED_AVAILABILITY, /**< in any spelling of cloud, onprem, preview or research */
    MLS_PUBLISHED_TEXTS
} mls_published_text;

const char *mls_published_text_name(mls_published_text which); /**< "submitter" */

/** The order of results.  Unknown values come last; ties are in the order of editions. */
typedef enum mls_published_order {
    MLS_PUBLISHED_BY_EDITION,
    MLS_PUBLISHED_BY_MINUTES,
    MLS_PUBLISHED_BY_ACCELERATORS,
    MLS_PUBLISHED_BY_ACCELERATOR_MINUTES,
    MLS_PUBLISHED_BY_SUBMITTER
} mls_published_order;

/** A filter for results.  Zero-initialised, it matches all. */
typedef struct mls_published_filter {
    unsigned edition;                          /**< edition number; 0: any edition */
    mls_division division;                     /**< NONE: any division */
    const char *texts[MLS_PUBLISHED_TEXTS];    /**< NULL: any text */
    bool whole_accelerator;                    /**< the accelerator's text is an exact name instead of words */
    double min_accelerators, max_accelerators; /**< 0: no limit */
    bool best;  /**< only the fastest of each edition, benchmark, division and accelerator count with exact minutes */
    bool trend; /**< as `best`, and only accelerator counts that occur in several editions; sorted by benchmark,
                   division, accelerator count and edition (oldest first), whatever `order` is */
    mls_published_order order;
} mls_published_filter;

struct mls_published_runs;
typedef struct mls_published_hit {
    const mls_published_result *result;
    double ratio; /**< for a trend: minutes relative to the previous edition, minus 1; else NAN */
    const struct mls_published_runs *opened; /**< see mls_published_open_all(); NULL: not requested */
} mls_published_hit;

/** Return whether a result ran on an accelerator of exactly this name of several words. */
bool mls_published_names_accelerator(const mls_published *published, const char *name);

/** Return whether a result passes a filter, ignoring `best` and `trend`. */
bool mls_published_passes(const mls_published_filter *filter, const mls_published_result *result);

/** Return the results that pass a filter in *hits, to be freed with free(). */
void mls_published_search(const mls_published *published, const mls_published_filter *filter, mls_published_hit **hits,
                          size_t *count);

/** Return the searchable text that is most similar to a text without matches.  `found` is empty if no text is similar.
 */
mls_suggestion mls_published_nearest_text(const mls_published *published, mls_published_text which, const char *text);

/** A run of a published result, in milliseconds.  Its time to train is the sum of its parts; if only that time is
 * known, all parts are NAN.  If evaluations are not delimited, MLS_PART_EVALUATION is NAN and they count as training.
 */
typedef struct mls_published_run {
    bool valid;
    double to_converge; /**< samples to converge, in the unit mls_published_runs.unit */
    double ms, part_ms[MLS_PART_COUNT], evaluations, init_ms;
    double start_ms; /**< time of run_start since 1970 */
} mls_published_run;

/** A setting with the same value in all runs of a result, as logged JSON. Its texts live as long as the process. */
typedef struct mls_published_setting {
    mls_str key, value;
    bool differs; /**< differs among the results that were opened together */
} mls_published_setting;

/** The logs of a published result: its runs in natural order of their files, and the settings that they share,
 * including the batch size. */
typedef struct mls_published_runs {
    const char *unit; /**< unit of to_converge: "samples", "epochs"; NULL: runs differ */
    mls_parts_by by;
    MLS_LIST_OF(mls_published_run) runs;
    MLS_LIST_OF(mls_published_setting) settings;
} mls_published_runs;

/** Read the runs of a result.  If the logs are not public, *runs is empty.  Return MLS_OK, or MLS_ERROR_VALUE for
 * broken data. Release *runs in any case. */
mls_status mls_published_open(const mls_published_result *result, mls_published_runs *runs,
                              mls_error *error) MLS_MUST_USE;
void mls_published_runs_release(mls_published_runs *runs);

/** An iterator over the runs of a published result.  Texts live as long as the process. */
typedef struct mls_published_starts {
    mls_str round, system_id, benchmark;
    double start_ms; /**< run_start of the run read last, in whole milliseconds since 1970 */
    mls_str left;    /**< encoded starts of the remaining runs */
} mls_published_starts;

/** Return an iterator over the starts of a result.  `left` is NULL if the logs are not public. */
mls_published_starts mls_published_starts_of(const mls_published_result *result);

/** Call `take` for every result of a usage with public logs, the oldest round first.  Return MLS_OK, the first other
 * status of `take`, or MLS_ERROR_VALUE for broken data. */
mls_status mls_published_each_starts(mls_usage usage, mls_status (*take)(void *state, mls_published_starts *starts),
                                     void *state) MLS_MUST_USE;

/** Read the next known start.  Return MLS_STOPPED after the last one, or MLS_ERROR_VALUE for broken data. */
mls_status mls_published_next_start(mls_published_starts *starts) MLS_MUST_USE;

/** Return the value of a setting; ptr is NULL if the value is unknown or the runs differ. */
mls_str mls_published_setting_of(const mls_published_runs *runs, mls_str key);

/** A setting that differs among results, and the number of results that have it. */
typedef struct mls_published_key {
    mls_str name;
    size_t known;
} mls_published_key;

/** Results that were opened together, and the settings that differ: the batch size first, then by number of results. */
typedef struct mls_published_opened {
    mls_published_runs *items;
    size_t count;
    MLS_LIST_OF(mls_published_key) keys;
} mls_published_opened;

/** Open all hits like mls_published_open() and set their `opened`.  Release *opened in any case, after the hits. */
mls_status mls_published_open_all(mls_published_hit *hits, size_t count, mls_published_opened *opened,
                                  mls_error *error) MLS_MUST_USE;
void mls_published_opened_release(mls_published_opened *opened);

/** The group whose nearest results are searched. */
typedef struct mls_published_query {
    unsigned edition;
    mls_str benchmark;
    mls_division division; /**< NONE: closed */
    double accelerators;   /**< NAN: unknown */
    const char *model;     /**< see mls_accelerator_model_of(); NULL: unknown */
    double minutes;        /**< the scaled score */
    const char *system_id; /**< name of the folder of the group's results; NULL: unknown */
    const char *submitter; /**< only results of submitters whose name contains this, ignoring case; NULL: all */
    /** Group whose runs identify the published result of the group itself; NULL: unknown. */
    const struct mls_side_group *side;
    const mls_group *logged; /**< the same, as a group of logs */
} mls_published_query;

struct mls_published_why;

/** A published result near a group.  `ratio` is the group's minutes over the result's, minus 1. */
typedef struct mls_published_near {
    const mls_published_result *result;
    double ratio;
    bool self; /**< the result is the group itself: both share most runs, or have the same folder and minutes */
    size_t rank_alike, ranked_alike;     /**< see mls_published_place; 0: not requested */
    const struct mls_published_why *why; /**< see comparison.h; NULL: not requested, or runs are not available */
} mls_published_near;

/** The rank that a group has, or would have, among the published results of its edition, benchmark and division. `rank`
 * is 1 + the number of faster results, and `ranked` the number of results with known minutes, including the group.  The
 * `_alike` members count only results on the same number of the same accelerators (0: unknown). */
typedef struct mls_published_place {
    size_t rank, ranked, rank_alike, ranked_alike;
    size_t published; /**< number of all results, including those with bounds and the group */
    bool itself;      /**< the group is published */
} mls_published_place;

/** Find the exactly known results of the group's benchmark and division that are nearest to the group.  Use the group's
 * edition or, if that has no such results, the newest edition that has some.  Sort by |ln(accelerators / the group's)|
 * (unknown last; all equal if the group's count is unknown), same model first, minutes, and row.  Return the number of
 * results in `near`, at most `count`. */
size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count);

/** Find the rank of a group, and the exactly known results around it on the same number of the same accelerators.
 * `around` gets, by minutes: the fastest, the group itself if it is published, and the `limit` next faster and slower
 * ones; it must have room for 2 * limit + 3.  The query's submitter restricts all results except the group itself.
 * Return the number of results, which is 0 if the model or count is unknown. */
size_t mls_published_around(const mls_published *published, const mls_published_query *query, size_t limit,
                            mls_published_near *around, mls_published_place *place);

typedef struct mls_published_edition {
    const mls_edition *edition;
    mls_published results;
} mls_published_edition;

/** The published results next to groups.  Zero-initialise and release it. */
typedef struct mls_published_beside {
    MLS_LIST_OF(mls_published_edition) editions; /**< editions of the groups, without duplicates */
    mls_published_near *near; /**< for each group: the fastest result of the same edition, accelerator model and count;
                                   its `result` is NULL if there is none */
    struct mls_arena *arena;
} mls_published_beside;

mls_status mls_published_beside_find(mls_published_beside *beside, const mls_group *groups, size_t count,
                                     mls_error *error) MLS_MUST_USE;
void mls_published_beside_release(mls_published_beside *beside);
