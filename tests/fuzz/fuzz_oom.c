/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_oom.c - look for out-of-memory messages in any lines. */
#include "explain/memory/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mls_oom_search *search;
    mls_sink sink = {.lines = mls_oom_search_lines};
    if (search == NULL && mls_oom_search_new(&search, NULL) != MLS_OK)
        return 0;
    sink.state = search;
    mls_oom_search_begin(search, "fuzz");
    (void)!mls_log_scan_bytes((mls_str){(const char *)data, size}, &sink, 1, NULL, NULL);
    mls_oom_search_end(search);
    return 0;
}
