/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - what a run can be asked once it has been read: its numbers, how much training it took to converge (by the
 * rules of its benchmark and edition, which nobody knows for sure before its log has ended), the job around it; and
 * whether it is complete, succeeded and counts. */
#include "run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/words.h"
#include "run/settings.h"
#include "run/system.h"

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

/* epoch_num is compared after rounding to this many digits, as the reference checker does. */
#define EPOCH_DECIMALS 3

/* Where in training an evaluation met its target. */
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

/* The smallest count at which an FID and a CLIP evaluation both meet their targets; NaN if none. */
static double images_reached(const mls_run *run, const mls_benchmark *benchmark, mls_progress counts)
{
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

mls_status mls_run_converge_number(const mls_run *run, const mls_benchmark *benchmark, const mls_edition *edition,
                                   bool train_samples, double *number)
{
    const mls_progress counts = mls_benchmark_counts(benchmark, edition);
    *number = !run->converged                             ? MLS_RCP_NOT_CONVERGED
              : train_samples && benchmark->train_samples ? run->train_samples
              : !isnan(benchmark->fid_max)                ? images_reached(run, benchmark, counts)
                                                          : progress_of(&run->at_stop, counts);
    return MLS_OK;
}

void mls_job_init(mls_job *job)
{
    *job = (mls_job){.node_count = (double)NAN};
}

void mls_job_release(mls_job *job)
{
    free(job->container);
    free(job->job);
    free(job->named);
    free(job->step);
    free(job->other);
    free(job->node_list);
    free(job->cluster);
    free(job->config);
    free(job->system);
    mls_job_init(job);
}

/* Set a member to a text without the quotes around it; an empty one says nothing. */
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

/* :::SYSJSON {…}, slurmstepd: error: *** STEP <job>.<step> ON <node> …, :::DLPAL <container> <job> <nodes> <nodelist>
 * <cluster, perhaps several words> <DGXSYSTEM> */
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
    if (marker->kind != MLS_MARKER_DLPAL) {
        return;
    }
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

static void fill_text(char **member, const char *from)
{
    *member = *member == NULL && from != NULL ? mls_strdup(from) : *member;
}

void mls_job_inherit(mls_job *job, const mls_job *from)
{
    const bool differs = job->job != NULL && from->job != NULL && strcmp(job->job, from->job) != 0;
    job->node_count = isnan(job->node_count) ? from->node_count : job->node_count;
    fill_text(&job->other, differs ? from->job : from->other);
    fill_text(&job->named, from->named);
    fill_text(&job->step, from->step);
    fill_text(&job->container, from->container);
    fill_text(&job->job, from->job);
    fill_text(&job->node_list, from->node_list);
    fill_text(&job->cluster, from->cluster);
    fill_text(&job->config, from->config);
    fill_text(&job->system, from->system);
}

/* A fault of the sequence is an error only where no rules say what counts. */
static mls_severity own_severity(const mls_run *run)
{
    return run->judged ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR;
}

/* The second step came before the first; either may be missing, which is a finding of its own. */
static void steps_ordered(mls_run *run, const char *first, mls_step a, const char *second, mls_step b)
{
    if (a.line > 0 && b.line > 0 && b.time_ms < a.time_ms) {
        mls_findings_add_as(&run->findings, MLS_FINDING_STEP_ORDER, own_severity(run),
                            (mls_finding_place){.line = b.line, .key = mls_str_from(second)},
                            "%s is %.0f ms before %s (line %zu)", second, a.time_ms - b.time_ms, first, a.line);
    }
}

static void judge_sequence(mls_run *run)
{
    const bool started = run->run_start.line > 0;
    const mls_step evaluation = {run->first_evaluation.time_ms, run->first_evaluation.line};
    const struct {
        const char *name;
        bool missing;
        const char *why;
    } steps[] = {
        {"init_start", run->init_start.line == 0, "nothing says when the run began to initialise"},
        {"init_stop", run->init_stop.line == 0, "the run never finished initialising, or did not log it"},
        {"run_start", !started, "the run never started training"},
        {"run_stop", started && run->run_stop.line == 0, "the run died while training, or did not log its end"},
        {"eval_accuracy", started && run->evaluations == 0, "the model was never evaluated"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].missing) {
            mls_findings_add_as(&run->findings, MLS_FINDING_MISSING_STEP, own_severity(run),
                                (mls_finding_place){.key = mls_str_from(steps[i].name)}, "no %s: %s", steps[i].name,
                                steps[i].why);
        }
    }
    steps_ordered(run, "init_start", run->init_start, "init_stop", run->init_stop);
    steps_ordered(run, "init_stop", run->init_stop, "run_start", run->run_start);
    steps_ordered(run, "run_start", run->run_start, "the first evaluation", evaluation);
    steps_ordered(run, "run_start", run->run_start, "run_stop", run->run_stop);
}

static void judge_status(mls_run *run)
{
    const mls_finding_place place = {.line = run->run_stop.line, .key = MLS_S("run_stop")};
    mls_buffer words = {0};
    if (run->run_stop.line == 0 || run->status == MLS_RUN_SUCCESS) {
        return;
    }
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
    mls_findings_add_as(&run->findings, MLS_FINDING_STATUS, own_severity(run), place, "%s", words.ptr);
    mls_buffer_release(&words);
}

/* Takes over the verdict of the rules; its findings come after those of the run's own steps. */
static mls_status take_verdict(mls_run *run, mls_checker *checker, bool steps)
{
    const mls_status status = mls_checker_end(checker);
    if (status != MLS_OK) {
        return status;
    }
    const mls_verdict verdict = mls_checker_verdict(checker);
    run->valid = verdict.valid && (!steps || isfinite(mls_run_minutes(run)));
    run->usage = verdict.usage;
    run->edition = verdict.edition;
    run->edition_guessed = verdict.guessed;
    run->edition_by_date = verdict.by_date;
    run->benchmark_line = verdict.benchmark_line;
    char words[MLS_NONE_READ_LENGTH];
    if (steps && mls_log_none_read(run->records, run->malformed - run->quoted, run->why, words)) {
        /* All else that is missing follows from it. */
        mls_findings_release(&run->findings);
        mls_findings_add(&run->findings, MLS_FINDING_MALFORMED,
                         (mls_finding_place){.line = run->line, .key = MLS_S("@malformed")}, "%s", words);
    } else if (steps) {
        /* The checker's word on the status is shorter than the run's own. */
        mls_findings_append_except(&run->findings, verdict.findings, MLS_FINDING_STATUS);
    } else {
        mls_checker_take_findings(checker, &run->findings);
    }
    return MLS_OK;
}

mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps)
{
    mls_status status = MLS_OK;
    /* Some logs set the batch size more than once, and the last one is the run's; there is always room for it. */
    if (isfinite(run->global_batch_size)) {
        mls_run_hyperparameter_add(run, mls_key_text(MLS_KEY_GLOBAL_BATCH_SIZE),
                                   mls_str_from(mls_words_exact(run->global_batch_size).text), 0);
    }
    run->has_parts = mls_spans_parts(&run->spans, run->run_stop.time_ms, &run->parts, NULL, NULL) &&
                     run->parts.by != MLS_PARTS_BY_NOTHING;
    mls_spans_release(&run->spans);
    if (run->records + run->malformed == 0) {
        if (checker == NULL) {
            mls_findings_add(&run->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                             "no :::MLLOG record in the whole file");
        }
    } else if (steps || checker == NULL) {
        judge_sequence(run);
        judge_status(run);
    }
    if (checker != NULL) {
        status = take_verdict(run, checker, steps);
    } else {
        run->valid = run->findings.counts.error == 0;
    }
    return status;
}

/* A run that failed is best explained by how it ended, then by what is missing; a rule it broke comes after that. */
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
