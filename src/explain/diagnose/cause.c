/* SPDX-License-Identifier: Apache-2.0 */
/* cause.c - the verdict on a job: its runs, and the root cause of each failed run with its details. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/statistics.h"
#include "explain/diagnose/job.h"

/* ---------------------------------------------------------------- how long steps took
 *
 * A job may have thousands of failed runs, each with its own time of failure.  To avoid sorting all step lengths for
 * each run, runs are processed in the order of their times, and a tree of counts (Fenwick 1994) yields the median of
 * all step lengths before a time. */

enum { LAST_INTERVALS = 5, PROGRESS_MIN = 6 };

/* Median step lengths until a time, in milliseconds: of all steps, of the last LAST_INTERVALS steps, and of all steps
 * before these; NAN: too few steps. */
typedef struct step_lengths {
    double median, last, before;
} step_lengths;

typedef struct job_steps {
    size_t count;         /* number of iterations of the job; its last progress is one more entry in the lists */
    uint32_t *places;     /* indexes of the iterations sorted by time; `count` is the index of the last progress */
    mls_iteration *known; /* the last known progress at each of these times */
    double *lengths;      /* lengths of the intervals between iterations, in milliseconds per step, sorted */
    uint32_t *ranks;      /* position in `lengths` of the interval that ends at each iteration, from 1 */
    int32_t *tree;        /* Fenwick tree that counts the intervals until the last requested time */
    size_t taken, came;   /* number of entries and of iterations until that time */
    size_t interval_count, last[LAST_INTERVALS];
} job_steps;

static void make_steps(job_steps *steps, const mls_job_log *job, mls_arena *arena)
{
    const mls_iteration *iterations = job->to->iterations;
    const size_t count = job->to->iteration_count;
    mls_placed *order = mls_malloc((count + 1) * sizeof *order);
    *steps = (job_steps){.count = count,
                         .places = mls_arena_array(arena, count + 1, sizeof *steps->places),
                         .known = mls_arena_array(arena, count + 1, sizeof *steps->known),
                         .lengths = mls_arena_array(arena, count + 1, sizeof *steps->lengths),
                         .ranks = mls_arena_zeroed(arena, count + 1, sizeof *steps->ranks),
                         .tree = mls_arena_zeroed(arena, count + 1, sizeof *steps->tree)};
    for (size_t i = 1; i < count; i++) {
        const double between = iterations[i].time_ms - iterations[i - 1].time_ms;
        order[i - 1] = (mls_placed){between / (double)job->time_stride, i};
    }
    mls_sort_placed(order, count > 0 ? count - 1 : 0, sizeof *order);
    for (uint32_t i = 0; i + 1 < count; i++) {
        steps->lengths[i] = order[i].value;
        steps->ranks[order[i].place] = i + 1;
    }
    for (size_t i = 0; i <= count; i++)
        order[i] = (mls_placed){i < count ? iterations[i].time_ms : job->last_time.time_ms, i};
    mls_sort_placed(order, count + 1, sizeof *order);
    for (size_t i = 0; i <= count; i++)
        steps->places[i] = (uint32_t)order[i].place;
    free(order);
    for (size_t i = 0; i <= count; i++) {
        const size_t place = steps->places[i];
        mls_iteration one = place < count ? iterations[place] : job->last_time;
        one.iteration = isfinite(one.iteration) || i == 0 ? one.iteration : steps->known[i - 1].iteration;
        one.samples = isfinite(one.samples) || i == 0 ? one.samples : steps->known[i - 1].samples;
        steps->known[i] = one;
    }
}

/* Return the last progress at or before a time; NAN: unknown. */
static mls_iteration known_at(const job_steps *steps, double time_ms)
{
    size_t low = 0;
    size_t high = steps->count + 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (steps->known[middle].time_ms <= time_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? steps->known[low - 1] : (mls_iteration){NAN, NAN, NAN};
}

/* Add `by` to the count of the interval that ends at an iteration. */
static void count_interval(job_steps *steps, size_t place, int32_t by)
{
    for (size_t i = steps->ranks[place]; i < steps->count; i += i & -i)
        steps->tree[i] += by;
}

/* Return the length of the interval that has `below` shorter ones among the counted intervals. */
static double interval_at(const job_steps *steps, size_t below)
{
    size_t at = 0;
    size_t width = 1;
    while (2 * width < steps->count)
        width *= 2;
    for (; width > 0; width /= 2) {
        if (at + width < steps->count && (size_t)steps->tree[at + width] <= below) {
            at += width;
            below -= (size_t)steps->tree[at];
        }
    }
    return steps->lengths[at];
}

static double median_of(const job_steps *steps, size_t count)
{
    const double middle[] = {interval_at(steps, (count - 1) / 2), interval_at(steps, count / 2)};
    return mls_median(middle, count % 2 == 0 ? 2 : 1);
}

/* Return the step lengths until a time.  Times must be ascending, NAN last. */
static step_lengths lengths_until(job_steps *steps, double until_ms)
{
    step_lengths lengths = {NAN, NAN, NAN};
    size_t *last = steps->last;
    for (; steps->taken <= steps->count; steps->taken++) {
        size_t place = steps->places[steps->taken];
        if (!(steps->known[steps->taken].time_ms <= until_ms))
            break;
        steps->came += place < steps->count;
        if (place == 0 || place == steps->count)
            continue; /* it does not end an interval */
        steps->interval_count++;
        count_interval(steps, place, 1);
        for (size_t i = 0; i < LAST_INTERVALS; i++) {
            const size_t other = last[i];
            last[i] = place > other ? place : other;
            place = place > other ? other : place;
        }
    }
    if (isnan(until_ms))
        return lengths;
    if (steps->interval_count > LAST_INTERVALS + PROGRESS_MIN) {
        double values[LAST_INTERVALS];
        for (size_t i = 0; i < LAST_INTERVALS; i++) {
            values[i] = steps->lengths[steps->ranks[last[i]] - 1];
            count_interval(steps, last[i], -1);
        }
        mls_sort_doubles(values, LAST_INTERVALS);
        lengths.last = mls_median(values, LAST_INTERVALS);
        lengths.before = median_of(steps, steps->interval_count - LAST_INTERVALS);
        for (size_t i = 0; i < LAST_INTERVALS; i++)
            count_interval(steps, last[i], 1);
    }
    if (steps->came >= PROGRESS_MIN)
        lengths.median = median_of(steps, steps->interval_count);
    return lengths;
}

/* ---------------------------------------------------------------- the verdict on a run */

/* A message within this number of lines or milliseconds after the first one may replace the first one as the cause. */
enum { NEAR_LINES = 50, LAST_TURN = MLS_ROLE_END };
#define NEAR_MS 10000.0
#define HANG_MS 300000.0
#define HANG_MEDIANS 10.0
#define SLOWER_MEDIANS 1.5

/* Signatures of failures without a message. */
#define UNSAID(name, class, why, what_to_do, where)                                                                    \
    {                                                                                                                  \
        .id = (name), .kind = (class), .origin = MLS_ORIGIN_UNKNOWN, .persistence = MLS_PERSISTENCE_UNKNOWN,           \
        .role = MLS_ROLE_EFFECT, .explanation = (why), .action = (what_to_do), .source = (where)                       \
    }
static const mls_signature hang_signature = UNSAID(
    "hang", MLS_CLASS_HANG, "Training made no progress for much longer than a step takes, until the job ended.",
    "Find the rank that fell behind: py-spy or a flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE) shows where each "
    "rank waits. Check the storage and the network at that time.",
    "progress in the logs");
static const mls_signature end_signature =
    UNSAID("log-ends", MLS_CLASS_UNKNOWN, "The log ends without run_stop and without a message that explains it.",
           "Check the state of the job (sacct), the kernel logs of its nodes, and the output of other ranks.",
           "the end of the logs");
static const mls_signature missing_signature = UNSAID(
    "collective-not-entered", MLS_CLASS_COMMUNICATION_TIMEOUT,
    "The dumps of the flight recorder show ranks that wait for others, which never entered a collective operation.",
    "Look for the reason in the output and stack traces of the ranks that did not enter it, and on their nodes.",
    "docs.pytorch.org, Flight Recorder");
static const mls_signature mismatch_signature =
    UNSAID("collective-mismatch", MLS_CLASS_COMMUNICATION_TIMEOUT,
           "The dumps of the flight recorder show ranks that called different collective operations at the same time.",
           "Compare the stack traces of these ranks in the dumps: a condition in the program differs between ranks.",
           "docs.pytorch.org, Flight Recorder");
static const mls_signature error_signature =
    UNSAID("unknown-error", MLS_CLASS_UNKNOWN,
           "The log contains no run and no known failure, but lines at its end look like errors.",
           "Read these lines.  If they are the cause, add a signature for them with --signatures; otherwise look at "
           "the output of "
           "other ranks, the state of the job (sacct) and the kernel logs of its nodes.",
           "the end of the logs");
static const mls_signature traceback_signature =
    UNSAID("python-traceback", MLS_CLASS_UNKNOWN,
           "A traceback starts, but the exception at its end is missing or has an unknown form.",
           "Read the lines after it; if it is cut off, the output of other ranks or other files may contain the rest.",
           "docs.python.org, traceback");

/* State of the verdict on a run. */
typedef struct run_view {
    mls_job_log *job;
    const job_steps *steps;
    size_t number;                   /* number among the runs that began; 0: a launch that failed earlier */
    double last_times[MLS_SURVIVED]; /* times of the last advances of all its segments, newest first */
    const mls_log_segment *last;     /* segment of the last advance; NULL: none */
    const mls_log_segment *own;      /* its first segment */
    const mls_log_segment *traced;   /* first segment with an unfinished traceback; NULL: none */
    const mls_log_segment *erring;   /* last segment that ends with a line that looks like an error; NULL: none */
    bool ended;                      /* a file without records reports a successful end */
    bool broken_off;                 /* a file ends inside a progress bar */
    bool again;                      /* the run succeeded and restarted */
    double end_ms;                   /* last time in its output */
    mls_match *matches;              /* the matches of the run, then those of files that belong to every run */
    mls_match_count *counts;         /* counts in the same order */
    const mls_match *cause;          /* NULL: unknown */
    bool failed;
    step_lengths lengths; /* until the failure */
} run_view;

/* Return whether a line of a file reports a successful end after which training did not continue.  If a job has
 * records, they decide alone. */
static bool has_ended(const mls_job_log *job, const mls_log_segment *segment)
{
    return job->run_count == 0 && segment->ended_line > 0 && segment->ended_advances + MLS_SURVIVED > segment->advances;
}

/* Return whether a match belongs to the teardown after a successful end, or came before the end. */
static bool is_of_success(const mls_job_log *job, const mls_match *match)
{
    const mls_log_segment *segment = &job->segments[match->segment];
    const mls_signature *signature = mls_job_signature(job, match);
    return has_ended(job, segment) &&
           (match->at.line < segment->ended_line || signature->role != MLS_ROLE_ROOT ||
            signature->kind == MLS_CLASS_NETWORK || signature->kind == MLS_CLASS_COMMUNICATION_TIMEOUT ||
            signature->kind == MLS_CLASS_SCHEDULER);
}

/* Assign to each run its own matches and segments first, then those that belong to every run. */
static void fill_views(mls_job_log *job, run_view *views)
{
    for (int own = 0; own < 2; own++) {
        for (size_t run = 0; run <= job->run_count && own; run++) {
            views[run].matches = views[0].matches;
            views[run].counts = views[0].counts;
        }
        for (size_t i = job->match_count; i-- > 0;) {
            const size_t run = job->segments[job->matches[i].segment].run;
            if ((run > 0) == own) {
                job->matches[i].next = views[run].matches;
                views[run].matches = &job->matches[i];
            }
        }
        for (size_t i = job->count_count; i-- > 0;) {
            const size_t run = job->segments[job->counts[i].segment].run;
            if ((run > 0) == own) {
                job->counts[i].next = views[run].counts;
                views[run].counts = &job->counts[i];
            }
        }
    }
    for (size_t s = 0; s < job->segment_count; s++) {
        const mls_log_segment *segment = &job->segments[s];
        for (size_t i = segment->run; i <= (segment->run > 0 ? segment->run : job->run_count); i++) {
            run_view *view = &views[i];
            view->own = view->own == NULL && segment->line > 0 ? segment : view->own;
            /* A file without records may continue after the run if another run follows. */
            if ((segment->line > 0 || job->run_count <= 1) && !(segment->last_ms <= view->end_ms) &&
                !isnan(segment->last_ms))
                view->end_ms = segment->last_ms;
            const bool later = view->last == NULL || !(segment->last_times[0] <= view->last->last_times[0]);
            view->last = segment->last_line > 0 && later ? segment : view->last;
            const bool ended = has_ended(job, segment);
            view->ended |= ended;
            view->traced = view->traced == NULL && segment->traceback.line > 0 && !ended ? segment : view->traced;
            view->erring = segment->error.line > 0 && !ended ? segment : view->erring;
            view->broken_off |= segment->broken_off && !ended;
            view->again |= segment->again;
            for (size_t k = 0; k < MLS_SURVIVED; k++) {
                double time = segment->last_times[k];
                for (size_t n = 0; n < MLS_SURVIVED; n++) {
                    const double other = view->last_times[n];
                    if (isnan(other) || time > other) {
                        view->last_times[n] = time;
                        time = other;
                    }
                }
            }
        }
    }
}

/* Return whether a later message of the same node ended the failure of a match.  "Later" is decided by lines in the
 * same file, by times otherwise. */
static bool has_recovered(const mls_job_log *job, const mls_match *match)
{
    const mls_recovery *after = &job->recoveries[match->signature];
    const bool same_file = after->file == job->segments[match->segment].file;
    return after->line > 0 && (same_file ? after->line > match->at.line : after->time_ms > match->time_ms) &&
           (after->node == match->node || after->node == NULL || match->node == NULL);
}

/* Return whether training continued after a match: by lines in the same file, else by times. */
static bool was_survived(const run_view *view, const mls_match *match)
{
    const mls_log_segment *segment = &view->job->segments[match->segment];
    const bool elsewhere = view->last != NULL && view->last->file != segment->file;
    return has_recovered(view->job, match) || is_of_success(view->job, match) ||
           match->advances + (match->warned ? 1 : MLS_SURVIVED) <= segment->advances ||
           (segment->line == 0 && elsewhere && view->last_times[MLS_SURVIVED - 1] > match->time_ms);
}

/* Return whether a match is earlier: by time if `timed`, then by file, then by line. */
static bool came_before(const mls_job_log *job, const mls_match *a, const mls_match *b, bool timed)
{
    const size_t file_a = job->segments[a->segment].file;
    const size_t file_b = job->segments[b->segment].file;
    if (timed && (a->time_ms < b->time_ms || a->time_ms > b->time_ms))
        return a->time_ms < b->time_ms;
    return file_a != file_b ? file_a < file_b : a->at.line < b->at.line;
}

/* Return the turn in which a signature may be the cause: its role, or LAST_TURN for generic effects, which only report
 * that a process ended. */
static unsigned turn_of(const mls_signature *signature)
{
    return signature->role == MLS_ROLE_EFFECT && signature->generic ? LAST_TURN : signature->role;
}

/* Return the cause among the matches of one turn: the match of highest precedence near the first match; NULL: none. */
static const mls_match *first_of(const run_view *view, unsigned turn)
{
    const mls_job_log *job = view->job;
    const mls_match *first = NULL;
    const mls_match *best = NULL;
    bool timed = true;
    for (int pass = 0; pass < 3; pass++) {
        for (const mls_match *match = view->matches; match != NULL; match = match->next) {
            if (turn_of(mls_job_signature(job, match)) != turn || was_survived(view, match) ||
                (turn == MLS_ROLE_SYMPTOM && match->advances < job->segments[match->segment].crash_advances))
                continue; /* a symptom before progress is not the cause of a crash after this progress */
            if (pass == 0) {
                timed = timed && isfinite(match->time_ms);
            } else if (pass == 1) {
                first = first == NULL || came_before(job, match, first, timed) ? match : first;
            } else if (timed ? match->time_ms - first->time_ms <= NEAR_MS
                             : job->segments[first->segment].file == job->segments[match->segment].file &&
                                   match->at.line - first->at.line <= NEAR_LINES) {
                const uint64_t precedence = mls_job_signature(job, match)->precedence;
                const uint64_t highest = best != NULL ? mls_job_signature(job, best)->precedence : 0;
                best = best == NULL || precedence > highest ||
                               (precedence == highest && came_before(job, match, best, timed))
                           ? match
                           : best;
            }
        }
    }
    return best;
}

static int compare_failure_counts(const void *left, const void *right)
{
    const mls_failure_count *a = left;
    const mls_failure_count *b = right;
    return a->count != b->count ? (a->count < b->count) - (a->count > b->count)
                                : strcmp(a->signature->id, b->signature->id);
}

/* List the signatures whose count is not 0, in the arena of the diagnosis.  Return their number. */
static size_t list_counts(const mls_job_log *job, const size_t *counts, mls_failure_count **list)
{
    const size_t signatures = mls_signatures_count(job->signatures);
    size_t count = 0;
    for (size_t i = 0; i < signatures; i++)
        count += counts[i] > 0;
    *list = mls_arena_array(job->to->arena, count, sizeof **list);
    count = 0;
    for (size_t i = 0; i < signatures; i++)
        if (counts[i] > 0)
            (*list)[count++] = (mls_failure_count){mls_signatures_get(job->signatures, i), counts[i]};
    return count;
}

static bool is_id(const mls_signature *signature, const char *id)
{
    return strcmp(signature->id, id) == 0;
}

/* Fill in a failure from its cause. */
static void fill_cause(const run_view *view, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const mls_match *cause = view->cause;
    const mls_job_file *file = &job->files[job->segments[cause->segment].file];
    const mls_iteration known = known_at(view->steps, cause->time_ms);
    int32_t rank = cause->rank;
    failure->signature = mls_job_signature(job, cause);
    if (rank < 0 &&
        (is_id(failure->signature, "torchrun-exitcode") || is_id(failure->signature, "torchrun-child-failed")))
        rank = file->root_rank;
    failure->node = cause->node;
    if (rank < 0 &&
        failure->node == NULL) { /* use the rank and node of the launchers' messages if they name a single one */
        size_t ranks = 0;
        size_t nodes = 0;
        int32_t one_rank = -1;
        const char *one_node = NULL;
        for (const mls_match *match = view->matches; match != NULL; match = match->next) {
            const mls_str id = mls_str_from(mls_job_signature(job, match)->id);
            const bool launcher = mls_str_starts(mls_str_from(match->at.text), MLS_S("srun: error: ")) ||
                                  mls_str_any(id, "srun-|mpi-|torchrun-", mls_str_starts);
            if (launcher && !was_survived(view, match)) {
                const bool many = strstr(match->at.text, "tasks ") != NULL; /* the pattern has only the first rank */
                ranks += match->rank < 0 ? 0 : many ? 2 : match->rank != one_rank;
                nodes += match->node != NULL && match->node != one_node;
                one_rank = match->rank >= 0 ? match->rank : one_rank;
                one_node = match->node != NULL ? match->node : one_node;
            }
        }
        rank = ranks == 1 && strstr(cause->at.text, "tasks ") == NULL ? one_rank : rank;
        failure->node = nodes == 1 && ranks <= 1 ? one_node : NULL;
    }
    /* An exception of a module's own type is the root cause if other ranks only report the loss of its rank. */
    const size_t type = strcspn(cause->at.text, ": ");
    bool own = cause->otherwise && cause->rank >= 0 && failure->signature->kind == MLS_CLASS_CODE &&
               memchr(cause->at.text, '.', type) != NULL;
    for (const mls_match *match = view->matches; own && match != NULL; match = match->next) {
        const mls_signature *other = mls_job_signature(job, match);
        if (other->role == MLS_ROLE_EFFECT && other->kind == MLS_CLASS_COMMUNICATION_TIMEOUT && match->rank >= 0 &&
            match->rank != cause->rank && !was_survived(view, match)) {
            failure->signature = mls_signatures_get(job->signatures, cause->signature);
            own = false;
        }
    }
    failure->root_known = failure->signature->role == MLS_ROLE_ROOT;
    failure->at = (mls_failure_line){.file = file->name,
                                     .line = cause->at.line,
                                     .text = mls_job_copy(job, cause->at.text),
                                     .signature = failure->signature};
    failure->time_ms = cause->time_ms;
    failure->iteration = isnan(cause->iteration) ? known.iteration : cause->iteration;
    failure->samples = isnan(cause->samples) ? known.samples : cause->samples;
    failure->rank = rank >= 0 ? rank : (double)NAN;
    if (failure->node == NULL && rank >= 0 && rank < MLS_RANKS_MAX)
        failure->node = job->rank_nodes[rank];
    failure->gpu = cause->gpu;
}

/* Decide whether to start a job again after a failure: not if it would fail in the same way, and without a node whose
 * hardware or system failed. */
static void advise_restart(mls_failure *failure)
{
    const mls_signature *signature = failure->signature;
    const bool user = signature->origin == MLS_ORIGIN_USER;
    const bool transient = signature->persistence == MLS_PERSISTENCE_TRANSIENT;
    const bool persistent = signature->persistence == MLS_PERSISTENCE_PERSISTENT;
    mls_restart restart = MLS_RESTART_YES;
    const char *reason = "this cause passes";
    if (signature->origin == MLS_ORIGIN_HARDWARE) {
        restart = MLS_RESTART_OTHER_NODES;
        reason = "hardware failed: exclude the node";
    } else if (failure->hang || signature->kind == MLS_CLASS_COMMUNICATION_TIMEOUT ||
               signature->kind == MLS_CLASS_UNKNOWN || signature->role == MLS_ROLE_EFFECT) {
        reason = "the root cause is not known: restart once, and stop if the failure comes back";
    } else if (signature->kind == MLS_CLASS_SCHEDULER) {
        restart = user && !persistent ? MLS_RESTART_NO : MLS_RESTART_YES;
        reason = restart == MLS_RESTART_NO
                     ? "somebody cancelled the job, or it asked for what the cluster does not have"
                     : "the scheduler ended the job: continue from the last checkpoint";
    } else if (signature->kind == MLS_CLASS_PREEMPTION) {
        reason = "the job was preempted: continue from the last checkpoint";
    } else if (signature->kind == MLS_CLASS_NODE && !transient) {
        restart = MLS_RESTART_OTHER_NODES;
        reason = "the system of a node failed: exclude the node";
    } else if (transient) {
        restart = MLS_RESTART_YES;
    } else if ((signature->kind == MLS_CLASS_CONTAINER && !user) ||
               (signature->kind == MLS_CLASS_NETWORK && persistent)) {
        restart = MLS_RESTART_OTHER_NODES;
        reason = "the set-up of a node is wrong: exclude the node";
    } else if (signature->kind == MLS_CLASS_NETWORK || (signature->kind == MLS_CLASS_STORAGE && !user && !persistent)) {
        reason = "network and storage often recover: restart a few times at most";
    } else if (signature->kind == MLS_CLASS_GPU_FAULT && !persistent) {
        reason = "a kernel or a GPU failed: restart once, and exclude the node if the same GPU fails again";
    } else {
        restart = MLS_RESTART_NO;
        reason = "it would fail in the same way until the cause is corrected";
    }
    failure->restart = restart;
    failure->restart_reason = reason;
}

static double failed_at(const run_view *view)
{
    return view->cause != NULL ? view->cause->time_ms : view->end_ms;
}

static void judge_run(const run_view *view, mls_failure *failure)
{
    mls_job_log *job = view->job;
    const mls_match *cause = view->cause;
    const step_lengths lengths = view->lengths;
    *failure = (mls_failure){.run = view->number, .slower = (double)NAN, .run_start_ms = (double)NAN};
    if (cause != NULL)
        fill_cause(view, failure);
    const bool timeout = cause != NULL && is_id(failure->signature, "nccl-watchdog-timeout");
    const bool ended = cause == NULL || turn_of(failure->signature) == LAST_TURN ||
                       is_id(failure->signature, "slurm-time-limit") || is_id(failure->signature, "slurm-cancelled");
    const double still = failed_at(view) - view->last_times[0];
    const mls_log_segment *seen = view->last != NULL ? view->last : view->own != NULL ? view->own : job->segments;
    failure->hang = (timeout || ended) && still > HANG_MS && still > HANG_MEDIANS * lengths.median;
    failure->slower = lengths.last >= SLOWER_MEDIANS * lengths.before ? lengths.last / lengths.before : (double)NAN;
    if (ended && (cause == NULL || failure->hang)) {
        /* Without a message, only the last progress or an unfinished traceback is known. */
        cause = NULL;
        failure->signature = failure->hang ? &hang_signature : &end_signature;
        failure->root_known = false;
        failure->rank = NAN;
        failure->node = failure->gpu = NULL;
        failure->at = (mls_failure_line){.file = job->files[seen->file].name,
                                         .line = view->last != NULL ? seen->last_line : seen->end_line,
                                         .text = seen->last_text};
        failure->time_ms = view->last != NULL ? seen->last_times[0] : seen->last_ms;
        failure->samples = seen->samples;
        failure->iteration =
            isnan(seen->iteration) ? known_at(view->steps, failure->time_ms).iteration : seen->iteration;
        if (!failure->hang && view->traced != NULL) {
            const mls_traceback *begin = &view->traced->traceback;
            seen = view->traced;
            failure->signature = &traceback_signature;
            failure->at = (mls_failure_line){
                .file = job->files[seen->file].name, .line = begin->line, .text = "Traceback (most recent call last):"};
            failure->time_ms = begin->time_ms;
            failure->rank = begin->rank >= 0 ? begin->rank : (double)NAN;
            failure->node = begin->node;
        } else if (!failure->hang && view->number == 1 && job->run_count == 0 && view->erring != NULL) {
            seen = view->erring;
            failure->signature = &error_signature;
            failure->at = seen->error;
            failure->rank = seen->error.rank >= 0 ? seen->error.rank : (double)NAN;
            failure->node = seen->error.node;
        }
    } else {
        seen = &job->segments[cause->segment];
    }
    advise_restart(failure);
    /* List all other messages of the run with their counts. */
    size_t *counts = mls_calloc(mls_signatures_count(job->signatures), sizeof *counts);
    for (const mls_match_count *one = view->counts; one != NULL; one = one->next)
        counts[one->signature] += one->count;
    for (mls_match *match = view->matches; match != NULL; match = match->next) {
        const bool survived = was_survived(view, match);
        const bool apart = survived && (job->segments[match->segment].line ==
                                            0 || /* survived by time, although it is among the counts */
                                        has_recovered(job, match));
        match->reported |= !survived;
        counts[match->signature] -= match == cause || (apart && counts[match->signature] > 0);
    }
    failure->also_count = list_counts(job, counts, &failure->also);
    if (failure->also_count > 1)
        qsort(failure->also, failure->also_count, sizeof *failure->also, compare_failure_counts);
    free(counts);
    if (!failure->root_known) {
        failure->read = seen->read;
        failure->read_count = seen->read_count;
        failure->read_errors = seen->read_errors;
    }
    if (timeout) { /* list the ranks that did not report a timeout; the list is the same for all runs of a job */
        const bool first = job->suspects == NULL;
        if (first)
            job->suspects = mls_arena_array(job->to->arena, MLS_RANKS_MAX, sizeof *job->suspects);
        for (size_t rank = 0; rank < MLS_RANKS_MAX && first; rank++)
            if (job->rank_seen[rank] == MLS_RANK_SEEN)
                job->suspects[job->suspect_count++] = (uint32_t)rank;
        failure->suspects = job->suspects;
        failure->suspect_count = job->suspect_count;
    }
    if (view->own != NULL) {
        failure->run_line = view->own->line;
        failure->run_start_ms = view->own->start_ms;
    }
}

/* ---------------------------------------------------------------- the job */

/* Number the runs and count them.  Runs in several files with equal times get one number.  Return a list that contains
 * for each number whether the run succeeded. */
static bool *number_runs(mls_job_log *job, mls_arena *arena)
{
    mls_map seen = {.arena = arena};
    bool *success = mls_arena_zeroed(arena, job->segment_count + 1, sizeof *success);
    bool began = false;
    /* As in scoring, records without init_start or run_start are not a run, and their lines belong to every run, like
     * those of a file without records.  However, a launch that failed so early is kept: it may contain the reason, and
     * must not count as the success of others.  If a job has nothing else, it is such a launch. */
    for (size_t i = 0; i < job->match_count; i++) {
        const mls_match *match = &job->matches[i];
        const mls_signature *signature = mls_job_signature(job, match);
        mls_log_segment *segment = &job->segments[match->segment];
        segment->died |= signature->role == MLS_ROLE_ROOT || signature->role == MLS_ROLE_SYMPTOM;
        if (turn_of(signature) != LAST_TURN || signature->kind == MLS_CLASS_CODE)
            segment->crash_advances =
                match->advances > segment->crash_advances ? match->advances : segment->crash_advances;
    }
    for (size_t i = 0; i < job->segment_count; i++)
        began |= (job->segments[i].began || job->segments[i].died) && job->segments[i].line > 0;
    for (size_t i = 0; i < job->segment_count; i++) {
        mls_log_segment *segment = &job->segments[i];
        if (began && !segment->began && !segment->died)
            segment->line = 0;
        if (segment->line == 0)
            continue;
        if (!isnan(segment->start_ms)) {
            const double times[] = {segment->start_ms + 0.0, isnan(segment->stop_ms) ? -1 : segment->stop_ms + 0.0};
            bool added = false;
            mls_map_entry *entry = mls_map_put(&seen, (mls_str){(const char *)times, sizeof times}, &added);
            const mls_log_segment *first = &job->segments[entry->value.number];
            if (added)
                entry->value.number = i;
            else if (first->file != segment->file)
                segment->run = first->run;
        }
        if (segment->run == 0) {
            segment->run = ++job->run_count;
            job->to->runs += segment->began;
        }
        success[segment->run] |= segment->success;
    }
    /* Another file may contain only the end before the restart. */
    for (size_t i = 0; i < job->segment_count; i++)
        success[job->segments[i].run] &= !job->segments[i].again || job->segments[i].success;
    return success;
}

/* Create the failures of the runs without success, in order.  A job without records, and a run that restarted after
 * success, failed only if a message shows it. */
static void judge_runs(mls_job_log *job)
{
    mls_diagnosis *to = job->to;
    job_steps steps = {0};
    size_t count = 0;
    size_t began = 0;
    mls_arena arena = {0};
    const bool *success = number_runs(job, &arena);
    run_view *views = mls_arena_array(&arena, job->run_count + 1, sizeof *views);
    mls_placed *order = mls_arena_array(&arena, job->run_count + 1, sizeof *order);
    to->failures = mls_arena_array(to->arena, job->run_count + 1, sizeof *to->failures);
    for (size_t run = 0; run <= job->run_count; run++) {
        views[run] = (run_view){
            .job = job, .steps = &steps, .last_times = {(double)NAN, (double)NAN, (double)NAN}, .end_ms = (double)NAN};
    }
    fill_views(job, views);
    for (size_t run = job->run_count > 0; run <= job->run_count; run++) {
        run_view *view = &views[run];
        view->number = run == 0 ? 1 : view->own->began ? ++began : 0;
        for (unsigned turn = MLS_ROLE_ROOT; turn <= LAST_TURN && view->cause == NULL && !success[run]; turn++)
            view->cause = first_of(view, turn);
        const bool sure = run > 0 && !view->again;
        const bool erred = run == 0 && view->erring != NULL;
        if (!success[run] && (sure || view->cause != NULL || view->traced != NULL || view->broken_off || erred))
            order[count++] = (mls_placed){failed_at(view), run};
    }
    job->finished = job->run_count == 0 && views[0].ended;
    if (count > 0) { /* otherwise step lengths are not needed */
        mls_sort_placed(order, count, sizeof *order);
        make_steps(&steps, job, &arena);
    }
    for (size_t i = 0; i < count; i++) {
        views[order[i].place].lengths = lengths_until(&steps, order[i].value);
        views[order[i].place].failed = true;
    }
    for (size_t run = 0; run <= job->run_count; run++)
        if (views[run].failed)
            judge_run(&views[run], &to->failures[to->failure_count++]);
    mls_arena_release(&arena);
}

/* Add the year of the job to a time without a year. */
static void resolve(const mls_job_log *job, double *time_ms)
{
    *time_ms = mls_time_resolve(*time_ms, job->full_time);
}

/* Report what dumps show as a failure if the logs show none. */
static void add_flight_failure(mls_diagnosis *to)
{
    const mls_flight *flight = to->flight;
    mls_failure *failure = to->failures = mls_arena_zeroed(to->arena, 1, sizeof *to->failures);
    to->failure_count = 1;
    *failure = (mls_failure){.run = 1,
                             .signature = flight->mismatch ? &mismatch_signature : &missing_signature,
                             .at = {.file = flight->file != NULL ? flight->file : "", .text = flight->operation},
                             .rank = flight->blamed_count > 0 ? (double)flight->blamed[0] : (double)NAN,
                             .time_ms = (double)NAN,
                             .iteration = (double)NAN,
                             .samples = (double)NAN,
                             .run_start_ms = (double)NAN,
                             .hang = true,
                             .slower = (double)NAN};
    advise_restart(failure);
}

void mls_job_judge(mls_job_log *job)
{
    mls_diagnosis *to = job->to;
    const size_t signatures = mls_signatures_count(job->signatures);
    resolve(job, &job->last_time.time_ms);
    for (size_t i = 0; i < job->match_count; i++)
        resolve(job, &job->matches[i].time_ms);
    for (size_t i = 0; i < to->iteration_count; i++)
        resolve(job, &to->iterations[i].time_ms);
    for (size_t i = 0; i < to->checkpoint_count; i++) {
        resolve(job, &to->checkpoints[i].done_ms);
        resolve(job, &to->checkpoints[i].start_ms);
        resolve(job, &to->checkpoints[i].end_ms);
    }
    for (size_t i = 0; i < job->segment_count; i++) {
        mls_log_segment *segment = &job->segments[i];
        resolve(job, &segment->first_ms);
        resolve(job, &segment->last_ms);
        for (size_t k = 0; k < MLS_SURVIVED; k++)
            resolve(job, &segment->last_times[k]);
        to->start_ms = fmin(to->start_ms, segment->first_ms);
        to->end_ms = fmax(to->end_ms, segment->last_ms);
    }
    judge_runs(job);
    if (to->flight != NULL && to->failure_count == 0 && to->runs == 0)
        add_flight_failure(to);
    for (size_t i = 0; i < job->match_count; i++)
        if (!job->matches[i].reported)
            mls_job_note(job, &job->matches[i]);
    to->outcome = to->failure_count > 0           ? MLS_JOB_FAILED
                  : to->runs > 0 || job->finished ? MLS_JOB_SUCCESS
                                                  : MLS_JOB_UNKNOWN;
    to->matched_count = list_counts(job, job->matched, &to->matched);
    to->overran = mls_arena_array(to->arena, signatures, sizeof *to->overran);
    for (size_t i = 0; i < signatures; i++)
        if (mls_signatures_overran(job->signatures, i))
            to->overran[to->overran_count++] = mls_signatures_get(job->signatures, i)->id;
    /* Append the last progress if its time was dropped. */
    if (to->iteration_count > 0 && job->last_time.time_ms > to->iterations[to->iteration_count - 1].time_ms)
        mls_job_add_iteration(job, job->last_time);
}
