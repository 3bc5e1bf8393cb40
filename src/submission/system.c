/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - descriptions are checked with the grammar that logs are checked with, because it is the one the package
 * checker's reader has.
 */
#include "base/data.h"
#include "base/utf8.h"
#include "mlscore/value.h"
#include "submission/judge.h"

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

/* Finds the object that the text is.  Returns NULL or what is wrong at *wrong. */
static const char *find_object(mls_str text, mls_arena *arena, mls_str *object, size_t *wrong)
{
    for (size_t at = 0; at < text.len;) {
        *wrong = at;
        if (mls_utf8_next(text, &at) < 0) {
            return "not UTF-8";
        }
    }
    const char *reason = mls_json_validate(text, arena, object, wrong);
    return reason != NULL || *object->ptr == '{' ? reason : "not an object";
}

/* A description that is being read, and where its texts go. */
typedef struct description {
    mls_str object;
    mls_arena scratch;
    mls_arena *arena;
    bool failed; /* memory ran out */
} description;

/* The text of a member: a string decoded, anything else as written; NULL when it is not there. */
static const char *text_of(description *from, const char *name)
{
    mls_str span;
    if (!mls_json_member(from->object, mls_str_from(name), &span)) {
        return NULL;
    }
    mls_str text = span;
    if (mls_json_kind_of(span) == MLS_JSON_STRING && !mls_json_string(span, &from->scratch, &text)) {
        from->failed = true;
        return NULL;
    }
    const char *copy = mls_arena_copy(from->arena, text).ptr;
    from->failed |= copy == NULL;
    return copy;
}

static void check_fields(const mls_system *system, const cJSON *required, mls_str object, mls_findings *findings)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, required)
    {
        const mls_finding_place place = {system->description.path, 0, 0, mls_str_from(field->valuestring)};
        mls_str span;
        if (!mls_json_member(object, place.key, &span)) {
            mls_findings_add(findings, MLS_FINDING_SYSTEM_FIELD, place, "the field '%s' is missing", place.key.ptr);
        }
    }
}

static void check_status(const mls_system *system, const cJSON *statuses, mls_findings *findings)
{
    const mls_finding_place place = {system->description.path, 0, 0, MLS_S("status")};
    bool known = system->status == NULL || statuses == NULL;
    mls_buffer list = {0};
    const cJSON *status;
    cJSON_ArrayForEach(status, statuses)
    {
        known = known || strcmp(system->status, status->valuestring) == 0;
        mls_buffer_printf(&list, "%s'%s'", list.len > 0 ? ", " : "", status->valuestring);
    }
    if (!known && !list.failed) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_STATUS, place, "the status '%.*s' is not one of %s",
                         MLS_CUT_TEXT(system->status, 80), list.ptr);
    }
    findings->out_of_memory |= list.failed;
    mls_buffer_release(&list);
}

static void check_division(const mls_system *system, mls_findings *findings)
{
    const mls_finding_place place = {system->description.path, 0, 0, MLS_S("division")};
    if (system->division != NULL && mls_division_described(system->division) == MLS_DIVISION_OTHER) {
        mls_findings_add(findings, MLS_FINDING_DIVISION_SPELLING, place,
                         "the division is spelled '%.*s': seeds and convergence are checked only of 'closed'",
                         MLS_CUT_TEXT(system->division, 40));
    }
}

static void judge_object(mls_system *system, description *from, const cJSON *rules, const mls_edition *edition,
                         mls_findings *findings)
{
    const cJSON *statuses = NULL;
    const cJSON *entry;
    system->submitter = text_of(from, "submitter");
    system->division = text_of(from, "division");
    system->status = text_of(from, "status");
    system->number_of_nodes = text_of(from, "number_of_nodes");
    system->accelerators_per_node = text_of(from, "accelerators_per_node");
    system->accelerator_model_name = text_of(from, "accelerator_model_name");
    cJSON_ArrayForEach(entry, cJSON_GetObjectItem(rules, "entries"))
    {
        if (counts_in(cJSON_GetObjectItem(entry, "from"), edition)) {
            const cJSON *newer = cJSON_GetObjectItem(entry, "statuses");
            check_fields(system, cJSON_GetObjectItem(entry, "required"), from->object, findings);
            statuses = newer != NULL ? newer : statuses;
        }
    }
    check_status(system, statuses, findings);
    check_division(system, findings);
}

mls_status mls_system_judge(mls_system *system, const cJSON *rules, mls_str text, const mls_edition *edition,
                            mls_arena *arena, mls_findings *findings)
{
    description from = {.arena = arena};
    mls_finding_place place = {.path = system->description.path};
    size_t wrong;
    const size_t errors = findings->counts.error;
    const char *reason = find_object(text, &from.scratch, &from.object, &wrong);
    from.failed = reason == mls_reason_memory;
    if (reason == NULL) {
        judge_object(system, &from, rules, edition, findings);
    } else if (!from.failed) {
        mls_text_position(text, wrong, &place.line, &place.column);
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, place, "not JSON: %s", reason);
    }
    system->valid = findings->counts.error == errors;
    mls_arena_release(&from.scratch);
    return from.failed ? MLS_ERROR_MEMORY : MLS_OK;
}

/* Reads the description, if there is one, and judges it. */
static mls_status read_description(mls_system *system, const cJSON *rules, const mls_submission *submission,
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
        status =
            mls_system_judge(system, rules, mls_buffer_str(&text), submission->edition, submission->arena, findings);
    } else if (status != MLS_ERROR_MEMORY) {
        const bool unread = status == MLS_ERROR_READ;
        mls_findings_add(findings, unread ? MLS_FINDING_UNREADABLE : MLS_FINDING_SYSTEM_JSON, place, "%s",
                         error.message);
        status = MLS_OK;
    }
    mls_buffer_release(&text);
    return status;
}

/* A system's folder and its description belong together. */
static void match_system(mls_system *system)
{
    const mls_finding_place described = {.path = system->description.path};
    const mls_finding_place folder = {.path = system->folder};
    mls_findings *findings = &system->findings;
    if (system->folder == NULL) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_UNUSED, described,
                         "the description has no results: there is no folder results/%s", system->name);
    } else if (system->description.path == NULL && system->has_results) {
        mls_findings_add(findings, MLS_FINDING_SYSTEM_MISSING, folder, "there is no system description systems/%s.json",
                         system->name);
    } else if (system->description.path == NULL) {
        mls_findings_add_as(findings, MLS_FINDING_SYSTEM_MISSING, MLS_SEVERITY_ADVICE, folder,
                            "there is neither a benchmark in the folder nor a description systems/%s.json",
                            system->name);
    }
}

mls_status mls_systems_judge(const mls_submission *submission, mls_submitter *submitter, const cJSON *rules)
{
    const bool judged = counts_in(cJSON_GetObjectItem(rules, "judged_from"), submission->edition);
    mls_status status = MLS_OK;
    for (size_t i = 0; i < submitter->system_count; i++) {
        submitter->systems[i].has_results = false;
    }
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        mls_submitter_system(submitter, result->system)->has_results |= result->judged;
    }
    for (size_t i = 0; i < submitter->system_count && status == MLS_OK; i++) {
        mls_system *system = &submitter->systems[i];
        mls_findings unjudged = {0};
        if (judged || system->folder == NULL) {
            match_system(system);
        }
        status = read_description(system, rules, submission, judged ? &system->findings : &unjudged);
        mls_findings_release(&unjudged);
    }
    return status;
}
