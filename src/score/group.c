/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - from the runs of a group to its score: what the runs agree on, the
 * olympic mean and how far the runs lie apart.  The checks are in group_checks.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/locale.h"
#include "base/memory.h"
#include "score/score.h"
#include "score/statistics.h"

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

const char *mls_run_division(const mls_run *run)
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
    return mls_run_division(run);
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
    if (status == MLS_OK) {
        status = mls_group_check_config(group, options);
    }
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
