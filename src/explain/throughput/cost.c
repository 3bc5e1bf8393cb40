/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c - compute how much slow runs, slow phases, slow evaluations and failed runs of a group cost its score.
 *
 * The score leaves out the slowest runs, so the seconds that a run lost are not simply a part of the score.  Therefore
 * the group is scored again with copies of its runs without the lost time, and the difference of the scores is the
 * cost. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

const char *mls_cost_kind_name(mls_cost_kind kind)
{
    static const char *const names[] = {"failed-run", "precision-switch", "slow-phase", "slow-evaluation", "slow-run"};
    return names[kind];
}

/* Limits for groups of very many runs.  Of more valid runs, a failed run is compared with SAMPLED_MAX ones; further
 * failed runs and further costs are left out. */
enum { FAILED_MAX = 64, SAMPLED_MAX = 64, COSTS_MAX = 1000 };

/* The costs of a group while they are found. */
typedef struct cost_finder {
    mls_throughput_group *group;
    const mls_score_options *how;
    mls_arena *arena;
    MLS_LIST_OF(mls_cost) costs;
    double score_minutes; /* scaled score of the group; NAN: no score */
    mls_run *repaired;    /* copies of the runs without lost time; they borrow all data */
    const mls_run **runs; /* the runs to score: each is the original or its copy */
    double *lost;         /* scratch for a median */
} cost_finder;

static void find_failed_runs(cost_finder *finder);
static void find_switch(cost_finder *finder);
static void find_slow_phases(cost_finder *finder);
static void find_slow_evaluations(cost_finder *finder);
static void find_slow_runs(cost_finder *finder);
static int compare_costs(const void *left, const void *right);

void mls_throughput_find_costs(mls_throughput_group *group, const mls_score_options *how, mls_arena *arena)
{
    const mls_group *of = group->group;
    cost_finder finder = {.group = group,
                          .how = how,
                          .arena = arena,
                          .score_minutes = of->scaled_minutes,
                          .repaired = mls_calloc(of->run_count + 1, sizeof *finder.repaired),
                          .runs = (const mls_run **)mls_calloc(of->run_count + 1, sizeof *finder.runs),
                          .lost = mls_calloc(of->run_count + 1, sizeof *finder.lost)};
    if (!mls_is_weak(&of->weak)) {
        find_failed_runs(&finder);
        find_switch(&finder);
        find_slow_phases(&finder);
        find_slow_evaluations(&finder);
        find_slow_runs(&finder);
    }
    if (finder.costs.count > 1)
        qsort(finder.costs.items, finder.costs.count, sizeof *finder.costs.items, compare_costs);
    group->cost_count = finder.costs.count;
    if (finder.costs.count > 0) {
        group->costs = mls_arena_array(arena, finder.costs.count, sizeof *group->costs);
        memcpy(group->costs, finder.costs.items, finder.costs.count * sizeof *group->costs);
    }
    free(finder.costs.items);
    free(finder.repaired);
    free((void *)finder.runs);
    free(finder.lost);
}

/* Score the group with finder->runs instead of its runs.  Return the scaled minutes, or NAN if there is no score. */
static double score_again(const cost_finder *finder)
{
    const mls_group *of = finder->group->group;
    mls_group again = {.path = mls_strdup(of->path != NULL ? of->path : ""),
                       .result_folder = of->result_folder,
                       .usage = of->usage,
                       .edition = of->edition,
                       .edition_guessed = of->edition_guessed,
                       .edition_by_date = of->edition_by_date,
                       .runs = (const mls_run **)mls_calloc(of->run_count + 1, sizeof *again.runs),
                       .run_count = of->run_count};
    memcpy((void *)again.runs, (const void *)finder->runs, of->run_count * sizeof *again.runs);
    const mls_status status = mls_group_score(&again, finder->how, NULL);
    const double minutes = status == MLS_OK ? again.scaled_minutes : (double)NAN;
    mls_group_release(&again);
    return minutes;
}

static double cost_percent(const cost_finder *finder, double without_minutes)
{
    return 100 * (finder->score_minutes - without_minutes) / finder->score_minutes;
}

/* Add a cost for runs that are `lost_ms` slower than they should be. */
static void add_slow(cost_finder *finder, mls_cost cost)
{
    const mls_group *of = finder->group->group;
    if (finder->costs.count >= COSTS_MAX)
        return;
    for (size_t i = 0; i < of->run_count; i++)
        finder->runs[i] = of->runs[i];
    for (size_t i = 0; i < cost.run_count; i++) {
        const size_t place = (size_t)(cost.runs[i].run - finder->group->runs);
        finder->repaired[place] = *of->runs[place];
        finder->repaired[place].run_stop.time_ms -= cost.runs[i].lost_ms;
        finder->runs[place] = &finder->repaired[place];
        finder->lost[i] = cost.runs[i].lost_ms;
    }
    mls_sort_doubles(finder->lost, cost.run_count);
    cost.lost_ms = mls_median_lower(finder->lost, cost.run_count);
    cost.score_without_minutes = score_again(finder);
    cost.percent = cost_percent(finder, cost.score_without_minutes);
    for (size_t i = 0; i < finder->group->slow_run_count && cost.run_count == 1 && cost.kind != MLS_COST_SLOW_RUN; i++)
        cost.within |= finder->group->slow_runs[i].run == cost.runs[0].run;
    MLS_GROW(&finder->costs, items);
    finder->costs.items[finder->costs.count++] = cost;
}

/* Replace a failed run by each valid run in turn; its cost is the difference of the score from the mean of these
 * scores. */
static void find_failed_runs(cost_finder *finder)
{
    const mls_throughput_group *group = finder->group;
    const mls_group *of = group->group;
    size_t valid = 0;
    size_t failed = 0;
    for (size_t k = 0; k < of->run_count; k++)
        valid += of->runs[k]->valid;
    const size_t step = valid > SAMPLED_MAX ? valid / SAMPLED_MAX : 1;
    for (size_t i = 0; i < of->run_count; i++) {
        size_t counted = 0;
        size_t seen = 0;
        double sum = 0;
        if (of->runs[i]->valid || failed++ >= FAILED_MAX)
            continue;
        for (size_t k = 0; k < of->run_count; k++)
            finder->runs[k] = of->runs[k];
        for (size_t k = 0; k < of->run_count; k++) {
            if (of->runs[k]->valid && seen++ % step == 0) {
                finder->runs[i] = of->runs[k];
                sum += score_again(finder);
                counted++;
            }
        }
        mls_cost_run *runs = mls_arena_array(finder->arena, 1, sizeof *runs);
        *runs = (mls_cost_run){.run = &group->runs[i], .lost_ms = NAN};
        const double mean = counted > 0 ? sum / (double)counted : (double)NAN;
        MLS_GROW(&finder->costs, items);
        finder->costs.items[finder->costs.count++] = (mls_cost){.kind = MLS_COST_FAILED_RUN,
                                                                .runs = runs,
                                                                .run_count = 1,
                                                                .lost_ms = NAN,
                                                                .from_samples = NAN,
                                                                .to_samples = NAN,
                                                                .score_without_minutes = mean,
                                                                .percent = cost_percent(finder, mean)};
    }
}

/* A switch of the pace costs the time that it took once; the slower pace after it is part of the method and is not
 * counted. */
static void find_switch(cost_finder *finder)
{
    const mls_throughput_group *group = finder->group;
    const size_t count = group->group->run_count;
    mls_cost cost = {.kind = MLS_COST_SWITCH, .runs = mls_arena_array(finder->arena, count, sizeof *cost.runs)};
    double *values = mls_calloc(2 * count + 1, sizeof *values);
    for (size_t i = 0; i < count && group->pace_switch.changed; i++) {
        const mls_throughput *run = &group->runs[i];
        if (run->switch_segment == 0)
            continue;
        const mls_pace_segment *at = &run->segments[run->switch_segment - 1];
        values[cost.run_count] = at->from_samples;
        values[count + cost.run_count] = at->from_samples + at->delta;
        cost.runs[cost.run_count++] = (mls_cost_run){run, run->switch_once_ms, at->from_ms, at->to_ms};
    }
    mls_sort_doubles(values, cost.run_count);
    mls_sort_doubles(values + count, cost.run_count);
    cost.from_samples = mls_median_lower(values, cost.run_count);
    cost.to_samples = mls_median_lower(values + count, cost.run_count);
    free(values);
    if (cost.run_count > 0)
        add_slow(finder, cost);
}

static void find_slow_phases(cost_finder *finder)
{
    const mls_throughput_group *group = finder->group;
    const size_t count = group->group->run_count;
    for (size_t shared = 1; shared <= group->shared_phase_count; shared++) {
        mls_cost cost = {.kind = MLS_COST_SLOW_PHASE,
                         .runs = mls_arena_array(finder->arena, count, sizeof *cost.runs),
                         .from_samples = group->shared_phases[shared - 1].middle.from_samples,
                         .to_samples = group->shared_phases[shared - 1].middle.to_samples};
        for (size_t i = 0; i < count; i++) {
            const mls_throughput *run = &group->runs[i];
            for (size_t k = 0; k < run->slow_phase_count; k++) {
                const mls_slow_phase *phase = &run->slow_phases[k];
                if (phase->shared == shared)
                    cost.runs[cost.run_count++] = (mls_cost_run){run, phase->lost_ms, phase->from_ms, phase->to_ms};
            }
        }
        add_slow(finder, cost);
    }
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &group->runs[i];
        for (size_t k = 0; k < run->slow_phase_count; k++) {
            const mls_slow_phase *phase = &run->slow_phases[k];
            if (phase->shared > 0)
                continue;
            mls_cost_run *runs = mls_arena_array(finder->arena, 1, sizeof *runs);
            *runs = (mls_cost_run){run, phase->lost_ms, phase->from_ms, phase->to_ms};
            add_slow(finder, (mls_cost){.kind = MLS_COST_SLOW_PHASE,
                                        .runs = runs,
                                        .run_count = 1,
                                        .from_samples = phase->from_samples,
                                        .to_samples = phase->to_samples});
        }
    }
}

size_t mls_throughput_evaluation_number(const mls_throughput *run, double from_ms)
{
    size_t low = 0;
    size_t high = run->curve_count; /* the curve is sorted by time */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (run->curve[middle].ms < from_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1;
}

/* A slow evaluation of a run. */
typedef struct slow_place {
    size_t number; /* in the learning curve, from 1 */
    size_t run;    /* index in the group */
    const mls_slow_evaluation *slow;
} slow_place;

static int compare_places(const void *left, const void *right)
{
    const slow_place *a = left;
    const slow_place *b = right;
    const int order = mls_compare_sizes(a->number, b->number);
    return order != 0 ? order : mls_compare_sizes(a->run, b->run);
}

/* If more than half of the measured runs are slow in the same evaluation, they are one cost. */
static void find_slow_evaluations(cost_finder *finder)
{
    const mls_throughput_group *group = finder->group;
    MLS_LIST_OF(slow_place) all = {0};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        for (size_t k = 0; k < run->slow_evaluation_count; k++) {
            const mls_slow_evaluation *slow = &run->slow_evaluations[k];
            MLS_GROW(&all, items);
            all.items[all.count++] = (slow_place){mls_throughput_evaluation_number(run, slow->from_ms), i, slow};
        }
    }
    if (all.count > 1)
        qsort(all.items, all.count, sizeof *all.items, compare_places);
    for (size_t first = 0, end; first < all.count; first = end) {
        size_t timed = 0; /* measured runs with this evaluation */
        for (end = first; end < all.count && all.items[end].number == all.items[first].number; end++)
            timed += (end == first || all.items[end].run != all.items[end - 1].run) &&
                     mls_throughput_is_timed(&group->runs[all.items[end].run]);
        const bool shared = group->timed >= MLS_TIMED_MIN && timed * 2 > group->timed;
        const mls_cost cost = {.kind = MLS_COST_SLOW_EVALUATION,
                               .from_samples = NAN,
                               .to_samples = NAN,
                               .evaluation = all.items[first].number};
        mls_cost together = cost;
        for (size_t i = first; i < end; i++) {
            const slow_place *place = &all.items[i];
            const mls_throughput *run = &group->runs[place->run];
            const mls_cost_run own = {run, place->slow->ms - run->evaluation_median_ms, place->slow->from_ms,
                                      place->slow->from_ms + place->slow->ms};
            const bool joins = shared && mls_throughput_is_timed(run);
            if (joins && i > first && place->run == all.items[i - 1].run)
                continue;
            mls_cost single = cost;
            mls_cost *to = joins ? &together : &single;
            if (to->run_count == 0)
                to->runs = mls_arena_array(finder->arena, joins ? timed : 1, sizeof *to->runs);
            to->runs[to->run_count++] = own;
            if (!joins)
                add_slow(finder, single);
        }
        if (together.run_count > 0)
            add_slow(finder, together);
    }
    free(all.items);
}

static void find_slow_runs(cost_finder *finder)
{
    const mls_throughput_group *group = finder->group;
    for (size_t i = 0; i < group->slow_run_count; i++) {
        const mls_slow_run *slow = &group->slow_runs[i];
        mls_cost_run *runs = mls_arena_array(finder->arena, 1, sizeof *runs);
        *runs = (mls_cost_run){.run = slow->run, .lost_ms = slow->extra_ms};
        add_slow(finder, (mls_cost){.kind = MLS_COST_SLOW_RUN,
                                    .runs = runs,
                                    .run_count = 1,
                                    .slow = slow,
                                    .from_samples = NAN,
                                    .to_samples = NAN});
    }
}

/* Sort costs: first failed runs without which the group would have a score, last costs within a slow run.  Sort the
 * other costs by size, then by kind, first run, and position in the run. */
static int compare_costs(const void *left, const void *right)
{
    const mls_cost *a = left;
    const mls_cost *b = right;
    const bool a_decides = isnan(a->percent) && !isnan(a->score_without_minutes);
    const bool b_decides = isnan(b->percent) && !isnan(b->score_without_minutes);
    int order = a->within != b->within ? a->within - b->within : b_decides - a_decides;
    if (order == 0)
        order = mls_compare_doubles(isnan(b->percent) ? 0 : b->percent, isnan(a->percent) ? 0 : a->percent);
    if (order == 0)
        order = a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : 0;
    if (order == 0 && a->runs[0].run != b->runs[0].run)
        order = a->runs[0].run < b->runs[0].run ? -1 : 1;
    if (order == 0)
        order = mls_compare_doubles(a->from_samples, b->from_samples);
    return order != 0 ? order : mls_compare_sizes(a->evaluation, b->evaluation);
}
