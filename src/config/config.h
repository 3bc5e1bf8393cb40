/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - decode config files (config_*.sh) of NVIDIA's submissions: their names, and their settings.
 *
 * mls_config_name_decode() decodes a name: config_GB200_18x4x1xtp1pp1cp8.sh runs on 18 nodes with 4 GPUs each, with one
 * sample per rank and step, and context parallel 8.  The name without "config_" and ".sh" is the value of the variable
 * DGXSYSTEM in a Slurm log.  mls_shell_read() in shell.h reads the settings of the script, and mls_config_compare()
 * checks them against the name.
 *
 * Names and scripts are untrusted input.  Scripts are never run. */
#pragma once

#include "config/shell.h"

/** The form of a name, which determines the numbers that the name contains. */
typedef enum mls_config_kind {
    MLS_CONFIG_KIND_NONE,  /**< the name does not contain a shape (config_DGXH100_common.sh), or is not a config name */
    MLS_CONFIG_KIND_SHAPE, /**< SYSTEM_<nodes>x<gpus>…: a shape, which consists of nodes, GPUs per node and further
                              numbers */
    MLS_CONFIG_KIND_MODEL, /**< 16xXE8545x4A100-SXM-80GB: nodes, model of the nodes, GPUs per node, model of the GPUs */
    MLS_CONFIG_KIND_NODES  /**< DGXA100_multi_32nodes: only the number of nodes */
} mls_config_kind;

#define MLS_CONFIG_NAME_LENGTH_MAX 512
#define MLS_CONFIG_EXTRA_MAX 8
#define MLS_CONFIG_SUFFIX_MAX 16

/** A decoded name.  A number is 0 if it is unknown: the name does not contain it, and it cannot be derived from other
 * numbers.  A valid name does not contain zeros, except among the extra numbers.  The strings are spans of the decoded
 * text.  If `problem` is set, `kind` is MLS_CONFIG_KIND_NONE, unless the problem is that the degrees of parallelism do
 * not divide the GPUs or do not match dp<N>. */
typedef struct mls_config_name {
    mls_str name;   /**< the name without folders, "config_" and ".sh" */
    mls_str system; /**< name of the system, "GB200"; may contain '_', '-', 'x' and digits; may be empty */
    mls_config_kind kind;
    const char *problem; /**< the error in the numbers, as a static text; NULL: the numbers are correct */
    uint64_t nodes, gpus_per_node;
    uint64_t gpus;           /**< nodes * gpus_per_node */
    uint64_t third;          /**< the number after the GPUs per node, usually a batch size */
    uint64_t batch_per_rank; /**< samples per step of a data-parallel rank: `third` if the name has tp, pp, cp or ep */
    uint64_t batch_per_gpu;  /**< samples per step of a GPU: `third` if the name does not have tp, pp, cp or ep */
    /** tp<N>, pp<N>, cp<N>.  0: omitted; the degree is then 1. */
    uint64_t tensor_parallel, pipeline_parallel, context_parallel;
    uint64_t expert_parallel, virtual_pipeline, sequence_parallel; /**< ep<N>, vp<N> or vpp<N>, sp<N> */
    uint64_t expert_tensor_parallel;                               /**< etp<N> */
    uint64_t data_parallel;               /**< gpus / (tp*pp*cp), if the name has tp, pp, cp or ep */
    uint64_t data_parallel_named;         /**< dp<N> */
    uint64_t global_batch_named;          /**< gbs<N> */
    uint64_t global_batch_size;           /**< global_batch_named, or else batch_per_rank * data_parallel */
    uint64_t extra[MLS_CONFIG_EXTRA_MAX]; /**< further numbers of the shape, whose meaning is unknown */
    size_t extra_count;
    mls_str suffixes[MLS_CONFIG_SUFFIX_MAX]; /**< the parts after the shape, split at '_'; if there are too many, the
                                                last element contains the rest of the name */
    size_t suffix_count;
    unsigned from_text; /**< bit 1 << P is set if mls_config_name_take_text() set the number of part P */
} mls_config_name;

/** The numbers that mls_config_name_take_text() can set.  Each row consists of the suffix of MLS_CONFIG_PART_ and the
 * member of mls_config_name. */
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

/** The names of the numbers: "nodes", "gpus_per_node" … */
extern const char *const mls_config_parts[MLS_CONFIG_PART_COUNT];

/** Decode the name or path of a config, or a value of DGXSYSTEM.  Any text can be decoded.  "config_" and ".sh" are
 * optional, and degrees of parallelism may have any order.  A name consists of parts separated by '_'.  The shape is
 * the last part of the form <nodes>x<gpus>…:
 *
 *     config_<system>_<nodes>x<gpus>[x<third>][x<digits>…][x][tp<T>][pp<P>][cp<C>][ep<E>][_<suffix>…].sh
 *
 * The degrees may also be separate parts after the shape, or after n<nodes>.  If the degrees are separate parts, or if
 * the name contains a global batch gbs<N>, the third number is not a batch size. */
mls_config_name mls_config_name_decode(mls_str text);

/** Check whether a name contains tp, pp, cp or ep.  In a name that contains at least one of these degrees, omitted
 * degrees are 1. */
bool mls_config_has_degrees(const mls_config_name *name);

/** The degrees of tensor, pipeline, context and expert parallelism, in this order.  mls_degree_letters contains "tp",
 * "pp", "cp" and "ep". */
enum { MLS_DEGREES = 4 };
extern const char *const mls_degree_letters[MLS_DEGREES];

/** Replace the degrees of a name by `degrees`, which a job is known to have used; a 0 is ignored.  If the name has a
 * shape, derive data parallelism, batch sizes and `problem` again. */
void mls_config_name_take_degrees(mls_config_name *name, const uint32_t degrees[MLS_DEGREES]);

/** Store the degrees of a name in the order of mls_degree_letters.  An omitted degree is 0. */
void mls_config_name_degrees(const mls_config_name *name, uint64_t degrees[MLS_DEGREES]);

/** For each setting, the environment variables with which configs of NVIDIA and of AMD's Primus set it.  If several
 * variables are set, the first one in the list is used. */
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

/** A chunk of a pipeline. */
typedef struct mls_pipeline_chunk {
    uint32_t layers, predictors; /**< number of ordinary layers, and of layers that predict an additional token (MTP) */
} mls_pipeline_chunk;

/** A pipeline with uneven stages.  The first chunk contains the embedding, and the last chunk the loss.  If the
 * pipeline has p stages, stage i has the chunks i, i + p, i + 2 p … */
typedef struct mls_pipeline_layout {
    size_t count; /**< number of chunks; 0: the layout is invalid or not given */
    mls_pipeline_chunk chunks[MLS_CONFIG_CHUNKS_MAX];
    uint64_t layers, predictors; /**< sums over all chunks */
} mls_pipeline_layout;

/** Parse a Megatron pipeline layout such as "Et*4|(t*4|)*14tmL".  E is the embedding, t a layer, m a layer that
 * predicts an additional token, L the loss; | separates chunks, and *N repeats a letter or a group.  Return NULL on
 * success.  If the text is invalid, return the problem as a static text and set count to 0.  The running time is
 * bounded even for nested repetitions. */
const char *mls_pipeline_layout_parse(mls_str text, mls_pipeline_layout *layout);

/** Add a finding for each degree that a job printed in the log at `path` and that differs from the degree in the name
 * of its config.  printed[i] is 0 if the job did not print the degree. */
void mls_config_compare_printed(const mls_config_name *name, const uint32_t printed[MLS_DEGREES], const char *path,
                                mls_findings *findings);

/** The maximum length of mls_config_summary.agreeing. */
#define MLS_CONFIG_AGREEING_MAX 32

/** Facts about a config, derived from its name together with its script.  Unknown numbers are 0. */
typedef struct mls_config_summary {
    uint64_t samples_per_rank; /**< samples per step of a data-parallel rank, from the script, or else the name */
    uint64_t micro_batch_size; /**< samples that a rank processes at once, from the script; never assumed to be 1 */
    uint64_t gradient_accumulation; /**< samples_per_rank / micro_batch_size; 0 if this is not an integer */
    uint64_t global_batch_size;     /**< samples per step */
    /** Exported variables that agree with the name.  They live as long as the script. */
    const mls_shell_variable *agreeing[MLS_CONFIG_AGREEING_MAX];
    size_t agreeing_count;
    mls_pipeline_layout layout; /**< layout of the pipeline; `count` is 0 if the script does not contain a valid one */
    /** Those of "TP", "PP", "CP" and "EP" that neither the name nor the script sets to more than 1. */
    const char *absent[4];
    size_t absent_count;
} mls_config_summary;

/** Compare a decoded name with its script, and set *summary; if `script` is NULL, check the name alone.  Add findings
 * about exports that disagree with the name, an inconsistent shape, and settings that cost speed or break runs. */
void mls_config_compare(const mls_config_name *name, const mls_shell *script, mls_config_summary *summary,
                        mls_findings *findings);

/** If a name does not contain a shape, set the numbers that it omits to the values in its script.  Get *summary from
 * mls_config_compare() first.  If the script sets any degree, omitted tp, pp and cp are 1. */
void mls_config_name_take_text(mls_config_name *name, const mls_shell *script, const mls_config_summary *summary);
