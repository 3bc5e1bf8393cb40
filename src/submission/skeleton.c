/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton.c - a description of what logs know of a system, in the order of the rules. */
#include "submission/skeleton.h"

#include <math.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "json/json_row.h"
#include "json/value.h"

/* Where fields are looked for. */
typedef struct skeleton_sources {
    const mls_group *group;
    const char *name;
    mls_str described; /* an object, like the next of each run; empty: none */
    mls_str *logged;
    const cJSON *statuses; /* that a description may have */
    mls_findings *findings;
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

/* What a run's records say of a field; NULL: nothing. */
static const char *recorded_text(const skeleton_sources *from, const mls_run *run, mls_str field, mls_words *number)
{
    if (mls_str_equal(field, MLS_S("submitter"))) {
        return run->organisation;
    }
    if (mls_str_equal(field, MLS_S("number_of_nodes"))) {
        *number = mls_words_exact(run->job.node_count);
        return isnan(run->job.node_count) ? NULL : number->text;
    }
    const cJSON *statuses = mls_str_equal(field, MLS_S("status")) ? from->statuses : NULL;
    const cJSON *status;
    cJSON_ArrayForEach(status, statuses)
    {
        if (run->submission_status != NULL && strcmp(run->submission_status, status->valuestring) == 0) {
            return status->valuestring;
        }
    }
    return NULL;
}

/* What a run says of a field, as JSON, which may be written into `text`; empty: nothing. */
static mls_str run_member(const skeleton_sources *from, size_t index, mls_str field, bool described, mls_buffer *text)
{
    mls_words number;
    mls_str value = {0};
    if (described) {
        (void)plain_member(from->logged[index], field, &value);
        return value;
    }
    const char *recorded = recorded_text(from, from->group->runs[index], field, &number);
    if (recorded != NULL && *recorded != '\0') {
        mls_json_text_append(text, mls_str_from(recorded));
        value = mls_buffer_str(text);
    }
    return value;
}

typedef enum runs_say { RUNS_SAY_NOTHING, RUNS_AGREE, RUNS_DISAGREE } runs_say;

/* Appends what all runs that say something of a field say of it: in their descriptions, or else in their records.  That
 * they disagree is a finding. */
static runs_say append_agreed(const skeleton_sources *from, mls_str field, bool described, mls_buffer *text)
{
    mls_buffer first = {0};
    mls_buffer scratch = {0};
    const mls_run *who = NULL;
    runs_say says = RUNS_SAY_NOTHING;
    for (size_t i = 0; i < from->group->run_count && says != RUNS_DISAGREE; i++) {
        mls_buffer_clear(&scratch);
        const mls_str value = run_member(from, i, field, described, &scratch);
        if (value.len > 0 && says == RUNS_SAY_NOTHING) {
            mls_buffer_append(&first, value);
            who = from->group->runs[i];
            says = RUNS_AGREE;
        } else if (value.len > 0 && !mls_str_equal(value, mls_buffer_str(&first))) {
            says = RUNS_DISAGREE;
            mls_findings_add(from->findings, MLS_FINDING_SYSTEM_EMPTY, (mls_finding_place){.key = field},
                             "%.*s stays empty: it is %.*s in %.*s, %.*s in %.*s", MLS_CUT(field, 60),
                             MLS_CUT(mls_buffer_str(&first), 40), MLS_CUT_TEXT(who->file, 80), MLS_CUT(value, 40),
                             MLS_CUT_TEXT(from->group->runs[i]->file, 80));
        }
    }
    if (says == RUNS_AGREE) {
        mls_buffer_append(text, mls_buffer_str(&first));
    }
    text->failed |= first.failed || scratch.failed;
    mls_buffer_release(&first);
    mls_buffer_release(&scratch);
    return says;
}

/* What the config's name and what was asked for say of a field; NULL: nothing. */
static const char *known_text(const skeleton_sources *from, mls_str field, mls_words *number)
{
    const mls_config_name shape = mls_group_shape(from->group);
    double count = (double)NAN;
    if (mls_str_equal(field, MLS_S("division"))) {
        return mls_division_name(from->group->division);
    }
    if (mls_str_equal(field, MLS_S("system_name"))) {
        return from->name;
    }
    if (mls_str_equal(field, MLS_S("number_of_nodes")) && shape.nodes > 0) {
        count = (double)shape.nodes;
    } else if (mls_str_equal(field, MLS_S("accelerators_per_node")) && shape.gpus_per_node > 0) {
        count = (double)shape.gpus_per_node;
    }
    *number = mls_words_exact(count);
    return isnan(count) ? NULL : number->text;
}

/* Appends the value of a field; false: there is none, and it is empty. */
static bool append_field(const skeleton_sources *from, mls_str field, mls_buffer *text)
{
    mls_words number;
    mls_str value;
    if (plain_member(from->described, field, &value)) {
        mls_buffer_append(text, value);
        return true;
    }
    runs_say says = append_agreed(from, field, true, text);
    const char *known = says == RUNS_SAY_NOTHING ? known_text(from, field, &number) : NULL;
    if (known != NULL && *known != '\0') {
        mls_json_text_append(text, mls_str_from(known));
        return true;
    }
    says = says == RUNS_SAY_NOTHING ? append_agreed(from, field, false, text) : says;
    mls_buffer_append_text(text, says == RUNS_AGREE ? "" : "\"\"");
    return says == RUNS_AGREE;
}

static mls_status append_fields(skeleton_sources *from, mls_buffer *text, bool (*lack)(void *state, const char *field),
                                void *state, mls_error *error)
{
    cJSON *rules;
    mls_status status = mls_json_data("systems.json", &rules, error);
    const cJSON *entries = cJSON_GetObjectItem(rules, "entries");
    const cJSON *required = cJSON_GetObjectItem(cJSON_GetArrayItem(entries, 0), "required");
    from->statuses = cJSON_GetObjectItem(cJSON_GetArrayItem(entries, cJSON_GetArraySize(entries) - 1), "statuses");
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
                               mls_findings *findings, bool (*lack)(void *state, const char *field), void *state,
                               mls_error *error)
{
    mls_arena arena = {0};
    mls_error place = {0};
    size_t wrong = 0;
    skeleton_sources from = {.group = group,
                             .name = name,
                             .logged = mls_arena_zeroed(&arena, group->run_count, sizeof(mls_str)),
                             .findings = findings};
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
