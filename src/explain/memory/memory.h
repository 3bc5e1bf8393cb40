/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - what a GPU must hold, item by item, whether that fits, and the smallest change that makes it fit.
 *
 * All sizes are bytes on one GPU, in 64-bit integers that cannot overflow unseen: x / y rounds down, "up" rounds up, at
 * the place where the formula has it.  Activations follow Korthikanti et al. 2022 (arXiv:2205.05198), itemised. */
#pragma once

#include "config/config.h"
#include "config/shell.h"
#include "explain/memory/memory_table.h"
#include "log/log.h"
#include "log/messages.h"
#include "run/settings.h"
#include "score/accelerators.h"
#include "score/models.h"

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

/** "fits", "does_not_fit" …; NULL of what is not known. */
extern const char *const mls_memory_verdict_names[];

/** The bits of who has an item or a setting: inference, training. */
enum {
    MLS_MEMORY_INFERENCE = 1,
    MLS_MEMORY_TRAINING = 2,
    MLS_MEMORY_BOTH = MLS_MEMORY_INFERENCE | MLS_MEMORY_TRAINING
};

/** The items: their names, and what they are in a few words. */
extern const struct mls_memory_item_row {
    const char *name, *words;
    unsigned of;
} mls_memory_items[MLS_MEMORY_ITEM_COUNT];

/** The settings: their options, "kv-precision", what these take, and the words of one that is a word: "fp32|bf16". */
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

/** The word of a value of a setting that has words, else NULL. */
mls_str mls_memory_setting_word(mls_memory_setting setting, int64_t value);

enum { MLS_MEMORY_NOT_SET = -1, MLS_MEMORY_MODEL_NAME_MAX = 128, MLS_MEMORY_DOUBT_MAX = 1200 };

/** How the weights of a whole model are kept, where that is not alike for all of them. */
enum { MLS_MEMORY_FORM_MAX = 320 };
typedef struct mls_memory_form {
    uint64_t bytes;                  /**< 0: they are kept alike, or nothing is known */
    double wide;                     /**< the share of the numbers that are kept in 16 bits or more */
    char words[MLS_MEMORY_FORM_MAX]; /**< what that is made of, NUL-terminated */
} mls_memory_form;

/** A question: a model, a GPU and how it is used.  To be made by mls_memory_ask_init(); it owns nothing, the tables
 * must outlive it.  Model, GPU and link have no value among those of the settings but members of their own. */
typedef struct mls_memory_ask {
    const mls_models *models;
    const mls_accelerators *accelerators;
    int64_t values[MLS_MEMORY_SETTING_COUNT]; /**< MLS_MEMORY_NOT_SET: as it is by default */
    mls_model_shape shape;                    /**< of the model; no layers: none is set */
    char model[MLS_MEMORY_MODEL_NAME_MAX];    /**< its name, NUL-terminated */
    char doubt[MLS_MEMORY_DOUBT_MAX];         /**< what of its file is not known or not counted; "": nothing */
    bool unsure;                              /**< the doubt is about every figure: "fits" is not to be relied on */
    mls_memory_form quantization;             /**< of its file, which counts where no precision is asked for */
    int64_t kv_precision;                     /**< of the KV cache by its file; MLS_MEMORY_NOT_SET: it has none */
    char model_type[64];                      /**< of its config.json; "": not said */
    size_t doubt_apart;                       /**< bytes of the doubt that are not about its quantization … */
    bool unsure_apart;                        /**< … and whether these make unsure */
    const char *benchmark;                    /**< its key, when it is in the table */
    const mls_gpu *gpu;                       /**< NULL: none */
    const mls_link *link;                     /**< NULL: the GPU's */
    mls_pipeline_layout layout;               /**< of no chunks: the stages are even */
    bool ended_well;                          /**< a run of the job did: it has fit, whatever the estimate says */
} mls_memory_ask;

void mls_memory_ask_init(mls_memory_ask *ask, const mls_models *models, const mls_accelerators *accelerators);

/** Sets what an option of that name says; flags take any text.  MLS_ERROR_VALUE or MLS_ERROR_UNKNOWN with a message,
 * what reading a model's file returned (see mls_memory_model_parse()), or MLS_ERROR_MEMORY. */
mls_status mls_memory_set(mls_memory_ask *ask, mls_memory_setting setting, const char *text,
                          mls_error *error) MLS_MUST_USE;

/** Whether a model's name is that of a file: it has a folder, or ends in .json. */
bool mls_memory_model_is_file(const char *name);

/** The longest file that is read as a model; a longer one is MLS_ERROR_LIMIT. */
#define MLS_MEMORY_MODEL_BYTES_MAX ((size_t)1 << 24)

/** Takes the model from the JSON of a Hugging Face config.json, or of an object with the members of
 * src/data/models.json (it has layers and hidden).  `name` is what it is called if it does not say.  MLS_ERROR_SYNTAX,
 * MLS_ERROR_VALUE with what is missing or absurd, or MLS_ERROR_MEMORY. */
mls_status mls_memory_model_parse(mls_memory_ask *ask, mls_str text, mls_str name, mls_error *error) MLS_MUST_USE;

/** Fills in what the exports of a config, its name and its folders say about a training job, where nothing is set yet.
 * Anything that is there and cannot be used or known becomes findings at its line.  The model stays unset when nothing
 * names it, the GPU when nothing or more than one does.  True when the config alone says enough for a verdict: a model,
 * how it is split (tp, pp or cp), and nothing that could not be used. */
bool mls_memory_config(mls_memory_ask *ask, const mls_shell *script, const char *path, mls_findings *findings);

/** Fills in what a job printed of how it trains, where nothing is set yet: to be asked before the exports of its
 * config, which may have been others.  `gpus`: how many it had, 0: not known.  False: it printed nothing that is known.
 */
bool mls_memory_printed(mls_memory_ask *ask, const mls_known_settings *known, const mls_printed *settings,
                        uint64_t gpus);

/** Takes what the runs of the job say: whether one ended well, and what the first of them printed that printed
 * known settings; returns that one, or NULL. */
const mls_run *mls_memory_runs(mls_memory_ask *ask, const mls_known_settings *known, const mls_run *runs, size_t count,
                               uint64_t gpus);

/** The tokens of a block of vLLM's KV cache. */
enum { MLS_MEMORY_BLOCK_TOKENS = 16 };

/** Numbers that are not known are negative. */
typedef struct mls_memory_estimate {
    bool training;
    uint64_t items[MLS_MEMORY_ITEM_COUNT];
    uint64_t allocated; /**< training: without the runtime, at the peak */
    uint64_t estimate;  /**< what nvidia-smi would show */
    uint64_t low, high; /**< what some implementation avoids is left out; what may come on top is in */
    uint64_t capacity;  /**< of one GPU; 0: not known */
    uint64_t budget;    /**< of that what the job may use: all of it, or the share that a server is given */
    mls_memory_verdict verdict;
    uint64_t parameters; /**< of the whole model */
    uint64_t gpus;
    /** Inference. */
    uint64_t kv_per_token;
    int64_t max_tokens, max_users;
    /** Of a server that has a share of the memory: what is left of it for the KV cache beside weights and work, and how
     * many blocks of MLS_MEMORY_BLOCK_TOKENS tokens that is. */
    int64_t cache_bytes, cache_blocks;
    uint64_t spill;       /**< what does not fit and could lie in the host's memory; 0: nothing, or no link is known */
    double read_ms;       /**< to read that once, in milliseconds */
    bool decides;         /**< of one as published checkpoints are: the verdict is of it */
    mls_memory_form form; /**< how the weights are kept, of one with these bytes */
    const mls_link *link;
    uint64_t host_bytes; /**< of the host's memory for one GPU; 0: not known */
    /** Training. */
    uint64_t stage;     /**< of the pipeline, the fullest, from 0 */
    uint64_t layers;    /**< that it has */
    uint64_t in_flight; /**< micro-batches, or chunks with a virtual pipeline, whose activations it keeps at once */
    uint64_t data_parallel, global_batch;
    uint64_t shared_by; /**< GPUs that share what `zero` has them share; 1: each has all of it */
} mls_memory_estimate;

/** A change, as the settings that it makes, and what comes of it. */
typedef struct mls_memory_change {
    size_t count;
    struct {
        mls_memory_setting setting;
        int64_t value; /**< MLS_MEMORY_NOT_SET: as it is by default */
    } values[8];
    uint64_t estimate;
    uint64_t shown; /**< as mls_memory_shown() has it */
    mls_memory_verdict verdict;
} mls_memory_change;

enum { MLS_MEMORY_TRIED_MAX = 12 };

typedef struct mls_memory_answer {
    mls_memory_estimate estimate;
    /** With the weights as published checkpoints of such a precision hold them: embeddings, head, norms and routers in
     * 16 bits, and scales; no estimate: these are not known to be others. */
    mls_memory_estimate published;
    mls_memory_change tried[MLS_MEMORY_TRIED_MAX]; /**< single changes, when it is tight or does not fit */
    size_t tried_count;
    bool has_smallest;
    mls_memory_change smallest; /**< the first of them that fits, else the first pair that does */
} mls_memory_answer;

/** The value of a setting, or what it is by default; 0 where nothing is. */
uint64_t mls_memory_value(const mls_memory_ask *ask, mls_memory_setting setting);

/** Adds up what one GPU holds.  MLS_ERROR_VALUE with what is missing, does not divide, or is absurd. */
mls_status mls_memory_estimate_make(const mls_memory_ask *ask, mls_memory_estimate *estimate,
                                    mls_error *error) MLS_MUST_USE;

/** The same, with what could be changed. */
mls_status mls_memory_answer_make(const mls_memory_ask *ask, mls_memory_answer *answer, mls_error *error) MLS_MUST_USE;

/** The estimate that people are shown: the one that the verdict is of. */
const mls_memory_estimate *mls_memory_shown(const mls_memory_answer *answer);

/** The outcome in a line: the verdict, the estimate with its band, the GPU, and the largest items. */
enum { MLS_MEMORY_WORDS_MAX = 320 };
void mls_memory_words(const mls_memory_ask *ask, const mls_memory_estimate *estimate, char words[MLS_MEMORY_WORDS_MAX]);

/** Adds what the verdict means to findings: MEMORY_DOES_NOT_FIT or MEMORY_TIGHT, in these words; and MEMORY_MODEL with
 * the doubt about the model, where there is one. */
void mls_memory_judge(const mls_memory_ask *ask, const mls_memory_answer *answer, mls_findings *findings);

/** The items of an estimate that are not 0, the largest first; returns how many. */
size_t mls_memory_items_sort(const mls_memory_estimate *estimate, mls_memory_item items[MLS_MEMORY_ITEM_COUNT]);

/** Advice that follows from the numbers of a message: the bits of mls_oom.advice. */
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

/** A message of memory that ran out.  Numbers are bytes but for rank and gpu; -1: the message does not say. */
typedef struct mls_oom {
    const char *file;                /**< as it was given to mls_oom_search_begin() */
    size_t line;                     /**< in it, from 1 */
    const mls_signature *signature;  /**< what it is to mlscore diagnose; of the search, as the two texts are */
    const char *framework, *wording; /**< "pytorch", "pytorch-capacity" */
    int64_t rank, gpu;
    int64_t tried, capacity, free, in_use, allocated, reserved, reserved_unallocated, private_pool, allowed, other;
    unsigned advice; /**< bits by mls_oom_advice */
} mls_oom;

/** Looks for such messages in the lines of logs, of one file after the other.  mls_oom_search_lines() is the `lines` of
 * a sink (log.h) whose state is the search; `end` judges the messages of the file, since what stands elsewhere in it
 * matters.  MLS_OK or MLS_ERROR_MEMORY. */
typedef struct mls_oom_search mls_oom_search;
mls_status mls_oom_search_new(mls_oom_search **search) MLS_MUST_USE;
void mls_oom_search_free(mls_oom_search *search);
void mls_oom_search_begin(mls_oom_search *search, const char *file);
mls_status mls_oom_search_lines(void *search, const mls_lines *lines);
void mls_oom_search_end(mls_oom_search *search);

/** The messages that were found, in order; of very many messages the last ones are only counted, in *dropped. */
const mls_oom *mls_oom_search_items(const mls_oom_search *search, size_t *count, size_t *dropped);
