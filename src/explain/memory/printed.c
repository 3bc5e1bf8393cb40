/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - what a job printed of itself, as the settings of a training job; what is set already stays. */
#include "explain/memory/sizes.h"
#include "run/settings.h"

typedef struct printed_values {
    mls_memory_ask *ask;
    const mls_known_settings *known;
    const mls_str *values;
} printed_values;

static mls_str printed(const printed_values *of, const char *name)
{
    const mls_str value = mls_known_value(of->known, of->values, mls_str_from(name));
    const mls_str nothing = {NULL, 0};
    return mls_setting_is_none(value) ? nothing : value;
}

/* Sets what is not set. */
static void set_open(const printed_values *of, mls_memory_setting setting, uint64_t value)
{
    int64_t *at = &of->ask->values[setting];
    *at = *at == MLS_MEMORY_NOT_SET ? (int64_t)value : *at;
}

static void take_printed_number(const printed_values *of, mls_memory_setting setting, const char *name)
{
    const uint32_t number = mls_known_number(of->known, of->values, mls_str_from(name));
    if (number > 0) {
        set_open(of, setting, number);
    }
}

/* A word that is neither true nor false, such as a kind of FP8, says yes. */
static void take_printed_flag(const printed_values *of, mls_memory_setting setting, const char *name)
{
    if (mls_known_value(of->known, of->values, mls_str_from(name)).ptr != NULL) {
        set_open(of, setting, mls_known_is_on(of->known, of->values, mls_str_from(name)));
    }
}

/* The accumulation that a global batch makes on so many GPUs. */
static void take_batch(const printed_values *of, uint64_t gpus)
{
    const mls_memory_ask *ask = of->ask;
    const uint64_t global = mls_known_number(of->known, of->values, MLS_S("global_batch"));
    const uint64_t copies = MUL(VALUE(ask, TP), VALUE(ask, PP), VALUE(ask, CP));
    const uint64_t at_once = gpus >= copies ? MUL(gpus / copies, VALUE(ask, MICRO_BATCH)) : 0;
    if (at_once > 0 && global >= at_once) {
        set_open(of, MLS_MEMORY_ACCUMULATION, global / at_once);
    }
}

static void take_recomputation(const printed_values *of)
{
    const mls_str how = printed(of, "recompute");
    if (mls_str_alike(how, MLS_S("full"))) {
        set_open(of, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_FULL);
    } else if (mls_str_alike(how, MLS_S("selective"))) {
        set_open(of, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_SELECTIVE);
    }
}

bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus)
{
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    const printed_values of = {ask, known, values};
    if (mls_known_values(known, settings, values) == 0) {
        return false;
    }
    take_printed_number(&of, MLS_MEMORY_TP, "tensor_parallel");
    take_printed_number(&of, MLS_MEMORY_PP, "pipeline_parallel");
    take_printed_number(&of, MLS_MEMORY_CP, "context_parallel");
    take_printed_number(&of, MLS_MEMORY_EP, "expert_parallel");
    if (VALUE(ask, PP) > 1) {
        take_printed_number(&of, MLS_MEMORY_VP, "virtual_pipeline");
    }
    take_printed_number(&of, MLS_MEMORY_MICRO_BATCH, "micro_batch");
    take_printed_number(&of, MLS_MEMORY_SEQUENCE, "sequence_length");
    take_batch(&of, gpus);
    take_printed_flag(&of, MLS_MEMORY_SEQUENCE_PARALLEL, "sequence_parallel");
    take_printed_flag(&of, MLS_MEMORY_FP4, "fp4");
    take_printed_flag(&of, MLS_MEMORY_FP8, "fp8");
    take_printed_flag(&of, MLS_MEMORY_FP8_ATTENTION, "fp8_attention");
    take_printed_flag(&of, MLS_MEMORY_FP8_ACTIVATIONS, "activation_input_fp8");
    if (mls_known_is_on(known, values, MLS_S("fp8_params"))) {
        set_open(&of, MLS_MEMORY_FP8_PARAMS, 1); /* adapters keep the weights of the model in 8 bits in any case */
    }
    if (ask->values[MLS_MEMORY_FSDP] == MLS_MEMORY_NOT_SET) {
        take_printed_flag(&of, MLS_MEMORY_ZERO, "distributed_optimizer");
    }
    take_recomputation(&of);
    return true;
}

const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus)
{
    const mls_run *first = NULL;
    for (size_t i = 0; i < count; i++) {
        ask->ended_well |= runs[i].status == MLS_RUN_SUCCESS;
        if (first == NULL && runs[i].printed != NULL && mls_memory_printed(ask, known, runs[i].printed, gpus)) {
            first = &runs[i];
        }
    }
    return first;
}
