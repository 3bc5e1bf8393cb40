/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a system: numbers in texts, and the model that a name stands for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "score/group.h"

static void models_are_known_from_names(void **state)
{
    static const struct {
        const char *text, *model;
    } rows[] = {
        {"NVIDIA Blackwell GPU (GB200)", "GB200"},
        {"NVIDIA Blackwell GPU (B200-SXM-180GB)", "B200"},
        {"AMD Instinct MI300X 192GB HBM3", "MI300X"},
        {"NVIDIA A100-SXM4-80GB (400W)", "A100"},
        {"nvidia a10g", "A10G"},
        {"Nvidia Tesla V100S-PCIe-32GB", "V100S"},
        {"DGXH100", "H100"},
        {"HGXB200_common", "B200"},
        {"Intel(R) Gaudi(R) 2 AI Accelerator", "GAUDI2"},
        {"Intel Gaudi2", "GAUDI2"},
        {"Habana Gaudi", "HABANAGAUDI"},
        {"Habana Gaudi HL-205", "HABANAGAUDIHL205"},
        {"NVIDIA GeForce RTX 4090", "NVIDIAGEFORCERTX4090"},
        {"HBM3 DDR5 PCIe4 SXM4", "HBM3DDR5PCIE4SXM4"},
        {"TPU-v5p", "V5P"},
        {"XE9680x8H100-SXM-80GB", "XE9680X8H100SXM80GB"},
        {"N/A", ""},
        {"none", ""},
        {" - ", ""},
        {"", ""},
        {"\xff\x1b[2J", "2J"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(mls_accelerator_model_of(mls_str_from(rows[i].text)).text, rows[i].model);
    char longest[1000];
    memset(longest, 'x', sizeof longest);
    assert_int_equal(strlen(mls_accelerator_model_of((mls_str){longest, sizeof longest}).text), MLS_MODEL_BYTES - 1);
}

static void the_first_number_counts(void **state)
{
    (void)state;
    assert_true(mls_first_number("8") == 8);
    assert_true(mls_first_number("about 16 (2 x 8)") == 16);
    assert_true(mls_first_number("-4") == 4);
    assert_true(isnan(mls_first_number("none")));
    char digits[400];
    memset(digits, '9', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    assert_true(isnan(mls_first_number(digits))); /* too large for a double */
    assert_true(isnan(mls_first_number("")));
    assert_true(isnan(mls_first_number(NULL)));
}

/* Check a group of one run with the given facts in log, description and config. */
static void expect(const char *described, const char *logged, const char *config, double accelerators,
                   const char *model)
{
    mls_run run;
    mls_run_init(&run);
    const mls_run *runs[] = {&run};
    mls_group group = {.runs = runs, .run_count = 1, .nodes = NAN, .accelerators = NAN, .config = config};
    run.job.system = (char *)(uintptr_t)logged;
    mls_group_describe(&group, (mls_str){0}, mls_str_from(described));
    assert_true(group.accelerators == accelerators || (isnan(accelerators) && isnan(group.accelerators)));
    if (model == NULL)
        assert_null(group.accelerator);
    else
        assert_string_equal(group.accelerator, model);
    group.runs = NULL;
    mls_group_release(&group);
}

#define SYSTEM(nodes, accelerators, model)                                                                             \
    "{\"number_of_nodes\": " nodes ", \"accelerators_per_node\": " accelerators                                        \
    ", \"accelerator_model_name\": \"" model "\"}"

static void a_group_is_described_by_the_best_source(void **state)
{
    (void)state;
    expect(SYSTEM("\"2\"", "\"8 (in two trays)\"", "H100"), SYSTEM("1", "4", "B200"), "GB200_18x4x1", 16, "H100");
    expect(SYSTEM("2", "8.0", ""), SYSTEM("1", "4", "B200"), "GB200_18x4x1", 16, "B200");
    expect("{\"number_of_nodes\": 2}", SYSTEM("1", "4", "B200"), "GB200_18x4x1", 4, "B200");
    expect(NULL, SYSTEM("1", "\"\"", "N/A"), "GB200_18x4x1", 72, "GB200");
    expect("not JSON", "{", "DGXH100_2x8x1", 16, "H100");
    /* A machine without accelerators has none, whatever its config is called. */
    expect(SYSTEM("16", "0", "N/A"), NULL, "GB200_18x4x1", NAN, NULL);
    expect(NULL, NULL, "DGXH100_common", NAN, "H100");
    expect(NULL, NULL, NULL, NAN, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_described_by_the_best_source),
        cmocka_unit_test(models_are_known_from_names),
        cmocka_unit_test(the_first_number_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
