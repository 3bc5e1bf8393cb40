/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff.h - compare configs: which parts of names, exports and printed settings differ, or may differ.
 *
 * For each key a side has a value, an absence, or an unknown value: a name does not determine exports, a script does
 * not determine what it sources, and a log does not contain what was not printed.  Different values differ, and so do a
 * value and an absence.  An unknown value may differ from an absence and is not compared with values. */
#pragma once

#include "config/config.h"
#include "run/settings.h"

/** One config: a decoded name, with its script if the file exists; or the settings that a log printed. */
typedef struct mls_config_side {
    const char *label;
    const mls_config_name *name;       /**< NULL: a log, or names are not compared */
    const mls_config_summary *summary; /**< NULL: a log, or names are not compared */
    const mls_shell *script;           /**< NULL: a script was not read */
    const mls_printed *printed;        /**< NULL: not a log */
} mls_config_side;

typedef enum mls_config_word_kind { MLS_CONFIG_UNKNOWN, MLS_CONFIG_ABSENT, MLS_CONFIG_VALUE } mls_config_word_kind;
typedef struct mls_config_word {
    mls_config_word_kind kind;
    mls_str value;
} mls_config_word;

typedef struct mls_config_row {
    mls_str key;
    mls_config_word *words; /**< one for each side */
} mls_config_row;
typedef MLS_LIST_OF(mls_config_row) mls_config_rows;

/** The differences.  Owns its lists; the sides must outlive it. */
typedef struct mls_config_diff {
    const mls_config_side *sides;
    size_t side_count;
    mls_config_rows differs, may_differ; /**< parts of names first, then by key */
    size_t same; /**< keys for which at least two sides have a value, and all values are equal */
    struct mls_arena *arena;
} mls_config_diff;

/** Compare at least two sides.  If any side has no name, settings are compared: exports in `known` are listed under the
 * names of its table, and values with the same meaning are equal.  Release *diff. */
void mls_config_diff_make(const mls_config_side *sides, size_t count, const mls_known_settings *known,
                          mls_config_diff *diff);
void mls_config_diff_release(mls_config_diff *diff);
