/* SPDX-License-Identifier: Apache-2.0 */
/* edition.c - the tables of editions and of benchmarks: reading them, finding and guessing among them.
 *
 * A member that nobody knows, or a value out of range, breaks the table: a benchmark that is added with a misspelt
 * member must not be scored by the usual rules without a word. */
#include "rules/edition.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/utf8.h"
#include "rules/benchmark.h"
#include "json/json_row.h"

typedef struct edition_list {
    mls_edition *items;
    size_t count;
    mls_benchmark_list benchmarks;
    mls_benchmark unknown; /* stands for a benchmark that is not in the table */
} edition_list;

struct mls_editions {
    mls_arena memory; /* holds everything the lists point to */
    edition_list usages[MLS_USAGE_COUNT];
};

static const char *const usage_names[MLS_USAGE_COUNT] = {"training", "hpc"};

const char *mls_usage_name(mls_usage usage)
{
    return usage_names[usage];
}

bool mls_usage_from_name(mls_str name, mls_usage *usage)
{
    return MLS_NAME_FIND(usage_names, MLS_USAGE_COUNT, name, usage);
}

mls_str mls_edition_round(const mls_edition *edition)
{
    const mls_str name = mls_str_from(edition->name);
    return (mls_str){name.ptr, name.len - (mls_str_ends(name, MLS_S(".0")) ? 2 : 0)};
}

bool mls_edition_number(mls_str text, unsigned *number)
{
    size_t parts[3] = {0, 0, 0};
    size_t count = 0;
    bool more = true;
    (void)mls_take_char(&text, "v");
    while (more && count < 3) {
        mls_str part;
        more = mls_str_cut(&text, '.', &part);
        if (part.len > (count == 0 ? 4 : 2) || !mls_size_parse(part, &parts[count++])) {
            return false;
        }
    }
    *number = (unsigned)MLS_EDITION_NUMBER(parts[0], parts[1], parts[2]);
    return !more && count > 1;
}

static mls_benchmark unknown_benchmark(mls_usage usage)
{
    return (mls_benchmark){.usage = usage,
                           .name = "",
                           .left_out = 1,
                           .counts = MLS_PROGRESS_EPOCHS,
                           .fid_max = NAN,
                           .clip_min = NAN,
                           .reference_points = true};
}

/* A row of the table: what is not read in its final form stands beside it; progress is counted from 1. */
typedef struct benchmark_row {
    mls_benchmark benchmark;
    uint64_t runs, left_out;
    unsigned counts, counted_before;
    const char *counted_until, *interval_since; /* editions */
} benchmark_row;

#define PROGRESS_WORDS "epoch_num samples_count step_num" /* in the order of mls_progress */
#define MEMBER(name, kind, member, words) MLS_MEMBER_OF(benchmark_row, name, kind, member, words)
static const mls_row_member benchmark_members[] = {
    MEMBER("runs", COUNT, runs, NULL),
    MEMBER("left_out", COUNT, left_out, NULL),
    MEMBER("counts", WORD, counts, PROGRESS_WORDS),
    MEMBER("counted_before.edition", TEXT, counted_until, NULL),
    MEMBER("counted_before.counts", WORD, counted_before, PROGRESS_WORDS),
    MEMBER("images.fid_most", NUMBER, benchmark.fid_max, NULL),
    MEMBER("images.clip_least", NUMBER, benchmark.clip_min, NULL),
    MEMBER("evaluation_interval.since", TEXT, interval_since, NULL),
    MEMBER("evaluation_interval.samples", NUMBER, benchmark.evaluation_interval, NULL),
    MEMBER("train_samples", BOOL, benchmark.train_samples, NULL),
    MEMBER("reference_points", BOOL, benchmark.reference_points, NULL),
};
enum { BENCHMARK_MEMBERS = sizeof benchmark_members / sizeof *benchmark_members };

/* Whether a member of a row is in the table above, and all that belongs into it is there. */
static bool is_known_member(const cJSON *json)
{
    bool known = false;
    for (size_t i = 0; i < BENCHMARK_MEMBERS; i++) {
        const mls_str path = mls_str_from(benchmark_members[i].name);
        const mls_str name = {path.ptr, strcspn(path.ptr, ".")};
        if (mls_str_equal(name, mls_str_from(json->string))) {
            const cJSON *value =
                name.len < path.len ? cJSON_GetObjectItemCaseSensitive(json, path.ptr + name.len + 1) : json;
            known = value != NULL && !cJSON_IsNull(value);
            if (!known) {
                break;
            }
        }
    }
    return known;
}

/* Completes the benchmark of a row, whose values are of the right kinds.  NULL, or what is out of range. */
static const char *complete_benchmark(benchmark_row *row)
{
    mls_benchmark *benchmark = &row->benchmark;
    benchmark->runs_needed = (unsigned)row->runs;
    benchmark->left_out = (unsigned)row->left_out;
    benchmark->counts = (mls_progress)(row->counts - (row->counts > 0));
    benchmark->counted_before = (mls_progress)(row->counted_before - (row->counted_before > 0));
    if (row->left_out < 1 || row->left_out > 100) {
        return "left_out";
    }
    if (row->runs > 1000 || row->runs <= 2 * row->left_out) {
        return "no runs are left to score";
    }
    if (benchmark->fid_max < 0 || benchmark->clip_min < 0) {
        return "images";
    }
    if (row->interval_since != NULL &&
        (!(benchmark->evaluation_interval >= 1) ||
         !mls_edition_number(mls_str_from(row->interval_since), &benchmark->evaluation_interval_since))) {
        return "evaluation_interval";
    }
    const bool counted =
        row->counted_until == NULL || mls_edition_number(mls_str_from(row->counted_until), &benchmark->counts_since);
    return counted ? NULL : "counted_before";
}

mls_status mls_benchmark_list_read(mls_benchmark_list *list, mls_usage usage, const cJSON *json, mls_arena *arena,
                                   mls_error *error)
{
    list->items = mls_arena_array(arena, (size_t)cJSON_GetArraySize(json), sizeof *list->items);
    if (list->items == NULL) {
        return mls_error_memory(error);
    }
    const cJSON *row;
    cJSON_ArrayForEach(row, json)
    {
        benchmark_row read = {.benchmark = unknown_benchmark(usage), .left_out = 1};
        mls_error why = {0};
        const char *wrong = NULL;
        for (const cJSON *member = row->child; member != NULL && wrong == NULL; member = member->next) {
            wrong = is_known_member(member) ? NULL : member->string;
        }
        read.benchmark.name = mls_arena_copy(arena, mls_str_from(row->string)).ptr;
        const mls_status status = mls_json_row_read(row, benchmark_members, BENCHMARK_MEMBERS, arena, &read, &why);
        if (status == MLS_ERROR_MEMORY || read.benchmark.name == NULL) {
            return mls_error_memory(error);
        }
        wrong = wrong != NULL ? wrong : status != MLS_OK ? why.message : complete_benchmark(&read);
        if (wrong != NULL) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of benchmarks is broken: %s: %s", row->string,
                                 wrong);
        }
        list->items[list->count++] = read.benchmark;
    }
    return MLS_OK;
}

static const mls_benchmark *find_benchmark(const mls_benchmark_list *list, mls_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (mls_str_equal(name, mls_str_from(list->items[i].name))) {
            return &list->items[i];
        }
    }
    return NULL;
}

const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name)
{
    const edition_list *list = &editions->usages[usage];
    const mls_benchmark *benchmark = find_benchmark(&list->benchmarks, name);
    return benchmark != NULL ? benchmark : &list->unknown;
}

mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number < benchmark->counts_since ? benchmark->counted_before : benchmark->counts;
}

double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number >= benchmark->evaluation_interval_since ? benchmark->evaluation_interval : 0;
}

/* "2025-10-31" to the end of that day in UTC, in milliseconds. */
static bool read_date(const cJSON *json, double *end_ms)
{
    struct tm day = {0};
    const char *end = cJSON_IsString(json) ? strptime(json->valuestring, "%Y-%m-%d", &day) : NULL;
    day.tm_mday++;
    *end_ms = (double)timegm(&day) * 1000;
    return end != NULL && *end == '\0';
}

static mls_status broken(mls_error *error, const char *what)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of editions is broken: %s", what);
}

static mls_status read_edition(mls_editions *editions, mls_edition *edition, const cJSON *json, mls_error *error)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "edition"));
    const cJSON *last_run = cJSON_GetObjectItemCaseSensitive(json, "last_run");
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(json, "benchmarks");
    if (name == NULL || !cJSON_IsArray(benchmarks)) {
        return broken(error, "an edition needs a name and benchmarks");
    }
    if (last_run != NULL && !read_date(last_run, &edition->last_run_ms)) {
        return broken(error, "last_run must be a date");
    }
    if (!mls_edition_number(mls_str_from(name), &edition->number)) {
        return broken(error, "an edition's name must be numbers such as 5.1.0");
    }
    const mls_benchmark **rows =
        mls_arena_array(&editions->memory, (size_t)cJSON_GetArraySize(benchmarks), sizeof *rows);
    edition->name = mls_arena_copy(&editions->memory, mls_str_from(name)).ptr;
    edition->benchmarks = rows;
    if (rows == NULL || edition->name == NULL) {
        return mls_error_memory(error);
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, benchmarks)
    {
        const mls_str benchmark = mls_str_from(cJSON_IsString(item) ? item->valuestring : "");
        const mls_benchmark *row = find_benchmark(&editions->usages[edition->usage].benchmarks, benchmark);
        if (row == NULL) {
            return broken(error, "benchmarks must be names that stand in the table of benchmarks");
        }
        rows[edition->benchmark_count++] = row;
    }
    return MLS_OK;
}

static mls_status read_usage(mls_editions *editions, mls_usage usage, const cJSON *json, mls_error *error)
{
    edition_list *list = &editions->usages[usage];
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(json, "editions");
    if (!cJSON_IsArray(items) || cJSON_GetArraySize(items) < 1) {
        return broken(error, "a usage needs editions");
    }
    if (cJSON_GetArraySize(items) > MLS_EDITIONS_MAX) {
        return broken(error, "a usage has too many editions");
    }
    list->items = mls_arena_array(&editions->memory, (size_t)cJSON_GetArraySize(items), sizeof *list->items);
    mls_status status = MLS_OK;
    if (list->items == NULL) {
        return mls_error_memory(error);
    }
    for (const cJSON *item = items->child; item != NULL && status == MLS_OK; item = item->next) {
        mls_edition *edition = &list->items[list->count++];
        *edition = (mls_edition){.usage = usage, .last_run_ms = INFINITY};
        status = read_edition(editions, edition, item, error);
    }
    return status;
}

mls_status mls_editions_load(mls_editions **editions, mls_error *error)
{
    mls_editions *loaded = mls_calloc(1, sizeof *loaded);
    cJSON *tables[] = {NULL, NULL};
    mls_status status = loaded != NULL ? MLS_OK : mls_error_memory(error);
    status = status == MLS_OK ? mls_json_data("benchmarks.json", &tables[0], error) : status;
    status = status == MLS_OK ? mls_json_data("editions.json", &tables[1], error) : status;
    for (size_t u = 0; u < MLS_USAGE_COUNT && status == MLS_OK && loaded != NULL; u++) {
        edition_list *list = &loaded->usages[u];
        const cJSON *parts[2];
        for (size_t i = 0; i < 2; i++) {
            parts[i] = cJSON_GetObjectItemCaseSensitive(tables[i], "usages");
            parts[i] = cJSON_GetObjectItemCaseSensitive(parts[i], usage_names[u]);
        }
        list->unknown = unknown_benchmark((mls_usage)u);
        status = mls_benchmark_list_read(&list->benchmarks, (mls_usage)u, parts[0], &loaded->memory, error);
        status = status == MLS_OK ? read_usage(loaded, (mls_usage)u, parts[1], error) : status;
    }
    cJSON_Delete(tables[0]);
    cJSON_Delete(tables[1]);
    if (status != MLS_OK) {
        mls_editions_free(loaded);
        loaded = NULL;
    }
    *editions = loaded;
    return status;
}

void mls_editions_free(mls_editions *editions)
{
    if (editions != NULL) {
        mls_arena_release(&editions->memory);
        free(editions);
    }
}

size_t mls_editions_count(const mls_editions *editions, mls_usage usage)
{
    return editions->usages[usage].count;
}

const mls_edition *mls_editions_get(const mls_editions *editions, mls_usage usage, size_t index)
{
    const edition_list *list = (size_t)usage < MLS_USAGE_COUNT ? &editions->usages[usage] : NULL;
    return list != NULL && index < list->count ? &list->items[index] : NULL;
}

mls_status mls_editions_find(const mls_editions *editions, mls_usage usage, mls_str text, const mls_edition **edition,
                             mls_error *error)
{
    const edition_list *list = &editions->usages[usage];
    unsigned wanted;
    const bool number = mls_edition_number(text, &wanted);
    for (size_t i = 0; i < list->count && number; i++) {
        if (list->items[i].number == wanted) {
            *edition = &list->items[i];
            return MLS_OK;
        }
    }
    *edition = NULL;
    if (number && usage == MLS_USAGE_TRAINING && wanted < list->items[0].number) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                             "edition 0.%u has another log format, which mlscore does not read; "
                             "the oldest edition it knows is %s",
                             wanted / 100, list->items[0].name);
    }
    mls_buffer known = {0};
    for (size_t i = 0; i < list->count; i++) {
        mls_buffer_printf(&known, "%s%s", i > 0 ? ", " : "", list->items[i].name);
    }
    const mls_status status =
        mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "no edition '%.*s' of %s; there are %s", MLS_CUT(text, 40),
                      usage_names[usage], known.ptr != NULL ? known.ptr : "none");
    mls_buffer_release(&known);
    return status;
}

bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark)
{
    for (size_t i = 0; i < edition->benchmark_count; i++) {
        if (mls_str_equal(benchmark, mls_str_from(edition->benchmarks[i]->name))) {
            return true;
        }
    }
    return false;
}

/* The first edition with the benchmark from the one at `at` on, upwards or downwards; NULL: none has it. */
static const mls_edition *search(const edition_list *list, ptrdiff_t at, int step, mls_str benchmark)
{
    while (at >= 0 && at < (ptrdiff_t)list->count && !mls_edition_has_benchmark(&list->items[at], benchmark)) {
        at += step;
    }
    return at >= 0 && at < (ptrdiff_t)list->count ? &list->items[at] : NULL;
}

const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark)
{
    const edition_list *list = &editions->usages[usage];
    size_t at = mls_time_is_date(time_ms) ? 0 : list->count - 1;
    while (at + 1 < list->count && time_ms >= list->items[at].last_run_ms) {
        at++;
    }
    const mls_edition *edition = search(list, (ptrdiff_t)at, 1, benchmark);
    edition = edition != NULL ? edition : search(list, (ptrdiff_t)at, -1, benchmark);
    return edition != NULL ? edition : &list->items[at];
}

void mls_edition_poll_add(mls_edition_poll *poll, const mls_editions *editions, mls_usage usage, double time_ms,
                          mls_str benchmark)
{
    const edition_list *list = &editions->usages[usage];
    if (mls_time_is_date(time_ms)) {
        poll->dated[mls_editions_guess(editions, usage, time_ms, MLS_S("")) - list->items]++;
    }
    for (size_t i = 0; i < list->count; i++) {
        poll->known[i] += mls_edition_has_benchmark(&list->items[i], benchmark);
    }
}

void mls_edition_poll_sum(mls_edition_poll *poll, const mls_edition_poll *more)
{
    for (size_t i = 0; i < MLS_EDITIONS_MAX; i++) {
        poll->dated[i] += more->dated[i];
        poll->known[i] += more->known[i];
    }
}

const mls_edition *mls_edition_poll_winner(const mls_edition_poll *poll, const mls_editions *editions, mls_usage usage,
                                           bool *by_date)
{
    const edition_list *list = &editions->usages[usage];
    size_t winner = list->count - 1;
    for (size_t i = list->count; i-- > 0;) {
        winner = poll->dated[i] > poll->dated[winner] ? i : winner;
    }
    *by_date = poll->dated[winner] > 0;
    for (size_t i = winner + 1; i < list->count; i++) {
        winner = poll->known[i] > poll->known[winner] ? i : winner;
    }
    for (size_t i = winner; i-- > 0 && poll->known[winner] == 0;) {
        winner = poll->known[i] > 0 ? i : winner;
    }
    return &list->items[winner];
}

const mls_edition *mls_editions_neighbour(const mls_editions *editions, const mls_edition *edition, mls_str benchmark,
                                          int step)
{
    const edition_list *list = &editions->usages[edition->usage];
    return search(list, edition - list->items + step, step, benchmark);
}

const mls_edition *mls_editions_newest_with(const mls_editions *editions, mls_usage usage, mls_str benchmark)
{
    const edition_list *list = &editions->usages[usage];
    return search(list, (ptrdiff_t)list->count - 1, -1, benchmark);
}

mls_usage mls_editions_usage_of(const mls_editions *editions, mls_usage usage, mls_str benchmark)
{
    if (mls_editions_newest_with(editions, usage, benchmark) == NULL) {
        for (int other = 0; other < MLS_USAGE_COUNT; other++) {
            if (mls_editions_newest_with(editions, (mls_usage)other, benchmark) != NULL) {
                return (mls_usage)other;
            }
        }
    }
    return usage;
}

const char *mls_benchmark_called(const char *name)
{
    return strcasecmp(name, "dlrm_v4_hstu") == 0 || strcasecmp(name, "dlrm-v4-hstu") == 0 ? "dlrmv4" : name;
}

/* Whether a benchmark's name begins so, signs and case aside: llama2-70b. */
static bool begins_so(const char *benchmark, mls_str name)
{
    static const char signs[] = "_-. ";
    size_t letters = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (memchr(signs, name.ptr[i], sizeof signs - 1) != NULL) {
            continue;
        }
        benchmark += strspn(benchmark, signs);
        if (tolower((unsigned char)name.ptr[i]) != tolower((unsigned char)*benchmark)) {
            return false;
        }
        benchmark++;
        letters++;
    }
    return letters > 2;
}

mls_nearest mls_editions_nearest_benchmark(const mls_editions *editions, mls_usage usage, mls_str name)
{
    mls_nearest nearest = mls_nearest_to(name);
    for (size_t i = mls_editions_count(editions, usage); i-- > 0;) {
        const mls_edition *edition = mls_editions_get(editions, usage, i);
        for (size_t b = 0; b < edition->benchmark_count; b++) {
            const char *full = edition->benchmarks[b]->name;
            if (begins_so(full, name)) { /* none is meant where it is called so */
                nearest.found = mls_str_from(mls_str_equal(name, mls_str_from(full)) ? NULL : full);
                return nearest;
            }
            mls_nearest_offer(&nearest, mls_str_from(full));
            mls_nearest_offer(&nearest, (mls_str){full, strcspn(full, "_")}); /* llama2 */
        }
    }
    nearest.found = mls_str_from(nearest.found.ptr);
    return nearest;
}
