/* SPDX-License-Identifier: Apache-2.0 */
/* utilization.c - which share of the machine's peak a run used: the model's FLOPs, whatever the machine recomputed or
 * padded, over what its data sheet promises (PaLM, appendix B).  What is not known stays so; nothing is guessed. */
#include <math.h>

#include "throughput/notes.h"

#define FLOPS_PER_TFLOP 1e12

static double largest_peak(const mls_accelerator *chip)
{
    double largest = NAN;
    for (int i = 0; i < MLS_PRECISION_COUNT; i++) {
        largest = chip->peak[i] > largest || isnan(largest) ? chip->peak[i] : largest;
    }
    return largest;
}

/* The machine as a person names it, else as the system is described, else as the config is named. */
static mls_status find_machine(mls_utilization *of, const mls_group *group, const mls_throughput_options *options)
{
    const mls_str model = mls_str_from(
        group->system.accelerator_model_name != NULL ? group->system.accelerator_model_name : group->accelerator);
    of->accelerators = isnan(options->accelerators) ? group->accelerators : options->accelerators;
    of->accelerator = options->accelerator;
    if (of->accelerator != NULL || (isnan(of->accelerators) && group->accelerator == NULL)) {
        return MLS_OK;
    }
    return mls_accelerators_match(options->accelerator_table, model, mls_str_from(group->system.system_name),
                                  &of->accelerator);
}

/* From edition 6.1 on logs say in what the linear layers, which most FLOPs are spent on, multiply. */
static void find_precision(mls_utilization *of, const mls_run *run, const mls_throughput_options *options)
{
    const mls_str logged = mls_str_from(mls_run_hyperparameter(run, MLS_S("lowest_numerical_precision_in_linear")));
    const bool fp4 = mls_str_equal(logged, MLS_S("\"nvfp4\"")) || mls_str_equal(logged, MLS_S("\"mxfp4\""));
    of->has_precision = options->has_precision || fp4 || mls_str_equal(logged, MLS_S("\"fp8\""));
    of->named = options->has_precision ? options->precision : fp4 ? MLS_PRECISION_FP4 : MLS_PRECISION_FP8;
}

mls_status mls_utilization_find(mls_throughput *run, const mls_group *group, const mls_throughput_options *options)
{
    mls_utilization *of = &run->utilization;
    const mls_status status = find_machine(of, group, options);
    if (status != MLS_OK || run->model == NULL || run->in_epochs) {
        return status;
    }
    of->flops_per_sample = options->causal ? run->model->flops_per_sample_causal : run->model->flops_per_sample;
    if (options->causal && isnan(of->flops_per_sample)) { /* no attention of that kind in it */
        of->flops_per_sample = run->model->flops_per_sample;
    }
    find_precision(of, run->run, options);
    if (of->accelerator != NULL) {
        const double *peak = of->accelerator->peak;
        const double used =
            of->flops_per_sample * 1000 / run->steady_ms_per_sample / of->accelerators / FLOPS_PER_TFLOP;
        of->bf16 = used / (isnan(peak[MLS_PRECISION_BF16]) ? peak[MLS_PRECISION_FP16] : peak[MLS_PRECISION_BF16]);
        of->precision = of->has_precision ? used / peak[of->named] : (double)NAN;
        of->narrowest = used / largest_peak(of->accelerator);
    }
    return MLS_OK;
}
