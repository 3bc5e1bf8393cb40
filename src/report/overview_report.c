/* SPDX-License-Identifier: Apache-2.0 */
/* overview_report.c - the report that combines the results of several commands: some lines per group or, if there are
 * many groups, a table with a row per group. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/utf8.h"
#include "report/reports.h"
#include "term/table.h"

/* Lines begin with a label.  Continuation lines are aligned with the text after the label. */
enum { INDENT = 2, LABEL = 8, HANG = INDENT + LABEL, WIDTH = 100 };

enum {
    FAILED_SHOWN = 3, /* maximum number of failed runs */
    GROUPS_SHOWN = 5, /* if there are more groups, they are shown as a table */
    LINES_MAX = 2,    /* maximum number of lines of an answer */
    LIST_LINES_MAX = 3,
    VALUE_COLUMNS = 24
};

/* The startup time is shown if it is more than this share of a run. */
#define STARTUP_SHOWN 0.05

/* Print a label and text, unless the text is empty.  Truncate the text to a limited number of lines.  Release the
 * buffer. */
static void show_fitted(mls_view *view, const char *label, mls_style style, mls_buffer *line)
{
    const size_t indent = label[0] != '\0' ? HANG : INDENT;
    const size_t room = view->width - indent;
    const bool list = mls_str_any(mls_buffer_str(line), " · |   ", mls_str_contains);
    const size_t most = list ? LIST_LINES_MAX : LINES_MAX;
    mls_buffer escaped = {0};
    mls_escape_append(&escaped, mls_buffer_str(line));
    const mls_str text = mls_buffer_str(&escaped);
    size_t column = 0;
    size_t lines = 1;
    if (line->len > 0) {
        mls_output_printf(view->output, "%*s%-*s", INDENT, "", (int)indent - INDENT, label);
        mls_style_begin(view, style);
    }
    for (size_t at = 0, end; at < text.len; at = end) {
        size_t begin = at;
        while (begin < text.len && text.ptr[begin] == ' ')
            begin++;
        /* Do not break an item of a list if it fits on a line.  Do not break between a number and its percent sign. */
        for (end = begin < text.len ? begin + 1 : begin; list && end < text.len; end++) {
            const mls_str rest = mls_str_rest(text, end);
            if (mls_str_starts(rest, MLS_S("   ")) || mls_str_starts(rest, MLS_S(" · ")))
                break;
        }
        if (!list || mls_display_width((mls_str){text.ptr + begin, end - begin}) > room) {
            for (end = begin; end < text.len && text.ptr[end] != ' ';)
                end++;
            end += mls_str_starts(mls_str_rest(text, end), MLS_S(" %")) ? 2 : 0;
        }
        const size_t gap = column > 0 ? begin - at : 0;
        const size_t wide = mls_display_width((mls_str){text.ptr + begin, end - begin});
        /* Truncated text ends with " …", which must fit on the last line. */
        const size_t mark = lines == most && end < text.len ? 2 : 0;
        const bool fits = column + gap + wide + mark <= room;
        if (!fits && column > 0 && lines == most) {
            mls_output_text(view->output, " …");
            break;
        }
        if (!fits && column > 0) {
            mls_output_printf(view->output, "\n%*s", (int)indent, "");
            lines++;
            column = 0;
        }
        const mls_str word = mls_utf8_fit((mls_str){text.ptr + begin, end - begin}, wide > room ? room - 1 : wide);
        mls_output_printf(view->output, "%*s", column > 0 ? (int)gap : 0, "");
        mls_output_write(view->output, word);
        mls_output_text(view->output, wide > room ? "…" : "");
        column += (column > 0 ? gap : 0) + wide;
    }
    if (line->len > 0) {
        mls_style_end(view, style);
        mls_output_text(view->output, "\n");
    }
    mls_buffer_release(&escaped);
    mls_buffer_release(line);
}

/* ------------------------------------------------------------------------- answers */

/* Append the precision that the first run of a group printed, such as "   FP4 until step 350, then FP8". */
void mls_overview_append_precision(mls_buffer *line, const mls_overview *all, const mls_group *group)
{
    mls_str values[MLS_KNOWN_SETTINGS_MAX] = {0};
    const mls_printed *printed = group->runs[0]->printed;
    if (printed == NULL || all->known == NULL)
        return;
    const mls_printed_facts facts = group->runs[0]->facts;
    (void)mls_known_values(all->known, printed, values);
    mls_buffer_append_text(line, facts.precision == MLS_PRINTED_FP4   ? "   FP4"
                                 : facts.precision == MLS_PRINTED_FP8 ? "   FP8"
                                                                      : "");
    if ((facts.precision == MLS_PRINTED_FP8 || facts.precision == MLS_PRINTED_FP4) && facts.healing > 0) {
        const bool eight = facts.precision == MLS_PRINTED_FP4 && mls_known_is_on(all->known, values, MLS_S("fp8"));
        mls_buffer_printf(line, " until step %s, then %s", mls_words_count((double)facts.healing).text,
                          eight ? "FP8" : "more bits");
    }
}

static void append_why(mls_buffer *line, const mls_overview_group *of)
{
    for (size_t i = 0; i < of->part_count; i++) {
        mls_buffer_printf(line, "%s%s %s", line->len > 0 ? " · " : "", of->parts[i].name,
                          mls_words_change(of->parts[i].ratio).text);
    }
}

static void append_shown(mls_buffer *line, const mls_setting_value *value)
{
    const mls_str text = value->lacking ? MLS_S("none") : value->setting.text;
    const mls_str fitted = mls_utf8_fit(text, VALUE_COLUMNS);
    mls_buffer_append(line, fitted);
    mls_buffer_append_text(line, fitted.len < text.len ? "…" : "");
}

static void append_differs(mls_buffer *line, const mls_overview_group *of)
{
    const size_t count = of->why != NULL ? of->why->settings.count : 0;
    for (size_t i = 0; i < of->setting_count; i++) {
        mls_buffer_append_text(line, i > 0 ? " · " : "");
        mls_buffer_append(line, of->settings[i]->key);
        mls_buffer_append_text(line, ": ");
        append_shown(line, &of->settings[i]->yours);
        mls_buffer_append_text(line, ", theirs ");
        append_shown(line, &of->settings[i]->theirs);
    }
    mls_buffer_append_text(line, count > of->setting_count ? " · " : "");
    mls_words_append_more(line, count - of->setting_count, NULL, NULL);
}

static void append_run(mls_buffer *line, const mls_group *group, size_t index)
{
    const mls_run *run = group->runs[index];
    const mls_finding *cause = mls_overview_cause(run);
    mls_buffer_printf(line, "run %zu (%s): %s", index + 1, mls_group_name_below(group, run->file),
                      cause != NULL ? cause->message : "not valid");
}

void mls_cost_append_what(mls_buffer *line, const mls_throughput_group *timed, const mls_cost *cost)
{
    const mls_throughput *run = cost->runs[0].run;
    size_t index = 0;
    while (timed->group->runs[index] != run->run)
        index++;
    if (cost->kind == MLS_COST_FAILED_RUN) {
        append_run(line, timed->group, index);
        return;
    }
    if (cost->kind == MLS_COST_SWITCH) {
        mls_buffer_printf(line, "%zu runs change pace at step %zu", cost->run_count, timed->pace_switch.step);
        return;
    }
    if (cost->run_count == 1)
        mls_buffer_printf(line, "run %zu slow", index + 1);
    else
        mls_buffer_printf(line, "%s%zu runs slow", cost->run_count == timed->timed ? "all " : "", cost->run_count);
    const mls_slow_evaluation *longest = &run->longest_evaluation;
    if (cost->kind == MLS_COST_SLOW_PHASE) {
        const int decimals = cost->from_samples < 100 ? 2 : 0;
        mls_buffer_printf(line, " from %s to %s %s", mls_words_grouped(cost->from_samples, decimals).text,
                          mls_words_grouped(cost->to_samples, decimals).text, mls_throughput_unit(run));
    } else if (cost->kind == MLS_COST_SLOW_EVALUATION ||
               (cost->slow != NULL && cost->slow->largest == MLS_SLOW_EVALUATION && run->slow_evaluation_count > 0)) {
        const bool whole = cost->slow != NULL;
        mls_buffer_append_text(line, " (");
        mls_throughput_describe_evaluation(line, run, whole ? longest->from_ms : cost->runs[0].from_ms,
                                           whole ? longest->ms : cost->runs[0].to_ms - cost->runs[0].from_ms);
        mls_buffer_append_char(line, ')');
    } else if (cost->slow != NULL) {
        mls_buffer_printf(line, " (%s)", mls_slow_part_name(cost->slow->largest));
    }
}

/* Append what costs the score, and how much. */
static void append_cost(mls_buffer *line, const mls_overview_group *of, const mls_cost *cost)
{
    mls_cost_append_what(line, of->timed, cost);
    const size_t len = line->len;
    mls_buffer_append_text(line, cost->kind == MLS_COST_FAILED_RUN ? "; " : ": ");
    if (!mls_cost_append_score(line, of->timed, cost))
        mls_buffer_cut(line, len);
}

static void append_inside(mls_buffer *line, const mls_overview_group *of)
{
    const mls_throughput *run = of->median;
    if (run == NULL || !(run->run_ms > 0))
        return;
    const double *ms = run->parts.ms;
    const double other = ms[MLS_PART_STARTUP] + ms[MLS_PART_BETWEEN] + ms[MLS_PART_TAIL];
    mls_buffer_printf(line, "training %s", mls_words_percent(ms[MLS_PART_TRAINING] / run->run_ms, 0).text);
    if (run->evaluations_from != MLS_EVALUATIONS_FROM_NOTHING)
        mls_buffer_printf(line, "  evaluations %s", mls_words_percent(ms[MLS_PART_EVALUATION] / run->run_ms, 0).text);
    mls_buffer_printf(line, "  other %s", mls_words_percent(other / run->run_ms, 0).text);
    if (ms[MLS_PART_STARTUP] > STARTUP_SHOWN * run->run_ms)
        mls_buffer_printf(line, " (startup %s)", mls_words_percent(ms[MLS_PART_STARTUP] / run->run_ms, 0).text);
    const mls_utilization *of_peak = &run->utilization;
    const double share = isnan(of_peak->bf16) ? of_peak->derived : of_peak->bf16;
    if (of_peak->accelerator != NULL && !isnan(share) && !(of_peak->narrowest > 1)) {
        mls_buffer_printf(line, "   MFU %s of %s's peak", mls_words_grouped(share, 2).text,
                          isnan(of_peak->accelerator->peak[MLS_PRECISION_BF16]) ? "FP16" : "BF16");
        if (of_peak->has_precision && !isnan(of_peak->bf16) && !isnan(of_peak->precision)) {
            mls_buffer_printf(line, ", %s of %s's", mls_words_grouped(of_peak->precision, 2).text,
                              of_peak->named == MLS_PRECISION_FP8 ? "FP8" : "FP4");
        }
    }
    if (of->slow != NULL && of->first.cost == of->slow) {
        return; /* the next line is about it */
    } else if (of->slow != NULL) {
        mls_buffer_append_text(line, "   ");
        append_cost(line, of, of->slow);
    } else if (of->timed->healed != NULL) {
        mls_buffer_printf(line, "   healing by design at step %zu", of->timed->healed->healing_step);
    } else if (run->segment_count > 0) {
        mls_buffer_append_text(line, "   pace steady");
    }
}

static void append_condition(mls_buffer *line, const mls_overview_group *of)
{
    mls_buffer_append_text(line, of->machine != NULL ? of->machine : "");
}

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): without a group, first->look is not a look at runs */
static void append_first(mls_buffer *line, const mls_overview_group *of)
{
    const mls_overview_first *first = &of->first;
    const mls_rcp_result *rcp;
    switch (first->look) {
    case MLS_LOOK_RUN:
        append_run(line, of->group, first->run);
        if (first->runs > 1)
            mls_buffer_printf(line, " (and %s)", mls_words_plural(first->runs - 1, "more run", "more runs").text);
        break;
    case MLS_LOOK_CONVERGENCE:
        mls_buffer_append_text(line, "convergence: ");
        mls_rcp_result_describe(&of->group->rcp.result, (double)NAN, line);
        break;
    case MLS_LOOK_SEEDS:
        mls_buffer_printf(line, "seeds: %s", first->message);
        break;
    case MLS_LOOK_FINDING:
        mls_buffer_append_text(line, first->message);
        break;
    case MLS_LOOK_ALIKE:
        mls_buffer_printf(line, "%zu of %zu runs failed for the same reason: %s", first->runs, of->group->run_count,
                          first->message);
        break;
    case MLS_LOOK_MACHINE:
        mls_buffer_append_text(line, of->machine);
        break;
    case MLS_LOOK_SETTING:
        mls_buffer_printf(line, "%s: ", first->kind);
        mls_buffer_append(line, first->setting);
        mls_buffer_append_text(line, " differs, and so does the throughput");
        break;
    case MLS_LOOK_COST:
        append_cost(line, of, first->cost);
        break;
    case MLS_LOOK_EVALUATIONS:
        mls_buffer_printf(line, "evaluations: %s of the time", mls_words_percent(first->share, 0).text);
        break;
    case MLS_LOOK_SAMPLES:
        rcp = &of->group->rcp.result;
        mls_buffer_printf(line, "convergence: %s %s, the reference needs %s: %s",
                          mls_words_grouped(rcp->submission_mean, rcp->submission_mean < 100 ? 2 : 0).text,
                          rcp->limit.unit,
                          mls_words_grouped(rcp->limit.bar.mean, rcp->submission_mean < 100 ? 2 : 0).text,
                          mls_words_change(first->share).text);
        break;
    case MLS_LOOK_NOTHING:
        break;
    }
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */

/* Print the folder of a group.  Omit the beginning of the path if the path is too long. */
static void show_path(mls_view *view, mls_str text)
{
    const mls_str end = mls_utf8_fit_back(text, view->width - INDENT - 1);
    mls_output_printf(view->output, "%*s", INDENT, "");
    mls_view_text(view, MLS_STYLE_DIM, "%s%.*s", end.len < text.len ? "…" : "", (int)end.len, end.ptr);
    mls_output_text(view->output, "\n");
}

/* -------------------------------------------------------------------------- score */

static void show_score(mls_view *view, const mls_overview_group *of)
{
    const mls_side_group *side = of->side;
    const mls_group *group = of->group;
    const size_t count = side->runs.count;
    const unsigned needed = group != NULL ? group->rules->runs_needed : 0;
    const bool scored = isfinite(side->scaled_minutes);
    mls_buffer line = {0};
    if (scored) {
        mls_buffer_printf(&line, "%s%s min   ", side->weak ? "all trained in " : "",
                          mls_words_grouped(side->scaled_minutes, 3).text);
    } else {
        mls_buffer_append_text(&line, "no score   ");
    }
    mls_buffer_printf(&line, "%s: %zu of %s", side->official ? "valid" : "not official", of->valid,
                      side->weak ? mls_words_plural(count, "model", "models").text
                                 : mls_words_plural(count, "run", "runs").text);
    if (side->weak && needed > 0)
        mls_buffer_printf(&line, ", at least %u are needed", needed);
    else if (side->official && of->valid < count)
        mls_buffer_printf(&line, " (%u may fail)", group != NULL ? group->rules->left_out : 1);
    else if (needed > 0 && count != needed)
        mls_buffer_printf(&line, " valid, %u are needed", needed);
    else if (!side->official && of->valid < count)
        mls_buffer_append_text(&line, " valid, more dropped than allowed");
    if (group != NULL && group->rcp.check != MLS_CHECK_NA) {
        mls_buffer_printf(&line, "   convergence %s",
                          group->rcp.check == MLS_CHECK_PASS                ? "ok"
                          : group->rcp.result.match == MLS_RCP_TOO_FEW_RUNS ? "not judged"
                                                                            : "FAILS");
    }
    if (group != NULL && group->scale > 1)
        mls_buffer_printf(&line, ", scaled by %s", mls_words_grouped(group->scale, 3).text);
    if (group != NULL && group->seeds.check != MLS_CHECK_NA)
        mls_buffer_append_text(&line, group->seeds.check == MLS_CHECK_FAIL ? "   seeds FAIL" : "   seeds ok");
    show_fitted(view, "", of->sound ? MLS_STYLE_GOOD : scored ? MLS_STYLE_WARN : MLS_STYLE_BAD, &line);
}

static void append_result(mls_buffer *line, const mls_published_near *near)
{
    const mls_published_result *result = near->result;
    mls_buffer_printf(line, "%s (%s %s)", mls_words_grouped(result->minutes, 3).text, result->system->submitter,
                      result->system->system_id);
}

static void append_machine(mls_buffer *line, double accelerators, const char *model)
{
    mls_buffer_printf(line, "%s x %s", mls_words_count(accelerators).text, model != NULL ? model : "an unknown model");
}

static void append_place(mls_buffer *line, const mls_overview_group *of)
{
    const mls_side_group *side = of->side;
    const mls_published_near *fastest = of->fastest;
    const mls_published_near *nearest = of->nearest;
    if (nearest == NULL)
        return;
    const char *usage = mls_usage_name(side->usage);
    const char *round = nearest->result->round;
    const bool other = !mls_str_equal(mls_compare_round(side), mls_str_from(round));
    if (fastest != NULL) {
        const mls_published_place *place = &of->beside->place;
        static const char *const ends[] = {"th", "st", "nd", "rd"};
        const size_t rank = place->rank_alike;
        const bool regular = rank % 100 / 10 == 1 || rank % 10 > 3;
        mls_buffer_printf(line, "%zu%s of %zu%s on ", rank, ends[regular ? 0 : rank % 10], place->ranked_alike,
                          place->published > place->ranked ? " known" : "");
        append_machine(line, side->accelerators, side->accelerator);
        mls_buffer_printf(line, " in %s %s%s; ", usage, round, other ? " (no published results for this round)" : "");
        mls_buffer_append_text(line, fastest->self ? "this is the fastest, " : "fastest ");
        append_result(line, fastest);
        if (!fastest->self)
            mls_buffer_printf(line, ": %s", mls_words_change(fastest->ratio).text);
        return;
    }
    const mls_published_system *system = nearest->result->system;
    if (isfinite(side->accelerators) && side->accelerator != NULL) {
        mls_buffer_append_text(line, "no published result on ");
        append_machine(line, side->accelerators, side->accelerator);
        mls_buffer_printf(line, " in %s %s; nearest, on ", usage, round);
    } else {
        mls_buffer_printf(line, "accelerators unknown; in %s %s, on ", usage, round);
    }
    append_machine(line, system->accelerators,
                   system->model.text[0] != '\0' ? system->model.text : system->accelerator);
    mls_buffer_append_text(line, ": ");
    append_result(line, nearest);
}

static void append_against(mls_buffer *line, const mls_overview_group *of)
{
    if (of->block == NULL) {
        mls_buffer_append_text(line, of->unmatched != NULL ? "nothing to compare: " : "");
        mls_buffer_append_text(line, of->unmatched != NULL ? of->unmatched : "");
        return;
    }
    const mls_side_group *theirs = of->block->groups[0];
    const mls_difference *difference = &of->block->differences[1];
    const mls_compare_verdict judged = difference->scored.verdict;
    const char *verdict = mls_compare_verdict_name(judged);
    if (isfinite(difference->scaled_ratio)) {
        mls_buffer_printf(line, "%s min, yours %s", mls_words_grouped(theirs->scaled_minutes, 3).text,
                          mls_words_change(difference->scaled_ratio).text);
    }
    if (verdict != NULL) {
        mls_buffer_printf(line, line->len > 0 ? " (%s)" : "%s",
                          judged == MLS_COMPARE_NONE      ? "no difference shown"
                          : judged == MLS_COMPARE_TOO_FEW ? "too few runs for a verdict"
                                                          : verdict);
    }
    mls_buffer_printf(line, ": %s", theirs->path);
}

const mls_overview_answer mls_overview_answers[MLS_OVERVIEW_ANSWERS] = {
    {"first", "main finding", MLS_STYLE_BOLD, append_first},      {"place", "place", MLS_STYLE_PLAIN, append_place},
    {"against", "against", MLS_STYLE_PLAIN, append_against},      {"why", "why", MLS_STYLE_PLAIN, append_why},
    {"differs", "what differs", MLS_STYLE_PLAIN, append_differs}, {"inside", "inside", MLS_STYLE_PLAIN, append_inside},
    {"machine", "machine", MLS_STYLE_WARN, append_condition}};

/* ---------------------------------------------------------------------------- next */

/* Append a word quoted for the shell, with unprintable bytes as octal escapes. */
static void append_word(mls_buffer *line, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:,=@%-";
    mls_buffer escaped = {0};
    mls_escape_append(&escaped, mls_str_from(word));
    const bool printable = mls_str_equal(mls_buffer_str(&escaped), mls_str_from(word));
    mls_buffer_release(&escaped);
    /* Add "./" before a path that begins with '-', so that it is not an option. */
    mls_buffer_append_text(line, word[0] == '-' && word[1] != '\0' ? "./" : "");
    if (word[strspn(word, plain)] == '\0') {
        mls_buffer_append_text(line, word);
        return;
    }
    mls_buffer_append_text(line, printable ? "'" : "$'");
    for (; *word != '\0'; word++) {
        if (printable) {
            mls_buffer_append_text(line, *word == '\'' ? "'\\'" : "");
            mls_buffer_append_char(line, *word);
        } else if (*word == '\'' || *word == '\\' || *word < ' ' || *word > '~') {
            mls_buffer_printf(line, "\\%03o", (unsigned)(unsigned char)*word);
        } else {
            mls_buffer_append_char(line, *word);
        }
    }
    mls_buffer_append_char(line, '\'');
}

/* ------------------------------------------------------------------------ a group */

static void show_failed(mls_view *view, const mls_group *group)
{
    size_t failed = 0;
    for (size_t i = 0; i < group->run_count; i++) {
        mls_buffer line = {0};
        if (mls_overview_is_failed(group->runs[i]) && failed++ < FAILED_SHOWN) {
            append_run(&line, group, i);
            show_fitted(view, failed == 1 ? "failed" : " ", MLS_STYLE_BAD, &line);
        }
    }
    if (failed > FAILED_SHOWN) {
        mls_buffer line = {0};
        mls_buffer_printf(&line, "and %zu more", failed - FAILED_SHOWN);
        show_fitted(view, " ", MLS_STYLE_BAD, &line);
    }
}

static void show_answers(mls_view *view, const mls_overview_group *of, mls_overview_question from,
                         mls_overview_question to)
{
    for (const mls_overview_answer *answer = &mls_overview_answers[from]; answer <= &mls_overview_answers[to];
         answer++) {
        mls_buffer line = {0};
        answer->append(&line, of);
        show_fitted(view, answer->label, answer->style, &line);
    }
}

static void show_overview_group(mls_view *view, const mls_overview *all, const mls_overview_group *of)
{
    const mls_group *group = of->group;
    const mls_side_group *side = of->side;
    const char *division = mls_division_name(side->division);
    const bool ended = of->median != NULL;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "  %s  %s %s", division != NULL ? division : "no division", mls_usage_name(side->usage),
                      side->edition);
    if (side->weak)
        mls_buffer_printf(&line, "   weak scaling, %s", mls_words_plural(of->valid, "model", "models").text);
    if (isfinite(side->accelerators)) {
        mls_buffer_printf(&line, "%s%s x %s%s", side->weak ? " on " : "   ", mls_words_count(side->accelerators).text,
                          side->accelerator != NULL ? side->accelerator : "an unknown model",
                          side->weak ? " each" : "");
    }
    if (isfinite(side->global_batch_size))
        mls_buffer_printf(&line, "   batch %s", mls_words_count(side->global_batch_size).text);
    if (group != NULL) {
        const mls_config_name shape = mls_group_shape(group);
        mls_shape_append_degrees(&line, &shape);
        mls_overview_append_precision(&line, all, group);
    }
    mls_view_headline(view, mls_str_from(side->benchmark != NULL ? side->benchmark : "unknown benchmark"), &line,
                      INDENT);
    if (all->count > 1)
        show_path(view, mls_str_from(mls_path_shown(side->path)));
    if (group == NULL && !view->quiet) { /* without a group, the side is an export of score, which contains only runs */
        mls_table table = {.indent = INDENT};
        for (size_t i = 0; i < side->runs.count; i++) {
            const mls_side_run *run = &side->runs.items[i];
            mls_table_row(&table);
            mls_table_cell(&table, "run", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, MLS_STYLE_PLAIN, "%zu", i + 1);
            mls_table_text(&table, "log", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, run->file);
            mls_table_words(&table, "train (min)", MLS_COLUMN_DECIMAL | MLS_COLUMN_KEEP,
                            mls_words_minutes(run->minutes));
            mls_table_words(&table, run->unit != NULL ? run->unit : "samples", MLS_COLUMN_DECIMAL,
                            mls_words_count(run->to_converge));
            mls_table_cell(&table, "valid", MLS_COLUMN_KEEP, run->valid ? MLS_STYLE_PLAIN : MLS_STYLE_BAD, "%s",
                           run->valid ? "yes" : "no");
            if (run->reason != NULL)
                mls_table_note(&table, MLS_STYLE_BAD, "%s", run->reason);
        }
        mls_table_finish(&table, view);
    } else if (group != NULL && !ended) {
        show_failed(view, group);
    }
    show_score(view, of);
    if (view->quiet)
        return;
    show_answers(view, of, MLS_OVERVIEW_PLACE, group != NULL ? MLS_OVERVIEW_INSIDE : MLS_OVERVIEW_DIFFERS);
    if (group != NULL && ended)
        show_failed(view, group);
    if (group != NULL)
        show_answers(view, of, MLS_OVERVIEW_MACHINE, MLS_OVERVIEW_MACHINE);
    show_answers(view, of, MLS_OVERVIEW_FIRST, MLS_OVERVIEW_FIRST);
    /* Print the commands to try next.  A long command is continued after a backslash, so that it can be pasted. */
    const char *path = of->side->path;
    for (size_t i = 0; i < of->next_count; i++) {
        const mls_overview_next *next = &of->next[i];
        const char *below = next->run != NULL ? mls_group_name_below(of->group, next->run->file) : NULL;
        const bool inside = below != NULL && strcmp(path, "-") != 0 && strcmp(mls_path_name(path), below) != 0;
        mls_buffer file = {0};
        mls_buffer against = {0};
        mls_buffer words[2] = {{0}};
        mls_buffer_printf(&file, "%s%s%s", path, inside ? "/" : "", inside ? below : "");
        append_word(&words[0], file.ptr);
        if (next->against != NULL) {
            mls_buffer_printf(&against, "published:%s,%s", next->against->round, next->against->system->system_id);
            append_word(&words[1], against.ptr);
        }
        mls_output_printf(view->output, "%*s%-*smlscore %s", INDENT, "", LABEL, i == 0 ? "next" : " ", next->command);
        size_t column = HANG + strlen("mlscore ") + strlen(next->command);
        for (int k = 0; k < (next->against != NULL ? 2 : 1); k++) {
            const size_t wide = mls_display_width(mls_buffer_str(&words[k]));
            const bool more = k == 0 && next->against != NULL;
            const bool fits = column + 1 + wide + (more ? 2 : 0) <= view->width;
            mls_output_printf(view->output, "%s%*s", fits ? " " : " \\\n", fits ? 0 : HANG + INDENT, "");
            mls_output_write(view->output, mls_buffer_str(&words[k]));
            column = (fits ? column + 1 : HANG + INDENT) + wide;
        }
        mls_output_text(view->output, "\n");
        mls_buffer_release(&file);
        mls_buffer_release(&against);
        mls_buffer_release(&words[0]);
        mls_buffer_release(&words[1]);
    }
}

/* ---------------------------------------------------------------------------- many */

static void show_groups(mls_view *view, const mls_overview *all)
{
    mls_table table = {.indent = INDENT};
    /* Show paths relative to the folder that contains all groups. */
    const char *first = all->items[0].side->path;
    size_t common = mls_path_folder(mls_str_from(first)).len;
    for (size_t i = 1; i < all->count; i++) {
        size_t same = 0;
        while (same < common && all->items[i].side->path[same] == first[same])
            same++;
        common = mls_path_folder((mls_str){first, same}).len;
    }
    for (size_t i = 0; i < all->count; i++) {
        const mls_overview_group *of = all->worst_first[i];
        const mls_side_group *side = of->side;
        const bool known = isfinite(side->accelerators);
        const bool ranked = of->fastest != NULL;
        mls_table_row(&table);
        mls_table_text(&table, "benchmark", MLS_COLUMN_KEEP, side->benchmark);
        mls_table_cell(&table, "on", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, "%s%s%s",
                       known ? mls_words_count(side->accelerators).text : "",
                       known && side->accelerator != NULL ? " x " : "",
                       side->accelerator != NULL ? side->accelerator : "");
        mls_table_number(&table, "min", MLS_COLUMN_DECIMAL | MLS_COLUMN_KEEP, side->scaled_minutes, 3);
        mls_table_cell(&table, "valid", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP, of->sound ? MLS_STYLE_PLAIN : MLS_STYLE_BAD,
                       "%zu of %zu%s", of->valid, side->runs.count, of->sound ? "" : " !");
        mls_table_cell(&table, "place", MLS_COLUMN_RIGHT, MLS_STYLE_PLAIN, ranked ? "%zu of %zu" : "-",
                       ranked ? of->beside->place.rank_alike : 0, ranked ? of->beside->place.ranked_alike : 0);
        mls_table_text(&table, "to the fastest", MLS_COLUMN_RIGHT | MLS_COLUMN_KEEP,
                       ranked && of->fastest->self ? "fastest"
                       : isnan(of->ratio)          ? NULL
                                                   : mls_words_change(of->ratio).text);
        /* Omit the last folder if it is named after the benchmark, which is shown already. */
        const char *path = mls_path_shown(side->path) + common;
        const size_t folder = mls_path_folder(mls_str_from(path)).len;
        const bool named = folder > 0 && side->benchmark != NULL && strcmp(path + folder, side->benchmark) == 0;
        mls_table_cell(&table, "path", MLS_COLUMN_KEEP | MLS_COLUMN_CUT, MLS_STYLE_PLAIN, "%.*s",
                       named ? (int)folder - 1 : (int)strlen(path), path);
    }
    mls_output_printf(view->output, "%zu groups: invalid ones first, then by distance from the fastest result\n",
                      all->count);
    if (common > 0)
        show_path(view, (mls_str){first, common});
    mls_table_finish(&table, view);
    mls_view_gap(view);
    if (!view->quiet) {
        mls_output_text(view->output, "\n");
        show_overview_group(view, all, all->worst_first[0]);
    }
}

static void show_overview(mls_printer *to, const void *what)
{
    const mls_overview *all = what;
    mls_view view = *to->view;
    view.width = view.width == 0 || view.width > WIDTH ? WIDTH : view.width < 3 * HANG ? 3 * HANG : view.width;
    if (all->count > GROUPS_SHOWN)
        show_groups(&view, all);
    for (size_t i = 0; i < all->count && all->count <= GROUPS_SHOWN; i++) {
        mls_output_text(view.output, i > 0 ? "\n" : "");
        show_overview_group(&view, all, &all->items[i]);
    }
    if (all->collection != NULL)
        mls_collection_show_skipped(&view, all->collection);
}

/* ---------------------------------------------------------------------------- fields */

#define OVERVIEW_GROUP_FIELDS(F)                                                                                       \
    F(overview_group, score, OBJECT_OR_NULL(mls_group), "", row->group)                                                \
    F(overview_group, published, OBJECT_OR_NULL(mls_published_match), "", row->beside)                                 \
    F(overview_group, compare, OBJECT_OR_NULL(mls_block), "", row->block)                                              \
    F(overview_group, throughput, OBJECT_OR_NULL(mls_timed_group), "", row->timed)                                     \
    F(overview_group, machine, TEXT_OR_NULL, "", row->machine)                                                         \
    F(overview_group, first, WORDS_OR_NULL, "", append_first(words, row))
MLS_FIELDS(overview_group, mls_overview_group, OVERVIEW_GROUP_FIELDS)

#define OVERVIEW_FIELDS(F)                                                                                             \
    F(overview, what, TEXT, "", row->what)                                                                             \
    F(overview, command, TEXT, "", row->command)                                                                       \
    F(overview, groups, LIST(overview_group), "", MLS_ROWS(row->items, row->count))
MLS_FIELDS(overview, mls_overview, OVERVIEW_FIELDS)

const mls_report mls_overview_report = {.section = "OVERVIEW JSON", .show = show_overview, .object = &overview_fields};
