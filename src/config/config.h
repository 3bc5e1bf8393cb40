/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - decode config files (config_*.sh) of NVIDIA's submissions: their names, and their settings.
 *
 * mls_config_name_decode() decodes a name: config_GB200_18x4x1xtp1pp1cp8.sh runs on 18 nodes with 4 GPUs each, with one
 * sample per rank and step, and context parallel 8.  Without "config_" and ".sh", the name is the value of DGXSYSTEM in
 * a Slurm log.  mls_shell_read() in shell.h reads the settings of the script, and mls_config_compare() checks them
 * against the name.
 *
 * Names and scripts are untrusted input.  Scripts are never run. */
#pragma once

#include "config/shell.h"

/** How much a name reveals. */
typedef enum mls_config_kind {
    MLS_CONFIG_KIND_NONE,  /**< no shape (config_DGXH100_common.sh), or not a config name */
    MLS_CONFIG_KIND_SHAPE, /**< SYSTEM_<nodes>x<gpus>…: everything */
    MLS_CONFIG_KIND_MODEL, /**< 16xXE8545x4A100-SXM-80GB: nodes x model x GPUs per node */
    MLS_CONFIG_KIND_NODES  /**< DGXA100_multi_32nodes: only the number of nodes */
} mls_config_kind;

#define MLS_CONFIG_NAME_LENGTH_MAX 512
#define MLS_CONFIG_EXTRA_MAX 8
#define MLS_CONFIG_SUFFIX_MAX 16

/** A decoded name.  A number is 0 if the name does not contain it and it cannot be derived.  A valid name does not
 * contain zeros, except among the extra numbers.  The strings are spans of the decoded text.  If there is a problem,
 * kind is NONE, unless the degrees of parallelism do not divide the GPUs or do not match dp<N>. */
typedef struct mls_config_name {
    mls_str name;   /**< without folders, "config_" and ".sh": the value of DGXSYSTEM */
    mls_str system; /**< "GB200"; may contain '_', '-', 'x' and digits; may be empty */
    mls_config_kind kind;
    const char *problem; /**< what is wrong with the numbers, a static text; NULL: nothing */
    uint64_t nodes, gpus_per_node;
    uint64_t gpus;           /**< nodes * gpus_per_node */
    uint64_t third;          /**< the number after the GPUs per node, whose meaning varies */
    uint64_t batch_per_rank; /**< third, if one of tp, pp, cp, ep is given: samples per step of a data-parallel rank */
    uint64_t batch_per_gpu;  /**< third otherwise */
    /** tp<N>, pp<N>, cp<N>; 0 if omitted, which means 1. */
    uint64_t tensor_parallel, pipeline_parallel, context_parallel;
    uint64_t expert_parallel, virtual_pipeline, sequence_parallel; /**< ep<N>, vp<N> or vpp<N>, sp<N> */
    uint64_t expert_tensor_parallel;                               /**< etp<N> */
    uint64_t data_parallel;               /**< gpus / (tp*pp*cp), if one of tp, pp, cp, ep is given */
    uint64_t data_parallel_named;         /**< dp<N> */
    uint64_t global_batch_named;          /**< gbs<N> */
    uint64_t global_batch_size;           /**< global_batch_named, or else batch_per_rank * data_parallel */
    uint64_t extra[MLS_CONFIG_EXTRA_MAX]; /**< further numbers of the shape, whose meaning is unknown */
    size_t extra_count;
    mls_str suffixes[MLS_CONFIG_SUFFIX_MAX]; /**< the parts after the shape, split at '_'; the last one contains the
                                                rest if there are more */
    size_t suffix_count;
    unsigned from_text; /**< a bit per mls_config_part for each number set by mls_config_name_take_text() */
} mls_config_name;

/** The numbers that the text can give if the name does not: identifier, member. */
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

/** Their names: "nodes", "gpus_per_node" … */
extern const char *const mls_config_parts[MLS_CONFIG_PART_COUNT];

/** Decode the name or path of a config, or a DGXSYSTEM.  Any text can be decoded.  "config_" and ".sh" are optional,
 * degrees of parallelism may have any order, and the last part with this form is the shape:
 *
 *     config_<system>_<nodes>x<gpus>[x<third>][x<digits>…][x][tp<T>][pp<P>][cp<C>][ep<E>][_<suffix>…].sh
 *
 * Degrees may also be separate parts after the shape, or after n<nodes>.  In that case, or if gbs<N> gives the global
 * batch, the third number is not a batch size. */
mls_config_name mls_config_name_decode(mls_str text);

/** Check whether a name contains one of tp, pp, cp and ep.  If it does, the ones it omits are 1. */
bool mls_config_has_degrees(const mls_config_name *name);

/** Tensor, pipeline, context and expert parallelism, in this order.  Their letters are "tp" and so on. */
enum { MLS_DEGREES = 4 };
extern const char *const mls_degree_letters[MLS_DEGREES];

/** Replace the degrees of a name by those that a job is known to have used (0: unknown).  If the name has a shape,
 * derive data parallelism, batch and problem again. */
void mls_config_name_take_degrees(mls_config_name *name, const uint32_t degrees[MLS_DEGREES]);

/** Get the degrees of a name in that order; 0: omitted. */
void mls_config_name_degrees(const mls_config_name *name, uint64_t degrees[MLS_DEGREES]);

/** Environment variables of configs, for NVIDIA and for AMD's Primus.  The first one that is set counts. */
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

/** The maximum number of chunks in a pipeline, over all stages. */
#define MLS_CONFIG_CHUNKS_MAX 512

/** A chunk of a pipeline: the number of its layers, and of those that predict an additional token (MTP). */
typedef struct mls_pipeline_chunk {
    uint32_t layers, predictors;
} mls_pipeline_chunk;

/** A pipeline with uneven stages.  The first chunk contains the embedding, the last one the loss.  With p stages, stage
 * i has the chunks i, i + p, i + 2 p … */
typedef struct mls_pipeline_layout {
    size_t count; /**< number of chunks; 0: no layout */
    mls_pipeline_chunk chunks[MLS_CONFIG_CHUNKS_MAX];
    uint64_t layers, predictors; /**< total */
} mls_pipeline_layout;

/** Parse a Megatron pipeline layout such as "Et*4|(t*4|)*14tmL".  E is the embedding, t a layer, m a layer that
 * predicts an additional token, L the loss; | separates chunks, and *N repeats a letter or a group.  Return NULL, or
 * the problem as a static text, and set count to 0 then.  The running time is bounded even for nested repetitions. */
const char *mls_pipeline_layout_parse(mls_str text, mls_pipeline_layout *layout);

/** Find degrees in the log at `path` that a job printed (0: not printed) and that differ from those in the name of its
 * config. */
void mls_config_compare_printed(const mls_config_name *name, const uint32_t printed[MLS_DEGREES], const char *path,
                                mls_findings *findings);

/** The maximum number of exports recorded as agreeing with the name. */
#define MLS_CONFIG_AGREEING_MAX 32

/** A config by its name and its text together.  Unknown numbers are 0. */
typedef struct mls_config_summary {
    uint64_t samples_per_rank;      /**< samples per step of a data-parallel rank, from the text or the name */
    uint64_t micro_batch_size;      /**< from the text; never assumed to be 1 */
    uint64_t gradient_accumulation; /**< samples of a rank / micro batch, if that is an integer */
    uint64_t global_batch_size;     /**< samples per step */
    /** Exports that agree with the name.  They live as long as the script. */
    const mls_shell_variable *agreeing[MLS_CONFIG_AGREEING_MAX];
    size_t agreeing_count;
    mls_pipeline_layout layout; /**< of the pipeline, if the text contains a valid layout */
    const char *absent[4]; /**< those of TP, PP, CP, EP that neither name nor text sets to more than 1: static texts */
    size_t absent_count;
} mls_config_summary;

/** Compare a decoded name with the text of its script (NULL: check the name alone).  Add findings at the exports that
 * disagree with the name, about a shape that is inconsistent, and about settings that cost speed or break runs. */
void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings);

/** Fill in numbers that a name without a shape omits from its text, after mls_config_compare().  If the text sets any
 * degree, the degrees it omits are 1. */
void mls_config_name_take_text(mls_config_name *name, const mls_shell *script, const mls_config_summary *summary);
