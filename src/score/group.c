/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - which runs are a group, by what they logged, and from the runs of a
 * group to its score: what they agree on, the olympic mean and how far they lie
 * apart.  The checks are in group_checks.c.
 */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/locale.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"

const char *mls_division_name(mls_division division)
{
    return division == MLS_DIVISION_CLOSED ? "closed" : division == MLS_DIVISION_OPEN ? "open" : NULL;
}

mls_division mls_division_logged(const char *text)
{
    return text == NULL                      ? MLS_DIVISION_NONE
           : strcasecmp(text, "closed") == 0 ? MLS_DIVISION_CLOSED
           : strcasecmp(text, "open") == 0   ? MLS_DIVISION_OPEN
                                             : MLS_DIVISION_OTHER;
}

mls_division mls_division_described(const char *text)
{
    const mls_division division = mls_division_logged(text);
    const char *name = mls_division_name(division);
    return name != NULL && strcmp(text, name) == 0 ? division : MLS_DIVISION_OTHER;
}

/* Divisions that mean the same are one, however they are spelled; NULL: none is logged. */
static const char *run_division(const mls_run *run)
{
    const char *name = mls_division_name(mls_division_logged(run->division));
    return name != NULL ? name : run->division;
}

/* ------------------------------------------------ what the runs agree on */

enum { NUMBER_SIZE = 32 };

/* What a run says of something that all runs of a group should say alike, perhaps in `number`; NULL: nothing. */
typedef const char *(*run_says)(const mls_run *run, char number[NUMBER_SIZE]);

static const char *says_benchmark(const mls_run *run, char number[NUMBER_SIZE])
{
    (void)number;
    return run->benchmark;
}

static const char *says_division(const mls_run *run, char number[NUMBER_SIZE])
{
    (void)number;
    return run_division(run);
}

static const char *says_config(const mls_run *run, char number[NUMBER_SIZE])
{
    (void)number;
    return mls_run_config(run);
}

static const char *says_batch_size(const mls_run *run, char number[NUMBER_SIZE])
{
    (void)mls_text_printf(number, NUMBER_SIZE, "%.15g", run->global_batch_size);
    return isnan(run->global_batch_size) ? NULL : number;
}

/* The first run that says something, when all that do agree with it; NULL with a finding when two differ. */
static const mls_run *agreement(mls_group *group, run_says says, const char *what)
{
    const mls_run *first = NULL;
    const char *said = NULL;
    char numbers[2][NUMBER_SIZE];
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const char *text = says(run, numbers[first != NULL]);
        if (text == NULL || text[0] == '\0') {
            continue;
        }
        if (first == NULL) {
            first = run;
            said = text;
        } else if (strcmp(said, text) != 0) {
            mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP, (mls_finding_place){.key = mls_str_from(what)},
                             "%s differs: %s in %s, %s in %s", what, said, mls_path_name(first->file), text,
                             mls_path_name(run->file));
            return NULL;
        }
    }
    return first;
}

/*
 * The folder of a result names its benchmark (the compliance checker goes by
 * it too), unless nobody knows a benchmark of that name; else the logs do.
 */
static const char *benchmark_of(mls_group *group, const mls_editions *editions)
{
    const mls_run *run = agreement(group, says_benchmark, "submission_benchmark");
    if (group->result_folder && group->path != NULL) {
        const char *folder = mls_path_name(group->path);
        if (mls_benchmark_find(editions, group->usage, mls_str_from(folder))->runs_needed > 0) {
            return folder;
        }
    }
    return run != NULL ? run->benchmark : NULL;
}

/* Copies a text that may be NULL; false when memory runs out. */
static bool set_text(char **member, const char *text)
{
    *member = text != NULL ? mls_copy_text(text, strlen(text)) : NULL;
    return text == NULL || *member != NULL;
}

static bool identify(mls_group *group, const mls_editions *editions)
{
    const mls_run *division = agreement(group, says_division, "submission_division");
    const mls_run *config = agreement(group, says_config, "DGXSYSTEM");
    const char *benchmark = benchmark_of(group, editions);
    const mls_run *batch_size = agreement(group, says_batch_size, "global_batch_size");
    group->division = mls_division_logged(division != NULL ? division->division : NULL);
    group->global_batch_size = batch_size != NULL ? batch_size->global_batch_size : (double)NAN;
    group->rules = mls_benchmark_find(editions, group->usage, mls_str_from(benchmark));
    if (group->edition == NULL) {
        double first_ms = NAN; /* as it is in a file without records */
        for (size_t i = 0; i < group->run_count; i++) {
            first_ms = fmin(first_ms, group->runs[i]->first_ms);
        }
        group->edition = mls_editions_guess(editions, group->usage, first_ms, mls_str_from(benchmark));
        group->edition_guessed = true;
    }
    return set_text(&group->config, config != NULL ? mls_run_config(config) : NULL) &&
           set_text(&group->benchmark, benchmark);
}

/* -------------------------------------------------------------- the score */

static mls_status olympic(mls_group *group, bool select_window)
{
    const mls_olympic_rules rules = {group->rules->runs_needed, group->rules->left_out, select_window};
    mls_olympic_run *runs = calloc(group->run_count + 1, sizeof *runs);
    group->marks = calloc(group->run_count + 1, sizeof *group->marks);
    mls_status status = runs != NULL && group->marks != NULL ? MLS_OK : MLS_ERROR_MEMORY;
    if (status == MLS_OK) {
        for (size_t i = 0; i < group->run_count; i++) {
            const mls_run *run = group->runs[i];
            runs[i] = (mls_olympic_run){run->run_start.time_ms, mls_run_minutes(run), run->valid};
        }
        status = mls_olympic_score(runs, group->run_count, &rules, group->marks, &group->score);
    }
    free(runs);
    return status;
}

/* How far the valid runs lie apart; with a window, only its own. */
static mls_status measure_spread(mls_group *group)
{
    double *minutes = calloc(group->run_count + 1, sizeof *minutes);
    size_t count = 0;
    if (minutes == NULL) {
        return MLS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < group->run_count; i++) {
        const double one = mls_run_minutes(group->runs[i]);
        if (group->runs[i]->valid && isfinite(one) && group->marks[i] != MLS_OLYMPIC_OUTSIDE) {
            minutes[count++] = one;
        }
    }
    group->has_spread = count >= 2;
    if (group->has_spread) {
        mls_sort_doubles(minutes, count);
        group->spread = (mls_spread){minutes[0], minutes[count - 1], mls_mean(minutes, count),
                                     mls_stdev_population(minutes, count), 0};
        if (group->spread.mean_minutes > 0) {
            group->spread.variation = group->spread.stdev_minutes / group->spread.mean_minutes;
        }
    }
    free(minutes);
    return MLS_OK;
}

static void check_run_count(mls_group *group)
{
    const size_t needed = group->rules->runs_needed;
    const bool weak = group->weak.check != MLS_CHECK_NOT_MADE;
    const size_t made = weak ? group->weak.models : group->run_count;
    const mls_finding_place place = {0};
    if (made < needed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         weak ? "%zu valid runs of the at least %zu that weak scaling of %s needs"
                              : "%zu of the %zu runs that %s needs",
                         made, needed, group->benchmark);
    } else if (!weak && needed > 0 && made > needed && !group->score.windowed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         "%zu runs, %s needs %zu: --window selects the ones to submit", made, group->benchmark, needed);
    }
}

mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error)
{
    mls_status status = identify(group, options->editions) ? MLS_OK : MLS_ERROR_MEMORY;
    if (status == MLS_OK) {
        mls_group_check_weak(group);
        status = olympic(group, options->select_window);
    }
    if (status == MLS_OK) {
        status = measure_spread(group);
    }
    if (status == MLS_OK) {
        check_run_count(group);
        status = mls_group_check_rcp(group, options, error);
    }
    if (status == MLS_OK) {
        status = mls_group_check_seeds(group, options);
    }
    mls_group_check_config(group);
    mls_group_energy(group);
    return status != MLS_OK || !group->findings.out_of_memory ? status : MLS_ERROR_MEMORY;
}

void mls_group_release(mls_group *group)
{
    free(group->path);
    free(group->benchmark);
    free(group->config);
    free((void *)group->runs);
    free(group->marks);
    free(group->power.joules);
    mls_rcp_set_free(group->rcp.set);
    mls_findings_release(&group->rcp.findings);
    mls_findings_release(&group->seeds.findings);
    mls_findings_release(&group->findings);
    *group = (mls_group){0};
}

/* ------------------------------------------------ which runs are a group */

/* What the runs of a group agree on; NULL or NAN while none of them has logged it. */
typedef struct group_key {
    const char *benchmark;
    const char *division;
    const char *config;
    double batch_size;
    mls_str folder; /* of result files only */
    bool result;
} group_key;

/* With more groups than this, a run with gaps is not compared with each of them: nobody could tell where it belongs. */
enum { MLS_GROUPS_GUESSED = 1000 };

typedef struct grouped_runs {
    mls_group *groups;
    group_key *keys; /* one per group */
    size_t count;
    size_t capacity;
    size_t key_capacity;
    mls_map by_key;   /* the number of a key's group */
    mls_arena arena;  /* of the map */
    mls_buffer bytes; /* scratch */
} grouped_runs;

static mls_str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return MLS_S(".");
    }
    return (mls_str){path, slash > path ? (size_t)(slash - path) : 1};
}

static group_key group_key_of(const mls_run *run)
{
    return (group_key){.benchmark = run->benchmark,
                       .division = run_division(run),
                       .config = mls_run_config(run),
                       .batch_size = run->global_batch_size,
                       .folder = folder_of(run->file),
                       .result = run->result};
}

static bool text_agrees(const char *a, const char *b)
{
    return a == NULL || b == NULL || strcmp(a, b) == 0;
}

/* Whether everything both have logged is the same. */
static bool key_agrees(const group_key *a, const group_key *b)
{
    return !a->result && !b->result && text_agrees(a->benchmark, b->benchmark) &&
           text_agrees(a->division, b->division) && text_agrees(a->config, b->config) &&
           (isnan(a->batch_size) || isnan(b->batch_size) || a->batch_size == b->batch_size);
}

static bool key_complete(const group_key *key)
{
    return key->result || (key->benchmark != NULL && key->division != NULL && !isnan(key->batch_size));
}

/* The part of the path that two files' folders have in common, whole names only. */
static mls_str common_folder(mls_str a, mls_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same]) {
        same++;
    }
    if ((same == a.len && (same == b.len || b.ptr[same] == '/')) || (same == b.len && a.ptr[same] == '/')) {
        return (mls_str){a.ptr, same};
    }
    while (same > 0 && a.ptr[same - 1] != '/') {
        same--;
    }
    return same > 1 ? (mls_str){a.ptr, same - 1} : same == 1 ? (mls_str){a.ptr, 1} : MLS_S(".");
}

/* What equal keys have in common as bytes, each text ended by a NUL; one that is missing is told from an empty one. */
static mls_str key_bytes(const group_key *key, mls_buffer *bytes)
{
    const char *const texts[] = {key->benchmark, key->division, key->config};
    mls_buffer_clear(bytes);
    mls_buffer_append_char(bytes, key->result ? 'r' : 'g');
    if (key->result) {
        mls_buffer_append(bytes, key->folder);
        return mls_buffer_str(bytes);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mls_buffer_append_text(bytes, texts[i] != NULL ? "=" : "-");
        mls_buffer_append_text(bytes, texts[i] != NULL ? texts[i] : "");
        mls_buffer_append_char(bytes, '\0');
    }
    /* 0.0 and -0.0 are equal, and so are all numbers that are none. */
    mls_number_append(bytes, key->batch_size == 0 ? 0 : key->batch_size);
    return mls_buffer_str(bytes);
}

/*
 * The only group a run with gaps can belong to: one that agrees and has a run
 * of the same folder, else one that agrees; NULL when there are none or two.
 */
static mls_group *guess_group(grouped_runs *grouping, const group_key *key)
{
    mls_group *found[2] = {NULL, NULL}; /* of the same folder, of any */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->count && grouping->count <= MLS_GROUPS_GUESSED; i++) {
        if (key_agrees(&grouping->keys[i], key)) {
            for (size_t k = mls_str_equal(grouping->keys[i].folder, key->folder) ? 0 : 1; k < 2; k++) {
                found[k] = &grouping->groups[i];
                counts[k]++;
            }
        }
    }
    return counts[0] == 1 ? found[0] : counts[1] == 1 ? found[1] : NULL;
}

/* The run's group: that of its key, the one it can only belong to when it has gaps, or a new one. */
static bool take_run(grouped_runs *grouping, const group_key *key, const mls_run *run, bool gaps)
{
    const mls_str bytes = key_bytes(key, &grouping->bytes);
    const mls_map_entry *known = mls_map_find(&grouping->by_key, bytes);
    mls_group *group = known != NULL ? &grouping->groups[known->value.number] : NULL;
    if (group == NULL && gaps) {
        group = guess_group(grouping, key);
    }
    if (group == NULL) {
        mls_map_entry *entry = mls_map_put(&grouping->by_key, bytes, NULL);
        if (entry == NULL || grouping->bytes.failed ||
            !mls_grow((void **)&grouping->groups, grouping->count, &grouping->capacity, sizeof *grouping->groups) ||
            !mls_grow((void **)&grouping->keys, grouping->count, &grouping->key_capacity, sizeof *grouping->keys)) {
            return false;
        }
        entry->value.number = grouping->count;
        group = &grouping->groups[grouping->count];
        *group = (mls_group){.result_folder = key->result};
        grouping->keys[grouping->count++] = *key;
    }
    if (!mls_grow((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs)) {
        return false;
    }
    group->runs[group->run_count++] = run;
    return true;
}

static int compare_runs(const void *a, const void *b)
{
    const mls_run *const *x = a;
    const mls_run *const *y = b;
    const int order = mls_str_compare_natural(mls_str_from((*x)->file), mls_str_from((*y)->file));
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* A run that joined late stands where its file's name puts it. */
static bool close_group(mls_group *group)
{
    qsort((void *)group->runs, group->run_count, sizeof *group->runs, compare_runs);
    const char *file = group->runs[0]->file;
    bool one_file = !group->result_folder;
    mls_str common = folder_of(file);
    for (size_t i = 1; i < group->run_count; i++) {
        one_file = one_file && strcmp(group->runs[i]->file, file) == 0;
        common = common_folder(common, folder_of(group->runs[i]->file));
    }
    group->path = one_file ? mls_copy_text(file, strlen(file)) : mls_copy_text(common.ptr, common.len);
    return group->path != NULL;
}

static int compare_groups(const void *a, const void *b)
{
    const mls_group *x = a;
    const mls_group *y = b;
    return compare_runs((const void *)&x->runs[0], (const void *)&y->runs[0]);
}

mls_status mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    grouped_runs grouping = {0};
    grouping.by_key.arena = &grouping.arena;
    bool ok = true;
    for (int gaps = 0; gaps < 2; gaps++) {
        for (size_t i = 0; i < run_count && ok; i++) {
            const group_key key = group_key_of(&runs[i]);
            if (key_complete(&key) == (gaps == 0)) {
                ok = take_run(&grouping, &key, &runs[i], gaps == 1);
            }
        }
    }
    for (size_t i = 0; i < grouping.count && ok; i++) {
        ok = close_group(&grouping.groups[i]);
    }
    if (ok && grouping.count > 1) {
        qsort(grouping.groups, grouping.count, sizeof *grouping.groups, compare_groups);
    }
    free(grouping.keys);
    mls_arena_release(&grouping.arena);
    mls_buffer_release(&grouping.bytes);
    *groups = grouping.groups;
    *count = grouping.count;
    return ok ? MLS_OK : MLS_ERROR_MEMORY;
}
