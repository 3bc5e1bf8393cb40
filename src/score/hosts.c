/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - expand host lists as `scontrol show hostnames` does, and fold names into lists. */
#include "score/hosts.h"

#include "base/number.h"

/* Slurm allows five dimensions, and host names have at most 255 bytes. */
enum { BRACKETS_MAX = 8, NAME_BYTES_MAX = 255, DIGITS_MAX = 18 };

/* A parsed word of a list: texts, each followed by a bracket with ranges.  While a name is
 * built, `number` and `width` are the number chosen for a bracket and its minimum number of digits. */
typedef struct host_word {
    struct {
        mls_str before, ranges;
        size_t number;
        int width;
    } brackets[BRACKETS_MAX];
    size_t count;
    mls_str after; /* text after the last bracket */
    size_t names;  /* number of names to which the word expands */
} host_word;

/* A range "01-03" or "07": `count` numbers from `low`, padded with zeros to `width` digits. */
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
        !mls_size_parse(end, &high))
        return "its brackets do not contain numbers and ranges";
    range->count = high - range->low + 1;
    range->width = (int)low.len;
    return high < range->low ? "a range in it is descending" : NULL;
}

/* Parse a word that may expand to at most `most` names.  Return NULL, or why the word must be kept as a single name. */
static const char *read_host_word(mls_str text, size_t most, host_word *word)
{
    static const char too_many[] = "it expands to too many hosts";
    *word = (host_word){.names = 1, .after = text};
    while (memchr(word->after.ptr, '[', word->after.len) != NULL) {
        size_t numbers = 0;
        if (word->count == BRACKETS_MAX)
            return "it has too many brackets";
        const size_t at = word->count++;
        (void)mls_str_cut(&word->after, '[', &word->brackets[at].before);
        if (!mls_str_cut(&word->after, ']', &word->brackets[at].ranges))
            return "a bracket in it is not closed";
        mls_str ranges = word->brackets[at].ranges;
        for (bool more = true; more;) {
            mls_str one;
            host_range range;
            more = mls_str_cut(&ranges, ',', &one);
            const char *wrong = read_host_range(one, &range);
            if (wrong != NULL)
                return wrong;
            numbers += range.count;
            if (numbers > most)
                return too_many;
        }
        word->names *= numbers;
        if (word->names > most)
            return too_many;
    }
    return word->count > 0 && text.len > NAME_BYTES_MAX ? "it is too long for a host name" : NULL;
}

/* Append all names of a word.  The numbers of the outermost `depth` loops over brackets are already chosen. */
static void add_names(host_word *word, size_t depth, mls_buffer *names)
{
    if (depth == word->count) {
        for (size_t i = 0; i < word->count; i++) {
            mls_buffer_append(names, word->brackets[i].before);
            mls_buffer_printf(names, "%0*zu", word->brackets[i].width, word->brackets[i].number);
        }
        mls_buffer_append(names, word->after);
        mls_buffer_append_char(names, '\0');
        return;
    }
    /* As in Slurm, the innermost loop is over the last bracket; the loops around it are, from the inside, over the
     * first bracket, the second bracket and so on. */
    const size_t bracket = depth + 1 < word->count ? word->count - 2 - depth : depth;
    mls_str ranges = word->brackets[bracket].ranges;
    for (bool more = true; more;) {
        mls_str one;
        host_range range = {0};
        more = mls_str_cut(&ranges, ',', &one);
        (void)read_host_range(one, &range);
        word->brackets[bracket].width = range.width;
        for (size_t i = 0; i < range.count; i++) {
            word->brackets[bracket].number = range.low + i;
            add_names(word, depth + 1, names);
        }
    }
}

size_t mls_hosts_expand(mls_str list, mls_buffer *names, mls_findings *findings, mls_finding_place place)
{
    size_t count = 0;
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; list.len > 0 && i <= list.len; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if ((c != ',' && c != ' ') || bracket)
            continue;
        const mls_str text = {list.ptr + start, i - start};
        start = i + 1;
        if (text.len == 0)
            continue;
        host_word word;
        const char *wrong = read_host_word(text, count < MLS_HOSTS_MAX ? MLS_HOSTS_MAX - count : 0, &word);
        if (wrong != NULL) {
            word = (host_word){.names = 1, .after = text};
            if (findings != NULL) {
                mls_findings_add(findings, MLS_FINDING_HOST_LIST, place, "%.*s is not expanded: %s", (int)text.len,
                                 text.ptr, wrong);
            }
        }
        add_names(&word, 0, names);
        count += word.names;
    }
    return count;
}

/* Adjacent names with the same beginning: "n" for n1,n2,n10,n03, which become n[1-2,10,03]. */
typedef struct host_group {
    mls_str prefix;
    size_t ranges;      /* number of ranges, including the current one */
    size_t first, last; /* the current range */
    int width;          /* number of digits of `first` in the name */
    mls_buffer text;    /* all ranges of the group, without brackets */
} host_group;

static void close_range(host_group *group)
{
    mls_buffer_printf(&group->text, group->text.len > 0 ? ",%0*zu" : "%0*zu", group->width, group->first);
    if (group->last > group->first)
        mls_buffer_printf(&group->text, "-%0*zu", group->width, group->last);
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

void mls_hosts_fold(mls_str names, mls_buffer *list)
{
    host_group group = {0};
    for (mls_str name; mls_str_cut(&names, '\0', &name);) {
        char text[DIGITS_MAX + 3];
        const bool plain = memchr(name.ptr, '[', name.len) == NULL && memchr(name.ptr, ']', name.len) == NULL;
        int digits = 0; /* number of digits at the end of the name that become a number; 0: keep the name unchanged */
        while (plain && (size_t)digits < name.len && digits < DIGITS_MAX &&
               mls_is_digit(name.ptr[name.len - 1 - (size_t)digits]))
            digits++;
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
        /* Start a new range unless this is the next number, padded to the width of the first one. */
        if (group.ranges == 0 || number != group.last + 1 ||
            mls_text_printf(text, sizeof text, "%0*zu", group.width, number) != digits) {
            if (group.ranges++ > 0)
                close_range(&group);
            group.first = number;
            group.width = digits;
        }
        group.last = number;
    }
    close_host_group(&group, list);
    mls_buffer_release(&group.text);
}
