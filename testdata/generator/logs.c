/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - small logs, each with one thing about it that a reader of logs
 * gets wrong.  All of them hold the same short run of llama2_70b_lora, which
 * keeps the rules of training 5.0, unless the name says otherwise.
 */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

#define BASE_MS INT64_C(1745100000000)
#define TRAIN_MS INT64_C(90000)

/* How a file's run differs from the plain one. */
typedef struct run_shape {
    int64_t start_ms;   /* of run_start; init_start stands 120 s before */
    const char *ending; /* of a line */
    const char *status; /* NULL: the run died before run_stop */
    int seed;
    int extra; /* where extra_write() is called: before line number `extra` of the run, from 1; 0: never */
    void (*extra_write)(FILE *out);
} run_shape;

static const run_shape plain = {.start_ms = BASE_MS, .ending = "\n", .status = "\"success\"", .seed = 4711};

/* One line of a run. */
typedef struct run_line {
    int offset_ms; /* from run_start */
    const char *type;
    const char *key;
    const char *value; /* NULL: the seed */
    const char *more;
} run_line;

static const run_line run_lines[] = {
    {-130000, POINT, "cache_clear", "true", ""},
    {-120000, START, "init_start", "null", ""},
    {-119999, POINT, "submission_benchmark", "\"llama2_70b_lora\"", ""},
    {-119999, POINT, "submission_org", "\"EXAMPLE\"", ""},
    {-119999, POINT, "submission_division", "\"closed\"", ""},
    {-119999, POINT, "submission_status", "\"onprem\"", ""},
    {-119998, POINT, "submission_platform", "\"1xEXAMPLE\"", ""},
    {-119990, POINT, "opt_base_learning_rate", "0.0004", ""},
    {-119990, POINT, "opt_adamw_weight_decay", "0.0001", ""},
    {-119990, POINT, "opt_gradient_clip_norm", "0.3", ""},
    {-119990, POINT, "opt_learning_rate_training_steps", "800", ""},
    {-119990, POINT, "lora_rank", "16", ""},
    {-119990, POINT, "lora_alpha", "32", ""},
    {-119980, POINT, "global_batch_size", "8", ""},
    {-119980, POINT, "train_samples", "3901", ""},
    {-119980, POINT, "eval_samples", "173", ""},
    {-119980, POINT, "gradient_accumulation_steps", "1", ""},
    {-119970, POINT, "seed", NULL, ""},
    {-1, END, "init_stop", "null", ""},
    {0, START, "run_start", "null", ""},
    {0, START, "block_start", "null", ", \"samples_count\": 0"},
    {43000, END, "block_stop", "null", ", \"samples_count\": 1536"},
    {43001, START, "eval_start", "null", ", \"samples_count\": 1536"},
    {45000, POINT, "eval_accuracy", "0.9403", ", \"samples_count\": 1536"},
    {45000, END, "eval_stop", "null", ", \"samples_count\": 1536"},
    {45001, START, "block_start", "null", ", \"samples_count\": 1536"},
    {87000, END, "block_stop", "null", ", \"samples_count\": 3072"},
    {87001, START, "eval_start", "null", ", \"samples_count\": 3072"},
    {89999, POINT, "eval_accuracy", "0.9247", ", \"samples_count\": 3072"},
    {89999, END, "eval_stop", "null", ", \"samples_count\": 3072"},
};

#define RUN_LINES (sizeof run_lines / sizeof *run_lines)

static void run_write(FILE *out, const run_shape *shape)
{
    char text[96];

    for (size_t i = 0; i < RUN_LINES; i++) {
        const run_line *line = &run_lines[i];

        snprintf(text, sizeof text, "%d", shape->seed);
        if (shape->extra == (int)i + 1)
            shape->extra_write(out);
        record_print(out, shape->start_ms + line->offset_ms, line->type, line->key,
                     line->value == NULL ? text : line->value, SCRIPT, 100 + (int)i, line->more);
        fputs(shape->ending, out);
    }
    if (shape->status == NULL)
        return;
    snprintf(text, sizeof text, ", \"samples_count\": 3072, \"status\": %s", shape->status);
    record_print(out, shape->start_ms + TRAIN_MS, END, "run_stop", "null", SCRIPT, 100 + (int)RUN_LINES, text);
    fputs(shape->ending, out);
}

/* A file that holds one run. */
static void one_run(const char *folder, const char *name, run_shape shape)
{
    FILE *out = output_open(folder, name);

    run_write(out, &shape);
    output_close(out, name);
}

static void torn_extra(FILE *out)
{
    fputs("0: :::MLLOG {\"namespace\": \"\", \"time_ms\": 1745100020000, \"event_type\": \"POINT_IN_TIME\", \"key\": "
          "\"tr",
          out);
    fputs("5: ", out);
    record_print(out, BASE_MS + 20001, POINT, "tracked_stats", "{\"wait\": 0.5}", SCRIPT, 77, "");
    fputc('\n', out);
}

static void nul_extra(FILE *out)
{
    fwrite("a progress bar left \0\0\0 behind\n", 1, 31, out);
}

static void noise_extra(FILE *out)
{
    /* Terminal commands, Latin-1, broken UTF-8, a right-to-left override, form feeds. */
    fputs("\033[31mred\033[0m \033]0;title\007 caf\351 \377\376 \342\200\256gnp.exe \f\v\b\n", out);
    record_print(out, BASE_MS + 500, POINT, "tracked_stats", "{\"note\": \"\\u001b[2J caf\351 \342\200\256\"}", SCRIPT,
                 78, "");
    fputc('\n', out);
}

static void long_extra(FILE *out)
{
    fputs("arguments: ", out);
    for (int i = 0; i < 5600; i++)
        fprintf(out, "--layer-%04d.width=8192%s ", i, i % 100 == 99 ? " --check" : "");
    fputc('\n', out);
}

static void ranks_extra(FILE *out)
{
    for (int rank = 1; rank < 230; rank++) {
        fprintf(out, "%3d: ", rank);
        record_print(out, BASE_MS - 119999 + rank * 3, START, "init_start", "null", SCRIPT, 101, "");
        fputc('\n', out);
    }
}

static void steps_extra(FILE *out)
{
    static const char *const values[] = {"{\"throughput\": 21.5}", "{\"throughput\": 22.25, \"loss_scale\": 32768.0}",
                                         "{\"train_step_time\": 0.37, \"throughput\": 21.75}"};

    for (int i = 0; i < 3; i++) {
        record_print(out, BASE_MS + 10000 * (i + 1), POINT, "tracked_stats", values[i], SCRIPT, 79, ", \"step\": 10");
        fputc('\n', out);
    }
    record_print(out, BASE_MS + 41000, POINT, "throughput", "22.0", SCRIPT, 79, ", \"samples_count\": 1400");
    fputc('\n', out);
}

/* Every way in which a line can hold ":::MLLOG " and be no record. */
static const char *const malformed_payloads[] = {
    "",
    "hello",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 1, \"metadata\": {}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 1, \"metadata\": {}} x",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 1}",
    "{\"time_ms\": 1, \"key\": \"a\", \"metadata\": {}}",
    "{\"time_ms\": 1, \"value\": 1, \"metadata\": {}}",
    "{\"key\": \"a\", \"value\": 1, \"metadata\": {}}",
    "{\"time_ms\": null, \"key\": \"a\", \"value\": 1, \"metadata\": {}}",
    "{\"time_ms\": \"soon\", \"key\": \"a\", \"value\": 1, \"metadata\": {}}",
    "{\"time_ms\": [1], \"key\": \"a\", \"value\": 1, \"metadata\": {}}",
    "[1, 2]",
    "\"text\"",
    "{'time_ms': 1, 'key': 'a', 'value': 1, 'metadata': {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 01, \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 1., \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": True, \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": \"tab\there\", \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": \"\\q\", \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": \"\\u12G4\", \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": \"open, \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": 1, \"metadata\": {},}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": [1,], \"metadata\": {}}",
    "{\"time_ms\": 1 \"key\": \"a\", \"value\": 1, \"metadata\": {}}",
    "{\"time_ms\": 1, key: \"a\", \"value\": 1, \"metadata\": {}}",
    "{\"time_ms\": 1, \"key\": \"a\", \"value\": +1, \"metadata\": {}}",
};

/* What is unusual and yet a record, each as a reader of Python's JSON takes it. */
static const char *const odd_payloads[] = {
    "{\"time_ms\": 1745100000101, \"key\": \"tracked_stats\", \"value\": NaN, \"metadata\": {}}",
    "{\"time_ms\": 1745100000102, \"key\": \"tracked_stats\", \"value\": -Infinity, \"metadata\": null}",
    "{\"time_ms\": 1745100000103, \"key\": \"tracked_stats\", \"value\": [1, 1.0, 1e0, -0, true, null, \"x\", {}, []], "
    "\"metadata\": {}}",
    "{\"time_ms\": \" 1745100000104 \", \"key\": \"tracked_stats\", \"value\": 6.0, \"metadata\": {}}",
    "{\"time_ms\": 1745100000105.25, \"key\": \"tracked_stats\", \"value\": \"\\ud800 \\u0000 \\\"q\\\" \\\\ \\/\", "
    "\"metadata\": {}}",
    "{\"time_ms\": 1, \"time_ms\": 1745100000106, \"key\": \"x\", \"key\": \"tracked_stats\", \"value\": 1, \"value\": "
    "2, \"metadata\": {}}",
    "{\"time_ms\": 1745100000107, \"key\": null, \"value\": null, \"metadata\": {}}",
    "{\"time_ms\": 1745100000108, \"key\": [\"run_stop\"], \"value\": null, \"metadata\": {\"status\": \"success\"}}",
    "{\"time_ms\": 1745100000109, \"k\\u0065y\": \"tracked_\\u0073tats\", \"value\": 9007199254740993, \"metadata\": "
    "[]}",
    "{\"time_ms\": 1745100000110, \"key\": \"tracked_stats\", \"value\": \"a,b\\\"c\\nd\", \"metadata\": {\"list\": "
    "[1, 2]}}",
    "  \t{\"time_ms\":1745100000111,\"key\":\"tracked_stats\",\"value\":1e400,\"metadata\":{}}\t \034\205\240",
    "{\"time_ms\": 1745100000112, \"key\": \"tracked_stats\", \"value\": \"\\u00e9 \351\", \"metadata\": {}, "
    "\"other\": 1}",
};

static void malformed_extra(FILE *out)
{
    for (size_t i = 0; i < sizeof malformed_payloads / sizeof *malformed_payloads; i++)
        fprintf(out, ":::MLLOG %s\n", malformed_payloads[i]);
    /* Not the marker: no space behind it. */
    fputs(":::MLLOG{\"time_ms\": 1}\n:::MLLO G {}\n", out);
}

static void odd_extra(FILE *out)
{
    for (size_t i = 0; i < sizeof odd_payloads / sizeof *odd_payloads; i++)
        fprintf(out, ":::MLLOG %s\n", odd_payloads[i]);
}

static void deep_extra(FILE *out)
{
    for (int depth = 1023; depth <= 1024; depth++) {
        fprintf(out, ":::MLLOG {\"time_ms\": 1745100000100, \"key\": \"tracked_stats\", \"metadata\": {}, \"value\": ");
        for (int i = 0; i < depth; i++)
            fputc('[', out);
        for (int i = 0; i < depth; i++)
            fputc(']', out);
        fputs("}\n", out);
    }
}

/* Ten runs, one after the other, with nothing between them that says so. */
static void many_runs(const char *folder, const char *name)
{
    FILE *out = output_open(folder, name);

    for (int i = 0; i < 10; i++) {
        run_shape shape = plain;

        shape.start_ms += i * INT64_C(300000);
        shape.seed += i;
        shape.status = i == 3 ? "\"aborted\"" : plain.status;
        if (i == 6)
            shape.status = NULL;
        run_write(out, &shape);
    }
    output_close(out, name);
}

/* Nodes report late: the cache_clear lines of a run stand behind its run_stop. */
static void late_cache_clear(const char *folder, const char *name)
{
    FILE *out = output_open(folder, name);

    for (int i = 0; i < 2; i++) {
        run_shape shape = plain;

        shape.start_ms += i * INT64_C(300000);
        shape.seed += i;
        run_write(out, &shape);
        for (int node = 0; node < 3; node++) {
            record_print(out, shape.start_ms - 130000 + node, POINT, "cache_clear", "true", SCRIPT, 100, "");
            fputc('\n', out);
        }
    }
    output_close(out, name);
}

/* A benchmark that counts epochs: retinanet, six of them, each a thousand seconds. */
static const run_line epoch_run_lines[] = {
    {-61000, POINT, "cache_clear", "true", ""},
    {-60000, START, "init_start", "null", ""},
    {-59999, POINT, "submission_benchmark", "\"retinanet\"", ""},
    {-59999, POINT, "submission_org", "\"EXAMPLE\"", ""},
    {-59999, POINT, "submission_division", "\"closed\"", ""},
    {-59999, POINT, "submission_status", "\"onprem\"", ""},
    {-59999, POINT, "submission_platform", "\"1xEXAMPLE\"", ""},
    {-59990, POINT, "global_batch_size", "256", ""},
    {-59990, POINT, "opt_name", "\"adam\"", ""},
    {-59990, POINT, "opt_base_learning_rate", "0.0001", ""},
    {-59990, POINT, "opt_weight_decay", "0", ""},
    {-59990, POINT, "opt_learning_rate_warmup_epochs", "1", ""},
    {-59990, POINT, "opt_learning_rate_warmup_factor", "0.001", ""},
    {-59990, POINT, "gradient_accumulation_steps", "1", ""},
    {-59990, POINT, "train_samples", "1170301", ""},
    {-59990, POINT, "eval_samples", "24781", ""},
    {-59990, POINT, "seed", "12", ""},
    {-1, END, "init_stop", "null", ""},
    {0, START, "run_start", "null", ""},
};

static void epoch_line(FILE *out, int offset_ms, const char *type, const char *key, const char *value, int lineno,
                       const char *more)
{
    record_print(out, BASE_MS + offset_ms, type, key, value, SCRIPT, lineno, more);
    fputc('\n', out);
}

static void epochs(const char *folder, const char *name)
{
    FILE *out = output_open(folder, name);

    for (size_t i = 0; i < sizeof epoch_run_lines / sizeof *epoch_run_lines; i++) {
        const run_line *line = &epoch_run_lines[i];

        epoch_line(out, line->offset_ms, line->type, line->key, line->value, 200 + (int)i, line->more);
    }
    for (int epoch = 1; epoch <= 6; epoch++) {
        char more[64], value[32];
        int end = epoch * 1000000;

        snprintf(more, sizeof more, ", \"epoch_num\": %d", epoch);
        snprintf(value, sizeof value, "0.%03d", 225 + epoch * 20);
        epoch_line(out, end - 1000000, START, "epoch_start", "null", 231, more);
        epoch_line(out, end - 5000, END, "epoch_stop", "null", 232, more);
        epoch_line(out, end - 5000, START, "eval_start", "null", 233, more);
        epoch_line(out, end - 1, POINT, "eval_accuracy", value, 234, more);
        epoch_line(out, end - 1, END, "eval_stop", "null", 235, more);
    }
    epoch_line(out, 6000000, END, "run_stop", "null", 240, ", \"status\": \"success\"");
    output_close(out, name);
}

static run_shape with_extra(int line, void (*write)(FILE *out))
{
    run_shape shape = plain;

    shape.extra = line;
    shape.extra_write = write;
    return shape;
}

static run_shape with_ending(const char *ending)
{
    run_shape shape = plain;

    shape.ending = ending;
    return shape;
}

static run_shape with_status(const char *status)
{
    run_shape shape = plain;

    shape.status = status;
    return shape;
}

/* The plain run without its last line ending. */
static void no_final_newline(const char *folder, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    FILE *out = output_open(folder, name);

    if (memory == NULL)
        abort();
    run_write(memory, &plain);
    output_close(memory, name);
    fwrite(text, 1, size - 1, out);
    output_close(out, name);
    free(text);
}

void logs_write(const char *folder)
{
    one_run(folder, "plain.log", plain);
    one_run(folder, "crlf.log", with_ending("\r\n"));
    one_run(folder, "lone-cr.log", with_ending("\r"));
    one_run(folder, "aborted.log", with_status("\"aborted\""));
    one_run(folder, "no-status.log", with_status("null"));
    one_run(folder, "died.log", with_status(NULL));
    one_run(folder, "torn.log", with_extra(22, torn_extra));
    one_run(folder, "nul.log", with_extra(22, nul_extra));
    one_run(folder, "noise.log", with_extra(22, noise_extra));
    one_run(folder, "long-line.log", with_extra(2, long_extra));
    one_run(folder, "ranks.log", with_extra(3, ranks_extra));
    one_run(folder, "throughput.log", with_extra(22, steps_extra));
    one_run(folder, "malformed.log", with_extra(22, malformed_extra));
    one_run(folder, "odd.log", with_extra(22, odd_extra));
    one_run(folder, "deep.log", with_extra(22, deep_extra));
    no_final_newline(folder, "no-final-newline.log");
    many_runs(folder, "ten-runs.log");
    late_cache_clear(folder, "late-cache-clear.log");
    epochs(folder, "epochs.log");
    output_close(output_open(folder, "empty.log"), "empty.log");
}
