/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - store the times, positions and values in the records of a run. */
#include "explain/throughput/notes.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "json/value.h"

/* Backward steps of the time by fewer milliseconds are ignored, because several ranks may write to one file. */
#define BACKWARDS_MS 1000

/* Return the number in a JSON value, or NAN if the value is not a finite number. */
static double finite_number(mls_str span)
{
    double number;
    const bool known = mls_json_kind_of(span) == MLS_JSON_NUMBER && mls_json_number(span, &number) && isfinite(number);
    return known ? number : (double)NAN;
}

static double value_number(const mls_record *record, mls_str name)
{
    mls_str span;
    return mls_record_value_member(record, name, &span) ? finite_number(span) : (double)NAN;
}

static double metadata_number(const mls_record *record, mls_str name)
{
    mls_str span;
    return mls_record_metadata_member(record, name, &span) ? finite_number(span) : (double)NAN;
}

/* Keep one of `every` records of a kind and drop the others; if `every` is 0, drop all.  Return the number kept. */
static size_t thin_out(mls_pace_notes *notes, mls_pace_kind kind, size_t every)
{
    size_t kept = 0;
    size_t seen = 0;
    size_t left = 0;
    for (size_t i = 0; i < notes->count; i++) {
        const bool same = notes->items[i].kind == kind;
        const bool stays = !same || (every > 0 && seen % every == 0);
        seen += same;
        left += same && stays;
        if (stays)
            notes->items[kept++] = notes->items[i];
    }
    notes->count = kept;
    return left;
}

/* Drop all notes, because a run with too many records is not measured. */
static void give_up(mls_pace_notes *notes)
{
    free(notes->items);
    notes->items = NULL;
    notes->count = notes->capacity = notes->stats = 0;
    notes->too_many = true;
}

static void add_record(mls_pace_notes *notes, mls_pace_kind kind, const mls_record *record)
{
    static const mls_str step_times[] = {MLS_STR("train_step_time"), MLS_STR("train_step_timing"),
                                         MLS_STR("train_step_timing in s")};
    mls_pace_record added = {.time_ms = record->time_ms,
                             .samples = metadata_number(record, MLS_S("samples_count")),
                             .epoch = NAN,
                             .value = NAN,
                             .step_ms = NAN,
                             .steps = NAN,
                             .box = NAN,
                             .mask = NAN,
                             .spans_before = (uint32_t)notes->spans.count,
                             .kind = kind};
    if (kind == MLS_PACE_EVALUATION) {
        const bool object = mls_json_kind_of(record->value) == MLS_JSON_OBJECT;
        mls_str metric;
        added.epoch = metadata_number(record, MLS_S("epoch_num"));
        added.steps = metadata_number(record, MLS_S("step_num"));
        added.value = finite_number(record->value);
        if (object) { /* a value with several numbers: use the smallest */
            mls_raw_member member;
            mls_json_walk walk = mls_json_walk_begin(record->value);
            while (mls_json_walk_next(&walk, &member)) {
                const double number = finite_number(member.value);
                added.value = added.value <= number ? added.value : number;
                if (isnan(number))
                    break;
            }
            added.box = value_number(record, MLS_S("BBOX"));
            added.mask = value_number(record, MLS_S("SEGM"));
        } else if (mls_record_metadata_member(record, MLS_S("metric"), &metric)) {
            added.metric = mls_str_equal(metric, MLS_S("\"CLIP\""))  ? MLS_CURVE_CLIP
                           : mls_str_equal(metric, MLS_S("\"FID\"")) ? MLS_CURVE_FID
                                                                     : MLS_CURVE_ONE;
        }
    } else if (kind == MLS_PACE_STATS) {
        added.epoch = metadata_number(record, MLS_S("step"));
        added.value = value_number(record, MLS_S("throughput"));
        for (size_t i = 0; i < sizeof step_times / sizeof *step_times && isnan(added.step_ms); i++)
            added.step_ms = 1000 * value_number(record, step_times[i]);
    } else if (isnan(added.samples) || notes->blocks_have_none) {
        return;
    } else if (notes->in_blocks && !notes->spans.ended && added.time_ms >= notes->block_ms &&
               added.samples <= notes->block_samples) {
        /* The number of a block is not larger than the previous one, so the numbers of all blocks are lengths. */
        notes->blocks_have_none = true;
        (void)thin_out(notes, MLS_PACE_BLOCK, 0);
        return;
    } else {
        notes->in_blocks = notes->spans.started;
        notes->block_ms = added.time_ms;
        notes->block_samples = added.samples;
    }
    if (kind != MLS_PACE_STATS && notes->count - notes->stats >= MLS_NOTED_MAX) {
        give_up(notes);
        return;
    }
    MLS_GROW(notes, items);
    notes->items[notes->count++] = added;
}

static mls_status pace_record(void *state, const mls_record *record)
{
    mls_pace_notes *notes = state;
    const bool ends = record->key_id == MLS_KEY_RUN_STOP && !notes->spans.ended;
    if (isfinite(record->time_ms)) {
        /* A cache_clear after run_start belongs to the next run, so its time is not the end of this run. */
        const bool next = notes->spans.started && record->key_id == MLS_KEY_CACHE_CLEAR;
        notes->backwards += notes->begun && record->time_ms < notes->previous_ms - BACKWARDS_MS;
        if (!notes->begun || (record->time_ms > notes->latest_ms && !next))
            notes->latest_ms = record->time_ms;
        notes->previous_ms = record->time_ms;
        notes->begun = true;
    }
    switch (notes->too_many ? MLS_KEY_OTHER : record->key_id) {
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_EVAL_ERROR:
        add_record(notes, MLS_PACE_EVALUATION, record);
        break;
    case MLS_KEY_TRACKED_STATS:
        if (notes->stats == MLS_STATS_MAX) {
            notes->stats = thin_out(notes, MLS_PACE_STATS, 2);
            notes->stride = 2 * (notes->stride > 0 ? notes->stride : 1);
        }
        if (notes->stride == 0 || notes->stats_seen % notes->stride == 0) {
            notes->stats++;
            add_record(notes, MLS_PACE_STATS, record);
        }
        notes->stats_seen++;
        break;
    case MLS_KEY_BLOCK_START:
        add_record(notes, MLS_PACE_BLOCK, record);
        break;
    default:
        break;
    }
    if (ends) {
        mls_arena arena = {0};
        mls_str status;
        notes->stop_samples = metadata_number(record, MLS_S("samples_count"));
        if (mls_record_metadata_member(record, MLS_S("status"), &status) &&
            mls_json_kind_of(status) == MLS_JSON_STRING) {
            (void)mls_json_string(status, &arena, &status);
            (void)mls_text_printf(notes->status, sizeof notes->status, "%.*s",
                                  MLS_CUT(status, sizeof notes->status - 1));
        }
        mls_arena_release(&arena);
    }
    mls_spans_record(&notes->spans, record);
    if (ends) {
        mls_fit((void **)&notes->items, notes->count, &notes->capacity, sizeof *notes->items);
        mls_fit((void **)&notes->spans.items, notes->spans.count, &notes->spans.capacity, sizeof *notes->spans.items);
    }
    if (notes->spans.too_many && !notes->too_many)
        give_up(notes);
    return MLS_OK;
}

void mls_pace_notes_used(void *state)
{
    mls_pace_notes *notes = state;
    if (notes != NULL) {
        mls_spans_release(&notes->spans);
        free(notes->items);
        notes->items = NULL;
        notes->count = notes->capacity = 0;
    }
}

const mls_observer mls_throughput_observer = {
    .size = sizeof(mls_pace_notes), .record = pace_record, .release = mls_pace_notes_used};
