/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c - what most runs of a group have in common: how they warm up, where all of them slow down, and whether they
 * do so by design. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

/* A warm-up is worth a line when it loses so much of the runs. */
#define WARMUP_MIN 0.10

/* A slow phase of one run, while those of all runs are looked through by their samples. */
typedef struct spot {
    mls_slow_phase *phase;
    size_t at; /* its place among those that are open */
} spot;

typedef struct spot_end {
    double samples;
    bool begins;
    size_t spot;
} spot_end;

/* Where one ends another one begins: they have nothing in common. */
static int compare_ends(const void *left, const void *right)
{
    const spot_end *a = left;
    const spot_end *b = right;
    const int order = mls_compare_doubles(a->samples, b->samples);
    return order != 0 ? order : a->begins != b->begins ? a->begins - b->begins : mls_compare_sizes(a->spot, b->spot);
}

/* The lower median of a member of the phases that are open. */
static double median_member(mls_slow_phase *const *open, size_t count, size_t member, double *values)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(&values[i], (const char *)open[i] + member, sizeof *values);
    }
    mls_sort_doubles(values, count);
    return mls_median_lower(values, count);
}

/* Makes one of the phases that are open and in no other one. */
static void share(mls_throughput_group *group, mls_slow_phase *const *open, size_t count, double *values)
{
    mls_shared_phase *shared = &group->shared_phases[group->shared_phase_count++];
    shared->runs = count;
    shared->middle =
        (mls_slow_phase){.from_ms = median_member(open, count, offsetof(mls_slow_phase, from_ms), values),
                         .to_ms = median_member(open, count, offsetof(mls_slow_phase, to_ms), values),
                         .from_samples = median_member(open, count, offsetof(mls_slow_phase, from_samples), values),
                         .to_samples = median_member(open, count, offsetof(mls_slow_phase, to_samples), values),
                         .training_ms = median_member(open, count, offsetof(mls_slow_phase, training_ms), values),
                         .lost_ms = median_member(open, count, offsetof(mls_slow_phase, lost_ms), values),
                         .factor = median_member(open, count, offsetof(mls_slow_phase, factor), values)};
    for (size_t i = 0; i < count; i++) {
        open[i]->shared = true;
    }
}

static bool counts(const mls_throughput *run, const mls_throughput *first)
{
    return run->state == MLS_TIMED_ENDED && run->samples > 0 && run->in_epochs == first->in_epochs;
}

/* The phases of the runs that are counted, each with its two ends; how many phases there are. */
static size_t list_spots(const mls_throughput_group *group, spot *spots, spot_end *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < group->group->run_count; i++) {
        mls_throughput *run = &group->runs[i];
        for (size_t k = 0; k < run->slow_phase_count && counts(run, group->runs); k++) {
            mls_slow_phase *phase = &run->slow_phases[k];
            spots[count].phase = phase;
            ends[2 * count] = (spot_end){phase->from_samples, true, count};
            ends[2 * count + 1] = (spot_end){phase->to_samples, false, count};
            count++;
        }
    }
    qsort(ends, 2 * count, sizeof *ends, compare_ends);
    return count;
}

/* Slow phases of more than half of the runs that have a sample in common are one: looked for where the next one of the
 * phases that are open ends, and the last one that began is among them. */
static bool find_shared(mls_throughput_group *group, size_t runs, mls_arena *arena, mls_arena *scratch)
{
    size_t total = 0;
    for (size_t i = 0; i < group->group->run_count; i++) {
        total += group->runs[i].slow_phase_count;
    }
    if (runs < MLS_TIMED_MIN || total * 2 <= runs) {
        return true;
    }
    spot *spots = mls_arena_array(scratch, total, sizeof *spots);
    spot_end *ends = mls_arena_array(scratch, 2 * total, sizeof *ends);
    mls_slow_phase **open = mls_arena_array(scratch, total, sizeof(mls_slow_phase *));
    size_t *owners = mls_arena_array(scratch, total, sizeof *owners);
    double *values = mls_arena_array(scratch, total, sizeof *values);
    group->shared_phases = mls_arena_array(arena, 2 * total / runs, sizeof *group->shared_phases);
    const size_t count = list_spots(group, spots, ends);
    size_t opened = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        spot *one = &spots[ends[i].spot];
        if (ends[i].begins) {
            one->at = opened;
            owners[opened] = ends[i].spot;
            open[opened++] = one->phase;
            continue;
        }
        if (opened * 2 > runs && !one->phase->shared) {
            share(group, open, opened, values);
            opened = 0;
        } else if (!one->phase->shared) {
            open[one->at] = open[--opened];
            owners[one->at] = owners[opened];
            spots[owners[one->at]].at = one->at;
        }
    }
    return true;
}

bool mls_throughput_group_heal(mls_throughput_group *group, const mls_healing *healing, mls_arena *scratch)
{
    const size_t all = group->group->run_count;
    size_t reached = 0;
    mls_arena_reset(scratch);
    mls_placed *factors = mls_arena_array(scratch, all, sizeof *factors);
    size_t changed = 0;
    for (size_t i = 0; i < all; i++) {
        reached += healing[i].reached;
        if (healing[i].changed) {
            factors[changed++] = (mls_placed){healing[i].factor, i};
        }
    }
    if (changed == 0 || changed < reached) {
        return factors != NULL;
    }
    for (size_t i = 0; i < changed; i++) {
        const mls_healing *of = &healing[factors[i].place];
        mls_throughput *run = &group->runs[factors[i].place];
        run->healing_step = of->step;
        run->healing_samples = of->samples;
        run->healing_factor = of->factor;
        run->slow_phases = of->phases;
        run->slow_phase_count = of->phase_count;
    }
    mls_sort_placed(factors, changed, sizeof *factors);
    group->healed = &group->runs[factors[(changed - 1) / 2].place];
    group->healed_count = changed;
    return true;
}

/* Which run stands for the group by what it lost before its pace was steady: the one in the middle. */
static bool find_typical_warmup(mls_throughput_group *group, mls_arena *scratch)
{
    const size_t all = group->group->run_count;
    mls_placed *shares = mls_arena_array(scratch, all, sizeof *shares);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        const mls_throughput *run = &group->runs[i];
        if (run->segment_count > 0 && run->run_ms > 0) {
            shares[count++] = (mls_placed){run->warmup_lost_ms / run->run_ms, i};
        }
    }
    mls_sort_placed(shares, count, sizeof *shares);
    const mls_placed *middle = count > 0 ? &shares[(count - 1) / 2] : NULL;
    if (middle != NULL && middle->value >= WARMUP_MIN) {
        group->warmed_up = &group->runs[middle->place];
    }
    return true;
}

bool mls_throughput_group_share(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    size_t runs = 0;
    mls_arena_reset(scratch);
    for (size_t i = 0; i < group->group->run_count; i++) {
        runs += counts(&group->runs[i], group->runs);
    }
    return find_typical_warmup(group, scratch) && find_shared(group, runs, arena, scratch);
}
