/* SPDX-License-Identifier: Apache-2.0 */
/* accelerators.h - what data sheets say of accelerators, and how much memory of a GPU a job can use.
 *
 * The tables are embedded in the library (src/data/accelerators.json, which names its sources); once loaded they never
 * change and any number of threads may look at them. */
#pragma once

#include "base/base.h"

/** The kinds of numbers that peaks are given for, the narrowest last. */
typedef enum mls_precision {
    MLS_PRECISION_TF32,
    MLS_PRECISION_FP16,
    MLS_PRECISION_BF16,
    MLS_PRECISION_FP8,
    MLS_PRECISION_FP4,
    MLS_PRECISION_COUNT
} mls_precision;

/** The precision of a name such as "bf16"; false when there is none. */
bool mls_precision_from_name(mls_str name, mls_precision *precision);

/** One accelerator, as a system description counts them.  The strings end in NUL and live as long as the tables. */
typedef struct mls_accelerator {
    const char *name;
    const char *pattern;              /**< by which a description names it: a PCRE2 expression, case aside */
    double peak[MLS_PRECISION_COUNT]; /**< TFLOP/s, dense; NAN: it has no such units, or they are not known */
} mls_accelerator;

/** A way to the host's memory: what one direction carries, and what data sheets print, both together. */
typedef struct mls_link {
    const char *key, *name; /**< "pcie5", "PCIe 5.0 x16" */
    uint64_t one_way_gb_s, both_ways_gb_s;
} mls_link;

/** The memory of one GPU.  The strings end in NUL and live as long as the tables. */
typedef struct mls_gpu {
    const char *name;
    const char *aliases;     /**< other names, "H100 SXM|H100 PCIe"; NULL: none */
    uint64_t marketed_gb;    /**< what is sold, as names have it */
    uint64_t capacity_bytes; /**< what the driver offers a job as total */
    uint64_t reported_mib;   /**< the total of nvidia-smi, with what the driver keeps for itself; 0: not known */
    bool estimated;          /**< no published message with that number was at hand */
    const char *link_key;
    const mls_link *link; /**< of that key; NULL: none is known, or the memory is the host's */
    uint64_t host_bytes;  /**< of the host's memory for one GPU, where the board has it; 0: not known */
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

/** Reads the tables, to be given to mls_accelerators_free() in any case.  MLS_ERROR_MEMORY, or MLS_ERROR_VALUE for
 * broken data. */
mls_status mls_accelerators_load(mls_accelerators **accelerators, mls_error *error) MLS_MUST_USE;
void mls_accelerators_free(mls_accelerators *accelerators);

/** The accelerator of a system description: the first whose pattern is found in accelerator_model_name, else the first
 * whose pattern is found in that, a blank and system_name; *found is NULL when there is none. */
mls_status mls_accelerators_match(const mls_accelerators *accelerators, mls_str model_name, mls_str system_name,
                                  const mls_accelerator **found);

/** The accelerator or link that a person names (see mls_names_alike() in models.h), or NULL. */
const mls_accelerator *mls_accelerators_find(const mls_accelerators *accelerators, mls_str name);
const mls_link *mls_accelerators_find_link(const mls_accelerators *accelerators, mls_str name);

/** The GPU that a person or a driver names, "rtx4090", "NVIDIA L40S", "Tesla V100-SXM2-32GB": the first that is called
 * so, without the maker before it, else the first of the accelerator that the name describes.  A size in the name must
 * be the GPU's own, and what is a part of a GPU is none; *found is NULL when there is none. */
mls_status mls_accelerators_find_gpu(const mls_accelerators *accelerators, mls_str name,
                                     const mls_gpu **found) MLS_MUST_USE;
