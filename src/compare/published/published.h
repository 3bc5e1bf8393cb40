/* SPDX-License-Identifier: Apache-2.0 */
/* published.h - the results of the public rounds of MLPerf training and hpc: looked up, ranked, and laid beside a
 * group of one's own.
 *
 * They are embedded in the library (src/data/published), as a scorer of the published logs found them.  What is known
 * to be amiss: two of Google's carry a factor that the review committee set; in training 4.0 systems of one submitter
 * share a name; weak scaling and power are left out; of training 6.0 only the closed division is there, and of most of
 * its results no more than bounds.  Numbers that are not known are NAN, texts NULL. */
#pragma once

#include "score/group.h"

/** A system of one round; accelerators are nodes times accelerators_per_node, NAN for machines without any. */
typedef struct mls_published_system {
    const char *submitter, *system_id, *system_name, *availability, *accelerator, *host_processor, *framework;
    mls_division division; /**< NONE: its description does not say */
    double nodes, accelerators_per_node, accelerators;
    mls_accelerator_model model;
} mls_published_system;

/** How well the score of a result is known. */
typedef enum mls_published_known {
    MLS_PUBLISHED_EXACT,     /**< to the four decimals of the tables */
    MLS_PUBLISHED_ANNOUNCED, /**< in fewer digits, as somebody announced it */
    MLS_PUBLISHED_BOUNDS     /**< no more than bounds of what it was before scaling: minutes are NAN */
} mls_published_known;

/** "exact", "announced", "bounds". */
const char *mls_published_known_name(mls_published_known known);

typedef struct mls_published_result {
    mls_usage usage;
    const char *round; /**< "5.1" */
    unsigned edition;  /**< its number, as MLS_EDITION_NUMBER() */
    const mls_published_system *system;
    const char *benchmark;
    double runs, runs_ok;
    mls_published_known known;
    double minutes;                     /**< the score, scaled; four decimals */
    double unscaled_low, unscaled_high; /**< bounds of it before scaling; NAN: not known */
    double scale_factor, global_batch_size, to_converge;
    double accelerator_minutes; /**< NAN: a machine without accelerators */
    size_t rank;      /**< 1 + how many of the same usage, edition, benchmark and division are faster; 0: of bounds */
    size_t ranked;    /**< of how many, those whose minutes are known */
    size_t published; /**< and of how many in all */
    size_t row;       /**< in the order of the tables, which decides ties */
} mls_published_result;

/** Results, newest edition first; of an edition by benchmark, division (closed, open, not said), minutes (bounds behind
 * them, by the lower) and row. */
typedef struct mls_published {
    struct mls_arena *arena;
    mls_published_result *results;
    size_t count;
} mls_published;

/** For mls_published_load(): of all usages. */
#define MLS_ANY_USAGE ((mls_usage)MLS_USAGE_COUNT)

/** Reads the results of a usage, of one edition's number or (0) of all: none is no error.  MLS_OK, or
 * MLS_ERROR_VALUE for broken data; *published is to be released in any case, and ends its results. */
mls_status mls_published_load(mls_usage usage, unsigned edition, mls_published *published,
                              mls_error *error) MLS_MUST_USE;
void mls_published_release(mls_published *published);

/** The texts of a result that a search may ask for: a benchmark by its name, an accelerator by words that are all in
 * its name, the others by a part of the text; case aside. */
typedef enum mls_published_text {
    MLS_PUBLISHED_BENCHMARK,
    MLS_PUBLISHED_SUBMITTER,
    MLS_PUBLISHED_SYSTEM,       /**< system_id or system_name */
    MLS_PUBLISHED_ACCELERATOR,  /**< as its description names it */
    MLS_PUBLISHED_AVAILABILITY, /**< by one of the words cloud, onprem (premise), preview, research, else as above */
    MLS_PUBLISHED_TEXTS
} mls_published_text;

/** "submitter". */
const char *mls_published_text_name(mls_published_text which);

/** The order of results, unknown values last; those that are alike in it stay in the order of editions. */
typedef enum mls_published_order {
    MLS_PUBLISHED_BY_EDITION,
    MLS_PUBLISHED_BY_MINUTES,
    MLS_PUBLISHED_BY_ACCELERATORS,
    MLS_PUBLISHED_BY_ACCELERATOR_MINUTES,
    MLS_PUBLISHED_BY_SUBMITTER
} mls_published_order;

/** Zero-initialised finds all. */
typedef struct mls_published_filter {
    unsigned edition;                          /**< number; 0: any */
    mls_division division;                     /**< NONE: any */
    const char *texts[MLS_PUBLISHED_TEXTS];    /**< NULL: any */
    bool whole_accelerator;                    /**< the accelerator's text is a name, not words of names */
    double min_accelerators, max_accelerators; /**< 0: no bound */
    bool best;  /**< only the fastest of each edition, benchmark, division and number of accelerators: of those whose
                     minutes are known, as of a trend */
    bool trend; /**< of these, numbers of accelerators that occur in several editions, by benchmark, division, number of
                     accelerators and edition, the oldest first */
    mls_published_order order; /**< but of a trend */
} mls_published_filter;

struct mls_published_runs;
typedef struct mls_published_hit {
    const mls_published_result *result;
    double ratio;                            /**< of a trend: minutes / those of the edition before it - 1; else NAN */
    const struct mls_published_runs *opened; /**< see mls_published_open_all(); NULL: not asked for */
} mls_published_hit;

/** Whether some result ran on an accelerator of just that name, which has several words: then it means no other, while
 * B200 means GB200 too. */
bool mls_published_names_accelerator(const mls_published *published, const char *name);

/** Whether a result passes; `best` and `trend` are of no matter. */
bool mls_published_passes(const mls_published_filter *filter, const mls_published_result *result);

/** The results that pass a filter: *hits, to be given to free(), and *count of them.  MLS_OK or MLS_ERROR_MEMORY. */
mls_status mls_published_search(const mls_published *published, const mls_published_filter *filter,
                                mls_published_hit **hits, size_t *count);

/** The text that results have which is nearest to one that none has; `found` is empty when nothing is near. */
mls_nearest mls_published_nearest_text(const mls_published *published, mls_published_text which, const char *text);

/** A run of a published result; milliseconds.  Its time-to-train is the sum of its parts: MLS_PART_EVALUATION is NAN,
 * and in training, where evaluations are not delimited. */
typedef struct mls_published_run {
    bool valid;
    double to_converge; /**< in the unit of its result */
    double ms, part_ms[MLS_PART_COUNT], evaluations, init_ms;
    double start_ms; /**< when run_start was logged, since 1970 */
} mls_published_run;

/** A value that all runs of a result were set up with, as it was logged: JSON.  Borrowed for the life of the process.
 */
typedef struct mls_published_setting {
    mls_str key, value;
    bool differs; /**< in some result that was opened with it */
} mls_published_setting;

/** The log of a published result: its runs in natural order of their files, and the settings they share, the batch size
 * among them. */
typedef struct mls_published_runs {
    const char *unit; /**< of to_converge: "samples", "epochs"; NULL: the runs differ */
    mls_parts_by by;
    MLS_LIST_OF(mls_published_run) runs;
    MLS_LIST_OF(mls_published_setting) settings;
} mls_published_runs;

/** Reads the runs of one result: none when its logs are not public, which is no error.  MLS_OK, or
 * MLS_ERROR_VALUE for broken data; *runs is to be released in any case. */
mls_status mls_published_open(const mls_published_result *result, mls_published_runs *runs,
                              mls_error *error) MLS_MUST_USE;
void mls_published_runs_release(mls_published_runs *runs);

/** A published result whose logs are public, and when its runs began: run_start, in whole milliseconds since 1970.
 * Texts live as long as the process. */
typedef struct mls_published_starts {
    mls_str round, system_id, benchmark;
    double start_ms; /**< of the run that was asked for last */
    mls_str left;    /**< runs that were not asked for yet */
} mls_published_starts;

/** The starts of one result; `left` is NULL when they are not public. */
mls_published_starts mls_published_starts_of(const mls_published_result *result);

/** Gives every such result of a usage to `take`, the oldest round first.  MLS_OK, what `take` returned that is not
 * MLS_OK, or MLS_ERROR_VALUE for broken data. */
mls_status mls_published_each_starts(mls_usage usage, mls_status (*take)(void *state, mls_published_starts *starts),
                                     void *state) MLS_MUST_USE;

/** Moves on to the next start that is known.  MLS_OK, MLS_STOPPED behind the last, or MLS_ERROR_VALUE for broken data.
 */
mls_status mls_published_next_start(mls_published_starts *starts) MLS_MUST_USE;

/** The value of a setting; ptr NULL: not known, or the runs differ in it. */
mls_str mls_published_setting_of(const mls_published_runs *runs, mls_str key);

/** A setting in which results differ, and how many of them have it. */
typedef struct mls_published_key {
    mls_str name;
    size_t known;
} mls_published_key;

/** Results opened together, and in which settings they differ: the batch size first, then those that most have. */
typedef struct mls_published_opened {
    mls_published_runs *items;
    size_t count;
    MLS_LIST_OF(mls_published_key) keys;
} mls_published_opened;

/** Opens all hits, which then point to what was found.  What mls_published_open() returns; *opened is to be released in
 * any case, after the hits. */
mls_status mls_published_open_all(mls_published_hit *hits, size_t count, mls_published_opened *opened,
                                  mls_error *error) MLS_MUST_USE;
void mls_published_opened_release(mls_published_opened *opened);

/** Whose neighbours are looked for. */
typedef struct mls_published_query {
    unsigned edition;
    mls_str benchmark;
    mls_division division;             /**< NONE counts as closed */
    double accelerators;               /**< NAN: not known */
    const char *model;                 /**< see mls_accelerator_model_of(); NULL: not known */
    double minutes;                    /**< the scaled score */
    const char *system_id;             /**< folder of the results; NULL: not known */
    const char *submitter;             /**< only of submitters with this in their name, case aside; NULL: of any */
    const struct mls_side_group *side; /**< whose runs say which result it is itself; NULL: not known */
    const mls_group *logged;           /**< likewise */
} mls_published_query;

struct mls_published_why;

/** A published result beside a group: ratio is the group's minutes / its minutes - 1. */
typedef struct mls_published_near {
    const mls_published_result *result;
    double ratio;
    bool
        self; /**< it is the group itself: most of its runs, or the same folder and the same minutes to four decimals */
    size_t rank_alike, ranked_alike;     /**< among those on as many of the same accelerators whose minutes are known;
                                              0: not asked for */
    const struct mls_published_why *why; /**< see comparison.h; NULL: not asked for, or a side has no runs */
} mls_published_near;

/** Where a group stands, or would stand, among the published results of its edition, benchmark and division, whoever's
 * they are: 1 and how many others are faster, of how many with it whose minutes are known; all, and those on as many of
 * the same accelerators (0: which is not known). */
typedef struct mls_published_place {
    size_t rank, ranked, rank_alike, ranked_alike;
    size_t published; /**< all with it, of bounds too */
    bool itself;      /**< it is among them */
} mls_published_place;

/** The results of the group's benchmark and division nearest to it, of those that are known exactly: those of its
 * edition, or, where there are none (see result->edition), of the newest edition that has some.  They are sorted by
 * |ln(accelerators / the group's)| to nine decimals (not known: last; the group's not known: all alike), the same model
 * before others, minutes, and row. Returns how many of at most `count` are in `near`. */
size_t mls_published_nearest(const mls_published *published, const mls_published_query *query, mls_published_near *near,
                             size_t count);

/** The place of a group, and those known exactly that stand around it on as many of the same accelerators, in `around`
 * by minutes:
 * the fastest, the group itself where it is published, and the next ones that are faster and slower, `limit` of either.
 * The query's submitter chooses the others.  Returns how many they are: `around` has room for 2 * limit + 3.  Their
 * edition is that of mls_published_nearest() for any submitter.  Nothing is around where model or number is not known.
 */
size_t mls_published_around(const mls_published *published, const mls_published_query *query, size_t limit,
                            mls_published_near *around, mls_published_place *place);

/** The results of an edition. */
typedef struct mls_published_edition {
    const mls_edition *edition;
    mls_published results;
} mls_published_edition;

/** The published results beside groups; zero-initialised, and to be released. */
typedef struct mls_published_beside {
    MLS_LIST_OF(mls_published_edition) editions; /**< of the groups that something can stand beside, each once */
    mls_published_near *near; /**< of each group the fastest published result of its edition, model and number of
                                   accelerators, of those that are known exactly; its result NULL: there is none */
    struct mls_arena *arena;
} mls_published_beside;

/** Finds what stands beside groups.  MLS_OK, or what mls_published_load() says: the rest is not found then. */
mls_status mls_published_beside_find(mls_published_beside *beside, const mls_group *groups, size_t count,
                                     mls_error *error) MLS_MUST_USE;
void mls_published_beside_release(mls_published_beside *beside);
