/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_report.c - the report of the pace of runs: a row for each run, with its pace as a curve of bars, then
 * lines about slow runs and phases. */
#include <math.h>

#include "report/reports.h"
#include "term/table.h"

enum { INDENT = 2, HANG = 6, CURVE_INDENT = 6 };

/* If the name of a log takes more terminal columns, names are cut before columns of the table are dropped. */
enum { NAME_COLUMNS = 24 };

/* If more than this share of a run is between blocks, evaluations may have happened in that time. */
#define BETWEEN_MIN 0.001

/* The maximum number of slow evaluations of a run that are listed. */
enum { SLOW_EVALUATIONS_NAMED = 3 };

/* The maximum number of findings of a group that are listed without -v. */
enum { SHOWN_WITHOUT_V = 12 };

/* The bars for the levels of the pace.  Without UTF-8, only three levels are distinguished: within the band, above the
 * band, and far above the band. */
static const char *const bars[2][MLS_SPARK_TOP + 1] = {{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                                       {".", ".", ".", ":", ":", ":", ":", "#"}};

/* The optional columns for which at least one run has a value, and the data for the lines below the table. */
typedef struct columns_used {
    bool tokens, step, lines;
    bool long_names;
    const char *unit;                   /* unit of the pace, such as "a sample" */
    const mls_throughput *paced;        /* the first run with a pace; NULL: no run has a pace */
    const mls_utilization *utilization; /* the highest utilization, since it may be implausible; NULL: unknown */
} columns_used;

/* Return the utilization as a share of the peak in BF16.  Use the published FLOPs of the model if they are known,
 * otherwise the derived FLOPs. */
static double share_of(const mls_utilization *of)
{
    return isnan(of->bf16) ? of->derived : of->bf16;
}

/* Print the row of each run.  Return the data for the lines below the table. */
static columns_used show_timed_runs(mls_view *view, const mls_throughput_group *group)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL, KEEP = MLS_COLUMN_KEEP, DETAIL = MLS_COLUMN_DETAIL };
    columns_used used = {.unit = "a sample"};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        const mls_utilization *of = &run->utilization;
        used.tokens |= isfinite(run->steady_tokens_per_second);
        used.step |= isfinite(run->steady_step_ms) && !mls_throughput_counts_epochs(run);
        used.unit = mls_throughput_counts_epochs(run) ? "an epoch" : used.unit;
        used.paced = used.paced == NULL && run->segment_count > 0 ? run : used.paced;
        if (isfinite(share_of(of)) && (used.utilization == NULL || share_of(of) > share_of(used.utilization)))
            used.utilization = of;
        used.long_names |= strlen(mls_group_name_below(group->group, run->run->file)) > NAME_COLUMNS;
        used.lines |= i > 0 && strcmp(run->run->file, run[-1].run->file) == 0;
    }
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        const double *ms = run->parts.ms;
        const double whole = run->has_parts && run->run_ms > 0 ? run->run_ms : (double)NAN;
        const double other = ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL];
        const bool delimited = run->has_parts && run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING;
        const bool epochs = mls_throughput_counts_epochs(run);
        const double steady = 1000 / run->steady_ms_per_sample;
        mls_table_row(&table);
        mls_table_cell(&table, "run", RIGHT | KEEP, MLS_STYLE_PLAIN, "%zu", i + 1);
        mls_table_cell(&table, "log", KEEP | (used.long_names ? MLS_COLUMN_CUT : 0), MLS_STYLE_PLAIN,
                       used.lines ? "%s:%zu" : "%s", mls_group_name_below(group->group, run->run->file),
                       run->run->line);
        mls_table_number(&table, "min", DECIMAL | KEEP, run->run_ms / 60000, 3);
        mls_table_words(&table, "train", RIGHT, mls_words_percent(ms[MLS_PART_TRAINING] / whole, 1));
        mls_table_text(&table, "eval", RIGHT,
                       delimited ? mls_words_percent(ms[MLS_PART_EVALUATION] / whole, 1).text : NULL);
        mls_table_words(&table, "other", RIGHT, mls_words_percent(other / whole, 1));
        mls_table_words(&table, epochs ? "steady epochs/h" : "steady samples/s", DECIMAL | KEEP,
                        mls_words_rate(epochs ? steady * 3600 : steady));
        if (used.tokens)
            mls_table_number(&table, "tokens/s", RIGHT | DETAIL, run->steady_tokens_per_second, 0);
        if (used.step) {
            const double step = epochs ? (double)NAN : run->steady_step_ms;
            mls_table_words(&table, "step ms", DECIMAL | DETAIL, mls_words_rate(step));
        }
        if (used.utilization != NULL)
            mls_table_number(&table, "MFU", RIGHT | KEEP, share_of(&run->utilization), 2);
        mls_buffer spark = {0};
        size_t cells = MLS_SPARK_CELLS; /* number of cells without the gaps at the end */
        while (cells > 0 && run->spark[cells - 1] == MLS_SPARK_GAP)
            cells--;
        for (size_t k = 0; k < cells; k++)
            mls_buffer_append_text(&spark, run->spark[k] == MLS_SPARK_GAP ? " " : bars[view->ascii][run->spark[k]]);
        mls_table_text(&table, "pace", MLS_COLUMN_LEFT, mls_table_take(&table, &spark));

        /* The note contains the reason why a run has no numbers, or what is wrong with its log. */
        const size_t malformed = run->run->malformed;
        mls_buffer note = {0};
        mls_buffer_append_text(&note, run->state == MLS_TIMED_UNFINISHED          ? "unfinished: up to its last record"
                                      : run->state == MLS_TIMED_NO_START          ? "no run_start"
                                      : run->state == MLS_TIMED_STOP_BEFORE_START ? "run_stop is before run_start"
                                                                                  : "");
        if (malformed > 0) {
            mls_buffer_printf(&note, "%s%s", note.len > 0 ? ", " : "",
                              mls_words_plural(malformed, "malformed line", "malformed lines").text);
        }
        if (run->backwards > 0 && view->verbose > 0) {
            mls_buffer_printf(&note, "%s%s", note.len > 0 ? ", " : "",
                              mls_words_plural(run->backwards, "record out of order", "records out of order").text);
        }
        mls_table_note(&table, run->state <= MLS_TIMED_UNFINISHED ? MLS_STYLE_WARN : MLS_STYLE_BAD, "%s",
                       mls_table_take(&table, &note));
    }
    mls_table_finish(&table, view);
    mls_view_gap(view);
    return used;
}

/* Print how the utilization `of` was computed.  If `of` is NULL, print why the utilization of `run` is unknown. */
static void show_utilization(mls_view *view, const mls_utilization *of, const mls_throughput *run,
                             const mls_throughput_options *options, bool of_many)
{
    mls_buffer line = {0};
    if (of == NULL) {
        of = &run->utilization;
        mls_buffer_append_text(&line, "MFU unknown: ");
        if (isnan(of->flops_per_sample) && isnan(of->flops_derived)) {
            mls_buffer_append_text(&line, "no FLOPs per sample on record");
            if (run->model != NULL && isfinite(run->model->flops_per_sample_at_most) && view->verbose > 0)
                mls_buffer_printf(&line, ", %s at most",
                                  mls_words_grouped(run->model->flops_per_sample_at_most, 0).text);
        } else if (isnan(of->accelerators) && of->accelerator == NULL) {
            mls_buffer_append_text(&line, "number and model of the accelerators not logged (use --accelerators, "
                                          "--accelerator)");
        } else if (isnan(of->accelerators)) {
            mls_buffer_printf(&line, "number of %s not logged (use --accelerators)", of->accelerator->name);
        } else if (of->accelerator == NULL) {
            mls_buffer_printf(&line, "model of its %s not logged, or not on record (use --accelerator)",
                              mls_words_plural((size_t)of->accelerators, "accelerator", "accelerators").text);
        } else {
            mls_buffer_printf(&line, "no peak FLOP/s on record for %s", of->accelerator->name);
        }
        mls_view_line(view, &line, MLS_STYLE_DIM, INDENT, HANG);
        return;
    }
    const double *peak = of->accelerator->peak;
    const bool bf16 = !isnan(peak[MLS_PRECISION_BF16]);
    const char *name = bf16 ? "BF16" : "FP16";
    mls_buffer_printf(&line, "MFU: model FLOPs%s, of %s x %s at %s dense TFLOP/s in %s",
                      isnan(of->bf16)   ? " derived from its architecture"
                      : options->causal ? ", attention halved (causal)"
                                        : ", attention counted whole",
                      mls_words_trimmed(of->accelerators, 0).text, of->accelerator->name,
                      mls_words_trimmed(peak[bf16 ? MLS_PRECISION_BF16 : MLS_PRECISION_FP16], 1).text, name);
    if (share_of(of) > 1 && !(of->narrowest > 1))
        mls_buffer_printf(&line, "; above the %s peak: narrower precision", name);
    if (of->has_precision && !isnan(of->bf16)) {
        mls_buffer_printf(&line, "; against %s %s", of->named == MLS_PRECISION_FP8 ? "FP8" : "FP4",
                          isnan(of->precision) ? "not known" : mls_words_grouped(of->precision, 2).text);
        mls_buffer_append_text(&line, isnan(of->precision) || !of_many ? "" : " at most");
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

/* Print a line with details of a run that are not findings, and its evaluations, for -v. */
static void show_details(mls_view *view, const mls_throughput_group *group, const mls_throughput *run)
{
    mls_table table = {.indent = CURVE_INDENT};
    mls_buffer line = {0};
    mls_buffer_printf(&line, "%s: %s", mls_group_name_below(group->group, run->run->file),
                      mls_words_plural(run->segment_count, "segment", "segments").text);
    if (run->segment_count > 0)
        mls_buffer_printf(&line, ", slow above %s of the steady pace", mls_words_percent(1 + run->band, 1).text);
    if (run->warmup_segments > 0) {
        mls_buffer_printf(&line, "; warm-up of %s, %s s lost",
                          mls_words_plural(run->warmup_segments, "segment", "segments").text,
                          mls_words_trimmed(run->warmup_lost_ms / 1000, 1).text);
    }
    if (run->has_shift) {
        mls_buffer_printf(&line, "; %s times the pace from %s %s on", mls_words_trimmed(run->shift_factor, 2).text,
                          mls_words_count(run->shift_samples).text, mls_throughput_unit(run));
    }
    for (size_t i = 0; i < run->slow_evaluation_count && i < SLOW_EVALUATIONS_NAMED; i++) {
        const mls_slow_evaluation *slow = &run->slow_evaluations[i];
        mls_buffer_printf(&line, "%s evaluation %zu at minute %s took %s s", i == 0 ? ";" : ",", slow->number,
                          mls_words_grouped(slow->from_ms / 60000, 2).text, mls_words_trimmed(slow->ms / 1000, 1).text);
    }
    if (run->slow_evaluation_count > SLOW_EVALUATIONS_NAMED) {
        mls_buffer_printf(&line, ", and %s",
                          mls_words_plural(run->slow_evaluation_count - SLOW_EVALUATIONS_NAMED, "more slow evaluation",
                                           "more slow evaluations")
                              .text);
    }
    if (run->slow_evaluation_count > 0)
        mls_buffer_printf(&line, " (%s s is the median)", mls_words_trimmed(run->evaluation_median_ms / 1000, 1).text);
    if (run->parts.overlapped_evaluation_ms > 0) {
        mls_buffer_printf(&line, "; trained %s s while evaluating",
                          mls_words_trimmed(run->parts.overlapped_evaluation_ms / 1000, 1).text);
    }
    if (isfinite(run->logged_throughput))
        mls_buffer_printf(&line, "; logged throughput %s", mls_words_rate(run->logged_throughput).text);
    if (isfinite(run->logged_step_ms))
        mls_buffer_printf(&line, "; logged step %s ms", mls_words_rate(run->logged_step_ms).text);
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
    for (size_t i = 0; i < run->curve_count; i++) {
        const mls_curve_point *point = &run->curve[i];
        mls_table_row(&table);
        mls_table_number(&table, "min", MLS_COLUMN_DECIMAL, point->ms / 60000, 3);
        mls_table_words(&table, mls_throughput_unit(run), MLS_COLUMN_DECIMAL, mls_words_count(point->samples));
        mls_table_number(&table, "eval", MLS_COLUMN_DECIMAL, point->value, 5);
        if (run->target_at == i + 1)
            mls_table_note(&table, MLS_STYLE_PLAIN, "target");
    }
    mls_table_finish(&table, view);
}

static void show_throughputs(mls_printer *to, const void *what)
{
    static const char *const evaluation_words[] = {
        [MLS_EVALUATIONS_FROM_NOTHING] = "evaluations are not delimited: they count as training",
        [MLS_EVALUATIONS_FROM_VALIDATION] = "evaluations are not delimited: they are as long as tracked_stats say "
                                            "(validation_step_time, validation_time)",
        [MLS_EVALUATIONS_FROM_STEPS] = "evaluations are not delimited: training is as long as tracked_stats say "
                                       "(train_step_time), the rest is evaluation"};
    const mls_throughputs *all = what;
    mls_view *view = to->view;
    const mls_finding_list_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .sorted = true, .limit = mls_view_limit(view, SHOWN_WITHOUT_V)};
    for (size_t i = 0; i < all->group_count; i++) {
        const mls_throughput_group *group = &all->groups[i];
        const bool several = group->group->run_count > 1;
        mls_finding_list found = {0};
        mls_buffer line = {0};
        mls_output_text(view->output, i > 0 ? "\n" : "");
        mls_group_show_headline(view, group->group);
        const columns_used used = show_timed_runs(view, group);
        if (!isnan(group->median_ms_per_sample)) { /* print the pace of the median run */
            mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "pace: median %s ms %s, a run is slow above %s",
                            mls_words_rate(group->median_ms_per_sample).text, used.unit,
                            mls_words_rate(group->limit_ms_per_sample).text);
        }
        /* Print how evaluations were distinguished from training in logs without eval_start. */
        size_t of[MLS_EVALUATIONS_FROM_STEPS + 1] = {0};
        size_t counted = 0;
        bool between = false;
        for (size_t k = 0; k < group->group->run_count; k++) {
            const mls_throughput *run = &group->runs[k];
            const bool counts =
                run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING || mls_throughput_evaluations_are_training(run);
            of[run->evaluations_from] += counts;
            counted += counts;
            between |= run->parts.ms[MLS_PART_BETWEEN] > BETWEEN_MIN * run->run_ms;
        }
        for (int from = 0; from <= MLS_EVALUATIONS_FROM_STEPS; from++) {
            char runs[64] = "";
            if (of[from] == 0 || evaluation_words[from] == NULL)
                continue;
            if (of[from] < counted)
                (void)snprintf(runs, sizeof runs, " (in %zu of %zu runs)", of[from], counted);
            mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG, "%s%s%s", evaluation_words[from],
                            from == MLS_EVALUATIONS_FROM_NOTHING && between ? ", or as time between blocks" : "", runs);
        }
        if (group->warmed_up != NULL) {
            const mls_throughput *run = group->warmed_up;
            mls_view_printf(view, MLS_STYLE_WARN, INDENT, HANG,
                            "warm-up: the first %s %s take %s of the run, %s more than at the steady pace%s",
                            mls_words_count(run->warmup_samples).text, mls_throughput_unit(run),
                            mls_words_percent(run->warmup_ms / run->run_ms, 1).text,
                            mls_words_duration(run->warmup_lost_ms).text, several ? " (the median run)" : "");
        }
        if (group->healed != NULL) { /* print the change of pace that the job requested by healing_iter */
            const mls_throughput *run = group->healed;
            mls_buffer_printf(&line, "healing: by design at step %zu (%s samples): ", run->healing_step,
                              mls_words_count(run->healing_samples).text);
            if (run->healing_factor > 1)
                mls_buffer_printf(&line, "%s times the pace from there on",
                                  mls_words_trimmed(run->healing_factor, 2).text);
            else
                mls_buffer_append_text(&line, "slow there, then at the previous pace");
            if (group->healed_count > 1)
                mls_buffer_printf(&line, " (the median of %zu runs)", group->healed_count);
            mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
        }
        if (used.utilization != NULL || used.paced != NULL) /* a group without a pace cannot have a utilization */
            show_utilization(view, used.utilization, used.paced, &all->options, several);
        mls_group_show_note(view, group->group, to->state);
        const size_t within = view->verbose > 0 ? 0 : group->findings_within;
        for (size_t k = 0; k + within < group->findings.count; k++) {
            mls_finding finding = group->findings.items[k];
            /* The path names the group, so that the line can be understood alone. */
            finding.path = mls_path_shown(finding.path != NULL ? finding.path : group->group->path);
            mls_finding_list_add_one(&found, &finding, (mls_owner){0}, NULL);
        }
        mls_finding_list_add_unkept(&found, &group->findings, NULL);
        mls_finding_list_show(view, &found, look);
        for (size_t k = 0; k < group->group->run_count && view->verbose > 0; k++)
            if (group->runs[k].has_parts)
                show_details(view, group, &group->runs[k]);
    }
    mls_collection_show_skipped(view, all->collection);
}

#define PARTS_FIELDS(F)                                                                                                \
    F(parts, startup, NUMBER, "ms", row->ms[MLS_PART_STARTUP])                                                         \
    F(parts, training, NUMBER, "ms", row->ms[MLS_PART_TRAINING])                                                       \
    F(parts, evaluation, NUMBER, "ms", row->ms[MLS_PART_EVALUATION])                                                   \
    F(parts, between, NUMBER, "ms", row->ms[MLS_PART_BETWEEN])                                                         \
    F(parts, tail, NUMBER, "ms", row->ms[MLS_PART_TAIL])
MLS_FIELDS(parts, mls_parts, PARTS_FIELDS)

#define PHASE_FIELDS(F)                                                                                                \
    F(phase, from_ms, NUMBER, "ms", row->from_ms)                                                                      \
    F(phase, to_ms, NUMBER, "ms", row->to_ms)                                                                          \
    F(phase, from_samples, NUMBER, "", row->from_samples)                                                              \
    F(phase, to_samples, NUMBER, "", row->to_samples)                                                                  \
    F(phase, lost_ms, NUMBER, "ms", row->lost_ms)                                                                      \
    F(phase, factor, NUMBER, "", row->factor)
MLS_FIELDS(phase, mls_slow_phase, PHASE_FIELDS)

#define SHIFT_FIELDS(F)                                                                                                \
    F(shift, samples, NUMBER, "", row->shift_samples)                                                                  \
    F(shift, factor, NUMBER, "", row->shift_factor)
MLS_FIELDS(shift, mls_throughput, SHIFT_FIELDS)

#define HEALING_FIELDS(F)                                                                                              \
    F(healing, step, NUMBER, "", row->healing_step)                                                                    \
    F(healing, samples, NUMBER, "", row->healing_samples)                                                              \
    F(healing, factor, NUMBER, "", row->healing_factor)
MLS_FIELDS(healing, mls_throughput, HEALING_FIELDS)

#define SLOW_EVALUATION_FIELDS(F)                                                                                      \
    F(slow_evaluation, from_ms, NUMBER, "ms", row->from_ms)                                                            \
    F(slow_evaluation, ms, NUMBER, "ms", row->ms)                                                                      \
    F(slow_evaluation, number, NUMBER, "", row->number)
MLS_FIELDS(slow_evaluation, mls_slow_evaluation, SLOW_EVALUATION_FIELDS)

#define SEGMENT_FIELDS(F)                                                                                              \
    F(segment, from_ms, NUMBER, "ms", row->from_ms)                                                                    \
    F(segment, to_ms, NUMBER, "ms", row->to_ms)                                                                        \
    F(segment, from_samples, NUMBER, "", row->from_samples)                                                            \
    F(segment, to_samples, NUMBER, "", row->from_samples + row->delta)                                                 \
    F(segment, training_ms, NUMBER, "ms", row->training_ms)
MLS_FIELDS(segment, mls_pace_segment, SEGMENT_FIELDS)

#define TIMED_FIELDS(F)                                                                                                \
    F(timed, file, TEXT, "", row->run->file)                                                                           \
    F(timed, line, NUMBER, "", row->run->line)                                                                         \
    F(timed, state, TEXT, "", mls_timed_state_name(row->state))                                                        \
    F(timed, status, TEXT_OR_NULL, "", row->status)                                                                    \
    F(timed, benchmark, TEXT_OR_NULL, "", row->benchmark)                                                              \
    F(timed, global_batch_size, NUMBER_OR_NULL, "", row->run->global_batch_size)                                       \
    F(timed, malformed, NUMBER, "", row->run->malformed)                                                               \
    F(timed, backwards, NUMBER, "", row->backwards)                                                                    \
    F(timed, run_ms, NUMBER_OR_NULL, "ms", row->run_ms)                                                                \
    F(timed, parts_ms, OBJECT_OR_NULL(parts), "", row->has_parts ? &row->parts : NULL)                                 \
    F(timed, overlapped_evaluation_ms, IF(NUMBER, row->has_parts), "ms", row->parts.overlapped_evaluation_ms)          \
    F(timed, unit, TEXT, "", row->in_epochs ? "epochs" : "samples")                                                    \
    F(timed, marks_from, TEXT_OR_NULL, "", mls_marks_from_name(row->marks_from))                                       \
    F(timed, samples, NUMBER_OR_NULL, "", row->samples)                                                                \
    F(timed, segments, NUMBER, "", row->segment_count)                                                                 \
    F(timed, evaluations, NUMBER, "", row->curve_count)                                                                \
    F(timed, measured_training_ms, NUMBER_OR_NULL, "ms", row->measured_training_ms)                                    \
    F(timed, training_samples_per_second, NUMBER_OR_NULL, "samples/s", row->training_samples_per_second)               \
    F(timed, run_samples_per_second, NUMBER_OR_NULL, "samples/s", row->run_samples_per_second)                         \
    F(timed, steady_ms_per_sample, NUMBER_OR_NULL, "ms", row->steady_ms_per_sample)                                    \
    F(timed, steady_samples_per_second, NUMBER_OR_NULL, "samples/s", 1000 / row->steady_ms_per_sample)                 \
    F(timed, steady_step_ms, NUMBER_OR_NULL, "ms", row->steady_step_ms)                                                \
    F(timed, steady_tokens_per_second, NUMBER_OR_NULL, "tokens/s", row->steady_tokens_per_second)                      \
    F(timed, band, NUMBER_OR_NULL, "", row->band)                                                                      \
    F(timed, warmup_segments, NUMBER, "", row->warmup_segments)                                                        \
    F(timed, warmup_lost_ms, NUMBER_OR_NULL, "ms", row->warmup_lost_ms)                                                \
    F(timed, slow_phases, LIST(phase), "", MLS_ROWS(row->slow_phases, row->slow_phase_count))                          \
    F(timed, shift, OBJECT_OR_NULL(shift), "", row->has_shift ? row : NULL)                                            \
    F(timed, evaluation_median_ms, NUMBER_OR_NULL, "ms", row->evaluation_median_ms)                                    \
    F(timed, slow_evaluations, LIST(slow_evaluation), "", MLS_ROWS(row->slow_evaluations, row->slow_evaluation_count)) \
    F(timed, curve, VALUES, "",                                                                                        \
      MLS_EACH(row->curve_count,                                                                                       \
               MLS_EMIT_VALUES(MLS_EMIT_NUMBER(row->curve[i].ms); MLS_EMIT_NUMBER(row->curve[i].samples);              \
                               MLS_EMIT_NUMBER(row->curve[i].value))))                                                 \
    F(timed, time_to_target_ms, NUMBER_OR_NULL, "ms", row->time_to_target_ms)                                          \
    F(timed, logged_throughput, NUMBER_OR_NULL, "", row->logged_throughput)                                            \
    F(timed, logged_step_ms, NUMBER_OR_NULL, "ms", row->logged_step_ms)                                                \
    F(timed, accelerators, NUMBER_OR_NULL, "", row->utilization.accelerators)                                          \
    F(timed, accelerator, IF(TEXT, row->utilization.accelerator != NULL), "", row->utilization.accelerator->name)      \
    F(timed, flops_per_sample, NUMBER_OR_NULL, "", row->utilization.flops_per_sample)                                  \
    F(timed, mfu_bf16, NUMBER_OR_NULL, "", row->utilization.bf16)                                                      \
    F(timed, mfu, NUMBER_OR_NULL, "", row->utilization.precision)                                                      \
    F(timed, tokens_per_sample, NUMBER_OR_NULL, "", row->tokens_per_sample)                                            \
    F(timed, flops_derived, NUMBER_OR_NULL, "", row->utilization.flops_derived)                                        \
    F(timed, mfu_derived, NUMBER_OR_NULL, "", row->utilization.derived)                                                \
    F(timed, healing, OBJECT_OR_NULL(healing), "", row->healing_step > 0 ? row : NULL)                                 \
    F(timed, evaluations_from, TEXT_OR_NULL, "", mls_evaluations_from_name(row->evaluations_from))                     \
    F(timed, series, LIST_IF(segment, row->series), "", MLS_ROWS(row->segments, row->segment_count))
MLS_FIELDS(timed, mls_throughput, TIMED_FIELDS)

#define EXTRA_FIELDS(F)                                                                                                \
    F(extra, startup, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_STARTUP])                                             \
    F(extra, training, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_TRAINING])                                           \
    F(extra, after, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_AFTER])                                                 \
    F(extra, evaluation, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_EVALUATION])                                       \
    F(extra, between, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_BETWEEN])                                             \
    F(extra, tail, NUMBER, "ms", row->parts_extra_ms[MLS_SLOW_TAIL])
MLS_FIELDS(extra, mls_slow_run, EXTRA_FIELDS)

#define SLOW_RUN_FIELDS(F)                                                                                             \
    F(slow_run, file, TEXT, "", row->run->run->file)                                                                   \
    F(slow_run, line, NUMBER, "", row->run->run->line)                                                                 \
    F(slow_run, extra_ms, NUMBER, "ms", row->extra_ms)                                                                 \
    F(slow_run, expected_ms, NUMBER, "ms", row->expected_ms)                                                           \
    F(slow_run, parts_extra_ms, OBJECT_OF(extra), "", row)                                                             \
    F(slow_run, largest, TEXT, "", mls_slow_part_name(row->largest))
MLS_FIELDS(slow_run, mls_slow_run, SLOW_RUN_FIELDS)

#define COST_RUN_FIELDS(F)                                                                                             \
    F(cost_run, file, TEXT, "", row->run->run->file)                                                                   \
    F(cost_run, lost_ms, NUMBER_OR_NULL, "ms", row->lost_ms)
MLS_FIELDS(cost_run, mls_cost_run, COST_RUN_FIELDS)

#define COST_FIELDS(F)                                                                                                 \
    F(cost, kind, TEXT, "", mls_cost_kind_name(row->kind))                                                             \
    F(cost, runs, LIST(cost_run), "", MLS_ROWS(row->runs, row->run_count))                                             \
    F(cost, lost_ms, NUMBER_OR_NULL, "ms", row->lost_ms)                                                               \
    F(cost, part, TEXT_OR_NULL, "",                                                                                    \
      row->slow != NULL     ? mls_slow_part_name(row->slow->largest)                                                   \
      : row->evaluation > 0 ? mls_slow_part_name(MLS_SLOW_EVALUATION)                                                  \
                            : NULL)                                                                                    \
    F(cost, from_samples, NUMBER_OR_NULL, "", row->from_samples)                                                       \
    F(cost, to_samples, NUMBER_OR_NULL, "", row->to_samples)                                                           \
    F(cost, evaluation, IF(NUMBER, row->evaluation > 0), "", row->evaluation)                                          \
    F(cost, within, BOOL, "", row->within)                                                                             \
    F(cost, printed, VALUES, "", MLS_EACH(row->printed_count, mls_emit_text(to, row->printed[i])))                     \
    F(cost, score_without_minutes, NUMBER_OR_NULL, "minutes", row->score_without_minutes)                              \
    F(cost, cost_percent, NUMBER_OR_NULL, "%", row->percent)
MLS_FIELDS(cost, mls_cost, COST_FIELDS)

#define SWITCH_FIELDS(F)                                                                                               \
    F(pace_switch, samples, NUMBER, "", row->samples)                                                                  \
    F(pace_switch, step, COUNT_OR_NULL, "", row->step)                                                                 \
    F(pace_switch, source, TEXT, "", row->source)                                                                      \
    F(pace_switch, runs, NUMBER, "", row->runs)                                                                        \
    F(pace_switch, before_ms_per_sample, NUMBER, "ms", row->before_ms_per_sample)                                      \
    F(pace_switch, after_ms_per_sample, NUMBER, "ms", row->after_ms_per_sample)                                        \
    F(pace_switch, factor, NUMBER, "", row->factor)                                                                    \
    F(pace_switch, once_ms, NUMBER, "ms", row->once_ms)                                                                \
    F(pace_switch, changed, BOOL, "", row->changed)
MLS_FIELDS(pace_switch, mls_pace_switch, SWITCH_FIELDS)

#define TIMED_GROUP_FIELDS(F)                                                                                          \
    F(timed_group, path, TEXT, "", row->group->path)                                                                   \
    F(timed_group, benchmark, TEXT_OR_NULL, "", row->group->benchmark)                                                 \
    F(timed_group, usage, TEXT, "", mls_usage_name(row->group->usage))                                                 \
    F(timed_group, edition, TEXT, "", row->group->edition->name)                                                       \
    F(timed_group, timed, NUMBER, "", row->timed)                                                                      \
    F(timed_group, median_ms_per_sample, NUMBER_OR_NULL, "ms", row->median_ms_per_sample)                              \
    F(timed_group, limit_ms_per_sample, NUMBER_OR_NULL, "ms", row->limit_ms_per_sample)                                \
    F(timed_group, slow_runs, LIST(slow_run), "", MLS_ROWS(row->slow_runs, row->slow_run_count))                       \
    F(timed_group, runs, LIST(timed), "", MLS_ROWS(row->runs, row->group->run_count))                                  \
    F(timed_group, switch, OBJECT_OR_NULL(pace_switch), "", row->pace_switch.runs > 0 ? &row->pace_switch : NULL)      \
    F(timed_group, costs, LIST(cost), "", MLS_ROWS(row->costs, row->cost_count))                                       \
    F(timed_group, findings, FINDINGS, "",                                                                             \
      mls_finding_list_add(&found, &row->findings, (mls_owner){.path = row->group->path}, NULL))
MLS_FIELDS_AS(, mls_timed_group_fields, timed_group, mls_throughput_group, NULL, TIMED_GROUP_FIELDS)

#define THROUGHPUTS_FIELDS(F) F(throughputs, groups, LIST(mls_timed_group), "", MLS_ROWS(row->groups, row->group_count))
MLS_FIELDS(throughputs, mls_throughputs, THROUGHPUTS_FIELDS)

/* Fields that only CSV has: the parts of the time, and the lengths of lists. */
#define TIMED_CSV_FIELDS(F)                                                                                            \
    F(timed_csv, startup_ms, IF(NUMBER, row->has_parts), "ms", row->parts.ms[MLS_PART_STARTUP])                        \
    F(timed_csv, training_ms, IF(NUMBER, row->has_parts), "ms", row->parts.ms[MLS_PART_TRAINING])                      \
    F(timed_csv, evaluation_ms, IF(NUMBER, row->has_parts), "ms", row->parts.ms[MLS_PART_EVALUATION])                  \
    F(timed_csv, between_ms, IF(NUMBER, row->has_parts), "ms", row->parts.ms[MLS_PART_BETWEEN])                        \
    F(timed_csv, tail_ms, IF(NUMBER, row->has_parts), "ms", row->parts.ms[MLS_PART_TAIL])                              \
    F(timed_csv, slow_phases, NUMBER, "", row->slow_phase_count)                                                       \
    F(timed_csv, slow_evaluations, NUMBER, "", row->slow_evaluation_count)                                             \
    F(timed_csv, shift_samples, IF(NUMBER, row->has_shift), "", row->shift_samples)                                    \
    F(timed_csv, shift_factor, IF(NUMBER, row->has_shift), "", row->shift_factor)                                      \
    F(timed_csv, healing_step, IF(NUMBER, row->healing_step > 0), "", row->healing_step)                               \
    F(timed_csv, healing_factor, IF(NUMBER, row->healing_step > 0), "", row->healing_factor)

MLS_FIELDS_BESIDE(timed_csv, timed, TIMED_CSV_FIELDS)

/* The runs of all groups, in the order of their logs. */
#define TIMED_RUNS_FIELDS(F) F(timed_runs, runs, LIST(timed), "", MLS_ROWS_AT(row->runs, row->run_count))
MLS_FIELDS_BESIDE(timed_runs, throughputs, TIMED_RUNS_FIELDS)

const mls_report mls_throughput_report = {
    .section = "THROUGHPUT JSON",
    .show = show_throughputs,
    .object = &throughputs_fields,
    .lines = "runs",
    .columns = {
        .section = "THROUGHPUT CSV",
        .names =
            "file line state status benchmark global_batch_size malformed backwards run_ms startup_ms training_ms "
            "evaluation_ms between_ms tail_ms overlapped_evaluation_ms unit marks_from samples segments evaluations "
            "measured_training_ms training_samples_per_second run_samples_per_second steady_ms_per_sample "
            "steady_samples_per_second steady_step_ms steady_tokens_per_second band warmup_segments warmup_lost_ms "
            "slow_phases shift_samples shift_factor evaluation_median_ms slow_evaluations time_to_target_ms "
            "logged_throughput logged_step_ms accelerators accelerator flops_per_sample mfu_bf16 mfu "
            "tokens_per_sample flops_derived mfu_derived healing_step healing_factor evaluations_from",
        .rows = "runs",
        .sources = {&timed_runs_fields, &timed_csv_fields, &timed_fields}}};
