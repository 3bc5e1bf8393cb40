/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "config/config.h"

static mls_config_name decode(const char *text)
{
    return mls_config_name_decode(mls_str_from(text));
}

static void append_number(mls_buffer *row, uint64_t number)
{
    if (number != 0)
        mls_buffer_printf(row, "%" PRIu64, number);
    mls_buffer_append_char(row, ',');
}

/* Format a decoded name like a row of the table of facts. */
static char *as_row(const mls_config_name *decoded)
{
    mls_buffer row = {0};
    mls_buffer_append_text(&row, "config_");
    mls_buffer_append(&row, decoded->name);
    mls_buffer_append_text(&row, ".sh,");
    mls_buffer_append(&row, decoded->system);
    mls_buffer_append_char(&row, ',');
    append_number(&row, decoded->nodes);
    append_number(&row, decoded->gpus_per_node);
    append_number(&row, decoded->gpus);
    append_number(&row, decoded->third);
    for (size_t i = 0; i < decoded->extra_count; i++)
        mls_buffer_printf(&row, "%s%" PRIu64, i > 0 ? " " : "", decoded->extra[i]);
    mls_buffer_append_char(&row, ',');
    append_number(&row, decoded->tensor_parallel);
    append_number(&row, decoded->pipeline_parallel);
    append_number(&row, decoded->context_parallel);
    append_number(&row, decoded->data_parallel);
    append_number(&row, decoded->global_batch_size);
    for (size_t i = 0; i < decoded->suffix_count; i++) {
        mls_buffer_append_text(&row, i > 0 ? " " : "");
        mls_buffer_append(&row, decoded->suffixes[i]);
    }
    char *text = mls_buffer_detach(&row);
    assert_non_null(text);
    return text;
}

static void assert_decodes(const char *text, const char *expected)
{
    const mls_config_name decoded = decode(text);
    char *row = as_row(&decoded);
    assert_string_equal(row, expected);
    free(row);
}

static void test_every_published_name(void **state)
{
    (void)state;
    FILE *file = fopen("../shared/facts/config_names.csv", "rb");
    if (file == NULL)
        skip();
    char line[1024];
    assert_non_null(fgets(line, sizeof line, file));
    size_t rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        char name[sizeof line];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(line, ","), line);
        assert_decodes(name, line);
        rows++;
    }
    (void)fclose(file);
    assert_true(rows > 400);
}

static void test_worked_names(void **state)
{
    (void)state;
    assert_decodes("GB200_18x4x1xtp1pp1cp8", "config_GB200_18x4x1xtp1pp1cp8.sh,GB200,18,4,72,1,,1,1,8,9,9,");
    assert_decodes("config_GB200_128x4x112xtp4pp8cp2_cg_dplast.sh",
                   "config_GB200_128x4x112xtp4pp8cp2_cg_dplast.sh,GB200,128,4,512,112,,4,8,2,8,896,cg dplast");
    const mls_config_name decoded = decode("GB200_18x4x1xtp1pp1cp8");
    assert_int_equal(decoded.batch_per_rank, 1);
    assert_int_equal(decoded.batch_per_gpu, 0);
    assert_null(decoded.problem);
}

static void test_names_paths_and_dgxsystem_values_are_one(void **state)
{
    (void)state;
    const char *const same[] = {"config_DGXH100_001x08x032.sh",
                                "DGXH100_001x08x032",
                                "DGXH100_001x08x032.sh",
                                "./config_DGXH100_001x08x032.sh",
                                "/a_1x2/config_b/config_DGXH100_001x08x032.sh",
                                "config_DGXH100_001x08x032"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_decodes(same[i], "config_DGXH100_001x08x032.sh,DGXH100,1,8,8,32,,,,,,,");
    assert_int_equal(decode("DGXH100_001x08x032").batch_per_gpu, 32);
    assert_int_equal(decode("DGXH100_001x08x032").batch_per_rank, 0);
}

static void test_systems_may_look_like_shapes(void **state)
{
    (void)state;
    assert_decodes("config_2xXE9680Lx8B200-SXM-180GB_002x08x016.sh",
                   "config_2xXE9680Lx8B200-SXM-180GB_002x08x016.sh,2xXE9680Lx8B200-SXM-180GB,2,8,16,16,,,,,,,");
    assert_decodes("C885A_H200_1x2_4x8x16", "config_C885A_H200_1x2_4x8x16.sh,C885A_H200_1x2,4,8,32,16,,,,,,,");
    assert_decodes("2x8", "config_2x8.sh,,2,8,16,,,,,,,,");
}

static void test_other_degrees(void **state)
{
    (void)state;
    const mls_config_name decoded = decode("config_X_16x8x4xtp4pp2cp1ep8vp3dp16sp5.sh");
    assert_int_equal(decoded.expert_parallel, 8);
    assert_int_equal(decoded.virtual_pipeline, 3);
    assert_int_equal(decoded.sequence_parallel, 5);
    assert_int_equal(decoded.data_parallel_named, 16);
    assert_int_equal(decoded.data_parallel, 16);
    assert_null(decoded.problem);
    assert_int_equal(decode("X_16x8x4xtp4xpp2").data_parallel, 16);
    assert_int_equal(decode("X_16x8xtp4").global_batch_size, 0);
    assert_int_equal(decode("X_16x8xtp4").data_parallel, 32);
    /* Expert parallelism does not reduce the number of data-parallel ranks. */
    assert_int_equal(decode("X_16x8x4xep8").batch_per_rank, 4);
    assert_int_equal(decode("X_16x8x4xep8").data_parallel, 128);
    assert_int_equal(decode("X_16x8x4xep8").global_batch_size, 512);
}

static void test_degrees_after_the_shape(void **state)
{
    (void)state;
    mls_config_name decoded = decode("config_MI355X_2x8x1_tp2pp1ep1_gbs64.sh");
    assert_int_equal(decoded.tensor_parallel, 2);
    assert_int_equal(decoded.data_parallel, 8);
    assert_int_equal(decoded.batch_per_rank | decoded.batch_per_gpu, 0);
    assert_int_equal(decoded.global_batch_size, 64);
    assert_int_equal(decoded.suffix_count, 1);
    assert_int_equal(decoded.global_batch_named, 64);
    assert_int_equal(decode("MI355X_2x8x1_gbs64").batch_per_gpu, 0);
    decoded = decode("MI355X_2x8x1_tp2_pp1_ep4_gbs64_mxfp4");
    assert_true(decoded.tensor_parallel == 2 && decoded.pipeline_parallel == 1 && decoded.expert_parallel == 4);
    assert_int_equal(decoded.suffix_count, 2);
    decoded = decode("GB300_16x4x8xtp1pp4cp1ep16etp2vpp8_mxfp8_full_cg");
    assert_true(decoded.expert_parallel == 16 && decoded.virtual_pipeline == 8 && decoded.expert_tensor_parallel == 2);
    assert_true(decoded.batch_per_rank == 8 && decoded.global_batch_size == 128 && decoded.suffix_count == 3);
    decoded = decode("gh200_n2_tp4pp1cp1_cg");
    assert_int_equal(decoded.kind, MLS_CONFIG_KIND_NODES);
    assert_int_equal(decoded.nodes, 2);
    assert_int_equal(decoded.gpus, 0);
    assert_int_equal(decoded.tensor_parallel, 4);
    assert_true(mls_str_equal(decoded.system, MLS_S("gh200")));
    assert_int_equal(decoded.suffix_count, 1);
    /* A part that only begins with degrees does not count, and n2 needs degrees. */
    assert_int_equal(decode("X_2x8x1_tp2x3").batch_per_gpu, 1);
    assert_int_equal(decode("X_2x8x1_tp2x3").tensor_parallel, 0);
    assert_int_equal(decode("X_n2_fast").kind, MLS_CONFIG_KIND_NONE);
    assert_int_equal(decode("X_2x8x1_gbs0").kind, MLS_CONFIG_KIND_NONE);
}

static void test_other_families(void **state)
{
    (void)state;
    mls_config_name decoded = decode("config_16xXE8545x4A100-SXM-80GB.sh");
    assert_int_equal(decoded.kind, MLS_CONFIG_KIND_MODEL);
    assert_decodes("config_16xXE8545x4A100-SXM-80GB_pack.sh",
                   "config_16xXE8545x4A100-SXM-80GB_pack.sh,16xXE8545x4A100-SXM-80GB,16,4,64,,,,,,,,pack");
    decoded = decode("config_DGXA100_multi_32nodes.sh");
    assert_int_equal(decoded.kind, MLS_CONFIG_KIND_NODES);
    assert_decodes("config_DGXA100_multi_32nodes.sh", "config_DGXA100_multi_32nodes.sh,DGXA100_multi,32,,,,,,,,,,");
    assert_int_equal(decode("config_DGXH100_common.sh").kind, MLS_CONFIG_KIND_NONE);
    assert_decodes("config_DGXH100_common.sh", "config_DGXH100_common.sh,DGXH100,,,,,,,,,,,common");
    assert_decodes("config_common.sh", "config_common.sh,,,,,,,,,,,,common");
    assert_decodes("config_DGXA100_multi.sh", "config_DGXA100_multi.sh,DGXA100_multi,,,,,,,,,,,");
    assert_decodes("uncommon", "config_uncommon.sh,uncommon,,,,,,,,,,,");
    assert_decodes("", "config_.sh,,,,,,,,,,,,");
}

static void test_numbers_that_make_no_sense(void **state)
{
    (void)state;
    const struct {
        const char *name;
        const char *problem;
        mls_config_kind kind;
    } cases[] = {
        {"X_0x8x4", "a number of the name is 0", MLS_CONFIG_KIND_NONE},
        {"X_8x00", "a number of the name is 0", MLS_CONFIG_KIND_NONE},
        {"X_8x8x0", "a number of the name is 0", MLS_CONFIG_KIND_NONE},
        {"X_8x8x1xtp0", "a number of the name is 0", MLS_CONFIG_KIND_NONE},
        {"X_8x8x1xtp1tp2", "the name contains a degree of parallelism twice", MLS_CONFIG_KIND_NONE},
        {"X_18446744073709551616x1", "a number of the name is too large", MLS_CONFIG_KIND_NONE},
        {"X_4294967296x4294967296", "a number of the name is too large", MLS_CONFIG_KIND_NONE},
        {"X_8x8x1xtp4294967296pp4294967296", "a number of the name is too large", MLS_CONFIG_KIND_NONE},
        {"X_4294967296x1x4294967296xtp1", "a number of the name is too large", MLS_CONFIG_KIND_NONE},
        {"X_8x8x1x1x2x3x4x5x6x7x8", NULL, MLS_CONFIG_KIND_SHAPE},
        {"X_8x8x1x1x2x3x4x5x6x7x8x9", "the shape has too many numbers", MLS_CONFIG_KIND_NONE},
        {"X_0nodes", "a number of the name is 0", MLS_CONFIG_KIND_NONE},
        {"X_9x8x1xtp5", "tp*pp*cp does not divide the number of GPUs", MLS_CONFIG_KIND_SHAPE},
        {"X_1x8x1xtp1ep3", "ep does not divide the data-parallel ranks times cp", MLS_CONFIG_KIND_SHAPE},
        {"X_9x8x1xtp2dp37", "dp is not the number of GPUs divided by tp*pp*cp", MLS_CONFIG_KIND_SHAPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mls_config_name decoded = decode(cases[i].name);
        assert_int_equal(decoded.problem == NULL, cases[i].problem == NULL);
        assert_string_equal(decoded.problem != NULL ? decoded.problem : "",
                            cases[i].problem != NULL ? cases[i].problem : "");
        assert_int_equal(decoded.kind, cases[i].kind);
        assert_true(mls_str_equal(decoded.system, MLS_S("X")));
        assert_int_equal(decoded.gpus == 0, decoded.kind == MLS_CONFIG_KIND_NONE);
    }
    assert_int_equal(decode("X_9x8x1xtp5").data_parallel, 0);
    assert_int_equal(decode("X_9x8x1xtp5").gpus, 72);
}

static void test_long_and_hostile_names(void **state)
{
    (void)state;
    mls_buffer text = {0};
    while (text.len < MLS_CONFIG_NAME_LENGTH_MAX - 8)
        mls_buffer_append_text(&text, "_1x1?");
    assert_int_equal(decode(text.ptr).kind, MLS_CONFIG_KIND_NONE);
    mls_buffer_append_repeated(&text, 'x', 16);
    assert_string_equal(decode(text.ptr).problem, "the name is too long");
    mls_buffer_release(&text);

    const mls_config_name decoded = decode("X_1x2_a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p_q_r");
    assert_int_equal(decoded.suffix_count, MLS_CONFIG_SUFFIX_MAX);
    assert_true(mls_str_equal(decoded.suffixes[MLS_CONFIG_SUFFIX_MAX - 1], MLS_S("p_q_r")));
    assert_int_equal(decode("X_1x2__a_").suffix_count, 1);

    assert_int_equal(mls_config_name_decode((mls_str){"A\0B_2x8\0x", 9}).kind, MLS_CONFIG_KIND_NONE);
    assert_int_equal(mls_config_name_decode((mls_str){NULL, 0}).kind, MLS_CONFIG_KIND_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_published_name),
        cmocka_unit_test(test_worked_names),
        cmocka_unit_test(test_names_paths_and_dgxsystem_values_are_one),
        cmocka_unit_test(test_systems_may_look_like_shapes),
        cmocka_unit_test(test_other_degrees),
        cmocka_unit_test(test_degrees_after_the_shape),
        cmocka_unit_test(test_other_families),
        cmocka_unit_test(test_numbers_that_make_no_sense),
        cmocka_unit_test(test_long_and_hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
