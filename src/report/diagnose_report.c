/* SPDX-License-Identifier: Apache-2.0 */
/* diagnose_report.c - the reports of diagnose: the causes of failed jobs, and the time that a chain of jobs lost
 * because of failures. */
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

static mls_str class_of_failure(const mls_failure *failure)
{
    return mls_failure_word(MLS_FAILURE_CLASSES, failure->signature->kind);
}

static const char *outcome_word(mls_job_outcome outcome)
{
    static const char *const words[] = {"unknown", "success", "failed"};
    return words[outcome];
}

static const char *restart_word(mls_restart restart)
{
    static const char *const words[] = {"no", "yes", "other-nodes"};
    return words[restart];
}

#define COUNT_FIELDS(F)                                                                                                \
    F(count, signature, TEXT, "", row->signature->id)                                                                  \
    F(count, count, NUMBER, "", row->count)
MLS_FIELDS(count, mls_failure_count, COUNT_FIELDS)

#define FAILURE_FIELDS(F)                                                                                              \
    F(failure, run, NUMBER_OR_NULL, "", row->run > 0 ? (double)row->run : (double)NAN)                                 \
    F(failure, signature, TEXT, "", row->signature->id)                                                                \
    F(failure, class, TEXT, "", class_of_failure(row))                                                                 \
    F(failure, origin, TEXT, "", mls_failure_word(MLS_FAILURE_ORIGINS, row->signature->origin))                        \
    F(failure, persistence, TEXT, "", mls_failure_word(MLS_FAILURE_PERSISTENCES, row->signature->persistence))         \
    F(failure, root_known, BOOL, "", row->root_known)                                                                  \
    F(failure, file, TEXT, "", row->at.file)                                                                           \
    F(failure, line, NUMBER, "", row->at.line)                                                                         \
    F(failure, rank, NUMBER_OR_NULL, "", row->rank)                                                                    \
    F(failure, node, TEXT_OR_NULL, "", row->node)                                                                      \
    F(failure, gpu, TEXT_OR_NULL, "", row->gpu)                                                                        \
    F(failure, time_ms, NUMBER_OR_NULL, "ms", row->time_ms)                                                            \
    F(failure, iteration, NUMBER_OR_NULL, "", row->iteration)                                                          \
    F(failure, samples, NUMBER_OR_NULL, "", row->samples)                                                              \
    F(failure, hang, BOOL, "", row->hang)                                                                              \
    F(failure, also, LIST(count), "", MLS_ROWS(row->also, row->also_count))                                            \
    F(failure, text, TEXT, "", row->at.text)                                                                           \
    F(failure, explanation, TEXT, "", row->signature->explanation)                                                     \
    F(failure, action, TEXT, "", row->signature->action)                                                               \
    F(failure, restart, TEXT, "", restart_word(row->restart))                                                          \
    F(failure, restart_reason, TEXT, "", row->restart_reason)                                                          \
    F(failure, read, VALUES, "", MLS_EACH(row->read_count, mls_emit_number(to, (double)row->read[i].line)))            \
    F(failure, suspects, VALUES, "", MLS_EACH(row->suspect_count, mls_emit_number(to, row->suspects[i])))              \
    F(failure, slower, NUMBER_OR_NULL, "", row->slower)
MLS_FIELDS(failure, mls_failure, FAILURE_FIELDS)

#define FLIGHT_FIELDS(F)                                                                                               \
    F(flight, kind, TEXT, "", row->mismatch ? "mismatch" : "missing")                                                  \
    F(flight, blamed, VALUES, "", MLS_EACH(row->blamed_count, mls_emit_number(to, row->blamed[i])))                    \
    F(flight, without_dump, VALUES, "", MLS_EACH(row->without_dump_count, mls_emit_number(to, row->without_dump[i])))  \
    F(flight, group, TEXT, "", row->group)                                                                             \
    F(flight, operation, TEXT, "", row->operation)                                                                     \
    F(flight, sequence, NUMBER, "", row->sequence)                                                                     \
    F(flight, sizes, TEXT, "", row->sizes)                                                                             \
    F(flight, waiting, NUMBER, "", row->waiting)
MLS_FIELDS(flight, mls_flight, FLIGHT_FIELDS)

#define JOB_FIELDS(F)                                                                                                  \
    F(diagnosis, path, TEXT, "", row->path)                                                                            \
    F(diagnosis, outcome, TEXT, "", outcome_word(row->outcome))                                                        \
    F(diagnosis, failures, LIST(failure), "", MLS_ROWS(row->failures, row->failure_count))                             \
    F(diagnosis, flight_recorder, OBJECT_OF(flight), "", row->flight)                                                  \
    F(diagnosis, matched, MAP, "",                                                                                     \
      MLS_MEMBERS(row->matched_count, mls_str_from(row->matched[i].signature->id),                                     \
                  mls_emit_number(to, (double)row->matched[i].count)))
MLS_FIELDS(diagnosis, mls_diagnosis, JOB_FIELDS)

#define JOBS_FIELDS(F) F(jobs, jobs, LIST(diagnosis), "", MLS_ROWS(row->items, row->count))
MLS_FIELDS(jobs, mls_diagnosis_list, JOBS_FIELDS)

enum { INDENT = 2, HANG = 4, OTHERS_SHOWN = 6, SUSPECTS_SHOWN = 16, SKIPPED_SHOWN = 10 };

static void show_failure(mls_view *view, const mls_diagnosis *job, const mls_failure *failure)
{
    const mls_signature *signature = failure->signature;
    mls_buffer line = {0};
    /* Print "FAILED at iteration 412 (3,296 samples), 2:14:05 after run_start". */
    if (failure->run > 0 && job->runs > 1)
        mls_buffer_printf(&line, "%s   run %zu of %zu FAILED", job->path, failure->run, job->runs);
    else
        mls_buffer_printf(&line, "%s   FAILED%s", job->path, failure->run > 0 ? "" : " before a run began");
    if (isfinite(failure->iteration))
        mls_buffer_printf(&line, " at iteration %s", mls_words_count(failure->iteration).text);
    if (isfinite(failure->samples)) {
        mls_buffer_printf(&line, isfinite(failure->iteration) ? " (%s samples)" : " at %s samples",
                          mls_words_count(failure->samples).text);
    }
    if (failure->time_ms >= failure->run_start_ms) {
        mls_buffer_printf(&line, ", %s after run_start",
                          mls_words_clock((failure->time_ms - failure->run_start_ms) / 60000).text);
    }
    mls_view_line(view, &line, MLS_STYLE_BAD, 0, HANG);
    /* Print "xid-74-nvlink-error on rank 13 (node076, GPU 5): gpu-hardware (origin hardware, persistence unknown)",
     * without an unknown rank, node or GPU. */
    mls_buffer_append_text(&line, signature->id);
    if (isfinite(failure->rank))
        mls_buffer_printf(&line, " on rank %.0f", failure->rank);
    else if (failure->node != NULL)
        mls_buffer_printf(&line, " on %s", failure->node);
    const char *node = isfinite(failure->rank) ? failure->node : NULL;
    if (node != NULL || failure->gpu != NULL) {
        mls_buffer_printf(&line, " (%s%s%s%s)", node != NULL ? node : "",
                          node != NULL && failure->gpu != NULL ? ", " : "", failure->gpu != NULL ? "GPU " : "",
                          failure->gpu != NULL ? failure->gpu : "");
    }
    const mls_str kind = class_of_failure(failure);
    const mls_str origin = mls_failure_word(MLS_FAILURE_ORIGINS, signature->origin);
    const mls_str lasting = mls_failure_word(MLS_FAILURE_PERSISTENCES, signature->persistence);
    mls_buffer_printf(&line, ": %.*s (origin %.*s, %s%.*s)", (int)kind.len, kind.ptr, (int)origin.len, origin.ptr,
                      mls_str_equal(lasting, MLS_S("unknown")) ? "persistence " : "", (int)lasting.len, lasting.ptr);
    mls_view_line(view, &line, MLS_STYLE_BOLD, INDENT, HANG);
    mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "%s", signature->explanation);
    if (failure->at.line > 0) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, 2 * INDENT, "%s:%zu: %s", failure->at.file, failure->at.line,
                        failure->at.text);
    }
    size_t shown = 0;
    for (; shown < failure->also_count && shown < mls_view_limit(view, OTHERS_SHOWN); shown++) {
        mls_buffer_printf(&line, "%s%zu x %s", shown > 0 ? ", " : "also: ", failure->also[shown].count,
                          failure->also[shown].signature->id);
    }
    if (shown > 0) {
        mls_words_append_more(&line, failure->also_count - shown, "kind", mls_view_hint(view));
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
    if (failure->hang)
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "training had stopped before it: a hang");
    if (isfinite(failure->slower)) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "the last steps took %s times as long as those before",
                        mls_words_grouped(failure->slower, 1).text);
    }
    for (shown = 0; shown < failure->suspect_count && shown < SUSPECTS_SHOWN; shown++) {
        mls_buffer_printf(&line, "%s%u", shown > 0 ? ", " : "did not report the timeout: ranks ",
                          failure->suspects[shown]);
    }
    if (shown > 0) {
        mls_words_append_more(&line, failure->suspect_count - shown, NULL, NULL);
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
    if (!failure->root_known) {
        mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "the cause is not in these logs%s",
                        failure->read_count == 0 ? ""
                        : failure->read_errors   ? "; the last lines that look like errors, and before the end:"
                                                 : "; the last lines before the end:");
    }
    for (size_t i = 0; i < failure->read_count && !failure->root_known; i++) {
        const mls_failure_line *read = &failure->read[i]; /* "slurm-117.out:88: rank 3 (node076): Killed" */
        mls_buffer_printf(&line, "%s:%zu: ", read->file, read->line);
        if (read->rank >= 0)
            mls_buffer_printf(&line, read->node != NULL ? "rank %d (%s): " : "rank %d: ", read->rank, read->node);
        else if (read->node != NULL)
            mls_buffer_printf(&line, "%s: ", read->node);
        mls_buffer_append_text(&line, read->text);
        mls_view_line(view, &line, MLS_STYLE_PLAIN, HANG, HANG + INDENT);
    }
    mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "what to do: %s", signature->action);
    mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "restart: %s (%s)",
                    failure->restart == MLS_RESTART_OTHER_NODES ? "on other nodes" : restart_word(failure->restart),
                    failure->restart_reason);
}

/* Append a list of ranks: "rank 2" or "ranks 9, 14 and 3 more". */
static void append_ranks(mls_buffer *line, const uint32_t *ranks, size_t count)
{
    size_t shown = 0;
    for (; shown < count && shown < SUSPECTS_SHOWN; shown++)
        mls_buffer_printf(line, "%s%u", shown > 0 ? ", " : count > 1 ? "ranks " : "rank ", ranks[shown]);
    mls_words_append_more(line, count - shown, NULL, NULL);
}

/* Print "flight recorder (16 dumps): ranks 9, 14 did not enter all_to_all …". */
static void show_flight(mls_view *view, const mls_flight *flight)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "flight recorder (%s): ", mls_words_plural(flight->dumps, "dump", "dumps").text);
    if (flight->blamed_count > 0)
        append_ranks(&line, flight->blamed, flight->blamed_count);
    else
        mls_buffer_append_text(&line, "a rank without a dump");
    mls_buffer_printf(&line, flight->mismatch ? " called something else than %s" : " did not enter %s",
                      flight->operation);
    mls_buffer_printf(&line, " number %.0f of group %s (%s): %s", flight->sequence, flight->group, flight->sizes,
                      mls_words_plural(flight->waiting, "rank waits", "ranks wait").text);
    mls_view_line(view, &line, MLS_STYLE_BOLD, INDENT, HANG);
    if (flight->without_dump_count > 0) {
        mls_buffer_append_text(&line, "no dump of ");
        append_ranks(&line, flight->without_dump, flight->without_dump_count);
        mls_buffer_append_text(&line, ", which may have failed first");
        mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    }
}

static void diagnose_show(mls_printer *to, const void *what)
{
    const mls_diagnosis_list *list = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < list->count; i++) {
        const mls_diagnosis *job = &list->items[i];
        size_t skipped = 0; /* number of skipped files that could be read; errors are printed for the others */
        for (size_t k = 0; k < job->skipped_count; k++)
            skipped += !job->skipped[k].failed;
        if (job->outcome != MLS_JOB_FAILED && !view->quiet) { /* print "success", or why there is no verdict */
            const bool lost = job->skipped_count > skipped || (job->files == 0 && skipped > 0);
            mls_buffer line = {0};
            mls_buffer_printf(&line, "%s   %s", job->path,
                              job->outcome == MLS_JOB_SUCCESS ? "success"
                              : lost                          ? "no run and no failure found in what could be read"
                                                              : "no run and no failure found");
            if (job->note_total > 0) {
                mls_buffer_printf(&line, " (%s%s)",
                                  mls_words_plural(job->note_total, "message that looks like an error",
                                                   "messages that look like errors")
                                      .text,
                                  view->verbose > 0 ? "" : "; -v lists them");
            }
            mls_view_line(view, &line, MLS_STYLE_PLAIN, 0, HANG);
        }
        for (size_t k = 0; k < job->failure_count; k++)
            show_failure(view, job, &job->failures[k]);
        if (job->flight != NULL)
            show_flight(view, job->flight);
        for (size_t k = 0; view->verbose > 0 && k < job->note_count; k++) {
            mls_view_printf(view, MLS_STYLE_DIM, INDENT, HANG, "%s:%zu: %s  [%s, no cause]", job->notes[k].file,
                            job->notes[k].line, job->notes[k].text, job->notes[k].signature->id);
        }
        mls_view_more(view, MLS_STYLE_DIM, INDENT, view->verbose > 0 ? job->note_total - job->note_count : 0, NULL,
                      NULL);
        if (skipped == 0 || view->quiet)
            continue;
        /* Print the reasons with -v, and if there is nothing else to print. */
        const bool listed = view->verbose > 0 || (job->files == 0 && skipped <= SKIPPED_SHOWN);
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "skipped %s%s",
                        mls_words_plural(skipped, "file", "files").text, listed ? "" : " (-v lists them)");
        for (size_t k = 0; k < job->skipped_count && listed; k++) {
            if (!job->skipped[k].failed) {
                mls_view_printf(view, MLS_STYLE_PLAIN, HANG, 2 * HANG, "%s: %s", job->skipped[k].file,
                                job->skipped[k].reason);
            }
        }
    }
}

const mls_report mls_diagnose_report = {
    .section = "DIAGNOSE JSON", .show = diagnose_show, .object = &jobs_fields, .lines = "jobs"};

#define CAMPAIGN_JOB_FIELDS(F)                                                                                         \
    F(campaign_job, path, TEXT, "", row->diagnosis->path)                                                              \
    F(campaign_job, job, TEXT_OR_NULL, "", row->job)                                                                   \
    F(campaign_job, start_ms, NUMBER_OR_NULL, "ms", row->start_ms)                                                     \
    F(campaign_job, end_ms, NUMBER_OR_NULL, "ms", row->end_ms)                                                         \
    F(campaign_job, outcome, TEXT, "", outcome_word(row->outcome))                                                     \
    F(campaign_job, class, TEXT_OR_NULL, "", class_or_null(row->kind))                                                 \
    F(campaign_job, signature, TEXT_OR_NULL, "", row->signature)

static mls_str class_or_null(unsigned kind)
{
    return kind != 0 ? mls_failure_word(MLS_FAILURE_CLASSES, kind) : (mls_str){NULL, 0};
}

MLS_FIELDS(campaign_job, mls_campaign_job, CAMPAIGN_JOB_FIELDS)

/* A failure that recurs on one node has the members `node` and `jobs`.  A failure that recurs at one iteration has the
 * members `iteration` and `nodes`. */
#define RECURRENCE_FIELDS(F)                                                                                           \
    F(recurrence, signature, TEXT, "", row->signature)                                                                 \
    F(recurrence, node, ELSE_OUT(TEXT, row->node != NULL), "", row->node)                                              \
    F(recurrence, jobs, ELSE_OUT(VALUES, row->node != NULL), "",                                                       \
      MLS_EACH(row->name_count, mls_emit_text(to, row->names[i])))                                                     \
    F(recurrence, iteration, ANY, "", row->node == NULL ? mls_emit_number(to, row->iteration) : (void)0)               \
    F(recurrence, nodes, ELSE_OUT(VALUES, row->node == NULL), "",                                                      \
      MLS_EACH(row->name_count, mls_emit_text(to, row->names[i])))                                                     \
    F(recurrence, suspect, TEXT, "", row->node != NULL ? "hardware" : "application")
MLS_FIELDS(recurrence, mls_recurrence, RECURRENCE_FIELDS)

#define LOST_FIELDS(F)                                                                                                 \
    F(lost, job, TEXT_OR_NULL, "", row->job)                                                                           \
    F(lost, class, TEXT, "", class_or_null(row->kind))                                                                 \
    F(lost, detection_ms, NUMBER_OR_NULL, "ms", row->lost_ms[MLS_LOST_DETECTION])                                      \
    F(lost, shutdown_ms, NUMBER_OR_NULL, "ms", row->lost_ms[MLS_LOST_SHUTDOWN])                                        \
    F(lost, lost_ms, NUMBER_OR_NULL, "ms", row->lost_ms[MLS_LOST_WORK])                                                \
    F(lost, restart_ms, NUMBER_OR_NULL, "ms", row->lost_ms[MLS_LOST_RESTART])
MLS_FIELDS(lost, mls_campaign_job, LOST_FIELDS)

#define DOWNTIME_FIELDS(F)                                                                                             \
    F(downtime, errors, NUMBER, "", row->errors)                                                                       \
    F(downtime, checkpoint_ms, NUMBER, "ms", row->checkpoint_ms)                                                       \
    F(downtime, detection_ms, NUMBER, "ms", row->lost_ms[MLS_LOST_DETECTION])                                          \
    F(downtime, lost_work_ms, NUMBER, "ms", row->lost_ms[MLS_LOST_WORK])                                               \
    F(downtime, shutdown_ms, NUMBER, "ms", row->lost_ms[MLS_LOST_SHUTDOWN])                                            \
    F(downtime, restart_ms, NUMBER, "ms", row->lost_ms[MLS_LOST_RESTART])                                              \
    F(downtime, downtime_ms, NUMBER, "ms", row->downtime_ms)                                                           \
    F(downtime, total_ms, NUMBER, "ms", row->total_ms)                                                                 \
    F(downtime, percent, NUMBER_OR_NULL, "", row->percent)                                                             \
    F(downtime, wait_ms, NUMBER, "ms", row->wait_ms)                                                                   \
    F(downtime, startup_ms, NUMBER, "ms", row->startup_ms)                                                             \
    F(downtime, by_class, MAP, "",                                                                                     \
      MLS_EACH(                                                                                                        \
          sizeof row->by_class / sizeof *row->by_class, if (i > 0 && isfinite(row->by_class[i])) {                     \
              mls_emit_name(to, mls_failure_word(MLS_FAILURE_CLASSES, (unsigned)i));                                   \
              mls_emit_number(to, row->by_class[i]);                                                                   \
          }))                                                                                                          \
    F(downtime, each, LIST(lost), "",                                                                                  \
      MLS_EACH(row->count, mls_emit_row(to, row->jobs[i].outcome == MLS_JOB_FAILED ? &row->jobs[i] : NULL)))
MLS_FIELDS(downtime, mls_campaign, DOWNTIME_FIELDS)

#define CAMPAIGN_FIELDS(F)                                                                                             \
    F(campaign, jobs, LIST(campaign_job), "", MLS_ROWS(row->jobs, row->count))                                         \
    F(campaign, recurrences, LIST(recurrence), "", MLS_ROWS(row->recurrences, row->recurrence_count))                  \
    F(campaign, downtime, OBJECT_OF(downtime), "", row)
MLS_FIELDS(campaign, mls_campaign, CAMPAIGN_FIELDS)

static const char *const lost_words[MLS_LOST_COUNT] = {"detection", "shutdown", "lost work", "restart"};

static void campaign_show(mls_printer *to, const void *what)
{
    const mls_campaign *campaign = what;
    mls_table table = {.indent = INDENT};
    mls_view *view = to->view;
    mls_buffer line = {0};
    mls_view_printf(
        view, MLS_STYLE_BOLD, 0, HANG, "%s of %s failed; %s lost of %s: %s",
        mls_words_count((double)campaign->errors).text, mls_words_plural(campaign->count, "job", "jobs").text,
        mls_words_clock(campaign->downtime_ms / 60000).text, mls_words_clock(campaign->total_ms / 60000).text,
        mls_words_percent(campaign->percent / 100, 2).text);
    for (size_t i = 0; i < campaign->count; i++) {
        const mls_campaign_job *job = &campaign->jobs[i];
        const bool failed = job->outcome == MLS_JOB_FAILED;
        const mls_str kind = class_or_null(job->kind);
        mls_table_row(&table);
        mls_table_text(&table, "job", MLS_COLUMN_KEEP, job->job != NULL ? job->job : job->diagnosis->path);
        mls_table_words(&table, "took", MLS_COLUMN_RIGHT, mls_words_clock((job->end_ms - job->start_ms) / 60000));
        mls_table_cell(&table, "outcome", MLS_COLUMN_LEFT, failed ? MLS_STYLE_BAD : MLS_STYLE_PLAIN, "%s",
                       outcome_word(job->outcome));
        mls_table_cell(&table, "class", MLS_COLUMN_LEFT, MLS_STYLE_PLAIN, "%.*s", (int)kind.len,
                       kind.ptr != NULL ? kind.ptr : "");
        for (size_t k = 0; k < MLS_LOST_COUNT; k++) {
            mls_table_text(&table, lost_words[k], MLS_COLUMN_RIGHT,
                           failed ? mls_words_clock(job->lost_ms[k] / 60000).text : "");
        }
        mls_table_text(&table, "signature", MLS_COLUMN_LEFT, job->signature != NULL ? job->signature : "");
    }
    mls_table_finish(&table, view);
    mls_buffer_printf(&line, "checkpoints %s", mls_words_clock(campaign->checkpoint_ms / 60000).text);
    for (size_t k = 0; k < MLS_LOST_COUNT; k++)
        mls_buffer_printf(&line, " · %s %s", lost_words[k], mls_words_clock(campaign->lost_ms[k] / 60000).text);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    mls_view_printf(
        view, MLS_STYLE_PLAIN, INDENT, HANG, "not counted: %s waiting between jobs, %s starting the first one",
        mls_words_clock(campaign->wait_ms / 60000).text, mls_words_clock(campaign->startup_ms / 60000).text);
    for (unsigned i = 1; i < sizeof campaign->by_class / sizeof *campaign->by_class; i++) {
        const mls_str kind = mls_failure_word(MLS_FAILURE_CLASSES, i);
        if (isfinite(campaign->by_class[i])) {
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "by %.*s: %s, %s", (int)kind.len, kind.ptr,
                            mls_words_clock(campaign->by_class[i] / 60000).text,
                            mls_words_percent(campaign->by_class[i] / campaign->total_ms, 2).text);
        }
    }
    for (size_t i = 0; i < campaign->recurrence_count; i++) {
        const mls_recurrence *one = &campaign->recurrences[i];
        if (one->node != NULL) {
            mls_buffer_printf(&line, "%s recurred on %s, in jobs", one->signature, one->node);
        } else {
            mls_buffer_printf(&line, "%s occurred at iteration %s on several nodes:", one->signature,
                              mls_words_count(one->iteration).text);
        }
        for (size_t k = 0; k < one->name_count; k++)
            mls_buffer_printf(&line, "%s %s", k > 0 ? "," : "", one->names[k]);
        mls_buffer_append_text(&line, one->node != NULL ? ": suspect its hardware" : ": suspect the application");
        mls_view_line(view, &line, MLS_STYLE_WARN, INDENT, HANG);
    }
}

const mls_report mls_campaign_report = {.section = "CAMPAIGN JSON", .show = campaign_show, .object = &campaign_fields};
