/* SPDX-License-Identifier: Apache-2.0 */
#include "score/weak_scaling.h"

#include <math.h>

#define MILLISECONDS_PER_MINUTE 60000.0

static double instance_scale(const mls_weak_run *run)
{
    double accelerators = run->accelerators_per_node;
    return run->number_of_nodes * (accelerators > 1 ? accelerators : 1);
}

mls_weak_scaling mls_weak_scaling_of(const mls_weak_run *runs, size_t count, size_t runs_needed)
{
    mls_weak_scaling result = {.time_to_train_all_ms = NAN, .time_to_train_all_minutes = NAN, .instance_scale = NAN};
    double first_start = INFINITY;
    double last_stop = -(double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        const mls_weak_run *run = &runs[i];
        if (!run->valid || !isfinite(run->start_ms) || !isfinite(run->stop_ms)) {
            continue;
        }
        first_start = fmin(first_start, run->start_ms);
        last_stop = fmax(last_stop, run->stop_ms);
        double scale = instance_scale(run);
        if (result.number_of_models == 0) {
            result.instance_scale = scale;
        } else if (fabs(scale - result.instance_scale) > 0 || isnan(scale) != isnan(result.instance_scale)) {
            result.instances_differ = true;
        }
        result.number_of_models++;
    }
    if (result.number_of_models > 0) {
        result.time_to_train_all_ms = last_stop - first_start;
        result.time_to_train_all_minutes = result.time_to_train_all_ms / MILLISECONDS_PER_MINUTE;
    }
    result.enough = result.number_of_models >= runs_needed && result.number_of_models > 0;
    return result;
}
