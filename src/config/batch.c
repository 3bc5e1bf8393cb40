/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - how many samples a step takes, by what a config's name and text say of it.
 *
 * Which of the settings a benchmark goes by is not written anywhere; the order here is what the logs of published
 * configs bear out. */
#include "base/file.h"
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

static const char batch_exports[] = "BATCHSIZE BATCH_SIZE LOCAL_BATCH_SIZE";

bool mls_config_batch_is_global(const mls_shell *script)
{
    mls_str exports = MLS_S("BATCHSIZE_EVAL SHARDING_PLAN DP_SHARDING_THRESHOLD MEM_COMM_BW_RATIO");
    for (mls_str name = mls_str_word(&exports); name.len > 0; name = mls_str_word(&exports)) {
        if (mls_shell_find(script, name) != NULL) {
            return true;
        }
    }
    mls_str path = mls_path_folder(mls_str_from(script->path));
    mls_str folder;
    for (bool more = true; more;) {
        more = mls_str_cut(&path, '/', &folder);
        if (mls_str_equal(folder, MLS_S("hugectr")) || mls_str_starts(folder, MLS_S("dlrm"))) {
            return true;
        }
    }
    return false;
}

/* Check whether BATCHSIZE is the batch of one GPU, rather than of all of them. */
static bool is_of_one_gpu(const mls_config_name *name, const mls_shell *script, uint64_t batch)
{
    /* The largest batch of one GPU in a published config is 4,096, the smallest of all GPUs of a recommender 28,000. */
    enum { ONE_GPU_MAX = 16384 };
    const bool named = name->batch_per_gpu != 0;
    return !mls_config_batch_is_global(script) && batch <= ONE_GPU_MAX &&
           (named ? batch / 2 < name->batch_per_gpu : !read_setting(script, MLS_CONFIG_MICRO_BATCH).set);
}

/* Return the samples of a step by BATCHSIZE, or 0 if they are not known. */
static uint64_t batch_of_gpus(const mls_config_name *name, const mls_shell *script, uint64_t batch, uint64_t gpus,
                              uint64_t at_once)
{
    if (is_of_one_gpu(name, script, batch)) {
        bool packed = false;
        for (size_t i = 0; i < name->suffix_count; i++) {
            packed = packed || mls_str_equal(name->suffixes[i], MLS_S("pack"));
        }
        const uint64_t packing = packed ? 2 : setting_or(script, "PACKING_FACTOR", 1);
        return batch > 1 ? product_of(product_of(batch, gpus), packing) : 0;
    }
    if (mls_config_batch_is_global(script)) {
        return batch;
    }
    return name->batch_per_gpu != 0               ? (batch >= product_of(name->batch_per_gpu, gpus) ? batch : 0)
           : at_once != 0 && batch % at_once == 0 ? batch
                                                  : 0;
}

void mls_config_batch(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary)
{
    const uint64_t gpus = product_of(setting_or(script, MLS_CONFIG_NODES, name->nodes),
                                     setting_or(script, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node));
    const setting global = read_setting(script, MLS_CONFIG_GLOBAL_BATCH);
    const setting minibatch = read_setting(script, "MINIBS");
    const setting batch = read_setting(script, batch_exports);
    const uint64_t ranks = data_parallel_of(name, script, gpus);
    const uint64_t micro = setting_or(script, MLS_CONFIG_MICRO_BATCH, 0);
    if (global.set) {
        summary->global_batch_size = global.value;
    } else if (minibatch.set) {
        summary->global_batch_size = product_of(minibatch.value, ranks);
    } else if (name->global_batch_size != 0) {
        summary->global_batch_size = name->global_batch_size;
    } else if (batch.set) {
        summary->global_batch_size = batch_of_gpus(name, script, batch.value, gpus, product_of(micro, ranks));
    }
    uint64_t samples = minibatch.set ? minibatch.value : name->batch_per_rank;
    if (samples == 0 && !minibatch.set && ranks != 0 && (global.set || name->global_batch_named != 0) &&
        summary->global_batch_size % ranks == 0) {
        samples = summary->global_batch_size / ranks;
    }
    summary->samples_per_rank = samples;
    summary->micro_batch_size = micro;
    summary->gradient_accumulation = micro != 0 && samples % micro == 0 ? samples / micro : 0;
}

const char *const mls_config_parts[] = {
#define PART_NAME(id, member) #member,
    MLS_CONFIG_PARTS(PART_NAME)
#undef PART_NAME
};

/* Set a number of the name that it leaves out, and mark it as the text's. */
static void take_number(mls_config_name *name, mls_config_part part, uint64_t number)
{
    uint64_t *const members[] = {
#define PART_MEMBER(id, member) &name->member,
        MLS_CONFIG_PARTS(PART_MEMBER)
#undef PART_MEMBER
    };
    if (*members[part] == 0 && number != 0) {
        *members[part] = number;
        name->from_text |= 1U << part;
    }
}

void mls_config_name_take_text(mls_config_name *name, const mls_shell *script, const mls_config_summary *summary)
{
    static const struct {
        mls_config_part part;
        const char *exports;
        uint64_t otherwise; /* what it counts as if another degree is set */
    } degrees[] = {{MLS_CONFIG_PART_TP, MLS_CONFIG_TP, 1},
                   {MLS_CONFIG_PART_PP, MLS_CONFIG_PP, 1},
                   {MLS_CONFIG_PART_CP, MLS_CONFIG_CP, 1},
                   {MLS_CONFIG_PART_EP, MLS_CONFIG_EP, 0},
                   {MLS_CONFIG_PART_VP, MLS_CONFIG_VP, 0}};
    enum { DEGREES = sizeof degrees / sizeof *degrees };
    if (name->kind == MLS_CONFIG_KIND_SHAPE || script == NULL) {
        return;
    }
    take_number(name, MLS_CONFIG_PART_NODES, read_setting(script, MLS_CONFIG_NODES).value);
    take_number(name, MLS_CONFIG_PART_GPUS_PER_NODE, read_setting(script, MLS_CONFIG_GPUS_PER_NODE).value);
    take_number(name, MLS_CONFIG_PART_GPUS, product_of(name->nodes, name->gpus_per_node));
    const bool named = mls_config_has_degrees(name);
    bool some = named;
    for (size_t i = 0; i < DEGREES && !some; i++) {
        some = read_setting(script, degrees[i].exports).value != 0;
    }
    if (!some) {
        const uint64_t batch = read_setting(script, batch_exports).value;
        const uint64_t one = batch != 0 && is_of_one_gpu(name, script, batch) ? batch : 0;
        take_number(name, MLS_CONFIG_PART_BATCH_PER_GPU, setting_or(script, "MINIBS", one));
        return;
    }
    for (size_t i = 0; i < DEGREES && !named; i++) {
        take_number(name, degrees[i].part, setting_or(script, degrees[i].exports, degrees[i].otherwise));
    }
    take_number(name, MLS_CONFIG_PART_DATA_PARALLEL, data_parallel_of(name, script, name->gpus));
    take_number(name, MLS_CONFIG_PART_BATCH_PER_RANK, summary->samples_per_rank);
}
