/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_params.c - read any bytes as package_checker_params.  Only the last line, as a whole, may request a bypass, and
 * findings must refer to existing lines in order. */
#include <stdlib.h>

#include "submission/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mls_str text = {(const char *)data, size};
    const mls_str rcp = MLS_STR("rcp-bypass");
    const mls_str seeds = MLS_STR("seed-checker-bypass");
    mls_bypasses bypasses = {0};
    mls_findings findings = {0};
    size_t start = size;
    size_t lines = 1;

    mls_params_judge(text, "package_checker_params", &bypasses, &findings);
    while (start > 0 && text.ptr[start - 1] != '\n' && text.ptr[start - 1] != '\r')
        start--;
    const mls_str last = {text.ptr + start, size - start};
    if (bypasses.rcp != mls_str_equal(last, rcp) || bypasses.seeds != mls_str_equal(last, seeds))
        abort();
    for (size_t i = 0; i < size; i++)
        lines += text.ptr[i] == '\n' || text.ptr[i] == '\r';
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].line == 0 || findings.items[i].line > lines ||
            (i > 0 && findings.items[i].line <= findings.items[i - 1].line))
            abort();
    mls_findings_release(&findings);
    return 0;
}
