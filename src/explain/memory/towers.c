/* SPDX-License-Identifier: Apache-2.0 */
/* towers.c - the parts of a model that read pictures or hear sound, beside its language part. */
#include "explain/memory/towers.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "explain/memory/formula.h"

/* A part's kind of tower: its model_type, or the name of a published model that it is. */
static mls_str tower_type(const config_json *of, const cJSON *part)
{
    static const char *const names[] = {"model_type", "model_name"};
    const char *type = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && type == NULL; i++) {
        type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, names[i]));
    }
    type = type != NULL ? type : cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(of->outer, "model_type"));
    return mls_str_from(type != NULL ? type : "");
}

static const cJSON *tower_family(const cJSON *towers, mls_str type)
{
    for (const cJSON *tower = towers != NULL ? towers->child : NULL; tower != NULL; tower = tower->next) {
        const char *types = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tower, "types"));
        if (types != NULL && mls_str_among(type, types)) {
            return tower;
        }
    }
    return NULL;
}

/* Whether the part says enough of itself: which it is, or how deep.  What its class has by default is no answer to a
 * part that only mentions a width. */
static bool says_enough(const cJSON *part)
{
    static const char *const names[] = {"model_type", "model_name",     "num_hidden_layers",
                                        "depth",      "encoder_layers", "layers"};
    bool says = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        says |= cJSON_HasObjectItem(part, names[i]);
    }
    return says;
}

/* Parameters of a part with what joins it to a language part of that shape; false: it is not known. */
static bool count_part(config_json *of, const cJSON *table, const cJSON *part, const mls_model_shape *language,
                       uint64_t *parameters)
{
    const char *whole = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(of->outer, "model_type"));
    const cJSON *projectors = cJSON_GetObjectItemCaseSensitive(table, "projectors");
    config_json tower = {.outer = part, .formulas = of->formulas, .error = of->error};
    tower.family = tower_family(cJSON_GetObjectItemCaseSensitive(table, "towers"), tower_type(of, part));
    if (!says_enough(part) || tower.family == NULL || whole == NULL || !cJSON_HasObjectItem(projectors, whole)) {
        return false;
    }
    tower.defaults = cJSON_GetObjectItemCaseSensitive(tower.family, "defaults");
    config_json join = *of;
    join.family = projectors;
    join.shape = language;
    join.given[0] = (struct config_given){"tower_out", mls_formula_needed(&tower, "out")};
    join.given[1] = (struct config_given){"tower_ffn", mls_formula_value(&tower, "ffn", 0)};
    join.given_count = 2;
    *parameters = ADD(mls_formula_needed(&tower, "parameters"), mls_formula_needed(&join, whole));
    of->wrong |= tower.wrong || join.wrong;
    return true;
}

void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt)
{
    static const char *const parts[] = {"vision_config",   "audio_config", "img_processor",   "visual",
                                        "audio_processor", "embd_layer",   "mm_vision_tower", "speech_config"};
    mls_model_shape language = *shape;
    if (shape->heads == 0 || of->family == NULL || of->wrong || mls_formula_value(of, "whole", 0) != 0) {
        return;
    }
    mls_shape_complete(&language);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const cJSON *part = cJSON_GetObjectItemCaseSensitive(of->outer, parts[i]);
        uint64_t parameters = 0;
        if (!cJSON_IsObject(part) && !cJSON_IsString(part)) {
            continue;
        }
        if (!cJSON_IsObject(part) || !count_part(of, table, part, &language, &parameters)) {
            mls_doubt_add(doubt, "the language part alone is counted: %s has parameters that come on top", parts[i]);
        }
        shape->tower_parameters = ADD(shape->tower_parameters, parameters);
    }
}
