/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "shell_text.h"

/* Return the findings about a name and a text, with OMP_NUM_THREADS set so that it is not reported. */
static mls_config_summary compare(const char *name, const char *text, mls_findings *findings, mls_shell **script)
{
    const mls_config_name decoded = mls_config_name_decode(mls_str_from(name));
    mls_config_summary summary;
    *script = NULL;
    if (text != NULL)
        *script = shell_text_read(name, mls_str_from(text));
    mls_config_compare(&decoded, *script, &summary, findings);
    return summary;
}

/* Check that there is exactly one finding, with this code, message and line; message NULL: none at all. */
static void assert_found(const char *name, const char *text, mls_finding_code code, size_t line, const char *message)
{
    mls_findings findings = {0};
    mls_shell *script;
    (void)compare(name, text, &findings, &script);
    if (message == NULL) {
        if (findings.count > 0)
            fail_msg("%s, %s: '%s'", name, text, findings.items[0].message);
    } else {
        if (findings.count != 1 || strcmp(findings.items[0].message, message) != 0) {
            fail_msg("%s, %s: %zu findings, '%s'", name, text, findings.count,
                     findings.count > 0 ? findings.items[0].message : "");
        }
        assert_int_equal(findings.items[0].code, code);
        assert_int_equal(findings.items[0].line, line);
    }
    mls_findings_release(&findings);
    mls_shell_free(script);
}

static void test_names_and_texts_that_disagree(void **state)
{
    (void)state;
    const struct {
        const char *name;
        const char *text;
        size_t line;
        const char *message;
    } cases[] = {
        {"X_2x4x1xtp1pp1cp1", "export DGXNNODES=2\n\nexport TP=2\n", 3, "name says tp1, text exports TP=2"},
        {"X_2x4x1xtp1pp1cp1", "TP=1\nTENSOR_MODEL_PARALLEL=2\n", 2,
         "name says tp1, text exports TENSOR_MODEL_PARALLEL=2"},
        {"X_2x4x1xtp1", "\nPP=2\n", 2, "name says no pp, which counts as 1, text exports PP=2"},
        {"X_2x4x1xtp4", "DGXNNODES=2", 0, "name says tp4, text does not set TP or TENSOR_MODEL_PARALLEL"},
        {"X_2x4", "DGXNNODES=3", 1, "name says 2 nodes, text exports DGXNNODES=3"},
        {"X_1x4", "DGXNNODES=two", 1, "name says 1 node, text exports DGXNNODES=two"},
        {"X_1x4", "DGXNGPU=8 OMP_NUM_THREADS=1", 1, "name says 4 GPUs a node, text exports DGXNGPU=8"},
        {"X_multi_32nodes", "DGXNNODES=16", 1, "name says 32 nodes, text exports DGXNNODES=16"},
        {"16xA4x8B", "DGXNNODES=15", 1, "name says 16 nodes, text exports DGXNNODES=15"},
        {"X_1x4x2xtp1", "MINIBS=3", 1, "name says batch 2 per rank, text exports MINIBS=3"},
        {"X_4x8x2xtp1pp1cp1ep1", "EXPERT_PARALLEL=8", 1, "name says ep1, text exports EXPERT_PARALLEL=8"},
        {"X_4x8x2xtp1pp1cp1", "EP=8", 1, "name says no ep, which counts as 1, text exports EP=8"},
        {"X_4x8_tp1pp1ep1", "PRIMUS_EP=8", 1, "name says ep1, text exports PRIMUS_EP=8"},
        {"X_4x8_tp2_pp1", "\nPRIMUS_TENSOR_PARALLEL_SIZE=1", 2,
         "name says tp2, text exports PRIMUS_TENSOR_PARALLEL_SIZE=1"},
        {"X_2x8x1_tp1pp1ep1_gbs64", "PRIMUS_GLOBAL_BATCH_SIZE=32", 1,
         "name says gbs64, text exports PRIMUS_GLOBAL_BATCH_SIZE=32"},
        {"X_2x4x1", "NNODES=4", 1, "name says 2 nodes, text exports NNODES=4"},
        {"X_2x4x1", "GPUS_PER_NODE=8 OMP_NUM_THREADS=1", 1, "name says 4 GPUs a node, text exports GPUS_PER_NODE=8"},
        {"gh200_n2_tp4pp1cp1", "DGXNNODES=4 TP=4", 1, "name says 2 nodes, text exports DGXNNODES=4"},
        {"X_1x4x2", "MINIBS=3", 1, "name says batch 2, text exports MINIBS=3"},
        {"X_1x8x3096", "BATCHSIZE=27648", 1,
         "name says batch 3096 per GPU, text exports BATCHSIZE=27648, 3456 per GPU"},
        {"X_1x8x3096", "BATCHSIZE=7", 1, "name says batch 3096 per GPU, text exports BATCHSIZE=7"},
        {"X_1x4", "DGXSYSTEM=X_1x8", 1, "name says X_1x4, text exports DGXSYSTEM=X_1x8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_found(cases[i].name, cases[i].text, MLS_FINDING_CONFIG_DISAGREES, cases[i].line, cases[i].message);
}

static void test_names_and_texts_that_agree(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"X_18x4x1xtp1pp1cp8", "DGXNNODES=18 DGXNGPU=4 MINIBS=1 CP=8 DGXSYSTEM=X_18x4x1xtp1pp1cp8"},
        {"X_1x4x2xtp1", "MINIBS=2 MICRO_BATCH_SIZE=2"},
        {"X_2x4x1_tp2pp1ep4_gbs64",
         "NNODES=2 GPUS_PER_NODE=4 PRIMUS_TP=2 PRIMUS_PP=1 PRIMUS_EP=4 PRIMUS_GLOBAL_BATCH_SIZE=64"},
        {"X_1x8x32", "BATCHSIZE=32"},
        {"X_1x8x32", "BATCHSIZE=256"},
        {"X_64x8x128x4x8_mbs2", "MINIBS=128 MICRO_BATCH_SIZE=2 TP=4 PP=8"},
        {"X_1x4", "DGXSYSTEM=X"},
        {"X_common", "DGXNNODES=3 TP=2 BATCHSIZE=1 DGXSYSTEM=Y_1x1"},
        /* Unknown values never disagree. */
        {"X_2x4x1xtp4", "eval x; DGXNNODES=$RANDOM"},
        {"X_2x4x1xtp4", "TP=$(nproc) DGXNGPU=$(nproc)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_found(cases[i][0], cases[i][1], MLS_FINDING_CONFIG_DISAGREES, 0, NULL);
}

/* Megatron's own examples of layouts, and invalid ones. */
static void test_layouts_of_pipelines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        uint64_t layers, predictors, first, last; /* layers in total, and in the first and last chunk */
    } known[] = {{"Et*4|(t*4|)*14tmL", 16, 61, 1, 4, 1},
                 {"Et*3|(tt|)*29,m|L", 32, 61, 1, 3, 0},
                 {"Et|(tt|)*30mL", 32, 61, 1, 1, 0},
                 {"EttL", 1, 2, 0, 2, 2},
                 {"E|t|*3t|L", 6, 2, 0, 0, 0},
                 {"E((t|)*2t|)*3L", 10, 9, 0, 1, 0},
                 {"E()*9tL", 1, 1, 0, 1, 1}};
    static const struct {
        const char *text, *wrong;
    } refused[] = {
        {"", "the embedding, E, is missing"},
        {"t*32L", "the embedding, E, is missing"},
        {"tEL", "the embedding, E, must occur once, at the start"},
        {"t|EL", "the embedding, E, must occur once, at the start"},
        {"E*2tL", "the embedding, E, must occur once, at the start"},
        {"Et*32", "the loss, L, is missing"},
        {"EtLt", "nothing follows the loss, L"},
        {"EtL|", "nothing follows the loss, L"},
        {"EtL*2", "the loss, L, must occur once, at the end"},
        {"EmtL", "a layer, t, must not follow a prediction layer, m"},
        {"ExL", "its letters are E, t, m and L"},
        {"E*tL", "a * is not followed by a number from 1 to 10000"},
        {"Et*0L", "a * is not followed by a number from 1 to 10000"},
        {"Et*10001L", "a * is not followed by a number from 1 to 10000"},
        {"E(t)*L", "a * is not followed by a number from 1 to 10000"},
        {"E(tL", "a ( is not closed"},
        {"Et)L", "unmatched )"},
        {"E(((((((((t)))))))))L", "its groups are nested too deeply"},
        {"E((((t)*9999)*9999)*9999)*9999L", "it repeats too much"},
        {"E(t|)*512L", "it has too many stages"},
        {"E|*512tL", "it has too many stages"},
    };
    static mls_pipeline_layout layout;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_null(mls_pipeline_layout_parse(mls_str_from(known[i].text), &layout));
        assert_int_equal(layout.count, known[i].count);
        assert_true(layout.layers == known[i].layers && layout.predictors == known[i].predictors);
        assert_int_equal(layout.chunks[0].layers, known[i].first);
        assert_int_equal(layout.chunks[layout.count - 1].layers, known[i].last);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_string_equal(mls_pipeline_layout_parse(mls_str_from(refused[i].text), &layout), refused[i].wrong);
        assert_int_equal(layout.count, 0);
    }
    assert_found("X_1x4", "PP=2\nPIPELINE_LAYOUT='Et|t|tL'", MLS_FINDING_CONFIG_PARALLEL, 2,
                 "PIPELINE_LAYOUT has 3 chunks, which 2 pipeline stages do not divide");
    assert_found("X_1x4", "PP=2 INTERLEAVED_PIPELINE=4\nPIPELINE_LAYOUT='Et|t|t|tL'", MLS_FINDING_CONFIG_PARALLEL, 2,
                 "PIPELINE_LAYOUT has 2 chunks for each of 2 stages, the virtual pipeline 4");
    assert_found("X_1x4", "PIPELINE_LAYOUT='Et*'", MLS_FINDING_CONFIG_PARALLEL, 1,
                 "PIPELINE_LAYOUT=Et*: a * is not followed by a number from 1 to 10000");
    assert_found("X_1x4x1xpp2", "DGXNNODES=$(nproc) PP=$(nproc)\nPIPELINE_LAYOUT='Et|t|tL'",
                 MLS_FINDING_CONFIG_PARALLEL, 2, "PIPELINE_LAYOUT has 3 chunks, which 2 pipeline stages do not divide");
    assert_found("X_1x4", "PIPELINE_LAYOUT=null", MLS_FINDING_CONFIG_PARALLEL, 0, NULL);
    assert_found("X_1x4", "PP=2 INTERLEAVED_PIPELINE=2 PIPELINE_LAYOUT='Et|t|t|tL'", MLS_FINDING_CONFIG_PARALLEL, 0,
                 NULL);
}

static void test_shapes_that_do_not_fit(void **state)
{
    (void)state;
    assert_found("X_9x8x1xtp5", NULL, MLS_FINDING_CONFIG_NAME, 0, "tp*pp*cp does not divide the number of GPUs");
    assert_found("X_0x8", NULL, MLS_FINDING_CONFIG_NAME, 0, "a number of the name is 0");
    assert_found("X_3x4", "DGXNNODES=3 DGXNGPU=4\nPP=8", MLS_FINDING_CONFIG_PARALLEL, 2,
                 "tensor x pipeline x context parallel is 8, which does not divide 12 GPUs");
    assert_found("X_3x4", "DGXNNODES=3 DGXNGPU=4\nTP=2 PP=3 CP=2", MLS_FINDING_CONFIG_PARALLEL, 0, NULL);
    assert_found("X_18x4", "WALLTIME_RUNANDTIME=60\nWALLTIME=00:45:00", MLS_FINDING_CONFIG_WALLTIME, 2,
                 "WALLTIME=00:45:00 is shorter than WALLTIME_RUNANDTIME=60 (line 1)");
    const char *const long_enough[] = {
        "WALLTIME_RUNANDTIME=60 WALLTIME=60",       "WALLTIME_RUNANDTIME=60 WALLTIME=1:00:00",
        "WALLTIME_RUNANDTIME=UNLIMITED WALLTIME=1", "WALLTIME_RUNANDTIME=90 WALLTIME=1-0",
        "WALLTIME_RUNANDTIME=59:30 WALLTIME=60",    "WALLTIME_RUNANDTIME=60"};
    for (size_t i = 0; i < sizeof long_enough / sizeof *long_enough; i++)
        assert_found("X_18x4", long_enough[i], MLS_FINDING_CONFIG_WALLTIME, 0, NULL);
    assert_found("X_common", "WALLTIME_RUNANDTIME=60\nWALLTIME=00:45:00", MLS_FINDING_CONFIG_WALLTIME, 0, NULL);
    assert_found("common", "DGXNNODES=3 DGXNGPU=8\nTP=2 PP=8\nSEGMENT=2", MLS_FINDING_CONFIG_PARALLEL, 0, NULL);
    assert_found("X_18x4", "DGXNNODES=18\nSEGMENT=16", MLS_FINDING_CONFIG_SEGMENT, 2,
                 "SEGMENT=16 does not fit 18 nodes");
    assert_found("X_18x4", "SEGMENT=0", MLS_FINDING_CONFIG_SEGMENT, 1, "SEGMENT=0 does not fit 18 nodes");
    assert_found("X_18x4", "SEGMENT=9", MLS_FINDING_CONFIG_SEGMENT, 0, NULL);
}

static void test_settings_that_are_advised_against(void **state)
{
    (void)state;
    const struct {
        const char *name;
        const char *text;
        size_t line;
        const char *message;
    } cases[] = {
        {"X_2x4", "\nexport CUDA_LAUNCH_BLOCKING=1", 2,
         "CUDA_LAUNCH_BLOCKING=1: every kernel waits for the one before it"},
        {"X_2x4", "CUDA_LAUNCH_BLOCKING=0", 0, NULL},
        {"X_2x4", "NCCL_IB_DISABLE=1", 1, "NCCL_IB_DISABLE=1: nodes talk over Ethernet sockets instead of InfiniBand"},
        {"X_1x4", "NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=lo", 0, NULL},
        {"X_2x4", "NCCL_SOCKET_IFNAME=lo", 1,
         "NCCL_SOCKET_IFNAME=lo: nodes cannot reach each other over the loopback interface"},
        {"X_2x4", "NCCL_DEBUG=TRACE", 1, "NCCL_DEBUG=TRACE: NCCL writes a line for every call"},
        {"X_2x4", "NCCL_DEBUG=WARN", 0, NULL},
        {"X_2x4", "NCCL_DEBUG=trace", 1, "NCCL_DEBUG=TRACE: NCCL writes a line for every call"},
        {"common", "NCCL_IB_DISABLE=1", 0, NULL},
        {"X_2x4", "PYTORCH_NO_CUDA_MEMORY_CACHING=1", 1,
         "PYTORCH_NO_CUDA_MEMORY_CACHING=1: every tensor is allocated and freed by the driver"},
        {"X_2x8", "DGXNGPU=8", 0,
         "OMP_NUM_THREADS is not set: each of 8 ranks on a node may start a thread per processor"},
        {"X_2x8", "DGXNGPU=8 OMP_NUM_THREADS=4", 0, NULL},
        {"X_2x8", "DGXNGPU=8; unset CUDA_LAUNCH_BLOCKING; OMP_NUM_THREADS=$(nproc)", 0, NULL},
        {"X_2x8", "DGXNGPU=8; [ $RANDOM = 1 ] && OMP_NUM_THREADS=1", 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_found(cases[i].name, cases[i].text, MLS_FINDING_CONFIG_ENVIRONMENT, cases[i].line, cases[i].message);
}

static void test_summary(void **state)
{
    (void)state;
    mls_findings findings = {0};
    mls_shell *script;
    mls_config_summary summary = compare("GB200_128x4x112xtp4pp8cp2", NULL, &findings, &script);
    assert_int_equal(summary.micro_batch_size, 0);
    assert_int_equal(summary.gradient_accumulation, 0);
    assert_int_equal(summary.global_batch_size, 896);
    summary = compare("X_18x4x1xtp1pp1cp8", "MICRO_BATCH_SIZE=2 DGXNNODES=18 CP=8", &findings, &script);
    assert_int_equal(summary.micro_batch_size, 2);
    assert_int_equal(summary.global_batch_size, 9);
    assert_int_equal(summary.agreeing_count, 2);
    assert_true(mls_str_equal(summary.agreeing[0]->name, MLS_S("DGXNNODES")));
    assert_int_equal(summary.absent_count, 2);
    assert_string_equal(summary.absent[0], "TP");
    mls_shell_free(script);
    summary = compare("X_18x4x1xtp1pp1cp8", "MICRO_BATCH_SIZE=$RANDOM CP=8", &findings, &script);
    assert_int_equal(summary.micro_batch_size, 0);
    assert_int_equal(summary.global_batch_size, 9);
    mls_shell_free(script);
    assert_int_equal(findings.count, 0);
    mls_findings_release(&findings);
}

static void test_samples_of_a_step(void **state)
{
    (void)state;
    const struct {
        const char *name, *text;
        uint64_t accumulation, batch; /* 0: unknown */
    } cases[] = {
        {"X_1x8x2xtp1pp1cp1", "MINIBS=2 MICRO_BATCH_SIZE=2 TP=1", 1, 16},
        {"X_1x8x8xtp4", "MINIBS=8 MBS=4 TP=2", 2, 32},
        {"X_1x8x8xtp4", "MINIBS=8 MBS=3 TP=4", 0, 16},
        {"X_1x8x8xtp4", "MINIBS=$RANDOM TP=4", 0, 0},
        {"X_1x8x4xtp4", "DGXNGPU=6 MINIBS=4 TP=4", 0, 0},
        {"X_1x8x8xtp4", "GBS=64 MINIBS=8", 0, 64},
        {"X_2x8x1_tp1pp1ep1_gbs64", "PRIMUS_GLOBAL_BATCH_SIZE=32", 0, 32},
        {"X_2x8x1_tp1pp1ep1_gbs64", "NNODES=2", 0, 64},
        {"X_2x8x7", "BATCHSIZE=7", 0, 112},
        {"X_2x8x7", "BATCHSIZE=null LOCAL_BATCH_SIZE=7", 0, 112},
        {"X_1x8x6912", "BATCHSIZE=55296", 0, 55296},
        {"X_1x4x7", "BATCHSIZE=14", 0, 0},
        {"X_1x8x48x1_pack", "BATCHSIZE=48 PACKING_FACTOR=3", 0, 768},
        {"X_1x8x48", "BATCHSIZE=48 PACKING_FACTOR=3", 0, 1152},
        {"X_9x8x1", "BATCHSIZE=1", 0, 0},
        {"X_4294967296x4294967295x2xtp1", "MINIBS=2", 0, 0},
        {"common", "BATCHSIZE=8", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mls_findings findings = {0};
        mls_shell *script;
        const mls_config_summary summary = compare(cases[i].name, cases[i].text, &findings, &script);
        if (summary.global_batch_size != cases[i].batch || summary.gradient_accumulation != cases[i].accumulation) {
            fail_msg("%s, %s: batch %ju, accumulation %ju", cases[i].name, cases[i].text,
                     (uintmax_t)summary.global_batch_size, (uintmax_t)summary.gradient_accumulation);
        }
        mls_shell_free(script);
        mls_findings_release(&findings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_texts_that_disagree),
        cmocka_unit_test(test_names_and_texts_that_agree),
        cmocka_unit_test(test_layouts_of_pipelines),
        cmocka_unit_test(test_shapes_that_do_not_fit),
        cmocka_unit_test(test_settings_that_are_advised_against),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_samples_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
