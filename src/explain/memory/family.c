/* SPDX-License-Identifier: Apache-2.0 */
/* family.c - the families of models in src/data/models.json: whose a config.json is, what it leaves to its class, and
 * what of it is not understood. */
#include "explain/memory/family.h"

#include <math.h>
#include <stdarg.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "json/json_row.h"

void mls_doubt_add(mls_memory_doubt *doubt, const char *format, ...)
{
    char words[MLS_MEMORY_DOUBT_MAX];
    const size_t len = strlen(doubt->words);
    va_list args;
    va_start(args, format);
    const int length = mls_text_vprintf(words, sizeof words, format, args);
    va_end(args);
    /* Whole sentences only, and each once. */
    if (length > 0 && strstr(doubt->words, words) == NULL && len + (size_t)length + 2 < sizeof doubt->words) {
        (void)mls_text_printf(doubt->words + len, sizeof doubt->words - len, "%s%s", len > 0 ? "; " : "", words);
    }
}

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

/* Check whether a member has the value with which it changes nothing, or is a list of that alone. */
static bool is_neutral(const cJSON *item, const cJSON *neutral)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(neutral, item->string);
    const cJSON *each = cJSON_IsArray(item) ? item->child : NULL;
    bool same = value != NULL && (cJSON_IsNumber(item) || each != NULL);
    const double number = same ? value->valuedouble : 0;
    const double first = cJSON_IsNumber(item) ? item->valuedouble : number;
    same = same && first >= number && first <= number;
    for (; each != NULL && same; each = each->next) {
        same = cJSON_IsNumber(each) && each->valuedouble >= number && each->valuedouble <= number;
    }
    return same;
}

/* Refuses a member that changes the shape and that the family does not know what to do with. */
static void check_keys(config_json *of, const cJSON *object, const char *keys, const cJSON *neutral)
{
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL && !of->wrong; item = item->next) {
        const mls_str name = mls_str_from(item->string);
        if (name.len > 0 && !says_nothing(item) && mls_str_among(name, keys) && !is_neutral(item, neutral) &&
            !mentions(of->family, name) && !mentions(of->state, name)) {
            mls_config_refuse(of, item->string, "changes the shape of the model in a way that is not known here");
        }
    }
}

/* Check whether a member may change the shape: a word of its name is suspect, and its value is a number above 1, a list
 * of numbers, or true. */
static bool is_suspect(const cJSON *item, const char *words)
{
    const cJSON *number = cJSON_IsArray(item) ? item->child : item;
    mls_str rest = mls_str_from(item->string);
    bool suspect = false;
    for (mls_str word; rest.len > 0 && !suspect;) {
        (void)mls_str_cut(&rest, '_', &word);
        suspect = word.len > 0 && mls_str_among(word, words);
    }
    const bool whole =
        cJSON_IsNumber(number) && number->valuedouble > 1 && floor(number->valuedouble) >= number->valuedouble;
    return suspect && (whole || cJSON_IsTrue(item));
}

/* Name the members that may change the shape of the model and that nothing here takes. */
static void name_unknown_keys(const config_json *of, const cJSON *table, mls_memory_doubt *doubt)
{
    enum { NAMED_MAX = 6 };
    const cJSON *object = of->inner != NULL ? of->inner : of->outer;
    const char *words = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "suspect_words"));
    const char *known = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "known_keys"));
    const char *keys = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "shape_keys"));
    char names[NAMED_MAX * 44] = "";
    size_t count = 0;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        const mls_str name = mls_str_from(item->string);
        if (is_suspect(item, words) && !mls_str_among(name, known) && !mls_str_among(name, keys) &&
            !mentions(of->family, name) && !mentions(of->state, name) && !mentions(of->formulas, name)) {
            const size_t len = strlen(names);
            if (count < NAMED_MAX) {
                (void)mls_text_printf(names + len, sizeof names - len, "%s%.40s", len > 0 ? ", " : "", item->string);
            }
            count++;
        }
    }
    if (count > 0) {
        char more[32] = "";
        if (count > NAMED_MAX) {
            (void)mls_text_printf(more, sizeof more, " and %zu more", count - NAMED_MAX);
        }
        mls_doubt_add(doubt, "%s%s may change the shape of the model and %s not known here", names, more,
                      count == 1 ? "is" : "are");
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

const char *mls_family_type(const cJSON *outer)
{
    const char *type = type_of(language_part(outer));
    return type[0] != '\0' ? type : type_of(outer);
}

void mls_family_find(config_json *of, const cJSON *table, mls_memory_doubt *doubt)
{
    const cJSON *families = cJSON_GetObjectItemCaseSensitive(table, "families");
    const cJSON *refused = cJSON_GetObjectItemCaseSensitive(table, "refused");
    const char *keys = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "shape_keys"));
    of->inner = language_part(of->outer);
    const char *types[] = {type_of(of->inner), type_of(of->outer)};
    of->type = mls_family_type(of->outer);
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
    const cJSON *neutral = cJSON_GetObjectItemCaseSensitive(table, "neutral");
    check_keys(of, of->inner, keys != NULL ? keys : "", neutral);
    check_keys(of, of->outer, keys != NULL ? keys : "", neutral);
    if (of->family == NULL) {
        doubt->unsure = true;
        mls_doubt_add(doubt, "%s%.60s%s: counted as the layers of a Llama, which may be wrong",
                      of->type[0] != '\0' ? "model_type '" : "no model_type", of->type,
                      of->type[0] != '\0' ? "' is not known" : "");
    } else if (mls_config_words(of, "note")[0] != '\0') {
        mls_doubt_add(doubt, "%s", mls_config_words(of, "note"));
    }
    name_unknown_keys(of, table, doubt);
}
