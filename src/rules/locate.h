/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locate.h - where in a JSON text something stands.
 *
 * cJSON keeps no positions.  When a rule is wrong, its text is walked a second
 * time along the path of names to it, so that the error can name the line.
 */
#ifndef MLS_RULES_LOCATE_H
#define MLS_RULES_LOCATE_H

#include "mlscore/value.h"

enum { MLS_PATH_STEPS_MAX = 12 };

/* One step down: a member's name, or, when name is NULL, an index. */
typedef struct mls_path_step {
    const char *name;
    size_t index;
} mls_path_step;

typedef struct mls_path {
    mls_path_step steps[MLS_PATH_STEPS_MAX];
    size_t count;
} mls_path;

/* Finds the value at the end of a path; false when the text has no such place.  *at is its first byte. */
bool mls_json_locate(mls_str json, const mls_path *path, size_t *at);

/* Moves `at`, on the opening quote of a string, to the source of the string's decoded byte number `count` (from 0). */
size_t mls_json_string_offset(mls_str json, size_t at, size_t count);

#endif
