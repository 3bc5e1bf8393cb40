/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c - which class a kernel is of, by rules on its name. */
#include "profile/classes.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "mlscore/value.h"

/* The class of a name shows at its beginning; templates go on for pages. */
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

/* The number of a class, which is added when it is not there; MLS_CLASSES_MAX: there is no room, or no memory. */
static size_t class_number(mls_kernel_classes *classes, mls_str name)
{
    for (size_t i = 0; i < classes->count; i++) {
        if (mls_str_equal(mls_str_from(classes->names[i]), name)) {
            return i;
        }
    }
    const mls_str copy = mls_arena_copy(&classes->memory, name);
    if (classes->count == MLS_CLASSES_MAX || copy.ptr == NULL) {
        return MLS_CLASSES_MAX;
    }
    classes->names[classes->count] = copy.ptr;
    for (size_t i = 0; i < sizeof known_roles / sizeof *known_roles; i++) {
        if (strcmp(copy.ptr, known_roles[i].name) == 0) {
            classes->roles[classes->count] = known_roles[i].roles;
        }
    }
    return classes->count++;
}

static mls_status too_many(const mls_kernel_classes *classes, mls_error *error)
{
    return classes->count < MLS_CLASSES_MAX
               ? MLS_ERROR_MEMORY
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has more than %d classes", MLS_CLASSES_MAX);
}

/* Appends a text of JSON to a pattern, as one more thing that may be found. */
static mls_status append_pattern(mls_buffer *text, mls_str span, mls_arena *scratch)
{
    mls_str part;
    if (mls_json_kind_of(span) != MLS_JSON_STRING || span.len == 2) {
        return MLS_ERROR_VALUE;
    }
    if (!mls_json_string(span, scratch, &part)) {
        return MLS_ERROR_MEMORY;
    }
    mls_buffer_append_text(text, text->len > 0 ? "|" : "");
    mls_buffer_append(text, part);
    return text->failed ? MLS_ERROR_MEMORY : MLS_OK;
}

/* A pattern is a text, or a list of texts any of which may be found. */
static mls_status read_pattern(mls_str span, const char *of, mls_pattern *pattern, mls_error *error)
{
    mls_buffer text = {0};
    mls_arena scratch = {0};
    mls_raw_member item;
    const bool list = mls_json_kind_of(span) == MLS_JSON_LIST;
    mls_json_walk walk = mls_json_walk_begin(span);
    mls_status status = list ? MLS_OK : append_pattern(&text, span, &scratch);
    while (list && status == MLS_OK && mls_json_walk_next(&walk, &item)) {
        status = append_pattern(&text, item.value, &scratch);
    }
    if (status == MLS_OK) {
        status = text.len > 0 ? mls_pattern_compile(pattern, MLS_PATTERN_OWN, mls_buffer_str(&text)) : MLS_ERROR_VALUE;
    }
    mls_buffer_release(&text);
    mls_arena_release(&scratch);
    return status == MLS_OK || status == MLS_ERROR_MEMORY
               ? status
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the pattern of %s is not a regular expression", of);
}

/* An item of "classes" or "rules": the class that it names and, of the latter, its pattern. */
static mls_status add_class(mls_kernel_classes *classes, mls_str item, bool rule, mls_error *error)
{
    mls_str span = {NULL, 0};
    mls_str name;
    if (!mls_json_member(item, MLS_S("class"), &span) || mls_json_kind_of(span) != MLS_JSON_STRING) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "holds a class without a name");
    }
    if (!mls_json_string(span, &classes->memory, &name)) {
        return MLS_ERROR_MEMORY;
    }
    if (!mls_str_is_name(name)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "'%.60s' cannot be the name of a class", name.ptr);
    }
    const size_t number = class_number(classes, name);
    if (number == MLS_CLASSES_MAX) {
        return too_many(classes, error);
    }
    if (!rule) {
        return MLS_OK;
    }
    if (classes->rule_count == MLS_CLASS_RULES_MAX) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has more than %d rules", MLS_CLASS_RULES_MAX);
    }
    span = (mls_str){NULL, 0};
    (void)mls_json_member(item, MLS_S("pattern"), &span);
    classes->rules[classes->rule_count].number = number;
    const mls_status status =
        read_pattern(span, classes->names[number], &classes->rules[classes->rule_count].pattern, error);
    classes->rule_count += status == MLS_OK;
    return status;
}

static mls_status read_classes(mls_kernel_classes *classes, mls_str json, mls_error *error)
{
    static const mls_str lists[] = {MLS_STR("classes"), MLS_STR("rules")};
    mls_str span;
    mls_raw_member item;
    mls_status status = MLS_OK;
    if (!mls_json_member(json, MLS_S("rules"), &span) || mls_json_kind_of(span) != MLS_JSON_LIST) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has no list of \"rules\"");
    }
    for (size_t i = 0; i < 2; i++) {
        mls_json_walk walk = {NULL, NULL, false};
        if (mls_json_member(json, lists[i], &span)) {
            walk = mls_json_walk_begin(span);
        }
        while (status == MLS_OK && mls_json_walk_next(&walk, &item)) {
            status = add_class(classes, item.value, i == 1, error);
        }
    }
    if (status == MLS_OK && mls_json_member(json, MLS_S("fp32_pattern"), &span)) {
        status = read_pattern(span, "FP32", &classes->fp32, error);
    }
    if (status == MLS_OK) {
        classes->other = class_number(classes, MLS_S("other"));
        classes->copy = class_number(classes, MLS_S("copy"));
        status =
            classes->other < MLS_CLASSES_MAX && classes->copy < MLS_CLASSES_MAX ? MLS_OK : too_many(classes, error);
    }
    return status;
}

mls_status mls_kernel_classes_new(mls_str json, mls_kernel_classes **classes, mls_error *error)
{
    mls_kernel_classes *made = calloc(1, sizeof *made);
    mls_arena scratch = {0};
    mls_str root;
    *classes = NULL;
    json = json.ptr == NULL ? mls_data_find("kernels.json") : json;
    mls_status status = made != NULL ? mls_json_document(json, &scratch, &root, error) : MLS_ERROR_MEMORY;
    status = status == MLS_OK ? read_classes(made, root, error) : status;
    mls_arena_release(&scratch);
    if (status != MLS_OK) {
        mls_kernel_classes_free(made);
        return status == MLS_ERROR_MEMORY ? mls_error_memory(error) : status;
    }
    *classes = made;
    return MLS_OK;
}

void mls_kernel_classes_free(mls_kernel_classes *classes)
{
    if (classes != NULL) {
        for (size_t i = 0; i < classes->rule_count; i++) {
            mls_pattern_release(&classes->rules[i].pattern);
        }
        mls_pattern_release(&classes->fp32);
        mls_arena_release(&classes->memory);
        free(classes);
    }
}

/* A pattern that gives up on a name has not found anything in it. */
static mls_status look_for(const mls_pattern *pattern, mls_str name, bool *is_there)
{
    mls_str found;
    name.len = name.len < NAME_LOOKED_AT ? name.len : NAME_LOOKED_AT;
    const mls_status status = mls_pattern_find(pattern, name, 0, &found);
    *is_there = found.ptr != NULL;
    return status == MLS_ERROR_MEMORY ? status : MLS_OK;
}

bool mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number, bool *fp32)
{
    mls_status status = MLS_OK;
    bool found = false;
    *number = classes->other;
    *fp32 = false;
    for (size_t i = 0; i < classes->rule_count && !found && status == MLS_OK; i++) {
        status = look_for(&classes->rules[i].pattern, name, &found);
        *number = found ? classes->rules[i].number : *number;
    }
    if (status == MLS_OK && (classes->roles[*number] & MLS_CLASS_PRODUCT) != 0 && classes->fp32.code != NULL) {
        status = look_for(&classes->fp32, name, fp32);
    }
    return status == MLS_OK;
}

const char *mls_kernel_class_of(const mls_kernel_classes *classes, mls_str name)
{
    size_t number;
    bool fp32;
    return mls_class_find(classes, name, &number, &fp32) ? classes->names[number] : NULL;
}
