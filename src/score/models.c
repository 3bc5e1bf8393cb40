/* SPDX-License-Identifier: Apache-2.0 */
/* models.c - the table of models, and one model of JSON. */
#include "score/models.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "mlscore/edition.h"

struct mls_models {
    mls_arena memory; /* holds everything the items point to */
    mls_model *items;
    size_t count;
};

#define MEMBER(name, kind, member) MLS_MEMBER_OF(mls_model, name, kind, member, NULL)
#define SHAPE(name, kind) MEMBER(#name, kind, shape.name)
#define WORDS(name, member, words) MLS_MEMBER_OF(mls_model, name, WORD, member, words)

/* The order of words is that of the enums, "not said" before them. */
static const mls_row_member model_members[] = {
    MEMBER("model", TEXT, name),
    SHAPE(layers, COUNT),
    SHAPE(hidden, COUNT),
    SHAPE(heads, COUNT),
    SHAPE(kv_heads, COUNT),
    SHAPE(head_dim, COUNT),
    SHAPE(ffn, COUNT),
    SHAPE(ffn_matrices, COUNT),
    SHAPE(experts, COUNT),
    SHAPE(experts_per_token, COUNT),
    SHAPE(shared_experts, COUNT),
    SHAPE(expert_ffn, COUNT),
    SHAPE(dense_layers, COUNT),
    SHAPE(vocabulary, COUNT),
    SHAPE(vocabulary_checkpoint, COUNT),
    SHAPE(sequence, COUNT),
    SHAPE(positions, COUNT),
    SHAPE(sliding_window, COUNT),
    SHAPE(sliding_layers, COUNT),
    SHAPE(norm_vectors, COUNT),
    SHAPE(q_lora_rank, COUNT),
    SHAPE(kv_lora_rank, COUNT),
    SHAPE(qk_nope_head_dim, COUNT),
    SHAPE(qk_rope_head_dim, COUNT),
    SHAPE(value_head_dim, COUNT),
    SHAPE(other_parameters, COUNT),
    WORDS("biases", shape.biases, "none qkv attention all"),
    SHAPE(dropout, SAID),
    SHAPE(tied_embeddings, SAID),
    SHAPE(expert_biases, BOOL),
    SHAPE(router_biases, BOOL),
    SHAPE(sinks, BOOL),
    SHAPE(qk_norms, BOOL),
    MEMBER("parameters", NUMBER, parameters),
    MEMBER("active_parameters", NUMBER, active_parameters),
    MEMBER("flops.per_token", NUMBER, flops_per_token),
    MEMBER("flops.per_sample", NUMBER, flops_per_sample),
    MEMBER("flops.per_sample_causal", NUMBER, flops_per_sample_causal),
    MEMBER("flops.per_sample_at_most", NUMBER, flops_per_sample_at_most),
    MEMBER("flops.formula", TEXT, flops_formula),
    MEMBER("note", TEXT, note),
    MEMBER("tokens_per_sample", NUMBER, tokens_per_sample),
    WORDS("epoch_num_is", epoch_num_is, "tokens samples"),
    MEMBER("epoch_num_may_start_at_1", BOOL, epoch_num_may_start_at_1),
    WORDS("target.direction", target_direction, "up down"),
    MEMBER("target.value", NUMBER, target),
};

mls_status mls_model_read(const cJSON *object, mls_arena *arena, mls_model *model, mls_error *error)
{
    *model = (mls_model){.parameters = NAN,
                         .active_parameters = NAN,
                         .flops_per_token = NAN,
                         .flops_per_sample = NAN,
                         .flops_per_sample_causal = NAN,
                         .flops_per_sample_at_most = NAN,
                         .tokens_per_sample = NAN,
                         .target = NAN,
                         .training_set = NAN};
    return mls_json_row_read(object, model_members, sizeof model_members / sizeof *model_members, arena, model, error);
}

/* A number, or from which editions on which number counts, the oldest first. */
static bool read_training_set(const cJSON *json, mls_model *model)
{
    enum { SETS_MAX = sizeof model->training_sets / sizeof *model->training_sets };
    size_t count = 0;
    if (json == NULL || cJSON_IsNumber(json)) {
        model->training_set = json != NULL ? json->valuedouble : (double)NAN;
        return true;
    }
    for (const cJSON *item = json->child; item != NULL; item = item->next, count++) {
        if (count + 1 == SETS_MAX || !cJSON_IsNumber(item) ||
            !mls_edition_number(mls_str_from(item->string), &model->training_sets[count].since)) {
            return false;
        }
        model->training_sets[count].samples = item->valuedouble;
    }
    return count > 0;
}

static mls_status read_models(mls_models *models, const cJSON *list, mls_error *error)
{
    models->items = mls_arena_array(&models->memory, (size_t)cJSON_GetArraySize(list), sizeof *models->items);
    if (models->items == NULL) {
        return mls_error_memory(error);
    }
    for (const cJSON *json = list->child; json != NULL; json = json->next) {
        mls_model *model = &models->items[models->count++];
        mls_error why = {0};
        const mls_status status = mls_model_read(json, &models->memory, model, &why);
        if (status == MLS_ERROR_MEMORY) {
            return mls_error_memory(error);
        }
        if (status != MLS_OK || !read_training_set(cJSON_GetObjectItemCaseSensitive(json, "training_set"), model)) {
            return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of models is broken: %s: %s", json->string,
                                 status != MLS_OK ? why.message : "training_set");
        }
        model->key = mls_arena_copy(&models->memory, mls_str_from(json->string)).ptr;
        if (model->key == NULL) {
            return mls_error_memory(error);
        }
    }
    return MLS_OK;
}

mls_status mls_models_load(mls_models **models, mls_error *error)
{
    mls_models *loaded = calloc(1, sizeof *loaded);
    cJSON *json = mls_json_data("models.json");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "models");
    mls_status status = MLS_ERROR_MEMORY;
    if (loaded == NULL || json == NULL) { /* it is embedded and known to be JSON */
        status = mls_error_memory(error);
    } else if (!cJSON_IsObject(list)) {
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the table of models is broken: it has no models");
    } else {
        status = read_models(loaded, list, error);
    }
    cJSON_Delete(json);
    if (status != MLS_OK) {
        mls_models_free(loaded);
        loaded = NULL;
    }
    *models = loaded;
    return status;
}

void mls_models_free(mls_models *models)
{
    if (models != NULL) {
        mls_arena_release(&models->memory);
        free(models);
    }
}

const mls_model *mls_models_get(const mls_models *models, size_t index)
{
    return index < models->count ? &models->items[index] : NULL;
}

const mls_model *mls_models_of_benchmark(const mls_models *models, mls_str benchmark)
{
    for (size_t i = 0; i < models->count; i++) {
        if (mls_str_equal(benchmark, mls_str_from(models->items[i].key))) {
            return &models->items[i];
        }
    }
    return NULL;
}

/* The next letter (in lower case) or digit from *at on, which moves past it; -1 at the end. */
static int next_letter(mls_str text, size_t *at)
{
    while (*at < text.len && !isalnum((unsigned char)text.ptr[*at])) {
        *at += 1;
    }
    return *at < text.len ? tolower((unsigned char)text.ptr[(*at)++]) : -1;
}

bool mls_names_alike(mls_str a, mls_str b)
{
    size_t i = 0;
    size_t j = 0;
    int letter;
    do {
        letter = next_letter(a, &i);
        if (letter != next_letter(b, &j)) {
            return false;
        }
    } while (letter >= 0);
    return true;
}

const mls_model *mls_models_find(const mls_models *models, mls_str text)
{
    for (size_t i = 0; i < models->count; i++) {
        const mls_model *model = &models->items[i];
        if (mls_names_alike(text, mls_str_from(model->key)) || mls_names_alike(text, mls_str_from(model->name))) {
            return model;
        }
    }
    return NULL;
}

double mls_model_training_set(const mls_model *model, unsigned edition)
{
    double samples = model->training_set;
    for (size_t i = 0; model->training_sets[i].since != 0 && edition >= model->training_sets[i].since; i++) {
        samples = model->training_sets[i].samples;
    }
    return samples;
}
