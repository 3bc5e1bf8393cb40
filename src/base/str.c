/* SPDX-License-Identifier: Apache-2.0 */
/* str.c - byte strings: searching, ordering, and suggesting a correction for a misspelt word. */
#include <ctype.h>
#include <strings.h>

#include "base/base.h"

mls_str mls_str_from(const char *text)
{
    return (mls_str){text, text != NULL ? strlen(text) : 0};
}

bool mls_str_alike(mls_str a, mls_str b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

bool mls_str_starts(mls_str text, mls_str prefix)
{
    return text.len >= prefix.len && (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

bool mls_str_ends(mls_str text, mls_str suffix)
{
    return text.len >= suffix.len &&
           (suffix.len == 0 || memcmp(text.ptr + text.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

mls_str mls_str_trim(mls_str text, bool (*is)(char c))
{
    while (text.len > 0 && is(text.ptr[0]))
        text = (mls_str){text.ptr + 1, text.len - 1};
    while (text.len > 0 && is(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

mls_str mls_str_word(mls_str *text)
{
    size_t blanks = 0;
    while (blanks < text->len && mls_is_blank(text->ptr[blanks]))
        blanks++;
    mls_str word = mls_str_rest(*text, blanks);
    size_t len = 0;
    while (len < word.len && !mls_is_blank(word.ptr[len]))
        len++;
    *text = mls_str_rest(word, len);
    word.len = len;
    return word;
}

bool mls_str_after(mls_str text, mls_str words, mls_str *rest)
{
    /* memmem() does not accept the NULL of an empty text. */
    const char *at = text.len > 0 ? memmem(text.ptr, text.len, words.ptr, words.len) : NULL;
    if (at != NULL)
        *rest = (mls_str){at + words.len, (size_t)(text.ptr + text.len - at) - words.len};
    return at != NULL;
}

bool mls_str_cut(mls_str *text, char mark, mls_str *piece)
{
    const char *end = text->len > 0 ? memchr(text->ptr, mark, text->len) : NULL;
    *piece = *text;
    if (end == NULL) {
        text->len = 0;
        return false;
    }
    piece->len = (size_t)(end - text->ptr);
    *text = (mls_str){end + 1, text->len - piece->len - 1};
    return true;
}

bool mls_list_next(const char **list, char separator, mls_str *word)
{
    const char *start = *list;
    *word = (mls_str){start, (size_t)(strchrnul(start, separator) - start)};
    *list = start + word->len + (start[word->len] != '\0');
    return *list > start;
}

bool mls_str_among(mls_str word, const char *words)
{
    mls_str left = mls_str_from(words);
    mls_str one = mls_str_word(&left);
    while (one.len > 0 && !mls_str_equal(one, word))
        one = mls_str_word(&left);
    return one.len > 0;
}

bool mls_str_any(mls_str text, const char *list, bool (*test)(mls_str text, mls_str item))
{
    bool passed = false;
    for (mls_str item; !passed && mls_list_next(&list, '|', &item);)
        passed = test(text, item);
    return passed;
}

size_t mls_str_name_length(mls_str text)
{
    size_t length = 0;
    while (length < text.len) {
        const char c = text.ptr[length];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (length == 0 || !mls_is_digit(c)))
            break;
        length++;
    }
    return length;
}

bool mls_str_is_name(mls_str text)
{
    return text.len > 0 && mls_str_name_length(text) == text.len;
}

bool mls_str_contains(mls_str text, mls_str needle)
{
    return needle.len == 0 || (text.len >= needle.len && memmem(text.ptr, text.len, needle.ptr, needle.len) != NULL);
}

int mls_str_compare(mls_str a, mls_str b)
{
    const size_t common = a.len < b.len ? a.len : b.len;
    const int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Advance *at past a run of digits and return the run without leading zeros. */
static mls_str digit_run(mls_str text, size_t *at)
{
    while (*at < text.len && text.ptr[*at] == '0')
        *at += 1;
    const size_t start = *at;
    while (*at < text.len && mls_is_digit(text.ptr[*at]))
        *at += 1;
    return (mls_str){text.ptr + start, *at - start};
}

int mls_str_compare_natural(mls_str a, mls_str b)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.len && j < b.len) {
        if (mls_is_digit(a.ptr[i]) && mls_is_digit(b.ptr[j])) {
            const mls_str x = digit_run(a, &i);
            const mls_str y = digit_run(b, &j);
            const int order = x.len != y.len ? (x.len < y.len ? -1 : 1) : mls_str_compare(x, y);
            if (order != 0)
                return order;
        } else if (a.ptr[i] != b.ptr[j]) {
            return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[j] ? -1 : 1;
        } else {
            i++;
            j++;
        }
    }
    if (i < a.len || j < b.len)
        return i < a.len ? 1 : -1;
    return mls_str_compare(a, b); /* equal except for leading zeros */
}

/* Maximum length in bytes of words that are compared; no suggestion is made for longer words. */
enum { WORD_MAX = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Return the number of letters deleted, inserted, replaced or swapped with their neighbour between a and b, ignoring
 * case (Damerau 1964, restricted form).  Only the last three rows of the table are stored. */
static size_t distance(mls_str a, mls_str b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *before = rows[(i + 1) % 3];
        const char c = lower(a.ptr[i - 1]);
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const char d = lower(b.ptr[j - 1]);
            row[j] = min_size(min_size(row[j - 1], above[j]) + 1, above[j - 1] + (c != d));
            if (i > 1 && j > 1 && c == lower(b.ptr[j - 2]) && lower(a.ptr[i - 2]) == d)
                row[j] = min_size(row[j], before[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

mls_suggestion mls_suggest_for(mls_str word)
{
    return (mls_suggestion){.word = word, .distance = (word.len + 2) / 3 + 1};
}

void mls_suggest_add(mls_suggestion *nearest, mls_str candidate)
{
    const mls_str word = nearest->word;
    if (word.len == 0 || word.len > WORD_MAX || candidate.len > WORD_MAX)
        return;
    /* Letters missing at the end count as half a difference, so that llama2_70b suggests llama2_70b_lora rather than
     * llama31_8b. */
    const bool begun = word.len < candidate.len && strncasecmp(word.ptr, candidate.ptr, word.len) == 0;
    const size_t apart = word.len > candidate.len ? word.len - candidate.len : candidate.len - word.len;
    const size_t found = begun ? (apart + 1) / 2 : apart >= nearest->distance ? apart : distance(word, candidate);
    /* If all letters differ, the candidate is not a correction of the word. */
    if (found < nearest->distance && found < candidate.len) {
        nearest->found = candidate;
        nearest->distance = found;
    }
}

size_t mls_text_mark(mls_str text)
{
    return mls_str_starts(text, MLS_S("\xef\xbb\xbf")) ? 3 : 0;
}

void mls_text_position(mls_str text, size_t at, size_t *line, size_t *column)
{
    size_t start = mls_text_mark(text);
    *line = 1;
    for (size_t i = start; i < at && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            (*line)++;
            start = i + 1;
        }
    }
    *column = at > start ? at - start + 1 : 1;
}

/* Return the next letter (in lower case) or digit and advance *at past it, or return -1 at the end. */
static int next_letter(mls_str text, size_t *at)
{
    while (*at < text.len && !isalnum((unsigned char)text.ptr[*at]))
        *at += 1;
    return *at < text.len ? tolower((unsigned char)text.ptr[(*at)++]) : -1;
}

bool mls_names_alike(mls_str a, mls_str b)
{
    size_t i = 0;
    size_t j = 0;
    int letter;
    do {
        letter = next_letter(a, &i);
        if (letter != next_letter(b, &j))
            return false;
    } while (letter >= 0);
    return true;
}
