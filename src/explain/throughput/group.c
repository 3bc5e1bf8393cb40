/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - find slow phases that the runs of a group share, slow runs and the parts that made them slow; and add the
 * findings.
 *
 * A run is compared with the time that the other runs would have taken for the same numbers of samples and evaluations.
 * Therefore a run that needs more samples to converge does not count as slow. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/words.h"
#include "explain/throughput/notes.h"

/* A warm-up is reported if it loses at least this share of the run's time. */
#define WARMUP_MIN 0.10

/* An end of a slow phase, for a sweep over all phases in the order of samples. */
typedef struct spot {
    mls_slow_phase *phase;
    size_t at; /* index of the phase in the list of open phases */
} spot;

typedef struct spot_end {
    double samples;
    bool begins;
    size_t spot;
} spot_end;

/* Compare ends of phases.  A phase that begins where another one ends does not overlap it. */
static int compare_ends(const void *left, const void *right)
{
    const spot_end *a = left;
    const spot_end *b = right;
    const int order = mls_compare_doubles(a->samples, b->samples);
    return order != 0 ? order : a->begins != b->begins ? a->begins - b->begins : mls_compare_sizes(a->spot, b->spot);
}

/* Return the lower median of a member of the open phases. */
static double median_member(mls_slow_phase *const *open, size_t count, size_t member, double *values)
{
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)open[i] + member, sizeof *values);
    mls_sort_doubles(values, count);
    return mls_median_lower(values, count);
}

bool mls_throughput_is_timed(const mls_throughput *run)
{
    return run->state == MLS_TIMED_ENDED && run->samples > 0;
}

/* Find overlapping slow phases of more than half of the runs.  Go through the begins and ends of phases in the order of
 * samples.  If a phase ends that is not shared yet, and phases of enough runs are open, the open phases become one
 * shared phase. */
static void find_shared_phases(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    const mls_throughput *runs = group->runs;
    size_t counted = 0; /* number of runs with the same unit as the first run */
    size_t total = 0;
    size_t count = 0;
    size_t opened = 0;
    for (size_t i = 0; i < group->group->run_count; i++) {
        counted += mls_throughput_is_timed(&runs[i]) && runs[i].in_epochs == runs->in_epochs;
        total += runs[i].slow_phase_count;
    }
    if (counted < MLS_TIMED_MIN || total * 2 <= counted)
        return;
    spot *spots = mls_arena_array(scratch, total, sizeof *spots);
    spot_end *ends = mls_arena_array(scratch, 2 * total, sizeof *ends);
    mls_slow_phase **open = mls_arena_array(scratch, total, sizeof(mls_slow_phase *));
    size_t *owners = mls_arena_array(scratch, total, sizeof *owners);
    double *values = mls_arena_array(scratch, total, sizeof *values);
    group->shared_phases = mls_arena_array(arena, 2 * total / counted, sizeof *group->shared_phases);
    for (size_t i = 0; i < group->group->run_count; i++) {
        const bool counts = mls_throughput_is_timed(&runs[i]) && runs[i].in_epochs == runs->in_epochs;
        for (size_t k = 0; k < runs[i].slow_phase_count && counts; k++) {
            mls_slow_phase *phase = &runs[i].slow_phases[k];
            spots[count].phase = phase;
            ends[2 * count] = (spot_end){phase->from_samples, true, count};
            ends[2 * count + 1] = (spot_end){phase->to_samples, false, count};
            count++;
        }
    }
    qsort(ends, 2 * count, sizeof *ends, compare_ends);
    for (size_t i = 0; i < 2 * count; i++) {
        spot *one = &spots[ends[i].spot];
        if (ends[i].begins) {
            one->at = opened;
            owners[opened] = ends[i].spot;
            open[opened++] = one->phase;
            continue;
        }
        if (opened * 2 > counted && one->phase->shared == 0) {
            /* Add a shared phase for the open phases. */
            mls_shared_phase *shared = &group->shared_phases[group->shared_phase_count++];
            shared->runs = opened;
            shared->middle = (mls_slow_phase){
                .from_ms = median_member(open, opened, offsetof(mls_slow_phase, from_ms), values),
                .to_ms = median_member(open, opened, offsetof(mls_slow_phase, to_ms), values),
                .from_samples = median_member(open, opened, offsetof(mls_slow_phase, from_samples), values),
                .to_samples = median_member(open, opened, offsetof(mls_slow_phase, to_samples), values),
                .training_ms = median_member(open, opened, offsetof(mls_slow_phase, training_ms), values),
                .lost_ms = median_member(open, opened, offsetof(mls_slow_phase, lost_ms), values),
                .factor = median_member(open, opened, offsetof(mls_slow_phase, factor), values)};
            for (size_t j = 0; j < opened; j++)
                open[j]->shared = group->shared_phase_count;
            opened = 0;
        } else if (one->phase->shared == 0) {
            open[one->at] = open[--opened];
            owners[one->at] = owners[opened];
            spots[owners[one->at]].at = one->at;
        }
    }
}

/* A pace is slow if it is at least 3 % and five standard deviations above the median.  A run is slow if it takes at
 * least 3 % and five seconds longer than expected. */
#define LIMIT_MIN 0.03
#define LIMIT_DEVIATIONS 5
#define EXTRA_MIN 0.03
#define EXTRA_MIN_MS 5000

const char *mls_slow_part_name(mls_slow_part part)
{
    static const char *const names[] = {"startup", "training", "after", "evaluation", "between", "tail"};
    return names[part];
}

/* Return the number of samples of a run.  Samples after a switch of the pace or a healing step are multiplied by the
 * factor by which they take longer. */
static double throughput_units(const mls_throughput_group *group, const mls_throughput *run)
{
    const mls_pace_switch *change = &group->pace_switch;
    if (change->changed)
        return run->samples + (change->factor - 1) * fmax(run->samples - change->samples, 0);
    const double longer = run->healing_step > 0 ? group->healed->healing_factor - 1 : 0;
    return run->samples + longer * fmax(run->samples - run->healing_samples, 0);
}

/* Return the number that the time of a part is proportional to: samples, evaluations, or 1. */
static double part_units(const mls_throughput_group *group, const mls_throughput *run, mls_slow_part part)
{
    const bool evaluations = (part == MLS_SLOW_EVALUATION || part == MLS_SLOW_BETWEEN) && run->curve_count > 0;
    return part == MLS_SLOW_TRAINING ? throughput_units(group, run) : evaluations ? (double)run->curve_count : 1;
}

static double part_ms(const mls_throughput *run, mls_slow_part part)
{
    const double *ms = run->parts.ms;
    const double values[MLS_SLOW_PART_COUNT] = {[MLS_SLOW_STARTUP] = ms[MLS_PART_STARTUP],
                                                [MLS_SLOW_TRAINING] = run->measured_training_ms,
                                                [MLS_SLOW_EVALUATION] = ms[MLS_PART_EVALUATION],
                                                [MLS_SLOW_AFTER] = ms[MLS_PART_TRAINING] - run->measured_training_ms,
                                                [MLS_SLOW_BETWEEN] = ms[MLS_PART_BETWEEN],
                                                [MLS_SLOW_TAIL] = ms[MLS_PART_TAIL]};
    return values[part];
}

/* Find the runs that were slow relative to the medians of the group, and the parts of these runs that were slow. */
static void find_slow_runs(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    const size_t count = group->group->run_count;
    double medians[MLS_SLOW_PART_COUNT];
    group->median_ms_per_sample = group->limit_ms_per_sample = NAN;
    double *values = mls_arena_array(scratch, count, sizeof *values);
    double *distances = mls_arena_array(scratch, count, sizeof *distances);
    for (size_t i = 0; i < count; i++)
        group->timed += mls_throughput_is_timed(&group->runs[i]);
    if (group->timed < MLS_TIMED_MIN)
        return;
    group->slow_runs = mls_arena_array(arena, count, sizeof *group->slow_runs);
    for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            const mls_throughput *run = &group->runs[i];
            if (mls_throughput_is_timed(run))
                values[used++] = part_ms(run, (mls_slow_part)part) / part_units(group, run, (mls_slow_part)part);
        }
        mls_sort_doubles(values, used);
        medians[part] = mls_median(values, used);
        if (part == MLS_SLOW_TRAINING) {
            const double m = medians[part];
            const double s = MLS_DISTANCE_TO_STDEV * mls_median_distance(values, used, m, distances);
            group->median_ms_per_sample = m;
            group->limit_ms_per_sample = m * (1 + fmax(LIMIT_MIN, LIMIT_DEVIATIONS * s / m));
        }
    }
    for (size_t i = 0; i < count; i++) {
        const mls_throughput *run = &group->runs[i];
        mls_slow_run slow = {.run = run};
        if (!mls_throughput_is_timed(run))
            continue;
        for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
            const double extra =
                part_ms(run, (mls_slow_part)part) - medians[part] * part_units(group, run, (mls_slow_part)part);
            slow.parts_extra_ms[part] = extra;
            slow.extra_ms += extra;
            slow.largest = extra > slow.parts_extra_ms[slow.largest] ? (mls_slow_part)part : slow.largest;
        }
        slow.expected_ms = run->run_ms - slow.extra_ms;
        slow.pace = run->measured_training_ms / throughput_units(group, run) > group->limit_ms_per_sample;
        if (slow.pace || (slow.extra_ms > EXTRA_MIN * slow.expected_ms && slow.extra_ms > EXTRA_MIN_MS))
            group->slow_runs[group->slow_run_count++] = slow;
    }
}

/* A part of a slow run is reported if it took at least this much longer than expected: in milliseconds, and as a share
 * of the additional time of the run. */
#define PART_REPORTED_MS 100
#define PART_REPORTED 0.02

/* A cost below this percentage is shown as nothing. */
#define COST_SHOWN 0.05

/* A single evaluation is reported if it took at least this share of the additional evaluation time. */
#define ONE_EVALUATION 0.5

static mls_words minutes(double ms)
{
    return mls_words_grouped(ms / 60000, 2);
}

static mls_words samples_of(double samples)
{
    return mls_words_grouped(samples, samples < 100 ? 2 : 0);
}

static mls_finding_place place_of(const mls_throughput *run, size_t line)
{
    return (mls_finding_place){.path = run->run->file, .line = line};
}

bool mls_cost_append_score(mls_buffer *line, const mls_throughput_group *group, const mls_cost *cost)
{
    const double score = group->group->scaled_minutes;
    const double without = cost->score_without_minutes;
    if (isnan(cost->percent) && isnan(without))
        return false;
    if (isnan(cost->percent)) {
        mls_buffer_printf(line, "costs the group its score, which would be about %s",
                          mls_words_grouped(without, 3).text);
    } else if (fabs(cost->percent) < COST_SHOWN) {
        mls_buffer_printf(line, "costs the score nothing%s", cost->run_count > 1 ? "" : ": it is left out");
    } else {
        mls_buffer_printf(line, "costs the score %s: %s → %s", mls_words_percent(cost->percent / 100, 1).text,
                          mls_words_grouped(score, 3).text, mls_words_grouped(without, 3).text);
    }
    return true;
}

void mls_throughput_describe_evaluation(mls_buffer *line, const mls_throughput *run, double from_ms, double ms)
{
    const double median = run->evaluation_median_ms / 1000;
    mls_buffer_printf(line, "evaluation %zu", mls_throughput_evaluation_number(run, from_ms));
    if (mls_throughput_evaluation_number(run, from_ms) <= run->curve_count)
        mls_buffer_printf(line, " of %zu", run->curve_count);
    mls_buffer_printf(line, " took %s s, the others %s", mls_words_trimmed(ms / 1000, ms < 1e5 ? 1 : 0).text,
                      mls_words_trimmed(median, median < 100 ? 1 : 0).text);
}

static void report_phase(const mls_throughput_group *group, const mls_cost *cost, mls_buffer *line)
{
    const mls_throughput *first = cost->runs[0].run;
    const mls_slow_phase *phase = NULL;
    for (size_t i = 0; i < group->shared_phase_count && cost->run_count > 1; i++)
        if (group->shared_phases[i].middle.from_samples == cost->from_samples)
            phase = &group->shared_phases[i].middle;
    for (size_t i = 0; i < first->slow_phase_count && phase == NULL; i++)
        if (first->slow_phases[i].from_samples == cost->from_samples)
            phase = &first->slow_phases[i];
    if (phase == NULL)
        return;
    if (cost->run_count > 1) {
        const char *benchmark = group->group->benchmark;
        mls_buffer_printf(line, cost->run_count == group->timed ? "all %zu runs" : "%zu of %zu runs", cost->run_count,
                          group->timed);
        mls_buffer_printf(line, "%s%s are ", benchmark != NULL ? " of " : "", benchmark != NULL ? benchmark : "");
    }
    mls_buffer_printf(
        line,
        "slow from minute %s to %s, %s %s to %s: training took %s instead of %s, %s lost (%s%s times the steady pace)",
        minutes(phase->from_ms).text, minutes(phase->to_ms).text, mls_throughput_unit(first),
        samples_of(phase->from_samples).text, samples_of(phase->to_samples).text,
        mls_words_duration(phase->training_ms).text, mls_words_duration(phase->training_ms - phase->lost_ms).text,
        mls_words_duration(phase->lost_ms).text, cost->run_count > 1 ? "medians; " : "",
        mls_words_trimmed(phase->factor, 2).text);
}

/* Report a slow run with the part that lost most time, other parts that lost time, and the cause. */
static void report_slow_run(const mls_throughput_group *group, const mls_slow_run *slow, mls_buffer *line)
{
    static const char *const parts[] = {"start-up (run_start to the first block)", "training",
                                        "training after the last evaluation",      "evaluation",
                                        "time between blocks and evaluations",     "time after the last block"};
    const mls_throughput *run = slow->run;
    const double min = fmax(PART_REPORTED_MS, PART_REPORTED * fabs(slow->extra_ms));
    const char *separator = ": ";
    mls_buffer_printf(line, "took %s min, %s %s than the %s min expected for its samples and evaluations",
                      minutes(run->run_ms).text, mls_words_duration(fabs(slow->extra_ms)).text,
                      slow->extra_ms < 0 ? "less" : "more", minutes(slow->expected_ms).text);
    for (int k = -1; k < MLS_SLOW_PART_COUNT; k++) {
        const mls_slow_part part = k < 0 ? slow->largest : (mls_slow_part)k;
        const double extra = slow->parts_extra_ms[part];
        if (k < 0 || (part != slow->largest && fabs(extra) >= min)) {
            mls_buffer_printf(line, "%s%s took %s %s", separator, parts[part], mls_words_duration(fabs(extra)).text,
                              extra < 0 ? "less" : "more");
            separator = ", ";
        }
    }
    if (slow->pace || slow->largest == MLS_SLOW_TRAINING) {
        const double pace = run->measured_training_ms / throughput_units(group, run);
        mls_buffer_printf(line, "; its pace is %s times the group's",
                          mls_words_trimmed(pace / group->median_ms_per_sample, 3).text);
    }
    const mls_slow_evaluation *longest = &run->longest_evaluation;
    const double more = longest->ms - (run->parts.evaluations > 1 ? run->evaluation_median_ms : 0);
    if (slow->largest == MLS_SLOW_EVALUATION && longest->number > 0 &&
        more >= slow->parts_extra_ms[MLS_SLOW_EVALUATION] * ONE_EVALUATION) {
        mls_buffer_printf(line, "; evaluation %zu (from minute %s) took %s", longest->number,
                          minutes(longest->from_ms).text, mls_words_duration(longest->ms).text);
        if (run->parts.evaluations > 1)
            mls_buffer_printf(line, " (median of the run: %s)", mls_words_duration(run->evaluation_median_ms).text);
    }
    if (slow->largest == MLS_SLOW_AFTER && run->target_known && isnan(run->time_to_target_ms)) {
        mls_buffer_printf(line, "; no evaluation met the target (the last one: %s)%s",
                          mls_words_trimmed(run->curve[run->curve_count - 1].value, 5).text,
                          run->run->status == MLS_RUN_ABORTED ? ", and it was aborted" : "");
    }
}

static void report_switch(const mls_throughput_group *group, const mls_cost *cost, mls_buffer *line)
{
    const mls_pace_switch *change = &group->pace_switch;
    mls_buffer_printf(line, cost->run_count == group->timed ? "all %zu runs" : "%zu of %zu runs", cost->run_count,
                      group->timed);
    mls_buffer_printf(line,
                      " change pace at step %zu (%s samples), as a switch of precision does: %s once, then %s of the "
                      "pace",
                      change->step, samples_of(change->samples).text, mls_words_duration(change->once_ms).text,
                      mls_words_trimmed(1 / change->factor, 2).text);
}

/* Report a cost as a finding, with what it costs the score and what the job printed meanwhile. */
static void report_cost(mls_throughput_group *group, const mls_cost *cost)
{
    static const mls_finding_code codes[] = {[MLS_COST_FAILED_RUN] = MLS_FINDING_FAILED_RUN,
                                             [MLS_COST_SWITCH] = MLS_FINDING_PRECISION_SWITCH,
                                             [MLS_COST_SLOW_PHASE] = MLS_FINDING_SLOW_PHASE,
                                             [MLS_COST_SLOW_EVALUATION] = MLS_FINDING_SLOW_EVALUATION,
                                             [MLS_COST_SLOW_RUN] = MLS_FINDING_SLOW_RUN};
    const mls_throughput *first = cost->runs[0].run;
    const mls_finding *reason = mls_run_reason(first->run);
    mls_buffer line = {0};
    switch (cost->kind) {
    case MLS_COST_FAILED_RUN:
        mls_buffer_printf(&line, "not valid%s%s", reason != NULL ? ": " : "", reason != NULL ? reason->message : "");
        break;
    case MLS_COST_SLOW_PHASE:
        report_phase(group, cost, &line);
        break;
    case MLS_COST_SLOW_EVALUATION:
        if (cost->run_count > 1)
            mls_buffer_printf(&line, "in %zu runs ", cost->run_count);
        mls_throughput_describe_evaluation(&line, first, cost->runs[0].from_ms,
                                           cost->runs[0].to_ms - cost->runs[0].from_ms);
        break;
    case MLS_COST_SLOW_RUN:
        report_slow_run(group, cost->slow, &line);
        break;
    case MLS_COST_SWITCH:
        report_switch(group, cost, &line);
        break;
    }
    const size_t len = line.len;
    mls_buffer_append_text(&line, "; ");
    const bool known = mls_cost_append_score(&line, group, cost);
    if (!known)
        mls_buffer_cut(&line, len);
    if (cost->printed_count > 0)
        mls_buffer_printf(&line, "; printed meanwhile: \"%s\"", cost->printed[0]);
    mls_finding_place place = {0};
    if (cost->run_count == 1)
        place = place_of(first, 0);
    if (known || cost->kind != MLS_COST_FAILED_RUN)
        mls_findings_add(&group->findings, codes[cost->kind], place, "%s", line.ptr);
    mls_buffer_release(&line);
}

void mls_throughput_group_compare(mls_throughput_group *group, const mls_healing *healing, mls_arena *arena,
                                  mls_arena *scratch, const mls_score_options *how)
{
    const size_t all = group->group->run_count;
    size_t reached = 0;
    size_t changed = 0;
    size_t count = 0;
    mls_arena_reset(scratch);
    /* If all runs that reached the healing step change their pace there, the change is by design: measure later slow
     * phases relative to the pace after the step. */
    mls_placed *factors = mls_arena_array(scratch, all, sizeof *factors);
    for (size_t i = 0; i < all; i++) {
        reached += healing[i].reached;
        if (healing[i].changed)
            factors[changed++] = (mls_placed){healing[i].factor, i};
    }
    if (changed > 0 && changed >= reached) {
        for (size_t i = 0; i < changed; i++) {
            const mls_healing *of = &healing[factors[i].place];
            mls_throughput *run = &group->runs[factors[i].place];
            run->healing_step = of->step;
            run->healing_samples = of->samples;
            run->healing_factor = of->factor;
            run->slow_phases = of->phases;
            run->slow_phase_count = of->phase_count;
        }
        mls_sort_placed(factors, changed, sizeof *factors);
        group->healed = &group->runs[factors[(changed - 1) / 2].place];
        group->healed_count = changed;
    }
    mls_throughput_find_switch(group, arena, scratch);
    find_slow_runs(group, arena, scratch);
    /* The run with the median loss of warm-up represents the group. */
    mls_placed *shares = mls_arena_array(scratch, all, sizeof *shares);
    for (size_t i = 0; i < all; i++) {
        const mls_throughput *run = &group->runs[i];
        if (run->segment_count > 0 && run->run_ms > 0)
            shares[count++] = (mls_placed){run->warmup_lost_ms / run->run_ms, i};
    }
    mls_sort_placed(shares, count, sizeof *shares);
    const mls_placed *middle = count > 0 ? &shares[(count - 1) / 2] : NULL;
    if (middle != NULL && middle->value >= WARMUP_MIN)
        group->warmed_up = &group->runs[middle->place];
    find_shared_phases(group, arena, scratch);
    mls_throughput_find_costs(group, how, arena);
    mls_throughput_find_printed(group, arena);
    /* Add the findings: what could not be measured, then the costs. */
    mls_findings *findings = &group->findings;
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        const mls_run *read = run->run;
        const mls_utilization *used = &run->utilization;
        if (run->state == MLS_TIMED_NO_START) {
            mls_findings_add(findings, MLS_FINDING_MISSING_STEP, place_of(run, read->line),
                             "no run_start, so the run was not timed");
        } else if (run->state == MLS_TIMED_STOP_BEFORE_START) {
            mls_findings_add(findings, MLS_FINDING_STEP_ORDER, place_of(run, read->run_stop.line),
                             "run_stop is before run_start (line %zu), so the run was not timed", read->run_start.line);
        } else if (!run->has_parts) {
            mls_findings_add(findings, MLS_FINDING_NOT_MEASURED, place_of(run, read->line),
                             "more than %s evaluations or starts and stops of blocks, so only the duration is reported",
                             mls_words_grouped((double)MLS_NOTED_MAX, 0).text);
        }
        if (used->narrowest > 1) {
            mls_findings_add(findings, MLS_FINDING_MFU_IMPOSSIBLE, place_of(run, 0),
                             "utilization is %s times the highest peak of %s %s: the number or model of the "
                             "accelerators, or the samples, must be wrong",
                             mls_words_trimmed(used->narrowest, 2).text, mls_words_trimmed(used->accelerators, 0).text,
                             used->accelerator->name);
        }
    }
    for (size_t i = 0; i < group->cost_count; i++) {
        const size_t before = findings->count;
        report_cost(group, &group->costs[i]);
        group->findings_within += group->costs[i].within ? findings->count - before : 0;
    }
}
