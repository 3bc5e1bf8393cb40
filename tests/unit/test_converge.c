/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/statistics.h"
#include "close.h"
#include "corpus.h"
#include "rounds.h"
#include "score/rcp.h"
#include "score/score.h"

#define RUNS_MAX 4096
#define HEAD ":::MLLOG {\"time_ms\": 1, "
#define BATCH(value) HEAD "\"key\": \"global_batch_size\", \"value\": " value ", \"metadata\": {}}\n"
#define EVAL(key, value, metadata) HEAD "\"key\": \"" key "\", \"value\": " value ", \"metadata\": {" metadata "}}\n"
#define STOP(status) HEAD "\"key\": \"run_stop\", \"value\": null, \"metadata\": {\"status\": \"" status "\"}}\n"

static mls_status take_record(void *state, const mls_record *record)
{
    mls_run_record(state, record);
    return MLS_OK;
}

static void read_text(mls_run *run, const char *text)
{
    mls_run_init(run);
    mls_sink sink = {.state = run, .record = take_record};
    mls_log_totals totals;
    assert_int_equal(mls_log_scan_bytes(mls_str_from(text), &sink, 1, &totals, NULL), MLS_OK);
    assert_int_equal(totals.malformed, 0);
}

static double number_of(const char *text, const char *benchmark, const char *edition, bool train_samples)
{
    mls_run run;
    read_text(&run, text);
    const double number =
        mls_run_converge_number(&run, benchmark_named(benchmark), edition_named(edition), train_samples);
    mls_run_release(&run);
    return number;
}

static void last_evaluation_before_the_end_counts(void **state)
{
    (void)state;
    const char *text = EVAL("eval_accuracy", "0.1", "\"samples_count\": 10, \"epoch_num\": 1.23449")
        EVAL("eval_error", "0.2", "\"samples_count\": 20, \"epoch_num\": 2.71852")
            EVAL("eval_accuracy_x", "0.3", "\"samples_count\": 30, \"epoch_num\": 3, \"note\": \"eval_accuracy\"")
                STOP("success") EVAL("eval_accuracy", "0.4", "\"samples_count\": 40, \"epoch_num\": 4");
    assert_close(number_of(text, "llama2_70b_lora", "5.1.0", false), 20, 0);
    assert_close(number_of(text, "dlrmv4", "6.1.0", false), 20, 0);
    assert_close(number_of(text, "resnet", "4.0.0", false), 2.719, 0);
    assert_close(number_of(text, "bert", "4.0.0", false), 2.719, 0);
    assert_true(isnan(number_of(text, "bert", "4.0.0", true)));
}

static void runs_that_do_not_say_success_have_not_converged(void **state)
{
    (void)state;
    const char *evaluation = EVAL("eval_accuracy", "0.1", "\"samples_count\": 10, \"epoch_num\": 1");
    assert_close(number_of(evaluation, "resnet", "4.0.0", false), MLS_RCP_NOT_CONVERGED, 0);
    assert_close(number_of(STOP("success") STOP("aborted"), "resnet", "4.0.0", false), MLS_RCP_NOT_CONVERGED, 0);
    assert_true(isnan(number_of(STOP("aborted") STOP("success"), "resnet", "4.0.0", false)));
}

static void last_batch_size_counts(void **state)
{
    (void)state;
    mls_run run;
    read_text(&run, BATCH("256") BATCH("512"));
    assert_close(run.global_batch_size, 512, 0);
    mls_run_release(&run);
    read_text(&run, BATCH("256") BATCH("\"512\""));
    assert_true(isnan(run.global_batch_size));
    mls_run_release(&run);
    read_text(&run, "no records\n");
    assert_true(isnan(run.global_batch_size));
    mls_run_release(&run);
}

static void stable_diffusion_needs_both_images_scores(void **state)
{
    (void)state;
#define IMAGE(metric, value, samples, step)                                                                            \
    EVAL("eval_accuracy", value, "\"metric\": \"" metric "\", \"samples_count\": " samples ", \"step_num\": " step)
    const char *text = IMAGE("FID", "80", "4000", "8") IMAGE("CLIP", "0.15", "3000", "6")
        IMAGE("FID", "90.1", "2000", "4") IMAGE("CLIP", "0.2", "2000", "4") IMAGE("FID", "90", "3000", "6")
            IMAGE("CLIP", "0.3", "4000", "8") IMAGE("LPIPS", "0.3", "1000", "2") STOP("success");
    assert_close(number_of(text, "stable_diffusion", "4.0.0", false), 3000, 0);
    assert_close(number_of(text, "stable_diffusion", "3.1.0", false), 6, 0);
    text = IMAGE("FID", "80", "4000", "8") IMAGE("CLIP", "0.14", "4000", "8") STOP("success");
    assert_true(isnan(number_of(text, "stable_diffusion", "4.0.0", false)));
}

static void bert_can_go_by_train_samples(void **state)
{
    (void)state;
    const char *text =
        EVAL("eval_accuracy", "0.1", "\"epoch_num\": 5") EVAL("train_samples", "3000", "") STOP("success");
    assert_close(number_of(text, "bert", "4.0.0", true), 3000, 0);
    assert_close(number_of(text, "bert", "4.0.0", false), 5, 0);
    assert_close(number_of(text, "resnet", "4.0.0", true), 5, 0);
}

/* ---- compared with what the RCP checker read from published logs */

typedef struct corpus_counts {
    size_t folders;
    size_t logs;
} corpus_counts;

static void read_file(const char *path, mls_run *run)
{
    mls_run_init(run);
    mls_sink sink = {.state = run, .record = take_record};
    mls_log_totals totals;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(mls_log_scan_fd(file, NULL, &sink, 1, &totals, NULL), MLS_OK);
    close(file);
}

static void compare_folder(const char *table, const cJSON *row, void *state)
{
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(row, "to_converge");
    char root[512];
    char pattern[1024];
    corpus_counts *counts = state;
    if (!cJSON_IsArray(expected) || !corpus_logs(table, root, sizeof root))
        return;
    (void)snprintf(pattern, sizeof pattern, "%s/%s/result_*.txt", root, corpus_text(row, "dir"));
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, cJSON_GetArraySize(expected));
    assert_true(found.gl_pathc < RUNS_MAX);
    double ours[RUNS_MAX];
    double theirs[RUNS_MAX];
    const mls_benchmark *benchmark = benchmark_named(corpus_text(row, "benchmark"));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        mls_run run;
        read_file(found.gl_pathv[i], &run);
        ours[i] = mls_run_converge_number(&run, benchmark, edition_named(corpus_text(row, "edition")), false);
        theirs[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(expected, (int)i));
        double batch = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "global_batch_size"));
        assert_close(run.global_batch_size, batch, 0);
        mls_run_release(&run);
    }
    mls_sort_doubles(ours, found.gl_pathc);
    mls_sort_doubles(theirs, found.gl_pathc);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!(fabs(ours[i] - theirs[i]) <= 0)) {
            print_error("%s %s: %.9g, the reference read %.9g\n", corpus_text(row, "edition"), corpus_text(row, "dir"),
                        ours[i], theirs[i]);
            fail();
        }
    }
    counts->folders++;
    counts->logs += found.gl_pathc;
    globfree(&found);
}

static void numbers_agree_with_the_reference(void **state)
{
    (void)state;
    corpus_counts counts = {0, 0};
    if (!corpus_each_folder(compare_folder, &counts) || counts.folders == 0)
        skip();
    assert_true(counts.logs > counts.folders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_evaluation_before_the_end_counts),
        cmocka_unit_test(runs_that_do_not_say_success_have_not_converged),
        cmocka_unit_test(last_batch_size_counts),
        cmocka_unit_test(stable_diffusion_needs_both_images_scores),
        cmocka_unit_test(bert_can_go_by_train_samples),
        cmocka_unit_test(numbers_agree_with_the_reference),
    };
    return cmocka_run_group_tests(tests, load_editions, free_editions);
}
