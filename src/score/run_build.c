/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_build.c - a run's summary, record by record.
 *
 * Most records of a log say nothing a summary wants, so a record is told
 * apart by its key's number before anything of it is looked at.  Values are
 * read from their spans; no tree is built.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mlscore/run.h"
#include "mlscore/value.h"
#include "score/score.h"

/* Longer values of hyperparameters are cut, those with longer keys are none. */
enum { MLS_HYPERPARAMETER_LENGTH = 200 };

/* Of a name (benchmark, division …) only so much is kept. */
enum { MLS_NAME_LENGTH = 1000 };

/* ---------------------------------------------------------------- series */

static void thin(mls_series *series)
{
    for (size_t i = 0; i < series->count / 2; i++) {
        series->items[i] = series->items[2 * i];
    }
    series->count /= 2;
    series->stride *= 2;
}

/* False when memory runs out; the sums and the last sample are right even then. */
static bool add_sample(mls_series *series, mls_sample sample)
{
    bool kept = true;
    if (series->seen % series->stride == 0) {
        if (series->count == MLS_SERIES_KEPT) {
            thin(series);
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

static double metadata_number(const mls_record *record, mls_str name)
{
    mls_str span;
    double number;
    return mls_json_member(record->metadata, name, &span) && mls_json_number(span, &number) ? number : (double)NAN;
}

static mls_training_progress progress_of(const mls_record *record)
{
    return (mls_training_progress){metadata_number(record, MLS_S("samples_count")),
                                   metadata_number(record, MLS_S("epoch_num")),
                                   metadata_number(record, MLS_S("step_num"))};
}

/* What an evaluation does not say is as the one before it said. */
static void take_progress(mls_training_progress said, mls_training_progress *progress)
{
    progress->samples_count = isnan(said.samples_count) ? progress->samples_count : said.samples_count;
    progress->epoch_num = isnan(said.epoch_num) ? progress->epoch_num : said.epoch_num;
    progress->step_num = isnan(said.step_num) ? progress->step_num : said.step_num;
}

/* Keeps an evaluation that is one of the two that stable_diffusion needs. */
static void take_image_evaluation(mls_run *run, const mls_record *record, mls_training_progress at)
{
    mls_str metric;
    double value;
    if (!mls_json_member(record->metadata, MLS_S("metric"), &metric) || !mls_json_number(record->value, &value) ||
        run->image_count == MLS_IMAGE_EVALUATIONS_MAX) {
        return;
    }
    const bool is_clip = mls_str_equal(metric, MLS_S("\"CLIP\""));
    if (!is_clip && !mls_str_equal(metric, MLS_S("\"FID\""))) {
        return;
    }
    if (mls_grow((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images)) {
        run->images[run->image_count++] = (mls_image_evaluation){at, value, is_clip};
    } else {
        run->out_of_memory = true;
    }
}

/*
 * For people an evaluation that was logged behind run_stop counts if it was
 * made before it, since ranks interleave; convergence goes by the order of the
 * file, as the reference does.
 */
static void take_evaluation(mls_run *run, const mls_record *record)
{
    const mls_training_progress said = progress_of(record);
    mls_sample sample = {record->time_ms, (double)NAN, said.samples_count, said.epoch_num, record->line};
    take_progress(said, &run->progress);
    take_image_evaluation(run, record, said);
    if (run->run_stop.line == 0 || record->time_ms <= run->run_stop.time_ms) {
        (void)mls_json_number(record->value, &sample.value);
        run->out_of_memory |= !add_sample(&run->evaluations, sample);
    }
}

/*
 * tracked_stats carries an object that may have a throughput; so does the
 * value of some throughput records, others log the bare number.
 */
static void take_throughput(mls_run *run, const mls_record *record)
{
    double value;
    mls_str span = record->value;
    if (mls_json_kind_of(span) == MLS_JSON_OBJECT && !mls_json_member(record->value, MLS_S("throughput"), &span)) {
        return;
    }
    if (mls_json_number(span, &value)) {
        const mls_sample sample = {record->time_ms, value, (double)NAN, (double)NAN, record->line};
        run->out_of_memory |= !add_sample(&run->throughput, sample);
    }
}

/* --------------------------------------------------------------- strings */

/* "/a/config_GB200_18x4.sh" → "GB200_18x4", which is how DGXSYSTEM spells it. */
static mls_str config_of(mls_str name)
{
    const char *slash = name.len > 0 ? memrchr(name.ptr, '/', name.len) : NULL;
    const size_t folders = slash != NULL ? (size_t)(slash - name.ptr) + 1 : 0;
    name = (mls_str){name.ptr + folders, name.len - folders};
    if (mls_str_starts(name, MLS_S("config_"))) {
        name = (mls_str){name.ptr + 7, name.len - 7};
    }
    name.len -= mls_str_ends(name, MLS_S(".sh")) ? 3 : 0;
    return name;
}

/* The first one logged counts, as for the compliance checker; of file names, the first that names a config. */
static void take_text(mls_run *run, char **member, mls_str span)
{
    mls_arena arena = {0};
    mls_str text;
    const bool config = member == &run->config_filename;
    if (*member != NULL || mls_json_kind_of(span) != MLS_JSON_STRING) {
        return;
    }
    const bool decoded = mls_json_string(span, &arena, &text);
    text = decoded && config ? config_of(text) : text;
    if (!config || !decoded || text.len > 0) {
        *member = decoded ? mls_copy_text(text.ptr, text.len < MLS_NAME_LENGTH ? text.len : MLS_NAME_LENGTH) : NULL;
        run->out_of_memory |= *member == NULL;
    }
    mls_arena_release(&arena);
}

/* What is logged once before training starts describes the run; the first value stays. */
static void take_hyperparameter(mls_run *run, const mls_record *record)
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
    mls_buffer value = {0};
    mls_utf8_append_cut(&value, record->value, MLS_HYPERPARAMETER_LENGTH);
    mls_hyperparameter *taken = &run->hyperparameters[run->hyperparameter_count++];
    *taken =
        (mls_hyperparameter){mls_copy_text(record->key.ptr, record->key.len), mls_buffer_detach(&value), record->line};
    if (taken->key == NULL || taken->value == NULL) {
        free(taken->key);
        free(taken->value);
        run->hyperparameter_count--;
        run->out_of_memory = true;
    }
}

/* --------------------------------------------------------------- records */

static void take_step(mls_step *step, const mls_record *record)
{
    if (step->line == 0) {
        *step = (mls_step){record->time_ms, record->line};
    }
}

/* The first run_stop ends the run; the last one says whether it converged, for that is what the reference looks at. */
static void take_run_stop(mls_run *run, const mls_record *record)
{
    mls_str span;
    const bool said = mls_json_member(record->metadata, MLS_S("status"), &span);
    const bool success = said && mls_str_equal(span, MLS_S("\"success\""));
    run->converged = success;
    run->at_stop = run->progress;
    if (run->run_stop.line == 0 && said && mls_json_kind_of(span) != MLS_JSON_NULL) {
        run->status = success                                     ? MLS_RUN_SUCCESS
                      : mls_str_equal(span, MLS_S("\"aborted\"")) ? MLS_RUN_ABORTED
                                                                  : MLS_RUN_OTHER_STATUS;
    }
    take_step(&run->run_stop, record);
}

/* Seeds are few, and most runs need nothing of what they take. */
static mls_seed_log *seeds_of(mls_run *run)
{
    if (run->seeds == NULL) {
        run->seeds = calloc(1, sizeof *run->seeds);
        run->out_of_memory |= run->seeds == NULL;
    }
    return run->seeds;
}

static void take_number(double *number, const mls_record *record)
{
    if (!mls_json_number(record->value, number)) {
        *number = (double)NAN;
    }
}

/* What holds for every record, whatever its key. */
static void count_record(mls_run *run, const mls_record *record)
{
    run->records++;
    run->last_line = record->line;
    run->line = run->line == 0 ? record->line : run->line;
    run->first_ms = run->first_ms <= record->time_ms ? run->first_ms : record->time_ms;
    if (record->torn && !run->judged) {
        mls_findings_add(&run->findings, MLS_FINDING_TORN_LINE, (mls_finding_place){.line = record->line},
                         "a record was overwritten by the next one and is lost");
    }
}

/* What a brief run keeps, besides counts: its steps, and whose it is. */
static bool is_brief(mls_key key)
{
    return key == MLS_KEY_INIT_START || key == MLS_KEY_RUN_START || key == MLS_KEY_RUN_STOP ||
           key == MLS_KEY_SUBMISSION_BENCHMARK || key == MLS_KEY_SUBMISSION_DIVISION;
}

void mls_run_record(mls_run *run, const mls_record *record)
{
    count_record(run, record);
    if (run->brief && !is_brief(record->key_id)) {
        return;
    }
    switch (record->key_id) {
    case MLS_KEY_INIT_START:
        take_step(&run->init_start, record);
        break;
    case MLS_KEY_INIT_STOP:
        take_step(&run->init_stop, record);
        break;
    case MLS_KEY_RUN_START:
        take_step(&run->run_start, record);
        break;
    case MLS_KEY_RUN_STOP:
        take_run_stop(run, record);
        break;
    case MLS_KEY_EVAL_ACCURACY:
    case MLS_KEY_EVAL_ERROR:
        take_evaluation(run, record);
        break;
    case MLS_KEY_SEED:
        run->out_of_memory |= seeds_of(run) != NULL && mls_seed_log_record(run->seeds, record) != MLS_OK;
        break;
    case MLS_KEY_CONFIG_FILENAME:
        take_text(run, &run->config_filename, record->value);
        break;
    case MLS_KEY_TRACKED_STATS:
    case MLS_KEY_THROUGHPUT:
        take_throughput(run, record);
        break;
    case MLS_KEY_GLOBAL_BATCH_SIZE:
        take_number(&run->global_batch_size, record);
        break;
    case MLS_KEY_SUBMISSION_BENCHMARK:
        take_text(run, &run->benchmark, record->value);
        break;
    case MLS_KEY_SUBMISSION_DIVISION:
        take_text(run, &run->division, record->value);
        break;
    case MLS_KEY_SUBMISSION_ORG:
        take_text(run, &run->organisation, record->value);
        break;
    case MLS_KEY_TRAIN_SAMPLES:
        take_number(&run->train_samples, record);
        take_hyperparameter(run, record);
        break;
    case MLS_KEY_SUBMISSION_PLATFORM:
    case MLS_KEY_CACHE_CLEAR:
    case MLS_KEY_BLOCK_START:
    case MLS_KEY_BLOCK_STOP:
    case MLS_KEY_EPOCH_START:
    case MLS_KEY_EPOCH_STOP:
    case MLS_KEY_EPOCH_COUNT:
    case MLS_KEY_EVAL_START:
        break; /* in the course of a run, or of a submission: no hyperparameter */
    default:
        take_hyperparameter(run, record);
        break;
    }
}

void mls_run_malformed(mls_run *run, const mls_malformed *malformed)
{
    mls_seed_log *seeds = seeds_of(run);
    if (seeds != NULL) {
        seeds->malformed++;
    }
    run->malformed++;
    run->last_line = malformed->line;
    run->line = run->line == 0 ? malformed->line : run->line;
    if (!run->judged) {
        mls_findings_add(
            &run->findings, MLS_FINDING_MALFORMED,
            (mls_finding_place){.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")},
            "%s%s", malformed->reason, malformed->torn ? ": two records were written into one line" : "");
    }
}

/* How much of a line from Slurm is quoted in a finding. */
enum { MLS_MARKER_QUOTED = 300 };

void mls_run_marker(mls_run *run, const mls_marker *marker)
{
    const bool cancelled = marker->kind == MLS_MARKER_CANCELLED;
    if (cancelled || marker->kind == MLS_MARKER_SRUN_ERROR) {
        mls_findings_add(&run->findings, cancelled ? MLS_FINDING_CANCELLED : MLS_FINDING_TASK_FAILED,
                         (mls_finding_place){.line = marker->line}, "%.*s", MLS_CUT(marker->text, MLS_MARKER_QUOTED));
    }
}
