/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - the names in a list of hosts, as Slurm's `scontrol show hostnames` has them, and the list of names. */
#include "score/hosts.h"

#include "base/number.h"

/* Slurm has five dimensions at most, and a name on a network has no more bytes. */
enum { BRACKETS_MAX = 8, NAME_BYTES_MAX = 255, DIGITS_MAX = 18 };

/* A word in its pieces: text, and the ranges in the brackets that follow it. */
typedef struct host_word {
    mls_str before[BRACKETS_MAX], ranges[BRACKETS_MAX];
    size_t brackets;
    mls_str after; /* behind the last */
    size_t names;  /* that it stands for */
} host_word;

/* "01-03" or "07": numbers from `low` on, at least `width` digits wide; NULL, or what is wrong with it. */
typedef struct host_range {
    size_t low, count;
    int width;
} host_range;

static const char *read_host_range(mls_str text, host_range *range)
{
    mls_str low;
    size_t high;
    const bool several = mls_str_cut(&text, '-', &low);
    const mls_str end = several ? text : low;
    if (low.len > DIGITS_MAX || end.len > DIGITS_MAX || !mls_size_parse(low, &range->low) ||
        !mls_size_parse(end, &high)) {
        return "its brackets hold no list of numbers and ranges";
    }
    range->count = high - range->low + 1;
    range->width = (int)low.len;
    return high < range->low ? "a range in it goes down" : NULL;
}

/* How many numbers stand in brackets, and so how many names in the word so far; NULL, or what is wrong. */
static const char *count_hosts(host_word *word, mls_str ranges, size_t most)
{
    static const char too_many[] = "it stands for too many hosts";
    size_t numbers = 0;
    for (bool more = true; more;) {
        mls_str one;
        host_range range;
        more = mls_str_cut(&ranges, ',', &one);
        const char *wrong = read_host_range(one, &range);
        if (wrong != NULL) {
            return wrong;
        }
        numbers += range.count;
        if (numbers > most) {
            return too_many;
        }
    }
    word->names *= numbers;
    return word->names > most ? too_many : NULL;
}

/* NULL, or why a word stays as it is. */
static const char *read_host_word(mls_str text, size_t most, host_word *word)
{
    *word = (host_word){.names = 1, .after = text};
    while (memchr(word->after.ptr, '[', word->after.len) != NULL) {
        if (word->brackets == BRACKETS_MAX) {
            return "it has too many brackets";
        }
        const size_t at = word->brackets++;
        (void)mls_str_cut(&word->after, '[', &word->before[at]);
        if (!mls_str_cut(&word->after, ']', &word->ranges[at])) {
            return "a bracket in it is not closed";
        }
        const char *wrong = count_hosts(word, word->ranges[at], most);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return word->brackets > 0 && text.len > NAME_BYTES_MAX ? "it is too long for a name" : NULL;
}

/* A number that was chosen in brackets. */
typedef struct host_number {
    size_t number;
    int width;
} host_number;

/* All names of a word whose brackets have numbers down to a depth. */
static void add_names(const host_word *word, size_t depth, host_number numbers[BRACKETS_MAX], mls_buffer *names)
{
    if (depth == word->brackets) {
        for (size_t i = 0; i < word->brackets; i++) {
            mls_buffer_append(names, word->before[i]);
            mls_buffer_printf(names, "%0*zu", numbers[i].width, numbers[i].number);
        }
        mls_buffer_append(names, word->after);
        mls_buffer_append_char(names, '\0');
        return;
    }
    /* In the innermost loop the last bracket, around it the first, and so on, as Slurm does it. */
    const size_t bracket = depth + 1 < word->brackets ? word->brackets - 2 - depth : depth;
    mls_str ranges = word->ranges[bracket];
    for (bool more = true; more;) {
        mls_str one;
        host_range range = {0};
        more = mls_str_cut(&ranges, ',', &one);
        (void)read_host_range(one, &range);
        for (size_t i = 0; i < range.count; i++) {
            numbers[bracket] = (host_number){range.low + i, range.width};
            add_names(word, depth + 1, numbers, names);
        }
    }
}

size_t mls_hosts_expand(mls_str list, mls_buffer *names, mls_findings *findings, mls_finding_place place)
{
    host_number numbers[BRACKETS_MAX] = {{0}};
    size_t count = 0;
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; i <= list.len; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if ((c != ',' && c != ' ') || bracket) {
            continue;
        }
        mls_str text = mls_str_rest(list, start);
        text.len = i - start;
        host_word word;
        start = i + 1;
        if (text.len == 0) {
            continue;
        }
        const char *wrong = read_host_word(text, count < MLS_HOSTS_MAX ? MLS_HOSTS_MAX - count : 0, &word);
        if (wrong != NULL) {
            word = (host_word){.names = 1, .after = text};
            if (findings != NULL) {
                mls_findings_add(findings, MLS_FINDING_HOST_LIST, place, "%.*s stays as it is: %s", (int)text.len,
                                 text.ptr, wrong);
            }
        }
        add_names(&word, 0, numbers, names);
        count += word.names;
    }
    return count;
}

/* ------------------------------------------------------------------- back */

/* Neighbours whose names begin alike: "n" of n1,n2,n10,n03 is n[1-2,10,03]. */
typedef struct host_group {
    mls_str prefix;
    size_t ranges, first, last; /* of the range that is open */
    int width;                  /* of its low end */
    mls_buffer text;            /* the ranges, without brackets */
} host_group;

/* The digits at the end of a name, of which a number is made; none: it stands for itself. */
static size_t digits_of(mls_str name)
{
    size_t count = 0;
    while (count < name.len && count < DIGITS_MAX && mls_is_digit(name.ptr[name.len - 1 - count])) {
        count++;
    }
    return memchr(name.ptr, '[', name.len) != NULL || memchr(name.ptr, ']', name.len) != NULL ? 0 : count;
}

static void close_range(host_group *group)
{
    mls_buffer_printf(&group->text, group->text.len > 0 ? ",%0*zu" : "%0*zu", group->width, group->first);
    if (group->last > group->first) {
        mls_buffer_printf(&group->text, "-%0*zu", group->width, group->last);
    }
}

static void close_host_group(host_group *group, mls_buffer *list)
{
    if (group->ranges > 0) {
        close_range(group);
        const bool single = group->ranges == 1 && group->last == group->first;
        mls_buffer_append_text(list, list->len > 0 ? "," : "");
        mls_buffer_append(list, group->prefix);
        mls_buffer_printf(list, single ? "%s" : "[%s]", group->text.ptr);
    }
    mls_buffer_clear(&group->text);
    group->ranges = 0;
}

/* Whether a number of so many digits is the next one of the range, and its low end's width writes it so. */
static bool follows(const host_group *group, size_t number, int digits)
{
    char text[DIGITS_MAX + 3];
    return group->ranges > 0 && number == group->last + 1 &&
           mls_text_printf(text, sizeof text, "%0*zu", group->width, number) == digits;
}

void mls_hosts_fold(mls_str names, mls_buffer *list)
{
    host_group group = {0};
    for (mls_str name; mls_str_cut(&names, '\0', &name);) {
        const int digits = (int)digits_of(name);
        const mls_str prefix = {name.ptr, name.len - (size_t)digits};
        size_t number = 0;
        if (digits == 0 || !mls_str_equal(prefix, group.prefix)) {
            close_host_group(&group, list);
            group.prefix = prefix;
        }
        if (digits == 0) {
            mls_buffer_append_text(list, list->len > 0 ? "," : "");
            mls_buffer_append(list, name);
            continue;
        }
        (void)mls_size_parse((mls_str){name.ptr + prefix.len, (size_t)digits}, &number);
        if (!follows(&group, number, digits)) {
            if (group.ranges++ > 0) {
                close_range(&group);
            }
            group.first = number;
            group.width = digits;
        }
        group.last = number;
    }
    close_host_group(&group, list);
    mls_buffer_release(&group.text);
}
