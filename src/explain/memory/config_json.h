/* SPDX-License-Identifier: Apache-2.0 */
/* config_json.h - internal functions of memory/: read members of a config.json, and evaluate the formulas of its model
 * family in src/data/models.json.
 *
 * Each size of a model is computed by a formula, an expression in the language of rules/expr.h.  In a formula, $name is
 * the first of these that exists: a value in `given`; a formula `name` of the family, of its kind of state, or of all
 * families; the member `name` of the file.  Inside the formula `name`, $name is the member of the file.  $a__b is the
 * member b of the object a.
 *
 * The value of a missing member is null; so is the value of "auto" and -1.  Write $a || 4 to give $a a default.  A list
 * in which all layers have the same value has that value.  A list of strings has the value of its text.  Write integer
 * division as floor(a / b). */
#pragma once

#include <cjson/cJSON.h>

#include "explain/memory/sizes.h"

/* State of reading a config.json.  Members are looked up in text_config (the language part of larger models), then in
 * the outer object, then in the defaults of the family. */
typedef struct config_json {
    const cJSON *outer, *inner;
    const cJSON *family;   /* row of the family in src/data/models.json; NULL: unknown family */
    const cJSON *state;    /* row of the recurrent state that its layers keep (Mamba, linear attention); NULL: none */
    const cJSON *formulas; /* formulas of all families */
    const cJSON *defaults; /* defaults of the family */
    const cJSON *standard; /* more defaults of the family, used only if the file has a text_config; else NULL */
    const char *type;      /* model_type; "": missing */
    /* Values of $name in formulas that are not from the file: the sizes of `shape`, and the first `given_count` numbers
     * of `given`. */
    const mls_model_shape *shape;
    struct config_given {
        const char *name;
        uint64_t number;
    } given[12];
    size_t given_count;
    const char *cache_unknown; /* member that changes the KV cache in an unknown way; NULL: there is none */
    mls_error *error;
    bool wrong; /* the file is invalid; *error contains the reason */
} config_json;

/* Sentences about the parts of a file that are unknown or not counted.  If `unsure` is true, all figures may be wrong.
 */
typedef struct mls_memory_doubt {
    char words[MLS_MEMORY_DOUBT_MAX];
    bool unsure;
} mls_memory_doubt;

/* Append a sentence to a doubt, unless it is already there. */
void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...) MLS_PRINTF(2, 3);

/* Reject the file: set of->wrong and the error, with the member `name` and the reason `why`.  If it was rejected
 * before, keep the first error. */
void mls_config_refuse(config_json *of, const char *name, const char *why);

/* Return the member of an object with this name (with the same case), or NULL. */
static inline const cJSON *mls_item(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Return the text of a member, or "" if it is missing or not a string. */
static inline const char *mls_item_text(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(mls_item(object, name));
    return text != NULL ? text : "";
}

/* Return the first member of an object that is not null; `names` are its possible names, separated by blanks.  Return
 * NULL if all are missing. */
const cJSON *mls_item_of(const cJSON *object, const char *names);

/* Return the first row of a table whose "types" contain `type`, or NULL. */
const cJSON *mls_row_of_type(const cJSON *rows, mls_str type);

/* Return the first member of the file that is not null; `names` are its possible names, separated by blanks.  Return
 * NULL if all are missing. */
const cJSON *mls_config_member(const config_json *of, const char *names);

/* Return the first member of the file that is not null, as mls_config_member() does, as a whole number; return
 * `otherwise` if all are missing.  Reject the file if the member is not a whole number from 0. */
uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise);

/* Return a member of the file as a flag, or `otherwise` if it is missing.  Reject the file if the member is not true or
 * false. */
bool mls_config_flag(config_json *of, const char *name, bool otherwise);

/* Return the value of the formula `name` or, if that does not exist, of the member `name`.  Return `otherwise` if the
 * file lacks a member that is needed.  Reject the file if such a member is not an integer. */
uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise);

/* Return the value of the formula or member `name`.  If the file lacks a member that is needed, reject the file with an
 * error that names this member. */
uint64_t mls_formula_needed(config_json *of, const char *name);

/* Return whether the family or its kind of state has the formula `name`. */
bool mls_formula_is_own(const config_json *of, const char *name);

/* Determine which layers have attention, an attention window, a state or experts, and set the totals of `shape` if
 * layers differ (layers.c). */
void mls_config_read_layers(config_json *of, mls_model_shape *shape);

/* Add the parameters of vision and audio towers and their projectors to `shape`, by the table.  Add a doubt for an
 * unknown tower. */
void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt);

/* The formats of weights and KV cache. */
typedef struct mls_quantized {
    mls_memory_form form;
    int64_t kv_precision; /* MLS_MEMORY_NOT_SET: unknown */
} mls_quantized;

/* Determine the formats of the weights and of the KV cache of a complete shape from the quantization_config of a file
 * (quantization.c).  `type` is the model_type.  form.bytes is 0 if all weights have the usual format, or if the format
 * is unknown.  Add a doubt for an unknown format.  Return MLS_ERROR_VALUE for invalid contents. */
mls_status mls_quantization_read(const cJSON *json, const char *type, const mls_model_shape *shape, mls_quantized *to,
                                 mls_memory_doubt *doubt, mls_error *error) MLS_MUST_USE;
