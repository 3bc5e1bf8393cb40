/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_rules.c - load any bytes as a rule file.  It is refused with a position inside the bytes, or it is used to check
 * a log twice, with the same verdict. */
#include <stdlib.h>
#include <string.h>

#include "../unit/checker_sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORD(key, value, metadata)                                                                                   \
    ":::MLLOG {\"time_ms\": 1, \"key\": \"" key "\", \"value\": " value ", \"metadata\": " metadata "}\n"

static const char log_text[] =
    RECORD("submission_division", "\"closed\"", "{}") RECORD("submission_benchmark", "\"moon\"", "{}")
        RECORD("seed", "7", "{}") RECORD("seed", "8", "{}") RECORD("rank", "16", "{\"a\": [1, {\"b\": null}]}")
            RECORD("eval_accuracy", "0.5", "{\"samples_count\": 3, \"metric\": \"FID\"}")
                RECORD("eval_accuracy", "{\"BBOX\": 1}", "{\"epoch_num\": 3, \"metric\": \"CLIP\"}") "x :::MLLOG {]\n";

static mls_verdict judge(mls_checker *checker)
{
    mls_checker_reset(checker);
    const mls_sink sink = checker_sink(checker);
    if (mls_log_scan_bytes(mls_str_from(log_text), &sink, 1, NULL, NULL) != MLS_OK)
        abort();
    return mls_checker_verdict(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_ruleset *ruleset = NULL;
    mls_checker *checker = NULL;
    mls_error error = {0};

    /* Skip inputs that could open a file named after "extends". */
    if (memmem(data, size, ".json", 5) != NULL || memmem(data, size, "\\u", 2) != NULL)
        return 0;
    if (mls_ruleset_load_text((mls_str){(const char *)data, size}, &ruleset, &error) != MLS_OK)
        return 0;
    const mls_checker_options options = {.ruleset = ruleset};
    checker = mls_checker_new(&options);
    const mls_verdict first = judge(checker);
    const size_t errors = first.findings->counts.error;
    if (first.valid != (errors == 0) || judge(checker).findings->counts.error != errors)
        abort();
    mls_checker_free(checker);
    mls_ruleset_free(ruleset);
    return 0;
}
