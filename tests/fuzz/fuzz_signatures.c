/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_signatures.c - any bytes are a file of signatures: refused with a reason, or of use on any line. */
#include <stdlib.h>

#include "mlscore/diagnose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mls_str lines[] = {MLS_STR("0: [rank0]: RuntimeError: CUDA error: out of memory"),
                                    MLS_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")};
    const mls_str text = {(const char *)data, size};
    mls_signatures *signatures;
    const mls_signature *found;
    mls_error error = {0};
    if (mls_signatures_new(&signatures, NULL) != MLS_OK) {
        abort();
    }
    const size_t before = mls_signatures_count(signatures);
    const mls_status status = mls_signatures_add(signatures, text, &error);
    if ((status != MLS_OK && error.message[0] == '\0') || mls_signatures_count(signatures) < before) {
        abort();
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (mls_signatures_match(signatures, lines[i], &found) != MLS_OK) {
            abort();
        }
    }
    mls_signatures_free(signatures);
    return 0;
}
