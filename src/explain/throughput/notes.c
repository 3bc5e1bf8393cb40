/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - takes from each record of a run what it says of time and position, and forgets the rest. */
#include "explain/throughput/notes.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "json/value.h"

/* A clock may tick back a little where ranks write into one file. */
#define BACKWARDS_MS 1000

/* A finite number, and no boolean; else NAN. */
static double finite_number(mls_str span)
{
    double number;
    const bool known = mls_json_kind_of(span) == MLS_JSON_NUMBER && mls_json_number(span, &number) && isfinite(number);
    return known ? number : (double)NAN;
}

/* That of a member of a record's value, or of its metadata; NAN when it has none. */
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

/* The result of an evaluation: a number, or the smallest of an object of numbers. */
static double noted_value(mls_str value)
{
    double min = finite_number(value);
    mls_raw_member member;
    mls_json_walk walk = mls_json_walk_begin(mls_json_kind_of(value) == MLS_JSON_OBJECT ? value : MLS_S("{}"));
    while (mls_json_walk_next(&walk, &member)) {
        const double number = finite_number(member.value);
        if (isnan(number))
            return number;
        min = min <= number ? min : number;
    }
    return min;
}

/* What else an evaluation says: of which of two metrics it is, or both. */
static void note_metric(mls_finding_entry_record *noted, const mls_record *record)
{
    mls_str metric;
    noted->steps = metadata_number(record, MLS_S("step_num"));
    if (mls_json_kind_of(record->value) == MLS_JSON_OBJECT) {
        noted->box = value_number(record, MLS_S("BBOX"));
        noted->mask = value_number(record, MLS_S("SEGM"));
    } else if (mls_record_metadata_member(record, MLS_S("metric"), &metric)) {
        noted->metric = mls_str_equal(metric, MLS_S("\"CLIP\""))  ? MLS_CURVE_CLIP
                        : mls_str_equal(metric, MLS_S("\"FID\"")) ? MLS_CURVE_FID
                                                                  : MLS_CURVE_ONE;
    }
}

static double step_ms_of(const mls_record *record)
{
    static const mls_str names[] = {MLS_STR("train_step_time"), MLS_STR("train_step_timing"),
                                    MLS_STR("train_step_timing in s")};
    double seconds = NAN;
    for (size_t i = 0; i < sizeof names / sizeof *names && isnan(seconds); i++)
        seconds = value_number(record, names[i]);
    return 1000 * seconds;
}

/* Forgets what is of a kind, but for every so many-th of it; how many are left. */
static size_t thin_out(mls_pace_notes *notes, mls_finding_entry_kind kind, size_t every)
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

/* Whether a record of tracked_stats is one of those that are kept. */
static bool is_kept(mls_pace_notes *notes)
{
    if (notes->stats == MLS_STATS_MAX) {
        notes->stats = thin_out(notes, MLS_NOTED_STATS, 2);
        notes->stride = 2 * (notes->stride > 0 ? notes->stride : 1);
    }
    const bool kept = notes->stride == 0 || notes->stats_seen % notes->stride == 0;
    notes->stats_seen++;
    notes->stats += kept;
    return kept;
}

/* Whether blocks may have positions: not when one does not move on from the one before, which makes it a length. */
static bool is_position(mls_pace_notes *notes, const mls_finding_entry_record *block)
{
    if (isnan(block->samples) || notes->blocks_have_none)
        return false;
    if (notes->in_blocks && !notes->spans.ended && block->time_ms >= notes->block_ms &&
        block->samples <= notes->block_samples) {
        notes->blocks_have_none = true;
        (void)thin_out(notes, MLS_NOTED_BLOCK, 0);
        return false;
    }
    notes->in_blocks = notes->spans.started;
    notes->block_ms = block->time_ms;
    notes->block_samples = block->samples;
    return true;
}

/* There is more than is kept, so that nothing need be. */
static void give_up(mls_pace_notes *notes)
{
    free(notes->items);
    notes->items = NULL;
    notes->count = notes->capacity = notes->stats = 0;
    notes->too_many = true;
}

static void note(mls_pace_notes *notes, mls_finding_entry_kind kind, const mls_record *record)
{
    mls_finding_entry_record noted = {.time_ms = record->time_ms,
                                      .samples = metadata_number(record, MLS_S("samples_count")),
                                      .epoch = NAN,
                                      .value = NAN,
                                      .step_ms = NAN,
                                      .steps = NAN,
                                      .box = NAN,
                                      .mask = NAN,
                                      .spans_before = (uint32_t)notes->spans.count,
                                      .kind = kind};
    if (kind == MLS_NOTED_EVALUATION) {
        noted.epoch = metadata_number(record, MLS_S("epoch_num"));
        noted.value = noted_value(record->value);
        note_metric(&noted, record);
    } else if (kind == MLS_NOTED_STATS) {
        noted.epoch = metadata_number(record, MLS_S("step"));
        noted.value = value_number(record, MLS_S("throughput"));
        noted.step_ms = step_ms_of(record);
    } else if (!is_position(notes, &noted)) {
        return;
    }
    if (kind != MLS_NOTED_STATS && notes->count - notes->stats >= MLS_NOTED_MAX) {
        give_up(notes);
        return;
    }
    MLS_GROW(notes, items);
    notes->items[notes->count++] = noted;
}

/* The run's status in the words of whoever logged it, which are not always the rules'. */
static void note_stop(mls_pace_notes *notes, const mls_record *record)
{
    mls_arena arena = {0};
    mls_str status;
    notes->stop_samples = metadata_number(record, MLS_S("samples_count"));
    if (mls_record_metadata_member(record, MLS_S("status"), &status) && mls_json_kind_of(status) == MLS_JSON_STRING) {
        (void)mls_json_string(status, &arena, &status);
        (void)mls_text_printf(notes->status, sizeof notes->status, "%.*s", MLS_CUT(status, sizeof notes->status - 1));
    }
    mls_arena_release(&arena);
}

/* How late it is, and whether that is earlier than it was. */
static void note_time(mls_pace_notes *notes, const mls_record *record)
{
    notes->backwards += notes->begun && record->time_ms < notes->previous_ms - BACKWARDS_MS;
    /* Behind run_start caches are cleared for the next run, which says nothing of how long this one lived. */
    if (!notes->begun ||
        (record->time_ms > notes->latest_ms && !(notes->spans.started && record->key_id == MLS_KEY_CACHE_CLEAR)))
        notes->latest_ms = record->time_ms;
    notes->previous_ms = record->time_ms;
    notes->begun = true;
}

static mls_status pace_record(void *state, const mls_record *record)
{
    mls_pace_notes *notes = state;
    if (isfinite(record->time_ms))
        note_time(notes, record);
    switch (notes->too_many ? MLS_KEY_OTHER : record->key_id) {
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_EVAL_ERROR:
        note(notes, MLS_NOTED_EVALUATION, record);
        break;
    case MLS_KEY_TRACKED_STATS:
        if (is_kept(notes))
            note(notes, MLS_NOTED_STATS, record);
        break;
    case MLS_KEY_BLOCK_START:
        note(notes, MLS_NOTED_BLOCK, record);
        break;
    default:
        break;
    }
    if (record->key_id == MLS_KEY_RUN_STOP && !notes->spans.ended)
        note_stop(notes, record);
    const bool ends = record->key_id == MLS_KEY_RUN_STOP && !notes->spans.ended;
    mls_spans_record(&notes->spans, record);
    if (ends) {
        mls_fit((void **)&notes->items, notes->count, &notes->capacity, sizeof *notes->items);
        mls_fit((void **)&notes->spans.items, notes->spans.count, &notes->spans.capacity, sizeof *notes->spans.items);
    }
    if (notes->spans.too_many && !notes->too_many)
        give_up(notes);
    return MLS_OK;
}

void mls_pace_notes_used(mls_pace_notes *notes)
{
    if (notes != NULL) {
        mls_spans_release(&notes->spans);
        free(notes->items);
        notes->items = NULL;
        notes->count = notes->capacity = 0;
    }
}

static void pace_release(void *state)
{
    mls_pace_notes_used(state);
}

const mls_observer mls_throughput_observer = {
    .size = sizeof(mls_pace_notes), .record = pace_record, .release = pace_release};
