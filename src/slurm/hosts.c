/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - the names in a list of hosts as Slurm writes it. */
#include "slurm/slurm.h"

#include <stdio.h>

#include "base/number.h"

/* Names in the making, each with a NUL after it. */
typedef struct expansion {
    mls_buffer *names;
    size_t count;
} expansion;

static void add_name(expansion *hosts, mls_str name)
{
    hosts->count += name.len > 0;
    mls_buffer_append(hosts->names, name);
    mls_buffer_append(hosts->names, (mls_str){"", name.len > 0});
}

/* One of the ranges between brackets: "01-03" or "07", with its zeros; false: it is none. */
static bool expand_range(expansion *hosts, mls_str before, mls_str range, mls_str after)
{
    char name[512];
    mls_str low;
    size_t first;
    size_t last;
    const bool several = mls_str_cut(&range, '-', &low);
    if (!mls_size_parse(low, &first) || !mls_size_parse(several ? range : low, &last) || first > last || low.len > 20 ||
        before.len + after.len > sizeof name - 32) {
        return false;
    }
    /* Counted from 0, since `last` may be the largest number there is. */
    for (size_t k = 0; k <= last - first && hosts->count <= MLS_HOSTS_MAX; k++) {
        const int len = snprintf(name, sizeof name, "%.*s%0*zu%.*s", (int)before.len, before.ptr, (int)low.len,
                                 first + k, (int)after.len, after.ptr);
        add_name(hosts, (mls_str){name, len > 0 ? (size_t)len : 0});
    }
    return true;
}

/* A word of the list, with at most one pair of brackets; as it stands when it does not follow the syntax. */
static void expand_word(expansion *hosts, mls_str word)
{
    const size_t len = hosts->names->len;
    const size_t count = hosts->count;
    mls_str after = word;
    mls_str before;
    mls_str ranges;
    mls_str range;
    bool ok = mls_str_cut(&after, '[', &before) && mls_str_cut(&after, ']', &ranges) && ranges.len > 0 &&
              memchr(after.ptr, '[', after.len) == NULL;
    while (ok && ranges.len > 0) {
        (void)mls_str_cut(&ranges, ',', &range);
        ok = expand_range(hosts, before, range, after);
    }
    if (!ok) {
        mls_buffer_cut(hosts->names, len);
        hosts->count = count;
        add_name(hosts, word);
    }
}

size_t mls_hosts_expand(mls_str list, mls_buffer *names)
{
    expansion hosts = {names, 0};
    size_t start = 0;
    bool bracket = false;
    for (size_t i = 0; i <= list.len && hosts.count <= MLS_HOSTS_MAX; i++) {
        const char c = i < list.len ? list.ptr[i] : ',';
        bracket = c == '[' || (bracket && c != ']' && i < list.len);
        if (c == ',' && !bracket) {
            expand_word(&hosts, (mls_str){list.ptr + start, i - start});
            start = i + 1;
        }
    }
    if (hosts.count > MLS_HOSTS_MAX) {
        mls_buffer_clear(names);
        hosts.count = 0;
        add_name(&hosts, list);
    }
    return hosts.count;
}
