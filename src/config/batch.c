/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - how many samples a step takes, by what a config's name and text say of it.
 *
 * Which of the settings a benchmark goes by is not written anywhere; the order here is what the logs of published
 * configs bear out. */
#include "base/number.h"
#include "config/config.h"

/* A number of the text.  An export that is there without being a number (of the machine, or an expression) makes what
 * follows from it unknown, too; "null" and nothing are what is not set. */
typedef struct setting {
    bool set;
    uint64_t value; /* 0: not known */
} setting;

static setting read_setting(const mls_shell *script, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0 && script != NULL; name = mls_str_word(&left)) {
        const mls_shell_variable *variable = mls_shell_find(script, name);
        size_t number = 0;
        if (variable != NULL && mls_shell_is_set(variable)) {
            return (setting){true, variable->known && mls_size_parse(variable->value, &number) ? number : 0};
        }
    }
    return (setting){0};
}

/* The setting of the text, else of the name. */
static uint64_t setting_or(const mls_shell *script, const char *names, uint64_t named)
{
    const setting set = read_setting(script, names);
    return set.set ? set.value : named;
}

/* 0 when one of the two is not known, or the product is too large. */
static uint64_t product_of(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/* GPUs / (tp x pp x cp), by the text and where it is silent by the name; 0: not known, or it does not divide. */
static uint64_t data_parallel_of(const mls_config_name *name, const mls_shell *script, uint64_t gpus)
{
    const struct {
        const char *exports;
        uint64_t named;
    } degrees[] = {{MLS_CONFIG_TP, name->tensor_parallel},
                   {MLS_CONFIG_PP, name->pipeline_parallel},
                   {MLS_CONFIG_CP, name->context_parallel}};
    uint64_t model_parallel = 1;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        const uint64_t named = degrees[i].named != 0 ? degrees[i].named : 1;
        model_parallel = product_of(model_parallel, setting_or(script, degrees[i].exports, named));
    }
    return model_parallel != 0 && gpus % model_parallel == 0 ? gpus / model_parallel : 0;
}

/* BATCHSIZE is the batch of a GPU, or of them all where it is at least what the name's batch makes of all: between the
 * two it is neither. */
static uint64_t batch_of_gpus(const mls_config_name *name, const mls_shell *script, uint64_t batch, uint64_t gpus)
{
    const uint64_t named = name->batch_per_gpu;
    const uint64_t all = product_of(named != 0 ? named : batch, gpus);
    if (named != 0 && batch / 2 >= named) {
        return batch >= all ? batch : 0;
    }
    bool packed = false;
    for (size_t i = 0; i < name->suffix_count; i++) {
        packed = packed || mls_str_equal(name->suffixes[i], MLS_S("pack"));
    }
    const uint64_t packing = packed ? 2 : setting_or(script, "PACKING_FACTOR", 1);
    return batch > 1 ? product_of(product_of(batch, gpus), packing) : 0;
}

void mls_config_batch(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary)
{
    const uint64_t gpus = product_of(setting_or(script, MLS_CONFIG_NODES, name->nodes),
                                     setting_or(script, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node));
    const setting global = read_setting(script, MLS_CONFIG_GLOBAL_BATCH);
    const setting minibatch = read_setting(script, "MINIBS");
    const setting batch = read_setting(script, "BATCHSIZE BATCH_SIZE LOCAL_BATCH_SIZE");
    const uint64_t ranks = data_parallel_of(name, script, gpus);
    const uint64_t micro = setting_or(script, MLS_CONFIG_MICRO_BATCH, 0);
    if (global.set) {
        summary->global_batch_size = global.value;
    } else if (minibatch.set) {
        summary->global_batch_size = product_of(minibatch.value, ranks);
    } else if (name->global_batch_size != 0) {
        summary->global_batch_size = name->global_batch_size;
    } else if (batch.set) {
        summary->global_batch_size = batch_of_gpus(name, script, batch.value, gpus);
    }
    uint64_t samples = minibatch.set ? minibatch.value : name->batch_per_rank;
    if (samples == 0 && !minibatch.set && ranks != 0 && (global.set || name->global_batch_named != 0) &&
        summary->global_batch_size % ranks == 0) {
        samples = summary->global_batch_size / ranks;
    }
    summary->micro_batch_size = micro;
    summary->gradient_accumulation = micro != 0 && samples % micro == 0 ? samples / micro : 0;
}
