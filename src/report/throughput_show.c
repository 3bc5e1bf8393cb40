/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_show.c - runs over time for people: a line each with its pace drawn, then what was slow, in words. */
#include <math.h>
#include <string.h>

#include "report/reports.h"
#include "report/table.h"

enum { INDENT = 2, HANG = 6, CURVE_INDENT = 6 };

/* Names of logs are cut only where one is longer than this: columns go first. */
enum { NAME_COLUMNS = 24 };

/* Without -v so many findings of a group are listed. */
enum { SHOWN_WITHOUT_V = 12 };

/* A cell's pace as a bar; without UTF-8 three levels are left: within the band, above it, far above it. */
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

/* The columns of the table that any run of a group has something for. */
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

static void add_run_cells(mls_table *table, const mls_view *view, const mls_throughput *run, columns_used used)
{
    enum { RIGHT = MLS_COLUMN_RIGHT, DECIMAL = MLS_COLUMN_DECIMAL };
    const double *ms = run->parts.ms;
    const double whole = run->has_parts && run->run_ms > 0 ? run->run_ms : (double)NAN;
    const bool delimited = run->has_parts && run->parts.evaluation_delimited;
    const double steady = 1000 / run->steady_ms_per_sample;
    mls_buffer spark = {0};
    append_spark(&spark, view, run);
    mls_table_words(table, "min", DECIMAL | MLS_COLUMN_KEEP, mls_words_grouped(run->run_ms / 60000, 3));
    mls_table_words(table, "train", RIGHT, mls_words_percent(ms[MLS_PART_TRAINING] / whole, 1));
    mls_table_text(table, "eval", RIGHT, delimited ? mls_words_percent(ms[MLS_PART_EVALUATION] / whole, 1).text : "-");
    mls_table_words(table, "other", RIGHT,
                    mls_words_percent((ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL]) / whole, 1));
    mls_table_text(table, run->in_epochs ? "steady epochs/h" : "steady samples/s", DECIMAL,
                   mls_words_rate(run->in_epochs ? steady * 3600 : steady).text);
    if (used.tokens) {
        mls_table_words(table, "tokens/s", RIGHT, mls_words_grouped(run->steady_tokens_per_second, 0));
    }
    if (used.step) {
        mls_table_text(table, "step ms", DECIMAL,
                       mls_words_rate(run->in_epochs ? (double)NAN : run->steady_step_ms).text);
    }
    if (used.utilization) {
        mls_table_words(table, "MFU", RIGHT | MLS_COLUMN_KEEP, mls_words_grouped(run->utilization.bf16, 2));
    }
    mls_table_text(table, "pace", MLS_COLUMN_KEEP, mls_table_take(table, &spark));
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
    mls_view_gap(view);
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
                    mls_words_rate(group->median_ms_per_sample).text, unit,
                    mls_words_rate(group->limit_ms_per_sample).text);
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
                          isnan(of->precision) ? "not known" : mls_words_grouped(of->precision, 2).text);
        mls_buffer_append_text(&line, isnan(of->precision) || group->group->run_count == 1 ? "" : " at most");
    }
    mls_view_line(view, &line, MLS_STYLE_PLAIN, INDENT, HANG);
}

static void show_slow(mls_view *view, const mls_throughput_group *group)
{
    const mls_found_look look = {
        .indent = INDENT, .hang = HANG, .named = true, .sorted = true, .limit = mls_view_limit(view, SHOWN_WITHOUT_V)};
    mls_found found = {0};
    for (size_t i = 0; i < group->findings.count; i++) {
        mls_finding finding = group->findings.items[i];
        finding.path = mls_group_name_below(group->group, finding.path);
        mls_found_add_one(&found, &finding, (mls_owner){0}, NULL);
    }
    mls_found_add_unkept(&found, &group->findings, NULL);
    mls_found_show(view, &found, look);
}

/* -v: what is not a finding but worth knowing of a run, in one line. */
static void show_details(mls_view *view, const mls_throughput_group *group, const mls_throughput *run)
{
    mls_buffer line = {0};
    mls_buffer_printf(&line, "%s: %s", mls_group_name_below(group->group, run->run->file),
                      mls_words_plural(run->segment_count, "segment", "segments").text);
    if (run->segment_count > 0) {
        mls_buffer_printf(&line, ", slow above %s of the steady pace", mls_words_percent(1 + run->band, 1).text);
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
        mls_buffer_printf(&line, "; logged throughput %s", mls_words_rate(run->logged_throughput).text);
    }
    if (isfinite(run->logged_step_ms)) {
        mls_buffer_printf(&line, "; logged step %s ms", mls_words_rate(run->logged_step_ms).text);
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
        mls_table_words(&table, "min", MLS_COLUMN_DECIMAL, mls_words_grouped(point->ms / 60000, 3));
        mls_table_words(&table, run->in_epochs ? "epochs" : "samples", MLS_COLUMN_DECIMAL,
                        mls_words_count(point->samples));
        mls_table_words(&table, "eval", MLS_COLUMN_DECIMAL, mls_words_grouped(point->value, 5));
        if (run->target_at == i + 1) {
            mls_table_note(&table, MLS_STYLE_PLAIN, "target");
        }
    }
    mls_table_finish(&table, view);
}

void mls_throughputs_show(mls_printer *to, const void *what)
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
