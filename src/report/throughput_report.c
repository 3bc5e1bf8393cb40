/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_report.c - runs over time for programs: JSON, NDJSON and CSV. */
#include <math.h>

#include "report/reports.h"

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
MLS_FIELDS(segment, mls_pace_segment, SEGMENT_FIELDS)

static void emit_point(mls_emitter *to, const mls_curve_point *point)
{
    mls_emit_open(to, '[');
    mls_emit_number(to, point->ms);
    mls_emit_number(to, point->samples);
    mls_emit_number(to, point->value);
    mls_emit_close(to, ']');
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
    F(timed, parts_ms, OBJECT_OR_NULL(parts), "", row->has_parts ? &row->parts : NULL)                                 \
    F(timed, overlapped_evaluation_ms, NUMBER_IF(row->has_parts), "ms", row->parts.overlapped_evaluation_ms)           \
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
    F(timed, curve, VALUES, "", MLS_EACH(row->curve_count, emit_point(to, &row->curve[i])))                            \
    F(timed, time_to_target_ms, NUMBER_OR_NULL, "ms", row->time_to_target_ms)                                          \
    F(timed, logged_throughput, NUMBER_OR_NULL, "", row->logged_throughput)                                            \
    F(timed, logged_step_ms, NUMBER_OR_NULL, "ms", row->logged_step_ms)                                                \
    F(timed, accelerators, NUMBER_OR_NULL, "", row->utilization.accelerators)                                          \
    F(timed, accelerator, TEXT_IF(row->utilization.accelerator != NULL), "", row->utilization.accelerator->name)       \
    F(timed, flops_per_sample, NUMBER_OR_NULL, "", row->utilization.flops_per_sample)                                  \
    F(timed, mfu_bf16, NUMBER_OR_NULL, "", row->utilization.bf16)                                                      \
    F(timed, mfu, NUMBER_OR_NULL, "", row->utilization.precision)                                                      \
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
    F(timed_group, findings, FINDINGS, "",                                                                             \
      mls_found_add(&found, &row->findings, (mls_owner){.path = row->group->path}, NULL))
MLS_FIELDS(timed_group, mls_throughput_group, TIMED_GROUP_FIELDS)

#define THROUGHPUTS_FIELDS(F) F(throughputs, groups, LIST(timed_group), "", MLS_ROWS(row->groups, row->group_count))
MLS_FIELDS(throughputs, mls_throughputs, THROUGHPUTS_FIELDS)

/* Columns that only CSV has: the parts one by one, and of lists how long they are. */
#define TIMED_CSV_FIELDS(F)                                                                                            \
    F(timed_csv, startup_ms, NUMBER_IF(row->has_parts), "ms", row->parts.ms[MLS_PART_STARTUP])                         \
    F(timed_csv, training_ms, NUMBER_IF(row->has_parts), "ms", row->parts.ms[MLS_PART_TRAINING])                       \
    F(timed_csv, evaluation_ms, NUMBER_IF(row->has_parts), "ms", row->parts.ms[MLS_PART_EVALUATION])                   \
    F(timed_csv, between_ms, NUMBER_IF(row->has_parts), "ms", row->parts.ms[MLS_PART_BETWEEN])                         \
    F(timed_csv, tail_ms, NUMBER_IF(row->has_parts), "ms", row->parts.ms[MLS_PART_TAIL])                               \
    F(timed_csv, slow_phases, NUMBER, "", row->slow_phase_count)                                                       \
    F(timed_csv, slow_evaluations, NUMBER, "", row->slow_evaluation_count)                                             \
    F(timed_csv, shift_samples, NUMBER_IF(row->has_shift), "", row->shift_samples)                                     \
    F(timed_csv, shift_factor, NUMBER_IF(row->has_shift), "", row->shift_factor)

MLS_FIELDS_BESIDE(timed_csv, timed, TIMED_CSV_FIELDS)

/* The runs of all groups, in the order of their logs. */
#define TIMED_RUNS_FIELDS(F) F(timed_runs, runs, LIST(timed), "", MLS_ROWS_AT(row->runs, row->run_count))
MLS_FIELDS_BESIDE(timed_runs, throughputs, TIMED_RUNS_FIELDS)

const mls_report mls_throughput_report = {
    .section = "THROUGHPUT JSON",
    .show = mls_throughputs_show,
    .object = &throughputs_fields,
    .lines = "runs",
    .columns = {
        .section = "THROUGHPUT CSV",
        .names =
            "file line state status benchmark global_batch_size malformed backwards run_ms startup_ms training_ms "
            "evaluation_ms between_ms tail_ms overlapped_evaluation_ms unit marks_from samples segments evaluations "
            "measured_training_ms "
            "training_samples_per_second run_samples_per_second steady_ms_per_sample steady_samples_per_second "
            "steady_step_ms "
            "steady_tokens_per_second band warmup_segments warmup_lost_ms slow_phases shift_samples shift_factor "
            "evaluation_median_ms slow_evaluations time_to_target_ms logged_throughput logged_step_ms accelerators "
            "accelerator "
            "flops_per_sample mfu_bf16 mfu",
        .rows = "runs",
        .sources = {&timed_runs_fields, &timed_csv_fields, &timed_fields}}};
