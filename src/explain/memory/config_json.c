/* SPDX-License-Identifier: Apache-2.0 */
/* config_json.c - the members of a config.json: the first of several names, in the first of several places. */
#include "explain/memory/config_json.h"

#include <math.h>

static const cJSON *named_member(const cJSON *object, const char *names)
{
    mls_str left = mls_str_from(names);
    for (mls_str name = mls_str_word(&left); name.len > 0; name = mls_str_word(&left)) {
        for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
            if (mls_str_equal(mls_str_from(item->string), name) && !cJSON_IsNull(item)) {
                return item;
            }
        }
    }
    return NULL;
}

const cJSON *mls_config_member(const config_json *of, const char *names)
{
    const cJSON *places[] = {of->inner, of->outer, of->defaults, of->standard};
    const cJSON *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && found == NULL; i++) {
        found = named_member(places[i], names);
    }
    return found;
}

void mls_config_refuse(config_json *of, const char *name, const char *why)
{
    if (!of->wrong) {
        (void)mls_error_set(of->error, MLS_ERROR_VALUE, 0, 0, "%.80s %s", name, why);
    }
    of->wrong = true;
}

uint64_t mls_config_whole(config_json *of, const cJSON *item)
{
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (number >= 0 && number <= (double)MLS_BYTES_MAX && floor(number) >= number) {
        return (uint64_t)number;
    }
    mls_config_refuse(of, item->string, "is not a whole number from 0 on that a model can have");
    return 0;
}

uint64_t mls_config_number(config_json *of, const char *names, uint64_t otherwise)
{
    const cJSON *item = mls_config_member(of, names);
    return item != NULL ? mls_config_whole(of, item) : otherwise;
}

bool mls_config_flag(config_json *of, const char *name, bool otherwise)
{
    const cJSON *item = mls_config_member(of, name);
    if (item != NULL && !cJSON_IsBool(item)) {
        mls_config_refuse(of, item->string, "is neither true nor false");
    }
    return item != NULL ? cJSON_IsTrue(item) : otherwise;
}

const char *mls_config_words(const config_json *of, const char *name)
{
    const char *words = cJSON_GetStringValue(named_member(of->family, name));
    return words != NULL ? words : "";
}
