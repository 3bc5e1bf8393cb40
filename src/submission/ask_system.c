/* SPDX-License-Identifier: Apache-2.0 */
/* ask_system.c - ask questions about the description of a system. */
#include <stdlib.h>
#include <strings.h>

#include "base/map.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/judge.h"
#include "json/json_check.h"
#include "json/value.h"

/* Return the value of a member; ptr is NULL if the member is missing.  If the name occurs several times, the last value
 * is returned. */
static mls_str value_of(mls_str object, const char *name)
{
    mls_str span = {0};
    (void)mls_json_member(object, mls_str_from(name), &span);
    return span;
}

static bool is_text(mls_str span)
{
    return span.ptr != NULL && mls_json_kind_of(span) == MLS_JSON_STRING;
}

static mls_str inside(mls_str text)
{
    return (mls_str){text.ptr + 1, text.len - 2};
}

/* Return whether an answer is blank or a placeholder.  `span` is the JSON text of the value; its ptr is NULL if the
 * member is missing, which also counts as blank. */
static bool is_unanswered(mls_str span)
{
    if (!is_text(span))
        return span.ptr == NULL || mls_json_kind_of(span) == MLS_JSON_NULL;
    const mls_str text = mls_str_trim(inside(span), mls_is_space);
    static const char *const placeholders[] = {"", "TBD", "TODO", "XXX", "?", "...", "…", "\\u2026"};
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (text.len == strlen(placeholders[i]) && strncasecmp(text.ptr, placeholders[i], text.len) == 0)
            return true;
    return false;
}

/* Return whether the rules allow a required field to be blank. */
static bool may_be_blank(mls_str field, mls_str object)
{
    const mls_str count = value_of(object, "accelerators_per_node");
    const mls_str status = value_of(object, "status");
    const bool none = is_text(count) && mls_str_equal(mls_str_trim(inside(count), mls_is_space), MLS_S("0"));
    if (mls_str_equal(field, MLS_S("host_processor_core_count")))
        return !is_unanswered(value_of(object, "host_processor_vcpu_count")) ||
               (is_text(status) && mls_str_contains(status, MLS_S("Preview")));
    return (none && mls_str_starts(field, MLS_S("accelerator_"))) ||
           mls_str_among(field, "host_processor_vcpu_count host_processor_frequency host_processor_caches "
                                "host_processor_interconnect accelerator_frequency accelerator_on-chip_memories "
                                "accelerator_interconnect_topology hw_notes sw_notes");
}

/* Add the name of a field, as written in JSON, unless it was added before. */
static void add_field(cJSON *fields, mls_str name)
{
    mls_arena scratch = {0};
    mls_str text = name;
    if (memchr(name.ptr, '\\', name.len) != NULL)
        (void)mls_json_string((mls_str){name.ptr - 1, name.len + 2}, &scratch, &text);
    mls_ask_name(fields, text);
    mls_arena_release(&scratch);
}

/* Collect the names that occur twice in an object or in an object inside it.  Objects have few members. */
static void find_twice(mls_str json, cJSON *fields)
{
    mls_raw_member member;
    mls_map names = {.arena = NULL};
    mls_arena arena = {0};
    names.arena = &arena;
    for (mls_json_walk walk = mls_json_walk_begin(json); mls_json_walk_next(&walk, &member);) {
        bool added = true;
        if (member.name.ptr != NULL)
            (void)mls_map_put(&names, member.name, &added);
        if (!added)
            add_field(fields, member.name);
        if (mls_json_kind_of(member.value) >= MLS_JSON_LIST)
            find_twice(member.value, fields);
    }
    mls_arena_release(&arena);
}

/* Ask one question that lists fields, if there are any. */
static void ask_about_fields(mls_submission *submission, mls_finding_code code, mls_ask_about about, cJSON *fields,
                             const char *problem)
{
    mls_buffer names = {0};
    const cJSON *field;
    cJSON_ArrayForEach(field, fields)
    {
        mls_buffer_printf(&names, "%s%.*s", names.len > 0 ? ", " : "", MLS_CUT_TEXT(field->valuestring, 60));
    }
    if (names.len > 0) {
        cJSON *members = cJSON_CreateObject();
        (void)cJSON_AddItemToObject(members, "fields", fields);
        (void)mls_ask(submission, code, about, members, "%s: %s", problem, names.ptr);
    } else {
        cJSON_Delete(fields);
    }
    mls_buffer_release(&names);
}

void mls_system_ask(mls_submission *submission, mls_submitter *submitter, mls_system *system, mls_str object,
                    const mls_field_names *required)
{
    const mls_ask_about about = {.submitter = submitter, .system = system};
    cJSON *not_text = cJSON_CreateArray();
    cJSON *not_number = cJSON_CreateArray();
    cJSON *twice = cJSON_CreateArray();
    cJSON *unanswered = cJSON_CreateArray();
    mls_buffer numbers = {0};
    for (size_t i = 0; i < required->count; i++) {
        const mls_str field = required->items[i];
        const mls_str span = value_of(object, field.ptr);
        int64_t number;
        if (span.ptr == NULL || (submission->options.drafts && is_unanswered(span)))
            continue;
        const bool joined = mls_str_among(field, "submitter system_name host_processor_model_name "
                                                 "host_processor_core_count accelerator_model_name "
                                                 "accelerators_per_node framework");
        if (joined && !is_text(span))
            add_field(not_text, field);
        else if (is_unanswered(span) && !may_be_blank(field, object))
            add_field(unanswered, field);
        const mls_json_kind kind = mls_json_kind_of(span);
        if (mls_str_among(field, "number_of_nodes accelerators_per_node host_processors_per_node") &&
            kind != MLS_JSON_NUMBER && kind != MLS_JSON_BOOL &&
            !(is_text(span) && mls_integer_parse(inside(span), &number))) {
            add_field(not_number, field);
            mls_buffer_printf(&numbers, "%s%s is %.*s", numbers.len > 0 ? ", " : "", field.ptr, MLS_CUT(span, 60));
        }
    }
    find_twice(object, twice);
    mls_ask_sort_names(&twice);
    mls_ask_sort_names(&unanswered);
    ask_about_fields(submission, MLS_FINDING_SYSTEM_TEXT, about, not_text,
                     "the package checker ends with a traceback, because fields are not text");
    if (numbers.len > 0) {
        cJSON *members = cJSON_CreateObject();
        (void)cJSON_AddItemToObject(members, "fields", not_number);
        (void)mls_ask(submission, MLS_FINDING_SYSTEM_NUMBER, about, members,
                      "%s: the MLCommons summarizer ends with a traceback, because it is not a whole number",
                      numbers.ptr);
    } else {
        cJSON_Delete(not_number);
    }
    ask_about_fields(submission, MLS_FINDING_SYSTEM_TWICE, about, twice,
                     "fields occur twice, and only the last value of each is read");
    ask_about_fields(submission, MLS_FINDING_SYSTEM_ANSWER, about, unanswered, "required fields are not answered");
    mls_buffer_release(&numbers);
}
