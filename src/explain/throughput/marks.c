/* SPDX-License-Identifier: Apache-2.0 */
/* marks.c - how far training was, and when: from what a run logged to marks of time and position, and the segments
 * between them.
 *
 * Loggers agree on little: epoch_num counts epochs, tokens or samples, evaluations are logged late, clocks run
 * backwards.  So a mark counts only when it moves forward in position and in training time, and no later evaluation
 * takes it back. */
#include <math.h>

#include "base/statistics.h"
#include "explain/throughput/notes.h"

/* A position at a moment after run_start.  Evaluations hold against each other, what is finer only against them. */
typedef struct pace_mark {
    mls_placed when; /* milliseconds; of those of one moment evaluations as they came, then tracked_stats */
    double samples;
    bool fine; /* of tracked_stats */
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

/* The meaning of epoch_num of gpt3 and bert: tokens from a million on, samples from a thousand on; less is something
 * else. */
#define TOKENS_MIN 1e6
#define SAMPLES_MIN 1e3

/* Evaluations were made when training was over, if the first mark is so late and at so little of the samples. */
#define LATE_TIME 0.8
#define LATE_SAMPLES 0.5
enum { LATE_MARKS = 3 };

/* The number that a run's first epoch has: 1 where the logger may begin there and the first evaluation says so. */
static double first_epoch(const mls_timing *timing)
{
    const mls_model *model = timing->run->model;
    for (size_t i = 0; i < timing->timed_count && model != NULL && model->epoch_num_may_start_at_1; i++)
        if (timing->timed[i].kind == MLS_NOTED_EVALUATION)
            return timing->timed[i].record->epoch >= 1;
    return 0;
}

/* The samples of an epoch_num that counts tokens; NAN when it does not. */
static double samples_of_tokens(const mls_model *model, double epoch)
{
    const bool tokens =
        model != NULL && model->epoch_num_is == MLS_EPOCH_IS_TOKENS && (epoch == 0 || epoch >= TOKENS_MIN);
    return tokens ? epoch / model->tokens_per_sample : (double)NAN;
}

/* The position of an evaluation, NAN when it has none; *in_samples is its unit. */
static double position_of(const mls_timing *timing, const mls_finding_entry_record *evaluation, double first,
                          bool *in_samples)
{
    const mls_model *model = timing->run->model;
    const double epoch = evaluation->epoch;
    const double by_tokens = samples_of_tokens(model, epoch);
    const double training_set = model != NULL ? mls_model_training_set(model, timing->edition) : (double)NAN;
    *in_samples = true;
    if (!isnan(evaluation->samples) || !isnan(by_tokens))
        return isnan(evaluation->samples) ? by_tokens : evaluation->samples;
    if (model != NULL && model->epoch_num_is == MLS_EPOCH_IS_SAMPLES && (epoch == 0 || epoch >= SAMPLES_MIN))
        return epoch;
    *in_samples = !isnan(training_set);
    return (epoch - first) * (*in_samples ? training_set : 1);
}

/* Takes what lies between run_start and the end of the run. */
static void add_timed(mls_timing *timing, double time_ms, const mls_finding_entry_record *record,
                      mls_finding_entry_kind kind)
{
    const double ms = time_ms - timing->start_ms;
    if (ms >= 0 && ms <= timing->run->run_ms) {
        timing->timed[timing->timed_count] = (mls_timed){{ms, timing->timed_count}, record, kind};
        timing->timed_count++;
    }
}

/* Merges spans and records, of which each says how many spans stand before it, and sorts both by time. */
static void sort_timed(mls_timing *timing)
{
    const mls_pace_notes *notes = timing->notes;
    const mls_spans *spans = &notes->spans;
    size_t at = 0;
    timing->timed = mls_arena_array(timing->scratch, notes->count + spans->count + 1, sizeof *timing->timed);
    for (size_t i = 0; i <= notes->count; i++) {
        const mls_finding_entry_record *record = i < notes->count ? &notes->items[i] : NULL;
        for (; at < spans->count && (record == NULL || at < record->spans_before); at++) {
            const mls_key key = spans->items[at].key;
            const bool counts = !spans->items[at].derived || timing->run->parts.evaluation_derived;
            if (counts && (key == MLS_KEY_EVAL_START || key == MLS_KEY_BLOCK_STOP || key == MLS_KEY_EPOCH_STOP)) {
                add_timed(timing, spans->items[at].time_ms, NULL,
                          key == MLS_KEY_EVAL_START ? MLS_NOTED_EVALUATION_START : MLS_NOTED_TRAINING_STOP);
            }
        }
        if (record != NULL)
            add_timed(timing, record->time_ms, record, record->kind);
    }
    mls_sort_placed(timing->timed, timing->timed_count, sizeof *timing->timed);
}

/* The distance between two evaluations; NAN: none is known. */
typedef struct evaluation_walk {
    double begun, stopped;            /* the last eval_start, the last stop of training */
    double before_ms, before_samples; /* of the evaluation before */
} evaluation_walk;

/* When the evaluated state of training was reached: at the last eval_start since the evaluation before, else at the
 * last stop of training since it, else when the evaluation was logged.  Two records of one evaluation, with nothing
 * between, share the first one's moment. */
static double evaluated_at(evaluation_walk *walk, double logged_ms, double samples)
{
    const bool again = isnan(walk->begun) && isnan(walk->stopped) && !isnan(samples) &&
                       mls_compare_doubles(samples, walk->before_samples) == 0;
    const double at = again                   ? walk->before_ms
                      : !isnan(walk->begun)   ? walk->begun
                      : !isnan(walk->stopped) ? walk->stopped
                                              : logged_ms;
    *walk = (evaluation_walk){NAN, NAN, at, samples};
    return at;
}

/* The curve, and the marks of all evaluations of one unit: that of the first with a position other than 0. */
static void mark_evaluations(mls_timing *timing, pace_marks *marks)
{
    mls_throughput *run = timing->run;
    const double first = first_epoch(timing);
    evaluation_walk walk = {NAN, NAN, NAN, NAN};
    bool unit_known = false;
    run->curve = mls_arena_array(timing->scratch, timing->notes->count + 1, sizeof *run->curve);
    marks->items = mls_arena_array(timing->scratch, timing->notes->count + 1, sizeof *marks->items);
    for (size_t i = 0; i < timing->timed_count; i++) {
        const mls_timed *timed = &timing->timed[i];
        bool in_samples;
        walk.begun = timed->kind == MLS_NOTED_EVALUATION_START ? timed->when.value : walk.begun;
        walk.stopped = timed->kind == MLS_NOTED_TRAINING_STOP ? timed->when.value : walk.stopped;
        if (timed->kind != MLS_NOTED_EVALUATION)
            continue;
        const double samples = position_of(timing, timed->record, first, &in_samples);
        const double at = evaluated_at(&walk, timed->when.value, samples);
        run->curve[run->curve_count++] = (mls_curve_point){.ms = timed->when.value,
                                                           .samples = samples,
                                                           .value = timed->record->value,
                                                           .steps = timed->record->steps,
                                                           .box = timed->record->box,
                                                           .mask = timed->record->mask,
                                                           .metric = timed->record->metric};
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

/* block_start with its position, where that begins at 0 and only grows; else it is the length of a block. */
static void mark_blocks(const mls_timing *timing, pace_marks *marks)
{
    double last = NAN;
    for (size_t i = 0; i < timing->timed_count; i++) {
        if (timing->timed[i].kind != MLS_NOTED_BLOCK)
            continue;
        const double samples = timing->timed[i].record->samples;
        if (isnan(last) ? samples != 0 : !(samples > last)) {
            marks->count = 0;
            return;
        }
        if (!isnan(last))
            add_mark(marks, timing->timed[i].when.value, samples, false);
        last = samples;
    }
}

double mls_timing_training(const mls_timing *timing, double ms)
{
    size_t low = 0; /* the stretches before it began earlier */
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

/* Keeps, in order of time, a mark whose position is above the last kept one and not above that of any later evaluation,
 * when training time has passed since.  The first is measured from run_start. */
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

/* Whether checkpoints were evaluated when the training was over, as one submitter of resnet did. */
static bool are_late(const mls_timing *timing, const pace_marks *kept)
{
    const pace_mark *last = &kept->items[kept->count - 1];
    return kept->count >= LATE_MARKS &&
           mls_timing_training(timing, kept->items[0].when.value) >=
               LATE_TIME * mls_timing_training(timing, last->when.value) &&
           kept->items[0].samples <= LATE_SAMPLES * last->samples;
}

/* Adds what tracked_stats say of the position between the evaluations. */
static void add_fine_marks(const mls_timing *timing, pace_marks *marks)
{
    for (size_t i = 0; i < timing->timed_count; i++) {
        const mls_finding_entry_record *stats = timing->timed[i].record;
        if (timing->timed[i].kind != MLS_NOTED_STATS)
            continue;
        const double stepped = samples_of_tokens(timing->run->model, stats->epoch);
        const double samples = isnan(stats->samples) ? stepped : stats->samples;
        if (!isnan(samples))
            add_mark(marks, timing->timed[i].when.value, samples, true);
    }
}

/* Steps that are shorter than this share of what the pace of the run allows for measured something else. */
#define STEPS_MIN 0.5

/* Leave in each segment with an evaluation that nothing delimits the time of its steps, where train_step_time was
 * logged: the rest is evaluation. */
static void keep_steps(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    mls_weighted *paces = mls_arena_array(timing->scratch, run->segment_count + 1, sizeof *paces);
    double evaluated_ms = 0;
    size_t at = 0;
    if (run->parts.evaluation_delimited || run->in_epochs || run->segment_count == 0)
        return;
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
            const bool stepped = timed->kind == MLS_NOTED_STATS && timed->record->step_ms > 0;
            evaluations += timed->kind == MLS_NOTED_EVALUATION;
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

void mls_timing_mark(mls_timing *timing)
{
    mls_throughput *run = timing->run;
    pace_marks marks = {0};
    pace_marks kept;
    sort_timed(timing);
    mark_evaluations(timing, &marks);
    if (run->marks_from == MLS_MARKS_FROM_NOTHING) {
        mark_blocks(timing, &marks);
        run->marks_from = marks.count > 0 ? MLS_MARKS_FROM_BLOCKS : MLS_MARKS_FROM_NOTHING;
        if (marks.count == 0 && run->state == MLS_TIMED_ENDED && timing->notes->stop_samples > 0) {
            add_mark(&marks, run->run_ms, timing->notes->stop_samples, false);
            run->marks_from = MLS_MARKS_FROM_RUN_STOP;
        }
    }
    /* For lateness the evaluations count alone. */
    keep_marks(timing, &marks, &kept);
    if (run->marks_from == MLS_MARKS_FROM_EVALUATIONS && kept.count > 0 && are_late(timing, &kept)) {
        run->marks_from = MLS_MARKS_FROM_LATE_EVALUATIONS;
        kept.items[0] = kept.items[kept.count - 1];
        kept.count = 1;
    } else if (run->marks_from <= MLS_MARKS_FROM_EVALUATIONS && !run->in_epochs) {
        add_fine_marks(timing, &marks);
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
    keep_steps(timing);
}
