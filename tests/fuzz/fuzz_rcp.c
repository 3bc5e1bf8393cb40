/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_rcp.c - read any bytes as a user's table of reference points, and check runs against it. */
#include <math.h>

#include "base/buffer.h"
#include "run/run.h"
#include "score/rcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mls_editions *editions;
    const mls_str table = {(const char *)data, size};
    double to_converge[] = {3072, 3456, 3072, 2688, MLS_RCP_NOT_CONVERGED};
    mls_rcp_set *set;
    mls_error error;
    if (mls_editions_load(&editions, NULL) != MLS_OK)
        return 0;
    mls_rcp_rules rules = {
        .editions = editions,
        .benchmark = mls_benchmark_find(editions, MLS_USAGE_TRAINING, MLS_S("llama2_70b_lora")),
    };
    if (mls_editions_find(editions, MLS_USAGE_TRAINING, MLS_S("5.1"), &rules.edition, NULL) != MLS_OK ||
        (mls_rcp_set_new(&rules, table, "fuzz.csv", &set, &error) != MLS_OK &&
         mls_rcp_set_new(&rules, table, NULL, &set, &error) != MLS_OK)) {
        mls_editions_free(editions);
        return 0;
    }
    for (int power = -1; power < 18; power++) {
        const double batch = ldexp(1, power);
        const mls_rcp_result result = mls_rcp_check(set, batch, to_converge, 5);
        mls_buffer words = {0};
        mls_rcp_result_describe(&result, 1, &words);
        mls_rcp_limit_describe(&result.limit, &words);
        mls_buffer_release(&words);
    }
    mls_rcp_set_free(set);
    mls_editions_free(editions);
    return 0;
}
