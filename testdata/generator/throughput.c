/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throughput.c - runs whose time went somewhere: results of five systems, in
 * each of which one run was slow in a way of its own, and logs that are hard
 * to measure.  Records hold what the question needs and no more.
 */
#include "writer.h"

#include <string.h>
#include <sys/stat.h>

#define BASE_MS INT64_C(1745100000000)
#define BLOCKS_MAX 24

/* A run: blocks of training, each with an evaluation behind it. */
typedef struct timed_shape {
    const char *benchmark;
    int batch;
    int blocks;             /* up to BLOCKS_MAX */
    int evaluated;          /* the first so many are evaluated */
    int samples;            /* of a block */
    int epochs;             /* of a block, which evaluations count; 0: they count samples, and blocks are not epochs */
    bool stats;             /* the position is logged by tracked_stats, and training is one block */
    int startup_ms;         /* from run_start to the first block */
    int train_ms;           /* of a block */
    int eval_ms;            /* 0: the evaluation is not delimited */
    int between_ms;         /* from an evaluation to the next block */
    int tail_ms;            /* from the last block to run_stop */
    double first, step;     /* what the evaluations give: first + step * i */
    const char *status;     /* NULL: no run_stop */
    int slow_from, slow_to; /* blocks that take longer … */
    int slow_ms;            /* … by so much */
    int seed;               /* varies the times a little */
} timed_shape;

/* What a log does wrong, line by line; NULL writes the line as it is. */
typedef void (*spoil)(FILE *out, int line, const char *text);

typedef struct timed_log {
    FILE *out;
    spoil spoiled;
    int line;
    int64_t time_ms;
} timed_log;

static void line_write(timed_log *log, int64_t time_ms, const char *key, const char *value, const char *metadata)
{
    char text[400];

    snprintf(text, sizeof text,
             ":::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": \"%s\", "
             "\"value\": %s, \"metadata\": {%s}}\n",
             (long long)time_ms,
             strstr(key, "_start") != NULL  ? START
             : strstr(key, "_stop") != NULL ? END
                                            : POINT,
             key, value, metadata);
    log->line++;
    if (log->spoiled != NULL)
        log->spoiled(log->out, log->line, text);
    else
        fputs(text, log->out);
}

static void head_write(timed_log *log, const timed_shape *shape)
{
    char text[64];

    line_write(log, BASE_MS - 60000, "init_start", "null", "");
    snprintf(text, sizeof text, "\"%s\"", shape->benchmark);
    line_write(log, BASE_MS - 59999, "submission_benchmark", text, "");
    line_write(log, BASE_MS - 59999, "submission_division", "\"closed\"", "");
    snprintf(text, sizeof text, "%d", shape->batch);
    line_write(log, BASE_MS - 59998, "global_batch_size", text, "");
    line_write(log, BASE_MS - 1, "init_stop", "null", "");
    line_write(log, BASE_MS, "run_start", "null", "");
    log->time_ms = BASE_MS + shape->startup_ms;
}

/* The evaluation behind a block, at its position. */
static void evaluation_write(timed_log *log, const timed_shape *shape, int block, const char *where)
{
    char value[32];

    snprintf(value, sizeof value, "%.4f", shape->first + shape->step * (block + 1));
    if (shape->eval_ms > 0)
        line_write(log, log->time_ms, "eval_start", "null", where);
    log->time_ms += shape->eval_ms;
    line_write(log, log->time_ms, "eval_accuracy", value, where);
    if (shape->eval_ms > 0)
        line_write(log, log->time_ms, "eval_stop", "null", where);
}

static void timed_write(FILE *out, const timed_shape *shape, spoil spoiled)
{
    timed_log log = {.out = out, .spoiled = spoiled};
    random_source random = {(uint64_t)shape->seed};
    char where[64];

    head_write(&log, shape);
    if (shape->stats)
        line_write(&log, log.time_ms, "block_start", "null", "");
    for (int i = 0; i < shape->blocks; i++) {
        bool last = i + 1 == shape->blocks;

        snprintf(where, sizeof where, shape->epochs > 0 ? "\"epoch_num\": %d" : "\"samples_count\": %d",
                 (i + 1) * (shape->epochs > 0 ? shape->epochs : shape->samples));
        if (!shape->stats)
            line_write(&log, log.time_ms, shape->epochs > 0 ? "epoch_start" : "block_start", "null", "");
        log.time_ms += shape->train_ms + (int64_t)random_below(&random, 1 + (uint64_t)shape->train_ms / 400);
        log.time_ms += i >= shape->slow_from && i < shape->slow_to ? shape->slow_ms : 0;
        if (shape->stats)
            line_write(&log, log.time_ms, "tracked_stats", "{\"throughput\": 150.0}", where);
        else
            line_write(&log, log.time_ms, shape->epochs > 0 ? "epoch_stop" : "block_stop", "null", "");
        if (shape->stats ? last : i < shape->evaluated)
            evaluation_write(&log, shape, i, where);
        if (!last)
            log.time_ms += shape->between_ms;
    }
    if (shape->stats)
        line_write(&log, log.time_ms, "block_stop", "null", "");
    log.time_ms += shape->tail_ms;
    snprintf(where, sizeof where, "\"status\": \"%s\"", shape->status);
    line_write(&log, log.time_ms, "run_stop", "null", where);
}

/* A system with the results of one benchmark, of which one run is not like the others. */
typedef struct timed_system {
    const char *name;
    int nodes, accelerators;
    const char *model;
    timed_shape run;
    int runs;
    int odd; /* the index of that run */
    timed_shape odd_run;
} timed_system;

static const timed_system systems[] = {
    {"graph",
     18,
     4,
     "NVIDIA Blackwell GPU (GB200)",
     {"rgat", 73728, 5, 5, 19169280, 0, false, 6000, 9000, 1200, 20, 40, 0.68, 0.0085, "success", 0, 0, 0, 1},
     4,
     2,
     {"rgat", 73728, 5, 5, 19169280, 0, false, 16700, 9000, 1200, 20, 40, 0.68, 0.0085, "success", 0, 0, 0, 3}},
    {"stall",
     16,
     8,
     "",
     {"bert", 3072, 20, 1, 58368, 0, true, 0, 55600, 0, 0, 10, 0.7, 0.0011, "success", 0, 0, 0, 4},
     4,
     3,
     {"bert", 3072, 20, 1, 58368, 0, true, 0, 55600, 0, 0, 10, 0.7, 0.0011, "success", 14, 17, 12050, 7}},
    {"straggler",
     1,
     2,
     "NVIDIA RTX A5000",
     {"bert", 448, 10, 1, 313600, 0, true, 0, 1900000, 0, 0, 10, 0.7, 0.0021, "success", 0, 0, 0, 11},
     4,
     1,
     {"bert", 448, 10, 1, 313600, 0, true, 0, 1900000, 0, 0, 10, 0.7, 0.0021, "success", 0, 10, 84640, 12}},
    {"missed",
     2,
     8,
     "NVIDIA H100-SXM5-80GB",
     {"resnet", 3200, 7, 7, 0, 5, false, 2300, 63600, 300, 10, 5, 0.724, 0.005044, "success", 0, 0, 0, 21},
     4,
     1,
     {"resnet", 3200, 8, 7, 0, 5, false, 2300, 63600, 300, 10, 5, 0.724, 0.0049, "aborted", 7, 8, -38200, 22}},
    {"saving",
     8,
     8,
     "Intel Gaudi 2",
     {"stable_diffusion", 512, 6, 6, 512000, 0, false, 1500, 220000, 0, 9000, 6000, 100, -2, "success", 0, 0, 0, 31},
     4,
     0,
     {"stable_diffusion", 512, 6, 6, 512000, 0, false, 1500, 220000, 0, 22700, 6000, 100, -2, "success", 0, 0, 0, 30}},
};

static void folder_make(const char *path)
{
    (void)mkdir(path, 0777); /* what opens a file in it tells when it is not there */
}

static void system_write(const char *folder, const timed_system *system)
{
    char path[4096];
    char name[64];
    FILE *out;

    snprintf(path, sizeof path, "%s/systems", folder);
    folder_make(path);
    snprintf(name, sizeof name, "%s.json", system->name);
    out = output_open(path, name);
    fprintf(out,
            "{\n  \"system_name\": \"%s\",\n  \"number_of_nodes\": \"%d\",\n  \"accelerators_per_node\": \"%d\",\n"
            "  \"accelerator_model_name\": \"%s\"\n}\n",
            system->name, system->nodes, system->model[0] != '\0' ? system->accelerators : 0, system->model);
    output_close(out, name);
    snprintf(path, sizeof path, "%s/results", folder);
    folder_make(path);
    snprintf(path, sizeof path, "%s/results/%s", folder, system->name);
    folder_make(path);
    snprintf(path, sizeof path, "%s/results/%s/%s", folder, system->name, system->run.benchmark);
    folder_make(path);
    for (int i = 0; i < system->runs; i++) {
        timed_shape shape = i == system->odd ? system->odd_run : system->run;

        shape.seed = system->run.seed + i;
        snprintf(name, sizeof name, "result_%d.txt", i);
        out = output_open(path, name);
        timed_write(out, &shape, NULL);
        output_close(out, name);
    }
}

/* ---- logs that are hard to measure: each is the run `even` with one thing about it */

static const timed_shape even = {"llama2_70b_lora", 8, 6, 6, 384, 0, false, 2000, 60000, 4000, 100, 1000, 0.95, -0.005,
                                 "success",         0, 0, 0, 41};

static void spoil_unfinished(FILE *out, int line, const char *text)
{
    if (line < 37)
        fputs(text, out);
}

/* The third block's evaluation stands in the file before the second's, which the clock of another rank wrote. */
static void spoil_backwards(FILE *out, int line, const char *text)
{
    static char held[5][400];

    if (line >= 12 && line < 17)
        snprintf(held[line - 12], sizeof held[0], "%s", text);
    else
        fputs(text, out);
    for (int i = 0; i < 5 && line == 21; i++)
        fputs(held[i], out);
}

/* Evaluations that ran when the run had stopped. */
static void spoil_late(FILE *out, int line, const char *text)
{
    fputs(text, out);
    if (line == 37)
        for (int i = 0; i < 2; i++)
            fprintf(out,
                    ":::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": "
                    "\"eval_accuracy\", \"value\": 0.9, \"metadata\": {\"samples_count\": %d}}\n",
                    (long long)(BASE_MS + 600000 + i * 1000), POINT, 2688 + 384 * i);
}

/* From the fourth evaluation on the position is an epoch. */
static void spoil_units(FILE *out, int line, const char *text)
{
    const char *at = strstr(text, "\"samples_count\"");

    if (line < 22 || at == NULL)
        fputs(text, out);
    else
        fprintf(out, "%.*s\"epoch_num\": %d}}\n", (int)(at - text), text, line / 5);
}

static void spoil_torn(FILE *out, int line, const char *text)
{
    if (line == 10)
        fprintf(out, "%.60s%s", text, text);
    else if (line == 18)
        fprintf(out, "%.60s\n", text);
    else
        fputs(text, out);
}

static void spoil_no_start(FILE *out, int line, const char *text)
{
    if (line != 6)
        fputs(text, out);
}

static void spoil_stop_first(FILE *out, int line, const char *text)
{
    const char *at = strstr(text, "1745100");

    if (line == 37)
        fprintf(out, "%.*s1745000%s", (int)(at - text), text, at + 7);
    else
        fputs(text, out);
}

void throughput_write(const char *folder)
{
    static const struct {
        const char *name;
        spoil spoiled;
    } logs[] = {{"even.log", NULL},
                {"unfinished.log", spoil_unfinished},
                {"backwards.log", spoil_backwards},
                {"late-evaluations.log", spoil_late},
                {"units.log", spoil_units},
                {"torn.log", spoil_torn},
                {"no-start.log", spoil_no_start},
                {"stop-before-start.log", spoil_stop_first}};

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        system_write(folder, &systems[i]);
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        FILE *out = output_open(folder, logs[i].name);

        timed_write(out, &even, logs[i].spoiled);
        output_close(out, logs[i].name);
    }
}
