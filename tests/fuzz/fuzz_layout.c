/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_layout.c - parse any bytes as a pipeline layout.  It is refused with a reason, or the chunks must add up. */
#include <stdlib.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mls_pipeline_layout layout;
    uint64_t layers = 0;
    uint64_t predictors = 0;
    const char *wrong = mls_pipeline_layout_parse((mls_str){(const char *)data, size}, &layout);
    for (size_t i = 0; i < layout.count; i++) {
        layers += layout.chunks[i].layers;
        predictors += layout.chunks[i].predictors;
    }
    if (layout.count > MLS_CONFIG_CHUNKS_MAX || (wrong == NULL) != (layout.count > 0))
        abort();
    if (wrong == NULL && (layers != layout.layers || predictors != layout.predictors))
        abort();
    return 0;
}
