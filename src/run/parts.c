/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - break down the time of a run.
 *
 * A span is the time from a start record to its stop record; several spans may be open at a time.  The time until the
 * next record belongs to the span that was opened last; a stop closes the oldest span of its kind.  Therefore, an
 * evaluation within a block counts as evaluation, and training that starts again during an evaluation counts as
 * training.  At most one evaluation is open, so the list of open spans is represented by two numbers and a flag. */
#include "run/parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "json/value.h"

/* Flags that describe a record; 0: the record neither starts nor stops a span. */
enum { IS_START = 1, OF_BLOCK = 2, OF_EPOCH = 4, OF_EVALUATION = 8 };

static const unsigned char span_of[MLS_KEY_COUNT] = {
    [MLS_KEY_BLOCK_START] = OF_BLOCK | IS_START,     [MLS_KEY_BLOCK_STOP] = OF_BLOCK,
    [MLS_KEY_EPOCH_START] = OF_EPOCH | IS_START,     [MLS_KEY_EPOCH_STOP] = OF_EPOCH,
    [MLS_KEY_EVAL_START] = OF_EVALUATION | IS_START, [MLS_KEY_EVAL_STOP] = OF_EVALUATION,
};

const char *mls_parts_by_name(mls_parts_by by)
{
    return by == MLS_PARTS_BY_BLOCK ? "block" : by == MLS_PARTS_BY_EPOCH ? "epoch" : NULL;
}

static void add_span(mls_spans *spans, mls_span span)
{
    spans->too_many |= spans->count == MLS_SPANS_MAX;
    if (!spans->too_many) {
        MLS_GROW(spans, items);
        spans->items[spans->count++] = span;
    }
}

/* Return a duration in milliseconds from a record of tracked_stats; NAN if it is missing. */
static double measured_ms(const mls_record *record, mls_str name)
{
    mls_str span;
    double seconds;
    const bool known = record->key_id == MLS_KEY_TRACKED_STATS && mls_record_value_member(record, name, &span) &&
                       mls_json_kind_of(span) == MLS_JSON_NUMBER && mls_json_number(span, &seconds) && seconds >= 0;
    return known ? 1000 * seconds : (double)NAN;
}

void mls_spans_record(mls_spans *spans, const mls_record *record)
{
    if (spans->ended)
        return;
    if (record->key_id == MLS_KEY_RUN_STOP) {
        spans->ended = true;
    } else if (record->key_id == MLS_KEY_RUN_START && !spans->started) {
        spans->started = true;
        spans->start_ms = record->time_ms;
        spans->start = spans->count;
    } else if (span_of[record->key_id] != 0) {
        spans->delimited |= spans->started && record->key_id == MLS_KEY_EVAL_START;
        add_span(spans, (mls_span){record->time_ms, record->key_id, false});
    } else if (spans->started && !spans->delimited &&
               (record->key_id == MLS_KEY_TRACKED_STATS || record->key_id == MLS_KEY_EVAL_ACCURACY ||
                record->key_id == MLS_KEY_EVAL_ERROR)) {
        /* Derive an evaluation for a run without eval_start.  It begins with its first step and ends with its result.
         * If the steps were not logged, its length is the logged duration of the whole evaluation. */
        const double step_ms = measured_ms(record, MLS_S("validation_step_time"));
        const double whole_ms = measured_ms(record, MLS_S("validation_time"));
        const bool whole = isnan(step_ms) && !isnan(whole_ms);
        const double from_ms = record->time_ms - (whole ? whole_ms : step_ms);
        const bool starts = !spans->deriving && isfinite(from_ms) && from_ms >= spans->derived_ms;
        const bool stops = spans->deriving ? record->key_id != MLS_KEY_TRACKED_STATS : starts && whole;
        spans->deriving = (spans->deriving || starts) && !stops;
        spans->derived_ms = stops ? record->time_ms : spans->derived_ms;
        if (starts)
            add_span(spans, (mls_span){from_ms, MLS_KEY_EVAL_START, true});
        if (stops)
            add_span(spans, (mls_span){record->time_ms, MLS_KEY_EVAL_STOP, true});
    }
}

void mls_spans_release(mls_spans *spans)
{
    free(spans->items);
    *spans = (mls_spans){0};
}

/* The state of processing the span records of a run. */
typedef struct parts_walk {
    mls_parts *parts;
    mls_parts_visit visit;
    void *state;
    double clock, end_ms; /* time of the current record, at most end_ms; the end of the run */
    double idle_ms;       /* end of the last span, if no span is open */
    size_t older, newer;  /* numbers of open training spans that were opened before, and after, the open evaluation */
    bool evaluating;
    bool begun; /* a span has started or stopped after run_start */
} parts_walk;

static bool is_idle(const parts_walk *walk)
{
    return walk->older + walk->newer == 0 && !walk->evaluating;
}

static void assign(parts_walk *walk, mls_part part, bool overlapped, double from_ms, double to_ms)
{
    const mls_parts *parts = walk->parts;
    const bool delimited =
        part == MLS_PART_EVALUATION ? parts->evaluation_delimited : parts->by != MLS_PARTS_BY_NOTHING;
    part = delimited ? part : MLS_PART_TRAINING;
    if (to_ms > from_ms) {
        walk->parts->ms[part] += to_ms - from_ms;
        if (walk->visit != NULL)
            walk->visit(walk->state, &(mls_stretch){part, overlapped, from_ms, to_ms});
    }
}

/* Assign the time since the last span ended to `part`. */
static void assign_idle(parts_walk *walk, mls_part part)
{
    assign(walk, part, false, walk->idle_ms, walk->clock);
    walk->idle_ms = walk->clock;
}

/* Advance the clock to the time of a record.  The clock never goes back, and stops at the end of the run. */
static void move_clock(parts_walk *walk, double time_ms)
{
    const double before = walk->clock;
    walk->clock = time_ms > walk->clock ? time_ms : walk->clock;
    walk->clock = walk->clock < walk->end_ms ? walk->clock : walk->end_ms;
    if (!is_idle(walk)) {
        const bool training = walk->newer > 0 || !walk->evaluating;
        const bool overlapped = training && walk->evaluating;
        assign(walk, training ? MLS_PART_TRAINING : MLS_PART_EVALUATION, overlapped, before, walk->clock);
        walk->parts->overlapped_evaluation_ms += overlapped ? walk->clock - before : 0;
        walk->idle_ms = walk->clock;
    }
}

bool mls_spans_parts(const mls_spans *spans, double end_ms, mls_parts *parts, mls_parts_visit visit, void *state)
{
    unsigned seen = 0;
    *parts = (mls_parts){0};
    if (!spans->started || spans->too_many || !(end_ms >= spans->start_ms))
        return false;
    for (size_t i = spans->start; i < spans->count; i++) {
        const unsigned span = span_of[spans->items[i].key];
        seen |= span & (OF_BLOCK | OF_EPOCH);
        parts->evaluation_delimited |= span == (OF_EVALUATION | IS_START);
    }
    parts->evaluation_derived = parts->evaluation_delimited && !spans->delimited;
    parts->by = seen & OF_BLOCK ? MLS_PARTS_BY_BLOCK : seen & OF_EPOCH ? MLS_PARTS_BY_EPOCH : MLS_PARTS_BY_NOTHING;
    const unsigned kinds = OF_EVALUATION | (seen & OF_BLOCK ? OF_BLOCK : seen & OF_EPOCH);
    parts_walk walk = {.parts = parts,
                       .visit = visit,
                       .state = state,
                       .clock = spans->start_ms,
                       .idle_ms = spans->start_ms,
                       .end_ms = end_ms};
    for (size_t i = 0; i < spans->count; i++) {
        const unsigned span = span_of[spans->items[i].key];
        const bool evaluation = (span & OF_EVALUATION) != 0;
        const bool starts = (span & IS_START) != 0;
        const bool timed = i >= spans->start;
        if ((span & kinds) == 0 || (spans->items[i].derived && !parts->evaluation_derived))
            continue;
        if (timed)
            move_clock(&walk, spans->items[i].time_ms);
        if (evaluation && starts == walk.evaluating) {
            /* Ignore an evaluation in another one, and a stop without a start. */
        } else if (starts) {
            if (timed && is_idle(&walk))
                assign_idle(&walk, walk.begun ? MLS_PART_BETWEEN : MLS_PART_STARTUP);
            parts->evaluations += evaluation && timed;
            walk.newer += !evaluation && walk.evaluating;
            walk.older += !evaluation && !walk.evaluating;
            walk.evaluating |= evaluation;
        } else if (evaluation) {
            walk.evaluating = false;
            walk.older += walk.newer;
            walk.newer = 0;
        } else if (walk.older > 0) {
            walk.older--;
        } else if (walk.newer > 0) {
            walk.newer--;
        } else if (timed && !walk.evaluating) {
            /* A stop of training without a start: training has continued since the last span ended, or since
             * run_start. */
            assign_idle(&walk, MLS_PART_TRAINING);
        }
        walk.begun |= timed;
    }
    move_clock(&walk, end_ms);
    assign_idle(&walk, walk.begun ? MLS_PART_TAIL : MLS_PART_STARTUP);
    return true;
}
