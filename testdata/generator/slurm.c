/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.c - a Slurm log directory as the public run.sub scripts leave it: ten
 * trials of llama2_70b_lora on 18 nodes of 4 GPUs, global batch size 9.
 *
 * Trial 7 misses the target, hangs while it ends and is cancelled; in trial 4
 * rank 37 writes into a line of rank 0.  The job's own slurm-117.out repeats
 * every trial.
 */
#include "writer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOB 117
#define NODES 18
#define GPUS_PER_NODE 4
#define RANKS (NODES * GPUS_PER_NODE)
#define FIRST_NODE 76
#define BATCH 9
#define STEPS_BEFORE_FIRST_EVAL 168
#define STEPS_BETWEEN_EVALS 42
#define STEPS_MAX 504
#define STEP_MS 234
#define EVAL_MS 2560
#define TARGET "0.925"
#define DATESTAMP "250419104520"
#define IMAGE "registry.example.com/mlperf/llama2_70b_lora:5.0"
#define CONFIG "GB200_18x4x1xtp1pp1cp8"

typedef struct trial {
    int index;
    int steps; /* trained when it ended */
    int64_t run_start_ms;
    int64_t init_ms;   /* from init_start to init_stop */
    int64_t jitter_ms; /* what the run took more than its steps and evaluations */
    int seed;
    const char *final_eval;
    bool aborted;
    bool torn;
} trial;

static const trial trials[] = {
    {1, 336, 1745066917961, 148700, 35, 10891, "0.92474365234375", false, false},
    {2, 378, 1745067237302, 147911, 148, 27316, "0.92431640625", false, false},
    {3, 336, 1745067575118, 149360, 71, 5524, "0.92490234375", false, false},
    {4, 378, 1745067897455, 148034, 12, 19207, "0.9241943359375", false, true},
    {5, 336, 1745068230871, 147688, 203, 31998, "0.92388916015625", false, false},
    {6, 378, 1745068552694, 148905, 64, 8443, "0.92462158203125", false, false},
    {7, 504, 1745068889226, 148127, 391, 23070, "0.9310302734375", true, false},
    {8, 378, 1745069521580, 150246, 95, 14675, "0.9246826171875", false, false},
    {9, 420, 1745069856049, 147803, 187, 2162, "0.92413330078125", false, false},
    {10, 336, 1745070202740, 149012, 118, 30441, "0.92449951171875", false, false},
};

/* A trial while it is being written. */
typedef struct writer {
    FILE *out;
    const trial *run;
    random_source random;
} writer;

static int evals_before(int steps)
{
    return steps < STEPS_BEFORE_FIRST_EVAL ? 0 : (steps - STEPS_BEFORE_FIRST_EVAL) / STEPS_BETWEEN_EVALS;
}

/* When `steps` were trained and `evals` evaluations done, in ms since 1970. */
static int64_t time_at(const trial *run, int steps, int evals)
{
    return run->run_start_ms + (int64_t)steps * STEP_MS + (int64_t)evals * EVAL_MS +
           run->jitter_ms * steps / run->steps;
}

/* For %lld. */
static long long seconds_of(int64_t time_ms)
{
    return time_ms / 1000;
}

static const char *clock_text(int64_t time_ms, char text[32])
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
        abort();
    return text;
}

/* A record of rank 0, as `srun -l` passes it on. */
static void rank0(writer *w, int64_t time_ms, const char *type, const char *key, const char *value, int lineno,
                  const char *more)
{
    fputs(" 0: ", w->out);
    record_print(w->out, time_ms, type, key, value, lineno < 300 ? CALLBACK : SCRIPT, lineno, more);
    fputc('\n', w->out);
}

static void prologue_write(writer *w, int64_t begin_ms)
{
    const char *system =
        "{\"submitter\":\"EXAMPLE\",\"division\":\"closed\",\"status\":\"Available on-premise\","
        "\"system_name\":\"example-gb200\",\"number_of_nodes\":\"18\",\"host_processors_per_node\":\"2\","
        "\"host_processor_model_name\":\"Neoverse-V2\",\"accelerators_per_node\":\"4\","
        "\"accelerator_model_name\":\"NVIDIA GB200\",\"framework\":\"PyTorch\",\"operating_system\":\"Ubuntu 24.04\"}";

    fprintf(w->out, "+ echo 'Beginning trial %d of 10'\nBeginning trial %d of 10\n", w->run->index, w->run->index);
    fprintf(w->out, "+ echo ':::DLPAL " IMAGE " %d %d node[%03d-%03d] '\\''example'\\'' " CONFIG "'\n", JOB, NODES,
            FIRST_NODE, FIRST_NODE + NODES - 1);
    fprintf(w->out, ":::DLPAL " IMAGE " %d %d node[%03d-%03d] 'example' " CONFIG "\n", JOB, NODES, FIRST_NODE,
            FIRST_NODE + NODES - 1);
    fprintf(w->out, ":::SYSJSON %s\n", system);
    fputs(":::GITCOMMITID 5f1c0de5f1c0de5f1c0de5f1c0de5f1c0de5f1c0 0ddba110ddba110ddba110ddba110ddba110ddba\n", w->out);
    fputs("+ set -x\n+ '[' 1 -eq 1 ']'\n", w->out);
    /* The nodes answer in no order; 7 and 18 share no factor, so each comes once. */
    for (int i = 0; i < NODES; i++)
        fprintf(w->out, "Clearing cache on node%03d\nvm.drop_caches = 3\n",
                FIRST_NODE + (i * 7 + w->run->index) % NODES);
    for (int i = 0; i < NODES; i++) {
        record_print(w->out, begin_ms + 1200 + (int64_t)random_below(&w->random, 90), POINT, "cache_clear", "true",
                     "<string>", 3, "");
        fputc('\n', w->out);
    }
    fprintf(w->out, "+ export SEED=%d\n+ SEED=%d\n++ date +%%s\n", w->run->seed, w->run->seed);
    fprintf(w->out, "+ echo 'RUNANDTIME_START %lld'\nRUNANDTIME_START %lld\n", seconds_of(begin_ms) + 4,
            seconds_of(begin_ms) + 4);
    fprintf(w->out,
            "+ srun -l --mpi=pmix --ntasks-per-node=%d --container-name=lora_%d slurm2pytorch ./run_and_time.sh\n",
            GPUS_PER_NODE, JOB);
}

static void ranks_chat(writer *w, const char *text, int lines)
{
    for (int i = 0; i < lines; i++) {
        int rank = (int)random_below(&w->random, RANKS);

        fprintf(w->out, "%2d: node%03d:%d [%d] %s\n", rank, FIRST_NODE + rank / GPUS_PER_NODE,
                20000 + (int)random_below(&w->random, 9000), rank % GPUS_PER_NODE, text);
    }
}

static void init_write(writer *w)
{
    int64_t start = w->run->run_start_ms - 1 - w->run->init_ms;
    char text[64];

    fprintf(w->out, " 0: STARTING TIMING RUN AT %s\n", clock_text(start - 20000, text));
    ranks_chat(w, "bootstrap: using eth0, 72 peers", 6);
    rank0(w, start, START, "init_start", "null", 490, "");
    rank0(w, start + 1, POINT, "submission_benchmark", "\"llama2_70b_lora\"", 491, "");
    rank0(w, start + 1, POINT, "submission_org", "\"EXAMPLE\"", 491, "");
    rank0(w, start + 1, POINT, "submission_division", "\"closed\"", 491, "");
    rank0(w, start + 1, POINT, "submission_status", "\"onprem\"", 491, "");
    rank0(w, start + 2, POINT, "submission_platform", "\"18xGB200\"", 491, "");
    rank0(w, start + 2, POINT, "target_accuracy", TARGET, 494, "");
    rank0(w, start + 90, POINT, "opt_base_learning_rate", "0.0005", 501, "");
    rank0(w, start + 90, POINT, "opt_adamw_weight_decay", "0.0001", 502, "");
    rank0(w, start + 91, POINT, "opt_gradient_clip_norm", "0.3", 503, "");
    rank0(w, start + 91, POINT, "opt_learning_rate_warmup_factor", "0.0", 504, "");
    snprintf(text, sizeof text, "%d", STEPS_MAX);
    rank0(w, start + 91, POINT, "opt_learning_rate_training_steps", text, 505, "");
    rank0(w, start + 92, POINT, "lora_rank", "16", 506, "");
    rank0(w, start + 92, POINT, "lora_alpha", "32", 507, "");
    rank0(w, start + 440, POINT, "global_batch_size", "9", 297, "");
    rank0(w, start + 441, POINT, "train_samples", "3901", 297, "");
    rank0(w, start + 441, POINT, "eval_samples", "173", 297, "");
    rank0(w, start + 441, POINT, "gradient_accumulation_steps", "1", 297, "");
    snprintf(text, sizeof text, "%d", w->run->seed);
    rank0(w, start + 460, POINT, "seed", text, 563, "");
    fputs(" 0: checkpoint: reading 15 shards", w->out);
    for (int shard = 3; shard <= 15; shard += 3)
        fprintf(w->out, "\rcheckpoint: %2d of 15 shards", shard);
    fputs("\n", w->out);
    ranks_chat(w, "ring 0: 72 ranks joined", 6);
    fputs(" 0: W warm-up: 3 steps on made-up data, losses below mean nothing\n", w->out);
    rank0(w, w->run->run_start_ms - 1, END, "init_stop", "null", 83, "");
    rank0(w, w->run->run_start_ms, START, "run_start", "null", 83, "");
}

/* One record of the training loss; in trial 4 one is cut off by another rank. */
static void loss_write(writer *w, int steps, int evals)
{
    char value[64], more[96];
    int64_t now = time_at(w->run, steps, evals);
    /* One after the other: which argument of a call comes first is the compiler's choice. */
    int throughput = 4300 + (int)random_below(&w->random, 300);
    int loss = 1000 + (int)random_below(&w->random, 4000);

    snprintf(value, sizeof value, "{\"train_loss\": 1.%04d, \"throughput\": 38.%04d}", loss, throughput);
    snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", steps * BATCH, steps);
    if (w->run->torn && steps == 210) {
        fprintf(
            w->out,
            " 0: :::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"POINT_IN_TIME\", \"key\": \"tra",
            (long long)now);
        record_print(w->out, now + 1, POINT, "tracked_stats", "{\"dataloader_wait\": 0.0021}", CALLBACK, 211, "");
        fputc('\n', w->out);
        return;
    }
    rank0(w, now, POINT, "tracked_stats", value, 273, more);
}

/* The value of an evaluation that missed the target: falls from 0.9428, with some noise. */
static void eval_text(writer *w, int steps, char *text, size_t size)
{
    int done = evals_before(steps);
    int count = evals_before(w->run->steps);
    int floor = w->run->aborted ? 929800 : 925600;
    int value = floor + (942800 - floor) * (count - done) / (count + 1) + (int)random_below(&w->random, 700);

    if (steps == w->run->steps)
        snprintf(text, size, "%s", w->run->final_eval);
    else
        snprintf(text, size, "0.%06d%04d", value, (int)random_below(&w->random, 10000));
}

static void eval_write(writer *w, int steps)
{
    char value[64], more[96];
    int evals = evals_before(steps);
    int64_t start = time_at(w->run, steps, evals);
    int64_t stop = start + EVAL_MS;

    snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", steps * BATCH, steps);
    rank0(w, start, START, "eval_start", "null", 131, more);
    /* The progress bar leaves the cursor in the first column: the record follows a lone \r. */
    fputs(" 0: evaluating:   0%|          | 0/20", w->out);
    for (int i = 10; i <= 20; i += 10)
        fprintf(w->out, "\revaluating: %3d%%|%.*s%*s| %d/20", i * 5, i / 2, "##########", 10 - i / 2, "", i);
    fputc('\r', w->out);
    eval_text(w, steps, value, sizeof value);
    snprintf(more, sizeof more, ", \"samples_count\": %d", steps * BATCH);
    record_print(w->out, stop - 1, POINT, "eval_accuracy", value, CALLBACK, 272, more);
    fputc('\n', w->out);
    snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", steps * BATCH, steps);
    rank0(w, stop - 1, END, "eval_stop", "null", 148, more);
}

static void training_write(writer *w)
{
    char more[96];
    int done = 0;

    while (done < w->run->steps) {
        int steps = done == 0 ? STEPS_BEFORE_FIRST_EVAL : STEPS_BETWEEN_EVALS;
        int evals = done == 0 ? 0 : evals_before(done) + 1;

        snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", done * BATCH, done);
        rank0(w, time_at(w->run, done, evals), START, "block_start", "null", 185, more);
        for (int step = done + STEPS_BETWEEN_EVALS; step <= done + steps; step += STEPS_BETWEEN_EVALS)
            loss_write(w, step, evals);
        done += steps;
        snprintf(more, sizeof more, ", \"samples_count\": %d, \"step\": %d", done * BATCH, done);
        rank0(w, time_at(w->run, done, evals), END, "block_stop", "null", 194, more);
        eval_write(w, done);
    }
    snprintf(more, sizeof more, ", \"samples_count\": %d, \"status\": \"%s\"", done * BATCH,
             w->run->aborted ? "aborted" : "success");
    rank0(w, time_at(w->run, done, evals_before(done) + 1), END, "run_stop", "null", 106, more);
}

static void epilogue_write(writer *w, int64_t begin_ms)
{
    int64_t stop = time_at(w->run, w->run->steps, evals_before(w->run->steps) + 1);
    int64_t end = stop / 1000 + 11;
    char text[32];

    if (w->run->aborted) {
        end += 240;
        ranks_chat(w, "W watchdog: all-reduce has waited 120 s for its peers", 9);
        fprintf(w->out, "41: slurmstepd: error: *** STEP %d.19 ON node%03d CANCELLED AT %s DUE TO TIME LIMIT ***\n",
                JOB, FIRST_NODE, clock_text(end * 1000, text));
        fputs("srun: Job step aborted: Waiting up to 62 seconds for job step to finish.\n", w->out);
        fputs("srun: error: node086: task 41: Exited with exit code 1\n", w->out);
        fputs("srun: error: node076: tasks 0-3: Terminated\n", w->out);
    } else {
        fprintf(w->out, " 0: RESULT,LLM_FINETUNING,,%lld,mlperf,%s\n", (long long)end - seconds_of(begin_ms) - 4,
                clock_text(begin_ms + 4000, text));
        fprintf(w->out, " 0: ENDING TIMING RUN AT %s\n", clock_text(end * 1000, text));
    }
    fprintf(w->out, "+ echo 'RUNANDTIME_STOP %lld'\nRUNANDTIME_STOP %lld\n+ set -e\n", (long long)end, (long long)end);
}

static void trial_write(FILE *out, const trial *run)
{
    writer w = {out, run, {(uint64_t)run->seed}};
    int64_t begin_ms = run->run_start_ms - run->init_ms - 41000;

    prologue_write(&w, begin_ms);
    init_write(&w);
    training_write(&w);
    epilogue_write(&w, begin_ms);
}

/* The files that stand beside the trials and hold no run. */
static void others_write(const char *folder)
{
    random_source random = {JOB};
    FILE *out = output_open(folder, "llama2_70b_lora_" DATESTAMP "_nccl.log");

    fputs("# ranks 72, from 64 MiB to 64 MiB\n# size     time(us)  bandwidth(GB/s)\n", out);
    fputs("67108864  412.7     318.52\n# average bandwidth : 318.52\n", out);
    output_close(out, "nccl");

    out = output_open(folder, "compliance_" DATESTAMP ".out");
    fputs("checking " DATESTAMP "_7.log\neval_accuracy never reached the target; last record:\n", out);
    record_print(out, time_at(&trials[6], trials[6].steps, evals_before(trials[6].steps) + 1), END, "run_stop", "null",
                 CALLBACK, 106, ", \"samples_count\": 4536, \"status\": \"aborted\"");
    fputs("\nnot compliant\n", out);
    output_close(out, "compliance");

    output_close(output_open(folder, "117_node076_telemetry.log"), "telemetry");

    out = output_open(folder, "core.bin");
    fputs("\177ELF", out);
    for (int i = 0; i < 2044; i++)
        fputc(random_below(&random, 3) == 0 ? (int)random_below(&random, 256) : 0, out);
    output_close(out, "core");
}

void slurm_write(const char *folder)
{
    FILE *job = output_open(folder, "slurm-117.out");
    long long job_start = trials[0].run_start_ms / 1000 - 320;

    fprintf(job, "PROLOG_START %lld\nnode check: 18 of 18 nodes answered\nNCCL_TEST = 1\n", job_start);
    fprintf(job, "NCCL_TEST_START %lld\nNCCL_TEST_STOP %lld\nPROLOG_STOP %lld\n", job_start + 20, job_start + 61,
            job_start + 64);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        int64_t stop = time_at(&trials[i], trials[i].steps, evals_before(trials[i].steps) + 1);
        char *text = NULL, name[64];
        size_t size = 0;
        FILE *memory = open_memstream(&text, &size);
        FILE *out;

        if (memory == NULL)
            abort();
        trial_write(memory, &trials[i]);
        output_close(memory, "memory");
        snprintf(name, sizeof name, DATESTAMP "_%d.log", trials[i].index);
        out = output_open(folder, name);
        fwrite(text, 1, size, out);
        output_close(out, name);
        fprintf(job, "EXPERIMENT_START %lld\n", seconds_of(trials[i].run_start_ms - trials[i].init_ms) - 44);
        fwrite(text, 1, size, job);
        fprintf(job, "EXPERIMENT_STOP %lld\n", seconds_of(stop) + (trials[i].aborted ? 254 : 14));
        free(text);
    }
    output_close(job, "slurm-117.out");
    others_write(folder);
}
