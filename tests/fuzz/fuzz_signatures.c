/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_signatures.c - load any bytes as a file of signatures.  It is refused with a reason, or can be used on any line.
 */
#include <stdlib.h>

#include "../match_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mls_str lines[] = {MLS_STR("0: [rank0]: RuntimeError: CUDA error: out of memory"),
                                    MLS_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")};
    static mls_signatures *signatures;
    static unsigned used; /* loading the built-in signatures takes longer than everything else */
    mls_error error = {0};
    if (used++ % 64 == 0) {
        mls_signatures_free(signatures);
        if (mls_signatures_new(&signatures, NULL) != MLS_OK)
            abort();
    }
    const size_t before = mls_signatures_count(signatures);
    const mls_status status = mls_signatures_add(signatures, (mls_str){(const char *)data, size}, &error);
    const size_t count = mls_signatures_count(signatures);
    if ((status != MLS_OK && error.message[0] == '\0') || count < before)
        abort();
    for (size_t i = 0; status == MLS_OK && i < sizeof lines / sizeof *lines; i++)
        (void)match_line(signatures, lines[i]);
    return 0;
}
