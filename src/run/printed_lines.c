/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the three forms in which frameworks print a setting. */
#include "run/printed_lines.h"

enum { RANK_BLANKS_MAX = 8, RANK_DIGITS_MAX = 6, DOTS_MIN = 3 };

static size_t run_length(mls_str text, size_t from, char c)
{
    size_t count = 0;
    while (from + count < text.len && text.ptr[from + count] == c) {
        count++;
    }
    return count;
}

int32_t mls_setting_rank(mls_str *line)
{
    const size_t blanks = run_length(*line, 0, ' ');
    size_t at = blanks;
    int32_t rank = 0;
    while (at < line->len && at - blanks < RANK_DIGITS_MAX && mls_is_digit(line->ptr[at])) {
        rank = rank * 10 + (line->ptr[at++] - '0');
    }
    const bool ranked = blanks <= RANK_BLANKS_MAX && at > blanks && at < line->len && line->ptr[at] == ':';
    if (ranked) {
        at++;
        *line = mls_str_rest(*line, at + (at < line->len && line->ptr[at] == ' '));
    }
    while (line->len > 0 && mls_is_blank(line->ptr[line->len - 1])) {
        line->len--;
    }
    return ranked ? rank : -1;
}

/* The length of a key at `from`; yaml's may have a '-' behind the first character. */
static size_t key_length(mls_str line, size_t from, bool dashes)
{
    size_t len = mls_str_name_length(mls_str_rest(line, from));
    while (dashes && len > 0 && from + len < line.len) {
        const char c = line.ptr[from + len];
        if (c != '-' && c != '_' && !mls_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
            break;
        }
        len++;
    }
    return len;
}

/* Without the blanks around it, and one pair of equal quotes. */
static mls_str clean_value(mls_str value)
{
    value = mls_str_trim(value, mls_is_blank);
    const char last = value.len > 1 ? value.ptr[value.len - 1] : '\0';
    const bool quoted = (last == '"' || last == '\'') && value.ptr[0] == last;
    return quoted ? (mls_str){value.ptr + 1, value.len - 2} : value;
}

/* KEY: VALUE, KEY: or - KEY: VALUE, of which `end` is the colon. */
static mls_setting_line read_yaml(mls_str line, size_t column, size_t end)
{
    mls_setting_line read = {.form = MLS_PRINTED_YAML,
                             .column = column,
                             .key = {line.ptr + column, end - column},
                             .value = clean_value(mls_str_rest(line, end + 1)),
                             .has_value = end + 1 < line.len};
    read.kind = mls_str_starts(read.value, MLS_S("//")) ? MLS_SETTING_NONE : MLS_SETTING_LINE;
    return read;
}

/* KEY=VALUE, of Python from `from` on; a bracket too many closes the object. */
static bool take_argument(mls_str line, size_t from, mls_setting_line *read)
{
    const size_t len = key_length(line, from, false);
    if (len == 0 || from + len >= line.len || line.ptr[from + len] != '=') {
        return false;
    }
    mls_str value = mls_str_rest(line, from + len + 1);
    value.len -= value.len > 0 && value.ptr[value.len - 1] == ',';
    ptrdiff_t open = 0;
    for (size_t i = 0; i < value.len; i++) {
        open += (value.ptr[i] == '(') - (value.ptr[i] == ')');
    }
    for (; open < 0 && value.ptr[value.len - 1] == ')'; open++) {
        value.len--;
        read->closes = true;
    }
    read->kind = MLS_SETTING_LINE;
    read->form = MLS_PRINTED_PYTHON;
    read->key = (mls_str){line.ptr + from, len};
    read->value = clean_value(value);
    read->has_value = true;
    read->column = from;
    return true;
}

static bool only_brackets(mls_str text)
{
    size_t i = 0;
    while (i < text.len && strchr(" ,()[]{}", text.ptr[i]) != NULL) {
        i++;
    }
    return i == text.len;
}

/* A line inside of an object of Python whose arguments stand in `column`. */
static mls_setting_line read_python(mls_str line, size_t column)
{
    mls_setting_line read = {.form = MLS_PRINTED_PYTHON};
    const size_t blanks = run_length(line, 0, ' ');
    if (blanks != column || !take_argument(line, column, &read)) {
        read.kind = blanks > column || only_brackets(line) ? MLS_SETTING_INSIDE : MLS_SETTING_NONE;
    }
    return read;
}

/* KEY ....... VALUE, of which `end` is the blank. */
static mls_setting_line read_args(mls_str line, size_t column, size_t end)
{
    mls_setting_line read = {.form = MLS_PRINTED_ARGS, .column = column};
    const size_t dots = run_length(line, end + 1, '.');
    if (dots >= DOTS_MIN) {
        read.kind = MLS_SETTING_LINE;
        read.key = (mls_str){line.ptr + column, end - column};
        read.value = clean_value(mls_str_rest(line, end + 1 + dots));
        read.has_value = true;
    }
    return read;
}

/* Most lines of a log are told apart by their first word and what follows it. */
static mls_setting_line read_any(mls_str line)
{
    mls_setting_line read = {0};
    const size_t blanks = run_length(line, 0, ' ');
    const bool item =
        blanks < line.len && line.ptr[blanks] == '-' && (blanks + 1 == line.len || line.ptr[blanks + 1] == ' ');
    const size_t column = blanks + (item ? 2 : 0);
    const size_t len = column < line.len ? key_length(line, column, true) : 0;
    const size_t end = column + len;
    const char after = len > 0 && end < line.len ? line.ptr[end] : '\0';
    if (after == ':') {
        read = read_yaml(line, column, end);
    } else if (after == ' ' && blanks > 0 && !item && key_length(line, column, false) == len) {
        read = read_args(line, column, end);
    } else if (after == '(' && !item && key_length(line, column, false) == len && take_argument(line, end + 1, &read)) {
        read.object = (mls_str){line.ptr + column, len};
    }
    read.kind = read.kind == MLS_SETTING_NONE && item ? MLS_SETTING_INSIDE : read.kind;
    read.form = read.kind == MLS_SETTING_INSIDE ? MLS_PRINTED_YAML : read.form;
    return read;
}

mls_setting_line mls_setting_read(mls_str line, bool python, size_t column)
{
    const mls_setting_line read = python ? read_python(line, column) : (mls_setting_line){0};
    return read.kind == MLS_SETTING_NONE ? read_any(line) : read;
}
