/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - descriptions are checked with the grammar that logs are checked
 * with, because it is the one the package checker's reader has.
 */
#include "submission/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/data.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mlscore/value.h"
#include "submission/tree.h"

/* ----------------------------------------------------------------- rules */

mls_status mls_system_rules_load(cJSON **rules, mls_error *error)
{
    const mls_str text = mls_data_find("systems.json");
    *rules = cJSON_ParseWithLength(text.ptr, text.len);
    return *rules != NULL ? MLS_OK : mls_error_memory(error);
}

/* Whether what counts from an edition on does in this one. */
static bool counts_in(const cJSON *from, const mls_edition *edition)
{
    unsigned number;
    return mls_edition_number(mls_str_from(cJSON_GetStringValue(from)), &number) && edition->number >= number;
}

/* The entry of the rules behind `entry` (NULL: the first) that counts in an edition; NULL: there is none. */
static const cJSON *next_entry(const cJSON *rules, const cJSON *entry, const mls_edition *edition)
{
    const cJSON *next = entry != NULL ? entry->next : cJSON_GetObjectItem(rules, "entries")->child;
    while (next != NULL && !counts_in(cJSON_GetObjectItem(next, "from"), edition)) {
        next = next->next;
    }
    return next;
}

bool mls_system_judged(const cJSON *rules, const mls_edition *edition)
{
    return counts_in(cJSON_GetObjectItem(rules, "judged_from"), edition);
}

/* ------------------------------------------------------------------ JSON */

/* The offset of the first byte that is no part of valid UTF-8; SIZE_MAX when there is none. */
static size_t text_invalid_utf8(mls_str text)
{
    for (size_t at = 0; at < text.len;) {
        const size_t start = at;
        if (mls_utf8_next(text, &at) < 0) {
            return start;
        }
    }
    return SIZE_MAX;
}

/* Finds the object that the text is.  Returns NULL or what is wrong at *wrong. */
static const char *text_object(mls_str text, mls_arena *arena, mls_str *object, size_t *wrong)
{
    *wrong = text_invalid_utf8(text);
    if (*wrong != SIZE_MAX) {
        return "not UTF-8";
    }
    const char *reason = mls_json_validate(text, arena, object, wrong);
    return reason != NULL || *object->ptr == '{' ? reason : "not an object";
}

/* ---------------------------------------------------------------- fields */

/* The text of a member: a string decoded, anything else as written; NULL when it is not there. */
static mls_status read_text(mls_str object, const char *name, mls_arena *arena, char **text)
{
    mls_str span;
    mls_str decoded;
    if (!mls_json_member(object, mls_str_from(name), &span)) {
        return MLS_OK;
    }
    if (mls_json_kind_of(span) == MLS_JSON_STRING) {
        if (!mls_json_string(span, arena, &decoded)) {
            return MLS_ERROR_MEMORY;
        }
        span = decoded;
    }
    *text = mls_copy_text(span.ptr, span.len);
    return *text != NULL ? MLS_OK : MLS_ERROR_MEMORY;
}

static void check_fields(const mls_system *system, const cJSON *required, mls_str object, mls_findings *findings)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, required)
    {
        const mls_str name = mls_str_from(field->valuestring);
        mls_str span;
        if (!mls_json_member(object, name, &span)) {
            mls_findings_add(findings, MLS_FINDING_SYSTEM_FIELD,
                             (mls_finding_place){.path = system->description.path, .key = name},
                             "the field '%s' is missing", name.ptr);
        }
    }
}

static void check_status(const mls_system *system, const cJSON *statuses, mls_findings *findings)
{
    mls_buffer list = {0};
    const cJSON *status;
    cJSON_ArrayForEach(status, statuses)
    {
        if (system->status == NULL || strcmp(system->status, status->valuestring) == 0) {
            mls_buffer_release(&list);
            return;
        }
        mls_buffer_printf(&list, "%s'%s'", list.len > 0 ? ", " : "", status->valuestring);
    }
    if (list.len > 0) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_STATUS,
                         (mls_finding_place){.path = system->description.path, .key = MLS_S("status")},
                         "the status '%.*s' is not one of %s", MLS_CUT_TEXT(system->status, 80), list.ptr);
    }
    findings->out_of_memory |= list.failed;
    mls_buffer_release(&list);
}

static void check_division(const mls_system *system, mls_findings *findings)
{
    if (system->division != NULL && mls_division_described(system->division) == MLS_DIVISION_OTHER) {
        mls_findings_add(findings, MLS_FINDING_DIVISION_SPELLING,
                         (mls_finding_place){.path = system->description.path, .key = MLS_S("division")},
                         "the division is spelled '%.*s': seeds and convergence are not checked",
                         MLS_CUT_TEXT(system->division, 40));
    }
}

static mls_status fill_texts(mls_system *system, mls_str object)
{
    mls_arena arena = {0};
    const struct {
        const char *name;
        char **text;
    } texts[] = {
        {"submitter", &system->submitter},
        {"division", &system->division},
        {"status", &system->status},
        {"number_of_nodes", &system->number_of_nodes},
        {"accelerators_per_node", &system->accelerators_per_node},
        {"accelerator_model_name", &system->accelerator_model_name},
    };
    mls_status status = MLS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == MLS_OK; i++) {
        status = read_text(object, texts[i].name, &arena, texts[i].text);
    }
    mls_arena_release(&arena);
    return status;
}

mls_status mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                            mls_findings *findings)
{
    mls_arena arena = {0};
    mls_str object = {0};
    size_t wrong;
    const size_t errors = findings->counts.error;
    mls_status status = MLS_OK;
    const char *reason = text_object(text, &arena, &object, &wrong);
    if (reason == mls_reason_memory) {
        return MLS_ERROR_MEMORY;
    }
    if (reason != NULL) {
        mls_finding_place place = {.path = system->description.path};
        mls_text_position(text, wrong, &place.line, &place.column);
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, place, "not JSON: %s", reason);
    } else {
        const cJSON *statuses = NULL;
        status = fill_texts(system, object);
        for (const cJSON *entry = next_entry(rules, NULL, edition); entry != NULL;
             entry = next_entry(rules, entry, edition)) {
            const cJSON *newer = cJSON_GetObjectItem(entry, "statuses");
            check_fields(system, cJSON_GetObjectItem(entry, "required"), object, findings);
            statuses = newer != NULL ? newer : statuses;
        }
        check_status(system, statuses, findings);
        check_division(system, findings);
    }
    system->valid = findings->counts.error == errors;
    mls_arena_release(&arena);
    return status;
}

mls_status mls_system_read(mls_system *system, const cJSON *rules, const mls_submission *submission,
                           mls_findings *findings)
{
    const mls_finding_place place = {.path = system->description.path};
    mls_buffer text = {0};
    mls_error error = {0};
    if (!system->description.readable) {
        return MLS_OK;
    }
    mls_status status = mls_tree_read(submission, &system->description, MLS_SYSTEM_BYTES_MAX, &text, &error);
    if (status == MLS_OK) {
        status = mls_system_judge(system, rules, mls_buffer_str(&text), submission->edition, findings);
    } else if (status == MLS_ERROR_LIMIT) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, place, "larger than %zu bytes; not read",
                         MLS_SYSTEM_BYTES_MAX);
        status = MLS_OK;
    } else if (status == MLS_ERROR_READ) {
        mls_findings_add(findings, MLS_FINDING_UNREADABLE, place, "%s", error.message);
        status = MLS_OK;
    }
    mls_buffer_release(&text);
    return status;
}

void mls_system_release(mls_system *system)
{
    free(system->name);
    free(system->description.path);
    free(system->folder);
    mls_findings_release(&system->findings);
    free(system->submitter);
    free(system->division);
    free(system->status);
    free(system->number_of_nodes);
    free(system->accelerators_per_node);
    free(system->accelerator_model_name);
}
