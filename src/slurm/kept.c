/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - few bytes of each run, and all of the runs of one group. */
#include "slurm/kept.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "slurm/sacct.h"

/* A run is known by its source and its number there. */
static uint64_t place_in_source(size_t index, size_t number)
{
    return (uint64_t)index << 32 | (uint32_t)number;
}

/* A run that was left out because it is another one once more. */
typedef struct kept_repeat {
    uint64_t stays, gone;
    const char *file; /* of the one that is gone */
    size_t order;     /* in which they tell of their job what the other does not */
} kept_repeat;

typedef struct kept_limits {
    size_t run; /* its number among all */
    mls_run_limits limits;
} kept_limits;

/* A run of the group that is there, or a repetition of one. */
typedef struct loaded_run {
    mls_run run;
    size_t stays; /* the number of the run that it is */
} loaded_run;

/* Where such a run is read. */
typedef struct wanted_run {
    uint64_t place;
    const char *file;
    size_t number; /* among the loaded ones */
} wanted_run;

struct mls_kept_runs {
    mls_merge *merge;
    mls_arena arena; /* of the texts */
    mls_map texts;
    mls_names files; /* the paths of sources, of which keys have the texts */
    MLS_LIST_OF(mls_run_key) keys;
    MLS_LIST_OF(mls_repeat) same; /* until all have come */
    MLS_LIST_OF(kept_repeat) repeats;
    MLS_LIST_OF(kept_limits) limits;
    const mls_collect_options *options;
    mls_rcp_sets *points;
    mls_key_group *groups;
    unsigned char *verdicts; /* of those that have been loaded, as bits */
    size_t group_count;
    mls_group group;              /* the one that is there, whose runs are the first of … */
    size_t there;                 /* … its number, plus 1; 0: none is */
    MLS_LIST_OF(loaded_run) runs; /* … these */
    mls_group lost;               /* what stands in its place when it could not be read, … */
    mls_run unknown;              /* … the run of it … */
    const mls_run *lost_runs[1];
    mls_olympic_mark lost_mark; /* … and what is made of that */
    char no_file[1];
    MLS_LIST_OF(wanted_run) wanted; /* in the order of their places */
    size_t next, number;            /* of them and of the runs of a source, while that is read */
};

enum { VERDICT_KNOWN = 1, VERDICT_WELL = 2, VERDICT_WELL_STRICTLY = 4 };

mls_kept_runs *mls_kept_new(const mls_collect_options *options, mls_rcp_sets *points)
{
    mls_kept_runs *kept = mls_calloc(1, sizeof *kept);
    if (kept != NULL) {
        kept->merge = options->merge;
        kept->options = options;
        kept->points = points;
        kept->texts.arena = &kept->arena;
        mls_run_init(&kept->unknown);
        kept->unknown.file = kept->no_file;
    }
    return kept;
}

/* Forgets the group that is there, and its runs. */
static void leave_group(mls_kept_runs *kept)
{
    mls_group_release(&kept->group);
    kept->group = (mls_group){0};
    kept->there = 0;
    for (size_t i = 0; i < kept->runs.count; i++) {
        mls_run_release(&kept->runs.items[i].run);
    }
    kept->runs.count = kept->wanted.count = 0;
    mls_merge_forget(kept->merge);
}

void mls_kept_free(mls_kept_runs *kept)
{
    if (kept == NULL) {
        return;
    }
    leave_group(kept);
    free(kept->keys.items);
    free(kept->same.items);
    free(kept->repeats.items);
    free(kept->limits.items);
    free(kept->runs.items);
    for (size_t i = 0; i < kept->group_count; i++) {
        free((void *)kept->groups[i].keys);
    }
    free(kept->groups);
    free(kept->verdicts);
    free(kept->wanted.items);
    mls_names_release(&kept->files);
    mls_arena_release(&kept->arena);
    free(kept);
}

/* ------------------------------------------------------------- keeping */

/* The one copy of a text; NULL stays NULL. */
static bool keep_key_text(mls_kept_runs *kept, const char **text)
{
    const mls_map_entry *entry = *text != NULL ? mls_map_put(&kept->texts, mls_str_from(*text), NULL) : NULL;
    const bool ok = entry != NULL || *text == NULL;
    *text = entry != NULL ? entry->key.ptr : NULL;
    return ok;
}

static bool keep_limits(mls_kept_runs *kept, const mls_run *run, const char *path)
{
    const mls_run_limits limits = mls_run_limits_of(run, path);
    if (!mls_run_has_limits(&limits)) {
        return true;
    }
    if (!MLS_GROW(&kept->limits, items)) {
        return false;
    }
    kept->limits.items[kept->limits.count++] = (kept_limits){kept->keys.count, limits};
    return true;
}

bool mls_kept_add(mls_kept_runs *kept, const mls_source *source, size_t index, size_t number, const mls_run *run,
                  mls_source_runs *found)
{
    mls_run_key key = mls_run_key_of(run);
    key.file = source->path;
    key.place = place_in_source(index, number);
    bool ok = keep_limits(kept, run, source->path) && MLS_GROW(&kept->keys, items);
    for (size_t i = 0; i < MLS_FACT_TEXTS && ok; i++) {
        ok = keep_key_text(kept, &key.says[i]);
    }
    if (ok && !source->result && mls_run_exists(run)) {
        ok = MLS_GROW(&kept->same, items);
        if (ok) {
            kept->same.items[kept->same.count++] =
                (mls_repeat){mls_run_times_of(run), kept->keys.count, found, source->path};
        }
    }
    if (ok) {
        kept->keys.items[kept->keys.count++] = key;
    }
    return ok;
}

bool mls_kept_take_path(mls_kept_runs *kept, char *path)
{
    const bool ok = MLS_GROW(&kept->files, items);
    if (ok) {
        kept->files.items[kept->files.count++] = path;
    } else {
        free(path);
    }
    return ok;
}

/* A run inherits of its job what it does not know itself: of that, its config alone decides about groups. */
static mls_status leave_out_kept(void *state, size_t stays, size_t gone)
{
    mls_kept_runs *kept = state;
    mls_run_key *to = &kept->keys.items[stays];
    mls_run_key *from = &kept->keys.items[gone];
    if (!MLS_GROW(&kept->repeats, items)) {
        return MLS_ERROR_MEMORY;
    }
    if (!to->of_job && from->of_job) {
        to->says[MLS_FACT_CONFIG] = from->says[MLS_FACT_CONFIG];
        to->of_job = true;
    }
    kept->repeats.items[kept->repeats.count] = (kept_repeat){to->place, from->place, from->file, kept->repeats.count};
    kept->repeats.count++;
    from->file = NULL;
    return MLS_OK;
}

static int compare_kept_repeats(const void *a, const void *b)
{
    const kept_repeat *x = a;
    const kept_repeat *y = b;
    const int order = (x->stays > y->stays) - (x->stays < y->stays);
    return order != 0 ? order : mls_compare_sizes(x->order, y->order);
}

mls_status mls_kept_settle(mls_kept_runs *kept, const mls_sources *sources, mls_source_runs *found)
{
    mls_status status = mls_repeats_find(kept->same.items, kept->same.count, leave_out_kept, kept);
    status = status == MLS_OK ? mls_repeats_say(sources, found) : status;
    free(kept->same.items);
    kept->same.items = NULL;
    kept->same.count = kept->same.capacity = 0;
    if (kept->repeats.count > 1) {
        qsort(kept->repeats.items, kept->repeats.count, sizeof *kept->repeats.items, compare_kept_repeats);
    }
    size_t stay = 0;
    size_t limited = 0;
    size_t next = 0;
    for (size_t i = 0; i < kept->keys.count; i++) {
        const bool gone = kept->keys.items[i].file == NULL;
        if (next < kept->limits.count && kept->limits.items[next].run == i) {
            kept->limits.items[limited] = kept->limits.items[next++];
            limited += !gone;
        }
        kept->keys.items[stay] = kept->keys.items[i];
        stay += !gone;
    }
    kept->keys.count = stay;
    kept->limits.count = limited;
    mls_fit((void **)&kept->keys.items, kept->keys.count, &kept->keys.capacity, sizeof *kept->keys.items);
    return status;
}

mls_status mls_kept_groups(mls_kept_runs *kept, size_t *count)
{
    const mls_status status = mls_group_keys(kept->keys.items, kept->keys.count, &kept->groups, &kept->group_count);
    kept->verdicts = mls_calloc(kept->group_count + 1, sizeof *kept->verdicts);
    *count = kept->group_count;
    return status == MLS_OK && kept->verdicts == NULL ? MLS_ERROR_MEMORY : status;
}

bool mls_kept_limits(const mls_kept_runs *kept, size_t *at, mls_run_limits *limits)
{
    const bool more = *at < kept->limits.count;
    if (more) {
        *limits = kept->limits.items[(*at)++].limits;
    }
    return more;
}

/* ------------------------------------------------------- reading again */

static int compare_wanted(const void *a, const void *b)
{
    const wanted_run *x = a;
    const wanted_run *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* The first repetition of a run, or where it would stand. */
static size_t first_repeat(const mls_kept_runs *kept, uint64_t place)
{
    size_t low = 0;
    for (size_t high = kept->repeats.count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (kept->repeats.items[middle].stays < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool want(mls_kept_runs *kept, uint64_t place, const char *file, size_t stays)
{
    if (!MLS_GROW(&kept->wanted, items) || !MLS_GROW(&kept->runs, items)) {
        return false;
    }
    loaded_run *run = &kept->runs.items[kept->runs.count];
    mls_run_init(&run->run);
    run->stays = stays;
    kept->wanted.items[kept->wanted.count++] = (wanted_run){place, file, kept->runs.count++};
    return true;
}

/* The runs of a group come first, then their repetitions in the order in which they are heard. */
static bool want_group(mls_kept_runs *kept, const mls_key_group *group)
{
    bool ok = true;
    for (size_t i = 0; i < group->count && ok; i++) {
        ok = want(kept, group->keys[i]->place, group->keys[i]->file, i);
    }
    for (size_t i = 0; i < group->count && ok; i++) {
        const uint64_t place = group->keys[i]->place;
        for (size_t k = first_repeat(kept, place);
             k < kept->repeats.count && kept->repeats.items[k].stays == place && ok; k++) {
            ok = want(kept, kept->repeats.items[k].gone, kept->repeats.items[k].file, i);
        }
    }
    if (ok) {
        qsort(kept->wanted.items, kept->wanted.count, sizeof *kept->wanted.items, compare_wanted);
    }
    return ok;
}

/* Takes a run that is wanted. */
static mls_status take_again(void *state, size_t index, mls_run *run, bool part)
{
    mls_kept_runs *kept = state;
    const wanted_run *wanted = &kept->wanted.items[kept->next];
    (void)part;
    if (kept->next == kept->wanted.count || wanted->place != place_in_source(index, kept->number++)) {
        return MLS_OK;
    }
    kept->next++;
    const bool ok = mls_run_note_name(run);
    kept->runs.items[wanted->number].run = *run;
    mls_run_init(run);
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}

static mls_status read_group_runs(mls_kept_runs *kept, bool result)
{
    const mls_reading reading = {.state = kept, .run = take_again};
    mls_status status = MLS_OK;
    for (kept->next = 0; kept->next < kept->wanted.count && status == MLS_OK;) {
        const size_t before = kept->next;
        const wanted_run *wanted = &kept->wanted.items[before];
        const mls_source source = {.path = (char *)(uintptr_t)wanted->file, .result = result};
        kept->number = 0;
        status = mls_merge_read_again(kept->merge, &reading, &source, (size_t)(wanted->place >> 32));
        if (status == MLS_OK && kept->next == before) {
            status = mls_merge_lacks(kept->merge, (size_t)(wanted->place >> 32));
        }
    }
    return status;
}

/* What is done with runs when all are known, and the facts of a group, which its first run tells. */
static bool finish_runs(mls_kept_runs *kept, const mls_group *group)
{
    loaded_run *runs = kept->runs.items;
    bool ok = true;
    for (size_t i = group->run_count; i < kept->runs.count && ok; i++) {
        ok = mls_job_inherit(&runs[runs[i].stays].run.job, &runs[i].run.job);
    }
    for (size_t i = 0; i < group->run_count && ok; i++) {
        mls_run *run = &runs[i].run;
        mls_run_take_carried(run, kept->options);
        ok = mls_run_find_job(run);
        mls_findings_append_as_they_are(&run->findings, &run->carried->ending);
        ok = ok && !run->findings.out_of_memory;
    }
    if (ok && kept->options->facts == MLS_FACTS_OF_GROUPS) {
        runs[0].run.facts = runs[0].run.carried->facts;
    }
    return ok;
}

/* What stands in place of a group that could not be read: a run that nothing is known of. */
static void lose_group(mls_kept_runs *kept)
{
    const mls_editions *editions = kept->options->score.editions;
    leave_group(kept);
    kept->lost_runs[0] = &kept->unknown;
    kept->lost = (mls_group){.path = kept->no_file,
                             .edition = mls_editions_guess(editions, MLS_USAGE_TRAINING, NAN, (mls_str){0}),
                             .rules = mls_benchmark_find(editions, MLS_USAGE_TRAINING, (mls_str){0}),
                             .global_batch_size = NAN,
                             .nodes = NAN,
                             .accelerators = NAN,
                             .runs = kept->lost_runs,
                             .run_count = 1,
                             .marks = &kept->lost_mark,
                             .scaled_minutes = NAN};
    kept->lost.score.score_minutes = NAN;
}

/* Scores a group whose runs have been read. */
static mls_status score_read_runs(mls_kept_runs *kept, mls_error *error)
{
    mls_group *group = &kept->group;
    const mls_tree_editions none = {0};
    group->runs = (const mls_run **)mls_calloc(group->run_count, sizeof *group->runs);
    for (size_t i = 0; i < group->run_count && group->runs != NULL; i++) {
        group->runs[i] = &kept->runs.items[i].run;
    }
    return group->runs != NULL ? mls_group_finish(kept->options, &none, kept->points, group, error) : MLS_ERROR_MEMORY;
}

/* Whoever judges a group with a file that could not be read says which. */
static unsigned char kept_verdict_of(const mls_group *group)
{
    const int well = (mls_group_is_well(group, false) ? VERDICT_WELL : 0) |
                     (mls_group_is_well(group, true) ? VERDICT_WELL_STRICTLY : 0);
    const bool known = mls_findings_found(&group->findings, MLS_FINDING_UNREADABLE) == 0;
    return (unsigned char)(known ? VERDICT_KNOWN | well : 0);
}

mls_status mls_kept_load(mls_kept_runs *kept, size_t index, mls_error *error)
{
    const mls_key_group *keys = &kept->groups[index];
    if (kept->there == index + 1) {
        return MLS_OK;
    }
    leave_group(kept);
    mls_status status = mls_merge_failure(kept->merge) != NULL ? MLS_ERROR_READ : MLS_OK;
    if (status == MLS_OK && (!mls_group_of_keys(keys, &kept->group) || !want_group(kept, keys))) {
        status = MLS_ERROR_MEMORY;
    }
    status = status == MLS_OK ? read_group_runs(kept, kept->group.result_folder) : status;
    status = status == MLS_OK && !finish_runs(kept, &kept->group) ? MLS_ERROR_MEMORY : status;
    status = status == MLS_OK ? score_read_runs(kept, error) : status;
    if (status == MLS_OK) {
        kept->there = index + 1;
        kept->verdicts[index] = kept_verdict_of(&kept->group);
        return MLS_OK;
    }
    if (status == MLS_ERROR_MEMORY) {
        mls_merge_lacks_memory(kept->merge);
    }
    const char *failure = mls_merge_failure(kept->merge);
    lose_group(kept);
    return failure != NULL ? mls_error_set(error, status, 0, 0, "%s", failure) : status;
}

bool mls_kept_verdict(const mls_kept_runs *kept, size_t index, bool strict, bool *well)
{
    *well = (kept->verdicts[index] & (strict ? VERDICT_WELL_STRICTLY : VERDICT_WELL)) != 0;
    return (kept->verdicts[index] & VERDICT_KNOWN) != 0;
}

const mls_group *mls_kept_group(mls_kept_runs *kept, size_t index)
{
    return mls_kept_load(kept, index, NULL) == MLS_OK ? &kept->group : &kept->lost;
}
