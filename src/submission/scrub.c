/* SPDX-License-Identifier: Apache-2.0 */
/* scrub.c - the table of what stands for what, and its record. */
#include "submission/scrub.h"

#include <stdlib.h>

#include "base/utf8.h"

#define MLS_SCRUB_NAME(id, name) name,
static const char *const kind_names[] = {MLS_SCRUB_KINDS(MLS_SCRUB_NAME)};
#undef MLS_SCRUB_NAME

const char *mls_scrub_kind_name(mls_scrub_kind kind)
{
    return kind_names[kind];
}

/* The keys of the map: a kind and a text. */
static mls_str scrub_key(mls_buffer *key, mls_scrub_kind kind, mls_str text)
{
    mls_buffer_append_char(key, (char)('a' + (int)kind));
    mls_buffer_append(key, text);
    return mls_buffer_str(key);
}

/* Puts a kind and a text into a map; *added says whether it was not there.  NULL: no memory. */
static mls_map_entry *put_thing(mls_map *map, mls_scrub_kind kind, mls_str text, bool *added)
{
    mls_buffer key = {0};
    mls_map_entry *entry = mls_map_put(map, scrub_key(&key, kind, text), added);
    entry = key.failed ? NULL : entry;
    mls_buffer_release(&key);
    return entry;
}

/* Adds a thing that the table does not have, and what stands for nothing else.  False: no memory. */
static bool add_scrub_entry(mls_scrub *scrub, mls_scrub_kind kind, mls_str from, mls_str to)
{
    const mls_scrub_entry row = {kind, mls_arena_copy(&scrub->arena, from), mls_arena_copy(&scrub->arena, to)};
    mls_map_entry *entry = put_thing(&scrub->known, kind, from, NULL);
    const bool ok =
        entry != NULL && row.from.ptr != NULL && row.to.ptr != NULL && put_thing(&scrub->used, kind, to, NULL) != NULL;
    if (ok) {
        entry->value.number = scrub->entries.count;
        scrub->things[kind]++;
    }
    return ok && MLS_ARENA_ADD(&scrub->arena, &scrub->entries, row);
}

static bool is_used(const mls_scrub *scrub, mls_scrub_kind kind, mls_str to)
{
    mls_buffer key = {0};
    const bool used = mls_map_find(&scrub->used, scrub_key(&key, kind, to)) != NULL;
    mls_buffer_release(&key);
    return used;
}

void mls_scrub_reserve(mls_scrub *scrub, mls_scrub_kind kind, mls_str text)
{
    scrub->failed |= put_thing(&scrub->used, kind, text, NULL) == NULL;
}

bool mls_scrub_find(const mls_scrub *scrub, mls_scrub_kind kind, mls_str text, mls_str *to)
{
    mls_buffer key = {0};
    const mls_map_entry *entry = mls_map_find(&scrub->known, scrub_key(&key, kind, text));
    mls_buffer_release(&key);
    *to = entry != NULL ? scrub->entries.items[entry->value.number].to : *to;
    return entry != NULL;
}

/* The replacement number `n` of a kind, which ranges for documentation and made-up names have; false: there is none. */
static bool make_replacement(mls_scrub_kind kind, size_t n, mls_buffer *to)
{
    enum { NETWORK = 254, HARDWARE_MAX = 255, ADDRESS6_MAX = 65535 };
    static const char *const networks[] = {"192.0.2", "198.51.100", "203.0.113"};
    switch (kind) {
    case MLS_SCRUB_HOST:
        mls_buffer_printf(to, "node%03zu", n);
        return true;
    case MLS_SCRUB_USER:
        mls_buffer_printf(to, "user%zu", n);
        return true;
    case MLS_SCRUB_ADDRESS:
        if (n <= 3 * (size_t)NETWORK) {
            mls_buffer_printf(to, "%s.%zu", networks[(n - 1) / NETWORK], (n - 1) % NETWORK + 1);
        }
        return n <= 3 * (size_t)NETWORK;
    case MLS_SCRUB_ADDRESS6:
        mls_buffer_printf(to, "2001:db8::%zx", n);
        return n <= ADDRESS6_MAX;
    case MLS_SCRUB_HARDWARE:
        mls_buffer_printf(to, "00:00:5e:00:53:%02zx", n);
        return n <= HARDWARE_MAX;
    case MLS_SCRUB_GUID:
        mls_buffer_printf(to, "%016zu", n);
        return true;
    case MLS_SCRUB_MAIL:
        mls_buffer_printf(to, "user%zu@example.com", n);
        return true;
    default:
        mls_buffer_append(to, MLS_S("REDACTED"));
        return true;
    }
}

mls_str mls_scrub_replace(mls_scrub *scrub, mls_scrub_kind kind, mls_str text)
{
    mls_buffer to = {0};
    mls_str found = text;
    if (kind == MLS_SCRUB_SECRET) { /* is kept nowhere */
        return MLS_S("REDACTED");
    }
    if (!mls_scrub_find(scrub, kind, text, &found)) {
        bool made = make_replacement(kind, ++scrub->numbers[kind], &to);
        while (made && is_used(scrub, kind, mls_buffer_str(&to))) {
            mls_buffer_clear(&to);
            made = make_replacement(kind, ++scrub->numbers[kind], &to);
        }
        if (!made) {
            scrub->full = kind_names[kind];
        } else if (to.failed || !add_scrub_entry(scrub, kind, text, mls_buffer_str(&to)) ||
                   !mls_scrub_find(scrub, kind, text, &found)) {
            scrub->failed = true;
        }
    }
    mls_buffer_release(&to);
    return found;
}

/* A longer word is no name: what looks at each word of a hostile line must not look at all that follows. */
enum { WORD_MAX = 64 };

mls_str mls_scrub_word(mls_str text, size_t at, const char *marks)
{
    size_t end = at;
    while (end < text.len && end - at < WORD_MAX &&
           (mls_is_alnum(text.ptr[end]) || (text.ptr[end] != '\0' && strchr(marks, text.ptr[end]) != NULL))) {
        end++;
    }
    return (mls_str){text.ptr + at, end - at};
}

mls_status mls_scrub_know(mls_scrub *scrub, mls_str kind, mls_str from, mls_str to)
{
    mls_str known;
    for (int i = 0; i < MLS_SCRUB_KIND_COUNT; i++) {
        if (!mls_str_equal(kind, mls_str_from(kind_names[i]))) {
            continue;
        }
        if (mls_scrub_find(scrub, (mls_scrub_kind)i, from, &known)) {
            return mls_str_equal(known, to) ? MLS_OK : MLS_ERROR_VALUE;
        }
        return is_used(scrub, (mls_scrub_kind)i, to)                 ? MLS_ERROR_VALUE
               : add_scrub_entry(scrub, (mls_scrub_kind)i, from, to) ? MLS_OK
                                                                     : MLS_ERROR_MEMORY;
    }
    return MLS_ERROR_VALUE;
}

/* Takes FROM=TO.  TO must be able to stand in a text of JSON, and anywhere in a line. */
static bool take_named(mls_scrub *scrub, const char *text)
{
    mls_str to = mls_str_from(text);
    mls_str from;
    bool good = mls_str_cut(&to, '=', &from) && from.len > 0;
    for (size_t i = 0; i < to.len; i++) {
        good = good && (unsigned char)to.ptr[i] >= ' ' && to.ptr[i] != '"' && to.ptr[i] != '\\';
    }
    good = good && !mls_str_contains(to, MLS_S(":::"));
    const mls_scrub_entry row = {MLS_SCRUB_NAMED, from, to};
    scrub->failed |= good && !MLS_ARENA_ADD(&scrub->arena, &scrub->named, row);
    return good;
}

mls_status mls_scrub_begin(mls_scrub *scrub, const mls_pack_options *options, mls_error *error)
{
    mls_status status = MLS_OK;
    *scrub = (mls_scrub){.options = options};
    scrub->known.arena = scrub->used.arena = scrub->learnt[0].arena = scrub->learnt[1].arena = &scrub->arena;
    for (size_t i = 0; i < options->named_count && status == MLS_OK; i++) {
        if (!take_named(scrub, options->named[i])) {
            status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                                   "'%.*s' is not FROM=TO, where TO has no quotes and no control characters",
                                   MLS_CUT_TEXT(options->named[i], 60));
        }
    }
    return status != MLS_OK ? status : scrub->failed ? mls_error_memory(error) : MLS_OK;
}

mls_status mls_scrub_status(const mls_scrub *scrub, mls_error *error)
{
    if (scrub->full != NULL) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "there are more of one kind (%s) than replacements",
                             scrub->full);
    }
    return scrub->failed ? mls_error_memory(error) : MLS_OK;
}

void mls_scrub_release(mls_scrub *scrub)
{
    mls_arena_release(&scrub->arena);
    *scrub = (mls_scrub){0};
}
