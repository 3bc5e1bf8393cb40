/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c - which class a kernel is of, by rules on its name. */
#include "profile/classes.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/data.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "mlscore/value.h"

/* What tells the class of a name stands at its beginning; templates go on for pages. */
enum { NAME_LOOKED_AT = 4096, RULES_MAX = 256 };

typedef struct class_rule {
    size_t number; /* of the class */
    mls_pattern pattern;
} class_rule;

struct mls_kernel_classes {
    mls_arena memory;
    const char *names[MLS_CLASSES_MAX];
    unsigned roles[MLS_CLASSES_MAX];
    size_t count, other, copy;
    class_rule rules[RULES_MAX];
    size_t rule_count;
    mls_pattern fp32; /* without code: none */
};

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

size_t mls_class_count(const mls_kernel_classes *classes)
{
    return classes->count;
}

const char *mls_class_name(const mls_kernel_classes *classes, size_t number)
{
    return classes->names[number];
}

unsigned mls_class_roles(const mls_kernel_classes *classes, size_t number)
{
    return classes->roles[number];
}

size_t mls_class_copy(const mls_kernel_classes *classes)
{
    return classes->copy;
}

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
               ? mls_error_memory(error)
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
    mls_status status = MLS_OK;
    if (mls_json_kind_of(span) == MLS_JSON_LIST) {
        mls_json_walk walk = mls_json_walk_begin(span);
        while (status == MLS_OK && mls_json_walk_next(&walk, &item)) {
            status = append_pattern(&text, item.value, &scratch);
        }
    } else {
        status = append_pattern(&text, span, &scratch);
    }
    if (status == MLS_OK) {
        status = text.len > 0 ? mls_pattern_compile(pattern, MLS_PATTERN_OWN, mls_buffer_str(&text))
                              : MLS_ERROR_VALUE;
    }
    mls_buffer_release(&text);
    mls_arena_release(&scratch);
    return status == MLS_OK ? MLS_OK
           : status == MLS_ERROR_MEMORY
               ? mls_error_memory(error)
               : mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "the pattern of %s is no regular expression", of);
}

/* The class that an item of "classes" or "rules" names. */
static mls_status add_class(mls_kernel_classes *classes, mls_str item, size_t *number, mls_error *error)
{
    mls_str span;
    mls_str name;
    if (!mls_json_member(item, MLS_S("class"), &span) || mls_json_kind_of(span) != MLS_JSON_STRING) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "holds a class without a name");
    }
    if (!mls_json_string(span, &classes->memory, &name)) {
        return mls_error_memory(error);
    }
    if (!mls_str_is_name(name)) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "'%.60s' cannot be the name of a class", name.ptr);
    }
    *number = class_number(classes, name);
    return *number < MLS_CLASSES_MAX ? MLS_OK : too_many(classes, error);
}

static mls_status add_class_rule(mls_kernel_classes *classes, mls_str item, mls_error *error)
{
    class_rule *rule = &classes->rules[classes->rule_count];
    mls_str pattern = {NULL, 0};
    if (classes->rule_count == RULES_MAX) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has more than %d rules", RULES_MAX);
    }
    mls_status status = add_class(classes, item, &rule->number, error);
    if (status == MLS_OK) {
        (void)mls_json_member(item, MLS_S("pattern"), &pattern);
        status = read_pattern(pattern, classes->names[rule->number], &rule->pattern, error);
        classes->rule_count += status == MLS_OK;
    }
    return status;
}

static mls_status read_classes(mls_kernel_classes *classes, mls_str json, mls_error *error)
{
    mls_str list;
    mls_raw_member item;
    size_t number;
    mls_status status = MLS_OK;
    if (!mls_json_member(json, MLS_S("rules"), &list) || mls_json_kind_of(list) != MLS_JSON_LIST) {
        return mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "has no list of \"rules\"");
    }
    mls_json_walk rules = mls_json_walk_begin(list);
    if (mls_json_member(json, MLS_S("classes"), &list)) {
        mls_json_walk walk = mls_json_walk_begin(list);
        while (status == MLS_OK && mls_json_walk_next(&walk, &item)) {
            status = add_class(classes, item.value, &number, error);
        }
    }
    while (status == MLS_OK && mls_json_walk_next(&rules, &item)) {
        status = add_class_rule(classes, item.value, error);
    }
    if (status == MLS_OK && mls_json_member(json, MLS_S("fp32_pattern"), &list)) {
        status = read_pattern(list, "FP32", &classes->fp32, error);
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

bool mls_class_find(const mls_kernel_classes *classes, mls_str name, size_t *number)
{
    *number = classes->other;
    for (size_t i = 0; i < classes->rule_count; i++) {
        bool found;
        if (look_for(&classes->rules[i].pattern, name, &found) != MLS_OK) {
            return false;
        }
        if (found) {
            *number = classes->rules[i].number;
            break;
        }
    }
    return true;
}

unsigned mls_class_roles_of(const mls_kernel_classes *classes, const char *name)
{
    size_t number = 0;
    while (number < classes->count && strcmp(classes->names[number], name) != 0) {
        number++;
    }
    return number < classes->count ? classes->roles[number] : 0;
}

bool mls_class_fp32(const mls_kernel_classes *classes, mls_str name, bool *found)
{
    *found = false;
    return classes->fp32.code == NULL || look_for(&classes->fp32, name, found) == MLS_OK;
}

const char *mls_kernel_class_of(const mls_kernel_classes *classes, mls_str name)
{
    size_t number;
    return mls_class_find(classes, name, &number) ? classes->names[number] : NULL;
}
