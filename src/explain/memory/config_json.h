/* SPDX-License-Identifier: Apache-2.0 */
/* config_json.h - private to memory/: the members of a config.json, and what src/data/models.json says of its family.
 *
 * Sizes of a model are formulas of the file's members.  A formula is made of whole numbers, names, + - * / %,
 * parentheses, `count list`, `a | b` (b where a is 0 or missing), `c ? a : b` and `name ~ word` (whether a text, or one
 * of a list, contains the word).  A name is one of those that are given, else another formula of the family, of its
 * kind of state or of all families, else a member of the file: true is 1, "auto" and -1 are missing, a[] may be a list
 * for the layers, of which all are the same, a,b is the first of a and b that the nearest place has, and a.b is member
 * b of a.  In the formula of a name that name is the member.  Subtraction ends at 0.  These are not the expressions of
 * rules, whose numbers are floating-point and for which a missing name is an error. */
#pragma once

#include <cjson/cJSON.h>

#include "explain/memory/sizes.h"

/* A config.json on its way into a shape.  Members are looked up in text_config, the language part of larger models,
 * then outside, then in what the family has by default. */
typedef struct config_json {
    const cJSON *outer, *inner;
    const cJSON *family;   /* of src/data/models.json; NULL: not known */
    const cJSON *state;    /* of its kind of state; NULL: none */
    const cJSON *formulas; /* of all families */
    const cJSON *defaults; /* of the family */
    const cJSON *standard; /* what its class has by default, where text_config leaves it out; else NULL */
    const char *type;      /* "": none */
    /* The values of names of formulas: sizes of a complete shape, and numbers found elsewhere. */
    const mls_model_shape *shape;
    struct config_given {
        const char *name;
        uint64_t number;
    } given[8];
    size_t given_count;
    mls_error *error;
    bool wrong; /* something cannot be used; the error says what */
} config_json;

/* Parts of a file that are not known or not counted; unsure: all of its figures may be wrong. */
typedef struct mls_memory_doubt {
    char words[MLS_MEMORY_DOUBT_MAX];
    bool unsure;
} mls_memory_doubt;

/* Add a sentence to a doubt, behind those that are there, unless it is there already. */
void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...) MLS_PRINTF(2, 3);

/* Note why the file cannot be counted; the first reason stays. */
void mls_config_refuse(config_json *of, const char *name, const char *why);

/* A member of an object, of the exact name; and its text, "" where it has none. */
static inline const cJSON *mls_item(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}
static inline const char *mls_item_text(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(mls_item(object, name));
    return text != NULL ? text : "";
}

/* Return the first of an object's members by the words of `names` that is there and not null; and the row of a table
 * that has a type among its "types".  NULL: none. */
const cJSON *mls_item_of(const cJSON *object, const char *names);
const cJSON *mls_row_of_type(const cJSON *rows, mls_str type);

/* A member of the file by the first of its names that is there and not null. */
const cJSON *mls_config_member(const config_json *of, const char *names);
uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise);
bool mls_config_flag(config_json *of, const char *name, bool otherwise);

/* Return the value of a formula, or of a member where there is no formula of that name; `otherwise` where the file
 * lacks what it takes.  A member that is not a whole number is refused. */
uint64_t mls_formula_value(config_json *of, const char *name, uint64_t otherwise);

/* Return the same, refused by the name of what is missing. */
uint64_t mls_formula_needed(config_json *of, const char *name);

/* Return whether the family or its kind of state has a formula of that name. */
bool mls_formula_is_own(const config_json *of, const char *name);

/* layers.c: reads which layers attend, look back a window, keep a state or have experts, and counts what is not alike.
 */
void mls_config_read_layers(config_json *of, mls_model_shape *shape);

/* Count the parts that read pictures or hear sound by the towers and projectors of the table; a part that is not known
 * there is a doubt. */
void mls_towers_read(config_json *of, const cJSON *table, mls_model_shape *shape, mls_memory_doubt *doubt);

/* quantization.c: in which form the weights of a complete shape and its KV cache are kept, by the quantization_config
 * of a file, with the bytes of the weights; of no bytes: as usual, or it is not known, which is a doubt.  `type` is the
 * model_type.  MLS_ERROR_VALUE with what cannot be. */
typedef struct mls_quantized {
    mls_memory_form form;
    int64_t kv_precision; /* MLS_MEMORY_NOT_SET: unknown */
} mls_quantized;
mls_status mls_quantization_read(const cJSON *json, const char *type, const mls_model_shape *shape, mls_quantized *to,
                                 mls_memory_doubt *doubt, mls_error *error) MLS_MUST_USE;
