/* SPDX-License-Identifier: Apache-2.0 */
/* run_finish.c - is the run complete, did it succeed, and does it count. */
#include <math.h>

#include "base/buffer.h"
#include "base/number.h"
#include "mlscore/run.h"

/* What is wrong with the sequence is an error only where no rules say what counts. */
static mls_severity own_severity(const mls_run *run)
{
    return run->judged ? MLS_SEVERITY_ADVICE : MLS_SEVERITY_ERROR;
}

/* The second step came before the first; either may be missing, which is a finding of its own. */
static void steps_ordered(mls_run *run, const char *first, mls_step a, const char *second, mls_step b)
{
    if (a.line > 0 && b.line > 0 && b.time_ms < a.time_ms) {
        mls_findings_add_as(&run->findings, MLS_FINDING_STEP_ORDER, own_severity(run),
                            (mls_finding_place){.line = b.line, .key = mls_str_from(second)},
                            "%s is %.0f ms before %s (line %zu)", second, a.time_ms - b.time_ms, first, a.line);
    }
}

static void judge_sequence(mls_run *run)
{
    const bool started = run->run_start.line > 0;
    const mls_step evaluation = {run->first_evaluation.time_ms, run->first_evaluation.line};
    const struct {
        const char *name;
        bool missing;
        const char *why;
    } steps[] = {
        {"init_start", run->init_start.line == 0, "nothing says when the run began to initialise"},
        {"init_stop", run->init_stop.line == 0, "the run never finished initialising, or did not log it"},
        {"run_start", !started, "the run never started training"},
        {"run_stop", started && run->run_stop.line == 0, "the run died while training, or did not log its end"},
        {"eval_accuracy", started && run->evaluations == 0, "the model was never evaluated"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].missing) {
            mls_findings_add_as(&run->findings, MLS_FINDING_MISSING_STEP, own_severity(run),
                                (mls_finding_place){.key = mls_str_from(steps[i].name)}, "no %s: %s", steps[i].name,
                                steps[i].why);
        }
    }
    steps_ordered(run, "init_start", run->init_start, "init_stop", run->init_stop);
    steps_ordered(run, "init_stop", run->init_stop, "run_start", run->run_start);
    steps_ordered(run, "run_start", run->run_start, "the first evaluation", evaluation);
    steps_ordered(run, "run_start", run->run_start, "run_stop", run->run_stop);
}

/* What the last evaluation gave, where the log says it. */
static void describe_end(const mls_run *run, mls_buffer *words)
{
    const mls_convergence converge = mls_run_to_converge(run);
    const char *target = mls_run_hyperparameter(run, MLS_S("target_accuracy"));
    if (!isnan(run->last_evaluation.value) && !isnan(converge.number)) {
        mls_buffer_printf(words, ": the last evaluation gave %.6g at %s %s%s%s", run->last_evaluation.value,
                          mls_words_trimmed(converge.number, 3).text, converge.unit, target != NULL ? ", target " : "",
                          target != NULL ? target : "");
    }
}

static void judge_status(mls_run *run)
{
    const mls_finding_place place = {.line = run->run_stop.line, .key = MLS_S("run_stop")};
    mls_buffer words = {0};
    if (run->run_stop.line == 0 || run->status == MLS_RUN_SUCCESS) {
        return;
    }
    mls_buffer_append_text(&words, run->status == MLS_RUN_ABORTED        ? "aborted"
                                   : run->status == MLS_RUN_OTHER_STATUS ? "run_stop has a status that is not success"
                                                                         : "run_stop has no status in its metadata");
    if (run->status == MLS_RUN_ABORTED) {
        describe_end(run, &words);
    }
    mls_findings_add_as(&run->findings, MLS_FINDING_STATUS, own_severity(run), place, "%s",
                        words.failed ? "" : words.ptr);
    run->out_of_memory |= words.failed;
    mls_buffer_release(&words);
}

/* What the rules say of the log: the run's findings from here on, those of its own steps before them. */
static mls_status take_verdict(mls_run *run, mls_checker *checker, bool steps)
{
    const mls_status status = mls_checker_end(checker);
    if (status != MLS_OK) {
        return status;
    }
    const mls_verdict verdict = mls_checker_verdict(checker);
    run->valid = verdict.valid && (!steps || isfinite(mls_run_minutes(run)));
    run->usage = verdict.usage;
    run->edition = verdict.edition;
    run->edition_guessed = verdict.guessed;
    run->edition_by_date = verdict.by_date;
    run->benchmark_line = verdict.benchmark_line;
    if (steps) {
        /* The checker's word on the status is shorter than the run's own. */
        mls_findings_append_except(&run->findings, verdict.findings, MLS_FINDING_STATUS);
    } else {
        mls_checker_take_findings(checker, &run->findings);
    }
    return MLS_OK;
}

mls_status mls_run_finish(mls_run *run, mls_checker *checker, bool steps)
{
    mls_status status = MLS_OK;
    if (run->records + run->malformed == 0) {
        if (checker == NULL) {
            mls_findings_add(&run->findings, MLS_FINDING_EMPTY, (mls_finding_place){.key = MLS_S("@empty")},
                             "no :::MLLOG record in the whole file");
        }
    } else if (steps || checker == NULL) {
        judge_sequence(run);
        judge_status(run);
    }
    if (checker != NULL) {
        status = take_verdict(run, checker, steps);
    } else {
        run->valid = run->findings.counts.error == 0;
    }
    run->out_of_memory |= run->findings.out_of_memory;
    return status == MLS_OK && run->out_of_memory ? MLS_ERROR_MEMORY : status;
}

/* A run that failed is best explained by how it ended, then by what is missing; a rule it broke comes after that. */
static int reason_rank(const mls_finding *finding)
{
    return finding->code == MLS_FINDING_STATUS         ? 3
           : finding->code == MLS_FINDING_MISSING_STEP ? 2
                                                       : finding->severity == MLS_SEVERITY_ERROR;
}

const mls_finding *mls_run_reason(const mls_run *run)
{
    const mls_finding *reason = NULL;
    int best = 0;
    for (size_t i = 0; i < run->findings.count && !run->valid; i++) {
        const int rank = reason_rank(&run->findings.items[i]);
        if (rank > best) {
            best = rank;
            reason = &run->findings.items[i];
        }
    }
    return reason;
}
