/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak_scaling.h - many models trained at the same time on one system (hpc).
 *
 * Each log under results/<system>/weak/<benchmark> is one model, trained on
 * its own part of the system.  What counts is how many of them the system
 * trained, and how long it took from the first start to the last stop.
 */
#ifndef MLS_SCORE_WEAK_SCALING_H
#define MLS_SCORE_WEAK_SCALING_H

#include <stdbool.h>
#include <stddef.h>

/* One log. */
typedef struct mls_weak_run {
    bool valid;
    double start_ms;              /* of run_start, since 1970 */
    double stop_ms;               /* of run_stop */
    double number_of_nodes;       /* as logged; NaN: not logged */
    double accelerators_per_node; /* as logged; NaN: not logged, counts as 0 */
} mls_weak_run;

typedef struct mls_weak_scaling {
    size_t number_of_models;     /* valid logs */
    double time_to_train_all_ms; /* last stop less first start, of the valid logs; NaN: none */
    double time_to_train_all_minutes;
    double instance_scale; /* accelerators (or nodes without any) that train one model; NaN: not logged */
    bool instances_differ; /* the logs do not agree on it; the first valid one counts */
    bool enough;           /* at least as many models as the benchmark needs runs */
} mls_weak_scaling;

mls_weak_scaling mls_weak_scaling_of(const mls_weak_run *runs, size_t count, size_t runs_needed);

#endif
