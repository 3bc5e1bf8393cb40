/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of random activities, tokens across the borders of blocks, and limits, in addition to the command cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "close.h"
#include "draw.h"
#include "profile_text.h"

static int64_t ns(double ms)
{
    return (int64_t)floor(ms * 1e6 + 0.5);
}

/* A device, counted for every nanosecond. */
enum { LINE = 400 };
typedef struct counted_line {
    bool compute[LINE], communication[LINE], copy[LINE];
} counted_line;

static void check_line(const mls_profile_device *device, const counted_line *line, int64_t first, int64_t last)
{
    int64_t compute = 0;
    int64_t communication = 0;
    int64_t exposed = 0;
    int64_t copies = 0;
    int64_t exposed_copies = 0;
    for (int64_t at = first; at < last; at++) {
        const bool c = line->compute[at];
        const bool n = line->communication[at];
        compute += c;
        communication += n;
        exposed += n && !c;
        copies += line->copy[at];
        exposed_copies += line->copy[at] && !c && !n;
    }
    assert_int_equal(ns(device->window_ms), last - first);
    assert_int_equal(ns(device->compute_ms), compute);
    assert_int_equal(ns(device->communication_ms), communication);
    assert_int_equal(ns(device->exposed_communication_ms), exposed);
    assert_int_equal(ns(device->copy_ms), copies);
    assert_int_equal(ns(device->exposed_copy_ms), exposed_copies);
    assert_int_equal(ns(device->idle_ms), last - first - compute - exposed - exposed_copies);
    assert_int_equal(ns(device->busy_ms), compute + exposed + exposed_copies);
    assert_int_equal(ns(device->idle_unknown_ms), ns(device->idle_ms)); /* their launches are unknown */
    assert_true(communication > 0 ? fabs(device->overlap - (1 - (double)exposed / (double)communication)) < 1e-12
                                  : isnan(device->overlap));
}

/* window = computing + exposed communication + exposed copies + idle, to the nanosecond. */
static void timelines_add_up(void **state)
{
    (void)state;
    static const struct {
        const char *category, *name;
    } kinds[] = {{"kernel", "nvjet"},
                 {"kernel", "ncclDevKernel_AllReduce"},
                 {"gpu_memcpy", "Memcpy HtoD"},
                 {"gpu_memset", "Memset"},
                 {"kernel", "rms_norm"}};
    uint32_t seed = 11;
    for (int round = 0; round < 300; round++) {
        mls_buffer text = {0};
        counted_line line = {0};
        int64_t first = LINE;
        int64_t last = 0;
        const size_t count = 1 + draw(&seed, 30);
        for (size_t i = 0; i < count; i++) {
            const uint32_t kind = draw(&seed, 5);
            const int64_t start = draw(&seed, LINE);
            const int64_t most = LINE - start;
            const int64_t length = draw(&seed, 4) == 0 ? 0 : draw(&seed, 60) % (most + 1);
            bool *marks = kind == 1 ? line.communication : kind == 2 || kind == 3 ? line.copy : line.compute;
            for (int64_t at = start; at < start + length; at++)
                marks[at] = true;
            first = start < first ? start : first;
            last = start + length > last ? start + length : last;
            mls_buffer_printf(&text,
                              "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"tid\":%u,\"pid\":3,\"ts\":0.%03d,"
                              "\"dur\":0.%03d}",
                              i == 0 ? "[" : ",\n", kinds[kind].category, kinds[kind].name, draw(&seed, 3), (int)start,
                              (int)length);
        }
        mls_profile *profile = read_profile(&text);
        assert_int_equal(profile->device_count, 1);
        assert_int_equal(profile->devices[0].activities, count);
        check_line(&profile->devices[0], &line, first, last);
        mls_profile_free(profile);
    }
}

#define KERNEL                                                                                                         \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":%d,\"dur\":1,\"pid\":0,\"tid\":1,\"args\":{\"device\":4}}"

/* A trace that is truncated at any byte is read up to there, and is complete only at its end. */
static void truncated_traces(void **state)
{
    (void)state;
    mls_buffer text = {0};
    mls_buffer_append_text(&text, "{\"traceEvents\": [");
    for (int i = 0; i < 3; i++) {
        mls_buffer_append_text(&text, i > 0 ? ", " : "");
        mls_buffer_printf(&text, KERNEL, i * 10);
    }
    const size_t third = text.len;
    mls_buffer_append_text(&text, "], \"baseTimeNanoseconds\": 1790857026000000000}");
    for (size_t len = 0; len <= text.len; len++) {
        mls_profile *profile = NULL;
        mls_error error = {0};
        mls_input input = {.in_memory = true, .bytes = {text.ptr, len}, .text = true};
        const mls_status status = mls_profile_input_read(&input, "x", classes, &profile, &error);
        assert_true(status == MLS_OK || (status == MLS_ERROR_UNKNOWN && len < 20));
        if (profile != NULL) {
            assert_true(profile->complete == (len == text.len));
            assert_int_equal(profile->findings.counts.error, len < text.len);
            assert_true(profile->kernels <= 3 && (profile->kernels == 3) == (len >= third));
        }
        mls_profile_free(profile);
    }
    mls_buffer_release(&text);
}

/* The result does not depend on where blocks end. */
static void blocks_may_end_anywhere(void **state)
{
    (void)state;
    for (size_t before = 0; before < 480; before++) {
        mls_buffer text = {0};
        mls_buffer_append_text(&text, "[");
        mls_buffer_append_repeated(&text, ' ', MLS_BLOCK_SIZE - 1 - before);
        for (int i = 0; i < 3; i++) {
            mls_buffer_printf(&text, KERNEL ",", i * 10);
            mls_buffer_append_text(
                &text, "{\"ts\":1712195495505583.928,\"dur\":1712195495505583.928e-12},{\"ph\":\"X\",\"cat\":\"cpu_"
                       "op\",\"args\":{\"a\":[\"\\u00e9\\n\",-1712195495505583.5e-301,true]}},");
        }
        mls_profile *profile = read_profile(&text);
        assert_true(profile->complete && profile->kernels == 3 && profile->findings.count == 0);
        assert_true(mls_str_equal(profile->devices[0].device, MLS_S("4")));
        mls_profile_free(profile);
    }
}

/* Texts that are too long to be kept: an argument, the name of a member, the name of a kernel. */
static void long_texts_are_dropped(void **state)
{
    (void)state;
    static const char *const around[][2] = {
        {"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1,\"args\":{\"x\":\"", "\"}}"},
        {"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1,\"args\":{\"", "\":[{\"stream\":7}]}}"},
        {"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":1,\"name\":\"", "\"}"},
    };
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        mls_buffer text = {0};
        mls_buffer_append_text(&text, "[");
        mls_buffer_printf(&text, KERNEL ",", 5);
        mls_buffer_append_text(&text, around[i][0]);
        for (size_t k = 0; k < MLS_BLOCK_SIZE; k++)
            mls_buffer_append_text(&text, "ab\\\"\\u00e9");
        mls_buffer_append_text(&text, around[i][1]);
        mls_buffer_printf(&text, "," KERNEL "]", 9);
        mls_profile *profile = read_profile(&text);
        assert_true(profile->complete);
        assert_int_equal(profile->kernels, i < 2 ? 3 : 2);
        assert_int_equal(mls_findings_found(&profile->findings, MLS_FINDING_EVENT_DAMAGED), i == 2);
        mls_profile_free(profile);
    }
}

/* Whether a name is too long does not depend on where blocks end. */
static void long_names_are_dropped_everywhere(void **state)
{
    (void)state;
    enum { LONGEST = 64 * 1024 - 1 };
    for (size_t before = 1; before < MLS_BLOCK_SIZE; before += MLS_BLOCK_SIZE / 8) {
        for (size_t more = 0; more < 2; more++) {
            mls_buffer text = {0};
            mls_buffer_append_text(&text, "[");
            mls_buffer_append_repeated(&text, ' ', before);
            mls_buffer_append_text(&text, "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":1,\"name\":\"");
            mls_buffer_append_repeated(&text, 'k', LONGEST + more);
            mls_buffer_append_text(&text, "\"}]");
            mls_profile *profile = read_profile(&text);
            assert_true(profile->complete);
            assert_int_equal(profile->kernels, 1 - more);
            assert_int_equal(mls_findings_found(&profile->findings, MLS_FINDING_EVENT_DAMAGED), more);
            mls_profile_free(profile);
        }
    }
}

/* A number that is too long to be kept does not stop the reader, wherever blocks end. */
static void long_numbers_are_read_everywhere(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    static const struct {
        const char *begin, *end;
        bool right;
    } numbers[] = {{"1", "", true}, {"-1", ".5", true}, {"1.", "e-5", true}, {"1e+", "", true}, {"1", "x", false}};
    static const char *const members[] = {"\"dur\"", "\"x\"", "\"args\":{\"x\":1},\"cat\""};
    for (size_t before = 1; before < MLS_BLOCK_SIZE + 3; before += MLS_BLOCK_SIZE / 8) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            for (size_t m = 0; m < 3; m++) {
                /* The last time, the number ends at the end of the block. */
                const size_t last = MLS_BLOCK_SIZE - LONG - 150;
                mls_buffer text = {0};
                mls_buffer_append_text(&text, "[");
                mls_buffer_append_repeated(&text, ' ', before < MLS_BLOCK_SIZE ? before : last + i);
                mls_buffer_printf(&text, KERNEL ",{\"ph\":\"X\",\"ts\":1,\"name\":\"k\",%s:%s", 5, members[m],
                                  numbers[i].begin);
                mls_buffer_append_repeated(&text, '1', LONG);
                mls_buffer_printf(&text, "%s}," KERNEL "]", numbers[i].end, 9);
                mls_profile *profile = read_profile(&text);
                assert_int_equal(profile->complete, numbers[i].right);
                assert_int_equal(profile->kernels, 1 + numbers[i].right);
                mls_profile_free(profile);
            }
        }
    }
}

static void errors_in_the_middle(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"ph\":\"X\",}", "{\"a\":01}", "{\"a\":\"\x01\"}", "{\"a\":\"\\q\"}", "}", "nul", "{\"a\" 1}", "{'a':1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (size_t far = 0; far < 2; far++) {
            mls_buffer text = {0};
            mls_buffer_append_text(&text, "[");
            mls_buffer_append_repeated(&text, '\n', far * (MLS_BLOCK_SIZE - 120));
            mls_buffer_printf(&text, KERNEL ",%s," KERNEL "]", 5, wrong[i], 9);
            mls_profile *profile = read_profile(&text);
            assert_true(!profile->complete && profile->kernels == 1);
            assert_int_equal(profile->findings.items[0].code, MLS_FINDING_TRACE_TRUNCATED);
            assert_int_equal(profile->findings.items[0].line, 1 + far * (MLS_BLOCK_SIZE - 120));
            mls_profile_free(profile);
        }
    }
}

/* Kernels with too many distinct names are counted by class; too many streams are skipped and reported. */
static void limits_hold(void **state)
{
    (void)state;
    enum { MANY = 65536 + 500, STREAMS = 16384 + 50 };
    mls_buffer text = {0};
    mls_buffer_append_text(&text, "[");
    for (int i = 0; i < MANY; i++)
        mls_buffer_printf(&text, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm_%d\",\"ts\":%d,\"dur\":1},\n", i, i);
    mls_profile *profile = read_profile(&text);
    assert_int_equal(profile->kernels, MANY);
    assert_int_equal(profile->names.count, 65536);
    assert_int_equal(profile->classes.count, 1);
    assert_int_equal(profile->classes.items[0].count, MANY);
    mls_profile_free(profile);
    mls_buffer_append_text(&text, "[");
    for (int i = 0; i < STREAMS; i++) {
        mls_buffer_printf(&text, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"tid\":%d,\"ts\":%d,\"dur\":1},\n",
                          i, i);
    }
    profile = read_profile(&text);
    assert_int_equal(profile->kernels, 16384);
    assert_int_equal(mls_findings_found(&profile->findings, MLS_FINDING_TOO_MUCH), 1);
    assert_int_equal(profile->devices[0].stream_count, 16384);
    mls_profile_free(profile);
}

/* A quote that is never closed drops only its line: the lines after it are read again. */
static void open_quotes_drop_one_line(void **state)
{
    (void)state;
    mls_buffer text = {0};
    mls_buffer_append_text(&text, "Time (%),Total Time (ns),Instances,Name\n1,10,1,\"k0\n");
    for (int i = 0; i < 40000; i++)
        mls_buffer_printf(&text, "1,10,1,%s\n", i % 2 == 0 ? "a long name of a kernel" : "another one");
    mls_profile *profile = read_profile(&text);
    assert_int_equal(profile->kernels, 40000);
    assert_int_equal(mls_findings_found(&profile->findings, MLS_FINDING_ROW_DAMAGED), 1);
    mls_profile_free(profile);
    mls_buffer_append_text(
        &text, "Time (%),Total Time (ns),Instances,Name\n1,10,1,\"two\nlines, \"\"quoted\"\"\"\n1,10,1,\"x\"y\n");
    profile = read_profile(&text);
    assert_int_equal(profile->kernels, 1);
    assert_true(mls_str_equal(profile->names.items[0].name, MLS_S("two\nlines, \"quoted\"")));
    assert_int_equal(profile->findings.items[0].line, 4);
    mls_profile_free(profile);
}

static void classes_by_name(void **state)
{
    (void)state;
    /* Each of these names contains a word of another class. */
    static const char *const table[][2] = {
        {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "communication"},
        {"void fbgemm_gpu::split_embedding_codegen_forward_kernel<float>", "embedding"},
        {"void at::native::elementwise_kernel<128, 2, at::native::(anonymous namespace)::f(){lambda()#2}>",
         "elementwise"},
        {"void at::<unnamed>::reduce_kernel<512, 1>", "reduction"},
        {"convert_fp32_to_bf16_transpose", "elementwise"},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma", "attention"},
        {"void at::native::_scatter_gather_elementwise_kernel<128, 8>", "embedding"},
        {"SM90_XMMA_GEMM_BF16", "gemm"},
        {"[CUDA memcpy Device-to-Host]", "copy"},
        {"spin", "other"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t number;
        bool fp32;
        mls_class_find(classes, mls_str_from(table[i][0]), &number, &fp32);
        assert_string_equal(classes->names[number], table[i][1]);
    }
}

static void invalid_classes(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"rules\": 1}",
                                        "{\"rules\": [1]}",
                                        "{\"rules\": [{\"class\": \"a\"}]}",
                                        "{\"rules\": [{\"class\": \"a b\", \"pattern\": \"x\"}]}",
                                        "{\"rules\": [{\"class\": \"a\", \"pattern\": \"(\"}]}",
                                        "{\"rules\": [{\"class\": \"a\", \"pattern\": []}]}",
                                        "{\"rules\": [{\"class\": \"a\", \"pattern\": [\"x\", 1]}]}",
                                        "{\"rules\": [], \"fp32_pattern\": \"[\"}",
                                        "{\"rules\": [{\"class\": \"a\", \"pattern\": \"x\"}]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mls_kernel_classes *made = NULL;
        mls_error error = {0};
        const mls_status status = mls_kernel_classes_new(mls_str_from(wrong[i]), &made, &error);
        assert_true(status == MLS_ERROR_VALUE || status == MLS_ERROR_SYNTAX);
        assert_true(made == NULL && error.message[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timelines_add_up),
        cmocka_unit_test(truncated_traces),
        cmocka_unit_test(blocks_may_end_anywhere),
        cmocka_unit_test(long_texts_are_dropped),
        cmocka_unit_test(long_names_are_dropped_everywhere),
        cmocka_unit_test(long_numbers_are_read_everywhere),
        cmocka_unit_test(errors_in_the_middle),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(open_quotes_drop_one_line),
        cmocka_unit_test(classes_by_name),
        cmocka_unit_test(invalid_classes),
    };
    return cmocka_run_group_tests(tests, load_classes, free_classes);
}
