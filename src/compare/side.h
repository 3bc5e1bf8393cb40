/* SPDX-License-Identifier: Apache-2.0 */
/* side.h - what the files of the room share: reading sides, pairing their groups, and what of them differs.
 *
 * All of a comparison lies in its arena. */
#pragma once

#include "base/memory.h"
#include "compare/comparison.h"

/* Adds a copy to the groups, after those that were found before. */
mls_side_group *mls_side_group_add(mls_comparison *to, const mls_side_group *group);

/* A group of logs as one of a side, without its runs: everything is borrowed. */
mls_side_group mls_side_group_of(const mls_group *group);

/* How long a run took, and to initialise; a number of milliseconds that cannot be added up is not known. */
void mls_side_run_times(mls_side_run *run, double ms, double init_ms);

/* The parts of a run whose times are known: `delimited`, by blocks or epochs; evaluations NAN: they count as training.
 * They add up to the run's ms, whatever fractions of milliseconds they have, or are not known. */
void mls_side_run_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations);

/* Where a run was made; NULL and NAN: not known. */
typedef struct mls_side_place {
    const char *config, *container, *node_list, *organisation, *platform, *host_processor, *framework;
    double nodes;
} mls_side_place;

/* Adds where a run of the group was made. */
void mls_side_run_environment(mls_arena *arena, mls_side_run *run, const mls_side_place *place,
                              const mls_side_group *group);

/* Adds what a run was set up with: as the JSON text that was logged; as the text that a CSV shows; as a job printed or
 * a config exports it.  Empty says nothing.  Keys are not copied. */
void mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json);
void mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text);
void mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value);

/* A value as it was printed or exported, whose text it keeps: where it means true or false it is 1 or 0, whatever way
 * it was written.  `known` is the setting's row; NULL: it has none. */
mls_setting mls_setting_of_printed(const mls_known_setting *known, mls_str value);

/* Whether two values are the same, keys aside. */
bool mls_setting_same(const mls_setting *a, const mls_setting *b);

/* Adds a group of logs, with or without how and where its runs were made; or the groups of an export: JSON or (`lines`)
 * NDJSON, behind which stand MLS_JSON_PADDING zeros, or CSV, or _SYNTAX, _LIMIT. */
mls_side_group *mls_side_take_group(mls_comparison *to, const mls_side *side, const mls_group *group, bool setups);
mls_status mls_side_read_json(mls_comparison *to, const mls_side *side, mls_str text, bool lines,
                              mls_error *error) MLS_MUST_USE;
mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error) MLS_MUST_USE;

/* A published result as a group, with the runs that are public, whose memory is the arena's. */
mls_status mls_published_group(mls_arena *arena, const mls_published_result *result, const mls_benchmark *rules,
                               bool select_window, mls_side_group *group, mls_error *error) MLS_MUST_USE;

/* Why a group without a score has none: of a published result not every score is known. */
const char *mls_no_score_reason(const mls_side_group *group);

/* `published:WORDS`: whether a path is that, whether some side has one, and the groups of all that have, behind those
 * of logs.  MLS_ERROR_VALUE: no result, or several systems, which are listed in the comparison. */
#define MLS_PUBLISHED_PREFIX "published:"
bool mls_is_published_side(const char *path);
bool mls_request_has_published(const mls_compare_request *request);
mls_status mls_sides_take_published(const mls_compare_request *request, mls_comparison *comparison,
                                    mls_error *error) MLS_MUST_USE;

/* Says of a published result beside a group what the difference is made of, with or without the hyperparameters: of one
 * in a comparison; or of a group of logs, in an arena. */
mls_status mls_why_add(mls_comparison *in, const mls_compare_request *request, mls_side_group *group,
                       mls_published_near *near, bool settings, mls_error *error) MLS_MUST_USE;
mls_status mls_why_of_group(mls_arena *arena, const mls_group *group, mls_published_near *near,
                            mls_error *error) MLS_MUST_USE;

/* Lets groups of the sides meet: the blocks, without their differences, and what met none. */
void mls_sides_meet(mls_comparison *comparison);

/* The same of one side: its groups of one benchmark and division become sides, and meet. */
void mls_side_meet_itself(mls_comparison *comparison, const char *baseline);

/* Lists the hyperparameters of the runs of a block; these, what was printed or exported, and where they were made; and
 * which runs stand out. */
void mls_block_hyperparameters(mls_block *block, mls_arena *arena);
void mls_block_settings(mls_block *block, const mls_known_settings *known, mls_arena *arena);
void mls_block_outliers(mls_block *block, mls_arena *arena);

/* Rows for what the configs beside the logs of the block's sides export otherwise, where at least two have one. */
void mls_block_exports(const mls_block *block, const mls_known_settings *known, mls_arena *arena, mls_differings *rows);

/* The series of all groups, and what is left out of them. */
void mls_scaling_make(mls_comparison *comparison);

/* The published results nearest to each group that has a score. */
mls_status mls_beside_make(mls_comparison *comparison, const mls_compare_request *request,
                           mls_error *error) MLS_MUST_USE;

/* Lists a group as one that met none. */
void mls_leave_out(mls_comparison *comparison, const mls_side_group *group, const char *reason);

/* The order of divisions of published results: closed, open, not said. */
int mls_division_compare(mls_division a, mls_division b);

/* Whether two texts are the same, or both NULL. */
bool mls_same_text(const char *a, const char *b);
