/* SPDX-License-Identifier: Apache-2.0 */
/* exports.c - what a config_*.sh exports, as the settings of a training job; what is set already stays. */
#include <inttypes.h>
#include <strings.h>

#include "base/number.h"
#include "base/utf8.h"
#include "config/config.h"
#include "explain/memory/sizes.h"

typedef struct exports {
    mls_memory_ask *ask;
    const mls_shell *script;
    mls_findings *findings;
} exports;

static void not_usable(const exports *of, const mls_shell_variable *variable, const char *wanted)
{
    const mls_finding_place place = {.path = variable->path, .line = variable->line, .key = variable->name};
    for (size_t i = 0; i < of->findings->count; i++) {
        if (of->findings->items[i].line == variable->line &&
            mls_str_equal(mls_str_from(of->findings->items[i].key), variable->name)) {
            return; /* two settings look at it */
        }
    }
    if (variable->known) {
        mls_findings_add(of->findings, MLS_FINDING_MEMORY_EXPORT, place,
                         "%.*s=%.*s is not %s, so memory is estimated without it", MLS_CUT(variable->name, 60),
                         MLS_CUT(variable->value, 60), wanted);
    } else {
        mls_findings_add(of->findings, MLS_FINDING_MEMORY_EXPORT, place,
                         "%.*s cannot be known without running the script, so memory is estimated without it",
                         MLS_CUT(variable->name, 60));
    }
}

/* The first of the names that is exported; "null" and nothing count as not exported, and so does what is not known. */
static const mls_shell_variable *exported(const exports *of, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
        const mls_shell_variable *variable = mls_shell_find(of->script, name);
        if (variable != NULL && !variable->known) {
            not_usable(of, variable, "");
        } else if (variable != NULL && mls_shell_is_set(variable)) {
            return variable;
        }
    }
    return NULL;
}

static uint64_t export_number(const exports *of, const char *names, uint64_t otherwise)
{
    const mls_shell_variable *variable = exported(of, names);
    size_t number;
    if (variable == NULL) {
        return otherwise;
    }
    if (!mls_size_parse(variable->value, &number) || number > UINT32_MAX) {
        not_usable(of, variable, "a whole number");
        return otherwise;
    }
    return number;
}

static bool export_flag(const exports *of, const char *names, bool otherwise)
{
    const mls_shell_variable *variable = exported(of, names);
    if (variable == NULL) {
        return otherwise;
    }
    const mls_str value = variable->value;
    if (mls_str_any(value, "true|1|yes|on", mls_str_alike)) {
        return true;
    }
    if (!mls_str_any(value, "false|0|no|off", mls_str_alike)) {
        not_usable(of, variable, "true or false");
        return otherwise;
    }
    return false;
}

/* Sets what is not set; 0 stands for what is not known. */
static void fill(const exports *of, mls_memory_setting setting, uint64_t value)
{
    int64_t *at = &of->ask->values[setting];
    *at = *at == MLS_MEMORY_NOT_SET ? (int64_t)value : *at;
}

static void fill_known(const exports *of, mls_memory_setting setting, uint64_t value)
{
    if (value != 0) {
        fill(of, setting, value);
    }
}

/* The model that MODEL_SIZE or the folders name; NULL: neither does. */
static const char *export_model(const exports *of, const char *path)
{
    static const struct {
        const char *part, *model;
    } parts[] = {{"gpt3", "gpt3"},
                 {"405b", "llama31_405b"},
                 {"llama3_8b", "llama31_8b"},
                 {"llama31_8b", "llama31_8b"},
                 {"lora", "llama2_70b_lora"},
                 {"llama2_70b", "llama2_70b_lora"},
                 {"llama270b", "llama2_70b_lora"},
                 {"ft-llm", "llama2_70b_lora"},
                 {"gpt_oss_20b", "gpt_oss_20b"},
                 {"gpt-oss-20b", "gpt_oss_20b"},
                 {"deepseekv3", "deepseekv3_671b"},
                 {"deepseek_v3", "deepseekv3_671b"}};
    const mls_shell_variable *size = exported(of, "MODEL_SIZE");
    if (size != NULL && (mls_str_alike(size->value, MLS_S("405b")) || mls_str_alike(size->value, MLS_S("8b")))) {
        return mls_str_alike(size->value, MLS_S("8b")) ? "llama31_8b" : "llama31_405b";
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcasestr(path, parts[i].part) != NULL) {
            return parts[i].model;
        }
    }
    return NULL;
}

/* The GPU that a path names, if it names only one: each place counts for the first of these that stands there. */
static const char *path_gpu(const char *path)
{
    static const char *const names[] = {"GB300",    "GB200",  "GH200",  "B300",   "B200",   "H200",
                                        "H100-NVL", "H100",   "H800",   "A100",   "A800",   "L40S",
                                        "MI250X",   "MI300X", "MI308X", "MI325X", "MI350X", "MI355X"};
    const char *found = NULL;
    for (const char *at = path; *at != '\0';) {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strncasecmp(at, names[i], strlen(names[i])) != 0) {
            i++;
        }
        if (i == sizeof names / sizeof *names) {
            at++;
            continue;
        }
        if (found != NULL && strcmp(found, names[i]) != 0) {
            return NULL;
        }
        found = names[i];
        at += strlen(names[i]);
    }
    return found;
}

/* How the stages are laid out, where they are not even; then the layout says where embedding and loss lie. */
static void fill_stages(const exports *of)
{
    const mls_shell_variable *variable = exported(of, MLS_CONFIG_LAYOUT);
    if (of->ask->layout.count == 0 && variable != NULL) {
        const char *wrong = mls_pipeline_layout_parse(variable->value, &of->ask->layout);
        if (wrong != NULL) {
            char wanted[120];
            (void)mls_text_printf(wanted, sizeof wanted, "a layout of a pipeline (%s)", wrong);
            not_usable(of, variable, wanted);
        }
    }
    if (of->ask->layout.count == 0) {
        fill(of, MLS_MEMORY_EMBED_SLOT, export_flag(of, "ASYM_PP_EMBED", false));
        fill(of, MLS_MEMORY_LOSS_SLOT, export_flag(of, "ASYM_PP_LOSS", false));
    }
}

static void fill_layout(const exports *of, const mls_config_name *name, bool lora)
{
    const uint64_t nodes = export_number(of, MLS_CONFIG_NODES, name->nodes);
    const uint64_t per_node = export_number(of, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node);
    const uint64_t micro_batch = export_number(of, MLS_CONFIG_MICRO_BATCH, 1);
    const uint64_t batch = export_number(of, "MINIBS", 0);
    fill_known(of, MLS_MEMORY_GPUS, MUL(nodes, per_node));
    fill_known(of, MLS_MEMORY_GPUS_PER_NODE, per_node);
    fill_known(of, MLS_MEMORY_TP, export_number(of, MLS_CONFIG_TP, 0));
    fill_known(of, MLS_MEMORY_PP, export_number(of, MLS_CONFIG_PP, 0));
    fill_known(of, MLS_MEMORY_CP, export_number(of, MLS_CONFIG_CP, 0));
    fill_known(of, MLS_MEMORY_EP, export_number(of, MLS_CONFIG_EP, 0));
    if (VALUE(of->ask, PP) > 1) {
        fill_known(of, MLS_MEMORY_VP, export_number(of, MLS_CONFIG_VP, 0));
    }
    fill_known(of, MLS_MEMORY_MICRO_BATCH, micro_batch);
    fill_known(of, MLS_MEMORY_ACCUMULATION, batch / VALUE(of->ask, MICRO_BATCH));
    const uint64_t copies = MUL(VALUE(of->ask, TP), VALUE(of->ask, PP), VALUE(of->ask, CP));
    const uint64_t global = batch == 0 ? export_number(of, MLS_CONFIG_GLOBAL_BATCH, name->global_batch_named) : 0;
    if (VALUE(of->ask, GPUS) >= copies) {
        fill_known(of, MLS_MEMORY_ACCUMULATION,
                   global / MUL(VALUE(of->ask, GPUS) / copies, VALUE(of->ask, MICRO_BATCH)));
    }
    fill(of, MLS_MEMORY_SEQUENCE_PARALLEL, export_flag(of, "SEQ_PARALLEL SP", !lora && VALUE(of->ask, TP) > 1));
    fill_stages(of);
    if (of->ask->values[MLS_MEMORY_FSDP] == MLS_MEMORY_NOT_SET) {
        fill(of, MLS_MEMORY_ZERO, export_flag(of, "USE_DIST_OPTIMIZER USE_DISTRIBUTED_OPTIMIZER", true));
    }
}

static void fill_recomputation(const exports *of)
{
    const mls_shell_variable *how = exported(of, "ACT_CKPT_GRANULARITY RECOMPUTE_GRANULARITY ACG");
    const mls_shell_variable *method = exported(of, "ACT_CKPT_METHOD RECOMPUTE_METHOD ACM");
    const uint64_t layers = export_number(of, "ACT_CKPT_NUM_LAYERS RECOMPUTE_NUM_LAYERS ACL", 0);
    if (how != NULL && of->ask->values[MLS_MEMORY_RECOMPUTE] == MLS_MEMORY_NOT_SET) {
        if (mls_str_alike(how->value, MLS_S("full"))) {
            fill(of, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_FULL);
            fill_known(of, MLS_MEMORY_RECOMPUTE_LAYERS,
                       method != NULL && mls_str_alike(method->value, MLS_S("block")) ? layers : 0);
        } else if (mls_str_alike(how->value, MLS_S("selective"))) {
            fill(of, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_SELECTIVE);
        } else {
            not_usable(of, how, "full or selective");
        }
    }
    if (export_flag(of, "CPU_OFFLOADING", false)) {
        fill(of, MLS_MEMORY_OFFLOAD_LAYERS, export_number(of, "CPU_OFFLOADING_NUM_LAYERS OFFLOAD_LAYERS", 0));
    } else if (exported(of, "CPU_OFFLOADING CPU_OFFLOADING_NUM_LAYERS") == NULL) {
        fill(of, MLS_MEMORY_OFFLOAD_LAYERS, export_number(of, "OFFLOAD_LAYERS", 0));
    }
}

static void fill_precision(const exports *of, bool lora)
{
    const bool fp4 = export_flag(of, "FP4", false);
    fill(of, MLS_MEMORY_FP4, fp4);
    fill(of, MLS_MEMORY_FP8, export_flag(of, "FP8", lora && !fp4));
    fill(of, MLS_MEMORY_FP8_PARAMS, lora || export_flag(of, "FP8_PARAM_GATHER FP8_PARAMS FP8_PARAM", false));
    fill(of, MLS_MEMORY_FP8_ACTIVATIONS, export_flag(of, "FP8_ACT FP8_ACTIVATION", false));
    fill(of, MLS_MEMORY_FP8_ATTENTION, export_flag(of, "FP8_DPA", false));
    fill(of, MLS_MEMORY_GRAD_PRECISION, MLS_GRADIENTS_BF16);
}

bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings)
{
    const exports of = {ask, script, findings};
    const mls_config_name name = mls_config_name_decode(mls_str_from(path));
    const char *model = export_model(&of, path);
    const char *gpu = path_gpu(path);
    ask->values[MLS_MEMORY_TRAIN] = 1;
    if (ask->shape.layers == 0 && model != NULL) {
        (void)!mls_memory_set(ask, MLS_MEMORY_MODEL, model, NULL);
    }
    if (ask->gpu == NULL && gpu != NULL) {
        (void)!mls_memory_set(ask, MLS_MEMORY_GPU, gpu, NULL);
    }
    const bool lora = ask->benchmark != NULL && strcmp(ask->benchmark, "llama2_70b_lora") == 0;
    if (lora) {
        fill(&of, MLS_MEMORY_LORA, 16);
        fill(&of, MLS_MEMORY_LORA_TARGETS, MLS_LORA_QKV | MLS_LORA_O);
    }
    fill_layout(&of, &name, lora);
    fill_recomputation(&of);
    fill_precision(&of, lora);
    return ask->shape.layers > 0 && findings->count == 0 &&
           (ask->values[MLS_MEMORY_TP] != MLS_MEMORY_NOT_SET || ask->values[MLS_MEMORY_PP] != MLS_MEMORY_NOT_SET ||
            ask->values[MLS_MEMORY_CP] != MLS_MEMORY_NOT_SET);
}
