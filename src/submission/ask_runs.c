/* SPDX-License-Identifier: Apache-2.0 */
/* ask_runs.c - questions about the course and the times of runs: the same run twice, a stop before the last evaluation,
 * uncleared caches, runs days apart or outside of the round, and runs that are much faster or slower than the others.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/words.h"
#include "submission/judge.h"

#define HOUR_MS 3600000.0

/* No run was made before 2000. */
#define FIRST_DATE_MS 946684800000.0

/* stop-early: minimum time from run_stop to an evaluation that is reported; lines of ranks are a few milliseconds out
 * of order. */
#define LATE_MS 1000

/* run-gap: minimum time between runs that is reported, in hours and in mean run times. */
#define GAP_HOURS 72
#define GAP_RUNS 10

/* run-fast, run-slow: the number of runs needed, and the limits, relative and in standard deviations. */
enum { PACE_RUNS_MIN = 5 };
#define PACE_FAR 0.10
#define PACE_DEVIATIONS 5

/* same-course: minimum numbers of evaluations, and of different values, of runs whose equality is not a coincidence. */
enum { COURSE_MIN = 3 };

static double rounded(double number, int decimals)
{
    return mls_number_round(number, decimals);
}

/* Return the start of a run; NAN if it is unknown or no date. */
static double date_of(const mls_submission_run *run)
{
    const double start_ms = run->run.run_start.time_ms;
    return start_ms >= FIRST_DATE_MS ? start_ms : (double)NAN;
}

/* -------------------------------------------------------------------------------------------------------- one run */

static void ask_stop_early(mls_submission *submission, mls_ask_about about)
{
    const mls_run *run = &about.run->run;
    size_t late = 0;
    double latest_ms = 0;
    if (run->run_stop.line == 0 || mls_str_among(mls_str_from(about.result->benchmark), "minigo stable_diffusion"))
        return;
    for (size_t i = 0; i < about.run->notes->evaluations.count; i++) {
        const mls_noted_evaluation *evaluation = &about.run->notes->evaluations.items[i];
        const double ms = evaluation->time_ms - run->run_stop.time_ms;
        if (evaluation->line < run->run_stop.line && ms > LATE_MS) {
            late++;
            latest_ms = fmax(latest_ms, ms);
        }
    }
    if (late == 0)
        return;
    cJSON *fields = cJSON_CreateObject();
    (void)cJSON_AddNumberToObject(fields, "ms", latest_ms);
    (void)cJSON_AddNumberToObject(fields, "evaluations", (double)late);
    about.line = run->run_stop.line;
    (void)mls_ask(submission, MLS_FINDING_STOP_EARLY, about, fields,
                  "run_stop is %s s before the time of an evaluation that is logged above it (%zu such evaluations)",
                  mls_words_grouped(latest_ms / 1000, 1).text, late);
}

static void ask_cache_clear(mls_submission *submission, mls_ask_about about)
{
    static const struct {
        const char *reason, *message;
    } reasons[] = {{"false", "log that caches were not cleared"}, {"after", "cleared caches only after run_start"}};
    size_t runs[2] = {0, 0};
    for (size_t i = 0; i < about.result->run_count; i++) {
        const mls_submission_run *run = &about.result->runs[i];
        runs[0] += run->notes != NULL && run->notes->uncleared_line > 0;
        runs[1] += run->notes != NULL && run->notes->clear_line > 0 && run->notes->first_clear_ms > date_of(run);
    }
    for (size_t k = 0; k < 2; k++) {
        if (runs[k] > 0) {
            cJSON *fields = cJSON_CreateObject();
            (void)cJSON_AddStringToObject(fields, "reason", reasons[k].reason);
            (void)cJSON_AddNumberToObject(fields, "runs", (double)runs[k]);
            (void)mls_ask(submission, MLS_FINDING_CACHE_CLEAR, about, fields, "%zu of its %zu logs %s", runs[k],
                          about.result->run_count, reasons[k].message);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ the clock */

/* A run with its start, which comes first for sorting. */
typedef struct run_in_time {
    double start_ms, stop_ms;
    const mls_submission_run *run;
} run_in_time;

static void ask_gap(mls_submission *submission, mls_ask_about about)
{
    const mls_submission_result *result = about.result;
    run_in_time *runs = mls_calloc(result->run_count + 1, sizeof *runs);
    size_t count = 0;
    double mean_ms = 0;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_submission_run *run = &result->runs[i];
        if (!isnan(date_of(run)) && run->run.run_stop.time_ms >= run->run.run_start.time_ms) {
            runs[count++] = (run_in_time){date_of(run), run->run.run_stop.time_ms, run};
            mean_ms += run->run.run_stop.time_ms - run->run.run_start.time_ms;
        }
    }
    mean_ms /= count > 0 ? (double)count : 1;
    mls_sort_by_double(runs, count, sizeof *runs);
    const run_in_time *last = runs; /* the run with the last stop so far */
    const run_in_time *after = NULL;
    const run_in_time *before = NULL;
    double longest_ms = fmax(GAP_HOURS * HOUR_MS, GAP_RUNS * mean_ms);
    for (size_t i = 1; i < count; i++) {
        const double gap_ms = runs[i].start_ms - last->stop_ms;
        if (before == NULL ? gap_ms >= longest_ms : gap_ms > longest_ms) {
            longest_ms = gap_ms;
            after = last;
            before = &runs[i];
        }
        last = runs[i].stop_ms > last->stop_ms ? &runs[i] : last;
    }
    if (before != NULL) {
        cJSON *fields = cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(fields, "hours", rounded(longest_ms / HOUR_MS, 1));
        (void)cJSON_AddStringToObject(fields, "after", after->run->file.path);
        (void)cJSON_AddStringToObject(fields, "before", before->run->file.path);
        (void)cJSON_AddNumberToObject(fields, "first_ms", runs[0].start_ms);
        (void)cJSON_AddNumberToObject(fields, "last_ms", runs[count - 1].start_ms);
        (void)mls_ask(submission, MLS_FINDING_RUN_GAP, about, fields, "%s hours pass between %s and %s",
                      mls_words_grouped(longest_ms / HOUR_MS, 1).text, mls_path_name(after->run->file.path),
                      mls_path_name(before->run->file.path));
    }
    free(runs);
}

static void ask_date(mls_submission *submission, mls_ask_about about, const double window[static 2])
{
    const mls_submission_result *result = about.result;
    size_t outside = 0;
    double first_ms = INFINITY;
    for (size_t i = 0; i < result->run_count; i++) {
        const double start_ms = date_of(&result->runs[i]);
        if (result->runs[i].published)
            return;
        if (start_ms < window[0] || start_ms >= window[1]) {
            outside++;
            first_ms = fmin(first_ms, start_ms);
        }
    }
    if (outside == 0)
        return;
    struct tm parts;
    const time_t seconds = fabs(first_ms) < 1e15 ? (time_t)(first_ms / 1000) : 0;
    char date[32] = "an unknown day";
    if (gmtime_r(&seconds, &parts) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%d", &parts);
    cJSON *fields = cJSON_CreateObject();
    (void)cJSON_AddNumberToObject(fields, "runs", (double)outside);
    (void)cJSON_AddNumberToObject(fields, "first_ms", first_ms);
    cJSON *range = cJSON_AddArrayToObject(fields, "window");
    for (size_t i = 0; i < 2; i++)
        (void)cJSON_AddItemToArray(range, isfinite(window[i]) ? cJSON_CreateNumber(window[i]) : cJSON_CreateNull());
    (void)mls_ask(submission, MLS_FINDING_RUN_DATE, about, fields,
                  "%zu of its %zu runs began outside of the months of the round, the first on %s", outside,
                  result->run_count, date);
}

/* Ask about runs whose time per position is far from the median. */
static void ask_pace(mls_submission *submission, mls_ask_about about)
{
    mls_submission_result *result = about.result;
    const double least = strcmp(result->benchmark, "bert") == 0 ? 1000 : 0;
    double *paces = mls_calloc(3 * (result->run_count + 1), sizeof *paces); /* of each run; sorted; scratch */
    double *sorted = paces + result->run_count + 1;
    size_t count = 0;
    for (size_t i = 0; i < result->run_count; i++) {
        const mls_submission_run *run = &result->runs[i];
        const double ms = run->run.run_stop.time_ms - run->run.run_start.time_ms;
        double most = 0;
        for (size_t k = 0; run->notes != NULL && k < run->notes->evaluations.count; k++)
            most = fmax(most, run->notes->evaluations.items[k].position);
        paces[i] = run->run.status == MLS_RUN_SUCCESS && ms > 0 && most > 0 && most >= least ? ms / most : (double)NAN;
        if (!isnan(paces[i]))
            sorted[count++] = paces[i];
    }
    mls_sort_doubles(sorted, count);
    const double median = mls_median(sorted, count);
    const double distance = mls_median_distance(sorted, count, median, sorted + result->run_count + 1);
    const double limit = fmax(PACE_FAR, PACE_DEVIATIONS * MLS_DISTANCE_TO_STDEV * distance / median);
    for (size_t i = 0; i < result->run_count && count >= PACE_RUNS_MIN; i++) {
        const double factor = paces[i] / median;
        const bool slow = factor > 1 + limit;
        if (slow || factor < 1 - limit) {
            cJSON *fields = cJSON_CreateObject();
            (void)cJSON_AddNumberToObject(fields, "factor", rounded(factor, 4));
            (void)cJSON_AddNumberToObject(fields, "limit", rounded(slow ? 1 + limit : 1 - limit, 4));
            about.run = &result->runs[i];
            (void)mls_ask(submission, slow ? MLS_FINDING_RUN_SLOW : MLS_FINDING_RUN_FAST, about, fields,
                          "takes %s %s time for its samples than the median of the %zu runs",
                          mls_words_percent(fabs(factor - 1), 1).text, slow ? "more" : "less", count);
        }
    }
    free(paces);
}

/* ------------------------------------------------------------------------------------------------- the same run twice
 */

/* A run with its owners. */
typedef struct course {
    mls_submitter *submitter;
    mls_submission_result *result;
    const mls_submission_run *run;
} course;
typedef MLS_LIST_OF(course) courses;

static int compare_evaluations(const mls_submission_run *a, const mls_submission_run *b)
{
    const size_t count = a->notes->evaluations.count;
    int order = mls_compare_sizes(count, b->notes->evaluations.count);
    for (size_t i = 0; i < count && order == 0; i++) {
        const mls_noted_evaluation *x = &a->notes->evaluations.items[i];
        const mls_noted_evaluation *y = &b->notes->evaluations.items[i];
        order = mls_compare_doubles(x->position, y->position);
        order = order != 0 ? order : mls_compare_doubles(x->value, y->value);
    }
    return order;
}

/* Compare by evaluations, then by start, then by path. */
static int compare_courses(const void *left, const void *right)
{
    const mls_submission_run *a = ((const course *)left)->run;
    const mls_submission_run *b = ((const course *)right)->run;
    int order = compare_evaluations(a, b);
    order = order != 0 ? order : mls_compare_doubles(a->run.run_start.time_ms, b->run.run_start.time_ms);
    return order != 0 ? order : strcmp(a->file.path, b->file.path);
}

static int compare_course_paths(const void *left, const void *right)
{
    return strcmp(((const course *)left)->run->file.path, ((const course *)right)->run->file.path);
}

/* Return whether the evaluations are too many and too different to be equal by coincidence. */
static bool is_distinctive(const mls_submission_run *run)
{
    double seen[COURSE_MIN];
    size_t different = 0;
    for (size_t i = 0; i < run->notes->evaluations.count && different < COURSE_MIN; i++) {
        bool known = isnan(run->notes->evaluations.items[i].value);
        for (size_t k = 0; k < different && !known; k++)
            known = mls_compare_doubles(seen[k], run->notes->evaluations.items[i].value) == 0;
        if (!known)
            seen[different++] = run->notes->evaluations.items[i].value;
    }
    return different == COURSE_MIN;
}

/* Runs that are the same, sorted by path. */
typedef struct same_runs {
    course *items;
    size_t count;
} same_runs;

/* Compare by the results of the runs, then by the runs. */
static int compare_results_of(const same_runs *a, const same_runs *b)
{
    const char *result_a = NULL;
    const char *result_b = NULL;
    for (size_t i = 0, k = 0;;) {
        while (i < a->count && a->items[i].result->path == result_a)
            i++;
        while (k < b->count && b->items[k].result->path == result_b)
            k++;
        if (i == a->count || k == b->count)
            return (i < a->count) - (k < b->count);
        result_a = a->items[i].result->path;
        result_b = b->items[k].result->path;
        const int order = strcmp(result_a, result_b);
        if (order != 0)
            return order;
    }
}

static int compare_same_runs(const void *left, const void *right)
{
    const same_runs *a = left;
    const same_runs *b = right;
    const int order = compare_results_of(a, b);
    return order != 0 ? order : strcmp(a->items[0].run->file.path, b->items[0].run->file.path);
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Ask one question for each set of results that share runs. */
static void ask_same(mls_submission *submission, mls_finding_code code, same_runs *groups, size_t count)
{
    if (count > 1)
        qsort(groups, count, sizeof *groups, compare_same_runs);
    for (size_t first = 0, end = 0; first < count; first = end) {
        cJSON *fields = cJSON_CreateObject();
        cJSON *runs = cJSON_AddArrayToObject(fields, "runs");
        for (; end < count && compare_results_of(&groups[first], &groups[end]) == 0; end++) {
            cJSON *list = cJSON_CreateArray();
            for (size_t i = 0; i < groups[end].count; i++)
                (void)cJSON_AddItemToArray(list, cJSON_CreateString(groups[end].items[i].run->file.path));
            (void)cJSON_AddItemToArray(runs, list);
        }
        const same_runs *group = &groups[first];
        const course *one = &group->items[0];
        const course *other = &group->items[1];
        mls_question *question = mls_ask(
            submission, code, (mls_ask_about){.submitter = one->submitter, .result = one->result}, fields,
            code == MLS_FINDING_SAME_RUN ? "%s%s has the start and the evaluations of %s in another log"
                                         : "%s%s has the evaluations of %s, which began at another time",
            end - first > 1 ? mls_arena_printf(submission->arena, "%zu runs occur several times: ", end - first) : "",
            mls_path_name(one->run->file.path),
            one->result == other->result ? mls_path_name(other->run->file.path) : other->run->file.path);
        for (size_t i = 1; i < group->count; i++)
            mls_question_add_result(question, group->items[i].result->path);
        qsort((void *)question->results.items, question->results.count, sizeof *question->results.items, compare_paths);
    }
}

static void ask_twice(mls_submission *submission, courses *all)
{
    same_runs *starts = mls_calloc(all->count + 1, sizeof *starts); /* with equal start and evaluations */
    same_runs *alike = mls_calloc(all->count + 1, sizeof *alike);   /* with equal evaluations */
    size_t start_count = 0;
    size_t alike_count = 0;
    if (all->count > 1)
        qsort(all->items, all->count, sizeof *all->items, compare_courses);
    for (size_t first = 0, end = 0; first < all->count; first = end) {
        size_t different = 0; /* starts */
        for (size_t run = first;
             end < all->count && compare_evaluations(all->items[first].run, all->items[end].run) == 0; run = end) {
            const mls_submission_run *original = all->items[run].run;
            bool copies = true;
            original = original->copy_of != NULL ? original->copy_of : original;
            while (end < all->count && compare_evaluations(all->items[first].run, all->items[end].run) == 0 &&
                   all->items[end].run->run.run_start.time_ms == all->items[run].run->run.run_start.time_ms) {
                const mls_submission_run *next = all->items[end++].run;
                copies &= (next->copy_of != NULL ? next->copy_of : next) == original;
            }
            different++;
            if (!copies)
                starts[start_count++] = (same_runs){&all->items[run], end - run};
        }
        if (different > 1 && is_distinctive(all->items[first].run))
            alike[alike_count++] = (same_runs){&all->items[first], end - first};
    }
    for (size_t i = 0; i < start_count; i++)
        qsort(starts[i].items, starts[i].count, sizeof *starts[i].items, compare_course_paths);
    ask_same(submission, MLS_FINDING_SAME_RUN, starts, start_count);
    for (size_t i = 0; i < alike_count; i++)
        qsort(alike[i].items, alike[i].count, sizeof *alike[i].items, compare_course_paths);
    ask_same(submission, MLS_FINDING_SAME_COURSE, alike, alike_count);
    free(starts);
    free(alike);
}

void mls_runs_ask(mls_submission *submission)
{
    const mls_editions *editions = mls_rulesets_editions(submission->options.rulesets);
    const mls_usage usage = submission->options.usage;
    double window[2] = {-INFINITY, submission->edition->last_run_ms};
    courses all = {0};
    for (size_t i = 1; i < mls_editions_count(editions, usage); i++)
        if (mls_editions_get(editions, usage, i) == submission->edition)
            window[0] = mls_editions_get(editions, usage, i - 1)->last_run_ms;
    for (size_t s = 0; s < submission->submitter_count; s++) {
        mls_submitter *submitter = &submission->submitters[s];
        for (size_t r = 0; r < submitter->result_count; r++) {
            mls_submission_result *result = &submitter->results[r];
            mls_ask_about about = {.submitter = submitter, .result = result};
            if (!result->judged)
                continue;
            for (size_t i = 0; i < result->run_count; i++) {
                mls_submission_run *run = &result->runs[i];
                if (run->notes == NULL)
                    continue;
                ask_stop_early(submission, (mls_ask_about){.submitter = submitter, .result = result, .run = run});
                if (!isnan(run->run.run_start.time_ms) && run->notes->evaluations.count > 0) {
                    MLS_GROW(&all, items);
                    all.items[all.count++] = (course){submitter, result, run};
                }
            }
            ask_cache_clear(submission, about);
            ask_date(submission, about, window);
            if (!result->weak)
                ask_gap(submission, about);
            if (!result->weak && strcmp(result->benchmark, "minigo") != 0)
                ask_pace(submission, about);
        }
    }
    ask_twice(submission, &all);
    free(all.items);
}
