/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_build.c - a run's summary, record by record.
 *
 * Most records of a log say nothing a summary wants, so a record is told
 * apart by the length of its key and one comparison before anything of it is
 * looked at.  Values are read from their spans; no tree is built.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mlscore/run.h"
#include "mlscore/value.h"
#include "score/converge.h"
#include "score/seeds.h"

/* Longer values of hyperparameters are cut, those with longer keys are none. */
enum { MLS_HYPERPARAMETER_LENGTH = 200 };

/* Of a name (benchmark, division …) only so much is kept. */
enum { MLS_NAME_LENGTH = 1000 };

typedef enum mls_run_key {
    KEY_OTHER,
    KEY_INIT_START,
    KEY_INIT_STOP,
    KEY_RUN_START,
    KEY_RUN_STOP,
    KEY_EVALUATION,
    KEY_SEED,
    KEY_GLOBAL_BATCH_SIZE,
    KEY_BENCHMARK,
    KEY_DIVISION,
    KEY_ORGANISATION,
    KEY_PLATFORM,
    KEY_CONFIG_FILENAME,
    KEY_TRACKED_STATS,
    KEY_THROUGHPUT,
    KEY_COURSE /* happens in the course of a run: no hyperparameter */
} mls_run_key;

#define KEY_IS(text) (memcmp(key.ptr, text, sizeof(text) - 1) == 0)

static mls_run_key mls_run_key_of(mls_str key)
{
    switch (key.len) {
    case 4:
        return KEY_IS("seed") ? KEY_SEED : KEY_OTHER;
    case 8:
        return KEY_IS("run_stop") ? KEY_RUN_STOP : KEY_OTHER;
    case 9:
        return KEY_IS("init_stop") ? KEY_INIT_STOP : KEY_IS("run_start") ? KEY_RUN_START : KEY_OTHER;
    case 10:
        return KEY_IS("init_start")   ? KEY_INIT_START
               : KEY_IS("eval_error") ? KEY_EVALUATION
               : KEY_IS("throughput") ? KEY_THROUGHPUT
               : KEY_IS("block_stop") ? KEY_COURSE
               : KEY_IS("epoch_stop") ? KEY_COURSE
                                      : KEY_OTHER;
    case 11:
        return KEY_IS("cache_clear") || KEY_IS("block_start") || KEY_IS("epoch_start") || KEY_IS("eval_start") ||
                       KEY_IS("epoch_count")
                   ? KEY_COURSE
                   : KEY_OTHER;
    case 13:
        return KEY_IS("eval_accuracy") ? KEY_EVALUATION : KEY_IS("tracked_stats") ? KEY_TRACKED_STATS : KEY_OTHER;
    case 14:
        return KEY_IS("submission_org") ? KEY_ORGANISATION : KEY_OTHER;
    case 15:
        return KEY_IS("config_filename") ? KEY_CONFIG_FILENAME : KEY_OTHER;
    case 17:
        return KEY_IS("global_batch_size") ? KEY_GLOBAL_BATCH_SIZE : KEY_OTHER;
    case 19:
        return KEY_IS("submission_division") ? KEY_DIVISION : KEY_IS("submission_platform") ? KEY_PLATFORM : KEY_OTHER;
    case 20:
        return KEY_IS("submission_benchmark") ? KEY_BENCHMARK : KEY_OTHER;
    default:
        return KEY_OTHER;
    }
}

/* ---------------------------------------------------------------- series */

static void mls_series_thin(mls_series *series)
{
    for (size_t i = 0; i < series->count / 2; i++) {
        series->items[i] = series->items[2 * i];
    }
    series->count /= 2;
    series->stride *= 2;
}

/* False when memory runs out; the sums and the last sample are right even then. */
static bool mls_series_add(mls_series *series, mls_sample sample)
{
    bool kept = true;
    if (series->seen % series->stride == 0) {
        if (series->count == MLS_SERIES_KEPT) {
            mls_series_thin(series);
        }
        if (series->seen % series->stride == 0) {
            kept = MLS_GROW(series, items);
            if (kept) {
                series->items[series->count++] = sample;
            }
        }
    }
    series->seen++;
    series->last = sample;
    if (isfinite(sample.value)) {
        series->sum += sample.value;
        series->finite++;
        series->min = series->min <= sample.value ? series->min : sample.value;
        series->max = series->max >= sample.value ? series->max : sample.value;
    }
    return kept;
}

static double mls_metadata_number(const mls_record *record, mls_str name)
{
    mls_str span;
    double number;
    return mls_json_member(record->metadata, name, &span) && mls_json_number(span, &number) ? number : (double)NAN;
}

static mls_sample mls_sample_of(const mls_record *record, double value)
{
    return (mls_sample){.time_ms = record->time_ms,
                        .value = value,
                        .samples = mls_metadata_number(record, MLS_S("samples_count")),
                        .epochs = mls_metadata_number(record, MLS_S("epoch_num")),
                        .line = record->line};
}

/* An evaluation that was logged behind run_stop counts if it was made before it: ranks interleave. */
static void mls_run_evaluation(mls_run *run, const mls_record *record)
{
    double value = (double)NAN;
    if (run->run_stop.line > 0 && record->time_ms > run->run_stop.time_ms) {
        return;
    }
    (void)mls_json_number(record->value, &value);
    run->out_of_memory |= !mls_series_add(&run->evaluations, mls_sample_of(record, value));
}

/*
 * tracked_stats carries an object that may have a throughput; so does the
 * value of some throughput records, others log the bare number.
 */
static void mls_run_throughput(mls_run *run, const mls_record *record)
{
    double value;
    mls_str span = record->value;
    if (mls_json_kind_of(span) == MLS_JSON_OBJECT && !mls_json_member(record->value, MLS_S("throughput"), &span)) {
        return;
    }
    if (mls_json_number(span, &value)) {
        const mls_sample sample = {record->time_ms, value, (double)NAN, (double)NAN, record->line};
        run->out_of_memory |= !mls_series_add(&run->throughput, sample);
    }
}

/* --------------------------------------------------------------- strings */

/* The text of a string value, or its JSON when it is none; to be given to free(). */
static char *mls_text_of(mls_str span)
{
    mls_arena arena = {0};
    mls_str text = span;
    /* A string that cannot be decoded is one that memory was short for. */
    const bool decoded = mls_json_kind_of(span) != MLS_JSON_STRING || mls_json_string(span, &arena, &text);
    char *copy = decoded ? mls_copy_text(text.ptr, text.len < MLS_NAME_LENGTH ? text.len : MLS_NAME_LENGTH) : NULL;
    mls_arena_release(&arena);
    return copy;
}

/* The first one logged counts, as for the compliance checker. */
static void mls_run_text(mls_run *run, char **member, mls_str span)
{
    if (*member == NULL) {
        *member = mls_text_of(span);
        run->out_of_memory |= *member == NULL;
    }
}

/* "/a/config_GB200_18x4.sh" → "GB200_18x4", which is how DGXSYSTEM spells it. */
static void mls_run_config_filename(mls_run *run, mls_str span)
{
    mls_arena arena = {0};
    mls_str name;
    if (run->config_filename != NULL || mls_json_kind_of(span) != MLS_JSON_STRING) {
        return;
    }
    if (!mls_json_string(span, &arena, &name)) {
        run->out_of_memory = true;
    } else {
        const char *slash = name.len > 0 ? memrchr(name.ptr, '/', name.len) : NULL;
        const size_t folders = slash != NULL ? (size_t)(slash - name.ptr) + 1 : 0;
        name = (mls_str){name.ptr + folders, name.len - folders};
        if (mls_str_starts(name, MLS_S("config_"))) {
            name = (mls_str){name.ptr + 7, name.len - 7};
        }
        if (mls_str_ends(name, MLS_S(".sh"))) {
            name.len -= 3;
        }
        run->config_filename = name.len > 0 ? mls_copy_text(name.ptr, name.len) : NULL;
        run->out_of_memory |= name.len > 0 && run->config_filename == NULL;
    }
    mls_arena_release(&arena);
}

/* A cut value ends in "…" and never inside a character. */
static char *mls_value_copy(mls_str value)
{
    mls_buffer text = {0};
    if (value.len <= MLS_HYPERPARAMETER_LENGTH) {
        return mls_copy_text(value.ptr, value.len);
    }
    size_t len = MLS_HYPERPARAMETER_LENGTH;
    while (len > 0 && ((unsigned char)value.ptr[len] & 0xc0U) == 0x80) {
        len--;
    }
    mls_buffer_append(&text, (mls_str){value.ptr, len});
    mls_buffer_append_text(&text, "…");
    return mls_buffer_detach(&text);
}

/* What is logged once before training starts describes the run; the first value stays. */
static void mls_run_hyperparameter_add(mls_run *run, const mls_record *record)
{
    if (run->run_start.line > 0 || record->key.ptr == NULL || record->key.len > MLS_HYPERPARAMETER_LENGTH ||
        run->hyperparameter_count == MLS_HYPERPARAMETERS_KEPT || mls_run_hyperparameter(run, record->key) != NULL) {
        return;
    }
    if (!mls_grow((void **)&run->hyperparameters, run->hyperparameter_count, &run->hyperparameter_capacity,
                  sizeof *run->hyperparameters)) {
        run->out_of_memory = true;
        return;
    }
    const mls_hyperparameter hyperparameter = {mls_copy_text(record->key.ptr, record->key.len),
                                               mls_value_copy(record->value), record->line};
    if (hyperparameter.key == NULL || hyperparameter.value == NULL) {
        free(hyperparameter.key);
        free(hyperparameter.value);
        run->out_of_memory = true;
        return;
    }
    run->hyperparameters[run->hyperparameter_count++] = hyperparameter;
}

/* --------------------------------------------------------------- records */

static void mls_run_step(mls_step *step, const mls_record *record)
{
    if (step->line == 0) {
        *step = (mls_step){record->time_ms, record->line};
    }
}

static void mls_run_stop(mls_run *run, const mls_record *record)
{
    mls_str span;
    if (run->run_stop.line > 0) {
        return;
    }
    mls_run_step(&run->run_stop, record);
    if (!mls_json_member(record->metadata, MLS_S("status"), &span) || mls_json_kind_of(span) == MLS_JSON_NULL) {
        return;
    }
    run->status = mls_str_equal(span, MLS_S("\"success\""))   ? MLS_RUN_SUCCESS
                  : mls_str_equal(span, MLS_S("\"aborted\"")) ? MLS_RUN_ABORTED
                                                              : MLS_RUN_OTHER_STATUS;
}

/* What later checks want to know is gathered from the first record on; without memory for it the run is lost. */
static bool mls_run_begin(mls_run *run)
{
    run->seeds = calloc(1, sizeof *run->seeds);
    run->converge = malloc(sizeof *run->converge);
    if (run->seeds == NULL || run->converge == NULL) {
        free(run->seeds);
        free(run->converge);
        run->seeds = NULL;
        run->converge = NULL;
        run->out_of_memory = true;
        return false;
    }
    mls_converge_init(run->converge);
    return true;
}

void mls_run_record(mls_run *run, const mls_record *record)
{
    const mls_run_key key = mls_run_key_of(record->key);
    if (run->converge == NULL && !mls_run_begin(run)) {
        return;
    }
    run->out_of_memory |= mls_converge_record(run->converge, record) != MLS_OK;
    run->records++;
    run->last_line = record->line;
    if (run->line == 0) {
        run->line = record->line;
    }
    if (!(run->first_ms <= record->time_ms)) {
        run->first_ms = record->time_ms;
    }
    if (!(run->last_ms >= record->time_ms)) {
        run->last_ms = record->time_ms;
    }
    run->torn += record->torn;
    if (record->torn && !run->judged) {
        mls_findings_add(&run->findings, MLS_FINDING_TORN_LINE, (mls_finding_place){.line = record->line},
                         "a record was overwritten by the next one and is lost");
    }
    switch (key) {
    case KEY_INIT_START:
        mls_run_step(&run->init_start, record);
        break;
    case KEY_INIT_STOP:
        mls_run_step(&run->init_stop, record);
        break;
    case KEY_RUN_START:
        mls_run_step(&run->run_start, record);
        break;
    case KEY_RUN_STOP:
        mls_run_stop(run, record);
        break;
    case KEY_EVALUATION:
        mls_run_evaluation(run, record);
        break;
    case KEY_SEED:
        run->out_of_memory |= mls_seed_log_record(run->seeds, record) != MLS_OK;
        break;
    case KEY_CONFIG_FILENAME:
        mls_run_config_filename(run, record->value);
        break;
    case KEY_TRACKED_STATS:
    case KEY_THROUGHPUT:
        mls_run_throughput(run, record);
        break;
    case KEY_GLOBAL_BATCH_SIZE:
        (void)mls_json_number(record->value, &run->global_batch_size);
        break;
    case KEY_BENCHMARK:
        mls_run_text(run, &run->benchmark, record->value);
        break;
    case KEY_DIVISION:
        mls_run_text(run, &run->division, record->value);
        break;
    case KEY_ORGANISATION:
        mls_run_text(run, &run->organisation, record->value);
        break;
    case KEY_PLATFORM:
        mls_run_text(run, &run->platform, record->value);
        break;
    case KEY_OTHER:
        mls_run_hyperparameter_add(run, record);
        break;
    case KEY_COURSE:
        break;
    }
}

void mls_run_malformed(mls_run *run, const mls_malformed *malformed)
{
    if (run->seeds != NULL || mls_run_begin(run)) {
        mls_seed_log_malformed(run->seeds);
    }
    run->malformed++;
    run->last_line = malformed->line;
    if (run->line == 0) {
        run->line = malformed->line;
    }
    if (!run->judged) {
        mls_findings_add(
            &run->findings, MLS_FINDING_MALFORMED,
            (mls_finding_place){.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")},
            "%s%s", malformed->reason, malformed->torn ? ": two records were written into one line" : "");
    }
}
