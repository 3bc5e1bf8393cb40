/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - what is asked: from words to values. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "memory/sizes.h"

typedef enum setting_kind { KIND_NAME, KIND_COUNT, KIND_WHOLE, KIND_SIZE, KIND_FLAG, KIND_WORD } setting_kind;

static const struct {
    const char *name;
    const char *words; /* of what is one of several */
    setting_kind kind;
} settings[] = {
#define SETTING_ROW(id, option, kind, argument, help) {option, argument, KIND_##kind},
    MLS_MEMORY_SETTINGS(SETTING_ROW) MLS_MEMORY_PARTS(SETTING_ROW)
#undef SETTING_ROW
};

static const char *const item_names[] = {
#define ITEM_NAME(id, name, sentence) #name,
    MLS_MEMORY_ITEMS(ITEM_NAME)
#undef ITEM_NAME
};

static const char *const item_words[] = {
#define ITEM_WORDS(id, name, sentence) sentence,
    MLS_MEMORY_ITEMS(ITEM_WORDS)
#undef ITEM_WORDS
};

const char *mls_memory_item_name(mls_memory_item item)
{
    return item_names[item];
}

const char *mls_memory_item_words(mls_memory_item item)
{
    return item_words[item];
}

const char *mls_memory_verdict_name(mls_memory_verdict verdict)
{
    static const char *const names[] = {NULL, "fits", "fits_with_host", "tight", "does_not_fit"};
    return names[verdict];
}

const char *mls_memory_setting_name(mls_memory_setting setting)
{
    return settings[setting].name;
}

bool mls_memory_setting_is_flag(mls_memory_setting setting)
{
    return settings[setting].kind == KIND_FLAG;
}

/* The next of "a|b|c", whose rest *words becomes; ptr NULL at the end. */
static mls_str next_word(const char **words)
{
    const char *start = *words;
    if (*start == '\0') {
        return (mls_str){NULL, 0};
    }
    const size_t len = strcspn(start, "|,");
    *words = start + len + (start[len] != '\0');
    return (mls_str){start, len};
}

static const char recompute_words[] = "none|selective|full";

mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value)
{
    const char *words = setting == MLS_MEMORY_RECOMPUTE       ? recompute_words
                        : settings[setting].kind == KIND_WORD ? settings[setting].words
                                                              : "";
    mls_str word = next_word(&words);
    for (int64_t i = 0; i < value && word.ptr != NULL; i++) {
        word = next_word(&words);
    }
    return value >= 0 ? word : (mls_str){NULL, 0};
}

static int64_t place_in(const char *words, mls_str word)
{
    int64_t place = 0;
    for (mls_str one = next_word(&words); one.ptr != NULL; one = next_word(&words), place++) {
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
    return bytes[kind];
}

/* ------------------------------------------------------------------ numbers */

/* 10^18: so large that nothing adds up to anything, and small enough for an int64_t. */
static const uint64_t number_most = UINT64_C(1000000000000000000);

/* "131072" or, of tokens, "128k". */
static bool read_whole(mls_str text, uint64_t *number)
{
    const bool kilo = text.len > 1 && (text.ptr[text.len - 1] == 'k' || text.ptr[text.len - 1] == 'K');
    size_t value;
    if (!mls_size_parse((mls_str){text.ptr, text.len - kilo}, &value) || value > number_most / 1024) {
        return false;
    }
    *number = kilo ? (uint64_t)value * 1024 : (uint64_t)value;
    return true;
}

bool mls_memory_size_parse(mls_str text, uint64_t *bytes)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},      {"B", 1},        {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
                 {"TB", 1e12}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    size_t digits = 0;
    double number;
    while (digits < text.len && (mls_is_digit(text.ptr[digits]) || text.ptr[digits] == '.')) {
        digits++;
    }
    const size_t blank = digits < text.len && text.ptr[digits] == ' ';
    const mls_str unit = {text.ptr + digits + blank, text.len - digits - blank};
    if (!mls_number_parse((mls_str){text.ptr, digits}, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (mls_str_equal(unit, mls_str_from(units[i].unit))) {
            const double value = floor(number * units[i].bytes + 0.5);
            const bool sane = value <= (double)MLS_BYTES_MOST;
            *bytes = sane ? (uint64_t)value : 0;
            return sane;
        }
    }
    return false;
}

/* ------------------------------------------------------------------- setting */

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators)
{
    *ask = (mls_memory_ask){.models = models, .accelerators = accelerators};
    for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++) {
        ask->values[i] = MLS_MEMORY_NOT_SET;
    }
}

static uint64_t default_value(const mls_memory_ask *ask, mls_memory_setting setting)
{
    const bool torch = ask->values[MLS_MEMORY_FRAMEWORK] == MLS_FRAMEWORK_TORCH;
    const uint64_t kind = setting == MLS_MEMORY_KV_PRECISION ? mls_memory_value(ask, MLS_MEMORY_PRECISION) : MLS_BF16;
    switch (setting) {
    case MLS_MEMORY_CAPACITY:
        return ask->gpu != NULL ? ask->gpu->capacity_bytes : 0;
    case MLS_MEMORY_GPUS:
        return MUL(mls_memory_value(ask, MLS_MEMORY_TP), mls_memory_value(ask, MLS_MEMORY_PP),
                   mls_memory_value(ask, MLS_MEMORY_TRAIN) != 0 ? mls_memory_value(ask, MLS_MEMORY_CP) : 1);
    case MLS_MEMORY_GPUS_PER_NODE:
        return 8;
    case MLS_MEMORY_PRECISION:
        return MLS_BF16;
    case MLS_MEMORY_KV_PRECISION:
        return kind == MLS_FP16 || kind == MLS_FP32 ? kind : MLS_BF16;
    case MLS_MEMORY_RUNTIME:
        return UINT64_C(1) << 30;
    case MLS_MEMORY_PREFILL:
        return 8192;
    case MLS_MEMORY_SEQUENCE:
        return ask->shape.sequence;
    case MLS_MEMORY_ZERO:
        return 1;
    case MLS_MEMORY_RECOMPUTE_LAYERS:
        return UINT64_MAX;
    case MLS_MEMORY_SEQUENCE_PARALLEL:
        return mls_memory_value(ask, MLS_MEMORY_TP) > 1;
    case MLS_MEMORY_DROPOUT:
        return ask->shape.dropout == MLS_SAID_YES;
    case MLS_MEMORY_LOSS:
        return torch ? MLS_LOSS_EAGER : 0;
    case MLS_MEMORY_VOCAB_MULTIPLE:
        return torch ? 1 : 128;
    default:
        return settings[setting].kind == KIND_COUNT;
    }
}

uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting)
{
    return ask->values[setting] == MLS_MEMORY_NOT_SET ? default_value(ask, setting) : (uint64_t)ask->values[setting];
}

static mls_status wrong_value(mls_error *error, mls_memory_setting setting, const char *text, const char *wanted)
{
    return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "--%s takes %s, not '%s'", settings[setting].name, wanted, text);
}

static mls_status set_gpu(mls_memory_ask *ask, const char *text, mls_error *error)
{
    mls_buffer known = {0};
    const mls_gpu *gpu;
    ask->gpu = mls_accelerators_find_gpu(ask->accelerators, mls_str_from(text));
    if (ask->gpu != NULL) {
        return MLS_OK;
    }
    for (size_t i = 0; (gpu = mls_accelerators_gpu(ask->accelerators, i)) != NULL; i++) {
        mls_buffer_printf(&known, "%s%s", i > 0 ? ", " : "", gpu->name);
    }
    if (known.failed) {
        mls_buffer_release(&known);
        return mls_error_memory(error);
    }
    const mls_status status = mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0,
                                            "the memory of '%s' is not known, --capacity can say it; known are %s",
                                            text, known.ptr != NULL ? known.ptr : "none");
    mls_buffer_release(&known);
    return status;
}

static mls_status set_link(mls_memory_ask *ask, const char *text, mls_error *error)
{
    ask->link = mls_accelerators_find_link(ask->accelerators, mls_str_from(text));
    return ask->link != NULL ? MLS_OK : wrong_value(error, MLS_MEMORY_LINK, text, "nvlink-c2c, pcie5 or pcie4");
}

static mls_status set_recompute(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const mls_str all = mls_str_from(text);
    const size_t colon = strcspn(text, ":");
    uint64_t layers = 0;
    ask->values[MLS_MEMORY_RECOMPUTE] = place_in(recompute_words, (mls_str){text, colon});
    ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] = MLS_MEMORY_NOT_SET;
    if (ask->values[MLS_MEMORY_RECOMPUTE] < 0 ||
        (colon < all.len && (ask->values[MLS_MEMORY_RECOMPUTE] != MLS_RECOMPUTE_FULL ||
                             !read_whole((mls_str){text + colon + 1, all.len - colon - 1}, &layers) || layers == 0))) {
        return wrong_value(error, MLS_MEMORY_RECOMPUTE, text, "none, selective, full or full:N");
    }
    if (colon < all.len) {
        ask->values[MLS_MEMORY_RECOMPUTE_LAYERS] = (int64_t)layers;
    }
    return MLS_OK;
}

static mls_status set_lora(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const size_t colon = strcspn(text, ":");
    const char *at = text + colon + (text[colon] != '\0');
    uint64_t rank;
    int64_t targets = 0;
    bool known = read_whole((mls_str){text, colon}, &rank) && rank > 0 && *at != '\0';
    for (mls_str one = next_word(&at); one.ptr != NULL && known; one = next_word(&at)) {
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

bool mls_memory_model_is_file(const char *name)
{
    return name != NULL && (strchr(name, '/') != NULL || mls_str_ends(mls_str_from(name), MLS_S(".json")));
}

static mls_status read_model_file(mls_memory_ask *ask, const char *path, mls_error *error)
{
    mls_buffer text = {0};
    const char *name = mls_path_name(path);
    mls_status status = mls_file_read(path, true, MLS_MEMORY_MODEL_BYTES_MAX, &text, error);
    if (status == MLS_OK) {
        status = mls_memory_model_parse(ask, mls_buffer_str(&text), mls_str_from(name), error);
    }
    mls_buffer_release(&text);
    return status;
}

static mls_status set_model(mls_memory_ask *ask, const char *text, mls_error *error)
{
    const mls_model *model = mls_models_find(ask->models, mls_str_from(text));
    if (mls_memory_model_is_file(text)) {
        return read_model_file(ask, text, error);
    }
    if (model != NULL && model->shape.layers > 0) {
        ask->shape = model->shape;
        ask->benchmark = model->key;
        mls_shape_complete(&ask->shape);
        (void)mls_text_printf(ask->model, sizeof ask->model, "%s", model->name);
        return MLS_OK;
    }
    if (model != NULL) {
        return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "what %s is made of is not known here", model->name);
    }
    if (access(text, F_OK) == 0) {
        return read_model_file(ask, text, error);
    }
    mls_nearest nearest = mls_nearest_to(mls_str_from(text));
    for (size_t i = 0; (model = mls_models_get(ask->models, i)) != NULL; i++) {
        mls_nearest_offer(&nearest, mls_str_from(model->shape.layers > 0 ? model->key : ""));
    }
    return mls_error_set(error, MLS_ERROR_UNKNOWN, 0, 0, "no model '%s', and no such file%s%.*s%s", text,
                         nearest.found.len > 0 ? "; did you mean '" : "", (int)nearest.found.len,
                         nearest.found.len > 0 ? nearest.found.ptr : "", nearest.found.len > 0 ? "'?" : "");
}

static mls_status set_name(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    switch (setting) {
    case MLS_MEMORY_MODEL:
        return set_model(ask, text, error);
    case MLS_MEMORY_GPU:
        return set_gpu(ask, text, error);
    case MLS_MEMORY_LINK:
        return set_link(ask, text, error);
    case MLS_MEMORY_RECOMPUTE:
        return set_recompute(ask, text, error);
    default:
        return set_lora(ask, text, error);
    }
}

mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text, mls_error *error)
{
    const mls_str value = mls_str_from(text);
    const mls_memory_setting at = setting == MLS_MEMORY_NO_SEQUENCE_PARALLEL ? MLS_MEMORY_SEQUENCE_PARALLEL : setting;
    const bool named = settings[setting].kind == KIND_NAME;
    uint64_t number = setting != MLS_MEMORY_NO_SEQUENCE_PARALLEL;
    mls_status status = MLS_OK;
    switch (settings[setting].kind) {
    case KIND_NAME:
        status = set_name(ask, setting, text, error);
        break;
    case KIND_COUNT:
    case KIND_WHOLE:
        if (!read_whole(value, &number) || (number == 0 && settings[setting].kind == KIND_COUNT)) {
            const bool count = settings[setting].kind == KIND_COUNT;
            status = wrong_value(error, setting, text, count ? "a whole number from 1 on" : "a whole number");
        }
        break;
    case KIND_SIZE:
        if (!mls_memory_size_parse(value, &number) || (number == 0 && setting == MLS_MEMORY_CAPACITY)) {
            status = wrong_value(error, setting, text, "bytes, or a size such as 80GB or 79.1GiB");
        }
        break;
    case KIND_WORD:
        number = (uint64_t)place_in(settings[setting].words, value);
        if ((int64_t)number < 0) {
            status = wrong_value(error, setting, text, settings[setting].words);
        }
        break;
    default:
        break;
    }
    if (status == MLS_OK && (!named || ask->values[at] == MLS_MEMORY_NOT_SET)) {
        ask->values[at] = named && setting != MLS_MEMORY_LORA && setting != MLS_MEMORY_RECOMPUTE ? 1 : (int64_t)number;
    }
    return status;
}
