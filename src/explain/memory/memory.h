/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - the memory that a GPU needs for a model, item by item, whether it fits, and the smallest change that makes
 * it fit; and what follows from messages of memory that ran out.
 *
 * An mls_memory_ask is filled from options (mls_memory_set), what a job printed (mls_memory_runs) and the exports of
 * its config (mls_memory_config), in this order; mls_memory_answer_make() adds up the items and tries changes, and
 * mls_memory_judge() turns the verdict into findings.  A model comes from src/data/models.json or a config.json
 * (model_file.c, layers.c, quantization.c); settings.c reads what is asked, training.c, inference.c and weights.c add
 * up, changes.c tries changes, oom.c reads messages.
 *
 * All sizes are bytes on one GPU, in 64-bit integers that cannot overflow unseen: x / y rounds down, "up" rounds up, at
 * the place where the formula has it.  Activations follow Korthikanti et al. 2022 (arXiv:2205.05198), itemised. */
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

/** "fits", "does_not_fit" …; NULL: unknown. */
extern const char *const mls_memory_verdict_names[];

/** Bits: an item or a setting belongs to inference, to training. */
enum {
    MLS_MEMORY_INFERENCE = 1,
    MLS_MEMORY_TRAINING = 2,
    MLS_MEMORY_BOTH = MLS_MEMORY_INFERENCE | MLS_MEMORY_TRAINING
};

/** The items: their names, and a description. */
extern const struct mls_memory_item_row {
    const char *name, *words;
    unsigned of;
} mls_memory_items[MLS_MEMORY_ITEM_COUNT];

/** The settings: the name of their option, "kv-precision", and the words that one of kind WORD takes: "fp32|bf16". */
extern const struct mls_memory_setting_row {
    const char *name, *words;
    enum {
        MLS_MEMORY_NAME,
        MLS_MEMORY_NUMBER, /**< from 1 on */
        MLS_MEMORY_WHOLE,
        MLS_MEMORY_SIZE,
        MLS_MEMORY_SHARE, /**< above 0, at most 1, in millionths */
        MLS_MEMORY_FLAG,
        MLS_MEMORY_WORD
    } kind;
    unsigned of;
} mls_memory_settings[MLS_MEMORY_SETTING_COUNT];

/** Return the word for the value of a setting; ptr NULL: it has no words. */
mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value);

enum { MLS_MEMORY_NOT_SET = -1, MLS_MEMORY_MODEL_NAME_MAX = 128, MLS_MEMORY_DOUBT_MAX = 1200 };

/** In which formats the weights of a model are kept, if in several. */
enum { MLS_MEMORY_FORM_MAX = 320 };
typedef struct mls_memory_form {
    uint64_t bytes;                  /**< of all weights; 0: one format, or unknown */
    double wide;                     /**< the share of the numbers that have 16 bits or more */
    char words[MLS_MEMORY_FORM_MAX]; /**< a description, NUL-terminated */
} mls_memory_form;

/** A question: a model, a GPU and how it is used.  Made by mls_memory_ask_init(); it owns nothing, and the tables must
 * outlive it.  Model, GPU and link are members, not values of settings. */
typedef struct mls_memory_ask {
    const mls_models *models;
    const mls_accelerators *accelerators;
    int64_t values[MLS_MEMORY_SETTING_COUNT]; /**< MLS_MEMORY_NOT_SET: the default */
    mls_model_shape shape;                    /**< of the model; no layers: no model is set */
    char model[MLS_MEMORY_MODEL_NAME_MAX];    /**< its name, NUL-terminated */
    char doubt[MLS_MEMORY_DOUBT_MAX];         /**< what is unknown or not counted in its file; "": nothing */
    bool unsure;                              /**< the doubt concerns every number: "fits" may be wrong */
    mls_memory_form quantization;             /**< of its file; it applies unless a precision is set */
    int64_t kv_precision;                     /**< of the KV cache in its file, or MLS_MEMORY_NOT_SET */
    char model_type[64];                      /**< of its config.json; "": none */
    size_t doubt_apart;                       /**< bytes of the doubt that do not concern its quantization … */
    bool unsure_apart;                        /**< … and whether these make the estimate unsure */
    const char *benchmark;                    /**< its key, if it is in the table */
    const mls_gpu *gpu;                       /**< NULL: none */
    const mls_link *link;                     /**< NULL: the GPU's */
    mls_pipeline_layout layout;               /**< no chunks: all stages have the same number of layers */
    bool ended_well;                          /**< a run of the job succeeded, so it fits whatever the estimate is */
} mls_memory_ask;

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators);

/** Set a setting from the text of its option; flags take any text.  MLS_ERROR_VALUE or MLS_ERROR_UNKNOWN with a
 * message, or what reading a model's file returned (see mls_memory_model_parse()). */
mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text,
                          mls_error *error) MLS_MUST_USE;

/** Return whether a model's name is a file: it contains a folder, or ends in .json. */
bool mls_memory_model_is_file(const char *name);

/** The longest file that is read as a model; a longer one is MLS_ERROR_LIMIT. */
#define MLS_MEMORY_MODEL_BYTES_MAX ((size_t)1 << 24)

/** Take the model from the JSON of a Hugging Face config.json, or of an object with the members of
 * src/data/models.json (it has layers and hidden).  `name` is the model's name if the file has none.  MLS_ERROR_SYNTAX,
 * or MLS_ERROR_VALUE with what is missing or absurd. */
mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error) MLS_MUST_USE;

/** Fill in the settings of a training job from the exports of a config, its name and its folders, if they are not set
 * yet.  Exports that cannot be used or known become findings at their line.  The model stays unset if nothing names it,
 * the GPU if nothing or more than one does.  Returns whether the config alone is enough for a verdict: it names a model
 * and how it is split (tp, pp or cp), and all of it could be used. */
bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings);

/** Fill in the training settings that a job printed, if they are not set yet; call it before mls_memory_config(),
 * whose exports may have been others.  `gpus`: how many the job had, 0: unknown.  False: it printed no known setting.
 */
bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus);

/** Take from the runs of the job whether one ended well, and the settings of the first that printed known ones;
 * returns that run, or NULL. */
const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus);

/** Tokens in a block of vLLM's KV cache. */
enum { MLS_MEMORY_BLOCK_TOKENS = 16 };

/** Unknown numbers are negative. */
typedef struct mls_memory_estimate {
    bool training;
    uint64_t items[MLS_MEMORY_ITEM_COUNT];
    uint64_t allocated; /**< training: without the runtime, at the peak */
    uint64_t estimate;  /**< what nvidia-smi would show */
    uint64_t low, high; /**< without what some implementations avoid; with what may come on top */
    uint64_t capacity;  /**< of one GPU; 0: unknown */
    uint64_t budget;    /**< the part of it that the job may use: all of it, or a server's share */
    mls_memory_verdict verdict;
    uint64_t parameters; /**< of the whole model */
    uint64_t gpus;
    /** Inference. */
    uint64_t kv_per_token;
    int64_t max_tokens, max_users;
    /** If a server has a share of the memory: what weights and work leave of it for the KV cache, and the number of
     * blocks of MLS_MEMORY_BLOCK_TOKENS tokens in it. */
    int64_t cache_bytes, cache_blocks;
    uint64_t spill;       /**< bytes that do not fit and could be in the host's memory; 0: none, or no link is known */
    double read_ms;       /**< time to read them once, in milliseconds */
    bool decides;         /**< the verdict is that of published checkpoints, whose estimate this is */
    mls_memory_form form; /**< in which formats the weights are kept */
    const mls_link *link;
    uint64_t host_bytes; /**< of the host's memory for one GPU; 0: unknown */
    /** Training. */
    uint64_t stage;     /**< the fullest one of the pipeline, from 0 */
    uint64_t layers;    /**< of that stage */
    uint64_t in_flight; /**< micro-batches, or chunks with a virtual pipeline, whose activations it keeps at once */
    uint64_t data_parallel, global_batch;
    uint64_t shared_by; /**< number of GPUs that share states by `zero`; 1: each has all of them */
} mls_memory_estimate;

/** A change of settings, and its effect. */
typedef struct mls_memory_change {
    size_t count;
    struct {
        mls_memory_setting setting;
        int64_t value; /**< MLS_MEMORY_NOT_SET: the default */
    } values[8];
    uint64_t estimate;
    uint64_t shown; /**< as mls_memory_shown() has it */
    mls_memory_verdict verdict;
} mls_memory_change;

enum { MLS_MEMORY_TRIED_MAX = 12 };

typedef struct mls_memory_answer {
    mls_memory_estimate estimate;
    /** With the weights as published checkpoints of the precision keep them: embeddings, head, norms and routers in 16
     * bits, and scales.  No estimate: not known to differ. */
    mls_memory_estimate published;
    mls_memory_change tried[MLS_MEMORY_TRIED_MAX]; /**< single changes, when it is tight or does not fit */
    size_t tried_count;
    bool has_smallest;
    mls_memory_change smallest; /**< the first change that fits, else the first pair that does */
} mls_memory_answer;

/** Return the value of a setting, or its default; 0: none. */
uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting);

/** Add up the memory of one GPU.  MLS_ERROR_VALUE with what is missing, does not divide, or is absurd. */
mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *estimate,
                                    mls_error *error) MLS_MUST_USE;

/** Do the same, and try changes if it does not fit. */
mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error) MLS_MUST_USE;

/** Return the estimate to show to people: the one that the verdict is about. */
const mls_memory_estimate *mls_memory_shown(const mls_memory_answer *answer);

/** Writes the outcome in one line: the verdict, the estimate with its band, the GPU, and the largest items. */
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

/** Its name, and what to do, in a sentence. */
extern const struct mls_oom_advice_row {
    const char *name, *words;
} mls_oom_advices[MLS_OOM_ADVICE_COUNT];

/** A message of memory that ran out.  Numbers are bytes but for rank and gpu; -1: not in the message. */
typedef struct mls_oom {
    const char *file;                /**< as it was given to mls_oom_search_begin() */
    size_t line;                     /**< in it, from 1 */
    const mls_signature *signature;  /**< as in mlscore diagnose; owned by the search, like the next two texts */
    const char *framework, *wording; /**< "pytorch", "pytorch-capacity" */
    int64_t rank, gpu;
    int64_t tried, capacity, free, in_use, allocated, reserved, reserved_unallocated, private_pool, allowed, other;
    unsigned advice; /**< bits by mls_oom_advice */
} mls_oom;

/** Looks for such messages in the lines of logs, one file after the other.  mls_oom_search_lines() is the `lines` of a
 * sink (log.h) whose state is the search; `end` judges the messages of the file, since other lines of it matter.  A new
 * search is to be freed in any case. */
typedef struct mls_oom_search mls_oom_search;
mls_status mls_oom_search_new(mls_oom_search **search, mls_error *error) MLS_MUST_USE;
void mls_oom_search_free(mls_oom_search *search);
void mls_oom_search_begin(mls_oom_search *search, const char *file);
mls_status mls_oom_search_lines(void *search, const mls_lines *lines);
void mls_oom_search_end(mls_oom_search *search);

/** Return the messages in order; if there are very many, the last ones are only counted, in *dropped. */
const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped);
