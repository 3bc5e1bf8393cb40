/* SPDX-License-Identifier: Apache-2.0 */
/* config_diff.h - configs side by side: in what their names, exports and printed settings differ, and in what they may.
 *
 * A side says of a key a value, that it is absent, or nothing that can be known: a name alone says nothing of exports,
 * a script nothing of what it takes from elsewhere, a log nothing of what it does not print.  Two values that are not
 * the same differ, and a value differs from an absent one; an unknown one may differ from an absent one, and is else
 * compared with nothing. */
#pragma once

#include "config/config.h"
#include "run/settings.h"

/** One config: a name that was decoded, with its script where there is a file; or what a log printed. */
typedef struct mls_config_side {
    const char *label;
    const mls_config_name *name;       /**< NULL: of a log, or of no interest */
    const mls_config_summary *summary; /**< likewise */
    const mls_shell *script;           /**< NULL: none */
    const mls_printed *printed;        /**< NULL: no log */
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

/** Owns what it lists; the sides must outlive it. */
typedef struct mls_config_diff {
    const mls_config_side *sides;
    size_t side_count;
    mls_config_rows differs, may_differ; /**< the parts of names first, then by key */
    size_t same; /**< keys of which two sides or more have a value, and all that have it alike */
    struct mls_arena *arena;
} mls_config_diff;

/** Compares two sides or more.  Where sides without a name are among them settings are compared: the exports that
 * `known` has stand under the names of its table, and values that mean the same are the same.  To be
 * released; always MLS_OK. */
mls_status mls_config_diff_make(const mls_config_side *sides, size_t count, const mls_known_settings *known,
                                mls_config_diff *diff);
void mls_config_diff_release(mls_config_diff *diff);
