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
#include <string.h>

#include "model_tables.h"

/* A model's name or JSON, and options such as "tp=8 fp8=". */
static mls_memory_ask ask_for(const char *model, const char *options)
{
    mls_memory_ask ask;
    mls_memory_ask_init(&ask, models, accelerators);
    if (model[0] == '{')
        assert_int_equal(mls_memory_model_parse(&ask, mls_str_from(model), MLS_S("a file"), NULL), MLS_OK);
    else
        assert_int_equal(mls_memory_set(&ask, MLS_MEMORY_MODEL, model, NULL), MLS_OK);
    mls_str left = mls_str_from(options);
    for (mls_str word = mls_str_word(&left); word.len > 0; word = mls_str_word(&left)) {
        const char *sign = memchr(word.ptr, '=', word.len);
        const size_t name = (size_t)(sign - word.ptr);
        char value[64] = "";
        bool known = false;
        memcpy(value, sign + 1, word.len - name - 1);
        for (size_t i = 0; i < MLS_MEMORY_SETTING_COUNT; i++) {
            const mls_str option = mls_str_from(mls_memory_settings[i].name);
            if (mls_str_equal(option, (mls_str){word.ptr, name}))
                known = mls_memory_set(&ask, (mls_memory_setting)i, value, NULL) == MLS_OK;
        }
        assert_true(known);
    }
    return ask;
}

static mls_memory_estimate estimate_for(const char *model, const char *options)
{
    const mls_memory_ask ask = ask_for(model, options);
    mls_memory_estimate estimate;
    mls_error error = {0};
    if (mls_memory_estimate_make(&ask, &estimate, &error) != MLS_OK)
        fail_msg("%s", error.message);
    return estimate;
}

/* ------------------------------------------------------------------- models */

/* config.json of the models as published by Hugging Face, without irrelevant members. */
static const char gpt2[] =
    "{\"model_type\": \"gpt2\", \"n_layer\": 12, \"n_embd\": 768, \"n_head\": 12, \"vocab_size\": "
    "50257, \"n_positions\": 1024}";
static const char opt125m[] = "{\"model_type\": \"opt\", \"num_hidden_layers\": 12, \"hidden_size\": 768, \"ffn_dim\": "
                              "3072, \"num_attention_heads\": 12, \"max_position_embeddings\": 2048, \"vocab_size\": "
                              "50272}";
static const char qwen3_30b[] =
    "{\"model_type\": \"qwen3_moe\", \"num_hidden_layers\": 48, \"hidden_size\": 2048, \"intermediate_size\": 6144, "
    "\"moe_intermediate_size\": 768, \"num_attention_heads\": 32, \"num_key_value_heads\": 4, \"head_dim\": 128, "
    "\"num_experts\": 128, \"num_experts_per_tok\": 8, \"vocab_size\": 151936, \"tie_word_embeddings\": false}";
static const char qwen3_1b7[] =
    "{\"model_type\": \"qwen3\", \"num_hidden_layers\": 28, \"hidden_size\": 2048, \"intermediate_size\": 6144, "
    "\"num_attention_heads\": 16, \"num_key_value_heads\": 8, \"head_dim\": 128, \"vocab_size\": 151936, "
    "\"tie_word_embeddings\": true}";
static const char deepseek_v3[] =
    "{\"model_type\": \"deepseek_v3\", \"num_hidden_layers\": 61, \"hidden_size\": 7168, \"intermediate_size\": 18432, "
    "\"moe_intermediate_size\": 2048, \"num_attention_heads\": 128, \"num_key_value_heads\": 128, "
    "\"n_routed_experts\": 256, \"n_shared_experts\": 1, \"num_experts_per_tok\": 8, \"first_k_dense_replace\": 3, "
    "\"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
    "\"v_head_dim\": 128, \"vocab_size\": 129280, \"tie_word_embeddings\": false}";

/* The numbers are those of the models' checkpoints: the sum of the elements of their tensors. */
static void test_parameters_are_those_of_the_checkpoints(void **state)
{
    const struct {
        const char *model;
        uint64_t parameters;
    } rows[] = {{"llama3_70b", 70553706496},  {"llama31_405b", 405853388800},
                {"llama31_8b", 8030261248},   {"mixtral_8x7b", 46702792704},
                {"gpt_oss_20b", 20914757184}, {deepseek_v3, 671026419200},
                {qwen3_30b, 30532122624},     {gpt2, 124439808},
                {opt125m, 125239296}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(estimate_for(rows[i].model, "").parameters, rows[i].parameters);
}

/* The model card of Llama 4 Scout: 109B parameters, about 218 GB in FP16. */
static void test_llama4_scout(void **state)
{
    (void)state;
    const mls_memory_estimate scout = estimate_for("llama4_scout", "precision=fp16");
    assert_int_equal((scout.parameters + 5000000) / 10000000, 10864);
    assert_int_equal(scout.items[MLS_MEMORY_ITEM_WEIGHTS] / 100000000, 2172);
}

/* ---------------------------------------------------------------- inference */

/* NVIDIA on the GH200: Llama 3 70B in FP16 needs 140 GB for weights, and 40 GB of KV cache for a user with 128k
 * tokens. */
static void test_llama3_70b_on_a_gh200(void **state)
{
    (void)state;
    const mls_memory_estimate one = estimate_for("llama3_70b", "precision=fp16 context=128k gpu=GH200");
    assert_int_equal(one.items[MLS_MEMORY_ITEM_WEIGHTS], 141107412992);
    assert_int_equal(one.items[MLS_MEMORY_ITEM_KV_CACHE], UINT64_C(40) << 30);
    assert_int_equal(one.kv_per_token, 327680);
    assert_int_equal(one.estimate, 186809062400);
    assert_int_equal(one.verdict, MLS_MEMORY_DOES_NOT_FIT);
    assert_int_equal(one.spill, 84803589120);
    assert_true(one.read_ms == 188.452);
    const mls_memory_estimate two = estimate_for("llama3_70b", "precision=fp16 context=128k users=2 gpu=GH200");
    assert_int_equal(two.items[MLS_MEMORY_ITEM_KV_CACHE], UINT64_C(80) << 30);
    const mls_memory_estimate wide = estimate_for("llama3_70b", "precision=fp16 context=128k gpu=GH200 tp=2");
    assert_int_equal(wide.estimate, 94075619840);
    assert_int_equal(wide.verdict, MLS_MEMORY_FITS);
    assert_int_equal(estimate_for("llama3_70b", "precision=fp16 context=128k gpu=GH200 offload=").verdict,
                     MLS_MEMORY_FITS_WITH_HOST);
}

/* "GPU KV cache size" of these models in vLLM's start messages: 262,144 tokens in 24.0 GiB, 175,856 in 18.78 GiB. */
static void test_kv_cache_of_vllm(void **state)
{
    (void)state;
    assert_int_equal(estimate_for(qwen3_30b, "context=262144").items[MLS_MEMORY_ITEM_KV_CACHE], UINT64_C(24) << 30);
    const double gib = (double)estimate_for(qwen3_1b7, "context=175856").items[MLS_MEMORY_ITEM_KV_CACHE] / 1073741824.0;
    assert_true(fabs(gib - 18.78) < 0.005);
}

static void test_block_formats_count_their_scales(void **state)
{
    const struct {
        const char *options;
        uint64_t n, q;
    } rows[] = {{"precision=fp32", 4, 1},    {"precision=bf16", 2, 1},    {"precision=int8", 1, 1},
                {"precision=mxfp8", 33, 32}, {"precision=nvfp4", 9, 16},  {"precision=mxfp4", 17, 32},
                {"precision=int4", 1, 2},    {"precision=fp4 tp=2", 1, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t bytes = UINT64_C(8030261248) * rows[i].n;
        assert_int_equal(estimate_for("llama31_8b", rows[i].options).items[MLS_MEMORY_ITEM_WEIGHTS],
                         bytes / rows[i].q + (bytes % rows[i].q != 0));
    }
}

/* Half of the layers of gpt-oss attend to the last 128 tokens: OpenAI 2025, arXiv:2508.10925. */
static void test_layers_with_a_window_keep_no_more(void **state)
{
    (void)state;
    const mls_memory_estimate of = estimate_for("gpt_oss_20b", "context=131072 gpu=H200");
    assert_int_equal(of.items[MLS_MEMORY_ITEM_KV_CACHE], 2 * 8 * 64 * 2 * UINT64_C(12) * (131072 + 128));
    assert_int_equal(of.max_tokens, -1);
}

/* DeepSeek-AI 2024, arXiv:2412.19437: each layer stores one vector of 512 + 64 numbers per token, for any tp. */
static void test_latent_attention_keeps_one_vector(void **state)
{
    (void)state;
    assert_int_equal(estimate_for(deepseek_v3, "context=1000").kv_per_token, 61 * 576 * 2);
    assert_int_equal(estimate_for(deepseek_v3, "context=1000 tp=8").items[MLS_MEMORY_ITEM_KV_CACHE], 61 * 576 * 2000);
}

/* ----------------------------------------------------------------- training */

/* GPT with 24 heads of 64: a is 24, h is 1536. */
static const char gpt_layers[] = "{\"layers\": %d, \"hidden\": 1536, \"heads\": 24, \"vocabulary\": 51200, "
                                 "\"ffn_matrices\": 2, \"sequence\": 2048}";

/* The difference made by one more layer. */
static uint64_t layer_of_gpt(const char *options)
{
    char one[200];
    char two[200];
    (void)snprintf(one, sizeof one, gpt_layers, 1);
    (void)snprintf(two, sizeof two, gpt_layers, 2);
    return estimate_for(two, options).items[MLS_MEMORY_ITEM_ACTIVATIONS] -
           estimate_for(one, options).items[MLS_MEMORY_ITEM_ACTIVATIONS];
}

/* Korthikanti et al. 2022, arXiv:2205.05198: equations 1, 2 and 4, table 2 and section 5. */
static void test_activations_of_a_layer_are_those_of_the_paper(void **state)
{
    (void)state;
    const uint64_t s = 2048;
    const uint64_t b = 4;
    const uint64_t h = 1536;
    const uint64_t a = 24;
    const uint64_t t = 8;
    assert_int_equal(layer_of_gpt("train= attention=unfused micro-batch=4"), s * b * (34 * h + 5 * a * s));
    assert_int_equal(layer_of_gpt("train= attention=unfused micro-batch=4 tp=8 no-sequence-parallel="),
                     s * b * (10 * h + 24 * h / t + 5 * a * s / t));
    assert_int_equal(layer_of_gpt("train= attention=unfused micro-batch=4 tp=8"), s * b * (34 * h + 5 * a * s) / t);
    assert_int_equal(layer_of_gpt("train= attention=unfused micro-batch=4 tp=8 recompute=selective"),
                     s * b * 34 * h / t);
    assert_int_equal(layer_of_gpt("train= attention=unfused micro-batch=4 recompute=full"), 2 * s * b * h);
}

/* The same, section 4.2.3: with interleaving, the first stage stores p + (p - 1) / v micro-batches. */
static void test_micro_batches_in_flight(void **state)
{
    (void)state;
    assert_int_equal(estimate_for("gpt3", "train= tp=8 pp=8 accumulation=64").in_flight, 8);
    assert_int_equal(estimate_for("gpt3", "train= tp=8 pp=8 accumulation=3").in_flight, 3);
    assert_int_equal(estimate_for("gpt3", "train= tp=8 pp=8 vp=12 accumulation=64").in_flight, 8 * 12 + 7);
}

/* Llama 3.1 405B on 512 H100, computed by hand. */
static void test_llama31_405b_on_512_gpus(void **state)
{
    const struct {
        mls_memory_item item;
        uint64_t bytes;
    } items[] = {{MLS_MEMORY_ITEM_WEIGHTS, 6376390656},   {MLS_MEMORY_ITEM_GRADIENTS, 12751732736},
                 {MLS_MEMORY_ITEM_OPTIMIZER, 9563799552}, {MLS_MEMORY_ITEM_ACTIVATIONS, 31870943232},
                 {MLS_MEMORY_ITEM_WORKING, 432013312},    {MLS_MEMORY_ITEM_RUNTIME, 1073741824},
                 {MLS_MEMORY_ITEM_RECOMPUTE, 0},          {MLS_MEMORY_ITEM_STEP, 0}};
    (void)state;
    const mls_memory_estimate of =
        estimate_for("llama31_405b", "train= gpus=512 tp=8 pp=8 cp=2 vp=8 accumulation=288 fp8= fp8-params= "
                                     "grad-precision=bf16 embed-slot= loss-slot= gpu=H100");
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        assert_int_equal(of.items[items[i].item], items[i].bytes);
    assert_int_equal(of.estimate, 62068621312);
    assert_int_equal(of.low, 57811271680);
    assert_int_equal(of.high, 74543451340);
    assert_int_equal(of.stage, 1);
    assert_int_equal(of.layers, 16);
    assert_int_equal(of.in_flight, 69);
    assert_int_equal(of.global_batch, 1152);
    assert_int_equal(of.verdict, MLS_MEMORY_FITS);
}

/* The same on a quarter of the GPUs: no single change is enough, but two are. */
static void test_two_changes_where_one_is_not_enough(void **state)
{
    (void)state;
    const mls_memory_ask ask =
        ask_for("llama31_405b", "train= gpus=128 tp=4 pp=8 vp=8 accumulation=288 fp8= fp8-params= grad-precision=bf16 "
                                "embed-slot= loss-slot= gpu=H100");
    mls_memory_answer answer;
    assert_int_equal(mls_memory_answer_make(&ask, &answer, NULL), MLS_OK);
    assert_int_equal(answer.estimate.estimate / 1000000000, 206);
    for (size_t i = 0; i < answer.tried_count; i++)
        assert_true(answer.tried[i].verdict != MLS_MEMORY_FITS);
    assert_true(answer.has_smallest);
    assert_int_equal(answer.smallest.estimate, 64413499392);
    const struct {
        mls_memory_setting setting;
        int64_t value;
    } made[] = {{MLS_MEMORY_TP, 8},        {MLS_MEMORY_ACCUMULATION, 576},
                {MLS_MEMORY_GPUS, 128},    {MLS_MEMORY_SEQUENCE_PARALLEL, 1},
                {MLS_MEMORY_RECOMPUTE, 2}, {MLS_MEMORY_RECOMPUTE_LAYERS, MLS_MEMORY_NOT_SET}};
    assert_int_equal(answer.smallest.count, sizeof made / sizeof *made);
    for (size_t i = 0; i < answer.smallest.count; i++) {
        assert_int_equal(answer.smallest.values[i].setting, made[i].setting);
        assert_int_equal(answer.smallest.values[i].value, made[i].value);
    }
}

/* The reference of llama2_70b_lora trains 65,536,000 adapter weights (rank 16 of q, k, v, o), with 4 bytes of
 * gradient each. */
static void test_adapters_of_lora(void **state)
{
    (void)state;
    assert_int_equal(estimate_for("llama2_70b_lora", "train= lora=16:q,k,v,o").items[MLS_MEMORY_ITEM_GRADIENTS],
                     4 * UINT64_C(65536000));
}

/* Measured on an H200 with torch 2.11: eight layers of 1,024, one sequence of 1,024 tokens, Adam. */
static void test_what_torch_was_measured_to_take(void **state)
{
    static const char model[] = "{\"layers\": 8, \"hidden\": 1024, \"heads\": 16, \"ffn\": 4096, \"ffn_matrices\": 2, "
                                "\"vocabulary\": 32000, \"biases\": \"none\", \"norm_vectors\": 1, \"dropout\": false}";
    const struct {
        const char *precision;
        double peak, activations;
    } rows[] = {{"precision=bf16", 1731382272, 271130624},
                {"precision=amp", 3339547648, 607199232},
                {"precision=fp32", 3339547648, 541655040}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char options[200];
        (void)snprintf(options, sizeof options, "train= framework=torch sequence=1024 zero=0 step-copy= %s",
                       rows[i].precision);
        const mls_memory_estimate of = estimate_for(model, options);
        assert_true(fabs((double)of.items[MLS_MEMORY_ITEM_ACTIVATIONS] / rows[i].activations - 1) < 0.001);
        assert_true(fabs((double)of.allocated / rows[i].peak - 1) < 0.1);
    }
}

/* Peaks of allocated memory, in bytes, measured on H100 and H200 GPUs with PyTorch 2.11 and classes of transformers
 * 5.17.  mlscore-memory(1) names the largest errors. */
static void test_what_ddp_and_fsdp_were_measured_to_take(void **state)
{
    static const char llama_1b[] =
        "{\"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 8192, \"num_hidden_layers\": 16, "
        "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"vocab_size\": 128256, \"tie_word_embeddings\": "
        "true}";
    static const char llama_4b[] =
        "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336, \"num_hidden_layers\": 16, "
        "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"vocab_size\": 128256, \"tie_word_embeddings\": "
        "false}";
    static const char qwen3_4b[] =
        "{\"model_type\": \"qwen3\", \"hidden_size\": 2560, \"intermediate_size\": 9728, \"num_hidden_layers\": 36, "
        "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"head_dim\": 128, \"vocab_size\": 151936, "
        "\"tie_word_embeddings\": true}";
    static const char mixtral[] =
        "{\"model_type\": \"mixtral\", \"hidden_size\": 2048, \"intermediate_size\": 4096, \"num_hidden_layers\": 12, "
        "\"num_attention_heads\": 16, \"num_key_value_heads\": 8, \"vocab_size\": 32000, \"num_local_experts\": 8, "
        "\"num_experts_per_tok\": 2, \"tie_word_embeddings\": false}";
    static const struct {
        const char *model, *options;
        double peak;
    } rows[] = {
        {llama_4b, "fsdp=full_shard precision=mixed gpus=2 sequence=4096 micro-batch=1 recompute=full", 41644355072},
        {llama_4b, "fsdp=full_shard precision=mixed gpus=2 sequence=4096 micro-batch=1", 49450249728},
        {mixtral, "fsdp=full_shard precision=mixed gpus=2 sequence=8192 micro-batch=1", 32738053632},
        {qwen3_4b, "fsdp=full_shard precision=mixed gpus=2 sequence=4096 micro-batch=1", 57962495488},
        {qwen3_4b, "fsdp=full_shard precision=mixed gpus=8 sequence=8192 micro-batch=1 recompute=full", 23728403456},
        {llama_4b, "fsdp=full_shard precision=mixed gpus=8 sequence=8192 micro-batch=1", 48620791296},
        {llama_1b, "fsdp=full_shard precision=mixed gpus=2 sequence=4096 micro-batch=1 recompute=full accumulation=2",
         17245588480},
        {qwen3_4b, "fsdp=full_shard precision=mixed gpus=16 sequence=2048 micro-batch=1", 20415884800},
        {mixtral, "fsdp=full_shard precision=mixed gpus=8 sequence=2048 micro-batch=1 recompute=full", 7916339712},
        {llama_4b, "fsdp=shard_grad_op precision=mixed gpus=2 sequence=4096 micro-batch=1 recompute=full", 43368246784},
        {mixtral, "fsdp=shard_grad_op precision=mixed gpus=2 sequence=8192 micro-batch=1 recompute=full", 25348384256},
        {llama_1b, "fsdp=shard_grad_op precision=mixed gpus=2 sequence=512 micro-batch=1 recompute=full accumulation=2",
         13261706240},
        {llama_4b, "fsdp=full_shard precision=bf16 gpus=2 sequence=4096 micro-batch=1 recompute=full", 23205576192},
        {mixtral, "fsdp=full_shard precision=bf16 gpus=2 sequence=8192 micro-batch=1 recompute=full", 13529326592},
        {llama_1b, "fsdp=full_shard precision=bf16 gpus=4 sequence=4096 micro-batch=1", 16063917056},
        {llama_4b, "fsdp=full_shard precision=bf16 gpus=2 sequence=4096 micro-batch=1", 35828843008},
        {llama_1b, "fsdp=full_shard precision=bf16 gpus=2 sequence=2048 micro-batch=4", 31409453056},
        {qwen3_4b, "fsdp=full_shard precision=bf16 gpus=4 sequence=1024 micro-batch=1", 15377560576},
        {llama_1b, "fsdp=no_shard precision=amp gpus=2 sequence=8192 micro-batch=1 recompute=full", 34219502592},
        {llama_1b, "fsdp=no_shard precision=amp gpus=2 sequence=2048 micro-batch=4", 52017982464},
        {mixtral, "fsdp=no_shard precision=amp gpus=2 sequence=8192 micro-batch=1", 69158972928},
        {mixtral, "fsdp=no_shard precision=amp gpus=2 sequence=4096 micro-batch=1", 56415677952},
        {llama_1b, "fsdp=no_shard precision=amp gpus=2 sequence=4096 micro-batch=1 recompute=full accumulation=2",
         33164856832},
        {llama_1b,
         "fsdp=no_shard precision=amp gpus=2 sequence=4096 micro-batch=1 accumulation=2 bucket-view=", 37166427136},
        {llama_1b, "fsdp=no_shard precision=amp gpus=2 sequence=1024 micro-batch=1", 26025402368},
        {mixtral, "fsdp=no_shard precision=amp gpus=2 sequence=8192 micro-batch=1 recompute=full", 55532818432},
    };
    static const struct {
        const char *options;
        double worst;
    } kinds[] = {{"fsdp=no_shard precision=amp", 0.002},
                 {"fsdp=full_shard precision=mixed", 0.006},
                 {"fsdp=full_shard precision=bf16", 0.009},
                 {"fsdp=shard_grad_op precision=mixed", 0.001}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t count = 0;
        size_t small = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char options[200];
            if (strncmp(rows[i].options, kinds[k].options, strlen(kinds[k].options)) != 0)
                continue;
            (void)snprintf(options, sizeof options, "train= framework=torch %s", rows[i].options);
            const mls_memory_estimate of = estimate_for(rows[i].model, options);
            const double error = fabs((double)of.allocated / rows[i].peak - 1);
            uint64_t sum = 0;
            for (size_t item = 0; item < MLS_MEMORY_ITEM_COUNT; item++)
                sum += of.items[item];
            assert_int_equal(sum, of.estimate);
            assert_true((double)of.low <= rows[i].peak && rows[i].peak <= (double)of.high);
            assert_true(error < kinds[k].worst + 0.0005);
            small += error < 0.0015;
            count++;
        }
        assert_true(2 * small > count); /* the median is at most 0.1 % */
    }
}

/* A published log of vLLM, eager, on an RTX A5000: 43,296 tokens of cache. */
static void test_a_cache_that_vllm_logged(void **state)
{
    (void)state;
    const mls_memory_estimate of =
        estimate_for("llama31_8b", "capacity=23.68GiB gpu-memory-utilization=0.9 prefill=2048 context=2048");
    assert_in_range(of.cache_blocks * MLS_MEMORY_BLOCK_TOKENS, 43296 * 95 / 100, 43296 * 105 / 100);
}

/* Chunks of equal size give the same as a virtual pipeline; others have their own layers, in flight too. */
static void test_a_pipeline_may_be_laid_out_by_chunks(void **state)
{
    (void)state;
    const char *const even = "train= pp=4 accumulation=8 vp=2";
    const char *const laid_out = "train= pp=4 accumulation=8 pipeline-layout=Et*4|(t*4|)*6t*4L";
    const mls_memory_estimate a = estimate_for("llama31_8b", even);
    const mls_memory_estimate b = estimate_for("llama31_8b", laid_out);
    assert_memory_equal(a.items, b.items, sizeof a.items);
    assert_true(a.estimate == b.estimate && a.low == b.low && a.high == b.high && a.in_flight == b.in_flight);
    const mls_memory_estimate uneven = estimate_for("llama31_8b", "train= pp=2 pipeline-layout=Et*4|t*28L");
    assert_true(uneven.stage == 1 && uneven.layers == 28);
    const mls_memory_estimate plain =
        estimate_for("deepseekv3_671b", "train= pp=2 ep=8 gpus=16 accumulation=16 pipeline-layout=E|(t*4|)*14t*5L");
    const mls_memory_estimate predicts =
        estimate_for("deepseekv3_671b", "train= pp=2 ep=8 gpus=16 accumulation=16 pipeline-layout=E|(t*4|)*14t*5mL");
    assert_true(predicts.stage == 1 && predicts.layers == plain.layers + 1);
    assert_int_equal(predicts.items[MLS_MEMORY_ITEM_LOGITS], 2 * plain.items[MLS_MEMORY_ITEM_LOGITS]);
}

static void test_what_is_shared_by_data_parallel_gpus(void **state)
{
    (void)state;
    const mls_memory_estimate all = estimate_for("llama31_8b", "train= zero=0 gpus=8");
    const mls_memory_estimate one = estimate_for("llama31_8b", "train= zero=1 gpus=8");
    const mls_memory_estimate two = estimate_for("llama31_8b", "train= zero=2 gpus=8");
    const mls_memory_estimate three = estimate_for("llama31_8b", "train= zero=3 gpus=8");
    const uint64_t parameters = 8030261248;
    assert_int_equal(all.items[MLS_MEMORY_ITEM_OPTIMIZER], 12 * parameters);
    assert_int_equal(one.items[MLS_MEMORY_ITEM_OPTIMIZER], 12 * parameters / 8);
    assert_int_equal(one.items[MLS_MEMORY_ITEM_GRADIENTS], 4 * parameters);
    assert_int_equal(two.items[MLS_MEMORY_ITEM_GRADIENTS], 4 * parameters / 8);
    assert_int_equal(two.items[MLS_MEMORY_ITEM_WEIGHTS], 2 * parameters);
    assert_int_equal(three.items[MLS_MEMORY_ITEM_WEIGHTS], 2 * parameters / 8);
}

/* Sizes beyond any GPU give an error, not a small number. */
static void test_sizes_that_overflow_are_refused(void **state)
{
    static const char model[] = "{\"layers\": 100000, \"hidden\": 100000000, \"heads\": 100, \"vocabulary\": 100, "
                                "\"experts\": 100000000, \"sequence\": 1000000000000}";
    const char *const options[] = {"", "train=", "train= micro-batch=1000000000000 accumulation=1000000000000",
                                   "context=1000000000000 users=1000000000000"};
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const mls_memory_ask ask = ask_for(model, options[i]);
        mls_memory_estimate estimate;
        mls_error error = {0};
        assert_int_equal(mls_memory_estimate_make(&ask, &estimate, &error), MLS_ERROR_VALUE);
        assert_string_equal(error.message, "these sizes add up to more than 9 PB on one GPU");
    }
}

/* ------------------------------------------------------------------ messages */

static mls_oom_search *search_in(const char *text)
{
    mls_oom_search *search;
    const mls_sink sink = {.lines = mls_oom_search_lines};
    mls_sink one = sink;
    assert_int_equal(mls_oom_search_new(&search, NULL), MLS_OK);
    one.state = search;
    mls_oom_search_begin(search, "a log");
    assert_int_equal(mls_log_scan_bytes(mls_str_from(text), &one, 1, NULL, NULL), MLS_OK);
    mls_oom_search_end(search);
    return search;
}

/* Find the first of the messages in a text. It is valid until the search is released. */
static const mls_oom *expect_found(const char *text, size_t expected, mls_oom_search **search)
{
    size_t count = 0;
    size_t dropped;
    *search = search_in(text);
    const mls_oom *oom = mls_oom_search_items(*search, &count, &dropped);
    assert_int_equal(count, expected);
    return oom;
}

/* Printed by PyTorch on a GH200 while it loads 141 GB of weights. */
static void test_a_message_of_a_gh200(void **state)
{
    size_t count = 0;
    size_t dropped;
    (void)state;
    mls_oom_search *search = search_in(
        "OutOfMemoryError: CUDA out of memory. Tried to allocate 896.00 MiB. GPU 0 has a total capacity of 95.00 GiB "
        "of "
        "which 524.06 MiB is free. Including non-PyTorch memory, this process has 86.45 GiB memory in use. Of the "
        "allocated memory 85.92 GiB is allocated by PyTorch, and 448.00 KiB is reserved by PyTorch but unallocated.\n");
    const mls_oom *oom = mls_oom_search_items(search, &count, &dropped);
    assert_int_equal(count, 1);
    assert_int_equal(dropped, 0);
    const double gib = 1073741824.0;
    assert_true(fabs((double)(oom->in_use - oom->allocated) / gib - 0.53) < 0.005);
    assert_true(fabs((double)oom->other / gib - 8.04) < 0.005);
    assert_int_equal(oom->advice, 1U << MLS_OOM_OTHER_PROCESS);
    assert_int_equal(oom->line, 1);
    mls_oom_search_free(search);
}

static void test_lines_are_counted_as_the_log_has_them(void **state)
{
    size_t count = 0;
    size_t dropped;
    (void)state;
    mls_oom_search *search = search_in("one\r\ntwo\rthree\n4: CUDA error: out of memory and CUDA_ERROR_OUT_OF_MEMORY\n"
                                       "five\r\room_kill event\rCUBLAS_STATUS_ALLOC_FAILED");
    const mls_oom *ooms = mls_oom_search_items(search, &count, &dropped);
    const struct {
        size_t line;
        const char *wording;
        int64_t rank;
    } rows[] = {{4, "cuda", 4}, {7, "slurm-oom", -1}, {8, "cublas", -1}};
    assert_int_equal(count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ooms[i].line, rows[i].line);
        assert_string_equal(ooms[i].wording, rows[i].wording);
        assert_int_equal(ooms[i].rank, rows[i].rank);
    }
    mls_oom_search_free(search);
}

/* Messages that are wrapped between words, inside a word, or over several lines. Lines of other ranks and other
 * messages do not continue them. */
static void test_messages_that_go_on(void **state)
{
    const struct {
        const char *text, *wording;
        size_t count;
        int64_t tried, free;
    } rows[] = {
        {"CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total \ncapacity; 7.00 GiB already\n"
         "allocated; 512 bytes free; 7.50 GiB reserved in total by PyTorch)\n",
         "pytorch-reserved", 1, 1 << 30, 512},
        {"CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.\n00 GiB total ca\npacity; 7.00 GiB already "
         "allocated; "
         "512 bytes free; 7.50 GiB reserved in total by PyTor\nch)\n",
         "pytorch-reserved", 1, 1 << 30, 512},
        {"Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 1.00 GiB\n"
         "Requested               : 2.00 KiB\nDevice limit            : 8.00 GiB\nFree (according to CUDA): 0 bytes\n",
         "pytorch-async", 1, 2048, 0},
        {"[rank0]: CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total\n"
         "[rank1]: capacity; 7.00 GiB already allocated; 512 bytes free; 7.50 GiB reserved in total by PyTorch)\n",
         "cuda-out-of-memory", 1, 1 << 30, -1},
        {"NCCL WARN Cuda failure 'out of memory'\nNCCL WARN Failed to CUDA calloc 4096 bytes\n", "nccl", 1, 4096, -1},
        {"CUDA error: out of memory\nslurmstepd: error: Detected 1 oom_kill event in StepId=1.0\n", "cuda", 2, -1, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_oom_search *search;
        const mls_oom *oom = expect_found(rows[i].text, rows[i].count, &search);
        assert_string_equal(oom->wording, rows[i].wording);
        assert_int_equal(oom->tried, rows[i].tried);
        assert_int_equal(oom->free, rows[i].free);
        mls_oom_search_free(search);
    }
}

/* A message that only a signature knows counts if no other message of its class has more information; a report that
 * a process died does not. */
static void test_signatures_without_a_wording(void **state)
{
    const struct {
        const char *text, *wording;
        size_t count;
    } rows[] = {
        {"MemoryError\nMemoryError\n", "python-memory-error", 2},
        {"srun: error: node1: task 0: Out Of Memory\n", "srun-out-of-memory", 1},
        {"srun: error: node1: task 0: Out Of Memory\nDetected 1 oom_kill event in StepId=1.0\n", "slurm-oom", 1},
        {"exited with exit code 137\nsrun: error: node1: task 0: Killed\n", NULL, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_oom_search *search;
        const mls_oom *oom = expect_found(rows[i].text, rows[i].count, &search);
        if (rows[i].count > 0) {
            assert_string_equal(oom->wording, rows[i].wording);
            assert_int_equal(oom->advice, 1U << MLS_OOM_HOST_MEMORY);
        }
        mls_oom_search_free(search);
    }
}

/* In a container, process numbers do not tell which process this is: it is the one that holds what PyTorch reserved. */
static void test_processes_of_others(void **state)
{
    size_t count = 0;
    size_t dropped;
    (void)state;
    mls_oom_search *search = search_in(
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 40.00 GiB of which 1.00 GiB is "
        "free. Process 34 has 30.00 GiB memory in use. Process 12 has 9.00 GiB memory in use. Of the allocated memory "
        "29.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.\n");
    const mls_oom *oom = mls_oom_search_items(search, &count, &dropped);
    assert_int_equal(count, 1);
    assert_int_equal(oom->in_use, INT64_C(30) << 30);
    assert_int_equal(oom->other, INT64_C(9) << 30);
    assert_int_equal(oom->advice, 1U << MLS_OOM_OTHER_PROCESS);
    mls_oom_search_free(search);
}

static void test_what_is_no_size_is_not_known(void **state)
{
    const char *const texts[] = {
        "OOM when allocating tensor with shape[99999999999,99999999999] and type float on device:GPU:0",
        "OOM when allocating tensor with shape[1,-2] and type float on a device:GPU:0 by x",
        "OOM when allocating tensor with shape[1,2] and type string on a device:GPU:0 by x",
        "Attempting to allocate 1.2.3G. That was not possible. There are 1G free",
        "Attempting to allocate 99999999999999T. That was not possible. There are 1G free",
        "Attempting to allocate 5 apples. That was not possible. There are 1G free"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t count = 0;
        size_t dropped;
        mls_oom_search *search = search_in(texts[i]);
        const mls_oom *oom = mls_oom_search_items(search, &count, &dropped);
        assert_true(count == 0 || oom->tried == -1);
        mls_oom_search_free(search);
    }
}

static void test_sizes_of_options(void **state)
{
    const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } rows[] = {{"80GB", 80000000000},
                {"79.1GiB", 84932978278},
                {"79.1 GiB", 84932978278},
                {"102005473280", 102005473280},
                {"1KiB", 1024},
                {"5B", 5},
                {"80 gigabytes", 0},
                {"GB", 0},
                {"-1", 0},
                {"1e9", 0},
                {"", 0},
                {"99999TiB", 0},
                {"18446744073709551616", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mls_memory_ask ask;
        mls_memory_ask_init(&ask, models, accelerators);
        const mls_status status = mls_memory_set(&ask, MLS_MEMORY_RUNTIME, rows[i].text, NULL);
        assert_int_equal(status, rows[i].bytes != 0 ? MLS_OK : MLS_ERROR_VALUE);
        assert_true(rows[i].bytes == 0 || mls_memory_value(&ask, MLS_MEMORY_RUNTIME) == rows[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_are_those_of_the_checkpoints),
        cmocka_unit_test(test_llama4_scout),
        cmocka_unit_test(test_llama3_70b_on_a_gh200),
        cmocka_unit_test(test_kv_cache_of_vllm),
        cmocka_unit_test(test_block_formats_count_their_scales),
        cmocka_unit_test(test_layers_with_a_window_keep_no_more),
        cmocka_unit_test(test_latent_attention_keeps_one_vector),
        cmocka_unit_test(test_activations_of_a_layer_are_those_of_the_paper),
        cmocka_unit_test(test_micro_batches_in_flight),
        cmocka_unit_test(test_llama31_405b_on_512_gpus),
        cmocka_unit_test(test_two_changes_where_one_is_not_enough),
        cmocka_unit_test(test_adapters_of_lora),
        cmocka_unit_test(test_what_torch_was_measured_to_take),
        cmocka_unit_test(test_what_ddp_and_fsdp_were_measured_to_take),
        cmocka_unit_test(test_a_cache_that_vllm_logged),
        cmocka_unit_test(test_a_pipeline_may_be_laid_out_by_chunks),
        cmocka_unit_test(test_what_is_shared_by_data_parallel_gpus),
        cmocka_unit_test(test_sizes_that_overflow_are_refused),
        cmocka_unit_test(test_a_message_of_a_gh200),
        cmocka_unit_test(test_lines_are_counted_as_the_log_has_them),
        cmocka_unit_test(test_messages_that_go_on),
        cmocka_unit_test(test_signatures_without_a_wording),
        cmocka_unit_test(test_processes_of_others),
        cmocka_unit_test(test_what_is_no_size_is_not_known),
        cmocka_unit_test(test_sizes_of_options),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
