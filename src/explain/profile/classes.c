/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c - find the class of a kernel by rules on its name. */

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "explain/profile/gather.h"
#include "json/json_row.h"
#include "json/value.h"

/* The number of bytes of a kernel's name that are compared with patterns.  The rest, often long template arguments,
 * does not change the class. */
enum { NAME_LOOKED_AT = 4096 };

static const struct {
    const char *name;
    unsigned roles;
} known_roles[] = {
    {"communication", MLS_CLASS_COMMUNICATION},
    {"copy", MLS_CLASS_COPY},
    {"gemm", MLS_CLASS_PRODUCT | MLS_CLASS_ARITHMETIC},
    {"convolution", MLS_CLASS_PRODUCT | MLS_CLASS_ARITHMETIC},
    {"attention", MLS_CLASS_ARITHMETIC},
    {"elementwise", MLS_CLASS_BYTES},
    {"normalisation", MLS_CLASS_BYTES},
    {"softmax", MLS_CLASS_BYTES},
    {"reduction", MLS_CLASS_BYTES},
    {"embedding", MLS_CLASS_BYTES},
    {"optimizer", MLS_CLASS_BYTES},
};

/* Return the number of the class with this name.  Add the class if it is new.  Return MLS_CLASSES_MAX if there are too
 * many classes. */
static size_t class_number(mls_kernel_classes *classes, mls_str name)
{
    unsigned i;
    if (MLS_NAME_FIND(classes->names, classes->count, name, &i))
        return i;
    if (classes->count == MLS_CLASSES_MAX)
        return MLS_CLASSES_MAX;
    classes->names[classes->count] = mls_arena_copy(&classes->memory, name).ptr;
    if (MLS_NAME_FIND(known_roles, sizeof known_roles / sizeof *known_roles, name, &i))
        classes->roles[classes->count] = known_roles[i].roles;
    return classes->count++;
}

/* Compile a pattern: a text, or a list of texts any of which may match. */
static mls_status read_pattern(const cJSON *json, const char *of, mls_pattern *pattern, mls_error *error)
{
    const bool list = cJSON_IsArray(json);
    mls_buffer text = {0};
    bool ok = true;
    for (const cJSON *item = list ? json->child : json; item != NULL && ok; item = list ? item->next : NULL) {
        const char *part = cJSON_IsString(item) ? item->valuestring : "";
        mls_buffer_printf(&text, "%s%s", text.len > 0 ? "|" : "", part);
        ok = *part != '\0';
    }
    ok = ok && text.len > 0 && mls_pattern_compile(pattern, MLS_PATTERN_OWN, mls_buffer_str(&text)) == MLS_OK;
    mls_buffer_release(&text);
    return ok ? MLS_OK
              : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the pattern of %s is not a regular expression", of);
}

static mls_status read_classes(mls_kernel_classes *classes, const cJSON *json, mls_error *error)
{
    static const char too_many[] = "has more than %d classes";
    const cJSON *fp32 = cJSON_GetObjectItemCaseSensitive(json, "fp32_pattern");
    const cJSON *rules = cJSON_GetObjectItemCaseSensitive(json, "rules");
    mls_status status = MLS_OK;
    if (!cJSON_IsArray(rules))
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has no list of \"rules\"");
    for (size_t i = 0; i < 2; i++) {
        const cJSON *item;
        const cJSON *list = i == 0 ? cJSON_GetObjectItemCaseSensitive(json, "classes") : rules;
        cJSON_ArrayForEach(item, list)
        {
            const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "class"));
            if (name == NULL)
                return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "contains a class without a name");
            if (!mls_str_is_name(mls_str_from(name)))
                return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "invalid class name '%.60s'", name);
            const size_t number = class_number(classes, mls_str_from(name));
            if (number == MLS_CLASSES_MAX)
                return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, too_many, MLS_CLASSES_MAX);
            if (i == 0)
                continue;
            if (classes->rule_count == MLS_CLASS_RULES_MAX)
                return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has more than %d rules", MLS_CLASS_RULES_MAX);
            mls_pattern *pattern = &classes->rules[classes->rule_count].pattern;
            classes->rules[classes->rule_count].number = number;
            status = read_pattern(cJSON_GetObjectItemCaseSensitive(item, "pattern"), name, pattern, error);
            if (status != MLS_OK)
                return status;
            classes->rule_count++;
        }
    }
    if (fp32 != NULL)
        status = read_pattern(fp32, "FP32", &classes->fp32, error);
    classes->other = class_number(classes, MLS_S("other"));
    classes->copy = class_number(classes, MLS_S("copy"));
    if (status == MLS_OK && (classes->other == MLS_CLASSES_MAX || classes->copy == MLS_CLASSES_MAX))
        status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, too_many, MLS_CLASSES_MAX);
    return status;
}

mls_status mls_kernel_classes_new(mls_str json, mls_kernel_classes **classes, mls_error *error)
{
    static const mls_row_member members[] = {
        MLS_MEMBER_OF(mls_ncu_rule, "rule", TEXT, rule, NULL),
        MLS_MEMBER_OF(mls_ncu_rule, "words", TEXT, words, NULL),
    };
    mls_kernel_classes *made = mls_calloc(1, sizeof *made);
    cJSON *root = NULL;
    cJSON *ncu = NULL;
    void *rows = NULL;
    made->lock = mls_malloc(sizeof *made->lock);
    (void)pthread_mutex_init(made->lock, NULL);
    mls_status status =
        json.ptr == NULL ? mls_json_data("kernels.json", &root, error) : mls_json_tree(json, &root, error);
    status = status == MLS_OK ? read_classes(made, root, error) : status;
    status = status == MLS_OK ? mls_json_data("ncu_rules.json", &ncu, error) : status;
    if (status == MLS_OK) {
        status = mls_json_table_read(ncu, "rules", members, sizeof members / sizeof *members, &made->memory, &rows,
                                     &made->ncu_rule_count, sizeof *made->ncu_rules, error);
    }
    made->ncu_rules = rows;
    cJSON_Delete(ncu);
    cJSON_Delete(root);
    if (status != MLS_OK) {
        mls_kernel_classes_free(made);
        made = NULL;
    }
    *classes = made;
    return status;
}

void mls_kernel_classes_free(mls_kernel_classes *classes)
{
    if (classes != NULL) {
        for (size_t i = 0; i < classes->rule_count; i++)
            mls_pattern_release(&classes->rules[i].pattern);
        mls_pattern_release(&classes->fp32);
        mls_arena_release(&classes->memory);
        (void)pthread_mutex_destroy(classes->lock);
        free(classes->lock);
        free(classes);
    }
}

/* Return whether a pattern matches a name.  Return false if matching takes too many steps. */
static bool finds(const mls_pattern *pattern, mls_str name)
{
    mls_str found;
    (void)mls_pattern_find(pattern, name, 0, &found);
    return found.ptr != NULL;
}

void mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32)
{
    size_t rule = 0;
    name.len = name.len < NAME_LOOKED_AT ? name.len : NAME_LOOKED_AT;
    (void)pthread_mutex_lock(classes->lock);
    while (rule < classes->rule_count && !finds(&classes->rules[rule].pattern, name))
        rule++;
    *number = rule < classes->rule_count ? classes->rules[rule].number : classes->other;
    *fp32 =
        (classes->roles[*number] & MLS_CLASS_PRODUCT) != 0 && classes->fp32.code != NULL && finds(&classes->fp32, name);
    (void)pthread_mutex_unlock(classes->lock);
}
