/* SPDX-License-Identifier: Apache-2.0 */
/* flight.c - compare the last collective operations of the ranks of a job.
 *
 * A rank is behind in a process group if its last sequence number there is smaller than that of another rank.  Ranks
 * that are behind only because they wait elsewhere, for somebody who is behind too, are victims. */
#include "explain/diagnose/flight.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/moment.h"
#include "explain/diagnose/pickle.h"

enum {
    GROUPS_MAX = 65536,
    RANKS_READ_MAX = 1 << 20,
    ENTRIES_MAX = 1 << 20,
    WORK_MAX = 64 << 20,
    WORD_MAX = 64,
    SIZES_SHOWN = 4
};

struct mls_flight_dump {
    int32_t rank;
    const char *file;
    double oldest_ns;                   /* when its oldest entry was created; INFINITY: it has no entries */
    const mls_flight_entry *first_wait; /* its earliest operation that had not completed; NULL: none */
    bool behind;
    bool victim; /* it waits for a rank that is behind */
};

struct mls_flight_group {
    const char *name;   /* "default_pg" */
    uint32_t *ranks;    /* its members */
    size_t rank_count;  /* 0: unknown */
    double *last;       /* last sequence number of each member; NAN: unknown; -1: it entered none */
    double lowest, top; /* the smallest and largest known value of `last` */
};

struct mls_flight_entry {
    uint32_t group, dump;
    double sequence, time_ns;
    const char *operation, *sizes; /* pointers of equal texts are equal */
    bool waits;                    /* it had not completed */
};

int32_t mls_flight_rank(const char *name)
{
    mls_str text = mls_str_from(name);
    int32_t rank;
    if (mls_str_ends(text, MLS_S(".json")))
        text.len -= 5;
    size_t digits = 0;
    while (digits < text.len && mls_is_digit(text.ptr[text.len - digits - 1]))
        digits++;
    mls_str number = {text.ptr + text.len - digits, digits};
    text.len -= digits;
    return mls_str_any(text, "_dump_|_rank_|_trace_|_rank", mls_str_ends) && mls_take_number(&number, &rank) ? rank
                                                                                                             : -1;
}

/* Return a text stored once, cut to WORD_MAX bytes. */
static const char *stored_word(mls_flight_dumps *dumps, mls_str text)
{
    text.len = text.len < WORD_MAX ? text.len : WORD_MAX;
    return mls_map_put(&dumps->words, text, NULL)->key.ptr;
}

/* Return the sizes of an entry as text, such as "[1024] [4, 1024]". */
static const char *sizes_of(mls_flight_dumps *dumps, const mls_pickle_value *entry)
{
    mls_buffer text = {0};
    const mls_pickle_value *tensor = mls_pickle_first(mls_pickle_member(entry, MLS_S("input_sizes")));
    for (size_t i = 0; tensor != NULL && i < SIZES_SHOWN; i++, tensor = tensor->next) {
        const mls_pickle_value *size = mls_pickle_first(tensor);
        mls_buffer_append_text(&text, i > 0 ? " [" : "[");
        for (size_t k = 0; size != NULL && k < SIZES_SHOWN; k++, size = size->next)
            mls_buffer_printf(&text, "%s%.0f", k > 0 ? ", " : "", size->number);
        mls_buffer_append_char(&text, ']');
    }
    const char *stored = stored_word(dumps, mls_buffer_str(&text));
    mls_buffer_release(&text);
    return stored;
}

/* Return the index of a group, which is added if it is new; SIZE_MAX if there are too many. */
static size_t find_group(mls_flight_dumps *dumps, mls_str name, mls_str description)
{
    bool added;
    mls_map_entry *entry = mls_map_put(&dumps->names, name, &added);
    if (added && dumps->groups.count < GROUPS_MAX) {
        MLS_ARENA_ADD(dumps->arena, &dumps->groups,
                      (mls_flight_group){.name = stored_word(dumps, description.len > 0 ? description : name)});
        entry->value.number = dumps->groups.count;
    }
    return entry->value.number - 1;
}

/* Read the members of each group from "pg_config": {"0": {"name": "0", "desc": …, "ranks": "[0, 1]"}}. */
static void add_groups(mls_flight_dumps *dumps, const mls_pickle_value *root)
{
    const mls_pickle_value *name = mls_pickle_first(mls_pickle_member(root, MLS_S("pg_config")));
    for (; name != NULL && name->next != NULL; name = name->next->next) {
        const size_t index = find_group(dumps, name->text, mls_pickle_text(name->next, MLS_S("desc")));
        mls_str left = mls_pickle_text(name->next, MLS_S("ranks"));
        if (index >= dumps->groups.count || dumps->groups.items[index].rank_count > 0)
            continue;
        MLS_LIST_OF(uint32_t) ranks = {0};
        int32_t rank;
        while (left.len > 0 && dumps->ranks_read < RANKS_READ_MAX) {
            if (mls_is_digit(left.ptr[0]) && mls_take_number(&left, &rank)) {
                MLS_ARENA_ADD(dumps->arena, &ranks, (uint32_t)rank);
                dumps->ranks_read++;
            } else {
                left = mls_str_rest(left, 1);
            }
        }
        dumps->groups.items[index].ranks = ranks.items;
        dumps->groups.items[index].rank_count = ranks.count;
    }
}

/* Store the waiting entries of a dump, and the last one of each group. */
static void add_entries(mls_flight_dumps *dumps, const mls_pickle_value *root, mls_flight_dump *dump)
{
    mls_arena scratch = {0};
    mls_map completed = {.arena = &scratch}; /* per pg_id, index in `done` plus 1 */
    MLS_LIST_OF(double) done = {0};
    const mls_pickle_value *status = mls_pickle_first(mls_pickle_member(root, MLS_S("pg_status")));
    for (; status != NULL && status->next != NULL; status = status->next->next) {
        MLS_ARENA_ADD(&scratch, &done, mls_pickle_number(status->next, MLS_S("last_completed_collective")));
        mls_map_put(&completed, status->text, NULL)->value.number = done.count;
    }
    mls_map last = {.arena = &scratch}; /* per group, index of its last entry plus 1 */
    const mls_pickle_value *entry = mls_pickle_first(mls_pickle_member(root, MLS_S("entries")));
    for (; entry != NULL; entry = entry->next) {
        const mls_pickle_value *group = mls_pickle_first(mls_pickle_member(entry, MLS_S("process_group")));
        const double sequence = mls_pickle_number(entry, MLS_S("collective_seq_id"));
        const double time_ns = mls_pickle_number(entry, MLS_S("time_created_ns"));
        dump->oldest_ns = time_ns < dump->oldest_ns ? time_ns : dump->oldest_ns;
        if (group == NULL || !isfinite(sequence) || mls_pickle_number(entry, MLS_S("is_p2p")) > 0)
            continue;
        const size_t index = find_group(dumps, group->text, group->next != NULL ? group->next->text : (mls_str){"", 0});
        if (index >= dumps->groups.count)
            continue;
        char id[32];
        const double number = mls_pickle_number(entry, MLS_S("pg_id"));
        (void)mls_text_printf(id, sizeof id, "%.0f", number >= 0 && number <= UINT32_MAX ? number : -1);
        const mls_map_entry *known = mls_map_find(&completed, mls_str_from(id));
        const bool over = known != NULL && done.items != NULL && sequence <= done.items[known->value.number - 1];
        const bool waits = !over && !mls_str_equal(mls_pickle_text(entry, MLS_S("state")), MLS_S("completed"));
        const uint32_t key = (uint32_t)index;
        mls_map_entry *place = mls_map_put(&last, (mls_str){(const char *)&key, sizeof key}, NULL);
        const mls_flight_entry *before =
            place->value.number > 0 ? &dumps->entries.items[place->value.number - 1] : NULL;
        if (!waits && before != NULL && sequence <= before->sequence)
            continue;
        const mls_flight_entry one = {.group = key,
                                      .dump = (uint32_t)(dump - dumps->dumps.items),
                                      .sequence = sequence,
                                      .time_ns = time_ns,
                                      .operation = stored_word(dumps, mls_pickle_text(entry, MLS_S("profiling_name"))),
                                      .sizes = sizes_of(dumps, entry),
                                      .waits = waits};
        if (!waits && before != NULL && !before->waits) {
            dumps->entries.items[place->value.number - 1] = one;
        } else if (dumps->entries.count < ENTRIES_MAX) {
            MLS_ARENA_ADD(dumps->arena, &dumps->entries, one);
            place->value.number = dumps->entries.count;
        }
    }
    mls_arena_release(&scratch);
}

bool mls_flight_add(mls_flight_dumps *dumps, int32_t rank, const char *file, mls_str bytes)
{
    mls_arena scratch = {0};
    const mls_pickle_value *root = mls_pickle_read(bytes, &scratch);
    dumps->names.arena = dumps->words.arena = dumps->arena;
    if (root != NULL) {
        MLS_ARENA_ADD(dumps->arena, &dumps->dumps,
                      (mls_flight_dump){.rank = rank, .file = file, .oldest_ns = INFINITY});
        add_groups(dumps, root);
        add_entries(dumps, root, &dumps->dumps.items[dumps->dumps.count - 1]);
    }
    mls_arena_release(&scratch);
    return root != NULL;
}

/* ---------------------------------------------------------------- the verdict */

static int compare_entries(const void *left, const void *right)
{
    const mls_flight_entry *a = left;
    const mls_flight_entry *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->sequence < b->sequence || a->sequence > b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->dump > b->dump) - (a->dump < b->dump);
}

static int compare_ranks(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Return the index of the dump of a rank; SIZE_MAX: none. */
static size_t dump_of(const mls_map *ranks, uint32_t rank)
{
    const mls_map_entry *entry = mls_map_find(ranks, (mls_str){(const char *)&rank, sizeof rank});
    return entry != NULL ? entry->value.number : SIZE_MAX;
}

/* Return whether all ranks of a group must call this operation with equal sizes. */
static bool has_equal_sizes(const char *operation)
{
    return mls_str_any(mls_str_from(operation), "all_reduce|allreduce|_all_gather_base|_reduce_scatter_base|broadcast",
                       mls_str_contains);
}

static bool differ(const mls_flight_entry *a, const mls_flight_entry *b)
{
    return a->operation != b->operation || (has_equal_sizes(a->operation) && a->sizes != b->sizes);
}

/* Find the earliest sequence number at which ranks of a group called different operations.  *from and *to are set to
 * its entries. */
static bool find_mismatch(const mls_flight_dumps *dumps, size_t *from, size_t *to)
{
    double earliest = INFINITY;
    bool found = false;
    for (size_t i = 0, end = 0; i < dumps->entries.count; i = end) {
        const mls_flight_entry *first = &dumps->entries.items[i];
        double time_ns = first->time_ns;
        bool differs = false;
        for (end = i + 1; end < dumps->entries.count; end++) {
            const mls_flight_entry *other = &dumps->entries.items[end];
            if (other->group != first->group || other->sequence > first->sequence)
                break;
            differs |= differ(first, other);
            time_ns = fmin(time_ns, other->time_ns);
        }
        if (differs && (!found || time_ns < earliest)) {
            found = true;
            earliest = time_ns;
            *from = i;
            *to = end;
        }
    }
    return found;
}

/* Set the last sequence number of each member of a group, and mark the dumps that are behind.  `last` has an item for
 * each dump, all NAN, also afterwards. */
static void fill_group(mls_flight_dumps *dumps, mls_flight_group *group, const mls_flight_entry *entries, size_t count,
                       const mls_map *ranks, double *last)
{
    double top_ns = INFINITY; /* when the operation with the largest sequence number was first entered */
    group->lowest = INFINITY;
    group->top = -1;
    for (size_t i = 0; i < count; i++) {
        const mls_flight_entry *entry = &entries[i];
        top_ns = entry->sequence > group->top ? entry->time_ns : fmin(top_ns, entry->time_ns);
        group->top = fmax(group->top, entry->sequence);
        last[entry->dump] = fmax(last[entry->dump], entry->sequence);
    }
    group->last = mls_arena_array(dumps->arena, group->rank_count, sizeof *group->last);
    for (size_t i = 0; i < group->rank_count; i++) {
        const size_t place = dump_of(ranks, group->ranks[i]);
        group->last[i] = place != SIZE_MAX ? last[place] : (double)NAN;
        if (place == SIZE_MAX) {
            group->lowest = -1; /* nobody knows whether it waits */
            continue;
        }
        /* Without an entry, the rank entered nothing since its oldest entry; before that, entries were overwritten. */
        mls_flight_dump *dump = &dumps->dumps.items[place];
        if (isnan(last[place]) && (isinf(dump->oldest_ns) || dump->oldest_ns <= top_ns))
            group->last[i] = -1;
        group->lowest = fmin(group->lowest, group->last[i]);
        dump->behind |= group->last[i] < group->top;
    }
    for (size_t i = 0; i < count; i++)
        last[entries[i].dump] = NAN;
}

/* Describe the first operation that a blamed rank did not enter, in the group in which most ranks wait for it. */
static void describe(const mls_flight_dumps *dumps, const mls_map *ranks, mls_flight *flight)
{
    size_t work = 0;
    for (size_t i = 0; i < dumps->entries.count && work < WORK_MAX; i++) {
        const mls_flight_entry *entry = &dumps->entries.items[i];
        const mls_flight_group *group = &dumps->groups.items[entry->group];
        bool missed = entry->waits && flight->blamed_count == 0;
        size_t waiting = 0;
        for (size_t k = 0; k < group->rank_count && entry->waits; k++) {
            const size_t place = dump_of(ranks, group->ranks[k]);
            const mls_flight_dump *dump = place != SIZE_MAX ? &dumps->dumps.items[place] : NULL;
            missed |= dump != NULL && dump->behind && !dump->victim && group->last[k] < entry->sequence;
            waiting += group->last[k] >= entry->sequence;
        }
        work += group->rank_count;
        if (missed && waiting > flight->waiting) {
            flight->waiting = waiting;
            flight->group = group->name;
            flight->operation = entry->operation;
            flight->sizes = entry->sizes;
            flight->sequence = entry->sequence;
            flight->file = dumps->dumps.items[entry->dump].file;
        }
        while (i + 1 < dumps->entries.count && dumps->entries.items[i + 1].group == entry->group &&
               dumps->entries.items[i + 1].sequence <= entry->sequence)
            i++; /* the same operation of other ranks */
    }
}

mls_flight *mls_flight_judge(mls_flight_dumps *dumps, mls_arena *arena)
{
    const size_t dump_count = dumps->dumps.count;
    mls_flight_entry *entries = dumps->entries.items;
    mls_map ranks = {.arena = dumps->arena};
    mls_map missing = {.arena = dumps->arena};
    mls_flight *flight = mls_arena_zeroed(arena, 1, sizeof *flight);
    bool waits = false;
    for (size_t i = 0; i < dump_count; i++) {
        const uint32_t rank = (uint32_t)dumps->dumps.items[i].rank;
        mls_map_put(&ranks, (mls_str){(const char *)&rank, sizeof rank}, NULL)->value.number = i;
    }
    if (dumps->entries.count > 1)
        qsort(entries, dumps->entries.count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < dumps->entries.count; i++)
        waits |= entries[i].waits;
    if (!waits)
        return NULL;
    double *last = mls_arena_array(dumps->arena, dump_count, sizeof *last);
    for (size_t i = 0; i < dump_count; i++)
        last[i] = NAN;
    size_t at = 0;
    for (size_t g = 0; g < dumps->groups.count; g++) {
        const size_t from = at;
        mls_flight_group *group = &dumps->groups.items[g];
        while (at < dumps->entries.count && entries[at].group == g)
            at++;
        fill_group(dumps, group, &entries[from], at - from, &ranks, last);
        for (size_t i = 0; i < group->rank_count; i++)
            if (dump_of(&ranks, group->ranks[i]) == SIZE_MAX)
                (void)mls_map_put(&missing, (mls_str){(const char *)&group->ranks[i], sizeof *group->ranks}, NULL);
    }
    flight->dumps = dump_count;
    flight->blamed = mls_arena_array(arena, dump_count, sizeof *flight->blamed);
    flight->without_dump = mls_arena_array(arena, missing.count, sizeof *flight->without_dump);
    for (size_t i = 0; i < missing.count; i++)
        memcpy(&flight->without_dump[flight->without_dump_count++], missing.entries[i].key.ptr, sizeof(uint32_t));
    size_t from = 0;
    size_t to = 0;
    flight->mismatch = find_mismatch(dumps, &from, &to);
    if (flight->mismatch) {
        /* Blame the ranks that differ from the most common call; all of them if there is no most common one. */
        size_t best = 0;
        size_t best_count = 0;
        size_t equal = 0;
        for (size_t i = from; i < to; i++) {
            size_t same = 0;
            bool first = true;
            for (size_t k = from; k < to; k++) {
                same += !differ(&entries[i], &entries[k]);
                first &= k >= i || differ(&entries[i], &entries[k]);
            }
            equal = same > best_count ? 1 : equal + (first && same == best_count);
            best = same > best_count ? i : best;
            best_count = same > best_count ? same : best_count;
            if (to - from > 256 && i >= from + 256)
                break; /* enough to know the most common call */
        }
        uint32_t blamed = UINT32_MAX; /* a damaged dump may have several entries with one number; they are adjacent */
        for (size_t i = from; i < to; i++) {
            if (entries[i].dump != blamed && (equal > 1 || differ(&entries[best], &entries[i]))) {
                blamed = entries[i].dump;
                flight->blamed[flight->blamed_count++] = (uint32_t)dumps->dumps.items[blamed].rank;
            }
        }
        flight->group = dumps->groups.items[entries[best].group].name;
        flight->operation = entries[best].operation;
        flight->sizes = entries[best].sizes;
        flight->sequence = entries[best].sequence;
        flight->waiting = best_count;
        flight->file = dumps->dumps.items[entries[best].dump].file;
    } else {
        size_t culprits = 0;
        for (size_t i = 0; i < dumps->entries.count; i++) {
            const mls_flight_entry **first = &dumps->dumps.items[entries[i].dump].first_wait;
            *first =
                entries[i].waits && (*first == NULL || entries[i].time_ns < (*first)->time_ns) ? &entries[i] : *first;
        }
        for (size_t i = 0; i < dump_count; i++) {
            const mls_flight_entry *first = dumps->dumps.items[i].first_wait;
            dumps->dumps.items[i].victim = first != NULL && first->sequence > dumps->groups.items[first->group].lowest;
        }
        for (size_t i = 0; i < dump_count; i++)
            culprits += dumps->dumps.items[i].behind && !dumps->dumps.items[i].victim;
        for (size_t i = 0; i < dump_count; i++) {
            mls_flight_dump *dump = &dumps->dumps.items[i];
            dump->victim &=
                culprits > 0 || missing.count > 0; /* if all wait for each other, blame all that are behind */
            if (dump->behind && !dump->victim)
                flight->blamed[flight->blamed_count++] = (uint32_t)dump->rank;
        }
        if (flight->blamed_count == 0 && missing.count == 0)
            return NULL;
        describe(dumps, &ranks, flight);
    }
    qsort(flight->blamed, flight->blamed_count, sizeof *flight->blamed, compare_ranks);
    if (missing.count > 1)
        qsort(flight->without_dump, missing.count, sizeof *flight->without_dump, compare_ranks);
    flight->group = flight->group != NULL ? mls_arena_copy(arena, mls_str_from(flight->group)).ptr : "";
    flight->operation = flight->operation != NULL ? mls_arena_copy(arena, mls_str_from(flight->operation)).ptr : "";
    flight->sizes = flight->sizes != NULL ? mls_arena_copy(arena, mls_str_from(flight->sizes)).ptr : "";
    return flight;
}
