/* SPDX-License-Identifier: Apache-2.0 */
/* timed_log.h - logs of runs over time, built record by record, and their measures. Times are milliseconds since
 * run_start. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "explain/throughput/throughput.h"
#include "log_script.h"

#define TIMED_START 1700000000000.0

static inline void timed_record(mls_buffer *log, double ms, const char *key, const char *value, const char *metadata)
{
    script_record(log, key, TIMED_START + ms, value, metadata);
}

/* Add an evaluation without duration, with eval_start and eval_stop, at a position such as "\"samples_count\": 384". */
static inline void timed_evaluation(mls_buffer *log, double ms, const char *value, const char *position)
{
    timed_record(log, ms, "eval_start", "null", position);
    timed_record(log, ms, "eval_accuracy", value, position);
    timed_record(log, ms, "eval_stop", "null", position);
}

static inline const char *timed_samples(double samples)
{
    static char text[64];
    (void)snprintf(text, sizeof text, "\"samples_count\": %.17g", samples);
    return text;
}

static inline void timed_begin(mls_buffer *log, const char *benchmark)
{
    char value[64];
    (void)snprintf(value, sizeof value, "\"%s\"", benchmark);
    timed_record(log, -10, "submission_benchmark", value, "");
    timed_record(log, -10, "global_batch_size", "8", "");
    timed_record(log, 0, "run_start", "null", "");
}

static inline void timed_end(mls_buffer *log, double ms)
{
    timed_record(log, ms, "run_stop", "null", "\"status\": \"success\"");
}

/* Add a run that starts at 0: segments of training with the given milliseconds and samples, each followed by an
 * evaluation without duration, then `after` ms of training. */
static inline mls_buffer timed_run(const double *ms, const double *samples, size_t count, double after)
{
    mls_buffer log = {0};
    double now = 0;
    double position = 0;
    timed_begin(&log, "llama2_70b_lora");
    for (size_t i = 0; i < count; i++) {
        timed_record(&log, now, "block_start", "null", "");
        now += ms[i];
        position += samples[i];
        timed_record(&log, now, "block_stop", "null", "");
        timed_evaluation(&log, now, "0.95", timed_samples(position));
    }
    if (after > 0) {
        timed_record(&log, now, "block_start", "null", "");
        timed_record(&log, now + after, "block_stop", "null", "");
    }
    timed_end(&log, now + after);
    return log;
}

/* Write logs to a folder and return their measures. */
typedef struct timed_logs {
    mls_rulesets *rulesets;
    mls_models *models;
    mls_accelerators *accelerators;
    mls_collection collection;
    mls_throughputs all;
} timed_logs;

static inline void timed_measure(timed_logs *logs, mls_buffer *texts, size_t count, mls_throughput_options options)
{
    char folder[32] = "/tmp/timed_log_XXXXXX";
    const char *const paths[] = {folder};
    *logs = (timed_logs){0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < count; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s/result_%zu.txt", folder, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(texts[i].ptr, 1, texts[i].len, file), texts[i].len);
        assert_int_equal(fclose(file), 0);
        mls_buffer_release(&texts[i]);
    }
    assert_int_equal(mls_rulesets_new(&logs->rulesets, NULL), MLS_OK);
    assert_int_equal(mls_models_load(&logs->models, NULL), MLS_OK);
    assert_int_equal(mls_accelerators_load(&logs->accelerators, NULL), MLS_OK);
    const mls_collect_options how = {.work.threads = 1,
                                     .score = {.editions = mls_rulesets_editions(logs->rulesets)},
                                     .observer = &mls_throughput_observer};
    assert_int_equal(mls_collect(paths, 1, &how, &logs->collection, NULL), MLS_OK);
    options.score = &how.score;
    options.rulesets = logs->rulesets;
    options.models = logs->models;
    options.accelerator_table = logs->accelerators;
    assert_int_equal(mls_throughputs_measure(&logs->collection, &options, &logs->all, NULL), MLS_OK);
    assert_int_equal(logs->all.run_count, count);
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* Return the measures of the only run of a log. */
static inline const mls_throughput *timed_one(timed_logs *logs, mls_buffer text)
{
    timed_measure(logs, &text, 1, (mls_throughput_options){.accelerators = NAN, .series = true});
    return logs->all.runs[0];
}

static inline void timed_release(timed_logs *logs)
{
    mls_throughputs_release(&logs->all);
    mls_collection_release(&logs->collection);
    mls_rulesets_free(logs->rulesets);
    mls_models_free(logs->models);
    mls_accelerators_free(logs->accelerators);
}
