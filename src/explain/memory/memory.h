/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - estimate the memory that a GPU needs for a model, by item, whether it fits, and the smallest change that
 * makes it fit; and interpret out-of-memory messages.
 *
 * Fill an mls_memory_ask from options (mls_memory_set), then from the settings that a job printed (mls_memory_runs),
 * then from the variables that the job's config exports (mls_memory_config). mls_memory_answer_make() computes the
 * items and tries changes; mls_memory_judge() turns the verdict into findings.  Source files: model_file.c, layers.c
 * and quantization.c read models; settings.c reads settings; training.c, pytorch.c, inference.c and weights.c compute
 * the items; logged.c reads what a job printed about its memory; changes.c tries changes; oom.c reads messages.
 *
 * All sizes are bytes on one GPU, in 64-bit integers with overflow checks. In comments, x / y rounds
 * down unless the text says "up".  Activations of Megatron follow Korthikanti et al. 2022 (arXiv:2205.05198), item by
 * item. */
#pragma once

#include "config/config.h"
#include "config/shell.h"
#include "explain/memory/memory_table.h"
#include "explain/models.h"
#include "log/log.h"
#include "log/messages.h"
#include "run/settings.h"
#include "score/accelerators.h"

typedef enum mls_memory_setting {
#define MLS_MEMORY_SETTING_ID(id, about, option, kind, argument, help) MLS_MEMORY_##id,
    MLS_MEMORY_SETTINGS(MLS_MEMORY_SETTING_ID) MLS_MEMORY_PARTS(MLS_MEMORY_SETTING_ID)
#undef MLS_MEMORY_SETTING_ID
        MLS_MEMORY_SETTING_COUNT
} mls_memory_setting;

typedef enum mls_memory_item {
#define MLS_MEMORY_ITEM_ID(id, about, name, sentence) MLS_MEMORY_ITEM_##id,
    MLS_MEMORY_ITEMS(MLS_MEMORY_ITEM_ID)
#undef MLS_MEMORY_ITEM_ID
        MLS_MEMORY_ITEM_COUNT
} mls_memory_item;

typedef enum mls_memory_verdict {
    MLS_MEMORY_UNKNOWN, /**< no capacity was given */
    MLS_MEMORY_FITS,
    MLS_MEMORY_FITS_WITH_HOST,
    MLS_MEMORY_TIGHT,
    MLS_MEMORY_DOES_NOT_FIT
} mls_memory_verdict;

/** The names of the verdicts, indexed by mls_memory_verdict: "fits", "does_not_fit" …  The name of MLS_MEMORY_UNKNOWN
 * is NULL. */
extern const char *const mls_memory_verdict_names[];

/** The members `of` below are one of these values: the item or setting applies to inference, to training, or to both.
 */
enum {
    MLS_MEMORY_INFERENCE = 1,
    MLS_MEMORY_TRAINING = 2,
    MLS_MEMORY_BOTH = MLS_MEMORY_INFERENCE | MLS_MEMORY_TRAINING
};

/** The names of the items, and a description of each in words. */
extern const struct mls_memory_item_row {
    const char *name, *words;
    unsigned of;
} mls_memory_items[MLS_MEMORY_ITEM_COUNT];

/** The names of the settings' options, such as "kv-precision".  `words` are the allowed words of a setting of kind
 * MLS_MEMORY_WORD, such as "fp32|bf16". */
extern const struct mls_memory_setting_row {
    const char *name, *words;
    enum {
        MLS_MEMORY_NAME,
        MLS_MEMORY_NUMBER, /**< at least 1 */
        MLS_MEMORY_WHOLE,
        MLS_MEMORY_SIZE,
        MLS_MEMORY_SHARE, /**< above 0 and at most 1, stored in millionths */
        MLS_MEMORY_FLAG,
        MLS_MEMORY_WORD
    } kind;
    unsigned of;
} mls_memory_settings[MLS_MEMORY_SETTING_COUNT];

/** Return the word for the value of a setting.  Its ptr is NULL if the setting does not have words. */
mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value);

enum { MLS_MEMORY_NOT_SET = -1, MLS_MEMORY_MODEL_NAME_MAX = 128, MLS_MEMORY_DOUBT_MAX = 1200 };

/** The formats of a model's weights, if there are several. */
enum { MLS_MEMORY_FORM_MAX = 320 };
typedef struct mls_memory_form {
    uint64_t bytes; /**< size of all weights in bytes; 0: all weights have one format, or the formats are unknown */
    double wide;    /**< share of the weights with 16 bits or more, from 0 to 1 */
    char words[MLS_MEMORY_FORM_MAX]; /**< description of the formats, NUL-terminated */
} mls_memory_form;

/** A question: a model, a GPU and how it is used.  Initialise it with mls_memory_ask_init().  The model
 * and accelerator tables must outlive it.  The settings MODEL, GPU, LINK and LAYOUT are stored in `shape`, `gpu`,
 * `link` and `layout`, all others in `values`. */
typedef struct mls_memory_ask {
    const mls_models *models;
    const mls_accelerators *accelerators;
    int64_t values[MLS_MEMORY_SETTING_COUNT]; /**< MLS_MEMORY_NOT_SET: the default */
    mls_model_shape shape;                    /**< shape of the model; layers 0: no model is set */
    char model[MLS_MEMORY_MODEL_NAME_MAX];    /**< name of the model, NUL-terminated */
    char doubt[MLS_MEMORY_DOUBT_MAX]; /**< parts of the model's file that are unknown or not counted; "": nothing is in
                                         doubt */
    bool unsure;                      /**< the doubt concerns every number: "fits" may be wrong */
    mls_memory_form quantization;     /**< formats in the model's file; used unless PRECISION is set */
    int64_t kv_precision;             /**< precision of the KV cache in the model's file, or MLS_MEMORY_NOT_SET */
    char model_type[64];              /**< model_type in the model's config.json; "": missing */
    size_t doubt_apart;               /**< length of the part of `doubt` that is not about quantization */
    bool unsure_apart;                /**< value of `unsure` for that part alone */
    const char *benchmark;            /**< key of the model in the table; NULL: the model is not from the table */
    const mls_gpu *gpu;               /**< NULL: no GPU is set */
    const mls_link *link;             /**< link to host memory; NULL: use the GPU's link */
    mls_pipeline_layout
        layout;      /**< layers of each pipeline chunk; count 0: all stages have the same number of layers */
    bool ended_well; /**< a run of the job succeeded, so the job fits whatever the estimate is */
} mls_memory_ask;

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators);

/** Set a setting from the text of its option; flags accept any text.  Return MLS_ERROR_VALUE or MLS_ERROR_UNKNOWN with
 * a message, or an error of reading a model's file (see mls_memory_model_parse()). */
mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text,
                          mls_error *error) MLS_MUST_USE;

/** Return whether a model's name is a path: it contains a folder, or ends in .json. */
bool mls_memory_model_is_file(const char *name);

/** Maximum size of a model file in bytes.  For a larger file, MLS_ERROR_LIMIT is returned. */
#define MLS_MEMORY_MODEL_BYTES_MAX ((size_t)1 << 24)

/** Set the model from JSON: a Hugging Face config.json, or an object with members of src/data/models.json, at least
 * layers and hidden.  `name` is the model's name if the JSON does not contain one.  Return MLS_ERROR_SYNTAX, or
 * MLS_ERROR_VALUE if a needed member is missing or a size is absurd. */
mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error) MLS_MUST_USE;

/** Fill in unset settings of a training job from the exports of a config, its name and its folders.  For
 * an invalid export, add a finding with its line.  The model stays unset if the config does not name one.  The GPU
 * stays unset unless the config names exactly one.  Return whether the config alone is enough for a verdict: the config
 * names a model and its parallelism (tp, pp or cp), and all its exports are valid. */
bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings);

/** Fill in unset training settings from the settings that a job printed.  Call this function before
 * mls_memory_config(): the printed values take precedence over exports, which may have been overridden.  `gpus` is the
 * number of the job's GPUs; 0: unknown.  Return false if the job printed no known setting. */
bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus);

/** Set ask->ended_well if one of a job's runs succeeded, and fill in settings from the first run that printed known
 * ones. Return that run, or NULL if no run printed a known setting. */
const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus);

/** The largest amounts of memory that a job printed in its logs, in bytes; 0: not printed. */
typedef struct mls_memory_logged {
    double allocated, reserved;
} mls_memory_logged;

/** Raise *to to the largest amounts printed in the log at `path`: max_memory_usage of tracked_stats, which is in GiB,
 * and Megatron's "max allocated" and "max reserved".  `root` is as in mls_source.  A pipe or a file that cannot be read
 * is skipped. */
void mls_memory_logged_read(const char *path, size_t root, mls_memory_logged *to);

/** Number of tokens in a block of vLLM's KV cache. */
enum { MLS_MEMORY_BLOCK_TOKENS = 16 };

/** The memory of one GPU.  Sizes are in bytes.  Unknown numbers are negative unless a comment says otherwise. */
typedef struct mls_memory_estimate {
    bool training;
    uint64_t items[MLS_MEMORY_ITEM_COUNT];
    uint64_t allocated; /**< training: peak without the item RUNTIME */
    uint64_t estimate;  /**< value that nvidia-smi would show */
    uint64_t low, high; /**< uncertainty range of the estimate: implementations differ */
    uint64_t capacity;  /**< of one GPU; 0: unknown */
    uint64_t budget;    /**< part of the capacity that the job may use: all of it, or the share set by UTILIZATION */
    mls_memory_verdict verdict;
    uint64_t parameters; /**< number of parameters of the whole model */
    uint64_t gpus;
    /** Inference. */
    uint64_t kv_per_token;
    int64_t max_tokens, max_users;
    /** If UTILIZATION is set: bytes left for the KV cache, and the number of blocks of MLS_MEMORY_BLOCK_TOKENS tokens
     * that fit in them. */
    int64_t cache_bytes, cache_blocks;
    uint64_t spill; /**< bytes that do not fit but could be in host memory; 0: all bytes fit, or the link is unknown */
    double read_ms; /**< time to read the `spill` bytes once, in milliseconds */
    bool decides;   /**< this estimate is for a published checkpoint and determines the verdict */
    mls_memory_form form; /**< formats of the weights */
    const mls_link *link;
    uint64_t host_bytes; /**< host memory per GPU; 0: unknown */
    /** Training. */
    uint64_t stage;     /**< index of the pipeline stage that needs most memory, from 0 */
    uint64_t layers;    /**< number of layers of that stage */
    uint64_t in_flight; /**< micro-batches (virtual pipeline: chunks) whose activations that stage keeps at once */
    uint64_t data_parallel, global_batch;
    uint64_t shared_by; /**< number of GPUs among which ZERO shards the states; 1: not sharded */
    const char *peak;   /**< moment of a step at which most memory is allocated; NULL: not computed */
} mls_memory_estimate;

/** A change of the first `count` of `values`, and the estimate and verdict after it. */
typedef struct mls_memory_change {
    size_t count;
    struct {
        mls_memory_setting setting;
        int64_t value; /**< MLS_MEMORY_NOT_SET: the default */
    } values[8];
    uint64_t estimate;
    uint64_t shown; /**< estimate that mls_memory_shown() would return for the changed settings */
    mls_memory_verdict verdict;
} mls_memory_change;

enum { MLS_MEMORY_TRIED_MAX = 12 };

typedef struct mls_memory_answer {
    mls_memory_estimate estimate;
    /** The estimate with weights as in published checkpoints of the same precision: embeddings, head, norms and routers
     * in 16 bits, plus scales.  Its member `estimate` is 0 if such checkpoints are not known to differ. */
    mls_memory_estimate published;
    mls_memory_change tried[MLS_MEMORY_TRIED_MAX]; /**< single changes; empty unless the job is tight or does not fit */
    size_t tried_count;
    bool has_smallest;
    mls_memory_change smallest; /**< the first single change that fits, else the first pair of changes that fits */
} mls_memory_answer;

/** Return the value of a setting or, if it is not set, its default.  Return 0 if it does not have a default. */
uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting);

/** Compute the memory of one GPU. Return MLS_ERROR_VALUE if a needed setting is missing, the layout does not
 * divide the model, or a size is absurd. */
mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *estimate,
                                    mls_error *error) MLS_MUST_USE;

/** Compute the memory of one GPU like mls_memory_estimate_make(), and try changes if the job is tight or does not fit.
 */
mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error) MLS_MUST_USE;

/** Return the estimate that determines the verdict, `estimate` or `published`.  It is the one to print. */
const mls_memory_estimate *mls_memory_shown(const mls_memory_answer *answer);

/** Write the result in one line: the verdict, the estimate with its range, the GPU, and the largest items. */
enum { MLS_MEMORY_WORDS_MAX = 320 };
void mls_memory_words(const mls_memory_ask *ask, const mls_memory_estimate *estimate, char words[MLS_MEMORY_WORDS_MAX]);

/** Add the finding MEMORY_DOES_NOT_FIT or MEMORY_TIGHT, if it applies, with the text of mls_memory_words().  Add the
 * finding MEMORY_MODEL if ask->doubt is not empty. */
void mls_memory_judge(const mls_memory_ask *ask, const mls_memory_answer *answer, mls_findings *findings);

/** List the items of an estimate that are not 0, the largest first; return their number. */
size_t mls_memory_items_sort(const mls_memory_estimate *estimate, mls_memory_item items[MLS_MEMORY_ITEM_COUNT]);

/** Advice that follows from the numbers in a message: the bits of mls_oom.advice. */
typedef enum mls_oom_advice {
#define MLS_OOM_ADVICE_ID(id, name, words) MLS_OOM_##id,
    MLS_OOM_ADVICE(MLS_OOM_ADVICE_ID)
#undef MLS_OOM_ADVICE_ID
        MLS_OOM_ADVICE_COUNT
} mls_oom_advice;

/** The name of each advice, and a sentence with the advice; indexed by mls_oom_advice. */
extern const struct mls_oom_advice_row {
    const char *name, *words;
} mls_oom_advices[MLS_OOM_ADVICE_COUNT];

/** An out-of-memory message.  The int64_t members are sizes in bytes, except for rank and gpu; -1: not in the
 * message. */
typedef struct mls_oom {
    const char *file;                /**< as passed to mls_oom_search_begin() */
    size_t line;                     /**< line of the message in the file, from 1 */
    const mls_signature *signature;  /**< signature of the failure, as in mlscore diagnose.  The search owns it. */
    const char *framework, *wording; /**< such as "pytorch" and "pytorch-capacity".  The search owns them. */
    int64_t rank, gpu;
    int64_t tried, capacity, free, in_use, allocated, reserved, reserved_unallocated, private_pool, allowed, other;
    unsigned advice; /**< bit i is set if the advice with the value i of mls_oom_advice applies */
} mls_oom;

/** Search logs for out-of-memory messages, one file at a time: call mls_oom_search_begin() before the first line of a
 * file. mls_oom_search_lines() is the `lines` callback of a sink (log.h) with the search as its state.
 * mls_oom_search_end() judges the messages of a file after its last line.  Call mls_oom_search_free() even if
 * mls_oom_search_new() fails. */
typedef struct mls_oom_search mls_oom_search;
mls_status mls_oom_search_new(mls_oom_search **search, mls_error *error) MLS_MUST_USE;
void mls_oom_search_free(mls_oom_search *search);
void mls_oom_search_begin(mls_oom_search *search, const char *file);
mls_status mls_oom_search_lines(void *search, const mls_lines *lines);
void mls_oom_search_end(mls_oom_search *search);

/** Return the messages in the order of files and lines, and set *count to their number.  Set *dropped to the number of
 * further messages that were not stored because there were too many. */
const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped);
