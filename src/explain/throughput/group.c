/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - which runs of a group were slow, and which of their parts made them slow.
 *
 * A run is held against what the others would have taken for its samples and its evaluations, so that one that needs
 * more of them to converge is never slow for that. */
#include <math.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

/* A pace is slow above the median by 3 % and five deviations; a run by 3 % of what was expected and five seconds. */
#define LIMIT_MIN 0.03
#define LIMIT_DEVIATIONS 5
#define EXTRA_MIN 0.03
#define EXTRA_MIN_MS 5000

const char *mls_slow_part_name(mls_slow_part part)
{
    static const char *const names[] = {"startup", "training", "after", "evaluation", "between", "tail"};
    return names[part];
}

static double evaluations_of(const mls_throughput *run)
{
    return run->curve_count > 0 ? (double)run->curve_count : 1;
}

double mls_throughput_units(const mls_throughput_group *group, const mls_throughput *run)
{
    const double longer = run->healing_step > 0 ? group->healed->healing_factor - 1 : 0;
    return run->samples + longer * fmax(run->samples - run->healing_samples, 0);
}

/* The measure that the time of a part grows with: none, samples, or evaluations. */
static double part_units(const mls_throughput_group *group, const mls_throughput *run, mls_slow_part part)
{
    return part == MLS_SLOW_TRAINING                                 ? mls_throughput_units(group, run)
           : part == MLS_SLOW_EVALUATION || part == MLS_SLOW_BETWEEN ? evaluations_of(run)
                                                                     : 1;
}

static double part_ms(const mls_throughput *run, mls_slow_part part)
{
    const double *ms = run->parts.ms;
    const double values[MLS_SLOW_PART_COUNT] = {[MLS_SLOW_STARTUP] = ms[MLS_PART_STARTUP],
                                                [MLS_SLOW_TRAINING] = run->measured_training_ms,
                                                [MLS_SLOW_EVALUATION] = ms[MLS_PART_EVALUATION],
                                                [MLS_SLOW_AFTER] = ms[MLS_PART_TRAINING] - run->measured_training_ms,
                                                [MLS_SLOW_BETWEEN] = ms[MLS_PART_BETWEEN],
                                                [MLS_SLOW_TAIL] = ms[MLS_PART_TAIL]};
    return values[part];
}

static bool is_timed(const mls_throughput *run)
{
    return run->state == MLS_TIMED_ENDED && run->samples > 0;
}

/* Holds a timed run against the medians, a unit, of its group; true when it is slow. */
static bool is_slow_run(const mls_throughput_group *group, const double *medians, mls_slow_run *slow)
{
    const mls_throughput *run = slow->run;
    slow->largest = MLS_SLOW_STARTUP;
    for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
        const double extra =
            part_ms(run, (mls_slow_part)part) - medians[part] * part_units(group, run, (mls_slow_part)part);
        slow->parts_extra_ms[part] = extra;
        slow->extra_ms += extra;
        slow->largest = extra > slow->parts_extra_ms[slow->largest] ? (mls_slow_part)part : slow->largest;
    }
    slow->expected_ms = run->run_ms - slow->extra_ms;
    slow->pace = run->measured_training_ms / mls_throughput_units(group, run) > group->limit_ms_per_sample;
    return slow->pace || (slow->extra_ms > EXTRA_MIN * slow->expected_ms && slow->extra_ms > EXTRA_MIN_MS);
}

bool mls_throughput_group_judge(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    const size_t count = group->group->run_count;
    double medians[MLS_SLOW_PART_COUNT];
    group->median_ms_per_sample = group->limit_ms_per_sample = NAN;
    mls_arena_reset(scratch);
    double *values = mls_arena_array(scratch, count, sizeof *values);
    double *distances = mls_arena_array(scratch, count, sizeof *distances);
    for (size_t i = 0; i < count; i++) {
        group->timed += is_timed(&group->runs[i]);
    }
    if (group->timed < MLS_TIMED_MIN) {
        return true;
    }
    group->slow_runs = mls_arena_array(arena, count, sizeof *group->slow_runs);
    for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            const mls_throughput *run = &group->runs[i];
            if (is_timed(run)) {
                values[used++] = part_ms(run, (mls_slow_part)part) / part_units(group, run, (mls_slow_part)part);
            }
        }
        mls_sort_doubles(values, used);
        medians[part] = mls_median(values, used);
        if (part == MLS_SLOW_TRAINING) {
            const double m = medians[part];
            const double s = MLS_DISTANCE_TO_STDEV * mls_median_distance(values, used, m, distances);
            group->median_ms_per_sample = m;
            group->limit_ms_per_sample = m * (1 + fmax(LIMIT_MIN, LIMIT_DEVIATIONS * s / m));
        }
    }
    for (size_t i = 0; i < count; i++) {
        mls_slow_run slow = {.run = &group->runs[i]};
        if (is_timed(slow.run) && is_slow_run(group, medians, &slow)) {
            group->slow_runs[group->slow_run_count++] = slow;
        }
    }
    return true;
}
