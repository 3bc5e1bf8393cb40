/* SPDX-License-Identifier: Apache-2.0 */
/* config_json.h - internals of memory/: the members of a config.json, and the formulas of its family in
 * src/data/models.json.
 *
 * Sizes of a model are formulas: expressions of rules (rules/expr.h) in which $name is a given value, else another
 * formula of the family, of its kind of state or of all families, else a member of the file.  In the formula of a name,
 * that name is the member.  $a__b is member b of a.
 *
 * A missing member is null, and so are "auto" and -1; use $a || 4 for a default.  A list with one value for all layers
 * is that value, and a list of texts is their text.  Divide with floor(a / b). */
#pragma once

#include <cjson/cJSON.h>

#include "explain/memory/sizes.h"

/* State of reading a config.json.  Members are looked up in text_config (the language part of larger models), then in
 * the outer object, then in the defaults of the family. */
typedef struct config_json {
    const cJSON *outer, *inner;
    const cJSON *family;   /* row of src/data/models.json; NULL: unknown */
    const cJSON *state;    /* of its kind of state; NULL: none */
    const cJSON *formulas; /* formulas of all families */
    const cJSON *defaults; /* defaults of the family */
    const cJSON *standard; /* defaults of its class if it has no text_config member for them; else NULL */
    const char *type;      /* model_type; "": none */
    /* Values of names in formulas: sizes of a complete shape, and numbers found elsewhere. */
    const mls_model_shape *shape;
    struct config_given {
        const char *name;
        uint64_t number;
    } given[8];
    size_t given_count;
    mls_error *error;
    bool wrong; /* something is invalid; the error has the reason */
} config_json;

/* The parts of a file that are unknown or not counted; unsure: all figures may be wrong. */
typedef struct mls_memory_doubt {
    char words[MLS_MEMORY_DOUBT_MAX];
    bool unsure;
} mls_memory_doubt;

/* Append a sentence to a doubt, unless it is already there. */
void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...) MLS_PRINTF(2, 3);

/* Set the error that the file cannot be counted; the first reason is kept. */
void mls_config_refuse(config_json *of, const char *name, const char *why);

/* Return a member of an object by its exact name; return its text, or "". */
static inline const cJSON *mls_item(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}
static inline const char *mls_item_text(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(mls_item(object, name));
    return text != NULL ? text : "";
}

/* Return the first member in the words of `names` that exists and is not null.  Return the row of a table whose "types"
 * contain a type.  Return NULL if there is none. */
const cJSON *mls_item_of(const cJSON *object, const char *names);
const cJSON *mls_row_of_type(const cJSON *rows, mls_str type);

/* Return a member of the file: the first name that exists and is not null. */
const cJSON *mls_config_member(const config_json *of, const char *names);
uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise);
bool mls_config_flag(config_json *of, const char *name, bool otherwise);

/* Return the value of a formula or, without a formula of that name, of a member.  Return `otherwise` if the file lacks
 * a needed member.  Reject members that are not integers. */
uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise);

/* Return the same, but reject the file with the name of the missing member. */
uint64_t mls_formula_needed(config_json *of, const char *name);

/* Return whether the family or its kind of state has a formula of that name. */
bool mls_formula_is_own(const config_json *of, const char *name);

/* layers.c: determine which layers have attention, a window, a state or experts, and count what differs between layers.
 */
void mls_config_read_layers(config_json *of, mls_model_shape *shape);

/* Count vision and audio towers and their projectors from the table; an unknown one adds a doubt. */
void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt);

/* quantization.c: determine the formats and bytes of the weights of a complete shape, and of its KV cache, from the
 * quantization_config of a file.  The bytes are 0 if the format is the usual one, or if it is unknown, which adds a
 * doubt.  `type` is the model_type.  Return MLS_ERROR_VALUE for invalid contents. */
typedef struct mls_quantized {
    mls_memory_form form;
    int64_t kv_precision; /* MLS_MEMORY_NOT_SET: unknown */
} mls_quantized;
mls_status mls_quantization_read(const cJSON *json, const char *type, const mls_model_shape *shape, mls_quantized *to,
                                 mls_memory_doubt *doubt, mls_error *error) MLS_MUST_USE;
