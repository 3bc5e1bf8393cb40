/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - judge descriptions of systems, and match them with the folders of results. */
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "submission/judge.h"
#include "json/json_check.h"
#include "json/value.h"

/* Return whether a rule that applies from the edition `from` on applies to `edition`. */
static bool counts_in(const cJSON *from, const mls_edition *edition)
{
    unsigned number;
    return mls_edition_number(mls_str_from(cJSON_GetStringValue(from)), &number) && edition->number >= number;
}

void mls_system_judge(mls_submission *submission, mls_submitter *submitter, mls_system *system, const cJSON *rules,
                      mls_str text, mls_findings *findings)
{
    const mls_edition *edition = submission->edition;
    static const char *const notes[] = {"hw_notes", "sw_notes"};
    mls_arena scratch = {0};
    mls_finding_place place = {.path = system->description.path};
    mls_str object;
    size_t wrong;
    const size_t errors = findings->counts.error;
    const char *reason = mls_description_read(text, &scratch, submission->arena, &system->says, &object, &wrong);
    if (mls_text_mark(text) > 0) { /* report the byte order mark, and judge the text after it */
        mls_findings_add(
            findings, MLS_FINDING_SYSTEM_JSON, (mls_finding_place){.path = place.path, .line = 1, .column = 1},
            "begins with a byte order mark, which the package checker does not accept: save it as plain UTF-8");
    }
    if (reason != NULL) {
        const char *damage = mls_damage_of_text(text, &place.line);
        place.column = 1;
        if (damage == NULL)
            mls_text_position(text, wrong, &place.line, &place.column);
        reason = damage != NULL ? damage : reason;
        mls_findings_add(findings, MLS_FINDING_SYSTEM_JSON, place, "not JSON: %s%s", damage != NULL ? "it " : "",
                         reason);
    } else {
        mls_field_names names = {0}; /* names of the members as written, including escapes */
        mls_field_names required = {0};
        mls_raw_member member;
        const cJSON *statuses = NULL;
        const cJSON *entry;
        const cJSON *field;
        for (mls_json_walk walk = mls_json_walk_begin(object); mls_json_walk_next(&walk, &member);)
            MLS_ARENA_ADD(&scratch, &names, member.name);
        cJSON_ArrayForEach(entry, cJSON_GetObjectItem(rules, "entries"))
        {
            const cJSON *newer = cJSON_GetObjectItem(entry, "statuses");
            if (!counts_in(cJSON_GetObjectItem(entry, "from"), edition))
                continue;
            statuses = newer != NULL ? newer : statuses;
            cJSON_ArrayForEach(field, cJSON_GetObjectItem(entry, "required"))
            {
                bool has = false;
                place.key = mls_str_from(field->valuestring);
                MLS_ARENA_ADD(&scratch, &required, place.key);
                for (size_t i = 0; i < names.count && !has; i++)
                    has = mls_span_name_is(names.items[i], place.key);
                if (!has) {
                    mls_findings_add(findings, MLS_FINDING_SYSTEM_FIELD, place, "the field '%s' is missing",
                                     place.key.ptr);
                }
            }
        }
        mls_buffer list = {0};
        bool known = system->says.status == NULL || statuses == NULL;
        cJSON_ArrayForEach(entry, statuses)
        {
            known = known || strcmp(system->says.status, entry->valuestring) == 0;
            mls_buffer_printf(&list, "%s'%s'", list.len > 0 ? ", " : "", entry->valuestring);
        }
        place.key = MLS_S("status");
        if (!known) {
            mls_findings_add(findings, MLS_FINDING_SYSTEM_STATUS, place, "the status '%.*s' is not one of %s",
                             MLS_CUT_TEXT(system->says.status, 80), list.ptr);
        }
        mls_buffer_release(&list);
        /* The summarizer joins the notes and fails if one is neither a text nor empty (null, 0, false, [] or {}). */
        for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
            mls_str span;
            double number;
            place.key = mls_str_from(notes[i]);
            if (!mls_json_member(object, place.key, &span) || mls_json_kind_of(span) == MLS_JSON_STRING ||
                mls_str_among(span, "null false [] {}") || (mls_number_parse(span, &number) && number == 0))
                continue;
            mls_findings_add(findings, MLS_FINDING_SYSTEM_NOTES, place,
                             "%s is %.*s, not a text: the MLCommons summarizer ends with an error", notes[i],
                             MLS_CUT(span, 60));
        }
        if (system->says.division != NULL && mls_division_described(system->says.division) == MLS_DIVISION_OTHER) {
            place.key = MLS_S("division");
            mls_findings_add(findings, MLS_FINDING_DIVISION_SPELLING, place,
                             "the division is spelled '%.*s': seeds and convergence are only checked for 'closed'",
                             MLS_CUT_TEXT(system->says.division, 40));
        }
        mls_system_ask(submission, submitter, system, object, &required);
    }
    system->valid = findings->counts.error == errors;
    mls_arena_release(&scratch);
}

/* Number of missing descriptions for which a similar name is searched, to limit the time for a tree of many. */
enum { MISSING_SUGGESTED = 100 };

/* Set system->nearest to the name of the unused description whose name is most similar to that of the system, and mark
 * that description as misnamed. */
static void suggest_description(mls_submitter *submitter, mls_system *system)
{
    mls_suggestion nearest = mls_suggest_for(mls_str_from(system->name));
    for (size_t i = 0; i < submitter->system_count; i++) {
        const mls_system *other = &submitter->systems[i];
        if (other->folder == NULL && !other->misnamed)
            mls_suggest_add(&nearest, mls_str_from(other->name));
    }
    if (nearest.found.len > 0) {
        system->nearest = nearest.found.ptr;
        mls_submitter_system(submitter, system->nearest)->misnamed = true;
    }
}

void mls_systems_judge(mls_submission *submission, mls_submitter *submitter, const cJSON *rules)
{
    const bool judged = counts_in(cJSON_GetObjectItem(rules, "judged_from"), submission->edition);
    const mls_system *first = NULL; /* the first system whose description names a submitter */
    size_t missing = 0;
    for (size_t i = 0; i < submitter->system_count; i++)
        submitter->systems[i].has_results = submitter->systems[i].has_folders = false;
    for (size_t i = 0; i < submitter->result_count; i++) {
        const mls_submission_result *result = &submitter->results[i];
        mls_system *system = mls_submitter_system(submitter, result->system);
        system->has_results |= result->judged;
        system->has_folders = true;
    }
    bool folders = false; /* otherwise the whole folder results is missing */
    for (size_t i = 0; i < submitter->system_count; i++)
        folders |= submitter->systems[i].folder != NULL;
    /* Match each missing description with the unused description that has the most similar name. */
    for (size_t i = 0; i < submitter->system_count && judged; i++) {
        mls_system *system = &submitter->systems[i];
        if (system->description.path == NULL && system->has_folders && missing++ < MISSING_SUGGESTED)
            suggest_description(submitter, system);
    }
    for (size_t i = 0; i < submitter->system_count; i++) {
        mls_system *system = &submitter->systems[i];
        mls_finding_place described = {.path = system->description.path};
        const mls_finding_place folder = {.path = system->folder};
        mls_findings unjudged = {0};
        mls_findings *findings = judged ? &system->findings : &unjudged;
        if (folders && system->folder == NULL && !system->misnamed) {
            mls_findings_add(&system->findings, MLS_FINDING_SYSTEM_UNUSED, described,
                             "the description has no results: results/%s is missing", system->name);
        } else if (judged && described.path == NULL && system->has_folders) {
            const char *near = system->nearest;
            const bool only_case = near != NULL && strcasecmp(near, system->name) == 0;
            mls_findings_add(findings, MLS_FINDING_SYSTEM_MISSING, folder,
                             "the system description systems/%s.json is missing%s%s%s%s", system->name,
                             near == NULL ? "" : "; did you mean systems/", near != NULL ? near : "",
                             near == NULL ? "" : ".json?", only_case ? " (only the case of letters differs)" : "");
        } else if (judged && described.path == NULL) {
            mls_findings_add_as(findings, MLS_FINDING_SYSTEM_MISSING, MLS_SEVERITY_ADVICE, folder,
                                "the folder has no benchmark, and systems/%s.json is missing", system->name);
        }
        if (system->description.readable) {
            mls_buffer text = {0};
            mls_error error = {0};
            const mls_status status =
                mls_tree_read(submission, &system->description, MLS_SYSTEM_BYTES_MAX, &text, &error);
            if (status == MLS_OK) {
                mls_system_judge(submission, submitter, system, rules, mls_buffer_str(&text), findings);
            } else {
                mls_findings_add(findings, status == MLS_ERROR_READ ? MLS_FINDING_UNREADABLE : MLS_FINDING_SYSTEM_JSON,
                                 described, "%s", error.message);
            }
            mls_buffer_release(&text);
        }
        mls_findings_release(&unjudged);
        /* All descriptions must name the same submitter. */
        const char *name = system->says.submitter;
        if (judged && name != NULL && first != NULL && strcmp(name, first->says.submitter) != 0) {
            described.key = MLS_S("submitter");
            mls_findings_add(&system->findings, MLS_FINDING_SUBMITTER_DIFFERS, described,
                             "the submitter is %.*s, in %s it is %.*s", MLS_CUT_TEXT(name, 60), first->description.path,
                             MLS_CUT_TEXT(first->says.submitter, 60));
        }
        first = first == NULL && name != NULL ? system : first;
    }
}
