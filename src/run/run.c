/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - build the summary of a run from its records, derive times, convergence and verdict from the summary, and
 * share hyperparameters and seeds among runs. */
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "base/words.h"
#include "run/settings.h"
#include "run/system.h"
#include "json/value.h"

/* -------------------------------------------------------- record by record */

/* The maximum length in bytes of stored texts, such as the benchmark and the organisation. */
enum { NAME_LENGTH = 1000 };

/* Store a number from the metadata of an evaluation in *progress; NAN if it is not a number.  If the number is missing,
 * *progress keeps the value of the previous evaluation. */
static double store_progress(const mls_record *record, mls_str name, double *progress)
{
    mls_str span;
    double number = NAN;
    if (!mls_record_metadata_member(record, name, &span) || !mls_json_number(span, &number) || isnan(number))
        return NAN;
    *progress = number;
    return number;
}

static void store_span(mls_run *run, void *member, const mls_record *record)
{
    (void)member;
    mls_spans_record(&run->spans, record);
}

/* Store an evaluation.  An evaluation that is logged after run_stop with an earlier time belongs to the run, because
 * lines of different ranks may be interleaved.  The check of convergence, however, uses the order of the file, like the
 * RCP checker. */
static void store_evaluation(mls_run *run, void *member, const mls_record *record)
{
    mls_str metric;
    mls_evaluation taken = {.time_ms = record->time_ms,
                            .line = record->line,
                            .value = NAN,
                            .at = {store_progress(record, MLS_S("samples_count"), &run->progress.samples_count),
                                   store_progress(record, MLS_S("epoch_num"), &run->progress.epoch_num),
                                   store_progress(record, MLS_S("step_num"), &run->progress.step_num)}};
    store_span(run, member, record);
    (void)mls_json_number(record->value, &taken.value);
    if (!isnan(taken.value) && mls_record_metadata_member(record, MLS_S("metric"), &metric)) {
        taken.is_clip = mls_str_equal(metric, MLS_S("\"CLIP\""));
        if (taken.is_clip || mls_str_equal(metric, MLS_S("\"FID\""))) {
            run->too_many_images |= run->image_count == MLS_IMAGE_EVALUATIONS_MAX;
            if (!run->too_many_images) {
                mls_grow((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images);
                run->images[run->image_count++] = taken;
            }
        }
    }
    if (run->run_stop.line == 0 || record->time_ms <= run->run_stop.time_ms) {
        run->first_evaluation = run->evaluations++ == 0 ? taken : run->first_evaluation;
        run->last_evaluation = taken;
    }
}

double mls_record_throughput(const mls_record *record)
{
    double value = NAN;
    mls_str span = record->value;
    const bool found =
        mls_json_kind_of(span) != MLS_JSON_OBJECT || mls_record_value_member(record, MLS_S("throughput"), &span);
    return found && mls_json_number(span, &value) && isfinite(value) ? value : (double)NAN;
}

static void store_throughput(mls_run *run, void *member, const mls_record *record)
{
    const double value = mls_record_throughput(record);
    store_span(run, member, record);
    if (isfinite(value)) {
        run->throughput += value;
        run->throughputs++;
    }
    mls_str span;
    double reward;
    /* Few logs have rewards, so search for the name before the members are read. */
    if (record->key_id == MLS_KEY_TRACKED_STATS && mls_str_contains(record->value, MLS_S("\"reward\"")) &&
        mls_record_value_member(record, MLS_S("reward"), &span) && mls_json_number(span, &reward) && isfinite(reward))
        run->reward = reward;
}

/* Store a text.  If it is logged several times, the first one is used, as in the compliance checker.  For
 * config_filename, the first that is the name of a config is used. */
static void store_text(mls_run *run, void *member, const mls_record *record)
{
    char **taken = member;
    mls_arena arena = {0};
    mls_str text;
    const bool config = taken == &run->config_filename;
    if (*taken != NULL || mls_json_kind_of(record->value) != MLS_JSON_STRING)
        return;
    (void)mls_json_string(record->value, &arena, &text);
    text = config ? mls_config_name_decode(text).name : text;
    if (!config || text.len > 0)
        *taken = mls_strndup(text.ptr, text.len < NAME_LENGTH ? text.len : NAME_LENGTH);
    mls_arena_release(&arena);
}

/* Return the arena for the texts of a run.  It is created on first use, because runs that are only checked rarely need
 * one. */
static mls_arena *run_arena(mls_run *run)
{
    run->arena = run->arena != NULL ? run->arena : mls_calloc(1, sizeof *run->arena);
    return run->arena;
}

const char *mls_run_hyperparameter(const mls_run *run, mls_str key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++)
        if (mls_str_equal(run->hyperparameters[i].key, key))
            return run->hyperparameters[i].value;
    return NULL;
}

/* Add a hyperparameter with a JSON value.  A value that is too long is truncated. */
static void add_hyperparameter(mls_run *run, mls_str key, mls_str value, size_t line)
{
    mls_arena *arena = run_arena(run);
    mls_words words; /* a shorter form of a number with very many digits */
    size_t kept = value.len;
    const char *end = "";
    if (value.len > MLS_HYPERPARAMETER_LENGTH && mls_json_kind_of(value) == MLS_JSON_STRING) {
        /* Truncate a string without splitting a character or an escape. */
        for (size_t at = 1; at <= MLS_HYPERPARAMETER_LENGTH;) {
            kept = at;
            if (value.ptr[at] == '\\')
                at += value.ptr[at + 1] == 'u' ? sizeof "\\u0000" - 1 : 2;
            else
                (void)mls_utf8_next(value, &at);
        }
        end = "…\"";
    } else if (value.len > MLS_HYPERPARAMETER_LENGTH) {
        double number = (double)NAN;
        (void)mls_json_number(value, &number);
        words = mls_words_exact(number);
        value = mls_str_from(words.text);
        kept = value.len;
    }
    const mls_str copy = mls_arena_copy(arena, key);
    char *text = mls_arena_text(arena, kept + strlen(end) + 1);
    memcpy(text, value.ptr, kept);
    memcpy(text + kept, end, strlen(end) + 1);
    mls_grow((void **)&run->hyperparameters, run->hyperparameter_count, &run->hyperparameter_capacity,
             sizeof *run->hyperparameters);
    run->hyperparameters[run->hyperparameter_count++] = (mls_hyperparameter){copy, text, line, 0};
}

static void store_step(mls_run *run, void *member, const mls_record *record)
{
    mls_step *step = member;
    store_span(run, NULL, record);
    if (step->line == 0)
        *step = (mls_step){record->time_ms, record->line};
}

static void store_run_start(mls_run *run, void *member, const mls_record *record)
{
    if (run->run_start.line == 0)
        run->unlogged_lines = record->line - run->records - run->malformed;
    store_step(run, member, record);
}

/* Store a run_stop.  The first run_stop ends the run; the last one determines whether the run converged, as in the RCP
 * checker. */
static void store_run_stop(mls_run *run, void *member, const mls_record *record)
{
    mls_str span;
    const bool has_status = mls_record_metadata_member(record, MLS_S("status"), &span);
    run->converged = has_status && mls_str_equal(span, MLS_S("\"success\""));
    run->at_stop = run->progress;
    if (run->run_stop.line == 0 && has_status && mls_json_kind_of(span) != MLS_JSON_NULL) {
        run->status = run->converged                              ? MLS_RUN_SUCCESS
                      : mls_str_equal(span, MLS_S("\"aborted\"")) ? MLS_RUN_ABORTED
                                                                  : MLS_RUN_OTHER_STATUS;
    }
    store_step(run, member, record);
}

/* ---- seeds, in a canonical form for comparison ---- */

/* Append a seed as an integer, converted like Python's int().  A text may contain blanks around the number, a sign, and
 * any number of digits with single underscores between them.  All digits of an integer are kept, even if it does not
 * fit in 64 bits.  Return false if the seed cannot be converted; then a part may have been appended. */
static bool append_whole_number(mls_buffer *identity, mls_str span, mls_str decoded)
{
    const size_t before = identity->len;
    const bool quoted = mls_json_kind_of(span) == MLS_JSON_STRING;
    mls_str text = mls_str_trim(quoted ? decoded : span, mls_is_space);
    const bool negative = text.len > 0 && *text.ptr == '-';
    if (text.len > 0 && (negative || *text.ptr == '+'))
        text = mls_str_rest(text, 1);
    bool whole = text.len > 0;
    bool digit = false;
    for (size_t at = 0; at < text.len && whole; at++) {
        const char c = text.ptr[at];
        whole = mls_is_digit(c) || (c == '_' && digit && at + 1 < text.len);
        digit = c != '_';
        if (whole && digit && (c != '0' || identity->len > before)) {
            mls_buffer_append_text(identity, negative && identity->len == before ? "-" : "");
            mls_buffer_append_char(identity, c);
        }
    }
    if (whole) {
        mls_buffer_append_text(identity, identity->len == before ? "0" : "");
        return true;
    }
    double number;
    mls_buffer_cut(identity, before);
    if (quoted || !mls_json_number(span, &number) || !isfinite(number))
        return false;
    mls_buffer_printf(identity, "%.0f", fabs(number) < 1 ? 0 : trunc(number));
    return true;
}

/* Append a value in canonical form: 5, 5.0 and 5e0 are equal, but "5" is different. */
static void append_value(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        mls_buffer_append_char(identity, '"');
        mls_buffer_append(identity, decoded);
    } else if (mls_json_number(span, &number) && isfinite(number)) {
        mls_buffer_append_text(identity, mls_words_exact(number).text);
    } else {
        mls_buffer_append(identity, span);
    }
    mls_buffer_append_char(identity, '\0');
}

/* Return a JSON value as text for messages: a string without quotes and escapes, any other value unchanged. */
static mls_str decode(mls_arena *arena, mls_str span)
{
    mls_str text;
    if (mls_json_kind_of(span) != MLS_JSON_STRING)
        return mls_arena_copy(arena, span);
    (void)mls_json_string(span, arena, &text);
    return text;
}

static void store_seed(mls_run *run, void *member, const mls_record *record)
{
    mls_str file;
    mls_str lineno;
    mls_buffer identity = {0};
    mls_seed seed = {.line = record->line};
    mls_arena *arena = run_arena(run);
    (void)member;
    if (run->seed_count == MLS_SEEDS_MAX) {
        run->too_many_seeds = true;
        return;
    }
    seed.value = decode(arena, record->value);
    seed.is_integer = append_whole_number(&identity, record->value, seed.value);
    if (mls_record_metadata_member(record, MLS_S("file"), &file) &&
        mls_record_metadata_member(record, MLS_S("lineno"), &lineno)) {
        seed.file = decode(arena, file);
        seed.lineno = decode(arena, lineno);
        mls_buffer_append_char(&identity, '\0');
        append_value(&identity, file, seed.file);
        append_value(&identity, lineno, seed.lineno);
        if (!seed.is_integer)
            append_value(&identity, record->value, seed.value);
        seed.identity = mls_arena_copy(arena, mls_buffer_str(&identity));
    }
    mls_buffer_release(&identity);
    mls_grow((void **)&run->seeds, run->seed_count, &run->seed_capacity, sizeof *run->seeds);
    run->seeds[run->seed_count++] = seed;
}

static void store_number(mls_run *run, void *member, const mls_record *record)
{
    double *number = member;
    (void)run;
    *number = mls_json_number(record->value, number) ? *number : (double)NAN;
}

/* For each key the function that stores its records, and the member that the function sets.  A key without a function
 * is a hyperparameter. */
static const struct {
    void (*store)(mls_run *run, void *member, const mls_record *record);
    size_t member;
    bool brief; /* also stored if mls_run.brief is set */
    bool setup; /* the key is a hyperparameter, too */
    /* The key is not a hyperparameter, because it describes the course of the run, its submitter or its files. */
    bool ignored;
} handlers[MLS_KEY_COUNT] = {
    [MLS_KEY_INIT_START] = {store_step, offsetof(mls_run, init_start), .brief = true},
    [MLS_KEY_INIT_STOP] = {store_step, offsetof(mls_run, init_stop), .brief = false},
    [MLS_KEY_RUN_START] = {store_run_start, offsetof(mls_run, run_start), .brief = true},
    [MLS_KEY_RUN_STOP] = {store_run_stop, offsetof(mls_run, run_stop), .brief = true},
    [MLS_KEY_EVAL_ACCURACY] = {.store = store_evaluation},
    [MLS_KEY_EVAL_ERROR] = {.store = store_evaluation},
    [MLS_KEY_SEED] = {.store = store_seed},
    [MLS_KEY_TRACKED_STATS] = {.store = store_throughput},
    [MLS_KEY_THROUGHPUT] = {.store = store_throughput},
    [MLS_KEY_GLOBAL_BATCH_SIZE] = {store_number, offsetof(mls_run, global_batch_size), .brief = false},
    [MLS_KEY_TRAIN_SAMPLES] = {store_number, offsetof(mls_run, train_samples), .setup = true},
    [MLS_KEY_CONFIG_FILENAME] = {store_text, offsetof(mls_run, config_filename), .setup = true},
    [MLS_KEY_SUBMISSION_BENCHMARK] = {store_text, offsetof(mls_run, benchmark), .brief = true},
    [MLS_KEY_SUBMISSION_DIVISION] = {store_text, offsetof(mls_run, division), .brief = true},
    [MLS_KEY_SUBMISSION_ORG] = {store_text, offsetof(mls_run, organisation), .brief = false},
    [MLS_KEY_SUBMISSION_PLATFORM] = {store_text, offsetof(mls_run, platform), .brief = false},
    [MLS_KEY_CACHE_CLEAR] = {.ignored = true},
    [MLS_KEY_SUBMISSION_STATUS] = {store_text, offsetof(mls_run, submission_status), .brief = false},
    [MLS_KEY_SUBMISSION_ENTRY] = {.ignored = true},
    [MLS_KEY_SUBMISSION_POC_NAME] = {.ignored = true},
    [MLS_KEY_SUBMISSION_POC_EMAIL] = {.ignored = true},
    [MLS_KEY_TRAIN_LOSS] = {.ignored = true},
    [MLS_KEY_WEIGHTS_INITIALIZATION] = {.ignored = true},
    [MLS_KEY_DATA_FILE] = {.ignored = true},
    [MLS_KEY_CHECKPOINT] = {.ignored = true},
    [MLS_KEY_BLOCK_START] = {.store = store_span},
    [MLS_KEY_BLOCK_STOP] = {.store = store_span},
    [MLS_KEY_EPOCH_START] = {.store = store_span},
    [MLS_KEY_EPOCH_STOP] = {.store = store_span},
    [MLS_KEY_EVAL_START] = {.store = store_span},
    [MLS_KEY_EVAL_STOP] = {.store = store_span},
};

void mls_run_record(mls_run *run, const mls_record *record)
{
    const mls_key key = record->key_id;
    run->date_ms = run->records++ == 0 ? record->time_ms : run->date_ms;
    run->last_line = record->line;
    run->line = run->line == 0 ? record->line : run->line;
    run->first_ms = run->first_ms <= record->time_ms ? run->first_ms : record->time_ms;
    if (record->torn && !run->judged) {
        mls_findings_add(&run->findings, MLS_FINDING_TORN_LINE, (mls_finding_place){.line = record->line}, "%s",
                         mls_record_torn_words(record).text);
    }
    const bool taken = handlers[key].store != NULL;
    if (taken && (handlers[key].brief || !run->brief))
        handlers[key].store(run, (char *)run + handlers[key].member, record);
    if (!(taken ? handlers[key].setup : !handlers[key].ignored) || run->brief || run->run_start.line > 0 ||
        record->key.ptr == NULL)
        return;
    /* Store a hyperparameter that is logged before training starts.  If a key is logged several times, the first value
     * is used. */
    const mls_json_kind kind = mls_json_kind_of(record->value);
    const mls_str name = mls_key_meant(record->key);
    if (kind != MLS_JSON_NUMBER && kind != MLS_JSON_STRING && kind != MLS_JSON_BOOL)
        return;
    if (record->key.len > MLS_HYPERPARAMETER_LENGTH) {
        run->long_key_line = run->long_key_line == 0 ? record->line : run->long_key_line;
    } else if (!run->too_many_hyperparameters && mls_run_hyperparameter(run, name) == NULL) {
        run->too_many_hyperparameters = run->hyperparameter_count == MLS_HYPERPARAMETERS_KEPT;
        if (!run->too_many_hyperparameters) {
            add_hyperparameter(run, name, record->value, record->line);
            run->hyperparameters[run->hyperparameter_count - 1].other = !mls_str_equal(name, record->key);
        }
    }
}

void mls_run_malformed(mls_run *run, const mls_malformed *malformed)
{
    run->malformed++;
    run->quoted += malformed->quoted;
    run->why = run->why == NULL && !malformed->quoted ? malformed->reason : run->why;
    run->last_line = malformed->line;
    run->line = run->line == 0 ? malformed->line : run->line;
    if (!run->judged) {
        mls_findings_add(
            &run->findings, MLS_FINDING_MALFORMED,
            (mls_finding_place){.line = malformed->line, .column = malformed->column, .key = MLS_S("@malformed")},
            "%s%s", malformed->reason, malformed->torn ? ": two records were written into one line" : "");
    }
}

/* --------------------------------------------------- after all records. */

const char *mls_run_status_name(mls_run_status status)
{
    static const char *const names[] = {NULL, "success", "aborted", "other"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : NULL;
}

void mls_run_init(mls_run *run)
{
    const double nan = (double)NAN;
    const mls_step no_step = {nan, 0};
    const mls_training_progress nowhere = {nan, nan, nan};
    const mls_evaluation none = {.time_ms = nan, .value = nan, .at = nowhere};
    *run = (mls_run){.first_ms = nan,
                     .date_ms = nan,
                     .init_start = no_step,
                     .init_stop = no_step,
                     .run_start = no_step,
                     .run_stop = no_step,
                     .global_batch_size = nan,
                     .train_samples = nan,
                     .reward = nan,
                     .first_evaluation = none,
                     .last_evaluation = none,
                     .progress = nowhere,
                     .at_stop = nowhere};
    mls_job_init(&run->job);
}

double mls_run_minutes(const mls_run *run)
{
    return (run->run_stop.time_ms - run->run_start.time_ms) / 60000;
}

double mls_run_init_minutes(const mls_run *run)
{
    return (run->init_stop.time_ms - run->init_start.time_ms) / 60000;
}

const char *mls_epoch_unit(const char *benchmark)
{
    const mls_str name = mls_str_from(benchmark);
    return mls_str_equal(name, MLS_S("bert")) || mls_str_equal(name, MLS_S("openfold")) ? "samples"
           : mls_str_equal(name, MLS_S("gpt3"))                                         ? "tokens"
                                                                                        : "epochs";
}

mls_convergence mls_run_to_converge(const mls_run *run)
{
    const mls_training_progress *at = &run->last_evaluation.at;
    const bool epochs = run->evaluations > 0 && isnan(at->samples_count);
    return epochs ? (mls_convergence){at->epoch_num, mls_epoch_unit(run->benchmark)}
                  : (mls_convergence){at->samples_count, "samples"};
}

const char *mls_run_config(const mls_run *run)
{
    return run->job.config != NULL ? run->job.config : run->config_filename;
}

bool mls_run_exists(const mls_run *run)
{
    return run->init_start.line > 0 || run->run_start.line > 0;
}

mls_run_times mls_run_times_of(const mls_run *run)
{
    return (mls_run_times){run->first_ms, run->run_start.time_ms, run->run_stop.time_ms};
}

int mls_run_times_compare(const mls_run_times *a, const mls_run_times *b)
{
    int order = mls_compare_doubles(a->first_ms, b->first_ms);
    order = order != 0 ? order : mls_compare_doubles(a->start_ms, b->start_ms);
    return order != 0 ? order : mls_compare_doubles(a->stop_ms, b->stop_ms);
}

int mls_run_compare(const mls_run *a, const mls_run *b)
{
    const mls_run_times x = mls_run_times_of(a);
    const mls_run_times y = mls_run_times_of(b);
    return mls_run_times_compare(&x, &y);
}

void mls_run_release(mls_run *run)
{
    free(run->file);
    free(run->digest);
    free(run->benchmark);
    free(run->division);
    free(run->organisation);
    free(run->platform);
    free(run->submission_status);
    free(run->config_filename);
    free(run->hyperparameter_capacity > 0 ? run->hyperparameters : NULL);
    free(run->seed_capacity > 0 ? run->seeds : NULL);
    free(run->images);
    mls_arena_free(run->arena);
    mls_printed_release(run->printed);
    mls_spans_release(&run->spans);
    mls_job_release(&run->job);
    mls_findings_release(&run->findings);
    mls_run_init(run);
}

/* Number of decimals to which epoch_num is rounded before it is compared, as in the RCP checker. */
#define EPOCH_DECIMALS 3

/* The progress of training at which an FID or CLIP evaluation met its target. */
typedef struct image_point {
    double at;
    bool is_clip;
} image_point;

static double progress_of(const mls_training_progress *progress, mls_progress counts)
{
    return counts == MLS_PROGRESS_SAMPLES ? progress->samples_count
           : counts == MLS_PROGRESS_STEPS ? progress->step_num
                                          : mls_number_round(progress->epoch_num, EPOCH_DECIMALS);
}

double mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                               bool train_samples)
{
    const mls_progress counts = mls_benchmark_counts(benchmark, edition);
    if (!run->converged)
        return MLS_RCP_NOT_CONVERGED;
    if (train_samples && benchmark->train_samples)
        return run->train_samples;
    if (isnan(benchmark->fid_max))
        return progress_of(&run->at_stop, counts);
    /* Find the smallest sample count at which both an FID and a CLIP evaluation meet their targets. */
    image_point *points = mls_calloc(run->image_count + 1, sizeof *points);
    bool met[2] = {false, false};
    size_t count = 0;
    double reached = NAN;
    for (size_t i = 0; i < run->image_count; i++) {
        const mls_evaluation *image = &run->images[i];
        points[count] = (image_point){progress_of(&image->at, counts), image->is_clip};
        count += !isnan(points[count].at) &&
                 (image->is_clip ? image->value >= benchmark->clip_min : image->value <= benchmark->fid_max);
    }
    mls_sort_by_double(points, count, sizeof *points);
    for (size_t i = 0; i < count && isnan(reached); i++) {
        met[!points[i].is_clip] = met[!points[i].is_clip] && !(points[i].at > points[i - 1].at);
        met[points[i].is_clip] = true;
        reached = met[0] && met[1] ? points[i].at : (double)NAN;
    }
    free(points);
    return reached;
}

void mls_job_init(mls_job *job)
{
    *job = (mls_job){.node_count = (double)NAN};
}

static const size_t job_texts[] = {
    offsetof(mls_job, other),     offsetof(mls_job, named),  offsetof(mls_job, step),
    offsetof(mls_job, container), offsetof(mls_job, job),    offsetof(mls_job, node_list),
    offsetof(mls_job, cluster),   offsetof(mls_job, config), offsetof(mls_job, system)};
enum { JOB_TEXTS = sizeof job_texts / sizeof *job_texts };

void mls_job_release(mls_job *job)
{
    for (size_t i = 0; i < JOB_TEXTS; i++)
        free(*(char **)(void *)((char *)job + job_texts[i]));
    mls_job_init(job);
}

/* Set a member to a copy of a text without the quotes around it.  If the text is empty, leave the member unchanged. */
static void set(char **member, mls_str text)
{
    if (text.len >= 2 && (text.ptr[0] == '\'' || text.ptr[0] == '"') && text.ptr[text.len - 1] == text.ptr[0]) {
        text.ptr++;
        text.len -= 2;
    }
    if (text.len > 0) {
        free(*member);
        *member = mls_strndup(text.ptr, text.len);
    }
}

/* Parse the lines ":::SYSJSON {…}", "slurmstepd: error: *** STEP <job>.<step> ON <node> …" and ":::DLPAL <container>
 * <job> <nodes> <nodelist> <cluster> <DGXSYSTEM>", in which the cluster may consist of several words. */
void mls_job_marker(mls_job *job, const mls_marker *marker)
{
    mls_str rest = marker->text;
    size_t count;
    (void)mls_str_word(&rest);
    if (marker->kind == MLS_MARKER_SYSJSON && rest.len <= MLS_SYSJSON_BYTES_MAX) {
        set(&job->system, rest);
    } else if (marker->kind == MLS_MARKER_STEP) {
        mls_str number;
        (void)mls_str_after(rest, MLS_S(" STEP "), &rest);
        rest = mls_str_word(&rest);
        (void)mls_str_cut(&rest, '.', &number);
        set(&job->step, number);
    }
    if (marker->kind != MLS_MARKER_DLPAL)
        return;
    set(&job->container, mls_str_word(&rest));
    set(&job->job, mls_str_word(&rest));
    job->node_count = mls_size_parse(mls_str_word(&rest), &count) ? (double)count : job->node_count;
    set(&job->node_list, mls_str_word(&rest));
    mls_str config = mls_str_word(&rest);
    mls_str cluster = {config.ptr, 0};
    for (mls_str word = mls_str_word(&rest); word.len > 0; word = mls_str_word(&rest)) {
        cluster.len = (size_t)(config.ptr + config.len - cluster.ptr);
        config = word;
    }
    set(&job->cluster, cluster);
    set(&job->config, config);
}

void mls_job_inherit(mls_job *job, const mls_job *from)
{
    const bool differs = job->job != NULL && from->job != NULL && strcmp(job->job, from->job) != 0;
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    if (differs && job->other == NULL)
        job->other = mls_strdup(from->job);
    for (size_t i = 0; i < JOB_TEXTS; i++) {
        char **text = (void *)((char *)job + job_texts[i]);
        const char *other;
        memcpy(&other, (const char *)from + job_texts[i], sizeof other);
        *text = *text == NULL && other != NULL ? mls_strdup(other) : *text;
    }
}

/* Add findings about missing steps, steps in the wrong order, and the status.  If a checker also judges the run, these
 * findings are advice; otherwise they are errors. */
static void judge_steps(mls_run *run)
{
    const mls_severity severity = run->judged ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR;
    const bool started = run->run_start.line > 0;
    const mls_step evaluation = {run->first_evaluation.time_ms, run->first_evaluation.line};
    const struct {
        const char *name;
        bool missing;
        const char *why;
    } steps[] = {
        {"init_start", run->init_start.line == 0, "init_start is missing"},
        {"init_stop", run->init_stop.line == 0, "the run did not finish initialization, or did not log it"},
        {"run_start", !started, "the run did not start training"},
        {"run_stop", started && run->run_stop.line == 0, "the run died while training, or did not log its end"},
        {"eval_accuracy", started && run->evaluations == 0, "the model was never evaluated"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].missing) {
            mls_findings_add_as(&run->findings, MLS_FINDING_MISSING_STEP, severity,
                                (mls_finding_place){.key = mls_str_from(steps[i].name)}, "no %s: %s", steps[i].name,
                                steps[i].why);
        }
    }
    const struct {
        const char *first, *second;
        mls_step a, b;
    } orders[] = {
        {"init_start", "init_stop", run->init_start, run->init_stop},
        {"init_stop", "run_start", run->init_stop, run->run_start},
        {"run_start", "the first evaluation", run->run_start, evaluation},
        {"run_start", "run_stop", run->run_start, run->run_stop},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const mls_step a = orders[i].a;
        const mls_step b = orders[i].b;
        if (a.line > 0 && b.line > 0 && b.time_ms < a.time_ms) {
            mls_findings_add_as(&run->findings, MLS_FINDING_STEP_ORDER, severity,
                                (mls_finding_place){.line = b.line, .key = mls_str_from(orders[i].second)},
                                "%s is %.0f ms before %s (line %zu)", orders[i].second, a.time_ms - b.time_ms,
                                orders[i].first, a.line);
        }
    }
    if (run->run_stop.line == 0 || run->status == MLS_RUN_SUCCESS)
        return;
    mls_buffer words = {0};
    mls_buffer_append_text(&words, run->status == MLS_RUN_ABORTED        ? "aborted"
                                   : run->status == MLS_RUN_OTHER_STATUS ? "run_stop has a status that is not success"
                                                                         : "run_stop has no status in its metadata");
    const mls_convergence converge = mls_run_to_converge(run);
    if (run->status == MLS_RUN_ABORTED && !isnan(run->last_evaluation.value) && !isnan(converge.number)) {
        const char *target = mls_run_hyperparameter(run, MLS_S("target_accuracy"));
        mls_buffer_printf(&words, ": the last evaluation gave %.6g at %s %s%s%s", run->last_evaluation.value,
                          mls_words_trimmed(converge.number, 3).text, converge.unit, target != NULL ? ", target " : "",
                          target != NULL ? target : "");
    }
    mls_findings_add_as(&run->findings, MLS_FINDING_STATUS, severity,
                        (mls_finding_place){.line = run->run_stop.line, .key = MLS_S("run_stop")}, "%s", words.ptr);
    mls_buffer_release(&words);
}

mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps)
{
    /* Add the global batch size as a hyperparameter, even if the list is full.  If it was logged several times, the
     * last value is used. */
    if (isfinite(run->global_batch_size)) {
        add_hyperparameter(run, mls_key_text(MLS_KEY_GLOBAL_BATCH_SIZE),
                           mls_str_from(mls_words_exact(run->global_batch_size).text), 0);
    }
    run->has_parts = mls_spans_parts(&run->spans, run->run_stop.time_ms, &run->parts, NULL, NULL) &&
                     run->parts.by != MLS_PARTS_BY_NOTHING;
    mls_spans_release(&run->spans);
    const bool empty = run->records + run->malformed == 0;
    if (!empty && (steps || checker == NULL))
        judge_steps(run);
    if (checker == NULL) {
        if (empty) {
            mls_findings_add(&run->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                             "no :::MLLOG record in the file");
        }
        run->valid = run->findings.counts.error == 0;
        return MLS_OK;
    }
    const mls_status status = mls_checker_end(checker);
    if (status != MLS_OK)
        return status;
    const mls_verdict verdict = mls_checker_verdict(checker);
    run->valid = verdict.valid && (!steps || isfinite(mls_run_minutes(run)));
    run->usage = verdict.usage;
    run->edition = verdict.edition;
    run->edition_guessed = verdict.guessed;
    run->edition_by_date = verdict.by_date;
    run->benchmark_line = verdict.benchmark_line;
    char words[MLS_NONE_READ_LENGTH];
    if (steps && mls_log_none_read(run->records, run->malformed - run->quoted, run->why, words)) {
        /* If no record is well-formed, report only this, because all other findings are consequences. */
        mls_findings_release(&run->findings);
        mls_findings_add(&run->findings, MLS_FINDING_MALFORMED,
                         (mls_finding_place){.line = run->line, .key = MLS_S("@malformed")}, "%s", words);
    } else if (steps) {
        /* Omit the checker's finding about the status, because the finding of judge_steps() has more details. */
        mls_findings_append_except(&run->findings, verdict.findings, MLS_FINDING_STATUS);
    } else {
        mls_checker_take_findings(checker, &run->findings);
    }
    return MLS_OK;
}

/* Return the finding that best explains why a run is not valid: in this order, how it ended, missing steps, or a
 * violated rule. */
const mls_finding *mls_run_reason(const mls_run *run)
{
    const mls_finding *reason = NULL;
    int best = 0;
    for (size_t i = 0; i < run->findings.count && !run->valid; i++) {
        const mls_finding *finding = &run->findings.items[i];
        const int rank = finding->code == MLS_FINDING_STATUS         ? 3
                         : finding->code == MLS_FINDING_MISSING_STEP ? 2
                                                                     : finding->severity == MLS_SEVERITY_ERROR;
        if (rank > best) {
            best = rank;
            reason = finding;
        }
    }
    return reason;
}

/* ------------------------------------------------------------------ setups */

struct mls_setups {
    mls_arena arena;               /* memory for the lists of all runs, without unused capacity */
    mls_map texts;                 /* all different texts so far */
    mls_hyperparameter *last_list; /* the list of the previous run */
    size_t last_count;
};

/* Return the shared copy of a text. */
static mls_str shared_text(mls_setups *setups, mls_str text)
{
    return mls_map_put(&setups->texts, text, NULL)->key;
}

void mls_setups_keep(mls_setups **setups, mls_run *run, bool seeds)
{
    if (*setups == NULL) {
        *setups = mls_calloc(1, sizeof **setups);
        (*setups)->texts.arena = &(*setups)->arena;
    }
    mls_setups *self = *setups;

    /* Replace each text by its shared copy.  Equal texts then have equal pointers, so lists can be compared as
     * bytes. */
    const size_t count = run->hyperparameter_count;
    const size_t bytes = count * sizeof *run->hyperparameters;
    for (size_t i = 0; i < count; i++) {
        mls_hyperparameter *each = &run->hyperparameters[i];
        each->key = shared_text(self, each->key);
        each->value = shared_text(self, mls_str_from(each->value)).ptr;
    }
    if (count > 0 && (self->last_count != count || memcmp(self->last_list, run->hyperparameters, bytes) != 0)) {
        self->last_list = mls_arena_alloc(&self->arena, bytes);
        self->last_count = count;
        memcpy(self->last_list, run->hyperparameters, bytes);
    }
    free(run->hyperparameters);
    run->hyperparameters = count > 0 ? self->last_list : NULL;
    run->hyperparameter_capacity = 0;

    /* Copy the seeds.  Their values are different, but their files and line numbers are the same in many runs. */
    run->seed_count = seeds ? run->seed_count : 0;
    mls_seed *kept = run->seed_count > 0 ? mls_arena_array(&self->arena, run->seed_count, sizeof *kept) : NULL;
    for (size_t i = 0; i < run->seed_count; i++) {
        const mls_seed *seed = &run->seeds[i];
        kept[i] = *seed;
        kept[i].value = mls_arena_copy(&self->arena, seed->value);
        if (seed->identity.len > 0) {
            kept[i].identity = mls_arena_copy(&self->arena, seed->identity);
            kept[i].file = shared_text(self, seed->file);
            kept[i].lineno = shared_text(self, seed->lineno);
        }
    }
    free(run->seeds);
    run->seeds = kept;
    run->seed_capacity = 0;

    if (run->facts.words != NULL)
        run->facts.words = shared_text(self, mls_str_from(run->facts.words)).ptr;
    mls_arena_free(run->arena);
    run->arena = NULL;
    mls_fit((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images);
    mls_fit((void **)&run->findings.items, run->findings.count, &run->findings.capacity, sizeof *run->findings.items);
}

void mls_setups_free(mls_setups *setups)
{
    if (setups != NULL) {
        mls_arena_release(&setups->arena);
        free(setups);
    }
}
