/* SPDX-License-Identifier: Apache-2.0 */
/* side.h - internals shared by the files of compare/: read sides, match their groups, and find what differs.  The
 * arena of a comparison owns all its data. */
#pragma once

#include "base/memory.h"
#include "compare/comparison.h"

mls_side_group *mls_side_group_add(mls_comparison *to, const mls_side_group *group);

/* Return a group of logs as a group of a side, without its runs.  It borrows all data. */
mls_side_group mls_side_group_of(const mls_group *group);

/* Set the times of a run.  Values that cannot be summed as whole milliseconds are unknown. */
void mls_side_run_times(mls_side_run *run, double ms, double init_ms);

/* Set the parts of a run with known times.  If the parts do not add up to run->ms after rounding, they are unknown.
 * `delimited`: blocks or epochs delimit training.  If `evaluations` is NAN, evaluations count as training. */
void mls_side_run_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations);

/* The place where a run was executed.  Unknown texts are NULL; an unknown number of nodes is NAN. */
typedef struct mls_side_place {
    const char *config, *container, *node_list, *organisation, *platform, *host_processor, *framework;
    double nodes;
} mls_side_place;

void mls_side_run_environment(mls_arena *arena, mls_side_run *run, const mls_side_place *place,
                              const mls_side_group *group);

/* Add a setting of a run: a logged JSON text, a text from CSV, or a printed or exported value.  Empty values are
 * ignored.  Keys are not copied. */
void mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json);
void mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text);
void mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value);

/* Return the setting of a printed or exported value, which borrows its text.  Spellings of true and false become 1 and
 * 0.  `known` may be NULL. */
mls_setting mls_setting_of_printed(const mls_known_setting *known, mls_str value);

bool mls_setting_same(const mls_setting *a, const mls_setting *b); /* compares values, not keys */

/* mls_side_take_group() adds a group of logs, with its settings and places if `setups` is set.  The other functions add
 * the groups of an export: JSON or (`lines`) NDJSON, which must be followed by MLS_JSON_PADDING zeros, or CSV. Return
 * MLS_ERROR_SYNTAX or MLS_ERROR_LIMIT for an invalid export. */
mls_side_group *mls_side_take_group(mls_comparison *to, const mls_side *side, const mls_group *group, bool setups);
mls_status mls_side_read_json(mls_comparison *to, const mls_side *side, mls_str text, bool lines,
                              mls_error *error) MLS_MUST_USE;
mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error) MLS_MUST_USE;

/* Create the group of a published result with its public runs, in the arena. */
mls_status mls_published_group(mls_arena *arena, const mls_published_result *result, const mls_benchmark *rules,
                               bool select_window, mls_side_group *group, mls_error *error) MLS_MUST_USE;

const char *mls_no_score_reason(const mls_side_group *group);

/* Published sides, "published:WORDS".  Their groups are appended to those of logs.  Return MLS_ERROR_VALUE if a side
 * matches no result, or several systems, which are then listed in the comparison. */
#define MLS_PUBLISHED_PREFIX "published:"
bool mls_is_published_side(const char *path);
bool mls_request_has_published(const mls_compare_request *request);
mls_status mls_sides_take_published(const mls_compare_request *request, mls_comparison *comparison,
                                    mls_error *error) MLS_MUST_USE;

/* Compute the parts of the difference between a group and a published result, with hyperparameters if `settings` is
 * set: for a group of a comparison, or for a group of logs. */
mls_status mls_why_add(mls_comparison *in, const mls_compare_request *request, mls_side_group *group,
                       mls_published_near *near, bool settings, mls_error *error) MLS_MUST_USE;
mls_status mls_why_of_group(mls_arena *arena, const mls_group *group, mls_published_near *near,
                            mls_error *error) MLS_MUST_USE;

/* Match groups of different sides: create the blocks, without their differences, and list unmatched groups. */
void mls_sides_meet(mls_comparison *comparison);

/* Do the same for a single side: its groups of one benchmark and division become sides. */
void mls_side_meet_itself(mls_comparison *comparison, const char *baseline);

/* Compute what differs in a block: hyperparameters; all settings and places; outliers. */
void mls_block_hyperparameters(mls_block *block, mls_arena *arena);
void mls_block_settings(mls_block *block, const mls_known_settings *known, mls_arena *arena);
void mls_block_outliers(mls_block *block, mls_arena *arena);

/* Add a row for each variable that the configs next to the logs export differently, if at least two sides have a
 * config. */
void mls_block_exports(const mls_block *block, const mls_known_settings *known, mls_arena *arena, mls_differings *rows);

void mls_scaling_make(mls_comparison *comparison);

mls_status mls_beside_make(mls_comparison *comparison, const mls_compare_request *request,
                           mls_error *error) MLS_MUST_USE;

void mls_leave_out(mls_comparison *comparison, const mls_side_group *group, const char *reason);

int mls_division_compare(mls_division a, mls_division b); /* closed, open, unknown */
bool mls_same_text(const char *a, const char *b);         /* NULL equals NULL */
