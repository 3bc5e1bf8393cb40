/* SPDX-License-Identifier: Apache-2.0 */
/* generate.c - write logs for measurements; the output is deterministic.
 *
 * usage: generate log MIB FILE       one log of MIB mebibytes
 *        generate tree FOLDER        as many logs as in a large submission: 270 logs, 44 MB
 *
 * Half of the bytes are records, half are noise.  Line lengths in bytes are like those of published logs: noise has a
 * median of about 110 and a mean of about 150, with a tail up to 2,000 and rare lines of 135,000; records have 150 to
 * 450. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define LINE_MAX_BYTES 135000
#define TREE_LOGS 270
#define TREE_BYTES ((uint64_t)44000000)
#define LOGS_PER_FOLDER 10

typedef struct writer {
    FILE *out;
    uint64_t random;
    uint64_t records; /* bytes of records so far */
    uint64_t noise;   /* bytes of noise so far */
    long long time_ms;
    int samples;
} writer;

static uint64_t next(writer *w)
{
    uint64_t z = (w->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(writer *w, unsigned bound)
{
    return (unsigned)(next(w) % bound);
}

/* Return the line number in the program that logs a key; it is always the same. */
static unsigned line_of(const char *key)
{
    unsigned line = 60;
    for (; *key != '\0'; key++)
        line += (unsigned char)*key;
    return line;
}

static void record(writer *w, const char *type, const char *key, const char *value, const char *more)
{
    int length =
        fprintf(w->out,
                "%s:::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"%s\", \"key\": \"%s\", "
                "\"value\": %s, \"metadata\": {\"file\": \"/usr/local/lib/python3/dist-packages/train/log.py\", "
                "\"lineno\": %u%s}}\n",
                below(w, 2) == 0 ? " 0: " : "", w->time_ms, type, key, value, line_of(key), more);

    if (length > 0)
        w->records += (uint64_t)length;
    w->time_ms += below(w, 50);
}

static void stats_record(writer *w)
{
    char value[320], more[96];
    double rate = 900 + below(w, 100000) / 1000.0;

    w->samples += 8;
    snprintf(more, sizeof more, ", \"samples_count\": %d, \"lr\": %.17g, \"step\": %d", w->samples,
             0.0005 * below(w, 1000000) / 1e6, w->samples / 8);
    switch (below(w, 8)) {
    case 0:
        snprintf(value, sizeof value,
                 "{\"throughput\": %.14g, \"train_step_time\": %.17g, \"loss_scale\": 32768.0, \"current_lr\": %.17g, "
                 "\"grad_norm\": %.17g, \"wait\": {\"data\": %.6f, \"reduce\": %.6f}}",
                 rate, 8 / rate, rate / 1e6, rate / 3e3, rate / 1e5, rate / 1e4);
        break;
    case 1:
        snprintf(value, sizeof value, "{\"throughput\": %.14g}", rate);
        break;
    default:
        snprintf(value, sizeof value, "{\"train_loss\": %.17g}", rate / 700);
    }
    if (below(w, 40) == 0) {
        record(w, "INTERVAL_END", "block_stop", "null", ", \"samples_count\": 384");
        record(w, "INTERVAL_START", "block_start", "null", ", \"samples_count\": 384");
    }
    record(w, "POINT_IN_TIME", "tracked_stats", value, more);
}

/* Return the length of a line of noise: mostly short, rarely long. */
static unsigned noise_length(writer *w)
{
    unsigned dice = below(w, 100000);

    if (dice == 0)
        return LINE_MAX_BYTES;
    if (dice < 300)
        return 800 + below(w, 1200);
    if (dice < 20000)
        return 180 + below(w, 230);
    if (dice < 70000)
        return 85 + below(w, 65);
    return 20 + below(w, 75);
}

/* Write text like in logs: words, numbers, brackets, quotes, and colons that the search for the marker encounters. */
static void noise(writer *w)
{
    static const char *const words[] = {"[default",
                                        "INFO",
                                        "nemo_logging:393]",
                                        "Rank",
                                        "data parallel group",
                                        "::",
                                        "NCCL INFO Channel",
                                        "via P2P/IPC",
                                        "{\"step\": 17}",
                                        "loss=1.2345,",
                                        "[[0, 1, 2, 3],",
                                        "warning:",
                                        "/usr/local/lib/python3.12/site-packages/x.py",
                                        "ranks with context parallel combined",
                                        "0x14afb4161da0",
                                        "epoch",
                                        "::: done",
                                        "Setting",
                                        "tensor(0.1)",
                                        "MLLOG"};
    static char line[LINE_MAX_BYTES + 256];
    unsigned wanted = noise_length(w);
    size_t length = (size_t)snprintf(line, sizeof line, "%2u: ", below(w, 72));

    while (length < wanted) {
        const char *word = words[below(w, sizeof words / sizeof *words)];
        int more = snprintf(line + length, sizeof line - length, "%s %u ", word, below(w, 1000));

        length += (size_t)more;
    }
    line[length++] = '\n';
    fwrite(line, 1, length, w->out);
    w->noise += length;
}

static void run_begin(writer *w, unsigned seed)
{
    char text[32];

    snprintf(text, sizeof text, "%u", seed);
    record(w, "POINT_IN_TIME", "cache_clear", "true", "");
    record(w, "INTERVAL_START", "init_start", "null", "");
    record(w, "POINT_IN_TIME", "submission_benchmark", "\"llama2_70b_lora\"", "");
    record(w, "POINT_IN_TIME", "submission_org", "\"EXAMPLE\"", "");
    record(w, "POINT_IN_TIME", "submission_division", "\"closed\"", "");
    record(w, "POINT_IN_TIME", "submission_status", "\"onprem\"", "");
    record(w, "POINT_IN_TIME", "submission_platform", "\"1xEXAMPLE\"", "");
    record(w, "POINT_IN_TIME", "opt_base_learning_rate", "0.0005", "");
    record(w, "POINT_IN_TIME", "opt_adamw_weight_decay", "0.0001", "");
    record(w, "POINT_IN_TIME", "opt_gradient_clip_norm", "0.3", "");
    record(w, "POINT_IN_TIME", "opt_learning_rate_training_steps", "800", "");
    record(w, "POINT_IN_TIME", "opt_learning_rate_warmup_factor", "0.0", "");
    record(w, "POINT_IN_TIME", "target_accuracy", "0.925", "");
    record(w, "POINT_IN_TIME", "lora_rank", "16", "");
    record(w, "POINT_IN_TIME", "lora_alpha", "32", "");
    record(w, "POINT_IN_TIME", "global_batch_size", "8", "");
    record(w, "POINT_IN_TIME", "train_samples", "3901", "");
    record(w, "POINT_IN_TIME", "eval_samples", "173", "");
    record(w, "POINT_IN_TIME", "gradient_accumulation_steps", "1", "");
    record(w, "POINT_IN_TIME", "seed", text, "");
    record(w, "INTERVAL_END", "init_stop", "null", "");
    record(w, "INTERVAL_START", "run_start", "null", "");
    record(w, "INTERVAL_START", "block_start", "null", ", \"samples_count\": 0");
}

static void run_end(writer *w)
{
    record(w, "INTERVAL_END", "block_stop", "null", ", \"samples_count\": 3072");
    record(w, "INTERVAL_START", "eval_start", "null", ", \"samples_count\": 3072");
    record(w, "POINT_IN_TIME", "eval_accuracy", "0.9247", ", \"samples_count\": 3072");
    record(w, "INTERVAL_END", "eval_stop", "null", ", \"samples_count\": 3072");
    record(w, "INTERVAL_END", "run_stop", "null", ", \"samples_count\": 3072, \"status\": \"success\"");
}

/* Write a log with one run.  Return false, after printing a message, if it cannot be written. */
static bool log_write(const char *path, uint64_t bytes, unsigned seed)
{
    writer w = {.out = fopen(path, "wb"), .random = seed, .time_ms = 1745100000000 + 3600000LL * seed};
    bool failed = w.out == NULL;

    if (!failed) {
        run_begin(&w, seed);
        while (w.records + w.noise + 2000 < bytes)
            if (w.records <= w.noise)
                stats_record(&w);
            else
                noise(&w);
        run_end(&w);
        failed = ferror(w.out) != 0;
        failed = fclose(w.out) != 0 || failed;
    }
    if (failed)
        perror(path);
    return !failed;
}

static bool folder_make(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    perror(path);
    return false;
}

/* Write a system description with all required fields. */
static bool system_write(const char *folder, unsigned index)
{
    static const char *const fields[] = {"system_name",
                                         "number_of_nodes",
                                         "host_processors_per_node",
                                         "host_processor_model_name",
                                         "host_processor_core_count",
                                         "host_processor_vcpu_count",
                                         "host_processor_frequency",
                                         "host_processor_caches",
                                         "host_processor_interconnect",
                                         "host_memory_capacity",
                                         "host_storage_type",
                                         "host_storage_capacity",
                                         "host_networking",
                                         "host_networking_topology",
                                         "host_memory_configuration",
                                         "accelerators_per_node",
                                         "accelerator_model_name",
                                         "accelerator_host_interconnect",
                                         "accelerator_frequency",
                                         "accelerator_on-chip_memories",
                                         "accelerator_memory_configuration",
                                         "accelerator_memory_capacity",
                                         "accelerator_interconnect",
                                         "accelerator_interconnect_topology",
                                         "cooling",
                                         "hw_notes",
                                         "framework",
                                         "other_software_stack",
                                         "operating_system",
                                         "sw_notes"};
    char path[4096];

    snprintf(path, sizeof path, "%s/systems/system_%u.json", folder, index);
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        perror(path);
        return false;
    }
    fputs("{\"submitter\": \"EXAMPLE\", \"division\": \"closed\", \"status\": \"Available cloud\"", out);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fprintf(out, ",\n \"%s\": \"1\"", fields[i]);
    fputs("}\n", out);
    return fclose(out) == 0;
}

/* Write one submitter's folder: 27 systems with ten logs each. */
static bool tree_write(const char *folder)
{
    char path[4096];
    static const char *const parts[] = {"results", "systems"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        if (!folder_make(path))
            return false;
    }
    for (unsigned i = 0; i < TREE_LOGS; i++) {
        unsigned result = i / LOGS_PER_FOLDER;

        snprintf(path, sizeof path, "%s/results/system_%u", folder, result);
        if (i % LOGS_PER_FOLDER == 0 && (!folder_make(path) || !system_write(folder, result)))
            return false;
        snprintf(path, sizeof path, "%s/results/system_%u/llama2_70b_lora", folder, result);
        if (i % LOGS_PER_FOLDER == 0 && !folder_make(path))
            return false;
        snprintf(path, sizeof path, "%s/results/system_%u/llama2_70b_lora/result_%u.txt", folder, result,
                 i % LOGS_PER_FOLDER);
        if (!log_write(path, TREE_BYTES / TREE_LOGS, i + 1))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "log") == 0)
        return log_write(argv[3], strtoull(argv[2], NULL, 10) << 20, 1) ? 0 : 1;
    if (argc == 3 && strcmp(argv[1], "tree") == 0)
        return tree_write(argv[2]) ? 0 : 1;
    fputs("usage: generate log MIB FILE\n       generate tree FOLDER\n", stderr);
    return 2;
}
