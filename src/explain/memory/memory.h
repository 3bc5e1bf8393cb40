/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - estimate the memory that a GPU needs for a model, by item, whether it fits, and the smallest change that
 * makes it fit; and interpret out-of-memory messages.
 *
 * Fill an mls_memory_ask from options (mls_memory_set), from the settings that a job printed (mls_memory_runs), and
 * from the exports of its config (mls_memory_config), in this order. mls_memory_answer_make() computes the items and
 * tries changes; mls_memory_judge() turns the verdict into findings.  Models are read by model_file.c, layers.c and
 * quantization.c; settings.c reads settings, training.c, inference.c and weights.c add up, changes.c tries changes,
 * oom.c reads messages.
 *
 * All sizes are bytes on one GPU, in 64-bit integers with overflow checks. x / y rounds down and "up" rounds up where
 * the formula has it.  Activations follow Korthikanti et al. 2022 (arXiv:2205.05198), item by item. */
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

/** "fits", "does_not_fit", …; NULL: unknown. */
extern const char *const mls_memory_verdict_names[];

/** Bits: an item or a setting applies to inference, to training. */
enum {
    MLS_MEMORY_INFERENCE = 1,
    MLS_MEMORY_TRAINING = 2,
    MLS_MEMORY_BOTH = MLS_MEMORY_INFERENCE | MLS_MEMORY_TRAINING
};

/** The names and descriptions of the items. */
extern const struct mls_memory_item_row {
    const char *name, *words;
    unsigned of;
} mls_memory_items[MLS_MEMORY_ITEM_COUNT];

/** The names of the settings' options, such as "kv-precision", and the allowed words of kind WORD, such as "fp32|bf16".
 */
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

/** Return the word for the value of a setting; ptr is NULL if it has no words. */
mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value);

enum { MLS_MEMORY_NOT_SET = -1, MLS_MEMORY_MODEL_NAME_MAX = 128, MLS_MEMORY_DOUBT_MAX = 1200 };

/** The formats of a model's weights, if there are several. */
enum { MLS_MEMORY_FORM_MAX = 320 };
typedef struct mls_memory_form {
    uint64_t bytes;                  /**< of all weights; 0: one format, or unknown */
    double wide;                     /**< share of the numbers with 16 bits or more */
    char words[MLS_MEMORY_FORM_MAX]; /**< a description, NUL-terminated */
} mls_memory_form;

/** A question: a model, a GPU and how it is used.  Initialise it with mls_memory_ask_init().  It owns nothing; the
 * tables must outlive it.  Model, GPU and link are members instead of values. */
typedef struct mls_memory_ask {
    const mls_models *models;
    const mls_accelerators *accelerators;
    int64_t values[MLS_MEMORY_SETTING_COUNT]; /**< MLS_MEMORY_NOT_SET: the default */
    mls_model_shape shape;                    /**< of the model; no layers: no model is set */
    char model[MLS_MEMORY_MODEL_NAME_MAX];    /**< its name, NUL-terminated */
    char doubt[MLS_MEMORY_DOUBT_MAX];         /**< parts of its file that are unknown or not counted; "": none */
    bool unsure;                              /**< the doubt concerns every number: "fits" may be wrong */
    mls_memory_form quantization;             /**< of its file; it applies unless a precision is set */
    int64_t kv_precision;                     /**< precision of the KV cache in its file, or MLS_MEMORY_NOT_SET */
    char model_type[64];                      /**< of its config.json; "": none */
    size_t doubt_apart;                       /**< length of the part of `doubt` that is not about quantization */
    bool unsure_apart;                        /**< whether that part makes the estimate unsure */
    const char *benchmark;                    /**< its key, if it is in the table */
    const mls_gpu *gpu;                       /**< NULL: none */
    const mls_link *link;                     /**< NULL: that of the GPU */
    mls_pipeline_layout layout;               /**< no chunks: all stages have the same number of layers */
    bool ended_well;                          /**< a run of the job succeeded, so it fits whatever the estimate is */
} mls_memory_ask;

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators);

/** Set a setting from the text of its option; flags accept any text.  Return MLS_ERROR_VALUE or MLS_ERROR_UNKNOWN with
 * a message, or an error of reading a model's file (see mls_memory_model_parse()). */
mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text,
                          mls_error *error) MLS_MUST_USE;

/** Return whether a model's name is a path: it contains a folder, or ends in .json. */
bool mls_memory_model_is_file(const char *name);

/** Maximum size of a model file; for a larger one return MLS_ERROR_LIMIT. */
#define MLS_MEMORY_MODEL_BYTES_MAX ((size_t)1 << 24)

/** Set the model from the JSON of a Hugging Face config.json, or of an object with the members of src/data/models.json
 * (it has layers and hidden).  `name` is the default name.  Return MLS_ERROR_SYNTAX, or MLS_ERROR_VALUE if something is
 * missing or absurd. */
mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error) MLS_MUST_USE;

/** Fill in unset settings of a training job from the exports of a config, its name and its folders.  Invalid exports
 * add findings at their line.  The model stays unset if it is not named; the GPU stays unset if none or several are
 * named. Return whether the config alone is enough for a verdict: it names a model and its parallelism (tp, pp or cp),
 * and all of it was valid. */
bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings);

/** Fill in unset training settings from those that a job printed.  Call it before mls_memory_config() because exports
 * may have been overridden.  `gpus` is the number of the job's GPUs; 0: unknown.  Return false if the job printed no
 * known setting. */
bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus);

/** Find out from a job's runs whether one succeeded, and take the settings of the first run with known ones.  Return
 * that run, or NULL. */
const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus);

/** Number of tokens in a block of vLLM's KV cache. */
enum { MLS_MEMORY_BLOCK_TOKENS = 16 };

/** Unknown numbers are negative. */
typedef struct mls_memory_estimate {
    bool training;
    uint64_t items[MLS_MEMORY_ITEM_COUNT];
    uint64_t allocated; /**< training: peak without the runtime */
    uint64_t estimate;  /**< value that nvidia-smi would show */
    uint64_t low, high; /**< uncertainty range: some implementations avoid a part, others need more */
    uint64_t capacity;  /**< of one GPU; 0: unknown */
    uint64_t budget;    /**< part of it that the job may use: all of it, or a server's share */
    mls_memory_verdict verdict;
    uint64_t parameters; /**< of the whole model */
    uint64_t gpus;
    /** Inference. */
    uint64_t kv_per_token;
    int64_t max_tokens, max_users;
    /** If a server has a share of the memory: bytes left for the KV cache, and the number of blocks of
     * MLS_MEMORY_BLOCK_TOKENS tokens in it. */
    int64_t cache_bytes, cache_blocks;
    uint64_t spill; /**< bytes that do not fit and could be in the host's memory; 0: none, or the link is unknown */
    double read_ms; /**< time to read them once, in milliseconds */
    bool decides;   /**< the verdict is that of published checkpoints, and this is their estimate */
    mls_memory_form form; /**< formats of the weights */
    const mls_link *link;
    uint64_t host_bytes; /**< host memory per GPU; 0: unknown */
    /** Training. */
    uint64_t stage;     /**< the fullest pipeline stage, from 0 */
    uint64_t layers;    /**< number of layers of that stage */
    uint64_t in_flight; /**< micro-batches (with a virtual pipeline: chunks) whose activations it keeps at once */
    uint64_t data_parallel, global_batch;
    uint64_t shared_by; /**< number of GPUs that share states according to `zero`; 1: not shared */
} mls_memory_estimate;

/** A change of settings and its effect. */
typedef struct mls_memory_change {
    size_t count;
    struct {
        mls_memory_setting setting;
        int64_t value; /**< MLS_MEMORY_NOT_SET: the default */
    } values[8];
    uint64_t estimate;
    uint64_t shown; /**< estimate of mls_memory_shown() */
    mls_memory_verdict verdict;
} mls_memory_change;

enum { MLS_MEMORY_TRIED_MAX = 12 };

typedef struct mls_memory_answer {
    mls_memory_estimate estimate;
    /** With weights as in published checkpoints of the precision: embeddings, head, norms and routers in 16 bits, plus
     * scales.  The estimate is 0 if no difference is known. */
    mls_memory_estimate published;
    mls_memory_change tried[MLS_MEMORY_TRIED_MAX]; /**< single changes, if the estimate is tight or does not fit */
    size_t tried_count;
    bool has_smallest;
    mls_memory_change smallest; /**< the first change that fits, else the first pair of changes */
} mls_memory_answer;

/** Return the value of a setting, or its default; 0: none. */
uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting);

/** Compute the memory of one GPU. Return MLS_ERROR_VALUE if something is missing, not divisible or absurd. */
mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *estimate,
                                    mls_error *error) MLS_MUST_USE;

/** Do the same, and try changes if it does not fit. */
mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error) MLS_MUST_USE;

/** Return the estimate to show to people: the one that the verdict is about. */
const mls_memory_estimate *mls_memory_shown(const mls_memory_answer *answer);

/** Write the result in one line: the verdict, the estimate with its range, the GPU, and the largest items. */
enum { MLS_MEMORY_WORDS_MAX = 320 };
void mls_memory_words(const mls_memory_ask *ask, const mls_memory_estimate *estimate, char words[MLS_MEMORY_WORDS_MAX]);

/** Add MEMORY_DOES_NOT_FIT or MEMORY_TIGHT to findings, with the line of mls_memory_words(); and MEMORY_MODEL with the
 * doubt about the model, if any. */
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

/** Its name, and a sentence with the advice. */
extern const struct mls_oom_advice_row {
    const char *name, *words;
} mls_oom_advices[MLS_OOM_ADVICE_COUNT];

/** An out-of-memory message.  Numbers are bytes, except for rank and gpu; -1: not in the message. */
typedef struct mls_oom {
    const char *file;                /**< as passed to mls_oom_search_begin() */
    size_t line;                     /**< in it, from 1 */
    const mls_signature *signature;  /**< as in mlscore diagnose; owned by the search, like `framework` and `wording` */
    const char *framework, *wording; /**< "pytorch", "pytorch-capacity" */
    int64_t rank, gpu;
    int64_t tried, capacity, free, in_use, allocated, reserved, reserved_unallocated, private_pool, allowed, other;
    unsigned advice; /**< bits by mls_oom_advice */
} mls_oom;

/** Search logs for such messages, one file at a time. mls_oom_search_lines() is the `lines` callback of a sink (log.h)
 * with the search as its state. mls_oom_search_end() judges the messages of a file after its last line.  Free a new
 * search in any case. */
typedef struct mls_oom_search mls_oom_search;
mls_status mls_oom_search_new(mls_oom_search **search, mls_error *error) MLS_MUST_USE;
void mls_oom_search_free(mls_oom_search *search);
void mls_oom_search_begin(mls_oom_search *search, const char *file);
mls_status mls_oom_search_lines(void *search, const mls_lines *lines);
void mls_oom_search_end(mls_oom_search *search);

/** Return the messages in order.  If there are too many, the last ones are only counted in *dropped. */
const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped);
