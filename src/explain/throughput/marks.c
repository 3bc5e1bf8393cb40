/* SPDX-License-Identifier: Apache-2.0 */
/* marks.c - find the positions of training at known times, and the segments between them.
 *
 * Logs differ: epoch_num counts epochs, tokens or samples, evaluations are logged late, clocks run backwards.
 * Therefore a mark (a position at a time) is used only if its position and its training time are larger than those of
 * the previous mark, and if no later evaluation has a smaller position. */
#include <math.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

/* A position at a time after run_start. */
typedef struct pace_mark {
    mls_placed when; /* milliseconds; marks of the same time are in the order of the file, tracked_stats last */
    double samples;
    bool fine; /* the mark is from tracked_stats, which do not invalidate other marks */
} pace_mark;

typedef struct pace_marks {
    pace_mark *items;
    size_t count;
} pace_marks;

static void add_mark(pace_marks *marks, double ms, double samples, bool fine)
{
    marks->items[marks->count] = (pace_mark){{ms, marks->count}, samples, fine};
    marks->count++;
}

/* In logs of gpt3 and bert, an epoch_num of at least TOKENS_MIN counts tokens, and one of at least SAMPLES_MIN samples.
 */
#define TOKENS_MIN 1e6
#define SAMPLES_MIN 1e3

/* Evaluations were made after training if there are LATE_MARKS marks or more, and the first one has at least LATE_TIME
 * of the training time but at most LATE_SAMPLES of the samples of the last one. */
#define LATE_TIME 0.8
#define LATE_SAMPLES 0.5
enum { LATE_MARKS = 3 };

/* Return the number of samples for an epoch_num that counts tokens, or NAN if it counts something else. */
static double samples_of_tokens(const mls_model *model, double epoch)
{
    const bool tokens =
        model != NULL && model->epoch_num_is == MLS_EPOCH_IS_TOKENS && (epoch == 0 || epoch >= TOKENS_MIN);
    return tokens ? epoch / model->tokens_per_sample : (double)NAN;
}

/* Add a record between run_start and the end of the run. */
static void add_timed(mls_timing *timing, double time_ms, const mls_pace_record *record, mls_pace_kind kind)
{
    const double ms = time_ms - timing->start_ms;
    if (ms >= 0 && ms <= timing->run->run_ms) {
        timing->timed[timing->timed_count] = (mls_timed){{ms, timing->timed_count}, record, kind};
        timing->timed_count++;
    }
}

/* Set the curve, and add the marks of all evaluations.  Their unit is the unit of the first position other than 0. */
static void mark_evaluations(mls_timing *timing, pace_marks *marks)
{
    mls_throughput *run = timing->run;
    const mls_model *model = run->model;
    const double training_set = model != NULL ? mls_model_training_set(model, timing->edition) : (double)NAN;
    double first = NAN;     /* number of the first epoch: 1 if the first evaluation may and does begin there */
    double begun = NAN;     /* time of the last eval_start since the previous evaluation */
    double stopped = NAN;   /* time of the last stop of training since the previous evaluation */
    double before = NAN;    /* position of the previous evaluation */
    double before_ms = NAN; /* time at which that position was reached */
    bool unit_known = false;
    run->curve = mls_arena_array(timing->scratch, timing->notes->count + 1, sizeof *run->curve);
    marks->items = mls_arena_array(timing->scratch, timing->notes->count + 1, sizeof *marks->items);
    for (size_t i = 0; i < timing->timed_count; i++) {
        const mls_timed *timed = &timing->timed[i];
        const mls_pace_record *record = timed->record;
        begun = timed->kind == MLS_PACE_EVALUATION_START ? timed->when.value : begun;
        stopped = timed->kind == MLS_PACE_TRAINING_STOP ? timed->when.value : stopped;
        if (timed->kind != MLS_PACE_EVALUATION)
            continue;
        /* Find the position of the evaluation. */
        const double epoch = record->epoch;
        const double by_tokens = samples_of_tokens(model, epoch);
        const bool is_samples =
            model != NULL && model->epoch_num_is == MLS_EPOCH_IS_SAMPLES && (epoch == 0 || epoch >= SAMPLES_MIN);
        if (isnan(first))
            first = model != NULL && model->epoch_num_may_start_at_1 && epoch >= 1;
        const double by_epochs = (epoch - first) * (isnan(training_set) ? 1 : training_set);
        const double samples = !isnan(record->samples) ? record->samples
                               : !isnan(by_tokens)     ? by_tokens
                               : is_samples            ? epoch
                                                       : by_epochs;
        const bool in_samples = !isnan(record->samples) || !isnan(by_tokens) || is_samples || !isnan(training_set);
        /* The position was reached at the last eval_start since the previous evaluation, else at the last stop of
         * training since then, else when the evaluation was logged.  A second record of the same evaluation gets the
         * time of the first one. */
        const bool again =
            isnan(begun) && isnan(stopped) && !isnan(samples) && mls_compare_doubles(samples, before) == 0;
        const double at = again ? before_ms : !isnan(begun) ? begun : !isnan(stopped) ? stopped : timed->when.value;
        begun = stopped = NAN;
        before = samples;
        before_ms = at;
        run->curve[run->curve_count++] = (mls_curve_point){.ms = timed->when.value,
                                                           .samples = samples,
                                                           .value = record->value,
                                                           .steps = record->steps,
                                                           .box = record->box,
                                                           .mask = record->mask,
                                                           .metric = record->metric};
        if (isnan(samples))
            continue;
        run->marks_from = MLS_MARKS_FROM_EVALUATIONS;
        if (!unit_known && samples == 0)
            continue;
        run->in_epochs = unit_known ? run->in_epochs : !in_samples;
        unit_known = true;
        if (in_samples != run->in_epochs)
            add_mark(marks, at, samples, false);
        else
            run->curve[run->curve_count - 1].samples = NAN;
    }
}

double mls_timing_training(const mls_timing *timing, double ms)
{
    size_t low = 0; /* number of stretches that began before `ms` */
    size_t high = timing->training_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (timing->training[middle].from_ms < ms)
            low = middle + 1;
        else
            high = middle;
    }
    const mls_trained *last = low > 0 ? &timing->training[low - 1] : NULL;
    return last != NULL ? last->before_ms + (fmin(ms, last->to_ms) - last->from_ms) : 0;
}

/* In the order of time, keep a mark if its position is above the position of the last kept mark, no later evaluation
 * has a smaller position, and training time has passed since the last kept mark. */
static void keep_marks(const mls_timing *timing, const pace_marks *marks, pace_marks *kept)
{
    double *min = mls_arena_array(timing->scratch, marks->count + 1, sizeof *min);
    double reached = 0;
    double trained = 0;
    *kept = (pace_marks){mls_arena_array(timing->scratch, marks->count + 1, sizeof *kept->items), 0};
    mls_sort_placed(marks->items, marks->count, sizeof *marks->items);
    min[marks->count] = INFINITY;
    for (size_t i = marks->count; i-- > 0;) {
        const bool counts = !marks->items[i].fine && marks->items[i].samples < min[i + 1];
        min[i] = counts ? marks->items[i].samples : min[i + 1];
    }
    for (size_t i = 0; i < marks->count; i++) {
        const pace_mark mark = marks->items[i];
        const double training = mls_timing_training(timing, mark.when.value);
        if (mark.samples > reached && mark.samples <= min[i + 1] && training > trained) {
            kept->items[kept->count++] = mark;
            reached = mark.samples;
            trained = training;
        }
    }
}

/* If the steps of a segment together take less than this share of the time expected from the pace of the run, they are
 * not used. */
#define STEPS_MIN 0.5

void mls_timing_mark(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    const mls_pace_notes *notes = timing->notes;
    const mls_spans *spans = &notes->spans;
    size_t at = 0;
    pace_marks marks = {0};
    pace_marks kept;
    /* Merge spans and records in the order of the file, and sort them by time. */
    timing->timed = mls_arena_array(timing->scratch, notes->count + spans->count + 1, sizeof *timing->timed);
    for (size_t i = 0; i <= notes->count; i++) {
        const mls_pace_record *record = i < notes->count ? &notes->items[i] : NULL;
        for (; at < spans->count && (record == NULL || at < record->spans_before); at++) {
            const mls_key key = spans->items[at].key;
            const bool counts = !spans->items[at].derived || timing->run->parts.evaluation_derived;
            if (counts && (key == MLS_KEY_EVAL_START || key == MLS_KEY_BLOCK_STOP || key == MLS_KEY_EPOCH_STOP)) {
                add_timed(timing, spans->items[at].time_ms, NULL,
                          key == MLS_KEY_EVAL_START ? MLS_PACE_EVALUATION_START : MLS_PACE_TRAINING_STOP);
            }
        }
        if (record != NULL)
            add_timed(timing, record->time_ms, record, record->kind);
    }
    mls_sort_placed(timing->timed, timing->timed_count, sizeof *timing->timed);
    mark_evaluations(timing, &marks);
    if (run->marks_from == MLS_MARKS_FROM_NOTHING) {
        /* The numbers in block records are positions if they begin at 0 and increase; otherwise they are lengths of
         * blocks. */
        double last = NAN;
        bool positions = true;
        for (size_t i = 0; i < timing->timed_count && positions; i++) {
            if (timing->timed[i].kind != MLS_PACE_BLOCK)
                continue;
            const double samples = timing->timed[i].record->samples;
            positions = isnan(last) ? samples == 0 : samples > last;
            if (!isnan(last))
                add_mark(&marks, timing->timed[i].when.value, samples, false);
            last = samples;
        }
        marks.count = positions ? marks.count : 0;
        run->marks_from = marks.count > 0 ? MLS_MARKS_FROM_BLOCKS : MLS_MARKS_FROM_NOTHING;
        if (marks.count == 0 && run->state == MLS_TIMED_ENDED && notes->stop_samples > 0) {
            add_mark(&marks, run->run_ms, notes->stop_samples, false);
            run->marks_from = MLS_MARKS_FROM_RUN_STOP;
        }
    }
    /* Find out whether evaluations were made after training, as one submitter of resnet did. */
    keep_marks(timing, &marks, &kept);
    const pace_mark *first = kept.items;
    const pace_mark *end = &kept.items[kept.count > 0 ? kept.count - 1 : 0];
    if (run->marks_from == MLS_MARKS_FROM_EVALUATIONS && kept.count >= LATE_MARKS &&
        mls_timing_training(timing, first->when.value) >= LATE_TIME * mls_timing_training(timing, end->when.value) &&
        first->samples <= LATE_SAMPLES * end->samples) {
        run->marks_from = MLS_MARKS_FROM_LATE_EVALUATIONS;
        kept.items[0] = *end;
        kept.count = 1;
    } else if (run->marks_from <= MLS_MARKS_FROM_EVALUATIONS && !run->in_epochs) {
        /* Add the positions of tracked_stats between the evaluations. */
        for (size_t i = 0; i < timing->timed_count; i++) {
            const mls_pace_record *stats = timing->timed[i].record;
            if (timing->timed[i].kind != MLS_PACE_STATS)
                continue;
            const double samples = isnan(stats->samples) ? samples_of_tokens(run->model, stats->epoch) : stats->samples;
            if (!isnan(samples))
                add_mark(&marks, timing->timed[i].when.value, samples, true);
        }
        keep_marks(timing, &marks, &kept);
    }
    mls_pace_segment before = {0};
    double trained = 0;
    run->segments = mls_arena_array(timing->scratch, kept.count + 1, sizeof *run->segments);
    for (size_t i = 0; i < kept.count; i++) {
        const pace_mark *mark = &kept.items[i];
        const double training = mls_timing_training(timing, mark->when.value);
        const double from = before.from_samples + before.delta;
        before = (mls_pace_segment){before.to_ms, mark->when.value, from, mark->samples - from, training - trained};
        trained = training;
        run->segments[run->segment_count++] = before;
    }
    /* If no records mark the begins and ends of evaluations but train_step_time is logged, take the time of steps as
     * the training time of a segment with an evaluation, and the rest of its time as evaluation time. */
    if (run->parts.evaluation_delimited || run->in_epochs || run->segment_count == 0)
        return;
    at = 0;
    mls_weighted *paces = mls_arena_array(timing->scratch, run->segment_count + 1, sizeof *paces);
    double evaluated_ms = 0;
    for (size_t i = 0; i < run->segment_count; i++) {
        const mls_pace_segment *segment = &run->segments[i];
        paces[i] = (mls_weighted){segment->training_ms / segment->delta, segment->training_ms};
    }
    const double pace = mls_median_weighted(paces, run->segment_count);
    for (size_t i = 0; i < run->segment_count; i++) {
        mls_pace_segment *segment = &run->segments[i];
        double sum = 0;
        double steps = 0;
        double evaluations = 0;
        for (; at < timing->timed_count && timing->timed[at].when.value <= segment->to_ms; at++) {
            const mls_timed *timed = &timing->timed[at];
            const bool stepped = timed->kind == MLS_PACE_STATS && timed->record->step_ms > 0;
            evaluations += timed->kind == MLS_PACE_EVALUATION;
            sum += stepped ? timed->record->step_ms : 0;
            steps += stepped;
        }
        const double steps_ms = segment->delta / run->run->global_batch_size * sum / steps;
        if (evaluations > 0 && steps_ms < segment->training_ms && steps_ms >= STEPS_MIN * pace * segment->delta) {
            evaluated_ms += segment->training_ms - steps_ms;
            segment->training_ms = steps_ms;
            run->evaluations_from = MLS_EVALUATIONS_FROM_STEPS;
        }
    }
    timing->evaluated_ms = evaluated_ms;
    run->parts.ms[MLS_PART_TRAINING] -= evaluated_ms;
    run->parts.ms[MLS_PART_EVALUATION] += evaluated_ms;
}
