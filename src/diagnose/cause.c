/* SPDX-License-Identifier: Apache-2.0 */
/* cause.c - the first cause of each run that failed, and what of it is known. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "diagnose/job.h"

/* How far from the first of them other messages may be to be taken for it. */
enum { NEAR_LINES = 50, PROGRESS_LEAST = 6, LAST_INTERVALS = 5 };
#define NEAR_MS 10000.0
#define HANG_MS 300000.0
#define HANG_MEDIANS 10.0
#define SLOWER_MEDIANS 1.5

/* What no line says. */
static const mls_signature hang_signature = {
    .id = "hang",
    .kind = MLS_CLASS_HANG,
    .origin = 5,
    .persistence = 3,
    .role = MLS_ROLE_EFFECT,
    .explanation = "Training stood still for much longer than its steps take, until the job was ended.",
    .action =
        "Look for the rank that fell behind: py-spy or a flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE) shows where "
        "each one waits; check the storage and the network at that time.",
    .source = "progress in the logs"};
static const mls_signature end_signature = {
    .id = "log-ends",
    .kind = MLS_CLASS_UNKNOWN,
    .origin = 5,
    .persistence = 3,
    .role = MLS_ROLE_EFFECT,
    .explanation = "The log ends without a run_stop and without a message that says why.",
    .action = "Look at what the scheduler says of the job (sacct), at the kernel's log of its nodes, and at the output "
              "of other ranks.",
    .source = "the end of the logs"};

/* A run's verdict in the making. */
typedef struct run_view {
    mls_job_log *job;
    size_t run;                      /* 0: of a job without records */
    bool only;                       /* there is no other */
    double last_times[MLS_SURVIVED]; /* of the last advances */
    const mls_segment *last;         /* in which it advanced last; NULL: it never did */
    const mls_segment *own;          /* its first */
    double end_ms;                   /* the last time in what it printed */
} run_view;

static bool is_part(const run_view *view, const mls_segment *segment)
{
    return segment->line == 0 || segment->run == view->run;
}

/* ----------------------------------------------------------------- times */

static void resolve_times(mls_job_log *job)
{
    const double near_ms = job->full_time;
    for (size_t i = 0; i < job->match_count; i++) {
        job->matches[i].time_ms = mls_time_resolve(job->matches[i].time_ms, near_ms);
    }
    for (size_t i = 0; i < job->time_count; i++) {
        job->times[i].time_ms = mls_time_resolve(job->times[i].time_ms, near_ms);
    }
    job->last_time.time_ms = mls_time_resolve(job->last_time.time_ms, near_ms);
    for (size_t i = 0; i < job->checkpoint_count; i++) {
        mls_checkpoint *checkpoint = &job->checkpoints[i];
        checkpoint->done_ms = mls_time_resolve(checkpoint->done_ms, near_ms);
        checkpoint->start_ms = mls_time_resolve(checkpoint->start_ms, near_ms);
        checkpoint->end_ms = mls_time_resolve(checkpoint->end_ms, near_ms);
    }
    for (size_t i = 0; i < job->segment_count; i++) {
        mls_segment *segment = &job->segments[i];
        segment->first_ms = mls_time_resolve(segment->first_ms, near_ms);
        segment->last_ms = mls_time_resolve(segment->last_ms, near_ms);
        for (size_t k = 0; k < MLS_SURVIVED; k++) {
            segment->last_times[k] = mls_time_resolve(segment->last_times[k], near_ms);
        }
    }
}

/* The last progress at or before a time; NULL: none. */
static const mls_iteration *progress_at(const mls_job_log *job, double time_ms, bool samples)
{
    const mls_iteration *best = NULL;
    for (size_t i = 0; i <= job->time_count; i++) {
        const mls_iteration *time = i < job->time_count ? &job->times[i] : &job->last_time;
        if (time->time_ms <= time_ms && isfinite(samples ? time->samples : time->iteration) &&
            (best == NULL || time->time_ms >= best->time_ms)) {
            best = time;
        }
    }
    return best;
}

/* How long steps took; the median of all, or of the last ones and of those before them. */
typedef struct step_times {
    double median, last, before; /* NAN: there are too few */
} step_times;

static step_times measure_steps(mls_job_log *job, double until_ms)
{
    step_times steps = {NAN, NAN, NAN};
    double *intervals = calloc(job->time_count + 1, sizeof *intervals);
    size_t count = 0;
    size_t times = 0;
    if (intervals == NULL) {
        job->failed = true;
        return steps;
    }
    for (size_t i = 0; i < job->time_count; i++) {
        times += job->times[i].time_ms <= until_ms;
        if (i > 0 && job->times[i].time_ms <= until_ms) {
            intervals[count++] = (job->times[i].time_ms - job->times[i - 1].time_ms) / (double)job->time_stride;
        }
    }
    if (count > LAST_INTERVALS + PROGRESS_LEAST) {
        double last[LAST_INTERVALS];
        memcpy(last, intervals + count - LAST_INTERVALS, sizeof last);
        mls_sort_doubles(last, LAST_INTERVALS);
        steps.last = mls_median(last, LAST_INTERVALS);
        mls_sort_doubles(intervals, count - LAST_INTERVALS);
        steps.before = mls_median(intervals, count - LAST_INTERVALS);
    }
    if (times >= PROGRESS_LEAST) {
        mls_sort_doubles(intervals, count);
        steps.median = mls_median(intervals, count);
    }
    free(intervals);
    return steps;
}

/* ------------------------------------------------------------ candidates */

static void view_progress(run_view *view)
{
    const mls_job_log *job = view->job;
    for (size_t i = 0; i < MLS_SURVIVED; i++) {
        view->last_times[i] = NAN;
    }
    for (size_t s = 0; s < job->segment_count; s++) {
        const mls_segment *segment = &job->segments[s];
        if (!is_part(view, segment)) {
            continue;
        }
        if (segment->line > 0 && view->own == NULL) {
            view->own = segment;
        }
        /* What has no records goes on when the run is over, if another one follows. */
        if ((segment->line > 0 || view->only) && !(segment->last_ms <= view->end_ms) && !isnan(segment->last_ms)) {
            view->end_ms = segment->last_ms;
        }
        const bool later = view->last == NULL || !(segment->last_times[0] <= view->last->last_times[0]);
        view->last = segment->last_line > 0 && later ? segment : view->last;
        for (size_t k = 0; k < MLS_SURVIVED; k++) {
            double time = segment->last_times[k];
            for (size_t i = 0; i < MLS_SURVIVED; i++) {
                if (isnan(view->last_times[i]) || time > view->last_times[i]) {
                    const double other = view->last_times[i];
                    view->last_times[i] = time;
                    time = other;
                }
            }
        }
    }
}

/* Training went on behind it.  In a file without records only time tells. */
static bool was_survived(const run_view *view, const mls_match *match)
{
    const mls_segment *segment = &view->job->segments[match->segment];
    return match->advances + MLS_SURVIVED <= segment->advances ||
           (segment->line == 0 && view->last_times[MLS_SURVIVED - 1] > match->time_ms);
}

static const mls_signature *signature_of(const mls_job_log *job, const mls_match *match)
{
    return mls_signatures_get(job->signatures, match->signature);
}

/* Before by time, when all have one, then by file, then by line. */
static bool came_before(const mls_job_log *job, const mls_match *a, const mls_match *b, bool timed)
{
    const size_t file_a = job->segments[a->segment].file;
    const size_t file_b = job->segments[b->segment].file;
    if (timed && (a->time_ms < b->time_ms || a->time_ms > b->time_ms)) {
        return a->time_ms < b->time_ms;
    }
    return file_a != file_b ? file_a < file_b : a->line < b->line;
}

static bool is_near(const mls_job_log *job, const mls_match *first, const mls_match *other, bool timed)
{
    return timed ? other->time_ms - first->time_ms <= NEAR_MS
                 : job->segments[first->segment].file == job->segments[other->segment].file &&
                       other->line - first->line <= NEAR_LINES;
}

/* The first cause among the matches of one role; NULL: there is none. */
static const mls_match *first_of(const run_view *view, unsigned role)
{
    const mls_job_log *job = view->job;
    const mls_match *first = NULL;
    const mls_match *best = NULL;
    bool timed = true;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < job->match_count; i++) {
            const mls_match *match = &job->matches[i];
            if (signature_of(job, match)->role != role || !is_part(view, &job->segments[match->segment]) ||
                was_survived(view, match)) {
                continue;
            }
            if (pass == 0) {
                timed = timed && isfinite(match->time_ms);
            } else if (pass == 1) {
                first = first == NULL || came_before(job, match, first, timed) ? match : first;
            } else if (is_near(job, first, match, timed)) {
                const uint64_t precedence = signature_of(job, match)->precedence;
                const uint64_t most = best != NULL ? signature_of(job, best)->precedence : 0;
                best = best == NULL || precedence > most || (precedence == most && came_before(job, match, best, timed))
                           ? match
                           : best;
            }
        }
    }
    return best;
}

/* --------------------------------------------------------------- failure */

static const char *keep(mls_job_log *job, const char *text)
{
    const mls_str copy = mls_arena_copy(job->arena, mls_str_from(text));
    job->failed |= copy.ptr == NULL;
    return copy.ptr;
}

static int compare_failure_counts(const void *left, const void *right)
{
    const mls_failure_count *a = left;
    const mls_failure_count *b = right;
    return a->count != b->count ? (a->count < b->count) - (a->count > b->count)
                                : strcmp(a->signature->id, b->signature->id);
}

/* All other messages of the run, with how often they came. */
static void fold_others(const run_view *view, const mls_match *cause, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const size_t signatures = mls_signatures_count(job->signatures);
    size_t *counts = calloc(signatures, sizeof *counts);
    failure->also = mls_arena_array(job->arena, signatures, sizeof *failure->also);
    job->failed |= counts == NULL || failure->also == NULL;
    for (size_t s = 0; s < job->segment_count && counts != NULL; s++) {
        const mls_segment *segment = &job->segments[s];
        for (size_t i = 0, at = 0; is_part(view, segment) && i < segment->count_count; i++) {
            while (mls_signatures_get(job->signatures, at) != segment->counts[i].signature) {
                at++;
            }
            counts[at] += segment->counts[i].count;
        }
    }
    for (size_t i = 0; i < job->match_count && counts != NULL; i++) {
        const mls_match *match = &job->matches[i];
        const bool only_by_time = job->segments[match->segment].line == 0 && was_survived(view, match);
        counts[match->signature] -= match == cause || (only_by_time && counts[match->signature] > 0);
    }
    for (size_t i = 0; i < signatures && !job->failed; i++) {
        if (counts[i] > 0) {
            failure->also[failure->also_count++] =
                (mls_failure_count){mls_signatures_get(job->signatures, i), counts[i]};
        }
    }
    if (failure->also != NULL && failure->also_count > 1) {
        qsort(failure->also, failure->also_count, sizeof *failure->also, compare_failure_counts);
    }
    free(counts);
}

/* The ranks that were seen and did not report the timeout. */
static void find_suspects(mls_job_log *job, mls_failure *failure)
{
    size_t count = 0;
    for (size_t rank = 0; rank < MLS_RANKS_MAX; rank++) {
        count += job->rank_seen[rank] == MLS_RANK_SEEN;
    }
    failure->suspects = mls_arena_array(job->arena, count, sizeof *failure->suspects);
    job->failed |= failure->suspects == NULL;
    for (size_t rank = 0; rank < MLS_RANKS_MAX && failure->suspects != NULL; rank++) {
        if (job->rank_seen[rank] == MLS_RANK_SEEN) {
            failure->suspects[failure->suspect_count++] = (uint32_t)rank;
        }
    }
}

static bool is_id(const mls_signature *signature, const char *id)
{
    return strcmp(signature->id, id) == 0;
}

static void name_rank(const run_view *view, const mls_match *cause, mls_failure *failure)
{
    const mls_job_log *job = view->job;
    int32_t rank = cause->rank;
    if (rank < 0 &&
        (is_id(failure->signature, "torchrun-exitcode") || is_id(failure->signature, "torchrun-child-failed"))) {
        rank = job->root_ranks[job->segments[cause->segment].file];
    }
    failure->rank = rank >= 0 ? rank : (double)NAN;
    failure->node = cause->node;
    if (failure->node == NULL && rank >= 0 && rank < MLS_RANKS_MAX && job->rank_nodes[rank] > 0) {
        failure->node = job->names.entries[job->rank_nodes[rank] - 1].key.ptr;
    }
    failure->gpu = cause->gpu;
}

/* What a match tells of the failure that it caused. */
static void tell_cause(const run_view *view, const mls_match *cause, mls_failure *failure)
{
    mls_job_log *job = view->job;
    failure->signature = signature_of(job, cause);
    failure->root_known = failure->signature->role == MLS_ROLE_ROOT;
    failure->at = (mls_failure_line){job->files[job->segments[cause->segment].file], cause->line,
                                     keep(job, cause->text), failure->signature};
    failure->time_ms = cause->time_ms;
    failure->iteration = cause->iteration;
    failure->samples = cause->samples;
    const mls_iteration *at = isnan(failure->iteration) ? progress_at(job, cause->time_ms, false) : NULL;
    failure->iteration = at != NULL ? at->iteration : failure->iteration;
    at = isnan(failure->samples) ? progress_at(job, cause->time_ms, true) : NULL;
    failure->samples = at != NULL ? at->samples : failure->samples;
    name_rank(view, cause, failure);
}

/* Nothing told why: what is known is where training was last. */
static void tell_end(const run_view *view, const mls_signature *signature, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const mls_segment *segment = view->last != NULL  ? view->last
                                 : view->own != NULL ? view->own
                                                     : job->segments; /* there is one when there is a run */
    failure->signature = signature;
    failure->root_known = false;
    failure->rank = NAN;
    failure->node = failure->gpu = NULL;
    failure->at =
        (mls_failure_line){job->files[segment->file], view->last != NULL ? segment->last_line : segment->end_line,
                           segment->last_text != NULL ? keep(job, segment->last_text) : "", NULL};
    failure->time_ms = view->last != NULL ? segment->last_times[0] : segment->last_ms;
    failure->iteration = segment->iteration;
    failure->samples = segment->samples;
    const mls_iteration *at = isnan(failure->iteration) ? progress_at(job, failure->time_ms, false) : NULL;
    failure->iteration = at != NULL ? at->iteration : failure->iteration;
}

static void tell_read(const run_view *view, const mls_match *cause, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const mls_segment *segment = cause != NULL        ? &job->segments[cause->segment]
                                 : view->last != NULL ? view->last
                                 : view->own != NULL  ? view->own
                                                      : job->segments;
    for (size_t i = segment->read_count; i-- > 0;) {
        mls_failure_line *line = &failure->read[failure->read_count++];
        *line = segment->read[i];
        line->text = line->text != NULL ? keep(job, line->text) : "";
    }
}

static void judge_run(const run_view *view, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const mls_match *cause = NULL;
    for (unsigned role = MLS_ROLE_ROOT; role < MLS_ROLE_CONTEXT && cause == NULL; role++) {
        cause = first_of(view, role);
    }
    *failure = (mls_failure){.run = view->run > 0 ? view->run : 1,
                             .rank = (double)NAN,
                             .time_ms = (double)NAN,
                             .iteration = (double)NAN,
                             .samples = (double)NAN,
                             .slower = (double)NAN,
                             .run_start_ms = (double)NAN};
    if (cause != NULL) {
        tell_cause(view, cause, failure);
    }
    const bool timeout = cause != NULL && is_id(failure->signature, "nccl-watchdog-timeout");
    const bool ended =
        cause == NULL || is_id(failure->signature, "slurm-time-limit") || is_id(failure->signature, "slurm-cancelled");
    const double until = cause != NULL ? cause->time_ms : view->end_ms;
    const step_times steps = measure_steps(job, until);
    const double still = until - view->last_times[0];
    failure->hang = (timeout || ended) && still > HANG_MS && still > HANG_MEDIANS * steps.median;
    failure->slower = steps.last >= SLOWER_MEDIANS * steps.before ? steps.last / steps.before : (double)NAN;
    if (ended && (cause == NULL || failure->hang)) {
        tell_end(view, failure->hang ? &hang_signature : &end_signature, failure);
        fold_others(view, NULL, failure);
        tell_read(view, NULL, failure);
    } else {
        fold_others(view, cause, failure);
        if (!failure->root_known) {
            tell_read(view, cause, failure);
        }
    }
    if (timeout) {
        find_suspects(job, failure);
    }
    if (view->own != NULL) {
        failure->run_file = job->files[view->own->file];
        failure->run_line = view->own->line;
        failure->run_start_ms = view->own->start_ms;
    }
}

/* ------------------------------------------------------------------- job */

static bool same_time(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

/* Numbers the runs, of which one may stand in several files; how many there are, and whether each succeeded. */
static size_t number_runs(mls_job_log *job, bool *success)
{
    size_t runs = 0;
    for (size_t i = 0; i < job->segment_count; i++) {
        mls_segment *segment = &job->segments[i];
        for (size_t k = 0; k < i && segment->line > 0 && segment->run == 0; k++) {
            const mls_segment *other = &job->segments[k];
            if (other->file != segment->file && other->line > 0 && !isnan(segment->start_ms) &&
                same_time(other->start_ms, segment->start_ms) && same_time(other->stop_ms, segment->stop_ms)) {
                segment->run = other->run;
            }
        }
        if (segment->line > 0) {
            segment->run = segment->run > 0 ? segment->run : ++runs;
            success[segment->run] |= segment->success;
        }
    }
    return runs;
}

static void tell_matched(mls_job_log *job, mls_diagnosis *to)
{
    const size_t signatures = mls_signatures_count(job->signatures);
    to->matched = mls_arena_array(job->arena, signatures, sizeof *to->matched);
    to->overran = mls_arena_array(job->arena, signatures, sizeof *to->overran);
    job->failed |= to->matched == NULL || to->overran == NULL;
    for (size_t i = 0; i < signatures && !job->failed; i++) {
        const mls_signature *signature = mls_signatures_get(job->signatures, i);
        if (job->matched[i] > 0) {
            to->matched[to->matched_count++] = (mls_failure_count){signature, job->matched[i]};
        }
        if (mls_signatures_overran(job->signatures, i)) {
            to->overran[to->overran_count++] = signature->id;
        }
    }
    to->notes = mls_arena_array(job->arena, job->note_count, sizeof *to->notes);
    job->failed |= to->notes == NULL;
    for (size_t i = 0; i < job->note_count && !job->failed; i++) {
        to->notes[i] = job->notes[i];
        to->notes[i].text = keep(job, job->notes[i].text);
    }
    to->note_count = job->note_count;
    to->note_total = job->note_total;
}

static void tell_campaign(mls_job_log *job, mls_diagnosis *to)
{
    to->iterations = mls_arena_array(job->arena, job->time_count + 1, sizeof *to->iterations);
    to->checkpoints = mls_arena_array(job->arena, job->checkpoint_count, sizeof *to->checkpoints);
    to->loaded_iteration = job->loaded_iteration;
    if (to->iterations == NULL || to->checkpoints == NULL) {
        job->failed = true;
        return;
    }
    for (size_t i = 0; i < job->time_count; i++) {
        to->iterations[to->iteration_count++] = job->times[i];
    }
    if (job->time_count > 0 && job->last_time.time_ms > job->times[job->time_count - 1].time_ms) {
        to->iterations[to->iteration_count++] = job->last_time;
    }
    for (size_t i = 0; i < job->checkpoint_count; i++) {
        to->checkpoints[to->checkpoint_count++] = job->checkpoints[i];
    }
}

mls_status mls_job_judge(mls_job_log *job, mls_diagnosis *to)
{
    bool *success = calloc(job->segment_count + 1, sizeof *success);
    resolve_times(job);
    to->runs = success != NULL ? number_runs(job, success) : 0;
    to->failures = mls_arena_array(job->arena, to->runs + 1, sizeof *to->failures);
    job->failed |= success == NULL || to->failures == NULL;
    for (size_t i = 0; i < job->segment_count; i++) {
        const mls_segment *segment = &job->segments[i];
        to->start_ms =
            !(segment->first_ms >= to->start_ms) && !isnan(segment->first_ms) ? segment->first_ms : to->start_ms;
        to->end_ms = !(segment->last_ms <= to->end_ms) && !isnan(segment->last_ms) ? segment->last_ms : to->end_ms;
    }
    for (size_t run = to->runs > 0; run <= to->runs && !job->failed; run++) {
        run_view view = {.job = job, .run = run, .only = to->runs <= 1, .end_ms = (double)NAN};
        if (success[run]) {
            continue;
        }
        view_progress(&view);
        mls_failure *failure = &to->failures[to->failure_count];
        /* A job without records failed only if something says so. */
        if (run > 0 || first_of(&view, MLS_ROLE_ROOT) != NULL || first_of(&view, MLS_ROLE_SYMPTOM) != NULL ||
            first_of(&view, MLS_ROLE_EFFECT) != NULL) {
            judge_run(&view, failure);
            to->failure_count++;
        }
    }
    to->outcome = to->failure_count > 0 ? MLS_JOB_FAILED : to->runs > 0 ? MLS_JOB_SUCCESS : MLS_JOB_UNKNOWN;
    tell_matched(job, to);
    tell_campaign(job, to);
    free(success);
    return job->failed ? MLS_ERROR_MEMORY : MLS_OK;
}
