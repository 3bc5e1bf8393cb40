/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the names in a list of hosts as Slurm writes it.
 */
#include "slurm/slurm.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct expansion {
    void (*each)(void *state, mls_str host);
    void *state;
    size_t count;
} expansion;

static void emit(expansion *hosts, mls_str host)
{
    if (host.len > 0) {
        hosts->count++;
        if (hosts->each != NULL) {
            hosts->each(hosts->state, host);
        }
    }
}

/* One of the ranges between brackets: "01-03" or "07", with its zeros.  hosts NULL: only looks whether it is one. */
static bool expand_range(expansion *hosts, mls_str before, mls_str range, mls_str after)
{
    char name[512];
    const char *dash = range.len > 0 ? memchr(range.ptr, '-', range.len) : NULL;
    const mls_str low = {range.ptr, dash != NULL ? (size_t)(dash - range.ptr) : range.len};
    const mls_str high = dash != NULL ? (mls_str){dash + 1, range.len - low.len - 1} : low;
    size_t first;
    size_t last;
    if (!mls_size_parse(low, &first) || !mls_size_parse(high, &last) || first > last || low.len > 20 ||
        before.len + after.len > sizeof name - 32) {
        return false;
    }
    /* Counted from 0, since `last` may be the largest number there is. */
    for (size_t k = 0; hosts != NULL && k <= last - first && hosts->count <= MLS_HOSTS_MAX; k++) {
        const int len = snprintf(name, sizeof name, "%.*s%0*zu%.*s", (int)before.len, before.ptr, (int)low.len,
                                 first + k, (int)after.len, after.ptr);
        emit(hosts, (mls_str){name, len > 0 ? (size_t)len : 0});
    }
    return true;
}

/* The ranges between a word's brackets, up to the first that is none, and then false. */
static bool expand_ranges(expansion *hosts, mls_str before, mls_str ranges, mls_str after)
{
    while (ranges.len > 0) {
        const char *comma = memchr(ranges.ptr, ',', ranges.len);
        const mls_str range = {ranges.ptr, comma != NULL ? (size_t)(comma - ranges.ptr) : ranges.len};
        if (!expand_range(hosts, before, range, after)) {
            return false;
        }
        const size_t used = range.len + (comma != NULL);
        ranges.ptr += used;
        ranges.len -= used;
    }
    return true;
}

/* A word of the list, with at most one pair of brackets; false, with nothing emitted, when it does not follow the
 * syntax. */
static bool expand_word(expansion *hosts, mls_str word)
{
    const char *open = word.len > 0 ? memchr(word.ptr, '[', word.len) : NULL;
    if (open == NULL) {
        emit(hosts, word);
        return true;
    }
    const size_t start = (size_t)(open - word.ptr) + 1;
    const char *close = memchr(open, ']', word.len - start + 1);
    if (close == NULL || close == open + 1) {
        return false;
    }
    const mls_str before = {word.ptr, start - 1};
    const mls_str after = {close + 1, (size_t)(word.ptr + word.len - close) - 1};
    const mls_str ranges = {open + 1, (size_t)(close - open) - 1};
    if (memchr(after.ptr, '[', after.len) != NULL || !expand_ranges(NULL, before, ranges, after)) {
        return false;
    }
    return expand_ranges(hosts, before, ranges, after);
}

static void expand_words(expansion *hosts, mls_str list)
{
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; i <= list.len && hosts->count <= MLS_HOSTS_MAX; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if (c == ',' && !bracket) {
            const mls_str word = {list.ptr + start, i - start};
            if (!expand_word(hosts, word)) {
                emit(hosts, word);
            }
            start = i + 1;
        }
    }
}

void mls_hosts_expand(mls_str list, void (*each)(void *state, mls_str host), void *state)
{
    expansion counted = {NULL, NULL, 0};
    expansion hosts = {each, state, 0};
    expand_words(&counted, list);
    if (counted.count > MLS_HOSTS_MAX) {
        emit(&hosts, list);
    } else {
        expand_words(&hosts, list);
    }
}
