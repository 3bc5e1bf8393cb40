/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <math.h>

#include "base/pattern.h"
#include "explain/models.h"
#include "rules/edition.h"
#include "score/accelerators.h"
#include "json/json_row.h"

typedef struct tables {
    mls_models *models;
    mls_accelerators *accelerators;
} tables;

static int setup(void **state)
{
    static tables loaded;
    *state = &loaded;
    return mls_models_load(&loaded.models, NULL) != MLS_OK ||
           mls_accelerators_load(&loaded.accelerators, NULL) != MLS_OK;
}

static int teardown(void **state)
{
    tables *loaded = *state;
    mls_models_free(loaded->models);
    mls_accelerators_free(loaded->accelerators);
    return 0;
}

static void test_models_are_found_by_key_and_by_name(void **state)
{
    const tables *of = *state;
    const mls_model *model = mls_models_of_benchmark(of->models, MLS_S("llama31_405b"));
    assert_non_null(model);
    assert_string_equal(model->name, "Llama 3.1 405B");
    assert_int_equal(model->shape.layers, 126);
    assert_int_equal(model->shape.vocabulary_checkpoint, 128256);
    assert_ptr_equal(mls_models_find(of->models, MLS_S("llama 3.1-405b")), model);
    assert_ptr_equal(mls_models_find(of->models, MLS_S("LLAMA31405B")), model);
    assert_null(mls_models_find(of->models, MLS_S("llama")));
    assert_null(mls_models_find(of->models, MLS_S("")));
    assert_null(mls_models_of_benchmark(of->models, MLS_S("Llama 3.1 405B")));
}

static void test_what_is_not_known_is_said_to_be(void **state)
{
    const tables *of = *state;
    const mls_model *bert = mls_models_of_benchmark(of->models, MLS_S("bert"));
    assert_true(isnan(bert->flops_per_sample) && isnan(bert->tokens_per_sample) && isnan(bert->training_set));
    assert_true(bert->flops_per_sample_at_most == 1005022347264.0);
    assert_int_equal(bert->epoch_num_is, MLS_EPOCH_IS_SAMPLES);
    assert_int_equal(mls_models_of_benchmark(of->models, MLS_S("gpt3"))->epoch_num_is, MLS_EPOCH_IS_TOKENS);
    assert_true(mls_models_of_benchmark(of->models, MLS_S("dlrm"))->epoch_num_may_start_at_1);
    const mls_model *resnet = mls_models_of_benchmark(of->models, MLS_S("resnet"));
    assert_int_equal(resnet->shape.layers, 0);
}

/* SSD was trained on COCO up to round 1.1, and on OpenImages under the same name afterwards. */
static void test_a_training_set_may_depend_on_the_edition(void **state)
{
    const tables *of = *state;
    const mls_model *ssd = mls_models_of_benchmark(of->models, MLS_S("ssd"));
    assert_true(isnan(mls_model_training_set(ssd, 0)));
    assert_true(mls_model_training_set(ssd, MLS_EDITION_NUMBER(1, 1, 0)) == 117266.0);
    assert_true(mls_model_training_set(ssd, MLS_EDITION_NUMBER(2, 0, 0)) == 1170301.0);
    assert_true(mls_model_training_set(mls_models_of_benchmark(of->models, MLS_S("resnet")), 0) == 1281167.0);
}

static void test_flops_follow_from_the_architecture(void **state)
{
    const tables *of = *state;
    const char *const keys[] = {"llama31_405b", "llama31_8b", "gpt3"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const mls_model *model = mls_models_of_benchmark(of->models, mls_str_from(keys[i]));
        const double attention = 12.0 * (double)(model->shape.layers * model->shape.heads * model->shape.head_dim) *
                                 (double)model->shape.sequence;
        assert_true(model->flops_per_sample == model->flops_per_token * model->tokens_per_sample);
        assert_true(model->flops_per_sample - model->flops_per_sample_causal ==
                    attention / 2 * model->tokens_per_sample);
    }
}

/* 6 per weight, 6 x heads x (192 + 128) x sequence per layer; 6 x 12 hidden^2 per token and block beside its
 * attention. The parameters of the U-Net, added up by layer, equal those of its checkpoint. */
static void test_flops_of_other_architectures(void **state)
{
    const tables *of = *state;
    const mls_model *deepseek = mls_models_of_benchmark(of->models, MLS_S("deepseekv3_671b"));
    const double matrices = 6.0 * 36624596992;
    const double attention = 6.0 * 61 * 128 * (192 + 128) * 4096;
    assert_true(deepseek->flops_per_sample == (matrices + attention) * 4096);
    assert_true(deepseek->flops_per_sample_causal == (matrices + attention / 2) * 4096);
    const mls_model *flux = mls_models_of_benchmark(of->models, MLS_S("flux1"));
    const double hidden = 3072;
    const double blocks = 57 * (12 * hidden * hidden * 512 + 2.0 * 512 * 512 * hidden);
    assert_true(isnan(flux->flops_per_sample));
    assert_true(flux->flops_per_sample_derived > 6 * blocks && flux->flops_per_sample_derived < 6 * blocks * 1.003);
    assert_true(mls_models_of_benchmark(of->models, MLS_S("stable_diffusion"))->flops_per_sample_derived ==
                6.0 * 402128732160);
}

static void test_descriptions_name_accelerators(void **state)
{
    const struct {
        const char *model_name, *system_name, *name; /* name NULL: no match */
    } rows[] = {
        {"NVIDIA H100-SXM5-80GB", "", "H100 SXM"},
        {"NVIDIA H100 80GB HBM3", "", "H100 SXM"},
        {"NVIDIA H100 NVL", "", "H100 NVL"},
        {"nvidia h100-pcie-80gb", "", "H100 PCIe"},
        {"NVIDIA H200 NVL", "", "H200 NVL"},
        {"NVIDIA GB200", "", "GB200"},
        {"NVIDIA Blackwell GPU (GB300)", "", "GB300"},
        {"NVIDIA A100-SXM4-40GB", "", "A100 SXM 40GB"},
        {"NVIDIA A100-PCIe-80GB", "", "A100 PCIe 80GB"},
        {"AMD Instinct MI300X", "", "MI300X"},
        {"Habana Gaudi2", "", "Gaudi 2"},
        {"TPU-v4", "", "TPU v4"},
        {"TPU", "tpu-v4-4096", "TPU v4"},
        {"Bow IPU", "", "IPU Bow"},
        {"N/A", "", NULL},
        {"", "", NULL},
    };
    const tables *of = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_accelerator *found;
        assert_int_equal(mls_accelerators_match(of->accelerators, mls_str_from(rows[i].model_name),
                                                mls_str_from(rows[i].system_name), &found),
                         MLS_OK);
        assert_true((found == NULL) == (rows[i].name == NULL));
        if (found != NULL)
            assert_string_equal(found->name, rows[i].name);
    }
}

static void test_every_pattern_is_an_expression(void **state)
{
    const tables *of = *state;
    for (size_t i = 0; i < of->accelerators->count; i++) {
        const mls_accelerator *one = &of->accelerators->items[i];
        mls_pattern pattern;
        assert_non_null(one->pattern);
        assert_int_equal(mls_pattern_compile(&pattern, MLS_PATTERN_OWN, mls_str_from(one->pattern)), MLS_OK);
        mls_pattern_release(&pattern);
    }
}

static void test_peaks_are_by_precision(void **state)
{
    const tables *of = *state;
    const mls_accelerator *h100 = mls_accelerators_find(of->accelerators, MLS_S("h100-sxm"));
    mls_precision precision;
    assert_true(mls_precision_from_name(MLS_S("fp8"), &precision));
    assert_int_equal(precision, MLS_PRECISION_FP8);
    assert_false(mls_precision_from_name(MLS_S("fp7"), &precision));
    assert_true(h100->peak[MLS_PRECISION_FP8] == 1979.0 && h100->peak[MLS_PRECISION_BF16] == 989.5);
    assert_true(isnan(h100->peak[MLS_PRECISION_FP4]));
}

static const mls_gpu *gpu_called(const tables *of, const char *name)
{
    const mls_gpu *found;
    assert_int_equal(mls_accelerators_find_gpu(of->accelerators, mls_str_from(name), &found), MLS_OK);
    return found;
}

/* Names as users type them, nvidia-smi prints them and cloud providers sell them. */
static void test_gpus_are_found_as_people_name_them(void **state)
{
    static const struct {
        const char *said, *name; /* name NULL: no match */
    } rows[] = {
        {"RTX 4090", "RTX 4090"},
        {"rtx4090", "RTX 4090"},
        {"4090", "RTX 4090"},
        {"NVIDIA GeForce RTX 4090", "RTX 4090"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL},
        {"RTX 4090 48GB", NULL},
        {"GeForce RTX 5090", "RTX 5090"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000"},
        {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000"},
        {"rtx pro 6000", "RTX PRO 6000"},
        {"NVIDIA RTX A6000", "RTX A6000"},
        {"NVIDIA RTX 6000 Ada Generation", NULL},
        {"a100", "A100 80GB"},
        {"NVIDIA A100", "A100 80GB"},
        {"NVIDIA A100-SXM4-80GB", "A100 80GB"},
        {"NVIDIA A100-SXM4-40GB", "A100 40GB"},
        {"NVIDIA A100-PCIE-40GB", "A100 40GB"},
        {"NVIDIA A100 80GB PCIe", "A100 80GB"},
        {"A100 40 GB", "A100 40GB"},
        {"A100-SXM-64GB", NULL},
        {"NVIDIA A100 80GB PCIe MIG 1g.10gb", NULL},
        {"GRID A100-10C", NULL},
        {"NVIDIA A10", "A10"},
        {"A10G", "A10G"},
        {"NVIDIA A10G", "A10G"},
        {"A10-4Q", NULL},
        {"NVIDIA L4", "L4"},
        {"l40s", "L40S"},
        {"NVIDIA L40S", "L40S"},
        {"L40", NULL},
        {"Tesla T4", "T4"},
        {"T4G", NULL},
        {"Tesla V100-SXM2-16GB", "V100 16GB"},
        {"Tesla V100-SXM2-32GB", "V100 32GB"},
        {"V100 32GB", "V100 32GB"},
        {"V100", "V100 16GB"},
        {"NVIDIA H100 80GB HBM3", "H100"},
        {"NVIDIA H100 NVL", "H100 NVL"},
        {"H100 96GB", NULL},
        {"NVIDIA H200", "H200"},
        {"NVIDIA H200 NVL", "H200"},
        {"NVIDIA H20", "H20"},
        {"H20-3e", "H20 141GB"},
        {"NVIDIA H20 141GB", "H20 141GB"},
        {"H800 PCIe", "H800"},
        {"NVIDIA A800-SXM4-80GB", "A800"},
        {"NVIDIA A800 40GB Active", NULL},
        {"NVIDIA GH200 480GB", "GH200"},
        {"GH200 144G HBM3e", "GH200 144GB"},
        {"NVIDIA B200", "B200"},
        {"NVIDIA GB200", "GB200"},
        {"NVIDIA B300 SXM6 AC", "B300"},
        {"GB300", "GB300"},
        {"NVIDIA GB10", "GB10"},
        {"GB100", NULL},
        {"AMD Instinct MI308X", "MI308X"},
        {"AMD Instinct MI300X OAM", "MI300X"},
        {"MI250X", "MI250X"},
        {"MI250", NULL},
        {"Gaudi3", "Gaudi 3"},
        {"HL-325L", "Gaudi 3"},
        {"Intel Gaudi 2", "Gaudi 2"},
        {"HL-225H", "Gaudi 2"},
        {"HL-205", NULL},
        {"TPU v5p", "TPU v5p"},
        {"Google Cloud TPU v6e", "TPU v6e"},
        {"tpu-v5e", NULL},
        {"H9000", NULL},
        {"NVIDIA", NULL},
        {"80GB", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const mls_gpu *found = gpu_called(*state, rows[i].said);
        if (found == NULL || rows[i].name == NULL)
            assert_true(found == NULL && rows[i].name == NULL);
        else
            assert_string_equal(found->name, rows[i].name);
    }
}

/* 900 GB/s of NVLink-C2C and 128 GB/s of PCIe 5.0 x16 include both directions; NVIDIA writes "7 times". */
static void test_memory_and_links(void **state)
{
    const tables *of = *state;
    const mls_gpu *gh200 = gpu_called(of, "GH200 96GB");
    assert_string_equal(gh200->name, "GH200");
    assert_int_equal(gh200->capacity_bytes, 95 * (UINT64_C(1) << 30));
    assert_int_equal(gh200->host_bytes, 480000000000);
    assert_false(gh200->estimated);
    assert_int_equal(gh200->link->one_way_gb_s, 450);
    const mls_link *pcie = mls_accelerators_find_link(of->accelerators, MLS_S("PCIe5"));
    assert_int_equal(gh200->link->both_ways_gb_s / pcie->both_ways_gb_s, 7);
    for (size_t i = 0; i < of->accelerators->gpu_count; i++) {
        const mls_gpu *gpu = &of->accelerators->gpus[i];
        const double mib = 1048576.0;
        assert_true(gpu->capacity_bytes > 0 && (gpu->link == NULL || gpu->link->one_way_gb_s > 0));
        /* The driver reserves a little memory. */
        assert_true(gpu->reported_mib == 0 || ((double)gpu->capacity_bytes < (double)gpu->reported_mib * mib &&
                                               (double)gpu->capacity_bytes > (double)gpu->reported_mib * mib * 0.94));
    }
}

static void test_a_member_that_is_wrong_is_named(void **state)
{
    static const struct row {
        const char *json, *message;
    } rows[] = {
        {"{\"count\": 1.5}", "count must be a whole number from 0 to 2^53"},
        {"{\"count\": -1}", "count must be a whole number from 0 to 2^53"},
        {"{\"count\": 1e300}", "count must be a whole number from 0 to 2^53"},
        {"{\"count\": \"7\"}", "count must be a whole number from 0 to 2^53"},
        {"{\"way\": \"left\"}", "way must be one of: up down"},
        {"{\"in\": {\"text\": 1}}", "in.text must be a text"},
        {"{\"in\": 5, \"other\": [1], \"count\": null}", ""},
    };
    typedef struct values {
        uint64_t count;
        unsigned way;
        const char *text;
    } values;
    static const mls_row_member members[] = {MLS_MEMBER_OF(values, "count", COUNT, count, NULL),
                                             MLS_MEMBER_OF(values, "way", WORD, way, "up down"),
                                             MLS_MEMBER_OF(values, "in.text", TEXT, text, NULL)};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        values to = {7, 0, NULL};
        mls_error error = {0};
        mls_arena arena = {0};
        cJSON *json = cJSON_Parse(rows[i].json);
        const mls_status status = mls_json_row_read(json, members, 3, &arena, &to, &error);
        assert_int_equal(status, rows[i].message[0] != '\0' ? MLS_ERROR_VALUE : MLS_OK);
        assert_string_equal(error.message, rows[i].message);
        assert_true(status != MLS_OK || to.count == 7);
        cJSON_Delete(json);
        mls_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_are_found_by_key_and_by_name),
        cmocka_unit_test(test_what_is_not_known_is_said_to_be),
        cmocka_unit_test(test_a_training_set_may_depend_on_the_edition),
        cmocka_unit_test(test_flops_follow_from_the_architecture),
        cmocka_unit_test(test_flops_of_other_architectures),
        cmocka_unit_test(test_descriptions_name_accelerators),
        cmocka_unit_test(test_every_pattern_is_an_expression),
        cmocka_unit_test(test_peaks_are_by_precision),
        cmocka_unit_test(test_gpus_are_found_as_people_name_them),
        cmocka_unit_test(test_memory_and_links),
        cmocka_unit_test(test_a_member_that_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
