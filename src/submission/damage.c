/* SPDX-License-Identifier: Apache-2.0 */
/* damage.c - recognize files that are damaged as a whole: empty ones, UTF-16, Git LFS pointers, unresolved merge
 * conflicts, and logs whose end is missing.  Logs are examined while they are read. */
#include "submission/judge.h"

static const char conflict_words[] = "contains both sides of a merge conflict that Git could not resolve";

/* Return the damage that the beginning of a file shows, or NULL. */
static const char *damage_of_beginning(mls_str text)
{
    const bool marked = mls_str_starts(text, MLS_S("\xff\xfe")) || mls_str_starts(text, MLS_S("\xfe\xff"));
    return text.len == 0 ? "is empty"
           : marked      ? "is UTF-16 text, as PowerShell writes it: save it as UTF-8"
           : mls_str_starts(text, MLS_S("version https://git-lfs.github.com/spec/"))
               ? "is a pointer to a file in Git LFS, not the file: fetch it with 'git lfs pull'"
               : NULL;
}

/* Advance over the lines `<<<<<<< name`, `=======` and `>>>>>>> name` of a merge conflict, which occur in this order.
 * `marks` is the number of lines found so far, and *first the number of the first one. */
static unsigned conflict_marks(mls_str line, size_t number, unsigned marks, size_t *first)
{
    static const mls_str begins[] = {MLS_STR("<<<<<<< "), MLS_STR("======="), MLS_STR(">>>>>>> ")};
    if (marks == sizeof begins / sizeof *begins || !mls_str_starts(line, begins[marks]))
        return marks;
    *first = marks == 0 ? number : *first;
    return marks + 1;
}

const char *mls_damage_of_text(mls_str text, size_t *number)
{
    const char *what = damage_of_beginning(text);
    unsigned marks = 0;
    mls_str line;
    for (size_t at = 1; text.len > 0 && what == NULL && marks == 0; at++) {
        (void)mls_str_cut(&text, '\n', &line);
        marks = conflict_marks(line, at, marks, number);
    }
    if (marks == 0)
        *number = 1;
    return marks > 0 ? conflict_words : what;
}

void mls_damage_of_lines(mls_log_damage *damage, const mls_lines *lines)
{
    const char *text = lines->text.ptr;
    if (lines->line == 1 && lines->text.len > 0)
        damage->what = damage_of_beginning(lines->text);
    for (size_t i = 0; i < lines->count; i++) {
        const size_t start = lines->starts[i] & ~MLS_LINE_ODD;
        if (text[start] == '<' || text[start] == '=' || text[start] == '>') {
            damage->marks = conflict_marks(mls_str_rest(lines->text, start), lines->line + i, damage->marks,
                                           &damage->conflict_line);
        }
    }
    damage->whole = lines->text.len > 0 && text[lines->text.len - 1] == '\n';
    damage->last_line = lines->line + lines->count - (lines->count > 0);
}

void mls_damage_end(mls_log_damage *damage, uint64_t bytes)
{
    if (bytes == 0) {
        damage->what = damage_of_beginning((mls_str){NULL, 0});
    } else if (damage->what == NULL && damage->marks == 3) {
        damage->what = conflict_words;
        damage->line = damage->conflict_line;
    } else if (damage->what == NULL && !damage->whole && damage->malformed_last == damage->last_line) {
        damage->what = "ends in the middle of a record: the end of the file is missing";
        damage->line = damage->last_line;
    }
}
