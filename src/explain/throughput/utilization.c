/* SPDX-License-Identifier: Apache-2.0 */
/* utilization.c - which share of the machine's peak a run used: the model's FLOPs, whatever the machine recomputed or
 * padded, over what its data sheet promises (PaLM, appendix B).  What is not known stays so; nothing is guessed. */
#include <math.h>

#include "explain/throughput/notes.h"

#define FLOPS_PER_TFLOP 1e12

static double largest_peak(const mls_accelerator *accelerator)
{
    double largest = NAN;
    for (int i = 0; i < MLS_PRECISION_COUNT; i++) {
        largest = accelerator->peak[i] > largest || isnan(largest) ? accelerator->peak[i] : largest;
    }
    return largest;
}

mls_status mls_utilization_machine(const mls_group *group, const mls_throughput_options *options,
                                   const mls_accelerator **found, double *accelerators)
{
    const mls_str model = mls_str_from(
        group->system.accelerator_model_name != NULL ? group->system.accelerator_model_name : group->accelerator);
    *accelerators = isnan(options->accelerators) ? group->accelerators : options->accelerators;
    *found = options->accelerator;
    if (*found != NULL || (isnan(*accelerators) && group->accelerator == NULL)) {
        return MLS_OK;
    }
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
    if (isnan(longer) || longer == 1) {
        return causal ? whole - saved : whole;
    }
    return isnan(model->flops_per_sample_causal)
               ? (double)NAN
               : (whole - 2 * saved) * longer + (causal ? saved : 2 * saved) * longer * longer;
}

void mls_utilization_find(mls_throughput *run, const mls_throughput_options *options)
{
    mls_utilization *of = &run->utilization;
    if (run->model == NULL || run->in_epochs) {
        return;
    }
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
