/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - the names in a list of hosts as Slurm writes it. */
#include "slurm/slurm.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct expansion {
    void (*each)(void *state, mls_str host); /* NULL: they are only counted */
    void *state;
    size_t count;
} expansion;

static void emit(expansion *hosts, mls_str host)
{
    hosts->count += host.len > 0;
    if (host.len > 0 && hosts->each != NULL) {
        hosts->each(hosts->state, host);
    }
}

/* The part of *text before the mark, which it moves behind; all of it, and *text is no text, when there is none. */
static mls_str part_next(mls_str *text, char mark)
{
    const char *end = text->len > 0 ? memchr(text->ptr, mark, text->len) : NULL;
    const mls_str part = {text->ptr, end != NULL ? (size_t)(end - text->ptr) : text->len};
    *text = end != NULL ? (mls_str){end + 1, text->len - part.len - 1} : (mls_str){NULL, 0};
    return part;
}

/* One of the ranges between brackets: "01-03" or "07", with its zeros.  hosts NULL: only looks whether it is one. */
static bool expand_range(expansion *hosts, mls_str before, mls_str range, mls_str after)
{
    char name[512];
    const mls_str low = part_next(&range, '-');
    size_t first;
    size_t last;
    if (!mls_size_parse(low, &first) || !mls_size_parse(range.ptr != NULL ? range : low, &last) || first > last ||
        low.len > 20 || before.len + after.len > sizeof name - 32) {
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

/* A word of the list, with at most one pair of brackets; as it stands when it does not follow the syntax. */
static void expand_word(expansion *hosts, mls_str word)
{
    mls_str after = word;
    const mls_str before = part_next(&after, '[');
    const mls_str inside = part_next(&after, ']');
    bool ok = inside.len > 0 && after.ptr != NULL && memchr(after.ptr, '[', after.len) == NULL;
    /* Nothing is passed on before all ranges are known to be some. */
    for (int pass = 0; pass < 2 && ok; pass++) {
        for (mls_str ranges = inside; ranges.len > 0 && ok;) {
            ok = expand_range(pass == 0 ? NULL : hosts, before, part_next(&ranges, ','), after);
        }
    }
    if (!ok) {
        emit(hosts, word);
    }
}

static void expand_words(expansion *hosts, mls_str list)
{
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; i <= list.len && hosts->count <= MLS_HOSTS_MAX; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if (c == ',' && !bracket) {
            expand_word(hosts, (mls_str){list.ptr + start, i - start});
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
