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

/** Number formats with a peak rate, the narrowest last. */
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

/** An accelerator, as counted in system descriptions.  The strings are NUL-terminated and live as long as the tables.
 */
typedef struct mls_accelerator {
    const char *name;
    const char *pattern;              /**< PCRE2 expression, ignoring case, for names in descriptions */
    double peak[MLS_PRECISION_COUNT]; /**< TFLOP/s, dense; NAN: unknown, or not supported */
} mls_accelerator;

/** A link to the host's memory: the bandwidth per direction, and that of both directions as printed in data sheets. */
typedef struct mls_link {
    const char *key, *name; /**< "pcie5", "PCIe 5.0 x16" */
    uint64_t one_way_gb_s, both_ways_gb_s;
} mls_link;

/** The memory of a GPU.  The strings are NUL-terminated and live as long as the tables. */
typedef struct mls_gpu {
    const char *name;
    const char *aliases;     /**< other names, "H100 SXM|H100 PCIe"; NULL: none */
    uint64_t marketed_gb;    /**< as sold, and part of names */
    uint64_t capacity_bytes; /**< total memory that the driver offers a job */
    uint64_t reported_mib;   /**< total in nvidia-smi, including memory reserved by the driver; 0: unknown */
    bool estimated;          /**< capacity_bytes is an estimate, not from an out-of-memory message */
    const char *link_key;
    const mls_link *link; /**< NULL: unknown, or the memory is the host's */
    uint64_t host_bytes;  /**< host memory per GPU, if it is on the board; 0: unknown */
} mls_gpu;

typedef struct mls_accelerators {
    struct mls_arena *arena; /**< of everything */
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

/** Find the accelerator of a system description: the first whose pattern matches accelerator_model_name or, if there is
 * none, the first whose pattern matches that and system_name, joined by a blank.  *found is NULL if there is none. */
mls_status mls_accelerators_match(const mls_accelerators *accelerators, mls_str model_name, mls_str system_name,
                                  const mls_accelerator **found);

/** Find an accelerator, or a link, by a name as written by the user (see mls_names_alike() in models.h); NULL if it is
 * unknown. */
const mls_accelerator *mls_accelerators_find(const mls_accelerators *accelerators, mls_str name);
const mls_link *mls_accelerators_find_link(const mls_accelerators *accelerators, mls_str name);

/** Find a GPU by a name from a user or a driver, such as "rtx4090", "NVIDIA L40S", "Tesla V100-SXM2-32GB".  The first
 * GPU with that name, ignoring the vendor, is preferred to the accelerator that the name describes.  A size in the name
 * must be that of the GPU, so a partition of a GPU is not found; then *found is NULL. */
mls_status mls_accelerators_find_gpu(const mls_accelerators *accelerators, mls_str name,
                                     const mls_gpu **found) MLS_MUST_USE;
