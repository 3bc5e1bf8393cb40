/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton.c - a description of what logs know of a system, in the order of the rules. */
#include "submission/skeleton.h"

#include <math.h>

#include "base/json_row.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "log/value.h"

/* Where fields are looked for. */
typedef struct skeleton_sources {
    const mls_group *group;
    const char *name;
    mls_str described; /* an object, like the next of each run; empty: none */
    mls_str *logged;
    mls_buffer known; /* scratch */
} skeleton_sources;

/* The object that a text is, copied into `arena`; empty when it is none. */
static const char *skeleton_object(mls_str text, mls_arena *arena, mls_str *object, size_t *wrong)
{
    mls_description says;
    const char *reason = text.len > 0 ? mls_description_read(text, arena, arena, &says, object, wrong) : NULL;
    *object = text.len > 0 && reason == NULL ? *object : (mls_str){0};
    return reason;
}

/* A text or a number that an object has, as written; false: nothing. */
static bool plain_member(mls_str object, mls_str field, mls_str *value)
{
    mls_str span;
    if (object.len == 0 || !mls_json_member(object, field, &span)) {
        return false;
    }
    const mls_json_kind kind = mls_json_kind_of(span);
    const bool plain = (kind == MLS_JSON_STRING && span.len > 2) || kind == MLS_JSON_NUMBER;
    *value = plain ? span : *value;
    return plain;
}

/* What every run that logs the field says of it; false: nothing, or not all the same. */
static bool logged_member(const skeleton_sources *from, mls_str field, mls_str *value)
{
    mls_str all = {0};
    for (size_t i = 0; i < from->group->run_count; i++) {
        mls_str one = {0};
        if (plain_member(from->logged[i], field, &one)) {
            if (all.len > 0 && !mls_str_equal(all, one)) {
                return false;
            }
            all = one;
        }
    }
    *value = all.len > 0 ? all : *value;
    return all.len > 0;
}

/* What the records and the config's name say of a field; NULL: nothing. */
static const char *known_text(const skeleton_sources *from, mls_str field, mls_words *number)
{
    const mls_group *group = from->group;
    const mls_config_name shape = mls_group_shape(group);
    double count = (double)NAN;
    if (mls_str_equal(field, MLS_S("submitter"))) {
        for (size_t i = 0; i < group->run_count; i++) {
            if (group->runs[i]->organisation != NULL) {
                return group->runs[i]->organisation;
            }
        }
    } else if (mls_str_equal(field, MLS_S("division"))) {
        return mls_division_name(group->division);
    } else if (mls_str_equal(field, MLS_S("system_name"))) {
        return from->name;
    } else if (mls_str_equal(field, MLS_S("number_of_nodes"))) {
        count = shape.nodes > 0 ? (double)shape.nodes : group->runs[0]->job.node_count;
    } else if (mls_str_equal(field, MLS_S("accelerators_per_node")) && shape.gpus_per_node > 0) {
        count = (double)shape.gpus_per_node;
    }
    *number = mls_words_exact(count);
    return isnan(count) ? NULL : number->text;
}

/* Appends a text as JSON: what was logged may hold anything. */
static void append_json_text(mls_buffer *text, const char *value)
{
    mls_buffer_append_char(text, '"');
    for (; *value != '\0'; value++) {
        const unsigned char c = (unsigned char)*value;
        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\') {
            mls_json_escape_append(text, c);
        } else {
            mls_buffer_append_char(text, *value);
        }
    }
    mls_buffer_append_char(text, '"');
}

/* Appends the value of a field; false: there is none, and it is empty. */
static bool append_field(const skeleton_sources *from, mls_str field, mls_buffer *text)
{
    mls_words number;
    mls_str value = MLS_S("\"\"");
    if (plain_member(from->described, field, &value) || logged_member(from, field, &value)) {
        mls_buffer_append(text, value);
        return true;
    }
    const char *known = known_text(from, field, &number);
    append_json_text(text, known != NULL ? known : "");
    return known != NULL && *known != '\0';
}

static mls_status append_fields(const skeleton_sources *from, mls_buffer *text,
                                bool (*lack)(void *state, const char *field), void *state, mls_error *error)
{
    cJSON *rules;
    mls_status status = mls_json_data("systems.json", &rules, error);
    const cJSON *required =
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(rules, "entries"), 0), "required");
    const cJSON *field;
    const char *before = "{\n";
    cJSON_ArrayForEach(field, required)
    {
        mls_buffer_printf(text, "%s  \"%s\": ", before, field->valuestring);
        before = ",\n";
        if (!append_field(from, mls_str_from(field->valuestring), text) && !lack(state, field->valuestring)) {
            status = mls_error_memory(error);
        }
    }
    mls_buffer_append_text(text, "\n}\n");
    cJSON_Delete(rules);
    return status == MLS_OK && text->failed ? mls_error_memory(error) : status;
}

mls_status mls_skeleton_append(const mls_group *group, const char *name, mls_str described, mls_buffer *text,
                               bool (*lack)(void *state, const char *field), void *state, mls_error *error)
{
    mls_arena arena = {0};
    mls_error place = {0};
    size_t wrong = 0;
    skeleton_sources from = {
        .group = group, .name = name, .logged = mls_arena_zeroed(&arena, group->run_count, sizeof(mls_str))};
    if (from.logged == NULL) {
        mls_arena_release(&arena);
        return mls_error_memory(error);
    }
    mls_status status = MLS_OK;
    const char *reason = skeleton_object(described, &arena, &from.described, &wrong);
    if (reason != NULL) {
        mls_text_position(described, wrong, &place.line, &place.column);
        status = reason == mls_reason_memory
                     ? mls_error_memory(error)
                     : mls_error_set(error, MLS_ERROR_SYNTAX, place.line, place.column, "not JSON: %s", reason);
    }
    for (size_t i = 0; i < group->run_count && status == MLS_OK; i++) {
        reason = skeleton_object(mls_str_from(group->runs[i]->job.system), &arena, &from.logged[i], &wrong);
        status = reason == mls_reason_memory ? mls_error_memory(error) : MLS_OK;
    }
    status = status == MLS_OK ? append_fields(&from, text, lack, state, error) : status;
    mls_arena_release(&arena);
    return status;
}
