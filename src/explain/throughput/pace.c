/* SPDX-License-Identifier: Apache-2.0 */
/* pace.c - find the reference pace of a run's segments and the band above it, the warm-up, slow phases, a permanent
 * change of the pace, and the sparkline. */
#include <math.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

/* A segment is slow if its pace is above the band: more than five standard deviations and more than 5 % above the
 * reference pace. */
#define BAND_MIN 0.05
#define BAND_DEVIATIONS 5

/* A segment contains no training if its time per sample is below TRAINED_MIN of the mean.  A run is not measured if its
 * training time is below TRAINED_OF_RUN_MIN of its time. */
#define TRAINED_MIN 0.1
#define TRAINED_OF_RUN_MIN 0.0001

/* Minimum numbers of segments: to ignore the first segment in the reference pace, to find a warm-up, slow phases, a
 * shift. */
enum { SEGMENTS_REFERENCE = 3, SEGMENTS_WARMUP = 3, SEGMENTS_PHASES = 5, SEGMENTS_SHIFT = 10 };

/* A slow phase is reported if it loses at least this much: in milliseconds, and as a share of the run's time. */
#define LOST_MIN_MS 1000
#define LOST_MIN 0.002

/* For a shift: minimum number of segments on each side, maximum number of cuts tried, minimum relative change of the
 * pace. */
enum { SHIFT_SIDE = 5, SHIFT_CUTS = 50 };
#define SHIFT_MIN 0.05
#define SHIFT_EXPLAINS 0.5

static double pace_of(const mls_pace_segment *segment)
{
    return segment->training_ms / segment->delta;
}

/* Return the milliseconds that a segment took in addition to its time at the reference pace. */
static double lost_by(const mls_pace_segment *segment, double reference)
{
    return segment->training_ms - reference * segment->delta;
}

static bool is_slow(const mls_throughput *run, const mls_pace_segment *segment, double reference)
{
    return pace_of(segment) > reference * (1 + run->band);
}

/* Set the totals up to the last segment, the reference pace and the band. */
static void measure_segments(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    const mls_pace_segment *last = &run->segments[run->segment_count - 1];
    run->samples = last->from_samples + last->delta;
    run->measured_training_ms = mls_timing_training(timing, last->to_ms) - timing->evaluated_ms;
    /* The first segment contains the start, so it is ignored if there are enough others. */
    const size_t first = run->segment_count >= SEGMENTS_REFERENCE;
    const size_t count = run->segment_count - first;
    mls_weighted *paces = mls_arena_array(timing->scratch, count, sizeof *paces);
    for (size_t i = 0; i < count; i++) {
        const mls_pace_segment *segment = &run->segments[first + i];
        paces[i] = (mls_weighted){pace_of(segment), segment->training_ms};
    }
    const double reference = mls_median_weighted(paces, count);
    for (size_t i = 0; i < count; i++)
        paces[i].value = fabs(paces[i].value - reference) / reference;
    const double band = BAND_DEVIATIONS * MLS_DISTANCE_TO_STDEV * mls_median_weighted(paces, count);
    run->steady_ms_per_sample = reference;
    run->band = band > BAND_MIN ? band : BAND_MIN;
}

mls_slow_phase *mls_pace_list_phases(const mls_throughput *run, size_t skip, size_t later, double later_pace,
                                     mls_arena *arena, size_t *count)
{
    const double min = fmax(LOST_MIN_MS, LOST_MIN * run->run_ms);
    mls_slow_phase *phases = mls_arena_array(arena, run->segment_count + 1, sizeof *phases);
    *count = 0;
    for (size_t i = run->warmup_segments; i < run->segment_count && run->segment_count >= SEGMENTS_PHASES; i++) {
        mls_slow_phase phase = {.from_ms = run->segments[i].from_ms, .from_samples = run->segments[i].from_samples};
        double reference = later_pace;
        for (; i < run->segment_count; i++) {
            const mls_pace_segment *segment = &run->segments[i];
            reference = i < later ? run->steady_ms_per_sample : later_pace;
            if (i == skip || !is_slow(run, segment, reference))
                break;
            phase.to_ms = segment->to_ms;
            phase.to_samples = segment->from_samples + segment->delta;
            phase.training_ms += segment->training_ms;
            phase.lost_ms += lost_by(segment, reference);
        }
        phase.factor = phase.training_ms / (phase.to_samples - phase.from_samples) / reference;
        if (phase.lost_ms >= min)
            phases[(*count)++] = phase;
    }
    return phases;
}

double mls_pace_median(const mls_throughput *run, size_t from, size_t to, mls_weighted *paces)
{
    for (size_t i = from; i < to; i++)
        paces[i - from] = (mls_weighted){pace_of(&run->segments[i]), run->segments[i].delta};
    return mls_median_weighted(paces, to - from);
}

/* Compare the paces before and after the healing step, over all segments and over the nearest ones.  A slow phase that
 * begins at the step is by design, whether it is permanent or ends after some time.  Later phases are measured relative
 * to the pace after healing. */
static void find_healing(mls_timing *timing)
{
    const mls_throughput *run = timing->run;
    mls_healing *healing = timing->healing;
    const size_t count = run->segment_count;
    const size_t first = run->warmup_segments > 0 ? run->warmup_segments : 1;
    size_t at = 0; /* index of the segment that contains the step; later of the first segment after it */
    healing->samples = (double)healing->step * run->run->global_batch_size;
    while (at < count && !(run->segments[at].from_samples + run->segments[at].delta > healing->samples))
        at++;
    const size_t healed = at + (at < count && run->segments[at].from_samples < healing->samples);
    if (healing->step == 0 || run->in_epochs || at <= first || healed >= count)
        return;
    mls_weighted *paces = mls_arena_array(timing->scratch, count, sizeof *paces);
    const double pace = mls_pace_median(run, healed, count, paces);
    const double near_before = mls_pace_median(run, at - first > SHIFT_SIDE ? at - SHIFT_SIDE : first, at, paces);
    const double near = mls_pace_median(run, healed, count - healed > SHIFT_SIDE ? healed + SHIFT_SIDE : count, paces);
    const double factor = pace / mls_pace_median(run, first, at, paces);
    size_t kept = 0;
    healing->reached = true;
    healing->changed = factor >= 1 + SHIFT_MIN && near >= near_before * (1 + SHIFT_MIN);
    healing->factor = healing->changed ? factor : 1;
    healing->phases = mls_pace_list_phases(run, SIZE_MAX, healed, fmax(pace, run->steady_ms_per_sample),
                                           timing->scratch, &healing->phase_count);
    for (size_t i = 0; i < healing->phase_count; i++) {
        const double from = healing->phases[i].from_samples;
        const bool begins = from == run->segments[at].from_samples || from == run->segments[healed].from_samples;
        healing->changed |= begins;
        if (!begins)
            healing->phases[kept++] = healing->phases[i];
    }
    healing->phase_count = kept;
}

/* Return the sum of the distances of sorted paces from their lower median, and set *median. */
static double deviation(const double *paces, size_t count, double *median)
{
    double sum = 0;
    *median = mls_median_lower(paces, count);
    for (size_t i = 0; i < count; i++)
        sum += fabs(paces[i] - *median);
    return sum;
}

/* Return the sum of the distances of the paces from the medians of both sides of a cut, and the ratio of the medians.
 * `sorted` is sorted by pace. */
static double deviation_cut(const mls_placed *sorted, size_t count, size_t cut, double *scratch, double *ratio)
{
    double first;
    double second;
    size_t before = 0;
    size_t behind = cut;
    for (size_t i = 0; i < count; i++)
        scratch[sorted[i].place < cut ? before++ : behind++] = sorted[i].value;
    const double sum = deviation(scratch, cut, &first) + deviation(scratch + cut, count - cut, &second);
    *ratio = second / first;
    return sum;
}

/* Find a shift: the cut of the segments after warm-up that reduces the sum of deviations most, if it reduces the sum
 * enough. */
static void find_shift(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    const mls_pace_segment *segments = run->segments + run->warmup_segments;
    const size_t count = run->segment_count - run->warmup_segments;
    mls_placed *sorted = mls_arena_array(timing->scratch, count, sizeof *sorted);
    double *paces = mls_arena_array(timing->scratch, count, sizeof *paces);
    double best = INFINITY;
    double ratio = 1;
    double best_ratio = 1;
    size_t cut = 0;
    if (count < SEGMENTS_SHIFT)
        return;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (mls_placed){pace_of(&segments[i]), i};
    mls_sort_placed(sorted, count, sizeof *sorted);
    const double whole = deviation_cut(sorted, count, 0, paces, &ratio);
    const size_t step = count > SHIFT_CUTS ? count / SHIFT_CUTS : 1;
    for (size_t c = SHIFT_SIDE; c + SHIFT_SIDE <= count; c += step) {
        const double sum = deviation_cut(sorted, count, c, paces, &ratio);
        if (sum < best) {
            best = sum;
            cut = c;
            best_ratio = ratio;
        }
    }
    if (best <= SHIFT_EXPLAINS * whole && fabs(best_ratio - 1) >= SHIFT_MIN) {
        run->has_shift = true;
        run->shift_samples = segments[cut].from_samples;
        run->shift_factor = best_ratio;
    }
}

void mls_timing_pace(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    if (run->segment_count > 0 &&
        run->segments[run->segment_count - 1].to_ms * TRAINED_OF_RUN_MIN > run->parts.ms[MLS_PART_TRAINING])
        run->segment_count = 0;
    if (run->segment_count == 0)
        return;
    measure_segments(timing);
    /* Evaluations after the end of training are milliseconds apart.  If such segments determine the reference pace,
     * join each to the previous segment. */
    const double min = TRAINED_MIN * run->measured_training_ms / run->samples;
    const bool joins = !(run->steady_ms_per_sample >= min);
    mls_pace_segment held = {0};
    size_t kept = 0;
    for (size_t i = 0; i < run->segment_count && joins; i++) {
        mls_pace_segment segment = run->segments[i];
        if (held.delta > 0) { /* there is no previous segment */
            segment.from_ms = held.from_ms;
            segment.from_samples = held.from_samples;
            segment.delta += held.delta;
            segment.training_ms += held.training_ms;
        }
        const bool untrained = pace_of(&run->segments[i]) < min;
        if (untrained && kept > 0) {
            run->segments[kept - 1].delta += segment.delta;
        } else if (untrained) {
            held = segment;
        } else {
            run->segments[kept++] = segment;
            held = (mls_pace_segment){0};
        }
    }
    if (joins) {
        run->segment_count = kept > 0 ? kept : run->segment_count;
        measure_segments(timing);
    }
    run->training_samples_per_second = 1000 * run->samples / run->measured_training_ms;
    if (run->state == MLS_TIMED_ENDED)
        run->run_samples_per_second = 1000 * run->samples / run->run_ms;
    if (!run->in_epochs)
        run->steady_tokens_per_second = 1000 / run->steady_ms_per_sample * run->tokens_per_sample;
    run->steady_step_ms = run->steady_ms_per_sample * run->run->global_batch_size;
    run->warmup_lost_ms = 0;
    for (size_t i = 0; i + 1 < run->segment_count && run->segment_count >= SEGMENTS_WARMUP; i++) {
        if (!is_slow(run, &run->segments[i], run->steady_ms_per_sample))
            break;
        run->warmup_segments++;
        run->warmup_ms += run->segments[i].training_ms;
        run->warmup_samples = run->segments[i].from_samples + run->segments[i].delta;
        run->warmup_lost_ms += lost_by(&run->segments[i], run->steady_ms_per_sample);
    }
    /* Set the cells of the sparkline.  Each cell is an equal share of the training time, with the mean pace in that
     * time. */
    const double cell = run->parts.ms[MLS_PART_TRAINING] / MLS_SPARK_CELLS;
    double before = 0;
    size_t at = 0;
    for (size_t i = 0; i < MLS_SPARK_CELLS; i++) {
        const double from = cell * (double)i;
        const double to = from + cell;
        double weights = 0;
        double sum = 0;
        while (at < run->segment_count) {
            const mls_pace_segment *segment = &run->segments[at];
            const double after = before + segment->training_ms;
            const double share = fmin(to, after) - fmax(from, before);
            weights += share > 0 ? share : 0;
            sum += share > 0 ? share * pace_of(segment) : 0;
            if (after > to)
                break;
            before = after;
            at++;
        }
        /* A cell of which less than half was measured is a gap. */
        const double level = (sum / weights / run->steady_ms_per_sample - 1) / (run->band / 3);
        run->spark[i] = (signed char)(!(weights >= cell / 2)   ? MLS_SPARK_GAP
                                      : level >= MLS_SPARK_TOP ? MLS_SPARK_TOP
                                      : level > 0              ? (int)level
                                                               : 0);
    }
    run->slow_phases =
        mls_pace_list_phases(run, SIZE_MAX, run->segment_count, 0, timing->scratch, &run->slow_phase_count);
    find_shift(timing);
    find_healing(timing);
}
