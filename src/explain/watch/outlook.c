/* SPDX-License-Identifier: Apache-2.0 */
/* outlook.c - the olympic mean of runs that are there and of runs that are supposed. */
#include "explain/watch/outlook.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "score/score.h"

/* To the minute's thousandth. */
#define BEAT_WIDTH 0.001
/* A run that takes longer than any: two thousand years. */
#define BEAT_MOST 1e9

static size_t runs_to_come(const mls_so_far *so_far)
{
    const size_t finished = so_far->valid + so_far->not_valid;
    return so_far->rules->runs_needed > finished ? so_far->rules->runs_needed - finished : 0;
}

static void suppose_run(mls_run *run, bool valid, double minutes)
{
    mls_run_init(run);
    run->valid = valid;
    run->run_start.time_ms = 0;
    run->run_stop.time_ms = minutes * 60000;
}

/* The score when `more` runs of the same length follow. */
static mls_status suppose(const mls_so_far *so_far, size_t more, double minutes, mls_olympic_result *score)
{
    const size_t count = so_far->valid + so_far->not_valid + more;
    mls_run *runs = mls_calloc(count + 1, sizeof *runs);
    const mls_run **pointers = (const mls_run **)mls_calloc(count + 1, sizeof *pointers);
    mls_group group = {.rules = so_far->rules, .runs = pointers, .run_count = count};
    mls_status status = MLS_ERROR_MEMORY;
    if (runs != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            const bool valid = i < so_far->valid || i >= count - more;
            suppose_run(&runs[i], valid, i < so_far->valid ? so_far->minutes[i] : minutes);
            pointers[i] = &runs[i];
        }
        status = mls_group_olympic(&group, false);
        *score = group.score;
    }
    free(group.marks);
    free((void *)pointers);
    free(runs);
    return status;
}

mls_status mls_outlook_make(const mls_so_far *so_far, mls_outlook *outlook)
{
    const double nan = (double)NAN;
    double fastest = nan;
    double slowest = nan;
    mls_olympic_result score = {.score_minutes = nan};
    mls_olympic_result best = score;
    mls_olympic_result worst = score;
    for (size_t i = 0; i < so_far->valid; i++) {
        fastest = fmin(fastest, so_far->minutes[i]);
        slowest = fmax(slowest, so_far->minutes[i]);
    }
    *outlook =
        (mls_outlook){.needed = so_far->rules->runs_needed,
                      .finished = so_far->valid + so_far->not_valid,
                      .to_come = runs_to_come(so_far),
                      .impossible = so_far->rules->runs_needed > 0 && so_far->not_valid > so_far->rules->left_out};
    mls_status status = suppose(so_far, 0, 0, &score);
    if (status == MLS_OK && so_far->valid > 0) {
        status = suppose(so_far, outlook->to_come, fastest, &best);
        status = status == MLS_OK ? suppose(so_far, outlook->to_come, slowest, &worst) : status;
    }
    outlook->official = score.official;
    outlook->now = score.score_minutes;
    outlook->best = best.score_minutes;
    outlook->worst = worst.score_minutes;
    return status;
}

mls_status mls_outlook_beat(const mls_so_far *so_far, double minutes, mls_beat *beat, double *mean)
{
    const size_t more = runs_to_come(so_far);
    double low = 0;
    double high = BEAT_MOST;
    mls_olympic_result score = {0};
    *mean = (double)NAN;
    mls_status status = suppose(so_far, more, high, &score);
    *beat = score.score_minutes * so_far->scale < minutes ? MLS_BEAT_CERTAIN : MLS_BEAT_CANNOT;
    if (status != MLS_OK || *beat == MLS_BEAT_CERTAIN || more == 0) {
        return status;
    }
    status = suppose(so_far, more, low, &score);
    if (status != MLS_OK || !(score.score_minutes * so_far->scale < minutes)) {
        return status;
    }
    while (high - low > BEAT_WIDTH && status == MLS_OK) {
        const double middle = (low + high) / 2;
        status = suppose(so_far, more, middle, &score);
        if (score.score_minutes * so_far->scale < minutes) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *beat = MLS_BEAT_IF;
    *mean = low;
    return status;
}
