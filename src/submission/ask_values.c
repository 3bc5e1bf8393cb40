/* SPDX-License-Identifier: Apache-2.0 */
/* ask_values.c - questions about hyperparameters that differ between runs of a result, that the rules fix, and about
 * the evaluation schedule. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "rules/demands.h"
#include "submission/judge.h"

/* ------------------------------------------------------------------------------------------------ logged values */

/* A logged value and the number of runs with it.  Text that is a number counts as that number. */
typedef struct logged_value {
    mls_str text; /* as JSON */
    double number;
    size_t runs;
} logged_value;
typedef MLS_LIST_OF(logged_value) logged_values;

static double number_of(mls_str json)
{
    double number = (double)NAN;
    if (mls_json_kind_of(json) == MLS_JSON_STRING)
        (void)mls_number_parse((mls_str){json.ptr + 1, json.len - 2}, &number);
    else if (mls_json_kind_of(json) == MLS_JSON_NUMBER)
        (void)mls_json_number(json, &number);
    return number;
}

/* Return the value that a run logged for a key; NAN: none, or not a number. */
static double logged_number(void *run, mls_str key)
{
    const char *value = mls_run_hyperparameter(run, key);
    return value != NULL ? number_of(mls_str_from(value)) : (double)NAN;
}

/* Count a run's value among those of its key.  Return whether it is the first run with another value than others. */
static void count_value(mls_arena *arena, logged_values *values, mls_str text)
{
    const double number = number_of(text);
    size_t at = 0;
    while (at < values->count && !(isnan(number) ? mls_str_equal(text, values->items[at].text)
                                                 : mls_same_number(number, values->items[at].number)))
        at++;
    if (at == values->count)
        MLS_ARENA_ADD(arena, values, ((logged_value){text, number, 0}));
    values->items[at].runs++;
}

static mls_words value_words(const logged_value *value)
{
    mls_words words = mls_words_exact(value->number);
    if (isnan(value->number))
        (void)mls_text_printf(words.text, sizeof words.text, "%.*s", MLS_CUT(value->text, sizeof words.text - 1));
    return words;
}

/* Compare values by text. */
static int compare_texts(const void *left, const void *right)
{
    const mls_words a = value_words(left);
    const mls_words b = value_words(right);
    return strcmp(a.text, b.text);
}

/* Compare values by number of runs, the largest first, then by text. */
static int compare_counts(const void *left, const void *right)
{
    const int order = mls_compare_sizes(((const logged_value *)right)->runs, ((const logged_value *)left)->runs);
    return order != 0 ? order : compare_texts(left, right);
}

/* Return a value as JSON: its number, or the logged JSON text if it is not a number. */
static cJSON *value_json(const logged_value *value)
{
    cJSON *json = isnan(value->number) ? cJSON_ParseWithLength(value->text.ptr, value->text.len)
                                       : cJSON_CreateNumber(value->number);
    return json != NULL ? json : cJSON_CreateNull();
}

/* ------------------------------------------------------------------------------------------- differing between runs */

/* Return whether a key describes the setup of a run, which all runs of a result share. */
static bool is_setup(mls_str key)
{
    return key.len > 0 && !mls_str_starts(key, MLS_S("submission_")) && !mls_str_starts(key, MLS_S("stage_")) &&
           !mls_str_ends(key, MLS_S("_start")) && !mls_str_ends(key, MLS_S("_stop")) &&
           !mls_str_among(key, "seed global_batch_size train_samples_per_second instance_id");
}

static int compare_keys(const void *left, const void *right)
{
    return mls_str_compare(((const mls_map_entry *)left)->key, ((const mls_map_entry *)right)->key);
}

static void ask_mixed(mls_submission *submission, mls_ask_about about)
{
    mls_arena arena = {0};
    mls_map keys = {.arena = &arena}; /* to logged_values */
    mls_buffer words = {0};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < about.result->run_count; i++) {
        const mls_run *run = &about.result->runs[i].run;
        for (size_t k = 0; k < run->hyperparameter_count; k++) {
            if (!is_setup(run->hyperparameters[k].key))
                continue;
            mls_map_entry *entry = mls_map_put(&keys, run->hyperparameters[k].key, NULL);
            if (entry->value.pointer == NULL)
                entry->value.pointer = mls_arena_zeroed(&arena, 1, sizeof(logged_values));
            count_value(&arena, entry->value.pointer, mls_str_from(run->hyperparameters[k].value));
        }
    }
    if (keys.count > 1)
        qsort(keys.entries, keys.count, sizeof *keys.entries, compare_keys);
    for (size_t i = 0; i < keys.count; i++) {
        logged_values *values = keys.entries[i].value.pointer;
        if (values->count < 2)
            continue;
        qsort(values->items, values->count, sizeof *values->items, compare_counts);
        cJSON *row = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(row, "key", keys.entries[i].key.ptr);
        cJSON *each = cJSON_AddArrayToObject(row, "values");
        mls_buffer_printf(&words, "%s%.*s", words.len > 0 ? "; " : "", MLS_CUT(keys.entries[i].key, 60));
        for (size_t k = 0; k < values->count; k++) {
            cJSON *value = cJSON_CreateObject();
            (void)cJSON_AddItemToObject(value, "value", value_json(&values->items[k]));
            (void)cJSON_AddNumberToObject(value, "runs", (double)values->items[k].runs);
            (void)cJSON_AddItemToArray(each, value);
            mls_buffer_printf(&words, "%s %s (%zu)", k > 0 ? "," : "", value_words(&values->items[k]).text,
                              values->items[k].runs);
        }
        (void)cJSON_AddItemToArray(list, row);
    }
    if (words.len > 0) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddItemToObject(fields, "keys", list);
        (void)mls_ask(submission, MLS_FINDING_MIXED_HYPERPARAMETERS, about, fields, "its runs log different values: %s",
                      words.ptr);
    } else {
        cJSON_Delete(list);
    }
    mls_buffer_release(&words);
    mls_arena_release(&arena);
}

/* ------------------------------------------------------------------------------------------------ fixed by the rules
 */

static void ask_fixed(mls_submission *submission, mls_ask_about about, const mls_demands *demands)
{
    mls_arena arena = {0};
    mls_buffer words = {0};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < demands->fixed.count; i++) {
        const mls_fixed_value *fixed = &demands->fixed.items[i];
        logged_values others = {0};
        double first = (double)NAN; /* demanded of the first run with another value */
        size_t runs = 0;
        for (size_t k = 0; k < about.result->run_count && strcmp(fixed->benchmark, about.result->benchmark) == 0; k++) {
            mls_run *run = &about.result->runs[k].run;
            const char *value = mls_run_hyperparameter(run, mls_str_from(fixed->key));
            double demanded[MLS_DEMANDED_MAX];
            const size_t count = mls_fixed_value_demand(demands, fixed, logged_number, run, demanded);
            if (value != NULL && count > 0 &&
                !mls_fixed_value_allows(fixed, demanded, count, number_of(mls_str_from(value)))) {
                first = runs++ == 0 ? demanded[0] : first;
                count_value(&arena, &others, mls_str_from(value));
            }
        }
        if (runs == 0)
            continue;
        qsort(others.items, others.count, sizeof *others.items, compare_texts);
        cJSON *row = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(row, "key", fixed->key);
        (void)cJSON_AddNumberToObject(row, "demanded", first);
        cJSON *logged = cJSON_AddArrayToObject(row, "logged");
        mls_buffer_printf(&words, "%s%s is", words.len > 0 ? "; " : "", fixed->key);
        for (size_t k = 0; k < others.count; k++) {
            (void)cJSON_AddItemToArray(logged, value_json(&others.items[k]));
            mls_buffer_printf(&words, "%s %s", k > 0 ? "," : "", value_words(&others.items[k]).text);
        }
        mls_buffer_printf(&words, " in %zu of %zu runs, the rules fix it to %s", runs, about.result->run_count,
                          mls_words_exact(first).text);
        (void)cJSON_AddNumberToObject(row, "runs", (double)runs);
        (void)cJSON_AddItemToArray(list, row);
    }
    if (words.len > 0) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddItemToObject(fields, "values", list);
        (void)mls_ask(submission, MLS_FINDING_FIXED_VALUE, about, fields, "%s", words.ptr);
    } else {
        cJSON_Delete(list);
    }
    mls_buffer_release(&words);
    mls_arena_release(&arena);
}

/* --------------------------------------------------------------------------------------------- evaluation schedule */

/* Relative tolerance of intervals and first positions.  A gap below EXTRA_BELOW intervals shows an additional
 * evaluation, one above MISSING_ABOVE a missing one. */
#define INTERVAL_TOLERANCE 0.1
#define EXTRA_BELOW 0.75
#define MISSING_ABOVE 1.5

/* From this first position on, positions of a schedule with a `set` are samples. */
#define SET_SAMPLES 10000

enum { REASON_EXTRA, REASON_FIRST, REASON_INTERVAL, REASON_MISSING, REASONS };
static const char *const reason_names[REASONS] = {"extra", "first", "interval", "missing"};

/* A position with its index in the file, either of which comes first for sorting. */
typedef struct placed_position {
    double a, b;
} placed_position;

/* Return the different positions of a run in the order of the file (with `sorted`: ascending), to be freed. */
static double *positions_of(const mls_submission_run *run, const mls_schedule *schedule, size_t *count)
{
    const size_t evaluations = run->notes != NULL ? run->notes->evaluations.count : 0;
    placed_position *placed = mls_calloc(evaluations + 1, sizeof *placed);
    double *positions = mls_calloc(evaluations + 1, sizeof *positions);
    size_t known = 0;
    *count = 0;
    for (size_t i = 0; i < evaluations; i++) {
        const mls_noted_evaluation *evaluation = &run->notes->evaluations.items[i];
        const double position = schedule->samples ? evaluation->position : evaluation->epoch;
        if (!isnan(position))
            placed[known++] = (placed_position){position, (double)i};
    }
    mls_sort_by_double(placed, known, sizeof *placed);
    size_t different = 0;
    for (size_t i = 0; i < known; i++) {
        if (different > 0 && placed[different - 1].b == placed[i].a) { /* the earliest of equal ones counts */
            placed[different - 1].a = fmin(placed[different - 1].a, placed[i].b);
            continue;
        }
        placed[different++] = (placed_position){placed[i].b, placed[i].a};
    }
    if (!schedule->unordered)
        mls_sort_by_double(placed, different, sizeof *placed);
    for (size_t i = 0; i < different; i++)
        positions[(*count)++] = placed[i].b;
    if (*count > 0 && !isnan(schedule->set) && positions[0] >= SET_SAMPLES)
        for (size_t i = 0; i < *count; i++)
            positions[i] /= schedule->set;
    free(placed);
    return positions;
}

/* Set what is wrong with the positions of a run, and the lower median of its gaps (NAN: none). */
static void judge_positions(const mls_schedule *schedule, const mls_schedule_range *range, double *positions,
                            size_t count, bool wrong[static REASONS], double *interval)
{
    const double least = range->interval[0];
    const double most = range->interval[1];
    const double room = fmax(INTERVAL_TOLERANCE * least,
                             isnan(schedule->first_tolerance) ? 0 : schedule->first_tolerance * range->first[0]);
    size_t gaps = 0;
    wrong[REASON_FIRST] =
        !schedule->unordered && (positions[0] < range->first[0] - room || positions[0] > range->first[1] + room);
    for (size_t i = 1; i < count; i++) {
        const double gap = positions[i] - positions[i - 1];
        positions[i - 1] = gap > 0 ? gap : (double)NAN;
        gaps += gap > 0;
    }
    mls_sort_doubles(positions, count - 1);
    *interval = mls_median_lower(positions, gaps);
    if (gaps == 0)
        return;
    const double shortest = positions[0];
    const double longest = positions[gaps - 1];
    if (schedule->unordered) {
        wrong[REASON_EXTRA] = shortest < least * (1 - INTERVAL_TOLERANCE);
    } else if (*interval < least * (1 - INTERVAL_TOLERANCE) || *interval > most * (1 + INTERVAL_TOLERANCE)) {
        wrong[REASON_INTERVAL] = true;
    } else if (!schedule->rounded) {
        wrong[REASON_EXTRA] = shortest < EXTRA_BELOW * least;
        wrong[REASON_MISSING] = longest > MISSING_ABOVE * most;
    }
}

static cJSON *range_json(const double range[static 2])
{
    return cJSON_CreateDoubleArray(range, 2);
}

static void ask_schedule(mls_submission *submission, mls_ask_about about, const mls_demands *demands)
{
    const mls_submission_result *result = about.result;
    const mls_schedule *schedule = mls_demands_schedule(demands, mls_str_from(result->benchmark));
    double *firsts = mls_calloc(2 * (result->run_count + 1), sizeof *firsts);
    double *intervals = firsts + result->run_count + 1;
    size_t judged = 0;
    size_t with_gaps = 0;
    size_t runs = 0;
    bool wrong[REASONS] = {false};
    mls_schedule_range demanded = {0}; /* of the first run that was judged */
    for (size_t i = 0; i < result->run_count && schedule != NULL; i++) {
        const mls_submission_run *run = &result->runs[i];
        mls_schedule_range range;
        bool run_wrong[REASONS] = {false};
        bool any = false;
        double interval = (double)NAN;
        size_t count;
        double *positions = positions_of(run, schedule, &count);
        if (count > 0 && mls_schedule_demand(demands, schedule, run->run.global_batch_size, &range) &&
            !(positions[0] < schedule->least_first)) {
            demanded = judged == 0 ? range : demanded;
            firsts[judged++] = positions[0];
            judge_positions(schedule, &range, positions, count, run_wrong, &interval);
            if (!isnan(interval))
                intervals[with_gaps++] = interval;
        }
        for (size_t k = 0; k < REASONS; k++) {
            any |= run_wrong[k];
            wrong[k] |= run_wrong[k];
        }
        runs += any;
        free(positions);
    }
    if (runs > 0) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(fields, "runs", (double)runs);
        cJSON *reasons = cJSON_AddArrayToObject(fields, "reasons");
        for (size_t k = 0; k < REASONS; k++)
            if (wrong[k])
                (void)cJSON_AddItemToArray(reasons, cJSON_CreateString(reason_names[k]));
        mls_sort_doubles(firsts, judged);
        mls_sort_doubles(intervals, with_gaps);
        const double first = mls_median_lower(firsts, judged);
        const double interval = mls_median_lower(intervals, with_gaps);
        (void)cJSON_AddItemToObject(fields, "demanded_first", range_json(demanded.first));
        (void)cJSON_AddItemToObject(fields, "demanded_interval", range_json(demanded.interval));
        (void)cJSON_AddNumberToObject(fields, "first", first);
        (void)cJSON_AddItemToObject(fields, "interval",
                                    isnan(interval) ? cJSON_CreateNull() : cJSON_CreateNumber(interval));
        mls_buffer words = {0};
        mls_buffer_printf(&words, "%zu of %zu runs", runs, result->run_count);
        if (wrong[REASON_FIRST])
            mls_buffer_printf(&words, " are first evaluated at %s; the rules demand %s",
                              mls_words_trimmed(first, 3).text, mls_words_trimmed(demanded.first[1], 3).text);
        if (wrong[REASON_INTERVAL])
            mls_buffer_printf(&words, "%s are evaluated every %s; the rules demand %s", wrong[REASON_FIRST] ? "," : "",
                              mls_words_trimmed(interval, 3).text, mls_words_trimmed(demanded.interval[0], 3).text);
        if (wrong[REASON_EXTRA] || wrong[REASON_MISSING])
            mls_buffer_printf(&words, "%s have evaluations %s; the rules demand one every %s",
                              wrong[REASON_FIRST] || wrong[REASON_INTERVAL] ? "," : "",
                              !wrong[REASON_MISSING] ? "in between"
                              : wrong[REASON_EXTRA]  ? "in between, and gaps"
                                                     : "left out",
                              mls_words_trimmed(demanded.interval[0], 3).text);
        (void)mls_ask(submission, MLS_FINDING_EVALUATION_INTERVAL, about, fields, "%s", words.ptr);
        mls_buffer_release(&words);
    }
    free(firsts);
}

mls_status mls_values_ask(mls_submission *submission)
{
    mls_demands demands;
    const mls_status status = mls_demands_load(submission->edition, &demands, NULL);
    for (size_t s = 0; s < submission->submitter_count && status == MLS_OK; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            const mls_ask_about about = {.submitter = submitter, .result = &submitter->results[r]};
            if (!about.result->judged)
                continue;
            ask_mixed(submission, about);
            if (mls_division_described(about.result->division) == MLS_DIVISION_CLOSED) {
                ask_fixed(submission, about, &demands);
                ask_schedule(submission, about, &demands);
            }
        }
    }
    mls_demands_release(&demands);
    return status;
}
