/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - the job of a config_*.sh: by its name, and by its text (read by shell.h) where the two agree or not.
 * config_GB200_18x4x1xtp1pp1cp8.sh runs on 18 nodes of 4 GPUs, one sample a rank and step, context parallel 8; without
 * "config_" and ".sh" that is DGXSYSTEM of a Slurm log.  Names and scripts come from outside; nothing is ever run. */
#pragma once

#include "config/shell.h"

/** How much is known from a name. */
typedef enum mls_config_kind {
    MLS_CONFIG_KIND_NONE,  /**< nothing about a shape: config_DGXH100_common.sh, or no config name at all */
    MLS_CONFIG_KIND_SHAPE, /**< SYSTEM_<nodes>x<gpus>…: everything is known */
    MLS_CONFIG_KIND_MODEL, /**< 16xXE8545x4A100-SXM-80GB: nodes x model x GPUs per node */
    MLS_CONFIG_KIND_NODES  /**< DGXA100_multi_32nodes: only the number of nodes */
} mls_config_kind;

#define MLS_CONFIG_NAME_LENGTH_MAX 512
#define MLS_CONFIG_EXTRA_MAX 8
#define MLS_CONFIG_SUFFIX_MAX 16

/** A decoded name.  A number that is 0 is not in the name and cannot be derived from it; valid names hold no zero
 * (extra numbers may).  The strings are spans of the text that was decoded and live as long as it does. */
typedef struct mls_config_name {
    mls_str name;   /**< without folders, "config_" and ".sh": the value of DGXSYSTEM */
    mls_str system; /**< "GB200"; may hold '_', '-', 'x' and digits; may be empty */
    mls_config_kind kind;
    const char *problem; /**< what is wrong with the numbers, a static text; NULL: nothing.  Kind is NONE then, but for
                              degrees of parallelism that do not divide the GPUs or are not dp<N> */
    uint64_t nodes, gpus_per_node;
    uint64_t gpus;           /**< nodes * gpus_per_node */
    uint64_t third;          /**< the number after the GPUs per node, of any meaning */
    uint64_t batch_per_rank; /**< third, when one of tp, pp, cp, ep is named: samples a step of a data-parallel rank */
    uint64_t batch_per_gpu;  /**< third, when none is */
    /** tp<N>, pp<N>, cp<N>; 0 when left out, which counts as 1. */
    uint64_t tensor_parallel, pipeline_parallel, context_parallel;
    uint64_t expert_parallel, virtual_pipeline, sequence_parallel; /**< ep<N>, vp<N> or vpp<N>, sp<N> */
    uint64_t expert_tensor_parallel;                               /**< etp<N> */
    uint64_t data_parallel;               /**< gpus / (tp*pp*cp), when one of tp, pp, cp, ep is named */
    uint64_t data_parallel_named;         /**< dp<N>, as the name has it */
    uint64_t global_batch_named;          /**< gbs<N> */
    uint64_t global_batch_size;           /**< that, else batch_per_rank * data_parallel */
    uint64_t extra[MLS_CONFIG_EXTRA_MAX]; /**< further numbers of the shape, without a meaning */
    size_t extra_count;
    mls_str suffixes[MLS_CONFIG_SUFFIX_MAX]; /**< what follows, cut at '_'; the last one holds the rest of very many */
    size_t suffix_count;
    unsigned from_text; /**< a bit by mls_config_part of each number that mls_config_name_take_text() set */
} mls_config_name;

/** The numbers of a name that a text can give instead: identifier, member. */
#define MLS_CONFIG_PARTS(P)                                                                                            \
    P(NODES, nodes)                                                                                                    \
    P(GPUS_PER_NODE, gpus_per_node)                                                                                    \
    P(GPUS, gpus)                                                                                                      \
    P(TP, tensor_parallel)                                                                                             \
    P(PP, pipeline_parallel)                                                                                           \
    P(CP, context_parallel)                                                                                            \
    P(EP, expert_parallel)                                                                                             \
    P(VP, virtual_pipeline)                                                                                            \
    P(DATA_PARALLEL, data_parallel)                                                                                    \
    P(BATCH_PER_RANK, batch_per_rank)                                                                                  \
    P(BATCH_PER_GPU, batch_per_gpu)

typedef enum mls_config_part {
#define MLS_CONFIG_PART_ID(id, member) MLS_CONFIG_PART_##id,
    MLS_CONFIG_PARTS(MLS_CONFIG_PART_ID)
#undef MLS_CONFIG_PART_ID
        MLS_CONFIG_PART_COUNT
} mls_config_part;

/** Their names, "nodes", "gpus_per_node" … */
extern const char *const mls_config_parts[MLS_CONFIG_PART_COUNT];

/** Decode a config's name, path or DGXSYSTEM; any text can be decoded.  "config_" and ".sh" are optional, degrees of
 * parallelism stand in any order, and the last part that has this form is the shape:
 *     config_<system>_<nodes>x<gpus>[x<third>][x<digits>…][x][tp<T>][pp<P>][cp<C>][ep<E>][_<suffix>…].sh
 * Degrees may also be the parts after the shape, or after n<nodes>; then, and where gbs<N> gives the global batch, the
 * third number is no batch. */
mls_config_name mls_config_name_decode(mls_str text);

/** Check whether a name gives one of tp, pp, cp and ep; then those that it leaves out count as 1. */
bool mls_config_has_degrees(const mls_config_name *name);

/** Tensor, pipeline, context and expert parallel, in this order; and their letters: "tp". */
enum { MLS_DEGREES = 4 };
extern const char *const mls_degree_letters[MLS_DEGREES];

/** Replace a name's degrees by those that a job is known to have had (0: not known), and derive data parallel, batch
 * and problem anew where the name has a shape. */
void mls_config_name_take_degrees(mls_config_name *name, const uint32_t degrees[MLS_DEGREES]);

/** Get the degrees of a name, in that order; 0: left out. */
void mls_config_name_degrees(const mls_config_name *name, uint64_t degrees[MLS_DEGREES]);

/** Names that texts export of a job, NVIDIA's and those of AMD's Primus, the first that is set before others. */
#define MLS_CONFIG_NODES "DGXNNODES NNODES"
#define MLS_CONFIG_GPUS_PER_NODE "DGXNGPU GPUS_PER_NODE SBATCH_GPUS_PER_NODE"
#define MLS_CONFIG_TP "TENSOR_MODEL_PARALLEL TP PRIMUS_TP PRIMUS_TENSOR_PARALLEL_SIZE"
#define MLS_CONFIG_PP "PIPELINE_MODEL_PARALLEL PP PRIMUS_PP PRIMUS_PIPELINE_PARALLEL_SIZE"
#define MLS_CONFIG_CP "CONTEXT_PARALLEL CP PRIMUS_CP PRIMUS_CONTEXT_PARALLEL_SIZE"
#define MLS_CONFIG_EP "EXPERT_PARALLEL EP EXPERT_MODEL_PARALLEL PRIMUS_EP PRIMUS_EXPERT_PARALLEL_SIZE"
#define MLS_CONFIG_VP "INTERLEAVED_PIPELINE VIRTUAL_PIPELINE_MODEL_PARALLEL PRIMUS_VPP"
#define MLS_CONFIG_MICRO_BATCH "MICRO_BATCH_SIZE MBS PRIMUS_MICRO_BATCH_SIZE"
#define MLS_CONFIG_GLOBAL_BATCH "GBS GLOBAL_BATCH_SIZE PRIMUS_GLOBAL_BATCH_SIZE"

#define MLS_CONFIG_LAYOUT "PIPELINE_LAYOUT PIPELINE_MODEL_PARALLEL_LAYOUT PRIMUS_PIPELINE_LAYOUT"

/** The most chunks of layers, of all stages together, and how many layers they can hold. */
#define MLS_CONFIG_CHUNKS_MAX 512

/** A chunk of layers of a pipeline, and how many that predict one more token (MTP) are on it. */
typedef struct mls_pipeline_chunk {
    uint32_t layers, predictors;
} mls_pipeline_chunk;

/** A pipeline whose stages are not even.  The first chunk has the embedding, the last one the loss; of p stages stage i
 * has the chunks i, i + p, i + 2 p … */
typedef struct mls_pipeline_layout {
    size_t count; /**< of chunks; 0: there is no layout */
    mls_pipeline_chunk chunks[MLS_CONFIG_CHUNKS_MAX];
    uint64_t layers, predictors; /**< in all */
} mls_pipeline_layout;

/** Read Megatron's "Et*4|(t*4|)*14tmL": E the embedding, t a layer, m one that predicts one more token, L the loss,
 * | between chunks, *N behind a letter or a group that is repeated.  NULL, or what is wrong with it, a static text;
 * then count is 0.  However a text repeats itself, it ends soon. */
const char *mls_pipeline_layout_parse(mls_str text, mls_pipeline_layout *layout);

/** Find where degrees that a job printed (0: not printed), in the log at `path`, are not those of a config's name. */
void mls_config_compare_printed(const mls_config_name *name, const uint32_t printed[MLS_DEGREES], const char *path,
                                mls_findings *findings);

/** How many settings of a text can agree with its name. */
#define MLS_CONFIG_AGREEING_MAX 32

/** A config by its name and its text together.  Numbers that are 0 are not known. */
typedef struct mls_config_summary {
    uint64_t samples_per_rank;      /**< samples of a step of one data-parallel rank, by the text or the name */
    uint64_t micro_batch_size;      /**< by the text: never assumed to be 1 */
    uint64_t gradient_accumulation; /**< samples of a rank / micro batch, where that divides them */
    uint64_t global_batch_size;     /**< samples of a step */
    /** Exports that agree with the name; they live as long as the script. */
    const mls_shell_variable *agreeing[MLS_CONFIG_AGREEING_MAX];
    size_t agreeing_count;
    mls_pipeline_layout layout; /**< of its pipeline, where the text has one that can be read */
    const char *absent[4]; /**< TP, PP, CP, EP as far as neither of the two sets them to more than 1: static texts */
    size_t absent_count;
} mls_config_summary;

/** Compare a decoded name with the text of its script (NULL: the name alone is judged).  Disagreements, a shape that
 * does not fit together, and settings that cost speed or break runs become findings at the line of the export. */
void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings);

/** Fill in the numbers that a name without a shape leaves out with those of its text, after mls_config_compare().
 * Degrees that the text leaves out count as 1 where it has others. */
void mls_config_name_take_text(mls_config_name *name, const mls_shell *script, const mls_config_summary *summary);
