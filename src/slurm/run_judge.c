/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/run_judge.h"

/* The current run ends here. */
static mls_status mls_run_judge_finish(mls_run_judge *judge)
{
    mls_status status = mls_checker_end(judge->checker);
    if (status == MLS_OK) {
        const mls_verdict verdict = mls_checker_verdict(judge->checker);
        status = judge->judged(judge->state, judge->line > 0 ? judge->line : 1, &verdict);
    }
    mls_checker_reset(judge->checker, NULL);
    judge->line = 0;
    judge->count++;
    return status;
}

static void mls_run_judge_place(mls_run_judge *judge, size_t line)
{
    judge->line = judge->line > 0 ? judge->line : line;
}

static mls_status mls_run_judge_take(mls_run_judge *judge, const mls_record *record)
{
    mls_run_judge_place(judge, record->line);
    return mls_checker_record(judge->checker, record);
}

static mls_status mls_run_judge_record(void *state, const mls_record *record)
{
    mls_run_judge *judge = state;
    mls_status status = MLS_OK;
    if (mls_cutter_record(&judge->cutter, record)) {
        mls_record early;
        status = mls_run_judge_finish(judge);
        for (size_t i = 0; status == MLS_OK && mls_cutter_recall(&judge->cutter, i, &early); i++) {
            status = mls_run_judge_take(judge, &early);
        }
    }
    if (status == MLS_OK) {
        status = judge->cutter.out_of_memory ? MLS_ERROR_MEMORY : mls_run_judge_take(judge, record);
    }
    return status;
}

static mls_status mls_run_judge_malformed(void *state, const mls_malformed *malformed)
{
    mls_run_judge *judge = state;
    mls_run_judge_place(judge, malformed->line);
    return mls_checker_malformed(judge->checker, malformed);
}

static mls_status mls_run_judge_marker(void *state, const mls_marker *marker)
{
    mls_run_judge *judge = state;
    return mls_cutter_marker(&judge->cutter, marker) && judge->line > 0 ? mls_run_judge_finish(judge) : MLS_OK;
}

static mls_status mls_run_judge_end(void *state, const mls_log_totals *totals)
{
    mls_run_judge *judge = state;
    (void)totals;
    return judge->line > 0 || judge->count == 0 ? mls_run_judge_finish(judge) : MLS_OK;
}

void mls_run_judge_release(mls_run_judge *judge)
{
    mls_cutter_release(&judge->cutter);
}

mls_sink mls_run_judge_sink(mls_run_judge *judge)
{
    return (mls_sink){.state = judge,
                      .record = mls_run_judge_record,
                      .malformed = mls_run_judge_malformed,
                      .marker = mls_run_judge_marker,
                      .end = mls_run_judge_end};
}
