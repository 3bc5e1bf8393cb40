/* SPDX-License-Identifier: Apache-2.0 */
#include "mlscore/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "score/group_checks.h"

/* A text that every run should have the same of. */
typedef const char *(*mls_run_text_get)(const mls_run *run);

static const char *mls_run_benchmark(const mls_run *run)
{
    return run->benchmark;
}

static const char *mls_run_division(const mls_run *run)
{
    return run->division;
}

/*
 * The text that all runs which log one agree on; NULL with a finding when they
 * differ, NULL without when none has it.
 */
static const char *mls_group_agree(mls_group *group, mls_run_text_get get, const char *what)
{
    const mls_run *first = NULL;
    for (size_t i = 0; i < group->run_count; i++) {
        const char *text = get(group->runs[i]);
        if (text == NULL) {
            continue;
        }
        if (first == NULL) {
            first = group->runs[i];
        } else if (strcmp(text, get(first)) != 0) {
            mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP, (mls_finding_place){.key = mls_str_from(what)},
                             "%s differs: %s in %s, %s in %s", what, get(first), mls_run_name(first), text,
                             mls_run_name(group->runs[i]));
            return NULL;
        }
    }
    return first != NULL ? get(first) : NULL;
}

static double mls_group_batch_size(mls_group *group)
{
    const mls_run *first = NULL;
    for (size_t i = 0; i < group->run_count; i++) {
        const mls_run *run = group->runs[i];
        if (isnan(run->global_batch_size)) {
            continue;
        }
        if (first == NULL) {
            first = run;
        } else if (run->global_batch_size != first->global_batch_size) {
            mls_findings_add(&group->findings, MLS_FINDING_MIXED_GROUP,
                             (mls_finding_place){.key = MLS_S("global_batch_size")},
                             "global_batch_size differs: %.15g in %s, %.15g in %s", first->global_batch_size,
                             mls_run_name(first), run->global_batch_size, mls_run_name(run));
            return (double)NAN;
        }
    }
    return first != NULL ? first->global_batch_size : (double)NAN;
}

/* Copies a text that may be NULL; false when memory runs out. */
static bool mls_text_set(char **member, const char *text)
{
    *member = text != NULL ? mls_copy_text(text, strlen(text)) : NULL;
    return text == NULL || *member != NULL;
}

/*
 * The folder of a result names its benchmark (the compliance checker goes by
 * it too), unless nobody knows a benchmark of that name; else the logs do.
 */
static const char *mls_group_benchmark(mls_group *group, const mls_editions *editions)
{
    const char *logged = mls_group_agree(group, mls_run_benchmark, "submission_benchmark");
    if (group->result_folder && group->path != NULL) {
        const char *slash = strrchr(group->path, '/');
        const char *folder = slash != NULL ? slash + 1 : group->path;
        if (mls_benchmark_find(editions, group->usage, mls_str_from(folder))->runs_needed > 0) {
            return folder;
        }
    }
    return logged;
}

static double mls_group_first_ms(const mls_group *group)
{
    double first = (double)NAN;
    for (size_t i = 0; i < group->run_count; i++) {
        const double begin = group->runs[i]->first_ms; /* NAN in a file without records */
        if (isnan(first) || begin < first) {
            first = begin;
        }
    }
    return first;
}

/* Valid runs lie apart; with a window, only its own. */
static bool mls_group_spreads(const mls_group *group, size_t index)
{
    return group->runs[index]->valid && isfinite(mls_run_minutes(group->runs[index])) &&
           group->marks[index] != MLS_OLYMPIC_OUTSIDE;
}

/* The minutes of the valid runs are few, so they are walked twice rather than kept. */
static void mls_group_spread(mls_group *group)
{
    mls_spread spread = {(double)INFINITY, -(double)INFINITY, 0, 0, 0};
    size_t count = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        if (mls_group_spreads(group, i)) {
            spread.min_minutes = fmin(spread.min_minutes, minutes);
            spread.max_minutes = fmax(spread.max_minutes, minutes);
            spread.mean_minutes += minutes;
            count++;
        }
    }
    if (count < 2) {
        return;
    }
    spread.mean_minutes /= (double)count;
    for (size_t i = 0; i < group->run_count; i++) {
        const double minutes = mls_run_minutes(group->runs[i]);
        if (mls_group_spreads(group, i)) {
            const double distance = minutes - spread.mean_minutes;
            spread.stdev_minutes += distance * distance;
        }
    }
    spread.stdev_minutes = sqrt(spread.stdev_minutes / (double)count);
    spread.variation = spread.mean_minutes > 0 ? spread.stdev_minutes / spread.mean_minutes : 0;
    group->spread = spread;
    group->has_spread = true;
}

static void mls_group_count_runs(mls_group *group)
{
    const size_t needed = group->runs_needed;
    if (group->weak) {
        if (group->weak_models < needed) {
            mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, (mls_finding_place){0},
                             "%zu valid runs of the at least %zu that weak scaling of %s needs", group->weak_models,
                             needed, group->benchmark);
        }
    } else if (needed > 0 && group->run_count < needed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, (mls_finding_place){0},
                         "%zu of the %zu runs that %s needs", group->run_count, needed, group->benchmark);
    } else if (needed > 0 && group->run_count > needed && !group->score.windowed) {
        mls_findings_add(&group->findings, MLS_FINDING_RUN_COUNT, (mls_finding_place){0},
                         "%zu runs, %s needs %zu: --window selects the ones to submit", group->run_count,
                         group->benchmark, needed);
    }
}

static mls_status mls_group_olympic(mls_group *group, bool select_window)
{
    const mls_olympic_rules rules = {group->runs_needed, group->rules->left_out, select_window};
    size_t count = group->run_count > 0 ? group->run_count : 1;
    mls_olympic_run *runs = calloc(count, sizeof *runs);
    group->marks = calloc(count, sizeof *group->marks);
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

mls_status mls_group_score(mls_group *group, const mls_score_options *options, mls_error *error)
{
    const char *division = mls_group_agree(group, mls_run_division, "submission_division");
    /* The compliance checker ignores the case of a division. */
    const bool closed = division != NULL && strcasecmp(division, "closed") == 0;
    const bool open = division != NULL && strcasecmp(division, "open") == 0;
    if (!mls_text_set(&group->division, closed ? "closed"
                                        : open ? "open"
                                               : NULL) ||
        !mls_text_set(&group->config, mls_group_agree(group, mls_run_config, "DGXSYSTEM")) ||
        !mls_text_set(&group->benchmark, mls_group_benchmark(group, options->editions))) {
        return MLS_ERROR_MEMORY;
    }
    group->global_batch_size = mls_group_batch_size(group);
    if (group->edition == NULL) {
        group->edition = mls_editions_guess(options->editions, group->usage, mls_group_first_ms(group));
        group->edition_guessed = true;
    }
    group->rules = mls_benchmark_find(options->editions, group->usage, mls_str_from(group->benchmark));
    group->runs_needed = group->rules->runs_needed;
    mls_status status = mls_group_weak(group);
    if (status == MLS_OK) {
        status = mls_group_olympic(group, options->select_window);
    }
    if (status == MLS_OK) {
        mls_group_spread(group);
        mls_group_count_runs(group);
        status = mls_group_rcp(group, options, error);
    }
    if (status == MLS_OK) {
        status = mls_group_seeds(group, options);
    }
    if (status == MLS_OK) {
        status = mls_group_shape(group, options);
    }
    return status != MLS_OK || !group->findings.out_of_memory ? status : MLS_ERROR_MEMORY;
}

void mls_group_release(mls_group *group)
{
    free(group->path);
    free(group->benchmark);
    free(group->division);
    free(group->config);
    free((void *)group->runs);
    free(group->marks);
    free(group->joules);
    mls_rcp_set_free(group->rcp_set);
    mls_findings_release(&group->seed_findings);
    mls_findings_release(&group->findings);
    *group = (mls_group){0};
}
