/* SPDX-License-Identifier: Apache-2.0 */
/* config_json.h - private to the memory room: the members of a config.json, and of its family in src/data/models.json.
 */
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

/* A member by the first of its names that is there and not null. */
const cJSON *mls_config_member(const config_json *of, const char *names);
uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise);
bool mls_config_flag(config_json *of, const char *name, bool otherwise);

/* A number of the file, refused when it is none that a model can have. */
uint64_t mls_config_whole(config_json *of, const cJSON *item);

/* A text that the family says of itself, "" where it does not. */
const char *mls_config_words(const config_json *of, const char *name);

/* Notes why the file cannot be counted; the first reason stays. */
void mls_config_refuse(config_json *of, const char *name, const char *why);

/* Reads which layers attend, look back a window, keep a state or have experts, and counts what is not alike. */
void mls_config_read_layers(config_json *of, mls_model_shape *shape);

/* Reads the architecture; what is not understood is refused. */
void mls_config_read_shape(config_json *of, mls_model_shape *shape);
