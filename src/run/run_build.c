/* SPDX-License-Identifier: Apache-2.0 */
/* run_build.c - a run's summary, record by record.
 *
 * A record is known by its key's number before anything of it is examined.  Values are read from their spans; no
 * tree is built. */
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "run/run.h"
#include "json/value.h"

/* How much is kept of a name. */
enum { NAME_LENGTH = 1000 };

#define CUT_STRING_END "…\""

/* A number of an evaluation's metadata, NaN where it is none; what they do not say is as the one before it said. */
static double take_progress(const mls_record *record, mls_str name, double *progress)
{
    mls_str span;
    double said = NAN;
    const bool known = mls_record_metadata_member(record, name, &span) && mls_json_number(span, &said) && !isnan(said);
    *progress = known ? said : *progress;
    return known ? said : (double)NAN;
}

/* Keeps an evaluation that is one of the two that stable_diffusion needs, by its metadata's metric. */
static void take_image(mls_run *run, const mls_record *record, mls_evaluation image)
{
    mls_str metric;
    if (isnan(image.value) || !mls_record_metadata_member(record, MLS_S("metric"), &metric)) {
        return;
    }
    image.is_clip = mls_str_equal(metric, MLS_S("\"CLIP\""));
    if (!image.is_clip && !mls_str_equal(metric, MLS_S("\"FID\""))) {
        return;
    }
    run->too_many_images |= run->image_count == MLS_IMAGE_EVALUATIONS_MAX;
    if (!run->too_many_images) {
        mls_grow((void **)&run->images, run->image_count, &run->image_capacity, sizeof *run->images);
        run->images[run->image_count++] = image;
    }
}

static void take_span(mls_run *run, void *member, const mls_record *record)
{
    (void)member;
    mls_spans_record(&run->spans, record);
}

/* For people an evaluation that was logged after run_stop counts if it was made before it, since ranks interleave;
 * convergence goes by the order of the file, as the reference does. */
static void take_evaluation(mls_run *run, void *member, const mls_record *record)
{
    mls_evaluation taken = {.time_ms = record->time_ms,
                            .line = record->line,
                            .value = NAN,
                            .at = {take_progress(record, MLS_S("samples_count"), &run->progress.samples_count),
                                   take_progress(record, MLS_S("epoch_num"), &run->progress.epoch_num),
                                   take_progress(record, MLS_S("step_num"), &run->progress.step_num)}};
    take_span(run, member, record);
    (void)mls_json_number(record->value, &taken.value);
    take_image(run, record, taken);
    if (run->run_stop.line == 0 || record->time_ms <= run->run_stop.time_ms) {
        run->first_evaluation = run->evaluations++ == 0 ? taken : run->first_evaluation;
        run->last_evaluation = taken;
    }
}

double mls_record_throughput(const mls_record *record)
{
    double value = NAN;
    mls_str span = record->value;
    const bool told =
        mls_json_kind_of(span) != MLS_JSON_OBJECT || mls_record_value_member(record, MLS_S("throughput"), &span);
    return told && mls_json_number(span, &value) && isfinite(value) ? value : (double)NAN;
}

static void take_throughput(mls_run *run, void *member, const mls_record *record)
{
    const double value = mls_record_throughput(record);
    take_span(run, member, record);
    if (isfinite(value)) {
        run->throughput += value;
        run->throughputs++;
    }
}

/* The first one logged counts, as for the compliance checker; of file names, the first that names a config. */
static void take_text(mls_run *run, void *member, const mls_record *record)
{
    char **taken = member;
    mls_arena arena = {0};
    mls_str text;
    const bool config = taken == &run->config_filename;
    if (*taken != NULL || mls_json_kind_of(record->value) != MLS_JSON_STRING) {
        return;
    }
    (void)mls_json_string(record->value, &arena, &text);
    text = config ? mls_config_name_decode(text).name : text;
    if (!config || text.len > 0) {
        *taken = mls_strndup(text.ptr, text.len < NAME_LENGTH ? text.len : NAME_LENGTH);
    }
    mls_arena_release(&arena);
}

/* Where a run's texts live; most runs that are read for their verdict have none. */
static mls_arena *run_arena(mls_run *run)
{
    run->arena = run->arena != NULL ? run->arena : mls_calloc(1, sizeof *run->arena);
    return run->arena;
}

const char *mls_run_hyperparameter(const mls_run *run, mls_str key)
{
    for (size_t i = 0; i < run->hyperparameter_count; i++) {
        if (mls_str_equal(run->hyperparameters[i].key, key)) {
            return run->hyperparameters[i].value;
        }
    }
    return NULL;
}

/* How many bytes of a string's span are kept, so that neither a character nor an escape is cut in two. */
static size_t string_kept(mls_str span)
{
    size_t kept = 1;
    for (size_t at = 1; at <= MLS_HYPERPARAMETER_LENGTH;) {
        kept = at;
        if (span.ptr[at] == '\\') {
            at += span.ptr[at + 1] == 'u' ? sizeof "\\u0000" - 1 : 2;
        } else {
            (void)mls_utf8_next(span, &at);
        }
    }
    return kept;
}

void mls_run_hyperparameter_add(mls_run *run, mls_str key, mls_str value, size_t line)
{
    mls_arena *arena = run_arena(run);
    const bool string = mls_json_kind_of(value) == MLS_JSON_STRING;
    const bool cut = value.len > MLS_HYPERPARAMETER_LENGTH;
    double number = (double)NAN;
    mls_words words;      /* of value, if it is another */
    if (cut && !string) { /* a number of very many digits */
        (void)mls_json_number(value, &number);
        words = mls_words_exact(number);
        value = mls_str_from(words.text);
    }
    const size_t kept = cut && string ? string_kept(value) : value.len;
    const size_t end = cut && string ? sizeof CUT_STRING_END : 1;
    const mls_str copy = mls_arena_copy(arena, key);
    char *text = mls_arena_text(arena, kept + end);
    mls_grow((void **)&run->hyperparameters, run->hyperparameter_count, &run->hyperparameter_capacity,
             sizeof *run->hyperparameters);
    memcpy(text, value.ptr, kept);
    memcpy(text + kept, cut && string ? CUT_STRING_END : "", end);
    run->hyperparameters[run->hyperparameter_count++] = (mls_hyperparameter){copy, text, line};
}

/* A record that comes before training starts describes the run; the first value of a key stays. */
static void take_hyperparameter(mls_run *run, const mls_record *record)
{
    const mls_json_kind kind = mls_json_kind_of(record->value);
    const mls_str key = mls_key_meant(record->key);
    if (run->run_start.line > 0 || record->key.ptr == NULL ||
        (kind != MLS_JSON_NUMBER && kind != MLS_JSON_STRING && kind != MLS_JSON_BOOL)) {
        return;
    }
    if (record->key.len > MLS_HYPERPARAMETER_LENGTH) {
        run->long_key_line = run->long_key_line == 0 ? record->line : run->long_key_line;
        return;
    }
    if (run->too_many_hyperparameters || mls_run_hyperparameter(run, key) != NULL) {
        return;
    }
    run->too_many_hyperparameters = run->hyperparameter_count == MLS_HYPERPARAMETERS_KEPT;
    if (!run->too_many_hyperparameters) {
        mls_run_hyperparameter_add(run, key, record->value, record->line);
    }
}

static void take_step(mls_run *run, void *member, const mls_record *record)
{
    mls_step *step = member;
    take_span(run, NULL, record);
    if (step->line == 0) {
        *step = (mls_step){record->time_ms, record->line};
    }
}

static void take_run_start(mls_run *run, void *member, const mls_record *record)
{
    if (run->run_start.line == 0) {
        run->unlogged_lines = record->line - run->records - run->malformed;
    }
    take_step(run, member, record);
}

/* The first run_stop ends the run; the last one says whether it converged, for that is what the reference looks at. */
static void take_run_stop(mls_run *run, void *member, const mls_record *record)
{
    mls_str span;
    const bool said = mls_record_metadata_member(record, MLS_S("status"), &span);
    run->converged = said && mls_str_equal(span, MLS_S("\"success\""));
    run->at_stop = run->progress;
    if (run->run_stop.line == 0 && said && mls_json_kind_of(span) != MLS_JSON_NULL) {
        run->status = run->converged                              ? MLS_RUN_SUCCESS
                      : mls_str_equal(span, MLS_S("\"aborted\"")) ? MLS_RUN_ABORTED
                                                                  : MLS_RUN_OTHER_STATUS;
    }
    take_step(run, member, record);
}

/* ---- seeds: each in one form that can be compared */

/* Appends the digits of a text that Python's int() reads: blanks around, a sign, digits with single underscores between
 * them, however many.  False when it is none. */
static bool append_whole_text(mls_buffer *identity, mls_str text)
{
    const size_t before = identity->len;
    size_t at = 0;
    size_t end = text.len;
    while (at < end && mls_is_space(text.ptr[at])) {
        at++;
    }
    while (end > at && mls_is_space(text.ptr[end - 1])) {
        end--;
    }
    const bool negative = at < end && text.ptr[at] == '-';
    at += at < end && (negative || text.ptr[at] == '+');
    const bool some = at < end;
    bool digit = false;
    for (; at < end; at++) {
        const char c = text.ptr[at];
        if (!mls_is_digit(c) && !(c == '_' && digit && at + 1 < end)) {
            return false;
        }
        digit = c != '_';
        if (digit && (c != '0' || identity->len > before)) {
            mls_buffer_append_text(identity, negative && identity->len == before ? "-" : "");
            mls_buffer_append_char(identity, c);
        }
    }
    mls_buffer_append_text(identity, identity->len == before ? "0" : "");
    return some;
}

/* Appends the whole number that int() makes of a seed; false, with anything appended, when it makes none. */
static bool append_whole_number(mls_buffer *identity, mls_str span, mls_str decoded)
{
    double number;
    const size_t before = identity->len;
    const bool quoted = mls_json_kind_of(span) == MLS_JSON_STRING;
    /* Written without a fraction or an exponent it keeps its digits, however many. */
    if (append_whole_text(identity, quoted ? decoded : span)) {
        return true;
    }
    mls_buffer_cut(identity, before);
    if (quoted || !mls_json_number(span, &number) || !isfinite(number)) {
        return false;
    }
    mls_buffer_printf(identity, "%.0f", fabs(number) < 1 ? 0 : trunc(number));
    return true;
}

/* Appends a value so that equal ones give equal bytes: 5, 5.0 and 5e0 are one number, "5" is another thing. */
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

/* Return a span for people: strings without their quotes. */
static mls_str decode(mls_arena *arena, mls_str span)
{
    mls_str text;
    if (mls_json_kind_of(span) != MLS_JSON_STRING) {
        return mls_arena_copy(arena, span);
    }
    (void)mls_json_string(span, arena, &text);
    return text;
}

static void take_seed(mls_run *run, void *member, const mls_record *record)
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
        if (!seed.is_integer) {
            append_value(&identity, record->value, seed.value);
        }
        seed.identity = mls_arena_copy(arena, mls_buffer_str(&identity));
    }
    mls_buffer_release(&identity);
    mls_grow((void **)&run->seeds, run->seed_count, &run->seed_capacity, sizeof *run->seeds);
    run->seeds[run->seed_count++] = seed;
}

static void take_number(mls_run *run, void *member, const mls_record *record)
{
    double *number = member;
    (void)run;
    *number = mls_json_number(record->value, number) ? *number : (double)NAN;
}

/* The handler of records of each key, and the member of the run that it fills; a key without a row is a hyperparameter.
 */
static const struct {
    void (*take)(mls_run *run, void *member, const mls_record *record);
    size_t member;
    bool brief;   /* kept of a brief run too: its steps, and whose it is */
    bool setup;   /* a hyperparameter as well */
    bool ignored; /* says how a run goes, whose it is or what files it was given, not how it was set up */
} handlers[MLS_KEY_COUNT] = {
    [MLS_KEY_INIT_START] = {take_step, offsetof(mls_run, init_start), .brief = true},
    [MLS_KEY_INIT_STOP] = {take_step, offsetof(mls_run, init_stop), .brief = false},
    [MLS_KEY_RUN_START] = {take_run_start, offsetof(mls_run, run_start), .brief = true},
    [MLS_KEY_RUN_STOP] = {take_run_stop, offsetof(mls_run, run_stop), .brief = true},
    [MLS_KEY_EVAL_ACCURACY] = {.take = take_evaluation},
    [MLS_KEY_EVAL_ERROR] = {.take = take_evaluation},
    [MLS_KEY_SEED] = {.take = take_seed},
    [MLS_KEY_TRACKED_STATS] = {.take = take_throughput},
    [MLS_KEY_THROUGHPUT] = {.take = take_throughput},
    [MLS_KEY_GLOBAL_BATCH_SIZE] = {take_number, offsetof(mls_run, global_batch_size), .brief = false},
    [MLS_KEY_TRAIN_SAMPLES] = {take_number, offsetof(mls_run, train_samples), .setup = true},
    [MLS_KEY_CONFIG_FILENAME] = {take_text, offsetof(mls_run, config_filename), .setup = true},
    [MLS_KEY_SUBMISSION_BENCHMARK] = {take_text, offsetof(mls_run, benchmark), .brief = true},
    [MLS_KEY_SUBMISSION_DIVISION] = {take_text, offsetof(mls_run, division), .brief = true},
    [MLS_KEY_SUBMISSION_ORG] = {take_text, offsetof(mls_run, organisation), .brief = false},
    [MLS_KEY_SUBMISSION_PLATFORM] = {take_text, offsetof(mls_run, platform), .brief = false},
    [MLS_KEY_CACHE_CLEAR] = {.ignored = true},
    [MLS_KEY_SUBMISSION_STATUS] = {take_text, offsetof(mls_run, submission_status), .brief = false},
    [MLS_KEY_SUBMISSION_ENTRY] = {.ignored = true},
    [MLS_KEY_SUBMISSION_POC_NAME] = {.ignored = true},
    [MLS_KEY_SUBMISSION_POC_EMAIL] = {.ignored = true},
    [MLS_KEY_TRAIN_LOSS] = {.ignored = true},
    [MLS_KEY_WEIGHTS_INITIALIZATION] = {.ignored = true},
    [MLS_KEY_DATA_FILE] = {.ignored = true},
    [MLS_KEY_CHECKPOINT] = {.ignored = true},
    [MLS_KEY_BLOCK_START] = {.take = take_span},
    [MLS_KEY_BLOCK_STOP] = {.take = take_span},
    [MLS_KEY_EPOCH_START] = {.take = take_span},
    [MLS_KEY_EPOCH_STOP] = {.take = take_span},
    [MLS_KEY_EVAL_START] = {.take = take_span},
    [MLS_KEY_EVAL_STOP] = {.take = take_span},
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
    const bool taken = handlers[key].take != NULL;
    if (taken && (handlers[key].brief || !run->brief)) {
        handlers[key].take(run, (char *)run + handlers[key].member, record);
    }
    if ((taken ? handlers[key].setup : !handlers[key].ignored) && !run->brief) {
        take_hyperparameter(run, record);
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
