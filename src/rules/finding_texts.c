/* SPDX-License-Identifier: Apache-2.0 */
/* finding_texts.c - read the explanations of findings. */
#include "rules/finding_texts.h"

#include "json/json_row.h"

#define MEMBER(name) MLS_MEMBER_OF(mls_finding_texts, #name, TEXT, name, NULL)
static const mls_row_member members[] = {MEMBER(summary), MEMBER(explanation), MEMBER(remedy)};

mls_status mls_finding_texts_read(mls_arena *arena, mls_finding_texts texts[MLS_FINDING_COUNT], mls_error *error)
{
    cJSON *json;
    mls_status status = mls_json_data("findings.json", &json, error);
    for (size_t i = 0; i < MLS_FINDING_COUNT && status == MLS_OK; i++) {
        const char *name = mls_finding_info_get((mls_finding_code)i)->name;
        const cJSON *of = cJSON_GetObjectItemCaseSensitive(json, name);
        texts[i] = (mls_finding_texts){0};
        status = mls_json_row_read(of, members, sizeof members / sizeof *members, arena, &texts[i], error);
        if (status == MLS_OK && (texts[i].summary == NULL || texts[i].explanation == NULL || texts[i].remedy == NULL))
            status = mls_error_set(error, MLS_ERROR_VALUE, 0, 0, "findings.json: a text of %s is missing", name);
    }
    cJSON_Delete(json);
    return status;
}
