/* SPDX-License-Identifier: Apache-2.0 */
/* edition.c - load the tables of editions and benchmarks, find editions and benchmarks by name, and guess the edition
 * of a log. */
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
#include "json/json_row.h"

typedef struct edition_list {
    mls_edition *items;
    size_t count;
    mls_benchmark *benchmarks;
    size_t benchmark_count;
    mls_benchmark unknown; /* the row that is returned for a benchmark that is not in the table */
} edition_list;

struct mls_editions {
    mls_arena memory; /* memory of the lists below */
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
        if (part.len > (count == 0 ? 4 : 2) || !mls_size_parse(part, &parts[count++]))
            return false;
    }
    *number = (unsigned)MLS_EDITION_NUMBER(parts[0], parts[1], parts[2]);
    return !more && count > 1;
}

/* A row of the table of benchmarks: an mls_benchmark, and members that are converted after reading.  `counts` and
 * `counted_before` are an mls_progress plus 1. */
typedef struct benchmark_row {
    mls_benchmark benchmark;
    uint64_t runs, left_out, runs_before, left_out_before;
    unsigned counts, counted_before;
    const char *runs_until, *counted_until, *interval_since; /* names of editions */
} benchmark_row;

#define PROGRESS_WORDS "epoch_num samples_count step_num" /* in the order of mls_progress */
#define MEMBER(name, kind, member, words) MLS_MEMBER_OF(benchmark_row, name, kind, member, words)
static const mls_row_member benchmark_members[] = {
    MEMBER("", TEXT, benchmark.name, NULL),
    MEMBER("runs", COUNT, runs, NULL),
    MEMBER("left_out", COUNT, left_out, NULL),
    MEMBER("runs_before.edition", TEXT, runs_until, NULL),
    MEMBER("runs_before.runs", COUNT, runs_before, NULL),
    MEMBER("runs_before.left_out", COUNT, left_out_before, NULL),
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

const mls_benchmark *mls_benchmark_find(const mls_editions *editions, mls_usage usage, mls_str name)
{
    const edition_list *list = &editions->usages[usage];
    size_t i = 0;
    while (i < list->benchmark_count && !mls_str_equal(name, mls_str_from(list->benchmarks[i].name)))
        i++;
    return i < list->benchmark_count ? &list->benchmarks[i] : &list->unknown;
}

const mls_benchmark *mls_benchmark_in(const mls_benchmark *benchmark, unsigned edition)
{
    return edition < benchmark->runs_since ? benchmark->before : benchmark;
}

mls_progress mls_benchmark_counts(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number < benchmark->counts_since ? benchmark->counted_before : benchmark->counts;
}

double mls_benchmark_evaluation_interval(const mls_benchmark *benchmark, const mls_edition *edition)
{
    return edition->number >= benchmark->evaluation_interval_since ? benchmark->evaluation_interval : 0;
}

/* Read the advice of an edition.  Return false if an occasion is unknown or repeated, or a text is missing. */
static bool read_advice(mls_editions *editions, const cJSON *rows, mls_edition *edition)
{
    static const char *const occasions[] = {"missing_point", "failed_convergence", "upload"};
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        const char *on = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "on"));
        const char *says = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "says"));
        const char *source = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "source"));
        size_t i = 0;
        while (i < MLS_ADVICE_COUNT && (on == NULL || strcmp(occasions[i], on) != 0))
            i++;
        if (i == MLS_ADVICE_COUNT || says == NULL || source == NULL || edition->advice[i].says != NULL)
            return false;
        edition->advice[i] = (mls_edition_advice){mls_arena_copy(&editions->memory, mls_str_from(says)).ptr,
                                                  mls_arena_copy(&editions->memory, mls_str_from(source)).ptr};
    }
    return true;
}

static mls_status read_editions(mls_editions *editions, mls_usage usage, const cJSON *json, mls_error *error)
{
    edition_list *list = &editions->usages[usage];
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(json, "editions");
    const size_t count = (size_t)cJSON_GetArraySize(items);
    const char *wrong = count < 1 || count > MLS_EDITIONS_MAX ? "a usage needs 1 to 64 editions" : NULL;
    const cJSON *item;
    const cJSON *name;
    list->items = mls_arena_zeroed(&editions->memory, count, sizeof *list->items);
    cJSON_ArrayForEach(item, items)
    {
        if (wrong != NULL)
            break;
        mls_edition *edition = &list->items[list->count++];
        const char *last_run = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "last_run"));
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "edition"));
        const cJSON *names = cJSON_GetObjectItemCaseSensitive(item, "benchmarks");
        const mls_benchmark **rows =
            mls_arena_array(&editions->memory, (size_t)cJSON_GetArraySize(names), sizeof *rows);
        struct tm day = {0};
        *edition = (mls_edition){.usage = usage,
                                 .name = mls_arena_copy(&editions->memory, mls_str_from(text)).ptr,
                                 .last_run_ms = INFINITY,
                                 .benchmarks = rows};
        if (!mls_edition_number(mls_str_from(edition->name), &edition->number))
            wrong = "an edition's name must be numbers such as 5.1.0";
        if (!read_advice(editions, cJSON_GetObjectItemCaseSensitive(item, "advice"), edition))
            wrong = "a row of advice needs on (missing_point, failed_convergence or upload), says and source";
        if (last_run != NULL && strptime(last_run, "%Y-%m-%d", &day) == NULL)
            wrong = "last_run must be a date";
        day.tm_mday++; /* midnight UTC after the last day of runs */
        if (last_run != NULL)
            edition->last_run_ms = (double)timegm(&day) * 1000;
        cJSON_ArrayForEach(name, names)
        {
            const mls_benchmark *row = mls_benchmark_find(editions, usage, mls_str_from(cJSON_GetStringValue(name)));
            if (row == &list->unknown)
                wrong = "benchmarks must be names that are in the table of benchmarks";
            rows[edition->benchmark_count++] = mls_benchmark_in(row, edition->number);
        }
    }
    return wrong == NULL ? MLS_OK : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "invalid table of editions: %s", wrong);
}

mls_status mls_editions_load(mls_editions **editions, mls_error *error)
{
    mls_editions *loaded = mls_calloc(1, sizeof *loaded);
    cJSON *tables[] = {NULL, NULL};
    mls_status status = mls_json_data("benchmarks.json", &tables[0], error);
    status = status == MLS_OK ? mls_json_data("editions.json", &tables[1], error) : status;
    for (size_t u = 0; u < MLS_USAGE_COUNT && status == MLS_OK; u++) {
        edition_list *list = &loaded->usages[u];
        const cJSON *parts[2];
        const cJSON *item;
        for (size_t i = 0; i < 2; i++) {
            parts[i] = cJSON_GetObjectItemCaseSensitive(tables[i], "usages");
            parts[i] = cJSON_GetObjectItemCaseSensitive(parts[i], usage_names[u]);
        }
        list->unknown = (mls_benchmark){.usage = (mls_usage)u,
                                        .name = "",
                                        .left_out = 1,
                                        .counts = MLS_PROGRESS_EPOCHS,
                                        .fid_max = NAN,
                                        .clip_min = NAN,
                                        .reference_points = true};
        list->benchmarks =
            mls_arena_array(&loaded->memory, (size_t)cJSON_GetArraySize(parts[0]), sizeof *list->benchmarks);
        cJSON_ArrayForEach(item, parts[0])
        {
            benchmark_row row = {.benchmark = list->unknown, .left_out = list->unknown.left_out, .left_out_before = 1};
            mls_benchmark *benchmark = &list->benchmarks[list->benchmark_count++];
            if (status == MLS_OK) {
                status =
                    mls_json_row_read(item, benchmark_members, sizeof benchmark_members / sizeof *benchmark_members,
                                      &loaded->memory, &row, error);
            }
            *benchmark = row.benchmark;
            benchmark->runs_needed = (unsigned)row.runs;
            benchmark->left_out = (unsigned)row.left_out;
            benchmark->counts = (mls_progress)(row.counts - (row.counts > 0));
            benchmark->counted_before = (mls_progress)(row.counted_before - (row.counted_before > 0));
            (void)mls_edition_number(mls_str_from(row.interval_since), &benchmark->evaluation_interval_since);
            (void)mls_edition_number(mls_str_from(row.counted_until), &benchmark->counts_since);
            if (row.runs_until != NULL) {
                if (status == MLS_OK && (!mls_edition_number(mls_str_from(row.runs_until), &benchmark->runs_since) ||
                                         row.runs_before == 0)) {
                    status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0,
                                           "src/data/benchmarks.json: runs_before of %s needs edition and runs",
                                           benchmark->name);
                }
                mls_benchmark *before = mls_arena_array(&loaded->memory, 1, sizeof *before);
                *before = *benchmark;
                before->runs_needed = (unsigned)row.runs_before;
                before->left_out = (unsigned)row.left_out_before;
                before->runs_since = 0;
                benchmark->before = before;
            }
        }
        status = status == MLS_OK ? read_editions(loaded, (mls_usage)u, parts[1], error) : status;
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
                             "round '0.%u' is not supported because its log format differs; "
                             "the oldest supported round is %s",
                             wanted / 100, list->items[0].name);
    }
    mls_buffer known = {0};
    for (size_t i = 0; i < list->count; i++)
        mls_buffer_printf(&known, "%s%s", i > 0 ? ", " : "", list->items[i].name);
    const mls_status status =
        mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "unknown round '%.*s' of %s; expected one of %s",
                      MLS_CUT(text, 40), usage_names[usage], known.ptr);
    mls_buffer_release(&known);
    return status;
}

bool mls_edition_has_benchmark(const mls_edition *edition, mls_str benchmark)
{
    for (size_t i = 0; i < edition->benchmark_count; i++)
        if (mls_str_equal(benchmark, mls_str_from(edition->benchmarks[i]->name)))
            return true;
    return false;
}

/* Return the first edition with the benchmark, from index `at` on in steps of `step`, which is 1 or -1; NULL if no
 * edition has it. */
static const mls_edition *search(const edition_list *list, ptrdiff_t at, int step, mls_str benchmark)
{
    while (at >= 0 && at < (ptrdiff_t)list->count && !mls_edition_has_benchmark(&list->items[at], benchmark))
        at += step;
    return at >= 0 && at < (ptrdiff_t)list->count ? &list->items[at] : NULL;
}

const mls_edition *mls_editions_guess(const mls_editions *editions, mls_usage usage, double time_ms, mls_str benchmark)
{
    const edition_list *list = &editions->usages[usage];
    size_t at = mls_time_is_date(time_ms) ? 0 : list->count - 1;
    while (at + 1 < list->count && time_ms >= list->items[at].last_run_ms)
        at++;
    const mls_edition *edition = search(list, (ptrdiff_t)at, 1, benchmark);
    edition = edition != NULL ? edition : search(list, (ptrdiff_t)at, -1, benchmark);
    return edition != NULL ? edition : &list->items[at];
}

void mls_edition_poll_add(mls_edition_poll *poll, const mls_editions *editions, mls_usage usage, double time_ms,
                          mls_str benchmark)
{
    const edition_list *list = &editions->usages[usage];
    if (mls_time_is_date(time_ms))
        poll->dated[mls_editions_guess(editions, usage, time_ms, MLS_S("")) - list->items]++;
    for (size_t i = 0; i < list->count; i++)
        poll->known[i] += mls_edition_has_benchmark(&list->items[i], benchmark);
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
    for (size_t i = list->count; i-- > 0;)
        winner = poll->dated[i] > poll->dated[winner] ? i : winner;
    *by_date = poll->dated[winner] > 0;
    for (size_t i = winner + 1; i < list->count; i++)
        winner = poll->known[i] > poll->known[winner] ? i : winner;
    for (size_t i = winner; i-- > 0 && poll->known[winner] == 0;)
        winner = poll->known[i] > 0 ? i : winner;
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
        for (int other = 0; other < MLS_USAGE_COUNT; other++)
            if (mls_editions_newest_with(editions, (mls_usage)other, benchmark) != NULL)
                return (mls_usage)other;
    }
    return usage;
}

const char *mls_benchmark_called(const char *name)
{
    return strcasecmp(name, "dlrm_v4_hstu") == 0 || strcasecmp(name, "dlrm-v4-hstu") == 0 ? "dlrmv4" : name;
}

mls_suggestion mls_editions_nearest_benchmark(const mls_editions *editions, mls_usage usage, mls_str name)
{
    static const char signs[] = "_-. ";
    mls_suggestion nearest = mls_suggest_for(name);
    for (size_t i = mls_editions_count(editions, usage); i-- > 0;) {
        const mls_edition *edition = mls_editions_get(editions, usage, i);
        for (size_t b = 0; b < edition->benchmark_count; b++) {
            const char *full = edition->benchmarks[b]->name;
            const char *at = full;
            /* Number of letters of `name` that `full` begins with, ignoring punctuation and case: llama2-70b. */
            size_t letters = 0;
            bool begins = true;
            for (size_t c = 0; c < name.len && begins; c++) {
                if (memchr(signs, name.ptr[c], sizeof signs - 1) != NULL)
                    continue;
                at += strspn(at, signs);
                begins = tolower((unsigned char)name.ptr[c]) == tolower((unsigned char)*at++);
                letters++;
            }
            if (begins && letters > 2) { /* if the name is exact, suggest nothing */
                nearest.found = mls_str_from(mls_str_equal(name, mls_str_from(full)) ? NULL : full);
                return nearest;
            }
            mls_suggest_add(&nearest, mls_str_from(full));
            mls_suggest_add(&nearest, (mls_str){full, strcspn(full, "_")}); /* llama2 */
        }
    }
    nearest.found = mls_str_from(nearest.found.ptr);
    return nearest;
}
