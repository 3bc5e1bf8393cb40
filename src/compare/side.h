/* SPDX-License-Identifier: Apache-2.0 */
/* side.h - functions shared by the files of compare/: read sides, match their groups, and find the settings that
 * differ.  All data are allocated in the arena of the comparison. */
#pragma once

#include "base/memory.h"
#include "compare/comparison.h"

mls_side_group *mls_side_group_add(mls_comparison *to, const mls_side_group *group);

/* Convert a scored group of logs to a group of a side, without its runs.  The result refers to the data of `group`. */
mls_side_group mls_side_group_of(const mls_group *group);

/* Set the times of a run, in milliseconds.  A time that is too large to be summed as whole milliseconds is unknown. */
void mls_side_run_times(mls_side_run *run, double ms, double init_ms);

/* Set the parts of a run whose times are known.  The parts are unknown if their sum differs from run->ms after
 * rounding, or if `delimited` is false: training is not delimited by blocks or epochs.  If `evaluations`, the number of
 * evaluations, is NAN, evaluations count as training. */
void mls_side_run_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations);

/* The environment of a run.  Unknown texts are NULL; an unknown number of nodes is NAN. */
typedef struct mls_side_place {
    const char *config, *container, *node_list, *organisation, *platform, *host_processor, *framework, *precision;
    double nodes;
} mls_side_place;

void mls_side_run_environment(mls_arena *arena, mls_side_run *run, const mls_side_place *place,
                              const mls_side_group *group);

/* Add a setting to a list: mls_setting_add_json() a logged JSON value, mls_setting_add_shown() a text from CSV, and
 * mls_setting_add_printed() a value that a job printed or a config exports.  Empty values are ignored.  Keys are not
 * copied. */
void mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json);
void mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text);
void mls_setting_add_printed(mls_arena *arena, mls_settings *settings, const mls_known_settings *known, mls_str key,
                             mls_str value);

/* Convert a value that a job printed or a config exports to a setting without a key.  Spellings of true and false
 * become 1 and 0.  `known` is the row of the setting in the table of known settings; NULL: unknown.  The result refers
 * to `value`. */
mls_setting mls_setting_of_printed(const mls_known_setting *known, mls_str value);

bool mls_setting_same(const mls_setting *a, const mls_setting *b); /* compares only the values, not the keys */

/* Add groups to a side.  mls_side_take_group() adds a group of logs, with the settings and environments of its runs if
 * `setups` is set.  mls_side_read_json() adds the groups of an export in JSON, or in NDJSON if `lines` is set; the text
 * must be followed by MLS_JSON_PADDING NUL bytes.  mls_side_read_csv() adds the groups of an export in CSV.  They
 * return MLS_OK, or MLS_ERROR_SYNTAX or MLS_ERROR_LIMIT for an invalid export. */
mls_side_group *mls_side_take_group(mls_comparison *to, const mls_side *side, const mls_group *group, bool setups);
mls_status mls_side_read_json(mls_comparison *to, const mls_side *side, mls_str text, bool lines,
                              mls_error *error) MLS_MUST_USE;
mls_status mls_side_read_csv(mls_comparison *to, const mls_side *side, mls_str text, mls_error *error) MLS_MUST_USE;

/* Create a group from a published result, with its runs if they are public. */
mls_status mls_published_group(mls_arena *arena, const mls_published_result *result, const mls_benchmark *rules,
                               bool select_window, mls_side_group *group, mls_error *error) MLS_MUST_USE;

const char *mls_no_score_reason(const mls_side_group *group);

/* A published side is a path "published:WORDS".  mls_sides_take_published() finds the results of all published sides
 * and appends their groups to those of logs.  It returns MLS_ERROR_VALUE if the words of a side match no result, or
 * several systems, which are then listed in comparison->candidates. */
#define MLS_PUBLISHED_PREFIX "published:"
bool mls_is_published_side(const char *path);
bool mls_request_has_published(const mls_compare_request *request);
mls_status mls_sides_take_published(const mls_compare_request *request, mls_comparison *comparison,
                                    mls_error *error) MLS_MUST_USE;

/* Compute near->why, the causes of the difference between a group and a published result.  mls_why_add() is for a group
 * of a comparison, with differing settings if `settings` is set; mls_why_of_group() is for a group of logs. */
mls_status mls_why_add(mls_comparison *in, const mls_compare_request *request, mls_side_group *group,
                       mls_published_near *near, bool settings, mls_error *error) MLS_MUST_USE;
mls_status mls_why_of_group(mls_arena *arena, const mls_group *group, mls_published_near *near,
                            mls_error *error) MLS_MUST_USE;

/* Match the groups of different sides, create blocks without their differences, and list the groups that have no
 * match. */
void mls_sides_meet(mls_comparison *comparison);

/* If there is a single side, make a side of each group, and a block of all groups with the same benchmark and division.
 * `baseline` is the name of the baseline; NULL: the first group. */
void mls_side_meet_itself(mls_comparison *comparison, const char *baseline);

/* Find what differs in a block: mls_block_hyperparameters() finds hyperparameters; mls_block_settings() printed and
 * exported settings and the environment; mls_block_outliers() runs with a different time per sample. */
void mls_block_hyperparameters(mls_block *block, mls_arena *arena);
void mls_block_settings(mls_block *block, const mls_known_settings *known, mls_arena *arena);
void mls_block_outliers(mls_block *block, mls_arena *arena);

/* Add a row for each variable with different values in the configs next to the logs, if at least two sides have a
 * config. */
void mls_block_exports(const mls_block *block, const mls_known_settings *known, mls_arena *arena, mls_differings *rows);

void mls_scaling_make(mls_comparison *comparison);

mls_status mls_beside_make(mls_comparison *comparison, const mls_compare_request *request,
                           mls_error *error) MLS_MUST_USE;

void mls_leave_out(mls_comparison *comparison, const mls_side_group *group, const char *reason);

int mls_division_compare(mls_division a, mls_division b); /* order: closed, open, unknown */
bool mls_same_text(const char *a, const char *b);         /* NULL is the same as NULL */
