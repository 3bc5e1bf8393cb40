/* SPDX-License-Identifier: Apache-2.0 */
/* predict.c - one prediction. */
#include <math.h>

#include "compare/plan/planning.h"

enum { MS_PER_MINUTE = 60000 };

double mls_plan_samples(const mls_plan_base *base, const mls_plan_request *request, double batch)
{
    const double own = base->group->global_batch_size;
    if (batch == own) {
        return base->samples;
    }
    const double samples = base->samples * mls_rcp_set_mean(base->points, batch) / base->reference;
    return isnan(samples) ? request->samples : samples;
}

void mls_plan_predict(mls_plan_row *row, unsigned level)
{
    const mls_plan_base *base = row->base;
    const mls_plan_factors *k = base->factors;
    const double times = row->accelerators / base->group->accelerators;
    const double batch = row->global_batch_size / base->group->global_batch_size;
    const double doublings = log2(times);
    const double rate_per_ms =
        base->samples / base->training_ms * times * exp2(k->system * doublings + k->batch * log2(batch / times));
    const double evaluation_ms = base->evaluation_ms * (row->samples / base->samples) * exp2(k->evaluation * doublings);
    const double other_ms = base->total_ms - base->training_ms - base->evaluation_ms;
    const double half = k->spread[level][0] + k->spread[level][1] * fabs(doublings);
    row->rate = rate_per_ms * 1000;
    row->efficiency = rate_per_ms * base->training_ms / base->samples / times;
    row->training_minutes = row->samples / rate_per_ms / MS_PER_MINUTE;
    row->evaluation_minutes = evaluation_ms / MS_PER_MINUTE;
    row->other_minutes = (other_ms > 0 ? other_ms : 0) / MS_PER_MINUTE;
    row->minutes = row->training_minutes + row->evaluation_minutes + row->other_minutes;
    row->low_minutes = row->minutes * exp(-half);
    row->high_minutes = row->minutes * exp(half);
    row->accelerator_minutes = row->minutes * row->accelerators;
}

double mls_plan_score(const mls_plan_row *row)
{
    const double scored = row->base->group->scaled_minutes;
    return row->measured && scored > 0 ? scored : row->minutes * row->scale;
}
