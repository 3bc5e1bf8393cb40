/* SPDX-License-Identifier: Apache-2.0 */
/* group.c - what the runs of a group have in common, which of them were slow, and which of their parts made them slow;
 * their use of the machine, and the findings.
 *
 * A run is compared with what the others would have taken for its samples and its evaluations, so that one that needs
 * more of them to converge is never slow for that. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/words.h"
#include "explain/throughput/notes.h"

/* A warm-up is worth a line when it loses so much of the runs. */
#define WARMUP_MIN 0.10

/* A slow phase of one run, while those of all runs are looked through by their samples. */
typedef struct spot {
    mls_slow_phase *phase;
    size_t at; /* its place among those that are open */
} spot;

typedef struct spot_end {
    double samples;
    bool begins;
    size_t spot;
} spot_end;

/* Where one ends another one begins: they have nothing in common. */
static int compare_ends(const void *left, const void *right)
{
    const spot_end *a = left;
    const spot_end *b = right;
    const int order = mls_compare_doubles(a->samples, b->samples);
    return order != 0 ? order : a->begins != b->begins ? a->begins - b->begins : mls_compare_sizes(a->spot, b->spot);
}

/* The lower median of a member of the phases that are open. */
static double median_member(mls_slow_phase *const *open, size_t count, size_t member, double *values)
{
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)open[i] + member, sizeof *values);
    mls_sort_doubles(values, count);
    return mls_median_lower(values, count);
}

/* Makes one of the phases that are open and in no other one. */
static void share(mls_throughput_group *group, mls_slow_phase *const *open, size_t count, double *values)
{
    mls_shared_phase *shared = &group->shared_phases[group->shared_phase_count++];
    shared->runs = count;
    shared->middle =
        (mls_slow_phase){.from_ms = median_member(open, count, offsetof(mls_slow_phase, from_ms), values),
                         .to_ms = median_member(open, count, offsetof(mls_slow_phase, to_ms), values),
                         .from_samples = median_member(open, count, offsetof(mls_slow_phase, from_samples), values),
                         .to_samples = median_member(open, count, offsetof(mls_slow_phase, to_samples), values),
                         .training_ms = median_member(open, count, offsetof(mls_slow_phase, training_ms), values),
                         .lost_ms = median_member(open, count, offsetof(mls_slow_phase, lost_ms), values),
                         .factor = median_member(open, count, offsetof(mls_slow_phase, factor), values)};
    for (size_t i = 0; i < count; i++)
        open[i]->shared = true;
}

static bool counts(const mls_throughput *run, const mls_throughput *first)
{
    return run->state == MLS_TIMED_ENDED && run->samples > 0 && run->in_epochs == first->in_epochs;
}

/* The phases of the runs that are counted, each with its two ends; how many phases there are. */
static size_t list_spots(const mls_throughput_group *group, spot *spots, spot_end *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < group->group->run_count; i++) {
        mls_throughput *run = &group->runs[i];
        for (size_t k = 0; k < run->slow_phase_count && counts(run, group->runs); k++) {
            mls_slow_phase *phase = &run->slow_phases[k];
            spots[count].phase = phase;
            ends[2 * count] = (spot_end){phase->from_samples, true, count};
            ends[2 * count + 1] = (spot_end){phase->to_samples, false, count};
            count++;
        }
    }
    qsort(ends, 2 * count, sizeof *ends, compare_ends);
    return count;
}

/* Slow phases of more than half of the runs that have a sample in common are one: looked for where the next one of the
 * phases that are open ends, and the last one that began is among them. */
static void find_shared(mls_throughput_group *group, size_t runs, mls_arena *arena, mls_arena *scratch)
{
    size_t total = 0;
    for (size_t i = 0; i < group->group->run_count; i++)
        total += group->runs[i].slow_phase_count;
    if (runs < MLS_TIMED_MIN || total * 2 <= runs)
        return;
    spot *spots = mls_arena_array(scratch, total, sizeof *spots);
    spot_end *ends = mls_arena_array(scratch, 2 * total, sizeof *ends);
    mls_slow_phase **open = mls_arena_array(scratch, total, sizeof(mls_slow_phase *));
    size_t *owners = mls_arena_array(scratch, total, sizeof *owners);
    double *values = mls_arena_array(scratch, total, sizeof *values);
    group->shared_phases = mls_arena_array(arena, 2 * total / runs, sizeof *group->shared_phases);
    const size_t count = list_spots(group, spots, ends);
    size_t opened = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        spot *one = &spots[ends[i].spot];
        if (ends[i].begins) {
            one->at = opened;
            owners[opened] = ends[i].spot;
            open[opened++] = one->phase;
            continue;
        }
        if (opened * 2 > runs && !one->phase->shared) {
            share(group, open, opened, values);
            opened = 0;
        } else if (!one->phase->shared) {
            open[one->at] = open[--opened];
            owners[one->at] = owners[opened];
            spots[owners[one->at]].at = one->at;
        }
    }
}

void mls_throughput_group_heal(mls_throughput_group *group, const mls_healing *healing, mls_arena *scratch)
{
    const size_t all = group->group->run_count;
    size_t reached = 0;
    mls_arena_reset(scratch);
    mls_placed *factors = mls_arena_array(scratch, all, sizeof *factors);
    size_t changed = 0;
    for (size_t i = 0; i < all; i++) {
        reached += healing[i].reached;
        if (healing[i].changed)
            factors[changed++] = (mls_placed){healing[i].factor, i};
    }
    if (changed == 0 || changed < reached)
        return;
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

/* Which run stands for the group by what it lost before its pace was steady: the one in the middle. */
static void find_typical_warmup(mls_throughput_group *group, mls_arena *scratch)
{
    const size_t all = group->group->run_count;
    mls_placed *shares = mls_arena_array(scratch, all, sizeof *shares);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        const mls_throughput *run = &group->runs[i];
        if (run->segment_count > 0 && run->run_ms > 0)
            shares[count++] = (mls_placed){run->warmup_lost_ms / run->run_ms, i};
    }
    mls_sort_placed(shares, count, sizeof *shares);
    const mls_placed *middle = count > 0 ? &shares[(count - 1) / 2] : NULL;
    if (middle != NULL && middle->value >= WARMUP_MIN)
        group->warmed_up = &group->runs[middle->place];
}

void mls_throughput_group_share(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    size_t runs = 0;
    mls_arena_reset(scratch);
    for (size_t i = 0; i < group->group->run_count; i++)
        runs += counts(&group->runs[i], group->runs);
    find_typical_warmup(group, scratch);
    find_shared(group, runs, arena, scratch);
}

/* A pace is slow above the median by 3 % and five deviations; a run by 3 % of what was expected and five seconds. */
#define LIMIT_MIN 0.03
#define LIMIT_DEVIATIONS 5
#define EXTRA_MIN 0.03
#define EXTRA_MIN_MS 5000

const char *mls_slow_part_name(mls_slow_part part)
{
    static const char *const names[] = {"startup", "training", "after", "evaluation", "between", "tail"};
    return names[part];
}

static double evaluations_of(const mls_throughput *run)
{
    return run->curve_count > 0 ? (double)run->curve_count : 1;
}

/* The samples of a run, those behind a healing step as many times as they take longer by design. */
static double throughput_units(const mls_throughput_group *group, const mls_throughput *run)
{
    const double longer = run->healing_step > 0 ? group->healed->healing_factor - 1 : 0;
    return run->samples + longer * fmax(run->samples - run->healing_samples, 0);
}

/* The measure that the time of a part grows with: none, samples, or evaluations. */
static double part_units(const mls_throughput_group *group, const mls_throughput *run, mls_slow_part part)
{
    return part == MLS_SLOW_TRAINING                                 ? throughput_units(group, run)
           : part == MLS_SLOW_EVALUATION || part == MLS_SLOW_BETWEEN ? evaluations_of(run)
                                                                     : 1;
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

static bool is_timed(const mls_throughput *run)
{
    return run->state == MLS_TIMED_ENDED && run->samples > 0;
}

/* Holds a timed run against the medians, a unit, of its group; true when it is slow. */
static bool is_slow_run(const mls_throughput_group *group, const double *medians, mls_slow_run *slow)
{
    const mls_throughput *run = slow->run;
    slow->largest = MLS_SLOW_STARTUP;
    for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
        const double extra =
            part_ms(run, (mls_slow_part)part) - medians[part] * part_units(group, run, (mls_slow_part)part);
        slow->parts_extra_ms[part] = extra;
        slow->extra_ms += extra;
        slow->largest = extra > slow->parts_extra_ms[slow->largest] ? (mls_slow_part)part : slow->largest;
    }
    slow->expected_ms = run->run_ms - slow->extra_ms;
    slow->pace = run->measured_training_ms / throughput_units(group, run) > group->limit_ms_per_sample;
    return slow->pace || (slow->extra_ms > EXTRA_MIN * slow->expected_ms && slow->extra_ms > EXTRA_MIN_MS);
}

void mls_throughput_group_judge(mls_throughput_group *group, mls_arena *arena, mls_arena *scratch)
{
    const size_t count = group->group->run_count;
    double medians[MLS_SLOW_PART_COUNT];
    group->median_ms_per_sample = group->limit_ms_per_sample = NAN;
    mls_arena_reset(scratch);
    double *values = mls_arena_array(scratch, count, sizeof *values);
    double *distances = mls_arena_array(scratch, count, sizeof *distances);
    for (size_t i = 0; i < count; i++)
        group->timed += is_timed(&group->runs[i]);
    if (group->timed < MLS_TIMED_MIN)
        return;
    group->slow_runs = mls_arena_array(arena, count, sizeof *group->slow_runs);
    for (int part = 0; part < MLS_SLOW_PART_COUNT; part++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            const mls_throughput *run = &group->runs[i];
            if (is_timed(run))
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
        mls_slow_run slow = {.run = &group->runs[i]};
        if (is_timed(slow.run) && is_slow_run(group, medians, &slow))
            group->slow_runs[group->slow_run_count++] = slow;
    }
}

/* A part of a slow run is reported when it took so much more or less, in milliseconds and of what the run did. */
#define PART_REPORTED_MS 100
#define PART_REPORTED 0.02

/* An evaluation is named when it alone took this share of what all of a run took more. */
#define ONE_EVALUATION 0.5

mls_status mls_time_to_target(mls_throughput *run, const mls_group *group, mls_rulesets *rulesets, mls_error *error)
{
    const mls_ruleset *ruleset;
    if (rulesets == NULL || run->benchmark == NULL || run->curve_count == 0)
        return MLS_OK;
    const mls_status status = mls_rulesets_get(rulesets, group->edition, &ruleset, error);
    if (status != MLS_OK)
        return status;
    const double batch = run->run->global_batch_size;
    run->target = mls_ruleset_target(ruleset, run->benchmark, batch, NULL);
    run->box_target = mls_ruleset_target(ruleset, run->benchmark, batch, "BBOX");
    run->mask_target = mls_ruleset_target(ruleset, run->benchmark, batch, "SEGM");
    for (size_t i = 0; i < run->curve_count && isnan(run->time_to_target_ms); i++) {
        bool meets = false;
        if (!isnan(run->curve[i].value))
            run->target_known |= mls_ruleset_meets_target(ruleset, run->benchmark, batch, run->curve[i].value, &meets);
        if (meets) {
            run->time_to_target_ms = run->curve[i].ms;
            run->target_at = i + 1;
        }
    }
    return MLS_OK;
}

static mls_words minutes(double ms)
{
    return mls_words_grouped(ms / 60000, 2);
}

static mls_words samples_of(double samples)
{
    return mls_words_grouped(samples, samples < 100 ? 2 : 0);
}

static mls_finding_place run_of(const mls_throughput *run, size_t line)
{
    return (mls_finding_place){.path = run->run->file, .line = line};
}

static void report_state(mls_throughput_group *group, const mls_throughput *run)
{
    const mls_run *read = run->run;
    if (run->state == MLS_TIMED_NO_START) {
        mls_findings_add(&group->findings, MLS_FINDING_MISSING_STEP, run_of(run, read->line),
                         "no run_start: nothing of the run was timed");
    } else if (run->state == MLS_TIMED_STOP_BEFORE_START) {
        mls_findings_add(&group->findings, MLS_FINDING_STEP_ORDER, run_of(run, read->run_stop.line),
                         "run_stop is before run_start (line %zu): nothing of the run was timed", read->run_start.line);
    } else if (!run->has_parts) {
        mls_findings_add(&group->findings, MLS_FINDING_NOT_MEASURED, run_of(run, read->line),
                         "more than %s evaluations, or starts and stops of blocks: only its length is reported",
                         mls_words_grouped((double)MLS_NOTED_MAX, 0).text);
    }
}

static void report_phase(mls_throughput_group *group, mls_finding_place place, const char *who, const char *unit,
                         const mls_slow_phase *phase)
{
    mls_findings_add(
        &group->findings, MLS_FINDING_SLOW_PHASE, place,
        "%sslow from minute %s to %s, %s %s to %s: %s of training where %s are normal, %s lost "
        "(%s%s times the steady pace)",
        who, minutes(phase->from_ms).text, minutes(phase->to_ms).text, unit, samples_of(phase->from_samples).text,
        samples_of(phase->to_samples).text, mls_words_duration(phase->training_ms).text,
        mls_words_duration(phase->training_ms - phase->lost_ms).text, mls_words_duration(phase->lost_ms).text,
        who[0] != '\0' ? "medians; " : "", mls_words_trimmed(phase->factor, 2).text);
}

/* Reports what most share, once. */
static void report_shared(mls_throughput_group *group)
{
    mls_buffer who = {0};
    for (size_t i = 0; i < group->shared_phase_count; i++) {
        const mls_shared_phase *shared = &group->shared_phases[i];
        mls_buffer_clear(&who);
        const char *benchmark = group->group->benchmark;
        mls_buffer_printf(&who, shared->runs == group->timed ? "all %zu runs" : "%zu of %zu runs", shared->runs,
                          group->timed);
        mls_buffer_printf(&who, "%s%s are ", benchmark != NULL ? " of " : "", benchmark != NULL ? benchmark : "");
        report_phase(group, (mls_finding_place){0}, who.ptr, mls_throughput_unit(&group->runs[0]), &shared->middle);
    }
    mls_buffer_release(&who);
}

static void report_phases(mls_throughput_group *group, const mls_throughput *run)
{
    for (size_t i = 0; i < run->slow_phase_count; i++)
        if (!run->slow_phases[i].shared)
            report_phase(group, run_of(run, 0), "", mls_throughput_unit(run), &run->slow_phases[i]);
}

static void report_utilization(mls_throughput_group *group, const mls_throughput *run)
{
    const mls_utilization *of = &run->utilization;
    if (of->narrowest > 1) {
        mls_findings_add(&group->findings, MLS_FINDING_MFU_IMPOSSIBLE, run_of(run, 0),
                         "%s times the largest peak of %s %s: the number of accelerators, their model or the samples "
                         "are wrong",
                         mls_words_trimmed(of->narrowest, 2).text, mls_words_trimmed(of->accelerators, 0).text,
                         of->accelerator->name);
    }
}

/* The name of a part in a sentence. */
static const char *slow_words(mls_slow_part part)
{
    static const char *const words[] = {"start-up, from run_start to the first block,", "training",
                                        "training after the last evaluation",           "evaluation",
                                        "what lies between blocks and evaluations",     "what follows the last block"};
    return words[part];
}

/* The part that took most, then the others that matter beside it. */
static void append_parts(mls_buffer *line, const mls_slow_run *slow)
{
    const double min = fmax(PART_REPORTED_MS, PART_REPORTED * fabs(slow->extra_ms));
    const char *separator = ": ";
    for (int k = -1; k < MLS_SLOW_PART_COUNT; k++) {
        const mls_slow_part part = k < 0 ? slow->largest : (mls_slow_part)k;
        const double extra = slow->parts_extra_ms[part];
        if (k < 0 || (part != slow->largest && fabs(extra) >= min)) {
            mls_buffer_printf(line, "%s%s took %s %s", separator, slow_words(part),
                              mls_words_duration(fabs(extra)).text, extra < 0 ? "less" : "more");
            separator = ", ";
        }
    }
}

/* The cause of a slow run beyond the times: its pace, or that it went on without having met the target. */
static void append_cause(mls_buffer *line, const mls_throughput_group *group, const mls_slow_run *slow)
{
    const mls_throughput *run = slow->run;
    if (slow->pace || slow->largest == MLS_SLOW_TRAINING) {
        mls_buffer_printf(
            line, "; its pace is %s times the group's",
            mls_words_trimmed(run->measured_training_ms / throughput_units(group, run) / group->median_ms_per_sample, 3)
                .text);
    }
    const mls_slow_evaluation *longest = &run->longest_evaluation;
    const double more = longest->ms - (run->parts.evaluations > 1 ? run->evaluation_median_ms : 0);
    if (slow->largest == MLS_SLOW_EVALUATION && longest->number > 0 &&
        more >= slow->parts_extra_ms[MLS_SLOW_EVALUATION] * ONE_EVALUATION) {
        mls_buffer_printf(line, "; evaluation %zu, from minute %s on, took %s", longest->number,
                          minutes(longest->from_ms).text, mls_words_duration(longest->ms).text);
        if (run->parts.evaluations > 1) {
            mls_buffer_printf(line, " where %s is the run's median",
                              mls_words_duration(run->evaluation_median_ms).text);
        }
    }
    if (slow->largest == MLS_SLOW_AFTER && run->target_known && isnan(run->time_to_target_ms)) {
        mls_buffer_printf(line, "; it met its target in no evaluation (the last gave %s)%s",
                          mls_words_trimmed(run->curve[run->curve_count - 1].value, 5).text,
                          run->run->status == MLS_RUN_ABORTED ? " and was aborted" : "");
    }
}

static void report_slow_run(mls_throughput_group *group, const mls_slow_run *slow)
{
    const mls_throughput *run = slow->run;
    mls_buffer line = {0};
    mls_buffer_printf(&line, "took %s min where its group takes %s for as many samples and evaluations, %s %s",
                      minutes(run->run_ms).text, minutes(slow->expected_ms).text,
                      mls_words_duration(fabs(slow->extra_ms)).text, slow->extra_ms < 0 ? "less" : "more");
    append_parts(&line, slow);
    append_cause(&line, group, slow);
    mls_findings_add(&group->findings, MLS_FINDING_SLOW_RUN, run_of(run, 0), "%s", line.ptr);

    mls_buffer_release(&line);
}

void mls_throughput_group_report(mls_throughput_group *group)
{
    size_t slow = 0;
    report_shared(group);
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        report_state(group, run);
        report_utilization(group, run);
        report_phases(group, run);
        if (slow < group->slow_run_count && group->slow_runs[slow].run == run)
            report_slow_run(group, &group->slow_runs[slow++]);
    }
}

#define FLOPS_PER_TFLOP 1e12

static double largest_peak(const mls_accelerator *accelerator)
{
    double largest = NAN;
    for (int i = 0; i < MLS_PRECISION_COUNT; i++)
        largest = accelerator->peak[i] > largest || isnan(largest) ? accelerator->peak[i] : largest;
    return largest;
}

mls_status mls_utilization_machine(const mls_group *group, const mls_throughput_options *options,
                                   const mls_accelerator **found, double *accelerators)
{
    const mls_str model = mls_str_from(
        group->system.accelerator_model_name != NULL ? group->system.accelerator_model_name : group->accelerator);
    *accelerators = isnan(options->accelerators) ? group->accelerators : options->accelerators;
    *found = options->accelerator;
    if (*found != NULL || (isnan(*accelerators) && group->accelerator == NULL))
        return MLS_OK;
    return mls_accelerators_match(options->accelerator_table, model, mls_str_from(group->system.system_name), found);
}

/* In what the linear layers, which most FLOPs are spent on, multiply: from edition 6.1 on records say it, and many jobs
 * print it. */
static void find_precision(mls_utilization *of, const mls_run *run, const mls_throughput_options *options)
{
    const mls_str logged = mls_str_from(mls_run_hyperparameter(run, MLS_S("lowest_numerical_precision_in_linear")));
    const unsigned printed = logged.len == 0 ? run->facts.precision : MLS_PRINTED_NO_PRECISION;
    const bool fp4 = mls_str_equal(logged, MLS_S("\"nvfp4\"")) || mls_str_equal(logged, MLS_S("\"mxfp4\"")) ||
                     printed == MLS_PRINTED_FP4;
    const bool fp8 = mls_str_equal(logged, MLS_S("\"fp8\"")) || printed == MLS_PRINTED_FP8;
    of->has_precision = options->has_precision || fp4 || fp8;
    of->named = options->has_precision ? options->precision : fp4 ? MLS_PRECISION_FP4 : MLS_PRECISION_FP8;
}

/* FLOPs of a sample.  They are known of one length.  Of another one matrices and windows grow with it, and with its
 * square the attention that a causal sample needs half of. */
static double flops_of(const mls_throughput *run, bool causal)
{
    const mls_model *model = run->model;
    const double whole = model->flops_per_sample;
    const double longer = run->tokens_per_sample / model->tokens_per_sample;
    const double saved = isnan(model->flops_per_sample_causal) ? 0 : whole - model->flops_per_sample_causal;
    if (isnan(longer) || longer == 1)
        return causal ? whole - saved : whole;
    return isnan(model->flops_per_sample_causal)
               ? (double)NAN
               : (whole - 2 * saved) * longer + (causal ? saved : 2 * saved) * longer * longer;
}

void mls_utilization_find(mls_throughput *run, const mls_throughput_options *options)
{
    mls_utilization *of = &run->utilization;
    if (run->model == NULL || run->in_epochs)
        return;
    of->flops_per_sample = flops_of(run, options->causal);
    of->flops_derived = isnan(of->flops_per_sample) ? run->model->flops_per_sample_derived : (double)NAN;
    find_precision(of, run->run, options);
    if (of->accelerator != NULL) {
        const double *peak = of->accelerator->peak;
        const double usual = isnan(peak[MLS_PRECISION_BF16]) ? peak[MLS_PRECISION_FP16] : peak[MLS_PRECISION_BF16];
        const double rate = 1000 / run->steady_ms_per_sample / of->accelerators / FLOPS_PER_TFLOP;
        const double used = of->flops_per_sample * rate;
        of->bf16 = used / usual;
        of->precision = of->has_precision ? used / peak[of->named] : (double)NAN;
        of->derived = of->flops_derived * rate / usual;
        of->narrowest = (isnan(used) ? of->flops_derived * rate : used) / largest_peak(of->accelerator);
    }
}
