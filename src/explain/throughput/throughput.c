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

/* Slow evaluations are found if a run has at least SLOW_EVALUATIONS_FROM evaluations.  One is slow if it takes at least
 * SLOW_EVALUATION_TIMES the median and at least SLOW_EVALUATION_MS milliseconds more. */
enum { SLOW_EVALUATIONS_FROM = 5 };
#define SLOW_EVALUATION_TIMES 2
#define SLOW_EVALUATION_MS 1000

/* The smallest epoch_num that counts samples, for benchmarks in which it may count samples or epochs. */
#define SAMPLES_MIN 1e3

#define FLOPS_PER_TFLOP 1e12

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
    mls_throughput blank = {.run = run, .series = options->series};
    mls_utilization *used = &blank.utilization;
    double *const unknown[] = {&blank.run_ms,
                               &blank.samples,
                               &blank.measured_training_ms,
                               &blank.training_samples_per_second,
                               &blank.run_samples_per_second,
                               &blank.steady_ms_per_sample,
                               &blank.band,
                               &blank.steady_step_ms,
                               &blank.steady_tokens_per_second,
                               &blank.warmup_lost_ms,
                               &blank.evaluation_median_ms,
                               &blank.time_to_target_ms,
                               &blank.logged_throughput,
                               &blank.logged_step_ms,
                               &blank.tokens_per_sample,
                               &used->accelerators,
                               &used->flops_per_sample,
                               &used->flops_derived,
                               &used->bf16,
                               &used->precision,
                               &used->derived,
                               &used->narrowest};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        *unknown[i] = NAN;
    for (size_t i = 0; i < MLS_SPARK_CELLS; i++)
        blank.spark[i] = MLS_SPARK_GAP;
    return blank;
}

/* Add a stretch of the timed part.  Join it to the last one if that is adjacent and of the same part. */
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

/* Return the lower median of the rates of tracked_stats, or (`steps`) of their step times; NAN if there are none. */
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
    const size_t max = notes->spans.count + 1; /* each span, and the end of the run, end at most one stretch */
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

/* Set the utilization of a run. */
static void find_utilization(mls_throughput *run, const mls_group_precision *precision,
                             const mls_throughput_options *options)
{
    mls_utilization *of = &run->utilization;
    if (run->model == NULL || run->in_epochs)
        return;
    /* The FLOPs of a sample are known for one sequence length.  The FLOPs of matrices and windows are proportional to
     * the length, those of attention to its square.  Causal attention needs half of the latter. */
    const mls_model *model = run->model;
    const double whole = model->flops_per_sample;
    const double longer = run->tokens_per_sample / model->tokens_per_sample;
    const double half = whole - model->flops_per_sample_causal; /* half of the FLOPs of attention; NAN: unknown */
    if (isnan(longer) || longer == 1)
        of->flops_per_sample = options->causal && !isnan(half) ? whole - half : whole;
    else
        of->flops_per_sample = (whole - 2 * half) * longer + (options->causal ? half : 2 * half) * longer * longer;
    of->flops_derived = isnan(of->flops_per_sample) ? model->flops_per_sample_derived : (double)NAN;
    /* The precision of the linear layers, which cause most FLOPs. */
    const bool fp4 = precision->value != NULL && strcmp(precision->value, "fp4") == 0;
    const bool fp8 = precision->value != NULL && strcmp(precision->value, "fp8") == 0;
    of->has_precision = options->has_precision || fp4 || fp8;
    of->named = options->has_precision ? options->precision : fp4 ? MLS_PRECISION_FP4 : MLS_PRECISION_FP8;
    if (of->accelerator != NULL) {
        const double *peak = of->accelerator->peak;
        const double usual = isnan(peak[MLS_PRECISION_BF16]) ? peak[MLS_PRECISION_FP16] : peak[MLS_PRECISION_BF16];
        const double rate = 1000 / run->steady_ms_per_sample / of->accelerators / FLOPS_PER_TFLOP;
        const double used = of->flops_per_sample * rate;
        double largest = NAN;
        for (int i = 0; i < MLS_PRECISION_COUNT; i++)
            largest = fmax(largest, peak[i]);
        of->bf16 = used / usual;
        of->precision = of->has_precision ? used / peak[of->named] : (double)NAN;
        of->derived = of->flops_derived * rate / usual;
        of->narrowest = (isnan(used) ? of->flops_derived * rate : used) / largest;
    }
}

/* Set the targets and the time to target from the curve.  Return MLS_OK, or an error of loading the rules. */
static mls_status find_target(mls_throughput *run, const mls_group *group, mls_rulesets *rulesets, mls_error *error)
{
    const mls_ruleset *ruleset;
    if (rulesets == NULL || run->benchmark == NULL || run->curve_count == 0)
        return MLS_OK;
    const mls_status status = mls_rulesets_get(rulesets, group->edition, &ruleset, error);
    if (status != MLS_OK)
        return status;
    const double batch = run->run->global_batch_size;
    run->target = mls_ruleset_target(ruleset, run->benchmark, batch, NULL);
    run->box_target = mls_ruleset_target(ruleset, run->benchmark, batch, "BBOX");
    run->mask_target = mls_ruleset_target(ruleset, run->benchmark, batch, "SEGM");
    for (size_t i = 0; i < run->curve_count && isnan(run->time_to_target_ms); i++) {
        bool meets = false;
        if (!isnan(run->curve[i].value))
            run->target_known |= mls_ruleset_meets_target(ruleset, run->benchmark, batch, run->curve[i].value, &meets);
        if (meets) {
            run->time_to_target_ms = run->curve[i].ms;
            run->target_at = i + 1;
        }
    }
    return MLS_OK;
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

/* `segments` holds the segments of the runs until the group was compared, unless they are stored. */
static mls_status measure_group(mls_throughputs *all, mls_throughput_group *group, mls_arena *scratch,
                                mls_arena *segments, mls_error *error)
{
    const mls_group *of = group->group;
    /* Find the machine in the options, else in the system description, else in the config's name. */
    const mls_throughput_options *options = &all->options;
    const double accelerators = isnan(options->accelerators) ? of->accelerators : options->accelerators;
    const mls_accelerator *accelerator = options->accelerator;
    const char *model = of->system.accelerator_model_name != NULL ? of->system.accelerator_model_name : of->accelerator;
    mls_throughput *measured = mls_calloc(of->run_count, sizeof *measured);
    mls_healing *healing = mls_calloc(of->run_count, sizeof *healing);
    mls_status status = MLS_OK;
    uint32_t step = 0; /* healing step that the runs printed; 0: none, or runs printed different ones */
    bool differ = false;
    for (size_t i = 0; i < of->run_count; i++) {
        const uint32_t printed = of->runs[i]->facts.healing;
        differ |= printed != 0 && step != 0 && printed != step;
        step = printed != 0 ? printed : step;
    }
    if (accelerator == NULL && (!isnan(accelerators) || of->accelerator != NULL))
        (void)!mls_accelerators_match(options->accelerator_table, mls_str_from(model),
                                      mls_str_from(of->system.system_name), &accelerator);
    for (size_t i = 0; i < of->run_count && status == MLS_OK; i++) {
        mls_throughput *run = &measured[i];
        const mls_run *read = of->runs[i];
        *run = blank_run(read, options);
        run->utilization.accelerator = accelerator;
        run->utilization.accelerators = accelerators;
        run->benchmark = read->benchmark != NULL ? read->benchmark : of->result_folder ? of->benchmark : NULL;
        if (run->benchmark != NULL)
            run->model = mls_models_of_benchmark(options->models, mls_str_from(run->benchmark));
        if (run->model != NULL) {
            /* If samples are padded to one length, the log contains it as max_sequence_length. */
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
        /* Copy the lists to the permanent arena at their final sizes; in the scratch arena they have their maximum
         * sizes. */
        move(&run->segments, run->segment_count, sizeof *run->segments, run->series ? all->arena : segments);
        move(&run->stretches, run->series ? run->stretch_count : 0, sizeof *run->stretches, all->arena);
        move(&run->slow_phases, run->slow_phase_count, sizeof *run->slow_phases, all->arena);
        move(&healing[i].phases, healing[i].phase_count, sizeof *healing[i].phases, all->arena);
        move(&run->slow_evaluations, run->slow_evaluation_count, sizeof *run->slow_evaluations, all->arena);
        move(&run->curve, run->curve_count, sizeof *run->curve, all->arena);
        find_utilization(run, &of->precision, options);
        status = find_target(run, of, options->rulesets, error);
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
        mls_throughput_group_compare(group, healing, all->arena, scratch, options->score);
        for (size_t i = 0; i < of->run_count && !options->series; i++)
            group->runs[i].segments = NULL;
    }
    free(measured);
    free(healing);
    return status;
}

mls_status mls_throughputs_measure(const mls_collection *collection, const mls_throughput_options *options,
                                   mls_throughputs *all, mls_error *error)
{
    mls_arena scratch = {0};
    mls_arena segments = {0};
    *all = (mls_throughputs){.arena = mls_calloc(1, sizeof *all->arena), .collection = collection, .options = *options};
    all->groups = mls_arena_zeroed(all->arena, collection->group_count + 1, sizeof *all->groups);
    all->runs = mls_arena_zeroed(all->arena, collection->run_count + 1, sizeof *all->runs);
    mls_status status = MLS_OK;
    all->run_count = collection->run_count;
    for (size_t i = 0; i < collection->group_count && status == MLS_OK; i++) {
        mls_throughput_group *group = &all->groups[all->group_count++];
        group->group = &collection->groups[i];
        mls_arena_reset(&segments);
        status = measure_group(all, group, &scratch, &segments, error);
    }
    mls_arena_release(&scratch);
    mls_arena_release(&segments);
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
