/* SPDX-License-Identifier: Apache-2.0 */
/* throughput.c - measure the runs of a collection from their notes, group by group. */
#include "explain/throughput/throughput.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "explain/throughput/notes.h"

const char *mls_timed_state_name(mls_timed_state state)
{
    static const char *const names[] = {"ended", "unfinished", "no-start", "stop-before-start"};
    return names[state];
}

const char *mls_marks_from_name(mls_marks_from from)
{
    static const char *const names[] = {NULL, "evaluations", "blocks", "run_stop", "late-evaluations"};
    return names[from];
}

const char *mls_evaluations_from_name(mls_evaluations_from from)
{
    static const char *const names[] = {NULL, "eval_start", "validation_step_time", "train_step_time"};
    return names[from];
}

/* Slow evaluations: minimum number of evaluations, times the median, and milliseconds above it. */
enum { SLOW_EVALUATIONS_FROM = 5 };
#define SLOW_EVALUATION_TIMES 2
#define SLOW_EVALUATION_MS 1000

/* From this number on, an epoch_num of benchmarks that may count samples does so. */
#define SAMPLES_MIN 1e3

const char *mls_throughput_unit(const mls_throughput *run)
{
    const bool counted = run->samples >= SAMPLES_MIN && strcmp(mls_epoch_unit(run->benchmark), "samples") == 0;
    return run->in_epochs && !counted ? "epochs" : "samples";
}

bool mls_throughput_counts_epochs(const mls_throughput *run)
{
    return strcmp(mls_throughput_unit(run), "epochs") == 0;
}

bool mls_throughput_evaluations_are_training(const mls_throughput *run)
{
    return run->has_parts && run->curve_count > 0 && run->evaluations_from == MLS_EVALUATIONS_FROM_NOTHING;
}

static mls_throughput blank_run(const mls_run *run, const mls_throughput_options *options)
{
    const double nan = (double)NAN;
    mls_throughput blank = {.run = run,
                            .series = options->series,
                            .run_ms = nan,
                            .samples = nan,
                            .measured_training_ms = nan,
                            .training_samples_per_second = nan,
                            .run_samples_per_second = nan,
                            .steady_ms_per_sample = nan,
                            .band = nan,
                            .steady_step_ms = nan,
                            .steady_tokens_per_second = nan,
                            .warmup_lost_ms = nan,
                            .evaluation_median_ms = nan,
                            .time_to_target_ms = nan,
                            .logged_throughput = nan,
                            .logged_step_ms = nan,
                            .tokens_per_sample = nan,
                            .utilization = {.accelerators = nan,
                                            .flops_per_sample = nan,
                                            .flops_derived = nan,
                                            .bf16 = nan,
                                            .precision = nan,
                                            .derived = nan,
                                            .narrowest = nan}};
    for (size_t i = 0; i < MLS_SPARK_CELLS; i++)
        blank.spark[i] = MLS_SPARK_GAP;
    return blank;
}

/* Add a stretch of the timed part.  Adjacent ones of the same part are joined. */
static void add_stretch(void *state, const mls_stretch *stretch)
{
    mls_timing *timing = state;
    mls_throughput *run = timing->run;
    const mls_part part = stretch->part;
    const double from = stretch->from_ms - timing->start_ms;
    const double to = stretch->to_ms - timing->start_ms;
    mls_stretch *next = run->stretches + run->stretch_count;
    if (run->stretch_count > 0 && next[-1].part == part && next[-1].overlapped == stretch->overlapped &&
        next[-1].to_ms >= from)
        next[-1].to_ms = to;
    else
        run->stretches[run->stretch_count++] = (mls_stretch){part, stretch->overlapped, from, to};
    if (part == MLS_PART_TRAINING) {
        timing->training[timing->training_count++] = (mls_trained){from, to, timing->trained_ms};
        timing->trained_ms += to - from;
    } else if (part == MLS_PART_EVALUATION) {
        mls_slow_evaluation *last = &timing->evaluations[timing->evaluation_count];
        if (timing->evaluation_count > 0 && !(last[-1].from_ms + last[-1].ms < from))
            last[-1].ms = to - last[-1].from_ms;
        else
            *last = (mls_slow_evaluation){from, to - from, ++timing->evaluation_count};
    }
}

/* Return the lower median of the rates or (`steps`) step times of tracked_stats; NAN: none. */
static double median_logged(const mls_timing *timing, bool steps, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < timing->timed_count; i++) {
        const mls_pace_record *stats = timing->timed[i].record;
        if (timing->timed[i].kind == MLS_PACE_STATS) {
            values[count] = steps ? stats->step_ms : stats->value;
            count += isnan(values[count]) ? 0 : 1;
        }
    }
    mls_sort_doubles(values, count);
    return mls_median_lower(values, count);
}

static void measure_run(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    const mls_run *read = run->run;
    const mls_pace_notes *notes = timing->notes;
    const bool stopped = read->run_stop.line > 0;
    const double end_ms = stopped ? read->run_stop.time_ms : notes != NULL ? notes->latest_ms : (double)NAN;
    const double run_ms = end_ms - read->run_start.time_ms;
    const bool started = notes != NULL && read->run_start.line > 0 && isfinite(read->run_start.time_ms);
    run->state = !started || (!stopped && !isfinite(run_ms)) ? MLS_TIMED_NO_START
                 : !isfinite(run_ms) || run_ms < 0           ? MLS_TIMED_STOP_BEFORE_START
                 : stopped                                   ? MLS_TIMED_ENDED
                                                             : MLS_TIMED_UNFINISHED;
    run->status = notes != NULL && notes->status[0] != '\0' ? notes->status : NULL;
    run->backwards = notes != NULL ? notes->backwards : 0;
    if (run->state > MLS_TIMED_UNFINISHED)
        return;
    run->run_ms = run_ms;
    timing->start_ms = read->run_start.time_ms;
    const size_t max = notes->spans.count + 1; /* each span and the end of the run end at most one stretch */
    timing->training = mls_arena_array(timing->scratch, max, sizeof *timing->training);
    timing->evaluations = mls_arena_array(timing->scratch, max, sizeof *timing->evaluations);
    run->stretches = mls_arena_array(timing->scratch, 2 * max, sizeof *run->stretches);
    run->has_parts = !notes->too_many &&
                     mls_spans_parts(&notes->spans, timing->start_ms + run->run_ms, &run->parts, add_stretch, timing);
    run->evaluations_from = !run->parts.evaluation_delimited ? MLS_EVALUATIONS_FROM_NOTHING
                            : run->parts.evaluation_derived  ? MLS_EVALUATIONS_FROM_VALIDATION
                                                             : MLS_EVALUATIONS_FROM_RECORDS;
    if (!run->has_parts)
        return;
    mls_timing_mark(timing);
    mls_timing_pace(timing);
    double *values = mls_arena_array(timing->scratch, notes->count + timing->evaluation_count + 1, sizeof *values);
    run->logged_throughput = median_logged(timing, false, values);
    run->logged_step_ms = median_logged(timing, true, values);
    /* Find slow evaluations. */
    const mls_slow_evaluation *all = timing->evaluations;
    const size_t count = timing->evaluation_count;
    run->slow_evaluations = mls_arena_array(timing->scratch, count + 1, sizeof *run->slow_evaluations);
    for (size_t i = 0; i < count; i++) {
        values[i] = all[i].ms;
        run->longest_evaluation = all[i].ms > run->longest_evaluation.ms ? all[i] : run->longest_evaluation;
    }
    mls_sort_doubles(values, count);
    run->evaluation_median_ms = mls_median_lower(values, count);
    for (size_t i = 0; i < count && count >= SLOW_EVALUATIONS_FROM; i++)
        if (all[i].ms > SLOW_EVALUATION_TIMES * run->evaluation_median_ms &&
            all[i].ms >= run->evaluation_median_ms + SLOW_EVALUATION_MS)
            run->slow_evaluations[run->slow_evaluation_count++] = all[i];
}

/* Copy a list to another arena. */
static void move(void *list, size_t count, size_t size, mls_arena *arena)
{
    void **items = list;
    void *copy = count > 0 ? mls_arena_array(arena, count, size) : NULL;
    if (copy != NULL)
        memcpy(copy, *items, count * size);
    *items = copy;
}

static mls_status measure_group(mls_throughputs *all, mls_throughput_group *group, mls_arena *scratch, mls_error *error)
{
    const mls_group *of = group->group;
    const mls_accelerator *accelerator = NULL;
    double accelerators = NAN;
    mls_throughput *measured = mls_calloc(of->run_count, sizeof *measured);
    mls_healing *healing = mls_calloc(of->run_count, sizeof *healing);
    mls_status status = MLS_OK;
    uint32_t step = 0; /* the healing step that the runs printed; 0: none, or they differ */
    bool differ = false;
    for (size_t i = 0; i < of->run_count; i++) {
        const uint32_t printed = of->runs[i]->facts.healing;
        differ |= printed != 0 && step != 0 && printed != step;
        step = printed != 0 ? printed : step;
    }
    mls_utilization_machine(of, &all->options, &accelerator, &accelerators);
    for (size_t i = 0; i < of->run_count && status == MLS_OK; i++) {
        mls_throughput *run = &measured[i];
        const mls_run *read = of->runs[i];
        *run = blank_run(read, &all->options);
        run->utilization.accelerator = accelerator;
        run->utilization.accelerators = accelerators;
        run->benchmark = read->benchmark != NULL ? read->benchmark : of->result_folder ? of->benchmark : NULL;
        if (run->benchmark != NULL)
            run->model = mls_models_of_benchmark(all->options.models, mls_str_from(run->benchmark));
        if (run->model != NULL) {
            /* Samples padded to one length have the maximum length in the log. */
            const char *logged = mls_run_hyperparameter(read, MLS_S("max_sequence_length"));
            size_t length;
            run->tokens_per_sample = run->model->tokens_per_sample;
            if (!isnan(run->tokens_per_sample) && logged != NULL && mls_size_parse(mls_str_from(logged), &length) &&
                length > 0)
                run->tokens_per_sample = (double)length;
        }
        healing[i].step = differ ? 0 : step;
        mls_timing timing = {.scratch = scratch,
                             .notes = mls_collection_notes(all->collection, read),
                             .edition = of->edition->number,
                             .run = run,
                             .healing = &healing[i]};
        mls_arena_reset(scratch);
        measure_run(&timing);
        /* Copy the lists out of the scratch arena, where they have room for the maximum. */
        move(&run->segments, run->series ? run->segment_count : 0, sizeof *run->segments, all->arena);
        move(&run->stretches, run->series ? run->stretch_count : 0, sizeof *run->stretches, all->arena);
        move(&run->slow_phases, run->slow_phase_count, sizeof *run->slow_phases, all->arena);
        move(&healing[i].phases, healing[i].phase_count, sizeof *healing[i].phases, all->arena);
        move(&run->slow_evaluations, run->slow_evaluation_count, sizeof *run->slow_evaluations, all->arena);
        move(&run->curve, run->curve_count, sizeof *run->curve, all->arena);
        mls_utilization_find(run, &all->options);
        status = mls_time_to_target(run, of, all->options.rulesets, error);
    }
    if (status == MLS_OK) {
        /* Release the notes first: they are most of the memory of a run. */
        for (size_t i = 0; i < of->run_count; i++)
            mls_pace_notes_used(mls_collection_notes(all->collection, of->runs[i]));
        group->runs = mls_calloc(of->run_count > 0 ? of->run_count : 1, sizeof *group->runs);
        for (size_t i = 0; i < of->run_count; i++) {
            group->runs[i] = measured[i];
            all->runs[of->runs[i] - all->collection->runs] = &group->runs[i];
        }
        mls_throughput_group_compare(group, healing, all->arena, scratch);
    }
    free(measured);
    free(healing);
    return status;
}

mls_status mls_throughputs_measure(const mls_collection *collection, const mls_throughput_options *options,
                                   mls_throughputs *all, mls_error *error)
{
    mls_arena scratch = {0};
    *all = (mls_throughputs){.arena = mls_calloc(1, sizeof *all->arena), .collection = collection, .options = *options};
    all->groups = mls_arena_zeroed(all->arena, collection->group_count + 1, sizeof *all->groups);
    all->runs = mls_arena_zeroed(all->arena, collection->run_count + 1, sizeof *all->runs);
    mls_status status = MLS_OK;
    all->run_count = collection->run_count;
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        mls_throughput_group *group = &all->groups[all->group_count++];
        group->group = &collection->groups[i];
        status = measure_group(all, group, &scratch, error);
    }
    mls_arena_release(&scratch);
    return status;
}

void mls_throughputs_release(mls_throughputs *all)
{
    for (size_t i = 0; i < all->group_count; i++) {
        mls_findings_release(&all->groups[i].findings);
        free(all->groups[i].runs);
    }
    mls_arena_free(all->arena);
    *all = (mls_throughputs){0};
}
