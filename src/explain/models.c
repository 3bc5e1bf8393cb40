/* SPDX-License-Identifier: Apache-2.0 */
/* models.c - load the table of models, and read one model from JSON. */
#include "base/memory.h"
#include "explain/model_row.h"

#include <math.h>
#include <stdlib.h>

#include "rules/edition.h"

#define MEMBER(name, kind, member) MLS_MEMBER_OF(mls_model, name, kind, member, NULL)
#define SHAPE(name, kind) MEMBER(#name, kind, shape.name)
#define WORDS(name, member, words) MLS_MEMBER_OF(mls_model, name, WORD, member, words)

/* The members of a model.  The words of each enum are in the order of its values, without the first value. */
static const mls_row_member model_members[] = {
    MEMBER("", TEXT, key),
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
    SHAPE(expert_hidden, COUNT),
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
    MEMBER("flops.per_token", NUMBER, flops_per_token),
    MEMBER("flops.per_sample", NUMBER, flops_per_sample),
    MEMBER("flops.per_sample_causal", NUMBER, flops_per_sample_causal),
    MEMBER("flops.per_sample_derived", NUMBER, flops_per_sample_derived),
    MEMBER("flops.per_sample_at_most", NUMBER, flops_per_sample_at_most),
    MEMBER("note", TEXT, note),
    MEMBER("tokens_per_sample", NUMBER, tokens_per_sample),
    WORDS("epoch_num_is", epoch_num_is, "tokens samples"),
    MEMBER("epoch_num_may_start_at_1", BOOL, epoch_num_may_start_at_1),
    /* A model from a user's file does not have the following members. */
    MEMBER("training_set", NUMBER, training_set),
    MEMBER("training_set_before.edition", TEXT, training_set_edition),
    MEMBER("training_set_before.samples", NUMBER, training_set_before),
};

enum { MODEL_MEMBERS = sizeof model_members / sizeof *model_members, OWN_MEMBERS = MODEL_MEMBERS - 3 };

mls_status mls_model_read(const cJSON *object, mls_arena *arena, mls_model *model, mls_error *error)
{
    mls_schema_clear(&(mls_schema){model_members, MODEL_MEMBERS, sizeof *model}, model);
    return mls_json_row_read(object, model_members, OWN_MEMBERS, arena, model, error);
}

mls_status mls_models_load(mls_models **models, mls_error *error)
{
    mls_models *loaded = mls_calloc(1, sizeof *loaded);
    cJSON *json;
    mls_status status = mls_json_data("models.json", &json, error);
    *models = loaded;
    loaded->arena = mls_calloc(1, sizeof *loaded->arena);
    if (status == MLS_OK) {
        status = mls_json_table_read(json, "models", model_members, MODEL_MEMBERS, loaded->arena,
                                     (void **)&loaded->items, &loaded->count, sizeof *loaded->items, error);
    }
    cJSON_Delete(json);
    return status;
}

void mls_models_free(mls_models *models)
{
    if (models != NULL) {
        mls_arena_free(models->arena);
        free(models);
    }
}

const mls_model *mls_models_of_benchmark(const mls_models *models, mls_str benchmark)
{
    unsigned i;
    return MLS_NAME_FIND(models->items, models->count, benchmark, &i) ? &models->items[i] : NULL;
}

const mls_model *mls_models_find(const mls_models *models, mls_str text)
{
    for (size_t i = 0; i < models->count; i++) {
        const mls_model *model = &models->items[i];
        if (mls_names_alike(text, mls_str_from(model->key)) || mls_names_alike(text, mls_str_from(model->name)))
            return model;
    }
    return NULL;
}

double mls_model_training_set(const mls_model *model, unsigned edition)
{
    unsigned changed = 0;
    if (model->training_set_edition == NULL || !mls_edition_number(mls_str_from(model->training_set_edition), &changed))
        return model->training_set;
    return edition == 0 ? (double)NAN : edition < changed ? model->training_set_before : model->training_set;
}
