/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff.h - compare configs: find the numbers in names, the exported variables and the printed settings that
 * differ or may differ.
 *
 * On each side, a key has a value, is absent, or is unknown.  It is unknown, for example, if only the name of a config
 * is given, if the script sources a missing file, or if a log does not contain the setting.  Two different values
 * differ, and so do a value and an absent key.  An unknown key may differ from an absent one; it is not compared with
 * values. */
#pragma once

#include "config/config.h"
#include "run/settings.h"

/** A side of the comparison: the decoded name of a config and, if the file exists, its script; or the settings printed
 * in a log. */
typedef struct mls_config_side {
    const char *label;
    const mls_config_name *name;       /**< NULL: a log, or names are not compared */
    const mls_config_summary *summary; /**< NULL: a log, or names are not compared */
    const mls_shell *script;           /**< NULL: no script was read */
    const mls_printed *printed;        /**< NULL: not a log */
} mls_config_side;

typedef enum mls_config_word_kind { MLS_CONFIG_UNKNOWN, MLS_CONFIG_ABSENT, MLS_CONFIG_VALUE } mls_config_word_kind;
typedef struct mls_config_word {
    mls_config_word_kind kind;
    mls_str value;
} mls_config_word;

typedef struct mls_config_row {
    mls_str key;
    mls_config_word *words; /**< one element for each side */
} mls_config_row;
typedef MLS_LIST_OF(mls_config_row) mls_config_rows;

/** The differences between sides.  The sides must live as long as this struct. */
typedef struct mls_config_diff {
    const mls_config_side *sides;
    size_t side_count;
    mls_config_rows differs, may_differ; /**< numbers of names first, then settings sorted by key */
    size_t same; /**< number of keys with a value on at least two sides, whose values are all equal */
    struct mls_arena *arena;
} mls_config_diff;

/** Compare at least two sides.  If a side has no name, settings are compared: a variable in the table `known` is listed
 * under its name in the table, and values with the same meaning are equal.  Release *diff with
 * mls_config_diff_release(). */
void mls_config_diff_make(const mls_config_side *sides, size_t count, const mls_known_settings *known,
                          mls_config_diff *diff);
void mls_config_diff_release(mls_config_diff *diff);
