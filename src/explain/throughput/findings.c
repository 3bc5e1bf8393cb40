/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - the time to the target of the rules, and what was found about a measured group, in words. */
#include <math.h>

#include "base/words.h"
#include "explain/throughput/notes.h"

/* A part of a slow run is reported when it took so much more or less, in milliseconds and of what the run did. */
#define PART_REPORTED_MS 100
#define PART_REPORTED 0.02

/* An evaluation is named when it alone took this share of what all of a run took more. */
#define ONE_EVALUATION 0.5

mls_status mls_time_to_target(mls_throughput *run, const mls_group *group, mls_rulesets *rulesets, mls_error *error)
{
    const mls_ruleset *ruleset = NULL;
    mls_status status = MLS_OK;
    if (rulesets == NULL || run->benchmark == NULL || run->curve_count == 0) {
        return MLS_OK;
    }
    status = mls_rulesets_get(rulesets, group->edition, &ruleset, error);
    static const char *const members[] = {NULL, "BBOX", "SEGM"};
    mls_target *const targets[] = {&run->target, &run->box_target, &run->mask_target};
    for (size_t i = 0; i < sizeof members / sizeof *members && status == MLS_OK; i++) {
        status = mls_ruleset_target(ruleset, run->benchmark, run->run->global_batch_size, members[i], targets[i]);
    }
    for (size_t i = 0; i < run->curve_count && status == MLS_OK && isnan(run->time_to_target_ms); i++) {
        bool known = false;
        bool meets = false;
        if (!isnan(run->curve[i].value)) {
            status = mls_ruleset_meets_target(ruleset, run->benchmark, run->run->global_batch_size, run->curve[i].value,
                                              &known, &meets);
        }
        run->target_known |= known;
        if (meets) {
            run->time_to_target_ms = run->curve[i].ms;
            run->target_at = i + 1;
        }
    }
    return status;
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
    for (size_t i = 0; i < run->slow_phase_count; i++) {
        if (!run->slow_phases[i].shared) {
            report_phase(group, run_of(run, 0), "", mls_throughput_unit(run), &run->slow_phases[i]);
        }
    }
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
        mls_buffer_printf(line, "; its pace is %s times the group's",
                          mls_words_trimmed(run->measured_training_ms / mls_throughput_units(group, run) /
                                                group->median_ms_per_sample,
                                            3)
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

bool mls_throughput_group_report(mls_throughput_group *group)
{
    size_t slow = 0;
    report_shared(group);
    for (size_t i = 0; i < group->group->run_count; i++) {
        const mls_throughput *run = &group->runs[i];
        report_state(group, run);
        report_utilization(group, run);
        report_phases(group, run);
        if (slow < group->slow_run_count && group->slow_runs[slow].run == run) {
            report_slow_run(group, &group->slow_runs[slow++]);
        }
    }
    return !group->findings.out_of_memory;
}
