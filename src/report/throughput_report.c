/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_report.c - runs over time: a line each with its pace drawn, then what was slow, in words. */
#include <math.h>
#include <string.h>

#include "report/reports.h"
#include "report/table.h"

/* -------------------------------------------------------------- for people */

enum { INDENT = 2, HANG = 6, CURVE_INDENT = 6 };

/* Names of logs are cut only where one is longer than this: columns go first. */
enum { NAME_COLUMNS = 24 };

/* Without -v so many findings of a group are listed. */
enum { SHOWN_WITHOUT_V = 12 };

/* A cell's pace as a bar; without UTF-8 the three that tell: within the band, above it, far above it. */
static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
enum { ABOVE_BAND = 3 };

static const char *cell_shown(const mls_view *view, int level)
{
    return level == MLS_SPARK_GAP ? " "
           : !view->ascii         ? bars[level]
           : level < ABOVE_BAND   ? "."
                                  : (level < MLS_SPARK_TOP ? ":" : "#");
}

static void append_spark(mls_buffer *line, const mls_view *view, const mls_throughput *run)
{
    size_t cells = MLS_SPARK_CELLS; /* but for the gaps at the end */
    while (cells > 0 && run->spark[cells - 1] == MLS_SPARK_GAP) {
        cells--;
    }
    for (size_t i = 0; i < cells; i++) {
        mls_buffer_append_text(line, cell_shown(view, run->spark[i]));
    }
}

/* What of the table's columns any run of a group has something for. */
typedef struct columns_used {
    bool tokens, step, utilization, lines;
    bool long_names;
} columns_used;

static columns_used used_by(const mls_throughput_group *group)
{
    columns_used used = {0};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        used.tokens |= isfinite(run->steady_tokens_per_second);
        used.step |= isfinite(run->steady_step_ms) && !run->in_epochs;
        used.utilization |= isfinite(run->utilization.bf16);
        used.long_names |= strlen(mls_group_name_below(group->group, run->run->file)) > NAME_COLUMNS;
        used.lines |= i > 0 && strcmp(run->run->file, run[-1].run->file) == 0;
    }
    return used;
}

static mls_words percent(double part, double whole)
{
    mls_words words = {"-"};
    if (whole > 0) {
        (void)mls_text_printf(words.text, sizeof words.text, "%.1f%%", 100 * part / whole);
    }
    return words;
}

/* How many decimals tell something of a number: four digits. */
static int digits_told(double number)
{
    const double tens = floor(log10(number));
    return !isfinite(tens) || tens >= 3 ? 0 : tens < -9 ? 12 : 3 - (int)tens;
}

static mls_words rate(double number)
{
    return mls_words_grouped(number, digits_told(number));
}

static void add_run_cells(mls_table *table, const mls_view *view, const mls_throughput *run, columns_used used)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL };
    const mls_style style = MLS_STYLE_PLAIN;
    const double *ms = run->parts.ms;
    const double whole = run->has_parts ? run->run_ms : (double)NAN;
    const bool delimited = run->has_parts && run->parts.evaluation_delimited;
    const double steady = 1000 / run->steady_ms_per_sample;
    mls_buffer spark = {0};
    append_spark(&spark, view, run);
    mls_table_cell(table, "min", DECIMAL | MLS_COLUMN_KEEP, style, "%s", mls_words_fixed(run->run_ms / 60000, 3).text);
    mls_table_cell(table, "train", RIGHT, style, "%s", percent(ms[MLS_PART_TRAINING], whole).text);
    mls_table_cell(table, "eval", RIGHT, style, "%s", delimited ? percent(ms[MLS_PART_EVALUATION], whole).text : "-");
    mls_table_cell(table, "other", RIGHT, style, "%s",
                   percent(ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL], whole).text);
    mls_table_cell(table, run->in_epochs ? "epochs/h" : "samples/s", DECIMAL, style, "%s",
                   rate(run->in_epochs ? steady * 3600 : steady).text);
    if (used.tokens) {
        mls_table_cell(table, "tokens/s", RIGHT, style, "%s", mls_words_grouped(run->steady_tokens_per_second, 0).text);
    }
    if (used.step) {
        mls_table_cell(table, "step ms", DECIMAL, style, "%s",
                       rate(run->in_epochs ? (double)NAN : run->steady_step_ms).text);
    }
    if (used.utilization) {
        mls_table_cell(table, "MFU", RIGHT | MLS_COLUMN_KEEP, style, "%s",
                       mls_words_fixed(run->utilization.bf16, 2).text);
    }
    mls_table_cell(table, "pace", MLS_COLUMN_KEEP, style, "%s", mls_table_take(table, &spark));
}

/* Why there is nothing to see, or what of the log is not as it should be. */
static void add_run_note(mls_table *table, const mls_view *view, const mls_throughput *run)
{
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
    mls_table_note(table, run->state <= MLS_TIMED_UNFINISHED ? MLS_STYLE_WARN : MLS_STYLE_BAD, "%s",
                   mls_table_take(table, &note));
}

static void show_timed_runs(mls_view *view, const mls_throughput_group *group)
{
    const columns_used used = used_by(group);
    mls_table table = {.indent = INDENT};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        mls_table_row(&table);
        mls_table_cell(&table, "run", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%zu", i + 1);
        mls_table_cell(&table, "log", MLS_COLUMN_KEEP | (used.long_names ? MLS_COLUMN_CUT : 0), MLS_STYLE_PLAIN,
                       used.lines ? "%s:%zu" : "%s", mls_group_name_below(group->group, run->run->file),
                       run->run->line);
        add_run_cells(&table, view, run, used);
        add_run_note(&table, view, run);
    }
    mls_table_finish(&table, view);
    mls_output_text(view->output, view->format == MLS_FORMAT_MARKDOWN ? "\n" : "");
}

/* The median run's pace stands for the group: "pace: median 1.25 ms a sample, slow above 1.29; 10 runs". */
static void show_pace(mls_view *view, const mls_throughput_group *group)
{
    const char *unit = "a sample";
    for (size_t i = 0; i < group->group->run_count; i++) {
        unit = group->runs[i].in_epochs ? "an epoch" : unit;
    }
    if (isnan(group->median_ms_per_sample)) {
        return;
    }
    mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "pace: median %s ms %s, a run is slow above %s",
                    rate(group->median_ms_per_sample).text, unit, rate(group->limit_ms_per_sample).text);
}

/* Why a utilization is not known; a group without any pace has none to wonder about. */
static void show_no_utilization(mls_view *view, const mls_throughput_group *group)
{
    const mls_throughput *run = NULL;
    mls_buffer line = {0};
    for (size_t i = 0; i < group->group->run_count && run == NULL; i++) {
        run = group->runs[i].segment_count > 0 ? &group->runs[i] : NULL;
    }
    if (run == NULL) {
        return;
    }
    const mls_utilization *of = &run->utilization;
    mls_buffer_append_text(&line, "MFU: not known: ");
    if (isnan(of->flops_per_sample)) {
        mls_buffer_append_text(&line, "the FLOPs of a sample are not known");
        if (run->model != NULL && isfinite(run->model->flops_per_sample_at_most) && view->verbose > 0) {
            mls_buffer_printf(&line, ", %s at most", mls_words_grouped(run->model->flops_per_sample_at_most, 0).text);
        }
    } else if (isnan(of->accelerators) && of->accelerator == NULL) {
        mls_buffer_append_text(&line, "nothing says on how many accelerators of which model it ran (--accelerators, "
                                      "--accelerator)");
    } else if (isnan(of->accelerators)) {
        mls_buffer_printf(&line, "nothing says on how many %s it ran (--accelerators)", of->accelerator->name);
    } else if (of->accelerator == NULL) {
        mls_buffer_printf(&line, "no known model is named for its %s (--accelerator)",
                          mls_words_plural((size_t)of->accelerators, "accelerator", "accelerators").text);
    } else {
        mls_buffer_printf(&line, "nor is the peak of %s", of->accelerator->name);
    }
    mls_view_line(view, &line, MLS_STYLE_DIM, INDENT, HANG);
}

/* The machine, what was counted and against what; the highest is the one to be doubted. */
static void show_utilization(mls_view *view, const mls_throughput_group *group, const mls_throughput_options *options)
{
    const mls_utilization *of = NULL;
    mls_buffer line = {0};
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_utilization *other = &group->runs[i].utilization;
        of = isfinite(other->bf16) && (of == NULL || other->bf16 > of->bf16) ? other : of;
    }
    if (of == NULL) {
        show_no_utilization(view, group);
        return;
    }
    const double *peak = of->accelerator->peak;
    const bool bf16 = !isnan(peak[MLS_PRECISION_BF16]);
    const char *name = bf16 ? "BF16" : "FP16";
    mls_buffer_printf(&line, "MFU: model FLOPs, attention %s, of %s x %s at %s dense TFLOP/s in %s",
                      options->causal ? "halved (causal)" : "counted whole",
                      mls_words_trimmed(of->accelerators, 0).text, of->accelerator->name,
                      mls_words_trimmed(peak[bf16 ? MLS_PRECISION_BF16 : MLS_PRECISION_FP16], 1).text, name);
    if (of->bf16 > 1 && !(of->narrowest > 1)) {
        mls_buffer_printf(&line, "; above the %s peak: narrower precision", name);
    }
    if (of->has_precision) {
        mls_buffer_printf(&line, "; against %s %s", of->named == MLS_PRECISION_FP8 ? "FP8" : "FP4",
                          isnan(of->precision) ? "not known" : mls_words_fixed(of->precision, 2).text);
        mls_buffer_append_text(&line, isnan(of->precision) || group->group->run_count == 1 ? "" : " at most");
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

static void show_slow(mls_view *view, const mls_throughput_group *group)
{
    const mls_found_look look = {.indent = INDENT,
                                 .hang = HANG,
                                 .named = true,
                                 .sorted = true,
                                 .limit = view->verbose > 0 ? 0 : SHOWN_WITHOUT_V};
    const mls_finding_counts *counts = &group->findings.counts;
    const size_t all = counts->error + counts->warning + counts->advice;
    mls_found found = {0};
    for (size_t i = 0; i < group->findings.count; i++) {
        mls_finding finding = group->findings.items[i];
        finding.path = mls_group_name_below(group->group, finding.path);
        mls_found_add_one(&found, &finding, (mls_owner){0}, NULL);
    }
    const size_t told = mls_found_show(view, &found, look);
    if (all > told) {
        mls_view_printf(view, MLS_STYLE_PLAIN, INDENT, HANG, "and %s%s",
                        mls_words_plural(all - told, "more finding", "more findings").text,
                        view->verbose == 0 ? " (-v lists them)" : "");
    }
}

/* -v: what is no finding but worth knowing of a run, in one line. */
static void show_details(mls_view *view, const mls_throughput_group *group, const mls_throughput *run)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "%s: %s", mls_group_name_below(group->group, run->run->file),
                      mls_words_plural(run->segment_count, "segment", "segments").text);
    if (run->segment_count > 0) {
        mls_buffer_printf(&line, ", slow above %s%% of the steady pace",
                          mls_words_trimmed(100 * (1 + run->band), 1).text);
    }
    if (run->warmup_segments > 0) {
        mls_buffer_printf(&line, "; warm-up of %s, %s s lost",
                          mls_words_plural(run->warmup_segments, "segment", "segments").text,
                          mls_words_trimmed(run->warmup_lost_ms / 1000, 1).text);
    }
    if (run->has_shift) {
        mls_buffer_printf(&line, "; %s times the pace from %s %s on", mls_words_trimmed(run->shift_factor, 2).text,
                          mls_words_count(run->shift_samples).text, run->in_epochs ? "epochs" : "samples");
    }
    if (run->slow_evaluation_count > 0) {
        mls_buffer_printf(&line, "; %s (%s s is the median)",
                          mls_words_plural(run->slow_evaluation_count, "slow evaluation", "slow evaluations").text,
                          mls_words_trimmed(run->evaluation_median_ms / 1000, 1).text);
    }
    if (run->parts.overlapped_evaluation_ms > 0) {
        mls_buffer_printf(&line, "; trained %s s while evaluating",
                          mls_words_trimmed(run->parts.overlapped_evaluation_ms / 1000, 1).text);
    }
    if (isfinite(run->logged_throughput)) {
        mls_buffer_printf(&line, "; logged throughput %s", rate(run->logged_throughput).text);
    }
    if (isfinite(run->logged_step_ms)) {
        mls_buffer_printf(&line, "; logged step %s ms", rate(run->logged_step_ms).text);
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

/* -v: what training reached, and when. */
static void show_curve(mls_view *view, const mls_throughput *run)
{
    mls_table table = {.indent = CURVE_INDENT};
    for (size_t i = 0; i < run->curve_count; i++) {
        const mls_curve_point *point = &run->curve[i];
        mls_table_row(&table);
        mls_table_cell(&table, "min", MLS_COLUMN_DECIMAL, MLS_STYLE_PLAIN, "%s",
                       mls_words_fixed(point->ms / 60000, 3).text);
        mls_table_cell(&table, run->in_epochs ? "epochs" : "samples", MLS_COLUMN_DECIMAL, MLS_STYLE_PLAIN, "%s",
                       mls_words_count(point->samples).text);
        mls_table_cell(&table, "eval", MLS_COLUMN_DECIMAL, MLS_STYLE_PLAIN, "%s",
                       mls_words_fixed(point->value, 5).text);
        if (run->target_at == i + 1) {
            mls_table_note(&table, MLS_STYLE_PLAIN, "target");
        }
    }
    mls_table_finish(&table, view);
}

static void show_throughputs(mls_printer *to, const void *what)
{
    const mls_throughputs *all = what;
    mls_view *view = to->view;
    for (size_t i = 0; i < all->group_count; i++) {
        const mls_throughput_group *group = &all->groups[i];
        mls_output_text(view->output, i > 0 ? "\n" : "");
        mls_group_show_headline(view, group->group);
        show_timed_runs(view, group);
        show_pace(view, group);
        show_utilization(view, group, &all->options);
        mls_group_show_note(view, group->group);
        show_slow(view, group);
        for (size_t k = 0; k < group->group->run_count && view->verbose > 0; k++) {
            if (group->runs[k].has_parts) {
                show_details(view, group, &group->runs[k]);
                show_curve(view, &group->runs[k]);
            }
        }
    }
    mls_collection_show_skipped(view, all->collection);
}

/* ------------------------------------------------------------- for programs */

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

#define SLOW_EVALUATION_FIELDS(F)                                                                                      \
    F(slow_evaluation, from_ms, NUMBER, "ms", row->from_ms)                                                            \
    F(slow_evaluation, ms, NUMBER, "ms", row->ms)
MLS_FIELDS(slow_evaluation, mls_slow_evaluation, SLOW_EVALUATION_FIELDS)

#define SEGMENT_FIELDS(F)                                                                                              \
    F(segment, from_ms, NUMBER, "ms", row->from_ms)                                                                    \
    F(segment, to_ms, NUMBER, "ms", row->to_ms)                                                                        \
    F(segment, from_samples, NUMBER, "", row->from_samples)                                                            \
    F(segment, to_samples, NUMBER, "", row->from_samples + row->delta)                                                 \
    F(segment, training_ms, NUMBER, "ms", row->training_ms)
MLS_FIELDS(segment, mls_segment, SEGMENT_FIELDS)

static void emit_point(mls_emitter *to, const mls_curve_point *point)
{
    mls_emit_open(to, '[');
    mls_emit_number(to, point->ms);
    mls_emit_number(to, point->samples);
    mls_emit_number(to, point->value);
    mls_emit_close(to, ']');
}

/* The segments, where they were asked for. */
static void emit_series(mls_emitter *to, const mls_throughput *run)
{
    if (run->series) {
        MLS_EMIT_ROWS(segment, run->segments, run->segment_count);
    } else {
        mls_emit_null(to);
    }
}

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
    F(timed, parts_ms, OBJECT_OR_NULL, "", mls_emit_object(to, &parts_fields, row->has_parts ? &row->parts : NULL))    \
    F(timed, overlapped_evaluation_ms, NUMBER_OR_NULL, "ms",                                                           \
      row->has_parts ? row->parts.overlapped_evaluation_ms : (double)NAN)                                              \
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
    F(timed, slow_phases, ARRAY, "", MLS_EMIT_ROWS(phase, row->slow_phases, row->slow_phase_count))                    \
    F(timed, shift, OBJECT_OR_NULL, "", mls_emit_object(to, &shift_fields, row->has_shift ? row : NULL))               \
    F(timed, evaluation_median_ms, NUMBER_OR_NULL, "ms", row->evaluation_median_ms)                                    \
    F(timed, slow_evaluations, ARRAY, "",                                                                              \
      MLS_EMIT_ROWS(slow_evaluation, row->slow_evaluations, row->slow_evaluation_count))                               \
    F(timed, curve, ARRAY, "", MLS_EMIT_LIST(to, row->curve_count, emit_point(to, &row->curve[i])))                    \
    F(timed, time_to_target_ms, NUMBER_OR_NULL, "ms", row->time_to_target_ms)                                          \
    F(timed, logged_throughput, NUMBER_OR_NULL, "", row->logged_throughput)                                            \
    F(timed, logged_step_ms, NUMBER_OR_NULL, "ms", row->logged_step_ms)                                                \
    F(timed, accelerators, NUMBER_OR_NULL, "", row->utilization.accelerators)                                          \
    F(timed, accelerator, TEXT_OR_NULL, "",                                                                            \
      row->utilization.accelerator != NULL ? row->utilization.accelerator->name : NULL)                                \
    F(timed, flops_per_sample, NUMBER_OR_NULL, "", row->utilization.flops_per_sample)                                  \
    F(timed, mfu_bf16, NUMBER_OR_NULL, "", row->utilization.bf16)                                                      \
    F(timed, mfu, NUMBER_OR_NULL, "", row->utilization.precision)                                                      \
    F(timed, series, ARRAY_OR_NULL, "", emit_series(to, row))
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
    F(slow_run, parts_extra_ms, OBJECT, "", mls_emit_object(to, &extra_fields, row))                                   \
    F(slow_run, largest, TEXT, "", mls_slow_part_name(row->largest))
MLS_FIELDS(slow_run, mls_slow_run, SLOW_RUN_FIELDS)

static void emit_timed_findings(mls_emitter *to, const mls_throughput_group *group)
{
    mls_found found = {0};
    mls_found_add(&found, &group->findings, (mls_owner){.path = group->group->path}, NULL);
    mls_emit_found(to, found);
}

#define TIMED_GROUP_FIELDS(F)                                                                                          \
    F(timed_group, path, TEXT, "", row->group->path)                                                                   \
    F(timed_group, benchmark, TEXT_OR_NULL, "", row->group->benchmark)                                                 \
    F(timed_group, usage, TEXT, "", mls_usage_name(row->group->usage))                                                 \
    F(timed_group, edition, TEXT, "", row->group->edition->name)                                                       \
    F(timed_group, timed, NUMBER, "", row->timed)                                                                      \
    F(timed_group, median_ms_per_sample, NUMBER_OR_NULL, "ms", row->median_ms_per_sample)                              \
    F(timed_group, limit_ms_per_sample, NUMBER_OR_NULL, "ms", row->limit_ms_per_sample)                                \
    F(timed_group, slow_runs, ARRAY, "", MLS_EMIT_ROWS(slow_run, row->slow_runs, row->slow_run_count))                 \
    F(timed_group, runs, ARRAY, "", MLS_EMIT_ROWS(timed, row->runs, row->group->run_count))                            \
    F(timed_group, findings, ARRAY, "", emit_timed_findings(to, row))
MLS_FIELDS(timed_group, mls_throughput_group, TIMED_GROUP_FIELDS)

#define THROUGHPUTS_FIELDS(F)                                                                                          \
    F(throughputs, groups, ARRAY, "", MLS_EMIT_ROWS(timed_group, row->groups, row->group_count))
MLS_FIELDS(throughputs, mls_throughputs, THROUGHPUTS_FIELDS)

/* What only CSV has: the parts in columns of their own, what is a list as a number. */
#define TIMED_CSV_FIELDS(F)                                                                                            \
    F(timed_csv, startup_ms, NUMBER_OR_NULL, "ms", part_told(row, MLS_PART_STARTUP))                                   \
    F(timed_csv, training_ms, NUMBER_OR_NULL, "ms", part_told(row, MLS_PART_TRAINING))                                 \
    F(timed_csv, evaluation_ms, NUMBER_OR_NULL, "ms", part_told(row, MLS_PART_EVALUATION))                             \
    F(timed_csv, between_ms, NUMBER_OR_NULL, "ms", part_told(row, MLS_PART_BETWEEN))                                   \
    F(timed_csv, tail_ms, NUMBER_OR_NULL, "ms", part_told(row, MLS_PART_TAIL))                                         \
    F(timed_csv, slow_phases, NUMBER, "", row->slow_phase_count)                                                       \
    F(timed_csv, slow_evaluations, NUMBER, "", row->slow_evaluation_count)                                             \
    F(timed_csv, shift_samples, NUMBER_OR_NULL, "", row->has_shift ? row->shift_samples : (double)NAN)                 \
    F(timed_csv, shift_factor, NUMBER_OR_NULL, "", row->has_shift ? row->shift_factor : (double)NAN)

static double part_told(const mls_throughput *run, mls_part part)
{
    return run->has_parts ? run->parts.ms[part] : (double)NAN;
}

MLS_FIELDS(timed_csv, mls_throughput, TIMED_CSV_FIELDS)

static const mls_columns throughput_columns = {
    "THROUGHPUT CSV",
    "file line state status benchmark global_batch_size malformed backwards run_ms startup_ms training_ms "
    "evaluation_ms between_ms tail_ms overlapped_evaluation_ms unit marks_from samples segments evaluations "
    "measured_training_ms "
    "training_samples_per_second run_samples_per_second steady_ms_per_sample steady_samples_per_second steady_step_ms "
    "steady_tokens_per_second band warmup_segments warmup_lost_ms slow_phases shift_samples shift_factor "
    "evaluation_median_ms slow_evaluations time_to_target_ms logged_throughput logged_step_ms accelerators accelerator "
    "flops_per_sample mfu_bf16 mfu",
    {&timed_csv_fields, &timed_fields},
    0};

static const mls_fields *const throughput_tables[] = {
    &throughputs_fields, &timed_group_fields,     &timed_fields,    &parts_fields, &phase_fields, &shift_fields,
    &segment_fields,     &slow_evaluation_fields, &slow_run_fields, &extra_fields, NULL};

static void throughput_lines(mls_emitter *to, const void *what)
{
    const mls_throughputs *all = what;
    for (size_t i = 0; i < all->run_count; i++) {
        mls_emit_object(to, &timed_fields, all->runs[i]);
        mls_emit_end(to);
    }
}

static void throughput_rows(mls_emitter *to, const void *what)
{
    const mls_throughputs *all = what;
    for (size_t i = 0; i < all->run_count; i++) {
        mls_emit_row(to, &throughput_columns, (const void *[MLS_SOURCES_MAX]){all->runs[i], all->runs[i]});
    }
}

const mls_report mls_throughput_report = {.section = "THROUGHPUT JSON",
                                          .show = show_throughputs,
                                          .object = &throughputs_fields,
                                          .tables = throughput_tables,
                                          .lines = throughput_lines,
                                          .columns = &throughput_columns,
                                          .rows = throughput_rows};
