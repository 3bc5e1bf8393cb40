/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the names in a list of hosts as Slurm writes it.
 */
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

/* The part of *text before the next comma, which it moves behind. */
static mls_str part_next(mls_str *text)
{
    const char *comma = text->len > 0 ? memchr(text->ptr, ',', text->len) : NULL;
    const mls_str part = {text->ptr, comma != NULL ? (size_t)(comma - text->ptr) : text->len};
    const size_t used = part.len + (comma != NULL);
    *text = (mls_str){text->ptr + used, text->len - used};
    return part;
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

/* A word of the list, with at most one pair of brackets; as it stands when it does not follow the syntax. */
static void expand_word(expansion *hosts, mls_str word)
{
    const char *end = word.ptr + word.len;
    const char *open = word.len > 0 ? memchr(word.ptr, '[', word.len) : NULL;
    const char *close = open != NULL ? memchr(open, ']', (size_t)(end - open)) : NULL;
    bool ok = close != NULL && close > open + 1 && memchr(close, '[', (size_t)(end - close)) == NULL;
    /* Nothing is passed on before all ranges are known to be some. */
    for (int pass = 0; pass < 2 && ok; pass++) {
        for (mls_str ranges = {open + 1, (size_t)(close - open) - 1}; ranges.len > 0 && ok;) {
            const mls_str range = part_next(&ranges);
            ok = expand_range(pass == 0 ? NULL : hosts, (mls_str){word.ptr, (size_t)(open - word.ptr)}, range,
                              (mls_str){close + 1, (size_t)(end - close) - 1});
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
