/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_system.c - check any bytes as a system description.  If it is refused, the position must be within the text. */
#include <stdlib.h>

#include "submission/judge.h"
#include "json/json_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cJSON *rules;
    mls_system system = {.description.path = "x.json"};
    mls_findings findings = {0};
    mls_arena arena = {0};
    const mls_edition edition = {.name = "5.1.0", .number = MLS_EDITION_NUMBER(5, 1, 0)};
    if (rules == NULL && mls_json_data("systems.json", &rules, NULL) != MLS_OK)
        abort();
    mls_submission submission = {.edition = &edition, .arena = &arena};
    mls_submitter submitter = {.path = "."};
    mls_system_judge(&submission, &submitter, &system, rules, (mls_str){(const char *)data, size}, &findings);
    if (system.valid != (findings.counts.error == 0))
        abort();
    for (size_t i = 0; i < findings.count; i++) {
        const mls_finding *finding = &findings.items[i];
        if (finding->code == MLS_FINDING_SYSTEM_JSON && (finding->line == 0 || finding->column > size + 1))
            abort();
    }
    mls_questions_release(&submission.questions);
    mls_findings_release(&system.findings);
    mls_arena_release(&arena);
    mls_findings_release(&findings);
    return 0;
}
