/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - what is asked: from words to values. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "explain/memory/sizes.h"

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
    for (int64_t i = 0; mls_list_next(&words, '|', &word); i++) {
        if (i == value) {
            return word;
        }
    }
    return (mls_str){NULL, 0};
}

/* "0.9": above 0 and at most 1, in millionths; 0: it is not that. */
static uint64_t read_share(mls_str text)
{
    const double millionths = 1e6;
    double share;
    return mls_number_parse(text, &share) && share > 0 && share <= 1 ? (uint64_t)(share * millionths + 0.5) : 0;
}

static int64_t place_in(const char *words, mls_str word)
{
    int64_t place = 0;
    for (mls_str one; mls_list_next(&words, '|', &one); place++) {
        if (mls_str_equal(one, word)) {
            return place;
        }
    }
    return MLS_MEMORY_NOT_SET;
}

mls_number_bytes mls_number_bytes_of(int64_t kind)
{
    static const mls_number_bytes bytes[] = {
        [MLS_FP32] = {4, 1},    [MLS_FP16] = {2, 1}, [MLS_BF16] = {2, 1},    [MLS_AMP] = {2, 1},
        [MLS_FP8] = {1, 1},     [MLS_INT8] = {1, 1}, [MLS_MXFP8] = {33, 32}, [MLS_NVFP4] = {9, 16},
        [MLS_MXFP4] = {17, 32}, [MLS_FP4] = {1, 2},  [MLS_INT4] = {1, 2}};
    return kind < MLS_GGUF ? bytes[kind] : (mls_number_bytes){0, 1};
}

/* 10^18: so large that nothing adds up to anything, and small enough for an int64_t. */
static const uint64_t number_max = UINT64_C(1000000000000000000);

/* "131072" or, of tokens, "128k". */
static bool read_whole(mls_str text, uint64_t *number)
{
    const bool kilo = text.len > 1 && (text.ptr[text.len - 1] == 'k' || text.ptr[text.len - 1] == 'K');
    size_t value;
    if (!mls_size_parse((mls_str){text.ptr, text.len - kilo}, &value) || value > number_max / 1024) {
        return false;
    }
    *number = kilo ? (uint64_t)value * 1024 : (uint64_t)value;
    return true;
}

mls_str mls_size_split(mls_str text, mls_str *unit)
{
    size_t digits = 0;
    while (digits < text.len && (mls_is_digit(text.ptr[digits]) || text.ptr[digits] == '.')) {
        digits++;
    }
    const size_t blank = digits < text.len && text.ptr[digits] == ' ';
    *unit = (mls_str){text.ptr + digits + blank, text.len - digits - blank};
    return (mls_str){text.ptr, digits};
}

bool mls_memory_size_parse(mls_str text, uint64_t *bytes)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},      {"B", 1},        {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
                 {"TB", 1e12}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    mls_str unit;
    double value = -1;
    double number;
    const bool known = mls_number_parse(mls_size_split(text, &unit), &number);
    for (size_t i = 0; i < sizeof units / sizeof *units && known; i++) {
        value = mls_str_equal(unit, mls_str_from(units[i].unit)) ? floor(number * units[i].bytes + 0.5) : value;
    }
    const bool sane = value >= 0 && value <= (double)MLS_BYTES_MAX;
    *bytes = sane ? (uint64_t)value : 0;
    return sane;
}

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators)
{
    *ask = (mls_memory_ask){.models = models, .accelerators = accelerators, .kv_precision = MLS_MEMORY_NOT_SET};
    for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++) {
        ask->values[i] = MLS_MEMORY_NOT_SET;
    }
}

/* The stage of ZeRO that a name of FSDP means; nothing is named: the distributed optimizer of Megatron. */
static uint64_t stage_of_sharding(const mls_memory_ask *ask)
{
    static const uint64_t stages[] = {
        [MLS_FSDP_NO_SHARD] = 0, [MLS_FSDP_SHARD_GRAD_OP] = 2, [MLS_FSDP_FULL_SHARD] = 3, [MLS_FSDP_HYBRID_SHARD] = 3};
    const int64_t named = ask->values[MLS_MEMORY_FSDP];
    return named == MLS_MEMORY_NOT_SET ? 1 : stages[named];
}

static uint64_t default_value(const mls_memory_ask *ask, mls_memory_setting setting)
{
    static const uint64_t fixed[MLS_MEMORY_SETTING_COUNT] = {[MLS_MEMORY_GPUS_PER_NODE] = 8,
                                                             [MLS_MEMORY_PRECISION] = MLS_BF16,
                                                             [MLS_MEMORY_RUNTIME] = UINT64_C(1) << 30,
                                                             [MLS_MEMORY_PREFILL] = 8192,
                                                             [MLS_MEMORY_RECOMPUTE_LAYERS] = UINT64_MAX};
    const bool torch = ask->values[MLS_MEMORY_FRAMEWORK] == MLS_FRAMEWORK_TORCH;
    const uint64_t kind = setting == MLS_MEMORY_KV_PRECISION ? VALUE(ask, PRECISION) : MLS_BF16;
    switch (setting) {
    case MLS_MEMORY_CAPACITY:
        return ask->gpu != NULL ? ask->gpu->capacity_bytes : 0;
    case MLS_MEMORY_GPUS:
        return MUL(VALUE(ask, TP), VALUE(ask, PP), VALUE(ask, TRAIN) != 0 ? VALUE(ask, CP) : 1);
    case MLS_MEMORY_KV_PRECISION:
        if (ask->kv_precision != MLS_MEMORY_NOT_SET && ask->values[MLS_MEMORY_PRECISION] == MLS_MEMORY_NOT_SET) {
            return (uint64_t)ask->kv_precision;
        }
        return kind == MLS_FP16 || kind == MLS_FP32 ? kind : MLS_BF16;
    case MLS_MEMORY_SEQUENCE:
        return ask->shape.sequence;
    case MLS_MEMORY_SEQUENCE_PARALLEL:
        return VALUE(ask, TP) > 1;
    case MLS_MEMORY_ZERO:
        return stage_of_sharding(ask);
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

uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting)
{
    return ask->values[setting] == MLS_MEMORY_NOT_SET ? default_value(ask, setting) : (uint64_t)ask->values[setting];
}

static mls_status wrong_value(mls_error *error, mls_memory_setting setting, const char *text, const char *wanted)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--%s takes %s, not '%s'", mls_memory_settings[setting].name,
                         wanted, text);
}

static mls_status set_gpu(mls_memory_ask *ask, const char *text, mls_error *error)
{
    mls_nearest nearest = mls_nearest_to(mls_str_from(text));
    if (mls_accelerators_find_gpu(ask->accelerators, mls_str_from(text), &ask->gpu) != MLS_OK) {
        return mls_error_memory(error);
    }
    for (size_t i = 0; i < ask->accelerators->gpu_count; i++) {
        mls_nearest_offer(&nearest, mls_str_from(ask->accelerators->gpus[i].name));
    }
    return ask->gpu != NULL
               ? MLS_OK
               : mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                               "the memory of '%s' is not known, --capacity can say it%s%.*s%s", text,
                               nearest.found.len > 0 ? "; did you mean '" : "", (int)nearest.found.len,
                               nearest.found.len > 0 ? nearest.found.ptr : "", nearest.found.len > 0 ? "'?" : "");
}

static mls_status set_recompute(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const size_t colon = strcspn(text, ":");
    const int64_t how = place_in(recompute_words, (mls_str){text, colon});
    const bool some = text[colon] != '\0';
    uint64_t layers = 0;
    if (how < 0 ||
        (some && (how != MLS_RECOMPUTE_FULL || !read_whole(mls_str_from(text + colon + 1), &layers) || layers == 0))) {
        return wrong_value(error, MLS_MEMORY_RECOMPUTE, text, "none, selective, full or full:N");
    }
    ask->values[MLS_MEMORY_RECOMPUTE] = how;
    ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] = some ? (int64_t)layers : MLS_MEMORY_NOT_SET;
    return MLS_OK;
}

static mls_status set_precision(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const char *words = MLS_MEMORY_PRECISIONS;
    const mls_str wanted = mls_str_from(text);
    mls_nearest nearest = mls_nearest_to(wanted);
    mls_str word;
    for (int64_t place = 0; mls_list_next(&words, '|', &word); place++) {
        if (mls_str_alike(word, wanted)) {
            ask->values[MLS_MEMORY_PRECISION] = place;
            return MLS_OK;
        }
        mls_nearest_offer(&nearest, word);
    }
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--precision is one of %s, not '%s'%s%.*s%s",
                         MLS_MEMORY_PRECISIONS, text, nearest.found.len > 0 ? "; did you mean '" : "",
                         (int)nearest.found.len, nearest.found.len > 0 ? nearest.found.ptr : "",
                         nearest.found.len > 0 ? "'?" : "");
}

static mls_status set_lora(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const size_t colon = strcspn(text, ":");
    const char *at = text + colon + (text[colon] != '\0');
    uint64_t rank;
    int64_t targets = 0;
    bool known = read_whole((mls_str){text, colon}, &rank) && rank > 0 && *at != '\0';
    for (mls_str one; known && mls_list_next(&at, ',', &one);) {
        const int64_t place = place_in("q|k|v|qkv|o|gate|up|down", one);
        known = place >= 0;
        targets |= known ? (int64_t)1 << place : 0;
    }
    if (!known) {
        return wrong_value(error, MLS_MEMORY_LORA, text,
                           "RANK:TARGETS such as 16:q,k,v,o (of q,k,v,qkv,o,gate,up,down)");
    }
    ask->values[MLS_MEMORY_LORA] = (int64_t)rank;
    ask->values[MLS_MEMORY_LORA_TARGETS] = targets;
    return MLS_OK;
}

/* "3", "zero-3", "ZeRO 3", "stage3". */
static mls_status set_zero(mls_memory_ask *ask, const char *text, mls_error *error)
{
    static const char *const before[] = {"", "zero", "stage", "zerostage"};
    const size_t len = strlen(text);
    const int64_t stage = len > 0 ? text[len - 1] - '0' : -1;
    for (size_t i = 0; i < sizeof before / sizeof *before && stage >= 0 && stage <= 3; i++) {
        if (mls_names_alike((mls_str){text, len - 1}, mls_str_from(before[i]))) {
            ask->values[MLS_MEMORY_ZERO] = stage;
            return MLS_OK;
        }
    }
    return wrong_value(error, MLS_MEMORY_ZERO, text, "0, 1, 2 or 3, or such as zero-3");
}

static mls_status set_layout(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const char *wrong = mls_pipeline_layout_parse(mls_str_from(text), &ask->layout);
    return wrong == NULL ? MLS_OK
                         : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--pipeline-layout '%s': %s", text, wrong);
}

bool mls_memory_model_is_file(const char *name)
{
    return name != NULL && (strchr(name, '/') != NULL || mls_str_ends(mls_str_from(name), MLS_S(".json")));
}

/* Read how weights and KV cache are kept from the file of Model Optimizer beside config.json, which does not always say
 * that too.  A file called x_config.json has it as x_hf_quant_config.json. */
static mls_status read_file_beside(mls_memory_ask *ask, const char *path, mls_error *error)
{
    static const char suffix[] = "config.json";
    static const char name[] = "hf_quant_config.json";
    const size_t before = strlen(path) - strlen(suffix);
    const bool known = ask->quantization.bytes != 0;
    mls_error why = {0};
    mls_buffer text = {0};
    mls_buffer beside = {0};
    mls_status status = MLS_OK;
    mls_buffer_printf(&beside, "%.*s%s", (int)before, path, name);
    if (beside.failed) {
        status = mls_error_memory(error);
    } else if (access(beside.ptr, F_OK) == 0) {
        status = mls_file_read(beside.ptr, true, MLS_MEMORY_MODEL_BYTES_MAX, &text, &why);
        status = status == MLS_OK ? mls_memory_quantization_parse(ask, mls_buffer_str(&text), &why) : status;
        if (status != MLS_OK && (!known || status == MLS_ERROR_MEMORY)) {
            status = mls_error_set(error, status, 0, 0, "%s beside it: %s", name, why.message);
        } else {
            status = MLS_OK; /* config.json says enough */
        }
    }
    mls_buffer_release(&text);
    mls_buffer_release(&beside);
    return status;
}

static mls_status read_model_file(mls_memory_ask *ask, const char *path, mls_str name, mls_error *error)
{
    mls_buffer text = {0};
    mls_status status = mls_file_read(path, true, MLS_MEMORY_MODEL_BYTES_MAX, &text, error);
    if (status == MLS_OK) {
        status = mls_memory_model_parse(ask, mls_buffer_str(&text), name, error);
    }
    if (status == MLS_OK && mls_str_ends(mls_str_from(path), MLS_S("config.json"))) {
        status = read_file_beside(ask, path, error);
    }
    mls_buffer_release(&text);
    return status;
}

/* Read the config.json of a folder, which gives the model its name. */
static mls_status read_model_folder(mls_memory_ask *ask, const char *folder, mls_error *error)
{
    mls_str path = mls_str_from(folder);
    const mls_str last = mls_path_cut(&path);
    const bool named = last.len > 0 && !mls_str_any(last, ".|..", mls_str_equal);
    char *config = mls_path_join(folder, "config.json");
    mls_status status = MLS_OK;
    if (config == NULL) {
        status = mls_error_memory(error);
    } else if (access(config, F_OK) != 0) {
        status = mls_error_set(error, MLS_ERROR_READ, 0, 0, "is a folder without a config.json");
    } else {
        status = read_model_file(ask, config, named ? last : MLS_S("config.json"), error);
    }
    free(config);
    return status;
}

static mls_status unknown_model(const mls_models *models, const char *text, mls_error *error)
{
    mls_nearest nearest = mls_nearest_to(mls_str_from(text));
    for (size_t i = 0; i < models->count; i++) {
        const mls_model *model = &models->items[i];
        mls_nearest_offer(&nearest, mls_str_from(model->shape.layers > 0 ? model->key : ""));
    }
    return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "no model '%s', and no such file%s%.*s%s", text,
                         nearest.found.len > 0 ? "; did you mean '" : "", (int)nearest.found.len,
                         nearest.found.len > 0 ? nearest.found.ptr : "", nearest.found.len > 0 ? "'?" : "");
}

static mls_status set_model(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const mls_model *model = mls_models_find(ask->models, mls_str_from(text));
    struct stat info;
    const bool there = stat(text, &info) == 0;
    if (there && S_ISDIR(info.st_mode) && (model == NULL || mls_memory_model_is_file(text))) {
        return read_model_folder(ask, text, error);
    }
    if (mls_memory_model_is_file(text) || (model == NULL && there)) {
        return read_model_file(ask, text, mls_str_from(mls_path_name(text)), error);
    }
    if (model == NULL) {
        return unknown_model(ask->models, text, error);
    }
    if (model->shape.layers == 0) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "what %s is made of is not known here", model->name);
    }
    mls_memory_take_model(ask, &model->shape, model->key, mls_str_from(model->name));
    return MLS_OK;
}

static mls_status set_name(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    switch (setting) {
    case MLS_MEMORY_MODEL:
        return set_model(ask, text, error);
    case MLS_MEMORY_GPU:
        return set_gpu(ask, text, error);
    case MLS_MEMORY_LINK:
        ask->link = mls_accelerators_find_link(ask->accelerators, mls_str_from(text));
        return ask->link != NULL ? MLS_OK : wrong_value(error, setting, text, "nvlink-c2c, pcie5, pcie4 or pcie3");
    case MLS_MEMORY_PRECISION:
        return set_precision(ask, text, error);
    case MLS_MEMORY_RECOMPUTE:
        return set_recompute(ask, text, error);
    case MLS_MEMORY_ZERO:
        return set_zero(ask, text, error);
    case MLS_MEMORY_LAYOUT:
        return set_layout(ask, text, error);
    default:
        return set_lora(ask, text, error);
    }
}

mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    const mls_str value = mls_str_from(text);
    const char *wanted = NULL;
    uint64_t number = 1; /* of a flag */
    switch (mls_memory_settings[setting].kind) {
    case MLS_MEMORY_NAME:
        return set_name(ask, setting, text, error);
    case MLS_MEMORY_NUMBER:
        wanted = read_whole(value, &number) && number > 0 ? NULL : "a whole number from 1 on";
        break;
    case MLS_MEMORY_WHOLE:
        wanted = read_whole(value, &number) ? NULL : "a whole number";
        break;
    case MLS_MEMORY_SIZE:
        wanted = mls_memory_size_parse(value, &number) && (number > 0 || setting != MLS_MEMORY_CAPACITY)
                     ? NULL
                     : "bytes, or a size such as 80GB or 79.1GiB";
        break;
    case MLS_MEMORY_SHARE:
        number = read_share(value);
        wanted = number > 0 ? NULL : "a share above 0 and at most 1, such as 0.9";
        break;
    case MLS_MEMORY_WORD:
        number = (uint64_t)place_in(mls_memory_settings[setting].words, value);
        wanted = (int64_t)number >= 0 ? NULL : mls_memory_settings[setting].words;
        break;
    case MLS_MEMORY_FLAG:
        break;
    }
    if (wanted != NULL) {
        return wrong_value(error, setting, text, wanted);
    }
    if (setting == MLS_MEMORY_NO_SEQUENCE_PARALLEL) {
        ask->values[MLS_MEMORY_SEQUENCE_PARALLEL] = 0;
    } else {
        ask->values[setting] = (int64_t)number;
    }
    return MLS_OK;
}
