/* SPDX-License-Identifier: Apache-2.0 */
/* rcp.c - read tables of reference points, built-in ones and those of users; compute limits; and judge submissions. */
#include "score/rcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/words.h"
#include "score/score.h"
#include "json/text_table.h"

/* ------------------------------------------------------------------ limits */

/* Significance level: a submission fails if its mean is below that of the reference at this level. */
#define SIGNIFICANCE 0.05
/* Width of the bracket at which the bisection ends, in the unit of the points.  Each step halves the bracket, so 1100
 * steps are enough for any double. */
#define BRACKET_WIDTH 1e-4
#define BISECTION_STEPS_MAX 1100

/* Compute the limit from the mean and the standard deviation of the reference; `count` is the number of values in
 * the mean. */
static mls_rcp_bar bar_of(const mls_rcp_set *set, double mean, double stdev, double count)
{
    const mls_benchmark *benchmark = set->rules.benchmark;
    /* Find the smallest mean that a one-sided t test does not distinguish from the reference, by bisection on
     * [0, mean].  The result is the middle of the final bracket, so it is slightly below the mean even if the reference
     * does not vary. */
    double low = 0;
    double high = mean;
    for (int step = 0; step < BISECTION_STEPS_MAX && high - low > BRACKET_WIDTH; step++) {
        const double middle = (low + high) / 2;
        const double lower_tail =
            mls_t_test_lower_tail((mls_test_sample){middle, stdev, count},
                                  (mls_test_sample){mean, stdev, (double)benchmark->runs_needed - 2});
        if (lower_tail > SIGNIFICANCE)
            high = middle;
        else
            low = middle;
    }
    const double min_mean = (low + high) / 2;
    /* In some rounds, a benchmark may converge earlier than the reference by its evaluation interval. */
    const double early = min_mean - mls_benchmark_evaluation_interval(benchmark, set->rules.edition);
    const double max_speedup = early > 0 ? mean / early : (double)INFINITY;
    return (mls_rcp_bar){mean, stdev, min_mean, max_speedup, mean / max_speedup};
}

static mls_rcp_bar bar_at(const mls_rcp_set *set, const mls_rcp_point *point)
{
    const double averaged = (double)(point->count - 2 * (size_t)set->rules.benchmark->left_out);
    return bar_of(set, point->bar.mean, point->bar.stdev, averaged);
}

void mls_rcp_set_bars(mls_rcp_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->items[i].bar = bar_at(set, &set->items[i]);
}

/* Return the value at `x` on the line through (x0, y0) and (x1, y1). */
static double interpolate(double x, double x0, double y0, double x1, double y1)
{
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/* ------------------------------------------------------------------ tables */

/* The columns of a table: needed ones, the editions to which a row applies, and columns that are only displayed. */
#define NEEDED_LIST(F) F(benchmark) F(global_batch_size) F(to_converge)
#define EDITION_LIST(F) F(first_edition) F(last_edition)
#define SHOWN_LIST(F) F(name) F(unit) F(precision) F(platform) F(creator) F(when) F(hyperparameters)

#define DECLARE(name) mls_str name;
typedef struct rcp_row {
    NEEDED_LIST(DECLARE) EDITION_LIST(DECLARE) SHOWN_LIST(DECLARE)
} rcp_row;

/* Indexes of cells, in the order of NEEDED_LIST and EDITION_LIST. */
enum { CELL_BENCHMARK, CELL_GLOBAL_BATCH_SIZE, CELL_TO_CONVERGE, CELL_FIRST_EDITION, CELL_LAST_EDITION };

#define CELL(name, flags) MLS_COLUMN_OF(rcp_row, name, SPAN, flags),
#define NEEDED(name) CELL(name, MLS_MEMBER_NEEDED)
#define OPTIONAL(name) CELL(name, 0)
static const mls_row_member cells[] = {NEEDED_LIST(NEEDED) EDITION_LIST(OPTIONAL) SHOWN_LIST(OPTIONAL)};

typedef struct rcp_reading {
    mls_text_table table;
    mls_rcp_set *set;
    const char *path; /* the user's file; "": embedded data */
    rcp_row row;
} rcp_reading;

/* Set an error at byte `offset` of a cell of a row, with the problem `what` and the wrong `text`. */
static mls_status refuse_point(const rcp_reading *reading, const mls_text_row *row, size_t cell, size_t offset,
                               const char *what, mls_str text)
{
    return mls_text_table_refuse(&reading->table, row, reading->table.at[cell], offset, what, text);
}

static bool positive_number(mls_str text, double *number)
{
    return mls_number_parse(text, number) && *number > 0 && isfinite(*number);
}

static mls_status take_point_row(void *state, const mls_text_row *row)
{
    rcp_reading *reading = state;
    mls_rcp_set *set = reading->set;
    mls_rcp_point point = {.source = reading->path};
    const unsigned ours = set->rules.edition->number;
    const mls_str bounds[] = {reading->row.first_edition, reading->row.last_edition};
    unsigned numbers[] = {ours, ours};
    for (size_t i = 0; i < 2; i++)
        if (bounds[i].len > 0 && !mls_edition_number(bounds[i], &numbers[i]))
            return refuse_point(reading, row, CELL_FIRST_EDITION + i, 0, "not a round such as 5.1.0", bounds[i]);
    const bool wanted = numbers[0] <= ours && ours <= numbers[1] &&
                        mls_str_equal(reading->row.benchmark, mls_str_from(set->rules.benchmark->name));
    if (!wanted && reading->path[0] == '\0')
        return MLS_OK;
    if (!positive_number(reading->row.global_batch_size, &point.global_batch_size)) {
        return refuse_point(reading, row, CELL_GLOBAL_BATCH_SIZE, 0, "not a batch size",
                            reading->row.global_batch_size);
    }
    /* There must be more values than are left out at both ends.  The row may be for another benchmark than the set. */
    const mls_str benchmark = reading->row.benchmark;
    const mls_str text = reading->row.to_converge;
    const mls_benchmark *rules = mls_str_equal(benchmark, mls_str_from(set->rules.benchmark->name))
                                     ? set->rules.benchmark
                                     : mls_benchmark_find(set->rules.editions, set->rules.edition->usage, benchmark);
    const size_t min = 1 + 2 * rules->left_out;
    mls_str rest = text;
    while (mls_str_word(&rest).len > 0)
        point.count++;
    if (point.count < min || point.count > MLS_RCP_VALUES_MAX) {
        char what[80];
        (void)snprintf(what, sizeof what, "to_converge has %zu values; expected %zu to %d", point.count, min,
                       MLS_RCP_VALUES_MAX);
        return refuse_point(reading, row, CELL_TO_CONVERGE, 0, what, text);
    }
    double *values = mls_arena_array(set->arena, point.count, sizeof *values);
    rest = text;
    for (size_t i = 0; i < point.count; i++) {
        const mls_str word = mls_str_word(&rest);
        if (!positive_number(word, &values[i])) {
            return refuse_point(reading, row, CELL_TO_CONVERGE, (size_t)(word.ptr - text.ptr), "not a number above 0",
                                word);
        }
    }
    if (!wanted)
        return MLS_OK;
    mls_sort_doubles(values, point.count);
    point.to_converge = values;
#define KEEP(name) point.name = mls_arena_copy(set->arena, reading->row.name).ptr;
    SHOWN_LIST(KEEP)
    /* A user's point replaces a built-in one with the same batch size. */
    size_t at = 0;
    while (at < set->count && mls_compare_doubles(set->items[at].global_batch_size, point.global_batch_size) != 0)
        at++;
    if (at < set->count && strcmp(set->items[at].source, point.source) == 0) {
        return refuse_point(reading, row, CELL_GLOBAL_BATCH_SIZE, 0, "duplicate batch size",
                            reading->row.global_batch_size);
    }
    if (at == MLS_RCP_POINTS_MAX) {
        return mls_error_set(reading->table.error, MLS_ERROR_LIMIT, row->line, 0, "more than %d points",
                             MLS_RCP_POINTS_MAX);
    }
    if (at == set->count)
        MLS_ARENA_ADD(set->arena, set, point);
    set->own += point.source[0] != '\0';
    set->items[at] = point;
    return MLS_OK;
}

/* Read the rows for the benchmark and edition of the set.  `path` is "" for embedded data. */
static mls_status read_points(mls_rcp_set *set, mls_str text, const char *path, mls_error *error)
{
    const mls_str source = mls_arena_copy(set->arena, mls_str_from(path));
    rcp_reading reading = {.set = set, .path = source.ptr};
    reading.table = (mls_text_table){.what = "a table of reference points",
                                     .members = cells,
                                     .count = sizeof cells / sizeof *cells,
                                     .options = MLS_TABLE_EXACT,
                                     .text = text,
                                     .error = error,
                                     .take_row = take_point_row,
                                     .state = &reading,
                                     .into = &reading.row};
    return mls_text_table_read(&reading.table);
}

mls_status mls_rcp_set_new(const mls_rcp_rules *rules, mls_str own, const char *path, mls_rcp_set **set,
                           mls_error *error)
{
    char name[128];
    const int length =
        snprintf(name, sizeof name, "rcp/%s/%s.csv", mls_usage_name(rules->edition->usage), rules->benchmark->name);
    const mls_str table = length > 0 && (size_t)length < sizeof name ? mls_data_find(name) : (mls_str){NULL, 0};
    mls_arena *arena = mls_calloc(1, sizeof *arena);
    mls_rcp_set *made = mls_arena_zeroed(arena, 1, sizeof *made);
    *set = NULL;
    *made = (mls_rcp_set){.rules = *rules, .arena = arena};
    mls_status status = table.ptr != NULL ? read_points(made, table, "", error) : MLS_OK;
    if (status == MLS_OK && path != NULL)
        status = read_points(made, own, path[0] == '\0' ? "-" : path, error);
    if (status != MLS_OK) {
        mls_arena_free(arena);
        return status;
    }
    for (size_t i = 0; i < made->count; i++) {
        mls_rcp_point *point = &made->items[i];
        const double mean = mls_mean_trimmed(point->to_converge, point->count, rules->benchmark->left_out);
        point->bar = (mls_rcp_bar){mean, mls_stdev_population(point->to_converge, point->count), NAN, NAN, NAN};
    }
    mls_sort_by_double(made->items, made->count, sizeof *made->items);
    /* Prune points with smaller batches than the point that converges fastest.  Then prune each point above the line
     * between the previous point that was not pruned and the next point. */
    const mls_rcp_point *previous = NULL;
    size_t fastest = 0;
    for (size_t i = 0; i < made->count; i++)
        if (made->items[i].bar.mean < made->items[fastest].bar.mean)
            fastest = i;
    for (size_t i = fastest; i < made->count; i++) {
        mls_rcp_point *point = &made->items[i];
        const mls_rcp_point *next = point + 1;
        point->pruned = previous != NULL && i + 1 < made->count &&
                        point->bar.mean > interpolate(point->global_batch_size, previous->global_batch_size,
                                                      previous->bar.mean, next->global_batch_size, next->bar.mean);
        previous = point->pruned ? previous : point;
    }
    for (size_t i = 0; i < fastest; i++)
        made->items[i].pruned = true;
    *set = made;
    return MLS_OK;
}

void mls_rcp_set_free(mls_rcp_set *set)
{
    if (set != NULL)
        mls_arena_free(set->arena);
}

mls_status mls_rcp_sets_find(mls_rcp_sets *sets, const mls_rcp_rules *rules, mls_str own, const char *path,
                             mls_rcp_set **set, mls_error *error)
{
    for (size_t i = 0; i < sets->count; i++) {
        *set = sets->items[i];
        if ((*set)->rules.edition == rules->edition && (*set)->rules.benchmark == rules->benchmark)
            return MLS_OK;
    }
    *set = NULL;
    MLS_GROW(sets, items);
    const mls_status status = mls_rcp_set_new(rules, own, path, set, error);
    sets->items[sets->count] = *set;
    sets->count += *set != NULL;
    return status;
}

void mls_rcp_sets_release(mls_rcp_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        mls_rcp_set_free(sets->items[i]);
    free((void *)sets->items);
    *sets = (mls_rcp_sets){0};
}

/* ----------------------------------------------------------- submissions */

/* Find the nearest points below and above a batch size that are not pruned.  If a point has this batch size, both are
 * this point.  If there is no point on a side, its pointer becomes NULL. */
static void find_neighbours(const mls_rcp_set *set, double batch_size, const mls_rcp_point **below,
                            const mls_rcp_point **above)
{
    *below = *above = NULL;
    for (size_t i = 0; i < set->count && *above == NULL; i++) {
        const mls_rcp_point *point = &set->items[i];
        if (!point->pruned) {
            *below = point->global_batch_size <= batch_size ? point : *below;
            *above = point->global_batch_size >= batch_size ? point : *above;
        }
    }
}

/* Interpolate between two points. */
static double mean_between(const mls_rcp_point *below, const mls_rcp_point *above, double batch_size)
{
    return interpolate(batch_size, below->global_batch_size, below->bar.mean, above->global_batch_size,
                       above->bar.mean);
}

double mls_rcp_set_mean(const mls_rcp_set *set, double global_batch_size)
{
    const mls_rcp_point *below;
    const mls_rcp_point *above;
    find_neighbours(set, global_batch_size, &below, &above);
    return below == NULL || above == NULL ? (double)NAN
           : below == above               ? below->bar.mean
                                          : mean_between(below, above, global_batch_size);
}

mls_rcp_limit mls_rcp_set_limit(const mls_rcp_set *set, double global_batch_size)
{
    mls_rcp_limit limit = {MLS_RCP_NO_POINTS, "", global_batch_size, NAN, NAN, {NAN, NAN, NAN, NAN, NAN}};
    const mls_rcp_point *below;
    const mls_rcp_point *above;
    find_neighbours(set, global_batch_size, &below, &above);
    const mls_rcp_point *lower = below != NULL ? below : above;
    if (lower == NULL)
        return limit;
    limit.unit = (above != NULL ? above : below)->unit;
    limit.match = above == NULL    ? MLS_RCP_MISSING
                  : below == NULL  ? MLS_RCP_SMALLER_BATCH
                  : below == above ? MLS_RCP_FOUND
                                   : MLS_RCP_INTERPOLATED;
    const double low = lower->global_batch_size;
    const double high = above != NULL ? above->global_batch_size : (double)NAN;
    limit.lower_batch_size = low;
    limit.upper_batch_size = high;
    if (limit.match == MLS_RCP_INTERPOLATED) {
        limit.bar = bar_of(set, mean_between(below, above, global_batch_size),
                           interpolate(global_batch_size, low, below->bar.stdev, high, above->bar.stdev),
                           2 * (double)set->rules.benchmark->runs_needed);
    } else if (above != NULL) {
        limit.bar = bar_at(set, above);
    }
    return limit;
}

/* For each mls_rcp_match, the name in machine-readable output, and the message of the RCP checker. */
static const struct {
    const char *name, *message;
} matches[] = {
    [MLS_RCP_FOUND] = {"found", "RCP found"},
    [MLS_RCP_INTERPOLATED] = {"interpolated", "RCP Interpolation"},
    [MLS_RCP_SMALLER_BATCH] = {"smaller-batch", "RCP not found but slower convergence on smaller batch size"},
    [MLS_RCP_MISSING] = {"missing", "Missing RCP, please submit RCP with BS = "},
    [MLS_RCP_NO_POINTS] = {"no-points", "Cannot find any RCPs"},
    [MLS_RCP_NO_CONVERGENCE] = {"no-convergence", "Insufficient convergence"},
    [MLS_RCP_NO_BATCH_SIZE] = {"no-batch-size", "Could not detect global_batch_size"},
    [MLS_RCP_BATCH_SIZES_DIFFER] = {"batch-sizes-differ", "The logs differ in global_batch_size"},
    [MLS_RCP_TOO_FEW_RUNS] = {"too-few-runs", "Too few runs"},
};

const char *mls_rcp_match_name(mls_rcp_match match)
{
    return (size_t)match < sizeof matches / sizeof *matches ? matches[match].name : "";
}

mls_rcp_result mls_rcp_check(const mls_rcp_set *set, double global_batch_size, double *to_converge, size_t count)
{
    const bool batch_known = global_batch_size > 0 && isfinite(global_batch_size);
    const size_t left_out = set->rules.benchmark->left_out;
    char batch[32] = "";
    mls_sort_doubles(to_converge, count);
    mls_rcp_result result = {.scale = 1,
                             .score_scale = 1,
                             .submission_mean = mls_mean_trimmed(to_converge, count, left_out),
                             .alone =
                                 count == 1 && to_converge[0] < MLS_RCP_NOT_CONVERGED ? to_converge[0] : (double)NAN,
                             .runs = count,
                             .allowed = left_out,
                             .limit = mls_rcp_set_limit(set, batch_known ? global_batch_size : (double)NAN)};
    for (size_t i = 0; i < count; i++)
        result.not_converged += !(to_converge[i] < MLS_RCP_NOT_CONVERGED) && !(to_converge[i] > MLS_RCP_NOT_CONVERGED);
    result.match = !batch_known ? (isinf(global_batch_size) ? MLS_RCP_BATCH_SIZES_DIFFER : MLS_RCP_NO_BATCH_SIZE)
                   : result.not_converged > result.allowed ? MLS_RCP_NO_CONVERGENCE
                   : isnan(result.submission_mean)         ? MLS_RCP_TOO_FEW_RUNS
                                                           : result.limit.match;
    /* If there is a limit for this batch size, compare the mean of the submission with it. */
    if (result.match <= MLS_RCP_SMALLER_BATCH) {
        result.pass = result.submission_mean >= result.limit.bar.limit;
        result.scale = fmax(result.limit.bar.mean / result.submission_mean, 1);
        result.score_scale = result.pass ? result.scale : 1;
        result.match = !result.pass && result.match == MLS_RCP_SMALLER_BATCH ? MLS_RCP_MISSING : result.match;
    }
    if (result.match == MLS_RCP_MISSING)
        (void)mls_text_printf(batch, sizeof batch, "%.17g", global_batch_size);
    (void)mls_text_printf(result.message, sizeof result.message, "%s%s", matches[result.match].message, batch);
    return result;
}

/* The maximum number of decimals to print. */
#define DECIMALS_MAX 9

#define NO_POINTS "no reference points exist for this benchmark"

/* Advice for a submission that fails. */
#define REMEDY                                                                                                         \
    "; the rules allow new reference points, made with the reference code at batch %s (try them with "                 \
    "mlscore score --rcp FILE), or a bypass that the review committee agrees to (rcp-bypass in "                       \
    "package_checker_params)"

/* Maximum relative difference of numbers that are printed as equal: 4,607.99997 as 4,608. */
#define HAIR 1e-7

/* Return the number of decimals to print for a number of this size. */
static int decimals_for(double number)
{
    return number >= 1000 ? 0 : number >= 100 ? 1 : number >= 10 ? 2 : 4;
}

/* If the relative difference of two numbers exceeds `hair`, increase `decimals` until their printed forms differ. */
static int decimals_apart(double a, double b, double hair, int decimals)
{
    while (decimals < DECIMALS_MAX && fabs(a - b) > hair * fabs(a) &&
           fabs(round(a * pow(10, decimals)) - round(b * pow(10, decimals))) < 0.5)
        decimals++;
    return decimals;
}

static mls_words batch(double batch_size)
{
    return mls_words_trimmed(batch_size, fabs(batch_size - round(batch_size)) > 0 ? DECIMALS_MAX : 0);
}

static void append_between(mls_buffer *words, const mls_rcp_limit *limit)
{
    if (limit->match == MLS_RCP_INTERPOLATED) {
        mls_buffer_printf(words, " (interpolated between batch %s and %s)", batch(limit->lower_batch_size).text,
                          batch(limit->upper_batch_size).text);
    }
}

/* Append "the limit of 3,061 at batch 9 (interpolated between batch 8 and 16)". */
static void append_limit(mls_buffer *words, const mls_rcp_limit *limit, int decimals)
{
    const mls_words asked = batch(limit->global_batch_size);
    mls_buffer_printf(words, "the limit of %s at ", mls_words_trimmed(limit->bar.limit, decimals).text);
    if (limit->match == MLS_RCP_SMALLER_BATCH) {
        mls_buffer_printf(words, "the smallest reference batch %s (no point is as small as %s)",
                          batch(limit->lower_batch_size).text, asked.text);
    } else {
        mls_buffer_printf(words, "batch %s", asked.text);
    }
    append_between(words, limit);
}

void mls_rcp_result_describe(const mls_rcp_result *result, double score_minutes, mls_buffer *words)
{
    const mls_rcp_limit *limit = &result->limit;
    const double own = result->submission_mean;
    const double hair = result->pass ? HAIR : 0; /* if a submission fails, always print different numbers */
    const int decimals =
        decimals_apart(own, limit->bar.mean, hair, decimals_apart(own, limit->bar.limit, hair, decimals_for(own)));
    const mls_words asked = batch(limit->global_batch_size);
    const mls_words mean = mls_words_trimmed(own, decimals);
    const char *blank = limit->unit[0] != '\0' ? " " : "";
    if (result->match == MLS_RCP_NO_BATCH_SIZE) {
        mls_buffer_append_text(words, "fail: the logs have no global_batch_size, so no reference point applies");
    } else if (result->match == MLS_RCP_BATCH_SIZES_DIFFER) {
        mls_buffer_append_text(words, "fail: the logs differ in global_batch_size; all runs must use the same");
    } else if (result->match == MLS_RCP_NO_CONVERGENCE) {
        mls_buffer_printf(words, "fail: %zu of %zu runs did not converge, only %zu may be left out",
                          result->not_converged, result->runs, result->allowed);
    } else if (result->match == MLS_RCP_TOO_FEW_RUNS && isfinite(result->alone / limit->bar.limit)) {
        mls_buffer_printf(words, "%zu of at least %zu runs; this run needed %s of the limit of %s", result->runs,
                          2 * result->allowed + 1, mls_words_percent(result->alone / limit->bar.limit, 1).text,
                          mls_words_trimmed(limit->bar.limit, decimals_for(limit->bar.limit)).text);
    } else if (result->match == MLS_RCP_TOO_FEW_RUNS) {
        mls_buffer_printf(words, "not judged: %zu of at least %zu runs", result->runs, 2 * result->allowed + 1);
    } else if (limit->match == MLS_RCP_NO_POINTS) {
        mls_buffer_printf(words, "fail: " NO_POINTS REMEDY, asked.text);
    } else if (limit->match == MLS_RCP_MISSING) {
        mls_buffer_printf(words, "fail: no reference point reaches batch %s, the largest is %s" REMEDY, asked.text,
                          batch(limit->lower_batch_size).text, asked.text);
    } else if (!result->pass) {
        mls_buffer_printf(words, "fail: mean %s%s%s is %s below ", mean.text, blank, limit->unit,
                          mls_words_trimmed(limit->bar.limit - own, decimals).text);
        append_limit(words, limit, decimals);
        mls_buffer_printf(words, ": converges faster than the reference allows" REMEDY, asked.text);
    } else {
        const bool scaled = result->score_scale > 1;
        mls_buffer_printf(words, "pass: mean %s%s%s reaches ", mean.text, blank, limit->unit);
        append_limit(words, limit, decimals);
        mls_buffer_printf(words, "; %sfaster than the reference mean %s, so the score is %sscaled",
                          scaled ? "" : "not ", mls_words_trimmed(limit->bar.mean, decimals).text,
                          scaled ? "" : "not ");
        if (scaled)
            mls_buffer_printf(words, " by %s", mls_words_grouped(result->score_scale, 4).text);
        if (scaled && isfinite(score_minutes))
            mls_buffer_printf(words, " to %s min", mls_words_grouped(score_minutes * result->score_scale, 3).text);
    }
}

void mls_rcp_limit_describe(const mls_rcp_limit *limit, mls_buffer *words)
{
    const mls_words asked = batch(limit->global_batch_size);
    const mls_words lower = batch(limit->lower_batch_size);
    if (limit->match == MLS_RCP_MISSING) {
        mls_buffer_printf(words, "batch %s: no reference point reaches it, the largest is %s" REMEDY, asked.text,
                          lower.text, asked.text);
    } else if (!isfinite(limit->bar.limit)) {
        mls_buffer_printf(words, "batch %s: " NO_POINTS REMEDY, asked.text, asked.text);
    } else {
        mls_buffer_printf(words, "batch %s: a mean of %s%s%s or more passes", asked.text,
                          mls_words_trimmed(limit->bar.limit, decimals_for(limit->bar.limit)).text,
                          limit->unit[0] != '\0' ? " " : "", limit->unit);
        append_between(words, limit);
        if (limit->match == MLS_RCP_SMALLER_BATCH)
            mls_buffer_printf(words, " (that of the smallest reference batch %s; no point is as small)", lower.text);
        mls_buffer_printf(words, "; below %s the score is scaled up",
                          mls_words_trimmed(limit->bar.mean, decimals_for(limit->bar.mean)).text);
    }
}
