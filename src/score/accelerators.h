/* SPDX-License-Identifier: Apache-2.0 */
/* accelerators.h - data sheets of accelerators, and the memory of GPUs that a job can use.
 *
 * Load the tables with mls_accelerators_load(), then find an accelerator by a system description, or an accelerator,
 * link or GPU by a name.
 *
 * The tables are embedded in the library (src/data/accelerators.json, with sources).  Once loaded they never change, so
 * any number of threads may read them. */
#pragma once

#include "base/base.h"

/** Number formats for which data sheets give a peak rate, from the widest to the narrowest. */
typedef enum mls_precision {
    MLS_PRECISION_TF32,
    MLS_PRECISION_FP16,
    MLS_PRECISION_BF16,
    MLS_PRECISION_FP8,
    MLS_PRECISION_FP4,
    MLS_PRECISION_COUNT
} mls_precision;

/** Find a precision by its name, such as "bf16"; return false if it is unknown. */
bool mls_precision_from_name(mls_str name, mls_precision *precision);

/** What a system description counts as one accelerator.  The strings are NUL-terminated and live as long as the tables.
 */
typedef struct mls_accelerator {
    const char *name;
    const char *pattern; /**< PCRE2 expression that matches its names in system descriptions, ignoring case */
    double peak[MLS_PRECISION_COUNT]; /**< peak in dense TFLOP/s per precision; NAN: unknown or not supported */
} mls_accelerator;

/** A link between a GPU and the memory of its host. */
typedef struct mls_link {
    const char *key, *name; /**< key "pcie5", name "PCIe 5.0 x16" */
    /** Bandwidth in GB/s of one direction, and the total of both directions, which data sheets print. */
    uint64_t one_way_gb_s, both_ways_gb_s;
} mls_link;

/** The memory of a GPU.  The strings are NUL-terminated and live as long as the tables. */
typedef struct mls_gpu {
    const char *name;
    const char *aliases;     /**< other names, separated by bars: "H100 SXM|H100 PCIe"; NULL: it has only one name */
    uint64_t marketed_gb;    /**< size in GB under which the GPU is sold, as in "V100-SXM2-32GB" */
    uint64_t capacity_bytes; /**< total memory in bytes that the driver offers a job */
    uint64_t
        reported_mib; /**< total in MiB printed by nvidia-smi, including memory reserved by the driver; 0: unknown */
    bool estimated;   /**< capacity_bytes is an estimate, not from an out-of-memory message */
    const char *link_key; /**< mls_link.key of its link */
    const mls_link *link; /**< NULL: unknown, or the GPU shares the memory of its host */
    uint64_t host_bytes;  /**< host memory in bytes per GPU, if it is on the same board; 0: unknown */
} mls_gpu;

typedef struct mls_accelerators {
    struct mls_arena *arena; /**< memory of all tables and strings */
    mls_accelerator *items;
    size_t count;
    mls_link *links;
    size_t link_count;
    mls_gpu *gpus;
    size_t gpu_count;
} mls_accelerators;

/** Load the tables.  Always free them with mls_accelerators_free().  Return MLS_ERROR_VALUE if the embedded data is
 * invalid. */
mls_status mls_accelerators_load(mls_accelerators **accelerators, mls_error *error) MLS_MUST_USE;
void mls_accelerators_free(mls_accelerators *accelerators);

/** Find the accelerator of a system description.  Set *found to the first accelerator whose pattern matches
 * `model_name`.  If no pattern matches, search "<model_name> <system_name>" instead; if no pattern matches that text
 * either, set *found to NULL. */
mls_status mls_accelerators_match(const mls_accelerators *accelerators, mls_str model_name, mls_str system_name,
                                  const mls_accelerator **found);

/** Return the accelerator with a name written by the user, compared with mls_names_alike(); NULL if the
 * name is unknown. */
const mls_accelerator *mls_accelerators_find(const mls_accelerators *accelerators, mls_str name);
/** Return the link with a key or name written by the user, compared in the same way; NULL if the name is unknown. */
const mls_link *mls_accelerators_find_link(const mls_accelerators *accelerators, mls_str name);

/** Find a GPU by a name from a user or a driver, such as "rtx4090", "NVIDIA L40S", "Tesla V100-SXM2-32GB".  Set
 * *found to the first GPU with this name, ignoring the vendor.  If no GPU has it, find the accelerator whose pattern
 * matches the name, and then the GPU with the name of the accelerator.  A memory size in `name` must equal that of the
 * GPU or its host; a partition of a GPU has another size, so *found becomes NULL. */
mls_status mls_accelerators_find_gpu(const mls_accelerators *accelerators, mls_str name,
                                     const mls_gpu **found) MLS_MUST_USE;
