/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_tables.h"

#define LLAMA                                                                                                          \
    "\"model_type\": \"llama\", \"tie_word_embeddings\": false, \"num_key_value_heads\": 8, \"vocab_size\": 128256"
#define LLAMA_8B                                                                                                       \
    LLAMA ", \"num_hidden_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32, \"intermediate_size\": "   \
          "14336"
#define LLAMA_70B                                                                                                      \
    LLAMA ", \"num_hidden_layers\": 80, \"hidden_size\": 8192, \"num_attention_heads\": 64, \"intermediate_size\": "   \
          "28672"
#define QWEN3_MOE                                                                                                      \
    "\"model_type\": \"qwen3_moe\", \"num_hidden_layers\": 48, \"hidden_size\": 2048, \"intermediate_size\": 6144, "   \
    "\"moe_intermediate_size\": 768, \"num_attention_heads\": 32, \"num_key_value_heads\": 4, \"head_dim\": 128, "     \
    "\"num_experts\": 128, \"num_experts_per_tok\": 8, \"vocab_size\": 151936, \"tie_word_embeddings\": false"
#define GPT_OSS                                                                                                        \
    "\"model_type\": \"gpt_oss\", \"hidden_size\": 2880, \"intermediate_size\": 2880, \"num_attention_heads\": 64, "   \
    "\"num_key_value_heads\": 8, \"head_dim\": 64, \"vocab_size\": 201088, \"tie_word_embeddings\": false, "           \
    "\"sliding_window\": 128, "
#define DEEPSEEK                                                                                                       \
    "\"moe_intermediate_size\": 2048, \"n_shared_experts\": 1, \"num_experts_per_tok\": 8, \"num_hidden_layers\": "    \
    "61, "                                                                                                             \
    "\"hidden_size\": 7168, \"intermediate_size\": 18432, \"q_lora_rank\": 1536, \"kv_lora_rank\": 512, "              \
    "\"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"tie_word_embeddings\": false, "
#define COMPRESSED "\"quant_method\": \"compressed-tensors\""
#define QUANTIZED ", \"quantization_config\": "
#define IGNORED "\"modules_to_not_convert\": [\"model.layers.*.self_attn\", \"model.layers.*.mlp.router\", \"lm_head\"]"

static const double gib = 1073741824.0;
static const double gb = 1e9;

/* Return the size of the weights of a model in a precision; "" is that of its file. */
static double weights_of(const char *model, const char *precision)
{
    mls_memory_ask ask;
    mls_memory_answer answer;
    mls_error error = {0};
    mls_memory_ask_init(&ask, models, accelerators);
    if (model[0] != '{')
        assert_int_equal(mls_memory_set(&ask, MLS_MEMORY_MODEL, model, &error), MLS_OK);
    else if (mls_memory_model_parse(&ask, mls_str_from(model), MLS_S("a file"), &error) != MLS_OK)
        fail_msg("%s", error.message);
    if (precision[0] != '\0')
        assert_int_equal(mls_memory_set(&ask, MLS_MEMORY_PRECISION, precision, NULL), MLS_OK);
    assert_int_equal(mls_memory_answer_make(&ask, &answer, NULL), MLS_OK);
    const mls_memory_estimate *of = answer.published.estimate > 0 ? &answer.published : &answer.estimate;
    return (double)of->items[MLS_MEMORY_ITEM_WEIGHTS];
}

static void assert_near(const char *name, double bytes, double published, double share)
{
    if (fabs(bytes / published - 1) > share)
        fail_msg("%s: %.3f GB, published are %.3f", name, bytes / gb, published / gb);
}

/* Checkpoints with a quantization_config: published sizes, or the memory reported by vLLM. */
static void test_checkpoints_have_their_sizes(void **state)
{
    static const struct {
        const char *source, *model;
        double bytes, share;
    } rows[] = {
        {"vLLM of Llama 3.1 8B in GPTQ: Loading model weights took 5.3494 GB",
         "{" LLAMA_8B QUANTIZED "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128, \"sym\": true}}",
         5.3494 * gib, .01},
        {"vLLM of Llama 3.1 8B in AWQ: Loading model weights took 5.3440 GB",
         "{" LLAMA_8B QUANTIZED "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128, \"zero_point\": true, "
         "\"version\": \"gemm\", \"modules_to_not_convert\": null}}",
         5.344 * gib, .01},
        {"the headers of a Llama 70B in 4 bits: 37.07 GiB, embedding and head 1.96 GiB each",
         "{" LLAMA_70B QUANTIZED "{\"quant_method\": \"awq\", \"w_bit\": 4, \"q_group_size\": 128}}", 37.07 * gib, .01},
        {"vLLM of Meta-Llama-3.1-8B-Instruct-FP8-dynamic: Loading model weights took 8.4939 GB",
         "{" LLAMA_8B QUANTIZED "{\"quant_method\": \"compressed-tensors\", \"format\": \"float-quantized\", "
         "\"config_groups\": {\"group_0\": {\"targets\": [\"Linear\"], \"input_activations\": {}, \"weights\": "
         "{\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\", \"group_size\": null, \"symmetric\": "
         "true}}}, \"ignore\": [\"lm_head\"]}}",
         8.4939 * gib, .01},
        {"vLLM of Qwen3-30B-A3B-Instruct-2507-FP8: Model loading took 29.0972 GiB",
         "{" QWEN3_MOE QUANTIZED "{\"quant_method\": \"fp8\", \"fmt\": \"e4m3\", \"weight_block_size\": [128, 128], "
         "\"modules_to_not_convert\": [\"lm_head\", \"model.layers.0.input_layernorm\", \"model.layers.0.mlp.gate\"]}}",
         29.0972 * gib, .01},
        {"the model card of gpt-oss: a checkpoint of 12.8 GiB",
         "{" GPT_OSS "\"num_hidden_layers\": 24, \"num_local_experts\": 32, \"num_experts_per_tok\": 4" QUANTIZED
         "{\"quant_method\": \"mxfp4\", " IGNORED "}}",
         12.8 * gib, .01},
        {"the model card of gpt-oss: a checkpoint of 60.8 GiB",
         "{" GPT_OSS "\"num_hidden_layers\": 36, \"num_local_experts\": 128, \"num_experts_per_tok\": 4" QUANTIZED
         "{\"quant_method\": \"mxfp4\", " IGNORED "}}",
         60.8 * gib, .01},
        {"DeepSeek-V3: 688.6 GB of safetensors with 14 B of 685 B for multi-token prediction, which no server loads",
         "{\"model_type\": \"deepseek_v3\", \"num_attention_heads\": 128, \"n_routed_experts\": 256, "
         "\"first_k_dense_replace\": 3, \"vocab_size\": 129280, " DEEPSEEK
         "\"quantization_config\": {\"quant_method\": \"fp8\", \"fmt\": \"e4m3\", \"weight_block_size\": [128, 128]}}",
         688.6 * gb * 671 / 685, .01},
        {"Kimi-K2-Instruct: 1,029 GB of safetensors",
         "{\"model_type\": \"kimi_k2\", \"num_attention_heads\": 64, \"n_routed_experts\": 384, "
         "\"first_k_dense_replace\": 1, \"vocab_size\": 163840, " DEEPSEEK
         "\"quantization_config\": {\"quant_method\": \"fp8\", \"fmt\": \"e4m3\", \"weight_block_size\": [128, 128]}}",
         1029 * gb, .01}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(rows[i].source, weights_of(rows[i].model, ""), rows[i].bytes, rows[i].share);
}

/* Files of Llama 3.1 70B and Llama 3 8B made by llama.cpp, with the sizes on their pages. */
static void test_files_of_gguf_have_their_sizes(void **state)
{
    static const struct {
        const char *model, *type;
        double gb;
    } rows[] = {{"llama3_70b", "Q8_0", 74.98},   {"llama3_70b", "Q6_K", 57.89},   {"llama3_70b", "Q5_K_M", 49.95},
                {"llama3_70b", "Q5_K_S", 48.66}, {"llama3_70b", "Q4_K_M", 42.52}, {"llama3_70b", "Q4_K_S", 40.35},
                {"llama3_70b", "Q4_0", 40.12},   {"llama3_70b", "Q3_K_L", 37.14}, {"llama3_70b", "Q3_K_M", 34.27},
                {"llama3_70b", "Q3_K_S", 30.91}, {"llama3_8b", "Q4_K_M", 4.92},   {"llama3_8b", "Q8_0", 8.54},
                {"llama3_8b", "Q4_0", 4.66}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(rows[i].type, weights_of(rows[i].model, rows[i].type), rows[i].gb * gb, .005);
}

/* Blocks of 256 do not divide rows of 896, so other types replace them. */
static void test_types_of_gguf_give_way(void **state)
{
    static const char model[] = "{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 896, "
                                "\"num_attention_heads\": 14, \"intermediate_size\": 4864, \"vocab_size\": 1000}";
    static const double matrices = 3.0 * 896 * 896 + 2.0 * 896 * 4864;
    (void)state;
    /* Q5_0 for Q4_K, Q5_1 for the Q5_K of values, Q8_0 for the Q6_K of the head; ffn_down has whole blocks. */
    const double bytes = 896.0 * 896 * 24 / 32 + (matrices + 896 * 1000) * 22 / 32 + 4864.0 * 896 * 144 / 256 +
                         896.0 * 1000 * 34 / 32 + 3 * 896 * 4;
    assert_near("Q4_K_S", weights_of(model, "Q4_K_S"), bytes, .001);
}

/* Precisions without a file: published checkpoints store some weights in more bits. */
static void test_precisions_count_what_stays_wide(void **state)
{
    (void)state;
    assert_near("int4", weights_of("llama3_70b", "int4"), 37.07 * gib, .01);
    assert_near("int4", weights_of("llama3_8b", "int4"), 5.344 * gib, .01);
    assert_near("fp8", weights_of("llama3_8b", "fp8"), 8.4939 * gib, .01);
    assert_near("mxfp4", weights_of("gpt_oss_20b", "mxfp4"), 12.8 * gib, .01);
}

/* One layer of 7 matrices, some of which a list keeps in 16 bits: the number of weights that stay, without norms. */
static void test_lists_keep_modules_wide(void **state)
{
    static const char form[] =
        "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 1024, \"num_attention_heads\": 8, "
        "\"intermediate_size\": 4096, \"vocab_size\": 1024, \"quantization_config\": {\"quant_method\": \"%s\", "
        "\"weights\": \"int8\", \"config_groups\": {\"a\": {\"targets\": [\"Linear\"], \"weights\": {\"num_bits\": "
        "8}}}, "
        "\"%s\": [%s]}}";
    static const struct {
        const char *method, *list, *names;
        double millions; /* of 1024 x 1024 numbers */
    } rows[] = {
        {"eetq", "modules_to_not_convert", "", 2},
        {"eetq", "modules_to_not_convert", "\"lm_head\"", 2},
        {"eetq", "modules_to_not_convert", "\"self_attn\"", 2 + 8},
        {"eetq", "modules_to_not_convert", "\"model.layers.1\"", 2 + 4 + 12},
        {"eetq", "modules_to_not_convert", "\"model.layers.1.self_attn.q_proj\"", 3},
        {"eetq", "modules_to_not_convert", "\"language_model.model.layers.1.self_attn.q_proj\"", 3},
        {"eetq", "modules_to_not_convert", "\"vision_tower.model.layers.1.self_attn.q_proj\"", 2},
        {"eetq", "modules_to_not_convert", "\"q_pro\", \"elf_attn\", \"model.layers.2\", \"layers.11\", \"\"", 2},
        {"eetq", "modules_to_not_convert", "\"gate\"", 2},
        {"eetq", "modules_to_not_convert", "\"mlp\", \"down_proj\"", 2 + 24},
        {"eetq", "modules_to_not_convert", "\"model.layers.*.self_attn\"", 2 + 8},
        {"eetq", "modules_to_not_convert", "\"*.down_proj*\", \"model.layers.0*\"", 2 + 4 + 12 + 4},
        {"compressed-tensors", "ignore", "", 1},
        {"compressed-tensors", "ignore", "\"lm_head\"", 2},
        {"compressed-tensors", "ignore", "\"lm_head\", \"re:.*self_attn.*\"", 2 + 8},
        {"compressed-tensors", "ignore", "\"lm_head\", \"re:self_attn.*\"", 2},
        {"compressed-tensors", "ignore", "\"re:.*lm_head$\", \"re:.*mlp\\\\.(gate|up)_proj$\"", 2 + 16},
        {"compressed-tensors", "ignore", "\"lm_head\", \"re:.*layers\\\\.1\\\\..*\"", 2 + 4 + 12}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char model[1024];
        (void)snprintf(model, sizeof model, form, rows[i].method, rows[i].list, rows[i].names);
        const double all = 2 + 2 * (4 + 12);
        assert_near(rows[i].names, weights_of(model, ""), 1048576 * (all + rows[i].millions), .005);
    }
}

/* Other methods with their bits, for a model of one matrix. */
static void test_methods_say_their_bits(void **state)
{
    static const struct {
        const char *config;
        double bits;
    } rows[] = {
        {"{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true, \"bnb_4bit_use_double_quant\": true}", 4.127},
        {"{\"load_in_4bit\": true, \"load_in_8bit\": false}", 4.5},
        {"{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": false, \"load_in_8bit\": true}", 8},
        {"{\"quant_method\": \"gptq\", \"bits\": 3, \"group_size\": 64}", 3 + 19. / 64},
        {"{\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": -1}", 8},
        {"{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"exclude_modules\": [\"lm_head\"]}", 4.5},
        {"{\"producer\": {\"name\": \"modelopt\"}, \"quantization\": {\"quant_algo\": \"FP8\"}}", 8},
        {"{\"quant_method\": \"hqq\", \"quant_config\": {\"weight_quant_params\": {\"nbits\": 4, \"group_size\": 64}}}",
         4.5},
        {"{\"quant_method\": \"torchao\", \"quant_type\": {\"default\": {\"_type\": \"Int4WeightOnlyConfig\", "
         "\"_data\": {\"group_size\": 32}}}}",
         5},
        {"{\"quant_method\": \"quanto\", \"weights\": \"int2\"}", 2.25},
        {"{\"quant_method\": \"quark\", \"global_quant_config\": {\"weight\": {\"dtype\": \"fp4\", \"group_size\": "
         "32}}}",
         4.25},
        {"{\"quant_method\": \"exl2\", \"bits\": 4.65, \"head_bits\": 16}", 4.65}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char model[1024];
        (void)snprintf(model, sizeof model,
                       "{\"model_type\": \"llama\", \"num_hidden_layers\": 40, \"hidden_size\": 8192, "
                       "\"num_attention_heads\": 64, \"vocab_size\": 8, \"quantization_config\": %s}",
                       rows[i].config);
        assert_near(rows[i].config, weights_of(model, ""), 40 * 16 * 8192. * 8192 * rows[i].bits / 8, .005);
    }
}

/* Invalid files are refused with a reason. */
static void test_hostile_files_are_refused(void **state)
{
    static const char *const configs[] = {
        "[]",
        "4",
        "\"gptq\"",
        "true",
        "[{\"quant_method\": \"gptq\", \"bits\": 4}]",
        "{\"quant_method\": \"gptq\"}",
        "{\"quant_method\": \"gptq\", \"bits\": \"four\"}",
        "{\"quant_method\": \"gptq\", \"bits\": [4]}",
        "{\"quant_method\": \"gptq\", \"bits\": -4}",
        "{\"quant_method\": \"gptq\", \"bits\": 0}",
        "{\"quant_method\": \"gptq\", \"bits\": 1e300}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": {}}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 1e18}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": -2}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"modules_to_not_convert\": \"lm_head\"}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"modules_to_not_convert\": [null]}",
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"lm_head\": \"yes\"}",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [1e9, 1e9]}",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [128, -128]}",
        "{" COMPRESSED "}",
        "{" COMPRESSED ", \"config_groups\": [1]}",
        "{" COMPRESSED ", \"config_groups\": {\"a\": {\"targets\": \"Linear\", \"weights\": "
        "{\"num_bits\": 4}}}}",
        "{" COMPRESSED ", \"config_groups\": {\"a\": {\"weights\": {\"num_bits\": 99}}}}",
        "{" COMPRESSED ", \"config_groups\": {}, \"ignore\": [\"re:(\"]}",
        "{" COMPRESSED ", \"config_groups\": {}, \"ignore\": [\"re:(.|.)*(.|.)*(.|.)*[0-9]{5}$\"]}"};
    (void)state;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        char model[1024];
        mls_memory_ask ask;
        mls_error error = {0};
        (void)snprintf(model, sizeof model, "{" LLAMA_8B QUANTIZED "%s}", configs[i]);
        mls_memory_ask_init(&ask, models, accelerators);
        if (mls_memory_model_parse(&ask, mls_str_from(model), MLS_S("a file"), &error) != MLS_ERROR_VALUE ||
            error.message[0] == '\0')
            fail_msg("taken: %s", configs[i]);
    }
}

/* Modules with their own number of bits: those with 16 are counted, others cause a warning that they are not. */
static void test_exceptions_are_reported(void **state)
{
    static const char form[] =
        "{" LLAMA_8B QUANTIZED "{\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": -1, %s}}";
    static const struct {
        const char *members;
        double millions; /* millions of weights that stay in 16 bits beside embedding and head */
        bool unsure;
    } rows[] = {{"\"dynamic\": {}", 0, false},
                {"\"dynamic\": {\"-:.*self_attn.*\": {}}", 1342.2, false},
                {"\"dynamic\": {\"+:.*self_attn.*\": {\"bits\": 4}}", 0, true},
                {"\"extra_config\": {\"model.layers.3.mlp.up_proj\": {\"bits\": 16}}", 58.7, false},
                {"\"extra_config\": {\"model.layers.3.mlp.up_proj\": {\"bits\": 2}}", 0, true},
                {"\"extra_config\": {\"model.layers.3.mlp.up_proj\": null}", 0, true},
                {"\"sparsity_config\": {\"format\": \"sparse-24-bitmask\"}", 0, true},
                {"\"sparsity_config\": {\"format\": \"dense\"}", 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char model[1024];
        mls_memory_ask ask;
        (void)snprintf(model, sizeof model, form, rows[i].members);
        mls_memory_ask_init(&ask, models, accelerators);
        assert_int_equal(mls_memory_model_parse(&ask, mls_str_from(model), MLS_S("a file"), NULL), MLS_OK);
        assert_int_equal(ask.unsure, rows[i].unsure);
        assert_near(rows[i].members, weights_of(model, ""), 9.084e9 + rows[i].millions * 1e6, .001);
    }
}

/* An unknown method counts 16 bits, with a warning instead of "fits". */
static void test_unknown_methods_are_named(void **state)
{
    static const char *const methods[] = {"aqlm", "vptq", "spqr", "modelopt"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char model[1024];
        mls_memory_ask ask;
        (void)snprintf(model, sizeof model, "{" LLAMA_8B QUANTIZED "{\"quant_method\": \"%s\"}}", methods[i]);
        mls_memory_ask_init(&ask, models, accelerators);
        assert_int_equal(mls_memory_model_parse(&ask, mls_str_from(model), MLS_S("a file"), NULL), MLS_OK);
        assert_true(ask.unsure);
        assert_non_null(strstr(ask.doubt, methods[i]));
        assert_near(methods[i], weights_of(model, ""), 16.06e9, .001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoints_have_their_sizes), cmocka_unit_test(test_files_of_gguf_have_their_sizes),
        cmocka_unit_test(test_types_of_gguf_give_way),       cmocka_unit_test(test_precisions_count_what_stays_wide),
        cmocka_unit_test(test_lists_keep_modules_wide),      cmocka_unit_test(test_methods_say_their_bits),
        cmocka_unit_test(test_hostile_files_are_refused),    cmocka_unit_test(test_exceptions_are_reported),
        cmocka_unit_test(test_unknown_methods_are_named)};
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
