/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - set the values of an mls_memory_ask from options, then from printed settings, then from the exports of a
 * config.  Printed settings and exports do not change a value that is already set. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "config/config.h"
#include "explain/memory/sizes.h"
#include "run/settings.h"

const struct mls_memory_setting_row mls_memory_settings[] = {
#define SETTING_ROW(id, about, option, kind, argument, help) {option, argument, MLS_MEMORY_##kind, MLS_MEMORY_##about},
    MLS_MEMORY_SETTINGS(SETTING_ROW) MLS_MEMORY_PARTS(SETTING_ROW)
#undef SETTING_ROW
};

const struct mls_memory_item_row mls_memory_items[] = {
#define ITEM_ROW(id, about, name, sentence) {#name, sentence, MLS_MEMORY_##about},
    MLS_MEMORY_ITEMS(ITEM_ROW)
#undef ITEM_ROW
};

const char *const mls_memory_verdict_names[] = {NULL, "fits", "fits_with_host", "tight", "does_not_fit"};

static const char recompute_words[] = "none|selective|full";

mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value)
{
    const char *words = setting == MLS_MEMORY_PRECISION                        ? MLS_MEMORY_PRECISIONS
                        : setting == MLS_MEMORY_RECOMPUTE                      ? recompute_words
                        : mls_memory_settings[setting].kind == MLS_MEMORY_WORD ? mls_memory_settings[setting].words
                                                                               : "";
    mls_str word;
    for (int64_t i = 0; mls_list_next(&words, '|', &word); i++)
        if (i == value)
            return word;
    return (mls_str){NULL, 0};
}

/* Return the index of a word in a list, from 0, or MLS_MEMORY_NOT_SET if the list does not contain the word. */
static int64_t place_in(const char *words, mls_str word)
{
    int64_t place = 0;
    for (mls_str one; mls_list_next(&words, '|', &one); place++)
        if (mls_str_equal(one, word))
            return place;
    return MLS_MEMORY_NOT_SET;
}

mls_number_bytes mls_number_bytes_of(int64_t kind)
{
    static const mls_number_bytes bytes[] = {
        [MLS_FP32] = {4, 1},   [MLS_FP16] = {2, 1},    [MLS_BF16] = {2, 1}, [MLS_AMP] = {2, 1},
        [MLS_MIXED] = {2, 1},  [MLS_FP8] = {1, 1},     [MLS_INT8] = {1, 1}, [MLS_MXFP8] = {33, 32},
        [MLS_NVFP4] = {9, 16}, [MLS_MXFP4] = {17, 32}, [MLS_FP4] = {1, 2},  [MLS_INT4] = {1, 2}};
    return kind < MLS_GGUF ? bytes[kind] : (mls_number_bytes){0, 1};
}

/* Maximum value of a number: 10^18, far beyond any real value, and small enough for an int64_t. */
static const uint64_t number_max = UINT64_C(1000000000000000000);

/* Read a number such as "131072" or "128k". */
static bool read_whole(mls_str text, uint64_t *number)
{
    const bool kilo = text.len > 1 && (text.ptr[text.len - 1] == 'k' || text.ptr[text.len - 1] == 'K');
    size_t value;
    if (!mls_size_parse((mls_str){text.ptr, text.len - kilo}, &value) || value > number_max / 1024)
        return false;
    *number = kilo ? (uint64_t)value * 1024 : (uint64_t)value;
    return true;
}

mls_str mls_size_split(mls_str text, mls_str *unit)
{
    size_t digits = 0;
    while (digits < text.len && (mls_is_digit(text.ptr[digits]) || text.ptr[digits] == '.'))
        digits++;
    const size_t blank = digits < text.len && text.ptr[digits] == ' ';
    *unit = (mls_str){text.ptr + digits + blank, text.len - digits - blank};
    return (mls_str){text.ptr, digits};
}

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators)
{
    *ask = (mls_memory_ask){.models = models, .accelerators = accelerators, .kv_precision = MLS_MEMORY_NOT_SET};
    for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++)
        ask->values[i] = MLS_MEMORY_NOT_SET;
}

uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting)
{
    static const uint64_t fixed[MLS_MEMORY_SETTING_COUNT] = {[MLS_MEMORY_GPUS_PER_NODE] = 8,
                                                             [MLS_MEMORY_PRECISION] = MLS_BF16,
                                                             [MLS_MEMORY_RUNTIME] = UINT64_C(1) << 30,
                                                             [MLS_MEMORY_PREFILL] = 8192,
                                                             [MLS_MEMORY_RECOMPUTE_LAYERS] = UINT64_MAX};
    /* The stage of ZeRO that corresponds to each word of FSDP. */
    static const uint64_t stages[] = {
        [MLS_FSDP_NO_SHARD] = 0, [MLS_FSDP_SHARD_GRAD_OP] = 2, [MLS_FSDP_FULL_SHARD] = 3, [MLS_FSDP_HYBRID_SHARD] = 3};
    const int64_t fsdp = ask->values[MLS_MEMORY_FSDP];
    const bool torch = ask->values[MLS_MEMORY_FRAMEWORK] == MLS_FRAMEWORK_TORCH;
    if (ask->values[setting] != MLS_MEMORY_NOT_SET)
        return (uint64_t)ask->values[setting];
    switch (setting) {
    case MLS_MEMORY_CAPACITY:
        return ask->gpu != NULL ? ask->gpu->capacity_bytes : 0;
    case MLS_MEMORY_GPUS:
        return MUL(VALUE(ask, TP), VALUE(ask, PP), VALUE(ask, TRAIN) != 0 ? VALUE(ask, CP) : 1);
    case MLS_MEMORY_KV_PRECISION:
        if (ask->kv_precision != MLS_MEMORY_NOT_SET && ask->values[MLS_MEMORY_PRECISION] == MLS_MEMORY_NOT_SET)
            return (uint64_t)ask->kv_precision;
        return VALUE(ask, PRECISION) == MLS_FP16 || VALUE(ask, PRECISION) == MLS_FP32 ? VALUE(ask, PRECISION)
                                                                                      : MLS_BF16;
    case MLS_MEMORY_SEQUENCE:
        return ask->shape.sequence;
    case MLS_MEMORY_SEQUENCE_PARALLEL:
        return VALUE(ask, TP) > 1;
    case MLS_MEMORY_ZERO:
        return fsdp == MLS_MEMORY_NOT_SET ? !torch : stages[fsdp]; /* 1: Megatron's distributed optimizer */
    case MLS_MEMORY_VP:
        return mls_bytes_max(ask->layout.count / mls_bytes_max(VALUE(ask, PP), 1), 1);
    case MLS_MEMORY_DROPOUT:
        return ask->shape.dropout == MLS_SAID_YES;
    case MLS_MEMORY_LOSS:
        return torch ? MLS_LOSS_EAGER : 0;
    case MLS_MEMORY_VOCAB_MULTIPLE:
        return torch ? 1 : 128;
    default:
        return fixed[setting] != 0 ? fixed[setting] : mls_memory_settings[setting].kind == MLS_MEMORY_NUMBER;
    }
}

/* Append a suggestion for a misspelled name to a message. */
#define MEANT_FORMAT "%s%.*s%s"
#define MEANT(nearest)                                                                                                 \
    (nearest).found.len > 0 ? "; did you mean '" : "", (int)(nearest).found.len,                                       \
        (nearest).found.len > 0 ? (nearest).found.ptr : "", (nearest).found.len > 0 ? "'?" : ""

bool mls_memory_model_is_file(const char *name)
{
    return name != NULL && (strchr(name, '/') != NULL || mls_str_ends(mls_str_from(name), MLS_S(".json")));
}

/* Read a model's file.  If it is a config.json, also read the file hf_quant_config.json next to it, if there is one:
 * Model Optimizer writes the formats of weights and KV cache there, and not always into config.json.  For
 * x_config.json, the name of that file is x_hf_quant_config.json. */
static mls_status read_model_file(mls_memory_ask *ask, const char *path, mls_str name, mls_error *error)
{
    static const char suffix[] = "config.json";
    static const char quantized[] = "hf_quant_config.json";
    mls_buffer text = {0};
    mls_buffer beside = {0};
    mls_error why = {0};
    mls_status status = mls_file_read(path, true, MLS_MEMORY_MODEL_BYTES_MAX, &text, error);
    status = status == MLS_OK ? mls_memory_model_parse(ask, mls_buffer_str(&text), name, error) : status;
    mls_buffer_clear(&text);
    if (status == MLS_OK && mls_str_ends(mls_str_from(path), mls_str_from(suffix))) {
        const bool known = ask->quantization.bytes != 0;
        mls_buffer_printf(&beside, "%.*s%s", (int)(strlen(path) - strlen(suffix)), path, quantized);
        if (access(beside.ptr, F_OK) == 0) {
            status = mls_file_read(beside.ptr, true, MLS_MEMORY_MODEL_BYTES_MAX, &text, &why);
            status = status == MLS_OK ? mls_memory_quantization_parse(ask, mls_buffer_str(&text), &why) : status;
            status = status == MLS_OK || known /* config.json contains the formats, too */
                         ? MLS_OK
                         : mls_error_set(error, status, 0, 0, "%s beside it: %s", quantized, why.message);
        }
    }
    mls_buffer_release(&text);
    mls_buffer_release(&beside);
    return status;
}

/* Set the model from the table, a file, or the config.json of a folder.  The name of the folder becomes the name of the
 * model. */
static mls_status set_model(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const mls_model *model = mls_models_find(ask->models, mls_str_from(text));
    const bool is_file = mls_memory_model_is_file(text);
    struct stat info;
    const bool there = stat(text, &info) == 0;
    if (there && S_ISDIR(info.st_mode) && (model == NULL || is_file)) {
        mls_str path = mls_str_from(text);
        const mls_str last = mls_path_cut(&path);
        const bool named = last.len > 0 && !mls_str_any(last, ".|..", mls_str_equal);
        char *config = mls_path_join(text, "config.json");
        const mls_status status = access(config, F_OK) != 0
                                      ? mls_error_set(error, MLS_ERROR_READ, 0, 0, "is a folder without config.json")
                                      : read_model_file(ask, config, named ? last : MLS_S("config.json"), error);
        free(config);
        return status;
    }
    if (is_file || (model == NULL && there))
        return read_model_file(ask, text, mls_str_from(mls_path_name(text)), error);
    if (model == NULL) {
        mls_suggestion nearest = mls_suggest_for(mls_str_from(text));
        for (size_t i = 0; i < ask->models->count; i++) {
            const mls_model *one = &ask->models->items[i];
            mls_suggest_add(&nearest, mls_str_from(one->shape.layers > 0 ? one->key : ""));
        }
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "no model '%s', and no such file" MEANT_FORMAT, text,
                             MEANT(nearest));
    }
    if (model->shape.layers == 0)
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "the architecture of %s is unknown", model->name);
    mls_memory_take_model(ask, &model->shape, model->key, mls_str_from(model->name));
    return MLS_OK;
}

static mls_status wrong_value(mls_error *error, mls_memory_setting setting, const char *text, const char *wanted)
{
    return wanted == NULL ? MLS_OK
                          : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--%s takes %s, not '%s'",
                                          mls_memory_settings[setting].name, wanted, text);
}

static mls_status set_name(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    static const char *const before_stage[] = {"", "zero", "stage", "zerostage"};
    const mls_str value = mls_str_from(text);
    mls_suggestion nearest = mls_suggest_for(value);
    const size_t colon = strcspn(text, ":");
    const mls_str first = {text, colon};
    const char *more = text + colon + (text[colon] != '\0');
    const char *wanted = NULL;
    mls_str word;
    switch (setting) {
    case MLS_MEMORY_MODEL:
        return set_model(ask, text, error);
    case MLS_MEMORY_GPU:
        (void)!mls_accelerators_find_gpu(ask->accelerators, value, &ask->gpu);
        if (ask->gpu != NULL)
            return MLS_OK;
        for (size_t i = 0; i < ask->accelerators->gpu_count; i++)
            mls_suggest_add(&nearest, mls_str_from(ask->accelerators->gpus[i].name));
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                             "the memory of '%s' is unknown: use --capacity" MEANT_FORMAT, text, MEANT(nearest));
    case MLS_MEMORY_PRECISION:
        wanted = MLS_MEMORY_PRECISIONS;
        for (int64_t place = 0; mls_list_next(&wanted, '|', &word); place++) {
            if (mls_str_alike(word, value)) {
                ask->values[MLS_MEMORY_PRECISION] = place;
                return MLS_OK;
            }
            mls_suggest_add(&nearest, word);
        }
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--precision is one of %s, not '%s'" MEANT_FORMAT,
                             MLS_MEMORY_PRECISIONS, text, MEANT(nearest));
    case MLS_MEMORY_LAYOUT:
        wanted = mls_pipeline_layout_parse(value, &ask->layout);
        return wanted == NULL ? MLS_OK
                              : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--pipeline-layout '%s': %s", text, wanted);
    case MLS_MEMORY_LINK:
        ask->link = mls_accelerators_find_link(ask->accelerators, value);
        wanted = ask->link != NULL ? NULL : "nvlink-c2c, pcie5, pcie4 or pcie3";
        break;
    case MLS_MEMORY_RECOMPUTE: {
        const int64_t how = place_in(recompute_words, first);
        uint64_t layers = 0;
        if (how < 0 || (text[colon] != '\0' &&
                        (how != MLS_RECOMPUTE_FULL || !read_whole(mls_str_from(more), &layers) || layers == 0))) {
            wanted = "none, selective, full or full:N";
            break;
        }
        ask->values[MLS_MEMORY_RECOMPUTE] = how;
        ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] = layers > 0 ? (int64_t)layers : MLS_MEMORY_NOT_SET;
        break;
    }
    case MLS_MEMORY_ZERO: { /* "3", "zero-3", "ZeRO 3" or "stage3" */
        const int64_t stage = value.len > 0 ? text[value.len - 1] - '0' : -1;
        wanted = "0, 1, 2 or 3, or such as zero-3";
        for (size_t i = 0; i < sizeof before_stage / sizeof *before_stage && stage >= 0 && stage <= 3; i++) {
            if (mls_names_alike((mls_str){text, value.len - 1}, mls_str_from(before_stage[i]))) {
                ask->values[MLS_MEMORY_ZERO] = stage;
                wanted = NULL;
            }
        }
        break;
    }
    default: { /* LORA */
        uint64_t rank;
        int64_t targets = 0;
        bool known = read_whole(first, &rank) && rank > 0 && *more != '\0';
        while (known && mls_list_next(&more, ',', &word)) {
            const int64_t place = place_in("q|k|v|qkv|o|gate|up|down", word);
            known = place >= 0;
            targets |= known ? (int64_t)1 << place : 0;
        }
        wanted = known ? NULL : "RANK:TARGETS such as 16:q,k,v,o (of q,k,v,qkv,o,gate,up,down)";
        if (known) {
            ask->values[MLS_MEMORY_LORA] = (int64_t)rank;
            ask->values[MLS_MEMORY_LORA_TARGETS] = targets;
        }
    }
    }
    return wrong_value(error, setting, text, wanted);
}

mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},      {"B", 1},        {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
                 {"TB", 1e12}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    const struct mls_memory_setting_row *row = &mls_memory_settings[setting];
    const mls_str value = mls_str_from(text);
    const char *wanted = NULL;
    uint64_t number = 1; /* the value of a flag */
    double share = 0;
    if (row->kind == MLS_MEMORY_NAME)
        return set_name(ask, setting, text, error);
    if (row->kind == MLS_MEMORY_NUMBER || row->kind == MLS_MEMORY_WHOLE) {
        const bool least = row->kind == MLS_MEMORY_NUMBER;
        wanted = read_whole(value, &number) && number >= least ? NULL
                 : least                                       ? "a whole number above 0"
                                                               : "a whole number";
    } else if (row->kind == MLS_MEMORY_SIZE) {
        mls_str unit;
        double bytes = -1;
        const bool known = mls_number_parse(mls_size_split(value, &unit), &share);
        for (size_t i = 0; i < sizeof units / sizeof *units && known; i++)
            bytes = mls_str_equal(unit, mls_str_from(units[i].unit)) ? floor(share * units[i].bytes + 0.5) : bytes;
        const bool sane = bytes >= 0 && bytes <= (double)MLS_BYTES_MAX;
        number = sane ? (uint64_t)bytes : 0;
        wanted =
            sane && (number > 0 || setting != MLS_MEMORY_CAPACITY) ? NULL : "bytes, or a size such as 80GB or 79.1GiB";
    } else if (row->kind == MLS_MEMORY_SHARE) { /* in millionths */
        wanted = mls_number_parse(value, &share) && share > 0 && share <= 1
                     ? NULL
                     : "a share above 0 and at most 1, such as 0.9";
        number = wanted == NULL ? (uint64_t)(share * 1e6 + 0.5) : 0;
    } else if (row->kind == MLS_MEMORY_WORD) {
        number = (uint64_t)place_in(row->words, value);
        wanted = (int64_t)number >= 0 ? NULL : row->words;
    }
    if (wanted == NULL) {
        const bool negated = setting == MLS_MEMORY_NO_SEQUENCE_PARALLEL;
        ask->values[negated ? MLS_MEMORY_SEQUENCE_PARALLEL : setting] = negated ? 0 : (int64_t)number;
    }
    return wrong_value(error, setting, text, wanted);
}

/* Set a setting unless it is set. */
static void fill(mls_memory_ask *ask, mls_memory_setting setting, uint64_t value)
{
    int64_t *at = &ask->values[setting];
    *at = *at == MLS_MEMORY_NOT_SET ? (int64_t)value : *at;
}

/* Set a setting unless it is set or the value is 0, which means unknown. */
static void fill_known(mls_memory_ask *ask, mls_memory_setting setting, uint64_t value)
{
    if (value != 0)
        fill(ask, setting, value);
}

/* ---------------------------------------------------------------- what a job printed */

bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus)
{
    static const struct {
        mls_memory_setting setting;
        const char *name;
        bool flag;
    } rows[] = {{MLS_MEMORY_TP, "tensor_parallel", false},
                {MLS_MEMORY_PP, "pipeline_parallel", false},
                {MLS_MEMORY_CP, "context_parallel", false},
                {MLS_MEMORY_EP, "expert_parallel", false},
                {MLS_MEMORY_VP, "virtual_pipeline", false},
                {MLS_MEMORY_MICRO_BATCH, "micro_batch", false},
                {MLS_MEMORY_SEQUENCE, "sequence_length", false},
                {MLS_MEMORY_SEQUENCE_PARALLEL, "sequence_parallel", true},
                {MLS_MEMORY_FP4, "fp4", true},
                {MLS_MEMORY_FP8, "fp8", true},
                {MLS_MEMORY_FP8_ATTENTION, "fp8_attention", true},
                {MLS_MEMORY_FP8_ACTIVATIONS, "activation_input_fp8", true},
                {MLS_MEMORY_ZERO, "distributed_optimizer", true}};
    mls_str values[MLS_KNOWN_SETTINGS_MAX];
    if (mls_known_values(known, settings, values) == 0)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_str name = mls_str_from(rows[i].name);
        if ((rows[i].setting == MLS_MEMORY_VP && VALUE(ask, PP) <= 1) ||
            (rows[i].setting == MLS_MEMORY_ZERO && ask->values[MLS_MEMORY_FSDP] != MLS_MEMORY_NOT_SET))
            continue;
        if (!rows[i].flag) {
            fill_known(ask, rows[i].setting, mls_known_number(known, values, name));
        } else if (mls_known_value(known, values, name).ptr != NULL) {
            /* A word other than true and false, such as a kind of FP8, counts as true. */
            fill(ask, rows[i].setting, mls_known_is_on(known, values, name));
        }
    }
    /* Compute the accumulation from the global batch and the number of GPUs. */
    const uint64_t global = mls_known_number(known, values, MLS_S("global_batch"));
    const uint64_t copies = MUL(VALUE(ask, TP), VALUE(ask, PP), VALUE(ask, CP));
    const uint64_t at_once = gpus >= copies ? MUL(gpus / copies, VALUE(ask, MICRO_BATCH)) : 0;
    fill_known(ask, MLS_MEMORY_ACCUMULATION, at_once > 0 ? global / at_once : 0);
    if (mls_known_is_on(known, values, MLS_S("fp8_params")))
        fill(ask, MLS_MEMORY_FP8_PARAMS, 1); /* adapters keep the weights of the model in 8 bits in any case */
    const mls_str how = mls_known_value(known, values, MLS_S("recompute"));
    if (mls_str_alike(how, MLS_S("full")) || mls_str_alike(how, MLS_S("selective"))) {
        fill(ask, MLS_MEMORY_RECOMPUTE,
             mls_str_alike(how, MLS_S("full")) ? MLS_RECOMPUTE_FULL : MLS_RECOMPUTE_SELECTIVE);
    }
    return true;
}

const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus)
{
    const mls_run *first = NULL;
    for (size_t i = 0; i < count; i++) {
        ask->ended_well |= runs[i].status == MLS_RUN_SUCCESS;
        if (first == NULL && runs[i].printed != NULL && mls_memory_printed(ask, known, runs[i].printed, gpus))
            first = &runs[i];
    }
    return first;
}

/* ---------------------------------------------------------------- what a config exports */

typedef struct exports {
    mls_memory_ask *ask;
    const mls_shell *script;
    mls_findings *findings;
} exports;

static void not_usable(const exports *of, const mls_shell_variable *variable, const char *wanted)
{
    const mls_finding_place place = {.path = variable->path, .line = variable->line, .key = variable->name};
    for (size_t i = 0; i < of->findings->count; i++)
        if (of->findings->items[i].line == variable->line &&
            mls_str_equal(mls_str_from(of->findings->items[i].key), variable->name))
            return; /* another setting handles it */
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

/* Return the first variable of `names` that the config exports, or NULL.  Variables whose value is empty, "null" or
 * unknown count as not exported. */
static const mls_shell_variable *exported(const exports *of, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
        const mls_shell_variable *variable = mls_shell_find(of->script, name);
        if (variable != NULL && !variable->known)
            not_usable(of, variable, "");
        else if (variable != NULL && mls_shell_is_set(variable))
            return variable;
    }
    return NULL;
}

static uint64_t export_number(const exports *of, const char *names, uint64_t otherwise)
{
    const mls_shell_variable *variable = exported(of, names);
    size_t number;
    if (variable == NULL)
        return otherwise;
    if (!mls_size_parse(variable->value, &number) || number > UINT32_MAX) {
        not_usable(of, variable, "a whole number");
        return otherwise;
    }
    return number;
}

static bool export_flag(const exports *of, const char *names, bool otherwise)
{
    const mls_shell_variable *variable = exported(of, names);
    if (variable == NULL)
        return otherwise;
    const mls_str value = variable->value;
    if (mls_str_any(value, "true|1|yes|on", mls_str_alike))
        return true;
    if (!mls_str_any(value, "false|0|no|off", mls_str_alike)) {
        not_usable(of, variable, "true or false");
        return otherwise;
    }
    return false;
}

/* Set the parallelism and the batch sizes of the job.  A pipeline layout defines the positions of embedding and loss.
 */
static void fill_layout(const exports *of, const mls_config_name *name, bool lora)
{
    static const struct {
        mls_memory_setting setting;
        const char *names;
    } splits[] = {{MLS_MEMORY_TP, MLS_CONFIG_TP},
                  {MLS_MEMORY_PP, MLS_CONFIG_PP},
                  {MLS_MEMORY_CP, MLS_CONFIG_CP},
                  {MLS_MEMORY_EP, MLS_CONFIG_EP},
                  {MLS_MEMORY_VP, MLS_CONFIG_VP}};
    mls_memory_ask *ask = of->ask;
    const uint64_t nodes = export_number(of, MLS_CONFIG_NODES, name->nodes);
    const uint64_t per_node = export_number(of, MLS_CONFIG_GPUS_PER_NODE, name->gpus_per_node);
    const uint64_t micro_batch = export_number(of, MLS_CONFIG_MICRO_BATCH, 1);
    const uint64_t batch = export_number(of, "MINIBS", 0);
    fill_known(ask, MLS_MEMORY_GPUS, MUL(nodes, per_node));
    fill_known(ask, MLS_MEMORY_GPUS_PER_NODE, per_node);
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        if (splits[i].setting != MLS_MEMORY_VP || VALUE(ask, PP) > 1)
            fill_known(ask, splits[i].setting, export_number(of, splits[i].names, 0));
    fill_known(ask, MLS_MEMORY_MICRO_BATCH, micro_batch);
    fill_known(ask, MLS_MEMORY_ACCUMULATION, batch / VALUE(ask, MICRO_BATCH));
    const uint64_t copies = MUL(VALUE(ask, TP), VALUE(ask, PP), VALUE(ask, CP));
    const uint64_t global = batch == 0 ? export_number(of, MLS_CONFIG_GLOBAL_BATCH, name->global_batch_named) : 0;
    if (VALUE(ask, GPUS) >= copies)
        fill_known(ask, MLS_MEMORY_ACCUMULATION, global / MUL(VALUE(ask, GPUS) / copies, VALUE(ask, MICRO_BATCH)));
    fill(ask, MLS_MEMORY_SEQUENCE_PARALLEL, export_flag(of, "SEQ_PARALLEL SP", !lora && VALUE(ask, TP) > 1));
    const mls_shell_variable *layout = exported(of, MLS_CONFIG_LAYOUT);
    if (ask->layout.count == 0 && layout != NULL) {
        const char *wrong = mls_pipeline_layout_parse(layout->value, &ask->layout);
        if (wrong != NULL) {
            char wanted[120];
            (void)mls_text_printf(wanted, sizeof wanted, "a layout of a pipeline (%s)", wrong);
            not_usable(of, layout, wanted);
        }
    }
    if (ask->layout.count == 0) {
        fill(ask, MLS_MEMORY_EMBED_SLOT, export_flag(of, "ASYM_PP_EMBED", false));
        fill(ask, MLS_MEMORY_LOSS_SLOT, export_flag(of, "ASYM_PP_LOSS", false));
    }
    if (ask->values[MLS_MEMORY_FSDP] == MLS_MEMORY_NOT_SET)
        fill(ask, MLS_MEMORY_ZERO, export_flag(of, "USE_DIST_OPTIMIZER USE_DISTRIBUTED_OPTIMIZER", true));
}

bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings)
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
    static const char *const gpus[] = {"GB300",    "GB200",  "GH200",  "B300",   "B200",   "H200",
                                       "H100-NVL", "H100",   "H800",   "A100",   "A800",   "L40S",
                                       "MI250X",   "MI300X", "MI308X", "MI325X", "MI350X", "MI355X"};
    const exports of = {ask, script, findings};
    const mls_config_name name = mls_config_name_decode(mls_str_from(path));
    ask->values[MLS_MEMORY_TRAIN] = 1;
    /* The model is in MODEL_SIZE or in the path. */
    const mls_shell_variable *size = exported(&of, "MODEL_SIZE");
    const char *model = NULL;
    if (size != NULL && (mls_str_alike(size->value, MLS_S("405b")) || mls_str_alike(size->value, MLS_S("8b"))))
        model = mls_str_alike(size->value, MLS_S("8b")) ? "llama31_8b" : "llama31_405b";
    for (size_t i = 0; i < sizeof parts / sizeof *parts && model == NULL; i++)
        model = strcasestr(path, parts[i].part) != NULL ? parts[i].model : NULL;
    if (ask->shape.layers == 0 && model != NULL)
        (void)!mls_memory_set(ask, MLS_MEMORY_MODEL, model, NULL);
    /* The path may name a GPU; if it names several, do not set the GPU.  Longer names come first. */
    const char *gpu = NULL;
    bool several = false;
    for (const char *at = path; *at != '\0';) {
        const char *found = NULL;
        for (size_t i = 0; i < sizeof gpus / sizeof *gpus && found == NULL; i++)
            found = strncasecmp(at, gpus[i], strlen(gpus[i])) == 0 ? gpus[i] : NULL;
        several |= found != NULL && gpu != NULL && found != gpu;
        gpu = found != NULL ? found : gpu;
        at += found != NULL ? strlen(found) : 1;
    }
    if (ask->gpu == NULL && gpu != NULL && !several)
        (void)!mls_memory_set(ask, MLS_MEMORY_GPU, gpu, NULL);
    const bool lora = ask->benchmark != NULL && strcmp(ask->benchmark, "llama2_70b_lora") == 0;
    if (lora) {
        fill(ask, MLS_MEMORY_LORA, 16);
        fill(ask, MLS_MEMORY_LORA_TARGETS, MLS_LORA_QKV | MLS_LORA_O);
    }
    fill_layout(&of, &name, lora);
    const mls_shell_variable *how = exported(&of, "ACT_CKPT_GRANULARITY RECOMPUTE_GRANULARITY ACG");
    const mls_shell_variable *method = exported(&of, "ACT_CKPT_METHOD RECOMPUTE_METHOD ACM");
    const uint64_t layers = export_number(&of, "ACT_CKPT_NUM_LAYERS RECOMPUTE_NUM_LAYERS ACL", 0);
    if (how != NULL && ask->values[MLS_MEMORY_RECOMPUTE] == MLS_MEMORY_NOT_SET) {
        if (mls_str_alike(how->value, MLS_S("full"))) {
            fill(ask, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_FULL);
            fill_known(ask, MLS_MEMORY_RECOMPUTE_LAYERS,
                       method != NULL && mls_str_alike(method->value, MLS_S("block")) ? layers : 0);
        } else if (mls_str_alike(how->value, MLS_S("selective"))) {
            fill(ask, MLS_MEMORY_RECOMPUTE, MLS_RECOMPUTE_SELECTIVE);
        } else {
            not_usable(&of, how, "full or selective");
        }
    }
    if (export_flag(&of, "CPU_OFFLOADING", false))
        fill(ask, MLS_MEMORY_OFFLOAD_LAYERS, export_number(&of, "CPU_OFFLOADING_NUM_LAYERS OFFLOAD_LAYERS", 0));
    else if (exported(&of, "CPU_OFFLOADING CPU_OFFLOADING_NUM_LAYERS") == NULL)
        fill(ask, MLS_MEMORY_OFFLOAD_LAYERS, export_number(&of, "OFFLOAD_LAYERS", 0));
    const bool fp4 = export_flag(&of, "FP4", false);
    fill(ask, MLS_MEMORY_FP4, fp4);
    fill(ask, MLS_MEMORY_FP8, export_flag(&of, "FP8", lora && !fp4));
    fill(ask, MLS_MEMORY_FP8_PARAMS, lora || export_flag(&of, "FP8_PARAM_GATHER FP8_PARAMS FP8_PARAM", false));
    fill(ask, MLS_MEMORY_FP8_ACTIVATIONS, export_flag(&of, "FP8_ACT FP8_ACTIVATION", false));
    fill(ask, MLS_MEMORY_FP8_ATTENTION, export_flag(&of, "FP8_DPA", false));
    fill(ask, MLS_MEMORY_GRAD_PRECISION, MLS_GRADIENTS_BF16);
    return ask->shape.layers > 0 && findings->count == 0 &&
           (ask->values[MLS_MEMORY_TP] != MLS_MEMORY_NOT_SET || ask->values[MLS_MEMORY_PP] != MLS_MEMORY_NOT_SET ||
            ask->values[MLS_MEMORY_CP] != MLS_MEMORY_NOT_SET);
}
