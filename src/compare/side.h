/* SPDX-License-Identifier: Apache-2.0 */
/* side.h - what the files of the room share: reading sides, pairing their groups, and what of them differs. */
#ifndef MLS_COMPARE_SIDE_H
#define MLS_COMPARE_SIDE_H

#include "base/memory.h"
#include "mlscore/compare.h"

/* A side on its way in: groups are added in the order in which they are found. */
typedef struct mls_side_reading {
    mls_arena *arena;
    mls_comparison *to;
    size_t side;
} mls_side_reading;

/* A new group of the side; NULL: no memory.  And a new run of a group, everything in it unknown. */
mls_side_group *mls_side_group_add(const mls_side_reading *reading);
mls_side_run *mls_side_run_add(mls_arena *arena, mls_side_group *group);

/*
 * Adds what a run was set up with, or where: as the JSON text that was logged; as the text that a CSV shows; or a text
 * (decoded, NULL: none) or number (not finite: none).  Empty says nothing.  Keys are not copied.  False: no memory.
 */
bool mls_setting_add_json(mls_arena *arena, mls_settings *settings, mls_str key, mls_str json) MLS_MUST_USE;
bool mls_setting_add_shown(mls_arena *arena, mls_settings *settings, mls_str key, mls_str text) MLS_MUST_USE;
bool mls_setting_add_text(mls_arena *arena, mls_settings *settings, const char *key, const char *text) MLS_MUST_USE;
bool mls_setting_add_number(mls_arena *arena, mls_settings *settings, mls_str key, double number) MLS_MUST_USE;

/* What became of a run, by the name that an export has for it; without one a valid run is kept. */
mls_olympic_mark mls_side_mark(const char *name, const mls_side_run *run);

/*
 * The parts of a run as they were exported: `delimited`, by blocks or epochs; evaluation NAN: counted as training. They
 * add up to the run's ms, whatever fractions of milliseconds they have, or are not known.
 */
void mls_side_parts(mls_side_run *run, bool delimited, const double ms[MLS_PART_COUNT], double evaluations);

/* A whole number of milliseconds; false when it is none that can be added up, or not finite. */
bool mls_whole_ms(double ms, int64_t *whole);

/* The groups of what `mlscore score` wrote as JSON or (`lines`) NDJSON, or as CSV.  MLS_OK, _SYNTAX, _LIMIT or _MEMORY.
 */
mls_status mls_side_read_json(const mls_side_reading *reading, mls_str text, bool lines, mls_error *error) MLS_MUST_USE;
mls_status mls_side_read_csv(const mls_side_reading *reading, mls_str text, mls_error *error) MLS_MUST_USE;

/* The groups of a collection of logs. */
mls_status mls_side_take_logs(const mls_side_reading *reading, const mls_collection *collection) MLS_MUST_USE;

/* Lets groups of the sides meet: the blocks, without their differences, and what met none. */
mls_status mls_sides_meet(mls_comparison *comparison, mls_arena *arena) MLS_MUST_USE;

/* The same of one side: its groups of one benchmark and division become sides, and meet.  False: no memory. */
bool mls_side_meet_itself(mls_comparison *comparison, mls_arena *arena, const char *baseline) MLS_MUST_USE;

/* What the runs of a block were set up with, and where; and which of them stand out. */
mls_status mls_block_settings(mls_block *block, mls_arena *arena) MLS_MUST_USE;
mls_status mls_block_outliers(mls_block *block, mls_arena *arena) MLS_MUST_USE;

/* The series of all groups, and what is left out of them. */
mls_status mls_scaling_make(mls_comparison *comparison, mls_arena *arena) MLS_MUST_USE;

/* The published results nearest to each group that has a score. */
mls_status mls_beside_make(mls_comparison *comparison, mls_arena *arena, mls_error *error) MLS_MUST_USE;

/* Adds to the list of those that met none. */
bool mls_unmatched_add(mls_comparison *comparison, mls_arena *arena, const mls_side_group *group, const char *reason);

/* The system of a path results/<system>/[strong/|weak/]<benchmark>, copied; NULL when it is none.  False: no memory. */
bool mls_path_system(mls_arena *arena, const char *path, const char **system) MLS_MUST_USE;

/* Whether two texts are the same, or both NULL. */
bool mls_same_text(const char *a, const char *b);

#endif
