/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - one line of printed settings: which form it has, and what it sets.  Private to the library. */
#pragma once

#include "run/settings.h"

typedef enum mls_setting_line_kind {
    MLS_SETTING_NONE,  /* no line of this form: the block ends before it */
    MLS_SETTING_LINE,  /* it sets something, or opens a level of yaml */
    MLS_SETTING_INSIDE /* it is of the block, and sets nothing: of a list, or of the value before */
} mls_setting_line_kind;

typedef struct mls_setting_line {
    mls_setting_line_kind kind;
    mls_printed_form form;
    mls_str object; /* of Python: the line opens it, "" otherwise */
    mls_str key;
    mls_str value;  /* without the blanks and the quotes around it */
    bool has_value; /* false: a level of yaml */
    bool closes;    /* of Python: the object ends with this line */
    size_t column;  /* of the key, in bytes from 0; of a first argument the column of those below */
} mls_setting_line;

/* Takes "12: " off a line, and the blanks at its end.  Returns the rank; -1: it has none. */
int32_t mls_setting_rank(mls_str *line);

/* Reads a line.  `python`: a block of Python is open, whose keys stand in `column`; a line that is of no such block is
 * read as one of any form. */
mls_setting_line mls_setting_read(mls_str line, bool python, size_t column);
