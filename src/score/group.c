/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - score a group of runs, and sort runs into groups.
 *
 * mls_group_score() comes first, then the steps that it takes: the facts that the runs share, weak scaling, the olympic
 * mean, convergence, seeds, config and energy.  Then come questions about a scored group, and mls_group_runs(). */
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "json/value.h"

static void find_shared_facts(mls_group *group, const mls_editions *editions);
static void time_models(mls_group *group);
static mls_status check_convergence(mls_group *group, const mls_run *const *runs, size_t count,
                                    const mls_score_options *options, mls_error *error);
static void check_config(mls_group *group);

static bool run_counts(const mls_run *run)
{
    return run->valid && isfinite(mls_run_minutes(run));
}

mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error)
{
    mls_status status = MLS_OK;
    group->nodes = group->accelerators = NAN;
    find_shared_facts(group, options->editions);
    time_models(group);
    mls_group_olympic(group, options->select_window);
    group->scale = 1;
    group->scaled_minutes = group->score.score_minutes;
    const bool weak = mls_is_weak(&group->weak);
    const size_t needed = group->rules->runs_needed;
    const size_t made = weak ? group->weak.models : group->run_count;
    const mls_finding_place place = {0};
    if (made < needed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         weak ? "only %zu valid runs: at least %zu are needed for weak scaling of %s"
                              : "%zu of the %zu runs that %s needs",
                         made, needed, group->benchmark);
    } else if (!weak && needed > 0 && made > needed && !group->score.windowed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, place,
                         "%zu runs, %s needs %zu: --window selects the ones to submit", made, group->benchmark, needed);
    }
    /* Check convergence and seeds, in the closed division since edition 1.0.0; with a window, only of its runs.  The
     * convergence of a run that could not be read is unknown, and so is the mean. */
    const mls_division division = options->division != MLS_DIVISION_NONE ? options->division : group->division;
    if (!options->unchecked && division == MLS_DIVISION_CLOSED &&
        group->edition->number >= MLS_EDITION_NUMBER(1, 0, 0)) {
        const mls_run **runs = (const mls_run **)mls_calloc(group->run_count + 1, sizeof *runs);
        size_t count = 0;
        bool unread = false;
        for (size_t i = 0; i < group->run_count; i++) {
            if (group->marks[i] != MLS_OLYMPIC_OUTSIDE && !group->runs[i]->unread)
                runs[count++] = group->runs[i];
            unread |= group->runs[i]->unread;
        }
        if (!unread)
            status = check_convergence(group, runs, count, options, error);
        mls_seeds_check(runs, count, options->seed_bypass, &group->seeds);
        free((void *)runs);
    }
    check_config(group);
    mls_group_energy(group);
    /* The time of all models is not an olympic mean: all valid runs are kept. */
    for (size_t i = 0; i < group->run_count && weak; i++)
        group->marks[i] = run_counts(group->runs[i]) ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
    return status;
}

/* ------------------------------------------------- facts that runs share */

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

static const char *fact_of(const mls_run *run, mls_run_fact fact)
{
    /* Compare the meaning of divisions, not their spelling. */
    const char *division = mls_division_name(mls_division_logged(run->division));
    return fact == MLS_FACT_BENCHMARK  ? run->benchmark
           : fact == MLS_FACT_DIVISION ? (division != NULL ? division : run->division)
                                       : mls_run_config(run);
}

/* Return the first run that has a fact.  If two runs have different values, add a finding and return NULL. */
static const mls_run *agreement(mls_group *group, mls_run_fact fact, const char *what)
{
    const mls_run *first = NULL;
    const char *said = NULL;
    char numbers[2][32];
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        const char *text = fact != MLS_FACT_BATCH_SIZE ? fact_of(run, fact) : NULL;
        if (fact == MLS_FACT_BATCH_SIZE && !isnan(run->global_batch_size)) {
            text = numbers[first != NULL];
            (void)mls_text_printf(numbers[first != NULL], sizeof numbers[0], "%.15g", run->global_batch_size);
        }
        if (text == NULL || text[0] == '\0')
            continue;
        if (first != NULL && strcmp(said, text) != 0) {
            mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP, (mls_finding_place){.key = mls_str_from(what)},
                             "%s differs: %s in %s, %s in %s", what, said, mls_path_name(first->file), text,
                             mls_path_name(run->file));
            return NULL;
        }
        said = first == NULL ? text : said;
        first = first == NULL ? run : first;
    }
    return first;
}

static void find_shared_facts(mls_group *group, const mls_editions *editions)
{
    const mls_run *division = agreement(group, MLS_FACT_DIVISION, "submission_division");
    const mls_run *config = agreement(group, MLS_FACT_CONFIG, "DGXSYSTEM");
    /* The folder of a result names its benchmark, as in the compliance checker.  If no edition has a benchmark of that
     * name, the logs decide. */
    const mls_run *named = agreement(group, MLS_FACT_BENCHMARK, "submission_benchmark");
    const char *folder = group->result_folder && group->path != NULL ? mls_path_name(group->path) : "";
    const bool known = mls_benchmark_find(editions, group->usage, mls_str_from(folder))->runs_needed > 0;
    group->benchmark = known ? folder : named != NULL ? named->benchmark : NULL;
    const mls_run *batch_size = agreement(group, MLS_FACT_BATCH_SIZE, "global_batch_size");
    group->division = mls_division_logged(division != NULL ? division->division : NULL);
    group->global_batch_size = batch_size != NULL ? batch_size->global_batch_size : (double)NAN;
    group->rules = mls_benchmark_find(editions, group->usage, mls_str_from(group->benchmark));
    group->config = config != NULL ? mls_run_config(config) : NULL;
    if (group->edition == NULL) {
        double date_ms = NAN; /* date of the earliest run; runs without records do not have a date */
        for (size_t i = 0; i < group->run_count; i++) {
            const double run_ms = group->runs[i]->date_ms;
            date_ms = mls_time_is_date(run_ms) ? fmin(date_ms, run_ms) : date_ms;
        }
        group->edition = mls_editions_guess(editions, group->usage, date_ms, mls_str_from(group->benchmark));
        group->edition_guessed = true;
        group->edition_by_date = mls_time_is_date(date_ms);
    }
    group->rules = mls_benchmark_in(group->rules, group->edition->number);
}

/* ------------------------------------------------------------ weak scaling */

bool mls_path_is_weak(mls_usage usage, const char *path)
{
    const mls_str folder = mls_path_folder(mls_str_from(path));
    return usage == MLS_USAGE_HPC && (mls_str_equal(folder, MLS_S("weak/")) || mls_str_ends(folder, MLS_S("/weak/")));
}

/* Return a hyperparameter of a run as a number; NAN if the run did not log it as a number. */
static double logged_number(const mls_run *run, mls_str key)
{
    double number;
    const char *text = mls_run_hyperparameter(run, key);
    return text != NULL && mls_json_number(mls_str_from(text), &number) ? number : (double)NAN;
}

/* Compute the result of weak scaling: the time from the first start to the last stop of all models. */
static void time_models(mls_group *group)
{
    mls_weak_outcome *weak = &group->weak;
    double first_start = INFINITY;
    double last_stop = -(double)INFINITY;
    bool differ = false;
    if (!group->result_folder || !mls_path_is_weak(group->usage, group->path))
        return;
    weak->instance_scale = weak->minutes = NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        if (!run_counts(run))
            continue;
        const double accelerators = logged_number(run, MLS_S("accelerators_per_node"));
        const double scale = logged_number(run, MLS_S("number_of_nodes")) * (accelerators > 1 ? accelerators : 1);
        first_start = fmin(first_start, run->run_start.time_ms);
        last_stop = fmax(last_stop, run->run_stop.time_ms);
        weak->instance_scale = weak->models++ == 0 ? scale : weak->instance_scale;
        weak->minutes = (last_stop - first_start) / 60000;
        differ |= scale != weak->instance_scale && !(isnan(scale) && isnan(weak->instance_scale));
    }
    weak->check = weak->models > 0 && weak->models >= group->rules->runs_needed ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    if (differ) {
        mls_findings_add(
            &group->findings, MLS_FINDING_MIXED_GROUP, (mls_finding_place){.key = MLS_S("number_of_nodes")},
            "the runs differ in number_of_nodes times accelerators_per_node; the value of the first valid run is used");
    }
}

/* ------------------------------------------------------------ olympic mean */

/* Relative tolerance for comparing distances to the median.  If the number of windows is even, the two middle ones are
 * equally close to the median except for rounding errors. */
#define EQUALLY_CLOSE 1e-12

/* The group being scored, and scratch memory. */
typedef struct olympic_scoring {
    mls_group *group;
    mls_placed *by_start;  /* all runs, with their index in the group */
    mls_placed *by_time;   /* the valid runs of a window */
    double *minutes;       /* the times of the runs in by_time */
    double *window_scores; /* the scores of all windows, twice: in the order of windows, and sorted */
} olympic_scoring;

const char *mls_olympic_mark_name(mls_olympic_mark mark)
{
    static const char *const names[] = {
        [MLS_OLYMPIC_KEPT] = "kept",       [MLS_OLYMPIC_FASTEST] = "fastest", [MLS_OLYMPIC_SLOWEST] = "slowest",
        [MLS_OLYMPIC_DROPPED] = "dropped", [MLS_OLYMPIC_OUTSIDE] = "outside",
    };
    return (size_t)mark < sizeof names / sizeof names[0] ? names[mark] : "";
}

/* Compute the olympic mean of a window, or the plain mean if it has fewer runs than needed.  Mark its runs in
 * `marks` (may be NULL). */
static void score_window(const olympic_scoring *scoring, size_t first, size_t count, mls_olympic_mark *marks,
                         mls_olympic_result *result)
{
    const mls_benchmark *rules = scoring->group->rules;
    const bool plain = rules->runs_needed == 0 || count < rules->runs_needed;
    const size_t allowed = plain ? 0 : rules->left_out;
    size_t valid = 0;
    for (size_t i = first; i < first + count; i++) {
        const size_t index = scoring->by_start[i].place;
        if (run_counts(scoring->group->runs[index]))
            scoring->by_time[valid++] = (mls_placed){mls_run_minutes(scoring->group->runs[index]), index};
    }
    result->dropped = count - valid;
    if (!plain && result->dropped > allowed) {
        result->score_minutes = NAN;
        result->outcome = MLS_OLYMPIC_TOO_MANY_DROPPED;
        return;
    }
    mls_sort_placed(scoring->by_time, valid, sizeof *scoring->by_time);
    const size_t slowest = plain ? 0 : allowed - result->dropped;
    const size_t fastest = allowed < valid ? allowed : valid;
    const size_t end = slowest < valid - fastest ? valid - slowest : fastest;
    for (size_t i = 0; i < valid; i++) {
        scoring->minutes[i] = scoring->by_time[i].value;
        if (marks != NULL && (i < fastest || i >= end))
            marks[scoring->by_time[i].place] = i < fastest ? MLS_OLYMPIC_FASTEST : MLS_OLYMPIC_SLOWEST;
    }
    result->kept = end - fastest;
    result->score_minutes = mls_mean(scoring->minutes + fastest, result->kept);
    result->outcome = plain                        ? MLS_OLYMPIC_TOO_FEW_RUNS
                      : result->kept == 0          ? MLS_OLYMPIC_NOTHING_LEFT
                      : count > rules->runs_needed ? MLS_OLYMPIC_TOO_MANY_RUNS
                                                   : MLS_OLYMPIC_SCORED;
}

void mls_group_olympic(mls_group *group, bool select_window)
{
    const size_t room = group->run_count + 1;
    const size_t needed = group->rules->runs_needed;
    mls_placed *ranked = mls_calloc(room, 2 * sizeof *ranked);
    double *numbers = mls_calloc(room, 3 * sizeof *numbers);
    const olympic_scoring scoring = {group, ranked, ranked + room, numbers, numbers + room};
    mls_olympic_result *result = &group->score;
    group->marks = mls_calloc(room, sizeof *group->marks);
    *result = (mls_olympic_result){.score_minutes = NAN};
    for (size_t i = 0; i < group->run_count; i++) {
        const bool counts = run_counts(group->runs[i]);
        ranked[i] = (mls_placed){group->runs[i]->run_start.time_ms, i};
        result->dropped += !counts;
        group->marks[i] = counts ? MLS_OLYMPIC_KEPT : MLS_OLYMPIC_DROPPED;
    }
    mls_sort_placed(ranked, group->run_count, sizeof *ranked);
    const bool choose = select_window && needed > 0 && group->run_count > needed;
    if (choose) { /* select the window whose score is closest to the median */
        const size_t windows = group->run_count - needed + 1;
        double *scores = scoring.window_scores;
        double *sorted = scores + windows;
        size_t best = 0;
        for (size_t i = 0; i < windows; i++) {
            mls_olympic_result one;
            score_window(&scoring, i, needed, NULL, &one);
            scores[i] = sorted[i] = isnan(one.score_minutes) ? (double)INFINITY : one.score_minutes;
        }
        mls_sort_doubles(sorted, windows);
        const double median = mls_median(sorted, windows);
        for (size_t i = 1; i < windows; i++) {
            double nearer = fabs(scores[best] - median) - fabs(scores[i] - median);
            bool equally_close = fabs(nearer) <= EQUALLY_CLOSE * fabs(median);
            if (equally_close ? scores[i] > scores[best] : nearer > 0)
                best = i;
        }
        result->windowed = isfinite(median);
        result->window_first = result->windowed ? best : 0;
        result->window_count = result->windowed ? needed : 0;
    }
    if (choose && !result->windowed) {
        result->outcome = MLS_OLYMPIC_NO_WINDOW;
    } else {
        const size_t count = choose ? needed : group->run_count;
        score_window(&scoring, result->window_first, count, group->marks, result);
        for (size_t i = 0; i < group->run_count; i++)
            if (i < result->window_first || i >= result->window_first + count)
                group->marks[ranked[i].place] = MLS_OLYMPIC_OUTSIDE;
        result->official = result->outcome == MLS_OLYMPIC_SCORED;
    }
    /* Compute the spread of the valid runs; if a window was selected, only of the valid runs in it. */
    double *minutes = numbers;
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++)
        if (run_counts(group->runs[i]) && group->marks[i] != MLS_OLYMPIC_OUTSIDE)
            minutes[count++] = mls_run_minutes(group->runs[i]);
    group->has_spread = count >= 2;
    if (group->has_spread) {
        mls_sort_doubles(minutes, count);
        group->spread =
            (mls_spread){minutes[0], minutes[count - 1], mls_mean(minutes, count), mls_stdev_sample(minutes, count), 0};
        if (group->spread.mean_minutes > 0)
            group->spread.variation = group->spread.stdev_minutes / group->spread.mean_minutes;
    }
    free(ranked);
    free(numbers);
}

/* ------------------------------------------------------------ convergence */

/* Return the benchmark whose rules define the convergence of a run: the benchmark in its log if the edition has it,
 * otherwise the benchmark of the group. */
static const mls_benchmark *judged_by(const mls_group *group, const mls_run *run, const mls_editions *editions)
{
    const mls_str named = mls_str_from(run->benchmark);
    const mls_benchmark *benchmark = mls_benchmark_find(editions, group->usage, named);
    return mls_edition_has_benchmark(group->edition, named) ? mls_benchmark_in(benchmark, group->edition->number)
                                                            : group->rules;
}

static mls_status check_convergence(mls_group *group, const mls_run *const *runs, size_t count,
                                    const mls_score_options *options, mls_error *error)
{
    mls_rcp_outcome *rcp = &group->rcp;
    mls_rcp_rules rules = {options->editions, group->edition, group->rules};
    for (size_t i = 0; i < group->run_count;
         i++) { /* use the benchmark of all runs if they agree, otherwise that of the group */
        const mls_benchmark *own = judged_by(group, group->runs[i], options->editions);
        rules.benchmark = i == 0 || own == rules.benchmark ? own : group->rules;
    }
    if (!rules.benchmark->reference_points ||
        !mls_edition_has_benchmark(group->edition, mls_str_from(rules.benchmark->name)))
        return MLS_OK;
    double batch_size = NAN; /* batch size of the submitted runs, if they agree */
    const char *path = options->rcp_text.len > 0 ? options->rcp_path : NULL;
    rcp->shared = options->points != NULL;
    mls_status status = rcp->shared
                            ? mls_rcp_sets_find(options->points, &rules, options->rcp_text, path, &rcp->set, error)
                            : mls_rcp_set_new(&rules, options->rcp_text, path, &rcp->set, error);
    if (status == MLS_OK) {
        double *to_converge = mls_calloc(count + 1, sizeof *to_converge);
        for (size_t i = 0; i < count; i++) {
            const double logged = runs[i]->global_batch_size;
            batch_size = isnan(logged)                               ? batch_size
                         : isnan(batch_size) || batch_size == logged ? logged
                                                                     : MLS_RCP_BATCH_SIZE_DIFFERS;
            to_converge[i] = mls_run_converge_number(runs[i], judged_by(group, runs[i], options->editions),
                                                     group->edition, options->bert_train_samples);
        }
        rcp->result = mls_rcp_check(rcp->set, batch_size, to_converge, count);
        group->scale = rcp->result.score_scale;
        group->scaled_minutes = group->score.score_minutes * group->scale;
        rcp->check = rcp->result.pass ? MLS_CHECK_PASS : options->rcp_bypass ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
        free(to_converge);
        if (!rcp->result
                 .pass) { /* add the description without "fail: ", since the finding already reports the failure */
            const bool bypassed = rcp->check == MLS_CHECK_BYPASSED;
            mls_buffer words = {0};
            mls_rcp_result_describe(&rcp->result, group->score.score_minutes, &words);
            const size_t said = mls_str_starts(mls_buffer_str(&words), MLS_S("fail: ")) ? strlen("fail: ") : 0;
            mls_findings_add_as(&rcp->findings, MLS_FINDING_RCP, bypassed ? MLS_SEVERITY_WARNING : MLS_SEVERITY_ERROR,
                                (mls_finding_place){.path = group->path}, "%s%s", words.ptr + said,
                                bypassed ? " (bypassed)" : "");
            mls_buffer_release(&words);
            const mls_rcp_match match = rcp->result.match;
            const bool missing = match == MLS_RCP_MISSING || match == MLS_RCP_NO_POINTS;
            for (size_t i = missing ? MLS_ADVICE_MISSING_POINT : MLS_ADVICE_FAILED_CONVERGENCE;
                 i <= MLS_ADVICE_FAILED_CONVERGENCE && match != MLS_RCP_TOO_FEW_RUNS && !bypassed; i++) {
                const mls_edition_advice *advice = &group->edition->advice[i];
                if (advice->says != NULL) {
                    mls_findings_add(&rcp->findings, MLS_FINDING_RULES_TEXT, (mls_finding_place){.path = group->path},
                                     "%s (%s)", advice->says, advice->source);
                }
            }
        }
    }
    return status;
}

/* ------------------------------------------------------------------- seeds */

/* The maximum number of logs listed in a message about a shared seed. */
enum { NAMED_MAX = 4 };

/* Add a finding about a seed.  If the check is bypassed, errors become warnings. */
MLS_PRINTF(6, 7)
static void add_problem(mls_seed_outcome *outcome, bool bypass, mls_finding_code code, const mls_run *run, size_t line,
                        const char *format, ...)
{
    const mls_severity severity = mls_finding_info_get(code)->severity;
    const bool soften = bypass && severity == MLS_SEVERITY_ERROR;
    const mls_finding_place place = {.path = run->file, .line = line, .key = MLS_S("seed")};
    mls_buffer words = {0};
    va_list args;
    va_start(args, format);
    mls_buffer_vprintf(&words, format, args);
    va_end(args);
    if (severity == MLS_SEVERITY_ERROR)
        outcome->check = soften ? MLS_CHECK_BYPASSED : MLS_CHECK_FAIL;
    mls_findings_add_as(&outcome->findings, code, soften ? MLS_SEVERITY_WARNING : severity, place, "%s%s", words.ptr,
                        soften ? " (bypassed)" : "");
    mls_buffer_release(&words);
}

/* Runs whose seed records have equal file, line and value. */
typedef struct equal_seeds {
    size_t count;
    struct {
        const mls_run *run;
        const mls_seed *seed;
    } named[NAMED_MAX];
} equal_seeds;

void mls_seeds_check(const mls_run *const *runs, size_t count, bool bypass, mls_seed_outcome *outcome)
{
    mls_arena arena = {0};
    mls_map by_identity = {.arena = &arena};
    outcome->check = MLS_CHECK_PASS;
    for (size_t i = 0; i < count; i++) {
        const mls_run *run = runs[i];
        const char *name = mls_path_name(run->file);
        if (run->malformed > 0) {
            add_problem(outcome, bypass, MLS_FINDING_SEED_UNSURE, run, 0,
                        "%s has malformed lines (%zu), which may hide a seed", name, run->malformed);
        }
        if (run->too_many_seeds)
            add_problem(outcome, bypass, MLS_FINDING_SEED_UNSURE, run, 0, "%s logs more than %d seeds", name,
                        MLS_SEEDS_MAX);
        if (run->seed_count == 0)
            add_problem(outcome, bypass, MLS_FINDING_SEED_MISSING, run, 0, "%s logs no seed", name);
        else if (run->seed_count > 1)
            add_problem(outcome, bypass, MLS_FINDING_SEED_SEVERAL, run, 0, "%s logs %zu seeds", name, run->seed_count);
        outcome->count += run->seed_count;
        for (size_t k = 0; k < run->seed_count; k++) {
            const mls_seed *seed = &run->seeds[k];
            if (seed->identity.len == 0) {
                add_problem(outcome, bypass, MLS_FINDING_SEED_PLACE, run, seed->line,
                            "%s:%zu: the metadata of the seed lack file or lineno", name, seed->line);
            }
            if (!seed->is_integer) {
                add_problem(outcome, bypass, MLS_FINDING_SEED_VALUE, run, seed->line,
                            "%s:%zu: the seed is not an integer: %.*s", name, seed->line, MLS_CUT(seed->value, 40));
            }
            if (seed->identity.len == 0)
                continue;
            mls_map_entry *entry = mls_map_put(&by_identity, seed->identity, NULL);
            if (entry->value.pointer == NULL)
                entry->value.pointer = mls_arena_zeroed(&arena, 1, sizeof(equal_seeds));
            equal_seeds *equal = entry->value.pointer;
            if (equal->count < NAMED_MAX) {
                equal->named[equal->count].run = run;
                equal->named[equal->count].seed = seed;
            }
            equal->count++;
        }
    }
    outcome->different = by_identity.count;
    /* "result_0.txt:17, result_3.txt:17 and 2 more share seed 42 (logged by train.py:83)" */
    for (size_t i = 0; i < by_identity.count; i++) {
        const equal_seeds *equal = by_identity.entries[i].value.pointer;
        const mls_seed *first = equal->named[0].seed;
        mls_buffer words = {0};
        if (equal->count < 2)
            continue;
        for (size_t k = 0; k < equal->count && k < NAMED_MAX; k++) {
            const char *before = k == 0 ? "" : k + 1 == equal->count ? " and " : ", ";
            mls_buffer_printf(&words, "%s%s:%zu", before, mls_path_name(equal->named[k].run->file),
                              equal->named[k].seed->line);
        }
        if (equal->count > NAMED_MAX)
            mls_words_append_more(&words, equal->count - NAMED_MAX, NULL, NULL);
        add_problem(outcome, bypass, MLS_FINDING_SEED_REPEATED, equal->named[0].run, first->line,
                    "%s share seed %.*s (logged by %.*s:%.*s)", words.ptr, (int)first->value.len, first->value.ptr,
                    (int)first->file.len, first->file.ptr, (int)first->lineno.len, first->lineno.ptr);
        mls_buffer_release(&words);
    }
    mls_arena_release(&arena);
}

/* ------------------------------------------------------- config and energy */

/* Return the first run that printed its degrees of parallelism; NULL if there is none. */
static const mls_run *split_run(const mls_group *group)
{
    static const uint32_t none[MLS_DEGREES];
    for (size_t i = 0; i < group->run_count; i++)
        if (memcmp(group->runs[i]->facts.degrees, none, sizeof none) != 0)
            return group->runs[i];
    return NULL;
}

mls_config_name mls_group_shape(const mls_group *group)
{
    const mls_run *split = split_run(group);
    mls_config_name shape = mls_config_name_decode(mls_str_from(group->config));
    if (split != NULL)
        mls_config_name_take_degrees(&shape, split->facts.degrees);
    return shape;
}

static void check_config(mls_group *group)
{
    if (group->config == NULL)
        return;
    const mls_config_name name = mls_config_name_decode(mls_str_from(group->config));
    const mls_run *split = split_run(group);
    const double named = (double)mls_group_shape(group).global_batch_size;
    const bool other = split != NULL && (double)name.global_batch_size != named;
    if (name.problem != NULL) {
        mls_findings_add_as(&group->findings, MLS_FINDING_CONFIG_NAME, MLS_SEVERITY_ADVICE, (mls_finding_place){0},
                            "the config that the logs name: %s", name.problem);
    }
    if (split != NULL)
        mls_config_compare_printed(&name, split->facts.degrees, split->file, &group->findings);
    if (named > 0 && !isnan(group->global_batch_size) && named != group->global_batch_size) {
        mls_findings_add(&group->findings, MLS_FINDING_CONFIG_LOGGED_BATCH,
                         (mls_finding_place){.key = MLS_S("global_batch_size")},
                         "%sthe name of the config gives a global batch of %.0f with micro batch 1, the logs say %.15g",
                         other ? "with the parallelism that the job printed, " : "", named, group->global_batch_size);
    }
}

void mls_group_energy(mls_group *group)
{
    mls_power_outcome *power = &group->power;
    double sum = 0;
    size_t kept = 0;
    power->energy_joules = NAN;
    if (power->joules == NULL)
        return;
    power->check = power->wrong == 0 ? MLS_CHECK_PASS : MLS_CHECK_FAIL;
    for (size_t i = 0; i < group->run_count; i++) {
        if (group->marks != NULL && group->marks[i] == MLS_OLYMPIC_KEPT) {
            sum += power->joules[i];
            kept++;
        }
    }
    if (kept > 0 && isfinite(group->score.score_minutes))
        power->energy_joules = sum / (double)kept * group->scale;
}

/* --------------------------------------- questions about a scored group */

mls_finding_counts mls_group_found(const mls_group *group)
{
    mls_finding_counts all = group->findings.counts;
    mls_finding_counts_add(&all, &group->seeds.findings.counts);
    for (size_t i = 0; i < group->run_count; i++)
        mls_finding_counts_add(&all, &group->runs[i]->findings.counts);
    return all;
}

size_t mls_group_valid_runs(const mls_group *group)
{
    size_t valid = 0;
    for (size_t i = 0; i < group->run_count; i++)
        valid += group->runs[i]->valid;
    return valid;
}

mls_group_outcome mls_group_result(const mls_group *group)
{
    const mls_weak_outcome *weak = &group->weak;
    return mls_is_weak(weak) ? (mls_group_outcome){weak->check == MLS_CHECK_PASS, weak->minutes, 1, weak->minutes}
                             : (mls_group_outcome){group->score.official, group->score.score_minutes, group->scale,
                                                   group->scaled_minutes};
}

bool mls_group_passes(const mls_group *group, bool strict)
{
    const mls_finding_counts all = mls_group_found(group);
    bool well = mls_group_result(group).official && group->rules->runs_needed > 0 &&
                group->rcp.check != MLS_CHECK_FAIL && group->seeds.check != MLS_CHECK_FAIL &&
                mls_findings_pass(&group->findings.counts, false) && (!strict || mls_findings_pass(&all, true));
    for (size_t k = 0; strict && k < group->run_count; k++)
        well &= group->runs[k]->valid;
    return well;
}

bool mls_group_is_scaled(const mls_group *group)
{
    return group->result_folder && group->rcp.check == MLS_CHECK_PASS && group->score.official;
}

mls_convergence mls_group_to_converge(const mls_group *group)
{
    const mls_convergence unknown = {(double)NAN, NULL};
    mls_convergence all = {0, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_convergence own = mls_run_to_converge(group->runs[i]);
        if (group->marks[i] == MLS_OLYMPIC_KEPT) {
            if (isnan(own.number) || (kept++ > 0 && strcmp(own.unit, all.unit) != 0))
                return unknown;
            all = (mls_convergence){all.number + own.number, own.unit};
        }
    }
    return kept > 0 ? (mls_convergence){all.number / (double)kept, all.unit} : unknown;
}

void mls_group_release(mls_group *group)
{
    free(group->path);
    free((void *)group->runs);
    free(group->marks);
    free(group->power.joules);
    mls_arena_free(group->arena);
    mls_rcp_set_free(group->rcp.shared ? NULL : group->rcp.set);
    mls_findings_release(&group->rcp.findings);
    mls_findings_release(&group->seeds.findings);
    mls_findings_release(&group->findings);
    *group = (mls_group){0};
}

/* ------------------------------------------------ sorting runs into groups */

/* If there are more groups, guess_group() fails, since comparing incomplete runs with all groups would be too slow. */
enum { GROUPS_GUESSED_MAX = 1000 };

/* The groups found so far, and the keys of all runs.  A run is compared with the first run of each group. */
typedef struct grouped_runs {
    MLS_LIST_OF(mls_group) groups;
    const mls_run *runs;
    const mls_run_key *keys;
} grouped_runs;

static mls_str folder_of(mls_str path)
{
    const mls_str folder = mls_path_folder(path);
    return folder.len == 0 ? MLS_S(".") : (mls_str){folder.ptr, folder.len - (folder.len > 1)};
}

mls_run_key mls_run_key_of(const mls_run *run)
{
    mls_run_key key = {.file = run->file, .global_batch_size = run->global_batch_size, .result = run->result};
    for (int fact = 0; fact < MLS_FACT_TEXTS; fact++)
        key.says[fact] = fact_of(run, (mls_run_fact)fact);
    return key;
}

/* Texts are NUL-terminated; a missing text differs from an empty one. */
mls_str mls_run_group_key(const mls_run_key *run, mls_buffer *bytes)
{
    mls_buffer_clear(bytes);
    mls_buffer_append_char(bytes, run->result ? 'r' : 'g');
    if (run->result) {
        mls_buffer_append(bytes, folder_of(mls_str_from(run->file)));
        return mls_buffer_str(bytes);
    }
    for (int fact = 0; fact < MLS_FACT_TEXTS; fact++) {
        const char *text = run->says[fact];
        mls_buffer_append_text(bytes, text != NULL ? "=" : "-");
        mls_buffer_append_text(bytes, text != NULL ? text : "");
        mls_buffer_append_char(bytes, '\0');
    }
    /* 0.0 and -0.0 are equal, and so are all NANs. */
    mls_buffer_append_text(bytes, mls_words_exact(run->global_batch_size == 0 ? 0 : run->global_batch_size).text);
    return mls_buffer_str(bytes);
}

/* Return the group to which an incomplete run belongs.  The facts that the run logged must not differ from those of the
 * group.  Return the only such group in the folder of the run, or else the only one in any folder; otherwise NULL. */
static mls_group *guess_group(const grouped_runs *grouping, const mls_run_key *run)
{
    mls_group *found[2] = {NULL, NULL}; /* last group found in the folder of the run, and in any folder */
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < grouping->groups.count && grouping->groups.count <= GROUPS_GUESSED_MAX; i++) {
        mls_group *group = &grouping->groups.items[i];
        const mls_run_key *first = &grouping->keys[group->runs[0] - grouping->runs];
        bool same = !first->result && !run->result && !(first->global_batch_size < run->global_batch_size) &&
                    !(first->global_batch_size > run->global_batch_size);
        for (int fact = 0; fact < MLS_FACT_TEXTS && same; fact++)
            same =
                first->says[fact] == NULL || run->says[fact] == NULL || strcmp(first->says[fact], run->says[fact]) == 0;
        if (same) {
            const mls_str folder = folder_of(mls_str_from(first->file));
            for (size_t k = mls_str_equal(folder, folder_of(mls_str_from(run->file))) ? 0 : 1; k < 2; k++) {
                found[k] = group;
                counts[k]++;
            }
        }
    }
    return counts[0] == 1 ? found[0] : counts[1] == 1 ? found[1] : NULL;
}

static int compare_runs(const void *a, const void *b)
{
    const mls_run *x = *(const mls_run *const *)a;
    const mls_run *y = *(const mls_run *const *)b;
    const int order = mls_str_compare_natural(mls_str_from(x->file), mls_str_from(y->file));
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_groups(const void *a, const void *b)
{
    return compare_runs(((const mls_group *)a)->runs, ((const mls_group *)b)->runs);
}

void mls_group_runs(const mls_run *runs, size_t run_count, mls_group **groups, size_t *count)
{
    mls_run_key *keys = mls_calloc(run_count + 1, sizeof *keys);
    grouped_runs grouping = {.runs = runs, .keys = keys};
    mls_arena arena = {0};
    mls_map by_key = {.arena = &arena}; /* bytes of a key → number of the group */
    mls_buffer bytes = {0};
    for (size_t i = 0; i < run_count; i++)
        keys[i] = mls_run_key_of(&runs[i]);
    /* The first pass makes the groups of complete runs, and the second pass assigns incomplete runs to them. */
    for (size_t i = 0; i < 2 * run_count; i++) {
        const size_t number = i % run_count;
        const mls_run_key *run = &keys[number];
        const bool gaps = !run->result && (run->says[MLS_FACT_BENCHMARK] == NULL ||
                                           run->says[MLS_FACT_DIVISION] == NULL || isnan(run->global_batch_size));
        if (gaps != (i >= run_count))
            continue;
        const mls_str key = mls_run_group_key(run, &bytes);
        const mls_map_entry *known = mls_map_find(&by_key, key);
        mls_group *group = known != NULL ? &grouping.groups.items[known->value.number]
                           : gaps        ? guess_group(&grouping, run)
                                         : NULL;
        if (group == NULL) {
            mls_map_put(&by_key, key, NULL)->value.number = grouping.groups.count;
            MLS_GROW(&grouping.groups, items);
            group = &grouping.groups.items[grouping.groups.count++];
            *group = (mls_group){.result_folder = runs[number].result};
        }
        mls_grow((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs);
        group->runs[group->run_count++] = &runs[number];
    }
    for (size_t i = 0; i < grouping.groups.count; i++) {
        mls_group *group = &grouping.groups.items[i];
        mls_fit((void **)&group->runs, group->run_count, &group->run_capacity, sizeof *group->runs);
        /* Sort runs that joined late by the names of their files. */
        qsort((void *)group->runs, group->run_count, sizeof *group->runs, compare_runs);
        /* The path is the folder, or file, that contains all runs. */
        const mls_str file = mls_str_from(group->runs[0]->file);
        bool one_file = !group->result_folder;
        mls_str common = file;
        for (size_t k = 1; k < group->run_count; k++) {
            const mls_str other = mls_str_from(group->runs[k]->file);
            size_t same = 0;
            while (same < common.len && same < other.len && common.ptr[same] == other.ptr[same])
                same++;
            one_file = one_file && mls_str_equal(file, other);
            common.len = same;
        }
        const mls_str path = one_file ? file : folder_of(common);
        group->path = mls_strndup(path.ptr, path.len);
    }
    if (grouping.groups.count > 1)
        qsort(grouping.groups.items, grouping.groups.count, sizeof *grouping.groups.items, compare_groups);
    mls_fit((void **)&grouping.groups.items, grouping.groups.count, &grouping.groups.capacity,
            sizeof *grouping.groups.items);
    mls_arena_release(&arena);
    mls_buffer_release(&bytes);
    free(keys);
    *groups = grouping.groups.items;
    *count = grouping.groups.count;
}
