/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.c - the kernels of collectives while a trace is read, and what their arguments say of bytes. */
#include "explain/profile/collectives.h"

#include <math.h>
#include <stdlib.h>

#include "base/interval.h"
#include "base/memory.h"
#include "base/number.h"

/* Most arguments are none of these, as their lengths show. */
mls_collective_part mls_collective_part_of(mls_str name)
{
    static const mls_str names[MLS_COLLECTIVE_PARTS] = {[MLS_COLLECTIVE_GROUP] = MLS_STR("Process Group Name"),
                                                        [MLS_COLLECTIVE_NAME] = MLS_STR("Collective name"),
                                                        [MLS_COLLECTIVE_IN] = MLS_STR("In msg nelems"),
                                                        [MLS_COLLECTIVE_TYPE] = MLS_STR("dtype"),
                                                        [MLS_COLLECTIVE_MEMBERS] = MLS_STR("Process Group Ranks"),
                                                        [MLS_COLLECTIVE_OUT] = MLS_STR("Out msg nelems"),
                                                        [MLS_COLLECTIVE_SIZE] = MLS_STR("Group size")};
    static const unsigned char by_length[20] = {
        [5] = MLS_COLLECTIVE_TYPE + 1,    [10] = MLS_COLLECTIVE_SIZE + 1, [13] = MLS_COLLECTIVE_IN + 1,
        [14] = MLS_COLLECTIVE_OUT + 1,    [15] = MLS_COLLECTIVE_NAME + 1, [18] = MLS_COLLECTIVE_GROUP + 1,
        [19] = MLS_COLLECTIVE_MEMBERS + 1};
    const unsigned part = name.len < sizeof by_length ? by_length[name.len] : 0;
    return part > 0 && mls_str_equal(name, names[part - 1]) ? (mls_collective_part)(part - 1) : MLS_COLLECTIVE_PARTS;
}

void mls_collective_take(mls_collective_texts *texts, mls_collective_part part, mls_str text)
{
    if ((texts->there >> part & 1) == 0) {
        texts->there |= 1U << part;
        mls_buffer_clear(&texts->texts[part]);
        mls_buffer_append(&texts->texts[part], text);
    }
}

void mls_collective_texts_release(mls_collective_texts *texts)
{
    for (size_t i = 0; i < MLS_COLLECTIVE_PARTS; i++)
        mls_buffer_release(&texts->texts[i]);
}

static mls_str part_text(const mls_collective_texts *texts, mls_collective_part part)
{
    return (texts->there >> part & 1) != 0 ? mls_buffer_str(&texts->texts[part]) : (mls_str){"", 0};
}

/* A whole number above 0; NAN: it is none. */
static double part_number(const mls_collective_texts *texts, mls_collective_part part)
{
    size_t number;
    return mls_size_parse(part_text(texts, part), &number) && number > 0 ? (double)number : (double)NAN;
}

/* Puts the texts of a new key, which stand one after the other at the end of its whole, where they stand. */
static void add_key(struct mls_collectives *of, const mls_collective_texts *texts, mls_map_entry *entry)
{
    MLS_GROW(&of->keys, items);
    mls_collective_key *key = &of->keys.items[of->keys.count];
    const char *end = entry->key.ptr + entry->key.len;
    *key = (mls_collective_key){.whole = entry->key,
                                .in = part_number(texts, MLS_COLLECTIVE_IN),
                                .out = part_number(texts, MLS_COLLECTIVE_OUT),
                                .size = part_number(texts, MLS_COLLECTIVE_SIZE)};
    for (size_t i = MLS_COLLECTIVE_KEYED; i-- > 0;) {
        const size_t len = part_text(texts, (mls_collective_part)i).len;
        end -= len;
        key->texts[i] = (mls_str){end, len};
    }
    entry->value.number = of->keys.count++;
    of->bytes += entry->key.len;
}

/* Find the number of the key that the texts make, their lengths first, as a name may contain anything.  False: there is
 * no room for more keys. */
static bool find_key(struct mls_collectives *of, const mls_collective_texts *texts, uint32_t *number)
{
    mls_buffer whole = {0};
    for (size_t i = 0; i < MLS_COLLECTIVE_KEYED; i++)
        mls_buffer_printf(&whole, "%zu ", part_text(texts, (mls_collective_part)i).len);
    for (size_t i = 0; i < MLS_COLLECTIVE_KEYED; i++)
        mls_buffer_append(&whole, part_text(texts, (mls_collective_part)i));
    mls_map_entry *entry = mls_map_find(&of->map, mls_buffer_str(&whole));
    if (entry == NULL && of->keys.count < MLS_COLLECTIVE_KEYS_MAX &&
        whole.len <= MLS_COLLECTIVE_BYTES_MAX - of->bytes) {
        entry = mls_map_put(&of->map, mls_buffer_str(&whole), NULL);
        add_key(of, texts, entry);
    }
    mls_buffer_release(&whole);
    *number = entry != NULL ? (uint32_t)entry->value.number : 0;
    return entry != NULL;
}

void mls_collective_add(mls_profile *profile, const mls_collective_texts *texts, bool nccl, int64_t start,
                        int64_t length)
{
    mls_collective made = {.start = start, .length = length};
    if ((texts->there >> MLS_COLLECTIVE_NAME & 1) == 0) {
        profile->nccl_without_arguments += nccl;
        return;
    }
    if (profile->collectives == NULL) {
        profile->collectives = mls_calloc(1, sizeof *profile->collectives);
        profile->collectives->map.arena = profile->arena;
    }
    struct mls_collectives *of = profile->collectives;
    if (!find_key(of, texts, &made.key) || of->kernels.count == UINT32_MAX) {
        of->dropped++;
        return;
    }
    made.number = (uint32_t)of->kernels.count;
    MLS_GROW(&of->kernels, items);
    of->kernels.items[of->kernels.count++] = made;
}

static uint64_t number_of_key(const void *item)
{
    return ((const mls_collective *)item)->key;
}

static uint64_t number_of_start(const void *item)
{
    return (uint64_t)((const mls_collective *)item)->start;
}

static uint64_t number_in_file(const void *item)
{
    return ((const mls_collective *)item)->number;
}

/* How many from the first on have the same number. */
static size_t count_alike(const mls_collective *items, size_t count, mls_number_of *number)
{
    size_t alike = 0;
    while (alike < count && number(&items[alike]) == number(&items[0]))
        alike++;
    return alike;
}

void mls_collectives_sort(struct mls_collectives *of, int64_t base_ns)
{
    if (of == NULL)
        return;
    mls_collective *items = of->kernels.items;
    const size_t count = of->kernels.count;
    of->base_ns = base_ns;
    mls_sort_in_place(items, count, sizeof *items, number_of_key);
    for (size_t i = 0, alike; i < count; i += alike) {
        alike = count_alike(items + i, count - i, number_of_key);
        of->keys.items[items[i].key].first = i;
        of->keys.items[items[i].key].count = alike;
        /* By their starts, and by their places in the file where two start at once. */
        mls_sort_in_place(items + i, alike, sizeof *items, number_of_start);
        for (size_t k = i, equal; k < i + alike; k += equal) {
            equal = count_alike(items + k, i + alike - k, number_of_start);
            mls_sort_in_place(items + k, equal, sizeof *items, number_in_file);
        }
    }
}

void mls_collectives_free(struct mls_collectives *of)
{
    if (of != NULL) {
        free(of->kernels.items);
        free(of->keys.items);
        free(of);
    }
}

/* The kinds of collectives that bytes are counted of: which of both ends, and the share of it that a rank's link moves,
 * twice where all of it is first reduced and then spread. */
typedef struct collective_kind {
    const char *names; /* what a name holds of it, without '_' */
    bool out;          /* what comes out is the whole */
    double times;
    bool others; /* a rank's own part stays where it is */
} collective_kind;

/* The first one counts: "allreduce" holds "reduce". */
static const collective_kind collective_kinds[] = {{"allreduce", false, 2, true},         {"allgather", true, 1, true},
                                                   {"reducescatter", false, 1, true},     {"alltoall", false, 1, true},
                                                   {"broadcast|reduce", false, 1, false}, {NULL, false, 0, false}};

static const collective_kind *collective_kind_of(mls_str name)
{
    const collective_kind *kind = collective_kinds;
    char plain[40];
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < sizeof plain; i++) {
        plain[len] = name.ptr[i];
        len += name.ptr[i] != '_';
    }
    while (kind->names != NULL && !mls_str_any((mls_str){plain, len}, kind->names, mls_str_contains))
        kind++;
    return kind;
}

/* By the names that PyTorch prints. */
static double type_bytes(mls_str type)
{
    static const struct {
        const char *names;
        double bytes;
    } types[] = {{"Bool Byte Char Float8_e4m3fn Float8_e5m2 Float8_e4m3fnuz Float8_e5m2fnuz Float8_e8m0fnu", 1},
                 {"BFloat16 Half Short UInt16", 2},
                 {"Float Int UInt32", 4},
                 {"Double Long UInt64 ComplexFloat", 8},
                 {"ComplexDouble", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mls_str_among(type, types[i].names))
            return types[i].bytes;
    return (double)NAN;
}

double mls_collective_bytes(const mls_collective_key *key)
{
    const collective_kind *kind = collective_kind_of(key->texts[MLS_COLLECTIVE_NAME]);
    return (kind->out ? key->out : key->in) * type_bytes(key->texts[MLS_COLLECTIVE_TYPE]);
}

double mls_collective_factor(mls_str name, double ranks)
{
    const collective_kind *kind = collective_kind_of(name);
    return kind->names == NULL ? (double)NAN : kind->times * (kind->others ? (ranks - 1) / ranks : 1);
}
