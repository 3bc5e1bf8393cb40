/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_model.c - read any bytes as a model file, and estimate the GPU memory of the model. */
#include "explain/memory/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        mls_memory_setting setting;
        const char *value;
    } settings[] = {{MLS_MEMORY_CONTEXT, "128k"},
                    {MLS_MEMORY_USERS, "3"},
                    {MLS_MEMORY_GPU, "GH200"},
                    {MLS_MEMORY_PRECISION, "int4"},
                    {MLS_MEMORY_PRECISION, "Q4_K_M"},
                    {MLS_MEMORY_PRECISION, "bf16"},
                    {MLS_MEMORY_TRAIN, ""},
                    {MLS_MEMORY_TP, "2"},
                    {MLS_MEMORY_GPUS, "64"},
                    {MLS_MEMORY_LORA, "8:q,up"},
                    {MLS_MEMORY_PP, "2"},
                    {MLS_MEMORY_EP, "2"}};
    static mls_models *models;
    static mls_accelerators *accelerators;
    mls_memory_ask ask;
    mls_memory_answer answer;
    if ((models == NULL && mls_models_load(&models, NULL) != MLS_OK) ||
        (accelerators == NULL && mls_accelerators_load(&accelerators, NULL) != MLS_OK))
        return 0;
    mls_memory_ask_init(&ask, models, accelerators);
    if (mls_memory_model_parse(&ask, (mls_str){(const char *)data, size}, MLS_S("model"), NULL) != MLS_OK)
        return 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        mls_findings findings = {0};
        (void)!mls_memory_set(&ask, settings[i].setting, settings[i].value, NULL);
        if (mls_memory_answer_make(&ask, &answer, NULL) == MLS_OK)
            mls_memory_judge(&ask, &answer, &findings);
        mls_findings_release(&findings);
    }
    return 0;
}
