/* SPDX-License-Identifier: Apache-2.0 */
/* family.c - the families of models in src/data/models.json: whose a config.json is, what it leaves to its class, and
 * what of it is not understood. */
#include "memory/family.h"

#include "base/buffer.h"
#include "base/json_row.h"
#include "base/utf8.h"

static const cJSON *family_named(const cJSON *families, mls_str name)
{
    for (const cJSON *family = families != NULL && name.len > 0 ? families->child : NULL; family != NULL;
         family = family->next) {
        const char *types = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(family, "types"));
        if (types != NULL && mls_str_among(name, types)) {
            return family;
        }
    }
    return NULL;
}

/* The family that has a type among its own, as it is or without the suffix of a language part. */
static const cJSON *family_of(const cJSON *families, const char *type)
{
    static const char *const suffixes[] = {"_text", "_text_model"};
    const mls_str name = mls_str_from(type);
    const cJSON *found = family_named(families, name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && found == NULL; i++) {
        const mls_str suffix = mls_str_from(suffixes[i]);
        if (mls_str_ends(name, suffix)) {
            found = family_named(families, (mls_str){name.ptr, name.len - suffix.len});
        }
    }
    return found;
}

static const char *type_of(const cJSON *object)
{
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "model_type"));
    return type != NULL ? type : "";
}

/* Whether a member says nothing: false, 0, "", an empty list. */
static bool says_nothing(const cJSON *item)
{
    return cJSON_IsFalse(item) || cJSON_IsNull(item) ||
           (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0) ||
           (cJSON_IsString(item) && item->valuestring[0] == '\0') ||
           ((cJSON_IsArray(item) || cJSON_IsObject(item)) && item->child == NULL);
}

static bool is_word_of(const char *text, mls_str word)
{
    for (const char *at = text; at != NULL && *at != '\0';) {
        mls_str name = {at, mls_str_name_length(mls_str_from(at))};
        if (mls_str_equal(name, word)) {
            return true;
        }
        at += name.len > 0 ? name.len : 1;
    }
    return false;
}

/* Whether a text of the table's object, such as a formula, takes a member of the file. */
static bool mentions(const cJSON *object, mls_str member)
{
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        if (cJSON_IsString(item) && is_word_of(item->valuestring, member)) {
            return true;
        }
    }
    return false;
}

/* Refuses a member that changes the shape and that the family does not know what to do with. */
static void check_keys(config_json *of, const cJSON *object, const char *keys)
{
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL && !of->wrong; item = item->next) {
        const mls_str name = mls_str_from(item->string);
        if (name.len > 0 && !says_nothing(item) && mls_str_among(name, keys) && !mentions(of->family, name) &&
            !mentions(of->state, name)) {
            mls_config_refuse(of, item->string, "changes the shape of the model in a way that is not known here");
        }
    }
}

/* The language part of a larger model: one of these members, else none. */
static const cJSON *language_part(const cJSON *outer)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    const cJSON *thinker = cJSON_GetObjectItemCaseSensitive(outer, "thinker_config");
    const cJSON *whole = cJSON_IsObject(thinker) ? thinker : outer;
    const cJSON *part = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !cJSON_IsObject(part); i++) {
        part = cJSON_GetObjectItemCaseSensitive(whole, names[i]);
    }
    return cJSON_IsObject(part) ? part : NULL;
}

void mls_family_find(config_json *of, const cJSON *table, mls_memory_doubt *doubt)
{
    const cJSON *families = cJSON_GetObjectItemCaseSensitive(table, "families");
    const cJSON *refused = cJSON_GetObjectItemCaseSensitive(table, "refused");
    const char *keys = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "shape_keys"));
    of->inner = language_part(of->outer);
    const char *types[] = {type_of(of->inner), type_of(of->outer)};
    of->type = types[types[0][0] != '\0' ? 0 : 1];
    /* Two encoders are one model, whichever of them reads text. */
    const cJSON *whole = family_of(families, types[1]);
    of->family = cJSON_HasObjectItem(whole, "whole") ? whole : NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *why =
            cJSON_GetStringValue(types[i][0] != '\0' ? cJSON_GetObjectItemCaseSensitive(refused, types[i]) : NULL);
        if (why != NULL) {
            mls_config_refuse(of, types[i], why);
            return;
        }
        of->family = of->family != NULL ? of->family : family_of(families, types[i]);
    }
    of->defaults = cJSON_GetObjectItemCaseSensitive(of->family, "defaults");
    of->formulas = cJSON_GetObjectItemCaseSensitive(table, "formulas");
    of->state = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(table, "states"),
                                                 mls_config_words(of, "state"));
    of->standard =
        cJSON_HasObjectItem(of->outer, "text_config") ? cJSON_GetObjectItemCaseSensitive(of->family, "standard") : NULL;
    check_keys(of, of->inner, keys != NULL ? keys : "");
    check_keys(of, of->outer, keys != NULL ? keys : "");
    if (of->family == NULL) {
        doubt->unsure = true;
        (void)mls_text_printf(doubt->words, sizeof doubt->words,
                              "%s%.60s%s: counted as the layers of a Llama, which may be wrong",
                              of->type[0] != '\0' ? "model_type '" : "no model_type", of->type,
                              of->type[0] != '\0' ? "' is not known" : "");
    } else if (mls_config_words(of, "note")[0] != '\0') {
        (void)mls_text_printf(doubt->words, sizeof doubt->words, "%s", mls_config_words(of, "note"));
    }
}
