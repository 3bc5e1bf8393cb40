/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission.c - a small submission that is ready for upload: training 5.1,
 * one system, llama31_405b with power files and llama2_70b_lora.
 */
#include "writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM "example_b200_n2"
#define FIRST_RUN_MS INT64_C(1759845400000)
#define RUN_EVERY_MS INT64_C(7200000)

/* What a log says about itself before the run starts. */
typedef struct setting {
    const char *key;
    const char *value;
} setting;

static const setting llama31_405b_settings[] = {
    {"gradient_accumulation_steps", "144"},
    {"max_sequence_length", "8192"},
    {"eval_samples", "5760"},
    {"train_samples", "1574207408"},
    {"init_checkpoint_step", "0"},
    {"opt_name", "\"adamw\""},
    {"opt_base_learning_rate", "8e-05"},
    {"opt_adamw_beta_1", "0.9"},
    {"opt_adamw_beta_2", "0.95"},
    {"opt_adamw_epsilon", "1e-05"},
    {"opt_adamw_weight_decay", "0.1"},
    {"opt_gradient_clip_norm", "1.0"},
    {"opt_end_learning_rate", "8e-07"},
    {"opt_learning_rate_warmup_steps", "8000"},
    {"opt_learning_rate_decay_steps", "1192000"},
    {"max_steps", "500"},
    {"opt_learning_rate_decay_schedule", "\"cosine with linear warmup\""},
    {"target_accuracy", "5.6"},
    {NULL, NULL},
};

static const setting llama2_70b_lora_settings[] = {
    {"target_accuracy", "0.925"},
    {"opt_base_learning_rate", "0.0004"},
    {"opt_adamw_weight_decay", "0.0001"},
    {"opt_gradient_clip_norm", "0.3"},
    {"opt_learning_rate_warmup_factor", "0.0"},
    {"lora_rank", "16"},
    {"lora_alpha", "32"},
    {"opt_learning_rate_training_steps", "1024"},
    {"train_samples", "3901"},
    {"eval_samples", "173"},
    {"gradient_accumulation_steps", "1"},
    {NULL, NULL},
};

/* A benchmark of the submission: each run is evaluated until it reaches the target. */
typedef struct benchmark {
    const char *name;
    const setting *settings;
    int runs;
    int batch;
    int first_eval; /* samples */
    int eval_every;
    int evals; /* most runs need this many; every fourth one needs one more */
    int64_t ms_per_interval;
    double target, improves; /* by each evaluation */
    bool power;
} benchmark;

static const benchmark benchmarks[] = {
    {"llama2_70b_lora", llama2_70b_lora_settings, 10, 8, 1536, 384, 5, 15692, 0.9241, 0.0059, false},
    {"llama31_405b", llama31_405b_settings, 3, 1152, 276480, 18432, 3, 176472, 5.59, 0.04, true},
};

static void folder_make(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; *slash != '\0'; slash++) {
        if (*slash == '/') {
            *slash = '\0';
            if (mkdir(path, 0777) != 0 && errno != EEXIST)
                break;
            *slash = '/';
        }
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void line(FILE *out, int64_t time_ms, const char *type, const char *key, const char *value, int lineno,
                 const char *more)
{
    record_print(out, time_ms, type, key, value, SCRIPT, lineno, more);
    fputc('\n', out);
}

static int64_t run_start(int index)
{
    return FIRST_RUN_MS + index * RUN_EVERY_MS;
}

static int evals_of(const benchmark *b, int index)
{
    return b->evals + (index % 4 == 3 ? 1 : 0);
}

/* When a run is evaluated: the first time after several intervals. */
static int64_t eval_time(const benchmark *b, int index, int eval)
{
    return run_start(index) + (b->first_eval / b->eval_every + eval) * b->ms_per_interval;
}

static int64_t run_stop(const benchmark *b, int index)
{
    return eval_time(b, index, evals_of(b, index) - 1) + 137 * index + 20;
}

static void settings_write(FILE *out, const benchmark *b, int index, int64_t start)
{
    char text[64];

    line(out, start - 30000, START, "init_start", "null", 40, "");
    snprintf(text, sizeof text, "\"%s\"", b->name);
    line(out, start - 29990, POINT, "submission_benchmark", text, 41, "");
    line(out, start - 29990, POINT, "submission_org", "\"EXAMPLE\"", 42, "");
    line(out, start - 29990, POINT, "submission_division", "\"closed\"", 43, "");
    line(out, start - 29990, POINT, "submission_status", "\"onprem\"", 44, "");
    line(out, start - 29990, POINT, "submission_platform", "\"2xB200\"", 45, "");
    snprintf(text, sizeof text, "%d", 4711 + 97 * index + 13 * index * index); /* at unequal distances */
    line(out, start - 29980, POINT, "seed", text, 46, "");
    snprintf(text, sizeof text, "%d", b->batch);
    line(out, start - 29980, POINT, "global_batch_size", text, 47, "");
    for (int i = 0; b->settings[i].key != NULL; i++)
        line(out, start - 29970, POINT, b->settings[i].key, b->settings[i].value, 50 + i, "");
    line(out, start - 1, END, "init_stop", "null", 80, "");
}

static void log_write(const char *folder, const benchmark *b, int index)
{
    char name[64], more[96], value[32];
    int64_t start = run_start(index), before_ms = start;
    int evals = evals_of(b, index);
    int samples = 0;

    snprintf(name, sizeof name, "result_%d.txt", index);
    FILE *out = output_open(folder, name);
    line(out, start - 60000, POINT, "cache_clear", "true", 3, "");
    settings_write(out, b, index, start);
    line(out, start, START, "run_start", "null", 81, "");
    for (int i = 0; i < evals; i++) {
        int64_t now = eval_time(b, index, i);
        int before = samples;

        samples = b->first_eval + i * b->eval_every;
        snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", before, before / b->batch);
        line(out, before_ms, START, "block_start", "null", 90, more);
        snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", samples, samples / b->batch);
        line(out, now - 900, END, "block_stop", "null", 91, more);
        line(out, now - 900, START, "eval_start", "null", 92, more);
        snprintf(more, sizeof more, ", \"samples_count\": %d", samples);
        snprintf(value, sizeof value, "%.4f", b->target + (evals - 1 - i) * (b->improves + 0.0001 * index));
        line(out, now, POINT, "eval_accuracy", value, 93, more);
        line(out, now, END, "eval_stop", "null", 94, more);
        before_ms = now;
    }
    snprintf(more, sizeof more, ", \"samples_count\": %d, \"status\": \"success\"", samples);
    line(out, run_stop(b, index), END, "run_stop", "null", 95, more);
    output_close(out, name);
}

enum { READING_MS = 3000 }; /* the rules want one a second; the files are large enough */

static void power_write(const char *folder, const benchmark *b, int index)
{
    char part[64], value[32];
    int64_t start = run_start(index) - 5000;
    int64_t stop = run_stop(b, index) + 5000;
    static const char *const files[] = {"node_0.txt", "node_1.txt", "sw_0.txt"};

    snprintf(part, sizeof part, "power/result_%d", index);
    folder_make(folder, part);
    for (int i = 0; i < 3; i++) {
        char name[96];

        snprintf(name, sizeof name, "%s/%s", part, files[i]);
        FILE *out = output_open(folder, name);
        line(out, start, POINT, "conversion_eff", i < 2 ? "1.05" : "1.1", 10, "");
        if (i == 2) {
            line(out, start, POINT, "interconnect_power_est", "450.0", 11, "");
        } else {
            line(out, start, START, "power_measurement_start", "null", 12, "");
            for (int64_t now = start + READING_MS;; now += READING_MS) {
                int64_t at = now < stop ? now : stop; /* the power rises from quarter to quarter */
                int quarter = (int)((at - start - 1) * 4 / (stop - start)) + 1;

                snprintf(value, sizeof value, "%d.5", 9800 + 100 * i + 40 * quarter);
                line(out, at, POINT, "power_reading", value, 13, "");
                if (at == stop)
                    break;
            }
            line(out, stop, END, "power_measurement_stop", "null", 14, "");
        }
        output_close(out, name);
    }
}

static void system_write(const char *folder)
{
    static const setting fields[] = {
        {"submitter", "EXAMPLE"},
        {"division", "closed"},
        {"status", "Available on-premise"},
        {"system_name", "Example B200, 2 nodes"},
        {"number_of_nodes", "2"},
        {"host_processors_per_node", "2"},
        {"host_processor_model_name", "Example 8580"},
        {"host_processor_core_count", "60"},
        {"host_processor_vcpu_count", "120"},
        {"host_processor_frequency", ""},
        {"host_processor_caches", ""},
        {"host_processor_interconnect", ""},
        {"host_memory_capacity", "2 TB"},
        {"host_storage_type", "NVMe SSD"},
        {"host_storage_capacity", "15 TB"},
        {"host_networking", "8x 400 Gb/s"},
        {"host_networking_topology", "one switch"},
        {"host_memory_configuration", "32x 64 GB"},
        {"accelerators_per_node", "8"},
        {"accelerator_model_name", "B200"},
        {"accelerator_host_interconnect", "PCIe Gen5 x16"},
        {"accelerator_frequency", ""},
        {"accelerator_on-chip_memories", ""},
        {"accelerator_memory_configuration", "HBM3e"},
        {"accelerator_memory_capacity", "180 GB"},
        {"accelerator_interconnect", "NVLink"},
        {"accelerator_interconnect_topology", ""},
        {"cooling", "air"},
        {"hw_notes", ""},
        {"framework", "PyTorch 2.8"},
        {"other_software_stack", "CUDA 13.0"},
        {"operating_system", "Ubuntu 24.04"},
        {"sw_notes", ""},
    };
    size_t count = sizeof fields / sizeof *fields;

    FILE *out = output_open(folder, "systems/" SYSTEM ".json");
    fputs("{\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  \"%s\": \"%s\"%s\n", fields[i].key, fields[i].value, i + 1 < count ? "," : "");
    fputs("}\n", out);
    output_close(out, "the system description");
}

void submission_write(const char *folder)
{
    folder_make(folder, "systems");
    system_write(folder);
    for (size_t b = 0; b < sizeof benchmarks / sizeof *benchmarks; b++) {
        char part[256], path[4096];

        snprintf(part, sizeof part, "benchmarks/%s/implementations/pytorch", benchmarks[b].name);
        folder_make(folder, part);
        snprintf(path, sizeof path, "%s/README.md", part);
        FILE *out = output_open(folder, path);
        fprintf(out, "# %s\n\nHere would be the code that made the results.\n", benchmarks[b].name);
        output_close(out, path);
        snprintf(path, sizeof path, "%s/run_and_time.sh", part);
        out = output_open(folder, path);
        fputs("python3 train.py\n", out);
        output_close(out, path);
        snprintf(part, sizeof part, "results/" SYSTEM "/%s", benchmarks[b].name);
        folder_make(folder, part);
        snprintf(path, sizeof path, "%s/%s", folder, part);
        for (int i = 0; i < benchmarks[b].runs; i++) {
            log_write(path, &benchmarks[b], i);
            if (benchmarks[b].power)
                power_write(path, &benchmarks[b], i);
        }
    }
}
